/* SPDX-License-Identifier: BSD-3-Clause */
/* Priors of slices on a GPU: the tests of the CPU's functions. */
#include "prior_on_device.h"

#define sino_prior_descend prior_descend_on_device

#include "../../codelets/test_prior.c" /* NOLINT(bugprone-suspicious-include) */
