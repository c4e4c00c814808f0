/* SPDX-License-Identifier: BSD-3-Clause */
/* Tilt on a GPU: the tests of the CPU's function. */
#include "images_on_device.h"

#define sino_tilt_correct tilt_correct_on_device

#include "../../codelets/test_tilt.c" /* NOLINT(bugprone-suspicious-include) */
