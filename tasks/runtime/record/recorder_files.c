/* SPDX-License-Identifier: BSD-3-Clause */
/* Recorder, files: opens and writes the files of --trace and --profile=FILE. Process 0 writes what all processes have
 * recorded. */
#include "recorder.h"

#include "memory.h"
#include "text.h"
#include "version.h"

#include <stdlib.h>
#include <string.h>

/* StarPU's bound is a linear program with a variable for each worker and each size of task, on the stack. */
enum { PROFILE_SCHEMA = 1, BOUND_WORKERS_MAX = 64, STREAM_BYTES = 1 << 20 };

SinoStatus sino_recorder_open(const SinoRuntimeRequest *request, SinoRecorder **result)
{
    SinoRecorder *recorder = NULL;
    SinoStatus status = NULL;
    const bool writes = sino_processes_rank(request->processes) == 0;
    const char *trace = sino_fxt_is_meant(request->trace_path) ? NULL : request->trace_path;
    if (!trace && !request->profile_path) return NULL;
    SINO_TRY(sino_allocate(1, sizeof *recorder, "the recorder", &recorder));
    pthread_mutex_init(&recorder->mutex, NULL);
    recorder->wants_trace = trace != NULL;
    recorder->wants_profile = request->profile_path != NULL;
    if (request->settings) recorder->settings = strdup(request->settings);
    if (request->settings && !recorder->settings) status = sino_error(SINO_FAILED, "no memory for the settings");
    if (!status && trace && writes) status = sino_output_open(trace, request->overwrite, &recorder->trace);
    if (!status && request->profile_path && writes)
        status = sino_output_open(request->profile_path, request->overwrite, &recorder->profile);
    SINO_GIVE(status, recorder, sino_recorder_free, result);
}

typedef SinoStatus Print(const SinoRecorder *recorder, FILE *out);

/* What another process has recorded, as text. */
static SinoStatus print_text(const SinoRecorder *recorder, Print *print, char **text, size_t *bytes)
{
    FILE *out = open_memstream(text, bytes);
    SINO_CHECK(out, SINO_FAILED, "no memory for what was recorded");
    SinoStatus status = print(recorder, out);
    const bool complete = fclose(out) == 0;
    if (!status && !complete) status = sino_error(SINO_FAILED, "no memory for what was recorded");
    return status;
}

/* Process 0 writes the texts of the others, in their order. */
static SinoStatus collect(SinoProcesses *processes, const char *text, int64_t bytes, FILE *out)
{
    const int64_t count = sino_processes_count(processes), rank = sino_processes_rank(processes);
    char *received = NULL;
    int64_t *all;
    SINO_TRY(sino_allocate(count, sizeof *all, "the sizes of texts", &all));
    SinoStatus status = sino_processes_gather(processes, sizeof bytes, &bytes, all);
    for (int64_t r = 1; !status && r < count; r++) {
        free(received);
        received = NULL;
        if (rank == 0) status = sino_allocate(all[r], 1, "what another rank has recorded", &received);
        status = sino_processes_agree(processes, status);
        if (!status) status = sino_processes_collect(processes, r, all[r], rank == r ? text : NULL, received);
        if (status || rank != 0) continue;
        fputc(',', out);
        fwrite(received, 1, (size_t)all[r], out);
    }
    free(received);
    free(all);
    return status;
}

/* Writes what all processes have recorded, in their order. Collective. */
static SinoStatus write_all(const SinoRecorder *recorder, Print *print, FILE *out)
{
    SinoProcesses *processes = recorder->runtime->processes;
    char *text = NULL;
    size_t bytes = 0;
    SinoStatus status = NULL;
    if (out)
        status = print(recorder, out);
    else
        status = print_text(recorder, print, &text, &bytes);
    status = sino_processes_agree(processes, status);
    if (!status && sino_processes_count(processes) > 1) status = collect(processes, text, (int64_t)bytes, out);
    free(text);
    return status;
}

static void print_versions(SinoJson *json, const SinoRecorder *recorder)
{
    char starpu[32];
    sino_json_text(json, "sinodag", sino_version_text());
    sino_json_text(json, "starpu", sino_runtime_starpu_version(starpu));
    sino_json_text(json, "scheduler", recorder->runtime->policy.name);
    sino_json_text(json, "settings", recorder->settings);
}

/* The stream of an output in process 0; NULL elsewhere. */
static SinoStatus stream_of(SinoOutputFile *output, FILE **out)
{
    *out = output ? sino_output_stream(output) : NULL;
    SINO_CHECK(*out || !output, SINO_FAILED, "no memory for what was recorded");
    if (*out) (void)setvbuf(*out, NULL, _IOFBF, STREAM_BYTES);
    return NULL;
}

/* The members of a file before those of the processes. */
typedef void Begin(SinoJson *json, const SinoRecorder *recorder, bool complete);

static void begin_trace(SinoJson *json, const SinoRecorder *recorder, bool complete)
{
    json->compact = true;
    sino_json_open(json, NULL);
    sino_json_text(json, "displayTimeUnit", "ms");
    sino_json_open(json, "otherData");
    print_versions(json, recorder);
    sino_json_flag(json, "complete", complete);
    sino_json_close(json);
    sino_json_open_list(json, "traceEvents");
    fputc('\n', json->out);
}

static void begin_profile(SinoJson *json, const SinoRecorder *recorder, bool complete)
{
    sino_json_open(json, NULL);
    sino_json_text(json, "schema", "sinodag-profile");
    sino_json_integer(json, "schema_version", PROFILE_SCHEMA);
    print_versions(json, recorder);
    sino_json_flag(json, "complete", complete);
    sino_json_open_list(json, "ranks");
}

/* Writes an output, which process 0 has, and gives it its name. Collective. */
static SinoStatus write_file(const SinoRecorder *recorder, SinoOutputFile **output, Begin *begin, Print *print,
                             bool complete)
{
    FILE *out;
    SINO_TRY(sino_processes_agree(recorder->runtime->processes, stream_of(*output, &out)));
    SinoJson json = {.out = out};
    if (out) begin(&json, recorder, complete);
    SinoStatus status = write_all(recorder, print, out);
    if (!out) return status;
    sino_json_close_list(&json);
    sino_json_close(&json);
    (void)fclose(out); /* the output keeps failures */
    if (status) return status;
    SinoOutputFile *written = *output;
    *output = NULL;
    return sino_output_seal(written);
}

static double starpu_bound_s(const SinoRecorder *recorder)
{
    double milliseconds = 0;
    (void)recorder;
#ifdef STARPU_HAVE_GLPK_H
    if (recorder->wants_profile && !SINO_SIMULATES) {
        starpu_bound_stop();
        if (recorder->worker_count <= BOUND_WORKERS_MAX) starpu_bound_compute(&milliseconds, NULL, 0);
    }
#endif
    return 1e-3 * milliseconds;
}

static SinoStatus write_files(SinoRecorder *recorder, bool complete)
{
    SINO_TRY(sino_processes_agree(recorder->runtime->processes, sino_recorder_settle(recorder)));
    recorder->bound_s = starpu_bound_s(recorder);
    if (recorder->wants_trace)
        SINO_TRY(write_file(recorder, &recorder->trace, begin_trace, sino_recorder_print_trace, complete));
    if (!recorder->wants_profile) return NULL;
    return write_file(recorder, &recorder->profile, begin_profile, sino_recorder_print_profile, complete);
}

SinoStatus sino_recorder_close(SinoRuntime *runtime, SinoStatus status)
{
    SinoRecorder *recorder = runtime->recorder;
    if (!recorder || !recorder->begun) return status;
    const bool failed = status != NULL;
    int64_t any[] = {failed, recorder->task_count > 0}; /* process with a failure, with tasks */
    SinoStatus written = sino_processes_largest(runtime->processes, &any[0]);
    if (!written) written = sino_processes_largest(runtime->processes, &any[1]);
    if (!written && (!any[0] || any[1])) written = write_files(recorder, !any[0]);
    if (!failed) return written;
    sino_status_free(written);
    return status;
}
