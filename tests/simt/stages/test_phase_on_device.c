/* SPDX-License-Identifier: BSD-3-Clause */
/* Phase on a GPU: the tests of the CPU's function. */
#include "images_on_device.h"

#define sino_phase_correct phase_correct_on_device

#include "../../codelets/test_phase.c" /* NOLINT(bugprone-suspicious-include) */
