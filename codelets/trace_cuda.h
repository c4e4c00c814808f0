/* SPDX-License-Identifier: BSD-3-Clause */
/* Trace on a GPU, section by section (trace_sections.h): the sizes and bytes that the CPU finds. What launchers promise
 * is in cuda_stream.h. Angles, sections, sizes and bytes are in device memory, on 32 bytes. */
#ifndef SINO_TRACE_CUDA_H
#define SINO_TRACE_CUDA_H

#include "cuda_stream.h"
#include "status.h"
#include "trace_sections.h"

SinoStatus sino_trace_measure_cuda(cudaStream_t stream, const SinoLayout *layout, const SinoTraceAngle *angle,
                                   int64_t section_count, const SinoTraceSection *section, SinoTraceSize *size);

SinoStatus sino_trace_fill_cuda(cudaStream_t stream, const SinoLayout *layout, const SinoTraceAngle *angle,
                                int64_t section_count, const SinoTraceSection *section, const SinoTraceSize *size,
                                void *bytes);

#endif
