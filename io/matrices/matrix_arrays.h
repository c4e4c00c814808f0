/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix arrays: matrices whose rows or columns are compressed (CSR, CSC), or neither (COO), as arrays that formats
 * with named arrays keep. A format reads arrays; the rest is here. */
#pragma once

#include "matrix_source.h"

typedef enum SinoMatrixLayout {
    SINO_CSR, /* pointers: where each row begins and the last one ends; indices: columns */
    SINO_CSC, /* pointers: of columns; indices: rows */
    SINO_COO, /* pointers: the row of each entry; indices: columns */
} SinoMatrixLayout;

typedef enum SinoMatrixArray {
    SINO_ARRAY_POINTERS,
    SINO_ARRAY_INDICES,
    SINO_ARRAY_VALUES,
    SINO_ARRAYS
} SinoMatrixArray;

/* How a format reads. A pass reads each array mostly from its beginning to its end. Several threads may have one pass
 * each; the format locks what needs it. */
typedef struct SinoArrayReader {
    SinoStatus (*begin)(void *state, void **pass);
    /* Elements first … first + count − 1, which the array has. Integers beyond 63 bits become INT64_MAX. */
    SinoStatus (*integers)(void *pass, SinoMatrixArray array, int64_t first, int64_t count, int64_t *values);
    SinoStatus (*doubles)(void *pass, SinoMatrixArray array, int64_t first, int64_t count, double *values);
    void (*end)(void *pass);
    void (*close)(void *state); /* of SinoMatrixSource */
} SinoArrayReader;

/* A matrix in arrays; the format fills this in. */
typedef struct SinoMatrixArrays {
    const SinoArrayReader *reader;
    void *state; /* of the reader, which owns it */
    SinoMatrixLayout layout;
    bool random_access;            /* parts of arrays can be read without what is before them */
    const char *name[SINO_ARRAYS]; /* for errors; not owned */
    int64_t count[SINO_ARRAYS];    /* elements */
    int64_t row_count, column_count;
} SinoMatrixArrays;

/* Sets source, state and outline of the file. Checks sizes, and the pointers. The file takes over `arrays->state`, also
 * on failure. SINO_BAD_INPUT: sizes that disagree, pointers that descend or do not fit. */
SinoStatus sino_matrix_arrays_open(SinoMatrixFile *file, const SinoMatrixArrays *arrays);
