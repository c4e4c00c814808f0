/* SPDX-License-Identifier: BSD-3-Clause */
/* Setting values: conversion between text and member, and descriptions of the allowed values. */
#include "settings_table.h"

#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool parse_bytes(const char *text, int64_t *bytes)
{
    static const struct {
        const char *name;
        double bytes;
    } unit[] = {{"", 1},         {"B", 1},        {"KB", 1e3},     {"MB", 1e6},    {"GB", 1e9},
                {"TB", 1e12},    {"K", 0x1p10},   {"M", 0x1p20},   {"G", 0x1p30},  {"T", 0x1p40},
                {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
    const size_t length = strspn(text, ".0123456789");
    double number;
    if (!sino_real_parse(text, length, &number)) return false;
    const char *name = text + length + (text[length] == ' ');
    for (size_t i = 0; i < sizeof unit / sizeof *unit; i++) {
        if (strcasecmp(name, unit[i].name) != 0) continue;
        const double result = floor(number * unit[i].bytes);
        /* Less than one byte would become 0, which means that sinodag chooses. */
        if (result >= 0x1p63 || (result < 1 && number > 0)) return false;
        *bytes = (int64_t)result;
        return true;
    }
    return false;
}

bool sino_setting_is_list(const SinoSetting *row)
{
    const bool counted = row->kind == SINO_SETTING_CHOICES || row->kind == SINO_SETTING_COUNTS ||
                         row->kind == SINO_SETTING_WEIGHTS || row->kind == SINO_SETTING_DEVICES;
    const bool text = row->kind == SINO_SETTING_TEXT;
    return counted || (text && (strcmp(row->operand, "LIST") == 0 || strcmp(row->operand, "ORDER") == 0));
}

unsigned sino_setting_words(const SinoSetting *row)
{
    return row->words ? row->words : ~0u;
}

static bool parse_choice(const SinoSetting *row, const char *text, unsigned *value)
{
    bool flag;
    for (unsigned i = 0; row->choices[i]; i++) {
        if (!(sino_setting_words(row) >> i & 1) || strcasecmp(text, row->choices[i]) != 0) continue;
        *value = i;
        return true;
    }
    if (!sino_flag_parse(text, &flag)) return false;
    const char *const word = flag ? "yes" : "no"; /* other words for the same, as flags have them */
    return strcmp(text, word) != 0 && parse_choice(row, word, value);
}

static bool contains(const SinoCountList *list, int64_t value)
{
    for (int64_t i = 0; i < list->count; i++)
        if (list->value[i] == value) return true;
    return false;
}

/* Parses distinct integers within the row's bounds, separated by commas. */
static bool parse_counts(const SinoSetting *row, const char *text, SinoCountList *list)
{
    SinoCountList result = {0};
    for (const char *at = text;; at++) {
        char word[24];
        const size_t length = strcspn(at, ",");
        int64_t value;
        if (length >= sizeof word || result.count == SINO_COUNTS_MAX) return false;
        memcpy(word, at, length);
        word[length] = '\0';
        if (!sino_integer_parse(word, &value) || !sino_setting_in_range(row, (double)value) || contains(&result, value))
            return false;
        result.value[result.count++] = value;
        at += length;
        if (*at == '\0') break;
    }
    *list = result;
    return true;
}

/* Assigns a value of several numbers. */
static bool assign_shape(const SinoSetting *row, const char *text, char *member)
{
    void *const to = member;
    if (row->kind == SINO_SETTING_GRID) return sino_grid_parse(row, text, to);
    if (row->kind == SINO_SETTING_VOLUME) return sino_volume_parse(row, text, to);
    if (row->kind == SINO_SETTING_TOPOLOGY) return sino_topology_parse(row, text, to);
    if (row->kind == SINO_SETTING_WEIGHTS) return sino_weights_parse(row, text, to);
    if (row->kind == SINO_SETTING_PIXEL) return sino_pixel_parse(row, text, to);
    if (row->kind == SINO_SETTING_CRYSTALS) return sino_crystals_parse(row, text, to);
    if (row->kind == SINO_SETTING_RANGE) return sino_range_parse(row, text, to);
    return sino_devices_parse(row, text, to);
}

/* Assigns an integer; that of an amount is 0 for auto. */
static bool assign_integer(const SinoSetting *row, const char *text, char *member)
{
    int64_t integer = 0;
    const bool chosen = row->kind == SINO_SETTING_AMOUNT && strcmp(text, "auto") == 0;
    const bool parsed =
        chosen || (row->kind == SINO_SETTING_BYTES ? parse_bytes(text, &integer) : sino_integer_parse(text, &integer));
    if (!parsed || !(chosen || sino_setting_in_range(row, (double)integer))) return false;
    memcpy(member, &integer, sizeof integer);
    return true;
}

/* Assigns a value of any kind but text. True: the value is allowed, and was assigned. */
static bool assign_value(const SinoSetting *row, const char *text, char *member)
{
    bool flag;
    unsigned choice;
    double real;
    SinoCountList list;
    switch (row->kind) {
    case SINO_SETTING_FLAG:
        if (!sino_flag_parse(text, &flag)) return false;
        memcpy(member, &flag, sizeof flag);
        return true;
    case SINO_SETTING_CHOICE:
    case SINO_SETTING_CHOICES:
        if (!(row->kind == SINO_SETTING_CHOICE ? parse_choice(row, text, &choice)
                                               : sino_choices_parse(row->choices, text, &choice)))
            return false;
        memcpy(member, &choice, sizeof choice);
        return true;
    case SINO_SETTING_COUNTS:
        if (!parse_counts(row, text, &list)) return false;
        memcpy(member, &list, sizeof list);
        return true;
    case SINO_SETTING_AMOUNT:
    case SINO_SETTING_INTEGER:
    case SINO_SETTING_BYTES:
        return assign_integer(row, text, member);
    case SINO_SETTING_AXIS:
    case SINO_SETTING_REAL:
        if (row->kind == SINO_SETTING_AXIS && strcmp(text, "auto") == 0)
            real = NAN;
        else if (!sino_real_parse(text, strlen(text), &real) || !sino_setting_in_range(row, real))
            return false;
        memcpy(member, &real, sizeof real);
        return true;
    case SINO_SETTING_DURATION:
        if (!sino_duration_parse(text, &real) || !sino_setting_in_range(row, real)) return false;
        memcpy(member, &real, sizeof real);
        return true;
    case SINO_SETTING_GRID:
    case SINO_SETTING_VOLUME:
    case SINO_SETTING_TOPOLOGY:
    case SINO_SETTING_WEIGHTS:
    case SINO_SETTING_PIXEL:
    case SINO_SETTING_CRYSTALS:
    case SINO_SETTING_RANGE:
    case SINO_SETTING_DEVICES:
        return assign_shape(row, text, member);
    case SINO_SETTING_TEXT:
    case SINO_SETTING_REPORT:
    case SINO_SETTING_TUNE:
        break;
    }
    return false;
}

static SinoStatus assign_text(const char *text, char *member)
{
    char *copy = strdup(text);
    SINO_CHECK(copy, SINO_FAILED, "no memory for a setting of %zu bytes", strlen(text));
    char *old;
    memcpy(&old, member, sizeof old);
    free(old);
    memcpy(member, &copy, sizeof copy);
    return NULL;
}

bool sino_report_is_file(const SinoSetting *row, const char *text)
{
    const char *ending = strrchr(text, '.');
    return ending && ending > text && strcmp(ending, row->ending) == 0 && sino_utf8_is_valid(text);
}

/* "yes", a file name, or NULL for no. *known: the value is allowed. */
static SinoStatus assign_report(const SinoSetting *row, const char *text, char *member, bool *known)
{
    bool flag = true;
    const bool named = sino_report_is_file(row, text);
    *known = named || sino_flag_parse(text, &flag);
    if (!*known) return NULL;
    if (flag) return assign_text(named ? text : "yes", member);
    char *old, *none = NULL;
    memcpy(&old, member, sizeof old);
    free(old);
    memcpy(member, &none, sizeof none);
    return NULL;
}

static unsigned count_words(const SinoSetting *row)
{
    unsigned count = 0;
    while (row->choices[count]) count++;
    return count;
}

/* Whether the value is the name of a file that takes the place of a word. */
static bool names_file(const SinoSetting *row, const char *value)
{
    unsigned word;
    return row->file && *value && sino_utf8_is_valid(value) && !parse_choice(row, value, &word);
}

SinoStatus sino_setting_assign(const SinoSetting *row, const char *where, const char *value, SinoSettings *settings)
{
    if (names_file(row, value)) {
        const unsigned choice = count_words(row);
        memcpy((char *)settings + row->offset, &choice, sizeof choice);
        return assign_text(value, (char *)settings + row->file);
    }
    return sino_setting_assign_member(row, where, value, (char *)settings + row->offset);
}

SinoStatus sino_setting_assign_member(const SinoSetting *row, const char *where, const char *value, char *member)
{
    if (row->kind == SINO_SETTING_TEXT && *value && sino_utf8_is_valid(value)) return assign_text(value, member);
    char text[SINO_ALLOWED_SIZE];
    bool known = false;
    if (row->kind == SINO_SETTING_REPORT) SINO_TRY(assign_report(row, value, member, &known));
    SINO_CHECK(known || assign_value(row, value, member), SINO_BAD_INPUT, "%s is '%s'; allowed: %s", where, value,
               sino_setting_allowed(row, text));
    return NULL;
}

SinoStatus sino_settings_remark(SinoSettings *settings, const char *remark)
{
    char *longer = NULL;
    const char *old = settings->remarks ? settings->remarks : "";
    SINO_CHECK(asprintf(&longer, "%s%s%s", old, *old ? "; " : "", remark) >= 0, SINO_FAILED, "no memory for a remark");
    free(settings->remarks);
    settings->remarks = longer;
    return NULL;
}

static SinoStatus add_remark(const char *where, const char *value, const char *remark, SinoSettings *settings)
{
    char *line = NULL;
    SINO_CHECK(asprintf(&line, "%s is %s; %s", where, value, remark) >= 0, SINO_FAILED, "no memory for a remark");
    SinoStatus status = sino_settings_remark(settings, line);
    free(line);
    return status;
}

SinoStatus sino_setting_assign_given(const SinoSetting *row, const char *where, const char *value,
                                     SinoSettings *settings)
{
    const SinoPeerValue *peer = sino_peer_value(row, value);
    if (!peer) return sino_setting_assign(row, where, value, settings);
    if (peer->value) {
        SINO_TRY(sino_setting_assign(row, where, peer->value, settings));
        return peer->answer ? add_remark(where, value, peer->answer, settings) : NULL;
    }
    SinoStatus status = sino_setting_assign(row, where, value, settings);
    if (!status) return NULL;
    SinoStatus answered = sino_error(SINO_BAD_INPUT, "%s (%s)", sino_status_text(status), peer->answer);
    sino_status_free(status);
    return answered;
}

enum { RANGE_SIZE = 72 };

/* "from 0 to 1", "above 0 and below 2" … */
static const char *range_text(const SinoSetting *row, char text[RANGE_SIZE])
{
    if (!row->low_excluded && !row->high_excluded)
        snprintf(text, RANGE_SIZE, "from %.16g to %.16g", row->low, row->high);
    else
        snprintf(text, RANGE_SIZE, "%s %.16g and %s %.16g", row->low_excluded ? "above" : "at least", row->low,
                 row->high_excluded ? "below" : "at most", row->high);
    return text;
}

static const char *text_noun(const SinoSetting *row)
{
    if (strcmp(row->operand, "FILE") == 0) return "file name";
    if (sino_setting_is_list(row)) return "list of different names with commas between them";
    if (strcmp(row->operand, "ANGLES") == 0) return "file name or range";
    if (strcmp(row->operand, "IMAGES") == 0) return "file, folder or pattern";
    return strcmp(row->operand, "DIR") == 0 ? "directory name" : "name";
}

/* What is allowed of a setting, by its kind; of the kinds that are not here sino_setting_allowed tells. %s: the range.
 */
static const char *const allowed_texts[] = {
    [SINO_SETTING_FLAG] = "yes or no",
    [SINO_SETTING_INTEGER] = "an integer %s",
    [SINO_SETTING_AMOUNT] = "auto or an integer %s",
    [SINO_SETTING_REAL] = "a number %s",
    [SINO_SETTING_DURATION] = "none, or a time such as 90s, 10min or 1.5h",
    [SINO_SETTING_AXIS] = "auto or a number %s",
    [SINO_SETTING_GRID] = "auto or two integers such as 2x3, each %s",
    [SINO_SETTING_VOLUME] = "auto, or two or three integers such as 256x256, each %s",
    [SINO_SETTING_TOPOLOGY] = "auto, or some of nodes=N,sockets=N,workers=N, N an integer %.48s",
    [SINO_SETTING_PIXEL] = "a number such as 0.2, or two such as 0.2x0.25, %s",
    [SINO_SETTING_CRYSTALS] = "three integers such as 24x4x4, each %s",
    [SINO_SETTING_RANGE] = "auto, or MIN:MAX such as -0.1:1.5, MIN below MAX, each %s",
    [SINO_SETTING_TUNE] = "NAME=VALUE, with commas between several"};

const char *sino_setting_allowed(const SinoSetting *row, char text[SINO_ALLOWED_SIZE])
{
    char range[RANGE_SIZE], words[SINO_ALLOWED_SIZE];
    switch (row->kind) {
    case SINO_SETTING_CHOICE:
        if (!row->file) return sino_words_join(row->choices, sino_setting_words(row), "or", text);
        snprintf(text, SINO_ALLOWED_SIZE, "%.96s, or a file name in UTF-8",
                 sino_words_join(row->choices, sino_setting_words(row), "or", words));
        break;
    case SINO_SETTING_REPORT:
        snprintf(text, SINO_ALLOWED_SIZE, "yes, no, or a file name that ends in %s", row->ending);
        break;
    case SINO_SETTING_CHOICES:
        snprintf(text, SINO_ALLOWED_SIZE, "all, or one or more of %.64s, separated by commas",
                 sino_words_join(row->choices, ~0u, "and", words));
        break;
    case SINO_SETTING_COUNTS:
        snprintf(text, SINO_ALLOWED_SIZE, "1 to %d different integers %s, separated by commas", SINO_COUNTS_MAX,
                 range_text(row, range));
        break;
    case SINO_SETTING_TEXT:
        snprintf(text, SINO_ALLOWED_SIZE, "a %s in UTF-8", text_noun(row));
        break;
    case SINO_SETTING_BYTES:
        snprintf(text, SINO_ALLOWED_SIZE, "a size such as 512MiB, 2G or 1.5GB, from 0 to %.0f TiB", row->high / 0x1p40);
        break;
    case SINO_SETTING_WEIGHTS:
        snprintf(text, SINO_ALLOWED_SIZE, "1 to %d numbers %s, separated by commas%s", sino_setting_item_most(row),
                 range_text(row, range), row->choices ? ", or auto" : "");
        break;
    case SINO_SETTING_DEVICES:
        snprintf(text, SINO_ALLOWED_SIZE, "different ones, separated by commas, of all and %.48s joined by +",
                 sino_words_join(row->choices, ~0u, "and", words));
        break;
    default:
        snprintf(text, SINO_ALLOWED_SIZE, allowed_texts[row->kind], range_text(row, range));
    }
    return text;
}

bool sino_setting_is_unset(const SinoSetting *row, const SinoSettings *settings)
{
    if (row->fallback) return false;
    int64_t bits;
    _Static_assert(sizeof bits == sizeof(char *) && sizeof bits == sizeof(double),
                   "a text or a number without default");
    memcpy(&bits, (const char *)settings + row->offset, sizeof bits);
    return bits == 0;
}

/* Prints text in double quotes, and escapes the characters that YAML would change. */
static void print_quoted(const char *text, FILE *out)
{
    uint32_t code;
    fputc('"', out);
    for (int length; *text && (length = sino_utf8_decode(text, &code)) > 0; text += length) {
        const bool plain = (code >= 0x20 && code < 0x7F) || (code >= 0xA0 && code < 0xFFFE) || code > 0xFFFF;
        if (code == '"' || code == '\\')
            fprintf(out, "\\%c", (char)code);
        else if (plain && code != 0x2028 && code != 0x2029 && code != 0xFEFF)
            fwrite(text, 1, (size_t)length, out);
        else
            fprintf(out, "\\U%08" PRIX32, code);
    }
    fputc('"', out);
}

static void print_counts(const SinoCountList *list, FILE *out)
{
    for (int64_t i = 0; i < list->count; i++) fprintf(out, "%s%" PRId64, i ? "," : "", list->value[i]);
}

/* A setting of several numbers. */
static void print_shape(const SinoSetting *row, const void *member, FILE *out)
{
    if (row->kind == SINO_SETTING_GRID) sino_grid_print(member, out);
    if (row->kind == SINO_SETTING_VOLUME) sino_volume_print(member, out);
    if (row->kind == SINO_SETTING_TOPOLOGY) sino_topology_print(member, out);
    if (row->kind == SINO_SETTING_WEIGHTS) sino_weights_print(member, out);
    if (row->kind == SINO_SETTING_PIXEL) sino_pixel_print(member, out);
    if (row->kind == SINO_SETTING_CRYSTALS) sino_crystals_print(member, out);
    if (row->kind == SINO_SETTING_RANGE) sino_range_print(member, out);
    if (row->kind == SINO_SETTING_DEVICES) sino_devices_print(member, out);
}

/* A text in quotes, or yes, no or the file of a report. */
static void print_words(const SinoSetting *row, const char *member, FILE *out)
{
    char *text;
    memcpy(&text, member, sizeof text);
    if (row->kind == SINO_SETTING_TEXT || (text && sino_report_is_file(row, text)))
        print_quoted(text, out);
    else
        fputs(text ? text : "no", out);
}

static void print_integer(const SinoSetting *row, const char *member, FILE *out)
{
    int64_t integer;
    memcpy(&integer, member, sizeof integer);
    if (row->kind == SINO_SETTING_AMOUNT && integer == 0)
        fputs("auto", out);
    else
        fprintf(out, "%" PRId64, integer);
}

const char *sino_setting_file(const SinoSetting *row, const SinoSettings *settings)
{
    unsigned choice = 0;
    char *file = NULL;
    if (row->file) memcpy(&choice, (const char *)settings + row->offset, sizeof choice);
    if (row->file && !row->choices[choice]) memcpy(&file, (const char *)settings + row->file, sizeof file);
    return file;
}

void sino_setting_print(const SinoSetting *row, const SinoSettings *settings, FILE *out)
{
    const char *member = (const char *)settings + row->offset;
    bool flag;
    unsigned choice;
    double real;
    SinoCountList list;
    switch (row->kind) {
    case SINO_SETTING_FLAG:
        memcpy(&flag, member, sizeof flag);
        fputs(flag ? "yes" : "no", out);
        break;
    case SINO_SETTING_CHOICE:
        memcpy(&choice, member, sizeof choice);
        if (row->file && !row->choices[choice])
            print_quoted(sino_setting_file(row, settings), out);
        else
            fputs(row->choices[choice], out);
        break;
    case SINO_SETTING_CHOICES:
        memcpy(&choice, member, sizeof choice);
        sino_choices_print(row->choices, choice, out);
        break;
    case SINO_SETTING_COUNTS:
        memcpy(&list, member, sizeof list);
        print_counts(&list, out);
        break;
    case SINO_SETTING_AMOUNT:
    case SINO_SETTING_INTEGER:
    case SINO_SETTING_BYTES:
        print_integer(row, member, out);
        break;
    case SINO_SETTING_REAL:
    case SINO_SETTING_AXIS:
        memcpy(&real, member, sizeof real);
        if (isnan(real))
            fputs("auto", out);
        else
            sino_real_print(real, out);
        break;
    case SINO_SETTING_DURATION:
        memcpy(&real, member, sizeof real);
        sino_duration_print(real, out);
        break;
    case SINO_SETTING_TEXT:
    case SINO_SETTING_REPORT:
        print_words(row, member, out);
        break;
    case SINO_SETTING_GRID:
    case SINO_SETTING_VOLUME:
    case SINO_SETTING_TOPOLOGY:
    case SINO_SETTING_WEIGHTS:
    case SINO_SETTING_PIXEL:
    case SINO_SETTING_CRYSTALS:
    case SINO_SETTING_RANGE:
    case SINO_SETTING_DEVICES:
        print_shape(row, member, out);
        break;
    case SINO_SETTING_TUNE:
        break;
    }
}
