/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks: FBP of a scan that comes by blocks of angles has the bits of the scan as a whole. */
#include "testing.h"
#include "testing_recon.h"

#include <hdf5.h>

enum { SIZE = 45, SLICES = 3 };

#define STAGES "--zinger-removal-method none --remove-stripe-method none --air 0 --tune padding-type=zeros "

/* Copies a scan to a file whose projections are chunks, which can be followed. */
static void copy_to_chunks(const char *from, const char *to)
{
    hsize_t size[3], chunk[3];
    const hid_t source = H5Fopen(from, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t file = H5Fcreate(to, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Ocopy(source, "exchange", file, "exchange", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    const hid_t old = H5Dopen2(source, "exchange/data", H5P_DEFAULT), space = H5Dget_space(old),
                type = H5Dget_type(old);
    assert_int_equal(H5Sget_simple_extent_dims(space, size, NULL), 3);
    memcpy(chunk, size, sizeof chunk);
    chunk[0] = 1;
    void *counts = test_malloc((size_t)(size[0] * size[1] * size[2]) * H5Tget_size(type));
    assert_true(H5Dread(old, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, counts) >= 0);
    const hid_t chunks = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Pset_chunk(chunks, 3, chunk) >= 0 && H5Ldelete(file, "exchange/data", H5P_DEFAULT) >= 0);
    const hid_t data = H5Dcreate2(file, "exchange/data", type, space, H5P_DEFAULT, chunks, H5P_DEFAULT);
    assert_true(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, counts) >= 0);
    test_free(counts);
    assert_true(H5Pclose(chunks) >= 0 && H5Sclose(space) >= 0 && H5Tclose(type) >= 0 && H5Dclose(data) >= 0 &&
                H5Dclose(old) >= 0);
    assert_true(H5Fclose(file) >= 0 && H5Fclose(source) >= 0);
}

/* Compares fbp of the scan, as a whole and followed, with more words. */
static void compare(const char *directory, const char *scan, const char *words)
{
    char whole_words[TESTING_PATH + 300], follow_words[TESTING_PATH + 300], chunks[TESTING_PATH];
    copy_to_chunks(scan, testing_path(chunks, directory, "chunks.h5"));
    snprintf(whole_words, sizeof whole_words, "%%s --algorithm fbp " STAGES "%s", words);
    snprintf(follow_words, sizeof follow_words, "%%s --algorithm fbp --follow " STAGES "%s", words);
    TestingVolume whole = testing_recon(directory, whole_words, scan);
    TestingVolume follow = testing_recon(directory, follow_words, chunks);
    const int64_t voxels = whole.slice_count * whole.size * whole.size;
    assert_true(follow.slice_count == whole.slice_count && follow.size == whole.size);
    assert_memory_equal(follow.value, whole.value, (size_t)voxels * sizeof *whole.value);
    assert_memory_equal(follow.repaired, whole.repaired, (size_t)whole.slice_count * sizeof *whole.repaired);
    assert_true(testing_residual_error(&follow, &whole) < 1e-12);
    testing_volume_free(&whole);
    testing_volume_free(&follow);
}

/* In 1, 3 and 7 blocks, of which the last one is short; and with undefined values. */
static void phantoms_have_the_bits_of_the_whole(void **state)
{
    static const struct {
        int angles;
        const char *words;
    } runs[] = {{30, "--projector pixels"},
                {90, "--projector pixels --saturation 9000"},
                {200, "--projector rays"},
                {200, "--projector pixels"},
                {200, "--projector gridding --saturation 9000"}};
    char scan[TESTING_PATH], words[200];
    testing_path(scan, *state, "scan.h5");
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        testing_phantom("--out %s --size %d --angles %d --slices %d", scan, SIZE, runs[i].angles, SLICES);
        snprintf(words, sizeof words, "--rotation-axis 22.3 --minibatch 2 --max-repaired 1 %s", runs[i].words);
        compare(*state, scan, words);
    }
}

/* Projections of a half acquisition wait for the opposite ones. */
static void half_acquisitions_have_the_bits_of_the_whole(void **state)
{
    enum { ANGLES = 70 };
    char scan[TESTING_PATH], theta[TESTING_PATH], words[TESTING_PATH + 100];
    testing_path(theta, *state, "theta.txt");
    testing_phantom("--out %s --size %d --angles %d --slices 2", testing_path(scan, *state, "scan.h5"), SIZE, ANGLES);
    FILE *file = fopen(theta, "w");
    assert_non_null(file);
    for (int k = 0; k < ANGLES; k++) fprintf(file, "%.9g\n", 360.0 * k / ANGLES);
    assert_int_equal(fclose(file), 0);
    snprintf(words, sizeof words, "--theta %s --rotation-axis 8.5 --projector pixels", theta);
    compare(*state, scan, words);
}

static void tooth_has_the_bits_of_the_whole(void **state)
{
    char scan[TESTING_PATH];
    if (!testing_data_there("tooth/tooth.h5")) skip();
    testing_data(scan, "tooth/tooth.h5");
    compare(*state, scan, "--rotation-axis 296 --projector gridding");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(blocks)
{
    const struct CMUnitTest tests[] = {TEST(phantoms_have_the_bits_of_the_whole),
                                       TEST(half_acquisitions_have_the_bits_of_the_whole),
                                       TEST(tooth_has_the_bits_of_the_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
