/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory: checked sizes and aligned allocations, with the arithmetic of sizes (arithmetic.h) and the status of
 * functions that can fail (status.h). Sizes are int64_t everywhere in sinodag. */
#pragma once

#include "arithmetic.h"
#include "status.h"

#include <stddef.h>
#include <stdint.h>

/* Every buffer starts on a cache line. */
enum { SINO_ALIGNMENT_BYTES = 64 };

/* *product = a·b. SINO_BAD_INPUT, naming `what`: the product exceeds 63 bits, or a factor is negative. */
SinoStatus sino_multiply(int64_t a, int64_t b, const char *what, int64_t *product);

/* *product: the product of `count` sizes, likewise. */
SinoStatus sino_product(int count, const int64_t *size, const char *what, int64_t *product);

/* Allocates count × element_bytes zeroed bytes, 64-byte aligned, into *(void **)pointer; the caller releases them with
 * free(). A count of 0 gives a valid pointer. SINO_FAILED, naming `what` and its size: out of memory. */
SinoStatus sino_allocate(int64_t count, size_t element_bytes, const char *what, void *pointer);

/* Allocates `bytes` for a large array: 64-byte aligned, not cleared, on large pages where the system has them, since
 * random access to tables otherwise spends most of its time in page walks. NULL: out of memory. The caller releases the
 * array with sino_free_large, not with free().
 *
 * Arrays of 1 MiB and more start at different offsets (64 KiB at most) from a page, so that equal rows of several
 * arrays fall into different cache sets. The offset costs memory once per array. Pages that are never written take no
 * memory. */
void *sino_allocate_large(int64_t bytes);

/* The same in pages that nothing else uses, as memory that is to be page-locked must be. */
void *sino_allocate_pages(int64_t bytes);

void sino_free_large(void *memory); /* of either; takes NULL */

/* Reserves addresses for an array of unknown size: at most `bytes`, zeroed. Pages that are never written take no
 * memory. NULL: no addresses. The caller returns them with sino_release. */
void *sino_reserve(int64_t bytes);
void sino_release(void *memory, int64_t bytes); /* takes NULL */

/* Makes the system provide the pages of reserved memory now, contents unchanged, so that later writes do not wait for
 * page faults. */
void sino_touch(void *memory, int64_t bytes);

/* Tells the system that it may drop these pages of a mapped file; a later access reads them from the file again. */
void sino_forget(const void *memory, int64_t bytes);

/* Writes a size such as "1.5 GiB" into the caller's `text`, and returns `text`. */
const char *sino_bytes_text(int64_t bytes, char text[24]);
