/* SPDX-License-Identifier: BSD-3-Clause */
/* Stream header: the JSON text before the values of a message of a stream of projections.
 *
 * Its names are those of detectors' streams ("htype", "frame", "shape", "type", "compression"); others are passed over.
 *
 *     {"htype": "header", "shape": [PROJECTIONS, ROWS, COLUMNS], "type": TYPE, "flats": F, "darks": D}
 *     {"htype": "flat", "dark" or "image", "frame": NUMBER, "shape": [ROWS, COLUMNS], "type": TYPE}
 *     {"htype": "series_end"}
 *
 * The values behind the first one are the angles of all projections (float64), or none; behind an image its pixels, row
 * after row; all of them little-endian. */
#pragma once

#include "npy.h"
#include "scan.h"

typedef enum SinoStreamKind { SINO_STREAM_SERIES, SINO_STREAM_FRAME, SINO_STREAM_END } SinoStreamKind;

typedef struct SinoStreamHeader {
    SinoStreamKind kind;
    SinoScanField field;              /* of a frame */
    int64_t frame;                    /* its number in the field */
    SinoNpy values;                   /* of a frame; of a series those of all its projections */
    int64_t fields[SINO_SCAN_FIELDS]; /* of a series: the frames of each field that will come */
} SinoStreamHeader;

/* A type of values by its name in headers; false: there is none. */
bool sino_stream_type(const char *name, SinoNpy *values);

/* SINO_BAD_INPUT: no JSON, another htype or type, a name is missing, a number out of its bounds, compressed values. */
SinoStatus sino_stream_header_parse(const void *text, int64_t bytes, SinoStreamHeader *header);
