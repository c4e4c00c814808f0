/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing of products with partitions: small geometries, some of their tiles as a block, and what the dense reference
 * makes of inputs that all precisions hold exactly. */
#pragma once

#include "block.h"
#include "half.h"
#include "reference_operator.h"
#include "testing_angles.h"
#include "trace.h"

#include <stdbool.h>

enum { SLICES = 64 }; /* of the reference; F slices are the first F */

/* A geometry, its operator with rays in the layout's order, and inputs that all precisions hold exactly. */
typedef struct Problem {
    SinoGeometry scan;
    bool symmetry;
    SinoLayout layout; /* owned */
    ReferenceOperator reference;
    double *x, *y; /* [voxel][SLICES], [ray][SLICES]; owned */
} Problem;

/* Some tiles of a slice: whole orbits with symmetry. */
typedef struct Partition {
    const char *name;
    bool has_footprint; /* else its rays are all rays */
    int64_t tile_count;
    SinoTilePlace tile[64];
} Partition;

/* What the operator makes of the problem's inputs, of a partition's voxels only; *_size are sums of magnitudes. */
typedef struct Expected {
    double *y, *y_size; /* [ray][SLICES]; owned */
    double *x, *x_size; /* [voxel][SLICES]; owned */
} Expected;

/* A partition's block and its footprint. */
typedef struct Packed {
    SinoBlockHeader *block; /* owned */
    uint32_t *ray;          /* the footprint, ascending; owned */
    int64_t ray_count;
    int64_t ray_visits, tile_visits; /* how often a ray or a tile is written, at most */
} Packed;

void *zeros(int64_t count, size_t bytes);

/* Element of a vector whose elements have so many bytes. */
static inline double element(size_t bytes, const void *values, int64_t at)
{
    if (bytes == sizeof(double)) return ((const double *)values)[at];
    if (bytes == sizeof(float)) return (double)((const float *)values)[at];
    return (double)sino_half_value(((const SinoHalf *)values)[at]);
}

static inline void set_element(size_t bytes, void *values, int64_t at, double value)
{
    if (bytes == sizeof(double))
        ((double *)values)[at] = value;
    else if (bytes == sizeof(float))
        ((float *)values)[at] = (float)value;
    else
        ((SinoHalf *)values)[at] = sino_half((float)value);
}

Problem problem_create(SinoGeometry scan, bool symmetry);

void problem_free(Problem *problem);

/* The voxel of the slice that is element v of the partition's tile t; −1 outside the grid. */
int64_t voxel_of(const Problem *problem, const Partition *partition, int64_t t, int v);

Expected expected_create(const Problem *problem, const Partition *partition);

void expected_free(Expected *expected);

/* Packs two runs of tiles, the second one first, and numbers the rays they touch. */
Packed pack(const Problem *problem, const Partition *partition, SinoPrecision precision);

void packed_free(Packed *packed);

/* Every tile of the grid with the given chance, in random order; with symmetry its orbit goes with it. */
Partition random_tiles(const Problem *problem, double chance, uint64_t *seed);

Partition whole_grid(const Problem *problem);

SinoGeometry scan_of(const TestingAngles *angles, int64_t columns, int64_t size, double center);

/* The stride of so many slices in panels of a width, a power of two; the last one as narrow as may be. */
int64_t testing_stride(int64_t slice_count, int64_t width);

/* Sums in single, of lengths and inputs as they are stored; in double the reference's own lengths, good to 1e−12, are
 * the limit. Lengths in half have half a last place, 2⁻¹¹ of them, 2⁻²⁵ at least. Half precision rounds to half as
 * often as a result is written. `size` is the sum of the terms' magnitudes, `visits` how often it is written. */
double testing_tolerance(SinoPrecision precision, double size, int64_t visits);
