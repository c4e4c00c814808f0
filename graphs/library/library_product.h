/* SPDX-License-Identifier: BSD-3-Clause */
/* Library, products: A x and Aᵀ y of the arrays of a caller, minibatch after minibatch. */
#pragma once

#include "library_lines.h"

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
