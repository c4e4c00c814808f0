/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, PET: the matrix, counts and truth that phantom writes, and what is refused. */
#include "cli.h"

#include <math.h>

#define SMALL "phantom --geometry pet --crystals 12x3x2 --rays 4 --volume 16x14x6 --voxel-size 0.6"

enum { CRYSTALS = 12 * 3 * 2, ROWS = CRYSTALS * CRYSTALS, VOXELS = 16 * 14 * 6 };

/* mean[row] = Σ value · truth, from the bytes of a csr4 file on a little-endian machine. */
static void project(const char *directory, const char *name, const float *truth, double mean[ROWS])
{
    const size_t bytes = (size_t)cli_file_size(directory, name);
    unsigned char *file = cli_read_bytes(directory, name, bytes);
    uint32_t rows, columns, scanner_bytes;
    uint64_t entries, end, at = 0;
    memcpy(&rows, file + 8, 4);
    memcpy(&columns, file + 12, 4);
    memcpy(&entries, file + 16, 8);
    memcpy(&scanner_bytes, file + 24, 4);
    assert_int_equal(rows, ROWS);
    assert_int_equal(columns, VOXELS);
    assert_int_equal(bytes, 28 + scanner_bytes + 8 * (ROWS + entries));
    for (int row = 0; row < ROWS; row++) {
        memcpy(&end, file + 28 + scanner_bytes + 8 * row, 8);
        for (mean[row] = 0; at < end; at++) {
            uint32_t column;
            float value;
            memcpy(&column, file + 28 + scanner_bytes + 8 * (ROWS + at), 4);
            memcpy(&value, file + 32 + scanner_bytes + 8 * (ROWS + at), 4);
            assert_true(column < VOXELS && value > 0);
            mean[row] += (double)value * (double)truth[column];
        }
    }
    free(file);
}

static float *read_truth(const char *directory, const char *name)
{
    static const int64_t size[] = {6, 14, 16};
    double *values = cli_read_doubles(directory, name, "/exchange/data", 3, size);
    float *truth = malloc(VOXELS * sizeof *truth);
    assert_non_null(truth);
    for (int i = 0; i < VOXELS; i++) truth[i] = (float)values[i];
    free(values);
    return truth;
}

/* Counts are Poisson deviates whose means are those of the matrix, the truth and the additive terms. */
static void files_belong_together(void **state)
{
    enum { TOTAL = 300000 };
    static double mean[ROWS];
    const char *const at = *state;
    double sum = 0, terms = 0, squares = 0;
    int lines = 0;
    cli_works(at, SMALL " -o mouse.csr4 --counts %d --background 0.25", TOTAL);
    assert_names(at, "mouse.additive mouse.counts mouse.csr4 mouse.truth.h5");
    float *truth = read_truth(at, "mouse.truth.h5");
    project(at, "mouse.csr4", truth, mean);
    int32_t *counts = cli_read_bytes(at, "mouse.counts", ROWS * 4);
    float *additive = cli_read_bytes(at, "mouse.additive", ROWS * 4);
    for (int row = 0; row < ROWS; row++) {
        const double expected = mean[row] + (double)additive[row];
        sum += mean[row];
        terms += (double)additive[row];
        assert_true(expected > 0 ? counts[row] >= 0 : counts[row] == 0);
        if (expected == 0) continue;
        squares += (counts[row] - expected) * (counts[row] - expected) / expected;
        lines++;
    }
    assert_true(fabs(sum / (0.75 * TOTAL) - 1) < 1e-5 && fabs(terms / (0.25 * TOTAL) - 1) < 1e-5);
    assert_true(lines > 500 && fabs(squares / lines - 1) < 5 * sqrt(2.0 / lines));
    free(truth);
    free(counts);
    free(additive);
}

static void runs_are_repeatable(void **state)
{
    const char *const at = *state;
    CliRun alone = {.directory = at, .environment = "STARPU_NCPU=1"};
    cli_works(at, SMALL " -o a.csr4 --seed 5");
    cli_start(&alone, SMALL " -o b --seed 5 --truth t.h5");
    cli_wait(&alone);
    assert_int_equal(alone.exit_code, 0);
    cli_free(&alone);
    cli_works(at, SMALL " -o c --seed 6");
    assert_names(at, "a.counts a.csr4 a.truth.h5 b b.counts c c.counts c.truth.h5 t.h5");
    assert_int_equal(cli_file_size(at, "a.counts"), ROWS * 4);
    assert_true(cli_same_files(at, "a.csr4", "b") && cli_same_files(at, "a.csr4", "c"));
    assert_true(cli_same_files(at, "a.counts", "b.counts") && !cli_same_files(at, "a.counts", "c.counts"));
    float *truth = read_truth(at, "a.truth.h5"), *named = read_truth(at, "t.h5");
    assert_memory_equal(truth, named, VOXELS * sizeof *truth);
    free(truth);
    free(named);
}

/* The first set is that of a run with one; the others differ. */
static void replicates_differ_in_noise(void **state)
{
    const char *const at = *state;
    double sum[3] = {0};
    int different = 0;
    cli_works(at, SMALL " -o a --counts 100000");
    cli_works(at, SMALL " -o b --counts 100000 --replicates 3 --background 0.1");
    cli_works(at, SMALL " -o c --counts 100000 --replicates 3");
    unsigned char *one = cli_read_bytes(at, "a.counts", ROWS * 4),
                  *three = cli_read_bytes(at, "c.counts", 3 * ROWS * 4);
    assert_memory_equal(one, three, ROWS * 4);
    for (int i = 0; i < 3 * ROWS; i++) {
        int32_t count, first;
        memcpy(&count, three + 4 * i, 4);
        memcpy(&first, three + 4 * (i % ROWS), 4);
        sum[i / ROWS] += count;
        different += count != first;
    }
    for (int set = 0; set < 3; set++) assert_true(fabs(sum[set] - 100000) < 5 * sqrt(100000));
    assert_true(different > ROWS / 8);
    assert_int_equal(cli_file_size(at, "b.counts"), 3 * ROWS * 4);
    assert_int_equal(cli_file_size(at, "b.additive"), ROWS * 4);
    free(one);
    free(three);
}

static void scanners_are_refused(void **state)
{
    const char *const at = *state;
    cli_refuses(at, "--crystals | '24x4' | 24x4x4 | 1 to 65535", "phantom -o m --geometry pet --crystals 24x4");
    cli_refuses(at, "--crystals | 3x4x4 | 4", "phantom -o m --geometry pet --crystals 3x4x4");
    cli_refuses(at, "--crystals | 1000x100x1 | 100000 crystals | 65535",
                "phantom -o m --geometry pet --crystals 1000x100x1");
    cli_refuses(at, "--volume | 9x9 | auto | 40x40x10", "phantom -o m --geometry pet --volume 9x9");
    cli_refuses(at, "60 × 40 voxels | 1 mm | 36.0555 mm | 34.9405 mm", "phantom -o m --geometry pet --volume 60x40x4");
    cli_refuses(at, "--noise | --geometry pet | --geometry parallel | fan", "phantom -o m --geometry pet --noise 0");
    cli_refuses(at, "--counts | --geometry parallel | --geometry pet", "phantom -o m --counts 10");
    cli_refuses(at, "--geometry | 'pet' | parallel | matrix", "recon scan.h5 -o m.h5 --geometry pet");
}

static void existing_files_stay(void **state)
{
    const char *const at = *state;
    CliRun run = {.directory = at};
    cli_write_text(at, "m.counts", "mine");
    cli_start(&run, SMALL " -o m.csr4");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    assert_non_null(strstr(run.err, "m.counts"));
    cli_free(&run);
    assert_names(at, "m.counts");
    assert_int_equal(cli_file_size(at, "m.counts"), 4);
    cli_works(at, SMALL " -o m.csr4 --overwrite");
    assert_int_equal(cli_file_size(at, "m.counts"), ROWS * 4);
    cli_start(&run, SMALL " -o n --truth n.counts");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    cli_free(&run);
    assert_names(at, "m.counts m.csr4 m.truth.h5");
}

/* A disk that has no room for the matrix: nothing is left. */
static void full_disks_leave_nothing(void **state)
{
    const char *const at = *state;
    CliRun run = {.directory = at, .file_bytes_max = 100000};
    cli_start(&run, SMALL " -o m.csr4 --background 0.1");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 1);
    assert_non_null(strstr(run.err, "m.csr4"));
    cli_free(&run);
    assert_names(at, "");
}

/* The counts of a scanner become an image like the truth, in which spheres have the contrast they have there. */
static void demo_of_a_scanner(void **state)
{
    static const char *const algorithm[] = {"osem", "mlem --background 0.2"};
    for (int i = 0; i < 2; i++) {
        const char *rest;
        CliRun run = {.directory = *state};
        cli_start(&run, "demo --geometry pet --out DIR --overwrite --algorithm %s", algorithm[i]);
        cli_wait(&run);
        assert_int_equal(run.exit_code, 0);
        const double error =
            cli_number_after(run.err, "relative L2 error against the true volume DIR/truth.h5: ", &rest);
        assert_true(error > 1 && error < 30);
        assert_true(cli_number_after(rest, "correlation ", &rest) > 0.93);
        for (int k = 0; k < 4; k++) {
            const double contrast = cli_number_after(rest, " mm: ", &rest);
            assert_true(fabs(contrast - 4) < 0.6);
        }
        const double cold = cli_number_after(rest, " mm: ", &rest);
        assert_true(cold >= 0 && cold < 0.5);
        cli_free(&run);
    }
    assert_names(
        *state,
        "DIR DIR/image.h5 DIR/image.html DIR/image_maximum.png DIR/image_slice_00005.png DIR/image_xz_00019.png "
        "DIR/image_yz_00019.png DIR/scan.additive DIR/scan.counts DIR/scan.csr4 DIR/truth.h5");
}

/* Without a name or other settings the demo is OSEM of two iterations, in the folder "demo". */
static void demo_as_it_comes(void **state)
{
    CliRun run = {.directory = *state};
    cli_start(&run, "demo --geometry pet --crystals 12x3x2 --rays 4 --counts 100000");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    assert_non_null(strstr(run.err, "after iteration 2"));
    cli_free(&run);
    assert_true(cli_exists(*state, "demo/image.h5") && !cli_exists(*state, "demo/scan.additive"));
    cli_refuses(*state, "demo/scan.counts exists | --overwrite", "demo --geometry pet --crystals 12x3x2");
    cli_refuses(*state, "--replicates | with phantom", "demo --geometry pet --replicates 2");
    cli_refuses(*state, "--algorithm fbp | --geometry pet | cg | osem", "demo --geometry pet --algorithm fbp");
}

/* Voxels of which a subset has no counts stay 0, and their counts are lost: the run tells it, and names fewer subsets.
 */
static void many_subsets_lose_few_counts(void **state)
{
    static const int subsets[] = {2, 1024};
    cli_works(*state, SMALL " -o few.csr4 --counts 500");
    for (int many = 0; many < 2; many++) {
        CliRun run = {.directory = *state};
        cli_start(&run,
                  "recon few.counts --system-matrix few.csr4 --algorithm osem --subsets %d --iterations 2 -o i.h5 "
                  "--overwrite",
                  subsets[many]);
        cli_wait(&run);
        assert_int_equal(run.exit_code, 0);
        assert_true((strstr(run.err, "counts are in rows that no voxel explains") != NULL) == many);
        assert_true((strstr(run.err, "a voxel without counts in one of 1024 subsets stays 0") != NULL) == many);
        cli_free(&run);
    }
}

int cli_pet_tests(void)
{
    const struct CMUnitTest tests[] = {CLI_TEST(demo_of_a_scanner),
                                       CLI_TEST(demo_as_it_comes),
                                       CLI_TEST(files_belong_together),
                                       CLI_TEST(runs_are_repeatable),
                                       CLI_TEST(replicates_differ_in_noise),
                                       CLI_TEST(scanners_are_refused),
                                       CLI_TEST(many_subsets_lose_few_counts),
                                       CLI_TEST(existing_files_stay),
                                       CLI_TEST(full_disks_leave_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
