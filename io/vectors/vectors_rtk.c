/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors file of RTK: the XML of ThreeDCircularProjectionGeometry, versions 1 to 3.
 *
 * Nine numbers place source and detector of a projection. RTK's axes turn by M = Rz(-in plane) Rx(-out of plane)
 * Ry(-gantry); there, the source is at (source x, y, SID), the detector's point (0, 0) at (projection x, y, SID - SDD),
 * and columns and rows run along x and y. SDD 0 stands for parallel rays along z. RTK's (X, Y, Z) is (X, -Z, Y) here.
 *
 * The elements have no attributes beside the version, no entities and no mixed content, so that this reader is shorter
 * than the calls of a library. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "arithmetic.h"
#include "numbers.h"
#include "vectors_private.h"

enum {
    ISOCENTER,
    DETECTOR,
    GANTRY,
    IN_PLANE,
    OUT_OF_PLANE,
    SOURCE_X,
    SOURCE_Y,
    PROJECTION_X,
    PROJECTION_Y,
    RADIUS,
    OLD_GANTRY,
    PARAMETERS
};
static const char *const parameter_name[PARAMETERS] = {
    [ISOCENTER] = "SourceToIsocenterDistance",
    [DETECTOR] = "SourceToDetectorDistance",
    [GANTRY] = "GantryAngle",
    [IN_PLANE] = "InPlaneAngle",
    [OUT_OF_PLANE] = "OutOfPlaneAngle",
    [SOURCE_X] = "SourceOffsetX",
    [SOURCE_Y] = "SourceOffsetY",
    [PROJECTION_X] = "ProjectionOffsetX",
    [PROJECTION_Y] = "ProjectionOffsetY",
    [RADIUS] = "RadiusCylindricalDetector",
    [OLD_GANTRY] = "Angle",
};
static const char root_name[] = "RTKThreeDCircularGeometry", projection_name[] = "Projection", matrix_name[] = "Matrix";
static const double number_max = 1e8, matrix_tolerance = 1e-6;

enum { MATRIX = 12 };

typedef struct Geometry {
    const SinoHeaderText *text;
    int64_t version, count;       /* of projections, so far */
    double parameter[PARAMETERS]; /* as the elements so far say; mm and degrees */
    double matrix[MATRIX];
    bool inside, has_matrix; /* a projection; it has a matrix */
} Geometry;

/* <name ...> or </name>, at most 63 characters of the name. */
typedef struct Tag {
    char name[64];
    bool ends;
    const char *after; /* behind '>' */
} Tag;

/* Finds the next tag that is no comment and no instruction; false: there is none, or it does not end. */
static bool find_tag(const char *at, Tag *tag)
{
    while ((at = strchr(at, '<'))) {
        const bool comment = strncmp(at, "<!--", 4) == 0, other = at[1] == '?' || at[1] == '!';
        const char *end = comment ? strstr(at + 4, "-->") : strchr(at, '>');
        if (!end) return false;
        tag->ends = at[1] == '/';
        tag->after = end + (comment ? 3 : 1);
        at += 1 + tag->ends;
        size_t length = 0;
        while (length + 1 < sizeof tag->name && !strchr(" \t\r\n>", at[length])) length++;
        memcpy(tag->name, at, length);
        tag->name[length] = '\0';
        if (!comment && !other) return true;
        at = tag->after;
    }
    return false;
}

/* Reads `count` numbers up to the end tag of the name; *after: behind it. */
static SinoStatus take_numbers(const Geometry *geometry, const Tag *tag, int count, double *value, const char **after)
{
    const char *at = tag->after;
    Tag end = {.after = tag->after};
    bool good = true;
    for (int i = 0; i < count && good; i++) {
        const char *next = sino_text_double(at + strspn(at, " \t\r\n"), geometry->text->c_locale, &value[i]);
        good = next && fabs(value[i]) <= number_max * number_max;
        if (good) at = next;
    }
    at += strspn(at, " \t\r\n");
    SINO_CHECK(good && *at == '<' && find_tag(at, &end) && end.ends && strcmp(end.name, tag->name) == 0, SINO_BAD_INPUT,
               "%s: %s of projection %" PRId64 " begins with '%.32s'; allowed: %d numbers", geometry->text->path,
               tag->name, geometry->count, tag->after + strspn(tag->after, " \t\r\n"), count);
    *after = end.after;
    return NULL;
}

/* Turns the axes p and q of RTK by the angle. */
static void turn(double degrees, int p, int q, double vector[3])
{
    const double c = cos(degrees * (SINO_PI / 180)), s = sin(degrees * (SINO_PI / 180)), from = vector[p];
    vector[p] = c * from - s * vector[q];
    vector[q] = s * from + c * vector[q];
}

/* From the axes that turn with the gantry to those of the volume: the transpose of M. */
static void place(const Geometry *geometry, double x, double y, double z, double placed[3])
{
    double vector[3] = {x, y, z};
    turn(geometry->parameter[IN_PLANE], 0, 1, vector);
    turn(geometry->parameter[OUT_OF_PLANE], 1, 2, vector);
    turn(geometry->parameter[GANTRY], 2, 0, vector);
    placed[0] = vector[0];
    placed[1] = -vector[2];
    placed[2] = vector[1];
}

static SinoView view_of(const Geometry *geometry)
{
    const double *of = geometry->parameter;
    SinoView view = {.parallel = of[DETECTOR] == 0};
    if (view.parallel)
        place(geometry, 0, 0, -1, view.source);
    else
        place(geometry, of[SOURCE_X], of[SOURCE_Y], of[ISOCENTER], view.source);
    place(geometry, of[PROJECTION_X], of[PROJECTION_Y], view.parallel ? -of[ISOCENTER] : of[ISOCENTER] - of[DETECTOR],
          view.first);
    place(geometry, 1, 0, 0, view.column);
    place(geometry, 0, 1, 0, view.row);
    return view;
}

/* Compares the matrix of the file, which sees the point (X, Y, Z) at the homogeneous place matrix·(X, Y, Z, 1). */
static SinoStatus check_matrix(const Geometry *geometry, const SinoView *view)
{
    const SinoViewPlanes planes = sino_view_planes(view);
    const double scale = view->parallel ? 1 : -geometry->parameter[DETECTOR];
    for (int i = 0; i < 3; i++) {
        const double *row = geometry->matrix + (int64_t)4 * i, *plane = planes.plane[(i + 1) % 3];
        const double seen[4] = {scale * plane[1], scale * plane[3], -scale * plane[2], scale * plane[0]};
        const double length = sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2]);
        for (int j = 0; j < 4; j++)
            SINO_CHECK(fabs(row[j] - seen[j]) <= matrix_tolerance * fmax(length, fabs(row[j])), SINO_BAD_INPUT,
                       "%s: the Matrix of projection %" PRId64 " has %.9g in row %d and column %d, and its parameters "
                       "make %.9g; allowed: a matrix that agrees with them",
                       geometry->text->path, geometry->count, row[j], i, j, seen[j]);
    }
    return NULL;
}

static SinoStatus end_projection(Geometry *geometry, SinoVectors *vectors)
{
    const SinoView view = view_of(geometry);
    SINO_CHECK(geometry->parameter[RADIUS] == 0, SINO_BAD_INPUT,
               "%s: RadiusCylindricalDetector is %g mm; allowed: 0, a flat detector", geometry->text->path,
               geometry->parameter[RADIUS]);
    SINO_CHECK(geometry->has_matrix || geometry->version > 1, SINO_BAD_INPUT,
               "%s: projection %" PRId64
               " has no Matrix; allowed of version 1: one that tells the meaning of the angles",
               geometry->text->path, geometry->count);
    if (geometry->has_matrix) SINO_TRY(check_matrix(geometry, &view));
    vectors->view[geometry->count++] = view;
    geometry->inside = false;
    return NULL;
}

static SinoStatus take_parameter(Geometry *geometry, const Tag *tag, const char **after)
{
    for (int i = 0; i < PARAMETERS; i++) {
        double value;
        if (strcmp(tag->name, parameter_name[i]) != 0) continue;
        SINO_TRY(take_numbers(geometry, tag, 1, &value, after));
        SINO_CHECK(fabs(value) <= number_max, SINO_BAD_INPUT,
                   "%s: %s of projection %" PRId64 " is %g; allowed: up to %g", geometry->text->path, tag->name,
                   geometry->count, value, number_max);
        geometry->parameter[i == OLD_GANTRY ? GANTRY : i] = value;
        return NULL;
    }
    return sino_error(SINO_BAD_INPUT,
                      "%s has an element %s, which is not honoured; allowed: distances, angles and offsets of "
                      "%s, without collimation",
                      geometry->text->path, tag->name, root_name);
}

static SinoStatus take_tag(Geometry *geometry, const Tag *tag, SinoVectors *vectors, const char **after)
{
    *after = tag->after;
    if (tag->ends && strcmp(tag->name, root_name) == 0) return NULL;
    if (strcmp(tag->name, projection_name) == 0) {
        SINO_CHECK(geometry->inside == tag->ends, SINO_BAD_INPUT,
                   "%s: projection %" PRId64 " %s; allowed: one after the other", geometry->text->path, geometry->count,
                   tag->ends ? "ends before it begins" : "does not end");
        if (tag->ends) return end_projection(geometry, vectors);
        geometry->inside = true;
        geometry->has_matrix = false;
        return NULL;
    }
    if (!tag->ends && strcmp(tag->name, matrix_name) == 0) {
        geometry->has_matrix = true;
        return take_numbers(geometry, tag, MATRIX, geometry->matrix, after);
    }
    return take_parameter(geometry, tag, after);
}

/* *after: behind <RTKThreeDCircularGeometry version="3">. */
static SinoStatus take_root(Geometry *geometry, const char **after)
{
    Tag tag = {.after = geometry->text->text};
    const bool found = find_tag(tag.after, &tag) && strcmp(tag.name, root_name) == 0;
    const char *begin = found ? strstr(strstr(geometry->text->text, root_name), "version=\"") : NULL;
    const char *end = begin && begin < tag.after ? sino_text_integer(begin + 9, &geometry->version) : NULL;
    SINO_CHECK(end && *end == '"' && geometry->version >= 1 && geometry->version <= 3, SINO_BAD_INPUT,
               "%s does not begin with an element %s of a version; allowed: version 1, 2 or 3", geometry->text->path,
               root_name);
    *after = tag.after;
    return NULL;
}

static SinoStatus parse(const SinoHeaderText *text, SinoVectors *vectors)
{
    Geometry geometry = {.text = text};
    Tag tag;
    const char *at;
    int64_t count = 0;
    SINO_TRY(take_root(&geometry, &at));
    for (const char *next = at; find_tag(next, &tag); next = tag.after)
        count += tag.ends && strcmp(tag.name, projection_name) == 0;
    SINO_TRY(sino_vectors_new(text->path, count, vectors));
    while (find_tag(at, &tag)) SINO_TRY(take_tag(&geometry, &tag, vectors, &at));
    SINO_CHECK(!geometry.inside, SINO_BAD_INPUT, "%s is cut in projection %" PRId64 "; allowed: a whole file",
               text->path, geometry.count);
    vectors->unsized = true;
    return NULL;
}

static bool probe(const char *head, int64_t bytes)
{
    (void)bytes;
    return strstr(head, "<RTKThreeDCircularGeometry") != NULL;
}

const SinoVectorsFormat sino_vectors_rtk = {.probe = probe, .parse = parse};
