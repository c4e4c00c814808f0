/* SPDX-License-Identifier: BSD-3-Clause */
/* Roofline: drawing with cairo.
 *
 * Title and note are on top, then the plot with the names of the roofs on its right, then the axis and the legend. */
#include "roofline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <cairo-svg.h>

#include "cairo_stream.h"

/* Box of the plot, in pixels from the top left corner, and sizes around it. */
enum {
    LEFT = 76,
    RIGHT = SINO_ROOFLINE_WIDTH - 196,
    TOP = 70,
    BOTTOM = SINO_ROOFLINE_HEIGHT - 128,
    LEGEND_TOP = BOTTOM + 78,
    LEGEND_ROW = 22,
    LEGEND_COLUMN = 190
};

enum { LABELS_MAX = 1024 }; /* boxes that later labels must not cover; when all are used, further labels are left out */

static const double text_size = 13, small_size = 12, title_size = 17, radius = 4.5;

typedef struct Colour {
    double red, green, blue;
} Colour;

/* Colours that colour-blind readers can distinguish (M. Okabe and K. Ito, Color Universal Design, 2008). */
static const Colour palette[] = {{0, 0.447, 0.698}, {0.835, 0.369, 0}, {0, 0.62, 0.451}, {0.8, 0.475, 0.655}};
static const Colour black = {0.1, 0.1, 0.1}, grey = {0.4, 0.4, 0.4}, pale = {0.88, 0.88, 0.88}, white = {1, 1, 1};

typedef struct Axis {
    double low, high; /* values at the ends */
    double from, to;  /* pixels of the ends */
} Axis;

typedef struct Box {
    double left, top, right, bottom;
} Box;

typedef struct Plot {
    cairo_t *cairo;
    const SinoRoofline *roofline;
    Axis x, y;
    Box taken[LABELS_MAX];
    int taken_count;
} Plot;

static double place(const Axis *axis, double value)
{
    return axis->from + (axis->to - axis->from) * log(value / axis->low) / log(axis->high / axis->low);
}

static double highest_roof(const SinoRoofline *roofline)
{
    double most = 0;
    for (int64_t i = 0; i < roofline->roof_count; i++) most = fmax(most, roofline->roof[i].gflops);
    return most;
}

static double lowest_roof(const SinoRoofline *roofline)
{
    double least = INFINITY;
    for (int64_t i = 0; i < roofline->roof_count; i++) least = fmin(least, roofline->roof[i].gflops);
    return least;
}

/* Ranges that contain all points, the highest roof, a visible part of the slope on one side and of the roofs on the
 * other. */
static void choose_axes(Plot *plot)
{
    const SinoRoofline *roofline = plot->roofline;
    const double highest = highest_roof(roofline), lowest = lowest_roof(roofline);
    plot->x = (Axis){lowest / roofline->read_gbps / 5, 3 * highest / roofline->read_gbps, LEFT, RIGHT};
    plot->y = (Axis){lowest / 5, 1.8 * highest, BOTTOM, TOP};
    for (int64_t s = 0; s < roofline->series_count; s++)
        for (int64_t i = 0; i < roofline->series[s].point_count; i++) {
            const SinoRooflinePoint *point = &roofline->series[s].point[i];
            plot->x.low = fmin(plot->x.low, point->intensity / 1.5);
            plot->x.high = fmax(plot->x.high, point->intensity * 1.5);
            plot->y.low = fmin(plot->y.low, point->gflops / 1.7);
            plot->y.high = fmax(plot->y.high, point->gflops * 1.7);
        }
}

static void use(const Plot *plot, Colour colour)
{
    cairo_set_source_rgb(plot->cairo, colour.red, colour.green, colour.blue);
}

static void draw_line(const Plot *plot, double x0, double y0, double x1, double y1)
{
    cairo_move_to(plot->cairo, x0, y0);
    cairo_line_to(plot->cairo, x1, y1);
    cairo_stroke(plot->cairo);
}

static double text_width(const Plot *plot, const char *text)
{
    cairo_text_extents_t extents;
    cairo_text_extents(plot->cairo, text, &extents);
    return extents.x_advance;
}

/* Draws text with baseline y. `align`: 0, text begins at x; 0.5, is centered at x; 1, ends at x. */
static void draw_text(const Plot *plot, double x, double y, double align, const char *text)
{
    cairo_move_to(plot->cairo, x - align * text_width(plot, text), y);
    cairo_show_text(plot->cairo, text);
    cairo_new_path(plot->cairo);
}

/* Draws text rotated around its middle. */
static void draw_turned(const Plot *plot, double x, double y, double angle_rad, const char *text)
{
    cairo_save(plot->cairo);
    cairo_translate(plot->cairo, x, y);
    cairo_rotate(plot->cairo, angle_rad);
    draw_text(plot, 0, 0, 0.5, text);
    cairo_restore(plot->cairo);
}

/* Draws a grid line and its number. */
static void draw_tick(const Plot *plot, bool vertical, double value, bool numbered)
{
    char text[16];
    snprintf(text, sizeof text, "%g", value);
    const double at = place(vertical ? &plot->x : &plot->y, value);
    use(plot, pale);
    if (vertical)
        draw_line(plot, at, TOP, at, BOTTOM);
    else
        draw_line(plot, LEFT, at, RIGHT, at);
    use(plot, black);
    if (!numbered) return;
    if (vertical)
        draw_text(plot, at, BOTTOM + 18, 0.5, text);
    else
        draw_text(plot, LEFT - 8, at + 4, 1, text);
}

/* Draws grid lines at 1, 2 and 5 of each decade; with many decades only the lines at 1 have numbers. */
static void draw_ticks(const Plot *plot, bool vertical)
{
    const Axis *axis = vertical ? &plot->x : &plot->y;
    static const double step[] = {1, 2, 5};
    const bool crowded = log10(axis->high / axis->low) > 5;
    for (int decade = (int)floor(log10(axis->low)); decade <= (int)floor(log10(axis->high)); decade++)
        for (int i = 0; i < 3; i++) {
            const double value = step[i] * pow(10, decade);
            if (value >= axis->low && value <= axis->high) draw_tick(plot, vertical, value, i == 0 || !crowded);
        }
}

static void draw_frame(const Plot *plot)
{
    cairo_set_font_size(plot->cairo, small_size);
    cairo_set_line_width(plot->cairo, 1);
    draw_ticks(plot, true);
    draw_ticks(plot, false);
    use(plot, black);
    cairo_rectangle(plot->cairo, LEFT, TOP, RIGHT - LEFT, BOTTOM - TOP);
    cairo_stroke(plot->cairo);
    cairo_set_font_size(plot->cairo, text_size);
    draw_text(plot, (LEFT + RIGHT) / 2.0, BOTTOM + 42, 0.5, "arithmetic intensity (flops per byte)");
    draw_turned(plot, 24, (TOP + BOTTOM) / 2.0, -asin(1), "speed (GFLOP/s)");
}

static void draw_titles(const Plot *plot)
{
    use(plot, black);
    cairo_select_font_face(plot->cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD);
    cairo_set_font_size(plot->cairo, title_size);
    draw_text(plot, LEFT, 30, 0, plot->roofline->title);
    cairo_select_font_face(plot->cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(plot->cairo, small_size);
    use(plot, grey);
    draw_text(plot, LEFT, 52, 0, plot->roofline->note);
}

/* Draws a roof from its ridge point, where the slope reaches it, to the right. */
static void draw_roof(const Plot *plot, const SinoRoof *roof)
{
    char text[64];
    const double y = place(&plot->y, roof->gflops);
    draw_line(plot, place(&plot->x, roof->gflops / plot->roofline->read_gbps), y, RIGHT, y);
    snprintf(text, sizeof text, "%s: %.*f GFLOP/s", roof->name, roof->gflops < 1000, roof->gflops);
    draw_text(plot, RIGHT + 8, y + 4, 0, text);
}

/* Visible part of the bandwidth line, up to the highest roof: pixels of its ends. */
typedef struct Slope {
    double x0, y0, x1, y1;
} Slope;

static Slope slope_of(const Plot *plot)
{
    const double bandwidth = plot->roofline->read_gbps, end = highest_roof(plot->roofline) / bandwidth;
    const double begin = fmax(plot->x.low, plot->y.low / bandwidth);
    return (Slope){place(&plot->x, begin), place(&plot->y, begin * bandwidth), place(&plot->x, end),
                   place(&plot->y, end * bandwidth)};
}

static void draw_roofs(const Plot *plot)
{
    use(plot, black);
    cairo_set_font_size(plot->cairo, small_size);
    cairo_set_line_width(plot->cairo, 2);
    for (int64_t i = 0; i < plot->roofline->roof_count; i++) draw_roof(plot, &plot->roofline->roof[i]);
    const Slope slope = slope_of(plot);
    draw_line(plot, slope.x0, slope.y0, slope.x1, slope.y1);
}

static Colour colour_of(const SinoRooflineSeries *series)
{
    return palette[series->colour % (int)(sizeof palette / sizeof *palette)];
}

static void draw_marker(const Plot *plot, const SinoRooflineSeries *series, double x, double y)
{
    cairo_arc(plot->cairo, x, y, radius, 0, 4 * asin(1));
    use(plot, series->hollow ? white : colour_of(series));
    cairo_fill_preserve(plot->cairo);
    use(plot, colour_of(series));
    cairo_set_line_width(plot->cairo, 1.8);
    cairo_stroke(plot->cairo);
}

static void take(Plot *plot, Box box)
{
    if (plot->taken_count < LABELS_MAX) plot->taken[plot->taken_count++] = box;
}

static Box box_around(double x, double y, double half)
{
    return (Box){x - half, y - half, x + half, y + half};
}

static void draw_series(Plot *plot, const SinoRooflineSeries *series)
{
    const Colour colour = colour_of(series);
    for (int64_t i = 0; i < series->point_count; i++)
        cairo_line_to(plot->cairo, place(&plot->x, series->point[i].intensity),
                      place(&plot->y, series->point[i].gflops));
    cairo_set_source_rgba(plot->cairo, colour.red, colour.green, colour.blue, 0.45);
    cairo_set_line_width(plot->cairo, 1.2);
    cairo_stroke(plot->cairo);
    for (int64_t i = 0; i < series->point_count; i++) {
        const double x = place(&plot->x, series->point[i].intensity), y = place(&plot->y, series->point[i].gflops);
        draw_marker(plot, series, x, y);
        take(plot, box_around(x, y, radius + 1));
    }
}

/* Whether a box lies within the plot and overlaps no drawn object. */
static bool is_free(const Plot *plot, Box box)
{
    if (box.left < LEFT || box.right > RIGHT || box.top < TOP || box.bottom > BOTTOM) return false;
    for (int i = 0; i < plot->taken_count; i++) {
        const Box *other = &plot->taken[i];
        if (box.left < other->right && other->left < box.right && box.top < other->bottom && other->top < box.bottom)
            return false;
    }
    return plot->taken_count < LABELS_MAX;
}

static void draw_label(const Plot *plot, Box box, Colour colour, const char *text)
{
    cairo_move_to(plot->cairo, box.left + 1, box.bottom - 2);
    cairo_text_path(plot->cairo, text);
    use(plot, white);
    cairo_set_line_width(plot->cairo, 3);
    cairo_stroke_preserve(plot->cairo);
    use(plot, colour);
    cairo_fill(plot->cairo);
}

/* Puts the label above, below or beside the point; leaves it out if no place is free. */
static void label_point(Plot *plot, Colour colour, const SinoRooflinePoint *point)
{
    const double x = place(&plot->x, point->intensity), y = place(&plot->y, point->gflops);
    const double width = text_width(plot, point->label) + 2, height = small_size, far = radius + 3;
    const Box box[] = {{x - width / 2, y - far - height, x + width / 2, y - far},
                       {x - width / 2, y + far, x + width / 2, y + far + height},
                       {x + far, y - height / 2, x + far + width, y + height / 2},
                       {x - far - width, y - height / 2, x - far, y + height / 2}};
    for (size_t i = 0; i < sizeof box / sizeof *box; i++) {
        if (!is_free(plot, box[i])) continue;
        draw_label(plot, box[i], colour, point->label);
        take(plot, box[i]);
        return;
    }
}

/* A rotated text around (x, y); it occupies STRIP small boxes along its baseline. */
typedef struct Strip {
    double x, y, angle_rad, width;
} Strip;

enum { STRIP = 24 };

static Box strip_box(const Strip *strip, int i)
{
    const double along = strip->width * ((double)i / (STRIP - 1) - 0.5);
    return box_around(strip->x + along * cos(strip->angle_rad), strip->y + along * sin(strip->angle_rad),
                      text_size / 2);
}

static bool is_strip_free(const Plot *plot, const Strip *strip)
{
    for (int i = 0; i < STRIP; i++)
        if (!is_free(plot, strip_box(strip, i))) return false;
    return true;
}

/* A place above the slope that covers no point; the middle of the slope if there is none. */
static Strip place_on_slope(const Plot *plot, double width)
{
    static const double share[] = {0.5, 0.6, 0.4, 0.7, 0.3, 0.8, 0.2, 0.5};
    const Slope slope = slope_of(plot);
    const double dx = slope.x1 - slope.x0, dy = slope.y1 - slope.y0, away = 7;
    Strip strip = {.angle_rad = atan2(dy, dx), .width = width};
    for (size_t i = 0; i < sizeof share / sizeof *share; i++) {
        strip.x = slope.x0 + share[i] * dx + away * sin(strip.angle_rad);
        strip.y = slope.y0 + share[i] * dy - away * cos(strip.angle_rad);
        if (is_strip_free(plot, &strip)) break;
    }
    return strip;
}

static void name_slope(Plot *plot)
{
    char text[64];
    const double bandwidth = plot->roofline->read_gbps;
    snprintf(text, sizeof text, "read bandwidth: %.*f GB/s", bandwidth < 1000, bandwidth);
    cairo_set_font_size(plot->cairo, small_size);
    const Strip strip = place_on_slope(plot, text_width(plot, text));
    use(plot, black);
    draw_turned(plot, strip.x, strip.y, strip.angle_rad, text);
    for (int i = 0; i < STRIP; i++) take(plot, strip_box(&strip, i));
}

static void draw_points(Plot *plot)
{
    const SinoRoofline *roofline = plot->roofline;
    for (int64_t s = 0; s < roofline->series_count; s++) draw_series(plot, &roofline->series[s]);
    name_slope(plot);
    for (int64_t s = 0; s < roofline->series_count; s++)
        for (int64_t i = 0; i < roofline->series[s].point_count; i++)
            label_point(plot, colour_of(&roofline->series[s]), &roofline->series[s].point[i]);
}

static void draw_legend(const Plot *plot)
{
    cairo_set_font_size(plot->cairo, text_size);
    for (int64_t s = 0; s < plot->roofline->series_count; s++) {
        const SinoRooflineSeries *series = &plot->roofline->series[s];
        const int64_t column = s / 2, row = s % 2;
        const double x = LEFT + radius + LEGEND_COLUMN * (double)column, y = LEGEND_TOP + LEGEND_ROW * (double)row;
        draw_marker(plot, series, x, y);
        use(plot, black);
        draw_text(plot, x + 12, y + 4.5, 0, series->name);
    }
}

static void draw_all(cairo_t *cairo, const SinoRoofline *roofline)
{
    Plot plot = {.cairo = cairo, .roofline = roofline};
    choose_axes(&plot);
    use(&plot, white);
    cairo_paint(cairo);
    draw_titles(&plot);
    draw_frame(&plot);
    draw_roofs(&plot);
    draw_points(&plot);
    draw_legend(&plot);
}

SinoStatus sino_roofline_format(const char *path, SinoRooflineFormat *format)
{
    const char *ending = strrchr(path, '.');
    const bool svg = ending && strcasecmp(ending, ".svg") == 0, png = ending && strcasecmp(ending, ".png") == 0;
    SINO_CHECK(svg || png, SINO_BAD_INPUT, "--roofline is '%s'; allowed: a name that ends in .svg or .png", path);
    *format = svg ? SINO_ROOFLINE_SVG : SINO_ROOFLINE_PNG;
    return NULL;
}

static cairo_surface_t *new_surface(SinoRooflineFormat format, SinoCairoStream *stream)
{
    if (format == SINO_ROOFLINE_PNG)
        return cairo_image_surface_create(CAIRO_FORMAT_RGB24, SINO_ROOFLINE_WIDTH, SINO_ROOFLINE_HEIGHT);
    cairo_surface_t *surface =
        cairo_svg_surface_create_for_stream(sino_cairo_write, stream, SINO_ROOFLINE_WIDTH, SINO_ROOFLINE_HEIGHT);
    cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
    return surface;
}

SinoStatus sino_roofline_draw(const SinoRoofline *roofline, SinoRooflineFormat format, SinoOutputFile *file)
{
    SinoCairoStream stream = {.file = file};
    cairo_surface_t *surface = new_surface(format, &stream);
    cairo_t *cairo = cairo_create(surface);
    draw_all(cairo, roofline);
    cairo_status_t outcome = cairo_status(cairo);
    if (outcome == CAIRO_STATUS_SUCCESS && format == SINO_ROOFLINE_PNG)
        outcome = cairo_surface_write_to_png_stream(surface, sino_cairo_write, &stream);
    cairo_destroy(cairo);
    cairo_surface_finish(surface);
    if (outcome == CAIRO_STATUS_SUCCESS) outcome = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    SINO_CHECK(outcome == CAIRO_STATUS_SUCCESS, SINO_FAILED, "the roofline cannot be drawn: %s",
               cairo_status_to_string(outcome));
    return NULL;
}
