/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume in a flat file. */
#include "volume_private.h"

#include "arithmetic.h"

int64_t sino_flat_head_bytes(int64_t used)
{
    return sino_ceil_multiple(used + SINO_FLAT_TOKEN, SINO_FLAT_ALIGNMENT);
}

static SinoVolumeFlat shape_of(const SinoVolumeRequest *request, const char *path, int64_t used)
{
    const int64_t voxels = sino_times(request->height, request->width);
    return (SinoVolumeFlat){.path = path,
                            .head_bytes = sino_flat_head_bytes(used),
                            .slice_bytes = sino_times(voxels, sino_codes_bytes(request->codes.type))};
}

/* Where a slice begins. */
static int64_t place_of(const SinoVolumeFlat *flat, int64_t slice)
{
    return flat->head_bytes + sino_times(slice, flat->slice_bytes);
}

SinoStatus sino_volume_flat_open(const SinoVolumeRequest *request, const char *path, const void *head, int64_t used,
                                 SinoVolumeFlat *flat)
{
    SinoVolumeFlat opened = shape_of(request, path, used);
    SINO_TRY(request->resume ? sino_output_reopen(path, request->overwrite, &opened.file)
                             : sino_output_open(path, request->overwrite, &opened.file));
    if (used > 0) sino_output_write(opened.file, 0, head, (size_t)used);
    SinoStatus status = sino_output_status(opened.file);
    if (!status) status = sino_output_reserve(opened.file, place_of(&opened, request->slice_count));
    if (status)
        request->resume ? sino_output_keep(opened.file) : sino_output_discard(opened.file);
    else
        *flat = opened;
    return status;
}

SinoStatus sino_volume_flat_join(const SinoVolumeRequest *request, const char *path, int64_t used, int64_t token,
                                 SinoVolumeFlat *flat)
{
    int64_t found = 0;
    *flat = shape_of(request, path, used);
    flat->joined = true;
    SINO_TRY(sino_output_join(path, &flat->file));
    const bool read = sino_output_read(flat->file, flat->head_bytes - SINO_FLAT_TOKEN, &found, sizeof found);
    SINO_CHECK(read && found == token, SINO_BAD_INPUT,
               "%s.partial is another file on this rank than on rank 0; allowed: a folder that all ranks share", path);
    return NULL;
}

SinoStatus sino_volume_flat_stamp(SinoVolumeFlat *flat, int64_t token)
{
    sino_output_write(flat->file, flat->head_bytes - SINO_FLAT_TOKEN, &token, sizeof token);
    sino_output_sync(flat->file);
    return sino_output_status(flat->file);
}

SinoStatus sino_volume_flat_write(SinoVolumeFlat *flat, int64_t first, int64_t count, const void *slices)
{
    sino_output_write(flat->file, place_of(flat, first), slices, (size_t)sino_times(count, flat->slice_bytes));
    return sino_output_status(flat->file);
}

SinoStatus sino_volume_flat_read(const SinoVolumeFlat *flat, int64_t slice, void *stored)
{
    SINO_CHECK(sino_output_read(flat->file, place_of(flat, slice), stored, (size_t)flat->slice_bytes), SINO_FAILED,
               "%s: reading values back failed", flat->path);
    return NULL;
}
