/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: headers of laboratory scanners, and OLE files, of any bytes. */
#include "fuzz.h"
#include "scanner_header.h"

#include <math.h>

static void check(const SinoScannerHeader *header)
{
    SinoToldSettings told;
    fuzz_require(header->instrument && header->angle_count >= 1 && header->note_count <= SINO_SCANNER_NOTES);
    fuzz_require(header->parallel || header->vectors_file ||
                 (header->source_object_mm > 0 && isfinite(header->source_detector_mm)));
    for (int64_t k = 0; k < header->angle_count && header->angle_deg; k++) fuzz_require(isfinite(header->angle_deg[k]));
    sino_scanner_tell(header, &told);
    fuzz_require(told.count >= 1 && told.count <= SINO_TOLD_SETTINGS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SinoScannerHeader header;
    const char *path = fuzz_file(0, data, size);
    SinoStatus status = sino_scanner_read(path, &header);
    if (!status) check(&header);
    const SinoScanRequest request = {.path = path};
    const bool whole = !status && !header.images;
    sino_scanner_clear(&header);
    sino_status_free(status);
    if (whole) fuzz_scan(&request);
    return 0;
}
