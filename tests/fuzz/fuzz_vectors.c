/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: vectors of projections. The input is a byte that chooses, and the file. */
#include "fuzz.h"
#include "vectors_file.h"

#include <math.h>

static void check(const SinoView *view)
{
    double direction[3];
    sino_view_direction(view, direction);
    for (int i = 0; i < 3; i++)
        fuzz_require(isfinite(direction[i]) && isfinite(view->column[i]) && isfinite(view->row[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char name[FUZZ_PATH + 16];
    SinoVectors vectors = {0};
    if (size < 1) return 0;
    snprintf(name, sizeof name, "%s%s", data[0] % 2 ? "parallel:" : "", fuzz_file(0, data + 1, size - 1));
    SinoStatus status = sino_vectors_read(name, &vectors);
    fuzz_require(status ? !vectors.view : vectors.count >= 1);
    for (int64_t k = 0; k < vectors.count && !status; k++) check(&vectors.view[k]);
    sino_vectors_free(&vectors);
    sino_status_free(status);
    return 0;
}
