/* SPDX-License-Identifier: BSD-3-Clause */
/* Regroup on a GPU: the tests of the CPU's lists, with those that a device makes, which are the same. */
#include "regroup_on_device.h"
#include "testing_regroup.h"

#define sino_regroup_measure regroup_measure_on_device
#define sino_regroup_fill    regroup_fill_on_device
#define regroup_block        regroup_block_on_device
#ifdef SINO_SIMT_HOST
#define KINDS_STEP (TESTING_STEP + 1) /* blocks of fibers are slow; GPUs and the CPU's test have every kind */
#endif

#include "../../codelets/test_regroup.c" /* NOLINT(bugprone-suspicious-include) */
