/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 scan: reads runs of frames, whatever the order of the dimensions. */
#include "hdf5_scan.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "angle_list.h"
#include "hdf5_files.h"
#include "memory.h"

/* Most bytes of a block that is read to be arranged, unless one layer of chunks needs more. */
enum { BLOCK_BYTES = 32 << 20 };

/* Values of a box: {angle, row, column}. */
typedef struct Region {
    int64_t first[3], count[3];
} Region;

/* Dimensions of 1 that a dataset of an image or of one layer lacks, before those that it has. */
static int lacking(const SinoDataset *dataset)
{
    return 3 - dataset->rank;
}

static int64_t size_of(const SinoDataset *dataset, int dimension)
{
    return dimension < lacking(dataset) ? 1 : dataset->size[dimension - lacking(dataset)];
}

static int64_t chunk_of(const SinoDataset *dataset, int dimension)
{
    return dimension < lacking(dataset) ? 1 : dataset->chunk[dimension - lacking(dataset)];
}

/* Reads a region of a dataset whose dimensions have another order, in blocks along the first of them. */
static SinoStatus read_arranged(const SinoDataset *dataset, SinoScanAxes axes, const Region *region, SinoCountType type,
                                char *counts)
{
    const int64_t depth = chunk_of(dataset, 0);
    const int skipped = lacking(dataset);
    int64_t first[3], count[3], block[3], layer, bytes, start[3] = {0};
    int meaning = 0;
    void *values = NULL;
    while (sino_axes_dimension(axes, meaning) != 0) meaning++;
    sino_axes_order(axes, region->first, first);
    sino_axes_order(axes, region->count, count);
    memcpy(block, count, sizeof block);
    SINO_TRY(sino_multiply(count[1], count[2], "a part of a scan", &layer));
    SINO_TRY(sino_multiply(layer, sino_count_bytes(type), "a part of a scan", &bytes));
    const int64_t chunks = sino_larger(1, BLOCK_BYTES / sino_larger(bytes, 1) / depth);
    const int64_t layers = sino_times(chunks, depth);
    SINO_TRY(sino_allocate(sino_smaller(layers, count[0]), bytes, "a part of a scan", &values));
    SinoStatus status = NULL;
    for (int64_t done = 0; done < count[0] && !status; done += block[0]) {
        const int64_t begin[3] = {first[0] + done, first[1], first[2]};
        block[0] = sino_smaller(count[0] - done, layers - (done == 0 ? begin[0] % depth : 0));
        status = sino_dataset_read(dataset, begin + skipped, block + skipped, sino_count_memory_type(type), values);
        start[meaning] = done;
        if (!status) sino_axes_arrange(axes, block, sino_count_bytes(type), values, start, region->count, counts);
    }
    free(values);
    return status;
}

static SinoStatus read_region(const SinoDataset *dataset, SinoScanAxes axes, const Region *region, SinoCountType type,
                              char *counts)
{
    if (axes != SINO_AXES_ANGLE_ROW_COLUMN) return read_arranged(dataset, axes, region, type, counts);
    const int skipped = lacking(dataset);
    return sino_dataset_read(dataset, region->first + skipped, region->count + skipped, sino_count_memory_type(type),
                             counts);
}

static SinoStatus read_once(const SinoHdf5Scan *hdf5, SinoScanField field, int64_t first, int64_t count,
                            const SinoScanBox *box, SinoCountType type, void *counts)
{
    const SinoHdf5Field *from = &hdf5->field[field];
    const SinoHdf5Field *data = from->dataset.id >= 0 ? from : &hdf5->field[SINO_FIELD_DATA];
    char *to = counts;
    while (count > 0) {
        const SinoFrameRun run = sino_frame_list_run(&from->frames, first, count);
        const Region region = {.first = {run.first, box->first_row, box->first_column},
                               .count = {run.count, box->row_count, box->column_count}};
        SINO_CHECK(run.first + run.count <= data->dataset.size[0] || !hdf5->follow.on, SINO_FAILED,
                   "%s: %s has %" PRId64 " frames; needed: %" PRId64, hdf5->path, data->name, data->dataset.size[0],
                   run.first + run.count);
        SINO_TRY(read_region(&data->dataset, data->axes, &region, type, to));
        to += run.count * box->row_count * box->column_count * sino_count_bytes(type);
        first += run.count;
        count -= run.count;
    }
    return NULL;
}

/* Beside a writer a read may fail that succeeds a moment later. */
static SinoStatus read_frames(void *file, SinoScanField field, int64_t first, int64_t count, const SinoScanBox *box,
                              SinoCountType type, void *counts)
{
    enum { TRIES = 10 };
    static const struct timespec pause = {.tv_nsec = 50000000L};
    SinoHdf5Scan *hdf5 = file;
    if (!hdf5->follow.on) return read_once(hdf5, field, first, count, box, type, counts);
    SinoStatus status = sino_hdf5_follow_ready(hdf5);
    if (!status) status = read_once(hdf5, field, first, count, box, type, counts);
    for (int i = 1; i < TRIES && status; i++) {
        sino_status_free(status);
        (void)nanosleep(&pause, NULL);
        status = sino_hdf5_follow_again(hdf5);
        if (!status) status = read_once(hdf5, field, first, count, box, type, counts);
    }
    return status;
}

static void close_file(void *file)
{
    SinoHdf5Scan *hdf5 = file;
    for (int i = 0; i < 3; i++) {
        sino_dataset_close(&hdf5->field[i].dataset);
        free(hdf5->field[i].name);
        free(hdf5->field[i].frames.run);
    }
    if (hdf5->file >= 0) (void)H5Fclose(hdf5->file); /* opened for reading: nothing can be lost */
    sino_file_list_free(&hdf5->files);
    free(hdf5->path);
    free(hdf5);
}

static const SinoScanSource hdf5_source = {.read = read_frames, .close = close_file, .look = sino_hdf5_follow_look};

hid_t sino_hdf5_scan_peek(const SinoScanRequest *request)
{
    bool swmr;
    hid_t file = H5I_INVALID_HID;
    if (request->follow_s == 0) return H5Fopen(request->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    sino_status_free(sino_hdf5_open_growing(request->path, &swmr, &file));
    return file;
}

SinoStatus sino_hdf5_scan_new(const char *path, bool follow, SinoScanPart *part, SinoHdf5Scan **opened)
{
    SinoHdf5Scan *hdf5;
    SINO_TRY(sino_allocate(1, sizeof *hdf5, "a scan's file", &hdf5));
    hdf5->file = H5I_INVALID_HID;
    for (int i = 0; i < 3; i++) hdf5->field[i].dataset.id = H5I_INVALID_HID;
    *part = (SinoScanPart){.source = &hdf5_source, .file = hdf5};
    *opened = hdf5;
    hdf5->path = strdup(path);
    SINO_CHECK(hdf5->path, SINO_FAILED, "no memory for a file name");
    SINO_TRY(sino_file_list_add(&hdf5->files, path));
    return follow ? sino_hdf5_follow_open(hdf5) : sino_hdf5_open(path, &hdf5->file);
}

SinoHdf5Scan *sino_hdf5_scan_of(const SinoScan *scan)
{
    return scan->data.source == &hdf5_source ? scan->data.file : NULL;
}

static SinoStatus check_data(const SinoDataset *data, const int64_t size[3])
{
    SINO_CHECK(size[0] > 0 && size[1] > 0 && size[2] > 0, SINO_BAD_INPUT,
               "%s: %s has %" PRId64 " projections of %" PRId64 " rows and %" PRId64 " columns; allowed: 1 or more of "
               "each",
               data->file, data->name, size[0], size[1], size[2]);
    return NULL;
}

static SinoStatus check_grows(const SinoDataset *data, SinoScanAxes axes)
{
    SINO_CHECK(data->rank == 3 && sino_axes_dimension(axes, 0) == 0, SINO_BAD_INPUT,
               "%s: %s does not have the angle as the first of three dimensions; allowed with --follow: it has",
               data->file, data->name);
    return sino_dataset_check_growing(data);
}

static SinoCountType count_type(const SinoDataset *dataset)
{
    const char *stored_type = dataset->stored_type;
    if (dataset->scaled) return SINO_COUNT_FLOAT32;
    if (strcmp(stored_type, "uint8") == 0) return SINO_COUNT_UINT8;
    return strcmp(stored_type, "uint16") == 0 ? SINO_COUNT_UINT16 : SINO_COUNT_FLOAT32;
}

static SinoStatus open_dataset(SinoHdf5Scan *hdf5, SinoHdf5Field *field, const char *name, int rank, bool optional)
{
    const bool grows = hdf5->follow.on && field == &hdf5->field[SINO_FIELD_DATA];
    field->name = strdup(name);
    SINO_CHECK(field->name, SINO_FAILED, "no memory for a name");
    if (grows) return sino_dataset_open(hdf5->path, hdf5->file, field->name, rank, optional, &field->dataset);
    return sino_dataset_open_whole(hdf5->path, hdf5->file, field->name, rank, optional, &hdf5->files, &field->dataset);
}

SinoStatus sino_hdf5_scan_open_data(SinoHdf5Scan *hdf5, const char *name, bool layer, SinoScanAxes axes, SinoScan *scan)
{
    SinoHdf5Field *field = &hdf5->field[SINO_FIELD_DATA];
    SinoScanInfo *info = &scan->info;
    int64_t size[3];
    SINO_TRY(open_dataset(hdf5, field, name, layer ? SINO_ANY_RANK : 3, false));
    SINO_CHECK(field->dataset.rank == 3 || field->dataset.rank == 2, SINO_BAD_INPUT,
               "%s: %s has %d dimension%s; allowed: 3, or 2 of one layer", hdf5->path, name, field->dataset.rank,
               field->dataset.rank == 1 ? "" : "s");
    for (int i = 0; i < 3; i++) size[i] = size_of(&field->dataset, sino_axes_dimension(axes, i));
    if (hdf5->follow.on) SINO_TRY(check_grows(&field->dataset, axes));
    if (hdf5->follow.on && size[0] == 0) size[0] = 1; /* it will come */
    SINO_TRY(check_data(&field->dataset, size));
    field->axes = axes;
    field->frames.count = size[0];
    info->type = count_type(&field->dataset);
    info->angle_count = size[0];
    info->row_count = size[1];
    info->column_count = size[2];
    snprintf(scan->stored_type, sizeof scan->stored_type, "%.7s%s", field->dataset.stored_type,
             field->dataset.scaled ? ", scaled" : "");
    return sino_scan_check_limits(hdf5->path, info);
}

SinoStatus sino_hdf5_scan_open_field(SinoHdf5Scan *hdf5, SinoScanField which, const char *name, bool optional,
                                     const SinoScanInfo *info, const char *like, int64_t *count)
{
    SinoHdf5Field *field = &hdf5->field[which];
    const SinoDataset *found = &field->dataset;
    *count = 0;
    SINO_TRY(open_dataset(hdf5, field, name, SINO_ANY_RANK, optional));
    if (found->id < 0) return NULL;
    SINO_CHECK(found->rank == 3 || found->rank == 2, SINO_BAD_INPUT,
               "%s: %s has %d dimension%s; allowed: 3, or 2 of one image", hdf5->path, name, found->rank,
               found->rank == 1 ? "" : "s");
    const int64_t *size = found->size + (found->rank - 2);
    SINO_CHECK(size[0] == info->row_count && size[1] == info->column_count, SINO_BAD_INPUT,
               "%s: %s has %" PRId64 " rows and %" PRId64 " columns; allowed: %" PRId64 " and %" PRId64 ", as %s",
               hdf5->path, name, size[0], size[1], info->row_count, info->column_count, like);
    *count = found->rank == 3 ? found->size[0] : 1;
    field->frames.count = *count;
    return NULL;
}

/* The unit of a dataset of angles by its attributes, unless the user has named one. */
static SinoStatus find_unit(const SinoDataset *theta, SinoAngleUnit *unit)
{
    static const char *const names[] = {"units", "unit", "angle_unit", "angle_units"};
    SinoAngleUnit named = SINO_ANGLE_UNIT_AUTO;
    if (*unit != SINO_ANGLE_UNIT_AUTO) return NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[SINO_HDF5_TEXT] = "";
        SinoAngleUnit other;
        if (!sino_hdf5_text(theta->id, names[i], text) || !*text) continue;
        SINO_CHECK(sino_angle_unit_word(text, &other), SINO_BAD_INPUT,
                   "%s: %s has the %s '%s'; allowed: degrees or radians, or --theta-unit with one of them", theta->file,
                   theta->name, names[i], text);
        SINO_CHECK(named == SINO_ANGLE_UNIT_AUTO || named == other, SINO_BAD_INPUT,
                   "%s: attributes of %s say degrees and radians; needed: --theta-unit with one of them", theta->file,
                   theta->name);
        named = other;
    }
    if (named == SINO_ANGLE_UNIT_RADIANS) *unit = named;
    return NULL;
}

/* Keeps the angles of the projections. */
static void choose(const SinoFrameList *frames, double *angle)
{
    for (int64_t k = 0; k < frames->count;) {
        const SinoFrameRun run = sino_frame_list_run(frames, k, frames->count);
        memmove(angle + k, angle + run.first, (size_t)run.count * sizeof *angle);
        k += run.count;
    }
}

/* The values of a dataset of which at most one dimension is larger than 1, as MATLAB stores rows and columns; else 0.
 */
static int64_t length_of(const SinoDataset *dataset)
{
    int64_t length = 1;
    for (int d = 0; d < dataset->rank; d++) {
        if (dataset->size[d] != 1 && length != 1) return 0;
        length = sino_times(length, dataset->size[d]);
    }
    return length;
}

static SinoStatus read_angles(const SinoHdf5Angles *asked, const SinoDataset *theta, double **angle_rad)
{
    static const int64_t first[SINO_DATASET_RANK];
    const int64_t count = length_of(theta), frames = asked->frames ? asked->frame_count : asked->projections;
    const int64_t projections = asked->projections > 0 ? asked->projections : count;
    SINO_CHECK(theta->rank == 1 || (theta->rank > 1 && count > 0), SINO_BAD_INPUT,
               "%s: %s has %d dimensions; allowed: 1, or others of size 1", theta->file, theta->name, theta->rank);
    SINO_CHECK(count == projections || count == frames, SINO_BAD_INPUT,
               "%s: %s has %" PRId64 " angles; allowed: %" PRId64 ", one per projection%s", theta->file, theta->name,
               count, projections, asked->like);
    SINO_CHECK(count > 0 && count <= (1 << 21), SINO_BAD_INPUT, "%s: %s has %" PRId64 " angles; allowed: 1 to %d",
               theta->file, theta->name, count, 1 << 21);
    SINO_TRY(find_unit(theta, asked->unit));
    const double rad = sino_angle_unit_rad(*asked->unit, SINO_ANGLE_UNIT_DEGREES);
    SINO_TRY(sino_allocate(count, sizeof **angle_rad, "angles", angle_rad));
    double *angle = *angle_rad;
    SINO_TRY(sino_dataset_read(theta, first, theta->size, H5T_NATIVE_DOUBLE, angle));
    if (asked->frames && count != projections) choose(asked->frames, angle);
    for (int64_t k = 0; k < projections; k++) {
        SINO_CHECK(isfinite(angle[k]), SINO_BAD_INPUT, "%s: %s[%" PRId64 "] is %f; allowed: finite angles in %s",
                   theta->file, theta->name, k, angle[k], rad < 1 ? "degrees" : "radians");
        angle[k] *= rad;
    }
    return NULL;
}

SinoStatus sino_hdf5_angles_read(const SinoHdf5Angles *asked, SinoFileList *sources, int64_t *count, double **angle_rad)
{
    SinoDataset theta = {.id = H5I_INVALID_HID};
    double *angle = NULL;
    *angle_rad = NULL;
    SINO_TRY(sino_dataset_open_whole(asked->path, asked->file, asked->name, SINO_ANY_RANK, asked->optional, sources,
                                     &theta));
    if (theta.id < 0) return NULL;
    SinoStatus status = read_angles(asked, &theta, &angle);
    *count = asked->projections > 0 ? asked->projections : length_of(&theta);
    sino_dataset_close(&theta);
    SINO_GIVE(status, angle, free, angle_rad);
}

SinoStatus sino_hdf5_scan_take_angles(SinoHdf5Scan *hdf5, const char *name, bool optional, SinoScan *scan)
{
    const SinoHdf5Field *data = &hdf5->field[SINO_FIELD_DATA];
    char like[160];
    int64_t count = 0;
    snprintf(like, sizeof like, " of %s", data->name);
    const SinoHdf5Angles asked = {.path = hdf5->path,
                                  .name = name,
                                  .file = hdf5->file,
                                  .optional = optional,
                                  .projections = scan->info.angle_count,
                                  .frames = data->frames.run ? &data->frames : NULL,
                                  .frame_count = hdf5->follow.all > 0
                                                     ? hdf5->follow.all
                                                     : size_of(&data->dataset, sino_axes_dimension(data->axes, 0)),
                                  .like = like,
                                  .unit = &scan->angle_unit};
    SINO_TRY(sino_hdf5_angles_read(&asked, &hdf5->files, &count, &scan->angle_rad));
    if (scan->info.angle_count == 0) scan->info.angle_count = count;
    return NULL;
}

void sino_hdf5_scan_name_files(SinoHdf5Scan *hdf5, SinoScanInfo *info)
{
    sino_file_list_unite(&hdf5->files, 1);
    info->file_count = hdf5->files.count;
    info->file_name = (const char *const *)hdf5->files.name;
}

/* In mm, with its sign, from a picometre to a kilometre; anything else counts as absent. */
static double setup_length(const SinoHdf5Scan *hdf5, const char *name)
{
    const double length = sino_hdf5_length(hdf5->path, hdf5->file, name);
    return fabs(length) >= 1e-9 && fabs(length) <= 1e6 ? length : 0;
}

SinoScanSetup sino_hdf5_scan_setup(const SinoHdf5Scan *hdf5, const SinoSetupNames *names)
{
    const double source = fabs(setup_length(hdf5, names->source_distance)); /* the axis is at the sample */
    const double detector = fabs(setup_length(hdf5, names->detector_distance));
    return (SinoScanSetup){.source_object = source,
                           .source_detector = source > 0 && detector > 0 ? source + detector : 0,
                           .pixel_width = fmax(setup_length(hdf5, names->pixel_width), 0),
                           .pixel_height = fmax(setup_length(hdf5, names->pixel_height), 0)};
}
