/* SPDX-License-Identifier: BSD-3-Clause */
/* Bench CSV: reads the rates of a machine from a table that `sinodag bench --csv` wrote. */
#pragma once

#include "status.h"

#include <stdbool.h>
#include <stdint.h>

/* Rates of one worker, from the row with the most slices in one precision. */
typedef struct SinoBenchRates {
    int64_t slices;
    double kernel_gflops; /* mean of both products: 2/(1/project + 1/backproject) */
    double memory_gbps;   /* speed of reading memory */
} SinoBenchRates;

/* Reads the rates for a precision, spelled as bench writes it ("single" …). SINO_BAD_INPUT: no such file, not a table
 * of bench, no row of this precision, or rates that are not positive numbers. */
SinoStatus sino_bench_csv_read(const char *path, const char *precision, SinoBenchRates *rates);

/* Rates of one worker of cone beams, of the fastest row with most workers, in one precision. */
typedef struct SinoBenchConeRates {
    double backproject_gups; /* 10⁹ voxel updates per second */
    double filter_gpixels;   /* 10⁹ pixels per second */
    double memory_gbps;      /* as above */
} SinoBenchConeRates;

/* Reads the table of `sinodag bench --geometry cone --csv`. `symmetric`: rows of kernels that share positions count,
 * too. Errors as above. */
SinoStatus sino_bench_csv_read_cone(const char *path, const char *precision, bool symmetric, SinoBenchConeRates *rates);
