/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind, toy: a kind of operator that is one file and one row is planned, reconstructs and is refused as others are. It
 * does what pixels do, for nothing. */
#include "forecast.h"
#include "settings.h"
#include "testing.h"
#include "testing_recon.h"
#include "tiles_kind.h"

#include <math.h>

static SinoStatus size(const SinoProblem *problem, const SinoDivision *division, int64_t worker_count,
                       SinoOperatorSize *size)
{
    return sino_pixels_kind.size(problem, division, worker_count, size);
}

static SinoStatus open_all(SinoOperator *op, const SinoOperatorRequest *request)
{
    return sino_pixels_kind.open(op, request);
}

static SinoStatus backproject(SinoOperatorWork *work, const SinoProduct *product, SinoData *y, SinoData *const *x)
{
    return sino_pixels_kind.backproject(work, product, y, x);
}

static double product_flops(const SinoProblem *problem, int64_t slices)
{
    (void)problem;
    (void)slices;
    return 0;
}

static void report(const SinoOperator *op)
{
    (void)op;
}

static const SinoOperatorKind toy = {
    SINO_TILES_KIND,
    .name = "toy",
    .projector = SINO_PROJECTOR_GRIDDING,
    .product_flops = product_flops,
    .outline = sino_tiles_outline,
    .size = size,
    .open = open_all,
    .close = sino_tiles_close,
    .backproject = backproject,
    .report = report,
};

/* In place of operator_table.c. */
const SinoOperatorKind *const sino_operator_kinds[] = {&sino_rays_kind, &toy, &sino_pixels_kind, NULL};

static void toy_reconstructs(void **state)
{
    TestingVolume pixels, toys;
    char scan[TESTING_PATH];
    testing_phantom("--size 24 --angles 30 --slices 2 --out %s", testing_path(scan, *state, "scan.h5"));
    pixels = testing_recon(*state, "%s --algorithm fbp --projector pixels", scan);
    toys = testing_recon(*state, "%s --algorithm fbp --projector gridding", scan);
    for (int64_t i = 0; i < 2 * pixels.size * pixels.size; i++) assert_true(toys.value[i] == pixels.value[i]);
    testing_volume_free(&pixels);
    testing_volume_free(&toys);
}

/* A plan of --projector auto, or of what `settings` says, for 100 angles of 2048 columns. */
static SinoStatus plan(const SinoSettings *settings, SinoForecast *forecast)
{
    static double angle[100];
    const SinoSolver *solver = sino_solver_of(settings);
    SinoPlanRequest request = {.job = {.problem = {.geometry = {100, 2048, 2048, angle, 1023.5, 0},
                                                   .precision = SINO_SINGLE,
                                                   .subset_count = 1,
                                                   .projector = settings->projection.projector},
                                       .solver = solver,
                                       .history_columns = sino_solver_history_columns(solver, &settings->solver),
                                       .history_numbers = sino_solver_history_numbers(solver, &settings->solver),
                                       .slice_count = 64},
                               .choices = sino_choices_of(settings),
                               .rank_count = 1};
    for (int k = 0; k < 100; k++) angle[k] = M_PI * k / 100;
    assert_success(sino_machine_new(settings, 2, &request.machine));
    request.machine.memory_bytes = INT64_MAX;
    return sino_forecast_new(&request, forecast);
}

/* It costs nothing. */
static void toy_is_chosen(void **state)
{
    (void)state;
    SinoForecast forecast;
    SinoSettings *settings =
        testing_settings(SINO_VERB_PLAN, "--angles 100 --columns 2048 --slices 64 --algorithm fbp");
    assert_success(plan(settings, &forecast));
    assert_string_equal(sino_operator_of(forecast.plan.problem.projector)->name, "toy");
    sino_forecast_free(&forecast);
    sino_settings_free(settings);
}

static void toy_is_refused(void **state)
{
    (void)state;
    SinoForecast forecast;
    SinoSettings *settings = testing_settings(
        SINO_VERB_PLAN, "--angles 100 --columns 2048 --slices 64 --algorithm sirt --projector gridding");
    assert_error(plan(settings, &forecast), SINO_BAD_INPUT,
                 "--projector | --algorithm sirt | fbp, or another projector");
    sino_settings_free(settings);
}

TESTING_SUBJECT(kind_toy)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(toy_reconstructs, testing_directory_make, testing_directory_remove),
        cmocka_unit_test(toy_is_chosen),
        cmocka_unit_test(toy_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
