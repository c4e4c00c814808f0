/* SPDX-License-Identifier: BSD-3-Clause */
/* Block check: every packed block passes, and whatever else passes is safe for the kernels (AddressSanitizer sees it).
 */
#include "block_check.h"

#include "memory.h"
#include "spmm.h"
#include "testing.h"
#include "testing_angles.h"

enum { SIZE = 150, TILES = 256, CAPACITY = 16 << 20, STRIDE = 4, FEW_ROWS = 6, ALL_ROWS = 99 };

/* A block of some tiles, and what it must be of. */
typedef struct Subject {
    SinoLayout layout; /* owned */
    SinoTilePlace tile[TILES];
    SinoBlockCheck check;
    SinoBlockHeader *block; /* owned */
    uint32_t *ray;          /* the footprint; owned; NULL: the block has every ray */
} Subject;

static void add_tiles(Subject *subject, int32_t rows)
{
    const int32_t side = (int32_t)sino_tile_side(SIZE), step = SINO_SUPER_TILE;
    int64_t count = 0;
    for (int32_t place = 0; place < side * side / (step * step); place++)
        for (int32_t i = 0; i < step * step; i++) {
            const SinoTilePlace tile = {.column = place * step % side + i % step,
                                        .row = place * step / side * step + i / step};
            const bool mine = tile.row < rows;
            if (mine && sino_tile_range(SIZE, tile.column).count > 0 && sino_tile_range(SIZE, tile.row).count > 0)
                subject->tile[count++] = tile;
        }
    subject->check = (SinoBlockCheck){.layout = &subject->layout, .tile_count = count, .tile = subject->tile};
}

static void number_rays(Subject *subject, const uint8_t *touched)
{
    SinoFootprint *footprint = &subject->check.footprint;
    assert_success(sino_allocate(footprint->ray_count, sizeof *subject->ray, "rays", &subject->ray));
    const int64_t all = footprint->ray_count;
    footprint->ray_count = 0;
    for (int64_t i = 0; i < all; i++)
        if (touched[i]) subject->ray[footprint->ray_count++] = (uint32_t)i;
    footprint->ray = subject->ray;
}

static void pack_block(Subject *subject, uint8_t *touched, void *area)
{
    const SinoPackBlock pack = {.layout = &subject->layout,
                                .tile_count = subject->check.tile_count,
                                .tile = subject->tile,
                                .footprint = &subject->check.footprint,
                                .capacity = CAPACITY,
                                .touched = touched};
    assert_success(sino_pack_block(&pack, area));
}

/* The tiles of the rows below `rows`, with a footprint; with ALL_ROWS all tiles, and every ray. */
static Subject *new_subject(const SinoGeometry *scan, bool symmetry, SinoPrecision precision, int32_t rows)
{
    Subject *subject;
    uint8_t *touched;
    const int64_t rays = sino_geometry_ray_count(scan);
    SinoBlockHeader *area = sino_reserve(CAPACITY);
    assert_non_null(area);
    assert_success(sino_allocate(1, sizeof *subject, "a subject", &subject));
    assert_success(sino_allocate(rays, 1, "marks", &touched));
    assert_success(sino_layout_new(scan, precision, symmetry, &subject->layout));
    add_tiles(subject, rows);
    subject->check.footprint.ray_count = rays;
    pack_block(subject, touched, area);
    if (rows < ALL_ROWS) {
        number_rays(subject, touched);
        sino_release(area, CAPACITY);
        area = sino_reserve(CAPACITY);
        pack_block(subject, NULL, area);
    }
    assert_success(sino_allocate(area->bytes, 1, "a block", &subject->block));
    memcpy(subject->block, area, (size_t)area->bytes);
    sino_release(area, CAPACITY);
    free(touched);
    return subject;
}

static void free_subject(Subject *subject)
{
    sino_layout_free(&subject->layout);
    free(subject->block);
    free(subject->ray);
    free(subject);
}

static SinoStatus check_of(const Subject *subject)
{
    return sino_block_check(&subject->check, subject->block, subject->block->bytes);
}

/* With symmetry all tiles: a few would not be whole orbits. */
static void packed_blocks_pass(void **state)
{
    (void)state;
    for (int kind = 0; kind < TESTING_ANGLES_KINDS; kind++)
        for (int way = 0; way < 4; way++) {
            const bool symmetry = way > 1;
            const TestingAngles angles = testing_angles(kind);
            const SinoGeometry scan = {angles.count, kind % 2 ? 40 : 260, SIZE, angles.rad, kind % 2 ? 18.3 : 130, 0};
            const SinoPrecision precision = kind % 3 == 0 ? SINO_SINGLE : kind % 3 == 1 ? SINO_HALF : SINO_DOUBLE;
            Subject *subject = new_subject(&scan, symmetry, precision, way == 1 ? FEW_ROWS : ALL_ROWS);
            assert_success(check_of(subject));
            free_subject(subject);
        }
}

static uint64_t random_bits(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 20;
}

/* Where to change something: most often in what is not a length. */
static int64_t random_place(const Subject *subject, uint64_t *seed)
{
    const SinoBlockHeader *block = subject->block;
    const SinoBlockPiece piece = sino_block_pieces(block)[random_bits(seed) % (uint64_t)block->piece_count];
    const int64_t head = sino_block_head_bytes(block->tile_count, block->piece_count);
    const uint64_t kind = random_bits(seed) % 4;
    if (kind == 0) return (int64_t)(random_bits(seed) % (uint64_t)head);
    if (kind == 1 || piece.bytes == 0) return (int64_t)(random_bits(seed) % (uint64_t)block->bytes);
    int64_t at = piece.offset;
    for (uint64_t skip = random_bits(seed) % 4; skip > 0; skip--) {
        const int64_t next = at + ((const SinoSectionHeader *)(const void *)((const char *)block + at))->bytes;
        if (next < piece.offset + piece.bytes) at = next;
    }
    const SinoSectionHeader *section = (const void *)((const char *)block + at);
    const uint64_t front = sizeof *section + (kind == 2 ? 0 : 20 * (uint64_t)section->group_count);
    return at + (int64_t)(random_bits(seed) % front);
}

static void change(const Subject *subject, int64_t place, uint64_t *seed)
{
    uint8_t *bytes = (uint8_t *)subject->block;
    static const int64_t value[] = {0, -1, 1, INT32_MAX, INT64_MAX, INT64_MIN, 2, 255};
    const size_t size = (size_t)1 << random_bits(seed) % 4;
    const int64_t at = place / (int64_t)size * (int64_t)size;
    const uint64_t kind = random_bits(seed) % 3;
    if (kind == 0) {
        memcpy(bytes + at, &value[random_bits(seed) % 8], size);
    } else if (kind == 1) {
        bytes[place] ^= (uint8_t)(1 << random_bits(seed) % 8);
    } else {
        int32_t word;
        memcpy(&word, bytes + place / 4 * 4, sizeof word);
        word += (int32_t)(random_bits(seed) % 65) - 32;
        memcpy(bytes + place / 4 * 4, &word, sizeof word);
    }
}

/* Projects and backprojects with exactly the memory that the vectors need. */
static void use(const Subject *subject)
{
    void *x, *y, *scratch;
    const size_t element = sino_precision_bytes(sino_precision_solver(subject->layout.precision));
    float unit[STRIDE] = {1, 1, 1, 1};
    assert_success(sino_allocate(subject->check.tile_count * SINO_TILE_VOXELS * STRIDE, element, "x", &x));
    assert_success(sino_allocate(subject->check.footprint.ray_count * STRIDE, element, "y", &y));
    assert_success(sino_allocate(sino_spmm_scratch_bytes(), 1, "scratch", &scratch));
    sino_spmm_project(subject->block, STRIDE, x, subject->layout.precision == SINO_DOUBLE ? NULL : unit, y, scratch);
    sino_spmm_backproject(subject->block, STRIDE, y, subject->layout.precision == SINO_DOUBLE ? NULL : unit, x,
                          scratch);
    free(x);
    free(y);
    free(scratch);
}

/* Returns how many of the changed blocks pass. */
static int attack(Subject *subject, int rounds, uint64_t *seed)
{
    int passed = 0;
    const int64_t bytes = subject->block->bytes;
    uint8_t *whole;
    assert_success(sino_allocate(bytes, 1, "a block", &whole));
    memcpy(whole, subject->block, (size_t)bytes);
    for (int i = 0; i < rounds; i++) {
        change(subject, random_place(subject, seed), seed);
        SinoStatus status = sino_block_check(&subject->check, subject->block, bytes);
        if (status) assert_int_equal(sino_status_exit_code(status), SINO_BAD_INPUT);
        if (!status) use(subject);
        passed += !status;
        sino_status_free(status);
        memcpy(subject->block, whole, (size_t)bytes);
    }
    free(whole);
    return passed;
}

static void what_passes_is_safe(void **state)
{
    (void)state;
    uint64_t seed = 7;
    int passed = 0;
    for (int kind = 0; kind < 3; kind++)
        for (int way = 1; way < 3; way++) {
            const TestingAngles angles = testing_angles(kind * 2);
            const SinoGeometry scan = {angles.count, 40, SIZE, angles.rad, 18.3, 0};
            Subject *subject =
                new_subject(&scan, way > 1, kind == 1 ? SINO_DOUBLE : SINO_SINGLE, way == 1 ? FEW_ROWS : ALL_ROWS);
            passed += attack(subject, 600, &seed);
            free_subject(subject);
        }
    assert_true(passed > 100 && passed < 2400); /* lengths may have any value, the rest may not */
}

static void footprints_ascend_within_the_scan(void **state)
{
    (void)state;
    const TestingAngles angles = testing_angles(0);
    const SinoGeometry scan = {angles.count, 40, SIZE, angles.rad, 18.3, 0};
    Subject *subject = new_subject(&scan, false, SINO_SINGLE, FEW_ROWS);
    const uint32_t second = subject->ray[1];
    const int64_t last = subject->check.footprint.ray_count - 1;
    subject->ray[1] = subject->ray[0];
    assert_error(check_of(subject), SINO_BAD_INPUT, "has rays that do not ascend");
    subject->ray[1] = second;
    subject->ray[last] = (uint32_t)sino_geometry_ray_count(&scan);
    assert_error(check_of(subject), SINO_BAD_INPUT, "has rays that the scan does not have");
    free_subject(subject);
}

static void other_tiles_are_refused(void **state)
{
    (void)state;
    const TestingAngles angles = testing_angles(0);
    const SinoGeometry scan = {angles.count, 40, SIZE, angles.rad, 18.3, 0};
    Subject *subject = new_subject(&scan, true, SINO_SINGLE, ALL_ROWS);
    int64_t t = 0;
    while (sino_trace_super_tile(subject->check.tile_count - t, subject->tile + t) == 1) t++;
    const SinoTilePlace first = subject->tile[t];
    subject->tile[t] = subject->tile[t + 1];
    subject->tile[t + 1] = first;
    assert_error(check_of(subject), SINO_BAD_INPUT, "has its tiles in other places");
    subject->check.tile_count--;
    assert_error(check_of(subject), SINO_BAD_INPUT, "has other tiles, rays or another precision");
    assert_error(sino_block_check(&subject->check, subject->block, 8), SINO_BAD_INPUT, "has another size");
    free_subject(subject);
}

TESTING_SUBJECT(block_check)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_blocks_pass),
        cmocka_unit_test(what_passes_is_safe),
        cmocka_unit_test(footprints_ascend_within_the_scan),
        cmocka_unit_test(other_tiles_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
