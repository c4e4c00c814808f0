/* SPDX-License-Identifier: BSD-3-Clause */
/* Decomposition: each tile is in one partition, orbits are whole, partitions have nearly equal weight. */
#include "decomposition.h"

#include "testing.h"
#include "testing_angles.h"

#include <math.h>

static const int64_t sizes[] = {1, 2, 16, 100, 128, 129, 250, 500, 511};
static const int64_t partition_counts[] = {1, 2, 3, 7, 16, 100};
enum { SIZES = sizeof sizes / sizeof *sizes, COUNTS = sizeof partition_counts / sizeof *partition_counts };

/* A layout and its decomposition; partition of each tile of the grid, −1: none. */
typedef struct Division {
    SinoLayout layout;               /* owned */
    SinoDecomposition decomposition; /* owned */
    int64_t side;
    int64_t *partition;  /* owned */
    const double *share; /* of each partition; NULL: all the same; not owned */
} Division;

static Division divide_shares(const SinoGeometry *scan, bool symmetry, int64_t partition_count, const double *share)
{
    Division made = {.side = sino_tile_side(scan->grid_size), .share = share};
    assert_success(sino_layout_new(scan, SINO_SINGLE, symmetry, &made.layout));
    assert_success(sino_decomposition_new(&made.layout, partition_count, share, &made.decomposition));
    const SinoDecomposition *found = &made.decomposition;
    made.partition = calloc((size_t)(made.side * made.side), sizeof *made.partition);
    assert_non_null(made.partition);
    for (int64_t i = 0; i < made.side * made.side; i++) made.partition[i] = -1;
    assert_int_equal(found->partition_count, partition_count);
    assert_int_equal(found->first[0], 0);
    assert_int_equal(found->first[partition_count], found->tile_count);
    for (int64_t p = 0; p < partition_count; p++) {
        assert_true(found->first[p] <= found->first[p + 1]);
        for (int64_t t = found->first[p]; t < found->first[p + 1]; t++) {
            int64_t *partition = &made.partition[found->tile[t].row * made.side + found->tile[t].column];
            assert_int_equal(*partition, -1); /* each tile once */
            *partition = p;
        }
    }
    return made;
}

static Division divide(const SinoGeometry *scan, bool symmetry, int64_t partition_count)
{
    return divide_shares(scan, symmetry, partition_count, NULL);
}

static void division_free(Division *division)
{
    sino_layout_free(&division->layout);
    sino_decomposition_free(&division->decomposition);
    free(division->partition);
}

static bool in_grid(int64_t size, int64_t row, int64_t column)
{
    return sino_tile_range(size, row).count > 0 && sino_tile_range(size, column).count > 0;
}

/* All that lie in the grid, at least in part, and no others. */
static void check_tiles(const Division *division)
{
    const int64_t side = division->side, size = division->layout.geometry.grid_size;
    int64_t count = 0;
    for (int64_t row = 0; row < side; row++)
        for (int64_t column = 0; column < side; column++) {
            const bool found = division->partition[row * side + column] >= 0;
            assert_true(found == in_grid(size, row, column));
            count += found;
        }
    assert_int_equal(count, division->decomposition.tile_count);
    assert_int_equal(count * SINO_TILE_VOXELS, sino_tile_voxels(size));
}

/* Tiles of a super-tile follow each other within a partition. */
static void check_super_tiles(const Division *division)
{
    const SinoDecomposition *found = &division->decomposition;
    int64_t *left = calloc((size_t)(division->side * division->side), sizeof *left);
    assert_non_null(left);
    for (int64_t p = 0; p < found->partition_count; p++) {
        int64_t last = -1;
        for (int64_t t = found->first[p]; t < found->first[p + 1]; t++) {
            const int64_t super =
                found->tile[t].row / SINO_SUPER_TILE * division->side + found->tile[t].column / SINO_SUPER_TILE;
            if (super != last) assert_int_not_equal(left[super], p + 1);
            if (last >= 0 && super != last) left[last] = p + 1;
            last = super;
        }
    }
    free(left);
}

/* With several orientations a partition has the tile in each of them. */
static void check_orbits(const Division *division)
{
    const SinoDecomposition *found = &division->decomposition;
    for (int64_t t = 0; t < found->tile_count; t++) {
        const int64_t mine = division->partition[found->tile[t].row * division->side + found->tile[t].column];
        for (int g = 0; g < SINO_ORIENTATIONS; g++) {
            int64_t row = found->tile[t].row, column = found->tile[t].column;
            if (!(sino_orientation_group(division->layout.orientations) >> g & 1)) continue;
            sino_orientation_place(g, division->side, &row, &column);
            assert_int_equal(division->partition[row * division->side + column], mine);
        }
    }
}

/* The weight of the heaviest piece that must stay in one partition: a tile, or the tiles of an orbit. */
static double heaviest(const Division *division)
{
    const SinoDecomposition *found = &division->decomposition;
    double tile = 0;
    for (int64_t t = 0; t < found->tile_count; t++) tile = fmax(tile, found->weight[t]);
    const int images = __builtin_popcount(sino_orientation_group(division->layout.orientations));
    return tile * images;
}

static void check_weights(const Division *division)
{
    const SinoDecomposition *found = &division->decomposition;
    const double most = heaviest(division);
    double total = 0, all_shares = 0, shares = 0;
    for (int64_t p = 0; p < found->partition_count; p++) all_shares += division->share ? division->share[p] : 1;
    for (int64_t p = 0; p < found->partition_count; p++) {
        const double share = found->nonzero_count * (division->share ? division->share[p] : 1) / all_shares;
        double weight = 0;
        shares += share;
        for (int64_t t = found->first[p]; t < found->first[p + 1]; t++) {
            double expected;
            sino_trace_estimate(&division->layout.geometry, 1, &found->tile[t], &expected);
            assert_true(found->weight[t] == expected);
            weight += expected;
        }
        total += weight;
        if (fabs(weight - share) > most * (1 + 1e-9))
            fail_msg("N %d, %d partitions: number %d weighs %g, its share is %g, the heaviest piece %g",
                     (int)division->layout.geometry.grid_size, (int)found->partition_count, (int)p, weight, share,
                     most);
        /* So do those before it together. */
        assert_true(fabs(total - shares) <= most / 2 * (1 + 1e-9) + 1e-9 * found->nonzero_count);
    }
    assert_true(fabs(total - found->nonzero_count) <= 1e-9 * total);
}

static void every_scan(bool symmetry, void (*check)(const Division *division))
{
    static const int kinds[] = {0, 2, 4, 8, 12};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const TestingAngles angles = testing_angles(kinds[k]);
        for (int n = 0; n < SIZES; n++)
            for (int c = 0; c < COUNTS; c++) {
                const SinoGeometry scan = {angles.count, sizes[n], sizes[n], angles.rad, (double)sizes[n] / 2.1, 0};
                Division division = divide(&scan, symmetry, partition_counts[c]);
                check(&division);
                division_free(&division);
            }
    }
}

static void tiles_cover_the_grid(void **state)
{
    every_scan(*state != NULL, check_tiles);
}

static void super_tiles_stay_together(void **state)
{
    every_scan(*state != NULL, check_super_tiles);
}

static void orbits_are_whole(void **state)
{
    every_scan(*state != NULL, check_orbits);
}

static void weights_are_balanced(void **state)
{
    every_scan(*state != NULL, check_weights);
}

/* One partition for each worker of a large grid: within 2 % of its share. */
static void large_grids_balance_well(void **state)
{
    (void)state;
    const TestingAngles angles = testing_angles(4);
    for (int symmetry = 0; symmetry <= 1; symmetry++) {
        const SinoGeometry scan = {angles.count, 2048, 2048, angles.rad, 1023.5, 0};
        Division division = divide(&scan, symmetry, 4);
        assert_true(heaviest(&division) < 0.02 * division.decomposition.nonzero_count / 4);
        check_weights(&division);
        division_free(&division);
    }
}

/* Shares of any size, none at all among them. */
static void shares_are_kept(void **state)
{
    static const double share[] = {1, 0, 7, 2.5, 1e-3, 100, 0, 3};
    const TestingAngles angles = testing_angles(4);
    for (int n = 0; n < SIZES; n++)
        for (int64_t count = 1; count <= 8; count++) {
            const SinoGeometry scan = {angles.count, sizes[n], sizes[n], angles.rad, (double)(sizes[n] - 1) / 2, 0};
            Division division = divide_shares(&scan, *state != NULL, count, share);
            check_weights(&division);
            check_tiles(&division);
            division_free(&division);
        }
}

/* Shares of ranks that are cut again are those of their partitions: the same cuts, and more. */
static void shares_nest(void **state)
{
    static const double rank[] = {1, 3, 2}, partition[] = {1, 1, 1, 3, 3, 3, 2, 2, 2};
    const TestingAngles angles = testing_angles(4);
    const SinoGeometry scan = {angles.count, 500, 500, angles.rad, 249.5, 0};
    Division ranks = divide_shares(&scan, *state != NULL, 3, rank);
    Division partitions = divide_shares(&scan, *state != NULL, 9, partition);
    for (int i = 0; i <= 3; i++) assert_int_equal(ranks.decomposition.first[i], partitions.decomposition.first[3 * i]);
    division_free(&ranks);
    division_free(&partitions);
}

/* Tiles of the grid that no earlier one is turned to. */
static int64_t count_units(const SinoLayout *layout)
{
    const int64_t size = layout->geometry.grid_size, side = sino_tile_side(size);
    const uint32_t group = sino_orientation_group(layout->orientations);
    int64_t count = 0;
    for (int64_t i = 0; i < side * side; i++) {
        bool first = in_grid(size, i / side, i % side);
        for (int g = 0; g < SINO_ORIENTATIONS; g++) {
            int64_t row = i / side, column = i % side;
            sino_orientation_place(g, side, &row, &column);
            if (group >> g & 1) first = first && row * side + column >= i;
        }
        count += first;
    }
    return count;
}

static void units_are_counted(void **state)
{
    enum { MANY = 5000 };
    for (int kind = 0; kind < TESTING_ANGLES_KINDS; kind++)
        for (int n = 0; n < SIZES; n++) {
            const TestingAngles angles = testing_angles(kind);
            const SinoGeometry scan = {angles.count, sizes[n], sizes[n], angles.rad, (double)(sizes[n] - 1) / 2, 0};
            Division division = divide(&scan, *state != NULL, MANY);
            const int64_t units = sino_decomposition_units(&division.layout), *first = division.decomposition.first;
            int64_t used = 0;
            for (int p = 0; p < MANY; p++) used += first[p + 1] > first[p];
            assert_true(used <= units);
            assert_int_equal(units, count_units(&division.layout));
            division_free(&division);
        }
}

static void hilbert_visits_neighbours(void **state)
{
    (void)state;
    for (int order = 0; order <= 5; order++) {
        const uint32_t side = 1u << order;
        int32_t place[1024];
        memset(place, 0xff, sizeof place);
        for (uint32_t i = 0; i < side * side; i++) {
            const uint64_t position = sino_decomposition_hilbert(order, i % side, i / side);
            assert_true(position < side * side && place[position] < 0);
            place[position] = (int32_t)i;
        }
        for (uint32_t i = 1; i < side * side; i++) {
            const int32_t s = (int32_t)side;
            assert_int_equal(abs(place[i] % s - place[i - 1] % s) + abs(place[i] / s - place[i - 1] / s), 1);
        }
    }
}

#define WITH_SYMMETRY(function)                                                                                        \
    {                                                                                                                  \
        .name = #function " with symmetry", .test_func = function, .initial_state = (void *)""                         \
    }

/* A sketch has the voxels and the nonzeros of what it stands for, and as even partitions. */
static void sketches_are_alike(void **state)
{
    (void)state;
    enum { ANGLES = 64, PARTS = 5 };
    double rad[ANGLES];
    for (int k = 0; k < ANGLES; k++) rad[k] = M_PI * k / ANGLES;
    const SinoGeometry scan = {
        .angle_count = ANGLES, .column_count = 3000, .grid_size = 4200, .angle_rad = rad, .center = 1499.5};
    SinoLayout layout;
    SinoDecomposition exact, sketch;
    assert_success(sino_layout_new(&scan, SINO_SINGLE, true, &layout));
    assert_success(sino_decomposition_new(&layout, PARTS, NULL, &exact));
    assert_success(sino_decomposition_sketch(&layout, PARTS, NULL, &sketch));
    assert_true(exact.coarseness == 1 && sketch.coarseness > 1);
    assert_true(sketch.tile_count < exact.tile_count / 4);
    assert_true(fabs(sketch.nonzero_count / exact.nonzero_count - 1) < 0.02);
    for (int64_t p = 0; p < PARTS; p++) {
        double nonzeros = 0;
        for (int64_t t = sketch.first[p]; t < sketch.first[p + 1]; t++) nonzeros += sketch.weight[t];
        assert_true(fabs(PARTS * nonzeros / sketch.nonzero_count - 1) < 0.05);
    }
    assert_true(sino_decomposition_voxels(&sketch, 0, PARTS) >= sino_decomposition_voxels(&exact, 0, PARTS));
    sino_decomposition_free(&exact);
    sino_decomposition_free(&sketch);
    sino_layout_free(&layout);
}

TESTING_SUBJECT(decomposition)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_cover_the_grid),
        WITH_SYMMETRY(tiles_cover_the_grid),
        cmocka_unit_test(super_tiles_stay_together),
        WITH_SYMMETRY(super_tiles_stay_together),
        cmocka_unit_test(orbits_are_whole),
        WITH_SYMMETRY(orbits_are_whole),
        cmocka_unit_test(weights_are_balanced),
        WITH_SYMMETRY(weights_are_balanced),
        cmocka_unit_test(shares_are_kept),
        WITH_SYMMETRY(shares_are_kept),
        cmocka_unit_test(shares_nest),
        WITH_SYMMETRY(shares_nest),
        cmocka_unit_test(units_are_counted),
        WITH_SYMMETRY(units_are_counted),
        cmocka_unit_test(large_grids_balance_well),
        cmocka_unit_test(sketches_are_alike),
        cmocka_unit_test(hilbert_visits_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
