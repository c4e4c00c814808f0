/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 follow: looks at a file beside its writer. */
#include "hdf5_scan.h"

#include <inttypes.h>
#include <string.h>

#include "arithmetic.h"
#include "hdf5_files.h"
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

/* Keeps what tells this scan from others, once its first frame has come; later compares it. */
static SinoStatus check_first(SinoHdf5Scan *hdf5)
{
    SinoHdf5Follow *follow = &hdf5->follow;
    const SinoDataset *data = &hdf5->field[SINO_FIELD_DATA].dataset;
    char now[17];
    if (follow->whole == 0 || data->size[0] == 0) return NULL;
    if (!*follow->first) return sino_dataset_first_row(data, follow->first);
    SINO_TRY(sino_dataset_first_row(data, now));
    follow->other = strcmp(now, follow->first) != 0;
    SINO_CHECK(!follow->other, SINO_FAILED, "%s: the first image of %s has changed: the file has another scan now",
               hdf5->path, data->name);
    return NULL;
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
    return check_first(hdf5);
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
    return *follow->first ? NULL : check_first(hdf5);
}

static SinoStatus look_with_swmr(SinoHdf5Scan *hdf5)
{
    SINO_HDF5_CHECK(H5Drefresh(hdf5->field[SINO_FIELD_DATA].dataset.id) >= 0, SINO_FAILED, "%s cannot be read again",
                    hdf5->path);
    SINO_TRY(grow(hdf5, &hdf5->follow.whole));
    return *hdf5->follow.first ? NULL : check_first(hdf5);
}

/* Whether another file has the name, or this one was begun anew, as far as the system tells. */
static bool was_replaced(SinoHdf5Scan *hdf5)
{
    const SinoFileState state = sino_file_state(hdf5->path), last = hdf5->follow.last;
    if (hdf5->follow.swmr) hdf5->follow.last = state;
    return hdf5->follow.swmr && state.inode != 0 && (state.inode != last.inode || state.bytes < last.bytes);
}

SinoStatus sino_hdf5_follow_look(void *file, SinoScanLook *found)
{
    SinoHdf5Scan *hdf5 = file;
    SinoStatus status = NULL;
    sino_hdf5_quiet();
    if (was_replaced(hdf5) || (!hdf5->follow.swmr && sino_hdf5_writer(hdf5->path) == SINO_HDF5_SWMR_WRITER))
        status = open_again(hdf5);
    if (!status) status = sino_hdf5_follow_ready(hdf5);
    if (!status) status = hdf5->follow.swmr ? look_with_swmr(hdf5) : look_between(hdf5);
    if (hdf5->follow.other) return status;
    if (status) snprintf(found->reason, SINO_LOOK_REASON, "%s", sino_status_text(status)); /* it may pass */
    sino_status_free(status);
    found->frames = sino_frame_list_among(&hdf5->field[SINO_FIELD_DATA].frames, hdf5->follow.whole);
    return NULL;
}
