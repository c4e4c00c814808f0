/* SPDX-License-Identifier: BSD-3-Clause */
/* Variation: the two halves of a step that lowers the total variation, on a CPU core. */
#include "variation.h"

#include "variation_tiles.h"
#include "vector.h"

#include <assert.h>
#include <string.h>
#include <tgmath.h>

#define REAL    float
#define NAME(x) x##_single
#include "variation_tmpl.c"
#undef REAL
#undef NAME

#define REAL    double
#define NAME(x) x##_double
#include "variation_tmpl.c"
#undef REAL
#undef NAME

void sino_variation_primal(const SinoVariation *variation, const void *z, const void *const *p, const void *const *q,
                           const SinoSliceState *state, void *u)
{
    const SinoSlices slices = variation->slices;
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        if (slices.precision == SINO_DOUBLE)
            primal_double(variation, at, z, p, q, state, u);
        else
            primal_single(variation, at, z, p, q, state, u);
    }
}

void sino_variation_dual(const SinoVariation *variation, const void *const *u, const SinoSliceState *state, void *p,
                         void *q)
{
    const SinoSlices slices = variation->slices;
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        if (slices.precision == SINO_DOUBLE)
            dual_double(variation, at, u, state, p, q);
        else
            dual_single(variation, at, u, state, p, q);
    }
}
