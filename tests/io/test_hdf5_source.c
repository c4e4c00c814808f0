/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 source: virtual datasets and external raw files that are incomplete, of another shape or type, or hostile. */
#include "scan.h"
#include "testing_hdf5.h"

#include <sys/resource.h>
#include <sys/stat.h>

enum { ANGLES = 4, ROWS = 2, COLUMNS = 3, FRAME = ROWS * COLUMNS, VALUES = ANGLES * FRAME };

static const hsize_t whole[] = {ANGLES, ROWS, COLUMNS};
static const hsize_t half[] = {ANGLES / 2, ROWS, COLUMNS};

static SinoStatus open_path(const char *path, SinoScan **scan)
{
    const SinoScanRequest request = {.path = path};
    return sino_scan_open(&request, scan);
}

static void refuse(const char *directory, const char *text)
{
    char path[TESTING_PATH];
    SinoScan *scan = NULL;
    assert_error(open_path(testing_path(path, directory, "scan.h5"), &scan), SINO_BAD_INPUT, text);
    assert_null(scan);
}

/* The scan opens, and value i of its data is i. */
static void accept(const char *directory, int64_t files)
{
    char path[TESTING_PATH];
    uint16_t counts[VALUES];
    SinoScan *scan;
    const SinoScanBox box = {0, ROWS, 0, COLUMNS};
    assert_success(open_path(testing_path(path, directory, "scan.h5"), &scan));
    assert_int_equal(sino_scan_info(scan)->file_count, files);
    assert_success(sino_scan_read(scan, 0, ANGLES, &box, counts));
    for (int i = 0; i < VALUES; i++) assert_int_equal(counts[i], i);
    sino_scan_close(scan);
}

/* A file with /data of this type and size, whose values count up from `first`. */
static void write_part(const char *directory, const char *name, hid_t type, int rank, const hsize_t *size,
                       uint16_t first)
{
    char path[TESTING_PATH];
    uint16_t values[VALUES];
    for (int i = 0; i < VALUES; i++) values[i] = (uint16_t)(first + i);
    TestingDataset data = {
        .name = "/data", .file_type = type, .memory_type = H5T_NATIVE_UINT16, .rank = rank, .values = values};
    for (int d = 0; d < rank; d++) data.size[d] = size[d];
    const hid_t file = testing_hdf5_create(testing_path(path, directory, name));
    testing_hdf5_dataset(file, &data);
    testing_hdf5_close(file);
}

static void write_parts(const char *directory)
{
    write_part(directory, "a.h5", H5T_STD_U16LE, 3, half, 0);
    write_part(directory, "b.h5", H5T_STD_U16BE, 3, half, VALUES / 2);
}

/* A virtual dataset in the making. */
typedef struct Master {
    hid_t creation, space;
} Master;

static Master begin_master(void)
{
    const Master master = {.creation = H5Pcreate(H5P_DATASET_CREATE), .space = H5Screate_simple(3, whole, NULL)};
    assert_true(master.creation >= 0 && master.space >= 0);
    return master;
}

/* Frames first … first + count − 1 come from all of a source of this size. */
static void add_frames(const Master *master, hsize_t first, hsize_t count, const char *file, const char *dataset,
                       int rank, const hsize_t *size)
{
    const hsize_t start[] = {first, 0, 0}, block[] = {count, ROWS, COLUMNS}, one[] = {1, 1, 1};
    const hid_t source = H5Screate_simple(rank, size, NULL);
    assert_true(H5Sselect_hyperslab(master->space, H5S_SELECT_SET, start, NULL, one, block) >= 0);
    assert_true(H5Pset_virtual(master->creation, master->space, file, dataset, source) >= 0);
    assert_true(H5Sclose(source) >= 0);
}

static void end_master_at(const Master *master, const char *directory, const char *name, const char *dataset)
{
    char path[TESTING_PATH];
    const TestingDataset data = {.name = dataset,
                                 .file_type = H5T_STD_U16LE,
                                 .rank = 3,
                                 .size = {ANGLES, ROWS, COLUMNS},
                                 .creation = master->creation};
    const hid_t file = testing_hdf5_create(testing_path(path, directory, name));
    testing_hdf5_dataset(file, &data);
    testing_hdf5_close(file);
    assert_true(H5Pclose(master->creation) >= 0 && H5Sclose(master->space) >= 0);
}

static void end_master(const Master *master, const char *directory)
{
    end_master_at(master, directory, "scan.h5", "/exchange/data");
}

static void write_master(const char *directory, const char *second, const char *second_dataset)
{
    const Master master = begin_master();
    add_frames(&master, 0, 2, "a.h5", "/data", 3, half);
    add_frames(&master, 2, 2, second, second_dataset, 3, half);
    end_master(&master, directory);
}

static void complete_sources_are_read(void **state)
{
    write_parts(*state);
    write_master(*state, "b.h5", "/data");
    accept(*state, 3);
    /* one source per frame, of two dimensions, in a file of its own or in one file */
    const hsize_t frame[] = {ROWS, COLUMNS};
    const char *const names[] = {"f0.h5", "f1.h5", "f2.h5", "f3.h5"};
    Master master = begin_master();
    for (int i = 0; i < ANGLES; i++) {
        write_part(*state, names[i], H5T_STD_U16LE, 2, frame, (uint16_t)(i * FRAME));
        add_frames(&master, (hsize_t)i, 1, names[i], "/data", 2, frame);
    }
    end_master(&master, *state);
    accept(*state, 1 + ANGLES);
}

static void incomplete_sources_are_refused(void **state)
{
    char path[TESTING_PATH];
    write_parts(*state);
    write_master(*state, "b.h5", "/data");
    testing_path(path, *state, "b.h5");
    assert_int_equal(truncate(path, 1000), 0);
    refuse(*state, "scan.h5: /exchange/data takes values from b.h5: ");
    refuse(*state, "/b.h5 is cut, damaged or no HDF5 file (HDF5: truncated file");
    assert_int_equal(truncate(path, 0), 0);
    refuse(*state, "/b.h5 is cut, damaged or no HDF5 file (HDF5: ");
    assert_int_equal(unlink(path), 0);
    refuse(*state, "takes values from b.h5: b.h5 does not exist");
    assert_int_equal(mkdir(path, 0700), 0);
    refuse(*state, "takes values from b.h5: b.h5 does not exist");
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    refuse(*state, "/b.h5 is not a regular file");
}

static void sources_without_the_values_are_refused(void **state)
{
    const hsize_t smaller[] = {1, ROWS, COLUMNS}, wider[] = {2, ROWS, COLUMNS + 1}, flat[] = {2 * FRAME};
    write_parts(*state);
    write_master(*state, "b.h5", "/dat");
    refuse(*state, "takes values from b.h5: ");
    refuse(*state, "b.h5 has no dataset /dat");
    write_master(*state, "b.h5", "/data");
    write_part(*state, "b.h5", H5T_STD_U16LE, 3, smaller, 0);
    refuse(*state, "b.h5: /data has 6 values, which do not fit the 12 that are taken from it");
    write_part(*state, "b.h5", H5T_STD_U16LE, 3, wider, 0);
    refuse(*state, "b.h5: /data has 16 values, which do not fit the 12 that are taken from it");
    write_part(*state, "b.h5", H5T_IEEE_F32LE, 3, half, 0);
    refuse(*state, "b.h5 | /data | float32 | uint16 | /exchange/data");
    const hsize_t part[] = {1, 0, 0}, one[] = {1, 1, 1}, frame[] = {1, ROWS, COLUMNS};
    const hid_t source = H5Screate_simple(3, half, NULL);
    const Master master = begin_master();
    add_frames(&master, 0, 3, "a.h5", "/data", 3, (const hsize_t[]){3, ROWS, COLUMNS});
    assert_true(H5Sselect_hyperslab(master.space, H5S_SELECT_SET, (const hsize_t[]){3, 0, 0}, NULL, one, frame) >= 0);
    assert_true(H5Sselect_hyperslab(source, H5S_SELECT_SET, part, NULL, one, frame) >= 0);
    assert_true(H5Pset_virtual(master.creation, master.space, "b.h5", "/data", source) >= 0 && H5Sclose(source) >= 0);
    end_master(&master, *state);
    refuse(*state, "a.h5: /data has 12 values, which do not fit the 18 that are taken from it");
    write_part(*state, "a.h5", H5T_STD_U16LE, 3, (const hsize_t[]){3, ROWS, COLUMNS}, 0);
    write_part(*state, "b.h5", H5T_STD_U16LE, 1, flat, 0);
    refuse(*state, "b.h5 | /data | 1 dimension | 3");
}

static void values_without_a_source_are_refused(void **state)
{
    write_parts(*state);
    Master master = begin_master();
    add_frames(&master, 0, 2, "a.h5", "/data", 3, half);
    end_master(&master, *state);
    refuse(*state, "scan.h5 | /exchange/data | 24 | for all of them");
    master = begin_master(); /* both in the same place */
    add_frames(&master, 0, 2, "a.h5", "/data", 3, half);
    add_frames(&master, 0, 2, "b.h5", "/data", 3, half);
    end_master(&master, *state);
    refuse(*state, "scan.h5 | /exchange/data | 24 | for all of them");
}

static void patterns_of_names_are_refused(void **state)
{
    const hsize_t start[] = {0, 0, 0}, stride[] = {2, 1, 1}, block[] = {2, ROWS, COLUMNS};
    const hsize_t count[] = {H5S_UNLIMITED, 1, 1}, most[] = {H5S_UNLIMITED, ROWS, COLUMNS};
    char path[TESTING_PATH];
    const Master master = {.creation = H5Pcreate(H5P_DATASET_CREATE), .space = H5Screate_simple(3, whole, most)};
    const hid_t source = H5Screate_simple(3, half, NULL);
    assert_true(H5Sselect_hyperslab(master.space, H5S_SELECT_SET, start, stride, count, block) >= 0);
    assert_true(H5Pset_virtual(master.creation, master.space, "part-%b.h5", "/data", source) >= 0);
    const hid_t file = testing_hdf5_create(testing_path(path, *state, "scan.h5"));
    const hid_t data =
        H5Dcreate2(file, "/exchange/data", H5T_STD_U16LE, master.space, H5P_DEFAULT, master.creation, H5P_DEFAULT);
    assert_true(data >= 0 && H5Dclose(data) >= 0 && H5Sclose(source) >= 0);
    assert_true(H5Sclose(master.space) >= 0 && H5Pclose(master.creation) >= 0);
    testing_hdf5_close(file);
    refuse(*state, "part-%b.h5:/data | sources by name");
}

/* A source that may grow: its frames are put in every second place, or all of them. */
static void write_growing(const char *directory, hsize_t frames, hsize_t stride)
{
    const hsize_t start[] = {0, 0, 0}, step[] = {stride, 1, 1}, count[] = {H5S_UNLIMITED, 1, 1};
    const hsize_t most[] = {H5S_UNLIMITED, ROWS, COLUMNS}, size[] = {frames, ROWS, COLUMNS};
    const hsize_t block[] = {1, ROWS, COLUMNS}, chunk[] = {1, ROWS, COLUMNS}, second[] = {1, 0, 0};
    char path[TESTING_PATH];
    uint16_t values[VALUES];
    for (int i = 0; i < VALUES; i++) values[i] = (uint16_t)i;
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(3, size, most);
    assert_true(H5Pset_chunk(creation, 3, chunk) >= 0);
    hid_t file = testing_hdf5_create(testing_path(path, directory, "grown.h5"));
    hid_t data = H5Dcreate2(file, "/data", H5T_STD_U16LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    assert_true(H5Dwrite(data, H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    assert_true(H5Dclose(data) >= 0 && H5Pclose(creation) >= 0);
    testing_hdf5_close(file);
    const Master master = {.creation = H5Pcreate(H5P_DATASET_CREATE), .space = H5Screate_simple(3, whole, most)};
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, chunk, count, block) >= 0);
    for (hsize_t i = 0; i < stride; i++) {
        assert_true(H5Sselect_hyperslab(master.space, H5S_SELECT_SET, i ? second : start, step, count, block) >= 0);
        assert_true(H5Pset_virtual(master.creation, master.space, "grown.h5", "/data", space) >= 0);
    }
    file = testing_hdf5_create(testing_path(path, directory, "scan.h5"));
    data = H5Dcreate2(file, "/exchange/data", H5T_STD_U16LE, master.space, H5P_DEFAULT, master.creation, H5P_DEFAULT);
    assert_true(data >= 0 && H5Dclose(data) >= 0 && H5Sclose(master.space) >= 0 && H5Pclose(master.creation) >= 0);
    assert_true(H5Sclose(space) >= 0);
    testing_hdf5_close(file);
}

static void growing_sources_are_read(void **state)
{
    char path[TESTING_PATH];
    SinoScan *scan;
    write_growing(*state, ANGLES, 1);
    accept(*state, 2);
    write_growing(*state, 2, 2);
    assert_success(open_path(testing_path(path, *state, "scan.h5"), &scan));
    assert_int_equal(sino_scan_info(scan)->angle_count, ANGLES);
    sino_scan_close(scan);
}

/* Frames 0, 1 and 3, which are no regular selection, come from the same frames of a source, and frame 2 from its. */
static void write_irregular(const char *directory, hsize_t source_frames)
{
    static const hsize_t order[] = {0, 1, 3, 2};
    const hsize_t size[] = {source_frames, ROWS, COLUMNS}, one[] = {1, 1, 1}, frame[] = {1, ROWS, COLUMNS};
    const Master master = begin_master();
    const hid_t source = H5Screate_simple(3, whole, NULL);
    write_part(directory, "a.h5", H5T_STD_U16LE, 3, size, 0);
    for (int i = 0; i < ANGLES; i++) {
        const H5S_seloper_t how = i == 0 || i == 3 ? H5S_SELECT_SET : H5S_SELECT_OR;
        const hsize_t start[] = {order[i], 0, 0};
        assert_true(H5Sselect_hyperslab(master.space, how, start, NULL, one, frame) >= 0);
        assert_true(H5Sselect_hyperslab(source, how, start, NULL, one, frame) >= 0);
        if (i >= 2) assert_true(H5Pset_virtual(master.creation, master.space, "a.h5", "/data", source) >= 0);
    }
    end_master(&master, directory);
    assert_true(H5Sclose(source) >= 0);
}

static void irregular_selections_are_read(void **state)
{
    write_irregular(*state, ANGLES);
    accept(*state, 2);
    write_irregular(*state, ANGLES - 1);
    refuse(*state, "a.h5: /data has 18 values, which do not fit the 18 that are taken from it");
}

/* Blocks of two frames of every three, without an end: the last block is cut. The other frames come by themselves. */
static void cut_blocks_are_read(void **state)
{
    const hsize_t most[] = {H5S_UNLIMITED, ROWS, COLUMNS}, step[] = {3, 1, 1}, endless[] = {H5S_UNLIMITED, 1, 1};
    const hsize_t start[2][3] = {{0, 0, 0}, {2, 0, 0}}, block[2][3] = {{2, ROWS, COLUMNS}, {1, ROWS, COLUMNS}};
    char path[TESTING_PATH];
    const Master master = {.creation = H5Pcreate(H5P_DATASET_CREATE), .space = H5Screate_simple(3, whole, most)};
    const hid_t source = H5Screate_simple(3, whole, most);
    write_growing(*state, ANGLES, 1); /* for its source */
    for (int i = 0; i < 2; i++) {
        assert_true(H5Sselect_hyperslab(master.space, H5S_SELECT_SET, start[i], step, endless, block[i]) >= 0);
        assert_true(H5Sselect_hyperslab(source, H5S_SELECT_SET, start[i], step, endless, block[i]) >= 0);
        assert_true(H5Pset_virtual(master.creation, master.space, "grown.h5", "/data", source) >= 0);
    }
    const hid_t file = testing_hdf5_create(testing_path(path, *state, "scan.h5"));
    const hid_t data =
        H5Dcreate2(file, "/exchange/data", H5T_STD_U16LE, master.space, H5P_DEFAULT, master.creation, H5P_DEFAULT);
    assert_true(data >= 0 && H5Dclose(data) >= 0 && H5Sclose(source) >= 0);
    assert_true(H5Sclose(master.space) >= 0 && H5Pclose(master.creation) >= 0);
    testing_hdf5_close(file);
    accept(*state, 2);
}

/* Detectors name their files by whole paths, which are others once the files are copied: then the copy beside the scan
 * is read, as HDF5 does. */
static void whole_paths_and_copies(void **state)
{
    char first[TESTING_PATH], second[TESTING_PATH], copies[TESTING_PATH];
    testing_path(first, *state, "a.h5");
    testing_path(second, *state, "b.h5");
    assert_int_equal(mkdir(testing_path(copies, *state, "copies"), 0700), 0);
    for (int copied = 0; copied < 2; copied++) {
        const char *const folder = copied ? copies : *state;
        const Master master = begin_master();
        add_frames(&master, 0, 2, first, "/data", 3, half);
        add_frames(&master, 2, 2, second, "/data", 3, half);
        write_parts(folder);
        end_master(&master, folder);
        accept(folder, 3);
        assert_int_equal(unlink(first) + unlink(second), copied ? -2 : 0);
    }
    write_part(*state, "a.h5", H5T_STD_U16LE, 3, half, 7); /* the named file is there again: it counts, and is whole */
    write_part(*state, "b.h5", H5T_STD_U8LE, 3, half, 7);
    refuse(copies, "b.h5 | /data | uint8 | uint16");
}

static void names_of_any_length(void **state)
{
    char name[20000];
    write_parts(*state);
    for (size_t i = 0; i < sizeof name; i++) name[i] = i % 2 ? '/' : 'y';
    for (size_t length = 4090; length <= 4100; length++) {
        name[length] = '\0';
        write_master(*state, name, "/data");
        refuse(*state, "does not exist");
        name[length] = length % 2 ? '/' : 'y';
    }
    name[sizeof name - 1] = '\0';
    write_master(*state, name, "/data");
    refuse(*state, "does not exist");
    write_master(*state, "b.h5", name);
    refuse(*state, "takes values from b.h5: ");
}

static void rings_are_refused(void **state)
{
    char path[TESTING_PATH];
    Master master = begin_master();
    add_frames(&master, 0, ANGLES, ".", "/exchange/data", 3, whole);
    end_master(&master, *state);
    refuse(*state, "/exchange/data takes its values from itself");
    master = begin_master();
    add_frames(&master, 0, ANGLES, "scan.h5", "/exchange/data", 3, whole);
    end_master(&master, *state);
    refuse(*state, "/exchange/data takes its values from itself");
    master = begin_master();
    add_frames(&master, 0, ANGLES, "other.h5", "/data", 3, whole);
    end_master(&master, *state);
    master = begin_master();
    add_frames(&master, 0, ANGLES, "scan.h5", "/exchange/data", 3, whole);
    end_master_at(&master, *state, "other.h5", "/data");
    refuse(*state, "/exchange/data takes its values from itself");
    /* The same ring under two names of the file. */
    char alias[TESTING_PATH];
    assert_int_equal(symlink("other.h5", testing_path(alias, *state, "alias.h5")), 0);
    master = begin_master();
    add_frames(&master, 0, ANGLES, "alias.h5", "/data", 3, whole);
    end_master_at(&master, *state, "other.h5", "/data");
    refuse(*state, "/data takes its values from itself");
    assert_int_equal(unlink(testing_path(path, *state, "other.h5")), 0);
}

static void nesting_has_a_limit(void **state)
{
    char name[2][16];
    write_part(*state, "v0.h5", H5T_STD_U16LE, 3, whole, 0);
    for (int depth = 1; depth <= 10; depth++) {
        Master master = begin_master();
        snprintf(name[0], sizeof name[0], "v%d.h5", depth - 1);
        snprintf(name[1], sizeof name[1], "v%d.h5", depth);
        add_frames(&master, 0, ANGLES, name[0], "/data", 3, whole);
        end_master_at(&master, *state, name[1], "/data");
        master = begin_master();
        add_frames(&master, 0, ANGLES, name[1], "/data", 3, whole);
        end_master(&master, *state);
        if (depth <= 8)
            accept(*state, depth + 2);
        else
            refuse(*state, "virtual datasets | nested more than 8 deep | 8");
    }
}

/* The data are bytes of raw files: 20 of the first, from byte 4 on, and the others of the second. */
static void write_external(const char *directory, const char *first, const char *second)
{
    const Master master = begin_master();
    assert_true(H5Pset_external(master.creation, first, 4, 20) >= 0);
    if (second) assert_true(H5Pset_external(master.creation, second, 0, H5F_UNLIMITED) >= 0);
    end_master(&master, directory);
}

static void write_raw(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
}

static void external_files_are_checked(void **state)
{
    char first[TESTING_PATH], second[TESTING_PATH];
    uint16_t values[2 + VALUES] = {0};
    for (int i = 0; i < VALUES; i++) values[2 + i] = (uint16_t)i;
    write_external(*state, testing_path(first, *state, "first.raw"), testing_path(second, *state, "second.raw"));
    refuse(*state, "first.raw: No such file or directory");
    write_raw(first, values, 24);
    refuse(*state, "second.raw: No such file or directory");
    write_raw(second, values + 12, 2 * VALUES - 20);
    accept(*state, 3);
    assert_int_equal(truncate(second, 2 * VALUES - 21), 0);
    refuse(*state, "second.raw | 27 bytes | 28 bytes | byte 0");
    write_raw(second, values + 12, 2 * VALUES - 20);
    assert_int_equal(truncate(first, 23), 0);
    refuse(*state, "first.raw | 23 bytes | 20 bytes | byte 4");
    assert_int_equal(unlink(first), 0);
    assert_int_equal(mkfifo(first, 0600), 0);
    refuse(*state, "first.raw is not a regular file");
}

static void external_links_to_a_pipe_do_not_block(void **state)
{
    char path[TESTING_PATH];
    const hid_t file = testing_hdf5_create(testing_path(path, *state, "scan.h5"));
    assert_true(H5Lcreate_external("pipe", "/data", file, "/exchange/data", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    testing_hdf5_close(file);
    assert_int_equal(mkfifo(testing_path(path, *state, "pipe"), 0600), 0);
    refuse(*state, "scan.h5: /exchange/data is a link to pipe:/data, which cannot be opened");
}

/* Declares `frames` fields of the data's size, of which only the first is written. */
static void write_sparse(const char *directory, const char *name, const hsize_t size[3])
{
    char path[TESTING_PATH];
    const uint16_t one = 1;
    const hsize_t chunk[] = {1, 1, 1}, start[] = {0, 0, 0};
    const hid_t file = H5Fopen(testing_path(path, directory, "scan.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(3, size, NULL);
    assert_true(file >= 0 && H5Pset_chunk(creation, 3, chunk) >= 0);
    const hid_t data = H5Dcreate2(file, name, H5T_STD_U16LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    const hid_t memory = H5Screate_simple(3, chunk, NULL);
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, chunk, NULL) >= 0);
    assert_true(H5Dwrite(data, H5T_NATIVE_UINT16, memory, space, H5P_DEFAULT, &one) >= 0);
    assert_true(H5Dclose(data) >= 0 && H5Sclose(memory) >= 0 && H5Sclose(space) >= 0 && H5Pclose(creation) >= 0);
    testing_hdf5_close(file);
}

static void refuse_size(const char *directory, const char *name, hsize_t images, hsize_t rows, hsize_t columns,
                        const char *text)
{
    char path[TESTING_PATH];
    const hsize_t size[] = {images, rows, columns};
    testing_hdf5_close(testing_hdf5_create(testing_path(path, directory, "scan.h5")));
    if (strcmp(name, "/exchange/data") != 0)
        write_sparse(directory, "/exchange/data", (const hsize_t[]){1, rows, columns});
    write_sparse(directory, name, size);
    refuse(directory, text);
}

static void declared_sizes_have_limits(void **state)
{
    const hsize_t wraps = ((hsize_t)1 << 58) + 1;
    refuse_size(*state, "/exchange/data", (1 << 20) + 1, 1, 1, "declares 1048577 projections; allowed: up to 1048576");
    refuse_size(*state, "/exchange/data", 1, (hsize_t)1 << 40, 1,
                "declares 1099511627776 rows; allowed: up to 1048576");
    refuse_size(*state, "/exchange/data", 1, 1, wraps, "declares 288230376151711745 columns; allowed: up to 1048576");
    refuse_size(*state, "/exchange/data_white", wraps, 1, 1, "declares 288230376151711745 flat fields; allowed: up to");
    refuse_size(*state, "/exchange/data_dark", wraps, 1, 1, "declares 288230376151711745 dark fields; allowed: up to");
    refuse_size(*state, "/exchange/data", 1 << 20, 1 << 20, 1 << 20,
                "scan.h5 | 1048576 projections | 1048576 columns | sizes whose");
}

static void datasets_without_values_are_refused(void **state)
{
    char path[TESTING_PATH];
    const TestingDataset data = {
        .name = "/exchange/data", .file_type = H5T_STD_U16LE, .rank = 3, .size = {ANGLES, ROWS, COLUMNS}};
    const hid_t file = testing_hdf5_create(testing_path(path, *state, "scan.h5"));
    testing_hdf5_dataset(file, &data);
    testing_hdf5_close(file);
    refuse(*state, "scan.h5: /exchange/data was declared, but never written");
}

static int64_t peak_bytes(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return (int64_t)usage.ru_maxrss * 1024;
}

/* HDF5 keeps about 7 kB for each chunk of a read: 700 MB here. */
static void many_chunks_take_little_memory(void **state)
{
    enum { IMAGES = 100000 };
    static uint16_t counts[IMAGES];
    char path[TESTING_PATH];
    SinoScan *scan;
    const SinoScanBox box = {0, 1, 0, 1};
    testing_hdf5_close(testing_hdf5_create(testing_path(path, *state, "scan.h5")));
    write_sparse(*state, "/exchange/data", (const hsize_t[]){IMAGES, 1, 1});
    assert_success(open_path(path, &scan));
    const int64_t before = peak_bytes();
    assert_success(sino_scan_read(scan, 0, IMAGES, &box, counts));
    assert_true(peak_bytes() - before < (int64_t)400 << 20);
    assert_int_equal(counts[0], 1);
    for (int i = 1; i < IMAGES; i++) assert_int_equal(counts[i], 0);
    sino_scan_close(scan);
}

/* A box that begins and ends within chunks, of which it has more than one read takes, in each dimension. */
static void boxes_of_many_chunks_are_whole(void **state)
{
    enum { DEEP = 40, HIGH = 50, WIDE = 60 };
    static uint16_t values[DEEP * HIGH * WIDE], counts[DEEP * HIGH * WIDE];
    char path[TESTING_PATH];
    SinoScan *scan;
    const hsize_t chunk[] = {3, 2, 1};
    for (int i = 0; i < DEEP * HIGH * WIDE; i++) values[i] = (uint16_t)i;
    const TestingDataset data = {.name = "/exchange/data",
                                 .file_type = H5T_STD_U16LE,
                                 .memory_type = H5T_NATIVE_UINT16,
                                 .rank = 3,
                                 .size = {DEEP, HIGH, WIDE},
                                 .values = values,
                                 .creation = H5Pcreate(H5P_DATASET_CREATE)};
    const hid_t file = testing_hdf5_create(testing_path(path, *state, "scan.h5"));
    assert_true(H5Pset_chunk(data.creation, 3, chunk) >= 0);
    testing_hdf5_dataset(file, &data);
    assert_true(H5Pclose(data.creation) >= 0);
    testing_hdf5_close(file);
    assert_success(open_path(path, &scan));
    const SinoScanBox box = {.first_row = 1, .row_count = HIGH - 2, .first_column = 2, .column_count = WIDE - 5};
    assert_success(sino_scan_read(scan, 1, DEEP - 2, &box, counts));
    const uint16_t *count = counts;
    for (int k = 1; k < DEEP - 1; k++)
        for (int r = 1; r < HIGH - 1; r++)
            for (int c = 2; c < WIDE - 3; c++) assert_int_equal(*count++, values[(k * HIGH + r) * WIDE + c]);
    sino_scan_close(scan);
}

/* HDF5 takes a chunk that was stored without its filters for whole, whatever its size. */
static void write_short_chunk(const char *directory, const char *name, const char *dataset)
{
    const uint16_t values[VALUES / 2] = {0};
    char path[TESTING_PATH];
    const hsize_t corner[] = {0, 0, 0};
    const hid_t file = testing_hdf5_create(testing_path(path, directory, name));
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(3, whole, NULL);
    assert_true(H5Pset_chunk(creation, 3, whole) >= 0 && H5Pset_shuffle(creation) >= 0);
    const hid_t data = H5Dcreate2(file, dataset, H5T_STD_U16LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    assert_true(H5Dwrite_chunk(data, H5P_DEFAULT, 1, corner, sizeof values, values) >= 0);
    assert_true(H5Dclose(data) >= 0 && H5Sclose(space) >= 0 && H5Pclose(creation) >= 0);
    testing_hdf5_close(file);
}

/* A chunk that decompresses to half of its bytes. */
static void short_streams_are_refused(void **state)
{
    char path[TESTING_PATH];
    uint16_t counts[VALUES];
    const hsize_t corner[] = {0, 0, 0};
    hsize_t bytes = 0;
    SinoScan *scan;
    const SinoScanBox box = {0, ROWS, 0, COLUMNS};
    uint8_t stored[1024];
    uint32_t left_out;
    for (int part = 0; part < 2; part++) { /* a chunk of half the size is written, then stored as one of all values */
        const hid_t file = testing_hdf5_create(testing_path(path, *state, "scan.h5"));
        const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
        assert_true(H5Pset_chunk(creation, 3, part ? whole : half) >= 0 && H5Pset_shuffle(creation) >= 0);
        assert_true(H5Pset_deflate(creation, 6) >= 0);
        TestingDataset data = {.name = "/exchange/data",
                               .file_type = H5T_STD_U16LE,
                               .memory_type = H5T_NATIVE_UINT16,
                               .rank = 3,
                               .size = {ANGLES, ROWS, COLUMNS},
                               .values = part ? NULL : counts,
                               .creation = creation};
        for (int i = 0; i < VALUES; i++) counts[i] = (uint16_t)(i * 257);
        testing_hdf5_dataset(file, &data);
        const hid_t id = H5Dopen2(file, data.name, H5P_DEFAULT);
        if (!part) assert_true(H5Dget_chunk_storage_size(id, corner, &bytes) >= 0 && bytes <= sizeof stored);
        if (!part) assert_true(H5Dread_chunk(id, H5P_DEFAULT, corner, &left_out, stored) >= 0);
        if (part) assert_true(H5Dwrite_chunk(id, H5P_DEFAULT, 0, corner, bytes, stored) >= 0);
        assert_true(H5Dclose(id) >= 0 && H5Pclose(creation) >= 0);
        testing_hdf5_close(file);
        if (part) {
            refuse(*state, "a chunk of 48 bytes has 24 when it is decompressed");
            break;
        }
        assert_success(open_path(path, &scan));
        assert_success(sino_scan_read(scan, 1, ANGLES - 1, &box, counts));
        sino_scan_close(scan);
    }
}

static void short_chunks_are_refused(void **state)
{
    static const char text[] = "data is damaged: a chunk of 48 bytes is stored without its filters in 24 bytes";
    write_short_chunk(*state, "scan.h5", "/exchange/data");
    refuse(*state, text);
    write_short_chunk(*state, "a.h5", "/data");
    const Master master = begin_master();
    add_frames(&master, 0, ANGLES, "a.h5", "/data", 3, whole);
    end_master(&master, *state);
    refuse(*state, text);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(hdf5_source)
{
    const struct CMUnitTest tests[] = {
        TEST(complete_sources_are_read),
        TEST(incomplete_sources_are_refused),
        TEST(sources_without_the_values_are_refused),
        TEST(values_without_a_source_are_refused),
        TEST(patterns_of_names_are_refused),
        TEST(growing_sources_are_read),
        TEST(irregular_selections_are_read),
        TEST(cut_blocks_are_read),
        TEST(whole_paths_and_copies),
        TEST(names_of_any_length),
        TEST(rings_are_refused),
        TEST(nesting_has_a_limit),
        TEST(external_files_are_checked),
        TEST(external_links_to_a_pipe_do_not_block),
        TEST(declared_sizes_have_limits),
        TEST(many_chunks_take_little_memory),
        TEST(boxes_of_many_chunks_are_whole),
        TEST(datasets_without_values_are_refused),
        TEST(short_chunks_are_refused),
        TEST(short_streams_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
