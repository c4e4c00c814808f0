/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks tilt and phase: from counts to the line integrals of one minibatch, with what is done to images in between. */
#pragma once

#include "correct_task.h"
#include "tilt.h"

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
