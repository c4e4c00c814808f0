/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan: chooses the format of an input, and adds what all formats share. */
#include "scan.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "child.h"
#include "hdf5_files.h"
#include "memory.h"
#include "paths.h"
#include "scan_source.h"
#include "stream_socket.h"

/* The first format whose probe recognises the input opens it. Formats with a signature come first. */
static const SinoScanFormat *const formats[] = {
    &sino_memory_format,     &sino_stream_format,         &sino_dxchange_format,
    &sino_nxtomo_format,     &sino_nxdata_format,         &sino_dataset_format,
    &sino_instrument_format, &sino_interfile_scan_format, &sino_npy_scan_format,
    &sino_npz_scan_format,   &sino_mat_scan_format,       &sino_images_format,
    &sino_tiff_format,       &sino_sinogram_format,       NULL};

static SinoStatus refuse_unknown(const SinoScanRequest *request)
{
    char allowed[256] = "";
    size_t length = 0;
    for (const SinoScanFormat *const *at = formats; *at && length < sizeof allowed; at++) {
        const char *between = length == 0 ? "" : at[1] ? ", " : " or ";
        if ((*at)->example)
            length += (size_t)snprintf(allowed + length, sizeof allowed - length, "%s%s", between, (*at)->example);
    }
    return sino_scan_unknown(request, allowed);
}

static SinoStatus open_format(const SinoScanRequest *request, SinoScan *scan)
{
    const SinoScanFormat *format = NULL;
    for (const SinoScanFormat *const *at = formats; *at && !format; at++)
        if ((*at)->probe(request)) format = *at;
    if (!format) return refuse_unknown(request);
    SINO_CHECK(request->columns == 0 || format->takes_columns, SINO_BAD_INPUT,
               "--columns is %" PRId64
               ", but '%s' is %s, which has its own size; allowed: --columns with raw sinograms",
               request->columns, request->path, format->name);
    SINO_CHECK(!request->dataset || format->takes_dataset, SINO_BAD_INPUT,
               "the dataset %s is given, but '%s' is %s; allowed: --dataset with HDF5, MATLAB and .npz files",
               request->dataset, request->path, format->name);
    SINO_CHECK(request->axes == SINO_AXES_ANGLE_ROW_COLUMN || format->takes_axes, SINO_BAD_INPUT,
               "--axes is given, but '%s' is %s; allowed: --axes with HDF5, NumPy, MATLAB and images", request->path,
               format->name);
    SINO_CHECK(request->follow_s == 0 || format->grows, SINO_BAD_INPUT,
               "--follow is given, but '%s' is %s; allowed: --follow with Data Exchange or NXtomo HDF5, with "
               "--dataset of HDF5, with TIFF images, and with streams",
               request->path, format->name);
    scan->info.certainty = format->certainty;
    snprintf(scan->evidence, sizeof scan->evidence, "%s", format->evidence ? format->evidence : "");
    scan->angle_unit = request->theta_unit;
    scan->takes_axes = format->takes_axes;
    SinoStatus status = format->open(request, scan);
    if (!scan->info.kind) scan->info.kind = format->name;
    return status;
}

static SinoStatus open_fields(const SinoScanRequest *request, SinoScan *scan)
{
    SinoScanInfo *info = &scan->info;
    const SinoFileList *files;
    scan->open_beam = request->open_beam;
    if (scan->open_beam > 0) {
        info->flat_count = 1;
        info->flat_position = NULL;
    }
    if (request->flats) {
        SINO_TRY(sino_scan_fields_open(request, SINO_FIELD_FLATS, info, &scan->flats, &info->flat_count, &files));
        info->flat_position = NULL; /* of the flat fields that these replace */
        info->flat_file_count = files->count;
        info->flat_file_name = (const char *const *)files->name;
    }
    if (request->darks) {
        SINO_TRY(sino_scan_fields_open(request, SINO_FIELD_DARKS, info, &scan->darks, &info->dark_count, &files));
        info->dark_file_count = files->count;
        info->dark_file_name = (const char *const *)files->name;
    }
    return NULL;
}

/* Fills the parts of the scan that the format has left open. */
static SinoStatus complete(const SinoScanRequest *request, SinoScan *scan)
{
    SinoScanInfo *info = &scan->info;
    SINO_TRY(sino_scan_check_limits(request->path, info));
    if (!scan->angle_rad && request->theta) SINO_TRY(sino_scan_take_theta(request, scan));
    if (!scan->angle_rad) SINO_TRY(sino_scan_assume_angles(scan));
    SINO_TRY(open_fields(request, scan));
    SINO_TRY(sino_scan_check_limits(request->path, info)); /* of the fields, too */
    info->full_count = info->type == SINO_COUNT_UINT8 ? UINT8_MAX : info->type == SINO_COUNT_UINT16 ? UINT16_MAX : 0;
    scan->saturation = request->saturation > 0 ? request->saturation : info->full_count;
    SINO_TRY(sino_scan_select(request, scan));
    scan->arrival.limit_s = request->follow_s;
    scan->path = strdup(request->path);
    SINO_CHECK(scan->path, SINO_FAILED, "no memory for a file name");
    info->angle_rad = scan->angle_rad;
    info->angle_radians = request->theta_unit != scan->angle_unit;
    info->stored_type = scan->stored_type;
    info->remark = scan->remark;
    info->evidence = scan->evidence;
    if (info->file_count > 0) return NULL;
    info->file_count = 1;
    info->file_name = (const char *const *)&scan->path;
    return NULL;
}

/* The texts of a request that are made of others; owned. */
typedef struct Parts {
    char *file, *inner, *theta;
} Parts;

/* Takes FILE:/DATASET apart, and lets the theta of the request tell everything about angles. */
static SinoStatus prepare(SinoScanRequest *request, Parts *parts)
{
    if (sino_path_kind(request->path) == SINO_PATH_ABSENT && strchr(request->path, ':') &&
        !sino_stream_named(request->path)) {
        SinoStatus status = sino_inner_path_split(request->path, &parts->file, &parts->inner);
        if (!status && parts->inner) {
            SINO_CHECK(!request->dataset, SINO_BAD_INPUT,
                       "--dataset is '%s', and the scan is '%s'; allowed: one dataset", request->dataset,
                       request->path);
            request->path = parts->file;
            request->dataset = parts->inner;
        }
        sino_status_free(status); /* another name with a colon */
    }
    if (!request->theta_dataset) return NULL;
    SINO_CHECK(!request->theta, SINO_BAD_INPUT, "--theta is '%s', and --theta-dataset '%s'; allowed: one of them",
               request->theta, request->theta_dataset);
    SINO_CHECK(asprintf(&parts->theta, ":%s", request->theta_dataset) >= 0, SINO_FAILED, "no memory for a name");
    request->theta = parts->theta;
    return NULL;
}

static void free_parts(Parts *parts)
{
    free(parts->file);
    free(parts->inner);
    free(parts->theta);
}

static SinoStatus open_prepared(const SinoScanRequest *request, SinoScan **opened)
{
    SinoScan *scan;
    SINO_TRY(sino_allocate(1, sizeof *scan, "a scan", &scan));
    SinoStatus status = open_format(request, scan);
    if (!status) status = complete(request, scan);
    SINO_GIVE(status, scan, sino_scan_close, opened);
}

/* A file that another process writes may be readable a moment later. */
static SinoStatus open_growing(const SinoScanRequest *request, SinoScan **opened)
{
    enum { TRIES = 4 };
    static const struct timespec pause = {.tv_nsec = 100000000L};
    SinoStatus status = open_prepared(request, opened);
    for (int i = 1; i < TRIES && status; i++) {
        sino_status_free(status);
        (void)nanosleep(&pause, NULL);
        status = open_prepared(request, opened);
    }
    return status;
}

SinoStatus sino_scan_open(const SinoScanRequest *asked, SinoScan **opened)
{
    SinoScanRequest request = *asked;
    Parts parts = {0};
    SinoStatus status = prepare(&request, &parts);
    const bool grows = request.follow_s > 0 && !sino_stream_named(request.path); /* a stream begins once */
    if (!status) status = (grows ? open_growing : open_prepared)(&request, opened);
    free_parts(&parts);
    return status;
}

static SinoStatus open_and_close(const void *request)
{
    SinoScan *scan = NULL;
    SINO_TRY(sino_scan_open(request, &scan));
    sino_scan_close(scan);
    return NULL;
}

SinoStatus sino_scan_try(const SinoScanRequest *request)
{
    if (sino_stream_named(request->path)) return sino_stream_check(request->path); /* it begins once */
    return sino_child_try_headers(request->path, 2, open_and_close, request);
}

static void close_part(const SinoScanPart *part)
{
    if (part->file) part->source->close(part->file);
}

void sino_scan_close(SinoScan *scan)
{
    if (!scan) return;
    close_part(&scan->data);
    close_part(&scan->flats);
    close_part(&scan->darks);
    free(scan->angle_rad);
    free(scan->frame);
    free(scan->flat_position);
    for (int i = 0; i < SINO_SCAN_FIELDS; i++) free(scan->kept[i]);
    free(scan->path);
    free(scan);
}

bool sino_scan_may_tell_setup(const SinoScanRequest *asked)
{
    SinoScanRequest request = *asked;
    Parts parts = {0};
    SinoStatus status = prepare(&request, &parts);
    const bool may = !status && sino_path_kind(request.path) == SINO_PATH_FILE && sino_hdf5_probe(request.path);
    sino_status_free(status);
    free_parts(&parts);
    return may;
}

const SinoScanInfo *sino_scan_info(const SinoScan *scan)
{
    return &scan->info;
}

static void fill(double value, int64_t count, float *counts)
{
    for (int64_t i = 0; i < count; i++) counts[i] = (float)value;
}

static const SinoScanPart *part_of(const SinoScan *scan, SinoScanField field)
{
    if (field == SINO_FIELD_FLATS && scan->flats.source) return &scan->flats;
    if (field == SINO_FIELD_DARKS && scan->darks.source) return &scan->darks;
    return &scan->data;
}

/* The same as SinoScanSource.read, of fields by their numbers. */
static SinoStatus read_numbered(const SinoScanPart *part, SinoScanField field, const int64_t *number, int64_t count,
                                const SinoScanBox *box, SinoCountType type, char *counts)
{
    const int64_t bytes = sino_times(sino_times(box->row_count, box->column_count), sino_count_bytes(type));
    for (int64_t i = 0; i < count;) {
        int64_t together = 1;
        while (i + together < count && number[i + together] == number[i] + together) together++;
        SINO_TRY(part->source->read(part->file, field, number[i], together, box, type, counts + sino_times(i, bytes)));
        i += together;
    }
    return NULL;
}

static SinoStatus read_field(SinoScan *scan, SinoScanField field, int64_t first, int64_t count, const SinoScanBox *box,
                             SinoCountType type, void *counts)
{
    const SinoScanInfo *info = &scan->info;
    assert(box->first_row >= 0 && box->row_count >= 1 && box->first_row + box->row_count <= info->row_count);
    assert(box->first_column >= 0 && box->column_count >= 1 &&
           box->first_column + box->column_count <= info->column_count);
    if (count == 0) return NULL;
    if (field == SINO_FIELD_FLATS && scan->open_beam > 0) {
        fill(scan->open_beam, sino_times(count, sino_times(box->row_count, box->column_count)), counts);
        return NULL;
    }
    if (field == SINO_FIELD_DATA && scan->frame) return sino_scan_read_selected(scan, first, count, box, type, counts);
    const SinoScanPart *part = part_of(scan, field);
    const int64_t *kept = scan->kept[field];
    if (kept) return read_numbered(part, field, kept + first, count, box, type, counts);
    return part->source->read(part->file, field, first, count, box, type, counts);
}

SinoStatus sino_scan_read(SinoScan *scan, int64_t first_angle, int64_t angle_count, const SinoScanBox *box,
                          void *counts)
{
    assert(first_angle >= 0 && angle_count >= 0 && first_angle + angle_count <= scan->info.angle_count);
    return read_field(scan, SINO_FIELD_DATA, first_angle, angle_count, box, scan->info.type, counts);
}

SinoStatus sino_scan_read_projection(SinoScan *scan, int64_t angle, const SinoScanBox *box, float *counts)
{
    assert(angle >= 0 && angle < scan->info.angle_count);
    return read_field(scan, SINO_FIELD_DATA, angle, 1, box, SINO_COUNT_FLOAT32, counts);
}

SinoStatus sino_scan_read_some_flats(SinoScan *scan, int64_t first, int64_t count, const SinoScanBox *box,
                                     float *counts)
{
    assert(first >= 0 && count >= 0 && first + count <= scan->info.flat_count);
    return read_field(scan, SINO_FIELD_FLATS, first, count, box, SINO_COUNT_FLOAT32, counts);
}

SinoStatus sino_scan_read_some_darks(SinoScan *scan, int64_t first, int64_t count, const SinoScanBox *box,
                                     float *counts)
{
    assert(first >= 0 && count >= 0 && first + count <= scan->info.dark_count);
    return read_field(scan, SINO_FIELD_DARKS, first, count, box, SINO_COUNT_FLOAT32, counts);
}

SinoStatus sino_scan_read_flats(SinoScan *scan, const SinoScanBox *box, float *counts)
{
    return read_field(scan, SINO_FIELD_FLATS, 0, scan->info.flat_count, box, SINO_COUNT_FLOAT32, counts);
}

SinoStatus sino_scan_read_darks(SinoScan *scan, const SinoScanBox *box, float *counts)
{
    return read_field(scan, SINO_FIELD_DARKS, 0, scan->info.dark_count, box, SINO_COUNT_FLOAT32, counts);
}

SinoStatus sino_scan_leave_out(SinoScan *scan, SinoScanField field, const bool *out, const char *remark)
{
    SinoScanInfo *info = &scan->info;
    int64_t *count = field == SINO_FIELD_FLATS ? &info->flat_count : &info->dark_count, kept = 0;
    assert(field != SINO_FIELD_DATA && !scan->kept[field]);
    SINO_TRY(sino_allocate(*count, sizeof **scan->kept, "flat or dark fields", &scan->kept[field]));
    for (int64_t i = 0; i < *count; i++) {
        if (out[i]) continue;
        if (field == SINO_FIELD_FLATS && info->flat_position) scan->flat_position[kept] = scan->flat_position[i];
        scan->kept[field][kept++] = i;
    }
    assert(kept > 0 && kept < *count);
    *count = kept;
    sino_scan_add_remark(scan, remark);
    return NULL;
}
