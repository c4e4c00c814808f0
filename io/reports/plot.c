/* SPDX-License-Identifier: BSD-3-Clause */
/* Plot: SVG is printed as text. Colours are of M. Okabe and K. Ito, Color Universal Design (2008). */
#include "plot.h"

#include "arithmetic.h"
#include "page.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Pixels. LETTER is a guess, since the reader's font is not known. */
enum { WIDTH = 520, HEIGHT = 300, LEFT = 88, RIGHT = 18, BOTTOM = 50, ROW = 18, LETTER = 7 };
enum { NAME_LEAST = 50, NAME_MOST = 190, SPOTS_MOST = 1024 };

static const char *const palette[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#111111"};
static const char dark[] = " fill=\"#333\"", middle[] = " fill=\"#333\" text-anchor=\"middle\"";
static const char halo[] = " text-anchor=\"middle\" stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\"";

typedef struct Drawing {
    const SinoPlot *of;
    SinoPlotAxis x, y;
    double width, height, top;
    double spot[SPOTS_MOST][2]; /* that labels must not cover */
    int spot_count;
    FILE *out;
} Drawing;

/* ---- axes ---- */

void sino_plot_include(double value, double *least, double *most)
{
    if (!isfinite(value)) return;
    *least = fmin(*least, value);
    *most = fmax(*most, value);
}

/* The least of 1, 2 and 5 times a power of ten of which `range` has at most six. */
static double choose_step(double range)
{
    const double decade = pow(10, floor(log10(range / 6))), times = range / 6 / decade;
    return decade * (times > 5 ? 10 : times > 2 ? 5 : times > 1 ? 2 : 1);
}

static void choose_linear(double least, double most, double least_step, SinoPlotAxis *axis)
{
    axis->scale = SINO_PLOT_LINEAR;
    if (least > 0 && least < 0.4 * most) least = 0;
    if (!(most > least)) most = least + (least != 0 ? fabs(least) : 1);
    axis->step = fmax(choose_step(most - least), least_step);
    axis->low = floor(least / axis->step + 1e-9);
    axis->high = ceil(most / axis->step - 1e-9);
}

/* The value of the tick with this number, which may be any whole number. */
static double tick(const SinoPlotAxis *axis, double number)
{
    static const double mantissa[] = {1, 2, 5};
    if (axis->scale != SINO_PLOT_LOGARITHMIC) return number * axis->step;
    const double decade = floor(number / 3);
    return mantissa[(int)(number - 3 * decade)] * pow(10, decade);
}

static void choose_logarithmic(double least, double most, SinoPlotAxis *axis)
{
    axis->scale = SINO_PLOT_LOGARITHMIC;
    axis->low = 3 * floor(log10(least));
    axis->high = axis->low;
    while (tick(axis, axis->low + 1) <= least) axis->low++;
    while (tick(axis, axis->high) < most || axis->high == axis->low) axis->high++;
}

void sino_plot_axis(SinoPlotAxis *axis, double least, double most, double least_step)
{
    const bool wide = axis->scale == SINO_PLOT_EITHER && least > 0 && most >= 20 * least;
    if (!(most >= least))
        choose_linear(0, 1, least_step, axis);
    else if (wide || axis->scale == SINO_PLOT_LOGARITHMIC)
        choose_logarithmic(least, most, axis);
    else
        choose_linear(least, most, least_step, axis);
}

int64_t sino_plot_ticks(const SinoPlotAxis *axis)
{
    return llround(axis->high - axis->low);
}

double sino_plot_tick(const SinoPlotAxis *axis, int64_t number)
{
    return tick(axis, axis->low + (double)number);
}

static double place(const SinoPlotAxis *axis, double value)
{
    const double low = tick(axis, axis->low), high = tick(axis, axis->high);
    const double share = axis->scale == SINO_PLOT_LOGARITHMIC ? (log(value) - log(low)) / (log(high) - log(low))
                                                              : (value - low) / (high - low);
    return axis->from + share * axis->length;
}

static double x_value(const SinoPlotSeries *series, int64_t i)
{
    return series->x ? series->x[i] : (double)i;
}

static double y_value(const SinoPlotSeries *series, int64_t i)
{
    return series->y ? series->y[i] : (double)series->row + 0.5;
}

static bool has_place(const SinoPlotAxis *axis, double value)
{
    return isfinite(value) && (value > 0 || axis->scale != SINO_PLOT_LOGARITHMIC);
}

static void choose_axis(const SinoPlot *plot, bool vertical, SinoPlotAxis *axis)
{
    double least = INFINITY, most = -INFINITY, least_step = 0;
    for (const SinoPlotSeries *series = plot->series; series < plot->series + plot->series_count; series++) {
        if (!vertical && !series->x) least_step = 1; /* steps are counted in whole numbers */
        for (int64_t i = 0; i < series->count; i++) {
            const double value = vertical ? y_value(series, i) : x_value(series, i);
            if (has_place(axis, value)) sino_plot_include(value, &least, &most);
            if (vertical && series->high && has_place(axis, series->high[i]))
                sino_plot_include(series->high[i], &least, &most);
        }
    }
    if (!(axis->high > axis->low)) sino_plot_axis(axis, least, most, least_step);
}

/* ---- text ---- */

static void draw_text(const Drawing *drawing, double x, double y, const char *more, const char *text)
{
    fprintf(drawing->out, "<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, more);
    sino_markup_text(text, drawing->out);
    fputs("</text>\n", drawing->out);
}

static void draw_turned(const Drawing *drawing, double x, double y, double angle_rad, const char *more,
                        const char *text)
{
    char turn[200];
    snprintf(turn, sizeof turn, "%s transform=\"rotate(%.2f %.1f %.1f)\"", more, angle_rad * 90 / asin(1), x, y);
    draw_text(drawing, x, y, turn, text);
}

/* The end of a name that is too long, which is where names of files differ. */
static void draw_row_name(const Drawing *drawing, double y, const char *name)
{
    enum { LETTERS = NAME_MOST / LETTER };
    char shown[LETTERS + 8];
    const size_t length = strlen(name);
    const char *end = name + (length > LETTERS ? length - LETTERS + 1 : 0);
    while ((*end & 0xC0) == 0x80) end++; /* not within a character of several bytes */
    snprintf(shown, sizeof shown, "%s%s", length > LETTERS ? "…" : "", end);
    draw_text(drawing, drawing->x.from - 8, y + 4, " text-anchor=\"end\"", shown);
}

/* ---- the frame ---- */

/* Labels that would touch are left out; a logarithmic axis keeps powers of ten. */
static bool is_labelled(const SinoPlotAxis *axis, int64_t number)
{
    const double apart = fabs(axis->length) / (double)sino_plot_ticks(axis), least = axis->length < 0 ? 16 : 40;
    const double stride = apart >= least ? 1 : 3 * ceil(least / apart / 3);
    return fmod(axis->low + (double)number, stride) == 0;
}

static void draw_line(const Drawing *drawing, double x0, double y0, double x1, double y1, const char *more)
{
    fprintf(drawing->out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x0, y0, x1, y1, more);
}

static void draw_ticks(const Drawing *drawing, const SinoPlotAxis *axis, bool vertical)
{
    static const char grid[] = "stroke=\"#d8d8d8\"";
    const double left = drawing->x.from, right = left + drawing->x.length, bottom = drawing->height - BOTTOM;
    char label[32];
    for (int64_t t = 0; t <= sino_plot_ticks(axis); t++) {
        const double value = sino_plot_tick(axis, t), at = place(axis, value);
        snprintf(label, sizeof label, "%g", value);
        if (vertical)
            draw_line(drawing, left, at, right, at, grid);
        else
            draw_line(drawing, at, drawing->top, at, bottom, grid);
        if (!is_labelled(axis, t)) continue;
        if (vertical)
            draw_text(drawing, left - 6, at + 4, " fill=\"#333\" text-anchor=\"end\"", label);
        else
            draw_text(drawing, at, bottom + 16, middle, label);
    }
}

static void draw_rows(const Drawing *drawing)
{
    for (int64_t r = 0; r < drawing->of->row_count; r++) {
        const double y = place(&drawing->y, (double)r + 0.5);
        if (r % 2 == 0)
            fprintf(drawing->out, "<rect x=\"0\" y=\"%.1f\" width=\"%.0f\" height=\"%d\" fill=\"#f4f4f4\"/>\n",
                    y - ROW / 2.0, drawing->width, ROW);
        draw_row_name(drawing, y, drawing->of->row_name[r]);
    }
}

static void draw_axes(const Drawing *drawing)
{
    const double bottom = drawing->height - BOTTOM, center = (drawing->top + bottom) / 2;
    if (drawing->of->row_count > 0) {
        draw_rows(drawing);
    } else {
        draw_ticks(drawing, &drawing->y, true);
        draw_turned(drawing, 18, center, -asin(1), middle, drawing->y.name);
    }
    draw_ticks(drawing, &drawing->x, false);
    draw_text(drawing, drawing->x.from + drawing->x.length / 2, bottom + 36, middle, drawing->x.name);
}

/* ---- series ---- */

static const char *colour_of(const SinoPlotSeries *series)
{
    return palette[series->colour % (int)(sizeof palette / sizeof *palette)];
}

/* Marks of many points along a line would be a thick line. */
static SinoPlotMark mark_of(const SinoPlotSeries *series)
{
    enum { MARKS_MOST = 60 };
    return series->joined && series->count > MARKS_MOST ? SINO_PLOT_NO_MARK : series->mark;
}

static void draw_mark(const Drawing *drawing, const SinoPlotSeries *series, double x, double y)
{
    const SinoPlotMark mark = mark_of(series);
    FILE *out = drawing->out;
    const char *colour = colour_of(series);
    const int ring = mark == SINO_PLOT_RING;
    if (mark == SINO_PLOT_DOT || ring)
        fprintf(out,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\" fill-opacity=\"%g\" stroke=\"%s\" "
                "stroke-width=\"1.5\"/>\n",
                x, y, ring ? "#fff" : colour, ring || series->joined ? 1 : 0.6, colour);
    else if (mark == SINO_PLOT_BAR)
        fprintf(out, "<path d=\"M%.1f %.1fv14\" stroke=\"%s\" stroke-width=\"2\"/>\n", x, y - 7, colour);
    else if (mark == SINO_PLOT_DIAMOND)
        fprintf(out, "<path d=\"M%.1f %.1fl5 -5l5 5l-5 5z\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\"/>\n",
                x - 5, y, colour);
    else if (mark == SINO_PLOT_BAND)
        fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"22\" height=\"11\" fill=\"%s\" fill-opacity=\"0.2\"/>\n",
                x - 11, y - 6, colour);
    else
        fprintf(out, "<path d=\"M%.1f %.1fh22\" stroke=\"%s\" stroke-width=\"2\" stroke-opacity=\"0.6\"/>\n", x - 11, y,
                colour);
}

static bool is_drawn(const Drawing *drawing, const SinoPlotSeries *series, int64_t i)
{
    return has_place(&drawing->x, x_value(series, i)) && has_place(&drawing->y, y_value(series, i)) &&
           (!series->high || has_place(&drawing->y, series->high[i]));
}

static double x_place(const Drawing *drawing, const SinoPlotSeries *series, int64_t i)
{
    return place(&drawing->x, x_value(series, i));
}

static double y_place(const Drawing *drawing, const SinoPlotSeries *series, int64_t i)
{
    return place(&drawing->y, y_value(series, i));
}

/* A polygon over each run of points that have both ends of the band. */
static void draw_band(const Drawing *drawing, const SinoPlotSeries *series)
{
    for (int64_t i = 0, end; i < series->count; i = end + 1) {
        for (end = i; end < series->count && is_drawn(drawing, series, end);) end++;
        if (end == i) continue;
        fprintf(drawing->out, "<polygon fill=\"%s\" fill-opacity=\"0.2\" points=\"", colour_of(series));
        for (int64_t k = i; k < end; k++)
            fprintf(drawing->out, "%.1f,%.1f ", x_place(drawing, series, k), y_place(drawing, series, k));
        for (int64_t k = end - 1; k >= i; k--)
            fprintf(drawing->out, "%.1f,%.1f ", x_place(drawing, series, k), place(&drawing->y, series->high[k]));
        fputs("\"/>\n", drawing->out);
    }
}

static void draw_joined(const Drawing *drawing, const SinoPlotSeries *series)
{
    bool down = false;
    fprintf(drawing->out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-opacity=\"%g\" d=\"",
            colour_of(series), series->mark == SINO_PLOT_LIMIT ? 1 : 0.6);
    for (int64_t i = 0; i < series->count; i++) {
        const bool drawn = is_drawn(drawing, series, i);
        if (drawn)
            fprintf(drawing->out, "%c%.1f %.1f", down ? 'L' : 'M', x_place(drawing, series, i),
                    y_place(drawing, series, i));
        down = drawn;
    }
    fputs("\"/>\n", drawing->out);
}

/* Whether nothing is within a label's size of a place in the frame. */
static bool is_free(const Drawing *drawing, double x, double y)
{
    bool is = x > drawing->x.from && x < drawing->x.from + drawing->x.length && y > drawing->top &&
              y < drawing->height - BOTTOM && drawing->spot_count < SPOTS_MOST;
    for (int i = 0; is && i < drawing->spot_count; i++)
        is = fabs(drawing->spot[i][0] - x) >= 13 || fabs(drawing->spot[i][1] - y) >= 11;
    return is;
}

static void take_spot(Drawing *drawing, double x, double y)
{
    if (drawing->spot_count == SPOTS_MOST) return;
    drawing->spot[drawing->spot_count][0] = x;
    drawing->spot[drawing->spot_count++][1] = y;
}

/* Spots that a text of `length` pixels covers; returns whether all are free. */
static bool is_free_along(Drawing *drawing, double x, double y, double angle, double length, bool taken)
{
    enum { SPOTS = 9 };
    bool is = true;
    for (int i = 0; i < SPOTS; i++) {
        const double along = length * (i / (SPOTS - 1.0) - 0.5),
                     at[2] = {x + along * cos(angle), y + along * sin(angle)};
        is = is && is_free(drawing, at[0], at[1]);
        if (taken) take_spot(drawing, at[0], at[1]);
    }
    return is;
}

/* The name of a limit stands above its line, where it covers no point if there is such a place. */
static void draw_limit(Drawing *drawing, const SinoPlotSeries *series)
{
    static const double share[] = {0.5, 0.6, 0.4, 0.7, 0.3, 0.5};
    const double x0 = x_place(drawing, series, 0), y0 = y_place(drawing, series, 0);
    const double dx = x_place(drawing, series, 1) - x0, dy = y_place(drawing, series, 1) - y0, angle = atan2(dy, dx);
    const double length = (double)(LETTER * strlen(series->name));
    double x = 0, y = 0;
    for (size_t i = 0; i < sizeof share / sizeof *share; i++) {
        x = x0 + share[i] * dx + 7 * sin(angle);
        y = y0 + share[i] * dy - 7 * cos(angle);
        if (is_free_along(drawing, x, y, angle, length, false)) break;
    }
    draw_joined(drawing, series);
    draw_turned(drawing, x, y, angle, halo, series->name);
    (void)is_free_along(drawing, x, y, angle, length, true);
}

static void draw_series(Drawing *drawing, const SinoPlotSeries *series)
{
    const SinoPlotMark mark = mark_of(series);
    if (mark == SINO_PLOT_BAND) draw_band(drawing, series);
    if (mark == SINO_PLOT_LIMIT) draw_limit(drawing, series);
    if (mark != SINO_PLOT_BAND && series->joined) draw_joined(drawing, series);
    for (int64_t i = 0; mark > SINO_PLOT_NO_MARK && mark < SINO_PLOT_BAND && i < series->count; i++) {
        if (!is_drawn(drawing, series, i)) continue;
        const double x = x_place(drawing, series, i), y = y_place(drawing, series, i);
        draw_mark(drawing, series, x, y);
        take_spot(drawing, x, y);
    }
}

/* Puts the label above, below or beside the point; leaves it out if no place is free. */
static void draw_label(Drawing *drawing, const SinoPlotSeries *series, int64_t i)
{
    static const double away[][2] = {{0, -12}, {0, 12}, {14, 0}, {-14, 0}};
    char text[32], more[160];
    snprintf(text, sizeof text, "%" PRId64, series->label[i]);
    snprintf(more, sizeof more, "%s fill=\"%s\"", halo, colour_of(series));
    for (size_t k = 0; k < sizeof away / sizeof *away && is_drawn(drawing, series, i); k++) {
        const double x = x_place(drawing, series, i) + away[k][0], y = y_place(drawing, series, i) + away[k][1];
        if (!is_free(drawing, x, y)) continue;
        draw_text(drawing, x, y + 4, more, text);
        take_spot(drawing, x, y);
        return;
    }
}

/* ---- the whole ---- */

static bool is_in_legend(const SinoPlotSeries *series)
{
    return series->name && series->mark != SINO_PLOT_LIMIT;
}

/* Entries from left to right and top to bottom; returns the next place below. Not drawn: only that. */
static double draw_legend(const Drawing *drawing, double y, bool drawn)
{
    const int64_t columns = drawing->width > WIDTH ? 4 : 3;
    int64_t entry = 0;
    for (const SinoPlotSeries *series = drawing->of->series; series < drawing->of->series + drawing->of->series_count;
         series++) {
        if (!is_in_legend(series)) continue;
        const int64_t line = entry / columns;
        const double x = 8 + (double)(entry % columns) * (drawing->width - 8) / (double)columns;
        const double down = y + (double)(line * ROW);
        if (drawn) draw_mark(drawing, series, x + 11, down - 4);
        if (drawn) draw_text(drawing, x + 28, down, dark, series->name);
        entry++;
    }
    return y + (double)(sino_ceil_divide(entry, columns) * ROW);
}

static void lay_out(Drawing *drawing)
{
    const SinoPlot *plot = drawing->of;
    double left = LEFT;
    int64_t longest = 0;
    drawing->width = plot->width > 0 ? plot->width : WIDTH;
    drawing->height = plot->height > 0 ? plot->height : HEIGHT;
    drawing->top = draw_legend(drawing, plot->note ? 54 : 36, false) - 4;
    choose_axis(plot, false, &drawing->x);
    if (plot->row_count > 0) {
        for (int64_t r = 0; r < plot->row_count; r++)
            longest = sino_larger(longest, (int64_t)strlen(plot->row_name[r]));
        left = 14 + fmin(fmax((double)(LETTER * longest), NAME_LEAST), NAME_MOST);
        drawing->height = drawing->top + (double)(ROW * plot->row_count) + BOTTOM;
        drawing->y = (SinoPlotAxis){.step = 1, .high = (double)plot->row_count};
    } else {
        choose_axis(plot, true, &drawing->y);
    }
    const double length = drawing->height - BOTTOM - drawing->top;
    drawing->x.from = left;
    drawing->x.length = drawing->width - left - RIGHT;
    drawing->y.from = plot->row_count > 0 ? drawing->top : drawing->height - BOTTOM;
    drawing->y.length = plot->row_count > 0 ? length : -length;
}

void sino_plot_draw(const SinoPlot *plot, FILE *out)
{
    Drawing drawing = {.of = plot, .x = plot->x, .y = plot->y, .out = out};
    lay_out(&drawing);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
            "role=\"img\" font-family=\"sans-serif\" font-size=\"12\">\n<title>",
            drawing.width, drawing.height, drawing.width, drawing.height);
    sino_markup_text(plot->title, out);
    fputs("</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", out);
    draw_text(&drawing, 8, 16, " font-size=\"14\" font-weight=\"bold\"", plot->title);
    if (plot->note) draw_text(&drawing, 8, 34, dark, plot->note);
    (void)draw_legend(&drawing, plot->note ? 54 : 36, true);
    draw_axes(&drawing);
    for (int64_t s = 0; s < plot->series_count; s++) draw_series(&drawing, &plot->series[s]);
    for (int64_t s = 0; s < plot->series_count; s++)
        for (int64_t i = 0; plot->series[s].label && i < plot->series[s].count; i++)
            draw_label(&drawing, &plot->series[s], i);
    fputs("</svg>\n", out);
}
