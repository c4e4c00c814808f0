/* SPDX-License-Identifier: BSD-3-Clause */
/* The function of prior.h by that of prior_cuda.cu. */
#include "prior_on_device.h"

#include "prior.h"
#include "tiles_on_device.h"

void prior_descend_on_device(const SinoSmoothPrior *prior, const void *const *u, const void *before, const void *after,
                             const SinoSliceState *state, void *z)
{
    const SinoVariation *tiles = &prior->tiles;
    const void *of_u[SINO_VARIATION_CUDA_PARTS];
    SinoSmoothPrior lent = *prior;
    lent.tiles = lend_tables(tiles);
    lend_parts(tiles, u, of_u);
    void *of_z = device_lend(z, own_bytes(tiles)), *of_before = device_lend(before, edge_bytes(tiles));
    void *of_after = device_lend(after, edge_bytes(tiles));
    SinoSliceState *of_state = device_lend(state, state_bytes(tiles));
    device_check(sino_prior_descend_cuda(NULL, &lent, of_u, of_before, of_after, of_state, of_z));
    device_unlend(state, of_state, state_bytes(tiles));
    device_unlend(after, of_after, edge_bytes(tiles));
    device_unlend(before, of_before, edge_bytes(tiles));
    device_return(z, of_z, own_bytes(tiles));
    unlend_parts(tiles, u, of_u);
    unlend_tables(tiles, &lent.tiles);
}
