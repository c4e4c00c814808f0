/* SPDX-License-Identifier: BSD-3-Clause */
/* NXtomo file: reads scans of NeXus files, in which projections, flat and dark fields are frames of one dataset
 * (Könnecke et al., J. Appl. Cryst. 48, 301, 2015; application definition NXtomo). */
#include "hdf5_scan.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "paths.h"

/* Finds the scans of the request's file. False: it is no HDF5 file, or too damaged to look inside. */
static bool find(const SinoScanRequest *request, SinoNxEntry *entry, int64_t *count)
{
    *count = 0;
    if (sino_path_kind(request->path) != SINO_PATH_FILE || !sino_hdf5_probe(request->path)) return false;
    const hid_t file = sino_hdf5_scan_peek(request);
    if (file < 0) return false;
    sino_nxtomo_find(request->path, file, request->dataset ? request->dataset : "/", entry, count);
    (void)H5Fclose(file);
    return true;
}

static bool probe_nxtomo(const SinoScanRequest *request)
{
    SinoNxEntry entry[SINO_NX_ENTRIES];
    int64_t count;
    return find(request, entry, &count) && count > 0;
}

static SinoStatus choose_entry(const SinoScanRequest *request, hid_t file, SinoNxEntry *entry)
{
    SinoNxEntry found[SINO_NX_ENTRIES];
    int64_t count;
    sino_nxtomo_find(request->path, file, request->dataset ? request->dataset : "/", found, &count);
    SINO_CHECK(count > 0, SINO_BAD_INPUT, "%s has no NXtomo scan", request->path);
    *entry = found[0];
    if (count == 1) return NULL;
    char list[1024] = "";
    for (int64_t i = 0; i < count && strlen(list) < sizeof list - 64; i++) {
        const size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%.500s/data", i ? ", " : "", found[i].detector);
    }
    return sino_error(SINO_BAD_INPUT, "%s has %" PRId64 " scans; allowed: --dataset with one of them: %s",
                      request->path, count, list);
}

/* The frames that are ignored. */
typedef struct Tally {
    int64_t ignored;
    double other; /* a key of them */
    int64_t late; /* flat and dark fields that have not come */
} Tally;

static bool is_field(double key)
{
    return key == SINO_FIELD_DATA || key == SINO_FIELD_FLATS || key == SINO_FIELD_DARKS; /* they count as NXtomo does */
}

static SinoStatus sort_frames(SinoHdf5Scan *hdf5, int64_t count, const double *key, Tally *tally)
{
    for (int i = 0; i < 3; i++) {
        SinoFrameList *frames = &hdf5->field[i].frames;
        SINO_TRY(sino_allocate(count, sizeof *frames->run, "frames of a scan", &frames->run));
        frames->count = frames->run_count = 0;
    }
    for (int64_t k = 0; k < count; k++) {
        if (is_field(key[k])) {
            sino_frame_list_add(&hdf5->field[(int)key[k]].frames, k);
        } else {
            tally->ignored++;
            tally->other = key[k];
        }
    }
    return NULL;
}

/* How many projections are before each flat field. */
static SinoStatus take_positions(int64_t count, const double *key, int64_t flats, SinoScan *scan)
{
    int64_t projections = 0, found = 0;
    if (flats == 0) return NULL;
    SINO_TRY(sino_allocate(flats, sizeof *scan->flat_position, "flat fields", &scan->flat_position));
    for (int64_t k = 0; k < count; k++) {
        if (key[k] == 1) scan->flat_position[found++] = projections;
        projections += key[k] == 0;
    }
    scan->info.flat_position = scan->flat_position;
    return NULL;
}

/* The keys of all frames in a dataset of the detector. *key NULL: an optional one is absent; owned by the caller. */
static SinoStatus read_keys(SinoHdf5Scan *hdf5, const char *name, bool optional, int64_t count, double **key)
{
    static const int64_t first = 0;
    SinoDataset keys = {.id = H5I_INVALID_HID};
    SINO_TRY(sino_dataset_open_whole(hdf5->path, hdf5->file, name, 1, optional, &hdf5->files, &keys));
    if (keys.id < 0) return NULL;
    SinoStatus status =
        keys.size[0] == count
            ? sino_allocate(count, sizeof **key, "keys of frames", key)
            : sino_error(SINO_BAD_INPUT, "%s: %s has %" PRId64 " values; allowed: %" PRId64 ", one per frame of %s",
                         hdf5->path, name, keys.size[0], count, hdf5->field[SINO_FIELD_DATA].name);
    if (!status) status = sino_dataset_read(&keys, &first, &count, H5T_NATIVE_DOUBLE, *key);
    sino_dataset_close(&keys);
    return status;
}

/* ESRF's files keep the kind of a frame in image_key_control, too, which also knows −1: a projection that was repeated
 * after the scan, to see how the sample had moved. The image_key of such a frame is 0. */
static SinoStatus read_both_keys(SinoHdf5Scan *hdf5, const SinoNxEntry *entry, int64_t count, double **key)
{
    char name[SINO_NX_NAME + 24];
    double *control = NULL;
    snprintf(name, sizeof name, "%s/image_key", entry->detector);
    SINO_TRY(read_keys(hdf5, name, false, count, key));
    assert(*key); /* it is not optional */
    snprintf(name, sizeof name, "%s/image_key_control", entry->detector);
    SinoStatus status = read_keys(hdf5, name, true, count, &control);
    for (int64_t k = 0; k < count && control && !status; k++)
        if (!is_field(control[k])) (*key)[k] = control[k];
    free(control);
    return status;
}

/* The frames that a followed file will have, of which the keys are there. */
static SinoStatus count_frames(SinoHdf5Scan *hdf5, const SinoNxEntry *entry, int64_t *count)
{
    char name[SINO_NX_NAME + 16];
    SinoDataset keys = {.id = H5I_INVALID_HID};
    const int64_t come = hdf5->field[SINO_FIELD_DATA].dataset.size[0];
    snprintf(name, sizeof name, "%s/image_key", entry->detector);
    SINO_TRY(sino_dataset_open(hdf5->path, hdf5->file, name, 1, false, &keys));
    *count = hdf5->follow.all = keys.size[0];
    sino_dataset_close(&keys);
    SINO_CHECK(*count >= come, SINO_BAD_INPUT,
               "%s has %" PRId64 " frames, and %" PRId64 " keys in %s; allowed with --follow: the keys of all frames "
               "that will come",
               hdf5->path, come, *count, name);
    return NULL;
}

/* Leaves out the flat and dark fields of a followed file that have not come. */
static void drop_late(const SinoHdf5Scan *hdf5, int64_t count, double *key, Tally *tally)
{
    const int64_t come = hdf5->follow.on ? hdf5->field[SINO_FIELD_DATA].dataset.size[0] : count;
    for (int64_t k = come; k < count; k++) {
        if (key[k] != SINO_FIELD_FLATS && key[k] != SINO_FIELD_DARKS) continue;
        key[k] = -1;
        tally->late++;
    }
}

static SinoStatus sort_by_keys(SinoHdf5Scan *hdf5, const SinoNxEntry *entry, int64_t count, Tally *tally,
                               SinoScan *scan)
{
    double *key = NULL;
    SinoStatus status = read_both_keys(hdf5, entry, count, &key);
    if (!status) drop_late(hdf5, count, key, tally);
    if (!status) status = sort_frames(hdf5, count, key, tally);
    if (!status) status = take_positions(count, key, hdf5->field[SINO_FIELD_FLATS].frames.count, scan);
    free(key);
    return status;
}

/* Divides the frames of the dataset into projections, flat and dark fields. */
static SinoStatus take_keys(SinoHdf5Scan *hdf5, const SinoNxEntry *entry, SinoScan *scan)
{
    SinoScanInfo *info = &scan->info;
    int64_t count = info->angle_count;
    Tally tally = {0};
    if (hdf5->follow.on) SINO_TRY(count_frames(hdf5, entry, &count));
    SINO_TRY(sort_by_keys(hdf5, entry, count, &tally, scan));
    info->angle_count = hdf5->field[SINO_FIELD_DATA].frames.count;
    info->flat_count = hdf5->field[SINO_FIELD_FLATS].frames.count;
    info->dark_count = hdf5->field[SINO_FIELD_DARKS].frames.count;
    SINO_CHECK(info->angle_count > 0, SINO_BAD_INPUT,
               "%s: %s/image_key has no projections among its %" PRId64 " frames (%" PRId64 " flat, %" PRId64
               " dark, %" PRId64 " others); allowed: 1 or more with the value 0",
               hdf5->path, entry->detector, count, info->flat_count, info->dark_count, tally.ignored);
    if (tally.late > 0)
        snprintf(scan->remark, sizeof scan->remark,
                 "%" PRId64 " flat and dark fields had not come when the scan was opened, and are left out",
                 tally.late);
    else if (tally.ignored > 0)
        snprintf(scan->remark, sizeof scan->remark,
                 "%" PRId64 " of %" PRId64 " frames are ignored, as their image_key or image_key_control is neither 0 "
                 "(projection), 1 (flat field) nor 2 (dark field), but %g%s",
                 tally.ignored, count, tally.other, tally.other == -1 ? " (alignment)" : "");
    return NULL;
}

static void take_setup(const SinoHdf5Scan *hdf5, const SinoNxEntry *entry, SinoScanSetup *setup)
{
    char name[4][SINO_NX_NAME + 40];
    const char *group = strcmp(entry->group, "/") == 0 ? "" : entry->group;
    snprintf(name[0], sizeof *name, "%s/instrument/source/distance", group);
    snprintf(name[1], sizeof *name, "%s/distance", entry->detector);
    snprintf(name[2], sizeof *name, "%s/x_pixel_size", entry->detector);
    snprintf(name[3], sizeof *name, "%s/y_pixel_size", entry->detector);
    *setup = sino_hdf5_scan_setup(hdf5, &(SinoSetupNames){name[0], name[1], name[2], name[3]});
}

static SinoStatus open_nxtomo(const SinoScanRequest *request, SinoScan *scan)
{
    SinoHdf5Scan *hdf5;
    SinoNxEntry entry;
    SinoScanInfo *info = &scan->info;
    char data[SINO_NX_NAME + 16];
    SINO_TRY(sino_hdf5_scan_new(request->path, request->follow_s > 0, &scan->data, &hdf5));
    SINO_TRY(choose_entry(request, hdf5->file, &entry));
    SINO_CHECK(request->axes == SINO_AXES_ANGLE_ROW_COLUMN, SINO_BAD_INPUT,
               "--axes is given, but %s is an NXtomo file, whose frames are images; allowed: angle,row,column",
               request->path);
    snprintf(data, sizeof data, "%s/data", entry.detector);
    SINO_TRY(sino_hdf5_scan_open_data(hdf5, data, false, SINO_AXES_ANGLE_ROW_COLUMN, scan));
    SINO_TRY(take_keys(hdf5, &entry, scan));
    SINO_TRY(sino_scan_check_limits(request->path, info));
    take_setup(hdf5, &entry, &info->setup);
    info->angle_needed = true;
    if (!request->theta && *entry.angles) SINO_TRY(sino_hdf5_scan_take_angles(hdf5, entry.angles, false, scan));
    if (hdf5->follow.on)
        SINO_TRY(sino_hdf5_follow_begin(hdf5, request->theta || !*entry.angles ? NULL : entry.angles, scan));
    sino_hdf5_scan_name_files(hdf5, info);
    info->certainty = entry.defined ? "certain" : "likely";
    snprintf(scan->evidence, sizeof scan->evidence, "%s%.90s/data with image_key%s%.90s",
             entry.defined ? "definition NXtomo, " : "no definition, but ", entry.detector,
             *entry.angles ? ", angles in " : ", no angles", entry.angles);
    return NULL;
}

const SinoScanFormat sino_nxtomo_format = {.name = "NXtomo HDF5",
                                           .takes_dataset = true,
                                           .takes_axes = true,
                                           .grows = true,
                                           .probe = probe_nxtomo,
                                           .open = open_nxtomo};
