/* SPDX-License-Identifier: BSD-3-Clause */
/* Scanner settings: what the header of a scanner says of the settings of a run. */
#include "workflows.h"

#include <stdio.h>
#include <string.h>

#include "scanner_header.h"

/* Flat fields and values that are no counts leave the count of air without use. */
static bool is_of_use(const SinoSettings *given, const char *name)
{
    const bool counts = given->input.scan_values == SINO_VALUES_AUTO || given->input.scan_values == SINO_VALUES_COUNTS;
    return strcmp(name, "open-beam") != 0 ||
           (counts && !given->input.flats && given->input.flat_correction != SINO_FLAT_NONE);
}

SinoStatus sino_scanner_settings(const SinoSettings *given, SinoToldSettings *told)
{
    SinoScannerHeader header;
    SinoScannerWord word[SINO_SCANNER_WORDS];
    if (given->counts.system_matrix || !sino_scanner_probe(given->input.file_name)) return NULL;
    SinoStatus status = sino_scanner_read(given->input.file_name, &header);
    const int count = status ? 0 : sino_scanner_words(&header, word);
    if (!status) snprintf(told->by, sizeof told->by, "the header of %s", header.instrument);
    for (int i = 0; i < count && told->count < SINO_TOLD_SETTINGS; i++) {
        if (!is_of_use(given, word[i].name)) continue;
        told->of[told->count].name = word[i].name;
        snprintf(told->of[told->count++].value, sizeof told->of->value, "%s", word[i].value);
    }
    sino_scanner_clear(&header);
    return status;
}
