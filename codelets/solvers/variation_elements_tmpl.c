/* SPDX-License-Identifier: BSD-3-Clause */
/* Variation of voxels that follow each other: REAL is the element, NAME(x) the function names. Included by
 * variation_tmpl.c and band_cpu.c. */

/* u = min(max(z + θ·(p − before + q − above), least), most). */
SINO_INLINE void NAME(primal_elements)(int64_t length, REAL least, REAL most, const REAL *restrict theta,
                                       const REAL *restrict z, const REAL *restrict p, const REAL *restrict before,
                                       const REAL *restrict q, const REAL *restrict above, REAL *restrict u)
{
    for (int64_t i = 0; i < length; i++) {
        const REAL value = z[i] + theta[i] * (p[i] - before[i] + q[i] - above[i]);
        const REAL raised = value < least ? least : value;
        u[i] = raised > most ? most : raised;
    }
}

/* p and q, by the differences next − u and below − u. */
SINO_INLINE void NAME(dual_elements)(int64_t length, const REAL *restrict inverse, const REAL *restrict u,
                                     const REAL *restrict next, const REAL *restrict below, REAL *restrict p,
                                     REAL *restrict q)
{
    for (int64_t i = 0; i < length; i++) {
        const REAL across = p[i] + inverse[i] * (next[i] - u[i]), down = q[i] + inverse[i] * (below[i] - u[i]);
        const REAL size = sqrt(across * across + down * down), shorten = 1 / (size < 1 ? 1 : size);
        p[i] = shorten * across;
        q[i] = shorten * down;
    }
}

/* The same in 3-D: p, q and r, by that of the slice after, too. */
SINO_VECTORISED static void NAME(dual_elements_volume)(int64_t length, const REAL *restrict sigma,
                                                       const REAL *restrict u, const REAL *restrict next,
                                                       const REAL *restrict below, const REAL *restrict after,
                                                       REAL *restrict p, REAL *restrict q, REAL *restrict r)
{
    for (int64_t i = 0; i < length; i++) {
        const REAL across = p[i] + sigma[i] * (next[i] - u[i]), down = q[i] + sigma[i] * (below[i] - u[i]);
        const REAL along = r[i] + sigma[i] * (after[i] - u[i]);
        const REAL size = sqrt(across * across + down * down + along * along), shorten = 1 / (size < 1 ? 1 : size);
        p[i] = shorten * across;
        q[i] = shorten * down;
        r[i] = shorten * along;
    }
}

/* before[i] = z[i] + θ·(r[i] − before[i]). */
SINO_VECTORISED static void NAME(add_third)(int64_t length, const REAL *restrict theta, const REAL *restrict z,
                                            const REAL *restrict r, REAL *restrict before)
{
    for (int64_t i = 0; i < length; i++) before[i] = z[i] + theta[i] * (r[i] - before[i]);
}
