/* SPDX-License-Identifier: BSD-3-Clause */
/* Detail: disks of known contrast in noise whose spectrum is that of a gradient. */
#include "detail.h"
#include "reference_operator.h"
#include "testing.h"

#include <math.h>
#include <stdlib.h>

enum { SIZE = 96 };

typedef struct Case {
    float *x, *m, *g;
} Case;

/* Adds AᵀA of a disk, m·(chords of the disk at all directions, averaged), by sums over rays. */
static void add_disk(const Case *of, double row, double column, double r, double value)
{
    enum { ANGLES = 60 };
    for (int64_t y = 0; y < SIZE; y++)
        for (int64_t x = 0; x < SIZE; x++)
            for (int64_t k = 0; k < ANGLES; k++) {
                const double angle = acos(-1) * (double)k / ANGLES;
                const double at = ((double)x - column) * cos(angle) + ((double)y - row) * sin(angle);
                const double chord = 2 * sqrt(fmax(r * r - at * at, 0));
                of->g[y * SIZE + x] += (float)((double)of->m[y * SIZE + x] * value * chord / ANGLES);
            }
}

static Case case_new(double noise)
{
    const Case made = {calloc(SIZE * SIZE, sizeof(float)), calloc(SIZE * SIZE, sizeof(float)),
                       calloc(SIZE * SIZE, sizeof(float))};
    uint64_t seed = 3;
    assert_true(made.x && made.m && made.g);
    for (int64_t i = 0; i < (int64_t)SIZE * SIZE; i++) {
        made.m[i] = 50;
        made.g[i] = (float)(noise * reference_random(&seed));
    }
    return made;
}

static void case_free(Case *of)
{
    free(of->x);
    free(of->m);
    free(of->g);
}

/* A disk that x lacks is found with its contrast; nothing else is. */
static void disks_come_back(void **state)
{
    (void)state;
    static const double value[] = {0.01, -0.02};
    for (int i = 0; i < 2; i++) {
        Case of = case_new(0.2);
        double elsewhere = 0;
        add_disk(&of, 50, 40, 3.5, value[i]);
        assert_null(sino_detail_find(SIZE, of.x, of.m, of.g));
        print_message("value %g: found %g\n", value[i], (double)of.g[50 * SIZE + 40]);
        assert_true(fabs((double)of.g[50 * SIZE + 40] / value[i] - 1) < 0.25);
        for (int64_t k = 0; k < (int64_t)SIZE * SIZE; k++)
            if (hypot((double)(k / SIZE) - 50, (double)(k % SIZE) - 40) > 8)
                elsewhere = fmax(elsewhere, fabs((double)of.g[k]));
        assert_true(elsewhere < 0.2 * fabs(value[i]));
        case_free(&of);
    }
}

/* A disk that x has nearly in full is not added to. */
static void what_is_there_stays(void **state)
{
    (void)state;
    Case of = case_new(0.2);
    for (int64_t i = 0; i < (int64_t)SIZE * SIZE; i++)
        of.x[i] = hypot((double)(i / SIZE) - 50, (double)(i % SIZE) - 40) < 3.5 ? 0.05F : 0;
    add_disk(&of, 50, 40, 3.5, 0.01);
    assert_null(sino_detail_find(SIZE, of.x, of.m, of.g));
    assert_true(fabs((double)of.g[50 * SIZE + 40]) == 0);
    case_free(&of);
}

/* Slices without values, without rays, and smaller than the disks, have no details. */
static void nothing_is_found_in_nothing(void **state)
{
    (void)state;
    for (int64_t size = 1; size <= SIZE; size += 19) {
        Case of = case_new(0);
        for (int64_t i = 0; i < size * size; i++) of.m[i] = 0;
        assert_null(sino_detail_find(size, of.x, of.m, of.g));
        for (int64_t i = 0; i < size * size; i++) assert_true(of.g[i] == 0);
        case_free(&of);
    }
}

TESTING_SUBJECT(detail)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disks_come_back),
        cmocka_unit_test(what_is_there_stays),
        cmocka_unit_test(nothing_is_found_in_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
