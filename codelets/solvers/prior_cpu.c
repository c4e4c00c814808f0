/* SPDX-License-Identifier: BSD-3-Clause */
/* Prior: the gradient of smooth priors, on a CPU core. */
#include "prior.h"

#include "variation_tiles.h"

#include <string.h>
#include <tgmath.h>

/* The slices beside those of u, in 3-D. */
typedef struct Between {
    SinoBeside before, after;
} Between;

#define TEMPLATE "prior_tmpl.c"
#include "two_precisions_tmpl.c"

void sino_prior_descend(const SinoSmoothPrior *prior, const void *const *u, const void *before, const void *after,
                        const SinoSliceState *state, void *z)
{
    const SinoSlices slices = prior->tiles.slices;
    const void *own = u[prior->tiles.part];
    const Between between = {.before = sino_tile_beside(&prior->tiles, own, before, true),
                             .after = sino_tile_beside(&prior->tiles, own, after, true)};
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        if (slices.precision == SINO_DOUBLE)
            descend_double(prior, at, u, prior->volume ? &between : NULL, state, z);
        else
            descend_single(prior, at, u, prior->volume ? &between : NULL, state, z);
    }
}
