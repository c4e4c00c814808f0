/* SPDX-License-Identifier: BSD-3-Clause */
/* Rays, the kind of operator: shared by rays_kind.c, rays_product.c, rays_report.c and rays_size.c.
 *
 * It has the memoised system matrix of a parallel-beam scan (rays.h), one matrix for each subset of the angles, all
 * with the same partitions. Each subset has an exchange, which turns its partial sums into rays. */
#pragma once

#include "angle_subsets.h"
#include "rays.h"

/* One subset of the angles. */
typedef struct SinoRaysSubset {
    SinoRays *rays;
    SinoRayExchange *exchange;
    SinoExchangePart *part; /* [partition of this rank] */
    int64_t *all_voxels;    /* [partition of the slice] */
    SinoShape shape;
} SinoRaysSubset;

/* SinoOperator.own. All members are owned. */
typedef struct SinoRaysOwn {
    SinoRaysSubset *subset; /* [subset_count] */
    int64_t *place;         /* SinoOperator.place */
    int64_t *subset_rays;   /* rows of SINO_ROWS_SUBSET */
    SinoAngleSubsets angles;
    SinoLayout scan; /* of all angles; of several subsets only */
} SinoRaysOwn;

/* The functions of sino_rays_kind that are defined in other files. */
SinoStatus sino_rays_outline(const SinoProblem *problem, SinoOperatorOutline *outline);
SinoStatus sino_rays_size(const SinoProblem *problem, const SinoDivision *division, int64_t worker_count,
                          SinoOperatorSize *size);
int64_t sino_rays_work_bytes(const SinoShape *shape, SinoBatch batch);
SinoStatus sino_rays_work_open(SinoOperatorWork *work, const SinoSlices *slices, int64_t number, bool overlap);
void sino_rays_work_close(SinoOperatorWork *work);
SinoStatus sino_rays_project(SinoOperatorWork *work, const SinoProduct *product, SinoData *const *x, SinoData *y);
SinoStatus sino_rays_project_parts(SinoOperatorWork *work, const SinoProduct *product, SinoData *const *x,
                                   SinoParts *parts);
int64_t sino_rays_image_bytes(const SinoOperator *op, SinoSlices slices);
SinoStatus sino_rays_backproject(SinoOperatorWork *work, const SinoProduct *product, SinoData *y, SinoData *const *x);
SinoStatus sino_rays_image(SinoOperatorWork *work, const SinoProduct *product, const SinoImaging *imaging,
                           SinoData *const *x, SinoData *image);
void sino_rays_report(const SinoOperator *op);
