/* SPDX-License-Identifier: BSD-3-Clause */
/* BSREM: updates against their formulas in double, on grids of any shape, with voxels that no row meets. */
#include "bsrem.h"
#include "testing.h"

#include <math.h>

/* A problem, and what its update makes. */
typedef struct Case {
    SinoVoxelGrid grid;
    SinoBrickOrder *order;
    SinoBsrem bsrem;
    float *kappa, *weight, *x, *g;
    SinoSliceState *state;
} Case;

static double number(uint64_t *seed, double most)
{
    return most * (double)((*seed = *seed * 6364136223846793005U + 1442695040888963407U) >> 33 & 8191) / 8192;
}

static float *floats(int64_t count)
{
    float *made = calloc((size_t)count, sizeof *made);
    assert_non_null(made);
    return made;
}

/* Kappa is 0 for some voxels and padding; x is 0 for some voxels, everywhere in set 2. Set 1 has stopped. */
static Case case_new(SinoVoxelGrid grid, int64_t sets, bool huber, double strength)
{
    static const SinoBrickShape shape = {{4, 4, 1}, {2, 2, 2}};
    const int64_t voxels = grid.x_count * grid.y_count * grid.z_count, stride = sino_panel_stride(SINO_SINGLE, sets);
    uint64_t seed = 5;
    Case of = {.grid = grid};
    assert_success(sino_brick_order_of_grid(&grid, &shape, &of.order));
    const int64_t rows = of.order->row_count;
    of.bsrem = (SinoBsrem){.slices = {SINO_SINGLE, stride, sets},
                           .rows = rows,
                           .row_count = rows,
                           .count = {grid.x_count, grid.y_count, grid.z_count},
                           .huber = huber,
                           .threshold = 0.1F,
                           .relaxation = 0.7F,
                           .share = 0.25F,
                           .strength = (float)strength,
                           .usual = 2,
                           .sensitivity = 3};
    sino_bsrem_weights(&grid, of.bsrem.weight);
    of.kappa = floats(rows);
    of.weight = floats(rows);
    of.x = floats(rows * stride);
    of.g = floats(rows * stride);
    of.state = calloc((size_t)stride, sizeof *of.state);
    assert_non_null(of.state);
    for (int64_t v = 0; v < voxels; v++) {
        const int64_t row = of.order->place[v];
        of.kappa[row] = v % 11 == 7 ? 0 : (float)(0.5 + number(&seed, 2));
        of.weight[row] = v % 5 == 3 ? 0 : (float)(0.5 + number(&seed, 2));
        for (int64_t s = 0; s < sets; s++) {
            const int64_t at = sino_panel_element(of.bsrem.slices, rows, row, s);
            of.x[at] = v % 3 == 1 || s == 2 ? 0 : (float)number(&seed, 9);
            of.g[at] = (float)number(&seed, 4);
        }
    }
    for (int64_t s = 0; s < sets; s++) {
        of.state[s].stopped = s == 1;
        of.state[s].scalar[SINO_BSREM_TYPICAL] = 2.5 + (double)s;
    }
    return of;
}

static void case_free(Case *of)
{
    sino_brick_order_free(of->order);
    free(of->kappa);
    free(of->weight);
    free(of->x);
    free(of->g);
    free(of->state);
}

static double x_of(const Case *of, int64_t voxel, int64_t set)
{
    return (double)of->x[sino_panel_element(of->bsrem.slices, of->bsrem.rows, of->order->place[voxel], set)];
}

/* Distances in units of x; 0: no neighbours. */
static double distance(const Case *of, const int64_t *a, const int64_t *b)
{
    double square = 0;
    for (int d = 0; d < 3; d++) {
        const double size = of->grid.size[0] > 0 ? of->grid.size[d] / of->grid.size[0] : 1;
        if (a[d] - b[d] > 1 || b[d] - a[d] > 1) return 0;
        square += (double)((a[d] - b[d]) * (a[d] - b[d])) * size * size;
    }
    return sqrt(square);
}

/* The sum of 1/distance over the neighbours of a voxel inside. */
static double weights_of(const Case *of)
{
    const int64_t count[] = {of->grid.x_count, of->grid.y_count, of->grid.z_count}, middle[3] = {1, 1, 1};
    double sum = 0;
    for (int64_t i = 0; i < SINO_BSREM_PLACES; i++) {
        const int64_t at[] = {i % 3, i / 3 % 3, i / 9};
        bool exists = true;
        for (int d = 0; d < 3; d++) exists &= at[d] == 1 || count[d] > 1;
        if (exists && distance(of, at, middle) > 0) sum += 1 / distance(of, at, middle);
    }
    return sum;
}

static double wanted(const Case *of, int64_t voxel, int64_t set)
{
    const SinoBsrem *bsrem = &of->bsrem;
    const int64_t nx = of->grid.x_count, ny = of->grid.y_count, voxels = nx * ny * of->grid.z_count;
    const int64_t row = of->order->place[voxel], me[] = {voxel % nx, voxel / nx % ny, voxel / nx / ny};
    const double x = x_of(of, voxel, set), m = of->state[set].scalar[SINO_BSREM_TYPICAL], all = weights_of(of);
    const double kappa = (double)of->kappa[row], own = of->weight[row] > 0 ? 1 / (double)of->weight[row] : 0;
    const double given = (double)bsrem->strength, beta = 0.25 * (given >= 0 ? given : 2 / sqrt(3 * m));
    double slope = 0, bend = 0;
    if (of->state[set].stopped || kappa == 0) return x;
    for (int64_t k = 0; k < voxels; k++) {
        const int64_t at[] = {k % nx, k / nx % ny, k / nx / ny};
        const double far = distance(of, me, at), y = x_of(of, k, set), d = x - y, size = fabs(d);
        if (!(far > 0)) continue;
        const double w = kappa * (double)of->kappa[of->order->place[k]] / far / all, least = m / 1000;
        const double sum = x + y + 2 * size + least, steep = fmax(size / (0.1 * m), 1);
        slope += w * (bsrem->huber ? d / m / steep : d * (2 * size + x + 3 * y + 2 * least) / (sum * sum));
        bend += w * (bsrem->huber ? 1 / m / steep : 2 / sum);
    }
    const double g = (double)of->g[sino_panel_element(bsrem->slices, bsrem->rows, row, set)];
    const double step = 0.7 * x / (0.25 * kappa * kappa + beta * bend * x);
    return fmax(x + step * (g - own - beta * slope), 1e-6 * m);
}

static void check(SinoVoxelGrid grid, int64_t sets, bool huber, double strength)
{
    Case of = case_new(grid, sets, huber, strength);
    const int64_t voxels = grid.x_count * grid.y_count * grid.z_count, rows = of.bsrem.rows, half = rows / 2;
    const int64_t stride = of.bsrem.slices.stride;
    double *expected = calloc((size_t)(voxels * sets), sizeof *expected);
    assert_non_null(expected);
    for (int64_t i = 0; i < voxels * sets; i++) expected[i] = wanted(&of, i / sets, i % sets);
    float *made = floats(rows * stride);
    memcpy(made, of.g, (size_t)(rows * stride) * sizeof *made);
    for (int part = 0; part < 2; part++) { /* of the rows, as tasks have them */
        of.bsrem.first_row = part ? half : 0;
        of.bsrem.row_count = part ? rows - half : half;
        sino_bsrem_voxels(&of.bsrem, of.order->column, of.order->place, of.kappa, of.weight, of.state, of.x, made);
    }
    for (int64_t i = 0; i < voxels * sets; i++) {
        const int64_t row = of.order->place[i / sets];
        const double found = (double)made[sino_panel_element(of.bsrem.slices, rows, row, i % sets)];
        if (!(fabs(found - expected[i]) <= 3e-6 * (fabs(expected[i]) + x_of(&of, i / sets, i % sets))))
            fail_msg("voxel %d of set %d is %.9g; expected: %.9g", (int)(i / sets), (int)(i % sets), found,
                     expected[i]);
    }
    for (int64_t row = 0; row < rows; row++)
        for (int64_t s = 0; s < stride; s++)
            if (of.order->column[row] == SINO_BRICK_NO_COLUMN || s >= sets)
                assert_true(made[sino_panel_element(of.bsrem.slices, rows, row, s)] == 0);
    free(made);
    free(expected);
    case_free(&of);
}

static void updates_are_those_of_double_precision(void **state)
{
    static const SinoVoxelGrid grids[] = {
        {1, 1, 1, {0}}, {7, 1, 1, {2, 2, 2}}, {1, 9, 5, {0}}, {5, 6, 1, {1, 1, 4}}, {5, 4, 3, {1, 1.5, 4}}};
    (void)state;
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++)
        for (int huber = 0; huber < 2; huber++) {
            check(grids[i], 1, huber, 0.4);
            check(grids[i], 3, huber, (double)NAN);
            check(grids[i], 19, huber, i == 2 ? 0 : 40);
        }
}

/* ∂R/∂x is the slope of R. */
static void slopes_are_those_of_the_prior(void **state)
{
    static const double values[] = {0, 1e-3, 0.4, 2, 30};
    (void)state;
    for (int i = 0; i < 25; i++) {
        const SinoBsrem bsrem = {.huber = false};
        const double x = values[i / 5], y = values[i % 5], h = 1e-6 * (x + 1e-2), m = 2;
        double psi[2];
        for (int side = 0; side < 2; side++) {
            const double at = x + (side ? h : -h), d = at - y;
            psi[side] = d * d / (at + y + 2 * fabs(d) + m / 1000);
        }
        const SinoBsremPull pull = sino_bsrem_pair(&bsrem, (float)m, 1, (float)x, (float)y, (SinoBsremPull){0, 0});
        assert_true(fabs((double)pull.slope - (psi[1] - psi[0]) / (2 * h)) < 2e-3);
        assert_true(pull.bend > 0);
    }
}

TESTING_SUBJECT(bsrem)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(updates_are_those_of_double_precision),
        cmocka_unit_test(slopes_are_those_of_the_prior),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
