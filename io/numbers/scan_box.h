/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan box: the part of a projection that is read, and the type of its counts in memory. */
#pragma once

#include <stdint.h>

/* In-memory type of counts. uint8, uint16 and float32 files keep their type; every other integer or float becomes
 * float32. */
typedef enum SinoCountType { SINO_COUNT_UINT8, SINO_COUNT_UINT16, SINO_COUNT_FLOAT32 } SinoCountType;

static inline int64_t sino_count_bytes(SinoCountType type)
{
    return type == SINO_COUNT_UINT8 ? 1 : type == SINO_COUNT_UINT16 ? 2 : 4;
}

/* A box of rows first_row … first_row + row_count − 1, columns likewise. The caller keeps it inside the detector. */
typedef struct SinoScanBox {
    int64_t first_row, row_count, first_column, column_count;
} SinoScanBox;
