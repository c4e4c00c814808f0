/* SPDX-License-Identifier: BSD-3-Clause */
/* Task touch: touches reserved memory, so that the system gives it pages. */
#pragma once

#include "runtime.h"

/* `partition` is for labels only. */
SinoStatus sino_insert_touch(SinoRuntime *runtime, int64_t partition, void *memory, int64_t bytes);
