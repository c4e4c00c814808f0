/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone weigh on a GPU: the tests of the CPU's function. */
#include "cone_data_on_device.h"

#define sino_cone_weigh cone_weigh_on_device

#include "../../codelets/test_cone_weigh.c" /* NOLINT(bugprone-suspicious-include) */
