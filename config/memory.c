/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory: checked sizes and aligned, zeroed allocations. */
#include "memory.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

SinoStatus sino_multiply(int64_t a, int64_t b, const char *what, int64_t *product)
{
    int64_t result;
    SINO_CHECK(a >= 0 && b >= 0 && !__builtin_mul_overflow(a, b, &result), SINO_BAD_INPUT,
               "%s: %" PRId64 " times %" PRId64 " does not fit in 63 bits", what, a, b);
    *product = result;
    return NULL;
}

SinoStatus sino_allocate(int64_t count, size_t element_bytes, const char *what, void *pointer)
{
    int64_t bytes;
    SINO_TRY(sino_multiply(count, (int64_t)element_bytes, what, &bytes));
    const size_t unit = SINO_ALIGNMENT_BYTES;
    const size_t rounded = bytes == 0 ? unit : ((size_t)bytes + unit - 1) / unit * unit;
    void *memory = aligned_alloc(unit, rounded);
    char text[24];
    SINO_CHECK(memory, SINO_FAILED, "no memory for %s: %s asked for", what, sino_bytes_text(bytes, text));
    memset(memory, 0, rounded);
    memcpy(pointer, &memory, sizeof memory);
    return NULL;
}

static const size_t small_page = 4096, large_page = (size_t)2 << 20;

void *sino_allocate_large(int64_t bytes)
{
    const size_t page = large_page, size = (size_t)(bytes > 0 ? bytes : 1);
    const bool large = size >= 2 * page;
    const size_t alignment = large ? page : SINO_ALIGNMENT_BYTES;
    void *memory = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    /* Advice: without large pages the memory is as good, only slower. */
    if (memory && large) (void)madvise(memory, size / page * page, MADV_HUGEPAGE);
    return memory;
}

void *sino_reserve(int64_t bytes)
{
    void *memory =
        mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    /* Many small reservations would each take a page that they hardly use. */
    if ((size_t)bytes >= 16 * large_page) (void)madvise(memory, (size_t)bytes, MADV_HUGEPAGE);
    return memory;
}

void sino_release(void *memory, int64_t bytes)
{
    if (memory) (void)munmap(memory, (size_t)bytes);
}

void sino_touch(void *memory, int64_t bytes)
{
    volatile uint8_t *const byte = memory;
    /* cppcheck-suppress selfAssignment; a write takes the page */
    for (int64_t i = 0; i < bytes; i += (int64_t)small_page) byte[i] = byte[i];
    /* cppcheck-suppress selfAssignment; likewise */
    if (bytes > 0) byte[bytes - 1] = byte[bytes - 1];
}

void sino_forget(const void *memory, int64_t bytes)
{
    const uintptr_t page = small_page, begin = ((uintptr_t)memory + page - 1) / page * page;
    const uintptr_t end = ((uintptr_t)memory + (uintptr_t)bytes) / page * page;
    /* Advice: what is needed again comes from the file. */
    if (end > begin) (void)madvise((void *)begin, end - begin, MADV_DONTNEED);
}

const char *sino_bytes_text(int64_t bytes, char text[24])
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    int i = 0;
    while (value >= 1024 && i < 6) {
        value /= 1024;
        i++;
    }
    snprintf(text, 24, i == 0 ? "%.0f %s" : "%.1f %s", value, unit[i]);
    return text;
}
