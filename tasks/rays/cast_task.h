/* SPDX-License-Identifier: BSD-3-Clause */
/* Task cast: casts vectors to halves and back. */
#pragma once

#include "cast.h"
#include "runtime.h"

/* Insert cast_units, cast_narrow and cast_widen (cast.h) on `rows` rows. cast_units finds the units of a vector, i.e.
 * the value that a half of 1 stands for, from the vector's parts one after another; `first` and `last` mark its first
 * and last part. cast_narrow casts a part to halves; cast_widen casts halves back to single. `exponent` e: halves are
 * below 2^e. */
SinoStatus sino_insert_cast_units(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t rows,
                                  int exponent, bool first, bool last, SinoData *x, SinoData *units);
SinoStatus sino_insert_cast_narrow(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t rows,
                                   SinoData *x, SinoData *units, SinoData *to);
SinoStatus sino_insert_cast_widen(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t rows,
                                  SinoData *x, SinoData *units, SinoData *to);
