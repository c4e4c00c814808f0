/* SPDX-License-Identifier: BSD-3-Clause */
/* bench of system matrices: bricks in both precisions, beside CSR and CSC in the same rounds. */
#include "bench_matrix.h"

#include "arithmetic.h"
#include "file_identity.h"
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

/* Bricks, one precision after the other, and CSR beside them where memory holds it. */
static SinoStatus needed(void *own, SinoRuntime *runtime, int64_t budget_bytes, int64_t *bytes)
{
    SinoBenchMatrix *bench = own;
    const SinoCountList *sets = &bench->settings->bench.slice_counts;
    int64_t most = 0;
    bench->machine = sino_bench_machine(runtime);
    for (int p = 0; p < PRECISIONS; p++)
        for (int64_t i = 0; i < sets->count && bench->settings->bench.precisions >> precisions[p] & 1; i++) {
            int64_t of_bricks;
            SINO_TRY(sino_bench_bricks_bytes(bench, precisions[p], sets->value[i], &of_bricks));
            most = sino_larger(most, of_bricks);
        }
    *bytes = sino_runtime_base_bytes() + sino_bench_read_bytes(bench->machine.worker_count) + most;
    bench->csr_bytes = sino_bench_csr_bytes(bench);
    bench->budget_bytes = budget_bytes;
    bench->with_csr =
        *bytes + bench->csr_bytes <= budget_bytes && bench->survey->outline.row_count <= (int64_t)UINT32_MAX;
    return NULL;
}

/* ---- measurement ---- */

typedef struct Measure {
    SinoBenchMatrix *bench;
    SinoBenchBricks *bricks;
    SinoBenchCsr *csr; /* NULL: left out */
} Measure;

static SinoStatus step_once(Measure *measure, SinoBenchMatrixStep step)
{
    switch (step) {
    case SINO_BENCH_MATRIX_PROJECT:
        return sino_bench_bricks_project(measure->bricks);
    case SINO_BENCH_MATRIX_BACKPROJECT:
        return sino_bench_bricks_backproject(measure->bricks);
    case SINO_BENCH_MATRIX_MLEM:
        return sino_bench_bricks_iterate(measure->bricks);
    default:
        return sino_bench_csr_iterate(measure->csr);
    }
}

/* *seconds: of one of the steps that a repetition does; *taken_s: of all of them. */
static SinoStatus time_step(Measure *measure, SinoBenchMatrixStep step, double *seconds, double *taken_s)
{
    const double start = sino_platform_now_s();
    int count = 0;
    do {
        SINO_TRY(step_once(measure, step));
        *taken_s = sino_platform_now_s() - start;
        count++;
    } while (*taken_s < repetition_s);
    *seconds = *taken_s / count;
    return NULL;
}

/* Each repetition does every step, so that other load on the machine affects all of them. */
static SinoStatus repeat(Measure *measure, SinoBenchMatrixRow *row)
{
    const int steps = measure->csr ? SINO_BENCH_MATRIX_STEPS : SINO_BENCH_MATRIX_CSR;
    double sum = 0, taken_s;
    for (int s = 0; s < steps; s++) SINO_TRY(step_once(measure, (SinoBenchMatrixStep)s)); /* touches memory */
    for (row->count = 0; row->count < SINO_BENCH_REPEATS && sum < repetitions_s; row->count++)
        for (int s = 0; s < steps; s++) {
            double *seconds = &row->seconds[s][row->count];
            SINO_TRY(time_step(measure, (SinoBenchMatrixStep)s, seconds, &taken_s));
            if (s == SINO_BENCH_MATRIX_CSR) *seconds *= (double)row->sets;
            sum += taken_s;
        }
    return NULL;
}

static void tell_row(const SinoBenchMatrix *bench, const SinoBenchMatrixRow *row)
{
    const double nonzeros = (double)bench->packing[row->precision].nonzero_count * (double)row->sets;
    double rate[SINO_BENCH_MATRIX_STEPS] = {0};
    for (int s = 0; s < SINO_BENCH_MATRIX_CSR; s++)
        for (int i = 0; i < row->count; i++) rate[s] = fmax(rate[s], 1e-9 * nonzeros / row->seconds[s][i]);
    sino_log_info(sino_runtime_log(bench->machine.runtime), "bench",
                  "%s, count sets: %" PRId64 ": project %.3f 10^9 nonzeros per second, backproject %.3f, mlem %.3f",
                  sino_precision_name(row->precision), row->sets, rate[SINO_BENCH_MATRIX_PROJECT],
                  rate[SINO_BENCH_MATRIX_BACKPROJECT], 2 * rate[SINO_BENCH_MATRIX_MLEM]);
}

static SinoStatus measure_row(Measure *measure, SinoPrecision precision, int64_t sets)
{
    SinoBenchMatrix *bench = measure->bench;
    SinoBenchMatrixRow *row = &bench->row[bench->row_count];
    *row = (SinoBenchMatrixRow){.precision = precision, .sets = sets, .difference = NAN};
    SINO_TRY(sino_bench_read(&bench->machine));
    SINO_TRY(sino_bench_bricks_vectors(measure->bricks, sets));
    if (measure->csr) SINO_TRY(sino_bench_csr_compare(measure->csr, measure->bricks, &row->difference));
    SINO_TRY(sino_bench_bricks_settle(measure->bricks));
    SINO_TRY(repeat(measure, row));
    tell_row(bench, row);
    bench->row_count++;
    return NULL;
}

static SinoStatus measure_precision(Measure *measure, SinoPrecision precision)
{
    const SinoCountList *sets = &measure->bench->settings->bench.slice_counts;
    SinoStatus status = sino_bench_bricks_new(measure->bench, precision, &measure->bricks);
    for (int64_t i = 0; i < sets->count && !status; i++) status = measure_row(measure, precision, sets->value[i]);
    sino_bench_bricks_free(measure->bricks);
    measure->bricks = NULL;
    return status;
}

static SinoStatus measure_all(Measure *measure)
{
    SinoBenchMatrix *bench = measure->bench;
    const int64_t rows = PRECISIONS * bench->settings->bench.slice_counts.count;
    SINO_TRY(sino_allocate(rows, sizeof *bench->row, "figures", &bench->row));
    if (bench->with_csr) SINO_TRY(sino_bench_csr_new(bench, &measure->csr));
    for (int p = 0; p < PRECISIONS; p++)
        if (bench->settings->bench.precisions >> precisions[p] & 1) SINO_TRY(measure_precision(measure, precisions[p]));
    return sino_bench_read(&bench->machine);
}

static void tell_csr(const SinoBenchMatrix *bench)
{
    char needs[24], has[24];
    SinoLog *log = sino_runtime_log(bench->machine.runtime);
    if (bench->with_csr) return;
    if (bench->survey->outline.row_count > UINT32_MAX)
        sino_log_warning(log, "bench", "CSC is left out: the matrix has more rows than numbers of 32 bits count");
    else
        sino_log_warning(log, "bench", "CSR and CSC are left out: they take %s more, of %s in all",
                         sino_bytes_text(bench->csr_bytes, needs), sino_bytes_text(bench->budget_bytes, has));
}

static SinoStatus measure(void *own, SinoRuntime *runtime)
{
    Measure all = {.bench = own};
    (void)runtime;
    tell_csr(own);
    SinoStatus status = measure_all(&all);
    sino_bench_csr_free(all.csr);
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
