/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing cone project: projections and backprojections by each instruction set against a dense matrix in double. */
#pragma once

#include "cone_project_isa.h"
#include "memory.h"
#include "testing.h"
#include "vector.h"

#include <math.h>

/* The weights of a ray that are not 0, of voxels [y][x][z]. */
typedef struct Weights {
    int64_t count;
    int64_t *voxel; /* owned, as many as there may be */
    double *weight; /* owned, as many */
} Weights;

typedef void WeightsOf(const SinoCone *cone, int64_t angle, double column, double row, Weights *to);

__attribute__((unused)) static void add_weight(Weights *to, int64_t voxel, double weight)
{
    if (weight == 0) return;
    to->voxel[to->count] = voxel;
    to->weight[to->count++] = weight;
}

/* Uniform in [−1, 1). */
__attribute__((unused)) static double next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) / 8388608.0 - 1;
}

__attribute__((unused)) static float *random_floats(int64_t count, uint32_t seed)
{
    float *value = NULL;
    assert_success(sino_allocate(count, sizeof *value, "test", &value));
    for (int64_t i = 0; i < count; i++) value[i] = (float)next_random(&seed);
    return value;
}

__attribute__((unused)) static int64_t voxels_of(const SinoCone *cone)
{
    return cone->y_count * cone->x_count * cone->z_count;
}

__attribute__((unused)) static int64_t rays_of(const SinoCone *cone)
{
    return cone->angle_count * cone->column_count * cone->row_count;
}

__attribute__((unused)) static double hat(double distance)
{
    return fmax(0, 1 - fabs(distance));
}

static const SinoConeProjectIsa *const isas[] = {
    &sino_cone_project_plain,
#if defined __x86_64__ && !defined TESTING_ON_DEVICE /* a device is tested once */
    &sino_cone_project_avx2,
    &sino_cone_project_avx512,
#endif
};

__attribute__((unused)) static bool processor_has(size_t isa)
{
    static const int64_t bytes[] = {0, 32, 64};
    return sino_vector_bytes() >= bytes[isa];
}

/* y = A x and x = Aᵀ y of a scan, band by band and in pieces of angles. */
__attribute__((unused)) static void product(const SinoConeProjectIsa *isa, bool back, const SinoCone *cone,
                                            int64_t rows, int64_t angles, const float *from, float *to)
{
    void *scratch = NULL;
    const int64_t rays = cone->column_count * cone->row_count, voxels = cone->x_count * cone->z_count;
    assert_success(sino_allocate(sino_cone_project_scratch_bytes(cone), 1, "test", &scratch));
    memset(to, 0, (size_t)(back ? voxels_of(cone) : rays_of(cone)) * sizeof *to);
    for (int64_t y = 0; y < cone->y_count; y += rows)
        for (int64_t k = 0; k < cone->angle_count; k += angles) {
            const SinoConeBand band = {y, sino_smaller(rows, cone->y_count - y)};
            const SinoConeAngles piece = {k, sino_smaller(angles, cone->angle_count - k)};
            const int64_t voxel = y * voxels, ray = k * rays;
            sino_cone_project_with(isa, back, cone, band, piece, from + (back ? ray : voxel), scratch,
                                   to + (back ? voxel : ray));
        }
    free(scratch);
}

__attribute__((unused)) static void compare(const char *isa, const char *what, int64_t count, const float *value,
                                            const double *wanted)
{
    double most = 0;
    for (int64_t i = 0; i < count; i++) most = fmax(most, fabs(wanted[i]));
    for (int64_t i = 0; i < count; i++)
        if (!(fabs((double)value[i] - wanted[i]) <= 1e-5 * most))
            fail_msg("%s: %s %ld is %.7g instead of %.7g", isa, what, i, (double)value[i], wanted[i]);
}

__attribute__((unused)) static void check_matrix(const SinoCone *cone, WeightsOf *weights_of)
{
    const int64_t voxels = voxels_of(cone), rays = rays_of(cone), each = cone->column_count * cone->row_count;
    float *x = random_floats(voxels, 1), *y = random_floats(rays, 2), *value = random_floats(voxels + rays, 3);
    double *ax = NULL, *aty = NULL;
    Weights of = {0, NULL, NULL};
    assert_success(sino_allocate(voxels, sizeof *of.voxel, "test", &of.voxel));
    assert_success(sino_allocate(voxels, sizeof *of.weight, "test", &of.weight));
    assert_success(sino_allocate(rays, sizeof *ax, "test", &ax));
    assert_success(sino_allocate(voxels, sizeof *aty, "test", &aty));
    for (int64_t r = 0; r < rays; r++) {
        const SinoPixelRays pixel = sino_cone_pixel_rays(cone, r / each);
        const int64_t count = pixel.across * pixel.up;
        for (int64_t ray = 0; ray < count; ray++) {
            const double right = ((double)(ray % pixel.across) + 0.5) / (double)pixel.across - 0.5;
            const double up = ((double)(ray / pixel.across) + 0.5) / (double)pixel.up - 0.5;
            of.count = 0;
            weights_of(cone, r / each, (double)(r % each / cone->row_count) + right, (double)(r % cone->row_count) + up,
                       &of);
            for (int64_t i = 0; i < of.count; i++) {
                ax[r] += of.weight[i] / (double)count * (double)x[of.voxel[i]];
                aty[of.voxel[i]] += of.weight[i] / (double)count * (double)y[r];
            }
        }
    }
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        if (!processor_has(i)) continue;
        product(isas[i], false, cone, cone->y_count, cone->angle_count, x, value);
        compare(isas[i]->name, "ray", rays, value, ax);
        product(isas[i], true, cone, cone->y_count, cone->angle_count, y, value);
        compare(isas[i]->name, "voxel", voxels, value, aty);
        product(isas[i], false, cone, 7, 2, x, value);
        compare(isas[i]->name, "ray of bands", rays, value, ax);
        product(isas[i], true, cone, 7, 2, y, value);
        compare(isas[i]->name, "voxel of bands", voxels, value, aty);
    }
    free(x);
    free(y);
    free(value);
    free(of.voxel);
    free(of.weight);
    free(ax);
    free(aty);
}
