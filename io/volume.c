/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume: writes the requested formats, HDF5, TIFF or both, and records which slices are complete. */
#include "volume.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "arithmetic.h"
#include "ending.h"
#include "memory.h"
#include "output_file.h"
#include "volume_hdf5.h"
#include "volume_tiff.h"

/* Bytes of the token in an HDF5 file, no more than the smallest slice has. */
enum { TOKEN_BYTES = sizeof(float) };

struct SinoVolume {
    SinoVolumeRequest request; /* its texts are owned below */
    char *hdf5_path, *tiff_directory, *units;
    SinoVolumeHdf5 hdf5;    /* output NULL: no HDF5, or a joined volume */
    SinoOutputFile *joined; /* HDF5 file that another process has opened; NULL: none */
    int64_t *place;         /* offsets of the slices in the joined file; owned */
    bool directory_made;
    SinoVolumeMarker *marker;  /* of the TIFF slices; NULL: none, or a joined volume */
    int64_t token;             /* a number of this run */
    int64_t token_place;       /* where it is in the HDF5 file */
    char beneath[TOKEN_BYTES]; /* the bytes of the first slice that it covers */
    int64_t removed;           /* slices of an unfinished run that were removed */
    bool *tiff_done, *done;    /* per slice: complete as TIFF; written in every format. The last act reads them, too */
    SinoLastAct last;          /* tells what is safe */
};

static void set(bool *done)
{
    __atomic_store_n(done, true, __ATOMIC_RELEASE);
}

static bool is_set(const bool *done)
{
    return __atomic_load_n(done, __ATOMIC_ACQUIRE);
}

static SinoStatus check_request(const SinoVolumeRequest *request)
{
    int64_t values, bytes;
    assert(request->hdf5_path || request->tiff_directory);
    SINO_CHECK(request->slice_count >= 1 && request->height >= 1 && request->width >= 1, SINO_BAD_INPUT,
               "a volume of %" PRId64 " × %" PRId64 " × %" PRId64 " voxels; allowed: 1 or more of each",
               request->slice_count, request->height, request->width);
    assert(request->set_count <= 1 || request->slice_count % request->set_count == 0);
    SINO_TRY(sino_multiply(request->height, request->width, "a slice", &values));
    SINO_TRY(sino_multiply(values, request->slice_count, "a volume", &values));
    return sino_multiply(values, (int64_t)sizeof(float), "bytes of a volume", &bytes);
}

SinoStatus sino_volume_check(const SinoVolumeRequest *request)
{
    SINO_TRY(check_request(request));
    if (request->hdf5_path) SINO_TRY(sino_output_check(request->hdf5_path, request->overwrite));
    return request->tiff_directory ? sino_volume_tiff_check(request) : NULL;
}

static SinoStatus copy_text(const char *text, char **copy)
{
    *copy = text ? strdup(text) : NULL;
    SINO_CHECK(!text || *copy, SINO_FAILED, "no memory for a file name");
    return NULL;
}

static SinoStatus copy_request(const SinoVolumeRequest *request, SinoVolume *volume)
{
    SINO_TRY(copy_text(request->hdf5_path, &volume->hdf5_path));
    SINO_TRY(copy_text(request->tiff_directory, &volume->tiff_directory));
    SINO_TRY(copy_text(request->units, &volume->units));
    volume->request = *request;
    volume->request.hdf5_path = volume->hdf5_path;
    volume->request.tiff_directory = volume->tiff_directory;
    volume->request.units = volume->units;
    SINO_TRY(sino_allocate(request->slice_count, sizeof *volume->done, "a volume's slices", &volume->done));
    return sino_allocate(request->slice_count, sizeof *volume->tiff_done, "a volume's slices", &volume->tiff_done);
}

/* Prints rows as "rows 4 to 9, row 12"; returns their number. */
static int64_t print_rows(FILE *out, const SinoVolume *volume)
{
    const SinoVolumeRequest *request = &volume->request;
    int64_t rows = 0, last;
    for (int64_t i = 0; i < request->slice_count; i = last + 1) {
        last = i;
        if (!is_set(&volume->tiff_done[i])) continue;
        while (last + 1 < request->slice_count && is_set(&volume->tiff_done[last + 1])) last++;
        const int64_t from = request->first_row + i * request->row_step;
        fprintf(out, "%srow%s %" PRId64, rows > 0 ? ", " : "", last > i ? "s" : "", from);
        if (last > i) fprintf(out, " to %" PRId64, request->first_row + last * request->row_step);
        if (last > i && request->row_step != 1) fprintf(out, " in steps of %" PRId64, request->row_step);
        rows += last - i + 1;
    }
    return rows;
}

static void print_safe(FILE *out, const SinoVolume *volume)
{
    if (volume->tiff_directory) {
        const int64_t rows = print_rows(out, volume);
        const char *verb = rows == 0 ? "no row is" : rows == 1 ? " is" : " are";
        fprintf(out, "%s complete as TIFF in %s", verb, volume->tiff_directory);
    }
    if (volume->tiff_directory && volume->hdf5_path) fputs("; ", out);
    if (volume->hdf5_path) fprintf(out, "%s was not written", volume->hdf5_path);
}

/* Removes the folder if this run made it and it is empty, and the marker unless it marks slices. */
static void close_folder(SinoVolume *volume)
{
    int64_t done = 0;
    /* A volume whose opening failed may have no marks. */
    for (int64_t i = 0; volume->tiff_done && i < volume->request.slice_count; i++)
        done += is_set(&volume->tiff_done[i]);
    sino_volume_marker_close(volume->marker, done > 0 && done < volume->request.slice_count);
    volume->marker = NULL;
    /* rmdir succeeds only if the directory is empty */
    if (volume->tiff_directory && volume->directory_made) rmdir(volume->tiff_directory);
}

/* The last act. Other processes may have written slices as well, so the disk is asked for all of them. */
static void end_early(void *of, FILE *clause)
{
    SinoVolume *volume = of;
    for (int64_t i = 0; volume->marker && i < volume->request.slice_count; i++)
        if (sino_volume_tiff_is_done(&volume->request, volume->marker, i)) set(&volume->tiff_done[i]);
    print_safe(clause, volume);
    close_folder(volume);
}

/* A number that no other run has. */
static int64_t new_token(void)
{
    uint64_t token;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (getrandom(&token, sizeof token, GRND_NONBLOCK) != (ssize_t)sizeof token)
        token = ((uint64_t)now.tv_nsec << 32) ^ (uint64_t)now.tv_sec ^ ((uint64_t)getpid() << 16);
    return (int64_t)(token >> 1);
}

SinoStatus sino_volume_open(const SinoVolumeRequest *request, SinoVolume **opened)
{
    SinoVolume *volume;
    SINO_TRY(check_request(request));
    SINO_TRY(sino_allocate(1, sizeof *volume, "a volume's writer", &volume));
    SinoStatus status = NULL;
    SINO_TRY_OR(status, end, copy_request(request, volume));
    volume->token = new_token();
    if (volume->tiff_directory) {
        SINO_TRY_OR(status, end,
                    sino_volume_tiff_open(&volume->request, volume->token, &volume->directory_made, &volume->marker,
                                          &volume->removed));
    }
    if (volume->hdf5_path) SINO_TRY_OR(status, end, sino_volume_hdf5_open(&volume->request, &volume->hdf5));
    volume->last = (SinoLastAct){.act = end_early, .of = volume};
    sino_ending_add(&volume->last);
    *opened = volume;
    return NULL;
end:
    request->resume ? sino_volume_keep(volume) : sino_volume_abandon(volume);
    return status;
}

int64_t sino_volume_removed(const SinoVolume *volume)
{
    return volume->removed;
}

SinoStatus sino_volume_places(SinoVolume *volume, int64_t *place)
{
    place[volume->request.slice_count] = volume->token;
    if (!volume->hdf5.output) return NULL;
    SINO_TRY(sino_volume_hdf5_places(&volume->hdf5, volume->request.slice_count, place));
    volume->token_place = place[0];
    return sino_hdf5_output_stamp(volume->hdf5.output, place[0], &volume->token, TOKEN_BYTES, volume->beneath);
}

SinoStatus sino_volume_all_joined(SinoVolume *volume)
{
    if (!volume->hdf5.output) return NULL;
    return sino_hdf5_output_stamp(volume->hdf5.output, volume->token_place, volume->beneath, TOKEN_BYTES, NULL);
}

/* Opens the opener's HDF5 file. */
static SinoStatus join_hdf5(const int64_t *place, SinoVolume *volume)
{
    const int64_t slices = volume->request.slice_count;
    char found[TOKEN_BYTES];
    SINO_TRY(sino_allocate(slices, sizeof *place, "places", &volume->place));
    memcpy(volume->place, place, (size_t)slices * sizeof *place);
    SINO_TRY(sino_output_join(volume->hdf5_path, &volume->joined));
    const bool read = sino_output_read(volume->joined, place[0], found, TOKEN_BYTES);
    SINO_CHECK(read && memcmp(found, &place[slices], TOKEN_BYTES) == 0, SINO_BAD_INPUT,
               "%s.partial is another file on this rank than on rank 0; allowed: a folder that all ranks share",
               volume->hdf5_path);
    return NULL;
}

SinoStatus sino_volume_join(const SinoVolumeRequest *request, const int64_t *place, SinoVolume **joined)
{
    SinoVolume *volume;
    SINO_TRY(sino_allocate(1, sizeof *volume, "a volume's writer", &volume));
    SinoStatus status = NULL;
    SINO_TRY_OR(status, end, copy_request(request, volume));
    if (volume->tiff_directory)
        SINO_TRY_OR(status, end, sino_volume_marker_check(&volume->request, place[request->slice_count]));
    if (volume->hdf5_path) SINO_TRY_OR(status, end, join_hdf5(place, volume));
    *joined = volume;
    return NULL;
end:
    sino_volume_abandon(volume);
    return status;
}

void sino_volume_tell_done(const SinoVolume *volume, int64_t *done)
{
    const int64_t count = volume->request.slice_count;
    for (int64_t i = 0; i < count; i++) {
        done[i] = volume->tiff_done[i];
        done[count + i] = volume->done[i];
    }
}

void sino_volume_take_done(SinoVolume *volume, const int64_t *done)
{
    const int64_t count = volume->request.slice_count;
    for (int64_t i = 0; i < count; i++) {
        if (done[i] > 0) set(&volume->tiff_done[i]);
        if (done[count + i] > 0) set(&volume->done[i]);
    }
}

static SinoStatus write_joined(SinoVolume *volume, int64_t first, int64_t count, const float *slices)
{
    const int64_t values = volume->request.height * volume->request.width;
    for (int64_t i = 0; i < count; i++)
        sino_output_write(volume->joined, volume->place[first + i], slices + i * values,
                          (size_t)values * sizeof *slices);
    return sino_output_status(volume->joined);
}

SinoStatus sino_volume_write(SinoVolume *volume, int64_t first, int64_t count, const float *slices)
{
    const SinoVolumeRequest *request = &volume->request;
    assert(first >= 0 && count >= 1 && first + count <= request->slice_count);
    for (int64_t i = 0; volume->tiff_directory && i < count; i++) {
        SINO_TRY(sino_volume_tiff_write(request, first + i, slices + i * request->height * request->width));
        set(&volume->tiff_done[first + i]);
    }
    if (volume->hdf5.output) SINO_TRY(sino_volume_hdf5_write(&volume->hdf5, first, count, slices));
    if (volume->joined) SINO_TRY(write_joined(volume, first, count, slices));
    for (int64_t i = first; i < first + count; i++) set(&volume->done[i]);
    return NULL;
}

/* Reads slices of the HDF5 file, or of the joined one. */
static SinoStatus read_hdf5(SinoVolume *volume, int64_t first, int64_t count, float *slices)
{
    const int64_t values = sino_times(volume->request.height, volume->request.width);
    if (volume->hdf5.output) return sino_volume_hdf5_read(&volume->hdf5, first, count, slices);
    for (int64_t i = 0; i < count; i++)
        SINO_CHECK(sino_output_read(volume->joined, volume->place[first + i], slices + i * values,
                                    (size_t)values * sizeof *slices),
                   SINO_FAILED, "%s: reading values back failed", volume->hdf5_path);
    return NULL;
}

/* *equal: the TIFF files have the voxels of `slices`, or, without HDF5, can be read into `slices`. */
static SinoStatus compare_tiff(const SinoVolume *volume, int64_t first, int64_t count, float *slices, bool *equal)
{
    const int64_t values = sino_times(volume->request.height, volume->request.width);
    const size_t bytes = (size_t)values * sizeof(float);
    float *found;
    SINO_TRY(sino_allocate(values, sizeof *found, "a slice", &found));
    for (int64_t i = 0; i < count && *equal; i++) {
        SinoStatus status = sino_volume_tiff_read(&volume->request, first + i, found);
        *equal = !status && (!volume->hdf5_path || memcmp(found, slices + i * values, bytes) == 0);
        if (*equal) memcpy(slices + i * values, found, bytes);
        sino_status_free(status);
    }
    free(found);
    return NULL;
}

SinoStatus sino_volume_read_back(SinoVolume *volume, int64_t first, int64_t count, float *slices, bool *equal)
{
    assert(first >= 0 && count >= 1 && first + count <= volume->request.slice_count);
    *equal = true;
    if (volume->hdf5_path) {
        SinoStatus status = read_hdf5(volume, first, count, slices);
        *equal = !status;
        sino_status_free(status);
    }
    return volume->tiff_directory ? compare_tiff(volume, first, count, slices, equal) : NULL;
}

void sino_volume_mark_done(SinoVolume *volume, int64_t first, int64_t count)
{
    for (int64_t i = first; i < first + count; i++) {
        set(&volume->done[i]);
        if (volume->tiff_directory) set(&volume->tiff_done[i]);
    }
}

bool sino_volume_is_done(const SinoVolume *volume, int64_t first, int64_t count)
{
    for (int64_t i = first; i < first + count; i++)
        if (!is_set(&volume->done[i])) return false;
    return true;
}

/* "/process/NAME"; NULL without memory. Caller frees. */
static char *process_path(const char *name)
{
    char *path;
    return asprintf(&path, "/process/%s", name) < 0 ? NULL : path;
}

SinoStatus sino_volume_process_text(SinoVolume *volume, const char *name, const char *value)
{
    if (!volume->hdf5.output) return NULL;
    char *path = process_path(name);
    SINO_CHECK(path, SINO_FAILED, "no memory for a name");
    SinoStatus status = sino_hdf5_output_text(volume->hdf5.output, path, value);
    free(path);
    return status;
}

static SinoStatus write_numbers(SinoVolume *volume, const char *name, SinoHdf5Shape *shape, hid_t memory_type,
                                const void *values, const char *description)
{
    if (!volume->hdf5.output) return NULL;
    char *path = process_path(name);
    SINO_CHECK(path, SINO_FAILED, "no memory for a name");
    shape->name = path;
    SinoStatus status = sino_hdf5_output_values(volume->hdf5.output, shape, memory_type, values, description);
    free(path);
    return status;
}

SinoStatus sino_volume_process_doubles(SinoVolume *volume, const char *name, int64_t rows, int64_t columns,
                                       const double *values, const char *description)
{
    const hsize_t size[] = {(hsize_t)rows, (hsize_t)columns};
    SinoHdf5Shape shape = {.file_type = H5T_IEEE_F64LE, .rank = columns > 0 ? 2 : rows > 0 ? 1 : 0, .size = size};
    return write_numbers(volume, name, &shape, H5T_NATIVE_DOUBLE, values, description);
}

SinoStatus sino_volume_process_integers(SinoVolume *volume, const char *name, int64_t count, const int64_t *values,
                                        const char *description)
{
    const hsize_t size = (hsize_t)count;
    SinoHdf5Shape shape = {.file_type = H5T_STD_I64LE, .rank = count > 0 ? 1 : 0, .size = &size};
    return write_numbers(volume, name, &shape, H5T_NATIVE_INT64, values, description);
}

static void release(SinoVolume *volume)
{
    free(volume->hdf5_path);
    free(volume->tiff_directory);
    free(volume->units);
    free(volume->place);
    free(volume->done);
    free(volume->tiff_done);
    free(volume);
}

static SinoStatus check_done(const SinoVolume *volume)
{
    for (int64_t i = 0; i < volume->request.slice_count; i++) {
        SINO_CHECK(volume->done[i], SINO_FAILED,
                   "%s: slice %" PRId64 " was never written; allowed: all %" PRId64 " slices",
                   volume->hdf5_path ? volume->hdf5_path : volume->tiff_directory, i, volume->request.slice_count);
    }
    return NULL;
}

SinoStatus sino_volume_finish(SinoVolume *volume)
{
    SinoStatus status = NULL;
    if (volume->joined) {
        status = sino_output_leave(volume->joined);
        release(volume);
        return status;
    }
    status = check_done(volume);
    if (status) {
        sino_volume_abandon(volume);
        return status;
    }
    sino_ending_remove(&volume->last);
    close_folder(volume);
    if (volume->hdf5.output) status = sino_hdf5_output_seal(volume->hdf5.output);
    release(volume);
    return status;
}

void sino_volume_abandon(SinoVolume *volume)
{
    if (!volume) return;
    sino_ending_remove(&volume->last);
    sino_hdf5_output_discard(volume->hdf5.output);
    if (volume->joined) sino_status_free(sino_output_leave(volume->joined)); /* its opener discards the file */
    close_folder(volume);
    release(volume);
}

void sino_volume_stay(SinoVolume *volume)
{
    if (volume->hdf5.output) sino_hdf5_output_stay(volume->hdf5.output);
}

void sino_volume_keep(SinoVolume *volume)
{
    if (!volume) return;
    sino_ending_remove(&volume->last);
    sino_hdf5_output_keep(volume->hdf5.output);
    if (volume->joined) sino_status_free(sino_output_leave(volume->joined));
    sino_volume_marker_close(volume->marker, true);
    release(volume);
}

char *sino_volume_safe(const SinoVolume *volume)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    print_safe(out, volume);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}
