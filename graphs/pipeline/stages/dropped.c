/* SPDX-License-Identifier: BSD-3-Clause */
/* Dropped: projections without any value, by three rows of the detector. The second and the third are read only if the
 * first one lacks a projection. */
#include "stages.h"

#include "memory.h"
#include "undefined.h"

#include <stdlib.h>
#include <string.h>

bool sino_dropped_matter(const SinoSettings *settings)
{
    const bool integrals = settings->memory && settings->memory->of_operator; /* of which no value is undefined */
    return !integrals &&
           (settings->solver.algorithm == SINO_ALGORITHM_FBP || settings->solver.algorithm == SINO_ALGORITHM_FDK);
}

SinoStatus sino_dropped_new(SinoInput *input)
{
    return sino_allocate(input->angle_count, sizeof *input->dropped, "angles", &input->dropped);
}

/* Keeps those that a row lacks, too. Returns how many. */
static int64_t keep(SinoInput *input, const float *row)
{
    const int64_t columns = input->geometry.column_count;
    int64_t count = 0;
    for (int64_t k = 0; k < input->angle_count; k++) {
        bool *dropped = &input->dropped[k];
        for (int64_t c = 0; c < columns && *dropped; c++) *dropped = sino_is_undefined(row[k * columns + c]);
        count += *dropped;
    }
    return count;
}

SinoStatus sino_dropped_find(SinoRuntime *runtime, SinoInput *input)
{
    static const int64_t quarter[] = {2, 1, 3};
    int64_t count = input->angle_count;
    SINO_TRY(sino_dropped_new(input));
    memset(input->dropped, true, (size_t)count);
    for (int i = 0; i < 3 && count > 0; i++) {
        float *row;
        SINO_TRY(sino_stages_read(runtime, input, false, true, input->slice_count * quarter[i] / 4, 1, &row));
        count = keep(input, row);
        free(row);
    }
    if (count == input->angle_count) memset(input->dropped, false, (size_t)count);
    return NULL;
}
