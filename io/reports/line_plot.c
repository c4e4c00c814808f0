/* SPDX-License-Identifier: BSD-3-Clause */
/* Line plot: SVG is printed as text. Colours are those of Okabe and Ito, which the colour-blind tell apart. */
#include "line_plot.h"

#include "markup.h"
#include "plot_axis.h"

#include <inttypes.h>
#include <math.h>

/* Pixels. */
enum { WIDTH = 560, HEIGHT = 300, LEFT = 88, RIGHT = 18, TOP = 46, BOTTOM = 50 };

static const char line_colour[] = "#0072B2", grid_colour[] = "#d8d8d8";

typedef struct Axes {
    SinoPlotAxis x, y;
} Axes;

static bool is_drawn(const SinoLinePlot *plot, double value)
{
    return isfinite(value) && (value > 0 || !plot->logarithmic);
}

static Axes choose_axes(const SinoLinePlot *plot)
{
    const double *const values[] = {plot->line, plot->low, plot->high};
    double least = INFINITY, most = -INFINITY;
    for (int k = 0; k < 3; k++)
        for (int64_t i = 0; values[k] && i < plot->count; i++)
            if (is_drawn(plot, values[k][i])) sino_plot_include(values[k][i], &least, &most);
    const double last = (double)(plot->first + (plot->count > 1 ? plot->count - 1 : 1));
    Axes axes = {
        .x = sino_plot_axis((double)plot->first, last, false, LEFT, WIDTH - LEFT - RIGHT),
        .y = sino_plot_axis(least, most, plot->logarithmic && most >= least, HEIGHT - BOTTOM, TOP - HEIGHT + BOTTOM)};
    if (axes.x.step < 1) { /* steps are counted in whole numbers */
        axes.x.step = 1;
        axes.x.low = (double)plot->first;
        axes.x.high = last;
    }
    return axes;
}

static void draw_x_axis(const SinoLinePlot *plot, const SinoPlotAxis *axis, FILE *out)
{
    char label[32];
    for (int64_t t = 0; t <= sino_plot_ticks(axis); t++) {
        const double value = sino_plot_tick(axis, t), x = sino_plot_place(axis, value);
        fprintf(out, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"%s\"/>\n", x, TOP, x, HEIGHT - BOTTOM,
                grid_colour);
        snprintf(label, sizeof label, "%g", value);
        sino_plot_text(x, HEIGHT - BOTTOM + 16, " text-anchor=\"middle\" fill=\"#333\"", label, out);
    }
    sino_plot_text(LEFT + (WIDTH - LEFT - RIGHT) / 2.0, HEIGHT - 12, " text-anchor=\"middle\" fill=\"#333\"",
                   plot->x_axis, out);
}

/* A logarithmic axis with many ticks has labels at powers of ten only. */
static bool is_labelled(const SinoPlotAxis *axis, int64_t number)
{
    const double whole = axis->low + (double)number;
    return !axis->logarithmic || sino_plot_ticks(axis) <= 9 || fmod(whole, 3) == 0;
}

static void draw_y_axis(const SinoLinePlot *plot, const SinoPlotAxis *axis, FILE *out)
{
    char label[32];
    for (int64_t t = 0; t <= sino_plot_ticks(axis); t++) {
        const double value = sino_plot_tick(axis, t), y = sino_plot_place(axis, value);
        fprintf(out, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"%s\"/>\n", LEFT, y, WIDTH - RIGHT, y,
                grid_colour);
        snprintf(label, sizeof label, "%g", value);
        if (is_labelled(axis, t)) sino_plot_text(LEFT - 6, y + 4, " text-anchor=\"end\" fill=\"#333\"", label, out);
    }
    fprintf(out, "<g transform=\"translate(15 %d) rotate(-90)\">", TOP + (HEIGHT - TOP - BOTTOM) / 2);
    sino_plot_text(0, 0, " text-anchor=\"middle\" fill=\"#333\"", plot->y_axis, out);
    fputs("</g>\n", out);
}

static double step_place(const SinoLinePlot *plot, const Axes *axes, int64_t i)
{
    return sino_plot_place(&axes->x, (double)(plot->first + i));
}

/* A polygon over each run of steps that have both ends of the band. */
static void draw_band(const SinoLinePlot *plot, const Axes *axes, FILE *out)
{
    for (int64_t i = 0; plot->low && plot->high && i < plot->count; i++) {
        int64_t end = i;
        while (end < plot->count && is_drawn(plot, plot->low[end]) && is_drawn(plot, plot->high[end])) end++;
        if (end == i) continue;
        fprintf(out, "<polygon fill=\"%s\" fill-opacity=\"0.2\" points=\"", line_colour);
        for (int64_t k = i; k < end; k++)
            fprintf(out, "%.1f,%.1f ", step_place(plot, axes, k), sino_plot_place(&axes->y, plot->low[k]));
        for (int64_t k = end - 1; k >= i; k--)
            fprintf(out, "%.1f,%.1f ", step_place(plot, axes, k), sino_plot_place(&axes->y, plot->high[k]));
        fputs("\"/>\n", out);
        i = end;
    }
}

static void draw_line(const SinoLinePlot *plot, const Axes *axes, FILE *out)
{
    bool down = false;
    fprintf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" d=\"", line_colour);
    for (int64_t i = 0; i < plot->count; i++) {
        const bool drawn = is_drawn(plot, plot->line[i]);
        if (drawn)
            fprintf(out, "%c%.1f %.1f", down ? 'L' : 'M', step_place(plot, axes, i),
                    sino_plot_place(&axes->y, plot->line[i]));
        down = drawn;
    }
    fputs("\"/>\n", out);
}

static void draw_dots(const SinoLinePlot *plot, const Axes *axes, FILE *out)
{
    enum { MOST = 60 }; /* more would be a thick line */
    for (int64_t i = 0; i < plot->count && plot->count <= MOST; i++)
        if (is_drawn(plot, plot->line[i]))
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"/>\n", step_place(plot, axes, i),
                    sino_plot_place(&axes->y, plot->line[i]), line_colour);
}

static void draw_legend(const SinoLinePlot *plot, FILE *out)
{
    enum { BAND_AT = 240 };
    if (plot->line_name) {
        fprintf(out, "<line x1=\"%d\" y1=\"32\" x2=\"%d\" y2=\"32\" stroke=\"%s\" stroke-width=\"2\"/>\n", LEFT,
                LEFT + 22, line_colour);
        sino_plot_text(LEFT + 28, 36, " fill=\"#333\"", plot->line_name, out);
    }
    if (plot->band_name && plot->low) {
        fprintf(out, "<rect x=\"%d\" y=\"26\" width=\"22\" height=\"11\" fill=\"%s\" fill-opacity=\"0.2\"/>\n",
                LEFT + BAND_AT, line_colour);
        sino_plot_text(LEFT + BAND_AT + 28, 36, " fill=\"#333\"", plot->band_name, out);
    }
}

void sino_line_plot_draw(const SinoLinePlot *plot, FILE *out)
{
    const Axes axes = choose_axes(plot);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "role=\"img\" font-family=\"sans-serif\" font-size=\"12\">\n<title>",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    sino_markup_text(plot->title, out);
    fprintf(out, "</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", WIDTH, HEIGHT);
    sino_plot_text(8, 16, " font-size=\"14\" font-weight=\"bold\"", plot->title, out);
    draw_legend(plot, out);
    draw_x_axis(plot, &axes.x, out);
    draw_y_axis(plot, &axes.y, out);
    draw_band(plot, &axes, out);
    draw_line(plot, &axes, out);
    draw_dots(plot, &axes, out);
    fputs("</svg>\n", out);
}
