/* SPDX-License-Identifier: BSD-3-Clause */
/* Trace on a GPU: sino_trace_measure and sino_trace_fill of trace_sections.h, byte for byte. cuda_stream.h gives the
 * contract of launchers. Angles, sections, sizes and bytes are in device memory, aligned to 32 bytes. */
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
