/* SPDX-License-Identifier: BSD-3-Clause */
/* Task measure (measure_fma, measure_read, measure_copy, measure_fill): the peak rates of a core, and data to measure
 * with. */
#include "measure_task.h"

#include "machine.h"
#include "task.h"

#include <string.h>

typedef struct FmaArguments {
    SinoPrecision precision;
    int64_t rounds;
} FmaArguments;

typedef struct BytesArguments {
    int64_t bytes;
} BytesArguments;

/* The value of every byte: a number of 0.26 in half, 1.7e-7 in single, 5e-57 in double, so that sums stay normal. */
enum { SMALL_NUMBER = 0x34 };

static SinoStatus multiply_add_cpu(const SinoTask *task)
{
    const FmaArguments *arguments = task->arguments;
    sino_machine_multiply_add(arguments->precision, arguments->rounds);
    return NULL;
}

static SinoStatus read_cpu(const SinoTask *task)
{
    const BytesArguments *arguments = task->arguments;
    sino_machine_read(sino_task_buffer(task, 0), arguments->bytes);
    return NULL;
}

static SinoStatus copy_cpu(const SinoTask *task)
{
    const BytesArguments *arguments = task->arguments;
    char *data = sino_task_buffer(task, 0);
    const size_t half = (size_t)arguments->bytes / 2;
    memcpy(data + half, data, half);
    return NULL;
}

static SinoStatus fill_cpu(const SinoTask *task)
{
    const BytesArguments *arguments = task->arguments;
    memset(sino_task_buffer(task, 0), SMALL_NUMBER, (size_t)arguments->bytes);
    return NULL;
}

static const SinoTaskKind multiply_add_kind = {
    .name = "measure_fma", .argument_bytes = sizeof(FmaArguments), .cpu = multiply_add_cpu};

static const SinoTaskKind read_kind = {.name = "measure_read",
                                       .argument_bytes = sizeof(BytesArguments),
                                       .access_min = 1,
                                       .access_max = 1,
                                       .cpu = read_cpu};

static const SinoTaskKind copy_kind = {.name = "measure_copy",
                                       .argument_bytes = sizeof(BytesArguments),
                                       .access_min = 1,
                                       .access_max = 1,
                                       .cpu = copy_cpu};

static const SinoTaskKind fill_kind = {.name = "measure_fill",
                                       .argument_bytes = sizeof(BytesArguments),
                                       .access_min = 1,
                                       .access_max = 1,
                                       .cpu = fill_cpu};

SinoStatus sino_insert_measure_fma(SinoRuntime *runtime, SinoPrecision precision, int64_t rounds)
{
    const FmaArguments arguments = {.precision = precision, .rounds = rounds};
    return sino_task_submit(runtime, &multiply_add_kind,
                            &(SinoTaskRequest){.position = SINO_NOWHERE,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .work = (double)rounds});
}

static SinoStatus insert(SinoRuntime *runtime, const SinoTaskKind *kind, int64_t bytes, SinoAccess access)
{
    const BytesArguments arguments = {.bytes = bytes};
    return sino_task_submit(runtime, kind,
                            &(SinoTaskRequest){.position = SINO_NOWHERE,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = &access,
                                               .access_count = 1,
                                               .work = (double)bytes});
}

SinoStatus sino_insert_measure_read(SinoRuntime *runtime, int64_t bytes, SinoData *data)
{
    return insert(runtime, &read_kind, bytes, (SinoAccess){data, SINO_READ});
}

SinoStatus sino_insert_measure_copy(SinoRuntime *runtime, int64_t bytes, SinoData *data)
{
    return insert(runtime, &copy_kind, bytes, (SinoAccess){data, SINO_READ_WRITE});
}

SinoStatus sino_insert_measure_fill(SinoRuntime *runtime, int64_t bytes, SinoData *data)
{
    return insert(runtime, &fill_kind, bytes, (SinoAccess){data, SINO_WRITE});
}
