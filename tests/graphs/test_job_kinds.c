/* SPDX-License-Identifier: BSD-3-Clause */
/* Job kinds: each verb takes each kind, and refuses, in the table's words, whatever the kind lacks. */
#include "arithmetic.h"
#include "halves.h"
#include "job_kind.h"
#include "memory_scan.h"
#include "usual_algorithm.h"
#include "workflows.h"

#include "testing.h"

#include <fcntl.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 16, LINE = 1024 };

/* Settings of a verb from words between blanks; NULL: refused, and *refusal says why. */
static SinoSettings *settings_of(int verb, const char *line, SinoStatus *refusal)
{
    char *text = strdup(line), *argument[WORDS], *rest = text;
    SinoSettings *settings = NULL;
    int count = 0;
    for (char *part; (part = strsep(&rest, " "));)
        if (*part) argument[count++] = part;
    *refusal = sino_settings_read(verb, count, argument, &settings);
    free(text);
    return settings;
}

static SinoStatus run_verb(int verb, const SinoSettings *settings, SinoLog *log)
{
    if (verb == SINO_VERB_PHANTOM) return sino_phantom(settings, log);
    if (verb == SINO_VERB_INFO) return sino_info(settings, log);
    if (verb == SINO_VERB_INIT) return sino_init(settings, log);
    return verb == SINO_VERB_PLAN ? sino_plan(settings, log) : sino_recon(settings, NULL, log);
}

/* The status of a verb, whose output goes nowhere. */
static SinoStatus run(int verb, const SinoSettings *settings)
{
    SinoLog *log = NULL;
    const int nowhere = open("/dev/null", O_WRONLY), kept = dup(STDOUT_FILENO);
    assert_true(nowhere >= 0 && kept >= 0);
    assert_success(sino_log_open(SINO_LOG_TEXT, &log));
    fflush(stdout);
    assert_true(dup2(nowhere, STDOUT_FILENO) >= 0);
    SinoStatus status = run_verb(verb, settings, log);
    fflush(stdout);
    assert_true(dup2(kept, STDOUT_FILENO) >= 0);
    close(nowhere);
    close(kept);
    sino_log_close(log);
    return status;
}

static void works(int verb, const char *line)
{
    SinoStatus status;
    SinoSettings *settings = settings_of(verb, line, &status);
    assert_success(status);
    assert_success(run(verb, settings));
    sino_settings_free(settings);
}

/* Of 8 projections. */
static void write_vectors(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("srcX,srcY,srcZ,dX,dY,dZ,uX,uY,uZ,vX,vY,vZ\n", file);
    for (int k = 0; k < 8; k++) {
        const double c = cos(k), s = sin(k);
        fprintf(file, "%g,%g,0,%g,%g,0,%g,%g,0,0,0,0.2\n", 9 * s, -9 * c, -4 * s, 4 * c, 0.2 * c, 0.2 * s);
    }
    assert_int_equal(fclose(file), 0);
}

/* Makes the inputs of all kinds, and writes the words that name a kind's. */
static void make_inputs(const char *at, char words[SINO_JOBS][LINE])
{
    char line[LINE];
    snprintf(line, sizeof line, "--out=%s/scan.h5 --size=16 --angles=8 --slices=2", at);
    works(SINO_VERB_PHANTOM, line);
    snprintf(line, sizeof line, "--out=%s/cone.h5 --size=16 --angles=8 --slices=40 --geometry=cone", at);
    works(SINO_VERB_PHANTOM, line);
    snprintf(line, sizeof line, "--out=%s/pet.csr4 --geometry=pet --crystals=8x2x1 --rays=1", at);
    works(SINO_VERB_PHANTOM, line);
    snprintf(words[SINO_JOB_SCAN], LINE, "%s/scan.h5", at);
    snprintf(words[SINO_JOB_FDK], LINE, "%s/cone.h5 --geometry=cone", at);
    snprintf(words[SINO_JOB_VOLUME], LINE, "%s/cone.h5 --geometry=cone --algorithm=sirt", at);
    snprintf(line, sizeof line, "%s/vectors.csv", at);
    write_vectors(line);
    snprintf(words[SINO_JOB_VECTORS], LINE, "%s/cone.h5 --vectors=%s/vectors.csv", at, at);
    snprintf(words[SINO_JOB_COUNTS], LINE, "%s/pet.counts --system-matrix=%s/pet.csr4", at, at);
}

/* How users ask for a use. Reconstructions are not run where they are allowed: that is for tests of whole runs. */
static const struct {
    int verb;
    const char *words;
} uses[SINO_JOB_USES] = {[SINO_JOB_RANKS] = {SINO_VERB_PLAN, "--ranks=2"},
                         [SINO_JOB_MIXED] = {SINO_VERB_PLAN, "--precision=mixed"},
                         [SINO_JOB_TRY] = {SINO_VERB_RECON, "--out=try --reconstruction-type=try"},
                         [SINO_JOB_INIT] = {SINO_VERB_INIT, "--out=-"},
                         [SINO_JOB_RANGE] = {SINO_VERB_RECON, "--out=volume.h5 --output-type=uint16"},
                         [SINO_JOB_FOLLOW] = {SINO_VERB_RECON, "--out=volume.h5 --follow --rotation-axis=7.5"}};

static void ask(SinoJobChoice job, SinoJobUse use, const char *line)
{
    SinoStatus status;
    SinoSettings *settings = settings_of(uses[use].verb, line, &status);
    const bool can = sino_job_can(&sino_job_kinds[job], use), runs = uses[use].verb != SINO_VERB_RECON;
    if (!settings) { /* the table of settings refuses it first */
        assert_false(can);
        assert_error(status, SINO_BAD_INPUT, "contradicts");
        return;
    }
    assert_int_equal(sino_job_kind(settings)->job, job);
    if (!can) {
        assert_error(run(uses[use].verb, settings), SINO_BAD_INPUT, " is not available for ");
        assert_error(run(uses[use].verb, settings), SINO_BAD_INPUT, sino_job_kinds[job].name);
        assert_error(run(uses[use].verb, settings), SINO_BAD_INPUT, sino_job_kinds[job].lacks[use]);
    } else if (runs)
        assert_success(run(uses[use].verb, settings));
    else
        assert_success(sino_job_check(sino_job_kind(settings), use));
    sino_settings_free(settings);
}

static void verbs_take_each_kind_as_its_row_says(void **state)
{
    char words[SINO_JOBS][LINE], line[2 * LINE];
    make_inputs(*state, words);
    for (int job = 0; job < SINO_JOBS; job++) {
        works(SINO_VERB_PLAN, words[job]);
        if (job != SINO_JOB_VOLUME) works(SINO_VERB_INFO, words[job]); /* info has no algorithm */
    }
    for (int use = 0; use < SINO_JOB_USES; use++)
        for (int job = 0; job < SINO_JOBS; job++) {
            snprintf(line, sizeof line, "%s %s", words[job], uses[use].words);
            ask((SinoJobChoice)job, (SinoJobUse)use, line);
        }
}

/* A refusal names the kind, why it lacks the use, all others that have it, and what is allowed instead. */
static void refusals_name_the_others(void **state)
{
    (void)state;
    assert_error(sino_job_check(&sino_job_kinds[SINO_JOB_VECTORS], SINO_JOB_TRY), SINO_BAD_INPUT,
                 "--reconstruction-type try | --geometry vectors | it is for: --geometry parallel, --geometry cone or "
                 "fan with --algorithm fdk, --geometry cone or fan with an iterative algorithm, counts with "
                 "--system-matrix");
    assert_error(sino_job_check(&sino_job_kinds[SINO_JOB_VOLUME], SINO_JOB_MIXED), SINO_BAD_INPUT,
                 "single precision | --system-matrix | --precision single");
}

/* Settings of 8 projections of 16 columns and 40 rows, as a door reads them. */
static SinoSettings *told(int verb, const SinoMemoryRun *memory, const char *scan, const char *options)
{
    SinoSettingsSources sources = sino_scan_sources;
    char text[LINE], *argument[WORDS], *rest = text;
    SinoSettings *settings = NULL;
    int count = 0;
    snprintf(text, sizeof text,
             "%s --source-object-distance=34.1333 --source-detector-distance=51.2 --detector-pixel=0.2%s%s", scan,
             verb & (SINO_VERB_RECON | SINO_VERB_INIT) ? " --out=volume.h5 " : " ", options);
    for (char *part; (part = strsep(&rest, " "));)
        if (*part) argument[count++] = part;
    sources.memory = memory;
    assert_success(sino_settings_read_told(verb, count, argument, &sources, &settings));
    return settings;
}

/* A file, arrays and sizes alone get the same algorithm for a cone beam, and the same sentence tells it. */
static void every_door_chooses_the_same_algorithm(void **state)
{
    static const struct {
        const char *options;
        SinoAlgorithmChoice algorithm;
    } way[] = {{"", SINO_ALGORITHM_FISTA},
               {"--memory=96MiB", SINO_ALGORITHM_FDK},
               {"--volume=700x700x700", SINO_ALGORITHM_FDK},
               {"--subsets=2", SINO_ALGORITHM_FISTA}};
    static float counts[8 * 40 * 16];
    static double angle_rad[8];
    char line[LINE], file[LINE];
    for (int k = 0; k < 8; k++) angle_rad[k] = 0.785 * k;
    const SinoMemoryRun run = {.scan = {.projections = {.type = SINO_MEMORY_FLOAT32,
                                                        .first = (const unsigned char *)counts,
                                                        .size = {8, 40, 16},
                                                        .step = {40 * 16 * 4, 16 * 4, 4}},
                                        .angle_rad = angle_rad}};
    snprintf(line, sizeof line, "--out=%s/cone.h5 --size=16 --angles=8 --slices=40 --geometry=cone", (char *)*state);
    works(SINO_VERB_PHANTOM, line);
    snprintf(file, sizeof file, "%s/cone.h5 --geometry=cone", (char *)*state);
    static const char sizes[] = "--angles=8 --columns=16 --slices=40 --geometry=cone";
    const struct {
        int verb;
        const SinoMemoryRun *memory;
        const char *scan;
    } door[] = {{SINO_VERB_RECON, NULL, file},
                {SINO_VERB_INIT, NULL, file},
                {SINO_VERB_PLAN, NULL, file},
                {SINO_VERB_SIMULATE, NULL, file},
                {SINO_VERB_PLAN, NULL, sizes},
                {SINO_VERB_SIMULATE, NULL, sizes},
                {SINO_VERB_RECON, &run, "projections --geometry=cone"}};
    for (size_t w = 0; w < sizeof way / sizeof *way; w++) {
        SinoSettings *first = told(door[0].verb, door[0].memory, door[0].scan, way[w].options);
        assert_non_null(strstr(first->remarks, "the size of the scan (8 projections of 16 columns and 40 rows; "));
        for (size_t d = 0; d < sizeof door / sizeof *door; d++) {
            SinoSettings *settings = told(door[d].verb, door[d].memory, door[d].scan, way[w].options);
            if (settings->solver.algorithm != way[w].algorithm)
                fail_msg("%s by door %zu: %s", way[w].options, d, sino_algorithm_name(settings->solver.algorithm));
            assert_string_equal(settings->remarks, first->remarks);
            sino_settings_free(settings);
        }
        sino_settings_free(first);
    }
}

/* Of few angles for the columns, and of a gap, fista has more iterations, of many of a cone or fan fewer, unless the
 * user names a number. */
static void iterations_follow_the_angles(void **state)
{
    (void)state;
    static const struct {
        int64_t angles, columns;
        double arc_deg;
        const char *options;
        int64_t iterations;
    } row[] = {{60, 256, 180, "", 40},
               {64, 256, 180, "", 15},
               {65, 256, 360, "", 15}, /* an odd number of them: no two are opposite */
               {120, 256, 360, "", 40},
               {128, 256, 360, "", 15},
               {300, 64, 150, "", 40},
               {300, 64, 168, "", 40},
               {300, 64, 172, "", 15},
               {16, 64, 180, "", 15}, /* whose steps are 11 degrees */
               {90, 256, 90 * 137.5077640500378, "", 15},
               {90, 512, 90 * 137.5077640500378, "", 40},
               {1, 4, 180, "", 40},
               {60, 256, 180, "--iterations=15", 15},
               {60, 256, 180, "--algorithm=cg", 30},
               {60, 256, 180, "--projector=toeplitz --algorithm=fista", 80},
               {60, 256, 180, "--geometry=cone --algorithm=fista", 15},
               {160, 256, 360, "--geometry=cone --algorithm=fista", 8},
               {160, 256, 360, "--geometry=fan --algorithm=fista", 8},
               {160, 256, 360, "--geometry=fan --algorithm=fista --subsets=32", 15},
               {160, 256, 360, "--geometry=cone --algorithm=fista --iterations=15", 15},
               {160, 256, 360, "--vectors=orbit:turns=1 --algorithm=fista", 15}};
    double angle_rad[300];
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char line[LINE];
        SinoStatus refusal;
        snprintf(line, sizeof line, "scan.h5 --out=volume.h5 %s", row[i].options);
        SinoSettings *settings = settings_of(SINO_VERB_RECON, line, &refusal);
        if (refusal) fail_msg("%s", sino_status_text(refusal));
        for (int64_t k = 0; k < row[i].angles; k++)
            angle_rad[k] = (double)k / (double)row[i].angles * row[i].arc_deg * SINO_PI / 180 - 1;
        const SinoGeometry geometry = {
            .angle_count = row[i].angles, .column_count = row[i].columns, .angle_rad = angle_rad};
        assert_null(sino_usual_iterations(&geometry, settings));
        const bool few = row[i].iterations == 40;
        if (settings->solver.iterations != row[i].iterations || settings->solver.few_angles != few)
            fail_msg("row %zu: %d iterations", i, (int)settings->solver.iterations);
        if (few || !*row[i].options) assert_int_equal(sino_halves_trial_iterations(&settings->solver), few ? 40 : 10);
        sino_settings_free(settings);
    }
}

TESTING_SUBJECT(job_kinds)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(verbs_take_each_kind_as_its_row_says, testing_directory_make,
                                        testing_directory_remove),
        cmocka_unit_test(refusals_name_the_others),
        cmocka_unit_test(iterations_follow_the_angles),
        cmocka_unit_test_setup_teardown(every_door_chooses_the_same_algorithm, testing_directory_make,
                                        testing_directory_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
