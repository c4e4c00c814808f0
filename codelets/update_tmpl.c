/* SPDX-License-Identifier: BSD-3-Clause */
/* Update for one type and one panel: REAL is the element, NAME(x) its function names. Included by update_cpu.c.
 * `stride` is the panel's: what is contiguous in a row. */

/* sum[f] = Σ a·b over rows, for every slice. */
SINO_VECTORISED static void NAME(dot)(int64_t count, int64_t stride, const REAL *a, const REAL *b, double *sum)
{
    for (int64_t f = 0; f < stride; f++) sum[f] = 0;
    for (int64_t i = 0; i < count; i++)
        for (int64_t f = 0; f < stride; f++) sum[f] += (double)a[i * stride + f] * (double)b[i * stride + f];
}

/* qq = Σ q·q and rq = Σ r·q over rows. */
SINO_VECTORISED static void NAME(dot_pair)(int64_t count, int64_t stride, const REAL *q, const REAL *r, double *qq,
                                           double *rq)
{
    for (int64_t f = 0; f < stride; f++) qq[f] = rq[f] = 0;
    for (int64_t i = 0; i < count; i++)
        for (int64_t f = 0; f < stride; f++) {
            const double value = (double)q[i * stride + f];
            qq[f] += value * value;
            rq[f] += value * (double)r[i * stride + f];
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

static void NAME(residual_cg)(SinoSlices slices, int64_t ray_count, const REAL *q, REAL *r, SinoSliceState *state,
                              const SinoHistory *history)
{
    double qq[SINO_PANEL_MAX] = {0}, rq[SINO_PANEL_MAX] = {0}, residual[SINO_PANEL_MAX] = {0};
    REAL step[SINO_PANEL_MAX];
    NAME(dot_pair)(ray_count, slices.stride, q, r, qq, rq);
    for (int64_t f = 0; f < slices.slice_count; f++) sino_slice_step(&state[f], qq[f], rq[f]);
    NAME(take)(slices, state, offsetof(SinoSliceState, step), step);
    NAME(step_back)(ray_count, slices.stride, step, q, r, residual);
    record(slices, residual, state, history);
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

static void NAME(residual_sirt)(SinoSlices slices, int64_t ray_count, const REAL *b, const REAL *row_weight, bool first,
                                REAL *w, SinoSliceState *state, const SinoHistory *history)
{
    double residual[SINO_PANEL_MAX] = {0};
    NAME(weigh)(ray_count, slices.stride, b, row_weight, first, w, residual);
    if (!first) record(slices, residual, state, history);
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
