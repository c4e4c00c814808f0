/* SPDX-License-Identifier: BSD-3-Clause */
/* Strided for one type of vector and one of array: REAL is the vector's element, VALUE the array's, NAME(x) the
 * function names. Included by strided_cpu.c. */

/* x[cell][slice] = turned[slice][cell]; a loop of its own for whole lines, for registers. */
SINO_INLINE void NAME(turn_in)(int64_t cells, int64_t stride, REAL turned[SINO_PANEL_MAX][CELLS], REAL *x)
{
    for (int64_t f = 0; f < stride; f += 4)
        for (int64_t c = 0; c < cells; c++)
            /* The caller has set every element. NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign) */
            for (int64_t g = f; g < stride && g < f + 4; g++) x[c * stride + g] = turned[g][c];
}

/* x[cell][slice] = line[slice][cell]; `past`: rows of x are aligned to PAST bytes, and have a multiple of them. */
SINO_INLINE bool NAME(take_turned)(SinoSlices slices, int64_t count, SinoStrided line, bool past, REAL *x)
{
    REAL block[CELLS * SINO_PANEL_MAX];
    REAL turned[SINO_PANEL_MAX][CELLS];
    int faults = 0;
    for (int64_t begin = 0; begin < count; begin += CELLS, x += CELLS * slices.stride) {
        const int64_t cells = count - begin < CELLS ? count - begin : CELLS;
        REAL *const to = past ? block : x;
        for (int64_t f = 0; f < slices.slice_count; f++) {
            const VALUE *from = (const VALUE *)line.first + f * line.step[0] + begin * line.step[2];
            if (line.step[2] == 1 && cells == CELLS)
                for (int64_t c = 0; c < CELLS; c++) turned[f][c] = (REAL)from[c];
            else
                for (int64_t c = 0; c < cells; c++) turned[f][c] = (REAL)from[c * line.step[2]];
            for (int64_t c = 0; c < cells; c++) faults |= !(MAGNITUDE(turned[f][c]) <= LARGEST);
        }
        for (int64_t f = slices.slice_count; f < slices.stride; f++)
            for (int64_t c = 0; c < cells; c++) turned[f][c] = 0;
        if (cells == CELLS)
            NAME(turn_in)(CELLS, slices.stride, turned, to);
        else
            NAME(turn_in)(cells, slices.stride, turned, to);
        if (past) write_past(block, x, cells * slices.stride * (int64_t)sizeof *x);
    }
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

/* line[slice][cell] = x[cell][slice]. */
SINO_VECTORISED static void NAME(give)(SinoSlices slices, int64_t count, SinoStrided line, const REAL *x)
{
    VALUE turned[SINO_PANEL_MAX][CELLS];
    for (int64_t begin = 0; begin < count; begin += CELLS, x += CELLS * slices.stride) {
        const int64_t cells = count - begin < CELLS ? count - begin : CELLS;
        for (int64_t c = 0; c < cells; c++)
            for (int64_t f = 0; f < slices.stride; f++) turned[f][c] = (VALUE)x[c * slices.stride + f];
        for (int64_t f = 0; f < slices.slice_count; f++) {
            VALUE *to = (VALUE *)line.first + f * line.step[0] + begin * line.step[2];
            if (line.step[2] == 1)
                /* The loops above have set every element. NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign) */
                for (int64_t c = 0; c < cells; c++) to[c] = turned[f][c];
            else
                /* The loops above have set every element. NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign) */
                for (int64_t c = 0; c < cells; c++) to[c * line.step[2]] = turned[f][c];
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
