/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory: checked sizes and aligned, zeroed allocations. Sizes are int64_t everywhere in sinodag. */
#ifndef SINO_MEMORY_H
#define SINO_MEMORY_H

#include "status.h"

#include <stddef.h>
#include <stdint.h>

/* Every buffer starts on a cache line. */
enum { SINO_ALIGNMENT_BYTES = 64 };

/* a·b in *product; SINO_BAD_INPUT naming `what` when it does not fit in 63 bits or a factor is negative. */
SinoStatus sino_multiply(int64_t a, int64_t b, const char *what, int64_t *product);

/* count × element_bytes zeroed bytes, 64-byte aligned, into *(void **)pointer; release with free().
 * A count of 0 gives a valid pointer. SINO_FAILED naming `what` and its size when there is no memory. */
SinoStatus sino_allocate(int64_t count, size_t element_bytes, const char *what, void *pointer);

/* bytes of memory for a large array, not cleared, on large pages where the system gives them: tables that are walked at
 * random would otherwise spend their time in page walks. Release with free(); untouched parts take no memory. NULL when
 * there is none. */
void *sino_allocate_large(int64_t bytes);

/* Addresses for an array whose size is not known yet: `bytes` at most, zeroed, of which untouched parts take no memory.
 * NULL when there are none. Give them back with sino_release. */
void *sino_reserve(int64_t bytes);
void sino_release(void *memory, int64_t bytes); /* takes NULL */

/* Takes the pages of reserved memory from the system, as they are, so that whoever writes there does not wait for it.
 */
void sino_touch(void *memory, int64_t bytes);

/* Pages of a mapped file need not stay in memory. */
void sino_forget(const void *memory, int64_t bytes);

/* "1.5 GiB"-like text of a size in bytes, in the caller's buffer, which it returns. */
const char *sino_bytes_text(int64_t bytes, char text[24]);

#endif
