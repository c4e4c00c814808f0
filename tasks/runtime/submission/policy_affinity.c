/* SPDX-License-Identifier: BSD-3-Clause */
/* Policy affinity: where tasks go.
 *
 *     products, updates of a partition       the home of the partition of the minibatch
 *     reduce_…                               where the sum is; the first one where the partial sum is
 *     spread_…                               where the sum is, or, if that moves less, the home of the partition
 *     updates of all rays                    where the rays are
 *     scalars                                where they are; cores if they are in main memory
 *     what has no minibatch                  the first worker that is free
 *     what only cores can do                 cores
 *
 * Homes divide the minibatches, or the partitions of all minibatches, into runs of equal length, one for each device. A
 * minibatch is divided only if a product takes longer than its partial sum on the link. If the devices' memory does not
 * hold the whole operator, a partition has the same home in all minibatches, as its copy has (rays_device.c). If all
 * devices together are slower than the cores, cores take all that they can.
 *
 * Devices are taken as equally fast. Queues are sorted by sinodag's priorities: earlier slabs, then the minibatch that
 * is behind, then short steps. */
#include "policy_queue.h"

#include "arithmetic.h"
#include "policy_task.h"

#include <starpu_scheduler.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { CORES = -1, ANY = -2, SMALL_BYTES = 1 << 16 };

/* What is known of the graph, and what follows for homes. */
typedef struct Division {
    int64_t minibatches, partitions; /* the most that a task has been of */
    bool sockets;                    /* partial sums pass through sockets */
    bool whole;                      /* minibatches are not divided */
    bool striped;                    /* partitions have the same home in all minibatches */
    bool cores;                      /* devices are too slow */
} Division;

typedef struct Affinity {
    starpu_pthread_mutex_t mutex; /* of all below */
    SinoPolicyQueue cores, any, device[STARPU_NMAXWORKERS];
    Division division;
    int64_t settled; /* units of the division by which `whole`, `striped` and `cores` were found */
    /* Constant once StarPU has started. */
    int core_count, device_count;
    int core[STARPU_NMAXWORKERS], worker[STARPU_NMAXWORKERS]; /* numbers of workers: cores, devices */
    int place[STARPU_NMAXWORKERS];                            /* of a worker: CORES or the number of its device */
} Affinity;

static void begin(unsigned context)
{
    Affinity *of = calloc(1, sizeof *of);
    if (!of) abort();
    starpu_pthread_mutex_init(&of->mutex, NULL);
    starpu_sched_ctx_set_min_priority(context, INT_MIN);
    starpu_sched_ctx_set_max_priority(context, INT_MAX);
    starpu_sched_ctx_set_policy_data(context, of);
}

static void end(unsigned context)
{
    Affinity *of = starpu_sched_ctx_get_policy_data(context);
    sino_policy_queue_clear(&of->cores);
    sino_policy_queue_clear(&of->any);
    for (int d = 0; d < of->device_count; d++) sino_policy_queue_clear(&of->device[d]);
    starpu_pthread_mutex_destroy(&of->mutex);
    free(of);
}

static void add_workers(unsigned context, int *workers, unsigned count)
{
    Affinity *of = starpu_sched_ctx_get_policy_data(context);
    for (unsigned i = 0; i < count; i++) {
        const int worker = workers[i];
        const bool core = starpu_worker_get_type(worker) == STARPU_CPU_WORKER;
        of->place[worker] = core ? CORES : of->device_count;
        if (core)
            of->core[of->core_count++] = worker;
        else
            of->worker[of->device_count++] = worker;
    }
}

/* A worker that waits for the mutex lets others wake it. */
static Affinity *lock(unsigned context)
{
    Affinity *of = starpu_sched_ctx_get_policy_data(context);
    starpu_worker_relax_on();
    starpu_pthread_mutex_lock(&of->mutex);
    starpu_worker_relax_off();
    return of;
}

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* Tasks are submitted long before they are ready, so that the numbers are known when the first product is. */
static void submitted(struct starpu_task *task)
{
    SinoPolicyTask about;
    if (!sino_policy_task(task, &about)) return;
    Affinity *of = lock(task->sched_ctx);
    Division *division = &of->division;
    division->minibatches = sino_larger(division->minibatches, about.minibatch + 1);
    division->partitions = sino_larger(division->partitions, about.partition + 1);
    division->sockets |= strcmp(about.name, "spread_socket") == 0;
    starpu_pthread_mutex_unlock(&of->mutex);
}

/* ---- homes ---- */

static unsigned node_of(const Affinity *of, int device)
{
    return starpu_worker_get_memory_node((unsigned)of->worker[device]);
}

/* Microseconds by the models; not positive or NaN while there is none. */
static double expected_us(int worker, struct starpu_task *task)
{
    return starpu_task_expected_length(task, starpu_worker_get_perf_archtype(worker, task->sched_ctx), 0);
}

/* Of a product: the rays of a partition, which are its largest data beside the block. */
static int64_t ray_bytes(struct starpu_task *task, const SinoPolicyTask *about)
{
    int64_t most = 0;
    for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); i++) {
        const int64_t bytes = (int64_t)starpu_data_get_size(STARPU_TASK_GET_HANDLE(task, i));
        if (bytes < about->block_bytes) most = sino_larger(most, bytes);
    }
    return most;
}

/* Which home partitions have, as far as a product tells: times and bytes of others are much the same. */
static Division settle(const Affinity *of, Division division, struct starpu_task *task, const SinoPolicyTask *about)
{
    const double device_us = expected_us(of->worker[0], task);
    const double core_us = of->core_count > 0 ? expected_us(of->core[0], task) : 0;
    const double bytes_per_us = of->device_count > 1 ? starpu_transfer_bandwidth(node_of(of, 0), node_of(of, 1)) : 0;
    const int64_t memory = starpu_memory_get_total(node_of(of, 0)); /* −1: unknown */
    const int64_t of_operator = sino_times(2 * about->block_bytes, division.partitions);
    division.whole = bytes_per_us > 0 && device_us < (double)ray_bytes(task, about) / bytes_per_us;
    division.striped = memory > 0 && of_operator > memory / 2;
    division.cores = device_us > 0 && core_us > 0 && device_us / of->device_count > core_us / of->core_count;
    return division;
}

/* Runs of minibatches: 0, D, 2·D, … of D devices come first, then 1, D + 1, …, so that devices begin together, as
 * minibatches are loaded one after another. */
static int64_t rank_of(int64_t minibatch, int64_t minibatches, int64_t devices)
{
    const int64_t device = minibatch % devices;
    return sino_times(device, minibatches / devices) + sino_smaller(device, minibatches % devices) +
           minibatch / devices;
}

static int home_of(const Affinity *of, const Division *division, int64_t minibatch, int64_t partition)
{
    const int64_t p = sino_larger(partition, 0), devices = of->device_count;
    const int64_t m = rank_of(sino_larger(minibatch, 0), division->minibatches, devices);
    const int64_t partitions = sino_larger(division->partitions, 1);
    if (division->striped) return (int)(p % devices);
    if (division->whole) return (int)(sino_times(m, devices) / division->minibatches);
    return (int)(sino_times(sino_times(m, partitions) + p, devices) / sino_times(division->minibatches, partitions));
}

/* Partitions of the minibatch with the same home; at least 1 for a home of the minibatch. */
static int64_t neighbours(const Affinity *of, const Division *division, int64_t minibatch, int home)
{
    int64_t count = 0;
    for (int64_t p = 0; p < division->partitions; p++) count += home_of(of, division, minibatch, p) == home;
    return sino_larger(count, 1);
}

/* ---- where data are ---- */

/* Bytes of the data that the task accesses in these ways, all of them, and of these what a memory node has or has not.
 */
static int64_t bytes_on(struct starpu_task *task, unsigned ways, unsigned node, bool has)
{
    int64_t bytes = 0;
    for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); i++) {
        starpu_data_handle_t data = STARPU_TASK_GET_HANDLE(task, i);
        int allocated, valid, requested;
        if ((STARPU_TASK_GET_MODE(task, i) & ways) != ways) continue;
        starpu_data_query_status(data, (int)node, &allocated, &valid, &requested);
        if ((valid != 0) == has) bytes += (int64_t)starpu_data_get_size(data);
    }
    return bytes;
}

/* The device with most of these data; CORES: no device has any. */
static int holder_of(const Affinity *of, struct starpu_task *task, unsigned ways)
{
    int holder = CORES;
    int64_t most = 0;
    for (int d = 0; d < of->device_count; d++) {
        const int64_t bytes = bytes_on(task, ways, node_of(of, d), true);
        if (bytes > most) most = bytes, holder = d;
    }
    return holder;
}

static int64_t written_bytes(struct starpu_task *task)
{
    int64_t bytes = 0;
    for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); i++)
        if (STARPU_TASK_GET_MODE(task, i) & STARPU_W)
            bytes += (int64_t)starpu_data_get_size(STARPU_TASK_GET_HANDLE(task, i));
    return bytes;
}

/* Rays on their way down to partitions: what all partitions of a home read moves once. */
static bool moves_less_at(const Affinity *of, const Division *division, int home, struct starpu_task *task,
                          const SinoPolicyTask *about)
{
    const int64_t sharing = neighbours(of, division, about->minibatch, home);
    const bool last = strcmp(about->name, division->sockets ? "spread_socket" : "spread_node") == 0;
    return last && bytes_on(task, STARPU_R, node_of(of, home), false) / sharing < written_bytes(task);
}

/* ---- where tasks go ---- */

static bool can(int worker, struct starpu_task *task)
{
    unsigned variant;
    return starpu_worker_can_execute_task_first_impl((unsigned)worker, task, &variant) != 0;
}

/* Of a task of a minibatch, regardless of what it can run on. */
static int wish(const Affinity *of, const Division *division, struct starpu_task *task, const SinoPolicyTask *about)
{
    const bool up = begins(about->name, "reduce_"), down = begins(about->name, "spread_");
    const bool small = about->data_bytes < SMALL_BYTES;
    const int home = home_of(of, division, about->minibatch, about->partition);
    if (about->partition >= 0 && !up && !down) return home;
    int holder = up ? holder_of(of, task, STARPU_RW) : CORES;
    if (holder == CORES) holder = holder_of(of, task, STARPU_R);
    if (holder == CORES) return small ? CORES : down ? home : home_of(of, division, about->minibatch, 0);
    if (small && bytes_on(task, STARPU_R, node_of(of, holder), false) > 0) return CORES;
    return down && moves_less_at(of, division, home, task, about) ? home : holder;
}

static int choose(const Affinity *of, const Division *division, struct starpu_task *task, const SinoPolicyTask *about)
{
    const bool core = of->core_count > 0 && can(of->core[0], task);
    int first = 0, wished;
    while (first < of->device_count && !can(of->worker[first], task)) first++;
    if (first == of->device_count || (core && division->cores)) return CORES;
    if (!about || about->minibatch < 0) return core ? ANY : first;
    wished = wish(of, division, task, about);
    if (wished == CORES) return core ? CORES : first;
    return can(of->worker[wished], task) ? wished : first;
}

/* The division as it is when a task becomes ready. */
static Division division_at(struct starpu_task *task, const SinoPolicyTask *about)
{
    Affinity *of = lock(task->sched_ctx);
    Division division = of->division;
    const int64_t units = sino_times(division.minibatches, division.partitions);
    const bool settled = of->settled == units || of->device_count == 0;
    starpu_pthread_mutex_unlock(&of->mutex);
    if (settled || !about || task->flops <= 0 || about->partition < 0 || about->minibatch < 0) return division;
    division = settle(of, division, task, about);
    of = lock(task->sched_ctx);
    of->division.whole = division.whole;
    of->division.striped = division.striped;
    of->division.cores = division.cores;
    of->settled = units;
    starpu_pthread_mutex_unlock(&of->mutex);
    return division;
}

/* Wakes a core that sleeps, if there is one. */
static bool wake_core(const Affinity *of)
{
    for (int c = 0; c < of->core_count; c++)
        if (starpu_wake_worker_relax_light(of->core[c])) return true;
    return false;
}

static void wake(const Affinity *of, int place)
{
    if (place >= 0) (void)starpu_wake_worker_relax_light(of->worker[place]);
    if (place >= 0 || wake_core(of) || place == CORES) return;
    for (int d = 0; d < of->device_count && !starpu_wake_worker_relax_light(of->worker[d]); d++) {
    }
}

static int push(struct starpu_task *task)
{
    SinoPolicyTask known;
    const SinoPolicyTask *about = sino_policy_task(task, &known) ? &known : NULL;
    const Division division = division_at(task, about);
    Affinity *of = starpu_sched_ctx_get_policy_data(task->sched_ctx);
    const int place = choose(of, &division, task, about);
    if (place != ANY && of->device_count > 0)
        (void)starpu_prefetch_task_input_on_node(task, place < 0 ? STARPU_MAIN_RAM : node_of(of, place));
    (void)lock(task->sched_ctx);
    sino_policy_queue_push(place == ANY ? &of->any : place == CORES ? &of->cores : &of->device[place], task);
    starpu_push_task_end(task);
    starpu_pthread_mutex_unlock(&of->mutex);
    wake(of, place);
    return 0;
}

/* The first task of a queue, if the worker can run it. */
static struct starpu_task *take(SinoPolicyQueue *queue, unsigned worker)
{
    unsigned variant;
    struct starpu_task *task = sino_policy_queue_first(queue);
    if (!task || !starpu_worker_can_execute_task_first_impl(worker, task, &variant)) return NULL;
    starpu_task_set_implementation(task, variant);
    sino_policy_queue_pop(queue);
    return task;
}

static struct starpu_task *pop(unsigned context)
{
    const unsigned worker = (unsigned)starpu_worker_get_id_check();
    Affinity *of = lock(context);
    const int place = of->place[worker];
    struct starpu_task *task = take(place == CORES ? &of->cores : &of->device[place], worker);
    if (!task) task = take(&of->any, worker);
    starpu_pthread_mutex_unlock(&of->mutex);
    return task;
}

struct starpu_sched_policy sino_policy_affinity = {.init_sched = begin,
                                                   .deinit_sched = end,
                                                   .add_workers = add_workers,
                                                   .submit_hook = submitted,
                                                   .push_task = push,
                                                   .pop_task = pop,
#ifdef SINO_STARPU_POLICY_PREFETCHES
                                                   .prefetches = 1,
#endif
                                                   .policy_name = "sino-affinity",
                                                   .policy_description =
                                                       "each partition of the operator has a device of its own",
                                                   .worker_type = STARPU_WORKER_LIST};
