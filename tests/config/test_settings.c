/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings: every class of error by its key words, the YAML file, the round trip, help and docs. */
#include "settings.h"
#include "settings_table.h"

#include "testing.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <math.h>

/* Reads a command line whose words are separated by single blanks; '' is an empty word. */
static SinoStatus read_line(int verb, const char *line, SinoSettings **settings)
{
    char *words = strdup(line), *argument[64], *rest = words;
    int count = 0;
    for (char *word; (word = strsep(&rest, " "));) argument[count++] = strcmp(word, "''") == 0 ? word + 2 : word;
    SinoStatus status = sino_settings_read(verb, *line ? count : 0, argument, settings);
    free(words);
    return status;
}

static SinoSettings *accept(int verb, const char *line)
{
    SinoSettings *settings = NULL;
    SinoStatus status = read_line(verb, line, &settings);
    assert_string_equal(sino_status_text(status), "");
    assert_non_null(settings);
    return settings;
}

static void refuse(int verb, const char *line, const char *keys)
{
    SinoSettings *settings = NULL;
    assert_error(read_line(verb, line, &settings), SINO_BAD_INPUT, keys);
    assert_null(settings);
}

/* A file that tells a cone beam. */
static SinoStatus tell_cone(const SinoSettings *given, SinoToldSettings *told)
{
    (void)given;
    *told = (SinoToldSettings){.by = "the file", .count = 1, .of[0] = {"geometry", "cone"}};
    return NULL;
}

static SinoStatus read_told(char *geometry, SinoSettings **settings)
{
    char *words[] = {"s.h5", "-o", "o.h5", "--algorithm", "fbp", "--geometry", geometry};
    return sino_settings_read_told(SINO_VERB_RECON, geometry ? 7 : 5, words,
                                   &(SinoSettingsSources){.header = tell_cone}, settings);
}

/* A refusal says who told the value; values that are given are not told. */
static void files_tell_settings(void **state)
{
    SinoSettings *settings = NULL;
    (void)state;
    assert_error(read_told(NULL, &settings), SINO_BAD_INPUT,
                 "--algorithm fbp | --geometry cone | the file says --geometry cone; options overrule it");
    assert_string_equal(sino_status_text(read_told("parallel", &settings)), "");
    assert_null(settings->remarks);
    sino_settings_free(settings);
}

/* A temporary file with `content`; its name in `path`. */
static void write_file(const char *content, char path[256])
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, 256, "%s/sinodag-settings-XXXXXX", folder ? folder : "/tmp");
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, content, strlen(content)), (ssize_t)strlen(content));
    close(descriptor);
}

static SinoStatus read_yaml(int verb, const char *content, const char *line, char path[256], SinoSettings **settings)
{
    char whole[512];
    write_file(content, path);
    snprintf(whole, sizeof whole, "--config %s%s%s", path, *line ? " " : "", line);
    SinoStatus status = read_line(verb, whole, settings);
    unlink(path);
    return status;
}

/* The key words follow the file's name. */
static void refuse_yaml(int verb, const char *content, const char *line, const char *keys)
{
    char path[256], all[700];
    SinoSettings *settings = NULL;
    SinoStatus status = read_yaml(verb, content, line, path, &settings);
    snprintf(all, sizeof all, "%s | %s", path, keys);
    assert_error(status, SINO_BAD_INPUT, all);
}

static void defaults_are_those_documented(void **state)
{
    (void)state;
    SinoSettings *settings = accept(SINO_VERB_RECON, "scan.h5 -o out.h5");
    assert_string_equal(settings->input.file_name, "scan.h5");
    assert_string_equal(settings->output.path, "out.h5");
    assert_null(settings->input.theta);
    assert_null(settings->runtime.scheduler);
    assert_int_equal(settings->input.columns, 0);
    assert_int_equal(settings->input.start_row, 0);
    assert_int_equal(settings->input.end_row, -1);
    assert_int_equal(settings->input.binning, 1);
    assert_true(settings->input.minus_log);
    assert_true(isnan(settings->center.rotation_axis));
    assert_int_equal(settings->center.method, SINO_CENTER_AUTO);
    assert_int_equal(settings->center.nsino, -1);
    assert_int_equal(settings->solver.algorithm, SINO_ALGORITHM_FISTA);
    assert_int_equal(settings->solver.iterations, 15);
    assert_true(sino_settings_nonnegative(&settings->solver) && isnan(settings->prior.regularization));
    assert_true(settings->solver.tolerance == 0 && settings->solver.relaxation == 1);
    assert_int_equal(settings->solver.fbp_filter, SINO_FILTER_RAMP);
    assert_int_equal(settings->projection.precision, SINO_SINGLE);
    assert_int_equal(settings->runtime.partitions, 0);
    assert_true(settings->output.pictures && !settings->output.overwrite && !settings->help);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_DEMO, "");
    assert_string_equal(settings->output.path, "demo");
    assert_int_equal(settings->phantom.size, 256);
    assert_int_equal(settings->phantom.angles, 400);
    assert_int_equal(settings->phantom.slices, 16);
    assert_true(settings->phantom.noise == 0.01);
    sino_settings_free(settings);
    sino_settings_free(NULL);
}

static void promised_command_lines_work(void **state)
{
    (void)state;
    SinoSettings *settings = accept(SINO_VERB_RECON, "scan.h5 -o out.h5 --algorithm cg --iterations 30 "
                                                     "--rotation-axis 296 --precision single");
    assert_true(settings->center.rotation_axis == 296);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_RECON, "ADS1_sinogram.bin --theta ADS1_theta.bin --columns 256 -o out.h5 "
                                       "--algorithm sirt");
    assert_string_equal(settings->input.theta, "ADS1_theta.bin");
    assert_int_equal(settings->input.columns, 256);
    assert_int_equal(settings->solver.algorithm, SINO_ALGORITHM_SIRT);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_RECON, "scan.h5 -o out.h5 --start-row 4 --end-row 12 --partitions 3 --minibatch 8 "
                                       "--memory 2GiB --overwrite");
    assert_int_equal(settings->input.start_row, 4);
    assert_int_equal(settings->input.end_row, 12);
    assert_int_equal(settings->runtime.partitions, 3);
    assert_int_equal(settings->runtime.minibatch, 8);
    assert_int_equal(settings->runtime.memory_bytes, (int64_t)2 << 30);
    assert_true(settings->output.overwrite);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_PHANTOM, "-o scan.h5 --size 256 --angles 400 --slices 16 --noise 0 --truth truth.h5");
    assert_true(settings->phantom.noise == 0);
    assert_string_equal(settings->phantom.truth, "truth.h5");
    sino_settings_free(settings);
    sino_settings_free(accept(SINO_VERB_INFO, "scan.h5"));
    settings = accept(SINO_VERB_DEMO, "--out DIR");
    assert_string_equal(settings->output.path, "DIR");
    sino_settings_free(settings);
}

static void spellings_mean_the_same(void **state)
{
    (void)state;
    SinoSettings *settings = accept(SINO_VERB_RECON, "--overwrite scan.h5 --out-path-name=out.h5 --nsino-per-chunk 4 "
                                                     "--pictures no --minus-log=false --nsino -1 --log json");
    assert_string_equal(settings->input.file_name, "scan.h5");
    assert_string_equal(settings->output.path, "out.h5");
    assert_int_equal(settings->runtime.minibatch, 4);
    assert_true(settings->output.overwrite && !settings->output.pictures && !settings->input.minus_log);
    assert_int_equal(settings->log, SINO_LOG_JSON);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_RECON, "-o=out.h5 --overwrite=No --minus-log True --rotation-axis auto -- --odd.h5");
    assert_string_equal(settings->input.file_name, "--odd.h5");
    assert_true(!settings->output.overwrite && settings->input.minus_log);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_RECON, "--file-name scan.h5 -o out.h5 --rotation-axis -1.5e2");
    assert_true(settings->center.rotation_axis == -150);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_RECON, "--help");
    assert_int_equal(settings->help, SINO_HELP_SHORT);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_INFO, "-h");
    assert_int_equal(settings->help, SINO_HELP_SHORT);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_INFO, "--help all scan.h5");
    assert_int_equal(settings->help, SINO_HELP_ALL);
    assert_string_equal(settings->input.file_name, "scan.h5");
    sino_settings_free(settings);
}

static void durations_take_units(void **state)
{
    (void)state;
    static const struct {
        const char *text, *printed;
        double seconds;
    } time[] = {{"none", "none", 0},     {"0", "none", 0},        {"90", "90s", 90},    {"90s", "90s", 90},
                {"10min", "10min", 600}, {"1.5h", "90min", 5400}, {"2d", "2d", 172800}, {"0.25s", "0.25s", 0.25},
                {"48h", "2d", 172800},   {"0.5min", "30s", 30}};
    for (size_t i = 0; i < sizeof time / sizeof *time; i++) {
        char line[64], *text = NULL, found[64];
        snprintf(line, sizeof line, "scan.h5 -o out.h5 --stall-limit %s", time[i].text);
        SinoSettings *settings = accept(SINO_VERB_RECON, line);
        assert_true(settings->runtime.stall_limit_s == time[i].seconds);
        assert_null(sino_settings_text(settings, SINO_VERB_RECON, &text));
        snprintf(found, sizeof found, "\nstall-limit: %s\n", time[i].printed);
        assert_non_null(strstr(text, found));
        free(text);
        sino_settings_free(settings);
    }
    static const char *const bad[] = {"-1", "10m", "min", "1e3", "1h30min", "nan", "", "forever"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char line[64], message[160];
        snprintf(line, sizeof line, "s.h5 -o out.h5 --stall-limit=%s", bad[i]);
        snprintf(message, sizeof message, "--stall-limit | '%s' | none | 1.5h", bad[i]);
        refuse(SINO_VERB_RECON, line, message);
    }
}

/* fista, where it can be. */
static void defaults_of_the_algorithm(void **state)
{
    (void)state;
    static const struct {
        int verb;
        const char *line;
        SinoAlgorithmChoice algorithm;
        int64_t iterations;
        bool nonnegativity;
    } each[] = {{SINO_VERB_RECON, "s.h5 -o o.h5", SINO_ALGORITHM_FISTA, 15, true},
                {SINO_VERB_RECON, "s.h5 -o o.h5 --grid 2x1", SINO_ALGORITHM_FISTA, 15, true},
                {SINO_VERB_RECON, "s.h5 -o o.h5 --grid 1x2", SINO_ALGORITHM_CG, 30, false},
                {SINO_VERB_RECON, "s.h5 -o o.h5 --projector toeplitz", SINO_ALGORITHM_CG, 30, false},
                {SINO_VERB_RECON, "s.h5 -o o.h5 --projector rotate", SINO_ALGORITHM_FISTA, 15, true},
                {SINO_VERB_RECON, "s.h5 -o o --reconstruction-type try", SINO_ALGORITHM_CG, 30, false},
                {SINO_VERB_RECON, "s.h5 -o o.h5 --algorithm sirt", SINO_ALGORITHM_SIRT, 30, false},
                {SINO_VERB_RECON, "s.h5 -o o.h5 --algorithm sirt --nonnegativity", SINO_ALGORITHM_SIRT, 30, true},
                {SINO_VERB_RECON, "s.h5 -o o.h5 --algorithm sirt --nonnegativity on", SINO_ALGORITHM_SIRT, 30, true},
                {SINO_VERB_RECON, "s.h5 -o o.h5 --algorithm sirt --nonnegativity auto", SINO_ALGORITHM_SIRT, 30, false},
                {SINO_VERB_RECON, "s.h5 -o o.h5 --nonnegativity auto", SINO_ALGORITHM_FISTA, 15, true},
                {SINO_VERB_RECON, "s.h5 -o o.h5 --nonnegativity=False", SINO_ALGORITHM_FISTA, 15, false},
                {SINO_VERB_RECON, "s.h5 -o o.h5 --minimum -0.5", SINO_ALGORITHM_FISTA, 15, false},
                {SINO_VERB_RECON, "s.h5 -o o.h5 --minimum 0 --maximum 2", SINO_ALGORITHM_FISTA, 15, true},
                {SINO_VERB_RECON, "s.h5 -o o.h5 --geometry cone", SINO_ALGORITHM_FDK, 30, false},
                {SINO_VERB_RECON, "s -o o.h5 --system-matrix m", SINO_ALGORITHM_MLEM, 30, false},
                {SINO_VERB_DEMO, "", SINO_ALGORITHM_FISTA, 15, true},
                {SINO_VERB_DEMO, "--algorithm cg", SINO_ALGORITHM_CG, 12, false},
                {SINO_VERB_DEMO, "--geometry pet", SINO_ALGORITHM_OSEM, 2, false},
                {SINO_VERB_PLAN, "s.h5", SINO_ALGORITHM_FISTA, 15, true},
                {SINO_VERB_SIMULATE, "s.h5", SINO_ALGORITHM_FISTA, 15, true},
                {SINO_VERB_SWEEP, "s.h5 --csv a.csv", SINO_ALGORITHM_CG, 30, false}};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        SinoSettings *settings = accept(each[i].verb, each[i].line);
        assert_int_equal(settings->solver.algorithm, each[i].algorithm);
        assert_int_equal(settings->solver.iterations, each[i].iterations);
        if (each[i].verb & (SINO_VERB_RECON | SINO_VERB_DEMO))
            assert_int_equal(sino_settings_nonnegative(&settings->solver), each[i].nonnegativity);
        sino_settings_free(settings);
    }
}

/* The normal operator may take the place of rays only where it does what the settings ask for. */
static void normal_operator_serves(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        int64_t iterations; /* by the normal operator; 0: it does not serve */
    } each[] = {{"", 80},
                {"--regularization 0.2 --prior huber --mask m.h5 --start s.h5 --support-ratio 0.9", 80},
                {"--weights none --nonnegativity no --maximum 1 --margin 0", 80},
                {"--algorithm cg", 30},
                {"--algorithm cg --iterations 7", 7},
                {"--iterations 10", 0},
                {"--subsets 1", 0},
                {"--weights counts", 0},
                {"--weights w.npy", 0},
                {"--prior-dimensions 3", 0},
                {"--tolerance 1e-3", 0},
                {"--margin 5", 0},
                {"--projector rays", 0},
                {"--projector toeplitz", 0},
                {"--precision mixed", 0},
                {"--operator-cache c", 0},
                {"--grid 1x2", 0},
                {"--reconstruction-type try", 0},
                {"--algorithm cg --iterations auto", 0},
                {"--algorithm cg --start s.h5", 0},
                {"--algorithm cg --mask m.h5", 0},
                {"--algorithm cg --support-ratio 1", 0},
                {"--algorithm sirt", 0},
                {"--algorithm fbp", 0},
                {"--geometry cone --algorithm cg", 0}};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        char line[200];
        snprintf(line, sizeof line, "s.h5 -o o.h5%s%s", *each[i].words ? " " : "", each[i].words);
        SinoSettings *settings = accept(SINO_VERB_RECON, line), normal = {.solver.iterations = -1};
        if (sino_settings_by_normal(settings, &normal) != (each[i].iterations > 0)) fail_msg("%s", line);
        assert_int_equal(normal.solver.iterations, each[i].iterations > 0 ? each[i].iterations : -1);
        if (each[i].iterations > 0) {
            assert_int_equal(normal.projection.projector, SINO_PROJECTOR_TOEPLITZ);
            assert_int_equal(normal.solver.algorithm, settings->solver.algorithm);
        }
        sino_settings_free(settings);
    }
}

/* Ranks must share what they compute, not where their files are, nor what their machines offer. */
static void shared_settings(void **state)
{
    (void)state;
    char *first = NULL, *other = NULL;
    SinoSettings *a = accept(SINO_VERB_RECON, "a.h5 -o x.h5 --memory 1G --workers 1 --log json --device cpu "
                                              "--operator-cache c --scheduler lws --theta t --graph g.dot");
    SinoSettings *b = accept(SINO_VERB_RECON, "b.h5 -o y.h5 --memory 2G --workers 2");
    assert_null(sino_settings_shared_text(a, SINO_VERB_RECON, &first));
    assert_null(sino_settings_shared_text(b, SINO_VERB_RECON, &other));
    assert_string_equal(first, other);
    assert_non_null(strstr(first, "iterations: 15\n"));
    assert_non_null(strstr(first, "help: no\n"));
    free(other);
    sino_settings_free(b);
    b = accept(SINO_VERB_RECON, "a.h5 -o x.h5 --overwrite");
    assert_null(sino_settings_shared_text(b, SINO_VERB_RECON, &other));
    assert_string_not_equal(first, other);
    free(first);
    free(other);
    sino_settings_free(a);
    sino_settings_free(b);
}

static void sizes_take_units(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t bytes;
    } size[] = {{"0", 0},
                {"17", 17},
                {"17B", 17},
                {"3KB", 3000},
                {"3MB", 3000000},
                {"1.5GB", 1500000000},
                {"2TB", 2000000000000},
                {"1K", 1024},
                {"1KiB", 1024},
                {"0.5MiB", 524288},
                {"2G", 2147483648},
                {"2gib", 2147483648},
                {"1T", 1099511627776}};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        char line[64];
        snprintf(line, sizeof line, "scan.h5 -o out.h5 --memory %s", size[i].text);
        SinoSettings *settings = accept(SINO_VERB_RECON, line);
        assert_int_equal(settings->runtime.memory_bytes, size[i].bytes);
        sino_settings_free(settings);
    }
    static const char *const bad[] = {"-1", "2XB", "GiB", "1e3", "0.5B", "9999999TiB", "nan", "2GiBx", "2  GiB"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[32], *argument[] = {"s.h5", "-o", "out.h5", text};
        snprintf(text, sizeof text, "--memory=%s", bad[i]);
        char message[160];
        snprintf(message, sizeof message, "--memory | '%s' | 512MiB | 0 to 1048576 TiB", bad[i]);
        SinoSettings *settings = NULL;
        assert_error(sino_settings_read(SINO_VERB_RECON, 4, argument, &settings), SINO_BAD_INPUT, message);
    }
}

static void unknown_options_are_refused(void **state)
{
    (void)state;
    refuse(SINO_VERB_RECON, "scan.h5 --itertions 3", "--itertions | --iterations");
    refuse(SINO_VERB_RECON, "scan.h5 --iter=3", "--iter | --iterations");
    refuse(SINO_VERB_RECON, "scan.h5 -iterations 3", "-iterations | --iterations");
    refuse(SINO_VERB_RECON, "scan.h5 --nsino-per-chnk 3", "--nsino-per-chnk | --minibatch");
    refuse(SINO_VERB_RECON, "scan.h5 --zzzzzzzz", "--zzzzzzzz | --help");
    refuse(SINO_VERB_RECON, "scan.h5 -v", "-v | --help");
    refuse(SINO_VERB_INFO, "-x", "-x | --help");
    refuse(SINO_VERB_RECON, "scan.h5 --size 64", "--size | with phantom or demo");
    refuse(SINO_VERB_INFO, "scan.h5 -o x", "-o | recon | join");
    refuse(SINO_VERB_PHANTOM, "--algorithm cg", "--algorithm | recon | sweep");
    refuse(SINO_VERB_DEMO, "--truth t.h5", "--truth | with phantom");
}

/* Guesses: names that begin alike, peers' words for a setting, and words for what there is not. */
static void other_words_are_answered(void **state)
{
    (void)state;
    static const struct {
        int verb;
        const char *line, *message;
    } row[] = {
        {SINO_VERB_RECON, "--center 5", "--center | --rotation-axis | 0"},
        {SINO_VERB_RECON, "--end 5", "--end | --end-angle | --end-column"},
        {SINO_VERB_RECON, "--center-search 5", "--center-search | --center-search-width | --center-search-step"},
        {SINO_VERB_RECON, "--rotation-centre 5", "--rotation-centre | --rotation-axis"},
        {SINO_VERB_RECON, "--dezinger 3", "--dezinger | --zinger-removal-method"},
        {SINO_VERB_RECON, "--save-folder x", "--save-folder | --out"},
        {SINO_VERB_PLAN, "--format json", "--format | --json"},
        {SINO_VERB_JOIN, "--center 5", "--center | --help"},
        {SINO_VERB_RECON, "--nsino 0.7", "--nsino | '0.7' | -1 | 1000000000"},
        {SINO_VERB_RECON, "--binning 0", "--binning | '0' | 1 to 1024 | 8"},
        {SINO_VERB_RECON, "--rotation-axis-auto manual", "--rotation-axis-auto | 'manual' | auto | --rotation-axis"},
        {SINO_VERB_RECON, "--minus-log maybe", "--minus-log | 'maybe' | yes or no"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char line[200];
        snprintf(line, sizeof line, "s.h5 %s", row[i].line);
        refuse(row[i].verb, line, row[i].message);
    }
    refuse(SINO_VERB_RECON, "-o o.h5 --minus-log maybe s.h5", "--minus-log | 'maybe' | yes or no");
    refuse(SINO_VERB_PHANTOM, "-o o.h5 --overwrite maybe", "--overwrite | 'maybe' | yes or no");
}

/* Peers' spellings that mean the same, on the command line and in the file of --config. */
static void other_words_are_understood(void **state)
{
    (void)state;
    SinoSettings *settings =
        accept(SINO_VERB_RECON, "s.h5 --output o.h5 --num_iter 7 --ncore 2 --rotation-axis-method vo --save-format "
                                "h5 --take-logarithm False --algorithm CGLS --nsino 0.5 --hardware cpu");
    assert_string_equal(settings->output.path, "o.h5");
    assert_int_equal(settings->solver.iterations, 7);
    assert_int_equal(settings->runtime.workers, 2);
    assert_int_equal(settings->output.format, SINO_SAVE_HDF5);
    assert_int_equal(settings->solver.algorithm, SINO_ALGORITHM_CG);
    assert_int_equal(settings->center.nsino, -1);
    assert_false(settings->input.minus_log);
    assert_null(settings->remarks);
    sino_settings_free(settings);
    static const char *const flags[] = {"yes", "True", "true", "on", "1"};
    static const char *const others[] = {"no", "False", "false", "OFF", "0"};
    for (int i = 0; i < 10; i++) {
        char line[80];
        snprintf(line, sizeof line, "s.h5 -o o.h5 --minus-log %s", i < 5 ? flags[i] : others[i - 5]);
        settings = accept(SINO_VERB_RECON, line);
        assert_int_equal(settings->input.minus_log, i < 5);
        sino_settings_free(settings);
    }
    settings = accept(SINO_VERB_RECON, "s.h5 -o o.h5 --algorithm fbp --fbp-filter ram-lak --binning 1");
    assert_int_equal(settings->solver.fbp_filter, SINO_FILTER_RAMP);
    assert_string_equal(settings->remarks, "--binning is 1; tomocupy's 0, 1, 2, 3 are 1, 2, 4, 8 here");
    sino_settings_free(settings);
}

/* A peers' word must be no setting of its own, and stand for one; a value that is understood must be allowed. */
static void peers_words_fit_the_table(void **state)
{
    (void)state;
    for (const SinoPeerOption *peer = sino_peer_options; peer->word; peer++) {
        for (int i = 0; i < SINO_SETTING_COUNT; i++) {
            assert_string_not_equal(peer->word, sino_setting_table[i].name);
            if (sino_setting_table[i].alias) assert_string_not_equal(peer->word, sino_setting_table[i].alias);
        }
        assert_true(peer->name ? sino_setting_find(SINO_VERB_RECON, peer->name, strlen(peer->name)) != NULL
                               : peer->answer && !peer->same);
    }
    for (const SinoPeerValue *peer = sino_peer_values; peer->option; peer++) {
        const SinoSetting *row = sino_setting_find(SINO_VERB_RECON, peer->option, strlen(peer->option));
        SinoSettings settings = {.remarks = NULL};
        assert_non_null(row);
        SinoStatus status = sino_setting_assign(row, "", peer->value ? peer->value : "", &settings);
        assert_true(peer->value ? !status : status && peer->answer);
        sino_status_free(status);
    }
}

static void json_follows_the_log(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        bool json;
    } row[] = {{"s.h5", false}, {"s.h5 --json", true}, {"s.h5 --log json", true}, {"s.h5 --log json --json no", false}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        SinoSettings *settings = accept(SINO_VERB_INFO, row[i].line);
        assert_int_equal(settings->output.json, row[i].json);
        sino_settings_free(settings);
    }
}

static void missing_and_repeated_values_are_refused(void **state)
{
    (void)state;
    refuse(SINO_VERB_RECON, "scan.h5 --iterations", "--iterations | auto | 1 to 1000000000");
    refuse(SINO_VERB_RECON, "scan.h5 -o --overwrite", "--out | UTF-8");
    refuse(SINO_VERB_RECON, "scan.h5 -o ''", "--out | '' | UTF-8");
    refuse(SINO_VERB_RECON, "scan.h5 --out=a\xff", "--out | 'a\xff' | UTF-8");
    refuse(SINO_VERB_RECON, "scan.h5 -o a.h5 --iterations 3 --iterations 4", "--iterations | '3' | '4' | once");
    refuse(SINO_VERB_RECON, "scan.h5 -o a.h5 --out-path-name b.h5", "--out | 'a.h5' | 'b.h5' | once");
    refuse(SINO_VERB_RECON, "a.h5 b.h5 -o c.h5", "two input files | 'a.h5' | 'b.h5' | one");
    refuse(SINO_VERB_PHANTOM, "a.h5 -o c.h5", "'a.h5' | phantom | no file name | --out FILE");
    refuse(SINO_VERB_RECON, "-o out.h5", "recon | input file | recon FILE --out FILE");
    refuse(SINO_VERB_INFO, "", "info | input file | info FILE");
    refuse(SINO_VERB_RECON, "scan.h5", "recon | no --out | recon FILE --out FILE");
    refuse(SINO_VERB_PHANTOM, "", "phantom | no --out | phantom --out FILE");
}

static void bad_values_are_refused(void **state)
{
    (void)state;
    static const char *const count = "auto or an integer from 1 to 1000000000", *const real =
                                                                                    "a number at least 0 and below 1";
    static const char *const axis = "auto or a number from -1000000 to 1000000";
    static const char *const kinds[] = {"iterations", "tolerance", "rotation-axis"};
    const char *const allowed[] = {count, real, axis};
    static const char *const bad[] = {
        "0x10", "nan", "inf", "3x", " 3", "3,5", "", "1e400", "-", "auto3", "99999999999999999999"};
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            char text[64], message[200], *argument[] = {"s.h5", "-o", "out.h5", text};
            snprintf(text, sizeof text, "--%s=%s", kinds[k], bad[i]);
            snprintf(message, sizeof message, "--%s | '%s' | %s", kinds[k], bad[i], allowed[k]);
            SinoSettings *settings = NULL;
            assert_error(sino_settings_read(SINO_VERB_RECON, 4, argument, &settings), SINO_BAD_INPUT, message);
        }
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --iterations 0", "--iterations | '0' | auto | 1 to 1000000000");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --iterations 1.5", "--iterations | '1.5' | auto | 1 to 1000000000");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --end-row -2", "--end-row | '-2' | -1 | 1000000000");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --algorithm sirt --relaxation 2", "--relaxation | '2' | 0 | 2");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --tolerance 1e-400", "--tolerance | '1e-400' | 0 | 1");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --mask-ratio 1.1", "--mask-ratio | '1.1' | 0 to 1");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --algorithm gridrec", "--algorithm | 'gridrec' | cg | bsrem");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --precision quad", "--precision | 'quad' | single | mixed");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --overwrite=maybe", "--overwrite | 'maybe' | yes or no");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --fbp-filter x", "--fbp-filter | 'x' | ramp | butterworth");
}

static void contradictions_are_refused(void **state)
{
    (void)state;
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --nonnegativity --algorithm cg",
           "--nonnegativity | --algorithm cg | --algorithm sirt");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --nonnegativity=maybe", "--nonnegativity | 'maybe' | auto | no");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --relaxation 1 --algorithm fbp",
           "--relaxation | --algorithm fbp | --algorithm sirt");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --fbp-filter ramp --algorithm sirt",
           "--fbp-filter | --algorithm sirt | --algorithm fbp");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --iterations 30 --algorithm fbp",
           "--iterations | --algorithm fbp | --algorithm cg | fista");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --tolerance 0 --algorithm fbp",
           "--tolerance | --algorithm fbp | --algorithm cg | fista");
    refuse(SINO_VERB_INFO, "s.bin --columns 256", "--columns is 256 without --theta; raw sinograms need both");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --start-row 8 --end-row 8", "--start-row | 8 | 8 | -1");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --end-row 0", "--start-row | 0 | 0 | -1");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --start-column 9 --end-column 8", "--start-column | 9 | 8 | -1");
    refuse(SINO_VERB_RECON, "s.h5 -o s.h5 --overwrite", "--out | same file | 's.h5' | different files");
    refuse(SINO_VERB_PHANTOM, "-o s.h5 --truth s.h5", "--truth | --out | 's.h5' | different files");
    SinoSettings *settings = accept(SINO_VERB_RECON, "s.h5 -o o.h5 --nonnegativity --relaxation 1.5 --algorithm sirt");
    assert_true(sino_settings_nonnegative(&settings->solver) && settings->solver.relaxation == 1.5);
    sino_settings_free(settings);
}

/* --columns, --angles, --slices and --precision mean one thing to bench and another to the other verbs. */
static void compare_takes_two_volumes(void **state)
{
    static const char usage[] = "needed: sinodag compare VOLUME REFERENCE [options]";
    (void)state;
    char message[200];
    SinoSettings *settings = accept(SINO_VERB_COMPARE, "a.h5 --slices 2:4 b.h5 --at-most 0.5 --background 1,2,3");
    assert_string_equal(settings->input.file_name, "a.h5");
    assert_string_equal(settings->compare.reference, "b.h5");
    assert_string_equal(settings->compare.slices, "2:4");
    assert_string_equal(settings->compare.surroundings, "1,2,3");
    assert_string_equal(settings->compare.region, "circle");
    assert_true(settings->compare.at_most == 0.5);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_COMPARE, "--reference b.h5 a.h5 --volume 3x4x5"); /* the order of the words only */
    assert_string_equal(settings->input.file_name, "a.h5");
    assert_int_equal(settings->geometry.volume.z, 5);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_COMPARE, "a.h5 a.h5");
    sino_settings_free(settings);
    snprintf(message, sizeof message, "compare has no reference; %s", usage);
    refuse(SINO_VERB_COMPARE, "a.h5", message);
    snprintf(message, sizeof message, "compare has no input files; %s", usage);
    refuse(SINO_VERB_COMPARE, "", message);
    snprintf(message, sizeof message, "there are three input files, the last ones 'b.h5' and 'c.h5'; %s", usage);
    refuse(SINO_VERB_COMPARE, "a.h5 b.h5 c.h5", message);
    refuse(SINO_VERB_COMPARE, "a.h5 b.h5 --at-most 0", "--at-most | '0' | 0 | 1000000000");
    refuse(SINO_VERB_COMPARE, "a.h5 b.h5 --iterations 3", "--iterations | recon | sweep");
    refuse(SINO_VERB_COMPARE, "a.h5 b.h5 --frc c.png --picture c.png", "--picture | --frc | 'c.png' | different files");
    refuse(SINO_VERB_COMPARE, "a.h5 b.h5 --error-map a.h5", "--error-map | 'a.h5' | different files");
    refuse(SINO_VERB_RECON, "a.h5 b.h5 -o c.h5", "two input files | 'a.h5' | 'b.h5' | one");
}

static void names_are_shared_by_verbs(void **state)
{
    (void)state;
    SinoSettings *settings = accept(SINO_VERB_BENCH, "");
    assert_int_equal(settings->input.columns, 512);
    assert_int_equal(settings->phantom.angles, 375);
    assert_int_equal(settings->bench.slice_counts.count, 7);
    assert_int_equal(settings->bench.slice_counts.value[6], 64);
    assert_int_equal(settings->bench.precisions, (1 << SINO_PRECISIONS) - 1);
    assert_null(settings->bench.csv);
    assert_null(settings->bench.roofline);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_BENCH, "--geometry cone");
    assert_int_equal(settings->input.columns, 256);
    assert_int_equal(settings->phantom.angles, 360);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_BENCH, "--geometry cone --columns 100 --angles 9 --volume 3x4x5");
    assert_int_equal(settings->input.columns, 100);
    assert_int_equal(settings->phantom.angles, 9);
    assert_int_equal(settings->geometry.volume.z, 5);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_INFO, "s.h5");
    assert_int_equal(settings->input.columns, 0);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_PHANTOM, "-o s.h5 --slices 3");
    assert_int_equal(settings->phantom.angles, 400);
    assert_int_equal(settings->phantom.slices, 3);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_BENCH, "--columns 64 --precision double --slices 9,3 --csv a.csv --roofline a.svg");
    assert_int_equal(settings->input.columns, 64);
    assert_int_equal(settings->bench.precisions, 1 << SINO_DOUBLE);
    assert_int_equal(settings->bench.slice_counts.count, 2);
    assert_int_equal(settings->bench.slice_counts.value[0], 9);
    assert_string_equal(settings->bench.csv, "a.csv");
    sino_settings_free(settings);
    refuse(SINO_VERB_PHANTOM, "--columns 3", "--columns | recon | sweep");
    refuse(SINO_VERB_RECON, "--slices 3", "--slices | phantom | compare");
    refuse(SINO_VERB_BENCH, "--iterations 3", "--iterations | recon | sweep");
    refuse(SINO_VERB_BENCH, "--roofline a.svg --csv a.svg", "--roofline | --csv | 'a.svg' | different files");
    refuse_yaml(SINO_VERB_PHANTOM, "columns: 3\n", "-o s.h5", "columns | phantom | recon | sweep");
}

static void lists_are_read(void **state)
{
    (void)state;
    static const char *const bad_counts[] = {"0",  "-1",   "257", "1,,2", "1,2,",  ",1",
                                             "3x", "8,08", "1 2", "all",  "1,2,1", "1,1000000000000000000000000000000"};
    static const char *const bad_words[] = {"quad", "single,single", "single,", ",", "all,single", "singles"};
    char line[200], message[300];
    for (size_t i = 0; i < sizeof bad_counts / sizeof *bad_counts; i++) {
        char *argument[] = {line};
        snprintf(line, sizeof line, "--slices=%s", bad_counts[i]);
        snprintf(message, sizeof message, "--slices | '%s' | 1 to 32 | 1 to 256", bad_counts[i]);
        SinoSettings *settings = NULL;
        assert_error(sino_settings_read(SINO_VERB_BENCH, 1, argument, &settings), SINO_BAD_INPUT, message);
    }
    for (size_t i = 0; i < sizeof bad_words / sizeof *bad_words; i++) {
        snprintf(line, sizeof line, "--precision %s", bad_words[i]);
        snprintf(message, sizeof message, "--precision | '%s' | single | mixed", bad_words[i]);
        refuse(SINO_VERB_BENCH, line, message);
    }
    strcpy(line, "--slices 1");
    for (int i = 2; i <= SINO_COUNTS_MAX; i++) snprintf(line + strlen(line), sizeof line - strlen(line), ",%d", i);
    SinoSettings *settings = accept(SINO_VERB_BENCH, line);
    assert_int_equal(settings->bench.slice_counts.count, SINO_COUNTS_MAX);
    sino_settings_free(settings);
    snprintf(line + strlen(line), sizeof line - strlen(line), ",33");
    SinoStatus status = read_line(SINO_VERB_BENCH, line, &settings);
    assert_int_equal(sino_status_exit_code(status), SINO_BAD_INPUT);
    sino_status_free(status);
}

static void sweeps_are_read(void **state)
{
    (void)state;
    SinoSettings *settings =
        accept(SINO_VERB_SWEEP, "--csv a.csv --columns 64,32 --minibatches 0,8 --devices cpu,cpu+opencl,all "
                                "--precisions single,half --simulate --workers 2,1");
    assert_int_equal(settings->sweep.column_counts.count, 2);
    assert_int_equal(settings->sweep.column_counts.value[1], 32);
    assert_int_equal(settings->sweep.minibatches.value[0], 0);
    assert_int_equal(settings->sweep.device_sets.count, 3);
    assert_int_equal(settings->sweep.device_sets.value[1], SINO_DEVICE_CPU | SINO_DEVICE_OPENCL);
    assert_int_equal(settings->sweep.device_sets.value[2], SINO_DEVICE_ALL);
    assert_int_equal(settings->sweep.precisions, 1 << SINO_SINGLE | 1 << SINO_HALF);
    assert_int_equal(settings->sweep.simulation, SINO_SIMULATION_YES);
    assert_int_equal(settings->sweep.repetitions, 3);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_SWEEP, "--simulate only s.h5 --csv a.csv --machine here --rotation-axis 3");
    assert_int_equal(settings->sweep.simulation, SINO_SIMULATION_ONLY);
    assert_string_equal(settings->input.file_name, "s.h5");
    sino_settings_free(settings);
    settings = accept(SINO_VERB_SWEEP, "--simulate s.h5 --csv a.csv");
    assert_int_equal(settings->sweep.simulation, SINO_SIMULATION_YES);
    assert_string_equal(settings->input.file_name, "s.h5");
    sino_settings_free(settings);
}

static void bad_sweeps_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"cpu,cpu", "gpu",     "cpu,",    "cpu++opencl",
                                      "+cpu",    "cpu+all", "cpu+cpu", "cpu opencl"};
    char line[80], message[200];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *argument[] = {line};
        SinoSettings *settings = NULL;
        snprintf(line, sizeof line, "--devices=%s", bad[i]);
        snprintf(message, sizeof message, "--devices | '%s' | cpu | opencl", bad[i]);
        assert_error(sino_settings_read(SINO_VERB_SWEEP, 1, argument, &settings), SINO_BAD_INPUT, message);
    }
    refuse(SINO_VERB_SWEEP, "", "sweep | no --csv | --csv FILE");
    refuse(SINO_VERB_SWEEP, "s.h5 --csv a.csv --angles 7", "--angles | 's.h5'");
    refuse(SINO_VERB_SWEEP, "--csv a.csv --rotation-axis 7", "--rotation-axis | with an input file");
    refuse(SINO_VERB_SWEEP, "--csv a.csv --machine h100x8", "--machine | h100x8 | --simulate | --simulate");
    refuse(SINO_VERB_SWEEP, "--csv a.csv --resume --overwrite", "--resume | --overwrite | one of them");
    refuse(SINO_VERB_SWEEP, "--csv a.csv --report a.csv", "--report | --csv | 'a.csv' | different files");
    refuse(SINO_VERB_SWEEP, "--csv a.csv --repetitions 0", "--repetitions | '0' | 1 to 10000");
    refuse(SINO_VERB_SWEEP, "--csv a.csv --algorithm fdk", "--algorithm fdk | --geometry parallel | cg | fista");
}

/* What a sweep passes on to its children is what they would read themselves. */
static void words_are_passed_on(void **state)
{
    (void)state;
    char **words = NULL;
    SinoSettings *settings =
        accept(SINO_VERB_SWEEP, "s.h5 --csv a.csv --algorithm sirt --iterations 7 --relaxation 1.5 "
                                "--rotation-axis 3.5 --memory 1GiB --schedulers lws --overwrite");
    assert_null(sino_settings_words(settings, SINO_VERB_SWEEP, SINO_VERB_RECON, &words));
    assert_string_equal(words[0], "--rotation-axis=3.5");
    assert_string_equal(words[1], "--algorithm=sirt");
    assert_string_equal(words[2], "--iterations=7");
    assert_string_equal(words[3], "--relaxation=1.5");
    assert_string_equal(words[4], "--memory=1073741824");
    assert_null(words[5]);
    sino_words_free(words);
    assert_null(sino_settings_words(settings, SINO_VERB_SWEEP, SINO_VERB_PLAN, &words));
    assert_string_equal(words[0], "--rotation-axis=3.5");
    assert_string_equal(words[1], "--algorithm=sirt");
    sino_words_free(words);
    assert_null(sino_settings_words(settings, SINO_VERB_SWEEP, SINO_VERB_SWEEP, &words));
    assert_string_equal(words[5], "--schedulers=lws");
    assert_null(words[6]);
    sino_words_free(words);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_SWEEP, "s.h5 --csv a.csv"); /* whose default is not that of recon */
    assert_null(sino_settings_words(settings, SINO_VERB_SWEEP, SINO_VERB_RECON, &words));
    assert_string_equal(words[0], "--algorithm=cg");
    assert_null(words[1]); /* 30 iterations, as recon has of cg */
    sino_words_free(words);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_SWEEP, "s.h5 --csv a.csv --iterations 15"); /* the usual number of fista */
    assert_null(sino_settings_words(settings, SINO_VERB_SWEEP, SINO_VERB_RECON, &words));
    assert_string_equal(words[1], "--iterations=15");
    assert_null(words[2]);
    sino_words_free(words);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_PLAN, "s.h5 --pixel-size 2 --algorithm cg"); /* s.h5 may tell a cone beam */
    assert_null(sino_settings_words(settings, SINO_VERB_PLAN, SINO_VERB_RECON, &words));
    assert_string_equal(words[0], "--geometry=parallel");
    assert_string_equal(words[1], "--algorithm=cg");
    assert_string_equal(words[2], "--pixel-size=2");
    sino_words_free(words);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_PLAN, "e.txt --system-matrix map.txt --volume 20x20x6 --voxel-size 2");
    assert_null(sino_settings_words(settings, SINO_VERB_PLAN, SINO_VERB_RECON, &words));
    assert_string_equal(words[0], "--system-matrix=map.txt");
    assert_string_equal(words[1], "--geometry=matrix");
    assert_string_equal(words[3], "--volume=20x20x6");
    assert_string_equal(words[4], "--voxel-size=2");
    assert_null(words[5]);
    sino_words_free(words);
    sino_settings_free(settings);
}

static void shares_of_ranks_are_read(void **state)
{
    (void)state;
    static const char *const bad_grids[] = {"2",    "x",     "2x",  "x2",   "0x2",      "2x0",
                                            "-1x2", "2x3x4", "2X3", "2 x3", "1000001x1"};
    static const char *const bad_topologies[] = {"nodes",           "nodes=",  "nodes=0",  "nodes=2,", ",nodes=2",
                                                 "nodes=2,nodes=2", "cores=2", "nodes=2x", "2,2,3",    "Nodes=2"};
    static const char *const bad_weights[] = {"0", "-1", "1,", ",1", "1,,2", "nan", "1;2", "inf"};
    char line[200], message[300];
    for (size_t i = 0; i < sizeof bad_grids / sizeof *bad_grids; i++) {
        char *argument[] = {line};
        snprintf(line, sizeof line, "--grid=%s", bad_grids[i]);
        snprintf(message, sizeof message, "--grid | '%s' | auto | 1 to 1000000", bad_grids[i]);
        SinoSettings *settings = NULL;
        assert_error(sino_settings_read(SINO_VERB_PLAN, 1, argument, &settings), SINO_BAD_INPUT, message);
    }
    for (size_t i = 0; i < sizeof bad_topologies / sizeof *bad_topologies; i++) {
        snprintf(line, sizeof line, "s.h5 -o o.h5 --topology=%s", bad_topologies[i]);
        snprintf(message, sizeof message, "--topology | '%s' | auto | 1 to 1000000", bad_topologies[i]);
        refuse(SINO_VERB_RECON, line, message);
    }
    for (size_t i = 0; i < sizeof bad_weights / sizeof *bad_weights; i++) {
        snprintf(line, sizeof line, "--node-weights=%s", bad_weights[i]);
        snprintf(message, sizeof message, "--node-weights | '%s' | 1 to 4096 numbers | 1000000000", bad_weights[i]);
        refuse(SINO_VERB_DEMO, line, message);
    }
    SinoSettings *settings = accept(SINO_VERB_RECON, "s.h5 -o o.h5");
    assert_true(settings->team.grid.batch_groups == 0 && settings->team.grid.data_ranks == 0);
    assert_true(settings->team.topology.nodes == 0 && settings->team.topology.sockets == 0 &&
                settings->team.topology.workers == 0);
    assert_int_equal(settings->team.communication, SINO_COMMUNICATION_HIERARCHICAL);
    assert_true(settings->team.overlap && settings->team.node_weights.count == 0);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_DEMO, "--grid 2x3 --topology workers=3,nodes=6 --communication direct --overlap no "
                                      "--node-weights 1,2.5,1e3");
    assert_true(settings->team.grid.batch_groups == 2 && settings->team.grid.data_ranks == 3);
    assert_true(settings->team.topology.nodes == 6 && settings->team.topology.sockets == 0 &&
                settings->team.topology.workers == 3);
    assert_int_equal(settings->team.communication, SINO_COMMUNICATION_DIRECT);
    assert_false(settings->team.overlap);
    assert_int_equal(settings->team.node_weights.count, 3);
    assert_true(settings->team.node_weights.value[1] == 2.5 && settings->team.node_weights.value[2] == 1000);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_DEMO, "--node-weights auto");
    assert_true(settings->team.node_weights.measured && settings->team.node_weights.count == 0);
    sino_settings_free(settings);
    refuse(SINO_VERB_PLAN, "s.h5 --node-weights auto", "--node-weights | 'auto' | 1 to 4096 numbers");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --node-weights auto --resume",
           "--node-weights auto | --resume | a list, or a new run");
    refuse(SINO_VERB_RECON, "c.npy -o o.h5 --system-matrix m.csr4 --node-weights auto",
           "--node-weights auto | --geometry matrix | a list");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --partitions 2 --topology workers=3",
           "--partitions | 2 | workers=3 | one of them");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --grid 2x3 --topology nodes=4",
           "--topology | nodes=4 | --grid 3 | a multiple of them");
    assert_string_equal(sino_communication_name(SINO_COMMUNICATION_DIRECT), "direct");
}

/* The longest list, and one number more. */
static void weights_have_an_end(void **state)
{
    (void)state;
    enum { SIZE = 3 * SINO_WEIGHTS_MAX + 20 };
    char *text = malloc(SIZE), *argument[] = {text};
    assert_non_null(text);
    const int head = snprintf(text, SIZE, "--node-weights="), end = head + 2 * SINO_WEIGHTS_MAX - 1;
    for (int i = head; i < end; i++) text[i] = (i - head) % 2 ? ',' : '1';
    text[end] = '\0';
    SinoSettings *settings = NULL;
    assert_null(sino_settings_read(SINO_VERB_DEMO, 1, argument, &settings));
    assert_int_equal(settings->team.node_weights.count, SINO_WEIGHTS_MAX);
    sino_settings_free(settings);
    snprintf(text + end, SIZE - (size_t)end, ",1");
    SinoStatus status = sino_settings_read(SINO_VERB_DEMO, 1, argument, &settings);
    assert_int_equal(sino_status_exit_code(status), SINO_BAD_INPUT);
    sino_status_free(status);
    free(text);
}

static void plan_needs_a_scan_or_its_sizes(void **state)
{
    (void)state;
    static const char sizes[] = "plan | --angles, --columns and --slices | plan [FILE]";
    refuse(SINO_VERB_PLAN, "", sizes);
    refuse(SINO_VERB_PLAN, "--angles 3 --columns 4", sizes);
    refuse(SINO_VERB_PLAN, "--angles 3 --columns 4 --slices 5 --darks d.tif", "--darks | 'd.tif' | with one");
    refuse(SINO_VERB_PLAN, "--angles 3 --columns 4 --slices 5 --binning 2",
           "--binning, --exclude | rows, columns or angles | input file");
    refuse(SINO_VERB_PLAN, "--angles 3 --columns 4 --slices 5 --end-row 2",
           "--binning, --exclude | rows, columns or angles | input file");
    refuse(SINO_VERB_PLAN, "s.h5 --angles 3", "--angles | --slices | 's.h5'");
    refuse(SINO_VERB_PLAN, "s.h5 --columns 3", "--columns is 3 without --theta; raw sinograms need both");
    refuse(SINO_VERB_PLAN, "s.h5 --out o.h5", "--out | recon | join");
    SinoSettings *settings = accept(SINO_VERB_PLAN, "--angles 3 --columns 4 --slices 5");
    assert_true(settings->phantom.angles == 3 && settings->input.columns == 4 && settings->phantom.slices == 5);
    assert_int_equal(settings->plan.ranks, 0); /* those of the machine */
    assert_false(settings->output.json);
    assert_true(settings->plan.kernel_gflops == 0 && !settings->plan.machine); /* of the usual machine */
    sino_settings_free(settings);
    settings = accept(SINO_VERB_PLAN, "s.bin --theta t.bin --columns 4 --ranks 24 --json");
    assert_true(settings->phantom.angles == 0 && settings->phantom.slices == 0 && settings->plan.ranks == 24);
    sino_settings_free(settings);
}

static void input_under_another_name_is_recognised(void **state)
{
    (void)state;
    char path[256], other[300], line[700];
    write_file("", path);
    snprintf(other, sizeof other, "%s.link", path);
    assert_int_equal(link(path, other), 0);
    snprintf(line, sizeof line, "%s -o %s --overwrite", path, other);
    SinoSettings *settings = NULL;
    SinoStatus status = read_line(SINO_VERB_RECON, line, &settings);
    assert_int_equal(sino_status_exit_code(status), SINO_BAD_INPUT);
    assert_non_null(strstr(sino_status_text(status), "are the same file"));
    sino_status_free(status);
    unlink(path);
    unlink(other);
}

static void yaml_file_is_read_and_overruled(void **state)
{
    (void)state;
    char path[256];
    SinoSettings *settings = NULL;
    assert_null(read_yaml(SINO_VERB_RECON,
                          "# a preset\nfile-name: \"a scan.h5\"\nalgorithm: sirt\niterations: 7\nnonnegativity: true\n"
                          "memory: 2 GiB\nout: 'o.h5'\n",
                          "--iterations 9", path, &settings));
    assert_string_equal(settings->input.file_name, "a scan.h5");
    assert_string_equal(settings->output.path, "o.h5");
    assert_int_equal(settings->solver.algorithm, SINO_ALGORITHM_SIRT);
    assert_int_equal(settings->solver.iterations, 9);
    assert_true(sino_settings_nonnegative(&settings->solver));
    assert_int_equal(settings->runtime.memory_bytes, (int64_t)2 << 30);
    sino_settings_free(settings);
    assert_null(read_yaml(SINO_VERB_INFO, "", "scan.h5", path, &settings));
    sino_settings_free(settings);
}

/* Every setting with commas between its values reads a sequence, of either style, as the same value. */
static void yaml_sequences_are_lists(void **state)
{
    (void)state;
    static const struct {
        int verb;
        const char *line, *commas, *sequence;
    } same[] = {
        {SINO_VERB_RECON, "s.h5 -o o.h5", "stages: harden,air,zingers,stripes\n",
         "stages: [harden, air, \"zingers\", 'stripes']\n"},
        {SINO_VERB_RECON, "s.h5 -o o.h5", "stages: air,zingers\niterations: 4\n",
         "stages: # order\n- air\n- zingers\niterations: 4\n"},
        {SINO_VERB_RECON, "s.h5 -o o.h5", "beam-hardening: 1,0.5\n", "beam-hardening:\n  - 1\n  - 0.5\n"},
        {SINO_VERB_RECON, "s.h5 -o o.h5", "exclude: 3,10:20\n", "exclude: [3, 10:20,]\n"},
        {SINO_VERB_RECON, "s.h5 -o o.h5", "device: cpu\n", "--- {device: [cpu]}\n"},
        {SINO_VERB_SWEEP, "--csv o.csv", "slices: 4,8\ndevices: cpu,cpu+opencl\n",
         "slices: &n [4, 8]\ndevices: [cpu, cpu+opencl]\n"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        char path[256], *text[2];
        for (int j = 0; j < 2; j++) {
            SinoSettings *settings = NULL;
            assert_null(read_yaml(same[i].verb, j ? same[i].sequence : same[i].commas, same[i].line, path, &settings));
            assert_null(sino_settings_changed_text(settings, same[i].verb, &text[j]));
            sino_settings_free(settings);
        }
        assert_string_equal(text[0], text[1]);
        for (int j = 0; j < 2; j++) free(text[j]);
    }
}

static void bad_yaml_sequences_are_refused(void **state)
{
    (void)state;
    static const char one[] = "; allowed: one \"name: value\" line per setting";
    static const struct {
        const char *content, *message;
    } bad[] = {
        {"stages: []\n", "line 1 | stages | empty list | one value"},
        {"out: o.h5\nstages: {air: 1}\n", "line 2 | stages | mapping | one value"},
        {"stages:\n  - air\n  - [zingers]\n", "line 3 | list | list of stages | one value per item"},
        {"stages:\n- air: 1\n", "line 2 | mapping | list of stages | one value per item"},
        {"stages: [air, \"\"]\n", "line 1 | empty value | list of stages | one value per item"},
        {"stages:\n-\n- air\n", "line 2 | empty value | list of stages | one value per item"},
        {"stages: ['air,harden']\n", "line 1 | comma | list of stages | one value per item"},
        {"out: &o air\nstages: [*o]\n", "line 2 | alias | list of stages | one value per item"},
        {"stages: &s [air]\nbeam-hardening: *s\n", "line 2 | beam-hardening | alias | one value"},
        {"beam-hardening: &s [1, 2]\nout: *s\n", "line 2 | out | alias | one value"},
        {"stages: [\"a\\0b\"]\n", "line 1 | character \\0 | texts without it"},
        {"stages: [air]\nstages: [air]\n", "line 2 | stages | again | once"},
        {"stages: [air]\nstages: air\n", "line 2 | stages | again | once"},
        {"stages: air\nstages: [air]\n", "line 2 | stages | again | once"},
        {"iterations: [3]\n", "line 1 | iterations | list | one value"},
        {"out:\n  - o.h5\n", "line 2 | out | list | one value"},
        {"iterations: {a: 3}\n", "line 1 | iterations | mapping | one value"},
        {"itertions: [3]\n", "unknown setting itertions | iterations"},
        {"beam-hardening: [1, x]\n", "beam-hardening | '1,x' | 1 to 8 numbers | -1000000 to 1000000"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuse_yaml(SINO_VERB_RECON, bad[i].content, "", bad[i].message);
    static const char *const other[][2] = {
        {"[air, zingers]\n", ": Expecting MAPPING, got event: SEQUENCE_START"},
        {"stages: [air\n",
         ": libyaml: did not find expected ',' or ']' in mapping field 'stages' (line: 1, column: 9)"},
        {"stages: [air]\n---\nstages: [[]]\n", ": Ignoring documents after first in stream"},
    };
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        char message[400];
        snprintf(message, sizeof message, "%s%s", other[i][1], one);
        refuse_yaml(SINO_VERB_RECON, other[i][0], "", message);
    }
}

static void bad_yaml_files_are_refused(void **state)
{
    (void)state;
    static const char hint[] = "; allowed: one \"name: value\" line per setting";
    char message[400];
    refuse_yaml(SINO_VERB_RECON, "itertions: 3\n", "", "unknown setting itertions | iterations");
    refuse_yaml(SINO_VERB_RECON, "nsino-per-chunk: 3\n", "", "unknown setting nsino-per-chunk | minibatch");
    refuse_yaml(SINO_VERB_RECON, "help: yes\n", "", "unknown setting help | --help");
    refuse_yaml(SINO_VERB_RECON, "size: 64\n", "", "size | recon | phantom | demo");
    refuse_yaml(SINO_VERB_RECON, "iterations: many\n", "", "iterations | 'many' | auto | 1 to 1000000000");
    refuse_yaml(SINO_VERB_RECON, "iterations:\n", "", "iterations | '' | auto | 1 to 1000000000");
    refuse_yaml(SINO_VERB_RECON, "iterations: 0\n", "--iterations 3", "iterations | '0' | auto | 1 to 1000000000");
    refuse_yaml(SINO_VERB_RECON, "iterations: 3\niterations: 4\n", "", "line 2 | iterations | again | once");
    snprintf(message, sizeof message, "%s%s", ": Expecting MAPPING, got event: SCALAR", hint);
    refuse_yaml(SINO_VERB_RECON, "iterations\n", "", message);
    snprintf(message, sizeof message, "%s%s", ": Ignoring documents after first in stream", hint);
    refuse_yaml(SINO_VERB_RECON, "---\niterations: 3\n---\niterations: 4\n", "", message);
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --config /nonexistent.yaml",
           "--config: /nonexistent.yaml: No such file or directory");
    SinoSettings *settings = NULL;
    char path[256];
    SinoStatus status = read_yaml(SINO_VERB_RECON, "relaxation: 1.5\n", "s.h5 -o o.h5", path, &settings);
    assert_error(status, SINO_BAD_INPUT, "--relaxation | --algorithm fista | --algorithm sirt");
}

/* The text of `line`'s settings, read back as a file, gives the same text again. */
static void round_trip(int verb, const char *line, SinoSettings **again)
{
    char *first = NULL, *second = NULL, path[256];
    SinoSettings *settings = accept(verb, line);
    assert_null(sino_settings_text(settings, verb, &first));
    SinoStatus status = read_yaml(verb, first, "", path, again);
    assert_string_equal(sino_status_text(status), "");
    assert_null(sino_settings_text(*again, verb, &second));
    assert_string_equal(first, second);
    free(first);
    free(second);
    sino_settings_free(settings);
}

/* --data decides about flat fields and the logarithm; what says otherwise is refused. */
static void data_against_its_parts(void **state)
{
    (void)state;
    SinoSettings *settings = accept(SINO_VERB_RECON, "s.h5 -o o.h5");
    assert_true(settings->input.scan_values == SINO_VALUES_AUTO && settings->input.minus_log);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_RECON, "s.h5 -o o.h5 --data transmission");
    assert_true(settings->input.flat_correction == SINO_FLAT_NONE && settings->input.minus_log);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_RECON, "s.h5 -o o.h5 --data line-integrals --minus-log no");
    assert_true(settings->input.flat_correction == SINO_FLAT_NONE && !settings->input.minus_log);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_RECON, "s.h5 -o o.h5 --data counts --flat-correction median");
    assert_true(settings->input.flat_correction == SINO_FLAT_MEDIAN && settings->input.minus_log);
    sino_settings_free(settings);
    static const char *const wrong[][2] = {
        {"line-integrals", "minus-log yes"}, {"line-integrals", "flat-correction mean"},
        {"transmission", "minus-log no"},    {"transmission", "flat-correction median"},
        {"counts", "flat-correction none"},  {"counts", "minus-log no"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char words[160], message[160];
        snprintf(words, sizeof words, "s.h5 -o o.h5 --data %s --%s", wrong[i][0], wrong[i][1]);
        snprintf(message, sizeof message, "--%s | --data | %s | one of them", wrong[i][1], wrong[i][0]);
        refuse(SINO_VERB_RECON, words, message);
    }
    round_trip(SINO_VERB_RECON, "s.h5 -o o.h5 --data transmission", &settings);
    assert_int_equal(settings->input.scan_values, SINO_VALUES_TRANSMISSION);
    sino_settings_free(settings);
    round_trip(SINO_VERB_RECON, "s.h5 -o o.h5 --data line-integrals", &settings);
    assert_true(settings->input.scan_values == SINO_VALUES_LINE_INTEGRALS && !settings->input.minus_log);
    sino_settings_free(settings);
}

static void text_of_settings_reads_back(void **state)
{
    (void)state;
    SinoSettings *again = NULL;
    round_trip(SINO_VERB_RECON,
               "M\xc3\xbcller\"\\\t'#:\x7f\xe2\x80\xa8.h5 -o o.h5 --tolerance 0.1 --rotation-axis 296.3 --memory 3GB",
               &again);
    assert_string_equal(again->input.file_name, "M\xc3\xbcller\"\\\t'#:\x7f\xe2\x80\xa8.h5");
    assert_true(again->solver.tolerance == 0.1 && again->center.rotation_axis == 296.3);
    assert_int_equal(again->runtime.memory_bytes, 3000000000);
    sino_settings_free(again);
    round_trip(SINO_VERB_RECON, "s.h5 -o o.h5 --algorithm sirt --nonnegativity --relaxation 0.3333333333333333",
               &again);
    assert_true(again->solver.relaxation == 0.3333333333333333 && sino_settings_nonnegative(&again->solver) &&
                isnan(again->center.rotation_axis));
    sino_settings_free(again);
    round_trip(SINO_VERB_RECON, "s.bin --theta t.bin --columns 256 -o o.h5 --algorithm fbp --fbp-filter hann", &again);
    assert_int_equal(again->solver.fbp_filter, SINO_FILTER_HANN);
    assert_int_equal(again->input.columns, 256);
    sino_settings_free(again);
    round_trip(SINO_VERB_PHANTOM, "-o s.h5 --seed 9007199254740992", &again);
    assert_int_equal(again->phantom.seed, 9007199254740992);
    sino_settings_free(again);
    round_trip(SINO_VERB_INFO, "null", &again);
    assert_string_equal(again->input.file_name, "null");
    sino_settings_free(again);
    round_trip(SINO_VERB_DEMO, "", &again);
    sino_settings_free(again);
    round_trip(SINO_VERB_PLAN,
               "--angles 3 --columns 4 --slices 5 --grid 2x3 --topology nodes=6,workers=2 "
               "--node-weights 0.1,1e-3,7 --link-latency 0.5",
               &again);
    assert_true(again->team.grid.batch_groups == 2 && again->team.topology.workers == 2 &&
                again->team.topology.sockets == 0);
    assert_true(again->team.node_weights.count == 3 && again->team.node_weights.value[0] == 0.1);
    sino_settings_free(again);
    round_trip(SINO_VERB_BENCH, "--slices 256,1,16 --precision double,single --angles 7", &again);
    assert_int_equal(again->bench.slice_counts.count, 3);
    assert_int_equal(again->bench.slice_counts.value[0], 256);
    assert_int_equal(again->bench.precisions, 1 << SINO_SINGLE | 1 << SINO_DOUBLE);
    assert_int_equal(again->phantom.angles, 7);
    sino_settings_free(again);
}

static void cone_beams(void **state)
{
    (void)state;
    SinoSettings *settings = accept(SINO_VERB_RECON, "s.h5 -o o.h5");
    assert_int_equal(settings->geometry.kind, SINO_GEOMETRY_PARALLEL);
    assert_int_equal(settings->geometry.angle_direction, SINO_DIRECTION_AUTO);
    assert_true(settings->geometry.source_object_mm == 0 && settings->geometry.source_detector_mm == 0 &&
                settings->geometry.voxel_size_mm == 0);
    assert_true(settings->geometry.detector_pixel.width == 0 && isnan(settings->center.row) &&
                settings->geometry.volume.z == 0);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_RECON, "s.h5 -o o.h5 --geometry cone --sid 100 --sdd 1e3 --detector-pixel 0.25 "
                                       "--volume 30x40x50 --fbp-filter hann --precision mixed --symmetry no");
    assert_int_equal(settings->solver.algorithm, SINO_ALGORITHM_FDK);
    assert_true(settings->geometry.source_object_mm == 100 && settings->geometry.source_detector_mm == 1000);
    assert_true(settings->geometry.detector_pixel.width == 0.25 && settings->geometry.detector_pixel.height == 0.25);
    assert_true(settings->geometry.volume.x == 30 && settings->geometry.volume.y == 40 &&
                settings->geometry.volume.z == 50);
    sino_settings_free(settings);
    round_trip(SINO_VERB_RECON,
               "s.h5 -o o.h5 --geometry cone --source-object-distance 0.1 --source-detector-distance 0.3 "
               "--detector-pixel 0.1x0.3 --center-row -7.25 --angle-direction counterclockwise --volume 4x5x6 "
               "--voxel-size 0.7 --algorithm fdk",
               &settings);
    assert_int_equal(settings->geometry.angle_direction, SINO_COUNTERCLOCKWISE);
    assert_true(settings->geometry.detector_pixel.width == 0.1 && settings->geometry.detector_pixel.height == 0.3);
    assert_true(settings->center.row == -7.25 && settings->geometry.voxel_size_mm == 0.7 &&
                settings->geometry.volume.z == 6);
    sino_settings_free(settings);
    round_trip(SINO_VERB_DEMO, "--geometry cone --detector-pixel 2", &settings);
    assert_int_equal(settings->solver.algorithm, SINO_ALGORITHM_FDK);
    sino_settings_free(settings);
}

static void pet_scanners(void **state)
{
    SinoSettings *settings;
    (void)state;
    round_trip(SINO_VERB_PHANTOM,
               "-o m --geometry pet --crystals 12x3x5 --rays 7 --counts 99 --replicates 3 --background 0.25 --volume "
               "4x6x8 --voxel-size "
               "0.5",
               &settings);
    assert_int_equal(settings->geometry.kind, SINO_GEOMETRY_PET);
    assert_int_equal(settings->phantom.crystals.blocks, 12);
    assert_int_equal(settings->phantom.crystals.block_size, 3);
    assert_int_equal(settings->phantom.crystals.rings, 5);
    assert_true(settings->phantom.rays == 7 && settings->phantom.total_counts == 99 &&
                settings->phantom.replicates == 3 && settings->phantom.background == 0.25);
    assert_true(settings->geometry.volume.z == 8 && settings->geometry.voxel_size_mm == 0.5);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_PHANTOM, "-o m --geometry cone");
    assert_true(settings->geometry.voxel_size_mm == 0 && settings->geometry.volume.x == 0);
    sino_settings_free(settings);
    refuse(SINO_VERB_PHANTOM, "-o m --geometry fan", "--geometry | 'fan' | parallel | pet");
    refuse(SINO_VERB_PHANTOM, "-o m --geometry cone --voxel-size 1", "--voxel-size | --geometry cone | --geometry pet");
    refuse(SINO_VERB_BENCH, "--geometry pet", "--geometry | 'pet' | parallel | matrix");
    settings = accept(SINO_VERB_DEMO, "--geometry pet --volume 20x20x8 --background 0.5");
    assert_true(settings->solver.algorithm == SINO_ALGORITHM_OSEM && settings->solver.iterations == 2 &&
                settings->geometry.volume.z == 8);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_DEMO, "--geometry pet --algorithm mlem");
    assert_true(settings->solver.iterations == 20 && settings->phantom.background == 0);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_DEMO, "--geometry pet --iterations 7");
    assert_int_equal(settings->solver.iterations, 7);
    sino_settings_free(settings);
}

static void system_matrices(void **state)
{
    (void)state;
    SinoSettings *settings = accept(SINO_VERB_RECON, "g.npy -o o.h5 --system-matrix a.csr4");
    assert_int_equal(settings->geometry.kind, SINO_GEOMETRY_MATRIX);
    assert_int_equal(settings->solver.algorithm, SINO_ALGORITHM_MLEM);
    assert_int_equal(settings->input.scan_values, SINO_VALUES_AUTO);
    assert_string_equal(settings->counts.system_matrix, "a.csr4");
    assert_null(settings->counts.multiplicative);
    assert_null(settings->counts.additive);
    assert_null(settings->counts.sensitivity);
    assert_null(settings->solver.start);
    assert_null(settings->solver.mask);
    assert_true(settings->counts.post_filter_mm == 0 && settings->counts.save_every == 0 &&
                settings->geometry.voxel_size_mm == 0);
    sino_settings_free(settings);
    round_trip(SINO_VERB_RECON,
               "g -o o.h5 --geometry matrix --system-matrix a.csr4 --data events --algorithm osem --subsets 4 "
               "--multiplicative n --additive r --sensitivity s --start x --mask m --volume 3x4x5 --voxel-size 0.5 "
               "--post-filter 1.5 --save-every 10 --operator-cache c --precision mixed --likelihood-tolerance 0.1",
               &settings);
    assert_int_equal(settings->geometry.kind, SINO_GEOMETRY_MATRIX);
    assert_int_equal(settings->solver.algorithm, SINO_ALGORITHM_OSEM);
    assert_int_equal(settings->input.scan_values, SINO_VALUES_EVENTS);
    assert_string_equal(settings->counts.system_matrix, "a.csr4");
    assert_string_equal(settings->counts.multiplicative, "n");
    assert_string_equal(settings->counts.additive, "r");
    assert_string_equal(settings->counts.sensitivity, "s");
    assert_string_equal(settings->solver.start, "x");
    assert_string_equal(settings->solver.mask, "m");
    assert_true(settings->geometry.volume.z == 5 && settings->geometry.voxel_size_mm == 0.5);
    assert_true(settings->counts.post_filter_mm == 1.5 && settings->counts.save_every == 10);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_RECON, "g -o o.h5 --system-matrix a --algorithm cg --tolerance 0.1 --additive r");
    assert_int_equal(settings->solver.algorithm, SINO_ALGORITHM_CG);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_RECON, "g -o o.h5 --system-matrix a --algorithm sirt --nonnegativity --relaxation 0.5");
    sino_settings_free(settings);
}

static void system_matrices_from_yaml(void **state)
{
    (void)state;
    char path[256];
    SinoSettings *settings = NULL;
    SinoStatus status =
        read_yaml(SINO_VERB_RECON, "system-matrix: a.mtx\nsave-every: 2\n", "g -o o.h5", path, &settings);
    assert_string_equal(sino_status_text(status), "");
    assert_true(settings->geometry.kind == SINO_GEOMETRY_MATRIX && settings->counts.save_every == 2);
    sino_settings_free(settings);
    settings = NULL;
    status = read_yaml(SINO_VERB_RECON, "geometry: cone\n", "g -o o.h5 --system-matrix a", path, &settings);
    assert_error(status, SINO_BAD_INPUT, "--geometry cone | --system-matrix | one of them");
}

/* Settings that only scans have are refused with a matrix, and the other way round. */
static void system_matrices_against_scans(void **state)
{
    (void)state;
    static const char *const of_scans[] = {"flats a",        "darks a",       "open-beam 1",    "columns 3",
                                           "start-row 0",    "end-row -1",    "start-column 0", "end-column -1",
                                           "binning 1",      "minus-log yes", "saturation 0",   "flat-correction mean",
                                           "max-repaired 0", "grid auto",     "mask-ratio 0"};
    static const char *const of_orbits[] = {"theta a",
                                            "rotation-axis auto",
                                            "symmetry yes",
                                            "center-search-width 0",
                                            "center-search-step 1",
                                            "angle-direction clockwise"};
    static const char *const of_parallel[] = {
        "rotation-axis-auto vo", "nsino 3",    "pixel-size 3",         "partitions 3",   "minibatch 3",
        "topology workers=3",    "overlap no", "communication direct", "projector rays", "interpolation linear"};
    static const char *const of_matrices[] = {"multiplicative a", "additive a", "sensitivity a", "save-every 0",
                                              "post-filter 0"};
    static const struct {
        const char *const *setting;
        size_t count;
        const char *geometry, *owners, *line;
    } kinds[] = {
        {of_scans, sizeof of_scans / sizeof *of_scans, "matrix", "parallel, cone, fan or vectors",
         "--system-matrix a "},
        {of_orbits, sizeof of_orbits / sizeof *of_orbits, "matrix", "parallel, cone or fan", "--system-matrix a "},
        {of_parallel, sizeof of_parallel / sizeof *of_parallel, "matrix", "parallel", "--system-matrix a "},
        {of_matrices, sizeof of_matrices / sizeof *of_matrices, "parallel", "matrix", ""}};
    char line[200], message[300];
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t i = 0; i < kinds[k].count; i++) {
            const char *setting = kinds[k].setting[i];
            const int length = (int)strcspn(setting, " ");
            snprintf(line, sizeof line, "g.h5 -o o.h5 %s--%s", kinds[k].line, setting);
            snprintf(message, sizeof message, "--%.*s | --geometry %s | --geometry %s", length, setting,
                     kinds[k].geometry, kinds[k].owners);
            refuse(SINO_VERB_RECON, line, message);
        }
}

/* Settings of counts with a system matrix that are refused, and how. */
static const char *const wrong_matrix[][2] = {
    {"--algorithm bsrem --iterations auto", "--iterations | auto | --algorithm bsrem | --algorithm mlem"},
    {"--iterations auto --save-every 2", "--save-every | --iterations auto | one of them"},
    {"--algorithm fbp", "--algorithm fbp | --geometry matrix | cg | bsrem"},
    {"--algorithm fdk", "--algorithm fdk | --geometry matrix | cg | bsrem"},
    {"--precision double", "--precision double | --geometry matrix | single or mixed"},
    {"--precision half", "--precision half | --geometry matrix | single or mixed"},
    {"--data counts", "--data counts | --geometry matrix | auto"},
    {"--data transmission", "--data transmission | --geometry matrix | auto"},
    {"--data line-integrals", "--data line-integrals | --geometry matrix | auto"},
    {"--geometry parallel", "--geometry parallel | --system-matrix | one of them"},
    {"--geometry cone", "--geometry cone | --system-matrix | one of them"},
    {"--geometry pet", "--geometry | 'pet' | parallel | matrix"},
    {"--resume --save-every 2", "--resume | --save-every | --start"},
    {"--sensitivity s --algorithm cg", "--sensitivity | --algorithm cg | --algorithm mlem | bsrem"},
    {"--start s --algorithm sirt", "--start | --algorithm sirt | --algorithm mlem | bsrem"},
    {"--subsets 3", "--subsets | --algorithm mlem | --algorithm osem"},
    {"--algorithm bsrem --prior qggmrf", "--prior qggmrf | --algorithm bsrem | relative-difference"},
    {"--source-object-distance 3", "--source-object-distance | --geometry matrix | --geometry cone"},
    {"--volume 4x5", "--volume | 4x5 | auto | 4x5x1"},
    {"--post-filter -1", "--post-filter | '-1' | 0 to 1000000"},
    {"--post-filter nan", "--post-filter | 'nan' | 0 to 1000000"},
    {"--save-every -1", "--save-every | '-1' | 0 to 1000000000"},
    {"--save-every 0.5", "--save-every | '0.5' | 0 to 1000000000"},
    {"--out a --overwrite", "--out | 'o.h5' | 'a' | once"},
    {"--graph a", "--graph | --system-matrix | 'a' | different files"},
    {"--start o.h5", "--out | --start | 'o.h5' | different files"},
    {"--multiplicative o.h5", "--out | --multiplicative | 'o.h5' | different files"},
    {"--additive o.h5", "--out | --additive | 'o.h5' | different files"},
    {"--sensitivity o.h5", "--out | --sensitivity | 'o.h5' | different files"},
    {"--mask o.h5", "--out | --mask | 'o.h5' | different files"}};

static void bad_system_matrices_are_refused(void **state)
{
    (void)state;
    char line[200];
    for (size_t i = 0; i < sizeof wrong_matrix / sizeof *wrong_matrix; i++) {
        snprintf(line, sizeof line, "g.npy -o o.h5 --system-matrix a %s", wrong_matrix[i][0]);
        refuse(SINO_VERB_RECON, line, wrong_matrix[i][1]);
    }
    refuse(SINO_VERB_RECON, "g.npy -o o.h5 --geometry matrix", "--geometry | matrix | --system-matrix FILE");
    refuse(SINO_VERB_RECON, "g.h5 -o o.h5 --data events",
           "--data events | --geometry parallel | auto | line-integrals");
    refuse(SINO_VERB_INFO, "g.h5 --data events --geometry cone",
           "--data events | --geometry cone | auto | line-integrals");
    refuse(SINO_VERB_BENCH, "--geometry matrix", "--geometry | matrix | --system-matrix FILE");
    refuse(SINO_VERB_INFO, "g.h5 --geometry matrix", "--geometry | matrix | --system-matrix FILE");
    sino_settings_free(accept(SINO_VERB_BENCH, "--system-matrix a"));
    refuse(SINO_VERB_PLAN, "--system-matrix a", "plan | counts | --system-matrix a | plan COUNTS --system-matrix FILE");
    refuse(SINO_VERB_SIMULATE, "--system-matrix a", "simulate | --system-matrix | COUNTS | FILE");
    refuse(SINO_VERB_PLAN, "g.npy --system-matrix a --columns 4",
           "--columns | --geometry matrix | --geometry parallel | fan");
    refuse(SINO_VERB_PHANTOM, "-o m --geometry matrix", "--geometry | 'matrix' | parallel | pet");
    refuse(SINO_VERB_DEMO, "--system-matrix a", "--system-matrix | recon | simulate");
}

static void cone_beams_against_parallel_ones(void **state)
{
    (void)state;
    static const char *const of_cones[] = {"source-object-distance 3", "source-detector-distance 3",
                                           "detector-pixel 3"};
    static const char *const of_parallel[] = {
        "rotation-axis-auto vo", "nsino 3",    "pixel-size 3",        "partitions 3", "minibatch 3",
        "topology workers=3",    "overlap no", "communication direct"};
    char line[200], message[300];
    for (size_t i = 0; i < sizeof of_cones / sizeof *of_cones; i++) {
        const int length = (int)strcspn(of_cones[i], " ");
        snprintf(line, sizeof line, "s.h5 -o o.h5 --%s", of_cones[i]);
        snprintf(message, sizeof message, "--%.*s | --geometry parallel | --geometry cone", length, of_cones[i]);
        refuse(SINO_VERB_RECON, line, message);
    }
    for (size_t i = 0; i < sizeof of_parallel / sizeof *of_parallel; i++) {
        const int length = (int)strcspn(of_parallel[i], " ");
        snprintf(line, sizeof line, "s.h5 -o o.h5 --geometry cone --%s", of_parallel[i]);
        snprintf(message, sizeof message, "--%.*s | --geometry cone | --geometry parallel", length, of_parallel[i]);
        refuse(SINO_VERB_RECON, line, message);
    }
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --geometry ring", "--geometry | 'ring' | parallel | matrix");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --geometry fan --center-row 3",
           "--center-row | --geometry fan | --geometry cone");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --voxel-size 3",
           "--voxel-size | --geometry parallel | --geometry cone | matrix");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --geometry cone --operator-cache x",
           "--operator-cache | --geometry cone | --geometry parallel | matrix");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --algorithm fdk", "--algorithm fdk | --geometry parallel | cg | fista");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --geometry cone --algorithm fbp",
           "--algorithm fbp | --geometry cone | cg | fista");
    refuse(SINO_VERB_DEMO, "--geometry cone --iterations 3", "--iterations | --algorithm fdk | --algorithm cg | fista");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --geometry cone --algorithm fista --weights w.npy",
           "--weights w.npy | --geometry cone | auto, counts or none");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --geometry cone --algorithm fista --prior-dimensions 3",
           "--prior-dimensions | --geometry cone | --geometry parallel");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --geometry cone --precision double",
           "--precision double | --geometry cone | single or mixed");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --geometry cone --precision half",
           "--precision half | --geometry cone | single or mixed");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --volume 4x5x6", "--volume | 4x5x6 | auto | 4x5");
    refuse(SINO_VERB_PHANTOM, "-o o.h5 --detector-pixel 1", "--detector-pixel | --geometry parallel | --geometry cone");
    refuse(SINO_VERB_PLAN, "s.h5 --geometry cone --kernel-gflops 3",
           "--kernel-gflops | --geometry cone | --geometry parallel");
    refuse(SINO_VERB_PLAN, "s.h5 --backprojection-gups 3",
           "--backprojection-gups | --geometry parallel | --geometry cone");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --angle-direction cw",
           "--angle-direction | 'cw' | auto, clockwise or counterclockwise");
    refuse(SINO_VERB_RECON, "s.h5 -o o.h5 --geometry cone --node-weights 1,1",
           "--node-weights | --geometry cone | --geometry parallel");
}

static void bad_lengths_are_refused(void **state)
{
    (void)state;
    static const char *const bad_pixels[] = {"",      "x",   "1x",   "x1",  "0",     "0x1", "1x0",   "-1",  "1x-1",
                                             "1x2x3", "1X2", "1 x2", "nan", "1xinf", "1e7", "1e-10", "1,2", "auto"};
    static const char *const bad_volumes[] = {"",      "x",     "2",      "2x",    "2x3x",   "x2x3",      "2x3x4x5",
                                              "0x2x3", "2x3x0", "2x3x-4", "2X3x4", "2x3 x4", "2x3x65537", "2xautox3"};
    static const char *const bad_distances[] = {"0", "-1", "nan", "1e-400", "1000001", "3mm"};
    char line[200], message[300];
    for (size_t i = 0; i < sizeof bad_pixels / sizeof *bad_pixels; i++) {
        char *argument[] = {"s.h5", "-o", "o.h5", "--geometry=cone", line};
        SinoSettings *settings = NULL;
        snprintf(line, sizeof line, "--detector-pixel=%s", bad_pixels[i]);
        snprintf(message, sizeof message, "--detector-pixel | '%s' | 0.2 | 1000000", bad_pixels[i]);
        assert_error(sino_settings_read(SINO_VERB_RECON, 5, argument, &settings), SINO_BAD_INPUT, message);
    }
    for (size_t i = 0; i < sizeof bad_volumes / sizeof *bad_volumes; i++) {
        char *argument[] = {"s.h5", "-o", "o.h5", "--geometry=cone", line};
        SinoSettings *settings = NULL;
        snprintf(line, sizeof line, "--volume=%s", bad_volumes[i]);
        snprintf(message, sizeof message, "--volume | '%s' | auto | 1 to 65536", bad_volumes[i]);
        assert_error(sino_settings_read(SINO_VERB_RECON, 5, argument, &settings), SINO_BAD_INPUT, message);
    }
    for (size_t i = 0; i < sizeof bad_distances / sizeof *bad_distances; i++) {
        snprintf(line, sizeof line, "s.h5 -o o.h5 --geometry cone --source-object-distance=%s", bad_distances[i]);
        snprintf(message, sizeof message, "--source-object-distance | '%s' | 1e-09 | 1000000", bad_distances[i]);
        refuse(SINO_VERB_RECON, line, message);
    }
}

static char *printed_help(int verb, SinoHelpChoice which)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    sino_settings_help(verb, which, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* Pairs of --tune are as options of their names; a value may have commas, which only the next name ends. */
static void tuned_settings(void **state)
{
    (void)state;
    SinoSettings *settings = accept(SINO_VERB_RECON, "a.h5 -o x.h5 --tune minibatch=4,topology=nodes=2,workers=3,"
                                                     "overlap=no --tune=node-weights=1,2,1.5,scheduler=lws");
    assert_true(settings->runtime.minibatch == 4 && settings->team.topology.nodes == 2 &&
                settings->team.topology.workers == 3);
    assert_true(!settings->team.overlap && settings->team.node_weights.count == 3 &&
                settings->team.node_weights.value[2] == 1.5);
    assert_string_equal(settings->runtime.scheduler, "lws");
    sino_settings_free(settings);
    static const char folder[] = "a.h5 -o x.h5 --tune scratch-folder=/disk"; /* vectors of volumes go there */
    static const char *const volumes[] = {"--geometry cone", "--geometry fan", "--vectors v.csv"};
    for (size_t i = 0; i < sizeof volumes / sizeof *volumes; i++) {
        char line[120];
        snprintf(line, sizeof line, "%s %s", folder, volumes[i]);
        settings = accept(SINO_VERB_RECON, line);
        assert_string_equal(settings->runtime.scratch_folder, "/disk");
        sino_settings_free(settings);
    }
    refuse(SINO_VERB_RECON, folder, "--scratch-folder | --geometry parallel | cone, fan or vectors");
    settings = accept(SINO_VERB_SIMULATE, "a.h5 --tune partitions=2"); /* an option, as the help of this verb has it */
    assert_int_equal(settings->runtime.partitions, 2);
    sino_settings_free(settings);
    static const char *const refused[][2] = {
        {"minibatch", "--tune | 'minibatch' | NAME=VALUE"},
        {"minibatch=2,", "--tune | '' | NAME=VALUE"},
        {"iterations=3", "--tune | --iterations VALUE"},
        {"minibatch=4,partitons=2", "--tune | did you mean partitions?"},
        {"kernel-gflops=3", "--tune | kernel-gflops | with plan"},
        {"minibatch=x", "--minibatch | 'x' | 0 to 256"},
        {"minibatch=3 --minibatch 4", "--minibatch | '3' | '4' | once"},
        {"minibatch=3 --tune minibatch=4", "--minibatch | '3' | '4' | once"},
        {"''", "--tune | '' | NAME=VALUE"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char line[128];
        snprintf(line, sizeof line, "a.h5 -o x.h5 --tune %s", refused[i][0]);
        refuse(SINO_VERB_RECON, line, refused[i][1]);
    }
    refuse(SINO_VERB_COMPARE, "a.h5 b.h5 --tune minibatch=2", "--tune | recon | simulate");
    refuse_yaml(SINO_VERB_RECON, "tune: minibatch=2\n", "", "unknown setting tune | --help");
}

static void help_names_every_option_of_its_verb(void **state)
{
    (void)state;
    for (int i = 0; i < SINO_VERB_COUNT; i++) {
        const int verb = sino_verb_table[i].verb;
        char *help = printed_help(verb, SINO_HELP_ALL), *tune = printed_help(verb, SINO_HELP_TUNE), option[64];
        int listed = 0;
        for (int j = 0; j < SINO_SETTING_COUNT; j++) {
            const SinoSetting *row = &sino_setting_table[j];
            if (sino_setting_find(verb, row->name, strlen(row->name)) != row) continue; /* the verb has another one */
            snprintf(option, sizeof option, "--%s %s", row->name,
                     row->kind == SINO_SETTING_REPORT ? "[yes|no|FILE]"
                     : row->kind != SINO_SETTING_FLAG ? row->operand
                     : row->argument_only             ? ""
                                                      : "[yes|no]");
            const bool has = (row->verbs & verb) != 0, tuned = sino_setting_is_tuned(row, verb);
            assert_int_equal(strstr(help, option) != NULL, has && !tuned);
            listed += has && !tuned;
            snprintf(option, sizeof option, "\n  %s=%s", row->name, row->operand);
            assert_int_equal(strstr(tune, option) != NULL, tuned);
        }
        assert_true(verb != SINO_VERB_RECON || listed <= 100);
        for (char *line = strtok(tune, "\n"); line; line = strtok(NULL, "\n"))
            assert_true(strlen(line) <= 100 || strncmp(line, "Example", 7) == 0);
        free(tune);
        for (char *line = strtok(help, "\n"); line; line = strtok(NULL, "\n")) assert_true(strlen(line) <= 100);
        free(help);
    }
}

/* Those that differ from their defaults, however they are written. */
static void changed_settings(void **state)
{
    (void)state;
    char *text = NULL;
    SinoSettings *settings = accept(SINO_VERB_RECON, "a.h5 -o x.h5 --iterations 15 --algorithm FISTA --tolerance 1e-1 "
                                                     "--memory 1G --report auto --pictures no --rotation-axis auto");
    assert_null(sino_settings_changed_text(settings, SINO_VERB_RECON, &text));
    assert_string_equal(text, "file-name: \"a.h5\"\ntolerance: 0.1\nmemory: 1073741824\nout: \"x.h5\"\npictures: no\n");
    assert_true(sino_settings_wants_report(settings) && !sino_settings_report_file(settings));
    assert_true(sino_settings_records_planes(settings));
    free(text);
    sino_settings_free(settings);
    settings = accept(SINO_VERB_RECON, "a.h5 -o x.h5 --report none --pictures no");
    assert_true(!sino_settings_wants_report(settings) && !sino_settings_records_planes(settings));
    sino_settings_free(settings);
    settings = accept(SINO_VERB_RECON, "a.h5 -o x.h5 --report p.html");
    assert_string_equal(sino_settings_report_file(settings), "p.html");
    sino_settings_free(settings);
    settings = accept(SINO_VERB_RECON, "a.h5 -o x --reconstruction-type try"); /* a page of a volume, which is none */
    assert_true(!sino_settings_wants_report(settings));
    sino_settings_free(settings);
}

/* Fits a terminal of 50 lines with the prompt, and has a line for each setting that the table marks, and no other. */
static void short_help_fits_a_terminal(void **state)
{
    (void)state;
    for (int i = 0; i < SINO_VERB_COUNT; i++) {
        const int verb = sino_verb_table[i].verb;
        char *help = NULL, option[64];
        size_t size;
        FILE *out = open_memstream(&help, &size);
        sino_settings_help(verb, SINO_HELP_SHORT, out);
        assert_int_equal(fclose(out), 0);
        int lines = 2, brief = 0; /* the program adds a sentence and an empty line */
        for (int j = 0; j < SINO_SETTING_COUNT; j++) {
            const SinoSetting *row = &sino_setting_table[j];
            assert_true(!row->brief == !row->brief_verbs && (row->brief_verbs & ~row->verbs) == 0);
            if (sino_setting_find(verb, row->name, strlen(row->name)) != row) continue;
            snprintf(option, sizeof option, "--%s ", row->name);
            assert_int_equal(strstr(help, option) != NULL, (row->brief_verbs & verb) != 0);
            brief += (row->brief_verbs & verb) != 0;
        }
        assert_true(brief >= 4 && brief <= 30);
        for (char *line = help; *line; line = strchr(line, '\n') + 1) {
            assert_true(strcspn(line, "\n") <= 100 || strncmp(line, "Example", 7) == 0);
            lines++;
        }
        assert_true(lines <= 48);
        snprintf(option, sizeof option, "\nsinodag %s --help all explains all ", sino_verb_table[i].name);
        assert_non_null(strstr(help, option));
        free(help);
    }
}

/* Mistakes that the compiler cannot see: names taken twice, members shared, defaults out of range. */
static void table_is_consistent(void **state)
{
    static const char *const beyond[] = {"-1e300", "1e300"};
    (void)state;
    for (int i = 0; i < SINO_SETTING_COUNT; i++) {
        const SinoSetting *row = &sino_setting_table[i];
        assert_non_null(row->help);
        assert_true(row->verbs != 0);
        /* What --tune takes is an option of its verbs, which the short help does not have. */
        assert_true((row->tune & ~row->verbs) == 0 && (row->tune & row->brief_verbs) == 0);
        assert_true((row->tune & ~sino_setting_find(SINO_VERB_RECON, "tune", 4)->verbs) == 0);
        const int cones = 1 << SINO_GEOMETRY_CONE | 1 << SINO_GEOMETRY_FAN;
        const bool lacks = (row->geometries & 1 << SINO_GEOMETRY_PARALLEL) && (row->geometries & cones) != cones;
        assert_true(lacks == (row->reason != NULL));
        for (int k = 0; k < SINO_VERB_COUNT; k++) {
            const int verb = sino_verb_table[k].verb;
            if (!(row->verbs & verb)) continue;
            assert_true(sino_setting_find(verb, row->name, strlen(row->name)) == row);
            if (row->alias) assert_true(sino_setting_find(verb, row->alias, strlen(row->alias)) == row);
        }
        for (int j = 0; j < i; j++) {
            const SinoSetting *other = &sino_setting_table[j];
            const bool namesake = strcmp(other->name, row->name) == 0;
            assert_true(!namesake || (other->verbs & row->verbs) == 0);
            const bool shared = other->offset == row->offset && row->kind != SINO_SETTING_TUNE;
            assert_true(!shared || (namesake && row->kind == other->kind && row->kind != SINO_SETTING_TEXT));
            assert_true(row->letter == 0 || other->letter != row->letter);
        }
        SinoSettings *settings = calloc(1, sizeof *settings);
        assert_non_null(settings);
        if (row->low < row->high)
            for (int high = 0; high < 2; high++) {
                char keys[80];
                snprintf(keys, sizeof keys, "%s | '%s'", row->name, beyond[high]);
                assert_error(sino_setting_assign(row, row->name, beyond[high], settings), SINO_BAD_INPUT, keys);
            }
        if (!row->fallback) {
            sino_settings_free(settings);
            continue;
        }
        assert_null(sino_setting_assign(row, row->name, row->fallback, settings));
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        sino_setting_print(row, settings, out);
        assert_int_equal(fclose(out), 0);
        const bool quoted = row->kind == SINO_SETTING_TEXT;
        const size_t length = strlen(row->fallback);
        assert_int_equal(strlen(text), length + (quoted ? 2 : 0));
        assert_memory_equal(text + quoted, row->fallback, length);
        free(text);
        sino_settings_free(settings);
    }
    assert_string_equal(sino_algorithm_name(SINO_ALGORITHM_FBP), "fbp");
    assert_string_equal(sino_precision_name(SINO_DOUBLE), "double");
    assert_string_equal(sino_precision_name(SINO_HALF), "half");
    assert_string_equal(sino_precision_name(SINO_MIXED), "mixed");
}

TESTING_SUBJECT(settings)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_documented),
        cmocka_unit_test(files_tell_settings),
        cmocka_unit_test(promised_command_lines_work),
        cmocka_unit_test(spellings_mean_the_same),
        cmocka_unit_test(sizes_take_units),
        cmocka_unit_test(durations_take_units),
        cmocka_unit_test(defaults_of_the_algorithm),
        cmocka_unit_test(normal_operator_serves),
        cmocka_unit_test(shared_settings),
        cmocka_unit_test(unknown_options_are_refused),
        cmocka_unit_test(other_words_are_answered),
        cmocka_unit_test(other_words_are_understood),
        cmocka_unit_test(peers_words_fit_the_table),
        cmocka_unit_test(json_follows_the_log),
        cmocka_unit_test(missing_and_repeated_values_are_refused),
        cmocka_unit_test(bad_values_are_refused),
        cmocka_unit_test(contradictions_are_refused),
        cmocka_unit_test(data_against_its_parts),
        cmocka_unit_test(names_are_shared_by_verbs),
        cmocka_unit_test(compare_takes_two_volumes),
        cmocka_unit_test(lists_are_read),
        cmocka_unit_test(sweeps_are_read),
        cmocka_unit_test(bad_sweeps_are_refused),
        cmocka_unit_test(words_are_passed_on),
        cmocka_unit_test(shares_of_ranks_are_read),
        cmocka_unit_test(weights_have_an_end),
        cmocka_unit_test(plan_needs_a_scan_or_its_sizes),
        cmocka_unit_test(input_under_another_name_is_recognised),
        cmocka_unit_test(yaml_file_is_read_and_overruled),
        cmocka_unit_test(bad_yaml_files_are_refused),
        cmocka_unit_test(yaml_sequences_are_lists),
        cmocka_unit_test(bad_yaml_sequences_are_refused),
        cmocka_unit_test(text_of_settings_reads_back),
        cmocka_unit_test(cone_beams),
        cmocka_unit_test(pet_scanners),
        cmocka_unit_test(system_matrices),
        cmocka_unit_test(system_matrices_from_yaml),
        cmocka_unit_test(system_matrices_against_scans),
        cmocka_unit_test(bad_system_matrices_are_refused),
        cmocka_unit_test(cone_beams_against_parallel_ones),
        cmocka_unit_test(bad_lengths_are_refused),
        cmocka_unit_test(tuned_settings),
        cmocka_unit_test(help_names_every_option_of_its_verb),
        cmocka_unit_test(short_help_fits_a_terminal),
        cmocka_unit_test(changed_settings),
        cmocka_unit_test(table_is_consistent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
