/* SPDX-License-Identifier: BSD-3-Clause */
/* Toeplitz on a GPU: the tests of the CPU's products, whose spectra it shares. */

#include "../../codelets/test_toeplitz.c" /* NOLINT(bugprone-suspicious-include) */
