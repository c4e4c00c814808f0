/* SPDX-License-Identifier: BSD-3-Clause */
/* bench: the kernels of a kind of beam and the machine's limits, measured in one run. */
#include "bench.h"

#include "arithmetic.h"
#include "job_kind.h"
#include "memory.h"
#include "platform.h"
#include "workflows.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct Outputs {
    SinoOutputFile *csv, *roofline; /* NULL: not requested, or finished */
    SinoRooflineFormat format;
} Outputs;

/* Opens the output files before anything is measured, so that a file which cannot be written is refused at once. */
static SinoStatus open_outputs(const SinoSettings *settings, Outputs *outputs)
{
    if (settings->roofline) SINO_TRY(sino_roofline_format(settings->roofline, &outputs->format));
    if (settings->csv) SINO_TRY(sino_output_open(settings->csv, settings->overwrite, &outputs->csv));
    if (settings->roofline) SINO_TRY(sino_output_open(settings->roofline, settings->overwrite, &outputs->roofline));
    return NULL;
}

/* What is measured, for an error. */
static void name_subject(const SinoSettings *settings, const SinoBenchKind *kind, char text[80])
{
    if (kind->subject)
        snprintf(text, 80, "%s", kind->subject);
    else
        snprintf(text, 80, "%" PRId64 " columns and %" PRId64 " angles", settings->columns, settings->angles);
}

static SinoStatus check_memory(const SinoSettings *settings, const SinoBenchKind *kind, void *own, SinoRuntime *runtime)
{
    const int64_t available = sino_platform_available_bytes();
    const bool given = settings->memory_bytes > 0 && settings->memory_bytes < available;
    const int64_t budget = given ? settings->memory_bytes : available;
    int64_t needed;
    SINO_TRY(kind->bytes(own, runtime, budget, &needed));
    char budget_text[24], needed_text[24], subject[80];
    name_subject(settings, kind, subject);
    SINO_CHECK(needed <= budget, SINO_BAD_INPUT,
               "%s %s%s; measuring %s with %" PRId64 " workers needs %s; allowed: that much, or fewer %s or workers",
               given ? "memory is" : "this machine has", sino_bytes_text(budget, budget_text), given ? "" : " free",
               subject, sino_runtime_worker_count(runtime), sino_bytes_text(needed, needed_text), kind->fewer);
    return NULL;
}

static SinoStatus measure(const SinoSettings *settings, const SinoBenchKind *kind, SinoLog *log, void *own)
{
    const SinoRuntimeRequest request = {.workers = settings->workers,
                                        .scheduler = settings->scheduler,
                                        .stall_limit_s = settings->stall_limit_s,
                                        .log = log};
    SinoRuntime *runtime = NULL;
    SINO_TRY(sino_runtime_start(&request, &runtime));
    SinoStatus status = check_memory(settings, kind, own, runtime);
    if (!status) status = kind->measure(own, runtime);
    if (!status) return sino_runtime_stop(runtime);
    sino_runtime_abandon(runtime);
    return status;
}

static SinoStatus write_csv(const SinoBenchKind *kind, const void *own, SinoOutputFile *file)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    SINO_CHECK(out, SINO_FAILED, "no memory for a table");
    kind->print_csv(own, out);
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

static SinoStatus report(const SinoSettings *settings, const SinoBenchKind *kind, const void *own, SinoLog *log,
                         Outputs *outputs)
{
    kind->print(own, stdout);
    if (outputs->csv) SINO_TRY(finish(write_csv(kind, own, outputs->csv), &outputs->csv, settings->csv, log));
    if (outputs->roofline)
        SINO_TRY(
            finish(kind->draw(own, outputs->format, outputs->roofline), &outputs->roofline, settings->roofline, log));
    return NULL;
}

SinoStatus sino_bench(const SinoSettings *settings, SinoLog *log)
{
    static const SinoBenchKind *const kinds[SINO_JOBS] = {[SINO_JOB_SCAN] = &sino_bench_parallel,
                                                          [SINO_JOB_FDK] = &sino_bench_cone,
                                                          [SINO_JOB_VOLUME] = &sino_bench_cone,
                                                          [SINO_JOB_COUNTS] = &sino_bench_matrix};
    const SinoBenchKind *kind = kinds[sino_job_kind(settings)->job];
    SinoStatus status = NULL;
    Outputs outputs = {0};
    void *own = NULL;
    SINO_TRY_OR(status, end, kind->begin(settings, &own));
    SINO_TRY_OR(status, end, open_outputs(settings, &outputs));
    SINO_TRY_OR(status, end, measure(settings, kind, log, own));
    SINO_TRY_OR(status, end, report(settings, kind, own, log, &outputs));
end:
    sino_output_discard(outputs.csv);
    sino_output_discard(outputs.roofline);
    kind->release(own);
    return status;
}
