/* SPDX-License-Identifier: BSD-3-Clause */
/* Watch: a thread that sleeps until the next look, or until it shall stop. */
#include "watch.h"

#include "memory.h"
#include "platform.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct SinoWatch {
    double period_s;
    SinoLook look;
    void *of; /* not owned */
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t stopped;
    bool stop; /* protected by the mutex */
};

int64_t sino_watch_now_ns(void)
{
    return (int64_t)(1e9 * sino_platform_now_s());
}

double sino_watch_period_s(const SinoWatch *watch)
{
    return watch->period_s;
}

/* Waits for a period; true: the watch shall stop. */
static bool wait_for_stop(SinoWatch *watch)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const double at = (double)until.tv_nsec * 1e-9 + watch->period_s;
    until.tv_sec += (time_t)at;
    until.tv_nsec = (long)(1e9 * (at - (double)(time_t)at));
    pthread_mutex_lock(&watch->mutex);
    while (!watch->stop && pthread_cond_timedwait(&watch->stopped, &watch->mutex, &until) != ETIMEDOUT) {
    }
    const bool stop = watch->stop;
    pthread_mutex_unlock(&watch->mutex);
    return stop;
}

/* A watch that wakes up a period too late was suspended. */
static void *run(void *argument)
{
    SinoWatch *watch = argument;
    const int64_t period_ns = (int64_t)(1e9 * watch->period_s);
    int64_t asked_ns = sino_watch_now_ns();
    while (!wait_for_stop(watch)) {
        const int64_t late_ns = sino_watch_now_ns() - asked_ns - period_ns;
        watch->look(watch->of, late_ns > period_ns ? late_ns : 0);
        asked_ns = sino_watch_now_ns();
    }
    return NULL;
}

SinoStatus sino_watch_start(double limit_s, SinoLook look, void *of, SinoWatch **result)
{
    SinoWatch *watch = NULL;
    SINO_TRY(sino_allocate(1, sizeof *watch, "the watch for stalls", &watch));
    const double longest_s = 5, share = limit_s / 10;
    *watch = (SinoWatch){.period_s = share < longest_s ? share : longest_s, .look = look, .of = of};
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&watch->mutex, NULL);
    pthread_cond_init(&watch->stopped, &monotonic);
    pthread_condattr_destroy(&monotonic);
    const int code = pthread_create(&watch->thread, NULL, run, watch);
    if (code != 0) free(watch);
    SINO_CHECK(code == 0, SINO_FAILED, "no thread to watch for stalls: %s", strerror(code));
    *result = watch;
    return NULL;
}

void sino_watch_stop(SinoWatch *watch)
{
    if (!watch) return;
    pthread_mutex_lock(&watch->mutex);
    watch->stop = true;
    pthread_cond_signal(&watch->stopped);
    pthread_mutex_unlock(&watch->mutex);
    pthread_join(watch->thread, NULL);
    pthread_cond_destroy(&watch->stopped);
    pthread_mutex_destroy(&watch->mutex);
    free(watch);
}
