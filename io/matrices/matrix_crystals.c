/* SPDX-License-Identifier: BSD-3-Clause */
/* Map of crystals: the system matrix of a scanner whose crystals are points, computed when its rows are read. Row a ·
 * crystals + b with a < b is the line between two crystals: its exact lengths in the voxels, in mm.
 *
 *     # comments
 *     crystal x y z          (mm, for each crystal; crystals are numbered from 0 in their order)
 *     ring detector x y z    (or so: rings in their order, the same detectors 0, 1, 2 … in each)
 *
 * The middle of the volume is the origin. */
#include "matrix_source.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "memory.h"
#include "numbers.h"
#include "system_matrix.h"

enum {
    CRYSTALS_MAX = UINT16_MAX, /* so that rows fit 32 bits */
    BYTES_MAX = 1 << 24,       /* of a file: 256 of each crystal */
    IDS_MIN = 1,
    IDS_MAX = 2,
    NUMBERS = IDS_MAX + 3,
    FAR_MM = 1000000 /* from the origin along an axis */
};

typedef struct Crystals {
    const char *path; /* not owned */
    int64_t count;
    double (*place)[3]; /* [CRYSTALS_MAX]: mm; owned */
    SinoRings rings;
    int64_t ring, detector; /* of the last crystal */
    int ids;                /* numbers before x; 0: no line has told */
    SinoVoxelGrid grid;
} Crystals;

/* The numbers of a line, separated by blanks or commas, up to a comment. −1: it holds something else, or too many. */
static int take_numbers(const char *at, locale_t c_locale, double number[NUMBERS])
{
    int count = 0;
    for (at += strspn(at, " \t\r"); *at && *at != '#' && *at != '\n'; at += strspn(at, " \t\r")) {
        if (count == NUMBERS) return -1;
        at = sino_text_double(at, c_locale, &number[count]);
        if (!at || !strchr(" \t\r\n,#", *at)) return -1;
        count++;
        at += strspn(at, " \t\r");
        if (*at == ',') at++;
    }
    return count;
}

/* The first line with numbers, if it is seen, is that of a crystal. */
static bool probe_crystals(const char *path, const unsigned char *head, int64_t bytes)
{
    char text[SINO_MATRIX_HEAD + 1] = "";
    double number[NUMBERS];
    int count = 0;
    (void)path;
    memcpy(text, head, (size_t)bytes);
    const locale_t c_locale = sino_text_probe(text, bytes) ? newlocale(LC_ALL_MASK, "C", (locale_t)0) : (locale_t)0;
    if (!c_locale) return false;
    for (const char *line = text; line && *line && count == 0; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strchr(line, '\n') || bytes < SINO_MATRIX_HEAD) count = take_numbers(line, c_locale, number);
    }
    freelocale(c_locale);
    return count - 3 >= IDS_MIN || (count == 0 && bytes == SINO_MATRIX_HEAD);
}

/* Whether the numbers before x are those of the next crystal. */
static bool is_next(Crystals *map, const double *id)
{
    SinoRings *rings = &map->rings;
    if (map->ids == 1) return id[0] == (double)map->count;
    if (map->count == 0) {
        if (!(id[0] >= 0 && id[0] <= CRYSTALS_MAX && id[0] == floor(id[0]) && id[1] == 0)) return false;
        rings->first = map->ring = (int64_t)id[0];
        return true;
    }
    const bool first = id[1] == 0;
    const int64_t made = map->detector + 1;
    if (first && rings->size == 0) rings->size = made;
    map->ring += first;
    map->detector = first ? 0 : made;
    return id[0] == (double)map->ring && id[1] == (double)map->detector &&
           (rings->size == 0 || (first ? made == rings->size : made < rings->size));
}

static SinoStatus refuse_ids(const Crystals *map, int64_t line, const double *id)
{
    if (map->ids == 1)
        return sino_error(SINO_BAD_INPUT,
                          "%s: line %" PRId64 " has crystal %g; allowed: %" PRId64 ", as crystals are numbered from 0",
                          map->path, line, id[0], map->count);
    return sino_error(SINO_BAD_INPUT,
                      "%s: line %" PRId64 " has ring %g, detector %g; allowed: the next detector of the ring, or "
                      "detector 0 of the next ring, and as many in each ring",
                      map->path, line, id[0], id[1]);
}

static SinoStatus take_line(Crystals *map, int64_t line, int count, const double *number)
{
    if (map->ids == 0) map->ids = count - 3;
    SINO_CHECK(count == map->ids + 3 && map->ids >= IDS_MIN, SINO_BAD_INPUT,
               "%s: line %" PRId64 " is no crystal; allowed: %s in every line", map->path, line,
               map->ids == 2 ? "ring, detector, x, y, z" : "crystal, x, y, z");
    SINO_CHECK(map->count < CRYSTALS_MAX, SINO_BAD_INPUT, "%s: line %" PRId64 " is one crystal more; allowed: up to %d",
               map->path, line, CRYSTALS_MAX);
    if (!is_next(map, number)) return refuse_ids(map, line, number);
    for (int d = 0; d < 3; d++) {
        const double at = number[map->ids + d];
        SINO_CHECK(fabs(at) <= FAR_MM, SINO_BAD_INPUT, "%s: line %" PRId64 " has %c = %g mm; allowed: up to %d",
                   map->path, line, "xyz"[d], at, FAR_MM);
        map->place[map->count][d] = at;
    }
    map->count++;
    return NULL;
}

static SinoStatus take_lines(Crystals *map, const char *text, locale_t c_locale)
{
    int64_t line = 1;
    double number[NUMBERS];
    for (const char *at = text; *at; line++) {
        const int count = take_numbers(at, c_locale, number);
        if (count != 0) SINO_TRY(take_line(map, line, count, number));
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    if (map->ids == 2 && map->rings.size == 0) map->rings.size = map->count;
    if (map->rings.size > 0) map->rings.count = map->count / map->rings.size;
    SINO_CHECK(map->count >= 2, SINO_BAD_INPUT, "%s has %" PRId64 " crystals; allowed: 2 to %d", map->path, map->count,
               CRYSTALS_MAX);
    SINO_CHECK(map->rings.size == 0 || map->count % map->rings.size == 0, SINO_BAD_INPUT,
               "%s ends with %" PRId64 " detectors of ring %" PRId64 "; allowed: %" PRId64 ", as in the others",
               map->path, map->count % map->rings.size, map->ring, map->rings.size);
    return NULL;
}

static SinoStatus read_map(Crystals *map)
{
    int descriptor;
    int64_t bytes;
    char *text = NULL;
    SINO_TRY(sino_regular_open(map->path, &descriptor, &bytes));
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    SinoStatus status = c_locale ? NULL : sino_error(SINO_FAILED, "no memory for the C locale");
    if (!status && bytes > BYTES_MAX)
        status = sino_error(SINO_BAD_INPUT, "%s has %" PRId64 " bytes; allowed for a map of crystals: up to %d",
                            map->path, bytes, BYTES_MAX);
    if (!status) status = sino_allocate(bytes + 1, 1, "a map of crystals", &text);
    if (!status) status = sino_regular_read(map->path, descriptor, 0, bytes, text);
    if (!status && memchr(text, '\0', (size_t)bytes))
        status = sino_error(SINO_BAD_INPUT, "%s has bytes of 0; allowed for a map of crystals: text", map->path);
    if (!status) status = sino_allocate(CRYSTALS_MAX, sizeof *map->place, "crystals", &map->place);
    if (!status) status = take_lines(map, text, c_locale);
    if (c_locale) freelocale(c_locale);
    free(text);
    close(descriptor);
    return status;
}

/* ---- rows ---- */

/* The line of a row. False: the row has none. */
static bool line_of(const Crystals *map, int64_t row, SinoVoxelRay *ray)
{
    const int64_t a = row / map->count, b = row % map->count;
    if (a < b) *ray = sino_voxel_ray(&map->grid, map->place[a], map->place[b]);
    return a < b;
}

/* At most: a line that touches a voxel has a length of 0 in it. */
static int64_t entries_of(const Crystals *map, int64_t row)
{
    SinoVoxelRay ray;
    return line_of(map, row, &ray) ? sino_voxel_ray_count(ray) : 0;
}

/* Counting all rows tells a volume in a wrong place. */
static SinoStatus count_rows(void *state, int64_t first, int64_t count, int64_t *entries)
{
    const Crystals *map = state;
    const SinoVoxelGrid *grid = &map->grid;
    int64_t sum = 0;
    for (int64_t i = 0; i < count; i++) sum += entries[i] = entries_of(map, first + i);
    SINO_CHECK(sum > 0 || count < sino_times(map->count, map->count), SINO_BAD_INPUT,
               "%s: no line of two of its %" PRId64 " crystals meets the volume of %" PRId64 "x%" PRId64 "x%" PRId64
               " voxels of %g mm, whose middle is the origin; allowed: a volume between the crystals",
               map->path, map->count, grid->x_count, grid->y_count, grid->z_count, grid->size[0]);
    return NULL;
}

static SinoStatus read_rows(void *state, int64_t first, int64_t count, SinoRowBuffer *buffer)
{
    const Crystals *map = state;
    SinoSparseRows *rows = &buffer->rows;
    SinoVoxelRay ray;
    const int64_t columns = sino_times(sino_times(map->grid.x_count, map->grid.y_count), map->grid.z_count);
    int64_t voxel, most = 0, end = 0;
    double length_mm;
    for (int64_t i = 0; i < count; i++) most += entries_of(map, first + i);
    SINO_TRY(sino_row_buffer_need(buffer, first, count, most));
    for (int64_t i = 0; i < count; i++) {
        const bool some = line_of(map, first + i, &ray);
        while (some && sino_voxel_ray_next(&ray, &voxel, &length_mm)) {
            rows->column[end] = (uint32_t)voxel;
            rows->value[end++] = (float)length_mm;
        }
        rows->start[i + 1] = end;
    }
    return sino_rows_put(map->path, columns, NULL, buffer);
}

static SinoStatus check_grid(const Crystals *map, const SinoVoxelGrid *grid)
{
    SINO_CHECK(grid->x_count > 0 && grid->size[0] > 0, SINO_BAD_INPUT,
               "%s is a map of crystals, which has no voxels; allowed: with --volume, such as 100x100x40, and "
               "--voxel-size",
               map->path);
    for (int64_t i = 0; i < map->count; i++) {
        const double *at = map->place[i];
        const bool inside = fabs(at[0]) < (double)grid->x_count * grid->size[0] / 2 &&
                            fabs(at[1]) < (double)grid->y_count * grid->size[1] / 2 &&
                            fabs(at[2]) < (double)grid->z_count * grid->size[2] / 2;
        SINO_CHECK(!inside, SINO_BAD_INPUT,
                   "%s: crystal %" PRId64 " at %g, %g, %g mm lies in the volume of %" PRId64 "x%" PRId64 "x%" PRId64
                   " voxels of %g mm; allowed: crystals outside",
                   map->path, i, at[0], at[1], at[2], grid->x_count, grid->y_count, grid->z_count, grid->size[0]);
    }
    return NULL;
}

static SinoStatus frame(void *state, const SinoVoxelGrid *grid, const SinoCamera *camera, SinoMatrixOutline *outline)
{
    Crystals *map = state;
    (void)camera;
    const int64_t voxels = sino_times(sino_times(grid->x_count, grid->y_count), grid->z_count);
    SINO_TRY(check_grid(map, grid));
    SINO_TRY(sino_matrix_check_size(map->path, outline->row_count, voxels));
    map->grid = outline->grid = *grid;
    outline->column_count = voxels;
    return NULL;
}

static void close_crystals(void *state)
{
    Crystals *map = state;
    free(map->place);
    free(map);
}

static const SinoMatrixSource source = {
    .frame = frame, .count_rows = count_rows, .read = read_rows, .close = close_crystals};

static SinoStatus open_crystals(SinoMatrixFile *file)
{
    Crystals *map = NULL;
    SINO_TRY(sino_allocate(1, sizeof *map, "a map of crystals", &map));
    map->path = file->path;
    file->source = &source;
    file->state = map;
    SINO_TRY(read_map(map));
    file->outline = (SinoMatrixOutline){.row_count = sino_times(map->count, map->count),
                                        .crystal_count = map->count,
                                        .rings = map->rings,
                                        .row_access = true};
    return NULL;
}

const SinoMatrixFormat sino_crystals_format = {.name = "a map of crystals",
                                               .example = "crystals.txt",
                                               .of_scans = true,
                                               .probe = probe_crystals,
                                               .open = open_crystals};
