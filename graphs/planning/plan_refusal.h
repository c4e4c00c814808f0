/* SPDX-License-Identifier: BSD-3-Clause */
/* Plan, refusal: the sentences of plans that do not fit. */
#pragma once

#include "device_room.h"

/* SINO_BAD_INPUT: "memory: BUDGET may be used, and SUBJECT TOTALPARTS; allowed: --memory TOTAL or moreOTHERS".
 * `subject` ends with "needs", `parts` and `others` begin with their own separators. */
SinoStatus sino_plan_too_little(int64_t total_bytes, int64_t budget_bytes, const char *subject, const char *parts,
                                const char *others);

/* SINO_BAD_INPUT: two tasks, with data of `lists` and `vectors` bytes each, do not fit a device. `parts`: what the data
 * are; `others`: what is allowed. */
SinoStatus sino_plan_too_small(const SinoDeviceRoom *room, int64_t lists, int64_t vectors, const char *parts,
                               const char *others);
