/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecast: grids, ways to store A and times for given requests, and comparison with published measurements. */
#include "forecast.h"
#include "halves.h"
#include "projector_cost.h"
#include "rays.h"

#include "testing.h"

#include <math.h>
#include <unistd.h>

/* A described scan and the settings of `line`, whose words are separated by single blanks; of cg, for which ranks can
 * share a slice, unless the line has an algorithm. */
typedef struct Case {
    SinoSettings *settings; /* owned */
    double *rad;            /* owned */
    SinoWorkload *normal;   /* owned; NULL: none */
    SinoPlanRequest request;
} Case;

/* Lets the forecast choose the normal operator, where that serves. */
static void add_normal(Case *made)
{
    SinoSettings normal;
    if (!sino_settings_by_normal(made->settings, &normal)) return;
    made->normal = malloc(sizeof *made->normal);
    assert_non_null(made->normal);
    *made->normal = made->request.job;
    made->normal->solver = sino_solver_of(&normal);
    made->normal->problem.projector = normal.projection.projector;
    made->normal->history_columns = sino_solver_history_columns(made->normal->solver, &normal.solver);
    made->normal->history_numbers = sino_solver_history_numbers(made->normal->solver, &normal.solver);
    made->request.normal = made->normal;
}

static Case make(const char *line)
{
    char *words = strdup(line), *argument[64], *rest = words, usual[] = "--algorithm=cg";
    int count = 0;
    for (char *word; (word = strsep(&rest, " "));) argument[count++] = word;
    if (!strstr(line, "--algorithm")) argument[count++] = usual;
    Case made = {0};
    assert_success(sino_settings_read(SINO_VERB_PLAN, count, argument, &made.settings));
    free(words);
    const SinoSettings *settings = made.settings;
    const int64_t angles = settings->phantom.angles, columns = settings->input.columns;
    made.rad = calloc((size_t)angles, sizeof *made.rad);
    assert_non_null(made.rad);
    for (int64_t k = 0; k < angles; k++) made.rad[k] = M_PI * (double)k / (double)angles;
    const SinoSolver *solver = sino_solver_of(settings);
    made.request = (SinoPlanRequest){
        .job = {.problem = {.geometry = {angles, columns, columns, made.rad, (double)(columns - 1) / 2, 0},
                            .precision = settings->projection.precision,
                            .symmetry = settings->projection.symmetry,
                            .subset_count = 1,
                            .projector = settings->projection.projector,
                            .interpolation = settings->projection.interpolation},
                .solver = solver,
                .history_columns = sino_solver_history_columns(solver, &settings->solver),
                .trial_iterations = sino_halves_trial_iterations(&settings->solver),
                .history_numbers = sino_solver_history_numbers(solver, &settings->solver),
                .slice_count = settings->phantom.slices,
                .slice_bytes = angles * columns * 2,
                .field_bytes = columns * 4,
                .fields_bytes = 2 * columns * 4,
                .field_images = 1},
        .choices = sino_choices_of(settings),
        .rank_count = settings->plan.ranks ? settings->plan.ranks : 1};
    assert_success(
        sino_machine_new(settings, settings->runtime.workers ? settings->runtime.workers : 4, &made.request.machine));
    made.request.machine.socket_count = 1;
    add_normal(&made);
    if (!settings->runtime.memory_bytes) made.request.machine.memory_bytes = INT64_MAX;
    return made;
}

static void case_free(Case *made)
{
    sino_settings_free(made->settings);
    free(made->rad);
    free(made->normal);
}

static SinoForecast forecast_of(const char *line)
{
    Case made = make(line);
    SinoForecast forecast;
    assert_success(sino_forecast_new(&made.request, &forecast));
    case_free(&made);
    return forecast;
}

static void refuse(const char *line, const char *text)
{
    Case made = make(line);
    SinoForecast forecast = {0};
    assert_error(sino_forecast_new(&made.request, &forecast), SINO_BAD_INPUT, text);
    assert_null(forecast.plan.grid.first_slice);
    case_free(&made);
}

/* Relative to 16 slices, of docs/lab/kernels.md: 0.10 for one slice, 0.61 for eight. */
static void kernels_like_company(void **state)
{
    (void)state;
    assert_true(fabs(sino_spmm_efficiency(1) - 0.10) < 0.02);
    assert_true(fabs(sino_spmm_efficiency(8) - 0.61) < 0.05);
    assert_true(sino_spmm_efficiency(16) == 1 && sino_spmm_efficiency(64) == 1);
    for (int64_t f = 1; f < 16; f++) assert_true(sino_spmm_efficiency(f) < sino_spmm_efficiency(f + 1));
}

static void grid_follows_memory(void **state)
{
    (void)state;
    static const char scan[] = "--angles 300 --columns 1000 --slices 160 --ranks 8 --symmetry no --minibatch 16";
    char line[300];
    SinoForecast whole = forecast_of(scan);
    assert_int_equal(whole.plan.grid.data_ranks, 1);
    assert_int_equal(whole.plan.group_slices, 20);
    assert_true(whole.plan.size.traffic.global == 0 && whole.times.global == 0);
    int64_t before = 1;
    /* A half, a quarter … of what all of it takes. */
    for (int part = 2; part <= 4; part *= 2) {
        const int64_t budget = whole.plan.resources.total_bytes / part;
        snprintf(line, sizeof line, "%s --memory %lld", scan, (long long)budget);
        SinoForecast forecast = forecast_of(line);
        assert_true(forecast.plan.grid.data_ranks > before && 8 % forecast.plan.grid.data_ranks == 0);
        assert_true(forecast.plan.resources.total_bytes <= budget);
        before = forecast.plan.grid.data_ranks;
        /* One less would not do. */
        snprintf(line, sizeof line, "%s --projector rays --memory %lld --grid %dx%d", scan, (long long)budget,
                 (int)(16 / forecast.plan.grid.data_ranks), (int)forecast.plan.grid.data_ranks / 2);
        Case made = make(line);
        SinoForecast fewer;
        SinoStatus status = sino_forecast_new(&made.request, &fewer);
        if (!status) {
            /* Only with fewer slices at a time, or without overlap. */
            assert_true(fewer.plan.streaming.slots == 1);
            sino_forecast_free(&fewer);
        }
        sino_status_free(status);
        case_free(&made);
        sino_forecast_free(&forecast);
    }
    sino_forecast_free(&whole);
    snprintf(line, sizeof line, "%s --memory 120MiB", scan);
    refuse(line, "memory is 120 MiB per rank; a rank needs ");
    snprintf(line, sizeof line, "%s --memory 200MiB --grid 8x1", scan);
    refuse(line, "with 1 ranks per slice a rank needs ");
}

/* Kernels by hand: 4 flops per nonzero and slice, shared by ranks and workers. */
static void times_are_those_of_the_machine(void **state)
{
    (void)state;
    SinoForecast one = forecast_of("--angles 200 --columns 512 --slices 64 --workers 2 --kernel-gflops 10 --minibatch "
                                   "16 --symmetry no --iterations 7 --file-bandwidth 0.01");
    const double flops = 4 * one.plan.size.nonzero_count * 64;
    assert_true(fabs(one.times.kernel - flops / 20e9) < 1e-9 * one.times.kernel);
    assert_true(one.times.iteration >= one.times.kernel + one.times.update);
    const double bytes = 64.0 * (200 * 512 * 2 + 512 * 512 * 4);
    assert_true(fabs(one.times.files - bytes / 1e7) < 1e-9 * one.times.files);
    assert_true(one.times.run >= one.times.files && one.times.run >= 7.5 * one.times.iteration);
    assert_true(one.times.run <= one.times.files + 7.5 * one.times.iteration);
    SinoForecast four = forecast_of("--angles 200 --columns 512 --slices 64 --workers 2 --kernel-gflops 10 --minibatch "
                                    "16 --symmetry no --ranks 4 --grid 1x4 --link-bandwidth 2 --link-latency 1000");
    assert_true(fabs(four.plan.size.nonzero_count / one.plan.size.nonzero_count - 1) < 1e-9);
    assert_in_range(1e6 * four.times.kernel, 1e6 * one.times.kernel / 4, 1e6 * one.times.kernel / 4 * 1.05);
    const int64_t most = four.plan.size.traffic.most_sent > four.plan.size.traffic.most_received
                             ? four.plan.size.traffic.most_sent
                             : four.plan.size.traffic.most_received;
    const double global = 2 * ((double)most * 4 * 64 / 2e9 + 3 * 4 * 1e-3);
    assert_true(fabs(four.times.global - global) < 1e-9 * global);
    sino_forecast_free(&one);
    sino_forecast_free(&four);
}

static void choices_have_consequences(void **state)
{
    (void)state;
    static const char scan[] = "--angles 200 --columns 512 --slices 256 --workers 6 --ranks 4 --grid 1x4 --symmetry no "
                               "--topology sockets=2,workers=3 --link-bandwidth 0.5";
    char line[300];
    SinoForecast overlapped = forecast_of(scan);
    snprintf(line, sizeof line, "%s --overlap no", scan);
    SinoForecast in_turn = forecast_of(line);
    snprintf(line, sizeof line, "%s --communication direct", scan);
    SinoForecast direct = forecast_of(line);
    snprintf(line, sizeof line, "%s --precision mixed", scan);
    SinoForecast mixed = forecast_of(line);
    const double parts = overlapped.times.kernel + overlapped.times.update + overlapped.times.socket +
                         overlapped.times.node + overlapped.times.global;
    assert_true(overlapped.times.iteration < parts && fabs(in_turn.times.iteration - parts) < 1e-9 * parts);
    assert_true(direct.plan.size.traffic.global > 2 * overlapped.plan.size.traffic.global &&
                direct.times.global > overlapped.times.global);
    assert_int_equal(direct.plan.size.traffic.global, overlapped.plan.size.direct.global);
    assert_true(direct.times.socket == 0 && direct.times.node == 0);
    assert_int_equal(mixed.plan.size.traffic.global, overlapped.plan.size.traffic.global);
    assert_true(mixed.times.global < 0.6 * overlapped.times.global);
    sino_forecast_free(&overlapped);
    sino_forecast_free(&in_turn);
    sino_forecast_free(&direct);
    sino_forecast_free(&mixed);
}

/* Orbits of tiles have larger footprints: where the link is slow they do not pay, where memory is scarce they must. */
static void symmetry_is_chosen(void **state)
{
    (void)state;
    static const char scan[] =
        "--angles 200 --columns 1024 --slices 64 --workers 2 --ranks 2 --grid 1x2 --minibatch 16";
    char line[300];
    snprintf(line, sizeof line, "%s --link-bandwidth 0.1", scan);
    SinoForecast slow = forecast_of(line);
    assert_false(slow.plan.problem.symmetry);
    assert_int_equal(slow.plan.size.stored_angles, 200);
    assert_non_null(strstr(slow.symmetry_why, "every angle is stored, partitions are compact"));
    snprintf(line, sizeof line, "%s --link-bandwidth 1000", scan);
    SinoForecast fast = forecast_of(line);
    assert_true(fast.plan.problem.symmetry);
    assert_true(fast.plan.size.orientations > 1 && fast.plan.size.stored_angles < 60);
    assert_true(fast.plan.size.all_bytes < slow.plan.size.all_bytes / 3);
    assert_true(fast.plan.size.traffic.global > slow.plan.size.traffic.global);
    assert_non_null(strstr(fast.symmetry_why, "tiles and their turned images share lengths, and a partition"));
    snprintf(line, sizeof line, "%s --link-bandwidth 0.1 --memory %lld", scan,
             (long long)slow.plan.resources.operator_bytes);
    SinoForecast tight = forecast_of(line);
    assert_true(tight.plan.problem.symmetry);
    assert_non_null(strstr(tight.symmetry_why, "the other way does not do: memory is "));
    snprintf(line, sizeof line, "%s --symmetry no", scan);
    SinoForecast off = forecast_of(line);
    assert_string_equal(off.symmetry_why, "symmetry is off");
    sino_forecast_free(&off);
    off = forecast_of("--angles 200 --columns 511 --slices 4");
    assert_string_equal(off.symmetry_why, "symmetry needs an even --volume");
    sino_forecast_free(&off);
    off = forecast_of("--angles 1 --columns 512 --slices 4");
    assert_string_equal(off.symmetry_why, "no quarter turns or mirror images among the angles");
    sino_forecast_free(&off);
    sino_forecast_free(&slow);
    sino_forecast_free(&fast);
    sino_forecast_free(&tight);
}

/* A rank twice as fast has twice the work, and nobody waits. */
static void weights_even_out(void **state)
{
    (void)state;
    static const char scan[] = "--angles 100 --columns 1024 --slices 96 --workers 1 --ranks 3 --symmetry no";
    char line[300];
    snprintf(line, sizeof line, "%s --grid 1x3", scan);
    SinoForecast alike = forecast_of(line);
    snprintf(line, sizeof line, "%s --grid 1x3 --node-weights 1,2,1", scan);
    SinoForecast mixed = forecast_of(line);
    assert_true(fabs(mixed.times.kernel / alike.times.kernel - 1) < 0.05);
    snprintf(line, sizeof line, "%s --grid 3x1 --node-weights 1,2,1", scan);
    SinoForecast groups = forecast_of(line);
    assert_int_equal(sino_process_grid_slices(&groups.plan.grid, 1), 48);
    assert_true(fabs(groups.times.kernel / alike.times.kernel - 1) < 0.05);
    snprintf(line, sizeof line, "%s --node-weights 1,2", scan);
    refuse(line, "--node-weights | 2 numbers | 3 ranks");
    sino_forecast_free(&alike);
    sino_forecast_free(&mixed);
    sino_forecast_free(&groups);
}

/* Where memory has room for one minibatch at a time, workers share it by partitions; one partition would leave all but
 * one of them idle, and the forecast counts that. */
static void workers_share_minibatches(void **state)
{
    (void)state;
    static const char scan[] = "--angles 1500 --columns 2048 --slices 64 --workers 16 --memory 16GiB --algorithm cg";
    char line[300];
    SinoForecast shared = forecast_of(scan);
    snprintf(line, sizeof line, "%s --partitions 1", scan);
    SinoForecast alone = forecast_of(line);
    assert_true(shared.plan.streaming.slots * shared.plan.partition_count >= 16);
    assert_true(shared.plan.resources.total_bytes <= (int64_t)16 << 30);
    assert_true(sino_plan_busy_share(&shared.plan) == 1);
    assert_true(sino_plan_busy_share(&alone.plan) == (double)alone.plan.streaming.slots / 16);
    assert_true(alone.times.kernel > 4 * shared.times.kernel && alone.times.update > 4 * shared.times.update);
    sino_forecast_free(&shared);
    sino_forecast_free(&alone);
}

static void more_ranks_than_work(void **state)
{
    (void)state;
    SinoForecast forecast = forecast_of("--angles 30 --columns 100 --slices 2 --ranks 4096");
    assert_true(forecast.plan.idle_ranks > 0 && forecast.plan.idle_ranks < 4096);
    assert_true(isfinite(forecast.times.run) && forecast.times.run > 0);
    sino_forecast_free(&forecast);
    forecast = forecast_of("--angles 1 --columns 1 --slices 1 --ranks 64 --grid 8x8 --algorithm fbp");
    assert_int_equal(forecast.plan.idle_ranks, 63);
    sino_forecast_free(&forecast);
    refuse("--angles 1000000 --columns 65536 --slices 1", "allowed: 2³² rays");
    refuse("--angles 30 --columns 100 --slices 2 --ranks 6 --grid 2x3 --topology nodes=9,workers=1000000",
           "partitions");
}

/* "Petascale XCT", SC 2020, Fig. 6: 4 nodes × 2 sockets × 3 workers, 1.35 GB → −43 % → −36 %, −64 % in all, which is a
 * minibatch of 16 slices in single; Table IV: 128 nodes, −42 % → −29 %, −58 %. Shapes of partitions differ a little. */
static void published_reductions(void **state)
{
    (void)state;
    SinoForecast figure = forecast_of("--angles 1501 --columns 2048 --slices 16 --ranks 4 --grid 1x4 --topology "
                                      "sockets=2,workers=3 --symmetry no");
    const int64_t *rays = figure.plan.size.traffic.footprints;
    assert_true(fabs((double)rays[0] * 16 * 4 - 1.35e9) < 0.08 * 1.35e9);
    assert_true(fabs(1 - (double)rays[1] / (double)rays[0] - 0.43) < 0.03);
    assert_true(fabs(1 - (double)rays[2] / (double)rays[1] - 0.36) < 0.03);
    assert_true(fabs(1 - (double)rays[2] / (double)rays[0] - 0.64) < 0.03);
    sino_forecast_free(&figure);
    SinoForecast table = forecast_of("--angles 4500 --columns 6613 --slices 4198 --ranks 128 --grid 1x128 --topology "
                                     "sockets=2,workers=3 --precision double");
    rays = table.plan.size.traffic.footprints;
    assert_true(fabs((double)rays[0] * 4198 * 8 - 36.6e12) < 0.08 * 36.6e12);
    assert_true(fabs(1 - (double)rays[1] / (double)rays[0] - 0.415) < 0.03);
    assert_true(fabs(1 - (double)rays[2] / (double)rays[0] - 0.585) < 0.03);
    sino_forecast_free(&table);
}

static void expect_projector(const char *line, SinoProjector wanted)
{
    SinoForecast forecast = forecast_of(line);
    if (forecast.plan.problem.projector != wanted)
        fail_msg("%s: projector %s instead of %s", line, sino_projector_name(forecast.plan.problem.projector),
                 sino_projector_name(wanted));
    const bool told = forecast.projector_why[0] != 0;
    assert_true(told == (wanted != SINO_PROJECTOR_RAYS && !strstr(line, "--projector")));
    sino_forecast_free(&forecast);
}

/* Without iterations: gridding for large scans, whatever the division, and pixels where its grids do not fit. With
 * iterations: rays, as long as their lengths fit memory; then the normal operator, where no ray has a weight. */
static void projector_is_chosen(void **state)
{
    (void)state;
    static const char scan[] = "--angles 1501 --columns 1024";
    static const struct Choice {
        const char *words;
        SinoProjector wanted;
    } choice[] = {{"--slices 1 --algorithm fbp", SINO_PROJECTOR_GRIDDING},
                  {"--slices 1 --algorithm fbp --workers 40", SINO_PROJECTOR_GRIDDING},
                  {"--slices 1 --algorithm fbp --partitions 9 --minibatch 1", SINO_PROJECTOR_GRIDDING},
                  {"--slices 8 --algorithm fbp --ranks 4", SINO_PROJECTOR_GRIDDING},
                  {"--slices 500 --algorithm fbp", SINO_PROJECTOR_GRIDDING},
                  {"--slices 1 --algorithm fbp --workers 40 --memory 1GiB", SINO_PROJECTOR_PIXELS}, /* no grids fit */
                  {"--slices 1 --algorithm fbp --precision double", SINO_PROJECTOR_RAYS},
                  {"--slices 1 --algorithm fbp --projector rays", SINO_PROJECTOR_RAYS},
                  {"--slices 1 --algorithm fbp --projector rotate", SINO_PROJECTOR_ROTATE},
                  {"--slices 1 --ranks 2 --algorithm fbp", SINO_PROJECTOR_GRIDDING}, /* two ranks share the slice */
                  {"--slices 64 --algorithm fbp --machine h100x1", SINO_PROJECTOR_GRIDDING}, /* cores would trace */
                  {"--slices 64 --algorithm cg --machine h100x1", SINO_PROJECTOR_RAYS},
                  {"--slices 4 --ranks 2 --grid 1x2 --projector rotate", SINO_PROJECTOR_ROTATE},
                  {"--slices 1 --iterations 1", SINO_PROJECTOR_LINES}, /* tracing takes longer */
                  {"--slices 1 --iterations 1 --precision mixed", SINO_PROJECTOR_RAYS},
                  {"--slices 32", SINO_PROJECTOR_RAYS},
                  {"--slices 1 --projector toeplitz", SINO_PROJECTOR_TOEPLITZ},
                  {"--slices 4 --ranks 2 --projector toeplitz", SINO_PROJECTOR_TOEPLITZ},
                  {"--slices 16 --memory 3GiB", SINO_PROJECTOR_TOEPLITZ},
                  {"--slices 16 --memory 3GiB --ranks 2 --grid 2x1", SINO_PROJECTOR_TOEPLITZ},
                  {"--slices 16 --memory 3GiB --weights counts", SINO_PROJECTOR_LINES},
                  {"--slices 16 --memory 3GiB --algorithm sirt", SINO_PROJECTOR_LINES},
                  {"--slices 16 --memory 3GiB --projector rays", SINO_PROJECTOR_RAYS},
                  {"--slices 16 --memory 3GiB --precision mixed", SINO_PROJECTOR_RAYS},
                  {"--slices 16 --memory 700MiB", SINO_PROJECTOR_TOEPLITZ}, /* not even windows fit */
                  {"--slices 16 --memory 700MiB --weights counts", SINO_PROJECTOR_LINES},
                  {"--slices 256 --memory 3GiB --weights counts", SINO_PROJECTOR_LINES}};
    for (size_t i = 0; i < sizeof choice / sizeof *choice; i++) {
        char line[200];
        snprintf(line, sizeof line, "%s %s", scan, choice[i].words);
        expect_projector(line, choice[i].wanted);
    }
    expect_projector("--angles 100 --columns 128 --slices 1 --algorithm fbp", SINO_PROJECTOR_RAYS); /* saves nothing */
    refuse("--angles 1501 --columns 1024 --slices 16 --memory 700MiB --projector rays", "memory is 700 MiB");
    refuse("--angles 10 --columns 16 --slices 1 --projector pixels", "--projector is pixels with --algorithm cg");
    refuse("--angles 10 --columns 16 --slices 1 --projector gridding", "--projector is gridding with --algorithm cg");
    refuse("--angles 10 --columns 16 --slices 1 --projector rotate --precision half", "allowed: single");
    refuse("--angles 10 --columns 16 --slices 1 --projector toeplitz --precision double", "allowed: single");
    refuse("--angles 10 --columns 16 --slices 1 --projector toeplitz --algorithm sirt",
           "--projector | --algorithm sirt | projector");
    refuse("--angles 10 --columns 16 --slices 1 --projector toeplitz --algorithm fbp",
           "--projector is toeplitz with --algorithm fbp");
    refuse("--angles 10 --columns 16 --slices 1 --projector toeplitz --ranks 2 --grid 1x2",
           "--grid is 1x2, but --projector toeplitz transforms whole slices");
}

/* Devices need all ray lengths in memory, and their lists. Where these do not fit, cg and fista multiply by the normal
 * operator on GPUs, where rays need no weights; other iterative algorithms, and OpenCL devices, turn slices. The
 * device's memory holds the tables and the scratch memory of a product beside its vectors. */
static void devices_lack_lengths(void **state)
{
    (void)state;
    static const struct Choice {
        const char *words;
        SinoProjector wanted;
        bool opencl;
        int64_t memory_bytes;
    } choice[] = {{"--memory 3GiB", SINO_PROJECTOR_TOEPLITZ, false, 8L << 30},
                  {"--memory 3GiB --weights counts", SINO_PROJECTOR_ROTATE, false, 8L << 30},
                  {"--memory 3GiB --algorithm sirt", SINO_PROJECTOR_ROTATE, false, 8L << 30},
                  {"--memory 3GiB", SINO_PROJECTOR_ROTATE, true, 8L << 30},
                  {"--memory 3GiB", SINO_PROJECTOR_ROTATE, false, 280L << 20}, /* too little for spectrum and columns */
                  {"--memory 64GiB", SINO_PROJECTOR_RAYS, false, 8L << 30},
                  {"--memory 64GiB --projector toeplitz", SINO_PROJECTOR_TOEPLITZ, false, 8L << 30},
                  {"--memory 64GiB --projector rotate", SINO_PROJECTOR_ROTATE, false, 8L << 30},
                  {"--memory 64GiB --algorithm fbp", SINO_PROJECTOR_GRIDDING, false, 8L << 30},
                  {"--memory 64GiB --algorithm fbp", SINO_PROJECTOR_RAYS, true, 8L << 30}};
    for (size_t i = 0; i < sizeof choice / sizeof *choice; i++) {
        char line[200];
        SinoForecast forecast;
        snprintf(line, sizeof line, "--angles 1501 --columns 1024 --slices 2 %s", choice[i].words);
        Case made = make(line);
        made.request.machine.devices = sino_device_room_of(!choice[i].opencl, 1, choice[i].memory_bytes);
        assert_success(sino_forecast_new(&made.request, &forecast));
        if (forecast.plan.problem.projector != choice[i].wanted)
            fail_msg("%s: %s", line, sino_projector_name(forecast.plan.problem.projector));
        const SinoOperatorSize *size = &forecast.plan.size;
        const bool stores = choice[i].wanted == SINO_PROJECTOR_RAYS;
        assert_true((size->product_bytes > 0) != stores && (size->table_bytes > 0) != stores);
        assert_int_equal(forecast.plan.resources.map_bytes, size->map_bytes + size->table_bytes);
        sino_forecast_free(&forecast);
        case_free(&made);
    }
}

/* Whatever is given, a device that is too small is refused in seconds; under the address sanitizer one of three options
 * is given to GPUs, another one to OpenCL devices. */
static void tiny_devices_end(void **state)
{
    (void)state;
    enum { MOST_S = 60 };
    static const char *const option[] = {"--symmetry yes",
                                         "--topology nodes=1,sockets=1,workers=1",
                                         "--topology nodes=2,sockets=2",
                                         "--topology sockets=2,workers=3",
                                         "--topology workers=5",
                                         "--partitions 3",
                                         "--partitions 4096",
                                         "--minibatch 1",
                                         "--minibatch 100",
                                         "--partitions 2 --minibatch 7",
                                         "--ranks 2 --grid 1x2",
                                         "--ranks 4 --grid 2x2 --topology workers=2",
                                         "--ranks 3 --node-weights 1,2,3",
                                         "--ranks 2 --communication direct",
                                         "--ranks 4 --overlap no",
                                         "--precision half",
                                         "--precision double --topology workers=1",
                                         "--projector rotate",
                                         "--projector toeplitz",
                                         "--projector rays",
                                         "--algorithm fbp",
                                         "--algorithm fbp --projector pixels",
                                         "--algorithm sirt --topology sockets=1,workers=1",
                                         "--algorithm mlem",
                                         "--algorithm osem --subsets 7",
                                         "--algorithm fista",
                                         "--algorithm fista --subsets 3",
                                         "--algorithm fista --prior-dimensions 3",
                                         "--symmetry no",
                                         "--memory 64GiB",
                                         "--memory 100MiB",
                                         "--workers 3"};
    for (int opencl = 0; opencl < 2; opencl++)
        for (size_t i = (size_t)opencl % TESTING_STEP; i < sizeof option / sizeof *option; i += TESTING_STEP) {
            char line[300];
            SinoForecast forecast;
            snprintf(line, sizeof line, "--angles 301 --columns 512 --slices 40 --machine h100x8 %s", option[i]);
            Case made = make(line);
            made.request.machine.devices = sino_device_room_of(!opencl, 8, 1 << 20);
            alarm(MOST_S);
            SinoStatus status = sino_forecast_new(&made.request, &forecast);
            alarm(0);
            if (!status) sino_forecast_free(&forecast);
            if (status && sino_status_exit_code(status) != SINO_BAD_INPUT)
                fail_msg("%s: %s", line, sino_status_text(status));
            sino_status_free(status);
            case_free(&made);
        }
}

static double run_of(const char *line, SinoForecast *forecast)
{
    *forecast = forecast_of(line);
    const double run_s = forecast->times.run;
    sino_forecast_free(forecast);
    return run_s;
}

/* What the plan chooses for devices is as fast, by its own forecast, as what it can be given. */
static void devices_follow_the_forecast(void **state)
{
    (void)state;
    static const char *const scan[] = {"--machine h100x8 --columns 1024 --angles 1500 --slices 256",
                                       "--machine mirage --columns 256 --angles 400 --slices 64",
                                       "--machine sirocco --columns 512 --angles 750 --slices 128 --algorithm sirt"};
    for (size_t i = 0; i < sizeof scan / sizeof *scan; i++) {
        char line[200];
        SinoForecast forecast;
        const double chosen_s = run_of(scan[i], &forecast);
        for (int partitions = 1; partitions <= 8; partitions *= 2) {
            snprintf(line, sizeof line, "%s --partitions %d --minibatch 64", scan[i], partitions);
            const double given_s = run_of(line, &forecast);
            if (chosen_s > 1.06 * given_s) fail_msg("%s: %g s, but the choice takes %g s", line, given_s, chosen_s);
        }
    }
}

static double run_with(unsigned devices, const char *scheduler)
{
    static const char scan[] = "--machine mirage --columns 256 --angles 400 --slices 64 --partitions 4 --minibatch 16";
    Case made = make(scan);
    SinoForecast forecast;
    made.request.choices.devices = devices;
    made.request.choices.scheduler = scheduler;
    assert_success(sino_forecast_new(&made.request, &forecast));
    case_free(&made);
    sino_forecast_free(&forecast);
    return forecast.times.run;
}

/* By the rule that a run has: GPUs that the user names with cores share iterations with these. */
static void named_devices_share_iterations(void **state)
{
    (void)state;
    const unsigned both = SINO_DEVICE_CPU | SINO_DEVICE_CUDA;
    const double alone_s = run_with(SINO_DEVICE_ALL, NULL), shared_s = run_with(both, NULL);
    assert_true(alone_s != shared_s);
    assert_true(run_with(SINO_DEVICE_ALL, "dmdas") == alone_s && run_with(SINO_DEVICE_CUDA, NULL) == alone_s);
    assert_true(run_with(SINO_DEVICE_ALL, "sino-affinity") == shared_s);
}

/* Where there is a sum for each device, or one for each partition. */
static void rays_are_passed_on(void **state)
{
    (void)state;
    assert_true(sino_rays_pass_on(16, 2, 4, 8));
    assert_false(sino_rays_pass_on(16, 2, 3, 8));
    assert_true(sino_rays_pass_on(4, 2, 2, 8));
    assert_false(sino_rays_pass_on(5, 2, 2, 8));
    assert_true(sino_rays_pass_on(4, 0, 1, 1)); /* without sockets a minibatch has one sum */
    assert_false(sino_rays_pass_on(4, 0, 1, 2));
    assert_false(sino_rays_pass_on(4, 2, 0, 1)); /* nobody knows how many minibatches there are */
}

TESTING_SUBJECT(forecast)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_like_company),
        cmocka_unit_test(grid_follows_memory),
        cmocka_unit_test(times_are_those_of_the_machine),
        cmocka_unit_test(choices_have_consequences),
        cmocka_unit_test(symmetry_is_chosen),
        cmocka_unit_test(weights_even_out),
        cmocka_unit_test(workers_share_minibatches),
        cmocka_unit_test(more_ranks_than_work),
        cmocka_unit_test(published_reductions),
        cmocka_unit_test(projector_is_chosen),
        cmocka_unit_test(devices_lack_lengths),
        cmocka_unit_test(tiny_devices_end),
        cmocka_unit_test(devices_follow_the_forecast),
        cmocka_unit_test(named_devices_share_iterations),
        cmocka_unit_test(rays_are_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
