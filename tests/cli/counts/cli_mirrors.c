/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, mirrors: a csr4 matrix that leaves out mirrored entries gives the same images folded and unfolded, with
 * every solver and all that goes with a matrix, by any workers, from memory and from the cache. */
#include "cli.h"

#include "testing_mirror.h"

enum { PAIRS = TESTING_MIRROR_CRYSTALS * TESTING_MIRROR_CRYSTALS, IMAGE = TESTING_MIRROR_VOXELS, SETS = 5 };

#define RECON "recon counts --system-matrix part.csr4 --overwrite --pictures no --report none "

/* Writes part.csr4 with these flags, all.csr4 without, and counts of some sets. */
static void write_matrices(const char *at, int flags, int sets)
{
    static double dense[PAIRS * IMAGE];
    static int32_t counts[SETS * PAIRS];
    TestingScanner about = testing_mirror_scanner;
    TestingMatrix all = {.row_count = PAIRS, .column_count = IMAGE};
    char path[TESTING_PATH];
    uint64_t seed = 8;
    memset(dense, 0, sizeof dense);
    testing_fill_orbits(flags, 1500, dense);
    all.entry = calloc(20000, sizeof *all.entry);
    assert_non_null(all.entry);
    for (int64_t i = 0; i < PAIRS * IMAGE; i++)
        if (dense[i] > 0) all.entry[all.count++] = (TestingEntry){i / IMAGE, i % IMAGE, dense[i]};
    TestingMatrix part = testing_fold(flags, dense, flags % 2 == 0);
    about.flags = flags;
    testing_csr4(testing_path(path, at, "part.csr4"), &about, &part);
    testing_csr4(testing_path(path, at, "all.csr4"), &testing_mirror_scanner, &all);
    for (int i = 0; i < sets * PAIRS; i++) counts[i] = (int32_t)(testing_random(&seed) % 30);
    cli_write_bytes(at, "counts", counts, sizeof *counts * (size_t)(sets * PAIRS));
    free(all.entry);
    free(part.entry);
}

/* Runs a reconstruction; returns what it says. */
static char *runs(const char *at, const char *out, const char *words)
{
    CliRun run = {.directory = at};
    cli_start(&run, RECON "-o %s %s", out, words);
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("%s: exit code %d\n%s", words, run.exit_code, run.err);
    char *said = strdup(run.err);
    assert_non_null(said);
    cli_free(&run);
    return said;
}

static double *images_of(const char *at, const char *name, int sets)
{
    const int64_t size[] = {sets, 3, 4, 5};
    return sets > 1 ? cli_read_doubles(at, name, "/exchange/data", 4, size)
                    : cli_read_doubles(at, name, "/exchange/data", 3, size + 1);
}

static void assert_near(const char *at, const char *first, const char *second, int sets, double bound,
                        const char *words)
{
    double off = 0, norm = 0;
    double *found = images_of(at, first, sets), *wanted = images_of(at, second, sets);
    for (int i = 0; i < sets * IMAGE; i++) {
        off += (found[i] - wanted[i]) * (found[i] - wanted[i]);
        norm += wanted[i] * wanted[i];
    }
    assert_true(norm > 0);
    if (!(sqrt(off / norm) <= bound)) fail_msg("%s: the images differ by %g", words, sqrt(off / norm));
    free(found);
    free(wanted);
}

/* Folded and unfolded images of a run with these words. */
static void assert_same(const char *at, int sets, double bound, const char *words)
{
    char line[400];
    snprintf(line, sizeof line, "%s --mirrors folded", words);
    char *said = runs(at, "folded.h5", line);
    assert_non_null(strstr(said, "orientations of the image"));
    free(said);
    snprintf(line, sizeof line, "%s --mirrors unfolded", words);
    said = runs(at, "unfolded.h5", line);
    assert_null(strstr(said, "orientations of the image"));
    free(said);
    assert_near(at, "folded.h5", "unfolded.h5", sets, bound, words);
}

static void every_solver_folds(void **state)
{
    static const char *const ways[] = {"--iterations 20", "--iterations 20 --precision mixed",
                                       "--algorithm osem --subsets 5 --iterations 4", "--algorithm cg --iterations 5",
                                       "--algorithm sirt --iterations 20"};
    const char *const at = *state;
    for (int flags = 1; flags < SINO_MIRRORS; flags++) {
        write_matrices(at, flags, 1);
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) assert_same(at, 1, i == 1 ? 2e-4 : 2e-5, ways[i]);
        cli_works(at, "recon counts --system-matrix all.csr4 -o all.h5 --overwrite --iterations 20");
        free(runs(at, "folded.h5", "--iterations 20"));
        assert_near(at, "folded.h5", "all.h5", 1, 1e-5, "the matrix without flags");
    }
}

static void write_reals(const char *at, const char *name, int count, uint64_t seed, int zeros)
{
    static float values[PAIRS];
    for (int i = 0; i < count; i++)
        values[i] = zeros > 0 && testing_random(&seed) % (unsigned)zeros == 0
                        ? 0
                        : (float)(testing_random(&seed) % 64 + 1) / 32;
    cli_write_bytes(at, name, values, sizeof *values * (size_t)count);
}

/* Every file that may go with a matrix, and sets that are solved together, or fewer at a time than there are. */
static void the_whole_model_folds(void **state)
{
    static const char files[] = "--multiplicative n --additive r --mask mask --start start --sensitivity s";
    const char *const at = *state;
    char line[300];
    write_reals(at, "n", PAIRS, 1, 10);
    write_reals(at, "r", PAIRS, 2, 3);
    write_reals(at, "mask", IMAGE, 3, 4);
    write_reals(at, "start", IMAGE, 4, 0);
    write_reals(at, "s", IMAGE, 5, 0);
    for (int sets = 1; sets <= SETS; sets += SETS - 1) {
        write_matrices(at, 7, sets);
        snprintf(line, sizeof line, "--iterations 6 %s", files);
        assert_same(at, sets, 2e-5, line);
        assert_same(at, sets, 2e-5, "--algorithm osem --subsets 3 --iterations 3 --multiplicative n --additive r");
        assert_same(at, sets, 2e-5, "--algorithm cg --iterations 4 --multiplicative n --mask mask");
        assert_same(at, sets, 2e-5, "--algorithm sirt --iterations 6 --multiplicative n --additive r");
    }
}

static void assert_same_bits(const char *at, const char *words, int sets)
{
    free(runs(at, "other.h5", words));
    double *found = images_of(at, "other.h5", sets), *wanted = images_of(at, "folded.h5", sets);
    if (memcmp(found, wanted, sizeof *found * (size_t)(sets * IMAGE)) != 0) fail_msg("other bits with %s", words);
    free(found);
    free(wanted);
}

/* By any workers and policies, from the cache, and from windows of it. */
static void bits_do_not_change(void **state)
{
    const char *const at = *state;
    write_matrices(at, 7, 1);
    free(runs(at, "folded.h5", "--iterations 6"));
    assert_same_bits(at, "--iterations 6 --workers 1", 1);
    assert_same_bits(at, "--iterations 6 --workers 2 --scheduler eager", 1);
    assert_same_bits(at, "--iterations 6 --operator-cache cache", 1);
    char *said = runs(at, "other.h5", "--iterations 6 --operator-cache cache --mirrors folded");
    assert_non_null(strstr(said, "matrix: read from cache/"));
    assert_non_null(strstr(said, "8 orientations of the image"));
    free(said);
    assert_same_bits(at, "--iterations 6 --operator-cache cache", 1);
    said = runs(at, "other.h5", "--iterations 6 --operator-cache cache --mirrors unfolded");
    assert_null(strstr(said, "read from"));
    free(said);
}

/* A file that stores different values of an entry and its image is unfolded, unless it must be folded. */
static void other_matrices_are_unfolded(void **state)
{
    const char *const at = *state;
    char path[TESTING_PATH];
    const int64_t row = 2 * TESTING_MIRROR_CRYSTALS + 17;
    TestingEntry entry[] = {{row, 6, 1}, {testing_image_row(1, row), testing_image_voxel(1, 6), 2}};
    TestingMatrix matrix = {PAIRS, IMAGE, 2, entry};
    TestingScanner about = testing_mirror_scanner;
    write_matrices(at, 1, 1);
    about.flags = 1;
    testing_csr4(testing_path(path, at, "part.csr4"), &about, &matrix);
    char *said = runs(at, "one.h5", "--iterations 2");
    assert_null(strstr(said, "orientations of the image"));
    free(said);
    cli_refuses(at, "part.csr4 | row 21, column 8 | mirror | --mirrors unfolded", RECON "-o two.h5 --mirrors folded");
    cli_refuses(at, "mirrors | folded | all.csr4 | auto or unfolded",
                "recon counts --system-matrix all.csr4 -o two.h5 --mirrors folded");
    cli_refuses(at, "--mirrors | 'yes' | auto | unfolded", RECON "-o two.h5 --mirrors yes");
}

/* info tells the mirrors of a file; a plan what is folded. */
static void mirrors_are_told(void **state)
{
    const char *const at = *state;
    CliRun run = {.directory = at};
    write_matrices(at, 5, 1);
    cli_start(&run, "info part.csr4");
    cli_wait(&run);
    assert_non_null(strstr(run.out, "mirrors      x, z: the file leaves out entries that they give\n"));
    cli_free(&run);
    cli_start(&run, "info part.csr4 --json");
    cli_wait(&run);
    assert_non_null(strstr(run.out, "\"mirrors\": \"x, z\""));
    cli_free(&run);
    cli_start(&run, "plan counts --system-matrix part.csr4");
    cli_wait(&run);
    assert_non_null(strstr(run.out, "folded       each nonzero stands for 4 mirrored images, "));
    cli_free(&run);
    cli_start(&run, "plan counts --system-matrix part.csr4 --json --mirrors unfolded");
    cli_wait(&run);
    assert_non_null(strstr(run.out, "\"orientations\": 1"));
    cli_free(&run);
}

/* The phantom's matrix without mirrored entries: an eighth of the file, whose counts are those of its whole matrix. */
static void phantoms_are_folded(void **state)
{
    enum { CRYSTALS = 12 * 3 * 2, ROWS = CRYSTALS * CRYSTALS, VOXELS = 16 * 14 * 6, TOTAL = 300000 };
    static const int64_t size[] = {6, 14, 16};
    const char *const at = *state;
    char path[TESTING_PATH];
    SinoMatrixFile *file = NULL;
    SinoRowBuffer buffer = {.row_room = 0};
    double sum = 0, squares = 0;
    int lines = 0;
    cli_works(at, "phantom --geometry pet --crystals 12x3x2 --rays 4 --volume 16x14x6 --voxel-size 0.6 -o part.csr4 "
                  "--counts 300000 --background 0.25 --mirrors folded");
    cli_works(at, "phantom --geometry pet --crystals 12x3x2 --rays 4 --volume 16x14x6 --voxel-size 0.6 -o all.csr4");
    const int64_t rest = ROWS * 8; /* ends of rows */
    assert_true(cli_file_size(at, "part.csr4") - rest < (cli_file_size(at, "all.csr4") - rest) / 5);
    double *truth = cli_read_doubles(at, "part.truth.h5", "/exchange/data", 3, size);
    int32_t *counts = cli_read_bytes(at, "part.counts", ROWS * 4);
    float *additive = cli_read_bytes(at, "part.additive", ROWS * 4);
    assert_success(sino_matrix_open(testing_path(path, at, "part.csr4"), &file));
    assert_int_equal(sino_matrix_outline(file)->mirrors, 7);
    assert_success(sino_matrix_read(file, 0, ROWS, &buffer));
    for (int row = 0; row < ROWS; row++) {
        double seen = 0;
        for (int64_t k = buffer.rows.start[row]; k < buffer.rows.start[row + 1]; k++)
            seen += (double)buffer.rows.value[k] * truth[buffer.rows.column[k]];
        const double mean = seen + (double)additive[row];
        assert_true(mean > 0 || counts[row] == 0);
        if (mean == 0) continue;
        sum += mean;
        squares += (counts[row] - mean) * (counts[row] - mean) / mean;
        lines++;
    }
    assert_true(fabs(sum / TOTAL - 1) < 1e-5);
    assert_true(lines > 500 && fabs(squares / lines - 1) < 5 * sqrt(2.0 / lines));
    sino_row_buffer_free(&buffer);
    sino_matrix_close(file);
    free(truth);
    free(counts);
    free(additive);
    cli_works(at, "phantom --geometry pet --crystals 5x4x2 --rays 2 -o odd.csr4 --mirrors folded --overwrite");
    assert_success(sino_matrix_open(testing_path(path, at, "odd.csr4"), &file));
    assert_int_equal(sino_matrix_outline(file)->mirrors, SINO_MIRROR_X | SINO_MIRROR_Z);
    sino_matrix_close(file);
    cli_works(at, "recon odd.counts --system-matrix odd.csr4 -o odd.h5 --mirrors folded --iterations 3");
}

/* The demo's matrix is folded, and kept for later runs. */
static void demos_keep_a_folded_matrix(void **state)
{
    const char *const at = *state;
    CliRun run = {.directory = at};
    cli_start(&run, "demo --geometry pet --out DIR --mirrors folded --operator-cache cache --crystals 12x3x2 --rays 4 "
                    "--counts 100000");
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("%s", run.err);
    assert_non_null(strstr(run.err, "matrix: kept in cache/"));
    assert_non_null(strstr(run.err, "8 orientations of the image"));
    cli_free(&run);
    cli_start(&run, "recon DIR/scan.counts --system-matrix DIR/scan.csr4 -o again.h5 --operator-cache cache "
                    "--algorithm osem --iterations 2");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    assert_non_null(strstr(run.err, "matrix: read from cache/"));
    cli_free(&run);
}

int cli_mirrors_tests(void)
{
    const struct CMUnitTest tests[] = {CLI_TEST(every_solver_folds),        CLI_TEST(the_whole_model_folds),
                                       CLI_TEST(bits_do_not_change),        CLI_TEST(other_matrices_are_unfolded),
                                       CLI_TEST(mirrors_are_told),          CLI_TEST(phantoms_are_folded),
                                       CLI_TEST(demos_keep_a_folded_matrix)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
