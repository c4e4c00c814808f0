/* SPDX-License-Identifier: BSD-3-Clause */
/* Platform: the resources of the machine that this process may use. */
#pragma once

#include <stdint.h>

/* Bytes of main memory that the process can still allocate: the minimum of the kernel's MemAvailable and of the
 * remainder of every control group (v1 and v2) of the process. File pages that were not used lately count as free,
 * because the kernel drops them. */
int64_t sino_platform_available_bytes(void);

/* The same for a machine whose /proc and /sys are in the folder `root`. */
int64_t sino_platform_available_bytes_in(const char *root);

/* Bytes of the largest cache of a core, private or shared; 0: unknown. */
int64_t sino_platform_cache_bytes(void);

/* The name of the processor, as the kernel tells it; "": it does not. Returns `text`. */
enum { SINO_PROCESSOR_SIZE = 96 };
const char *sino_platform_processor(char text[SINO_PROCESSOR_SIZE]);

/* Most bytes of main memory that this process has had at a time. */
int64_t sino_platform_peak_bytes(void);

/* Bytes that this process has read and written by system calls until now, caches of the system included; 0: the kernel
 * does not tell. */
typedef struct SinoFileTraffic {
    int64_t read, written;
} SinoFileTraffic;
SinoFileTraffic sino_platform_file_traffic(void);

/* Removes a folder and what is in it, on its file system, as far as that can be done. Links are not followed. */
void sino_platform_remove_folder(const char *path);

/* Seconds of a monotonic clock. */
double sino_platform_now_s(void);

/* Seconds of processor time that this process has taken, all threads together. */
double sino_platform_processor_s(void);

/* CPU cores (hardware threads) that the process may run on. */
int sino_platform_core_count(void);

/* Cores of which the process may run on a hardware thread: StarPU starts a worker for each. */
int64_t sino_platform_worker_count(void);

/* The same if the process's mask (taskset, mpirun --bind-to) leaves out hardware threads that hwloc sees; 0: it leaves
 * out none. */
int64_t sino_platform_bound_core_count(void);

/* CPU packages (sockets) with a core that the process may run on, as hwloc sees them; 1 when hwloc does not know. */
int64_t sino_platform_socket_count(void);

/* Makes OpenCL's loader find no platform from now on. StarPU and hwloc look for platforms in every run, and a platform
 * such as PoCL starts when it is found, and writes to its cache. The loader looks once in the life of a process. */
void sino_platform_hide_opencl(void);

/* Keeps hwloc, which MPI calls before the settings are read, from looking for OpenCL's platforms. HWLOC_COMPONENTS of
 * the environment has precedence. */
void sino_platform_keep_hwloc_from_opencl(void);
