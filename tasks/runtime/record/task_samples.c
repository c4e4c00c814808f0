/* SPDX-License-Identifier: BSD-3-Clause */
/* Task samples: the times of a run's tasks, kept beside StarPU's models (models.h).
 *
 * Each worker has a table of its own, found by hashing, so that recording takes no lock: some 0.2 µs for a task.
 *
 * Between two tasks a worker releases the tasks that waited for the first one, asks the policy for another, and looks
 * for its data; a worker that was idle wakes up. That time is kept, too, by policy: from the end of the task before on
 * the worker, or of the last task that this one waited for, whichever was later, to the begin. */
#include "memory.h"
#include "models.h"
#include "runtime_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FIRST_SLOTS = 64, SLOTS_MOST = 8192 };

/* Tasks of a worker that are alike. */
typedef struct Slot {
    const SinoCodelet *codelet; /* the first one of its model; NULL: the slot is free */
    long step;                  /* of the bytes */
    SinoSampleEntry entry;
} Slot;

typedef struct Worker {
    unsigned device;
    Slot *slot; /* [slot_count]: a hash table; NULL: no memory, or no task yet */
    int64_t slot_count, used;
    uint64_t random;
    double free_us; /* when it has ended its last task */
    SinoSampleEntry between[SINO_BETWEEN_CLASSES];
} Worker;

struct SinoTaskSamples {
    bool renew;
    int64_t worker_count;
    Worker worker[];
};

static unsigned device_of(int worker)
{
    const enum starpu_worker_archtype type = starpu_worker_get_type(worker);
    return type == STARPU_CUDA_WORKER     ? SINO_DEVICE_CUDA
           : type == STARPU_OPENCL_WORKER ? SINO_DEVICE_OPENCL
                                          : SINO_DEVICE_CPU;
}

SinoStatus sino_task_samples_new(bool renew, SinoTaskSamples **samples)
{
    const int64_t workers = starpu_worker_get_count();
    const size_t bytes = sizeof(SinoTaskSamples) + (size_t)workers * sizeof(Worker);
    SINO_TRY(sino_allocate(1, bytes, "times of tasks", samples));
    (*samples)->renew = renew;
    (*samples)->worker_count = workers;
    for (int w = 0; w < (int)workers; w++) {
        (*samples)->worker[w].device = device_of(w);
        (*samples)->worker[w].random = 0x9E3779B97F4A7C15u + (uint64_t)w;
    }
    return NULL;
}

/* The slot of a key: the one that has it, or a free one. */
static Slot *probe(Slot *slot, int64_t count, const SinoCodelet *codelet, uint32_t footprint, long step)
{
    uint64_t at = ((uint64_t)footprint * 31 + (uint64_t)step) * 0x9E3779B97F4A7C15u ^ (uintptr_t)codelet >> 4;
    for (;; at++) {
        Slot *here = &slot[at & (uint64_t)(count - 1)];
        if (!here->codelet) return here;
        if (here->codelet == codelet && here->entry.footprint == footprint && here->step == step) return here;
    }
}

/* Keeps a quarter of the slots free. */
static void grow(Worker *worker)
{
    if (4 * worker->used < 3 * worker->slot_count || worker->slot_count == SLOTS_MOST) return;
    const int64_t count = worker->slot_count > 0 ? 2 * worker->slot_count : FIRST_SLOTS;
    Slot *slot = calloc((size_t)count, sizeof *slot);
    if (!slot) return;
    for (int64_t i = 0; i < worker->slot_count; i++) {
        const Slot *old = &worker->slot[i];
        if (old->codelet) *probe(slot, count, old->codelet, old->entry.footprint, old->step) = *old;
    }
    free(worker->slot);
    worker->slot = slot;
    worker->slot_count = count;
}

/* NULL: there is no room for another entry. */
static SinoSampleEntry *entry_of(Worker *worker, const SinoCodelet *codelet, const SinoTaskFeatures *task)
{
    const long step = sino_sample_step((double)task->bytes);
    grow(worker);
    if (!worker->slot) return NULL;
    Slot *slot = probe(worker->slot, worker->slot_count, codelet, task->footprint, step);
    if (slot->codelet) return &slot->entry;
    if (4 * (worker->used + 1) > 3 * worker->slot_count) return NULL;
    worker->used++;
    *slot = (Slot){.codelet = codelet,
                   .step = step,
                   .entry = {.device = worker->device,
                             .footprint = task->footprint,
                             .width = task->width,
                             .precision = task->precision,
                             .variant = task->variant}};
    snprintf(slot->entry.symbol, sizeof slot->entry.symbol, "%s", task->symbol);
    return &slot->entry;
}

/* ---- */

/* Asking for processor time takes 0.2 to 0.9 µs. Tasks with less data last some 0.5 ms at most, and few of them are
 * interrupted. Tasks without data build the operator. */
static bool is_long(const SinoTaskRecord *record)
{
    return !record->kind->waits && (record->bytes == 0 || record->bytes >= 4 << 20);
}

static double busy_us(void)
{
    struct timespec busy;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &busy) != 0) return -1;
    return 1e6 * (double)busy.tv_sec + 1e-3 * (double)busy.tv_nsec;
}

/* The calling worker, if it is a core; else NULL. */
static Worker *this_core(const SinoTaskRecord *record)
{
    SinoTaskSamples *const samples = record->task.runtime->samples;
    const int number = starpu_worker_get_id();
    const bool known = number >= 0 && number < samples->worker_count;
    return known && samples->worker[number].device == SINO_DEVICE_CPU ? &samples->worker[number] : NULL;
}

/* A core tells this after its last task, which the one that is ready has waited for. */
void sino_task_samples_ready(SinoTaskRecord *record)
{
    const Worker *core = this_core(record);
    record->ready_us = core && core->free_us > 0 ? core->free_us : starpu_timing_now();
}

void sino_task_samples_begin(SinoTaskRecord *record)
{
    const Worker *core = this_core(record);
    record->busy_us = is_long(record) ? busy_us() : -1;
    record->begin_us = starpu_timing_now();
    record->before_us = core && record->ready_us > 0 ? record->begin_us - fmax(core->free_us, record->ready_us) : -1;
}

/* Time that the core has spent on other programs does not belong to the task. */
void sino_task_samples_end(SinoTaskRecord *record)
{
    Worker *const core = this_core(record);
    const double now_us = starpu_timing_now();
    record->took_us = now_us - record->begin_us;
    if (core) core->free_us = now_us;
    if (record->busy_us >= 0) record->took_us = fmin(record->took_us, busy_us() - record->busy_us);
}

/* What the time of one of our tasks depends on, with the footprint on a worker. */
static SinoTaskFeatures features_of(struct starpu_task *task, int worker)
{
    const SinoTaskRecord *record = task->cl_arg;
    struct starpu_perfmodel_arch *arch = starpu_worker_get_perf_archtype(worker, 0);
    return (SinoTaskFeatures){.symbol = task->cl->model->symbol,
                              .footprint = starpu_task_footprint(task->cl->model, task, arch, 0),
                              .work = record->work,
                              .flops = record->flops,
                              .bytes = record->bytes,
                              .width = record->width,
                              .precision = record->precision,
                              .variant = record->variant};
}

/* A device launches tasks ahead; there a task begins when the one before it has ended. */
static double on_device(Worker *worker, const SinoTaskRecord *record)
{
    const double now_us = starpu_timing_now(), took_us = now_us - fmax(record->begin_us, worker->free_us);
    worker->free_us = now_us;
    return took_us;
}

static void add_between(Worker *worker, const SinoTaskRecord *record)
{
    const int number = sino_between_class(record->bytes);
    if (record->before_us > 0)
        sino_sample_add(&worker->between[number], 0, 0, sino_between_bytes(number), record->before_us, &worker->random);
}

void sino_task_samples_ended(SinoTaskSamples *samples, const SinoCodelet *codelet, struct starpu_task *task)
{
    const SinoTaskRecord *record = task->cl_arg;
    const int number = starpu_worker_get_id();
    if (number < 0 || number >= samples->worker_count || !(record->begin_us > 0)) return;
    Worker *worker = &samples->worker[number];
    const double us = worker->device == SINO_DEVICE_CPU ? record->took_us : on_device(worker, record);
    if (!(us > 0)) return;
    const SinoTaskFeatures features = features_of(task, number);
    SinoSampleEntry *entry = entry_of(worker, codelet->first, &features);
    add_between(worker, record);
    if (entry) sino_sample_add(entry, features.work, features.flops, (double)features.bytes, us, &worker->random);
}

static SinoStatus collect_between(const Worker *worker, const char *policy, SinoSampleTable *run)
{
    for (int number = 0; number < SINO_BETWEEN_CLASSES; number++) {
        SinoSampleEntry entry = worker->between[number];
        if (entry.time_count == 0) continue;
        entry.device = worker->device;
        sino_between_symbol(policy, entry.symbol);
        SINO_TRY(sino_sample_table_add(run, &entry));
    }
    return NULL;
}

static SinoStatus collect(const SinoTaskSamples *samples, const char *policy, SinoSampleTable *run)
{
    for (int64_t w = 0; w < samples->worker_count; w++) SINO_TRY(collect_between(&samples->worker[w], policy, run));
    for (int64_t w = 0; w < samples->worker_count; w++)
        for (int64_t i = 0; i < samples->worker[w].slot_count; i++)
            if (samples->worker[w].slot[i].codelet)
                SINO_TRY(sino_sample_table_add(run, &samples->worker[w].slot[i].entry));
    return NULL;
}

static void write_table(const char *path, const SinoSampleTable *table)
{
    SinoModelFile file = {0};
    FILE *out = open_memstream(&file.text, &file.bytes);
    if (!out) return;
    sino_sample_table_print(table, out);
    if (fclose(out) == 0) (void)sino_model_file_write_plain(path, &file);
    sino_model_file_free(&file);
}

/* Adds the run's times to those that earlier runs have kept. Without memory or disk they are lost, as StarPU's are. */
static void keep(const SinoTaskSamples *samples, const char *policy, const char *path)
{
    SinoSampleTable run = {0}, kept = {0};
    SinoModelFile file;
    if (sino_model_file_read_plain(path, &file)) {
        (void)sino_sample_table_parse(file.text, &kept);
        sino_model_file_free(&file);
    }
    SinoStatus status = collect(samples, policy, &run);
    if (!status) status = sino_sample_table_merge(&kept, &run, samples->renew);
    if (!status && run.count > 0) write_table(path, &kept);
    sino_status_free(status);
    sino_sample_table_free(&run);
    sino_sample_table_free(&kept);
}

void sino_task_samples_close(SinoTaskSamples *samples, const SinoModels *models, const char *policy)
{
    char *path = samples ? sino_models_samples_path(models) : NULL;
    if (path) keep(samples, policy, path);
    free(path);
    for (int64_t w = 0; samples && w < samples->worker_count; w++) free(samples->worker[w].slot);
    free(samples);
}
