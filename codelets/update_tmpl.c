/* SPDX-License-Identifier: BSD-3-Clause */
/* Update for one type and one panel: REAL is the element, NAME(x) its function names. Included by update_cpu.c.
 * `stride` is the panel's: what is contiguous in a row. */

/* sum[f] = Σ v·v over rows, for every slice. */
SINO_VECTORISED static void NAME(square)(int64_t count, int64_t stride, const REAL *v, double *sum)
{
    for (int64_t f = 0; f < stride; f++) sum[f] = 0;
    for (int64_t i = 0; i < count; i++)
        for (int64_t f = 0; f < stride; f++) sum[f] += (double)v[i * stride + f] * (double)v[i * stride + f];
}

/* square = Σ v·v and along = Σ v·w over rows. */
SINO_VECTORISED static void NAME(square_along)(int64_t count, int64_t stride, const REAL *v, const REAL *w,
                                               double *square, double *along)
{
    for (int64_t f = 0; f < stride; f++) square[f] = along[f] = 0;
    for (int64_t i = 0; i < count; i++)
        for (int64_t f = 0; f < stride; f++) {
            const double value = (double)v[i * stride + f];
            square[f] += value * value;
            along[f] += value * (double)w[i * stride + f];
        }
}

/* r −= step·q; sum[f] = Σ r·r of the result. */
SINO_VECTORISED static void NAME(step_back)(int64_t count, int64_t stride, const REAL *step, const REAL *q, REAL *r,
                                            double *sum)
{
    for (int64_t f = 0; f < stride; f++) sum[f] = 0;
    for (int64_t i = 0; i < count; i++)
        for (int64_t f = 0; f < stride; f++) {
            const REAL value = r[i * stride + f] - step[f] * q[i * stride + f];
            r[i * stride + f] = value;
            sum[f] += (double)value * (double)value;
        }
}

SINO_VECTORISED static void NAME(advance)(int64_t count, int64_t stride, const REAL *step, const REAL *beta,
                                          const REAL *overlap, const REAL *g, const REAL *g0, REAL *d, REAL *x)
{
    for (int64_t i = 0; i < count; i++)
        for (int64_t f = 0; f < stride; f++) {
            const int64_t at = i * stride + f;
            x[at] += step[f] * d[at];
            d[at] = g[at] - overlap[f] * g0[at] + beta[f] * d[at];
        }
}

/* w = R (b − w), and sum[f] = Σ (b − w)². */
SINO_VECTORISED static void NAME(weigh)(int64_t count, int64_t stride, const REAL *b, const REAL *row_weight,
                                        bool first, REAL *w, double *sum)
{
    for (int64_t f = 0; f < stride; f++) sum[f] = 0;
    for (int64_t i = 0; i < count; i++)
        for (int64_t f = 0; f < stride; f++) {
            const int64_t at = i * stride + f;
            const REAL r = first ? b[at] : b[at] - w[at];
            sum[f] += (double)r * (double)r;
            w[at] = row_weight[i] * r;
        }
}

/* x = max(least, x + step·C g). */
SINO_VECTORISED static void NAME(relax)(int64_t count, int64_t stride, const REAL *step, const REAL *g,
                                        const REAL *column_weight, REAL least, bool first, REAL *x)
{
    for (int64_t i = 0; i < count; i++) {
        for (int64_t f = 0; f < stride; f++) {
            const int64_t at = i * stride + f;
            const REAL value = (first ? 0 : x[at]) + step[f] * column_weight[i] * g[at];
            x[at] = value < least ? least : value;
        }
    }
}

/* One member of the states as REAL, 0 for padding. */
static void NAME(take)(SinoSlices slices, const SinoSliceState *state, size_t member_offset, REAL *value)
{
    for (int64_t f = 0; f < slices.stride; f++) {
        double number = 0;
        if (f < slices.slice_count) memcpy(&number, (const char *)&state[f] + member_offset, sizeof number);
        value[f] = (REAL)number;
    }
}

static void NAME(residual_cg)(SinoSlices slices, int64_t ray_count, const REAL *q, const SinoSliceState *state, REAL *r,
                              double *residual)
{
    REAL step[SINO_PANEL_MAX];
    NAME(take)(slices, state, offsetof(SinoSliceState, step), step);
    NAME(step_back)(ray_count, slices.stride, step, q, r, residual);
}

static void NAME(voxels_cg)(SinoSlices slices, int64_t voxel_count, const REAL *g, const SinoSliceState *state,
                            bool first, REAL *g0, REAL *d, REAL *x)
{
    REAL step[SINO_PANEL_MAX], beta[SINO_PANEL_MAX], overlap[SINO_PANEL_MAX];
    const size_t bytes = (size_t)(voxel_count * slices.stride) * sizeof(REAL);
    if (first) {
        memset(x, 0, bytes);
        memcpy(d, g, bytes);
        memcpy(g0, g, bytes);
        return;
    }
    NAME(take)(slices, state, offsetof(SinoSliceState, step), step);
    NAME(take)(slices, state, offsetof(SinoSliceState, beta), beta);
    NAME(take)(slices, state, offsetof(SinoSliceState, overlap), overlap);
    NAME(advance)(voxel_count, slices.stride, step, beta, overlap, g, g0, d, x);
}

static void NAME(voxels_sirt)(SinoSlices slices, int64_t voxel_count, const REAL *g, const REAL *column_weight,
                              const SinoSliceState *state, double relaxation, bool nonnegativity, bool first, REAL *x)
{
    REAL step[SINO_PANEL_MAX] = {0};
    for (int64_t f = 0; f < slices.slice_count; f++) step[f] = state[f].stopped ? 0 : (REAL)relaxation;
    const REAL least = nonnegativity ? 0 : (REAL)-INFINITY;
    NAME(relax)(voxel_count, slices.stride, step, g, column_weight, least, first, x);
}

static void NAME(reciprocal)(int64_t count, REAL *value)
{
    for (int64_t i = 0; i < count; i++) value[i] = value[i] > (REAL)1e-6 ? 1 / value[i] : 0;
}

static void NAME(fill_one)(int64_t count, REAL *value)
{
    for (int64_t i = 0; i < count; i++) value[i] = 1;
}
