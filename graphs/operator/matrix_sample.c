/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix sample: reads some rows of a system matrix from everywhere. */
#include "matrix_survey.h"

#include "brick_pack.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    SAMPLE_RANGES = 64, /* of a sample, from everywhere */
    SAMPLE_ROWS = 32    /* of such a range */
};

/* Appends rows to a sample, which has room for them. */
static void append(const SinoSparseRows *rows, SinoSparseRows *sample)
{
    const int64_t from = rows->start[0], count = rows->start[rows->row_count] - from;
    int64_t *start = sample->start + sample->row_count;
    memcpy(sample->column + start[0], rows->column + from, (size_t)count * sizeof *rows->column);
    memcpy(sample->value + start[0], rows->value + from, (size_t)count * sizeof *rows->value);
    for (int64_t i = 0; i < rows->row_count; i++) start[i + 1] = start[0] + rows->start[i + 1] - from;
    sample->row_count += rows->row_count;
}

static void free_sample(SinoSparseRows *sample)
{
    free(sample->start);
    free(sample->column);
    free(sample->value);
}

/* The row behind `share` of all entries. */
static int64_t row_behind(const SinoMatrixSurvey *survey, const int64_t *entries, double share)
{
    const double wanted = share * (double)survey->read_nonzeros;
    double sum = 0;
    int64_t row = 0;
    while (row < survey->read_count - 1 && sum < wanted) sum += (double)entries[row++];
    return row;
}

/* The ranges of rows of a sample; one, from the middle, of files that are read as a whole for each. */
typedef struct Ranges {
    int64_t count, rows;
    int64_t first[SAMPLE_RANGES];
} Ranges;

static Ranges ranges_of(const SinoMatrixSurvey *survey, const int64_t *entries)
{
    static const int64_t all = (int64_t)SAMPLE_RANGES * SAMPLE_ROWS;
    const int64_t rows = survey->read_count;
    const bool access = survey->outline.row_access && rows > all;
    Ranges ranges = {.count = access ? SAMPLE_RANGES : 1, .rows = access ? SAMPLE_ROWS : sino_smaller(rows, all)};
    for (int64_t i = 0; i < ranges.count; i++) {
        const int64_t row = row_behind(survey, entries, ((double)i + 0.5) / (double)ranges.count) - ranges.rows / 2;
        ranges.first[i] = sino_larger(0, sino_smaller(row, rows - ranges.rows));
    }
    return ranges;
}

static SinoStatus read_sample(const SinoMatrixSurvey *survey, const int64_t *entries, SinoSparseRows *sample)
{
    const Ranges ranges = ranges_of(survey, entries);
    SinoRowBuffer buffer = {0};
    SinoStatus status = NULL;
    int64_t room = 0;
    for (int64_t i = 0; i < ranges.count; i++)
        for (int64_t k = 0; k < ranges.rows; k++) room += entries[ranges.first[i] + k];
    SINO_TRY(sino_allocate(sino_times(ranges.count, ranges.rows) + 1, sizeof *sample->start, "a sample of rows",
                           &sample->start));
    SINO_TRY(sino_allocate(room, sizeof *sample->column, "a sample of rows", &sample->column));
    SINO_TRY(sino_allocate(room, sizeof *sample->value, "a sample of rows", &sample->value));
    for (int64_t i = 0; i < ranges.count && !status; i++) {
        status = sino_matrix_read(survey->file, ranges.first[i], ranges.rows, &buffer);
        if (!status) append(&buffer.rows, sample);
    }
    sino_row_buffer_free(&buffer);
    return status;
}

static SinoStatus weigh_sample(SinoMatrixSurvey *survey, const SinoSparseRows *sample)
{
    static const SinoPrecision precisions[] = {SINO_SINGLE, SINO_MIXED};
    const int64_t nonzeros = sample->start[sample->row_count];
    for (int i = 0; i < 2; i++) {
        SinoBrickHead *block = NULL;
        SINO_TRY(sino_brick_pack(survey->order, precisions[i], sample, &block));
        survey->bytes_per_nonzero[i] = nonzeros > 0 ? (double)block->bytes / (double)nonzeros : 8;
        sino_free_large(block);
    }
    return NULL;
}

SinoStatus sino_matrix_order_voxels(SinoMatrixSurvey *survey, const int64_t *entries)
{
    SinoSparseRows sample = {0};
    SinoStatus status = read_sample(survey, entries, &sample);
    if (!status)
        status = sino_brick_order_new(&survey->outline.grid, survey->outline.column_count, &sample, &survey->order);
    if (!status) status = weigh_sample(survey, &sample);
    free_sample(&sample);
    return status;
}
