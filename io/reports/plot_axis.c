/* SPDX-License-Identifier: BSD-3-Clause */
/* Plot axis: ticks at 1, 2 and 5 times powers of ten. */
#include "plot_axis.h"

#include "markup.h"

#include <math.h>

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

static void choose_linear(double least, double most, SinoPlotAxis *axis)
{
    if (least > 0 && least < 0.4 * most) least = 0;
    if (!(most > least)) most = least + (least != 0 ? fabs(least) : 1);
    axis->step = choose_step(most - least);
    axis->low = floor(least / axis->step + 1e-9);
    axis->high = ceil(most / axis->step - 1e-9);
}

/* The value of the tick with this number, which may be any whole number. */
static double tick(const SinoPlotAxis *axis, double number)
{
    static const double mantissa[] = {1, 2, 5};
    const double decade = floor(number / 3);
    return axis->logarithmic ? mantissa[(int)(number - 3 * decade)] * pow(10, decade) : number * axis->step;
}

static void choose_logarithmic(double least, double most, SinoPlotAxis *axis)
{
    axis->logarithmic = true;
    axis->low = 3 * floor(log10(least));
    axis->high = axis->low;
    while (tick(axis, axis->low + 1) <= least) axis->low++;
    while (tick(axis, axis->high) < most || axis->high == axis->low) axis->high++;
}

SinoPlotAxis sino_plot_axis(double least, double most, bool logarithmic, double from, double length)
{
    SinoPlotAxis axis = {.from = from, .length = length};
    if (!(most >= least))
        choose_linear(0, 1, &axis);
    else if (logarithmic)
        choose_logarithmic(least, most, &axis);
    else
        choose_linear(least, most, &axis);
    return axis;
}

int64_t sino_plot_ticks(const SinoPlotAxis *axis)
{
    return llround(axis->high - axis->low);
}

double sino_plot_tick(const SinoPlotAxis *axis, int64_t number)
{
    return tick(axis, axis->low + (double)number);
}

double sino_plot_place(const SinoPlotAxis *axis, double value)
{
    const double low = tick(axis, axis->low), high = tick(axis, axis->high);
    const double share =
        axis->logarithmic ? (log(value) - log(low)) / (log(high) - log(low)) : (value - low) / (high - low);
    return axis->from + share * axis->length;
}

void sino_plot_text(double x, double y, const char *more, const char *text, FILE *out)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, more);
    sino_markup_text(text, out);
    fputs("</text>\n", out);
}
