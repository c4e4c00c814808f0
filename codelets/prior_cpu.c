/* SPDX-License-Identifier: BSD-3-Clause */
/* Prior: the gradient of smooth priors, on a CPU core. */
#include "prior.h"

#include "variation_tiles.h"
#include "vector.h"

#include <string.h>
#include <tgmath.h>

#define QGGMRF_P 1.2

static const double side_weight = M_SQRT2 - 1, corner_weight = 1 - M_SQRT1_2;

#define REAL       float
#define NAME(x)    x##_single
#define ROOT_STEPS 3
#include "prior_tmpl.c"
#undef REAL
#undef NAME
#undef ROOT_STEPS

#define REAL       double
#define NAME(x)    x##_double
#define ROOT_STEPS 5
#include "prior_tmpl.c"
#undef REAL
#undef NAME
#undef ROOT_STEPS

void sino_prior_descend(const SinoSmoothPrior *prior, const void *const *u, const SinoSliceState *state, void *z)
{
    const SinoSlices slices = prior->tiles.slices;
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        if (slices.precision == SINO_DOUBLE)
            descend_double(prior, at, u, state, z);
        else
            descend_single(prior, at, u, state, z);
    }
}
