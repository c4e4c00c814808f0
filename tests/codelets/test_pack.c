/* SPDX-License-Identifier: BSD-3-Clause */
/* Pack: a block whose sections are measured, placed and then filled equals a block that is traced at once. */
#include "pack.h"

#include "memory.h"
#include "testing.h"
#include "testing_angles.h"

#include <sys/resource.h>

enum { SIZE = 150, TILES = 256, RUNS = 5 };

/* The tiles of a grid, super-tile by super-tile, in runs of their own. */
typedef struct Grid {
    SinoLayout layout; /* owned */
    SinoTilePlace tile[TILES];
    int64_t tile_count, piece_count;
    SinoPackArea area; /* its block is owned */
    SinoPackRun run[RUNS];
    uint8_t *touched; /* owned */
} Grid;

static void add_super_tile(Grid *grid, int32_t column, int32_t row)
{
    for (int32_t i = 0; i < SINO_SUPER_TILE * SINO_SUPER_TILE; i++) {
        const SinoTilePlace tile = {.column = column + i % SINO_SUPER_TILE, .row = row + i / SINO_SUPER_TILE};
        if (sino_tile_range(SIZE, tile.column).count > 0 && sino_tile_range(SIZE, tile.row).count > 0)
            grid->tile[grid->tile_count++] = tile;
    }
}

/* Super-tiles 3·r … 3·r + 2 in run r, the last run having what is left. */
static void divide(Grid *grid)
{
    int64_t first = 0;
    SinoBlockPiece *piece = (SinoBlockPiece *)sino_block_pieces((SinoBlockHeader *)(void *)grid->area.block);
    for (int r = 0; r < RUNS; r++) {
        SinoPackRun *run = &grid->run[r];
        const int super_tiles = r < RUNS - 1 ? 3 : INT32_MAX;
        *run = (SinoPackRun){.layout = &grid->layout,
                             .first_tile = first,
                             .tile = grid->tile + first,
                             .area = &grid->area,
                             .touched = grid->touched,
                             .piece = piece};
        for (int s = 0; s < super_tiles && first < grid->tile_count; s++, piece++) {
            const int64_t tiles = sino_trace_super_tile(grid->tile_count - first, grid->tile + first);
            run->tile_count += tiles;
            first += tiles;
        }
    }
}

static Grid new_grid(const SinoGeometry *scan, bool symmetry, SinoPrecision precision, int64_t capacity)
{
    Grid grid = {.area.capacity = capacity};
    const int32_t side = (int32_t)sino_tile_side(SIZE);
    assert_success(sino_layout_new(scan, precision, symmetry, &grid.layout));
    for (int32_t i = 0; i < side * side / (SINO_SUPER_TILE * SINO_SUPER_TILE); i++)
        add_super_tile(&grid, i * SINO_SUPER_TILE % side, i * SINO_SUPER_TILE / side * SINO_SUPER_TILE);
    grid.piece_count = sino_pack_piece_count(grid.tile_count, grid.tile);
    grid.area.block = sino_reserve(capacity);
    assert_non_null(grid.area.block);
    grid.area.used = sino_block_head_bytes(grid.tile_count, grid.piece_count);
    assert_success(sino_allocate(sino_geometry_ray_count(scan), 1, "marks", &grid.touched));
    return grid;
}

static void free_grid(Grid *grid)
{
    sino_layout_free(&grid->layout);
    sino_release(grid->area.block, grid->area.capacity);
    free(grid->touched);
}

static SinoStatus in_two_passes(SinoPackRun *run)
{
    SinoStatus status = NULL;
    const SinoLayout *layout = run->layout;
    const int64_t count = sino_trace_sections(layout, run->first_tile, run->tile_count, run->tile, NULL);
    SinoTraceSection *section = NULL;
    SinoTraceSize *size = NULL;
    SINO_TRY(sino_allocate(count, sizeof *section, "sections", &section));
    SINO_TRY_OR(status, cleanup, sino_allocate(count + 1, sizeof *size, "sizes", &size));
    sino_trace_sections(layout, run->first_tile, run->tile_count, run->tile, section);
    SINO_TRY_OR(status, cleanup, sino_trace_measure(layout, count, section, size));
    SINO_TRY_OR(status, cleanup, sino_pack_place(run, section, size));
    uint8_t *bytes = run->area->block + run->piece[0].offset;
    assert_int_equal(run->piece[0].offset % 64, 0);
    assert_int_equal(run->piece[0].offset + size[count].bytes, run->area->used);
    SINO_TRY_OR(status, cleanup, sino_trace_fill(layout, count, section, size, bytes));
    sino_pack_mark(layout->precision, size[count].bytes, bytes, run->touched);
cleanup:
    free(section);
    free(size);
    return status;
}

static void compare(const Grid *one, const Grid *two)
{
    assert_int_equal(one->piece_count, two->piece_count);
    assert_true(two->piece_count > RUNS);
    for (int r = 0; r < RUNS; r++) {
        assert_true(two->run[r].tile_count > 0);
        assert_int_equal(one->run[r].nonzero_count, two->run[r].nonzero_count);
        assert_int_equal(one->run[r].stored_nonzero_count, two->run[r].stored_nonzero_count);
        assert_int_equal(one->run[r].stored_count, two->run[r].stored_count);
    }
    for (int64_t i = 0; i < one->piece_count; i++) {
        const SinoBlockPiece a = one->run[0].piece[i], b = two->run[0].piece[i];
        assert_int_equal(a.bytes, b.bytes);
        assert_true(b.offset >= sino_block_head_bytes(two->tile_count, two->piece_count));
        assert_true(b.offset + b.bytes <= two->area.used);
        if (i > 0) assert_true(b.offset >= two->run[0].piece[i - 1].offset + two->run[0].piece[i - 1].bytes);
        assert_memory_equal(one->area.block + a.offset, two->area.block + b.offset, (size_t)a.bytes);
    }
    assert_memory_equal(one->touched, two->touched, (size_t)sino_geometry_ray_count(&one->layout.geometry));
}

/* Few columns leave tiles without rays, and some of the rays untouched. */
static void two_passes_make_the_block_of_one(void **state)
{
    (void)state;
    enum { CAPACITY = 64 << 20 };
    for (int kind = 0; kind < TESTING_ANGLES_KINDS; kind++)
        for (int symmetry = 0; symmetry < 2; symmetry++) {
            const TestingAngles angles = testing_angles(kind);
            const SinoGeometry scan = {angles.count, kind % 2 ? 40 : 260, SIZE, angles.rad, kind % 2 ? 18.3 : 130, 0};
            const SinoPrecision precision = kind % 3 == 0 ? SINO_SINGLE : kind % 3 == 1 ? SINO_HALF : SINO_DOUBLE;
            Grid one = new_grid(&scan, symmetry, precision, CAPACITY);
            Grid two = new_grid(&scan, symmetry, precision, CAPACITY);
            divide(&one);
            divide(&two);
            for (int r = 0; r < RUNS; r++) assert_success(sino_pack_run(&one.run[r]));
            for (int r = 0; r < RUNS; r++) assert_success(in_two_passes(&two.run[r]));
            compare(&one, &two);
            free_grid(&one);
            free_grid(&two);
        }
}

static void more_than_the_area_holds_is_an_error(void **state)
{
    (void)state;
    const TestingAngles angles = testing_angles(0);
    const SinoGeometry scan = {angles.count, SIZE, SIZE, angles.rad, 74.5, 0};
    Grid grid = new_grid(&scan, true, SINO_SINGLE, 64 << 10);
    divide(&grid);
    assert_error(in_two_passes(&grid.run[2]), SINO_FAILED,
                 "the operator needs more than the 65536 bytes foreseen for it");
    free_grid(&grid);
}

/* The largest section would have 4 MiB, of which a small one needs a tenth: a run of few tiles takes no more pages. */
static void small_sections_take_few_pages(void **state)
{
    (void)state;
    const TestingAngles angles = testing_angles(0);
    const SinoGeometry scan = {angles.count, 260, SIZE, angles.rad, 130, 0};
    Grid grid = new_grid(&scan, true, SINO_SINGLE, 64 << 20);
    struct rusage before, after;
    divide(&grid);
    assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
    assert_success(sino_pack_run(&grid.run[0]));
    assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
    print_message("%ld pages\n", after.ru_minflt - before.ru_minflt);
    assert_true(after.ru_minflt - before.ru_minflt < 700);
    free_grid(&grid);
}

TESTING_SUBJECT(pack)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_sections_take_few_pages), /* before others leave pages to malloc */
        cmocka_unit_test(two_passes_make_the_block_of_one),
        cmocka_unit_test(more_than_the_area_holds_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
