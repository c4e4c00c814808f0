/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of the phantom of a PET scanner. */
#include "pet_task.h"

#include "phantom.h"
#include "task.h"

#include <math.h>

typedef struct ActivityArguments {
    const SinoPetScanner *scanner;
    int64_t z;
    float *slice;
} ActivityArguments;

typedef struct RowsArguments {
    const SinoPetScanner *scanner;
    int64_t crystal;
    const float *activity;
    SinoPetRows *made;
} RowsArguments;

typedef struct CountsArguments {
    SinoPetCounts counts;
} CountsArguments;

static SinoStatus activity_cpu(const SinoTask *task)
{
    const ActivityArguments *arguments = task->arguments;
    sino_pet_activity(arguments->scanner, arguments->z, arguments->slice);
    return NULL;
}

static SinoStatus rows_cpu(const SinoTask *task)
{
    const RowsArguments *arguments = task->arguments;
    SinoPetRows *made = arguments->made;
    SINO_TRY(sino_pet_rows(arguments->scanner, arguments->crystal, &made->rows));
    sino_pet_project(&made->rows, arguments->activity, made->mean);
    for (int64_t i = 0; i < made->rows.row_count; i++)
        if (made->rows.start[i + 1] == made->rows.start[i]) made->mean[i] = -1;
    return NULL;
}

static SinoStatus counts_cpu(const SinoTask *task)
{
    const CountsArguments *arguments = task->arguments;
    const SinoPetCounts *counts = &arguments->counts;
    for (int64_t i = 0; i < counts->row_count; i++) {
        const bool empty = counts->mean[i] < 0;
        const double additive = empty ? 0 : counts->additive;
        const double mean = empty ? 0 : counts->scale * counts->mean[i] + additive;
        const double count = sino_phantom_poisson(mean, counts->seed, counts->first + (uint64_t)i);
        counts->counts[i] = (int32_t)fmin(count, INT32_MAX);
        if (counts->terms) counts->terms[i] = (float)additive;
    }
    return NULL;
}

static const SinoTaskKind activity_kind = {
    .name = "pet_activity", .argument_bytes = sizeof(ActivityArguments), .cpu = activity_cpu};
static const SinoTaskKind rows_kind = {.name = "pet_rows", .argument_bytes = sizeof(RowsArguments), .cpu = rows_cpu};
static const SinoTaskKind counts_kind = {
    .name = "pet_counts", .argument_bytes = sizeof(CountsArguments), .cpu = counts_cpu};

static SinoStatus submit(SinoRuntime *runtime, const SinoTaskKind *kind, const void *arguments, double work)
{
    const SinoTaskRequest request = {
        .position = SINO_NOWHERE, .arguments = arguments, .argument_bytes = kind->argument_bytes, .work = work};
    return sino_task_submit(runtime, kind, &request);
}

SinoStatus sino_insert_pet_activity(SinoRuntime *runtime, const SinoPetScanner *scanner, int64_t z, float *slice)
{
    const ActivityArguments arguments = {.scanner = scanner, .z = z, .slice = slice};
    return submit(runtime, &activity_kind, &arguments, (double)(scanner->grid.x_count * scanner->grid.y_count));
}

SinoStatus sino_insert_pet_rows(SinoRuntime *runtime, const SinoPetScanner *scanner, int64_t crystal,
                                const float *activity, SinoPetRows *made)
{
    const RowsArguments arguments = {.scanner = scanner, .crystal = crystal, .activity = activity, .made = made};
    const double lines = (double)(sino_pet_crystals(scanner) - crystal);
    return submit(runtime, &rows_kind, &arguments, lines * (double)scanner->ray_count);
}

void sino_pet_rows_forget(SinoPetRows *made)
{
    sino_pet_rows_free(&made->rows);
}

SinoStatus sino_insert_pet_counts(SinoRuntime *runtime, const SinoPetCounts *counts)
{
    const CountsArguments arguments = {.counts = *counts};
    return submit(runtime, &counts_kind, &arguments, (double)counts->row_count);
}
