/* SPDX-License-Identifier: BSD-3-Clause */
/* Filter: ramp filter of filtered backprojection with a window, by FFTW on zero-padded rows (Kak & Slaney, ch. 3.3:
 * the band-limited ramp is sampled in space, so that the mean is right). */
#ifndef SINO_FILTER_H
#define SINO_FILTER_H

#include "panel.h"
#include "status.h"

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

/* Window W(ν) at ν in [0, 1] of the Nyquist frequency; W(0) = 1. As TomoPy's gridrec has them by default, except that
 * its hann and hamming have 2πν for πν, so that they rise to 1 again at Nyquist:
 *   none         1
 *   shepp        sin(πν/2)/(πν/2)
 *   cosine       cos(πν/2)
 *   hann         0.5 + 0.5·cos(πν)
 *   hamming      0.54 + 0.46·cos(πν)
 *   parzen       (1 − ν)³
 *   butterworth  1/(1 + ν¹⁶): order 8, cutoff at Nyquist */
double sino_filter_window(SinoFilterWindow window, double nyquist_share);

/* A plan: FFT plans and the transfer function for rows of M columns. Create and free on one thread at a time, no other
 * user of FFTW's planner meanwhile; running it is safe from many threads at once. SINO_BAD_INPUT unless 1 ≤ M ≤ 2²⁸. */
typedef struct SinoFilter SinoFilter;
SinoStatus sino_filter_new(int64_t column_count, SinoFilterWindow window, SinoPrecision precision, SinoFilter **filter);
void sino_filter_free(SinoFilter *filter);                   /* takes NULL */
int64_t sino_filter_scratch_bytes(const SinoFilter *filter); /* what one call needs; 64-byte aligned */

/* For devices: M, the padded size P, and the transfer function of P/2 + 1 numbers of the precision, 1/P included. */
typedef struct SinoFilterTransfer {
    int64_t column_count, padded_count;
    SinoPrecision precision;
    const void *transfer; /* not owned */
} SinoFilterTransfer;

SinoFilterTransfer sino_filter_transfer(const SinoFilter *filter);

/* In place: ray k·M + c of the sinogram, which lies in panels (panel.h) of the plan's precision, for every angle k and
 * slice, times angle_weight[k] (radians of π that the angle stands for); padding stays as it is. The sum over angles of
 * what the result shows at s = x·cosθ + y·sinθ is then attenuation per column's width. A slice's result does not depend
 * on the other slices, to the last bit. `scratch`: scratch_bytes. */
void sino_filter_run(const SinoFilter *filter, int64_t angle_count, SinoSlices slices, const double *angle_weight,
                     void *scratch, void *sinogram);

/* Radians of [0, π) that each angle stands for: half the gaps to its neighbours, angles taken modulo π; their sum is π.
 * Angles equal to 10⁻⁶ rad share. A missing range goes to the two angles beside it. SINO_FAILED when out of memory. */
SinoStatus sino_filter_angle_weights(int64_t angle_count, const double *angle_rad, double *angle_weight);

#endif
