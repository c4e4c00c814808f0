/* SPDX-License-Identifier: BSD-3-Clause */
/* Duration: seconds in units that people read. */
#pragma once

enum { SINO_DURATION_SIZE = 32 };

/* Writes "850 us", "1.25 ms", "12.3 s", "4 min 36 s", "4 h 36 min" or "12 days 3 h", with three digits below a minute,
 * and returns `text`. NaN, infinite or negative: "unknown". */
const char *sino_duration_text(double duration_s, char text[SINO_DURATION_SIZE]);
