/* SPDX-License-Identifier: BSD-3-Clause */
/* Task integrals: keeps the line integrals of some slices in an array of the whole scan. */
#include "stages_tasks.h"

#include "arithmetic.h"
#include "task.h"
#include "undefined.h"

#include <math.h>

static void keep_row(int64_t count, int64_t stride, const float *from, float *to)
{
    for (int64_t c = 0; c < count; c++) to[c] = sino_is_undefined_float(from[c * stride]) ? NAN : from[c * stride];
}

typedef struct Integrals {
    SinoOperand sinogram;
    SinoKeepIntegrals keep;
} Integrals;

static SinoStatus integrals_cpu(const SinoTask *task)
{
    const Integrals *of = task->arguments;
    const SinoKeepIntegrals *keep = &of->keep;
    const SinoSlices slices = keep->slices;
    const int64_t columns = keep->column_count, rays = sino_times(keep->angle_count, columns);
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.slice_count; at = sino_panel_next(slices, at)) {
        const float *panel = sino_panel_from(at, rays, of->sinogram.at);
        const int64_t stride = at.slices.stride;
        for (int64_t k = 0; k < keep->angle_count; k++)
            for (int64_t f = 0; f < at.slices.slice_count; f++)
                keep_row(columns, stride, panel + k * columns * stride + f,
                         keep->to + (k * keep->row_count + keep->first_row + at.first + f) * columns);
    }
    return NULL;
}

static const SinoTaskKind integrals_kind = {
    .name = "integrals", SINO_ARGUMENTS(Integrals, SINO_READS(Integrals, sinogram)), .cpu = integrals_cpu};

SinoStatus sino_insert_integrals(SinoRuntime *runtime, SinoPosition position, const SinoKeepIntegrals *keep,
                                 SinoData *sinogram)
{
    return SINO_SUBMIT(runtime, &integrals_kind, position, &(Integrals){.sinogram.data = sinogram, .keep = *keep});
}
