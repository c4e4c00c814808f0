/* SPDX-License-Identifier: BSD-3-Clause */
/* Scanner, North Star: .nsipro files of efX-CT. The geometry is vectors: source s, a point c of the axis and its
 * direction a, the pixel r in row 0 and column 0, the normal n of the detector and the direction h of its rows; columns
 * run along v = n × h. With the distance D = n·(r − s), the axis is seen at s + (c − s)·D/n·(c − s).
 *
 * Images are flipped, and then turned clockwise, as <Correction> says.
 *
 * Vectors of projections have z along the axis, against the rows; x along the columns; and 0 where the axis is nearest
 * to the source. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "memory.h"
#include "scanner_private.h"

enum { SOURCE, AXIS, CENTER, REFERENCE, NORMAL, HORIZONTAL, VECTORS };
static const char *const vector_name[VECTORS] = {"source", "axis", "center", "reference", "normal", "horizontal"};

typedef struct Vector {
    double at[3];
} Vector;

static double dot(Vector a, Vector b)
{
    return a.at[0] * b.at[0] + a.at[1] * b.at[1] + a.at[2] * b.at[2];
}

static Vector cross(Vector a, Vector b)
{
    return (Vector){{a.at[1] * b.at[2] - a.at[2] * b.at[1], a.at[2] * b.at[0] - a.at[0] * b.at[2],
                     a.at[0] * b.at[1] - a.at[1] * b.at[0]}};
}

/* a + times·b */
static Vector sum(Vector a, double times, Vector b)
{
    return (Vector){{a.at[0] + times * b.at[0], a.at[1] + times * b.at[1], a.at[2] + times * b.at[2]}};
}

static SinoStatus read_vectors(const SinoHeaderText *text, SinoScannerHeader *header, Vector vector[VECTORS])
{
    for (int i = 0; i < VECTORS; i++) {
        bool found;
        SINO_TRY(sino_header_reals(text, "Result", vector_name[i], 3, vector[i].at, &found));
        SINO_TRY(sino_scanner_need(header, found, vector_name[i]));
    }
    const Vector *unit[] = {&vector[AXIS], &vector[NORMAL], &vector[HORIZONTAL]};
    for (size_t i = 0; i < sizeof unit / sizeof *unit; i++)
        SINO_CHECK(fabs(dot(*unit[i], *unit[i]) - 1) < 1e-3, SINO_BAD_INPUT,
                   "%s: the geometry has a direction of length %g; allowed: 1", header->path,
                   sqrt(dot(*unit[i], *unit[i])));
    return NULL;
}

static SinoStatus take_vectors(const Vector vector[VECTORS], SinoScannerHeader *header)
{
    const Vector s = vector[SOURCE], n = vector[NORMAL], h = vector[HORIZONTAL], v = cross(n, h);
    const Vector to_axis = sum(vector[CENTER], -1, s), to_pixel = sum(vector[REFERENCE], -1, s);
    header->source_object_mm = dot(n, to_axis);
    header->source_detector_mm = dot(n, to_pixel);
    SINO_CHECK(header->source_object_mm > 0, SINO_BAD_INPUT, "%s: the axis is %g mm from the source; allowed: above 0",
               header->path, header->source_object_mm);
    const Vector seen = sum(s, header->source_detector_mm / header->source_object_mm, to_axis);
    const Vector facing = sum(s, header->source_detector_mm, n), axis = vector[AXIS];
    header->axis_column = dot(sum(seen, -1, vector[REFERENCE]), h) / header->pixel_width_mm;
    header->center_row = dot(sum(facing, -1, vector[REFERENCE]), v) / header->pixel_height_mm;
    const double down = dot(axis, v) < 0 ? -1 : 1, lean = atan2(down * dot(axis, h), down * dot(axis, v)) * 180 / M_PI;
    const double along = asin(fmax(-1, fmin(1, dot(axis, n)))) * 180 / M_PI;
    if (fabs(lean) <= 10) header->tilt_deg = lean;
    if (fabs(lean) > 10) sino_scanner_say(header, true, "an axis that leans by %g degrees: allowed are up to 10", lean);
    if (fabs(along) > 0.01) sino_scanner_say(header, true, "an axis that leans by %.4g degrees along the beam", along);
    sino_scanner_say(header, false, "source %.10g %.10g %.10g", s.at[0], s.at[1], s.at[2]);
    return NULL;
}

/* The vector by its components along the three of a base, turned about the last one. */
static void place(const Vector base[3], double angle_rad, Vector vector, double placed[3])
{
    const double x = dot(base[0], vector), y = dot(base[1], vector);
    placed[0] = cos(angle_rad) * x - sin(angle_rad) * y;
    placed[1] = sin(angle_rad) * x + cos(angle_rad) * y;
    placed[2] = dot(base[2], vector);
}

/* Makes the vectors of the projections, if the header tells how many pixels there are. */
static SinoStatus make_vectors(const Vector vector[VECTORS], SinoScannerHeader *header)
{
    const Vector h = vector[HORIZONTAL], v = cross(vector[NORMAL], h), zero = {{0}};
    const Vector up = sum(zero, dot(vector[AXIS], v) > 0 ? -1 : 1, vector[AXIS]);
    const Vector side = sum(h, -dot(h, up), up), column = sum(zero, header->pixel_width_mm, h);
    const Vector row = sum(zero, header->pixel_height_mm, v), to_axis = sum(vector[CENTER], -1, vector[SOURCE]);
    const Vector source = sum(sum(zero, -1, to_axis), dot(to_axis, up), up); /* from the middle of the volume */
    const Vector corner = sum(sum(vector[REFERENCE], -1, vector[SOURCE]), 1, source);
    const Vector middle =
        sum(sum(corner, (double)(header->column_count - 1) / 2, column), (double)(header->row_count - 1) / 2, row);
    const double length = sqrt(dot(side, side)), sense = header->direction == SINO_TURNS_COUNTERCLOCKWISE ? -1 : 1;
    if (header->column_count == 0 || header->row_count == 0 || !(length > 0.1)) return NULL;
    const Vector x = sum(zero, 1 / length, side), base[3] = {x, cross(up, x), up};
    SINO_TRY(sino_allocate(header->angle_count, sizeof *header->vectors, "vectors", &header->vectors));
    for (int64_t k = 0; k < header->angle_count; k++) {
        const double angle_rad = sense * header->angle_deg[k] * (SINO_PI / 180);
        SinoView *view = &header->vectors[k];
        place(base, angle_rad, source, view->source);
        place(base, angle_rad, middle, view->first);
        place(base, angle_rad, column, view->column);
        place(base, angle_rad, row, view->row);
    }
    return NULL;
}

/* Images become upright by flips, and then turns clockwise. */
static SinoStatus read_view(const SinoHeaderText *text, SinoScannerHeader *header)
{
    int64_t degrees = 0;
    SinoScannerView *view = &header->view;
    SINO_TRY(sino_header_count(text, "Correction", "rotate", 360, &degrees));
    SINO_CHECK(degrees % 90 == 0, SINO_BAD_INPUT, "%s: rotate is %" PRId64 "; allowed: 0, 90, 180 or 270", header->path,
               degrees);
    const int64_t turns = degrees / 90 % 4;
    view->transposed = turns % 2 == 1;
    view->rows_flipped = (turns == 1 || turns == 2) != sino_header_flag(text, "Correction", "flipV");
    view->columns_flipped = (turns == 2 || turns == 3) != sino_header_flag(text, "Correction", "flipH");
    if (degrees != 0) sino_scanner_say(header, false, "images are turned by %" PRId64 " degrees clockwise", degrees);
    return NULL;
}

static SinoStatus read_sizes(const SinoHeaderText *text, SinoScannerHeader *header)
{
    int64_t binning = 1;
    double pitch[2];
    bool found;
    SINO_TRY(sino_header_reals(text, "Object Radiograph", "pitch", 2, pitch, &found));
    SINO_TRY(sino_scanner_need(header, found && pitch[0] > 0 && pitch[1] > 0, "pitch"));
    header->pixel_width_mm = pitch[0];
    header->pixel_height_mm = pitch[1];
    int64_t *wide = header->view.transposed ? &header->row_count : &header->column_count;
    int64_t *high = header->view.transposed ? &header->column_count : &header->row_count;
    SINO_TRY(sino_header_count(text, "Detector", "width pixels", SINO_SCANNER_SIDE_MAX, wide));
    SINO_TRY(sino_header_count(text, "Detector", "height pixels", SINO_SCANNER_SIDE_MAX, high));
    SINO_TRY(sino_header_count(text, "Computation", "radio binning", 64, &binning));
    if (binning > 1) sino_scanner_say(header, true, "radio binning %" PRId64 "; --binning averages pixels", binning);
    return NULL;
}

/* The file that a header names by a path of the scanner's computer, in the folder of that name beside the header. */
static SinoStatus find_correction(const SinoScannerHeader *header, const char *file, char **path)
{
    char name[64];
    snprintf(name, sizeof name, "Corrections/%s", file);
    SINO_TRY(sino_scanner_find(header, name, path));
    return *path ? NULL : sino_scanner_find(header, file, path);
}

static SinoStatus name_images(const SinoHeaderText *text, SinoScannerHeader *header)
{
    char file[SINO_HEADER_VALUE];
    SINO_TRY(
        sino_scanner_need(header, sino_header_find(text, "Object Radiograph", "file", file), "the radiographs' file"));
    SINO_TRY(sino_scanner_beside(header, file, &header->images));
    SINO_TRY(find_correction(header, "gain0.tif", &header->flats));
    SINO_TRY(find_correction(header, "offset.tif", &header->darks));
    if (!header->flats)
        sino_scanner_say(header, true,
                         "flat fields: there is no Corrections/gain0.tif; --flats names them, or --open-beam");
    return NULL;
}

static SinoStatus read_text(const SinoHeaderText *text, SinoScannerHeader *header)
{
    Vector vector[VECTORS];
    int64_t count = 0;
    double step = 0;
    char word[SINO_HEADER_VALUE];
    SINO_TRY(read_view(text, header));
    SINO_TRY(read_sizes(text, header));
    SINO_TRY(read_vectors(text, header, vector));
    SINO_TRY(take_vectors(vector, header));
    SINO_TRY(sino_header_count(text, "Object Radiograph", "number", SINO_SCANNER_ANGLES_MAX, &count));
    SINO_TRY(sino_header_real(text, "Object Radiograph", "angleStep", -360, 360, &step));
    SINO_TRY(sino_scanner_need(header, count > 0 && step != 0, "number and angleStep"));
    SINO_TRY(sino_scanner_equal_angles(header, count, 0, step));
    if (sino_header_find(text, "Processed", "clockwise", word))
        header->direction =
            sino_header_flag(text, "Processed", "clockwise") ? SINO_TURNS_CLOCKWISE : SINO_TURNS_COUNTERCLOCKWISE;
    if (sino_header_find(text, NULL, "Scan Type", word) && strcmp(word, "step") != 0 && strcmp(word, "continuous") != 0)
        sino_scanner_say(header, true, "Scan Type %.32s, taken for one circle", word);
    SINO_TRY(make_vectors(vector, header));
    return name_images(text, header);
}

static const char *const endings[] = {".nsipro", NULL};

const SinoScannerKind sino_scanner_north_star = {
    .name = "North Star", .endings = endings, .has = "<NSI Reconstruction Project>", .read = read_text};
