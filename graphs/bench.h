/* SPDX-License-Identifier: BSD-3-Clause */
/* Bench: what one run of `sinodag bench` measures, and how it is told. */
#ifndef SINO_BENCH_H
#define SINO_BENCH_H

#include "tasks.h"

enum { SINO_BENCH_REPEATS = 5 };

/* How the operator of one precision was built. */
typedef struct SinoBenchOperator {
    int64_t nonzero_count;        /* true nonzeros, of every orientation */
    int64_t stored_nonzero_count; /* those that are stored */
    int64_t stored_count;         /* lengths stored, padding included */
    int64_t stored_angles;        /* the others are turned or mirrored */
    int64_t bytes;
    double build_s;
} SinoBenchOperator;

/* Repetitions of one kernel. Machines are shared and change their clock, so each is held against what the cores could
 * do just then. */
typedef struct SinoBenchKernel {
    double intensity;                      /* flops per byte that one product must stream at least once */
    double gflops[SINO_BENCH_REPEATS];     /* of all workers; 2·nonzeros·F per product */
    double fma_gflops[SINO_BENCH_REPEATS]; /* mean of the FMA peaks just before and after */
} SinoBenchKernel;

typedef struct SinoBenchRow {
    SinoPrecision precision;
    int64_t slices; /* F */
    SinoBenchKernel project, backproject;
} SinoBenchRow;

typedef struct SinoBench {
    int64_t column_count, angle_count, worker_count;
    double fma_gflops[SINO_DOUBLE + 1]; /* SINO_SINGLE, SINO_DOUBLE: the largest seen, of all workers */
    double read_gbps;                   /* the largest seen, of all workers */
    SinoBenchOperator op[SINO_PRECISIONS];
    int64_t row_count;
    SinoBenchRow *row; /* owned */
} SinoBench;

/* Memory that measuring takes, the program included. */
SinoStatus sino_bench_bytes(const SinoSettings *settings, const SinoGeometry *geometry, int64_t worker_count,
                            int64_t *bytes);

/* Everything that the settings ask for; tells each row to the runtime's log. Fills *bench, also before a failure. */
SinoStatus sino_bench_measure(SinoRuntime *runtime, const SinoSettings *settings, const SinoGeometry *geometry,
                              SinoBench *bench);

/* The table for people, the one for programs, and the picture. */
void sino_bench_print(const SinoBench *bench, FILE *out);
void sino_bench_print_csv(const SinoBench *bench, FILE *out);
SinoStatus sino_bench_draw(const SinoBench *bench, SinoRooflineFormat format, SinoOutputFile *file);

#endif
