/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone, the kind of operator: products of A and Aᵀ of a cone beam, or of projections that have vectors, a task for each
 * band of the volume. Ranks share the angles of each subset, and all have every voxel: backprojections are added up
 * over them. */
#include "cone_kind.h"

#include "angle_work.h"
#include "cone_tasks.h"
#include "device.h"
#include "memory.h"
#include "rays_tasks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    BAND_ROWS = 16,       /* whose voxels stay in the second-level cache */
    BANDS_MAX = 256,      /* so that tasks are not too many */
    TASKS_PER_WORKER = 4, /* of a projection by a band: none waits long for another's end */
    ANGLES_LEAST = 2      /* of such a task: the band's voxels are read once for them */
};

/* SinoOperator.own. All members are owned. */
typedef struct Own {
    SinoCone *subset;     /* [subset_count]: the cone with this rank's angles of the subset */
    int64_t angle_count;  /* of this rank */
    double *angle_rad;    /* [angle of this rank], subset after subset */
    SinoView *view;       /* likewise; NULL: the cone has none */
    int64_t *place;       /* SinoOperator.place */
    int64_t *subset_rays; /* rows of SINO_ROWS_SUBSET */
    int64_t band_count;
    int64_t *band_voxels; /* [band] */
    SinoExchangePart *part;
    SinoRayExchange *exchange;
    SinoData *scratch;
    int64_t task_angles; /* of a task that projects */
    double voxel_rays;   /* of a projection for each voxel */
} Own;

int64_t sino_cone_band_rows(const SinoCone *cone)
{
    return sino_larger(BAND_ROWS, sino_ceil_multiple(sino_ceil_divide(cone->y_count, BANDS_MAX), BAND_ROWS));
}

double sino_cone_product_work(const SinoCone *cone)
{
    return (double)cone->z_count;
}

static int64_t band_count(const SinoCone *cone)
{
    return sino_ceil_divide(cone->y_count, sino_cone_band_rows(cone));
}

static SinoConeBand band_of(const SinoCone *cone, int64_t number)
{
    const int64_t rows = sino_cone_band_rows(cone), first = sino_times(number, rows);
    return (SinoConeBand){first, sino_smaller(rows, cone->y_count - first)};
}

static int64_t voxels_of_rows(const SinoCone *cone, int64_t rows)
{
    return sino_times(sino_times(rows, cone->x_count), cone->z_count);
}

static int64_t rays_of_angle(const SinoCone *cone)
{
    return sino_times(cone->column_count, cone->row_count);
}

/* Of S subsets, subset s has the angles s, s + S, s + 2S … */
static int64_t subset_angles(const SinoProblem *problem, int64_t subset)
{
    return sino_ceil_divide(problem->cone->angle_count - subset, problem->subset_count);
}

/* Angles of the last rank, none of which has more of any subset (sino_ray_exchange_first_angle). */
static int64_t most_angles(const SinoProblem *problem, int64_t rank_count)
{
    int64_t count = 0;
    for (int64_t s = 0; s < problem->subset_count; s++)
        count += sino_ceil_divide(subset_angles(problem, s), rank_count);
    return count;
}

/* The same of a subset alone. */
static int64_t most_subset_angles(const SinoProblem *problem, int64_t rank_count)
{
    return sino_ceil_divide(subset_angles(problem, 0), rank_count);
}

static bool takes(const SinoOperatorKind *kind, const SinoProblem *problem)
{
    (void)kind;
    return problem->cone && problem->precision == SINO_SINGLE;
}

static SinoStatus check(const char *folder)
{
    SINO_CHECK(!folder, SINO_BAD_INPUT,
               "operator-cache is '%s'; allowed with --geometry cone: none, because nothing "
               "of the operator is stored",
               folder);
    return NULL;
}

static SinoStatus outline(const SinoProblem *problem, SinoOperatorOutline *outline)
{
    *outline = (SinoOperatorOutline){.unit_count = band_count(problem->cone),
                                     .voxel_count = voxels_of_rows(problem->cone, problem->cone->y_count)};
    return NULL;
}

static SinoStatus size(const SinoProblem *problem, const SinoDivision *division, int64_t worker_count,
                       SinoOperatorSize *size)
{
    const SinoCone *cone = problem->cone;
    const int64_t ranks = division ? division->topology.rank_count : 1, bands = band_count(cone);
    const int64_t rays = sino_times(most_angles(problem, ranks), rays_of_angle(cone));
    SinoExtent *extent = size->shape.extent;
    *size = (SinoOperatorSize){.map_bytes = sino_times(worker_count, sino_cone_project_scratch_bytes(cone)),
                               .shape.precision = problem->precision,
                               .stored_angles = cone->angle_count,
                               .orientations = 1};
    extent[SINO_ROWS_MINIBATCH] = sino_extent_one(1);
    extent[SINO_ROWS_RAYS] = sino_extent_one(rays);
    extent[SINO_ROWS_SUBSET] = (SinoExtent){.members = problem->subset_count,
                                            .total = rays,
                                            .most = sino_times(most_subset_angles(problem, ranks), rays_of_angle(cone)),
                                            .filled = problem->subset_count};
    extent[SINO_ROWS_VOXELS] = (SinoExtent){.members = bands,
                                            .total = voxels_of_rows(cone, cone->y_count),
                                            .most = voxels_of_rows(cone, band_of(cone, 0).row_count),
                                            .filled = bands};
    extent[SINO_ROWS_TALLY] = sino_extent_one(cone->angle_count + cone->column_count);
    if (ranks == 1) return NULL;
    extent[SINO_ROWS_RANKS] = (SinoExtent){.members = ranks, .total = ranks - 1, .most = 1, .filled = ranks - 1};
    extent[SINO_ROWS_SHARED] = sino_extent_one(1);
    return NULL;
}

/* ---- open ---- */

/* Of each subset the angles of data rank shape->data_rank. */
static SinoStatus list_angles(const SinoOperator *op, const SinoRayExchangeShape *shape, Own *own)
{
    const SinoCone *cone = op->problem.cone;
    const int64_t subsets = op->problem.subset_count;
    int64_t first = 0;
    SINO_TRY(sino_allocate(subsets, sizeof *own->subset, "subsets", &own->subset));
    SINO_TRY(sino_allocate(subsets, sizeof *own->subset_rays, "subsets", &own->subset_rays));
    SINO_TRY(sino_allocate(cone->angle_count, sizeof *own->angle_rad, "angles", &own->angle_rad));
    SINO_TRY(sino_allocate(cone->angle_count, sizeof *own->place, "angles", &own->place));
    if (cone->view) SINO_TRY(sino_allocate(cone->angle_count, sizeof *own->view, "vectors", &own->view));
    for (int64_t k = 0; k < cone->angle_count; k++) own->place[k] = -1;
    for (int64_t s = 0; s < subsets; s++) {
        const int64_t all = subset_angles(&op->problem, s);
        const int64_t begin = sino_ray_exchange_first_angle(all, shape->data_rank, shape->data_count);
        const int64_t count = sino_ray_exchange_first_angle(all, shape->data_rank + 1, shape->data_count) - begin;
        own->subset[s] = *cone;
        own->subset[s].angle_count = count;
        own->subset[s].angle_rad = own->angle_rad + first;
        own->subset[s].view = cone->view ? own->view + first : NULL;
        own->subset_rays[s] = sino_times(count, rays_of_angle(cone));
        for (int64_t i = 0; i < count; i++) {
            const int64_t number = s + (begin + i) * subsets;
            own->place[number] = first + i;
            own->angle_rad[first + i] = cone->angle_rad[number];
            if (cone->view) own->view[first + i] = cone->view[number];
        }
        first += count;
    }
    own->angle_count = first;
    return NULL;
}

static SinoStatus list_bands(const SinoOperator *op, Own *own)
{
    const SinoCone *cone = op->problem.cone;
    own->band_count = band_count(cone);
    SINO_TRY(sino_allocate(own->band_count, sizeof *own->band_voxels, "partitions", &own->band_voxels));
    SINO_TRY(sino_allocate(own->band_count, sizeof *own->part, "partitions", &own->part));
    for (int64_t b = 0; b < own->band_count; b++) {
        own->band_voxels[b] = voxels_of_rows(cone, band_of(cone, b).row_count);
        own->part[b].footprint.ray_count = sino_times(cone->angle_count, rays_of_angle(cone));
    }
    return NULL;
}

static SinoStatus open_exchange(SinoOperator *op, const SinoRayExchangeShape *shape, Own *own)
{
    const SinoCone *cone = op->problem.cone;
    const SinoRayExchangeShape flat = {.first_process = shape->first_process,
                                       .data_rank = shape->data_rank,
                                       .data_count = shape->data_count,
                                       .nodes = 1,
                                       .sockets = 1,
                                       .workers = own->band_count}; /* nothing is summed by level */
    const SinoExchangeParts parts = {.angle_count = cone->angle_count,
                                     .column_count = rays_of_angle(cone),
                                     .whole = true,
                                     .count = own->band_count,
                                     .part = own->part,
                                     .all_count = own->band_count,
                                     .all_voxels = own->band_voxels};
    SINO_TRY(sino_ray_exchange_new(op->runtime, &flat, &parts, &own->exchange));
    op->shape.precision = op->problem.precision;
    SINO_TRY(sino_ray_exchange_extents(own->exchange, op->shape.extent));
    op->shape.extent[SINO_ROWS_MINIBATCH] = sino_extent_one(1);
    op->shape.extent[SINO_ROWS_RAYS] = sino_extent_one(sino_times(own->angle_count, rays_of_angle(cone)));
    op->shape.extent[SINO_ROWS_SUBSET] = sino_extent_of(op->problem.subset_count, own->subset_rays);
    op->shape.extent[SINO_ROWS_PIXELS] = sino_extent_one(0); /* volumes become images slice by slice */
    op->shape.extent[SINO_ROWS_TALLY] = sino_extent_one(cone->angle_count + cone->column_count);
    op->ranks = own->exchange;
    op->replicated = true;
    op->place = own->place;
    return NULL;
}

/* Angles of a task that projects. The rays do not depend on it. Where vectors are paged, the rays of all workers stay
 * in half of the window while the bands pass, as few times as that allows. */
static int64_t task_angles(const SinoOperator *op, int64_t rank_count)
{
    const int64_t workers = sino_larger(sino_runtime_worker_count(op->runtime), 1);
    const int64_t window = sino_runtime_window(op->runtime), angles = most_subset_angles(&op->problem, rank_count);
    const int64_t of_angle = sino_times(rays_of_angle(op->problem.cone), (int64_t)sizeof(float));
    const int64_t fit = window / 2 / sino_times(workers, of_angle);
    const int64_t tasks = window > 0 ? workers : TASKS_PER_WORKER * workers, each = sino_ceil_divide(angles, tasks);
    return sino_larger(window > 0 ? sino_smaller(each, fit) : each, ANGLES_LEAST);
}

/* Data by which so many tasks of a band are ordered: one for each, or, of paged rays, for each worker, whose angles are
 * done before it turns to others. */
static int64_t order_count(const SinoOperator *op, int64_t tasks)
{
    return sino_runtime_window(op->runtime) > 0
               ? sino_smaller(tasks, sino_larger(sino_runtime_worker_count(op->runtime), 1))
               : tasks;
}

static SinoStatus describe(const SinoOperator *op, const SinoRayExchangeShape *shape, Own *own)
{
    own->task_angles = task_angles(op, shape->data_count);
    own->voxel_rays = sino_cone_mean_voxel_rays(op->problem.cone);
    SINO_TRY(list_angles(op, shape, own));
    return list_bands(op, own);
}

static SinoStatus open_all(SinoOperator *op, const SinoOperatorRequest *request)
{
    Own *own = NULL;
    SinoStatus status = sino_allocate(1, sizeof *own, "the operator", &own);
    op->own = own;
    if (!status) status = describe(op, &request->shape, own);
    SINO_TRY(sino_processes_agree(sino_runtime_processes(op->runtime), status));
    SINO_TRY(open_exchange(op, &request->shape, own));
    return sino_data_scratch(op->runtime, "project scratch", sino_cone_project_scratch_bytes(op->problem.cone),
                             &own->scratch);
}

static void close_all(SinoOperator *op)
{
    Own *own = op->own;
    if (!own) return;
    sino_data_free(own->scratch);
    sino_ray_exchange_free(own->exchange);
    free(own->part);
    free(own->band_voxels);
    free(own->subset);
    free(own->subset_rays);
    free(own->angle_rad);
    free(own->view);
    free(own->place);
    free(own);
}

/* ---- work ---- */

static SinoStatus work_open(SinoOperatorWork *work, const SinoSlices *slices, int64_t number, bool overlap)
{
    const Own *own = work->op->own;
    const int64_t angles = most_subset_angles(&work->op->problem, own->exchange->shape.data_count);
    const int64_t orders = order_count(work->op, sino_ceil_divide(angles, own->task_angles));
    return sino_angle_work_open(work, own->exchange, orders, own->band_count, own->band_voxels, slices, number,
                                overlap);
}

/* ---- products ---- */

/* A product, and the progress that one of its voxels at one of its angles is. */
typedef struct Product {
    const SinoOperator *op;
    const Own *own;
    const SinoCone *cone; /* of the subset */
    SinoPosition position;
    double progress;
} Product;

static Product product_of(const SinoOperatorWork *work, const SinoProduct *wanted)
{
    const SinoOperator *op = work->op;
    const Own *own = op->own;
    const SinoCone *all = op->problem.cone;
    const double voxels = (double)voxels_of_rows(all, all->y_count);
    return (Product){.op = op,
                     .own = own,
                     .cone = &own->subset[wanted->subset],
                     .position = wanted->position,
                     .progress = wanted->position.iteration < 1
                                     ? 0
                                     : sino_cone_product_work(all) / voxels / (double)own->angle_count};
}

/* The task of a band and some angles. */
static SinoProjectCone task_of(const Product *product, int64_t band, SinoConeAngles angles)
{
    return (SinoProjectCone){.cone = product->cone,
                             .band = band_of(product->cone, band),
                             .angles = angles,
                             .first = band == 0,
                             .voxel_rays = product->own->voxel_rays,
                             .progress =
                                 product->progress * (double)product->own->band_voxels[band] * (double)angles.count};
}

static SinoPosition at_band(const Product *product, int64_t band)
{
    SinoPosition position = product->position;
    position.partition = band;
    return position;
}

/* A task of each band and all angles: the tasks add to the rays, which stay on one GPU, one after the other. */
static SinoStatus project_whole(const Product *product, SinoData *const *x, SinoData *y)
{
    for (int64_t b = 0; b < product->own->band_count; b++) {
        const SinoProjectCone task = task_of(product, b, (SinoConeAngles){0, product->cone->angle_count});
        SINO_TRY(sino_insert_project_cone(product->op->runtime, at_band(product, b), &task, x[b], product->own->scratch,
                                          NULL, y));
    }
    return NULL;
}

/* Tasks of one band follow each other, so that its voxels are in the caches; of paged rays, those of the same angles.
 */
static SinoStatus project(SinoOperatorWork *work, const SinoProduct *wanted, SinoData *const *x, SinoData *y)
{
    const Product product = product_of(work, wanted);
    const SinoAngleWork *made = work->own;
    const int64_t step = product.own->task_angles, angles = product.cone->angle_count;
    const int64_t bands = product.own->band_count, blocks = sino_ceil_divide(angles, step);
    SinoRuntime *runtime = product.op->runtime;
    const bool paged = sino_runtime_window(runtime) > 0;
    if (sino_runtime_devices(runtime) & SINO_DEVICE_CUDA) return project_whole(&product, x, y);
    SINO_TRY(sino_insert_rays_begin(runtime, product.position, false, y));
    for (int64_t i = 0; i < sino_times(bands, blocks); i++) {
        const int64_t b = paged ? i % bands : i / blocks, block = paged ? i / bands : i % blocks, k = block * step;
        const SinoProjectCone task = task_of(&product, b, (SinoConeAngles){k, sino_smaller(step, angles - k)});
        SINO_TRY(sino_insert_project_cone(runtime, at_band(&product, b), &task, x[b], product.own->scratch,
                                          made->order[block % made->count], y));
    }
    return sino_insert_rays_end(runtime, product.position, y);
}

static SinoStatus backproject(SinoOperatorWork *work, const SinoProduct *wanted, SinoData *y, SinoData *const *x)
{
    const Product product = product_of(work, wanted);
    for (int64_t b = 0; b < product.own->band_count; b++) {
        const SinoProjectCone task = task_of(&product, b, (SinoConeAngles){0, product.cone->angle_count});
        SINO_TRY(sino_insert_project_cone_back(product.op->runtime, at_band(&product, b), &task, y,
                                               product.own->scratch, x[b]));
        SINO_TRY(sino_angle_work_sum(work, at_band(&product, b), x[b]));
    }
    return NULL;
}

/* The voxels of a band in the slices. */
static SinoConeAssembly assembly_of(const SinoCone *cone, int64_t number, const SinoImaging *imaging)
{
    const SinoConeBand band = band_of(cone, number);
    return (SinoConeAssembly){.cone = cone,
                              .symmetry = {1, 1},
                              .part = {.first_y = band.first_row,
                                       .x_count = cone->x_count,
                                       .y_count = band.row_count,
                                       .voxel_count = cone->z_count},
                              .first_slice = imaging->first,
                              .slice_count = imaging->count,
                              .scale = imaging->scale,
                              .run_voxels = cone->z_count,
                              .mask_ratio = imaging->mask_ratio};
}

static SinoStatus image(SinoOperatorWork *work, const SinoProduct *wanted, const SinoImaging *imaging,
                        SinoData *const *x, SinoData *image)
{
    const Product product = product_of(work, wanted);
    for (int64_t b = 0; b < product.own->band_count; b++) {
        const SinoConeAssembly assembly = assembly_of(product.op->problem.cone, b, imaging);
        SINO_TRY(sino_insert_assemble_cone(product.op->runtime, at_band(&product, b), &assembly, b == 0, x[b], image));
    }
    return NULL;
}

static SinoStatus fill(SinoOperatorWork *work, const SinoProduct *wanted, const SinoImaging *imaging, SinoData *image,
                       SinoData *const *x)
{
    const Product product = product_of(work, wanted);
    for (int64_t b = 0; b < product.own->band_count; b++) {
        const SinoConeAssembly assembly = assembly_of(product.op->problem.cone, b, imaging);
        SINO_TRY(sino_insert_fill_cone(product.op->runtime, at_band(&product, b), &assembly, image, x[b]));
    }
    return NULL;
}

static SinoBand band(const SinoOperator *op, int64_t partition)
{
    const SinoCone *cone = op->problem.cone;
    return (SinoBand){.row_count = band_of(cone, partition).row_count,
                      .x_count = cone->x_count,
                      .z_count = cone->z_count,
                      .above_rows = partition > 0 ? band_of(cone, partition - 1).row_count : 0};
}

const char *sino_cone_pixels_text(const SinoCone *cone, char text[SINO_CONE_PIXELS_TEXT])
{
    const int64_t count = cone->view ? cone->angle_count : 1;
    int64_t most = 0;
    SinoPixelRays rays = sino_cone_pixel_rays(cone, 0);
    for (int64_t k = 1; k < count; k++) {
        const SinoPixelRays other = sino_cone_pixel_rays(cone, k);
        if (other.across * other.up <= rays.across * rays.up) continue;
        rays = other;
        most = k;
    }
    const SinoPixelVoxels size = sino_cone_pixel_voxels(cone, most);
    text[0] = '\0';
    if (rays.across * rays.up > 1)
        snprintf(text, SINO_CONE_PIXELS_TEXT, "%" PRId64 " x %" PRId64 " rays, as they span %.3g x %.3g voxels",
                 rays.across, rays.up, size.width, size.height);
    return text;
}

static void report(const SinoOperator *op)
{
    const bool gpus = sino_runtime_devices(op->runtime) & SINO_DEVICE_CUDA && op->problem.cone->window.pitch_mm == 0;
    char pixels[SINO_CONE_PIXELS_TEXT];
    sino_cone_pixels_text(op->problem.cone, pixels);
    sino_log_info(sino_runtime_log(op->runtime), "operator", "operator: rays are followed in every product, %s%s%s%s",
                  sino_cone_project_isa_name(), gpus ? " on cores, or by GPUs" : "", *pixels ? "; pixels: " : "",
                  pixels);
}

const SinoOperatorKind sino_cone_kind = {.name = "cone",
                                         .kernels = SINO_KERNELS_OF_CUDA,
                                         .takes = takes,
                                         .check = check,
                                         .outline = outline,
                                         .size = size,
                                         .open = open_all,
                                         .close = close_all,
                                         .work_bytes = sino_angle_work_bytes,
                                         .work_open = work_open,
                                         .work_close = sino_angle_work_close,
                                         .project = project,
                                         .backproject = backproject,
                                         .image = image,
                                         .fill = fill,
                                         .band = band,
                                         .report = report};
