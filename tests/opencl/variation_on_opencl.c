/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of variation.h by those of variation_opencl.c: linked first, they make the tests of the CPU's test
 * these. A device gets the vectors of several parts as those of a single part. */
#include "lend.h"
#include "variation.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { TABLES = 2 };

/* A vector of all parts on the device, and as it was lent. */
typedef struct Whole {
    char *lent; /* owned */
    cl_mem memory;
} Whole;

static int64_t rows_of(const SinoVariation *variation, int64_t part)
{
    return (variation->first_tile[part + 1] - variation->first_tile[part]) * SINO_TILE_VOXELS;
}

static int64_t all_rows(const SinoVariation *variation)
{
    return variation->first_tile[variation->part_count] * SINO_TILE_VOXELS;
}

static size_t all_bytes(const SinoVariation *variation)
{
    return (size_t)(all_rows(variation) * variation->slices.stride) * sino_precision_bytes(variation->slices.precision);
}

/* Copies the elements of a part to the vector of all parts, or back. */
static void copy_part(const SinoVariation *variation, int64_t part, bool back, char *own, char *whole)
{
    const SinoSlices slices = variation->slices;
    const size_t bytes = sino_precision_bytes(slices.precision);
    const int64_t first = variation->first_tile[part] * SINO_TILE_VOXELS;
    for (int64_t row = 0; row < rows_of(variation, part); row++)
        for (int64_t f = 0; f < slices.stride; f++) {
            char *here = own + (size_t)sino_panel_element(slices, rows_of(variation, part), row, f) * bytes;
            char *there = whole + (size_t)sino_panel_element(slices, all_rows(variation), first + row, f) * bytes;
            memcpy(back ? here : there, back ? there : here, bytes);
        }
}

/* part[part_count]: NULL where the device needs no part, whose elements are then 0. */
static Whole lend_whole(const SinoVariation *variation, const void *const *part)
{
    Whole whole = {.lent = calloc(1, all_bytes(variation) + 1)};
    if (!whole.lent) abort();
    for (int64_t i = 0; i < variation->part_count; i++)
        if (part[i]) copy_part(variation, i, false, (char *)part[i], whole.lent);
    whole.memory = lend(whole.lent, all_bytes(variation));
    return whole;
}

/* The part that is computed alone. */
static Whole lend_own(const SinoVariation *variation, const void *own)
{
    const void **part = calloc((size_t)variation->part_count, sizeof *part);
    if (!part) abort();
    part[variation->part] = own;
    const Whole whole = lend_whole(variation, part);
    free(part);
    return whole;
}

static void end_whole(const SinoVariation *variation, Whole *whole)
{
    lend_end(whole->lent, whole->memory, all_bytes(variation));
    free(whole->lent);
}

static void return_own(const SinoVariation *variation, Whole *whole, void *own)
{
    lend_return(whole->lent, whole->memory, all_bytes(variation));
    copy_part(variation, variation->part, true, own, whole->lent);
    free(whole->lent);
}

static void lend_tables(const SinoVariation *variation, cl_mem table[TABLES])
{
    const size_t tiles = (size_t)variation->first_tile[variation->part_count];
    table[0] = lend(variation->tile, tiles * sizeof *variation->tile);
    table[1] = lend(variation->neighbour, tiles * sizeof *variation->neighbour);
}

static void end_tables(const SinoVariation *variation, const cl_mem table[TABLES])
{
    const size_t tiles = (size_t)variation->first_tile[variation->part_count];
    lend_end(variation->tile, table[0], tiles * sizeof *variation->tile);
    lend_end(variation->neighbour, table[1], tiles * sizeof *variation->neighbour);
}

/* One part with all tiles. */
static SinoVariation single(const SinoVariation *variation, int64_t first_tile[2])
{
    SinoVariation one = *variation;
    first_tile[0] = 0;
    first_tile[1] = variation->first_tile[variation->part_count];
    one.part_count = 1;
    one.part = 0;
    one.first_tile = first_tile;
    return one;
}

void sino_variation_primal(const SinoVariation *variation, const void *z, const void *const *p, const void *const *q,
                           const void *r, const void *before, const SinoSliceState *state, void *u)
{
    assert(!r && !before); /* in 2-D */
    const size_t state_bytes = (size_t)variation->slices.slice_count * sizeof *state;
    int64_t first_tile[2];
    const SinoVariation one = single(variation, first_tile);
    cl_mem table[TABLES], of_state = lend(state, state_bytes);
    Whole of_z = lend_own(variation, z), of_p = lend_whole(variation, p), of_q = lend_whole(variation, q);
    Whole of_u = lend_own(variation, u);
    lend_tables(variation, table);
    lend_check(sino_variation_primal_opencl(lend_device(), &one, table[0], table[1], of_z.memory, of_p.memory,
                                            of_q.memory, of_state, of_u.memory));
    end_tables(variation, table);
    return_own(variation, &of_u, u);
    end_whole(variation, &of_q);
    end_whole(variation, &of_p);
    end_whole(variation, &of_z);
    lend_end(state, of_state, state_bytes);
}

void sino_variation_dual(const SinoVariation *variation, const void *const *u, const void *after,
                         const SinoSliceState *state, void *p, void *q, void *r)
{
    assert(!r && !after);
    const size_t state_bytes = (size_t)variation->slices.slice_count * sizeof *state;
    int64_t first_tile[2];
    const SinoVariation one = single(variation, first_tile);
    cl_mem table[TABLES], of_state = lend(state, state_bytes);
    Whole of_u = lend_whole(variation, u), of_p = lend_own(variation, p), of_q = lend_own(variation, q);
    lend_tables(variation, table);
    lend_check(sino_variation_dual_opencl(lend_device(), &one, table[0], table[1], of_u.memory, of_state, of_p.memory,
                                          of_q.memory));
    end_tables(variation, table);
    return_own(variation, &of_q, q);
    return_own(variation, &of_p, p);
    end_whole(variation, &of_u);
    lend_end(state, of_state, state_bytes);
}
