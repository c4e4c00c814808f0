/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: a system matrix whose file's bytes are anything. What is read must be as system_matrix.h says, and the same
 * in other ranges. */
#pragma once

#include "fuzz.h"
#include "matrix_file.h"

#include <math.h>

enum { FUZZ_ROWS = 64 }; /* that are read at once */

static inline void fuzz_rows(const SinoSparseRows *rows, int64_t first, int64_t count, int64_t columns)
{
    fuzz_require(rows->first_row == first && rows->row_count == count && rows->start[0] == 0);
    for (int64_t i = 0; i < count; i++) {
        fuzz_require(rows->start[i] <= rows->start[i + 1]);
        for (int64_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
            fuzz_require(k == rows->start[i] || rows->column[k - 1] < rows->column[k]);
            fuzz_require(rows->column[k] < columns && rows->value[k] > 0 && isfinite(rows->value[k]));
        }
    }
}

/* Reads the last row of `all` alone. */
static inline SinoStatus fuzz_last_row(SinoMatrixFile *file, const SinoSparseRows *all)
{
    SinoRowBuffer buffer = {.row_room = 0};
    int64_t most = 0;
    const int64_t row = all->first_row + all->row_count - 1;
    const int64_t begin = all->start[all->row_count - 1], count = all->start[all->row_count] - begin;
    SinoStatus status = sino_matrix_read(file, row, 1, &buffer);
    if (!status) status = sino_matrix_count_rows(file, row, 1, &most);
    if (!status) {
        fuzz_require(buffer.rows.start[1] == count && count <= most);
        fuzz_require(memcmp(buffer.rows.column, all->column + begin, (size_t)count * 4) == 0);
        fuzz_require(memcmp(buffer.rows.value, all->value + begin, (size_t)count * 4) == 0);
    }
    sino_row_buffer_free(&buffer);
    return status;
}

/* Reads the first and the last rows. */
static inline SinoStatus fuzz_ranges(SinoMatrixFile *file, SinoRowBuffer *buffer)
{
    const int64_t rows = sino_matrix_read_count(file), count = fuzz_smaller(rows, FUZZ_ROWS);
    SinoStatus status = NULL;
    for (int end = 0; end < 2 && !status; end++) {
        const int64_t first = end ? rows - count : 0;
        status = sino_matrix_read(file, first, count, buffer);
        if (!status) fuzz_rows(&buffer->rows, first, count, sino_matrix_outline(file)->column_count);
        if (!status) status = fuzz_last_row(file, &buffer->rows);
    }
    return status;
}

static inline void fuzz_matrix(const char *path)
{
    const SinoVoxelGrid grid = {4, 3, 2, {1, 0.7, 1.5}}; /* of maps of crystals and SPECT headers */
    const SinoCamera camera = {.attenuation = NULL};
    SinoMatrixFile *file = NULL;
    SinoRowBuffer buffer = {.row_room = 0};
    SinoStatus status = sino_matrix_open(path, &file);
    if (!status) status = sino_matrix_frame(file, &grid, &camera);
    if (!status) {
        const SinoMatrixOutline *about = sino_matrix_outline(file);
        fuzz_require(about->row_count >= 1 && about->column_count >= 1 && about->column_count <= UINT32_MAX);
        status = fuzz_ranges(file, &buffer);
        if (!status) status = sino_matrix_fold(file);
        if (!status && about->mirrors) status = fuzz_ranges(file, &buffer);
    }
    sino_row_buffer_free(&buffer);
    sino_matrix_close(file);
    sino_status_free(status);
}
