/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, scans: what beamlines write gives the volume that the same data in Data Exchange give. */
#include "cli.h"
#include "testing_mat.h"
#include "testing_nxtomo.h"

#include <math.h>

enum { ANGLES = 24, ROWS = 4, COLUMNS = 16, FLATS = 3, DARKS = 2, FRAMES = ANGLES + FLATS + DARKS + 2 };
enum { PIXELS = ROWS * COLUMNS };

/* A disc off the middle, with a little structure in every frame. */
static uint16_t count_of(uint64_t k, uint64_t row, uint64_t column)
{
    const double s = (double)column - 7.5 - 2 * cos((double)k * 7.5 * M_PI / 180);
    const double path = s * s < 16 ? 2 * sqrt(16 - s * s) : 0;
    return (uint16_t)(100 + 900 * exp(-0.1 * path) + (double)((k * 7 + row * 5 + column * 3) % 11));
}

static uint16_t flat_count(uint64_t k, uint64_t row, uint64_t column)
{
    return (uint16_t)(1000 + (k * 3 + row * 7 + column) % 5);
}

static uint16_t dark_count(uint64_t k, uint64_t row, uint64_t column)
{
    return (uint16_t)(100 + (k + row + column) % 3);
}

typedef uint16_t Count(uint64_t k, uint64_t row, uint64_t column);

static void put(Count *count, uint64_t k, uint16_t *to)
{
    for (uint64_t i = 0; i < PIXELS; i++) to[i] = count(k, i / COLUMNS, i % COLUMNS);
}

typedef struct Scan {
    uint16_t frames[FRAMES * PIXELS];                                             /* in time */
    uint16_t data[ANGLES * PIXELS], flats[FLATS * PIXELS], darks[DARKS * PIXELS]; /* by kind */
    uint16_t sinograms[ANGLES * PIXELS];                                          /* [row][angle][column] */
    int key[FRAMES];
    double angle[FRAMES], theta[ANGLES];
} Scan;

/* Dark and flat fields before, in between and after, and two frames that are none of these. */
static void make(Scan *scan)
{
    uint64_t projections = 0, flats = 0, darks = 0;
    for (int f = 0; f < FRAMES; f++) {
        const int key = f == 0 || f == FRAMES - 1              ? 2
                        : f == 1 || f == 12 || f == FRAMES - 2 ? 1
                        : f == 9                               ? 3
                        : f == 20                              ? -1
                                                               : 0;
        scan->key[f] = key;
        scan->angle[f] = (double)projections * 7.5;
        uint16_t *to = scan->frames + f * PIXELS;
        if (key == 0) {
            put(count_of, projections, to);
            scan->theta[projections] = scan->angle[f];
            memcpy(scan->data + projections++ * PIXELS, to, PIXELS * sizeof *to);
        } else if (key == 1) {
            put(flat_count, flats, to);
            memcpy(scan->flats + flats++ * PIXELS, to, PIXELS * sizeof *to);
        } else if (key == 2) {
            put(dark_count, darks, to);
            memcpy(scan->darks + darks++ * PIXELS, to, PIXELS * sizeof *to);
        } else {
            memset(to, 0, PIXELS * sizeof *to);
        }
    }
    assert_int_equal(projections, ANGLES);
    for (int k = 0; k < ANGLES; k++)
        for (int r = 0; r < ROWS; r++)
            memcpy(scan->sinograms + (r * ANGLES + k) * COLUMNS, scan->data + (k * ROWS + r) * COLUMNS,
                   COLUMNS * sizeof *scan->data);
}

static void add(hid_t file, const char *name, hsize_t count, hsize_t rows, hsize_t columns, const uint16_t *values)
{
    testing_hdf5_dataset(file, &(TestingDataset){.name = name,
                                                 .file_type = H5T_STD_U16LE,
                                                 .memory_type = H5T_NATIVE_UINT16,
                                                 .rank = 3,
                                                 .size = {count, rows, columns},
                                                 .values = values});
}

static void write_scans(const char *directory, Scan *scan)
{
    char path[TESTING_PATH];
    make(scan);
    hid_t file = testing_hdf5_create(testing_path(path, directory, "scan.h5"));
    add(file, "/exchange/data", ANGLES, ROWS, COLUMNS, scan->data);
    add(file, "/exchange/data_white", FLATS, ROWS, COLUMNS, scan->flats);
    add(file, "/exchange/data_dark", DARKS, ROWS, COLUMNS, scan->darks);
    add(file, "/sinograms", ROWS, ANGLES, COLUMNS, scan->sinograms);
    testing_hdf5_dataset(file, &(TestingDataset){.name = "/exchange/theta",
                                                 .file_type = H5T_IEEE_F64LE,
                                                 .memory_type = H5T_NATIVE_DOUBLE,
                                                 .rank = 1,
                                                 .size = {ANGLES},
                                                 .values = scan->theta});
    testing_hdf5_close(file);
    const TestingNxtomo written = {.group = "/entry",
                                   .definition = "NXtomo",
                                   .units = "deg",
                                   .frames = FRAMES,
                                   .rows = ROWS,
                                   .columns = COLUMNS,
                                   .counts = scan->frames,
                                   .key = scan->key,
                                   .angle = scan->angle,
                                   .angles = FRAMES};
    testing_nxtomo_write(testing_path(path, directory, "scan.nxs"), &written);
}

static void assert_same_volume(const char *directory, const char *a, const char *b, int64_t slices, int64_t size)
{
    float *first = cli_read_volume(directory, a, slices, size), *second = cli_read_volume(directory, b, slices, size);
    assert_true(testing_same_bytes(first, second, (size_t)(slices * size * size) * sizeof *first));
    double sum = 0;
    for (int64_t i = 0; i < slices * size * size; i++) sum += fabs((double)first[i]);
    assert_true(sum > 0);
    free(first);
    free(second);
}

static void formats_agree(void **state)
{
    static const char *const options[] = {"", "--binning 2", "--start-row 1 --end-row 3 --start-column 2",
                                          "--algorithm fbp --flat-correction median", "--reconstruction-type full"};
    static const char *const sets = "--flat-positions 0,9,24"; /* as the frames of scan.nxs are */
    static Scan scan;
    const char *const at = *state;
    write_scans(at, &scan);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const int64_t slices = i == 1 || i == 2 ? 2 : 4, size = i == 1 ? 8 : i == 2 ? 14 : 16;
        cli_works(at, "recon scan.h5 -o a.h5 --overwrite --rotation-axis 7.5 --pictures no --report none %s %s", sets,
                  options[i]);
        cli_works(at, "recon scan.nxs -o b.h5 --overwrite --rotation-axis 7.5 --pictures no --report none %s",
                  options[i]);
        assert_same_volume(at, "a.h5", "b.h5", slices, size);
        cli_works(at,
                  "recon scan.h5:/sinograms --axes row,angle,column --theta-dataset /exchange/theta --flats "
                  ":/exchange/data_white --darks scan.h5:/exchange/data_dark -o c.h5 --overwrite --rotation-axis 7.5 "
                  "--pictures no --report none %s %s",
                  sets, options[i]);
        assert_same_volume(at, "a.h5", "c.h5", slices, size);
    }
}

/* NumPy arrays of the same counts. */
static void write_arrays(const char *directory, const Scan *scan)
{
    static const struct {
        const char *name, *shape;
    } arrays[] = {{"data.npy", "(24, 4, 16)"}, {"flats.npy", "(3, 4, 16)"}, {"darks.npy", "(2, 4, 16)"}};
    const uint16_t *const values[] = {scan->data, scan->flats, scan->darks};
    static const size_t bytes[] = {sizeof scan->data, sizeof scan->flats, sizeof scan->darks};
    for (int i = 0; i < 3; i++) cli_write_npy(directory, arrays[i].name, "<u2", arrays[i].shape, values[i], bytes[i]);
}

static void put_array(TestingMat *mat, const char *name, bool compressed, int count, const uint16_t *values)
{
    testing_mat_variable(mat, &(TestingMatVariable){.name = name,
                                                    .compressed = compressed,
                                                    .class = 11,
                                                    .rank = 3,
                                                    .size = (int32_t[]){COLUMNS, ROWS, count},
                                                    .part_count = 1,
                                                    .part = {{4, 2, (size_t)(count * PIXELS), values}}});
}

/* MATLAB files of level 5, with all variables and with the projections alone. */
static void write_mat(const char *directory, const Scan *scan)
{
    char path[TESTING_PATH];
    TestingMat mat = testing_mat(true);
    put_array(&mat, "projections", true, ANGLES, scan->data);
    put_array(&mat, "flats", false, FLATS, scan->flats);
    put_array(&mat, "darks", true, DARKS, scan->darks);
    testing_mat_variable(&mat, &(TestingMatVariable){.name = "theta",
                                                     .class = 6,
                                                     .rank = 2,
                                                     .size = (int32_t[]){ANGLES, 1},
                                                     .part_count = 1,
                                                     .part = {{9, 8, ANGLES, scan->theta}}});
    testing_mat_write(&mat, testing_path(path, directory, "scan.mat"));
    mat = testing_mat(false);
    put_array(&mat, "projections", true, ANGLES, scan->data);
    testing_mat_write(&mat, testing_path(path, directory, "data.mat"));
}

/* A MATLAB file of version 7.3: HDF5 behind 512 bytes of text; the first sinogram, without a dimension of 1, and angles
 * as a row with one. */
static void write_mat73(const char *directory, const Scan *scan)
{
    char path[TESTING_PATH];
    const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    assert_true(creation >= 0 && H5Pset_userblock(creation, 512) >= 0);
    const hid_t file = H5Fcreate(testing_path(path, directory, "scan73.mat"), H5F_ACC_TRUNC, creation, H5P_DEFAULT);
    assert_true(file >= 0 && H5Pclose(creation) >= 0);
    TestingDataset wanted = {"/sinogram", H5T_STD_U16LE, H5T_NATIVE_UINT16, 2, {ANGLES, COLUMNS}, scan->sinograms, 0};
    testing_hdf5_dataset(file, &wanted);
    wanted = (TestingDataset){"/flat", H5T_STD_U16LE, H5T_NATIVE_UINT16, 2, {1, COLUMNS}, scan->flats, 0};
    testing_hdf5_dataset(file, &wanted);
    wanted = (TestingDataset){"/theta", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, {ANGLES, 1}, scan->theta, 0};
    testing_hdf5_dataset(file, &wanted);
    testing_hdf5_close(file);
    FILE *text = fopen(path, "r+");
    assert_true(text && fputs("MATLAB 7.3 MAT-file, Platform: GLNXA64", text) >= 0 && fclose(text) == 0);
}

static void matlab_files_agree(void **state)
{
    static Scan scan;
    const char *const at = *state;
    write_scans(at, &scan);
    write_mat(at, &scan);
    write_mat73(at, &scan);
    cli_works(at, "recon scan.h5 -o a.h5 --rotation-axis 7.5 --pictures no --report none");
    cli_works(at, "recon scan.mat:projections --theta-dataset theta --flats :flats --darks scan.mat:/darks -o b.h5 "
                  "--rotation-axis 7.5 --pictures no --report none");
    assert_same_volume(at, "a.h5", "b.h5", 4, 16);
    cli_works(at, "recon data.mat --theta scan.mat:/theta --flats scan.mat:/flats --darks :/projections -o c.h5 "
                  "--rotation-axis 7.5 --pictures no --report none --max-repaired 1");
    cli_works(at, "recon scan.h5 --dataset /sinograms --axes row,angle,column --theta-dataset /exchange/theta "
                  "--end-row 1 -o d.h5 --rotation-axis 7.5 --pictures no --report none "
                  "--data line-integrals --algorithm fbp");
    cli_works(at, "recon scan73.mat --dataset /sinogram --axes row,angle,column --theta-dataset /theta -o e.h5 "
                  "--rotation-axis 7.5 --pictures no --report none --data line-integrals --algorithm fbp");
    assert_same_volume(at, "d.h5", "e.h5", 1, 16);
    cli_refuses(at, "scan.mat | FILE:/NAME | --dataset | projections (16 x 4 x 24 uint16) | theta (24 x 1 double)",
                "recon scan.mat --theta 0:180 -o v.h5");
    char *found = cli_output_of(at, "info data.mat --theta 0:180:excluded --flats scan.mat:/flats");
    assert_non_null(strstr(found, "kind         MATLAB array, uint16\n"
                                  "recognised   likely: the only array, projections\n"
                                  "shape        24 angles, 4 rows, 16 columns\n"));
    free(found);
}

/* EDF files as the ESRF names them, with the bytes in the other order. */
static void write_edf(const char *directory, const char *stem, int count, const uint16_t *values)
{
    for (int k = 0; k < count; k++) {
        char file[512 + 2 * PIXELS], name[64];
        memset(file, ' ', 512);
        const int length = snprintf(file, 512,
                                    "{\nByteOrder = HighByteFirst ;\nDataType = UnsignedShort ;\nDim_1 = %d "
                                    ";\nDim_2 = %d ;\n",
                                    COLUMNS, ROWS);
        file[length] = ' ';
        file[510] = '}';
        file[511] = '\n';
        for (int i = 0; i < PIXELS; i++) {
            file[512 + 2 * i] = (char)(values[k * PIXELS + i] >> 8);
            file[513 + 2 * i] = (char)(values[k * PIXELS + i] & 0xff);
        }
        snprintf(name, sizeof name, "%s%04d.edf", stem, k);
        cli_write_bytes(directory, name, file, sizeof file);
    }
}

static void arrays_and_images_agree(void **state)
{
    static Scan scan;
    const char *const at = *state;
    write_scans(at, &scan);
    write_arrays(at, &scan);
    write_edf(at, "sample_", ANGLES, scan.data);
    write_edf(at, "ref", FLATS, scan.flats);
    write_edf(at, "dark", DARKS, scan.darks);
    cli_works(at, "recon scan.h5 -o a.h5 --rotation-axis 7.5 --pictures no --report none --theta 0:180:excluded");
    cli_works(at,
              "recon data.npy --flats flats.npy --darks darks.npy --theta 0:180:excluded -o b.h5 --rotation-axis 7.5 "
              "--pictures no --report none");
    assert_same_volume(at, "a.h5", "b.h5", 4, 16);
    cli_works(at,
              "recon sample_*.edf --flats ref*.edf --darks dark*.edf --theta 0:180:excluded -o c.h5 --rotation-axis "
              "7.5 --pictures no --report none");
    assert_same_volume(at, "a.h5", "c.h5", 4, 16);
    cli_refuses(at, "'data.npy' | --theta | 0:step:0.5", "recon data.npy --flats flats.npy -o v.h5");
}

static char *info_of(const char *directory, const char *line)
{
    CliRun run = {.directory = directory};
    cli_start(&run, "%s", line);
    cli_wait(&run);
    assert_int_equal(run.exit_code, cli_code_of_info(run.out));
    char *found = strdup(run.out);
    cli_free(&run);
    return found;
}

static void info_says_what_it_saw(void **state)
{
    static Scan scan;
    write_scans(*state, &scan);
    char *found = info_of(*state, "info scan.nxs");
    assert_non_null(
        strstr(found, "kind         NXtomo HDF5, uint16\n"
                      "recognised   certain: definition NXtomo, /entry/instrument/detector/data with "
                      "image_key, angles in /entry/sample/rotation_angle\n"
                      "shape        24 angles, 4 rows, 16 columns\n"
                      "warning      2 of 31 frames are ignored, as their image_key or image_key_control is neither 0"));
    free(found);
    found = info_of(*state, "info scan.nxs --json");
    assert_non_null(strstr(found, "\"recognised\": {\"certainty\": \"certain\", \"evidence\": \"definition NXtomo, "));
    free(found);
    found = info_of(*state, "info scan.h5 --dataset /sinograms --axes row,angle,column --theta 0:172.5 --flats "
                            ":/exchange/data_white");
    assert_non_null(strstr(found, "kind         HDF5 dataset, uint16\nrecognised   by your option: dataset /sinograms\n"
                                  "shape        24 angles, 4 rows, 16 columns\n"));
    free(found);
}

/* A scan without some projections is that of a file which does not have them. */
static void projections_left_out(void **state)
{
    static Scan scan;
    const char *const at = *state;
    write_scans(at, &scan);
    cli_works(at, "recon scan.nxs -o a.h5 --rotation-axis 7.5 --pictures no --report none --exclude 20:24,3");
    cli_works(at, "recon scan.h5 -o b.h5 --rotation-axis 7.5 --pictures no --report none --exclude 3 --end-angle 142.5 "
                  "--flat-positions 0,9,24");
    assert_same_volume(at, "a.h5", "b.h5", 4, 16);
    char *found = info_of(at, "info scan.nxs --exclude 3,20:24");
    assert_non_null(strstr(found, "angles       19, 0.0000 to 142.5000 degrees, steps of 7.5000 to 15.0000, from 19 of "
                                  "24 projections\n"));
    free(found);
    found = info_of(at, "info scan.nxs --angle-binning 2 --json");
    assert_non_null(strstr(found, "\"projections_in_file\": 24, \"averaged\": 2}"));
    free(found);
    cli_works(at, "recon scan.nxs -o c.h5 --rotation-axis 7.5 --pictures no --report none --angle-binning 2");
    free(cli_read_volume(at, "c.h5", 4, 16));
    cli_refuses(at, "exclude | '24' | 0 to 23", "recon scan.nxs -o v.h5 --exclude 24");
    cli_refuses(at, "--binning, --exclude | rows, columns or angles | input file",
                "plan --angles 9 --columns 9 --slices 9 --exclude 3");
}

/* A dropped projection is told by its number in the file. */
static void dropped_projections_keep_their_numbers(void **state)
{
    static Scan scan;
    make(&scan);
    memset(scan.data + 17 * PIXELS, 0, PIXELS * sizeof *scan.data);
    write_arrays(*state, &scan);
    CliRun run = {.directory = *state};
    cli_start(&run, "recon data.npy --flats flats.npy --darks darks.npy --theta 0:180:excluded -o v.h5 --rotation-axis "
                    "7.5 --pictures no --report none --exclude 2:6");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    assert_non_null(strstr(run.err, "projections: 20 of 24, which make 20 angles\n"));
    assert_non_null(strstr(run.err, "projections without any value: 1 of 20, they have weight 0; number 17\n"));
    cli_free(&run);
}

static void datasets_that_do_not_fit(void **state)
{
    static Scan scan;
    const char *const at = *state;
    write_scans(at, &scan);
    cli_refuses(at, "'scan.h5' | --theta | --theta-dataset",
                "recon scan.h5 --dataset /sinograms --axes row,angle,column --flats :/exchange/data_white -o v.h5");
    cli_refuses(at,
                "scan.h5: /exchange/theta | 24 angles | 4, one per projection | /sinograms | --axes row,angle,column",
                "recon scan.h5 --dataset /sinograms --theta-dataset /exchange/theta -o v.h5");
    cli_refuses(at, "--theta | '0:180' | '/exchange/theta' | one of them",
                "recon scan.h5 --theta 0:180 --theta-dataset /exchange/theta -o v.h5");
    cli_refuses(at, "scan.h5: /sinograms | 24 rows and 16 columns | 4 and 16",
                "recon scan.h5 --flats :/sinograms -o v.h5");
    cli_refuses(at, "scan.h5 | /nowhere", "recon scan.h5:/nowhere -o v.h5");
    cli_refuses(at, "--out | same file | 'scan.h5' | different files",
                "recon scan.h5:/sinograms --theta 0:180 -o scan.h5 --overwrite");
}

/* The file as the beamline wrote it. */
static void measured_at_k11(void **state)
{
    char path[TESTING_PATH];
    testing_data(path, "diad-k11/k11-18014.nxs");
    cli_works(*state, "recon %s -o v.h5 --pictures no --report none --algorithm cg --iterations 2", path);
    free(cli_read_volume(*state, "v.h5", 22, 26));
}

/* A sinogram as its authors published it; the variable of the angles tells that they are radians. */
static void measured_dendrites(void **state)
{
    char path[TESTING_PATH];
    testing_data(path, "rings/RealDataDend.mat");
    CliRun run = {.directory = *state};
    cli_start(&run,
              "recon %s --axes row,angle,column --theta-dataset anglesRad --data line-integrals -o v.h5 --pictures "
              "no --report none --algorithm fbp",
              path);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    assert_true(fabs(cli_number_after(run.err, "rotation center: column ", NULL) - 629.4) < 0.5);
    assert_non_null(strstr(run.err, "(by entropy of the slice; Vo's method: 628."));
    assert_non_null(strstr(run.err, "the methods that find the center disagree"));
    assert_non_null(strstr(run.err, "stripes are taken out by wiener"));
    cli_free(&run);
    free(cli_read_volume(*state, "v.h5", 1, 1260));
}

int cli_scans_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(formats_agree),
        CLI_TEST(arrays_and_images_agree),
        CLI_TEST(matlab_files_agree),
        CLI_TEST(info_says_what_it_saw),
        CLI_TEST(projections_left_out),
        CLI_TEST(dropped_projections_keep_their_numbers),
        CLI_TEST(datasets_that_do_not_fit),
        CLI_TEST(measured_at_k11),
        CLI_TEST(measured_dendrites),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
