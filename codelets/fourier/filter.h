/* SPDX-License-Identifier: BSD-3-Clause */
/* Filter: windowed ramp filter of filtered backprojection, by FFTW on zero-padded rows (Kak & Slaney, ch. 3.3: the
 * band-limited ramp is sampled in space, so that the mean is right). */
#pragma once

#include "cuda_stream.h"
#include "panel.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum SinoFilterWindow {
    SINO_WINDOW_NONE,
    SINO_WINDOW_SHEPP,
    SINO_WINDOW_COSINE,
    SINO_WINDOW_HANN,
    SINO_WINDOW_HAMMING,
    SINO_WINDOW_PARZEN,
    SINO_WINDOW_BUTTERWORTH
} SinoFilterWindow;

/* Window W(ν), ν in [0, 1] of the Nyquist frequency; W(0) = 1. Windows are the defaults of TomoPy's gridrec, except
 * that its hann and hamming have 2πν for πν, so that they rise to 1 again at Nyquist:
 *     none         1
 *     shepp        sin(πν/2)/(πν/2)
 *     cosine       cos(πν/2)
 *     hann         0.5 + 0.5·cos(πν)
 *     hamming      0.54 + 0.46·cos(πν)
 *     parzen       (1 − ν)³
 *     butterworth  1/(1 + ν¹⁶): order 8, cutoff at Nyquist */
double sino_filter_window(SinoFilterWindow window, double nyquist_share);

/* A filter: FFT plans and the transfer function for rows of M columns. Create and free on one thread at a time, while
 * no other thread uses FFTW's planner; many threads may run one filter at once. SINO_BAD_INPUT unless 1 ≤ M ≤ 2²⁸. */
typedef struct SinoFilter SinoFilter;
SinoStatus sino_filter_new(int64_t column_count, SinoFilterWindow window, SinoPrecision precision, SinoFilter **filter);
/* What rows that run after this have in place of values that they lack. edges: rows are continued as row_end.h has it,
 * (P − M)/2 to each side, in place of zeros: of an object that reaches beyond the detector, whose slice would get a
 * bright rim. gaps: values −0, which are undefined (correct.h), are interpolated between the nearest defined
 * columns, beyond which the nearest value counts; a row of nothing but −0 is 0. */
void sino_filter_fill(SinoFilter *filter, bool edges, bool gaps);
void sino_filter_free(SinoFilter *filter);                   /* takes NULL */
int64_t sino_filter_scratch_bytes(const SinoFilter *filter); /* bytes of one call; 64-byte aligned */
int64_t sino_filter_columns_bytes(int64_t column_count, SinoPrecision precision); /* of a filter that is not there */

/* Data for devices: M, the padded size P, and the transfer function: P/2 + 1 numbers of the precision, with the factor
 * 1/P. */
typedef struct SinoFilterTransfer {
    int64_t column_count, padded_count;
    SinoPrecision precision;
    const void *transfer; /* not owned */
    bool edges;           /* rows are continued */
    bool gaps;            /* values −0 are interpolated */
} SinoFilterTransfer;

SinoFilterTransfer sino_filter_transfer(const SinoFilter *filter);

/* Filters in place: ray k·M + c of the sinogram, in panels (panel.h) of the filter's precision, for every angle k and
 * slice, multiplied by angle_weight[k] (the radians of π that the angle stands for). Padding is unchanged. The sum over
 * angles of the result at s = x·cosθ + y·sinθ is then attenuation per column width. A slice's result does not depend on
 * the other slices, to the last bit. `scratch`: sino_filter_scratch_bytes per call. */
void sino_filter_run(const SinoFilter *filter, int64_t angle_count, SinoSlices slices, const double *angle_weight,
                     void *scratch, void *sinogram);

/* share[k]: the radians of [0, turn_rad) that angle k stands for (circle.h), with angles modulo turn_rad. Angles that
 * differ by less than 10⁻⁶ rad share one. The sum is turn_rad less what gaps lack. Those of `dropped` (NULL: none)
 * have 0. SINO_FAILED: out of memory. */
SinoStatus sino_filter_angle_shares(int64_t angle_count, const double *angle_rad, const bool *dropped, double turn_rad,
                                    double *share);

/* The shares of a parallel beam, which sees each line from both sides: of half a turn. */
SinoStatus sino_filter_angle_weights(int64_t angle_count, const double *angle_rad, double *angle_weight);

/* On a GPU, by cuFFT, with the sinogram in device memory (cuda_stream.h). A slice's result does not depend on the
 * values of other slices. It does not depend on their number as long as cuFFT uses the same kernels for fewer rows,
 * which the test slices_do_not_mix checks on a GPU.
 *
 * State on one device: cuFFT's plans, the transfer function, the weights of the angles, and a buffer for the rows of a
 * batch of angles, some 32 MiB and cuFFT's own work area. Create and free it outside of tasks, while the device is
 * current; run it in one stream at a time. SINO_FAILED: no memory, or no plan by cuFFT. */
typedef struct SinoFilterCuda SinoFilterCuda;
SinoStatus sino_filter_cuda_new(const SinoFilter *filter, int64_t angle_count, int64_t stride,
                                const double *angle_weight, SinoFilterCuda **made); /* angle_weight: host memory */
void sino_filter_cuda_free(SinoFilterCuda *filter);                                 /* takes NULL */

/* Filters in place, as sino_filter_run, for the angles and the stride given to _new. */
SinoStatus sino_filter_run_cuda(cudaStream_t stream, const SinoFilterCuda *filter, SinoSlices slices, void *sinogram);
