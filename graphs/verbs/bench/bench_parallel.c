/* SPDX-License-Identifier: BSD-3-Clause */
/* bench of parallel beams: the operator's kernels. */
#include "bench.h"
#include "memory.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct Parallel {
    const SinoSettings *settings;
    double *angle_rad;
    SinoGeometry geometry;
    SinoBench bench;
} Parallel;

static SinoStatus begin(const SinoSettings *settings, void **own)
{
    const int64_t columns = settings->input.columns, angles = settings->phantom.angles;
    Parallel *parallel;
    SINO_CHECK(columns * angles <= UINT32_MAX, SINO_BAD_INPUT,
               "%" PRId64 " angles × %" PRId64 " columns; allowed: 2³² rays", angles, columns);
    SINO_TRY(sino_allocate(1, sizeof *parallel, "figures", &parallel));
    *own = parallel;
    parallel->settings = settings;
    SINO_TRY(sino_allocate(angles, sizeof *parallel->angle_rad, "angles", &parallel->angle_rad));
    for (int64_t k = 0; k < angles; k++) parallel->angle_rad[k] = SINO_PI * (double)k / (double)angles;
    parallel->geometry = (SinoGeometry){.angle_count = angles,
                                        .column_count = columns,
                                        .grid_size = columns,
                                        .angle_rad = parallel->angle_rad,
                                        .center = (double)(columns - 1) / 2};
    return NULL;
}

static SinoStatus needed(void *own, SinoRuntime *runtime, int64_t budget_bytes, int64_t *bytes)
{
    const Parallel *parallel = own;
    (void)budget_bytes;
    return sino_bench_bytes(parallel->settings, &parallel->geometry, sino_runtime_worker_count(runtime), bytes);
}

static SinoStatus measure(void *own, SinoRuntime *runtime)
{
    Parallel *parallel = own;
    return sino_bench_measure(runtime, parallel->settings, &parallel->geometry, &parallel->bench);
}

static void print(const void *own, FILE *out)
{
    sino_bench_print(&((const Parallel *)own)->bench, out);
}

static void print_csv(const void *own, FILE *out)
{
    sino_bench_print_csv(&((const Parallel *)own)->bench, out);
}

static void draw(const void *own, FILE *out)
{
    sino_bench_draw(&((const Parallel *)own)->bench, out);
}

static void release(void *own)
{
    Parallel *parallel = own;
    if (!parallel) return;
    free(parallel->bench.row);
    free(parallel->angle_rad);
    free(parallel);
}

const SinoBenchKind sino_bench_parallel = {.begin = begin,
                                           .bytes = needed,
                                           .fewer = "columns, angles, slices",
                                           .measure = measure,
                                           .print = print,
                                           .print_csv = print_csv,
                                           .draw = draw,
                                           .release = release};
