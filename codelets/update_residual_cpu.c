/* SPDX-License-Identifier: BSD-3-Clause */
/* Update, residual: what CG on the normal equations knows of ‖Ax − b‖², on a CPU core. Devices do without: its operator
 * has no kernels for them. */
#include "update.h"

void sino_update_residual(SinoSlices slices, const SinoSliceState *state, SinoSliceSums *sums)
{
    for (int64_t f = 0; f < slices.stride; f++)
        sums[f] = (SinoSliceSums){
            .sum[SINO_SUM_SQUARE] =
                f < slices.slice_count ? fmax(state[f].residual0 - state[f].scalar[SINO_CG_GAIN], 0.0) : 0};
}
