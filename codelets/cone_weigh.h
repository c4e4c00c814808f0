/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone weigh: weights of cone-beam rays before the ramp filter: the angle between a ray and the detector's normal, the
 * share of the circle that a projection stands for, and the share of a ray among the rays that see the same line. */
#ifndef SINO_CONE_WEIGH_H
#define SINO_CONE_WEIGH_H

#include "cone.h"
#include "panel.h"
#include "status.h"

/* The part of a circle that a scan's angles cover. */
typedef enum SinoConeArcKind {
    SINO_CONE_CIRCLE,    /* every ray in the plane of the source is seen twice */
    SINO_CONE_DISPLACED, /* likewise, but the axis is so far from the detector's middle that the rays of the longer side
                          * are seen once */
    SINO_CONE_SHORT      /* 180° and twice the fan's half angle at least: some rays are seen once, others twice */
} SinoConeArcKind;

typedef struct SinoConeArc {
    SinoConeArcKind kind;
    double first_rad, length_rad; /* where the covered part begins, in [0, 2π), and its length */
    double fan_rad;               /* the fan's half angle: from the axis to the further edge of the detector */
} SinoConeArc;

/* The arc of a scan. The circle is closed when its largest gap is less than three times the median one. SINO_BAD_INPUT:
 * there is one column; the arc is shorter than 180° + 2·fan, or less than a circle while the axis is far from the
 * detector's middle. SINO_FAILED: no memory. */
SinoStatus sino_cone_arc_new(const SinoCone *cone, SinoConeArc *arc);

/* weight[angle][column]: radians of a half circle that the ray in the plane of the source stands for. The weights of
 * rays along one line add up to its share of π. Circle: half of the gap to the neighbouring angles. Displaced: times
 * 1 ± sin of G. Wang, Med. Phys. 29, 1634 (2002), over the columns that both sides have. Short: D. Parker, Med. Phys.
 * 9, 254 (1982). SINO_FAILED: no memory. */
SinoStatus sino_cone_ray_weights(const SinoCone *cone, const SinoConeArc *arc, double *weight);

/* Multiplies each ray of a sinogram, angle_count·M rows in panels of detector rows (panel.h, single precision), by
 * ray_weight[ray]·S/√(S² + l² + h²), where (l, h) is its place on the detector from the foot of the source. Slice f is
 * detector row first_row + f. Padding is unchanged. */
void sino_cone_weigh(const SinoCone *cone, int64_t angle_count, SinoSlices rows, int64_t first_row,
                     const float *ray_weight, float *sinogram);

#endif
