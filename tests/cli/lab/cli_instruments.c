/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, instruments: a phantom's projections as a scanner stores them, with its header; no options. */
#include "cli.h"
#include "testing_tiff.h"

#include <math.h>

enum { SIZE = 64, ANGLES = 90, PIXELS = SIZE * SIZE, FIELDS = 10 };

typedef struct Scanner {
    const char *name;
    const char *phantom; /* its options */
    const char *header;  /* name of the header's file */
    const char *text;    /* of the header */
    const char *image;   /* format of the images' names */
    int first;           /* number of the first image */
    double white;        /* count of air */
} Scanner;

#define LENGTHS "--source-object-distance 100 --source-detector-distance 400 --detector-pixel 0.4"

static const Scanner scanners[] = {
    {"Nikon", LENGTHS " --angle-direction counterclockwise", "s 1.xtekct",
     "[XTekCT]\r\nName=s 1\r\nSrcToObject=100\r\nSrcToDetector=400\r\nDetectorPixelsX=64\r\nDetectorPixelSizeX=0.4\r\n"
     "DetectorPixelsY=64\r\nDetectorPixelSizeY=0.4\r\nWhiteLevel=58500\r\nProjections=90\r\nInitialAngle=0\r\n"
     "AngularStep=4\r\nInputSeparator=_\r\nInputDigits=4\r\n",
     "s 1_%04d.tif", 1, 58500},
};

/* The mean of the fields of scan.h5; caller frees. */
static double *read_mean(const char *directory, const char *dataset)
{
    const int64_t size[] = {FIELDS, SIZE, SIZE};
    double *field = cli_read_doubles(directory, "scan.h5", dataset, 3, size);
    for (int i = 0; i < PIXELS; i++) {
        for (int k = 1; k < FIELDS; k++) field[i] += field[k * PIXELS + i];
        field[i] /= FIELDS;
    }
    return field;
}

/* The counts of scan.h5 as images whose air has the count `white`. */
static void write_images(const char *directory, const Scanner *scanner)
{
    const int64_t size[] = {ANGLES, SIZE, SIZE};
    char name[64], path[TESTING_PATH];
    uint16_t image[PIXELS];
    double *count = cli_read_doubles(directory, "scan.h5", "/exchange/data", 3, size);
    double *white = read_mean(directory, "/exchange/data_white");
    double *dark = read_mean(directory, "/exchange/data_dark");
    for (int k = 0; k < ANGLES; k++) {
        for (int i = 0; i < PIXELS; i++)
            image[i] = (uint16_t)lround(
                fmin(65535, fmax(0, scanner->white * (count[k * PIXELS + i] - dark[i]) / (white[i] - dark[i]))));
        const TestingTiff tiff = {
            .format = SAMPLEFORMAT_UINT, .bits = 16, .rows = SIZE, .columns = SIZE, .values = image};
        snprintf(name, sizeof name, scanner->image, scanner->first + k);
        testing_tiff_write(testing_path(path, directory, name), &tiff);
    }
    free(count);
    free(white);
    free(dark);
}

/* The volume of the header alone is the one of the phantom's file with all options. */
static void headers_need_no_options(void **state)
{
    const char *const at = *state;
    const int64_t voxels = (int64_t)SIZE * PIXELS;
    for (size_t i = 0; i < sizeof scanners / sizeof *scanners; i++) {
        const Scanner *scanner = &scanners[i];
        cli_works(at,
                  "phantom -o scan.h5 --overwrite --geometry cone --size 64 --slices 64 --angles 90 --truth t.h5 %s",
                  scanner->phantom);
        write_images(at, scanner);
        cli_write_text(at, scanner->header, scanner->text);
        cli_works(at, "recon scan.h5 -o a.h5 --overwrite --geometry cone --pictures no --report none %s",
                  strstr(scanner->phantom, "--angle-direction"));
        cli_works(at, "recon . -o b.h5 --overwrite --pictures no --report none");
        float *a = cli_read_volume(at, "a.h5", SIZE, SIZE), *b = cli_read_volume(at, "b.h5", SIZE, SIZE);
        const double difference = cli_difference(voxels, b, a);
        print_message("%s: relative difference %.2g\n", scanner->name, difference);
        assert_true(difference < 0.02);
        free(a);
        free(b);
    }
}

int cli_instruments_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(headers_need_no_options, testing_directory_make, testing_directory_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
