/* SPDX-License-Identifier: BSD-3-Clause */
/* Angle work: a minibatch's work memory with kinds of operator whose ranks share the angles and have all voxels: data
 * that order the tasks of a projection, and the sums of a backprojection over the ranks (partial_sums.h). */
#pragma once

#include "operator.h"
#include "partial_sums.h"

/* SinoOperatorWork.own. All members but part_voxels are owned. */
typedef struct SinoAngleWork {
    int64_t count;
    SinoData **order; /* [count]: void data that order the tasks of the same angles */
    int64_t part_count;
    const int64_t *part_voxels; /* [partition] */
    int64_t stride;             /* of slices */
    int64_t sum_count;
    SinoVoxelSum **all; /* [sum_count]: sums over the ranks, by turns of partitions; NULL: there is one rank */
} SinoAngleWork;

/* SinoOperatorKind.work_bytes and .work_close. */
int64_t sino_angle_work_bytes(const SinoShape *shape, SinoBatch batch);
void sino_angle_work_close(SinoOperatorWork *work);

/* SinoOperatorKind.work_open, given the members of a kind: `count` tasks of a projection by a partition. */
SinoStatus sino_angle_work_open(SinoOperatorWork *work, SinoRayExchange *exchange, int64_t count, int64_t part_count,
                                const int64_t *part_voxels, const SinoSlices *slices, int64_t number, bool overlap);

/* Inserts the sum over all ranks of partition position.partition of x, which has the part of this rank's angles. With
 * one rank it does nothing. */
SinoStatus sino_angle_work_sum(const SinoOperatorWork *work, SinoPosition position, SinoData *x);
