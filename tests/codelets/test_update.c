/* SPDX-License-Identifier: BSD-3-Clause */
/* Update: each function against plain loops in double; CG, SIRT and MLEM built from them on small dense systems. */
#include "update.h"

#include "reference_operator.h"
#include "testing.h"

#include <float.h>
#include <math.h>

static const SinoPrecision precisions[] = {SINO_SINGLE, SINO_DOUBLE};

/* Slices that strides have room for and those in use, the rest padding; some of several panels, the last of them
 * narrower or all padding. */
static const struct {
    int64_t stride, slice_count;
} shapes[] = {{1, 1},   {2, 2},   {4, 3},   {8, 1},   {8, 5},     {8, 8},  {17, 17}, {20, 19},
              {24, 17}, {33, 33}, {64, 64}, {64, 20}, {256, 250}, {16, 0}, {40, 0}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static const int64_t row_counts[] = {0, 1, 2, 13, 100};
enum { ROW_COUNTS = sizeof row_counts / sizeof *row_counts };

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

/* A vector under test, and what it should hold. */
typedef struct Vector {
    SinoSlices slices;
    int64_t rows;
    void *values;    /* in panels; owned */
    double *numbers; /* [row][stride]; owned */
} Vector;

static double value_at(const Vector *vector, int64_t row, int64_t f)
{
    return testing_element(vector->slices.precision, vector->values,
                           sino_panel_element(vector->slices, vector->rows, row, f));
}

static double *number_at(const Vector *vector, int64_t row, int64_t f)
{
    return &vector->numbers[row * vector->slices.stride + f];
}

/* The value, and as number what the precision makes of it. */
static void set(Vector *vector, int64_t row, int64_t f, double value)
{
    testing_set_element(vector->slices.precision, vector->values,
                        sino_panel_element(vector->slices, vector->rows, row, f), value);
    *number_at(vector, row, f) = value_at(vector, row, f);
}

/* Random numbers, zeros without a seed. */
static Vector vector_create(SinoSlices slices, int64_t rows, uint64_t *seed)
{
    const int64_t count = rows * slices.stride;
    Vector vector = {slices, rows, zeros(count, sino_precision_bytes(slices.precision)), zeros(count, sizeof(double))};
    for (int64_t row = 0; seed && row < rows; row++)
        for (int64_t f = 0; f < slices.slice_count; f++) set(&vector, row, f, reference_random(seed));
    return vector;
}

/* NaN everywhere, padding too. */
static void spoil(Vector *vector)
{
    memset(vector->values, 0xff,
           (size_t)(vector->rows * vector->slices.stride) * sino_precision_bytes(vector->slices.precision));
}

/* Gives some rays of every slice no value. */
static void mark_some(Vector *rays)
{
    for (int64_t row = 0; row < rays->rows; row++)
        for (int64_t f = 0; f < rays->slices.slice_count; f++)
            if ((row + 2 * f) % 5 == 3) set(rays, row, f, -0.0);
}

static double weight_at(const Vector *rays, int64_t row, int64_t f)
{
    return *number_at(rays, row, f) == 0 && signbit(*number_at(rays, row, f)) ? 0 : 1;
}

static void clear_slice(Vector *vector, int64_t f)
{
    for (int64_t row = 0; f < vector->slices.slice_count && row < vector->rows; row++) set(vector, row, f, 0);
}

static void vector_free(Vector *vector)
{
    free(vector->values);
    free(vector->numbers);
}

/* Values equal the numbers to a few roundings of sums of numbers near 1; padding is exactly zero. */
static void check_vector(const Vector *vector, const char *what)
{
    const SinoSlices slices = vector->slices;
    for (int64_t i = 0; i < vector->rows * slices.stride; i++) {
        const int64_t row = i / slices.stride, f = i % slices.stride;
        const double value = value_at(vector, row, f);
        const bool padding = f >= slices.slice_count;
        const double wanted = padding ? 0 : *number_at(vector, row, f);
        const double tolerance = padding ? 0 : 8 * epsilon_of(slices.precision) * (1 + fabs(wanted));
        if (fabs(value - wanted) <= tolerance) continue;
        fail_msg("%s, stride %d, %d slices: row %d, slice %d is %.17g, expected %.17g", what, (int)slices.stride,
                 (int)slices.slice_count, (int)row, (int)f, value, wanted);
    }
}

/* Σ a·b of one slice. */
static double product(const Vector *a, const Vector *b, int64_t f)
{
    double sum = 0;
    for (int64_t row = 0; row < a->rows; row++) sum += *number_at(a, row, f) * *number_at(b, row, f);
    return sum;
}

/* Σ a² of one slice over the rows that have a value in `rays`. */
static double weighted_square(const Vector *a, const Vector *rays, int64_t f)
{
    double sum = 0;
    for (int64_t row = 0; row < a->rows; row++)
        sum += weight_at(rays, row, f) * *number_at(a, row, f) * *number_at(a, row, f);
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
    SinoHistory history = {.residual = zeros(slices.slice_count * columns, sizeof(double)),
                           .columns = columns,
                           .numbers = columns,
                           .tolerance = tolerance};
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
                                     .scalar = {[SINO_CG_GAMMA] = 2 + reference_random(seed),
                                                [SINO_CG_STEP] = reference_random(seed),
                                                [SINO_CG_BETA] = reference_random(seed)}};
    return states;
}

/* Calls check(slices, rows, seed) for every precision, shape and length. */
static void for_each_shape(void (*check)(SinoSlices slices, int64_t rows, uint64_t *seed))
{
    uint64_t seed = 21;
    for (int p = 0; p < 2; p++)
        for (int s = 0; s < SHAPES; s++)
            for (int r = 0; r < ROW_COUNTS; r++)
                check((SinoSlices){precisions[p], sino_panel_stride(precisions[p], shapes[s].stride),
                                   shapes[s].slice_count},
                      row_counts[r], &seed);
}

/* Formulas by their vectors' names. */
static void update_sums(SinoSlices slices, int64_t rows, const void *v, const void *w, bool first, SinoSliceSums *sums)
{
    const SinoUpdate update = {
        .formula = w ? SINO_UPDATE_PRODUCT : SINO_UPDATE_SQUARE, .slices = slices, .rows = rows, .add = !first};
    sino_update(&update, (void *[SINO_UPDATE_VECTORS]){(void *)v, (void *)w}, NULL, sums);
}

static void update_weighted_sums(SinoSlices slices, int64_t rows, const void *v, const void *w, SinoSliceSums *sums)
{
    const SinoUpdate update = {.formula = SINO_UPDATE_WEIGHTED_PRODUCT, .slices = slices, .rows = rows};
    sino_update(&update, (void *[SINO_UPDATE_VECTORS]){(void *)v, (void *)w}, NULL, sums);
}

static void update_residual_cg(SinoSlices slices, int64_t rows, const void *q, const SinoSliceState *state, void *r,
                               SinoSliceSums *sums)
{
    const SinoUpdate update = {.formula = SINO_UPDATE_RESIDUAL_CG, .slices = slices, .rows = rows};
    sino_update(&update, (void *[SINO_UPDATE_VECTORS]){(void *)q, r}, state, sums);
}

static void update_voxels_cg(SinoSlices slices, int64_t rows, const void *g, const SinoSliceState *state, bool first,
                             void *g0, void *d, void *x)
{
    const SinoUpdate update = {.formula = SINO_UPDATE_VOXELS_CG, .slices = slices, .rows = rows, .first = first};
    sino_update(&update, (void *[SINO_UPDATE_VECTORS]){(void *)g, g0, d, x}, state, NULL);
}

static void update_residual_sirt(SinoSlices slices, int64_t rows, const void *b, const void *weight, bool first,
                                 void *w, SinoSliceSums *sums)
{
    const SinoUpdate update = {.formula = SINO_UPDATE_RESIDUAL_SIRT, .slices = slices, .rows = rows, .first = first};
    sino_update(&update, (void *[SINO_UPDATE_VECTORS]){(void *)b, (void *)weight, w}, NULL, sums);
}

static void update_voxels_sirt(SinoSlices slices, int64_t rows, const void *g, const void *weight,
                               const SinoSliceState *state, double relaxation, double least, double most, bool first,
                               void *x)
{
    const SinoUpdate update = {.formula = SINO_UPDATE_VOXELS_SIRT,
                               .slices = slices,
                               .rows = rows,
                               .first = first,
                               .argument = {relaxation, least, most}};
    sino_update(&update, (void *[SINO_UPDATE_VECTORS]){(void *)g, (void *)weight, x}, state, NULL);
}

/* One slice. */
static void update_weights(SinoUpdateFormula formula, SinoPrecision precision, int64_t count, void *value)
{
    const SinoUpdate update = {.formula = formula, .slices = {precision, 1, 1}, .rows = count, .argument = {1e-6}};
    sino_update(&update, (void *[SINO_UPDATE_VECTORS]){value}, NULL, NULL);
}

static void update_total_mlem(SinoSlices slices, int64_t rows, const void *b, bool first, SinoSliceSums *sums)
{
    const SinoUpdate update = {.formula = SINO_UPDATE_TOTAL_MLEM, .slices = slices, .rows = rows, .add = !first};
    sino_update(&update, (void *[SINO_UPDATE_VECTORS]){(void *)b}, NULL, sums);
}

static void update_start_mlem(SinoSlices slices, int64_t rows, const void *weight, bool first,
                              const SinoSliceState *state, void *x)
{
    const SinoUpdate update = {.formula = SINO_UPDATE_START_MLEM, .slices = slices, .rows = rows, .first = first};
    sino_update(&update, (void *[SINO_UPDATE_VECTORS]){(void *)weight, x}, state, NULL);
}

static void update_ratio_mlem(SinoSlices slices, int64_t rows, const void *b, void *w, SinoSliceSums *sums)
{
    const SinoUpdate update = {.formula = SINO_UPDATE_RATIO_MLEM, .slices = slices, .rows = rows};
    sino_update(&update, (void *[SINO_UPDATE_VECTORS]){(void *)b, w}, NULL, sums);
}

static void update_voxels_mlem(SinoSlices slices, int64_t rows, const void *g, const void *weight,
                               const SinoSliceState *state, void *x)
{
    const SinoUpdate update = {.formula = SINO_UPDATE_VOXELS_MLEM, .slices = slices, .rows = rows};
    sino_update(&update, (void *[SINO_UPDATE_VECTORS]){(void *)g, (void *)weight, x}, state, NULL);
}

/* Iteration 0 from r = b. */
static void start(SinoSlices slices, int64_t rows, const void *r, SinoSliceState *states, const SinoHistory *history)
{
    SinoSliceSums sums[SINO_SLICES_MAX];
    update_sums(slices, rows, r, NULL, true, sums);
    sino_update_start(slices, sums, states, history);
}

/* CG's step and new residual after q = A d; returns the slices that go on. */
static int64_t step(SinoSlices slices, int64_t rows, const void *q, void *r, SinoSliceState *states,
                    const SinoHistory *history)
{
    SinoSliceSums sums[SINO_SLICES_MAX];
    update_weighted_sums(slices, rows, q, r, sums);
    sino_update_slices(SINO_RULE_STEP_CG, slices, false, 0, sums, states);
    update_residual_cg(slices, rows, q, states, r, sums);
    int64_t active;
    sino_update_record(slices, sums, states, history, &active);
    return active;
}

/* Whatever the sums and the other numbers of the states are. */
static void step_is_given(void **state)
{
    const SinoSlices slices = {SINO_DOUBLE, 8, 7};
    SinoSliceSums sums[SINO_SLICES_MAX] = {0};
    uint64_t seed = 5;
    (void)state;
    SinoSliceState *states = random_states(slices, &seed), *before = random_states(slices, &(uint64_t){5});
    sino_update_slices(SINO_RULE_STEP_GIVEN, slices, false, 0.75, sums, states);
    for (int64_t f = 0; f < slices.slice_count; f++) {
        before[f].scalar[SINO_CG_STEP] = 0.75;
        assert_memory_equal(&states[f], &before[f], sizeof states[f]);
    }
    free(states);
    free(before);
}

static void check_start(SinoSlices slices, int64_t rows, uint64_t *seed)
{
    Vector r = vector_create(slices, rows, seed);
    clear_slice(&r, 1);
    SinoSliceState *states = random_states(slices, seed);
    SinoHistory history = history_create(slices, 3, 0);
    start(slices, rows, r.values, states, &history);
    for (int64_t f = 0; f < slices.slice_count; f++) {
        const double wanted = product(&r, &r, f);
        check_close(states[f].residual0, wanted, 1e-13, "residual0");
        check_close(history_at(&history, f, 0), wanted, 1e-13, "residual at 0");
        assert_true(isnan(history_at(&history, f, 1)) && isnan(history_at(&history, f, 2)));
        assert_true(states[f].scalar[SINO_CG_GAMMA] == 0 && states[f].scalar[SINO_CG_STEP] == 0 &&
                    states[f].scalar[SINO_CG_BETA] == 0);
        assert_int_equal(states[f].stopped, rows == 0 || f == 1);
    }
    check_vector(&r, "r");
    vector_free(&r);
    free(states);
    free(history.residual);
}

static void start_sums_and_stops_zero_slices(void **state)
{
    (void)state;
    for_each_shape(check_start);
}

/* Every third slice has stopped before, slice 1 has q = 0. Rays without a value keep their mark, and zeros of other
 * rays do not become marks. */
static void check_residual_cg(SinoSlices slices, int64_t rows, uint64_t *seed)
{
    Vector q = vector_create(slices, rows, seed), r = vector_create(slices, rows, seed);
    SinoSliceState *states = random_states(slices, seed);
    SinoHistory history = history_create(slices, 4, 0);
    history.iteration = 2;
    for (int64_t f = 0; f < slices.slice_count; f++) states[f].stopped = f % 3 == 2;
    mark_some(&r);
    clear_slice(&q, 1);
    clear_slice(&r, 3);
    const int64_t active = step(slices, rows, q.values, r.values, states, &history);
    int64_t going = 0;
    for (int64_t f = 0; f < slices.slice_count; f++) {
        going += !states[f].stopped;
        const bool stopped = f % 3 == 2 || !(weighted_square(&q, &r, f) > 0);
        const double step = stopped ? 0 : product(&r, &q, f) / weighted_square(&q, &r, f);
        check_close(states[f].scalar[SINO_CG_STEP], step, 1e-11, "step");
        for (int64_t row = 0; row < rows; row++) {
            const bool marked = weight_at(&r, row, f) == 0;
            if (!marked) *number_at(&r, row, f) -= step * *number_at(&q, row, f);
            assert_int_equal(value_at(&r, row, f) == 0 && signbit(value_at(&r, row, f)), marked);
        }
        const double residual = history_at(&history, f, 2);
        if (stopped)
            assert_true(isnan(residual) && states[f].stopped);
        else
            assert_true(fabs(residual - product(&r, &r, f)) <= 16 * epsilon_of(slices.precision) * (double)rows);
        assert_true(history_at(&history, f, 1) == -1 && history_at(&history, f, 3) == -1);
    }
    assert_int_equal(active, going);
    check_vector(&r, "r");
    check_vector(&q, "q");
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

/* CG on the normal equations: sums, step, gain and the next gradient. Slice 1 has q = 0 and stops. */
static void check_normal(SinoSlices slices, int64_t rows, uint64_t *seed)
{
    Vector d = vector_create(slices, rows, seed), q = vector_create(slices, rows, seed);
    Vector g = vector_create(slices, rows, seed), g0 = vector_create(slices, rows, seed);
    SinoSliceState *states = random_states(slices, seed);
    SinoSliceSums sums[SINO_SLICES_MAX], residual[SINO_SLICES_MAX];
    for (int64_t row = 0; row < rows; row++)
        for (int64_t f = 0; f < slices.slice_count; f++)
            set(&q, row, f, f == 1 ? 0 : *number_at(&d, row, f)); /* d·q > 0 */
    for (int64_t f = 0; f < slices.slice_count; f++) states[f].scalar[SINO_CG_GAIN] = 0.25;
    const SinoUpdate along = {.formula = SINO_UPDATE_ALONG_CG, .slices = slices, .rows = rows};
    sino_update(&along, (void *[SINO_UPDATE_VECTORS]){d.values, q.values, g.values}, NULL, sums);
    sino_update_slices(SINO_RULE_STEP_NORMAL, slices, false, 0, sums, states);
    sino_update_residual(slices, states, residual);
    for (int64_t f = 0; f < slices.slice_count; f++) {
        const double square = product(&d, &q, f), slope = product(&d, &g, f);
        const double step = square > 0 && !states[f].stopped ? slope / square : 0;
        check_close(sums[f].sum[SINO_SUM_SQUARE], square, 1e-13, "d·q");
        assert_true(fabs(sums[f].sum[SINO_SUM_PRODUCT] - slope) <= 1e-13 * (1 + fabs(slope)) * (double)(rows + 1));
        assert_true(square > 0 || states[f].stopped);
        assert_true(fabs(states[f].scalar[SINO_CG_STEP] - step) <= 1e-11 * (1 + fabs(step)));
        assert_true(fabs(states[f].scalar[SINO_CG_GAIN] - 0.25 - step * slope) <= 1e-11 * (1 + fabs(step * slope)));
        const double left = states[f].residual0 - states[f].scalar[SINO_CG_GAIN];
        assert_true(residual[f].sum[SINO_SUM_SQUARE] == (left > 0 ? left : 0));
        for (int64_t row = 0; row < rows; row++)
            *number_at(&g, row, f) -= states[f].scalar[SINO_CG_STEP] * *number_at(&q, row, f);
    }
    const SinoUpdate gradient = {.formula = SINO_UPDATE_GRADIENT_CG, .slices = slices, .rows = rows};
    sino_update(&gradient, (void *[SINO_UPDATE_VECTORS]){q.values, g.values, g0.values}, states, sums);
    check_vector(&g, "g");
    check_vector(&g0, "g0");
    for (int64_t f = 0; f < slices.slice_count; f++) {
        const double tolerance = 1e-5 * (1 + product(&g, &g, f) + product(&g0, &g0, f));
        assert_true(fabs(sums[f].sum[SINO_SUM_SQUARE] - product(&g, &g, f)) <= tolerance);
        assert_true(fabs(sums[f].sum[SINO_SUM_PRODUCT] - product(&g, &g0, f)) <= tolerance);
    }
    for (int i = 0; i < 4; i++) vector_free((Vector *[]){&d, &q, &g, &g0}[i]);
    free(states);
}

static void normal_cg_matches_loops(void **state)
{
    (void)state;
    for_each_shape(check_normal);
}

/* Norms over three partitions, of which the second may be empty; `later`: with a first gradient to be taken out. */
static void check_norm_of(SinoSlices slices, int64_t rows, uint64_t *seed, bool later)
{
    Vector g[3] = {vector_create(slices, rows, seed), vector_create(slices, rows / 2, seed),
                   vector_create(slices, rows + 1, seed)};
    Vector g0[3] = {vector_create(slices, rows, seed), vector_create(slices, rows / 2, seed),
                    vector_create(slices, rows + 1, seed)};
    SinoSliceState *states = random_states(slices, seed);
    SinoSliceSums sums[SINO_SLICES_MAX];
    double gamma[SINO_SLICES_MAX];
    for (int64_t f = 0; f < slices.slice_count; f++) {
        if (f % 4 == 1) states[f].scalar[SINO_CG_GAMMA] = 0; /* the first iteration */
        states[f].scalar[SINO_CG_NORM0] = f % 5 == 2 ? 0 : 1e3;
        gamma[f] = states[f].scalar[SINO_CG_GAMMA];
    }
    for (int i = 0; i < 3; i++) update_sums(slices, g[i].rows, g[i].values, later ? g0[i].values : NULL, i == 0, sums);
    sino_update_slices(SINO_RULE_DIRECTION_CG, slices, !later, 0, sums, states);
    for (int64_t f = 0; f < slices.slice_count; f++) {
        double square = 0, along = 0;
        for (int i = 0; i < 3; i++) square += product(&g[i], &g[i], f);
        for (int i = 0; i < 3 && later; i++) along += product(&g[i], &g0[i], f);
        check_close(sums[f].sum[SINO_SUM_SQUARE], square, 1e-13, "square");
        assert_true(fabs(sums[f].sum[SINO_SUM_PRODUCT] - along) <= 1e-13 * (1 + square));
        const double norm0 = later ? f % 5 == 2 ? 0 : 1e3 : square;
        const double overlap = norm0 > 0 ? along / norm0 : 0, rest = square - overlap * along;
        assert_true(fabs(states[f].scalar[SINO_CG_OVERLAP] - overlap) <= 1e-13 * (1 + square));
        check_close(states[f].scalar[SINO_CG_GAMMA], rest, 1e-12, "gamma");
        check_close(states[f].scalar[SINO_CG_BETA], gamma[f] > 0 ? rest / gamma[f] : 0, 1e-12, "beta");
        check_close(states[f].scalar[SINO_CG_NORM0], norm0, 1e-13, "norm0");
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
    for (int64_t f = 0; f < slices.slice_count; f += 3) states[f].scalar[SINO_CG_STEP] = 0;
    for (int64_t f = 0; f < slices.slice_count; f++) states[f].scalar[SINO_CG_OVERLAP] = reference_random(seed);
    update_voxels_cg(slices, rows, g.values, states, false, g0.values, d.values, x.values);
    for (int64_t row = 0; row < rows; row++)
        for (int64_t f = 0; f < slices.slice_count; f++) {
            double *to_x = number_at(&x, row, f), *to_d = number_at(&d, row, f);
            if (states[f].scalar[SINO_CG_STEP] == 0) assert_true(value_at(&x, row, f) == *to_x);
            *to_x += states[f].scalar[SINO_CG_STEP] * *to_d;
            *to_d = *number_at(&g, row, f) - states[f].scalar[SINO_CG_OVERLAP] * *number_at(&g0, row, f) +
                    states[f].scalar[SINO_CG_BETA] * *to_d;
        }
    check_vector(&x, "x");
    check_vector(&d, "d");
    check_vector(&g0, "g0");
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

/* x = 0, d = g0 = g, padding too, whatever was there. */
static void check_first_voxels_cg(SinoSlices slices, int64_t rows, uint64_t *seed)
{
    Vector g = vector_create(slices, rows, seed), d = vector_create(slices, rows, NULL);
    Vector x = vector_create(slices, rows, NULL), g0 = vector_create(slices, rows, NULL);
    SinoSliceState *states = random_states(slices, seed);
    spoil(&x);
    spoil(&d);
    spoil(&g0);
    update_voxels_cg(slices, rows, g.values, states, true, g0.values, d.values, x.values);
    for (int64_t i = 0; i < rows * slices.stride; i++) {
        const int64_t row = i / slices.stride, f = i % slices.stride;
        assert_true(value_at(&x, row, f) == 0);
        assert_true(value_at(&d, row, f) == *number_at(&g, row, f));
        assert_true(value_at(&g0, row, f) == *number_at(&g, row, f));
    }
    vector_free(&g);
    vector_free(&d);
    vector_free(&x);
    vector_free(&g0);
    free(states);
}

static void first_voxels_cg_overwrite(void **state)
{
    (void)state;
    for_each_shape(check_first_voxels_cg);
}

/* One number per row, the same for all slices. */
static Vector weights_create(SinoPrecision precision, int64_t rows, uint64_t *seed)
{
    return vector_create((SinoSlices){precision, 1, 1}, rows, seed);
}

static void check_weighted(SinoSlices slices, int64_t rows, bool first, uint64_t *seed)
{
    Vector b = vector_create(slices, rows, seed), w = vector_create(slices, rows, seed);
    Vector weight = weights_create(slices.precision, rows, seed);
    SinoSliceSums sums[SINO_SLICES_MAX];
    mark_some(&b);
    if (first) spoil(&w);
    update_residual_sirt(slices, rows, b.values, weight.values, first, w.values, sums);
    for (int64_t f = 0; f < slices.slice_count; f++) {
        double sum = 0;
        for (int64_t row = 0; row < rows; row++) {
            const double r = weight_at(&b, row, f) * (*number_at(&b, row, f) - (first ? 0 : *number_at(&w, row, f)));
            sum += r * r;
            *number_at(&w, row, f) = *number_at(&weight, row, 0) * r;
        }
        check_close(sums[f].sum[SINO_SUM_SQUARE], sum, 8 * epsilon_of(slices.precision), "residual");
    }
    check_vector(&w, "w");
    check_vector(&b, "b");
    vector_free(&b);
    vector_free(&w);
    vector_free(&weight);
}

static void check_residual_sirt(SinoSlices slices, int64_t rows, uint64_t *seed)
{
    check_weighted(slices, rows, false, seed);
    check_weighted(slices, rows, true, seed);
}

static void residual_sirt_matches_loops(void **state)
{
    (void)state;
    for_each_shape(check_residual_sirt);
}

/* The weight of a ray by the photons that are left of it. */
static double photons_at(const Vector *rays, int64_t row, int64_t f)
{
    return weight_at(rays, row, f) * exp(-fmax(*number_at(rays, row, f), 0));
}

/* CG with weights: the start from b, then a product and the residual after a step. Slice 1 has q = 0. */
static void check_weighted_cg(SinoSlices slices, int64_t rows, uint64_t *seed)
{
    Vector q = vector_create(slices, rows, seed), b = vector_create(slices, rows, seed);
    Vector r = vector_create(slices, rows, NULL), w = vector_create(slices, rows, NULL);
    SinoSliceState *states = random_states(slices, seed);
    SinoSliceSums product[SINO_SLICES_MAX], rest[SINO_SLICES_MAX];
    const double most_off = 64 * epsilon_of(slices.precision) * (double)rows;
    const SinoUpdate first = {.formula = SINO_UPDATE_START_WEIGHTED_CG, .slices = slices, .rows = rows};
    const SinoUpdate sums = {.formula = SINO_UPDATE_PRODUCT_WEIGHTED_CG, .slices = slices, .rows = rows};
    const SinoUpdate step = {.formula = SINO_UPDATE_RESIDUAL_WEIGHTED_CG, .slices = slices, .rows = rows};
    mark_some(&b);
    clear_slice(&q, 1);
    for (int64_t i = 0; i < rows * slices.slice_count; i++)
        set(&r, i / slices.slice_count, i % slices.slice_count,
            *number_at(&b, i / slices.slice_count, i % slices.slice_count));
    spoil(&w);
    sino_update(&first, (void *[SINO_UPDATE_VECTORS]){r.values, w.values}, NULL, NULL);
    for (int64_t f = 0; f < slices.slice_count; f++)
        for (int64_t row = 0; row < rows; row++) {
            *number_at(&w, row, f) = photons_at(&b, row, f);
            *number_at(&r, row, f) = photons_at(&b, row, f) * *number_at(&b, row, f);
            assert_true(fabs(value_at(&w, row, f) - photons_at(&b, row, f)) <= 8 * epsilon_of(slices.precision));
        }
    check_vector(&r, "r"); /* the weights of padding are 1, and meet zeros only */
    sino_update(&sums, (void *[SINO_UPDATE_VECTORS]){q.values, r.values, w.values}, NULL, product);
    sino_update(&step, (void *[SINO_UPDATE_VECTORS]){q.values, w.values, r.values}, states, rest);
    for (int64_t f = 0; f < slices.slice_count; f++) {
        const double length = states[f].scalar[SINO_CG_STEP];
        double square = 0, along = 0, residual = 0;
        for (int64_t row = 0; row < rows; row++) {
            const double a = *number_at(&q, row, f), weight = photons_at(&b, row, f);
            const double after = weight_at(&b, row, f) * (*number_at(&b, row, f) - length * a);
            square += weight * a * a;
            along += a * *number_at(&r, row, f);
            residual += after * after;
            *number_at(&r, row, f) = weight * after;
        }
        assert_true(fabs(product[f].sum[SINO_SUM_SQUARE] - square) <= most_off);
        assert_true(fabs(product[f].sum[SINO_SUM_PRODUCT] - along) <= most_off);
        assert_true(fabs(rest[f].sum[SINO_SUM_SQUARE] - residual) <= most_off * (1 + length * length));
    }
    check_vector(&r, "r after a step");
    vector_free(&q);
    vector_free(&b);
    vector_free(&r);
    vector_free(&w);
    free(states);
}

static void weighted_cg_matches_loops(void **state)
{
    (void)state;
    for_each_shape(check_weighted_cg);
}

/* A ray through which nothing passes, or so little that the weight underflows, changes no sum. */
static void dark_rays_have_no_weight(void **state)
{
    (void)state;
    float b[3] = {1e4F, 88, 1}, w[3], q[3] = {1, 1, 1};
    SinoSliceState going = {.scalar = {[SINO_CG_STEP] = 0.5}};
    SinoSliceSums sums;
    SinoUpdate update = {.formula = SINO_UPDATE_START_WEIGHTED_CG, .slices = {SINO_SINGLE, 1, 1}, .rows = 3};
    sino_update(&update, (void *[SINO_UPDATE_VECTORS]){b, w}, NULL, NULL);
    assert_true(w[0] == 0 && b[0] == 0 && w[1] >= 0 && w[1] < FLT_MIN);
    update.formula = SINO_UPDATE_RESIDUAL_WEIGHTED_CG;
    update.rows = 1;
    sino_update(&update, (void *[SINO_UPDATE_VECTORS]){q, w, b}, &going, &sums);
    assert_true(b[0] == 0 && sums.sum[SINO_SUM_SQUARE] == 0);
    update.rows = 3;
    sino_update(&update, (void *[SINO_UPDATE_VECTORS]){q, w, b}, &going, &sums);
    assert_true(isfinite(sums.sum[SINO_SUM_SQUARE]) && isfinite((double)b[1]) && isfinite((double)b[2]));
}

/* SIRT with weights: the residual, and voxels whose slices have weights of columns of their own. */
static void check_weighted_sirt(SinoSlices slices, int64_t rows, uint64_t *seed)
{
    const double relaxation = 0.7, least = -0.25, most = 0.125;
    Vector b = vector_create(slices, rows, seed), w = vector_create(slices, rows, seed);
    Vector column = vector_create(slices, rows, seed), g = vector_create(slices, rows, seed);
    Vector x = vector_create(slices, rows, NULL), weight = weights_create(slices.precision, rows, seed);
    SinoSliceState *states = random_states(slices, seed);
    SinoSliceSums sums[SINO_SLICES_MAX];
    const SinoUpdate residual = {.formula = SINO_UPDATE_RESIDUAL_WEIGHTED_SIRT, .slices = slices, .rows = rows};
    const SinoUpdate voxels = {.formula = SINO_UPDATE_VOXELS_WEIGHTED_SIRT,
                               .slices = slices,
                               .rows = rows,
                               .argument = {relaxation, least, most}};
    for (int64_t f = 0; f < slices.slice_count; f++) states[f].stopped = f % 3 == 2;
    mark_some(&b);
    sino_update(&residual, (void *[SINO_UPDATE_VECTORS]){b.values, weight.values, w.values}, NULL, sums);
    sino_update(&voxels, (void *[SINO_UPDATE_VECTORS]){g.values, column.values, x.values}, states, NULL);
    for (int64_t f = 0; f < slices.slice_count; f++) {
        double sum = 0;
        for (int64_t row = 0; row < rows; row++) {
            const double r = weight_at(&b, row, f) * (*number_at(&b, row, f) - *number_at(&w, row, f));
            const double after = relaxation * *number_at(&column, row, f) * *number_at(&g, row, f);
            sum += r * r;
            *number_at(&w, row, f) = photons_at(&b, row, f) * *number_at(&weight, row, 0) * r;
            *number_at(&x, row, f) = states[f].stopped ? 0 : fmin(fmax(after, least), most);
        }
        check_close(sums[f].sum[SINO_SUM_SQUARE], sum, 8 * epsilon_of(slices.precision), "residual");
    }
    check_vector(&w, "w");
    check_vector(&x, "x");
    for (Vector *const *of = (Vector *const[]){&b, &w, &column, &g, &x, &weight, NULL}; *of; of++) vector_free(*of);
    free(states);
}

/* Weights that are given: rays without a value get 0, others keep theirs. */
static void check_given(SinoSlices slices, int64_t rows, uint64_t *seed)
{
    Vector b = vector_create(slices, rows, seed), ax = vector_create(slices, rows, seed);
    Vector given = vector_create(slices, rows, seed), r = vector_create(slices, rows, NULL);
    Vector w = vector_create(slices, rows, NULL), row = weights_create(slices.precision, rows, seed);
    SinoSliceSums sums[SINO_SLICES_MAX];
    const SinoUpdate admit = {.formula = SINO_UPDATE_ADMIT_RAYS, .slices = slices, .rows = rows};
    const SinoUpdate start = {.formula = SINO_UPDATE_START_GIVEN_CG, .slices = slices, .rows = rows};
    const SinoUpdate residual = {.formula = SINO_UPDATE_RESIDUAL_GIVEN_SIRT, .slices = slices, .rows = rows};
    mark_some(&b);
    for (int64_t f = 0; f < slices.slice_count; f++)
        for (int64_t i = 0; i < rows; i++) {
            set(&r, i, f, *number_at(&b, i, f));
            set(&w, i, f, *number_at(&given, i, f));
        }
    sino_update(&start, (void *[SINO_UPDATE_VECTORS]){r.values, w.values}, NULL, NULL);
    sino_update(&admit, (void *[SINO_UPDATE_VECTORS]){b.values, given.values}, NULL, NULL);
    sino_update(&residual, (void *[SINO_UPDATE_VECTORS]){b.values, row.values, ax.values, given.values}, NULL, sums);
    for (int64_t f = 0; f < slices.slice_count; f++) {
        double sum = 0;
        for (int64_t i = 0; i < rows; i++) {
            const double weight = weight_at(&b, i, f), rest = weight * (*number_at(&b, i, f) - *number_at(&ax, i, f));
            *number_at(&given, i, f) *= weight;
            *number_at(&w, i, f) = *number_at(&given, i, f);
            *number_at(&r, i, f) = *number_at(&w, i, f) * *number_at(&b, i, f);
            *number_at(&ax, i, f) = *number_at(&given, i, f) * *number_at(&row, i, 0) * rest;
            sum += rest * rest;
        }
        check_close(sums[f].sum[SINO_SUM_SQUARE], sum, 8 * epsilon_of(slices.precision), "residual");
    }
    check_vector(&given, "given");
    check_vector(&w, "w");
    check_vector(&r, "r");
    check_vector(&ax, "the weighted residual");
    for (Vector *const *of = (Vector *const[]){&b, &ax, &given, &r, &w, &row, NULL}; *of; of++) vector_free(*of);
}

static void given_weights_match_loops(void **state)
{
    (void)state;
    for_each_shape(check_given);
}

static void weighted_sirt_matches_loops(void **state)
{
    (void)state;
    for_each_shape(check_weighted_sirt);
}

static void check_relaxed(SinoSlices slices, int64_t rows, double least, double most, bool first, uint64_t *seed)
{
    const double relaxation = 0.7;
    Vector g = vector_create(slices, rows, seed), x = vector_create(slices, rows, seed);
    Vector weight = weights_create(slices.precision, rows, seed);
    SinoSliceState *states = random_states(slices, seed);
    for (int64_t f = 0; f < slices.slice_count; f++) states[f].stopped = f % 3 == 2;
    for (int64_t row = 0; row < rows; row++) /* as iterations before left it */
        for (int64_t f = 0; f < slices.slice_count; f++)
            set(&x, row, f, fmin(fmax(*number_at(&x, row, f), least), most));
    if (first) spoil(&x);
    update_voxels_sirt(slices, rows, g.values, weight.values, states, relaxation, least, most, first, x.values);
    for (int64_t row = 0; row < rows; row++)
        for (int64_t f = 0; f < slices.slice_count; f++) {
            const double before = first ? 0 : *number_at(&x, row, f);
            const double after = before + relaxation * *number_at(&weight, row, 0) * *number_at(&g, row, f);
            if (states[f].stopped) assert_true(value_at(&x, row, f) == before);
            assert_true(value_at(&x, row, f) >= least && value_at(&x, row, f) <= most);
            *number_at(&x, row, f) = states[f].stopped ? before : fmin(fmax(after, least), most);
        }
    check_vector(&x, "x");
    vector_free(&g);
    vector_free(&x);
    vector_free(&weight);
    free(states);
}

static void check_voxels_sirt(SinoSlices slices, int64_t rows, uint64_t *seed)
{
    /* Numbers that single precision has. */
    static const double bounds[][2] = {{-INFINITY, INFINITY}, {0, INFINITY}, {-0.25, 0.125}, {-INFINITY, 0.5}};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        for (int first = 0; first < 2; first++) check_relaxed(slices, rows, bounds[i][0], bounds[i][1], first, seed);
}

static void voxels_sirt_match_loops(void **state)
{
    (void)state;
    for_each_shape(check_voxels_sirt);
}

/* FISTA's start and its step of x and y, each within bounds. */
static void check_fista_bounds(SinoSlices slices, int64_t rows, double least, double most, uint64_t *seed)
{
    const double scale = 1.5, beta = 0.375;
    Vector u = vector_create(slices, rows, seed), x = vector_create(slices, rows, seed),
           y = vector_create(slices, rows, seed);
    SinoSliceState *states = random_states(slices, seed);
    SinoSliceSums sums[SINO_SLICES_MAX];
    double square[SINO_SLICES_MAX] = {0}, product[SINO_SLICES_MAX] = {0};
    const SinoUpdate start = {
        .formula = SINO_UPDATE_START_FISTA, .slices = slices, .rows = rows, .argument = {least, most, scale}};
    const SinoUpdate step = {
        .formula = SINO_UPDATE_VOXELS_FISTA, .slices = slices, .rows = rows, .argument = {least, most}};
    for (int64_t f = 0; f < slices.slice_count; f++) {
        states[f].stopped = f % 3 == 2;
        states[f].scalar[SINO_FISTA_BETA] = beta;
    }
    sino_update(&start, (void *[SINO_UPDATE_VECTORS]){x.values, y.values}, NULL, NULL);
    sino_update(&step, (void *[SINO_UPDATE_VECTORS]){u.values, x.values, y.values}, states, sums);
    for (int64_t row = 0; row < rows; row++)
        for (int64_t f = 0; f < slices.slice_count; f++) {
            const double old = fmin(fmax(scale * *number_at(&x, row, f), least), most);
            const double limited = fmin(fmax(*number_at(&u, row, f), least), most);
            const double to = states[f].stopped ? old : limited;
            square[f] += (to - old) * (to - old);
            product[f] += (old - to) * (to - old);
            *number_at(&x, row, f) = to;
            *number_at(&y, row, f) = to + (states[f].stopped ? 0 : beta * (to - old));
            assert_true(value_at(&x, row, f) >= least && value_at(&x, row, f) <= most);
        }
    check_vector(&x, "x");
    check_vector(&y, "y");
    for (int64_t f = 0; f < slices.slice_count; f++) {
        /* Elements are at most 2, and may cancel. */
        const double most_off = 16 * epsilon_of(slices.precision) * (double)rows;
        assert_true(fabs(sums[f].sum[SINO_SUM_SQUARE] - square[f]) <= most_off);
        assert_true(fabs(sums[f].sum[SINO_SUM_PRODUCT] - product[f]) <= most_off);
    }
    vector_free(&u);
    vector_free(&x);
    vector_free(&y);
    free(states);
}

static void check_voxels_fista(SinoSlices slices, int64_t rows, uint64_t *seed)
{
    check_fista_bounds(slices, rows, (double)-INFINITY, (double)INFINITY, seed);
    check_fista_bounds(slices, rows, 0, (double)INFINITY, seed);
    check_fista_bounds(slices, rows, -0.25, 0.125, seed);
}

/* Voxels of the support keep their bits, others become 0, whatever they were. */
static void check_support(SinoSlices slices, int64_t rows, uint64_t *seed)
{
    Vector x = vector_create(slices, rows, seed),
           support = vector_create((SinoSlices){slices.precision, 1, 1}, rows, NULL);
    const SinoUpdate update = {.formula = SINO_UPDATE_SUPPORT, .slices = slices, .rows = rows};
    for (int64_t row = 0; row < rows; row++) {
        set(&support, row, 0, row % 3 != 1);
        for (int64_t f = 0; f < slices.slice_count; f++)
            if (row % 3 == 1 && f % 2) set(&x, row, f, NAN);
    }
    sino_update(&update, (void *[SINO_UPDATE_VECTORS]){support.values, x.values}, NULL, NULL);
    for (int64_t row = 0; row < rows; row++)
        for (int64_t f = 0; f < slices.slice_count; f++)
            assert_true(value_at(&x, row, f) == (row % 3 == 1 ? 0 : *number_at(&x, row, f)));
    vector_free(&x);
    vector_free(&support);
}

enum { MATRIX_VOXELS = 10 };
typedef double Matrix[MATRIX_VOXELS][MATRIX_VOXELS];

/* AᵀW A of a random A with entries ≥ 0, whose weights are below `most`; some rays have none. */
static void random_normal_matrix(double most, uint64_t *seed, Matrix m)
{
    enum { RAYS = 24 };
    memset(m, 0, sizeof(Matrix));
    for (int ray = 0; ray < RAYS; ray++) {
        const double w = ray % 5 == 0 ? 0 : most * fabs(reference_random(seed));
        double a[MATRIX_VOXELS];
        for (int i = 0; i < MATRIX_VOXELS; i++) a[i] = (ray + i) % 3 == 0 || i == 4 ? 0 : fabs(reference_random(seed));
        for (int i = 0; i < MATRIX_VOXELS; i++)
            for (int j = 0; j < MATRIX_VOXELS; j++) m[i][j] += w * a[i] * a[j];
    }
}

/* y = M x; returns the largest entry. */
static double multiply_matrix(Matrix m, const double *x, double *y)
{
    double largest = 0;
    for (int i = 0; i < MATRIX_VOXELS; i++) {
        y[i] = 0;
        for (int j = 0; j < MATRIX_VOXELS; j++) y[i] += m[i][j] * x[j];
        largest = fmax(largest, y[i]);
    }
    return largest;
}

static double largest_eigenvalue(Matrix m, const double *start)
{
    double x[MATRIX_VOXELS], y[MATRIX_VOXELS], found = 0;
    memcpy(x, start, sizeof x);
    for (int k = 0; k < 500; k++) {
        found = multiply_matrix(m, x, y);
        for (int i = 0; i < MATRIX_VOXELS; i++) x[i] = y[i] / found;
    }
    return found;
}

/* L is at least the largest eigenvalue of AᵀW A, and at most 1.1 times as much. */
static void step_fista_bounds_eigenvalue(void **state)
{
    const SinoSlices slices = {SINO_DOUBLE, 1, 1};
    uint64_t seed = 7;
    (void)state;
    for (int trial = 0; trial < 20; trial++) {
        Matrix m;
        double ones[MATRIX_VOXELS], g[MATRIX_VOXELS], h[MATRIX_VOXELS];
        for (int i = 0; i < MATRIX_VOXELS; i++) ones[i] = 1;
        random_normal_matrix(trial % 2 ? 1 : 1e-3, &seed, m);
        const double largest = multiply_matrix(m, ones, g), eigenvalue = largest_eigenvalue(m, g);
        const double bound = trial % 2 ? 3 * largest : largest;
        multiply_matrix(m, g, h);
        const SinoUpdate curvature = {
            .formula = SINO_UPDATE_CURVATURE, .slices = slices, .rows = MATRIX_VOXELS, .argument = {1 / bound}};
        const SinoUpdate growth = {.formula = SINO_UPDATE_GROWTH, .slices = slices, .rows = MATRIX_VOXELS};
        SinoSliceState slice = {0};
        SinoSliceSums sums = {{0}};
        sino_update(&curvature, (void *[SINO_UPDATE_VECTORS]){g}, NULL, &sums);
        sino_update_slices(SINO_RULE_STEP_FISTA, slices, false, bound, &sums, &slice);
        const double before = slice.scalar[SINO_FISTA_STEP];
        sino_update(&growth, (void *[SINO_UPDATE_VECTORS]){g, h}, &slice, &sums);
        SinoSliceState of_share = slice;
        sino_update_slices(SINO_RULE_LENGTHEN_FISTA, slices, false, 1, &sums, &slice);
        sino_update_slices(SINO_RULE_LENGTHEN_FISTA, slices, false, 0.25, &sums, &of_share);
        const double found = 1 / slice.scalar[SINO_FISTA_STEP];
        assert_true(before <= (1 + 1e-12) / largest && slice.scalar[SINO_FISTA_STEP] >= before);
        assert_true(fabs(of_share.scalar[SINO_FISTA_STEP] * found - 0.25) < 1e-12);
        assert_true(found >= eigenvalue * (1 - 1e-12) && found <= 1.1 * eigenvalue);
    }
}

static void support_clears_voxels(void **state)
{
    (void)state;
    for_each_shape(check_support);
}

static void voxels_fista_match_loops(void **state)
{
    (void)state;
    for_each_shape(check_voxels_fista);
}

/* Among random numbers of both signs: rays without a value, no counts, rays that meet nothing, a projection below 0
 * (which A ≥ 0 does not make), and a quotient that overflows. */
static void check_ratio_mlem(SinoSlices slices, int64_t rows, uint64_t *seed)
{
    const double tiny = slices.precision == SINO_DOUBLE ? 1e-310 : 1e-42;
    Vector b = vector_create(slices, rows, seed), w = vector_create(slices, rows, seed);
    SinoSliceSums sums[SINO_SLICES_MAX];
    for (int64_t row = 0; row < rows; row++)
        for (int64_t f = 0; f < slices.slice_count; f++) {
            const int64_t turn = (row + f) % 7;
            set(&b, row, f, turn == 0 ? 0 : turn == 6 ? 3 : *number_at(&b, row, f));
            set(&w, row, f, turn == 1 ? 0 : turn == 6 ? tiny : turn == 2 ? -0.5 : 0.2 + fabs(*number_at(&w, row, f)));
        }
    mark_some(&b);
    Vector w_before = vector_create(slices, rows, NULL);
    for (int64_t row = 0; row < rows; row++)
        for (int64_t f = 0; f < slices.slice_count; f++) set(&w_before, row, f, *number_at(&w, row, f));
    update_ratio_mlem(slices, rows, b.values, w.values, sums);
    for (int64_t f = 0; f < slices.slice_count; f++) {
        double sum = 0, likelihood = 0;
        for (int64_t row = 0; row < rows; row++) {
            const double counts = *number_at(&b, row, f), projection = value_at(&w_before, row, f);
            const bool usable = (row + f) % 7 != 1 && (row + f) % 7 != 2 && (row + f) % 7 != 6;
            const double weight = weight_at(&b, row, f), ratio = usable && counts > 0 ? counts / projection : 0;
            sum += weight * (projection - counts) * (projection - counts);
            if (projection >= DBL_MIN) likelihood += weight * (fmax(counts, 0) * log(projection) - projection);
            *number_at(&w, row, f) = weight > 0 ? ratio : 1;
            assert_true(value_at(&w, row, f) >= 0 && isfinite(value_at(&w, row, f)));
        }
        check_close(sums[f].sum[SINO_SUM_SQUARE], sum, 8 * epsilon_of(slices.precision), "residual");
        assert_true(fabs(sums[f].sum[SINO_SUM_LIKELIHOOD] - likelihood) <= 1e-12 * (double)rows * -log(tiny));
    }
    check_vector(&w, "w");
    check_vector(&b, "b");
    vector_free(&b);
    vector_free(&w);
    vector_free(&w_before);
}

static void ratio_mlem_matches_loops(void **state)
{
    (void)state;
    for_each_shape(check_ratio_mlem);
}

/* Two parts of the counts, then the start: every fourth voxel is met by no ray of the first subset, every eighth by
 * none of the second either. A sum of sensitivities of 0 gives 0. */
static void check_start_mlem(SinoSlices slices, int64_t rows, uint64_t *seed)
{
    Vector b[2] = {vector_create(slices, rows, seed), vector_create(slices, rows / 2, seed)};
    Vector weight = weights_create(slices.precision, rows, seed), x = vector_create(slices, rows, NULL);
    Vector second = weights_create(slices.precision, rows, seed);
    SinoSliceState *states = zeros(slices.slice_count, sizeof *states);
    SinoSliceSums sums[SINO_SLICES_MAX];
    for (int64_t row = 0; row < rows; row++)
        set(&weight, row, 0, row % 4 == 3 ? 0 : 0.1 + fabs(*number_at(&weight, row, 0)));
    spoil(&x);
    for (int64_t row = 0; row < rows; row++) set(&second, row, 0, row % 8 == 7 ? 0 : 1);
    for (int i = 0; i < 2; i++) update_total_mlem(slices, b[i].rows, b[i].values, i == 0, sums);
    sino_update_slices(SINO_RULE_SCALE_MLEM, slices, false, 12.5, sums, states);
    update_start_mlem(slices, rows, weight.values, true, states, x.values);
    update_start_mlem(slices, rows, second.values, false, states, x.values);
    for (int64_t f = 0; f < slices.slice_count; f++) {
        double total = 0;
        for (int i = 0; i < 2; i++)
            for (int64_t row = 0; row < b[i].rows; row++) total += fmax(*number_at(&b[i], row, f), 0);
        check_close(sums[f].sum[SINO_SUM_TOTAL], total, 1e-13, "counts");
        check_close(sums[f].sum[SINO_SUM_SQUARE], product(&b[0], &b[0], f) + product(&b[1], &b[1], f), 1e-13, "square");
        check_close(states[f].scalar[SINO_MLEM_START], total / 12.5, 1e-13, "start");
        for (int64_t row = 0; row < rows; row++) *number_at(&x, row, f) = row % 8 == 7 ? 0 : total / 12.5;
    }
    check_vector(&x, "x");
    sino_update_slices(SINO_RULE_TYPICAL_BSREM, slices, false, 0, sums, states);
    for (int64_t f = 0; f < slices.slice_count; f++) {
        const double total = sums[f].sum[SINO_SUM_TOTAL];
        check_close(states[f].scalar[SINO_BSREM_TYPICAL], total > 0 ? sums[f].sum[SINO_SUM_SQUARE] / total : 0, 1e-13,
                    "typical value");
    }
    sino_update_slices(SINO_RULE_SCALE_MLEM, slices, false, 0, sums, states);
    for (int64_t f = 0; f < slices.slice_count; f++) assert_true(states[f].scalar[SINO_MLEM_START] == 0);
    for (int i = 0; i < 2; i++) vector_free(&b[i]);
    vector_free(&weight);
    vector_free(&second);
    vector_free(&x);
    free(states);
}

static void start_mlem_spreads_counts(void **state)
{
    (void)state;
    for_each_shape(check_start_mlem);
}

/* Slices that have stopped, and voxels that no ray meets, keep x to the last bit. */
static void check_voxels_mlem(SinoSlices slices, int64_t rows, uint64_t *seed)
{
    Vector g = vector_create(slices, rows, seed), x = vector_create(slices, rows, seed);
    Vector weight = weights_create(slices.precision, rows, seed);
    SinoSliceState *states = random_states(slices, seed);
    for (int64_t f = 0; f < slices.slice_count; f++) states[f].stopped = f % 3 == 2;
    for (int64_t row = 0; row < rows; row++) set(&weight, row, 0, row % 4 == 3 ? 0 : fabs(*number_at(&weight, row, 0)));
    update_voxels_mlem(slices, rows, g.values, weight.values, states, x.values);
    for (int64_t row = 0; row < rows; row++)
        for (int64_t f = 0; f < slices.slice_count; f++) {
            const double before = *number_at(&x, row, f), by = *number_at(&weight, row, 0);
            const bool kept = states[f].stopped || !(by > 0);
            if (kept) assert_true(value_at(&x, row, f) == before);
            *number_at(&x, row, f) = kept ? before : before * *number_at(&g, row, f) * by;
        }
    check_vector(&x, "x");
    check_vector(&g, "g");
    vector_free(&g);
    vector_free(&x);
    vector_free(&weight);
    free(states);
}

static void voxels_mlem_match_loops(void **state)
{
    (void)state;
    for_each_shape(check_voxels_mlem);
}

/* One step of CG, of slice f of the vectors alone. */
static void step_alone(const Vector *q, const Vector *r, int64_t f, SinoSliceState *slice, double *residual,
                       Vector *stepped)
{
    const SinoSlices one = {q->slices.precision, 1, 1};
    Vector own_q = vector_create(one, q->rows, NULL);
    *stepped = vector_create(one, r->rows, NULL);
    for (int64_t row = 0; row < q->rows; row++) {
        set(&own_q, row, 0, *number_at(q, row, f));
        set(stepped, row, 0, *number_at(r, row, f));
    }
    const SinoHistory history = {.residual = residual, .columns = 1, .numbers = 1};
    start(one, r->rows, stepped->values, slice, &history);
    step(one, r->rows, own_q.values, stepped->values, slice, &history);
    vector_free(&own_q);
}

/* To the last bit, a slice has the same sums and steps alone and among others. */
static void slices_do_not_mix(void **state)
{
    (void)state;
    const int64_t rows = 997;
    uint64_t seed = 61;
    for (int s = 0; s < SHAPES * 2; s++) {
        const int64_t stride = sino_panel_stride(precisions[s % 2], shapes[s / 2].stride);
        const SinoSlices slices = {precisions[s % 2], stride, shapes[s / 2].slice_count};
        Vector q = vector_create(slices, rows, &seed), r = vector_create(slices, rows, &seed);
        SinoSliceState *states = zeros(slices.slice_count, sizeof *states);
        SinoHistory history = history_create(slices, 1, 0);
        start(slices, rows, r.values, states, &history);
        step(slices, rows, q.values, r.values, states, &history);
        for (int64_t f = 0; f < slices.slice_count; f++) {
            SinoSliceState slice;
            Vector stepped;
            double residual;
            step_alone(&q, &r, f, &slice, &residual, &stepped);
            assert_memory_equal(&states[f], &slice, sizeof slice);
            assert_true(history.residual[f] == residual);
            for (int64_t row = 0; row < rows; row++) assert_true(value_at(&r, row, f) == value_at(&stepped, row, 0));
            vector_free(&stepped);
        }
        vector_free(&q);
        vector_free(&r);
        free(states);
        free(history.residual);
    }
}

static void reciprocals_and_ones(void **state)
{
    (void)state;
    static const double value[] = {2, 0, 1e-7, 1e-5, -3, 0.25, 1e-6, 1e20};
    static const double wanted[] = {0.5, 0, 0, 1e5, 0, 4, 0, 1e-20};
    enum { COUNT = sizeof value / sizeof *value };
    for (int p = 0; p < 2; p++) {
        double values[COUNT + 1] = {0};
        for (int i = 0; i < COUNT; i++) testing_set_element(precisions[p], values, i, value[i]);
        testing_set_element(precisions[p], values, COUNT, 7);
        update_weights(SINO_UPDATE_RECIPROCAL, precisions[p], COUNT, values);
        for (int i = 0; i < COUNT; i++)
            check_close(testing_element(precisions[p], values, i), wanted[i], 4 * epsilon_of(precisions[p]),
                        "reciprocal");
        assert_true(testing_element(precisions[p], values, COUNT) == 7);
        update_weights(SINO_UPDATE_ONES, precisions[p], COUNT, values);
        for (int i = 0; i < COUNT; i++) assert_true(testing_element(precisions[p], values, i) == 1);
        assert_true(testing_element(precisions[p], values, COUNT) == 7);
    }
}

/* Dense systems: ROWS rays, COLUMNS voxels, the voxels in two partitions. */
enum { ROWS = 30, COLUMNS = 12, SPLIT = 5, ITERATIONS = 40, SLICES = 21 };

typedef struct Voxels {
    Vector part[2];
} Voxels;

static Voxels voxels_create(SinoSlices slices, uint64_t *seed)
{
    return (Voxels){{vector_create(slices, SPLIT, seed), vector_create(slices, COLUMNS - SPLIT, seed)}};
}

static void voxels_free(Voxels *voxels)
{
    for (int p = 0; p < 2; p++) vector_free(&voxels->part[p]);
}

static double voxel_at(const Voxels *voxels, int j, int64_t f)
{
    return j < SPLIT ? value_at(&voxels->part[0], j, f) : value_at(&voxels->part[1], j - SPLIT, f);
}

static void set_voxel(Voxels *voxels, int j, int64_t f, double value)
{
    set(&voxels->part[j >= SPLIT], j < SPLIT ? j : j - SPLIT, f, value);
}

typedef struct Dense {
    SinoSlices slices;
    double a[ROWS][COLUMNS];
    Vector b;
} Dense;

/* Several panels; slice 1 is all zeros. */
static Dense dense_create(SinoPrecision precision, bool positive, uint64_t *seed)
{
    Dense dense = {.slices = {precision, sino_panel_stride(precision, SLICES), SLICES}};
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            const double value = reference_random(seed);
            dense.a[i][j] = (positive ? fabs(value) : value) + (i == j ? 2 : 0);
        }
    dense.b = vector_create(dense.slices, ROWS, seed);
    clear_slice(&dense.b, 1);
    return dense;
}

/* y = A x, computed in double, rounded to the precision. */
static void project(const Dense *dense, const Voxels *x, Vector *y)
{
    for (int i = 0; i < ROWS; i++)
        for (int64_t f = 0; f < dense->slices.slice_count; f++) {
            double sum = 0;
            for (int j = 0; j < COLUMNS; j++) sum += dense->a[i][j] * voxel_at(x, j, f);
            set(y, i, f, sum);
        }
}

/* x = Aᵀ y, likewise. */
static void backproject(const Dense *dense, const Vector *y, Voxels *x)
{
    for (int j = 0; j < COLUMNS; j++)
        for (int64_t f = 0; f < dense->slices.slice_count; f++) {
            double sum = 0;
            for (int i = 0; i < ROWS; i++) sum += dense->a[i][j] * value_at(y, i, f);
            set_voxel(x, j, f, sum);
        }
}

/* A run of CG or SIRT from the functions under test. */
typedef struct Solved {
    Voxels x;
    SinoSliceState *states; /* owned */
    SinoHistory history;
} Solved;

static Solved solved_create(SinoSlices slices, double tolerance)
{
    return (Solved){voxels_create(slices, NULL), zeros(slices.slice_count, sizeof(SinoSliceState)),
                    history_create(slices, ITERATIONS + 1, tolerance)};
}

static void solved_free(Solved *solved)
{
    voxels_free(&solved->x);
    free(solved->states);
    free(solved->history.residual);
}

/* g = Aᵀ r, its norm, then x and d, one partition after the other. */
static void cg_direction(const Dense *dense, bool first, const Vector *r, Voxels *g, Voxels *g0, Voxels *d,
                         Solved *solved)
{
    backproject(dense, r, g);
    SinoSliceSums sums[SINO_SLICES_MAX];
    for (int p = 0; p < 2; p++)
        update_sums(dense->slices, g->part[p].rows, g->part[p].values, first ? NULL : g0->part[p].values, p == 0, sums);
    sino_update_slices(SINO_RULE_DIRECTION_CG, dense->slices, first, 0, sums, solved->states);
    for (int p = 0; p < 2; p++)
        update_voxels_cg(dense->slices, g->part[p].rows, g->part[p].values, solved->states, first, g0->part[p].values,
                         d->part[p].values, solved->x.part[p].values);
}

static Solved solve_cg(const Dense *dense, double tolerance)
{
    const SinoSlices slices = dense->slices;
    Solved solved = solved_create(slices, tolerance);
    Vector r = vector_create(slices, ROWS, NULL), q = vector_create(slices, ROWS, NULL);
    Voxels g = voxels_create(slices, NULL), d = voxels_create(slices, NULL), g0 = voxels_create(slices, NULL);
    memcpy(r.values, dense->b.values, (size_t)(ROWS * slices.stride) * sino_precision_bytes(slices.precision));
    start(slices, ROWS, r.values, solved.states, &solved.history);
    cg_direction(dense, true, &r, &g, &g0, &d, &solved);
    for (solved.history.iteration = 1; solved.history.iteration <= ITERATIONS; solved.history.iteration++) {
        project(dense, &d, &q);
        step(slices, ROWS, q.values, r.values, solved.states, &solved.history);
        cg_direction(dense, false, &r, &g, &g0, &d, &solved);
    }
    vector_free(&r);
    vector_free(&q);
    voxels_free(&g);
    voxels_free(&d);
    voxels_free(&g0);
    return solved;
}

/* The least-squares solution of one slice: AᵀA x = Aᵀb by Cholesky. */
static void least_squares(const Dense *dense, int64_t f, double *x)
{
    double l[COLUMNS][COLUMNS] = {{0}};
    for (int i = 0; i < COLUMNS; i++) {
        x[i] = 0;
        for (int k = 0; k < ROWS; k++) x[i] += dense->a[k][i] * *number_at(&dense->b, k, f);
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
static double residual_of(const Dense *dense, int64_t f, const Voxels *x)
{
    double sum = 0;
    for (int i = 0; i < ROWS; i++) {
        double r = -*number_at(&dense->b, i, f);
        for (int j = 0; j < COLUMNS; j++) r += dense->a[i][j] * voxel_at(x, j, f);
        sum += r * r;
    }
    return sum;
}

static void check_least_squares(const Dense *dense, int64_t f, const Solved *solved)
{
    double x[COLUMNS];
    least_squares(dense, f, x);
    for (int j = 0; j < COLUMNS; j++) {
        const double value = voxel_at(&solved->x, j, f);
        assert_true(fabs(value - x[j]) <= 8 * epsilon_of(dense->slices.precision) * (1 + fabs(x[j])));
    }
    for (int i = 1; i <= COLUMNS; i++) /* CG's residual never grows */
        assert_true(history_at(&solved->history, f, i) <= history_at(&solved->history, f, i - 1) * (1 + 1e-6));
    const double last = history_at(&solved->history, f, COLUMNS + 2);
    check_close(last, residual_of(dense, f, &solved->x), 1e-5, "last residual");
}

static void cg_converges_to_least_squares(void **state)
{
    (void)state;
    uint64_t seed = 41;
    for (int p = 0; p < 2; p++) {
        Dense dense = dense_create(precisions[p], false, &seed);
        Solved solved = solve_cg(&dense, 0);
        for (int64_t f = 0; f < dense.slices.slice_count; f++)
            if (f != 1) check_least_squares(&dense, f, &solved);
        /* A slice of zeros stops at once, and stays zero. */
        assert_true(history_at(&solved.history, 1, 0) == 0);
        for (int i = 1; i <= ITERATIONS; i++) assert_true(isnan(history_at(&solved.history, 1, i)));
        for (int j = 0; j < COLUMNS; j++) assert_true(voxel_at(&solved.x, j, 1) == 0);
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
    Voxels truth = voxels_create(dense.slices, &seed);
    project(&dense, &truth, &dense.b); /* b in the range of A, so that residuals reach any tolerance */
    clear_slice(&dense.b, 1);
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
    voxels_free(&truth);
    vector_free(&dense.b);
    solved_free(&solved);
}

/* One over the sums of A's rows and columns. */
static void sirt_weights(const Dense *dense, Vector *row, Voxels *column)
{
    const SinoPrecision precision = dense->slices.precision;
    const SinoSlices one = {precision, 1, 1};
    *row = vector_create(one, ROWS, NULL);
    *column = voxels_create(one, NULL);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            set(row, i, 0, value_at(row, i, 0) + dense->a[i][j]);
            set_voxel(column, j, 0, voxel_at(column, j, 0) + dense->a[i][j]);
        }
    update_weights(SINO_UPDATE_RECIPROCAL, precision, ROWS, row->values);
    for (int p = 0; p < 2; p++)
        update_weights(SINO_UPDATE_RECIPROCAL, precision, column->part[p].rows, column->part[p].values);
}

/* SIRT from the functions under test. */
static Solved solve_sirt(const Dense *dense, double relaxation, bool nonnegativity, double tolerance)
{
    const SinoSlices slices = dense->slices;
    Solved solved = solved_create(slices, tolerance);
    Vector w = vector_create(slices, ROWS, NULL), row;
    Voxels g = voxels_create(slices, NULL), column;
    SinoSliceSums sums[SINO_SLICES_MAX];
    int64_t active;
    sirt_weights(dense, &row, &column);
    start(slices, ROWS, dense->b.values, solved.states, &solved.history);
    for (int i = 0; i <= ITERATIONS; i++) {
        solved.history.iteration = i;
        if (i > 0) project(dense, &solved.x, &w);
        update_residual_sirt(slices, ROWS, dense->b.values, row.values, i == 0, w.values, sums);
        if (i > 0) sino_update_record(slices, sums, solved.states, &solved.history, &active);
        if (i == ITERATIONS) break;
        backproject(dense, &w, &g);
        for (int p = 0; p < 2; p++)
            update_voxels_sirt(slices, g.part[p].rows, g.part[p].values, column.part[p].values, solved.states,
                               relaxation, nonnegativity ? 0 : (double)-INFINITY, (double)INFINITY, i == 0,
                               solved.x.part[p].values);
    }
    vector_free(&w);
    voxels_free(&g);
    vector_free(&row);
    voxels_free(&column);
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
            r[i] = *number_at(&dense->b, i, f);
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
        for (int64_t f = 0; f < dense.slices.slice_count; f++) {
            double value = *number_at(&dense.b, i, f);
            for (int j = 0; j < COLUMNS; j += 2) value += dense.a[i][j];
            if (f != 1) set(&dense.b, i, f, value);
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
            const double value = voxel_at(&solved.x, j, f);
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

/* MLEM from the functions under test: 1/s, Σs, start, then iterations. The last voxel is met by no ray. */
static Solved solve_mlem(const Dense *dense, Voxels *weight, double tolerance)
{
    const SinoSlices slices = dense->slices;
    Solved solved = solved_create(slices, tolerance);
    Vector w = vector_create(slices, ROWS, NULL), row;
    Voxels g = voxels_create(slices, NULL);
    SinoSliceSums sums[SINO_SLICES_MAX];
    double total = 0;
    int64_t active;
    sirt_weights(dense, &row, weight);
    for (int j = 0; j < COLUMNS; j++)
        for (int i = 0; i < ROWS; i++) total += dense->a[i][j];
    update_total_mlem(slices, ROWS, dense->b.values, true, sums);
    sino_update_start(slices, sums, solved.states, &solved.history);
    sino_update_slices(SINO_RULE_SCALE_MLEM, slices, false, total, sums, solved.states);
    for (int p = 0; p < 2; p++)
        update_start_mlem(slices, g.part[p].rows, weight->part[p].values, true, solved.states, solved.x.part[p].values);
    for (int i = 1; i <= ITERATIONS; i++) {
        solved.history.iteration = i;
        project(dense, &solved.x, &w);
        update_ratio_mlem(slices, ROWS, dense->b.values, w.values, sums);
        sino_update_record(slices, sums, solved.states, &solved.history, &active);
        backproject(dense, &w, &g);
        for (int p = 0; p < 2; p++)
            update_voxels_mlem(slices, g.part[p].rows, g.part[p].values, weight->part[p].values, solved.states,
                               solved.x.part[p].values);
    }
    vector_free(&w);
    vector_free(&row);
    voxels_free(&g);
    return solved;
}

/* MLEM of one slice in double. history[i]: ‖A x − b‖² before update i. Returns the iteration at which it stops. */
static int mlem_reference(const Dense *dense, int64_t f, double tolerance, double *x, double *history)
{
    double s[COLUMNS] = {0}, all = 0, counts = 0, r[ROWS];
    for (int i = 0; i < ROWS; i++) {
        counts += fmax(*number_at(&dense->b, i, f), 0);
        for (int j = 0; j < COLUMNS; j++) s[j] += dense->a[i][j];
    }
    for (int j = 0; j < COLUMNS; j++) all += s[j];
    for (int j = 0; j < COLUMNS; j++) x[j] = s[j] > 0 ? counts / all : 0;
    history[0] = product(&dense->b, &dense->b, f);
    if (!(history[0] > 0)) return 0;
    for (int k = 1; k <= ITERATIONS; k++) {
        history[k] = 0;
        for (int i = 0; i < ROWS; i++) {
            const double b = *number_at(&dense->b, i, f);
            double sum = 0;
            for (int j = 0; j < COLUMNS; j++) sum += dense->a[i][j] * x[j];
            history[k] += (sum - b) * (sum - b);
            r[i] = sum > 0 && b > 0 ? b / sum : 0;
        }
        if (sqrt(history[k]) <= tolerance * sqrt(history[0])) return k;
        for (int j = 0; j < COLUMNS; j++) {
            double g = 0;
            for (int i = 0; i < ROWS; i++) g += dense->a[i][j] * r[i];
            if (s[j] > 0) x[j] *= g / s[j];
        }
    }
    return ITERATIONS + 1;
}

/* Counts of voxels that are 1 or 0, some of them below 0 by noise; slice 1 has none. */
static Dense mlem_create(SinoPrecision precision, uint64_t *seed)
{
    Dense dense = dense_create(precision, true, seed);
    for (int i = 0; i < ROWS; i++) {
        dense.a[i][COLUMNS - 1] = 0;
        for (int j = 0; i == ROWS - 1 && j < COLUMNS; j++) dense.a[i][j] = 0; /* a ray that meets nothing */
        for (int64_t f = 0; f < dense.slices.slice_count; f++) {
            double value = 0.3 * *number_at(&dense.b, i, f);
            for (int j = 0; j < COLUMNS; j += 2) value += dense.a[i][j];
            if (f != 1) set(&dense.b, i, f, i % 11 == 7 ? -0.1 : value);
        }
    }
    return dense;
}

static void check_mlem(SinoPrecision precision, double tolerance, uint64_t *seed)
{
    Dense dense = mlem_create(precision, seed);
    Voxels weight;
    Solved solved = solve_mlem(&dense, &weight, tolerance);
    const double relative = precision == SINO_DOUBLE ? 1e-11 : 2e-5;
    bool stop_seen = false;
    for (int64_t f = 0; f < dense.slices.slice_count; f++) {
        double x[COLUMNS], residual[ITERATIONS + 1];
        const int stop = mlem_reference(&dense, f, tolerance, x, residual);
        for (int k = 0; k <= ITERATIONS; k++)
            if (k <= stop)
                check_close(history_at(&solved.history, f, k), residual[k], 10 * relative, "residual");
            else
                assert_true(isnan(history_at(&solved.history, f, k)));
        stop_seen |= stop > 1 && stop <= ITERATIONS;
        for (int j = 0; j < COLUMNS; j++) {
            const double value = voxel_at(&solved.x, j, f);
            assert_true(value >= 0 && fabs(value - x[j]) <= relative * (1 + x[j]));
            assert_true((j < COLUMNS - 1 && f != 1) || value == 0);
        }
    }
    assert_true(stop_seen == (tolerance > 0));
    voxels_free(&weight);
    vector_free(&dense.b);
    solved_free(&solved);
}

static void mlem_matches_reference(void **state)
{
    (void)state;
    uint64_t seed = 71;
    for (int p = 0; p < 2; p++) {
        check_mlem(precisions[p], 0, &seed);
        check_mlem(precisions[p], 0.3, &seed);
    }
}

static void logarithm_matches_libm(void **state)
{
    (void)state;
    uint64_t seed = 12;
    for (int e = -1021; e <= 1022; e++)
        for (int i = 0; i < 40; i++) {
            const double x = ldexp(i == 0   ? 1
                                   : i == 1 ? sqrt(2)
                                            : 1.5 + 0.499 * reference_random(&seed),
                                   e),
                         wanted = log(x);
            assert_true(fabs(sino_logarithm(x) - wanted) <= 1e-15 * fmax(1, fabs(wanted)));
        }
    for (int i = -200; i <= 200; i++) assert_true(fabs(sino_logarithm(1 + i * 1e-9) - log1p(i * 1e-9)) < 1e-15);
}

/* Slice 0 gains 10 % of its size in each iteration, slice 1 gains 1 %; slice 2 had stopped. */
static void likelihoods_are_recorded_and_stop(void **state)
{
    (void)state;
    enum { COUNT = 3, ITERATION_COUNT = 4, NUMBERS = 2 * (ITERATION_COUNT + 1) };
    static const double gain[] = {0.1, 0.01, 0};
    const SinoSlices slices = {SINO_SINGLE, sino_panel_stride(SINO_SINGLE, COUNT), COUNT};
    double history[COUNT * NUMBERS] = {0};
    SinoSliceState states[COUNT];
    SinoSliceSums sums[COUNT] = {{{4, 0}}, {{4, 0}}, {{4, 0}}};
    SinoHistory to = {
        .residual = history, .columns = ITERATION_COUNT + 1, .numbers = NUMBERS, .likelihood_tolerance = 0.02};
    int64_t active = 0;
    sino_update_start(slices, sums, states, &to);
    states[2].stopped = 1;
    for (to.iteration = 1; to.iteration <= ITERATION_COUNT; to.iteration++) {
        for (int f = 0; f < COUNT; f++)
            sums[f].sum[SINO_SUM_LIKELIHOOD] = -1000 * pow(1 - gain[f], (double)to.iteration);
        sino_update_record(slices, sums, states, &to, &active);
        assert_int_equal(active, to.iteration < 2 ? 2 : 1);
    }
    for (int f = 0; f < COUNT; f++)
        for (int i = 0; i <= ITERATION_COUNT; i++) {
            const double found = history[f * NUMBERS + to.columns + i], residual = history[f * NUMBERS + i];
            const bool recorded = i > 0 && (f == 0 || (f == 1 && i <= 2));
            assert_true(recorded ? found == -1000 * pow(1 - gain[f], i) : isnan(found));
            assert_true(i == 0 || recorded ? residual == 4 : isnan(residual));
        }
}

TESTING_SUBJECT(update)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(start_sums_and_stops_zero_slices),
        cmocka_unit_test(residual_cg_matches_loops),
        cmocka_unit_test(normal_cg_matches_loops),
        cmocka_unit_test(norm_sums_over_partitions),
        cmocka_unit_test(voxels_cg_match_loops),
        cmocka_unit_test(first_voxels_cg_overwrite),
        cmocka_unit_test(step_is_given),
        cmocka_unit_test(residual_sirt_matches_loops),
        cmocka_unit_test(voxels_sirt_match_loops),
        cmocka_unit_test(weighted_cg_matches_loops),
        cmocka_unit_test(weighted_sirt_matches_loops),
        cmocka_unit_test(given_weights_match_loops),
        cmocka_unit_test(dark_rays_have_no_weight),
        cmocka_unit_test(voxels_fista_match_loops),
        cmocka_unit_test(step_fista_bounds_eigenvalue),
        cmocka_unit_test(support_clears_voxels),
        cmocka_unit_test(ratio_mlem_matches_loops),
        cmocka_unit_test(start_mlem_spreads_counts),
        cmocka_unit_test(voxels_mlem_match_loops),
        cmocka_unit_test(slices_do_not_mix),
        cmocka_unit_test(reciprocals_and_ones),
        cmocka_unit_test(cg_converges_to_least_squares),
        cmocka_unit_test(cg_stops_at_tolerance),
        cmocka_unit_test(sirt_matches_reference),
        cmocka_unit_test(mlem_matches_reference),
        cmocka_unit_test(logarithm_matches_libm),
        cmocka_unit_test(likelihoods_are_recorded_and_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
