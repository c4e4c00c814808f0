/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, info: its output for good and odd scans, its help, and a stdout that cannot be written. */
#include "cli.h"
#include "testing_hdf5.h"

#include <math.h>

/* Standard output of a run that works; caller frees. */
static char *output_of(const char *directory, const char *line)
{
    CliRun run = {.directory = directory};
    cli_start(&run, "%s", line);
    cli_wait(&run);
    assert_string_equal(run.err, "");
    assert_int_equal(run.exit_code, cli_code_of_info(run.out));
    free(run.err);
    return run.out;
}

/* info of scan.h5, without the line that begins with "recon", which is about this machine's StarPU and cores. */
static void assert_info(const char *directory, const char *line, const char *expected)
{
    char *found = output_of(directory, line), *recon = strstr(found, "\nrecon        ");
    assert_non_null(recon);
    assert_non_null(strstr(recon, " with the default settings, at least "));
    assert_null(strstr(recon, "(ray lengths: 0 B)"));
    recon[1] = '\0';
    assert_string_equal(found, expected);
    free(found);
}

static void good_scans(void **state)
{
    const char *const at = *state;
    cli_write_scan(at, "scan.h5", &cli_scan);
    assert_info(
        at, "info scan.h5",
        "file         scan.h5\n"
        "kind         Data Exchange HDF5, uint16\n"
        "recognised   certain: it has the group /exchange\n"
        "shape        12 angles, 4 rows, 16 columns\n"
        "angles       12, 0.0000 to 165.0000 degrees, steps of 15.0000 to 15.0000\n"
        "counts       500 to 900, mean 600 (in 12 of 12 projections)\n"
        "flat         1000 to 1000, mean 1000 (2 images)\n"
        "dark         0 to 0, mean 0 (1 images)\n"
        "stage        correct: counts to line integrals; undefined values get weight 0, or are interpolated for "
        "fbp (mean of flat and dark fields, -ln)\n");
    const float values[2 * 3 * 4] = {0, 1, 2, -1}, theta[3] = {0, 1, 2};
    cli_write_bytes(at, "raw.bin", values, sizeof values);
    cli_write_bytes(at, "theta.bin", theta, sizeof theta);
    assert_info(
        at, "info raw.bin --theta theta.bin --columns 4",
        "file         raw.bin\n"
        "kind         raw sinograms, float32\n"
        "recognised   by your option: --columns is given\n"
        "shape        3 angles, 2 rows, 4 columns\n"
        "angles       3, 0.0000 to 114.5916 degrees, steps of 57.2958 to 57.2958\n"
        "values       -1 to 2, mean 0.0833333 (in 3 of 3 projections)\n"
        "stage        correct: counts to line integrals; undefined values get weight 0, or are interpolated for "
        "fbp (no flat fields)\n");
}

static void odd_scans(void **state)
{
    const char *const at = *state;
    const double theta[12] = {0, 15, 30, 30, 30, 75, 90, 105, 120, 135, 150, 165};
    CliScan scan = cli_scan;
    scan.theta = theta;
    scan.changed = 64;
    scan.changed_count = 65535;
    scan.darks = 0;
    cli_write_scan(at, "odd.h5", &scan);
    assert_info(
        at, "info odd.h5",
        "file         odd.h5\n"
        "kind         Data Exchange HDF5, uint16\n"
        "recognised   certain: it has the group /exchange\n"
        "shape        12 angles, 4 rows, 16 columns\n"
        "angles       12, 0.0000 to 165.0000 degrees, steps of 0.0000 to 45.0000\n"
        "warning      angles: 2 are repeated\n"
        "counts       500 to 65535, mean 6011.25 (in 12 of 12 projections)\n"
        "warning      counts: 64 values are saturated\n"
        "flat         1000 to 1000, mean 1000 (2 images)\n"
        "dark         none\n"
        "stage        correct: counts to line integrals; undefined values get weight 0, or are interpolated for "
        "fbp (mean of flat and dark fields, -ln)\n");
    scan = cli_scan;
    scan.flat_count = 0;
    scan.changed = 3;
    scan.theta_count = 0;
    cli_write_scan(at, "dark.h5", &scan);
    assert_info(
        at, "info dark.h5",
        "file         dark.h5\n"
        "kind         Data Exchange HDF5, uint16\n"
        "recognised   certain: it has the group /exchange\n"
        "shape        12 angles, 4 rows, 16 columns\n"
        "angles       12, 0.0000 to 180.0000 degrees, steps of 16.3636 to 16.3636 (assumed: the file has "
        "none)\n"
        "counts       0 to 900, mean 597.526 (in 12 of 12 projections)\n"
        "warning      counts: 3 values are zero\n"
        "flat         0 to 0, mean 0 (2 images)\n"
        "warning      flat: every value is zero or less\n"
        "warning      flat: 128 values are zero\n"
        "dark         0 to 0, mean 0 (1 images)\n"
        "refused      the flat fields have a mean of 0 in a sample of the rows, the dark fields 0; allowed: flat "
        "fields brighter than dark fields (if the two are swapped: --flats and --darks with the right images)\n"
        "stage        correct: counts to line integrals; undefined values get weight 0, or are interpolated for "
        "fbp (mean of flat and dark fields, -ln)\n");
    scan.flats = 0;
    cli_write_scan(at, "none.h5", &scan);
    char *found = output_of(at, "info none.h5");
    assert_non_null(strstr(found, "\nflat         none\n"));
    free(found);
}

/* The same as an object; --log json asks for it, too. */
static void json(void **state)
{
    static const char expected[] =
        "{\"file\": \"dark.h5\",\n \"format\": \"Data Exchange HDF5\",\n \"recognised\": {\"certainty\": \"certain\", "
        "\"evidence\": "
        "\"it has the group /exchange\"},\n \"stored_type\": \"uint16\",\n"
        " \"scan\": {\"angles\": 12, \"rows\": 4, \"columns\": 16},\n"
        " \"slice\": {\"side\": 16, \"margin\": 0, \"half_acquisition\": false},\n"
        " \"angles\": {\"least_degrees\": 0, \"most_degrees\": 180, \"least_step_degrees\": 16.36363636, "
        "\"most_step_degrees\": 16.36363636, \"repeated\": 0, \"assumed\": true, \"projections_in_file\": 12, "
        "\"averaged\": 1},\n"
        " \"geometry\": {\"kind\": \"parallel\"},\n \"data_are_counts\": true,\n"
        " \"data\": {\"images\": 12, \"images_read\": 12, \"least\": 0, \"most\": 900, \"mean\": 597.5260417, "
        "\"values\": 768, \"zero_values\": 3, \"saturated_values\": 0, \"not_finite_values\": 0},\n"
        " \"flat\": {\"images\": 2, \"images_read\": 2, \"least\": 0, \"most\": 0, \"mean\": 0, \"values\": 128, "
        "\"zero_values\": 128, \"saturated_values\": 0, \"not_finite_values\": 0},\n";
    CliScan scan = cli_scan;
    scan.flat_count = 0;
    scan.changed = 3;
    scan.theta_count = 0;
    cli_write_scan(*state, "dark.h5", &scan);
    char *found = output_of(*state, "info dark.h5 --json"), *other = output_of(*state, "info dark.h5 --log json");
    assert_memory_equal(found, expected, sizeof expected - 1);
    assert_non_null(strstr(
        found, " \"warnings\": [\"counts: 3 values are zero\", \"flat: every value is zero or less\", "
               "\"flat: 128 values are zero\"],\n \"refusals\": [\"the flat fields have a mean of 0 in a sample of the "
               "rows, the dark fields 0; allowed: flat fields brighter than dark fields"));
    assert_memory_equal(found, other, strlen(expected));
    free(other);
    char path[TESTING_PATH];
    cli_write_text(*state, "info.json", found);
    free(found);
    const int code = cli_tool("python3", "-mjson.tool", testing_path(path, *state, "info.json"));
    if (code != 127) assert_int_equal(code, 0);
}

/* The stages are those of the data that --data names. */
static void stages_by_data(void **state)
{
    static const char *const cases[][2] = {{"counts", "(mean of flat and dark fields, -ln)"},
                                           {"transmission", "(no flat fields, -ln)"},
                                           {"line-integrals", "(no flat fields)"}};
    cli_write_scan(*state, "scan.h5", &cli_scan);
    for (int i = 0; i < 3; i++) {
        char line[60];
        snprintf(line, sizeof line, "info scan.h5 --data %s", cases[i][0]);
        char *found = output_of(*state, line), *stage = strstr(found, "\nstage        correct: ");
        assert_non_null(stage);
        assert_non_null(strstr(stage, cases[i][1]));
        free(found);
    }
}

static void values_that_are_not_finite(void **state)
{
    const float values[8] = {0, NAN, 2, INFINITY, 1, 1, 1, 1}, theta[2] = {0, 1};
    cli_write_bytes(*state, "raw.bin", values, sizeof values);
    cli_write_bytes(*state, "theta.bin", theta, sizeof theta);
    assert_info(
        *state, "info raw.bin --theta theta.bin --columns 4 --max-repaired 0.25",
        "file         raw.bin\n"
        "kind         raw sinograms, float32\n"
        "recognised   by your option: --columns is given\n"
        "shape        2 angles, 1 rows, 4 columns\n"
        "angles       2, 0.0000 to 57.2958 degrees, steps of 57.2958 to 57.2958\n"
        "values       0 to 2, mean 1 (in 2 of 2 projections)\n"
        "warning      values: 2 values are not finite\n"
        "stage        correct: counts to line integrals; undefined values get weight 0, or are interpolated for "
        "fbp (no flat fields)\n");
}

static void help_and_version(void **state)
{
    char *help = output_of(*state, "--help"), *version = output_of(*state, "--version");
    assert_non_null(strstr(help, "Usage: sinodag VERB [options]\n"));
    assert_non_null(strstr(help, "Exit codes: 0 done, 1 failed, 2 input or settings that cannot be honoured.\n"));
    assert_memory_equal(version, "sinodag ", 8);
    assert_true(strchr(version, '\n') && !strchr(version, '\n')[1]);
    const char *const verb[] = {"recon", "phantom", "info", "demo", "bench", "plan"};
    for (int i = 0; i < 6; i++) {
        char line[40];
        assert_non_null(strstr(help, verb[i]));
        snprintf(line, sizeof line, "%s --help", verb[i]);
        char *of_verb = output_of(*state, line);
        assert_non_null(strstr(of_verb, "Usage: sinodag "));
        assert_non_null(strstr(of_verb, "--config FILE"));
        snprintf(line, sizeof line, "%s --help all", verb[i]);
        char *all = output_of(*state, line);
        assert_non_null(strstr(all, "--config FILE"));
        assert_true(strlen(all) > 2 * strlen(of_verb));
        free(all);
        free(of_verb);
    }
    free(help);
    free(version);
}

/* On a full disk, and when nobody has opened it. */
static void stdout_that_takes_nothing(void **state)
{
    const char *const line[] = {"info scan.h5", "--help", "--version", "recon --help"};
    cli_write_scan(*state, "scan.h5", &cli_scan);
    for (int i = 0; i < 4; i++) {
        CliRun full = {.directory = *state, .stdout_path = "/dev/full"};
        cli_start(&full, "%s", line[i]);
        cli_wait(&full);
        cli_assert_ended(&full, 1, "stdout cannot be written");
        CliRun closed = {.directory = *state, .stdout_closed = true};
        cli_start(&closed, "%s", line[i]);
        cli_wait(&closed);
        cli_assert_ended(&closed, 1, "stdout cannot be written");
    }
}

/* A file opened in the place of stderr would have the log written over its first bytes. */
static void stderr_closed(void **state)
{
    CliRun run = {.directory = *state, .stderr_closed = true, .stdout_closed = true};
    cli_write_scan(*state, "scan.h5", &cli_scan);
    cli_start(&run, "recon scan.h5 -o out.h5 --rotation-axis 7.5 --algorithm cg --iterations 3");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    cli_works(*state, "recon scan.h5 -o open.h5 --rotation-axis 7.5 --algorithm cg --iterations 3");
    float *closed = cli_read_volume(*state, "out.h5", 4, 16), *open = cli_read_volume(*state, "open.h5", 4, 16);
    assert_memory_equal(closed, open, 4 * 16 * 16 * sizeof *open);
    free(closed);
    free(open);
    cli_free(&run);
}

/* The memory of a cone beam by the algorithm that recon takes, if its lengths are known. */
static void memory_of_a_cone_beam(void **state)
{
    cli_works(*state, "phantom --geometry cone -o cone.h5 --size 64 --angles 64 --slices 64");
    char *found = output_of(*state, "info cone.h5 --geometry cone");
    assert_non_null(strstr(found, "\nrecon        "));
    assert_non_null(strstr(found, " MiB with --algorithm fista, at least "));
    assert_non_null(strstr(found, " MiB with --algorithm fdk\n"));
    free(found);
    found = output_of(*state, "info cone.h5 --geometry cone --json");
    assert_true(cli_number_after(found, "\"least\": ", NULL) < cli_number_after(found, "\"least_fista\": ", NULL));
    assert_true(cli_number_after(found, "\"least_fista\": ", NULL) < cli_number_after(found, "\"usual\": ", NULL));
    assert_null(strstr(found, "\"operator\""));
    assert_null(strstr(found, "\"voxels\""));
    free(found);
    found = output_of(*state, "info cone.h5 --geometry cone --volume 500x500x500 --voxel-size 0.017");
    assert_non_null(strstr(found, " with --algorithm fdk, at least "));
    assert_non_null(strstr(found, " (voxels: 488 MiB, passes: 1)\n"));
    assert_non_null(strstr(found, " MiB with --algorithm cg\n"));
    free(found);
    static const char short_arc[] = "info cone.h5 --geometry cone --rotation-axis 31.5 --exclude 16:64"; /* for fdk */
    found = output_of(*state, short_arc);
    assert_null(strstr(found, "\nrefused      "));
    assert_non_null(strstr(found, " MiB with --algorithm fista, at least "));
    assert_null(strstr(found, " MiB with --algorithm fdk\n"));
    free(found);
    cli_write_scan(*state, "scan.h5", &cli_scan);
    found = output_of(*state, "info scan.h5 --geometry cone");
    assert_non_null(strstr(found, "\nrefused      "));
    assert_null(strstr(found, "\nrecon        "));
    free(found);
}

static const char small_matrix[] =
    "%%MatrixMarket matrix coordinate real general\n3 4 5\n1 1 1\n1 2 2\n2 3 1\n3 4 1\n3 1 0.5\n";

/* Adds the group /A with a matrix of 2 rows and 3 columns to an HDF5 file, as AnnData writes it. */
static void add_matrix(const char *directory, const char *name)
{
    static const int64_t pointer[] = {0, 2, 3}, column[] = {0, 2, 1}, shape[] = {2, 3};
    static const double value[] = {1, 0.5, 2};
    static const char encoding[] = "csr_matrix";
    char path[TESTING_PATH];
    const hid_t file = H5Fopen(testing_path(path, directory, name), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t group = H5Gcreate2(file, "/A", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const TestingDataset datasets[] = {{.name = "indptr", H5T_NATIVE_INT64, H5T_NATIVE_INT64, 1, {3}, pointer, 0},
                                       {.name = "indices", H5T_NATIVE_INT64, H5T_NATIVE_INT64, 1, {3}, column, 0},
                                       {.name = "data", H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, 1, {3}, value, 0},
                                       {.name = "shape", H5T_NATIVE_INT64, H5T_NATIVE_INT64, 1, {2}, shape, 0}};
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    assert_true(file >= 0 && group >= 0 && H5Tset_size(type, strlen(encoding)) >= 0);
    for (size_t i = 0; i < sizeof datasets / sizeof *datasets; i++) testing_hdf5_dataset(group, &datasets[i]);
    const hid_t attribute = H5Acreate2(group, "encoding-type", type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(attribute >= 0 && H5Awrite(attribute, type, encoding) >= 0);
    assert_true(H5Aclose(attribute) >= 0 && H5Tclose(type) >= 0 && H5Sclose(space) >= 0 && H5Gclose(group) >= 0);
    testing_hdf5_close(file);
}

static void assert_output(const char *directory, const char *line, const char *expected)
{
    char *found = output_of(directory, line);
    assert_string_equal(found, expected);
    free(found);
}

/* The content decides, not the name; of a file that has both, the scan comes first. */
static void system_matrices(void **state)
{
    static const char in_hdf5[] = "kind         system matrix, HDF5\n"
                                  "shape        2 rows, 3 columns, 3 entries, 1.5 a row\n"
                                  "volume       not known; recon takes --volume XxYxZ\n";
    const char *const at = *state;
    char text[200];
    cli_write_text(at, "m.tif", small_matrix);
    assert_output(at, "info m.tif",
                  "file         m.tif\n"
                  "kind         system matrix, Matrix Market\n"
                  "shape        3 rows, 4 columns, 5 entries, 1.667 a row\n"
                  "volume       not known; recon takes --volume XxYxZ\n");
    assert_output(
        at, "info m.tif --json",
        "{\"matrix\": {\"file\": \"m.tif\", \"format\": \"Matrix Market\", \"rows\": 3, \"columns\": 4, "
        "\"entries\": 5, \"crystals\": null, \"mirrors\": \"\", \"voxels\": {\"x\": null, \"y\": null, \"z\": null}, "
        "\"voxel_mm\": {\"x\": null, \"y\": null, \"z\": null}}}\n");
    cli_works(at, "phantom --geometry pet --crystals 12x3x2 --rays 2 --volume 16x14x6 --voxel-size 0.6 -o p");
    char *found = output_of(at, "info p");
    assert_non_null(strstr(found, "\nrows         pairs of 72 crystals\n"
                                  "volume       16 x 14 x 6 voxels of 0.6 x 0.6 x 0.6 mm\n"));
    free(found);
    cli_write_scan(at, "scan.h5", &cli_scan);
    add_matrix(at, "scan.h5");
    found = output_of(at, "info scan.h5");
    assert_non_null(strstr(found, "\nkind         Data Exchange HDF5, uint16\n"));
    free(found);
    snprintf(text, sizeof text, "file         scan.h5:/A\n%s", in_hdf5);
    assert_output(at, "info scan.h5:/A", text);
    char path[TESTING_PATH];
    testing_hdf5_close(testing_hdf5_create(testing_path(path, at, "alone.h5")));
    add_matrix(at, "alone.h5");
    snprintf(text, sizeof text, "file         alone.h5\n%s", in_hdf5);
    assert_output(at, "info alone.h5", text);
}

/* The refusal is that of the kind of file that it is. */
static void files_that_are_neither(void **state)
{
    const char *const at = *state;
    CliRun run = {.directory = at};
    cli_write_text(at, "cut.mtx", "%%MatrixMarket matrix coordinate real general\n3\n");
    cli_start(&run, "info cut.mtx");
    cli_wait(&run);
    assert_true(run.exit_code == 2 && strstr(run.err, "cut.mtx") && !strstr(run.err, "Data Exchange"));
    cli_free(&run);
    cli_write_text(at, "text", "none\n");
    cli_start(&run, "info text");
    cli_wait(&run);
    assert_true(run.exit_code == 2 && strstr(run.err, "text is of no known format; allowed: HDF5"));
    cli_free(&run);
    cli_refuses(at, "none | No such file", "info none");
    cli_write_scan(at, "scan.h5", &cli_scan);
    cli_start(&run, "info scan.h5:/B");
    cli_wait(&run);
    assert_true(run.exit_code == 2 && strstr(run.err, "/B"));
    cli_free(&run);
}

static void counts_with_their_matrix(void **state)
{
    static const char line[] = "info counts --system-matrix m.mtx";
    static const char matrix[] = "matrix       m.mtx\n"
                                 "kind         system matrix, Matrix Market\n"
                                 "shape        3 rows, 4 columns, 5 entries, 1.667 a row\n"
                                 "volume       not known; recon takes --volume XxYxZ\n";
    const int32_t good[6] = {1, 0, 5, 0, 0, 7};
    const float bad[3] = {1, -2.5f, 2};
    const char *const at = *state;
    char text[600];
    cli_write_text(at, "m.mtx", small_matrix);
    cli_write_bytes(at, "counts", good, sizeof good);
    snprintf(text, sizeof text,
             "file         counts\n"
             "kind         counts, raw values, int32, 2 sets\n"
             "counts       0 to 5, 6 in all, in 2 of 3 rows (set 1 of 2)\n"
             "counts       0 to 7, 7 in all, in 1 of 3 rows (set 2 of 2)\n%s",
             matrix);
    assert_info(at, line, text);
    char *found = output_of(at, "info counts --system-matrix m.mtx --json");
    assert_non_null(strstr(found, "\"counts\": [{\"least\": 0, \"most\": 5, \"sum\": 6, \"rows\": 2}, {"));
    assert_true(cli_number_after(found, "\"usual\": ", NULL) >= cli_number_after(found, "\"least\": ", NULL));
    assert_non_null(strstr(found, "\"refusals\": []"));
    free(found);
    cli_write_bytes(at, "counts", bad, sizeof bad);
    found = output_of(at, line);
    assert_non_null(strstr(found, "\nrefused      counts"));
    assert_null(strstr(found, "\ncounts "));
    free(found);
    cli_write_text(at, "events", "0\n2\n2\n2\n");
    found = output_of(at, "info events --system-matrix m.mtx");
    assert_non_null(strstr(found, ", 1 set of events\ncounts       0 to 3, 4 in all, in 2 of 3 rows\n"));
    free(found);
    CliRun run = {.directory = at};
    cli_write_bytes(at, "counts", good, 2 * sizeof *good);
    cli_start(&run, "%s", line);
    cli_wait(&run);
    assert_true(run.exit_code == 2 && strstr(run.err, "counts"));
    cli_free(&run);
}

int cli_info_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(good_scans),
        CLI_TEST(odd_scans),
        CLI_TEST(json),
        CLI_TEST(memory_of_a_cone_beam),
        CLI_TEST(system_matrices),
        CLI_TEST(files_that_are_neither),
        CLI_TEST(counts_with_their_matrix),
        CLI_TEST(stages_by_data),
        CLI_TEST(values_that_are_not_finite),
        CLI_TEST(help_and_version),
        CLI_TEST(stdout_that_takes_nothing),
        CLI_TEST(stderr_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
