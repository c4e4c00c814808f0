/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone project on a GPU: the tests of the CPU's functions, and sums that begin. */
#include "cone_project_on_device.h"

#define TESTING_ON_DEVICE
#define sino_cone_project_with cone_project_on_device

#include "../../codelets/test_cone_project.c" /* NOLINT(bugprone-suspicious-include) */

/* More angles than a launch has. */
static SinoCone long_scan(int64_t angles)
{
    SinoCone cone = scan_of(angles, 2, 360);
    cone.x_count = 33;
    cone.z_count = 35;
    cone.row_count = 67;
    cone.center_row = 33.3;
    return cone;
}

static void check_first(bool back, const SinoCone *cone)
{
    const int64_t from_count = back ? rays_of(cone) : voxels_of(cone), count = back ? voxels_of(cone) : rays_of(cone);
    const SinoConeBand band = {0, cone->y_count};
    const SinoConeAngles angles = {0, cone->angle_count};
    float *from = random_floats(from_count, 1), *first = random_floats(count, 2), *sum = random_floats(count, 3);
    for (int64_t i = 0; i < count; i++) first[i] = NAN;
    memset(sum, 0, (size_t)count * sizeof *sum);
    cone_project_first_on_device(back, cone, band, angles, true, from, first);
    cone_project_first_on_device(back, cone, band, angles, false, from, sum);
    for (int64_t i = 0; i < count; i++) assert_true(first[i] == sum[i]);
    free(from);
    free(first);
    free(sum);
}

/* The first task of a sum takes what was there for 0; so it does if it has no angles. */
static void first_sums_overwrite(void **state)
{
    (void)state;
    for (int64_t angles = 0; angles <= 19; angles += 19) {
        const SinoCone cone = long_scan(angles);
        check_first(false, &cone);
        check_first(true, &cone);
    }
}

/* Volumes and detectors of several tiles in each direction. */
static void many_angles_match_the_matrix(void **state)
{
    (void)state;
    const SinoCone cone = long_scan(19);
    check_matrix(&cone, weights_of);
}

TESTING_SUBJECT(cone_project_cuda)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(first_sums_overwrite),
                                       cmocka_unit_test(many_angles_match_the_matrix)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
