/* SPDX-License-Identifier: BSD-3-Clause */
/* Voxel codes: voxels as integers, of which one range serves a whole volume.
 *
 * value = low + code · step, with step = (high − low)/(2ᵇ − 1) for b bits. A value becomes the nearest code; values
 * outside [low, high] become the code of the nearer end, and NaN becomes the code of `low`. */
#pragma once

#include "log.h"
#include "output_settings.h"
#include "status.h"

#include <stdint.h>

/* Type and range of a volume. Of float32 the range is what viewers show. Zero: float32 without a range. */
typedef struct SinoVoxelCodes {
    SinoOutputType type;
    SinoValueRange range;
} SinoVoxelCodes;

/* Voxels that a range changes by more than rounding. */
typedef enum SinoClipped { SINO_CLIPPED_BELOW, SINO_CLIPPED_ABOVE, SINO_CLIPPED_NAN, SINO_CLIPPED } SinoClipped;

/* SINO_BAD_INPUT: an integer type without a range, or with steps that float32 cannot tell apart. */
SinoStatus sino_codes_check(const SinoVoxelCodes *codes);

int64_t sino_codes_bytes(SinoOutputType type);          /* of a voxel: 4, 2 or 1 */
double sino_codes_step(const SinoVoxelCodes *codes);    /* between the values of neighbouring codes; 0: float32 */
double sino_codes_largest(const SinoVoxelCodes *codes); /* the largest code: 65535 or 255; 0: float32 */

/* Replaces values by those of their codes, and adds to clipped[SINO_CLIPPED]. Values that are those of codes stay. Does
 * nothing for float32. */
void sino_codes_round(const SinoVoxelCodes *codes, int64_t count, float *values, int64_t *clipped);

/* to[count]: uint16_t or uint8_t; not for float32. */
void sino_codes_encode(const SinoVoxelCodes *codes, int64_t count, const float *values, void *to);
void sino_codes_decode(const SinoVoxelCodes *codes, int64_t count, const void *from, float *values);
