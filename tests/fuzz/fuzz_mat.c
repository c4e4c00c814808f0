/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: a MATLAB file of level 5 whose bytes are anything, as a scan and as a system matrix. */
#include "fuzz_matrix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(0, data, size);
    fuzz_scan(&(SinoScanRequest){.path = path, .theta = "0:180"});
    fuzz_scan(&(SinoScanRequest){
        .path = path, .dataset = "/d", .theta_dataset = "t", .flats = ":/d", .axes = SINO_AXES_ROW_ANGLE_COLUMN});
    fuzz_matrix(path);
    return 0;
}
