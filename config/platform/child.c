/* SPDX-License-Identifier: BSD-3-Clause */
/* Child: fork without exec, limits of the kernel, and a pipe for the status: the exit code as a byte, then the text. */
#include "child.h"

#include "arithmetic.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void lower(__rlimit_resource_t resource, rlim_t most)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur <= most) return;
    limit.rlim_cur = most;
    (void)setrlimit(resource, &limit); /* lowering a limit is always allowed */
}

/* Bytes of this process that RLIMIT_DATA counts; 0: unknown. */
static int64_t data_bytes(void)
{
    enum { FIELDS_BEFORE = 5 };
    char line[256] = "", *at = line;
    long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file) return 0;
    if (fgets(line, sizeof line, file))
        for (int i = 0; i <= FIELDS_BEFORE; i++) pages = strtoll(at, &at, 10);
    (void)fclose(file);
    return sino_times(pages, sysconf(_SC_PAGESIZE));
}

static int64_t step_cpu_s; /* set in a child only; 0: this process is none */

void sino_child_step(void)
{
    struct rusage usage;
    struct rlimit limit;
    if (step_cpu_s == 0 || getrusage(RUSAGE_SELF, &usage) != 0 || getrlimit(RLIMIT_CPU, &limit) != 0) return;
    const struct timeval *user = &usage.ru_utime, *kernel = &usage.ru_stime;
    const int64_t used_s = user->tv_sec + kernel->tv_sec + (user->tv_usec + kernel->tv_usec) / 1000000;
    const rlim_t most = (rlim_t)(used_s + 1 + step_cpu_s);
    if (most < limit.rlim_max) limit.rlim_cur = most;
    (void)setrlimit(RLIMIT_CPU, &limit); /* the soft limit may be raised up to the hard one */
}

static void set_limits(const SinoChildLimits *limits)
{
    step_cpu_s = limits->cpu_s;
    const rlim_t stack = (rlim_t)64 << 20;
    lower(RLIMIT_CORE, 0);
    lower(RLIMIT_STACK, stack);
    lower(RLIMIT_CPU, (rlim_t)limits->cpu_s);
    lower(RLIMIT_DATA, (rlim_t)(data_bytes() + limits->memory_bytes));
}

/* The child answers to signals as a new process does, ends with its parent, and prints nothing: what a library has to
 * say about a hostile file is text of a stranger. */
static void settle(pid_t parent)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) (void)signal(signals[i], SIG_DFL);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(SINO_FAILED);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0) return;
    (void)dup2(nowhere, STDOUT_FILENO);
    (void)dup2(nowhere, STDERR_FILENO);
}

static bool send(int descriptor, const char *bytes, size_t count)
{
    while (count > 0) {
        const ssize_t sent = write(descriptor, bytes, count);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        bytes += sent;
        count -= (size_t)sent;
    }
    return true;
}

/* What the child said: the exit code, then the text with its NUL. */
typedef struct Answer {
    char *bytes; /* owned */
    size_t count;
} Answer;

static bool receive(int descriptor, Answer *answer)
{
    for (;;) {
        char piece[4096];
        const ssize_t got = read(descriptor, piece, sizeof piece);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got == 0;
        char *longer = realloc(answer->bytes, answer->count + (size_t)got);
        if (!longer) return false;
        memcpy(longer + answer->count, piece, (size_t)got);
        answer->bytes = longer;
        answer->count += (size_t)got;
    }
}

static SinoStatus describe_end(const char *what, const SinoChildLimits *limits, bool known, int result)
{
    if (known && WIFSIGNALED(result) && WTERMSIG(result) == SIGXCPU)
        return sino_error(SINO_BAD_INPUT,
                          "%s takes more than %" PRId64 " s of computing; allowed: files that are whole", what,
                          limits->cpu_s);
    if (known && WIFSIGNALED(result) &&
        (WTERMSIG(result) == SIGINT || WTERMSIG(result) == SIGTERM || WTERMSIG(result) == SIGKILL))
        return sino_error(SINO_FAILED, "%s was ended by signal %d", what, WTERMSIG(result));
    if (known && WIFSIGNALED(result))
        return sino_error(SINO_BAD_INPUT,
                          "%s makes the library that reads them crash (signal %d); allowed: files that are whole", what,
                          WTERMSIG(result));
    return sino_error(SINO_BAD_INPUT,
                      "%s ends without an answer, as for lack of memory (%" PRId64 " MiB); allowed: files that are "
                      "whole",
                      what, limits->memory_bytes >> 20);
}

static SinoStatus take_answer(const char *what, const SinoChildLimits *limits, pid_t child, int descriptor)
{
    Answer answer = {0};
    int result = 0;
    pid_t ended;
    const bool received = receive(descriptor, &answer);
    do {
        ended = waitpid(child, &result, 0);
    } while (ended < 0 && errno == EINTR);
    SinoStatus status = NULL;
    const bool whole = received && answer.count >= 2 && answer.bytes[answer.count - 1] == '\0';
    if (!whole)
        status = describe_end(what, limits, ended == child, result);
    else if (answer.bytes[0] != 0)
        status = sino_error(answer.bytes[0] == SINO_FAILED ? SINO_FAILED : SINO_BAD_INPUT, "%s", answer.bytes + 1);
    free(answer.bytes);
    return status;
}

__attribute__((noreturn)) static void be_child(int descriptor, pid_t parent, const SinoChildLimits *limits,
                                               SinoStatus (*work)(const void *context), const void *context)
{
    settle(parent);
    set_limits(limits);
    SinoStatus status = work(context);
    const char *text = sino_status_text(status), code = (char)sino_status_exit_code(status);
    const bool sent = send(descriptor, &code, 1) && send(descriptor, text, strlen(text) + 1);
    _exit(sent ? 0 : SINO_FAILED); /* without what this process would do at its exit */
}

SinoStatus sino_child_try(const char *what, const SinoChildLimits *limits, SinoStatus (*work)(const void *context),
                          const void *context)
{
    int pipe_ends[2];
    const pid_t parent = getpid();
    SINO_CHECK(pipe2(pipe_ends, O_CLOEXEC) == 0, SINO_FAILED, "%s: no pipe: %s", what, strerror(errno));
    const pid_t child = fork();
    if (child == 0) be_child(pipe_ends[1], parent, limits, work, context);
    const int error_number = errno;
    close(pipe_ends[1]);
    SinoStatus status = child > 0 ? take_answer(what, limits, child, pipe_ends[0])
                                  : sino_error(SINO_FAILED, "%s: no process: %s", what, strerror(error_number));
    close(pipe_ends[0]);
    return status;
}

SinoStatus sino_child_try_headers(const char *path, int64_t cpu_s, SinoStatus (*work)(const void *context),
                                  const void *context)
{
    const SinoChildLimits limits = {.cpu_s = cpu_s, .memory_bytes = (int64_t)512 << 20};
    char *what = NULL;
    SINO_CHECK(asprintf(&what, "reading the headers of '%s'", path) >= 0, SINO_FAILED, "no memory for a file name");
    SinoStatus status = sino_child_try(what, &limits, work, context);
    free(what);
    return status;
}
