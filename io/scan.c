/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan: the door that chooses the kind of file. */
#include "scan.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "memory.h"
#include "scan_source.h"

static SinoStatus open_source(const SinoScanRequest *request, SinoScan *scan)
{
    if (request->theta_path) return sino_sinogram_open(request, scan);
    SINO_CHECK(request->columns == 0, SINO_BAD_INPUT,
               "--columns %" PRId64 " is for raw sinograms, which need --theta as well", request->columns);
    return sino_exchange_open(request->path, scan);
}

SinoStatus sino_scan_open(const SinoScanRequest *request, SinoScan **opened)
{
    SinoScan *scan;
    SINO_TRY(sino_allocate(1, sizeof *scan, "a scan", &scan));
    SinoStatus status = open_source(request, scan);
    if (status) {
        sino_scan_close(scan);
        return status;
    }
    scan->info.angle_rad = scan->angle_rad;
    scan->info.stored_type = scan->stored_type;
    *opened = scan;
    return NULL;
}

void sino_scan_close(SinoScan *scan)
{
    if (!scan) return;
    if (scan->file) scan->source->close(scan->file);
    free(scan->angle_rad);
    free(scan);
}

const SinoScanInfo *sino_scan_info(const SinoScan *scan)
{
    return &scan->info;
}

static SinoStatus read_field(SinoScan *scan, SinoScanField field, int64_t first, int64_t count, const SinoScanBox *box,
                             SinoCountType type, void *counts)
{
    const SinoScanInfo *info = &scan->info;
    assert(box->first_row >= 0 && box->row_count >= 1 && box->first_row + box->row_count <= info->row_count);
    assert(box->first_column >= 0 && box->column_count >= 1 &&
           box->first_column + box->column_count <= info->column_count);
    if (count == 0) return NULL;
    return scan->source->read(scan->file, field, first, count, box, type, counts);
}

SinoStatus sino_scan_read(SinoScan *scan, int64_t first_angle, int64_t angle_count, const SinoScanBox *box,
                          void *counts)
{
    assert(first_angle >= 0 && angle_count >= 0 && first_angle + angle_count <= scan->info.angle_count);
    return read_field(scan, SINO_FIELD_DATA, first_angle, angle_count, box, scan->info.type, counts);
}

SinoStatus sino_scan_read_projection(SinoScan *scan, int64_t angle, const SinoScanBox *box, float *counts)
{
    assert(angle >= 0 && angle < scan->info.angle_count);
    return read_field(scan, SINO_FIELD_DATA, angle, 1, box, SINO_COUNT_FLOAT32, counts);
}

SinoStatus sino_scan_read_flats(SinoScan *scan, const SinoScanBox *box, float *counts)
{
    return read_field(scan, SINO_FIELD_FLATS, 0, scan->info.flat_count, box, SINO_COUNT_FLOAT32, counts);
}

SinoStatus sino_scan_read_darks(SinoScan *scan, const SinoScanBox *box, float *counts)
{
    return read_field(scan, SINO_FIELD_DARKS, 0, scan->info.dark_count, box, SINO_COUNT_FLOAT32, counts);
}
