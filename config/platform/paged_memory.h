/* SPDX-License-Identifier: BSD-3-Clause */
/* Paged memory: arrays larger than memory. Each is a file without a name that is mapped to addresses, so that any code
 * and any call of the system reads and writes it as memory. The system brings in the pages that are accessed. A thread
 * looks at what the process has of such files, and gives pages back, which stay in the file. */
#pragma once

#include "status.h"

#include <stdint.h>

typedef struct SinoPaged SinoPaged;

/* Arrays of less are not worth a file. */
enum { SINO_PAGED_LEAST_BYTES = 1 << 16 };

/* SINO_BAD_INPUT: the folder cannot be used, is in memory (tmpfs), or its disk has less than `bytes` free bytes. */
SinoStatus sino_paged_check(const char *folder, int64_t bytes);

/* window_bytes: what the process has of all arrays at a time; a quarter of it is room for what comes in before the
 * thread has seen it. SINO_FAILED: no memory, no thread, or no /proc. */
SinoStatus sino_paged_open(const char *folder, int64_t window_bytes, SinoPaged **paged);
void sino_paged_close(SinoPaged *paged); /* all arrays have been freed; takes NULL */

/* Makes an array of zeros whose file has its room on the disk; it begins at a page. Safe from several threads.
 * SINO_FAILED, naming `name`: no such file, no room, no addresses. */
SinoStatus sino_paged_new(SinoPaged *paged, const char *name, int64_t bytes, void **memory);
void sino_paged_free(SinoPaged *paged, void *memory, int64_t bytes);

/* Gives pages back now if there are too many: before work that may bring in others faster than the thread looks. Safe
 * from several threads. Takes NULL. */
void sino_paged_look(SinoPaged *paged);
