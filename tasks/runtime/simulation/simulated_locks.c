/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulated locks: what StarPU's locks and conditions are in a simulation, in place of SimGrid's functions of these
 * names. SimGrid runs one actor at a time, until that calls SimGrid, so that a lock which nobody holds needs no call: a
 * task takes about eighty locks, of which one in thousands is held. SimGrid's own change to its scheduler and back for
 * each, which was more than half of the time of a simulation, and have half a KiB. */
#include <simgrid/actor.h>
#include <simgrid/cond.h>
#include <simgrid/mutex.h>
#include <simgrid/semaphore.h>

#include <stdbool.h>
#include <stdlib.h>

/* SimGrid declares them without prototypes. */
sg_mutex_t sg_mutex_init(void);
sg_cond_t sg_cond_init(void);

/* Actors that wait at a semaphore, which the first of them makes. */
typedef struct Queue {
    int waiting; /* actors that nobody has woken yet */
    sg_sem_t semaphore;
} Queue;

typedef struct Lock {
    bool held;
    Queue queue;
} Lock;

static void *new_memory(size_t bytes)
{
    void *memory = calloc(1, bytes);
    if (!memory) abort(); /* as SimGrid does */
    return memory;
}

static void join(Queue *queue)
{
    if (!queue->semaphore) queue->semaphore = sg_sem_init(0);
    queue->waiting++;
}

/* Waits until woken, after join; seconds < 0: for any time. Returns whether the time is over. */
static bool wait_in(Queue *queue, double seconds)
{
    if (seconds < 0) {
        sg_sem_acquire(queue->semaphore);
        return false;
    }
    const bool late = sg_sem_acquire_timeout(queue->semaphore, seconds);
    if (late && queue->waiting > 0) queue->waiting--;
    return late;
}

static void wake(Queue *queue, int count)
{
    queue->waiting -= count;
    for (int i = 0; i < count; i++) sg_sem_release(queue->semaphore);
}

static void close_queue(const Queue *queue)
{
    if (queue->semaphore) sg_sem_destroy(queue->semaphore);
}

/* ---- locks ---- */

sg_mutex_t sg_mutex_init(void)
{
    return new_memory(sizeof(Lock));
}

void sg_mutex_lock(sg_mutex_t mutex)
{
    Lock *const lock = (Lock *)mutex;
    while (lock->held) {
        join(&lock->queue);
        wait_in(&lock->queue, -1);
    }
    lock->held = true;
}

int sg_mutex_try_lock(sg_mutex_t mutex)
{
    Lock *const lock = (Lock *)mutex;
    const bool taken = !lock->held;
    if (!taken) sg_actor_yield(); /* whoever holds it goes on */
    if (taken) lock->held = true;
    return taken;
}

void sg_mutex_unlock(sg_mutex_t mutex)
{
    Lock *const lock = (Lock *)mutex;
    lock->held = false;
    if (lock->queue.waiting > 0) wake(&lock->queue, 1);
}

void sg_mutex_destroy(const_sg_mutex_t mutex)
{
    if (mutex) close_queue(&((const Lock *)mutex)->queue);
    free((void *)mutex);
}

/* ---- conditions ---- */

sg_cond_t sg_cond_init(void)
{
    return new_memory(sizeof(Queue));
}

/* Whoever wakes between unlocking and waiting leaves a token at the semaphore. */
static bool wait_unlocked(sg_cond_t condition, sg_mutex_t mutex, double seconds)
{
    Queue *const queue = (Queue *)condition;
    join(queue);
    sg_mutex_unlock(mutex);
    const bool late = wait_in(queue, seconds);
    sg_mutex_lock(mutex);
    return late;
}

void sg_cond_wait(sg_cond_t condition, sg_mutex_t mutex)
{
    wait_unlocked(condition, mutex, -1);
}

int sg_cond_wait_for(sg_cond_t condition, sg_mutex_t mutex, double delay)
{
    return wait_unlocked(condition, mutex, delay > 0 ? delay : 0);
}

void sg_cond_notify_one(sg_cond_t condition)
{
    Queue *const queue = (Queue *)condition;
    if (queue->waiting > 0) wake(queue, 1);
}

void sg_cond_notify_all(sg_cond_t condition)
{
    Queue *const queue = (Queue *)condition;
    wake(queue, queue->waiting);
}

void sg_cond_destroy(const_sg_cond_t condition)
{
    if (condition) close_queue((const Queue *)condition);
    free((void *)condition);
}
