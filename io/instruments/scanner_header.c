/* SPDX-License-Identifier: BSD-3-Clause */
/* Scanner header: the table of scanners, and what their headers say. */
#include "scanner_header.h"

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "files.h"
#include "paths.h"
#include "scanner_private.h"

enum { HEAD_BYTES = 4096 };

static const SinoScannerKind *const kinds[] = {&sino_scanner_nikon,
                                               &sino_scanner_skyscan,
                                               &sino_scanner_phoenix,
                                               &sino_scanner_phoenix_recon,
                                               &sino_scanner_phoenix_log,
                                               &sino_scanner_xradia,
                                               &sino_scanner_north_star,
                                               &sino_scanner_tescan,
                                               &sino_scanner_tescan_settings,
                                               &sino_scanner_rigaku,
                                               &sino_scanner_ctsimu,
                                               &sino_scanner_ctsimu_scenario,
                                               NULL};

/* Whether the bytes begin with the text, in capitals or not. */
static bool begins(const char *bytes, const char *text, size_t length)
{
    size_t i = 0;
    while (i < length && tolower((unsigned char)bytes[i]) == tolower((unsigned char)text[i])) i++;
    return i == length;
}

static bool is_among(const char *head, int64_t count, const char *text, size_t length)
{
    for (int64_t i = 0; i + (int64_t)length <= count; i++)
        if (begins(head + i, text, length)) return true;
    return false;
}

/* Whether a text is among the bytes, in ASCII or in UTF-16. */
static bool has(const char *head, int64_t count, const char *text)
{
    char wide[128];
    const size_t length = strlen(text);
    for (size_t i = 0; i < length && 2 * i + 1 < sizeof wide; i++) {
        wide[2 * i] = text[i];
        wide[2 * i + 1] = '\0';
    }
    return is_among(head, count, text, length) || is_among(head, count, wide, 2 * length - 1);
}

static const SinoScannerKind *kind_of_file(const char *path)
{
    char head[HEAD_BYTES];
    const int64_t count = sino_regular_head(path, sizeof head, head);
    for (const SinoScannerKind *const *kind = kinds; *kind && count > 0; kind++)
        if (has(head, count, (*kind)->has) && (!(*kind)->also_has || has(head, count, (*kind)->also_has))) return *kind;
    return NULL;
}

static bool ends(const char *name, const char *ending)
{
    const size_t length = strlen(name), wanted = strlen(ending);
    return length >= wanted && strcasecmp(name + length - wanted, ending) == 0;
}

/* Whether a file in a folder has the name of a header. */
static bool may_be_header(const char *name)
{
    bool may = false;
    for (const SinoScannerKind *const *kind = kinds; *kind; kind++)
        for (const char *const *ending = (*kind)->endings; *ending; ending++)
            may |= name[0] != '.' && ends(name, *ending);
    return may;
}

/* The headers of a folder. */
typedef struct Found {
    int64_t count;
    char *path; /* the one with the shortest name; owned */
    bool alike; /* the names of all others begin like its name */
} Found;

/* CTSimU's NAME_metadata.json has NAME_recon_metadata.json of the scan's volume beside it. */
static void drop_ending(char *name)
{
    static const char of_ctsimu[] = "_metadata";
    sino_scanner_drop_ending(name);
    if (ends(name, of_ctsimu)) name[strlen(name) - strlen(of_ctsimu)] = 0;
}

/* Whether one name without its ending begins the other. */
static bool begin_alike(const char *a, const char *b)
{
    char *one = strdup(a), *other = strdup(b);
    bool alike = false;
    if (one && other) {
        drop_ending(one);
        drop_ending(other);
        const size_t length = strlen(one) < strlen(other) ? strlen(one) : strlen(other);
        alike = strncmp(one, other, length) == 0;
    }
    free(one);
    free(other);
    return alike;
}

static SinoStatus keep(const char *folder, const char *name, Found *found)
{
    char *path;
    SINO_CHECK(asprintf(&path, "%s/%s", folder, name) >= 0, SINO_FAILED, "no memory for a file name");
    const bool first = found->count == 0;
    if (!kind_of_file(path)) {
        free(path);
        return NULL;
    }
    found->count++;
    found->alike = first || (found->alike && begin_alike(found->path, path));
    if (first || strlen(path) < strlen(found->path) ||
        (strlen(path) == strlen(found->path) && strcmp(path, found->path) < 0)) {
        char *longer = found->path;
        found->path = path;
        path = longer;
    }
    free(path);
    return NULL;
}

static SinoStatus look_through(const char *folder, Found *found)
{
    SinoStatus status = NULL;
    DIR *directory = opendir(folder);
    if (!directory) return NULL;
    for (const struct dirent *entry; !status && (entry = readdir(directory));)
        if (may_be_header(entry->d_name)) status = keep(folder, entry->d_name, found);
    closedir(directory);
    return status;
}

bool sino_scanner_probe(const char *path)
{
    Found found = {.count = 0};
    if (sino_path_kind(path) == SINO_PATH_FILE) return kind_of_file(path);
    if (sino_path_kind(path) != SINO_PATH_FOLDER) return false;
    sino_status_free(look_through(path, &found));
    free(found.path);
    return found.count > 0;
}

/* header->path becomes the main file. */
static SinoStatus take_path(const char *path, SinoScannerHeader *header)
{
    Found found = {.count = 0};
    if (sino_path_kind(path) != SINO_PATH_FOLDER) {
        header->path = strdup(path);
        SINO_CHECK(header->path, SINO_FAILED, "no memory for a file name");
        return NULL;
    }
    SinoStatus status = look_through(path, &found);
    header->path = found.path;
    SINO_TRY(status);
    SINO_CHECK(found.count > 0, SINO_BAD_INPUT, "%s is a folder without a scanner's header", path);
    SINO_CHECK(found.alike, SINO_BAD_INPUT,
               "%s has %" PRId64 " headers of scanners, %s and others; allowed: the name of one of them", path,
               found.count, found.path);
    if (found.count > 1)
        sino_scanner_say(header, true, "the folder has %" PRId64 " headers, of which this one has the shortest name",
                         found.count);
    return NULL;
}

/* Lengths that readers make of several numbers. */
static SinoStatus check(const SinoScannerHeader *header)
{
    SINO_TRY(sino_scanner_need(header, header->angle_count > 0, "a number of projections"));
    const double lengths[] = {header->source_object_mm, header->source_detector_mm, header->pixel_width_mm,
                              header->pixel_height_mm, header->pixel_um};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        SINO_CHECK(lengths[i] >= 0 && lengths[i] <= SINO_SCANNER_MM_MAX, SINO_BAD_INPUT,
                   "%s tells a length of %g; allowed: 0 to %g", header->path, lengths[i], SINO_SCANNER_MM_MAX);
    const bool cone = header->source_object_mm > 0 && header->source_detector_mm >= header->source_object_mm &&
                      header->pixel_width_mm > 0 && header->pixel_height_mm > 0;
    SINO_CHECK(header->parallel || header->vectors_file || cone, SINO_BAD_INPUT,
               "%s tells distances of %g mm to the object and %g mm to the detector, and pixels of %gx%g mm; allowed: "
               "lengths above 0, with the detector behind the object",
               header->path, header->source_object_mm, header->source_detector_mm, header->pixel_width_mm,
               header->pixel_height_mm);
    for (int64_t k = 0; k < header->angle_count && header->angle_deg; k++)
        SINO_CHECK(fabs(header->angle_deg[k]) <= 1e7, SINO_BAD_INPUT,
                   "%s: angle %" PRId64 " is %g degrees; allowed: up to 1e7", header->path, k, header->angle_deg[k]);
    return NULL;
}

/* Other files of a scan stand for its main file. */
static SinoStatus take_main_file(const char *name, SinoScannerHeader *header)
{
    char *stem, *full = NULL, *path = NULL;
    if (!name) return NULL;
    SINO_TRY(sino_scanner_stem(header, &stem));
    const int made = asprintf(&full, "%s%s", strchr("._", name[0]) ? stem : "", name);
    free(stem);
    SINO_CHECK(made >= 0, SINO_FAILED, "no memory for a file name");
    SinoStatus status = sino_scanner_beside(header, full, &path);
    free(full);
    SINO_TRY(status);
    free(header->path);
    header->path = path;
    return NULL;
}

static SinoStatus read_main_file(const SinoScannerKind *kind, SinoScannerHeader *header)
{
    SinoHeaderText text;
    if (kind->read_binary) return kind->read_binary(header);
    SinoStatus status = sino_header_text_read(header->path, &text);
    if (!status) status = kind->read(&text, header);
    sino_header_text_clear(&text);
    return status;
}

SinoStatus sino_scanner_read(const char *path, SinoScannerHeader *header)
{
    *header = (SinoScannerHeader){.axis_column = NAN, .center_row = NAN};
    SINO_TRY(take_path(path, header));
    const SinoScannerKind *kind = kind_of_file(header->path);
    SINO_CHECK(kind, SINO_BAD_INPUT, "%s is no scanner's header that is known", path);
    header->instrument = kind->name;
    SINO_TRY(take_main_file(kind->main_name, header));
    SINO_TRY(read_main_file(kind, header));
    return check(header);
}

void sino_scanner_clear(SinoScannerHeader *header)
{
    free(header->path);
    free(header->angle_deg);
    free(header->shift);
    free(header->vectors);
    free(header->vectors_file);
    free(header->images);
    free(header->flats);
    free(header->darks);
    *header = (SinoScannerHeader){.path = NULL};
}

static void add(SinoToldSettings *told, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void add(SinoToldSettings *told, const char *name, const char *format, ...)
{
    va_list values;
    assert(told->count < SINO_TOLD_SETTINGS);
    told->of[told->count].name = name;
    va_start(values, format);
    vsnprintf(told->of[told->count++].value, sizeof told->of->value, format, values);
    va_end(values);
}

void sino_scanner_tell(const SinoScannerHeader *header, SinoToldSettings *told)
{
    *told = (SinoToldSettings){.count = 0};
    snprintf(told->by, sizeof told->by, "the header of %s", header->instrument);
    add(told, "geometry", "%s", header->vectors_file ? "vectors" : header->parallel ? "parallel" : "cone");
    if (header->vectors_file) add(told, "vectors", "%s", header->vectors_file);
    if (!header->parallel && !isnan(header->center_row)) add(told, "center-row", "%.10g", header->center_row);
    if (header->parallel && header->pixel_um > 0) add(told, "pixel-size", "%.15g", header->pixel_um);
    if (header->direction == SINO_TURNS_COUNTERCLOCKWISE) add(told, "angle-direction", "%s", "counterclockwise");
    if (header->tilt_deg != 0) add(told, "detector-tilt", "%.10g", header->tilt_deg);
    if (header->shift) add(told, "align", "%s", "header");
    if (header->white > 0 && !header->flats) add(told, "open-beam", "%.10g", header->white);
}

static const char *direction_text(SinoScannerDirection direction)
{
    if (direction == SINO_TURNS_UNKNOWN) return "not told: clockwise is assumed";
    return direction == SINO_TURNS_CLOCKWISE ? "clockwise" : "counterclockwise";
}

static void print_angles(const SinoScannerHeader *header, FILE *out)
{
    const double first = header->angle_deg[0], last = header->angle_deg[header->angle_count - 1];
    fprintf(out, "  angles     %" PRId64 ", from %.8g to %.8g degrees, direction %s\n", header->angle_count, first,
            last, direction_text(header->direction));
}

void sino_scanner_print(const SinoScannerHeader *header, FILE *out)
{
    fprintf(out, "header       %s: %s\n", header->instrument, header->path);
    if (header->vectors_file)
        fprintf(out, "  beam       by the vectors of %s\n", header->vectors_file);
    else if (header->parallel)
        fprintf(out, "  beam       parallel, pixels of %.10g um\n", header->pixel_um);
    else
        fprintf(out,
                "  beam       cone, %.10g mm to the object, %.10g mm to the detector, pixels of %.10g x %.10g mm\n",
                header->source_object_mm, header->source_detector_mm, header->pixel_width_mm, header->pixel_height_mm);
    if (header->row_count > 0)
        fprintf(out, "  images     %" PRId64 " rows, %" PRId64 " columns\n", header->row_count, header->column_count);
    if (header->angle_deg) print_angles(header, out);
    if (!isnan(header->axis_column))
        fprintf(out, "  axis       column %.8g by the header; the images decide, unless --rotation-axis does\n",
                header->axis_column);
    if (!isnan(header->center_row)) fprintf(out, "  source     level with row %.8g\n", header->center_row);
    if (header->tilt_deg != 0) fprintf(out, "  tilt       %.8g degrees\n", header->tilt_deg);
    if (header->white > 0) fprintf(out, "  white      %.8g\n", header->white);
    if (header->flats) fprintf(out, "  flats      %s\n", header->flats);
    if (header->darks) fprintf(out, "  darks      %s\n", header->darks);
    for (int i = 0; i < header->note_count; i++)
        fprintf(out, "  %-10s %s\n", header->note[i].open ? "not used" : "also", header->note[i].text);
}
