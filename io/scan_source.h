/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan source: what is behind the door of scan.h; one kind of file, one row of functions. */
#ifndef SINO_SCAN_SOURCE_H
#define SINO_SCAN_SOURCE_H

#include "scan.h"

typedef enum SinoScanField { SINO_FIELD_DATA, SINO_FIELD_FLATS, SINO_FIELD_DARKS } SinoScanField;

typedef struct SinoScanSource {
    /* Frames [first, first + count) of a field that has them, cropped to the box, converted to `type`. */
    SinoStatus (*read)(void *file, SinoScanField field, int64_t first, int64_t count, const SinoScanBox *box,
                       SinoCountType type, void *counts);
    void (*close)(void *file);
} SinoScanSource;

struct SinoScan {
    SinoScanInfo info; /* its pointers are to the members below */
    char stored_type[16];
    double *angle_rad; /* owned */
    const SinoScanSource *source;
    void *file; /* owned by the source; NULL until opened */
};

/* Fill every member of a zeroed scan; whatever is filled on failure, sino_scan_close releases. */
SinoStatus sino_exchange_open(const char *path, SinoScan *scan);
SinoStatus sino_sinogram_open(const SinoScanRequest *request, SinoScan *scan);

#endif
