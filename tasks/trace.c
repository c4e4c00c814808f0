/* SPDX-License-Identifier: BSD-3-Clause */
/* trace: the rays' lengths in a run of tiles, into the partition's block. */
#include "tasks.h"

typedef struct Arguments {
    SinoTaskHead head;
    SinoPackRun *run;
} Arguments;

static SinoStatus trace(void *buffers[], const Arguments *arguments)
{
    (void)buffers;
    return sino_pack_run(arguments->run);
}

SINO_CPU_FUNCTION(trace_cpu, Arguments, trace)
SINO_CODELET(codelet, "trace", trace_cpu)

SinoStatus sino_insert_trace(SinoRuntime *runtime, int64_t partition, SinoPackRun *run)
{
    const double work = (double)(run->tile_count * sino_layout_stored_angles(run->layout));
    const Arguments arguments = {.head = {.work = work}, .run = run};
    SinoPosition position = SINO_NOWHERE;
    position.partition = partition;
    return sino_task_submit(runtime, &codelet, position, false, &arguments, sizeof arguments, 0, NULL);
}
