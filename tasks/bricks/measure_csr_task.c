/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks that measure CSR and CSC: measure_csr_rows, measure_csr_columns, measure_csr_transpose, measure_csr_ratio,
 * measure_csr_start, measure_csr_voxels, measure_difference. */
#include "measure_csr_task.h"

#include "task.h"

#include <math.h>

typedef struct RowsArguments {
    SinoMatrixFile *file;
    int64_t first, count;
    SinoRowBuffer *rows;
} RowsArguments;

typedef struct ColumnsArguments {
    const SinoCsr *matrix;
    int64_t first, count;
    int64_t *entries;           /* measure_csr_columns */
    const int64_t *all_entries; /* measure_csr_transpose */
    SinoSparseRows *rows;
} ColumnsArguments;

typedef struct DifferenceArguments {
    int64_t count;
    const float *x, *wanted;
    double *difference;
} DifferenceArguments;

static SinoStatus rows_cpu(const SinoTask *task)
{
    const RowsArguments *arguments = task->arguments;
    return sino_matrix_read(arguments->file, arguments->first, arguments->count, arguments->rows);
}

static SinoStatus columns_cpu(const SinoTask *task)
{
    const ColumnsArguments *arguments = task->arguments;
    sino_csr_count_columns(arguments->matrix, arguments->first, arguments->count, arguments->entries);
    return NULL;
}

static SinoStatus transpose_cpu(const SinoTask *task)
{
    const ColumnsArguments *arguments = task->arguments;
    return sino_csr_transpose(arguments->matrix, arguments->first, arguments->count, arguments->all_entries,
                              arguments->rows);
}

/* Returns the first row of the product. */
static int64_t multiply(const SinoMeasureCsr *what)
{
    const int64_t first = what->rows->first_row;
    sino_csr_multiply(what->rows, what->column_count, what->from, what->product + first);
    return first;
}

static SinoStatus ratio_cpu(const SinoTask *task)
{
    const SinoMeasureCsr *what = task->arguments;
    const int64_t first = multiply(what), end = first + what->rows->row_count;
    for (int64_t i = first; i < end; i++)
        what->to[i] = what->product[i] > 0 ? fminf(what->counts[i] / what->product[i], 0x1p96F) : 0;
    return NULL;
}

static SinoStatus start_cpu(const SinoTask *task)
{
    const SinoMeasureCsr *what = task->arguments;
    const int64_t first = multiply(what), end = first + what->rows->row_count;
    for (int64_t i = first; i < end; i++) {
        what->weight[i] = what->product[i] > 0 ? 1 / what->product[i] : 0;
        what->to[i] = what->weight[i] > 0;
    }
    return NULL;
}

static SinoStatus voxels_cpu(const SinoTask *task)
{
    const SinoMeasureCsr *what = task->arguments;
    const int64_t first = multiply(what), end = first + what->rows->row_count;
    for (int64_t i = first; i < end; i++) what->to[i] *= what->weight[i] * what->product[i];
    return NULL;
}

static SinoStatus difference_cpu(const SinoTask *task)
{
    const DifferenceArguments *arguments = task->arguments;
    double square = 0, apart = 0;
    for (int64_t i = 0; i < arguments->count; i++) {
        const double wanted = (double)arguments->wanted[i], difference = (double)arguments->x[i] - wanted;
        apart += difference * difference;
        square += wanted * wanted;
    }
    *arguments->difference = square > 0 ? sqrt(apart / square) : 0;
    return NULL;
}

static const SinoTaskKind rows_kind = {
    .name = "measure_csr_rows", .argument_bytes = sizeof(RowsArguments), .cpu = rows_cpu};
static const SinoTaskKind columns_kind = {
    .name = "measure_csr_columns", .argument_bytes = sizeof(ColumnsArguments), .cpu = columns_cpu};
static const SinoTaskKind transpose_kind = {
    .name = "measure_csr_transpose", .argument_bytes = sizeof(ColumnsArguments), .cpu = transpose_cpu};
static const SinoTaskKind ratio_kind = {
    .name = "measure_csr_ratio", .argument_bytes = sizeof(SinoMeasureCsr), .cpu = ratio_cpu};
static const SinoTaskKind start_kind = {
    .name = "measure_csr_start", .argument_bytes = sizeof(SinoMeasureCsr), .cpu = start_cpu};
static const SinoTaskKind voxels_kind = {
    .name = "measure_csr_voxels", .argument_bytes = sizeof(SinoMeasureCsr), .cpu = voxels_cpu};
static const SinoTaskKind difference_kind = {
    .name = "measure_difference", .argument_bytes = sizeof(DifferenceArguments), .cpu = difference_cpu};

SinoStatus sino_insert_measure_csr_rows(SinoRuntime *runtime, SinoMatrixFile *file, int64_t first, int64_t count,
                                        SinoRowBuffer *rows)
{
    const RowsArguments arguments = {.file = file, .first = first, .count = count, .rows = rows};
    return SINO_SUBMIT(runtime, &rows_kind, SINO_NOWHERE, &arguments, .work = (double)count);
}

SinoStatus sino_insert_measure_csr_columns(SinoRuntime *runtime, const SinoCsr *matrix, int64_t first, int64_t count,
                                           int64_t *entries)
{
    const ColumnsArguments arguments = {.matrix = matrix, .first = first, .count = count, .entries = entries};
    return SINO_SUBMIT(runtime, &columns_kind, SINO_NOWHERE, &arguments, .work = (double)count);
}

SinoStatus sino_insert_measure_csr_transpose(SinoRuntime *runtime, const SinoCsr *matrix, int64_t first, int64_t count,
                                             const int64_t *entries, SinoSparseRows *rows)
{
    const ColumnsArguments arguments = {
        .matrix = matrix, .first = first, .count = count, .all_entries = entries, .rows = rows};
    return SINO_SUBMIT(runtime, &transpose_kind, SINO_NOWHERE, &arguments, .work = (double)count);
}

static SinoStatus submit_product(SinoRuntime *runtime, const SinoTaskKind *kind, const SinoMeasureCsr *what)
{
    const SinoSparseRows *rows = what->rows;
    return SINO_SUBMIT(runtime, kind, SINO_NOWHERE, what,
                       .work = (double)(rows->start[rows->row_count] - rows->start[0]));
}

SinoStatus sino_insert_measure_csr_ratio(SinoRuntime *runtime, const SinoMeasureCsr *what)
{
    return submit_product(runtime, &ratio_kind, what);
}

SinoStatus sino_insert_measure_csr_start(SinoRuntime *runtime, const SinoMeasureCsr *what)
{
    return submit_product(runtime, &start_kind, what);
}

SinoStatus sino_insert_measure_csr_voxels(SinoRuntime *runtime, const SinoMeasureCsr *what)
{
    return submit_product(runtime, &voxels_kind, what);
}

SinoStatus sino_insert_measure_difference(SinoRuntime *runtime, int64_t count, const float *x, const float *wanted,
                                          double *difference)
{
    const DifferenceArguments arguments = {.count = count, .x = x, .wanted = wanted, .difference = difference};
    return SINO_SUBMIT(runtime, &difference_kind, SINO_NOWHERE, &arguments, .work = (double)count);
}
