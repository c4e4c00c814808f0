/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 follow: frames that have room and no values yet have not come, and a file is not taken for one that has
 * replaced it. */
#include "scan.h"
#include "scan_follow.h"
#include "testing_hdf5.h"

#include <unistd.h>

enum { ROWS = 3, COLUMNS = 4, ANGLES = 12 };

static const SinoScanGate open_gate;

/* A scan that has room for `room` projections in chunks, of which `come` are written; all angles. */
static void write_scan(const char *path, hsize_t chunk_frames, hsize_t room, hsize_t come, int first)
{
    uint16_t counts[ANGLES * ROWS * COLUMNS];
    double angle[ANGLES];
    const hsize_t size[] = {room, ROWS, COLUMNS}, most[] = {H5S_UNLIMITED, ROWS, COLUMNS}, begin[3] = {0};
    const hsize_t chunk[] = {chunk_frames, ROWS, COLUMNS}, written[] = {come, ROWS, COLUMNS};
    for (int k = 0; k < ANGLES; k++) angle[k] = 15 * k;
    for (int i = 0; i < ANGLES * ROWS * COLUMNS; i++) counts[i] = (uint16_t)(first + i);
    const hid_t file = testing_hdf5_create(path), creation = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t space = H5Screate_simple(3, size, most), memory = H5Screate_simple(3, written, NULL);
    assert_true(H5Pset_chunk(creation, 3, chunk) >= 0);
    const hid_t data = H5Dcreate2(file, "/exchange/data", H5T_STD_U16LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, begin, NULL, written, NULL) >= 0);
    assert_true(H5Dwrite(data, H5T_NATIVE_UINT16, memory, space, H5P_DEFAULT, counts) >= 0);
    assert_true(H5Dclose(data) >= 0 && H5Sclose(space) >= 0 && H5Sclose(memory) >= 0 && H5Pclose(creation) >= 0);
    testing_hdf5_dataset(file, &(TestingDataset){.name = "/exchange/theta",
                                                 .file_type = H5T_IEEE_F64LE,
                                                 .memory_type = H5T_NATIVE_DOUBLE,
                                                 .rank = 1,
                                                 .size = {ANGLES},
                                                 .values = angle});
    testing_hdf5_close(file);
}

/* Looks for some seconds at most until so many projections have come, or there is an error. */
static SinoStatus look_until(SinoScan *scan, int64_t frames)
{
    SinoStatus status = NULL;
    for (int i = 0; i < 300 && !status && sino_scan_arrival(scan).frames < frames; i++) {
        status = sino_scan_look(scan, &open_gate);
        (void)usleep(10000);
    }
    return status;
}

static void room_is_no_projection(void **state)
{
    char path[TESTING_PATH], later[TESTING_PATH];
    SinoScan *scan;
    write_scan(testing_path(path, *state, "a.h5"), 4, 8, 6, 1);
    assert_success(sino_scan_open(&(SinoScanRequest){.path = path, .follow_s = 9}, &scan));
    assert_success(look_until(scan, 6));
    for (int i = 0; i < 30; i++) {
        assert_success(sino_scan_look(scan, &open_gate));
        assert_int_equal(sino_scan_arrival(scan).frames, 6);
        (void)usleep(10000);
    }
    write_scan(testing_path(later, *state, "b.h5"), 4, 12, 12, 1);
    assert_int_equal(rename(later, path), 0);
    assert_success(look_until(scan, ANGLES));
    assert_int_equal(sino_scan_arrival(scan).frames, ANGLES);
    sino_scan_close(scan);
}

static void another_scan_is_told_from_this_one(void **state)
{
    char path[TESTING_PATH], other[TESTING_PATH];
    SinoScan *scan;
    write_scan(testing_path(path, *state, "a.h5"), 1, 5, 5, 1);
    assert_success(sino_scan_open(&(SinoScanRequest){.path = path, .follow_s = 9}, &scan));
    assert_success(look_until(scan, 5));
    write_scan(testing_path(other, *state, "b.h5"), 1, 9, 9, 1); /* the same scan, in a new file */
    assert_int_equal(rename(other, path), 0);
    assert_success(look_until(scan, 9));
    assert_int_equal(sino_scan_arrival(scan).frames, 9);
    write_scan(other, 1, 11, 11, 2);
    assert_int_equal(rename(other, path), 0);
    assert_error(look_until(scan, 11), SINO_FAILED, "a.h5 | first image of /exchange/data | another scan");
    sino_scan_close(scan);
}

TESTING_SUBJECT(hdf5_follow)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(room_is_no_projection, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(another_scan_is_told_from_this_one, testing_directory_make,
                                        testing_directory_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
