/* SPDX-License-Identifier: BSD-3-Clause */
/* Variation: both halves of a step against their definition on images in double, for grids that cut tiles, for panels
 * and for parts. */
#include "testing_tiles.h"

static double theta_of(int64_t f)
{
    return f % 3 == 2 ? 0 : 0.1 + 0.03 * (double)f;
}

static void check_case(const Case *of, double least, double most, uint64_t *seed)
{
    SinoSliceState state[SINO_SLICES_MAX] = {0};
    Vector z = vector_new(of, 1, seed), p = vector_new(of, 0.7, seed), q = vector_new(of, 0.7, seed),
           u = vector_new(of, 0, seed);
    SinoVariation variation = {.slices = of->slices,
                               .grid_size = of->size,
                               .part_count = of->part_count,
                               .first_tile = of->first,
                               .tile = of->tile,
                               .neighbour = of->neighbour,
                               .least = least,
                               .most = most};
    for (int64_t f = 0; f < of->slices.slice_count; f++) state[f].scalar[SINO_FISTA_THRESHOLD] = theta_of(f);
    for (; variation.part < of->part_count; variation.part++)
        sino_variation_primal(&variation, z.part[variation.part], (const void *const *)p.part,
                              (const void *const *)q.part, NULL, NULL, state, u.part[variation.part]);
    for (int64_t f = 0; f < of->slices.slice_count; f++)
        for (int64_t y = 0; y < of->size; y++)
            for (int64_t x = 0; x < of->size; x++) {
                const double left = x > 0 ? *at(of, &p, f, y, x - 1) : 0, above = y > 0 ? *at(of, &q, f, y - 1, x) : 0;
                const double sum = *at(of, &p, f, y, x) - left + *at(of, &q, f, y, x) - above;
                *at(of, &u, f, y, x) = fmin(fmax(*at(of, &z, f, y, x) + theta_of(f) * sum, least), most);
            }
    check(of, &u, "u");
    check_outside(of, &u, true);
    for (variation.part = 0; variation.part < of->part_count; variation.part++)
        sino_variation_dual(&variation, (const void *const *)u.part, NULL, state, p.part[variation.part],
                            q.part[variation.part], NULL);
    for (int64_t f = 0; f < of->slices.slice_count; f++)
        for (int64_t y = 0; y < of->size; y++)
            for (int64_t x = 0; x < of->size; x++) {
                const double here = *at(of, &u, f, y, x), inverse = theta_of(f) > 0 ? 1 / (8 * theta_of(f)) : 0;
                const double across = x + 1 < of->size ? *at(of, &u, f, y, x + 1) - here : 0;
                const double down = y + 1 < of->size ? *at(of, &u, f, y + 1, x) - here : 0;
                double *to_p = at(of, &p, f, y, x), *to_q = at(of, &q, f, y, x);
                *to_p += inverse * across;
                *to_q += inverse * down;
                const double length = fmax(hypot(*to_p, *to_q), 1);
                *to_p /= length;
                *to_q /= length;
            }
    check(of, &p, "p");
    check(of, &q, "q");
    check_outside(of, &p, false);
    check_outside(of, &q, false);
    Vector *const all[] = {&z, &p, &q, &u};
    for (int i = 0; i < 4; i++) vector_free(of, all[i]);
}

static void halves_match_definition(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 15, 16, 17, 33, 54, 64};
    static const int64_t slice_counts[] = {1, 3, 8, 19, 33}, part_counts[] = {3, 5, PARTS_MOST};
    uint64_t seed = 11;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t f = 0; f < sizeof slice_counts / sizeof *slice_counts; f++)
            for (int split = 0; split < 2; split++) {
                Case of;
                const SinoPrecision precision = (s + f) % 2 ? SINO_DOUBLE : SINO_SINGLE;
                const int64_t stride = sino_panel_stride(precision, slice_counts[f]);
                const int64_t parts = split ? part_counts[(s + f) % (sizeof part_counts / sizeof *part_counts)] : 1;
                make_case(sizes[s], parts, (SinoSlices){precision, stride, slice_counts[f]}, &seed, &of);
                check_case(&of, f % 2 ? f > 1 ? -0.3 : 0 : (double)-INFINITY, f % 3 ? 0.4 : (double)INFINITY, &seed);
            }
}

/* Σ before·(value − before) of slice 0, where `before` is an image. */
static double change(const Case *of, const Vector *vector, const Vector *before)
{
    double sum = 0;
    FOR_VOXELS(of, part, row, y, x)
    {
        const double *value = vector->part[part], old = *at(of, before, 0, y, x);
        sum += value ? old * (value[row] - old) : NAN;
    }
    return sum;
}

/* −∇ᵀ and ∇ are adjoint: u·(div of p and q) = −(p, q)·∇u, where both come from the functions under test. */
static void halves_are_adjoint(void **state)
{
    (void)state;
    uint64_t seed = 5;
    Case of;
    make_case(37, 3, (SinoSlices){SINO_DOUBLE, 1, 1}, &seed, &of);
    SinoSliceState slice = {.scalar = {[SINO_FISTA_THRESHOLD] = 1}};
    Vector z = vector_new(&of, 0.01, &seed), p = vector_new(&of, 0.001, &seed), q = vector_new(&of, 0.001, &seed),
           u = vector_new(&of, 0, &seed);
    SinoVariation variation = {.slices = of.slices,
                               .grid_size = of.size,
                               .part_count = of.part_count,
                               .first_tile = of.first,
                               .tile = of.tile,
                               .neighbour = of.neighbour,
                               .least = (double)-INFINITY,
                               .most = (double)INFINITY};
    FOR_VOXELS(&of, part, row, y, x)
    { /* as they stay from 0 on, since differences across the border are 0 */
        if (x == of.size - 1) *at(&of, &p, 0, y, x) = ((double *)p.part[part])[row] = 0;
        if (y == of.size - 1) *at(&of, &q, 0, y, x) = ((double *)q.part[part])[row] = 0;
    }
    for (; variation.part < of.part_count; variation.part++)
        sino_variation_primal(&variation, z.part[variation.part], (const void *const *)p.part,
                              (const void *const *)q.part, NULL, NULL, &slice, u.part[variation.part]);
    const double of_z = change(&of, &u, &z);
    for (variation.part = 0; variation.part < of.part_count; variation.part++)
        sino_variation_dual(&variation, (const void *const *)z.part, NULL, &slice, p.part[variation.part],
                            q.part[variation.part], NULL);
    const double of_p = 8 * (change(&of, &p, &p) + change(&of, &q, &q));
    assert_true(fabs(of_p) > 1e-6);
    assert_true(fabs(of_z + of_p) <= 1e-12 * fabs(of_p));
    Vector *const all[] = {&z, &p, &q, &u};
    for (int i = 0; i < 4; i++) vector_free(&of, all[i]);
}

TESTING_SUBJECT(variation)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_match_definition),
        cmocka_unit_test(halves_are_adjoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
