/* SPDX-License-Identifier: BSD-3-Clause */
/* Sinogram file: reads raw float32 line integrals [slice][angle][column], without a header; the angles come from
 * --theta. */
#include "scan_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "memory.h"
#include "paths.h"

typedef struct SinogramFile {
    char *path;
    int descriptor;
    int64_t angle_count, column_count;
} SinogramFile;

static SinoStatus read_frames(void *file, SinoScanField field, int64_t first, int64_t count, const SinoScanBox *box,
                              SinoCountType type, void *counts)
{
    const SinogramFile *sinogram = file;
    float *values = counts;
    (void)field; /* the file has neither flats nor darks, and only one type */
    (void)type;
    for (int64_t row = 0; row < box->row_count; row++) {
        for (int64_t k = 0; k < count; k++) {
            const int64_t line = (box->first_row + row) * sinogram->angle_count + first + k;
            const int64_t place = line * sinogram->column_count + box->first_column;
            SINO_TRY(sino_regular_read(sinogram->path, sinogram->descriptor, place * (int64_t)sizeof *values,
                                       box->column_count * (int64_t)sizeof *values,
                                       values + (k * box->row_count + row) * box->column_count));
        }
    }
    return NULL;
}

static void close_file(void *file)
{
    SinogramFile *sinogram = file;
    if (sinogram->descriptor >= 0) close(sinogram->descriptor);
    free(sinogram->path);
    free(sinogram);
}

static const SinoScanSource sinogram_source = {.read = read_frames, .close = close_file};

static SinoStatus take_rows(const SinogramFile *sinogram, int64_t bytes, int64_t *rows)
{
    int64_t values, slice_bytes;
    SINO_TRY(sino_multiply(sinogram->angle_count, sinogram->column_count, "angles times --columns", &values));
    SINO_TRY(sino_multiply(values, 4, "bytes of a sinogram", &slice_bytes));
    SINO_CHECK(bytes > 0 && bytes % slice_bytes == 0, SINO_BAD_INPUT,
               "%s has %" PRId64 " bytes; allowed: a multiple of %" PRId64 " angles × %" PRId64
               " columns × 4 = %" PRId64 " bytes",
               sinogram->path, bytes, sinogram->angle_count, sinogram->column_count, slice_bytes);
    *rows = bytes / slice_bytes;
    return NULL;
}

static SinoStatus new_sinogram(const SinoScanRequest *request, SinoScan *scan)
{
    SinogramFile *sinogram;
    SINO_TRY(sino_allocate(1, sizeof *sinogram, "a scan's file", &sinogram));
    sinogram->descriptor = -1;
    sinogram->angle_count = scan->info.angle_count;
    sinogram->column_count = request->columns;
    scan->data = (SinoScanPart){.source = &sinogram_source, .file = sinogram};
    sinogram->path = strdup(request->path);
    SINO_CHECK(sinogram->path, SINO_FAILED, "no memory for a file name");
    return NULL;
}

/* Raw values have no signature: the option --columns marks a file as raw. */
static bool probe_sinogram(const SinoScanRequest *request)
{
    return request->columns > 0 && sino_path_kind(request->path) == SINO_PATH_FILE;
}

static SinoStatus open_sinogram(const SinoScanRequest *request, SinoScan *scan)
{
    int64_t bytes = 0;
    SINO_CHECK(request->theta, SINO_BAD_INPUT, "--columns %" PRId64 " is for raw sinograms, which need --theta as well",
               request->columns);
    SINO_TRY(sino_scan_take_theta(request, scan));
    SINO_TRY(new_sinogram(request, scan));
    SinogramFile *sinogram = scan->data.file;
    SINO_TRY(sino_regular_open(request->path, &sinogram->descriptor, &bytes));
    SINO_TRY(take_rows(sinogram, bytes, &scan->info.row_count));
    scan->info.type = SINO_COUNT_FLOAT32;
    scan->info.column_count = request->columns;
    scan->info.line_integrals = true;
    snprintf(scan->stored_type, sizeof scan->stored_type, "float32");
    return NULL;
}

const SinoScanFormat sino_sinogram_format = {.name = "raw sinograms",
                                             .example = "raw float32 with --theta and --columns",
                                             .takes_columns = true,
                                             .evidence = "--columns is given",
                                             .certainty = "by your option",
                                             .probe = probe_sinogram,
                                             .open = open_sinogram};
