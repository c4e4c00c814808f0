/* SPDX-License-Identifier: BSD-3-Clause */
/* Instrument scan: projections of a laboratory's scanner, by the header that it writes beside its images. Angles,
 * lengths, flat and dark fields come from the header, and are compared with the images. */
#include "scan_source.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "scanner_header.h"
#include "tiff_stack.h"

/* Images of each field; NULL: there are none. */
typedef struct Instrument {
    SinoTiffStack *stack[SINO_SCAN_FIELDS];
} Instrument;

static SinoStatus read_images(void *file, SinoScanField field, int64_t first, int64_t count, const SinoScanBox *box,
                              SinoCountType type, void *counts)
{
    const Instrument *instrument = file;
    return sino_tiff_stack_read(instrument->stack[field], first, count, box, type, counts);
}

static void close_images(void *file)
{
    Instrument *instrument = file;
    for (int i = 0; i < SINO_SCAN_FIELDS; i++) sino_tiff_stack_close(instrument->stack[i]);
    free(instrument);
}

static const SinoScanSource instrument_source = {.read = read_images, .close = close_images};

static SinoStatus open_stack(const char *path, const char *named, SinoTiffStack **stack)
{
    SinoStatus status = sino_tiff_stack_open(named, stack);
    return status ? sino_error_prefix(status, "%s names images", path) : NULL;
}

/* Flat or dark fields of the header, unless the request names others. */
static SinoStatus open_field(const char *named, const char *instead, const SinoScanInfo *info, SinoTiffStack **stack,
                             int64_t *count)
{
    if (!named || instead) return NULL;
    SINO_TRY(sino_tiff_stack_open(named, stack));
    const SinoTiffPage *page = (*stack)->page;
    SINO_CHECK(page->row_count == info->row_count && page->column_count == info->column_count, SINO_BAD_INPUT,
               "%s has %" PRId64 " rows and %" PRId64 " columns; allowed: %" PRId64 " and %" PRId64
               ", as the projections have",
               named, page->row_count, page->column_count, info->row_count, info->column_count);
    *count = (*stack)->image_count;
    return NULL;
}

static SinoStatus check_sizes(const SinoScannerHeader *header, const SinoTiffStack *stack)
{
    const SinoTiffPage *page = stack->page;
    SINO_CHECK(header->row_count == 0 ||
                   (page->row_count == header->row_count && page->column_count == header->column_count),
               SINO_BAD_INPUT,
               "%s has %" PRId64 " rows and %" PRId64 " columns, and the header %s says %" PRId64 " and %" PRId64
               "; allowed: the images of this header",
               stack->files.name[0], page->row_count, page->column_count, header->path, header->row_count,
               header->column_count);
    return NULL;
}

/* The angles of the header, of as many projections; images beyond them are left out. */
static SinoStatus take_angles(const SinoScannerHeader *header, int64_t images, SinoScan *scan)
{
    char text[96];
    SINO_CHECK(images >= header->angle_count, SINO_BAD_INPUT,
               "%s says %" PRId64 " projections, and there are %" PRId64
               " images (%s); allowed: all of them, or --theta with the angles of these",
               header->path, header->angle_count, images, header->images ? header->images : header->path);
    scan->info.angle_count = header->angle_count;
    SINO_TRY(sino_allocate(header->angle_count, sizeof *scan->angle_rad, "angles", &scan->angle_rad));
    for (int64_t k = 0; k < header->angle_count; k++) scan->angle_rad[k] = header->angle_deg[k] * M_PI / 180;
    if (images == header->angle_count) return NULL;
    snprintf(text, sizeof text, "the last %" PRId64 " of %" PRId64 " images are beyond the header's projections",
             images - header->angle_count, images);
    sino_scan_add_remark(scan, text);
    return NULL;
}

static SinoStatus open_header(const SinoScanRequest *request, const SinoScannerHeader *header, SinoScan *scan)
{
    Instrument *instrument;
    SinoScanInfo *info = &scan->info;
    SINO_TRY(sino_allocate(1, sizeof *instrument, "images", &instrument));
    scan->data = (SinoScanPart){.source = &instrument_source, .file = instrument};
    SINO_TRY(open_stack(header->path, header->images, &instrument->stack[SINO_FIELD_DATA]));
    const SinoTiffStack *stack = instrument->stack[SINO_FIELD_DATA];
    SINO_TRY(check_sizes(header, stack));
    info->type = stack->page[0].type;
    info->row_count = stack->page[0].row_count;
    info->column_count = stack->page[0].column_count;
    info->angle_count = stack->image_count;
    info->angle_needed = true;
    info->file_count = stack->files.count;
    info->file_name = (const char *const *)stack->files.name;
    info->setup = (SinoScanSetup){header->source_object_mm, header->source_detector_mm, header->pixel_width_mm,
                                  header->pixel_height_mm};
    snprintf(scan->stored_type, sizeof scan->stored_type, "%s", stack->page[0].stored_type);
    snprintf(scan->evidence, sizeof scan->evidence, "%s is a header of %s", header->path, header->instrument);
    sino_file_list_remark(&stack->files, "a missing projection gives others wrong angles", sizeof scan->remark,
                          scan->remark);
    for (int i = 0; i < header->note_count; i++)
        if (header->note[i].open) sino_scan_add_remark(scan, header->note[i].text);
    SINO_TRY(open_field(header->flats, request->flats, info, &instrument->stack[SINO_FIELD_FLATS], &info->flat_count));
    SINO_TRY(open_field(header->darks, request->darks, info, &instrument->stack[SINO_FIELD_DARKS], &info->dark_count));
    return request->theta ? NULL : take_angles(header, stack->image_count, scan);
}

static SinoStatus open_instrument(const SinoScanRequest *request, SinoScan *scan)
{
    SinoScannerHeader header;
    SinoStatus status = sino_scanner_read(request->path, &header);
    if (!status) status = open_header(request, &header, scan);
    sino_scanner_clear(&header);
    return status;
}

static bool probe_instrument(const SinoScanRequest *request)
{
    return sino_scanner_probe(request->path);
}

const SinoScanFormat sino_instrument_format = {.name = "header and images of a scanner",
                                               .example = "scan.xtekct, or the folder with it",
                                               .certainty = "certain",
                                               .probe = probe_instrument,
                                               .open = open_instrument};
