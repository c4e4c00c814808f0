/* SPDX-License-Identifier: BSD-3-Clause */
/* Voxel ray: the voxels that a line between two points crosses, and the lengths in them (R. L. Siddon, Med. Phys. 12,
 * 252 (1985)).
 *
 * The middle of the grid is the origin; x grows with columns, y falls with rows, z grows with slices. Each boundary is
 * computed from the line, so that errors do not add up, and each axis crosses as many of them as lie between its first
 * and its last voxel. The length of a line in a plane between voxels belongs to both sides, by halves: where two planes
 * meet, by quarters. What belongs to the outside of the grid is left out. */
#pragma once

#include "system_matrix.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* A line on its way through a grid, in units of voxels: the point at t is start + t·step, t from 0 to 1. */
typedef struct SinoVoxelRay {
    double start[3], step[3],
        length_mm;             /* length_mm: of the line, times the share of the voxels that are crossed now */
    int64_t count[3];          /* of the grid */
    int planes, lower;         /* bits of the axes along which it lies between voxels; of those it now crosses
                                  the voxels on the lower side */
    int64_t pieces;            /* that are left */
    double at, end;            /* of what is left */
    double leave[3];           /* where it leaves the voxel along each axis; INFINITY: not any more */
    int64_t index[3], left[3]; /* of the voxel; boundaries that are left */
} SinoVoxelRay;

/* The line between two points, in mm. The grid has counts and sizes above 0. */
SinoVoxelRay sino_voxel_ray(const SinoVoxelGrid *grid, const double from[3], const double to[3]);

/* At most how many voxels sino_voxel_ray_next gives for the line. */
int64_t sino_voxel_ray_count(SinoVoxelRay ray);

/* Begins with the voxels on the other side of a plane in which the line lies. False: there are none. */
bool sino_voxel_ray_turn(SinoVoxelRay *ray);

/* Where the line leaves its voxel along an axis. */
static inline double sino_voxel_ray_leave(const SinoVoxelRay *ray, int d)
{
    if (ray->left[d] == 0) return INFINITY;
    return ((double)(ray->index[d] + (ray->step[d] > 0)) - ray->start[d]) / ray->step[d];
}

/* The next voxel, each once, and the length in it, which is 0 where the line only touches it. False: there is none. */
static inline bool sino_voxel_ray_next(SinoVoxelRay *ray, int64_t *voxel, double *length_mm)
{
    while (ray->pieces == 0)
        if (!sino_voxel_ray_turn(ray)) return false;
    int d = ray->leave[0] < ray->leave[1] ? 0 : 1;
    if (ray->leave[2] < ray->leave[d]) d = 2;
    const bool last = --ray->pieces == 0;
    const double next = last ? ray->end : fmax(ray->at, fmin(ray->leave[d], ray->end));
    *voxel = (ray->index[2] * ray->count[1] + ray->index[1]) * ray->count[0] + ray->index[0];
    *length_mm = (next - ray->at) * ray->length_mm;
    ray->at = next;
    if (last) return true;
    ray->index[d] += ray->step[d] > 0 ? 1 : -1;
    ray->left[d]--;
    ray->leave[d] = sino_voxel_ray_leave(ray, d);
    return true;
}
