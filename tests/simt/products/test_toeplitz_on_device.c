/* SPDX-License-Identifier: BSD-3-Clause */
/* Toeplitz and Gridding on a GPU: the tests of the CPU's products, whose spectra it shares. */
#include "gridding_on_device.h"
#include "toeplitz_on_device.h"

#define TESTING_ON_DEVICE
#define sino_gridding_adjoint gridding_adjoint_on_device
#define sino_toeplitz_product toeplitz_product_on_device

#include "../../codelets/test_toeplitz.c" /* NOLINT(bugprone-suspicious-include) */
