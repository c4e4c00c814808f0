/* SPDX-License-Identifier: BSD-3-Clause */
/* Data Exchange file: reads scans in the Data Exchange layout of HDF5 (De Carlo et al., J. Synchrotron Rad. 21, 1224,
 * 2014). */
#include "scan_source.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "count_type.h"
#include "hdf5_error.h"
#include "hdf5_length.h"
#include "hdf5_source.h"
#include "memory.h"
#include "path_kind.h"

typedef struct ExchangeFile {
    char *path;
    hid_t file;
    SinoDataset field[3]; /* by SinoScanField */
    SinoFileList files;   /* the path, then those of sources, sorted */
} ExchangeFile;

static SinoStatus read_frames(void *file, SinoScanField field, int64_t first, int64_t count, const SinoScanBox *box,
                              SinoCountType type, void *counts)
{
    const ExchangeFile *exchange = file;
    const int64_t start[] = {first, box->first_row, box->first_column};
    const int64_t extent[] = {count, box->row_count, box->column_count};
    return sino_dataset_read(&exchange->field[field], start, extent, sino_count_memory_type(type), counts);
}

static void close_file(void *file)
{
    ExchangeFile *exchange = file;
    for (int i = 0; i < 3; i++) sino_dataset_close(&exchange->field[i]);
    if (exchange->file >= 0) (void)H5Fclose(exchange->file); /* opened for reading: nothing can be lost */
    sino_file_list_free(&exchange->files);
    free(exchange->path);
    free(exchange);
}

static const SinoScanSource exchange_source = {.read = read_frames, .close = close_file};

static SinoStatus check_data(const SinoDataset *data)
{
    const int64_t *size = data->size;
    SINO_CHECK(size[0] > 0 && size[1] > 0 && size[2] > 0, SINO_BAD_INPUT,
               "%s: %s has %" PRId64 " projections of %" PRId64 " rows and %" PRId64 " columns; allowed: 1 or more of "
               "each",
               data->file, data->name, size[0], size[1], size[2]);
    return NULL;
}

static SinoStatus open_field(ExchangeFile *exchange, SinoScanField field, const char *name, int64_t *count)
{
    const SinoDataset *data = &exchange->field[SINO_FIELD_DATA];
    SinoDataset *dataset = &exchange->field[field];
    *count = 0;
    SINO_TRY(sino_dataset_open_whole(exchange->path, exchange->file, name, 3, true, &exchange->files, dataset));
    if (dataset->id < 0) return NULL;
    SINO_CHECK(dataset->size[1] == data->size[1] && dataset->size[2] == data->size[2], SINO_BAD_INPUT,
               "%s: %s has %" PRId64 " rows and %" PRId64 " columns; allowed: %" PRId64 " and %" PRId64
               ", as /exchange/data has",
               exchange->path, name, dataset->size[1], dataset->size[2], data->size[1], data->size[2]);
    *count = dataset->size[0];
    return NULL;
}

static SinoStatus read_angles(const SinoDataset *theta, SinoScan *scan)
{
    const int64_t first = 0, count = scan->info.angle_count;
    SINO_CHECK(theta->size[0] == count, SINO_BAD_INPUT,
               "%s: %s has %" PRId64 " angles; allowed: %" PRId64 ", one per projection of /exchange/data", theta->file,
               theta->name, theta->size[0], count);
    SINO_TRY(sino_dataset_read(theta, &first, &count, H5T_NATIVE_DOUBLE, scan->angle_rad));
    for (int64_t k = 0; k < count; k++) {
        SINO_CHECK(isfinite(scan->angle_rad[k]), SINO_BAD_INPUT,
                   "%s: %s[%" PRId64 "] is %f; allowed: finite angles in degrees", theta->file, theta->name, k,
                   scan->angle_rad[k]);
        scan->angle_rad[k] *= M_PI / 180;
    }
    return NULL;
}

static SinoStatus take_angles(ExchangeFile *exchange, SinoScan *scan)
{
    SinoDataset theta;
    SINO_TRY(
        sino_dataset_open_whole(exchange->path, exchange->file, "/exchange/theta", 1, true, &exchange->files, &theta));
    if (theta.id < 0) return sino_scan_assume_angles(scan);
    SinoStatus status = sino_allocate(scan->info.angle_count, sizeof *scan->angle_rad, "angles", &scan->angle_rad);
    if (!status) status = read_angles(&theta, scan);
    sino_dataset_close(&theta);
    return status;
}

static SinoStatus new_exchange(const char *path, SinoScan *scan)
{
    ExchangeFile *exchange;
    SINO_TRY(sino_allocate(1, sizeof *exchange, "a scan's file", &exchange));
    exchange->file = H5I_INVALID_HID;
    for (int i = 0; i < 3; i++) exchange->field[i].id = H5I_INVALID_HID;
    scan->data = (SinoScanPart){.source = &exchange_source, .file = exchange};
    exchange->path = strdup(path);
    SINO_CHECK(exchange->path, SINO_FAILED, "no memory for a file name");
    return sino_file_list_add(&exchange->files, path);
}

static SinoCountType count_type(const char *stored_type)
{
    if (strcmp(stored_type, "uint8") == 0) return SINO_COUNT_UINT8;
    return strcmp(stored_type, "uint16") == 0 ? SINO_COUNT_UINT16 : SINO_COUNT_FLOAT32;
}

/* True for an HDF5 file with a group /exchange, and for one that is too damaged to look inside; `open` then refuses it.
 */
static bool probe_exchange(const SinoScanRequest *request)
{
    if (sino_path_kind(request->path) != SINO_PATH_FILE || !sino_hdf5_probe(request->path)) return false;
    const hid_t file = H5Fopen(request->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) return true;
    const bool has_group = H5Lexists(file, "/exchange", H5P_DEFAULT) != 0;
    (void)H5Fclose(file);
    return has_group;
}

/* In mm, from a picometre to a kilometre; anything else counts as absent. */
static double believable(double length)
{
    return length >= 1e-9 && length <= 1e6 ? length : 0;
}

/* The axis is at the sample. */
static SinoScanSetup setup_of(const ExchangeFile *exchange)
{
    const double source = believable(fabs(sino_hdf5_length(exchange->path, exchange->file, SINO_SOURCE_DISTANCE)));
    const double detector = believable(fabs(sino_hdf5_length(exchange->path, exchange->file, SINO_DETECTOR_DISTANCE)));
    const double width = believable(sino_hdf5_length(exchange->path, exchange->file, SINO_PIXEL_WIDTH));
    const double height = believable(sino_hdf5_length(exchange->path, exchange->file, SINO_PIXEL_HEIGHT));
    return (SinoScanSetup){.source_object = source,
                           .source_detector = source > 0 && detector > 0 ? source + detector : 0,
                           .pixel_width = width,
                           .pixel_height = height};
}

static SinoStatus open_exchange(const SinoScanRequest *request, SinoScan *scan)
{
    SINO_TRY(new_exchange(request->path, scan));
    ExchangeFile *exchange = scan->data.file;
    SINO_TRY(sino_hdf5_open(request->path, &exchange->file));
    SinoDataset *data = &exchange->field[SINO_FIELD_DATA];
    SINO_TRY(
        sino_dataset_open_whole(exchange->path, exchange->file, "/exchange/data", 3, false, &exchange->files, data));
    SINO_TRY(check_data(data));
    SinoScanInfo *info = &scan->info;
    *info = (SinoScanInfo){.type = count_type(data->stored_type),
                           .angle_count = data->size[0],
                           .row_count = data->size[1],
                           .column_count = data->size[2],
                           .chunk_rows = data->chunk[1],
                           .setup = setup_of(exchange)};
    memcpy(scan->stored_type, data->stored_type, sizeof scan->stored_type);
    SINO_TRY(open_field(exchange, SINO_FIELD_FLATS, "/exchange/data_white", &info->flat_count));
    SINO_TRY(open_field(exchange, SINO_FIELD_DARKS, "/exchange/data_dark", &info->dark_count));
    SINO_TRY(sino_scan_check_limits(request->path, info));
    if (!request->theta) SINO_TRY(take_angles(exchange, scan));
    sino_file_list_unite(&exchange->files, 1);
    info->file_count = exchange->files.count;
    info->file_name = (const char *const *)exchange->files.name;
    return NULL;
}

const SinoScanFormat sino_dxchange_format = {
    .name = "Data Exchange HDF5", .example = "/exchange/data", .probe = probe_exchange, .open = open_exchange};
