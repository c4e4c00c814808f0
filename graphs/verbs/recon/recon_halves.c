/* SPDX-License-Identifier: BSD-3-Clause */
/* recon --regularization auto: found once for the whole volume, by one slice; --iterations auto: found by some slices.
 */
#include "recon_halves.h"

#include "halves.h"
#include "memory.h"
#include "recon.h"
#include "solver_fbp.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_prior(const SinoReconHalves *of)
{
    return of->solver->choice == SINO_ALGORITHM_FISTA;
}

/* Memory that a search with minibatches of this width takes: the minibatch, and, for numbers of iterations, that of FBP
 * and what is compared. */
static int64_t search_bytes(const SinoReconHalves *of, int64_t width)
{
    const SinoOperator *op = of->op;
    const SinoBatch batch = {.stride = width, .history_numbers = 1};
    const int64_t solver = sino_minibatch_bytes(op->kind, &of->solver->vectors, &op->shape, batch);
    if (is_prior(of)) return solver;
    const SinoSolver *fbp = sino_solver_fbp_of(op->problem.subset_count);
    const int64_t voxels = op->shape.extent[SINO_ROWS_VOXELS].total;
    const int64_t rays = sino_times(op->problem.geometry.angle_count, op->problem.geometry.column_count);
    return solver + sino_minibatch_bytes(op->kind, &fbp->vectors, &op->shape, batch) +
           sino_times(width, sino_times(voxels, (int64_t)sizeof(float))) +
           sino_times(width / 2, sino_times(rays, (int64_t)sizeof(float)));
}

/* The largest minibatch, of 2 slices or a power of two times as many, for which memory has room beside the operator; at
 * least 2. */
static int64_t width_of(const SinoReconHalves *of)
{
    const SinoRunPlan *plan = &of->team->forecast.plan;
    const SinoBatch own = {.stride = plan->streaming.stride, .history_numbers = 1};
    const int64_t slot = sino_minibatch_bytes(of->op->kind, &of->solver->vectors, &of->op->shape, own);
    const int64_t rest = plan->resources.total_bytes - sino_times(slot, plan->streaming.slots);
    int64_t width = SINO_HALVES_WIDTH;
    for (; width > 2; width /= 2)
        if (plan->budget_bytes == 0 || rest + search_bytes(of, width) <= plan->budget_bytes) break;
    return width;
}

/* Groups of ranks that share a search, of which this rank's is number *own. */
static int64_t sharing_groups(const SinoTeam *team, int64_t *own)
{
    const SinoProcessGrid *grid = &team->forecast.plan.grid;
    int64_t groups = 0;
    for (int64_t g = 0; g < grid->batch_groups; g++) {
        if (g == team->group) *own = groups;
        groups += sino_process_grid_slices(grid, g) > 0;
    }
    return sino_larger(groups, 1);
}

/* Searches this rank's share of the slices of the round; own[i]: 0 where the slice is another rank's. Adds to apart. */
static SinoStatus search_share(const SinoHalvesRequest *request, const SinoTeam *team, const SinoSliceSamples *samples,
                               int64_t *own, SinoHalvesApart *apart)
{
    int64_t *slice = NULL, *number = NULL, count = 0, turn = 0, rank = 0;
    const int64_t groups = sharing_groups(team, &rank);
    SinoStatus status = sino_allocate(samples->count, sizeof *slice, "slices", &slice);
    if (!status) status = sino_allocate(samples->count, sizeof *number, "slices", &number);
    for (int64_t i = 0; !status && i < samples->count; i++)
        if (samples->number[i] == 0 && turn++ % groups == rank) slice[count++] = samples->slice[i];
    if (!status) status = sino_halves_iterations(request, count, slice, number, apart);
    for (int64_t i = 0, j = 0; !status && i < samples->count && j < count; i++)
        if (samples->slice[i] == slice[j]) own[i] = number[j++];
    free(slice);
    free(number);
    return status;
}

/* Collective. Searches the slices whose numbers are not known, unless a rank comes with a failure. */
static SinoStatus search_round(const SinoHalvesRequest *request, const SinoTeam *team, SinoSliceSamples *samples,
                               SinoHalvesApart *apart, SinoStatus status)
{
    SinoHalvesApart share = {0};
    SinoProcesses *processes = team->processes;
    const int64_t ranks = sino_processes_count(processes);
    const int64_t bytes = sino_times(samples->count, (int64_t)sizeof *samples->number);
    int64_t *own = NULL, *all = NULL;
    if (!status) status = sino_allocate(samples->count, sizeof *own, "slices", &own);
    if (!status) status = sino_allocate(sino_times(ranks, samples->count), sizeof *all, "slices", &all);
    if (!status && team->group >= 0) status = search_share(request, team, samples, own, &share);
    status = sino_processes_agree(processes, status);
    if (!status) status = sino_processes_gather(processes, bytes, own, all);
    double sums[] = {share.difference, share.square, share.voxels};
    if (!status) status = sino_processes_sum_doubles(processes, 3, sums);
    apart->difference += sums[0];
    apart->square += sums[1];
    apart->voxels += sums[2];
    for (int64_t r = 0; !status && all && r < ranks; r++)
        for (int64_t i = 0; i < samples->count; i++) samples->number[i] += all[r * samples->count + i];
    free(own);
    free(all);
    return status;
}

/* Collective. status: of this rank so far. */
static SinoStatus find_iterations(const SinoReconHalves *of, const SinoHalvesRequest *request, SinoStatus status,
                                  SinoReconChoice *choice)
{
    const int64_t slices = of->input->slice_count;
    SinoSliceSamples *samples = &choice->searched;
    int64_t known = 0;
    if (!status) status = sino_slice_samples_new(slices, samples);
    if (!status) status = sino_allocate(slices, sizeof *choice->iterations, "iterations", &choice->iterations);
    do {
        known = samples->count;
        status = search_round(request, of->team, samples, &choice->apart, status);
        if (!status) sino_slice_samples_refine(samples);
    } while (!status && known < samples->count);
    if (!status) sino_slice_samples_interpolate(samples, choice->iterations);
    return status;
}

void sino_recon_tell_trials(SinoLog *log, const char *where, bool pairs)
{
    sino_log_info(log, "solver",
                  "search: %s is reconstructed with several strengths, without a part of the projections%s", where,
                  pairs ? " and with averaged pairs of columns" : "");
}

/* What trials of strengths compute with. */
typedef struct Trials {
    int64_t binning;
    SinoOperator *own;        /* of averaged columns, or without what is left out; NULL: that of the run, or of: */
    SinoHalvesNormal *normal; /* NULL: the solver has A */
} Trials;

/* Whether trials of all columns gain by an operator without the projections that they lack: nothing is stored for it.
 */
static bool leaves_out(const SinoReconHalves *of)
{
    const SinoProblem *problem = &of->op->problem;
    return !problem->cone && problem->projector == SINO_PROJECTOR_LINES && sino_halves_folds(&problem->geometry) == 1 &&
           sino_runtime_device_count(of->runtime) == 0 && of->settings->solver.weights != SINO_WEIGHTS_FILE;
}

/* Collective: idle ranks take part. */
static SinoStatus open_trials(const SinoReconHalves *of, Trials *trials)
{
    const SinoRunPlan *plan = &of->team->forecast.plan;
    const SinoProblem *problem = &of->op->problem;
    char where[40];
    *trials = (Trials){.binning = 1};
    if (!is_prior(of) || !isnan(of->settings->prior.regularization)) return NULL;
    if (of->settings->solver.weights != SINO_WEIGHTS_FILE && !of->solver->normal)
        trials->binning = sino_larger(plan->trial_binning, 1);
    snprintf(where, sizeof where, "slice %" PRId64, of->slice);
    if (!of->op->idle) sino_recon_tell_trials(sino_runtime_log(of->runtime), where, trials->binning > 1);
    if (of->solver->normal) return sino_halves_normal_new(of->runtime, problem, of->op->idle, &trials->normal);
    if (trials->binning == 1 && !leaves_out(of)) return NULL;
    SinoOperatorRequest request =
        sino_trial_operator(problem, trials->binning, plan->worker_count, sino_runtime_device_count(of->runtime));
    request.shape.first_process = sino_processes_rank(sino_runtime_processes(of->runtime));
    request.shape.idle = of->op->idle;
    return sino_operator_new(of->runtime, &request, &trials->own);
}

static void close_trials(Trials *trials)
{
    sino_operator_free(trials->own);
    sino_halves_normal_free(trials->normal);
}

/* Searches an input that has the angles of the operator. */
static SinoStatus find(const SinoReconHalves *of, const Trials *trials, SinoReconChoice *choice)
{
    SinoInput input = *of->input;
    input.run = NULL;
    input.place = NULL;
    SinoStatus status = of->op->idle ? NULL : sino_input_take_angles(&input, of->op->place);
    const bool planned = trials->binning > 1 || trials->normal; /* with this width */
    const int64_t width = planned ? SINO_HALVES_WIDTH : of->op->idle ? 2 : width_of(of);
    const SinoHalvesRequest request = {.runtime = of->runtime,
                                       .settings = of->settings,
                                       .input = &input,
                                       .op = of->op,
                                       .binning = trials->binning,
                                       .step = 1,
                                       .own = trials->own,
                                       .solver = of->solver,
                                       .normal = trials->normal,
                                       .mask = of->mask,
                                       .photon_weights =
                                           sino_reconstruction_weighs_photons(&of->settings->solver, of->input),
                                       .scale = sino_recon_scale(of->settings),
                                       .width = width};
    if (!is_prior(of))
        status = find_iterations(of, &request, status, choice);
    else if (!status && !of->op->idle)
        status = sino_halves_regularization(&request, of->slice, &choice->regularization);
    free(input.run);
    free(input.place);
    return status;
}

/* As the settings call it. */
static const char *prior_name(SinoPriorChoice prior)
{
    static const char *const name[] = {"total-variation", "huber", "qggmrf"};
    return name[prior];
}

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

SinoStatus sino_recon_numbers_text(int64_t count, const int64_t *number, const char *of, char *text, size_t size)
{
    int64_t *sorted;
    SINO_TRY(sino_allocate(count, sizeof *sorted, "iterations", &sorted));
    memcpy(sorted, number, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, by_value);
    const int64_t least = sorted[0], median = sorted[count / 2], most = sorted[count - 1];
    free(sorted);
    if (least == most)
        snprintf(text, size, "%" PRId64, least);
    else
        snprintf(text, size, "%" PRId64 "–%" PRId64 " (median %" PRId64 ") by %s", least, most, median, of);
    return NULL;
}

/* What was found for the slices. */
static SinoStatus tell_iterations(const SinoReconHalves *of, const SinoReconChoice *choice)
{
    SinoLog *log = sino_runtime_log(of->runtime);
    const SinoSliceSamples *searched = &choice->searched;
    char numbers[80], which[80];
    SINO_TRY(sino_recon_numbers_text(of->input->slice_count, choice->iterations, "slice", numbers, sizeof numbers));
    if (searched->count == 1)
        snprintf(which, sizeof which, "slice %" PRId64, of->slice);
    else
        snprintf(which, sizeof which, "%" PRId64 " slices", searched->count);
    sino_log_info(log, "solver", "iterations: %s, by both halves of the projections of %s", numbers, which);
    for (int64_t i = 0; i < searched->count; i++)
        sino_log_detail(log, "solver", "iterations of slice %" PRId64 ": %" PRId64, searched->slice[i],
                        searched->number[i]);
    return NULL;
}

void sino_recon_tell_prior(SinoLog *log, const SinoSettings *settings, const SinoRegularization *found,
                           const char *where)
{
    if (found->prior != SINO_PRIOR_TOTAL_VARIATION)
        sino_log_info(
            log, "solver", "prior: %s, threshold %.3g per voxel%s", prior_name(found->prior), found->threshold,
            settings->prior.kind == SINO_PRIOR_AUTO ? "; it predicts left-out projections better than total-variation"
                                                    : "");
    if (isnan(settings->prior.regularization))
        sino_log_info(log, "solver", "regularization: %.2g, which predicts left-out projections of %s best",
                      found->strength, where);
    if (found->negative)
        sino_log_warning(log, "solver",
                         "in %s values below 0 predict left-out projections far better, as with phase contrast or "
                         "wrong flat fields; the volume keeps such values (--nonnegativity yes: none)",
                         where);
}

SinoStatus sino_recon_write_prior(SinoVolume *volume, const SinoRegularization *of)
{
    SINO_TRY(sino_volume_process_text(volume, "prior", prior_name(of->prior)));
    if (of->prior != SINO_PRIOR_TOTAL_VARIATION)
        SINO_TRY(sino_volume_process_doubles(volume, "prior_threshold", 0, 0, &of->threshold,
                                             "threshold of the prior: attenuation per voxel side"));
    if (of->negative) SINO_TRY(sino_volume_process_text(volume, "nonnegativity", "no, by the projections"));
    return sino_volume_process_doubles(volume, "regularization", 0, 0, &of->strength, "strength of the prior");
}

static SinoStatus tell(const SinoReconHalves *of, const SinoReconChoice *choice)
{
    char slice[32];
    if (!is_prior(of)) return tell_iterations(of, choice);
    snprintf(slice, sizeof slice, "slice %" PRId64, of->slice);
    sino_recon_tell_prior(sino_runtime_log(of->runtime), of->settings, &choice->regularization, slice);
    return NULL;
}

SinoStatus sino_recon_halves(const SinoReconHalves *of, SinoReconChoice *choice)
{
    const SinoSettings *settings = of->settings;
    const bool fista = is_prior(of);
    *choice = (SinoReconChoice){.regularization = {.prior = sino_prior_first(&settings->prior),
                                                   .strength = fista ? settings->prior.regularization : NAN}};
    const bool seeks = (fista && (isnan(settings->prior.regularization) ||
                                  sino_prior_first(&settings->prior) != SINO_PRIOR_TOTAL_VARIATION)) ||
                       (!fista && of->solver->iterative && settings->solver.iterations == 0);
    choice->sought = seeks;
    Trials trials;
    SinoStatus status = open_trials(of, &trials);
    if (!status && seeks) status = find(of, &trials, choice);
    close_trials(&trials);
    return !status && seeks && !of->op->idle ? tell(of, choice) : status;
}

void sino_recon_choice_free(SinoReconChoice *choice)
{
    free(choice->iterations);
    sino_slice_samples_free(&choice->searched);
    *choice = (SinoReconChoice){0};
}
