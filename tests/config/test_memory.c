/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory: reserved memory takes pages only where it is touched; large arrays are aligned and staggered. */
#include "memory.h"

#include "testing.h"

#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, PAGES = 64 };

/* Which pages are in memory: a character each. */
static const char *pages_of(void *memory)
{
    static char text[PAGES + 1];
    unsigned char resident[PAGES];
    assert_int_equal(mincore(memory, (size_t)PAGES * PAGE, resident), 0);
    for (int i = 0; i < PAGES; i++) text[i] = resident[i] & 1 ? 'x' : '.';
    return text;
}

static void touched_pages_are_there(void **state)
{
    (void)state;
    static const char zeros[PAGE];
    char *memory = sino_reserve((int64_t)PAGES * PAGE);
    assert_non_null(memory);
    memory[3 * PAGE] = 7;
    memory[5 * PAGE - 1] = 9;
    assert_string_equal(pages_of(memory), "...xx...........................................................");
    sino_touch(memory + 2 * PAGE + 100, 2 * PAGE);
    assert_string_equal(pages_of(memory), "..xxx...........................................................");
    sino_touch(memory + 9 * PAGE - 1, 2); /* a byte of each of two pages */
    sino_touch(memory + 20 * PAGE, 0);
    sino_touch(memory + 61 * PAGE, 3 * PAGE);
    assert_string_equal(pages_of(memory), "..xxx...xx...................................................xxx");
    assert_int_equal(memory[3 * PAGE], 7);
    assert_int_equal(memory[5 * PAGE - 1], 9);
    assert_memory_equal(memory + 2 * PAGE, zeros, PAGE);
    assert_memory_equal(memory + 63 * PAGE, zeros, PAGE);
    sino_release(memory, (int64_t)PAGES * PAGE);
}

enum { ARRAYS = 16 };

/* No two arrays of `bytes` start in the same L1 set of 64, or in the same one of 1024 sets of L2. */
static void check_staggered(int64_t bytes)
{
    char *array[ARRAYS];
    bool in_l1[64] = {false}, in_l2[1024] = {false};
    for (int i = 0; i < ARRAYS; i++) {
        array[i] = sino_allocate_large(bytes);
        assert_non_null(array[i]);
        const uintptr_t line = (uintptr_t)array[i] / SINO_ALIGNMENT_BYTES;
        assert_int_equal((uintptr_t)array[i] % SINO_ALIGNMENT_BYTES, 0);
        assert_false(in_l1[line % 64]);
        in_l1[line % 64] = true;
        if (bytes >= 4 << 20) { /* these start on large pages */
            assert_false(in_l2[line % 1024]);
            in_l2[line % 1024] = true;
        }
        memset(array[i], i + 1, (size_t)bytes);
    }
    for (int i = 0; i < ARRAYS; i++) {
        assert_int_equal(array[i][0], i + 1);
        assert_int_equal(array[i][bytes - 1], i + 1);
        sino_free_large(array[i]);
    }
}

static void large_arrays_start_in_different_sets(void **state)
{
    (void)state;
    check_staggered(1 << 20);
    check_staggered((4 << 20) - 1);
    check_staggered(4 << 20);
    check_staggered((6 << 20) + 100);
}

static void small_arrays_are_aligned(void **state)
{
    (void)state;
    static const int64_t size[] = {0, 1, 63, 64, 65, 4096, 100000, (1 << 20) - 1};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        char *array = sino_allocate_large(size[i]);
        assert_non_null(array);
        assert_int_equal((uintptr_t)array % SINO_ALIGNMENT_BYTES, 0);
        memset(array, 7, (size_t)size[i]);
        sino_free_large(array);
    }
    sino_free_large(NULL);
}

TESTING_SUBJECT(memory)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(touched_pages_are_there),
                                       cmocka_unit_test(large_arrays_start_in_different_sets),
                                       cmocka_unit_test(small_arrays_are_aligned)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
