/* SPDX-License-Identifier: BSD-3-Clause */
/* Task sample: copies the line integrals of one slice, for a picture. */
#pragma once

#include "load_task.h"
#include "panel.h"
#include "runtime.h"

/* The slice of a minibatch whose line integrals a task sample copies, at the angles of its sinogram. */
typedef struct SinoSample {
    int64_t slice, column_count;
    int64_t run_count;
    const SinoAngleRun *run; /* [run_count]: angles of the scan; not owned */
    const int64_t *place;    /* number of each angle in the sinogram; NULL: in order; not owned */
    float *to;               /* float[K·M], in the order of the scan; not owned */
} SinoSample;
/* `order`: void data that all tasks have which use the copy; NULL: it is used after the run. */
SinoStatus sino_insert_sample(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, const SinoSample *sample,
                              SinoData *sinogram, SinoData *order);
