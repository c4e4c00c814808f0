/* SPDX-License-Identifier: BSD-3-Clause */
/* Trace, section by section: the lengths of sino_trace_tiles (trace.h) in two passes, so that memory of the exact size
 * suffices.
 *
 *     sino_trace_sections …                      lists the sections
 *     sino_trace_measure(…, section, size)       size of each section; size[section_count].offset: size of all
 *     sino_trace_fill(…, section, size, bytes)   writes the sections */
#pragma once

#include "cuda_stream.h"
#include "status.h"
#include "trace.h"

/* One section to trace: one tile and up to SINO_SECTION_GROUPS × group_angles stored angles of one class. */
typedef struct SinoTraceSection {
    SinoTilePlace place;
    int32_t tile; /* number of the tile within the partition */
    uint32_t orientations;
    int64_t first, end; /* angles of the layout, end excluded */
    int64_t step;       /* as in SinoSectionHeader */
} SinoTraceSection;

/* Lists the sections of the tiles in the order of a block, including those without rays; returns their number.
 * `section` NULL: only the number. */
int64_t sino_trace_sections(const SinoLayout *layout, int64_t first_tile, int64_t tile_count, const SinoTilePlace *tile,
                            SinoTraceSection *section);

/* Size of a section. group_count 0: no ray crosses it, and the block leaves it out. */
typedef struct SinoTraceSize {
    int64_t offset, bytes; /* of the section */
    int64_t nonzero_count; /* stored */
    int32_t group_count, voxel_count;
} SinoTraceSize;

/* size[section_count + 1]: the last element has the offset of the end, and the bytes of all sections. SINO_FAILED: out
 * of memory. */
SinoStatus sino_trace_measure(const SinoLayout *layout, int64_t section_count, const SinoTraceSection *section,
                              SinoTraceSize *size);

/* `bytes`: aligned to 32 bytes. SINO_FAILED: out of memory. */
SinoStatus sino_trace_fill(const SinoLayout *layout, int64_t section_count, const SinoTraceSection *section,
                           const SinoTraceSize *size, void *bytes);

/* Direction of an angle. The host computes it, because GPUs would round it differently. */
typedef struct SinoTraceAngle {
    double cosine, sine;
} SinoTraceAngle;

/* angle[K]: directions of all angles of the layout. */
void sino_trace_angles(const SinoLayout *layout, SinoTraceAngle *angle);

/* sino_trace_measure and sino_trace_fill on a GPU, byte for byte. Angles, sections, sizes and bytes are in device
 * memory, aligned to 32 bytes (cuda_stream.h). */
SinoStatus sino_trace_measure_cuda(cudaStream_t stream, const SinoLayout *layout, const SinoTraceAngle *angle,
                                   int64_t section_count, const SinoTraceSection *section, SinoTraceSize *size);

SinoStatus sino_trace_fill_cuda(cudaStream_t stream, const SinoLayout *layout, const SinoTraceAngle *angle,
                                int64_t section_count, const SinoTraceSection *section, const SinoTraceSize *size,
                                void *bytes);
