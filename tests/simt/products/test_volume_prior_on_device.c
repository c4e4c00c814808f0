/* SPDX-License-Identifier: BSD-3-Clause */
/* Priors of slices in 3-D, and edges of minibatches, on a GPU: the tests of the CPU's functions. */
#include "coupling.h"
#include "prior_on_device.h"
#include "simt_device.h"

static void edge_on_device(SinoSlices slices, int64_t rows, int64_t slice, const void *vector, void *edge)
{
    const size_t bytes = (size_t)rows * sino_precision_bytes(slices.precision);
    const size_t all = bytes * (size_t)slices.stride;
    void *const from = device_lend(vector, all), *const to = device_lend(edge, bytes);
    device_check(sino_coupling_edge_cuda(NULL, slices, rows, slice, from, to));
    device_unlend(vector, from, all);
    device_return(edge, to, bytes);
}

#define sino_prior_descend prior_descend_on_device
#define sino_coupling_edge edge_on_device

#include "../../codelets/test_volume_prior.c" /* NOLINT(bugprone-suspicious-include) */
