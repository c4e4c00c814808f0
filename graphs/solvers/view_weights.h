/* SPDX-License-Identifier: BSD-3-Clause */
/* View weights: what FDK multiplies projections that have vectors by, and the pixels of their lines before the ramp
 * filter. */
#pragma once

#include "ray_circle.h"

typedef struct SinoViewWeights {
    SinoRayCircle circle;
    double *weight;        /* [projection]; owned */
    double *share;         /* [projection][pixel of a line], of a short scan; NULL: 1; owned */
    int64_t length;        /* of a line */
    double short_rad;      /* the arc of a short scan; else 0 */
    double gap_rad;        /* what parallel rays lack of half a turn */
    SinoConeWindow window; /* of a helix */
    int64_t end_slices;    /* of a helix: seen from less than a turn */
} SinoViewWeights;

/* SINO_BAD_INPUT: sources are neither on a circle (sino_ray_circle_fit) nor on a helix whose turns the rows see
 * (sino_helix_window); the detector sees one side alone; or projections leave gaps, and are neither half a turn of
 * parallel rays, which may have one, nor a short scan of sources in the plane of the volume's middle
 * (sino_cone_arc_new). SINO_FAILED: no memory. */
SinoStatus sino_view_weights_new(const SinoCone *cone, SinoViewWeights *weights);
void sino_view_weights_free(SinoViewWeights *weights);
