/* SPDX-License-Identifier: BSD-3-Clause */
/* Images from counts and a system matrix, against MLEM, OSEM, BSREM, CG and SIRT with a dense matrix in double
 * precision. */
#include "testing.h"
#include "testing_matrix.h"
#include "testing_recon.h"
#include "volume.h"

#include <math.h>

enum { NX = 6, NY = 5, NZ = 4, VOXELS = NX * NY * NZ, ROWS = 307, SETS = 3, ENTRIES = ROWS * 14 };

/* A scanner of which nothing is known but the matrix. */
typedef struct Case {
    double *a; /* [ROWS][VOXELS] */
    char matrix[TESTING_PATH], counts[TESTING_PATH], n[TESTING_PATH], r[TESTING_PATH], mask[TESTING_PATH];
    char start[TESTING_PATH], sensitivity[TESTING_PATH], out[TESTING_PATH];
    float g[SETS][ROWS], factor[ROWS], additive[SETS][ROWS], kept[VOXELS], first[VOXELS], known[VOXELS];
} Case;

static void write_matrix(Case *of, const char *directory)
{
    TestingMatrix matrix = testing_matrix(ROWS, VOXELS, ENTRIES, 7);
    FILE *out = fopen(testing_path(of->matrix, directory, "a.mtx"), "w");
    assert_non_null(out);
    fprintf(out, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", ROWS, VOXELS, ENTRIES);
    for (int i = 0; i < ENTRIES; i++)
        fprintf(out, "%d %d %.17g\n", (int)matrix.entry[i].row + 1, (int)matrix.entry[i].column + 1,
                matrix.entry[i].value);
    assert_int_equal(fclose(out), 0);
    of->a = testing_dense(&matrix);
    free(matrix.entry);
}

static Case *case_new(const char *directory)
{
    Case *of = calloc(1, sizeof *of);
    uint64_t seed = 11;
    assert_non_null(of);
    write_matrix(of, directory);
    testing_path(of->out, directory, "image.h5");
    for (int i = 0; i < ROWS; i++) {
        of->factor[i] = i % 13 == 5 ? 0 : 0.5F + (float)(testing_random(&seed) % 100) / 100;
        for (int s = 0; s < SETS; s++) {
            of->g[s][i] = (float)(testing_random(&seed) % 90);
            of->additive[s][i] = (float)(testing_random(&seed) % 9);
        }
    }
    for (int v = 0; v < VOXELS; v++) {
        of->kept[v] = v % 7 != 2;
        of->first[v] = (float)(1 + v % 4);
        of->known[v] = 20 + (float)(v % 11);
    }
    testing_write_file(testing_path(of->counts, directory, "counts"), of->g, sizeof of->g);
    testing_write_file(testing_path(of->n, directory, "n"), of->factor, sizeof of->factor);
    testing_write_file(testing_path(of->r, directory, "r"), of->additive, sizeof of->additive);
    testing_write_file(testing_path(of->mask, directory, "mask"), of->kept, sizeof of->kept);
    testing_write_file(testing_path(of->start, directory, "start"), of->first, sizeof of->first);
    testing_write_file(testing_path(of->sensitivity, directory, "sensitivity"), of->known, sizeof of->known);
    return of;
}

static void case_free(Case *of)
{
    free(of->a);
    free(of);
}

/* What a reconstruction is given. */
typedef struct Given {
    bool n, r, mask, start, sensitivity;
    int subsets, iterations;
    double strength; /* of the prior; 0: OSEM */
    bool huber;
    double typical; /* value of the image; 0: found in the first iterations */
} Given;

/* The order of subsets' turns: by reversed bits. */
static int turn(int subsets, int k)
{
    static const int of_four[] = {0, 2, 1, 3}, of_three[] = {0, 2, 1};
    return subsets == 4 ? of_four[k] : subsets == 3 ? of_three[k] : k;
}

static double factor_of(const Case *of, const Given *given, int i)
{
    return given->n ? (double)of->factor[i] : 1;
}

/* s of a subset. */
static void sensitivity_of(const Case *of, const Given *given, int subset, double s[VOXELS])
{
    for (int v = 0; v < VOXELS; v++) {
        s[v] = 0;
        for (int i = subset; i < ROWS; i += given->subsets) s[v] += factor_of(of, given, i) * of->a[i * VOXELS + v];
        if (given->sensitivity) s[v] = (double)of->known[v] / given->subsets;
        if (given->mask) s[v] *= (double)of->kept[v];
    }
}

static void start_of(const Case *of, const Given *given, int set, double x[VOXELS])
{
    double counts = 0, all = 0, met[VOXELS] = {0};
    for (int i = 0; i < ROWS; i++) counts += (double)of->g[set][i];
    for (int k = 0; k < given->subsets; k++) {
        double s[VOXELS];
        sensitivity_of(of, given, k, s);
        for (int v = 0; v < VOXELS; v++) {
            all += s[v];
            met[v] += s[v];
        }
    }
    for (int v = 0; v < VOXELS; v++) {
        x[v] = met[v] > 0 ? counts / all : 0;
        if (given->start) x[v] = given->mask ? (double)(of->first[v] * of->kept[v]) : (double)of->first[v];
    }
}

/* ---- BSREM ---- */

/* The prior of BSREM, with s of all rows and the typical value m. */
typedef struct Prior {
    const Given *given;
    double s[VOXELS], m;
} Prior;

static Prior prior_of(const Case *of, const Given *given)
{
    Prior prior = {.given = given, .m = given->typical};
    for (int k = 0; k < given->subsets; k++) {
        double s[VOXELS];
        sensitivity_of(of, given, k, s);
        for (int v = 0; v < VOXELS; v++) prior.s[v] += s[v];
    }
    return prior;
}

static double typical(const double x[VOXELS])
{
    double square = 0, sum = 0;
    for (int v = 0; v < VOXELS; v++) {
        square += x[v] * x[v];
        sum += x[v];
    }
    return square / sum;
}

/* w·κκ of two voxels; 0: they are no neighbours. */
static double pair_weight(const Prior *prior, int a, int b)
{
    const double all = 6 + 12 / sqrt(2) + 8 / sqrt(3);
    const int x = abs(a % NX - b % NX), y = abs(a / NX % NY - b / NX % NY), z = abs(a / NX / NY - b / NX / NY);
    if (a == b || x > 1 || y > 1 || z > 1) return 0;
    return sqrt(prior->s[a] * prior->s[b] / (x + y + z)) / all;
}

/* β·R, and its slope and bend along each voxel. */
static double pull(const Prior *prior, const double x[VOXELS], double slope[VOXELS], double bend[VOXELS])
{
    const double m = prior->m, beta = prior->given->strength, least = m / 1000;
    double sum = 0;
    for (int a = 0; a < VOXELS; a++) {
        slope[a] = bend[a] = 0;
        for (int b = 0; b < VOXELS; b++) {
            const double w = beta * pair_weight(prior, a, b), d = x[a] - x[b], t = fabs(d) / (0.1 * m);
            const double q = x[a] + x[b] + 2 * fabs(d) + least;
            if (prior->given->huber) {
                sum += w / 2 * (0.01 * m * (t < 1 ? t * t / 2 : t - 0.5));
                slope[a] += w * d / m / fmax(t, 1);
                bend[a] += w / m / fmax(t, 1);
            } else {
                sum += w / 2 * (d * d / q);
                slope[a] += w * d * (2 * fabs(d) + x[a] + 3 * x[b] + 2 * least) / (q * q);
                bend[a] += w * 2 / q;
            }
        }
    }
    return sum;
}

/* An update in the iteration by g and s of a subset. */
static void update_bsrem(const Prior *prior, int iteration, const double g[VOXELS], const double s[VOXELS],
                         double x[VOXELS])
{
    const int subsets = prior->given->subsets;
    const double length = subsets > 1 ? 1 / (1 + 0.1 * (iteration - 1)) : 1;
    double slope[VOXELS], bend[VOXELS];
    pull(prior, x, slope, bend);
    for (int v = 0; v < VOXELS; v++) {
        if (!(prior->s[v] > 0)) continue;
        const double step = x[v] / (prior->s[v] + bend[v] * x[v]) * subsets;
        x[v] = fmax(x[v] + length * step * (g[v] - s[v] - slope[v] / subsets), 1e-6 * prior->m);
    }
}

/* x of OSEM or BSREM, and the log-likelihood of the last x over the rows of all subsets if there is one subset. */
static double reference(const Case *of, const Given *given, int set, double x[VOXELS])
{
    double likelihood = 0;
    Prior prior = prior_of(of, given);
    start_of(of, given, set, x);
    for (int turns = 0; turns <= given->iterations * given->subsets; turns++) {
        const int subset = turn(given->subsets, turns % given->subsets), iteration = turns / given->subsets + 1;
        double g[VOXELS] = {0}, s[VOXELS];
        likelihood = 0;
        for (int i = subset; i < ROWS; i += given->subsets) {
            double y = 0;
            const double n = factor_of(of, given, i), counted = (double)of->g[set][i];
            for (int v = 0; v < VOXELS; v++) y += of->a[i * VOXELS + v] * x[v];
            const double ybar = n * y + (given->r ? (double)of->additive[set][i] : 0);
            if (ybar > 0) likelihood += (counted > 0 ? counted * log(ybar) : 0) - ybar;
            for (int v = 0; v < VOXELS && ybar > 0; v++) g[v] += of->a[i * VOXELS + v] * n * counted / ybar;
        }
        if (turns == given->iterations * given->subsets) break;
        sensitivity_of(of, given, subset, s);
        if (given->typical <= 0 && turns % given->subsets == 0 && turns <= 16) prior.m = typical(x);
        if (given->strength > 0)
            update_bsrem(&prior, iteration, g, s, x);
        else
            for (int v = 0; v < VOXELS; v++) x[v] = s[v] > 0 ? x[v] / s[v] * g[v] : x[v];
    }
    return likelihood;
}

static void add_file(char *words, bool given, const char *option, const char *path)
{
    const size_t length = strlen(words);
    if (given) assert_true(snprintf(words + length, 2 * TESTING_PATH, " %s %s", option, path) < 2 * TESTING_PATH);
}

static void run(const Case *of, const Given *given, const char *precision)
{
    char words[12 * TESTING_PATH];
    snprintf(words, TESTING_PATH,
             "%%s --system-matrix %%s --volume %dx%dx%d%s --subsets %d --iterations %d --precision %s", NX, NY, NZ,
             given->strength > 0 ? "" : " --algorithm osem", given->subsets, given->iterations, precision);
    add_file(words, given->n, "--multiplicative", of->n);
    add_file(words, given->r, "--additive", of->r);
    add_file(words, given->mask, "--mask", of->mask);
    add_file(words, given->start, "--start", of->start);
    add_file(words, given->sensitivity, "--sensitivity", of->sensitivity);
    if (given->strength > 0)
        snprintf(words + strlen(words), TESTING_PATH, " --algorithm bsrem --regularization %g%s", given->strength,
                 given->huber ? " --prior huber" : "");
    testing_recon_to(of->out, words, of->counts, of->matrix);
}

static float *read_image(const Case *of)
{
    float *image;
    int64_t slices, height, width;
    assert_success(sino_volume_read(of->out, &slices, &height, &width, &image));
    assert_int_equal(slices, SETS * NZ);
    assert_int_equal(height, NY);
    assert_int_equal(width, NX);
    return image;
}

/* ‖image − wanted‖/‖wanted‖. */
static double error_of(const float *image, const double *wanted)
{
    double off = 0, norm = 0;
    for (int v = 0; v < VOXELS; v++) {
        off += ((double)image[v] - wanted[v]) * ((double)image[v] - wanted[v]);
        norm += wanted[v] * wanted[v];
    }
    return sqrt(off / norm);
}

static void check(const Case *of, const Given *given, const char *precision, double most)
{
    run(of, given, precision);
    float *image = read_image(of);
    for (int s = 0; s < SETS; s++) {
        double wanted[VOXELS];
        reference(of, given, s, wanted);
        for (int v = 0; v < VOXELS; v++) {
            assert_true(image[s * VOXELS + v] >= 0);
            if (wanted[v] == 0) assert_true(image[s * VOXELS + v] == 0);
        }
        assert_true(error_of(image + s * VOXELS, wanted) < most);
    }
    free(image);
}

static void images_are_those_of_the_algorithm(void **state)
{
    static const Given given[] = {{.subsets = 1, .iterations = 20},
                                  {.n = true, .subsets = 1, .iterations = 10},
                                  {.n = true, .r = true, .subsets = 4, .iterations = 5},
                                  {.r = true, .mask = true, .subsets = 3, .iterations = 6},
                                  {.n = true, .mask = true, .start = true, .subsets = 1, .iterations = 4},
                                  {.sensitivity = true, .subsets = 3, .iterations = 4},
                                  {.n = true, .sensitivity = true, .mask = true, .subsets = 1, .iterations = 4},
                                  {.n = true, .r = true, .mask = true, .subsets = 4, .iterations = 7, .strength = 0.2},
                                  {.sensitivity = true, .start = true, .subsets = 3, .iterations = 4, .strength = 3},
                                  {.r = true, .subsets = 1, .iterations = 20, .strength = 0.3, .huber = true}};
    Case *of = case_new(*state);
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        check(of, &given[i], "single", 1e-5);
        check(of, &given[i], "mixed", 2e-4);
    }
    case_free(of);
}

/* The log-likelihood of x, less the prior. */
static double objective(const Case *of, const Prior *prior, int set, const double x[VOXELS])
{
    double sum = 0, slope[VOXELS], bend[VOXELS];
    for (int i = 0; i < ROWS; i++) {
        double y = prior->given->r ? (double)of->additive[set][i] : 0;
        for (int v = 0; v < VOXELS; v++) y += factor_of(of, prior->given, i) * of->a[i * VOXELS + v] * x[v];
        if (y > 0) sum += (of->g[set][i] > 0 ? (double)of->g[set][i] * log(y) : 0) - y;
    }
    return sum - pull(prior, x, slope, bend);
}

/* Counts of an object that deviate about as those of Poisson, where the subsets agree more than by chance. */
static void count_object(Case *of)
{
    uint64_t seed = 3;
    for (int i = 0; i < ROWS; i++) {
        double y = (double)of->additive[0][i];
        for (int v = 0; v < VOXELS; v++) y += of->a[i * VOXELS + v] * 40 * (double)of->first[v];
        const double off = (double)(testing_random(&seed) % 1000) / 500 - 1;
        of->g[0][i] = (float)floor(fmax(y + 1.7 * off * sqrt(y), 0) + 0.5);
    }
    testing_write_file(of->counts, of->g, sizeof of->g);
}

/* With several subsets, too, x comes to the maximum, which long steps of all rows find. */
static void bsrem_comes_to_the_maximum(void **state)
{
    static const Given given[] = {{.r = true, .subsets = 4, .iterations = 30, .strength = 0.1},
                                  {.r = true, .subsets = 3, .iterations = 100, .strength = 1},
                                  {.r = true, .subsets = 4, .iterations = 30, .strength = 0.2, .huber = true}};
    Case *of = case_new(*state);
    count_object(of);
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        Given whole = given[i], little = given[i];
        double x[VOXELS], best[VOXELS], first[VOXELS];
        little.iterations = 4; /* after which m stays */
        reference(of, &little, 0, x);
        whole.subsets = 1;
        whole.iterations = 1200;
        whole.typical = typical(x);
        reference(of, &whole, 0, best);
        start_of(of, &whole, 0, first);
        const Prior prior = prior_of(of, &whole);
        run(of, &given[i], "single");
        float *image = read_image(of);
        for (int v = 0; v < VOXELS; v++) x[v] = (double)image[v];
        const double most = objective(of, &prior, 0, best), off = most - objective(of, &prior, 0, x);
        const double range = most - objective(of, &prior, 0, first);
        if (!(off < 1e-3 * range && range > 0)) fail_msg("case %d is %g of %g below the maximum", (int)i, off, range);
        free(image);
    }
    case_free(of);
}

/* CG on (g − r)/n, with weight 0 where n is 0: its residual falls, and it finds what least squares do. */
static void cg_solves_least_squares(void **state)
{
    Case *of = case_new(*state);
    double x[VOXELS], b[ROWS], gradient[VOXELS] = {0}, first[VOXELS] = {0}, norm = 0, norm0 = 0;
    testing_recon_to(of->out,
                     "%s --system-matrix %s --volume 6x5x4 --algorithm cg --iterations 150 --multiplicative %s "
                     "--additive %s",
                     of->counts, of->matrix, of->n, of->r);
    float *image = read_image(of);
    for (int v = 0; v < VOXELS; v++) x[v] = (double)image[v];
    for (int i = 0; i < ROWS; i++) {
        double y = 0;
        b[i] = (double)((of->g[0][i] - of->additive[0][i]) / of->factor[i]);
        if (of->factor[i] == 0) continue;
        for (int v = 0; v < VOXELS; v++) y += of->a[i * VOXELS + v] * x[v];
        for (int v = 0; v < VOXELS; v++) {
            gradient[v] += of->a[i * VOXELS + v] * (b[i] - y);
            first[v] += of->a[i * VOXELS + v] * b[i];
        }
    }
    for (int v = 0; v < VOXELS; v++) {
        norm += gradient[v] * gradient[v];
        norm0 += first[v] * first[v];
    }
    assert_true(sqrt(norm / norm0) < 1e-4);
    free(image);
    case_free(of);
}

TESTING_SUBJECT(counts)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(images_are_those_of_the_algorithm, testing_directory_make,
                                        testing_directory_remove),
        cmocka_unit_test_setup_teardown(bsrem_comes_to_the_maximum, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(cg_solves_least_squares, testing_directory_make, testing_directory_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
