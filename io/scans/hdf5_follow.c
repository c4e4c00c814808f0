/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 follow: looks at a file beside its writer. */
#include "hdf5_follow.h"

#include <inttypes.h>
#include <string.h>

#include "arithmetic.h"
#include "hdf5_error.h"
#include "hdf5_growing.h"
#include "platform.h"

/* A file that was quiet for so long is between two flushes of its writer; so long after a look, the projections that it
 * saw are written. */
static const double quiet_s = 0.2, settled_s = 1;

static void close_all(SinoHdf5Scan *hdf5)
{
    for (int i = 0; i < SINO_SCAN_FIELDS; i++) sino_dataset_close(&hdf5->field[i].dataset);
    if (hdf5->file >= 0) (void)H5Fclose(hdf5->file);
    hdf5->file = H5I_INVALID_HID;
}

SinoStatus sino_hdf5_follow_open(SinoHdf5Scan *hdf5)
{
    hdf5->follow = (SinoHdf5Follow){
        .on = true, .last = sino_file_state(hdf5->path), .changed_s = sino_platform_now_s()}; /* maybe just now */
    SINO_CHECK(sino_hdf5_writer(hdf5->path) != SINO_HDF5_WRITER, SINO_BAD_INPUT,
               "%s is being written without SWMR by a program that has not closed it; allowed: SWMR, or a file that is "
               "closed between writes",
               hdf5->path);
    return sino_hdf5_open_growing(hdf5->path, &hdf5->follow.swmr, &hdf5->file);
}

/* HDF5 would show an open file as it was: all of it is closed first. */
static SinoStatus open_again(SinoHdf5Scan *hdf5)
{
    close_all(hdf5);
    SINO_TRY(sino_hdf5_open_growing(hdf5->path, &hdf5->follow.swmr, &hdf5->file));
    for (int i = 0; i < SINO_SCAN_FIELDS; i++) {
        SinoHdf5Field *field = &hdf5->field[i];
        const SinoDataset before = field->dataset;
        if (!hdf5->follow.used[i]) continue;
        SINO_TRY(sino_dataset_open(hdf5->path, hdf5->file, field->name, before.rank, false, &field->dataset));
        SINO_CHECK(strcmp(field->dataset.stored_type, before.stored_type) == 0, SINO_FAILED,
                   "%s: %s held %s, and now holds %s", hdf5->path, field->name, before.stored_type,
                   field->dataset.stored_type);
        for (int d = 1; d < before.rank; d++)
            SINO_CHECK(field->dataset.size[d] == before.size[d], SINO_FAILED,
                       "%s: a frame of %s had a side of %" PRId64 ", and now has %" PRId64, hdf5->path, field->name,
                       before.size[d], field->dataset.size[d]);
    }
    return NULL;
}

SinoStatus sino_hdf5_follow_ready(SinoHdf5Scan *hdf5)
{
    for (int i = 0; i < SINO_SCAN_FIELDS; i++)
        if (hdf5->follow.used[i] && hdf5->field[i].dataset.id < 0) return open_again(hdf5);
    return NULL;
}

SinoStatus sino_hdf5_follow_again(SinoHdf5Scan *hdf5)
{
    return open_again(hdf5);
}

/* Whether a dataset may become longer. */
static bool can_grow(const SinoHdf5Scan *hdf5, const char *name)
{
    SinoDataset dataset = {.id = H5I_INVALID_HID};
    hsize_t size[SINO_DATASET_RANK], most[SINO_DATASET_RANK];
    SinoStatus status = sino_dataset_open(hdf5->path, hdf5->file, name, SINO_ANY_RANK, true, &dataset);
    sino_status_free(status);
    const hid_t space = dataset.id >= 0 ? H5Dget_space(dataset.id) : H5I_INVALID_HID;
    const bool known = space >= 0 && H5Sget_simple_extent_dims(space, size, most) > 0;
    if (space >= 0) (void)H5Sclose(space);
    sino_dataset_close(&dataset);
    return known && most[0] != size[0];
}

/* Projections among the first frames of the dataset. */
static int64_t projections_in(const SinoFrameList *list, int64_t frames)
{
    int64_t count = 0;
    if (!list->run) return sino_smaller(frames, list->count);
    for (int64_t r = 0; r < list->run_count; r++)
        count += sino_smaller(sino_larger(frames - list->run[r].first, 0), list->run[r].count);
    return count;
}

/* Angles that a program will write with the projections are not there yet: they are as many as these, or all alike. */
static SinoStatus check_angles(const SinoHdf5Scan *hdf5, const char *theta, const SinoScan *scan)
{
    const SinoHdf5Field *data = &hdf5->field[SINO_FIELD_DATA];
    const int64_t come = projections_in(&data->frames, data->dataset.size[0]), all = scan->info.angle_count;
    int64_t alike = 1;
    SINO_CHECK(all > come || !can_grow(hdf5, theta), SINO_BAD_INPUT,
               "%s has %" PRId64 " projections and as many angles in %s, which may grow as the projections do; needed: "
               "--theta with the angles of all projections, or a run without --follow if these are all",
               hdf5->path, come, theta);
    while (alike < all - come && scan->angle_rad[all - 1 - alike] == scan->angle_rad[all - 1]) alike++;
    SINO_CHECK(alike < 2 || alike < all - come, SINO_BAD_INPUT,
               "%s: the angles in %s of the %" PRId64 " projections to come are all %g; needed: --theta with their "
               "angles",
               hdf5->path, theta, all - come, scan->angle_rad[all - 1]);
    return NULL;
}

SinoStatus sino_hdf5_follow_begin(SinoHdf5Scan *hdf5, const char *theta, const SinoScan *scan)
{
    if (theta) SINO_TRY(check_angles(hdf5, theta, scan));
    for (int i = 0; i < SINO_SCAN_FIELDS; i++) hdf5->follow.used[i] = hdf5->field[i].dataset.id >= 0;
    return NULL;
}

SinoStatus sino_hdf5_follow_expect(SinoHdf5Scan *hdf5, const SinoScanRequest *request, const char *theta,
                                   SinoScan *scan)
{
    SinoHdf5Field *data = &hdf5->field[SINO_FIELD_DATA];
    SinoScanInfo *info = &scan->info;
    info->angle_count = 0; /* as many as there are angles */
    if (request->theta)
        SINO_TRY(sino_scan_take_theta(request, scan));
    else
        SINO_TRY(sino_hdf5_scan_take_angles(hdf5, theta, true, scan));
    SINO_CHECK(scan->angle_rad, SINO_BAD_INPUT,
               "%s has no angles in %s; needed with --follow: --theta with the angles of all projections", hdf5->path,
               theta);
    SINO_CHECK(data->dataset.size[0] <= info->angle_count, SINO_BAD_INPUT,
               "%s has %" PRId64 " projections already, and there are %" PRId64 " angles; allowed: an angle for each",
               hdf5->path, data->dataset.size[0], info->angle_count);
    data->frames.count = info->angle_count;
    return sino_hdf5_follow_begin(hdf5, request->theta ? NULL : theta, scan);
}

static SinoStatus grow(SinoHdf5Scan *hdf5, int64_t *whole)
{
    return sino_dataset_grow(&hdf5->field[SINO_FIELD_DATA].dataset, whole);
}

/* A file without SWMR. */
static SinoStatus look_between(SinoHdf5Scan *hdf5)
{
    SinoHdf5Follow *follow = &hdf5->follow;
    const SinoFileState state = sino_file_state(hdf5->path);
    const double now_s = sino_platform_now_s();
    int64_t found = follow->whole;
    if (!sino_file_state_same(&state, &follow->last)) follow->changed_s = now_s;
    follow->last = state;
    const bool quiet = now_s - follow->changed_s >= quiet_s;
    if (sino_file_state_same(&state, &follow->taken) || (!quiet && now_s - follow->opened_s < settled_s)) return NULL;
    follow->opened_s = now_s;
    SINO_TRY(open_again(hdf5));
    SINO_TRY(grow(hdf5, &found));
    const SinoFileState after = sino_file_state(hdf5->path);
    if (quiet && sino_file_state_same(&state, &after)) {
        follow->whole = found;
        follow->taken = state;
    } else if (follow->seen > follow->whole && found > follow->whole) {
        follow->whole = sino_smaller(found, follow->seen);
    }
    follow->seen = found;
    return NULL;
}

static SinoStatus look_with_swmr(SinoHdf5Scan *hdf5)
{
    SINO_HDF5_CHECK(H5Drefresh(hdf5->field[SINO_FIELD_DATA].dataset.id) >= 0, SINO_FAILED, "%s cannot be read again",
                    hdf5->path);
    return grow(hdf5, &hdf5->follow.whole);
}

SinoStatus sino_hdf5_follow_look(void *file, int64_t *frames, char reason[SINO_LOOK_REASON])
{
    SinoHdf5Scan *hdf5 = file;
    SinoStatus status = NULL;
    sino_hdf5_quiet();
    if (!hdf5->follow.swmr && sino_hdf5_writer(hdf5->path) == SINO_HDF5_SWMR_WRITER) status = open_again(hdf5);
    if (!status) status = sino_hdf5_follow_ready(hdf5);
    if (!status) status = hdf5->follow.swmr ? look_with_swmr(hdf5) : look_between(hdf5);
    if (status) snprintf(reason, SINO_LOOK_REASON, "%s", sino_status_text(status)); /* it may pass */
    sino_status_free(status);
    *frames = projections_in(&hdf5->field[SINO_FIELD_DATA].frames, hdf5->follow.whole);
    return NULL;
}
