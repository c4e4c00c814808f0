/* SPDX-License-Identifier: BSD-3-Clause */
/* Block write: a library for LD_PRELOAD in whose process writing never ends, as on a file server that does not answer:
 * pwrite to a file whose name contains $BLOCK_WRITE blocks for ever; to one whose name contains $FULL_WRITE it fails,
 * as on a full disk; before one whose name contains $STOP_WRITE the process stops itself. With $BLOCK_RANK only in the
 * process of that rank of Open MPI. With $BLOCK_STARPU "acquire" or "shutdown" that function of StarPU never returns.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether the variable names a part of the file's path. */
static bool is_meant(const char *variable, int descriptor)
{
    char link[64], path[4096];
    const char *part = getenv(variable), *rank = getenv("BLOCK_RANK"), *own = getenv("OMPI_COMM_WORLD_RANK");
    if (!part || (rank && (!own || strcmp(rank, own) != 0))) return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    return strstr(path, part) != NULL;
}

static void block(const char *function)
{
    const char *blocked = getenv("BLOCK_STARPU");
    while (blocked && strcmp(blocked, function) == 0) (void)pause();
}

int starpu_data_acquire(void *handle, int mode);
void starpu_shutdown(void);

int starpu_data_acquire(void *handle, int mode)
{
    int (*next)(void *, int);
    *(void **)&next = dlsym(RTLD_NEXT, "starpu_data_acquire");
    block("acquire");
    return next(handle, mode);
}

void starpu_shutdown(void)
{
    void (*next)(void);
    *(void **)&next = dlsym(RTLD_NEXT, "starpu_shutdown");
    block("shutdown");
    next();
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset)
{
    ssize_t (*next)(int, const void *, size_t, off_t);
    *(void **)&next = dlsym(RTLD_NEXT, "pwrite64");
    if (is_meant("STOP_WRITE", descriptor)) (void)raise(SIGSTOP);
    while (is_meant("BLOCK_WRITE", descriptor)) (void)pause();
    if (is_meant("FULL_WRITE", descriptor)) {
        errno = ENOSPC;
        return -1;
    }
    return next(descriptor, bytes, count, offset);
}
