/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasks from counts to line integrals, and of centers. */
#pragma once

#include "air.h"
#include "center.h"
#include "cone_weigh.h"
#include "correct.h"
#include "harden.h"
#include "pack.h"
#include "panel.h"
#include "register.h"
#include "runtime.h"
#include "stripes.h"
#include "tilt.h"
#include "zingers.h"

#include <stdbool.h>

/* The part of a minibatch's sinogram that a stage changes in place, on cores and on GPUs. */
typedef struct SinoSinogramRows {
    SinoSlices slices;
    const int64_t *place; /* of each angle among the rows; NULL: in order; not owned, outlives the task */
    SinoData *places;     /* the same for GPUs; NULL: in order, or cores alone run the task */
    bool host;            /* cores alone run the task: there is no GPU, or none has room for the data of two tasks */
    SinoData *sinogram;   /* rows in panels (panel.h) */
} SinoSinogramRows;

/* Inserts air, which normalises a minibatch's line integrals to the light beside the object, in place. */
SinoStatus sino_insert_air(SinoRuntime *runtime, SinoPosition position, const SinoAir *air,
                           const SinoSinogramRows *rows);

/* Inserts center, which writes metric[i] of candidate[i] for the rotation center, 0 ≤ i < candidate_count. No pointer
 * is owned. */
SinoStatus sino_insert_center(SinoRuntime *runtime, const SinoCenterVo *vo, int64_t candidate_count,
                              const double *candidate, double *metric);

/* Inserts center_entropy, which does the same by the entropy of the slice. */
SinoStatus sino_insert_center_entropy(SinoRuntime *runtime, const SinoCenterEntropy *entropy, int64_t candidate_count,
                                      const double *candidate, double *metric);

/* The data of one task correct: from counts to the line integrals of a minibatch. */
typedef struct SinoCorrect {
    SinoCorrection correction;
    SinoData *counts, *flat, *dark;
    SinoData *sinogram, *repaired; /* sinogram: rows in panels; repaired: int64_t[slice] */
    SinoData *tally;               /* int64_t[angle + column]: undefined values by angle, then by column */
    /* For GPUs: int64_t[place_count], the places of the angles among the rows, then with several sets of flat fields
     * double[…], of which flat_at[k] is number flat_first + k; NULL: neither. */
    SinoData *angles;
    int64_t place_count, flat_first;
    SinoData *scratch; /* for GPUs: sino_correct_scratch; NULL: cores run the task */
} SinoCorrect;

/* Inserts correct. sino_correct_scratch makes the scratch memory that GPUs need for corrections of this size; the
 * caller frees it. */
SinoStatus sino_insert_correct(SinoRuntime *runtime, SinoPosition position, const SinoCorrect *correct);
SinoStatus sino_correct_scratch(SinoRuntime *runtime, const SinoCorrection *correction, SinoData **scratch);

/* Task count: adds the undefined values of a few projections to those of many. */

/* The projections first_angle … first_angle + angle_count − 1 of angle_total. */
typedef struct SinoCount {
    int64_t first_angle, angle_count, angle_total;
    int64_t column_count;
    int64_t first_row, row_count; /* the sinogram's slices among the rows of `to` */
} SinoCount;

/* Inserts count, from what a task correct tells (repaired[row_count], tally[angle_count + column_count]) to `to`,
 * int64_t[angle_total + column_count + rows]; or, where there is `rows`, int64_t[row_count], to `to` without rows and
 * to it. `first`: the first of the projections, before which `to` and `rows` become 0. */
SinoStatus sino_insert_count(SinoRuntime *runtime, SinoPosition position, const SinoCount *count, bool first,
                             SinoData *repaired, SinoData *tally, SinoData *to, int64_t to_count, SinoData *rows);

/* Inserts harden, which corrects the ray_count rows of a minibatch's line integrals for beam hardening, in place. */
SinoStatus sino_insert_harden(SinoRuntime *runtime, SinoPosition position, const SinoHardening *hardening,
                              int64_t ray_count, const SinoSinogramRows *rows);

/* Tasks tilt and phase: from counts to the line integrals of one minibatch, with what is done to images in between. */

/* The filter, and its plans on GPUs. */
typedef struct SinoImagesPlans SinoImagesPlans;

/* Bytes of device memory of the plans of one GPU. phase: NULL: none, here and below. */
int64_t sino_images_plan_bytes(const SinoPhaseOptions *phase);

/* Makes the filter and, unless `host`, with which cores alone run the tasks, a plan on each GPU worker. SINO_FAILED: no
 * memory, or cuFFT refuses. Free after the tasks; takes NULL. */
SinoStatus sino_images_plans_new(SinoRuntime *runtime, const SinoPhaseOptions *phase, bool host,
                                 SinoImagesPlans **plans);
void sino_images_plans_free(SinoImagesPlans *plans);

/* Bytes of scratch memory with which GPUs run the tasks for corrections with as many angles and slices. */
int64_t sino_images_gpu_bytes(const SinoTilt *tilt, const SinoPhaseOptions *phase, const SinoCorrection *correction);

/* Inserts tilt, with phase retrieval unless plans have none, if the detector is tilted, else phase, in the place of
 * correct. correct->scratch: sino_tilt_scratch_bytes or sino_phase_scratch_bytes of the rows of the minibatch; where
 * GPUs run the task at least sino_images_gpu_bytes. */
SinoStatus sino_insert_images(SinoPosition position, const SinoImagesPlans *plans, const SinoCorrect *correct,
                              const SinoTilt *tilt);

typedef struct SinoKeepIntegrals {
    int64_t angle_count, row_count, column_count; /* of the array */
    int64_t first_row;                            /* of the array: the first one of the slices */
    SinoSlices slices;                            /* of the sinogram; single precision */
    float *to; /* [angle][row][column]; undefined values become NaN; not owned, outlives the task */
} SinoKeepIntegrals;

/* Inserts integrals, which keeps line integrals of some slices in an array of the whole scan, from a sinogram
 * [angle·column_count + column] in panels, whose undefined values are −0. */
SinoStatus sino_insert_integrals(SinoRuntime *runtime, SinoPosition position, const SinoKeepIntegrals *keep,
                                 SinoData *sinogram);

/* The block of a partition that a task load_window copies or traces into a window. */
typedef struct SinoLoadWindow {
    SinoPackBlock pack;
    SinoBlockHeader *header; /* receives a copy of the block's header; NULL: not wanted */
    const void *kept;        /* the block in a mapped file; NULL: the block is traced */
    int64_t nonzero_count;   /* stored ones of the block, if they are known; for simulations */
} SinoLoadWindow;
SinoStatus sino_insert_load_window(SinoRuntime *runtime, SinoPosition position, const SinoLoadWindow *load,
                                   SinoData *window);

enum { SINO_REGISTER_PREDICTIONS = 3 }; /* of views, and of pitched and rolled ones */

/* Projections first … first + count − 1 of column_count × row_count pixels. Nothing is owned, and all outlives the
 * task. */
typedef struct SinoRegister {
    int64_t first, count, column_count, row_count;
    const float *measured;  /* [projection][column][row] */
    double turn_rad;        /* of the turned predictions */
    SinoCentroid *centroid; /* [projection]: is set; NULL: `result` is */
    SinoRegistered *result; /* [projection] */
} SinoRegister;

/* Inserts register: how far measured projections lie from predicted ones. predicted: as `measured`; the turned ones
 * NULL: only shifts are wanted; all NULL: centroids are. */
SinoStatus sino_insert_register(SinoRuntime *runtime, const SinoRegister *wanted,
                                SinoData *const predicted[SINO_REGISTER_PREDICTIONS]);

typedef struct SinoRemoveStripes {
    const SinoStripes *stripes; /* not owned, outlives the task */
    SinoSinogramRows rows;
    bool marked;       /* dead columns are marked as undefined */
    SinoData *scratch; /* sino_stripes_scratch_bytes per worker; unless rows.host at least sino_stripes_gpu_bytes */
} SinoRemoveStripes;

/* Bytes of scratch memory with which GPUs run the task; 0: cores alone run this method. */
int64_t sino_stripes_gpu_bytes(const SinoStripesOptions *options);

/* Inserts stripes, which removes stripes from a minibatch's line integrals, in place. */
SinoStatus sino_insert_stripes(SinoRuntime *runtime, SinoPosition position, const SinoRemoveStripes *remove);

/* A block of cone-beam projections before the ramp filter, of which slice f is detector row first_row + f. Pointers are
 * not owned, and outlive the task. */
typedef struct SinoWeigh {
    const SinoCone *cone;
    int64_t angle_count;
    SinoSlices rows;
    int64_t first_row;
    const float *ray_weight; /* [angle_count][column of the filtered detector], in main memory */
    SinoData *weights;       /* for GPUs: data that have ray_weight; NULL: cores run the task */
    int64_t first_weight;    /* floats from the beginning of `weights` to ray_weight */
} SinoWeigh;

/* Inserts weigh, which writes `weighed`; the same data as `sinogram`: it changes them in place. */
SinoStatus sino_insert_weigh(SinoRuntime *runtime, SinoPosition position, const SinoWeigh *weigh, SinoData *sinogram,
                             SinoData *weighed);

typedef struct SinoRemoveZingers {
    SinoZingers zingers;
    SinoSinogramRows rows;
    SinoData *undefined; /* int64_t[slice], to which marked zingers are added */
    SinoData *tally;     /* int64_t[angle + column]: the same by angle, then by column */
    SinoData *order;     /* int64_t[angle]: zingers.order for GPUs; NULL: there is none, or cores alone run the task */
} SinoRemoveZingers;

/* Inserts zingers, which finds the zingers of a minibatch's line integrals, and changes these in place. */
SinoStatus sino_insert_zingers(SinoRuntime *runtime, SinoPosition position, const SinoRemoveZingers *remove);
