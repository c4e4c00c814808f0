/* SPDX-License-Identifier: BSD-3-Clause */
/* Text number: tells text, and reads decimal numbers quickly, whatever the program's locale is. */
#pragma once

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether bytes are text: printable ASCII and white space, in comments from # on also UTF-8. No bytes are no text. */
bool sino_text_probe(const char *bytes, int64_t count);

/* Bytes of the mark of UTF-8 that some editors put before a text; 0: there is none. */
int64_t sino_text_mark_bytes(const char *bytes, int64_t count);

/* Reads digits at `text`; returns what follows them. NULL: there are none, or the number exceeds 63 bits. */
const char *sino_text_integer(const char *text, int64_t *number);

/* Reads [+-] digits with an optional point and exponent (1, -.5, 2.5e-7); returns what follows. NULL: there is no such
 * number; the words inf and nan are none. The result is the double next to the number, as strtod gives it, infinity
 * where it is too large. `c_locale`: newlocale(LC_ALL_MASK, "C", 0), for numbers that take the long way. */
const char *sino_text_double(const char *text, locale_t c_locale, double *number);
