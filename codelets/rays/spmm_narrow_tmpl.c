/* SPDX-License-Identifier: BSD-3-Clause */
/* SpMM over a panel of PANEL_WIDTH slices, one or two. They are too few for a vector register, so the group's rays are
 * its lanes. PANEL is the panel's name. Included by spmm_tmpl.c. */

SINO_INLINE void PANEL_NAME(project)(const NAME(Visit) * visit, bool y_half)
{
    const uint8_t *voxel = visit->voxel;
    const NAME(RayVector) *length = (const NAME(RayVector) *)visit->length;
    const REAL *const x = visit->x;
    for (int64_t g = 0; g < visit->group_count; g++) {
        const uint32_t *ray = visit->ray + g * SINO_GROUP_RAYS;
        const uint8_t *const end = voxel + visit->count[g];
        NAME(RayVector) sum[2][PANEL_WIDTH];
        NAME(prefetch)(visit, g, PANEL_WIDTH * (int64_t)(y_half ? sizeof(SinoHalf) : sizeof(REAL)));
        UNROLL for (int f = 0; f < PANEL_WIDTH; f++) sum[0][f] = sum[1][f] = (NAME(RayVector)){0};
        for (; voxel < end; voxel += 2, length += 2)
            UNROLL for (int i = 0; i < 2; i++) UNROLL for (int f = 0; f < PANEL_WIDTH; f++) sum[i][f] +=
                length[i] * x[(int64_t)voxel[i] * PANEL_WIDTH + f];
        UNROLL for (int f = 0; f < PANEL_WIDTH; f++) UNROLL for (int r = 0; r < SINO_GROUP_RAYS; r++)
        {
            const int64_t at = ray[r] * (int64_t)PANEL_WIDTH + f;
            const REAL value = NAME(load_one)(visit->y, at, NULL, y_half) + (sum[0][f][r] + sum[1][f][r]);
            if (y_half)
                ((SinoHalf *)visit->y)[at] = sino_half((float)value);
            else
                ((REAL *)visit->y)[at] = value;
        }
    }
}

SINO_INLINE void PANEL_NAME(backproject)(const NAME(Visit) * visit, bool y_half)
{
    const uint8_t *voxel = visit->voxel;
    const NAME(RayVector) *length = (const NAME(RayVector) *)visit->length;
    REAL *const x = visit->x;
    for (int64_t g = 0; g < visit->group_count; g++) {
        const uint32_t *ray = visit->ray + g * SINO_GROUP_RAYS;
        const uint8_t *const end = voxel + visit->count[g];
        NAME(RayVector) row[PANEL_WIDTH];
        NAME(prefetch)(visit, g, PANEL_WIDTH * (int64_t)(y_half ? sizeof(SinoHalf) : sizeof(REAL)));
        REAL value[PANEL_WIDTH][SINO_GROUP_RAYS];
        UNROLL for (int f = 0; f < PANEL_WIDTH; f++) UNROLL for (int r = 0; r < SINO_GROUP_RAYS; r++) value[f][r] =
            NAME(load_one)(visit->y, ray[r] * (int64_t)PANEL_WIDTH + f, y_half ? visit->unit + f : NULL, y_half);
        UNROLL for (int f = 0; f < PANEL_WIDTH; f++) row[f] = *(const NAME(RayVector) *)value[f];
        for (; voxel < end; voxel++, length++) UNROLL for (int f = 0; f < PANEL_WIDTH; f++)
            {
                const NAME(RayVector) product = row[f] * *length;
                x[(int64_t)*voxel * PANEL_WIDTH + f] += (product[0] + product[2]) + (product[1] + product[3]);
            }
    }
}

#undef PANEL
#undef PANEL_WIDTH
