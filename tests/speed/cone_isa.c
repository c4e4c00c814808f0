/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone ISA: prints the rate of the backprojection by each instruction set that the processor has, beside what its
 * multiply-adds do in the same minute: GUPS of one core, by the time of the thread. */
#include "cone_isa.h"
#include "machine.h"
#include "memory.h"
#include "testing.h"

#include <math.h>
#include <time.h>

enum { SIZE = 256, ANGLES = 360, GROUPS = 8, REPEATS = 5 };

static double thread_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A block of 32 projections of a whole circle, and a quarter of the first chunk of runs. */
typedef struct Block {
    SinoCone cone;
    SinoConeLines lines;
    SinoConePart part;
    double angle_rad[4 * GROUPS];
    float unit[4 * GROUPS];
    const void *projection[4 * GROUPS];
    void *entries, *scratch;
    float *voxels;
} Block;

static void make(SinoPrecision precision, SinoConeSymmetry symmetry, Block *block)
{
    const double middle = 0.5 * (SIZE - 1);
    *block = (Block){.cone = {.angle_count = ANGLES,
                              .column_count = SIZE,
                              .row_count = SIZE,
                              .x_count = SIZE,
                              .y_count = SIZE,
                              .z_count = SIZE,
                              .source_object = 1000,
                              .source_detector = 1536,
                              .pixel_width = 1.6,
                              .pixel_height = 1.6,
                              .voxel_size = 1,
                              .center = middle,
                              .center_row = middle},
                     .lines = {.symmetry = symmetry,
                               .precision = precision,
                               .group_count = 4 * GROUPS / symmetry.turns,
                               .column_count = SIZE,
                               .entry_count = sino_ceil_multiple(SIZE / symmetry.halves + 2, SINO_CONE_ENTRIES)},
                     .part = {0, 48, SIZE / 2, 16, 0, 128}};
    const int64_t entries = sino_cone_projection_entries(&block->lines), bytes = sino_cone_entry_bytes(&block->lines);
    assert_success(sino_allocate(4 * GROUPS * entries, (size_t)bytes, "test", &block->entries));
    assert_success(sino_allocate(sino_cone_scratch_bytes(&block->lines), 1, "test", &block->scratch));
    assert_success(sino_allocate(sino_cone_part_voxels(&block->part, symmetry), sizeof(float), "test", &block->voxels));
    for (int64_t i = 0; i < 4 * GROUPS * entries; i++)
        if (precision == SINO_MIXED)
            ((int16_t *)block->entries)[i] = (int16_t)(i * 7919 % 30000);
        else
            ((float *)block->entries)[i] = (float)(i % 1000);
    for (int p = 0; p < 4 * GROUPS; p++) {
        const int group = p % (int)block->lines.group_count, turn = p / (int)block->lines.group_count;
        block->angle_rad[p] = 2 * SINO_PI * (group + turn * (ANGLES / 4)) / ANGLES;
        block->unit[p] = 1e-4F;
        block->projection[p] = (const char *)block->entries + p * entries * bytes;
    }
}

static void free_block(Block *block)
{
    free(block->entries);
    free(block->scratch);
    free(block->voxels);
}

static double gups_of(const SinoConeIsa *isa, Block *block)
{
    const SinoConeSymmetry symmetry = block->lines.symmetry;
    const SinoConeBackprojection what = {&block->cone,     &block->lines, &block->part,
                                         block->angle_rad, block->unit,   block->projection};
    const double updates = (double)sino_cone_part_voxels(&block->part, symmetry) * 4 * GROUPS;
    double best = INFINITY;
    for (int i = 0; i < REPEATS; i++) {
        const double begin = thread_s();
        sino_cone_backproject_with(isa, &what, block->scratch, block->voxels);
        best = fmin(best, thread_s() - begin);
    }
    return updates / best * 1e-9;
}

static bool has(const SinoConeIsa *isa)
{
    static const char *const order[] = {"plain", "avx2", "avx512", "avx512vnni"};
    for (int i = 0; i < 4; i++) {
        if (strcmp(isa->name, order[i]) == 0) return true;
        if (strcmp(sino_cone_isa_name(), order[i]) == 0) return false;
    }
    return false;
}

int main(void)
{
    static const SinoConeIsa *const isas[] = {
        &sino_cone_plain,
#ifdef __x86_64__
        &sino_cone_avx2,
        &sino_cone_avx512,
        &sino_cone_avx512vnni,
#endif
    };
    const int64_t rounds = 200000000;
    const double begin = thread_s();
    sino_machine_multiply_add(SINO_SINGLE, rounds);
    printf("multiply-adds: %.0f GFLOP/s\n",
           sino_machine_multiply_add_flops(SINO_SINGLE, rounds) / (thread_s() - begin) * 1e-9);
    for (int general = 0; general < 2; general++)
        for (int mixed = 0; mixed < 2; mixed++)
            for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
                Block block;
                if (!has(isas[i])) continue;
                make(mixed ? SINO_MIXED : SINO_SINGLE, general ? (SinoConeSymmetry){1, 1} : (SinoConeSymmetry){4, 2},
                     &block);
                printf("%-9s %-6s %-10s %6.2f GUPS\n", general ? "general" : "symmetric", mixed ? "mixed" : "single",
                       isas[i]->name, gups_of(isas[i], &block));
                free_block(&block);
            }
    return 0;
}
