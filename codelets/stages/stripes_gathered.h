/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripes on a GPU, private: the sinograms that kernels work on at a time, and the methods behind stripes.h. */
#pragma once

#include "cuda_stream.h"
#include "stripes_private.h"

enum {
    SINO_STRIPES_SLICES = 8,         /* slices that are worked on at a time */
    SINO_STRIPES_SHARED_MOST = 8192, /* angles of the longest columns that the shared memory of every GPU sorts */
    SINO_STRIPES_SORTERS = 128       /* blocks that sort longer columns in the device's memory at a time */
};

/* Gathered sinograms; pointers are to device memory. */
typedef struct SinoStripesGathered {
    int angle_count, column_count, slice_count;
    int64_t pitch, slice_values; /* values between columns, and between slices */
    float *values;               /* [slice][column][angle] */
    int *has_undefined;          /* [slice] */
    uint8_t *is_empty;           /* [slice][angle], pitch apart: whether the angle has no defined value */
    /* Sorting: the medians of equal ranks, laid out as the values, and the rank of each value: uint16_t, or uint32_t
     * where columns are longer than SINO_STRIPES_SHARED_MOST. Such columns have elements[SINO_STRIPES_SORTERS]
     * [2][angle] to be sorted in. */
    float *medians;
    void *ranks;
    unsigned long long *elements;
    /* All of Vo's methods, by slice and column: what is compared, its median over neighbours, and which columns are
     * dead or large stripes; by slice [2][column] elements in which ratios are sorted. */
    double *ratio, *smooth;
    unsigned long long *sequence;
    uint8_t *dead, *large;
    bool marks_dead; /* dead columns become undefined */
    /* Titarenko's method, by slice: sums of the angles' values, pitch apart; means of the columns over angles; for
     * first and second differences the offsets of the columns, and the two subdiagonals [2][column] of the factor. */
    double *sums, *means, *offsets, *below;
    unsigned *least; /* [slice]: the least product (sino_stripes_least) */
    /* Fourier-wavelet: of the levels of stripes_fw.c, rows adjacent as angles are. half: smooth along the angles, in
     * columns of the level above, and its inverse; small: smooth in both directions, and its inverse; rough: the band
     * that stripes are in; removed: what is taken out of it, of one level after the other. */
    float *half, *small, *rough, *removed;
    int64_t half_pitch;                                /* between columns of level 1 in `half` */
    int64_t half_values, small_values, removed_values; /* between slices */
} SinoStripesGathered;

/* Divides scratch memory; `bytes`: how much it is. slice_count is left 0. */
SinoStripesGathered sino_stripes_gathered(const SinoStripesOptions *options, void *scratch, int64_t *bytes);

/* Values between the columns of an array with this many rows: columns begin at sectors of memory. */
static inline int64_t sino_stripes_pitch(int64_t row_count)
{
    const int64_t sector = 8;
    return sino_ceil_multiple(row_count, sector);
}

/* Sorts the columns of the gathered slices, and finds the medians over `size` neighbouring columns, at most all of
 * them. `values` become the sorted ones. */
SinoStatus sino_stripes_sort_cuda(cudaStream_t stream, const SinoStripesGathered *at, int size);

/* Algorithms 4 to 6 of Vo et al.: dead columns are interpolated, large stripes replaced. */
SinoStatus sino_stripes_vo_cuda(cudaStream_t stream, const SinoStripesOptions *options, const SinoStripesGathered *at);

/* Fourier-wavelet: `half` becomes what is removed, still smooth along the angles. */
SinoStatus sino_stripes_fw_cuda(cudaStream_t stream, const SinoStripesOptions *options, const SinoStripesGathered *at);

/* Titarenko's method: `values` become the products of both corrections, whose roots are still to be taken. */
SinoStatus sino_stripes_ti_cuda(cudaStream_t stream, const SinoStripesOptions *options, const SinoStripesGathered *at);
