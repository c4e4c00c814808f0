/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks project_cone and project_cone_back: the products of a cone beam's A and Aᵀ with a band of the volume.
 *
 * Cores make y = A x of a whole volume by tasks of a band and a few angles each, between rays_begin and rays_end
 * (rays_tasks.h); those of the same angles are ordered by data of their own. Where GPUs compute, too, a task has a
 * band and all angles, and the tasks follow each other. */
#pragma once

#include "cone_project.h"
#include "runtime.h"

#include <stdbool.h>

/* The rays of some angles of the cone, and a band of the volume. The cone is not owned, and outlives the task. */
typedef struct SinoProjectCone {
    const SinoCone *cone;
    SinoConeBand band;
    SinoConeAngles angles;
    bool first;        /* of the bands: the rays become 0 before */
    double voxel_rays; /* of a projection for each voxel (sino_cone_mean_voxel_rays) */
    double progress;   /* work that the task tells (sino_runtime_advance) */
} SinoProjectCone;

/* rays: those of all angles of the cone. order: void data of the angles; NULL: the task has all angles. scratch:
 * scratch memory of at least sino_cone_project_scratch_bytes. */
SinoStatus sino_insert_project_cone(SinoRuntime *runtime, SinoPosition position, const SinoProjectCone *what,
                                    SinoData *voxels, SinoData *scratch, SinoData *order, SinoData *rays);

/* Writes Aᵀ y of some angles to the band. */
SinoStatus sino_insert_project_cone_back(SinoRuntime *runtime, SinoPosition position, const SinoProjectCone *what,
                                         SinoData *rays, SinoData *scratch, SinoData *voxels);
