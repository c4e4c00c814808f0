/* SPDX-License-Identifier: BSD-3-Clause */
/* Gather lists of a whole block. */
#pragma once

#include "memory.h"
#include "regroup.h"

#include <stdlib.h>

/* Does all steps of regroup.h on one thread; the caller releases *lists with free(). */
__attribute__((unused)) static SinoStatus regroup_block(const SinoRegroupInput *input, SinoGatherHeader **lists)
{
    SinoRegroup *regroup = NULL;
    SinoRegroupSize *size = NULL;
    SINO_TRY(sino_regroup_new(input, &regroup));
    const int64_t count = sino_regroup_visit_count(regroup);
    SinoStatus status = sino_allocate(count, sizeof *size, "sizes of visits", &size);
    if (!status) status = sino_regroup_measure(regroup, 0, count, size);
    if (!status) sino_regroup_take(regroup, 0, count, size);
    if (!status) status = sino_allocate(sino_regroup_bytes(regroup), 1, "gather lists", lists);
    if (!status) sino_regroup_head(regroup, *lists);
    if (!status) status = sino_regroup_fill(regroup, 0, count, *lists);
    free(size);
    sino_regroup_free(regroup);
    return status;
}
