/* SPDX-License-Identifier: BSD-3-Clause */
/* Prior: the gradients of smooth priors against their definition on images in double, and against differences of the
 * priors themselves. */
#include "prior.h"
#include "testing_tiles.h"

static const double threshold = 0.3;

/* φ, of which the header has the derivatives. */
static double function_of(SinoPriorFunction function, double t)
{
    const double size = fabs(t);
    if (function == SINO_PRIOR_QGGMRF) return size * size / 2 / (1 + pow(size, 0.8));
    return size <= 1 ? size * size / 2 : size - 0.5;
}

static double derivative_of(SinoPriorFunction function, double t)
{
    const double v = pow(fabs(t), 0.8);
    if (function == SINO_PRIOR_QGGMRF) return t * (1 + 1.2 / 2 * v) / (1 + v) / (1 + v);
    return fmax(-1, fmin(t, 1));
}

/* Σ over the neighbours of a voxel of weight·value(function, (voxel − neighbour)/δ). */
static double sum_neighbours(const Case *of, const Vector *u, int64_t f, int64_t y, int64_t x,
                             double (*value)(SinoPriorFunction, double), SinoPriorFunction function)
{
    double sum = 0;
    for (int64_t j = y - 1; j <= y + 1; j++)
        for (int64_t i = x - 1; i <= x + 1; i++) {
            const bool present = j >= 0 && i >= 0 && j < of->size && i < of->size && (i != x || j != y);
            const double weight = i != x && j != y ? 1 - sqrt(0.5) : sqrt(2) - 1;
            if (present) sum += weight * value(function, (*at(of, u, f, y, x) - *at(of, u, f, j, i)) / threshold);
        }
    return sum;
}

static double prior_of(const Case *of, const Vector *u, SinoPriorFunction function)
{
    double sum = 0;
    for (int64_t y = 0; y < of->size; y++)
        for (int64_t x = 0; x < of->size; x++)
            sum += threshold / 2 * sum_neighbours(of, u, 0, y, x, function_of, function);
    return sum;
}

static double theta_of(int64_t f)
{
    return f % 3 == 2 ? 0 : 0.1 + 0.03 * (double)f;
}

/* z of all parts. */
static void descend(const Case *of, SinoPriorFunction function, const Vector *u, Vector *z)
{
    SinoSliceState state[SINO_SLICES_MAX] = {0};
    SinoSmoothPrior prior = {.tiles = {.slices = of->slices,
                                       .grid_size = of->size,
                                       .part_count = of->part_count,
                                       .first_tile = of->first,
                                       .tile = of->tile,
                                       .neighbour = of->neighbour},
                             .function = function,
                             .threshold = threshold};
    for (int64_t f = 0; f < of->slices.slice_count; f++) state[f].scalar[SINO_FISTA_THRESHOLD] = theta_of(f);
    for (; prior.tiles.part < of->part_count; prior.tiles.part++)
        sino_prior_descend(&prior, (const void *const *)u->part, NULL, NULL, state, z->part[prior.tiles.part]);
}

static void check_case(const Case *of, SinoPriorFunction function, double scale, uint64_t *seed)
{
    Vector u = vector_new(of, scale, seed), z = vector_new(of, 1, seed);
    descend(of, function, &u, &z);
    for (int64_t f = 0; f < of->slices.slice_count; f++)
        for (int64_t y = 0; y < of->size; y++)
            for (int64_t x = 0; x < of->size; x++)
                *at(of, &z, f, y, x) -= theta_of(f) * sum_neighbours(of, &u, f, y, x, derivative_of, function);
    check(of, &z, "z");
    check_outside(of, &z, false);
    vector_free(of, &u);
    vector_free(of, &z);
}

static void gradients_match_definition(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 15, 16, 17, 33, 54, 64};
    static const int64_t slice_counts[] = {1, 3, 8, 19, 33}, part_counts[] = {3, 5, PARTS_MOST};
    static const double scales[] = {1e-6, 0.1, 1, 40}; /* of voxels: differences below and above the threshold */
    uint64_t seed = 12;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t f = 0; f < sizeof slice_counts / sizeof *slice_counts; f++)
            for (int split = 0; split < 2; split++) {
                Case of;
                const SinoPrecision precision = (s + f) % 2 ? SINO_DOUBLE : SINO_SINGLE;
                const int64_t stride = sino_panel_stride(precision, slice_counts[f]);
                const int64_t parts = split ? part_counts[(s + f) % (sizeof part_counts / sizeof *part_counts)] : 1;
                make_case(sizes[s], parts, (SinoSlices){precision, stride, slice_counts[f]}, &seed, &of);
                check_case(&of, (s + f) % 3 ? SINO_PRIOR_QGGMRF : SINO_PRIOR_HUBER, scales[f % 4], &seed);
            }
}

/* θ·R changes along a direction as the steps say, and by no more than the curvature allows. */
static void check_differences(SinoPriorFunction function)
{
    uint64_t seed = 6;
    Case of;
    make_case(37, 3, (SinoSlices){SINO_DOUBLE, 1, 1}, &seed, &of);
    Vector u = vector_new(&of, 0.5, &seed), z = vector_new(&of, 1, &seed), way = vector_new(&of, 1, &seed);
    double along = 0, square = 0;
    descend(&of, function, &u, &z);
    FOR_VOXELS(&of, part, row, y, x)
    {
        const double step = *at(&of, &way, 0, y, x);
        const double *value = z.part[part];
        along -= value ? step * (value[row] - *at(&of, &z, 0, y, x)) / theta_of(0) : (double)NAN;
        square += step * step;
    }
    const double middle = prior_of(&of, &u, function), size = 1e-5;
    double side[2];
    for (int i = 0; i < 2; i++) {
        for (int64_t j = 0; j < of.size * of.size; j++) u.image[j] += (i == 0 ? -size : 2 * size) * way.image[j];
        side[i] = prior_of(&of, &u, function);
    }
    const double found = (side[1] - side[0]) / (2 * size);
    const double bend = (side[1] - 2 * middle + side[0]) / (size * size);
    print_message("along %g, differences %g; curvature %g of %g\n", along, found, bend / square,
                  SINO_PRIOR_CURVATURE / threshold);
    assert_true(fabs(along) > 0.1 && fabs(found - along) <= 1e-6 * fabs(along));
    assert_true(bend > 0 && bend <= SINO_PRIOR_CURVATURE / threshold * square);
    Vector *const all[] = {&u, &z, &way};
    for (int i = 0; i < 3; i++) vector_free(&of, all[i]);
}

static void gradients_are_those_of_the_priors(void **state)
{
    (void)state;
    check_differences(SINO_PRIOR_HUBER);
    check_differences(SINO_PRIOR_QGGMRF);
}

/* Steps are 1/(L + strength·curvature), however often the strength changes; with total variation they are 1/L. */
static void steps_know_the_strength(void **state)
{
    (void)state;
    static const double strengths[] = {0.5, 8, 0, 3};
    static const SinoSliceSums none;
    const double scale = 40, curvatures[] = {0, 17};
    for (int c = 0; c < 2; c++) {
        SinoSliceState slice = {.scalar = {[SINO_FISTA_STEP] = 1 / scale, [SINO_FISTA_THRESHOLD] = 99}};
        sino_rule_apply(SINO_RULE_PRIOR_FISTA, &slice, &none, curvatures[c], false);
        for (int i = 0; i < 4; i++) {
            const double step = 1 / (scale + strengths[i] * curvatures[c]);
            sino_rule_apply(SINO_RULE_STRENGTH_FISTA, &slice, &none, strengths[i], false);
            assert_true(fabs(slice.scalar[SINO_FISTA_STEP] - step) <= 1e-12 * step);
            assert_true(fabs(slice.scalar[SINO_FISTA_THRESHOLD] - strengths[i] * step) <= 1e-12);
        }
    }
}

TESTING_SUBJECT(prior)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_match_definition),
        cmocka_unit_test(gradients_are_those_of_the_priors),
        cmocka_unit_test(steps_know_the_strength),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
