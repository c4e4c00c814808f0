/* SPDX-License-Identifier: BSD-3-Clause */
/* Instrument scan: projections of a laboratory's scanner, by the header that it writes beside its images. Angles,
 * lengths, flat and dark fields come from the header, and are compared with the images. */
#include "scan_source.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image_scan.h"
#include "memory.h"
#include "scanner_header.h"
#include "tiff_images.h"
#include "xradia_file.h"

/* Images of each field; NULL: there are none. */
typedef struct Instrument {
    SinoTiffStack *stack[SINO_SCAN_FIELDS];
    SinoScanPart raw[SINO_SCAN_FIELDS]; /* without headers; file NULL: they are TIFF files */
    SinoXradia xradia;                  /* ole NULL: images are not in the header's own file */
    SinoScannerView view;
    int64_t row_count, column_count; /* of the images, turned upright */
} Instrument;

/* Reads a box of stored images in files of their own. */
static SinoStatus read_files(const Instrument *instrument, SinoScanField field, int64_t first, int64_t count,
                             const SinoScanBox *box, SinoCountType type, void *counts)
{
    const SinoScanPart *raw = &instrument->raw[field];
    if (raw->file) return raw->source->read(raw->file, field, first, count, box, type, counts);
    return sino_tiff_stack_read(instrument->stack[field], first, count, box, type, counts);
}

/* Reads a box of one stored image. */
static SinoStatus read_stored(const Instrument *instrument, SinoScanField field, int64_t image, const SinoScanBox *box,
                              SinoCountType type, void *counts)
{
    if (instrument->xradia.ole)
        return sino_xradia_read(&instrument->xradia, field == SINO_FIELD_FLATS, image, box, type, counts);
    return read_files(instrument, field, image, 1, box, type, counts);
}

/* The box of the stored image that has the pixels of the box. */
static SinoScanBox stored_box(const Instrument *instrument, const SinoScanBox *box)
{
    const SinoScannerView *view = &instrument->view;
    const int64_t rows = view->transposed ? instrument->column_count : instrument->row_count,
                  columns = view->transposed ? instrument->row_count : instrument->column_count;
    SinoScanBox stored = *box;
    if (view->transposed) stored = (SinoScanBox){box->first_column, box->column_count, box->first_row, box->row_count};
    if (view->rows_flipped) stored.first_row = rows - stored.first_row - stored.row_count;
    if (view->columns_flipped) stored.first_column = columns - stored.first_column - stored.column_count;
    return stored;
}

/* to[r][c] of the box from the stored pixels. */
static void turn(const SinoScannerView *view, const SinoScanBox *box, const SinoScanBox *stored, int64_t bytes,
                 const char *from, char *to)
{
    for (int64_t r = 0; r < box->row_count; r++)
        for (int64_t c = 0; c < box->column_count; c++, to += bytes) {
            int64_t row = view->transposed ? c : r, column = view->transposed ? r : c;
            if (view->rows_flipped) row = stored->row_count - 1 - row;
            if (view->columns_flipped) column = stored->column_count - 1 - column;
            memcpy(to, from + (row * stored->column_count + column) * bytes, (size_t)bytes);
        }
}

static bool is_upright(const SinoScannerView *view)
{
    return !view->transposed && !view->rows_flipped && !view->columns_flipped;
}

static SinoStatus read_images(void *file, SinoScanField field, int64_t first, int64_t count, const SinoScanBox *box,
                              SinoCountType type, void *counts)
{
    const Instrument *instrument = file;
    const int64_t bytes = sino_count_bytes(type), image = sino_times(box->row_count, box->column_count) * bytes;
    const SinoScanBox stored = stored_box(instrument, box);
    char *pixels = NULL, *to = counts;
    if (is_upright(&instrument->view) && !instrument->xradia.ole)
        return read_files(instrument, field, first, count, box, type, counts);
    SINO_TRY(sino_allocate(image, 1, "an image", &pixels));
    SinoStatus status = NULL;
    for (int64_t i = 0; i < count && !status; i++, to += image) {
        status = read_stored(instrument, field, first + i, &stored, type, pixels);
        if (!status) turn(&instrument->view, box, &stored, bytes, pixels, to);
    }
    free(pixels);
    return status;
}

static void close_images(void *file)
{
    Instrument *instrument = file;
    for (int i = 0; i < SINO_SCAN_FIELDS; i++) {
        sino_tiff_stack_close(instrument->stack[i]);
        if (instrument->raw[i].file) instrument->raw[i].source->close(instrument->raw[i].file);
    }
    sino_xradia_close(&instrument->xradia);
    free(instrument);
}

static const SinoScanSource instrument_source = {.read = read_images, .close = close_images};

static SinoStatus check_page(const Instrument *instrument, const SinoTiffStack *stack, const char *like)
{
    const SinoTiffPage *page = stack->page;
    const bool turned = instrument->view.transposed;
    const int64_t rows = turned ? instrument->column_count : instrument->row_count,
                  columns = turned ? instrument->row_count : instrument->column_count;
    SINO_CHECK(page->row_count == rows && page->column_count == columns, SINO_BAD_INPUT,
               "%s has %" PRId64 " rows and %" PRId64 " columns; allowed: %" PRId64 " and %" PRId64 ", as %s",
               stack->files.name[0], page->row_count, page->column_count, rows, columns, like);
    return NULL;
}

/* Flat or dark fields of the header, unless the request names others. */
static SinoStatus open_field(const char *named, const char *instead, Instrument *instrument, SinoScanField field,
                             int64_t *count)
{
    if (!named || instead) return NULL;
    SINO_TRY(sino_tiff_stack_open(named, &instrument->stack[field]));
    *count = instrument->stack[field]->image_count;
    return check_page(instrument, instrument->stack[field], "the projections have");
}

static SinoStatus open_tiff(const SinoScanRequest *request, const SinoScannerHeader *header, Instrument *instrument,
                            SinoScan *scan)
{
    SinoScanInfo *info = &scan->info;
    SinoStatus status = sino_tiff_stack_open(header->images, &instrument->stack[SINO_FIELD_DATA]);
    if (status) return sino_error_prefix(status, "%s names images", header->path);
    const SinoTiffStack *stack = instrument->stack[SINO_FIELD_DATA];
    if (header->row_count == 0 || header->column_count == 0) {
        const bool turned = header->view.transposed;
        instrument->row_count = turned ? stack->page->column_count : stack->page->row_count;
        instrument->column_count = turned ? stack->page->row_count : stack->page->column_count;
    }
    SINO_TRY(check_page(instrument, stack, "the header says"));
    info->type = stack->page->type;
    info->angle_count = stack->image_count;
    info->file_count = stack->files.count;
    info->file_name = (const char *const *)stack->files.name;
    snprintf(scan->stored_type, sizeof scan->stored_type, "%s", stack->page->stored_type);
    sino_file_list_remark(&stack->files, "a missing projection gives others wrong angles", sizeof scan->remark,
                          scan->remark);
    SINO_TRY(open_field(header->flats, request->flats, instrument, SINO_FIELD_FLATS, &info->flat_count));
    return open_field(header->darks, request->darks, instrument, SINO_FIELD_DARKS, &info->dark_count);
}

static SinoStatus open_raw_field(const char *named, const SinoScannerHeader *header, Instrument *instrument,
                                 SinoScanField field, SinoArrayScan **opened)
{
    const SinoScannerRaw *raw = &header->raw;
    const SinoImageBlock first = {.type = raw->type,
                                  .row_count = header->row_count,
                                  .column_count = header->column_count,
                                  .image_count = 1,
                                  .offset = raw->file_bytes + raw->image_bytes};
    return sino_raw_images_open(named, &first, raw->image_bytes, &instrument->raw[field], opened);
}

/* Images without headers, whose sizes and type the scanner's header tells. */
static SinoStatus open_raw(const SinoScanRequest *request, const SinoScannerHeader *header, Instrument *instrument,
                           SinoScan *scan)
{
    SinoArrayScan *images;
    SinoScanInfo *info = &scan->info;
    SinoStatus status = open_raw_field(header->images, header, instrument, SINO_FIELD_DATA, &images);
    if (status) return sino_error_prefix(status, "%s names images", header->path);
    info->type = sino_plain_count_type(&images->array);
    info->angle_count = images->array.size[0];
    info->file_count = images->files.count;
    info->file_name = (const char *const *)images->files.name;
    snprintf(scan->stored_type, sizeof scan->stored_type, "%s", images->array.stored_type);
    if (header->flats && !request->flats) {
        SINO_TRY(open_raw_field(header->flats, header, instrument, SINO_FIELD_FLATS, &images));
        info->flat_count = images->array.size[0];
    }
    if (header->darks && !request->darks) {
        SINO_TRY(open_raw_field(header->darks, header, instrument, SINO_FIELD_DARKS, &images));
        info->dark_count = images->array.size[0];
    }
    return NULL;
}

/* The images of a file that holds them itself. */
static SinoStatus open_xradia(const SinoScannerHeader *header, Instrument *instrument, SinoScan *scan)
{
    SinoXradia *xradia = &instrument->xradia;
    SINO_TRY(sino_xradia_open(header->path, xradia));
    scan->info.type =
        xradia->flat_count > 0 && xradia->flat_type == SINO_COUNT_FLOAT32 ? xradia->flat_type : xradia->type;
    scan->info.angle_count = xradia->image_count;
    scan->info.flat_count = xradia->flat_count;
    snprintf(scan->stored_type, sizeof scan->stored_type, "%s",
             xradia->type == SINO_COUNT_UINT16 ? "uint16" : "float32");
    return NULL;
}

/* The projections of the header, and their angles if it tells any; images beyond them are left out. */
static SinoStatus take_projections(const SinoScannerHeader *header, int64_t images, SinoScan *scan)
{
    char text[96];
    if (header->angle_count == 0) return NULL;
    SINO_CHECK(images >= header->angle_count, SINO_BAD_INPUT,
               "%s says %" PRId64 " projections, and there are %" PRId64
               " images (%s); allowed: all of them, or --theta with the angles of these%s",
               header->path, header->angle_count, images, header->images ? header->images : header->path,
               header->vectors_file ? ", and --vectors" : "");
    scan->info.angle_count = header->angle_count;
    if (header->angle_deg)
        SINO_TRY(sino_allocate(header->angle_count, sizeof *scan->angle_rad, "angles", &scan->angle_rad));
    for (int64_t k = 0; header->angle_deg && k < header->angle_count; k++)
        scan->angle_rad[k] = header->angle_deg[k] * M_PI / 180;
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
    instrument->view = header->view;
    instrument->row_count = header->row_count;
    instrument->column_count = header->column_count;
    if (!header->images)
        SINO_TRY(open_xradia(header, instrument, scan));
    else
        SINO_TRY((header->raw.type.item_bytes > 0 ? open_raw : open_tiff)(request, header, instrument, scan));
    info->row_count = instrument->row_count;
    info->column_count = instrument->column_count;
    info->angle_needed = true;
    info->setup = (SinoScanSetup){header->source_object_mm, header->source_detector_mm, header->pixel_width_mm,
                                  header->pixel_height_mm};
    snprintf(scan->evidence, sizeof scan->evidence, "%s is a header of %s", header->path, header->instrument);
    for (int i = 0; i < header->note_count; i++)
        if (header->note[i].open) sino_scan_add_remark(scan, header->note[i].text);
    return request->theta ? NULL : take_projections(header, info->angle_count, scan);
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
                                               .example = "scanners' headers",
                                               .certainty = "certain",
                                               .probe = probe_instrument,
                                               .open = open_instrument};
