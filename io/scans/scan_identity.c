/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan identity: sizes of a scan, and checksums of its angles and of some of its values. */
#include "scan_follow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "memory.h"
#include "paths.h"

/* Projections whose values are read, spread evenly; none of a scan that still comes. */
enum { SAMPLES = 8 };

static int64_t sample_count(const SinoScan *scan)
{
    return sino_scan_arrival(scan).limit_s > 0 ? 0 : SAMPLES;
}

/* Reads values[samples + flats + darks][columns]. */
static SinoStatus read_samples(SinoScan *scan, const SinoScanBox *row, float *values)
{
    const SinoScanInfo *info = sino_scan_info(scan);
    const int64_t last = info->angle_count - 1;
    for (int64_t i = 0; i < sample_count(scan); i++, values += row->column_count)
        SINO_TRY(sino_scan_read_projection(scan, last / (SAMPLES - 1) * i + last % (SAMPLES - 1) * i / (SAMPLES - 1),
                                           row, values));
    SINO_TRY(sino_scan_read_flats(scan, row, values));
    return sino_scan_read_darks(scan, row, values + sino_times(info->flat_count, row->column_count));
}

static SinoStatus checksum_values(SinoScan *scan, const SinoScanBox *row, char digits[17])
{
    const SinoScanInfo *info = sino_scan_info(scan);
    float *values = NULL;
    int64_t count;
    SINO_TRY(sino_multiply(sample_count(scan) + info->flat_count + info->dark_count, row->column_count,
                           "rows of the scan", &count));
    SINO_TRY(sino_allocate(count, sizeof *values, "rows of the scan", &values));
    SinoStatus status = read_samples(scan, row, values);
    if (!status) sino_checksum_bytes(values, (size_t)count * sizeof *values, digits);
    free(values);
    return status;
}

SinoStatus sino_scan_identity(SinoScan *scan, const SinoScanBox *row, char **text)
{
    const SinoScanInfo *info = sino_scan_info(scan);
    char angles[17], values[17];
    sino_checksum_bytes(info->angle_rad, (size_t)info->angle_count * sizeof *info->angle_rad, angles);
    SINO_TRY(checksum_values(scan, row, values));
    const int length = asprintf(
        text,
        "the format: %s\nthe type: %s\nthe number of projections: %" PRId64 "\nthe number of rows: %" PRId64
        "\nthe number of columns: %" PRId64 "\nthe number of flat fields: %" PRId64
        "\nthe number of dark fields: %" PRId64
        "\nthe checksum of the angles: %s\nthe checksum of some values: %s\nthe lengths: %.17g %.17g %.17gx%.17g\n",
        info->kind, info->stored_type, info->angle_count, info->row_count, info->column_count, info->flat_count,
        info->dark_count, angles, values, info->setup.source_object, info->setup.source_detector,
        info->setup.pixel_width, info->setup.pixel_height);
    SINO_CHECK(length >= 0, SINO_FAILED, "no memory to compare scans");
    return NULL;
}
