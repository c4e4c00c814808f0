/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume as one TIFF file: pages in ascending order whoever writes when, small and large files, resumed and joined. */
#include "testing.h"
#include "volume_private.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <tiffio.h>

enum { SLICES = 5, HEIGHT = 6, WIDTH = 7, SLICE = HEIGHT * WIDTH };

typedef struct Case {
    char path[TESTING_PATH];
    float values[SLICES * SLICE];
    SinoVolumeRequest request;
} Case;

static Case new_case(const char *directory)
{
    Case the = {.request = {.slice_count = SLICES,
                            .height = HEIGHT,
                            .width = WIDTH,
                            .row_step = 1,
                            .units = "1/cm",
                            .voxel_um = {2, 2, 3},
                            .codes = {SINO_OUTPUT_UINT16, {-1, 300}}}};
    for (int i = 0; i < SLICES * SLICE; i++) the.values[i] = (float)i;
    testing_path(the.path, directory, "stack.tif");
    return the;
}

static void write_slices(SinoVolume *volume, Case *the, int first, int count)
{
    sino_volume_round(volume, first, count, the->values + first * SLICE);
    assert_success(sino_volume_write(volume, first, count, the->values + first * SLICE));
}

/* Every page has the size and the slice of its number. */
static void assert_stack(const Case *the)
{
    uint16_t row[WIDTH];
    float value[WIDTH], across = 0;
    char *text = NULL;
    TIFF *tiff = TIFFOpen(the->path, "r");
    assert_non_null(tiff);
    assert_true(TIFFGetField(tiff, TIFFTAG_IMAGEDESCRIPTION, &text));
    assert_true(strncmp(text, "ImageJ=1.54f\nimages=5\nslices=5\nunit=um\nspacing=3\nloop=false\nmin=0\n", 66) == 0);
    assert_int_equal(TIFFNumberOfDirectories(tiff), SLICES);
    for (uint32_t s = 0; s < SLICES; s++) {
        assert_int_equal(TIFFSetDirectory(tiff, (uint16_t)s), 1);
        assert_true(TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &across) && across == 5000);
        for (uint32_t y = 0; y < HEIGHT; y++) {
            assert_int_equal(TIFFReadScanline(tiff, row, y, 0), 1);
            sino_codes_decode(&the->request.codes, WIDTH, row, value);
            assert_memory_equal(value, the->values + s * SLICE + y * WIDTH, sizeof value);
        }
    }
    TIFFClose(tiff);
}

static void pages_ascend(void **state)
{
    Case the = new_case(*state);
    SinoVolume *volume;
    the.request.stack_path = the.path;
    assert_success(sino_volume_open(&the.request, &volume));
    write_slices(volume, &the, 4, 1);
    write_slices(volume, &the, 0, 2);
    assert_int_equal(access(the.path, F_OK), -1);
    write_slices(volume, &the, 2, 2);
    assert_success(sino_volume_finish(volume));
    assert_stack(&the);
    assert_error(sino_volume_open(&the.request, &volume), SINO_BAD_INPUT, "/stack.tif exists | --overwrite");
    assert_error(sino_volume_check(&the.request), SINO_BAD_INPUT, "/stack.tif exists | --overwrite");
}

static void unfinished_is_absent(void **state)
{
    Case the = new_case(*state);
    SinoVolume *volume;
    the.request.stack_path = the.path;
    assert_success(sino_volume_open(&the.request, &volume));
    write_slices(volume, &the, 0, 2);
    assert_error(sino_volume_finish(volume), SINO_FAILED, "/stack.tif | slice 2 | 5 slices");
    assert_int_equal(rmdir(*state), 0); /* nothing is left */
    assert_int_equal(mkdir(*state, 0700), 0);
}

/* A later run finds what the first one has written. */
static void slices_are_resumed(void **state)
{
    Case the = new_case(*state);
    SinoVolume *volume;
    float found[2 * SLICE];
    bool equal = false;
    the.request.stack_path = the.path;
    assert_success(sino_volume_open(&the.request, &volume));
    write_slices(volume, &the, 1, 2);
    sino_volume_stay(volume);
    sino_volume_keep(volume);
    the.request.resume = true;
    assert_success(sino_volume_open(&the.request, &volume));
    assert_success(sino_volume_read_back(volume, 1, 2, found, &equal));
    assert_true(equal);
    assert_memory_equal(found, the.values + SLICE, sizeof found);
    sino_volume_mark_done(volume, 1, 2);
    write_slices(volume, &the, 0, 1);
    write_slices(volume, &the, 3, 2);
    assert_success(sino_volume_finish(volume));
    assert_stack(&the);
}

static void processes_join(void **state)
{
    Case the = new_case(*state);
    SinoVolume *volume, *joined;
    int64_t place[SLICES + 1] = {0}, own[SINO_VOLUME_MARKS * SLICES], others[SINO_VOLUME_MARKS * SLICES];
    the.request.stack_path = the.path;
    the.values[0] = -7; /* clipped */
    the.values[3 * SLICE] = 1000;
    assert_success(sino_volume_open(&the.request, &volume));
    assert_success(sino_volume_places(volume, place));
    place[SLICES] ^= 1;
    assert_error(sino_volume_join(&the.request, place, &joined), SINO_BAD_INPUT,
                 "/stack.tif.partial is another file on this rank than on rank 0");
    place[SLICES] ^= 1;
    assert_success(sino_volume_join(&the.request, place, &joined));
    assert_success(sino_volume_all_joined(volume));
    write_slices(joined, &the, 2, 3);
    write_slices(volume, &the, 0, 2);
    sino_volume_tell_done(joined, others);
    sino_volume_tell_done(volume, own);
    for (int i = 0; i < SINO_VOLUME_MARKS * SLICES; i++) own[i] += others[i];
    sino_volume_take_done(volume, own);
    int64_t clipped[SINO_CLIPPED * SLICES];
    sino_volume_clipped(volume, 0, SLICES, clipped);
    assert_true(clipped[0] == 1 && clipped[SLICES + 3] == 1);
    assert_success(sino_volume_finish(joined));
    assert_success(sino_volume_finish(volume));
    assert_stack(&the);
}

/* Above 4 GiB the file is BigTIFF. It has a hole here, for it would take long to write. */
static void large_files_are_bigtiff(void **state)
{
    Case the = new_case(*state);
    char *head = NULL;
    int64_t used = 0;
    const float last[2] = {3, 4};
    float found[2] = {0};
    the.request = (SinoVolumeRequest){
        .slice_count = 70, .height = 4096, .width = 4096, .units = "1/pixel", .codes = {SINO_OUTPUT_FLOAT32, {0, 0}}};
    assert_success(sino_tiff_head_new(&the.request, &head, &used));
    assert_int_equal(head[2] + head[3], 43);
    const int64_t slice = (int64_t)4096 * 4096 * 4, end = sino_flat_head_bytes(used) + 70 * slice;
    const int file = open(the.path, O_WRONLY | O_CREAT, 0600);
    assert_true(file >= 0 && ftruncate(file, end) == 0 && pwrite(file, head, (size_t)used, 0) == used);
    assert_int_equal(pwrite(file, last, sizeof last, end - (int64_t)sizeof last), sizeof last);
    assert_int_equal(close(file), 0);
    TIFF *tiff = TIFFOpen(the.path, "r");
    assert_non_null(tiff);
    assert_int_equal(TIFFNumberOfDirectories(tiff), 70);
    assert_int_equal(TIFFSetDirectory(tiff, 69), 1);
    float *row = malloc(4096 * sizeof *row);
    assert_true(row && TIFFReadScanline(tiff, row, 4095, 0) == 1);
    memcpy(found, row + 4094, sizeof found);
    assert_memory_equal(found, last, sizeof found);
    TIFFClose(tiff);
    free(row);
    free(head);
    the.request.slice_count = 60; /* 3.75 GiB */
    assert_success(sino_tiff_head_new(&the.request, &head, &used));
    assert_int_equal(head[2] + head[3], 42);
    free(head);
    the.request.width = INT32_MAX;
    assert_error(sino_tiff_head_new(&the.request, &head, &used), SINO_BAD_INPUT,
                 "4096 × 2147483647 voxels | TIFF | 1 × 1 to 2147483647 × 536870911");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(volume_stack)
{
    const struct CMUnitTest tests[] = {TEST(pages_ascend), TEST(unfinished_is_absent), TEST(slices_are_resumed),
                                       TEST(processes_join), TEST(large_files_are_bigtiff)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
