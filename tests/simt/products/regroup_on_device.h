/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of regroup.h by those of regroup_cuda.h. */
#pragma once

#include "regroup.h"

SinoStatus regroup_measure_on_device(const SinoRegroup *regroup, int64_t first, int64_t count, SinoRegroupSize *size);
SinoStatus regroup_fill_on_device(const SinoRegroup *regroup, int64_t first, int64_t count, void *lists);

/* Regroups on both; ends the program when their bytes differ. */
SinoStatus regroup_block_on_device(const SinoRegroupInput *input, SinoGatherHeader **lists);
