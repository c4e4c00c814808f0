/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, counts of a system matrix: what defines MLEM, the same images in double precision, the same bits
 * whatever computes them, and an object that is known. */
#include "cli.h"
#include "counts_problem.h"

#include <math.h>
#include <signal.h>
#include <unistd.h>

#define FRAMES_RUN "recon m.counts --system-matrix m.csr4 --pictures no --report none --workers 1 --iterations 400 "
#define SMALL      "phantom --geometry pet --crystals 12x3x2 --rays 4 --volume 16x14x6 --voxel-size 0.6 -o m.csr4 "

enum { ROWS = 12 * 3 * 2 * 12 * 3 * 2, WIDTH = 16, HEIGHT = 14, SLICES = 6, VOXELS = SLICES * HEIGHT * WIDTH };

/* The image of a run with m.csr4; caller frees. */
static double *image_of(const char *directory, const char *words)
{
    static const int64_t size[] = {SLICES, HEIGHT, WIDTH};
    cli_works(directory, "recon --system-matrix m.csr4 -o image.h5 --overwrite --pictures no --report none %s", words);
    return cli_read_doubles(directory, "image.h5", "/exchange/data", 3, size);
}

/* The image, rounded to float as it is stored. */
static bool same_images(const double *a, const double *b)
{
    for (int64_t i = 0; i < VOXELS; i++)
        if (a[i] != b[i]) return false;
    return true;
}

/* ‖a − b‖/‖b‖ */
static double difference(int64_t count, const double *a, const double *b)
{
    double off = 0, norm = 0;
    for (int64_t i = 0; i < count; i++) {
        off += (a[i] - b[i]) * (a[i] - b[i]);
        norm += b[i] * b[i];
    }
    return sqrt(off / norm);
}

static void assert_near(const double *found, const double *expected, double bound, const char *what)
{
    const double off = difference(VOXELS, found, expected);
    if (!(off <= bound)) fail_msg("%s: the relative difference is %g; allowed: %g", what, off, bound);
}

/* Σg/Σs in each voxel of sensitivity s > 0, 0 elsewhere: where MLEM begins. */
static double *first_image(const CountsProblem *problem, const double *n, const double *counts)
{
    double *image = calloc(VOXELS, sizeof *image), total = 0, sum = 0;
    assert_non_null(image);
    counts_backproject(problem, n, image);
    for (int64_t row = 0; row < ROWS; row++) sum += counts[row];
    for (int64_t i = 0; i < VOXELS; i++) total += image[i];
    for (int64_t i = 0; i < VOXELS; i++) image[i] = image[i] > 0 ? sum / total : 0;
    return image;
}

/* After each iteration Σ s·f = Σ g, and no voxel is negative. */
static void counts_are_kept(void **state)
{
    const char *const at = *state;
    char words[100];
    double sensitivity[VOXELS];
    cli_works(at, SMALL "--counts 300000");
    CountsProblem problem = counts_read_matrix(at, "m.csr4");
    double *counts = counts_read_int32(at, "m.counts", ROWS);
    const double sum = counts_explained(&problem, counts);
    counts_backproject(&problem, NULL, sensitivity);
    for (int iterations = 1; iterations <= 5; iterations++) {
        double kept = 0;
        snprintf(words, sizeof words, "m.counts --iterations %d --algorithm mlem", iterations);
        double *image = image_of(at, words);
        for (int64_t i = 0; i < VOXELS; i++) {
            assert_true(image[i] >= 0 && (sensitivity[i] > 0 || image[i] == 0));
            kept += sensitivity[i] * image[i];
        }
        if (fabs(kept / sum - 1) > 1e-6) fail_msg("iteration %d keeps %.9g of the counts", iterations, kept / sum);
        free(image);
    }
    free(counts);
    counts_free(&problem);
}

/* The log-likelihood of each iteration's image is that of the image, and never falls. */
static void likelihood_never_falls(void **state)
{
    enum { ITERATIONS = 60 };
    static const int64_t size[] = {1, ITERATIONS + 1};
    const char *const at = *state;
    cli_works(at, SMALL "--counts 300000 --background 0.2");
    CountsProblem problem = counts_read_matrix(at, "m.csr4");
    double *counts = counts_read_int32(at, "m.counts", ROWS), *terms = counts_read_float32(at, "m.additive", ROWS);
    const CountsModel model = {.counts = counts, .additive = terms};
    double *image = first_image(&problem, NULL, counts);
    free(image_of(at, "m.counts --additive m.additive --algorithm mlem --iterations 60"));
    double *found = cli_read_doubles(at, "image.h5", "/process/log_likelihood", 2, size);
    assert_true(isnan(found[0])); /* of the first image it is not told */
    for (int i = 1; i <= ITERATIONS; i++) {
        counts_mlem(&problem, &model, 1, image);
        const double expected = counts_likelihood(&problem, &model, image);
        if (!(fabs(found[i] / expected - 1) <= 1e-8))
            fail_msg("the log-likelihood of iteration %d is %.12g; expected: %.12g", i, found[i], expected);
        if (i > 1 && !(found[i] >= found[i - 1])) fail_msg("it falls in iteration %d", i);
    }
    free(found);
    free(image);
    free(counts);
    free(terms);
    counts_free(&problem);
}

static void images_are_those_of_double_precision(void **state)
{
    const char *const at = *state;
    cli_works(at, SMALL "--counts 300000");
    CountsProblem problem = counts_read_matrix(at, "m.csr4");
    double *counts = counts_read_int32(at, "m.counts", ROWS), *expected = first_image(&problem, NULL, counts);
    const CountsModel model = {.counts = counts};
    counts_mlem(&problem, &model, 20, expected);
    double *image = image_of(at, "m.counts --algorithm mlem --iterations 20 --precision single");
    assert_near(image, expected, 1e-5, "single");
    free(image);
    image = image_of(at, "m.counts --algorithm mlem --iterations 20 --precision mixed");
    assert_near(image, expected, 2e-4, "mixed");
    free(image);
    free(expected);
    free(counts);
    counts_free(&problem);
}

static void assert_same_image(const char *directory, const char *words, const double *expected)
{
    double *image = image_of(directory, words);
    if (!same_images(image, expected)) fail_msg("another image: %s", words);
    free(image);
}

/* Errors of the images of so many iterations of OSEM, by the program's iterations: the least one, and that of `auto`.
 */
static void compare_errors(const char *directory, const CountsModel *model, CountsProblem *problem, int subsets)
{
    enum { ITERATIONS = 120 };
    static const int64_t size[] = {SLICES, HEIGHT, WIDTH};
    static const int order[] = {0, 2, 1, 3};
    char words[120];
    double least = INFINITY;
    double *truth = cli_read_doubles(directory, "m.truth.h5", "/exchange/data", 3, size);
    double *image = first_image(problem, NULL, model->counts);
    for (int i = 1; i <= ITERATIONS; i++) {
        counts_osem(problem, model, subsets, order, 1, image);
        least = fmin(least, difference(VOXELS, image, truth));
    }
    const int length =
        snprintf(words, sizeof words, "m.counts --additive m.additive --algorithm osem --subsets %d ", subsets);
    snprintf(words + length, sizeof words - (size_t)length, "--iterations auto");
    double *found = image_of(directory, words);
    const double off = difference(VOXELS, found, truth);
    if (!(off <= 1.1 * least)) fail_msg("%d subsets: the error is %g; the least one is %g", subsets, off, least);
    double *number = cli_read_doubles(directory, "image.h5", "/process/iterations", 1, (const int64_t[]){1});
    snprintf(words + length, sizeof words - (size_t)length, "--iterations %g --workers 1", *number);
    assert_same_image(directory, words, found);
    free(number);
    free(found);
    free(image);
    free(truth);
}

/* Neither too few iterations, nor so many that noise is fitted. */
static void iterations_are_found(void **state)
{
    const char *const at = *state;
    cli_works(at, SMALL "--counts 60000 --background 0.2");
    CountsProblem problem = counts_read_matrix(at, "m.csr4");
    double *counts = counts_read_int32(at, "m.counts", ROWS), *terms = counts_read_float32(at, "m.additive", ROWS);
    const CountsModel model = {.counts = counts, .additive = terms};
    compare_errors(at, &model, &problem, 1);
    compare_errors(at, &model, &problem, 4);
    free(counts);
    free(terms);
    counts_free(&problem);
}

/* β is as given, or 2/√(m·s) of early images; that of the last one is near to it. */
static void strength_of_a_prior_is_told(void **state)
{
    static const int64_t sets[] = {1};
    const char *const at = *state;
    double sensitivity[VOXELS], sum = 0, square = 0, total = 0;
    int64_t met = 0;
    cli_works(at, SMALL "--counts 300000");
    CountsProblem problem = counts_read_matrix(at, "m.csr4");
    counts_backproject(&problem, NULL, sensitivity);
    double *image = image_of(at, "m.counts --algorithm bsrem --iterations 20 --regularization 0.25");
    double *strength = cli_read_doubles(at, "image.h5", "/process/regularization", 1, sets);
    assert_true(strength[0] == 0.25);
    free(strength);
    free(image);
    image = image_of(at, "m.counts --algorithm bsrem --iterations 20");
    strength = cli_read_doubles(at, "image.h5", "/process/regularization", 1, sets);
    for (int64_t i = 0; i < VOXELS; i++) {
        sum += image[i];
        square += image[i] * image[i];
        total += sensitivity[i];
        met += sensitivity[i] > 0;
    }
    const double expected = 2 / sqrt(square / sum * total / (double)met);
    if (!(fabs(strength[0] / expected - 1) < 0.2)) fail_msg("%g; expected about %g", strength[0], expected);
    free(strength);
    free(image);
    counts_free(&problem);
}

/* As many workers as there are cores, up to 4, and every kind of policy. */
static void bits_are_the_same_by_any_workers(void **state)
{
    static const char *const policies[] = {"eager", "prio", "ws", "dmda", "sino-affinity"};
    static const char *const algorithms[] = {
        "mlem", "mlem --precision mixed", "osem --subsets 3", "bsrem --subsets 3", "cg", "sirt"};
    const char *const at = *state;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    char line[200];
    cli_works(at, SMALL "--counts 300000 --background 0.1");
    for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++) {
        const int length =
            snprintf(line, sizeof line, "m.counts --additive m.additive --iterations 6 --algorithm %s ", algorithms[a]);
        double *expected = image_of(at, line);
        for (int workers = 1; workers <= cores && workers <= 4; workers++) {
            snprintf(line + length, sizeof line - (size_t)length, "--workers %d", workers);
            assert_same_image(at, line, expected);
        }
        for (int i = 0; i < 4; i++) {
            snprintf(line + length, sizeof line - (size_t)length, "--scheduler %s", policies[i]);
            assert_same_image(at, line, expected);
        }
        free(expected);
    }
}

/* One subset is MLEM to the bit; several are those rows, in the order of reversed bits. */
static void subsets_are_rows(void **state)
{
    enum { SUBSETS = 7 };
    static const int order[SUBSETS] = {0, 4, 2, 6, 1, 5, 3};
    const char *const at = *state;
    cli_works(at, SMALL "--counts 300000");
    CountsProblem problem = counts_read_matrix(at, "m.csr4");
    double *counts = counts_read_int32(at, "m.counts", ROWS), *expected = first_image(&problem, NULL, counts);
    const CountsModel model = {.counts = counts};
    double *image = image_of(at, "m.counts --iterations 8 --algorithm mlem");
    double *osem = image_of(at, "m.counts --iterations 8 --algorithm osem --subsets 1");
    assert_true(same_images(osem, image));
    free(image);
    free(osem);
    counts_osem(&problem, &model, SUBSETS, order, 3, expected);
    osem = image_of(at, "m.counts --iterations 3 --algorithm osem --subsets 7");
    assert_near(osem, expected, 1e-5, "7 subsets");
    free(osem);
    free(expected);
    free(counts);
    counts_free(&problem);
}

/* Every file that may go with a matrix, together. */
static void the_whole_model(void **state)
{
    const char *const at = *state;
    double factors[ROWS], start[VOXELS], mask[VOXELS];
    uint64_t seed = 11;
    cli_works(at, SMALL "--counts 300000 --background 0.25");
    CountsProblem problem = counts_read_matrix(at, "m.csr4");
    double *counts = counts_read_int32(at, "m.counts", ROWS), *terms = counts_read_float32(at, "m.additive", ROWS);
    for (int i = 0; i < ROWS; i++) factors[i] = testing_random(&seed) % 10 == 0 ? 0 : testing_random(&seed) % 64 / 32.0;
    for (int i = 0; i < VOXELS; i++) start[i] = testing_random(&seed) % 100 + 1;
    for (int i = 0; i < VOXELS; i++) mask[i] = testing_random(&seed) % 5 != 0;
    counts_write_float32(at, "factors", ROWS, factors);
    counts_write_float32(at, "start", VOXELS, start);
    counts_write_float32(at, "mask", VOXELS, mask);
    const CountsModel model = {.counts = counts, .multiplicative = factors, .additive = terms};
    for (int i = 0; i < VOXELS; i++) start[i] *= mask[i];
    counts_mlem(&problem, &model, 10, start);
    double *image = image_of(at, "m.counts --algorithm mlem --iterations 10 --multiplicative factors --additive "
                                 "m.additive --start start --mask mask");
    for (int i = 0; i < VOXELS; i++) assert_true(mask[i] > 0 || image[i] == 0);
    assert_near(image, start, 2e-5, "a whole model");
    free(image);
    free(counts);
    free(terms);
    counts_free(&problem);
}

/* An image of sensitivities is used in place of Aᵀ1; each subset has its share. */
static void sensitivities_are_used(void **state)
{
    const char *const at = *state;
    double sensitivity[VOXELS];
    uint64_t seed = 3;
    cli_works(at, SMALL "--counts 300000");
    CountsProblem problem = counts_read_matrix(at, "m.csr4");
    double *counts = counts_read_int32(at, "m.counts", ROWS), *expected = first_image(&problem, NULL, counts);
    counts_backproject(&problem, NULL, sensitivity);
    for (int i = 0; i < VOXELS; i++) sensitivity[i] *= 1 + testing_random(&seed) % 100 / 100.0;
    counts_write_float32(at, "sensitivity", VOXELS, sensitivity);
    const CountsModel model = {.counts = counts, .sensitivity = sensitivity};
    counts_mlem(&problem, &model, 10, expected);
    double *image = image_of(at, "m.counts --algorithm mlem --iterations 10 --sensitivity sensitivity");
    assert_near(image, expected, 1e-5, "a sensitivity");
    free(image);
    free(expected);
    expected = first_image(&problem, NULL, counts);
    counts_osem(&problem, &model, 4, (const int[]){0, 2, 1, 3}, 2, expected);
    image = image_of(at, "m.counts --algorithm osem --subsets 4 --iterations 2 --sensitivity sensitivity");
    assert_near(image, expected, 1e-5, "subsets that share a sensitivity");
    free(image);
    free(expected);
    free(counts);
    counts_free(&problem);
}

/* The volume of a run of several sets; caller frees. */
static double *images_of(const char *directory, int64_t sets, const char *words)
{
    const int64_t size[] = {sets, SLICES, HEIGHT, WIDTH};
    cli_works(directory, "recon --system-matrix m.csr4 -o all.h5 --overwrite --pictures no --report none %s", words);
    return cli_read_doubles(directory, "all.h5", "/exchange/data", 4, size);
}

/* Sets that are solved together have the images that each has alone, but for rounding, as sums over voxels are in
 * another order then; and the same bits whatever the other sets are. */
static void sets_are_independent(void **state)
{
    enum { SETS = 3 };
    static const char *const algorithms[] = {"mlem", "osem --subsets 4", "cg", "sirt"};
    const char *const at = *state;
    char line[200];
    cli_works(at, SMALL "--counts 300000 --replicates 3 --background 0.1");
    int32_t *counts = cli_read_bytes(at, "m.counts", SETS * ROWS * sizeof *counts);
    cli_write_bytes(at, "two.counts", counts + ROWS, 2 * ROWS * sizeof *counts);
    for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++) {
        snprintf(line, sizeof line, "m.counts --additive m.additive --iterations 5 --algorithm %s", algorithms[a]);
        double *three = images_of(at, SETS, line);
        snprintf(line, sizeof line, "two.counts --additive m.additive --iterations 5 --algorithm %s", algorithms[a]);
        double *two = images_of(at, 2, line);
        assert_true(same_images(two, three + VOXELS) && same_images(two + VOXELS, three + (int64_t)2 * VOXELS));
        for (int64_t set = 0; set < SETS; set++) {
            cli_write_bytes(at, "one.counts", counts + set * ROWS, ROWS * sizeof *counts);
            snprintf(line, sizeof line, "one.counts --additive m.additive --iterations 5 --algorithm %s",
                     algorithms[a]);
            double *alone = image_of(at, line);
            assert_near(three + set * VOXELS, alone, 2e-6, algorithms[a]);
            free(alone);
        }
        free(two);
        free(three);
    }
    free(counts);
}

/* Images that are saved on the way are those of shorter runs, and runs go on from them, to the bit. */
static void images_on_the_way_are_saved(void **state)
{
    static const int64_t size[] = {SLICES, HEIGHT, WIDTH};
    const char *const at = *state;
    cli_works(at, SMALL "--counts 300000 --background 0.1");
    double *last = image_of(at, "m.counts --additive m.additive --iterations 5 --save-every 2");
    double *second = cli_read_doubles(at, "image_iteration_00002.h5", "/exchange/data", 3, size);
    double *fourth = cli_read_doubles(at, "image_iteration_00004.h5", "/exchange/data", 3, size);
    assert_same_image(at, "m.counts --additive m.additive --iterations 2", second);
    assert_same_image(at, "m.counts --additive m.additive --iterations 4", fourth);
    assert_same_image(at, "m.counts --additive m.additive --iterations 3 --start image_iteration_00002.h5", last);
    assert_names(at, "image.h5 image_iteration_00002.h5 image_iteration_00004.h5 m.additive m.counts m.csr4 "
                     "m.truth.h5");
    /* Also beside a volume of integers. */
    cli_works(at,
              "recon m.counts --system-matrix m.csr4 --additive m.additive --iterations 3 --save-every 2 --pictures no "
              "--overwrite -o image.tif --save-format tiff-stack --output-type uint16 --output-range 0:100000");
    double *beside = cli_read_doubles(at, "image_iteration_00002.h5", "/exchange/data", 3, size);
    assert_true(same_images(beside, second));
    free(beside);
    free(second);
    free(fourth);
    free(last);
}

/* Runs stop when an iteration adds too little to the log-likelihood. */
static void small_gains_stop_a_run(void **state)
{
    enum { MOST = 40 };
    static const int64_t size[] = {1, MOST + 1};
    const char *const at = *state;
    int made = 2;
    cli_works(at, SMALL "--counts 300000");
    free(image_of(at, "m.counts --iterations 40"));
    double *all = cli_read_doubles(at, "image.h5", "/process/log_likelihood", 2, size);
    while (made < MOST && all[made] - all[made - 1] > 1e-4 * fabs(all[made])) made++;
    assert_true(made > 3 && made < MOST - 3);
    double *stopped = image_of(at, "m.counts --iterations 40 --likelihood-tolerance 1e-4");
    char line[100];
    snprintf(line, sizeof line, "m.counts --iterations %d", made);
    assert_same_image(at, line, stopped);
    free(all);
    free(stopped);
}

/* CGLS in double precision: min ‖A f − g‖². */
static void least_squares(const CountsProblem *problem, const double *counts, int iterations, double *image)
{
    double residual[ROWS], product[ROWS], gradient[VOXELS], direction[VOXELS], norm = 0;
    memcpy(residual, counts, sizeof residual);
    memset(image, 0, VOXELS * sizeof *image);
    memset(direction, 0, sizeof direction);
    for (int i = 0; i <= iterations; i++) {
        double squares = 0, length = 0;
        counts_backproject(problem, residual, gradient);
        for (int v = 0; v < VOXELS; v++) squares += gradient[v] * gradient[v];
        for (int v = 0; v < VOXELS; v++) direction[v] = gradient[v] + (i > 0 ? squares / norm : 0) * direction[v];
        if (i == iterations) return;
        counts_project(problem, direction, product);
        for (int row = 0; row < ROWS; row++) length += product[row] * product[row];
        for (int v = 0; v < VOXELS; v++) image[v] += squares / length * direction[v];
        for (int row = 0; row < ROWS; row++) residual[row] -= squares / length * product[row];
        norm = squares;
    }
}

/* The image of ten iterations of an algorithm is that of `solve`, to the tolerance. */
static void check_solver(const char *at, const char *algorithm, double tolerance,
                         void (*solve)(const CountsProblem *problem, const double *counts, int iterations,
                                       double *image))
{
    double expected[VOXELS];
    char options[80];
    cli_works(at, SMALL "--counts 300000");
    CountsProblem problem = counts_read_matrix(at, "m.csr4");
    double *counts = counts_read_int32(at, "m.counts", ROWS);
    solve(&problem, counts, 10, expected);
    snprintf(options, sizeof options, "m.counts --algorithm %s --iterations 10", algorithm);
    double *image = image_of(at, options);
    assert_near(image, expected, tolerance, algorithm);
    free(image);
    free(counts);
    counts_free(&problem);
}

static void least_squares_are_solved(void **state)
{
    check_solver(*state, "cg", 1e-4, least_squares);
}

/* SIRT in double precision: f += C Aᵀ R (g − A f), C and R one over the sums of columns and rows. */
static void simultaneous_steps(const CountsProblem *problem, const double *counts, int iterations, double *image)
{
    double columns[VOXELS], rows[ROWS], product[ROWS], gradient[VOXELS], ones[VOXELS];
    for (int v = 0; v < VOXELS; v++) ones[v] = 1;
    counts_project(problem, ones, rows);
    counts_backproject(problem, NULL, columns);
    memset(image, 0, VOXELS * sizeof *image);
    for (int i = 0; i < iterations; i++) {
        counts_project(problem, image, product);
        for (int row = 0; row < ROWS; row++)
            product[row] = rows[row] > 0 ? (counts[row] - product[row]) / rows[row] : 0;
        counts_backproject(problem, product, gradient);
        for (int v = 0; v < VOXELS; v++) image[v] += columns[v] > 0 ? gradient[v] / columns[v] : 0;
    }
}

static void simultaneous_steps_are_taken(void **state)
{
    check_solver(*state, "sirt", 1e-5, simultaneous_steps);
}

/* A sphere of the phantom, in voxels of an image of 38 × 38 × 10 (pet_scanner.h says where they are). */
typedef struct Place {
    double x, y, radius;
} Place;

enum { SIDE = 38, DEPTH = 10, SPHERES = 5 };

static Place place_of(int sphere)
{
    static const double share[SPHERES] = {0.22, 0.18, 0.14, 0.1, 0.22};
    const double angle = M_PI / 2 - 2 * M_PI * sphere / SPHERES;
    return (Place){SIDE / 4.0 * cos(angle), SIDE / 4.0 * sin(angle), share[sphere] * SIDE / 2};
}

/* How far a voxel is from the middle of a sphere. */
static double distance_to(Place place, int64_t voxel)
{
    const double x = (double)(voxel % SIDE) - (SIDE - 1) / 2.0 - place.x;
    const double y = (SIDE - 1) / 2.0 - (double)(voxel / SIDE % SIDE) - place.y;
    const double z = (double)(voxel / SIDE / SIDE) - (DEPTH - 1) / 2.0;
    return sqrt(x * x + y * y + z * z);
}

/* The mean within 0.7 of a sphere's radius; sphere SPHERES: of the body, 2 voxels and more from all spheres. */
static double mean_in(const double *image, int sphere)
{
    double sum = 0, count = 0;
    for (int64_t i = 0; i < DEPTH * SIDE * SIDE; i++) {
        const Place axis = {0, 0, 0};
        const int64_t slice = i % (SIDE * SIDE) + DEPTH / 2 * SIDE * SIDE; /* its voxel of the middle slice */
        bool inside = sphere < SPHERES ? distance_to(place_of(sphere), i) < 0.7 * place_of(sphere).radius
                                       : distance_to(axis, slice) < 0.4 * SIDE;
        for (int other = 0; sphere == SPHERES && other < SPHERES; other++)
            inside = inside && distance_to(place_of(other), i) > place_of(other).radius + 2;
        sum += inside ? image[i] : 0;
        count += inside;
    }
    return sum / count;
}

/* Spheres of 4 and of 0 in a body of 1, whose scale the file of the truth has. */
static void spheres_have_their_contrast(void **state)
{
    static const int64_t size[] = {DEPTH, SIDE, SIDE};
    static const double least[] = {3.8, 3.8, 3.6, 3.2, 0, 0.95}, most[] = {4.4, 4.5, 4.6, 4.4, 0.3, 1.05};
    const char *const at = *state;
    cli_works(at, "phantom --geometry pet -o mouse.csr4 --counts 5000000");
    cli_works(at, "recon mouse.counts --system-matrix mouse.csr4 --iterations 30 -o image.h5");
    double *image = cli_read_doubles(at, "image.h5", "/exchange/data", 3, size);
    double *truth = cli_read_doubles(at, "mouse.truth.h5", "/exchange/data", 3, size);
    const double unit = mean_in(truth, SPHERES);
    for (int sphere = 0; sphere <= SPHERES; sphere++) {
        const double found = mean_in(image, sphere) / unit;
        if (found < least[sphere] || found > most[sphere])
            fail_msg("sphere %d has %g; allowed: %g to %g", sphere, found, least[sphere], most[sphere]);
    }
    free(image);
    free(truth);
}

/* Sets of counts, twice as many as AVX-512 solves together; and bytes of a journal of 64 sets. */
enum { FRAMES = 128, FIRST_SETS = 2480000 };

static void assert_same_frames(const char *directory, const char *dataset, int rank, const int64_t *size)
{
    double *whole = cli_read_doubles(directory, "whole.h5", dataset, rank, size);
    double *resumed = cli_read_doubles(directory, "out.h5", dataset, rank, size);
    int64_t count = 1;
    for (int i = 0; i < rank; i++) count *= size[i];
    if (memcmp(whole, resumed, (size_t)count * sizeof *whole) != 0) fail_msg("%s differs", dataset);
    free(whole);
    free(resumed);
}

/* Kills a run once the first sets are in its journal, then goes on from them. */
static void interrupt_and_resume(const char *directory)
{
    CliRun run = {.directory = directory};
    cli_start(&run, FRAMES_RUN "-o out.h5");
    const bool goes = cli_await_size(&run, "out.h5.journal", FIRST_SETS);
    if (goes) kill(run.pid, SIGKILL);
    cli_wait(&run);
    assert_true(goes && run.exit_code != 0);
    cli_free(&run);
    cli_start(&run, FRAMES_RUN "-o out.h5 --resume");
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("%s", run.err);
    assert_non_null(strstr(run.err, " of 768 slices are complete, from an unfinished run"));
    assert_null(strstr(run.err, "sinodag: 0 of 768"));
    cli_free(&run);
}

/* To the bit the images of a run that nothing ended. */
static void sets_are_resumed(void **state)
{
    static const int64_t images[] = {FRAMES, SLICES, HEIGHT, WIDTH}, residuals[] = {FRAMES, 401}, lost[] = {FRAMES};
    cli_works(*state, SMALL "--counts 3000 --replicates %d", FRAMES);
    cli_works(*state, FRAMES_RUN "-o whole.h5");
    interrupt_and_resume(*state);
    assert_same_frames(*state, "/exchange/data", 4, images);
    assert_same_frames(*state, "/process/residuals", 2, residuals);
    double *found = cli_read_doubles(*state, "out.h5", "/process/lost_counts", 1, lost);
    assert_true(isnan(found[0]) && !isnan(found[FRAMES - 1]));
    free(found);
    cli_refuses(*state, "--resume | --save-every | --start",
                "recon m.counts --system-matrix m.csr4 -o new.h5 --resume --save-every 2");
}

/* Each value of --sweep has the middle slice of a whole run with it, with subsets of its own, too. */
static void values_are_tried(void **state)
{
    enum { ACROSS = 14 };
    static const char *const swept[][3] = {{"subsets", "4", "--iterations 2"},
                                           {"iterations", "3", "--tolerance 0"},
                                           {"post-filter", "2.5", "--iterations 2"}};
    const char *const at = *state;
    static const int64_t size[] = {SLICES, ACROSS, ACROSS};
    cli_works(at, "phantom --geometry pet --crystals 12x3x2 --counts 200000 -o t.csr4");
    for (size_t i = 0; i < sizeof swept / sizeof *swept; i++) {
        const char *name = swept[i][0], *value = swept[i][1], *rest = swept[i][2];
        static const char run[] = "recon t.counts --system-matrix t.csr4 --algorithm osem --overwrite";
        char file[64];
        snprintf(file, sizeof file, "tried/%s_%s.tiff", name, value);
        cli_works(at, "%s -o tried --reconstruction-type try --pictures no %s --sweep %s=1,%s", run, rest, name, value);
        cli_works(at, "%s -o all.h5 --pictures no --report none %s --%s %s", run, rest, name, value);
        double *all = cli_read_doubles(at, "all.h5", "/exchange/data", 3, size);
        float *slice = cli_read_tiff(at, file, ACROSS);
        for (int64_t k = 0; k < ACROSS * ACROSS; k++)
            assert_true((double)slice[k] == all[SLICES / 2 * ACROSS * ACROSS + k]);
        free(all);
        free(slice);
    }
    cli_refuses(at, "--reconstruction-type try | no centers | --sweep",
                "recon t.counts --system-matrix t.csr4 -o x --reconstruction-type try");
}

int cli_counts_tests(void)
{
    const struct CMUnitTest tests[] = {CLI_TEST(counts_are_kept),
                                       CLI_TEST(likelihood_never_falls),
                                       CLI_TEST(images_are_those_of_double_precision),
                                       CLI_TEST(strength_of_a_prior_is_told),
                                       CLI_TEST(bits_are_the_same_by_any_workers),
                                       CLI_TEST(subsets_are_rows),
                                       CLI_TEST(the_whole_model),
                                       CLI_TEST(sensitivities_are_used),
                                       CLI_TEST(sets_are_independent),
                                       CLI_TEST(images_on_the_way_are_saved),
                                       CLI_TEST(sets_are_resumed),
                                       CLI_TEST(small_gains_stop_a_run),
                                       CLI_TEST(least_squares_are_solved),
                                       CLI_TEST(simultaneous_steps_are_taken),
                                       CLI_TEST(iterations_are_found),
                                       CLI_TEST(values_are_tried),
                                       CLI_TEST(spheres_have_their_contrast)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
