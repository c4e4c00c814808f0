/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of regroup.h by those of regroup_cuda.h, and by the CPU: the same bytes. */
#include "regroup_on_device.h"

#include "regroup_cuda.h"
#include "regroup_private.h"
#include "simt_device.h"
#include "testing.h"
#include "testing_regroup.h"

#include <inttypes.h>

/* What the device has of the input. */
static SinoRegroupCuda lend(const SinoRegroup *regroup)
{
    const SinoRegroupInput *input = &regroup->input;
    const SinoRegroupShape shape = sino_regroup_shape(regroup);
    const size_t table_bytes = (size_t)sino_regroup_table_bytes(&shape);
    void *table = malloc(table_bytes);
    if (!table) abort();
    sino_regroup_table(regroup, table);
    const SinoRegroupCuda lent = {
        .shape = shape,
        .block = device_lend(input->block, (size_t)input->block->bytes),
        .ray = device_lend(input->footprint->ray, (size_t)input->footprint->ray_count * sizeof *input->footprint->ray),
        .table = device_lend(table, table_bytes)};
    free(table);
    return lent;
}

static void unlend(const SinoRegroup *regroup, const SinoRegroupCuda *lent)
{
    const SinoRegroupInput *input = &regroup->input;
    device_unlend(input->block, (void *)(uintptr_t)lent->block, (size_t)input->block->bytes);
    device_unlend(input->footprint->ray, (void *)(uintptr_t)lent->ray,
                  (size_t)input->footprint->ray_count * sizeof *input->footprint->ray);
    device_free((void *)(uintptr_t)lent->table);
}

SinoStatus regroup_measure_on_device(const SinoRegroup *regroup, int64_t first, int64_t count, SinoRegroupSize *size)
{
    const SinoRegroupCuda lent = lend(regroup);
    SinoRegroupSize *measured = device_memory((size_t)count * sizeof *size);
    device_check(sino_regroup_measure_cuda(NULL, &lent, first, count, measured));
    device_return(size, measured, (size_t)count * sizeof *size);
    unlend(regroup, &lent);
    return NULL;
}

SinoStatus regroup_fill_on_device(const SinoRegroup *regroup, int64_t first, int64_t count, void *lists)
{
    const SinoRegroupCuda lent = lend(regroup);
    const int64_t head_bytes = sino_regroup_offset(lists, 0);
    const int64_t begin = sino_regroup_offset(lists, first), bytes = sino_regroup_offset(lists, first + count) - begin;
    void *head = device_lend(lists, (size_t)head_bytes);
    void *part = device_memory((size_t)bytes);
    device_check(sino_regroup_fill_cuda(NULL, &lent, head, first, count, part));
    device_unlend(lists, head, (size_t)head_bytes);
    device_return((char *)lists + begin, part, (size_t)bytes);
    unlend(regroup, &lent);
    return NULL;
}

static void expect(int64_t found, int64_t expected, const char *what)
{
    if (found == expected) return;
    fprintf(stderr, "%s: %" PRId64 " on the device, %" PRId64 " on the CPU\n", what, found, expected);
    abort();
}

/* The same, visit by visit. */
static void compare(const SinoGatherHeader *found, const SinoGatherHeader *expected)
{
    expect(found->visit_count, expected->visit_count, "visits");
    for (int64_t v = 0; v < expected->visit_count; v++) {
        const int64_t begin = sino_regroup_offset(expected, v), end = sino_regroup_offset(expected, v + 1);
        expect(sino_gather_visits(found)[v].bundle_count, sino_gather_visits(expected)[v].bundle_count, "bundles");
        expect(sino_gather_visits(found)[v].step_count, sino_gather_visits(expected)[v].step_count, "steps");
        for (int64_t at = begin; at < end; at++)
            if (((const uint8_t *)found)[at] != ((const uint8_t *)expected)[at]) expect(at - begin, -1, "difference");
    }
    expect(found->bytes, expected->bytes, "bytes");
    expect(memcmp(found, expected, (size_t)expected->bytes), 0, "tables");
}

/* On the host a device makes some visits, others with each call, and the CPU the rest: fibers take long. */
enum {
#ifdef SINO_SIMT_HOST
    VISITS_MAX = 9 / TESTING_STEP
#else
    VISITS_MAX = INT32_MAX
#endif
};

static SinoGatherHeader *make(SinoRegroup *regroup)
{
    static int64_t turn = 0;
    const int64_t all = sino_regroup_visit_count(regroup), count = all < VISITS_MAX ? all : VISITS_MAX;
    const int64_t first = turn++ * 7919 % (all - count + 1), end = first + count, some = count / 3;
    SinoRegroupSize *size = malloc((size_t)(all + 1) * sizeof *size);
    if (!size) abort();
    device_check(sino_regroup_measure(regroup, 0, first, size));
    device_check(sino_regroup_measure(regroup, end, all - end, size + end));
    device_check(regroup_measure_on_device(regroup, first, some, size + first));
    device_check(regroup_measure_on_device(regroup, first + some, count - some, size + first + some));
    sino_regroup_take(regroup, 0, all, size);
    free(size);
    SinoGatherHeader *lists = malloc((size_t)sino_regroup_bytes(regroup));
    if (!lists) abort();
    memset(lists, 0xff, (size_t)sino_regroup_bytes(regroup));
    sino_regroup_head(regroup, lists);
    device_check(regroup_fill_on_device(regroup, first + some, count - some, lists));
    device_check(regroup_fill_on_device(regroup, first, some, lists));
    device_check(sino_regroup_fill(regroup, 0, first, lists));
    device_check(sino_regroup_fill(regroup, end, all - end, lists));
    return lists;
}

SinoStatus regroup_block_on_device(const SinoRegroupInput *input, SinoGatherHeader **lists)
{
    SinoRegroup *regroup;
    SinoGatherHeader *expected;
    SINO_TRY(sino_regroup_new(input, &regroup));
    *lists = make(regroup);
    sino_regroup_free(regroup);
    device_check(regroup_block(input, &expected));
    compare(*lists, expected);
    free(expected);
    return NULL;
}
