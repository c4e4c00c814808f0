/* SPDX-License-Identifier: BSD-3-Clause */
/* Library, system matrices: products and solutions against loops in double, and what is refused. */
#include "testing_library.h"

#include <math.h>

/* A matrix of R rows and V voxels, 4 × 3 × 2; row 7 is empty, and no row meets voxel 5. */
enum { R = 90, X = 4, Y = 3, Z = 2, V = X * Y * Z, EMPTY = 7, UNSEEN = 5, SETS = 37, N = 4 };

/* ---- the matrix ---- */

typedef struct Sparse {
    double dense[R][V];
    int64_t start[R + 1], column[R * V];
    int32_t narrow_start[R + 1], narrow_column[R * V];
    double value[R * V];
    float narrow_value[R * V];
} Sparse;

static const Sparse *sparse(void)
{
    static Sparse made;
    int64_t count = 0;
    if (made.start[R] > 0) return &made;
    double *random = numbers(R * V, 1);
    for (int r = 0; r < R; r++) {
        for (int v = V - 1; v >= 0; v--) { /* in an order that is not ascending */
            const double value = random[r * V + v];
            if (r == EMPTY || v == UNSEEN || value > 0.4) continue;
            made.dense[r][v] = value + 0.25;
            made.column[count] = made.narrow_column[count] = v;
            made.narrow_value[count] = (float)(made.value[count] = value + 0.25);
            count++;
        }
        made.start[r + 1] = made.narrow_start[r + 1] = (int32_t)count;
    }
    free(random);
    return &made;
}

static SinodagMatrix matrix(void)
{
    const Sparse *of = sparse();
    return (SinodagMatrix){R, V, SINODAG_INT64, SINODAG_FLOAT64, of->start, of->column, of->value};
}

static SinodagOperator *new_matrix(int64_t subsets, const char *const *settings)
{
    const SinodagMatrix of = matrix();
    const SinodagGeometry geometry = {.subsets = subsets, .matrix = &of};
    SinodagOperator *op = NULL;
    succeeds(sinodag_operator_new(&geometry, settings, &op));
    assert_non_null(op);
    return op;
}

static SinodagArray array(void *data, SinodagType type, int64_t sets, int64_t count)
{
    return (SinodagArray){.data = data, .type = type, .size = {sets, count, 1}};
}

/* y = A x of one set, and x = Aᵀ y. */
static void multiply(const double *x, double *y)
{
    for (int r = 0; r < R; r++) {
        y[r] = 0;
        for (int v = 0; v < V; v++) y[r] += sparse()->dense[r][v] * x[v];
    }
}

static void multiply_back(const double *y, double *x)
{
    for (int v = 0; v < V; v++) {
        x[v] = 0;
        for (int r = 0; r < R; r++) x[v] += sparse()->dense[r][v] * y[r];
    }
}

static void close_to(int64_t count, const double *found, const double *wanted, double relative)
{
    double largest = 0;
    for (int64_t i = 0; i < count; i++) largest = fmax(largest, fabs(wanted[i]));
    for (int64_t i = 0; i < count; i++)
        if (!(fabs(found[i] - wanted[i]) <= relative * largest))
            fail_msg("element %ld is %.9g; expected %.9g", (long)i, found[i], wanted[i]);
}

static void check_products(SinodagOperator *op, double tolerance)
{
    double *x = numbers(SETS * V, 2), *y = numbers(SETS * R, 3), wanted[R], wanted_back[V];
    double *found = numbers(SETS * R, 4), *found_back = numbers(SETS * V, 5);
    const SinodagArray of = array(x, SINODAG_FLOAT64, SETS, V), to = array(found, SINODAG_FLOAT64, SETS, R);
    const SinodagArray from = array(y, SINODAG_FLOAT64, SETS, R), back = array(found_back, SINODAG_FLOAT64, SETS, V);
    succeeds(sinodag_project(op, &of, &to));
    succeeds(sinodag_backproject(op, &from, &back));
    for (int f = 0; f < SETS; f++) {
        multiply(x + f * V, wanted);
        multiply_back(y + f * R, wanted_back);
        close_to(R, found + f * R, wanted, tolerance);
        close_to(V, found_back + f * V, wanted_back, tolerance);
    }
    free(x);
    free(y);
    free(found);
    free(found_back);
}

static void matrices_multiply(void **state)
{
    static const char *const mixed[] = {"precision=mixed", NULL};
    static const char *const grid[] = {"volume=4x3x2", "voxel-size=2", NULL};
    (void)state;
    SinodagAbout about;
    SinodagOperator *op = new_matrix(0, NULL);
    check_products(op, 1e-6);
    succeeds(sinodag_operator_about(op, &about));
    assert_true(about.images[0] == 0 && about.images[1] == V && about.images[2] == 1);
    assert_true(about.projections[0] == 0 && about.projections[1] == R && about.projections[2] == 1);
    assert_true(about.voxels[0] == 1 && about.voxels[1] == 1 && about.voxels[2] == V && about.subsets == 1);
    assert_true(about.nonzeros == sparse()->start[R] && about.bytes > 0 && about.partitions > 0);
    succeeds(sinodag_operator_free(op));
    op = new_matrix(0, grid);
    check_products(op, 1e-6);
    succeeds(sinodag_operator_about(op, &about));
    assert_true(about.voxels[0] == Z && about.voxels[1] == Y && about.voxels[2] == X);
    succeeds(sinodag_operator_free(op));
    op = new_matrix(0, mixed);
    check_products(op, 2e-3);
    succeeds(sinodag_operator_free(op));
    op = new_matrix(N, NULL);
    check_products(op, 1e-6);
    succeeds(sinodag_operator_free(op));
}

/* The arrays of the matrix are read in any types, and only while the operator is made. Arrays of products have any
 * strides. */
static void matrices_come_in_any_types(void **state)
{
    (void)state;
    static Sparse copy;
    copy = *sparse();
    const SinodagMatrix narrow = {
        R, V, SINODAG_INT32, SINODAG_FLOAT32, copy.narrow_start, copy.narrow_column, copy.narrow_value};
    const SinodagGeometry geometry = {.matrix = &narrow};
    SinodagOperator *op = NULL, *usual = new_matrix(0, NULL);
    succeeds(sinodag_operator_new(&geometry, NULL, &op));
    memset(&copy, 0x7f, sizeof copy);
    double *x = numbers(SETS * V, 6);
    float *turned = calloc(SETS * V, sizeof *turned), *y = calloc(SETS * R, sizeof *y);
    double *sparse_y = calloc(2 * SETS * R, sizeof *sparse_y);
    for (int f = 0; f < SETS; f++)
        for (int v = 0; v < V; v++) turned[(V - 1 - v) * SETS + f] = (float)x[f * V + v];
    const SinodagArray of = array(x, SINODAG_FLOAT64, SETS, V);
    SinodagArray of_turned = array(turned + (V - 1) * SETS, SINODAG_FLOAT32, SETS, V);
    SinodagArray to = array(y, SINODAG_FLOAT32, SETS, R), to_sparse = array(sparse_y, SINODAG_FLOAT64, SETS, R);
    memcpy(of_turned.stride, (int64_t[]){1, -SETS, 99}, sizeof of_turned.stride);
    memcpy(to_sparse.stride, (int64_t[]){2 * R, 2, 1}, sizeof to_sparse.stride);
    succeeds(sinodag_project(usual, &of, &to));
    succeeds(sinodag_project(op, &of_turned, &to_sparse));
    for (int i = 0; i < SETS * R; i++) assert_true(sparse_y[2 * i] == (double)y[i] && sparse_y[2 * i + 1] == 0);
    succeeds(sinodag_operator_free(op));
    succeeds(sinodag_operator_free(usual));
    free(x);
    free(turned);
    free(y);
    free(sparse_y);
}

/* Subset s has the rows s, s + N, s + 2N …; its projections may be a view of all. */
static void rows_have_subsets(void **state)
{
    (void)state;
    SinodagOperator *op = new_matrix(N, NULL);
    double *x = numbers(V, 7), *y = numbers(R, 8), found[R], back[V], sum[V] = {0}, wanted[R], wanted_back[V];
    const SinodagArray of = array(x, SINODAG_FLOAT64, 1, V), to_back = array(back, SINODAG_FLOAT64, 1, V);
    for (int s = 0; s < N; s++) {
        SinodagArray part = array(found + s, SINODAG_FLOAT64, 1, (R - s + N - 1) / N);
        part.stride[1] = N;
        succeeds(sinodag_project_subset(op, s, &of, &part));
        part.data = y + s;
        succeeds(sinodag_backproject_subset(op, s, &part, &to_back));
        for (int v = 0; v < V; v++) sum[v] += back[v];
    }
    multiply(x, wanted);
    multiply_back(y, wanted_back);
    close_to(R, found, wanted, 1e-6);
    close_to(V, sum, wanted_back, 1e-6);
    const SinodagArray all = array(y, SINODAG_FLOAT64, 1, R);
    refused(sinodag_project_subset(op, 2, &of, &all), "(1, 90, 1); allowed: (S, 22, 1)");
    refused(sinodag_project_subset(op, N, &of, &all), "subset | 4 | 0 to 3");
    free(x);
    free(y);
    succeeds(sinodag_operator_free(op));
}

/* ---- solutions of counts ---- */

typedef struct Problem {
    double counts[R], multiplicative[R], additive[R], start[V], sensitivity[V];
} Problem;

static Problem problem(void)
{
    Problem made;
    double *random = numbers(3 * R + V, 9);
    for (int r = 0; r < R; r++) {
        made.counts[r] = floor(100 * random[r]);
        made.multiplicative[r] = 0.5 + random[R + r];
        made.additive[r] = random[2 * R + r];
    }
    for (int v = 0; v < V; v++) made.start[v] = v == UNSEEN ? 0 : 1 + random[3 * R + v];
    multiply_back(made.multiplicative, made.sensitivity);
    free(random);
    return made;
}

/* MLEM in double; residual[i] = ‖ybar − g‖² after i iterations, and before them ‖g‖². */
static void mlem(const Problem *of, int iterations, double x[V], double residual[])
{
    double y[R], ratio[R], back[V];
    for (int v = 0; v < V; v++) x[v] = of->start[v];
    for (int i = 0; i <= iterations; i++) {
        multiply(x, y);
        residual[i] = 0;
        for (int r = 0; r < R; r++) {
            const double ybar = of->multiplicative[r] * y[r] + of->additive[r];
            residual[i] += (ybar - of->counts[r]) * (ybar - of->counts[r]);
            ratio[r] = ybar > 0 ? of->multiplicative[r] * of->counts[r] / ybar : 0;
        }
        if (i == 0) residual[0] = 0;
        for (int r = 0; r < R && i == 0; r++) residual[0] += of->counts[r] * of->counts[r];
        multiply_back(ratio, back);
        for (int v = 0; v < V && i < iterations; v++)
            if (of->sensitivity[v] > 0) x[v] *= back[v] / of->sensitivity[v];
    }
}

static void counts_are_solved(void **state)
{
    enum { ITERATIONS = 6 };
    static const char *const settings[] = {"iterations=6", NULL};
    (void)state;
    Problem of = problem();
    SinodagOperator *op = new_matrix(1, NULL);
    double found[2][V], wanted[V], residual[2][ITERATIONS + 1], wanted_residual[ITERATIONS + 1], counts[2][R];
    for (int r = 0; r < R; r++) counts[0][r] = counts[1][r] = of.counts[r];
    const SinodagArray start = array(of.start, SINODAG_FLOAT64, 1, V), data = array(counts, SINODAG_FLOAT64, 2, R);
    const SinodagArray multiplicative = array(of.multiplicative, SINODAG_FLOAT64, 1, R);
    const SinodagArray additive = array(of.additive, SINODAG_FLOAT64, 1, R);
    const SinodagArray sensitivity = array(of.sensitivity, SINODAG_FLOAT64, 1, V);
    SinodagSolution to = {.volume = array(found, SINODAG_FLOAT64, 2, V),
                          .residual = residual[0],
                          .columns = ITERATIONS + 1,
                          .start = &start,
                          .multiplicative = &multiplicative,
                          .additive = &additive};
    mlem(&of, ITERATIONS, wanted, wanted_residual);
    for (int given = 0; given < 2; given++) {
        to.sensitivity = given ? &sensitivity : NULL;
        succeeds(sinodag_solve(op, &data, settings, &to));
        for (int f = 0; f < 2; f++) {
            close_to(V, found[f], wanted, 1e-5);
            close_to(ITERATIONS + 1, residual[f], wanted_residual, 1e-5);
        }
    }
    succeeds(sinodag_operator_free(op));
}

/* image · Gaussian along one axis of `count` voxels that are `step` apart, in double; beyond the image lies 0. */
static void smooth_axis(double image[V], int count, int step, double fwhm)
{
    const double sigma = fwhm / sqrt(8 * log(2));
    double sum = 0, smooth[V] = {0};
    for (int d = -40; d <= 40; d++) sum += exp(-d * d / (2 * sigma * sigma));
    for (int v = 0; v < V; v++)
        for (int i = 0; i < count; i++) {
            const int d = i - v / step % count;
            smooth[v] += image[v + d * step] * exp(-d * d / (2 * sigma * sigma)) / sum;
        }
    memcpy(image, smooth, sizeof smooth);
}

/* --post-filter in mm, of voxels of 2 mm. */
static void images_are_smoothed(void **state)
{
    const char *const plain[] = {"algorithm=mlem", "iterations=5", NULL};
    const char *const smooth[] = {"algorithm=mlem", "iterations=5", "post-filter=3", NULL};
    (void)state;
    Problem of = problem();
    const char *const sized[] = {"volume=4x3x2", "voxel-size=2", NULL}, *const grid[] = {"volume=4x3x2", NULL};
    SinodagOperator *op = new_matrix(1, sized), *unknown = new_matrix(1, grid);
    double found[V], wanted[V];
    const SinodagArray data = array(of.counts, SINODAG_FLOAT64, 1, R);
    const SinodagSolution to = {.volume = array(found, SINODAG_FLOAT64, 1, V)};
    const SinodagSolution to_wanted = {.volume = array(wanted, SINODAG_FLOAT64, 1, V)};
    succeeds(sinodag_solve(op, &data, plain, &to_wanted));
    succeeds(sinodag_solve(op, &data, smooth, &to));
    smooth_axis(wanted, X, 1, 1.5);
    smooth_axis(wanted, Y, X, 1.5);
    smooth_axis(wanted, Z, X * Y, 1.5);
    close_to(V, found, wanted, 1e-3);
    refused(sinodag_solve(unknown, &data, smooth, &to), "the size of the voxels is not known");
    succeeds(sinodag_operator_free(op));
    succeeds(sinodag_operator_free(unknown));
}

static int count_calls(void *of, double done, const char *text)
{
    ++*(int *)of;
    return done < 0 || !*text;
}

/* With consistent values all algorithms approach what the values are of. */
static void algorithms_solve_matrices(void **state)
{
    static const struct {
        int64_t subsets;
        const char *settings[3];
        double error;
    } by[] = {{1, {"algorithm=cg", "iterations=40"}, 1e-3},
              {1, {"algorithm=sirt", "iterations=300"}, 0.1},
              {1, {"algorithm=mlem", "iterations=300"}, 0.1},
              {N, {"algorithm=osem", "iterations=80"}, 0.1}};
    (void)state;
    double *x = numbers(V, 10), y[R];
    x[UNSEEN] = 0;
    multiply(x, y);
    for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
        SinodagOperator *op = new_matrix(by[i].subsets, NULL);
        float found[V];
        double error = 0;
        int calls = 0;
        const SinodagArray data = array(y, SINODAG_FLOAT64, 1, R);
        const SinodagSolution to = {
            .volume = array(found, SINODAG_FLOAT32, 1, V), .progress = count_calls, .of = &calls};
        succeeds(sinodag_solve(op, &data, by[i].settings, &to));
        for (int v = 0; v < V; v++) error = fmax(error, fabs((double)found[v] - x[v]));
        if (!(error < by[i].error) || calls == 0) fail_msg("%s: error %g, %d calls", by[i].settings[0], error, calls);
        succeeds(sinodag_operator_free(op));
    }
    free(x);
}

/* ---- what is refused of matrices ---- */

static void check_matrix_refused(SinodagMatrix wrong, const char *text)
{
    const SinodagGeometry geometry = {.matrix = &wrong};
    SinodagOperator *op = NULL;
    refused(sinodag_operator_new(&geometry, NULL, &op), text);
    assert_null(op);
}

static void wrong_matrices_are_refused(void **state)
{
    (void)state;
    static int64_t start[R + 1], column[R * V];
    static double value[R * V];
    const SinodagMatrix usual = matrix();
    SinodagMatrix wrong = usual;
    wrong.rows = 0;
    check_matrix_refused(wrong, "the matrix");
    wrong.rows = INT64_MIN;
    check_matrix_refused(wrong, "the matrix");
    wrong = usual;
    wrong.columns = INT64_MAX;
    check_matrix_refused(wrong, "the matrix");
    wrong = usual;
    wrong.index_type = SINODAG_FLOAT32;
    check_matrix_refused(wrong, "type 0 | SINODAG_INT32 | SINODAG_INT64");
    wrong = usual;
    wrong.value_type = (SinodagType)99;
    check_matrix_refused(wrong, "type 99 | SINODAG_FLOAT32 | SINODAG_FLOAT64");
    wrong = usual;
    wrong.start = NULL;
    check_matrix_refused(wrong, "no start, column or value");
    wrong = usual;
    wrong.column = (const char *)usual.column + 1;
    check_matrix_refused(wrong, "aligned");
    memcpy(start, usual.start, sizeof start);
    memcpy(column, usual.column, (size_t)start[R] * sizeof *column);
    memcpy(value, usual.value, (size_t)start[R] * sizeof *value);
    wrong = (SinodagMatrix){R, V, SINODAG_INT64, SINODAG_FLOAT64, start, column, value};
    start[3] = start[R] + 1;
    check_matrix_refused(wrong, "element 3 of start");
    start[3] = sparse()->start[3];
    column[4] = V;
    check_matrix_refused(wrong, "element 4 of column | 24 | 0 to 23");
    column[4] = sparse()->column[4];
    value[5] = NAN;
    check_matrix_refused(wrong, "allowed: finite values of at least 0");
}

static void matrices_refuse(void **state)
{
    static const char *const wrong[][2] = {
        {"precision=double", "--precision double | --geometry matrix | single or mixed"},
        {"projector=rotate", "--projector contradicts --geometry matrix"},
        {"geometry=cone", "--geometry cone contradicts --system-matrix"},
        {"system-matrix=x", "there is a matrix in memory, and the setting system-matrix names a file"},
        {"operator-cache=x", "operator-cache is 'x' with a matrix in memory"},
        {"volume=5x5x5", "volume | 5x5x5 | 125 voxels | 24"},
        {"mask=/nowhere", "/nowhere"},
        {"detector-pixel=1", "--detector-pixel contradicts --geometry matrix"}};
    static const char *const file[] = {"system-matrix=/nowhere", NULL}, *const none[] = {"geometry=matrix", NULL};
    static const double angle = 0;
    (void)state;
    const SinodagMatrix of = matrix();
    SinodagGeometry geometry = {.matrix = &of};
    SinodagOperator *op = NULL;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *const settings[] = {wrong[i][0], NULL};
        refused(sinodag_operator_new(&geometry, settings, &op), wrong[i][1]);
    }
    geometry.subsets = R + 1;
    refused(sinodag_operator_new(&geometry, NULL, &op), "subsets is 91; allowed: at most the rows of the matrix, 90");
    geometry.subsets = -1;
    refused(sinodag_operator_new(&geometry, NULL, &op), "subsets is -1");
    geometry = (SinodagGeometry){.matrix = &of, .angles = 1, .angle_rad = &angle};
    refused(sinodag_operator_new(&geometry, NULL, &op),
            "the geometry has angles, columns or rows, and a system matrix");
    geometry = (SinodagGeometry){0};
    refused(sinodag_operator_new(&geometry, file, &op), "/nowhere");
    refused(sinodag_operator_new(&geometry, none, &op), "--geometry is matrix without --system-matrix");
    refused(sinodag_operator_new(NULL, none, &op), "there is no geometry");
    assert_null(op);
}

static void solutions_of_matrices_refuse(void **state)
{
    static const char *const by_cg[] = {"algorithm=cg", NULL}, *const by_fbp[] = {"algorithm=fbp", NULL};
    (void)state;
    SinodagOperator *op = new_matrix(1, NULL), *divided = new_matrix(N, NULL);
    double *x = numbers(2 * V, 11), *y = numbers(3 * R, 12);
    SinodagArray data = array(y, SINODAG_FLOAT64, 2, R), beside = array(x, SINODAG_FLOAT64, 1, V);
    SinodagSolution to = {.volume = array(x, SINODAG_FLOAT64, 2, V), .start = &beside};
    refused(sinodag_solve(op, &data, by_cg, &to), "--start | --algorithm cg | --start");
    beside.size[1] = V - 1;
    refused(sinodag_solve(op, &data, NULL, &to), "the images of start | the sizes (1, 23, 1) | (S, 24, 1)");
    beside = array(y, SINODAG_FLOAT64, 3, R);
    to = (SinodagSolution){.volume = to.volume, .additive = &beside};
    refused(sinodag_solve(op, &data, NULL, &to), "additive | 3 sets | 90 rows | 1 | 2");
    to = (SinodagSolution){.volume = to.volume, .multiplicative = &beside};
    beside.size[0] = 2;
    refused(sinodag_solve(op, &data, NULL, &to), "multiplicative | 2 sets | 90 rows | 1");
    beside.size[0] = 1;
    y[3] = -1;
    refused(sinodag_solve(op, &data, NULL, &to), "row 3");
    to = (SinodagSolution){.volume = to.volume};
    refused(sinodag_solve(op, &data, by_fbp, &to), "--algorithm fbp contradicts --geometry matrix");
    y[3] = INFINITY;
    refused(sinodag_solve(op, &data, by_cg, &to), "row 3 | set 0 | inf | finite numbers");
    y[3] = 1;
    refused(sinodag_solve(divided, &data, NULL, &to), "--algorithm is mlem, and the operator has 4 subsets");
    data.size[0] = 1;
    refused(sinodag_solve(op, &data, NULL, &to), "2 images and projections of 1 slices");
    free(x);
    free(y);
    succeeds(sinodag_operator_free(op));
    succeeds(sinodag_operator_free(divided));
}

/* An operator, products and a solution. */
static void use_once(void)
{
    static double x[3 * V], y[3 * R];
    SinodagOperator *op = new_matrix(N, NULL);
    const char *const by_osem[] = {"algorithm=osem", "iterations=2", NULL};
    const SinodagArray of = array(x, SINODAG_FLOAT64, 3, V), to = array(y, SINODAG_FLOAT64, 3, R);
    const SinodagSolution image = {.volume = of};
    succeeds(sinodag_project(op, &of, &to));
    succeeds(sinodag_solve(op, &to, by_osem, &image));
    succeeds(sinodag_operator_free(op));
}

static void memory_does_not_grow(void **state)
{
    (void)state;
    check_growth(use_once, 30);
}

TESTING_SUBJECT(library_matrices)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(matrices_multiply),
                                       cmocka_unit_test(matrices_come_in_any_types),
                                       cmocka_unit_test(rows_have_subsets),
                                       cmocka_unit_test(counts_are_solved),
                                       cmocka_unit_test(images_are_smoothed),
                                       cmocka_unit_test(algorithms_solve_matrices),
                                       cmocka_unit_test(wrong_matrices_are_refused),
                                       cmocka_unit_test(matrices_refuse),
                                       cmocka_unit_test(solutions_of_matrices_refuse),
                                       cmocka_unit_test(memory_does_not_grow)};
    return cmocka_run_group_tests(tests, start, stop);
}
