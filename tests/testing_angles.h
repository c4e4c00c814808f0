/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing: angles of scans that have many, some or no orientations in common. */
#pragma once

#include <math.h>
#include <stdint.h>

enum { TESTING_ANGLES_MAX = 96 };

typedef struct TestingAngles {
    const char *name;
    int64_t count, stored_count; /* stored_count: how many angles are left when symmetry is used; 0: not said */
    double rad[TESTING_ANGLES_MAX];
} TestingAngles;

static inline void testing_angle_add(TestingAngles *angles, double degrees)
{
    angles->rad[angles->count++] = degrees * M_PI / 180;
}

/* `count` angles from `first` on, all within `range`. */
static inline TestingAngles testing_angles_even(const char *name, int count, double first, double range,
                                                int64_t stored_count)
{
    TestingAngles angles = {.name = name, .stored_count = stored_count};
    for (int k = 0; k < count; k++) testing_angle_add(&angles, first + k * range / count);
    return angles;
}

/* The angles in an order of no kind, each some whole turns away. */
static inline TestingAngles testing_angles_shuffled(const char *name, TestingAngles angles)
{
    uint64_t state = 12345;
    angles.name = name;
    for (int64_t k = angles.count - 1; k > 0; k--) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const int64_t j = (int64_t)((state >> 33) % (uint64_t)(k + 1));
        const double swap = angles.rad[k];
        angles.rad[k] = angles.rad[j] + 2 * M_PI * (double)((int64_t)(state >> 60) % 3 - 1);
        angles.rad[j] = swap;
    }
    return angles;
}

static inline TestingAngles testing_angles_golden(void)
{
    TestingAngles angles = {.name = "golden angle", .stored_count = 21};
    for (int k = 0; k < 21; k++) testing_angle_add(&angles, fmod(k * 111.246117975, 180) + 0.1);
    return angles;
}

/* Each of them twice; 0° and 45° are then their own mirror images. */
static inline TestingAngles testing_angles_twice(void)
{
    TestingAngles angles = {.name = "twice", .stored_count = 4};
    for (int k = 0; k < 16; k++) testing_angle_add(&angles, k % 8 * 22.5);
    return angles;
}

/* A different set of orientations for each of 16 angles: more than a layout has classes. */
static inline TestingAngles testing_angles_many_sets(void)
{
    TestingAngles angles = {.name = "many sets of orientations"};
    for (int k = 0; k < 16; k++) {
        const double degrees = 2.3 + 2.5 * k;
        testing_angle_add(&angles, degrees);
        for (int bit = 0; bit < 4; bit++) {
            static const double turn[] = {90, 180, 270, 0};
            if (k >> bit & 1) testing_angle_add(&angles, bit < 3 ? degrees + turn[bit] : 180 - degrees);
        }
    }
    return angles;
}

/* Angles between −90° and 90°, and full turns below. */
static inline TestingAngles testing_angles_negative(void)
{
    TestingAngles angles = {.name = "negative", .stored_count = 5};
    for (int k = 0; k < 16; k++) testing_angle_add(&angles, k * 11.25 - (k % 2 ? 90 : 450));
    return angles;
}

enum { TESTING_ANGLES_KINDS = 13 };

static inline TestingAngles testing_angles(int kind)
{
    switch (kind) {
    case 0:
        return testing_angles_even("half turn, 16", 16, 0, 180, 5);
    case 1:
        return testing_angles_even("half turn, 18", 18, 0, 180, 5);
    case 2:
        return testing_angles_even("half turn, 15", 15, 0, 180, 8);
    case 3:
        return testing_angles_even("half turn, from 1.3 degrees", 20, 1.3, 180, 10);
    case 4:
        return testing_angles_even("full turn, 32", 32, 0, 360, 5);
    case 5:
        return testing_angles_even("full turn, 33", 33, 0, 360, 17);
    case 6:
        return testing_angles_shuffled("full turn, shuffled", testing_angles_even("", 40, 0, 360, 6));
    case 7:
        return testing_angles_even("limited, from 10 to 65 degrees", 12, 10, 60, 8);
    case 8:
        return testing_angles_golden();
    case 9:
        return testing_angles_twice();
    case 10:
        return testing_angles_many_sets();
    case 11:
        return testing_angles_negative();
    default:
        return testing_angles_even("one", 1, 33, 180, 1);
    }
}
