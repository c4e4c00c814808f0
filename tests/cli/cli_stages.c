/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, stages: scans with the damages that detectors do, reconstructed as they are, by default. */
#include "cli.h"
#include "testing_hdf5.h"

#include <math.h>

enum { SIZE = 192, ANGLES = 300, SLICES = 2, PIXELS = SIZE * SIZE, VALUES = ANGLES * SLICES * SIZE };

static double next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) / 16777216.0;
}

typedef enum Damage { HOT = 1, ZINGERS = 2, STRIPES = 4, DECAY = 8, DROPPED = 16, ALL = 31, DEAD = 32 } Damage;

/* A column that is overexposed, 0.2 % of values with up to 40000 counts more, sensitivities that differ by 3 %, a beam
 * that loses a fifth of its light, a projection of zeros; a column of zeros. */
static void damage(unsigned kinds, double *counts)
{
    uint32_t seed = 3;
    static double gain[SLICES * SIZE];
    for (int i = 0; i < SLICES * SIZE; i++) {
        double normal = -6;
        for (int j = 0; j < 12; j++) normal += next_random(&seed);
        gain[i] = 1 + 0.03 * normal;
    }
    for (int64_t i = 0; i < VALUES; i++) {
        const int64_t k = i / (SLICES * SIZE);
        const bool hit = next_random(&seed) < 0.002;
        const double much = next_random(&seed) * 40000;
        if (kinds & STRIPES) counts[i] *= gain[i % (SLICES * SIZE)];
        if (kinds & DECAY) counts[i] *= 1 - 0.2 * (double)k / ANGLES;
        if ((kinds & HOT) && i % SIZE == 70) counts[i] = 60000;
        if ((kinds & ZINGERS) && hit) counts[i] += much;
        if (((kinds & DROPPED) && k == 30) || ((kinds & DEAD) && i % SIZE == 120)) counts[i] = 0;
        counts[i] = fmin(floor(counts[i]), 65535);
    }
}

/* scan.h5 and its truth, truth.h5, with these damages. */
static void make_scan(const char *directory, unsigned kinds)
{
    char path[TESTING_PATH];
    static double counts[VALUES];
    if (!cli_exists(directory, "clean.h5"))
        cli_works(directory, "phantom -o clean.h5 --truth truth.h5 --size %d --angles %d --slices %d", SIZE, ANGLES,
                  SLICES);
    const size_t bytes = (size_t)cli_file_size(directory, "clean.h5");
    void *clean = cli_read_bytes(directory, "clean.h5", bytes);
    cli_write_bytes(directory, "scan.h5", clean, bytes);
    free(clean);
    const hid_t file = H5Fopen(testing_path(path, directory, "scan.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t data = H5Dopen2(file, "/exchange/data", H5P_DEFAULT);
    assert_true(file >= 0 && data >= 0);
    assert_true(H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, counts) >= 0);
    damage(kinds, counts);
    assert_true(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, counts) >= 0);
    assert_true(H5Dclose(data) >= 0 && H5Fclose(file) >= 0);
}

/* Correlation of slice 1 with the truth inside the circle. */
static double correlation(const char *directory)
{
    float *volume = cli_read_volume(directory, "volume.h5", SLICES, SIZE);
    float *truth = cli_read_volume(directory, "truth.h5", SLICES, SIZE);
    const double same = cli_correlation(SIZE, SIZE / 2.0 - 4, volume + PIXELS, truth + PIXELS);
    free(volume);
    free(truth);
    return same;
}

/* Reconstructs scan.h5 with these words; what the program says is in `said`. */
static double reconstruct(const char *directory, const char *words, CliRun *said)
{
    *said = (CliRun){.directory = directory};
    cli_start(said, "recon scan.h5 -o volume.h5 --overwrite --pictures no --report none --rotation-axis %g %s",
              (SIZE - 1) / 2.0, words);
    cli_wait(said);
    if (said->exit_code != 0) fail_msg("%s: %s", words, said->err);
    return correlation(directory);
}

static const char *const algorithms[] = {"--algorithm cg --iterations 10", "--algorithm fbp", ""};

static bool says(const CliRun *run, const char *text)
{
    return strstr(run->err, text) != NULL;
}

/* Each damage alone, and all together, cost next to nothing by default; what was done is told, with its switch. */
static void damages_are_mended_by_default(void **state)
{
    static const unsigned kinds[] = {ALL, DEAD, HOT, ZINGERS, STRIPES, DECAY, DROPPED};
    static const size_t tried[] = {7, 7, 2}; /* kinds of each algorithm */
    CliRun run;
    for (int a = 0; a < 3; a++) {
        make_scan(*state, 0);
        const double clean = reconstruct(*state, algorithms[a], &run);
        assert_false(says(&run, "warning"));
        cli_free(&run);
        for (size_t i = 0; i < tried[a]; i++) {
            make_scan(*state, kinds[i]);
            const double found = reconstruct(*state, algorithms[a], &run);
            const double least = clean - (kinds[i] & (HOT | STRIPES) ? 0.02 : 0.005);
            if (found < least || found < 0.955)
                fail_msg("%s, damage %u: %g, clean %g", algorithms[a], kinds[i], found, clean);
            assert_true(says(&run, "--zinger-removal-method none: keep them") == ((kinds[i] & ZINGERS) != 0));
            assert_true(says(&run, "none: keep them)") == ((kinds[i] & (HOT | STRIPES | ZINGERS)) != 0));
            cli_free(&run);
        }
    }
}

/* Writes the projections of scan.h5 and their angles in another order: projection k was number 113·k, as golden angles
 * and interlaced scans have neighbours that see the object from sides far apart. */
static void interlace(const char *directory)
{
    char path[TESTING_PATH];
    static const char *const names[] = {"/exchange/data", "/exchange/theta"};
    static const int64_t items[] = {SLICES * SIZE, 1};
    static double values[VALUES], moved[VALUES];
    const hid_t file = H5Fopen(testing_path(path, directory, "scan.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    for (int i = 0; i < 2; i++) {
        const hid_t data = H5Dopen2(file, names[i], H5P_DEFAULT);
        assert_true(data >= 0 && H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
        for (int64_t k = 0; k < ANGLES; k++)
            memcpy(moved + k * items[i], values + k * 113 % ANGLES * items[i], (size_t)items[i] * sizeof *moved);
        assert_true(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, moved) >= 0);
        assert_true(H5Dclose(data) >= 0);
    }
    assert_true(H5Fclose(file) >= 0);
}

/* Zingers are those that the same scan in order has: their neighbours are those in angle, not those in the file. */
static void zingers_of_interlaced_scans(void **state)
{
    static const char words[] = "--zinger-removal-method standard --remove-stripe-method none --air 0";
    const int64_t size[] = {SLICES};
    char line[200];
    CliRun run;
    for (int a = 0; a < 2; a++) {
        double same[2], *undefined[2];
        make_scan(*state, ZINGERS);
        for (int i = 0; i < 2; i++) {
            if (i == 1) interlace(*state);
            snprintf(line, sizeof line, "%s %s", algorithms[a], words);
            same[i] = reconstruct(*state, line, &run);
            undefined[i] = cli_read_doubles(*state, "volume.h5", "/process/repaired", 1, size);
            cli_free(&run);
        }
        if (!(fabs(same[1] - same[0]) < 1e-4)) fail_msg("%s: %g, not %g", algorithms[a], same[1], same[0]);
        for (int f = 0; f < SLICES; f++) assert_true(undefined[1][f] == undefined[0][f]);
        assert_true(a == 1 || undefined[0][0] > 80); /* fbp replaces zingers, which are then defined */
        free(undefined[0]);
        free(undefined[1]);
    }
}

/* The sample is judged by angles in order: else the object of an interlaced scan passes for stripes. */
static void interlaced_scans_have_no_stripes(void **state)
{
    make_scan(*state, 0);
    interlace(*state);
    CliRun run = {.directory = *state};
    cli_start(&run, "info scan.h5");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    if (strstr(run.out, "stripes are taken") || says(&run, "stripes are taken")) fail_msg("%s%s", run.out, run.err);
    cli_free(&run);
}

/* The user's word counts more than the sample of the scan. */
static void switched_off_they_stay(void **state)
{
    CliRun run;
    make_scan(*state, ALL);
    const double mended = reconstruct(*state, algorithms[1], &run);
    cli_free(&run);
    const double kept =
        reconstruct(*state, "--algorithm fbp --remove-stripe-method none --zinger-removal-method none", &run);
    assert_false(says(&run, "keep them"));
    assert_true(kept < mended - 0.1);
    cli_free(&run);
}

/* Every method helps against stripes, and info tells which stages a run would have. */
static void methods_can_be_chosen(void **state)
{
    static const char *const method[][2] = {
        {"fw", "stripes: stripes, which become rings, are taken out of each sinogram (Fourier-wavelet (fw), sigma 2)"},
        {"ti", "(Titarenko (ti), alpha 1.5)"},
        {"sorting", "(sorting (Vo))"},
        {"vo-all", "(dead, large and partial stripes (vo-all), snr 3)"},
        {"wiener", "(offsets of columns (Wiener))"}};
    CliRun run;
    char words[128];
    make_scan(*state, STRIPES);
    const double kept = reconstruct(*state, "--algorithm fbp --remove-stripe-method none", &run);
    cli_free(&run);
    for (size_t i = 0; i < sizeof method / sizeof *method; i++) {
        snprintf(words, sizeof words, "--algorithm fbp --remove-stripe-method %s", method[i][0]);
        const double found = reconstruct(*state, words, &run);
        if (found < kept + 0.01) fail_msg("%s: %g, none: %g", words, found, kept);
        cli_free(&run);
        run = (CliRun){.directory = *state};
        cli_start(&run, "info scan.h5 --zinger-removal-method standard --remove-stripe-method %s", method[i][0]);
        cli_wait(&run);
        assert_int_equal(run.exit_code, 0);
        assert_non_null(strstr(run.out, method[i][1]));
        assert_non_null(strstr(run.out, "stage        zingers: "));
        cli_free(&run);
    }
}

/* The memory of a stage that a run chooses is in its plan. */
static void plans_count_stages(void **state)
{
    for (int damaged = 0; damaged < 2; damaged++) {
        CliRun run = {.directory = *state};
        make_scan(*state, damaged ? STRIPES : 0);
        cli_start(&run, "plan scan.h5 --algorithm cg --json --workers 2");
        cli_wait(&run);
        assert_int_equal(run.exit_code, 0);
        const double bytes = cli_number_after(run.out, "\"stages\": ", NULL);
        assert_true(damaged ? bytes >= 2 * 8 * 4.0 * ANGLES * SIZE : bytes == 0); /* 8 sinograms on each worker */
        cli_free(&run);
    }
}

/* Slices are the same, to the bit, however they are shared among minibatches. */
static void minibatches_do_not_matter(void **state)
{
    CliRun run;
    make_scan(*state, ALL);
    for (int i = 0; i < 2; i++) {
        reconstruct(*state, i ? "--algorithm fbp --minibatch 1" : "--algorithm fbp --minibatch 2", &run);
        cli_free(&run);
        char from[TESTING_PATH], to[TESTING_PATH];
        assert_int_equal(rename(testing_path(from, *state, "volume.h5"), testing_path(to, *state, i ? "b.h5" : "a.h5")),
                         0);
    }
    float *a = cli_read_volume(*state, "a.h5", SLICES, SIZE), *b = cli_read_volume(*state, "b.h5", SLICES, SIZE);
    assert_true(testing_same_bytes(a, b, SLICES * PIXELS * sizeof *a));
    free(a);
    free(b);
}

/* Flat fields of `factor` times the exposure, from image `first` on. */
static void expose_flats(const char *directory, int64_t first, double factor)
{
    enum { FLATS = 10, FIELD = SLICES * SIZE };
    char path[TESTING_PATH];
    static double counts[FLATS * FIELD];
    const hid_t file = H5Fopen(testing_path(path, directory, "scan.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t data = H5Dopen2(file, "/exchange/data_white", H5P_DEFAULT), space = H5Dget_space(data);
    assert_int_equal(H5Sget_simple_extent_npoints(space), FLATS * FIELD);
    assert_true(H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, counts) >= 0);
    for (int64_t i = first * FIELD; i < FLATS * FIELD; i++) counts[i] = fmin(floor(counts[i] * factor), 65535);
    assert_true(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, counts) >= 0);
    assert_true(H5Sclose(space) >= 0 && H5Dclose(data) >= 0 && H5Fclose(file) >= 0);
}

/* Mean of the absolute values beside the object, inside the circle. */
static double mean_beside(const char *directory)
{
    float *volume = cli_read_volume(directory, "volume.h5", SLICES, SIZE);
    float *truth = cli_read_volume(directory, "truth.h5", SLICES, SIZE);
    double sum = 0, count = 0;
    for (int i = 0; i < PIXELS; i++) {
        const double x = i % SIZE - (SIZE - 1) / 2.0, y = (double)(i / SIZE) - (SIZE - 1) / 2.0;
        if (hypot(x, y) > SIZE / 2.0 - 4 || truth[PIXELS + i] > 0) continue;
        sum += fabs((double)volume[PIXELS + i]);
        count++;
    }
    free(volume);
    free(truth);
    return sum / count;
}

/* A beam that decays is normalised to the air beside the object by default, and told; a steady one is left alone. */
static void light_beside_the_object(void **state)
{
    CliRun run;
    for (int a = 0; a < 2; a++) {
        make_scan(*state, 0);
        reconstruct(*state, algorithms[a], &run);
        assert_false(says(&run, "the light beside the object"));
        cli_free(&run);
        const double clean = mean_beside(*state);
        make_scan(*state, DECAY);
        reconstruct(*state, algorithms[a], &run);
        assert_true(says(&run, "the light beside the object differs from projection to projection by 0.06"));
        assert_true(says(&run, "its first and last 4 columns (--air N: other columns; 0: no normalisation)"));
        cli_free(&run);
        const double found = mean_beside(*state);
        char words[128];
        snprintf(words, sizeof words, "%s --air 0", algorithms[a]);
        reconstruct(*state, words, &run);
        assert_false(says(&run, "the light beside the object"));
        cli_free(&run);
        const double kept = mean_beside(*state);
        print_message("%s: beside the object %.3f and not normalised %.3f of a steady beam's\n", algorithms[a],
                      found / clean, kept / clean);
        if (!(found < 1.1 * clean && kept > 1.1 * found))
            fail_msg("%s: beside the object %g, of a steady beam %g, not normalised %g", words, found, clean, kept);
    }
}

/* Root mean square difference of volume.h5 from these values. */
static double difference_from(const char *directory, const float *values)
{
    float *volume = cli_read_volume(directory, "volume.h5", SLICES, SIZE);
    double sum = 0;
    for (int i = 0; i < SLICES * PIXELS; i++) sum += pow((double)(volume[i] - values[i]), 2);
    free(volume);
    return sqrt(sum / (SLICES * PIXELS));
}

/* Flat fields before and after the scan: a line between them follows the beam, which leaves nothing to normalise. */
static void flats_before_and_after(void **state)
{
    static const char *const words = "--algorithm fbp --air 0";
    char line[200];
    CliRun run;
    make_scan(*state, 0);
    reconstruct(*state, words, &run);
    cli_free(&run);
    float *steady = cli_read_volume(*state, "volume.h5", SLICES, SIZE);
    make_scan(*state, DECAY);
    expose_flats(*state, 5, 0.8); /* the second half is as dark as the beam at the end of the scan */
    reconstruct(*state, words, &run);
    assert_true(says(&run,
                     "the second half of the 10 flat fields is 22 % darker than the first, and their mean is used; "
                     "were they taken before and after the projections? (--flat-positions 0,300: a line"));
    cli_free(&run);
    const double kept = difference_from(*state, steady);
    snprintf(line, sizeof line, "%s --flat-positions 0,%d", words, ANGLES);
    reconstruct(*state, line, &run);
    assert_false(says(&run, "the second half"));
    cli_free(&run);
    const double found = difference_from(*state, steady);
    if (!(found < 0.4 * kept)) fail_msg("with a line between the sets %g, with their mean %g", found, kept);
    snprintf(line, sizeof line, "--algorithm fbp --flat-positions 0,%d", ANGLES);
    reconstruct(*state, line, &run); /* air is left to sinodag */
    assert_false(says(&run, "the light beside the object"));
    cli_free(&run);
    snprintf(line, sizeof line, "%s --flat-positions 0,%d --flat-interpolation none", words, ANGLES);
    reconstruct(*state, line, &run);
    cli_free(&run);
    assert_true(fabs(difference_from(*state, steady) - kept) < 1e-12);
    free(steady);
    run = (CliRun){.directory = *state};
    cli_start(&run, "info scan.h5 --flat-positions 0,%d", ANGLES);
    cli_wait(&run);
    assert_non_null(strstr(run.out, "mean of flat and dark fields, 2 sets of flat fields interpolated, -ln"));
    cli_free(&run);
    cli_refuses(*state, "flat-positions | 3 numbers | 10 flat fields | one number for each",
                "recon scan.h5 -o v.h5 --flat-positions 0,100,300");
    cli_refuses(*state, "flat-positions | 301 | number 2 | 0 to 300", "recon scan.h5 -o v.h5 --flat-positions 0,301");
    cli_refuses(*state, "flat-positions | 3 | number 2 | 0 to 300", "recon scan.h5 -o v.h5 --flat-positions 8,3");
}

/* Flat fields of another exposure: the air at both edges tells the factor, and the volume is that of the right flat
 * fields; also with the open beam of a scan without flat fields. */
static void flats_of_another_exposure(void **state)
{
    static const double factors[] = {0.7, 1.3};
    CliRun run;
    for (int a = 1; a < 3; a++) {
        make_scan(*state, 0);
        const double clean = reconstruct(*state, algorithms[a], &run);
        assert_false(says(&run, "warning"));
        cli_free(&run);
        float *right = cli_read_volume(*state, "volume.h5", SLICES, SIZE);
        double size = 0;
        for (int i = 0; i < SLICES * PIXELS; i++) size += pow((double)right[i], 2) / (SLICES * PIXELS);
        for (int f = 0; f < 2; f++) {
            make_scan(*state, 0);
            expose_flats(*state, 0, factors[f]);
            const double found = reconstruct(*state, algorithms[a], &run);
            const double told = cli_number_after(run.err, "the air at both edges of the detector is ", NULL);
            if (fabs(told * factors[f] - 1) > 0.02 || says(&run, "beyond the detector"))
                fail_msg("%g: %s", factors[f], run.err);
            cli_free(&run);
            const double off = difference_from(*state, right) / sqrt(size);
            if (!(off < 0.05 && found > clean - 0.003))
                fail_msg("%s, times %g: off by %g, correlation %g, not %g", algorithms[a], factors[f], off, found,
                         clean);
        }
        free(right);
    }
}

/* Columns inside the object are no air, also where the light changes. */
static void object_is_no_air(void **state)
{
    static const char *const crops[] = {"--start-column 40 --end-column 152", "--start-column 60 --end-column 192",
                                        "--start-column 0 --end-column 120"};
    for (int damaged = 0; damaged < 2; damaged++) {
        make_scan(*state, damaged ? DECAY : 0);
        for (int i = 0; i < 3; i++) {
            CliRun run = {.directory = *state};
            cli_start(&run, "recon scan.h5 -o o.h5 --overwrite --pictures no --rotation-axis 95.5 --algorithm fbp %s",
                      crops[i]);
            cli_wait(&run);
            assert_int_equal(run.exit_code, 0);
            if (says(&run, "the light beside the object") || says(&run, "the air at both edges"))
                fail_msg("%s: %s", crops[i], run.err);
            cli_free(&run);
        }
    }
}

/* The polynomial is that of the settings: twice the line integrals make a volume of twice the values. */
static void beam_hardening(void **state)
{
    CliRun run;
    make_scan(*state, 0);
    const char *const plain = "--algorithm fbp --precision double";
    reconstruct(*state, plain, &run);
    cli_free(&run);
    float *once = cli_read_volume(*state, "volume.h5", SLICES, SIZE);
    reconstruct(*state, "--algorithm fbp --precision double --beam-hardening 2", &run);
    cli_free(&run);
    float *twice = cli_read_volume(*state, "volume.h5", SLICES, SIZE);
    reconstruct(*state, "--algorithm fbp --precision double --beam-hardening 1,0.2,0.01", &run);
    cli_free(&run);
    float *other = cli_read_volume(*state, "volume.h5", SLICES, SIZE);
    double difference = 0;
    for (int i = 0; i < SLICES * PIXELS; i++) {
        if (fabsf(twice[i] - 2 * once[i]) > 1e-6F) fail_msg("voxel %d: %g, not twice %g", i, twice[i], once[i]);
        difference += (double)(other[i] - once[i]);
    }
    assert_true(difference > 0);
    free(once);
    free(twice);
    free(other);
    run = (CliRun){.directory = *state};
    cli_start(&run, "info scan.h5 --beam-hardening 1,-0.2,0.01 --air 7");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    assert_non_null(strstr(run.out, "(1 p -0.2 p^2 +0.01 p^3)"));
    assert_non_null(strstr(run.out, "stage        air: "));
    assert_non_null(strstr(run.out, "(7 columns at each side)"));
    cli_free(&run);
}

static void unusual_air_is_refused(void **state)
{
    make_scan(*state, 0);
    cli_refuses(*state, "air | 97 | auto | 0 to 96", "recon scan.h5 -o v.h5 --air 97");
    cli_refuses(*state, "air | 2.5 | auto | 0 to 96", "recon scan.h5 -o v.h5 --air 2.5");
    cli_refuses(*state, "air | 3 | --data counts", "recon scan.h5 -o v.h5 --air 3 --minus-log no");
    cli_refuses(*state, "--beam-hardening | '1,2,3,4,5,6,7,8,9' | 1 to 8 numbers | -1000000 to 1000000",
                "recon scan.h5 -o v.h5 --beam-hardening 1,2,3,4,5,6,7,8,9");
}

static void options_of_other_methods_are_refused(void **state)
{
    make_scan(*state, 0);
    cli_refuses(*state, "--fw-sigma | --remove-stripe-method auto | --remove-stripe-method fw",
                "recon scan.h5 -o v.h5 --fw-sigma 2");
    cli_refuses(*state, "--vo-all-sm-size | --remove-stripe-method ti | --remove-stripe-method sorting | vo-all",
                "recon scan.h5 -o v.h5 --vo-all-sm-size 9 --remove-stripe-method ti");
    cli_refuses(*state, "--zinger-level | '0' | 0 | 1000000", "recon scan.h5 -o v.h5 --zinger-level 0");
    cli_refuses(*state, "--remove-stripe-method | 'vo' | auto | vo-all",
                "recon scan.h5 -o v.h5 --remove-stripe-method vo");
}

/* Mean of the slice's voxels between two distances of the middle. */
static double mean_of_ring(const char *directory, const char *name, int64_t side, double from, double to)
{
    float *slice = cli_read_volume(directory, name, 1, side);
    const double middle = (double)(side - 1) / 2;
    double sum = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < side * side; i++) {
        const double distance = hypot((double)(i % side) - middle, (double)(i / side) - middle);
        if (distance < from || distance >= to) continue;
        sum += (double)slice[i];
        count++;
    }
    free(slice);
    return sum / (double)count;
}

/* Iterative algorithms get room for the object by themselves, in which they are right: densities of 0.02 instead of up
 * to twice as much. The slice has the asked size, and is the middle of the larger one to the bit. */
static void iterations_get_room(const char *directory)
{
    static const char recon[] =
        "recon disks.bin --theta disks_theta.bin --columns 64 --rotation-axis 31.5 --pictures no "
        "--report none --overwrite";
    static const char told[] =
        "warning: the outermost columns have 86 % of the largest mean line integral: the object reaches beyond the "
        "detector, or the light was weaker than in the flat fields; 32 voxels beyond each side of the slice take in "
        "the "
        "rest of the object; they are computed, not written (--margin 0: none; --air N: ";
    static const char *const algorithm[] = {"fista", "cg --iterations 12", "sirt --iterations 12",
                                            "cg --iterations 12 --projector rotate"};
    for (size_t i = 0; i < sizeof algorithm / sizeof *algorithm; i++) {
        char line[300];
        snprintf(line, sizeof line, "%s --algorithm %s -o roomy.h5", recon, algorithm[i]);
        char *said = cli_output_of(directory, line);
        if (!strstr(said, told)) fail_msg("%s: %s", algorithm[i], said);
        free(said);
        snprintf(line, sizeof line, "%s --algorithm %s -o narrow.h5 --margin 0", recon, algorithm[i]);
        said = cli_output_of(directory, line);
        assert_null(strstr(said, "outermost"));
        free(said);
        cli_works(directory, "%s --algorithm %s -o wide.h5 --volume 128x128", recon, algorithm[i]);
        const double narrow = mean_of_ring(directory, "narrow.h5", 64, 17, 22) / 0.02;
        const double roomy = mean_of_ring(directory, "roomy.h5", 64, 17, 22) / 0.02;
        print_message("%s: %.3f of the density without room, %.3f with it\n", algorithm[i], narrow, roomy);
        assert_true(narrow > 1.3 && fabs(roomy - 1) < 0.3 * (narrow - 1));
        float *cropped = cli_read_volume(directory, "roomy.h5", 1, 64),
              *whole = cli_read_volume(directory, "wide.h5", 1, 128);
        /* fista finds its strength by the voxels within the slice that is written. */
        for (int64_t row = 0; row < 64 && i > 0; row++)
            assert_memory_equal(cropped + row * 64, whole + (row + 32) * 128 + 32, 64 * sizeof *whole);
        free(cropped);
        free(whole);
    }
}

static void check_printed(const char *directory, const char *line, const char *expected)
{
    CliRun run = {.directory = directory};
    cli_start(&run, "%s", line);
    cli_wait(&run);
    if (run.exit_code != 0 || !strstr(run.out, expected)) fail_msg("%s: %s%s", line, run.out, run.err);
    cli_free(&run);
}

/* What a margin changes: plans, the slices of try, and what is refused. */
static void margins_are_known(void **state)
{
    const char *const at = *state;
    static const char scan[] = "disks.bin --theta disks_theta.bin --columns 64 --rotation-axis 31.5";
    char line[300];
    cli_write_disks(at, 180, M_PI, 31.5, 60, 12);
    snprintf(line, sizeof line, "plan %s --algorithm cg", scan);
    check_printed(at, line, "slice        64 x 64 voxels, in the middle of 128 x 128\n");
    check_printed(at, "plan --columns 64 --angles 180 --slices 4 --algorithm cg --margin 7 --json",
                  "\"slice\": {\"side\": 64, \"margin\": 7}");
    snprintf(line, sizeof line, "info %s --json", scan);
    check_printed(at, line, "\"side\": 64, \"margin\": 32,");
    /* Slices of try have one size, whatever the margin. */
    cli_works(at, "recon %s -o tried --reconstruction-type try --algorithm cg --iterations 3 --sweep margin=0,8,20",
              scan);
    cli_works(at, "recon %s -o given.h5 --algorithm cg --iterations 3 --margin 20 --pictures no --report none", scan);
    free(cli_read_volume(at, "given.h5", 1, 64));
    /* A slice that is narrower than the detector needs a margin; with one it is the middle of the wide slice. */
    cli_works(at, "recon %s -o part.h5 --volume 32x32 --algorithm cg --iterations 3 --margin 36 --pictures no", scan);
    float *part = cli_read_volume(at, "part.h5", 1, 32), *whole = cli_read_volume(at, "given.h5", 1, 64);
    for (int64_t row = 0; row < 32; row++)
        assert_memory_equal(part + row * 32, whole + (row + 16) * 64 + 16, 32 * sizeof *whole);
    free(part);
    free(whole);
    cli_refuses(at, "volume | 32x32 | 64 detector columns | fbp | --margin 16",
                "recon %s -o x.h5 --volume 32x32 --algorithm cg", scan);
    cli_refuses(at, "margin | 257 | auto | 0 to 256", "recon %s -o x.h5 --algorithm cg --margin 257", scan);
    cli_refuses(at, "margin | 2.5 | auto | 0 to 256", "recon %s -o x.h5 --algorithm cg --margin 2.5", scan);
    cli_refuses(at, "margin | 2 | 0 | --margin | --projector rays",
                "recon %s -o x.h5 --algorithm cg --projector toeplitz --margin 2", scan);
    cli_refuses(at, "--margin | --algorithm fbp | --algorithm cg | fista",
                "recon %s -o x.h5 --algorithm fbp --margin 2", scan);
}

/* An object that is wider than the detector has no bright rim by default. */
static void regions_of_interest(void **state)
{
    const char *const at = *state;
    static const char recon[] =
        "recon disks.bin --theta disks_theta.bin --columns 64 --algorithm fbp --rotation-axis 31.5 "
        "--pictures no --report none";
    static const char told[] =
        "the object reaches beyond the detector, or the light was weaker than in the flat fields: each projection is "
        "continued beyond it before it is filtered (--padding-type zeros: by zeros; --air N: ";
    char line[300];
    cli_write_disks(at, 180, M_PI, 31.5, 60, 12);
    snprintf(line, sizeof line, "%s -o auto.h5", recon);
    char *said = cli_output_of(at, line);
    assert_non_null(strstr(said, told));
    free(said);
    snprintf(line, sizeof line, "%s -o zeros.h5 --padding-type zeros", recon);
    said = cli_output_of(at, line);
    assert_null(strstr(said, told));
    free(said);
    cli_works(at, "%s -o edges.h5 --padding-type edges", recon);
    float *chosen = cli_read_volume(at, "auto.h5", 1, 64), *given = cli_read_volume(at, "edges.h5", 1, 64);
    assert_memory_equal(chosen, given, 64 * 64 * sizeof *given);
    free(chosen);
    free(given);
    const double middle = mean_of_ring(at, "auto.h5", 64, 17, 22), rim = mean_of_ring(at, "auto.h5", 64, 28, 31);
    const double zero_middle = mean_of_ring(at, "zeros.h5", 64, 17, 22),
                 zero_rim = mean_of_ring(at, "zeros.h5", 64, 28, 31);
    print_message("rim over middle: %g by edges, %g by zeros\n", rim / middle, zero_rim / zero_middle);
    assert_true(rim / middle < 1.15 && rim / middle > 0.7);
    assert_true(zero_rim / zero_middle > 1.3);
    iterations_get_room(at);
    cli_refuses(at, "--padding-type | --algorithm fista | --algorithm fbp",
                "recon disks.bin --theta disks_theta.bin --columns 64 -o x.h5 --padding-type edges");
    /* All of it is in the field of view. */
    cli_write_disks(at, 180, M_PI, 31.5, 25, 12);
    snprintf(line, sizeof line, "%s -o inside.h5", recon);
    said = cli_output_of(at, line);
    assert_null(strstr(said, "outermost"));
    free(said);
}

/* info lists the stages in the order that --stages tells; the order matters, and what is no order is refused. */
static void stages_in_another_order(void **state)
{
    static const char *const refused[] = {"zingers",
                                          "zingers,air,stripes,stripes",
                                          "zingers,air,stripes,harden,air",
                                          "correct,zingers,air,stripes",
                                          "zingers,air,stripes,",
                                          "ti,air,zingers,harden"};
    static const char stages[] = "--remove-stripe-method ti --beam-hardening 1,0.5 --air 8";
    char line[300];
    CliRun run;
    make_scan(*state, STRIPES);
    snprintf(line, sizeof line, "info scan.h5 %s --stages harden,zingers,stripes,air", stages);
    char *said = cli_output_of(*state, line);
    const char *const harden = strstr(said, "stage        harden"), *const air = strstr(said, "stage        air");
    const char *const stripes = strstr(said, "stage        stripes");
    assert_true(harden && stripes && air && harden < stripes && stripes < air);
    free(said);
    cli_write_text(*state, "order.yaml", "stages:\n  - harden\n  - zingers\n  - stripes\n  - air\n");
    float *volume[4];
    static const char *const order[] = {"", "--stages zingers,air,stripes,harden",
                                        "--stages harden,zingers,stripes,air", "--config order.yaml"};
    for (int i = 0; i < 4; i++) {
        snprintf(line, sizeof line, "--algorithm fbp %s %s", stages, order[i]);
        reconstruct(*state, line, &run);
        cli_free(&run);
        volume[i] = cli_read_volume(*state, "volume.h5", SLICES, SIZE);
    }
    assert_true(testing_same_bytes(volume[0], volume[1], SLICES * PIXELS * sizeof(float)));
    assert_true(cli_difference(SLICES * PIXELS, volume[2], volume[0]) > 1e-4);
    assert_true(testing_same_bytes(volume[3], volume[2], SLICES * PIXELS * sizeof(float)));
    for (int i = 0; i < 4; i++) free(volume[i]);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        snprintf(line, sizeof line, "stages | '%s' | zingers, air, stripes and harden | once", refused[i]);
        cli_refuses(*state, line, "recon scan.h5 -o w.h5 --stages %s", refused[i]);
    }
    cli_write_text(*state, "order.yaml", "stages: [zingers, air, air, stripes]\n");
    cli_refuses(*state, "stages | 'zingers,air,air,stripes' | zingers, air, stripes and harden | once",
                "recon scan.h5 -o w.h5 --config order.yaml");
    cli_write_text(*state, "order.yaml", "stages: [zingers, [air]]\n");
    cli_refuses(*state, "order.yaml | line 1 | list in the list | one value",
                "recon scan.h5 -o w.h5 --config order.yaml");
}

int cli_stages_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_ONE_CORE(zingers_of_interlaced_scans),
        CLI_ONE_CORE(interlaced_scans_have_no_stripes),
        CLI_ONE_CORE(damages_are_mended_by_default),
        CLI_ONE_CORE(switched_off_they_stay),
        CLI_ONE_CORE(methods_can_be_chosen),
        CLI_ONE_CORE(light_beside_the_object),
        CLI_ONE_CORE(flats_before_and_after),
        CLI_ONE_CORE(flats_of_another_exposure),
        CLI_ONE_CORE(object_is_no_air),
        CLI_ONE_CORE(beam_hardening),
        CLI_ONE_CORE(regions_of_interest),
        CLI_ONE_CORE(margins_are_known),
        CLI_TEST(unusual_air_is_refused),
        CLI_TEST(minibatches_do_not_matter),
        CLI_TEST(plans_count_stages),
        CLI_TEST(options_of_other_methods_are_refused),
        CLI_ONE_CORE(stages_in_another_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
