/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: a scan in HDF5 whose bytes are anything. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_scan(&(SinoScanRequest){.path = fuzz_file(0, data, size)});
    return 0;
}
