/* SPDX-License-Identifier: BSD-3-Clause */
/* Voxel sum: each rank adds up a segment of the vector for all. */
#include "partial_sums.h"

#include "bricks_tasks.h"
#include "memory.h"

#include <stdlib.h>

struct SinoVoxelSum {
    SinoRuntime *runtime;  /* not owned */
    SinoPartialSums *sums; /* not owned */
    int64_t number, rank, rank_count;
    SinoData **share;   /* [rank]: this rank's voxels in the rank's segment; owned */
    SinoData **arrived; /* [rank]: the rank's voxels in this rank's segment; owned */
    SinoData **total;   /* [rank]: the sum of the rank's segment; owned */
};

static int64_t first_of(int64_t elements, int64_t rank, int64_t rank_count)
{
    return sino_times(elements / rank_count, rank) + sino_smaller(rank, elements % rank_count);
}

static int64_t count_of(const SinoVoxelSum *sum, int64_t elements, int64_t rank)
{
    return first_of(elements, rank + 1, sum->rank_count) - first_of(elements, rank, sum->rank_count);
}

int64_t sino_voxel_sum_bytes(int64_t elements, int64_t rank_count)
{
    return rank_count > 1 ? sino_times(elements, 3 * (int64_t)sizeof(float)) : 0;
}

static SinoStatus new_segments(SinoVoxelSum *sum, int64_t elements, SinoData ***segment, bool own_sizes)
{
    SINO_TRY(sino_allocate(sum->rank_count, sizeof(void *), "sums of ranks", segment));
    for (int64_t r = 0; r < sum->rank_count; r++)
        SINO_TRY(sino_data_vector(sum->runtime, "segment of voxels", count_of(sum, elements, own_sizes ? sum->rank : r),
                                  1, sizeof(float), &(*segment)[r]));
    return NULL;
}

SinoStatus sino_voxel_sum_new(SinoRuntime *runtime, SinoPartialSums *sums, int64_t number, int64_t elements,
                              SinoVoxelSum **result)
{
    const SinoRayExchangeShape *shape = &sums->exchange->shape;
    SinoVoxelSum *sum = NULL;
    if (shape->data_count == 1) return NULL;
    SINO_TRY(sino_allocate(1, sizeof *sum, "sums of ranks", &sum));
    *sum = (SinoVoxelSum){
        .runtime = runtime, .sums = sums, .number = number, .rank = shape->data_rank, .rank_count = shape->data_count};
    SinoStatus status = new_segments(sum, elements, &sum->share, false);
    if (!status) status = new_segments(sum, elements, &sum->arrived, true);
    if (!status) status = new_segments(sum, elements, &sum->total, false);
    SINO_GIVE(status, sum, sino_voxel_sum_free, result);
}

void sino_voxel_sum_free(SinoVoxelSum *sum)
{
    if (!sum) return;
    sino_data_free_each(sum->share, sum->rank_count);
    sino_data_free_each(sum->arrived, sum->rank_count);
    sino_data_free_each(sum->total, sum->rank_count);
    free(sum);
}

static SinoSegment segment_of(const SinoVoxelSum *sum, int64_t elements, int64_t rank)
{
    return (SinoSegment){first_of(elements, rank, sum->rank_count), count_of(sum, elements, rank)};
}

static SinoMessage message_of(const SinoVoxelSum *sum, SinoPosition position, int64_t rank, SinoCargo cargo,
                              int64_t index)
{
    return sino_partial_message(sum->sums, "voxels", position, rank, cargo, sum->number * sum->rank_count + index);
}

/* Sends the others their shares, and adds up those that arrive, in the order of ranks. */
static SinoStatus insert_shares(SinoVoxelSum *sum, SinoPosition position, int64_t elements, SinoData *voxels)
{
    const int64_t own = count_of(sum, elements, sum->rank);
    const SinoSlices flat = {SINO_SINGLE, 1, 1};
    SinoData *total = sum->total[sum->rank];
    for (int64_t k = 0; k < sum->rank_count; k++) {
        const int64_t r = (sum->rank + 1 + k) % sum->rank_count;
        const SinoSegment segment = segment_of(sum, elements, r);
        SINO_TRY(sino_insert_voxels_cut(sum->runtime, position, segment, voxels, sum->share[r]));
        if (r == sum->rank) continue;
        const SinoMessage out = message_of(sum, position, r, SINO_CARGO_SHARES, sum->rank);
        SINO_TRY(sino_send(sum->runtime, &out, sum->share[r]));
    }
    for (int64_t r = 0; r < sum->rank_count; r++) {
        SinoData *part = r == sum->rank ? sum->share[r] : sum->arrived[r];
        const SinoMessage in = message_of(sum, position, r, SINO_CARGO_SHARES, r);
        if (r != sum->rank) SINO_TRY(sino_receive(sum->runtime, &in, part));
        if (r == 0)
            SINO_TRY(sino_insert_voxels_mask(sum->runtime, position, flat, own, NULL, part, total));
        else
            SINO_TRY(sino_insert_voxels_add(sum->runtime, position, flat, own, part, total));
    }
    return NULL;
}

SinoStatus sino_insert_voxel_sum(SinoVoxelSum *sum, SinoPosition position, int64_t elements, SinoData *voxels)
{
    if (!sum) return NULL;
    SINO_TRY(insert_shares(sum, position, elements, voxels));
    for (int64_t k = 0; k < sum->rank_count; k++) {
        const int64_t r = (sum->rank + k) % sum->rank_count;
        const SinoMessage out = message_of(sum, position, r, SINO_CARGO_TOTALS, sum->rank);
        const SinoMessage in = message_of(sum, position, r, SINO_CARGO_TOTALS, r);
        if (r != sum->rank) SINO_TRY(sino_send(sum->runtime, &out, sum->total[sum->rank]));
        if (r != sum->rank) SINO_TRY(sino_receive(sum->runtime, &in, sum->total[r]));
        SINO_TRY(sino_insert_voxels_paste(sum->runtime, position, segment_of(sum, elements, r), sum->total[r], voxels));
    }
    return NULL;
}
