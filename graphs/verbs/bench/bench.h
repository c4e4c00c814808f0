/* SPDX-License-Identifier: BSD-3-Clause */
/* Bench: the measurements of one run of `sinodag bench`, and their output. bench_machine.c measures the machine for
 * all kinds of beams; the rest of this header, from SinoBenchOperator on, is of parallel beams. */
#pragma once

#include "data.h"
#include "geometry.h"
#include "runtime.h"
#include "settings.h"

enum { SINO_BENCH_REPEATS = 5 };

/* The workers that measure, and the machine's limits: the largest that were measured, of all workers together. */
typedef struct SinoBenchMachine {
    SinoRuntime *runtime; /* not owned */
    int64_t worker_count;
    double fma_gflops[SINO_DOUBLE + 1]; /* SINO_SINGLE, SINO_DOUBLE */
    double read_gbps, copy_gbps;        /* bytes read; bytes read and written */
    SinoData **stream;                  /* that are read and copied, of each worker; NULL before the first time */
} SinoBenchMachine;

SinoBenchMachine sino_bench_machine(SinoRuntime *runtime);

/* The memory of sino_bench_read and sino_bench_copy, from the first of them until sino_bench_stream_free. */
int64_t sino_bench_read_bytes(int64_t worker_count);
void sino_bench_stream_free(SinoBenchMachine *machine);

/* Seconds that went by, and processor time that the program took of them: on a machine with other load, less. */
typedef struct SinoBenchTime {
    double elapsed_s, processor_s;
} SinoBenchTime;

SinoBenchTime sino_bench_now(void);
SinoBenchTime sino_bench_since(SinoBenchTime begin);

/* Measures the FMA peak of `workers` workers at once. taken: NULL, or the time of *gflops · taken->elapsed_s GFLOP. */
SinoStatus sino_bench_fma(SinoBenchMachine *machine, SinoPrecision precision, int64_t workers, double *gflops,
                          SinoBenchTime *taken);

/* Measure the bandwidth of reading, and of copying, on all workers at once. */
SinoStatus sino_bench_read(SinoBenchMachine *machine);
SinoStatus sino_bench_copy(SinoBenchMachine *machine);

/* Measures FMA peaks in both types, several times. */
SinoStatus sino_bench_peaks(SinoBenchMachine *machine);

/* Data of `bytes` bytes for each worker, small numbers in all of them; data[worker_count]. After a failure the caller
 * frees what has been made, too. */
SinoStatus sino_bench_data_new(SinoBenchMachine *machine, const char *name, int64_t bytes, SinoData **data);
SinoStatus sino_bench_data_fill(SinoBenchMachine *machine, int64_t bytes, SinoData *const *data);
void sino_bench_data_free(const SinoBenchMachine *machine, SinoData **data); /* takes NULL in the array */

/* Best and median of some repetitions. */
typedef struct SinoBenchFigure {
    double best, median;
} SinoBenchFigure;

SinoBenchFigure sino_bench_figure(int count, const double values[SINO_BENCH_REPEATS]);

/* What is measured for a kind of beam. */
typedef struct SinoBenchKind {
    SinoStatus (*begin)(const SinoSettings *settings, void **own); /* checks the settings; *own may be set on failure */
    /* Memory that the measurement needs, the program included, where there are budget_bytes. */
    SinoStatus (*bytes)(void *own, SinoRuntime *runtime, int64_t budget_bytes, int64_t *bytes);
    const char *subject; /* "this matrix", when memory is too small for it; NULL: the columns and angles of a scan */
    const char *fewer;   /* what may be fewer then: "columns, angles" */
    SinoStatus (*measure)(void *own, SinoRuntime *runtime);
    void (*print)(const void *own, FILE *out);
    void (*print_csv)(const void *own, FILE *out);
    void (*draw)(const void *own, FILE *out); /* NULL: no picture */
    void (*release)(void *own);               /* takes NULL */
} SinoBenchKind;

extern const SinoBenchKind sino_bench_parallel, sino_bench_cone, sino_bench_matrix;

/* SINO_BAD_INPUT: precisions other than single and mixed were asked for, not all of them. */
SinoStatus sino_bench_check_precisions(const SinoBenchSettings *settings, const char *geometry);

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
    int64_t column_count, angle_count;
    SinoBenchMachine machine;
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
void sino_bench_draw(const SinoBench *bench, FILE *out);
