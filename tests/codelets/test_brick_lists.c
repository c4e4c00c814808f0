/* SPDX-License-Identifier: BSD-3-Clause */
/* Brick lists: products that follow the lists of rows and of bricks, in double, against those of the block; waves that
 * end by rows, by bytes, and of a single band. */
#include "brick_lists.h"
#include "brick_pack.h"
#include "memory.h"
#include "testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows with about one of `sparse` entries; of 100 rows `empty` have none. */
typedef struct Form {
    int64_t rows, columns, sparse;
    int empty;
    int lanes;
    int64_t waves; /* that come out */
} Form;

static const Form forms[] = {
    {75, 3000, 7, 20, 32, 1},      {70, 3000, 7, 20, 16, 1},  {1, 40, 1, 0, 32, 1},      {33, 500, 9, 100, 16, 1},
    {8192 + 7, 90, 40, 30, 32, 2}, {160, 50000, 1, 0, 16, 3}, {64, 140000, 1, 0, 32, 2}, {0, 5, 1, 0, 32, 0},
};
enum { FORMS = sizeof forms / sizeof *forms };

static uint64_t random_bits(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

static SinoBrickHead *block_of(const Form *form, SinoPrecision precision)
{
    const SinoVoxelGrid grid = {.x_count = form->columns, .y_count = 1, .z_count = 1};
    const SinoBrickShape shape = {{form->lanes, 1, 1}, {100, 1, 1}};
    SinoSparseRows rows = {.row_count = form->rows};
    SinoBrickOrder *order;
    SinoBrickHead *block;
    uint64_t seed = 1;
    assert_success(sino_allocate(form->rows + 1, sizeof *rows.start, "test", &rows.start));
    assert_success(sino_allocate(form->rows * form->columns + 1, sizeof *rows.column, "test", &rows.column));
    assert_success(sino_allocate(form->rows * form->columns + 1, sizeof *rows.value, "test", &rows.value));
    for (int64_t i = 0; i < form->rows; i++) {
        int64_t at = rows.start[i];
        const bool empty = random_bits(&seed) % 100 < (uint64_t)form->empty;
        for (int64_t column = 0; column < form->columns && !empty; column++) {
            if (random_bits(&seed) % (uint64_t)form->sparse != 0) continue;
            rows.column[at] = (uint32_t)column;
            rows.value[at++] = ldexpf((float)(1 + random_bits(&seed) % 1000), -(int)(random_bits(&seed) % 10));
        }
        rows.start[i + 1] = at;
    }
    assert_success(sino_brick_order_of_grid(&grid, &shape, &order));
    assert_success(sino_brick_pack(order, precision, &rows, &block));
    sino_brick_order_free(order);
    free(rows.start);
    free(rows.column);
    free(rows.value);
    return block;
}

static SinoBrickLists *lists_of(const SinoBrickHead *block)
{
    int64_t bytes;
    assert_success(sino_brick_lists_bytes(block, &bytes));
    assert_true(bytes <= sino_brick_lists_bytes_most(block->row_count, block->nonzero_count));
    SinoBrickLists *lists = sino_allocate_large(bytes);
    memset(lists, 0xff, (size_t)bytes);
    assert_success(sino_brick_lists_fill(block, lists));
    assert_int_equal(lists->bytes, bytes);
    return lists;
}

/* An entry of a list: its mask, and where its values begin. */
typedef struct Entry {
    uint32_t mask;
    const char *value;
} Entry;

static Entry entry_of(const SinoBrickHead *block, const SinoBrickLists *lists, int64_t mask_at, int64_t value_at,
                      int64_t number, int64_t offset)
{
    const char *const masks = (const char *)lists + mask_at;
    const uint32_t *value = (const void *)((const char *)lists + value_at);
    const int64_t bytes = block->precision == SINO_SINGLE ? 4 : 2;
    return (Entry){.mask = block->lanes == 32 ? ((const uint32_t *)(const void *)masks)[number]
                                              : ((const uint16_t *)(const void *)masks)[number],
                   .value = (const char *)block + offset + value[number] * bytes};
}

/* The value of each row of a brick, 0 where the mask has none. */
static void expand(const SinoBrickHead *block, Entry entry, double to[SINO_BRICK_LANES])
{
    for (int lane = 0; lane < block->lanes; lane++) {
        double *const voxel = &to[sino_brick_lane_row(block->lanes, block->precision, lane)];
        *voxel = 0;
        if (!(entry.mask >> lane & 1)) continue;
        if (block->precision == SINO_SINGLE)
            *voxel = (double)*(const float *)(const void *)entry.value;
        else
            *voxel = *(const uint16_t *)(const void *)entry.value;
        entry.value += block->precision == SINO_SINGLE ? 4 : 2;
    }
}

static double project_row(const SinoBrickHead *block, const SinoBrickLists *lists, int64_t row, const float *x)
{
    const SinoBrickListRow *of = (const void *)((const char *)lists + lists->row_at);
    const uint32_t *brick = (const void *)((const char *)lists + lists->row_brick_at);
    const int64_t offset = sino_brick_offsets(block)[row / SINO_BRICK_ROWS];
    double sum = 0, value[SINO_BRICK_LANES];
    for (int64_t i = of[row].entry; i < of[row + 1].entry; i++) {
        expand(block, entry_of(block, lists, lists->row_mask_at, lists->row_value_at, i, offset), value);
        for (int64_t l = 0; l < block->lanes; l++)
            sum += value[l] * (double)x[(brick[i] & 0xfffffff) * block->lanes + l] / (1 << (brick[i] >> 29));
    }
    return sum * (double)of[row].unit;
}

static void backproject_wave(const SinoBrickHead *block, const SinoBrickLists *lists, const SinoBrickWave *wave,
                             const float *y, double *x)
{
    const SinoBrickListRow *row = (const void *)((const char *)lists + lists->row_at);
    const SinoBrickListRun *run = (const void *)((const char *)lists + lists->run_at);
    const uint16_t *code = (const void *)((const char *)lists + lists->run_code_at);
    double value[SINO_BRICK_LANES];
    run += wave->first_run;
    for (int64_t r = 0; r < wave->run_count; r++) {
        assert_true(r == 0 || run[r].brick > run[r - 1].brick);
        assert_true(run[r + 1].entry > run[r].entry);
        for (int64_t i = wave->first_entry + run[r].entry; i < wave->first_entry + run[r + 1].entry; i++) {
            const int64_t of = wave->first_row + (code[i] & (SINO_BRICK_WAVE_ROWS - 1));
            const double weight = (double)y[of] * (double)row[of].unit / (1 << (code[i] >> 13));
            expand(block, entry_of(block, lists, lists->run_mask_at, lists->run_value_at, i, wave->offset), value);
            for (int64_t l = 0; l < block->lanes; l++) x[run[r].brick * block->lanes + l] += value[l] * weight;
        }
    }
}

/* Waves hold all bands, one after another, and as many as they may. */
static void check_waves(const SinoBrickHead *block, const SinoBrickLists *lists)
{
    const SinoBrickWave *wave = sino_brick_list_waves(lists);
    const int64_t *offset = sino_brick_offsets(block);
    int64_t row = 0;
    for (int64_t w = 0; w < lists->wave_count; w++) {
        assert_int_equal(wave[w].first_row, row);
        assert_int_equal(wave[w].offset, offset[row / SINO_BRICK_ROWS]);
        row += wave[w].row_count;
        assert_true(row == block->row_count || row % SINO_BRICK_ROWS == 0);
        assert_true(wave[w].row_count > 0 && wave[w].row_count <= SINO_BRICK_WAVE_ROWS);
        assert_true(wave[w].row_count <= SINO_BRICK_ROWS ||
                    offset[sino_brick_band_count(row)] - wave[w].offset <= SINO_BRICK_WAVE);
    }
    assert_int_equal(row, block->row_count);
}

static void assert_same(const float *found, const double *expected, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (!(fabs((double)found[i] - expected[i]) <= 2e-6 * expected[i]))
            fail_msg("%d: %.9g, not %.9g", (int)i, (double)found[i], expected[i]);
}

static void check_products(const SinoBrickHead *block, const SinoBrickLists *lists)
{
    const int64_t voxels = block->brick_count * block->lanes, rays = block->row_count;
    float *x = calloc((size_t)voxels + 1, sizeof *x), *aty = calloc((size_t)voxels + 1, sizeof *aty);
    float *y = calloc((size_t)rays + 1, sizeof *y), *ax = calloc((size_t)rays + 1, sizeof *ax);
    double *row = calloc((size_t)rays + 1, sizeof *row), *voxel = calloc((size_t)voxels + 1, sizeof *voxel);
    uint64_t seed = 2;
    for (int64_t i = 0; i < voxels; i++) x[i] = (float)(random_bits(&seed) % 100);
    for (int64_t i = 0; i < rays; i++) y[i] = (float)(random_bits(&seed) % 100);
    sino_brick_project(block, NULL, 1, x, ax);
    sino_brick_backproject(block, NULL, 1, y, aty);
    for (int64_t i = 0; i < rays; i++) row[i] = project_row(block, lists, i, x);
    for (int64_t w = 0; w < lists->wave_count; w++)
        backproject_wave(block, lists, &sino_brick_list_waves(lists)[w], y, voxel);
    assert_same(ax, row, rays);
    assert_same(aty, voxel, voxels);
    free(x), free(aty), free(y), free(ax), free(row), free(voxel);
}

static void lists_lead_to_every_value(void **state)
{
    (void)state;
    for (int i = 0; i < FORMS; i++)
        for (int mixed = 0; mixed < 2; mixed++) {
            SinoBrickHead *block = block_of(&forms[i], mixed ? SINO_MIXED : SINO_SINGLE);
            SinoBrickLists *lists = lists_of(block);
            if (!mixed) assert_int_equal(lists->wave_count, forms[i].waves);
            check_waves(block, lists);
            check_products(block, lists);
            sino_free_large(lists);
            sino_free_large(block);
        }
}

static void too_large_blocks_are_refused(void **state)
{
    (void)state;
    struct {
        SinoBrickHead head;
        int64_t offset[2];
    } block = {.head = {.row_count = 1, .stored_brick_count = (int64_t)1 << 32}};
    int64_t bytes = 7;
    assert_error(sino_brick_lists_bytes(&block, &bytes), SINO_FAILED,
                 "a block of bricks for GPUs: 4294967296 stored bricks; allowed: up to 4294967295");
    block.head.stored_brick_count = 1;
    block.offset[1] = (int64_t)1 << 33;
    assert_error(sino_brick_lists_bytes(&block, &bytes), SINO_FAILED, "8589934592 bytes | 32 rows | 8589934590");
    assert_int_equal(bytes, 7);
}

TESTING_SUBJECT(brick_lists)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_lead_to_every_value),
        cmocka_unit_test(too_large_blocks_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
