/* SPDX-License-Identifier: BSD-3-Clause */
/* Angle list: the angles of --theta, from text, raw values or a range. */
#include "angle_list.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "memory.h"
#include "npy.h"
#include "numbers.h"
#include "paths.h"
#include "scan_limits.h"

static const int64_t file_bytes_max = (int64_t)64 << 20;

static const char *const text_endings[] = {".txt", ".csv", NULL};
static const char *const raw_endings[] = {".bin", ".raw", ".f32", NULL};

/* The bytes of a file, and the angles found in them. */
typedef struct Angles {
    const char *path, *column; /* column NULL: the one named as angles are, or the only one; not owned */
    char *bytes;               /* size + 1 bytes, the last one is NUL; owned */
    int64_t size, count;
    double *angle_rad;   /* owned */
    SinoAngleUnit *unit; /* not owned; auto becomes radians if a file says so */
} Angles;

static SinoStatus read_bytes(Angles *angles, int descriptor, int64_t size)
{
    SINO_CHECK(size <= file_bytes_max, SINO_BAD_INPUT, "%s has %" PRId64 " bytes; allowed for angles: up to %" PRId64,
               angles->path, size, file_bytes_max);
    SINO_TRY(sino_allocate(size + 1, 1, "angles", &angles->bytes));
    SINO_TRY(sino_regular_read(angles->path, descriptor, 0, size, angles->bytes));
    angles->size = size;
    return NULL;
}

static SinoStatus load_file(Angles *angles)
{
    int descriptor;
    int64_t size;
    SINO_TRY(sino_regular_open(angles->path, &descriptor, &size));
    SinoStatus status = read_bytes(angles, descriptor, size);
    close(descriptor);
    return status;
}

/* The columns of a text file. */
typedef struct Columns {
    int count, angle; /* angle: the one of the angles */
    double rad;       /* of its unit */
} Columns;

enum { FIELD = 64 };

/* Takes a field of a line without the blanks around it; false: the line has ended. Fields end with , ; or a tabulator,
 * if the line has one of them, else with blanks. */
static bool next_field(const char **line, const char *between, char field[FIELD])
{
    const char *const blanks = " \v\f";
    *line += strspn(*line, blanks);
    if (!**line) return false;
    size_t length = strcspn(*line, between);
    const char *rest = *line + length;
    while (length > 0 && strchr(blanks, (*line)[length - 1])) length--;
    snprintf(field, FIELD, "%.*s", (int)(length < FIELD ? length : FIELD), *line);
    *line = rest + (*rest != '\0');
    return true;
}

static const char *between_fields(const char *line)
{
    return strpbrk(line, ",;\t") ? ",;\t" : " \v\f";
}

static bool is_number(const char *field, double *value)
{
    char *end;
    *value = strtod(field, &end);
    return end != field && *end == '\0' && isfinite(*value);
}

static bool is_wanted(const Angles *angles, const char *field)
{
    return angles->column ? strcasecmp(field, angles->column) == 0 : sino_angle_in_name(field);
}

/* How many columns of the header, which may be NULL, are wanted; *columns: the last one of them. */
static int find_angles(const Angles *angles, const char *header, SinoAngleUnit *unit, Columns *columns)
{
    char field[FIELD];
    int found = 0;
    columns->count = columns->angle = 0;
    if (!header) return 0;
    const char *between = between_fields(header);
    for (; next_field(&header, between, field); columns->count++) {
        if (!is_wanted(angles, field)) continue;
        found++;
        columns->angle = columns->count;
        if (*unit == SINO_ANGLE_UNIT_AUTO && sino_angle_unit_in_name(field)) *unit = SINO_ANGLE_UNIT_RADIANS;
    }
    return found;
}

static SinoStatus find_columns(const Angles *angles, const char *header, const char *first, Columns *columns)
{
    char field[FIELD];
    int count = 0;
    const char *between = between_fields(first);
    while (next_field(&first, between, field)) count++;
    SinoAngleUnit unit = *angles->unit;
    const bool named = find_angles(angles, header, &unit, columns) == 1 && columns->count == count;
    SINO_CHECK(named || !angles->column, SINO_BAD_INPUT,
               "%s has no column '%s' beside %d in all%s%.120s; allowed: one of them", angles->path, angles->column,
               count, header ? ", which are " : "; its first line does not name any", header ? header : "");
    SINO_CHECK(
        named || count == 1, SINO_BAD_INPUT,
        "%s has %d columns; allowed: one angle per line, or a first line that names the columns, one of them, and "
        "only one, angle or theta",
        angles->path, count);
    if (named) *angles->unit = unit;
    *columns = (Columns){.count = count,
                         .angle = named ? columns->angle : 0,
                         .rad = sino_angle_unit_rad(*angles->unit, SINO_ANGLE_UNIT_DEGREES)};
    return NULL;
}

static SinoStatus parse_line(const Angles *angles, int64_t line, const char *text, const Columns *columns,
                             double *angle_rad)
{
    char field[FIELD];
    const char *at = text, *between = between_fields(text);
    double value = NAN;
    bool number = false;
    int count = 0;
    for (; next_field(&at, between, field); count++)
        if (count == columns->angle) number = is_number(field, &value);
    SINO_CHECK(number && count == columns->count, SINO_BAD_INPUT,
               "%s: line %" PRId64 " is '%.60s'; allowed: one angle in degrees, or a # comment; a first line may "
               "name columns, one of them angle or theta",
               angles->path, line, text);
    *angle_rad = value * columns->rad;
    return NULL;
}

/* Cuts the comment off a line; whether anything is left. */
static bool cut_comment(char *text, const char **comment)
{
    const size_t length = strcspn(text, "#\r");
    *comment = text[length] == '#' ? text + length + 1 : NULL;
    text[length] = '\0';
    return text[strspn(text, " \t\v\f")] != '\0';
}

/* A line before the first angle names columns, if it names angles and holds no number first; so may a comment. */
static SinoStatus take_line(Angles *angles, int64_t line, char *text, const char **header, Columns *columns)
{
    const char *comment, *at = text;
    char field[FIELD];
    double first;
    const bool filled = cut_comment(text, &comment);
    if (comment && columns->count == 0) *header = comment;
    if (!filled) return NULL;
    text += strspn(text, " \t\v\f");
    if (columns->count == 0) {
        const bool number = next_field(&at, between_fields(text), field) && is_number(field, &first);
        if (!number && (angles->column || sino_angle_in_name(text))) {
            *header = text;
            return NULL;
        }
        SINO_TRY(find_columns(angles, *header, text, columns));
    }
    return parse_line(angles, line, text, columns, &angles->angle_rad[angles->count++]);
}

/* The text begins behind a mark of so many bytes. */
static SinoStatus parse_text(Angles *angles, int64_t mark)
{
    int64_t lines = 1;
    const char *header = NULL;
    Columns columns = {0};
    for (int64_t i = 0; i < angles->size; i++) lines += angles->bytes[i] == '\n';
    SINO_CHECK(lines <= SINO_IMAGES_MAX, SINO_BAD_INPUT, "%s has %" PRId64 " lines; allowed: up to %d", angles->path,
               lines, (int)SINO_IMAGES_MAX);
    SINO_TRY(sino_allocate(lines, sizeof *angles->angle_rad, "angles", &angles->angle_rad));
    char *text = angles->bytes + mark;
    for (int64_t line = 1; line <= lines; line++) {
        const size_t length = strcspn(text, "\n");
        text[length] = '\0';
        SINO_TRY(take_line(angles, line, text, &header, &columns));
        text += length + 1;
    }
    SINO_CHECK(angles->count > 0, SINO_BAD_INPUT, "%s has no angles; allowed: one per line, in degrees", angles->path);
    return NULL;
}

static SinoStatus parse_raw(Angles *angles)
{
    const int64_t count = angles->size / 4;
    SINO_CHECK(angles->size > 0 && angles->size % 4 == 0, SINO_BAD_INPUT,
               "%s has %" PRId64 " bytes; allowed: 4 for each angle (float32 radians), of one angle or more",
               angles->path, angles->size);
    SINO_CHECK(count <= SINO_IMAGES_MAX, SINO_BAD_INPUT, "%s has %" PRId64 " angles; allowed: up to %d", angles->path,
               count, (int)SINO_IMAGES_MAX);
    SINO_TRY(sino_allocate(count, sizeof *angles->angle_rad, "angles", &angles->angle_rad));
    const double rad = sino_angle_unit_rad(*angles->unit, SINO_ANGLE_UNIT_RADIANS);
    for (int64_t k = 0; k < count; k++) {
        float angle;
        memcpy(&angle, angles->bytes + k * 4, sizeof angle);
        SINO_CHECK(isfinite(angle), SINO_BAD_INPUT,
                   "%s: angle %" PRId64 " is %f; allowed: finite float32 values in radians", angles->path, k,
                   (double)angle);
        angles->angle_rad[k] = rad * (double)angle;
    }
    angles->count = count;
    return NULL;
}

/* Radians, as the package for Python takes them. */
static SinoStatus parse_npy(Angles *angles)
{
    SinoNpy npy;
    SINO_TRY(sino_npy_parse(angles->path, angles->bytes, angles->size, &npy));
    const bool numbers = sino_npy_is_number(&npy) && npy.kind != SINO_NPY_BOOL;
    SINO_CHECK(numbers && sino_npy_is_list(&npy) && npy.count <= SINO_IMAGES_MAX, SINO_BAD_INPUT,
               "%s holds %" PRId64
               " values of type %s in %d dimensions; allowed for angles: a list of 1 to %d numbers, "
               "in radians",
               angles->path, npy.count, npy.stored_type, npy.rank, (int)SINO_IMAGES_MAX);
    SINO_CHECK(angles->size - npy.header_bytes >= sino_npy_bytes(&npy), SINO_BAD_INPUT,
               "%s is cut: it has %" PRId64 " of the %" PRId64 " bytes of its values", angles->path,
               angles->size - npy.header_bytes, sino_npy_bytes(&npy));
    SINO_TRY(sino_allocate(npy.count, sizeof *angles->angle_rad, "angles", &angles->angle_rad));
    sino_npy_doubles(&npy, angles->bytes + npy.header_bytes, npy.count, angles->angle_rad);
    const double rad = sino_angle_unit_rad(*angles->unit, SINO_ANGLE_UNIT_RADIANS);
    for (int64_t k = 0; k < npy.count; k++) {
        SINO_CHECK(isfinite(angles->angle_rad[k]), SINO_BAD_INPUT,
                   "%s: angle %" PRId64 " is %f; allowed: finite numbers, in radians", angles->path, k,
                   angles->angle_rad[k]);
        angles->angle_rad[k] *= rad;
    }
    angles->count = npy.count;
    return NULL;
}

static SinoStatus parse_file(Angles *angles)
{
    SINO_TRY(load_file(angles));
    if (!angles->column && sino_npy_probe(angles->bytes, angles->size)) return parse_npy(angles);
    const int64_t mark = sino_text_mark_bytes(angles->bytes, angles->size);
    const bool text = sino_text_probe(angles->bytes + mark, angles->size - mark);
    SINO_CHECK(text || !angles->column, SINO_BAD_INPUT, "%s is no text, which could have a column '%s'", angles->path,
               angles->column);
    SINO_CHECK(
        text || angles->size == 0 || !sino_file_name_ends(angles->path, text_endings), SINO_BAD_INPUT,
        "%s has other bytes than text; allowed: ASCII text of degrees, or raw float32 radians under another name",
        angles->path);
    SINO_CHECK(!text || !sino_file_name_ends(angles->path, raw_endings), SINO_BAD_INPUT,
               "%s holds text; allowed: raw float32 radians, or text of degrees under another name, such as .txt",
               angles->path);
    return text ? parse_text(angles, mark) : parse_raw(angles);
}

/* Reads digits at *text that the character `after` follows. False: the text differs. */
static bool take_integer(const char **text, char after, int64_t *value)
{
    char *end;
    if (!isdigit((unsigned char)**text)) return false;
    errno = 0;
    *value = strtoll(*text, &end, 10);
    if (errno || *end != after) return false;
    *text = end + 1;
    return true;
}

/* Splits "NAME[A:B]" into the name, which the caller frees, and the selection. *name NULL: the text has no selection.
 */
static SinoStatus split_selection(const char *theta, char **name, int64_t *first, int64_t *end)
{
    const char *bracket = strrchr(theta, '['), *at = bracket ? bracket + 1 : NULL;
    *name = NULL;
    if (!bracket || bracket == theta || !take_integer(&at, ':', first) || !take_integer(&at, ']', end) || *at)
        return NULL;
    *name = strndup(theta, (size_t)(bracket - theta));
    SINO_CHECK(*name, SINO_FAILED, "no memory for a file name");
    return NULL;
}

static SinoStatus select_angles(const char *theta, int64_t first, int64_t end, Angles *angles)
{
    SINO_CHECK(angles->angle_rad && first < end && end <= angles->count, SINO_BAD_INPUT,
               "theta is '%s'; allowed: from 0 to %" PRId64 ", the angles of %s, the start below the end", theta,
               angles->count, angles->path);
    memmove(angles->angle_rad, angles->angle_rad + first, (size_t)(end - first) * sizeof *angles->angle_rad);
    angles->count = end - first;
    return NULL;
}

/* A range as --theta spells it. */
typedef struct Range {
    double first, second;
    enum { INCLUDED, EXCLUDED, STEP } kind;
} Range;

static bool take_number(const char **text, double *value)
{
    char *end;
    if (!(isdigit((unsigned char)**text) || **text == '-' || **text == '+' || **text == '.')) return false;
    *value = strtod(*text, &end);
    const bool number = end != *text && isfinite(*value);
    *text = end;
    return number;
}

static bool parse_range(const char *text, Range *range)
{
    if (!take_number(&text, &range->first) || *text++ != ':') return false;
    range->kind = INCLUDED;
    if (strncmp(text, "step:", 5) == 0) {
        range->kind = STEP;
        text += 5;
    }
    if (!take_number(&text, &range->second)) return false;
    if (range->kind == INCLUDED && strcmp(text, ":excluded") == 0) {
        range->kind = EXCLUDED;
        text = "";
    }
    return *text == '\0';
}

static SinoStatus make_range(const char *theta, const Range *range, int64_t projections, Angles *angles)
{
    SINO_CHECK(projections > 0, SINO_BAD_INPUT,
               "theta is the range '%s'; allowed with raw sinograms and --follow: a file of angles, which tells how "
               "many there are",
               theta);
    SINO_CHECK(projections > 1 || range->kind != INCLUDED, SINO_BAD_INPUT,
               "theta is '%s' for one projection; allowed: FIRST:step:STEP, or FIRST:END:excluded", theta);
    SINO_CHECK(range->kind == STEP ? range->second != 0 : range->second != range->first, SINO_BAD_INPUT,
               "theta is '%s', which gives every projection the same angle; allowed: FIRST:LAST, FIRST:END:excluded or "
               "FIRST:step:STEP of different angles",
               theta);
    SINO_TRY(sino_allocate(projections, sizeof *angles->angle_rad, "angles", &angles->angle_rad));
    const double span = range->second - range->first;
    const double rad = sino_angle_unit_rad(*angles->unit, SINO_ANGLE_UNIT_DEGREES);
    const double steps = (double)(range->kind == INCLUDED ? projections - 1 : projections);
    for (int64_t k = 0; k < projections; k++) {
        const double away = range->kind == STEP ? (double)k * range->second : (double)k * span / steps;
        angles->angle_rad[k] = (range->first + away) * rad;
    }
    angles->count = projections;
    return NULL;
}

static SinoStatus check_count(const char *theta, int64_t projections, const Angles *angles)
{
    if (projections == 0 || angles->count == projections) return NULL;
    return sino_error(
        SINO_BAD_INPUT, "theta is '%s' of %" PRId64 " angles for %" PRId64 " projections; allowed: as many%s%s%s",
        theta, angles->count, projections, angles->count > projections ? ", or a part of them, as '" : "",
        angles->count > projections ? angles->path : "", angles->count > projections ? "[FIRST:END]'" : "");
}

/* The texts of a value that are made of others; owned. */
typedef struct Parts {
    char *name, *file, *column;
} Parts;

/* Splits FILE:COLUMN, if there is such a file. */
static SinoStatus split_column(const char *theta, Parts *parts, Angles *angles)
{
    if (sino_path_kind(angles->path) != SINO_PATH_ABSENT) return NULL;
    char *file = NULL, *column = NULL;
    sino_status_free(sino_inner_path_split(angles->path, &file, &column));
    *parts = (Parts){.name = parts->name, .file = file, .column = column};
    SINO_CHECK(parts->column, SINO_BAD_INPUT,
               "theta is '%s', and there is no such file; allowed: a file, FILE:COLUMN, or a range of degrees such as "
               "0:180 (FIRST:LAST), FIRST:END:excluded or FIRST:step:STEP",
               theta);
    angles->path = parts->file;
    angles->column = parts->column;
    return NULL;
}

static SinoStatus read_angles(const char *theta, int64_t projections, Parts *parts, Angles *angles)
{
    int64_t first = 0, end = 0;
    Range range;
    angles->path = theta;
    if (sino_path_kind(theta) == SINO_PATH_ABSENT) {
        if (parse_range(theta, &range)) return make_range(theta, &range, projections, angles);
        SINO_TRY(split_selection(theta, &parts->name, &first, &end));
        if (parts->name) angles->path = parts->name;
        SINO_TRY(split_column(theta, parts, angles));
    }
    SINO_TRY(parse_file(angles));
    if (parts->name) SINO_TRY(select_angles(theta, first, end, angles));
    return check_count(theta, projections, angles);
}

SinoStatus sino_angle_list_read(const char *theta, SinoAngleUnit *unit, int64_t projections, int64_t *count,
                                double **angle_rad)
{
    Angles angles = {.unit = unit};
    Parts parts = {0};
    SinoStatus status = read_angles(theta, projections, &parts, &angles);
    free(parts.name);
    free(parts.file);
    free(parts.column);
    free(angles.bytes);
    if (status) {
        free(angles.angle_rad);
        return status;
    }
    *count = angles.count;
    *angle_rad = angles.angle_rad;
    return NULL;
}
