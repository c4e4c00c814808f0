/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, init: the file of settings gives the same volume as the scan alone, with and without its comments. */
#include "cli.h"
#include "testing_tiff.h"

#include <sys/stat.h>

/* A text file as a string; caller frees. */
static char *text_of(const char *directory, const char *name)
{
    const size_t bytes = (size_t)cli_file_size(directory, name);
    char *read = cli_read_bytes(directory, name, bytes), *text = strndup(read, bytes);
    assert_non_null(text);
    free(read);
    return text;
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("'%s' is not in:\n%s", part, text);
}

/* Writes NAME without the # of defaults; lines with an example in place of a value stay comments. */
static void uncomment(const char *directory, const char *from, const char *to)
{
    char *text = text_of(directory, from), *result = calloc(1, strlen(text) + 1), *end = result;
    assert_non_null(result);
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        const size_t length = strcspn(line, "\n"), name = 1 + strspn(line + 1, "abcdefghijklmnopqrstuvwxyz-");
        const bool row = *line == '#' && name > 1 && line[name] == ':';
        const bool example = row && line[name + 2] >= 'A' && line[name + 2] <= 'Z';
        const size_t from_here = row && !example ? 1 : 0;
        end += sprintf(end, "%.*s\n", (int)(length - from_here), line + from_here);
    }
    cli_write_text(directory, to, result);
    free(text);
    free(result);
}

static void round_trip(void **state)
{
    const char *const at = *state;
    cli_works(at, "phantom -o scan.h5 --size 32 --angles 30 --slices 3 --noise 0.01");
    cli_works(at, "recon scan.h5 -o alone.h5 --pictures no --report none");
    cli_works(at, "init scan.h5 -o scan.yaml");
    char *text = text_of(at, "scan.yaml");
    assert_has(text, "\n# The scan: Data Exchange HDF5 (certain), 30 projections of 3 x 32 pixels, uint16; ");
    assert_has(text, "\n# Angles from 0 to 174 degrees.\n");
    assert_has(text, "\nfile-name: \"scan.h5\"\nout: \"scan_volume.h5\"\n");
    assert_has(text, "\n#iterations: 15\n");
    assert_has(text, "\n#rotation-axis: auto\n");
    assert_has(text, "\n#stages: [zingers, air, stripes, harden]\n");
    assert_has(text, "\n# This scan: 0 of 1920 values of a sample are far too bright for a single projection, in 0 "
                     "projections; from 3\n"
                     "# on they are taken out, unless few have many.\n#zinger-removal-method: none\n");
    assert_has(text, "\n#air: 0\n");
    assert_has(text, "\n#remove-stripe-method: none\n");
    assert_has(text, "\n#margin: 0\n");
    assert_has(text, "\n# This scan: no sample shows it; the numbers come from a wedge of the object's material, or "
                     "from a simulation.\n#beam-hardening: A,B,C\n");
    free(text);
    cli_works(at, "recon --config scan.yaml --pictures no --report none");
    uncomment(at, "scan.yaml", "all.yaml");
    text = text_of(at, "all.yaml");
    assert_has(text, "\niterations: 15\n");
    assert_has(text, "\nstages: [zingers, air, stripes, harden]\n");
    free(text);
    cli_works(at, "recon --config all.yaml --pictures no --report none -o all.h5");
    float *alone = cli_read_volume(at, "alone.h5", 3, 32);
    static const char *const same[] = {"scan_volume.h5", "all.h5"};
    for (int i = 0; i < 2; i++) {
        float *found = cli_read_volume(at, same[i], 3, 32);
        assert_memory_equal(found, alone, 3 * 32 * 32 * sizeof *found);
        free(found);
    }
    free(alone);
}

/* What is given is set; what the geometry does not have is not there. */
static void given_settings(void **state)
{
    const char *const at = *state;
    cli_works(at, "phantom -o scan.h5 --size 32 --angles 30 --slices 3");
    cli_works(at, "init scan.h5 -o fbp.yaml --algorithm fbp --fbp-filter hann --rotation-axis 15.5 --pixel-size 1.3");
    char *text = text_of(at, "fbp.yaml");
    assert_has(text, "\nalgorithm: fbp\n");
    assert_has(text, "\nfbp-filter: hann\n");
    assert_has(text, "\nrotation-axis: 15.5\n");
    assert_has(text, "\npixel-size: 1.3\n");
    assert_null(strstr(text, "iterations: "));
    free(text);
    cli_works(at, "recon --config fbp.yaml --report none");
    CliRun run = {.directory = at};
    cli_start(&run, "init scan.h5 -o -");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    assert_has(run.out, "sinodag recon --config FILE\n");
    assert_has(run.out, "\nfile-name: \"scan.h5\"\n");
    cli_free(&run);
    assert_false(cli_exists(at, "-"));
    cli_refuses(at, "fbp.yaml exists | --overwrite", "init scan.h5 -o fbp.yaml");
    cli_works(at, "init scan.h5 -o fbp.yaml --overwrite --geometry cone --source-object-distance 10 "
                  "--source-detector-distance 20 --detector-pixel 0.1");
    text = text_of(at, "fbp.yaml");
    assert_has(text, "\ngeometry: cone\n");
    assert_has(text, "\nalgorithm: fista\n");
    assert_has(text, "\nsource-object-distance: 10\n");
    assert_has(text, "\n#remove-stripe-method: ");
    assert_null(strstr(text, "margin: "));
    free(text);
}

/* The default is that of the algorithm, and a comment; the text tells the defaults of all. */
static void defaults_of_algorithms(void **state)
{
    static const struct {
        const char *given, *line;
    } of[] = {{"", "\n#iterations: 15\n"},
              {"--algorithm fista --iterations 30", "\niterations: 30\n"},
              {"--algorithm cg", "\n#iterations: 30\n"},
              {"--algorithm sirt", "\n#iterations: 30\n"},
              {"--algorithm mlem", "\n#iterations: 30\n"},
              {"--algorithm cg --iterations 10", "\niterations: 10\n"},
              {"--algorithm cg --iterations auto", "\niterations: auto\n"},
              {"--algorithm sirt --nonnegativity", "\nnonnegativity: yes\n"},
              {"--algorithm fista --nonnegativity no", "\nnonnegativity: no\n"}};
    const char *const at = *state;
    cli_works(at, "phantom -o scan.h5 --size 32 --angles 30 --slices 3");
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        cli_works(at, "init scan.h5 -o a.yaml --overwrite %s", of[i].given);
        char *text = text_of(at, "a.yaml");
        assert_has(text, of[i].line);
        assert_has(text, "\n# iterations, unless the algorithm has none; if not given: 15 of fista, ");
        assert_has(text, "80 by --projector toeplitz, 30 of others\n# (auto or ");
        if (!strstr(of[i].given, "nonnegativity")) assert_null(strstr(text, "nonnegativity"));
        free(text);
    }
    cli_works(at, "init scan.h5 -o a.yaml --overwrite --stages harden,zingers,air,stripes");
    char *text = text_of(at, "a.yaml");
    assert_has(text, "\nstages: \"harden,zingers,air,stripes\"\n");
    free(text);
}

/* A column that is half as sensitive as its neighbours. */
static uint16_t striped(uint64_t angle, uint64_t row, uint64_t column)
{
    return (uint16_t)((500 + (angle * 7 + row * 5 + column * 3) % 11) / (column == 20 ? 2 : 1));
}

/* What a sample of the scan asks for is told with its reason, and gives the same volume as the default. */
static void damages_are_told(void **state)
{
    const char *const at = *state;
    CliScan scan = cli_scan;
    scan.angles = scan.theta_count = 40;
    scan.columns = 128;
    scan.count = striped;
    cli_write_scan(at, "scan.h5", &scan);
    cli_works(at, "init scan.h5 -o scan.yaml --algorithm fbp");
    char *text = text_of(at, "scan.yaml");
    assert_has(text, "\n# This scan: columns of a sample differ from their neighbours by ");
    assert_has(text, "\n#remove-stripe-method: wiener\n");
    assert_has(text, "\n# This scan: the outermost columns have ");
    assert_has(text, "\n#padding-type: edges\n");
    free(text);
    cli_works(at, "init scan.h5 -o given.yaml --algorithm fbp --remove-stripe-method fw");
    text = text_of(at, "given.yaml");
    assert_has(text, "\nremove-stripe-method: fw\n");
    assert_null(strstr(text, "columns by more"));
    free(text);
    uncomment(at, "scan.yaml", "all.yaml");
    cli_works(at, "recon scan.h5 -o alone.h5 --algorithm fbp --rotation-axis 63.5 --pictures no --report none");
    cli_works(at, "recon --config all.yaml --rotation-axis 63.5 --pictures no --report none -o all.h5");
    float *alone = cli_read_volume(at, "alone.h5", 4, 128), *all = cli_read_volume(at, "all.h5", 4, 128);
    assert_memory_equal(all, alone, 4 * 128 * 128 * sizeof *all);
    free(alone);
    free(all);
}

/* What recon would refuse is a comment, so that it can be mended in the file. */
static void scans_that_lack_something(void **state)
{
    const char *const at = *state;
    char path[TESTING_PATH];
    const TestingTiff image = {.format = SAMPLEFORMAT_UINT, .bits = 16, .rows = 4, .columns = 16};
    assert_int_equal(mkdir(testing_path(path, at, "p"), 0700), 0);
    testing_tiff_write(testing_path(path, at, "p/p_1.tif"), &image);
    testing_tiff_write(testing_path(path, at, "p/p_2.tif"), &image);
    cli_works(at, "init p/ -o p.yaml");
    char *text = text_of(at, "p.yaml");
    assert_has(text, "\n# Recon refuses: 'p/' has no angles; needed: --theta ");
    if (strstr(text, "# Angles")) fail_msg("%s", text);
    assert_has(text, "\nfile-name: \"p/\"\nout: \"p_volume.h5\"\n");
    assert_has(text, "\n#theta: ANGLES\n");
    free(text);
    char *told = cli_output_of(at, "info p/");
    assert_has(told, "\nangles       none in the file; needed: --theta for 2 projections\n");
    free(told);
    cli_refuses(at, "none.h5 | No such file", "init none.h5 -o s.yaml");
    assert_false(cli_exists(at, "s.yaml"));
    cli_refuses(at, "init | no --out | init FILE --out FILE", "init p");
    cli_refuses(at, "init | input file | init FILE --out FILE", "init -o s.yaml");
    cli_refuses(at, "--iteration | --iterations", "init p -o s.yaml --iteration 4");
    cli_refuses(at, "init | --system-matrix | --geometry parallel | --geometry cone",
                "init p -o s.yaml --system-matrix m.mtx");
}

int cli_init_tests(void)
{
    const struct CMUnitTest tests[] = {CLI_TEST(round_trip), CLI_TEST(given_settings), CLI_TEST(defaults_of_algorithms),
                                       CLI_TEST(damages_are_told), CLI_TEST(scans_that_lack_something)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
