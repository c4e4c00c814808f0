/* SPDX-License-Identifier: BSD-3-Clause */
/* FDK plan: how a run of FDK divides its volume and projections. */
#include "unit_plan.h"

#include "amounts.h"
#include "arithmetic.h"
#include "cone_model.h"
#include "live.h"
#include "stages.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { BLOCK_SETS = 3 /* one is added, one is complete, one is filled */ };

/* The division into slab_count slabs, with block_sets blocks of lines. More than one: with memory for every worker to
 * be busy; else with the least. */
static SinoConeStreaming divide(const SinoUnitPlanRequest *request, SinoGridShape grid, int64_t slab_count,
                                int64_t block_sets)
{
    const SinoCone *cone = request->cone;
    const bool generous = block_sets > 1;
    const int64_t workers = sino_larger(request->machine.worker_count, 1);
    SinoConeStreaming plan = {.grid_rows = grid.batch_groups,
                              .grid_columns = grid.data_ranks,
                              .symmetry = sino_cone_symmetry(cone, request->symmetry),
                              .precision = request->precision,
                              .image_slices = sino_smaller(SINO_CONE_IMAGE_SLICES, cone->z_count),
                              .piece_sets = generous ? sino_smaller(sino_larger(workers, 2), SINO_COUNT_SETS_MAX) : 1,
                              .block_sets = block_sets,
                              .arrival_sets = (grid.data_ranks - 1) * (generous ? 2 : 1),
                              .image_sets =
                                  generous ? sino_smaller(sino_larger(workers / 2, 2), SINO_CONE_IMAGE_SETS_MAX) : 1};
    if (slab_count > 1) plan.symmetry.halves = 1;
    plan.slab_slices = slab_count == 1
                           ? cone->z_count
                           : sino_ceil_multiple(sino_ceil_divide(cone->z_count, slab_count), plan.image_slices);
    plan.slab_count = sino_ceil_divide(cone->z_count, plan.slab_slices);
    sino_cone_part_size(cone, &request->machine, &plan);
    plan.send_sets = plan.grid_rows > 1 ? sino_times(block_sets, sino_cone_own_pieces(cone, &plan)) : 0;
    return plan;
}

/* The blocks of projections, which columns of ranks share. */
static int64_t blocks_of(const SinoUnitPlanRequest *request)
{
    const SinoConeStreaming plan = {.symmetry = sino_cone_symmetry(request->cone, request->symmetry)};
    return sino_cone_block_count(request->cone, &plan);
}

/* Rows of ranks that all have voxels of a volume that is one slab. */
static int64_t most_grid_rows(const SinoUnitPlanRequest *request)
{
    const int64_t halves = sino_cone_symmetry(request->cone, request->symmetry).halves;
    return sino_larger(1, sino_ceil_divide(request->cone->z_count / halves, SINO_CONE_IMAGE_SLICES));
}

static SinoStatus choose_grid(const SinoUnitPlanRequest *request, SinoGridShape *grid)
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

SinoUnitPlanRequest sino_fdk_plan_request(const SinoSettings *settings, const SinoInput *input, const SinoCone *cone,
                                          const SinoMachine *machine, int64_t rank_count)
{
    const SinoRecordShape shape = sino_cone_record_shape(cone, 1, 1, sino_settings_records_planes(settings));
    const bool live = sino_settings_live_page(&settings->input);
    return (SinoUnitPlanRequest){
        .kind = &sino_fdk_plan,
        .machine = *machine,
        .rank_count = rank_count,
        .record_bytes = sino_unit_record_bytes(&settings->output, machine, &shape,
                                               sino_times(SINO_CONE_IMAGE_SETS_MAX, SINO_CONE_IMAGE_SLICES)) +
                        (live ? sino_live_bytes(cone->x_count, cone->y_count, cone->z_count, 0) : 0),
        .input = input,
        .cone = cone,
        .precision = settings->projection.precision,
        .symmetry = settings->projection.symmetry && !settings->input.follow, /* quarter turns come late */
        .grid = settings->team.grid};
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
static int64_t most_slabs(const SinoUnitPlanRequest *request, SinoGridShape grid)
{
    return sino_ceil_divide(request->cone->z_count, sino_times(grid.batch_groups, SINO_CONE_IMAGE_SLICES));
}

/* Ranks of a column wait for each other's lines. More blocks in memory let them wait less for one that is late. */
static int64_t most_block_sets(const SinoUnitPlanRequest *request, SinoGridShape grid)
{
    const int64_t blocks = sino_ceil_divide(blocks_of(request), grid.data_ranks);
    return grid.batch_groups > 1 ? sino_larger(BLOCK_SETS, sino_smaller(blocks, SINO_CONE_BLOCKS_MAX)) : BLOCK_SETS;
}

static int64_t fewer_block_sets(int64_t sets)
{
    return sets > BLOCK_SETS ? sino_larger(sets / 2, BLOCK_SETS) : sets > 1 ? 1 : 0;
}

static void least(const SinoUnitPlanRequest *request, SinoUnitPlan *plan)
{
    const SinoGridShape alone = {1, 1};
    plan->streaming = divide(request, alone, most_slabs(request, alone), 1);
}

static SinoStatus widest(const SinoUnitPlanRequest *request, SinoUnitPlan *plan)
{
    SinoGridShape grid;
    SINO_TRY(choose_grid(request, &grid));
    const int64_t slabs = request->slab_count > 0 ? sino_smaller(request->slab_count, most_slabs(request, grid)) : 1;
    plan->streaming = divide(request, grid, slabs, most_block_sets(request, grid));
    return NULL;
}

/* The fewest slabs that are smaller than those of the plan: numbers between make the same plan. */
static int64_t more_slabs(const SinoUnitPlanRequest *request, const SinoConeStreaming *plan)
{
    const int64_t smaller = plan->slab_slices - plan->image_slices;
    return plan->slab_count == 1 || smaller <= 0 ? plan->slab_count + 1
                                                 : sino_ceil_divide(request->cone->z_count, smaller);
}

static bool narrow(const SinoUnitPlanRequest *request, SinoUnitPlan *plan)
{
    const SinoConeStreaming *last = &plan->streaming;
    const SinoGridShape grid = {last->grid_rows, last->grid_columns};
    const int64_t sets = fewer_block_sets(last->block_sets), slabs = more_slabs(request, last);
    if (sets > 0) {
        plan->streaming = divide(request, grid, last->slab_count, sets);
        return true;
    }
    if (request->slab_count > 0 || slabs > most_slabs(request, grid)) return false;
    plan->streaming = divide(request, grid, slabs, most_block_sets(request, grid));
    return true;
}

static SinoStatus count_bytes(const SinoUnitPlanRequest *request, SinoUnitPlan *plan)
{
    plan->bytes =
        sino_cone_bytes(request->cone, request->input, &plan->streaming, sino_larger(request->machine.worker_count, 1));
    return NULL;
}

static SinoStatus fits_devices(const SinoUnitPlanRequest *request, const SinoUnitPlan *plan, bool *fits)
{
    *fits = sino_cone_fits_devices(request->cone, &request->machine, &plan->streaming);
    return NULL;
}

static SinoStatus refuse(const SinoUnitPlanRequest *request, const SinoUnitPlan *plan)
{
    const SinoConeStreaming *streaming = &plan->streaming;
    char subject[80];
    if (plan->total_bytes <= plan->budget_bytes)
        return sino_cone_device_too_small(request->cone, &request->machine, streaming);
    snprintf(subject, sizeof subject, "%" PRId64 " slabs of %" PRId64 " slices need", streaming->slab_count,
             streaming->slab_slices);
    return sino_plan_too_little(plan->total_bytes, plan->budget_bytes, subject, "", ", or a smaller --volume");
}

static SinoAmounts list_bytes(const SinoUnitPlan *plan)
{
    const SinoUnitBytes *bytes = &plan->bytes;
    const int64_t rest = plan->total_bytes - bytes->total; /* program and record */
    return (SinoAmounts){"memory_bytes",
                         SINO_AMOUNT_BYTES,
                         10,
                         {{"base", "program, pictures", (double)rest},
                          {"voxels", "voxels", (double)bytes->parts},
                          {"pieces", "counts, sinograms", (double)(bytes->pieces + bytes->integrals)},
                          {"lines", "filtered projections", (double)bytes->lines},
                          {"images", "images", (double)bytes->images},
                          {"messages", "messages", (double)(bytes->messages + bytes->early)},
                          {"weights", "weights of rays", (double)bytes->weights},
                          {"scratch", "work memory of tasks", (double)bytes->scratch},
                          {"loading", "fields being averaged", (double)bytes->loading},
                          {"total", "total", (double)plan->total_bytes}}};
}

const SinoUnitPlanKind sino_fdk_plan = {.widest = widest,
                                        .narrow = narrow,
                                        .least = least,
                                        .bytes = count_bytes,
                                        .fits_devices = fits_devices,
                                        .refuse = refuse,
                                        .list_bytes = list_bytes};

const char *sino_fdk_plan_kernel(const SinoUnitPlan *plan)
{
    const bool turns = plan->streaming.symmetry.turns > 1, halves = plan->streaming.symmetry.halves > 1;
    return turns && halves ? "quarter turns and mirror images share positions"
           : turns         ? "quarter turns share positions"
           : halves        ? "mirror images share positions"
                           : "general: nothing is shared";
}
