/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone pack on a GPU: the tests of the CPU's function. */
#include "cone_data_on_device.h"

#define sino_cone_pack cone_pack_on_device

#include "../../codelets/test_cone_pack.c" /* NOLINT(bugprone-suspicious-include) */
