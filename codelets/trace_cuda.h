/* SPDX-License-Identifier: BSD-3-Clause */
/* Trace on a GPU: the bytes that sino_trace_tiles (trace.h) makes of the same tiles, section by section. How large they
 * are is known only when they are traced, so there are two passes: `measure` finds the sizes and, from them, where each
 * section goes; `fill` writes them. What launchers promise is in cuda_stream.h.
 *
 *     sino_trace_sections …                              on the host: what there is to trace, in the order of a block
 *     sino_trace_measure_cuda(stream, …, section, size)  and a copy of size[section_count].offset to the host
 *     sino_trace_fill_cuda(stream, …, section, size, bytes)
 *
 * Sections, angles, sizes and bytes are in device memory, on 32 bytes. */
#ifndef SINO_TRACE_CUDA_H
#define SINO_TRACE_CUDA_H

#include "cuda_stream.h"
#include "status.h"
#include "trace.h"

/* One tile and up to SINO_SECTION_GROUPS × group_angles stored angles of one class. */
typedef struct SinoTraceSection {
    SinoTilePlace place;
    int32_t tile; /* within the partition */
    uint32_t orientations;
    int64_t first, end; /* angles of the layout, end excluded */
    int64_t step;       /* as in SinoSectionHeader */
} SinoTraceSection;

/* Sections of the tiles, those without a ray among them; `section` may be NULL. */
int64_t sino_trace_sections(const SinoLayout *layout, int64_t first_tile, int64_t tile_count, const SinoTilePlace *tile,
                            SinoTraceSection *section);

/* The direction of an angle, which GPUs would round otherwise. */
typedef struct SinoTraceAngle {
    double cosine, sine;
} SinoTraceAngle;

/* All angles of the layout. */
void sino_trace_angles(const SinoLayout *layout, SinoTraceAngle *angle);

/* What a section takes; groups 0: it has no ray, and is left out. */
typedef struct SinoTraceSize {
    int64_t offset, bytes; /* of the section */
    int64_t nonzero_count; /* stored */
    int32_t group_count, voxel_count;
} SinoTraceSize;

/* size has section_count + 1 elements; the last one's offset is what all sections take. */
SinoStatus sino_trace_measure_cuda(cudaStream_t stream, const SinoLayout *layout, const SinoTraceAngle *angle,
                                   int64_t section_count, const SinoTraceSection *section, SinoTraceSize *size);

SinoStatus sino_trace_fill_cuda(cudaStream_t stream, const SinoLayout *layout, const SinoTraceAngle *angle,
                                int64_t section_count, const SinoTraceSection *section, const SinoTraceSize *size,
                                void *bytes);

#endif
