/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, hostile files: pipes, declared sizes, incomplete sources, names with control characters, outputs that
 * would replace an input. Each is refused in little time and memory, by every verb that reads scans. */
#include "cli.h"
#include "testing_hdf5.h"
#include "testing_tiff.h"

#include <sys/stat.h>

static const char *const readers[] = {
    "info %s", "plan %s", "recon %s -o out.h5 --rotation-axis 7",
    "recon %s -o out --reconstruction-type try --rotation-axis 7 --center-search-width 1"};

/* Every verb refuses the scan with these key words, within 10 s and 1 GiB. */
static void all_refuse(const char *directory, const char *scan, const char *keys)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        CliRun run = {.directory = directory};
        char line[1024];
        const char *rest = strstr(readers[i], "%s");
        snprintf(line, sizeof line, "%.*s%s%s", (int)(rest - readers[i]), readers[i], scan, rest + 2);
        cli_start(&run, "%s", line);
        cli_wait(&run);
        assert_true(run.elapsed_s < 10 && run.peak_bytes < (int64_t)1 << 30);
        cli_assert_ended(&run, 2, keys);
        assert_false(cli_exists(directory, "out.h5") || cli_exists(directory, "out"));
    }
}

static void pipes_are_not_waited_for(void **state)
{
    const char *const at = *state;
    char path[TESTING_PATH];
    cli_write_scan(at, "scan.h5", &cli_scan);
    assert_int_equal(mkfifo(testing_path(path, at, "pipe"), 0600), 0);
    assert_int_equal(mkfifo(testing_path(path, at, "pipe.tif"), 0600), 0);
    all_refuse(at, "pipe", "pipe | neither a file nor a folder | allowed");
    all_refuse(at, "/dev/zero", "/dev/zero | neither a file nor a folder | allowed");
    all_refuse(at, "pi*.tif", "pipe.tif is not a regular file");
    all_refuse(at, "scan.h5 --theta pipe", "pipe is not a regular file");
    all_refuse(at, "scan.h5 --theta /dev/zero", "/dev/zero is not a regular file");
    all_refuse(at, "scan.h5 --flats pipe", "pipe is not a regular file");
    all_refuse(at, "scan.h5 --darks pi*.tif", "pipe.tif is not a regular file");
    all_refuse(at, "pipe --columns 16 --theta 0:180", "pipe | neither a file nor a folder | allowed");
    all_refuse(at, "scan.h5 --config pipe", "--config: pipe is not a regular file");
    cli_refuses(at, "--machine | 'pipe' | h100x1 | `sinodag bench --csv`", "plan scan.h5 --machine pipe");
}

/* A dataset of this size and these chunks of which one value is written. */
static void declare_chunks(hid_t file, const char *name, const hsize_t size[3], const hsize_t chunk[3])
{
    const uint16_t one = 1;
    const hsize_t start[] = {0, 0, 0}, first[] = {1, 1, 1};
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(3, size, NULL);
    assert_true(H5Pset_chunk(creation, 3, chunk) >= 0);
    const hid_t data = H5Dcreate2(file, name, H5T_STD_U16LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    const hid_t memory = H5Screate_simple(3, first, NULL);
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, first, NULL) >= 0);
    assert_true(H5Dwrite(data, H5T_NATIVE_UINT16, memory, space, H5P_DEFAULT, &one) >= 0);
    assert_true(H5Dclose(data) >= 0 && H5Sclose(memory) >= 0 && H5Sclose(space) >= 0 && H5Pclose(creation) >= 0);
}

static void declare(hid_t file, const char *name, hsize_t images, hsize_t rows, hsize_t columns)
{
    declare_chunks(file, name, (const hsize_t[]){images, rows, columns}, (const hsize_t[]){1, 1, 1});
}

/* info looks at 2^22 values of each image, whatever the file declares. */
static void large_images_are_sampled(void **state)
{
    char path[TESTING_PATH];
    const hsize_t size[] = {2, 1 << 20, 16}, chunk[] = {1, 1 << 12, 16};
    CliRun run = {.directory = *state};
    const hid_t file = testing_hdf5_create(testing_path(path, *state, "scan.h5"));
    declare_chunks(file, "/exchange/data", size, chunk);
    declare_chunks(file, "/exchange/data_white", size, chunk);
    testing_hdf5_close(file);
    cli_start(&run, "info scan.h5 --json");
    cli_wait(&run);
    assert_int_equal(run.exit_code, cli_code_of_info(run.out));
    if (!strstr(run.out,
                "\"images_read\": 2, \"least\": 0, \"most\": 1, \"mean\": 1.192092896e-07, \"values\": 8388608,"))
        fail_msg("%s", run.out);
    assert_true(run.elapsed_s < 10 && run.peak_bytes < (int64_t)1 << 30);
    cli_free(&run);
}

static void declared_sizes(void **state)
{
    const char *const at = *state;
    char path[TESTING_PATH];
    const hsize_t wraps = ((hsize_t)1 << 58) + 1;
    hid_t file = testing_hdf5_create(testing_path(path, at, "flats.h5"));
    declare(file, "/exchange/data", 1, 1, 1);
    declare(file, "/exchange/data_white", wraps, 1, 1);
    testing_hdf5_close(file);
    all_refuse(at, "flats.h5", "flats.h5 | 288230376151711745 flat fields | up to 1048576");
    file = testing_hdf5_create(testing_path(path, at, "darks.h5"));
    declare(file, "/exchange/data", 8, 1, 16);
    declare(file, "/exchange/data_white", 2, 1, 16);
    declare(file, "/exchange/data_dark", ((hsize_t)1 << 57), 1, 16);
    testing_hdf5_close(file);
    all_refuse(at, "darks.h5", "darks.h5 | 144115188075855872 dark fields | up to 1048576");
    file = testing_hdf5_create(testing_path(path, at, "rows.h5"));
    declare(file, "/exchange/data", 8, (hsize_t)1 << 40, 16);
    testing_hdf5_close(file);
    all_refuse(at, "rows.h5", "rows.h5 | 1099511627776 rows | up to 1048576");
    file = testing_hdf5_create(testing_path(path, at, "angles.h5"));
    declare(file, "/exchange/data", 600000000, 1, 4);
    testing_hdf5_close(file);
    all_refuse(at, "angles.h5", "angles.h5 | 600000000 projections | up to 1048576");
}

/* A virtual dataset in master.h5 whose two halves are in part0.h5 and part1.h5. */
static void write_parts(const char *directory)
{
    char path[TESTING_PATH];
    const hsize_t whole[] = {12, 4, 16}, half[] = {6, 4, 16}, one[] = {1, 1, 1};
    const char *const names[] = {"part0.h5", "part1.h5"};
    CliScan part = cli_scan;
    part.angles = 6;
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(3, whole, NULL);
    for (hsize_t i = 0; i < 2; i++) {
        const hid_t source = H5Screate_simple(3, half, NULL);
        cli_write_scan(directory, names[i], &part);
        assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, (const hsize_t[]){6 * i, 0, 0}, NULL, one, half) >= 0);
        assert_true(H5Pset_virtual(creation, space, names[i], "/exchange/data", source) >= 0 && H5Sclose(source) >= 0);
    }
    CliScan master = cli_scan;
    master.data_rank = 0;
    cli_write_scan(directory, "master.h5", &master);
    const TestingDataset data = {
        .name = "/exchange/data", .file_type = H5T_STD_U16LE, .rank = 3, .size = {12, 4, 16}, .creation = creation};
    const hid_t file = H5Fopen(testing_path(path, directory, "master.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    testing_hdf5_dataset(file, &data);
    testing_hdf5_close(file);
    assert_true(H5Pclose(creation) >= 0 && H5Sclose(space) >= 0);
}

static void incomplete_sources(void **state)
{
    const char *const at = *state;
    char path[TESTING_PATH];
    write_parts(at);
    cli_works(at, "info master.h5");
    cli_refuses(at, "--out | same file | 'part1.h5' | different files",
                "recon master.h5 -o ./part1.h5 --overwrite --rotation-axis 7");
    testing_path(path, at, "part1.h5");
    assert_int_equal(truncate(path, 2000), 0);
    all_refuse(at, "master.h5", "takes values from part1.h5: part1.h5 is cut, damaged or no HDF5 file (HDF5: ");
    cli_write_text(at, "part1.h5", "no HDF5");
    all_refuse(at, "master.h5", "takes values from part1.h5: part1.h5 is cut, damaged or no HDF5 file (HDF5: ");
    assert_int_equal(truncate(path, 0), 0);
    all_refuse(at, "master.h5", "takes values from part1.h5: part1.h5 is cut, damaged or no HDF5 file (HDF5: ");
    CliScan other = cli_scan;
    other.data_rank = 0;
    cli_write_scan(at, "part1.h5", &other);
    all_refuse(at, "master.h5", "takes values from part1.h5: part1.h5 has no dataset /exchange/data");
    other = cli_scan;
    other.angles = 5;
    cli_write_scan(at, "part1.h5", &other);
    all_refuse(at, "master.h5", "part1.h5: /exchange/data has 320 values, which do not fit the 384 that are taken");
    assert_int_equal(unlink(path), 0);
    all_refuse(at, "master.h5", "values from part1.h5 | does not exist | beside");
}

/* No byte of what is printed is a control character, but the line's end. */
static void assert_visible(const char *text)
{
    for (; *text; text++) assert_true((unsigned char)*text >= 0x20 || *text == '\n');
}

/* In `folder`: the scan, but for its data, which are those of "frames.h5" or, raw, of "frames.raw". */
static void write_named(const char *directory, const char *name, bool raw)
{
    char path[TESTING_PATH];
    CliScan scan = cli_scan;
    scan.data_rank = 0;
    cli_write_scan(directory, name, &scan);
    const hid_t file = H5Fopen(testing_path(path, directory, name), H5F_ACC_RDWR, H5P_DEFAULT);
    TestingDataset data = {.name = "/exchange/data",
                           .file_type = H5T_STD_U16LE,
                           .rank = 3,
                           .size = {cli_scan.angles, cli_scan.rows, cli_scan.columns},
                           .creation = H5Pcreate(H5P_DATASET_CREATE)};
    const hid_t space = H5Screate_simple(3, data.size, NULL);
    assert_true(file >= 0 && data.creation >= 0 && space >= 0);
    if (raw)
        assert_true(H5Pset_external(data.creation, "frames.raw", 0, H5F_UNLIMITED) >= 0);
    else
        assert_true(H5Pset_virtual(data.creation, space, "frames.h5", "/exchange/data", space) >= 0);
    testing_hdf5_dataset(file, &data);
    assert_true(H5Pclose(data.creation) >= 0 && H5Sclose(space) >= 0);
    testing_hdf5_close(file);
}

/* The volume of a scan whose frames are looked for with this variable; caller frees. */
static float *volume_of(const char *directory, const char *scan, const char *environment)
{
    CliRun run = {.directory = directory, .environment = environment};
    cli_start(&run,
              "recon %s -o out.h5 --overwrite --rotation-axis 7 --algorithm cg --iterations 1 --pictures no --report "
              "none --workers 1",
              scan);
    cli_wait(&run);
    if (run.exit_code != 0)
        fail_msg("%s: exit code %d\n%s", environment ? environment : "no variable", run.exit_code, run.err);
    cli_free(&run);
    return cli_read_volume(directory, "out.h5", (int64_t)cli_scan.rows, (int64_t)cli_scan.columns);
}

/* The files that are checked are those that HDF5 reads, also where variables tell it to look: of the files of the same
 * name those elsewhere lack most values. */
static void prefixes_of_sources(void **state)
{
    static const char *const trial[][3] = {
        /* scan, variable, folder of the frames */
        {"scans/virtual.h5", "HDF5_VDS_PREFIX=nowhere::near", "near"},
        {"scans/virtual.h5", "HDF5_VDS_PREFIX=${ORIGIN}/far", "scans/far"},
        {"scans/virtual.h5", "HDF5_VDS_PREFIX=", "scans"},
        {"scans/raw.h5", "HDF5_EXTFILE_PREFIX=near", "near"},
        {"scans/raw.h5", "HDF5_EXTFILE_PREFIX=${ORIGIN}/far", "scans/far"},
        {"scans/raw.h5", "HDF5_EXTFILE_PREFIX=.", "."},
    };
    static const char *const folders[] = {".", "near", "scans", "scans/far"};
    const char *const at = *state;
    char path[TESTING_PATH], name[64];
    CliScan little = cli_scan;
    little.angles = little.theta_count = 3;
    cli_write_scan(at, "plain.h5", &cli_scan);
    float *expected = volume_of(at, "plain.h5", NULL);
    const int64_t size[] = {(int64_t)cli_scan.angles, (int64_t)cli_scan.rows, (int64_t)cli_scan.columns};
    const int64_t count = size[0] * size[1] * size[2];
    double *values = cli_read_doubles(at, "plain.h5", "/exchange/data", 3, size);
    uint16_t *counts = calloc((size_t)count, sizeof *counts);
    for (int64_t i = 0; i < count; i++) counts[i] = (uint16_t)values[i];
    for (int i = 1; i < 4; i++) assert_int_equal(mkdir(testing_path(path, at, folders[i]), 0700), 0);
    write_named(at, "scans/virtual.h5", false);
    write_named(at, "scans/raw.h5", true);
    for (size_t i = 0; i < sizeof trial / sizeof *trial; i++) {
        for (int k = 0; k < 4; k++) {
            const bool here = strcmp(folders[k], trial[i][2]) == 0;
            snprintf(name, sizeof name, "%s/frames.h5", folders[k]);
            cli_write_scan(at, name, here ? &cli_scan : &little);
            snprintf(name, sizeof name, "%s/frames.raw", folders[k]);
            cli_write_bytes(at, name, counts, here ? (size_t)count * sizeof *counts : 10);
        }
        float *found = volume_of(at, trial[i][0], trial[i][1]);
        assert_memory_equal(found, expected, (size_t)(size[1] * size[2] * size[2]) * sizeof *found);
        free(found);
    }
    free(expected);
    free(values);
    free(counts);
}

static void control_characters(void **state)
{
    static const char name[] = "a\x1b[31m\nsinodag:\rforged.h5";
    const char *const at = *state;
    cli_write_scan(at, name, &cli_scan);
    const char *const lines[] = {"info %s", "info %s.absent", "recon %s -o out.h5 --rotation-axis 99",
                                 "recon %s -o %s.out --algorithm cg --iterations 2"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        CliRun run = {.directory = at};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        cli_start(&run, lines[i], name, name);
#pragma GCC diagnostic pop
        cli_wait(&run);
        assert_visible(run.out);
        assert_visible(run.err);
        assert_null(strstr(run.err, "\nsinodag:\\x0dforged"));
        cli_free(&run);
    }
    cli_refuses(at, "--\\x1b[2J | --help", "info --\x1b[2J");
}

static void yaml_texts_with_nul(void **state)
{
    const char *const at = *state;
    cli_write_scan(at, "scan.h5", &cli_scan);
    cli_write_text(at, "nul.yaml", "file-name: scan.h5\nout: \"out.h5\\0.safe\"\n");
    cli_refuses(at, "nul.yaml | line 2 | \\0", "recon --config nul.yaml");
}

static void outputs_that_are_inputs(void **state)
{
    const char *const at = *state;
    const TestingTiff flat = {.format = SAMPLEFORMAT_UINT, .bits = 16, .rows = 4, .columns = 16, .image = 1};
    char path[TESTING_PATH], other[TESTING_PATH];
    cli_write_scan(at, "scan.h5", &cli_scan);
    testing_tiff_write(testing_path(path, at, "o_slice_00002.png"), &flat);
    cli_refuses(at, "a picture | --flats | same file | 'o_slice_00002.png'",
                "recon scan.h5 --flats o_slice_00002.png -o o.h5 --overwrite --rotation-axis 7");
    cli_refuses(at, "a picture | --darks | same file | './o_slice_00002.png' and 'o_slice_00002.png'",
                "recon scan.h5 --darks o_slice_00002.png -o ./o.h5 --overwrite --rotation-axis 7");
    assert_int_equal(mkdir(testing_path(path, at, "o"), 0700), 0);
    testing_tiff_write(testing_path(path, at, "o/recon_00001.tiff"), &flat);
    cli_refuses(at, "a TIFF slice | --flats | same file | 'o/recon_00001.tiff'",
                "recon scan.h5 --flats o/*.tiff -o o --save-format tiff --overwrite --rotation-axis 7");
    assert_int_equal(link(path, testing_path(other, at, "linked.tif")), 0);
    cli_refuses(at, "a TIFF slice | --flats | same file | 'o/recon_00001.tiff' and 'linked.tif'",
                "recon scan.h5 --flats linked.tif -o o --save-format tiff --overwrite --rotation-axis 7");
    cli_write_text(at, "out.h5.partial", "0\n15\n30\n45\n60\n75\n90\n105\n120\n135\n150\n165\n");
    cli_refuses(at, "--out | --theta | 'out.h5.partial' | different files",
                "recon scan.h5 --theta out.h5.partial -o out.h5 --rotation-axis 7");
    cli_write_text(at, "out_slice_00002.png", "iterations: 2\n");
    cli_refuses(at, "a picture | --config | same file | 'out_slice_00002.png'",
                "recon scan.h5 --config out_slice_00002.png -o out.h5 --overwrite --rotation-axis 7");
    cli_refuses(at, "--graph | --out | 'new.h5' | different files",
                "recon scan.h5 -o new.h5 --graph ./new.h5 --rotation-axis 7");
    cli_refuses(at, "a picture | --graph | same file | 'new_slice_00002.png'",
                "recon scan.h5 -o new.h5 --graph new_slice_00002.png --rotation-axis 7");
    cli_refuses(at, "--roofline | --csv | 'r.svg' | different files", "bench --csv r.svg --roofline ./r.svg");
}

/* A folder that is read is not written to: files of Zarr volumes, images of stacks. Other files may lie there. */
static void outputs_in_input_folders(void **state)
{
    const char *at = *state;
    cli_works(at, "phantom -o scan.h5 --size 32 --angles 30 --slices 2 --truth truth.h5");
    cli_works(at, "recon scan.h5 -o z.zarr --save-format zarr --rotation-axis 15.5 --algorithm sirt --iterations 2");
    cli_works(at, "recon scan.h5 -o t --save-format tiff --rotation-axis 15.5 --algorithm sirt --iterations 2");
    cli_refuses(at, "--picture | 'z.zarr/zarr.json' | 'z.zarr' | other folders",
                "compare truth.h5 z.zarr --picture z.zarr/zarr.json --overwrite");
    cli_refuses(at, "--out | 'z.zarr/new.h5' | 'z.zarr' | other folders",
                "recon scan.h5 -o z.zarr/new.h5 --rotation-axis 15.5 --algorithm sirt --iterations 1 --start z.zarr");
    cli_refuses(at, "--picture | 't/recon_00000.tiff' | 't' | other folders",
                "compare truth.h5 t --picture t/recon_00000.tiff --overwrite");
    cli_works(at, "compare truth.h5 z.zarr");
    cli_works(at, "compare truth.h5 t --picture t/picture.png");
}

int cli_hostile_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(outputs_in_input_folders), CLI_TEST(pipes_are_not_waited_for), CLI_TEST(declared_sizes),
        CLI_TEST(large_images_are_sampled), CLI_TEST(incomplete_sources),       CLI_TEST(prefixes_of_sources),
        CLI_TEST(control_characters),       CLI_TEST(yaml_texts_with_nul),      CLI_TEST(outputs_that_are_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
