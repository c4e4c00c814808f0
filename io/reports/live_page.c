/* SPDX-License-Identifier: BSD-3-Clause */
/* Live page: a table of numbers above the planes. */
#include "page.h"

#include "files.h"
#include "plot.h"

#include <inttypes.h>
#include <math.h>
#include <time.h>

enum { AGAIN_S = 1, CLOCK = 32 };

static void print_rate(const char *name, double per_s, FILE *out)
{
    if (per_s > 0) sino_page_row(out, name, "%.3g projections per second", per_s);
}

/* The center by the projections, of scans that tell it so. */
static void print_center(const SinoLiveTrail *trail, FILE *out)
{
    static const char name[] = "rotation center by the projections so far";
    if (!trail || trail->count == 0 || isinf(trail->doubt)) return;
    if (isnan(trail->doubt))
        sino_page_row(out, name, "%s", "not known yet");
    else
        sino_page_row(out, name, "column %.2f, ± %.2g", trail->center[trail->count - 1], trail->doubt);
}

static void print_numbers(const SinoLivePage *page, FILE *out)
{
    const time_t now = time(NULL);
    struct tm local;
    char clock[CLOCK] = "";
    if (localtime_r(&now, &local)) (void)strftime(clock, sizeof clock, "%F %T", &local);
    sino_page_table_begin(out);
    sino_page_row(out, "planes by", "%s", page->algorithm);
    sino_page_row(out, "projections in the planes", "%" PRId64 " of %" PRId64, page->added, page->added_total);
    sino_page_row(out, "projections of the scan that have come", "%" PRId64 " of %" PRId64, page->come,
                  page->come_total);
    if (page->pass_total > 1)
        sino_page_row(out, "pass over the projections", "%" PRId64 " of %" PRId64, page->pass, page->pass_total);
    print_rate("rate in", page->come_per_s, out);
    print_rate("rate out", page->added_per_s, out);
    sino_page_row(out, "rotation center of the planes", "column %.2f", page->center);
    print_center(page->trail, out);
    sino_page_row(out, "written", "%s", clock);
    sino_page_table_end(out);
}

/* Grey levels are of each plane: streaks of a part of the projections differ. */
static SinoStatus print_planes(const SinoLivePage *page, FILE *out)
{
    const int64_t x = page->x_count, y = page->y_count, z = page->z_count;
    const SinoPagePicture picture[SINO_LIVE_PLANES] = {
        [SINO_LIVE_XY] = {.height = y, .width = x, .values = page->plane[SINO_LIVE_XY], .caption = "xy, middle slice"},
        [SINO_LIVE_XZ] = {.height = z, .width = x, .values = page->plane[SINO_LIVE_XZ], .caption = "xz, middle row"},
        [SINO_LIVE_YZ] = {
            .height = z, .width = y, .values = page->plane[SINO_LIVE_YZ], .caption = "yz, middle column"}};
    fputs("<div class=\"sheet voxels\">\n", out);
    for (int p = 0; p < SINO_LIVE_PLANES; p++) {
        SinoPagePicture of = picture[p];
        of.units = page->units;
        SINO_TRY(sino_page_picture(&of, out));
    }
    fputs("</div>\n", out);
    return NULL;
}

static void print_plot(const SinoLiveTrail *trail, const char *title, SinoPlotAxis axis, const double *y, FILE *out)
{
    const SinoPlotSeries series = {
        .mark = SINO_PLOT_DOT, .joined = true, .count = trail->count, .x = trail->added, .y = y};
    sino_plot_draw(&(SinoPlot){.title = title,
                               .width = 340,
                               .height = 200,
                               .x = {.name = "projections"},
                               .y = axis,
                               .series_count = 1,
                               .series = &series},
                   out);
}

/* Columns are not closer than whole ones. */
static void print_trail(const SinoLiveTrail *trail, FILE *out)
{
    double least = INFINITY, most = -INFINITY;
    if (!trail || trail->count < 2) return;
    for (int64_t i = 0; i < trail->count; i++) sino_plot_include(trail->center[i], &least, &most);
    const SinoPlotAxis columns = {.name = "column", .low = floor(least), .high = floor(most) + 1};
    fputs("<div class=\"plots\">\n", out);
    if (least <= most) print_plot(trail, "Rotation center by the projections so far", columns, trail->center, out);
    print_plot(trail, "Entropy of the middle slice: less is sharper", (SinoPlotAxis){.name = "entropy (nats)"},
               trail->entropy, out);
    fputs("</div>\n", out);
}

static void print_state(const SinoLivePage *page, FILE *out)
{
    sino_page_begin_again(page->title, page->title, page->ended ? 0 : AGAIN_S, out);
    fprintf(out, "<div class=\"odd%s\">", page->failed ? "" : " fine");
    if (page->next && !page->ended)
        fprintf(out, "The volume by %s is complete; %s goes on with all projections.", page->algorithm, page->next);
    else
        sino_markup_text(page->ended ? page->ended : "The volume grows as projections come.", out);
    fputs("</div>\n", out);
}

static SinoStatus print_page(const void *of, FILE *out)
{
    const SinoLivePage *page = of;
    print_state(page, out);
    print_numbers(page, out);
    if (page->added > 0) SINO_TRY(print_planes(page, out));
    print_trail(page->trail, out);
    sino_page_end(out);
    return NULL;
}

SinoStatus sino_live_page_write(const SinoLivePage *page)
{
    SinoOutputFile *file;
    SINO_TRY(sino_output_open(page->path, true, &file));
    return sino_output_print(file, print_page, page);
}

void sino_live_page_end(const SinoLivePage *page)
{
    FILE *out = fopen(page->path, "w");
    if (!out) return;
    print_state(page, out);
    sino_page_end(out);
    (void)fclose(out);
}
