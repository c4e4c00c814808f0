/* SPDX-License-Identifier: BSD-3-Clause */
/* Headers of laboratory scanners: those that scanners wrote, short ones, and hostile ones. */
#include "scan.h"
#include "scanner_header.h"
#include "testing.h"
#include "testing_ole.h"
#include "testing_subject.h"
#include "testing_tiff.h"

#include <math.h>
#include <sys/stat.h>

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

static const char *note_with(const SinoScannerHeader *header, const char *text, bool open)
{
    for (int i = 0; i < header->note_count; i++)
        if (header->note[i].open == open && strstr(header->note[i].text, text)) return header->note[i].text;
    fail_msg("no note has '%s'", text);
    return NULL;
}

static void write_text(const char *directory, const char *name, const char *text)
{
    char path[TESTING_PATH];
    testing_write_bytes(testing_path(path, directory, name), text, strlen(text));
}

static void assert_told(const SinoScannerHeader *header, const char *name, const char *value)
{
    SinoToldSettings told;
    sino_scanner_tell(header, &told);
    for (int i = 0; i < told.count; i++)
        if (strcmp(told.of[i].name, name) == 0) {
            assert_string_equal(told.of[i].value, value);
            return;
        }
    fail_msg("--%s is not told", name);
}

/* ---- Nikon ---- */

static void measured_nikon(void **state)
{
    char path[TESTING_PATH];
    SinoScannerHeader header;
    (void)state;
    testing_data(path, "lab/nikon/Lego_alignment test_1 [2023-10-18 11.22.08]");
    assert_success(sino_scanner_read(path, &header));
    assert_string_equal(header.instrument, "Nikon XTek");
    assert_true(header.source_object_mm == 33.97571 && header.source_detector_mm == 679.5143);
    assert_true(header.pixel_width_mm == 0.4 && header.pixel_height_mm == 0.4 && header.white == 58500);
    assert_true(header.row_count == 1000 && header.column_count == 1000 && header.angle_count == 1570);
    assert_true(header.angle_deg[0] == 0.0342 && header.angle_deg[1569] == 360.8379);
    assert_true(near(header.axis_column, 499.5 - 0.0277442 * 679.5143 / 33.97571 / 0.4));
    assert_true(header.tilt_deg == -0.07657059 && header.direction == SINO_TURNS_COUNTERCLOCKWISE);
    note_with(&header, "InitialAngle 40.20631, AngularStep 0.2299575", false);
    sino_scanner_clear(&header);
    testing_data(path, "lab/nikon-laminography/example.xtekct");
    assert_success(sino_scanner_read(path, &header));
    assert_true(header.angle_count == 2512 && header.angle_deg[1] == 0.1435547 && header.white == 60000);
    assert_true(header.row_count == 1148 && header.column_count == 1596 && header.pixel_width_mm == 0.254);
    note_with(&header,
              "a tilt of the axis, which is in the name only: --vectors orbit:source=392.07263,detector=967.32098",
              true);
    sino_scanner_clear(&header);
}

#define NIKON                                                                                                          \
    "[XTekCT]\r\nName=s\r\nSrcToObject=100\r\nSrcToDetector=400\r\nDetectorPixelsX=5\r\nDetectorPixelSizeX=0.2\r\n"    \
    "DetectorPixelsY=3\r\nDetectorPixelSizeY=0.2\r\nWhiteLevel=60000\r\nProjections=4\r\nInitialAngle=10\r\n"          \
    "AngularStep=90\r\nInputSeparator=_\r\nInputDigits=4\r\n"

/* Without measured angles; older headers tell the axis on the detector. */
static void short_nikon(void **state)
{
    char path[TESTING_PATH];
    SinoScannerHeader header;
    write_text(*state, "s.xtekct", "\xEF\xBB\xBF" NIKON "CentreOfRotationTop=0.19\r\nCentreOfRotationBottom=0.21\r\n");
    testing_path(path, *state, "s.xtekct");
    assert_true(sino_scanner_probe(path) && sino_scanner_probe(*state));
    assert_success(sino_scanner_read(*state, &header));
    assert_true(header.angle_count == 4 && header.angle_deg[3] == 280);
    assert_true(near(header.axis_column, 2 + 0.2 / 0.2)); /* 0.05 mm at the object, four times that on the detector */
    assert_true(near(header.tilt_deg, atan2(0.02, 0.6) * 180 / M_PI));
    assert_told(&header, "geometry", "cone");
    assert_told(&header, "open-beam", "60000");
    sino_scanner_clear(&header);
}

/* Images, angles and lengths arrive in the scan; one image beyond the projections is left out. */
static void scan_of_header(void **state)
{
    char path[TESTING_PATH], name[32];
    SinoScan *scan;
    float value[15];
    write_text(*state, "s.xtekct", NIKON);
    for (int i = 1; i <= 5; i++) {
        const TestingTiff image = {.format = SAMPLEFORMAT_UINT, .bits = 16, .rows = 3, .columns = 5, .image = i};
        snprintf(name, sizeof name, "s_%04d.tif", i);
        testing_tiff_write(testing_path(path, *state, name), &image);
    }
    const SinoScanRequest request = {.path = *state, .open_beam = 60000};
    assert_success(sino_scan_open(&request, &scan));
    const SinoScanInfo *info = sino_scan_info(scan);
    assert_true(info->angle_count == 4 && info->row_count == 3 && info->column_count == 5 && info->flat_count == 1);
    assert_true(near(info->angle_rad[1], 100 * M_PI / 180) && info->setup.source_detector == 400);
    assert_non_null(strstr(info->remark, "the last 1 of 5 images"));
    assert_success(sino_scan_read_projection(scan, 3, &(SinoScanBox){0, 3, 0, 5}, value));
    assert_true(value[7] == (float)testing_tiff_value(4, 1, 2));
    sino_scan_close(scan);
}

/* ---- others ---- */

static void read_measured(const char *name, const char *instrument, SinoScannerHeader *header)
{
    char path[TESTING_PATH];
    testing_data(path, name);
    assert_success(sino_scanner_read(path, header));
    assert_string_equal(header->instrument, instrument);
}

static void measured_skyscan(void **state)
{
    SinoScannerHeader header;
    (void)state;
    read_measured("lab/bruker/skyscan_1272/DRP_P21_3", "SkyScan", &header);
    assert_true(header.source_object_mm == 200.709 && header.source_detector_mm == 270.98833);
    assert_true(header.row_count == 896 && header.column_count == 1075 && header.angle_count == 471);
    assert_true(near(header.angle_deg[470], 188) && header.center_row == 895 - 528 && header.white == 57000);
    assert_true(near(header.pixel_width_mm, 0.019797722 * 270.98833 / 200.709));
    assert_true(header.direction == SINO_TURNS_COUNTERCLOCKWISE);
    note_with(&header, "camera pixel 9 um, binning 3x3, X/Y ratio 0.9851", false);
    note_with(&header, "column 134", false);
    note_with(&header, "2 connected scans: this is number 1", true);
    note_with(&header, "Random Movement ON (20)", true);
    assert_non_null(strstr(header.images, "DRP_P21_3~00[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]."));
    sino_scanner_clear(&header);
}

static void measured_phoenix(void **state)
{
    SinoScannerHeader header;
    (void)state;
    read_measured("lab/ge/FEG230530_410-run-files", "phoenix datos|x", &header);
    assert_true(header.source_object_mm == 57.6625 && header.source_detector_mm == 807.1353464);
    assert_true(header.pixel_width_mm == 0.2 && header.row_count == 2024 && header.column_count == 2014);
    assert_true(header.axis_column == 1006.5 && header.center_row == 1011.5 && header.white == 4037);
    assert_true(header.angle_count == 900 && near(header.angle_deg[899], 359.6));
    note_with(&header, "XDShift moves the detector by -5 to 5 pixels, which the images do not show", false);
    sino_scanner_clear(&header);
    read_measured("lab/ge/FEG230530_413-run-files/FEG230530_413.pcr", "phoenix datos|x", &header);
    assert_true(header.source_object_mm == 49.359 && header.white == 4420);
    sino_scanner_clear(&header);
}

static void measured_north_star(void **state)
{
    SinoScannerHeader header;
    (void)state;
    read_measured("lab/nsi", "North Star", &header);
    assert_true(near(header.source_object_mm, 381.851307738696));
    assert_true(near(header.source_detector_mm, 381.851307738696 + 393.681773885091));
    assert_true(header.pixel_width_mm == 0.3 && header.angle_count == 1200 && near(header.angle_deg[1199], 359.7));
    assert_true(near(header.axis_column, 213.565 / 0.3) && near(header.center_row, 212.710883031907 / 0.3));
    assert_true(fabs(header.tilt_deg - 0.011021) < 1e-6 && header.direction == SINO_TURNS_COUNTERCLOCKWISE);
    assert_true(header.view.transposed && !header.view.rows_flipped && header.view.columns_flipped);
    sino_scanner_clear(&header);
}

static void measured_tescan(void **state)
{
    SinoScannerHeader header;
    (void)state;
    read_measured("lab/tescan", "TESCAN", &header);
    assert_true(header.source_object_mm == 149.99997 && header.source_detector_mm == 599.999432);
    assert_true(near(header.axis_column, 479.95804012 - 0.5) || near(header.axis_column, 479.95804 - 0.5));
    assert_true(near(header.center_row, 474.00627 - 0.5) && header.pixel_width_mm == 0.3);
    assert_true(header.row_count == 948 && header.column_count == 960 && header.angle_count == 1440);
    assert_true(near(header.angle_deg[1439], 359.75));
    note_with(&header, "HC 480.002507", false);
    sino_scanner_clear(&header);
}

static void measured_rigaku(void **state)
{
    SinoScannerHeader header;
    (void)state;
    read_measured("lab/rigaku/CR_20230720_093515", "Rigaku", &header);
    assert_true(header.source_object_mm == 47 && header.source_detector_mm == 430 && header.pixel_width_mm == 0.0495);
    assert_true(header.angle_count == 950 && near(header.angle_deg[949], 6.276571 * 180 / M_PI));
    assert_true(header.row_count == 2352 && header.column_count == 2944);
    note_with(&header, "DET_CU -0.185625", false);
    sino_scanner_clear(&header);
}

/* The mean of an image, and its least and largest value. */
static void survey(SinoScan *scan, int64_t image, double *mean, double *least, double *most)
{
    const SinoScanInfo *info = sino_scan_info(scan);
    const int64_t count = info->row_count * info->column_count;
    float *value = malloc((size_t)count * sizeof *value);
    assert_non_null(value);
    assert_success(sino_scan_read_projection(
        scan, image, &(SinoScanBox){.row_count = info->row_count, .column_count = info->column_count}, value));
    *mean = 0;
    *least = INFINITY;
    *most = -INFINITY;
    for (int64_t i = 0; i < count; i++) {
        *mean += value[i] / (double)count;
        *least = fmin(*least, value[i]);
        *most = fmax(*most, value[i]);
    }
    free(value);
}

#define CTSIMU(images) CTSIMU_OF("2", images)
#define CTSIMU_OF(number, images)                                                                                      \
    "{\"file\": {\"file_type\": \"CTSimU Metadata\"}, \"output\": {\"projections\": {\"number\": " number ", " images  \
    ", \"dimensions\": {\"x\": {\"value\": 3}, \"y\": 2}}}, \"acquisition_geometry\": {\"path_to_CTSimU_JSON\": "      \
    "\"../s.json\"}}"
#define MANY                                                                                                           \
    CTSIMU_OF("4", "\"filename\": \"p%02d.raw\", \"datatype\": \"uint16\", \"headersize\": {\"file\": 3, \"image\": "  \
                   "2}")
#define RAW(type, order)                                                                                               \
    CTSIMU("\"filename\": \"p%02d.raw\", \"datatype\": \"" type "\", \"byteorder\": \"" order                          \
           "\", \"max_intensity\": 500, \"headersize\": {\"file\": 3, \"image\": 2}, \"flat_field\": {\"filename\": "  \
           "\"f.raw\"}, \"dark_field\": {\"filename\": \"d.raw\", \"projections_corrected\": true}")

static void measured_ctsimu(void **state)
{
    char path[TESTING_PATH];
    SinoScannerHeader header;
    SinoScan *scan;
    double mean, least, most;
    (void)state;
    read_measured("lab/ctsimu-tetra/tetra.json", "CTSimU", &header);
    assert_true(header.row_count == 150 && header.column_count == 150 && header.angle_count == 21);
    assert_told(&header, "geometry", "vectors");
    testing_data(path, "lab/ctsimu-tetra/tetra.json");
    assert_told(&header, "vectors", path);
    sino_scanner_clear(&header);
    read_measured("lab/ctsimu-tetra", "CTSimU", &header); /* which has metadata of a volume, too */
    testing_data(path, "lab/ctsimu-tetra/tetra_metadata.json");
    assert_string_equal(header.path, path);
    sino_scanner_clear(&header);
    assert_success(sino_scan_open(&(SinoScanRequest){.path = path}, &scan));
    const SinoScanInfo *info = sino_scan_info(scan);
    assert_true(info->angle_count == 21 && info->flat_count == 3 && info->dark_count == 1);
    survey(scan, 20, &mean, &least, &most);
    assert_true(least == 5209 && most == 59988 && fabs(mean - 54973.6) < 0.1);
    sino_scan_close(scan);
}

/* Images in files of their own, behind headers, in the other order of bytes; darks are taken off already. */
static void raw_images(void **state)
{
    char path[TESTING_PATH], name[16];
    float value[2];
    unsigned char bytes[3 + 2 + 12] = {0};
    SinoScan *scan;
    write_text(*state, "s_metadata.json", RAW("uint16", "big"));
    write_text(*state, "s.json", "{}");
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 12; k++) bytes[5 + k] = (unsigned char)(k % 2 ? 10 * i + k / 2 : 1);
        snprintf(name, sizeof name, i < 2 ? "p%02d.raw" : "f.raw", i);
        testing_write_bytes(testing_path(path, *state, name), bytes, sizeof bytes);
    }
    assert_success(sino_scan_open(&(SinoScanRequest){.path = *state}, &scan));
    assert_true(sino_scan_info(scan)->angle_count == 2 && sino_scan_info(scan)->flat_count == 1);
    assert_true(sino_scan_info(scan)->dark_count == 0);
    assert_success(sino_scan_read_projection(scan, 1, &(SinoScanBox){1, 1, 1, 2}, value));
    assert_true(value[0] == 256 + 10 + 4 && value[1] == 256 + 10 + 5);
    assert_success(sino_scan_read_some_flats(scan, 0, 1, &(SinoScanBox){0, 1, 0, 2}, value));
    assert_true(value[0] == 256 + 20 && value[1] == 256 + 21);
    sino_scan_close(scan);
    testing_write_bytes(testing_path(path, *state, "p02.raw"), bytes, sizeof bytes);
    assert_success(sino_scan_open(&(SinoScanRequest){.path = *state}, &scan));
    assert_true(sino_scan_info(scan)->angle_count == 2);
    assert_non_null(strstr(sino_scan_info(scan)->remark, "the last 1 of 3 images"));
    sino_scan_close(scan);
    write_text(*state, "s_metadata.json", MANY);
    assert_error(sino_scan_open(&(SinoScanRequest){.path = *state}, &scan), SINO_BAD_INPUT,
                 "4 projections | 3 images | --theta | --vectors");
    write_text(*state, "s_metadata.json", RAW("uint16", "big"));
    testing_write_bytes(testing_path(path, *state, "p01.raw"), bytes, sizeof bytes - 1);
    assert_error(sino_scan_open(&(SinoScanRequest){.path = *state}, &scan), SINO_BAD_INPUT,
                 "p01.raw | 16 bytes | 3 | 14");
}

static void measured_xradia(void **state)
{
    static const double angle[] = {-45.018, -30.014, -15.014, -0.014, 14.986, 29.986, 44.986};
    char path[TESTING_PATH];
    double mean, least, most;
    SinoScannerHeader header;
    SinoScan *scan;
    (void)state;
    read_measured("lab/zeiss/txrm_test_chip_tomo.txrm", "Zeiss Xradia", &header);
    assert_true(header.parallel && header.row_count == 256 && header.column_count == 256 && header.angle_count == 7);
    assert_true(fabs(header.pixel_um - 0.15579) < 1e-5);
    for (int k = 0; k < 7; k++) assert_true(fabs(header.angle_deg[k] - angle[k]) < 5e-4);
    note_with(&header, "Alignment/X-Shifts move images by -1.08 to 1.28 pixels", false);
    assert_told(&header, "align", "header");
    assert_non_null(header.shift);
    sino_scanner_clear(&header);
    testing_data(path, "lab/zeiss/txrm_test_chip_tomo.txrm");
    assert_success(sino_scan_open(&(SinoScanRequest){.path = path}, &scan));
    survey(scan, 0, &mean, &least, &most);
    assert_true(least == 1 && most == 434 && fabs(mean - 65.31) < 0.005);
    sino_scan_close(scan);
    testing_data(path, "lab/zeiss/test_chip00.xrm");
    assert_success(sino_scan_open(&(SinoScanRequest){.path = path}, &scan));
    survey(scan, 0, &mean, &least, &most);
    assert_true(least == 1 && most == 1117 && fabs(mean - 42.70) < 0.005 && sino_scan_info(scan)->flat_count == 1);
    sino_scan_close(scan);
}

/* Lengths and angles of short headers. */
static void short_headers(void **state)
{
    static const struct {
        const char *name, *text;
        double object, detector, width, row, last;
    } cases[] = {
        {"s.log",
         "[System]\nScanner=SkyScan1\nCamera Pixel Size (um)=10\nCamera X/Y Ratio=0.5\n[Acquisition]\n"
         "Filename Prefix=s\nNumber Of Files= 3\nNumber Of Rows= 3\nNumber Of Columns= 5\nOptical Axis (line)= 2\n"
         "Object to Source (mm)=100\nCamera binning=2x2\nImage Pixel Size (um)=5\nRotation Step (deg)=2\n",
         100, 400, 0.02, 0, 4},
        {"s.pca",
         "[General]\nVersion-pca=2\nSystemName=m \265CT\n[Geometry]\nFDD=400\nFOD=100\ncx=2\ncy=0.5\nVoxelSizeX=0.1\n"
         "[CT]\nNumberImages=3\nRotationSector=360\n[Image]\nDimX=5\nDimY=3\n[Detector]\nPixelsizeX=0.2\n"
         "PixelsizeY=0.2\n",
         100, 400, 0.4, 0.5, 240},
        {"s.nsipro",
         "<NSI Reconstruction Project>\n  <Object Radiograph>\n    <file>r*.tif\n    <pitch>0.2 0.2\n    <number>3\n"
         "    <angleStep>1\n  </Object Radiograph>\n  <number>7\n  <Result>\n      <source>0 0 -100\n"
         "      <axis>0 -1 0\n      <center>0 0 0\n      <reference>0.4 0.2 300\n      <normal>0 0 1\n"
         "      <horizontal>-1 0 0\n  </Result>\n",
         100, 400, 0.2, 1, 2},
        {"data settings XRE.txt",
         "[Scantype]\nAcquila version = \"1\"\n[Data set settings]\nnumber projections = \"4\"\n[CT-parameters IN]\n"
         "Last angle = \"360.0\"\nSOD = \"100\"\nSDD = \"400\"\nCOR = \"2.5\"\nVC = \"1.5\"\nPixel size = \"0.2\"\n",
         100, 400, 0.2, 1, 270},
        {"Recon.prm",
         "MM_SID = 400 #304.8\nMM_SOD = 100\nPROJECTION = 4\nDET_NU = 5 # [pixel]\nDET_NV = 3\nDET_PU = 0.2\nDET_PV = "
         "0.2\n",
         100, 400, 0.2, NAN, 270},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[TESTING_PATH];
        SinoScannerHeader header;
        write_text(*state, cases[i].name, cases[i].text);
        assert_success(sino_scanner_read(testing_path(path, *state, cases[i].name), &header));
        assert_true(header.source_object_mm == cases[i].object && header.source_detector_mm == cases[i].detector);
        if (!near(header.pixel_width_mm, cases[i].width)) fail_msg("%s: %g", path, header.pixel_width_mm);
        if (!isnan(cases[i].row) && !near(header.center_row, cases[i].row)) fail_msg("%s: %g", path, header.center_row);
        if (!near(header.angle_deg[header.angle_count - 1], cases[i].last)) fail_msg("%s", path);
        sino_scanner_clear(&header);
    }
}

/* Images that are stored as the detector stands become upright: turned by 270 degrees clockwise. */
static void turned_images(void **state)
{
    static const char text[] =
        "<NSI Reconstruction Project>\n  <Object Radiograph>\n    <file>sub\\r*.tif\n    <pitch>0.2 0.2\n"
        "    <number>2\n    <angleStep>180\n  </Object Radiograph>\n  <Correction>\n    <flipH>False\n    <rotate>270\n"
        "  </Correction>\n  <Result>\n      <source>0 0 -100\n      <axis>0 -1 0\n      <center>0 0 0\n"
        "      <reference>0.4 0.2 300\n      <normal>0 0 1\n      <horizontal>-1 0 0\n  </Result>\n";
    char path[TESTING_PATH], folder[TESTING_PATH], name[32];
    SinoScan *scan;
    float value[2];
    assert_int_equal(mkdir(testing_path(folder, *state, "sub"), 0700), 0);
    write_text(*state, "s.nsipro", text);
    for (int i = 0; i < 2; i++) {
        const TestingTiff image = {.format = SAMPLEFORMAT_UINT, .bits = 16, .rows = 3, .columns = 5, .image = i};
        snprintf(name, sizeof name, "r%d.tif", i);
        testing_tiff_write(testing_path(path, folder, name), &image);
    }
    assert_success(sino_scan_open(&(SinoScanRequest){.path = *state, .open_beam = 100}, &scan));
    assert_true(sino_scan_info(scan)->row_count == 5 && sino_scan_info(scan)->column_count == 3);
    assert_success(sino_scan_read_projection(scan, 1, &(SinoScanBox){1, 1, 1, 2}, value));
    for (int c = 0; c < 2; c++) assert_true(value[c] == (float)testing_tiff_value(1, 1 + c, 5 - 1 - 1));
    sino_scan_close(scan);
}

static void write_xradia(const char *path, uint32_t stated, const float *flats, uint32_t flats_type)
{
    static unsigned char bytes[512 * 64];
    static const float angle[] = {-45, 45};
    uint16_t image[30];
    for (int i = 0; i < 30; i++) image[i] = (uint16_t)(100 * (i / 15) + i % 15);
    memset(bytes, 0, sizeof bytes);
    const TestingXradia wanted = {.shift = 9,
                                  .stated = stated,
                                  .rows = 3,
                                  .columns = 5,
                                  .images = 2,
                                  .image = image,
                                  .flats = flats,
                                  .flats_type = flats_type,
                                  .angle = angle,
                                  .pixel_um = 0.5F};
    testing_write_bytes(path, bytes, testing_ole_xradia(&wanted, bytes));
}

static void short_xradia(void **state)
{
    char path[TESTING_PATH];
    float value[2];
    SinoScannerHeader header;
    SinoScan *scan;
    write_xradia(testing_path(path, *state, "s.txrm"), 2, NULL, 0);
    assert_success(sino_scanner_read(path, &header));
    assert_true(header.parallel && header.pixel_um == 0.5 && header.angle_deg[1] == 45);
    sino_scanner_clear(&header);
    assert_success(sino_scan_open(&(SinoScanRequest){.path = path, .open_beam = 200}, &scan));
    assert_success(sino_scan_read_projection(scan, 1, &(SinoScanBox){2, 1, 3, 2}, value));
    assert_true(value[0] == 113 && value[1] == 114);
    sino_scan_close(scan);
    write_xradia(path, 4000000, NULL, 0);
    SinoStatus status = sino_scanner_read(path, &header);
    assert_int_equal(sino_status_exit_code(status), SINO_BAD_INPUT);
    assert_non_null(strstr(sino_status_text(status), "Image3 is missing"));
    sino_status_free(status);
    sino_scanner_clear(&header);
}

/* Several reference images, of another type than the projections. */
static void flats_of_xradia(void **state)
{
    char path[TESTING_PATH];
    float flats[30], value[2];
    SinoScan *scan;
    for (int i = 0; i < 30; i++) flats[i] = 1000.5F + (float)i;
    write_xradia(testing_path(path, *state, "s.txrm"), 2, flats, 0);
    assert_success(sino_scan_open(&(SinoScanRequest){.path = path}, &scan));
    assert_true(sino_scan_info(scan)->flat_count == 2 && sino_scan_info(scan)->type == SINO_COUNT_FLOAT32);
    assert_success(sino_scan_read_projection(scan, 1, &(SinoScanBox){2, 1, 3, 2}, value));
    assert_true(value[0] == 113 && value[1] == 114);
    assert_success(sino_scan_read_some_flats(scan, 1, 1, &(SinoScanBox){2, 1, 3, 2}, value));
    assert_true(value[0] == 1000.5F + 28 && value[1] == 1000.5F + 29);
    sino_scan_close(scan);
    write_xradia(path, 2, flats, 7); /* of an unknown type */
    assert_success(sino_scan_open(&(SinoScanRequest){.path = path, .open_beam = 200}, &scan));
    assert_int_equal(sino_scan_info(scan)->type, SINO_COUNT_UINT16);
    sino_scan_close(scan);
}

/* Notes, and images, of headers that other versions of the scanners' programs write. */
static void other_versions(void **state)
{
    static const struct {
        const char *name, *text, *note, *images;
    } cases[] = {
        {"v.log",
         "[System]\nScanner=SkyScan2211\n[Acquisition]\nFilename prefix=v_w\nNumber of Files= 3\nNumber of Rows= 3\n"
         "Number of Columns= 5\nObject to Source (mm)=100\nCamera to Source (mm)=400\nImage Pixel Size (um)=5\n"
         "Rotation Step (deg)=2\nUse 360 Rotation=YES\nScanning Start Angle=10\nImage crop origin Y=7\n",
         "Use 360 Rotation YES: 3 steps of 2 degrees", "v_w[0-9][0-9][0-9][0-9]."},
        {"proj_.log",
         "[System] \r\nScanner=___OPenT__.v2 \r\n[Acquisition] \r\nOptical Axis (line)=1 \r\n"
         "Object to Source (mm)=10000001 \r\nNumber of Files=3 \r\nScaled Image Pixel Size (um)=5 \r\n"
         "Rotation Step (deg)=2 \r\n;Optics= 4x\r\n",
         "Flat Field Correction is not on", "proj_[0-9][0-9][0-9][0-9]."},
        {"f.log",
         "[System]\nScanner=own\n[Acquisition]\nNumber of files= 3\nObject to Source (mm)= 100\n"
         "Image Pixel Size (um)= 200\nRotation Step (deg)= 2\n",
         "a camera at the axis", "f[0-9][0-9][0-9][0-9]."},
        {"v.xtekct",
         "[xTekCT]\nName=v\nSrcToObject=100\nSrcToDetector=400\nDetectorPixelsX=5\nDetectorPixelSizeX=0.2\n"
         "DetectorPixelsY=3\nDetectorPixelSizeY=0.2\nProjections=4\nAngularStep=90\nInputFolderName=D:\\x\n"
         "CoefX2=0.25\nCoefX1=0.75\nCentreOfRotation=0.2\n",
         "0 0.75 0.25 0 0, a correction of beam hardening", "/v_[0-9]"},
        {"v.pca",
         "[General]\nSystemName=v|tome|x m\n[Geometry]\nFDD=400\nFOD=100\nVoxelSizeX=0.05\nVoxelSizeY=0.05\n[CT]\n"
         "NumberImages=3\n[Image]\nDimX=5\nDimY=3\nMirrorX=1\n",
         "MirrorX", "v_[0-9]*"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[TESTING_PATH];
        SinoScannerHeader header;
        write_text(*state, cases[i].name, cases[i].text);
        assert_success(sino_scanner_read(testing_path(path, *state, cases[i].name), &header));
        note_with(&header, cases[i].note, i != 2);
        if (!strstr(header.images, cases[i].images)) fail_msg("%s: %s", path, header.images);
        if (i == 0) assert_true(header.angle_deg[0] == 10 && near(header.pixel_width_mm, 0.02));
        if (i == 1) assert_true(header.parallel && header.pixel_um == 5);
        if (i == 2) assert_true(header.source_detector_mm == 100 && header.pixel_width_mm == 0.2);
        if (i == 3) assert_true(near(header.axis_column, 2 + 0.2 / 0.2));
        if (i == 4) assert_true(near(header.pixel_width_mm, 0.2) && near(header.pixel_height_mm, 0.2));
        sino_scanner_clear(&header);
    }
}

/* Images without the line before their numbers, and beside a log that was renamed with them. */
static void other_names_of_images(void **state)
{
    static const char *const texts[] = {
        "[General]\n[Geometry]\nFDD=400\nFOD=100\nVoxelSizeX=0.05\n[CT]\nNumberImages=1\n[Image]\nDimX=5\nDimY=3\n",
        "[System]\nScanner=S\n[Acquisition]\nFilename Prefix=old\nNumber of Files=1\nObject to Source (mm)=1\n"
        "Image Pixel Size (um)=1\nRotation Step (deg)=2\nFilename Index Length=5\n",
    };
    char path[TESTING_PATH];
    SinoScannerHeader header;
    write_text(*state, "n00001.tif", "image");
    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? "n.pca" : "n.log";
        write_text(*state, name, texts[i]);
        assert_success(sino_scanner_read(testing_path(path, *state, name), &header));
        if (!strstr(header.images, "/n[0-9]")) fail_msg("%s", header.images);
        sino_scanner_clear(&header);
    }
}

/* ---- refusals ---- */

static void assert_refused(const char *directory, const char *text, const char *part)
{
    char path[TESTING_PATH];
    SinoScannerHeader header;
    write_text(directory, "h.xtekct", text);
    SinoStatus status = sino_scanner_read(testing_path(path, directory, "h.xtekct"), &header);
    assert_int_equal(sino_status_exit_code(status), SINO_BAD_INPUT);
    if (!strstr(sino_status_text(status), part)) fail_msg("%s", sino_status_text(status));
    sino_status_free(status);
    sino_scanner_clear(&header);
}

static void hostile_headers(void **state)
{
    const char *at = *state;
    assert_refused(at, "[XTekCT]\n", "does not tell SrcToObject");
    assert_refused(at, "[XTekCT]\nSrcToObject=nan\n", "SrcToObject is 'nan'; allowed: a number");
    assert_refused(at, "[XTekCT]\nSrcToObject=-5\n", "SrcToObject is '-5'");
    assert_refused(at, "[XTekCT]\nSrcToObject=1e308\n", "SrcToObject is '1e308'");
    assert_refused(at, "[XTekCT]\nSrcToObject=33,9\n", "SrcToObject is '33,9'");
    assert_refused(at, "[XTekCT]\nDetectorPixelsX=99999999999999999999\n", "DetectorPixelsX is '9999");
    assert_refused(at,
                   "[XTekCT]\nSrcToObject=400\nSrcToDetector=100\nDetectorPixelsX=5\nDetectorPixelSizeX=0.2\n"
                   "DetectorPixelsY=3\nDetectorPixelSizeY=0.2\nProjections=4\nAngularStep=1\nName=s\n",
                   "with the detector behind the object");
    assert_refused(at,
                   "[XTekCT]\nSrcToObject=1e-300\nSrcToDetector=1e7\nDetectorPixelsX=5\nDetectorPixelSizeX=0.2\n"
                   "DetectorPixelsY=3\nDetectorPixelSizeY=0.2\nName=s\n",
                   "does not tell Projections");
    assert_refused(at, RAW("complex64", "big"), "datatype is complex64; allowed: uint8");
    assert_refused(at, RAW("uint16", "middle"), "byteorder is middle; allowed: little or big");
    assert_refused(at, RAW("uint16", "big"), "names the scenario ../s.json, which is not there; allowed");
    assert_refused(at, CTSIMU("\"filename\": \"p.tif\", \"number\": 2"), "is no JSON");
    assert_refused(at, "{\"type\": \"CTSimU Metadata\"}", "does not tell output.projections.filename");
    assert_refused(at, CTSIMU_OF("\"2\"", "\"filename\": \"p.tif\""),
                   "number is no number; allowed: an integer from 0 to");
}

TESTING_SUBJECT(scanner_header)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured_nikon),
        cmocka_unit_test_setup_teardown(short_nikon, testing_directory_make, testing_directory_remove),
        cmocka_unit_test(measured_skyscan),
        cmocka_unit_test(measured_phoenix),
        cmocka_unit_test(measured_north_star),
        cmocka_unit_test(measured_tescan),
        cmocka_unit_test(measured_rigaku),
        cmocka_unit_test(measured_xradia),
        cmocka_unit_test(measured_ctsimu),
        cmocka_unit_test_setup_teardown(raw_images, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(short_headers, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(turned_images, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(short_xradia, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(flats_of_xradia, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(other_names_of_images, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(other_versions, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(scan_of_header, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(hostile_headers, testing_directory_make, testing_directory_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
