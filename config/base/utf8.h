/* SPDX-License-Identifier: BSD-3-Clause */
/* UTF-8: decoding one character at a time, for texts that the program writes as YAML or JSON. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Returns the bytes (1 to 4) of the character at `text`, and its code point in *code. 0: not UTF-8 (RFC 3629: shortest
 * form, no surrogates). NUL is a character of one byte. */
int sino_utf8_decode(const char *text, uint32_t *code);

bool sino_utf8_is_valid(const char *text);
