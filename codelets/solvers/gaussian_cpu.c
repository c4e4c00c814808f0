/* SPDX-License-Identifier: BSD-3-Clause */
/* Gaussian on a CPU core: axis by axis, with sums in double precision. */
#include "gaussian.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>

/* One axis of the image: `count` voxels `step` elements apart. */
typedef struct Axis {
    int64_t count, step, reach;
    double *weight; /* [reach + 1], of the voxels at these distances; owned */
    double *line;   /* [count]; owned */
} Axis;

static SinoStatus axis_new(const SinoGaussian *gaussian, int number, Axis *axis)
{
    const double sigma = gaussian->fwhm[number] / sqrt(8 * log(2));
    double sum = 0;
    *axis = (Axis){.count = gaussian->count[number], .step = 1};
    for (int i = 0; i < number; i++) axis->step = sino_times(axis->step, gaussian->count[i]);
    axis->reach = (int64_t)ceil(4 * sigma);
    SINO_TRY(sino_allocate(axis->reach + 1, sizeof *axis->weight, "a filter", &axis->weight));
    SINO_TRY(sino_allocate(axis->count, sizeof *axis->line, "a filter", &axis->line));
    for (int64_t i = 0; i <= axis->reach; i++) {
        axis->weight[i] = exp(-0.5 * (double)(i * i) / (sigma * sigma));
        sum += (i > 0 ? 2 : 1) * axis->weight[i];
    }
    for (int64_t i = 0; i <= axis->reach; i++) axis->weight[i] /= sum;
    return NULL;
}

static void smooth_line(const Axis *axis, float *line)
{
    for (int64_t i = 0; i < axis->count; i++) axis->line[i] = (double)line[i * axis->step];
    for (int64_t i = 0; i < axis->count; i++) {
        double sum = axis->weight[0] * axis->line[i];
        for (int64_t k = 1; k <= axis->reach; k++) {
            const double before = i >= k ? axis->line[i - k] : 0;
            const double behind = i + k < axis->count ? axis->line[i + k] : 0;
            sum += axis->weight[k] * (before + behind);
        }
        line[i * axis->step] = (float)sum;
    }
}

SinoStatus sino_gaussian(const SinoGaussian *gaussian, float *image)
{
    const int64_t all = sino_times(sino_times(gaussian->count[0], gaussian->count[1]), gaussian->count[2]);
    for (int number = 0; number < 3; number++) {
        Axis axis = {0};
        if (!(gaussian->fwhm[number] > 0)) continue;
        SinoStatus status = axis_new(gaussian, number, &axis);
        for (int64_t i = 0; i < all && !status; i++)
            if (i / axis.step % axis.count == 0) smooth_line(&axis, image + i);
        free(axis.weight);
        free(axis.line);
        SINO_TRY(status);
    }
    return NULL;
}
