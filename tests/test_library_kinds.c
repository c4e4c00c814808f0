/* SPDX-License-Identifier: BSD-3-Clause */
/* Library, kinds of operators: system matrices and cone beams, products and solutions against loops in double, and what
 * is refused. */
#include "testing_library.h"

#include <math.h>
#include <pthread.h>

/* A matrix of R rows and V voxels, 4 × 3 × 2; row 7 is empty, and no row meets voxel 5. */
enum { R = 90, X = 4, Y = 3, Z = 2, V = X * Y * Z, EMPTY = 7, UNSEEN = 5, SETS = 37, N = 4 };

/* Between 0 and 1, in sixteenths of a thousandth or so: every number is a float. */
static double *numbers(int64_t count, unsigned seed)
{
    double *values = malloc((size_t)count * sizeof *values);
    assert_non_null(values);
    for (int64_t i = 0; i < count; i++) {
        seed = seed * 1664525 + 1013904223;
        values[i] = (double)(seed >> 16) / (1 << 16);
    }
    return values;
}

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
    refused(sinodag_project_subset(op, N, &of, &all), "subset is 4; allowed: 0 to 3");
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
    check_matrix_refused(wrong, "start and column are of type 0; allowed: SINODAG_INT32, SINODAG_INT64");
    wrong = usual;
    wrong.value_type = (SinodagType)99;
    check_matrix_refused(wrong, "of type 99; allowed: SINODAG_FLOAT32, SINODAG_FLOAT64");
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
    check_matrix_refused(wrong, "element 4 of column is 24; allowed: 0 to 23");
    column[4] = sparse()->column[4];
    value[5] = NAN;
    check_matrix_refused(wrong, "allowed: finite values of at least 0");
}

static void matrices_refuse(void **state)
{
    static const char *const wrong[][2] = {
        {"precision=double", "--precision double contradicts --geometry matrix; allowed: single or mixed"},
        {"projector=rotate", "--projector contradicts --geometry matrix"},
        {"geometry=cone", "--geometry cone contradicts --system-matrix"},
        {"system-matrix=x", "there is a matrix in memory, and the setting system-matrix names a file"},
        {"operator-cache=x", "operator-cache is 'x' with a matrix in memory"},
        {"volume=5x5x5", "volume is 5x5x5 = 125 voxels; allowed: as many as the matrix has columns, 24"},
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
    refused(sinodag_solve(op, &data, by_cg, &to), "--start contradicts --algorithm cg; allowed: --start with");
    beside.size[1] = V - 1;
    refused(sinodag_solve(op, &data, NULL, &to), "the images of start have the sizes (1, 23, 1); allowed: (S, 24, 1)");
    beside = array(y, SINODAG_FLOAT64, 3, R);
    to = (SinodagSolution){.volume = to.volume, .additive = &beside};
    refused(sinodag_solve(op, &data, NULL, &to), "additive has 3 sets of 90 rows; allowed: 1 or 2");
    to = (SinodagSolution){.volume = to.volume, .multiplicative = &beside};
    beside.size[0] = 2;
    refused(sinodag_solve(op, &data, NULL, &to), "multiplicative has 2 sets of 90 rows; allowed: 1");
    beside.size[0] = 1;
    y[3] = -1;
    refused(sinodag_solve(op, &data, NULL, &to), "row 3");
    to = (SinodagSolution){.volume = to.volume};
    refused(sinodag_solve(op, &data, by_fbp, &to), "--algorithm fbp contradicts --geometry matrix");
    y[3] = INFINITY;
    refused(sinodag_solve(op, &data, by_cg, &to), "the projections: row 3 of set 0 is inf; allowed: finite numbers");
    y[3] = 1;
    refused(sinodag_solve(divided, &data, NULL, &to), "--algorithm is mlem, and the operator has 4 subsets");
    data.size[0] = 1;
    refused(sinodag_solve(op, &data, NULL, &to), "2 images and projections of 1 slices");
    free(x);
    free(y);
    succeeds(sinodag_operator_free(op));
    succeeds(sinodag_operator_free(divided));
}

/* ---- cone beams ---- */

enum { K = 10, ROWS = 7, M = 21, PIXELS = K * ROWS * M, VOXELS = ROWS * M * M };

static const char *const lengths[] = {"geometry=cone", "source-object-distance=200", "source-detector-distance=300",
                                      "detector-pixel=0.3", NULL};

static SinodagGeometry cone(int64_t subsets)
{
    static double angle_rad[K];
    for (int k = 0; k < K; k++) angle_rad[k] = 2 * 3.14159265358979323846 * k / K;
    return (SinodagGeometry){
        .angles = K, .columns = M, .angle_rad = angle_rad, .center = NAN, .subsets = subsets, .rows = ROWS};
}

static SinodagOperator *new_cone(int64_t subsets)
{
    const SinodagGeometry geometry = cone(subsets);
    SinodagOperator *op = NULL;
    succeeds(sinodag_operator_new(&geometry, lengths, &op));
    return op;
}

static SinodagArray volume_of(void *data, SinodagType type)
{
    return (SinodagArray){.data = data, .type = type, .size = {ROWS, M, M}};
}

static SinodagArray views_of(void *data, SinodagType type, int64_t angles)
{
    return (SinodagArray){.data = data, .type = type, .size = {angles, ROWS, M}};
}

static void cones_are_adjoint(void **state)
{
    (void)state;
    SinodagOperator *op = new_cone(0);
    SinodagAbout about;
    double *x = numbers(VOXELS, 13), *y = numbers(PIXELS, 14);
    double *of_x = numbers(PIXELS, 15), *of_y = numbers(VOXELS, 16);
    const SinodagArray ax = volume_of(x, SINODAG_FLOAT64), ay = views_of(y, SINODAG_FLOAT64, K);
    const SinodagArray to_y = views_of(of_x, SINODAG_FLOAT64, K), to_x = volume_of(of_y, SINODAG_FLOAT64);
    succeeds(sinodag_operator_about(op, &about));
    assert_memory_equal(about.images, ax.size, sizeof ax.size);
    assert_memory_equal(about.projections, ay.size, sizeof ay.size);
    assert_memory_equal(about.voxels, ax.size, sizeof ax.size);
    succeeds(sinodag_project(op, &ax, &to_y));
    succeeds(sinodag_backproject(op, &ay, &to_x));
    const double left = dot(PIXELS, of_x, y);
    assert_true(fabs(left - dot(VOXELS, x, of_y)) < 1e-6 * left);
    for (int i = 0; i < VOXELS; i++) x[i] = 1;
    succeeds(sinodag_project(op, &ax, &to_y)); /* the middle ray crosses M voxels */
    assert_true(fabs(of_x[ROWS / 2 * M + M / 2] - M) < 1e-5 * M);
    free(x);
    free(y);
    free(of_x);
    free(of_y);
    succeeds(sinodag_operator_free(op));
}

/* Subsets, layouts and types give the same bits. */
static void cones_have_subsets_and_strides(void **state)
{
    (void)state;
    SinodagOperator *op = new_cone(1), *divided = new_cone(N);
    double *x = numbers(VOXELS, 17), *part = numbers(PIXELS, 18);
    float *turned = calloc(VOXELS, sizeof *turned), *y = calloc(PIXELS, sizeof *y);
    for (int64_t i = 0; i < VOXELS; i++) turned[VOXELS - 1 - i] = (float)x[i];
    const SinodagArray of = volume_of(x, SINODAG_FLOAT64), to = views_of(y, SINODAG_FLOAT32, K);
    SinodagArray of_turned = volume_of(turned + VOXELS - 1, SINODAG_FLOAT32);
    memcpy(of_turned.stride, (int64_t[]){-M * M, -M, -1}, sizeof of_turned.stride);
    succeeds(sinodag_project(op, &of, &to));
    for (int s = 0; s < N; s++) { /* each angle is a column, and each pixel a row of the array */
        SinodagArray view = views_of(part + s, SINODAG_FLOAT64, (K - s + N - 1) / N);
        memcpy(view.stride, (int64_t[]){N, M * K, K}, sizeof view.stride);
        succeeds(sinodag_project_subset(divided, s, &of_turned, &view));
    }
    for (int k = 0; k < K; k++)
        for (int p = 0; p < ROWS * M; p++) assert_true(part[p * K + k] == (double)y[k * ROWS * M + p]);
    const SinodagArray all = views_of(y, SINODAG_FLOAT32, K), whole = volume_of(turned, SINODAG_FLOAT32);
    succeeds(sinodag_backproject(op, &all, &of));
    succeeds(sinodag_backproject(divided, &all, &whole));
    for (int i = 0; i < VOXELS; i++) assert_true(fabs((double)turned[i] - x[i]) < 1e-4 * x[VOXELS / 2]);
    succeeds(sinodag_operator_free(op));
    succeeds(sinodag_operator_free(divided));
    free(x);
    free(part);
    free(turned);
    free(y);
}

enum { VOLUMES = 3 };

/* A volume and its projections among others, by which it is `first` elements from the array's beginning. */
static SinodagArray one_of(SinodagArray array, int64_t first)
{
    array.data =
        array.type == SINODAG_FLOAT64 ? (void *)((double *)array.data + first) : (void *)((float *)array.data + first);
    array.volumes = 0;
    array.volume_stride = 0;
    return array;
}

/* Volumes that follow each other, and whose elements are VOLUMES apart; projections backwards, with a gap. */
typedef struct Several {
    double *x;
    float *y;
    SinodagArray volumes, projections;
} Several;

static Several several(void)
{
    enum { GAP = 5 };
    Several made = {.x = numbers(VOLUMES * VOXELS, 23), .y = calloc(VOLUMES * (PIXELS + GAP), sizeof(float))};
    made.volumes = volume_of(made.x, SINODAG_FLOAT64);
    made.projections = views_of(made.y + (VOLUMES - 1) * (PIXELS + GAP), SINODAG_FLOAT32, K);
    made.volumes.volumes = made.projections.volumes = VOLUMES;
    made.volumes.volume_stride = 1;
    made.projections.volume_stride = -(PIXELS + GAP);
    memcpy(made.volumes.stride, (int64_t[]){VOLUMES * M * M, VOLUMES * M, VOLUMES}, sizeof made.volumes.stride);
    memcpy(made.projections.stride, (int64_t[]){ROWS * M, M, 1}, sizeof made.projections.stride);
    return made;
}

/* Several volumes have the bits of one after another: products, those of subsets, and solutions with residuals. */
static void cones_take_several_volumes(void **state)
{
    enum { ITERATIONS = 2, SUBSET = 1, ANGLES = (K - SUBSET + N - 1) / N };
    const char *const by_cg[] = {"algorithm=cg", "iterations=2", NULL};
    (void)state;
    SinodagOperator *op = new_cone(1), *divided = new_cone(N);
    const Several of = several();
    float *one = calloc(PIXELS, sizeof *one), *volumes = calloc(VOLUMES * VOXELS, sizeof *volumes),
          *volume = calloc(VOXELS, sizeof *volume), *part = calloc(VOLUMES * PIXELS, sizeof *part);
    double residual[VOLUMES * (ITERATIONS + 1)], alone[ITERATIONS + 1];
    const SinodagArray to = views_of(one, SINODAG_FLOAT32, K), image = volume_of(volume, SINODAG_FLOAT32);
    SinodagArray found = volume_of(volumes, SINODAG_FLOAT32), some = views_of(part, SINODAG_FLOAT32, ANGLES);
    SinodagSolution solution = {.volume = found, .residual = residual, .columns = ITERATIONS + 1};
    solution.volume.volumes = found.volumes = some.volumes = VOLUMES; /* in C order */
    succeeds(sinodag_project(op, &of.volumes, &of.projections));
    succeeds(sinodag_project_subset(divided, SUBSET, &of.volumes, &some));
    succeeds(sinodag_solve(op, &of.projections, by_cg, &solution));
    for (int64_t v = 0; v < VOLUMES; v++) {
        const SinodagArray x = one_of(of.volumes, v * of.volumes.volume_stride);
        const SinodagArray y = one_of(of.projections, v * of.projections.volume_stride);
        const SinodagSolution each = {.volume = image, .residual = alone, .columns = ITERATIONS + 1};
        succeeds(sinodag_project(op, &x, &to));
        assert_memory_equal(one, y.data, PIXELS * sizeof *one);
        for (int k = 0; k < ANGLES; k++)
            assert_memory_equal(part + (v * ANGLES + k) * ROWS * M, one + (SUBSET + k * N) * ROWS * M,
                                ROWS * M * sizeof *one);
        succeeds(sinodag_solve(op, &y, by_cg, &each));
        assert_memory_equal(volume, volumes + v * VOXELS, VOXELS * sizeof *volume);
        assert_memory_equal(alone, residual + v * (ITERATIONS + 1), sizeof alone);
    }
    succeeds(sinodag_backproject(divided, &of.projections, &found));
    for (int64_t v = 0; v < VOLUMES; v++) {
        const SinodagArray y = one_of(of.projections, v * of.projections.volume_stride);
        succeeds(sinodag_backproject(divided, &y, &image));
        assert_memory_equal(volume, volumes + v * VOXELS, VOXELS * sizeof *volume);
    }
    found.volumes = 2;
    refused(sinodag_backproject(op, &of.projections, &found), "there are 2 volumes and projections of 3");
    found.volumes = -1;
    refused(sinodag_backproject(op, &of.projections, &found), "the images are of -1 volumes; allowed: 0 to");
    succeeds(sinodag_operator_free(op));
    succeeds(sinodag_operator_free(divided));
    free(of.x);
    free(of.y);
    free(one);
    free(part);
    free(volume);
    free(volumes);
}

static float *allocate(void *of, int64_t slices, int64_t rows, int64_t columns)
{
    return slices * rows * columns == VOXELS ? of : NULL;
}

/* Solutions are volumes of recon, in whose unit, 1/cm, a voxel is 0.2 mm. */
static void solutions_of_cones_are_reconstructions(void **state)
{
    static const struct {
        int64_t subsets;
        const char *settings[4];
    } by[] = {{1, {"algorithm=cg", "iterations=5"}},
              {1, {"algorithm=sirt", "iterations=4", "nonnegativity=yes"}},
              {1, {"algorithm=mlem", "iterations=3"}},
              {3, {"algorithm=osem", "iterations=3"}}};
    (void)state;
    double *x = numbers(VOXELS, 19);
    float *y = calloc(PIXELS, sizeof *y), *found = calloc(VOXELS, sizeof *found),
          *volume = calloc(VOXELS, sizeof *volume);
    const SinodagArray of = volume_of(x, SINODAG_FLOAT64), data = views_of(y, SINODAG_FLOAT32, K);
    for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
        const char *of_recon[20] = {"data=line-integrals", "rotation-axis=10"};
        int count = 2;
        for (const char *const *given = lengths; *given; given++) of_recon[count++] = *given;
        for (const char *const *given = by[i].settings; *given; given++) of_recon[count++] = *given;
        if (by[i].subsets > 1) of_recon[count++] = "subsets=3";
        SinodagOperator *op = new_cone(by[i].subsets);
        const SinodagSolution to = {.volume = volume_of(found, SINODAG_FLOAT32)};
        const SinodagScan scan = {.projections = data, .angle_rad = cone(1).angle_rad};
        succeeds(sinodag_project(op, &of, &data));
        succeeds(sinodag_solve(op, &data, by[i].settings, &to));
        succeeds(sinodag_recon(&scan, of_recon, &(SinodagOutput){allocate, NULL, volume}));
        for (int v = 0; v < VOXELS; v++) {
            const double scaled = (double)found[v] * 10 / 0.2;
            if (!(fabs((double)volume[v] - scaled) <= 1e-6 * fabs(scaled)))
                fail_msg("%s: voxel %d is %.9g, and %.9g of recon", by[i].settings[0], v, scaled, (double)volume[v]);
        }
        succeeds(sinodag_operator_free(op));
    }
    free(x);
    free(y);
    free(found);
    free(volume);
}

/* How often it was called, and the share that it was told last, which grows; ends the call after so many. */
typedef struct Told {
    int count, end;
    double done;
} Told;

static int watch(void *of, double done, const char *text)
{
    Told *told = of;
    (void)text;
    if (!(done >= told->done && done <= 1)) told->end = 1;
    told->done = done;
    told->count++;
    return told->end > 0 && told->count >= told->end;
}

/* FDK of several volumes, whose array is in another order and type, is that of recon, in another unit. */
static void fdk_solves_cones(void **state)
{
    const char *const by_fdk[] = {"algorithm=fdk", "fbp-filter=hann", NULL};
    const char *of_recon[8] = {"data=line-integrals", "rotation-axis=10", "fbp-filter=hann"};
    (void)state;
    SinodagOperator *op = new_cone(N);
    const Several of = several();
    float *volume = calloc(VOXELS, sizeof *volume);
    double *wanted = calloc(VOXELS, sizeof *wanted), error = 0, largest = 0;
    Told told = {0};
    for (int i = 0; lengths[i]; i++) of_recon[3 + i] = lengths[i];
    succeeds(sinodag_project(op, &of.volumes, &of.projections));
    const SinodagSolution solution = {.volume = of.volumes, .progress = watch, .of = &told};
    succeeds(sinodag_solve(op, &of.projections, by_fdk, &solution));
    assert_true(told.count > 0 && told.end == 0 && told.done > 1 - 1e-9);
    for (int64_t v = 0; v < VOLUMES; v++) {
        const SinodagArray y = one_of(of.projections, v * of.projections.volume_stride);
        const SinodagScan scan = {.projections = y, .angle_rad = cone(1).angle_rad};
        const SinodagSolution in_order = {.volume = volume_of(volume, SINODAG_FLOAT32)};
        succeeds(sinodag_recon(&scan, of_recon, &(SinodagOutput){allocate, NULL, volume}));
        for (int i = 0; i < VOXELS; i++) wanted[i] = (double)volume[i] * 0.2 / 10;
        succeeds(sinodag_solve(op, &y, by_fdk, &in_order)); /* into the array itself */
        for (int i = 0; i < VOXELS; i++) {
            assert_true(of.x[i * VOLUMES + v] == (double)volume[i]);
            error = fmax(error, fabs((double)volume[i] - wanted[i]));
            largest = fmax(largest, fabs(wanted[i]));
        }
    }
    assert_true(error <= 1e-6 * largest && largest > 0.1);
    succeeds(sinodag_operator_free(op));
    free(of.x);
    free(of.y);
    free(volume);
    free(wanted);
}

/* A call that its caller ends fails, and the next one works. */
static void cones_are_cancelled(void **state)
{
    const char *const by[][3] = {{"algorithm=fdk", NULL}, {"algorithm=cg", "iterations=50", NULL}};
    (void)state;
    SinodagOperator *op = new_cone(1);
    const Several of = several();
    succeeds(sinodag_project(op, &of.volumes, &of.projections));
    for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
        Told told = {.end = 1};
        const SinodagSolution ended = {.volume = of.volumes, .progress = watch, .of = &told};
        const SinodagSolution whole = {.volume = of.volumes};
        SinodagStatus status = sinodag_solve(op, &of.projections, by[i], &ended);
        assert_int_equal(sinodag_status_code(status), SINODAG_FAILED);
        assert_string_equal(sinodag_status_text(status), "cancelled by the caller");
        sinodag_status_free(status);
        succeeds(sinodag_solve(op, &of.projections, by[i], &whole));
    }
    succeeds(sinodag_operator_free(op));
    free(of.x);
    free(of.y);
}

static void fdk_refuses(void **state)
{
    const char *const by_fdk[] = {"algorithm=fdk", NULL}, *const with_iterations[] = {"algorithm=fdk", "iterations=3",
                                                                                      NULL};
    (void)state;
    SinodagGeometry short_arc = cone(1),
                    parallel = {.angles = K, .columns = M, .angle_rad = short_arc.angle_rad, .center = NAN};
    double residual = 0, few[K], *x = numbers(VOXELS, 27), *y = numbers(PIXELS, 28);
    for (int k = 0; k < K; k++) few[k] = 0.1 * k;
    short_arc.angle_rad = few;
    SinodagOperator *op = new_cone(1), *of_arc = NULL, *of_beams = NULL;
    succeeds(sinodag_operator_new(&short_arc, lengths, &of_arc)); /* iterative algorithms take it */
    succeeds(sinodag_operator_new(&parallel, NULL, &of_beams));
    const SinodagArray data = views_of(y, SINODAG_FLOAT64, K);
    SinodagArray slices = {.data = y, .type = SINODAG_FLOAT64, .size = {1, K, M}};
    SinodagSolution to = {.volume = volume_of(x, SINODAG_FLOAT64)};
    const SinodagSolution to_slice = {.volume = {.data = x, .type = SINODAG_FLOAT64, .size = {1, M, M}}};
    refused(sinodag_solve(of_arc, &data, by_fdk, &to), "degrees");
    refused(sinodag_solve(op, &data, with_iterations, &to), "--iterations");
    refused(sinodag_solve(of_beams, &slices, by_fdk, &to_slice), "fdk");
    slices.volumes = 2;
    refused(sinodag_project(of_beams, &to_slice.volume, &slices), "the projections are of 2 volumes; allowed: 0 or 1");
    to.residual = &residual;
    to.columns = 1;
    refused(sinodag_solve(op, &data, by_fdk, &to), "residuals, which fdk does not compute");
    to.residual = NULL;
    y[PIXELS - 1] = NAN;
    refused(sinodag_solve(op, &data, by_fdk, &to), "volume 0 has a value that is NaN or infinite");
    memset(y, 0, PIXELS * sizeof *y); /* of which recon thinks that the file is damaged */
    succeeds(sinodag_solve(op, &data, by_fdk, &to));
    for (int i = 0; i < VOXELS; i++) assert_true(x[i] == 0);
    succeeds(sinodag_operator_free(op));
    succeeds(sinodag_operator_free(of_arc));
    succeeds(sinodag_operator_free(of_beams));
    free(x);
    free(y);
}

static void check_cone_refused(SinodagGeometry geometry, const char *setting, const char *text)
{
    const char *settings[8] = {0};
    int count = 0;
    for (const char *const *given = lengths; *given; given++)
        if (!setting || strncmp(*given, setting, strcspn(setting, "=") + 1) != 0) settings[count++] = *given;
    if (setting) settings[count++] = setting;
    SinodagOperator *op = NULL;
    refused(sinodag_operator_new(&geometry, settings, &op), text);
    assert_null(op);
}

static void cones_refuse(void **state)
{
    static const char *const unknown[] = {"geometry=cone", NULL}, *const by_fbp[] = {"algorithm=fbp", NULL};
    const char *const large[] = {lengths[0],           lengths[1],      lengths[2], lengths[3],
                                 "volume=600x600x600", "memory=100MiB", NULL};
    (void)state;
    SinodagGeometry wrong = cone(1);
    SinodagOperator *op = NULL;
    refused(sinodag_operator_new(&wrong, unknown, &op), "needed: --source-object-distance");
    refused(sinodag_operator_new(&wrong, NULL, &op), "rows is 7; allowed: 0");
    refused(sinodag_operator_new(&wrong, large, &op),
            "memory: 100 MiB may be used, and a volume and its projections need");
    check_cone_refused(wrong, "precision=double", "--precision double contradicts --geometry cone");
    check_cone_refused(wrong, "precision=mixed", "precision is not single");
    check_cone_refused(wrong, "symmetry=no", "symmetry with geometry=cone");
    check_cone_refused(wrong, "operator-cache=x", "--operator-cache contradicts --geometry cone");
    check_cone_refused(wrong, "partitions=2", "--partitions contradicts --geometry cone");
    check_cone_refused(wrong, "voxel-size=50", "source is inside the volume");
    check_cone_refused(wrong, "source-object-distance=999", "the detector is between source and rotation axis");
    check_cone_refused(wrong, "volume=8x8x8x8", "--volume");
    wrong.rows = 0;
    check_cone_refused(wrong, NULL, "rows is 0; allowed with geometry=cone: 1 to");
    wrong.rows = INT64_MAX;
    check_cone_refused(wrong, NULL, "rows is 9223372036854775807");
    wrong = cone(K + 1);
    check_cone_refused(wrong, NULL, "subsets is 11, and there are 10 angles");
    op = new_cone(1);
    float *x = calloc(VOXELS, sizeof *x), *y = calloc(PIXELS, sizeof *y);
    SinodagArray of = volume_of(x, SINODAG_FLOAT32), to = views_of(y, SINODAG_FLOAT32, K);
    const SinodagSolution solution = {.volume = of, .start = &of}, usual = {.volume = of};
    refused(sinodag_solve(op, &to, by_fbp, &usual), "--algorithm fbp contradicts --geometry cone");
    refused(sinodag_solve(op, &to, NULL, &solution), "--start contradicts --geometry cone");
    of.size[0]++;
    refused(sinodag_project(op, &of, &to), "(8, 21, 21); allowed: (7, 21, 21)");
    of.size[0]--;
    to.size[0]--;
    refused(sinodag_project(op, &of, &to), "(9, 7, 21); allowed: (10, 7, 21)");
    to.size[0]++;
    x[9] = NAN;
    refused(sinodag_project(op, &of, &to), "NaN or infinite");
    x[9] = 0;
    succeeds(sinodag_project(op, &of, &to)); /* failures are over */
    free(x);
    free(y);
    succeeds(sinodag_operator_free(op));
    refused(sinodag_project(op, &of, &to), "was freed");
}

/* Products and a solution of a matrix, over and over: `argument` is where failures are counted. */
static void *use_matrix(void *argument)
{
    int *failures = argument;
    const char *const by_osem[] = {"algorithm=osem", "iterations=2", NULL};
    double *x = numbers(SETS * V, 31), *y = numbers(SETS * R, 32);
    const SinodagArray of = array(x, SINODAG_FLOAT64, SETS, V), to = array(y, SINODAG_FLOAT64, SETS, R);
    const SinodagSolution image = {.volume = of};
    for (int i = 0; i < 4; i++) {
        SinodagOperator *op = new_matrix(N, NULL);
        *failures += sinodag_project(op, &of, &to) != NULL;
        *failures += sinodag_solve(op, &to, by_osem, &image) != NULL;
        *failures += sinodag_operator_free(op) != NULL;
    }
    free(x);
    free(y);
    return NULL;
}

/* The same of a cone beam. */
static void *use_cone(void *argument)
{
    int *failures = argument;
    const char *const by_fdk[] = {"algorithm=fdk", NULL};
    const Several of = several();
    const SinodagSolution volumes = {.volume = of.volumes};
    for (int i = 0; i < 4; i++) {
        SinodagOperator *op = new_cone(N);
        *failures += sinodag_project(op, &of.volumes, &of.projections) != NULL;
        *failures += sinodag_solve(op, &of.projections, by_fdk, &volumes) != NULL;
        *failures += sinodag_operator_free(op) != NULL;
    }
    free(of.x);
    free(of.y);
    return NULL;
}

/* Operators of different kinds, each in a thread of its own. */
static void threads_of_kinds_take_turns(void **state)
{
    pthread_t thread[2];
    int failures[2] = {0};
    (void)state;
    assert_int_equal(pthread_create(&thread[0], NULL, use_matrix, &failures[0]), 0);
    assert_int_equal(pthread_create(&thread[1], NULL, use_cone, &failures[1]), 0);
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_join(thread[i], NULL), 0);
    assert_int_equal(failures[0] + failures[1], 0);
}

/* Operators, products and solutions of both kinds. */
static void use_once(void)
{
    static double x[VOXELS], y[PIXELS];
    SinodagOperator *op = new_matrix(N, NULL);
    const char *const by_osem[] = {"algorithm=osem", "iterations=2", NULL}, *const by_cg[] = {"iterations=2", NULL},
                      *const by_fdk[] = {"algorithm=fdk", NULL};
    const SinodagArray of = array(x, SINODAG_FLOAT64, 3, V), to = array(y, SINODAG_FLOAT64, 3, R);
    const SinodagSolution image = {.volume = of};
    succeeds(sinodag_project(op, &of, &to));
    succeeds(sinodag_solve(op, &to, by_osem, &image));
    succeeds(sinodag_operator_free(op));
    op = new_cone(N);
    const SinodagArray volume = volume_of(x, SINODAG_FLOAT64), views = views_of(y, SINODAG_FLOAT64, K);
    const SinodagSolution solution = {.volume = volume};
    succeeds(sinodag_backproject(op, &views, &volume));
    succeeds(sinodag_operator_free(op));
    op = new_cone(1);
    succeeds(sinodag_solve(op, &views, by_cg, &solution));
    succeeds(sinodag_solve(op, &views, by_fdk, &solution));
    succeeds(sinodag_operator_free(op));
}

static void memory_does_not_grow(void **state)
{
    (void)state;
    const char *text = getenv("SINODAG_TEST_CYCLES");
    const int cycles = text ? atoi(text) : 30;
    for (int i = 0; i < 10; i++) use_once();
    const int64_t before = resident_bytes();
    for (int i = 0; i < cycles; i++) use_once();
    assert_true(resident_bytes() - before < 2 << 20);
}

TESTING_SUBJECT(library_kinds)
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
                                       cmocka_unit_test(cones_are_adjoint),
                                       cmocka_unit_test(cones_have_subsets_and_strides),
                                       cmocka_unit_test(cones_take_several_volumes),
                                       cmocka_unit_test(solutions_of_cones_are_reconstructions),
                                       cmocka_unit_test(fdk_solves_cones),
                                       cmocka_unit_test(cones_are_cancelled),
                                       cmocka_unit_test(fdk_refuses),
                                       cmocka_unit_test(cones_refuse),
                                       cmocka_unit_test(threads_of_kinds_take_turns),
                                       cmocka_unit_test(memory_does_not_grow)};
    return cmocka_run_group_tests(tests, start, stop);
}
