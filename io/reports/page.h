/* SPDX-License-Identifier: BSD-3-Clause */
/* Page: a page of HTML that needs no other file, and is well-formed XML. */
#pragma once

#include "status.h"

#include <stdbool.h>
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

/* Markup: text within HTML and SVG. Prints `text` so that it stands for itself in an element or a quoted attribute.
 * Control characters and bytes that are not UTF-8 become U+FFFD. */
void sino_markup_text(const char *text, FILE *out);

/* Contact sheet: slices side by side in one page of HTML, each with its value, in one range of grey. */

/* Nothing is owned; texts are UTF-8. */
typedef struct SinoContactPicture {
    const char *title, *note; /* above and below the picture */
    bool chosen;              /* is framed */
} SinoContactPicture;

typedef struct SinoContactSheet {
    const char *title, *note;
    int64_t size; /* of each slice: voxels along a side */
    int64_t count;
    const SinoContactPicture *picture;
    SinoStatus (*read)(void *owner, int64_t number, float *values); /* reads picture `number`: [size][size] */
    void *owner;
} SinoContactSheet;

/* Writes the sheet. A slice of more than 300 voxels along a side has the square with the most detail in the middle
 * picture beside it, voxel by voxel; one of more than 512 is averaged down. Grey reaches from the 0.2 to the 99.8
 * percentile of the middle picture; an existing file is replaced. SINO_FAILED: no memory, or the file cannot be
 * written; errors of `read`. */
SinoStatus sino_contact_sheet_write(const char *path, const SinoContactSheet *sheet);

/* Live page: three planes of a volume to which projections are added as they come, in a page that browsers load again
 * every second until the run has ended. */

enum { SINO_LIVE_XY, SINO_LIVE_XZ, SINO_LIVE_YZ, SINO_LIVE_PLANES };

/* How the volume settles as projections are added, point after point. */
enum { SINO_LIVE_POINTS = 128 };
typedef struct SinoLiveTrail {
    int64_t count;
    double added[SINO_LIVE_POINTS];   /* projections */
    double center[SINO_LIVE_POINTS];  /* rotation axis by these, as SinoLivePage.center; NaN: not known */
    double entropy[SINO_LIVE_POINTS]; /* of the xy plane, in nats: less is sharper */
    double doubt;                     /* of the last center: two standard deviations */
} SinoLiveTrail;

/* Nothing is owned. Rates of 0 are not known. */
typedef struct SinoLivePage {
    const char *path, *title, *units; /* units: of the voxels */
    const char *algorithm;            /* of the planes */
    const char *next;                 /* the one that goes on, once all projections are in them; NULL: none */
    int64_t x_count, y_count, z_count;
    const float *plane[SINO_LIVE_PLANES]; /* [y][x], [z][x], [z][y], through the middle of the volume */
    int64_t come, come_total;             /* projections of the scan that have come */
    int64_t added, added_total;           /* projections that the planes have */
    int64_t pass, pass_total;             /* over the projections, each of which has slices of its own */
    double come_per_s, added_per_s;
    double center;              /* rotation axis of the planes, as SinoGeometry.center counts */
    const SinoLiveTrail *trail; /* NULL: none */
    const char *ended;          /* how the run has ended; NULL: it goes on */
    bool failed;
} SinoLivePage;

/* Writes the page under a temporary name, then renames it; an existing file is replaced. Errors as of
 * sino_output_open, and SINO_FAILED: no memory, or the file cannot be written. */
SinoStatus sino_live_page_write(const SinoLivePage *page);

/* Writes a page that says only how the run has ended in place of the file, for a last act (ending.h). Failures are not
 * told. */
void sino_live_page_end(const SinoLivePage *page);
