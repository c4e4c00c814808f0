/* SPDX-License-Identifier: BSD-3-Clause */
/* File order: the order of a series of images by the numbers in their names. */
#include "paths.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* Numbers of a name that are looked at, behind the folder of all names. */
enum { NUMBERS = 8 };

/* A number within a name. */
typedef struct Number {
    const char *begin, *end; /* digits before the point */
    const char *after;       /* end of the decimals; end: there are none */
    char sign;               /* the character before it, if that is + or −; else 0 */
} Number;

typedef struct Name {
    char *path;       /* not owned */
    const char *text; /* the path behind the folder */
    int count;
    Number number[NUMBERS];
    const bool *is_signed; /* [number]: of all names */
    int by;                /* the number that is compared; −1: one after the other */
} Name;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *text)
{
    while (is_digit(*text)) text++;
    return text;
}

/* Compares integers of any length. */
static int compare_digits(const char *a, const char *a_end, const char *b, const char *b_end)
{
    while (*a == '0' && a + 1 < a_end) a++;
    while (*b == '0' && b + 1 < b_end) b++;
    const ptrdiff_t a_length = a_end - a, b_length = b_end - b;
    if (a_length != b_length) return a_length < b_length ? -1 : 1;
    return strncmp(a, b, (size_t)a_length);
}

int sino_natural_compare(const char *a, const char *b)
{
    const char *const whole_a = a, *const whole_b = b;
    while (*a && *b) {
        if (is_digit(*a) && is_digit(*b)) {
            const char *const a_end = skip_digits(a), *const b_end = skip_digits(b);
            const int order = compare_digits(a, a_end, b, b_end);
            if (order != 0) return order;
            a = a_end;
            b = b_end;
        } else if (*a != *b) {
            break;
        } else {
            a++;
            b++;
        }
    }
    const int order = (int)(unsigned char)*a - (int)(unsigned char)*b;
    return order != 0 ? order : strcmp(whole_a, whole_b); /* 01 and 1 */
}

bool sino_differ_in_digits(const char *a, const char *b)
{
    for (;; a++, b++) {
        a = skip_digits(a);
        b = skip_digits(b);
        if (*a != *b) return false;
        if (!*a) return true;
    }
}

static int compare_texts(const void *a, const void *b)
{
    return sino_natural_compare(*(char *const *)a, *(char *const *)b);
}

/* ---- names in parts ---- */

/* Bytes of the folder that all paths begin with. */
static size_t folder_of(int64_t count, char *const *path)
{
    size_t same = strlen(path[0]);
    for (int64_t i = 1; i < count; i++) {
        size_t k = 0;
        while (k < same && path[i][k] == path[0][k]) k++;
        same = k;
    }
    while (same > 0 && path[0][same - 1] != '/') same--;
    return same;
}

/* False: more numbers than are looked at. */
static bool take_apart(char *path, size_t folder, Name *name)
{
    *name = (Name){.path = path, .text = path + folder, .by = -1};
    for (const char *at = name->text; *at;) {
        if (!is_digit(*at)) {
            at++;
            continue;
        }
        if (name->count == NUMBERS) return false;
        Number *number = &name->number[name->count++];
        const char before = at > name->text ? at[-1] : '\0';
        number->sign = before == '-' || before == '+' ? before : '\0';
        number->begin = at;
        number->end = number->after = skip_digits(at);
        if (*number->end == '.' && is_digit(number->end[1])) number->after = skip_digits(number->end + 1);
        at = number->after;
    }
    return true;
}

/* The text before number n, or behind the last one, without the sign of a signed number. */
static size_t text_before(const Name *name, int n, const bool *is_signed, const char **text)
{
    *text = n > 0 ? name->number[n - 1].after : name->text;
    if (n == name->count) return strlen(*text);
    const size_t length = (size_t)(name->number[n].begin - *text);
    return is_signed[n] && name->number[n].sign ? length - 1 : length;
}

static bool have_equal_texts(const Name *a, const Name *b, const bool *is_signed)
{
    for (int n = 0; n <= a->count; n++) {
        const char *of_a, *of_b;
        const size_t length = text_before(a, n, is_signed, &of_a);
        if (length != text_before(b, n, is_signed, &of_b) || strncmp(of_a, of_b, length) != 0) return false;
    }
    return true;
}

/* Whether names differ in numbers alone; is_signed: numbers before which not all names have the same sign or none. */
static bool is_series(int64_t count, Name *name, bool is_signed[NUMBERS])
{
    for (int64_t i = 0; i < count; i++) {
        if (name[i].count != name[0].count) return false;
        for (int n = 0; n < name[i].count; n++)
            if (name[i].number[n].sign != name[0].number[n].sign) is_signed[n] = true;
    }
    for (int64_t i = 0; i < count; i++) {
        name[i].is_signed = is_signed;
        if (!have_equal_texts(&name[0], &name[i], is_signed)) return false;
    }
    return true;
}

/* ---- comparisons ---- */

static bool has_decimals(const Number *number)
{
    return number->after > number->end;
}

static int compare_decimals(const Number *a, const Number *b)
{
    const char *p = a->end + has_decimals(a), *q = b->end + has_decimals(b);
    int order = 0;
    while (order == 0 && (p < a->after || q < b->after)) {
        const char left = p < a->after ? *p++ : '0', right = q < b->after ? *q++ : '0';
        order = (int)left - (int)right;
    }
    return order;
}

static int compare_sizes(const Number *a, const Number *b)
{
    const int order = compare_digits(a->begin, a->end, b->begin, b->end);
    return order != 0 ? order : compare_decimals(a, b);
}

static int compare_numbers(const Name *a, const Name *b, int n)
{
    const Number *of_a = &a->number[n], *of_b = &b->number[n];
    const bool a_below = a->is_signed[n] && of_a->sign == '-', b_below = a->is_signed[n] && of_b->sign == '-';
    const int order = compare_sizes(of_a, of_b);
    if (a_below != b_below) return a_below ? -1 : 1;
    return a_below ? -order : order;
}

static int compare_names(const void *of_a, const void *of_b)
{
    const Name *a = of_a, *b = of_b;
    if (a->by >= 0) return compare_numbers(a, b, a->by);
    for (int n = 0; n < a->count; n++) {
        const int order = compare_numbers(a, b, n);
        if (order != 0) return order;
    }
    return strcmp(a->text, b->text); /* 01 and 1 */
}

/* ---- doubtful orders ---- */

/* 1.2 and 1.10 may be two decimals, or numbers 2 and 10 of 1. */
static SinoStatus check_decimals(const Name *a, const Name *b)
{
    for (int n = 0; n < a->count; n++) {
        const Number *of_a = &a->number[n], *of_b = &b->number[n];
        if (compare_digits(of_a->begin, of_a->end, of_b->begin, of_b->end) != 0) return NULL;
        const int decimals = compare_decimals(of_a, of_b);
        const bool both = has_decimals(of_a) && has_decimals(of_b);
        const int integers = both ? compare_digits(of_a->end + 1, of_a->after, of_b->end + 1, of_b->after) : decimals;
        SINO_CHECK(decimals == 0 || (decimals < 0) == (integers < 0), SINO_BAD_INPUT,
                   "the order of %s and %s is doubtful: their numbers may have decimals, or a point between two "
                   "numbers; allowed: numbers with equally many digits behind the point",
                   a->path, b->path);
        if (decimals != 0) return NULL;
    }
    return NULL;
}

/* Whether the names, as they are sorted, do not rise by number n; *at: the name before the first fall. */
static bool falls(int64_t count, const Name *name, int n, int64_t *at)
{
    for (int64_t i = 0; i + 1 < count; i++) {
        if (compare_numbers(&name[i], &name[i + 1], n) <= 0) continue;
        *at = i;
        return true;
    }
    return false;
}

/* Whether number n tells all names apart. `scratch` has room for them. */
static bool tells_apart(int64_t count, const Name *name, int n, Name *scratch)
{
    memcpy(scratch, name, (size_t)count * sizeof *name);
    for (int64_t i = 0; i < count; i++) scratch[i].by = n;
    qsort(scratch, (size_t)count, sizeof *scratch, compare_names);
    for (int64_t i = 0; i + 1 < count; i++)
        if (compare_numbers(&scratch[i], &scratch[i + 1], n) == 0) return false;
    return true;
}

static SinoStatus check_order(int64_t count, const Name *name, Name *scratch)
{
    for (int64_t i = 0; i + 1 < count; i++) SINO_TRY(check_decimals(&name[i], &name[i + 1]));
    for (int n = 0; n < name[0].count; n++) {
        int64_t at;
        if (!falls(count, name, n, &at) || !tells_apart(count, name, n, scratch)) continue;
        return sino_error(
            SINO_BAD_INPUT,
            "the order of %s and %s is doubtful: their names have several numbers, and number %d orders "
            "the files in another way than those before it; allowed: names of which one number varies, as links "
            "to the files may have",
            name[at].path, name[at + 1].path, n + 1);
    }
    return NULL;
}

/* ---- hexadecimal numbers ---- */

/* Bytes that all names have at the beginning, and at the end behind those. */
static void common_bytes(int64_t count, char *const *name, size_t *front, size_t *back)
{
    *front = *back = strlen(name[0]);
    for (int64_t i = 1; i < count; i++) {
        size_t same = 0;
        while (same < *front && name[i][same] == name[0][same]) same++;
        *front = same;
    }
    while (*front > 0 && isxdigit((unsigned char)name[0][*front - 1])) --*front; /* the number begins here */
    for (int64_t i = 0; i < count; i++) {
        const size_t length = strlen(name[i]), whole = strlen(name[0]);
        size_t same = 0;
        while (same < *back && same < length - *front && name[i][length - 1 - same] == name[0][whole - 1 - same])
            same++;
        *back = same;
    }
    const char *tail = name[0] + strlen(name[0]) - *back;
    while (*back > 0 && isxdigit((unsigned char)*tail)) tail++, --*back;
}

typedef struct Hexadecimal {
    unsigned long long value;
    char *name;
} Hexadecimal;

static int compare_values(const void *of_a, const void *of_b)
{
    const Hexadecimal *a = of_a, *b = of_b;
    if (a->value != b->value) return a->value < b->value ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Whether the names differ in one hexadecimal number, which becomes list[i].value. */
static bool are_hexadecimal(int64_t count, char *const *name, Hexadecimal *list)
{
    size_t front, back;
    common_bytes(count, name, &front, &back);
    for (int64_t i = 0; i < count; i++) {
        const size_t length = strlen(name[i]) - front - back;
        if (length == 0 || length > 15 || strspn(name[i] + front, "0123456789abcdefABCDEF") < length) return false;
        list[i] = (Hexadecimal){strtoull(name[i] + front, NULL, 16), name[i]};
    }
    return true;
}

static SinoStatus sort_texts(int64_t count, char **name, SinoFileOrder *order)
{
    Hexadecimal *list = NULL;
    SINO_TRY(sino_allocate(count, sizeof *list, "file names", &list));
    *order = are_hexadecimal(count, name, list) ? SINO_ORDER_HEXADECIMAL : SINO_ORDER_TEXT;
    if (*order == SINO_ORDER_HEXADECIMAL) {
        qsort(list, (size_t)count, sizeof *list, compare_values);
        for (int64_t i = 0; i < count; i++) name[i] = list[i].name;
    } else {
        qsort(name, (size_t)count, sizeof *name, compare_texts);
    }
    free(list);
    return NULL;
}

static SinoStatus sort_names(int64_t count, char **name, Name *parts, Name *scratch, SinoFileOrder *order)
{
    bool is_signed[NUMBERS] = {false}, few = true;
    const size_t folder = folder_of(count, name);
    for (int64_t i = 0; i < count && few; i++) few = take_apart(name[i], folder, &parts[i]);
    if (!few || !is_series(count, parts, is_signed)) return sort_texts(count, name, order);
    *order = SINO_ORDER_NUMBERS;
    qsort(parts, (size_t)count, sizeof *parts, compare_names);
    for (int64_t i = 0; i < count; i++) name[i] = parts[i].path;
    return check_order(count, parts, scratch);
}

SinoStatus sino_file_order(int64_t count, char **name, SinoFileOrder *order)
{
    Name *parts = NULL, *scratch = NULL;
    *order = SINO_ORDER_NUMBERS;
    if (count < 2) return NULL;
    SINO_TRY(sino_allocate(count, sizeof *parts, "file names", &parts));
    SinoStatus status = sino_allocate(count, sizeof *scratch, "file names", &scratch);
    if (!status) status = sort_names(count, name, parts, scratch, order);
    free(parts);
    free(scratch);
    return status;
}
