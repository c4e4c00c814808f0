/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: a system matrix in a file whose bytes are anything; the seeds of each target are of one format. */
#include "fuzz_matrix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_matrix(fuzz_file(0, data, size));
    return 0;
}
