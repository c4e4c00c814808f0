/* SPDX-License-Identifier: BSD-3-Clause */
/* Scanner, SkyScan: .log files of Bruker's (formerly SkyScan's) scanners.
 *
 * A pixel of an image is seen by the sample at "Image Pixel Size", which is calibrated; on the camera it is as much
 * larger as the camera is further away. The optical axis is a line counted from the lowest one. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "scanner_private.h"

static const char section[] = "Acquisition", system_section[] = "System";

/* Beyond this distance, in mm, rays are parallel: optical and synchrotron scanners tell 10000001 and the like. */
static const double parallel_beyond = 10000;

/* Where the camera is; without its distance and its pixels, the images are those of one at the axis. */
static void place_camera(double image_um, double camera_um, SinoScannerHeader *header)
{
    if (header->source_detector_mm > 0) return;
    header->source_detector_mm = header->source_object_mm * fmax(camera_um / image_um, 1);
    if (camera_um <= image_um)
        sino_scanner_say(header, false, "Camera to Source is not told: the image is that of a camera at the axis");
}

static SinoStatus read_lengths(const SinoHeaderText *text, SinoScannerHeader *header)
{
    double image_um = 0, camera_um = 0, ratio = 1;
    char binning[SINO_HEADER_VALUE] = "1x1";
    SINO_TRY(
        sino_header_real(text, section, "Object to Source (mm)", 0, SINO_SCANNER_MM_MAX, &header->source_object_mm));
    SINO_TRY(
        sino_header_real(text, section, "Camera to Source (mm)", 0, SINO_SCANNER_MM_MAX, &header->source_detector_mm));
    SINO_TRY(sino_header_real(text, section, "Image Pixel Size (um)", 0, 1e7, &image_um));
    if (image_um == 0) SINO_TRY(sino_header_real(text, section, "Scaled Image Pixel Size (um)", 0, 1e7, &image_um));
    SINO_TRY(sino_header_real(text, system_section, "Camera Pixel Size (um)", 0, 1e7, &camera_um));
    SINO_TRY(sino_header_real(text, system_section, "Camera X/Y Ratio", 0.1, 10, &ratio));
    SINO_TRY(sino_header_real(text, system_section, "CameraXYRatio", 0.1, 10, &ratio));
    (void)sino_header_find(text, section, "Camera binning", binning);
    SINO_TRY(sino_scanner_need(header, image_um > 0, "Image Pixel Size (um)"));
    SINO_TRY(sino_scanner_need(header, header->source_object_mm > 0, "Object to Source (mm)"));
    header->parallel = header->source_object_mm > parallel_beyond;
    header->pixel_um = image_um;
    sino_scanner_say(header, false, "camera pixel %.10g um, binning %.16s, X/Y ratio %.6g, image pixel %.10g um",
                     camera_um, binning, ratio, image_um);
    if (header->parallel) return NULL;
    place_camera(image_um, camera_um * strtod(binning, NULL), header);
    header->pixel_width_mm = image_um / 1000 * header->source_detector_mm / header->source_object_mm;
    header->pixel_height_mm = header->pixel_width_mm;
    if (ratio != 1 && !sino_header_flag(text, section, "Geometrical Correction"))
        header->pixel_height_mm = header->pixel_width_mm / ratio;
    else if (ratio != 1)
        sino_scanner_say(header, false, "the X/Y ratio is taken out of the images (Geometrical Correction)");
    return NULL;
}

static SinoStatus read_sizes(const SinoHeaderText *text, SinoScannerHeader *header)
{
    double line = NAN, crop = 0, crop_row = 0, rotation = 0;
    SINO_TRY(sino_header_count(text, section, "Number Of Rows", SINO_SCANNER_SIDE_MAX, &header->row_count));
    SINO_TRY(sino_header_count(text, section, "Number Of Columns", SINO_SCANNER_SIDE_MAX, &header->column_count));
    SINO_TRY(
        sino_header_real(text, section, "Optical Axis (line)", -SINO_SCANNER_SIDE_MAX, SINO_SCANNER_SIDE_MAX, &line));
    SINO_TRY(sino_header_real(text, section, "Image crop origin X", 0, SINO_SCANNER_SIDE_MAX, &crop));
    SINO_TRY(sino_header_real(text, section, "Image crop origin Y", 0, SINO_SCANNER_SIDE_MAX, &crop_row));
    SINO_TRY(sino_header_real(text, section, "Image Rotation", -90, 90, &rotation));
    if (header->row_count > 0 && !isnan(line)) header->center_row = (double)(header->row_count - 1) - line;
    if (!isnan(line)) sino_scanner_say(header, false, "optical axis at line %.6g from below", line);
    if (crop > 0) sino_scanner_say(header, false, "images are cropped from column %g of the camera on", crop);
    if (crop_row > 0) sino_scanner_say(header, true, "images are cropped from row %g of the camera on", crop_row);
    if (rotation != 0)
        sino_scanner_say(header, true, "Image Rotation %g degrees; --detector-tilt %g or %g turns images back",
                         rotation, rotation, -rotation);
    return NULL;
}

static void read_direction(const SinoHeaderText *text, SinoScannerHeader *header)
{
    char word[SINO_HEADER_VALUE];
    if (!sino_header_find(text, section, "Rotation Direction", word)) return;
    header->direction = strncmp(word, "CC", 2) == 0 ? SINO_TURNS_COUNTERCLOCKWISE : SINO_TURNS_CLOCKWISE;
    sino_scanner_say(header, false, "Rotation Direction %.16s", word);
}

/* What other scans or shifts belong to this one. */
static SinoStatus read_parts(const SinoHeaderText *text, SinoScannerHeader *header)
{
    int64_t connected = 1, current = 1, offsets = 1;
    double feed = 0;
    char word[SINO_HEADER_VALUE];
    SINO_TRY(sino_header_real(text, section, "Table Feed (micron)", -1e9, 1e9, &feed));
    SINO_TRY(sino_header_count(text, section, "Number of connected scans", 10000, &connected));
    SINO_TRY(sino_header_count(text, section, "Current scan number", 10000, &current));
    SINO_TRY(sino_header_count(text, section, "Number Of Horizontal Offset Positions", 10000, &offsets));
    if (feed != 0) sino_scanner_say(header, true, "Table Feed %g um: the scan is taken for a circle", feed);
    if (sino_header_find(text, "Reconstruction", "Postalignment", word) && strtod(word, NULL) != 0)
        sino_scanner_say(header, false, "Postalignment %.32s pixels by NRecon; the images decide where the axis is",
                         word);
    if (connected > 1)
        sino_scanner_say(header, true,
                         "%" PRId64 " connected scans: this is number %" PRId64 " alone, and volumes are not joined",
                         connected, current);
    if (sino_header_find(text, section, "Camera Offset", word) && strncasecmp(word, "OFF", 3) != 0)
        sino_scanner_say(header, true, "Camera Offset %.32s", word);
    if (offsets > 1) sino_scanner_say(header, true, "%" PRId64 " horizontal offset positions", offsets);
    if (sino_header_find(text, section, "Random Movement", word) && strncmp(word, "ON", 2) == 0)
        sino_scanner_say(header, true,
                         "Random Movement %.32s: shifts of single images are not undone; " SINO_SCANNER_ALIGN, word);
    if (sino_header_find(text, section, "Scanning Trajectory", word) && strcmp(word, "ROUND") != 0)
        sino_scanner_say(header, true, "Scanning Trajectory %.32s, taken for a circle", word);
    return NULL;
}

/* Flat fields are those of the scanner; the air of corrected images has the reference intensity. */
static SinoStatus read_white(const SinoHeaderText *text, SinoScannerHeader *header)
{
    double white = 0;
    int64_t bits = 0;
    SINO_TRY(sino_header_real(text, section, "Reference Intensity", 0, 1e9, &white));
    SINO_TRY(sino_header_count(text, section, "Depth (bits)", 32, &bits));
    if (white == 0 && bits > 0) white = (double)((int64_t)1 << bits) - 1;
    if (sino_header_flag(text, section, "Flat Field Correction"))
        header->white = white;
    else
        sino_scanner_say(header, true,
                         "Flat Field Correction is not on, so that the scan needs --flats or --open-beam");
    return NULL;
}

static SinoStatus read_images(const SinoHeaderText *text, SinoScannerHeader *header)
{
    char prefix[SINO_HEADER_VALUE], *stem;
    int64_t digits = 4, count = 0;
    double first = 0, step = 0;
    SINO_TRY(sino_header_count(text, section, "Number Of Files", SINO_SCANNER_ANGLES_MAX, &count));
    SINO_TRY(sino_header_real(text, section, "Scanning Start Angle", -360, 360, &first));
    SINO_TRY(sino_header_real(text, section, "Rotation Step (deg)", 0, 360, &step));
    SINO_TRY(sino_scanner_need(header, count > 0, "Number Of Files"));
    SINO_TRY(sino_scanner_need(header, step > 0, "Rotation Step (deg)"));
    SINO_TRY(sino_scanner_equal_angles(header, count, first, step));
    if (sino_header_flag(text, section, "Use 360 Rotation") && (double)count * step < 360 - step)
        sino_scanner_say(header, true, "Use 360 Rotation YES: %" PRId64 " steps of %g degrees make no whole turn",
                         count, step);
    SINO_TRY(sino_header_count(text, section, "Filename Index Length", 16, &digits));
    SINO_TRY(sino_scanner_stem(header, &stem));
    const bool named = sino_header_find(text, section, "Filename Prefix", prefix);
    SinoStatus status = sino_scanner_name_images_by(header, named ? prefix : stem, stem, digits);
    free(stem);
    return status;
}

static SinoStatus read_text(const SinoHeaderText *text, SinoScannerHeader *header)
{
    SINO_TRY(read_lengths(text, header));
    SINO_TRY(read_sizes(text, header));
    read_direction(text, header);
    SINO_TRY(read_white(text, header));
    SINO_TRY(read_parts(text, header));
    return read_images(text, header);
}

static const char *const endings[] = {".log", NULL};

const SinoScannerKind sino_scanner_skyscan = {
    .name = "SkyScan", .endings = endings, .has = "[System]", .also_has = "Scanner=", .read = read_text};
