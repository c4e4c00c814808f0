/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 dataset: finding, checking and reading datasets of numbers. */
#include "hdf5_files.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "memory.h"

bool sino_hdf5_probe(const char *path)
{
    sino_hdf5_quiet();
#if H5_VERSION_GE(1, 12, 0)
    return H5Fis_accessible(path, H5P_DEFAULT) > 0;
#else
    return H5Fis_hdf5(path) > 0;
#endif
}

SinoStatus sino_hdf5_open(const char *path, hid_t *file)
{
    SINO_TRY(sino_regular_check(path));
    SINO_CHECK(sino_hdf5_probe(path), SINO_BAD_INPUT, "%s is not an HDF5 file", path);
    const hid_t opened = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    SINO_CHECK(opened >= 0 || sino_hdf5_writer(path) == SINO_HDF5_NO_WRITER, SINO_BAD_INPUT,
               "%s is open in a program that writes it, or that ended without closing it; allowed: recon --follow, a "
               "file that is closed, or h5clear -s if no program writes it",
               path);
    SINO_HDF5_CHECK(opened >= 0, SINO_BAD_INPUT, "%s cannot be opened", path);
    *file = opened;
    return NULL;
}

/* Target of a soft link ("NAME") or an external link ("FILE:NAME"), which the caller frees; NULL: not such a link. */
static char *link_target(hid_t file, const char *name)
{
    H5L_info_t info;
    const char *target_file = NULL, *target_name = NULL;
    char *text = NULL;
    if (H5Lget_info(file, name, &info, H5P_DEFAULT) < 0) return NULL;
    if (info.type != H5L_TYPE_SOFT && info.type != H5L_TYPE_EXTERNAL) return NULL;
    char *value = calloc(info.u.val_size + 1, 1);
    if (!value || H5Lget_val(file, name, value, info.u.val_size, H5P_DEFAULT) < 0) goto end;
    if (info.type == H5L_TYPE_SOFT) {
        text = value;
        return text;
    }
    if (H5Lunpack_elink_val(value, info.u.val_size, NULL, &target_file, &target_name) < 0) goto end;
    if (asprintf(&text, "%s:%s", target_file, target_name) < 0) text = NULL;
end:
    free(value);
    return text;
}

static SinoStatus check_link(const char *path, hid_t file, hid_t access, const char *name, bool *exists)
{
    const htri_t linked = H5Lexists(file, name, access);
    SINO_HDF5_CHECK(linked >= 0, SINO_BAD_INPUT, "%s: %s cannot be looked up", path, name);
    *exists = linked > 0;
    if (!*exists || H5Oexists_by_name(file, name, access) > 0) return NULL;
    char *target = link_target(file, name);
    SinoStatus status = sino_error(SINO_BAD_INPUT, "%s: %s is a link to %s, which cannot be opened", path, name,
                                   target ? target : "an unknown place");
    free(target);
    return status;
}

/* H5Lexists requires that the groups before the last part of a name exist, so every leading part is tested first. */
static SinoStatus find(const char *path, hid_t file, hid_t access, const char *name, bool *exists)
{
    SINO_CHECK(*name, SINO_BAD_INPUT, "%s: a dataset has no name", path);
    char *part = strdup(name);
    SINO_CHECK(part, SINO_FAILED, "no memory for a name");
    SinoStatus status = NULL;
    *exists = true;
    for (char *slash = strchr(part + 1, '/'); slash && *exists && !status; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        status = check_link(path, file, access, part, exists);
        *slash = '/';
    }
    if (*exists && !status) status = check_link(path, file, access, name, exists);
    free(part);
    return status;
}

static const char *class_name(H5T_class_t class)
{
    switch (class) {
    case H5T_STRING:
        return "strings";
    case H5T_COMPOUND:
        return "compound values, as complex numbers are";
    case H5T_ENUM:
        return "enumerated values";
    case H5T_VLEN:
        return "lists";
    default:
        return "values of another kind";
    }
}

static SinoStatus take_type(SinoDataset *dataset)
{
    const hid_t type = H5Dget_type(dataset->id);
    SINO_HDF5_CHECK(type >= 0, SINO_BAD_INPUT, "%s: %s has no readable type", dataset->file, dataset->name);
    const H5T_class_t class = H5Tget_class(type);
    const size_t bytes = H5Tget_size(type);
    const bool is_unsigned = class == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_NONE;
    (void)H5Tclose(type);
    SINO_CHECK(class == H5T_INTEGER || class == H5T_FLOAT, SINO_BAD_INPUT,
               "%s: %s holds %s; allowed: integers or floating-point numbers", dataset->file, dataset->name,
               class_name(class));
    const char *word = class == H5T_FLOAT ? "float" : is_unsigned ? "uint" : "int";
    snprintf(dataset->stored_type, sizeof dataset->stored_type, "%s%zu", word, bytes * 8);
    dataset->value_bytes = (int64_t)bytes;
    return NULL;
}

static SinoStatus take_size(SinoDataset *dataset, int rank)
{
    hsize_t size[H5S_MAX_RANK];
    const hid_t space = H5Dget_space(dataset->id);
    SINO_HDF5_CHECK(space >= 0, SINO_BAD_INPUT, "%s: %s has no readable size", dataset->file, dataset->name);
    const int found = H5Sget_simple_extent_dims(space, size, NULL);
    (void)H5Sclose(space);
    SINO_HDF5_CHECK(found >= 0, SINO_BAD_INPUT, "%s: %s has no readable size", dataset->file, dataset->name);
    SINO_CHECK(found == rank || rank == SINO_ANY_RANK, SINO_BAD_INPUT, "%s: %s has %d dimension%s; allowed: %d",
               dataset->file, dataset->name, found, found == 1 ? "" : "s", rank);
    dataset->rank = found;
    for (int i = 0; i < found; i++) {
        SINO_CHECK(size[i] <= INT64_MAX, SINO_BAD_INPUT, "%s: %s has a size of %" PRIu64 "; allowed: up to %" PRId64,
                   dataset->file, dataset->name, (uint64_t)size[i], INT64_MAX);
        dataset->size[i] = (int64_t)size[i];
    }
    return NULL;
}

static SinoStatus check_filters(const SinoDataset *dataset, hid_t creation)
{
    const int count = H5Pget_nfilters(creation);
    SINO_HDF5_CHECK(count >= 0, SINO_BAD_INPUT, "%s: %s has no readable filters", dataset->file, dataset->name);
    for (int i = 0; i < count; i++) {
        char name[64] = "";
        unsigned flags, configuration;
        size_t parameters = 0;
        const H5Z_filter_t filter =
            H5Pget_filter2(creation, (unsigned)i, &flags, &parameters, NULL, sizeof name, name, &configuration);
        SINO_CHECK(
            filter >= 0 && H5Zfilter_avail(filter) > 0, SINO_BAD_INPUT,
            "%s: %s is compressed by filter %d (%s), which this HDF5 lacks; allowed: the filters it has or finds "
            "in HDF5_PLUGIN_PATH",
            dataset->file, dataset->name, (int)filter, name[0] ? name : "no name");
    }
    return NULL;
}

static bool ends_in_deflate(hid_t creation)
{
    const int last = H5Pget_nfilters(creation) - 1;
    unsigned flags;
    size_t parameters = 0;
    for (int i = 0; i < last; i++)
        if (H5Pget_filter2(creation, (unsigned)i, &flags, &parameters, NULL, 0, NULL, NULL) != H5Z_FILTER_SHUFFLE)
            return false;
    parameters = 0;
    return H5Pget_filter2(creation, (unsigned)last, &flags, &parameters, NULL, 0, NULL, NULL) == H5Z_FILTER_DEFLATE;
}

static SinoStatus take_layout(SinoDataset *dataset)
{
    SinoStatus status = NULL;
    hsize_t chunk[SINO_DATASET_RANK];
    const hid_t creation = H5Dget_create_plist(dataset->id);
    SINO_HDF5_CHECK(creation >= 0, SINO_BAD_INPUT, "%s: %s has no readable layout", dataset->file, dataset->name);
    const H5D_layout_t layout = H5Pget_layout(creation);
    const bool chunked = layout == H5D_CHUNKED && H5Pget_chunk(creation, SINO_DATASET_RANK, chunk) == dataset->rank;
    for (int i = 0; i < SINO_DATASET_RANK; i++) {
        dataset->chunk[i] = chunked && i < dataset->rank ? (int64_t)chunk[i] : 1;
    }
    dataset->chunked = chunked;
    dataset->filtered = chunked && H5Pget_nfilters(creation) > 0;
    dataset->deflated = dataset->filtered && ends_in_deflate(creation);
    status = check_filters(dataset, creation);
    (void)H5Pclose(creation);
    return status;
}

static SinoStatus take_scale(SinoDataset *dataset)
{
    double *scale = &dataset->scale, *offset = &dataset->offset;
    *scale = 1;
    *offset = 0;
    (void)sino_hdf5_attribute_number(dataset->id, "scale_factor", scale);
    (void)sino_hdf5_attribute_number(dataset->id, "add_offset", offset);
    SINO_CHECK(
        isfinite(*scale) && isfinite(*offset) && *scale != 0, SINO_BAD_INPUT,
        "%s: %s has the scale_factor %g and the add_offset %g; allowed: finite numbers, and a factor other than 0",
        dataset->file, dataset->name, *scale, *offset);
    dataset->scaled = *scale != 1 || *offset != 0;
    return NULL;
}

SinoStatus sino_dataset_open(const char *path, hid_t file, const char *name, int rank, bool optional,
                             SinoDataset *dataset)
{
    assert(rank <= SINO_DATASET_RANK);
    bool exists = false;
    SinoStatus status = NULL;
    SinoDataset found = {.id = H5I_INVALID_HID, .file = path, .name = name};
    sino_hdf5_quiet();
    const hid_t access = sino_hdf5_link_access();
    SINO_HDF5_CHECK_OR(status, end, access >= 0, SINO_FAILED, "%s: HDF5 gives no access list", path);
    SINO_TRY_OR(status, end, find(path, file, access, name, &exists));
    if (!exists && optional) goto end;
    SINO_CHECK_OR(status, end, exists, SINO_BAD_INPUT, "%s has no dataset %s", path, name);
    found.id = H5Dopen2(file, name, access);
    SINO_HDF5_CHECK_OR(status, end, found.id >= 0, SINO_BAD_INPUT, "%s: %s is not a dataset", path, name);
    SINO_TRY_OR(status, end, take_type(&found));
    SINO_TRY_OR(status, end, take_size(&found, rank));
    SINO_TRY_OR(status, end, take_layout(&found));
    SINO_TRY_OR(status, end, take_scale(&found));
end:
    if (access >= 0) (void)H5Pclose(access);
    if (status) sino_dataset_close(&found);
    if (!status) *dataset = found;
    return status;
}

void sino_dataset_close(SinoDataset *dataset)
{
    if (dataset->id >= 0) (void)H5Dclose(dataset->id); /* opened for reading: nothing can be lost */
    dataset->id = H5I_INVALID_HID;
}

/* Chunks of one call of H5Dread, which keeps about 7 kB for each. */
enum { CHUNKS_AT_ONCE = 1024 };

/* A box that is read in pieces. Pieces end where chunks end, so that no chunk is decompressed twice. */
typedef struct Reading {
    const SinoDataset *dataset;
    const int64_t *first, *count;
    int64_t chunks[SINO_DATASET_RANK]; /* most chunks of a piece in each dimension */
    hid_t memory_type, memory, space;
} Reading;

static void choose_pieces(Reading *reading)
{
    const SinoDataset *dataset = reading->dataset;
    int64_t room = CHUNKS_AT_ONCE;
    for (int d = dataset->rank - 1; d >= 0; d--) {
        const int64_t begin = reading->first[d] / dataset->chunk[d];
        const int64_t end = sino_ceil_divide(reading->first[d] + reading->count[d], dataset->chunk[d]);
        reading->chunks[d] = dataset->chunked ? sino_smaller(end - begin, room) : end - begin;
        room = sino_larger(room / reading->chunks[d], 1);
    }
}

/* The end, in dimension d, of the piece that begins at `begin`. */
static int64_t end_of_piece(const Reading *reading, int d, int64_t begin)
{
    const int64_t chunk = reading->dataset->chunk[d];
    return sino_smaller(reading->first[d] + reading->count[d], (begin / chunk + reading->chunks[d]) * chunk);
}

static bool read_piece(const Reading *reading, const int64_t *begin, void *values)
{
    hsize_t start[SINO_DATASET_RANK], offset[SINO_DATASET_RANK], extent[SINO_DATASET_RANK];
    for (int d = 0; d < reading->dataset->rank; d++) {
        start[d] = (hsize_t)begin[d];
        offset[d] = (hsize_t)(begin[d] - reading->first[d]);
        extent[d] = (hsize_t)(end_of_piece(reading, d, begin[d]) - begin[d]);
    }
    return H5Sselect_hyperslab(reading->space, H5S_SELECT_SET, start, NULL, extent, NULL) >= 0 &&
           H5Sselect_hyperslab(reading->memory, H5S_SELECT_SET, offset, NULL, extent, NULL) >= 0 &&
           H5Dread(reading->dataset->id, reading->memory_type, reading->memory, reading->space, H5P_DEFAULT, values) >=
               0;
}

/* Moves `begin` to the next piece, the last dimension first; false: there is none. */
static bool next_piece(const Reading *reading, int64_t *begin)
{
    for (int d = reading->dataset->rank - 1; d >= 0; d--) {
        begin[d] = end_of_piece(reading, d, begin[d]);
        if (begin[d] < reading->first[d] + reading->count[d]) return true;
        begin[d] = reading->first[d];
    }
    return false;
}

static bool read_pieces(const Reading *reading, void *values)
{
    int64_t begin[SINO_DATASET_RANK] = {0};
    for (int d = 0; d < reading->dataset->rank; d++) begin[d] = reading->first[d];
    do {
        if (!read_piece(reading, begin, values)) return false;
    } while (next_piece(reading, begin));
    return true;
}

/* Turns stored numbers into what they stand for. */
static SinoStatus apply_scale(const SinoDataset *dataset, const int64_t *count, hid_t memory_type, void *values)
{
    int64_t all;
    const bool floats = H5Tequal(memory_type, H5T_NATIVE_FLOAT) > 0;
    SINO_CHECK(floats || H5Tequal(memory_type, H5T_NATIVE_DOUBLE) > 0, SINO_BAD_INPUT,
               "%s: %s has the scale_factor %g and the add_offset %g; allowed: integers as they are stored",
               dataset->file, dataset->name, dataset->scale, dataset->offset);
    SINO_TRY(sino_product(dataset->rank, count, "a part of a dataset", &all));
    for (int64_t i = 0; i < all && floats; i++)
        ((float *)values)[i] = (float)(dataset->offset + dataset->scale * (double)((float *)values)[i]);
    for (int64_t i = 0; i < all && !floats; i++)
        ((double *)values)[i] = dataset->offset + dataset->scale * ((double *)values)[i];
    return NULL;
}

SinoStatus sino_dataset_read(const SinoDataset *dataset, const int64_t *first, const int64_t *count, hid_t memory_type,
                             void *values)
{
    SinoStatus status = NULL;
    hsize_t extent[SINO_DATASET_RANK];
    for (int d = 0; d < dataset->rank; d++) {
        assert(first[d] >= 0 && count[d] >= 1 && first[d] + count[d] <= dataset->size[d]);
        extent[d] = (hsize_t)count[d];
    }
    sino_hdf5_quiet();
    SINO_TRY(sino_hdf5_check_chunks(dataset, first, count));
    Reading reading = {.dataset = dataset, .first = first, .count = count, .memory_type = memory_type};
    choose_pieces(&reading);
    reading.memory = H5Screate_simple(dataset->rank, extent, NULL);
    reading.space = H5Dget_space(dataset->id);
    if (reading.memory < 0 || reading.space < 0 || !read_pieces(&reading, values))
        status = sino_hdf5_error(SINO_BAD_INPUT, "%s: %s cannot be read", dataset->file, dataset->name);
    if (reading.memory >= 0) (void)H5Sclose(reading.memory);
    if (reading.space >= 0) (void)H5Sclose(reading.space);
    if (!status && dataset->scaled) status = apply_scale(dataset, count, memory_type, values);
    return status;
}
