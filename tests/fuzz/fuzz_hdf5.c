/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: a scan in HDF5 whose bytes are anything. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(0, data, size);
    fuzz_scan(&(SinoScanRequest){.path = path});
    fuzz_scan(&(SinoScanRequest){.path = path,
                                 .dataset = "/exchange/data",
                                 .theta = "0:180",
                                 .flats = ":/exchange/data",
                                 .axes = SINO_AXES_ROW_ANGLE_COLUMN});
    return 0;
}
