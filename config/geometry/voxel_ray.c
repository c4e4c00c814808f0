/* SPDX-License-Identifier: BSD-3-Clause */
/* Voxel ray: where a line enters and leaves the grid. */
#include "system_matrix.h"

#include "arithmetic.h"

/* Voxels: a line closer than that to a plane, from end to end, lies in it. */
static const double rounding = 1e-9;

/* The part of the line within the grid, if there is one. */
static bool clip(SinoVoxelRay *ray)
{
    ray->at = 0;
    ray->end = 1;
    for (int d = 0; d < 3; d++) {
        const double count = (double)ray->count[d];
        if (ray->left[d] < 0) return false;
        if (ray->step[d] == 0) continue;
        const double low = -ray->start[d] / ray->step[d], high = (count - ray->start[d]) / ray->step[d];
        ray->at = fmax(ray->at, fmin(low, high));
        ray->end = fmin(ray->end, fmax(low, high));
    }
    return ray->at < ray->end;
}

/* The voxel along an axis of the point at t. */
static int64_t index_at(const SinoVoxelRay *ray, int d, double t)
{
    return sino_smaller(sino_larger((int64_t)floor(ray->start[d] + t * ray->step[d]), 0), ray->count[d] - 1);
}

/* Along axes that the line does not follow: the voxel; left −1: it is outside the grid. */
static void take_fixed(SinoVoxelRay *ray, int d)
{
    const double index = floor(ray->start[d]) - (ray->lower >> d & 1);
    const bool inside = index >= 0 && index < (double)ray->count[d];
    ray->left[d] = inside ? 0 : -1;
    if (inside) ray->index[d] = (int64_t)index;
}

static void enter(SinoVoxelRay *ray)
{
    ray->pieces = 0;
    for (int d = 0; d < 3; d++) {
        ray->left[d] = 0;
        if (ray->step[d] == 0) take_fixed(ray, d);
    }
    if (!clip(ray)) return;
    ray->pieces = 1;
    for (int d = 0; d < 3; d++) {
        if (ray->step[d] != 0) {
            const int64_t last = index_at(ray, d, ray->end);
            ray->index[d] = index_at(ray, d, ray->at);
            ray->left[d] = ray->step[d] > 0 ? last - ray->index[d] : ray->index[d] - last;
        }
        ray->pieces += ray->left[d];
        ray->leave[d] = sino_voxel_ray_leave(ray, d);
    }
}

SinoVoxelRay sino_voxel_ray(const SinoVoxelGrid *grid, const double from[3], const double to[3])
{
    SinoVoxelRay ray = {.count = {grid->x_count, grid->y_count, grid->z_count}};
    double square = 0, share = 1;
    for (int d = 0; d < 3; d++) {
        const double sign = d == 1 ? -1 : 1; /* rows go down, y goes up */
        ray.start[d] = sign * from[d] / grid->size[d] + (double)ray.count[d] / 2;
        ray.step[d] = sign * (to[d] - from[d]) / grid->size[d];
        square += (to[d] - from[d]) * (to[d] - from[d]);
        if (fabs(ray.step[d]) >= rounding) continue;
        ray.step[d] = 0;
        if (fabs(ray.start[d] - round(ray.start[d])) >= rounding) continue;
        ray.start[d] = round(ray.start[d]);
        ray.planes |= 1 << d;
        share /= 2;
    }
    ray.length_mm = sqrt(square) * share;
    enter(&ray);
    return ray;
}

bool sino_voxel_ray_turn(SinoVoxelRay *ray)
{
    ray->lower = (ray->lower - ray->planes) & ray->planes; /* the next subset of the planes, or none */
    if (ray->lower == 0) return false;
    enter(ray);
    return true;
}

int64_t sino_voxel_ray_count(SinoVoxelRay ray)
{
    int64_t count = ray.pieces;
    while (sino_voxel_ray_turn(&ray)) count += ray.pieces;
    return count;
}
