/* SPDX-License-Identifier: BSD-3-Clause */
/* Task measure (measure_fma, measure_read, measure_copy, measure_fill): the peak rates of a core, and data to measure
 * with. */
#include "rays_tasks.h"

#include "machine.h"
#include "task.h"

#include <string.h>

typedef struct Fma {
    SinoPrecision precision;
    int64_t rounds;
} Fma;

typedef struct Bytes {
    SinoOperand data;
    int64_t bytes;
} Bytes;

/* The value of every byte: a number of 0.26 in half, 1.7e-7 in single, 5e-57 in double, so that sums stay normal. */
enum { SMALL_NUMBER = 0x34 };

static SinoStatus multiply_add_cpu(const SinoTask *task)
{
    const Fma *of = task->arguments;
    sino_machine_multiply_add(of->precision, of->rounds);
    return NULL;
}

static SinoStatus read_cpu(const SinoTask *task)
{
    const Bytes *of = task->arguments;
    sino_machine_read(of->data.at, of->bytes);
    return NULL;
}

static SinoStatus copy_cpu(const SinoTask *task)
{
    const Bytes *of = task->arguments;
    const size_t half = (size_t)of->bytes / 2;
    memcpy((char *)of->data.at + half, of->data.at, half);
    return NULL;
}

static SinoStatus fill_cpu(const SinoTask *task)
{
    const Bytes *of = task->arguments;
    memset(of->data.at, SMALL_NUMBER, (size_t)of->bytes);
    return NULL;
}

static const SinoTaskKind multiply_add_kind = {
    .name = "measure_fma", .argument_bytes = sizeof(Fma), .cpu = multiply_add_cpu};
static const SinoTaskKind read_kind = {
    .name = "measure_read", SINO_ARGUMENTS(Bytes, SINO_READS(Bytes, data)), .cpu = read_cpu};
static const SinoTaskKind copy_kind = {
    .name = "measure_copy", SINO_ARGUMENTS(Bytes, SINO_UPDATES(Bytes, data)), .cpu = copy_cpu};
static const SinoTaskKind fill_kind = {
    .name = "measure_fill", SINO_ARGUMENTS(Bytes, SINO_WRITES(Bytes, data)), .cpu = fill_cpu};

SinoStatus sino_insert_measure_fma(SinoRuntime *runtime, SinoPrecision precision, int64_t rounds)
{
    const Fma arguments = {.precision = precision, .rounds = rounds};
    return SINO_SUBMIT(runtime, &multiply_add_kind, SINO_NOWHERE, &arguments, .work = (double)rounds);
}

static SinoStatus insert(SinoRuntime *runtime, const SinoTaskKind *kind, int64_t bytes, SinoData *data)
{
    const Bytes arguments = {.data.data = data, .bytes = bytes};
    return SINO_SUBMIT(runtime, kind, SINO_NOWHERE, &arguments, .work = (double)bytes);
}

SinoStatus sino_insert_measure_read(SinoRuntime *runtime, int64_t bytes, SinoData *data)
{
    return insert(runtime, &read_kind, bytes, data);
}

SinoStatus sino_insert_measure_copy(SinoRuntime *runtime, int64_t bytes, SinoData *data)
{
    return insert(runtime, &copy_kind, bytes, data);
}

SinoStatus sino_insert_measure_fill(SinoRuntime *runtime, int64_t bytes, SinoData *data)
{
    return insert(runtime, &fill_kind, bytes, data);
}
