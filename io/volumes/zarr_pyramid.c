/* SPDX-License-Identifier: BSD-3-Clause */
/* Zarr pyramid: shards, and means. */
#include "volume_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "memory.h"

enum { ZSTD_LEVEL = 1 };

static int64_t voxel_bytes(const SinoZarrPyramid *pyramid)
{
    return sino_codes_bytes(pyramid->request->codes.type);
}

static SinoZarrLevel new_level(const int64_t size[3], int64_t first_byte)
{
    SinoZarrLevel level = {.first_byte = first_byte};
    for (int i = 0; i < 3; i++) {
        level.size[i] = size[i];
        level.chunk[i] = sino_smaller(size[i], SINO_ZARR_CHUNK);
        /* A shard is one chunk deep, so that it needs few slices. */
        level.shard[i] =
            i == 0 ? level.chunk[i] : sino_smaller(sino_ceil_multiple(size[i], level.chunk[i]), SINO_ZARR_SHARD);
    }
    return level;
}

static int64_t largest_side(const SinoZarrLevel *level)
{
    return sino_larger(level->size[0], sino_larger(level->size[1], level->size[2]));
}

SinoZarrPyramid sino_zarr_pyramid(const SinoVolumeRequest *request, const SinoVolumeFlat *flat, const char *folder)
{
    SinoZarrPyramid pyramid = {.request = request, .flat = flat, .folder = folder, .level_count = 1};
    const int64_t size[] = {request->slice_count, request->height, request->width};
    pyramid.level[0] = new_level(size, flat->head_bytes);
    while (largest_side(&pyramid.level[pyramid.level_count - 1]) > SINO_ZARR_SMALLEST) {
        const SinoZarrLevel *finer = &pyramid.level[pyramid.level_count - 1];
        const int64_t half[] = {sino_ceil_divide(finer->size[0], 2), sino_ceil_divide(finer->size[1], 2),
                                sino_ceil_divide(finer->size[2], 2)};
        const int64_t pixels = sino_times(finer->size[1], finer->size[2]);
        const int64_t bytes = sino_times(sino_times(pixels, finer->size[0]), voxel_bytes(&pyramid));
        pyramid.level[pyramid.level_count++] = new_level(half, finer->first_byte + bytes);
    }
    return pyramid;
}

int64_t sino_zarr_shard_count(const SinoZarrLevel *level, int64_t count[3])
{
    for (int i = 0; i < 3; i++) count[i] = sino_ceil_divide(level->size[i], level->shard[i]);
    return sino_times(sino_times(count[0], count[1]), count[2]);
}

/* Reads `count` voxels of a row of a level. */
static bool read_row(const SinoZarrPyramid *pyramid, const SinoZarrLevel *level, const int64_t place[3], int64_t count,
                     void *to)
{
    const int64_t voxel = (place[0] * level->size[1] + place[1]) * level->size[2] + place[2];
    const int64_t bytes = voxel_bytes(pyramid);
    return sino_output_read(pyramid->flat->file, level->first_byte + sino_times(voxel, bytes), to,
                            (size_t)sino_times(count, bytes));
}

/* A shard that is being written. */
typedef struct Shard {
    const SinoZarrPyramid *pyramid;
    const SinoZarrLevel *level;
    SinoOutputFile *file;
    int64_t begin[3];          /* its first voxel */
    int64_t across[3], chunks; /* of the shard, along each axis and in all */
    int64_t chunk_bytes, end;  /* of the file so far */
    uint64_t *index;           /* [chunks][2]; owned */
    char *voxels, *packed;     /* a chunk, and its compressed bytes; owned */
    size_t packed_room;
    ZSTD_CCtx *context; /* NULL: chunks are not compressed */
} Shard;

/* Reads a chunk; what is outside of the volume is 0. */
static bool read_chunk(Shard *shard, const int64_t begin[3])
{
    const SinoZarrLevel *level = shard->level;
    const int64_t bytes = voxel_bytes(shard->pyramid);
    const int64_t columns = sino_smaller(level->chunk[2], level->size[2] - begin[2]);
    memset(shard->voxels, 0, (size_t)shard->chunk_bytes);
    for (int64_t z = 0; z < level->chunk[0] && begin[0] + z < level->size[0]; z++) {
        for (int64_t y = 0; y < level->chunk[1] && begin[1] + y < level->size[1]; y++) {
            const int64_t place[] = {begin[0] + z, begin[1] + y, begin[2]};
            char *to = shard->voxels + (z * level->chunk[1] + y) * level->chunk[2] * bytes;
            if (!read_row(shard->pyramid, level, place, columns, to)) return false;
        }
    }
    return true;
}

static bool is_zero(const char *bytes, int64_t count)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, (size_t)count - 1) == 0;
}

/* Appends bytes, and their checksum. */
static SinoStatus append(Shard *shard, const void *bytes, int64_t count)
{
    uint8_t sum[SINO_CRC32C_BYTES];
    sino_crc32c_store(sino_crc32c(bytes, count), sum);
    sino_output_write(shard->file, shard->end, bytes, (size_t)count);
    sino_output_write(shard->file, shard->end + count, sum, sizeof sum);
    shard->end += count + (int64_t)sizeof sum;
    return sino_output_status(shard->file);
}

static SinoStatus write_chunk(Shard *shard, int64_t number, const int64_t begin[3])
{
    const char *from = shard->voxels;
    size_t count = (size_t)shard->chunk_bytes;
    uint64_t *entry = &shard->index[2 * number];
    entry[0] = entry[1] = UINT64_MAX;
    for (int i = 0; i < 3; i++)
        if (begin[i] >= shard->level->size[i]) return NULL;
    SINO_CHECK(read_chunk(shard, begin), SINO_FAILED, "%s: reading voxels back failed", shard->pyramid->flat->path);
    if (is_zero(shard->voxels, shard->chunk_bytes)) return NULL;
    if (shard->context) {
        count = ZSTD_compressCCtx(shard->context, shard->packed, shard->packed_room, from, count, ZSTD_LEVEL);
        SINO_CHECK(!ZSTD_isError(count), SINO_FAILED, "compressing voxels failed: %s", ZSTD_getErrorName(count));
        from = shard->packed;
    }
    entry[0] = (uint64_t)shard->end;
    entry[1] = count + SINO_CRC32C_BYTES;
    return append(shard, from, (int64_t)count);
}

static SinoStatus write_chunks(Shard *shard)
{
    for (int64_t c = 0; c < shard->chunks; c++) {
        const int64_t place[] = {c / shard->across[2] / shard->across[1], c / shard->across[2] % shard->across[1],
                                 c % shard->across[2]};
        int64_t begin[3];
        for (int i = 0; i < 3; i++) begin[i] = shard->begin[i] + place[i] * shard->level->chunk[i];
        SINO_TRY(write_chunk(shard, c, begin));
    }
    return append(shard, shard->index, sino_times(shard->chunks, 2 * sizeof *shard->index));
}

static SinoStatus allocate(Shard *shard)
{
    SINO_TRY(sino_allocate(sino_times(2, shard->chunks), sizeof *shard->index, "the index of a shard", &shard->index));
    SINO_TRY(sino_allocate(shard->chunk_bytes, 1, "a chunk", &shard->voxels));
    if (!shard->pyramid->request->zstd) return NULL;
    shard->packed_room = ZSTD_compressBound((size_t)shard->chunk_bytes);
    SINO_TRY(sino_allocate((int64_t)shard->packed_room, 1, "a compressed chunk", &shard->packed));
    shard->context = ZSTD_createCCtx();
    SINO_CHECK(shard->context, SINO_FAILED, "no memory for compressing");
    return NULL;
}

/* Opens the file of a shard: FOLDER/LEVEL/c/Z/Y/X. */
static SinoStatus open_file(const Shard *shard, int64_t level, SinoOutputFile **file)
{
    char *path;
    SINO_CHECK(asprintf(&path, "%s/%" PRId64 "/c/%" PRId64 "/%" PRId64 "/%" PRId64, shard->pyramid->folder, level,
                        shard->begin[0] / shard->level->shard[0], shard->begin[1] / shard->level->shard[1],
                        shard->begin[2] / shard->level->shard[2]) >= 0,
               SINO_FAILED, "no memory for a file name");
    SinoStatus status = sino_output_open(path, true, file);
    free(path);
    return status;
}

SinoStatus sino_zarr_write_shard(const SinoZarrPyramid *pyramid, int64_t level, int64_t number)
{
    const SinoZarrLevel *of = &pyramid->level[level];
    Shard shard = {.pyramid = pyramid, .level = of, .chunks = 1, .chunk_bytes = voxel_bytes(pyramid)};
    int64_t count[3];
    SinoStatus status = NULL;
    (void)sino_zarr_shard_count(of, count);
    const int64_t place[] = {number / count[2] / count[1], number / count[2] % count[1], number % count[2]};
    for (int i = 0; i < 3; i++) {
        shard.begin[i] = place[i] * of->shard[i];
        shard.across[i] = of->shard[i] / of->chunk[i];
        shard.chunks = sino_times(shard.chunks, shard.across[i]);
        shard.chunk_bytes = sino_times(shard.chunk_bytes, of->chunk[i]);
    }
    SINO_TRY_OR(status, end, allocate(&shard));
    SINO_TRY_OR(status, end, open_file(&shard, level, &shard.file));
    status = write_chunks(&shard);
    if (status)
        sino_output_discard(shard.file);
    else
        status = sino_output_seal(shard.file);
end:
    free(shard.index);
    free(shard.voxels);
    free(shard.packed);
    ZSTD_freeCCtx(shard.context);
    return status;
}

/* Two slices of a level, and one of the next. */
typedef struct Shrink {
    SinoOutputType type;
    const void *from;
    void *to;
    int64_t slices, height, width; /* of `from`: one or two slices */
} Shrink;

static double value_of(const Shrink *of, int64_t i)
{
    if (of->type == SINO_OUTPUT_FLOAT32) return (double)((const float *)of->from)[i];
    return of->type == SINO_OUTPUT_UINT16 ? ((const uint16_t *)of->from)[i] : ((const uint8_t *)of->from)[i];
}

static void put_value(const Shrink *of, int64_t i, double mean)
{
    if (of->type == SINO_OUTPUT_FLOAT32)
        ((float *)of->to)[i] = (float)mean;
    else if (of->type == SINO_OUTPUT_UINT16)
        ((uint16_t *)of->to)[i] = (uint16_t)(mean + 0.5);
    else
        ((uint8_t *)of->to)[i] = (uint8_t)(mean + 0.5);
}

static double mean_of(const Shrink *of, int64_t y, int64_t x)
{
    double sum = 0;
    int count = 0;
    for (int64_t z = 0; z < of->slices; z++)
        for (int64_t v = y; v < y + 2 && v < of->height; v++)
            for (int64_t u = x; u < x + 2 && u < of->width; u++) {
                const double value = value_of(of, (z * of->height + v) * of->width + u);
                if (isnan(value)) continue;
                sum += value;
                count++;
            }
    return count > 0 ? sum / count : NAN;
}

static void shrink(const Shrink *of)
{
    int64_t i = 0;
    for (int64_t y = 0; y < of->height; y += 2)
        for (int64_t x = 0; x < of->width; x += 2) put_value(of, i++, mean_of(of, y, x));
}

SinoStatus sino_zarr_shrink(const SinoZarrPyramid *pyramid, int64_t level, int64_t slice)
{
    const SinoZarrLevel *finer = &pyramid->level[level], *coarser = finer + 1;
    const int64_t begin[] = {2 * slice, 0, 0}, pixels = sino_times(finer->size[1], finer->size[2]);
    const int64_t pixel_count = sino_times(coarser->size[1], coarser->size[2]), bytes = voxel_bytes(pyramid);
    Shrink of = {.type = pyramid->request->codes.type,
                 .slices = sino_smaller(2, finer->size[0] - 2 * slice),
                 .height = finer->size[1],
                 .width = finer->size[2]};
    char *from = NULL, *to = NULL;
    SinoStatus status = NULL;
    SINO_TRY_OR(status, end, sino_allocate(sino_times(sino_times(of.slices, pixels), bytes), 1, "two slices", &from));
    SINO_TRY_OR(status, end, sino_allocate(sino_times(pixel_count, bytes), 1, "a slice", &to));
    SINO_CHECK_OR(status, end, read_row(pyramid, finer, begin, sino_times(of.slices, pixels), from), SINO_FAILED,
                  "%s: reading voxels back failed", pyramid->flat->path);
    of.from = from;
    of.to = to;
    shrink(&of);
    const int64_t slice_bytes = sino_times(pixel_count, bytes);
    sino_output_write(pyramid->flat->file, coarser->first_byte + sino_times(slice, slice_bytes), to,
                      (size_t)slice_bytes);
    status = sino_output_status(pyramid->flat->file);
end:
    free(from);
    free(to);
    return status;
}
