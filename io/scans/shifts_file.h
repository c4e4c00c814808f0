/* SPDX-License-Identifier: BSD-3-Clause */
/* Shifts file: how far each projection of a scan lies from its place on the detector.
 *
 *     FILE    text: the line "columns,rows", and two numbers in pixels for each projection (view.h)
 *     FILE    HDF5: a volume that was aligned, with /process/shifts */
#pragma once

#include "status.h"
#include "view.h"

#include <stdint.h>

/* Reads shift[count], in pixels. SINO_BAD_INPUT: no such file, or one of another form; more or fewer projections; a
 * number that is not finite, or larger than `most` pixels. */
SinoStatus sino_shifts_read(const char *path, int64_t count, double most, SinoShift *shift);
