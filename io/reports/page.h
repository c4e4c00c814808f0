/* SPDX-License-Identifier: BSD-3-Clause */
/* Page: a page of HTML that needs no other file, and is well-formed XML. */
#pragma once

#include "status.h"

#include <stdint.h>
#include <stdio.h>

/* Prints the beginning of the page, with its style and the heading, and its end. */
void sino_page_begin(const char *title, const char *heading, FILE *out);
void sino_page_end(FILE *out);

/* sino_page_begin of a page that browsers load again after so many seconds; 0: never. */
void sino_page_begin_again(const char *title, const char *heading, int seconds, FILE *out);

/* Prints a section's heading. */
void sino_page_section(const char *heading, FILE *out);

/* Between these, a table of names and values. */
void sino_page_table_begin(FILE *out);
void sino_page_table_end(FILE *out);

/* A row of such a table. */
void sino_page_row(FILE *out, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Lines "name: value" as rows of such a table. */
void sino_page_lines(const char *lines, FILE *out);

/* Prints values[height][width] as an <img> element, a PNG within the page; grey levels as of sino_picture_write. A
 * picture of more than `side_most` pixels along a side is reduced by averaging blocks. Errors as of
 * sino_picture_encode. */
SinoStatus sino_page_image(int64_t height, int64_t width, const float *values, float low, float high, int64_t side_most,
                           const char *alt, FILE *out);

/* A picture in the page, and what stands below it. */
typedef struct SinoPagePicture {
    int64_t height, width;
    const float *values; /* [height][width]; grey levels as of sino_picture_write with low = high = 0 */
    const char *caption;
    const char *units;    /* of the values, for the range that the caption tells; "": none */
    const char *bar_text; /* of the scale bar, "100 µm"; NULL: there is none */
    double bar_pixels;    /* its length in pixels of the picture */
} SinoPagePicture;

/* Prints the picture as PNG in the page; one of more than about a thousand pixels along a side is reduced by averaging.
 * SINO_FAILED: no memory. */
SinoStatus sino_page_picture(const SinoPagePicture *picture, FILE *out);

/* Writes a length in nm, µm or mm, whichever makes it a number from 1 to 1000; returns `text`. */
enum { SINO_PAGE_LENGTH = 32 };
const char *sino_page_length(double micrometres, char text[SINO_PAGE_LENGTH]);

/* A length of 1, 2 or 5 times a power of ten, which is at most a third of `pixels` that are `size` units wide each. */
double sino_page_bar(int64_t pixels, double size);
