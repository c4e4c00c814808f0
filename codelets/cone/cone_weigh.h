/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone weigh: weights of cone-beam rays before the ramp filter: the angle between a ray and the detector's normal, the
 * share of the circle that a projection stands for, and the share of a ray among the rays that see the same line. */
#pragma once

#include "cone.h"
#include "cuda_stream.h"
#include "panel.h"
#include "status.h"

/* The part of a circle that a scan's angles cover. */
typedef enum SinoConeArcKind {
    SINO_CONE_CIRCLE,    /* every ray in the plane of the source is seen twice */
    SINO_CONE_DISPLACED, /* likewise, but the axis is so far from the detector's middle that the rays of the longer side
                          * are seen once */
    SINO_CONE_SHORT      /* there are open gaps: some rays are seen once, others twice */
} SinoConeArcKind;

typedef struct SinoConeArc {
    SinoConeArcKind kind;
    int64_t gap_count; /* open gaps: three times as wide as the median and 10° at least, or 90° */
    double length_rad; /* the circle without them */
    double unseen;     /* with several: the share of the lines at one distance from the axis that are seen from neither
                        * side, at most */
    double fan_rad;    /* the fan's half angle: from the axis to the further edge of the detector */
} SinoConeArc;

/* The arc of a scan. SINO_BAD_INPUT: there is one column; the angles are an arc shorter than 180° + 2·fan, or several
 * that leave more than a quarter of the lines unseen; there are gaps, and the axis is far from the detector's middle;
 * it is beside the detector. SINO_FAILED: no memory. */
SinoStatus sino_cone_arc_new(const SinoCone *cone, SinoConeArc *arc);

/* weight[angle][column of the filtered detector], 0 beside the detector: radians of a half circle that the ray in the
 * plane of the source stands for. The weights of the rays at one distance from the axis, from both sides, add up to 2π
 * together; what an angle stands for is half of the gap to its neighbours, of which an open one counts to neither.
 * SINO_FAILED: no memory. */
SinoStatus sino_cone_ray_weights(const SinoCone *cone, double *weight);

/* weighed[angle][column of the filtered detector]: each ray of a sinogram, angle_count·M rows in panels of detector
 * rows (panel.h, single precision), times ray_weight[ray]·S/√(S² + l² + h²), where (l, h) is its place on the detector
 * from the foot of the source; beside the detector 0. Slice f is detector row first_row + f. `weighed` may be the
 * sinogram where no columns are beside the detector. */
void sino_cone_weigh(const SinoCone *cone, int64_t angle_count, SinoSlices rows, int64_t first_row,
                     const float *ray_weight, const float *sinogram, float *weighed);

/* sino_cone_weigh on a GPU, to rounding, with its arrays in device memory, aligned to 16 bytes (cuda_stream.h). */
SinoStatus sino_cone_weigh_cuda(cudaStream_t stream, const SinoCone *cone, int64_t angle_count, SinoSlices rows,
                                int64_t first_row, const float *ray_weight, const float *sinogram, float *weighed);
