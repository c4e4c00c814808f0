/* SPDX-License-Identifier: BSD-3-Clause */
/* bench of system matrices: bricks in both precisions. */
#include "bench_matrix.h"

#include "files.h"
#include "memory.h"
#include "platform.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* A repetition does a step again until 50 ms have passed; repetitions of all steps end after about 20 s. */
static const double repetition_s = 0.05, repetitions_s = 20;

static const SinoPrecision precisions[] = {SINO_SINGLE, SINO_MIXED};
enum { PRECISIONS = sizeof precisions / sizeof *precisions };

/* The file of FILE:/GROUP must not be an output either. */
static SinoStatus check_files(const SinoBenchSettings *settings, const SinoMatrixFile *file)
{
    SinoNamedFiles files = {0};
    SinoStatus status = sino_files_input(&files, "--system-matrix", sino_matrix_path(file));
    if (!status) status = sino_files_output(&files, "--csv", settings->csv);
    if (!status) status = sino_files_check(&files);
    sino_files_free(&files);
    return status;
}

static SinoStatus begin(const SinoSettings *settings, void **own)
{
    const SinoMatrixRequest request = {.path = settings->counts.system_matrix, .subset_count = 1};
    SinoBenchMatrix *bench;
    SINO_TRY(sino_bench_check_precisions(&settings->bench, "matrix"));
    SINO_TRY(sino_allocate(1, sizeof *bench, "figures", &bench));
    *own = bench;
    bench->settings = settings;
    SINO_TRY(sino_matrix_try(settings->counts.system_matrix));
    SINO_TRY(sino_matrix_survey_new(&request, &bench->survey));
    return check_files(&settings->bench, bench->survey->file);
}

/* Bricks, one precision after the other. */
static SinoStatus needed(void *own, SinoRuntime *runtime, int64_t budget_bytes, int64_t *bytes)
{
    SinoBenchMatrix *bench = own;
    const SinoCountList *sets = &bench->settings->bench.slice_counts;
    int64_t most = 0;
    (void)budget_bytes;
    bench->machine = sino_bench_machine(runtime);
    for (int p = 0; p < PRECISIONS; p++)
        for (int64_t i = 0; i < sets->count && bench->settings->bench.precisions >> precisions[p] & 1; i++) {
            int64_t of_bricks;
            SINO_TRY(sino_bench_bricks_bytes(bench, precisions[p], sets->value[i], &of_bricks));
            most = sino_larger(most, of_bricks);
        }
    *bytes = sino_runtime_base_bytes() + sino_bench_read_bytes(bench->machine.worker_count) + most;
    return NULL;
}

/* ---- measurement ---- */

/* A step of bricks, whose tasks are done when it returns. */
typedef SinoStatus Step(SinoBenchBricks *bricks);

static Step *const steps[] = {[SINO_BENCH_MATRIX_PROJECT] = sino_bench_bricks_project,
                              [SINO_BENCH_MATRIX_BACKPROJECT] = sino_bench_bricks_backproject,
                              [SINO_BENCH_MATRIX_MLEM] = sino_bench_bricks_iterate};

/* *seconds: of one of the steps that a repetition does; *taken_s: of all of them. */
static SinoStatus time_step(SinoBenchBricks *bricks, Step *step, double *seconds, double *taken_s)
{
    const double start = sino_platform_now_s();
    int count = 0;
    do {
        SINO_TRY(step(bricks));
        *taken_s = sino_platform_now_s() - start;
        count++;
    } while (*taken_s < repetition_s);
    *seconds = *taken_s / count;
    return NULL;
}

/* Each repetition does every step, so that other load on the machine affects all of them. */
static SinoStatus repeat(SinoBenchBricks *bricks, SinoBenchMatrixRow *row)
{
    double sum = 0, taken_s;
    for (int s = 0; s < SINO_BENCH_MATRIX_STEPS; s++) SINO_TRY(steps[s](bricks)); /* touches memory */
    for (row->count = 0; row->count < SINO_BENCH_REPEATS && sum < repetitions_s; row->count++)
        for (int s = 0; s < SINO_BENCH_MATRIX_STEPS; s++) {
            SINO_TRY(time_step(bricks, steps[s], &row->seconds[s][row->count], &taken_s));
            sum += taken_s;
        }
    return NULL;
}

static void tell_row(const SinoBenchMatrix *bench, const SinoBenchMatrixRow *row)
{
    const double nonzeros = (double)bench->packing[row->precision].nonzero_count * (double)row->sets;
    double rate[SINO_BENCH_MATRIX_STEPS] = {0};
    for (int s = 0; s < SINO_BENCH_MATRIX_STEPS; s++)
        for (int i = 0; i < row->count; i++) rate[s] = fmax(rate[s], 1e-9 * nonzeros / row->seconds[s][i]);
    sino_log_info(sino_runtime_log(bench->machine.runtime), "bench",
                  "%s, count sets: %" PRId64 ": project %.3f 10^9 nonzeros per second, backproject %.3f, mlem %.3f",
                  sino_precision_name(row->precision), row->sets, rate[SINO_BENCH_MATRIX_PROJECT],
                  rate[SINO_BENCH_MATRIX_BACKPROJECT], 2 * rate[SINO_BENCH_MATRIX_MLEM]);
}

static SinoStatus measure_row(SinoBenchMatrix *bench, SinoBenchBricks *bricks, SinoPrecision precision, int64_t sets)
{
    SinoBenchMatrixRow *row = &bench->row[bench->row_count];
    *row = (SinoBenchMatrixRow){.precision = precision, .sets = sets};
    SINO_TRY(sino_bench_read(&bench->machine));
    SINO_TRY(sino_bench_bricks_vectors(bricks, sets));
    SINO_TRY(sino_bench_bricks_settle(bricks));
    SINO_TRY(repeat(bricks, row));
    tell_row(bench, row);
    bench->row_count++;
    return NULL;
}

static SinoStatus measure_precision(SinoBenchMatrix *bench, SinoPrecision precision)
{
    const SinoCountList *sets = &bench->settings->bench.slice_counts;
    SinoBenchBricks *bricks = NULL;
    SinoStatus status = sino_bench_bricks_new(bench, precision, &bricks);
    for (int64_t i = 0; i < sets->count && !status; i++) status = measure_row(bench, bricks, precision, sets->value[i]);
    sino_bench_bricks_free(bricks);
    return status;
}

static SinoStatus measure_all(SinoBenchMatrix *bench)
{
    const int64_t rows = PRECISIONS * bench->settings->bench.slice_counts.count;
    SINO_TRY(sino_allocate(rows, sizeof *bench->row, "figures", &bench->row));
    for (int p = 0; p < PRECISIONS; p++)
        if (bench->settings->bench.precisions >> precisions[p] & 1) SINO_TRY(measure_precision(bench, precisions[p]));
    return sino_bench_read(&bench->machine);
}

static SinoStatus measure(void *own, SinoRuntime *runtime)
{
    SinoBenchMatrix *bench = own;
    (void)runtime;
    SinoStatus status = measure_all(bench);
    sino_bench_stream_free(&bench->machine);
    return status;
}

static void release(void *own)
{
    SinoBenchMatrix *bench = own;
    if (!bench) return;
    sino_matrix_survey_free(bench->survey);
    free(bench->row);
    free(bench);
}

const SinoBenchKind sino_bench_matrix = {.begin = begin,
                                         .bytes = needed,
                                         .subject = "this matrix",
                                         .fewer = "count sets (--slices)",
                                         .measure = measure,
                                         .print = sino_bench_matrix_print,
                                         .print_csv = sino_bench_matrix_print_csv,
                                         .release = release};
