/* SPDX-License-Identifier: BSD-3-Clause */
/* TIFF scan: projections, or sinograms, as a TIFF sequence or stack. Angles come from --theta, flat and dark fields
 * from --flats and --darks (scan.c). */
#include "scan_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "memory.h"
#include "paths.h"
#include "scan_frames.h"
#include "tiff_images.h"

static bool probe_tiff(const SinoScanRequest *request)
{
    return sino_tiff_stack_probe(request->path);
}

static SinoStatus read_images(void *file, SinoScanField field, int64_t first, int64_t count, const SinoScanBox *box,
                              SinoCountType type, void *counts)
{
    (void)field; /* one stack holds only one field: the data, or the fields of --flats or --darks */
    return sino_tiff_stack_read(file, first, count, box, type, counts);
}

/* Images that are sinograms: image r has row r of the projections. */
static SinoStatus read_sinograms(void *file, SinoScanField field, int64_t first, int64_t count, const SinoScanBox *box,
                                 SinoCountType type, void *counts)
{
    SinoStatus status = NULL;
    const int64_t whole[3] = {count, box->row_count, box->column_count}, one[3] = {1, count, box->column_count};
    const SinoScanBox part = {
        .first_row = first, .row_count = count, .first_column = box->first_column, .column_count = box->column_count};
    char *image;
    (void)field;
    SINO_TRY(sino_allocate(sino_times(count, box->column_count), sino_count_bytes(type), "a sinogram", &image));
    for (int64_t r = 0; r < box->row_count && !status; r++) {
        status = sino_tiff_stack_read(file, box->first_row + r, 1, &part, type, image);
        if (!status)
            sino_axes_arrange(SINO_AXES_ROW_ANGLE_COLUMN, one, sino_count_bytes(type), image, (int64_t[]){0, r, 0},
                              whole, counts);
    }
    free(image);
    return status;
}

static SinoStatus look_for_images(void *file, SinoScanLook *found)
{
    SinoTiffStack *stack = file;
    SinoStatus why = NULL;
    SINO_TRY(sino_tiff_stack_look(stack, &why));
    if (why) snprintf(found->reason, SINO_LOOK_REASON, "%s", sino_status_text(why));
    sino_status_free(why);
    found->frames = stack->whole;
    return NULL;
}

static void close_images(void *file)
{
    sino_tiff_stack_close(file);
}

static const SinoScanSource tiff_source = {.read = read_images, .close = close_images, .look = look_for_images},
                            sinograms_source = {.read = read_sinograms, .close = close_images};

static SinoStatus open_tiff_fields(const char *named, const SinoScanInfo *info, SinoScanPart *part, int64_t *count,
                                   const SinoFileList **files)
{
    SinoTiffStack *stack;
    SINO_TRY(sino_tiff_stack_open(named, &stack));
    *part = (SinoScanPart){.source = &tiff_source, .file = stack};
    SINO_CHECK(stack->page[0].row_count == info->row_count && stack->page[0].column_count == info->column_count,
               SINO_BAD_INPUT,
               "%s has %" PRId64 " rows and %" PRId64 " columns; allowed: %" PRId64 " and %" PRId64
               ", as the projections have",
               stack->files.name[0], stack->page[0].row_count, stack->page[0].column_count, info->row_count,
               info->column_count);
    *count = stack->image_count;
    *files = &stack->files;
    return NULL;
}

/* Images to which others are added: as many as there are angles. */
static SinoStatus follow_tiff(const SinoScanRequest *request, SinoScan *scan)
{
    SinoScanInfo *info = &scan->info;
    SinoTiffStack *stack;
    SINO_CHECK(request->axes == SINO_AXES_ANGLE_ROW_COLUMN && request->theta &&
                   sino_path_kind(request->path) != SINO_PATH_FILE,
               SINO_BAD_INPUT,
               "--follow is given, and '%s' is TIFF images; needed: a folder or a quoted pattern of projections, and "
               "--theta with the file of all their angles",
               request->path);
    SINO_TRY(sino_tiff_stack_follow(request->path, &stack));
    scan->data = (SinoScanPart){.source = &tiff_source, .file = stack};
    info->type = stack->page[0].type;
    info->row_count = stack->page[0].row_count;
    info->column_count = stack->page[0].column_count;
    SINO_TRY(sino_scan_take_theta(request, scan));
    SINO_CHECK(stack->files.count <= info->angle_count, SINO_BAD_INPUT,
               "%s has %" PRId64 " images already, and --theta %" PRId64 " angles; allowed: an angle for each",
               request->path, stack->files.count, info->angle_count);
    stack->image_count = info->angle_count;
    snprintf(scan->stored_type, sizeof scan->stored_type, "%s", stack->page[0].stored_type);
    return NULL;
}

static SinoStatus open_tiff(const SinoScanRequest *request, SinoScan *scan)
{
    const bool sinograms = request->axes == SINO_AXES_ROW_ANGLE_COLUMN;
    SinoTiffStack *stack;
    if (request->follow_s > 0) return follow_tiff(request, scan);
    SINO_CHECK(
        sinograms || request->axes == SINO_AXES_ANGLE_ROW_COLUMN, SINO_BAD_INPUT,
        "--axes is given, but '%s' is TIFF images; allowed: angle,row,column of projections, or row,angle,column "
        "of sinograms",
        request->path);
    SINO_TRY(sino_tiff_stack_open(request->path, &stack));
    scan->data = (SinoScanPart){.source = sinograms ? &sinograms_source : &tiff_source, .file = stack};
    scan->info.type = stack->page[0].type;
    scan->info.angle_count = sinograms ? stack->page[0].row_count : stack->image_count;
    scan->info.row_count = sinograms ? stack->image_count : stack->page[0].row_count;
    scan->info.column_count = stack->page[0].column_count;
    scan->info.angle_needed = true;
    scan->info.file_count = stack->files.count;
    scan->info.file_name = (const char *const *)stack->files.name;
    snprintf(scan->stored_type, sizeof scan->stored_type, "%s", stack->page[0].stored_type);
    sino_file_list_remark(&stack->files,
                          sinograms ? "a missing sinogram joins slices that are apart"
                                    : "a missing projection gives others wrong angles",
                          sizeof scan->remark, scan->remark);
    return NULL;
}

const SinoScanFormat sino_tiff_format = {.name = "TIFF images",
                                         .example = "TIFF",
                                         .evidence = "names or first bytes of TIFF",
                                         .certainty = "certain",
                                         .takes_axes = true,
                                         .grows = true,
                                         .probe = probe_tiff,
                                         .open = open_tiff,
                                         .open_fields = open_tiff_fields};
