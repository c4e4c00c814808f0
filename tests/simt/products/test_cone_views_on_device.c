/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone project on a GPU of projections that have vectors: the tests of the CPU's functions. */
#include "cone_project_on_device.h"

#define TESTING_ON_DEVICE
#define sino_cone_project_with cone_project_on_device

#include "../../codelets/test_cone_views.c" /* NOLINT(bugprone-suspicious-include) */
