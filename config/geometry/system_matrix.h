/* SPDX-License-Identifier: BSD-3-Clause */
/* System matrix: a sparse matrix whose rows are measured values (lines of response, detector bins) and whose columns
 * are voxels, with values ≥ 0. Readers (io/matrices/matrix_file.h) deliver it in ranges of rows. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* The voxels of a matrix: column (z·y_count + y)·x_count + x. All counts 0: the file does not say. */
typedef struct SinoVoxelGrid {
    int64_t x_count, y_count, z_count;
    double size[3]; /* mm, along x, y and z; 0: unknown */
} SinoVoxelGrid;

/* Bits of a combination of mirrors: x becomes −x, and so on. */
enum { SINO_MIRROR_X = 1, SINO_MIRROR_Y = 2, SINO_MIRROR_Z = 4, SINO_MIRRORS = 8 };

/* Orientations: the combinations of some mirrors, in ascending order; number 0 leaves everything where it is. */
static inline int64_t sino_orientation_count(int mirrors)
{
    static const int8_t count[SINO_MIRRORS] = {1, 2, 2, 4, 2, 4, 4, 8};
    return count[mirrors & (SINO_MIRRORS - 1)];
}

/* The combination of orientation k. */
static inline int sino_orientation(int mirrors, int64_t k)
{
    int which = 0;
    for (int bit = 1; bit < SINO_MIRRORS; bit <<= 1) {
        if (!(mirrors & bit)) continue;
        which |= k & 1 ? bit : 0;
        k >>= 1;
    }
    return which;
}

/* Crystals in rings: crystal (ring − first)·size + place. */
typedef struct SinoRings {
    int64_t first, count; /* the number of the first ring; rings */
    int64_t size;         /* crystals of each; 0: rings are unknown */
} SinoRings;

/* What is known of a matrix before its values are read. */
typedef struct SinoMatrixOutline {
    int64_t row_count;
    int64_t column_count;  /* at most 2³² − 1 */
    int64_t nonzero_count; /* at most: mirrored entries are counted, those of the same row and column not yet added; 0
                              if the file does not tell */
    SinoVoxelGrid grid;
    int64_t crystal_count; /* row = a · crystal_count + b with crystals a < b; 0: rows are not pairs of crystals */
    SinoRings rings;       /* of the crystals */
    bool row_access;       /* any range of rows is read without reading the rest */
    int mirrors;           /* that take the matrix to itself, as the file says: bits SINO_MIRROR_X …; 0: none */
    int64_t image_bytes;   /* of an image that computed rows need; whoever reads rows has one more of its own */
} SinoMatrixOutline;

/* A range of rows. The arrays belong to whoever made them. */
typedef struct SinoSparseRows {
    int64_t first_row, row_count;
    int64_t *start;   /* [row_count + 1]: row first_row + i has the entries start[i] … start[i + 1] − 1 */
    uint32_t *column; /* [entry]: ascending within a row, each column once */
    float *value;     /* [entry]: finite, at least 0 */
} SinoSparseRows;

/* Matrix mirror: the planes of symmetry of a PET scanner of blocks on a circle, in several layers and rings, and of its
 * grid of voxels, as the symmetry flags of csr4 files mean them (T. Küstner, 2011).
 *
 * Crystal number: ((ring · layers + layer) · blocks + block) · blocksize + place, places and blocks being in the order
 * of the circle. The middle of block 0 lies on the y axis. A row is a pair of crystals a ≤ b: row = a · crystals + b. A
 * mirror takes an entry to the row of the mirrored crystals, the lower number first, and to the mirrored voxel. */

typedef struct SinoMirror {
    int64_t layer_count, block_count, block_size, ring_count; /* block_size: crystals of a block along the circle */
    int64_t x_count, y_count, z_count;
} SinoMirror;

int64_t sino_mirror_crystals(const SinoMirror *mirror);

/* The mirrored crystal. With SINO_MIRROR_Y the number of blocks is even. */
int64_t sino_mirror_crystal(const SinoMirror *mirror, int which, int64_t crystal);

/* The row to which the mirrors `which` take a row of crystals a ≤ b. The number of blocks as above. */
int64_t sino_mirror_row(const SinoMirror *mirror, int which, int64_t row);

/* The mirrored voxel. */
uint32_t sino_mirror_column(const SinoMirror *mirror, int which, uint32_t column);

/* Voxel ray: the voxels that a line between two points crosses, and the lengths in them (R. L. Siddon, Med. Phys. 12,
 * 252 (1985)).
 *
 * The middle of the grid is the origin; x grows with columns, y falls with rows, z grows with slices. Each boundary is
 * computed from the line, so that errors do not add up, and each axis crosses as many of them as lie between its first
 * and its last voxel. The length of a line in a plane between voxels belongs to both sides, by halves: where two planes
 * meet, by quarters. What belongs to the outside of the grid is left out. */

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
