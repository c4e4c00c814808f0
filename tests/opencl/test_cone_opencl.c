/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone backproject on an OpenCL device: the tests of the CPU's kernels. Each projection has memory of its own, in which
 * its lines follow its unit. */
#include "cone_opencl.h"
#include "lend.h"

#include "cone_isa.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_BYTES = 64, PROJECTIONS_MAX = 64 };

/* Bytes of a projection's memory. */
static size_t memory_bytes(const SinoConeLines *lines)
{
    return LINES_BYTES + (size_t)(sino_cone_projection_entries(lines) * sino_cone_entry_bytes(lines));
}

static void backproject(const SinoConeBackprojection *what, bool first, float *part)
{
    const SinoConeLines *lines = what->lines;
    const int64_t count = sino_cone_projections(lines);
    const size_t bytes = memory_bytes(lines);
    const size_t voxels = (size_t)sino_cone_part_voxels(what->part, lines->symmetry) * sizeof *part;
    SinoConeProjectionOpencl projection[PROJECTIONS_MAX];
    char *memory = calloc((size_t)count, bytes);
    if (!memory) abort();
    for (int64_t p = 0; p < count; p++) {
        char *of = memory + (size_t)p * bytes;
        memcpy(of + sizeof(float), &what->unit[p], sizeof(float));
        memcpy(of + LINES_BYTES, what->projection[p], bytes - LINES_BYTES);
        projection[p] = (SinoConeProjectionOpencl){lend(of, bytes), LINES_BYTES, sizeof(float)};
    }
    cl_mem to = lend(part, voxels);
    const SinoConeBackprojectionOpencl call = {what->cone, lines, what->part, what->angle_rad, projection, first};
    lend_check(sino_cone_backproject_opencl(lend_device(), &call, to));
    lend_return(part, to, voxels);
    for (int64_t p = 0; p < count; p++) lend_end(memory + (size_t)p * bytes, projection[p].memory, bytes);
    free(memory);
}

static void cone_backproject_on_opencl(const SinoConeIsa *isa, const SinoConeBackprojection *what, void *scratch,
                                       float *part)
{
    (void)isa;
    (void)scratch;
    backproject(what, false, part);
}

#define TESTING_ON_DEVICE
#define sino_cone_backproject_with cone_backproject_on_opencl

#include "../codelets/test_cone_backproject.c" /* NOLINT(bugprone-suspicious-include) */

/* The first block of a part takes what was there for 0. */
static void first_blocks_overwrite(void **state)
{
    (void)state;
    const SinoConePart part = {1, 2, 3, 4, 0, 10};
    const SinoConeSymmetry symmetry = {4, 2};
    float value[3 * 4 * 8 * 16], sum[3 * 4 * 8 * 16];
    const size_t voxels = sizeof value / sizeof *value;
    Scan scan;
    Block block;
    make_scan(&round_cone, 360, true, &scan);
    make_block(&scan, SINO_MIXED, symmetry, &block);
    const SinoConeBackprojection what = {&scan.cone,      &block.lines, &part,
                                         block.angle_rad, block.unit,   block.projection};
    for (size_t i = 0; i < voxels; i++) {
        value[i] = NAN;
        sum[i] = 0;
    }
    backproject(&what, true, value);
    backproject(&what, false, sum);
    for (size_t i = 0; i < voxels; i++) assert_true(value[i] == sum[i]);
    free_block(&block);
    free_scan(&scan);
}

TESTING_SUBJECT(cone_opencl)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(first_blocks_overwrite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
