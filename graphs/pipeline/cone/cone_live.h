/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone live, for cone_reconstruction.c only: planes of the volume as far as it is summed, for the page of a followed
 * scan. */
#pragma once

#include "cone_run.h"

/* Inserts the tasks that take the planes from the parts of a share of a slab, after a block was added to them, and show
 * them; none if the run has no page. */
SinoStatus sino_cone_live_show(const SinoConeRun *run, int64_t slab, SinoSpan share, int64_t block);
