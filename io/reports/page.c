/* SPDX-License-Identifier: BSD-3-Clause */
/* Page: HTML is printed as text; pictures are PNG files in base 64 (RFC 4648). */
#include "page.h"

#include "memory.h"
#include "picture.h"
#include "text.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char style[] =
    "body { font: 15px/1.45 sans-serif; color: #111; background: #fff; max-width: 1080px; margin: 2em auto; padding: 0 "
    "1em }\n"
    "h1 { font-size: 1.6em; overflow-wrap: anywhere; margin-bottom: 0.2em } h2 { font-size: 1.2em; margin-top: 2em; "
    "border-bottom: 1px solid #bbb }\n"
    "table { border-collapse: collapse; margin: 1em 0 } th, td { padding: 2px 10px; text-align: right }\n"
    "th { border-bottom: 1px solid #888; vertical-align: bottom; font-weight: 600 }\n"
    "th:first-child, td:first-child { text-align: left; white-space: nowrap }\n"
    "tbody tr:nth-child(odd) { background: #f4f4f4 } td { font-variant-numeric: tabular-nums; vertical-align: top }\n"
    ".about td + td { text-align: left; overflow-wrap: anywhere; white-space: normal }\n"
    ".plots { display: flex; flex-wrap: wrap; gap: 12px } .bad { color: #a00; font-weight: 600 }\n"
    ".wide { overflow-x: auto } .small { color: #555; font-size: 0.9em; margin-top: 0 }\n"
    ".odd { background: #fff4e0; border-left: 4px solid #e69f00; padding: 0.4em 1em; margin: 1em 0 }\n"
    ".odd ul { margin: 0.3em 0; padding-left: 1.2em } .fine { border-color: #009e73; background: #eef8f4 }\n"
    ".sides { display: flex; flex-wrap: wrap; gap: 24px; align-items: flex-start; margin: 1em 0 }\n"
    ".sides > div { flex: 3 1 420px; min-width: 0 } .sides > div + div { flex: 2 1 300px }\n"
    "figure { margin: 0 0 1em 0 } figcaption { font-size: 0.9em; color: #333 }\n"
    "figure img { display: block; width: 100%; background: #000 }\n"
    ".bar { border: solid #111; border-width: 0 1.5px 1.5px 1.5px; height: 5px; margin-top: 5px; box-sizing: "
    "border-box }\n"
    "body:has(.sheet) { max-width: 96vw } .sheet { display: grid; gap: 14px }\n"
    ".sheet figure { margin: 0; padding: 5px; border: 3px solid transparent } .sheet .chosen { border-color: #d55e00 "
    "}\n"
    ".voxels { grid-template-columns: repeat(auto-fill, minmax(300px, 1fr)) }\n"
    ".detailed { grid-template-columns: repeat(auto-fill, minmax(min(602px, 100%), 1fr)) }\n"
    ".detailed figure > div { display: grid; grid-template-columns: 1fr 1fr; gap: 2px }\n"
    ".voxels img, .detailed img + img { image-rendering: pixelated }\n"
    ".share { display: inline-block; background: #56b4e9; height: 0.8em }\n"
    "pre { background: #f4f4f4; padding: 0.6em 1em; overflow-x: auto; font-size: 13px }\n"
    "summary { cursor: pointer } @media print { .wide { overflow: visible } h2 { break-after: avoid } }\n";

void sino_page_begin_again(const char *title, const char *heading, int seconds, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width\"/>\n",
          out);
    if (seconds > 0) fprintf(out, "<meta http-equiv=\"refresh\" content=\"%d\"/>\n", seconds);
    fputs("<title>", out);
    sino_markup_text(title, out);
    fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", style);
    sino_markup_text(heading, out);
    fputs("</h1>\n", out);
}

void sino_page_begin(const char *title, const char *heading, FILE *out)
{
    sino_page_begin_again(title, heading, 0, out);
}

void sino_page_end(FILE *out)
{
    fputs("</body>\n</html>\n", out);
}

void sino_page_section(const char *heading, FILE *out)
{
    fputs("<h2>", out);
    sino_markup_text(heading, out);
    fputs("</h2>\n", out);
}

void sino_page_table_begin(FILE *out)
{
    fputs("<div class=\"wide\"><table class=\"about\"><tbody>\n", out);
}

void sino_page_table_end(FILE *out)
{
    fputs("</tbody></table></div>\n", out);
}

void sino_page_row(FILE *out, const char *name, const char *format, ...)
{
    char *value = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&value, format, arguments) < 0) value = NULL;
    va_end(arguments);
    fputs("<tr><td>", out);
    sino_markup_text(name, out);
    fputs("</td><td>", out);
    sino_markup_text(value ? value : "", out);
    fputs("</td></tr>\n", out);
    free(value);
}

void sino_page_lines(const char *lines, FILE *out)
{
    while (*lines) {
        const size_t length = strcspn(lines, "\n"), colon = strcspn(lines, ":");
        const size_t name = colon < length ? colon : length;
        const size_t skip = name + (name < length) + (name + 1 < length && lines[name + 1] == ' ');
        char *copy = strndup(lines, name);
        if (copy) sino_page_row(out, copy, "%.*s", (int)(length - skip), lines + skip);
        free(copy);
        lines += length + (lines[length] == '\n');
    }
}

/* ---- pictures ---- */

static void print_base64(size_t count, const unsigned char *bytes, FILE *out)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        const size_t left = count - i;
        const unsigned second = left > 1 ? bytes[i + 1] : 0u, third = left > 2 ? bytes[i + 2] : 0u;
        const unsigned three = (unsigned)bytes[i] << 16 | second << 8 | third;
        const char four[] = {digit[three >> 18], digit[three >> 12 & 63], left > 1 ? digit[three >> 6 & 63] : '=',
                             left > 2 ? digit[three & 63] : '='};
        fwrite(four, 1, sizeof four, out);
    }
}

/* The mean of the finite values of a block; NaN: there is none. */
static float block_mean(int64_t height, int64_t width, const float *values, int64_t row, int64_t column, int64_t side)
{
    double sum = 0;
    int64_t count = 0;
    for (int64_t y = row; y < row + side && y < height; y++)
        for (int64_t x = column; x < column + side && x < width; x++) {
            const float value = values[y * width + x];
            if (!isfinite(value)) continue;
            sum += (double)value;
            count++;
        }
    return count > 0 ? (float)(sum / (double)count) : NAN;
}

SinoStatus sino_page_image(int64_t height, int64_t width, const float *values, float low, float high, int64_t side_most,
                           const char *alt, FILE *out)
{
    const int64_t side = sino_ceil_divide(sino_larger(height, width), side_most);
    const int64_t rows = sino_ceil_divide(height, side), columns = sino_ceil_divide(width, side);
    float *reduced;
    unsigned char *png;
    size_t bytes;
    SINO_TRY(sino_allocate(sino_times(rows, columns), sizeof *reduced, "a picture", &reduced));
    for (int64_t i = 0; i < rows * columns; i++)
        reduced[i] =
            side == 1 ? values[i] : block_mean(height, width, values, i / columns * side, i % columns * side, side);
    SinoStatus status = sino_picture_encode(rows, columns, reduced, low, high, &bytes, &png);
    free(reduced);
    if (status) return status;
    fputs("<img alt=\"", out);
    sino_markup_text(alt, out);
    fputs("\" src=\"data:image/png;base64,", out);
    print_base64(bytes, png, out);
    free(png);
    fputs("\"/>\n", out);
    return NULL;
}

SinoStatus sino_page_picture(const SinoPagePicture *picture, FILE *out)
{
    enum { SIDE_MOST = 1024 };
    float low = 0, high = 0;
    SINO_TRY(sino_picture_window(sino_times(picture->height, picture->width), picture->values, &low, &high));
    fputs("<figure>", out);
    SINO_TRY(
        sino_page_image(picture->height, picture->width, picture->values, low, high, SIDE_MOST, picture->caption, out));
    if (picture->bar_text)
        fprintf(out, "<div class=\"bar\" style=\"width: %.2f%%\"></div>\n",
                100 * picture->bar_pixels / (double)picture->width);
    fputs("<figcaption>", out);
    if (picture->bar_text) {
        sino_markup_text(picture->bar_text, out);
        fputs("<br/>", out);
    }
    sino_markup_text(picture->caption, out);
    fprintf(out, "<br/>black %.3g, white %.3g ", (double)low, (double)high);
    sino_markup_text(picture->units, out);
    fputs("</figcaption></figure>\n", out);
    return NULL;
}

const char *sino_page_length(double micrometres, char text[SINO_PAGE_LENGTH])
{
    const double micrometres_per_mm = 1e3, micrometres_per_nm = 1e-3;
    if (micrometres >= micrometres_per_mm)
        snprintf(text, SINO_PAGE_LENGTH, "%.5g mm", micrometres / micrometres_per_mm);
    else if (micrometres >= 1)
        snprintf(text, SINO_PAGE_LENGTH, "%.5g µm", micrometres);
    else
        snprintf(text, SINO_PAGE_LENGTH, "%.5g nm", micrometres / micrometres_per_nm);
    return text;
}

double sino_page_bar(int64_t pixels, double size)
{
    const double most = (double)pixels * size / 3, decade = pow(10, floor(log10(most)));
    const double times = most / decade;
    return decade * (times >= 5 ? 5 : times >= 2 ? 2 : 1);
}

/* Markup: the five characters that XML reserves, and those that it forbids. */

/* The reference of a reserved character; NULL: it is none. */
static const char *reference(uint32_t code)
{
    switch (code) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void sino_markup_text(const char *text, FILE *out)
{
    while (*text) {
        uint32_t code = 0;
        const int length = sino_utf8_decode(text, &code);
        const bool allowed = length > 0 && code >= 0x20 && code != 0x7F && code != 0xFFFE && code != 0xFFFF;
        if (!allowed)
            fputs("\xEF\xBF\xBD", out);
        else if (reference(code))
            fputs(reference(code), out);
        else
            fwrite(text, 1, (size_t)length, out);
        text += length > 0 ? length : 1;
    }
}
