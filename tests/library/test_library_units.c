/* SPDX-License-Identifier: BSD-3-Clause */
/* Units: line integrals may have any unit. A scan times c has c times the volume, whatever sinodag chooses by itself.
 */
#include "testing_library.h"

#include <math.h>

enum { ANGLES = 48, ROWS = 1, COLUMNS = 104, VALUES = ANGLES * ROWS * COLUMNS };

/* What a scan has beside its ellipses. */
typedef enum Damage { NOTHING, NOISE, FAULTS, EVENTS } Damage;

/* The volume of a call, and what sinodag said of stages and undefined values. */
typedef struct Found {
    float *value;
    int64_t count;
    int zingers, stripes, undefined;
} Found;

static Found *hearing;

static void hear(void *of, const char *level, const char *event, const char *message)
{
    (void)of;
    if (!hearing || strcmp(level, "warning") != 0) return;
    hearing->zingers += !strcmp(event, "zingers");
    hearing->stripes += !strcmp(event, "stripes");
    if (!strcmp(event, "repair")) hearing->undefined += (int)strtol(message, NULL, 10);
}

static float *allocate(void *of, int64_t slices, int64_t rows, int64_t columns)
{
    Found *found = of;
    found->count = slices * rows * columns;
    found->value = calloc((size_t)found->count, sizeof *found->value);
    return found->value;
}

static double next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) / 16777216.0;
}

static double next_normal(uint32_t *state)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += next_random(state);
    return sum;
}

/* A Poisson deviate, by exponential ones. */
static int next_count(double mean, uint32_t *state)
{
    double sum = 0;
    int count = -1;
    for (; sum <= mean; count++) sum -= log(1 - next_random(state));
    return count;
}

/* Line integrals of ellipses about column 50.3. Faults: noise, an odd column, columns that differ, zingers, and one
 * value that cannot be. Events: counts of photons, `unit` times as many as the line integral says. */
static void make_scan(Damage damage, double unit, const double *angle_rad, float *values)
{
    static const double ellipse[][5] = {/* center, half axes, value */
                                        {0, 0, 44, 40, 0.02},
                                        {10, 12, 12, 9, 0.015},
                                        {-18, 5, 8, 14, -0.01},
                                        {0, -22, 6, 6, 0.03}};
    double offset[COLUMNS];
    uint32_t seed = 11;
    for (int c = 0; c < COLUMNS; c++) offset[c] = damage == FAULTS ? 0.02 * next_normal(&seed) + 0.4 * (c == 40) : 0;
    for (int i = 0; i < VALUES; i++) {
        const int c = i % COLUMNS, k = i / COLUMNS / ROWS;
        const double x = cos(angle_rad[k]), y = sin(angle_rad[k]);
        double sum = offset[c];
        for (int e = 0; e < 4; e++) {
            const double *of = ellipse[e], width = hypot(of[2] * x, of[3] * y);
            const double s = (c - 50.3 - of[0] * x - of[1] * y) / width;
            if (s * s < 1) sum += 2 * of[4] * of[2] * of[3] / width * sqrt(1 - s * s);
        }
        if (damage == EVENTS) {
            values[i] = (float)next_count(sum * unit, &seed);
            continue;
        }
        if (damage != NOTHING) sum += 0.02 * next_normal(&seed);
        if (damage == FAULTS && next_random(&seed) < 0.003) sum -= 0.9;
        values[i] = (float)sum * (float)unit;
    }
    if (damage == FAULTS) values[7 * ROWS * COLUMNS + 30] = 1e20F * (float)unit;
}

static bool is_cone(const char *const *settings)
{
    return settings[1] && !strncmp(settings[1], "geometry", 8);
}

static Found reconstruct(Damage damage, double unit, const char *const *settings)
{
    static float values[VALUES];
    Found found = {0};
    double angle_rad[ANGLES];
    const double turn = is_cone(settings) ? 2 * M_PI : M_PI;
    const SinodagScan scan = {.projections = {.data = values, .type = SINODAG_FLOAT32, .size = {ANGLES, ROWS, COLUMNS}},
                              .angle_rad = angle_rad};
    for (int k = 0; k < ANGLES; k++) angle_rad[k] = turn * k / ANGLES;
    make_scan(damage, unit, angle_rad, values);
    hearing = &found;
    succeeds(sinodag_recon(&scan, settings, &(SinodagOutput){allocate, NULL, &found}));
    hearing = NULL;
    return found;
}

/* Powers of two change no digit of any number, so that every bit must agree; other units round. */
static void check(Damage damage, const char *const *settings)
{
    static const double units[] = {0x1p-20, 0x1p20, 7e5};
    const Found natural = reconstruct(damage, 1, settings);
    const bool emits = strstr(settings[0], "em");
    assert_true(natural.zingers == (damage == FAULTS && !emits));
    assert_true(natural.stripes == natural.zingers);
    for (int u = 0; u < 3; u++) {
        const Found found = reconstruct(damage, units[u], settings);
        double error = 0, square = 0;
        assert_int_equal(found.count, natural.count);
        for (int64_t i = 0; i < found.count; i++) {
            const double value = (double)natural.value[i], other = (double)found.value[i] / units[u];
            if (u < 2 && other != value)
                fail_msg("%s, damage %d, times %g: %.9g, not %.9g", settings[0], (int)damage, units[u], other, value);
            error += (other - value) * (other - value);
            square += value * value;
        }
        if (!(error <= 1e-6 * square && square > 0 && isfinite(square)))
            fail_msg("%s, damage %d, times %g: off by %g", settings[0], (int)damage, units[u], sqrt(error / square));
        if (found.zingers != natural.zingers || found.stripes != natural.stripes ||
            found.undefined != natural.undefined)
            fail_msg("%s, damage %d, times %g: says something else", settings[0], (int)damage, units[u]);
        free(found.value);
    }
    free(natural.value);
}

static const char data[] = "data=line-integrals", axis[] = "rotation-axis=50.3";

/* The center, the strength of the prior and the number of iterations are chosen by the scan, too. */
static void units_do_not_matter(void **state)
{
    static const char *const settings[][6] = {
        {"algorithm=fbp", data},
        {"algorithm=fista", data, axis, "iterations=3"},
        {"algorithm=cg", data, axis, "iterations=auto"},
        {"algorithm=cg", data, axis, "iterations=3", "precision=mixed"},
        {"algorithm=sirt", data, axis, "iterations=3", "nonnegativity=auto"},
        {"algorithm=mlem", data, axis, "iterations=3"},
        {"algorithm=osem", data, axis, "iterations=1", "subsets=6"},
    };
    (void)state;
    for (Damage damage = NOTHING; damage <= FAULTS; damage++)
        for (int i = 0; i < (damage == FAULTS ? 7 : 2); i++) check(damage, settings[i]);
}

static void units_of_cones(void **state)
{
#define CONE "geometry=cone", "source-object-distance=400", "source-detector-distance=600", "detector-pixel=0.2", data
    static const char *const settings[][8] = {
        {"algorithm=fdk", CONE},
        {"algorithm=cg", CONE, "iterations=2"},
    };
    (void)state;
    for (int i = 0; i < 2; i++) check(FAULTS, settings[i]);
}

/* Counts of events, few and many, have the noise that they have: nothing is taken out, by any algorithm. */
static void events_are_kept(void **state)
{
    static const char *const settings[][5] = {{"algorithm=fbp", data, axis},
                                              {"algorithm=mlem", data, axis, "iterations=1"}};
    static const double most[] = {0.3, 3, 30, 3000};
    (void)state;
    for (int i = 0; i < 8; i++) {
        const Found found = reconstruct(EVENTS, most[i / 2], settings[i % 2]);
        if (found.zingers || found.stripes || found.undefined)
            fail_msg("%s, %g times: %d, %d, %d", settings[i % 2][0], most[i / 2], found.zingers, found.stripes,
                     found.undefined);
        free(found.value);
    }
}

static int start_hearing(void **state)
{
    const char *const settings[] = {"workers=1", NULL};
    (void)state;
    return sinodag_status_code(sinodag_start(settings, hear, NULL));
}

TESTING_SUBJECT(library_units)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(units_do_not_matter), cmocka_unit_test(units_of_cones),
                                       cmocka_unit_test(events_are_kept)};
    return cmocka_run_group_tests(tests, start_hearing, stop);
}
