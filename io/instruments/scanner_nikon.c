/* SPDX-License-Identifier: BSD-3-Clause */
/* Scanner, Nikon: .xtekct files of Nikon Metrology (X-Tek), with measured angles in NAME.ang or _ctdata.txt.
 *
 * Images show the sample as from behind the detector, and it turns clockwise seen from above, so that the word for
 * --angle-direction is counterclockwise. Offsets of the object are those of the axis along the columns, those of the
 * detector are its own; both are in mm, as CIL's reader of such files has them. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scanner_private.h"

static const char section[] = "XTekCT";

/* How far measured angles may be off equal steps, in steps. */
static const double step_tolerance = 0.5;

/* Reads one number of both directions: "NAMEX" and "NAMEY". */
static SinoStatus read_pair(const SinoHeaderText *text, const char *name, double low, double *x, double *y)
{
    char word[64];
    snprintf(word, sizeof word, "%sX", name);
    SINO_TRY(sino_header_real(text, section, word, low, SINO_SCANNER_MM_MAX, x));
    snprintf(word, sizeof word, "%sY", name);
    return sino_header_real(text, section, word, low, SINO_SCANNER_MM_MAX, y);
}

static SinoStatus read_sizes(const SinoHeaderText *text, SinoScannerHeader *header)
{
    int64_t left = 0, top = 0, columns = 0, rows = 0;
    SINO_TRY(sino_header_count(text, section, "DetectorPixelsX", SINO_SCANNER_SIDE_MAX, &header->column_count));
    SINO_TRY(sino_header_count(text, section, "DetectorPixelsY", SINO_SCANNER_SIDE_MAX, &header->row_count));
    SINO_TRY(sino_header_count(text, section, "RegionStartX", SINO_SCANNER_SIDE_MAX, &left));
    SINO_TRY(sino_header_count(text, section, "RegionStartY", SINO_SCANNER_SIDE_MAX, &top));
    SINO_TRY(sino_header_count(text, section, "RegionPixelsX", SINO_SCANNER_SIDE_MAX, &columns));
    SINO_TRY(sino_header_count(text, section, "RegionPixelsY", SINO_SCANNER_SIDE_MAX, &rows));
    if (left > 0 || top > 0 || (columns > 0 && columns != header->column_count) ||
        (rows > 0 && rows != header->row_count))
        sino_scanner_say(header, true,
                         "the region of %" PRId64 " x %" PRId64 " pixels from column %" PRId64 " and row %" PRId64
                         " on: all of the detector is taken; --start-column and its like choose a part",
                         columns, rows, left, top);
    return NULL;
}

/* The place of the axis, and its angle to the columns. */
static SinoStatus read_axis(const SinoHeaderText *text, SinoScannerHeader *header)
{
    double offset_x = 0, offset_y = 0, object_x = NAN, object_y = 0, roll = NAN, top = 0, bottom = 0;
    const double magnification = header->source_detector_mm / header->source_object_mm;
    SINO_TRY(read_pair(text, "DetectorOffset", -SINO_SCANNER_MM_MAX, &offset_x, &offset_y));
    SINO_TRY(read_pair(text, "ObjectOffset", -SINO_SCANNER_MM_MAX, &object_x, &object_y));
    SINO_TRY(sino_header_real(text, section, "ObjectRoll", -90, 90, &roll));
    SINO_TRY(sino_header_real(text, section, "CentreOfRotationTop", -SINO_SCANNER_MM_MAX, SINO_SCANNER_MM_MAX, &top));
    SINO_TRY(
        sino_header_real(text, section, "CentreOfRotationBottom", -SINO_SCANNER_MM_MAX, SINO_SCANNER_MM_MAX, &bottom));
    const double height = (double)header->row_count * header->pixel_height_mm;
    if (isnan(object_x) && top == 0 && bottom == 0) {
        SINO_TRY(sino_header_real(text, section, "CentreOfRotation", -SINO_SCANNER_MM_MAX, SINO_SCANNER_MM_MAX, &top));
        bottom = top;
    }
    if (isnan(object_x)) object_x = (top + bottom) / 2 / magnification;
    if (isnan(roll)) roll = atan2(bottom - top, height) * 180 / M_PI;
    header->axis_column =
        ((double)header->column_count - 1) / 2 + (object_x * magnification - offset_x) / header->pixel_width_mm;
    header->center_row = ((double)header->row_count - 1) / 2 + offset_y / header->pixel_height_mm;
    if (fabs(roll) <= 10) header->tilt_deg = roll; /* the top of the axis leans to smaller columns if positive */
    sino_scanner_say(header, false, "ObjectOffsetX %.8g mm, ObjectRoll %.8g degrees, DetectorOffset %g, %g mm",
                     object_x, roll, offset_x, offset_y);
    if (fabs(roll) > 10) sino_scanner_say(header, true, "ObjectRoll %g degrees: allowed are up to 10", roll);
    if (object_y != 0) sino_scanner_say(header, true, "ObjectOffsetY %g mm", object_y);
    return NULL;
}

/* Laminography: older headers have no word for the tilt of the axis, and its users write it into the name. */
static SinoStatus tell_tilt(const SinoHeaderText *text, SinoScannerHeader *header)
{
    char name[SINO_HEADER_VALUE] = "", words[96] = "";
    double tilt = 0;
    SINO_TRY(sino_header_real(text, section, "ObjectTilt", -90, 90, &tilt));
    (void)sino_header_find(text, section, "Name", name);
    if (tilt != 0)
        snprintf(words, sizeof words, "ObjectTilt %g degrees, by which the axis leans along the beam", tilt);
    else if (strcasestr(name, "tilt") || strcasestr(name, "lamino"))
        snprintf(words, sizeof words, "a tilt of the axis, which is in the name only");
    if (*words)
        sino_scanner_say(header, true, "%s: --vectors orbit:source=%.8g,detector=%.8g,pixel=%.8g,tilt=DEGREES", words,
                         header->source_object_mm, header->source_detector_mm, header->pixel_width_mm);
    return NULL;
}

/* The largest difference of measured angles from equal steps. */
static double largest_gap(const double *angle_deg, int64_t count, double step)
{
    double gap = 0;
    for (int64_t k = 0; k < count; k++) gap = fmax(gap, fabs(angle_deg[k] - angle_deg[0] - (double)k * step));
    return gap;
}

/* Takes the first angles of the file, which has one more for the end of the last projection. */
static SinoStatus take_measured(const char *path, double step, SinoScannerHeader *header)
{
    SinoHeaderText text;
    double *angle = NULL;
    int64_t count = 0;
    SinoStatus status = sino_header_text_read(path, &text);
    const bool table = !status && strstr(text.text, "Frames"); /* its second line has numbers of projections */
    if (!status) status = sino_header_column(&text, 1, SINO_SCANNER_ANGLES_MAX, &count, &angle);
    sino_header_text_clear(&text);
    if (status) return status;
    const int64_t first = table && count > 0 ? 1 : 0, wanted = header->angle_count;
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    if (count - first < wanted) {
        sino_scanner_say(header, true, "%s, which has %" PRId64 " angles", name, count - first);
    } else {
        const double gap = largest_gap(angle + first, wanted, step);
        memcpy(header->angle_deg, angle + first, (size_t)wanted * sizeof *angle);
        sino_scanner_say(header, false, "the angles are those of %s, within %.3g degrees of equal steps", name, gap);
        if (gap > step_tolerance * fabs(step))
            sino_scanner_say(header, true, "AngularStep %g degrees, from which the angles of %s are off", step, name);
    }
    free(angle);
    return NULL;
}

/* *path: the file with measured angles beside the header, by the name that it has; NULL: there is none. */
static SinoStatus find_angles(const SinoScannerHeader *header, const char *stem, char **path)
{
    static const char *const names[] = {"%s.ang", "%s_ctdata.txt", "%.0s_ctdata.txt"};
    for (size_t i = 0; i < sizeof names / sizeof *names && !*path; i++) {
        char name[SINO_HEADER_VALUE];
        snprintf(name, sizeof name, names[i], stem);
        SINO_TRY(sino_scanner_find(header, name, path));
    }
    return NULL;
}

static SinoStatus read_angles(const SinoHeaderText *text, SinoScannerHeader *header)
{
    double first = 0, step = 0;
    int64_t count = 0;
    char *stem, *path = NULL;
    SINO_TRY(sino_header_count(text, section, "Projections", SINO_SCANNER_ANGLES_MAX, &count));
    SINO_TRY(sino_header_real(text, section, "InitialAngle", -1e6, 1e6, &first));
    SINO_TRY(sino_header_real(text, section, "AngularStep", -360, 360, &step));
    SINO_TRY(sino_scanner_need(header, count > 0, "Projections"));
    SINO_TRY(sino_scanner_need(header, step != 0, "AngularStep"));
    SINO_TRY(sino_scanner_equal_angles(header, count, first, step));
    sino_scanner_say(header, false, "InitialAngle %.10g, AngularStep %.10g degrees", first, step);
    SINO_TRY(sino_scanner_stem(header, &stem));
    SinoStatus status = find_angles(header, stem, &path);
    free(stem);
    if (!status && path) status = take_measured(path, step, header);
    free(path);
    return status;
}

static SinoStatus name_images(const SinoHeaderText *text, SinoScannerHeader *header)
{
    char name[SINO_HEADER_VALUE], folder[SINO_HEADER_VALUE] = "", separator[SINO_HEADER_VALUE] = "_", *prefix;
    int64_t digits = 4;
    const bool named =
        sino_header_find(text, section, "InputName", name) || sino_header_find(text, section, "Name", name);
    SINO_TRY(sino_scanner_need(header, named, "Name"));
    if (sino_header_find(text, section, "InputFolderName", folder)) {
        char *there;
        SINO_TRY(sino_scanner_find(header, folder, &there));
        if (!there) *folder = '\0'; /* it is of the scanner's computer */
        free(there);
    }
    (void)sino_header_find(text, section, "InputSeparator", separator);
    SINO_TRY(sino_header_count(text, section, "InputDigits", 16, &digits));
    SINO_CHECK(asprintf(&prefix, "%s%s%s%s", folder, *folder ? "/" : "", name, separator) >= 0, SINO_FAILED,
               "no memory for a file name");
    SinoStatus status = sino_scanner_name_images(header, prefix, digits);
    free(prefix);
    return status;
}

/* Corrections that the scanner's program makes of counts, or of the images' places. */
static SinoStatus tell_corrections(const SinoHeaderText *text, SinoScannerHeader *header)
{
    double coefficient[] = {0, 1, 0, 0, 0}, scattering = 0;
    char word[SINO_HEADER_VALUE];
    for (int i = 0; i < 5; i++) {
        char name[16];
        snprintf(name, sizeof name, "CoefX%d", i);
        SINO_TRY(sino_header_real(text, section, name, -1e9, 1e9, &coefficient[i]));
    }
    SINO_TRY(sino_header_real(text, section, "Scattering", -1e9, 1e9, &scattering));
    if (coefficient[0] != 0 || coefficient[1] != 1 || coefficient[2] != 0 || coefficient[3] != 0 || coefficient[4] != 0)
        sino_scanner_say(header, true, "CoefX0 to CoefX4, %g %g %g %g %g, a correction of beam hardening",
                         coefficient[0], coefficient[1], coefficient[2], coefficient[3], coefficient[4]);
    if (scattering != 0) sino_scanner_say(header, true, "Scattering %g", scattering);
    if (sino_header_flag(text, NULL, "Shuttling"))
        sino_scanner_say(header, true, "Shuttling, shifts of the detector; " SINO_SCANNER_ALIGN);
    if (sino_header_find(text, section, "Units", word) && strcmp(word, "mm") != 0)
        sino_scanner_say(header, true, "Units %.32s: lengths are taken as mm", word);
    return NULL;
}

static SinoStatus read_text(const SinoHeaderText *text, SinoScannerHeader *header)
{
    SINO_TRY(sino_header_real(text, section, "SrcToObject", 0, SINO_SCANNER_MM_MAX, &header->source_object_mm));
    SINO_TRY(sino_header_real(text, section, "SrcToDetector", 0, SINO_SCANNER_MM_MAX, &header->source_detector_mm));
    SINO_TRY(read_pair(text, "DetectorPixelSize", 0, &header->pixel_width_mm, &header->pixel_height_mm));
    SINO_TRY(sino_header_real(text, section, "WhiteLevel", 0, 1e9, &header->white));
    SINO_TRY(read_sizes(text, header));
    SINO_TRY(sino_scanner_need(header, header->source_object_mm > 0, "SrcToObject"));
    SINO_TRY(sino_scanner_need(header, header->pixel_width_mm > 0 && header->pixel_height_mm > 0,
                               "DetectorPixelSizeX and Y"));
    SINO_TRY(sino_scanner_need(header, header->row_count > 0 && header->column_count > 0, "DetectorPixelsX and Y"));
    header->direction = SINO_TURNS_COUNTERCLOCKWISE;
    SINO_TRY(read_axis(text, header));
    SINO_TRY(tell_tilt(text, header));
    SINO_TRY(tell_corrections(text, header));
    SINO_TRY(read_angles(text, header));
    return name_images(text, header);
}

static const char *const endings[] = {".xtekct", NULL};

const SinoScannerKind sino_scanner_nikon = {
    .name = "Nikon XTek", .endings = endings, .has = "[XTekCT]", .read = read_text};
