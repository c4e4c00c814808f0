/* SPDX-License-Identifier: BSD-3-Clause */
/* Detail: against its definition, in double, for panels and for parts. */
#include "detail.h"
#include "testing_tiles.h"

enum { SIDES = 3 };

static const double share = 0.25;

/* The mean of an image, or of its square, over a square. */
static double mean(const double *image, int64_t size, int64_t side, int64_t row, int64_t column, bool square)
{
    double sum = 0;
    for (int64_t y = row - side / 2; y <= row + side / 2; y++)
        for (int64_t x = column - side / 2; x <= column + side / 2; x++) {
            const double value = image[y * size + x];
            sum += square ? value * value : value;
        }
    return sum / (double)(side * side);
}

/* ∫ (width of the square − share of that around) · width of the square, over all directions. */
static double response(double side)
{
    enum { DIRECTIONS = 30, OFFSETS = 200 };
    const double around = 2 * side + 1, part = side * side / (around * around);
    double sum = 0;
    for (int d = 0; d < DIRECTIONS; d++)
        for (int i = 0; i < OFFSETS; i++) {
            const double angle = (d + 0.5) / DIRECTIONS * asin(1) / 2, reach = around / OFFSETS;
            const double at = (i + 0.5) * reach, c = cos(angle), s = sin(angle);
            const double own = side / c * fmin(fmax((side * (c + s) / 2 - at) / (side * s), 0), 1);
            const double wide = around / c * fmin(fmax((around * (c + s) / 2 - at) / (around * s), 0), 1);
            sum += 2 * (own - part * wide) * own * reach;
        }
    return sum / DIRECTIONS;
}

static double clamp(double value)
{
    return fmin(fmax(value, 0), 1);
}

/* The gain of voxels by one size of squares, where it is more than they have. */
static void give(int64_t size, int64_t side, const double *g, const double *m, const double *x, double *to)
{
    const int64_t around = 2 * side + 1, voxels = size * size;
    const double part = (double)(side * side) / (double)(around * around), scale = response((double)side) / share;
    double *lack = calloc((size_t)voxels, sizeof *lack), total = 0, count = 0;
    assert_non_null(lack);
    for (int64_t i = 0; i < voxels; i++) {
        const int64_t row = i / size, column = i % size;
        const double middle = (double)(size - 1) / 2;
        if (hypot((double)row - middle, (double)column - middle) > (double)(size - around) / 2 || !(m[i] > 0)) continue;
        const double t = (mean(g, size, side, row, column, false) - mean(g, size, around, row, column, false)) *
                         (double)(side * side);
        lack[i] = t / (scale * m[i]);
        total += t * t / m[i];
        count++;
    }
    for (int64_t i = 0; i < voxels; i++) {
        const int64_t row = i / size, column = i % size;
        if (lack[i] == 0) continue;
        const double z = fabs(lack[i]) * scale * sqrt(m[i]) / sqrt(total / count);
        const double wide = mean(x, size, around, row, column, false);
        const double has = (mean(x, size, side, row, column, false) - wide) / (1 - part);
        const double spread = sqrt(fmax(mean(x, size, around, row, column, true) - wide * wide, 0));
        const double f = clamp(z * (1 + has / lack[i]) - sqrt(4 * log(256) - 2)) * clamp(z - 2.5) *
                         clamp(1.6 - 2 * spread / fabs(lack[i])) * clamp(2 - 4 * fabs(lack[i]) / fmax(wide, 1e-30));
        for (int64_t k = 0; f > 0 && k < side * side; k++) {
            const int64_t j = (row + k / side - side / 2) * size + column + k % side - side / 2;
            if (lack[j] * lack[i] > 0 && fabs(f * lack[j]) > fabs(to[j])) to[j] = f * lack[j];
        }
    }
    free(lack);
}

static void set(const Case *of, Vector *vector, int64_t part, int64_t row, int64_t f, double value)
{
    int64_t y, x;
    testing_set_element(of->slices.precision, vector->part[part],
                        sino_panel_element(of->slices, part_rows(of, part), row, f), value);
    if (place(of, part, row, &y, &x)) *at(of, vector, f, y, x) = value;
}

static SinoVariation tiles_of(const Case *of)
{
    return (SinoVariation){.slices = of->slices,
                           .grid_size = of->size,
                           .part_count = of->part_count,
                           .first_tile = of->first,
                           .tile = of->tile,
                           .neighbour = of->neighbour,
                           .least = 0,
                           .most = 1.05};
}

/* Slices lack two details: one in the middle, and one at the edge of a half that has the value 2; of some slices the
 * bound cuts the first. */
static void make_slices(const Case *of, Vector *g, Vector *m, Vector *x)
{
    const double middle = (double)(of->size - 1) / 2;
    FOR_VOXELS(of, part, row, y, column)
    for (int64_t f = 0; f < of->slices.slice_count; f++) {
        const double down = (double)y - middle, across = (double)column - middle;
        const bool inside = hypot(down, across) < 3 || hypot(down - 4, across - 12) < 3;
        set(of, g, part, row, f, *at(of, g, f, y, column) + (inside ? (f % 2 ? 30 : -30) : 0));
        set(of, m, part, row, f, y == 0 ? 0 : 30 + *at(of, m, f, y, column));
        set(of, x, part, row, f, (across > 12 ? 0.1 : 1) + *at(of, x, f, y, column));
    }
}

static void check_slices(int64_t size, int64_t parts, SinoSlices slices)
{
    static const int64_t sides[SIDES] = {5, 7, 9};
    uint64_t seed = 7;
    Case of;
    make_case(size, parts, slices, &seed, &of);
    Vector g = vector_new(&of, 1, &seed), m = vector_new(&of, 5, &seed), x = vector_new(&of, 0.002, &seed),
           u = vector_new(&of, 0, &seed);
    double got = 0, at_edge = 0;
    const SinoVariation tiles = tiles_of(&of);
    const SinoDetailSlices some = {parts > 1 ? 1 : 0, parts > 1 ? 2 : 1};
    make_slices(&of, &g, &m, &x);
    void *scratch = malloc((size_t)sino_detail_bytes(size));
    assert_non_null(scratch);
    sino_detail(&tiles, some, share, (const void *const *)g.part, (const void *const *)m.part,
                (const void *const *)x.part, scratch, u.part);
    free(scratch);
    for (int64_t f = some.first; f < slices.slice_count; f += some.step) {
        double *to = at(&of, &u, f, 0, 0);
        for (int k = 0; k < SIDES; k++)
            give(size, sides[k], at(&of, &g, f, 0, 0), at(&of, &m, f, 0, 0), at(&of, &x, f, 0, 0), to);
    }
    FOR_VOXELS(&of, part, row, y, column)
    for (int64_t f = 0; f < slices.stride; f++) {
        const double has = *at(&of, &x, f, y, column), wanted = fmin(fmax(has + *at(&of, &u, f, y, column), 0), 1.05);
        const int64_t i = sino_panel_element(slices, part_rows(&of, part), row, f);
        const double value = testing_element(slices.precision, u.part[part], i);
        if (!(fabs(value - (f < slices.slice_count ? wanted - has : 0)) <= 1e-4))
            fail_msg("slice %d at (%d, %d) of %d voxels: %g, expected %g", (int)f, (int)y, (int)column, (int)size,
                     value, wanted - has);
        got = fmax(got, fabs(value));
        if (column > size / 2 + 8) at_edge = fmax(at_edge, fabs(value));
    }
    assert_true(size < 40 || (got > 0.04 && at_edge == 0));
    check(&of, &x, "x");
    check_outside(&of, &x, false);
    Vector *const all[] = {&g, &m, &x, &u};
    for (int i = 0; i < 4; i++) vector_free(&of, all[i]);
}

static void details_match_definition(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 9, 17, 33, 64}, counts[] = {1, 3, 19};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            const SinoPrecision precision = (s + c) % 2 ? SINO_DOUBLE : SINO_SINGLE;
            check_slices(sizes[s], c == 1 ? 3 : 1,
                         (SinoSlices){precision, sino_panel_stride(precision, counts[c]), counts[c]});
        }
}

TESTING_SUBJECT(detail)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(details_match_definition)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
