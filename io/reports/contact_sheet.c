/* SPDX-License-Identifier: BSD-3-Clause */
/* Contact sheet: each slice is a figure with a title, its detail if it is large, and a note. */
#include "page.h"

#include "files.h"
#include "memory.h"
#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Voxels: larger slices have a detail of this side, and those beyond SIDE_MOST are averaged. */
enum { SIDE = 300, SIDE_MOST = 512 };

typedef struct Square {
    int64_t row, column, side; /* of the slice */
} Square;

typedef struct Sheet {
    const SinoContactSheet *of;
    float *values; /* of one slice; owned */
    float low, high;
    Square detail; /* of all slices */
} Sheet;

/* Sum of squared differences of neighbours in a square. */
static double detail_in(const SinoContactSheet *of, const float *values, Square in)
{
    double sum = 0;
    for (int64_t r = in.row; r < in.row + in.side - 1; r++)
        for (int64_t c = in.column; c < in.column + in.side - 1; c++) {
            const float *at = values + r * of->size + c;
            const double right = (double)at[1] - (double)at[0], down = (double)at[of->size] - (double)at[0];
            sum += right * right + down * down;
        }
    return sum;
}

/* The square of SIDE voxels with the most detail, among squares half a side apart inside the inscribed circle.
 */
static Square find_detail(const SinoContactSheet *of, const float *values)
{
    const int64_t size = of->size, side = SIDE, last = size - side;
    const double middle = (double)size / 2;
    Square best = {last / 2, last / 2, side};
    double most = -1;
    for (int64_t row = 0; row <= last; row += side / 2)
        for (int64_t column = 0; column <= last; column += side / 2) {
            const Square here = {row, column, side};
            const double half = (double)side / 2;
            if (hypot((double)row + half - middle, (double)column + half - middle) > middle - half) continue;
            const double found = detail_in(of, values, here);
            if (found <= most) continue;
            most = found;
            best = here;
        }
    return best;
}

static SinoStatus print_detail(const Sheet *sheet, const char *alt, FILE *out)
{
    const Square in = sheet->detail;
    float *values;
    SINO_TRY(sino_allocate(sino_times(in.side, in.side), sizeof *values, "a picture", &values));
    for (int64_t r = 0; r < in.side; r++)
        memcpy(values + r * in.side, sheet->values + (in.row + r) * sheet->of->size + in.column,
               (size_t)in.side * sizeof *values);
    SinoStatus status = sino_page_image(in.side, in.side, values, sheet->low, sheet->high, in.side, alt, out);
    free(values);
    return status;
}

static SinoStatus print_picture(const Sheet *sheet, int64_t number, FILE *out)
{
    const SinoContactSheet *of = sheet->of;
    const SinoContactPicture *picture = &of->picture[number];
    SINO_TRY(of->read(of->owner, number, sheet->values));
    fprintf(out, "<figure%s>\n<b>", picture->chosen ? " class=\"chosen\"" : "");
    sino_markup_text(picture->title, out);
    fputs("</b>\n<div>", out);
    SINO_TRY(
        sino_page_image(of->size, of->size, sheet->values, sheet->low, sheet->high, SIDE_MOST, picture->title, out));
    if (of->size > SIDE) SINO_TRY(print_detail(sheet, picture->title, out));
    fputs("</div>\n<figcaption>", out);
    sino_markup_text(picture->note, out);
    fputs("</figcaption></figure>\n", out);
    return NULL;
}

static SinoStatus print_sheet(const void *all, FILE *out)
{
    const Sheet *sheet = all;
    sino_page_begin(sheet->of->title, sheet->of->title, out);
    fputs("<p>", out);
    sino_markup_text(sheet->of->note, out);
    fprintf(out, "</p>\n<div class=\"sheet %s\">\n", sheet->of->size > SIDE ? "detailed" : "voxels");
    for (int64_t i = 0; i < sheet->of->count; i++) SINO_TRY(print_picture(sheet, i, out));
    fputs("</div>\n", out);
    sino_page_end(out);
    return NULL;
}

static SinoStatus write_all(Sheet *sheet, const char *path)
{
    const int64_t count = sino_times(sheet->of->size, sheet->of->size);
    SinoOutputFile *file;
    SINO_TRY(sino_allocate(count, sizeof(float), "a slice", &sheet->values));
    SINO_TRY(sheet->of->read(sheet->of->owner, sheet->of->count / 2, sheet->values));
    SINO_TRY(sino_picture_window(count, sheet->values, &sheet->low, &sheet->high));
    if (sheet->of->size > SIDE) sheet->detail = find_detail(sheet->of, sheet->values);
    SINO_TRY(sino_output_open(path, true, &file));
    return sino_output_print(file, print_sheet, sheet);
}

SinoStatus sino_contact_sheet_write(const char *path, const SinoContactSheet *of)
{
    Sheet sheet = {.of = of};
    SinoStatus status = write_all(&sheet, path);
    free(sheet.values);
    return status;
}
