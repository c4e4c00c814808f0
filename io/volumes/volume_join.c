/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume, join: several processes write one volume. */
#include "volume_private.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

static size_t token_bytes(const SinoVolume *volume)
{
    return (size_t)sino_smaller(SINO_TOKEN_BYTES, sino_volume_slice_bytes(volume));
}

SinoStatus sino_volume_places(SinoVolume *volume, int64_t *place)
{
    place[volume->request.slice_count] = volume->token;
    if (volume->flat.file) return sino_volume_flat_stamp(&volume->flat, volume->token);
    if (!volume->hdf5.output) return NULL;
    SINO_TRY(sino_volume_hdf5_places(&volume->hdf5, volume->request.slice_count, place));
    volume->token_place = place[0];
    return sino_hdf5_output_stamp(volume->hdf5.output, place[0], &volume->token, token_bytes(volume), volume->beneath);
}

SinoStatus sino_volume_all_joined(SinoVolume *volume)
{
    if (volume->flat.file) return sino_volume_flat_stamp(&volume->flat, 0);
    if (!volume->hdf5.output) return NULL;
    return sino_hdf5_output_stamp(volume->hdf5.output, volume->token_place, volume->beneath, token_bytes(volume), NULL);
}

/* Opens the opener's HDF5 file. */
static SinoStatus join_hdf5(const int64_t *place, SinoVolume *volume)
{
    const int64_t slices = volume->request.slice_count;
    char found[SINO_TOKEN_BYTES];
    SINO_TRY(sino_allocate(slices, sizeof *place, "places", &volume->place));
    memcpy(volume->place, place, (size_t)slices * sizeof *place);
    SINO_TRY(sino_output_join(volume->hdf5_path, &volume->joined));
    const bool read = sino_output_read(volume->joined, place[0], found, token_bytes(volume));
    SINO_CHECK(read && memcmp(found, &place[slices], token_bytes(volume)) == 0, SINO_BAD_INPUT,
               "%s.partial is another file on this rank than on rank 0; allowed: a folder that all ranks share",
               volume->hdf5_path);
    return NULL;
}

static SinoStatus join_stack(int64_t token, SinoVolume *volume)
{
    char *head = NULL;
    int64_t used;
    SINO_TRY(sino_tiff_head_new(&volume->request, &head, &used));
    free(head);
    return sino_volume_flat_join(&volume->request, volume->stack_path, used, token, &volume->flat);
}

SinoStatus sino_volume_join(const SinoVolumeRequest *request, const int64_t *place, SinoVolume **joined)
{
    SinoVolume *volume;
    SINO_TRY(sino_allocate(1, sizeof *volume, "a volume's writer", &volume));
    SinoStatus status = NULL;
    SINO_TRY_OR(status, end, sino_volume_begin(request, volume));
    if (volume->tiff_directory)
        SINO_TRY_OR(status, end, sino_volume_marker_check(&volume->request, place[request->slice_count]));
    if (volume->hdf5_path) SINO_TRY_OR(status, end, join_hdf5(place, volume));
    if (volume->zarr_path)
        SINO_TRY_OR(status, end,
                    sino_volume_flat_join(&volume->request, volume->slices_path, 0, place[request->slice_count],
                                          &volume->flat));
    if (volume->stack_path) SINO_TRY_OR(status, end, join_stack(place[request->slice_count], volume));
    *joined = volume;
    return NULL;
end:
    sino_volume_abandon(volume);
    return status;
}

void sino_volume_tell_done(const SinoVolume *volume, int64_t *marks)
{
    const int64_t count = volume->request.slice_count;
    for (int64_t i = 0; i < count; i++) {
        marks[i] = volume->tiff_done[i];
        marks[count + i] = volume->done[i];
    }
    sino_volume_clipped(volume, 0, count, marks + 2 * count);
}

void sino_volume_take_done(SinoVolume *volume, const int64_t *marks)
{
    const int64_t count = volume->request.slice_count;
    for (int64_t i = 0; i < count; i++) {
        if (marks[i] > 0) sino_mark(&volume->tiff_done[i]);
        if (marks[count + i] > 0) sino_mark(&volume->done[i]);
    }
    sino_volume_mark_clipped(volume, 0, count, marks + 2 * count);
}
