/* SPDX-License-Identifier: BSD-3-Clause */
/* Priors in 3-D and what ties minibatches together: each kernel against its definition on images in double, for grids
 * that cut tiles, for panels, panels of padding and parts, with and without slices beside; and the bound of the steps.
 */
#include "coupling.h"
#include "prior.h"
#include "testing_tiles.h"

static const double threshold = 0.3;

static double theta_of(int64_t f)
{
    return f % 3 == 2 ? 0.01 : 0.1 + 0.03 * (double)f;
}

static double sigma_of(int64_t f)
{
    return f % 4 == 1 ? 0 : 0.5 + 0.2 * (double)(f % 5);
}

/* A slice beside a vector: an image, and the edge of every part. */
typedef struct Edge {
    double *image;          /* owned; NULL: there is no slice */
    void *part[PARTS_MOST]; /* owned */
} Edge;

static Edge edge_new(const Case *of, bool present, uint64_t *seed)
{
    Edge edge = {0};
    if (!present) return edge;
    edge.image = calloc((size_t)(of->size * of->size), sizeof(double));
    assert_non_null(edge.image);
    for (int64_t p = 0; p < of->part_count; p++) {
        edge.part[p] = calloc((size_t)part_rows(of, p) + 1, sizeof(double));
        assert_non_null(edge.part[p]);
    }
    FOR_VOXELS(of, part, row, y, x)
    {
        testing_set_element(of->slices.precision, edge.part[part], row, reference_random(seed));
        edge.image[y * of->size + x] = testing_element(of->slices.precision, edge.part[part], row);
    }
    return edge;
}

static void edge_free(const Case *of, Edge *edge)
{
    for (int64_t p = 0; p < of->part_count; p++) free(edge->part[p]);
    free(edge->image);
}

/* The voxel of slice f, which may be −1 or the number of slices; without such a slice `otherwise`. */
static double beside(const Case *of, const Vector *vector, const Edge *edge, int64_t f, int64_t y, int64_t x,
                     double otherwise)
{
    if (f >= 0 && f < of->slices.slice_count) return *at(of, vector, f, y, x);
    return edge->image ? edge->image[y * of->size + x] : otherwise;
}

static SinoVariation tiles_of(const Case *of)
{
    return (SinoVariation){.slices = of->slices,
                           .grid_size = of->size,
                           .part_count = of->part_count,
                           .first_tile = of->first,
                           .tile = of->tile,
                           .neighbour = of->neighbour,
                           .least = -0.3,
                           .most = 0.5};
}

static void set_states(const Case *of, SinoSliceState *state)
{
    for (int64_t f = 0; f < of->slices.slice_count; f++) {
        state[f].scalar[SINO_FISTA_THRESHOLD] = theta_of(f);
        state[f].scalar[SINO_FISTA_DUAL] = sigma_of(f);
    }
}

/* Calls use for the voxels of all slices. */
#define FOR_IMAGES(of, f, y, x)                                                                                        \
    for (int64_t f = 0; f < (of)->slices.slice_count; f++)                                                             \
        for (int64_t y = 0; y < (of)->size; y++)                                                                       \
            for (int64_t x = 0; x < (of)->size; x++)

static void check_primal(const Case *of, const Edge *before, uint64_t *seed)
{
    SinoSliceState state[SINO_SLICES_MAX] = {0};
    SinoVariation tiles = tiles_of(of);
    Vector z = vector_new(of, 1, seed), p = vector_new(of, 0.6, seed), q = vector_new(of, 0.6, seed),
           r = vector_new(of, 0.6, seed), u = vector_new(of, 0, seed);
    set_states(of, state);
    for (; tiles.part < of->part_count; tiles.part++)
        sino_variation_primal(&tiles, z.part[tiles.part], (const void *const *)p.part, (const void *const *)q.part,
                              r.part[tiles.part], before->part[tiles.part], state, u.part[tiles.part]);
    FOR_IMAGES(of, f, y, x)
    {
        const double left = x > 0 ? *at(of, &p, f, y, x - 1) : 0, above = y > 0 ? *at(of, &q, f, y - 1, x) : 0;
        const double sum = *at(of, &p, f, y, x) - left + *at(of, &q, f, y, x) - above + *at(of, &r, f, y, x) -
                           beside(of, &r, before, f - 1, y, x, 0);
        *at(of, &u, f, y, x) = fmin(fmax(*at(of, &z, f, y, x) + theta_of(f) * sum, tiles.least), tiles.most);
    }
    check(of, &u, "u");
    check_outside(of, &u, true);
    Vector *const all[] = {&z, &p, &q, &r, &u};
    for (int i = 0; i < 5; i++) vector_free(of, all[i]);
}

static void check_dual(const Case *of, const Edge *after, uint64_t *seed)
{
    SinoSliceState state[SINO_SLICES_MAX] = {0};
    SinoVariation tiles = tiles_of(of);
    Vector u = vector_new(of, 1, seed), p = vector_new(of, 0.6, seed), q = vector_new(of, 0.6, seed),
           r = vector_new(of, 0.6, seed);
    set_states(of, state);
    for (; tiles.part < of->part_count; tiles.part++)
        sino_variation_dual(&tiles, (const void *const *)u.part, after->part[tiles.part], state, p.part[tiles.part],
                            q.part[tiles.part], r.part[tiles.part]);
    FOR_IMAGES(of, f, y, x)
    {
        const double here = *at(of, &u, f, y, x), sigma = sigma_of(f);
        double *to_p = at(of, &p, f, y, x), *to_q = at(of, &q, f, y, x), *to_r = at(of, &r, f, y, x);
        *to_p += sigma * (x + 1 < of->size ? *at(of, &u, f, y, x + 1) - here : 0);
        *to_q += sigma * (y + 1 < of->size ? *at(of, &u, f, y + 1, x) - here : 0);
        *to_r += sigma * (beside(of, &u, after, f + 1, y, x, here) - here);
        const double length = fmax(sqrt(*to_p * *to_p + *to_q * *to_q + *to_r * *to_r), 1);
        *to_p /= length;
        *to_q /= length;
        *to_r /= length;
    }
    Vector *const all[] = {&p, &q, &r, &u};
    for (int i = 0; i < 4; i++) {
        check(of, all[i], i < 3 ? "a dual vector" : "u");
        check_outside(of, all[i], false);
        vector_free(of, all[i]);
    }
}

static double derivative_of(SinoPriorFunction function, double t)
{
    const double v = pow(fabs(t), 0.8);
    return function == SINO_PRIOR_QGGMRF ? t * (1 + 0.6 * v) / (1 + v) / (1 + v) : fmax(-1, fmin(t, 1));
}

/* Σ w·φ′ over the neighbours of a voxel, in its slice and beside. */
static double gradient_of(const Case *of, SinoPriorFunction function, const Vector *u, const Edge *before,
                          const Edge *after, int64_t f, int64_t y, int64_t x)
{
    const double here = *at(of, u, f, y, x);
    double sum = 0;
    for (int64_t j = y - 1; j <= y + 1; j++)
        for (int64_t i = x - 1; i <= x + 1; i++)
            if (j >= 0 && i >= 0 && j < of->size && i < of->size && (i != x || j != y))
                sum += (i != x && j != y ? 1 - sqrt(0.5) : sqrt(2) - 1) *
                       derivative_of(function, (here - *at(of, u, f, j, i)) / threshold);
    const double other[] = {beside(of, u, before, f - 1, y, x, here), beside(of, u, after, f + 1, y, x, here)};
    for (int i = 0; i < 2; i++) sum += SINO_PRIOR_SLICE_WEIGHT * derivative_of(function, (here - other[i]) / threshold);
    return sum;
}

static void check_smooth(const Case *of, SinoPriorFunction function, const Edge *before, const Edge *after,
                         uint64_t *seed)
{
    SinoSliceState state[SINO_SLICES_MAX] = {0};
    SinoSmoothPrior prior = {.tiles = tiles_of(of), .function = function, .volume = true, .threshold = threshold};
    Vector u = vector_new(of, 0.5, seed), z = vector_new(of, 1, seed);
    set_states(of, state);
    for (; prior.tiles.part < of->part_count; prior.tiles.part++) {
        const int64_t part = prior.tiles.part;
        sino_prior_descend(&prior, (const void *const *)u.part, before->part[part], after->part[part], state,
                           z.part[part]);
    }
    FOR_IMAGES(of, f, y, x)
    *at(of, &z, f, y, x) -= theta_of(f) * gradient_of(of, function, &u, before, after, f, y, x);
    check(of, &z, "z");
    check_outside(of, &z, false);
    vector_free(of, &u);
    vector_free(of, &z);
}

static void check_edges(const Case *of, uint64_t *seed)
{
    Vector u = vector_new(of, 1, seed);
    for (int64_t part = 0; part < of->part_count; part++)
        for (int64_t f = 0; f < of->slices.slice_count; f++) {
            const int64_t rows = part_rows(of, part);
            double *edge = calloc((size_t)rows + 1, sizeof *edge);
            assert_non_null(edge);
            sino_coupling_edge(of->slices, rows, f, u.part[part], edge);
            for (int64_t row = 0, y, x; row < rows; row++)
                if (place(of, part, row, &y, &x))
                    assert_true(testing_element(of->slices.precision, edge, row) == *at(of, &u, f, y, x));
            free(edge);
        }
    vector_free(of, &u);
}

/* Of the four combinations of slices before and after the minibatch, neither and both, or one of them, in turns. */
static void kernels_match_definition(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 15, 17, 33, 54};
    /* Slices, and those that the vector has room for: of the last minibatch there may be few. */
    static const int64_t counts[][2] = {{1, 1}, {3, 3}, {2, 19}, {8, 8}, {16, 33}, {19, 19}, {33, 33}};
    uint64_t seed = 23;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (int i = 0; i < 2; i++) {
                const int ends = (s + c / 2) % 2 ? 1 + i : 3 * i;
                Case of;
                const SinoPrecision precision = (s + c) % 2 ? SINO_DOUBLE : SINO_SINGLE;
                const SinoSlices slices = {precision, sino_panel_stride(precision, counts[c][1]), counts[c][0]};
                make_case(sizes[s], (s + c + (size_t)ends) % 2 ? 5 : 1, slices, &seed, &of);
                Edge before = edge_new(&of, ends % 2 == 1, &seed), after = edge_new(&of, ends > 1, &seed);
                check_primal(&of, &before, &seed);
                check_dual(&of, &after, &seed);
                check_smooth(&of, (s + c) % 3 ? SINO_PRIOR_QGGMRF : SINO_PRIOR_HUBER, &before, &after, &seed);
                if (ends == 0) check_edges(&of, &seed);
                edge_free(&of, &before);
                edge_free(&of, &after);
            }
}

/* The largest eigenvalue of σ∇θ∇ᵀ, with the steps of slices whose θ differ a lot, is at most 1, and above ½. */
static void steps_are_bounded(void **state)
{
    enum { SIDE = 6, SLICES = 7, VOXELS = SIDE * SIDE * SLICES };
    (void)state;
    SinoSliceState slice[SLICES] = {0};
    static double x[VOXELS], next[VOXELS];
    double eigenvalue = 0;
    for (int f = 0; f < SLICES; f++) slice[f].scalar[SINO_FISTA_THRESHOLD] = f == 3 ? 5 : 0.2 + 0.1 * f;
    sino_coupling_steps((SinoSlices){SINO_DOUBLE, SLICES, SLICES}, false, NULL, slice);
    for (int i = 0; i < VOXELS; i++) x[i] = (i + i / SIDE + i / SIDE / SIDE) % 2 ? -1 : 1;
    for (int k = 0; k < 300; k++) { /* power iterations of θ½ ∇ᵀ σ ∇ θ½ */
        double square = 0;
        memset(next, 0, sizeof next);
        for (int i = 0; i < VOXELS; i++) {
            const int f = i / SIDE / SIDE, step[] = {1, SIDE, SIDE * SIDE};
            const bool present[] = {i % SIDE + 1 < SIDE, i / SIDE % SIDE + 1 < SIDE, f + 1 < SLICES};
            for (int d = 0; d < 3; d++) {
                if (!present[d]) continue;
                const double here = sqrt(slice[f].scalar[SINO_FISTA_THRESHOLD]);
                const double there = sqrt(slice[d == 2 ? f + 1 : f].scalar[SINO_FISTA_THRESHOLD]);
                const double moved = slice[f].scalar[SINO_FISTA_DUAL] * (there * x[i + step[d]] - here * x[i]);
                next[i + step[d]] += there * moved;
                next[i] -= here * moved;
            }
        }
        for (int i = 0; i < VOXELS; i++) square += next[i] * next[i];
        eigenvalue = sqrt(square);
        for (int i = 0; i < VOXELS; i++) x[i] = next[i] / eigenvalue;
    }
    print_message("largest eigenvalue: %.3f\n", eigenvalue);
    assert_true(eigenvalue <= 1 && eigenvalue > 0.5);
}

static void steps_know_the_slices_beside(void **state)
{
    (void)state;
    const SinoSlices slices = {SINO_SINGLE, 2, 1};
    SinoSliceState own = {.scalar = {[SINO_FISTA_THRESHOLD] = 0.5}}, next = {.scalar = {[SINO_FISTA_THRESHOLD] = 2}};
    sino_coupling_steps(slices, true, &next, &own);
    assert_true(fabs(own.scalar[SINO_FISTA_DUAL] - 1.0 / 24) <= 1e-15);
    sino_coupling_steps(slices, true, NULL, &own);
    assert_true(fabs(own.scalar[SINO_FISTA_DUAL] - 1.0 / 6) <= 1e-15);
    sino_coupling_steps(slices, false, NULL, &own); /* alone: as in 2-D */
    assert_true(fabs(own.scalar[SINO_FISTA_DUAL] - 1.0 / 4) <= 1e-15);
    own.scalar[SINO_FISTA_THRESHOLD] = 0;
    sino_coupling_steps(slices, false, NULL, &own);
    assert_true(own.scalar[SINO_FISTA_DUAL] == 0);
}

static void sums_are_in_the_norm_of_the_steps(void **state)
{
    (void)state;
    const SinoSliceSums sums[] = {{{1, 2}}, {{3, -5}}, {{7, 11}}, {{NAN, NAN}}};
    SinoSliceState slice[4] = {0};
    SinoSliceSums total = {{100, 200}};
    slice[0].scalar[SINO_FISTA_STEP] = 0.5;
    slice[1].scalar[SINO_FISTA_STEP] = 0.25;
    sino_coupling_add((SinoSlices){SINO_SINGLE, 4, 3}, sums, slice, &total); /* the third slice takes no steps */
    assert_true(total.sum[0] == 100 + 2 + 12 && total.sum[1] == 200 + 4 - 20);
}

TESTING_SUBJECT(volume_prior)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_match_definition),
        cmocka_unit_test(steps_are_bounded),
        cmocka_unit_test(steps_know_the_slices_beside),
        cmocka_unit_test(sums_are_in_the_norm_of_the_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
