/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of the phantom of a PET scanner. */
#include "bricks_tasks.h"

#include "memory.h"
#include "phantom.h"
#include "task.h"

#include <math.h>
#include <stdlib.h>

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

static SinoStatus activity_cpu(const SinoTask *task)
{
    const ActivityArguments *arguments = task->arguments;
    sino_pet_activity(arguments->scanner, arguments->z, arguments->slice);
    return NULL;
}

/* Takes the means of a crystal's rows in an orientation. Rows for which others stand get theirs with these. */
static void take_means(const RowsArguments *arguments, int64_t orientation, const double *mean)
{
    const SinoPetScanner *scanner = arguments->scanner;
    const SinoSparseRows *rows = &arguments->made->rows;
    double *all = arguments->made->mean;
    const int64_t a = arguments->crystal;
    for (int64_t b = 0; b < rows->row_count; b++) {
        const double made = rows->start[b + 1] > rows->start[b] ? mean[b] : -1;
        if (a > b)
            all[rows->first_row + b] = -1;
        else if (sino_pet_is_lead(scanner, a, b))
            all[sino_pet_image_row(scanner, a, b, orientation)] = made;
    }
}

static SinoStatus rows_cpu(const SinoTask *task)
{
    const RowsArguments *arguments = task->arguments;
    const SinoPetScanner *scanner = arguments->scanner;
    const SinoVoxelGrid *grid = &scanner->grid;
    const int64_t voxels = grid->x_count * grid->y_count * grid->z_count;
    const int64_t orientations = sino_orientation_count(scanner->mirrors);
    SinoSparseRows *rows = &arguments->made->rows;
    double *mean = NULL;
    SINO_TRY(sino_pet_rows(scanner, arguments->crystal, rows));
    SINO_TRY(sino_allocate(rows->row_count, sizeof *mean, "mean counts", &mean));
    for (int64_t k = 0; k < orientations; k++) {
        sino_pet_project(rows, arguments->activity + k * voxels, mean);
        take_means(arguments, k, mean);
    }
    free(mean);
    return NULL;
}

static SinoStatus counts_cpu(const SinoTask *task)
{
    const SinoPetCounts *counts = task->arguments;
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
    .name = "pet_counts", .argument_bytes = sizeof(SinoPetCounts), .cpu = counts_cpu};

SinoStatus sino_insert_pet_activity(SinoRuntime *runtime, const SinoPetScanner *scanner, int64_t z, float *slice)
{
    const ActivityArguments arguments = {.scanner = scanner, .z = z, .slice = slice};
    return SINO_SUBMIT(runtime, &activity_kind, SINO_NOWHERE, &arguments,
                       .work = (double)(scanner->grid.x_count * scanner->grid.y_count));
}

SinoStatus sino_insert_pet_rows(SinoRuntime *runtime, const SinoPetScanner *scanner, int64_t crystal,
                                const float *activity, SinoPetRows *made)
{
    const RowsArguments arguments = {.scanner = scanner, .crystal = crystal, .activity = activity, .made = made};
    const double lines = (double)(sino_pet_crystals(scanner) - crystal);
    return SINO_SUBMIT(runtime, &rows_kind, SINO_NOWHERE, &arguments, .work = lines * (double)scanner->ray_count);
}

void sino_pet_rows_forget(SinoPetRows *made)
{
    sino_pet_rows_free(&made->rows);
}

SinoStatus sino_insert_pet_counts(SinoRuntime *runtime, const SinoPetCounts *counts)
{
    return SINO_SUBMIT(runtime, &counts_kind, SINO_NOWHERE, counts, .work = (double)counts->row_count);
}
