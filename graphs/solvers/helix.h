/* SPDX-License-Identifier: BSD-3-Clause */
/* Helix: sources that turn about the z axis again and again, and go along it evenly. FDK of a helix (G. Wang et al.,
 * IEEE Trans. Med. Imaging 12, 486 (1993)) filters projections as those of a circle, and lets each count in the slices
 * near its source. */
#pragma once

#include "cone.h"
#include "status.h"

typedef struct SinoHelix {
    double radius, pitch_mm; /* pitch of a turn, without its sign; 0: the sources are on no helix */
    double low_mm, high_mm;  /* of the sources, along z */
} SinoHelix;

/* turn_rad[projection]: the angle of its source about z, going on over turns. Projections follow each other. */
SinoHelix sino_helix_fit(const SinoCone *cone, double *turn_rad);

/* The slices in which projections count: as many as their rows see at the near side of the volume, or their columns,
 * where pixels move along columns. SINO_BAD_INPUT: those of less than a turn and the shortest ramp. */
SinoStatus sino_helix_window(const SinoCone *cone, const SinoHelix *helix, bool along_rows, SinoConeWindow *window);

/* Slices that are seen from less than a turn. */
int64_t sino_helix_ends(const SinoCone *cone, const SinoHelix *helix);
