/* SPDX-License-Identifier: BSD-3-Clause */
/* recon of a cone beam by an iterative algorithm, which has the whole volume and scan in memory, or in scratch files.
 */
#include "recon_cone.h"

#include "center_search.h"
#include "cone_tasks.h"
#include "input_parts.h"
#include "memory.h"
#include "paged_memory.h"
#include "paths.h"
#include "recon_halves.h"
#include "reconstruction.h"
#include "simulation.h"
#include "unit_plan.h"
#include "usual_algorithm.h"

#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

typedef struct Solution {
    const SinoSettings *given;
    SinoSettings usual; /* with the iterations that the scan asks for; owns nothing */
    SinoCone cone;
    SinoProblem problem;
    const SinoSolver *solver;
    SinoUnitPlan plan;
    bool photon_weights;
    SinoRegularization regularization; /* of fista */
    int64_t iterations;                /* that --iterations auto found; 0: those of the settings */
    double planned_s;
    SinoOperator *op;
    SinoVolumeInput *start; /* of --start; NULL: none */
    unsigned char *mask;    /* of --mask; NULL: none */
} Solution;

static SinoStatus try_input(const SinoSettings *settings)
{
    SINO_TRY(sino_input_try(settings));
    SINO_TRY(sino_start_volume_try(&settings->solver));
    return sino_mask_try(&settings->solver);
}

/* Opens and compares the files of the volume, whose size is known. */
static SinoStatus take_images(const SinoRecon *recon)
{
    Solution *own = recon->own;
    const SinoSolverSettings *settings = &recon->settings->solver;
    const SinoCone *cone = &own->cone;
    if (!own->start) SINO_TRY(sino_start_volume_open(settings, &own->start));
    SINO_TRY(sino_start_volume_check(settings, own->start, sino_cone_slices(cone), cone->y_count, cone->x_count));
    free(own->mask);
    return sino_mask_read(settings, cone->y_count, cone->x_count, &own->mask);
}

static SinoStatus begin(SinoRecon *recon)
{
    Solution *own;
    SINO_TRY(sino_allocate(1, sizeof *own, "the run", &own));
    recon->own = own;
    own->given = recon->settings;
    own->solver = sino_solver_of_cone(recon->settings);
    /* Until `choose` finds it; of any strength. */
    own->regularization =
        (SinoRegularization){.prior = sino_prior_first(&recon->settings->prior), .strength = 1, .threshold = 1};
    SINO_TRY(sino_recon_cone_begin(recon, &own->cone));
    own->usual = *recon->settings;
    recon->settings = &own->usual;
    SINO_TRY(sino_usual_iterations(&recon->input.geometry, &own->usual));
    return sino_volume_problem(recon->settings, &recon->input, &own->cone, sino_processes_count(recon->processes),
                               &own->problem);
}

static SinoRecordShape record(const SinoRecon *recon)
{
    const Solution *own = recon->own;
    return sino_cone_record_shape(&own->cone, sino_solver_history_columns(own->solver, &recon->settings->solver),
                                  sino_solver_history_numbers(own->solver, &recon->settings->solver),
                                  sino_settings_records_planes(recon->settings));
}

/* *folder: for scratch files; the caller frees it. SINO_FAILED: no memory. */
static SinoStatus scratch_folder(const SinoRecon *recon, char **folder)
{
    const char *const given = recon->settings->runtime.scratch_folder, *const path = recon->settings->output.path;
    char *made = strdup(given ? given : path && *path ? path : ".");
    SINO_CHECK(made, SINO_FAILED, "no memory for the name of a folder");
    if (!given) {
        const char *const parent = dirname(made);
        memmove(made, parent, strlen(parent) + 1);
    }
    *folder = made;
    return NULL;
}

/* What does not fit memory will be in scratch files. Called again with `pages`, as soon as there is room in memory. */
static SinoStatus use_scratch(const SinoRecon *recon, bool pages)
{
    const Solution *own = recon->own;
    const SinoUnitBytes *bytes = &own->plan.bytes;
    char *folder;
    if (bytes->paged == 0) return NULL;
    SINO_TRY(scratch_folder(recon, &folder));
    SinoStatus status = pages            ? sino_runtime_page(recon->runtime, folder, bytes->window)
                        : SINO_SIMULATES ? NULL
                                         : sino_paged_check(folder, bytes->paged);
    free(folder);
    return status;
}

static SinoStatus plan(SinoRecon *recon)
{
    Solution *own = recon->own;
    SinoMachine machine;
    SINO_TRY(sino_processes_agree(recon->processes, sino_recon_cone_size(recon, &own->cone)));
    SINO_TRY(sino_processes_agree(recon->processes, take_images(recon)));
    SINO_TRY(sino_recon_cone_machine(recon, &machine));
    const SinoUnitPlanRequest request = sino_volume_plan_request(recon->settings, &recon->input, &own->problem,
                                                                 sino_processes_count(recon->processes), &machine);
    SINO_TRY(sino_processes_agree(recon->processes, sino_unit_plan_new(&request, &own->plan)));
    SINO_TRY(sino_processes_agree(recon->processes, use_scratch(recon, false)));
    own->planned_s = sino_unit_plan_times(&request, &own->plan, sino_settings_iterations(&recon->settings->solver)).run;
    return sino_recon_cone_range_plan(recon, &own->cone, &own->plan.total_bytes, &own->plan.bytes.data);
}

static SinoStatus find_center(SinoRecon *recon)
{
    const Solution *own = recon->own;
    return sino_cone_center_search(recon->runtime, recon->settings, &own->cone, &recon->input);
}

static void print_plan(const SinoRecon *recon, FILE *out)
{
    fprintf(out, "processors: %s\n", sino_cone_project_isa_name());
    fprintf(out, "ranks: %" PRId64 "\n", sino_processes_count(recon->processes));
}

static void tell_plan(const SinoRecon *recon)
{
    const Solution *own = recon->own;
    const SinoUnitBytes *bytes = &own->plan.bytes;
    char paged[24], window[24];
    const SinoCone *cone = &own->cone;
    const int64_t ranks = sino_processes_count(recon->processes);
    char total[24], budget[24];
    if (ranks > 1)
        sino_log_info(recon->log, "ranks", "ranks: %" PRId64 ", which share the projections; each has the whole volume",
                      ranks);
    sino_log_info(recon->log, "plan",
                  "volume: %" PRId64 " x %" PRId64 " x %" PRId64 " voxels as a whole, %" PRId64
                  " projections, on %" PRId64 " cores, memory: %s of %s",
                  cone->x_count, cone->y_count, sino_cone_slices(cone), cone->angle_count,
                  sino_runtime_worker_count(recon->runtime), sino_bytes_text(own->plan.total_bytes, total),
                  sino_bytes_text(own->plan.budget_bytes, budget));
    if (!recon->whole && recon->settings->solver.iterations != own->given->solver.iterations)
        sino_log_info(recon->log, "solver",
                      "iterations: %" PRId64 ", for many projections have more subsets (--iterations %" PRId64
                      ": closer, in more time)",
                      recon->settings->solver.iterations, own->given->solver.iterations);
    if (bytes->paged > 0)
        sino_log_info(
            recon->log, "scratch",
            "scratch files: %s of vectors, for which there is no room in memory; %s of them are in memory at a "
            "time",
            sino_bytes_text(bytes->paged, paged), sino_bytes_text(bytes->window, window));
}

/* Collective. Every rank searches; rank 0's number is taken. Half of the projections take the iterations of all. */
static SinoStatus choose_iterations(SinoRecon *recon)
{
    Solution *own = recon->own;
    if (recon->settings->solver.iterations > 0) return NULL;
    if (recon->whole) {
        own->iterations = ((const Solution *)recon->whole->own)->iterations;
        return NULL;
    }
    SINO_TRY(sino_processes_agree(recon->processes,
                                  sino_recon_cone_iterations(recon->runtime, recon->settings,
                                                             sino_integrals_or(recon->integrals, &recon->input),
                                                             &own->cone, own->mask, &own->iterations)));
    SINO_TRY(sino_processes_broadcast(recon->processes, (int64_t)sizeof own->iterations, &own->iterations));
    sino_recon_mark(recon, "the number of iterations is found");
    return NULL;
}

/* Collective. Rank 0's prior is taken, should a processor round otherwise. Half of the projections take the prior of
 * all; the settings have its strength. */
static SinoStatus choose(SinoRecon *recon)
{
    Solution *own = recon->own;
    SinoRegularization *found = &own->regularization;
    if (!own->solver->bands) return choose_iterations(recon);
    own->photon_weights = sino_reconstruction_weighs_photons(&recon->settings->solver, &recon->input);
    if (recon->whole) {
        *found = ((const Solution *)recon->whole->own)->regularization;
        found->strength = recon->settings->prior.regularization;
        return NULL;
    }
    SINO_TRY(sino_processes_agree(recon->processes,
                                  sino_recon_cone_prior(recon->runtime, recon->settings,
                                                        sino_integrals_or(recon->integrals, &recon->input), &own->cone,
                                                        own->photon_weights, own->mask, found)));
    SINO_TRY(sino_processes_broadcast(recon->processes, (int64_t)sizeof *found, found));
    sino_recon_mark(recon, "the strength of the prior is found");
    return NULL;
}

/* The axis is known now. */
static SinoStatus build(SinoRecon *recon)
{
    Solution *own = recon->own;
    SINO_TRY(sino_processes_agree(recon->processes, sino_recon_cone_size(recon, &own->cone)));
    const SinoOperatorRequest request = {.problem = own->problem,
                                         .shape = {.data_rank = sino_processes_rank(recon->processes),
                                                   .data_count = sino_processes_count(recon->processes),
                                                   .nodes = 1,
                                                   .sockets = 1,
                                                   .workers = 1}};
    sino_recon_cone_tell(recon, &own->cone, NULL);
    SINO_TRY(sino_processes_agree(recon->processes, use_scratch(recon, true)));
    SINO_TRY(sino_operator_new(recon->runtime, &request, &own->op));
    own->op->kind->report(own->op);
    tell_plan(recon);
    return NULL;
}

/* Every rank has an entry of each image, and the undefined values of its angles. */
static SinoRestored restored(const SinoRecon *recon)
{
    return (SinoRestored){.data_ranks = sino_processes_count(recon->processes),
                          .tally = sino_cone_tally(&recon->input, &recon->record)};
}

static SinoStatus compute(SinoRecon *recon)
{
    const Solution *own = recon->own;
    const SinoConeSolution solution = {.runtime = recon->runtime,
                                       .settings = recon->settings,
                                       .input = sino_integrals_or(recon->integrals, &recon->input),
                                       .op = own->op,
                                       .solver = own->solver,
                                       .sets = &own->plan.sets,
                                       .photon_weights = own->photon_weights,
                                       .regularization = own->regularization,
                                       .iterations = own->iterations > 0 ? &own->iterations : NULL,
                                       .scale = sino_recon_cone_scale(&own->cone),
                                       .mask = own->mask,
                                       .start = own->start,
                                       .volume = recon->volume,
                                       .journal = recon->resume.journal,
                                       .record = &recon->record};
    return sino_cone_solve(&solution);
}

static void rest(SinoRecon *recon)
{
    Solution *own = recon->own;
    sino_operator_free(own->op);
    own->op = NULL;
}

static SinoReconFacts facts(const SinoRecon *recon)
{
    const Solution *own = recon->own;
    SinoReconFacts facts =
        sino_recon_cone_facts(&own->cone, own->plan.total_bytes, own->plan.budget_bytes, own->plan.bytes.data);
    facts.compute_s = own->planned_s;
    facts.weighs_rays = true;
    if (own->solver->bands) facts.strength = own->regularization.strength;
    facts.least_iterations = facts.most_iterations = own->iterations;
    if (own->cone.view) facts.radius = 0;
    return facts;
}

static SinoReconSizes sizes(const SinoRecon *recon)
{
    return sino_recon_cone_sizes(&((const Solution *)recon->own)->cone);
}

static void tell_iterations(const SinoRecon *recon)
{
    const int64_t found = ((const Solution *)recon->own)->iterations, most = recon->record.columns - 1;
    const int64_t last = found > 0 ? found : most;
    const int64_t done = sino_minibatch_progress(1, recon->record.numbers, most, recon->record.history).iteration;
    if (done < last)
        sino_log_info(recon->log, "iterations", "iterations: %" PRId64 ", where the volume reached the tolerance",
                      done);
}

static SinoStatus write_process(SinoRecon *recon)
{
    const Solution *own = recon->own;
    const SinoRecord *of = &recon->record;
    tell_iterations(recon);
    if (own->solver->bands) SINO_TRY(sino_recon_write_prior(recon->volume, &own->regularization));
    if (own->iterations > 0)
        SINO_TRY(sino_volume_process_integers(recon->volume, "iterations", 1, &own->iterations,
                                              "of the volume, by both halves of the projections of a row"));
    SINO_TRY(sino_volume_process_doubles(recon->volume, "voxel_size", 0, 0, &own->cone.voxel_size, "mm"));
    SINO_TRY(sino_volume_process_integers(recon->volume, "repaired", of->row_count, of->repaired,
                                          "undefined values, which have weight 0, per detector row"));
    return sino_recon_write_history(recon, 1, "of the volume", "NaN once it has stopped");
}

static void release(SinoRecon *recon)
{
    Solution *own = recon->own;
    if (!own) return;
    sino_operator_free(own->op);
    sino_volume_input_close(own->start);
    free(own->mask);
    free(own);
}

/* A run that is resumed must have the same vectors, whatever the name of their file. */
static void print_vectors(const SinoRecon *recon, FILE *out)
{
    char digits[17];
    sino_checksum_bytes(recon->input.view, (size_t)recon->input.geometry.angle_count * sizeof *recon->input.view,
                        digits);
    print_plan(recon, out);
    fprintf(out, "vectors read: %s\n", digits);
}

/* Of a volume that is solved as a whole. */
#define SOLUTION                                                                                                       \
    .try_input = try_input, .begin = begin, .plan = plan, .record = record, .build = build, .choose = choose,          \
    .restored = restored, .compute = compute, .rest = rest, .facts = facts, .sizes = sizes, .planes = true,            \
    .write_process = write_process, .release = release

const SinoReconKind sino_recon_cone_solution = {SOLUTION, .find_center = find_center,
                                                .sample_planes = sino_recon_cone_sample, .print_plan = print_plan};

/* There is no axis to be found. */
const SinoReconKind sino_recon_vectors = {SOLUTION, .print_plan = print_vectors};
