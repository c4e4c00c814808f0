/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan: measured input. Data Exchange HDF5 (exchange_file.c) or raw sinograms (sinogram_file.c) behind one door.
 *
 * HDF5 is not thread-safe: calls on any scan or volume of a process are made one at a time; the caller serialises them.
 */
#ifndef SINO_SCAN_H
#define SINO_SCAN_H

#include "status.h"

#include <stdbool.h>
#include <stdint.h>

/* In-memory type of counts. Files' uint8, uint16 and float32 are kept; every other integer or float becomes float32. */
typedef enum SinoCountType { SINO_COUNT_UINT8, SINO_COUNT_UINT16, SINO_COUNT_FLOAT32 } SinoCountType;

static inline int64_t sino_count_bytes(SinoCountType type)
{
    return type == SINO_COUNT_UINT8 ? 1 : type == SINO_COUNT_UINT16 ? 2 : 4;
}

typedef struct SinoScanInfo {
    const char *kind;        /* "Data Exchange HDF5" or "raw sinograms" */
    const char *stored_type; /* as the file has it: "uint16", "float64" … */
    SinoCountType type;
    int64_t angle_count, row_count, column_count;
    int64_t flat_count, dark_count; /* 0: absent */
    int64_t chunk_rows;             /* rows of one storage chunk; 1 when the layout is contiguous or unknown */
    const double *angle_rad;        /* angle_count finite values */
    bool angle_assumed;             /* the file had none: 0°…180° inclusive, as other tools assume */
    bool line_integrals;            /* values are −log already: no flat or dark correction applies */
} SinoScanInfo;

typedef struct SinoScan SinoScan;

typedef struct SinoScanRequest {
    const char *path;
    const char *theta_path; /* raw sinograms: float32 radians, one per angle; NULL: the path is HDF5 */
    int64_t columns;        /* raw sinograms: detector columns; 0 with HDF5 */
} SinoScanRequest;

/* SINO_BAD_INPUT: no such file, not HDF5, dataset missing or a dangling link, wrong rank, no angles, a size that is 0,
 * sizes that disagree, theta with NaN or infinity (which index), raw file not a multiple of angles × columns × 4. */
SinoStatus sino_scan_open(const SinoScanRequest *request, SinoScan **scan);
void sino_scan_close(SinoScan *scan); /* takes NULL */
const SinoScanInfo *sino_scan_info(const SinoScan *scan);

/* A box [first, first + count) of rows and columns; the caller keeps it inside the detector. */
typedef struct SinoScanBox {
    int64_t first_row, row_count, first_column, column_count;
} SinoScanBox;

/* The box of some projections: counts[angle][row][column] of the info's type. */
SinoStatus sino_scan_read(SinoScan *scan, int64_t first_angle, int64_t angle_count, const SinoScanBox *box,
                          void *counts);

/* One projection's box: counts[row][column], converted to float. */
SinoStatus sino_scan_read_projection(SinoScan *scan, int64_t angle, const SinoScanBox *box, float *counts);

/* Flat or dark fields: counts[field][row][column], converted to float. No-op when there are none. */
SinoStatus sino_scan_read_flats(SinoScan *scan, const SinoScanBox *box, float *counts);
SinoStatus sino_scan_read_darks(SinoScan *scan, const SinoScanBox *box, float *counts);

/* Writing a scan (the phantom's): Data Exchange, `data` as uint16 or float32 by `type`, flats and darks of the same
 * type, theta in degrees. Rows are written as they come; nothing has the final name before sino_scan_writer_finish. */
typedef struct SinoScanWriter SinoScanWriter;

typedef struct SinoScanShape {
    SinoCountType type; /* uint16 or float32 */
    int64_t angle_count, row_count, column_count, flat_count, dark_count;
    const double *angle_rad;
    const char *description; /* attribute of the file */
} SinoScanShape;

SinoStatus sino_scan_writer_open(const char *path, bool overwrite, const SinoScanShape *shape, SinoScanWriter **writer);

/* counts[angle][row_count][column], flats[field][row_count][column], darks likewise, of the shape's type. */
SinoStatus sino_scan_writer_rows(SinoScanWriter *writer, int64_t first_row, int64_t row_count, const void *counts,
                                 const void *flats, const void *darks);
SinoStatus
sino_scan_writer_finish(SinoScanWriter *writer);       /* closes, gives the final name; frees the writer either way */
void sino_scan_writer_abandon(SinoScanWriter *writer); /* removes the temporary file; takes NULL */

#endif
