/* SPDX-License-Identifier: BSD-3-Clause */
/* Correct on a GPU: the tests of the CPU's correction. */
#include "correct_on_device.h"

#define sino_correct correct_on_device

#include "../../codelets/test_correct.c" /* NOLINT(bugprone-suspicious-include) */
