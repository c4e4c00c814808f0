/* SPDX-License-Identifier: BSD-3-Clause */
/* PET scanner: rays between crystals, and the lengths of a ray in the voxels of a grid. */
#include "pet_scanner.h"

#include "memory.h"
#include "random_stream.h"
#include "system_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 6 }; /* coordinates of both ends of a ray */

/* The rows of a crystal while they are made. */
typedef struct Tracing {
    const SinoPetScanner *scanner;
    double *sum;       /* [voxel] of one row; 0 between rows; owned */
    uint32_t *touched; /* voxels of which it is not 0; owned */
    int64_t touched_count;
    int64_t capacity; /* entries for which *rows has room */
    SinoSparseRows *rows;
} Tracing;

SinoPetScanner sino_pet_scanner(int64_t block_count, int64_t block_size, int64_t ring_count)
{
    SinoPetScanner scanner = {.block_count = block_count,
                              .block_size = block_size,
                              .ring_count = ring_count,
                              .crystal_width = 2,
                              .crystal_depth = 10,
                              .gap = 0.3,
                              .attenuation = 0.087};
    const double block_width = (double)block_size * (scanner.crystal_width + scanner.gap);
    scanner.radius = block_width / 2 / tan(SINO_PI / (double)block_count);
    return scanner;
}

int64_t sino_pet_crystals(const SinoPetScanner *scanner)
{
    return sino_times(scanner->block_count, sino_times(scanner->block_size, scanner->ring_count));
}

int sino_pet_mirrors(const SinoPetScanner *scanner)
{
    return SINO_MIRROR_X | SINO_MIRROR_Z | (scanner->block_count % 2 == 0 ? SINO_MIRROR_Y : 0);
}

SinoMirror sino_pet_mirror(const SinoPetScanner *scanner)
{
    return (SinoMirror){.layer_count = 1,
                        .block_count = scanner->block_count,
                        .block_size = scanner->block_size,
                        .ring_count = scanner->ring_count,
                        .x_count = scanner->grid.x_count,
                        .y_count = scanner->grid.y_count,
                        .z_count = scanner->grid.z_count};
}

int64_t sino_pet_image_row(const SinoPetScanner *scanner, int64_t a, int64_t b, int64_t orientation)
{
    const SinoMirror mirror = sino_pet_mirror(scanner);
    return sino_mirror_row(&mirror, sino_orientation(scanner->mirrors, orientation),
                           a * sino_pet_crystals(scanner) + b);
}

bool sino_pet_is_lead(const SinoPetScanner *scanner, int64_t a, int64_t b)
{
    const int64_t orientations = sino_orientation_count(scanner->mirrors);
    const int64_t row = a * sino_pet_crystals(scanner) + b;
    bool lead = true;
    for (int64_t k = 1; k < orientations; k++) lead = lead && sino_pet_image_row(scanner, a, b, k) >= row;
    return lead;
}

/* The angle of the middle of a crystal's block, counter-clockwise from the x axis. */
static double block_angle(const SinoPetScanner *scanner, int64_t crystal)
{
    const int64_t block = crystal / scanner->block_size % scanner->block_count;
    return SINO_PI / 2 + 2 * SINO_PI * (double)block / (double)scanner->block_count;
}

void sino_pet_point(const SinoPetScanner *scanner, int64_t crystal, const double place[3], double point[3])
{
    const double pitch = scanner->crystal_width + scanner->gap, angle = block_angle(scanner, crystal);
    const int64_t along = crystal % scanner->block_size, ring = crystal / scanner->block_size / scanner->block_count;
    const double out = scanner->radius + place[2] * scanner->crystal_depth;
    const double side =
        ((double)along - (double)(scanner->block_size - 1) / 2) * pitch + (place[0] - 0.5) * scanner->crystal_width;
    point[0] = out * cos(angle) - side * sin(angle);
    point[1] = out * sin(angle) + side * cos(angle);
    point[2] =
        ((double)ring - (double)(scanner->ring_count - 1) / 2) * pitch + (place[1] - 0.5) * scanner->crystal_width;
}

/* Adds the lengths of a ray, times `weight`. */
static void trace(Tracing *tracing, SinoVoxelRay ray, double weight)
{
    int64_t voxel;
    double length_mm;
    while (sino_voxel_ray_next(&ray, &voxel, &length_mm)) {
        const double value = length_mm * weight;
        if (!(value > 0)) continue;
        if (tracing->sum[voxel] == 0) tracing->touched[tracing->touched_count++] = (uint32_t)voxel;
        tracing->sum[voxel] += value;
    }
}

/* The way through crystals of a ray that ends `depth` behind the front of a crystal of this block. */
static double way_in_crystals(const SinoPetScanner *scanner, int64_t crystal, const double from[3], const double to[3],
                              double depth)
{
    const double angle = block_angle(scanner, crystal);
    const double x = to[0] - from[0], y = to[1] - from[1], z = to[2] - from[2];
    const double outwards = fabs(x * cos(angle) + y * sin(angle)), length = sqrt(x * x + y * y + z * z);
    const double width = (double)scanner->block_size * (scanner->crystal_width + scanner->gap);
    return outwards * width > depth * length ? depth * length / outwards : width;
}

/* Place r of the sequence: multiples of the powers of 1/φ, where φ⁷ = φ + 1. */
static void next_places(const double shift[PLACES], int64_t r, double place[PLACES])
{
    const double phi = 1.1127756842787055;
    double step = 1;
    for (int i = 0; i < PLACES; i++) {
        step /= phi;
        const double at = shift[i] + (double)(r + 1) * step;
        place[i] = at - floor(at);
    }
}

static void trace_pair(Tracing *tracing, int64_t a, int64_t b)
{
    const SinoPetScanner *scanner = tracing->scanner;
    const uint64_t pair = (uint64_t)(a * sino_pet_crystals(scanner) + b);
    SinoRandomStream stream = sino_random_stream(0, pair);
    double shift[PLACES], place[PLACES], from[3], to[3];
    for (int i = 0; i < PLACES; i++) shift[i] = sino_random_uniform(&stream);
    for (int64_t r = 0; r < scanner->ray_count; r++) {
        next_places(shift, r, place);
        sino_pet_point(scanner, a, place, from);
        sino_pet_point(scanner, b, place + 3, to);
        const double way = way_in_crystals(scanner, a, from, to, place[2] * scanner->crystal_depth) +
                           way_in_crystals(scanner, b, from, to, place[5] * scanner->crystal_depth);
        trace(tracing, sino_voxel_ray(&scanner->grid, from, to),
              exp(-scanner->attenuation * way) / (double)scanner->ray_count);
    }
}

/* Makes the sums their own images in one combination of mirrors. */
static void average(Tracing *tracing, const SinoMirror *mirror, int which)
{
    const int64_t count = tracing->touched_count;
    for (int64_t i = 0; i < count; i++) {
        const uint32_t image = sino_mirror_column(mirror, which, tracing->touched[i]);
        if (tracing->sum[image] == 0) tracing->touched[tracing->touched_count++] = image;
    }
    for (int64_t i = 0; i < tracing->touched_count; i++) {
        const uint32_t voxel = tracing->touched[i], image = sino_mirror_column(mirror, which, voxel);
        if (voxel <= image) tracing->sum[voxel] = tracing->sum[image] = (tracing->sum[voxel] + tracing->sum[image]) / 2;
    }
}

/* Makes the sums of a pair its own images in all orientations that leave the pair as it is. One after another serves:
 * the mean of images in one orientation keeps the symmetry of those before, to the bit. */
static void average_images(Tracing *tracing, int64_t a, int64_t b)
{
    const SinoPetScanner *scanner = tracing->scanner;
    const SinoMirror mirror = sino_pet_mirror(scanner);
    const int64_t orientations = sino_orientation_count(scanner->mirrors);
    for (int64_t k = 1; k < orientations; k++)
        if (sino_pet_image_row(scanner, a, b, k) == a * sino_pet_crystals(scanner) + b)
            average(tracing, &mirror, sino_orientation(scanner->mirrors, k));
}

static int compare_voxels(const void *a, const void *b)
{
    const uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    return first < second ? -1 : first > second;
}

/* Makes room for `count` more entries. */
static SinoStatus reserve(Tracing *tracing, int64_t used, int64_t count)
{
    SinoSparseRows *rows = tracing->rows;
    if (used + count <= tracing->capacity) return NULL;
    const int64_t capacity = sino_larger(used + count, sino_times(tracing->capacity, 2));
    uint32_t *column = reallocarray(rows->column, (size_t)capacity, sizeof *column);
    if (column) rows->column = column;
    float *value = reallocarray(rows->value, (size_t)capacity, sizeof *value);
    if (value) rows->value = value;
    SINO_CHECK(column && value, SINO_FAILED, "no memory for the rows of a crystal");
    tracing->capacity = capacity;
    return NULL;
}

/* Moves the sums into the row that begins at entry `used`. */
static SinoStatus take_row(Tracing *tracing, int64_t used)
{
    SinoSparseRows *rows = tracing->rows;
    SINO_TRY(reserve(tracing, used, tracing->touched_count));
    qsort(tracing->touched, (size_t)tracing->touched_count, sizeof *tracing->touched, compare_voxels);
    for (int64_t i = 0; i < tracing->touched_count; i++) {
        double *sum = &tracing->sum[tracing->touched[i]];
        rows->column[used + i] = tracing->touched[i];
        rows->value[used + i] = (float)*sum;
        *sum = 0;
    }
    return NULL;
}

static bool share_a_block(const SinoPetScanner *scanner, int64_t a, int64_t b)
{
    return a / scanner->block_size % scanner->block_count == b / scanner->block_size % scanner->block_count;
}

static SinoStatus trace_rows(Tracing *tracing, int64_t crystal)
{
    const SinoPetScanner *scanner = tracing->scanner;
    SinoSparseRows *rows = tracing->rows;
    for (int64_t b = 0; b < rows->row_count; b++) {
        tracing->touched_count = 0;
        if (b > crystal && !share_a_block(scanner, crystal, b) && sino_pet_is_lead(scanner, crystal, b)) {
            trace_pair(tracing, crystal, b);
            average_images(tracing, crystal, b);
        }
        SINO_TRY(take_row(tracing, rows->start[b]));
        rows->start[b + 1] = rows->start[b] + tracing->touched_count;
    }
    return NULL;
}

SinoStatus sino_pet_rows(const SinoPetScanner *scanner, int64_t crystal, SinoSparseRows *rows)
{
    const SinoVoxelGrid *grid = &scanner->grid;
    const int64_t crystals = sino_pet_crystals(scanner);
    const int64_t voxels = sino_times(grid->x_count, sino_times(grid->y_count, grid->z_count));
    Tracing tracing = {.scanner = scanner, .rows = rows};
    *rows = (SinoSparseRows){.first_row = crystal * crystals, .row_count = crystals};
    SinoStatus status = sino_allocate(crystals + 1, sizeof *rows->start, "rows of a matrix", &rows->start);
    if (!status) status = sino_allocate(voxels, sizeof *tracing.sum, "a row of a matrix", &tracing.sum);
    if (!status) status = sino_allocate(voxels, sizeof *tracing.touched, "a row of a matrix", &tracing.touched);
    if (!status) status = trace_rows(&tracing, crystal);
    free(tracing.sum);
    free(tracing.touched);
    if (status) sino_pet_rows_free(rows);
    return status;
}

void sino_pet_rows_free(SinoSparseRows *rows)
{
    free(rows->start);
    free(rows->column);
    free(rows->value);
    *rows = (SinoSparseRows){0};
}

void sino_pet_project(const SinoSparseRows *rows, const float *activity, double *mean)
{
    for (int64_t i = 0; i < rows->row_count; i++) {
        double sum = 0;
        for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++)
            sum += (double)rows->value[e] * (double)activity[rows->column[e]];
        mean[i] = sum;
    }
}

/* Half of the grid's shorter side across, in mm. */
static double half_width(const SinoPetScanner *scanner)
{
    const SinoVoxelGrid *grid = &scanner->grid;
    return fmin((double)grid->x_count * grid->size[0], (double)grid->y_count * grid->size[1]) / 2;
}

double sino_pet_body_radius(const SinoPetScanner *scanner)
{
    return 0.85 * half_width(scanner);
}

SinoPetSphere sino_pet_sphere(const SinoPetScanner *scanner, int number)
{
    static const double share[SINO_PET_SPHERES] = {0.22, 0.18, 0.14, 0.1, 0.22};
    const double half = half_width(scanner), angle = SINO_PI / 2 - 2 * SINO_PI * number / SINO_PET_SPHERES;
    return (SinoPetSphere){.x = 0.5 * half * cos(angle),
                           .y = 0.5 * half * sin(angle),
                           .radius = share[number] * half,
                           .activity = number == SINO_PET_SPHERES - 1 ? 0 : 4};
}

static double activity_at(const SinoPetScanner *scanner, const SinoPetSphere *sphere, double x, double y, double z)
{
    const double body = sino_pet_body_radius(scanner);
    for (int i = 0; i < SINO_PET_SPHERES; i++) {
        const double right = x - sphere[i].x, up = y - sphere[i].y;
        if (right * right + up * up + z * z < sphere[i].radius * sphere[i].radius) return sphere[i].activity;
    }
    return x * x + y * y < body * body ? 1 : 0;
}

void sino_pet_activity(const SinoPetScanner *scanner, int64_t z, float *slice)
{
    enum { SIDE = 4, POINTS = SIDE * SIDE * SIDE };
    const SinoVoxelGrid *grid = &scanner->grid;
    SinoPetSphere sphere[SINO_PET_SPHERES];
    for (int i = 0; i < SINO_PET_SPHERES; i++) sphere[i] = sino_pet_sphere(scanner, i);
    for (int64_t voxel = 0; voxel < grid->x_count * grid->y_count; voxel++) {
        const int64_t column = voxel % grid->x_count, row = voxel / grid->x_count;
        double sum = 0;
        for (int p = 0; p < POINTS; p++) {
            const int across = p % SIDE, below = p / SIDE % SIDE, above = p / SIDE / SIDE;
            const double right = (double)column + (across + 0.5) / SIDE - (double)grid->x_count / 2;
            const double down = (double)row + (below + 0.5) / SIDE - (double)grid->y_count / 2;
            const double up = (double)z + (above + 0.5) / SIDE - (double)grid->z_count / 2;
            sum += activity_at(scanner, sphere, right * grid->size[0], -down * grid->size[1], up * grid->size[2]);
        }
        slice[voxel] = (float)(sum / POINTS);
    }
}
