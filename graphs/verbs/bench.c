/* SPDX-License-Identifier: BSD-3-Clause */
/* bench: the operator's kernels and the machine's limits, measured in one run. */
#include "bench.h"

#include "arithmetic.h"
#include "memory.h"
#include "platform.h"
#include "rays.h"
#include "workflows.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct Outputs {
    SinoOutputFile *csv, *roofline; /* NULL: not requested, or finished */
    SinoRooflineFormat format;
} Outputs;

static SinoStatus new_geometry(const SinoSettings *settings, double **angle_rad, SinoGeometry *geometry)
{
    const int64_t columns = settings->columns, angles = settings->angles;
    SINO_CHECK(columns * angles <= UINT32_MAX, SINO_BAD_INPUT,
               "%" PRId64 " angles × %" PRId64 " columns; allowed: 2³² rays", angles, columns);
    SINO_TRY(sino_allocate(angles, sizeof **angle_rad, "angles", angle_rad));
    for (int64_t k = 0; k < angles; k++) (*angle_rad)[k] = SINO_PI * (double)k / (double)angles;
    *geometry = (SinoGeometry){.angle_count = angles,
                               .column_count = columns,
                               .grid_size = columns,
                               .angle_rad = *angle_rad,
                               .center = (double)(columns - 1) / 2};
    return NULL;
}

/* Opens the output files before anything is measured, so that a file which cannot be written is refused at once. */
static SinoStatus open_outputs(const SinoSettings *settings, Outputs *outputs)
{
    if (settings->roofline) SINO_TRY(sino_roofline_format(settings->roofline, &outputs->format));
    if (settings->csv) SINO_TRY(sino_output_open(settings->csv, settings->overwrite, &outputs->csv));
    if (settings->roofline) SINO_TRY(sino_output_open(settings->roofline, settings->overwrite, &outputs->roofline));
    return NULL;
}

static SinoStatus check_memory(const SinoSettings *settings, const SinoGeometry *geometry, int64_t worker_count)
{
    const int64_t available = sino_platform_available_bytes();
    const bool given = settings->memory_bytes > 0 && settings->memory_bytes < available;
    const int64_t budget = given ? settings->memory_bytes : available;
    int64_t needed;
    SINO_TRY(sino_bench_bytes(settings, geometry, worker_count, &needed));
    char budget_text[24], needed_text[24];
    SINO_CHECK(needed <= budget, SINO_BAD_INPUT,
               "%s %s%s; measuring %" PRId64 " columns and %" PRId64 " angles with %" PRId64
               " workers needs %s; allowed: that much, or fewer columns, angles, slices or workers",
               given ? "memory is" : "this machine has", sino_bytes_text(budget, budget_text), given ? "" : " free",
               geometry->column_count, geometry->angle_count, worker_count, sino_bytes_text(needed, needed_text));
    return NULL;
}

static SinoStatus measure(const SinoSettings *settings, const SinoGeometry *geometry, SinoLog *log, SinoBench *bench)
{
    const SinoRuntimeRequest request = {.workers = settings->workers,
                                        .scheduler = settings->scheduler,
                                        .stall_limit_s = settings->stall_limit_s,
                                        .log = log};
    SinoRuntime *runtime = NULL;
    SINO_TRY(sino_runtime_start(&request, &runtime));
    SinoStatus status = check_memory(settings, geometry, sino_runtime_worker_count(runtime));
    if (!status) status = sino_bench_measure(runtime, settings, geometry, bench);
    if (!status) return sino_runtime_stop(runtime);
    sino_runtime_abandon(runtime);
    return status;
}

static SinoStatus write_csv(const SinoBench *bench, SinoOutputFile *file)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    SINO_CHECK(out, SINO_FAILED, "no memory for a table");
    sino_bench_print_csv(bench, out);
    const bool whole = fclose(out) == 0;
    if (whole) sino_output_write(file, 0, text, size);
    free(text);
    SINO_CHECK(whole, SINO_FAILED, "no memory for a table");
    return NULL;
}

/* Finishes a file: gives it its name, or removes it after a failure. */
static SinoStatus finish(SinoStatus status, SinoOutputFile **file, const char *path, SinoLog *log)
{
    SinoOutputFile *finished = *file;
    *file = NULL;
    if (status) {
        sino_output_discard(finished);
        return status;
    }
    SINO_TRY(sino_output_seal(finished));
    sino_log_info(log, "output", "written: %s", path);
    return NULL;
}

static SinoStatus report(const SinoSettings *settings, const SinoBench *bench, SinoLog *log, Outputs *outputs)
{
    sino_bench_print(bench, stdout);
    if (outputs->csv) SINO_TRY(finish(write_csv(bench, outputs->csv), &outputs->csv, settings->csv, log));
    if (outputs->roofline)
        SINO_TRY(finish(sino_bench_draw(bench, outputs->format, outputs->roofline), &outputs->roofline,
                        settings->roofline, log));
    return NULL;
}

SinoStatus sino_bench(const SinoSettings *settings, SinoLog *log)
{
    SinoStatus status = NULL;
    SinoGeometry geometry;
    double *angle_rad = NULL;
    Outputs outputs = {0};
    SinoBench bench = {0};
    SINO_TRY_OR(status, end, new_geometry(settings, &angle_rad, &geometry));
    SINO_TRY_OR(status, end, open_outputs(settings, &outputs));
    SINO_TRY_OR(status, end, measure(settings, &geometry, log, &bench));
    SINO_TRY_OR(status, end, report(settings, &bench, log, &outputs));
end:
    sino_output_discard(outputs.csv);
    sino_output_discard(outputs.roofline);
    free(bench.row);
    free(angle_rad);
    return status;
}
