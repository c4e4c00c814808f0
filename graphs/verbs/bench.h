/* SPDX-License-Identifier: BSD-3-Clause */
/* Bench: the measurements of one run of `sinodag bench`, and their output. */
#ifndef SINO_BENCH_H
#define SINO_BENCH_H

#include "data.h"
#include "geometry.h"
#include "roofline.h"
#include "settings.h"

enum { SINO_BENCH_REPEATS = 5 };

/* The operator of one precision. */
typedef struct SinoBenchOperator {
    int64_t nonzero_count;        /* nonzeros of A, in every orientation */
    int64_t stored_nonzero_count; /* nonzeros that are stored */
    int64_t stored_count;         /* stored lengths, padding included */
    int64_t stored_angles;        /* the other angles are turned or mirrored */
    int64_t bytes;
    double build_s;
} SinoBenchOperator;

/* Repetitions of one kernel. Machines are shared and change their clock, so each repetition is compared with the FMA
 * peak measured around it. */
typedef struct SinoBenchKernel {
    double intensity;                      /* flops of a product per byte that it must stream at least once */
    double gflops[SINO_BENCH_REPEATS];     /* all workers together; a product has 2·nonzeros·F flops */
    double fma_gflops[SINO_BENCH_REPEATS]; /* mean of the FMA peaks measured just before and after */
} SinoBenchKernel;

typedef struct SinoBenchRow {
    SinoPrecision precision;
    int64_t slices; /* F */
    SinoBenchKernel project, backproject;
} SinoBenchRow;

typedef struct SinoBench {
    int64_t column_count, angle_count, worker_count;
    double fma_gflops[SINO_DOUBLE + 1]; /* SINO_SINGLE, SINO_DOUBLE: largest measured, all workers */
    double read_gbps;                   /* largest measured, all workers */
    SinoBenchOperator op[SINO_PRECISIONS];
    int64_t row_count;
    SinoBenchRow *row; /* owned */
} SinoBench;

/* Memory that the measurement needs, the program included. */
SinoStatus sino_bench_bytes(const SinoSettings *settings, const SinoGeometry *geometry, int64_t worker_count,
                            int64_t *bytes);

/* Measures everything that the settings ask for and logs each row. *bench is filled as far as the measurement got, also
 * after a failure. */
SinoStatus sino_bench_measure(SinoRuntime *runtime, const SinoSettings *settings, const SinoGeometry *geometry,
                              SinoBench *bench);

/* The results as a table for people, as CSV, and as a roofline plot. */
void sino_bench_print(const SinoBench *bench, FILE *out);
void sino_bench_print_csv(const SinoBench *bench, FILE *out);
SinoStatus sino_bench_draw(const SinoBench *bench, SinoRooflineFormat format, SinoOutputFile *file);

#endif
