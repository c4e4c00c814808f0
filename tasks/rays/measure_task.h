/* SPDX-License-Identifier: BSD-3-Clause */
/* Task measure: the peak rates of a core. */
#pragma once

#include "precision.h"
#include "runtime.h"

/* Insert measure_fma, measure_read, measure_copy and measure_fill. measure_fma does multiply-adds in registers
 * (sino_machine_multiply_add). measure_read reads all of the data.
 * measure_copy copies the first half to the second. measure_fill writes bytes that are small normal
 * numbers in every precision. `bytes` is the size of the data, a multiple of 8 for measure_read, of 2 for
 * measure_copy. */
SinoStatus sino_insert_measure_fma(SinoRuntime *runtime, SinoPrecision precision, int64_t rounds);
SinoStatus sino_insert_measure_read(SinoRuntime *runtime, int64_t bytes, SinoData *data);
SinoStatus sino_insert_measure_copy(SinoRuntime *runtime, int64_t bytes, SinoData *data);
SinoStatus sino_insert_measure_fill(SinoRuntime *runtime, int64_t bytes, SinoData *data);
