/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing reductions: vectors, and partials of random rows. */
#pragma once

#include "reduce.h"
#include "reference_operator.h"
#include "testing.h"

static const SinoPrecision precisions[] = {SINO_SINGLE, SINO_DOUBLE};

static void *create(SinoPrecision precision, int64_t count, uint64_t *seed)
{
    void *values = calloc((size_t)(count > 0 ? count : 1), sino_precision_bytes(precision));
    assert_non_null(values);
    for (int64_t i = 0; seed && i < count; i++) testing_set_element(precision, values, i, reference_random(seed));
    return values;
}

/* A partial of rows, each of a total's rays with the given chance, ascending, in `row`, and beginning with `base`. Of
 * these only a run in the middle takes part, unless `whole`. */
static SinoRowMap random_map(int64_t total_rows, double chance, bool whole, int64_t base, uint32_t *row, uint64_t *seed)
{
    SinoRowMap map = {.total_rows = total_rows, .row = row, .base = base};
    for (int64_t i = 0; i < total_rows; i++)
        if ((reference_random(seed) + 1) / 2 < chance) row[map.partial_rows++] = (uint32_t)(base + i);
    map.first = whole ? 0 : map.partial_rows / 4;
    map.count = whole ? map.partial_rows : map.partial_rows / 2;
    return map;
}
