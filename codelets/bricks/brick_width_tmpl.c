/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of a band for panels of WIDTH slices: vectors hold slices. Each segment becomes a list of nonzeros first, so
 * that the loops over it know neither masks nor precisions. brick_isa.c includes this for each WIDTH. */

enum {
    NAME(VECTOR_BYTES_) = WIDTH * 4 < SINO_VECTOR_BYTES ? WIDTH * 4 : SINO_VECTOR_BYTES,
    NAME(VECTORS_) = WIDTH * 4 / NAME(VECTOR_BYTES_),
    /* Sums that do not wait for each other. */
    NAME(CHAINS_) = NAME(VECTORS_) < LIST_PADDING ? LIST_PADDING / NAME(VECTORS_) : 1,
    NAME(SCATTERED_) = 4, /* nonzeros whose voxels are loaded before the first one is stored */
    /* Lists have the rows of voxels in units that an address may have as a factor: 8 bytes, of 32 slices 16. The
     * largest, 8191 · 8, fits 16 bits. */
    NAME(SHIFT_) = WIDTH < 4    ? 0
                   : WIDTH < 8  ? 1
                   : WIDTH < 16 ? 2
                                : 3,
    NAME(UNIT_) = WIDTH * 4 >> NAME(SHIFT_)
};

typedef float NAME(Vector_) __attribute__((vector_size(NAME(VECTOR_BYTES_)), aligned(4), may_alias));

/* The voxel of nonzero k of a list. */
SINO_INLINE const NAME(Vector_) * NAME(voxel_)(const List *list, int64_t k, const float *x)
{
    return (const void *)((const char *)x + (size_t)list->voxel[k] * NAME(UNIT_));
}

/* row += factor · Σ value · voxel over the list. */
SINO_INLINE void NAME(gather_)(const List *list, const float *x, float *row)
{
    NAME(Vector_) sum[NAME(CHAINS_)][NAME(VECTORS_)];
    memset(sum, 0, sizeof sum);
    for (int64_t k = 0; k < list->count; k += NAME(CHAINS_))
        UNROLL for (int c = 0; c < NAME(CHAINS_); c++) UNROLL for (int v = 0; v < NAME(VECTORS_); v++) sum[c][v] +=
            NAME(voxel_)(list, k + c, x)[v] * list->value[k + c];
    UNROLL for (int v = 0; v < NAME(VECTORS_); v++)
    {
        UNROLL for (int c = 1; c < NAME(CHAINS_); c++) sum[0][v] += sum[c][v];
        ((NAME(Vector_) *)row)[v] += sum[0][v] * list->factor;
    }
}

/* Adds to the voxels of nonzeros k … k + count − 1, which differ from each other. */
SINO_INLINE void NAME(add_)(const List *list, int64_t k, int count, const NAME(Vector_) * weight, float *x)
{
    NAME(Vector_) * to[NAME(SCATTERED_)];
    NAME(Vector_) sum[NAME(SCATTERED_)][NAME(VECTORS_)];
    UNROLL for (int c = 0; c < count; c++) to[c] = (NAME(Vector_) *)(uintptr_t)NAME(voxel_)(list, k + c, x);
    UNROLL for (int c = 0; c < count; c++) UNROLL for (int v = 0; v < NAME(VECTORS_); v++) sum[c][v] =
        to[c][v] + weight[v] * list->value[k + c];
    UNROLL for (int c = 0; c < count; c++) UNROLL for (int v = 0; v < NAME(VECTORS_); v++) to[c][v] = sum[c][v];
}

SINO_INLINE void NAME(scatter_)(const List *list, const float *row, float *x)
{
    NAME(Vector_) weight[NAME(VECTORS_)];
    UNROLL for (int v = 0; v < NAME(VECTORS_); v++) weight[v] = ((const NAME(Vector_) *)row)[v] * list->factor;
    const int64_t whole = list->count / NAME(SCATTERED_) * NAME(SCATTERED_);
    for (int64_t k = 0; k < whole; k += NAME(SCATTERED_)) NAME(add_)(list, k, NAME(SCATTERED_), weight, x);
    for (int64_t k = whole; k < list->count; k++) NAME(add_)(list, k, 1, weight, x);
}

static void NAME(project_)(const SinoBrickWork *work, const float *x, float *y)
{
    Walk walk;
    List list;
    begin(work, &walk);
    for (int band = next_band(work, &walk); band >= 0; band = next_band(work, &walk)) {
        const Visit visit = next_visit(&walk.reader[band]);
        const float *const tile = x + visit.first * work->head->lanes * WIDTH;
        for (int i = 0; i < visit.segments; i++) {
            list_segment(work->head, NAME(SHIFT_), &walk.reader[band], &list);
            NAME(gather_)(&list, tile, y + (band * SINO_BRICK_ROWS + list.row) * WIDTH);
            fetch_ahead(&walk);
        }
    }
}

static void NAME(backproject_)(const SinoBrickWork *work, const float *y, float *x)
{
    Walk walk;
    List list;
    begin(work, &walk);
    for (int band = next_band(work, &walk); band >= 0; band = next_band(work, &walk)) {
        const Visit visit = next_visit(&walk.reader[band]);
        float *const tile = x + visit.first * work->head->lanes * WIDTH;
        for (int i = 0; i < visit.segments; i++) {
            list_segment(work->head, NAME(SHIFT_), &walk.reader[band], &list);
            NAME(scatter_)(&list, y + (band * SINO_BRICK_ROWS + list.row) * WIDTH, tile);
            fetch_ahead(&walk);
        }
    }
}

#undef WIDTH
