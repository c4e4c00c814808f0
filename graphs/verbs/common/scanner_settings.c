/* SPDX-License-Identifier: BSD-3-Clause */
/* Scanner settings: what the header of a scanner says of the settings of a run. */
#include "workflows.h"

#include "scanner_header.h"

/* Flat fields and values that are no counts leave the count of air without use. */
static bool needs_white(const SinoInputSettings *given)
{
    const bool counts = given->scan_values == SINO_VALUES_AUTO || given->scan_values == SINO_VALUES_COUNTS;
    return counts && !given->flats && given->flat_correction != SINO_FLAT_NONE;
}

SinoStatus sino_scanner_settings(const SinoSettings *given, SinoToldSettings *told)
{
    SinoScannerHeader header;
    if (given->counts.system_matrix || !sino_scanner_probe(given->input.file_name)) return NULL;
    SinoStatus status = sino_scanner_read(given->input.file_name, &header);
    if (!needs_white(&given->input)) header.white = 0;
    if (!status) sino_scanner_tell(&header, told);
    sino_scanner_clear(&header);
    return status;
}
