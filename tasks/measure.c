/* SPDX-License-Identifier: BSD-3-Clause */
/* measure_fma, measure_read, measure_fill: what a core can do at best, and data to measure with. */
#include "tasks.h"

#include <string.h>

typedef struct FmaArguments {
    SinoTaskHead head;
    SinoPrecision precision;
    int64_t rounds;
} FmaArguments;

typedef struct BytesArguments {
    SinoTaskHead head;
    int64_t bytes;
} BytesArguments;

/* Every byte of the data: 0.26 in half, 1.7e-7 in single, 5e-57 in double, so that sums of them stay normal. */
enum { SMALL_NUMBER = 0x34 };

static SinoStatus multiply_add(void *buffers[], const FmaArguments *arguments)
{
    (void)buffers;
    sino_machine_multiply_add(arguments->precision, arguments->rounds);
    return NULL;
}

static SinoStatus read_all(void *buffers[], const BytesArguments *arguments)
{
    sino_machine_read(sino_buffer(buffers, 0), arguments->bytes);
    return NULL;
}

static SinoStatus fill(void *buffers[], const BytesArguments *arguments)
{
    memset(sino_buffer(buffers, 0), SMALL_NUMBER, (size_t)arguments->bytes);
    return NULL;
}

SINO_CPU_FUNCTION(multiply_add_cpu, FmaArguments, multiply_add)
SINO_CPU_FUNCTION(read_cpu, BytesArguments, read_all)
SINO_CPU_FUNCTION(fill_cpu, BytesArguments, fill)
SINO_CODELET(multiply_add_codelet, "measure_fma", multiply_add_cpu)
SINO_CODELET(read_codelet, "measure_read", read_cpu)
SINO_CODELET(fill_codelet, "measure_fill", fill_cpu)

SinoStatus sino_insert_measure_fma(SinoRuntime *runtime, SinoPrecision precision, int64_t rounds)
{
    const FmaArguments arguments = {.head = {.work = (double)rounds}, .precision = precision, .rounds = rounds};
    return sino_task_submit(runtime, &multiply_add_codelet, SINO_NOWHERE, false, &arguments, sizeof arguments, 0, NULL);
}

static SinoStatus insert(SinoRuntime *runtime, struct starpu_codelet *codelet, int64_t bytes, SinoAccess access)
{
    const BytesArguments arguments = {.head = {.work = (double)bytes}, .bytes = bytes};
    return sino_task_submit(runtime, codelet, SINO_NOWHERE, false, &arguments, sizeof arguments, 1, &access);
}

SinoStatus sino_insert_measure_read(SinoRuntime *runtime, int64_t bytes, SinoData *data)
{
    return insert(runtime, &read_codelet, bytes, (SinoAccess){data, STARPU_R});
}

SinoStatus sino_insert_measure_fill(SinoRuntime *runtime, int64_t bytes, SinoData *data)
{
    return insert(runtime, &fill_codelet, bytes, (SinoAccess){data, STARPU_W});
}
