/* SPDX-License-Identifier: BSD-3-Clause */
/* Pack: traced tiles into a block whose rays are numbered within the partition's footprint. */
#ifndef SINO_PACK_H
#define SINO_PACK_H

#include "trace.h"

/* touched[ray] = 1 for every ray of the traced tiles' groups. Safe from many threads at once on one array. */
void sino_pack_mark(const SinoTrace *trace, uint8_t *touched);

/* Moves the traced tiles to `to` (trace->size bytes), each group's rays r replaced by local[r], or kept when `local` is
 * NULL, and frees the trace. */
void sino_pack_tiles(SinoTrace *trace, const uint32_t *local, uint8_t *to);

#endif
