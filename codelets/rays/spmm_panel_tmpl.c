/* SPDX-License-Identifier: BSD-3-Clause */
/* SpMM over a panel of PANEL_VECTORS vectors of PANEL_LANES slices; PANEL is the panel's name. Included by spmm_tmpl.c.
 *
 * Projecting: a ray is a sum over the union's voxels. With one vector per row, a second set of sums takes every other
 * voxel and hides the latency of an addition. Backprojecting: every ray adds to each voxel of the union. */

typedef REAL PANEL_NAME(Vector)
    __attribute__((vector_size(PANEL_LANES * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));

enum { PANEL_NAME(WIDTH) = PANEL_LANES * PANEL_VECTORS };

/* The row of a voxel. */
SINO_INLINE PANEL_NAME(Vector) * PANEL_NAME(x_row)(REAL *tile, int voxel)
{
    return (PANEL_NAME(Vector) *)(tile + (int64_t)voxel * PANEL_NAME(WIDTH));
}

/* Vector v of a row of y. */
SINO_INLINE char *PANEL_NAME(y_vector)(char *row, int v, bool y_half)
{
    return row + (size_t)(v * PANEL_LANES) * (y_half ? sizeof(SinoHalf) : sizeof(REAL));
}

SINO_INLINE PANEL_NAME(Vector) PANEL_NAME(load)(const char *y, const REAL *unit, bool y_half)
{
    if (!y_half) return *(const PANEL_NAME(Vector) *)(const void *)y;
    PANEL_NAME(Vector) value;
    expand_lanes(PANEL_LANES, (const SinoHalf *)(const void *)y, &value);
    if (unit) value *= *(const PANEL_NAME(Vector) *)unit;
    return value;
}

SINO_INLINE void PANEL_NAME(add)(char *y, PANEL_NAME(Vector) sum, bool y_half)
{
    const PANEL_NAME(Vector) value = PANEL_NAME(load)(y, NULL, y_half) + sum;
    if (y_half)
        narrow_lanes(PANEL_LANES, &value, (SinoHalf *)(void *)y);
    else
        *(PANEL_NAME(Vector) *)(void *)y = value;
}

SINO_INLINE void PANEL_NAME(project)(const NAME(Visit) * visit, bool y_half)
{
    enum { SETS = PANEL_VECTORS == 1 ? 2 : 1 };
    const uint8_t *voxel = visit->voxel;
    const REAL *length = visit->length;
    REAL *const x = visit->x;
    const int64_t row_bytes = PANEL_NAME(WIDTH) * (int64_t)(y_half ? sizeof(SinoHalf) : sizeof(REAL));
    for (int64_t g = 0; g < visit->group_count; g++) {
        char *row[SINO_GROUP_RAYS];
        const uint8_t *const end = voxel + visit->count[g];
        PANEL_NAME(Vector) sum[SETS][SINO_GROUP_RAYS][PANEL_VECTORS];
        NAME(prefetch)(visit, g, row_bytes);
        NAME(find_rows)(visit, g, row_bytes, row);
        UNROLL for (int s = 0; s < SETS; s++) UNROLL for (int r = 0; r < SINO_GROUP_RAYS; r++)
            UNROLL for (int v = 0; v < PANEL_VECTORS; v++) sum[s][r][v] = (PANEL_NAME(Vector)){0};
        do {
            UNROLL for (int i = 0; i < 2; i++)
            {
                const PANEL_NAME(Vector) *from = PANEL_NAME(x_row)(x, voxel[i]);
                UNROLL for (int r = 0; r < SINO_GROUP_RAYS; r++) UNROLL for (int v = 0; v < PANEL_VECTORS; v++)
                    sum[i % SETS][r][v] += from[v] * length[i * SINO_GROUP_RAYS + r];
            }
            voxel += 2;
            length += 2 * SINO_GROUP_RAYS;
        } while (voxel < end);
        UNROLL for (int r = 0; r < SINO_GROUP_RAYS; r++) UNROLL for (int v = 0; v < PANEL_VECTORS; v++)
        {
            if (SETS == 2) sum[0][r][v] += sum[SETS - 1][r][v];
            PANEL_NAME(add)(PANEL_NAME(y_vector)(row[r], v, y_half), sum[0][r][v], y_half);
        }
    }
}

SINO_INLINE void PANEL_NAME(backproject)(const NAME(Visit) * visit, bool y_half)
{
    const uint8_t *voxel = visit->voxel;
    const REAL *length = visit->length;
    REAL *const x = visit->x; /* read once: the compiler must assume that stores to x change *visit */
    const int64_t row_bytes = PANEL_NAME(WIDTH) * (int64_t)(y_half ? sizeof(SinoHalf) : sizeof(REAL));
    for (int64_t g = 0; g < visit->group_count; g++) {
        char *row[SINO_GROUP_RAYS];
        const uint8_t *const end = voxel + visit->count[g];
        PANEL_NAME(Vector) value[SINO_GROUP_RAYS][PANEL_VECTORS];
        NAME(prefetch)(visit, g, row_bytes);
        NAME(find_rows)(visit, g, row_bytes, row);
        UNROLL for (int r = 0; r < SINO_GROUP_RAYS; r++) UNROLL for (int v = 0; v < PANEL_VECTORS; v++)
        {
            const char *const y = PANEL_NAME(y_vector)(row[r], v, y_half);
            value[r][v] = PANEL_NAME(load)(y, y_half ? visit->unit + v * PANEL_LANES : NULL, y_half);
        }
        do {
            UNROLL for (int i = 0; i < 2; i++)
            {
                PANEL_NAME(Vector) *to = PANEL_NAME(x_row)(x, voxel[i]);
                PANEL_NAME(Vector) sum[PANEL_VECTORS];
                UNROLL for (int v = 0; v < PANEL_VECTORS; v++) sum[v] = to[v];
                UNROLL for (int r = 0; r < SINO_GROUP_RAYS; r++) UNROLL for (int v = 0; v < PANEL_VECTORS; v++)
                    sum[v] += value[r][v] * length[i * SINO_GROUP_RAYS + r];
                UNROLL for (int v = 0; v < PANEL_VECTORS; v++) to[v] = sum[v];
            }
            voxel += 2;
            length += 2 * SINO_GROUP_RAYS;
        } while (voxel < end);
    }
}

#undef PANEL
#undef PANEL_LANES
#undef PANEL_VECTORS
