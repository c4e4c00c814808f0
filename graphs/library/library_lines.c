/* SPDX-License-Identifier: BSD-3-Clause */
/* Library, lines: every array is copied in lines. A line is a row of tiles or the columns of an angle of parallel
 * beams; a column of voxels along z, or of the detector, of cone beams; a single value of a system matrix. */
#include "library_operator.h"

#include "cone_kind.h"
#include "memory.h"
#include "rays_tasks.h"

#include <stdlib.h>

struct SinoLines {
    const SinoOperator *op; /* not owned */
    int64_t *place;         /* [angle], subset after subset: its number among the subset's; cones too; owned */
    int64_t *along;         /* cones: [M or X, whichever is more]: 0, 1, 2 …; owned */
    int64_t *voxel;         /* matrices: [row of vectors]: its voxel, or −1; owned */
    int64_t *kept;          /* the same, and −1 where the mask is 0; NULL: there is no mask; owned */
};

static const SinoMatrixSurvey *matrix_of(const SinoLines *lines)
{
    return lines->op->problem.matrix;
}

static const SinoCone *cone_of(const SinoLines *lines)
{
    return lines->op->problem.cone;
}

/* Angles of the scan, or rows of the matrix. */
static int64_t angle_count(const SinoLines *lines)
{
    if (matrix_of(lines)) return matrix_of(lines)->outline.row_count;
    return cone_of(lines) ? cone_of(lines)->angle_count : lines->op->problem.geometry.angle_count;
}

/* Those of subset s of N: s, s + N, s + 2N … */
static int64_t angles_of(const SinoLines *lines, int64_t subset)
{
    return subset == SINO_ALL_SUBSETS ? angle_count(lines)
                                      : sino_ceil_divide(angle_count(lines) - subset, lines->op->problem.subset_count);
}

/* Angles of the subsets before one. */
static int64_t angles_before(const SinoLines *lines, int64_t subset)
{
    int64_t before = 0;
    for (int64_t s = 0; s < subset; s++) before += angles_of(lines, s);
    return before;
}

SinoArraySizes sino_lines_sizes(const SinoLines *lines, int64_t subset)
{
    const SinoMatrixSurvey *matrix = matrix_of(lines);
    const SinoCone *cone = cone_of(lines);
    const SinoGeometry *geometry = &lines->op->problem.geometry;
    const int64_t angles = angles_of(lines, subset);
    if (matrix) return (SinoArraySizes){{0, matrix->outline.column_count, 1}, {0, angles, 1}};
    if (cone)
        return (SinoArraySizes){{cone->z_count, cone->y_count, cone->x_count},
                                {angles, cone->row_count, cone->column_count}};
    return (SinoArraySizes){{0, geometry->grid_size, geometry->grid_size}, {0, angles, geometry->column_count}};
}

SinoStatus sino_lines_check_subset(const SinoLines *lines, int64_t subset)
{
    const SinoMatrixSurvey *matrix = matrix_of(lines);
    SINO_CHECK(
        subset == SINO_ALL_SUBSETS || !matrix || matrix->subset_count == 1 || !matrix->outline.mirrors, SINO_BAD_INPUT,
        "a subset of a matrix with mirrors has the mirror images of its rows, too, and no view of the projections "
        "has them all; allowed: products of all rows, and osem");
    return NULL;
}

/* ---- what is made once ---- */

/* The operator numbers the angles of all subsets, one subset after another. */
static SinoStatus place_angles(SinoLines *lines)
{
    const SinoOperator *op = lines->op;
    const int64_t subsets = op->problem.subset_count;
    int64_t first = 0;
    SINO_TRY(sino_allocate(angle_count(lines), sizeof *lines->place, "angles", &lines->place));
    for (int64_t s = 0; s < subsets; s++) {
        const int64_t count = angles_of(lines, s);
        for (int64_t i = 0; i < count; i++) lines->place[first + i] = op->place[s + i * subsets] - first;
        first += count;
    }
    return NULL;
}

static SinoStatus list_voxels(SinoLines *lines)
{
    const SinoBrickOrder *order = matrix_of(lines)->order;
    const float *mask = matrix_of(lines)->mask;
    SINO_TRY(sino_allocate(order->row_count, sizeof *lines->voxel, "voxels", &lines->voxel));
    if (mask) SINO_TRY(sino_allocate(order->row_count, sizeof *lines->kept, "voxels", &lines->kept));
    for (int64_t i = 0; i < order->row_count; i++) {
        lines->voxel[i] = order->column[i] == SINO_BRICK_NO_COLUMN ? -1 : (int64_t)order->column[i];
        if (mask) lines->kept[i] = mask[i] > 0 ? lines->voxel[i] : -1;
    }
    return NULL;
}

static SinoStatus list_lines(SinoLines *lines)
{
    const SinoCone *cone = cone_of(lines);
    const int64_t count = sino_larger(cone->column_count, cone->x_count);
    SINO_TRY(sino_allocate(count, sizeof *lines->along, "lines", &lines->along));
    for (int64_t i = 0; i < count; i++) lines->along[i] = i;
    return NULL;
}

SinoStatus sino_lines_new(const SinoOperator *op, SinoLines **result)
{
    SinoLines *lines;
    SINO_TRY(sino_allocate(1, sizeof *lines, "arrays", &lines));
    lines->op = op;
    SinoStatus status = matrix_of(lines) ? list_voxels(lines) : place_angles(lines);
    if (!status && cone_of(lines)) status = list_lines(lines);
    SINO_GIVE(status, lines, sino_lines_free, result);
}

void sino_lines_free(SinoLines *lines)
{
    if (!lines) return;
    free(lines->place);
    free(lines->along);
    free(lines->voxel);
    free(lines->kept);
    free(lines);
}

/* ---- tasks ---- */

/* The array so many elements further. */
static SinoStrided further(SinoStrided array, int64_t elements)
{
    const int64_t bytes = array.type == SINO_STRIDED_FLOAT64 ? (int64_t)sizeof(double) : (int64_t)sizeof(float);
    array.first = (char *)array.first + elements * bytes;
    return array;
}

/* The array from an index of a dimension on. */
static SinoStrided from(SinoStrided array, int dimension, int64_t first)
{
    return further(array, first * array.step[dimension]);
}

/* One way or the other. */
static SinoStatus move_rays(const SinoLines *lines, bool back, SinoPosition position, SinoTake take,
                            const SinoStridedRays *rays, SinoData *data)
{
    SinoRuntime *runtime = lines->op->runtime;
    return back ? sino_insert_give_rays(runtime, position, rays, data)
                : sino_insert_take_rays(runtime, position, take, rays, false, data);
}

/* Tasks that share the lines: one for each worker, where they have enough to do. */
static int64_t task_count(const SinoLines *lines, const SinoStridedRays *rays)
{
    enum { LEAST_BYTES = 1 << 20 };
    const int64_t count = rays->angle_count,
                  values = sino_times(sino_times(count, rays->column_count), rays->slices.stride);
    const int64_t bytes = sino_times(values, (int64_t)sino_precision_bytes(rays->slices.precision));
    const int64_t most = sino_smaller(sino_runtime_worker_count(lines->op->runtime), count);
    return sino_larger(1, sino_smaller(most, bytes / LEAST_BYTES));
}

/* The lines of task i. */
static SinoStridedRays share_of(SinoStridedRays rays, int64_t i, int64_t tasks)
{
    rays.first_angle = rays.angle_count * i / tasks;
    rays.last_angle = rays.angle_count * (i + 1) / tasks;
    return rays;
}

/* Takes all rows of a vector in several tasks at the same time. */
static SinoStatus take_shares(const SinoLines *lines, SinoPosition position, SinoTake take, const SinoStridedRays *rays,
                              int64_t tasks, SinoData *data)
{
    SinoRuntime *runtime = lines->op->runtime;
    SINO_TRY(sino_insert_rays_begin(runtime, position, false, data));
    for (int64_t i = 0; i < tasks; i++) {
        const SinoStridedRays share = share_of(*rays, i, tasks);
        SINO_TRY(sino_insert_take_rays(runtime, position, take, &share, true, data));
    }
    return sino_insert_rays_end(runtime, position, data);
}

/* Moves all rows of a vector, shared among workers. */
static SinoStatus share_rays(const SinoLines *lines, bool back, SinoPosition position, SinoTake take,
                             const SinoStridedRays *rays, SinoData *data)
{
    const int64_t tasks = task_count(lines, rays);
    if (!back && tasks > 1) return take_shares(lines, position, take, rays, tasks, data);
    for (int64_t i = 0; i < tasks; i++) {
        const SinoStridedRays share = share_of(*rays, i, tasks);
        SINO_TRY(move_rays(lines, back, position, take, &share, data));
    }
    return NULL;
}

static SinoStatus move_tiles(const SinoLines *lines, SinoStrided images, SinoTake take, bool back,
                             const SinoProduct *product, SinoData *const *x)
{
    const SinoOperator *op = lines->op;
    const SinoTiling tiling = op->kind->tiling(op);
    SinoStridedTiles tiles = {.slices = product->slices, .image = images, .grid_size = op->problem.geometry.grid_size};
    for (int64_t p = 0; p < tiling.partition_count; p++) {
        SinoPosition position = product->position;
        position.partition = p;
        tiles.tile = tiling.tile + tiling.first[p];
        tiles.tile_count = tiling.first[p + 1] - tiling.first[p];
        SINO_TRY(back ? sino_insert_give_tiles(op->runtime, position, &tiles, x[p])
                      : sino_insert_take_tiles(op->runtime, position, take, &tiles, x[p]));
    }
    return NULL;
}

/* The bands of rows of a volume, [row][column][z]. */
static SinoStatus move_bands(const SinoLines *lines, SinoStrided volume, SinoTake take, bool back,
                             const SinoProduct *product, SinoData *const *x)
{
    const SinoCone *cone = cone_of(lines);
    const int64_t band = sino_cone_band_rows(cone), voxels = sino_times(cone->x_count, cone->z_count);
    SinoStridedRays rays = {.slices = product->slices,
                            .angle_count = cone->x_count,
                            .column_count = cone->z_count,
                            .last_angle = cone->x_count,
                            .place = lines->along};
    for (int64_t i = 0; i < cone->y_count; i++) {
        SinoPosition position = product->position;
        position.partition = i / band;
        rays.projections = from(volume, 1, i);
        rays.projections.step[1] = volume.step[2];
        rays.projections.step[2] = volume.step[0];
        rays.first_row = sino_times(i % band, voxels);
        rays.vector_rows = sino_times(sino_smaller(band, cone->y_count - i / band * band), voxels);
        SINO_TRY(move_rays(lines, back, position, take, &rays, x[position.partition]));
    }
    return NULL;
}

/* The operator does not see masked voxels, and makes them 0. */
static SinoStatus move_voxels(const SinoLines *lines, SinoStrided images, SinoTake take, bool back,
                              const SinoProduct *product, SinoData *x)
{
    const SinoBrickOrder *order = matrix_of(lines)->order;
    const SinoStridedRays rays = {.slices = product->slices,
                                  .projections = images,
                                  .angle_count = order->row_count,
                                  .column_count = 1,
                                  .line = lines->kept && !back ? lines->kept : lines->voxel,
                                  .line_step = 1};
    return share_rays(lines, back, product->position, take, &rays, x);
}

SinoStrided sino_lines_images(const SinoArrays *arrays, int64_t first)
{
    return from(arrays->images, 0, first);
}

SinoStatus sino_lines_move_images(const SinoLines *lines, const SinoArrays *arrays, SinoTake take, bool back,
                                  const SinoProduct *product, SinoData *const *x)
{
    if (cone_of(lines))
        return move_bands(lines, further(arrays->images, take.first * arrays->image_step), take, back, product, x);
    const SinoStrided images = sino_lines_images(arrays, take.first);
    if (matrix_of(lines)) return move_voxels(lines, images, take, back, product, x[0]);
    return move_tiles(lines, images, take, back, product, x);
}

/* The rows of a subset of a matrix; those of all, too, since a vector of the subset says which ones it has. */
static SinoStatus move_rows(const SinoLines *lines, const SinoArrays *arrays, SinoTake take, bool back,
                            const SinoProduct *product, SinoData *y)
{
    const SinoMatrixSurvey *matrix = matrix_of(lines);
    const bool whole = arrays->subset == SINO_ALL_SUBSETS;
    const SinoStridedRays rays = {.slices = product->slices,
                                  .projections = from(arrays->projections, 0, take.first),
                                  .angle_count = matrix->subset_rows[product->subset],
                                  .column_count = 1,
                                  .line = matrix->row + sino_matrix_subset_first(matrix, product->subset),
                                  .line_first = whole ? 0 : product->subset,
                                  .line_step = whole ? 1 : matrix->subset_count};
    return share_rays(lines, back, product->position, take, &rays, y);
}

/* Some projections and their places in a vector. */
typedef struct Angles {
    SinoStrided projections; /* of these angles alone */
    int64_t count;
    const int64_t *place;
} Angles;

/* Projections of cone beams, [angle][column][row], an angle at a time. */
static SinoStatus move_views(const SinoLines *lines, const Angles *angles, SinoTake take, bool back,
                             const SinoProduct *product, SinoData *y)
{
    const SinoCone *cone = cone_of(lines);
    const int64_t pixels = sino_times(cone->column_count, cone->row_count);
    SinoStridedRays rays = {.slices = product->slices,
                            .angle_count = cone->column_count,
                            .column_count = cone->row_count,
                            .last_angle = cone->column_count,
                            .place = lines->along,
                            .vector_rows = sino_times(angles->count, pixels)};
    for (int64_t k = 0; k < angles->count; k++) {
        rays.projections = from(angles->projections, 0, k);
        rays.projections.step[1] = angles->projections.step[2];
        rays.projections.step[2] = angles->projections.step[1];
        rays.first_row = sino_times(angles->place[k], pixels);
        SINO_TRY(move_rays(lines, back, product->position, take, &rays, y));
    }
    return NULL;
}

/* Projections of parallel beams. */
static SinoStridedRays rays_of(const SinoLines *lines, const Angles *angles, SinoTake take, const SinoProduct *product)
{
    return (SinoStridedRays){.slices = product->slices,
                             .projections = from(angles->projections, 0, take.first),
                             .angle_count = angles->count,
                             .column_count = lines->op->problem.geometry.column_count,
                             .place = angles->place};
}

static SinoStatus move_angles(const SinoLines *lines, const Angles *angles, SinoTake take, bool back,
                              const SinoProduct *product, SinoData *y)
{
    if (cone_of(lines)) return move_views(lines, angles, take, back, product, y);
    const SinoStridedRays rays = rays_of(lines, angles, take, product);
    return share_rays(lines, back, product->position, take, &rays, y);
}

/* The projections of a subset in an array of all angles, of which it has every N-th. */
static SinoStrided every_other(const SinoLines *lines, SinoStrided projections, int64_t subset)
{
    const int dimension = cone_of(lines) ? 0 : 1;
    projections = from(projections, dimension, subset);
    projections.step[dimension] *= lines->op->problem.subset_count;
    return projections;
}

/* The projections of slices and, of cone beams, of the volume that is wanted. */
static SinoStrided projections_of(const SinoLines *lines, const SinoArrays *arrays, SinoTake take)
{
    return cone_of(lines) ? further(arrays->projections, take.first * arrays->projection_step) : arrays->projections;
}

/* The angles of the product's subset. */
static Angles angles_of_product(const SinoLines *lines, const SinoArrays *arrays, SinoTake take, int64_t subset)
{
    const SinoStrided projections = projections_of(lines, arrays, take);
    const bool whole = arrays->subset == SINO_ALL_SUBSETS;
    return (Angles){.projections = whole ? every_other(lines, projections, subset) : projections,
                    .count = angles_of(lines, subset),
                    .place = lines->place + angles_before(lines, subset)};
}

SinoStatus sino_lines_move_projections(const SinoLines *lines, const SinoArrays *arrays, SinoTake take, bool back,
                                       const SinoProduct *product, SinoData *y)
{
    if (matrix_of(lines)) return move_rows(lines, arrays, take, back, product, y);
    const Angles angles = angles_of_product(lines, arrays, take, product->subset);
    return move_angles(lines, &angles, take, back, product, y);
}

int64_t sino_lines_scratch_bytes(const SinoLines *lines, SinoSlices slices)
{
    return sino_give_sums_bytes(slices, lines->op->problem.geometry.column_count);
}

SinoStatus sino_lines_give_parts(const SinoLines *lines, const SinoArrays *arrays, SinoTake take,
                                 const SinoProduct *product, const SinoParts *parts, SinoData *scratch)
{
    const Angles angles = angles_of_product(lines, arrays, take, product->subset);
    const SinoStridedRays rays = rays_of(lines, &angles, take, product);
    const int64_t tasks = task_count(lines, &rays);
    for (int64_t i = 0; i < tasks; i++) {
        const SinoStridedRays share = share_of(rays, i, tasks);
        SINO_TRY(sino_insert_give_sums(lines->op->runtime, product->position, &share, parts, scratch));
    }
    return NULL;
}

SinoStatus sino_lines_take_rays(const SinoLines *lines, const SinoArrays *arrays, SinoTake take,
                                const SinoProduct *product, SinoData *y)
{
    const Angles angles = {
        .projections = projections_of(lines, arrays, take), .count = angle_count(lines), .place = lines->op->place};
    return move_angles(lines, &angles, take, false, product, y);
}
