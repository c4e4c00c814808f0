/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, instruments: a phantom's projections as a scanner stores them, with its header; no options but the
 * algorithm. */
#include "cli.h"
#include "testing_ole.h"
#include "testing_tiff.h"

#include <math.h>
#include <sys/stat.h>

enum { SIZE = 64, ANGLES = 90, PIXELS = SIZE * SIZE, FIELDS = 10 };

typedef struct Scanner {
    const char *name;   /* of its folder */
    const char *turns;  /* as the header says */
    const char *header; /* name of the header's file */
    const char *text;   /* of the header */
    const char *image;  /* format of the images' names */
    const char *flat;   /* name of a flat field; NULL: the header tells the count of air */
    int first;          /* number of the first image */
    double white;       /* count of air */
} Scanner;

/* The default algorithm would search for a strength in each run. */
#define FDK     " --algorithm fdk --pictures no --report none"
#define LENGTHS "--source-object-distance 100 --source-detector-distance 400 --detector-pixel 0.4"

static const Scanner scanners[] = {
    {"nikon", "counterclockwise", "s 1.xtekct",
     "[XTekCT]\r\nName=s 1\r\nSrcToObject=100\r\nSrcToDetector=400\r\nDetectorPixelsX=64\r\nDetectorPixelSizeX=0.4\r\n"
     "DetectorPixelsY=64\r\nDetectorPixelSizeY=0.4\r\nWhiteLevel=58500\r\nProjections=90\r\nInitialAngle=0\r\n"
     "AngularStep=4\r\nInputSeparator=_\r\nInputDigits=4\r\n",
     "s 1_%04d.tif", NULL, 1, 58500},
    {"skyscan", "counterclockwise", "s~00.log",
     "[System]\r\nScanner=SkyScan1272\r\nCamera Pixel Size (um)=100\r\nCamera X/Y Ratio=0.9851\r\n[Acquisition]\r\n"
     "Filename Prefix=s~00\r\nFilename Index Length=8\r\nNumber Of Files=   90\r\nNumber Of Rows=   64\r\n"
     "Number Of Columns=   64\r\nOptical Axis (line)=  31.5\r\nCamera to Source (mm)=400.00000\r\n"
     "Object to Source (mm)=100.00000\r\nImage Pixel Size (um)=100\r\nReference Intensity=57000\r\n"
     "Rotation Step (deg)=4.000\r\nFlat Field Correction=ON\r\nGeometrical Correction=ON\r\nRotation Direction=CC\r\n",
     "s~00%08d.tif", NULL, 0, 57000},
    {"phoenix", "clockwise", "s.pca",
     "[General]\r\nVersion-pca=2\r\nSystemName=m \265CT\r\n[Geometry]\r\nFDD=400.0\r\nFOD=100.0\r\ncx=31.5\r\n"
     "cy=31.5\r\nVoxelSizeX=0.1\r\n[CT]\r\nNumberImages=90\r\nRotationSector=360.0\r\n[Image]\r\nDimX=64\r\nDimY=64\r\n"
     "FreeRay=14000\r\n[Detector]\r\nPixelsizeX=0.4\r\nPixelsizeY=0.4\r\nNrPixelsX=64\r\n",
     "s_%04d.tif", NULL, 0, 14000},
    {"north star", "clockwise", "s.nsipro",
     "<NSI Reconstruction Project>\r\n  <Object Radiograph>\r\n    <file>Radiographs\\s-radio*.tif\r\n"
     "    <pitch>0.4 0.4\r\n    <number>90\r\n    <angleStep>4\r\n  </Object Radiograph>\r\n  <Processed>\r\n"
     "    <clockwise>True\r\n  </Processed>\r\n  <Result>\r\n    <source>0 0 -100\r\n    <axis>0 -1 0\r\n"
     "    <center>0 0 0\r\n    <reference>12.6 12.6 300\r\n    <normal>0 0 1\r\n    <horizontal>-1 0 0\r\n"
     "  </Result>\r\n</NSI Reconstruction Project>\r\n",
     "Radiographs/s-radio%04d.tif", "Corrections/gain0.tif", 0, 40000},
    {"tescan", "clockwise", "data settings XRE.txt",
     "[Scantype]\r\n[Scan info]\r\nAcquila version = \"2727\"\r\n[Camera settings]\r\nColumns = 64\r\nRows = 64\r\n"
     "[Acquisition settings]\r\nFile base name = \"scan_\"\r\n[Data set settings]\r\nnumber projections = \"90\"\r\n"
     "[CT-parameters IN]\r\nStart angle = \"0.0\"\r\nLast angle = \"360.0\"\r\nSOD = \"100.0\"\r\nSDD = \"400.0\"\r\n"
     "COR = \"32.0\"\r\nVC = \"32.0\"\r\nPixel size = \"0.4\"\r\nHC = \"32.0\"\r\n",
     "scan_%06d.tif", "io000000.tif", 0, 40000},
    {"rigaku", "counterclockwise", "Recon.prm",
     "MM_SID              = 400       #304.8\r\nMM_SOD              = 100\r\nPROJECTION          = 90\r\n"
     "ROT                 =   1       # 1 CW or -1 CCW\r\nPROJECTION_MIRROR   =   1\r\nDET_NU = 64 # [pixel]\r\n"
     "DET_NV = 64\r\nDET_PU = 0.4\r\nDET_PV = 0.4\r\n",
     "%04d.tif", "Gain.tif", 0, 40000},
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

/* An image of 64 x 64 counts in a folder, which may be in one of its own. */
static void write_image(const char *directory, const char *name, const uint16_t *values)
{
    char path[TESTING_PATH];
    const TestingTiff tiff = {.format = SAMPLEFORMAT_UINT, .bits = 16, .rows = SIZE, .columns = SIZE, .values = values};
    testing_path(path, directory, name);
    *strrchr(path, '/') = '\0';
    (void)mkdir(path, 0700);
    testing_tiff_write(testing_path(path, directory, name), &tiff);
}

/* The counts of scan.h5 as images [ANGLES][PIXELS] whose air has the count `white`. */
static void fill_images(const char *directory, double white_count, uint16_t *image)
{
    const int64_t size[] = {ANGLES, SIZE, SIZE};
    double *count = cli_read_doubles(directory, "scan.h5", "/exchange/data", 3, size);
    double *white = read_mean(directory, "/exchange/data_white"), *dark = read_mean(directory, "/exchange/data_dark");
    for (int i = 0; i < ANGLES * PIXELS; i++) {
        const int p = i % PIXELS;
        image[i] = (uint16_t)lround(fmin(65535, fmax(0, white_count * (count[i] - dark[p]) / (white[p] - dark[p]))));
    }
    free(count);
    free(white);
    free(dark);
}

static void write_images(const char *directory, const char *folder, const Scanner *scanner)
{
    static uint16_t image[ANGLES * PIXELS];
    char name[64];
    fill_images(directory, scanner->white, image);
    for (int k = 0; k < ANGLES; k++) {
        snprintf(name, sizeof name, scanner->image, scanner->first + k);
        write_image(folder, name, image + k * PIXELS);
    }
    for (int i = 0; i < PIXELS; i++) image[i] = (uint16_t)scanner->white;
    if (scanner->flat) write_image(folder, scanner->flat, image);
}

/* The volumes a.h5 and b.h5 are the same but for the rounding of counts. */
static double difference_of(const char *directory, const char *name)
{
    float *a = cli_read_volume(directory, "a.h5", SIZE, SIZE), *b = cli_read_volume(directory, "b.h5", SIZE, SIZE);
    const double difference = cli_difference((int64_t)SIZE * PIXELS, b, a);
    print_message("%s: relative difference %.2g\n", name, difference);
    free(a);
    free(b);
    return difference;
}

static void assert_same(const char *directory, const char *name)
{
    assert_true(difference_of(directory, name) < 1e-3);
}

/* The volume of the header alone is the one of the phantom's file with all options; without images info still tells
 * what the header says. */
static void check_scanner(const char *at, const Scanner *scanner)
{
    char folder[TESTING_PATH];
    assert_int_equal(mkdir(testing_path(folder, at, scanner->name), 0700), 0);
    cli_write_text(folder, scanner->header, scanner->text);
    CliRun info = {.directory = folder};
    cli_start(&info, "info .");
    cli_wait(&info);
    if (info.exit_code != 2 ||
        !strstr(info.out, "100 mm to the object, 400 mm to the detector, pixels of 0.4 x 0.4 mm"))
        fail_msg("%s: %s", scanner->name, info.out);
    cli_free(&info);
    cli_works(at,
              "phantom -o scan.h5 --overwrite --geometry cone --size 64 --slices 64 --angles 90 --truth t.h5 " LENGTHS
              " --angle-direction %s",
              scanner->turns);
    write_images(at, folder, scanner);
    cli_works(at, "recon scan.h5 -o a.h5 --overwrite --geometry cone --angle-direction %s" FDK, scanner->turns);
    cli_works(folder, "recon . -o ../b.h5 --overwrite" FDK);
    assert_same(at, scanner->name);
}

/* Reconstructs a scan, a.h5, and the same images in one file of Zeiss, b.h5; with shifts by whole pixels these lie
 * beside their places. */
static void recon_xradia(const char *at, const float *x_shift, const float *y_shift)
{
    static uint16_t image[ANGLES * PIXELS], moved[ANGLES * PIXELS], flat[PIXELS];
    static unsigned char bytes[4096 * 256];
    float angle[ANGLES];
    cli_works(at, "phantom -o scan.h5 --geometry cone --size 64 --slices 64 --angles 90 --truth t.h5 " LENGTHS
                  " --angle-direction counterclockwise");
    fill_images(at, 40000, image);
    for (int i = 0; i < PIXELS; i++) flat[i] = 40000;
    for (int k = 0; k < ANGLES; k++) {
        const int across = x_shift ? (int)x_shift[k] : 0, along = y_shift ? (int)y_shift[k] : 0;
        angle[k] = 4 * (float)k;
        for (int i = 0; i < PIXELS; i++) {
            const int row = (i / SIZE + along + SIZE) % SIZE, column = (i % SIZE + across + SIZE) % SIZE;
            moved[k * PIXELS + i] = image[k * PIXELS + row * SIZE + column];
        }
    }
    const TestingXradia wanted = {.shift = 12,
                                  .stated = ANGLES,
                                  .rows = SIZE,
                                  .columns = SIZE,
                                  .images = ANGLES,
                                  .image = moved,
                                  .flat = flat,
                                  .angle = angle,
                                  .x_shift = x_shift,
                                  .y_shift = y_shift,
                                  .pixel_um = 100,
                                  .source = -100,
                                  .detector = 300};
    cli_write_bytes(at, "s.txrm", bytes, testing_ole_xradia(&wanted, bytes));
    cli_works(at, "recon scan.h5 -o a.h5 --geometry cone --angle-direction counterclockwise" FDK);
    cli_works(at, "recon s.txrm -o b.h5" FDK);
}

static void xradia_needs_no_options(void **state)
{
    recon_xradia(*state, NULL, NULL);
    assert_same(*state, "Zeiss");
}

/* The file tells the shifts; edges of moved images have no value. */
static void xradia_moves_images_back(void **state)
{
    const char *const at = *state;
    float x[ANGLES], y[ANGLES];
    for (int k = 0; k < ANGLES; k++) {
        x[k] = (float)(k % 7 - 3);
        y[k] = (float)(k % 5 - 2);
    }
    recon_xradia(at, x, y);
    assert_true(difference_of(at, "shifts of Zeiss") < 0.05);
    cli_works(at, "recon s.txrm -o b.h5 --overwrite --align none" FDK);
    assert_true(difference_of(at, "without the shifts of Zeiss") > 0.2);
    cli_refuses(at, "align is header | scan.h5 | none",
                "recon scan.h5 -o c.h5 --geometry cone --algorithm fdk --align header");
}

static void headers_need_no_options(void **state)
{
    for (size_t i = 0; i < sizeof scanners / sizeof *scanners; i++) check_scanner(*state, &scanners[i]);
}

/* Writes a file of images of 150 x 150 as an array. */
static void write_array(const char *at, const char *name, const char *raw, int images)
{
    enum { BYTES = 150 * 150 * 2 };
    static char bytes[21 * BYTES];
    char path[TESTING_PATH], shape[64];
    FILE *file = fopen(testing_data(path, raw), "rb");
    assert_non_null(file);
    assert_int_equal(fread(bytes, BYTES, (size_t)images, file), images);
    assert_int_equal(fclose(file), 0);
    snprintf(shape, sizeof shape, "(%d, 150, 150)", images);
    cli_write_npy(at, name, "<u2", shape, bytes, (size_t)images * BYTES);
}

/* The scan that CTSimU's files describe is the one of its images and vectors, given one by one. */
static void ctsimu_needs_no_options(void **state)
{
    enum { ROWS = 8, COLUMNS = 150 };
    const char *const at = *state, *const same =
                                       "--start-row 70 --end-row 78 --algorithm fdk --pictures no --report none";
    char metadata[TESTING_PATH], scenario[TESTING_PATH];
    testing_data(metadata, "lab/ctsimu-tetra/tetra_metadata.json");
    testing_data(scenario, "lab/ctsimu-tetra/tetra.json");
    write_array(at, "p.npy", "lab/ctsimu-tetra/tetra_projections.raw", 21);
    write_array(at, "f.npy", "lab/ctsimu-tetra/tetra_flat_0000.raw", 1); /* the others are the same */
    write_array(at, "d.npy", "lab/ctsimu-tetra/tetra_dark.raw", 1);
    cli_works(at, "recon %s -o a.h5 %s", metadata, same);
    cli_works(at, "recon p.npy -o b.h5 %s --vectors %s --flats f.npy --darks d.npy", same, scenario);
    float *a = cli_read_volume(at, "a.h5", ROWS, COLUMNS), *b = cli_read_volume(at, "b.h5", ROWS, COLUMNS);
    const double difference = cli_difference((int64_t)ROWS * COLUMNS * COLUMNS, b, a);
    free(a);
    free(b);
    print_message("CTSimU: relative difference %.2g\n", difference);
    assert_true(difference < 1e-6);
}

int cli_instruments_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_ONE_CORE(ctsimu_needs_no_options),
        CLI_ONE_CORE(xradia_needs_no_options),
        CLI_ONE_CORE(xradia_moves_images_back),
        CLI_ONE_CORE(headers_need_no_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
