/* SPDX-License-Identifier: BSD-3-Clause */
/* Ending: a thread that waits for signals, and the list of last acts. Since a thread takes the signals, and no handler,
 * last acts may call any function that is safe in threads. */
#include "ending.h"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    pthread_mutex_t mutex; /* protects the members below; the end takes it for good */
    SinoLastAct *first;    /* the act added last */
    SinoLog *log;
    bool silent;   /* on signals */
    bool finished; /* only the exit is left */
    int exit_code; /* once finished */
    void (*end)(void *of, int exit_code);
    void *of;
    sigset_t signals; /* set once, before there are threads */
} ending = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* The time that a rank leaves rank 0 to speak. A launcher kills ranks a second or more after the signal. */
enum { COURTESY_US = 400000 };

/* The caller has the mutex. */
static void list(SinoLastAct *last)
{
    last->next = ending.first;
    last->previous = NULL;
    if (last->next) last->next->previous = last;
    ending.first = last;
}

void sino_ending_add(SinoLastAct *last)
{
    pthread_mutex_lock(&ending.mutex);
    list(last);
    pthread_mutex_unlock(&ending.mutex);
}

SinoStatus sino_ending_add_made(SinoLastAct *last, SinoStatus (*make)(void *of))
{
    pthread_mutex_lock(&ending.mutex);
    SinoStatus status = make(last->of);
    if (!status) list(last);
    pthread_mutex_unlock(&ending.mutex);
    return status;
}

void sino_ending_remove(SinoLastAct *last)
{
    pthread_mutex_lock(&ending.mutex);
    const bool listed = last->previous || ending.first == last;
    if (listed && last->next) last->next->previous = last->previous;
    if (listed) *(last->previous ? &last->previous->next : &ending.first) = last->next;
    last->next = last->previous = NULL;
    pthread_mutex_unlock(&ending.mutex);
}

void sino_ending_set_log(SinoLog *log)
{
    pthread_mutex_lock(&ending.mutex);
    ending.log = log;
    pthread_mutex_unlock(&ending.mutex);
}

void sino_ending_set_ranks(bool speaks, void (*end)(void *of, int exit_code), void *of)
{
    pthread_mutex_lock(&ending.mutex);
    ending.silent = !speaks;
    ending.end = end;
    ending.of = of;
    pthread_mutex_unlock(&ending.mutex);
}

void sino_ending_finish(int exit_code)
{
    pthread_mutex_lock(&ending.mutex);
    ending.finished = true;
    ending.exit_code = exit_code;
    pthread_mutex_unlock(&ending.mutex);
}

/* Runs the acts, late or not; returns their clauses, each after "; ". NULL: no memory. */
static char *run_acts(bool late)
{
    char *text = NULL, *clause = NULL;
    size_t size, clause_size;
    FILE *out = open_memstream(&text, &size);
    for (SinoLastAct *last = ending.first; last; last = last->next) {
        if (last->late != late) continue;
        FILE *own = open_memstream(&clause, &clause_size);
        last->act(last->of, own ? own : stderr);
        if (own) (void)fclose(own);
        if (own && out && clause_size > 0) fprintf(out, "; %s", clause);
        free(clause);
        clause = NULL;
    }
    if (out) (void)fclose(out);
    return text;
}

static void speak(const char *reason, const char *clauses)
{
    SinoStatus words = sino_error(SINO_FAILED, "%s%s; temporary files were removed", reason, clauses);
    if (ending.log)
        sino_log_last_words(ending.log, words);
    else
        fprintf(stderr, "sinodag: %s\n", sino_status_text(words));
}

/* Lets a further signal end the process, whatever the end waits for. */
static void let_signals_kill(void)
{
    static const int number[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        if (sigismember(&ending.signals, number[i]) == 1) signal(number[i], SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &ending.signals, NULL);
}

/* What other threads print while the process ends would hide the last words. */
static void silence(void)
{
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0) (void)dup2(null, STDERR_FILENO);
}

static bool begun;

bool sino_ending_has_begun(void)
{
    return __atomic_load_n(&begun, __ATOMIC_ACQUIRE);
}

static void end_now(const char *reason, int exit_code, bool speaks) __attribute__((noreturn));

static void end_now(const char *reason, int exit_code, bool speaks)
{
    if (__atomic_exchange_n(&begun, true, __ATOMIC_ACQ_REL))
        for (;;) pause();
    let_signals_kill();
    pthread_mutex_lock(&ending.mutex);
    if (ending.finished) _exit(ending.exit_code);
    const char *clauses = run_acts(false);
    if (speaks) speak(reason, clauses ? clauses : "");
    silence();
    (void)run_acts(true);
    if (ending.end) ending.end(ending.of, exit_code);
    _exit(exit_code);
}

void sino_ending_now(const char *reason, int exit_code)
{
    end_now(reason, exit_code, true);
}

static void *wait_for_signal(void *listening)
{
    int number = 0;
    sem_post(listening);
    while (sigwait(&ending.signals, &number) != 0) {
    }
    if (__atomic_load_n(&ending.silent, __ATOMIC_ACQUIRE)) usleep(COURTESY_US);
    end_now(number == SIGINT    ? "interrupted by SIGINT"
            : number == SIGTERM ? "ended by SIGTERM"
                                : "ended by SIGHUP, as the terminal was closed",
            128 + number, !__atomic_load_n(&ending.silent, __ATOMIC_ACQUIRE));
}

/* Programs that a library starts do not know that signals are blocked. */
static void unblock_in_child(void)
{
    pthread_sigmask(SIG_UNBLOCK, &ending.signals, NULL);
}

void sino_ending_watch_signals(void)
{
    static const int number[] = {SIGINT, SIGTERM, SIGHUP};
    pthread_t thread;
    sigemptyset(&ending.signals);
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        struct sigaction action;
        /* A blocked signal reaches sigwait even if it is ignored. */
        if (sigaction(number[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&ending.signals, number[i]);
    }
    if (pthread_sigmask(SIG_BLOCK, &ending.signals, NULL) != 0) return;
    static sem_t listening; /* the thread may still be inside sem_post when this function returns */
    const bool ready = sem_init(&listening, 0, 0) == 0 && pthread_atfork(NULL, NULL, unblock_in_child) == 0 &&
                       pthread_create(&thread, NULL, wait_for_signal, &listening) == 0;
    if (!ready) {
        unblock_in_child(); /* without a thread, signals end the process as usual */
        return;
    }
    pthread_detach(thread);
    /* A thread that begins may hold a lock of the allocator of an address sanitizer, which a child that the process
     * forks meanwhile would inherit, and wait for without end. */
    while (sem_wait(&listening) != 0) {
    }
}
