/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotate, the kind of operator: projections of a turned image and their transpose (rotate.h), without a matrix. */
#include "rays_gate_task.h"
#include "rotate_task.h"
#include "tiles_kind.h"

#include "arithmetic.h"
#include "settings.h"

static bool takes(const SinoProblem *problem)
{
    return sino_tiles_take(problem, SINO_PROJECTOR_ROTATE);
}

static SinoStatus size(const SinoProblem *problem, const SinoDivision *division, int64_t worker_count,
                       SinoOperatorSize *size)
{
    return sino_tiles_size(problem, division, worker_count, sino_rotate_task_scratch_bytes(), size);
}

static SinoStatus open_all(SinoOperator *op, const SinoOperatorRequest *request)
{
    return sino_tiles_open(op, request, sino_rotate_task_scratch_bytes());
}

/* The product of a partition and all angles of a subset. */
static SinoRotate product_of(const SinoOperator *op, const SinoProduct *product, int64_t partition)
{
    const SinoTilesOwn *own = op->own;
    SinoRotate what = {.geometry = own->subset[product->subset],
                       .interpolation = op->problem.interpolation,
                       .slices = product->slices,
                       .angle_count = own->subset[product->subset].angle_count};
    what.tile = sino_tiles_of(own, partition, &what.tile_count);
    return what;
}

static SinoPosition at_partition(const SinoProduct *product, int64_t partition)
{
    SinoPosition position = product->position;
    position.partition = partition;
    return position;
}

/* Tasks of a partition and some angles. Those of one partition follow each other, so that its voxels are in the
 * caches. */
static SinoStatus project(SinoOperatorWork *work, const SinoProduct *product, SinoData *const *x, SinoData *y)
{
    const SinoTilesOwn *own = work->op->own;
    const SinoTilesWork *made = work->own;
    SinoRuntime *runtime = work->op->runtime;
    const int64_t angles = own->subset[product->subset].angle_count, step = own->task_angles;
    SINO_TRY(sino_insert_rays_begin(runtime, product->position, false, y));
    for (int64_t p = 0; p < own->decomposition.partition_count; p++)
        for (int64_t k = 0; k < angles; k += step) {
            SinoRotate what = product_of(work->op, product, p);
            what.first_angle = k;
            what.angle_count = sino_smaller(step, angles - k);
            if (what.tile_count == 0 && p > 0) continue;
            SINO_TRY(sino_insert_rotate_project(runtime, at_partition(product, p), &what, p == 0, x[p], own->scratch,
                                                made->order[k / step], y));
        }
    return sino_insert_rays_end(runtime, product->position, y);
}

static SinoStatus backproject(SinoOperatorWork *work, const SinoProduct *product, SinoData *y, SinoData *const *x)
{
    const SinoTilesOwn *own = work->op->own;
    for (int64_t p = 0; p < own->decomposition.partition_count; p++) {
        const SinoRotate what = product_of(work->op, product, p);
        if (what.tile_count == 0) continue;
        SINO_TRY(sino_insert_rotate_back(work->op->runtime, at_partition(product, p), &what, y, own->scratch, x[p]));
    }
    return NULL;
}

static void report(const SinoOperator *op)
{
    const SinoTilesOwn *own = op->own;
    if (op->idle) return;
    sino_angle_subsets_report(&own->angles, sino_runtime_log(op->runtime));
    sino_log_info(sino_runtime_log(op->runtime), "operator",
                  "operator: slices are turned in every product, with %s interpolation; nothing is stored (%s)",
                  sino_interpolation_name(op->problem.interpolation), sino_rotate_task_isa_name());
}

const SinoOperatorKind sino_rotate_kind = {.name = "rotate",
                                           .takes = takes,
                                           .check = sino_tiles_check,
                                           .outline = sino_tiles_outline,
                                           .size = size,
                                           .open = open_all,
                                           .close = sino_tiles_close,
                                           .work_bytes = sino_tiles_work_bytes,
                                           .work_open = sino_tiles_work_open,
                                           .work_close = sino_tiles_work_close,
                                           .project = project,
                                           .backproject = backproject,
                                           .image = sino_tiles_image,
                                           .tiling = sino_tiles_tiling,
                                           .report = report,
                                           .keep = sino_tiles_keep};
