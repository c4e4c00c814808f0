/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: a MATLAB file of level 5 whose bytes are anything, as a scan, as a system matrix, and as counts. */
#include "counts_file.h"
#include "fuzz_matrix.h"

static void fuzz_counts(const char *path)
{
    static float values[2 * 3];
    const SinoCountsRequest request = {.path = path, .element_count = 3, .negative = true};
    SinoCountsFile *file = NULL;
    SinoStatus status = sino_counts_open(&request, &file);
    if (!status) {
        const int64_t sets = fuzz_smaller(sino_counts_info(file)->set_count, 2);
        status = sino_counts_read(file, sino_counts_info(file)->set_count - sets, sets, values);
        sino_counts_close(file);
    }
    sino_status_free(status);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(0, data, size);
    fuzz_scan(&(SinoScanRequest){.path = path, .theta = "0:180"});
    fuzz_scan(&(SinoScanRequest){
        .path = path, .dataset = "/d", .theta_dataset = "t", .flats = ":/d", .axes = SINO_AXES_ROW_ANGLE_COLUMN});
    fuzz_scan(&(SinoScanRequest){.path = path, .dataset = "s/f", .theta = ":s/f", .axes = SINO_AXES_ROW_ANGLE_COLUMN});
    fuzz_matrix(path);
    fuzz_counts(path);
    return 0;
}
