/* SPDX-License-Identifier: BSD-3-Clause */
/* Task spmm: one partition's block of A times one minibatch. */
#pragma once

#include "reduce.h"
#include "runtime.h"
#include "spmm.h"

/* Of a product that passes its rays on by itself, so that they never leave the device: the sum to which spmm_project
 * adds them, with the bits of sino_insert_reduce, or from which spmm_backproject takes them. The product's y is then
 * scratch memory. */
typedef struct SinoSpmmSum {
    SinoData *total; /* NULL: there is none */
    SinoData *list;  /* the map's rows in a device's memory; NULL: there are none */
    SinoRowMap map;
    SinoSlices slices;
    bool first; /* of the tasks that add to the total */
} SinoSpmmSum;

/* Operands of spmm_project (y = A x) and spmm_backproject (x = Aᵀ y) of one partition. Types of the vectors: spmm.h. */
typedef struct SinoSpmm {
    int64_t stride;
    double work;  /* 2·nonzeros·stride */
    double flops; /* 2·nonzeros·slices */
    int64_t slice_count;
    SinoPrecision precision;
    SinoData *block;
    bool has_lists;    /* `block` has gather lists (block_data.h), so devices can run the task; false: only cores can */
    SinoData *scratch; /* of sino_spmm_scratch_bytes bytes */
    SinoSpmmRows
        rows;        /* backprojection reads the footprint's rows of a longer y, on cores; row NULL: y has them only */
    SinoData *units; /* SinoUnits of the vector that is read, if its elements are halves; else NULL */
    SinoSpmmSum sum;
} SinoSpmm;

/* Speed of products of F slices relative to a panel of 16 or more, for which each length of A is read once for all
 * slices. */
double sino_spmm_efficiency(int64_t slices);

SinoStatus sino_insert_spmm_project(SinoRuntime *runtime, SinoPosition position, const SinoSpmm *spmm, SinoData *x,
                                    SinoData *y);
SinoStatus sino_insert_spmm_backproject(SinoRuntime *runtime, SinoPosition position, const SinoSpmm *spmm, SinoData *y,
                                        SinoData *x);
