/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes: the processes of an MPI job. MPI must support several threads, because StarPU's own thread sends and
 * receives the messages of the task graph at the same time. */
#include "processes.h"

#include "ending.h"
#include "launcher.h"
#include "memory.h"
#include "text.h"
#include "watch.h"

#include <mpi.h>

#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIGNS_BYTES = 1 << 14 };

struct SinoProcesses {
    MPI_Comm comm; /* MPI_COMM_NULL: no MPI job */
    int rank, count;
    SinoWatch *watch;        /* NULL: signs of life are not given */
    double limit_s;          /* of the watch; its thread alone knows heard_ns */
    int64_t heard_ns;        /* when the process before this one has given a sign */
    char signs[SIGNS_BYTES]; /* of this process that are under way */
};

/* Bytes of one MPI call, which counts with an int. */
enum { PIECE = 1 << 30 };

/* Tags of messages between two processes. */
enum { LISTS, COLLECTED, SIGNS };

static SinoStatus check(int code, const char *what)
{
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    if (code == MPI_SUCCESS) return NULL;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
    return sino_error(SINO_FAILED, "MPI cannot %s: %.*s", what, length, text);
}

static SinoStatus join(SinoProcesses *processes)
{
    int provided = MPI_THREAD_SINGLE;
    SINO_TRY(check(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided), "start"));
    SINO_CHECK(provided >= MPI_THREAD_MULTIPLE, SINO_FAILED,
               "this MPI serves threads at level %d; needed: MPI_THREAD_MULTIPLE, %d", provided, MPI_THREAD_MULTIPLE);
    SINO_TRY(check(MPI_Comm_dup(MPI_COMM_WORLD, &processes->comm), "copy the communicator"));
    SINO_TRY(check(MPI_Comm_set_errhandler(processes->comm, MPI_ERRORS_RETURN), "set an error handler"));
    SINO_TRY(check(MPI_Comm_rank(processes->comm, &processes->rank), "tell the rank"));
    return check(MPI_Comm_size(processes->comm, &processes->count), "tell the number of processes");
}

/* The error for processes that MPI does not join as the launcher started them; every process gets it alike. */
static SinoStatus not_joined(const SinoLauncher *launcher, int count)
{
    const bool is_slurm = strcmp(launcher->name, "srun") == 0;
    if (launcher->rank > 0) return sino_error_told(SINO_BAD_INPUT); /* process 0 prints it */
    return sino_error(
        SINO_BAD_INPUT, "%s started %" PRId64 " processes (%s), but MPI joins %d of them; needed: %s", launcher->name,
        launcher->size, launcher->size_variable, count,
        is_slurm ? "the plug-in that fits the MPI library of sinodag (srun --mpi=pmix or --mpi=pmi2; srun --mpi=list "
                   "shows them), or that library's mpirun; for one process, an environment without SLURM_STEP_NUM_TASKS"
                 : "the launcher of the MPI library that sinodag was built with");
}

static SinoStatus join_launched(const SinoLauncher *launcher, SinoProcesses *processes)
{
    /* MPI would end the program with a message of its own, or give each task a world of its own. */
    if (launcher->size > 1 && !sino_launcher_serves_mpi(launcher)) return not_joined(launcher, 1);
    SINO_TRY(join(processes));
    return launcher->size == 0 || launcher->size == processes->count ? NULL : not_joined(launcher, processes->count);
}

SinoStatus sino_processes_start(SinoProcesses **result)
{
    SinoProcesses *processes = NULL;
    const SinoLauncher launcher = sino_launcher();
    SINO_TRY(sino_allocate(1, sizeof *processes, "the processes", &processes));
    *processes = (SinoProcesses){.comm = MPI_COMM_NULL, .count = 1};
    SinoStatus status = launcher.size == 1 ? NULL : join_launched(&launcher, processes);
    SINO_GIVE(status, processes, sino_processes_stop, result);
}

static int process_before(const SinoProcesses *processes)
{
    return (processes->rank + processes->count - 1) % processes->count;
}

/* A sign of life, `true`, or the last one, `false`. False: so many are under way that there is no room for it. */
static bool give_sign(const SinoProcesses *processes, bool goes_on)
{
    const int sign = goes_on, next = (processes->rank + 1) % processes->count;
    return MPI_Bsend(&sign, 1, MPI_INT, next, SIGNS, processes->comm) == MPI_SUCCESS;
}

/* Takes a sign, for which it waits. */
static bool take_sign(const SinoProcesses *processes)
{
    int goes_on = false;
    MPI_Recv(&goes_on, 1, MPI_INT, process_before(processes), SIGNS, processes->comm, MPI_STATUS_IGNORE);
    return goes_on;
}

static bool has_sign(const SinoProcesses *processes)
{
    int there = false;
    MPI_Iprobe(process_before(processes), SIGNS, processes->comm, &there, MPI_STATUS_IGNORE);
    return there;
}

static void end_without_sign(const SinoProcesses *processes) __attribute__((noreturn));

static void end_without_sign(const SinoProcesses *processes)
{
    char text[256], limit[SINO_DURATION_SIZE];
    snprintf(text, sizeof text,
             "rank %d: rank %d has given no sign of life for %s: it was stopped, or cannot be reached; --stall-limit "
             "sets how long a run waits, none: for ever",
             processes->rank, process_before(processes), sino_duration_text(processes->limit_s, limit));
    sino_ending_now(text, SINO_FAILED);
}

static void look(void *of, int64_t late_ns)
{
    SinoProcesses *processes = of;
    (void)give_sign(processes, true);
    processes->heard_ns += late_ns;
    while (has_sign(processes)) {
        (void)take_sign(processes);
        processes->heard_ns = sino_watch_now_ns();
    }
    if (1e-9 * (double)(sino_watch_now_ns() - processes->heard_ns) > processes->limit_s) end_without_sign(processes);
}

SinoStatus sino_processes_watch(SinoProcesses *processes, double limit_s)
{
    if (sino_processes_count(processes) == 1 || !(limit_s > 0)) return NULL;
    processes->limit_s = limit_s;
    MPI_Buffer_attach(processes->signs, SIGNS_BYTES);
    processes->heard_ns = sino_watch_now_ns();
    SinoStatus status = sino_watch_start(limit_s, look, processes, &processes->watch);
    status = sino_processes_agree(processes, status);
    if (!status) return NULL;
    sino_watch_stop(processes->watch);
    processes->watch = NULL;
    return status;
}

/* The watch goes on until all processes have come; then each takes the signs that are under way to it. */
static void stop_watch(SinoProcesses *processes)
{
    if (!processes->watch) return;
    MPI_Barrier(processes->comm);
    sino_watch_stop(processes->watch);
    while (!give_sign(processes, false)) {
    }
    while (take_sign(processes)) {
    }
    void *signs;
    int bytes;
    MPI_Buffer_detach(&signs, &bytes);
}

void sino_processes_stop(SinoProcesses *processes)
{
    int started = 0;
    if (!processes) return;
    stop_watch(processes);
    if (processes->comm != MPI_COMM_NULL) MPI_Comm_free(&processes->comm);
    if (MPI_Initialized(&started) == MPI_SUCCESS && started) MPI_Finalize();
    free(processes);
}

int64_t sino_processes_rank(const SinoProcesses *processes)
{
    return processes ? processes->rank : 0;
}

int64_t sino_processes_count(const SinoProcesses *processes)
{
    return processes ? processes->count : 1;
}

static bool is_alone(const SinoProcesses *processes)
{
    return !processes || processes->comm == MPI_COMM_NULL;
}

SinoStatus sino_processes_agree(SinoProcesses *processes, SinoStatus status)
{
    /* The minimum over processes of rank · 4 + kind of error gives the failed process of the lowest rank. */
    if (is_alone(processes)) return status;
    const int none = INT_MAX, told = INT_MAX - 4; /* added to the kind of an error without a text */
    const int kind = sino_status_exit_code(status);
    int own = !status ? none : *sino_status_text(status) ? 4 * processes->rank + kind : told + kind, first = none;
    SinoStatus failure = check(MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, processes->comm), "agree on a failure");
    if (failure) {
        if (!status) return failure;
        sino_status_free(failure);
        return status;
    }
    if (first == none || first == own) return status;
    sino_status_free(status);
    return sino_error_told((SinoErrorKind)(first >= told ? first - told : first % 4));
}

/* Ends this process if MPI_Abort does not, which may wait for a lock of a thread that is stuck. */
static void *end_by_force(void *exit_code)
{
    (void)sleep(2);
    _exit((int)(intptr_t)exit_code);
}

void sino_processes_end(SinoProcesses *processes, int exit_code)
{
    pthread_t thread;
    const bool force = pthread_create(&thread, NULL, end_by_force, (void *)(intptr_t)exit_code) == 0;
    if (force && !is_alone(processes)) MPI_Abort(processes->comm, exit_code);
    _exit(exit_code);
}

SinoStatus sino_processes_broadcast(SinoProcesses *processes, int64_t bytes, void *memory)
{
    for (int64_t at = 0; !is_alone(processes) && at < bytes; at += PIECE) {
        const int count = (int)(bytes - at < PIECE ? bytes - at : PIECE);
        SINO_TRY(check(MPI_Bcast((char *)memory + at, count, MPI_BYTE, 0, processes->comm), "broadcast"));
    }
    return NULL;
}

static SinoStatus reduce_all(SinoProcesses *processes, MPI_Op op, int64_t *value)
{
    if (is_alone(processes)) return NULL;
    return check(MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INT64_T, op, processes->comm), "compare a value");
}

SinoStatus sino_processes_least(SinoProcesses *processes, int64_t *value)
{
    return reduce_all(processes, MPI_MIN, value);
}

SinoStatus sino_processes_largest(SinoProcesses *processes, int64_t *value)
{
    return reduce_all(processes, MPI_MAX, value);
}

static SinoStatus reduce(SinoProcesses *processes, MPI_Op operation, MPI_Datatype type, size_t element, int64_t count,
                         void *value)
{
    const int64_t most = PIECE / (int64_t)element;
    for (int64_t at = 0; !is_alone(processes) && at < count; at += most) {
        void *piece = (char *)value + (size_t)at * element;
        const int n = (int)(count - at < most ? count - at : most);
        SINO_TRY(check(
            MPI_Reduce(processes->rank == 0 ? MPI_IN_PLACE : piece, piece, n, type, operation, 0, processes->comm),
            "add up"));
    }
    return NULL;
}

SinoStatus sino_processes_sum_doubles(SinoProcesses *processes, int64_t count, double *value)
{
    return reduce(processes, MPI_SUM, MPI_DOUBLE, sizeof *value, count, value);
}

SinoStatus sino_processes_sum_floats(SinoProcesses *processes, int64_t count, float *value)
{
    return reduce(processes, MPI_SUM, MPI_FLOAT, sizeof *value, count, value);
}

SinoStatus sino_processes_sum_integers(SinoProcesses *processes, int64_t count, int64_t *value)
{
    return reduce(processes, MPI_SUM, MPI_INT64_T, sizeof *value, count, value);
}

SinoStatus sino_processes_largest_floats(SinoProcesses *processes, int64_t count, float *value)
{
    return reduce(processes, MPI_MAX, MPI_FLOAT, sizeof *value, count, value);
}

SinoStatus sino_processes_gather(SinoProcesses *processes, int64_t bytes, const void *own, void *all)
{
    SINO_CHECK(bytes <= PIECE, SINO_FAILED, "%" PRId64 " bytes to be gathered; allowed: up to %d", bytes, PIECE);
    if (is_alone(processes)) {
        memcpy(all, own, (size_t)bytes);
        return NULL;
    }
    return check(MPI_Allgather(own, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, processes->comm), "gather");
}

SinoStatus sino_processes_collect(SinoProcesses *processes, int64_t from, int64_t bytes, const void *own,
                                  void *received)
{
    for (int64_t at = 0; !is_alone(processes) && at < bytes; at += PIECE) {
        const int count = (int)(bytes - at < PIECE ? bytes - at : PIECE);
        if (processes->rank == from)
            SINO_TRY(check(MPI_Send((const char *)own + at, count, MPI_BYTE, 0, COLLECTED, processes->comm), "send"));
        if (processes->rank == 0)
            SINO_TRY(check(MPI_Recv((char *)received + at, count, MPI_BYTE, (int)from, COLLECTED, processes->comm,
                                    MPI_STATUS_IGNORE),
                           "receive"));
    }
    return NULL;
}

/* In pieces. */
SinoStatus sino_processes_pass(SinoProcesses *processes, const SinoPassage *of)
{
    for (int64_t at = 0; at < of->send_bytes || at < of->receive_bytes; at += PIECE) {
        const int64_t out = of->send_bytes - at, in = of->receive_bytes - at;
        const int out_count = (int)(out < 0 ? 0 : out < PIECE ? out : PIECE);
        const int in_count = (int)(in < 0 ? 0 : in < PIECE ? in : PIECE);
        SINO_TRY(
            check(MPI_Sendrecv((const char *)of->send + (out_count > 0 ? at : 0), out_count, MPI_BYTE,
                               out_count > 0 ? (int)of->to : MPI_PROC_NULL, LISTS,
                               (char *)of->receive + (in_count > 0 ? at : 0), in_count, MPI_BYTE,
                               in_count > 0 ? (int)of->from : MPI_PROC_NULL, LISTS, processes->comm, MPI_STATUS_IGNORE),
                  "exchange data"));
    }
    return NULL;
}
