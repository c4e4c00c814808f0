/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors file: where source and detector are at each projection. */
#include "vectors_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arithmetic.h"
#include "memory.h"
#include "npy.h"
#include "plain_values.h"
#include "regular_file.h"
#include "scan_limits.h"

enum { NUMBERS = 12, FLAT_NUMBERS = 6, TEXT_BYTES_MAX = 1 << 28 };

static const char parallel_prefix[] = "parallel:";
static const char header_cone[] = "srcX,srcY,srcZ,dX,dY,dZ,uX,uY,uZ,vX,vY,vZ";
static const char header_parallel[] = "rayX,rayY,rayZ,dX,dY,dZ,uX,uY,uZ,vX,vY,vZ";

/* The numbers of a file. */
typedef struct Table {
    const char *path; /* not owned */
    int64_t count;    /* projections */
    int width;        /* NUMBERS or FLAT_NUMBERS */
    bool parallel;
    double *value; /* [count][width]; owned */
} Table;

static SinoStatus new_values(Table *table, int64_t count)
{
    SINO_CHECK(count >= 1 && count <= SINO_IMAGES_MAX, SINO_BAD_INPUT,
               "%s has vectors of %" PRId64 " projections; allowed: 1 to %d", table->path, count, (int)SINO_IMAGES_MAX);
    table->count = count;
    return sino_allocate(sino_times(count, table->width), sizeof *table->value, "vectors", &table->value);
}

static SinoStatus take_array(const SinoNpy *npy, int descriptor, int64_t bytes, Table *table)
{
    const int64_t width = npy->rank == 2 ? npy->size[1] : 0;
    SINO_CHECK(sino_npy_is_number(npy) && npy->kind != SINO_NPY_BOOL, SINO_BAD_INPUT,
               "%s holds %s; allowed: integers or floating-point numbers", table->path, npy->stored_type);
    SINO_CHECK(width == NUMBERS || width == FLAT_NUMBERS, SINO_BAD_INPUT,
               "%s has %d dimensions, the last one of %" PRId64
               " numbers; allowed: projections x 12, or x 6 of one plane",
               table->path, npy->rank, npy->rank > 0 ? npy->size[npy->rank - 1] : 1);
    SINO_CHECK(bytes - npy->header_bytes >= sino_npy_bytes(npy), SINO_BAD_INPUT,
               "%s is cut: it has %" PRId64 " of the %" PRId64 " bytes of its values", table->path,
               bytes - npy->header_bytes, sino_npy_bytes(npy));
    table->width = (int)width;
    SINO_TRY(new_values(table, npy->size[0]));
    return sino_plain_doubles_read(table->path, descriptor, npy->header_bytes, npy, npy->count, table->value);
}

/* Reads the first `bytes` of a file, and a zero after them. */
static SinoStatus read_text(const char *path, int descriptor, int64_t bytes, char **text)
{
    SINO_TRY(sino_allocate(bytes + 1, 1, "vectors", text));
    SinoStatus status = sino_regular_read(path, descriptor, 0, bytes, *text);
    if (!status) return NULL;
    free(*text);
    *text = NULL;
    return status;
}

static SinoStatus read_array(int descriptor, int64_t bytes, Table *table)
{
    SinoNpy npy;
    char *head;
    const int64_t head_bytes = sino_smaller(bytes, SINO_NPY_HEADER_BYTES);
    SINO_TRY(read_text(table->path, descriptor, head_bytes, &head));
    SinoStatus status = sino_npy_parse(table->path, head, head_bytes, &npy);
    free(head);
    return status ? status : take_array(&npy, descriptor, bytes, table);
}

/* Takes the line apart: ends it and cuts white space off its end. Returns the next one. */
static char *end_line(char *line)
{
    const size_t length = strcspn(line, "\n");
    char *next = line + length + (line[length] == '\n');
    line[length] = '\0';
    for (size_t i = length; i > 0 && strchr(" \t\r", line[i - 1]); i--) line[i - 1] = '\0';
    return next;
}

static SinoStatus parse_line(const Table *table, int64_t number, const char *line, double *value)
{
    const char *at = line;
    int count = 0;
    for (; *at && count < NUMBERS; count++) {
        char *end;
        value[count] = strtod(at, &end);
        if (end == at) break;
        at = end + strspn(end, " \t");
        if (*at && *at != ',') break;
        at += *at == ',';
    }
    SINO_CHECK(count == NUMBERS && !*at, SINO_BAD_INPUT,
               "%s: line %" PRId64 " is '%.60s'; allowed: 12 numbers with commas between them", table->path, number,
               line);
    return NULL;
}

static SinoStatus parse_text(char *text, Table *table)
{
    int64_t lines = 0, count = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++) lines++;
    char *next = end_line(text);
    table->parallel = strcmp(text, header_parallel) == 0;
    SINO_CHECK(table->parallel || strcmp(text, header_cone) == 0, SINO_BAD_INPUT,
               "%s begins with '%.80s'; allowed: an array of NumPy, or text whose first line is %s or %s", table->path,
               text, header_cone, header_parallel);
    table->width = NUMBERS;
    SINO_TRY(new_values(table, sino_larger(lines, 1)));
    for (int64_t number = 2; *next; number++) {
        char *line = next;
        next = end_line(line);
        if (*line) SINO_TRY(parse_line(table, number, line, table->value + NUMBERS * count++));
    }
    table->count = count;
    SINO_CHECK(count > 0, SINO_BAD_INPUT, "%s has no line of numbers; allowed: one for each projection", table->path);
    return NULL;
}

static SinoStatus read_lines(int descriptor, int64_t bytes, Table *table)
{
    char *text;
    SINO_CHECK(bytes <= TEXT_BYTES_MAX, SINO_BAD_INPUT, "%s has %" PRId64 " bytes; allowed of vectors: up to %d",
               table->path, bytes, (int)TEXT_BYTES_MAX);
    SINO_TRY(read_text(table->path, descriptor, bytes, &text));
    SinoStatus status = parse_text(text, table);
    free(text);
    return status;
}

/* The file itself says which rays it has, unless it is an array. */
static SinoStatus read_table(const char *name, Table *table)
{
    int descriptor;
    int64_t bytes;
    const size_t prefix = sizeof parallel_prefix - 1;
    const bool parallel = strncmp(name, parallel_prefix, prefix) == 0;
    table->path = name + (parallel ? prefix : 0);
    table->parallel = parallel;
    const bool array = sino_npy_probe_file(table->path);
    SINO_TRY(sino_regular_open(table->path, &descriptor, &bytes));
    SinoStatus status = array ? read_array(descriptor, bytes, table) : read_lines(descriptor, bytes, table);
    close(descriptor);
    if (status) return status;
    SINO_CHECK(!parallel || table->parallel, SINO_BAD_INPUT,
               "vectors is %s, but the first line of %s is %s; allowed: %s", name, table->path, header_cone,
               table->path);
    return NULL;
}

/* Of 6 numbers: x and y of source, middle and column. */
static SinoView view_of(const Table *table, const double *value)
{
    SinoView view = {.parallel = table->parallel};
    double *const part[4] = {view.source, view.first, view.column, view.row};
    const int size = table->width == NUMBERS ? 3 : 2;
    for (int k = 0; k * size < table->width; k++)
        for (int i = 0; i < size; i++) part[k][i] = value[k * size + i];
    if (size == 2) view.row[2] = sqrt(sino_view_dot(view.column, view.column));
    return view;
}

static SinoStatus check_view(const Table *table, int64_t number, const double *value, const SinoView *view)
{
    const double flat = 1e-6; /* sine of the least angle */
    double normal[3], ray[3];
    for (int i = 0; i < table->width; i++)
        SINO_CHECK(isfinite(value[i]), SINO_BAD_INPUT,
                   "%s: number %d of projection %" PRId64 " is %g; allowed: finite numbers", table->path, i, number,
                   value[i]);
    sino_view_cross(view->column, view->row, normal);
    sino_view_direction(view, ray);
    const double area = sqrt(sino_view_dot(normal, normal)), length = sqrt(sino_view_dot(ray, ray));
    const double sides = sqrt(sino_view_dot(view->column, view->column) * sino_view_dot(view->row, view->row));
    SINO_CHECK(area > flat * sides, SINO_BAD_INPUT,
               "%s: the pixels of projection %" PRId64 " have no area, as columns and rows run along (%g, %g, %g) and "
               "(%g, %g, %g) mm; allowed: two directions",
               table->path, number, view->column[0], view->column[1], view->column[2], view->row[0], view->row[1],
               view->row[2]);
    SINO_CHECK(fabs(sino_view_dot(ray, normal)) > flat * length * area, SINO_BAD_INPUT,
               "%s: the %s of projection %" PRId64 " is (%g, %g, %g)%s, in the plane of its detector; allowed: outside "
               "it",
               table->path, table->parallel ? "direction" : "source", number, view->source[0], view->source[1],
               view->source[2], table->parallel ? "" : " mm");
    return NULL;
}

static SinoStatus take_views(const Table *table, SinoVectors *vectors)
{
    for (int64_t k = 0; k < table->count; k++) {
        const double *value = table->value + k * table->width;
        vectors->view[k] = view_of(table, value);
        SINO_TRY(check_view(table, k, value, &vectors->view[k]));
    }
    return NULL;
}

SinoStatus sino_vectors_read(const char *name, SinoVectors *result)
{
    Table table = {0};
    SinoVectors vectors = {0};
    SinoStatus status = read_table(name, &table);
    vectors.count = table.count;
    vectors.flat = table.width == FLAT_NUMBERS;
    if (!status) status = sino_allocate(table.count, sizeof *vectors.view, "vectors", &vectors.view);
    if (!status) status = take_views(&table, &vectors);
    free(table.value);
    if (status)
        sino_vectors_free(&vectors);
    else
        *result = vectors;
    return status;
}

void sino_vectors_free(SinoVectors *vectors)
{
    free(vectors->view);
    *vectors = (SinoVectors){0};
}
