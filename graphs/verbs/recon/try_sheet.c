/* SPDX-License-Identifier: BSD-3-Clause */
/* Try: the files of the slices, and what is said of all of them: a contact sheet and a table. */
#include "files.h"
#include "memory.h"
#include "page.h"
#include "recon_try.h"
#include "tiff_images.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Digits after the point in a center's file name: two, or as many as tell all centers apart. */
static int digits_of(const SinoSwept *swept)
{
    const int most = 6;
    int digits = 2;
    for (int64_t i = 0; i < swept->count; i++) {
        double scaled = strtod(swept->value[i], NULL) * pow(10, digits);
        for (; digits < most && fabs(scaled - round(scaled)) > 1e-5; digits++) scaled *= 10;
    }
    return digits;
}

SinoStatus sino_try_file(const SinoTry *try, int64_t i, char **name)
{
    const SinoSwept *swept = &try->swept;
    const int digits = swept->axis ? digits_of(swept) : 0;
    const int length = swept->axis
                           ? asprintf(name, "%s/recon_%0*.*f.tiff", try->settings->output.path, digits + 6, digits,
                                      strtod(swept->value[i], NULL))
                           : asprintf(name, "%s/%s_%s.tiff", try->settings->output.path, swept->name, swept->value[i]);
    SINO_CHECK(length >= 0, SINO_FAILED, "no memory for a file name");
    return NULL;
}

SinoStatus sino_try_summary_files(const SinoTry *try, char **sheet, char **table)
{
    *table = NULL;
    SINO_CHECK(asprintf(sheet, "%s/sheet.html", try->settings->output.path) >= 0, SINO_FAILED,
               "no memory for a file name");
    if (asprintf(table, "%s/sweep.csv", try->settings->output.path) >= 0) return NULL;
    free(*sheet);
    return sino_error(SINO_FAILED, "no memory for a file name");
}

SinoStatus sino_try_write(SinoTry *try, int64_t i, const SinoSections *slice)
{
    char *name = NULL, description[160];
    const bool cone = try->beam == SINO_BEAM_CONE, scan = try->beam != SINO_BEAM_NONE;
    SinoSliceQuality *quality = &try->quality[i];
    *quality = (SinoSliceQuality){NAN, NAN, NAN};
    try->height = slice->height;
    try->width = slice->width;
    if (slice->height == slice->width) SINO_TRY(sino_slice_quality(slice->width, slice->xy, quality));
    SINO_TRY(sino_try_file(try, i, &name));
    const char *what = try->swept.axis ? "rotation center" : try->swept.name;
    if (cone)
        snprintf(try->place, sizeof try->place, "plane of the source");
    else
        snprintf(try->place, sizeof try->place, "%s %" PRId64, scan ? "row" : "slice",
                 scan ? try->input.first_row : slice->slice);
    snprintf(description, sizeof description, "%s %s, %s", what, try->swept.value[i], try->place);
    SinoStatus status = sino_tiff_image_write(name, slice->height, slice->width, slice->xy, description);
    if (!status)
        sino_log_info(try->log, "output", "%s %s: %s (entropy %.3f, noise %.3g, rings %.3g)",
                      try->swept.axis ? "center" : try->swept.name, try->swept.value[i], name, quality->entropy,
                      quality->noise, quality->rings);
    free(name);
    return status;
}

static SinoStatus print_table(const void *tried, FILE *out)
{
    const SinoTry *try = tried;
    fprintf(out, "%s,entropy,noise,rings\n", try->swept.name);
    for (int64_t i = 0; i < try->swept.count; i++) {
        const SinoSliceQuality *of = &try->quality[i];
        fprintf(out, "%s,%.6g,%.6g,%.6g\n", try->swept.value[i], of->entropy, of->noise, of->rings);
    }
    return NULL;
}

/* The center whose slice has the least entropy; −1: centers are not what is tried, or there is no entropy. */
static int64_t best_of(const SinoTry *try)
{
    int64_t best = -1;
    for (int64_t i = 0; i < try->swept.count && try->swept.axis; i++)
        if (isfinite(try->quality[i].entropy) && (best < 0 || try->quality[i].entropy < try->quality[best].entropy))
            best = i;
    return best;
}

/* A slice as it lies on the disk. */
static SinoStatus read_slice(void *owner, int64_t i, float *values)
{
    const SinoTry *try = owner;
    const SinoScanBox all = {.row_count = try->height, .column_count = try->width};
    SinoTiffStack *stack;
    char *name;
    SINO_TRY(sino_try_file(try, i, &name));
    SinoStatus status = sino_tiff_stack_open(name, &stack);
    free(name);
    if (status) return status;
    status = sino_tiff_stack_read(stack, 0, 1, &all, SINO_COUNT_FLOAT32, values);
    sino_tiff_stack_close(stack);
    return status;
}

enum { TITLE = 96 };

static SinoStatus write_sheet(SinoTry *try, const char *path, int64_t best)
{
    SinoStatus status = NULL;
    const int64_t count = try->swept.count;
    SinoContactPicture *picture = NULL;
    char(*text)[2][TITLE] = NULL, note[200];
    SINO_TRY_OR(status, cleanup, sino_allocate(count, sizeof *picture, "a contact sheet", &picture));
    SINO_TRY_OR(status, cleanup, sino_allocate(count, sizeof *text, "a contact sheet", &text));
    for (int64_t i = 0; i < count; i++) {
        const SinoSliceQuality *of = &try->quality[i];
        snprintf(text[i][0], TITLE, "%s%s", try->swept.value[i], i == best ? "  (least entropy)" : "");
        snprintf(text[i][1], TITLE, "entropy %.3f, noise %.3g, rings %.3g", of->entropy, of->noise, of->rings);
        picture[i] = (SinoContactPicture){.title = text[i][0], .note = text[i][1], .chosen = i == best};
    }
    snprintf(note, sizeof note, "%s, %s%s", try->place, sino_algorithm_name(try->settings->solver.algorithm),
             best >= 0 ? "; the center with the least entropy is framed" : "");
    status = sino_contact_sheet_write(path, &(SinoContactSheet){.title = try->swept.name,
                                                                .note = note,
                                                                .size = try->width,
                                                                .count = count,
                                                                .picture = picture,
                                                                .read = read_slice,
                                                                .owner = try});
cleanup:
    free(picture);
    free(text);
    return status;
}

SinoStatus sino_try_summary(SinoTry *try)
{
    char *sheet, *table;
    SinoOutputFile *file;
    const int64_t best = best_of(try);
    const bool square = try->height == try->width;
    SINO_TRY(sino_try_summary_files(try, &sheet, &table));
    SinoStatus status = sino_output_open(table, true, &file);
    if (!status) status = sino_output_print(file, print_table, try);
    if (!status && square) status = write_sheet(try, sheet, best);
    if (!status)
        sino_log_info(try->log, "output", "all %" PRId64 " values: %s%s%s", try->swept.count, square ? sheet : "",
                      square ? ", " : "", table);
    if (!status && best >= 0)
        sino_log_info(
            try->log, "center", "the slice has the least entropy at --rotation-axis %s%s", try->swept.value[best],
            best == 0 || best == try->swept.count - 1 ? ", at the end of the range: try others beyond it" : "");
    free(sheet);
    free(table);
    return status;
}
