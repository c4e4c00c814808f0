/* SPDX-License-Identifier: BSD-3-Clause */
/* Update: the vector work of the solvers between two SpMMs (codelets/solvers/update.h). update_slice.h and update_formulas.h,
 * the formulas that cores and GPUs compile too, come before this file. */

typedef struct History {
    long columns, numbers, iteration;
    double tolerance, likelihood_tolerance;
} History;

/* The vectors of a formula, in the order of its row in the list of formulas. Pointers beyond the formula's vectors are
 * NULL. */
typedef struct Vectors {
    __global REAL *a, *b, *c, *d;
} Vectors;

static REAL load(int vector, int first, __global const REAL *from, long row, size_t at)
{
    if (!(vector & (first ? SINO_LOADED_FIRST : SINO_LOADED))) return 0;
    return vector & SINO_EACH_ROW ? from[row] : from[at];
}

static void store(int vector, int first, __global REAL *to, size_t at, REAL value)
{
    if (vector & (first ? SINO_STORED_FIRST : SINO_STORED)) to[at] = value;
}

/* Applies a formula to one element. After inlining, the formula and its vectors a to d are constants. */
static void apply(int formula, int a, int b, int c, int d, const SinoElement *element, Vectors on, long row, size_t at,
                  double *sum)
{
    const int first = element->first;
    REAL v[SINO_UPDATE_VECTORS];
    v[0] = load(a, first, on.a, row, at);
    v[1] = load(b, first, on.b, row, at);
    v[2] = load(c, first, on.c, row, at);
    v[3] = load(d, first, on.d, row, at);
    sino_formula_apply(formula, element, v, sum);
    store(a, first, on.a, at, v[0]);
    store(b, first, on.b, at, v[1]);
    store(c, first, on.c, at, v[2]);
    store(d, first, on.d, at, v[3]);
}

static SinoElement element_of(int real, int first, double argument0, double argument1, double argument2,
                              __global const SinoSliceState *state)
{
    SinoElement element;
    for (int i = 0; i < SINO_SLICE_SCALARS; i++) element.scalar[i] = real ? (REAL)state->scalar[i] : 0;
    element.argument[0] = (REAL)argument0;
    element.argument[1] = (REAL)argument1;
    element.argument[2] = (REAL)argument2;
    element.going = real && !state->stopped ? 1 : 0;
    element.first = first;
    return element;
}

/* A formula with sums has one work item per slice, which adds row after row. A slice's sums therefore do not depend on
 * the other slices of its minibatch. A formula without sums has one work item per element. */
static void sweep(int formula, int a, int b, int c, int d, int sums, int reads_state, Slices slices, long rows,
                  int first, int add, double argument0, double argument1, double argument2, Vectors on,
                  __global const SinoSliceState *state, __global SinoSliceSums *total)
{
    const int f = get_global_id(0);
    const long i = get_global_id(1);
    if (f >= slices.stride || i >= (sums > 0 ? 1 : rows)) return;
    const Column column = column_of(slices, rows, f);
    const int real = f < slices.slice_count; /* false for padding */
    const SinoElement element = element_of(reads_state && real, first, argument0, argument1, argument2, state + f);
    SinoSliceSums part = {{0, 0}};
    if (sums == 0) {
        apply(formula, a, b, c, d, &element, on, i, in_column(column, i), part.sum);
        return;
    }
    for (long row = 0; row < rows; row++)
        apply(formula, a, b, c, d, &element, on, row, in_column(column, row), part.sum);
    if (real) total[f] = sino_slice_add(total[f], part, !add);
}

/* Defines formula_NAME, one kernel for each formula. */
#define ROW(name, NAME, task, a, b, c, d, sums, state_read)                                                            \
    __kernel void formula_##name(Slices slices, long rows, int first, int add, double argument0, double argument1,     \
                                 double argument2, __global REAL *of_a, __global REAL *of_b, __global REAL *of_c, __global REAL *of_d,   \
                                 __global const SinoSliceState *state, __global SinoSliceSums *total)                  \
    {                                                                                                                  \
        const Vectors on = {of_a, of_b, of_c, of_d};                                                                   \
        sweep(SINO_UPDATE_##NAME, a, b, c, d, sums, state_read, slices, rows, first, add, argument0, argument1,        \
              argument2, on, state, total);                                                                                           \
    }
SINO_UPDATE_FORMULAS(ROW)
#undef ROW

__kernel void update_slices(Slices slices, int rule, int first, double argument, __global const SinoSliceSums *sums,
                            __global SinoSliceState *state)
{
    const int f = get_global_id(0);
    if (f >= slices.slice_count || get_global_id(1) > 0) return;
    SinoSliceState own = state[f];
    const SinoSliceSums own_sums = sums[f];
    sino_rule_apply(rule, &own, &own_sums, argument, first);
    state[f] = own;
}

__kernel void update_collect(Slices slices, int first, __global const SinoSliceSums *part,
                             __global SinoSliceSums *total)
{
    const int f = get_global_id(0);
    if (f < slices.slice_count && get_global_id(1) == 0) total[f] = sino_slice_add(total[f], part[f], first);
}

__kernel void update_start(Slices slices, History history, __global const SinoSliceSums *sums,
                           __global SinoSliceState *state, __global double *residual)
{
    const int f = get_global_id(0);
    if (f >= slices.slice_count || get_global_id(1) > 0) return;
    const double square = sums[f].sum[SINO_SUM_SQUARE];
    state[f] = sino_slice_start(square, history.tolerance);
    residual[f * history.numbers + history.iteration] = square;
    for (long i = history.iteration + 1; i < history.numbers; i++) residual[f * history.numbers + i] = NAN;
}

/* A single work item runs this kernel, because it counts the slices that have not stopped. */
__kernel void update_record(Slices slices, History history, __global const SinoSliceSums *sums,
                            __global SinoSliceState *state, __global double *residual, __global long *active)
{
    if (get_global_id(0) > 0 || get_global_id(1) > 0) return;
    long count = 0;
    for (int f = 0; f < slices.slice_count; f++) {
        SinoSliceState own = state[f];
        __global double *to = residual + f * history.numbers + history.iteration;
        const SinoSliceSums of = sums[f];
        const bool stopped = own.stopped;
        *to = sino_slice_record(&own, of.sum[SINO_SUM_SQUARE], history.tolerance);
        if (history.numbers > history.columns)
            to[history.columns] =
                sino_slice_record_likelihood(&own, of.sum[SINO_SUM_LIKELIHOOD], history.likelihood_tolerance, stopped);
        state[f] = own;
        count += !own.stopped;
    }
    *active = count;
}
