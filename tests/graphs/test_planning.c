/* SPDX-License-Identifier: BSD-3-Clause */
/* Planning: whatever is asked for, of any geometry, is planned or refused soon and in little memory. */
#include "amounts.h"
#include "cone_scan.h"
#include "forecast.h"
#include "unit_plan.h"
#include "workflows.h"

#include "testing.h"

#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Requests of each kind, as a benchmark (`meson test --benchmark planning`) 500; the processor's time that each may
 * take; and the memory that each may take beside --memory, which sanitizers multiply. */
enum { REQUESTS = 10, SECONDS = 10 };
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { MOST_MIB = 1024 };
#else
enum { MOST_MIB = 64 };
#endif

/* A request: the words of `plan`, separated by single blanks, and what a run finds only when it starts. */
typedef struct Request {
    uint64_t seed;
    const char *directory; /* for files */
    char line[1024];
    SinoDeviceRoom devices;
    int64_t socket_count, shift; /* of the axis from the middle, in columns */
    bool least;
} Request;

/* A number from low to high, each order of magnitude alike; the same ones every time. */
static int64_t any(Request *of, double low, double high)
{
    of->seed = of->seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)floor(low * pow((high + 1) / low, (double)(of->seed >> 33) / (double)(1u << 31)));
}

static bool one_of(Request *of, int64_t count)
{
    return any(of, 1, 1000003) % count == 0;
}

static const char *word(Request *of, const char *const *words, int64_t count)
{
    return words[any(of, 1, 1000003) % count];
}

/* Appends " NAME=VALUE" to the line in one of `cases` cases. */
__attribute__((format(printf, 3, 4))) static void add(Request *of, int64_t cases, const char *format, ...)
{
    const size_t length = strlen(of->line);
    va_list arguments;
    if (!one_of(of, cases)) return;
    va_start(arguments, format);
    vsnprintf(of->line + length, sizeof of->line - length, format, arguments);
    va_end(arguments);
}

static void add_machine(Request *of)
{
    add(of, 2, " --memory=%lldMiB", (long long)any(of, 1, 1 << 22));
    add(of, 2, " --workers=%lld", (long long)any(of, 1, 256));
    add(of, 8, " --symmetry=no");
    add(of, 4, " --json");
}

/* ---- parallel beams ---- */

static void draw_parallel(Request *of)
{
    static const char *const algorithms[] = {"cg", "fbp", "sirt", "fista", "mlem", "osem"};
    static const char *const projectors[] = {"rays", "rotate", "lines", "auto"}, *const precisions[] = {"double",
                                                                                                        "mixed"};
    const int64_t ranks = any(of, 1, 1000000);
    add(of, 1, "--columns=%lld --angles=%lld --slices=%lld --algorithm=%s", (long long)any(of, 1, 65536),
        (long long)any(of, 1, 100000), (long long)any(of, 1, 1000000), word(of, algorithms, 6));
    add_machine(of);
    add(of, 2, " --ranks=%lld", (long long)(one_of(of, 8) ? ranks : 1 + ranks % 300));
    add(of, 6, " --minibatch=%lld", (long long)any(of, 1, 256));
    add(of, 8, " --projector=%s", word(of, projectors, 4));
    add(of, 8, " --precision=%s", word(of, precisions, 2));
    add(of, 8, " --communication=direct");
    add(of, 4, " --volume=%lld", (long long)any(of, 1, 65536));
    add(of, 6, " --partitions=%lld", (long long)any(of, 1, 40000));
    if (strstr(of->line, "--partitions") || one_of(of, 3)) return;
    add(of, 1, " --topology=sockets=%lld", (long long)any(of, 1, 8));
    add(of, 2, ",workers=%lld", (long long)any(of, 1, 500));
    add(of, 6, ",nodes=%lld", (long long)any(of, 1, 4096));
}

static SinoStatus machine_of(const Request *of, const SinoSettings *settings, SinoMachine *machine)
{
    SINO_TRY(sino_machine_new(settings, settings->runtime.workers ? settings->runtime.workers : 4, machine));
    machine->socket_count = of->socket_count;
    machine->devices = of->devices;
    return NULL;
}

static SinoStatus forecast_input(const Request *of, const SinoSettings *settings, SinoInput *input)
{
    SinoForecast forecast;
    SinoNormalWork normal;
    SinoMachine machine;
    input->geometry.center += (double)of->shift;
    SINO_TRY(machine_of(of, settings, &machine));
    SinoPlanRequest request =
        sino_run_plan_request(settings, input, &machine, settings->plan.ranks ? settings->plan.ranks : 1, &normal);
    request.least = of->least;
    SINO_TRY(sino_forecast_new(&request, &forecast));
    sino_forecast_free(&forecast);
    return NULL;
}

/* As ranks of a run or of a simulation plan a scan. */
static SinoStatus forecast_scan(const Request *of, const SinoSettings *settings, const SinoScanInfo *info)
{
    SinoInput input;
    SINO_TRY(sino_input_imagine(settings, info, &input));
    SinoStatus status = forecast_input(of, settings, &input);
    sino_input_close(&input);
    return status;
}

static SinoStatus plan_parallel(const Request *of, const SinoSettings *settings, const double *angle_rad)
{
    const SinoScanInfo info = {.kind = "imagined",
                               .stored_type = "uint16",
                               .type = SINO_COUNT_UINT16,
                               .angle_count = settings->phantom.angles,
                               .row_count = settings->phantom.slices,
                               .column_count = settings->input.columns,
                               .flat_count = 1,
                               .dark_count = 1,
                               .file_angle_count = settings->phantom.angles,
                               .angle_binning = 1,
                               .full_count = UINT16_MAX,
                               .angle_rad = angle_rad,
                               .remark = ""};
    return forecast_scan(of, settings, &info);
}

/* ---- cone and fan beams ---- */

static void draw_cone(Request *of, const char *algorithm)
{
    static const char *const beams[] = {"cone", "fan"}, *const types[] = {"uint8", "uint16"};
    const int64_t distance = any(of, 10, 100000), columns = any(of, 2, 65536), most = one_of(of, 4) ? 1000000 : columns;
    add(of, 1, "--geometry=%s --columns=%lld --angles=%lld --slices=%lld --algorithm=%s", word(of, beams, 2),
        (long long)columns, (long long)any(of, 1, 100000), (long long)any(of, 1, (double)most), algorithm);
    add(of, 2, " --ranks=%lld", (long long)any(of, 1, 1000));
    add_machine(of);
    const int64_t far = distance + any(of, 1, 100000);
    add(of, 4, " --source-object-distance=%lld --source-detector-distance=%lld", (long long)distance, (long long)far);
    const double side = 2 * (double)columns;
    add(of, 4, " --volume=%lldx%lldx%lld", (long long)any(of, 1, side), (long long)any(of, 1, side),
        (long long)any(of, 1, 65536));
    add(of, 8, " --output-type=%s", word(of, types, 2));
}

static void draw_fdk(Request *of)
{
    const int64_t rows = any(of, 1, 1000), columns = any(of, 1, 1000), ranks = rows * columns;
    draw_cone(of, "fdk");
    add(of, 4, " --precision=mixed");
    if (!strstr(of->line, "--ranks") && one_of(of, 2))
        add(of, 1, " --grid=%lldx%lld --ranks=%lld", (long long)rows, (long long)columns, (long long)ranks);
}

static void draw_cone_solution(Request *of)
{
    static const char *const algorithms[] = {"cg", "sirt", "mlem", "osem"};
    draw_cone(of, word(of, algorithms, 4));
    if (strstr(of->line, "osem")) add(of, 2, " --subsets=%lld", (long long)any(of, 1, 4096));
    add(of, 4, " --iterations=%lld", (long long)any(of, 1, 1e9));
}

static SinoStatus plan_fdk(const Request *of, const SinoSettings *settings, const double *angle_rad)
{
    SinoConeDescription scan;
    SinoMachine machine;
    SinoUnitPlan plan;
    int64_t least;
    SINO_TRY(sino_cone_describe(settings, settings->phantom.angles, angle_rad, settings->input.columns,
                                settings->phantom.slices, &scan));
    SINO_TRY(machine_of(of, settings, &machine));
    const SinoUnitPlanRequest request = sino_fdk_plan_request(settings, &scan.input, &scan.cone, &machine,
                                                              settings->plan.ranks ? settings->plan.ranks : 1);
    SINO_TRY(sino_unit_plan_least_bytes(&request, &least));
    assert_true(least > 0);
    return sino_unit_plan_new(&request, &plan);
}

static SinoStatus plan_cone_solution(const Request *of, const SinoSettings *settings, const double *angle_rad)
{
    SinoConeDescription scan;
    SinoMachine machine;
    SinoProblem problem;
    SinoUnitPlan plan;
    int64_t least;
    SINO_TRY(sino_cone_describe(settings, settings->phantom.angles, angle_rad, settings->input.columns,
                                settings->phantom.slices, &scan));
    SINO_TRY(machine_of(of, settings, &machine));
    const int64_t ranks = settings->plan.ranks ? settings->plan.ranks : 1;
    SINO_TRY(sino_volume_problem(settings, &scan.input, &scan.cone, ranks, &problem));
    const SinoUnitPlanRequest request = sino_volume_plan_request(settings, &scan.input, &problem, ranks, &machine);
    SINO_TRY(sino_unit_plan_least_bytes(&request, &least));
    return sino_unit_plan_new(&request, &plan);
}

/* ---- counts with a system matrix ---- */

/* A file in the format Matrix Market with some entries of a matrix of that size. */
static void write_matrix(Request *of, const char *path, int64_t rows, int64_t voxels)
{
    const int64_t entries = any(of, 1, 2000);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%%%%MatrixMarket matrix coordinate real general\n%lld %lld %lld\n", (long long)rows,
            (long long)voxels, (long long)entries);
    for (int64_t i = 0; i < entries; i++) {
        const int64_t row = 1 + (any(of, 1, 4e9) * 7919 + i) % rows;
        const int64_t voxel = 1 + (any(of, 1, 4e9) * 7919 + i) % voxels;
        fprintf(file, "%lld %lld 0.5\n", (long long)row, (long long)voxel);
    }
    assert_int_equal(fclose(file), 0);
}

/* An array of NumPy of counts that are 0, most of which take no room on a disk. */
static void write_counts(const char *path, int64_t sets, int64_t rows)
{
    static const unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 0x76, 0};
    char header[128];
    memset(header, ' ', sizeof header);
    memcpy(header, magic, sizeof magic);
    const int length =
        snprintf(header + 10, sizeof header - 10, "{'descr': '<u2', 'fortran_order': False, 'shape': (%lld, %lld), }",
                 (long long)sets, (long long)rows);
    header[10 + length] = ' ';
    header[sizeof header - 1] = '\n';
    testing_write_bytes(path, header, sizeof header);
    assert_int_equal(truncate(path, (off_t)sizeof header + 2 * sets * rows), 0);
}

static void draw_matrix(Request *of)
{
    static const char *const algorithms[] = {"cg", "sirt", "mlem", "osem"};
    char matrix[TESTING_PATH], counts[TESTING_PATH];
    const int64_t rows = any(of, 1, 1e7), sets = one_of(of, 2) ? 1 : any(of, 1, 1000);
    write_matrix(of, testing_path(matrix, of->directory, "matrix.mtx"), rows, any(of, 1, 1e7));
    write_counts(testing_path(counts, of->directory, "counts.npy"), sets, rows);
    add(of, 1, "%s --system-matrix=%s --algorithm=%s --memory=%lldMiB", counts, matrix, word(of, algorithms, 4),
        (long long)any(of, 1, 1 << 16));
    add(of, 4, " --ranks=%lld", (long long)any(of, 1, 300));
    add(of, 4, " --precision=mixed");
    add(of, 2, " --workers=%lld", (long long)any(of, 1, 256));
    if (strstr(of->line, "osem")) add(of, 2, " --subsets=%lld", (long long)any(of, 1, 4096));
    add(of, 4, " --json");
}

static SinoStatus plan_matrix(const Request *of, const SinoSettings *settings, const double *angle_rad)
{
    SinoLog *log;
    SinoMatrixInput input = {0};
    SinoMachine machine;
    SinoUnitPlan plan;
    const SinoMatrixShare share = {.rank_count = settings->plan.ranks ? settings->plan.ranks : 1};
    (void)angle_rad;
    SINO_TRY(sino_log_open(SINO_LOG_TEXT, &log));
    SinoStatus status = machine_of(of, settings, &machine);
    if (!status) status = sino_matrix_input_open(settings, share, log, &input);
    if (!status) {
        const SinoUnitPlanRequest request = sino_counts_plan_request(settings, &input, &machine);
        status = sino_unit_plan_new(&request, &plan);
    }
    sino_matrix_input_close(&input);
    sino_log_close(log);
    return status;
}

/* The tables of a matrix of many rows or voxels are not made where --memory has no room for them. */
static void large_matrices_are_refused_first(void **state)
{
    static const int64_t sizes[2][2] = {{10000000, 1}, {1, 10000000}};
    for (int i = 0; i < 2; i++) {
        Request request = {.seed = 1, .directory = *state};
        char path[TESTING_PATH];
        SinoMatrixSurvey *survey = NULL;
        write_matrix(&request, testing_path(path, *state, "matrix.mtx"), sizes[i][0], sizes[i][1]);
        SinoMatrixRequest wanted = {.path = path, .subset_count = 1, .memory_bytes = 64 << 20};
        assert_error(sino_matrix_survey_new(&wanted, &survey), SINO_BAD_INPUT, "memory: 64.0 MiB may be used");
    }
}

/* Of computed rows, the order of the voxels, and their attenuation if there is a map, count. */
static void large_images_are_refused_first(void **state)
{
    static const char header[] = "!INTERFILE :=\n!matrix size [1] := 4\n!matrix size [2] := 1\n"
                                 "scaling factor (mm/pixel) [1] := 2\nscaling factor (mm/pixel) [2] := 2\n"
                                 "number of projections := 2\nextent of rotation := 360\nstart angle := 0\n"
                                 "radius := 30\n";
    char path[TESTING_PATH];
    SinoMatrixSurvey *survey = NULL;
    testing_write_bytes(testing_path(path, *state, "scan.hs"), header, sizeof header - 1);
    SinoMatrixRequest wanted = {
        .path = path, .subset_count = 1, .memory_bytes = 64 << 20, .grid = {400, 400, 50, {1, 1, 1}}};
    assert_error(sino_matrix_survey_new(&wanted, &survey), SINO_BAD_INPUT, "8000000 voxels | need 68.7 MiB");
}

/* ---- the division that fits ---- */

/* Divisions of `units` in flight, each of which takes 10 bytes; a device has room for units_of_device. */
static int measured, units_of_device;

static SinoStatus divide_widely(const SinoUnitPlanRequest *request, SinoUnitPlan *plan)
{
    plan->batch_units = request->unit_count;
    return NULL;
}

static bool halve(const SinoUnitPlanRequest *request, SinoUnitPlan *plan)
{
    (void)request;
    if (plan->batch_units == 1) return false;
    plan->batch_units /= 2;
    return true;
}

static SinoStatus count_division(const SinoUnitPlanRequest *request, SinoUnitPlan *plan)
{
    (void)request;
    measured++;
    plan->bytes.total = 10 * plan->batch_units;
    return plan->batch_units == 5 ? sino_error(SINO_FAILED, "five") : NULL;
}

static SinoStatus device_has_room(const SinoUnitPlanRequest *request, const SinoUnitPlan *plan, bool *fits)
{
    (void)request;
    *fits = plan->batch_units <= units_of_device;
    return NULL;
}

static SinoStatus refuse_division(const SinoUnitPlanRequest *request, const SinoUnitPlan *plan)
{
    (void)request;
    return sino_error(SINO_BAD_INPUT, "%lld units", (long long)plan->batch_units);
}

static const SinoUnitPlanKind divisions = {.widest = divide_widely,
                                           .narrow = halve,
                                           .bytes = count_division,
                                           .fits_devices = device_has_room,
                                           .refuse = refuse_division};

static void the_widest_division_that_fits_is_taken(void **state)
{
    static const struct {
        int64_t budget_bytes, units;
        int device;
        bool fits;
    } cases[] = {{1000, 64, 64, true}, {639, 32, 64, true}, {1000, 16, 16, true},
                 {79, 4, 16, true},    {9, 1, 64, false},   {1000, 1, 0, false}};
    SinoUnitPlanRequest request = {.kind = &divisions, .unit_count = 64};
    SinoUnitPlan plan;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        units_of_device = cases[i].device;
        request.machine.memory_bytes = sino_runtime_base_bytes() + cases[i].budget_bytes;
        SinoStatus status = sino_unit_plan_new(&request, &plan);
        if (!cases[i].fits) {
            assert_error(status, SINO_BAD_INPUT, "1 units");
            continue;
        }
        assert_success(status);
        assert_int_equal(plan.batch_units, cases[i].units);
        assert_int_equal(plan.total_bytes - sino_runtime_base_bytes(), 10 * cases[i].units);
    }
    request.unit_count = 10;
    request.machine.memory_bytes = measured = 0;
    assert_error(sino_unit_plan_new(&request, &plan), SINO_FAILED, "five");
    assert_int_equal(measured, 2);
}

static void refusals_name_a_memory_that_would_do(void **state)
{
    const SinoDeviceRoom room = {.bytes = (int64_t)1 << 20, .count = 1};
    (void)state;
    assert_error(sino_plan_too_little((int64_t)100 << 20, (int64_t)1 << 20, "a volume needs", " (much)", ", or less"),
                 SINO_BAD_INPUT, "1.00 MiB | 100 MiB | --memory | 101MiB");
    assert_error(sino_plan_too_small(&room, 1 << 20, 2 << 20, "each lists", "less"), SINO_BAD_INPUT,
                 "1.00 MiB | 6.00 MiB | less");
}

/* ---- any request ---- */

typedef struct Kind {
    const char *name;
    void (*draw)(Request *of);
    SinoStatus (*plan)(const Request *of, const SinoSettings *settings, const double *angle_rad); /* as a run plans */
} Kind;

static const Kind kinds[] = {{"parallel", draw_parallel, plan_parallel},
                             {"fdk", draw_fdk, plan_fdk},
                             {"cone_solution", draw_cone_solution, plan_cone_solution},
                             {"matrix", draw_matrix, plan_matrix}};

/* The exit code of a plan; an error that is not one of the input is printed. */
static int code_of(SinoStatus status)
{
    const int code = sino_status_exit_code(status);
    if (code == 1) fprintf(stderr, "%s\n", sino_status_text(status));
    sino_status_free(status);
    return code;
}

static double processor_s(const struct rusage *used)
{
    return (double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) +
           1e-6 * (double)(used->ru_utime.tv_usec + used->ru_stime.tv_usec);
}

/* From now on the process has SECONDS. */
static void begin(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    setrlimit(RLIMIT_CPU, &(struct rlimit){(rlim_t)processor_s(&used) + SECONDS + 1, RLIM_INFINITY});
}

/* The plan of a run, and what the verb `plan` prints. */
static int ask(const Kind *kind, const Request *of)
{
    char *text = strdup(of->line), *argument[64], *rest = text;
    SinoSettings *settings = NULL;
    SinoLog *log = NULL;
    int count = 0;
    for (char *part; (part = strsep(&rest, " "));) argument[count++] = part;
    const int refused = code_of(sino_settings_read(SINO_VERB_PLAN, count, argument, &settings));
    free(text);
    if (refused) return refused;
    double *angle_rad = calloc((size_t)settings->phantom.angles + 1, sizeof *angle_rad);
    const double arc = settings->geometry.kind == SINO_GEOMETRY_PARALLEL ? M_PI : 2 * M_PI;
    for (int64_t k = 0; k < settings->phantom.angles; k++)
        angle_rad[k] = arc * (double)k / (double)settings->phantom.angles;
    begin();
    const int of_run = code_of(kind->plan(of, settings, angle_rad));
    free(angle_rad);
    assert_success(sino_log_open(SINO_LOG_TEXT, &log));
    begin();
    const int of_verb = code_of(sino_plan(settings, log));
    sino_log_close(log);
    sino_settings_free(settings);
    return of_verb == 1 ? 1 : of_run;
}

/* A process of its own asks, so that a plan that never ends, crashes or takes much memory tells the request. */
static pid_t start(const Kind *kind, const Request *of)
{
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child > 0) return child;
    const int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0) _exit(1);
    close(nowhere);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    exit(ask(kind, of));
}

static int64_t most_bytes(const Request *of)
{
    const char *memory = strstr(of->line, "--memory=");
    const int64_t given = memory ? strtol(memory + strlen("--memory="), NULL, 10) : 0;
    return (given + MOST_MIB) << 20;
}

typedef struct Tally {
    int planned, failed;
    double slowest_s;
    int64_t most_bytes;
} Tally;

static void try_one(const Kind *kind, const Request *of, Tally *tally)
{
    int result;
    struct rusage used;
    const pid_t child = start(kind, of);
    assert_int_equal(wait4(child, &result, 0, &used), child);
    const int64_t bytes = (int64_t)used.ru_maxrss * 1024;
    const int code = WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
    if ((code != 0 && code != 2) || bytes > most_bytes(of)) {
        tally->failed++;
        print_message("code %d, %.1f s, %.0f MiB: plan %s; devices: %lld of %lld bytes\n", code, processor_s(&used),
                      (double)bytes / (1 << 20), of->line, (long long)of->devices.count, (long long)of->devices.bytes);
    }
    tally->planned += code == 0;
    tally->slowest_s = fmax(tally->slowest_s, processor_s(&used));
    if (bytes > tally->most_bytes) tally->most_bytes = bytes;
}

static void any_request_of(const Kind *kind, const char *directory)
{
    const char *more = getenv("SINODAG_TEST_REQUESTS");
    const int requests = more ? (int)strtol(more, NULL, 10) : REQUESTS;
    Request request = {.seed = 36, .directory = directory};
    Tally tally = {0};
    for (int i = 0; i < requests; i++) {
        request.line[0] = 0;
        kind->draw(&request);
        request.devices = (SinoDeviceRoom){0};
        if (one_of(&request, 3))
            request.devices =
                sino_device_room_of(one_of(&request, 2), any(&request, 1, 16), any(&request, 1 << 20, 2e11));
        request.socket_count = any(&request, 1, 8);
        request.shift = one_of(&request, 8) ? any(&request, 1, 10000) : 0;
        request.least = one_of(&request, 8);
        try_one(kind, &request, &tally);
    }
    print_message("%s: %d requests, %d planned; the slowest took %.2f s, the largest %.0f MiB\n", kind->name, requests,
                  tally.planned, tally.slowest_s, (double)tally.most_bytes / (1 << 20));
    assert_int_equal(tally.failed, 0);
    assert_true(tally.planned > requests / 8 && tally.planned < requests);
}

static void any_parallel_scan(void **state)
{
    any_request_of(&kinds[0], *state);
}

static void any_fdk(void **state)
{
    any_request_of(&kinds[1], *state);
}

static void any_cone_solution(void **state)
{
    any_request_of(&kinds[2], *state);
}

static void any_matrix(void **state)
{
    any_request_of(&kinds[3], *state);
}

TESTING_SUBJECT(planning)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_widest_division_that_fits_is_taken),
        cmocka_unit_test(refusals_name_a_memory_that_would_do),
        cmocka_unit_test_setup_teardown(large_images_are_refused_first, testing_directory_make,
                                        testing_directory_remove),
        cmocka_unit_test_setup_teardown(large_matrices_are_refused_first, testing_directory_make,
                                        testing_directory_remove),
        cmocka_unit_test_setup_teardown(any_parallel_scan, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(any_fdk, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(any_cone_solution, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(any_matrix, testing_directory_make, testing_directory_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
