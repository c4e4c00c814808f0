/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 source: every source is opened and compared, and every source's sources likewise. */
#include "hdf5_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "files.h"
#include "memory.h"
#include "paths.h"

enum { DEPTH_MAX = 8 };

/* A dataset that is being checked, and the one that takes values from it. */
typedef struct Visit {
    const SinoDataset *dataset;
    const struct Visit *user; /* NULL: the dataset was asked for by name */
    int depth;
    SinoFileList *files;
} Visit;

static SinoStatus check_at_home(const SinoDataset *dataset, const Visit *user, SinoFileList *files);

/* Whether both are the same object of one file. */
static bool is_same_object(hid_t a, hid_t b)
{
#if H5_VERSION_GE(1, 12, 0)
    H5O_info2_t a_info, b_info;
    int order = 1;
    return H5Oget_info3(a, &a_info, H5O_INFO_BASIC) >= 0 && H5Oget_info3(b, &b_info, H5O_INFO_BASIC) >= 0 &&
           H5Otoken_cmp(a, &a_info.token, &b_info.token, &order) >= 0 && order == 0;
#else
    H5O_info_t a_info, b_info;
    return H5Oget_info2(a, &a_info, H5O_INFO_BASIC) >= 0 && H5Oget_info2(b, &b_info, H5O_INFO_BASIC) >= 0 &&
           a_info.addr == b_info.addr;
#endif
}

static bool is_same_dataset(const SinoDataset *a, const SinoDataset *b)
{
    struct stat first, second;
    return stat(a->file, &first) == 0 && stat(b->file, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino && is_same_object(a->id, b->id);
}

static SinoStatus check_ring(const Visit *visit)
{
    for (const Visit *user = visit->user; user; user = user->user)
        SINO_CHECK(!is_same_dataset(user->dataset, visit->dataset), SINO_BAD_INPUT,
                   "%s: %s takes its values from itself", visit->dataset->file, visit->dataset->name);
    SINO_CHECK(visit->depth <= DEPTH_MAX, SINO_BAD_INPUT, "virtual datasets are nested more than %d deep; allowed: %d",
               DEPTH_MAX, DEPTH_MAX);
    return NULL;
}

/* A regular hyperslab, for which HDF5 has four arrays. */
typedef struct Slab {
    hsize_t start[H5S_MAX_RANK], stride[H5S_MAX_RANK], count[H5S_MAX_RANK], block[H5S_MAX_RANK];
} Slab;

/* Cuts an unlimited count of blocks at the size of a dimension. *rest: the length of a last block that is cut, else 0.
 */
static void cut_at(int d, hsize_t size, Slab *slab, hsize_t *rest)
{
    const hsize_t left = size > slab->start[d] ? size - slab->start[d] : 0;
    *rest = 0;
    if (slab->block[d] == H5S_UNLIMITED || (slab->count[d] == H5S_UNLIMITED && slab->stride[d] == slab->block[d])) {
        slab->count[d] = 1;
        slab->stride[d] = slab->block[d] = left;
    } else if (slab->count[d] == H5S_UNLIMITED) {
        const hsize_t begun = left / slab->stride[d] + (left % slab->stride[d] > 0), last = left % slab->stride[d];
        *rest = last > 0 && last < slab->block[d] ? last : 0;
        slab->count[d] = begun - (*rest > 0);
    }
}

static bool is_empty(int rank, const Slab *slab)
{
    for (int d = 0; d < rank; d++)
        if (slab->count[d] == 0 || slab->block[d] == 0) return true;
    return false;
}

static bool add_slab(int rank, const Slab *slab, hid_t to)
{
    if (is_empty(rank, slab)) return true;
    return H5Sselect_hyperslab(to, H5S_SELECT_OR, slab->start, slab->stride, slab->count, slab->block) >= 0;
}

static bool add_regular(int rank, const hsize_t *size, const Slab *selected, hid_t to)
{
    Slab slab = *selected, last;
    hsize_t rest = 0;
    int cut = -1;
    for (int d = 0; d < rank; d++) {
        hsize_t length;
        cut_at(d, size[d], &slab, &length);
        if (length == 0) continue;
        rest = length; /* one dimension at most is unlimited */
        cut = d;
    }
    if (!add_slab(rank, &slab, to)) return false;
    if (cut < 0) return true;
    last = slab;
    last.start[cut] += slab.count[cut] * slab.stride[cut];
    last.count[cut] = 1;
    last.stride[cut] = last.block[cut] = rest;
    return add_slab(rank, &last, to);
}

/* Blocks of a selection without a regular form, in pieces. */
static bool add_blocks(int rank, hid_t from, hid_t to)
{
    enum { PIECE = 64 };
    hsize_t corner[PIECE * 2 * H5S_MAX_RANK];
    const hssize_t count = H5Sget_select_hyper_nblocks(from);
    bool fine = count >= 0;
    for (hssize_t first = 0; first < count && fine; first += PIECE) {
        const hsize_t piece = (hsize_t)(count - first < PIECE ? count - first : PIECE);
        fine = H5Sget_select_hyper_blocklist(from, (hsize_t)first, piece, corner) >= 0;
        for (hsize_t i = 0; i < piece && fine; i++) {
            const hsize_t *low = corner + i * 2 * (hsize_t)rank, *high = low + rank;
            Slab slab;
            for (int d = 0; d < rank; d++) {
                slab.start[d] = low[d];
                slab.count[d] = 1;
                slab.stride[d] = slab.block[d] = high[d] - low[d] + 1;
            }
            fine = add_slab(rank, &slab, to);
        }
    }
    return fine;
}

/* Adds the selection of `from` to that of `to`, a space of size[rank], at which unlimited selections end. */
static bool add_selection(hid_t from, int rank, const hsize_t *size, hid_t to)
{
    Slab slab;
    const H5S_sel_type kind = H5Sget_select_type(from);
    if (kind == H5S_SEL_ALL) return H5Sselect_all(to) >= 0;
    if (kind == H5S_SEL_NONE) return true;
    if (kind != H5S_SEL_HYPERSLABS || H5Sget_simple_extent_ndims(from) != rank) return false;
    if (H5Sis_regular_hyperslab(from) <= 0) return add_blocks(rank, from, to);
    return H5Sget_regular_hyperslab(from, slab.start, slab.stride, slab.count, slab.block) >= 0 &&
           add_regular(rank, size, &slab, to);
}

/* A space of the dataset's size in which nothing is selected; negative on failure. */
static hid_t new_space(const SinoDataset *dataset)
{
    hsize_t size[H5S_MAX_RANK];
    for (int d = 0; d < dataset->rank; d++) size[d] = (hsize_t)dataset->size[d];
    const hid_t space = H5Screate_simple(dataset->rank, size, NULL);
    if (space >= 0) (void)H5Sselect_none(space);
    return space;
}

/* Adds what `from` selects to the selection of `space`, a space of the dataset's size. */
static bool select_too(const SinoDataset *dataset, hid_t from, hid_t space)
{
    hsize_t size[H5S_MAX_RANK];
    for (int d = 0; d < dataset->rank; d++) size[d] = (hsize_t)dataset->size[d];
    return add_selection(from, dataset->rank, size, space) && H5Sselect_valid(space) > 0;
}

/* Values of the dataset that `from` selects; −1: some of them are outside. */
static int64_t selected_count(const SinoDataset *dataset, hid_t from)
{
    const hid_t space = new_space(dataset);
    const int64_t count = space >= 0 && select_too(dataset, from, space) ? (int64_t)H5Sget_select_npoints(space) : -1;
    if (space >= 0) (void)H5Sclose(space);
    return count;
}

static int64_t value_count(const SinoDataset *dataset)
{
    int64_t count = 1;
    for (int d = 0; d < dataset->rank; d++)
        if (__builtin_mul_overflow(count, dataset->size[d], &count)) return INT64_MAX;
    return count;
}

/* One source of a virtual dataset: texts and spaces are owned. */
typedef struct Source {
    char *file_name, *name; /* as the virtual dataset has them */
    hid_t from, to;         /* selections in the source and in the virtual dataset */
} Source;

typedef ssize_t (*TextOf)(hid_t creation, size_t index, char *text, size_t size);

static SinoStatus take_text(const SinoDataset *dataset, TextOf text_of, hid_t creation, size_t i, char **text)
{
    const ssize_t length = text_of(creation, i, NULL, 0);
    SINO_HDF5_CHECK(length > 0, SINO_BAD_INPUT, "%s: %s has no readable sources", dataset->file, dataset->name);
    SINO_TRY(sino_allocate((int64_t)length + 1, 1, "the name of a source", text));
    SINO_HDF5_CHECK(text_of(creation, i, *text, (size_t)length + 1) == length, SINO_BAD_INPUT,
                    "%s: %s has no readable sources", dataset->file, dataset->name);
    return NULL;
}

static SinoStatus take_source(const SinoDataset *dataset, hid_t creation, size_t i, Source *source)
{
    SINO_TRY(take_text(dataset, H5Pget_virtual_filename, creation, i, &source->file_name));
    SINO_TRY(take_text(dataset, H5Pget_virtual_dsetname, creation, i, &source->name));
    SINO_CHECK(
        !strstr(source->file_name, "%b") && !strstr(source->name, "%b"), SINO_BAD_INPUT,
        "%s: %s takes values from the pattern %.300s:%.300s; allowed: sources by name, as `h5repack` writes them",
        dataset->file, dataset->name, source->file_name, source->name);
    source->from = H5Pget_virtual_srcspace(creation, i);
    source->to = H5Pget_virtual_vspace(creation, i);
    SINO_HDF5_CHECK(source->from >= 0 && source->to >= 0, SINO_BAD_INPUT, "%s: %s has no readable sources",
                    dataset->file, dataset->name);
    return NULL;
}

static void release_source(Source *source)
{
    free(source->file_name);
    free(source->name);
    if (source->from >= 0) (void)H5Sclose(source->from);
    if (source->to >= 0) (void)H5Sclose(source->to);
}

/* Compares an open source with what the virtual dataset takes from it. */
static SinoStatus compare(const Visit *visit, const Source *source, const SinoDataset *found)
{
    const SinoDataset *user = visit->dataset;
    SINO_CHECK(strcmp(found->stored_type, user->stored_type) == 0, SINO_BAD_INPUT,
               "%s: %s holds %s; allowed: %s, as %s has", found->file, found->name, found->stored_type,
               user->stored_type, user->name);
    const int dimensions = H5Sget_simple_extent_ndims(source->from);
    const bool all = H5Sget_select_type(source->from) == H5S_SEL_ALL; /* then HDF5 keeps no dimensions */
    SINO_CHECK(all || found->rank == dimensions, SINO_BAD_INPUT, "%s: %s has %d dimension%s; allowed: %d", found->file,
               found->name, found->rank, found->rank == 1 ? "" : "s", dimensions);
    const int64_t given = selected_count(found, source->from), taken = selected_count(user, source->to);
    SINO_CHECK(taken >= 0, SINO_BAD_INPUT, "%s: %s puts values of %.300s outside itself", user->file, user->name,
               source->file_name);
    SINO_CHECK(given == taken, SINO_BAD_INPUT,
               "%s: %s has %" PRId64 " values, which do not fit the %" PRId64 " that are taken from it", found->file,
               found->name, value_count(found), taken);
    return NULL;
}

/* The file of the last source stays open, as many sources are often in one. */
typedef struct SourceFile {
    char *name, *path; /* name: as the virtual dataset has it; owned */
    hid_t file;
} SourceFile;

static void close_source_file(SourceFile *last)
{
    if (last->file >= 0) (void)H5Fclose(last->file);
    free(last->name);
    free(last->path);
    *last = (SourceFile){.file = H5I_INVALID_HID};
}

static SinoStatus open_source_file(const Visit *visit, const char *name, SourceFile *last)
{
    if (last->name && strcmp(last->name, name) == 0) return NULL;
    close_source_file(last);
    sino_child_step();
    last->name = strdup(name);
    SINO_CHECK(last->name, SINO_FAILED, "no memory for a file name");
    const char *user = visit->dataset->file;
    if (strcmp(name, ".") == 0) { /* the file of the virtual dataset itself */
        last->path = strdup(user);
        last->file = H5Iget_file_id(visit->dataset->id);
        SINO_CHECK(last->path && last->file >= 0, SINO_FAILED, "no memory for a file name");
        return NULL;
    }
    SINO_TRY(sino_hdf5_open_source(user, name, &last->path, &last->file));
    return sino_file_list_add(visit->files, last->path);
}

static SinoStatus check_source(const Visit *visit, const Source *source, SourceFile *last)
{
    SinoDataset found = {.id = H5I_INVALID_HID};
    SINO_TRY(open_source_file(visit, source->file_name, last));
    SINO_TRY(sino_dataset_open(last->path, last->file, source->name, SINO_ANY_RANK, false, &found));
    SinoStatus status = compare(visit, source, &found);
    if (!status) status = check_at_home(&found, visit, visit->files);
    sino_dataset_close(&found);
    return status;
}

static SinoStatus check_one(const Visit *visit, hid_t creation, size_t i, hid_t covered, SourceFile *last)
{
    const SinoDataset *dataset = visit->dataset;
    Source source = {.from = H5I_INVALID_HID, .to = H5I_INVALID_HID};
    SinoStatus status = take_source(dataset, creation, i, &source);
    if (!status)
        status = sino_error_prefix(check_source(visit, &source, last), "%s: %s takes values from %.300s", dataset->file,
                                   dataset->name, source.file_name);
    if (!status && !select_too(dataset, source.to, covered))
        status = sino_hdf5_error(SINO_BAD_INPUT, "%s: %s has no readable sources", dataset->file, dataset->name);
    release_source(&source);
    return status;
}

static SinoStatus check_covered(const SinoDataset *dataset, hid_t covered)
{
    const int64_t all = value_count(dataset), defined = (int64_t)H5Sget_select_npoints(covered);
    SINO_CHECK(defined == all, SINO_BAD_INPUT,
               "%s: %s has sources for %" PRId64 " of its %" PRId64 " values; allowed: for all of them", dataset->file,
               dataset->name, defined, all);
    return NULL;
}

static SinoStatus check_virtual(const Visit *visit, hid_t creation)
{
    const SinoDataset *dataset = visit->dataset;
    size_t count = 0;
    SourceFile last = {.file = H5I_INVALID_HID};
    SINO_TRY(check_ring(visit));
    SINO_HDF5_CHECK(H5Pget_virtual_count(creation, &count) >= 0, SINO_BAD_INPUT, "%s: %s has no readable sources",
                    dataset->file, dataset->name);
    const hid_t covered = new_space(dataset);
    SINO_HDF5_CHECK(covered >= 0, SINO_BAD_INPUT, "%s: %s has no readable size", dataset->file, dataset->name);
    SinoStatus status = NULL;
    for (size_t i = 0; i < count && !status; i++) status = check_one(visit, creation, i, covered, &last);
    if (!status) status = check_covered(dataset, covered);
    close_source_file(&last);
    (void)H5Sclose(covered);
    return status;
}

/* Checks that the external raw file has the bytes that the dataset takes from it. */
static SinoStatus check_raw_file(const Visit *visit, const char *name, int64_t offset, int64_t bytes)
{
    int descriptor;
    int64_t found;
    char *path = NULL;
    SINO_TRY(sino_hdf5_raw_path(visit->dataset->file, name, &path));
    SinoStatus status = NULL;
    if (*name != '/' && sino_path_kind(path) == SINO_PATH_ABSENT)
        status = sino_error(SINO_BAD_INPUT,
                            "%s does not exist; needed: in the working directory, or in the folder of "
                            "HDF5_EXTFILE_PREFIX (${ORIGIN}: that of the HDF5 file)",
                            path);
    if (!status) status = sino_regular_open(path, &descriptor, &found);
    if (!status) {
        close(descriptor);
        if (found < offset || found - offset < bytes)
            status = sino_error(SINO_BAD_INPUT,
                                "%s has %" PRId64 " bytes; needed: %" PRId64 " bytes from byte %" PRId64 " on", path,
                                found, bytes, offset);
    }
    if (!status) status = sino_file_list_add(visit->files, path);
    free(path);
    return sino_error_prefix(status, "%s: %s takes values from %.300s", visit->dataset->file, visit->dataset->name,
                             name);
}

static SinoStatus check_external(const Visit *visit, hid_t creation, int count)
{
    enum { NAME_BYTES = 1 << 16 };
    const SinoDataset *dataset = visit->dataset;
    int64_t left;
    char *name = NULL;
    SINO_TRY(sino_multiply(value_count(dataset), dataset->value_bytes, "a dataset", &left));
    SINO_TRY(sino_allocate(NAME_BYTES, 1, "the name of a raw file", &name));
    SinoStatus status = NULL;
    for (int i = 0; i < count && left > 0 && !status; i++) {
        off_t offset = 0;
        hsize_t room = 0;
        if (H5Pget_external(creation, (unsigned)i, NAME_BYTES - 1, name, &offset, &room) < 0 || offset < 0)
            status = sino_hdf5_error(SINO_BAD_INPUT, "%s: %s has no readable raw files", dataset->file, dataset->name);
        const int64_t bytes = room == H5F_UNLIMITED || room > (hsize_t)left ? left : (int64_t)room;
        if (!status) status = check_raw_file(visit, name, (int64_t)offset, bytes);
        left -= bytes;
    }
    free(name);
    if (status) return status;
    SINO_CHECK(left <= 0, SINO_BAD_INPUT, "%s: %s has raw files for all but %" PRId64 " of its bytes; allowed: for all",
               dataset->file, dataset->name, left);
    return NULL;
}

/* A source's chunks are checked now, as HDF5 reads them by itself; of other datasets the first, which tells whether
 * their sizes are those that were written, and the others when they are read. */
static SinoStatus check_written(const Visit *visit)
{
    static const int64_t first[SINO_DATASET_RANK] = {0};
    const SinoDataset *dataset = visit->dataset;
    int64_t count[SINO_DATASET_RANK];
    for (int d = 0; d < dataset->rank; d++)
        count[d] = visit->user ? dataset->size[d] : sino_smaller(dataset->size[d], 1);
    H5D_space_status_t space;
    SINO_HDF5_CHECK(H5Dget_space_status(dataset->id, &space) >= 0, SINO_BAD_INPUT, "%s: %s has no readable layout",
                    dataset->file, dataset->name);
    SINO_CHECK(space != H5D_SPACE_STATUS_NOT_ALLOCATED || value_count(dataset) == 0, SINO_BAD_INPUT,
               "%s: %s was declared, but never written", dataset->file, dataset->name);
    return sino_hdf5_check_chunks(dataset, first, count);
}

static SinoStatus check_whole(const Visit *visit)
{
    const SinoDataset *dataset = visit->dataset;
    const hid_t creation = H5Dget_create_plist(dataset->id);
    SINO_HDF5_CHECK(creation >= 0, SINO_BAD_INPUT, "%s: %s has no readable layout", dataset->file, dataset->name);
    const H5D_layout_t layout = H5Pget_layout(creation);
    const int external = layout == H5D_CONTIGUOUS ? H5Pget_external_count(creation) : 0;
    SinoStatus status = layout == H5D_VIRTUAL ? check_virtual(visit, creation)
                        : external > 0        ? check_external(visit, creation, external)
                                              : check_written(visit);
    (void)H5Pclose(creation);
    return status;
}

/* The file that holds a dataset, which is another one than the path's behind an external link; the caller frees it. */
static SinoStatus file_of(const SinoDataset *dataset, char **path)
{
    const ssize_t length = H5Fget_name(dataset->id, NULL, 0);
    SINO_HDF5_CHECK(length > 0, SINO_BAD_INPUT, "%s: %s has no readable file name", dataset->file, dataset->name);
    SINO_TRY(sino_allocate((int64_t)length + 1, 1, "a file name", path));
    SINO_HDF5_CHECK(H5Fget_name(dataset->id, *path, (size_t)length + 1) == length, SINO_BAD_INPUT,
                    "%s: %s has no readable file name", dataset->file, dataset->name);
    return NULL;
}

static SinoStatus check_at_home(const SinoDataset *dataset, const Visit *user, SinoFileList *files)
{
    char *path = NULL;
    SinoStatus status = file_of(dataset, &path);
    SinoDataset home = *dataset;
    if (!status && path) {
        home.file = path;
        const Visit visit = {.dataset = &home, .user = user, .depth = user ? user->depth + 1 : 0, .files = files};
        if (strcmp(path, dataset->file) != 0) status = sino_file_list_add(files, path);
        if (!status) status = check_whole(&visit);
    }
    free(path);
    return status;
}

SinoStatus sino_dataset_open_whole(const char *path, hid_t file, const char *name, int rank, bool optional,
                                   SinoFileList *files, SinoDataset *dataset)
{
    SinoDataset found;
    SINO_TRY(sino_dataset_open(path, file, name, rank, optional, &found));
    SinoStatus status = found.id >= 0 ? check_at_home(&found, NULL, files) : NULL;
    if (status)
        sino_dataset_close(&found);
    else
        *dataset = found;
    return status;
}
