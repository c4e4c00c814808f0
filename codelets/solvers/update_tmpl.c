/* SPDX-License-Identifier: BSD-3-Clause */
/* Update of one panel on a CPU core: REAL is the element, UPDATE_PANEL the function's name. Included by update_single.c
 * and update_double.c. */
#include "update_private.h"

#include "vector.h"

/* Values of the panel's slices that formulas read, as one array over slices per value. */
typedef struct Slices {
    REAL scalar[SINO_SLICE_SCALARS][SINO_PANEL_MAX];
    REAL going[SINO_PANEL_MAX];
} Slices;

static void read_slices(const SinoUpdatePanel *panel, Slices *slices)
{
    for (int64_t f = 0; f < panel->stride; f++) {
        const bool real = panel->state && f < panel->slice_count; /* false for padding */
        slices->going[f] = real && !panel->state[f].stopped;
        for (int i = 0; i < SINO_SLICE_SCALARS; i++) slices->scalar[i][f] = real ? (REAL)panel->state[f].scalar[i] : 0;
    }
}

SINO_INLINE bool is_loaded(int vector, bool first)
{
    return vector & (first ? SINO_LOADED_FIRST : SINO_LOADED);
}

SINO_INLINE bool is_stored(int vector, bool first)
{
    return vector & (first ? SINO_STORED_FIRST : SINO_STORED);
}

/* Loads an element that the formula reads; 0 if the formula does not read the vector. */
SINO_INLINE REAL load(int vector, bool first, const REAL *from, int64_t row, int64_t at)
{
    return !is_loaded(vector, first) ? 0 : vector & SINO_EACH_ROW ? from[row] : from[at];
}

SINO_INLINE SinoElement element_of(const SinoUpdate *update, const Slices *slices, bool first, int64_t f)
{
    SinoElement element = {.going = slices->going[f], .first = first};
    for (int i = 0; i < SINO_SLICE_SCALARS; i++) element.scalar[i] = slices->scalar[i][f];
    for (int i = 0; i < SINO_UPDATE_ARGUMENTS; i++) element.argument[i] = (REAL)update->argument[i];
    return element;
}

/* The vectors and sums of one sweep over a panel. These arrays do not overlap. */
typedef struct Operands {
    REAL *restrict a, *restrict b, *restrict c, *restrict d;
    double *restrict sum0, *restrict sum1;
} Operands;

/* Applies the formula to one element. After inlining, the formula, its vectors a to d, its number of sums and `first`
 * are constants. */
SINO_INLINE void apply(const SinoUpdate *update, const Slices *slices, const Operands *on, SinoUpdateFormula formula,
                       int a, int b, int c, int d, int sums, bool first, int64_t row, int64_t f, int64_t at)
{
    const SinoElement element = element_of(update, slices, first, f);
    REAL v[SINO_UPDATE_VECTORS] = {load(a, first, on->a, row, at), load(b, first, on->b, row, at),
                                   load(c, first, on->c, row, at), load(d, first, on->d, row, at)};
    double sum[SINO_SLICE_SUMS] = {sums > 0 ? on->sum0[f] : 0, sums > 1 ? on->sum1[f] : 0};
    sino_formula_apply((int)formula, &element, v, sum);
    if (is_stored(a, first)) on->a[at] = v[0];
    if (is_stored(b, first)) on->b[at] = v[1];
    if (is_stored(c, first)) on->c[at] = v[2];
    if (is_stored(d, first)) on->d[at] = v[3];
    if (sums > 0) on->sum0[f] = sum[0];
    if (sums > 1) on->sum1[f] = sum[1];
}

/* Sweeps over all rows of a panel. The compiler vectorises over slices or, if the stride is the constant 1, over rows.
 * Sums must not be vectorised over rows: their products would be rounded before they are added, and a slice's sum would
 * depend on whether the slice is alone in its panel. No compiler vectorises a loop with assembly. */
SINO_INLINE void rows_of(const SinoUpdate *update, const Slices *slices, const Operands *on, SinoUpdateFormula formula,
                         int a, int b, int c, int d, int sums, bool first, int64_t stride)
{
    for (int64_t row = 0; row < update->rows; row++) {
        if (sums > 0) __asm__ volatile("");
        for (int64_t f = 0; f < stride; f++)
            apply(update, slices, on, formula, a, b, c, d, sums, first, row, f, row * stride + f);
    }
}

SINO_INLINE void sweep(const SinoUpdatePanel *panel, const Slices *slices, Operands on, SinoUpdateFormula formula,
                       int a, int b, int c, int d, int sums, bool first)
{
    const SinoUpdate update = *panel->update;
    if (panel->stride == 1)
        rows_of(&update, slices, &on, formula, a, b, c, d, sums, first, 1);
    else
        rows_of(&update, slices, &on, formula, a, b, c, d, sums, first, panel->stride);
}

/* Whether the first call of a formula accesses these vectors otherwise than later calls do. A formula that reads
 * `first` has such a vector; each other one is compiled once. */
SINO_INLINE bool is_first_special(int a, int b, int c, int d)
{
    const int loaded = SINO_LOADED | SINO_STORED, each = a | b << 8 | c << 16 | d << 24;
    const int all = loaded | loaded << 8 | loaded << 16 | loaded << 24;
    return (each & all) != (each >> 2 & all);
}

/* A function for each formula: compilers take far longer over one that has all of them. */
#define ROW(name, NAME, task, a, b, c, d, sums, state)                                                                 \
    SINO_VECTORISED static void sweep_##name(const SinoUpdatePanel *restrict panel, const Slices *restrict slices,     \
                                             REAL *restrict of_a, REAL *restrict of_b, REAL *restrict of_c,            \
                                             REAL *restrict of_d, double *restrict sum0, double *restrict sum1)        \
    {                                                                                                                  \
        const Operands on = {of_a, of_b, of_c, of_d, sum0, sum1};                                                      \
        if (panel->update->first && is_first_special(a, b, c, d))                                                      \
            sweep(panel, slices, on, SINO_UPDATE_##NAME, a, b, c, d, sums, true);                                      \
        else                                                                                                           \
            sweep(panel, slices, on, SINO_UPDATE_##NAME, a, b, c, d, sums, false);                                     \
    }
SINO_UPDATE_FORMULAS(ROW)
#undef ROW

static void sweep_panel(const SinoUpdatePanel *panel, const Slices *slices, double *sum0, double *sum1)
{
    switch (panel->update->formula) {
#define ROW(name, NAME, task, a, b, c, d, sums, state)                                                                 \
    case SINO_UPDATE_##NAME:                                                                                           \
        sweep_##name(panel, slices, panel->vector[0], panel->vector[1], panel->vector[2], panel->vector[3], sum0,      \
                     sum1);                                                                                            \
        break;
        SINO_UPDATE_FORMULAS(ROW)
#undef ROW
    default:
        break;
    }
}

void UPDATE_PANEL(const SinoUpdatePanel *panel, double *sum0, double *sum1)
{
    Slices slices;
    read_slices(panel, &slices);
    sweep_panel(panel, &slices, sum0, sum1);
}
