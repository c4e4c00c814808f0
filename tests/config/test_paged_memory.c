/* SPDX-License-Identifier: BSD-3-Clause */
/* Paged memory: values stay whatever is given back, the process has no more than the window, folders are checked. */
#include "paged_memory.h"

#include "testing.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARRAYS = 6, BYTES = 8 << 20, WINDOW = 16 << 20, PART = 1 << 20, PASSES = 3 };

static const int64_t large = (int64_t)1 << 60;

/* Bytes that the process has of files. */
static long bytes_of_files(void)
{
    char line[128];
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    const char *at = strchr(strchr(line, ' ') + 1, ' '); /* the third number */
    return strtol(at, NULL, 10) * sysconf(_SC_PAGESIZE);
}

/* Makes a folder for the test on a disk: temporary files may be in memory. */
static int make_on_disk(void **state)
{
    const char *disk = getenv("SINODAG_TEST_DISK");
    char *folder = NULL;
    if (asprintf(&folder, "%s/paged.XXXXXX", disk ? disk : ".") < 0 || !mkdtemp(folder)) return -1;
    *state = folder;
    return 0;
}

/* No file may be left. */
static int remove_empty(void **state)
{
    const int outcome = rmdir(*state);
    free(*state);
    return outcome;
}

typedef struct Half {
    SinoPaged *paged;
    uint32_t *array[ARRAYS];
    long most;
    int number;
} Half;

/* Adds 1 to the even or odd parts of all arrays, in turn. */
static void *work(void *of)
{
    Half *half = of;
    for (int pass = 0; pass < PASSES; pass++)
        for (int part = half->number; part < BYTES / PART; part += 2)
            for (int a = 0; a < ARRAYS; a++) {
                uint32_t *at = half->array[a] + (size_t)part * (PART / sizeof *at);
                sino_paged_look(half->paged);
                for (size_t i = 0; i < PART / sizeof *at; i++) at[i] += 1 + (uint32_t)a;
                const long bytes = bytes_of_files();
                if (bytes > half->most) half->most = bytes;
            }
    return NULL;
}

static void values_stay(void **state)
{
    Half half[2] = {{.number = 0}, {.number = 1}};
    pthread_t thread;
    const long before = bytes_of_files();
    assert_success(sino_paged_open(*state, WINDOW, &half[0].paged));
    for (int a = 0; a < ARRAYS; a++) {
        void *memory;
        assert_success(sino_paged_new(half[0].paged, "an array", BYTES, &memory));
        half[0].array[a] = memory;
    }
    memcpy(half[1].array, half[0].array, sizeof half[0].array);
    half[1].paged = half[0].paged;
    assert_int_equal(pthread_create(&thread, NULL, work, &half[1]), 0);
    work(&half[0]);
    pthread_join(thread, NULL);
    for (int a = 0; a < ARRAYS; a++) {
        for (size_t i = 0; i < BYTES / sizeof(uint32_t); i++)
            if (half[0].array[a][i] != PASSES * (1 + (uint32_t)a)) fail_msg("array %d, element %zu", a, i);
        sino_paged_free(half[0].paged, half[0].array[a], BYTES);
    }
    sino_paged_close(half[0].paged);
    const long most = half[0].most > half[1].most ? half[0].most : half[1].most;
    print_message("%.1f MiB of a window of %d MiB\n", (double)(most - before) / 0x1p20, WINDOW >> 20);
    assert_true(most - before <= WINDOW);
}

static void folders_are_checked(void **state)
{
    assert_error(sino_paged_check("/nowhere", 1), SINO_BAD_INPUT, "scratch-folder is '/nowhere'");
    assert_error(sino_paged_check(*state, large), SINO_BAD_INPUT, "free; scratch files need 1.00 EiB");
}

TESTING_SUBJECT(paged_memory)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values_stay, make_on_disk, remove_empty),
        cmocka_unit_test_setup_teardown(folders_are_checked, make_on_disk, remove_empty)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
