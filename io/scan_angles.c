/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan, angles: assumed angles for a scan without any. */
#include "memory.h"
#include "scan_source.h"

#include <math.h>

SinoStatus sino_scan_assume_angles(SinoScan *scan)
{
    const int64_t count = scan->info.angle_count;
    SINO_TRY(sino_allocate(count, sizeof *scan->angle_rad, "angles", &scan->angle_rad));
    for (int64_t k = 0; k < count; k++) scan->angle_rad[k] = count > 1 ? M_PI * (double)k / (double)(count - 1) : 0;
    scan->info.angle_assumed = true;
    return NULL;
}
