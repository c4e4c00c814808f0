/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripes by sorting, for the slices of a panel at once; private, behind stripes.h. */
#pragma once

#include "panel.h"
#include "stripes.h"

#include <stdbool.h>

/* Whether the method is SINO_STRIPES_SORTING, for so many angles. */
bool sino_stripes_sorted_takes(const SinoStripesOptions *options);

/* Bytes of the scratch memory, 64-byte aligned; 0 if the method is not taken. */
int64_t sino_stripes_sorted_bytes(const SinoStripesOptions *options);

/* Removes stripes from one panel in place, if all of its values are defined, and is as sino_stripes_run then. false:
 * one of them is −0, and nothing has changed. */
bool sino_stripes_sorted_run(const SinoStripesOptions *options, SinoSlices slices, const int64_t *place, void *scratch,
                             void *panel);
