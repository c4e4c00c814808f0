/* SPDX-License-Identifier: BSD-3-Clause */
/* Update, private: one panel on a CPU core, shared by update_cpu.c and update_tmpl.c. */
#pragma once

#include "update.h"

typedef struct SinoUpdatePanel {
    const SinoUpdate *update;          /* `rows`: those to which the formula is applied */
    int64_t stride, slice_count;       /* of the panel; slice_count may be 0 */
    void *vector[SINO_UPDATE_VECTORS]; /* the first of these rows in each vector's panel; BY_ROW: in the vector */
    const SinoSliceState *state;       /* state of the panel's first slice; NULL: not read */
} SinoUpdatePanel;

/* Applies the formula, and adds its sums of each slice to sum0 and sum1, both double[SINO_PANEL_MAX]. */
void sino_update_panel_single(const SinoUpdatePanel *panel, double *sum0, double *sum1);
void sino_update_panel_double(const SinoUpdatePanel *panel, double *sum0, double *sum1);
