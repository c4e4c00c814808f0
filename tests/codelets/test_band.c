/* SPDX-License-Identifier: BSD-3-Clause */
/* Priors of a volume in bands: each kernel against its definition in double, in 2-D and in 3-D, for volumes of one
 * voxel and more along each side, rows that are longer than what is computed together, and any bands. */
#include "band.h"
#include "reference_operator.h"
#include "testing.h"
#include "testing_subject.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BANDS_MOST = 8, VECTORS = 5 };
enum { Z, P, Q, R, U };

static const double theta = 0.07, threshold = 0.3;

typedef struct Case {
    int64_t y, x, z, band_rows;
    bool volume, rising;
} Case;

static const Case cases[] = {{1, 1, 1, 1, true, false},   {1, 5, 1, 1, false, false},   {5, 4, 3, 2, true, false},
                             {5, 4, 3, 2, false, false},  {5, 99, 4, 2, false, true},   {7, 3, 97, 3, true, false},
                             {4, 1, 300, 1, true, false}, {3, 300, 1, 2, false, false}, {3, 2, 256, 3, true, false}};

/* A volume, [y][x][z], whose bands are parts of it. */
typedef struct Volume {
    float *value;
    const Case *of;
} Volume;

static int64_t voxels_of(const Case *of)
{
    return of->y * of->x * of->z;
}

static Volume volume_new(const Case *of, double scale, uint64_t *seed)
{
    Volume volume = {malloc((size_t)voxels_of(of) * sizeof(float)), of};
    assert_non_null(volume.value);
    for (int64_t i = 0; i < voxels_of(of); i++) volume.value[i] = (float)(scale * reference_random(seed));
    return volume;
}

/* A voxel; of those beside the volume `beyond`. */
static double at(const Volume *volume, int64_t y, int64_t x, int64_t z, double beyond)
{
    const Case *of = volume->of;
    const bool inside = y >= 0 && y < of->y && x >= 0 && x < of->x && z >= 0 && z < of->z;
    return inside ? (double)volume->value[(y * of->x + x) * of->z + z] : beyond;
}

static double theta_in(const Case *of, int64_t z)
{
    return of->rising ? theta * exp2((double)z) : theta;
}

static int64_t band_count(const Case *of)
{
    return (of->y + of->band_rows - 1) / of->band_rows;
}

static SinoBand band_of(const Case *of, int64_t number)
{
    const int64_t left = of->y - number * of->band_rows;
    return (SinoBand){.row_count = left < of->band_rows ? left : of->band_rows,
                      .x_count = of->x,
                      .z_count = of->z,
                      .above_rows = number > 0 ? of->band_rows : 0,
                      .volume = of->volume,
                      .rising = of->rising,
                      .least = -0.3,
                      .most = 0.5};
}

/* A band's vector, copied so that its ends are those of memory; NULL: there is no such band. */
static float *part_of(const Volume *volume, int64_t number)
{
    const Case *of = volume->of;
    if (number < 0 || number >= band_count(of)) return NULL;
    const size_t row = (size_t)(of->x * of->z), count = (size_t)band_of(of, number).row_count * row;
    float *part = malloc(count * sizeof *part);
    assert_non_null(part);
    memcpy(part, volume->value + (size_t)(number * of->band_rows) * row, count * sizeof *part);
    return part;
}

static void put(Volume *volume, int64_t number, float *part)
{
    const Case *of = volume->of;
    const size_t row = (size_t)(of->x * of->z), count = (size_t)band_of(of, number).row_count * row;
    memcpy(volume->value + (size_t)(number * of->band_rows) * row, part, count * sizeof *part);
    free(part);
}

static void assert_near(const Case *of, const char *name, int64_t i, double value, double wanted)
{
    if (!(fabs(value - wanted) < 1e-6))
        fail_msg("%s, voxel %d of %dx%dx%d: %g instead of %g", name, (int)i, (int)of->y, (int)of->x, (int)of->z, value,
                 wanted);
}

#define FOR_VOXELS(of, y, x, z)                                                                                        \
    for (int64_t y = 0; y < (of)->y; y++)                                                                              \
        for (int64_t x = 0; x < (of)->x; x++)                                                                          \
            for (int64_t z = 0; z < (of)->z; z++)

static void check_primal(const Case *of, const Volume v[VECTORS], const SinoSliceState *state)
{
    Volume u = {malloc((size_t)voxels_of(of) * sizeof(float)), of};
    assert_non_null(u.value);
    for (int64_t b = 0; b < band_count(of); b++) {
        const SinoBand band = band_of(of, b);
        float *z = part_of(&v[Z], b), *p = part_of(&v[P], b), *q = part_of(&v[Q], b), *r = part_of(&v[R], b),
              *above = part_of(&v[Q], b - 1), *made = part_of(&v[U], b);
        sino_band_primal(&band, z, p, q, r, above, state, made);
        put(&u, b, made);
        float *const used[] = {z, p, q, r, above};
        for (int i = 0; i < 5; i++) free(used[i]);
    }
    FOR_VOXELS(of, y, x, z)
    {
        double sum =
            at(&v[P], y, x, z, 0) - at(&v[P], y, x - 1, z, 0) + at(&v[Q], y, x, z, 0) - at(&v[Q], y - 1, x, z, 0);
        if (of->volume) sum += at(&v[R], y, x, z, 0) - at(&v[R], y, x, z - 1, 0);
        const double wanted = fmin(fmax(at(&v[Z], y, x, z, 0) + theta_in(of, z) * sum, -0.3), 0.5);
        assert_near(of, "u", (y * of->x + x) * of->z + z, at(&u, y, x, z, 0), wanted);
    }
    free(u.value);
}

static void check_dual(const Case *of, const Volume v[VECTORS], const SinoSliceState *state)
{
    for (int64_t b = 0; b < band_count(of); b++) {
        const SinoBand band = band_of(of, b);
        float *p = part_of(&v[P], b), *q = part_of(&v[Q], b), *r = part_of(&v[R], b), *u = part_of(&v[U], b),
              *below = part_of(&v[U], b + 1);
        sino_band_dual(&band, u, below, state, p, q, r);
        for (int64_t y = 0, i = 0; y < band.row_count; y++)
            for (int64_t x = 0; x < of->x; x++)
                for (int64_t z = 0; z < of->z; z++, i++) {
                    const int64_t row = b * of->band_rows + y;
                    const double sigma = 1 / ((of->volume ? 12 : 8) * theta_in(of, z));
                    const double own = at(&v[U], row, x, z, 0);
                    const double across = at(&v[P], row, x, z, 0) + sigma * (at(&v[U], row, x + 1, z, own) - own);
                    const double down = at(&v[Q], row, x, z, 0) + sigma * (at(&v[U], row + 1, x, z, own) - own);
                    const double along = at(&v[R], row, x, z, 0) + sigma * (at(&v[U], row, x, z + 1, own) - own);
                    const double size = sqrt(across * across + down * down + (of->volume ? along * along : 0));
                    const double shorten = 1 / fmax(1, size);
                    assert_near(of, "p", i, (double)p[i], shorten * across);
                    assert_near(of, "q", i, (double)q[i], shorten * down);
                    assert_near(of, "r", i, (double)r[i], of->volume ? shorten * along : at(&v[R], row, x, z, 0));
                }
        float *const used[] = {p, q, r, u, below};
        for (int i = 0; i < 5; i++) free(used[i]);
    }
}

/* φ′(t). */
static double slope(SinoPriorFunction function, double t)
{
    const double v = pow(fabs(t), 0.8);
    if (function == SINO_PRIOR_HUBER) return fmin(fmax(t, -1), 1);
    return t * (1 + 0.6 * v) / ((1 + v) * (1 + v));
}

static double gradient(const Case *of, const Volume *u, SinoPriorFunction function, int64_t y, int64_t x, int64_t z)
{
    const double own = at(u, y, x, z, 0);
    double sum = 0;
    for (int down = -1; down <= 1; down++)
        for (int aside = -1; aside <= 1; aside++)
            sum += (down != 0 && aside != 0 ? 1 - M_SQRT1_2 : M_SQRT2 - 1) *
                   slope(function, (own - at(u, y + down, x + aside, z, own)) / threshold);
    for (int along = -1; along <= 1 && of->volume; along += 2)
        sum += slope(function, (own - at(u, y, x, z + along, own)) / threshold);
    return sum;
}

static void check_descend(const Case *of, const Volume v[VECTORS], const SinoSliceState *state,
                          SinoPriorFunction function)
{
    const SinoSmoothPrior prior = {.function = function, .threshold = threshold};
    Volume made = {malloc((size_t)voxels_of(of) * sizeof(float)), of};
    assert_non_null(made.value);
    for (int64_t b = 0; b < band_count(of); b++) {
        const SinoBand band = band_of(of, b);
        float *z = part_of(&v[Z], b), *u = part_of(&v[U], b), *above = part_of(&v[U], b - 1),
              *below = part_of(&v[U], b + 1);
        sino_band_descend(&band, &prior, u, above, below, state, z);
        put(&made, b, z);
        free(u);
        free(above);
        free(below);
    }
    FOR_VOXELS(of, y, x, z)
    {
        const double wanted = at(&v[Z], y, x, z, 0) - theta_in(of, z) * gradient(of, &v[U], function, y, x, z);
        assert_near(of, "z", (y * of->x + x) * of->z + z, at(&made, y, x, z, 0), wanted);
    }
    free(made.value);
}

static void bands_are_as_defined(void **state)
{
    uint64_t seed = 7;
    SinoSliceState slice = {.scalar[SINO_FISTA_THRESHOLD] = theta};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Volume v[VECTORS];
        for (int k = 0; k < VECTORS; k++) v[k] = volume_new(&cases[i], k == Z || k == U ? 1 : 0.6, &seed);
        check_primal(&cases[i], v, &slice);
        check_dual(&cases[i], v, &slice);
        check_descend(&cases[i], v, &slice, SINO_PRIOR_HUBER);
        check_descend(&cases[i], v, &slice, SINO_PRIOR_QGGMRF);
        for (int k = 0; k < VECTORS; k++) free(v[k].value);
    }
}

/* Without a strength nothing changes. */
static void no_strength_changes_nothing(void **state)
{
    const SinoSliceState slice = {0};
    const SinoBand band = {.row_count = 1, .x_count = 2, .z_count = 1, .least = -INFINITY, .most = INFINITY};
    const float u[] = {1, 3}, z[] = {2, -4};
    float p[] = {0.5F, 0.25F}, q[] = {0, 0}, made[2];
    (void)state;
    sino_band_dual(&band, u, NULL, &slice, p, q, NULL);
    sino_band_primal(&band, z, p, q, NULL, NULL, &slice, made);
    assert_true(p[0] == 0.5F && p[1] == 0.25F && q[0] == 0 && made[0] == 2 && made[1] == -4);
}

TESTING_SUBJECT(band)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bands_are_as_defined),
        cmocka_unit_test(no_strength_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
