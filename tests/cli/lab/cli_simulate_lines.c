/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, simulate, lines: each line of recon is one of simulate, which has as many tasks of each kind as the
 * run. Where values of the scan decide how many, the report says what is assumed instead. */
#include "cli_simulator.h"

#include <stdlib.h>
#include <string.h>

/* A line of recon and of simulate. */
typedef struct Line {
    const char *text;
    const char *assumed; /* words of the report's assumptions; NULL: there are none */
    bool differs;        /* the numbers of tasks do; simulated kinds are those of the run */
} Line;

enum { WIDE = 160 };

/* Kinds are listed once for each part of the run; those of the first part, the whole run, are compared. Returns the
 * number of differences, which are told. */
static int compare_kinds(const Line *line, const char *real, const char *json)
{
    char name[64];
    int64_t all = 0;
    int differences = 0;
    const char *kind = strstr(json, "\"kinds\": ["), *const end = kind ? strchr(kind, ']') : NULL;
    assert_non_null(end);
    while ((kind = strstr(kind + 1, "{\"name\": \"")) && kind < end) {
        assert_int_equal(sscanf(kind, "{\"name\": \"%63[^\"]", name), 1);
        const int64_t count = cli_tasks_of(real, name), simulated = cli_tasks_of(json, name);
        all += count;
        if (line->differs ? count > 0 : count == simulated) continue;
        print_error("%s: %d tasks %s in the run, %d simulated\n", line->text, (int)count, name, (int)simulated);
        differences++;
    }
    const int64_t run = (int64_t)cli_number_after(strstr(real, "\"name\": \"run\""), "\"tasks\": ", NULL);
    if (line->differs || run == all) return differences;
    print_error("%s: %d tasks in the run, of kinds that are simulated %d\n", line->text, (int)run, (int)all);
    return differences + 1;
}

static int compare_assumed(const Line *line, const char *json)
{
    const char *assumed = strstr(json, "\"assumed\": [");
    assert_non_null(assumed);
    const bool none = strncmp(assumed, "\"assumed\": []", 13) == 0;
    if (none == !line->assumed && (none || strstr(assumed, line->assumed))) return 0;
    print_error("%s: %.*s\n", line->text, WIDE, assumed);
    return 1;
}

/* Both at a time. Returns the number of differences. */
static int run_line(const char *at, const Line *line)
{
    enum { PROFILE_BYTES = 1 << 20 };
    const char *const common = "-o v.h5 --overwrite --workers 1 --device cpu";
    CliRun real = {.directory = at}, virtual = {.directory = at};
    cli_start(&real, "recon %s --profile=real.json %s", common, line->text);
    cli_start(&virtual, "simulate %s --json %s", common, line->text);
    cli_wait(&real);
    cli_wait(&virtual);
    if (real.exit_code != 0) fail_msg("%s: exit code %d\n%s", line->text, real.exit_code, real.err);
    if (virtual.exit_code != 0) fail_msg("%s: exit code %d simulated\n%s", line->text, virtual.exit_code, virtual.err);
    const int64_t bytes = cli_file_size(at, "real.json");
    assert_in_range(bytes, 1, PROFILE_BYTES);
    char *profile = cli_read_bytes(at, "real.json", (size_t)bytes);
    profile[bytes - 1] = '\0';
    const int differences = compare_kinds(line, profile, virtual.out) + compare_assumed(line, virtual.out);
    free(profile);
    cli_free(&real);
    cli_free(&virtual);
    return differences;
}

static void run_lines(const char *at, const Line *line)
{
    int differences = 0;
    for (; line->text; line++) differences += run_line(at, line);
    assert_int_equal(differences, 0);
}

#define AXIS     "the rotation axis is in the middle"
#define STRENGTH "the best strength of the prior"
#define AUTO     "--iterations auto finds as many as it may"
#define SCAN     "scan.h5 --rotation-axis 31.5 "
#define SHORT    "--iterations 3 "
#define FBP      SCAN "--algorithm fbp "
#define CG       SCAN SHORT "--algorithm cg "
#define COMES    "live.h5 --rotation-axis 31.5 --algorithm fbp --follow "
#define PHASE    "--phase-method paganin --energy 20 --propagation-distance 100 --pixel-size 1 --delta-beta 1 "

/* live.h5 has the scan as one that is followed. */
static void replay(const char *directory, const char *scan)
{
    char usual[TESTING_PATH];
    snprintf(usual, sizeof usual, "%s", getenv("SINODAG"));
    setenv("SINODAG", getenv("SINODAG_REPLAY"), 1);
    cli_works(directory, "%s live.h5 swmr 0", scan);
    setenv("SINODAG", usual, 1);
}

/* The default and its search, priors, solvers, projectors, stages, outputs and center searches of parallel beams. */
static void lines_of_slices(void **state)
{
    static const Line line[] = {
        {.text = "scan.h5", AXIS},
        {.text = SCAN SHORT "--prior huber --subsets 4 --weights none", STRENGTH},
        {.text = SCAN SHORT "--prior-dimensions 3", STRENGTH},
        {.text = SCAN SHORT "--projector toeplitz --algorithm fista", STRENGTH, true},
        {.text = SCAN SHORT "--projector toeplitz --algorithm fista --regularization 0.1"},
        {.text = SCAN SHORT "--projector lines --mask mask.h5 --maximum 2", STRENGTH, true},
        {.text = SCAN SHORT "--regularization 0.1 --nonnegativity no"},
        {.text = SCAN SHORT "--prior qggmrf --regularization 0.1 --prior-threshold 0.2"},
        {.text = SCAN SHORT "--regularization 0.1 --support-ratio 0.9 --prior-dimensions 3"},
        {.text = CG "--minibatch 4 --partitions 2 --projector rays"},
        {.text = CG "--weights counts --support-ratio 0.9 --volume 70x70"},
        {.text = CG "--mask mask.h5 --precision half"},
        {.text = CG "--tolerance 1e-9", "nothing stops before its last iteration"},
        {.text = CG "--projector rotate --interpolation cubic --minibatch 4 --partitions 2"},
        {.text = CG "--projector toeplitz --minibatch 4"},
        {.text = SCAN SHORT "--algorithm sirt --start start.h5 --relaxation 0.5"},
        {.text = SCAN SHORT "--algorithm mlem --likelihood-tolerance 1e-12", "nothing stops"},
        {.text = SCAN SHORT "--algorithm osem --subsets 3 --precision double"},
        {.text = SCAN "--algorithm cg --iterations auto", AUTO, true},
        {.text = SCAN "--algorithm sirt --iterations auto", AUTO, true},
        {.text = FBP "--projector pixels --minibatch 4 --mask-ratio 0.9"},
        {.text = FBP "--projector gridding --minibatch 4 --fbp-filter hann --padding-type edges"},
        {.text = FBP "--projector rays --remove-stripe-method vo-all --zinger-removal-method standard --air 4"},
        {.text = FBP "--air 4 --beam-hardening 1,0.1 --remove-stripe-method ti --stages harden,stripes,air,zingers"},
        {.text = FBP PHASE},
        {.text = FBP "--detector-tilt 1 --air 4 --binning 2 --start-row 2"},
        {.text = FBP "--output-type uint16"},
        {.text = FBP "--output-type uint8 --output-range 0:1 --save-format both --pictures no --report none"},
        {.text = FBP "--models frozen --stall-limit 5min --max-repaired 0.5 --saturation 60000"},
        {.text = FBP "--save-format both --compression deflate", "without compression", true},
        {.text = FBP "--halves", "nothing compares both volumes", true},
        {.text = FBP "--resume", "no earlier run has stored anything"},
        {.text = COMES "--projector pixels --minibatch 4"},
        {.text = COMES "--projector gridding --minibatch 4 --follow-timeout 5"},
        {.text = COMES "--projector rays --exclude 0:8"},
        {.text = FBP "--operator-cache cache", "no earlier run has stored anything"},
        {.text = "scan.h5 --algorithm fbp --rotation-axis-auto entropy", AXIS},
        {.text = "scan.h5 --algorithm fbp --rotation-axis-auto phase --center-search-width 10", AXIS},
        {.text = "scan.h5 --algorithm fbp --nsino 3", AXIS},
        {.text = NULL}};
    (void)cli_simulator();
    cli_works(*state, "phantom -o scan.h5 --size 64 --angles 48 --slices 8 --truth start.h5");
    replay(*state, "scan.h5");
    cli_works(*state, "phantom -o one.h5 --size 64 --angles 8 --slices 1 --truth mask.h5");
    run_lines(*state, line);
}

#define CONE "cone.h5 --geometry cone --rotation-axis 11.5 "

/* Cone and fan beams, and vectors. */
static void lines_of_cones(void **state)
{
    static const Line line[] = {
        {.text = "cone.h5 --geometry cone --algorithm fdk", AXIS},
        {.text = "cone.h5 --geometry cone --algorithm sirt --nonnegativity " SHORT, AXIS},
        {.text = CONE "--algorithm fdk --output-type uint8"},
        {.text = "live.h5 --geometry cone --rotation-axis 11.5 --follow"},
        {.text = CONE "--algorithm fdk --zinger-removal-method standard --remove-stripe-method ti"},
        {.text = CONE SHORT "--algorithm cg --remove-stripe-method ti --zinger-removal-method standard"},
        {.text = CONE SHORT "--algorithm osem --subsets 3 --volume 40x40x24 --voxel-size 0.1"},
        {.text = CONE SHORT "--algorithm fista --regularization 0.1 --prior huber"},
        {.text = CONE SHORT "--algorithm fista", STRENGTH, true},
        {.text = CONE "--algorithm cg --iterations auto", AUTO, true},
        {.text = "cone.h5 --geometry fan --rotation-axis 11.5 --fbp-filter hann --precision mixed --symmetry no"},
        {.text = "cone.h5 --geometry fan --rotation-axis 11.5 --algorithm cg " SHORT},
        {.text = "cone.h5 --vectors orbit:source=40,detector=60,pixel=0.4,turns=1 --algorithm cg " SHORT},
        {.text =
             "cone.h5 --vectors orbit:source=40,detector=60,pixel=0.4 --algorithm fista --regularization 0.1 " SHORT},
        {.text = NULL}};
    (void)cli_simulator();
    cli_works(*state, "phantom -o cone.h5 --geometry cone --size 24 --angles 36 --slices 40");
    replay(*state, "cone.h5");
    run_lines(*state, line);
}

#define PET    "phantom --geometry pet --crystals 12x3x2 --rays 4 --volume 16x14x6 --voxel-size 0.6 -o "
#define COUNTS "m.counts --system-matrix m.csr4 "

/* Counts, of one set and of more than are solved together, by a matrix as it is and folded, and what goes with it. */
static void lines_of_counts(void **state)
{
    static const Line line[] = {{.text = COUNTS SHORT},
                                {.text = COUNTS SHORT "--algorithm osem --subsets 4 --precision mixed"},
                                {.text = COUNTS SHORT "--algorithm bsrem --subsets 4 --post-filter 1"},
                                {.text = COUNTS SHORT "--algorithm cg"},
                                {.text = COUNTS SHORT
                                 "--multiplicative m.counts --additive m.counts --start m.truth.h5 --mask m.truth.h5 "
                                 "--sensitivity m.truth.h5"},
                                {.text = COUNTS "--iterations 5 --save-every 2"},
                                {.text = COUNTS SHORT "--resume", "no earlier run has stored anything"},
                                {.text = COUNTS "--algorithm osem --iterations auto", AUTO, true},
                                {.text = "r.counts --system-matrix f.csr4 --algorithm osem " SHORT},
                                {.text = NULL}};
    (void)cli_simulator();
    cli_works(*state, PET "m.csr4");
    cli_works(*state, PET "f.csr4 --mirrors folded");
    cli_works(*state, PET "r.csr4 --replicates 40");
    run_lines(*state, line);
}

static void refusals(void **state)
{
    (void)cli_simulator();
    cli_works(*state, "phantom -o scan.h5 --size 16 --angles 8 --slices 1");
    cli_refuses(*state, "--reconstruction-type | 'try' | compares | simulate | full",
                "simulate scan.h5 --reconstruction-type try");
    cli_refuses(*state, "--align | 'shifts' | values of the scan | a file of shifts",
                "simulate scan.h5 --align shifts");
    cli_refuses(*state, "--rotation-axis with a column", "simulate scan.h5 --algorithm fbp --follow --arrival 5");
    cli_refuses(*state, "--halves | with an input file", "simulate " CLI_SIMULATED_SIZES "--halves");
}

int cli_simulate_lines_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(lines_of_slices),
        CLI_TEST(lines_of_cones),
        CLI_TEST(lines_of_counts),
        CLI_TEST(refusals),
    };
    return cmocka_run_group_tests_name("cli_simulate_lines", tests, NULL, NULL);
}
