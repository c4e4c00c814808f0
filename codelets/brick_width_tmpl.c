/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of a band for panels of WIDTH slices: vectors hold slices. Each segment becomes a list of nonzeros first, so
 * that the loops over it know neither masks nor precisions. brick_isa.c includes this for each WIDTH. */

enum {
    NAME(VECTOR_BYTES_) = WIDTH * 4 < SINO_VECTOR_BYTES ? WIDTH * 4 : SINO_VECTOR_BYTES,
    NAME(VECTORS_) = WIDTH * 4 / NAME(VECTOR_BYTES_),
    NAME(CHAINS_) = NAME(VECTORS_) < 4 ? 4 / NAME(VECTORS_) : 1 /* sums that do not wait for each other */
};

typedef float NAME(Vector_) __attribute__((vector_size(NAME(VECTOR_BYTES_)), aligned(4), may_alias));

/* row += factor · Σ value · voxel over the list. */
SINO_INLINE void NAME(gather_)(const List *list, const float *x, float *row)
{
    NAME(Vector_) sum[NAME(CHAINS_)][NAME(VECTORS_)];
    const int64_t even = list->count / NAME(CHAINS_) * NAME(CHAINS_);
    memset(sum, 0, sizeof sum);
    for (int64_t k = 0; k < even; k += NAME(CHAINS_))
        UNROLL for (int c = 0; c < NAME(CHAINS_); c++) UNROLL for (int v = 0; v < NAME(VECTORS_); v++) sum[c][v] +=
            ((const NAME(Vector_) *)(x + list->voxel[k + c] * WIDTH))[v] * list->value[k + c];
    for (int64_t k = even; k < list->count; k++)
        UNROLL for (int v = 0; v < NAME(VECTORS_); v++) sum[0][v] +=
            ((const NAME(Vector_) *)(x + list->voxel[k] * WIDTH))[v] * list->value[k];
    UNROLL for (int v = 0; v < NAME(VECTORS_); v++)
    {
        UNROLL for (int c = 1; c < NAME(CHAINS_); c++) sum[0][v] += sum[c][v];
        ((NAME(Vector_) *)row)[v] += sum[0][v] * list->factor;
    }
}

SINO_INLINE void NAME(scatter_)(const List *list, const float *row, float *x)
{
    NAME(Vector_) weight[NAME(VECTORS_)];
    UNROLL for (int v = 0; v < NAME(VECTORS_); v++) weight[v] = ((const NAME(Vector_) *)row)[v] * list->factor;
    for (int64_t k = 0; k < list->count; k++) {
        /* The list has `count` voxels. NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
        NAME(Vector_) *const to = (NAME(Vector_) *)(x + list->voxel[k] * WIDTH);
        /* cppcheck-suppress uninitvar; the loop above sets every weight */
        UNROLL for (int v = 0; v < NAME(VECTORS_); v++) to[v] += weight[v] * list->value[k];
    }
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
            list_segment(work->head, &walk.reader[band], &list);
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
            list_segment(work->head, &walk.reader[band], &list);
            NAME(scatter_)(&list, y + (band * SINO_BRICK_ROWS + list.row) * WIDTH, tile);
            fetch_ahead(&walk);
        }
    }
}

#undef WIDTH
