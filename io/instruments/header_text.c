/* SPDX-License-Identifier: BSD-3-Clause */
/* Header text: the lines of a scanner's header, "name = value" below "[section]", and tables of angles. */
#include "scanner_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "files.h"
#include "memory.h"
#include "numbers.h"

enum { TEXT_BYTES = 16 << 20 };

/* Keeps the low bytes of UTF-16; whatever is beyond Latin-1 becomes '?'. */
static int64_t narrow(char *text, int64_t bytes, bool big)
{
    int64_t length = 0;
    for (int64_t i = 2; i + 1 < bytes; i += 2) {
        const char low = text[big ? i + 1 : i], high = text[big ? i : i + 1];
        text[length++] = high ? '?' : low;
    }
    text[length] = '\0';
    return length;
}

static int64_t decode(char *text, int64_t bytes)
{
    if (bytes >= 2 && memcmp(text, "\xff\xfe", 2) == 0) return narrow(text, bytes, false);
    if (bytes >= 2 && memcmp(text, "\xfe\xff", 2) == 0) return narrow(text, bytes, true);
    const int64_t mark = sino_text_mark_bytes(text, bytes);
    memmove(text, text + mark, (size_t)(bytes - mark + 1));
    return bytes - mark;
}

SinoStatus sino_header_text_read(const char *path, SinoHeaderText *text)
{
    int descriptor;
    int64_t bytes;
    *text = (SinoHeaderText){.path = path, .c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    SINO_CHECK(text->c_locale, SINO_FAILED, "no memory for a locale");
    SINO_TRY(sino_regular_open(path, &descriptor, &bytes));
    SinoStatus status = NULL;
    if (bytes > TEXT_BYTES)
        status = sino_error(SINO_BAD_INPUT, "%s has %" PRId64 " bytes; allowed in a header: %d", path, bytes,
                            (int)TEXT_BYTES);
    if (!status) status = sino_allocate(bytes + 1, 1, "a header", &text->text);
    if (!status) status = sino_regular_read(path, descriptor, 0, bytes, text->text);
    close(descriptor);
    if (status) return status;
    const int64_t length = decode(text->text, bytes);
    SINO_CHECK((int64_t)strlen(text->text) == length, SINO_BAD_INPUT, "%s is no text; allowed: a header of lines",
               path);
    return NULL;
}

void sino_header_text_clear(SinoHeaderText *text)
{
    free(text->text);
    if (text->c_locale) freelocale(text->c_locale);
    *text = (SinoHeaderText){.path = NULL};
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

static size_t line_length(const char *line)
{
    return strcspn(line, "\r\n");
}

static const char *next_line(const char *line)
{
    const char *end = line + line_length(line);
    return end + strspn(end, "\r\n");
}

/* Whether the line is "[section]", or "<section>" of North Star. */
static bool is_section(const char *line, const char *section)
{
    const size_t length = strlen(section);
    return strncasecmp(line + 1, section, length) == 0 && line[length + 1] == (line[0] == '[' ? ']' : '>');
}

/* Whether a line is below the section, by whether the one before it was. */
static bool is_inside(const char *line, const char *section, bool inside)
{
    if (!section) return true;
    if (line[0] == '[') return is_section(line, section);
    if (line[0] == '<' && line[1] == '/') return inside && !is_section(line + 1, section);
    return inside || (line[0] == '<' && is_section(line, section));
}

/* The value in a line of this name, in capitals or not; NULL: it has another one. North Star's lines are
 * "<name>value". */
static const char *value_of(const char *line, const char *name)
{
    const size_t length = strlen(name);
    if (*line == '<') line++;
    if (strncasecmp(line, name, length) != 0) return NULL;
    const char *sign = skip_blanks(line + length);
    return *sign && strchr("=:>", *sign) ? skip_blanks(sign + 1) : NULL;
}

static bool copy_value(const char *from, char value[SINO_HEADER_VALUE])
{
    size_t length = line_length(from);
    while (length > 0 && (from[length - 1] == ' ' || from[length - 1] == '\t')) length--;
    if (length >= 2 && from[0] == '"' && from[length - 1] == '"') {
        from++;
        length -= 2;
    }
    if (length == 0 || length >= SINO_HEADER_VALUE) return false;
    memcpy(value, from, length);
    value[length] = '\0';
    return true;
}

bool sino_header_find(const SinoHeaderText *text, const char *section, const char *name, char value[SINO_HEADER_VALUE])
{
    bool inside = false;
    for (const char *line = text->text; line && *line; line = next_line(line)) {
        const char *begin = skip_blanks(line);
        inside = is_inside(begin, section, inside);
        const char *found = inside ? value_of(begin, name) : NULL;
        if (found && copy_value(found, value)) return true;
    }
    return false;
}

bool sino_header_flag(const SinoHeaderText *text, const char *section, const char *name)
{
    static const char *const words[] = {"yes", "true", "on", "1"};
    char value[SINO_HEADER_VALUE];
    if (!sino_header_find(text, section, name, value)) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncasecmp(value, words[i], strlen(words[i])) == 0) return true;
    return false;
}

/* What follows a number ends it: blanks, or a comment. */
static bool ends(const char *at)
{
    at = skip_blanks(at);
    return *at == '\0' || *at == '#' || *at == ';';
}

SinoStatus sino_header_real(const SinoHeaderText *text, const char *section, const char *name, double low, double high,
                            double *value)
{
    char word[SINO_HEADER_VALUE];
    double number = NAN;
    if (!sino_header_find(text, section, name, word)) return NULL;
    const char *rest = sino_text_double(word, text->c_locale, &number);
    SINO_CHECK(rest && ends(rest) && number >= low && number <= high, SINO_BAD_INPUT,
               "%s: %s is '%.64s'; allowed: a number from %g to %g", text->path, name, word, low, high);
    *value = number;
    return NULL;
}

SinoStatus sino_header_count(const SinoHeaderText *text, const char *section, const char *name, int64_t high,
                             int64_t *value)
{
    double number = NAN;
    SINO_TRY(sino_header_real(text, section, name, 0, (double)high, &number));
    if (isnan(number)) return NULL;
    SINO_CHECK(number == floor(number), SINO_BAD_INPUT, "%s: %s is %g; allowed: an integer from 0 to %" PRId64,
               text->path, name, number, high);
    *value = (int64_t)number;
    return NULL;
}

SinoStatus sino_header_reals(const SinoHeaderText *text, const char *section, const char *name, int count,
                             double *value, bool *found)
{
    char word[SINO_HEADER_VALUE];
    *found = sino_header_find(text, section, name, word);
    const char *at = word;
    for (int i = 0; i < count && *found; i++) {
        at = sino_text_double(skip_blanks(at), text->c_locale, &value[i]);
        SINO_CHECK(at && isfinite(value[i]) && (i + 1 < count || ends(at)), SINO_BAD_INPUT,
                   "%s: %s is '%.64s'; allowed: %d numbers", text->path, name, word, count);
    }
    return NULL;
}

/* The number in the column of a line; false: it is no line of numbers. */
static bool column_of(const SinoHeaderText *text, const char *line, int column, double *value)
{
    const char *at = skip_blanks(line);
    *value = NAN;
    if (*at < '0' || *at > '9') return false;
    for (int i = 0; i <= column; i++) {
        at = sino_text_double(at, text->c_locale, value);
        if (!at) return false;
        at += strspn(at, " \t:");
    }
    return isfinite(*value);
}

SinoStatus sino_header_column(const SinoHeaderText *text, int column, int64_t most, int64_t *count, double **value)
{
    double number;
    int64_t lines = 0, at = 0;
    for (const char *line = text->text; *line; line = next_line(line)) lines += column_of(text, line, column, &number);
    SINO_CHECK(lines <= most, SINO_BAD_INPUT, "%s has %" PRId64 " lines of numbers; allowed: up to %" PRId64,
               text->path, lines, most);
    SINO_TRY(sino_allocate(lines, sizeof **value, "a column of numbers", value));
    for (const char *line = text->text; *line; line = next_line(line))
        if (column_of(text, line, column, &number)) (*value)[at++] = number;
    *count = lines;
    return NULL;
}
