/* SPDX-License-Identifier: BSD-3-Clause */
/* Filter's part that depends on the precision; filter_cpu.c includes it once per type, with REAL, FFTW() and TMPL(). */

static void TMPL(free_plans)(SinoFilter *filter)
{
    if (filter->TMPL(plan).forward) FFTW(destroy_plan)(filter->TMPL(plan).forward);
    if (filter->TMPL(plan).backward) FFTW(destroy_plan)(filter->TMPL(plan).backward);
}

/* Plans hold for any rows of the same alignment, and row_stride keeps them aligned. */
static SinoStatus TMPL(make_plans)(SinoFilter *filter)
{
    const int count = (int)filter->padded_count;
    REAL *row = NULL;
    SINO_TRY(sino_allocate(sino_filter_scratch_bytes(filter), 1, "filter scratch", &row));
    FFTW(complex) *spectrum = (void *)(row + ROWS * row_stride(filter));
    filter->TMPL(plan).forward = FFTW(plan_dft_r2c_1d)(count, row, spectrum, FFTW_ESTIMATE);
    filter->TMPL(plan).backward = FFTW(plan_dft_c2r_1d)(count, spectrum, row, FFTW_ESTIMATE);
    free(row);
    const bool planned = filter->TMPL(plan).forward && filter->TMPL(plan).backward;
    SINO_CHECK(planned, SINO_FAILED, "FFTW made no plan for rows of %d points", count);
    return NULL;
}

/* Columns past M are zeroed each time: backward transforms have left something there. */
static void TMPL(gather_rows)(const SinoFilter *filter, int64_t slice_stride, int count, const int64_t *offset,
                              const REAL *weight, const REAL *sinogram, REAL *rows)
{
    const int64_t stride = row_stride(filter);
    memset(rows, 0, (size_t)(count * stride) * sizeof *rows);
    for (int64_t c = 0; c < filter->column_count; c++) {
        for (int i = 0; i < count; i++) rows[i * stride + c] = weight[i] * sinogram[c * slice_stride + offset[i]];
    }
}

static void TMPL(scatter_rows)(const SinoFilter *filter, int64_t slice_stride, int count, const int64_t *offset,
                               const REAL *rows, REAL *sinogram)
{
    const int64_t stride = row_stride(filter);
    for (int64_t c = 0; c < filter->column_count; c++) {
        for (int i = 0; i < count; i++) sinogram[c * slice_stride + offset[i]] = rows[i * stride + c];
    }
}

static void TMPL(convolve)(const SinoFilter *filter, FFTW(complex) * spectrum, REAL *row)
{
    const REAL *transfer = filter->transfer;
    FFTW(execute_dft_r2c)(filter->TMPL(plan).forward, row, spectrum);
    for (int64_t k = 0; k <= filter->padded_count / 2; k++) {
        spectrum[k][0] *= transfer[k];
        spectrum[k][1] *= transfer[k];
    }
    FFTW(execute_dft_c2r)(filter->TMPL(plan).backward, spectrum, row);
}

/* The F slices of one panel. Row k·F + f is slice f of angle k, so blocks of rows are full whatever F. */
static void TMPL(filter_rows)(const SinoFilter *filter, int64_t angle_count, SinoSlices slices,
                              const double *angle_weight, REAL *scratch, REAL *sinogram)
{
    const int64_t row_count = angle_count * slices.slice_count;
    FFTW(complex) *spectrum = (void *)(scratch + ROWS * row_stride(filter));
    for (int64_t first = 0; first < row_count; first += ROWS) {
        const int count = row_count - first < ROWS ? (int)(row_count - first) : ROWS;
        int64_t offset[ROWS];
        REAL weight[ROWS];
        for (int i = 0; i < count; i++) {
            const int64_t k = (first + i) / slices.slice_count, f = (first + i) % slices.slice_count;
            offset[i] = k * filter->column_count * slices.stride + f;
            weight[i] = (REAL)angle_weight[k];
        }
        TMPL(gather_rows)(filter, slices.stride, count, offset, weight, sinogram, scratch);
        for (int i = 0; i < count; i++) TMPL(convolve)(filter, spectrum, scratch + i * row_stride(filter));
        TMPL(scatter_rows)(filter, slices.stride, count, offset, scratch, sinogram);
    }
}
