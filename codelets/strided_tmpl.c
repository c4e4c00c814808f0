/* SPDX-License-Identifier: BSD-3-Clause */
/* Strided for one type of vector and one of array: REAL is the vector's element, VALUE the array's, NAME(x) the
 * function names. Included by strided_cpu.c. */

/* x[cell][slice] = line[slice][cell]. */
SINO_VECTORISED static bool NAME(take)(SinoSlices slices, int64_t count, SinoStrided line, REAL *x)
{
    REAL turned[SINO_PANEL_MAX][CELLS];
    int faults = 0;
    for (int64_t begin = 0; begin < count; begin += CELLS, x += CELLS * slices.stride) {
        const int64_t cells = count - begin < CELLS ? count - begin : CELLS;
        for (int64_t f = 0; f < slices.slice_count; f++) {
            const VALUE *from = (const VALUE *)line.first + f * line.step[0] + begin * line.step[2];
            if (line.step[2] == 1) /* a loop of its own, for registers */
                for (int64_t c = 0; c < cells; c++) turned[f][c] = (REAL)from[c];
            else
                for (int64_t c = 0; c < cells; c++) turned[f][c] = (REAL)from[c * line.step[2]];
            for (int64_t c = 0; c < cells; c++) faults |= !(fabs((double)turned[f][c]) <= LARGEST);
        }
        for (int64_t f = slices.slice_count; f < slices.stride; f++)
            for (int64_t c = 0; c < cells; c++) turned[f][c] = 0;
        for (int64_t c = 0; c < cells; c++)
            for (int64_t f = 0; f < slices.stride; f++) x[c * slices.stride + f] = turned[f][c];
    }
    return !faults;
}

/* The same where the slices of a cell follow each other in the array. */
SINO_VECTORISED static bool NAME(take_cells)(SinoSlices slices, int64_t count, SinoStrided line, REAL *x)
{
    int faults = 0;
    for (int64_t c = 0; c < count; c++, x += slices.stride) {
        const VALUE *from = (const VALUE *)line.first + c * line.step[2];
        for (int64_t f = 0; f < slices.slice_count; f++) {
            x[f] = (REAL)from[f];
            faults |= !(fabs((double)x[f]) <= LARGEST);
        }
        for (int64_t f = slices.slice_count; f < slices.stride; f++) x[f] = 0;
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
                for (int64_t c = 0; c < cells; c++) to[c] = turned[f][c];
            else
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
