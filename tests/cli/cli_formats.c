/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, formats: volumes of integers say what they stand for, in every format, and hold the same values. */
#include "cli.h"

#include "testing_hdf5.h"

#include <math.h>

#include <tiffio.h>

enum { SIZE = 48, SLICES = 7, SLICE = SIZE * SIZE };

#define RECON_BY(algorithm) "recon scan.h5 --rotation-axis 23.5 --iterations 5 --pictures no --algorithm " algorithm " "
#define RECON               RECON_BY("cg")

static void make_scan(const char *directory)
{
    cli_works(directory, "phantom -o scan.h5 --size 48 --angles 40 --slices 7 --noise 0.01");
}

static double number_of(const char *directory, const char *name, const char *attribute)
{
    char path[TESTING_PATH];
    double value = NAN;
    const hid_t file = H5Fopen(testing_path(path, directory, name), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t found = H5Aopen_by_name(file, "/exchange/data", attribute, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(found >= 0 && H5Aread(found, H5T_NATIVE_DOUBLE, &value) >= 0 && H5Aclose(found) >= 0);
    testing_hdf5_close(file);
    return value;
}

/* `words` begin with the algorithm. */
static char *start_and_take(CliRun *run, const char *directory, const char *words)
{
    *run = (CliRun){.directory = directory};
    cli_start(run, RECON_BY("%s"), words);
    cli_wait(run);
    if (run->exit_code != 0) fail_msg("%s: %s", words, run->err);
    return run->err;
}

/* Integers are the nearest ones of the float volume; the log and the file tell how many are clipped. */
static void integers_stand_for_values(void **state)
{
    const char *const at = *state;
    const int64_t size[] = {SLICES, SIZE, SIZE}, three = 3;
    CliRun run;
    make_scan(at);
    cli_works(at, RECON "-o float.h5");
    float *value = cli_read_volume(at, "float.h5", SLICES, SIZE);
    const char *const err =
        start_and_take(&run, at, "cg -o int.h5 --output-type uint16 --output-range -0.01:0.04 --save-format both");
    double *code = cli_read_doubles(at, "int.h5", "/exchange/data", 3, size);
    double *clipped = cli_read_doubles(at, "int.h5", "/process/clipped", 1, &three);
    const double step = number_of(at, "int.h5", "scale_factor"), low = number_of(at, "int.h5", "add_offset");
    int64_t below = 0, above = 0;
    assert_true(fabs(low + 0.01) < 1e-15 && fabs(step * 65535 / 0.05 - 1) < 1e-12);
    for (int64_t i = 0; i < SLICES * SLICE; i++) {
        const double clip = fmin(fmax((double)value[i], -0.01), 0.04);
        below += (double)value[i] < -0.01;
        above += (double)value[i] > 0.04;
        assert_true(fabs(low + step * code[i] - clip) <= 0.5001 * step + 1e-9);
    }
    assert_true(below > 0 && above > 0 && (double)(below + above) < 0.5 * SLICES * SLICE);
    assert_true(clipped[0] == (double)below && clipped[1] == (double)above && clipped[2] == 0);
    assert_true(cli_number_after(err, "65535 is 0.04; clipped: ", NULL) == (double)below);
    assert_true(cli_number_after(err, "voxels below and ", NULL) == (double)above);
    assert_non_null(strstr(err, " % of the voxels are beyond the range -0.01:0.04 and were clipped;"));
    cli_free(&run);
    free(value);
    free(code);
    free(clipped);
}

/* The tags that ImageJ and other readers show. */
static void tiff_says_what_it_is(void **state)
{
    const char *const at = *state;
    const int64_t size[] = {SLICES, SIZE, SIZE};
    char path[TESTING_PATH], expected[200];
    uint8_t row[SIZE];
    uint16_t bits = 0, format = 0, unit = 0;
    float across = 0, down = 0;
    char *text = NULL;
    make_scan(at);
    cli_works(at, RECON "-o out.h5 --output-type uint8 --output-range -0.5:2 --save-format both --pixel-size 2.5");
    double *code = cli_read_doubles(at, "out.h5", "/exchange/data", 3, size);
    TIFF *tiff = TIFFOpen(testing_path(path, at, "out/recon_00003.tiff"), "r");
    assert_non_null(tiff);
    assert_true(TIFFGetField(tiff, TIFFTAG_BITSPERSAMPLE, &bits) && TIFFGetField(tiff, TIFFTAG_SAMPLEFORMAT, &format));
    assert_true(TIFFGetField(tiff, TIFFTAG_RESOLUTIONUNIT, &unit));
    assert_true(TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &across) && TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &down));
    assert_true(TIFFGetField(tiff, TIFFTAG_IMAGEDESCRIPTION, &text));
    assert_int_equal(bits, 8);
    assert_int_equal(format, SAMPLEFORMAT_UINT);
    assert_int_equal(unit, RESUNIT_CENTIMETER);
    assert_true(across == 4000 && down == 4000);
    snprintf(expected, sizeof expected,
             "ImageJ=1.54f\nunit=um\nspacing=2.5\nmin=0\nmax=255\ncf=0\nc0=-0.5\nc1=%.17g\nvunit=1/cm\n", 2.5 / 255);
    assert_string_equal(text, expected);
    for (uint32_t y = 0; y < SIZE; y++) {
        assert_int_equal(TIFFReadScanline(tiff, row, y, 0), 1);
        for (int x = 0; x < SIZE; x++) assert_true(row[x] == code[3 * SLICE + y * SIZE + (uint32_t)x]);
    }
    TIFFClose(tiff);
    free(code);
}

/* One range for any division of the work; where the division gives the same floats, the same integers. */
static void range_is_found(void **state)
{
    static const char *const way[] = {"cg --partitions 2", "cg --partitions 2 --workers 1",
                                      "cg --partitions 2 --minibatch 3 --memory 200MiB", "sirt --partitions 3"};
    const char *const at = *state;
    const int64_t two = 2, size[] = {SLICES, SIZE, SIZE};
    double *first = NULL, *data = NULL;
    make_scan(at);
    for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
        char words[120];
        CliRun run;
        snprintf(words, sizeof words, "%s -o out.h5 --overwrite --output-type uint16", way[i]);
        const char *const err = start_and_take(&run, at, words);
        assert_non_null(strstr(err, " 1/pixel, by 5 slices reconstructed with fbp\n"));
        assert_true(cli_number_after(err, "clipped: ", NULL) < 1e-3 * SLICES * SLICE);
        cli_free(&run);
        double *range = cli_read_doubles(at, "out.h5", "/process/output_range", 1, &two);
        double *now = cli_read_doubles(at, "out.h5", "/exchange/data", 3, size);
        if (!first) first = range, data = now;
        assert_memory_equal(range, first, 2 * sizeof *range);
        if (i < 3) assert_memory_equal(now, data, SLICES * SLICE * sizeof *now);
        if (range != first) free(range);
        if (now != data) free(now);
    }
    assert_true(first[0] < 0 && first[1] > 0);
    free(first);
    free(data);
}

/* The slices are those of the HDF5 file, in ascending order, whichever minibatch ends first. */
static void stack_is_one_file(void **state)
{
    const char *const at = *state;
    char path[TESTING_PATH];
    float row[SIZE];
    make_scan(at);
    cli_works(at, RECON "--minibatch 1 -o out.h5 --report none");
    cli_works(at,
              "recon scan.h5 --rotation-axis 23.5 --algorithm cg --iterations 5 --minibatch 1 -o out.tif --report none "
              "--save-format tiff-stack");
    assert_names(at, "out.h5 out.tif out_sinogram_00003.png out_slice_00003.png scan.h5");
    float *value = cli_read_volume(at, "out.h5", SLICES, SIZE);
    TIFF *tiff = TIFFOpen(testing_path(path, at, "out.tif"), "r");
    assert_non_null(tiff);
    assert_int_equal(TIFFNumberOfDirectories(tiff), SLICES);
    for (uint32_t s = 0; s < SLICES; s++) {
        assert_int_equal(TIFFSetDirectory(tiff, (uint16_t)s), 1);
        for (uint32_t y = 0; y < SIZE; y++) {
            assert_int_equal(TIFFReadScanline(tiff, row, y, 0), 1);
            assert_memory_equal(row, value + s * SLICE + y * SIZE, sizeof row);
        }
    }
    TIFFClose(tiff);
    free(value);
    cli_refuses(at, "--out | 'x.tiff' | HDF5 | --save-format tiff-stack", RECON "-o x.tiff");
    cli_refuses(at, "--out | 'x.zarr' | TIFF | --save-format zarr", RECON "-o x.zarr --save-format tiff");
    cli_refuses(at, "--out | 'x.h5' | TIFF | --save-format hdf5", RECON "-o x.h5 --save-format tiff-stack");
    cli_refuses(at, "out.tif exists | --overwrite", RECON "-o out.tif --save-format tiff-stack");
    cli_works(at, RECON "-o out.tif --save-format tiff-stack --overwrite");
}

/* Same values in fewer bytes. A disc in a large image of zeros is compressed well. */
static void slices_are_compressed(void **state)
{
    const char *const at = *state;
    make_scan(at);
    cli_works(at, RECON "-o plain.h5 --mask-ratio 0.5 --save-format both");
    cli_works(at, RECON "-o small.h5 --mask-ratio 0.5 --save-format both --compression deflate");
    cli_works(at, RECON "-o code.h5 --mask-ratio 0.5 --save-format both --compression deflate --output-type uint16");
    float *plain = cli_read_volume(at, "plain.h5", SLICES, SIZE),
          *small = cli_read_volume(at, "small.h5", SLICES, SIZE);
    assert_memory_equal(plain, small, SLICES * SLICE * sizeof *plain);
    assert_true(cli_file_size(at, "small.h5") < cli_file_size(at, "plain.h5") * 7 / 10);
    assert_true(cli_file_size(at, "code.h5") < cli_file_size(at, "small.h5"));
    assert_true(cli_file_size(at, "small/recon_00003.tiff") < cli_file_size(at, "plain/recon_00003.tiff") * 7 / 10);
    float *slice = cli_read_tiff(at, "small/recon_00003.tiff", SIZE);
    assert_memory_equal(slice, plain + 3 * SLICE, SLICE * sizeof *slice);
    const int64_t size[] = {SLICES, SIZE, SIZE};
    double *code = cli_read_doubles(at, "code.h5", "/exchange/data", 3, size);
    char path[TESTING_PATH];
    uint16_t row[SIZE], predictor = 0;
    TIFF *tiff = TIFFOpen(testing_path(path, at, "code/recon_00003.tiff"), "r");
    assert_non_null(tiff);
    assert_true(TIFFGetField(tiff, TIFFTAG_PREDICTOR, &predictor) && predictor == PREDICTOR_HORIZONTAL);
    for (uint32_t y = 0; y < SIZE; y++) {
        assert_int_equal(TIFFReadScanline(tiff, row, y, 0), 1);
        for (uint32_t x = 0; x < SIZE; x++) assert_true(row[x] == code[3 * SLICE + y * SIZE + x]);
    }
    TIFFClose(tiff);
    free(plain);
    free(small);
    free(slice);
    free(code);
    cli_refuses(at, "compression | none | --save-format tiff-stack | none | hdf5",
                RECON "-o x.tif --save-format tiff-stack --compression deflate");
    cli_refuses(at, "resume | compressed HDF5 | --resume | --compression none | --save-format tiff",
                RECON "-o x.h5 --compression deflate --resume");
    cli_works(at, RECON "-o x --save-format tiff --compression deflate --resume");
}

/* Makes rows FIRST to END - 1 of the scan, with a given center and more words. */
static void make_rows(const char *directory, const char *name, int first, int end, const char *words)
{
    cli_works(directory, RECON "-o %s --start-row %d --end-row %d --report none --overwrite %s", name, first, end,
              words);
}

/* Slices [first, first + count) of the joined volume are those of a part, to the bit of what is stored. */
static void assert_part(const char *directory, const double *joined, const char *name, int first, int count)
{
    const int64_t size[] = {count, SIZE, SIZE};
    double *part = cli_read_doubles(directory, name, "/exchange/data", 3, size);
    assert_memory_equal(part, joined + first * SLICE, count * SLICE * sizeof *part);
    free(part);
}

/* Volumes of several runs become one. */
static void parts_are_joined(void **state)
{
    const char *const at = *state;
    make_scan(at);
    const int64_t size[] = {SLICES, SIZE, SIZE};
    static const char *const types[] = {"", "--output-type uint16 --output-range -0.1:1.5"};
    for (size_t t = 0; t < 2; t++) {
        make_rows(at, "whole.h5", 0, SLICES, types[t]);
        make_rows(at, "part_10.h5", 5, SLICES, types[t]); /* names need no order of rows */
        make_rows(at, "part_2.h5", 0, 2, types[t]);
        make_rows(at, "part_30.h5", 2, 5, types[t]);
        cli_works(at, "join part_*.h5 -o joined.h5 --overwrite");
        double *joined = cli_read_doubles(at, "joined.h5", "/exchange/data", 3, size);
        assert_part(at, joined, "part_2.h5", 0, 2);
        assert_part(at, joined, "part_30.h5", 2, 3);
        assert_part(at, joined, "part_10.h5", 5, SLICES - 5);
        assert_true(t == 0 || number_of(at, "joined.h5", "scale_factor") == number_of(at, "whole.h5", "scale_factor"));
        free(joined);
    }
    cli_refuses(at, "joined.h5 exists | --overwrite", "join part_*.h5 -o joined.h5");
    static const char *const names[] = {"join part_2.h5 part_30.h5 part_10.h5 -o named.h5",
                                        "join part_10.h5 -o named.h5 part_2.h5 --overwrite part_30.h5",
                                        "join -o named.h5 --overwrite part_30.h5 -- part_[12]*.h5 part_2.h5"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        cli_works(at, "%s", names[i]);
        cli_works(at, "compare named.h5 joined.h5 --region all --at-most 1e-7");
    }
    cli_refuses(at, "part_3.h5 | No such file", "join part_2.h5 part_3.h5 part_10.h5 -o x.h5");
    cli_refuses(at, "--out | same file | 'part_10.h5' | different files",
                "join part_2.h5 part_30.h5 part_10.h5 -o part_10.h5 --overwrite");
    cli_works(at, "join part_*.h5 -o joined.zarr --save-format zarr");
    cli_works(at, "join part_*.h5 -o joined.tif --save-format tiff-stack");
    cli_works(at, "join part_*.h5 -o slices --save-format tiff");
    cli_works(at, "compare joined.zarr joined.h5 --region all --at-most 1e-7");
    cli_works(at, "compare joined.tif joined.h5 --region all --at-most 1e-7");
    cli_works(at, "compare slices joined.h5 --region all --at-most 1e-7");
    cli_refuses(at, "--out | 'x.zarr' | HDF5 | --save-format zarr", "join part_*.h5 -o x.zarr");
    cli_refuses(at, "--save-format | 'both' | hdf5 | zarr", "join part_*.h5 -o x.h5 --save-format both");
    make_rows(at, "part_30.h5", 2, 4, types[1]);
    cli_refuses(at, "part_30.h5 | row 4 | part_10.h5 | row 5 | gaps", "join part_*.h5 -o x.h5");
    make_rows(at, "part_30.h5", 2, 5, "--output-type uint16 --output-range -0.1:1.25");
    cli_refuses(at, "part_2.h5 | output-range | -0.1:1.5 | part_30.h5 | equal settings", "join part_*.h5 -o x.h5");
    cli_refuses(at, "scan.h5 | rows | HDF5 volumes | recon", "join scan.h5 -o x.h5");
    assert_false(cli_exists(at, "x.h5") || cli_exists(at, "x.h5.partial"));
    cli_refuses(at, "join | no --out | VOLUME... --out FILE", "join part_*.h5");
}

static void zarr_is_a_folder(void **state)
{
    const char *const at = *state;
    make_scan(at);
    cli_works(
        at,
        "recon scan.h5 --rotation-axis 23.5 --algorithm cg --iterations 5 -o out.zarr --report none --save-format zarr "
        "--compression zstd");
    assert_names(at, "out.zarr out.zarr/0 out.zarr/0/c out.zarr/0/c/0 out.zarr/0/c/0/0 out.zarr/0/c/0/0/0 "
                     "out.zarr/0/zarr.json out.zarr/zarr.json out_sinogram_00003.png out_slice_00003.png scan.h5");
    cli_refuses(at, "out.zarr exists | --overwrite", RECON "-o out.zarr --report none --save-format zarr");
    cli_write_text(at, "precious", "words");
    cli_refuses(at, "precious | Zarr | new name | zarr.json",
                "recon scan.h5 --report none --save-format zarr --overwrite -o precious");
    cli_refuses(at, "compression | 'deflate' | --save-format zarr | none",
                RECON "-o x.zarr --report none --save-format zarr --compression deflate");
    cli_refuses(at, "compression | 'zstd' | both | none", RECON "-o x.h5 --compression zstd");
    cli_works(at, RECON "-o out.zarr --report none --save-format zarr --overwrite");
    assert_false(cli_exists(at, "out.zarr.old") || cli_exists(at, "out.zarr.partial"));
    assert_false(cli_exists(at, "out.zarr.slices.partial") || cli_exists(at, "out.zarr.journal"));
}

static void refusals(void **state)
{
    const char *const at = *state;
    make_scan(at);
    cli_refuses(at, "--output-range | '1:0.5' | auto | -1e+30 to 1e+30",
                "recon scan.h5 -o x.h5 --output-type uint8 --output-range 1:0.5");
    cli_refuses(at, "--output-range | 'nan:1' | auto | -1e+30 to 1e+30",
                "recon scan.h5 -o x.h5 --output-type uint8 --output-range nan:1");
    cli_refuses(at, "--output-range | '3' | auto | -1e+30 to 1e+30",
                "recon scan.h5 -o x.h5 --output-type uint8 --output-range 3");
    cli_refuses(at, "--output-type | 'int16' | float32 | uint8", "recon scan.h5 -o x.h5 --output-type int16");
    cli_refuses(at, "output-range | 7:7.01 | 65535 | 0.11 | float32",
                "recon scan.h5 -o x.h5 --output-type uint16 --output-range 7:7.01");
    cli_works(at, "phantom -o counts.csr4 --geometry pet");
    cli_refuses(at, "--output-range auto | --system-matrix | it is for | --geometry parallel | MIN:MAX",
                "recon counts.counts --system-matrix counts.csr4 -o x.h5 --output-type uint16");
}

int cli_formats_tests(void)
{
    const struct CMUnitTest tests[] = {CLI_TEST(integers_stand_for_values),
                                       CLI_TEST(tiff_says_what_it_is),
                                       CLI_TEST(range_is_found),
                                       CLI_TEST(stack_is_one_file),
                                       CLI_TEST(slices_are_compressed),
                                       CLI_TEST(parts_are_joined),
                                       CLI_TEST(zarr_is_a_folder),
                                       CLI_TEST(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
