/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone plan: how a cone-beam run divides its volume and projections within its memory. */
#include "cone_plan.h"

#include "arithmetic.h"
#include "cone_part_size.h"
#include "cone_reconstruction.h"
#include "plan_fit.h"
#include "resources.h"
#include "stages.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum {
    IMAGE_SLICES = 16,    /* a cache line of voxels along z */
    PART_VOXELS = 128,    /* lines of longer parts leave the first-level cache */
    BAND_ROWS = 16,       /* base runs whose lines stay in the second-level cache */
    PARTS_PER_WORKER = 4, /* parts at least, so that no worker waits for another's part */
    PIECE_SETS_MAX = 16,
    BANDS_OF_SUMS = 16, /* bands at least where ranks add up voxels: the last one's messages overlap nothing */
    BLOCK_SETS = 3,     /* one is added, one is complete, one is filled */
    IMAGE_SETS_MAX = 16
};
_Static_assert((int)PIECE_SETS_MAX <= (int)SINO_COUNT_SETS_MAX, "sets of counts");

/* The division into slab_count slabs, with block_sets blocks of lines. More than one: with memory for every worker to
 * be busy; else with the least. */
static SinoConeStreaming divide(const SinoConePlanRequest *request, SinoGridShape grid, int64_t slab_count,
                                int64_t block_sets)
{
    const SinoCone *cone = request->cone;
    const bool generous = block_sets > 1;
    const int64_t workers = sino_larger(request->machine.worker_count, 1);
    SinoConeStreaming plan = {.grid_rows = grid.batch_groups,
                              .grid_columns = grid.data_ranks,
                              .symmetry = sino_cone_symmetry(cone, request->symmetry),
                              .precision = request->precision,
                              .image_slices = sino_smaller(IMAGE_SLICES, cone->z_count),
                              .piece_sets = generous ? sino_smaller(sino_larger(workers, 2), PIECE_SETS_MAX) : 1,
                              .block_sets = block_sets,
                              .arrival_sets = (grid.data_ranks - 1) * (generous ? 2 : 1),
                              .image_sets = generous ? sino_smaller(sino_larger(workers / 2, 2), IMAGE_SETS_MAX) : 1};
    if (slab_count > 1) plan.symmetry.halves = 1;
    plan.slab_slices = slab_count == 1
                           ? cone->z_count
                           : sino_ceil_multiple(sino_ceil_divide(cone->z_count, slab_count), plan.image_slices);
    plan.slab_count = sino_ceil_divide(cone->z_count, plan.slab_slices);
    sino_cone_part_size(cone, &request->machine, &plan);
    plan.send_sets = plan.grid_rows > 1 ? sino_times(block_sets, sino_cone_own_pieces(cone, &plan)) : 0;
    return plan;
}

static void complete(const SinoConePlanRequest *request, SinoGridShape grid, int64_t slab_count, int64_t block_sets,
                     SinoConePlan *plan)
{
    const SinoInput *input = request->input;
    plan->streaming = divide(request, grid, slab_count, block_sets);
    plan->bytes =
        sino_cone_bytes(request->cone, input, &plan->streaming, sino_larger(request->machine.worker_count, 1));
    plan->loading_bytes =
        sino_load_field_bytes(request->field_images, input->slice_count, sino_input_field_bytes(input, 1));
    plan->total_bytes = sino_runtime_base_bytes() + plan->bytes.total + plan->loading_bytes + request->record_bytes;
}

/* The blocks of projections, which columns of ranks share. */
static int64_t blocks_of(const SinoConePlanRequest *request)
{
    const SinoConeStreaming plan = {.symmetry = sino_cone_symmetry(request->cone, request->symmetry)};
    return sino_cone_block_count(request->cone, &plan);
}

/* Rows of ranks that all have voxels of a volume that is one slab. */
static int64_t most_grid_rows(const SinoConePlanRequest *request)
{
    const int64_t halves = sino_cone_symmetry(request->cone, request->symmetry).halves;
    return sino_larger(1, sino_ceil_divide(request->cone->z_count / halves, IMAGE_SLICES));
}

static SinoStatus choose_grid(const SinoConePlanRequest *request, SinoGridShape *grid)
{
    const int64_t ranks = sino_larger(request->rank_count, 1), rows_most = most_grid_rows(request);
    const int64_t blocks = blocks_of(request);
    *grid = request->grid;
    if (grid->batch_groups == 0) {
        grid->batch_groups = sino_smaller(ranks, rows_most);
        while (ranks % grid->batch_groups != 0) grid->batch_groups--;
        grid->data_ranks = ranks / grid->batch_groups;
    }
    SINO_CHECK(sino_times(grid->batch_groups, grid->data_ranks) == ranks, SINO_BAD_INPUT,
               "grid is %" PRId64 "x%" PRId64 ", and there are %" PRId64
               " ranks; allowed with --geometry cone: auto, or rows x columns of as many ranks",
               grid->batch_groups, grid->data_ranks, ranks);
    SINO_CHECK(grid->batch_groups <= rows_most && grid->data_ranks <= blocks, SINO_BAD_INPUT,
               "a grid of %" PRId64 "x%" PRId64 " ranks for a volume of %" PRId64 " slices and %" PRId64
               " projections; allowed: up to %" PRId64 " rows and %" PRId64 " columns of ranks",
               grid->batch_groups, grid->data_ranks, request->cone->z_count, request->cone->angle_count, rows_most,
               blocks);
    return NULL;
}

SinoConePlanRequest sino_cone_plan_request(const SinoSettings *settings, const SinoInput *input, const SinoCone *cone,
                                           const SinoMachine *machine, int64_t rank_count)
{
    const SinoRecordShape shape = sino_cone_record_shape(cone, 1, 1, sino_settings_records_planes(settings));
    const int64_t packing = sino_workload_packing(&settings->output, machine, sino_times(IMAGE_SETS_MAX, IMAGE_SLICES),
                                                  sino_times(cone->x_count, cone->y_count));
    return (SinoConePlanRequest){.cone = cone,
                                 .input = input,
                                 .machine = *machine,
                                 .precision = settings->projection.precision,
                                 .symmetry = settings->projection.symmetry,
                                 .rank_count = rank_count,
                                 .grid = settings->team.grid,
                                 .field_images = sino_workload_fields(input),
                                 .record_bytes = sino_record_bytes(&shape) + packing};
}

SinoCone sino_cone_coarse(const SinoCone *cone)
{
    enum { SIDE_MOST = 64 };
    const int64_t longest = sino_larger(cone->z_count, sino_larger(cone->x_count, cone->y_count));
    const int64_t step = sino_larger(2, sino_ceil_divide(longest, SIDE_MOST));
    SinoCone coarse = *cone;
    coarse.x_count = sino_larger(1, cone->x_count / step);
    coarse.y_count = sino_larger(1, cone->y_count / step);
    coarse.z_count = sino_larger(1, cone->z_count / step);
    coarse.voxel_size = cone->voxel_size * (double)step;
    coarse.lift = round(2 * cone->lift / (double)step) / 2;
    return coarse;
}

SinoSettings sino_cone_coarse_settings(const SinoSettings *settings)
{
    SinoSettings quick = *settings;
    quick.solver.algorithm = SINO_ALGORITHM_FDK;
    quick.output.type = SINO_OUTPUT_FLOAT32;
    quick.team.grid = (SinoGridShape){0};
    return quick;
}

/* Most slabs of a volume. Every row of ranks has voxels of each slab. */
static int64_t most_slabs(const SinoConePlanRequest *request, SinoGridShape grid)
{
    return sino_ceil_divide(request->cone->z_count, sino_times(grid.batch_groups, IMAGE_SLICES));
}

/* Ranks of a column wait for each other's lines: what one of them is late by, memory makes up for. */
static int64_t most_block_sets(const SinoConePlanRequest *request, SinoGridShape grid)
{
    const int64_t blocks = sino_ceil_divide(blocks_of(request), grid.data_ranks);
    return grid.batch_groups > 1 ? sino_larger(BLOCK_SETS, sino_smaller(blocks, SINO_CONE_BLOCKS_MAX)) : BLOCK_SETS;
}

static int64_t fewer_block_sets(int64_t sets)
{
    return sets > BLOCK_SETS ? sino_larger(sets / 2, BLOCK_SETS) : sets > 1 ? 1 : 0;
}

int64_t sino_cone_plan_least_bytes(const SinoConePlanRequest *request)
{
    const SinoGridShape alone = {1, 1};
    SinoConePlan plan = {0};
    complete(request, alone, most_slabs(request, alone), 1, &plan);
    return plan.total_bytes;
}

/* The fewest slabs above `slabs` that are smaller than those of the plan: numbers between make the same plan. */
static int64_t more_slabs(const SinoConePlanRequest *request, const SinoConeStreaming *plan, int64_t slabs)
{
    const int64_t smaller = plan->slab_slices - plan->image_slices;
    return slabs == 1 || smaller <= 0 ? slabs + 1 : sino_ceil_divide(request->cone->z_count, smaller);
}

/* A plan in the making: the division into `slabs` with `sets` blocks of lines. */
typedef struct Planning {
    const SinoConePlanRequest *request;
    SinoGridShape grid;
    int64_t slabs, last, sets; /* last: most slabs */
    SinoConePlan plan;
} Planning;

static SinoStatus measure(void *of, SinoPlanNeed *need)
{
    Planning *planning = of;
    const SinoConePlanRequest *request = planning->request;
    SinoConePlan *plan = &planning->plan;
    complete(request, planning->grid, planning->slabs, planning->sets, plan);
    *need = (SinoPlanNeed){plan->total_bytes, request->machine.memory_bytes,
                           sino_cone_fits_devices(request->cone, &request->machine, &plan->streaming)};
    return NULL;
}

static bool narrow(void *of)
{
    Planning *planning = of;
    const int64_t sets = fewer_block_sets(planning->sets);
    const int64_t slabs = more_slabs(planning->request, &planning->plan.streaming, planning->slabs);
    if (sets == 0 && slabs > planning->last) return false;
    if (sets == 0) planning->slabs = slabs;
    planning->sets = sets > 0 ? sets : most_block_sets(planning->request, planning->grid);
    return true;
}

static SinoStatus too_little(const SinoConeStreaming *streaming, const SinoPlanNeed *need)
{
    char subject[80];
    snprintf(subject, sizeof subject, "%" PRId64 " slabs of %" PRId64 " slices need", streaming->slab_count,
             streaming->slab_slices);
    return sino_plan_too_little(need, subject, "", ", or a smaller --volume");
}

SinoStatus sino_cone_plan_new(const SinoConePlanRequest *request, SinoConePlan *result)
{
    SinoPlanNeed need;
    Planning planning = {.request = request, .plan.budget_bytes = request->machine.memory_bytes};
    SINO_TRY(choose_grid(request, &planning.grid));
    const int64_t images = most_slabs(request, planning.grid);
    planning.slabs = request->slab_count > 0 ? sino_smaller(request->slab_count, images) : 1;
    planning.last = request->slab_count > 0 ? planning.slabs : images;
    planning.sets = most_block_sets(request, planning.grid);
    SINO_TRY(sino_plan_fit(measure, narrow, &planning, &need));
    const SinoConeStreaming *last = &planning.plan.streaming;
    if (need.total_bytes > need.budget_bytes) return too_little(last, &need);
    if (!need.fits_devices) return sino_cone_device_too_small(request->cone, &request->machine, last);
    *result = planning.plan;
    return NULL;
}

const char *sino_cone_plan_kernel(const SinoConePlan *plan)
{
    const bool turns = plan->streaming.symmetry.turns > 1, halves = plan->streaming.symmetry.halves > 1;
    return turns && halves ? "quarter turns and mirror images share positions"
           : turns         ? "quarter turns share positions"
           : halves        ? "mirror images share positions"
                           : "general: nothing is shared";
}
