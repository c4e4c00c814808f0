/* SPDX-License-Identifier: BSD-3-Clause */
/* Center order: the methods that find the center take half a turn of projections in the order of their angles.
 * Interlaced scans, and those of golden angles, take them in another order; interlaced ones over several turns. */
#pragma once

#include "geometry.h"
#include "status.h"

typedef struct SinoCenterOrder {
    SinoGeometry geometry; /* with the angles in order, each within a turn of the smallest one */
    double *angle_rad;     /* owned; NULL: the angles were in order, and within one and a half turns */
    int64_t *place;        /* place[k]: the projection with the k-th angle; owned, NULL as above */
} SinoCenterOrder;

/* The caller frees the order. The geometry's angles must outlive it. */
SinoStatus sino_center_order_new(const SinoGeometry *geometry, SinoCenterOrder *order);

/* Puts the projections of sinogram[angle][column] in order, in place. */
SinoStatus sino_center_order_apply(const SinoCenterOrder *order, float *sinogram);

void sino_center_order_free(SinoCenterOrder *order);
