/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix HDF5: groups of an HDF5 file that hold a sparse matrix in arrays.
 *
 * SciPy's names, as AnnData and 10x Genomics write them: `data`, `indices`, `indptr`; attribute or dataset `shape`;
 * attribute `encoding-type` csr_matrix or csc_matrix. Without that attribute (nor h5sparse_format: csr, csc) the number
 * of pointers decides. MATLAB 7.3: attribute MATLAB_sparse, the number of rows; `jc`, `ir`, `data`, as CSC. */
#include "matrix_source.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hdf5.h>

#include "hdf5_files.h"
#include "memory.h"

#define ALLOWED                                                                                                        \
    "allowed: a group with data, indices, indptr and shape (SciPy, AnnData), or a sparse matrix of MATLAB 7.3, as "    \
    "FILE:/GROUP"

enum { NAMES_BYTES = 160 };

/* HDF5 is not safe for threads, so one lock serves all files. */
static pthread_mutex_t hdf5_lock = PTHREAD_MUTEX_INITIALIZER;

typedef struct Hdf5Matrix {
    hid_t file;
    SinoDataset dataset[SINO_ARRAYS]; /* of MATLAB's matrices without entries, only the pointers are there */
    char *name[SINO_ARRAYS];          /* of the datasets; owned */
    SinoFileList files;               /* of virtual datasets */
} Hdf5Matrix;

/* Names of groups with a matrix, as many as fit. */
typedef struct Candidates {
    hid_t access;
    int count;
    char first[NAMES_BYTES]; /* "" when its name does not fit */
    char all[NAMES_BYTES];
} Candidates;

static bool has(hid_t group, const char *name)
{
    return H5Lexists(group, name, H5P_DEFAULT) > 0;
}

static bool is_matlab(hid_t group)
{
    return H5Aexists(group, "MATLAB_sparse") > 0 && has(group, "jc");
}

static bool is_matrix(hid_t group)
{
    return is_matlab(group) || (has(group, "data") && has(group, "indices") && has(group, "indptr"));
}

static herr_t add_candidate(hid_t root, const char *name, const H5L_info_t *about, void *to)
{
    Candidates *candidates = to;
    (void)about;
    const hid_t group = H5Gopen2(root, name, candidates->access);
    if (group < 0) return 0;
    if (is_matrix(group)) {
        const size_t length = strlen(candidates->all);
        if (candidates->count++ == 0 && strlen(name) < NAMES_BYTES - 1)
            snprintf(candidates->first, sizeof candidates->first, "/%s", name);
        snprintf(candidates->all + length, sizeof candidates->all - length, "%s/%s", length ? ", " : "", name);
    }
    (void)H5Gclose(group);
    return 0;
}

/* The group that holds a matrix, where none was given: the root, or the only one below it. *name: owned by the caller.
 */
static SinoStatus find_group(const char *path, hid_t file, hid_t access, char **name)
{
    Candidates candidates = {.access = access};
    const hid_t root = H5Gopen2(file, "/", access);
    const bool at_root = root >= 0 && is_matrix(root);
    if (root >= 0 && !at_root) (void)H5Literate(root, H5_INDEX_NAME, H5_ITER_INC, NULL, add_candidate, &candidates);
    if (root >= 0) (void)H5Gclose(root);
    SINO_CHECK(at_root || candidates.count > 0, SINO_BAD_INPUT, "%s has no sparse matrix at its root; " ALLOWED, path);
    SINO_CHECK(at_root || (candidates.count == 1 && candidates.first[0]), SINO_BAD_INPUT,
               "%s has %d sparse matrices (%s); allowed: one of them, as %s:%s", path, candidates.count, candidates.all,
               path, candidates.first[0] ? candidates.first : "/GROUP");
    *name = strdup(at_root ? "/" : candidates.first);
    SINO_CHECK(*name, SINO_FAILED, "no memory for a name");
    return NULL;
}

static SinoStatus open_group(const SinoMatrixFile *about, hid_t file, hid_t access, char **name, hid_t *group)
{
    if (about->group) {
        *name = strdup(about->group);
        SINO_CHECK(*name, SINO_FAILED, "no memory for a name");
    } else {
        SINO_TRY(find_group(about->path, file, access, name));
    }
    *group = H5Gopen2(file, *name, access);
    SINO_HDF5_CHECK(*group >= 0, SINO_BAD_INPUT, "%s has no group %s", about->path, *name);
    SINO_CHECK(is_matrix(*group), SINO_BAD_INPUT, "%s: the group %s holds no sparse matrix; " ALLOWED, about->path,
               *name);
    return NULL;
}

/* Opens a dataset of one dimension in a group. */
static SinoStatus open_array(const char *path, const char *group, const char *name, bool optional, Hdf5Matrix *matrix,
                             int array)
{
    SinoDataset *dataset = &matrix->dataset[array];
    const char *slash = group[strlen(group) - 1] == '/' ? "" : "/";
    SINO_CHECK(asprintf(&matrix->name[array], "%s%s%s", group, slash, name) >= 0, SINO_FAILED, "no memory for a name");
    SINO_TRY(sino_dataset_open_whole(path, matrix->file, matrix->name[array], 1, optional, &matrix->files, dataset));
    const bool integers = dataset->id < 0 || strstr(dataset->stored_type, "int");
    SINO_CHECK(integers || array == SINO_ARRAY_VALUES, SINO_BAD_INPUT, "%s: %s holds %s; allowed: integers", path,
               dataset->name, dataset->stored_type);
    return NULL;
}

static SinoStatus open_arrays(const char *path, const char *group, bool matlab, Hdf5Matrix *matrix,
                              SinoMatrixArrays *arrays)
{
    static const char *const names[2][SINO_ARRAYS] = {{"indptr", "indices", "data"}, {"jc", "ir", "data"}};
    for (int i = 0; i < SINO_ARRAYS; i++) {
        const bool optional = matlab && i != SINO_ARRAY_POINTERS;
        SINO_TRY(open_array(path, group, names[matlab][i], optional, matrix, i));
        arrays->name[i] = matrix->name[i];
        arrays->count[i] = matrix->dataset[i].id >= 0 ? matrix->dataset[i].size[0] : 0;
    }
    return NULL;
}

/* Reads a dataset `shape` of two numbers. */
static SinoStatus read_shape(const char *path, const char *group, hid_t file, int64_t shape[2])
{
    static const int64_t first = 0, count = 2;
    SinoDataset dataset = {.id = H5I_INVALID_HID};
    SinoFileList files = {0};
    char *name = NULL;
    SINO_CHECK(asprintf(&name, "%s/shape", group) >= 0, SINO_FAILED, "no memory for a name");
    SinoStatus status = sino_dataset_open_whole(path, file, name, 1, true, &files, &dataset);
    if (!status && (dataset.id < 0 || dataset.size[0] != 2 || !strstr(dataset.stored_type, "int")))
        status = sino_error(SINO_BAD_INPUT,
                            "%s: the group %s has no shape; allowed: an attribute or a dataset `shape` of two integers",
                            path, group);
    if (!status) status = sino_dataset_read(&dataset, &first, &count, H5T_NATIVE_INT64, shape);
    if (dataset.id >= 0) sino_dataset_close(&dataset);
    sino_file_list_free(&files);
    free(name);
    return status;
}

static SinoStatus take_shape(const char *path, const char *name, hid_t file, hid_t group, SinoMatrixArrays *arrays)
{
    int64_t shape[2];
    if (!sino_hdf5_integers(group, "shape", 2, shape) && !sino_hdf5_integers(group, "h5sparse_shape", 2, shape))
        SINO_TRY(read_shape(path, name, file, shape));
    arrays->row_count = shape[0];
    arrays->column_count = shape[1];
    return NULL;
}

static SinoStatus take_layout(const char *path, const char *name, hid_t group, SinoMatrixArrays *arrays)
{
    char text[SINO_HDF5_TEXT];
    if (sino_hdf5_text(group, "encoding-type", text) || sino_hdf5_text(group, "h5sparse_format", text)) {
        const bool rows = strcmp(text, "csr_matrix") == 0 || strcmp(text, "csr") == 0;
        SINO_CHECK(rows || strcmp(text, "csc_matrix") == 0 || strcmp(text, "csc") == 0, SINO_BAD_INPUT,
                   "%s: the group %s has the encoding '%s'; allowed: csr_matrix and csc_matrix", path, name, text);
        arrays->layout = rows ? SINO_CSR : SINO_CSC;
        return NULL;
    }
    const int64_t parts = arrays->count[SINO_ARRAY_POINTERS] - 1;
    SINO_CHECK(arrays->row_count != arrays->column_count, SINO_BAD_INPUT,
               "%s: the group %s does not say whether rows or columns of its %" PRId64 " × %" PRId64
               " matrix are compressed; allowed: an attribute encoding-type, csr_matrix or csc_matrix",
               path, name, arrays->row_count, arrays->column_count);
    arrays->layout = parts == arrays->column_count ? SINO_CSC : SINO_CSR;
    return NULL;
}

static SinoStatus take_matlab(const char *path, const char *name, hid_t group, SinoMatrixArrays *arrays)
{
    SINO_CHECK(sino_hdf5_integers(group, "MATLAB_sparse", 1, &arrays->row_count), SINO_BAD_INPUT,
               "%s: the group %s has an attribute MATLAB_sparse that is no integer", path, name);
    arrays->column_count = arrays->count[SINO_ARRAY_POINTERS] - 1;
    arrays->layout = SINO_CSC;
    return NULL;
}

static SinoStatus take_group(const SinoMatrixFile *about, hid_t access, Hdf5Matrix *matrix, SinoMatrixArrays *arrays)
{
    char *name = NULL;
    hid_t group = H5I_INVALID_HID;
    SinoStatus status = open_group(about, matrix->file, access, &name, &group);
    if (!status && name) status = open_arrays(about->path, name, is_matlab(group), matrix, arrays);
    if (!status && is_matlab(group)) {
        status = take_matlab(about->path, name, group, arrays);
    } else if (!status) {
        status = take_shape(about->path, name, matrix->file, group, arrays);
        if (!status) status = take_layout(about->path, name, group, arrays);
    }
    if (group >= 0) (void)H5Gclose(group);
    free(name);
    return status;
}

static void close_matrix(void *state)
{
    Hdf5Matrix *matrix = state;
    (void)pthread_mutex_lock(&hdf5_lock);
    for (int i = 0; i < SINO_ARRAYS; i++) {
        sino_dataset_close(&matrix->dataset[i]);
        free(matrix->name[i]);
    }
    if (matrix->file >= 0) (void)H5Fclose(matrix->file); /* opened for reading: nothing can be lost */
    (void)pthread_mutex_unlock(&hdf5_lock);
    sino_file_list_free(&matrix->files);
    free(matrix);
}

/* The datasets keep no place, so a pass is the matrix itself. */
static SinoStatus begin_pass(void *state, void **pass)
{
    *pass = state;
    return NULL;
}

static void end_pass(void *pass)
{
    (void)pass;
}

/* The names of HDF5's types call HDF5, too, and are therefore behind the lock. */
static SinoStatus read_array(const Hdf5Matrix *matrix, SinoMatrixArray array, int64_t first, int64_t count,
                             bool integers, void *values)
{
    (void)pthread_mutex_lock(&hdf5_lock);
    const hid_t type = integers ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE;
    SinoStatus status = sino_dataset_read(&matrix->dataset[array], &first, &count, type, values);
    (void)pthread_mutex_unlock(&hdf5_lock);
    return status;
}

static SinoStatus read_integers(void *pass, SinoMatrixArray array, int64_t first, int64_t count, int64_t *values)
{
    return read_array(pass, array, first, count, true, values); /* larger ones become INT64_MAX */
}

static SinoStatus read_doubles(void *pass, SinoMatrixArray array, int64_t first, int64_t count, double *values)
{
    return read_array(pass, array, first, count, false, values);
}

static const SinoArrayReader reader = {
    .begin = begin_pass, .integers = read_integers, .doubles = read_doubles, .end = end_pass, .close = close_matrix};

static bool probe(const char *path, const unsigned char *head, int64_t bytes)
{
    (void)head;
    (void)bytes;
    (void)pthread_mutex_lock(&hdf5_lock);
    const bool found = sino_hdf5_probe(path);
    (void)pthread_mutex_unlock(&hdf5_lock);
    return found;
}

/* With the lock. */
static SinoStatus open_locked(const SinoMatrixFile *about, Hdf5Matrix *matrix, SinoMatrixArrays *arrays)
{
    SINO_TRY(sino_hdf5_open(about->path, &matrix->file));
    const hid_t access = sino_hdf5_link_access();
    SINO_HDF5_CHECK(access >= 0, SINO_FAILED, "%s: HDF5 gives no access list", about->path);
    SinoStatus status = take_group(about, access, matrix, arrays);
    (void)H5Pclose(access);
    return status;
}

static SinoStatus open_matrix(SinoMatrixFile *file)
{
    SinoMatrixArrays arrays = {.reader = &reader, .random_access = true};
    Hdf5Matrix *matrix = NULL;
    SINO_TRY(sino_allocate(1, sizeof *matrix, "a matrix file", &matrix));
    matrix->file = H5I_INVALID_HID;
    for (int i = 0; i < SINO_ARRAYS; i++) matrix->dataset[i].id = H5I_INVALID_HID;
    (void)pthread_mutex_lock(&hdf5_lock);
    SinoStatus status = open_locked(file, matrix, &arrays);
    (void)pthread_mutex_unlock(&hdf5_lock);
    arrays.state = matrix;
    if (!status) return sino_matrix_arrays_open(file, &arrays);
    close_matrix(matrix);
    return status;
}

const SinoMatrixFormat sino_hdf5_matrix_format = {
    .name = "HDF5", .example = "FILE or FILE:/GROUP", .takes_group = true, .probe = probe, .open = open_matrix};
