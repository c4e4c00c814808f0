/* SPDX-License-Identifier: BSD-3-Clause */
/* Scanner, Rigaku: Recon.prm of CT Lab and its like, with angles in radians in Angle.prm. Mirrored images show the
 * sample as from behind the detector. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "scanner_private.h"

static SinoStatus read_angles(const SinoHeaderText *text, SinoScannerHeader *header)
{
    SinoHeaderText table;
    int64_t wanted = 0, count = 0;
    double *angle = NULL, range = 360, first = 0;
    char *path = NULL;
    SINO_TRY(sino_header_count(text, NULL, "PROJECTION", SINO_SCANNER_ANGLES_MAX, &wanted));
    SINO_TRY(sino_header_real(text, NULL, "ANGLE_RANGE", -1e6, 1e6, &range));
    SINO_TRY(sino_header_real(text, NULL, "ANGLE_START", -1e6, 1e6, &first));
    SINO_TRY(sino_scanner_need(header, wanted > 0, "PROJECTION"));
    SINO_TRY(sino_scanner_equal_angles(header, wanted, first, range / (double)wanted));
    if (!sino_header_flag(text, NULL, "ANGLE_FILE_TYPE")) return NULL;
    SINO_TRY(sino_scanner_find(header, "Angle.prm", &path));
    if (!path) {
        sino_scanner_say(header, true,
                         "ANGLE_FILE: there is no Angle.prm beside the header, so that angles have equal steps");
        return NULL;
    }
    SinoStatus status = sino_header_text_read(path, &table);
    if (!status) status = sino_header_column(&table, 0, SINO_SCANNER_ANGLES_MAX, &count, &angle);
    if (!status && count != wanted)
        status = sino_error(SINO_BAD_INPUT, "%s has %" PRId64 " angles; needed: %" PRId64 ", as Recon.prm says", path,
                            count, wanted);
    for (int64_t k = 0; k < wanted && !status; k++) header->angle_deg[k] = angle[k] * 180 / M_PI;
    if (!status)
        sino_scanner_say(header, false, "the angles are those of Angle.prm, to %.7g radians", angle[wanted - 1]);
    sino_header_text_clear(&table);
    free(angle);
    free(path);
    return status;
}

static SinoStatus read_orientation(const SinoHeaderText *text, SinoScannerHeader *header)
{
    double turn = 0;
    int64_t rotation = 0;
    SINO_TRY(sino_header_real(text, NULL, "ROT", -1, 1, &turn));
    SINO_TRY(sino_header_count(text, NULL, "DET_ROTATION", 360, &rotation));
    const bool mirror = sino_header_flag(text, NULL, "PROJECTION_MIRROR");
    if (turn != 0) header->direction = (turn > 0) != mirror ? SINO_TURNS_CLOCKWISE : SINO_TURNS_COUNTERCLOCKWISE;
    sino_scanner_say(header, false, "ROT %g, %s images", turn, mirror ? "mirrored" : "upright");
    if (rotation != 0)
        sino_scanner_say(header, true, "DET_ROTATION %" PRId64 ": images are taken as they are stored", rotation);
    return NULL;
}

static SinoStatus read_text(const SinoHeaderText *text, SinoScannerHeader *header)
{
    double offset = 0, offset_row = 0;
    SINO_TRY(sino_header_real(text, NULL, "MM_SOD", 0, SINO_SCANNER_MM_MAX, &header->source_object_mm));
    SINO_TRY(sino_header_real(text, NULL, "MM_SID", 0, SINO_SCANNER_MM_MAX, &header->source_detector_mm));
    SINO_TRY(sino_header_real(text, NULL, "DET_PU", 0, SINO_SCANNER_MM_MAX, &header->pixel_width_mm));
    SINO_TRY(sino_header_real(text, NULL, "DET_PV", 0, SINO_SCANNER_MM_MAX, &header->pixel_height_mm));
    SINO_TRY(sino_header_count(text, NULL, "DET_NU", SINO_SCANNER_SIDE_MAX, &header->column_count));
    SINO_TRY(sino_header_count(text, NULL, "DET_NV", SINO_SCANNER_SIDE_MAX, &header->row_count));
    SINO_TRY(sino_header_real(text, NULL, "DET_CU", -1e6, 1e6, &offset));
    SINO_TRY(sino_header_real(text, NULL, "DET_CV", -1e6, 1e6, &offset_row));
    SINO_TRY(
        sino_scanner_need(header, header->source_object_mm > 0 && header->source_detector_mm > 0, "MM_SOD and MM_SID"));
    SINO_TRY(sino_scanner_need(header, header->pixel_width_mm > 0 && header->pixel_height_mm > 0, "DET_PU and DET_PV"));
    sino_scanner_say(header, false, "DET_CU %.8g, DET_CV %.8g mm, the place of the axis beside the middle", offset,
                     offset_row);
    if (offset_row != 0) sino_scanner_say(header, true, "DET_CV %g mm; --center-row takes it", offset_row);
    if (sino_header_flag(text, NULL, "HALF")) sino_scanner_say(header, true, "HALF, half of a turn");
    SINO_TRY(read_orientation(text, header));
    SINO_TRY(read_angles(text, header));
    SINO_TRY(sino_scanner_find(header, "Gain.tif", &header->flats));
    SINO_TRY(sino_scanner_find(header, "Offset.tif", &header->darks));
    if (!header->flats) sino_scanner_say(header, true, "flat fields: there is no Gain.tif; --flats names them");
    return sino_scanner_name_images(header, "", 0);
}

static const char *const endings[] = {"recon.prm", NULL};

const SinoScannerKind sino_scanner_rigaku = {
    .name = "Rigaku", .endings = endings, .has = "MM_SOD", .also_has = "DET_PU", .read = read_text};
