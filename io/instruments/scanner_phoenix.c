/* SPDX-License-Identifier: BSD-3-Clause */
/* Scanner, phoenix: .pca files of datos|x acquisition (GE, Waygate), with what was measured of each image in NAME.pcp.
 *
 * The rotation table stands on the perpendicular from the source to column cx and row cy of the images. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scanner_private.h"

static SinoStatus read_lengths(const SinoHeaderText *text, SinoScannerHeader *header)
{
    double rotation = 0, tilt = 0, correction = 0;
    SINO_TRY(sino_header_real(text, "Geometry", "FOD", 0, SINO_SCANNER_MM_MAX, &header->source_object_mm));
    SINO_TRY(sino_header_real(text, "Geometry", "FDD", 0, SINO_SCANNER_MM_MAX, &header->source_detector_mm));
    SINO_TRY(sino_header_real(text, "Geometry", "cx", -1e6, 1e6, &header->axis_column));
    SINO_TRY(sino_header_real(text, "Geometry", "cy", -1e6, 1e6, &header->center_row));
    SINO_TRY(sino_header_real(text, "Detector", "PixelsizeX", 0, SINO_SCANNER_MM_MAX, &header->pixel_width_mm));
    SINO_TRY(sino_header_real(text, "Detector", "PixelsizeY", 0, SINO_SCANNER_MM_MAX, &header->pixel_height_mm));
    SINO_TRY(sino_header_real(text, "Geometry", "DetectorRot", -360, 360, &rotation));
    SINO_TRY(sino_header_real(text, "Geometry", "Tilt", -360, 360, &tilt));
    SINO_TRY(sino_header_real(text, "Geometry", "CalibValue", -1e6, 1e6, &correction));
    SINO_TRY(sino_scanner_need(header, header->source_object_mm > 0, "FOD"));
    SINO_TRY(sino_scanner_need(header, header->source_detector_mm > 0, "FDD"));
    if (rotation != 0) sino_scanner_say(header, true, "DetectorRot %g", rotation);
    if (tilt != 0) sino_scanner_say(header, true, "Tilt %g", tilt);
    if (correction != 0)
        sino_scanner_say(header, true, "CalibValue %g, by which the scanner's program moves the axis", correction);
    return NULL;
}

static SinoStatus read_sizes(const SinoHeaderText *text, SinoScannerHeader *header, double *voxel)
{
    int64_t tiles = 1, rotation = 0, binning = 0;
    SINO_TRY(sino_header_count(text, "Image", "DimX", SINO_SCANNER_SIDE_MAX, &header->column_count));
    SINO_TRY(sino_header_count(text, "Image", "DimY", SINO_SCANNER_SIDE_MAX, &header->row_count));
    SINO_TRY(sino_header_count(text, "Image", "Rotation", 360, &rotation));
    SINO_TRY(sino_header_real(text, "Image", "FreeRay", 0, 1e9, &header->white));
    SINO_TRY(sino_header_real(text, "Geometry", "VoxelSizeX", 0, SINO_SCANNER_MM_MAX, voxel));
    SINO_TRY(sino_header_count(text, "VSensor", "NumTiles", 1000, &tiles));
    SINO_TRY(sino_header_count(text, "Detector", "Binning", 64, &binning));
    SINO_TRY(sino_scanner_need(header, header->row_count > 0 && header->column_count > 0, "DimX and DimY"));
    if (rotation != 0) sino_scanner_say(header, true, "images turned by %" PRId64, rotation);
    if (sino_header_flag(text, "Image", "MirrorX") || sino_header_flag(text, "Image", "MirrorY"))
        sino_scanner_say(header, true, "MirrorX or MirrorY: images are taken as they are stored");
    if (tiles > 1) sino_scanner_say(header, true, "%" PRId64 " tiles of a virtual detector", tiles);
    return NULL;
}

/* A pixel of an image is several of the detector where these are binned: the voxel tells. */
static void take_binning(double voxel, SinoScannerHeader *header)
{
    if (header->pixel_width_mm == 0)
        header->pixel_width_mm = voxel * header->source_detector_mm / header->source_object_mm;
    if (header->pixel_height_mm == 0) header->pixel_height_mm = header->pixel_width_mm;
    const double expected = header->pixel_width_mm * header->source_object_mm / header->source_detector_mm;
    const double times = voxel > 0 && expected > 0 ? round(voxel / expected) : 1;
    if (times < 2 || fabs(voxel / expected - times) > 0.01) return;
    header->pixel_width_mm *= times;
    header->pixel_height_mm *= times;
    sino_scanner_say(header, false, "pixels are binned by %g", times);
}

/* The column of this name in a table whose first line of names begins with ImgNr; −1: there is none. */
static int column_of(const SinoHeaderText *table, const char *name)
{
    const char *at = strstr(table->text, "ImgNr");
    const size_t length = strlen(name);
    for (int column = 0; at; column++) {
        const size_t word = strcspn(at, "\t\r\n");
        if (word == length && strncmp(at, name, length) == 0) return column;
        at = at[word] == '\t' ? at + word + 1 : NULL;
    }
    return -1;
}

/* The numbers of a column of NAME.pcp; none if it is not there. */
static SinoStatus read_column(const SinoHeaderText *table, const char *name, int64_t *count, double **value)
{
    const int column = column_of(table, name);
    *count = 0;
    return column < 0 ? NULL : sino_header_column(table, column, SINO_SCANNER_ANGLES_MAX, count, value);
}

/* Tells whether images were shifted while they were taken, and shifted back by the scanner, which cuts the edges off.
 */
static SinoStatus tell_shifts(const SinoHeaderText *text, SinoScannerHeader *header, int64_t count, const double *shift)
{
    int64_t columns = 0, amplitude = 0;
    double low = 0, high = 0;
    SINO_TRY(sino_header_count(text, "Detector", "NrPixelsX", SINO_SCANNER_SIDE_MAX, &columns));
    SINO_TRY(sino_header_count(text, "DetectorShift", "Amplitude", SINO_SCANNER_SIDE_MAX, &amplitude));
    for (int64_t k = 0; k < count; k++) {
        low = fmin(low, shift[k]);
        high = fmax(high, shift[k]);
    }
    if (low == 0 && high == 0) return NULL;
    const bool cut = amplitude > 0 && header->column_count == columns - 2 * amplitude;
    sino_scanner_say(header, !cut, "XDShift moves the detector by %g to %g pixels%s", low, high,
                     cut ? ", which the images do not show: their edges are cut off"
                         : ", image by image, which is not undone; " SINO_SCANNER_ALIGN);
    return NULL;
}

/* The angles of NAME.pcp, and what else it tells of images. */
static SinoStatus take_measured(const SinoHeaderText *text, const SinoHeaderText *table, SinoScannerHeader *header)
{
    int64_t count = 0, uses = 0, shifts = 0, unused = 0;
    double *angle = NULL, *use = NULL, *shift = NULL;
    const int64_t wanted = header->angle_count;
    SinoStatus status = read_column(table, "RotPos", &count, &angle);
    if (!status) status = read_column(table, "Use", &uses, &use);
    if (!status) status = read_column(table, "XDShift", &shifts, &shift);
    if (!status && angle && count >= wanted) {
        memcpy(header->angle_deg, angle, (size_t)wanted * sizeof *angle);
        sino_scanner_say(header, false, "the angles are those of the .pcp file");
    } else if (!status) {
        sino_scanner_say(header, true, "the .pcp file, which has %" PRId64 " lines", count);
    }
    for (int64_t k = 0; k < uses; k++) unused += use[k] == 0;
    if (unused > 0) sino_scanner_say(header, true, "%" PRId64 " images that the .pcp file leaves out", unused);
    if (!status) status = tell_shifts(text, header, shifts, shift);
    free(angle);
    free(use);
    free(shift);
    return status;
}

static SinoStatus read_angles(const SinoHeaderText *text, const char *stem, SinoScannerHeader *header)
{
    int64_t count = 0;
    double sector = 360;
    char *name, *path = NULL;
    SinoHeaderText table = {.path = NULL};
    SINO_TRY(sino_header_count(text, "CT", "NumberImages", SINO_SCANNER_ANGLES_MAX, &count));
    SINO_TRY(sino_header_real(text, "CT", "RotationSector", -1e6, 1e6, &sector));
    SINO_TRY(sino_scanner_need(header, count > 0, "NumberImages"));
    SINO_TRY(sino_scanner_equal_angles(header, count, 0, sector / (double)count));
    SINO_CHECK(asprintf(&name, "%s.pcp", stem) >= 0, SINO_FAILED, "no memory for a file name");
    SinoStatus status = sino_scanner_find(header, name, &path);
    free(name);
    if (!status && path) status = sino_header_text_read(path, &table);
    if (!status && path) status = take_measured(text, &table, header);
    sino_header_text_clear(&table);
    free(path);
    return status;
}

static SinoStatus read_text(const SinoHeaderText *text, const char *stem, SinoScannerHeader *header)
{
    double voxel = 0;
    char *prefix;
    SINO_TRY(read_lengths(text, header));
    SINO_TRY(read_sizes(text, header, &voxel));
    take_binning(voxel, header);
    SINO_TRY(read_angles(text, stem, header));
    if (sino_header_flag(text, "Multiscan", "Active")) sino_scanner_say(header, true, "an active multiscan");
    if (sino_header_flag(text, "Trajectory", "Active")) sino_scanner_say(header, true, "an active trajectory");
    if (sino_header_flag(text, "SectorScan", "Active")) sino_scanner_say(header, true, "an active sector scan");
    SINO_CHECK(asprintf(&prefix, "%s_", stem) >= 0, SINO_FAILED, "no memory for a file name");
    SinoStatus status = sino_scanner_name_images_by(header, prefix, stem, 0);
    free(prefix);
    return status;
}

static SinoStatus read_phoenix(const SinoHeaderText *text, SinoScannerHeader *header)
{
    char *stem;
    SINO_TRY(sino_scanner_stem(header, &stem));
    SinoStatus status = read_text(text, stem, header);
    free(stem);
    return status;
}

static const char *const endings[] = {".pca", NULL};

const SinoScannerKind sino_scanner_phoenix = {
    .name = "phoenix datos|x", .endings = endings, .has = "[General]", .also_has = "FDD=", .read = read_phoenix};
const SinoScannerKind sino_scanner_phoenix_recon = {
    .name = "phoenix datos|x", .endings = endings + 1, .has = "PCA_File=", .main_name = ".pca", .read = read_phoenix};
const SinoScannerKind sino_scanner_phoenix_log = {.name = "phoenix datos|x",
                                                  .endings = endings + 1,
                                                  .has = "RotPos",
                                                  .also_has = "XDShift",
                                                  .main_name = ".pca",
                                                  .read = read_phoenix};
