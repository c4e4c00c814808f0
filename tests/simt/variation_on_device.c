/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of variation.h by those of variation_cuda.cu: linked first, they make the tests of the CPU's test
 * these. */
#include "tiles_on_device.h"

void sino_variation_primal(const SinoVariation *variation, const void *z, const void *const *p, const void *const *q,
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
    device_check(sino_variation_primal_cuda(NULL, &lent, of_z, of_p, of_q, of_r, of_before, of_state, of_u));
    unlend_parts(variation, q, of_q);
    unlend_parts(variation, p, of_p);
    device_unlend(state, of_state, state_bytes(variation));
    device_unlend(before, of_before, edge_bytes(variation));
    device_return(u, of_u, bytes);
    device_unlend(r, of_r, bytes);
    device_unlend(z, of_z, bytes);
    unlend_tables(variation, &lent);
}

void sino_variation_dual(const SinoVariation *variation, const void *const *u, const void *after,
                         const SinoSliceState *state, void *p, void *q, void *r)
{
    const size_t bytes = own_bytes(variation);
    const void *of_u[SINO_VARIATION_CUDA_PARTS];
    const SinoVariation lent = lend_tables(variation);
    void *of_p = device_lend(p, bytes), *of_q = device_lend(q, bytes), *of_r = device_lend(r, bytes);
    void *of_after = device_lend(after, edge_bytes(variation));
    SinoSliceState *of_state = device_lend(state, state_bytes(variation));
    lend_parts(variation, u, of_u);
    device_check(sino_variation_dual_cuda(NULL, &lent, of_u, of_after, of_state, of_p, of_q, of_r));
    unlend_parts(variation, u, of_u);
    device_unlend(state, of_state, state_bytes(variation));
    device_unlend(after, of_after, edge_bytes(variation));
    device_return(r, of_r, bytes);
    device_return(q, of_q, bytes);
    device_return(p, of_p, bytes);
    unlend_tables(variation, &lent);
}
