/* SPDX-License-Identifier: BSD-3-Clause */
/* Prior of voxels that follow each other: REAL is the element, NAME(x) the function names. Included by prior_tmpl.c and
 * band_cpu.c. */

/* t^(q − p) = t^0.8 for t ≥ 0, as t·t^(−1/5): the exponent of a float, divided by −5, is within 4 % of t^(−1/5), and
 * Newton's steps of y^(−5) = t do the rest. They vectorise, unlike pow, and as selections would not. */
SINO_INLINE REAL NAME(power)(REAL t)
{
    const REAL positive = t + (REAL)1e-30;
    const float single = (float)positive;
    int32_t bits;
    float guess;
    memcpy(&bits, &single, sizeof bits);
    bits = 1277960192 - (int32_t)(0.2F * (float)bits);
    memcpy(&guess, &bits, sizeof guess);
    const int steps = sizeof(REAL) == sizeof(float) ? 3 : 5;
    REAL root = (REAL)guess;
    for (int i = 0; i < steps; i++) {
        const REAL square = root * root;
        root += root * (1 - positive * square * square * root) / 5;
    }
    return t * root;
}

SINO_INLINE REAL NAME(huber)(REAL t)
{
    const REAL size = fabs(t), least = size < 1 ? 1 : size;
    return t / least;
}

SINO_INLINE REAL NAME(qggmrf)(REAL t)
{
    const REAL v = NAME(power)(fabs(t)), share = 1 / (1 + v);
    return t * (1 + (REAL)SINO_PRIOR_QGGMRF_P / 2 * v) * share * share;
}

/* sum += weight·φ′((u − other)/δ). */
SINO_VECTORISED static void NAME(huber_pairs)(int64_t length, REAL weight, REAL inverse, const REAL *restrict u,
                                              const REAL *restrict other, REAL *restrict sum)
{
    for (int64_t i = 0; i < length; i++) sum[i] += weight * NAME(huber)(inverse * (u[i] - other[i]));
}

SINO_VECTORISED static void NAME(qggmrf_pairs)(int64_t length, REAL weight, REAL inverse, const REAL *restrict u,
                                               const REAL *restrict other, REAL *restrict sum)
{
    for (int64_t i = 0; i < length; i++) sum[i] += weight * NAME(qggmrf)(inverse * (u[i] - other[i]));
}

SINO_VECTORISED static void NAME(subtract)(int64_t length, const REAL *restrict theta, const REAL *restrict sum,
                                           REAL *restrict z)
{
    for (int64_t i = 0; i < length; i++) z[i] -= theta[i] * sum[i];
}

/* sum += weight·φ′((u − with)/δ). */
static void NAME(add_elements)(const SinoSmoothPrior *prior, int64_t length, double weight, const REAL *u,
                               const REAL *with, REAL *sum)
{
    const REAL inverse = (REAL)(1 / prior->threshold);
    if (prior->function == SINO_PRIOR_HUBER)
        NAME(huber_pairs)(length, (REAL)weight, inverse, u, with, sum);
    else
        NAME(qggmrf_pairs)(length, (REAL)weight, inverse, u, with, sum);
}
