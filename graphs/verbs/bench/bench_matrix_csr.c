/* SPDX-License-Identifier: BSD-3-Clause */
/* Bench, system matrices: MLEM with CSR and CSC. Workers share the rows for A x, and the columns for Aᵀ y. */
#include "arithmetic.h"
#include "bench_matrix.h"
#include "measure_csr_task.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

enum { RANGES_PER_WORKER = 4 }; /* of columns: as for row partitions, so that workers are done at the same time */

/* Columns that a task multiplies. */
typedef struct Range {
    int64_t first, count;
} Range;

struct SinoBenchCsr {
    const SinoBenchMatrix *bench;
    int64_t part_count, column_count, range_count;
    SinoRowBuffer *buffer;        /* [part]: rows of A */
    const SinoSparseRows **part;  /* [part]: in the buffers */
    SinoCsr matrix;               /* of the parts */
    int64_t *entries;             /* [column] */
    Range *range;                 /* [range]: of columns */
    SinoSparseRows *columns;      /* [range]: rows of Aᵀ */
    float *counts, *rays, *ratio; /* [row] */
    float *sum, *weight, *x;      /* [column] */
};

static int64_t row_count_of(const SinoBenchMatrix *bench)
{
    return bench->survey->outline.row_count;
}

/* Both formats, row pointers, and vectors; the transpose has a place for each column, too. */
int64_t sino_bench_csr_bytes(const SinoBenchMatrix *bench)
{
    const SinoMatrixOutline *outline = &bench->survey->outline;
    return sino_times(outline->nonzero_count, 16) + sino_times(outline->row_count, 20) +
           sino_times(outline->column_count, 36);
}

/* Cuts the columns into ranges that each have a column, and about as many entries as the others. */
static void cut(const SinoBenchCsr *csr)
{
    int64_t all = 0, before = 0, column = 0;
    for (int64_t i = 0; i < csr->column_count; i++) all += csr->entries[i];
    for (int64_t r = 0; r < csr->range_count; r++) {
        const int64_t first = column, most = csr->column_count - (csr->range_count - 1 - r);
        const int64_t wanted = r + 1 == csr->range_count ? INT64_MAX : all / csr->range_count * (r + 1);
        do before += csr->entries[column++];
        while (column < most && before < wanted);
        csr->range[r] = (Range){first, column - first};
    }
}

static SinoStatus insert_rows(SinoBenchCsr *csr)
{
    const SinoMatrixSurvey *survey = csr->bench->survey;
    for (int64_t p = 0; p < csr->part_count; p++) {
        const int64_t first = survey->first_row[p];
        csr->part[p] = &csr->buffer[p].rows;
        SINO_TRY(sino_insert_measure_csr_rows(csr->bench->machine.runtime, survey->file, first,
                                              survey->first_row[p + 1] - first, &csr->buffer[p]));
    }
    return NULL;
}

static SinoStatus insert_counts(SinoBenchCsr *csr)
{
    const int64_t each = sino_ceil_divide(csr->column_count, csr->range_count);
    for (int64_t first = 0; first < csr->column_count; first += each)
        SINO_TRY(sino_insert_measure_csr_columns(csr->bench->machine.runtime, &csr->matrix, first,
                                                 sino_smaller(each, csr->column_count - first), csr->entries + first));
    return NULL;
}

static SinoStatus insert_transposes(SinoBenchCsr *csr)
{
    for (int64_t i = 0; i < csr->range_count; i++)
        SINO_TRY(sino_insert_measure_csr_transpose(csr->bench->machine.runtime, &csr->matrix, csr->range[i].first,
                                                   csr->range[i].count, csr->entries + csr->range[i].first,
                                                   &csr->columns[i]));
    return NULL;
}

static SinoStatus make_matrices(SinoBenchCsr *csr)
{
    SinoRuntime *runtime = csr->bench->machine.runtime;
    SINO_TRY(sino_allocate(csr->part_count, sizeof *csr->buffer, "parts", &csr->buffer));
    SINO_TRY(sino_allocate(csr->part_count, sizeof *csr->part, "parts", &csr->part));
    SINO_TRY(sino_allocate(csr->range_count, sizeof *csr->range, "parts", &csr->range));
    SINO_TRY(sino_allocate(csr->range_count, sizeof *csr->columns, "parts", &csr->columns));
    SINO_TRY(sino_allocate(csr->column_count, sizeof *csr->entries, "counts of columns", &csr->entries));
    SINO_TRY(sino_runtime_wait_after(runtime, insert_rows(csr)));
    csr->matrix = (SinoCsr){.part_count = csr->part_count, .part = csr->part};
    SINO_TRY(sino_runtime_wait_after(runtime, insert_counts(csr)));
    cut(csr);
    return sino_runtime_wait_after(runtime, insert_transposes(csr));
}

static SinoStatus make_vectors(SinoBenchCsr *csr)
{
    const int64_t rows = row_count_of(csr->bench);
    SINO_TRY(sino_allocate(rows, sizeof *csr->counts, "rays", &csr->counts));
    SINO_TRY(sino_allocate(rows, sizeof *csr->rays, "rays", &csr->rays));
    SINO_TRY(sino_allocate(rows, sizeof *csr->ratio, "rays", &csr->ratio));
    SINO_TRY(sino_allocate(csr->column_count, sizeof *csr->sum, "voxels", &csr->sum));
    SINO_TRY(sino_allocate(csr->column_count, sizeof *csr->weight, "voxels", &csr->weight));
    return sino_allocate(csr->column_count, sizeof *csr->x, "voxels", &csr->x);
}

SinoStatus sino_bench_csr_new(const SinoBenchMatrix *bench, SinoBenchCsr **result)
{
    SinoBenchCsr *csr;
    SINO_TRY(sino_allocate(1, sizeof *csr, "CSR", &csr));
    csr->bench = bench;
    csr->part_count = bench->survey->partition_count;
    csr->column_count = bench->survey->outline.column_count;
    csr->range_count = sino_smaller(sino_times(RANGES_PER_WORKER, bench->machine.worker_count), csr->column_count);
    SinoStatus status = make_matrices(csr);
    if (!status) status = make_vectors(csr);
    SINO_GIVE(status, csr, sino_bench_csr_free, result);
}

void sino_bench_csr_free(SinoBenchCsr *csr)
{
    if (!csr) return;
    for (int64_t p = 0; csr->buffer && p < csr->part_count; p++) sino_row_buffer_free(&csr->buffer[p]);
    for (int64_t i = 0; csr->columns && i < csr->range_count; i++) sino_csr_free(&csr->columns[i]);
    free(csr->buffer);
    free(csr->part);
    free(csr->range);
    free(csr->columns);
    free(csr->entries);
    free(csr->counts);
    free(csr->rays);
    free(csr->ratio);
    free(csr->sum);
    free(csr->weight);
    free(csr->x);
    free(csr);
}

static SinoStatus insert_ratios(SinoBenchCsr *csr)
{
    for (int64_t p = 0; p < csr->part_count; p++) {
        const SinoMeasureCsr what = {.rows = csr->part[p],
                                     .column_count = csr->column_count,
                                     .from = csr->x,
                                     .counts = csr->counts,
                                     .product = csr->rays,
                                     .to = csr->ratio};
        SINO_TRY(sino_insert_measure_csr_ratio(csr->bench->machine.runtime, &what));
    }
    return NULL;
}

/* Aᵀ of the ratios, of all columns: start or voxels. */
typedef SinoStatus Insert(SinoRuntime *runtime, const SinoMeasureCsr *what);

static SinoStatus insert_columns(SinoBenchCsr *csr, Insert *insert)
{
    for (int64_t i = 0; i < csr->range_count; i++) {
        const SinoMeasureCsr what = {.rows = &csr->columns[i],
                                     .column_count = row_count_of(csr->bench),
                                     .from = csr->ratio,
                                     .product = csr->sum,
                                     .to = csr->x,
                                     .weight = csr->weight};
        SINO_TRY(insert(csr->bench->machine.runtime, &what));
    }
    return NULL;
}

SinoStatus sino_bench_csr_iterate(SinoBenchCsr *csr)
{
    SINO_TRY(sino_runtime_wait_after(csr->bench->machine.runtime, insert_ratios(csr)));
    return sino_runtime_wait_after(csr->bench->machine.runtime, insert_columns(csr, sino_insert_measure_csr_voxels));
}

/* As MLEM of bricks starts, but for a factor of x, of which the next x does not depend. */
static SinoStatus start(SinoBenchCsr *csr)
{
    for (int64_t i = 0; i < row_count_of(csr->bench); i++) csr->counts[i] = csr->ratio[i] = 1;
    return sino_runtime_wait_after(csr->bench->machine.runtime, insert_columns(csr, sino_insert_measure_csr_start));
}

/* Makes counts of the image as it is. */
static SinoStatus settle(SinoBenchCsr *csr)
{
    SINO_TRY(sino_runtime_wait_after(csr->bench->machine.runtime, insert_ratios(csr)));
    memcpy(csr->counts, csr->rays, (size_t)row_count_of(csr->bench) * sizeof *csr->counts);
    return NULL;
}

SinoStatus sino_bench_csr_compare(SinoBenchCsr *csr, SinoBenchBricks *bricks, double *difference)
{
    const float *image;
    SinoRuntime *runtime = csr->bench->machine.runtime;
    SINO_TRY(start(csr));
    SINO_TRY(sino_bench_csr_iterate(csr));
    SINO_TRY(sino_bench_bricks_iterate(bricks));
    SINO_TRY(sino_bench_bricks_image(bricks, &image));
    SINO_TRY(sino_runtime_wait_after(
        runtime, sino_insert_measure_difference(runtime, csr->column_count, image, csr->x, difference)));
    return settle(csr);
}
