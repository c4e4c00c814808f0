/* SPDX-License-Identifier: BSD-3-Clause */
/* Filter on a GPU: the tests of the CPU's filter, whose plans it shares. */
#include "filter_on_device.h"

#include "../../codelets/test_filter.c" /* NOLINT(bugprone-suspicious-include) */
