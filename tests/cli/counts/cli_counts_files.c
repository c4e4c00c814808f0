/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, files of a system matrix and its counts: every format gives one image, to the bit, and what is wrong is
 * refused. */
#include "cli.h"
#include "counts_problem.h"
#include "testing_hdf5_matrix.h"
#include "testing_mirror.h"
#include "testing_npz.h"

#include <math.h>

#define SMALL "phantom --geometry pet --crystals 12x3x2 --rays 4 --volume 16x14x6 --voxel-size 0.6 -o m.csr4 "

enum {
    CRYSTALS = 12 * 3 * 2,
    ROWS = CRYSTALS * CRYSTALS,
    WIDTH = 16,
    HEIGHT = 14,
    SLICES = 6,
    VOXELS = SLICES * HEIGHT * WIDTH
};

/* The volume of a run with these words is that of `expected`, but for a relative difference of `bound`. */
static void assert_image(const char *directory, const int64_t size[3], const char *expected, double bound,
                         const char *words)
{
    double off = 0, norm = 0;
    cli_works(directory, "recon -o image.h5 --overwrite --pictures no --report none --iterations 6 %s", words);
    double *found = cli_read_doubles(directory, "image.h5", "/exchange/data", 3, size);
    double *wanted = cli_read_doubles(directory, expected, "/exchange/data", 3, size);
    for (int64_t i = 0; i < size[0] * size[1] * size[2]; i++) {
        off += (found[i] - wanted[i]) * (found[i] - wanted[i]);
        norm += wanted[i] * wanted[i];
    }
    assert_true(norm > 0);
    if (sqrt(off / norm) > bound) fail_msg("the relative difference is %g with %s", sqrt(off / norm), words);
    free(found);
    free(wanted);
}

static const int64_t small_size[] = {SLICES, HEIGHT, WIDTH};

static void write_hdf5(const char *directory, const char *name, const char *format, TestingStyle style,
                       TestingMatrix *matrix)
{
    const TestingHdf5 wanted = {style, "/X", format, H5T_STD_I32LE, H5T_IEEE_F32LE, false};
    char path[TESTING_PATH];
    const hid_t file = testing_hdf5_create(testing_path(path, directory, name));
    testing_hdf5_matrix(file, &wanted, matrix);
    testing_hdf5_close(file);
}

/* Writes m.csr4 in the other formats. */
static void write_formats(const char *directory)
{
    static const char *const formats[] = {"csr", "csc", "coo"};
    char path[TESTING_PATH], name[20];
    CountsProblem problem = counts_read_matrix(directory, "m.csr4");
    TestingMatrix matrix = counts_entries(&problem);
    testing_market(testing_path(path, directory, "m.mtx"), false, &matrix);
    testing_market(testing_path(path, directory, "m.mtx.gz"), true, &matrix);
    write_hdf5(directory, "csr.h5", "csr", TESTING_ANNDATA, &matrix);
    write_hdf5(directory, "csc.h5", "csc", TESTING_ANNDATA, &matrix);
    write_hdf5(directory, "matlab.mat", "csc", TESTING_MATLAB, &matrix);
    for (int i = 0; i < 3; i++) {
        const TestingNpz wanted = {formats[i], i % 2 == 1, "<i4", "<f4"};
        snprintf(name, sizeof name, "%s.npz", formats[i]);
        testing_npz(testing_path(path, directory, name), &wanted, &matrix);
    }
    free(matrix.entry);
    counts_free(&problem);
}

static void formats_of_a_matrix_give_one_image(void **state)
{
    static const char *const names[] = {"m.mtx",      "m.mtx.gz", "csr.h5",  "csr.h5:/X", "csc.h5",
                                        "matlab.mat", "csr.npz",  "csc.npz", "coo.npz"};
    static const char *const ways[] = {"--precision single", "--precision mixed", "--algorithm osem --subsets 5",
                                       "--algorithm cg"};
    const char *const at = *state;
    char words[300];
    cli_works(at, SMALL "--counts 300000");
    write_formats(at);
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
        cli_works(at, "recon m.counts --system-matrix m.csr4 -o csr4.h5 --overwrite --iterations 6 %s", ways[way]);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            snprintf(words, sizeof words, "m.counts --system-matrix %s --volume 16x14x6 %s", names[i], ways[way]);
            assert_image(at, small_size, "csr4.h5", 0, words);
        }
    }
}

/* A line for each count of a row: its number, or its crystals, the second one first. */
static void write_events(const char *directory, const char *name, const int32_t *counts, bool pairs)
{
    char path[TESTING_PATH];
    FILE *out = fopen(testing_path(path, directory, name), "w");
    assert_non_null(out);
    for (int row = 0; row < ROWS; row++)
        for (int32_t i = 0; i < counts[row]; i++) {
            if (pairs)
                fprintf(out, "%d %d\n", row % CRYSTALS, row / CRYSTALS);
            else
                fprintf(out, "%d\n", row);
        }
    assert_int_equal(fclose(out), 0);
}

/* Writes m.counts in the other formats. */
static void write_counts(const char *directory)
{
    char path[TESTING_PATH];
    int32_t *counts = cli_read_bytes(directory, "m.counts", ROWS * sizeof *counts);
    double *real = counts_read_int32(directory, "m.counts", ROWS);
    counts_write_float32(directory, "m.float32", ROWS, real);
    cli_write_npy(directory, "i4.npy", "<i4", "(5184,)", counts, ROWS * sizeof *counts);
    cli_write_npy(directory, "f8.npy", "<f8", "(5184,)", real, ROWS * sizeof *real);
    cli_write_text(directory, "m.hs",
                   "!INTERFILE :=\nname of data file := m.counts\nimagedata byte order := LITTLEENDIAN\n"
                   "!number format := signed integer\n!number of bytes per pixel := 4\nnumber of dimensions := 1\n"
                   "!matrix size [1] := 5184\n!END OF INTERFILE :=\n");
    const hid_t file = testing_hdf5_create(testing_path(path, directory, "counts.h5"));
    testing_hdf5_array(file, "/exchange/data", H5T_STD_U16LE, H5T_NATIVE_DOUBLE, true, ROWS, real);
    testing_hdf5_close(file);
    write_events(directory, "rows.txt", counts, false);
    write_events(directory, "pairs.txt", counts, true);
    free(counts);
    free(real);
}

static void formats_of_counts_give_one_image(void **state)
{
    static const char *const names[] = {"m.float32", "i4.npy",    "f8.npy",   "m.hs",
                                        "counts.h5", "pairs.txt", "rows.txt", "counts.h5:/exchange/data"};
    const char *const at = *state;
    char words[300];
    cli_works(at, SMALL "--counts 20000");
    write_counts(at);
    cli_works(at, "recon m.counts --system-matrix m.csr4 -o int32.h5 --iterations 6");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(words, sizeof words, "%s --system-matrix m.csr4", names[i]);
        assert_image(at, small_size, "int32.h5", 0, words);
    }
}

/* A matrix that leaves out what its mirrors give is the matrix that has it, but for the order of sums: row partitions
 * are divided by the entries that are stored. */
static void mirrors_are_unfolded(void **state)
{
    enum { PAIRS = TESTING_MIRROR_CRYSTALS * TESTING_MIRROR_CRYSTALS, IMAGE = TESTING_MIRROR_VOXELS };
    static const int64_t size[] = {3, 4, 5};
    const char *const at = *state;
    static double dense[PAIRS * IMAGE];
    static int32_t counts[PAIRS];
    char path[TESTING_PATH];
    uint64_t seed = 8;
    for (int i = 0; i < PAIRS; i++) counts[i] = (int32_t)(testing_random(&seed) % 30);
    cli_write_bytes(at, "counts", counts, sizeof counts);
    for (int flags = 1; flags < SINO_MIRRORS; flags++) {
        TestingScanner folded = testing_mirror_scanner;
        TestingMatrix all = {.row_count = PAIRS, .column_count = IMAGE};
        memset(dense, 0, sizeof dense);
        testing_fill_orbits(flags, 1500, dense);
        all.entry = calloc(20000, sizeof *all.entry);
        assert_non_null(all.entry);
        for (int64_t i = 0; i < PAIRS * IMAGE; i++)
            if (dense[i] > 0) all.entry[all.count++] = (TestingEntry){i / IMAGE, i % IMAGE, dense[i]};
        TestingMatrix part = testing_fold(flags, dense, false);
        assert_true(part.count < all.count);
        folded.flags = flags;
        testing_csr4(testing_path(path, at, "all.csr4"), &testing_mirror_scanner, &all);
        testing_csr4(testing_path(path, at, "part.csr4"), &folded, &part);
        cli_works(at, "recon counts --system-matrix all.csr4 -o all.h5 --overwrite --iterations 6");
        assert_image(at, size, "all.h5", 1e-6, "counts --system-matrix part.csr4");
        free(all.entry);
        free(part.entry);
    }
}

/* Writes counts.npy, of which one row has another value. */
static void write_with(const char *directory, int row, float value)
{
    static float counts[ROWS];
    for (int i = 0; i < ROWS; i++) counts[i] = i == row ? value : 1;
    cli_write_npy(directory, "counts.npy", "<f4", "(5184,)", counts, sizeof counts);
}

/* The run ends with the exit code 2 and this message, after it has said other things, and leaves no volume. */
static void assert_refused_late(const char *directory, const char *message, const char *words)
{
    CliRun run = {.directory = directory};
    cli_start(&run, "recon -o o.h5 --iterations 2 %s", words);
    cli_wait(&run);
    cli_assert_ended(&run, 2, message);
    assert_false(cli_exists(directory, "o.h5"));
}

static void values_are_refused(void **state)
{
    const char *const at = *state;
    static float image[VOXELS];
    cli_works(at, SMALL "--counts 20000");
    write_with(at, 77, (float)NAN);
    assert_refused_late(at, "counts.npy: row 77 | nan | finite numbers, 0 or more | o.h5 was not written",
                        "counts.npy --system-matrix m.csr4");
    assert_refused_late(at, "counts.npy: row 77 | nan | finite numbers, 0 or more | o.h5 was not written",
                        "m.counts --system-matrix m.csr4 --additive counts.npy");
    write_with(at, 78, -2);
    assert_refused_late(at, "counts.npy: row 78 | -2 | finite numbers, 0 or more | o.h5 was not written",
                        "counts.npy --system-matrix m.csr4");
    assert_refused_late(at, "counts.npy: row 78 | -2 | finite numbers, 0 or more | o.h5 was not written",
                        "m.counts --system-matrix m.csr4 --multiplicative counts.npy");
    image[VOXELS - 1] = -1;
    cli_write_npy(at, "start.npy", "<f4", "(6, 14, 16)", image, sizeof image);
    assert_refused_late(at, "start.npy: voxel 1343 (x 15, y 13, z 5) | -1 | 0 or more | o.h5 was not written",
                        "m.counts --system-matrix m.csr4 --start start.npy");
    cli_write_text(at, "events", "1 2\n3 72\n");
    assert_refused_late(at, "events: line 2 | crystal 72 | from 0 to 71 | o.h5 was not written",
                        "events --system-matrix m.csr4");
}

static void sizes_are_refused(void **state)
{
    const char *const at = *state;
    static float values[3 * ROWS];
    cli_works(at, SMALL "--counts 20000 --replicates 2");
    cli_write_npy(at, "short.npy", "<f4", "(5183,)", values, (ROWS - 1) * sizeof *values);
    cli_write_npy(at, "three.npy", "<f4", "(3, 5184)", values, sizeof values);
    cli_write_npy(at, "narrow.npy", "<f4", "(6, 14, 15)", values, (size_t)6 * 14 * 15 * sizeof *values);
    cli_refuses(at, "short.npy | 5183 | 5184 rows | 2 crystals", "recon short.npy --system-matrix m.csr4 -o o.h5");
    cli_refuses(at, "three.npy | 3 sets | 1 or 2",
                "recon m.counts --system-matrix m.csr4 -o o.h5 --additive three.npy");
    cli_refuses(at, "three.npy | 3 sets | allowed: 1",
                "recon m.counts --system-matrix m.csr4 -o o.h5 --multiplicative three.npy");
    cli_refuses(at, "narrow.npy | 6 × 14 × 15 | 6 × 14 × 16 | 1344 voxels",
                "recon m.counts --system-matrix m.csr4 -o o.h5 --start narrow.npy");
    cli_refuses(at, "volume | 16x14x7 | 1568 voxels | m.csr4 | 1344",
                "recon m.counts --system-matrix m.csr4 -o o.h5 --volume 16x14x7");
    cli_refuses(at, "--volume | 16x14 | auto | 16x14x1",
                "recon m.counts --system-matrix m.csr4 -o o.h5 --volume 16x14");
    cli_write_text(at, "line.mtx", "%%MatrixMarket matrix coordinate real general\n5184 9 1\n1 1 2\n");
    cli_refuses(at, "--algorithm bsrem | grid of voxels | --volume",
                "recon m.counts --system-matrix line.mtx -o o.h5 --algorithm bsrem");
    cli_write_npy(at, "mask.npy", "<f4", "(6, 14, 16)", values, VOXELS * sizeof *values);
    cli_refuses(at, "mask.npy | 0 everywhere | not 0", "recon m.counts --system-matrix m.csr4 -o o.h5 --mask mask.npy");
}

/* Writes a changed copy of m.csr4: cut by a byte, or with other flags. */
static void write_damaged(const char *directory, const char *name, size_t cut, unsigned char flags)
{
    const size_t bytes = (size_t)cli_file_size(directory, "m.csr4");
    unsigned char *file = cli_read_bytes(directory, "m.csr4", bytes);
    file[5] = flags;
    cli_write_bytes(directory, name, file, bytes - cut);
    free(file);
}

static void matrices_are_refused(void **state)
{
    const char *const at = *state;
    char path[TESTING_PATH];
    TestingEntry entry[] = {{0, 0, 1}, {1, 1, -1}};
    TestingMatrix negative = {2, 3, 2, entry};
    const TestingNpz csr = {"csr", false, "<i4", "<f4"};
    static const float two[] = {1, 1};
    cli_works(at, SMALL "--counts 20000");
    write_damaged(at, "cut.csr4", 1, 0);
    write_damaged(at, "flags.csr4", 0, 8);
    cli_refuses(at, "cut.csr4 | 262203 bytes | 5184 rows | 27579 entries",
                "recon m.counts --system-matrix cut.csr4 -o o.h5");
    cli_refuses(at, "flags.csr4 | flags 8 | 1, 2 and 4", "recon m.counts --system-matrix flags.csr4 -o o.h5");
    cli_refuses(at, "m.counts | csr4 | FILE:/GROUP", "recon m.counts --system-matrix m.counts -o o.h5");
    cli_refuses(at, "none.csr4 | No such file", "recon m.counts --system-matrix none.csr4 -o o.h5");
    cli_refuses(at, "--precision double | --geometry matrix | single or mixed",
                "recon m.counts --system-matrix m.csr4 -o o.h5 --precision double");
    testing_npz(testing_path(path, at, "negative.npz"), &csr, &negative);
    cli_write_bytes(at, "two", two, sizeof two);
    cli_refuses(at, "negative.npz | row 1 | -1 | column 1 | at least 0",
                "recon two --system-matrix negative.npz -o o.h5");
}

int cli_counts_files_tests(void)
{
    const struct CMUnitTest tests[] = {CLI_TEST(formats_of_a_matrix_give_one_image),
                                       CLI_TEST(formats_of_counts_give_one_image),
                                       CLI_TEST(mirrors_are_unfolded),
                                       CLI_TEST(values_are_refused),
                                       CLI_TEST(sizes_are_refused),
                                       CLI_TEST(matrices_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
