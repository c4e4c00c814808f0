/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of variation.h by those of variation_cuda.cu: linked first, they make the tests of the CPU's test
 * these.
 */
#include "tiles_on_device.h"

void sino_variation_primal(const SinoVariation *variation, const void *z, const void *const *p, const void *const *q,
                           const SinoSliceState *state, void *u)
{
    const size_t bytes = part_bytes(variation, variation->part);
    const void *of_p[SINO_VARIATION_CUDA_PARTS], *of_q[SINO_VARIATION_CUDA_PARTS];
    const SinoVariation lent = lend_tables(variation);
    void *of_z = device_lend(z, bytes), *of_u = device_lend(u, bytes);
    SinoSliceState *of_state = device_lend(state, state_bytes(variation));
    lend_parts(variation, p, of_p);
    lend_parts(variation, q, of_q);
    device_check(sino_variation_primal_cuda(NULL, &lent, of_z, of_p, of_q, of_state, of_u));
    unlend_parts(variation, q, of_q);
    unlend_parts(variation, p, of_p);
    device_unlend(state, of_state, state_bytes(variation));
    device_return(u, of_u, bytes);
    device_unlend(z, of_z, bytes);
    unlend_tables(variation, &lent);
}

void sino_variation_dual(const SinoVariation *variation, const void *const *u, const SinoSliceState *state, void *p,
                         void *q)
{
    const size_t bytes = part_bytes(variation, variation->part);
    const void *of_u[SINO_VARIATION_CUDA_PARTS];
    const SinoVariation lent = lend_tables(variation);
    void *of_p = device_lend(p, bytes), *of_q = device_lend(q, bytes);
    SinoSliceState *of_state = device_lend(state, state_bytes(variation));
    lend_parts(variation, u, of_u);
    device_check(sino_variation_dual_cuda(NULL, &lent, of_u, of_state, of_p, of_q));
    unlend_parts(variation, u, of_u);
    device_unlend(state, of_state, state_bytes(variation));
    device_return(q, of_q, bytes);
    device_return(p, of_p, bytes);
    unlend_tables(variation, &lent);
}
