/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume input: every format of a volume gives the same values, integers what they stand for; what is no volume is
 * refused by its fault. */
#include "memory.h"
#include "testing.h"
#include "testing_hdf5.h"
#include "testing_npy.h"
#include "volume.h"
#include "volume_input.h"

#include <math.h>

enum { SLICES = 5, HEIGHT = 6, WIDTH = 9, SLICE = HEIGHT * WIDTH, VOXELS = SLICES * SLICE };

static const SinoVolumeShape unknown, raw_shape = {WIDTH, HEIGHT, SLICES};

static float value_of(int i)
{
    return (float)((i * 37 % 101) - 20) / 8;
}

static void write_volume(SinoVolumeRequest request)
{
    float values[VOXELS];
    SinoVolume *volume = NULL;
    for (int i = 0; i < VOXELS; i++) values[i] = value_of(i);
    request.slice_count = SLICES;
    request.height = HEIGHT;
    request.width = WIDTH;
    request.row_step = 1;
    request.units = "1/pixel";
    assert_success(sino_volume_open(&request, &volume));
    assert_success(sino_volume_write(volume, 0, SLICES, values));
    assert_success(sino_volume_finish(volume));
}

static void check_values(const char *given, const SinoVolumeShape *raw, const char *type, double tolerance)
{
    SinoVolumeInput *input = NULL;
    float values[SLICE];
    assert_success(sino_volume_input_try(given, raw));
    assert_success(sino_volume_input_open(given, raw, &input));
    const SinoVolumeInputInfo *info = sino_volume_input_info(input);
    assert_true(info->slice_count == SLICES && info->height == HEIGHT && info->width == WIDTH);
    assert_string_equal(info->stored_type, type);
    assert_int_equal(info->scaled, tolerance > 0);
    for (int s = SLICES - 1; s >= 0; s--) { /* in any order */
        assert_success(sino_volume_input_read(input, s, values));
        for (int i = 0; i < SLICE; i++)
            if (!(fabs((double)values[i] - (double)value_of(s * SLICE + i)) <= tolerance))
                fail_msg("%s, slice %d, voxel %d: %g", given, s, i, (double)values[i]);
    }
    sino_volume_input_close(input);
}

/* An image of two dimensions is a volume of one slice. */
static void check_image(const char *given, int64_t height, int64_t width, const char *type, float value(int i))
{
    SinoVolumeInput *input = NULL;
    float values[VOXELS];
    assert_success(sino_volume_input_open(given, &unknown, &input));
    const SinoVolumeInputInfo *info = sino_volume_input_info(input);
    assert_true(info->slice_count == 1 && info->height == height && info->width == width);
    assert_string_equal(info->stored_type, type);
    assert_success(sino_volume_input_read(input, 0, values));
    for (int i = 0; i < height * width; i++) assert_true(values[i] == value(i));
    sino_volume_input_close(input);
}

static float bool_of(int i)
{
    return i % 3 == 1;
}

static void write_bytes(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "w");
    assert_true(file && fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
}

/* Several shards and chunks, at whose ends chunks are filled up; chunks of zeros are not stored. */
enum { DEEP = 70, HIGH = 530, WIDE = 70, PLANE = HIGH * WIDE };

static float code_of(int64_t i)
{
    return (float)(i / PLANE < 66 ? (i * 31 + i / 997) % 251 : 0);
}

static void write_zarr(const char *path, SinoOutputType type, bool zstd)
{
    SinoVolume *volume = NULL;
    float *slice = malloc(PLANE * sizeof *slice);
    const SinoVolumeRequest request = {.zarr_path = path,
                                       .overwrite = true,
                                       .slice_count = DEEP,
                                       .height = HIGH,
                                       .width = WIDE,
                                       .row_step = 1,
                                       .units = "1/cm",
                                       .zstd = zstd,
                                       .codes = {type, {0, type == SINO_OUTPUT_UINT8 ? 255 : 65535}}};
    assert_success(sino_volume_open(&request, &volume));
    for (int64_t s = 0; s < DEEP; s++) {
        for (int64_t i = 0; i < PLANE; i++) slice[i] = code_of(s * PLANE + i);
        assert_success(sino_volume_write(volume, s, 1, slice));
    }
    free(slice);
    assert_success(sino_volume_begin_levels(volume));
    for (int64_t l = 0; l < sino_volume_level_count(volume); l++) {
        for (int64_t i = 0; i < sino_volume_level_shards(volume, l); i++)
            assert_success(sino_volume_write_shard(volume, l, i));
        for (int64_t i = 0; l + 1 < sino_volume_level_count(volume) && i < sino_volume_level_slices(volume, l + 1); i++)
            assert_success(sino_volume_shrink(volume, l, i));
    }
    assert_success(sino_volume_finish(volume));
}

static void zarr_volumes(void **state)
{
    static const int64_t order[] = {0, 69, 3, 64, 63, 66};
    char path[TESTING_PATH], file[TESTING_PATH];
    float *slice = malloc(PLANE * sizeof *slice);
    SinoVolumeInput *input = NULL;
    testing_path(path, *state, "v.zarr");
    for (int type = 0; type < 3; type++)
        for (int zstd = 0; zstd < 2; zstd++) {
            write_zarr(path, (SinoOutputType)type, zstd);
            assert_success(sino_volume_input_try(path, &unknown));
            assert_success(sino_volume_input_open(path, &unknown, &input));
            const SinoVolumeInputInfo *info = sino_volume_input_info(input);
            assert_true(info->slice_count == DEEP && info->height == HIGH && info->width == WIDE);
            assert_int_equal(info->scaled, type > 0);
            for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
                assert_success(sino_volume_input_read(input, order[k], slice));
                for (int64_t i = 0; i < PLANE; i++) assert_true(slice[i] == code_of(order[k] * PLANE + i));
            }
            sino_volume_input_close(input);
        }
    /* A bit of a chunk that is flipped, a damaged index, and a cut shard. */
    FILE *shard = NULL;
    testing_path(file, path, "0/c/0/0/0");
    for (int zstd = 0; zstd < 2; zstd++) {
        write_zarr(path, SINO_OUTPUT_FLOAT32, zstd);
        if (shard) fclose(shard);
        shard = fopen(file, "r+");
        assert_true(shard && fseek(shard, 41, SEEK_SET) == 0);
        const int byte = fgetc(shard) ^ 4;
        assert_true(fseek(shard, 41, SEEK_SET) == 0 && fputc(byte, shard) == byte && fflush(shard) == 0);
        assert_success(sino_volume_input_open(path, &unknown, &input));
        assert_error(sino_volume_input_read(input, 0, slice), SINO_BAD_INPUT,
                     "v.zarr/0/c/0/0/0 is damaged: chunk 0 has another checksum");
        if (!zstd) sino_volume_input_close(input);
    }
    assert_true(fseek(shard, -9, SEEK_END) == 0 && fputs("x", shard) >= 0 && fflush(shard) == 0);
    assert_error(sino_volume_input_read(input, 0, slice), SINO_BAD_INPUT, " is damaged: its index has another");
    assert_int_equal(truncate(file, 9), 0);
    assert_error(sino_volume_input_read(input, 0, slice), SINO_BAD_INPUT, " is cut: it has 9 bytes");
    assert_success(sino_volume_input_read(input, 66, slice)); /* of another shard */
    sino_volume_input_close(input);
    assert_int_equal(fclose(shard), 0);
    write_bytes(testing_path(file, path, "0/zarr.json"), "{\"zarr_format\": 2}", 18);
    assert_error(sino_volume_input_open(path, &unknown, &input), SINO_BAD_INPUT, "v.zarr/0 | v3 | uint8");
    free(slice);
}

static void own_volumes(void **state)
{
    static const struct {
        SinoOutputType type;
        const char *name;
        double tolerance;
    } types[] = {{SINO_OUTPUT_FLOAT32, "float32", 0},
                 {SINO_OUTPUT_UINT16, "uint16", 0.501 * 16 / 65535},
                 {SINO_OUTPUT_UINT8, "uint8", 0.501 * 16 / 255}};
    const char *const at = *state;
    char h5[TESTING_PATH], folder[TESTING_PATH], stack[TESTING_PATH], pattern[TESTING_PATH];
    testing_path(h5, at, "v.h5");
    testing_path(folder, at, "v");
    testing_path(stack, at, "v.tif");
    testing_path(pattern, at, "v/recon_*.tiff");
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        const SinoVoxelCodes codes = {types[t].type, {-5, 11}};
        write_volume((SinoVolumeRequest){
            .hdf5_path = h5, .tiff_directory = folder, .stack_path = stack, .overwrite = true, .codes = codes});
        const char *const names[] = {h5, folder, stack, pattern};
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            check_values(names[i], &unknown, types[t].name, types[t].tolerance);
    }
}

/* Arrays of NumPy: numbers and bool, of three dimensions and two; a file that is cut. */
static void arrays(void **state)
{
    char path[TESTING_PATH];
    double values[VOXELS];
    float raw[VOXELS];
    unsigned char bools[VOXELS];
    size_t bytes;
    SinoVolumeInput *input = NULL;
    for (int i = 0; i < VOXELS; i++) values[i] = (double)(raw[i] = value_of(i));
    testing_path(path, *state, "v.npy");
    unsigned char *npy = testing_npy(1, "<f8", "(5, 6, 9)", values, sizeof values, &bytes);
    write_bytes(path, npy, bytes);
    check_values(path, &unknown, "float64", 0);
    write_bytes(path, npy, bytes - 1);
    assert_error(sino_volume_input_open(path, &unknown, &input), SINO_BAD_INPUT,
                 " is cut: it has 2159 of the 2160 bytes of its values");
    free(npy);
    npy = testing_npy(1, "<f4", "(5, 54)", raw, sizeof raw, &bytes);
    write_bytes(path, npy, bytes);
    free(npy);
    check_image(path, SLICES, SLICE, "float32", value_of);
    for (int i = 0; i < VOXELS; i++) bools[i] = i % 3 == 1;
    npy = testing_npy(1, "|b1", "(27, 10)", bools, sizeof bools, &bytes);
    write_bytes(path, npy, bytes);
    free(npy);
    check_image(path, 27, 10, "bool", bool_of);
}

static void other_volumes(void **state)
{
    const char *const at = *state;
    char path[TESTING_PATH], given[TESTING_PATH + 20];
    double values[VOXELS];
    float raw[VOXELS];
    for (int i = 0; i < VOXELS; i++) values[i] = (double)(raw[i] = value_of(i));
    testing_path(path, at, "other.h5");
    const hid_t file = testing_hdf5_create(path);
    testing_hdf5_dataset(file, &(TestingDataset){.name = "/exchange/volume",
                                                 .file_type = H5T_NATIVE_DOUBLE,
                                                 .memory_type = H5T_NATIVE_DOUBLE,
                                                 .rank = 3,
                                                 .size = {SLICES, HEIGHT, WIDTH},
                                                 .values = values});
    testing_hdf5_dataset(file, &(TestingDataset){.name = "/exchange/sets",
                                                 .file_type = H5T_NATIVE_DOUBLE,
                                                 .memory_type = H5T_NATIVE_DOUBLE,
                                                 .rank = 4,
                                                 .size = {SLICES, 1, HEIGHT, WIDTH},
                                                 .values = values});
    testing_hdf5_dataset(file, &(TestingDataset){.name = "/exchange/flat",
                                                 .file_type = H5T_NATIVE_DOUBLE,
                                                 .memory_type = H5T_NATIVE_DOUBLE,
                                                 .rank = 2,
                                                 .size = {SLICES, SLICE},
                                                 .values = values});
    testing_hdf5_dataset(file, &(TestingDataset){.name = "/exchange/line",
                                                 .file_type = H5T_NATIVE_DOUBLE,
                                                 .memory_type = H5T_NATIVE_DOUBLE,
                                                 .rank = 1,
                                                 .size = {VOXELS},
                                                 .values = values});
    testing_hdf5_close(file);
    snprintf(given, sizeof given, "%s:/exchange/volume", path);
    check_values(given, &unknown, "float64", 0);
    snprintf(given, sizeof given, "%s:/exchange/sets", path);
    check_values(given, &unknown, "float64", 0);
    SinoVolumeInput *input = NULL;
    snprintf(given, sizeof given, "%s:/exchange/flat", path);
    check_image(given, SLICES, SLICE, "float64", value_of);
    snprintf(given, sizeof given, "%s:/exchange/line", path);
    assert_error(sino_volume_input_open(given, &unknown, &input), SINO_BAD_INPUT,
                 "/exchange/line | 1 dimension | 3 | FILE:/DATASET");
    assert_error(sino_volume_input_open(path, &unknown, &input), SINO_BAD_INPUT, "exchange/data");
    testing_path(path, at, "v.bin");
    write_bytes(path, raw, sizeof raw);
    check_values(path, &raw_shape, "float32", 0);
}

static void what_is_no_volume(void **state)
{
    const char *const at = *state;
    char path[TESTING_PATH], given[TESTING_PATH + 20];
    float raw[VOXELS] = {0};
    size_t bytes;
    SinoVolumeInput *input = NULL;
    testing_path(path, at, "v.bin");
    assert_error(sino_volume_input_open(path, &unknown, &input), SINO_BAD_INPUT, "No such file");
    assert_error(sino_volume_input_open(at, &unknown, &input), SINO_BAD_INPUT, "TIFF | zarr.json | HDF5 | .npy");
    write_bytes(testing_path(path, at, "zarr.json"), "{", 1);
    assert_error(sino_volume_input_open(at, &unknown, &input), SINO_BAD_INPUT, "/zarr.json is no JSON: line 1: ");
    write_bytes(path, "{}", 2);
    assert_error(sino_volume_input_open(at, &unknown, &input), SINO_BAD_INPUT, "/0/zarr.json: No such file");
    assert_int_equal(unlink(path), 0);
    testing_path(path, at, "v.bin");
    write_bytes(path, raw, sizeof raw);
    assert_error(sino_volume_input_open(path, &unknown, &input), SINO_BAD_INPUT,
                 "HDF5 | TIFF | .npy | float32 | --volume");
    assert_error(sino_volume_input_open(path, &(SinoVolumeShape){9, 6, 0}, &input), SINO_BAD_INPUT,
                 "--volume | 9x6 | float32");
    assert_error(sino_volume_input_open(path, &(SinoVolumeShape){9, 6, 4}, &input), SINO_BAD_INPUT,
                 "1080 bytes | 864, float32 of --volume 9x6x4");
    snprintf(given, sizeof given, "%s:/data", path);
    assert_error(sino_volume_input_open(given, &raw_shape, &input), SINO_BAD_INPUT, "no datasets");
    testing_path(path, at, "v.npy");
    unsigned char *npy = testing_npy(1, "<f4", "(270,)", raw, sizeof raw, &bytes);
    write_bytes(path, npy, bytes);
    free(npy);
    assert_error(sino_volume_input_open(path, &unknown, &input), SINO_BAD_INPUT, "1 dimension | 3, or 2 of one slice");
    npy = testing_npy(1, "|S8", "(5, 3, 9)", raw, sizeof raw, &bytes);
    write_bytes(path, npy, bytes);
    free(npy);
    assert_error(sino_volume_input_open(path, &unknown, &input), SINO_BAD_INPUT,
                 "; allowed: integers, floating-point numbers or bool");
    testing_path(path, at, "cut.h5");
    write_bytes(path, "\x89HDF\r\n\x1a\n and no more", 20);
    assert_error(sino_volume_input_open(path, &unknown, &input), SINO_BAD_INPUT, path);
    assert_null(input);
}

TESTING_SUBJECT(volume_input)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(own_volumes, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(zarr_volumes, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(arrays, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(other_volumes, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(what_is_no_volume, testing_directory_make, testing_directory_remove)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
