/* SPDX-License-Identifier: BSD-3-Clause */
/* Scanner, TESCAN: "data settings XRE.txt" of Acquila (UniTOM and others; formerly XRE), with more digits of the
 * lengths in "data set settings.ini". Columns and rows of its centers count from the edge of the first pixel. */
#include <math.h>
#include <stdlib.h>

#include "scanner_private.h"

static const char in[] = "CT-parameters IN";

/* The same quantity in both files. */
typedef struct Quantity {
    const char *name, *settings_name;
    double low, high;
} Quantity;

enum { SOD, SDD, COR, HC, VC, PIXEL, TILT, SKEW, SLANT, DIRECTION, FIRST, LAST, QUANTITIES };

static const Quantity quantities[QUANTITIES] = {
    [SOD] = {"SOD", "source_object_distance", 0, SINO_SCANNER_MM_MAX},
    [SDD] = {"SDD", "source_detector_distance", 0, SINO_SCANNER_MM_MAX},
    [COR] = {"COR", "rotation_axis_position", -1e6, 1e6},
    [HC] = {"HC", "horizontal_centre", -1e6, 1e6},
    [VC] = {"VC", "vertical_centre", -1e6, 1e6},
    [PIXEL] = {"Pixel size", "pixel_size", 0, SINO_SCANNER_MM_MAX},
    [TILT] = {"Tilt", "tilt", -360, 360},
    [SKEW] = {"Skew", "skew", -360, 360},
    [SLANT] = {"Slant", "slant", -360, 360},
    [DIRECTION] = {"Direction", "direction_of_rotation", -10, 10},
    [FIRST] = {"Start angle", "first_angle", -1e6, 1e6},
    [LAST] = {"Last angle", "last_angle", -1e6, 1e6},
};

static SinoStatus read_quantities(const SinoHeaderText *text, SinoScannerHeader *header, double value[QUANTITIES])
{
    SinoHeaderText settings;
    char *path = NULL;
    for (int i = 0; i < QUANTITIES; i++)
        SINO_TRY(sino_header_real(text, in, quantities[i].name, quantities[i].low, quantities[i].high, &value[i]));
    SINO_TRY(sino_scanner_find(header, "data set settings.ini", &path));
    if (!path) return NULL;
    SinoStatus status = sino_header_text_read(path, &settings);
    for (int i = 0; i < QUANTITIES && !status; i++)
        status = sino_header_real(&settings, "Settings", quantities[i].settings_name, quantities[i].low,
                                  quantities[i].high, &value[i]);
    sino_header_text_clear(&settings);
    free(path);
    return status;
}

static void take_quantities(const double value[QUANTITIES], SinoScannerHeader *header)
{
    header->source_object_mm = value[SOD];
    header->source_detector_mm = value[SDD];
    header->pixel_width_mm = header->pixel_height_mm = value[PIXEL];
    header->axis_column = value[COR] - 0.5;
    header->center_row = value[VC] - 0.5;
    sino_scanner_say(header, false, "SOD %.10g, SDD %.10g mm, COR %.10g, HC %.10g, VC %.10g pixels, Direction %g",
                     value[SOD], value[SDD], value[COR], value[HC], value[VC], value[DIRECTION]);
    if (fabs(value[COR] - value[HC]) > 1)
        sino_scanner_say(header, true, "HC %.10g, the column that faces the source, which is not the axis", value[HC]);
    if (value[TILT] != 0)
        sino_scanner_say(header, true, "Tilt %g degrees; --detector-tilt turns images back", value[TILT]);
    if (value[SKEW] != 0 || value[SLANT] != 0)
        sino_scanner_say(header, true, "Skew %g and Slant %g degrees of the detector", value[SKEW], value[SLANT]);
}

static SinoStatus read_angles(const SinoHeaderText *text, const double value[QUANTITIES], SinoScannerHeader *header)
{
    int64_t count = 0;
    char mode[SINO_HEADER_VALUE];
    SINO_TRY(sino_header_count(text, "Data set settings", "number projections", SINO_SCANNER_ANGLES_MAX, &count));
    if (count == 0) SINO_TRY(sino_header_count(text, NULL, "total projections", SINO_SCANNER_ANGLES_MAX, &count));
    SINO_TRY(sino_scanner_need(header, count > 0, "number projections"));
    if (sino_header_find(text, NULL, "Vertical mode", mode) && mode[0] != 'C')
        sino_scanner_say(header, true, "Vertical mode %.32s, taken for one circle", mode);
    return sino_scanner_equal_angles(header, count, value[FIRST], (value[LAST] - value[FIRST]) / (double)count);
}

static SinoStatus read_text(const SinoHeaderText *text, SinoScannerHeader *header)
{
    double value[QUANTITIES] = {0};
    char base[SINO_HEADER_VALUE] = "scan_";
    SINO_TRY(read_quantities(text, header, value));
    SINO_TRY(sino_scanner_need(header, value[SOD] > 0, "SOD"));
    SINO_TRY(sino_scanner_need(header, value[SDD] > 0, "SDD"));
    SINO_TRY(sino_scanner_need(header, value[PIXEL] > 0, "Pixel size"));
    SINO_TRY(sino_scanner_need(header, value[COR] != 0 && value[VC] != 0, "COR and VC"));
    take_quantities(value, header);
    SINO_TRY(sino_header_count(text, "Camera settings", "Columns", SINO_SCANNER_SIDE_MAX, &header->column_count));
    SINO_TRY(sino_header_count(text, "Camera settings", "Rows", SINO_SCANNER_SIDE_MAX, &header->row_count));
    SINO_TRY(read_angles(text, value, header));
    SINO_TRY(sino_scanner_find(header, "io000000.tif", &header->flats));
    SINO_TRY(sino_scanner_find(header, "di000000.tif", &header->darks));
    if (!header->flats) sino_scanner_say(header, true, "flat fields: there is no io000000.tif; --flats names them");
    (void)sino_header_find(text, NULL, "File base name", base);
    return sino_scanner_name_images(header, base, 0);
}

static const char *const endings[] = {"data settings xre.txt", NULL};

const SinoScannerKind sino_scanner_tescan = {
    .name = "TESCAN", .endings = endings, .has = "[Scantype]", .read = read_text};
const SinoScannerKind sino_scanner_tescan_settings = {.name = "TESCAN",
                                                      .endings = endings + 1,
                                                      .has = "source_detector_distance",
                                                      .also_has = "rotation_axis_position",
                                                      .main_name = "data settings XRE.txt",
                                                      .read = read_text};
