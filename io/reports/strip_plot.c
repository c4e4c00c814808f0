/* SPDX-License-Identifier: BSD-3-Clause */
/* Strip plot: SVG is printed as text. Colours are those of Okabe and Ito, which the colour-blind tell apart. */
#include "strip_plot.h"

#include "markup.h"
#include "plot_axis.h"

#include <math.h>
#include <string.h>

/* Pixels. */
enum { WIDTH = 520, ROW = 18, TOP = 44, BELOW = 58, RIGHT = 18, LETTER = 7, NAME_LEAST = 50, NAME_MOST = 190 };

static const char dot_colour[] = "#0072B2", bar_colour[] = "#000000", diamond_colour[] = "#D55E00";

/* ---- the axis ---- */

static SinoPlotAxis choose_axis(const SinoStripPlot *plot, double left)
{
    double least = INFINITY, most = -INFINITY;
    for (int64_t r = 0; r < plot->row_count; r++) {
        for (int64_t i = 0; i < plot->row[r].count; i++) sino_plot_include(plot->row[r].value[i], &least, &most);
        sino_plot_include(plot->row[r].bar, &least, &most);
        sino_plot_include(plot->row[r].diamond, &least, &most);
    }
    const bool logarithmic = !plot->linear && least > 0 && most >= 20 * least;
    return sino_plot_axis(least, most, logarithmic, left, WIDTH - RIGHT - left);
}

static void draw_axis(const SinoStripPlot *plot, const SinoPlotAxis *axis, double bottom, FILE *out)
{
    const int64_t ticks = sino_plot_ticks(axis);
    for (int64_t t = 0; t <= ticks; t++) {
        const double value = sino_plot_tick(axis, t), x = sino_plot_place(axis, value);
        char label[32];
        fprintf(out, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#d0d0d0\"/>\n", x, TOP, x, bottom);
        snprintf(label, sizeof label, "%g", value);
        sino_plot_text(x, bottom + 15, " text-anchor=\"middle\" fill=\"#333\"", label, out);
    }
    sino_plot_text(axis->from + axis->length / 2, bottom + 32, " text-anchor=\"middle\" fill=\"#333\"", plot->axis,
                   out);
}

/* ---- rows ---- */

static void draw_diamond(double x, double y, FILE *out)
{
    fprintf(out, "<path d=\"M%.1f %.1fl5 -5l5 5l-5 5z\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\"/>\n", x - 5, y,
            diamond_colour);
}

static void draw_bar(double x, double y, FILE *out)
{
    fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"2\"/>\n", x, y - 7,
            x, y + 7, bar_colour);
}

static void draw_dot(double x, double y, FILE *out)
{
    fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\" fill-opacity=\"0.55\"/>\n", x, y, dot_colour);
}

/* The end of a name that is too long, which is where names of files differ. */
static void print_name(const char *name, double x, double y, FILE *out)
{
    enum { LETTERS = NAME_MOST / LETTER };
    char shown[LETTERS + 8];
    const size_t length = strlen(name);
    const char *end = name + (length > LETTERS ? length - LETTERS + 1 : 0);
    while ((*end & 0xC0) == 0x80) end++; /* not within a character of several bytes */
    snprintf(shown, sizeof shown, "%s%s", length > LETTERS ? "…" : "", end);
    sino_plot_text(x, y + 4, " text-anchor=\"end\"", shown, out);
}

static void draw_row(const SinoStripRow *row, const SinoPlotAxis *axis, int64_t number, FILE *out)
{
    const double y = TOP + ((double)number + 0.5) * ROW;
    if (number % 2 == 0)
        fprintf(out, "<rect x=\"0\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"#f4f4f4\"/>\n", y - ROW / 2.0, WIDTH,
                ROW);
    print_name(row->name, axis->from - 8, y, out);
}

static void draw_values(const SinoStripRow *row, const SinoPlotAxis *axis, int64_t number, FILE *out)
{
    const double y = TOP + ((double)number + 0.5) * ROW;
    for (int64_t i = 0; i < row->count; i++)
        if (isfinite(row->value[i])) draw_dot(sino_plot_place(axis, row->value[i]), y, out);
    if (isfinite(row->bar)) draw_bar(sino_plot_place(axis, row->bar), y, out);
    if (isfinite(row->diamond)) draw_diamond(sino_plot_place(axis, row->diamond), y, out);
}

static void draw_legend(const SinoStripPlot *plot, double left, FILE *out)
{
    const struct {
        const char *name;
        void (*draw)(double x, double y, FILE *out);
    } entry[] = {{plot->dot_name, draw_dot}, {plot->bar_name, draw_bar}, {plot->diamond_name, draw_diamond}};
    double x = left;
    for (size_t i = 0; i < sizeof entry / sizeof *entry; i++) {
        if (!entry[i].name) continue;
        entry[i].draw(x + 5, 32, out);
        sino_plot_text(x + 15, 36, " fill=\"#333\"", entry[i].name, out);
        x += 35 + (double)(LETTER * strlen(entry[i].name));
    }
}

static double left_of(const SinoStripPlot *plot)
{
    size_t longest = 0;
    for (int64_t r = 0; r < plot->row_count; r++)
        if (strlen(plot->row[r].name) > longest) longest = strlen(plot->row[r].name);
    return 14 + fmin(fmax((double)(LETTER * longest), NAME_LEAST), NAME_MOST);
}

void sino_strip_plot_draw(const SinoStripPlot *plot, FILE *out)
{
    const double left = left_of(plot), bottom = TOP + (double)(ROW * plot->row_count);
    const SinoPlotAxis axis = choose_axis(plot, left);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" viewBox=\"0 0 %d %.0f\" "
            "role=\"img\" font-family=\"sans-serif\" font-size=\"12\">\n<title>",
            WIDTH, bottom + BELOW, WIDTH, bottom + BELOW);
    sino_markup_text(plot->title, out);
    fprintf(out, "</title>\n<rect width=\"%d\" height=\"%.0f\" fill=\"#fff\"/>\n", WIDTH, bottom + BELOW);
    sino_plot_text(8, 16, " font-size=\"14\" font-weight=\"bold\"", plot->title, out);
    draw_legend(plot, left, out);
    for (int64_t r = 0; r < plot->row_count; r++) draw_row(&plot->row[r], &axis, r, out);
    draw_axis(plot, &axis, bottom, out);
    for (int64_t r = 0; r < plot->row_count; r++) draw_values(&plot->row[r], &axis, r, out);
    fputs("</svg>\n", out);
}
