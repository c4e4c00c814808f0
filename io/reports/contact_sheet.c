/* SPDX-License-Identifier: BSD-3-Clause */
/* Contact sheet: drawing with cairo. Each cell has a title, the slice, its detail if the slice is large, and a note. */
#include "contact_sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "arithmetic.h"
#include "cairo_stream.h"
#include "memory.h"
#include "output_file.h"
#include "picture.h"

/* Pixels: the largest side of a picture, the width of a note, gaps, and lines of text. */
enum { SIDE = 300, NOTE = 270, GAP = 14, LINE = 20, HEAD = 62 };
static const double text_size = 14, small_size = 12, title_size = 18;

/* Width of a sheet over its height, about. */
static const double shape = 1.5;

typedef struct Square {
    int64_t row, column, side; /* of the slice */
} Square;

typedef struct Sheet {
    const SinoContactSheet *of;
    cairo_t *cairo;
    float *values; /* of one slice; owned */
    float low, high;
    int64_t side;                   /* of a picture, in pixels */
    bool detailed;                  /* slices are larger than pictures */
    Square detail;                  /* of all slices */
    int64_t width, height, columns; /* of a cell, in pixels; cells in a row */
} Sheet;

/* Mean of the values that fall on a pixel of a picture. */
static double mean_of(const SinoContactSheet *of, const float *values, Square from, int64_t side, int64_t y, int64_t x)
{
    const int64_t top = from.row + y * from.side / side, left = from.column + x * from.side / side;
    const int64_t bottom = sino_larger(from.row + (y + 1) * from.side / side, top + 1);
    const int64_t right = sino_larger(from.column + (x + 1) * from.side / side, left + 1);
    double sum = 0;
    for (int64_t r = top; r < bottom; r++)
        for (int64_t c = left; c < right; c++) sum += (double)values[r * of->size + c];
    return sum / (double)((bottom - top) * (right - left));
}

static SinoStatus draw_picture(const Sheet *sheet, const float *values, Square from, double x, double y)
{
    const int64_t side = sheet->side;
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)side, (int)side);
    unsigned char *pixels = cairo_image_surface_get_data(image);
    SINO_CHECK(pixels, SINO_FAILED, "no memory for a picture");
    const int64_t stride = cairo_image_surface_get_stride(image);
    for (int64_t r = 0; r < side; r++)
        for (int64_t c = 0; c < side; c++) {
            const double value = mean_of(sheet->of, values, from, side, r, c);
            const double share = (value - (double)sheet->low) / fmax((double)(sheet->high - sheet->low), 1e-30);
            const uint32_t grey = isnan(share) ? 0 : (uint32_t)lround(255 * fmin(fmax(share, 0), 1));
            ((uint32_t *)(void *)(pixels + r * stride))[c] = grey << 16 | grey << 8 | grey;
        }
    cairo_surface_mark_dirty(image);
    cairo_set_source_surface(sheet->cairo, image, x, y);
    cairo_paint(sheet->cairo);
    cairo_surface_destroy(image);
    return NULL;
}

static void draw_text(const Sheet *sheet, double x, double y, double size, bool strong, const char *text)
{
    cairo_select_font_face(sheet->cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           strong ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(sheet->cairo, size);
    cairo_set_source_rgb(sheet->cairo, 0.1, 0.1, 0.1);
    cairo_move_to(sheet->cairo, x, y);
    cairo_show_text(sheet->cairo, text);
}

static SinoStatus draw_cell(const Sheet *sheet, int64_t number)
{
    SINO_TRY(sheet->of->read(sheet->of->owner, number, sheet->values));
    const SinoContactPicture *picture = &sheet->of->picture[number];
    const int64_t x = number % sheet->columns * sheet->width, y = number / sheet->columns * sheet->height;
    const double left = (double)(GAP + x), top = (double)(HEAD + y);
    const Square whole = {0, 0, sheet->of->size};
    draw_text(sheet, left, top + LINE - 6, text_size, true, picture->title);
    SINO_TRY(draw_picture(sheet, sheet->values, whole, left, top + LINE));
    if (sheet->detailed)
        SINO_TRY(draw_picture(sheet, sheet->values, sheet->detail, left + (double)sheet->side + 2, top + LINE));
    draw_text(sheet, left, top + LINE + (double)sheet->side + LINE - 4, small_size, false, picture->note);
    if (!picture->chosen) return NULL;
    cairo_set_source_rgb(sheet->cairo, 0.835, 0.369, 0);
    cairo_set_line_width(sheet->cairo, 3);
    cairo_rectangle(sheet->cairo, left - 5, top - 2, (double)(sheet->width - GAP) + 10,
                    (double)(sheet->height - GAP) + 10);
    cairo_stroke(sheet->cairo);
    return NULL;
}

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

/* The square of the picture's side with the most detail, among squares half a side apart inside the inscribed circle.
 */
static Square find_detail(const Sheet *sheet, const float *values)
{
    const int64_t size = sheet->of->size, side = sheet->side, last = size - side;
    const double middle = (double)size / 2;
    Square best = {last / 2, last / 2, side};
    double most = -1;
    for (int64_t row = 0; row <= last; row += side / 2)
        for (int64_t column = 0; column <= last; column += side / 2) {
            const Square here = {row, column, side};
            const double half = (double)side / 2;
            if (hypot((double)row + half - middle, (double)column + half - middle) > middle - half) continue;
            const double found = detail_in(sheet->of, values, here);
            if (found <= most) continue;
            most = found;
            best = here;
        }
    return best;
}

static void lay_out(Sheet *sheet)
{
    const SinoContactSheet *of = sheet->of;
    sheet->detailed = of->size > SIDE;
    sheet->side = sino_smaller(of->size, SIDE);
    if (of->size < SIDE / 2) sheet->side = SIDE / of->size * of->size; /* small voxels are magnified */
    sheet->width = sino_larger(sheet->detailed ? 2 * sheet->side + 2 : sheet->side, NOTE) + GAP;
    sheet->height = sheet->side + LINE + LINE + GAP;
    const double columns = sqrt((double)of->count * shape * (double)sheet->height / (double)sheet->width);
    sheet->columns = sino_smaller(sino_larger((int64_t)ceil(columns), 1), of->count);
    if (sheet->detailed) sheet->detail = find_detail(sheet, sheet->values);
}

static SinoStatus draw_all(const Sheet *sheet, double width, double height)
{
    cairo_set_source_rgb(sheet->cairo, 1, 1, 1);
    cairo_rectangle(sheet->cairo, 0, 0, width, height);
    cairo_fill(sheet->cairo);
    draw_text(sheet, GAP, 26, title_size, true, sheet->of->title);
    draw_text(sheet, GAP, 46, small_size, false, sheet->of->note);
    for (int64_t i = 0; i < sheet->of->count; i++) SINO_TRY(draw_cell(sheet, i));
    return NULL;
}

static SinoStatus draw(Sheet *sheet, const char *path, SinoOutputFile *file)
{
    const int64_t rows = (sheet->of->count + sheet->columns - 1) / sheet->columns;
    const int64_t width = sheet->columns * sheet->width + GAP, height = rows * sheet->height + HEAD;
    SINO_CHECK(width < 32767 && height < 32767, SINO_BAD_INPUT,
               "%s would have %ld x %ld pixels; allowed: up to 32766 on a side", path, (long)width, (long)height);
    SinoCairoStream stream = {.file = file};
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
    sheet->cairo = cairo_create(surface);
    SinoStatus status = draw_all(sheet, (double)width, (double)height);
    cairo_status_t outcome = cairo_status(sheet->cairo);
    if (outcome == CAIRO_STATUS_SUCCESS)
        outcome = cairo_surface_write_to_png_stream(surface, sino_cairo_write, &stream);
    cairo_destroy(sheet->cairo);
    cairo_surface_destroy(surface);
    if (!status && outcome != CAIRO_STATUS_SUCCESS)
        status = sino_error(SINO_FAILED, "%s cannot be drawn: %s", path, cairo_status_to_string(outcome));
    return status;
}

static SinoStatus write_all(Sheet *sheet, const char *path)
{
    const int64_t count = sino_times(sheet->of->size, sheet->of->size);
    SinoOutputFile *file;
    SINO_TRY(sino_allocate(count, sizeof(float), "a slice", &sheet->values));
    SINO_TRY(sheet->of->read(sheet->of->owner, sheet->of->count / 2, sheet->values));
    SINO_TRY(sino_picture_window(count, sheet->values, &sheet->low, &sheet->high));
    lay_out(sheet);
    SINO_TRY(sino_output_open(path, true, &file));
    SinoStatus status = draw(sheet, path, file);
    if (!status) return sino_output_seal(file);
    sino_output_discard(file);
    return status;
}

SinoStatus sino_contact_sheet_write(const char *path, const SinoContactSheet *of)
{
    Sheet sheet = {.of = of};
    SinoStatus status = write_all(&sheet, path);
    free(sheet.values);
    return status;
}
