/* SPDX-License-Identifier: BSD-3-Clause */
/* Sinogram rows: the part of a minibatch's sinogram that a stage changes in place, on cores and on GPUs. */
#pragma once

#include "panel.h"
#include "runtime.h"

#include <stdbool.h>

typedef struct SinoSinogramRows {
    SinoSlices slices;
    const int64_t *place; /* of each angle among the rows; NULL: in order; not owned, outlives the task */
    SinoData *places;     /* the same for GPUs; NULL: in order, or cores alone run the task */
    bool host;            /* cores alone run the task: there is no GPU, or none has room for the data of two tasks */
    SinoData *sinogram;   /* rows in panels (panel.h) */
} SinoSinogramRows;
