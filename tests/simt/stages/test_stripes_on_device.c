/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripes on a GPU: the tests of the CPU's function. */
#include "stripes_on_device.h"

#define sino_stripes_run stripes_run_on_device
#ifdef SINO_SIMT_HOST
#define ALONE_STEP 3 /* blocks of fibers are slow */
#endif

#include "../../codelets/test_stripes.c" /* NOLINT(bugprone-suspicious-include) */
