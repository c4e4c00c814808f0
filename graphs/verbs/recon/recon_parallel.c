/* SPDX-License-Identifier: BSD-3-Clause */
/* recon of a parallel beam: slices by an operator and a solver. */
#include "recon_volume.h"

#include "input_parts.h"
#include "memory.h"
#include "recon_halves.h"
#include "spmm.h"
#include "team.h"
#include "usual_algorithm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct Parallel {
    const SinoSettings *given; /* not owned */
    SinoSettings usual;        /* these with the iterations that the angles ask for; owns nothing */
    SinoSettings normal;       /* these by the normal operator, if the plan chose it; owns nothing */
    SinoSettings planned;      /* these with the choices of a resumed run; owns nothing */
    const SinoSolver *solver;
    SinoTeam team;
    SinoOperator *op;      /* NULL: not built, or the run rests */
    int64_t nonzero_count; /* of op */
    SinoEarlyLoad *early;
    SinoVolumeInput *start; /* of --start; NULL: none */
    unsigned char *mask;    /* of --mask; NULL: none */
    SinoReconChoice choice;
} Parallel;

static void take_side(SinoRecon *recon)
{
    recon->request.height = sino_geometry_slice_side(&recon->input.geometry);
    recon->request.width = recon->request.height;
}

static SinoStatus try_input(const SinoSettings *settings)
{
    SINO_TRY(sino_input_try(settings));
    SINO_TRY(sino_start_volume_try(&settings->solver));
    return sino_mask_try(&settings->solver);
}

static SinoStatus begin(SinoRecon *recon)
{
    const SinoSettings *settings = recon->settings;
    Parallel *own;
    SINO_TRY(sino_recon_open_scan(recon));
    SINO_TRY(sino_allocate(1, sizeof *own, "the run", &own));
    recon->own = own;
    own->given = settings;
    own->usual = *settings;
    recon->settings = &own->usual;
    if (!recon->whole) SINO_TRY(sino_usual_iterations(&recon->input.geometry, &own->usual));
    own->solver = sino_solver_of(settings);
    own->choice.regularization.prior =
        sino_prior_first(&settings->prior); /* until `choose` finds it; of any strength */
    own->choice.regularization.strength = 1;
    recon->request.slice_count = recon->input.slice_count;
    take_side(recon); /* of a half acquisition: see `plan` */
    recon->request.first_row = recon->input.first_row;
    recon->request.row_step = recon->input.binning;
    recon->request.units = settings->geometry.pixel_size_um > 0 ? "1/cm" : "1/pixel";
    for (int i = 0; i < 3; i++)
        recon->request.voxel_um[i] = settings->geometry.pixel_size_um * (double)settings->input.binning;
    return sino_start_volume_open(&settings->solver, &own->start);
}

/* Opens and compares the files of the slices, whose side is known now. */
static SinoStatus take_images(const SinoRecon *recon)
{
    Parallel *own = recon->own;
    const int64_t side = recon->request.width;
    SINO_TRY(sino_start_volume_check(&recon->settings->solver, own->start, recon->request.slice_count, side, side));
    free(own->mask);
    return sino_mask_read(&recon->settings->solver, side, side, &own->mask);
}

/* The earlier run's plan chose the normal operator. */
static void resume_by_normal(SinoSettings *planned)
{
    const SinoProjector chosen = planned->projection.projector;
    planned->projection.projector = SINO_PROJECTOR_AUTO;
    (void)sino_settings_by_normal(planned, planned);
    planned->projection.projector = chosen;
}

/* From here on the run is one of --projector toeplitz, whether that was named or chosen. */
static void take_normal(SinoRecon *recon)
{
    Parallel *own = recon->own;
    SinoSettings *settings = &own->normal;
    *settings = own->usual;
    settings->projection.projector = own->team.settings.projection.projector;
    settings->solver = own->team.settings.solver; /* its iterations are others */
    own->solver = sino_solver_of(settings);
    recon->settings = settings;
}

static SinoProjector projector_of(const SinoRecon *recon)
{
    return ((const Parallel *)recon->own)->team.forecast.plan.problem.projector;
}

/* Whether a followed scan gets pixels, which add blocks as they come; devices and other precisions have no kernels. */
static bool takes_pixels(const SinoRecon *recon)
{
    const Parallel *own = recon->own;
    return own->solver->blocks && own->usual.projection.precision == SINO_SINGLE &&
           sino_runtime_device_count(recon->runtime) == 0;
}

static SinoStatus plan(SinoRecon *recon)
{
    Parallel *own = recon->own;
    const bool left = own->usual.projection.projector == SINO_PROJECTOR_AUTO; /* to the plan */
    take_side(recon);
    SINO_TRY(sino_processes_agree(recon->processes, take_images(recon)));
    recon->settings = &own->usual;
    own->solver = sino_solver_of(&own->usual);
    sino_team_free(&own->team);
    own->planned = own->usual;
    sino_resume_plan(&recon->resume, &own->planned);
    if (recon->whole && left) own->planned.projection.projector = projector_of(recon->whole);
    if (left && sino_operator_is_normal(own->planned.projection.projector)) resume_by_normal(&own->planned);
    if (left && takes_pixels(recon)) own->planned.projection.projector = SINO_PROJECTOR_PIXELS;
    SINO_TRY(sino_team_new(recon->runtime, recon->processes, &own->planned, &recon->input, &own->team));
    if (left && sino_operator_is_normal(own->team.settings.projection.projector)) take_normal(recon);
    return NULL;
}

static SinoStatus find_center(SinoRecon *recon)
{
    return sino_center_search(recon->runtime, recon->settings, &recon->input);
}

static void print_plan(const SinoRecon *recon, FILE *out)
{
    const Parallel *own = recon->own;
    const SinoRunPlan *run = &own->team.forecast.plan;
    const SinoTopology *topology = &run->division.topology;
    fprintf(out, "processors: %s%s\n", sino_spmm_isa_name(),
            sino_runtime_device_count(recon->runtime) > 0 ? " and devices" : "");
    fprintf(out, "ranks: %" PRId64 "\n", run->grid.rank_count);
    fprintf(out, "grid: %" PRId64 "x%" PRId64 "\n", run->grid.batch_groups, run->grid.data_ranks);
    fprintf(out, "topology: nodes=%" PRId64 ",sockets=%" PRId64 ",workers=%" PRId64 "\n", topology->node_count,
            topology->sockets, topology->workers);
    fprintf(out, "windows: %d\n", run->window_count > 0);
    fprintf(out, "minibatch: %" PRId64 "\n", run->streaming.minibatch);
    fprintf(out, "symmetry: %s\n", run->problem.symmetry ? "yes" : "no");
    fprintf(out, "projector: %s\n", sino_projector_name(run->problem.projector));
}

static SinoRecordShape record(const SinoRecon *recon)
{
    const Parallel *own = recon->own;
    return sino_record_shape(&recon->input.geometry, recon->input.slice_count,
                             sino_solver_history_columns(own->solver, &recon->settings->solver),
                             sino_solver_history_numbers(own->solver, &recon->settings->solver),
                             sino_settings_records_planes(recon->settings));
}

/* Logs how several ranks share the work. */
static void tell_team(const SinoRecon *recon)
{
    const Parallel *own = recon->own;
    const SinoProcessGrid *grid = &own->team.forecast.plan.grid;
    const SinoTopology *topology = &own->team.forecast.plan.division.topology;
    const int64_t idle = sino_process_grid_idle(grid, INT64_MAX);
    if (grid->rank_count == 1) return;
    sino_log_info(recon->log, "ranks",
                  "ranks: %" PRId64 " in a grid of %" PRId64 "x%" PRId64 " (%s), each slice on %" PRId64
                  " nodes of %" PRId64 " sockets of %" PRId64 " workers, %s",
                  grid->rank_count, grid->batch_groups, grid->data_ranks, grid->why, topology->node_count,
                  topology->sockets, topology->workers,
                  recon->settings->team.communication == SINO_COMMUNICATION_DIRECT ? "direct" : "hierarchical");
    if (grid->data_ranks > 1 && recon->input.stages_chosen)
        sino_log_warning(recon->log, "ranks",
                         "ranks share each slice, so that zingers and stripes stay, which need whole sinograms "
                         "(--grid %" PRId64 "x1: takes them out)",
                         grid->rank_count);
    if (idle > 0) sino_log_warning(recon->log, "ranks", "%" PRId64 " ranks have nothing to do", idle);
}

static void tell_plan(const SinoRecon *recon)
{
    const Parallel *own = recon->own;
    const SinoRunPlan *run = &own->team.forecast.plan;
    char total[24], budget[24];
    sino_log_info(recon->log, "plan",
                  "slices: %" PRId64 ", %" PRId64 " at a time on %" PRId64 " cores, memory: %s of %s",
                  recon->record.slice_count, run->streaming.slab_slices, sino_runtime_worker_count(recon->runtime),
                  sino_bytes_text(run->resources.total_bytes, total), sino_bytes_text(run->budget_bytes, budget));
    if (recon->settings->solver.few_angles && !recon->whole)
        sino_log_info(recon->log, "solver",
                      "iterations: %" PRId64 ", for the angles are few for %" PRId64
                      " columns, or leave a gap (--iterations 15: as with more, in half the time)",
                      recon->settings->solver.iterations, recon->input.geometry.column_count);
    sino_log_detail(recon->log, "plan",
                    "slabs of %" PRId64 " slices, minibatches of %" PRId64 ", partitions: %" PRId64
                    ", workers: %" PRId64 " (%s)",
                    run->streaming.slab_slices, run->streaming.minibatch, run->partition_count,
                    sino_runtime_worker_count(recon->runtime), sino_runtime_scheduler(recon->runtime));
}

/* Logs that a followed scan is backprojected late. */
static void tell_late(const SinoRecon *recon)
{
    const SinoOperator *op = ((const Parallel *)recon->own)->op;
    const bool half = op->shape.extent[SINO_ROWS_COMPLETED].total > 0;
    if (op->shape.extent[SINO_ROWS_WAITING].total == 0) return;
    sino_log_info(recon->log, "follow", "slices are backprojected after the last projection%s",
                  half ? ", for those of a half acquisition complete each other"
                       : " (--projector gridding or pixels: as projections come)");
}

static SinoStatus share(SinoRecon *recon)
{
    const Parallel *own = recon->own;
    sino_team_take_slices(&own->team, &recon->input);
    return own->op->idle ? NULL : sino_input_take_angles(&recon->input, own->op->place);
}

/* Half of the projections take what all of them found; the settings have the strength. */
static SinoStatus take_choice(SinoRecon *recon)
{
    const SinoReconChoice *of = &((const Parallel *)recon->whole->own)->choice;
    SinoReconChoice *choice = &((Parallel *)recon->own)->choice;
    const int64_t slices = recon->record.slice_count;
    *choice = (SinoReconChoice){.regularization = of->regularization};
    if (of->regularization.strength > 0) choice->regularization.strength = recon->settings->prior.regularization;
    if (!of->iterations) return NULL;
    SINO_TRY(sino_allocate(slices, sizeof *choice->iterations, "iterations", &choice->iterations));
    memcpy(choice->iterations, of->iterations, (size_t)slices * sizeof *choice->iterations);
    return NULL;
}

/* The halves that were searched tell the noise of the volume. */
static void take_worth(SinoRecon *recon)
{
    const SinoHalvesApart *apart = &((const Parallel *)recon->own)->choice.apart;
    const double scale = sino_recon_scale(recon->settings);
    if (!(apart->difference > 0)) return;
    const double share = scale * scale / apart->voxels;
    recon->worth = sino_compare_worth_of(share * apart->difference, share * apart->square);
    sino_recon_half_sets_tell(recon, "these slices");
}

/* Collective. Every rank finds the same prior; rank 0's is taken, should a processor round otherwise. The strength of
 * a prior in 3-D is that of the slice in 2-D (docs/ALGORITHMS.md). */
static SinoStatus choose(SinoRecon *recon)
{
    Parallel *own = recon->own;
    if (recon->whole) return sino_processes_agree(recon->processes, take_choice(recon));
    const SinoReconHalves of = {.runtime = recon->runtime,
                                .settings = recon->settings,
                                .input = &recon->input,
                                .team = &own->team,
                                .op = own->op,
                                .solver = own->solver->volume ? &sino_solver_fista : own->solver,
                                .mask = own->mask,
                                .slice = recon->input.slice_count / 2};
    SINO_TRY(sino_processes_agree(recon->processes, sino_recon_halves(&of, &own->choice)));
    SINO_TRY(sino_processes_broadcast(recon->processes, (int64_t)sizeof own->choice.regularization,
                                      &own->choice.regularization));
    take_worth(recon);
    if (own->choice.sought)
        sino_recon_mark(recon, isnan(own->choice.regularization.strength) ? "the iterations are found"
                                                                          : "the strength of the prior is found");
    return NULL;
}

/* A resumed run may not need the first slab. */
static SinoStatus open_operator(SinoRecon *recon, const char *cache)
{
    Parallel *own = recon->own;
    const SinoOperatorRequest wanted = sino_team_operator(&own->team, &recon->input.geometry, cache);
    return sino_operator_new(recon->runtime, &wanted, &own->op);
}

static SinoStatus build(SinoRecon *recon)
{
    Parallel *own = recon->own;
    const char *cache = recon->settings->projection.cache;
    SINO_TRY(recon->resume.earlier
                 ? open_operator(recon, cache)
                 : sino_team_open(recon->runtime, &own->team, &recon->input, cache, &own->op, &own->early));
    own->op->kind->report(own->op);
    own->nonzero_count = own->op->nonzero_count;
    tell_team(recon);
    tell_plan(recon);
    tell_late(recon);
    return NULL;
}

static SinoRestored restored(const SinoRecon *recon)
{
    const Parallel *own = recon->own;
    return (SinoRestored){.data_ranks = own->team.forecast.plan.grid.data_ranks,
                          .repaired = recon->record.repaired,
                          .tally = sino_reconstruction_tally(&recon->input, &recon->record)};
}

static SinoStatus compute(SinoRecon *recon)
{
    const Parallel *own = recon->own;
    const SinoReconstruction reconstruction = {.runtime = recon->runtime,
                                               .settings = recon->settings,
                                               .input = &recon->input,
                                               .op = own->op,
                                               .solver = own->solver,
                                               .streaming = &own->team.forecast.plan.streaming,
                                               .grid = &own->team.forecast.plan.grid,
                                               .regularization = own->choice.regularization,
                                               .iterations = own->choice.iterations,
                                               .scale = sino_recon_scale(recon->settings),
                                               .start = own->start,
                                               .mask = own->mask,
                                               .early = own->early,
                                               .volume = recon->volume,
                                               .journal = recon->resume.journal,
                                               .record = &recon->record,
                                               .live = recon->live};
    return sino_reconstruct(&reconstruction);
}

/* A slice that is not larger than the detector is seen as a whole. */
static SinoReconFacts facts(const SinoRecon *recon)
{
    const Parallel *own = recon->own;
    const SinoRunPlan *run = &own->team.forecast.plan;
    const SinoGeometry *geometry = &recon->input.geometry;
    const double voxel = recon->settings->geometry.pixel_size_um * (double)recon->input.binning;
    int64_t least = 0, most = 0;
    for (int64_t i = 0; own->choice.iterations && i < recon->record.slice_count; i++) {
        least = i == 0 ? own->choice.iterations[i] : sino_smaller(least, own->choice.iterations[i]);
        most = sino_larger(most, own->choice.iterations[i]);
    }
    return (SinoReconFacts){
        .memory_bytes = run->resources.total_bytes,
        .budget_bytes = run->budget_bytes,
        .data_bytes = run->resources.data_bytes,
        .operator_bytes = run->resources.operator_bytes,
        .lists_bytes = run->resources.lists_bytes,
        .weighs_rays = sino_solver_weighs_rays(own->solver),
        .compute_s = own->team.forecast.times.run,
        .voxel_um = voxel,
        .slice_um = voxel,
        .radius = (double)sino_larger(sino_geometry_slice_side(geometry), geometry->column_count) / 2,
        .least_iterations = least,
        .most_iterations = most,
        .strength = own->solver->choice == SINO_ALGORITHM_FISTA ? own->choice.regularization.strength : 0};
}

static SinoReconSizes sizes(const SinoRecon *recon)
{
    const Parallel *own = recon->own;
    const SinoRunPlan *run = &own->team.forecast.plan;
    const SinoGeometry *scan = &recon->input.geometry;
    const SinoTopology *topology = &run->division.topology;
    return (SinoReconSizes){.count = 3,
                            .of = {{"scan",
                                    SINO_AMOUNT_NUMBER,
                                    3,
                                    {{"angles", "angles", (double)scan->angle_count},
                                     {"columns", "columns", (double)scan->column_count},
                                     {"slices", "slices", (double)recon->record.slice_count}}},
                                   {"slice",
                                    SINO_AMOUNT_NUMBER,
                                    2,
                                    {{"side", "side", (double)sino_geometry_slice_side(scan)},
                                     {"margin", "beyond each side", (double)scan->margin}}},
                                   {"slices",
                                    SINO_AMOUNT_NUMBER,
                                    4,
                                    {{"minibatch", "of a minibatch", (double)run->streaming.minibatch},
                                     {"slots", "minibatches of a slab", (double)run->streaming.slots},
                                     {"slabs", "slabs", (double)run->streaming.slab_count},
                                     {"partitions", "partitions", (double)run->partition_count}}}},
                            .team = {"grid",
                                     SINO_AMOUNT_NUMBER,
                                     5,
                                     {{"batch_groups", "groups", (double)run->grid.batch_groups},
                                      {"data_ranks", "ranks of a slice", (double)run->grid.data_ranks},
                                      {"nodes", "nodes", (double)topology->node_count},
                                      {"sockets", "sockets", (double)topology->sockets},
                                      {"workers", "workers", (double)topology->workers}}}};
}

/* Logs the rows that pass each level in a projection of all slices, all ranks together. */
static SinoStatus tell_levels(SinoRecon *recon)
{
    const Parallel *own = recon->own;
    static const char *const level[] = {"partitions", "sockets", "nodes to others"};
    const double slices = (double)recon->input.slice_count;
    const SinoPrecision solver = sino_precision_solver(recon->settings->projection.precision);
    int64_t rows[SINO_REDUCTIONS] = {0};
    if (!recon->settings->runtime.profile) return NULL;
    if (!own->op->idle) sino_ray_exchange_rows(own->op->ranks, rows);
    for (int i = 0; i < SINO_REDUCTIONS; i++) rows[i] = (int64_t)((double)rows[i] * slices);
    SINO_TRY(sino_processes_sum_integers(recon->processes, SINO_REDUCTIONS, rows));
    for (int i = 0; i < SINO_REDUCTIONS; i++) {
        const bool sent = i == SINO_REDUCE_GLOBAL;
        const size_t element = sino_precision_bytes(sent ? recon->settings->projection.precision : solver);
        const bool same = i == SINO_REDUCE_NODE && rows[i] == rows[SINO_REDUCE_SOCKET]; /* one socket per node */
        if (rows[i] > 0 && !same)
            sino_log_info(recon->log, "profile",
                          "sums of %s: %" PRId64 " bytes a projection of all slices, of all ranks", level[i],
                          rows[i] * (int64_t)element);
    }
    return NULL;
}

/* Logs after how many iterations the slices stopped, if some stopped at the tolerance. */
static SinoStatus tell_iterations(const SinoRecon *recon)
{
    const Parallel *own = recon->own;
    const SinoRecord *record = &recon->record;
    const int64_t slices = record->slice_count;
    int64_t *iteration;
    bool sooner = false, alike = true;
    char text[80];
    SINO_TRY(sino_allocate(slices, sizeof *iteration, "iterations", &iteration));
    for (int64_t i = 0; i < slices; i++) {
        const int64_t planned = own->choice.iterations ? own->choice.iterations[i] : record->columns - 1;
        iteration[i] =
            sino_minibatch_progress(1, record->numbers, record->columns - 1, record->history + i * record->numbers)
                .iteration;
        sooner |= iteration[i] < planned;
        alike &= iteration[i] == iteration[0];
    }
    SinoStatus status = sino_recon_numbers_text(slices, iteration, "slice", text, sizeof text);
    if (!status && sooner)
        sino_log_info(recon->log, "iterations", "iterations: %s%s", text,
                      alike ? ", where every slice reached the tolerance" : "");
    free(iteration);
    return status;
}

/* What --iterations auto found. */
static SinoStatus write_iterations(SinoRecon *recon)
{
    const Parallel *own = recon->own;
    if (!own->choice.iterations) return NULL;
    SINO_TRY(sino_volume_process_integers(recon->volume, "iterations", recon->record.slice_count,
                                          own->choice.iterations,
                                          "per slice, by both halves of the projections of some slices"));
    if (recon->whole) return NULL; /* which has searched */
    return sino_volume_process_integers(recon->volume, "iterations_searched", own->choice.searched.count,
                                        own->choice.searched.slice,
                                        "slices whose projections were halved, counted from 0");
}

static SinoStatus write_process(SinoRecon *recon)
{
    const Parallel *own = recon->own;
    const SinoRecord *of = &recon->record;
    SINO_TRY(tell_iterations(recon));
    SINO_TRY(sino_volume_process_text(recon->volume, "projector",
                                      sino_projector_name(own->team.forecast.plan.problem.projector)));
    if (own->solver->choice == SINO_ALGORITHM_FISTA)
        SINO_TRY(sino_recon_write_prior(recon->volume, &((const Parallel *)recon->own)->choice.regularization));
    SINO_TRY(write_iterations(recon));
    SINO_TRY(sino_volume_process_integers(recon->volume, "nonzeros", 0, &own->nonzero_count,
                                          "nonzeros of the system matrix of a slice"));
    SINO_TRY(sino_volume_process_integers(recon->volume, "repaired", of->row_count, of->repaired,
                                          "undefined values interpolated, per slice"));
    if (recon->input.geometry.margin > 0)
        SINO_TRY(sino_volume_process_integers(recon->volume, "margin", 0, &recon->input.geometry.margin,
                                              "voxels beyond each side of the slices that were computed, too"));
    return sino_recon_write_history(recon, of->slice_count, "per slice", "NaN once the slice has stopped");
}

/* The operator is saved last, so that it takes no disk space from the output. */
static void keep(SinoRecon *recon)
{
    const Parallel *own = recon->own;
    if (own->op && own->op->kind->keep) own->op->kind->keep(own->op, recon->settings->projection.cache);
}

static void rest(SinoRecon *recon)
{
    Parallel *own = recon->own;
    keep(recon);
    sino_operator_free(own->op);
    sino_early_load_free(own->early);
    own->op = NULL;
    own->early = NULL;
}

static void release(SinoRecon *recon)
{
    Parallel *own = recon->own;
    if (!own) return;
    recon->settings = own->given;
    sino_early_load_free(own->early);
    sino_volume_input_close(own->start);
    free(own->mask);
    sino_recon_choice_free(&own->choice);
    sino_operator_free(own->op);
    sino_team_free(&own->team);
    free(own);
}

const SinoReconKind sino_recon_parallel = {.try_input = try_input,
                                           .begin = begin,
                                           .plan = plan,
                                           .find_center = find_center,
                                           .sample = sino_recon_sample_slice,
                                           .print_plan = print_plan,
                                           .record = record,
                                           .build = build,
                                           .choose = choose,
                                           .share = share,
                                           .restored = restored,
                                           .compute = compute,
                                           .rest = rest,
                                           .facts = facts,
                                           .sizes = sizes,
                                           .report = tell_levels,
                                           .write_process = write_process,
                                           .keep = keep,
                                           .release = release};
