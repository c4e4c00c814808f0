/* SPDX-License-Identifier: BSD-3-Clause */
/* Headers of laboratory scanners: those that scanners wrote, short ones, and hostile ones. */
#include "scan.h"
#include "scanner_header.h"
#include "testing.h"
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

static void assert_word(const SinoScannerHeader *header, const char *name, const char *value)
{
    SinoScannerWord word[SINO_SCANNER_WORDS];
    const int count = sino_scanner_words(header, word);
    for (int i = 0; i < count; i++)
        if (strcmp(word[i].name, name) == 0) {
            assert_string_equal(word[i].value, value);
            return;
        }
    fail_msg("no word %s", name);
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
    write_text(*state, "s.xtekct", NIKON "CentreOfRotationTop=0.19\r\nCentreOfRotationBottom=0.21\r\n");
    testing_path(path, *state, "s.xtekct");
    assert_true(sino_scanner_probe(path) && sino_scanner_probe(*state));
    assert_success(sino_scanner_read(*state, &header));
    assert_true(header.angle_count == 4 && header.angle_deg[3] == 280);
    assert_true(near(header.axis_column, 2 + 0.2 / 0.2)); /* 0.05 mm at the object, four times that on the detector */
    assert_true(near(header.tilt_deg, atan2(0.02, 0.6) * 180 / M_PI));
    assert_word(&header, "geometry", "cone");
    assert_word(&header, "open-beam", "60000");
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
                   "DetectorPixelsY=3\nDetectorPixelSizeY=0.2\nProjections=4\nName=s\n",
                   "with the detector behind the object");
    assert_refused(at,
                   "[XTekCT]\nSrcToObject=1e-300\nSrcToDetector=1e7\nDetectorPixelsX=5\nDetectorPixelSizeX=0.2\n"
                   "DetectorPixelsY=3\nDetectorPixelSizeY=0.2\nName=s\n",
                   "does not tell Projections");
}

TESTING_SUBJECT(scanner_header)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured_nikon),
        cmocka_unit_test_setup_teardown(short_nikon, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(scan_of_header, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(hostile_headers, testing_directory_make, testing_directory_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
