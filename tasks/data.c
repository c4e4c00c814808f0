/* SPDX-License-Identifier: BSD-3-Clause */
/* Data: memory under StarPU's care. */
#include "memory.h"
#include "runtime_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* StarPU counts elements in 32 bits, so an element is a cache line. */
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
    return (bytes + LINE_BYTES - 1) / LINE_BYTES;
}

static SinoStatus check_size(const char *name, int64_t bytes)
{
    char text[24];
    SINO_CHECK(line_count(bytes) <= UINT32_MAX, SINO_BAD_INPUT, "%s is %s; one piece of data can have 256 GiB", name,
               sino_bytes_text(bytes, text));
    return NULL;
}

SinoStatus sino_data_new(SinoRuntime *runtime, const char *name, int64_t bytes, SinoData **result)
{
    (void)runtime;
    SinoData *data = NULL;
    SINO_TRY(check_size(name, bytes));
    SINO_TRY(new_data(name, bytes, &data));
    if (bytes == 0) {
        starpu_void_data_register(&data->handle);
        *result = data;
        return NULL;
    }
    const uint32_t lines = (uint32_t)line_count(bytes);
    data->memory = sino_allocate_large((int64_t)lines * LINE_BYTES);
    if (!data->memory) {
        char text[24];
        free(data);
        return sino_error(SINO_FAILED, "no memory for %s: %s asked for", name, sino_bytes_text(bytes, text));
    }
    /* Accelerators copy from pinned memory at full speed; without any this does nothing. */
    starpu_memory_pin(data->memory, (size_t)lines * LINE_BYTES);
    starpu_vector_data_register(&data->handle, STARPU_MAIN_RAM, (uintptr_t)data->memory, lines, LINE_BYTES);
    starpu_data_set_name(data->handle, name);
    *result = data;
    return NULL;
}

SinoStatus sino_data_describe(const char *name, const void *memory, int64_t bytes, SinoData **data)
{
    SINO_TRY(new_data(name, bytes, data));
    (*data)->memory = (void *)(uintptr_t)memory; /* StarPU knows no constant memory */
    (*data)->borrowed = true;
    return NULL;
}

SinoStatus sino_data_vector(SinoRuntime *runtime, const char *name, int64_t rows, int64_t stride, size_t element,
                            SinoData **data)
{
    int64_t elements = 0, bytes = 0;
    SINO_TRY(sino_multiply(rows, stride, name, &elements));
    SINO_TRY(sino_multiply(elements, (int64_t)element, name, &bytes));
    return sino_data_new(runtime, name, bytes > 0 ? bytes : 1, data);
}

SinoStatus sino_data_copy(SinoRuntime *runtime, const char *name, const void *from, int64_t bytes, SinoData **data)
{
    void *memory;
    SINO_TRY(sino_data_new(runtime, name, bytes, data));
    SINO_TRY(sino_data_acquire(*data, STARPU_W, &memory));
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
    /* Not pinned: CUDA cannot pin the pages of a file that are only read. */
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
    starpu_data_unregister(data->handle);
    if (data->memory && !data->borrowed) {
        starpu_memory_unpin(data->memory, (size_t)line_count(data->bytes) * LINE_BYTES);
        free(data->memory);
    }
    free(data->reader);
    free(data);
}

void sino_data_return(SinoData *data)
{
    starpu_data_wont_use(data->handle);
}

const void *sino_data_memory(const SinoData *data)
{
    return data->memory;
}

SinoStatus sino_data_acquire(SinoData *data, enum starpu_data_access_mode mode, void **memory)
{
    const int code = starpu_data_acquire(data->handle, mode);
    SINO_CHECK(code == 0, SINO_FAILED, "StarPU cannot acquire %s: %s", data->name, strerror(-code));
    *memory = data->memory;
    return NULL;
}

void sino_data_release(SinoData *data)
{
    starpu_data_release(data->handle);
}
