/* SPDX-License-Identifier: BSD-3-Clause */
/* recon --regularization auto of a cone beam: the strength of a prior in 3-D is that of a fan beam in 2-D, or,
 * where projections have vectors, that of averaged pixels. */
#include "cone_scan.h"
#include "halves.h"
#include "memory.h"
#include "recon_cone.h"
#include "recon_halves.h"
#include "vectors_strength.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Searches the only row of the input, by fans of its trials. */
static SinoStatus search(SinoRuntime *runtime, const SinoSettings *settings, const SinoInput *row, const SinoCone *cone,
                         SinoHalvesFan trial, bool photon_weights, const unsigned char *mask, SinoRegularization *found)
{
    const SinoSolver *solver = sino_solver_of_cone(settings);
    const SinoProblem problem = {.geometry = row->geometry,
                                 .cone = cone,
                                 .precision = SINO_SINGLE,
                                 .subset_count =
                                     sino_solver_subsets(solver, &settings->solver, row->geometry.angle_count)};
    SinoOperatorRequest wanted = {.problem = problem, .shape = SINO_EXCHANGE_ALONE(1)};
    SinoCone together;
    SinoOperator *op = NULL, *own = NULL;
    double *angle_rad;
    SINO_TRY(sino_allocate(cone->angle_count, sizeof *angle_rad, "angles", &angle_rad));
    wanted.problem = sino_halves_fan_problem(trial, &problem, angle_rad, &together);
    wanted.shape.first_process = sino_processes_rank(sino_runtime_processes(runtime));
    SinoStatus status = sino_operator_new(runtime, &wanted, &own);
    wanted.problem = problem;
    if (!status) status = sino_operator_new(runtime, &wanted, &op);
    const SinoHalvesRequest request = {.runtime = runtime,
                                       .settings = settings,
                                       .input = row,
                                       .op = op,
                                       .binning = trial.binning,
                                       .step = trial.step,
                                       .own = own,
                                       .solver = solver,
                                       .photon_weights = photon_weights,
                                       .mask = mask,
                                       .scale = sino_recon_cone_scale(cone),
                                       .width = 1};
    if (!status) status = sino_halves_regularization(&request, 0, found);
    sino_operator_free(own);
    sino_operator_free(op);
    free(angle_rad);
    return status;
}

/* Averages of the whole scan decide. */
static SinoStatus search_vectors(SinoRuntime *runtime, const SinoSettings *settings, const SinoInput *input,
                                 const SinoCone *cone, bool photon_weights, SinoRegularization *found)
{
    SinoLog *log = sino_runtime_log(runtime);
    int64_t binning;
    char where[64];
    if (isnan(found->strength)) sino_recon_tell_trials(log, "the scan", false);
    SINO_TRY(
        sino_vectors_prior(runtime, settings, input, photon_weights, sino_recon_cone_scale(cone), found, &binning));
    snprintf(where, sizeof where, "the scan, averaged by %" PRId64 ",", binning);
    sino_recon_tell_prior(log, settings, found, binning > 1 ? where : "the scan");
    return NULL;
}

/* How many voxels above each other share a pixel. The trials, of one row, do not know them. A voxel of the volume has
 * so many times fewer measured values, and the prior is weaker by the root of that number (docs/lab/cones.md). */
static double rows_shared(const SinoCone *cone)
{
    return sino_cone_pixel_rays(cone, 0).up > 1 ? sino_cone_pixel_voxels(cone, 0).height : 1;
}

SinoStatus sino_recon_cone_prior(SinoRuntime *runtime, const SinoSettings *settings, const SinoInput *input,
                                 const SinoCone *cone, bool photon_weights, const unsigned char *mask,
                                 SinoRegularization *found)
{
    SinoInput row = *input;
    SinoCone fan = *cone;
    SinoLog *log = sino_runtime_log(runtime);
    const SinoHalvesFan trial = sino_halves_fan(settings, cone);
    char where[40];
    *found =
        (SinoRegularization){.prior = sino_prior_first(&settings->prior), .strength = settings->prior.regularization};
    if (!isnan(found->strength) && found->prior == SINO_PRIOR_TOTAL_VARIATION) return NULL;
    if (cone->view) return search_vectors(runtime, settings, input, cone, photon_weights, found);
    sino_cone_take_row(&row, &fan);
    snprintf(where, sizeof where, "detector row %" PRId64, row.first_row);
    if (isnan(found->strength)) sino_recon_tell_trials(log, where, false);
    SINO_TRY(search(runtime, settings, &row, &fan, trial, photon_weights, mask, found));
    if (isnan(settings->prior.regularization) && trial.voxels > 1) found->strength /= sqrt(rows_shared(cone));
    sino_recon_tell_prior(log, settings, found, where);
    return NULL;
}
