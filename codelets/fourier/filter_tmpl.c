/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of Filter that depends on the precision. filter_cpu.c includes this file once per type, with REAL, FFTW()
 * and NAME() defined. */

static void NAME(free_plans)(SinoFilter *filter)
{
    if (filter->NAME(plan).forward) FFTW(destroy_plan)(filter->NAME(plan).forward);
    if (filter->NAME(plan).backward) FFTW(destroy_plan)(filter->NAME(plan).backward);
}

/* Makes the plans. FFTW's plans are valid for all rows of the same alignment, and row_stride keeps all rows aligned
 * alike. */
static SinoStatus NAME(make_plans)(SinoFilter *filter)
{
    const int count = (int)filter->padded_count;
    REAL *row = NULL;
    SINO_TRY(sino_allocate(sino_filter_scratch_bytes(filter), 1, "filter scratch", &row));
    FFTW(complex) *spectrum = (void *)(row + ROWS * row_stride(filter));
    filter->NAME(plan).forward = FFTW(plan_dft_r2c_1d)(count, row, spectrum, FFTW_ESTIMATE);
    filter->NAME(plan).backward = FFTW(plan_dft_c2r_1d)(count, spectrum, row, FFTW_ESTIMATE);
    free(row);
    const bool planned = filter->NAME(plan).forward && filter->NAME(plan).backward;
    SINO_CHECK(planned, SINO_FAILED, "FFTW made no plan for rows of %d points", count);
    return NULL;
}

/* Rows that are transformed together: row i is one slice of one angle. */
typedef struct NAME(Rows) {
    int count;
    int64_t offset[ROWS]; /* of each row's column 0 in the panel */
    REAL weight[ROWS];    /* of each row's angle */
} NAME(Rows);

/* Gathers column c of every row, times the row's weight. */
static void NAME(gather_rows)(const SinoFilter *filter, int64_t slice_stride, const NAME(Rows) * rows,
                              const REAL *sinogram, REAL *scratch)
{
    for (int64_t c = 0; c < filter->column_count; c++)
        for (int i = 0; i < rows->count; i++)
            scratch[i * row_stride(filter) + c] = rows->weight[i] * sinogram[c * slice_stride + rows->offset[i]];
}

static void NAME(scatter_rows)(const SinoFilter *filter, int64_t slice_stride, const NAME(Rows) * rows,
                               const REAL *scratch, REAL *sinogram)
{
    for (int64_t c = 0; c < filter->column_count; c++)
        for (int i = 0; i < rows->count; i++)
            sinogram[c * slice_stride + rows->offset[i]] = scratch[i * row_stride(filter) + c];
}

/* Gathers ROWS neighbouring slices of one angle, from[column][slice_stride], in blocks of ROWS columns. Up to ROWS − 1
 * columns after the last one become 0. */
SINO_VECTORISED static void NAME(gather_slices)(const SinoFilter *filter, int64_t slice_stride, REAL weight,
                                                const REAL *from, REAL *scratch)
{
    const int64_t stride = row_stride(filter);
    for (int64_t first = 0; first < filter->column_count; first += ROWS) {
        const int64_t left = filter->column_count - first, count = left < ROWS ? left : ROWS;
        REAL block[ROWS][ROWS] = {{0}};
        for (int64_t c = 0; c < count; c++)
            for (int i = 0; i < ROWS; i++) block[c][i] = from[(first + c) * slice_stride + i];
        for (int i = 0; i < ROWS; i++)
            for (int c = 0; c < ROWS; c++) scratch[i * stride + first + c] = weight * block[c][i];
    }
}

/* Writes `slices` of the ROWS slices back to the panel. */
SINO_VECTORISED static void NAME(scatter_slices)(const SinoFilter *filter, int64_t slice_stride, int slices,
                                                 const REAL *scratch, REAL *to)
{
    const int64_t stride = row_stride(filter);
    for (int64_t first = 0; first < filter->column_count; first += ROWS) {
        const int64_t left = filter->column_count - first, count = left < ROWS ? left : ROWS;
        REAL block[ROWS][ROWS];
        for (int c = 0; c < ROWS; c++)
            for (int i = 0; i < ROWS; i++) block[c][i] = scratch[i * stride + first + c];
        for (int64_t c = 0; c < count; c++)
            memcpy(to + (first + c) * slice_stride, block[c], (size_t)slices * sizeof(REAL));
    }
}

SINO_VECTORISED static void NAME(multiply)(int64_t count, const REAL *transfer, REAL *spectrum)
{
    for (int64_t k = 0; k < count; k++) {
        spectrum[2 * k] *= transfer[k];
        spectrum[2 * k + 1] *= transfer[k];
    }
}

SINO_VECTORISED static bool NAME(has_gaps)(int64_t column_count, const REAL *row)
{
    bool found = false;
    for (int64_t c = 0; c < column_count; c++) found |= sino_is_undefined(row[c]);
    return found;
}

/* Interpolates the columns between `left`, −1 if no column before has a value, and `right`, `count` if none after has.
 */
static void NAME(bridge)(int64_t left, int64_t right, int64_t count, REAL *row)
{
    for (int64_t c = left + 1; c < right; c++) {
        const REAL share = (REAL)(c - left) / (REAL)(right - left);
        const REAL before = left >= 0 ? row[left] : row[right], after = right < count ? row[right] : before;
        row[c] = before + share * (after - before);
    }
}

/* Interpolates values −0, unless the row has no other. */
static void NAME(bridge_gaps)(int64_t column_count, REAL *row)
{
    int64_t left = -1;
    if (!NAME(has_gaps)(column_count, row)) return;
    for (int64_t c = 0; c < column_count; c++) {
        if (sino_is_undefined(row[c])) continue;
        NAME(bridge)(left, c, column_count, row);
        left = c;
    }
    if (left >= 0) NAME(bridge)(left, column_count, column_count, row);
}

/* The end of a row at its outermost column, from which a step inwards is `step`. */
static SinoRowEnd NAME(end_of)(int64_t columns, const REAL *outermost, int64_t step)
{
    const int64_t inner = sino_row_end_steps(columns) * step, middle = inner / 2;
    return sino_row_end(columns, (double)outermost[0], (double)outermost[middle], (double)outermost[inner]);
}

/* Fills the columns after M, where backward transforms left values: with zeros; or with what lies beyond the last
 * column, and from the middle on with what lies beyond the first one, since the row is a circle. */
SINO_VECTORISED static void NAME(pad)(const SinoFilter *filter, REAL *row)
{
    const int64_t columns = filter->column_count, padded = filter->padded_count;
    const int64_t after = (padded - columns) / 2, before = padded - columns - after;
    memset(row + columns, 0, (size_t)(row_stride(filter) - columns) * sizeof *row);
    if (!filter->edges) return;
    const SinoRowEnd last = NAME(end_of)(columns, row + columns - 1, -1), first = NAME(end_of)(columns, row, 1);
    for (int64_t d = 1; d <= after; d++) row[columns + d - 1] = (REAL)sino_row_beyond(last, (double)d);
    for (int64_t d = 1; d <= before; d++) row[padded - d] = (REAL)sino_row_beyond(first, (double)d);
}

/* Convolves `count` rows. */
static void NAME(convolve)(const SinoFilter *filter, int count, REAL *scratch)
{
    const int64_t stride = row_stride(filter);
    FFTW(complex) *spectrum = (void *)(scratch + ROWS * stride);
    for (int i = 0; i < count; i++) {
        REAL *row = scratch + i * stride;
        if (filter->gaps) NAME(bridge_gaps)(filter->column_count, row);
        NAME(pad)(filter, row);
        FFTW(execute_dft_r2c)(filter->NAME(plan).forward, row, spectrum);
        NAME(multiply)(filter->padded_count / 2 + 1, filter->transfer, (REAL *)spectrum);
        FFTW(execute_dft_c2r)(filter->NAME(plan).backward, spectrum, row);
    }
}

/* Filters a panel of fewer than ROWS slices. Row k·F + f is slice f of angle k, so that blocks of rows are full for any
 * F. */
static void NAME(filter_rows)(const SinoFilter *filter, int64_t angle_count, SinoSlices slices,
                              const double *angle_weight, REAL *scratch, REAL *sinogram)
{
    const int64_t row_count = sino_times(angle_count, slices.slice_count);
    for (int64_t first = 0; first < row_count; first += ROWS) {
        NAME(Rows) rows = {.count = row_count - first < ROWS ? (int)(row_count - first) : ROWS};
        for (int i = 0; i < rows.count; i++) {
            const int64_t k = (first + i) / slices.slice_count, f = (first + i) % slices.slice_count;
            rows.offset[i] = k * filter->column_count * slices.stride + f;
            rows.weight[i] = (REAL)angle_weight[k];
        }
        NAME(gather_rows)(filter, slices.stride, &rows, sinogram, scratch);
        NAME(convolve)(filter, rows.count, scratch);
        NAME(scatter_rows)(filter, slices.stride, &rows, scratch, sinogram);
    }
}

/* Filters a panel whose stride is a multiple of ROWS, in blocks of ROWS adjacent slices. */
static void NAME(filter_slices)(const SinoFilter *filter, int64_t angle_count, SinoSlices slices,
                                const double *angle_weight, REAL *scratch, REAL *sinogram)
{
    for (int64_t k = 0; k < angle_count; k++) {
        for (int64_t f = 0; f < slices.slice_count; f += ROWS) {
            const int count = slices.slice_count - f < ROWS ? (int)(slices.slice_count - f) : ROWS;
            REAL *const rows = sinogram + k * filter->column_count * slices.stride + f;
            NAME(gather_slices)(filter, slices.stride, (REAL)angle_weight[k], rows, scratch);
            NAME(convolve)(filter, count, scratch);
            NAME(scatter_slices)(filter, slices.stride, count, scratch, rows);
        }
    }
}

/* Filters the F slices of one panel. */
static void NAME(filter_panel)(const SinoFilter *filter, int64_t angle_count, SinoSlices slices,
                               const double *angle_weight, REAL *scratch, REAL *sinogram)
{
    if (slices.stride % ROWS == 0)
        NAME(filter_slices)(filter, angle_count, slices, angle_weight, scratch, sinogram);
    else
        NAME(filter_rows)(filter, angle_count, slices, angle_weight, scratch, sinogram);
}
