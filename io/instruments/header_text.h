/* SPDX-License-Identifier: BSD-3-Clause */
/* Header text: the lines of a scanner's header, "name = value" below "[section]", and tables of angles. */
#pragma once

#include "status.h"

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>

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
