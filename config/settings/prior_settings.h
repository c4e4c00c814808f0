/* SPDX-License-Identifier: BSD-3-Clause */
/* Prior settings: of fista and bsrem. */
#pragma once

#include <stdint.h>

/* What fista adds to the residual (codelets/solvers/variation.h, codelets/solvers/prior.h), or bsrem to the likelihood
 * (codelets/bricks/bsrem.h). */
typedef enum SinoPriorChoice {
    SINO_PRIOR_TOTAL_VARIATION,
    SINO_PRIOR_OF_HUBER,
    SINO_PRIOR_OF_QGGMRF,
    SINO_PRIOR_OF_RELATIVE_DIFFERENCES,
    SINO_PRIOR_AUTO /* of fista: total variation, unless the search for the strength finds a better one */
} SinoPriorChoice;

typedef struct SinoPriorSettings {
    SinoPriorChoice kind;  /* FISTA and BSREM */
    int64_t dimensions;    /* FISTA only: 2, within slices, or 3; 0: the verb does not say */
    double threshold;      /* FISTA and BSREM with a smooth prior: share of the object's typical value; NaN: auto */
    double regularization; /* FISTA and BSREM: strength of the prior; NaN: auto */
} SinoPriorSettings;

/* The prior unless a search finds a better one. */
static inline SinoPriorChoice sino_prior_first(const SinoPriorSettings *settings)
{
    return settings->kind == SINO_PRIOR_AUTO ? SINO_PRIOR_TOTAL_VARIATION : settings->kind;
}
