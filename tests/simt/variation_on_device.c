/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of variation.h by those of variation_cuda.h: linked first, they make the tests of the CPU's test these.
 */
#include "variation_cuda.h"

#include "simt_device.h"

static size_t part_bytes(const SinoVariation *variation, int64_t part)
{
    const int64_t tiles = variation->first_tile[part + 1] - variation->first_tile[part];
    const SinoSlices slices = variation->slices;
    return (size_t)(tiles * SINO_TILE_VOXELS * slices.stride) * sino_precision_bytes(slices.precision);
}

static size_t state_bytes(const SinoVariation *variation)
{
    return (size_t)variation->slices.slice_count * sizeof(SinoSliceState);
}

static size_t tile_count(const SinoVariation *variation)
{
    return (size_t)variation->first_tile[variation->part_count];
}

/* The same with tables on the device. */
static SinoVariation lend_tables(const SinoVariation *variation)
{
    SinoVariation lent = *variation;
    lent.tile = device_lend(variation->tile, tile_count(variation) * sizeof *lent.tile);
    lent.neighbour = device_lend(variation->neighbour, tile_count(variation) * sizeof *lent.neighbour);
    return lent;
}

static void unlend_tables(const SinoVariation *variation, const SinoVariation *lent)
{
    device_unlend(variation->tile, (void *)lent->tile, tile_count(variation) * sizeof *lent->tile);
    device_unlend(variation->neighbour, (void *)lent->neighbour, tile_count(variation) * sizeof *lent->neighbour);
}

/* Fills lent[part] with the parts of a vector on the device. */
static void lend_parts(const SinoVariation *variation, const void *const *vector, const void **lent)
{
    for (int64_t i = 0; i < variation->part_count; i++) lent[i] = device_lend(vector[i], part_bytes(variation, i));
}

static void unlend_parts(const SinoVariation *variation, const void *const *vector, const void *const *lent)
{
    for (int64_t i = 0; i < variation->part_count; i++)
        device_unlend(vector[i], (void *)lent[i], part_bytes(variation, i));
}

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
