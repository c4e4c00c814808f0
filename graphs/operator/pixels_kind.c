/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines, strips and pixels, kinds of operator without a matrix (pixels.h). Lines computes the lengths of rays in voxels
 * in every product; strips means them over the width of a detector pixel. Pixels backprojects to the middles of pixels;
 * it projects nothing, and serves methods that only backproject (FBP). */
#include "rays_tasks.h"
#include "tiles_kind.h"

static SinoStatus size(const SinoProblem *problem, const SinoDivision *division, int64_t worker_count,
                       SinoOperatorSize *size)
{
    SINO_TRY(sino_tiles_size(problem, division, worker_count, sino_pixels_scratch_bytes(), size));
    if (sino_operator_adds(&sino_pixels_kind, &problem->geometry))
        size->shape.extent[SINO_ROWS_WAITING] = (SinoExtent){0};
    return NULL;
}

static SinoStatus open_all(SinoOperator *op, const SinoOperatorRequest *request)
{
    return sino_tiles_open(op, request, sino_pixels_scratch_bytes());
}

/* The product of a partition and all angles of the product's subset. */
static SinoPixels product_of(const SinoOperator *op, const SinoProduct *product, int64_t partition)
{
    const SinoTilesOwn *own = op->own;
    const SinoProjector projector = op->problem.projector;
    SinoPixels what = {.geometry = own->subset[product->subset],
                       .weights = projector == SINO_PROJECTOR_LINES    ? SINO_PIXELS_LENGTHS
                                  : projector == SINO_PROJECTOR_STRIPS ? SINO_PIXELS_STRIPS
                                                                       : SINO_PIXELS_LINEAR,
                       .slices = product->slices,
                       .angle_count = own->subset[product->subset].angle_count};
    what.tile = sino_tiles_of(own, partition, &what.tile_count);
    return what;
}

static SinoStatus insert_project(SinoOperatorWork *work, const SinoProduct *product, SinoPosition position,
                                 int64_t first_angle, int64_t angle_count, SinoData *x, SinoData *order, SinoData *y)
{
    const SinoTilesOwn *own = work->op->own;
    SinoPixels what = product_of(work->op, product, position.partition);
    what.first_angle = first_angle;
    what.angle_count = angle_count;
    return sino_insert_pixels_project(work->op->runtime, position, &what, position.partition == 0, x, own->scratch,
                                      order, y);
}

static SinoStatus project(SinoOperatorWork *work, const SinoProduct *product, SinoData *const *x, SinoData *y)
{
    return sino_tiles_project(work, product, insert_project, x, y);
}

/* The rays are those of the block. */
static void take_angles(SinoAngleBlock block, SinoPixels *what)
{
    what->geometry.angle_rad += block.first;
    what->geometry.angle_count = what->angle_count = block.count;
}

static SinoStatus backproject(SinoOperatorWork *work, const SinoProduct *product, SinoData *y, SinoData *const *x)
{
    const SinoTilesOwn *own = work->op->own;
    const SinoAngleBlock block = product->block;
    SinoPosition position = product->position;
    for (int64_t p = 0; p < own->decomposition.partition_count; p++) {
        SinoPixels what = product_of(work->op, product, p);
        position.partition = p;
        if (what.tile_count == 0) continue;
        if (block.count > 0) take_angles(block, &what);
        SINO_TRY(sino_insert_pixels_back(work->op->runtime, position, &what, block.first == 0, y, own->scratch, x[p]));
    }
    return sino_tiles_insert_sums(work, product->position, x);
}

static double lines_flops(const SinoProblem *problem, int64_t slices)
{
    return sino_operator_samples(problem) * sino_pixels_flops(SINO_PIXELS_LENGTHS, slices);
}

static double strips_flops(const SinoProblem *problem, int64_t slices)
{
    return sino_operator_samples(problem) * sino_pixels_flops(SINO_PIXELS_STRIPS, slices);
}

static double pixels_flops(const SinoProblem *problem, int64_t slices)
{
    return sino_operator_samples(problem) * sino_pixels_flops(SINO_PIXELS_LINEAR, slices);
}

static void report_lines(const SinoOperator *op)
{
    const SinoTilesOwn *own = op->own;
    const bool strips = op->problem.projector == SINO_PROJECTOR_STRIPS;
    if (op->idle) return;
    sino_angle_subsets_report(&own->angles, sino_runtime_log(op->runtime));
    sino_log_info(sino_runtime_log(op->runtime), "operator",
                  "operator: the lengths of rays%s are computed in every product; nothing is stored (%s)",
                  strips ? ", means over the width of a detector pixel," : "", sino_pixels_isa_name());
}

static void report_pixels(const SinoOperator *op)
{
    if (op->idle) return;
    sino_log_info(sino_runtime_log(op->runtime), "operator",
                  "operator: backprojection to the middles of pixels, nothing is stored (%s)", sino_pixels_isa_name());
}

#define PIXELS_KIND                                                                                                    \
    SINO_TILES_KIND, .outline = sino_tiles_outline, .size = size, .open = open_all, .close = sino_tiles_close,         \
                     .backproject = backproject
#define LENGTHS_KIND                                                                                                   \
    PIXELS_KIND, .lengths = true, .minibatch = SINO_PIXELS_SHARING, .project = project, .report = report_lines

const SinoOperatorKind sino_lines_kind = {
    LENGTHS_KIND,
    .name = "lines",
    .projector = SINO_PROJECTOR_LINES,
    .product_flops = lines_flops,
};

const SinoOperatorKind sino_strips_kind = {
    LENGTHS_KIND, .name = "strips", .projector = SINO_PROJECTOR_STRIPS, .asked = true, .product_flops = strips_flops,
};

const SinoOperatorKind sino_pixels_kind = {
    PIXELS_KIND,  .name = "pixels",        .projector = SINO_PROJECTOR_PIXELS, .product_flops = pixels_flops,
    .adds = true, .report = report_pixels,
};
