/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume as a TIFF stack: directory, file names, one image per slice. */
#include "volume_private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "tiff_images.h"

/* Path DIR/recon_00000.tiff of a slice, which the caller frees; NULL: out of memory. */
static char *slice_path(const SinoVolumeRequest *request, int64_t slice)
{
    char *path;
    const int64_t row = request->first_row + slice * request->row_step;
    return asprintf(&path, "%s/recon_%05" PRId64 ".tiff", request->tiff_directory, row) < 0 ? NULL : path;
}

static SinoStatus count_existing(const SinoVolumeRequest *request, int64_t *count, int64_t *first)
{
    *count = 0;
    for (int64_t i = request->slice_count - 1; i >= 0; i--) {
        struct stat info;
        char *path = slice_path(request, i);
        SINO_CHECK(path, SINO_FAILED, "no memory for a file name");
        if (lstat(path, &info) == 0) {
            *first = i;
            ++*count;
        }
        free(path);
    }
    return NULL;
}

/* Whether slices that exist are those of an unfinished run alone. */
static bool may_replace(const SinoVolumeRequest *request, SinoMarkerState state)
{
    return request->overwrite || request->resume || state == SINO_MARKER_OWN;
}

static SinoStatus check_existing(const SinoVolumeRequest *request, SinoMarkerState state, int64_t *count)
{
    int64_t first = 0;
    char name[SINO_MARKER_NAME];
    SINO_TRY(count_existing(request, count, &first));
    if (*count == 0 || may_replace(request, state)) return NULL;
    const int64_t row = request->first_row + first * request->row_step;
    SINO_CHECK(state == SINO_MARKER_NONE, SINO_BAD_INPUT,
               "%s has %" PRId64 " of the files to be written, the first recon_%05" PRId64
               ".tiff, some of which a run that did not finish has replaced (%s); --overwrite replaces all of them",
               request->tiff_directory, *count, row, sino_volume_marker_name(request, name));
    return sino_error(SINO_BAD_INPUT,
                      "%s has %" PRId64 " of the files to be written, the first recon_%05" PRId64
                      ".tiff; --overwrite replaces them",
                      request->tiff_directory, *count, row);
}

static SinoStatus check_directory(const SinoVolumeRequest *request, SinoMarkerState state)
{
    char *path = slice_path(request, 0);
    SINO_CHECK(path, SINO_FAILED, "no memory for a file name");
    SinoStatus status = sino_output_check(path, may_replace(request, state));
    free(path);
    return status;
}

static SinoStatus make_directory(const char *path, bool *made)
{
    struct stat info;
    *made = mkdir(path, 0777) == 0;
    if (*made) return NULL;
    const int error_number = errno;
    const bool exists = stat(path, &info) == 0;
    SINO_CHECK(!exists || S_ISDIR(info.st_mode), SINO_BAD_INPUT, "%s is not a directory; TIFF files need one", path);
    SINO_CHECK(exists, error_number == ENOSPC || error_number == EDQUOT ? SINO_FAILED : SINO_BAD_INPUT,
               "directory %s cannot be made: %s", path, strerror(error_number));
    return NULL;
}

/* All checks; *count: slices of these rows that exist. */
static SinoStatus check_all(const SinoVolumeRequest *request, SinoMarkerState *state, int64_t *count)
{
    SINO_TRY(sino_volume_marker_look(request, state));
    SINO_TRY(check_existing(request, *state, count));
    return check_directory(request, *state);
}

static SinoStatus remove_slices(const SinoVolumeRequest *request)
{
    for (int64_t i = 0; i < request->slice_count; i++) {
        char *path = slice_path(request, i);
        SINO_CHECK(path, SINO_FAILED, "no memory for a file name");
        const int result = unlink(path), error_number = errno;
        SinoStatus status = result == 0 || error_number == ENOENT
                                ? NULL
                                : sino_error(SINO_FAILED, "%s, which an unfinished run has left, cannot be removed: %s",
                                             path, strerror(error_number));
        free(path);
        if (status) return status;
    }
    return NULL;
}

SinoStatus sino_volume_tiff_open(const SinoVolumeRequest *request, int64_t token, bool *made, SinoVolumeMarker **marker,
                                 int64_t *removed)
{
    SinoMarkerState state = SINO_MARKER_NONE;
    int64_t count = 0;
    SINO_TRY(make_directory(request->tiff_directory, made));
    SinoStatus status = check_all(request, &state, &count);
    const bool replacing = state == SINO_MARKER_REPLACING || (state == SINO_MARKER_NONE && count > 0);
    if (!status) status = sino_volume_marker_open(request, replacing, token, marker);
    if (status && *made) rmdir(request->tiff_directory);
    if (status || state != SINO_MARKER_OWN || request->resume) return status;
    *removed = count;
    return remove_slices(request);
}

SinoStatus sino_volume_tiff_check(const SinoVolumeRequest *request)
{
    bool made;
    SinoMarkerState state;
    int64_t count;
    SINO_TRY(make_directory(request->tiff_directory, &made));
    SinoStatus status = check_all(request, &state, &count);
    if (made) rmdir(request->tiff_directory);
    return status;
}

bool sino_volume_tiff_is_done(const SinoVolumeRequest *request, const SinoVolumeMarker *marker, int64_t slice)
{
    char *path = slice_path(request, slice);
    const bool done = path && sino_volume_marker_precedes(marker, path);
    free(path);
    return done;
}

static SinoCountType type_in_tiff(SinoOutputType type)
{
    return type == SINO_OUTPUT_FLOAT32  ? SINO_COUNT_FLOAT32
           : type == SINO_OUTPUT_UINT16 ? SINO_COUNT_UINT16
                                        : SINO_COUNT_UINT8;
}

static SinoStatus read_page(const SinoVolumeRequest *request, const char *path, SinoTiffFile *file, void *stored)
{
    int64_t count = 0;
    SinoTiffPage *page = NULL;
    const SinoCountType type = type_in_tiff(request->codes.type);
    const SinoScanBox box = {.row_count = request->height, .column_count = request->width};
    SINO_TRY(sino_tiff_file_pages(file, &count, &page));
    const bool same =
        count == 1 && page->type == type && page->row_count == request->height && page->column_count == request->width;
    SinoStatus status = same ? sino_tiff_file_read(file, page, &box, type, stored)
                             : sino_error(SINO_BAD_INPUT, "%s: not one page of the volume's size and type", path);
    free(page);
    return status;
}

SinoStatus sino_volume_tiff_read(const SinoVolumeRequest *request, int64_t slice, void *stored)
{
    SinoTiffFile *file = NULL;
    char *path = slice_path(request, slice);
    SINO_CHECK(path, SINO_FAILED, "no memory for a file name");
    SinoStatus status = sino_tiff_file_open(path, &file);
    if (!status) status = read_page(request, path, file, stored);
    sino_tiff_file_close(file);
    free(path);
    return status;
}

SinoStatus sino_volume_tiff_write(const SinoVolumeRequest *request, int64_t slice, const void *stored)
{
    char *path = slice_path(request, slice), *text = sino_imagej_text(request, 1);
    const SinoTiffImage image = {.height = request->height,
                                 .width = request->width,
                                 .type = request->codes.type,
                                 .pixels = stored,
                                 .description = text,
                                 .deflate = request->deflate,
                                 .pixel_um = {request->voxel_um[0], request->voxel_um[1]}};
    SinoStatus status = path && text ? sino_tiff_image_save(path, request->overwrite || request->resume, &image)
                                     : sino_error(SINO_FAILED, "no memory for a file name");
    free(path);
    free(text);
    return status;
}
