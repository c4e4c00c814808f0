/* SPDX-License-Identifier: BSD-3-Clause */
/* BSREM on a GPU: the tests of the CPU's function. */
#include "bsrem.h"

#include "simt_device.h"

static void voxels_on_device(const SinoBsrem *bsrem, const uint32_t *column, const uint32_t *place, const float *kappa,
                             const float *weight, const SinoSliceState *state, const float *x, float *g)
{
    const int64_t voxels = bsrem->count[0] * bsrem->count[1] * bsrem->count[2], stride = bsrem->slices.stride;
    const size_t rows = (size_t)bsrem->rows * sizeof *x, all = rows * (size_t)stride;
    const size_t places = (size_t)voxels * sizeof *place, states = (size_t)stride * sizeof *state;
    uint32_t *const columns = device_lend(column, rows), *const at = device_lend(place, places);
    float *const kappas = device_lend(kappa, rows), *const weights = device_lend(weight, rows);
    SinoSliceState *const slices = device_lend(state, states);
    float *const from = device_lend(x, all), *const to = device_lend(g, all);
    device_check(sino_bsrem_voxels_cuda(NULL, bsrem, columns, at, kappas, weights, slices, from, to));
    device_unlend(column, columns, rows);
    device_unlend(place, at, places);
    device_unlend(kappa, kappas, rows);
    device_unlend(weight, weights, rows);
    device_unlend(state, slices, states);
    device_unlend(x, from, all);
    device_return(g, to, all);
}

#define sino_bsrem_voxels voxels_on_device

#include "../../codelets/test_bsrem.c" /* NOLINT(bugprone-suspicious-include) */
