/* SPDX-License-Identifier: BSD-3-Clause */
/* PET scanner: a small-animal ring scanner, its system matrix row by row, and an activity to measure with it.
 *
 * Blocks of crystals stand side by side on a circle; the middle of block 0 is on the y axis, above the center (x right,
 * y up), and the others follow counter-clockwise. A block has block_size crystals along the circle; rings of blocks
 * follow each other along z. Crystals are numbered along the circle, ring by ring:
 *
 *     crystal = (ring · block_count + block) · block_size + place
 *
 * The line of response of crystals a < b is row a · crystals + b of the matrix; pairs of one block, in any ring, have
 * no line. The entry of a voxel is the mean, over `ray_count` rays between quasi-random points of both crystals, of the
 * exact length of the ray in the voxel (mm; R. L. Siddon, Med. Phys. 12, 252 (1985)) times the chance exp(−μ·s) that
 * both photons reach their points, s being the way of a photon in a ring of crystals without gaps. The points of a line
 * are an additive sequence in six dimensions (M. Roberts, "The unreasonable effectiveness of quasirandom sequences",
 * 2018), shifted at random for each line.
 *
 * The grid is centered on the axis and on the middle of the rings: voxel (slice k, row i, column j) has its center at
 * x = j − (X−1)/2, y = (Y−1)/2 − i, z = k − (Z−1)/2, times the sides of a voxel; its column in the matrix is
 * (k·Y + i)·X + j. */
#pragma once

#include "status.h"
#include "system_matrix.h"

#include <stdint.h>

typedef struct SinoPetScanner {
    int64_t block_count; /* on a circle, at least 4 */
    int64_t block_size, ring_count;
    double crystal_width, crystal_depth; /* mm; along the circle and z, and outwards */
    double gap;                          /* mm between neighbours */
    double radius;                       /* mm from the axis to the middle of a block's front */
    double attenuation;                  /* μ of a crystal, 1/mm */
    SinoVoxelGrid grid;                  /* within the ring */
    int64_t ray_count;
    int mirrors; /* SINO_MIRROR_X …: rows are made that stand for an orbit (matrix_file.h) alone; 0: all. With
                  * SINO_MIRROR_Y the number of blocks is even */
} SinoPetScanner;

/* A scanner of crystals of 2 × 2 × 10 mm (LSO) with gaps of 0.3 mm, whose blocks touch. The grid and the number of rays
 * are left to the caller. */
SinoPetScanner sino_pet_scanner(int64_t block_count, int64_t block_size, int64_t ring_count);

int64_t sino_pet_crystals(const SinoPetScanner *scanner);

/* The mirrors that the scanner and its grid have, and those of its crystals and voxels. */
int sino_pet_mirrors(const SinoPetScanner *scanner);
SinoMirror sino_pet_mirror(const SinoPetScanner *scanner);

/* The row of crystals a < b in an orientation of the scanner's mirrors. It is the row itself if the pair is its own
 * mirror image. */
int64_t sino_pet_image_row(const SinoPetScanner *scanner, int64_t a, int64_t b, int64_t orientation);

/* Whether the row of crystals a < b stands for its orbit: it is the first one. */
bool sino_pet_is_lead(const SinoPetScanner *scanner, int64_t a, int64_t b);

/* The point of a crystal at the shares `place` in [0, 1] along the circle, along z, and from its front to its back. */
void sino_pet_point(const SinoPetScanner *scanner, int64_t crystal, const double place[3], double point[3]);

/* Computes the rows of the pairs (crystal, b), b = 0 … crystals − 1; with mirrors those that stand for an orbit. A row
 * of a pair that is its own mirror image becomes so, too: the mean of its images. On success the caller frees the
 * arrays of *rows with sino_pet_rows_free. SINO_FAILED: no memory. */
SinoStatus sino_pet_rows(const SinoPetScanner *scanner, int64_t crystal, SinoSparseRows *rows);
void sino_pet_rows_free(SinoSparseRows *rows);

/* mean[row − rows->first_row] = Σ value · activity[column] */
void sino_pet_project(const SinoSparseRows *rows, const float *activity, double *mean);

/* slice[Y][X]: the activity in slice z, as mean over 4 × 4 × 4 points of a voxel: a cylinder of activity 1 along z with
 * four spheres of 4 and one of 0. */
enum { SINO_PET_SPHERES = 5 };
typedef struct SinoPetSphere {
    double x, y, radius; /* mm; z = 0 */
    double activity;
} SinoPetSphere;
double sino_pet_body_radius(const SinoPetScanner *scanner);
SinoPetSphere sino_pet_sphere(const SinoPetScanner *scanner, int number);
void sino_pet_activity(const SinoPetScanner *scanner, int64_t z, float *slice);
