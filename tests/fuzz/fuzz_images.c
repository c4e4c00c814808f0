/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: a scan in EDF, FITS, MRC, DM3 or DM4 whose bytes are anything, in any order of dimensions. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    const char *path = fuzz_file(0, data + 1, size - 1);
    const SinoScanAxes axes = (SinoScanAxes)(data[0] % 6);
    fuzz_scan(&(SinoScanRequest){
        .path = path, .theta = data[0] >= 6 ? "0:180" : NULL, .flats = data[0] % 2 ? path : NULL, .axes = axes});
    return 0;
}
