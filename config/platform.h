/* SPDX-License-Identifier: BSD-3-Clause */
/* Platform: what this process may use of the machine. */
#ifndef SINO_PLATFORM_H
#define SINO_PLATFORM_H

#include <stdint.h>

/* Main memory that can still be allocated: the least of the kernel's MemAvailable and what remains to every control
 * group (v1 and v2) that the process is in. Pages of files not lately used count as free, for the kernel drops them. */
int64_t sino_platform_available_bytes(void);

/* The same of the machine whose /proc and /sys lie in the folder `root`. */
int64_t sino_platform_available_bytes_in(const char *root);

/* The largest cache of a core, shared with others or not; 0: the system does not tell. */
int64_t sino_platform_cache_bytes(void);

/* Seconds of a clock that only goes forward. */
double sino_platform_now_s(void);

/* CPU cores (hardware threads) that the process may run on. */
int sino_platform_core_count(void);

/* CPU packages on whose cores the process may run, as hwloc sees them; 1 where it does not know. */
int64_t sino_platform_socket_count(void);

/* Processes that an MPI launcher started together with this one, itself included, and which of them it is. */
typedef struct SinoJob {
    int64_t rank, size; /* 0 and 1 without a launcher */
} SinoJob;
SinoJob sino_platform_job(void);

#endif
