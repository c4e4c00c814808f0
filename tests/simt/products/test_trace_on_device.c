/* SPDX-License-Identifier: BSD-3-Clause */
/* Trace on a GPU: the tests of the CPU's tracing, in which both trace; on the host without the measured scans. */
#include "trace_on_device.h"

#define sino_trace_tiles trace_tiles_on_device
#ifdef SINO_SIMT_HOST
#define LARGE_SIZE 65 /* blocks of fibers are slow */
#endif

#include "../../codelets/test_trace.c" /* NOLINT(bugprone-suspicious-include) */

__attribute__((constructor)) static void skip_measured_scans(void)
{
#ifdef SINO_SIMT_HOST
    cmocka_set_skip_filter("ads*");
#endif
}
