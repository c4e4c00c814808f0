/* SPDX-License-Identifier: BSD-3-Clause */
/* Platform: memory from /proc/meminfo and the control groups, cores from the affinity mask (Linux). */
#include "platform.h"

#include "arithmetic.h"

#include <errno.h>
#include <ftw.h>
#include <hwloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Files of the two versions of control groups. */
typedef struct CgroupVersion {
    const char *mount[2]; /* folders below root; the second one is for hosts that run both versions; "": none */
    const char *limit, *usage, *cache;
} CgroupVersion;

static const CgroupVersion cgroup_v1 = {
    {"sys/fs/cgroup/memory", ""}, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
static const CgroupVersion cgroup_v2 = {
    {"sys/fs/cgroup", "sys/fs/cgroup/unified"}, "memory.max", "memory.current", "inactive_file"};

/* The number after `key` at the start of a line; with key "" the first number of the file. −1: no such number. */
static int64_t read_number(const char *path, const char *key)
{
    FILE *file = fopen(path, "r");
    if (!file) return -1;
    char line[256];
    int64_t value = -1;
    const size_t length = strlen(key);
    while (value < 0 && fgets(line, sizeof line, file)) {
        if (strncmp(line, key, length) != 0 || (length && !strchr(": ", line[length]))) continue;
        char *end;
        errno = 0;
        const char *start = line + length + (length > 0);
        const long long number = strtoll(start, &end, 10);
        if (end > start && !errno) value = number; /* a group without a limit has the word "max" here */
    }
    (void)fclose(file); /* read only: nothing can be lost */
    return value;
}

/* A group of v1 without a limit has the number of all addresses, and its other files take long to read. */
static const int64_t no_limit = (int64_t)1 << 60;

/* Bytes that the group may still allocate; INT64_MAX: no such group, or no limit ("max"). */
static int64_t group_remaining(const char *folder, const CgroupVersion *version)
{
    char path[1400];
    snprintf(path, sizeof path, "%s/%s", folder, version->limit);
    const int64_t limit = read_number(path, "");
    if (limit < 0 || limit >= no_limit) return INT64_MAX;
    snprintf(path, sizeof path, "%s/%s", folder, version->usage);
    const int64_t usage = read_number(path, "");
    if (usage < 0) return INT64_MAX;
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    const int64_t cache = read_number(path, version->cache);
    const int64_t remaining = limit - usage + (cache > 0 ? cache : 0);
    return remaining > 0 ? remaining : 0;
}

/* The limit of a group binds its children, so every group from `group` up to the mount counts. Inside a container the
 * path may be the host's; folders that do not exist here are skipped. */
static int64_t branch_remaining(const char *root, const char *group, const CgroupVersion *version, int mount)
{
    char folder[1200];
    const int length = snprintf(folder, sizeof folder, "%s/%s%s", root, version->mount[mount], group);
    if (length < 0 || (size_t)length >= sizeof folder) return INT64_MAX;
    const size_t top = strlen(folder) - strlen(group);
    int64_t least = INT64_MAX;
    while (true) {
        const int64_t remaining = group_remaining(folder, version);
        if (remaining < least) least = remaining;
        char *slash = strrchr(folder, '/');
        if (!slash || (size_t)(slash - folder) < top) return least;
        *slash = '\0';
    }
}

/* One line of /proc/self/cgroup, "number:controllers:path"; v2 has number 0 and no controllers. */
static int64_t line_remaining(const char *root, char *line)
{
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group) return INT64_MAX;
    *group++ = '\0';
    controllers++;
    if (strcmp(controllers, "memory") == 0) return branch_remaining(root, group, &cgroup_v1, 0);
    if (*controllers) return INT64_MAX;
    const int64_t pure = branch_remaining(root, group, &cgroup_v2, 0);
    const int64_t hybrid = branch_remaining(root, group, &cgroup_v2, 1);
    return pure < hybrid ? pure : hybrid;
}

static int64_t cgroups_remaining(const char *root)
{
    char path[1200], line[1024];
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "r");
    if (!file) return INT64_MAX;
    int64_t least = INT64_MAX;
    while (fgets(line, sizeof line, file)) {
        const int64_t remaining = line_remaining(root, line);
        if (remaining < least) least = remaining;
    }
    (void)fclose(file);
    return least;
}

int64_t sino_platform_available_bytes_in(const char *root)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    const int64_t available_kib = read_number(path, "MemAvailable");
    /* Without /proc: the free pages, which are fewer than the available ones. */
    const int64_t machine =
        available_kib >= 0 ? available_kib * 1024 : sino_times(sysconf(_SC_AVPHYS_PAGES), sysconf(_SC_PAGESIZE));
    const int64_t groups = cgroups_remaining(root);
    return machine < groups ? machine : groups;
}

int64_t sino_platform_available_bytes(void)
{
    return sino_platform_available_bytes_in("");
}

int sino_platform_core_count(void)
{
    /* The kernel refuses a mask that is shorter than its own, so the mask is doubled until it fits. */
    for (int cpus = CPU_SETSIZE; cpus <= CPU_SETSIZE * 64; cpus *= 2) {
        cpu_set_t *set = CPU_ALLOC((size_t)cpus);
        if (!set) break;
        const size_t size = CPU_ALLOC_SIZE((size_t)cpus);
        const int count = sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 0;
        CPU_FREE(set);
        if (count > 0) return count;
    }
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

int64_t sino_platform_cache_bytes(void)
{
    /* Not sysconf(), which adds the caches of several groups of cores up on some processors. */
    int64_t most = 0;
    for (int i = 0; i < 10; i++) {
        char path[64];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
        const int64_t kib = read_number(path, "");
        if (kib * 1024 > most) most = kib * 1024;
    }
    return most;
}

static double clock_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double sino_platform_now_s(void)
{
    return clock_s(CLOCK_MONOTONIC);
}

double sino_platform_processor_s(void)
{
    return clock_s(CLOCK_PROCESS_CPUTIME_ID);
}

/* The machine as hwloc sees it, which reads hundreds of files: once in a process, which may make many operators. NULL:
 * hwloc does not know. */
static hwloc_topology_t topology;
static pthread_once_t topology_once = PTHREAD_ONCE_INIT;

static void load_topology(void)
{
    if (hwloc_topology_init(&topology) != 0) {
        topology = NULL;
    } else if (hwloc_topology_load(topology) != 0) {
        hwloc_topology_destroy(topology);
        topology = NULL;
    }
}

/* Objects of this type that the process may run on; all where its mask is unknown. */
static int64_t count_mine(hwloc_obj_type_t type, hwloc_bitmap_t mine, bool *bound)
{
    int64_t count = 0;
    const bool known = hwloc_get_cpubind(topology, mine, HWLOC_CPUBIND_PROCESS) == 0;
    const int all = hwloc_get_nbobjs_by_type(topology, type);
    *bound = known && !hwloc_bitmap_isincluded(hwloc_topology_get_topology_cpuset(topology), mine);
    for (int i = 0; i < all; i++) {
        const struct hwloc_obj *object = hwloc_get_obj_by_type(topology, type, (unsigned)i);
        count += !known || hwloc_bitmap_intersects(mine, object->cpuset);
    }
    return count;
}

/* *bound: the mask of the process leaves out hardware threads of the topology. 0: hwloc does not know. */
static int64_t count_objects(hwloc_obj_type_t type, bool *bound)
{
    *bound = false;
    (void)pthread_once(&topology_once, load_topology);
    hwloc_bitmap_t mine = hwloc_bitmap_alloc();
    const int64_t count = mine && topology ? count_mine(type, mine, bound) : 0;
    hwloc_bitmap_free(mine);
    return count;
}

int64_t sino_platform_worker_count(void)
{
    bool bound;
    const int64_t cores = count_objects(HWLOC_OBJ_CORE, &bound);
    return cores > 0 ? cores : sino_platform_core_count();
}

int64_t sino_platform_bound_core_count(void)
{
    bool bound;
    if (sino_platform_core_count() >= sysconf(_SC_NPROCESSORS_ONLN)) return 0; /* no mask: hwloc takes time to start */
    (void)count_objects(HWLOC_OBJ_CORE, &bound);
    return bound ? sino_platform_worker_count() : 0;
}

int64_t sino_platform_socket_count(void)
{
    bool bound;
    const int64_t count = count_objects(HWLOC_OBJ_PACKAGE, &bound);
    return count > 0 ? count : 1;
}

void sino_platform_hide_opencl(void)
{
    (void)setenv("OCL_ICD_VENDORS", "/dev/null/none", 1); /* without memory for it a platform starts: no harm */
}

void sino_platform_keep_hwloc_from_opencl(void)
{
    (void)setenv("HWLOC_COMPONENTS", "-opencl", 0);
}

const char *sino_platform_processor(char text[SINO_PROCESSOR_SIZE])
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    text[0] = '\0';
    while (file && text[0] == '\0' && fgets(line, sizeof line, file)) {
        const char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !value) continue;
        value += 1 + strspn(value + 1, " ");
        snprintf(text, SINO_PROCESSOR_SIZE, "%.*s", (int)strcspn(value, "\n"), value);
    }
    if (file) (void)fclose(file);
    return text;
}

int64_t sino_platform_peak_bytes(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (int64_t)usage.ru_maxrss * 1024 : 0;
}

SinoFileTraffic sino_platform_file_traffic(void)
{
    SinoFileTraffic traffic = {0, 0};
    char line[80];
    FILE *file = fopen("/proc/self/io", "r");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "rchar: ", 7) == 0) traffic.read = strtoll(line + 7, NULL, 10);
        if (strncmp(line, "wchar: ", 7) == 0) traffic.written = strtoll(line + 7, NULL, 10);
    }
    if (file) (void)fclose(file);
    return traffic;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)info;
    (void)kind;
    (void)walk;
    return remove(path);
}

void sino_platform_remove_folder(const char *path)
{
    enum { OPEN_FOLDERS = 16 };
    (void)nftw(path, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}
