/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone setup: the lengths of a cone beam, from what the settings and the file say. */
#include "cone_scan.h"

#include "arithmetic.h"

#include <math.h>
#include <stdio.h>

/* Beyond, a length has another unit than mm: height of a pixel over its width. */
static const double ratio_max = 100;

static double first_given(double option, double file)
{
    return option > 0 ? option : file;
}

SinoScanSetup sino_cone_setup(const SinoGeometrySettings *settings, const SinoScanInfo *info)
{
    const SinoScanSetup *file = &info->setup;
    return (SinoScanSetup){.source_object = first_given(settings->source_object_mm, file->source_object),
                           .source_detector = first_given(settings->source_detector_mm, file->source_detector),
                           .pixel_width = first_given(settings->detector_pixel.width, file->pixel_width),
                           .pixel_height = first_given(settings->detector_pixel.height, file->pixel_height)};
}

double sino_cone_spread(const SinoScanInfo *info)
{
    const SinoScanSetup *setup = &info->setup;
    if (!(setup->source_detector > 0)) return 0;
    const double half = atan((double)info->column_count * setup->pixel_width / 2 / setup->source_detector);
    const double spread = 2 * half * 180 / SINO_PI;
    return spread >= 1 ? spread : 0;
}

int sino_cone_missing(const SinoScanSetup *setup, char text[SINO_CONE_MISSING_SIZE])
{
    const char *name[3];
    int count = 0, length = 0;
    if (!(setup->source_object > 0)) name[count++] = "--source-object-distance";
    if (!(setup->source_detector > 0)) name[count++] = "--source-detector-distance";
    if (!(setup->pixel_width > 0 && setup->pixel_height > 0)) name[count++] = "--detector-pixel";
    text[0] = '\0';
    for (int i = 0; i < count; i++)
        length += snprintf(text + length, (size_t)(SINO_CONE_MISSING_SIZE - length), "%s%s",
                           i == 0           ? ""
                           : i == count - 1 ? " and "
                                            : ", ",
                           name[i]);
    return count;
}

SinoStatus sino_cone_check_setup(const SinoSettings *settings, const SinoScanSetup *setup)
{
    char missing[SINO_CONE_MISSING_SIZE];
    const int count = sino_cone_missing(setup, missing);
    SINO_CHECK(count == 0 || !settings->memory, SINO_BAD_INPUT, "a cone beam needs lengths in mm; needed: %s",
               missing); /* arrays of a caller have no file that may hold them */
    SINO_CHECK(count == 0, SINO_BAD_INPUT, "a cone beam needs lengths in mm that '%s' does not have; needed: %s",
               settings->input.file_name, missing);
    SINO_CHECK(setup->source_detector >= setup->source_object, SINO_BAD_INPUT,
               "source-detector-distance is %g mm, and source-object-distance %g mm, so that the detector is between "
               "source and rotation axis; allowed: a distance to the detector of %g mm or more",
               setup->source_detector, setup->source_object, setup->source_object);
    const double ratio = setup->pixel_height / setup->pixel_width;
    SINO_CHECK(ratio <= ratio_max && ratio >= 1 / ratio_max, SINO_BAD_INPUT,
               "detector-pixel is %gx%g mm; allowed: a height of %g to %g widths", setup->pixel_width,
               setup->pixel_height, 1 / ratio_max, ratio_max);
    return NULL;
}

SinoScanSetup sino_cone_usual_setup(const SinoGeometrySettings *settings, int64_t column_count)
{
    const double magnification = 1.5, sides = 4, pixel = 0.2;
    const double width = first_given(settings->detector_pixel.width, pixel), to_detector = settings->source_detector_mm;
    SinoScanSetup setup = {.pixel_width = pixel, .pixel_height = pixel};
    setup.source_object =
        to_detector > 0 ? to_detector / magnification : sides * (double)column_count * width / magnification;
    setup.source_detector = magnification * first_given(settings->source_object_mm, setup.source_object);
    return setup;
}
