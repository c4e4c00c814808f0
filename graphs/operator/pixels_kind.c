/* SPDX-License-Identifier: BSD-3-Clause */
/* Pixels, the kind of operator: backprojection to the middles of pixels (pixels.h), without a matrix. It projects
 * nothing, and serves methods that only backproject (FBP). */
#include "pixels_task.h"
#include "tiles_kind.h"

static bool takes(const SinoProblem *problem)
{
    return sino_tiles_take(problem, SINO_PROJECTOR_PIXELS) && problem->subset_count == 1;
}

static SinoStatus size(const SinoProblem *problem, const SinoDivision *division, int64_t worker_count,
                       SinoOperatorSize *size)
{
    return sino_tiles_size(problem, division, worker_count, sino_pixels_task_scratch_bytes(), size);
}

static SinoStatus open_all(SinoOperator *op, const SinoOperatorRequest *request)
{
    return sino_tiles_open(op, request, sino_pixels_task_scratch_bytes());
}

static SinoStatus backproject(SinoOperatorWork *work, const SinoProduct *product, SinoData *y, SinoData *const *x)
{
    const SinoTilesOwn *own = work->op->own;
    SinoPosition position = product->position;
    for (int64_t p = 0; p < own->decomposition.partition_count; p++) {
        SinoPixels what = {.geometry = own->subset[0], .slices = product->slices};
        what.tile = sino_tiles_of(own, p, &what.tile_count);
        position.partition = p;
        if (what.tile_count == 0) continue;
        SINO_TRY(sino_insert_pixels_back(work->op->runtime, position, &what, y, own->scratch, x[p]));
    }
    return sino_tiles_insert_sums(work, product->position, x);
}

static double product_flops(const SinoProblem *problem, int64_t slices)
{
    (void)slices;
    return sino_operator_samples(problem) * SINO_PIXEL_FLOPS;
}

static void report(const SinoOperator *op)
{
    if (op->idle) return;
    sino_log_info(sino_runtime_log(op->runtime), "operator",
                  "operator: backprojection to the middles of pixels, nothing is stored (%s)",
                  sino_pixels_task_isa_name());
}

const SinoOperatorKind sino_pixels_kind = {
    SINO_TILES_KIND,
    .name = "pixels",
    .projector = SINO_PROJECTOR_PIXELS,
    .product_flops = product_flops,
    .takes = takes,
    .outline = sino_tiles_outline,
    .size = size,
    .open = open_all,
    .close = sino_tiles_close,
    .backproject = backproject,
    .report = report,
};
