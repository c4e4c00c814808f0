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

/* Profile file: reads what `--profile=FILE.json` of recon and simulate wrote (docs/JSON.md). */

/* Tasks of the reconstruction of one kind on one type of worker. */
typedef struct SinoProfileKind {
    char name[48], on[16]; /* on: "cpu", "cuda", "opencl" */
    int64_t count;
    double total_s;
} SinoProfileKind;

enum { SINO_PROFILE_KINDS = 256 };

/* The run of rank 0. What the file does not know is NaN, or −1 of a count. All but build_s, starpu_bound_s and the
 * bytes are of the reconstruction, without the building of the operator. */
typedef struct SinoProfile {
    char starpu[32], scheduler[64]; /* version; policy */
    double build_s, makespan_s;
    double inside_tasks; /* share of the workers' time, 0…1 */
    double task_s;       /* all tasks together */
    double area_bound_s, path_bound_s;
    double starpu_bound_s;              /* of the whole run */
    int64_t tasks;                      /* number */
    int64_t transfer_bytes, peak_bytes; /* between memory nodes; of the process */
    int64_t kind_count;                 /* ≤ SINO_PROFILE_KINDS; further kinds are left out */
    SinoProfileKind kind[SINO_PROFILE_KINDS];
} SinoProfile;

/* SINO_FAILED: no such file, not a profile, or of a run that did not end. */
SinoStatus sino_profile_read(const char *path, SinoProfile *profile);
