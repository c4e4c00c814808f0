/* SPDX-License-Identifier: BSD-3-Clause */
/* Trace, section by section: the lengths of sino_trace_tiles (trace.h) in two passes, for memory of just their size.
 *
 *     sino_trace_sections …                      what there is to trace
 *     sino_trace_measure(…, section, size)       finds what each section takes; size[section_count].offset: all of them
 *     sino_trace_fill(…, section, size, bytes)   writes them */
#ifndef SINO_TRACE_SECTIONS_H
#define SINO_TRACE_SECTIONS_H

#include "trace.h"

/* What becomes a section: one tile and up to SINO_SECTION_GROUPS × group_angles stored angles of one class. */
typedef struct SinoTraceSection {
    SinoTilePlace place;
    int32_t tile; /* within the partition */
    uint32_t orientations;
    int64_t first, end; /* angles of the layout, end excluded */
    int64_t step;       /* as in SinoSectionHeader */
} SinoTraceSection;

/* All of the tiles, in the order of a block, those that no ray meets among them; how many. `section` may be NULL. */
int64_t sino_trace_sections(const SinoLayout *layout, int64_t first_tile, int64_t tile_count, const SinoTilePlace *tile,
                            SinoTraceSection *section);

/* What a section takes; groups 0: it has no ray, and is left out. */
typedef struct SinoTraceSize {
    int64_t offset, bytes; /* of the section */
    int64_t nonzero_count; /* stored */
    int32_t group_count, voxel_count;
} SinoTraceSize;

/* size has section_count + 1 elements; the last one's offset and bytes are what all sections take. SINO_FAILED: out of
 * memory. */
SinoStatus sino_trace_measure(const SinoLayout *layout, int64_t section_count, const SinoTraceSection *section,
                              SinoTraceSize *size);

/* bytes: on 32. SINO_FAILED: out of memory. */
SinoStatus sino_trace_fill(const SinoLayout *layout, int64_t section_count, const SinoTraceSection *section,
                           const SinoTraceSize *size, void *bytes);

/* The direction of an angle, which GPUs would round otherwise. */
typedef struct SinoTraceAngle {
    double cosine, sine;
} SinoTraceAngle;

/* All angles of the layout. */
void sino_trace_angles(const SinoLayout *layout, SinoTraceAngle *angle);

#endif
