/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing with scans: counts of any type. */
#ifndef SINO_TESTING_SCAN_H
#define SINO_TESTING_SCAN_H

#include "scan.h"

/* Value i of what sino_scan_read has written. */
static inline double testing_scan_value(SinoCountType type, const void *counts, int64_t i)
{
    if (type == SINO_COUNT_UINT8) return (double)((const uint8_t *)counts)[i];
    if (type == SINO_COUNT_UINT16) return (double)((const uint16_t *)counts)[i];
    return (double)((const float *)counts)[i];
}

#endif
