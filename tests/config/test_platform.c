/* SPDX-License-Identifier: BSD-3-Clause */
/* Platform: the memory of made-up machines with control groups of both versions, and of the actual machine. */
#include "platform.h"

#include "testing_subject.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <ftw.h>
#include <sched.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GIB = 1 << 30 };

static int remove_entry(const char *path, const struct stat *entry, int kind, struct FTW *where)
{
    (void)entry, (void)kind, (void)where;
    return remove(path);
}

static int make_machine(void **state)
{
    const char *folder = getenv("TMPDIR");
    char *root = malloc(256);
    snprintf(root, 256, "%s/sinodag-platform-XXXXXX", folder ? folder : "/tmp");
    *state = root;
    return mkdtemp(root) ? 0 : -1;
}

static int remove_machine(void **state)
{
    nftw(*state, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    free(*state);
    return 0;
}

/* Writes a file of the machine, making its folders. */
static void put(const char *root, const char *name, const char *content)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(content, file);
    assert_int_equal(fclose(file), 0);
}

static void memory_without_groups_is_the_kernels(void **state)
{
    put(*state, "proc/meminfo", "MemTotal:       8388608 kB\nMemFree:  1 kB\nMemAvailable:   4194304 kB\n");
    assert_int_equal(sino_platform_available_bytes_in(*state), (int64_t)4 * GIB);
}

static void a_parents_v2_limit_binds(void **state)
{
    put(*state, "proc/meminfo", "MemAvailable:   4194304 kB\n");
    put(*state, "proc/self/cgroup", "0::/job/step\n");
    put(*state, "sys/fs/cgroup/job/step/memory.max", "max\n");
    put(*state, "sys/fs/cgroup/job/step/memory.current", "1073741824\n");
    put(*state, "sys/fs/cgroup/job/memory.max", "2147483648\n");
    put(*state, "sys/fs/cgroup/job/memory.current", "1073741824\n");
    assert_int_equal(sino_platform_available_bytes_in(*state), GIB);
    put(*state, "sys/fs/cgroup/job/memory.stat", "anon 5\ninactive_file 536870912\n");
    assert_int_equal(sino_platform_available_bytes_in(*state), GIB + GIB / 2);
    put(*state, "sys/fs/cgroup/job/memory.current", "3221225472\n");
    assert_int_equal(sino_platform_available_bytes_in(*state), 0);
}

static void a_containers_v1_limit_binds(void **state)
{
    put(*state, "proc/meminfo", "MemAvailable:   4194304 kB\n");
    put(*state, "proc/self/cgroup", "5:cpu,cpuacct:/\n4:memory:/docker/of/the/host\n0::/\n");
    put(*state, "sys/fs/cgroup/memory/memory.limit_in_bytes", "3221225472\n");
    put(*state, "sys/fs/cgroup/memory/memory.usage_in_bytes", "1073741824\n");
    put(*state, "sys/fs/cgroup/memory/memory.stat", "inactive_file 9\ntotal_inactive_file 0\n");
    assert_int_equal(sino_platform_available_bytes_in(*state), (int64_t)2 * GIB);
    put(*state, "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    assert_int_equal(sino_platform_available_bytes_in(*state), (int64_t)4 * GIB);
}

static void this_machine_has_memory_and_cores(void **state)
{
    (void)state;
    assert_true(sino_platform_available_bytes() > 0);
    assert_in_range(sino_platform_core_count(), 1, (uintmax_t)sysconf(_SC_NPROCESSORS_CONF));
}

/* What it allocates and touches, and what it reads and writes. */
static void this_process_is_measured(void **state)
{
    (void)state;
    enum { BYTES = 64 << 20, PIECE = 1 << 20 };
    char name[SINO_PROCESSOR_SIZE];
    const SinoFileTraffic before = sino_platform_file_traffic();
    const int64_t peak = sino_platform_peak_bytes();
    char *memory = malloc(BYTES);
    assert_non_null(memory);
    memset(memory, 1, BYTES);
    assert_true(sino_platform_peak_bytes() >= BYTES && sino_platform_peak_bytes() >= peak);
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fwrite(memory, 1, PIECE, file), PIECE);
    assert_int_equal(fflush(file), 0);
    rewind(file);
    assert_int_equal(fread(memory, 1, PIECE, file), PIECE);
    (void)fclose(file);
    free(memory);
    const SinoFileTraffic after = sino_platform_file_traffic();
    if (after.read == 0) skip(); /* this kernel does not count */
    assert_true(after.read - before.read >= PIECE && after.written - before.written >= PIECE);
    assert_true(after.read - before.read < 2 * PIECE && after.written - before.written < 2 * PIECE);
    assert_true(strlen(sino_platform_processor(name)) < SINO_PROCESSOR_SIZE);
}

/* Waiting takes no processor time; work takes as much as goes by, or less. */
static void processor_time_is_that_of_work(void **state)
{
    (void)state;
    const double idle = sino_platform_processor_s();
    usleep(50000);
    const double begin = sino_platform_processor_s(), from = sino_platform_now_s();
    assert_true(begin - idle < 0.02);
    while (sino_platform_processor_s() - begin < 0.02) continue;
    assert_true(sino_platform_now_s() - from > 0.0199);
}

/* The sockets of a process that begins on one machine and, as hwloc would have it, goes on on another. */
static int sockets_of(const char *machine, const char *later)
{
    int status = 0;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (unsetenv("HWLOC_COMPONENTS") != 0 || setenv("HWLOC_SYNTHETIC", machine, 1) != 0) _exit(100);
        const int64_t count = sino_platform_socket_count();
        if (setenv("HWLOC_SYNTHETIC", later, 1) != 0) _exit(100);
        _exit(sino_platform_socket_count() == count ? (int)count : 101);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* hwloc tells of other machines when it is asked to, once in a process: it reads hundreds of files. */
static void sockets_are_packages(void **state)
{
    static const char two[] = "pack:2 core:3 pu:1", unknown[] = "core:3 pu:2";
    (void)state;
    assert_int_equal(sockets_of(two, unknown), 2);
    assert_int_equal(sockets_of(unknown, two), 1);
    assert_in_range(sino_platform_socket_count(), 1, sino_platform_core_count());
}

/* A mask of one hardware thread is one core; the mask of the whole machine binds to nothing. */
static void masks_count_cores(void **state)
{
    cpu_set_t mine, one;
    int first = 0;
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof mine, &mine), 0);
    if (CPU_COUNT(&mine) == 1) skip();
    const int64_t before = sino_platform_bound_core_count();
    if (CPU_COUNT(&mine) == sysconf(_SC_NPROCESSORS_CONF)) assert_int_equal(before, 0);
    while (!CPU_ISSET(first, &mine)) first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(sino_platform_core_count(), 1);
    assert_int_equal(sino_platform_bound_core_count(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof mine, &mine), 0);
    assert_int_equal(sino_platform_bound_core_count(), before);
}

TESTING_SUBJECT(platform)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(memory_without_groups_is_the_kernels, make_machine, remove_machine),
        cmocka_unit_test_setup_teardown(a_parents_v2_limit_binds, make_machine, remove_machine),
        cmocka_unit_test_setup_teardown(a_containers_v1_limit_binds, make_machine, remove_machine),
        cmocka_unit_test(this_machine_has_memory_and_cores),
        cmocka_unit_test(sockets_are_packages),
        cmocka_unit_test(masks_count_cores),
        cmocka_unit_test(this_process_is_measured),
        cmocka_unit_test(processor_time_is_that_of_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
