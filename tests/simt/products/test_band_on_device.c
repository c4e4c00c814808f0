/* SPDX-License-Identifier: BSD-3-Clause */
/* Priors of a volume in bands on a GPU: the tests of the CPU's functions. */
#include "band.h"

#include "simt_device.h"

static size_t bytes_of(const SinoBand *band, int64_t rows)
{
    return (size_t)(rows * band->x_count * band->z_count) * sizeof(float);
}

static void primal_on_device(const SinoBand *band, const float *z, const float *p, const float *q, const float *r,
                             const float *above, const SinoSliceState *state, float *u)
{
    const size_t bytes = bytes_of(band, band->row_count), beside = bytes_of(band, band->above_rows);
    SinoSliceState *const theta = device_lend(state, sizeof *state);
    float *const of_z = device_lend(z, bytes), *const of_p = device_lend(p, bytes), *const of_q = device_lend(q, bytes);
    float *const of_r = device_lend(r, bytes), *const of_above = device_lend(above, beside);
    float *const of_u = device_lend(u, bytes);
    device_check(sino_band_primal_cuda(NULL, band, of_z, of_p, of_q, of_r, of_above, theta, of_u));
    device_unlend(z, of_z, bytes);
    device_unlend(p, of_p, bytes);
    device_unlend(q, of_q, bytes);
    device_unlend(r, of_r, bytes);
    device_unlend(above, of_above, beside);
    device_unlend(state, theta, sizeof *state);
    device_return(u, of_u, bytes);
}

static void dual_on_device(const SinoBand *band, const float *u, const float *below, const SinoSliceState *state,
                           float *p, float *q, float *r)
{
    const size_t bytes = bytes_of(band, band->row_count), beside = bytes_of(band, 1);
    SinoSliceState *const theta = device_lend(state, sizeof *state);
    float *const of_u = device_lend(u, bytes), *const of_below = device_lend(below, beside);
    float *const of_p = device_lend(p, bytes), *const of_q = device_lend(q, bytes), *const of_r = device_lend(r, bytes);
    device_check(sino_band_dual_cuda(NULL, band, of_u, of_below, theta, of_p, of_q, of_r));
    device_unlend(u, of_u, bytes);
    device_unlend(below, of_below, beside);
    device_unlend(state, theta, sizeof *state);
    device_return(p, of_p, bytes);
    device_return(q, of_q, bytes);
    if (r) device_return(r, of_r, bytes);
}

static void descend_on_device(const SinoBand *band, const SinoSmoothPrior *prior, const float *u, const float *above,
                              const float *below, const SinoSliceState *state, float *z)
{
    const size_t bytes = bytes_of(band, band->row_count), beside = bytes_of(band, 1);
    SinoSliceState *const theta = device_lend(state, sizeof *state);
    float *const of_u = device_lend(u, bytes), *const of_above = device_lend(above, bytes_of(band, band->above_rows));
    float *const of_below = device_lend(below, beside), *const of_z = device_lend(z, bytes);
    device_check(sino_band_descend_cuda(NULL, band, prior, of_u, of_above, of_below, theta, of_z));
    device_unlend(u, of_u, bytes);
    device_unlend(above, of_above, bytes_of(band, band->above_rows));
    device_unlend(below, of_below, beside);
    device_unlend(state, theta, sizeof *state);
    device_return(z, of_z, bytes);
}

#define sino_band_primal  primal_on_device
#define sino_band_dual    dual_on_device
#define sino_band_descend descend_on_device

#include "../../codelets/test_band.c" /* NOLINT(bugprone-suspicious-include) */
