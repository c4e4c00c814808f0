/* SPDX-License-Identifier: BSD-3-Clause */
/* cuFFT, loaded when the first plan is made: a program that transforms nothing on a GPU starts without it, sooner, and
 * where it is not installed. */
#pragma once

#include "status.h"

/* Loads cuFFT, once for the process; from any thread. Before it the functions of <cufft.h> that cufft_rows.cuh
 * calls must not be called. SINO_FAILED: the loader does not find the library of this toolkit's version, or a function.
 */
SinoStatus sino_cufft_load(void);
