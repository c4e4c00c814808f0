/* SPDX-License-Identifier: BSD-3-Clause */
/* Filter's part that depends on the precision; filter_cpu.c includes it once per type, with REAL, FFTW() and TMPL(). */

static void TMPL(free_plans)(SinoFilter *filter)
{
    if (filter->TMPL(plan).forward) FFTW(destroy_plan)(filter->TMPL(plan).forward);
    if (filter->TMPL(plan).backward) FFTW(destroy_plan)(filter->TMPL(plan).backward);
}

/* Complex transforms of P points, in place on scratch[P][LANES / 2]. */
static FFTW(plan) TMPL(plan_lanes)(int count, int sign, FFTW(complex) * scratch)
{
    const int lanes = LANES / 2;
    return FFTW(plan_many_dft)(1, &count, lanes, scratch, NULL, lanes, 1, scratch, NULL, lanes, 1, sign, FFTW_ESTIMATE);
}

/* Plans hold for any scratch of the same alignment. */
static SinoStatus TMPL(make_plans)(SinoFilter *filter)
{
    const int count = (int)filter->padded_count;
    FFTW(complex) *scratch = NULL;
    SINO_TRY(sino_allocate(sino_filter_scratch_bytes(filter), 1, "filter scratch", &scratch));
    filter->TMPL(plan).forward = TMPL(plan_lanes)(count, FFTW_FORWARD, scratch);
    filter->TMPL(plan).backward = TMPL(plan_lanes)(count, FFTW_BACKWARD, scratch);
    free(scratch);
    const bool planned = filter->TMPL(plan).forward && filter->TMPL(plan).backward;
    SINO_CHECK(planned, SINO_FAILED, "FFTW made no plan for rows of %d points", count);
    return NULL;
}

/* Rows beyond `lanes` and columns beyond M are zero. */
static void TMPL(gather_rows)(const SinoFilter *filter, int64_t slice_stride, int lanes, const int64_t *offset,
                              const REAL *weight, const REAL *sinogram, REAL *scratch)
{
    const int64_t used = filter->column_count * LANES;
    memset(scratch, 0, (size_t)sino_filter_scratch_bytes(filter));
    for (int64_t to = 0; to < used; to += LANES, sinogram += slice_stride) {
        for (int l = 0; l < lanes; l++) scratch[to + l] = weight[l] * sinogram[offset[l]];
    }
}

static void TMPL(scatter_rows)(const SinoFilter *filter, int64_t slice_stride, int lanes, const int64_t *offset,
                               const REAL *scratch, REAL *sinogram)
{
    const int64_t used = filter->column_count * LANES;
    for (int64_t from = 0; from < used; from += LANES, sinogram += slice_stride) {
        for (int l = 0; l < lanes; l++) sinogram[offset[l]] = scratch[from + l];
    }
}

static void TMPL(convolve_lanes)(const SinoFilter *filter, REAL *scratch)
{
    const REAL *transfer = filter->transfer;
    FFTW(complex) *signal = (FFTW(complex) *)scratch;
    FFTW(execute_dft)(filter->TMPL(plan).forward, signal, signal);
    for (int64_t k = 0; k < filter->padded_count; k++) {
        for (int l = 0; l < LANES; l++) scratch[k * LANES + l] *= transfer[k];
    }
    FFTW(execute_dft)(filter->TMPL(plan).backward, signal, signal);
}

/* Row k·F + f is slice f of angle k, so lanes stay full whatever F. */
static void TMPL(filter_rows)(const SinoFilter *filter, int64_t angle_count, int64_t slice_count, int64_t slice_stride,
                              const double *angle_weight, REAL *scratch, REAL *sinogram)
{
    const int64_t row_count = angle_count * slice_count;
    for (int64_t first = 0; first < row_count; first += LANES) {
        const int lanes = row_count - first < LANES ? (int)(row_count - first) : LANES;
        int64_t offset[LANES];
        REAL weight[LANES];
        for (int l = 0; l < lanes; l++) {
            const int64_t k = (first + l) / slice_count, f = (first + l) % slice_count;
            offset[l] = k * filter->column_count * slice_stride + f;
            weight[l] = (REAL)angle_weight[k];
        }
        TMPL(gather_rows)(filter, slice_stride, lanes, offset, weight, sinogram, scratch);
        TMPL(convolve_lanes)(filter, scratch);
        TMPL(scatter_rows)(filter, slice_stride, lanes, offset, scratch, sinogram);
    }
}
