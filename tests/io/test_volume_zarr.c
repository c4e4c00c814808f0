/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume as Zarr: shards are read back by the format's own rules, levels are means, names appear when all is there. */
#include "testing.h"
#include "volume.h"
#include "volume_private.h"

#include <math.h>
#include <sys/stat.h>

#include <jansson.h>
#include <zstd.h>

enum { SLICES = 70, HEIGHT = 600, WIDTH = 131, SLICE = HEIGHT * WIDTH, VOXELS = SLICES * SLICE };

typedef struct Case {
    char path[TESTING_PATH];
    uint16_t *codes; /* [SLICES][HEIGHT][WIDTH] */
    SinoVolumeRequest request;
} Case;

static Case new_case(const char *directory, bool zstd)
{
    Case the = {.codes = malloc(VOXELS * sizeof *the.codes),
                .request = {.slice_count = SLICES,
                            .height = HEIGHT,
                            .width = WIDTH,
                            .row_step = 1,
                            .units = "1/cm",
                            .zstd = zstd,
                            .voxel_um = {2, 2, 3},
                            .codes = {SINO_OUTPUT_UINT16, {0, 65535}}}};
    assert_non_null(the.codes);
    for (int i = 0; i < VOXELS; i++) the.codes[i] = (uint16_t)(i / SLICE < 64 ? (i * 31 + i / 997) % 65536 : 0);
    testing_path(the.path, directory, "out.zarr");
    return the;
}

static void write_slices(SinoVolume *volume, const Case *the, int first, int count)
{
    float *slice = malloc(SLICE * sizeof *slice);
    assert_non_null(slice);
    for (int s = first; s < first + count; s++) {
        for (int i = 0; i < SLICE; i++) slice[i] = the->codes[s * SLICE + i];
        assert_success(sino_volume_write(volume, s, 1, slice));
    }
    free(slice);
}

static void make_levels(SinoVolume *volume)
{
    const int64_t levels = sino_volume_level_count(volume);
    assert_int_equal(levels, 3); /* 600, 300, 150 */
    assert_success(sino_volume_process_text(volume, "algorithm", "cg"));
    assert_success(sino_volume_process_doubles(volume, "residuals", 2, 2, (const double[]){1, 2, 3, NAN}, "of"));
    assert_success(sino_volume_begin_levels(volume));
    for (int64_t l = 0; l < levels; l++) {
        for (int64_t i = sino_volume_level_shards(volume, l); i-- > 0;)
            assert_success(sino_volume_write_shard(volume, l, i));
        for (int64_t i = 0; l + 1 < levels && i < sino_volume_level_slices(volume, l + 1); i++)
            assert_success(sino_volume_shrink(volume, l, i));
    }
}

static json_t *read_json(const char *folder, const char *name)
{
    char path[TESTING_PATH + 40];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    json_t *json = json_load_file(path, 0, NULL);
    assert_non_null(json);
    return json;
}

static char *read_file(const char *path, size_t *bytes)
{
    struct stat about = {0};
    FILE *file = fopen(path, "r");
    assert_true(file && fstat(fileno(file), &about) == 0);
    *bytes = (size_t)about.st_size;
    char *content = malloc(*bytes + 1);
    assert_true(content && fread(content, 1, *bytes, file) == *bytes && fclose(file) == 0);
    return content;
}

/* CRC-32C bit by bit. */
static uint32_t slow_crc(const char *bytes, size_t count)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        crc ^= (uint8_t)bytes[i];
        for (int k = 0; k < 8; k++) crc = crc & 1 ? crc >> 1 ^ 0x82F63B78 : crc >> 1;
    }
    return ~crc;
}

/* Reads a level of whole shards; the number of chunks that are stored. */
static int read_level(const Case *the, int level, const int64_t size[3], const int64_t chunk[3], const int64_t shard[3],
                      uint16_t *to)
{
    const int64_t across[] = {shard[0] / chunk[0], shard[1] / chunk[1], shard[2] / chunk[2]};
    const int64_t chunks = across[0] * across[1] * across[2];
    const size_t chunk_bytes = (size_t)(chunk[0] * chunk[1] * chunk[2]) * 2, index_bytes = (size_t)chunks * 16;
    uint16_t *voxels = malloc(chunk_bytes);
    int stored = 0;
    assert_non_null(voxels);
    for (int64_t z = 0; z < size[0]; z += shard[0])
        for (int64_t y = 0; y < size[1]; y += shard[1])
            for (int64_t x = 0; x < size[2]; x += shard[2]) {
                char path[TESTING_PATH + 40];
                size_t bytes;
                snprintf(path, sizeof path, "%s/%d/c/%d/%d/%d", the->path, level, (int)(z / shard[0]),
                         (int)(y / shard[1]), (int)(x / shard[2]));
                char *content = read_file(path, &bytes), *index = content + bytes - 4 - index_bytes;
                uint32_t crc = 0;
                memcpy(&crc, content + bytes - 4, 4);
                assert_int_equal(crc, slow_crc(index, index_bytes));
                for (int64_t c = 0; c < chunks; c++) {
                    uint64_t entry[2];
                    memcpy(entry, index + 16 * c, 16);
                    if (entry[0] == UINT64_MAX && entry[1] == UINT64_MAX) {
                        memset(voxels, 0, chunk_bytes);
                    } else {
                        const size_t packed = entry[1] - 4;
                        memcpy(&crc, content + entry[0] + packed, 4);
                        assert_int_equal(crc, slow_crc(content + entry[0], packed));
                        if (the->request.zstd)
                            assert_int_equal(ZSTD_decompress(voxels, chunk_bytes, content + entry[0], packed),
                                             chunk_bytes);
                        else
                            memcpy(voxels, content + entry[0], packed == chunk_bytes ? packed : 0);
                        stored++;
                    }
                    const int64_t begin[] = {z + c / across[2] / across[1] * chunk[0],
                                             y + c / across[2] % across[1] * chunk[1], x + c % across[2] * chunk[2]};
                    for (int64_t i = 0; i < (int64_t)chunk_bytes / 2; i++) {
                        const int64_t at[] = {begin[0] + i / chunk[2] / chunk[1], begin[1] + i / chunk[2] % chunk[1],
                                              begin[2] + i % chunk[2]};
                        if (at[0] < size[0] && at[1] < size[1] && at[2] < size[2])
                            to[(at[0] * size[1] + at[1]) * size[2] + at[2]] = voxels[i];
                        else
                            assert_int_equal(voxels[i], 0);
                    }
                }
                free(content);
            }
    free(voxels);
    return stored;
}

/* The rounded mean of what a voxel of the next level covers. */
static void assert_means(const int64_t size[3], const uint16_t *fine, const uint16_t *coarse)
{
    const int64_t half[] = {(size[0] + 1) / 2, (size[1] + 1) / 2, (size[2] + 1) / 2};
    for (int64_t i = 0; i < half[0] * half[1] * half[2]; i++) {
        const int64_t z = 2 * (i / half[2] / half[1]), y = 2 * (i / half[2] % half[1]), x = 2 * (i % half[2]);
        double sum = 0, count = 0;
        for (int k = 0; k < 8; k++) {
            const int64_t at[] = {z + (k >> 2), y + (k >> 1 & 1), x + (k & 1)};
            if (at[0] >= size[0] || at[1] >= size[1] || at[2] >= size[2]) continue;
            sum += fine[(at[0] * size[1] + at[1]) * size[2] + at[2]];
            count++;
        }
        assert_int_equal(coarse[i], (int)floor(sum / count + 0.5));
    }
}

static void assert_metadata(const Case *the)
{
    json_t *array = read_json(the->path, "1/zarr.json"), *group = read_json(the->path, "zarr.json");
    const char *type;
    int z, y, x, format;
    assert_int_equal(
        json_unpack(array, "{s:i, s:s, s:[iii]}", "zarr_format", &format, "data_type", &type, "shape", &z, &y, &x), 0);
    assert_true(format == 3 && strcmp(type, "uint16") == 0 && z == 35 && y == 300 && x == 66);
    json_t *attributes = json_object_get(group, "attributes"), *ome = json_object_get(attributes, "ome");
    json_t *multiscale = json_array_get(json_object_get(ome, "multiscales"), 0);
    json_t *second = json_array_get(json_object_get(multiscale, "datasets"), 1);
    json_t *moves = json_object_get(second, "coordinateTransformations");
    json_t *scales = json_object_get(json_array_get(moves, 0), "scale");
    json_t *shifts = json_object_get(json_array_get(moves, 1), "translation");
    json_t *own = json_object_get(attributes, "sinodag");
    assert_string_equal(json_string_value(json_object_get(ome, "version")), "0.5");
    assert_string_equal(json_string_value(json_object_get(second, "path")), "1");
    assert_true(json_number_value(json_array_get(scales, 0)) == 6 && json_number_value(json_array_get(scales, 2)) == 4);
    assert_true(json_number_value(json_array_get(shifts, 0)) == 1.5 &&
                json_number_value(json_array_get(shifts, 1)) == 1);
    assert_string_equal(json_string_value(json_object_get(own, "algorithm")), "cg");
    const json_t *last = json_array_get(json_object_get(own, "residuals"), 1);
    assert_true(json_number_value(json_array_get(last, 0)) == 3 && json_is_null(json_array_get(last, 1)));
    assert_true(json_number_value(json_object_get(own, "scale_factor")) == 1);
    json_decref(array);
    json_decref(group);
}

static void assert_zarr(const Case *the)
{
    const int64_t size[] = {SLICES, HEIGHT, WIDTH}, half[] = {35, 300, 66};
    uint16_t *found = malloc(VOXELS * sizeof *found), *second = malloc(35 * 300 * 66 * sizeof *second);
    assert_true(found && second);
    const int stored = read_level(the, 0, size, (const int64_t[]){64, 64, 64}, (const int64_t[]){64, 512, 192}, found);
    assert_int_equal(stored, 10 * 3); /* the last slices are zeros, which are not stored */
    assert_memory_equal(found, the->codes, VOXELS * sizeof *found);
    (void)read_level(the, 1, half, (const int64_t[]){35, 64, 64}, (const int64_t[]){35, 320, 128}, second);
    assert_means(size, the->codes, second);
    free(found);
    free(second);
    assert_metadata(the);
}

static void comes_back(const char *directory, bool zstd)
{
    Case the = new_case(directory, zstd);
    SinoVolume *volume;
    the.request.zarr_path = the.path;
    assert_success(sino_volume_check(&the.request));
    assert_success(sino_volume_open(&the.request, &volume));
    write_slices(volume, &the, 30, 40);
    write_slices(volume, &the, 0, 30);
    make_levels(volume);
    assert_int_equal(access(the.path, F_OK), -1);
    assert_success(sino_volume_finish(volume));
    assert_zarr(&the);
    assert_error(sino_volume_check(&the.request), SINO_BAD_INPUT, "/out.zarr exists | --overwrite");
    the.request.overwrite = true;
    assert_success(sino_volume_open(&the.request, &volume));
    write_slices(volume, &the, 0, SLICES);
    make_levels(volume);
    assert_success(sino_volume_finish(volume));
    assert_zarr(&the);
    free(the.codes);
}

static void shards_come_back(void **state)
{
    comes_back(*state, false);
}

static void compressed_shards_come_back(void **state)
{
    comes_back(*state, true);
}

/* A folder of other things is not replaced. */
static void other_folders_stay(void **state)
{
    Case the = new_case(*state, false);
    SinoVolume *volume;
    the.request.zarr_path = the.path;
    the.request.overwrite = true;
    assert_int_equal(mkdir(the.path, 0700), 0);
    assert_error(sino_volume_check(&the.request), SINO_BAD_INPUT, "/out.zarr | zarr.json");
    assert_error(sino_volume_open(&the.request, &volume), SINO_BAD_INPUT, "/out.zarr | zarr.json");
    assert_int_equal(rmdir(the.path), 0);
    char path[TESTING_PATH];
    assert_int_equal(mkdir(testing_path(path, *state, "out.zarr.partial"), 0700), 0);
    assert_error(sino_volume_check(&the.request), SINO_BAD_INPUT, "/out.zarr.partial | no such name");
    assert_int_equal(rmdir(path), 0);
    the.request.set_count = 2;
    assert_error(sino_volume_check(&the.request), SINO_BAD_INPUT, "2 sets | 1 | TIFF");
    free(the.codes);
}

/* Slices wait in a file for a later run; an abandoned volume leaves nothing. */
static void slices_are_resumed(void **state)
{
    Case the = new_case(*state, true);
    SinoVolume *volume;
    the.request.zarr_path = the.path;
    assert_success(sino_volume_open(&the.request, &volume));
    write_slices(volume, &the, 0, 50);
    sino_volume_stay(volume);
    sino_volume_keep(volume);
    the.request.resume = true;
    assert_success(sino_volume_open(&the.request, &volume));
    sino_volume_mark_done(volume, 0, 50);
    write_slices(volume, &the, 50, 20);
    make_levels(volume);
    assert_success(sino_volume_finish(volume));
    assert_zarr(&the);
    the.request.resume = false;
    testing_path(the.path, *state, "other.zarr");
    assert_success(sino_volume_open(&the.request, &volume));
    write_slices(volume, &the, 0, SLICES);
    make_levels(volume);
    sino_volume_abandon(volume);
    char path[TESTING_PATH];
    assert_int_equal(access(testing_path(path, *state, "other.zarr.partial"), F_OK), -1);
    assert_int_equal(access(testing_path(path, *state, "other.zarr.slices.partial"), F_OK), -1);
    free(the.codes);
}

static void checksums(void **state)
{
    (void)state;
    assert_int_equal(sino_crc32c("123456789", 9), 0xE3069283); /* RFC 3720's check value */
    assert_int_equal(sino_crc32c("", 0), 0);
    char bytes[64];
    for (int i = 0; i < 64; i++) bytes[i] = (char)(i * i + 7);
    for (int first = 0; first < 8; first++)
        for (int count = 0; first + count <= 64; count++)
            assert_int_equal(sino_crc32c(bytes + first, count), slow_crc(bytes + first, (size_t)count));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(volume_zarr)
{
    const struct CMUnitTest tests[] = {TEST(shards_come_back), TEST(compressed_shards_come_back),
                                       TEST(other_folders_stay), TEST(slices_are_resumed), cmocka_unit_test(checksums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
