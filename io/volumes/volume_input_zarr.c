/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume input from OME-Zarr: array 0 of a folder, Zarr v3, in shards as sinodag writes them (volume_private.h). The
 * slices of a layer of chunks are decoded together, and stay in memory as stored. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>
#include <zstd.h>

#include "files.h"
#include "memory.h"
#include "numbers.h"
#include "paths.h"
#include "volume_input_source.h"
#include "volume_private.h"

/* Largest side of a volume, largest chunk, and most chunks of a shard. */
static const int64_t side_max = (int64_t)1 << 31, chunk_bytes_max = (int64_t)1 << 26, chunks_max = (int64_t)1 << 20;

typedef struct ZarrVolume {
    const char *folder; /* not owned */
    SinoVoxelCodes codes;
    int64_t size[3], chunk[3], shard[3]; /* voxels along z, y and x */
    int64_t across[3], chunks;           /* of a shard, along each axis and in all */
    int64_t chunk_bytes, item_bytes;
    bool zstd, summed;    /* chunks are compressed; a checksum follows each */
    int64_t layer;        /* of chunks along z, in `voxels`; −1: none */
    char *voxels;         /* [chunk[0]][size[1]][size[2]]; NULL: not needed yet; owned */
    char *piece, *packed; /* a chunk, and its stored bytes; owned */
    int64_t packed_room;
    uint64_t *index; /* [chunks][2], then a CRC; owned */
} ZarrVolume;

static bool probe(const char *given, const char *path)
{
    char *metadata = NULL;
    (void)path;
    if (sino_path_kind(given) != SINO_PATH_FOLDER || asprintf(&metadata, "%s/zarr.json", given) < 0) return false;
    const bool found = sino_path_kind(metadata) == SINO_PATH_FILE;
    free(metadata);
    return found;
}

static SinoStatus load_json(const char *folder, const char *name, json_t **json)
{
    char *path = NULL;
    json_error_t error;
    SINO_CHECK(asprintf(&path, "%s/%szarr.json", folder, name) >= 0, SINO_FAILED, "no memory for a file name");
    SinoStatus status = sino_regular_check(path);
    if (!status && !(*json = json_load_file(path, 0, &error)))
        status = sino_error(SINO_BAD_INPUT, "%s is no JSON: line %d: %s", path, error.line, error.text);
    free(path);
    return status;
}

static bool take_sizes(const json_t *list, int64_t size[3])
{
    if (json_array_size(list) != 3) return false;
    for (size_t i = 0; i < 3; i++) {
        const json_t *value = json_array_get(list, i);
        size[i] = json_is_integer(value) ? (int64_t)json_integer_value(value) : 0;
        if (size[i] < 1 || size[i] > side_max) return false;
    }
    return true;
}

static bool is_text(const json_t *object, const char *name, const char *text)
{
    const char *value = json_string_value(json_object_get(object, name));
    return value && strcmp(value, text) == 0;
}

/* The codec that stores numbers in the byte order of this machine. */
static bool is_native(const json_t *codec)
{
    const uint16_t one = 1;
    return is_text(codec, "name", "bytes") &&
           is_text(json_object_get(codec, "configuration"), "endian", *(const char *)&one ? "little" : "big");
}

static bool take_type(const json_t *root, SinoVolumeInput *input, ZarrVolume *volume)
{
    static const char *const name[] = {"float32", "uint16", "uint8"};
    for (int i = 0; i < 3; i++) {
        if (!is_text(root, "data_type", name[i])) continue;
        volume->codes.type = (SinoOutputType)i;
        volume->item_bytes = sino_codes_bytes(volume->codes.type);
        snprintf(input->stored_type, sizeof input->stored_type, "%s", name[i]);
        return true;
    }
    return false;
}

/* What the array is stored by; false: not as sinodag stores it. */
static bool take_codecs(const json_t *root, ZarrVolume *volume)
{
    const json_t *codecs = json_object_get(root, "codecs"), *sharding = json_array_get(codecs, 0);
    const json_t *configuration = json_object_get(sharding, "configuration");
    const json_t *inner = json_object_get(configuration, "codecs");
    const json_t *index = json_object_get(configuration, "index_codecs");
    const json_t *key = json_object_get(root, "chunk_key_encoding");
    volume->zstd = is_text(json_array_get(inner, 1), "name", "zstd");
    volume->summed = is_text(json_array_get(inner, volume->zstd ? 2 : 1), "name", "crc32c");
    return json_array_size(codecs) == 1 && is_text(sharding, "name", "sharding_indexed") &&
           take_sizes(json_object_get(configuration, "chunk_shape"), volume->chunk) &&
           json_array_size(inner) == (size_t)1 + volume->zstd + volume->summed && is_native(json_array_get(inner, 0)) &&
           json_array_size(index) == 2 && is_native(json_array_get(index, 0)) &&
           is_text(json_array_get(index, 1), "name", "crc32c") && is_text(configuration, "index_location", "end") &&
           is_text(key, "name", "default") && is_text(json_object_get(key, "configuration"), "separator", "/") &&
           json_number_value(json_object_get(root, "fill_value")) == 0;
}

static bool take_array(const json_t *root, SinoVolumeInput *input, ZarrVolume *volume)
{
    const json_t *grid = json_object_get(json_object_get(root, "chunk_grid"), "configuration");
    if (json_integer_value(json_object_get(root, "zarr_format")) != 3 || !is_text(root, "node_type", "array") ||
        !take_type(root, input, volume) || !take_sizes(json_object_get(root, "shape"), volume->size) ||
        !take_sizes(json_object_get(grid, "chunk_shape"), volume->shard) || !take_codecs(root, volume))
        return false;
    volume->chunks = 1;
    volume->chunk_bytes = volume->item_bytes;
    for (int i = 0; i < 3; i++) {
        if (volume->shard[i] % volume->chunk[i] != 0) return false;
        volume->across[i] = volume->shard[i] / volume->chunk[i];
        volume->chunks = sino_times(volume->chunks, volume->across[i]);
        volume->chunk_bytes = sino_times(volume->chunk_bytes, volume->chunk[i]);
    }
    return volume->chunk_bytes <= chunk_bytes_max && volume->chunks <= chunks_max;
}

static void take_scale(const json_t *group, SinoVolumeInputInfo *info)
{
    const json_t *own = json_object_get(json_object_get(group, "attributes"), "sinodag");
    const json_t *scale = json_object_get(own, "scale_factor"), *offset = json_object_get(own, "add_offset");
    info->scaled = json_is_number(scale) || json_is_number(offset);
    if (json_is_number(scale)) info->scale = json_number_value(scale);
    if (json_is_number(offset)) info->offset = json_number_value(offset);
}

static SinoStatus new_buffers(ZarrVolume *volume)
{
    volume->layer = -1;
    volume->packed_room = (int64_t)ZSTD_compressBound((size_t)volume->chunk_bytes) + SINO_CRC32C_BYTES;
    SINO_TRY(sino_allocate(volume->chunk_bytes + SINO_CRC32C_BYTES, 1, "a chunk", &volume->piece));
    SINO_TRY(sino_allocate(volume->packed_room, 1, "a chunk", &volume->packed));
    return sino_allocate(2 * volume->chunks + 1, sizeof *volume->index, "chunks", &volume->index);
}

static SinoStatus open_folder(SinoVolumeInput *input)
{
    ZarrVolume *volume = NULL;
    json_t *group = NULL, *array = NULL;
    SINO_TRY(sino_allocate(1, sizeof *volume, "a volume's folder", &volume));
    input->file = volume;
    input->info.kind = "OME-Zarr";
    volume->folder = input->given;
    SinoStatus status = load_json(input->given, "", &group);
    if (!status) status = load_json(input->given, "0/", &array);
    if (!status && !take_array(array, input, volume))
        status =
            sino_error(SINO_BAD_INPUT,
                       "%s/0 is not stored as sinodag stores volumes; allowed: Zarr v3, float32, uint16 or uint8 in "
                       "shards, with or without zstd",
                       input->given);
    if (!status) take_scale(group, &input->info);
    json_decref(group);
    json_decref(array);
    if (status) return status;
    input->info.slice_count = volume->size[0];
    input->info.height = volume->size[1];
    input->info.width = volume->size[2];
    return new_buffers(volume);
}

/* A shard that is being read. */
typedef struct Shard {
    const char *path;
    int descriptor;
    int64_t bytes;
    int64_t begin[3]; /* its first voxel */
} Shard;

/* Whether the checksum of `count` bytes follows them. */
static bool is_whole(const void *bytes, int64_t count)
{
    uint8_t sum[SINO_CRC32C_BYTES];
    sino_crc32c_store(sino_crc32c(bytes, count), sum);
    return memcmp((const char *)bytes + count, sum, sizeof sum) == 0;
}

static SinoStatus read_index(const Shard *shard, ZarrVolume *volume)
{
    const int64_t bytes = sino_times(volume->chunks, 16), stored = bytes + SINO_CRC32C_BYTES;
    SINO_CHECK(shard->bytes >= stored, SINO_BAD_INPUT,
               "%s is cut: it has %" PRId64 " bytes, and its index alone %" PRId64, shard->path, shard->bytes, stored);
    SINO_TRY(sino_regular_read(shard->path, shard->descriptor, shard->bytes - stored, stored, volume->index));
    SINO_CHECK(is_whole(volume->index, bytes), SINO_BAD_INPUT, "%s is damaged: its index has another checksum",
               shard->path);
    return NULL;
}

/* Decodes chunk number `number` to volume->piece. */
static SinoStatus read_chunk(const Shard *shard, ZarrVolume *volume, int64_t number)
{
    const uint64_t offset = volume->index[2 * number], count = volume->index[2 * number + 1];
    const int64_t sum = volume->summed ? SINO_CRC32C_BYTES : 0;
    const uint64_t room = (uint64_t)(volume->zstd ? volume->packed_room : volume->chunk_bytes + sum);
    char *to = volume->zstd ? volume->packed : volume->piece;
    if (offset == UINT64_MAX && count == UINT64_MAX) {
        memset(volume->piece, 0, (size_t)volume->chunk_bytes);
        return NULL;
    }
    const bool fits = count <= room && count >= (uint64_t)sum && (volume->zstd || count == room) &&
                      offset <= (uint64_t)shard->bytes && count <= (uint64_t)shard->bytes - offset;
    SINO_CHECK(fits, SINO_BAD_INPUT, "%s is damaged: chunk %" PRId64 " has %" PRIu64 " bytes at %" PRIu64, shard->path,
               number, count, offset);
    SINO_TRY(sino_regular_read(shard->path, shard->descriptor, (int64_t)offset, (int64_t)count, to));
    SINO_CHECK(!volume->summed || is_whole(to, (int64_t)count - sum), SINO_BAD_INPUT,
               "%s is damaged: chunk %" PRId64 " has another checksum", shard->path, number);
    if (!volume->zstd) return NULL;
    const size_t got =
        ZSTD_decompress(volume->piece, (size_t)volume->chunk_bytes, volume->packed, (size_t)count - (size_t)sum);
    SINO_CHECK(got == (size_t)volume->chunk_bytes, SINO_BAD_INPUT, "%s is damaged: chunk %" PRId64 " is no zstd",
               shard->path, number);
    return NULL;
}

/* Copies the part of the chunk that lies in the volume to its slices. */
static void place_chunk(const ZarrVolume *volume, const int64_t begin[3])
{
    const int64_t bytes = volume->item_bytes, columns = sino_smaller(volume->chunk[2], volume->size[2] - begin[2]);
    const int64_t rows = sino_smaller(volume->chunk[1], volume->size[1] - begin[1]);
    for (int64_t z = 0; z < volume->chunk[0] && columns > 0; z++)
        for (int64_t y = 0; y < rows; y++) {
            const int64_t from = (z * volume->chunk[1] + y) * volume->chunk[2];
            const int64_t to = (z * volume->size[1] + begin[1] + y) * volume->size[2] + begin[2];
            memcpy(volume->voxels + sino_times(to, bytes), volume->piece + sino_times(from, bytes),
                   (size_t)sino_times(columns, bytes));
        }
}

/* Reads the chunks of a shard that belong to the layer. */
static SinoStatus read_shard(const Shard *shard, ZarrVolume *volume, int64_t layer)
{
    const int64_t plane = volume->across[1] * volume->across[2], first = layer % volume->across[0] * plane;
    SINO_TRY(read_index(shard, volume));
    for (int64_t i = 0; i < plane; i++) {
        const int64_t begin[] = {0, shard->begin[1] + i / volume->across[2] * volume->chunk[1],
                                 shard->begin[2] + i % volume->across[2] * volume->chunk[2]};
        if (begin[1] >= volume->size[1] || begin[2] >= volume->size[2]) continue;
        SINO_TRY(read_chunk(shard, volume, first + i));
        place_chunk(volume, begin);
    }
    return NULL;
}

/* The shard that begins at row y and column x; one that is not there is zero. */
static SinoStatus open_shard(ZarrVolume *volume, int64_t layer, int64_t y, int64_t x)
{
    char *path = NULL;
    Shard shard = {.begin = {0, y, x}};
    SINO_CHECK(asprintf(&path, "%s/0/c/%" PRId64 "/%" PRId64 "/%" PRId64, volume->folder, layer / volume->across[0],
                        y / volume->shard[1], x / volume->shard[2]) >= 0,
               SINO_FAILED, "no memory for a file name");
    SinoStatus status = NULL;
    if (sino_path_kind(path) != SINO_PATH_ABSENT) {
        shard.path = path;
        status = sino_regular_open(path, &shard.descriptor, &shard.bytes);
        if (!status) {
            status = read_shard(&shard, volume, layer);
            close(shard.descriptor);
        }
    }
    free(path);
    return status;
}

static SinoStatus read_layer(ZarrVolume *volume, int64_t layer)
{
    const int64_t slice = sino_times(sino_times(volume->size[1], volume->size[2]), volume->item_bytes);
    const int64_t bytes = sino_times(volume->chunk[0], slice);
    volume->layer = -1;
    if (!volume->voxels) SINO_TRY(sino_allocate(bytes, 1, "slices of chunks", &volume->voxels));
    memset(volume->voxels, 0, (size_t)bytes);
    for (int64_t y = 0; y < volume->size[1]; y += volume->shard[1])
        for (int64_t x = 0; x < volume->size[2]; x += volume->shard[2]) SINO_TRY(open_shard(volume, layer, y, x));
    volume->layer = layer;
    return NULL;
}

static SinoStatus read_slice(const SinoVolumeInput *input, int64_t slice, float *values)
{
    ZarrVolume *volume = input->file;
    const int64_t count = sino_times(volume->size[1], volume->size[2]), layer = slice / volume->chunk[0];
    if (layer != volume->layer) SINO_TRY(read_layer(volume, layer));
    const char *from = volume->voxels + sino_times(sino_times(slice % volume->chunk[0], count), volume->item_bytes);
    if (volume->codes.type == SINO_OUTPUT_FLOAT32) memcpy(values, from, (size_t)count * sizeof *values);
    for (int64_t i = 0; i < count && volume->codes.type == SINO_OUTPUT_UINT16; i++)
        values[i] = (float)((const uint16_t *)(const void *)from)[i];
    for (int64_t i = 0; i < count && volume->codes.type == SINO_OUTPUT_UINT8; i++)
        values[i] = (float)((const uint8_t *)from)[i];
    return NULL;
}

static void close_folder(void *file)
{
    ZarrVolume *volume = file;
    free(volume->voxels);
    free(volume->piece);
    free(volume->packed);
    free(volume->index);
    free(volume);
}

const SinoVolumeFormat sino_volume_of_zarr = {
    .name = "OME-Zarr", .probe = probe, .open = open_folder, .read = read_slice, .close = close_folder};
