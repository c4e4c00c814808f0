/* SPDX-License-Identifier: BSD-3-Clause */
/* UTF-8: decoding one character at a time, for texts that the program writes as YAML or JSON, and printing text of
 * strangers (names in files, paths) so that it can neither steer a terminal nor forge a line. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Returns the bytes (1 to 4) of the character at `text`, and its code point in *code. 0: not UTF-8 (RFC 3629: shortest
 * form, no surrogates). NUL is a character of one byte. */
int sino_utf8_decode(const char *text, uint32_t *code);

bool sino_utf8_is_valid(const char *text);

/* Prints `text` on one line: control characters, line separators and marks that change the direction of writing as
 * \x1b or \u202e, bytes that are not UTF-8 as \xff. Everything else is printed as it is. */
void sino_print_visible(const char *text, FILE *out);
