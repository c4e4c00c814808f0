/* SPDX-License-Identifier: BSD-3-Clause */
/* Correct on a GPU: the tests of the CPU's correction. */
#include "correct_on_device.h"

#define sino_correct correct_on_device
#ifdef SINO_SIMT_HOST
#define OPTIONS_STEP 5 /* blocks of fibers are slow; GPUs and the CPU's test have every option of every shape */
#endif

#include "../../codelets/test_correct.c" /* NOLINT(bugprone-suspicious-include) */
