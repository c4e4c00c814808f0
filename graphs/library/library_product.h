/* SPDX-License-Identifier: BSD-3-Clause */
/* Library, products: A x and Aᵀ y of the arrays of a caller, minibatch after minibatch. */
#ifndef SINO_LIBRARY_PRODUCT_H
#define SINO_LIBRARY_PRODUCT_H

#include "operator.h"
#include "strided_task.h"

/* The buffers of products, which stay between them. */
typedef struct SinoProducts SinoProducts;

/* `minibatch`: slices of a minibatch; 0: as suits the workers. The operator is not owned. SINO_FAILED: no memory. */
SinoStatus sino_products_new(const SinoOperator *op, int64_t partition_count, int64_t minibatch,
                             SinoProducts **products);
void sino_products_free(SinoProducts *products); /* takes NULL */

enum { SINO_ALL_SUBSETS = -1 };

/* A product of the arrays of a caller: projections = A images, or, `back`, images = Aᵀ projections. */
typedef struct SinoArrays {
    bool back;
    int64_t subset;          /* whose angles the projections have; SINO_ALL_SUBSETS: all angles, in the scan's order */
    int64_t slice_count;     /* S */
    SinoStrided images;      /* (slice, row, column) */
    SinoStrided projections; /* (slice, angle of the subset, column) */
} SinoArrays;

/* Computes the product, and waits for it. SINO_BAD_INPUT: a value that is read is NaN or infinite. SINO_FAILED: no
 * memory. */
SinoStatus sino_products_compute(SinoProducts *products, const SinoArrays *arrays);

/* Slices of a minibatch: what suits devices or a panel, but fewer where workers would have none. */
int64_t sino_products_minibatch(const SinoProducts *products, int64_t slice_count);

/* Minibatches at a time, of so many bytes each: two for each worker, while there is memory for them. */
int64_t sino_products_slots(const SinoProducts *products, int64_t minibatches, int64_t bytes);

/* Inserts the tasks between the images, from slice number take.first on, and the partitions' vectors x; `back`: to the
 * images. */
SinoStatus sino_products_move_images(const SinoOperator *op, const SinoArrays *arrays, SinoTake take,
                                     const SinoProduct *product, SinoData *const *x);

/* The array from an index of a dimension on. */
SinoStrided sino_products_from(SinoStrided array, int dimension, int64_t first);

/* Angles of subset s of N: s, s + N, s + 2N … */
int64_t sino_products_angles(const SinoOperator *op, int64_t subset);

#endif
