/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of prior.h, and those of variation.h in 3-D, by those of prior_cuda.cu and variation_cuda.cu. */
#include "prior_on_device.h"

#include "prior.h"
#include "tiles_on_device.h"

/* A vector of the part that is computed, and one element of each of its rows. */
static size_t own_bytes(const SinoVariation *variation)
{
    return part_bytes(variation, variation->part);
}

static size_t edge_bytes(const SinoVariation *variation)
{
    return own_bytes(variation) / (size_t)variation->slices.stride;
}

static void descend(const SinoSmoothPrior *prior, bool volume, const void *const *u, const void *before,
                    const void *after, const SinoSliceState *state, void *z)
{
    const SinoVariation *tiles = &prior->tiles;
    const void *of_u[SINO_VARIATION_CUDA_PARTS];
    SinoSmoothPrior lent = *prior;
    lent.tiles = lend_tables(tiles);
    lend_parts(tiles, u, of_u);
    void *of_z = device_lend(z, own_bytes(tiles)), *of_before = device_lend(before, edge_bytes(tiles));
    void *of_after = device_lend(after, edge_bytes(tiles));
    SinoSliceState *of_state = device_lend(state, state_bytes(tiles));
    device_check(volume ? sino_prior_descend_volume_cuda(NULL, &lent, of_u, of_before, of_after, of_state, of_z)
                        : sino_prior_descend_cuda(NULL, &lent, of_u, of_state, of_z));
    device_unlend(state, of_state, state_bytes(tiles));
    device_unlend(after, of_after, edge_bytes(tiles));
    device_unlend(before, of_before, edge_bytes(tiles));
    device_return(z, of_z, own_bytes(tiles));
    unlend_parts(tiles, u, of_u);
    unlend_tables(tiles, &lent.tiles);
}

void prior_descend_on_device(const SinoSmoothPrior *prior, const void *const *u, const SinoSliceState *state, void *z)
{
    descend(prior, false, u, NULL, NULL, state, z);
}

void prior_descend_volume_on_device(const SinoSmoothPrior *prior, const void *const *u, const void *before,
                                    const void *after, const SinoSliceState *state, void *z)
{
    descend(prior, true, u, before, after, state, z);
}

void primal_volume_on_device(const SinoVariation *variation, const void *z, const void *const *p, const void *const *q,
                             const void *r, const void *before, const SinoSliceState *state, void *u)
{
    const size_t bytes = own_bytes(variation);
    const void *of_p[SINO_VARIATION_CUDA_PARTS], *of_q[SINO_VARIATION_CUDA_PARTS];
    const SinoVariation lent = lend_tables(variation);
    void *of_z = device_lend(z, bytes), *of_r = device_lend(r, bytes), *of_u = device_lend(u, bytes);
    void *of_before = device_lend(before, edge_bytes(variation));
    SinoSliceState *of_state = device_lend(state, state_bytes(variation));
    lend_parts(variation, p, of_p);
    lend_parts(variation, q, of_q);
    device_check(sino_variation_primal_volume_cuda(NULL, &lent, of_z, of_p, of_q, of_r, of_before, of_state, of_u));
    unlend_parts(variation, q, of_q);
    unlend_parts(variation, p, of_p);
    device_unlend(state, of_state, state_bytes(variation));
    device_unlend(before, of_before, edge_bytes(variation));
    device_return(u, of_u, bytes);
    device_unlend(r, of_r, bytes);
    device_unlend(z, of_z, bytes);
    unlend_tables(variation, &lent);
}

void dual_volume_on_device(const SinoVariation *variation, const void *const *u, const void *after,
                           const SinoSliceState *state, void *p, void *q, void *r)
{
    const size_t bytes = own_bytes(variation);
    const void *of_u[SINO_VARIATION_CUDA_PARTS];
    const SinoVariation lent = lend_tables(variation);
    void *of_p = device_lend(p, bytes), *of_q = device_lend(q, bytes), *of_r = device_lend(r, bytes);
    void *of_after = device_lend(after, edge_bytes(variation));
    SinoSliceState *of_state = device_lend(state, state_bytes(variation));
    lend_parts(variation, u, of_u);
    device_check(sino_variation_dual_volume_cuda(NULL, &lent, of_u, of_after, of_state, of_p, of_q, of_r));
    unlend_parts(variation, u, of_u);
    device_unlend(state, of_state, state_bytes(variation));
    device_unlend(after, of_after, edge_bytes(variation));
    device_return(r, of_r, bytes);
    device_return(q, of_q, bytes);
    device_return(p, of_p, bytes);
    unlend_tables(variation, &lent);
}
