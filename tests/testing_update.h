/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing updates: the bytes of what they read and write. */
#pragma once

#include "panel.h"
#include "update.h"

static inline size_t vector_bytes(SinoSlices slices, int64_t rows)
{
    return (size_t)(rows * slices.stride) * sino_precision_bytes(slices.precision);
}

static inline size_t weight_bytes(SinoSlices slices, int64_t rows)
{
    return (size_t)rows * sino_precision_bytes(slices.precision);
}

static inline size_t state_bytes(SinoSlices slices)
{
    return (size_t)slices.slice_count * sizeof(SinoSliceState);
}

static inline size_t history_bytes(SinoSlices slices, const SinoHistory *history)
{
    return (size_t)(slices.slice_count * history->numbers) * sizeof(double);
}

static inline size_t sums_bytes(SinoSlices slices)
{
    return (size_t)slices.slice_count * sizeof(SinoSliceSums);
}

static inline size_t operand_bytes(const SinoUpdate *update, int vector)
{
    return vector & SINO_EACH_ROW ? weight_bytes(update->slices, update->rows)
                                  : vector_bytes(update->slices, update->rows);
}

static inline bool is_written(const SinoUpdate *update, int vector)
{
    return vector & (update->first ? SINO_STORED_FIRST : SINO_STORED);
}
