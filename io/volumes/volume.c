/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume: writes the requested formats, HDF5, TIFF or both, and records which slices are complete. */
#include "volume_private.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "memory.h"

static SinoStatus check_request(const SinoVolumeRequest *request)
{
    int64_t values, bytes;
    assert(request->hdf5_path || request->tiff_directory || request->stack_path || request->zarr_path ||
           request->memory);
    SINO_CHECK(request->slice_count >= 1 && request->height >= 1 && request->width >= 1, SINO_BAD_INPUT,
               "a volume of %" PRId64 " × %" PRId64 " × %" PRId64 " voxels; allowed: 1 or more of each",
               request->slice_count, request->height, request->width);
    assert(request->set_count <= 1 || request->slice_count % request->set_count == 0);
    SINO_TRY(sino_multiply(request->height, request->width, "a slice", &values));
    SINO_TRY(sino_multiply(values, request->slice_count, "a volume", &values));
    return sino_multiply(values, (int64_t)sizeof(float), "bytes of a volume", &bytes);
}

static SinoStatus check_zarr(const SinoVolumeRequest *request)
{
    char *path;
    SINO_TRY(sino_zarr_folder_check(request->zarr_path, request->overwrite));
    SINO_CHECK(request->set_count <= 1, SINO_BAD_INPUT,
               "a volume of %" PRId64 " sets; allowed in Zarr: 1; in HDF5 and TIFF any number", request->set_count);
    SINO_CHECK(asprintf(&path, "%s.slices", request->zarr_path) >= 0, SINO_FAILED, "no memory for a file name");
    SinoStatus status = sino_output_check(path, true);
    free(path);
    return status;
}

SinoStatus sino_volume_check(const SinoVolumeRequest *request)
{
    SINO_TRY(check_request(request));
    if (request->hdf5_path) SINO_TRY(sino_output_check(request->hdf5_path, request->overwrite));
    if (request->stack_path) SINO_TRY(sino_output_check(request->stack_path, request->overwrite));
    if (request->zarr_path) SINO_TRY(check_zarr(request));
    return request->tiff_directory ? sino_volume_tiff_check(request) : NULL;
}

static SinoStatus copy_text(const char *text, char **copy)
{
    *copy = text ? strdup(text) : NULL;
    SINO_CHECK(!text || *copy, SINO_FAILED, "no memory for a file name");
    return NULL;
}

SinoStatus sino_volume_begin(const SinoVolumeRequest *request, SinoVolume *volume)
{
    SINO_TRY(copy_text(request->hdf5_path, &volume->hdf5_path));
    SINO_TRY(copy_text(request->tiff_directory, &volume->tiff_directory));
    SINO_TRY(copy_text(request->stack_path, &volume->stack_path));
    SINO_TRY(copy_text(request->zarr_path, &volume->zarr_path));
    SINO_TRY(copy_text(request->units, &volume->units));
    volume->request = *request;
    volume->request.hdf5_path = volume->hdf5_path;
    volume->request.tiff_directory = volume->tiff_directory;
    volume->request.stack_path = volume->stack_path;
    volume->request.zarr_path = volume->zarr_path;
    volume->request.units = volume->units;
    SINO_TRY(sino_volume_zarr_names(volume));
    SINO_TRY(sino_allocate(sino_times(SINO_CLIPPED, request->slice_count), sizeof *volume->clipped, "a volume's slices",
                           &volume->clipped));
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
        if (!sino_is_marked(&volume->tiff_done[i])) continue;
        while (last + 1 < request->slice_count && sino_is_marked(&volume->tiff_done[last + 1])) last++;
        const int64_t from = request->first_row + i * request->row_step;
        fprintf(out, "%srow%s %" PRId64, rows > 0 ? ", " : "", last > i ? "s" : "", from);
        if (last > i) fprintf(out, " to %" PRId64, request->first_row + last * request->row_step);
        if (last > i && request->row_step != 1) fprintf(out, " in steps of %" PRId64, request->row_step);
        rows += last - i + 1;
    }
    return rows;
}

/* What error messages call the volume. */
static const char *name_of(const SinoVolume *volume)
{
    return volume->hdf5_path    ? volume->hdf5_path
           : volume->stack_path ? volume->stack_path
           : volume->zarr_path  ? volume->zarr_path
           : volume->memory     ? "the volume"
                                : volume->tiff_directory;
}

static void print_safe(FILE *out, const SinoVolume *volume)
{
    if (volume->request.memory) return; /* nothing is on disk */
    if (volume->tiff_directory) {
        const int64_t rows = print_rows(out, volume);
        const char *verb = rows == 0 ? "no row is" : rows == 1 ? " is" : " are";
        fprintf(out, "%s complete as TIFF in %s", verb, volume->tiff_directory);
    }
    if (volume->tiff_directory && volume->hdf5_path) fputs("; ", out);
    if (!volume->tiff_directory || volume->hdf5_path) fprintf(out, "%s was not written", name_of(volume));
}

/* Removes the folder if this run made it and it is empty, and the marker unless it marks slices. */
static void close_folder(SinoVolume *volume)
{
    int64_t done = 0;
    /* A volume whose opening failed may have no marks. */
    for (int64_t i = 0; volume->tiff_done && i < volume->request.slice_count; i++)
        done += sino_is_marked(&volume->tiff_done[i]);
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
        if (sino_volume_tiff_is_done(&volume->request, volume->marker, i)) sino_mark(&volume->tiff_done[i]);
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

static SinoStatus open_stack(SinoVolume *volume)
{
    char *head = NULL;
    int64_t used;
    SINO_TRY(sino_tiff_head_new(&volume->request, &head, &used));
    SinoStatus status = sino_volume_flat_open(&volume->request, volume->stack_path, head, used, &volume->flat);
    free(head);
    return status;
}

static SinoStatus open_slices(SinoVolume *volume)
{
    SinoVolumeRequest request = volume->request;
    SINO_TRY(check_zarr(&request));
    request.overwrite = true;
    volume->attribute_file = open_memstream(&volume->attributes, &volume->attribute_bytes);
    SINO_CHECK(volume->attribute_file, SINO_FAILED, "no memory for metadata");
    return sino_volume_flat_open(&request, volume->slices_path, NULL, 0, &volume->flat);
}

static SinoStatus open_memory(SinoVolume *volume)
{
    const SinoVolumeRequest *request = &volume->request;
    const SinoMemoryVolume *memory = request->memory;
    volume->memory = memory->allocate(memory->of, request->slice_count, request->height, request->width);
    SINO_CHECK(volume->memory, SINO_FAILED,
               "there is no memory for a volume of %" PRId64 " x %" PRId64 " x %" PRId64 " voxels",
               request->slice_count, request->height, request->width);
    return NULL;
}

SinoStatus sino_volume_open(const SinoVolumeRequest *request, SinoVolume **opened)
{
    SinoVolume *volume;
    SINO_TRY(check_request(request));
    SINO_TRY(sino_codes_check(&request->codes));
    SINO_TRY(sino_allocate(1, sizeof *volume, "a volume's writer", &volume));
    SinoStatus status = NULL;
    SINO_TRY_OR(status, end, sino_volume_begin(request, volume));
    volume->token = new_token();
    if (volume->tiff_directory) {
        SINO_TRY_OR(status, end,
                    sino_volume_tiff_open(&volume->request, volume->token, &volume->directory_made, &volume->marker,
                                          &volume->removed));
    }
    if (request->memory) SINO_TRY_OR(status, end, open_memory(volume));
    if (volume->stack_path) SINO_TRY_OR(status, end, open_stack(volume));
    if (volume->zarr_path) SINO_TRY_OR(status, end, open_slices(volume));
    if (volume->hdf5_path) SINO_TRY_OR(status, end, sino_volume_hdf5_open(&volume->request, &volume->hdf5));
    if (volume->hdf5_path && request->deflate && sino_volume_hdf5_takes_packed(&volume->hdf5)) {
        SINO_TRY_OR(status, end,
                    sino_allocate(request->slice_count, sizeof *volume->packed, "packed slices", &volume->packed));
    }
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

static SinoStatus write_joined(SinoVolume *volume, int64_t first, int64_t count, const char *slices)
{
    const int64_t bytes = sino_volume_slice_bytes(volume);
    for (int64_t i = 0; i < count; i++)
        sino_output_write(volume->joined, volume->place[first + i], slices + i * bytes, (size_t)bytes);
    return sino_output_status(volume->joined);
}

/* Writes slices as they are in the files. */
static SinoStatus write_stored(SinoVolume *volume, int64_t first, int64_t count, const void *slices)
{
    const SinoVolumeRequest *request = &volume->request;
    const int64_t bytes = sino_volume_slice_bytes(volume);
    for (int64_t i = 0; volume->tiff_directory && i < count; i++) {
        SINO_TRY(sino_volume_tiff_write(request, first + i, (const char *)slices + i * bytes));
        sino_mark(&volume->tiff_done[first + i]);
    }
    if (volume->memory)
        memcpy((char *)volume->memory + sino_times(first, bytes), slices, (size_t)sino_times(count, bytes));
    if (volume->hdf5.output) SINO_TRY(sino_volume_hdf5_write(&volume->hdf5, first, count, slices));
    if (volume->joined) SINO_TRY(write_joined(volume, first, count, slices));
    if (volume->flat.file) SINO_TRY(sino_volume_flat_write(&volume->flat, first, count, slices));
    for (int64_t i = first; i < first + count; i++) sino_mark(&volume->done[i]);
    return NULL;
}

SinoStatus sino_volume_write(SinoVolume *volume, int64_t first, int64_t count, const float *slices)
{
    const SinoVolumeRequest *request = &volume->request;
    const int64_t values = sino_times(request->height, request->width);
    void *codes;
    SinoStatus status = NULL;
    assert(first >= 0 && count >= 1 && first + count <= request->slice_count);
    if (sino_volume_packs(volume)) return sino_volume_write_packed(volume, first, count, slices);
    if (request->codes.type == SINO_OUTPUT_FLOAT32) return write_stored(volume, first, count, slices);
    SINO_TRY(sino_allocate(values, (size_t)sino_codes_bytes(request->codes.type), "a slice", &codes));
    for (int64_t i = 0; i < count && !status; i++) {
        sino_codes_encode(&request->codes, values, slices + i * values, codes);
        status = write_stored(volume, first + i, 1, codes);
    }
    free(codes);
    return status;
}

bool sino_volume_rounds(const SinoVolume *volume)
{
    return volume->request.codes.type != SINO_OUTPUT_FLOAT32;
}

void sino_volume_round(SinoVolume *volume, int64_t first, int64_t count, float *slices)
{
    const SinoVolumeRequest *request = &volume->request;
    const int64_t values = sino_times(request->height, request->width);
    for (int64_t i = 0; i < count; i++) {
        int64_t clipped[SINO_CLIPPED] = {0};
        sino_codes_round(&request->codes, values, slices + i * values, clipped);
        for (int c = 0; c < SINO_CLIPPED; c++) volume->clipped[c * request->slice_count + first + i] = clipped[c];
    }
}

void sino_volume_clipped(const SinoVolume *volume, int64_t first, int64_t count, int64_t *clipped)
{
    for (int c = 0; c < SINO_CLIPPED; c++)
        for (int64_t i = 0; i < count; i++) *clipped++ = volume->clipped[c * volume->request.slice_count + first + i];
}

void sino_volume_mark_clipped(SinoVolume *volume, int64_t first, int64_t count, const int64_t *clipped)
{
    for (int c = 0; c < SINO_CLIPPED; c++)
        for (int64_t i = 0; i < count; i++) volume->clipped[c * volume->request.slice_count + first + i] = *clipped++;
}

/* Reads a slice of the file of all slices, as it is stored. */
static SinoStatus read_file(SinoVolume *volume, int64_t slice, void *stored)
{
    const int64_t bytes = sino_volume_slice_bytes(volume);
    if (volume->flat.file) return sino_volume_flat_read(&volume->flat, slice, stored);
    if (volume->hdf5.output) return sino_volume_hdf5_read(&volume->hdf5, slice, 1, stored);
    SINO_CHECK(sino_output_read(volume->joined, volume->place[slice], stored, (size_t)bytes), SINO_FAILED,
               "%s: reading values back failed", volume->hdf5_path);
    return NULL;
}

/* Reads a slice into stored[2][bytes]. *equal: it can be read, and every format has the same. */
static void read_slice(SinoVolume *volume, int64_t slice, char *stored, bool *equal)
{
    const size_t bytes = (size_t)sino_volume_slice_bytes(volume);
    const bool file = volume->hdf5_path || volume->stack_path || volume->zarr_path;
    char *of_tiff = file ? stored + bytes : stored;
    SinoStatus status = file ? read_file(volume, slice, stored) : NULL;
    if (!status && volume->tiff_directory) status = sino_volume_tiff_read(&volume->request, slice, of_tiff);
    *equal = !status && (of_tiff == stored || !volume->tiff_directory || memcmp(stored, of_tiff, bytes) == 0);
    sino_status_free(status);
}

SinoStatus sino_volume_read_back(SinoVolume *volume, int64_t first, int64_t count, float *slices, bool *equal)
{
    const SinoVolumeRequest *request = &volume->request;
    const int64_t values = sino_times(request->height, request->width);
    char *stored;
    assert(first >= 0 && count >= 1 && first + count <= request->slice_count);
    SINO_TRY(sino_allocate(sino_times(2, sino_volume_slice_bytes(volume)), 1, "two slices", &stored));
    *equal = true;
    for (int64_t i = 0; i < count && *equal; i++) {
        float *to = slices + i * values;
        read_slice(volume, first + i, stored, equal);
        if (request->codes.type == SINO_OUTPUT_FLOAT32)
            memcpy(to, stored, (size_t)sino_volume_slice_bytes(volume));
        else
            sino_codes_decode(&request->codes, values, stored, to);
    }
    free(stored);
    return NULL;
}

void sino_volume_mark_done(SinoVolume *volume, int64_t first, int64_t count)
{
    for (int64_t i = first; i < first + count; i++) {
        sino_mark(&volume->done[i]);
        if (volume->tiff_directory) sino_mark(&volume->tiff_done[i]);
    }
}

bool sino_volume_is_done(const SinoVolume *volume, int64_t first, int64_t count)
{
    for (int64_t i = first; i < first + count; i++)
        if (!sino_is_marked(&volume->done[i])) return false;
    return true;
}

static void release(SinoVolume *volume)
{
    free(volume->hdf5_path);
    free(volume->tiff_directory);
    free(volume->stack_path);
    free(volume->zarr_path);
    free(volume->slices_path);
    free(volume->partial_path);
    if (volume->attribute_file) (void)fclose(volume->attribute_file);
    free(volume->attributes);
    free(volume->units);
    free(volume->place);
    free(volume->clipped);
    sino_volume_free_packed(volume);
    free(volume->done);
    free(volume->tiff_done);
    free(volume);
}

static SinoStatus check_done(const SinoVolume *volume)
{
    for (int64_t i = 0; i < volume->request.slice_count; i++) {
        SINO_CHECK(volume->done[i], SINO_FAILED,
                   "%s: slice %" PRId64 " was never written; allowed: all %" PRId64 " slices", name_of(volume), i,
                   volume->request.slice_count);
    }
    return NULL;
}

/* The slices have become shards. */
static SinoStatus finish_zarr(SinoVolume *volume)
{
    SinoStatus status = sino_zarr_folder_seal(volume->partial_path, volume->zarr_path, volume->request.overwrite);
    if (status)
        sino_output_give_up(volume->flat.file);
    else
        sino_output_discard(volume->flat.file);
    return status;
}

SinoStatus sino_volume_finish(SinoVolume *volume)
{
    SinoStatus status = NULL;
    if (volume->joined || volume->flat.joined) {
        status = sino_output_leave(volume->joined ? volume->joined : volume->flat.file);
        release(volume);
        return status;
    }
    status = check_done(volume);
    if (!status && volume->zarr_path && !volume->has_levels) status = sino_volume_make_levels(volume);
    if (status) {
        sino_volume_abandon(volume);
        return status;
    }
    sino_ending_remove(&volume->last);
    close_folder(volume);
    if (volume->hdf5.output) status = sino_hdf5_output_seal(volume->hdf5.output);
    if (volume->stack_path) status = sino_output_seal(volume->flat.file);
    if (volume->zarr_path) status = finish_zarr(volume);
    release(volume);
    return status;
}

/* Leaves files of which another process is the opener, which discards or keeps them. */
static void leave(SinoVolume *volume)
{
    if (volume->joined) sino_status_free(sino_output_leave(volume->joined));
    if (volume->flat.joined && volume->flat.file) sino_status_free(sino_output_leave(volume->flat.file));
}

void sino_volume_abandon(SinoVolume *volume)
{
    if (!volume) return;
    sino_ending_remove(&volume->last);
    sino_hdf5_output_discard(volume->hdf5.output);
    if (!volume->flat.joined) sino_output_discard(volume->flat.file);
    if (volume->zarr_path && volume->flat.file && !volume->flat.joined) sino_zarr_folder_remove(volume->partial_path);
    leave(volume);
    close_folder(volume);
    release(volume);
}

void sino_volume_stay(SinoVolume *volume)
{
    if (volume->hdf5.output) sino_hdf5_output_stay(volume->hdf5.output);
    if (volume->flat.file && !volume->flat.joined) sino_output_stay(volume->flat.file);
}

void sino_volume_keep(SinoVolume *volume)
{
    if (!volume) return;
    sino_ending_remove(&volume->last);
    sino_hdf5_output_keep(volume->hdf5.output);
    if (volume->zarr_path && volume->flat.file && !volume->flat.joined) sino_zarr_folder_remove(volume->partial_path);
    if (!volume->flat.joined) sino_output_keep(volume->flat.file);
    leave(volume);
    sino_volume_marker_close(volume->marker, true);
    release(volume);
}

char *sino_volume_safe(const SinoVolume *volume)
{
    char *text = NULL;
    size_t size = 0;
    if (volume->request.memory) return NULL;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    print_safe(out, volume);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}
