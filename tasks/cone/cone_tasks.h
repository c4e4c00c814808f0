/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasks of cone beams, and those of half acquisitions. */
#pragma once

#include "cone_assemble.h"
#include "cone_backproject.h"
#include "cone_center.h"
#include "cone_pack.h"
#include "cone_project.h"
#include "panel.h"
#include "redundancy.h"
#include "runtime.h"

#include <stdbool.h>

/* ---- FDK ---- */

/* Projections of a piece, at most: what one chain of tasks loads, filters and makes lines of. */
enum { SINO_PIECE_PROJECTIONS = 8 };

/* Bytes of the lines of `count` projections, with their units. */
int64_t sino_lines_bytes(const SinoConeLines *lines, int64_t count);

/* Inserts lines, from the sinogram of a piece, filtered projections, to the lines that backprojection reads. `scratch`:
 * scratch memory of at least sino_cone_pack_scratch_bytes. Pointers in `packing` are not owned, and outlive the task.
 */
SinoStatus sino_insert_lines(SinoRuntime *runtime, SinoPosition position, const SinoConePacking *packing,
                             SinoData *sinogram, SinoData *scratch, SinoData *piece);

/* What a piece in memory consists of: unit[projection], line[projection][half][column][entry]. */
float *sino_lines_units(void *piece);
void *sino_lines_in(void *piece);

enum {
    SINO_BLOCK_PIECES = 4, /* pieces of a block, at most; with quarter turns: one piece per turn */
    SINO_BLOCK_PROJECTIONS = SINO_BLOCK_PIECES * SINO_PIECE_PROJECTIONS
};

/* A block of projections is made of pieces, of which all but the last have equally many. Pointers are not owned, and
 * outlive the task. */
typedef struct SinoBackprojectCone {
    const SinoCone *cone;
    const SinoConeLines *lines;
    SinoConePart part;
    const double *angle_rad;   /* [projection of the block] */
    int64_t piece_projections; /* of each piece but the last */
    bool first;                /* of the part's blocks: the part becomes 0 before */
    double progress;           /* work that the task tells (sino_runtime_advance); 0: it tells nothing */
    int64_t turn;              /* tasks of a lower turn come first, under policies with priorities */
} SinoBackprojectCone;

/* Inserts backproject_cone, which adds a block to a part of the volume. All other tasks come first, so that nobody
 * waits for what they make. `scratch`: scratch memory of at least sino_cone_scratch_bytes. */
SinoStatus sino_insert_backproject_cone(SinoRuntime *runtime, SinoPosition position, const SinoBackprojectCone *what,
                                        int64_t piece_count, SinoData *const *piece, SinoData *scratch, SinoData *part);

/* Inserts add_cone, which adds `voxel_count` floats that another rank has summed to a part. */
SinoStatus sino_insert_add_cone(SinoRuntime *runtime, SinoPosition position, int64_t voxel_count, SinoData *arrival,
                                SinoData *part);

/* Inserts assemble_cone, from the part to `image`, of the box of slices. `first`: the first of the image's parts; a
 * later one without voxels in the box gets no task. The cone is not owned, and outlives the task. */
SinoStatus sino_insert_assemble_cone(SinoRuntime *runtime, SinoPosition position, const SinoConeAssembly *assembly,
                                     bool first, SinoData *part, SinoData *image);

/* Inserts fill_cone (sino_cone_fill). The part's voxels in other slices stay, but with slice 0 they are written as new.
 * The cone is not owned, and outlives the task. */
SinoStatus sino_insert_fill_cone(SinoRuntime *runtime, SinoPosition position, const SinoConeAssembly *assembly,
                                 SinoData *image, SinoData *part);

/* The arguments of sino_cone_center_find. Pointers are not owned, and outlive the task. */
typedef struct SinoConeCenterSearch {
    const SinoCone *cone;
    const float *sinogram;
    double first, last;
    SinoConeCenter *result;
} SinoConeCenterSearch;

/* Inserts cone_center, which searches the rotation axis. */
SinoStatus sino_insert_cone_center(SinoRuntime *runtime, const SinoConeCenterSearch *search);

/* ---- the operator of iterative algorithms ---- */

/* A few projections. Angle k becomes the rays number place[k]·column_count·rows … of the vector. */
typedef struct SinoColumns {
    int64_t angle_count, column_count;
    SinoSlices rows;      /* detector rows of the sinogram; single precision */
    const int64_t *place; /* [angle_count]; not owned, outlives the task */
} SinoColumns;

/* Inserts columns, from a sinogram [angle·column_count + column] in panels of rows to rays[place][column][row], whose
 * detector rows are neighbours in memory. */
SinoStatus sino_insert_columns(SinoRuntime *runtime, SinoPosition position, const SinoColumns *columns, bool first,
                               SinoData *sinogram, SinoData *rays);

/* The rays of some angles of the cone, and a band of the volume. The cone is not owned, and outlives the task. */
typedef struct SinoProjectCone {
    const SinoCone *cone;
    SinoConeBand band;
    SinoConeAngles angles;
    bool first;        /* of the bands: the rays become 0 before */
    double voxel_rays; /* of a projection for each voxel (sino_cone_mean_voxel_rays) */
    double progress;   /* work that the task tells (sino_runtime_advance) */
} SinoProjectCone;

/* Inserts project_cone, the product of A with a band. Cores make y = A x of a whole volume by tasks of a band and a few
 * angles each, between rays_begin and rays_end (rays_tasks.h); those of the same angles are ordered by data of their
 * own. Where GPUs compute, too, a task has a band and all angles, and the tasks follow each other.
 *
 * rays: those of all angles of the cone. order: void data of the angles; NULL: the task has all angles. scratch:
 * scratch memory of at least sino_cone_project_scratch_bytes. */
SinoStatus sino_insert_project_cone(SinoRuntime *runtime, SinoPosition position, const SinoProjectCone *what,
                                    SinoData *voxels, SinoData *scratch, SinoData *order, SinoData *rays);

/* Inserts project_cone_back, which writes Aᵀ y of some angles to the band. */
SinoStatus sino_insert_project_cone_back(SinoRuntime *runtime, SinoPosition position, const SinoProjectCone *what,
                                         SinoData *rays, SinoData *scratch, SinoData *voxels);

/* ---- half acquisitions, for direct methods (redundancy.h); cores run these tasks ---- */

/* The half acquisition of a rank's angles. Errors: those of sino_redundancy_new. */
typedef struct SinoCompletion SinoCompletion;
SinoStatus sino_completion_new(SinoRuntime *runtime, const SinoGeometry *geometry, const int64_t *place,
                               SinoCompletion **completion);
void sino_completion_free(SinoCompletion *completion); /* takes NULL; no task may use it any more */

/* Inserts complete, which writes a minibatch's completed projections: `completed`, angles × sino_redundancy_width rows.
 */
SinoStatus sino_insert_complete(const SinoCompletion *completion, SinoPosition position, SinoSlices slices,
                                SinoData *sinogram, SinoData *completed);

/* Inserts redundancy, which writes the weighed columns of the detector from completed projections. */
SinoStatus sino_insert_redundancy(const SinoCompletion *completion, SinoPosition position, SinoSlices slices,
                                  SinoData *completed, SinoData *sinogram);
