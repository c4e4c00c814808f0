/* SPDX-License-Identifier: BSD-3-Clause */
/* Align: finds how far each projection of a scan lies from its place on the detector, and how it is turned.
 *
 * Of averaged pixels, few and then more, in turn:
 *
 *     x  = a few iterations of CG on A(s) x = b, whose rays are shifted by s (view.h)
 *     s += the step that makes A(s) x most like b, of each projection (register.h)
 *
 * (D. Gürsoy et al., Sci. Rep. 7, 11818 (2017)). The first shifts are 0, or those of the centroids of projections,
 * whichever predict the projections better. Shifts of centroids stay, if these are exact and later steps do not soon
 * become small. A translation of the object shifts projections, too: shifts are those whose sum of squares is least
 * (align_gauge.h). With an axis that is searched afterwards the shifts of columns have no mean.
 *
 * From these shifts on, some rounds turn the views, too. Their turns are taken if they lower the residual, and if the
 * second ones are much smaller than the first, or the first lower it by much: what noise and few iterations make of
 * projections that do not tell turns is about as large in each round. The turns are those whose sum of squares is
 * least. */
#pragma once

#include "input.h"
#include "settings.h"
#include "view.h"

typedef struct SinoAligned {
    SinoShift *shift;     /* [angle of the input]: pixels of the detector; 0 unless `found`; owned by the caller */
    SinoViewTurn *turn;   /* [angle of the input]: of its view, before the shift; NULL: none; owned by the caller */
    bool found;           /* the residual has fallen by more than rounding and noise explain */
    double before, after; /* residuals, ‖A x − b‖/‖b‖, without shifts and with them */
    double turned;        /* by which part the residual falls by turns; 0: they were not searched */
    int64_t binning;      /* pixels that were averaged along each side at last */
    int64_t rounds;
} SinoAligned;

/* memory_bytes: what this process may take. Waits for its tasks; no others may be in flight. SINO_BAD_INPUT: fewer than
 * three projections, or a detector too small; as of sino_cone_scan. SINO_FAILED: no memory, or the scan cannot be read.
 */
SinoStatus sino_align(SinoRuntime *runtime, const SinoSettings *settings, const SinoInput *input, int64_t memory_bytes,
                      SinoAligned *aligned);
