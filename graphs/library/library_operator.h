/* SPDX-License-Identifier: BSD-3-Clause */
/* Library, operators: what products and solutions know of the operator of a caller, and how each kind is made. */
#pragma once

#include "library_product.h"
#include "settings.h"
#include "sinodag.h"

#include "forecast.h"

struct SinodagOperator {
    SinodagOperator *handle; /* what callers have: the operator's number, and no address */
    double *angle_rad;       /* owned; NULL: a matrix */
    SinodagAbout about;
    SinoForecast forecast;    /* of parallel beams */
    SinoCone cone;            /* of cone beams */
    SinoMatrixSurvey *matrix; /* owned; NULL: no matrix */
    int64_t memory_bytes;     /* the setting `memory`; 0: what is free */
    bool windows;             /* not all of A is in memory at a time */
    SinoOperator *op;
    SinoLines *lines;
    SinoProducts *products;
    struct SinodagOperator *next;
};

/* Within a call. SINO_BAD_INPUT: the operator does not exist, or was freed. */
SinoStatus sino_library_find_operator(const SinodagOperator *handle, SinodagOperator **op);

/* Checks arrays of an operator that exists, and fills in arrays->images, projections and slice_count; `subset` is
 * valid. SINO_BAD_INPUT: other sizes or types, arrays that overlap. */
SinoStatus sino_library_use_arrays(const SinodagOperator *op, const SinodagArray *images,
                                   const SinodagArray *projections, SinoArrays *arrays);

/* Elements between neighbours along each dimension; row-major where all strides are 0. The stride along a single
 * element may be anything. SINO_BAD_INPUT: an element has no address. */
SinoStatus sino_library_steps(const char *what, const SinodagArray *array, int64_t element_bytes, int64_t step[3]);

/* Checks an array of these sizes, of which 0 is any number from 1 on. `what` names it in messages. SINO_BAD_INPUT:
 * other sizes or types, or several volumes. */
SinoStatus sino_library_use_array(const char *what, const SinodagArray *array, const int64_t size[3],
                                  SinoStrided *used);

/* Checks an array that is read, of these sizes, beside images that are written. SINO_BAD_INPUT: as
 * sino_library_use_array, or both overlap, and are not the same array. */
SinoStatus sino_library_check_apart(const char *what, const SinodagArray *array, const int64_t size[3],
                                    const SinodagArray *images, const SinoStrided *used);

/* What differs by the kind of an operator. */
typedef struct SinoLibraryKind {
    SinoStatus (*check)(const SinodagGeometry *geometry); /* of members, whether or not it has them */
    /* Fills in *request, and forecast, cone or matrix of `made`, to which the request points, and whose angles are a
     * copy of those of the geometry. After a failure the caller frees what there is. Errors as of sinodag_operator_new.
     */
    SinoStatus (*plan)(const SinodagGeometry *geometry, const SinoSettings *settings, SinodagOperator *made,
                       SinoOperatorRequest *request);
    /* Once the operator is there: frees what only its making needed; voxels, nonzeros, bytes and partitions. */
    void (*tell)(SinodagOperator *made, SinodagAbout *about);
    const char *const *own; /* settings of the library (SinoLibrarySettings) */
} SinoLibraryKind;

extern const char *const sino_library_own_parallel[];
extern const SinoLibraryKind sino_library_parallel, sino_library_cone, sino_library_matrix;

/* What parallel and cone beams have: angles, columns, center, slices, subsets. */
SinoStatus sino_library_check_beams(const SinodagGeometry *geometry);

/* The number of slices that products will have. */
SinoStatus sino_library_check_slices(const SinodagGeometry *geometry);

/* Solves as sinodag_solve, of a matrix; the arrays are those of the caller. */
SinoStatus sino_library_solve_matrix(const SinodagOperator *op, const SinoSettings *settings, const SinoArrays *arrays,
                                     const SinodagSolution *solution);

/* The memory of a solution, `count` slices at a time ("a slice"), is told as a message of the plan. SINO_BAD_INPUT: it
 * is more than there is beside the operator. */
SinoStatus sino_library_check_room(const SinodagOperator *op, const char *slice, int64_t count, int64_t bytes);

/* Solves as sinodag_solve, by FDK. Lengths of the operator become those of `settings`. */
SinoStatus sino_library_solve_fdk(const SinodagOperator *op, SinoSettings *settings, const SinoArrays *arrays,
                                  const SinodagSolution *solution);

/* Subsets of a geometry, 0 being 1. */
static inline int64_t sino_library_subsets(const SinodagGeometry *geometry)
{
    return geometry->subsets > 0 ? geometry->subsets : 1;
}
