/* SPDX-License-Identifier: BSD-3-Clause */
/* Interfile scan: projections of SPECT, or PET sinograms of one segment, as line integrals of parallel beams. */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "files.h"
#include "interfile.h"
#include "memory.h"
#include "scan_source.h"

typedef struct InterfileScan {
    SinoInterfile header;
    SinoInterfileViews views;
    int descriptor;
} InterfileScan;

/* Reads `count` values from number `first` of the frame on; line: room for them as they are stored. */
static SinoStatus read_line(const InterfileScan *scan, int64_t first, int64_t count, char *line, float *values)
{
    const SinoInterfile *header = &scan->header;
    const int64_t bytes = header->number->bytes;
    SINO_TRY(sino_regular_read(header->data_path, scan->descriptor, header->frame[0].offset + sino_times(first, bytes),
                               sino_times(count, bytes), line));
    if (header->swapped) sino_number_swap(bytes, count, line);
    header->number->to_float(line, count, values);
    for (int64_t i = 0; i < count && header->frame[0].scale != 1; i++)
        values[i] = (float)((double)values[i] * header->frame[0].scale);
    return NULL;
}

static SinoStatus read_views(void *file, SinoScanField field, int64_t first, int64_t count, const SinoScanBox *box,
                             SinoCountType type, void *counts)
{
    const InterfileScan *scan = file;
    float *values = counts;
    char *line;
    (void)field; /* there is only one, of one type */
    (void)type;
    SINO_TRY(sino_allocate(box->column_count, scan->header.number->bytes, "a line of bins", &line));
    SinoStatus status = NULL;
    for (int64_t k = first; k < first + count; k++)
        for (int64_t r = box->first_row; r < box->first_row + box->row_count && !status; r++) {
            const int64_t at = sino_times(k, scan->views.view_step) + sino_times(r, scan->views.row_step);
            status = read_line(scan, at + box->first_column, box->column_count, line, values);
            values += box->column_count;
        }
    free(line);
    return status;
}

static void close_interfile(void *file)
{
    InterfileScan *scan = file;
    if (scan->descriptor >= 0) close(scan->descriptor);
    free(scan->header.data_path);
    free(scan);
}

static const SinoScanSource interfile_source = {.read = read_views, .close = close_interfile};

static SinoStatus open_data(InterfileScan *scan)
{
    const SinoInterfile *header = &scan->header;
    int64_t bytes;
    SINO_TRY(sino_regular_open(header->data_path, &scan->descriptor, &bytes));
    const int64_t end = header->frame[0].offset + sino_times(header->value_count, header->number->bytes);
    SINO_CHECK(bytes == end, SINO_BAD_INPUT, "%s has %" PRId64 " bytes; allowed: %" PRId64 ", as its header says",
               header->data_path, bytes, end);
    return NULL;
}

static SinoStatus take_angles(const SinoInterfileViews *views, SinoScan *scan)
{
    SINO_TRY(sino_allocate(views->view_count, sizeof *scan->angle_rad, "angles", &scan->angle_rad));
    for (int64_t k = 0; k < views->view_count; k++)
        scan->angle_rad[k] = (views->first_degrees + (double)k * views->step_degrees) * (SINO_PI / 180);
    return NULL;
}

static SinoStatus open_interfile(const SinoScanRequest *request, SinoScan *scan)
{
    InterfileScan *own;
    SinoScanInfo *info = &scan->info;
    char remark[96];
    SINO_TRY(sino_allocate(1, sizeof *own, "projections", &own));
    own->descriptor = -1;
    scan->data = (SinoScanPart){.source = &interfile_source, .file = own};
    SINO_TRY(sino_interfile_read_views(request->path, &own->header, &own->views));
    SINO_TRY(open_data(own));
    info->type = SINO_COUNT_FLOAT32;
    info->angle_count = own->views.view_count;
    info->row_count = own->views.row_count;
    info->column_count = own->views.bin_count;
    info->line_integrals = true;
    snprintf(scan->stored_type, sizeof scan->stored_type, "%s", own->header.number->name);
    if (own->views.uneven)
        sino_scan_add_remark(scan, "bins are taken to have equal widths, as the header tells no arc correction");
    snprintf(remark, sizeof remark, "bins are %g mm wide; --pixel-size takes it", own->views.bin_mm);
    if (own->views.bin_mm > 0) sino_scan_add_remark(scan, remark);
    return request->theta ? NULL : take_angles(&own->views, scan);
}

static bool probe_interfile(const SinoScanRequest *request)
{
    char head[256];
    return sino_interfile_probe(head, sino_regular_head(request->path, sizeof head, head));
}

const SinoScanFormat sino_interfile_scan_format = {.name = "Interfile projections",
                                                   .example = "Interfile",
                                                   .evidence = "header of Interfile",
                                                   .certainty = "certain",
                                                   .probe = probe_interfile,
                                                   .open = open_interfile};
