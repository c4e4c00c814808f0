/* SPDX-License-Identifier: BSD-3-Clause */
/* Halves, the search: minibatches and their sinograms. */
#include "halves_search.h"

static void set(SinoSlices slices, int64_t rows, int64_t row, int64_t slice, double value, void *vector)
{
    const int64_t at = sino_panel_element(slices, rows, row, slice);
    if (slices.precision == SINO_DOUBLE)
        ((double *)vector)[at] = value;
    else
        ((float *)vector)[at] = (float)value;
}

SinoStatus sino_halves_fill(const SinoHalvesSearch *search, SinoMinibatch *minibatch)
{
    const SinoGeometry *geometry = &search->of.op->problem.geometry;
    const int64_t columns = geometry->column_count, rays = sino_solver_rays(&search->run);
    void *b;
    SINO_TRY(sino_data_acquire(minibatch->vector[0][0], SINO_WRITE, &b));
    for (int64_t k = 0; k < geometry->angle_count; k++)
        for (int64_t c = 0; c < columns; c++)
            for (int64_t f = 0; f < minibatch->slices.stride; f++) {
                const bool padding = f >= minibatch->slices.slice_count;
                const double value = padding                         ? 0
                                     : sino_halves_has(search, f, k) ? (double)search->sinogram[k * columns + c]
                                                                     : -0.0;
                set(minibatch->slices, rays, search->of.op->place[k] * columns + c, f, value, b);
            }
    sino_data_release(minibatch->vector[0][0]);
    return NULL;
}

SinoStatus sino_halves_minibatch(const SinoHalvesSearch *search, const SinoSolver *solver, int64_t slices,
                                 int64_t number, SinoMinibatch **minibatch)
{
    const SinoHalvesRequest *of = &search->of;
    const SinoPrecision precision = of->op->problem.precision;
    const SinoMinibatchRequest request = {.op = of->op,
                                          .vectors = &solver->vectors,
                                          .slices = {.precision = sino_precision_solver(precision),
                                                     .stride = sino_panel_stride(precision, slices),
                                                     .slice_count = slices},
                                          .history_numbers = search->run.iterations + 1,
                                          .number = number};
    return sino_minibatch_new(of->runtime, &request, minibatch);
}

int64_t sino_halves_best(const double *difference, int64_t begin, int64_t end)
{
    int64_t best = begin;
    for (int64_t i = begin; i < end; i++)
        if (difference[i] < difference[best]) best = i;
    return best;
}
