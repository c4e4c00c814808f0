/* SPDX-License-Identifier: BSD-3-Clause */
/* Task stripes: removes stripes from the sinograms of one minibatch. */
#pragma once

#include "sinogram_rows.h"
#include "stripes.h"

typedef struct SinoRemoveStripes {
    const SinoStripes *stripes; /* not owned, outlives the task */
    SinoSinogramRows rows;
    bool marked;       /* dead columns are marked as undefined */
    SinoData *scratch; /* sino_stripes_scratch_bytes per worker; unless rows.host at least sino_stripes_gpu_bytes */
} SinoRemoveStripes;

/* Bytes of scratch memory with which GPUs run the task; 0: cores alone run this method. */
int64_t sino_stripes_gpu_bytes(const SinoStripesOptions *options);

/* Inserts stripes, which changes a minibatch's line integrals in place. */
SinoStatus sino_insert_stripes(SinoRuntime *runtime, SinoPosition position, const SinoRemoveStripes *remove);
