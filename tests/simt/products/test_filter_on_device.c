/* SPDX-License-Identifier: BSD-3-Clause */
/* Filter on a GPU: the tests of the CPU's filter, whose plans it shares. */
#include "filter_on_device.h"

#define sino_filter_run filter_run_on_device

#include "../../codelets/test_filter.c" /* NOLINT(bugprone-suspicious-include) */
