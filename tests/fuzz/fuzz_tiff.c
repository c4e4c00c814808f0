/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: a scan whose projections and flat fields are the pages of a TIFF file whose bytes are anything. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(0, data, size);
    fuzz_scan(&(SinoScanRequest){.path = path, .theta = "0:180", .flats = path});
    return 0;
}
