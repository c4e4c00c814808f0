/* SPDX-License-Identifier: BSD-3-Clause */
/* Model use: what a run does with StarPU's performance models, the times of tasks that earlier runs have measured. */
#pragma once

typedef enum SinoModelUse {
    SINO_MODELS_AUTO,   /* STARPU_CALIBRATE: 0 is frozen, 2 renew; else record */
    SINO_MODELS_RECORD, /* they are used, and what the run measures is added */
    SINO_MODELS_FROZEN, /* they are used, and stay as they are */
    SINO_MODELS_RENEW   /* they are measured anew */
} SinoModelUse;
