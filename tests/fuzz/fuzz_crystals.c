/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: a system matrix that is computed from a map of crystals, a text whose bytes are anything. */
#include "fuzz_matrix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_matrix(fuzz_file(0, data, size));
    return 0;
}
