/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: a scan in .npy, .npz or EDF whose bytes are anything, in any order of dimensions, with averages. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    const char *path = fuzz_file(0, data + 2, size - 2);
    const SinoScanAxes axes = (SinoScanAxes)(data[0] % 6);
    fuzz_scan(&(SinoScanRequest){
        .path = path, .theta = "0:180", .flats = path, .axes = axes, .angle_binning = data[1] % 4, .exclude = "0"});
    return 0;
}
