/* SPDX-License-Identifier: BSD-3-Clause */
/* Angle order: which projections see the object from sides close together. Golden angles, several revolutions and other
 * interlaced scans have neighbours in the file that see it from sides far apart. */
#pragma once

#include "input.h"

/* Makes *order [angle_count]: the input's angles in order, the first one first, where neighbours in the file are 1.4
 * times as far apart; the caller frees it. Else NULL. A sample that has turned round is seen as before. SINO_FAILED:
 * out of memory. */
SinoStatus sino_angle_order(const SinoInput *input, int64_t **order);

/* The place of an angle in a turn, from 0 to 2π. */
double sino_angle_turned_rad(double angle_rad);
