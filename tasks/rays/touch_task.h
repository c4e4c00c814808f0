/* SPDX-License-Identifier: BSD-3-Clause */
/* Task touch: touches reserved memory, so that the system gives it pages. */
#ifndef SINO_TOUCH_TASK_H
#define SINO_TOUCH_TASK_H

#include "runtime.h"

/* `partition` is for labels only. */
SinoStatus sino_insert_touch(SinoRuntime *runtime, int64_t partition, void *memory, int64_t bytes);

#endif
