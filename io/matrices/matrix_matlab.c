/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix MATLAB: a sparse matrix in a MATLAB file of level 5: as CSC. MATLAB may have reserved more values than there
 * are; the last end tells how many there are. */
#include "matrix_source.h"

#include <inttypes.h>
#include <stdlib.h>

#include "mat_file.h"
#include "memory.h"
#include "numbers.h"

/* The variable, and the file that has its parts as they are. Passes keep no place, so that one serves all threads. */
typedef struct MatlabMatrix {
    const char *path; /* not owned */
    SinoMatFile *file;
    int descriptor; /* of the values; not owned */
    const SinoNpy *part[SINO_ARRAYS];
} MatlabMatrix;

static SinoStatus begin_pass(void *state, void **pass)
{
    *pass = state;
    return NULL;
}

static void end_pass(void *pass)
{
    (void)pass;
}

static int64_t place_of(const SinoNpy *part, int64_t element)
{
    return part->header_bytes + element * part->item_bytes;
}

static SinoStatus read_integers(void *pass, SinoMatrixArray array, int64_t first, int64_t count, int64_t *values)
{
    const MatlabMatrix *matrix = pass;
    const SinoNpy *part = matrix->part[array];
    return sino_plain_integers_read(matrix->path, matrix->descriptor, place_of(part, first), part, count, values);
}

static SinoStatus read_doubles(void *pass, SinoMatrixArray array, int64_t first, int64_t count, double *values)
{
    const MatlabMatrix *matrix = pass;
    const SinoNpy *part = matrix->part[array];
    return sino_plain_doubles_read(matrix->path, matrix->descriptor, place_of(part, first), part, count, values);
}

static void close_matrix(void *state)
{
    MatlabMatrix *matrix = state;
    sino_mat_close(matrix->file);
    free(matrix);
}

static const SinoArrayReader reader = {
    .begin = begin_pass, .integers = read_integers, .doubles = read_doubles, .end = end_pass, .close = close_matrix};

static bool is_sparse(const SinoMatVariable *variable)
{
    return variable->class == SINO_MAT_SPARSE_ARRAY && !variable->complex;
}

/* Counts the values that the columns have. */
static SinoStatus count_values(const MatlabMatrix *matrix, const SinoMatVariable *variable, int64_t *count)
{
    const int64_t room = sino_smaller(variable->rows.count, variable->values.count);
    SINO_TRY(sino_plain_integers_read(matrix->path, matrix->descriptor, place_of(&variable->ends, variable->size[1]),
                                      &variable->ends, 1, count));
    SINO_CHECK(*count >= 0 && *count <= room, SINO_BAD_INPUT,
               "%s is damaged: %s has %" PRId64 " values by its columns; allowed: 0 to the %" PRId64 " that are stored",
               matrix->path, variable->name, *count, room);
    return NULL;
}

static SinoStatus open_variable(const SinoMatrixFile *file, MatlabMatrix *matrix, SinoMatrixArrays *arrays)
{
    static const char *const names[SINO_ARRAYS] = {"jc", "ir", "pr"};
    int64_t count;
    matrix->path = file->path;
    SINO_TRY(sino_mat_open(file->path, file->group, is_sparse, "sparse matrices", &matrix->file));
    const SinoMatVariable *variable = sino_mat_variable(matrix->file);
    SINO_CHECK(is_sparse(variable), SINO_BAD_INPUT, "%s: %s is %s%s; allowed: a sparse matrix of real numbers",
               file->path, variable->name, variable->complex ? "complex " : "", variable->class_name);
    SINO_TRY(sino_mat_unpack(matrix->file, &matrix->descriptor));
    SINO_TRY(count_values(matrix, variable, &count));
    const SinoNpy *const part[SINO_ARRAYS] = {&variable->ends, &variable->rows, &variable->values};
    for (int i = 0; i < SINO_ARRAYS; i++) {
        matrix->part[i] = part[i];
        arrays->name[i] = names[i];
        arrays->count[i] = i == SINO_ARRAY_POINTERS ? variable->size[1] + 1 : count;
    }
    arrays->row_count = variable->size[0];
    arrays->column_count = variable->size[1];
    return NULL;
}

static bool probe(const char *path, const unsigned char *head, int64_t bytes)
{
    (void)path;
    return sino_mat_probe(head, bytes);
}

static SinoStatus open_matlab(SinoMatrixFile *file)
{
    SinoMatrixArrays arrays = {.reader = &reader, .layout = SINO_CSC, .random_access = true};
    MatlabMatrix *matrix;
    SINO_TRY(sino_allocate(1, sizeof *matrix, "a matrix file", &matrix));
    SinoStatus status = open_variable(file, matrix, &arrays);
    arrays.state = matrix;
    if (!status) return sino_matrix_arrays_open(file, &arrays);
    close_matrix(matrix);
    return status;
}

const SinoMatrixFormat sino_matlab_format = {
    .name = "MATLAB", .example = "FILE or FILE:/NAME", .takes_group = true, .probe = probe, .open = open_matlab};
