/* SPDX-License-Identifier: BSD-3-Clause */
/* Align, gauge: shifts and turns of projections that a motion of the whole object would make. */
#pragma once

#include "view.h"

#include <stdbool.h>

/* Subtracts the translation of the object from the shifts, so that the sum of their squares is least. With `axis` it
 * also subtracts one number of columns from all projections, as a moved rotation axis would make. The object is near
 * (0, 0, 0), which is no source. view, shift: [count]; a view and its shift have the same pixels. */
void sino_align_fix_gauge(int64_t count, const SinoView *view, bool axis, SinoShift *shift);

/* Subtracts a turn of the object about (0, 0, 0) from small turns of views, so that the sum of their squares is least.
 */
void sino_align_fix_turns(int64_t count, const SinoView *view, SinoViewTurn *turn);

/* How far a place on the detector lies from where the view sees (0, 0, 0). */
SinoShift sino_align_from_middle(const SinoView *view, SinoShift place);
