/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume: HDF5 and TIFF are read back, refusals come early, and a failure leaves only the files that are complete. */
#include "testing_hdf5.h"
#include "volume.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <tiffio.h>

enum { SLICES = 4, HEIGHT = 60, WIDTH = 50, SLICE = HEIGHT * WIDTH };

typedef struct Case {
    char hdf5[TESTING_PATH], tiff[TESTING_PATH];
    float values[SLICES * SLICE];
    SinoVolumeRequest request;
} Case;

/* Rows 7, 9, 11, 13 in "out.h5" and in "out/". */
static Case *new_case(const char *directory)
{
    Case *new = calloc(1, sizeof *new);
    assert_non_null(new);
    for (int i = 0; i < SLICES * SLICE; i++) new->values[i] = (float)i;
    new->request = (SinoVolumeRequest){.hdf5_path = testing_path(new->hdf5, directory, "out.h5"),
                                       .tiff_directory = testing_path(new->tiff, directory, "out"),
                                       .slice_count = SLICES,
                                       .height = HEIGHT,
                                       .width = WIDTH,
                                       .first_row = 7,
                                       .row_step = 2,
                                       .units = "1/cm"};
    return new;
}

static bool exists(const char *directory, const char *name)
{
    char path[TESTING_PATH];
    return access(testing_path(path, directory, name), F_OK) == 0;
}

static void assert_empty(const char *directory)
{
    assert_int_equal(rmdir(directory), 0); /* succeeds only when it is empty */
    assert_int_equal(mkdir(directory, 0700), 0);
}

/* Consumes the volume's sentence. */
static void assert_safe(const SinoVolume *volume, const char *format, ...)
{
    char expected[3 * TESTING_PATH];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(expected, sizeof expected, format, arguments);
    va_end(arguments);
    char *found = sino_volume_safe(volume);
    assert_non_null(found);
    assert_string_equal(found, expected);
    free(found);
}

static void assert_tiff(const char *directory, const char *name, const float *values)
{
    char path[TESTING_PATH];
    float found[SLICE];
    TIFF *tiff = TIFFOpen(testing_path(path, directory, name), "r");
    assert_non_null(tiff);
    for (uint32_t row = 0; row < HEIGHT; row++) {
        assert_int_equal(TIFFReadScanline(tiff, found + row * WIDTH, row, 0), 1);
    }
    TIFFClose(tiff);
    assert_memory_equal(found, values, sizeof found);
}

static void assert_volume(const Case *the)
{
    int64_t slices, height, width;
    float *values;
    assert_success(sino_volume_read(the->hdf5, &slices, &height, &width, &values));
    assert_int_equal(slices, SLICES);
    assert_int_equal(height, HEIGHT);
    assert_int_equal(width, WIDTH);
    assert_memory_equal(values, the->values, sizeof the->values);
    free(values);
}

static void both_formats_come_back(void **state)
{
    Case *the = new_case(*state);
    SinoVolume *volume;
    assert_success(sino_volume_check(&the->request));
    assert_empty(*state);
    assert_success(sino_volume_open(&the->request, &volume));
    assert_safe(volume, "no row is complete as TIFF in %s; %s was not written", the->tiff, the->hdf5);
    assert_success(sino_volume_write(volume, 3, 1, the->values + 3 * SLICE));
    assert_safe(volume, "row 13 is complete as TIFF in %s; %s was not written", the->tiff, the->hdf5);
    assert_success(sino_volume_write(volume, 0, 2, the->values));
    assert_safe(volume, "rows 7 to 9 in steps of 2, row 13 are complete as TIFF in %s; %s was not written", the->tiff,
                the->hdf5);
    assert_success(sino_volume_write(volume, 2, 1, the->values + 2 * SLICE));
    assert_false(exists(*state, "out.h5"));
    assert_success(sino_volume_finish(volume));
    assert_false(exists(*state, "out.h5.partial"));
    assert_volume(the);
    assert_tiff(the->tiff, "recon_00007.tiff", the->values);
    assert_tiff(the->tiff, "recon_00009.tiff", the->values + SLICE);
    assert_tiff(the->tiff, "recon_00011.tiff", the->values + 2 * SLICE);
    assert_tiff(the->tiff, "recon_00013.tiff", the->values + 3 * SLICE);
    free(the);
}

static void check_data_layout(hid_t file)
{
    hsize_t chunk[3] = {0};
    const hid_t data = H5Dopen2(file, "/exchange/data", H5P_DEFAULT);
    const hid_t creation = H5Dget_create_plist(data);
    const hid_t type = H5Dget_type(data);
    assert_true(H5Tequal(type, H5T_IEEE_F32LE) > 0);
    assert_int_equal(H5Pget_chunk(creation, 3, chunk), 3);
    assert_int_equal(chunk[0], 1);
    assert_int_equal(chunk[1], HEIGHT);
    assert_int_equal(chunk[2], WIDTH);
    assert_true(H5Tclose(type) >= 0 && H5Pclose(creation) >= 0 && H5Dclose(data) >= 0);
}

static void check_values(hid_t file, const char *name, hid_t type, int rank, const void *values, size_t bytes)
{
    double found[8] = {0};
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    const hid_t space = H5Dget_space(dataset);
    assert_int_equal(H5Sget_simple_extent_ndims(space), rank);
    assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, found) >= 0);
    assert_memory_equal(found, values, bytes);
    assert_true(H5Sclose(space) >= 0 && H5Dclose(dataset) >= 0);
}

static void process_comes_back(void **state)
{
    Case *the = new_case(*state);
    SinoVolume *volume;
    const double doubles[6] = {1, 2.5, -3, 1e300, 5, 6};
    const int64_t integers[3] = {INT64_MIN, 0, INT64_MAX};
    the->request.tiff_directory = NULL;
    assert_success(sino_volume_open(&the->request, &volume));
    assert_success(sino_volume_process_text(volume, "settings", "algorithm: cg\nname: Zähne\n"));
    assert_success(sino_volume_process_text(volume, "sinodag/version", ""));
    assert_success(sino_volume_process_doubles(volume, "center", 0, 0, doubles, "rotation center"));
    assert_success(sino_volume_process_doubles(volume, "norms", 6, 0, doubles, NULL));
    assert_success(sino_volume_write(volume, 0, SLICES, the->values));
    assert_success(sino_volume_process_doubles(volume, "residuals", 2, 3, doubles, "by slice and iteration"));
    assert_success(sino_volume_process_integers(volume, "rows", 3, integers, "detector rows"));
    assert_success(sino_volume_process_integers(volume, "count", 0, integers + 2, NULL));
    assert_safe(volume, "%s was not written", the->hdf5);
    assert_success(sino_volume_finish(volume));
    assert_volume(the);
    const hid_t file = H5Fopen(the->hdf5, H5F_ACC_RDONLY, H5P_DEFAULT);
    check_data_layout(file);
    assert_hdf5_text(file, "/exchange/data", "units", "1/cm");
    assert_hdf5_text(file, "/exchange/data", "axes", "z:y:x");
    assert_hdf5_text(file, NULL, "/process/settings", "algorithm: cg\nname: Zähne\n");
    assert_hdf5_text(file, NULL, "/process/sinodag/version", "");
    assert_hdf5_text(file, "/process/center", "description", "rotation center");
    check_values(file, "/process/center", H5T_NATIVE_DOUBLE, 0, doubles, sizeof *doubles);
    check_values(file, "/process/norms", H5T_NATIVE_DOUBLE, 1, doubles, sizeof doubles);
    check_values(file, "/process/residuals", H5T_NATIVE_DOUBLE, 2, doubles, sizeof doubles);
    check_values(file, "/process/rows", H5T_NATIVE_INT64, 1, integers, sizeof integers);
    check_values(file, "/process/count", H5T_NATIVE_INT64, 0, integers + 2, sizeof *integers);
    testing_hdf5_close(file);
    free(the);
}

static void name_given_twice(void **state)
{
    Case *the = new_case(*state);
    SinoVolume *volume;
    the->request.tiff_directory = NULL;
    assert_success(sino_volume_open(&the->request, &volume));
    assert_success(sino_volume_process_text(volume, "name", "first"));
    assert_error(sino_volume_process_text(volume, "name", "second"), SINO_FAILED,
                 "/out.h5: writing /process/name failed (HDF5: ");
    sino_volume_abandon(volume);
    assert_empty(*state);
    free(the);
}

static void tiff_alone(void **state)
{
    Case *the = new_case(*state);
    SinoVolume *volume;
    the->request.hdf5_path = NULL;
    the->request.row_step = 1;
    assert_success(sino_volume_open(&the->request, &volume));
    assert_success(sino_volume_process_text(volume, "settings", "ignored"));
    assert_success(sino_volume_write(volume, 0, SLICES, the->values));
    assert_safe(volume, "rows 7 to 10 are complete as TIFF in %s", the->tiff);
    assert_success(sino_volume_finish(volume));
    assert_tiff(the->tiff, "recon_00010.tiff", the->values + 3 * SLICE);
    free(the);
}

static void write_whole(const Case *the)
{
    SinoVolume *volume;
    assert_success(sino_volume_open(&the->request, &volume));
    assert_success(sino_volume_write(volume, 0, SLICES, the->values));
    assert_success(sino_volume_finish(volume));
}

static void assert_refused(const Case *the, const char *text)
{
    SinoVolume *volume;
    assert_error(sino_volume_check(&the->request), SINO_BAD_INPUT, text);
    assert_error(sino_volume_open(&the->request, &volume), SINO_BAD_INPUT, text);
}

static void existing_output_is_refused(void **state)
{
    Case *the = new_case(*state);
    char path[TESTING_PATH];
    write_whole(the);
    the->request.hdf5_path = NULL;
    assert_refused(the, "/out | 4 | recon_00007.tiff | --overwrite");
    assert_int_equal(unlink(testing_path(path, the->tiff, "recon_00007.tiff")), 0);
    assert_refused(the, "/out | 3 | recon_00009.tiff | --overwrite");
    the->request.first_row = 8; /* other rows may join */
    assert_success(sino_volume_check(&the->request));
    write_whole(the);
    the->request.hdf5_path = the->hdf5;
    the->request.tiff_directory = NULL;
    assert_refused(the, "/out.h5 exists | --overwrite");
    the->request.tiff_directory = the->tiff;
    the->request.overwrite = true;
    the->values[0] = -1;
    assert_success(sino_volume_check(&the->request));
    write_whole(the);
    assert_volume(the);
    assert_tiff(the->tiff, "recon_00008.tiff", the->values);
    free(the);
}

/* What has the marker's name, and is no marker of this user, is neither written to nor waited for. */
static void marker_names_that_are_taken(void **state)
{
    Case *the = new_case(*state);
    char other[TESTING_PATH], marker[TESTING_PATH], directory[TESTING_PATH];
    SinoVolume *volume;
    FILE *file = fopen(testing_path(other, *state, "other"), "w");
    assert_true(file && fputs("precious", file) >= 0 && fclose(file) == 0);
    assert_int_equal(mkdir(testing_path(directory, *state, "out"), 0700), 0);
    testing_path(marker, *state, "out/recon_00007_to_00013.partial");
    the->request.hdf5_path = NULL;
    for (int kind = 0; kind < 5; kind++) {
        const int made = kind == 0   ? link(other, marker)
                         : kind == 1 ? symlink(other, marker)
                         : kind == 2 ? symlink("nowhere", marker)
                         : kind == 3 ? mkfifo(marker, 0600)
                                     : mkdir(marker, 0700);
        assert_int_equal(made, 0);
        SinoStatus status = sino_volume_check(&the->request);
        assert_error(status, SINO_BAD_INPUT, "/out/recon_00007_to_00013.partial");
        status = sino_volume_open(&the->request, &volume);
        assert_error(status, SINO_BAD_INPUT, "/out/recon_00007_to_00013.partial");
        assert_int_equal(remove(marker), 0); /* it is there as before */
        assert_empty(directory);
    }
    struct stat info;
    assert_true(stat(other, &info) == 0 && info.st_size == 8);
    assert_false(exists(*state, "out/nowhere"));
    write_whole(the);
    assert_false(exists(the->tiff, "recon_00007_to_00013.partial"));
    free(the);
}

static void places_that_take_no_output(void **state)
{
    Case *the = new_case(*state);
    the->request.hdf5_path = testing_path(the->hdf5, *state, "absent/out.h5");
    assert_refused(the, "/absent: No such file or directory");
    the->request.hdf5_path = *state;
    assert_refused(the, " is a directory; give the name of a file");
    the->request.hdf5_path = NULL;
    the->request.tiff_directory = testing_path(the->tiff, *state, "absent/out");
    assert_refused(the, "/absent/out cannot be made: No such file or directory");
    assert_empty(*state);
    FILE *file = fopen(testing_path(the->tiff, *state, "out"), "w");
    assert_true(file && fclose(file) == 0);
    assert_refused(the, "/out is not a directory; TIFF files need one");
    the->request.height = 0;
    assert_refused(the, "a volume of 4 × 0 × 50 voxels; allowed: 1 or more of each");
    the->request.height = INT64_MAX;
    assert_refused(the, "a slice: 9223372036854775807 times 50 does not fit in 63 bits");
    free(the);
}

static void read_only_place(void **state)
{
    Case *the = new_case(*state);
    if (mount("none", *state, "tmpfs", MS_RDONLY, NULL) != 0) {
        print_message("skipped: no file system can be mounted here\n");
        free(the);
        skip();
        return;
    }
    SinoStatus hdf5 = sino_volume_check(&the->request);
    the->request.hdf5_path = NULL;
    SinoStatus tiff = sino_volume_check(&the->request);
    the->request.tiff_directory = *state;
    SinoStatus inside = sino_volume_check(&the->request);
    assert_int_equal(umount(*state), 0);
    assert_error(hdf5, SINO_BAD_INPUT, ": Read-only file system");
    assert_error(tiff, SINO_BAD_INPUT, "/out cannot be made: Read-only file system");
    assert_error(inside, SINO_BAD_INPUT, ": Read-only file system");
    free(the);
}

static void unfinished_is_absent(void **state)
{
    Case *the = new_case(*state);
    SinoVolume *volume;
    assert_success(sino_volume_open(&the->request, &volume));
    sino_volume_abandon(volume);
    sino_volume_abandon(NULL);
    assert_empty(*state);
    assert_success(sino_volume_open(&the->request, &volume));
    assert_success(sino_volume_write(volume, 0, 2, the->values));
    assert_error(sino_volume_finish(volume), SINO_FAILED, "/out.h5 | slice 2 | 4 slices");
    assert_false(exists(*state, "out.h5"));
    assert_false(exists(*state, "out.h5.partial"));
    assert_tiff(the->tiff, "recon_00009.tiff", the->values + SLICE);
    assert_false(exists(the->tiff, "recon_00011.tiff"));
    free(the);
}

static void name_taken_meanwhile(void **state)
{
    Case *the = new_case(*state);
    SinoVolume *volume;
    the->request.tiff_directory = NULL;
    assert_success(sino_volume_open(&the->request, &volume));
    assert_success(sino_volume_write(volume, 0, SLICES, the->values));
    FILE *file = fopen(the->hdf5, "w");
    assert_true(file && fputs("theirs", file) >= 0 && fclose(file) == 0);
    assert_error(sino_volume_finish(volume), SINO_FAILED, "/out.h5 appeared while it was being written");
    struct stat info;
    assert_true(stat(the->hdf5, &info) == 0 && info.st_size == 6);
    testing_path(the->hdf5, *state, "out.h5.partial"); /* whole, as the message says */
    assert_volume(the);
    free(the);
}

/* The limit is above one TIFF file and below the HDF5 file. */
static void disk_fills_in_the_middle(void **state)
{
    Case *the = new_case(*state);
    SinoVolume *volume;
    assert_success(sino_volume_open(&the->request, &volume));
    assert_success(sino_volume_write(volume, 0, 1, the->values));
    testing_limit_file_size(SLICE * 4 + 5000);
    SinoStatus written = sino_volume_write(volume, 1, 2, the->values + SLICE);
    SinoStatus text = sino_volume_process_text(volume, "late", "text");
    assert_safe(volume, "rows 7 to 11 in steps of 2 are complete as TIFF in %s; %s was not written", the->tiff,
                the->hdf5);
    sino_volume_abandon(volume);
    testing_limit_file_size(RLIM_INFINITY);
    assert_error(written, SINO_FAILED, "/out.h5: writing failed at byte ");
    assert_error(text, SINO_FAILED, ": File too large");
    assert_false(exists(*state, "out.h5"));
    assert_false(exists(*state, "out.h5.partial"));
    assert_tiff(the->tiff, "recon_00011.tiff", the->values + 2 * SLICE);
    assert_false(exists(the->tiff, "recon_00013.tiff"));
    free(the);
}

static void disk_fills_at_the_end(void **state)
{
    Case *the = new_case(*state);
    SinoVolume *volume;
    the->request.tiff_directory = NULL;
    assert_success(sino_volume_open(&the->request, &volume));
    assert_success(sino_volume_write(volume, 0, SLICES, the->values));
    testing_limit_file_size(100);
    SinoStatus status = sino_volume_finish(volume);
    testing_limit_file_size(RLIM_INFINITY);
    assert_error(status, SINO_FAILED, ": File too large");
    assert_empty(*state);
    free(the);
}

static void disk_too_small_from_the_start(void **state)
{
    Case *the = new_case(*state);
    SinoVolume *volume;
    testing_limit_file_size(SLICE * 4);
    SinoStatus status = sino_volume_open(&the->request, &volume);
    testing_limit_file_size(RLIM_INFINITY);
    assert_error(status, SINO_FAILED, ": File too large");
    assert_empty(*state);
    free(the);
}

static void tiff_fills_the_disk(void **state)
{
    Case *the = new_case(*state);
    SinoVolume *volume;
    the->request.hdf5_path = NULL;
    the->request.row_step = 1;
    assert_success(sino_volume_open(&the->request, &volume));
    assert_success(sino_volume_write(volume, 0, 2, the->values));
    testing_limit_file_size(SLICE);
    SinoStatus status = sino_volume_write(volume, 2, 2, the->values);
    testing_limit_file_size(RLIM_INFINITY);
    assert_error(status, SINO_FAILED, "/out/recon_00009.tiff: writing failed at byte 3000: File too large");
    assert_safe(volume, "rows 7 to 8 are complete as TIFF in %s", the->tiff);
    sino_volume_abandon(volume);
    assert_tiff(the->tiff, "recon_00008.tiff", the->values + SLICE);
    assert_false(exists(the->tiff, "recon_00009.tiff"));
    assert_false(exists(the->tiff, "recon_00009.tiff.partial"));
    free(the);
}

/* A real full disk: a file system of 64 KiB for 48 KiB of volume as HDF5 and again as TIFF. */
static void small_file_system(void **state)
{
    Case *the = new_case(*state);
    SinoVolume *volume = NULL;
    if (mount("none", *state, "tmpfs", 0, "size=64k") != 0) {
        print_message("skipped: no file system can be mounted here\n");
        free(the);
        skip();
        return;
    }
    SinoStatus opened = sino_volume_open(&the->request, &volume);
    SinoStatus written = opened ? NULL : sino_volume_write(volume, 0, SLICES, the->values);
    char *safe = opened ? NULL : sino_volume_safe(volume);
    if (!opened) sino_volume_abandon(volume);
    const bool hdf5_left = exists(*state, "out.h5") || exists(*state, "out.h5.partial");
    const bool second_left = exists(the->tiff, "recon_00009.tiff") || exists(the->tiff, "recon_00009.tiff.partial");
    the->request.overwrite = true;
    the->request.height *= 2; /* does not fit at all, known at once */
    SinoStatus reopened = sino_volume_open(&the->request, &volume);
    const bool hdf5_left_again = exists(*state, "out.h5.partial");
    assert_int_equal(umount(*state), 0);
    assert_success(opened);
    assert_error(written, SINO_FAILED, ": No space left on device");
    assert_true(safe && strstr(safe, "complete as TIFF in "));
    assert_error(reopened, SINO_FAILED, "/out.h5: no room for ");
    assert_false(hdf5_left || second_left || hdf5_left_again);
    free(safe);
    free(the);
}

/* Exits unless opening succeeds and writing fails, for want of room. */
static SinoVolume *fail_to_write(const Case *the)
{
    SinoVolume *volume;
    testing_limit_file_size(RLIM_INFINITY);
    if (sino_volume_open(&the->request, &volume)) exit(41);
    testing_limit_file_size(SLICE * 4 + 5000);
    SinoStatus status = sino_volume_write(volume, 0, SLICES, the->values);
    if (!status) exit(42);
    sino_status_free(status);
    return volume;
}

/* Fails on a full disk in every way and leaves by exit(), with a volume still open. */
static void fail_and_exit(const Case *the, const char *log)
{
    const int descriptor = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (descriptor < 0 || dup2(descriptor, 1) < 0 || dup2(descriptor, 2) < 0) exit(40);
    const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}; /* cmocka would go on with the next test */
    for (int i = 0; i < 5; i++) {
        if (signal(signals[i], SIG_DFL) == SIG_ERR) exit(43);
    }
    sino_volume_abandon(fail_to_write(the));
    SinoStatus status = sino_volume_finish(fail_to_write(the));
    if (!status) exit(44);
    sino_status_free(status);
    SinoVolume *volatile left = fail_to_write(the); /* volatile: in memory, so that it counts as no leak */
    (void)left;
    exit(0);
}

static void exit_after_failure_is_quiet(void **state)
{
    Case *the = new_case(*state);
    char log[TESTING_PATH];
    struct stat info;
    int result = -1;
    the->request.tiff_directory = NULL;
    testing_path(log, *state, "log");
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) fail_and_exit(the, log);
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), 0);
    assert_true(stat(log, &info) == 0 && info.st_size == 0);
    assert_false(exists(*state, "out.h5"));
    free(the);
}

static void files_that_are_no_volume(void **state)
{
    Case *the = new_case(*state);
    int64_t slices, height, width;
    float *values = NULL;
    assert_error(sino_volume_read(the->hdf5, &slices, &height, &width, &values), SINO_BAD_INPUT,
                 "/out.h5: No such file or directory");
    hid_t file = testing_hdf5_create(the->hdf5);
    testing_hdf5_close(file);
    assert_error(sino_volume_read(the->hdf5, &slices, &height, &width, &values), SINO_BAD_INPUT,
                 "/out.h5 has no dataset /exchange/data");
    file = testing_hdf5_create(the->hdf5);
    const TestingDataset empty = {"/exchange/data", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 3, {2, 0, 4}, NULL, 0};
    testing_hdf5_dataset(file, &empty);
    testing_hdf5_close(file);
    assert_error(sino_volume_read(the->hdf5, &slices, &height, &width, &values), SINO_BAD_INPUT,
                 "/out.h5 | /exchange/data | 2 × 0 × 4 | 1");
    assert_null(values);
    free(the);
}

/* The dataset has the sizes of `size`, chunks of a slice, and all values. */
static void assert_sets(const Case *the, int rank, const hsize_t *size)
{
    hsize_t found_size[4] = {0}, chunk[4] = {0};
    float *found = calloc((size_t)SLICES * SLICE, sizeof *found);
    const hid_t file = H5Fopen(the->hdf5, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t data = H5Dopen2(file, "/exchange/data", H5P_DEFAULT);
    const hid_t space = H5Dget_space(data), creation = H5Dget_create_plist(data);
    assert_int_equal(H5Sget_simple_extent_dims(space, found_size, NULL), rank);
    assert_memory_equal(found_size, size, (size_t)rank * sizeof *size);
    assert_int_equal(H5Pget_chunk(creation, 4, chunk), rank);
    for (int i = 0; i < rank - 2; i++) assert_int_equal(chunk[i], 1);
    assert_true(found && H5Dread(data, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, found) >= 0);
    assert_memory_equal(found, the->values, (size_t)SLICES * SLICE * sizeof *found);
    assert_hdf5_text(file, "/exchange/data", "axes", rank == 4 ? "set:z:y:x" : "z:y:x");
    assert_hdf5_text(file, "/exchange/data", "units", "counts in a voxel");
    assert_true(H5Pclose(creation) >= 0 && H5Sclose(space) >= 0 && H5Dclose(data) >= 0);
    testing_hdf5_close(file);
    free(found);
}

/* Slices 1 and 2 are of different sets if there are 2 sets or 4. */
static void write_sets(const Case *the)
{
    SinoVolume *volume;
    bool equal = false;
    float *back = calloc((size_t)2 * SLICE, sizeof *back);
    assert_success(sino_volume_check(&the->request));
    assert_success(sino_volume_open(&the->request, &volume));
    assert_success(sino_volume_write(volume, 1, 2, the->values + SLICE));
    assert_success(sino_volume_write(volume, 3, 1, the->values + 3 * SLICE));
    assert_success(sino_volume_write(volume, 0, 1, the->values));
    assert_success(sino_volume_read_back(volume, 1, 2, back, &equal));
    assert_true(equal);
    assert_memory_equal(back, the->values + SLICE, (size_t)2 * SLICE * sizeof *back);
    assert_success(sino_volume_finish(volume));
    free(back);
}

static void sets_are_a_dimension(void **state)
{
    static const hsize_t size[][4] = {
        {4, HEIGHT, WIDTH}, {4, HEIGHT, WIDTH}, {2, 2, HEIGHT, WIDTH}, {4, 1, HEIGHT, WIDTH}};
    static const int64_t set_count[] = {0, 1, 2, 4};
    Case *the = new_case(*state);
    the->request.units = "counts in a voxel";
    the->request.overwrite = true;
    the->request.first_row = 0;
    the->request.row_step = 1;
    for (int i = 0; i < 4; i++) {
        the->request.set_count = set_count[i];
        write_sets(the);
        assert_sets(the, set_count[i] > 1 ? 4 : 3, size[i]);
        assert_tiff(the->tiff, "recon_00003.tiff", the->values + 3 * SLICE); /* numbered on */
    }
    free(the);
}

/* A second process writes the slices 1 and 2, which are of different sets. */
static void sets_are_joined(void **state)
{
    static const hsize_t size[] = {2, 2, HEIGHT, WIDTH};
    Case *the = new_case(*state);
    SinoVolume *volume, *joined;
    int64_t place[SLICES + 1], done[SINO_VOLUME_MARKS * SLICES];
    the->request.units = "counts in a voxel";
    the->request.tiff_directory = NULL;
    the->request.set_count = 2;
    assert_success(sino_volume_open(&the->request, &volume));
    assert_success(sino_volume_places(volume, place));
    assert_success(sino_volume_join(&the->request, place, &joined));
    assert_success(sino_volume_all_joined(volume));
    assert_success(sino_volume_write(joined, 1, 2, the->values + SLICE));
    assert_success(sino_volume_write(volume, 0, 1, the->values));
    assert_success(sino_volume_write(volume, 3, 1, the->values + 3 * SLICE));
    sino_volume_tell_done(joined, done);
    sino_volume_take_done(volume, done);
    assert_success(sino_volume_finish(joined));
    assert_success(sino_volume_finish(volume));
    assert_sets(the, 4, size);
    free(the);
}

/* Noise, which deflate does not shorten, a constant, zeros, and a ramp. */
static void fill_kinds(float *values)
{
    uint32_t state = 7;
    for (int i = 0; i < SLICE; i++) {
        state = state * 1664525u + 1013904223u;
        const uint32_t bits = 0x3f000000u | state >> 9; /* every bit of the mantissa is noise */
        memcpy(&values[i], &bits, sizeof *values);
        values[SLICE + i] = 0.25f;
        values[2 * SLICE + i] = 0;
        values[3 * SLICE + i] = (float)i / SLICE;
    }
}

/* Packs slices as tasks do, or leaves that to the writer; the finished file is read by HDF5's own filters. */
static void check_packed(const char *directory, SinoOutputType type, bool ahead, bool both)
{
    static const int order[SLICES] = {2, 0, 3, 1};
    Case *the = new_case(directory);
    SinoVolume *volume = NULL;
    float *found = NULL;
    int64_t count, height, width;
    fill_kinds(the->values);
    the->request.codes = (SinoVoxelCodes){type, {0, 1}};
    the->request.deflate = true;
    if (!both) the->request.tiff_directory = NULL;
    assert_success(sino_volume_open(&the->request, &volume));
    assert_true(sino_volume_packs(volume));
    for (int i = 0; i < SLICES && ahead; i++)
        assert_success(sino_volume_pack(volume, order[i], the->values + order[i] * SLICE));
    assert_success(sino_volume_write(volume, 2, 2, the->values + 2 * SLICE));
    assert_success(sino_volume_write(volume, 0, 2, the->values));
    assert_success(sino_volume_finish(volume));
    assert_success(sino_volume_read(the->hdf5, &count, &height, &width, &found));
    assert_true(count == SLICES && height == HEIGHT && width == WIDTH);
    const double step = type == SINO_OUTPUT_FLOAT32 ? 0 : type == SINO_OUTPUT_UINT16 ? 1.0 / 65535 : 1.0 / 255;
    for (int i = 0; i < SLICES * SLICE; i++)
        assert_true(fabs((double)found[i] - (double)the->values[i]) <= step / 2 * 1.001);
    if (both && type == SINO_OUTPUT_FLOAT32) assert_tiff(directory, "out/recon_00007.tiff", the->values);
    free(found);
    free(the);
}

static void slices_are_packed_ahead(void **state)
{
    static const SinoOutputType types[] = {SINO_OUTPUT_FLOAT32, SINO_OUTPUT_UINT16, SINO_OUTPUT_UINT8};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int ahead = 0; ahead < 2; ahead++) {
            check_packed(*state, types[t], ahead, false);
            char path[TESTING_PATH];
            assert_int_equal(unlink(testing_path(path, *state, "out.h5")), 0);
        }
    check_packed(*state, SINO_OUTPUT_FLOAT32, true, true);
}

/* Slices that wait are freed when the run fails, and no file stays. */
static void packed_slices_are_abandoned(void **state)
{
    Case *the = new_case(*state);
    SinoVolume *volume = NULL;
    fill_kinds(the->values);
    the->request.deflate = true;
    the->request.tiff_directory = NULL;
    assert_success(sino_volume_open(&the->request, &volume));
    assert_success(sino_volume_pack(volume, 1, the->values + SLICE));
    sino_volume_abandon(volume);
    assert_false(exists(*state, "out.h5") || exists(*state, "out.h5.partial"));
    free(the);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(volume)
{
    const struct CMUnitTest tests[] = {
        TEST(both_formats_come_back),
        TEST(process_comes_back),
        TEST(name_given_twice),
        TEST(tiff_alone),
        TEST(existing_output_is_refused),
        TEST(places_that_take_no_output),
        TEST(marker_names_that_are_taken),
        TEST(read_only_place),
        TEST(unfinished_is_absent),
        TEST(name_taken_meanwhile),
        TEST(disk_fills_in_the_middle),
        TEST(disk_fills_at_the_end),
        TEST(disk_too_small_from_the_start),
        TEST(tiff_fills_the_disk),
        TEST(small_file_system),
        TEST(exit_after_failure_is_quiet),
        TEST(files_that_are_no_volume),
        TEST(sets_are_a_dimension),
        TEST(sets_are_joined),
        TEST(slices_are_packed_ahead),
        TEST(packed_slices_are_abandoned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
