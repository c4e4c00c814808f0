/* SPDX-License-Identifier: BSD-3-Clause */
/* Data: memory that StarPU manages. Tasks that access the same data run in the order of their submission. StarPU copies
 * data that a GPU task accesses to the GPU and back. Only the thread that started the runtime calls these functions. */
#pragma once

#include "status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct SinoRuntime SinoRuntime;

/* A piece of main memory managed by StarPU. */
typedef struct SinoData SinoData;

/* The access of a task, or of the submitting thread, to data. */
typedef enum SinoAccessMode {
    SINO_READ = 1,
    SINO_WRITE = 2, /* every byte that is read later is written; old contents are not copied to a GPU */
    SINO_READ_WRITE = SINO_READ | SINO_WRITE,
    SINO_SCRATCH = 4 /* each worker has its own memory, whose contents are lost after the task */
} SinoAccessMode;

/* Allocates `bytes` bytes; the caller frees them with sino_data_free. `name` is a constant for graphs and messages. 0
 * bytes: a void handle, which only orders its tasks. SINO_BAD_INPUT: more than 256 GiB; SINO_FAILED: no memory. The
 * constructors below return the same errors. */
SinoStatus sino_data_new(SinoRuntime *runtime, const char *name, int64_t bytes, SinoData **data);

/* Bytes of the data that own their memory (not borrowed memory, not scratch): now, and the maximum so far. */
int64_t sino_data_bytes(const SinoRuntime *runtime);
int64_t sino_data_most_bytes(const SinoRuntime *runtime);

/* A vector of `rows` rows of `stride` elements of `element` bytes. An empty vector is valid: tasks can access it. */
SinoStatus sino_data_vector(SinoRuntime *runtime, const char *name, int64_t rows, int64_t stride, size_t element,
                            SinoData **data);

/* The same of a large vector, which is in a file if the runtime pages (sino_runtime_page). */
SinoStatus sino_data_large_vector(SinoRuntime *runtime, const char *name, int64_t rows, int64_t stride, size_t element,
                                  SinoData **data);

/* A copy of `bytes` > 0 bytes at `from`. */
SinoStatus sino_data_copy(SinoRuntime *runtime, const char *name, const void *from, int64_t bytes, SinoData **data);

/* Data over memory that is not owned and outlives them. `memory` must be 64-byte aligned and accessible up to the next
 * multiple of 64 bytes; bytes > 0. Memory that cannot be written, such as a mapped file, may only be accessed with
 * SINO_READ. */
SinoStatus sino_data_borrow(SinoRuntime *runtime, const char *name, const void *memory, int64_t bytes, SinoData **data);

/* Scratch memory of each worker while a task runs; tasks access it with SINO_SCRATCH. */
SinoStatus sino_data_scratch(SinoRuntime *runtime, const char *name, int64_t bytes, SinoData **data);

/* Waits for the tasks that use the data, then frees them. Borrowed memory has then what tasks have written; other data
 * are not copied back from devices. Takes NULL. */
void sino_data_free(SinoData *data);

/* Frees `count` pieces of data and the array that holds them. Takes NULL, and NULL in the array. */
void sino_data_free_each(SinoData **data, int64_t count);

/* After the tasks submitted so far, StarPU moves the data to main memory, which frees the GPU memory that they held. */
void sino_data_return(SinoData *data);

/* The contents are dead after the tasks submitted so far: a device that needs room drops them. The next task that
 * accesses the data writes all that is read later. */
void sino_data_forget(SinoData *data);

/* Starts to copy the data to the memory of a device, 0 … sino_runtime_device_count − 1, and does not wait. A policy
 * that weighs transfers sees one task at a time: large data that many tasks will read may seem too expensive to move
 * for any of them. */
void sino_data_prefetch(SinoData *data, int64_t device);

/* The address in main memory; tasks may be using the data. NULL: scratch, or data without memory. */
const void *sino_data_memory(const SinoData *data);

/* Waits for the tasks that write the data, or, if `mode` writes, for all tasks that use them. Until sino_data_release
 * the submitting thread may access *memory. `mode` is not SINO_SCRATCH. */
SinoStatus sino_data_acquire(SinoData *data, SinoAccessMode mode, void **memory);
void sino_data_release(SinoData *data);

/* Page-locks memory that the caller owns, so that CUDA GPUs copy from and to it asynchronously and at full bandwidth;
 * no other memory is in its pages. The caller unpins it before freeing it. The memory stays pageable
 * if the run uses no such GPU, or if the system refuses; the first refusal is logged. */
void sino_data_pin(SinoRuntime *runtime, void *memory, int64_t bytes);
void sino_data_unpin(void *memory, int64_t bytes);
