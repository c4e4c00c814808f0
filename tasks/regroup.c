/* SPDX-License-Identifier: BSD-3-Clause */
/* regroup_measure, regroup_fill: some visits of the lists that devices gather from, made from a block. */
#include "tasks.h"

typedef struct Arguments {
    SinoTaskHead head;
    SinoRegroup *measured;
    const SinoRegroup *regroup;
    int64_t first, count;
    void *lists;
} Arguments;

static SinoStatus measure(void *buffers[], const Arguments *arguments)
{
    (void)buffers;
    return sino_regroup_measure(arguments->measured, arguments->first, arguments->count);
}

static SinoStatus fill(void *buffers[], const Arguments *arguments)
{
    (void)buffers;
    return sino_regroup_fill(arguments->regroup, arguments->first, arguments->count, arguments->lists);
}

SINO_CPU_FUNCTION(measure_cpu, Arguments, measure)
SINO_CPU_FUNCTION(fill_cpu, Arguments, fill)
SINO_CODELET(measure_codelet, "regroup_measure", measure_cpu)
SINO_CODELET(fill_codelet, "regroup_fill", fill_cpu)

static SinoStatus insert(SinoRuntime *runtime, struct starpu_codelet *codelet, int64_t partition, Arguments *arguments)
{
    SinoPosition position = SINO_NOWHERE;
    position.partition = partition;
    arguments->head.work = (double)arguments->count;
    return sino_task_submit(runtime, codelet, position, false, arguments, sizeof *arguments, 0, NULL);
}

SinoStatus sino_insert_regroup_measure(SinoRuntime *runtime, int64_t partition, SinoRegroup *regroup, int64_t first,
                                       int64_t count)
{
    Arguments arguments = {.measured = regroup, .first = first, .count = count};
    return insert(runtime, &measure_codelet, partition, &arguments);
}

SinoStatus sino_insert_regroup_fill(SinoRuntime *runtime, int64_t partition, const SinoRegroup *regroup, int64_t first,
                                    int64_t count, void *lists)
{
    Arguments arguments = {.regroup = regroup, .first = first, .count = count, .lists = lists};
    return insert(runtime, &fill_codelet, partition, &arguments);
}
