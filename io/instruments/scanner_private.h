/* SPDX-License-Identifier: BSD-3-Clause */
/* Scanner header, for the readers. */
#pragma once

#include "scanner_header.h"
#include "status.h"

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>

/* Header text: the lines of a scanner's header, "name = value" below "[section]", and tables of angles. */

enum { SINO_HEADER_VALUE = 1024 };

typedef struct SinoHeaderText {
    const char *path; /* not owned */
    char *text;       /* ends with '\0'; owned */
    locale_t c_locale;
} SinoHeaderText;

/* Reads a text in ASCII, UTF-8, Latin-1, or UTF-16 with a mark of the order of bytes, of at most 16 MiB. The caller
 * clears it even on failure. SINO_BAD_INPUT: no such file, too long, or no text. */
SinoStatus sino_header_text_read(const char *path, SinoHeaderText *text);
void sino_header_text_clear(SinoHeaderText *text);

/* The value that follows the name and one of the signs "=:>" in a line below [section], without blanks and quotation
 * marks around it; section NULL: anywhere. False: there is no such line, or the value is empty. The first one counts.
 */
bool sino_header_find(const SinoHeaderText *text, const char *section, const char *name, char value[SINO_HEADER_VALUE]);

/* Whether the value is "yes", "true", "on" or "1", or begins with one of these words. */
bool sino_header_flag(const SinoHeaderText *text, const char *section, const char *name);

/* Reads a number of the header; the variable is left as it is if there is none. SINO_BAD_INPUT: it is no number, or
 * outside of [low, high]. */
SinoStatus sino_header_real(const SinoHeaderText *text, const char *section, const char *name, double low, double high,
                            double *value);
SinoStatus sino_header_count(const SinoHeaderText *text, const char *section, const char *name, int64_t high,
                             int64_t *value);

/* Reads `count` numbers with blanks between them. */
SinoStatus sino_header_reals(const SinoHeaderText *text, const char *section, const char *name, int count,
                             double *value, bool *found);

/* Column `column`, counted from 0, of the lines that begin with a digit and have as many numbers, with blanks,
 * tabulators or colons between them, at most `most` lines. The caller frees *value. */
SinoStatus sino_header_column(const SinoHeaderText *text, int column, int64_t most, int64_t *count, double **value);

/* Scanner header, for the readers: a row of the table, and what they share. */

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
