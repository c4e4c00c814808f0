/* SPDX-License-Identifier: BSD-3-Clause */
/* UTF-8: one character at a time, for texts that leave the program as YAML or JSON. */
#ifndef SINO_UTF8_H
#define SINO_UTF8_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes (1 to 4) of the character at `text`, its number in *code; 0 when they are not UTF-8 (RFC 3629: shortest form,
 * no surrogates). NUL is a character of one byte. */
int sino_utf8_decode(const char *text, uint32_t *code);

bool sino_utf8_is_valid(const char *text);

#endif
