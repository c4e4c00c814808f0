/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, fista: what its defaults reach on noisy phantoms, that no division of the work changes its volumes, and
 * what it refuses. */
#include "cli.h"
#include "testing_hdf5.h"

#include <math.h>

/* MIDDLE: as wide as scans are whose searches average columns. */
enum { SIZE = 256, MIDDLE = 192, SLICES = 5, SMALL = 80 };

/* 1 % of noise at few, some and many angles: with the strength that it finds, fista is closer to the truth than the
 * best number of iterations of cg, twice as close at 100 angles and fewer. */
static void defaults_are_close_to_the_truth(void **state)
{
    const char *const at = *state;
    static const struct {
        int angles;
        double most; /* of the error; docs/lab/images.md has what other programs reach */
    } cases[] = {{400, 0.056}, {100, 0.066}, {40, 0.09}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cli_works(at, "phantom -o p.h5 --overwrite --size %d --angles %d --slices 1 --noise 0.01 --truth t.h5", SIZE,
                  cases[i].angles);
        cli_works(at, "recon p.h5 -o v.h5 --overwrite --pictures no --report none");
        cli_works(at, "recon p.h5 -o cg.h5 --overwrite --algorithm cg --iterations 12 --rotation-axis 127.5 --pictures "
                      "no --report none");
        const double error = cli_error(at, "v.h5", SIZE), of_cg = cli_error(at, "cg.h5", SIZE);
        print_message("%d angles: %.2f %%, cg %.2f %%\n", cases[i].angles, 100 * error, 100 * of_cg);
        assert_true(error <= cases[i].most);
        assert_true(of_cg > (cases[i].angles > 100 ? 1.5 : 2) * error);
    }
}

/* Another strength, above or below the one that is found, is not much better: at most a tenth. */
static void check_strength(const char *at, const char *object, int angles, double noise)
{
    cli_works(at, "phantom -o p.h5 --overwrite --object %s --size %d --angles %d --slices 1 --noise %g --truth t.h5",
              object, SIZE, angles, noise);
    static const char line[] =
        "recon p.h5 -o v.h5 --overwrite --algorithm fista --rotation-axis 127.5 --pictures no --report none";
    char *said = cli_output_of(at, line);
    const double strength = cli_number_after(said, "regularization: ", NULL), found = cli_error(at, "v.h5", SIZE);
    assert_non_null(strstr(said, ", which predicts left-out projections of slice 0 best\n"));
    free(said);
    double *kept = cli_read_doubles(at, "v.h5", "/process/regularization", 0, NULL), best = INFINITY;
    assert_true(fabs(*kept - strength) <= 1e-9 * strength);
    free(kept);
    for (int i = -3; i <= 3; i += 2) {
        cli_works(at, "%s --regularization %.6g", line, strength * exp2(i));
        best = fmin(best, cli_error(at, "v.h5", SIZE));
    }
    print_message("%s, %d angles, noise %g: strength %g: %.2f %%, best of four others %.2f %%\n", object, angles, noise,
                  strength, 100 * found, 100 * best);
    assert_true(found <= 1.1 * best);
}

static double error_with(const char *directory, const char *words)
{
    cli_works(directory,
              "recon p.h5 -o v.h5 --overwrite --algorithm fista --regularization 0.12 --rotation-axis 127.5 "
              "--pictures no --report none %s",
              words);
    return cli_error(directory, "v.h5", SIZE);
}

/* 15 iterations with 16 subsets are as far as 200 without, where 15 without have hardly begun. */
static void subsets_are_faster(void **state)
{
    const char *const at = *state;
    cli_works(at, "phantom -o p.h5 --size %d --angles 100 --slices 1 --noise 0.01 --truth t.h5", SIZE);
    const double usual = error_with(at, ""), converged = error_with(at, "--subsets 1 --iterations 200");
    const double begun = error_with(at, "--subsets 1"), three = error_with(at, "--subsets 3 --iterations 30");
    print_message("16 subsets %.2f %%, 3: %.2f %%, 1: %.2f %%, 200 iterations: %.2f %%\n", 100 * usual, 100 * three,
                  100 * begun, 100 * converged);
    assert_true(usual <= 1.05 * converged);
    assert_true(three <= 1.03 * converged);
    assert_true(begun > 2 * converged);
}

/* MiB of ray lengths that a run has. */
static double lengths_of(const char *directory, const char *words)
{
    char line[256];
    snprintf(line, sizeof line,
             "recon p.h5 -o v.h5 --overwrite --rotation-axis 127.5 --iterations 1 --pictures no --report none %s",
             words);
    char *said = cli_output_of(directory, line);
    const char *unit = NULL;
    const double found = cli_number_after(said, "ray lengths: ", &unit);
    assert_true(strncmp(unit, " MiB", 4) == 0);
    free(said);
    return found;
}

/* Quarter turns and mirror images of an angle are in its subset and stored once. Rays that are stored side by side are
 * of angles further apart, which takes memory, but not four times as much. The plan foresees it. */
static void subsets_store_as_few_angles(void **state)
{
    static const char *const algorithm[] = {"--projector rays --algorithm fista --regularization 0.1",
                                            "--projector rays --algorithm osem"};
    const char *const at = *state;
    cli_works(at, "phantom -o p.h5 --size %d --angles 400 --slices 1", SIZE);
    for (int i = 0; i < 2; i++) {
        char words[128];
        snprintf(words, sizeof words, "%s --subsets 1", algorithm[i]);
        const double one = lengths_of(at, words), usual = lengths_of(at, algorithm[i]);
        snprintf(words, sizeof words, "%s --symmetry no", algorithm[i]);
        const double all = lengths_of(at, words);
        print_message("%s: %g MiB, without subsets %g, every angle %g\n", algorithm[i], usual, one, all);
        assert_true(usual < 1.7 * one && usual < 0.3 * all);
        CliRun run = {.directory = at};
        cli_start(&run, "plan p.h5 --projector rays --algorithm %s", i == 0 ? "fista" : "osem");
        cli_wait(&run);
        const double planned = cli_number_after(run.out, " million nonzeros, ", NULL);
        assert_true(planned >= usual && planned <= 1.35 * usual);
        if (!strstr(run.out, "101 of 400 angles stored\n")) fail_msg("%s", run.out);
        cli_free(&run);
    }
}

/* Where noise decides, and where the number of projections does. */
static void strength_is_near_the_best(void **state)
{
    check_strength(*state, "head", 60, 0.02);
    check_strength(*state, "texture", 100, 0.003);
    check_strength(*state, "texture", 40, 0.003);
}

/* Contrast to noise of a rod in v.h5 against the even background between the rods. */
static double contrast_of_rod(const char *directory)
{
    CliRun run = {.directory = directory};
    cli_start(&run, "compare v.h5 v.h5 --object 236,179,20 --background 156,220,30 --json");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    const double contrast = cli_number_after(run.out, "\"contrast_to_noise\": {\"volume\": ", NULL);
    cli_free(&run);
    return contrast;
}

/* Rods in few neutrons: the default does not fit the noise, where 30 iterations of cg fit little else. */
static void starved_scan_keeps_its_contrast(void **state)
{
    char path[TESTING_PATH], words[TESTING_PATH + 400];
    testing_data(path, "rings/sinogram_360_neutron_image.tif");
    snprintf(words, sizeof words,
             "recon %s -o v.h5 --overwrite --pictures no --report none --theta 0:360 --axes row,angle,column "
             "--open-beam 47600 --remove-stripe-method sorting --rotation-axis 244.8 --angle-binning 3 "
             "--start-column 100 --end-column 390",
             path);
    cli_works(*state, "%s", words);
    const double found = contrast_of_rod(*state);
    static const int numbers[] = {3, 5, 8, 30};
    double best = 0, last = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        cli_works(*state, "%s --algorithm cg --iterations %d", words, numbers[i]);
        last = contrast_of_rod(*state);
        best = fmax(best, last);
    }
    print_message("contrast to noise: default %.0f, best number of iterations of cg %.0f, 30 of them %.1f\n", found,
                  best, last);
    assert_true(found >= 0.9 * best && best > 10 * last);
}

static void assert_same(const char *directory, const char *words)
{
    cli_works(directory,
              "recon p.h5 -o other.h5 --overwrite --rotation-axis 39.5 "
              "--pictures no --report none %s",
              words);
    float *one = cli_read_volume(directory, "one.h5", SLICES, SMALL);
    float *other = cli_read_volume(directory, "other.h5", SLICES, SMALL);
    const double off = cli_difference((int64_t)SLICES * SMALL * SMALL, other, one);
    print_message("%s: %.2g\n", words, off);
    if (!(off <= 1e-4)) fail_msg("%s: volumes differ by %g", words, off);
    free(one);
    free(other);
}

/* Any partitions, minibatches, workers and projections without a matrix; with a strength that is found or given. */
static void division_changes_nothing(void **state)
{
    const char *const at = *state;
    cli_works(at, "phantom -o p.h5 --size %d --angles 45 --slices %d --noise 0.01", SMALL, SLICES);
    cli_works(at, "recon p.h5 -o one.h5 --algorithm fista --rotation-axis 39.5 --pictures no "
                  "--report none --partitions 1 --minibatch 1 --workers 1");
    assert_same(at, "--partitions 3");
    assert_same(at, "--partitions 7 --minibatch 2");
    assert_same(at, "--minibatch 5 --symmetry no");
    assert_same(at, "--precision double");
    assert_same(at, "--scheduler eager");
}

/* The strength that a run finds. */
static double strength_of(const char *directory, const char *words)
{
    cli_works(directory, "recon p.h5 -o v.h5 --overwrite --rotation-axis 95.5 --pictures no --report none %s", words);
    double *found = cli_read_doubles(directory, "v.h5", "/process/regularization", 0, NULL);
    const double strength = *found;
    free(found);
    return strength;
}

/* Weights of a file, here all alike, keep columns from being averaged. */
static void averaged_columns_find_the_same_strength(void **state)
{
    const char *const at = *state;
    float weight[MIDDLE];
    for (int c = 0; c < MIDDLE; c++) weight[c] = 1;
    cli_write_npy(at, "w.npy", "<f4", "(192,)", weight, sizeof weight);
    for (int i = 0; i < 2; i++) {
        cli_works(at, "phantom -o p.h5 --overwrite --object %s --size %d --angles 60 --slices 1 --noise 0.02",
                  i == 0 ? "head" : "texture", MIDDLE);
        const double all = strength_of(at, "--weights w.npy"), averaged = strength_of(at, "--weights none");
        print_message("strength %g of all columns, %g of averaged ones\n", all, averaged);
        assert_true(averaged != all && averaged < 1.3 * all && all < 1.3 * averaged);
    }
}

/* Photons behind a line integral, with about the noise of their number. */
static uint16_t noisy_count(double integral, uint64_t angle, uint64_t row, uint64_t column)
{
    double noise = -6;
    uint32_t number = (uint32_t)(angle * 7919 + column * 104729 + row);
    for (int k = 0; k < 12; k++) {
        number = (number + 12345) * 2654435761U;
        number = (number ^ number >> 15) * 2246822519U;
        number ^= number >> 13;
        noise += number / 4294967296.0;
    }
    const double photons = 10000 * exp(-integral);
    return (uint16_t)lround(photons + sqrt(photons) * noise);
}

/* Soft blobs. */
static uint16_t count_of_blobs(uint64_t angle, uint64_t row, uint64_t column)
{
    const double turn = M_PI * (double)angle / 60;
    double integral = 0;
    for (int j = 0; j < 6; j++) {
        const double away = j > 0 ? 12 : 0, width = j > 0 ? 2.5 + 0.4 * j : 7;
        const double at = (double)column - 31.5 - away * cos(turn - 1.1 * j - 0.3);
        integral += (j > 0 ? 0.25 : 0.8) * exp(-at * at / (2 * width * width));
    }
    return noisy_count(integral, angle, row, column);
}

/* A disk of the value 0.02 in which disks of the radius 4 have 7 % more; their middles, in voxels from the axis. */
enum { BODY = 128, BODY_ANGLES = 180, INSERTS = 5 };
static const double insert_radius = 4, insert_contrast = 0.0014;
static const double insert_middle[INSERTS][2] = {{-20, 8}, {18, 20}, {6, -24}, {26, -10}, {-14, -26}};

static double chord(double radius, double at)
{
    return 2 * sqrt(fmax(radius * radius - at * at, 0));
}

static uint16_t count_of_body(uint64_t angle, uint64_t row, uint64_t column)
{
    const double turn = M_PI * (double)angle / BODY_ANGLES, at = (double)column - 0.5 * (BODY - 1);
    double integral = 0.02 * chord(52, at);
    for (int i = 0; i < INSERTS; i++) {
        const double middle = insert_middle[i][0] * cos(turn) + insert_middle[i][1] * sin(turn);
        integral += insert_contrast * chord(insert_radius, at - middle);
    }
    return noisy_count(integral, angle, row, column);
}

/* The share of its contrast that a disk has in a slice. */
static double contrast_left(const float *slice, const double *middle)
{
    double own = 0, around = 0;
    int own_count = 0, around_count = 0;
    for (int i = 0; i < BODY * BODY; i++) {
        const double x = i % BODY - 0.5 * (BODY - 1), y = 0.5 * (BODY - 1) - i / BODY;
        const double away = hypot(x - middle[0], y - middle[1]);
        if (away < insert_radius - 1) own += (double)slice[i], own_count++;
        if (away > insert_radius + 3 && away < insert_radius + 6) around += (double)slice[i], around_count++;
    }
    return (own / own_count - around / around_count) / insert_contrast;
}

/* Total variation flattens small disks of little contrast, which the rays show. */
static void flattened_parts_come_back(void **state)
{
    const char *const at = *state;
    const CliScan scan = {.angles = BODY_ANGLES,
                          .rows = 1,
                          .columns = BODY,
                          .data_rank = 3,
                          .flats = 2,
                          .flat_count = 10000,
                          .darks = 1,
                          .count = count_of_body};
    cli_write_scan(at, "body.h5", &scan);
    cli_works(at, "recon body.h5 -o b.h5 --overwrite --theta 0:180:excluded --rotation-axis 63.5 --pictures no "
                  "--report none --regularization 0.15");
    float *slice = cli_read_volume(at, "b.h5", 1, BODY);
    for (int i = 0; i < INSERTS; i++) {
        const double left = contrast_left(slice, insert_middle[i]);
        print_message("disk %d: %.2f of its contrast\n", i, left);
        assert_true(left > 0.5 && left < 1.3);
    }
    free(slice);
}

/* Soft blobs are predicted better by qggmrf, which flattens no slopes; the strength is that of its own search. */
static void prior_is_chosen(void **state)
{
    const char *const at = *state;
    const CliScan scan = {.angles = 60,
                          .rows = 1,
                          .columns = 64,
                          .data_rank = 3,
                          .flats = 2,
                          .flat_count = 10000,
                          .darks = 1,
                          .theta_count = 60,
                          .count = count_of_blobs};
    static const char *const prior[] = {"auto", "qggmrf"};
    double threshold[2], strength[2];
    cli_write_scan(at, "blobs.h5", &scan);
    for (int i = 0; i < 2; i++) {
        cli_works(at,
                  "recon blobs.h5 -o b.h5 --overwrite --theta 0:180:excluded --rotation-axis 31.5 --pictures no "
                  "--report none --prior %s",
                  prior[i]);
        double *of_threshold = cli_read_doubles(at, "b.h5", "/process/prior_threshold", 0, NULL);
        double *of_strength = cli_read_doubles(at, "b.h5", "/process/regularization", 0, NULL);
        threshold[i] = *of_threshold;
        strength[i] = *of_strength;
        free(of_threshold);
        free(of_strength);
    }
    assert_true(threshold[0] == threshold[1]);
    assert_true(strength[0] < 1.2 * strength[1] && strength[1] < 1.2 * strength[0]);
}

/* The lowest and the highest value of the volume. */
typedef struct Span {
    double low, high;
} Span;

static Span span_of_slices(const char *directory, const char *name, int64_t slices)
{
    Span span = {INFINITY, -INFINITY};
    float *volume = cli_read_volume(directory, name, slices, SMALL);
    for (int64_t i = 0; i < slices * SMALL * SMALL; i++) {
        span.low = fmin(span.low, (double)volume[i]);
        span.high = fmax(span.high, (double)volume[i]);
    }
    free(volume);
    return span;
}

static Span span_of(const char *directory, const char *name)
{
    return span_of_slices(directory, name, SLICES);
}

/* Bounds are in units of the volume, here per cm of pixels of 5 µm. Both are reached, and not exceeded but by rounding;
 * no division changes the volume. */
static void bounds_are_kept(void **state)
{
    const char *const at = *state;
    static const char *const solvers[] = {"--algorithm fista --regularization 0.02", "--algorithm sirt --iterations 20",
                                          "--algorithm fista --regularization 0.02 --prior huber --subsets 1"};
    static const char *const divisions[] = {"--partitions 3", "--partitions 7 --minibatch 2", "--minibatch 5"};
    cli_works(at, "phantom -o p.h5 --size %d --angles 45 --slices %d --noise 0.02", SMALL, SLICES);
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        char words[200];
        snprintf(words, sizeof words, "%s --pixel-size 5", solvers[i]);
        cli_works(at,
                  "recon p.h5 -o free.h5 --overwrite --rotation-axis 39.5 --pictures no --report none "
                  "--nonnegativity no %s",
                  words);
        const Span unbound = span_of(at, "free.h5");
        assert_true(unbound.low < 0 && unbound.high > 0);
        snprintf(words, sizeof words, "%s --pixel-size 5 --minimum %.9g --maximum %.9g", solvers[i], unbound.low / 2,
                 unbound.high / 2);
        cli_works(at,
                  "recon p.h5 -o one.h5 --overwrite --rotation-axis 39.5 --pictures no --report none --partitions 1 "
                  "--minibatch 1 --workers 1 %s",
                  words);
        const Span bound = span_of(at, "one.h5");
        print_message("%s: %g to %g, bounded %g to %g\n", solvers[i], unbound.low, unbound.high, bound.low, bound.high);
        assert_true(fabs(bound.high - unbound.high / 2) <= 1e-6 * unbound.high);
        assert_true(bound.low >= unbound.low / 2 * (1 + 1e-6) && bound.low < 0);
        for (size_t d = 0; d < sizeof divisions / sizeof *divisions; d++) {
            char divided[256];
            snprintf(divided, sizeof divided, "%s %s", divisions[d], words);
            assert_same(at, divided);
        }
    }
}

/* A beam that was brighter than the open beam that is told: line integrals are too small by the same number everywhere,
 * so that no slice without negative values has them. */
static void projections_may_deny_nonnegativity(void **state)
{
    const char *const at = *state;
    static const char line[] =
        "recon p.h5 -o v.h5 --overwrite --rotation-axis 39.5 --pictures no --report none --open-beam 30000";
    static const char right[] = "recon p.h5 -o v.h5 --overwrite --rotation-axis 39.5 --pictures no --report none";
    static const char denied[] = "values below 0 predict left-out projections far better";
    cli_works(at, "phantom -o p.h5 --overwrite --size %d --angles 150 --slices 1 --noise 0.01 --truth t.h5", SMALL);
    char *said = cli_output_of(at, line);
    assert_non_null(strstr(said, denied));
    free(said);
    const double by_itself = cli_error(at, "v.h5", SMALL);
    assert_true(span_of_slices(at, "v.h5", 1).low < 0);
    char path[TESTING_PATH];
    const hid_t file = H5Fopen(testing_path(path, at, "v.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_hdf5_text(file, NULL, "/process/nonnegativity", "no, by the projections");
    testing_hdf5_close(file);
    cli_works(at, "%s --nonnegativity yes", line);
    const double bounded = cli_error(at, "v.h5", SMALL);
    print_message("brighter beam: error %.3g, without negative values %.3g\n", by_itself, bounded);
    assert_true(span_of_slices(at, "v.h5", 1).low == 0 && by_itself < 0.9 * bounded);
    said = cli_output_of(at, right);
    assert_null(strstr(said, denied));
    assert_true(span_of_slices(at, "v.h5", 1).low == 0);
    free(said);
    cli_works(at, "%s --regularization 0.1", line); /* nothing is searched for */
    assert_true(span_of_slices(at, "v.h5", 1).low == 0);
}

/* Every voxel outside of the circle is 0, some of the others are not; no division changes the volume. The circle of a
 * third cuts the object, which then must explain projections that it cannot. */
static void support_is_kept(void **state)
{
    const char *const at = *state;
    static const char *const solvers[] = {"--algorithm fista --regularization 0.02",
                                          "--algorithm fista --regularization 0.02 --prior huber",
                                          "--algorithm sirt --iterations 10"};
    static const double ratios[] = {0.9, 0.33};
    cli_works(at, "phantom -o p.h5 --size %d --angles 45 --slices %d --noise 0.02", SMALL, SLICES);
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
        for (size_t r = 0; r < sizeof ratios / sizeof *ratios; r++) {
            char words[200], divided[256];
            int64_t within = 0;
            snprintf(words, sizeof words, "%s --support-ratio %g", solvers[i], ratios[r]);
            cli_works(at,
                      "recon p.h5 -o one.h5 --overwrite --rotation-axis 39.5 --pictures no --report none --partitions "
                      "1 --minibatch 1 --workers 1 %s",
                      words);
            float *volume = cli_read_volume(at, "one.h5", SLICES, SMALL);
            for (int64_t k = 0; k < (int64_t)SLICES * SMALL * SMALL; k++) {
                const double x = (double)(k % SMALL) - 0.5 * (SMALL - 1),
                             y = (double)(k / SMALL % SMALL) - 0.5 * (SMALL - 1);
                const bool outside = hypot(x, y) > ratios[r] * SMALL / 2;
                assert_true(!outside || volume[k] == 0);
                within += volume[k] != 0;
            }
            free(volume);
            assert_true(within > 1000);
            snprintf(divided, sizeof divided, "--partitions 7 --minibatch 2 %s", words);
            assert_same(at, divided);
        }
}

/* So does no division with smooth priors, with a strength that is found or given. */
static void division_changes_no_smooth_prior(void **state)
{
    const char *const at = *state;
    static const char *const priors[] = {"--prior huber", "--prior qggmrf --prior-threshold 0.03 --regularization 0.1"};
    cli_works(at, "phantom -o p.h5 --object texture --size %d --angles 45 --slices %d --noise 0.01", SMALL, SLICES);
    for (size_t i = 0; i < sizeof priors / sizeof *priors; i++) {
        char words[160];
        cli_works(at,
                  "recon p.h5 -o one.h5 --overwrite --algorithm fista --rotation-axis 39.5 --pictures no "
                  "--report none --partitions 1 --minibatch 1 --workers 1 %s",
                  priors[i]);
        static const char *const divisions[] = {"--partitions 3", "--partitions 7 --minibatch 2",
                                                "--minibatch 5 --symmetry no", "--precision double"};
        for (size_t d = 0; d < sizeof divisions / sizeof *divisions; d++) {
            snprintf(words, sizeof words, "%s %s", divisions[d], priors[i]);
            assert_same(at, words);
        }
    }
}

/* With either smooth prior fista finds a strength, stores what it took, and is closer to a texture than cg. */
static void smooth_priors_are_close_to_the_truth(void **state)
{
    const char *const at = *state;
    static const char *const priors[] = {"huber", "qggmrf"};
    cli_works(at, "phantom -o p.h5 --object texture --size %d --angles 100 --slices 1 --noise 0.01 --truth t.h5",
              MIDDLE);
    cli_works(at, "recon p.h5 -o cg.h5 --algorithm cg --iterations 8 --rotation-axis 95.5 --pictures no --report none");
    const double of_cg = cli_error(at, "cg.h5", MIDDLE);
    for (size_t i = 0; i < sizeof priors / sizeof *priors; i++) {
        char words[160], line[80];
        snprintf(words, sizeof words,
                 "recon p.h5 -o v.h5 --overwrite --algorithm fista --rotation-axis 95.5 --pictures no --report none "
                 "--prior %s",
                 priors[i]);
        char *said = cli_output_of(at, words);
        snprintf(line, sizeof line, "prior: %s, threshold ", priors[i]);
        const double threshold = cli_number_after(said, line, NULL), error = cli_error(at, "v.h5", MIDDLE);
        double *kept = cli_read_doubles(at, "v.h5", "/process/prior_threshold", 0, NULL);
        double *strength = cli_read_doubles(at, "v.h5", "/process/regularization", 0, NULL);
        print_message("%s: threshold %g, %.2f %%, cg %.2f %%\n", priors[i], threshold, 100 * error, 100 * of_cg);
        /* A tenth of the value of the body, which the texture raises: docs/ALGORITHMS.md. */
        assert_true(fabs(*kept - threshold) <= 1e-3 * threshold && threshold > 4e-4 && threshold < 2e-3);
        assert_true(*strength > 0);
        assert_true(error <= 0.09 && error < 0.8 * of_cg);
        free(kept);
        free(strength);
        free(said);
    }
}

/* ‖A x − b‖² after the last iteration of v.h5. */
static double last_residual(const char *directory, int64_t iterations)
{
    const int64_t size[] = {1, iterations + 1};
    double *history = cli_read_doubles(directory, "v.h5", "/process/residuals", 2, size);
    const double last = history[iterations];
    free(history);
    return last;
}

/* Σ |difference of neighbours in a row|. */
static double variation_of(const float *slice, int64_t size)
{
    double sum = 0;
    for (int64_t i = 0; i < size * size; i++)
        if (i % size + 1 < size) sum += fabs((double)slice[i + 1] - (double)slice[i]);
    return sum;
}

/* Without a prior and without bounds fista comes to the residual of cg; bounds and strengths do what they say. */
static void settings_do_what_they_say(void **state)
{
    const char *const at = *state;
    cli_works(at, "phantom -o p.h5 --size 40 --angles 90 --slices 1 --noise 0.002 --truth t.h5");
    static const char line[] = "recon p.h5 -o v.h5 --overwrite --rotation-axis 19.5 --pictures no --report none";
    cli_works(at, "%s --iterations 100", line);
    const double of_cg = last_residual(at, 100);
    cli_works(at,
              "%s --algorithm fista --subsets 1 --iterations 2000 --regularization 0 --nonnegativity no --weights none",
              line);
    float *fista = cli_read_volume(at, "v.h5", 1, 40);
    int64_t negative = 0, zero = 0;
    for (int i = 0; i < 1600; i++) negative += fista[i] < 0;
    const double of_fista = last_residual(at, 2000);
    if (!(of_fista <= 1.001 * of_cg)) fail_msg("‖r‖² is %g with fista, %g with cg", of_fista, of_cg);
    assert_true(negative > 100);
    free(fista);
    cli_works(at, "%s --algorithm fista --iterations 30 --regularization 0", line);
    float *bounded = cli_read_volume(at, "v.h5", 1, 40);
    for (int i = 0; i < 1600; i++) {
        assert_true(bounded[i] >= 0);
        zero += bounded[i] == 0;
    }
    assert_true(zero > 100);
    cli_works(at, "%s --algorithm fista --regularization 3", line);
    float *flat = cli_read_volume(at, "v.h5", 1, 40);
    print_message("variation %g, with a strong prior %g\n", variation_of(bounded, 40), variation_of(flat, 40));
    assert_true(variation_of(flat, 40) < 0.3 * variation_of(bounded, 40));
    free(bounded);
    free(flat);
}

/* Rays without a value have no weight: a scan with dead columns and lost projections is as close to the truth. */
static void undefined_rays_have_no_weight(void **state)
{
    const char *const at = *state;
    cli_works(at, "phantom -o p.h5 --size %d --angles 60 --slices 1 --noise 0.01 --truth t.h5", SMALL);
    static const char line[] =
        "recon p.h5 -o v.h5 --overwrite --algorithm fista --rotation-axis 39.5 --pictures no --report none";
    cli_works(at, "%s", line);
    const double whole = cli_error(at, "v.h5", SMALL);
    cli_works(at, "%s --saturation 38000 --max-repaired 0.5", line); /* a tenth, beside the object */
    const double part = cli_error(at, "v.h5", SMALL);
    print_message("all rays: %.2f %%, without bright ones %.2f %%\n", 100 * whole, 100 * part);
    assert_true(part <= 1.5 * whole);
}

static void bad_words_are_refused(void **state)
{
    const char *const at = *state;
    cli_works(at, "phantom -o p.h5 --size 40 --angles 9 --slices 2");
    cli_refuses(at, "--regularization | --algorithm cg | --algorithm fista",
                "recon p.h5 -o v.h5 --algorithm cg --regularization 1");
    cli_refuses(at, "--weights | --algorithm mlem | --algorithm cg | fista",
                "recon p.h5 -o v.h5 --algorithm mlem --weights none");
    cli_refuses(at, "--weights w.npy | --geometry cone | auto, counts or none",
                "recon p.h5 -o v.h5 --geometry cone --algorithm cg --weights w.npy");
    cli_refuses(at, "--weights counts | --projector toeplitz | --weights none",
                "recon p.h5 -o v.h5 --algorithm cg --projector toeplitz --weights counts");
    cli_refuses(at, "--subsets | 4 | --projector toeplitz | 1",
                "recon p.h5 -o v.h5 --algorithm fista --projector toeplitz --subsets 4");
    cli_refuses(at, "--prior-dimensions | 3 | --projector toeplitz | 2",
                "recon p.h5 -o v.h5 --algorithm fista --projector toeplitz --prior-dimensions 3");
    cli_refuses(at, "--iterations | auto | --geometry cone | --geometry parallel",
                "plan p.h5 --geometry cone --algorithm sirt --iterations auto");
    cli_refuses(at, "--subsets | 10 | 9 angles | 1", "recon p.h5 -o v.h5 --algorithm fista --subsets 10");
    cli_refuses(at, "--maximum | --algorithm cg | --algorithm sirt", "recon p.h5 -o v.h5 --algorithm cg --maximum 1");
    cli_refuses(at, "--support-ratio | --algorithm mlem | --algorithm cg | fista",
                "recon p.h5 -o v.h5 --algorithm mlem --support-ratio 1");
    cli_refuses(at, "--minimum | --algorithm osem | --algorithm sirt",
                "recon p.h5 -o v.h5 --algorithm osem --minimum 0");
    cli_refuses(at, "--minimum | -0.5 | --nonnegativity yes | --minimum 0",
                "recon p.h5 -o v.h5 --nonnegativity yes --minimum -0.5");
    cli_refuses(at, "--prior | --algorithm cg | --algorithm fista", "recon p.h5 -o v.h5 --algorithm cg --prior huber");
    cli_refuses(at, "--prior-threshold | 0.1 | --prior auto | auto | huber",
                "recon p.h5 -o v.h5 --algorithm fista --prior-threshold 0.1");
    cli_refuses(at, "--prior-threshold | '0' | auto | 1000000000",
                "recon p.h5 -o v.h5 --algorithm fista --prior huber --prior-threshold 0");
    cli_refuses(at, "--weights | auto, counts or none | flat | No such file",
                "recon p.h5 -o v.h5 --algorithm fista --weights flat");
}

static void sweep_of_strengths_and_bounds(void **state)
{
    const char *const at = *state;
    cli_works(at, "phantom -o p.h5 --size 40 --angles 30 --slices 2");
    cli_works(at, "recon p.h5 -o sheet --reconstruction-type try --algorithm fista --iterations 4 --sweep "
                  "regularization=0.01,auto,1");
    cli_works(at,
              "recon p.h5 -o bounds --reconstruction-type try --algorithm fista --iterations 4 --regularization 0.1 "
              "--sweep minimum=-1,-0.001,auto");
}

/* The strength in the volume. */
static double kept_strength(const char *at)
{
    double *kept = cli_read_doubles(at, "v.h5", "/process/regularization", 0, NULL);
    const double strength = *kept;
    free(kept);
    return strength;
}

/* Lines try two strengths of a large slice at first, stored lengths eight. */
static void strengths_tried_in_turn_are_the_same(void **state)
{
    const char *const at = *state;
    double strength[2];
    cli_works(at, "phantom -o p.h5 --size 768 --angles 60 --slices 1");
    for (int i = 0; i < 2; i++) {
        cli_works(at,
                  "recon p.h5 -o v.h5 --overwrite --rotation-axis 383.5 --pictures no --report none --iterations 2 "
                  "--prior total-variation --precision %s",
                  i == 0 ? "single" : "double");
        strength[i] = kept_strength(at);
    }
    print_message("strength %g, %g\n", strength[0], strength[1]);
    assert_true(strength[0] < 1.05 * strength[1] && strength[1] < 1.05 * strength[0]);
}

/* What a line prints. */
static char *printed(const char *at, const char *line)
{
    CliRun run = {.directory = at};
    cli_start(&run, "%s", line);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    char *text = strdup(run.out);
    cli_free(&run);
    return text;
}

/* Found: 0.274 and 0.284. */
static void few_angles_have_a_stronger_prior(void **state)
{
    static const char line[] = "recon p.h5 -o v.h5 --overwrite --rotation-axis 39.5 --pictures no --report none";
    const char *const at = *state;
    cli_works(at, "phantom -o p.h5 --size %d --angles 19 --slices 1 --noise 0.01 --truth t.h5", SMALL);
    cli_works(at, line);
    const double found = cli_error(at, "v.h5", SMALL);
    cli_works(at, "%s --regularization %.17g", line, kept_strength(at) / 1.2);
    const double predicted = cli_error(at, "v.h5", SMALL);
    print_message("error %.3f, of the strength that predicts best %.3f\n", found, predicted);
    assert_true(found < 0.985 * predicted);
}

/* Few angles are worth 40 iterations, also of the search: in recon, in plan and in what init writes; told once the run
 * is sure to begin. */
static void few_angles_have_more_iterations(void **state)
{
    static const char line[] = "recon p.h5 -o v.h5 --overwrite --rotation-axis 39.5 --pictures no --report none";
    static const char plan[] =
        "plan --columns 80 --slices 64 --workers 2 --memory 4GiB --projector rays --json --angles";
    const char *const at = *state;
    for (int angles = 19; angles <= 20; angles++) {
        const bool few = angles == 19;
        char text[200], wanted[24];
        snprintf(wanted, sizeof wanted, "#iterations: %d\n", few ? 40 : 15);
        cli_works(at, "phantom -o p.h5 --overwrite --size %d --angles %d --slices 1 --noise 0.02", SMALL, angles);
        char *said = cli_output_of(at, line), *written = printed(at, "init p.h5 -o -");
        assert_int_equal(!!strstr(said, "iterations: 40, for the angles are few for 80 columns"), few);
        assert_non_null(strstr(written, wanted));
        float *usual = cli_read_volume(at, "v.h5", 1, SMALL);
        if (few) cli_works(at, "%s --iterations 40", line);
        if (!few) cli_works(at, "%s --regularization %.17g --iterations 15", line, kept_strength(at));
        float *given = cli_read_volume(at, "v.h5", 1, SMALL);
        assert_memory_equal(usual, given, SMALL * SMALL * sizeof *usual);
        snprintf(text, sizeof text, "%s %d", plan, angles);
        char *planned = printed(at, text);
        snprintf(text, sizeof text, "%s %d --iterations 40", plan, angles);
        char *planned_40 = printed(at, text);
        assert_int_equal(!strcmp(planned, planned_40), few);
        char *const texts[] = {said, written, planned, planned_40, (char *)usual, (char *)given};
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free(texts[i]);
    }
    cli_works(at, "phantom -o p.h5 --overwrite --size %d --angles 19 --slices 1", SMALL);
    cli_refuses(at, "v.h5 exists | --overwrite", "recon p.h5 -o v.h5 --rotation-axis 39.5");
}

int cli_fista_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_ONE_CORE(defaults_are_close_to_the_truth),
        CLI_ONE_CORE(strength_is_near_the_best),
        CLI_ONE_CORE(subsets_are_faster),
        CLI_ONE_CORE(subsets_store_as_few_angles),
        CLI_ONE_CORE(starved_scan_keeps_its_contrast),
        CLI_TEST(division_changes_nothing),
        CLI_ONE_CORE(averaged_columns_find_the_same_strength),
        CLI_ONE_CORE(prior_is_chosen),
        CLI_ONE_CORE(flattened_parts_come_back),
        CLI_TEST(division_changes_no_smooth_prior),
        CLI_TEST(bounds_are_kept),
        CLI_ONE_CORE(projections_may_deny_nonnegativity),
        CLI_TEST(support_is_kept),
        CLI_ONE_CORE(smooth_priors_are_close_to_the_truth),
        CLI_ONE_CORE(settings_do_what_they_say),
        CLI_ONE_CORE(undefined_rays_have_no_weight),
        CLI_TEST(bad_words_are_refused),
        CLI_ONE_CORE(sweep_of_strengths_and_bounds),
        CLI_ONE_CORE(strengths_tried_in_turn_are_the_same),
        CLI_ONE_CORE(few_angles_have_more_iterations),
        CLI_ONE_CORE(few_angles_have_a_stronger_prior),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
