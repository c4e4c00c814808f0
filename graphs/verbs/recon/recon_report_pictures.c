/* SPDX-License-Identifier: BSD-3-Clause */
/* Report of a run, pictures: planes of the volume, the sinogram, and the curves of iterations. */
#include "recon_volume.h"

#include "memory.h"
#include "page.h"
#include "plot.h"
#include "sort.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Of fewer slices a plane across them shows nothing. */
enum { CAPTION = 160, LINE = 320, SLICES_LEAST = 8 };

/* ---- pictures ---- */

/* Sides of a pixel of a plane, in µm; 0: not known. */
typedef struct Pixel {
    double width, height;
} Pixel;

/* Where the axes of a scan's volume point to in a picture. */
#define AXES_OF_SLICE  "x →, y ↑"
#define AXES_OF_ROW    "x →, z ↓"
#define AXES_OF_COLUMN "y ←, z ↓"

/* Prints a picture with a scale bar, in voxels if its lengths are not known, with its sides and axes. */
static SinoStatus print_plane(const SinoRecon *recon, int64_t height, int64_t width, const float *values, Pixel pixel,
                              const char *axes, const char *what, FILE *out)
{
    const double size = pixel.width, bar = sino_page_bar(width, size > 0 ? size : 1);
    char text[SINO_PAGE_LENGTH], across[SINO_PAGE_LENGTH], down[SINO_PAGE_LENGTH], sides[80] = "", caption[LINE];
    if (size <= 0)
        snprintf(text, sizeof text, "%g voxels", bar);
    else
        (void)sino_page_length(bar, text);
    if (size > 0 && pixel.height > 0)
        snprintf(sides, sizeof sides, "; %s × %s", sino_page_length((double)width * size, across),
                 sino_page_length((double)height * pixel.height, down));
    snprintf(caption, sizeof caption, "%s%s%s%s", what, sides, recon->input.info ? "; " : "",
             recon->input.info ? axes : "");
    const bool has_bar = width >= 3; /* a bar of less than a voxel says nothing */
    return sino_page_picture(&(SinoPagePicture){.height = height,
                                                .width = width,
                                                .values = values,
                                                .caption = caption,
                                                .units = recon->request.units,
                                                .bar_text = has_bar ? text : NULL,
                                                .bar_pixels = bar / (size > 0 ? size : 1)},
                             out);
}

SinoStatus sino_recon_mask(const SinoRecon *recon, const float *slice, float **masked)
{
    const SinoSections *sections = &recon->record.sections;
    const double radius = recon->kind->facts(recon).radius;
    const double y_middle = (double)(sections->height - 1) / 2, x_middle = (double)(sections->width - 1) / 2;
    SINO_TRY(sino_allocate(sino_times(sections->height, sections->width), sizeof **masked, "a picture", masked));
    for (int64_t y = 0; y < sections->height; y++)
        for (int64_t x = 0; x < sections->width; x++) {
            const int64_t i = y * sections->width + x;
            const bool inside = radius <= 0 || hypot((double)y - y_middle, (double)x - x_middle) <= radius;
            (*masked)[i] = inside ? slice[i] : NAN;
        }
    return NULL;
}

static SinoStatus print_slice(const SinoRecon *recon, const SinoReconFacts *facts, const float *slice,
                              const char *caption, FILE *out)
{
    const SinoSections *sections = &recon->record.sections;
    float *masked;
    SINO_TRY(sino_recon_mask(recon, slice, &masked));
    const Pixel pixel = {facts->voxel_um, facts->voxel_um};
    SinoStatus status =
        print_plane(recon, sections->height, sections->width, masked, pixel, AXES_OF_SLICE, caption, out);
    free(masked);
    return status;
}

/* A plane across the slices, each of which is a line of it. */
static SinoStatus print_across(const SinoRecon *recon, int64_t width, const float *values, const char *axes,
                               const char *what, int64_t number, FILE *out)
{
    const SinoReconFacts facts = recon->kind->facts(recon);
    const int64_t slices = recon->record.sections.slice_count;
    char caption[CAPTION];
    if (!values || slices < SLICES_LEAST) return NULL;
    snprintf(caption, sizeof caption, "%s %" PRId64 " of all %" PRId64 " slices, the first one on top", what, number,
             slices);
    return print_plane(recon, slices, width, values, (Pixel){facts.voxel_um, facts.slice_um}, axes, caption, out);
}

static SinoStatus print_sinogram(const SinoRecon *recon, FILE *out)
{
    const SinoRecord *record = &recon->record;
    char caption[CAPTION];
    if (!record->sinogram) return NULL;
    snprintf(caption, sizeof caption,
             "Sinogram of detector row %" PRId64 ": line integrals after all corrections, the first angle on top",
             recon->input.first_row + record->row_count / 2 * recon->input.binning);
    return sino_page_picture(&(SinoPagePicture){.height = record->angle_count,
                                                .width = record->column_count,
                                                .values = record->sinogram,
                                                .caption = caption,
                                                .units = ""},
                             out);
}

SinoStatus sino_recon_report_slice(const SinoRecon *recon, FILE *out)
{
    const SinoSections *sections = &recon->record.sections;
    const SinoReconFacts facts = recon->kind->facts(recon);
    char caption[CAPTION];
    if (!sections->xy) return NULL;
    snprintf(caption, sizeof caption, "Slice %" PRId64 " of %" PRId64 " (counted from 0)%s", sections->slice,
             sections->slice_count, recon->request.set_count > 1 ? ", first set" : "");
    return print_slice(recon, &facts, sections->xy, caption, out);
}

SinoStatus sino_recon_report_pictures(const SinoRecon *recon, FILE *out)
{
    const SinoSections *sections = &recon->record.sections;
    const SinoReconFacts facts = recon->kind->facts(recon);
    SINO_TRY(print_across(recon, sections->width, sections->xz, AXES_OF_ROW, "Row", sections->height / 2, out));
    SINO_TRY(print_across(recon, sections->height, sections->yz, AXES_OF_COLUMN, "Column", sections->width / 2, out));
    if (sections->maximum && sections->slice_count > 1)
        SINO_TRY(print_slice(recon, &facts, sections->maximum, "Largest value of all slices", out));
    return print_sinogram(recon, out);
}

/* ---- curves ---- */

/* Curves over the iterations; all owned. */
typedef struct Curves {
    double *median, *least, *most, *work;
} Curves;

static void free_curves(Curves *curves)
{
    free(curves->median);
    free(curves->least);
    free(curves->most);
    free(curves->work);
}

static SinoStatus new_curves(const SinoRecord *record, Curves *curves)
{
    SINO_TRY(sino_allocate(record->columns, sizeof(double), "curves", &curves->median));
    SINO_TRY(sino_allocate(record->columns, sizeof(double), "curves", &curves->least));
    SINO_TRY(sino_allocate(record->columns, sizeof(double), "curves", &curves->most));
    return sino_allocate(record->slice_count, sizeof(double), "curves", &curves->work);
}

/* ‖Ax − b‖/‖b‖ after iteration i: median, least and most of the slices that were still iterated. */
static void take_residuals(const SinoRecord *record, int64_t i, const Curves *to)
{
    int64_t count = 0;
    for (int64_t s = 0; s < record->slice_count; s++) {
        const double *history = record->history + s * record->numbers;
        if (history[0] > 0 && isfinite(history[i])) to->work[count++] = sqrt(history[i] / history[0]);
    }
    count = sino_sort_finite(count, to->work);
    to->median[i] = count > 0 ? to->work[count / 2] : NAN;
    to->least[i] = count > 0 ? to->work[0] : NAN;
    to->most[i] = count > 0 ? to->work[count - 1] : NAN;
}

/* The mean log-likelihood of the slices after iteration i; of a slice that has stopped, the last one. */
static double mean_likelihood(const SinoRecord *record, int64_t i)
{
    double sum = 0;
    int64_t count = 0;
    for (int64_t s = 0; s < record->slice_count; s++) {
        const double *history = record->history + s * record->numbers, *likelihood = history + record->columns;
        int64_t k = i;
        while (k > 1 && !isfinite(likelihood[k])) k--;
        if (!(history[0] > 0) || !isfinite(likelihood[k])) continue;
        sum += likelihood[k];
        count++;
    }
    return count > 0 ? sum / (double)count : NAN;
}

static void print_residuals(const SinoRecord *record, const Curves *curves, FILE *out)
{
    bool several = false; /* slices that are iterated together have one history */
    for (int64_t i = 0; i < record->columns; i++) {
        take_residuals(record, i, curves);
        several = several || curves->least[i] < curves->most[i];
    }
    const SinoPlotSeries series[] = {{.name = several ? "median of the slices" : NULL,
                                      .mark = SINO_PLOT_DOT,
                                      .joined = true,
                                      .count = record->columns,
                                      .y = curves->median},
                                     {.name = "least to most",
                                      .mark = SINO_PLOT_BAND,
                                      .count = record->columns,
                                      .y = curves->least,
                                      .high = curves->most}};
    sino_plot_draw(&(SinoPlot){.title = "Residual |Ax - b| / |b|",
                               .x = {.name = "iteration"},
                               .y = {.name = "relative residual", .scale = SINO_PLOT_LOGARITHMIC},
                               .series_count = several ? 2 : 1,
                               .series = series},
                   out);
}

static void print_curves(const SinoRecord *record, const Curves *curves, FILE *out)
{
    fputs("<div class=\"plots\">\n", out);
    print_residuals(record, curves, out);
    if (record->numbers > record->columns) {
        for (int64_t i = 0; i < record->columns; i++) curves->median[i] = i > 0 ? mean_likelihood(record, i) : NAN;
        const SinoPlotSeries series = {
            .mark = SINO_PLOT_DOT, .joined = true, .count = record->columns, .y = curves->median};
        sino_plot_draw(&(SinoPlot){.title = "Log-likelihood, mean of the slices",
                                   .x = {.name = "iteration"},
                                   .y = {.name = "sum of b ln(Ax) - Ax"},
                                   .series_count = 1,
                                   .series = &series},
                       out);
    }
    fputs("</div>\n", out);
}

SinoStatus sino_recon_report_curves(const SinoRecon *recon, FILE *out)
{
    const SinoRecord *record = &recon->record;
    Curves curves = {0};
    if (record->columns < 2) return NULL;
    SinoStatus status = new_curves(record, &curves);
    if (!status) {
        sino_page_section("Iterations", out);
        print_curves(record, &curves, out);
    }
    free_curves(&curves);
    return status;
}
