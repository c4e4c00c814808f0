/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotate on a GPU: the tests of the CPU's products. */
#include "rotate_on_device.h"

#define TESTING_ON_DEVICE
#define sino_rotate_project rotate_project_on_device
#define sino_rotate_back    rotate_back_on_device

#include "../../codelets/test_rotate.c" /* NOLINT(bugprone-suspicious-include) */
