/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone assemble on a GPU: the tests of the CPU's function. */
#include "cone_data_on_device.h"

#define sino_cone_assemble cone_assemble_on_device

#include "../../codelets/test_cone_assemble.c" /* NOLINT(bugprone-suspicious-include) */
