/* SPDX-License-Identifier: BSD-3-Clause */
/* Variation: the two halves of a step that lowers the total variation, on a CPU core. */
#include "variation.h"

#include "variation_tiles.h"
#include "vector.h"

#include <assert.h>
#include <string.h>
#include <tgmath.h>

/* The third dimension of a step: the vector whose slices beside each other are compared, and r, which the dual half
 * writes. */
typedef struct Third {
    SinoBeside beside;
    void *r;
} Third;

#define TEMPLATE "variation_tmpl.c"
#include "two_precisions_tmpl.c"

void sino_variation_primal(const SinoVariation *variation, const void *z, const void *const *p, const void *const *q,
                           const void *r, const void *before, const SinoSliceState *state, void *u)
{
    const SinoSlices slices = variation->slices;
    const Third third = {.beside = sino_tile_beside(variation, r, before, false)};
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        if (slices.precision == SINO_DOUBLE)
            primal_double(variation, at, z, p, q, r ? &third : NULL, state, u);
        else
            primal_single(variation, at, z, p, q, r ? &third : NULL, state, u);
    }
}

void sino_variation_dual(const SinoVariation *variation, const void *const *u, const void *after,
                         const SinoSliceState *state, void *p, void *q, void *r)
{
    const SinoSlices slices = variation->slices;
    const Third third = {.beside = sino_tile_beside(variation, u[variation->part], after, true), .r = r};
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        if (slices.precision == SINO_DOUBLE)
            dual_double(variation, at, u, r ? &third : NULL, state, p, q);
        else
            dual_single(variation, at, u, r ? &third : NULL, state, p, q);
    }
}
