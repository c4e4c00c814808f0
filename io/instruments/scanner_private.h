/* SPDX-License-Identifier: BSD-3-Clause */
/* Scanner header, for the readers: a row of the table, and what they share. */
#pragma once

#include "header_text.h"
#include "scanner_header.h"

/* Bounds of what headers say: mm, degrees, pixels, projections. */
#define SINO_SCANNER_MM_MAX 1e8
enum { SINO_SCANNER_SIDE_MAX = 1 << 16, SINO_SCANNER_ANGLES_MAX = 1 << 22, SINO_SCANNER_GAP_MAX = 1 << 30 };

typedef struct SinoScannerKind {
    const char *name; /* becomes SinoScannerHeader.instrument */
    const char *const
        *endings; /* of names that main files in a folder have, then NULL; upper and lower case are equal */
    const char *has, *also_has; /* texts among the first 4096 bytes of a file; also_has NULL: one is enough */
    const char *main_name; /* the main file has this name, or NAME and it, if it begins with a point or a "_"; NULL: it
                              is the file itself */
    /* Reads the main file into a zeroed header with NaN for what may be unknown. */
    SinoStatus (*read)(const SinoHeaderText *text, SinoScannerHeader *header);
    SinoStatus (*read_binary)(SinoScannerHeader *header); /* in its place, of a file that is no text */
} SinoScannerKind;

extern const SinoScannerKind sino_scanner_nikon, sino_scanner_skyscan, sino_scanner_phoenix, sino_scanner_phoenix_recon,
    sino_scanner_phoenix_log, sino_scanner_xradia, sino_scanner_north_star, sino_scanner_tescan,
    sino_scanner_tescan_settings, sino_scanner_rigaku, sino_scanner_ctsimu, sino_scanner_ctsimu_scenario;

/* The cure of shifts of single images that are not in the files, or not how they count. */
#define SINO_SCANNER_ALIGN "--align shifts finds them"

/* Adds a note; beyond SINO_SCANNER_NOTES they are lost. */
void sino_scanner_say(SinoScannerHeader *header, bool open, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* *path: the name in the folder of the header, whose backslashes become slashes; the caller frees it. */
SinoStatus sino_scanner_beside(const SinoScannerHeader *header, const char *name, char **path);
/* The same if there is such a file or folder, else NULL. */
SinoStatus sino_scanner_find(const SinoScannerHeader *header, const char *name, char **path);

/* Cuts the ending off a name of a file. */
void sino_scanner_drop_ending(char *name);

/* The name of the header's file without folder and ending; the caller frees it. */
SinoStatus sino_scanner_stem(const SinoScannerHeader *header, char **stem);

/* Makes header->images the pattern of TIFF files "PREFIXnnnn.tif" beside the header; digits 0: any number of them. */
SinoStatus sino_scanner_name_images(SinoScannerHeader *header, const char *prefix, int64_t digits);

/* The same with the second prefix, if there are files by it and none by the first one. */
SinoStatus sino_scanner_name_images_by(SinoScannerHeader *header, const char *prefix, const char *other,
                                       int64_t digits);

/* Makes the angles first, first + step … in degrees. */
SinoStatus sino_scanner_equal_angles(SinoScannerHeader *header, int64_t count, double first_deg, double step_deg);

/* Refuses a header without this. */
SinoStatus sino_scanner_need(const SinoScannerHeader *header, bool there, const char *name);
