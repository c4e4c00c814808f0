/* SPDX-License-Identifier: BSD-3-Clause */
/* Paged memory: files, their addresses, and the thread that gives pages back.
 *
 * Pages of a shared mapping that are given back lose nothing: the system keeps them, or writes them to the file. So
 * tasks may be using the pages, and only wait for them again. */
#include "paged_memory.h"

#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
    LOOK_NS = 1000000, /* the thread looks so often */
    STEPS = 32,        /* of a window: pages that are given back together */
    STEP_LEAST = 1 << 18
};

typedef struct Array {
    char *memory;
    int64_t bytes;
} Array;

struct SinoPaged {
    char *folder;
    int64_t most, least, step; /* pages are given back when the process has more than `most`, until it has `least` */
    int64_t before;            /* bytes that the process had of files before */
    int statm;                 /* /proc/self/statm */
    pthread_t thread;
    pthread_mutex_t mutex; /* of all that follows */
    pthread_cond_t changed;
    bool ends;
    Array *array; /* [capacity] */
    int64_t count, capacity;
    int64_t hand, hand_at; /* the array, and the byte in it, that are given back next */
};

/* ---- files ---- */

SinoStatus sino_paged_check(const char *folder, int64_t bytes)
{
    struct statfs kind;
    struct statvfs disk;
    char free_text[24], text[24];
    SINO_CHECK(statfs(folder, &kind) == 0 && statvfs(folder, &disk) == 0 && access(folder, W_OK | X_OK) == 0,
               SINO_BAD_INPUT, "scratch-folder is '%s': %s; allowed: a folder that can be written", folder,
               strerror(errno));
    SINO_CHECK(kind.f_type != TMPFS_MAGIC && kind.f_type != RAMFS_MAGIC, SINO_BAD_INPUT,
               "scratch-folder is '%s', which is in memory; allowed: a folder on a disk", folder);
    const int64_t room = sino_times((int64_t)disk.f_bavail, (int64_t)disk.f_frsize);
    SINO_CHECK(
        bytes <= room, SINO_BAD_INPUT,
        "scratch-folder is '%s', whose disk has %s free; scratch files need %s; allowed: another folder, or more "
        "--memory",
        folder, sino_bytes_text(room, free_text), sino_bytes_text(bytes, text));
    return NULL;
}

/* A file that has no name, or loses it at once: a run that is killed leaves none behind. */
static int open_unnamed(const char *folder)
{
    char *path = NULL;
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0 || asprintf(&path, "%s/sinodag-scratch-XXXXXX", folder) < 0) return file;
    file = mkostemp(path, O_CLOEXEC);
    if (file >= 0) (void)unlink(path);
    free(path);
    return file;
}

static SinoStatus map(const char *name, int file, int64_t bytes, void **memory)
{
    char text[24];
    const int code = posix_fallocate(file, 0, (off_t)bytes);
    SINO_CHECK(code == 0, SINO_FAILED, "no room on the disk for %s: %s asked for: %s", name,
               sino_bytes_text(bytes, text), strerror(code));
    void *const made = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    SINO_CHECK(made != MAP_FAILED, SINO_FAILED, "no addresses for %s: %s asked for", name,
               sino_bytes_text(bytes, text));
    *memory = made;
    return NULL;
}

static SinoStatus add(SinoPaged *paged, Array array)
{
    if (paged->count == paged->capacity) {
        const int64_t capacity = 2 * paged->capacity + 64;
        Array *more = realloc(paged->array, (size_t)capacity * sizeof *more);
        SINO_CHECK(more, SINO_FAILED, "no memory for %" PRId64 " scratch files", capacity);
        paged->array = more;
        paged->capacity = capacity;
    }
    paged->array[paged->count++] = array;
    pthread_cond_signal(&paged->changed);
    return NULL;
}

SinoStatus sino_paged_new(SinoPaged *paged, const char *name, int64_t bytes, void **memory)
{
    void *made;
    const int file = open_unnamed(paged->folder);
    SINO_CHECK(file >= 0, SINO_FAILED, "no scratch file in '%s': %s", paged->folder, strerror(errno));
    SinoStatus status = map(name, file, bytes, &made);
    close(file); /* the mapping keeps the file */
    if (status) return status;
    pthread_mutex_lock(&paged->mutex);
    status = add(paged, (Array){made, bytes});
    pthread_mutex_unlock(&paged->mutex);
    if (status)
        sino_release(made, bytes);
    else
        *memory = made;
    return status;
}

void sino_paged_free(SinoPaged *paged, void *memory, int64_t bytes)
{
    pthread_mutex_lock(&paged->mutex);
    for (int64_t i = 0; i < paged->count; i++)
        if (paged->array[i].memory == (char *)memory) paged->array[i] = paged->array[--paged->count];
    pthread_mutex_unlock(&paged->mutex);
    sino_release(memory, bytes);
}

/* ---- the thread ---- */

/* Bytes that the process has of files: the third number. */
static int64_t bytes_of_files(int statm)
{
    char text[128] = "", *end = text;
    int64_t pages = 0;
    if (pread(statm, text, sizeof text - 1, 0) <= 0) return 0;
    for (int i = 0; i < 3; i++) pages = strtoll(end, &end, 10);
    return pages * (int64_t)sysconf(_SC_PAGESIZE);
}

/* Gives back the next step of an array; returns its bytes. */
static int64_t give_back(SinoPaged *paged)
{
    if (paged->hand >= paged->count) paged->hand = paged->hand_at = 0;
    const Array *array = &paged->array[paged->hand];
    const int64_t bytes = sino_smaller(paged->step, sino_larger(array->bytes - paged->hand_at, 0));
    if (bytes > 0) (void)madvise(array->memory + paged->hand_at, (size_t)bytes, MADV_DONTNEED);
    paged->hand_at += bytes;
    if (paged->hand_at >= array->bytes) {
        paged->hand++;
        paged->hand_at = 0;
    }
    return bytes;
}

static void look(SinoPaged *paged)
{
    int64_t all = 0, given = 0;
    if (bytes_of_files(paged->statm) - paged->before <= paged->most) return;
    for (int64_t i = 0; i < paged->count; i++) all += paged->array[i].bytes;
    while (given < all && bytes_of_files(paged->statm) - paged->before > paged->least) given += give_back(paged);
}

void sino_paged_look(SinoPaged *paged)
{
    if (!paged) return;
    pthread_mutex_lock(&paged->mutex);
    look(paged);
    pthread_mutex_unlock(&paged->mutex);
}

static void *keep(void *of)
{
    SinoPaged *paged = of;
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    pthread_mutex_lock(&paged->mutex);
    while (!paged->ends) {
        if (paged->count == 0) {
            pthread_cond_wait(&paged->changed, &paged->mutex);
            continue;
        }
        look(paged);
        pthread_mutex_unlock(&paged->mutex);
        (void)nanosleep(&pause, NULL);
        pthread_mutex_lock(&paged->mutex);
    }
    pthread_mutex_unlock(&paged->mutex);
    return NULL;
}

static SinoStatus start(const char *folder, SinoPaged *paged)
{
    paged->folder = strdup(folder);
    SINO_CHECK(paged->folder, SINO_FAILED, "no memory for scratch files");
    paged->statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    SINO_CHECK(paged->statm >= 0, SINO_FAILED, "/proc/self/statm cannot be read: %s", strerror(errno));
    paged->before = bytes_of_files(paged->statm);
    pthread_mutex_init(&paged->mutex, NULL);
    pthread_cond_init(&paged->changed, NULL);
    const int code = pthread_create(&paged->thread, NULL, keep, paged);
    if (code == 0) return NULL;
    close(paged->statm);
    return sino_error(SINO_FAILED, "no thread for scratch files: %s", strerror(code));
}

SinoStatus sino_paged_open(const char *folder, int64_t window_bytes, SinoPaged **result)
{
    SinoPaged *paged = NULL;
    const int64_t page = (int64_t)sysconf(_SC_PAGESIZE);
    SINO_TRY(sino_allocate(1, sizeof *paged, "scratch files", &paged));
    paged->most = window_bytes / 4 * 3;
    paged->least = window_bytes / 2;
    paged->step = sino_ceil_multiple(sino_larger(window_bytes / STEPS, STEP_LEAST), page);
    SinoStatus status = start(folder, paged);
    if (status) {
        free(paged->folder);
        free(paged);
        return status;
    }
    *result = paged;
    return NULL;
}

void sino_paged_close(SinoPaged *paged)
{
    if (!paged) return;
    pthread_mutex_lock(&paged->mutex);
    paged->ends = true;
    pthread_cond_signal(&paged->changed);
    pthread_mutex_unlock(&paged->mutex);
    pthread_join(paged->thread, NULL);
    pthread_cond_destroy(&paged->changed);
    pthread_mutex_destroy(&paged->mutex);
    close(paged->statm);
    free(paged->array);
    free(paged->folder);
    free(paged);
}
