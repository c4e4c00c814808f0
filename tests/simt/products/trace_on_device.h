/* SPDX-License-Identifier: BSD-3-Clause */
/* sino_trace_tiles by the functions of trace_cuda.cu. */
#pragma once

#include "trace.h"

/* Traces on both; ends the program when their bytes or counts differ. */
SinoStatus trace_tiles_on_device(const SinoLayout *layout, int64_t first_tile, int64_t tile_count,
                                 const SinoTilePlace *tile, SinoTrace *trace);
