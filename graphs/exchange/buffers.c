/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers: bytes and allocation of the buffers in a table. */
#include "buffers.h"

#include "memory.h"
#include "rays_tasks.h"
#include "solvers_tasks.h"

SinoExtent sino_extent_one(int64_t rows)
{
    return (SinoExtent){.members = 1, .total = rows, .most = rows, .filled = rows > 0};
}

SinoExtent sino_extent_of(int64_t members, const int64_t *rows)
{
    SinoExtent extent = {.members = members, .rows = rows};
    for (int64_t i = 0; i < members; i++) {
        if (rows[i] <= 0) continue;
        extent.filled++;
        extent.total += rows[i];
        if (rows[i] > extent.most) extent.most = rows[i];
    }
    return extent;
}

static int64_t element_bytes(SinoElement element, SinoPrecision precision)
{
    const SinoPrecision solver = sino_precision_solver(precision);
    const bool narrow = sino_precision_bytes(precision) < sino_precision_bytes(solver);
    const int64_t bytes[] = {[SINO_ELEMENT_REAL] = (int64_t)sino_precision_bytes(solver),
                             [SINO_ELEMENT_HALF] = narrow ? (int64_t)sizeof(SinoHalf) : 0,
                             [SINO_ELEMENT_UNITS] = narrow ? (int64_t)sizeof(SinoCastUnits) : 0,
                             [SINO_ELEMENT_FLOAT] = (int64_t)sizeof(float),
                             [SINO_ELEMENT_INTEGER] = (int64_t)sizeof(int64_t),
                             [SINO_ELEMENT_DOUBLE] = (int64_t)sizeof(double),
                             [SINO_ELEMENT_SUMS] = (int64_t)sizeof(SinoSliceSums),
                             [SINO_ELEMENT_STATE] = (int64_t)sizeof(SinoSliceState)};
    return bytes[element];
}

/* Elements of a row. */
static int64_t row_elements(const SinoBuffer *buffer, SinoBatch batch)
{
    const int64_t elements[] = {[SINO_LANES_SLICES] = batch.stride,
                                [SINO_LANES_HISTORY] = sino_times(batch.stride, batch.history_numbers),
                                [SINO_LANES_ONE] = 1,
                                [SINO_LANES_ONE_MEMBER] = 1,
                                [SINO_LANES_SLICES_MEMBER] = batch.stride};
    return elements[buffer->lanes];
}

/* Whether a member's elements are those of one row, however many rows it has. */
static bool is_one_row(const SinoBuffer *buffer)
{
    return buffer->lanes == SINO_LANES_ONE_MEMBER || buffer->lanes == SINO_LANES_SLICES_MEMBER;
}

static int64_t bytes_of_rows(const SinoBuffer *buffer, const SinoShape *shape, SinoBatch batch, int64_t rows)
{
    const int64_t elements = sino_times(rows, row_elements(buffer, batch));
    return sino_times(elements, element_bytes(buffer->element, shape->precision));
}

int64_t sino_buffers_bytes(int64_t count, const SinoBuffer *buffer, const SinoShape *shape, SinoBatch batch)
{
    int64_t bytes = 0;
    for (int64_t i = 0; i < count; i++) {
        const SinoExtent *extent = &shape->extent[buffer[i].rows];
        const int64_t rows = is_one_row(&buffer[i]) ? extent->filled : extent->total;
        bytes += bytes_of_rows(&buffer[i], shape, batch, rows);
    }
    return bytes;
}

int64_t sino_buffer_most_bytes(const SinoBuffer *buffer, const SinoShape *shape, SinoBatch batch)
{
    const int64_t most = shape->extent[buffer->rows].most;
    return bytes_of_rows(buffer, shape, batch, is_one_row(buffer) ? most > 0 : most);
}

static SinoStatus new_member(SinoRuntime *runtime, const SinoBuffer *buffer, const SinoShape *shape, SinoBatch batch,
                             int64_t rows, SinoData **data)
{
    const int64_t element = element_bytes(buffer->element, shape->precision);
    if (rows < 0 || (is_one_row(buffer) && rows == 0)) return NULL;
    return sino_data_large_vector(runtime, buffer->name, is_one_row(buffer) ? 1 : rows, row_elements(buffer, batch),
                                  (size_t)element, data);
}

SinoStatus sino_buffer_new(SinoRuntime *runtime, const SinoBuffer *buffer, const SinoShape *shape, SinoBatch batch,
                           SinoData ***data)
{
    const SinoExtent *extent = &shape->extent[buffer->rows];
    *data = NULL;
    if (extent->members == 0 || element_bytes(buffer->element, shape->precision) == 0) return NULL;
    SINO_TRY(sino_allocate(extent->members, sizeof **data, buffer->name, data));
    for (int64_t i = 0; i < extent->members; i++) {
        const int64_t rows = extent->rows ? extent->rows[i] : extent->total;
        SINO_TRY(new_member(runtime, buffer, shape, batch, rows, &(*data)[i]));
    }
    return NULL;
}
