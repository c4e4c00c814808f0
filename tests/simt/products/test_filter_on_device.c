/* SPDX-License-Identifier: BSD-3-Clause */
/* Filter on a GPU: the tests of the CPU's filter, whose plans it shares. */

#include "../../codelets/test_filter.c" /* NOLINT(bugprone-suspicious-include) */
