/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume, packing: slices are compressed before they are written, by several threads.
 *
 * A chunk of HDF5 is what its filters would make of the slice: shuffle, the k-th bytes of all voxels together, then
 * deflate (RFC 1950), which is left out where it saves nothing. H5Dwrite_chunk then only copies it to the file. A TIFF
 * slice is a file of its own, and is written at once. */
#include "volume_private.h"

#include "memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

bool sino_volume_packs(const SinoVolume *volume)
{
    return volume->request.deflate && (volume->tiff_directory || volume->packed);
}

int64_t sino_volume_packed_bytes(int64_t slices, int64_t threads, int64_t slice_bytes)
{
    /* Of a thread: the slice as it is stored, shuffled, and compressed, with the state of zlib. */
    enum { COPIES = 3, ZLIB_BYTES = 512 << 10 };
    const int64_t work = sino_times(threads, COPIES * slice_bytes + slice_bytes / 512 + ZLIB_BYTES);
    return sino_times(slices, slice_bytes) + work;
}

static void shuffle(int64_t count, int64_t size, const unsigned char *from, unsigned char *to)
{
    for (int64_t k = 0; k < size; k++)
        for (int64_t i = 0; i < count; i++) to[k * count + i] = from[i * size + k];
}

/* Compresses bytes into chunk->bytes, which the caller frees; as they are if that is not shorter. */
static SinoStatus deflate_bytes(int64_t count, const unsigned char *bytes, SinoPackedSlice *chunk)
{
    uLongf length = compressBound((uLong)count);
    unsigned char *packed;
    SINO_TRY(sino_allocate((int64_t)length, 1, "a compressed slice", &packed));
    chunk->deflated =
        compress2(packed, &length, bytes, (uLong)count, SINO_DEFLATE_LEVEL) == Z_OK && (int64_t)length < count;
    if (!chunk->deflated) {
        memcpy(packed, bytes, (size_t)count);
        length = (uLongf)count;
    }
    unsigned char *shorter = realloc(packed, length > 0 ? length : 1);
    chunk->bytes = shorter ? shorter : packed;
    chunk->count = (int64_t)length;
    return NULL;
}

static SinoStatus pack_chunk(SinoVolume *volume, int64_t slice, const void *stored)
{
    const int64_t bytes = sino_volume_slice_bytes(volume), size = sino_codes_bytes(volume->request.codes.type);
    unsigned char *shuffled;
    SINO_TRY(sino_allocate(bytes, 1, "a slice", &shuffled));
    shuffle(bytes / size, size, stored, shuffled);
    SinoStatus status = deflate_bytes(bytes, shuffled, &volume->packed[slice]);
    free(shuffled);
    return status;
}

static SinoStatus pack_stored(SinoVolume *volume, int64_t slice, const void *stored)
{
    if (volume->tiff_directory) {
        SINO_TRY(sino_volume_tiff_write(&volume->request, slice, stored));
        sino_mark(&volume->tiff_done[slice]);
    }
    return volume->packed ? pack_chunk(volume, slice, stored) : NULL;
}

SinoStatus sino_volume_pack(SinoVolume *volume, int64_t slice, const float *values)
{
    const SinoVolumeRequest *request = &volume->request;
    void *codes;
    assert(sino_volume_packs(volume) && slice >= 0 && slice < request->slice_count);
    if (request->codes.type == SINO_OUTPUT_FLOAT32) return pack_stored(volume, slice, values);
    SINO_TRY(sino_allocate(sino_volume_slice_bytes(volume), 1, "a slice", &codes));
    sino_codes_encode(&request->codes, sino_times(request->height, request->width), values, codes);
    SinoStatus status = pack_stored(volume, slice, codes);
    free(codes);
    return status;
}

static bool is_packed(const SinoVolume *volume, int64_t slice)
{
    return volume->packed ? volume->packed[slice].bytes != NULL : sino_is_marked(&volume->tiff_done[slice]);
}

SinoStatus sino_volume_write_packed(SinoVolume *volume, int64_t first, int64_t count, const float *slices)
{
    const int64_t values = sino_times(volume->request.height, volume->request.width);
    for (int64_t i = first; i < first + count; i++) {
        if (!is_packed(volume, i)) SINO_TRY(sino_volume_pack(volume, i, slices + (i - first) * values));
        if (volume->packed) {
            SINO_TRY(sino_volume_hdf5_write_packed(&volume->hdf5, i, &volume->packed[i]));
            free(volume->packed[i].bytes);
            volume->packed[i] = (SinoPackedSlice){0};
        }
        sino_mark(&volume->done[i]);
    }
    return NULL;
}

void sino_volume_free_packed(SinoVolume *volume)
{
    for (int64_t i = 0; volume->packed && i < volume->request.slice_count; i++) free(volume->packed[i].bytes);
    free(volume->packed);
}
