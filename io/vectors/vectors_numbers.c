/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors file: the views of all projections, made from numbers. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "memory.h"
#include "scan_limits.h"
#include "vectors_private.h"

SinoStatus sino_vectors_new(const char *path, int64_t count, SinoVectors *vectors)
{
    SINO_CHECK(count >= 1 && count <= SINO_IMAGES_MAX, SINO_BAD_INPUT,
               "%s has vectors of %" PRId64 " projections; allowed: 1 to %d", path, count, (int)SINO_IMAGES_MAX);
    SINO_TRY(sino_allocate(count, sizeof *vectors->view, "vectors", &vectors->view));
    vectors->count = count;
    return NULL;
}

SinoStatus sino_vectors_take_numbers(const char *path, bool parallel, int64_t k, int width, const double *value,
                                     SinoVectors *vectors)
{
    SinoView view = {.parallel = parallel};
    double *const part[4] = {view.source, view.first, view.column, view.row};
    const int size = width == SINO_VECTORS_NUMBERS ? 3 : 2;
    for (int i = 0; i < width; i++) {
        SINO_CHECK(isfinite(value[i]), SINO_BAD_INPUT,
                   "%s: number %d of projection %" PRId64 " is %g; allowed: finite numbers", path, i, k, value[i]);
        part[i / size][i % size] = value[i];
    }
    if (size == 2) view.row[2] = sqrt(sino_view_dot(view.column, view.column));
    vectors->view[k] = view;
    return NULL;
}

void sino_vectors_free(SinoVectors *vectors)
{
    free(vectors->view);
    *vectors = (SinoVectors){0};
}
