/* SPDX-License-Identifier: BSD-3-Clause */
/* bench: the kernels of a kind of beam and the machine's limits, measured in one run. */
#include "bench.h"

#include "files.h"
#include "job_kind.h"
#include "memory.h"
#include "platform.h"
#include "workflows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct Outputs {
    SinoOutputFile *csv, *roofline; /* NULL: not requested, or finished */
} Outputs;

/* Opens the output files before anything is measured, so that a file which cannot be written is refused at once. */
static SinoStatus open_outputs(const SinoSettings *settings, Outputs *outputs)
{
    const char *ending = settings->bench.roofline ? strrchr(settings->bench.roofline, '.') : ".svg";
    SINO_CHECK(ending && strcasecmp(ending, ".svg") == 0, SINO_BAD_INPUT,
               "--roofline is '%s'; allowed: a name that ends in .svg", settings->bench.roofline);
    if (settings->bench.csv) SINO_TRY(sino_output_open(settings->bench.csv, settings->output.overwrite, &outputs->csv));
    if (settings->bench.roofline)
        SINO_TRY(sino_output_open(settings->bench.roofline, settings->output.overwrite, &outputs->roofline));
    return NULL;
}

/* What is measured, for an error. */
static void name_subject(const SinoSettings *settings, const SinoBenchKind *kind, char text[80])
{
    if (kind->subject)
        snprintf(text, 80, "%s", kind->subject);
    else
        snprintf(text, 80, "%" PRId64 " columns and %" PRId64 " angles", settings->input.columns,
                 settings->phantom.angles);
}

static SinoStatus check_memory(const SinoSettings *settings, const SinoBenchKind *kind, void *own, SinoRuntime *runtime)
{
    const int64_t available = sino_platform_available_bytes();
    const bool given = settings->runtime.memory_bytes > 0 && settings->runtime.memory_bytes < available;
    const int64_t budget = given ? settings->runtime.memory_bytes : available;
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
    const SinoRuntimeRequest request = {.workers = settings->runtime.workers,
                                        .scheduler = settings->runtime.scheduler,
                                        .stall_limit_s = settings->runtime.stall_limit_s,
                                        .log = log};
    SinoRuntime *runtime = NULL;
    SINO_TRY(sino_runtime_start(&request, &runtime));
    SinoStatus status = check_memory(settings, kind, own, runtime);
    if (!status) status = kind->measure(own, runtime);
    if (!status) return sino_runtime_stop(runtime);
    sino_runtime_abandon(runtime);
    return status;
}

typedef struct Text {
    void (*print)(const void *own, FILE *out);
    const void *own;
} Text;

static SinoStatus print_text(const void *of, FILE *out)
{
    const Text *text = of;
    text->print(text->own, out);
    return NULL;
}

static SinoStatus write_text(Text text, SinoOutputFile **file, const char *path, SinoLog *log)
{
    SinoOutputFile *finished = *file;
    if (!finished) return NULL;
    *file = NULL;
    SINO_TRY(sino_output_print(finished, print_text, &text));
    sino_log_info(log, "output", "written: %s", path);
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
    kind->print(own, stdout);
    SINO_TRY_OR(status, end, write_text((Text){kind->print_csv, own}, &outputs.csv, settings->bench.csv, log));
    SINO_TRY_OR(status, end, write_text((Text){kind->draw, own}, &outputs.roofline, settings->bench.roofline, log));
end:
    sino_output_discard(outputs.csv);
    sino_output_discard(outputs.roofline);
    kind->release(own);
    return status;
}
