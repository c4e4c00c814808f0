/* SPDX-License-Identifier: BSD-3-Clause */
/* Strided for one type of vector and one of array: REAL is the vector's element, VALUE the array's, NAME(x) the
 * function names. Included by strided_cpu.c. */

/* Values of a slice whose cells follow each other; `sum` stays 0 as long as they are finite. */
SINO_INLINE void NAME(take_cells_of_slice)(const VALUE *from, REAL *to, REAL *sum)
{
    for (int64_t c = 0; c < CELLS; c++) to[c] = (REAL)from[c];
    for (int64_t c = 0; c < CELLS; c++) sum[c] += to[c] * 0;
}

/* x[cell][slice] = turned[slice][cell]. */
SINO_INLINE void NAME(turn_in)(int64_t cells, int64_t stride, REAL turned[SINO_PANEL_MAX][CELLS], REAL *x)
{
    if (cells == CELLS && stride % 4 == 0)
        for (int64_t f = 0; f < stride; f += 4)
            for (int64_t c = 0; c < CELLS; c += 4) TURN_FOUR(&turned[f][c], CELLS, &x[c * stride + f], stride);
    else
        for (int64_t f = 0; f < stride; f++)
            /* The caller has set every element. NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign) */
            for (int64_t c = 0; c < cells; c++) x[c * stride + f] = turned[f][c];
}

/* x[cell][slice] = line[slice][cell]; `past`: rows of x are aligned to PAST bytes, and have a multiple of them. */
SINO_INLINE bool NAME(take_turned)(SinoSlices slices, int64_t count, SinoStrided line, bool past, REAL *x)
{
    REAL block[CELLS * SINO_PANEL_MAX];
    REAL turned[SINO_PANEL_MAX][CELLS];
    REAL sum[CELLS] = {0};
    int faults = 0;
    for (int64_t begin = 0; begin < count; begin += CELLS, x += CELLS * slices.stride) {
        const int64_t cells = count - begin < CELLS ? count - begin : CELLS;
        REAL *const to = past ? block : x;
        for (int64_t f = 0; f < slices.slice_count; f++) {
            const VALUE *from = (const VALUE *)line.first + f * line.step[0] + begin * line.step[2];
            if (line.step[2] == 1 && cells == CELLS) {
                const bool wraps = f + SLICES_AHEAD >= slices.slice_count;
                const int64_t ahead = f + SLICES_AHEAD - (wraps ? slices.slice_count : 0);
                __builtin_prefetch(from + (ahead - f) * line.step[0] + (wraps ? CELLS : 0));
                NAME(take_cells_of_slice)(from, turned[f], sum);
                continue;
            }
            for (int64_t c = 0; c < cells; c++) turned[f][c] = (REAL)from[c * line.step[2]];
            for (int64_t c = 0; c < cells; c++) faults |= !(MAGNITUDE(turned[f][c]) <= LARGEST);
        }
        for (int64_t f = slices.slice_count; f < slices.stride; f++)
            for (int64_t c = 0; c < cells; c++) turned[f][c] = 0;
        NAME(turn_in)(cells, slices.stride, turned, to);
        if (past) write_past(block, x, cells * slices.stride * (int64_t)sizeof *x);
    }
    for (int64_t c = 0; c < CELLS; c++) faults |= !(sum[c] == 0);
    return !faults;
}

SINO_VECTORISED static bool NAME(take)(SinoSlices slices, int64_t count, SinoStrided line, REAL *x)
{
    return NAME(take_turned)(slices, count, line, false, x);
}

SINO_VECTORISED static bool NAME(take_turned_past)(SinoSlices slices, int64_t count, SinoStrided line, REAL *x)
{
    return NAME(take_turned)(slices, count, line, true, x);
}

/* The same where the slices of a cell follow each other in the array. */
SINO_VECTORISED static bool NAME(take_cells)(SinoSlices slices, int64_t count, SinoStrided line, REAL *x)
{
    int faults = 0;
    for (int64_t c = 0; c < count; c++, x += slices.stride) {
        const VALUE *from = (const VALUE *)line.first + c * line.step[2];
        for (int64_t f = 0; f < slices.slice_count; f++) {
            x[f] = (REAL)from[f];
            faults |= !(MAGNITUDE(x[f]) <= LARGEST);
        }
        for (int64_t f = slices.slice_count; f < slices.stride; f++) x[f] = 0;
    }
    return !faults;
}

/* The same past the caches; rows of x are aligned to PAST bytes, and have a multiple of them. */
SINO_VECTORISED static bool NAME(take_past)(SinoSlices slices, int64_t count, SinoStrided line, REAL *x)
{
    REAL row[SINO_PANEL_MAX];
    int faults = 0;
    for (int64_t c = 0; c < count; c++, x += slices.stride) {
        const VALUE *from = (const VALUE *)line.first + c * line.step[2];
        for (int64_t f = 0; f < slices.stride; f++) {
            row[f] = (REAL)from[f];
            faults |= !(MAGNITUDE(row[f]) <= LARGEST);
        }
        write_past(row, x, slices.stride * (int64_t)sizeof *x);
    }
    return !faults;
}

/* turned[slice][cell] = x[cell][slice]. */
SINO_INLINE void NAME(turn_out)(int64_t cells, int64_t stride, const REAL *x, REAL turned[SINO_PANEL_MAX][CELLS])
{
    if (cells == CELLS && stride % 4 == 0)
        for (int64_t c = 0; c < CELLS; c += 4)
            for (int64_t f = 0; f < stride; f += 4) TURN_FOUR(&x[c * stride + f], stride, &turned[f][c], CELLS);
    else
        for (int64_t c = 0; c < cells; c++)
            for (int64_t f = 0; f < stride; f++) turned[f][c] = x[c * stride + f];
}

/* line[slice][cell] = x[cell][slice]. */
SINO_VECTORISED static void NAME(give)(SinoSlices slices, int64_t count, SinoStrided line, const REAL *x)
{
    REAL turned[SINO_PANEL_MAX][CELLS];
    for (int64_t begin = 0; begin < count; begin += CELLS, x += CELLS * slices.stride) {
        const int64_t cells = count - begin < CELLS ? count - begin : CELLS;
        NAME(turn_out)(cells, slices.stride, x, turned);
        for (int64_t f = 0; f < slices.slice_count; f++) {
            VALUE *to = (VALUE *)line.first + f * line.step[0] + begin * line.step[2];
            if (line.step[2] == 1 && cells == CELLS)
                for (int64_t c = 0; c < CELLS; c++) to[c] = (VALUE)turned[f][c];
            else
                /* turn_out has set every element. NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign) */
                for (int64_t c = 0; c < cells; c++) to[c * line.step[2]] = (VALUE)turned[f][c];
        }
    }
}

SINO_VECTORISED static void NAME(give_cells)(SinoSlices slices, int64_t count, SinoStrided line, const REAL *x)
{
    for (int64_t c = 0; c < count; c++, x += slices.stride) {
        VALUE *to = (VALUE *)line.first + c * line.step[2];
        for (int64_t f = 0; f < slices.slice_count; f++) to[f] = (VALUE)x[f];
    }
}

/* The same past the caches, where rows of the array are so aligned. */
SINO_VECTORISED static void NAME(give_past)(SinoSlices slices, int64_t count, SinoStrided line, const REAL *x)
{
    VALUE row[SINO_PANEL_MAX];
    const bool same = sizeof(VALUE) == sizeof(REAL);
    const int64_t from_bytes = slices.stride * (int64_t)sizeof *x, bytes = slices.stride * (int64_t)sizeof *row;
    for (int64_t c = 0; c < count; c++, x += slices.stride) {
        fetch((const char *)x + AHEAD_BYTES, from_bytes);
        for (int64_t f = 0; !same && f < slices.stride; f++) row[f] = (VALUE)x[f];
        write_past(same ? (const void *)x : (const void *)row, (VALUE *)line.first + c * line.step[2], bytes);
    }
}
