/* SPDX-License-Identifier: BSD-3-Clause */
/* Library, operators: lines of the caller's arrays, products, and what both know of an operator. */
#pragma once

#include "forecast.h"
#include "operator.h"
#include "rays_tasks.h"
#include "settings.h"
#include "sinodag.h"

/* Library, lines: where the elements of a caller's arrays lie in the vectors of an operator, of whatever kind it is.
 *
 *     parallel beams   images (S, N, N)    projections (S, K, M)
 *     cone beams       images (Z, Y, X)    projections (K, R, M)    a volume is one slice of the engine
 *     system matrix    images (S, V, 1)    projections (S, R, 1)    R rows, V voxels */

typedef struct SinoLines SinoLines;

/* The operator is not owned. SINO_FAILED: no memory. */
SinoStatus sino_lines_new(const SinoOperator *op, SinoLines **lines);
void sino_lines_free(SinoLines *lines); /* takes NULL */

enum { SINO_ALL_SUBSETS = -1 };

/* Arrays of a caller, which are borrowed: projections of images, or, `back`, images of projections. */
typedef struct SinoArrays {
    bool back;
    int64_t subset;      /* whose angles or rows the projections have; SINO_ALL_SUBSETS: all, in the caller's order */
    int64_t slice_count; /* S; of cone beams volumes */
    SinoStrided images;
    SinoStrided projections;
    int64_t image_step, projection_step; /* of cone beams: elements from one volume, or its projections, to the next */
} SinoArrays;

/* The sizes of images and of the projections of a subset or of all; 0: S. */
typedef struct SinoArraySizes {
    int64_t images[3], projections[3];
} SinoArraySizes;

SinoArraySizes sino_lines_sizes(const SinoLines *lines, int64_t subset);

/* SINO_BAD_INPUT: the rows of this subset are no range of the caller's rows, as mirrors of the matrix bring others in.
 */
SinoStatus sino_lines_check_subset(const SinoLines *lines, int64_t subset);

/* Images from slice `first` on; not of cone beams. */
SinoStrided sino_lines_images(const SinoArrays *arrays, int64_t first);

/* Insert the tasks between arrays, from slice or volume take.first on, and vectors: of images and the partitions'
 * vectors x; of the projections of the product's subset and its vector y. Towards the operator unless `back` says
 * otherwise. */
SinoStatus sino_lines_move_images(const SinoLines *lines, const SinoArrays *arrays, SinoTake take, bool back,
                                  const SinoProduct *product, SinoData *const *x);
SinoStatus sino_lines_move_projections(const SinoLines *lines, const SinoArrays *arrays, SinoTake take, bool back,
                                       const SinoProduct *product, SinoData *y);

/* Inserts the tasks that give the projections of the product's subset, of parallel beams, where they are sums of
 * partial vectors. scratch: sino_lines_scratch_bytes, of each worker. */
int64_t sino_lines_scratch_bytes(const SinoLines *lines, SinoSlices slices);
SinoStatus sino_lines_give_parts(const SinoLines *lines, const SinoArrays *arrays, SinoTake take,
                                 const SinoProduct *product, const SinoParts *parts, SinoData *scratch);

/* Inserts the tasks that take all projections to the one vector of all rays, whose subsets follow each other. */
SinoStatus sino_lines_take_rays(const SinoLines *lines, const SinoArrays *arrays, SinoTake take,
                                const SinoProduct *product, SinoData *y);

/* Library, products: A x and Aᵀ y of the arrays of a caller, minibatch after minibatch. */

/* The buffers of products, which stay between them. */
typedef struct SinoProducts SinoProducts;

typedef struct SinoProductsRequest {
    const SinoOperator *op; /* not owned */
    const SinoLines *lines; /* not owned */
    int64_t partition_count;
    int64_t minibatch;  /* slices of a minibatch; 0: as suits the workers */
    int64_t room_bytes; /* of buffers, where one minibatch does not need more */
} SinoProductsRequest;

/* SINO_FAILED: no memory. */
SinoStatus sino_products_new(const SinoProductsRequest *request, SinoProducts **products);
void sino_products_free(SinoProducts *products); /* takes NULL */

/* Computes the product, and waits for it. SINO_BAD_INPUT: a value that is read is NaN or infinite. SINO_FAILED: no
 * memory. */
SinoStatus sino_products_compute(SinoProducts *products, const SinoArrays *arrays);

/* Slices of a minibatch: what suits devices or a panel, but fewer where workers would have none. */
int64_t sino_products_minibatch(const SinoProducts *products, int64_t slice_count);

/* Bytes that buffers may take: those of the request, but not more than are free. */
int64_t sino_products_room(const SinoProducts *products);

/* Minibatches at a time, of so many bytes each: two for each worker, while there is room for them. */
int64_t sino_products_slots(const SinoProducts *products, int64_t minibatches, int64_t bytes);

/* Library, operators: what products and solutions know of the operator of a caller, and how each kind is made. */

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
