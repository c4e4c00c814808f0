/* SPDX-License-Identifier: BSD-3-Clause */
/* Data: memory that StarPU manages. */
#include "memory.h"
#include "runtime_private.h"

#include <stdlib.h>
#include <string.h>

/* StarPU counts elements in 32 bits, so one element is a cache line. */
enum { LINE_BYTES = 64 };

static SinoStatus new_data(const char *name, int64_t bytes, SinoData **data)
{
    SINO_TRY(sino_allocate(1, sizeof **data, name, data));
    (*data)->name = name;
    (*data)->bytes = bytes;
    (*data)->writer = -1;
    return NULL;
}

static int64_t line_count(int64_t bytes)
{
    return sino_ceil_divide(bytes, LINE_BYTES);
}

static SinoStatus check_size(const char *name, int64_t bytes)
{
    char text[24];
    SINO_CHECK(line_count(bytes) <= UINT32_MAX, SINO_BAD_INPUT, "%s is %s; one piece of data can have 256 GiB", name,
               sino_bytes_text(bytes, text));
    return NULL;
}

static void count_bytes(SinoRuntime *runtime, int64_t bytes)
{
    __atomic_store_n(&runtime->data_bytes, runtime->data_bytes + bytes,
                     __ATOMIC_RELAXED); /* the recorder's thread reads it */
    if (runtime->data_bytes > runtime->most_data_bytes) runtime->most_data_bytes = runtime->data_bytes;
}

int64_t sino_data_bytes(const SinoRuntime *runtime)
{
    return __atomic_load_n(&runtime->data_bytes, __ATOMIC_RELAXED);
}

int64_t sino_data_most_bytes(const SinoRuntime *runtime)
{
    return runtime->most_data_bytes;
}

/* The memory of data, of so many bytes; files are not page-locked. */
static SinoStatus take_memory(SinoRuntime *runtime, int64_t bytes, bool large, SinoData *data)
{
    char text[24];
    data->paged = large && runtime->paged && bytes >= SINO_PAGED_LEAST_BYTES;
    if (data->paged) return sino_paged_new(runtime->paged, data->name, bytes, &data->memory);
    data->memory = sino_data_addresses(bytes);
    SINO_CHECK(data->memory, SINO_FAILED, "no memory for %s: %s asked for", data->name, sino_bytes_text(bytes, text));
    sino_data_pin(runtime, data->memory, bytes);
    return NULL;
}

static void give_memory(SinoData *data, int64_t bytes)
{
    if (data->paged) {
        sino_paged_free(data->runtime->paged, data->memory, bytes);
        return;
    }
    sino_data_unpin(data->memory, bytes);
    sino_data_addresses_free(data->memory, bytes);
}

static SinoStatus new_memory(SinoRuntime *runtime, const char *name, int64_t bytes, bool large, SinoData **result)
{
    SinoData *data = NULL;
    SINO_TRY(check_size(name, bytes));
    SINO_TRY(new_data(name, bytes, &data));
    if (bytes == 0) {
        starpu_void_data_register(&data->handle);
        *result = data;
        return NULL;
    }
    const uint32_t lines = (uint32_t)line_count(bytes);
    SinoStatus status = take_memory(runtime, (int64_t)lines * LINE_BYTES, large, data);
    if (status) {
        free(data);
        return status;
    }
    starpu_vector_data_register(&data->handle, STARPU_MAIN_RAM, (uintptr_t)data->memory, lines, LINE_BYTES);
    starpu_data_set_name(data->handle, name);
    data->runtime = runtime;
    count_bytes(runtime, bytes);
    *result = data;
    return NULL;
}

SinoStatus sino_data_new(SinoRuntime *runtime, const char *name, int64_t bytes, SinoData **data)
{
    return new_memory(runtime, name, bytes, false, data);
}

SinoStatus sino_data_describe(const char *name, const void *memory, int64_t bytes, SinoData **data)
{
    SINO_TRY(new_data(name, bytes, data));
    (*data)->memory = (void *)(uintptr_t)memory; /* StarPU has no type for constant memory */
    (*data)->borrowed = true;
    return NULL;
}

static SinoStatus new_vector(SinoRuntime *runtime, const char *name, int64_t rows, int64_t stride, size_t element,
                             bool large, SinoData **data)
{
    int64_t elements = 0, bytes = 0;
    SINO_TRY(sino_multiply(rows, stride, name, &elements));
    SINO_TRY(sino_multiply(elements, (int64_t)element, name, &bytes));
    SINO_TRY(new_memory(runtime, name, bytes > 0 ? bytes : 1, large, data));
    if (bytes == 0) count_bytes(runtime, -1);
    (*data)->bytes = bytes;
    return NULL;
}

SinoStatus sino_data_vector(SinoRuntime *runtime, const char *name, int64_t rows, int64_t stride, size_t element,
                            SinoData **data)
{
    return new_vector(runtime, name, rows, stride, element, false, data);
}

SinoStatus sino_data_large_vector(SinoRuntime *runtime, const char *name, int64_t rows, int64_t stride, size_t element,
                                  SinoData **data)
{
    return new_vector(runtime, name, rows, stride, element, true, data);
}

SinoStatus sino_data_copy(SinoRuntime *runtime, const char *name, const void *from, int64_t bytes, SinoData **data)
{
    void *memory;
    SINO_TRY(sino_data_new(runtime, name, bytes, data));
    SINO_TRY(sino_data_acquire(*data, SINO_WRITE, &memory));
    memcpy(memory, from, (size_t)bytes);
    sino_data_release(*data);
    return NULL;
}

SinoStatus sino_data_borrow(SinoRuntime *runtime, const char *name, const void *memory, int64_t bytes,
                            SinoData **result)
{
    (void)runtime;
    SINO_TRY(check_size(name, bytes));
    SINO_TRY(sino_data_describe(name, memory, bytes, result));
    /* Borrowed memory is not pinned, because CUDA cannot pin read-only pages of a file. */
    starpu_vector_data_register(&(*result)->handle, STARPU_MAIN_RAM, (uintptr_t)memory, (uint32_t)line_count(bytes),
                                LINE_BYTES);
    starpu_data_set_name((*result)->handle, name);
    return NULL;
}

SinoStatus sino_data_scratch(SinoRuntime *runtime, const char *name, int64_t bytes, SinoData **result)
{
    (void)runtime;
    SINO_TRY(check_size(name, bytes));
    SINO_TRY(new_data(name, bytes, result));
    const uint32_t lines = (uint32_t)line_count(bytes > 0 ? bytes : 1);
    starpu_vector_data_register(&(*result)->handle, -1, 0, lines, LINE_BYTES);
    starpu_data_set_name((*result)->handle, name);
    return NULL;
}

void sino_data_free(SinoData *data)
{
    if (!data) return;
    const bool owned = data->memory && !data->borrowed;
    sino_runtime_awaits(data->runtime, data->name);
    if (owned)
        starpu_data_unregister_no_coherency(data->handle); /* nobody reads the memory any more */
    else
        starpu_data_unregister(data->handle);
    sino_runtime_awaits(data->runtime, NULL);
    if (owned) {
        give_memory(data, line_count(data->bytes > 0 ? data->bytes : 1) * LINE_BYTES);
        count_bytes(data->runtime, -data->bytes);
    }
    free(data->reader);
    free(data);
}

void sino_data_free_each(SinoData **data, int64_t count)
{
    for (int64_t i = 0; data && i < count; i++) sino_data_free(data[i]);
    free(data);
}

void sino_data_return(SinoData *data)
{
    starpu_data_wont_use(data->handle);
}

void sino_data_forget(SinoData *data)
{
    if (sino_runtime_devices(data->runtime) != SINO_DEVICE_CPU) starpu_data_invalidate_submit(data->handle);
}

void sino_data_prefetch(SinoData *data, int64_t device)
{
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++) {
        if (starpu_node_get_kind(node) == STARPU_CPU_RAM) continue;
        if (device-- == 0) (void)starpu_data_prefetch_on_node(data->handle, node, 1); /* a hint: it may fail */
    }
}

const void *sino_data_memory(const SinoData *data)
{
    return data->memory;
}

enum starpu_data_access_mode sino_starpu_mode(SinoAccessMode mode)
{
    return mode == SINO_READ      ? STARPU_R
           : mode == SINO_WRITE   ? STARPU_W
           : mode == SINO_SCRATCH ? STARPU_SCRATCH
                                  : STARPU_RW;
}

SinoStatus sino_data_acquire(SinoData *data, SinoAccessMode mode, void **memory)
{
    sino_runtime_awaits(data->runtime, data->name);
    const int code = starpu_data_acquire(data->handle, sino_starpu_mode(mode));
    sino_runtime_awaits(data->runtime, NULL);
    SINO_CHECK(code == 0, SINO_FAILED, "StarPU cannot acquire %s: %s", data->name, strerror(-code));
    *memory = data->memory;
    return NULL;
}

void sino_data_release(SinoData *data)
{
    starpu_data_release(data->handle);
}

void sino_data_pin(SinoRuntime *runtime, void *memory, int64_t bytes)
{
    char text[24];
    if (starpu_cuda_worker_get_count() == 0 || starpu_memory_pin(memory, (size_t)bytes) == 0) return;
    if (__atomic_exchange_n(&runtime->pageable, true, __ATOMIC_RELAXED) || !runtime->log) return;
    sino_log_warning(
        runtime->log, "pageable",
        "the system refuses to page-lock %s of memory, and perhaps more: copies between it and GPUs are slower, and "
        "other work waits for them",
        sino_bytes_text(bytes, text));
}

void sino_data_unpin(void *memory, int64_t bytes)
{
    if (starpu_cuda_worker_get_count() > 0) (void)starpu_memory_unpin(memory, (size_t)bytes);
}
