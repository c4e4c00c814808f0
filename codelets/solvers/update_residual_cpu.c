/* SPDX-License-Identifier: BSD-3-Clause */
/* Update, residual: what CG on the normal equations knows of ‖Ax − b‖², on a CPU core. OpenCL devices do without: its
 * operator has no kernels for them. */
#include "update.h"

void sino_update_residual(SinoSlices slices, const SinoSliceState *state, SinoSliceSums *sums)
{
    for (int64_t f = 0; f < slices.stride; f++)
        sums[f] = f < slices.slice_count ? sino_slice_residual(&state[f]) : (SinoSliceSums){{0}};
}
