/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory: plain, large and reserved allocations. */
#include "memory.h"

#include <inttypes.h>
#include <stdatomic.h>
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

SinoStatus sino_product(int count, const int64_t *size, const char *what, int64_t *product)
{
    int64_t result = 1;
    for (int i = 0; i < count; i++) SINO_TRY(sino_multiply(result, size[i], what, &result));
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

/* Arrays of at least this size start at different offsets from a page. */
static const size_t staggered_bytes = (size_t)1 << 20;

/* The cache line before a large array. */
typedef union LargeHead {
    void *base; /* returned by aligned_alloc */
    char line[SINO_ALIGNMENT_BYTES];
} LargeHead;

/* Offset of the next array from a page. 16 arrays in a row fall into different sets of L1 (address modulo 4 KiB, in
 * steps of 256 bytes) and of L2 (modulo 64 KiB or more, in steps of a page). */
static size_t next_lead(void)
{
    enum { LEADS = 16, L1_STEP = 256 };
    static atomic_uint count;
    const unsigned int number = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed) % LEADS;
    return sizeof(LargeHead) + (size_t)sino_times(number, (int64_t)small_page + L1_STEP);
}

static void *allocate(int64_t bytes, size_t least_alignment)
{
    const size_t size = (size_t)(bytes > 0 ? bytes : 1);
    const bool staggered = size >= staggered_bytes, large = size >= 2 * large_page;
    const size_t alignment = large ? large_page : staggered ? small_page : least_alignment;
    const size_t lead = staggered ? next_lead() : sizeof(LargeHead), total = lead + size;
    char *const base = aligned_alloc(alignment, (total + alignment - 1) / alignment * alignment);
    if (!base) return NULL;
    /* The result is ignored: small pages work too, only slower. */
    if (large) (void)madvise(base, total / large_page * large_page, MADV_HUGEPAGE);
    LargeHead *const head = (LargeHead *)(void *)(base + lead) - 1;
    head->base = base;
    return head + 1;
}

void *sino_allocate_large(int64_t bytes)
{
    return allocate(bytes, SINO_ALIGNMENT_BYTES);
}

void *sino_allocate_pages(int64_t bytes)
{
    return allocate(bytes, small_page);
}

void sino_free_large(void *memory)
{
    if (memory) free(((LargeHead *)memory - 1)->base);
}

void *sino_reserve(int64_t bytes)
{
    void *memory =
        mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    /* Small reservations keep small pages: a large page would stay mostly unused. */
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
    /* cppcheck-suppress selfAssignment; the write makes the system provide the page */
    for (int64_t i = 0; i < bytes; i += (int64_t)small_page) byte[i] = byte[i];
    /* cppcheck-suppress selfAssignment; likewise */
    if (bytes > 0) byte[bytes - 1] = byte[bytes - 1];
}

void sino_forget(const void *memory, int64_t bytes)
{
    const uintptr_t page = small_page, begin = ((uintptr_t)memory + page - 1) / page * page;
    const uintptr_t end = ((uintptr_t)memory + (uintptr_t)bytes) / page * page;
    /* The result is ignored: pages that stay are correct too. */
    if (end > begin) (void)madvise((void *)begin, end - begin, MADV_DONTNEED);
}

const char *sino_bytes_text(int64_t bytes, char text[24])
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    int i = 0;
    while (value >= 1023.5 && i < 6) {
        value /= 1024;
        i++;
    }
    const int decimals = i == 0 ? 0 : value < 9.995 ? 2 : value < 99.95 ? 1 : 0; /* three digits */
    snprintf(text, 24, "%.*f %s", decimals, value, unit[i]);
    return text;
}
