/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone assemble: each voxel of a slice, or of a box of it, comes from its run, for every symmetry, part and range of
 * slices, and goes back there by fill. */
#include "cone_assemble.h"
#include "memory.h"
#include "testing.h"

#include <math.h>

static float value_at(int64_t x, int64_t y, int64_t z)
{
    return (float)(1 + x + 100 * y + 10000 * z);
}

/* Fills a part with the values of its voxels; padding gets NaN. */
static void fill(const SinoCone *cone, SinoConeSymmetry symmetry, const SinoConePart *part, float *voxel)
{
    const int64_t stride = sino_cone_run_voxels(part), middle = cone->z_count / 2;
    for (int64_t i = 0; i < sino_cone_part_voxels(part, symmetry); i++) {
        const int64_t in_run = i % stride, run = i / stride, half = run % symmetry.halves;
        const int64_t turn = run / symmetry.halves % symmetry.turns, base = run / symmetry.halves / symmetry.turns;
        int64_t x = part->first_x + base % part->x_count, y = part->first_y + base / part->x_count;
        int64_t z = part->first + in_run;
        for (int64_t t = 0; t < turn; t++) {
            const int64_t old_x = x;
            x = y;
            y = cone->x_count - 1 - old_x;
        }
        if (symmetry.halves == 2) z = half == 0 ? middle + z : middle - 1 - z;
        voxel[i] = in_run < part->voxel_count ? value_at(x, y, z) : NAN;
    }
}

/* Whether the part has voxels at (x, y, z). */
static bool has(const SinoCone *cone, SinoConeSymmetry symmetry, const SinoConePart *part, int64_t x, int64_t y,
                int64_t z)
{
    const int64_t middle = cone->z_count / 2;
    const int64_t outwards = symmetry.halves == 1 ? z : z >= middle ? z - middle : middle - 1 - z;
    bool in_xy = false;
    for (int turn = 0; turn < symmetry.turns; turn++) {
        in_xy |= x >= part->first_x && x < part->first_x + part->x_count && y >= part->first_y &&
                 y < part->first_y + part->y_count;
        const int64_t old_x = x;
        x = y;
        y = cone->x_count - 1 - old_x;
    }
    return in_xy && outwards >= part->first && outwards < part->first + part->voxel_count;
}

/* Voxels of the part that are in the image become those of the image again, all others stay. */
static void check_inverse(const SinoConeAssembly *of, const float *image, const float *voxel)
{
    const int64_t count = sino_cone_part_voxels(&of->part, of->symmetry);
    SinoConeAssembly assembly = *of;
    float *part = NULL, *again = NULL;
    const SinoConeBox box = sino_cone_assembly_box(of);
    const int64_t pixels = of->slice_count * box.x_count * box.y_count;
    assert_success(sino_allocate(count, sizeof *part, "test", &part));
    assert_success(sino_allocate(pixels, sizeof *again, "test", &again));
    for (int64_t i = 0; i < count; i++) part[i] = -3;
    for (int64_t i = 0; i < pixels; i++) again[i] = -1;
    assembly.scale = 1 / of->scale;
    sino_cone_fill(&assembly, image, part);
    for (int64_t i = 0; i < count; i++) assert_true(part[i] == -3 || part[i] == voxel[i]);
    sino_cone_assemble(of, part, again);
    assert_memory_equal(again, image, (size_t)pixels * sizeof *again);
    free(part);
    free(again);
}

static void check_box(const SinoCone *cone, SinoConeSymmetry symmetry, const SinoConePart *part, int64_t first_slice,
                      int64_t slices, SinoConeBox box, double mask_ratio)
{
    const SinoConeAssembly assembly = {.cone = cone,
                                       .symmetry = symmetry,
                                       .part = *part,
                                       .first_slice = first_slice,
                                       .slice_count = slices,
                                       .box = box,
                                       .scale = 2,
                                       .mask_ratio = mask_ratio};
    const SinoConeBox of = sino_cone_assembly_box(&assembly);
    const int64_t pixels = of.x_count * of.y_count;
    bool meets = false;
    float *voxel = NULL, *image = NULL;
    assert_success(sino_allocate(sino_cone_part_voxels(part, symmetry), sizeof *voxel, "test", &voxel));
    assert_success(sino_allocate(slices * pixels, sizeof *image, "test", &image));
    fill(cone, symmetry, part, voxel);
    for (int64_t i = 0; i < slices * pixels; i++) image[i] = -1;
    sino_cone_assemble(&assembly, voxel, image);
    for (int64_t i = 0; i < slices * pixels; i++) {
        const int64_t x = of.x + i % of.x_count, y = of.y + i / of.x_count % of.y_count;
        const int64_t z = first_slice + i / pixels;
        const double from_x = (double)x - 0.5 * (double)(cone->x_count - 1);
        const double from_y = (double)y - 0.5 * (double)(cone->y_count - 1);
        const double radius = 0.5 * mask_ratio * fmin((double)cone->x_count, (double)cone->y_count);
        const bool masked = mask_ratio > 0 && hypot(from_x, from_y) > radius;
        const float wanted = !has(cone, symmetry, part, x, y, z) ? -1 : masked ? 0 : 2 * value_at(x, y, z);
        meets |= has(cone, symmetry, part, x, y, z);
        if (image[i] != wanted)
            fail_msg("turns %d, halves %d: voxel (%ld, %ld, %ld) is %g instead of %g", symmetry.turns, symmetry.halves,
                     x, y, z, (double)image[i], (double)wanted);
    }
    assert_int_equal(sino_cone_assembly_meets(&assembly), meets);
    if (mask_ratio == 0) check_inverse(&assembly, image, voxel);
    free(voxel);
    free(image);
}

static void check(const SinoCone *cone, SinoConeSymmetry symmetry, const SinoConePart *part, int64_t first_slice,
                  int64_t slices, double mask_ratio)
{
    check_box(cone, symmetry, part, first_slice, slices, (SinoConeBox){0}, mask_ratio);
}

static void slices_come_from_runs(void **state)
{
    (void)state;
    const SinoCone cone = {.x_count = 42, .y_count = 42, .z_count = 50};
    for (int turns = 1; turns <= 4; turns += 3)
        for (int halves = 1; halves <= 2; halves++) {
            const SinoConeSymmetry symmetry = {turns, halves};
            const int64_t side = turns == 1 ? 42 : 21, voxels = 50 / halves;
            const SinoConePart whole = {0, 0, side, side, 0, voxels}, inside = {3, 5, 17, 4, 7, voxels - 9};
            check(&cone, symmetry, &whole, 0, 50, 0);
            check(&cone, symmetry, &whole, 11, 17, 0.8);
            check(&cone, symmetry, &whole, 24, 1, 0);
            check(&cone, symmetry, &inside, 0, 50, 0);
            check(&cone, symmetry, &inside, 30, 20, 1);
            check(&cone, symmetry, &inside, 0, 3, 0); /* slices that the part has not */
            check_box(&cone, symmetry, &whole, 0, 50, (SinoConeBox){0, 21, 42, 1}, 0.8);
            check_box(&cone, symmetry, &whole, 0, 50, (SinoConeBox){20, 0, 1, 42}, 0);
            check_box(&cone, symmetry, &inside, 0, 50, (SinoConeBox){7, 6, 12, 30}, 0);
            check_box(&cone, symmetry, &inside, 0, 50, (SinoConeBox){0, 21, 42, 1}, 0); /* with turns, beside it */
        }
}

static void volumes_need_not_be_square(void **state)
{
    (void)state;
    const SinoCone cone = {.x_count = 5, .y_count = 33, .z_count = 7};
    const SinoConePart part = {1, 2, 3, 20, 0, 7};
    check(&cone, (SinoConeSymmetry){1, 1}, &part, 0, 7, 0.9);
    check(&cone, (SinoConeSymmetry){1, 1}, &part, 2, 3, 0);
}

TESTING_SUBJECT(cone_assemble)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_come_from_runs),
        cmocka_unit_test(volumes_need_not_be_square),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
