/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotate, products of a panel of WIDTH slices: included by rotate_isa.c for each width. */

#define PART    (WIDTH * 4 < SINO_VECTOR_BYTES ? WIDTH : SINO_VECTOR_BYTES / 4)
#define VECTORS (WIDTH / PART)

#if WIDTH == 1
typedef float NAME(Lanes);
#else
typedef float NAME(Lanes) __attribute__((vector_size(PART * 4), aligned(4), may_alias));
#endif

/* The rows of a voxel or ray: WIDTH slices in registers. */
typedef struct NAME(Row) {
    NAME(Lanes) part[VECTORS];
} NAME(Row);

SINO_INLINE NAME(Row) NAME(load)(const float *from)
{
    NAME(Row) row;
    UNROLL for (int i = 0; i < VECTORS; i++) row.part[i] = *(const NAME(Lanes) *)(from + i * PART);
    /* cppcheck-suppress uninitvar; the loop sets every part */
    return row;
}

SINO_INLINE void NAME(store)(float *to, NAME(Row) row)
{
    UNROLL for (int i = 0; i < VECTORS; i++) * (NAME(Lanes) *)(to + i * PART) = row.part[i];
}

/* sum + weight·row */
SINO_INLINE NAME(Row) NAME(add)(NAME(Row) sum, float weight, NAME(Row) row)
{
    UNROLL for (int i = 0; i < VECTORS; i++) sum.part[i] += weight * row.part[i];
    return sum;
}

SINO_INLINE NAME(Row) NAME(scaled)(float weight, NAME(Row) row)
{
    UNROLL for (int i = 0; i < VECTORS; i++) row.part[i] *= weight;
    return row;
}

/* y: the row of the first ray of the samples. */
SINO_INLINE void NAME(project)(int taps, const SinoRotateSamples *samples, const float *tile, float *y)
{
    for (int64_t i = 0; i < samples->ray_count; i++, y += WIDTH) {
        NAME(Row) sum[SINO_ROTATE_TAPS];
        const int32_t first = samples->begin[i], end = samples->begin[i + 1];
        if (first == end) continue;
        UNROLL for (int v = 0; v < taps; v++) sum[v] = (NAME(Row)){0};
        for (int32_t s = first; s < end; s++) {
            const float *at = tile + (int64_t)samples->voxel[s] * WIDTH;
            UNROLL for (int v = 0; v < taps; v++)
            {
                NAME(Row) line = NAME(scaled)(samples->u[0][s], NAME(load)(at + v * SINO_ROTATE_ROW * WIDTH));
                UNROLL for (int u = 1; u < taps; u++) line =
                    NAME(add)(line, samples->u[u][s], NAME(load)(at + (v * SINO_ROTATE_ROW + u) * WIDTH));
                sum[v] = NAME(add)(sum[v], samples->v[v][s], line);
            }
        }
        NAME(Row) all = NAME(load)(y);
        UNROLL for (int v = 0; v < taps; v++) all = NAME(add)(all, 1, sum[v]);
        NAME(store)(y, all);
    }
}

SINO_INLINE void NAME(back)(int taps, const SinoRotateSamples *samples, const float *y, float *tile)
{
    for (int64_t i = 0; i < samples->ray_count; i++, y += WIDTH) {
        const NAME(Row) ray = NAME(load)(y);
        for (int32_t s = samples->begin[i]; s < samples->begin[i + 1]; s++) {
            float *at = tile + (int64_t)samples->voxel[s] * WIDTH;
            UNROLL for (int v = 0; v < taps; v++)
            {
                const NAME(Row) share = NAME(scaled)(samples->v[v][s], ray);
                UNROLL for (int u = 0; u < taps; u++)
                {
                    float *voxel = at + (v * SINO_ROTATE_ROW + u) * WIDTH;
                    NAME(store)(voxel, NAME(add)(NAME(load)(voxel), samples->u[u][s], share));
                }
            }
        }
    }
}

static void NAME(project_by)(int taps, const SinoRotateSamples *samples, const float *tile, float *y)
{
    if (taps == 1)
        NAME(project)(1, samples, tile, y);
    else if (taps == 2)
        NAME(project)(2, samples, tile, y);
    else
        NAME(project)(4, samples, tile, y);
}

static void NAME(back_by)(int taps, const SinoRotateSamples *samples, const float *y, float *tile)
{
    if (taps == 1)
        NAME(back)(1, samples, y, tile);
    else if (taps == 2)
        NAME(back)(2, samples, y, tile);
    else
        NAME(back)(4, samples, y, tile);
}

#undef PART
#undef VECTORS
#undef WIDTH
#undef NAME
