/* SPDX-License-Identifier: BSD-3-Clause */
/* Markup: text within HTML and SVG. */
#pragma once

#include <stdio.h>

/* Prints `text` so that it stands for itself in an element or a quoted attribute. Control characters and bytes that are
 * not UTF-8 become U+FFFD. */
void sino_markup_text(const char *text, FILE *out);
