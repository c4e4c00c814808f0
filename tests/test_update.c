/* SPDX-License-Identifier: BSD-3-Clause */
/* Update: each function against plain loops in double; CG and SIRT built from them on small dense systems. */
#include "update.h"

#include "reference_operator.h"
#include "testing.h"

#include <float.h>
#include <math.h>

static const SinoPrecision precisions[] = {SINO_SINGLE, SINO_DOUBLE};

/* Strides and the slices in use, the rest padding. */
static const struct {
    int64_t stride, slice_count;
} shapes[] = {{1, 1}, {2, 2}, {4, 3}, {8, 1}, {8, 5}, {8, 8}, {24, 17}, {64, 64}, {256, 250}, {16, 0}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static const int64_t row_counts[] = {0, 1, 2, 13, 100};
enum { ROW_COUNTS = sizeof row_counts / sizeof *row_counts };

static double element(SinoPrecision precision, const void *values, int64_t at)
{
    return precision == SINO_DOUBLE ? ((const double *)values)[at] : (double)((const float *)values)[at];
}

static void set_element(SinoPrecision precision, void *values, int64_t at, double value)
{
    if (precision == SINO_DOUBLE)
        ((double *)values)[at] = value;
    else
        ((float *)values)[at] = (float)value;
}

static double epsilon_of(SinoPrecision precision)
{
    return precision == SINO_DOUBLE ? DBL_EPSILON : (double)FLT_EPSILON;
}

static void *zeros(int64_t count, size_t bytes)
{
    void *values = calloc((size_t)(count > 0 ? count : 1), bytes);
    assert_non_null(values);
    return values;
}

/* A vector of the slices' precision, and the same numbers in double. */
typedef struct Vector {
    int64_t rows;
    void *values;    /* [row][stride]; owned */
    double *numbers; /* owned */
} Vector;

static Vector vector_create(SinoSlices slices, int64_t rows, uint64_t *seed)
{
    const int64_t count = rows * slices.stride;
    Vector vector = {rows, zeros(count, sino_precision_bytes(slices.precision)), zeros(count, sizeof(double))};
    for (int64_t i = 0; seed && i < count; i++) {
        if (i % slices.stride < slices.slice_count)
            set_element(slices.precision, vector.values, i, reference_random(seed));
        vector.numbers[i] = element(slices.precision, vector.values, i);
    }
    return vector;
}

static void vector_free(Vector *vector)
{
    free(vector->values);
    free(vector->numbers);
}

/* Values equal the numbers to a few roundings of sums of numbers near 1; padding is exactly zero. */
static void check_vector(SinoSlices slices, const Vector *vector, const char *what)
{
    for (int64_t i = 0; i < vector->rows * slices.stride; i++) {
        const double value = element(slices.precision, vector->values, i);
        const bool padding = i % slices.stride >= slices.slice_count;
        const double wanted = padding ? 0 : vector->numbers[i];
        const double tolerance = padding ? 0 : 8 * epsilon_of(slices.precision) * (1 + fabs(wanted));
        if (fabs(value - wanted) <= tolerance) continue;
        fail_msg("%s, stride %d, %d slices: element %d is %.17g, expected %.17g", what, (int)slices.stride,
                 (int)slices.slice_count, (int)i, value, wanted);
    }
}

static double sum_of_squares(SinoSlices slices, const Vector *vector, int64_t f)
{
    double sum = 0;
    for (int64_t i = f; i < vector->rows * slices.stride; i += slices.stride)
        sum += vector->numbers[i] * vector->numbers[i];
    return sum;
}

static void check_close(double value, double wanted, double relative, const char *what)
{
    if (!(fabs(value - wanted) <= relative * fabs(wanted) + 1e-30))
        fail_msg("%s is %.17g, expected %.17g", what, value, wanted);
}

/* A history of `columns`, filled with −1; only the slices in use have a row. */
static SinoHistory history_create(SinoSlices slices, int64_t columns, double tolerance)
{
    SinoHistory history = {
        .residual = zeros(slices.slice_count * columns, sizeof(double)), .columns = columns, .tolerance = tolerance};
    for (int64_t i = 0; i < slices.slice_count * columns; i++) history.residual[i] = -1;
    return history;
}

static double history_at(const SinoHistory *history, int64_t f, int64_t iteration)
{
    return history->residual[f * history->columns + iteration];
}

static SinoSliceState *random_states(SinoSlices slices, uint64_t *seed)
{
    SinoSliceState *states = zeros(slices.slice_count, sizeof *states);
    for (int64_t f = 0; f < slices.slice_count; f++)
        states[f] = (SinoSliceState){.residual0 = 1e6,
                                     .norm = 2 + reference_random(seed),
                                     .gamma = 2 + reference_random(seed),
                                     .step = reference_random(seed),
                                     .beta = reference_random(seed)};
    return states;
}

/* Calls check(slices, rows, seed) for every precision, shape and length. */
static void for_each_shape(void (*check)(SinoSlices slices, int64_t rows, uint64_t *seed))
{
    uint64_t seed = 21;
    for (int p = 0; p < 2; p++)
        for (int s = 0; s < SHAPES; s++)
            for (int r = 0; r < ROW_COUNTS; r++)
                check((SinoSlices){precisions[p], shapes[s].stride, shapes[s].slice_count}, row_counts[r], &seed);
}

static void check_start(SinoSlices slices, int64_t rows, uint64_t *seed)
{
    Vector r = vector_create(slices, rows, seed);
    for (int64_t i = 0; i < rows; i++) /* slice 1 is all zeros */
        if (slices.slice_count > 1) set_element(slices.precision, r.values, i * slices.stride + 1, 0);
    for (int64_t i = 0; i < rows * slices.stride; i++) r.numbers[i] = element(slices.precision, r.values, i);
    SinoSliceState *states = random_states(slices, seed);
    SinoHistory history = history_create(slices, 3, 0);
    sino_update_start(slices, rows, r.values, states, &history);
    for (int64_t f = 0; f < slices.slice_count; f++) {
        const double wanted = sum_of_squares(slices, &r, f);
        check_close(states[f].residual0, wanted, 1e-13, "residual0");
        check_close(history_at(&history, f, 0), wanted, 1e-13, "residual at 0");
        assert_true(isnan(history_at(&history, f, 1)) && isnan(history_at(&history, f, 2)));
        assert_true(states[f].norm == 0 && states[f].gamma == 0 && states[f].step == 0 && states[f].beta == 0);
        assert_int_equal(states[f].stopped, rows == 0 || f == 1);
    }
    check_vector(slices, &r, "r");
    vector_free(&r);
    free(states);
    free(history.residual);
}

static void start_sums_and_stops_zero_slices(void **state)
{
    (void)state;
    for_each_shape(check_start);
}

/* Every third slice has stopped before, slice 1 has q = 0. */
static void check_residual_cg(SinoSlices slices, int64_t rows, uint64_t *seed)
{
    Vector q = vector_create(slices, rows, seed), r = vector_create(slices, rows, seed);
    SinoSliceState *states = random_states(slices, seed);
    SinoHistory history = history_create(slices, 4, 0);
    history.iteration = 2;
    for (int64_t f = 0; f < slices.slice_count; f++) states[f].stopped = f % 3 == 2;
    for (int64_t i = 1; slices.slice_count > 1 && i < rows * slices.stride; i += slices.stride) {
        set_element(slices.precision, q.values, i, 0);
        q.numbers[i] = 0;
    }
    sino_update_residual_cg(slices, rows, q.values, r.values, states, &history);
    for (int64_t f = 0; f < slices.slice_count; f++) {
        const bool stopped = rows == 0 || f % 3 == 2 || f == 1;
        double qq = sum_of_squares(slices, &q, f), rq = 0;
        for (int64_t i = f; i < rows * slices.stride; i += slices.stride) rq += q.numbers[i] * r.numbers[i];
        const double step = stopped ? 0 : rq / qq;
        check_close(states[f].step, step, 1e-11, "step");
        for (int64_t i = f; i < rows * slices.stride; i += slices.stride) r.numbers[i] -= step * q.numbers[i];
        const double residual = history_at(&history, f, 2);
        if (stopped)
            assert_true(isnan(residual) && states[f].stopped);
        else
            assert_true(fabs(residual - sum_of_squares(slices, &r, f)) <=
                        16 * epsilon_of(slices.precision) * (double)rows);
        assert_true(history_at(&history, f, 1) == -1 && history_at(&history, f, 3) == -1);
    }
    check_vector(slices, &r, "r");
    check_vector(slices, &q, "q");
    vector_free(&q);
    vector_free(&r);
    free(states);
    free(history.residual);
}

static void residual_cg_matches_loops(void **state)
{
    (void)state;
    for_each_shape(check_residual_cg);
}

static double product(SinoSlices slices, const Vector *a, const Vector *b, int64_t f)
{
    double sum = 0;
    for (int64_t i = 0; i < a->rows; i++) sum += a->numbers[i * slices.stride + f] * b->numbers[i * slices.stride + f];
    return sum;
}

/* Norms over three partitions, of which the second may be empty; `later`: with a first gradient to be taken out. */
static void check_norm_of(SinoSlices slices, int64_t rows, uint64_t *seed, bool later)
{
    Vector g[3] = {vector_create(slices, rows, seed), vector_create(slices, rows / 2, seed),
                   vector_create(slices, rows + 1, seed)};
    Vector g0[3] = {vector_create(slices, rows, seed), vector_create(slices, rows / 2, seed),
                    vector_create(slices, rows + 1, seed)};
    SinoSliceState *states = random_states(slices, seed);
    double gamma[SINO_SLICES_MAX], beta[SINO_SLICES_MAX];
    for (int64_t f = 0; f < slices.slice_count; f++) {
        if (f % 4 == 1) states[f].gamma = 0; /* the first iteration */
        states[f].norm0 = f % 5 == 2 ? 0 : 1e3;
        gamma[f] = states[f].gamma;
        beta[f] = states[f].beta;
    }
    for (int i = 0; i < 3; i++) {
        sino_update_norm(slices, g[i].rows, g[i].values, later ? g0[i].values : NULL, states, i == 0, i == 2);
        for (int64_t f = 0; f < slices.slice_count; f++) {
            double norm = 0, along = 0;
            for (int j = 0; j <= i; j++) norm += sum_of_squares(slices, &g[j], f);
            for (int j = 0; j <= i && later; j++) along += product(slices, &g[j], &g0[j], f);
            check_close(states[f].norm, norm, 1e-13, "norm");
            const double norm0 = later ? f % 5 == 2 ? 0 : 1e3 : norm;
            const double overlap = norm0 > 0 ? along / norm0 : 0, rest = norm - overlap * along;
            if (i == 2) assert_true(fabs(states[f].overlap - overlap) <= 1e-13 * (1 + norm));
            check_close(states[f].gamma, i == 2 ? rest : gamma[f], 1e-12, "gamma");
            check_close(states[f].beta, i < 2 ? beta[f] : gamma[f] > 0 ? rest / gamma[f] : 0, 1e-12, "beta");
            if (i == 2) check_close(states[f].norm0, norm0, 1e-13, "norm0");
        }
    }
    for (int i = 0; i < 3; i++) vector_free(&g[i]);
    for (int i = 0; i < 3; i++) vector_free(&g0[i]);
    free(states);
}

static void check_norm(SinoSlices slices, int64_t rows, uint64_t *seed)
{
    check_norm_of(slices, rows, seed, false);
    check_norm_of(slices, rows, seed, true);
}

static void norm_sums_over_partitions(void **state)
{
    (void)state;
    for_each_shape(check_norm);
}

static void check_voxels_cg(SinoSlices slices, int64_t rows, uint64_t *seed)
{
    Vector g = vector_create(slices, rows, seed), d = vector_create(slices, rows, seed);
    Vector x = vector_create(slices, rows, seed), g0 = vector_create(slices, rows, seed);
    SinoSliceState *states = random_states(slices, seed);
    for (int64_t f = 0; f < slices.slice_count; f += 3) states[f].step = 0;
    for (int64_t f = 0; f < slices.slice_count; f++) states[f].overlap = reference_random(seed);
    sino_update_voxels_cg(slices, rows, g.values, states, false, g0.values, d.values, x.values);
    for (int64_t i = 0; i < rows * slices.stride; i++) {
        const int64_t f = i % slices.stride;
        if (f >= slices.slice_count) continue;
        if (states[f].step == 0) assert_true(element(slices.precision, x.values, i) == x.numbers[i]);
        x.numbers[i] += states[f].step * d.numbers[i];
        d.numbers[i] = g.numbers[i] - states[f].overlap * g0.numbers[i] + states[f].beta * d.numbers[i];
    }
    check_vector(slices, &x, "x");
    check_vector(slices, &d, "d");
    check_vector(slices, &g0, "g0");
    memset(x.values, 0xff, (size_t)(rows * slices.stride) * sino_precision_bytes(slices.precision));
    memset(d.values, 0xff, (size_t)(rows * slices.stride) * sino_precision_bytes(slices.precision));
    sino_update_voxels_cg(slices, rows, g.values, states, true, g0.values, d.values, x.values);
    for (int64_t i = 0; i < rows * slices.stride; i++) {
        assert_true(element(slices.precision, x.values, i) == 0);
        assert_true(element(slices.precision, d.values, i) == g.numbers[i]);
        assert_true(element(slices.precision, g0.values, i) == g.numbers[i]);
    }
    vector_free(&g);
    vector_free(&d);
    vector_free(&x);
    vector_free(&g0);
    free(states);
}

static void voxels_cg_match_loops(void **state)
{
    (void)state;
    for_each_shape(check_voxels_cg);
}

/* One number per row, the same for all slices. */
static Vector weights_create(SinoPrecision precision, int64_t rows, uint64_t *seed)
{
    return vector_create((SinoSlices){precision, 1, 1}, rows, seed);
}

static void check_residual_sirt(SinoSlices slices, int64_t rows, uint64_t *seed)
{
    for (int first = 0; first < 2; first++) {
        Vector b = vector_create(slices, rows, seed), w = vector_create(slices, rows, seed);
        Vector weight = weights_create(slices.precision, rows, seed);
        SinoSliceState *states = random_states(slices, seed);
        SinoHistory history = history_create(slices, 3, 0);
        history.iteration = 1;
        for (int64_t f = 0; f < slices.slice_count; f++) states[f].stopped = f % 3 == 2;
        if (first) memset(w.values, 0xff, (size_t)(rows * slices.stride) * sino_precision_bytes(slices.precision));
        sino_update_residual_sirt(slices, rows, b.values, weight.values, first, w.values, states, &history);
        for (int64_t f = 0; f < slices.slice_count; f++) {
            double sum = 0;
            for (int64_t i = f; i < rows * slices.stride; i += slices.stride) {
                const double r = b.numbers[i] - (first ? 0 : w.numbers[i]);
                sum += r * r;
                w.numbers[i] = weight.numbers[i / slices.stride] * r;
            }
            const double recorded = history_at(&history, f, 1);
            if (first)
                assert_true(recorded == -1);
            else if (f % 3 == 2)
                assert_true(isnan(recorded));
            else
                check_close(recorded, sum, 8 * epsilon_of(slices.precision), "residual");
            assert_int_equal(states[f].stopped, f % 3 == 2 || (!first && rows == 0 && f < slices.slice_count));
            assert_true(history_at(&history, f, 0) == -1 && history_at(&history, f, 2) == -1);
        }
        check_vector(slices, &w, "w");
        check_vector(slices, &b, "b");
        vector_free(&b);
        vector_free(&w);
        vector_free(&weight);
        free(states);
        free(history.residual);
    }
}

static void residual_sirt_matches_loops(void **state)
{
    (void)state;
    uint64_t seed = 31;
    for (int p = 0; p < 2; p++)
        for (int s = 0; s < SHAPES; s++)
            for (int r = 0; r < ROW_COUNTS; r++) {
                const SinoSlices slices = {precisions[p], shapes[s].stride, shapes[s].slice_count};
                check_residual_sirt(slices, row_counts[r], &seed);
            }
}

static void check_relaxed(SinoSlices slices, int64_t rows, bool nonnegativity, bool first, uint64_t *seed)
{
    const double relaxation = 0.7;
    Vector g = vector_create(slices, rows, seed), x = vector_create(slices, rows, seed);
    Vector weight = weights_create(slices.precision, rows, seed);
    SinoSliceState *states = random_states(slices, seed);
    for (int64_t f = 0; f < slices.slice_count; f++) states[f].stopped = f % 3 == 2;
    for (int64_t i = 0; i < rows * slices.stride; i++) {
        if (nonnegativity) x.numbers[i] = fabs(x.numbers[i]); /* as iterations before left it */
        set_element(slices.precision, x.values, i, first ? NAN : x.numbers[i]);
    }
    sino_update_voxels_sirt(slices, rows, g.values, weight.values, states, relaxation, nonnegativity, first, x.values);
    for (int64_t i = 0; i < rows * slices.stride; i++) {
        const int64_t f = i % slices.stride;
        if (f >= slices.slice_count) continue;
        const double before = first ? 0 : x.numbers[i];
        if (states[f].stopped) {
            assert_true(element(slices.precision, x.values, i) == before);
            x.numbers[i] = before;
            continue;
        }
        const double value = before + relaxation * weight.numbers[i / slices.stride] * g.numbers[i];
        x.numbers[i] = nonnegativity && value < 0 ? 0 : value;
        if (nonnegativity) assert_true(element(slices.precision, x.values, i) >= 0);
    }
    check_vector(slices, &x, "x");
    vector_free(&g);
    vector_free(&x);
    vector_free(&weight);
    free(states);
}

static void check_voxels_sirt(SinoSlices slices, int64_t rows, uint64_t *seed)
{
    for (int i = 0; i < 4; i++) check_relaxed(slices, rows, i & 1, i & 2, seed);
}

static void voxels_sirt_match_loops(void **state)
{
    (void)state;
    for_each_shape(check_voxels_sirt);
}

static void reciprocals_and_ones(void **state)
{
    (void)state;
    static const double value[] = {2, 0, 1e-7, 1e-5, -3, 0.25, 1e-6, 1e20};
    static const double wanted[] = {0.5, 0, 0, 1e5, 0, 4, 0, 1e-20};
    enum { COUNT = sizeof value / sizeof *value };
    for (int p = 0; p < 2; p++) {
        double values[COUNT + 1] = {0};
        for (int i = 0; i < COUNT; i++) set_element(precisions[p], values, i, value[i]);
        set_element(precisions[p], values, COUNT, 7);
        sino_update_reciprocal(precisions[p], COUNT, values);
        for (int i = 0; i < COUNT; i++)
            check_close(element(precisions[p], values, i), wanted[i], 4 * epsilon_of(precisions[p]), "reciprocal");
        assert_true(element(precisions[p], values, COUNT) == 7);
        sino_update_fill_one(precisions[p], COUNT, values);
        for (int i = 0; i < COUNT; i++) assert_true(element(precisions[p], values, i) == 1);
        assert_true(element(precisions[p], values, COUNT) == 7);
    }
}

/* Dense systems: ROWS rays, COLUMNS voxels, the voxels in two partitions. */
enum { ROWS = 30, COLUMNS = 12, SPLIT = 5, ITERATIONS = 40 };

typedef struct Dense {
    SinoSlices slices;
    double a[ROWS][COLUMNS];
    Vector b;
} Dense;

/* Slice 1 is all zeros. */
static Dense dense_create(SinoPrecision precision, bool positive, uint64_t *seed)
{
    Dense dense = {.slices = {precision, 8, 5}};
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            const double value = reference_random(seed);
            dense.a[i][j] = (positive ? fabs(value) : value) + (i == j ? 2 : 0);
        }
    dense.b = vector_create(dense.slices, ROWS, seed);
    for (int i = 0; i < ROWS; i++) {
        set_element(precision, dense.b.values, i * dense.slices.stride + 1, 0);
        dense.b.numbers[i * dense.slices.stride + 1] = 0;
    }
    return dense;
}

/* to = A·from or Aᵀ·from, computed in double, rounded to the precision. */
static void multiply(const Dense *dense, bool transposed, const void *from, void *to)
{
    const int rows = transposed ? COLUMNS : ROWS, terms = transposed ? ROWS : COLUMNS;
    const int64_t stride = dense->slices.stride;
    for (int i = 0; i < rows; i++)
        for (int64_t f = 0; f < stride; f++) {
            double sum = 0;
            for (int j = 0; j < terms; j++)
                sum += (transposed ? dense->a[j][i] : dense->a[i][j]) *
                       element(dense->slices.precision, from, j * stride + f);
            set_element(dense->slices.precision, to, i * stride + f, sum);
        }
}

/* The pointer to row `row`. */
static void *row_of(SinoSlices slices, void *values, int64_t row)
{
    return (char *)values + (size_t)(row * slices.stride) * sino_precision_bytes(slices.precision);
}

/* A run of CG or SIRT from the functions under test. */
typedef struct Solved {
    Vector x;
    SinoSliceState *states; /* owned */
    SinoHistory history;
} Solved;

static void solved_free(Solved *solved)
{
    vector_free(&solved->x);
    free(solved->states);
    free(solved->history.residual);
}

/* g = Aᵀ r, its norm, then x and d, one partition after the other. */
static void cg_direction(const Dense *dense, bool first, const void *r, void *g, void *g0, void *d, Solved *solved)
{
    const SinoSlices slices = dense->slices;
    multiply(dense, true, r, g);
    sino_update_norm(slices, SPLIT, g, first ? NULL : g0, solved->states, true, false);
    sino_update_norm(slices, COLUMNS - SPLIT, row_of(slices, g, SPLIT), first ? NULL : row_of(slices, g0, SPLIT),
                     solved->states, false, true);
    sino_update_voxels_cg(slices, SPLIT, g, solved->states, first, g0, d, solved->x.values);
    sino_update_voxels_cg(slices, COLUMNS - SPLIT, row_of(slices, g, SPLIT), solved->states, first,
                          row_of(slices, g0, SPLIT), row_of(slices, d, SPLIT), row_of(slices, solved->x.values, SPLIT));
}

static Solved solve_cg(const Dense *dense, double tolerance)
{
    const SinoSlices slices = dense->slices;
    Solved solved = {vector_create(slices, COLUMNS, NULL), zeros(slices.slice_count, sizeof(SinoSliceState)),
                     history_create(slices, ITERATIONS + 1, tolerance)};
    Vector r = vector_create(slices, ROWS, NULL), q = vector_create(slices, ROWS, NULL);
    Vector g = vector_create(slices, COLUMNS, NULL), d = vector_create(slices, COLUMNS, NULL);
    Vector g0 = vector_create(slices, COLUMNS, NULL);
    memcpy(r.values, dense->b.values, (size_t)(ROWS * slices.stride) * sino_precision_bytes(slices.precision));
    sino_update_start(slices, ROWS, r.values, solved.states, &solved.history);
    cg_direction(dense, true, r.values, g.values, g0.values, d.values, &solved);
    for (solved.history.iteration = 1; solved.history.iteration <= ITERATIONS; solved.history.iteration++) {
        multiply(dense, false, d.values, q.values);
        sino_update_residual_cg(slices, ROWS, q.values, r.values, solved.states, &solved.history);
        cg_direction(dense, false, r.values, g.values, g0.values, d.values, &solved);
    }
    vector_free(&r);
    vector_free(&q);
    vector_free(&g);
    vector_free(&d);
    vector_free(&g0);
    return solved;
}

/* The least-squares solution of one slice: AᵀA x = Aᵀb by Cholesky. */
static void least_squares(const Dense *dense, int64_t f, double *x)
{
    double l[COLUMNS][COLUMNS] = {{0}};
    for (int i = 0; i < COLUMNS; i++) {
        x[i] = 0;
        for (int k = 0; k < ROWS; k++) x[i] += dense->a[k][i] * dense->b.numbers[k * dense->slices.stride + f];
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < ROWS; k++) sum += dense->a[k][i] * dense->a[k][j];
            for (int k = 0; k < j; k++) sum -= l[i][k] * l[j][k];
            l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
        }
    }
    for (int i = 0; i < COLUMNS; i++) {
        for (int j = 0; j < i; j++) x[i] -= l[i][j] * x[j];
        x[i] /= l[i][i];
    }
    for (int i = COLUMNS - 1; i >= 0; i--) {
        for (int j = i + 1; j < COLUMNS; j++) x[i] -= l[j][i] * x[j];
        x[i] /= l[i][i];
    }
}

/* ‖Ax − b‖² of one slice. */
static double residual_of(const Dense *dense, int64_t f, const Vector *x)
{
    double sum = 0;
    for (int i = 0; i < ROWS; i++) {
        double r = -dense->b.numbers[i * dense->slices.stride + f];
        for (int j = 0; j < COLUMNS; j++)
            r += dense->a[i][j] * element(dense->slices.precision, x->values, j * dense->slices.stride + f);
        sum += r * r;
    }
    return sum;
}

static void cg_converges_to_least_squares(void **state)
{
    (void)state;
    uint64_t seed = 41;
    for (int p = 0; p < 2; p++) {
        Dense dense = dense_create(precisions[p], false, &seed);
        Solved solved = solve_cg(&dense, 0);
        for (int64_t f = 0; f < dense.slices.slice_count; f++) {
            double x[COLUMNS];
            least_squares(&dense, f, x);
            for (int j = 0; j < COLUMNS; j++) solved.x.numbers[j * dense.slices.stride + f] = x[j];
            for (int i = 1; i <= COLUMNS && f != 1; i++) /* CG's residual never grows */
                assert_true(history_at(&solved.history, f, i) <= history_at(&solved.history, f, i - 1) * (1 + 1e-6));
            const double last = history_at(&solved.history, f, COLUMNS + 2);
            if (f != 1) check_close(last, residual_of(&dense, f, &solved.x), 1e-5, "last residual");
        }
        /* A slice of zeros stops at once, and stays zero. */
        assert_true(history_at(&solved.history, 1, 0) == 0);
        for (int i = 1; i <= ITERATIONS; i++) assert_true(isnan(history_at(&solved.history, 1, i)));
        for (int j = 0; j < COLUMNS; j++)
            assert_true(element(dense.slices.precision, solved.x.values, j * dense.slices.stride + 1) == 0);
        check_vector(dense.slices, &solved.x, "x");
        vector_free(&dense.b);
        solved_free(&solved);
    }
}

/* With a tolerance: the slice stops where its residual first meets it, keeps that x, and records NaN from then on. */
static void cg_stops_at_tolerance(void **state)
{
    (void)state;
    uint64_t seed = 43;
    Dense dense = dense_create(SINO_DOUBLE, false, &seed);
    for (int j = 0; j < COLUMNS; j++) /* b in the range of A, so that residuals reach any tolerance */
        for (int64_t f = 0; f < dense.slices.stride; f++) dense.b.numbers[j * dense.slices.stride + f] *= 3;
    Vector truth = vector_create(dense.slices, COLUMNS, &seed);
    multiply(&dense, false, truth.values, dense.b.values);
    for (int i = 0; i < ROWS; i++) set_element(SINO_DOUBLE, dense.b.values, i * dense.slices.stride + 1, 0);
    for (int i = 0; i < ROWS * dense.slices.stride; i++) dense.b.numbers[i] = element(SINO_DOUBLE, dense.b.values, i);
    const double tolerance = 1e-3;
    Solved solved = solve_cg(&dense, tolerance);
    for (int64_t f = 0; f < dense.slices.slice_count; f++) {
        const double limit = tolerance * tolerance * solved.states[f].residual0;
        int stop = 0;
        while (stop < ITERATIONS && history_at(&solved.history, f, stop) > limit) stop++;
        assert_true(f == 1 ? stop == 0 : stop > 1 && stop <= COLUMNS);
        assert_int_equal(solved.states[f].stopped, 1);
        check_close(residual_of(&dense, f, &solved.x), history_at(&solved.history, f, stop), 1e-6, "final residual");
        for (int i = stop + 1; i <= ITERATIONS; i++) assert_true(isnan(history_at(&solved.history, f, i)));
    }
    vector_free(&truth);
    vector_free(&dense.b);
    solved_free(&solved);
}

/* SIRT from the functions under test. */
static Solved solve_sirt(const Dense *dense, double relaxation, bool nonnegativity, double tolerance)
{
    const SinoSlices slices = dense->slices;
    Solved solved = {vector_create(slices, COLUMNS, NULL), zeros(slices.slice_count, sizeof(SinoSliceState)),
                     history_create(slices, ITERATIONS + 1, tolerance)};
    Vector w = vector_create(slices, ROWS, NULL), g = vector_create(slices, COLUMNS, NULL);
    Vector row = weights_create(slices.precision, ROWS, NULL), column = weights_create(slices.precision, COLUMNS, NULL);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            set_element(slices.precision, row.values, i, element(slices.precision, row.values, i) + dense->a[i][j]);
            set_element(slices.precision, column.values, j,
                        element(slices.precision, column.values, j) + dense->a[i][j]);
        }
    sino_update_reciprocal(slices.precision, ROWS, row.values);
    sino_update_reciprocal(slices.precision, COLUMNS, column.values);
    sino_update_start(slices, ROWS, dense->b.values, solved.states, &solved.history);
    for (int i = 0; i <= ITERATIONS; i++) {
        solved.history.iteration = i;
        if (i > 0) multiply(dense, false, solved.x.values, w.values);
        sino_update_residual_sirt(slices, ROWS, dense->b.values, row.values, i == 0, w.values, solved.states,
                                  &solved.history);
        if (i == ITERATIONS) break;
        multiply(dense, true, w.values, g.values);
        sino_update_voxels_sirt(slices, COLUMNS, g.values, column.values, solved.states, relaxation, nonnegativity,
                                i == 0, solved.x.values);
    }
    vector_free(&w);
    vector_free(&g);
    vector_free(&row);
    vector_free(&column);
    return solved;
}

/* SIRT of one slice in double, with its residuals. Returns the iteration at which it stops. */
static int sirt_reference(const Dense *dense, int64_t f, double relaxation, bool nonnegativity, double tolerance,
                          double *x, double *residual)
{
    double row[ROWS] = {0}, column[COLUMNS] = {0}, r[ROWS];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            row[i] += dense->a[i][j];
            column[j] += dense->a[i][j];
        }
    for (int j = 0; j < COLUMNS; j++) x[j] = 0;
    for (int k = 0; k <= ITERATIONS; k++) {
        residual[k] = 0;
        for (int i = 0; i < ROWS; i++) {
            r[i] = dense->b.numbers[i * dense->slices.stride + f];
            for (int j = 0; j < COLUMNS; j++) r[i] -= dense->a[i][j] * x[j];
            residual[k] += r[i] * r[i];
        }
        if (sqrt(residual[k]) <= tolerance * sqrt(residual[0]) || k == ITERATIONS) return k;
        for (int j = 0; j < COLUMNS; j++) {
            double g = 0;
            for (int i = 0; i < ROWS; i++) g += dense->a[i][j] * r[i] / row[i];
            x[j] += relaxation * g / column[j];
            if (nonnegativity && x[j] < 0) x[j] = 0;
        }
    }
    return ITERATIONS;
}

static void check_sirt(SinoPrecision precision, double relaxation, bool nonnegativity, double tolerance, uint64_t *seed)
{
    Dense dense = dense_create(precision, true, seed);
    for (int i = 0; i < ROWS; i++) /* every other voxel is 1, seen with noise */
        for (int64_t at = i * dense.slices.stride; at < i * dense.slices.stride + dense.slices.slice_count; at++) {
            if (at == i * dense.slices.stride + 1) continue;
            for (int j = 0; j < COLUMNS; j += 2) dense.b.numbers[at] += dense.a[i][j];
            set_element(precision, dense.b.values, at, dense.b.numbers[at]);
            dense.b.numbers[at] = element(precision, dense.b.values, at);
        }
    Solved solved = solve_sirt(&dense, relaxation, nonnegativity, tolerance);
    const double relative = precision == SINO_DOUBLE ? 1e-12 : 1e-5;
    bool zero_seen = false, stop_seen = false;
    for (int64_t f = 0; f < dense.slices.slice_count; f++) {
        double x[COLUMNS], residual[ITERATIONS + 1];
        const int stop = sirt_reference(&dense, f, relaxation, nonnegativity, tolerance, x, residual);
        for (int k = 0; k <= ITERATIONS; k++) {
            if (k <= stop) check_close(history_at(&solved.history, f, k), residual[k], relative, "residual");
            if (k > stop) assert_true(isnan(history_at(&solved.history, f, k)));
        }
        stop_seen |= stop > 1 && stop < ITERATIONS;
        for (int j = 0; j < COLUMNS; j++) {
            const double value = element(precision, solved.x.values, j * dense.slices.stride + f);
            assert_true(fabs(value - x[j]) <= relative);
            assert_true(f != 1 || value == 0);
            zero_seen |= f != 1 && value == 0;
        }
    }
    assert_true(zero_seen == nonnegativity);
    assert_true(stop_seen == (tolerance > 0));
    vector_free(&dense.b);
    solved_free(&solved);
}

static void sirt_matches_reference(void **state)
{
    (void)state;
    uint64_t seed = 53;
    for (int p = 0; p < 2; p++)
        for (int nonnegativity = 0; nonnegativity < 2; nonnegativity++) {
            check_sirt(precisions[p], 1, nonnegativity, 0, &seed);
            check_sirt(precisions[p], 1.5, nonnegativity, 0, &seed);
            check_sirt(precisions[p], 1, nonnegativity, 0.15, &seed);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(start_sums_and_stops_zero_slices),
        cmocka_unit_test(residual_cg_matches_loops),
        cmocka_unit_test(norm_sums_over_partitions),
        cmocka_unit_test(voxels_cg_match_loops),
        cmocka_unit_test(residual_sirt_matches_loops),
        cmocka_unit_test(voxels_sirt_match_loops),
        cmocka_unit_test(reciprocals_and_ones),
        cmocka_unit_test(cg_converges_to_least_squares),
        cmocka_unit_test(cg_stops_at_tolerance),
        cmocka_unit_test(sirt_matches_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
