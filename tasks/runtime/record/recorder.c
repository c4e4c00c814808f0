/* SPDX-License-Identifier: BSD-3-Clause */
/* Recorder: tasks, parts of the run, messages, and samples of memory and transfers. */
#include "recorder.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

/* Memory and transfers are looked at when a task ends, at most every SAMPLE_STEP_US. With SAMPLES_MAX samples every
 * second one is dropped, and from then on they are twice as far apart. */
enum { SAMPLE_STEP_US = 1000, SAMPLES_MAX = 16384 };

_Static_assert(STARPU_NMAXWORKERS < 4095, "workers have 12 bits");

/* ---- tasks ---- */

/* Doubles an array that is full. */
static SinoStatus make_room(int64_t count, int64_t *capacity, size_t element, void *array)
{
    void *old;
    if (count < *capacity) return NULL;
    const int64_t wanted = 2 * *capacity + 64;
    memcpy(&old, array, sizeof old);
    void *longer = realloc(old, (size_t)sino_times(wanted, (int64_t)element));
    SINO_CHECK(longer, SINO_FAILED, "no memory to record tasks");
    memcpy(array, &longer, sizeof longer);
    *capacity = wanted;
    return NULL;
}

SinoStatus sino_recorder_add(SinoRecorder *recorder, const char *name, SinoPosition position, SinoRecorded **recorded)
{
    const int64_t number = recorder->task_count;
    if (number % SINO_RECORD_CHUNK == 0) {
        const int64_t chunks = number / SINO_RECORD_CHUNK;
        SINO_TRY(make_room(chunks, &recorder->chunk_capacity, sizeof *recorder->chunk, &recorder->chunk));
        SINO_TRY(
            sino_allocate(SINO_RECORD_CHUNK, sizeof **recorder->chunk, "records of tasks", &recorder->chunk[chunks]));
    }
    *recorded = sino_recorder_task(recorder, number);
    **recorded = (SinoRecorded){.name = name,
                                .slab = (int32_t)position.slab,
                                .minibatch = (int32_t)position.minibatch,
                                .partition = (int32_t)position.partition,
                                .iteration = (int32_t)position.iteration,
                                .first_edge = (uint32_t)recorder->edge_count};
    recorder->task_count++;
    return NULL;
}

SinoStatus sino_recorder_edge(SinoRecorder *recorder, int64_t from)
{
    SINO_CHECK(recorder->edge_count < UINT32_MAX, SINO_FAILED, "too many tasks to record: 2³² dependencies");
    SINO_TRY(make_room(recorder->edge_count, &recorder->edge_capacity, sizeof *recorder->edge, &recorder->edge));
    recorder->edge[recorder->edge_count++] = (uint32_t)from;
    return NULL;
}

static double microseconds(const struct timespec *time)
{
    return 1e6 * (double)time->tv_sec + 1e-3 * (double)time->tv_nsec;
}

/* ---- samples ---- */

static void thin_out(SinoRecorder *recorder)
{
    const int64_t width = recorder->sample_width;
    for (int64_t i = 0; 2 * i < recorder->sample_count; i++)
        memmove(recorder->sample + i * width, recorder->sample + 2 * i * width, (size_t)width * sizeof(int64_t));
    recorder->sample_count = (recorder->sample_count + 1) / 2;
    recorder->sample_step_us *= 2;
}

static int64_t used_bytes(unsigned node)
{
    const int64_t total = starpu_memory_get_total(node);
    return total > 0 ? total - (int64_t)starpu_memory_get_available(node) : -1;
}

/* With the mutex. */
static void take_sample(SinoRecorder *recorder, double now_us)
{
    if (recorder->sample_count == SAMPLES_MAX) thin_out(recorder);
    int64_t *sample = recorder->sample + recorder->sample_count++ * recorder->sample_width;
    sample[SINO_SAMPLE_TIME] = (int64_t)now_us;
    sample[SINO_SAMPLE_DATA] = sino_data_bytes(recorder->runtime);
    for (int64_t n = 0; n < recorder->node_count; n++) sample[SINO_SAMPLE_NODES + n] = used_bytes((unsigned)n);
    for (int64_t b = 0; b < recorder->bus_count; b++)
        sample[SINO_SAMPLE_NODES + recorder->node_count + b] =
            sino_transfers_total(recorder->runtime->transfers, (int)b).bytes;
    for (int64_t i = 0; i < recorder->sample_width; i++)
        if (sample[i] > recorder->most[i]) recorder->most[i] = sample[i];
    __atomic_store_n(&recorder->next_sample_us, (int64_t)(now_us + recorder->sample_step_us), __ATOMIC_RELAXED);
}

/* Takes a sample if it is time, unless another worker does. */
static void look(SinoRecorder *recorder, double now_us)
{
    if ((int64_t)now_us < __atomic_load_n(&recorder->next_sample_us, __ATOMIC_RELAXED)) return;
    if (pthread_mutex_trylock(&recorder->mutex) != 0) return;
    if ((int64_t)now_us >= recorder->next_sample_us) take_sample(recorder, now_us);
    pthread_mutex_unlock(&recorder->mutex);
}

void sino_recorder_ended(SinoRecorder *recorder, SinoRecorded *recorded, const struct starpu_task *task)
{
    const struct starpu_profiling_task_info *info = task->profiling_info;
    SinoRecordedPart *part = __atomic_load_n(&recorder->part, __ATOMIC_ACQUIRE);
    if (!info || !recorded || info->workerid < 0 || info->workerid >= recorder->worker_count) return;
    recorded->begin_us = microseconds(&info->start_time);
    recorded->end_us = microseconds(&info->end_time);
    recorded->worker = (unsigned)(info->workerid + 1) & 0xFFFu;
    recorded->part_number = part->number & 0x1FFFFu;
    const double fetch = microseconds(&info->acquire_data_end_time) - microseconds(&info->acquire_data_start_time);
    if (fetch > 0) {
        part->worker[info->workerid].fetch += fetch;
        recorded->fetch_us = (float)fetch;
        recorded->fetch_before_us = (float)(recorded->end_us - microseconds(&info->acquire_data_start_time));
    }
    look(recorder, recorded->end_us);
}

void sino_recorder_message(SinoRecorder *recorder, const char *name, double begin_us, int64_t bytes, int64_t process)
{
    const double end_us = starpu_timing_now();
    pthread_mutex_lock(&recorder->mutex);
    SinoStatus status =
        make_room(recorder->message_count, &recorder->message_capacity, sizeof *recorder->message, &recorder->message);
    if (!status)
        recorder->message[recorder->message_count++] = (SinoRecordedMessage){name, begin_us, end_us, bytes, process};
    pthread_mutex_unlock(&recorder->mutex);
    sino_status_free(status); /* a message that is not recorded is not worth a failure */
}

/* ---- parts ---- */

/* Adds to a part what StarPU has measured since the last look. */
static void measure_workers(const SinoRecorder *recorder, SinoRecordedPart *part)
{
    for (int64_t w = 0; w < recorder->worker_count; w++) {
        struct starpu_profiling_worker_info info;
        if (starpu_profiling_worker_get_info((int)w, &info) != 0) continue;
        part->worker[w].measured += microseconds(&info.total_time);
        part->worker[w].idle += microseconds(&info.sleeping_time);
    }
}

static SinoStatus new_part(const SinoRecorder *recorder, unsigned number, SinoRecordedPart **result)
{
    SinoRecordedPart *part;
    SINO_TRY(sino_allocate(1, sizeof *part, "a part of the run", &part));
    SinoStatus status = sino_allocate(recorder->worker_count, sizeof *part->worker, "a part of the run", &part->worker);
    if (status) {
        free(part);
        return status;
    }
    part->number = number;
    part->begin_us = starpu_timing_now();
    *result = part;
    return NULL;
}

/* From now on tasks belong to the part. */
static void change_part(SinoRecorder *recorder, SinoRecordedPart *part)
{
    measure_workers(recorder, recorder->part);
    recorder->part->end_us = starpu_timing_now();
    __atomic_store_n(&recorder->part, part, __ATOMIC_RELEASE);
    pthread_mutex_lock(&recorder->mutex);
    take_sample(recorder, starpu_timing_now());
    pthread_mutex_unlock(&recorder->mutex);
}

void sino_recorder_part_begin(SinoRecorder *recorder)
{
    const unsigned numbers = 1u << 17;
    SinoRecordedPart *last = recorder->first_part, *part = NULL;
    while (last->next) last = last->next;
    SinoStatus status = last->number + 1 < numbers ? new_part(recorder, last->number + 1, &part) : NULL;
    sino_status_free(status); /* tasks then belong to the part before */
    if (!part) return;
    last->next = part;
    change_part(recorder, part);
}

void sino_recorder_part_end(SinoRecorder *recorder, const char *name)
{
    if (recorder->part == recorder->first_part) return;
    snprintf(recorder->part->name, sizeof recorder->part->name, "%s", name);
    change_part(recorder, recorder->first_part);
}

/* ---- begin and end ---- */

SinoStatus sino_recorder_begin(SinoRuntime *runtime)
{
    SinoRecorder *recorder = runtime->recorder;
    recorder->runtime = runtime;
    recorder->worker_count = starpu_worker_get_count();
    recorder->node_count = starpu_memory_nodes_get_count();
    recorder->bus_count = starpu_bus_get_count();
    recorder->sample_width = SINO_SAMPLE_NODES + recorder->node_count + recorder->bus_count;
    recorder->sample_step_us = SAMPLE_STEP_US;
    SINO_TRY(sino_allocate(SAMPLES_MAX * recorder->sample_width, sizeof *recorder->sample, "samples of memory",
                           &recorder->sample));
    SINO_TRY(sino_allocate(recorder->sample_width, sizeof *recorder->most, "samples of memory", &recorder->most));
    SINO_TRY(new_part(recorder, 0, &recorder->first_part));
    recorder->part = recorder->first_part;
    measure_workers(recorder, recorder->part);
    memset(recorder->part->worker, 0, (size_t)recorder->worker_count * sizeof *recorder->part->worker);
#ifdef STARPU_HAVE_GLPK_H
    if (recorder->wants_profile && !SINO_SIMULATES) starpu_bound_start(0, 0); /* it needs measured models */
#endif
    recorder->begun = true;
    return NULL;
}

void sino_recorder_align(SinoRecorder *recorder)
{
    recorder->origin_us = starpu_timing_now();
}

static int by_begin(const void *a, const void *b)
{
    const SinoRecorded *x = *(SinoRecorded *const *)a, *y = *(SinoRecorded *const *)b;
    if (x->begin_us != y->begin_us) return x->begin_us < y->begin_us ? -1 : 1;
    return x->end_us < y->end_us ? -1 : x->end_us > y->end_us;
}

SinoStatus sino_recorder_settle(SinoRecorder *recorder)
{
    SinoRecorded **sorted;
    double *free_us; /* when each worker has ended its last task */
    int64_t count = 0;
    SINO_TRY(sino_allocate(recorder->task_count, sizeof *sorted, "records of tasks", &sorted));
    SinoStatus status = sino_allocate(recorder->worker_count + 1, sizeof *free_us, "records of tasks", &free_us);
    for (int64_t t = 0; !status && t < recorder->task_count; t++)
        if (sino_recorder_task(recorder, t)->worker > 0) sorted[count++] = sino_recorder_task(recorder, t);
    qsort(sorted, (size_t)count, sizeof *sorted, by_begin);
    for (int64_t i = 0; i < count; i++) {
        SinoRecorded *task = sorted[i];
        if (task->begin_us < free_us[task->worker]) task->begin_us = free_us[task->worker];
        if (task->end_us < task->begin_us) task->end_us = task->begin_us;
        free_us[task->worker] = task->end_us;
    }
    free(status ? NULL : free_us);
    free(sorted);
    return status;
}

void sino_recorder_free(SinoRecorder *recorder)
{
    if (!recorder) return;
    for (int64_t t = 0; t < recorder->task_count; t += SINO_RECORD_CHUNK) free(recorder->chunk[t / SINO_RECORD_CHUNK]);
    while (recorder->first_part) {
        SinoRecordedPart *part = recorder->first_part;
        recorder->first_part = part->next;
        free(part->worker);
        free(part);
    }
    sino_output_discard(recorder->trace);
    sino_output_discard(recorder->profile);
    free(recorder->settings);
    free(recorder->chunk);
    free(recorder->edge);
    free(recorder->message);
    free(recorder->sample);
    free(recorder->most);
    pthread_mutex_destroy(&recorder->mutex);
    free(recorder);
}
