/* SPDX-License-Identifier: BSD-3-Clause */
/* TIFF scan: projections as a TIFF sequence or stack. Angles come from --theta, flat and dark fields from --flats and
 * --darks (scan.c). */
#include "scan_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tiff_stack.h"

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

static void close_images(void *file)
{
    sino_tiff_stack_close(file);
}

static const SinoScanSource tiff_source = {.read = read_images, .close = close_images};

SinoStatus sino_tiff_fields_open(const char *named, const SinoScanInfo *info, SinoScanPart *part, int64_t *count,
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

/* A missing projection would shift the angles of all later ones. */
static void remark_gap(const SinoFileList *files, SinoScan *scan)
{
    int64_t before;
    if (!sino_file_list_gap(files, &before)) return;
    snprintf(scan->remark, sizeof scan->remark,
             "the numbers of the files skip some between %s and %s; a missing projection gives others wrong angles",
             files->name[before], files->name[before + 1]);
}

static SinoStatus open_tiff(const SinoScanRequest *request, SinoScan *scan)
{
    SinoTiffStack *stack;
    SINO_TRY(sino_tiff_stack_open(request->path, &stack));
    scan->data = (SinoScanPart){.source = &tiff_source, .file = stack};
    scan->info.type = stack->page[0].type;
    scan->info.angle_count = stack->image_count;
    scan->info.row_count = stack->page[0].row_count;
    scan->info.column_count = stack->page[0].column_count;
    scan->info.angle_needed = true;
    scan->info.file_count = stack->files.count;
    scan->info.file_name = (const char *const *)stack->files.name;
    snprintf(scan->stored_type, sizeof scan->stored_type, "%s", stack->page[0].stored_type);
    remark_gap(&stack->files, scan);
    return NULL;
}

const SinoScanFormat sino_tiff_format = {.name = "TIFF images",
                                         .example = "a folder, a quoted pattern such as 'scan/p_*.tif', or a file of "
                                                    "several pages",
                                         .evidence = "names or first bytes of TIFF",
                                         .certainty = "certain",
                                         .probe = probe_tiff,
                                         .open = open_tiff};
