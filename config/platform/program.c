/* SPDX-License-Identifier: BSD-3-Clause */
/* Program: fork and exec; a last act ends the child before this process ends. */
#include "child.h"

#include "ending.h"
#include "platform.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NOT_STARTED = 127, PATIENCE_MS = 5000 };

/* In the place of a child's number: none, and one that is about to start. */
enum { NO_CHILD = 0, SOON = -1 };

/* In the child, where only functions that are safe in signal handlers may be called. */
static void become(const char *path, char *const *argument, int log, pid_t parent)
{
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    const bool fine = null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(null, STDOUT_FILENO) >= 0 &&
                      dup2(log, STDERR_FILENO) >= 0 && getppid() == parent;
    if (fine) (void)execv(path, argument);
    _exit(NOT_STARTED);
}

static void pause_ms(long milliseconds)
{
    const struct timespec time = {.tv_nsec = milliseconds * 1000000};
    (void)nanosleep(&time, NULL);
}

/* Whether the child has ended; it is not reaped, because another thread waits for it. */
static bool has_ended(pid_t child)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == child;
}

/* A last act: the thread that waits for the child does not go on afterwards, since the end of the process has the lock
 * that removing the act needs. */
static void end_child(void *of, FILE *clause)
{
    pid_t *const running = of;
    (void)clause;
    for (int i = 0; __atomic_load_n(running, __ATOMIC_ACQUIRE) == SOON && i < PATIENCE_MS; i++) pause_ms(1);
    const pid_t child = __atomic_load_n(running, __ATOMIC_ACQUIRE);
    if (child <= 0) return;
    (void)kill(child, SIGTERM);
    for (int i = 0; i < PATIENCE_MS / 10 && !has_ended(child); i++) pause_ms(10);
    if (!has_ended(child)) (void)kill(child, SIGKILL);
}

/* The last line that is not empty. */
static void read_message(const char *log_path, char *message, size_t size)
{
    char line[4096];
    message[0] = '\0';
    FILE *file = fopen(log_path, "re");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = '\0';
        const char *words = strncmp(line, "sinodag: ", 9) == 0 ? line + 9 : line;
        if (*words) snprintf(message, size, "%.*s", (int)size - 1, words);
    }
    if (file) (void)fclose(file);
}

/* Waits for the end of the child, and kills it when it runs too long; it is not reaped. */
static bool await(pid_t child, double limit_s)
{
    siginfo_t info;
    int code;
    const double start_s = sino_platform_now_s();
    for (long pause = 1; limit_s > 0 && !has_ended(child); pause = pause < 20 ? pause + 1 : 20) {
        if (sino_platform_now_s() - start_s > limit_s) (void)kill(child, SIGKILL);
        pause_ms(pause);
    }
    do {
        code = waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
    } while (code < 0 && errno == EINTR);
    return code == 0;
}

/* The number of the child is its own until it is reaped; before, *running is cleared. */
static SinoStatus wait_for(pid_t child, pid_t *running, double limit_s, int *exit_code)
{
    int result = 0;
    const bool awaited = await(child, limit_s);
    __atomic_store_n(running, NO_CHILD, __ATOMIC_RELEASE);
    SINO_CHECK(awaited && waitpid(child, &result, 0) == child, SINO_FAILED, "a child process is lost: %s",
               strerror(errno));
    *exit_code = WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
    return NULL;
}

/* A terminal sends a signal to both processes: if the child is the first that ends, this one is about to end, too. */
static void wait_for_own_end(int exit_code)
{
    if (exit_code > 128) pause_ms(300);
    while (sino_ending_has_begun()) (void)pause();
}

static SinoStatus start(const char *path, char *const *argument, const char *log_path, pid_t *running)
{
    const pid_t parent = getpid();
    const int log = open(log_path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    SINO_CHECK(log >= 0, SINO_FAILED, "%s: %s", log_path, strerror(errno));
    const pid_t child = fork();
    if (child == 0) become(path, argument, log, parent);
    const int error_number = errno;
    close(log);
    SINO_CHECK(child > 0, SINO_FAILED, "no process for %s: %s", path, strerror(error_number));
    __atomic_store_n(running, child, __ATOMIC_RELEASE);
    return NULL;
}

SinoStatus sino_program_run(const char *path, char *const *argument, const char *log_path, double limit_s,
                            SinoProgramEnd *end)
{
    const double start_s = sino_platform_now_s();
    pid_t running = SOON;
    SinoLastAct last = {.act = end_child, .of = &running};
    *end = (SinoProgramEnd){.exit_code = 0};
    sino_ending_add(&last);
    SinoStatus status = start(path, argument, log_path, &running);
    if (status)
        __atomic_store_n(&running, NO_CHILD, __ATOMIC_RELEASE);
    else
        status = wait_for(running, &running, limit_s, &end->exit_code);
    sino_ending_remove(&last);
    end->elapsed_s = sino_platform_now_s() - start_s;
    if (status) return status;
    wait_for_own_end(end->exit_code);
    read_message(log_path, end->message, sizeof end->message);
    if (limit_s > 0 && end->elapsed_s > limit_s)
        snprintf(end->message, sizeof end->message, "it did not end in %g s", limit_s);
    return NULL;
}
