/* SPDX-License-Identifier: BSD-3-Clause */
/* recon --iterations auto of a cone beam: the detector row that is nearest to the plane of the source, as a fan beam,
 * is reconstructed from each half of its projections, iteration by iteration, and compared with FDK of the other half
 * (halves.h). */
#include "cone_reconstruction.h"
#include "cone_scan.h"
#include "cone_solution.h"
#include "memory.h"
#include "recon_cone.h"
#include "simulation.h"
#include "stages.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HALVES = 2, FIRST = 25 /* iterations that are tried at first */ };

typedef struct Search {
    SinoRuntime *runtime;
    SinoSettings settings; /* of the trials; owns nothing */
    SinoIntegrals *half[HALVES];
    SinoCone cone[HALVES];
    const unsigned char *mask; /* of the slice; NULL: none */
    SinoRecord fdk[HALVES];    /* their pictures are the references */
    const float *reference;    /* of the trial that runs */
    double *difference;        /* [iterations of the settings + 1]: of both halves; owned */
} Search;

static SinoStatus make_reference(Search *search, int half)
{
    const SinoSettings quick = sino_cone_coarse_settings(&search->settings);
    const SinoCone *cone = &search->cone[half];
    const SinoInput *input = sino_integrals_or(search->half[half], NULL);
    const SinoRecordShape shape = sino_cone_record_shape(cone, 1, 1, true);
    SinoMachine machine;
    SinoUnitPlan plan;
    SinoConeTraffic traffic = {0};
    SINO_TRY(sino_machine_here(&quick, search->runtime, &machine));
    SinoUnitPlanRequest planned = sino_fdk_plan_request(&quick, input, cone, &machine, 1);
    planned.grid = (SinoGridShape){0}; /* this rank is alone */
    SINO_TRY(sino_unit_plan_new(&planned, &plan));
    SINO_TRY(sino_record_new(&shape, &search->fdk[half]));
    const SinoConeReconstruction reconstruction = {.runtime = search->runtime,
                                                   .settings = &quick,
                                                   .input = input,
                                                   .cone = cone,
                                                   .streaming = &plan.streaming,
                                                   .scale = 1,
                                                   .record = &search->fdk[half],
                                                   .traffic = &traffic,
                                                   .aside = true};
    return sino_cone_reconstruct(&reconstruction);
}

/* Adds the mean square difference within the circle that all projections see. */
static void add_difference(void *of, int64_t iteration, const float *slice)
{
    const Search *search = of;
    const SinoCone *cone = &search->cone[0];
    const double side = (double)sino_smaller(cone->x_count, cone->y_count);
    double sum = SINO_SIMULATES ? -(double)iteration : 0; /* without values the last number is taken as the best */
    for (int64_t i = 0; i < cone->y_count && !SINO_SIMULATES; i++)
        for (int64_t j = 0; j < cone->x_count; j++) {
            const double y = (double)(2 * i - cone->y_count + 1), x = (double)(2 * j - cone->x_count + 1);
            const int64_t at = i * cone->x_count + j;
            const double rest = (double)slice[at] - (double)search->reference[at];
            if (x * x + y * y < side * side) sum += rest * rest;
        }
    search->difference[iteration] += sum;
}

static SinoStatus solve(Search *search, const SinoOperator *op, int half, int64_t iterations)
{
    const SinoSolver *solver = sino_solver_of_cone(&search->settings);
    const SinoConeSets sets = {1, 1, 1, false};
    const SinoRecordShape shape = sino_cone_record_shape(&search->cone[half], iterations + 1,
                                                         (iterations + 1) * (solver->has_likelihood ? 2 : 1), false);
    SinoRecord record = {0};
    const SinoConeSolution solution = {.runtime = search->runtime,
                                       .settings = &search->settings,
                                       .input = sino_integrals_or(search->half[half], NULL),
                                       .op = op,
                                       .solver = solver,
                                       .sets = &sets,
                                       .scale = 1,
                                       .mask = search->mask,
                                       .iterated = add_difference,
                                       .of = search,
                                       .record = &record,
                                       .aside = true};
    SINO_TRY(sino_record_new(&shape, &record));
    search->reference = search->fdk[1 - half].sections.xy;
    SinoStatus status = sino_cone_solve(&solution);
    sino_record_free(&record);
    return status;
}

/* Compares so many iterations of a half with the reference of the other half. */
static SinoStatus try_half(Search *search, int half, int64_t iterations)
{
    const SinoCone *cone = &search->cone[half];
    SinoOperatorRequest wanted = {.shape = SINO_EXCHANGE_ALONE(1)};
    SinoOperator *op = NULL;
    wanted.shape.first_process = sino_processes_rank(sino_runtime_processes(search->runtime));
    SINO_TRY(
        sino_volume_problem(&search->settings, sino_integrals_or(search->half[half], NULL), cone, 1, &wanted.problem));
    SINO_TRY(sino_operator_new(search->runtime, &wanted, &op));
    SinoStatus status = solve(search, op, half, iterations);
    sino_operator_free(op);
    return status;
}

/* Tries twice as many iterations while the difference may still fall. */
static SinoStatus find(Search *search, int64_t most, int64_t *best)
{
    int64_t tried = sino_smaller(FIRST, most);
    for (;; tried = sino_smaller(2 * tried, most)) {
        memset(search->difference, 0, (size_t)(most + 1) * sizeof *search->difference);
        for (int h = 0; h < HALVES; h++) SINO_TRY(try_half(search, h, tried));
        *best = 1;
        for (int64_t i = 2; i <= tried; i++)
            if (search->difference[i] < search->difference[*best]) *best = i;
        if (tried == most || 2 * *best <= tried) return NULL;
    }
}

static SinoStatus search_halves(Search *search, const SinoInput *row, const SinoCone *fan, int64_t most, int64_t *best)
{
    SINO_TRY(sino_allocate(most + 1, sizeof *search->difference, "iterations", &search->difference));
    SINO_TRY(sino_integrals_halves(search->runtime, row, search->half));
    for (int h = 0; h < HALVES; h++) {
        const SinoGeometry *geometry = &sino_integrals_or(search->half[h], NULL)->geometry;
        search->cone[h] = *fan;
        search->cone[h].angle_count = geometry->angle_count;
        search->cone[h].angle_rad = geometry->angle_rad;
        SINO_TRY(make_reference(search, h));
    }
    return find(search, most, best);
}

/* How many iterations all projections want, as a share of the best number of halves of a fan: by measurements, in
 * docs/lab/cones.md. A volume wants more steps of cg than a fan, and as many of the others. */
static double share_of_all(const SinoSettings *settings, const SinoCone *cone)
{
    if (settings->solver.algorithm != SINO_ALGORITHM_CG) return 1.3;
    return cone->fans ? 1.1 : 1.8;
}

SinoStatus sino_recon_cone_iterations(SinoRuntime *runtime, const SinoSettings *settings, const SinoInput *input,
                                      const SinoCone *cone, const unsigned char *mask, int64_t *iterations)
{
    const int64_t most = sino_settings_iterations(&settings->solver);
    SinoInput row = *input;
    SinoCone fan = *cone;
    Search search = {.runtime = runtime, .settings = *settings, .mask = mask};
    int64_t best = 0;
    search.settings.solver.tolerance = search.settings.solver.likelihood_tolerance = 0;
    search.settings.output.mask_ratio = 0;
    sino_cone_take_row(&row, &fan);
    SINO_CHECK(fan.angle_count >= HALVES, SINO_BAD_INPUT,
               "iterations is auto, but there is %" PRId64 " projection; allowed: a number", fan.angle_count);
    SinoStatus status = search_halves(&search, &row, &fan, most, &best);
    for (int h = 0; h < HALVES; h++) {
        sino_integrals_free(search.half[h]);
        sino_record_free(&search.fdk[h]);
    }
    free(search.difference);
    if (status) return status;
    *iterations = sino_smaller((int64_t)ceil(share_of_all(settings, cone) * (double)best), most);
    sino_log_info(sino_runtime_log(runtime), "solver",
                  "iterations: %" PRId64 ", by both halves of the projections of detector row %" PRId64, *iterations,
                  row.first_row);
    return NULL;
}
