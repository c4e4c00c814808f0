/* SPDX-License-Identifier: BSD-3-Clause */
/* Scanner, Xradia: .txrm and .xrm files of Zeiss, which hold the images, too. PixelSize is that of the sample in the
 * images; on the detector it is larger by (S + D)/S, with the distances S and D of source and detector to the axis. */
#include "xradia_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "scanner_private.h"

enum { UINT16_TYPE = 5, FLOAT_TYPE = 10, CONE = 1, IMAGES_A_STORAGE = 100, FLATS_MAX = 1000 };

/* Reads `count` numbers of 4 bytes of a stream; *found: it is there and long enough. */
static SinoStatus read_words(const SinoOle *ole, const char *name, int64_t count, void *words, bool *found)
{
    const int64_t stream = sino_ole_find(ole, name);
    *found = stream >= 0 && sino_ole_bytes(ole, stream) >= 4 * count;
    return *found ? sino_ole_read(ole, stream, 0, 4 * count, words) : NULL;
}

static SinoStatus read_integer(const SinoOle *ole, const char *name, int64_t most, int64_t *value)
{
    uint32_t word = 0;
    bool found;
    SINO_TRY(read_words(ole, name, 1, &word, &found));
    SINO_CHECK(found && word >= 1 && word <= most, SINO_BAD_INPUT, "%s is %" PRIu32 "%s; allowed: 1 to %" PRId64, name,
               word, found ? "" : ", for it is missing", most);
    *value = word;
    return NULL;
}

/* A float of a stream, as a double with its shortest decimal digits. */
static double shortest(float value)
{
    char text[32];
    if (!isfinite(value)) return NAN;
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value) break;
    }
    return strtod(text, NULL);
}

static SinoStatus read_real(const SinoOle *ole, const char *name, double *value)
{
    float word;
    bool found;
    SINO_TRY(read_words(ole, name, 1, &word, &found));
    if (found) *value = shortest(word);
    return NULL;
}

static SinoStatus read_type(const SinoOle *ole, const char *name, SinoCountType *type)
{
    int64_t number = 0;
    SINO_TRY(read_integer(ole, name, 100, &number));
    SINO_CHECK(number == UINT16_TYPE || number == FLOAT_TYPE, SINO_BAD_INPUT,
               "%s is %" PRId64 "; allowed: 5 (uint16) or 10 (float32)", name, number);
    *type = number == UINT16_TYPE ? SINO_COUNT_UINT16 : SINO_COUNT_FLOAT32;
    return NULL;
}

static int64_t image_bytes(const SinoXradia *xradia, SinoCountType type)
{
    return sino_times(sino_times(xradia->row_count, xradia->column_count), sino_count_bytes(type));
}

static SinoStatus find_images(SinoXradia *xradia)
{
    const int64_t bytes = image_bytes(xradia, xradia->type);
    char name[64];
    SINO_TRY(sino_allocate(xradia->image_count, sizeof *xradia->stream, "images", &xradia->stream));
    for (int64_t i = 0; i < xradia->image_count; i++) {
        snprintf(name, sizeof name, "ImageData%" PRId64 "/Image%" PRId64, i / IMAGES_A_STORAGE + 1, i + 1);
        xradia->stream[i] = sino_ole_find(xradia->ole, name);
        SINO_CHECK(xradia->stream[i] >= 0 && sino_ole_bytes(xradia->ole, xradia->stream[i]) >= bytes, SINO_BAD_INPUT,
                   "%s is missing or too short; needed: %" PRId64 " bytes", name, bytes);
    }
    return NULL;
}

/* Reference images: one, or several of newer files. Those of another size or of an unknown type are left out. */
static SinoStatus find_flats(SinoXradia *xradia)
{
    const SinoOle *ole = xradia->ole;
    const bool one = sino_ole_find(ole, "ReferenceData/Image") >= 0;
    if (!one && sino_ole_find(ole, "MultiReferenceData/Image1") < 0) return NULL;
    SinoStatus unknown =
        read_type(ole, one ? "ReferenceData/DataType" : "MultiReferenceData/DataType", &xradia->flat_type);
    sino_status_free(unknown);
    if (unknown) return NULL;
    SINO_TRY(sino_allocate(FLATS_MAX, sizeof *xradia->flat, "reference images", &xradia->flat));
    for (int i = 0; i < (one ? 1 : FLATS_MAX); i++) {
        char name[64];
        snprintf(name, sizeof name, "MultiReferenceData/Image%d", i + 1);
        const int64_t stream = sino_ole_find(ole, one ? "ReferenceData/Image" : name);
        if (stream >= 0 && sino_ole_bytes(ole, stream) == image_bytes(xradia, xradia->flat_type))
            xradia->flat[xradia->flat_count++] = stream;
    }
    return NULL;
}

static SinoStatus open_ole(const char *path, SinoXradia *xradia)
{
    SINO_TRY(sino_ole_open(path, &xradia->ole));
    SINO_TRY(read_integer(xradia->ole, "ImageInfo/ImageWidth", SINO_SCANNER_SIDE_MAX, &xradia->column_count));
    SINO_TRY(read_integer(xradia->ole, "ImageInfo/ImageHeight", SINO_SCANNER_SIDE_MAX, &xradia->row_count));
    SINO_TRY(read_integer(xradia->ole, "ImageInfo/NoOfImages", SINO_SCANNER_ANGLES_MAX, &xradia->image_count));
    SINO_TRY(read_type(xradia->ole, "ImageInfo/DataType", &xradia->type));
    SINO_TRY(find_images(xradia));
    return find_flats(xradia);
}

SinoStatus sino_xradia_open(const char *path, SinoXradia *xradia)
{
    *xradia = (SinoXradia){.ole = NULL};
    SinoStatus status = open_ole(path, xradia);
    return status && xradia->ole ? sino_error_prefix(status, "%s", path) : status;
}

void sino_xradia_close(SinoXradia *xradia)
{
    sino_ole_close(xradia->ole);
    free(xradia->stream);
    free(xradia->flat);
    *xradia = (SinoXradia){.ole = NULL};
}

SinoStatus sino_xradia_read(const SinoXradia *xradia, bool flat, int64_t image, const SinoScanBox *box,
                            SinoCountType type, void *counts)
{
    const SinoCountType stored = flat ? xradia->flat_type : xradia->type;
    const int64_t stream = flat ? xradia->flat[image] : xradia->stream[image], bytes = sino_count_bytes(stored);
    const int64_t line_bytes = sino_times(box->column_count, sino_count_bytes(type));
    const bool widen = type != stored;
    uint16_t *line;
    SINO_TRY(sino_allocate(box->column_count, sizeof *line, "a row of pixels", &line));
    SinoStatus status = NULL;
    for (int64_t r = 0; r < box->row_count && !status; r++) {
        const int64_t offset = sino_times(box->first_row + r, xradia->column_count) + box->first_column;
        char *to = (char *)counts + sino_times(r, line_bytes);
        status = sino_ole_read(xradia->ole, stream, sino_times(offset, bytes), sino_times(box->column_count, bytes),
                               widen ? (char *)line : to);
        float *const wide = (float *)counts + sino_times(r, box->column_count);
        for (int64_t c = 0; c < box->column_count && widen && !status; c++) wide[c] = line[c];
    }
    free(line);
    return status;
}

/* ---- the header ---- */

static SinoStatus read_angles(const SinoXradia *xradia, SinoScannerHeader *header)
{
    float *angle;
    bool found;
    SINO_TRY(sino_allocate(xradia->image_count, sizeof *angle, "angles", &angle));
    SinoStatus status = read_words(xradia->ole, "ImageInfo/Angles", xradia->image_count, angle, &found);
    if (!status) status = sino_scanner_need(header, found, "ImageInfo/Angles");
    if (!status) status = sino_scanner_equal_angles(header, xradia->image_count, 0, 0);
    for (int64_t k = 0; k < xradia->image_count && !status; k++) header->angle_deg[k] = shortest(angle[k]);
    free(angle);
    return status;
}

/* The alignment tells how far, in pixels, images are to be moved to larger columns or rows. */
static SinoStatus read_shifts(const SinoXradia *xradia, bool rows, SinoScannerHeader *header)
{
    const char *name = rows ? "Alignment/Y-Shifts" : "Alignment/X-Shifts";
    float *word, low = 0, high = 0;
    bool found, finite = true;
    SINO_TRY(sino_allocate(xradia->image_count, sizeof *word, "shifts", &word));
    SinoStatus status = read_words(xradia->ole, name, xradia->image_count, word, &found);
    for (int64_t k = 0; k < xradia->image_count && found && !status; k++) {
        low = fminf(low, word[k]);
        high = fmaxf(high, word[k]);
        finite = finite && isfinite(word[k]);
    }
    const bool moves = !status && (low < 0 || high > 0), taken = moves && finite;
    if (moves)
        sino_scanner_say(header, !finite, "%s move images by %.3g to %.3g pixels%s", name, (double)low, (double)high,
                         finite ? "" : ", and some have no number");
    if (taken && !header->shift)
        status = sino_allocate(xradia->image_count, sizeof *header->shift, "shifts", &header->shift);
    for (int64_t k = 0; k < xradia->image_count && taken && !status; k++)
        *(rows ? &header->shift[k].row : &header->shift[k].column) = -(double)word[k];
    free(word);
    return status;
}

static SinoStatus read_lengths(const SinoXradia *xradia, SinoScannerHeader *header)
{
    uint32_t geometry = 0;
    bool found;
    double source = NAN, detector = NAN, center = 0;
    SINO_TRY(read_words(xradia->ole, "ImageInfo/XrayGeometry", 1, &geometry, &found));
    SINO_TRY(read_real(xradia->ole, "ImageInfo/PixelSize", &header->pixel_um));
    SINO_TRY(read_real(xradia->ole, "ImageInfo/StoRADistance", &source));
    SINO_TRY(read_real(xradia->ole, "ImageInfo/DtoRADistance", &detector));
    SINO_TRY(read_real(xradia->ole, "AutoRecon/CenterShift", &center));
    SINO_TRY(read_real(xradia->ole, "ReconSettings/CenterShift", &center));
    header->parallel = geometry != CONE;
    if (center != 0)
        sino_scanner_say(header, true, "CenterShift %.6g pixels; the images decide where the axis is", center);
    if (header->parallel) return NULL;
    SINO_TRY(sino_scanner_need(header, source != 0 && isfinite(source) && isfinite(detector),
                               "StoRADistance and DtoRADistance"));
    header->source_object_mm = fabs(source);
    header->source_detector_mm = fabs(source) + fabs(detector);
    header->pixel_width_mm = header->pixel_um / 1000 * header->source_detector_mm / header->source_object_mm;
    header->pixel_height_mm = header->pixel_width_mm;
    return NULL;
}

static SinoStatus read_open(const SinoXradia *xradia, SinoScannerHeader *header)
{
    header->row_count = xradia->row_count;
    header->column_count = xradia->column_count;
    header->direction = SINO_TURNS_COUNTERCLOCKWISE;
    SINO_TRY(read_lengths(xradia, header));
    SINO_TRY(read_angles(xradia, header));
    SINO_TRY(read_shifts(xradia, false, header));
    SINO_TRY(read_shifts(xradia, true, header));
    sino_scanner_say(header, xradia->flat_count == 0, "%s",
                     xradia->flat_count == 0 ? "flat fields: the file has no reference image of this size and of a "
                                               "known type; --flats names them, or --open-beam"
                                             : "the flat fields are the reference images of the file");
    return NULL;
}

static SinoStatus read_xradia(SinoScannerHeader *header)
{
    SinoXradia xradia;
    SinoStatus status = sino_xradia_open(header->path, &xradia);
    if (!status) status = read_open(&xradia, header);
    sino_xradia_close(&xradia);
    return status;
}

static const char *const endings[] = {".txrm", NULL};

const SinoScannerKind sino_scanner_xradia = {
    .name = "Zeiss Xradia", .endings = endings, .has = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", .read_binary = read_xradia};
