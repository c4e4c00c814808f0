/* SPDX-License-Identifier: BSD-3-Clause */
/* Scanner, CTSimU: the metadata of images, NAME_metadata.json, file format 1. They tell images without headers, or TIFF
 * files, and name the scenario, whose vectors are those of the projections (vectors_ctsimu.c). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "scanner_private.h"

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

/* *value: object.name, a number or {value}; as it is if there is none. */
static SinoStatus read_count(const SinoScannerHeader *header, const json_t *object, const char *name, int64_t high,
                             int64_t *value)
{
    const json_t *member = json_object_get(object, name);
    const json_t *number = json_is_object(member) ? json_object_get(member, "value") : member;
    if (!number || json_is_null(number)) return NULL;
    SINO_CHECK(json_is_number(number), SINO_BAD_INPUT, "%s: %s is no number; allowed: an integer from 0 to %" PRId64,
               header->path, name, high);
    const double given = json_number_value(number);
    SINO_CHECK(given >= 0 && given <= (double)high && given == floor(given), SINO_BAD_INPUT,
               "%s: %s is %g; allowed: an integer from 0 to %" PRId64, header->path, name, given, high);
    *value = (int64_t)given;
    return NULL;
}

/* The type of the pixels of images without headers. */
static SinoStatus read_type(const json_t *projections, SinoScannerHeader *header)
{
    static const SinoNpy types[] = {
        {.kind = SINO_NPY_UINT, .item_bytes = 1, .stored_type = "uint8"},
        {.kind = SINO_NPY_UINT, .item_bytes = 2, .stored_type = "uint16"},
        {.kind = SINO_NPY_UINT, .item_bytes = 4, .stored_type = "uint32"},
        {.kind = SINO_NPY_INT, .item_bytes = 1, .stored_type = "int8"},
        {.kind = SINO_NPY_INT, .item_bytes = 2, .stored_type = "int16"},
        {.kind = SINO_NPY_INT, .item_bytes = 4, .stored_type = "int32"},
        {.kind = SINO_NPY_FLOAT, .item_bytes = 4, .stored_type = "float32"},
        {.kind = SINO_NPY_FLOAT, .item_bytes = 8, .stored_type = "float64"},
    };
    enum { TYPES = sizeof types / sizeof *types };
    const char *type = text_of(projections, "datatype"), *order = text_of(projections, "byteorder");
    const json_t *bytes = json_object_get(projections, "headersize");
    int i = 0;
    while (i < TYPES && !(type && strcmp(type, types[i].stored_type) == 0)) i++;
    SINO_CHECK(i < TYPES, SINO_BAD_INPUT,
               "%s: datatype is %.16s; allowed: uint8, uint16, uint32, int8, int16, int32, float32 or float64",
               header->path, type ? type : "no word");
    SINO_CHECK(!order || strcmp(order, "little") == 0 || strcmp(order, "big") == 0, SINO_BAD_INPUT,
               "%s: byteorder is %.16s; allowed: little or big", header->path, order);
    header->raw.type = types[i];
    header->raw.type.swapped = (order && *order == 'b') == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    SINO_TRY(read_count(header, bytes, "file", SINO_SCANNER_GAP_MAX, &header->raw.file_bytes));
    return read_count(header, bytes, "image", SINO_SCANNER_GAP_MAX, &header->raw.image_bytes);
}

/* *path: the file beside the header, or the pattern of the files where the name has the place of a number, as "%04d".
 */
static SinoStatus name_files(const SinoScannerHeader *header, const char *name, char **path)
{
    const char *place = strchr(name, '%'), *end = place ? place + 1 + strspn(place + 1, "0123456789") : NULL;
    char *pattern = NULL;
    if (!place || *end != 'd') return sino_scanner_beside(header, name, path);
    SINO_CHECK(asprintf(&pattern, "%.*s[0-9]*%s", (int)(place - name), name, end + 1) >= 0, SINO_FAILED,
               "no memory for a file name");
    SinoStatus status = sino_scanner_beside(header, pattern, path);
    free(pattern);
    return status;
}

/* Flat or dark fields, unless the projections are divided by them, or darks taken off, already. */
static SinoStatus read_field(const SinoScannerHeader *header, const json_t *projections, const char *name, char **path)
{
    const json_t *field = json_object_get(projections, name);
    const char *file = text_of(field, "filename");
    return file && !json_is_true(json_object_get(field, "projections_corrected")) ? name_files(header, file, path)
                                                                                  : NULL;
}

static SinoStatus read_images(const json_t *projections, SinoScannerHeader *header)
{
    const json_t *size = json_object_get(projections, "dimensions"), *white;
    const char *file = text_of(projections, "filename"), *point = file ? strrchr(file, '.') : NULL;
    SINO_CHECK(file, SINO_BAD_INPUT,
               "%s does not tell output.projections.filename; needed: the metadata as CTSimU has them", header->path);
    SINO_TRY(read_count(header, size, "x", SINO_SCANNER_SIDE_MAX, &header->column_count));
    SINO_TRY(read_count(header, size, "y", SINO_SCANNER_SIDE_MAX, &header->row_count));
    SINO_TRY(sino_scanner_need(header, header->column_count > 0 && header->row_count > 0, "dimensions"));
    SINO_TRY(read_count(header, projections, "number", SINO_SCANNER_ANGLES_MAX, &header->angle_count));
    if (!point || (strncmp(point, ".tif", 4) != 0 && strncmp(point, ".TIF", 4) != 0))
        SINO_TRY(read_type(projections, header));
    SINO_TRY(name_files(header, file, &header->images));
    SINO_TRY(read_field(header, projections, "flat_field", &header->flats));
    SINO_TRY(read_field(header, projections, "dark_field", &header->darks));
    white = json_object_get(projections, "max_intensity");
    if (json_is_number(white)) header->white = json_number_value(white);
    if (text_of(json_object_get(projections, "bad_pixel_map"), "filename"))
        sino_scanner_say(header, true, "a map of bad pixels");
    return NULL;
}

/* The scenario as the metadata name it, or beside them. */
static SinoStatus find_scenario(const json_t *root, SinoScannerHeader *header)
{
    const char *named = text_of(json_object_get(root, "acquisition_geometry"), "path_to_CTSimU_JSON");
    const char *slash = named ? strrchr(named, '/') : NULL;
    SINO_TRY(sino_scanner_need(header, named, "path_to_CTSimU_JSON"));
    SINO_TRY(sino_scanner_find(header, named, &header->vectors_file));
    if (!header->vectors_file && slash) SINO_TRY(sino_scanner_find(header, slash + 1, &header->vectors_file));
    SINO_CHECK(header->vectors_file, SINO_BAD_INPUT,
               "%s names the scenario %.200s, which is not there; allowed: there, or beside it", header->path, named);
    SINO_CHECK(strlen(header->vectors_file) < SINO_TOLD_VALUE, SINO_BAD_INPUT,
               "%s names a scenario by a path of %zu bytes; allowed: up to %d", header->path,
               strlen(header->vectors_file), (int)SINO_TOLD_VALUE - 1);
    return NULL;
}

static SinoStatus read_text(const SinoHeaderText *text, SinoScannerHeader *header)
{
    json_error_t error;
    json_t *root = json_loads(text->text, JSON_REJECT_DUPLICATES, &error);
    SINO_CHECK(root, SINO_BAD_INPUT, "%s is no JSON: line %d: %s; allowed: metadata of CTSimU", text->path, error.line,
               error.text);
    SinoStatus status = read_images(json_object_get(json_object_get(root, "output"), "projections"), header);
    if (!status) status = find_scenario(root, header);
    json_decref(root);
    return status;
}

static const char *const endings[] = {"_metadata.json", NULL};

const SinoScannerKind sino_scanner_ctsimu = {
    .name = "CTSimU", .endings = endings, .has = "CTSimU Metadata", .read = read_text};
const SinoScannerKind sino_scanner_ctsimu_scenario = {.name = "CTSimU",
                                                      .endings = endings + 1,
                                                      .has = "CTSimU Scenario",
                                                      .main_name = "_metadata.json",
                                                      .read = read_text};
