/* SPDX-License-Identifier: BSD-3-Clause */
/* Filter: q = h * p with the band-limited ramp h(0) = 1/4, h(n) = −1/(π²n²) for odd n, 0 for even n (Kak & Slaney,
 * ch. 3.3, eq. 61), by FFTW on zero-padded rows. */
#include "circle.h"
#include "fast_size.h"
#include "filter.h"
#include "memory.h"
#include "row_end.h"
#include "undefined.h"

#include <assert.h>
#include <fftw3.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Number of rows that are read together, so that whole cache lines of interleaved slices are used. Each row is
 * transformed alone. Transforming two rows as one complex signal took a third less time, but a slice's rounding then
 * depended on its neighbour in the minibatch. */
enum { ROWS = 16 };

struct SinoFilter {
    int64_t column_count; /* M */
    int64_t padded_count; /* P ≥ 2M, even: a circular convolution of length P equals the linear one */
    SinoPrecision precision;
    bool edges;     /* rows are continued */
    bool gaps;      /* values −0 are interpolated */
    void *transfer; /* [P/2 + 1] of the precision, 1/P included */
    struct {
        fftwf_plan forward, backward;
    } plan_single; /* NULL in double precision */
    struct {
        fftw_plan forward, backward;
    } plan_double; /* NULL in single precision */
};

/* Elements from row to row: whole cache lines plus one more line, so that the rows do not all map to the same cache
 * sets. */
static int64_t row_stride(const SinoFilter *filter)
{
    return (filter->padded_count + 15) / 16 * 16 + 16;
}

#define TEMPLATE "filter_tmpl.c"
#include "two_precisions_tmpl.c"

double sino_filter_window(SinoFilterWindow window, double nyquist_share)
{
    const double nu = nyquist_share;
    switch (window) {
    case SINO_WINDOW_NONE:
        return 1;
    case SINO_WINDOW_SHEPP:
        return nu > 0 ? sin(M_PI_2 * nu) / (M_PI_2 * nu) : 1;
    case SINO_WINDOW_COSINE:
        return cos(M_PI_2 * nu);
    case SINO_WINDOW_HANN:
        return 0.5 + 0.5 * cos(M_PI * nu);
    case SINO_WINDOW_HAMMING:
        return 0.54 + 0.46 * cos(M_PI * nu);
    case SINO_WINDOW_PARZEN:
        return (1 - nu) * (1 - nu) * (1 - nu);
    case SINO_WINDOW_BUTTERWORTH:
        return 1 / (1 + pow(nu, 16));
    }
    assert(false && "a window of the list");
    return 1;
}

/* Transforms the ramp. It is even, so its Fourier transform is a cosine transform of its half [P/2 + 1], in place. */
static SinoStatus transform_ramp(int64_t padded_count, double *half)
{
    const int64_t half_count = padded_count / 2 + 1;
    fftw_plan plan = fftw_plan_r2r_1d((int)half_count, half, half, FFTW_REDFT00, FFTW_ESTIMATE);
    SINO_CHECK(plan, SINO_FAILED, "FFTW made no plan for %d points", (int)half_count);
    for (int64_t n = 0; n < half_count; n++) half[n] = n % 2 ? -1 / (M_PI * M_PI * (double)n * (double)n) : 0;
    half[0] = 0.25;
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    return NULL;
}

static SinoStatus make_transfer(SinoFilter *filter, SinoFilterWindow window)
{
    const int64_t half_count = filter->padded_count / 2 + 1;
    const size_t bytes = sino_precision_bytes(filter->precision);
    double *half = NULL;
    SINO_TRY(sino_allocate(half_count, sizeof *half, "the ramp", &half));
    SinoStatus status = NULL;
    SINO_TRY_OR(status, out, transform_ramp(filter->padded_count, half));
    SINO_TRY_OR(status, out, sino_allocate(half_count, bytes, "transfer function", &filter->transfer));
    for (int64_t k = 0; k < half_count; k++) {
        const double share = (double)k / (double)(half_count - 1);
        const double value = half[k] * sino_filter_window(window, share) / (double)filter->padded_count;
        if (filter->precision == SINO_DOUBLE) {
            ((double *)filter->transfer)[k] = value;
        } else {
            ((float *)filter->transfer)[k] = (float)value;
        }
    }
out:
    free(half);
    return status;
}

SinoStatus sino_filter_new(int64_t column_count, SinoFilterWindow window, SinoPrecision precision, SinoFilter **filter)
{
    SINO_CHECK(column_count >= 1 && column_count <= 1 << 28, SINO_BAD_INPUT,
               "filter of %lld columns; allowed: 1 to 268435456", (long long)column_count);
    SinoFilter *made = NULL;
    SINO_TRY(sino_allocate(1, sizeof *made, "filter", &made));
    made->column_count = column_count;
    made->padded_count = sino_fast_size(2 * column_count);
    made->precision = precision;
    SinoStatus status = NULL;
    SINO_TRY_OR(status, fail, make_transfer(made, window));
    SINO_TRY_OR(status, fail, precision == SINO_DOUBLE ? make_plans_double(made) : make_plans_single(made));
    *filter = made;
    return NULL;
fail:
    sino_filter_free(made);
    return status;
}

void sino_filter_fill(SinoFilter *filter, bool edges, bool gaps)
{
    filter->edges = edges;
    filter->gaps = gaps;
}

void sino_filter_free(SinoFilter *filter)
{
    if (!filter) return;
    free_plans_single(filter);
    free_plans_double(filter);
    free(filter->transfer);
    free(filter);
}

int64_t sino_filter_scratch_bytes(const SinoFilter *filter)
{
    const int64_t spectrum = filter->padded_count + 2;
    return (ROWS * row_stride(filter) + spectrum) * (int64_t)sino_precision_bytes(filter->precision);
}

int64_t sino_filter_columns_bytes(int64_t column_count, SinoPrecision precision)
{
    const SinoFilter filter = {.padded_count = sino_fast_size(2 * column_count), .precision = precision};
    return sino_filter_scratch_bytes(&filter);
}

SinoFilterTransfer sino_filter_transfer(const SinoFilter *filter)
{
    return (SinoFilterTransfer){filter->column_count, filter->padded_count, filter->precision,
                                filter->transfer,     filter->edges,        filter->gaps};
}

void sino_filter_run(const SinoFilter *filter, int64_t angle_count, SinoSlices slices, const double *angle_weight,
                     void *scratch, void *sinogram)
{
    assert((uintptr_t)scratch % SINO_ALIGNMENT_BYTES == 0 && slices.precision == filter->precision);
    const int64_t ray_count = angle_count * filter->column_count;
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.slice_count; at = sino_panel_next(slices, at)) {
        void *panel = sino_panel_to(at, ray_count, sinogram);
        if (filter->precision == SINO_DOUBLE)
            filter_panel_double(filter, angle_count, at.slices, angle_weight, scratch, panel);
        else
            filter_panel_single(filter, angle_count, at.slices, angle_weight, scratch, panel);
    }
}

SinoStatus sino_filter_angle_shares(int64_t angle_count, const double *angle_rad, const bool *dropped, double turn_rad,
                                    double *share)
{
    SinoCircle circle;
    SinoCircleGaps gaps;
    double *of_all;
    if (angle_count == 0) return NULL;
    SINO_TRY(sino_circle_new(angle_count, angle_rad, dropped, turn_rad, &circle));
    SinoStatus status = sino_allocate(circle.count, sizeof *of_all, "angles", &of_all);
    if (!status) sino_circle_shares(&circle, of_all, &gaps);
    for (int64_t k = 0; k < angle_count && !status; k++) {
        const int64_t i = circle.number[k];
        share[k] = i < 0 ? 0 : of_all[i] / (double)circle.members[i];
    }
    if (!status) free(of_all);
    sino_circle_free(&circle);
    return status;
}

SinoStatus sino_filter_angle_weights(int64_t angle_count, const double *angle_rad, double *angle_weight)
{
    return sino_filter_angle_shares(angle_count, angle_rad, NULL, M_PI, angle_weight);
}
