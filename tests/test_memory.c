/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory: what is reserved takes memory where it is touched, and stays as it was. */
#include "memory.h"

#include "testing.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(touched_pages_are_there)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
