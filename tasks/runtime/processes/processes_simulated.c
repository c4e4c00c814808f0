/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes: the ranks of a simulation, each of which is a copy of the program in one process of the system
 * (simulated_ranks.h). Values go through SimGrid's mailboxes, over the links of the simulated machine, and by binomial
 * trees or in turns, as MPI libraries send small values. MPI itself would not serve: SMPI knows StarPU's thread for
 * messages as the rank, and not the one that submits tasks. */
#include "processes.h"

#include "memory.h"
#include "simulated_ranks.h"

#include <simgrid/actor.h>
#include <simgrid/comm.h>
#include <simgrid/host.h>
#include <simgrid/mailbox.h>

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* StarPU's, of the copy. */
int starpu_mpi_world_rank(void);

struct SinoProcesses {
    int rank, count;
};

SinoStatus sino_processes_start(SinoProcesses **result)
{
    SinoProcesses *processes = NULL;
    char host[32];
    SINO_TRY(sino_allocate(1, sizeof *processes, "the processes", &processes));
    *processes = (SinoProcesses){.rank = starpu_mpi_world_rank(), .count = (int)sino_simulated_ranks.count};
    snprintf(host, sizeof host, SINO_SIMULATED_NODE "%" PRId64, processes->rank / sino_simulated_ranks.per_node);
    sg_actor_set_host(sg_actor_self(), sg_host_by_name(host)); /* its messages begin at the node's link */
    *result = processes;
    return NULL;
}

int64_t sino_processes_rank(const SinoProcesses *processes)
{
    return processes ? processes->rank : 0;
}

int64_t sino_processes_count(const SinoProcesses *processes)
{
    return processes ? processes->count : 1;
}

static int rank_of(const SinoProcesses *processes)
{
    return processes ? processes->rank : 0;
}

static int count_of(const SinoProcesses *processes)
{
    return processes ? processes->count : 1;
}

/* ---- from one rank to another ---- */

static sg_mailbox_t mailbox(int from, int to)
{
    char name[48];
    snprintf(name, sizeof name, "sinodag %d to %d", from, to);
    return sg_mailbox_by_name(name);
}

/* Bytes on their way (none, if nobody reads them), which the receiver frees: the sender may be gone by then. SimGrid
 * alone would hand over the address, but SMPI has it copy as many bytes as an address has, which therefore are the
 * address. */
typedef struct Parcel {
    struct Parcel *self;
    char bytes[];
} Parcel;

static SinoStatus begin_send(const SinoProcesses *processes, int to, int64_t bytes, const void *memory, sg_comm_t *sent)
{
    Parcel *parcel = NULL;
    const int64_t held = memory ? bytes : 0;
    SINO_TRY(sino_allocate((int64_t)sizeof *parcel + held, 1, "a message", &parcel));
    parcel->self = parcel;
    if (held > 0) memcpy(parcel->bytes, memory, (size_t)bytes);
    *sent = sg_mailbox_put_async(mailbox(processes->rank, to), parcel, bytes);
    return NULL;
}

static SinoStatus transmit(const SinoProcesses *processes, int to, int64_t bytes, const void *memory)
{
    sg_comm_t sent;
    SINO_TRY(begin_send(processes, to, bytes, memory, &sent));
    sg_comm_wait(sent);
    return NULL;
}

static void accept_from(const SinoProcesses *processes, int from, int64_t bytes, void *memory)
{
    Parcel *const parcel = sg_mailbox_get(mailbox(from, processes->rank));
    if (memory && bytes > 0) memcpy(memory, parcel->bytes, (size_t)bytes);
    free(parcel);
}

/* ---- all ranks ---- */

/* Adds `more` to `value`, element by element. */
typedef void Combine(int64_t count, const void *more, void *value);

/* Up a binomial tree, to rank 0. */
static SinoStatus reduce(SinoProcesses *processes, Combine *combine, int64_t count, size_t element, void *value)
{
    const int64_t bytes = sino_times(count, (int64_t)element);
    const int rank = rank_of(processes), all = count_of(processes);
    void *more = NULL;
    SINO_TRY(sino_allocate(bytes > 0 ? bytes : 1, 1, "a message", &more));
    SinoStatus status = NULL;
    for (int step = 1; step < all && !status; step *= 2) {
        if (rank & step) {
            status = transmit(processes, rank - step, bytes, value);
            break;
        }
        if (rank + step >= all) continue;
        accept_from(processes, rank + step, bytes, more);
        combine(count, more, value);
    }
    free(more);
    return status;
}

SinoStatus sino_processes_broadcast(SinoProcesses *processes, int64_t bytes, void *memory)
{
    const int rank = rank_of(processes), all = count_of(processes);
    int step = 1;
    while (step < all && !(rank & step)) step *= 2;
    if (rank > 0) accept_from(processes, rank - step, bytes, memory);
    for (step /= 2; step > 0; step /= 2)
        if (rank + step < all) SINO_TRY(transmit(processes, rank + step, bytes, memory));
    return NULL;
}

static void add_least(int64_t count, const void *more, void *value)
{
    int64_t *const to = value;
    for (int64_t i = 0; i < count; i++) to[i] = sino_smaller(to[i], ((const int64_t *)more)[i]);
}

static void add_largest(int64_t count, const void *more, void *value)
{
    int64_t *const to = value;
    for (int64_t i = 0; i < count; i++) to[i] = sino_larger(to[i], ((const int64_t *)more)[i]);
}

static void add_largest_floats(int64_t count, const void *more, void *value)
{
    float *const to = value;
    for (int64_t i = 0; i < count; i++)
        if (((const float *)more)[i] > to[i]) to[i] = ((const float *)more)[i];
}

static void add_doubles(int64_t count, const void *more, void *value)
{
    for (int64_t i = 0; i < count; i++) ((double *)value)[i] += ((const double *)more)[i];
}

static void add_floats(int64_t count, const void *more, void *value)
{
    for (int64_t i = 0; i < count; i++) ((float *)value)[i] += ((const float *)more)[i];
}

static void add_integers(int64_t count, const void *more, void *value)
{
    for (int64_t i = 0; i < count; i++) ((int64_t *)value)[i] += ((const int64_t *)more)[i];
}

static SinoStatus reduce_all(SinoProcesses *processes, Combine *combine, int64_t *value)
{
    SINO_TRY(reduce(processes, combine, 1, sizeof *value, value));
    return sino_processes_broadcast(processes, sizeof *value, value);
}

SinoStatus sino_processes_least(SinoProcesses *processes, int64_t *value)
{
    return reduce_all(processes, add_least, value);
}

SinoStatus sino_processes_largest(SinoProcesses *processes, int64_t *value)
{
    return reduce_all(processes, add_largest, value);
}

SinoStatus sino_processes_sum_doubles(SinoProcesses *processes, int64_t count, double *value)
{
    return reduce(processes, add_doubles, count, sizeof *value, value);
}

SinoStatus sino_processes_sum_floats(SinoProcesses *processes, int64_t count, float *value)
{
    return reduce(processes, add_floats, count, sizeof *value, value);
}

SinoStatus sino_processes_sum_integers(SinoProcesses *processes, int64_t count, int64_t *value)
{
    return reduce(processes, add_integers, count, sizeof *value, value);
}

SinoStatus sino_processes_largest_floats(SinoProcesses *processes, int64_t count, float *value)
{
    return reduce(processes, add_largest_floats, count, sizeof *value, value);
}

/* The same rule as that of MPI's processes (processes_mpi.c). */
SinoStatus sino_processes_agree(SinoProcesses *processes, SinoStatus status)
{
    if (sino_processes_count(processes) == 1) return status;
    const int64_t none = INT_MAX, told = INT_MAX - 4; /* added to the kind of an error without a text */
    const int64_t kind = sino_status_exit_code(status);
    const int64_t own = !status ? none : *sino_status_text(status) ? 4 * (int64_t)processes->rank + kind : told + kind;
    int64_t first = own;
    SinoStatus failure = sino_processes_least(processes, &first);
    if (failure) {
        if (!status) return failure;
        sino_status_free(failure);
        return status;
    }
    if (first == none || first == own) return status;
    sino_status_free(status);
    return sino_error_told((SinoErrorKind)(first >= told ? first - told : first % 4));
}

/* Up a binomial tree, to rank 0: each rank has the values of `step` ranks, or of those that are left. */
static SinoStatus gather_first(const SinoProcesses *processes, int64_t bytes, char *all)
{
    const int rank = processes->rank, count = processes->count;
    for (int64_t step = 1; step < count; step *= 2) {
        const int64_t held = sino_smaller(step, count - rank), more = sino_smaller(step, count - rank - step);
        if (rank & step)
            return transmit(processes, (int)(rank - step), sino_times(held, bytes), all + sino_times(rank, bytes));
        if (more > 0)
            accept_from(processes, (int)(rank + step), sino_times(more, bytes), all + sino_times(rank + step, bytes));
    }
    return NULL;
}

/* Values of more bytes go from each rank to each in turns, so that none waits for all of them at every level. */
enum { TREE_BYTES = 65536 };

SinoStatus sino_processes_gather(SinoProcesses *processes, int64_t bytes, const void *own, void *all)
{
    const int rank = rank_of(processes), count = count_of(processes);
    memcpy((char *)all + rank * bytes, own, (size_t)bytes);
    if (count > 1 && bytes <= TREE_BYTES) {
        SINO_TRY(gather_first(processes, bytes, all));
        return sino_processes_broadcast(processes, sino_times(count, bytes), all);
    }
    for (int k = 1; k < count; k++) {
        const int to = (rank + k) % count, from = (rank + count - k) % count;
        sg_comm_t sent;
        SINO_TRY(begin_send(processes, to, bytes, own, &sent));
        accept_from(processes, from, bytes, (char *)all + from * bytes);
        sg_comm_wait(sent);
    }
    return NULL;
}

SinoStatus sino_processes_collect(SinoProcesses *processes, int64_t from, int64_t bytes, const void *own,
                                  void *received)
{
    if (processes->rank == from) SINO_TRY(transmit(processes, 0, bytes, own));
    if (processes->rank == 0) accept_from(processes, (int)from, bytes, received);
    return NULL;
}

SinoStatus sino_processes_pass(SinoProcesses *processes, const SinoPassage *of)
{
    sg_comm_t sent = NULL;
    if (of->send_bytes > 0)
        SINO_TRY(begin_send(processes, (int)of->to, of->send_bytes, of->addresses ? NULL : of->send, &sent));
    if (of->receive_bytes > 0)
        accept_from(processes, (int)of->from, of->receive_bytes, of->addresses ? NULL : of->receive);
    if (sent) sg_comm_wait(sent);
    return NULL;
}

/* ---- the end ---- */

SinoStatus sino_processes_watch(SinoProcesses *processes, double limit_s)
{
    (void)processes, (void)limit_s;
    return NULL; /* SimGrid notices that nothing goes on */
}

void sino_processes_stop(SinoProcesses *processes)
{
    int64_t value = 0;
    if (processes) sino_status_free(sino_processes_least(processes, &value));
    free(processes);
}

void sino_processes_end(SinoProcesses *processes, int exit_code)
{
    (void)processes;
    _exit(exit_code);
}
