/* SPDX-License-Identifier: BSD-3-Clause */
/* Scanner header: what the header that a laboratory's scanner writes beside its images says of a scan, in words that
 * all scanners share. Columns and rows are those of the stored images; 0 is the middle of the first. */
#pragma once

#include "npy.h"
#include "settings.h"
#include "status.h"
#include "view.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum SinoScannerDirection {
    SINO_TURNS_UNKNOWN,
    SINO_TURNS_CLOCKWISE,
    SINO_TURNS_COUNTERCLOCKWISE
} SinoScannerDirection;

/* Something else that the header says. */
enum { SINO_SCANNER_NOTES = 16, SINO_SCANNER_NOTE = 256 };
typedef struct SinoScannerNote {
    bool open; /* it is not honoured */
    char text[SINO_SCANNER_NOTE];
} SinoScannerNote;

/* How stored images become upright: pixel (r, c) is the stored one in row r and column c, exchanged if transposed, and
 * then counted from the end if flipped. */
typedef struct SinoScannerView {
    bool transposed, rows_flipped, columns_flipped;
} SinoScannerView;

/* Images without headers of their own. */
typedef struct SinoScannerRaw {
    SinoNpy type;                    /* kind, item_bytes, swapped, stored_type; item_bytes 0: images are TIFF files */
    int64_t file_bytes, image_bytes; /* before the images of a file, and then before each of them */
} SinoScannerRaw;

typedef struct SinoScannerHeader {
    const char *instrument;                      /* "Nikon XTek" */
    char *path;                                  /* of the header's main file; owned */
    bool parallel;                               /* rays are parallel; false: a cone */
    double source_object_mm, source_detector_mm; /* 0: not told */
    double pixel_width_mm, pixel_height_mm;      /* of a pixel of the images, on the detector; 0: not told */
    double pixel_um;                             /* of parallel beams: of the sample in the images; 0: not told */
    int64_t row_count, column_count;             /* of the images, turned upright; 0: not told */
    int64_t angle_count;                         /* projections */
    double *angle_deg;                           /* [angle_count]; NULL: vectors_file tells; owned */
    SinoShift *shift;                            /* [angle_count], of images beside their places; NULL: none; owned */
    SinoView *vectors;  /* [angle_count], of the images turned upright, as vectors_file.h has them; NULL: none; owned */
    char *vectors_file; /* that --vectors takes, in place of lengths and angles; NULL: none; owned */
    SinoScannerDirection direction;
    double axis_column; /* where the perpendicular through the rotation axis meets the detector; NaN: not told */
    double center_row;  /* where the plane of the source meets it; NaN: not told */
    double tilt_deg;    /* of the axis in the images, as --detector-tilt has it; 0: none */
    double white;       /* count of a pixel without object; 0: not told */
    char *images;       /* a folder, or a pattern, of images; NULL: in the header's own file; owned */
    SinoScannerRaw raw;
    SinoScannerView view; /* of the stored images */
    char *flats, *darks;  /* images; NULL: none; owned */
    int note_count;
    SinoScannerNote note[SINO_SCANNER_NOTES];
} SinoScannerHeader;

/* Whether a path is a header of the table, or a folder with one; looks at names and first bytes. */
bool sino_scanner_probe(const char *path);

/* Reads the header at the path, or the one in the folder; the caller clears it even on failure. SINO_BAD_INPUT: there
 * is none, or several; a number is missing, malformed or impossible. */
SinoStatus sino_scanner_read(const char *path, SinoScannerHeader *header);
void sino_scanner_clear(SinoScannerHeader *header);

/* The settings that the header tells beside lengths and angles, as the user would give them. */
void sino_scanner_tell(const SinoScannerHeader *header, SinoToldSettings *told);

/* Prints what the header says, in lines as `info` has them. */
void sino_scanner_print(const SinoScannerHeader *header, FILE *out);
