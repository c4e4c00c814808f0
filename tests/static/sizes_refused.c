/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes, proof: products that tests/static/sizes must find, each marked on its line, among others that are safe. */
#include "memory.h"

#include <stdlib.h>

typedef struct Shape {
    int64_t rows, columns, value_count, bytes;
    double share;
} Shape;

static int64_t area(const Shape *shape)
{
    return shape->rows * shape->columns; /* refused: the result is allocated below */
}

static void measure(int64_t a, int64_t b, int64_t *result)
{
    *result = a * b; /* refused: stored for a caller that allocates it */
}

static SinoStatus allocate_some(int64_t count, float **values)
{
    return sino_allocate(count, sizeof **values, "values", values);
}

static SinoStatus refused(Shape *shape, int64_t a, int64_t b, void **memory, float **values)
{
    int64_t local = a, stored;
    const int64_t wide = a << b; /* refused: reaches malloc */
    local *= b;                  /* refused: reaches malloc */
    shape->value_count = a * b;  /* refused: a member that is allocated below */
    shape->bytes = a * b;        /* refused: a number of bytes */
    measure(a, b, &stored);
    memory[0] = malloc((size_t)local);
    memory[1] = malloc((size_t)wide + (size_t)stored);
    memory[2] = calloc((size_t)(a * 2 * b), 1); /* refused: the constant hides nothing */
    memory[3] = sino_allocate_large(area(shape));
    SINO_TRY(allocate_some(a * b, values)); /* refused: the function allocates its argument */
    return sino_allocate(shape->value_count, sizeof **values, "values", values);
}

static SinoStatus safe(const Shape *shape, int64_t a, int64_t b, int64_t *table, void **memory)
{
    int64_t product;
    const double real = shape->share * (double)a;
    SINO_TRY(sino_multiply(a, b, "a table", &product));
    memory[0] = sino_allocate_large(sino_times(a, b) + 8 * a);
    memory[1] = sino_allocate_large(a / b * b);
    memory[2] = sino_allocate_large((int64_t)(real * shape->share));
    memory[3] = sino_reserve(product);
    table[a * b] = table[a] * table[b]; /* the place and the value in memory that exists */
    return NULL;
}
