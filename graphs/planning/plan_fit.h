/* SPDX-License-Identifier: BSD-3-Clause */
/* Plan, fit: what all planners share. A kind of job divides its work, widest division first, and says what a division
 * takes; the plan is the first one that fits the memory of a rank and its devices. */
#ifndef SINO_PLAN_FIT_H
#define SINO_PLAN_FIT_H

#include "device_room.h"

/* What a division takes. */
typedef struct SinoPlanNeed {
    int64_t total_bytes, budget_bytes; /* memory of a rank, with the program itself; what may be used */
    bool fits_devices;                 /* two tasks fit a device at a time, or none computes */
} SinoPlanNeed;

static inline bool sino_plan_fits(const SinoPlanNeed *need)
{
    return need->total_bytes <= need->budget_bytes && need->fits_devices;
}

/* Leaves `of`, a plan in the making, at the first division that fits, or at the last one; *need is what that one takes.
 * `narrow` takes the next narrower division; false: there is none. Errors: those of `measure`. */
SinoStatus sino_plan_fit(SinoStatus (*measure)(void *of, SinoPlanNeed *need), bool (*narrow)(void *of), void *of,
                         SinoPlanNeed *need);

/* SINO_BAD_INPUT: "memory: BUDGET may be used, and SUBJECT TOTALPARTS; allowed: --memory TOTAL or moreOTHERS".
 * `subject` ends with "needs", `parts` and `others` begin with their own separators. */
SinoStatus sino_plan_too_little(const SinoPlanNeed *need, const char *subject, const char *parts, const char *others);

/* SINO_BAD_INPUT: two tasks, with data of `lists` and `vectors` bytes each, do not fit a device. `parts`: what the data
 * are; `others`: what is allowed. */
SinoStatus sino_plan_too_small(const SinoDeviceRoom *room, int64_t lists, int64_t vectors, const char *parts,
                               const char *others);

#endif
