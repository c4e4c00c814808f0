/* SPDX-License-Identifier: BSD-3-Clause */
/* MAT array: an array of a MATLAB file of level 5: what it is, and where its values are. */
#pragma once

#include "mat_stream.h"
#include "npy.h"

enum { SINO_MAT_NAME = 64 }; /* of a variable, with the end of the text */

typedef enum SinoMatClass {
    SINO_MAT_OTHER, /* a text, a structure, a cell array … */
    SINO_MAT_SPARSE_ARRAY,
    SINO_MAT_NUMBERS
} SinoMatClass;

/* Values of a variable: type (without sizes), count, and in header_bytes where the first one is. Doubles that are
 * integers are often stored as such. */
typedef struct SinoMatVariable {
    char name[SINO_MAT_NAME]; /* "": none that could be asked for */
    SinoMatClass class;
    const char *class_name; /* "double", "uint16", "structure" … */
    bool complex;
    int rank;                    /* at least 2 */
    int64_t size[SINO_NPY_RANK]; /* as MATLAB has them: the first dimension is contiguous */
    SinoNpy values;
    SinoNpy rows, ends; /* sparse: the row of each value, and where the values of each column begin, and end */
} SinoMatVariable;

/* Reads what is before the values of an array: class, sizes and name. SINO_BAD_INPUT: it is damaged. */
SinoStatus sino_mat_array_head(SinoMatStream *stream, SinoMatVariable *variable);

/* Thereafter: of a structure of 1 x 1, reads the same of the field whose name ends at the next slash. SINO_BAD_INPUT:
 * the array is something else, or has no such field; damaged. */
SinoStatus sino_mat_array_field(SinoMatStream *stream, const char *field, SinoMatVariable *variable);

/* Thereafter: where the values are; nothing of complex and other arrays. SINO_BAD_INPUT: their number disagrees with
 * the sizes, their type with the class; damaged. */
SinoStatus sino_mat_array_values(SinoMatStream *stream, SinoMatVariable *variable);
