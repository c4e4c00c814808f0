/* SPDX-License-Identifier: BSD-3-Clause */
/* Zingers on a GPU: the tests of the CPU's function. */
#include "zingers_on_device.h"

#define sino_zingers_remove zingers_remove_on_device

#include "../../codelets/test_zingers.c" /* NOLINT(bugprone-suspicious-include) */
