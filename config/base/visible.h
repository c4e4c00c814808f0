/* SPDX-License-Identifier: BSD-3-Clause */
/* Visible: prints text of strangers (names in files, paths) so that it can neither steer a terminal nor forge a line.
 */
#pragma once

#include <stdio.h>

/* Prints `text` on one line: control characters, line separators and marks that change the direction of writing as
 * \x1b or \u202e, bytes that are not UTF-8 as \xff. Everything else is printed as it is. */
void sino_print_visible(const char *text, FILE *out);
