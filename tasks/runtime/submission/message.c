/* SPDX-License-Identifier: BSD-3-Clause */
/* Message: data from one process to another, by StarPU-MPI. */
#include "message.h"

#include "memory.h"
#include "stall.h"

#include <starpu_mpi.h>

#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>

static SinoStatus check_size(const SinoMessage *message, const SinoData *data)
{
    char text[24];
    SINO_CHECK(data->bytes <= INT_MAX - 64, SINO_FAILED,
               "a message of %s, %s; allowed: up to 2 GiB (--minibatch makes it smaller)", message->name,
               sino_bytes_text(data->bytes, text));
    return NULL;
}

/* In the task graph a message is a task that reads or writes its data. */
static SinoStatus add_to_graph(SinoRuntime *runtime, const SinoMessage *message, SinoData *data, SinoAccessMode mode)
{
    const SinoAccess access = {data, mode};
    SinoRecorded *recorded = NULL;
    return sino_dependencies_add(runtime, message->name, message->position, 1, &access, &recorded);
}

static SinoStatus check(const SinoMessage *message, int code)
{
    SINO_CHECK(code == 0, SINO_FAILED, "StarPU does not take a message of %s for process %" PRId64 ": %s",
               message->name, message->process, strerror(-code));
    return NULL;
}

SinoStatus sino_send(SinoRuntime *runtime, const SinoMessage *message, SinoData *data)
{
    SINO_TRY(check_size(message, data));
    SINO_TRY(add_to_graph(runtime, message, data, SINO_READ));
    runtime->sent_bytes += data->bytes;
    SinoFlight *flight = sino_profile_flight(runtime, message->name, message->process, data);
    return check(message, starpu_mpi_isend_detached(data->handle, (int)message->process, message->tag, MPI_COMM_WORLD,
                                                    flight ? sino_profile_landed : NULL, flight));
}

/* Messages of a simulation have bytes that nobody reads; their pages go back. */
static void forget_bytes(void *received)
{
    const SinoData *data = received;
    (void)madvise(data->memory, (size_t)data->bytes, MADV_DONTNEED);
}

SinoStatus sino_receive(SinoRuntime *runtime, const SinoMessage *message, SinoData *data)
{
    SINO_TRY(check_size(message, data));
    SINO_TRY(add_to_graph(runtime, message, data, SINO_WRITE));
    if (SINO_SIMULATES)
        return check(message, starpu_mpi_irecv_detached(data->handle, (int)message->process, message->tag,
                                                        MPI_COMM_WORLD, forget_bytes, data));
    SinoReceives *receives = sino_stall_expects(runtime, message->name, message->process);
    return check(message, starpu_mpi_irecv_detached(data->handle, (int)message->process, message->tag, MPI_COMM_WORLD,
                                                    receives ? sino_stall_arrived : NULL, receives));
}
