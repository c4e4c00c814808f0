/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix, the kind of operator, products: a task for each row partition. Sums over row partitions go up a tree of
 * pairs, so that their bits depend on the matrix alone. */
#include "matrix_private.h"

#include "brick_touch.h"
#include "bricks_tasks.h"
#include "memory.h"
#include "rays_tasks.h"

#include <stdlib.h>

static const SinoBuffer work_buffers[] = {
    {"voxels of a row partition", SINO_ROWS_ADDENDS, SINO_ELEMENT_REAL, SINO_LANES_SLICES}};

double sino_matrix_iteration_work(const SinoMatrixSurvey *matrix)
{
    return (double)matrix->order->row_count;
}

SinoData *sino_matrix_lost(const SinoOperatorWork *work)
{
    return ((const SinoMatrixWork *)work->own)->lost;
}

/* Packed weights of all subsets, if sweeps may update. Memory is provided only for what is written. */
static int64_t weights_bytes(const SinoShape *shape)
{
    const int64_t subsets = shape->extent[SINO_ROWS_SUBSET].members;
    return subsets > 1 && shape->extent[SINO_ROWS_ADDENDS].members <= 1
               ? sino_times(subsets, sino_brick_weights_bytes(shape->extent[SINO_ROWS_VOXELS].total))
               : 0;
}

int64_t sino_matrix_work_bytes(const SinoShape *shape, SinoBatch batch)
{
    const int64_t sums = sino_times(shape->extent[SINO_ROWS_ADDENDS].members + 1, (int64_t)sizeof(SinoBrickSums));
    const int64_t elements = sino_times(shape->extent[SINO_ROWS_VOXELS].total, batch.stride);
    return sino_buffers_bytes(1, work_buffers, shape, batch) +
           sino_voxel_sum_bytes(elements, shape->extent[SINO_ROWS_RANKS].members) +
           sino_times(batch.stride, sums + (int64_t)sizeof(double)) + weights_bytes(shape) +
           sino_buffers_bytes(SINO_PARTIAL_BUFFERS, sino_partial_buffers, shape, batch);
}

int64_t sino_matrix_mirror_bytes(const SinoMatrixSurvey *matrix, int64_t stride, int64_t worker_count)
{
    const int64_t lanes = sino_times(stride, matrix->orientation_count);
    return matrix->mirrors
               ? sino_times(sino_times(matrix->order->row_count, lanes), (1 + worker_count) * (int64_t)sizeof(float))
               : 0;
}

int64_t sino_matrix_sets_most(const SinoMatrixSurvey *matrix)
{
    return matrix->mirrors ? SINO_PANEL_MAX / matrix->orientation_count : SINO_SLICES_MAX;
}

/* The vectors of orientations of folded products. */
static SinoStatus open_orientations(const SinoOperator *op, int64_t stride, SinoMatrixWork *made)
{
    const SinoMatrixSurvey *matrix = sino_matrix_survey_of(op);
    const int64_t lanes = sino_times(stride, matrix->orientation_count);
    if (!matrix->mirrors) return NULL;
    SINO_TRY(sino_data_vector(op->runtime, "orientations of voxels", matrix->order->row_count, lanes, sizeof(float),
                              &made->spread));
    return sino_data_scratch(op->runtime, "sums of orientations", sino_matrix_mirror_bytes(matrix, stride, 0),
                             &made->scratch);
}

SinoStatus sino_matrix_work_open(SinoOperatorWork *work, const SinoSlices *slices, int64_t number, bool overlap)
{
    const SinoOperator *op = work->op;
    const SinoMatrixSurvey *matrix = sino_matrix_survey_of(op);
    const SinoMatrixOwn *own = op->own;
    const int64_t stride = slices->stride;
    SinoMatrixWork *made = NULL;
    SINO_TRY(sino_allocate(1, sizeof *made, "a minibatch", &made));
    work->own = made;
    SINO_TRY(sino_allocate(matrix->partition_count, sizeof(void *), "a minibatch", &made->voxels));
    for (int64_t p = matrix->mask ? 0 : 1; p < matrix->partition_count; p++)
        SINO_TRY(sino_data_vector(op->runtime, work_buffers[0].name, matrix->order->row_count, stride, sizeof(float),
                                  &made->voxels[p]));
    SINO_TRY(sino_allocate(matrix->partition_count, sizeof(void *), "a minibatch", &made->sums));
    SINO_TRY(sino_allocate(matrix->partition_count, sizeof(void *), "a minibatch", &made->rows));
    for (int64_t p = 0; p < matrix->partition_count; p++)
        SINO_TRY(
            sino_data_vector(op->runtime, "sums of a row partition", 1, stride, sizeof(SinoBrickSums), &made->sums[p]));
    if (own->listed)
        SINO_TRY(sino_data_scratch(op->runtime, "products of devices",
                                   sino_bricks_work_bytes(sino_matrix_block_rows(matrix), *slices), &made->scratch));
    SINO_TRY(open_orientations(op, stride, made));
    SINO_TRY(sino_allocate(matrix->subset_count, sizeof(void *), "a minibatch", &made->weights));
    SINO_TRY(sino_data_vector(op->runtime, "lost counts", 1, stride, sizeof(double), &made->lost));
    SINO_TRY(sino_partial_sums_new(op->runtime, own->exchange, &op->shape, slices, number, overlap, &work->sums));
    return sino_voxel_sum_new(op->runtime, work->sums, 0, sino_times(matrix->order->row_count, stride), &made->all);
}

void sino_matrix_work_close(SinoOperatorWork *work)
{
    SinoMatrixWork *made = work->own;
    if (!made) return;
    sino_voxel_sum_free(made->all);
    sino_partial_sums_free(work->sums, &work->op->shape);
    sino_data_free_each(made->voxels, sino_matrix_survey_of(work->op)->partition_count);
    sino_data_free_each(made->rows, sino_matrix_survey_of(work->op)->partition_count);
    sino_data_free_each(made->sums, sino_matrix_survey_of(work->op)->partition_count);
    sino_data_free(made->scratch);
    sino_data_free(made->spread);
    sino_data_free_each(made->weights, sino_matrix_survey_of(work->op)->subset_count);
    sino_data_free(made->lost);
    free(made);
}

/* ---- products ---- */

/* `share`: of the work of an iteration that the products of all row partitions of a subset are. */
static SinoBrickPart part_of(const SinoOperatorWork *work, const SinoProduct *product, int64_t partition, double share)
{
    const SinoOperator *op = work->op;
    const SinoMatrixSurvey *matrix = sino_matrix_survey_of(op);
    const SinoMatrixOwn *own = op->own;
    const SinoMatrixBlock *block = &matrix->block[product->subset * matrix->partition_count + partition];
    const SinoBrickArea *area = &own->area[partition * matrix->subset_count + product->subset];
    const double bytes = (double)area->bytes;
    const double all = sino_matrix_iteration_work(matrix) * bytes / (double)own->bytes;
    const double orientations = (double)matrix->orientation_count;
    return (SinoBrickPart){.slices = product->slices,
                           .rows = matrix->subset_rows[product->subset],
                           .first_row = block->first,
                           .row_count = block->row_count,
                           .voxel_rows = matrix->order->row_count,
                           .partition = partition,
                           .forget = own->windows,
                           .progress = product->position.iteration < 1 ? 0 : share * all,
                           .work = bytes * (double)product->slices.stride * orientations,
                           .flops =
                               2 * (double)block->nonzero_count * (double)product->slices.slice_count * orientations,
                           .precision = op->problem.precision,
                           .lists = area->lists,
                           .work_memory = ((const SinoMatrixWork *)work->own)->scratch,
                           .mirror = sino_matrix_mirror(matrix),
                           .fold = sino_matrix_fold_at(matrix, product->subset, block->first)};
}

/* What products take as x: its orientations, if the matrix is folded. */
static SinoStatus insert_spread(SinoOperatorWork *work, const SinoProduct *product, SinoData *x, SinoData **taken)
{
    const SinoMatrixSurvey *matrix = sino_matrix_survey_of(work->op);
    const SinoMatrixWork *made = work->own;
    const SinoBrickMirror mirror = sino_matrix_mirror(matrix);
    *taken = matrix->mirrors ? made->spread : x;
    if (!matrix->mirrors) return NULL;
    return sino_insert_bricks_spread(work->op->runtime, product->position, &mirror, product->slices, x, made->spread);
}

static SinoData *block_of(const SinoOperatorWork *work, const SinoProduct *product, int64_t partition)
{
    const SinoMatrixOwn *own = work->op->own;
    return own->block[product->subset * sino_matrix_survey_of(work->op)->partition_count + partition];
}

/* The memory of a row partition's rows of A x of any subset. */
static SinoStatus open_rows(SinoOperatorWork *work, int64_t partition, int64_t stride)
{
    const SinoMatrixSurvey *matrix = sino_matrix_survey_of(work->op);
    const SinoMatrixWork *made = work->own;
    int64_t most = 0;
    if (made->rows[partition]) return NULL;
    for (int64_t s = 0; s < matrix->subset_count; s++)
        most = sino_larger(most, matrix->block[s * matrix->partition_count + partition].row_count);
    return sino_data_vector(work->op->runtime, "rows of a row partition", most, stride, sizeof(float),
                            &made->rows[partition]);
}

/* Cores or devices project into rows of their own, which are copied into y. */
static SinoStatus project_apart(SinoOperatorWork *work, const SinoProduct *product, SinoData *const *x, SinoData *y)
{
    SinoRuntime *runtime = work->op->runtime;
    const SinoMatrixWork *made = work->own;
    const int64_t count = sino_matrix_survey_of(work->op)->partition_count;
    for (int64_t p = 0; p < count; p++) {
        SinoBrickPart part = part_of(work, product, p, 0.5);
        part.rows = part.row_count;
        part.first_row = 0;
        SINO_TRY(open_rows(work, p, product->slices.stride));
        SINO_TRY(sino_insert_bricks_project(runtime, product->position, &part, block_of(work, product, p), x[0],
                                            made->rows[p]));
    }
    SINO_TRY(sino_insert_rays_begin(runtime, product->position, false, y));
    for (int64_t p = 0; p < count; p++) {
        const SinoBrickPart part = part_of(work, product, p, 0);
        SINO_TRY(sino_insert_bricks_paste(runtime, product->position, &part, made->rows[p], y));
    }
    return sino_insert_rays_end(runtime, product->position, y);
}

SinoStatus sino_matrix_project(SinoOperatorWork *work, const SinoProduct *product, SinoData *const *x, SinoData *y)
{
    SinoRuntime *runtime = work->op->runtime;
    if (((const SinoMatrixOwn *)work->op->own)->listed) return project_apart(work, product, x, y);
    SinoData *voxels = NULL;
    SINO_TRY(insert_spread(work, product, x[0], &voxels));
    SINO_TRY(sino_insert_rays_begin(runtime, product->position, false, y));
    for (int64_t p = 0; p < sino_matrix_survey_of(work->op)->partition_count; p++) {
        const SinoBrickPart part = part_of(work, product, p, 0.5);
        SINO_TRY(sino_insert_bricks_project(runtime, product->position, &part, block_of(work, product, p), voxels, y));
    }
    return sino_insert_rays_end(runtime, product->position, y);
}

/* The voxels that a row partition writes. The first row partition's become the sum: the result itself, unless a mask
 * comes in between. */
static SinoData *voxels_of(const SinoMatrixWork *made, int64_t partition, SinoData *result)
{
    return made->voxels[partition] ? made->voxels[partition] : result;
}

/* to = the sum of the voxels of all row partitions and ranks, where the mask is not 0. */
static SinoStatus insert_sum(SinoOperatorWork *work, const SinoProduct *product, SinoData *to)
{
    const SinoOperator *op = work->op;
    const SinoMatrixWork *made = work->own;
    const int64_t rows = sino_matrix_survey_of(op)->order->row_count,
                  count = sino_matrix_survey_of(op)->partition_count;
    for (int64_t step = 1; step < count; step *= 2)
        for (int64_t p = 0; p + step < count; p += 2 * step)
            SINO_TRY(sino_insert_voxels_add(op->runtime, product->position, product->slices, rows,
                                            made->voxels[p + step], voxels_of(made, p, to)));
    SINO_TRY(sino_insert_voxel_sum(made->all, product->position, sino_times(rows, product->slices.stride),
                                   voxels_of(made, 0, to)));
    if (!made->voxels[0]) return NULL;
    return sino_insert_voxels_mask(op->runtime, product->position, product->slices, rows,
                                   ((const SinoMatrixOwn *)op->own)->mask, made->voxels[0], to);
}

SinoStatus sino_matrix_backproject(SinoOperatorWork *work, const SinoProduct *product, SinoData *y, SinoData *const *x)
{
    const SinoMatrixWork *made = work->own;
    for (int64_t p = 0; p < sino_matrix_survey_of(work->op)->partition_count; p++) {
        const SinoBrickPart part = part_of(work, product, p, 0.5);
        SINO_TRY(sino_insert_bricks_backproject(work->op->runtime, product->position, &part, block_of(work, product, p),
                                                y, voxels_of(made, p, x[0])));
    }
    return insert_sum(work, product, x[0]);
}

bool sino_matrix_updates(const SinoOperator *op)
{
    const SinoMatrixSurvey *matrix = sino_matrix_survey_of(op);
    const SinoMatrixOwn *own = op->own;
    return matrix->subset_count > 1 && matrix->partition_count == 1 && !matrix->mirrors && !own->listed &&
           op->ranks->shape.data_count == 1;
}

/* The weights that a sweep updates by; their first use packs them. NULL: it does not update. */
static SinoStatus insert_weights(SinoOperatorWork *work, const SinoProduct *product, const SinoSweep *sweep,
                                 SinoData **weights)
{
    const SinoMatrixWork *made = work->own;
    SinoRuntime *runtime = work->op->runtime;
    SinoProduct before = *product;
    SinoData **const packed = &made->weights[sweep->weight_subset];
    *weights = sweep->weight ? *packed : NULL;
    if (!sweep->weight || *packed) return NULL;
    before.subset = sweep->weight_subset;
    const SinoBrickPart part = part_of(work, &before, 0, 0);
    SINO_TRY(sino_data_vector(runtime, "weights of a subset", sino_brick_weights_bytes(part.voxel_rows), 1, 1, packed));
    *weights = *packed;
    return sino_insert_bricks_weights(runtime, product->position, &part, block_of(work, &before, 0), sweep->weight,
                                      sweep->everywhere, *packed);
}

/* The sweep of a subset that is one block, and the update of x before. */
static SinoStatus insert_turn(SinoOperatorWork *work, const SinoProduct *product, const SinoSweep *sweep,
                              const SinoBrickVectors *vectors, SinoData *x, SinoData *to, SinoData *sums)
{
    const SinoMatrixWork *made = work->own;
    const SinoBrickPart part = part_of(work, product, 0, 1);
    SinoData *weights = NULL;
    SINO_TRY(insert_weights(work, product, sweep, &weights));
    const SinoBricksTurn turn = {.weights = weights,
                                 .state = sweep->state,
                                 .mask = ((const SinoMatrixOwn *)work->op->own)->mask,
                                 .x = x,
                                 .g = to,
                                 .part = made->sums[0],
                                 .all = sums,
                                 .lost = made->lost,
                                 .add = sweep->add};
    return sino_insert_bricks_turn(work->op->runtime, product->position, &part, block_of(work, product, 0), vectors,
                                   &turn);
}

SinoStatus sino_matrix_sweep(SinoOperatorWork *work, const SinoProduct *product, const SinoSweep *sweep,
                             SinoData *const *x, SinoData *const *to, SinoData *sums)
{
    const SinoMatrixWork *made = work->own;
    const int64_t count = sino_matrix_survey_of(work->op)->partition_count;
    const SinoBrickVectors vectors = {
        .counts = sweep->counts, .multiplicative = sweep->multiplicative, .additive = sweep->additive};
    SinoRuntime *runtime = work->op->runtime;
    SinoData *voxels = NULL;
    if (sino_matrix_updates(work->op)) return insert_turn(work, product, sweep, &vectors, x[0], to[0], sums);
    SINO_TRY(insert_spread(work, product, x[0], &voxels));
    for (int64_t p = 0; p < count; p++) {
        const SinoBrickPart part = part_of(work, product, p, 1);
        SINO_TRY(sino_insert_bricks_sweep(runtime, product->position, &part, block_of(work, product, p), &vectors,
                                          voxels, voxels_of(made, p, to[0]), made->sums[p]));
    }
    SINO_TRY(sino_insert_bricks_sums(runtime, product->position, product->slices.stride, count, sweep->add, made->sums,
                                     sums, made->lost));
    return insert_sum(work, product, to[0]);
}

/* Some slices of the volumes of all count sets, one volume after another. */
SinoStatus sino_matrix_image(SinoOperatorWork *work, const SinoProduct *product, const SinoImaging *imaging,
                             SinoData *const *x, SinoData *image)
{
    const SinoMatrixSurvey *matrix = sino_matrix_survey_of(work->op);
    const SinoVoxelGrid *grid = &matrix->outline.grid;
    const int64_t slices = sino_larger(grid->z_count, 1), voxels = matrix->order->column_count / slices;
    const SinoVoxelsImage what = {.order = matrix->order,
                                  .slices = product->slices,
                                  .set = imaging->first / slices,
                                  .first = sino_times(imaging->first % slices, voxels),
                                  .count = sino_times(imaging->count, voxels),
                                  .scale = imaging->scale};
    return sino_insert_voxels_image(work->op->runtime, product->position, &what, x[0], image);
}
