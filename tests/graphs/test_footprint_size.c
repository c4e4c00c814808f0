/* SPDX-License-Identifier: BSD-3-Clause */
/* Footprint size: at every level, its rays and their owners equal those that tracing finds. */
#include "decomposition.h"

#include "memory.h"
#include "pack.h"
#include "testing.h"
#include "testing_angles.h"

#include <math.h>
#include <time.h>

/* The rays of each partition as tracing marks them, in the order of the file. */
typedef struct Traced {
    int64_t ray_count, partition_count;
    bool *has; /* [partition][ray]; owned */
} Traced;

static Traced trace(const SinoGeometry *scan, const SinoLayout *layout, const SinoDecomposition *decomposition)
{
    enum { BYTES = 64 << 20 };
    Traced made = {.ray_count = sino_geometry_ray_count(scan), .partition_count = decomposition->partition_count};
    uint8_t *touched = malloc((size_t)made.ray_count);
    void *block = sino_reserve(BYTES);
    made.has = calloc((size_t)(made.ray_count * made.partition_count), sizeof *made.has);
    assert_true(touched && block && made.has);
    const SinoFootprint every = {.ray_count = made.ray_count};
    for (int64_t p = 0; p < made.partition_count; p++) {
        memset(touched, 0, (size_t)made.ray_count);
        const int64_t first = decomposition->first[p], count = decomposition->first[p + 1] - first;
        const SinoPackBlock pack = {layout, count, decomposition->tile + first, &every, BYTES, touched};
        if (count > 0) assert_success(sino_pack_block(&pack, block));
        for (int64_t k = 0; k < scan->angle_count; k++)
            for (int64_t c = 0; c < scan->column_count; c++)
                made.has[p * made.ray_count + k * scan->column_count + c] =
                    touched[layout->place[k] * scan->column_count + c];
    }
    sino_release(block, BYTES);
    free(touched);
    return made;
}

/* What members first … end − 1 of the partitions have together. */
static SinoFootprintSize count_together(const Traced *traced, const SinoGeometry *scan, int64_t ranks, int64_t rank,
                                        int64_t first, int64_t end, int64_t *taken, int64_t *sender_count)
{
    SinoFootprintSize found = {0};
    bool *owns = calloc((size_t)ranks, sizeof *owns);
    assert_non_null(owns);
    for (int64_t ray = 0; ray < traced->ray_count; ray++) {
        bool has = false;
        for (int64_t p = first; p < end; p++) has = has || traced->has[p * traced->ray_count + ray];
        if (!has) continue;
        const int64_t owner = sino_owner_of_angle(scan->angle_count, ranks, ray / scan->column_count);
        found.ray_count++;
        found.own_count += owner == rank;
        taken[owner] += owner != rank;
        found.owner_count += owner != rank && !owns[owner];
        sender_count[owner] += owner != rank && !owns[owner];
        owns[owner] = true;
    }
    free(owns);
    return found;
}

static void check_level(const Traced *traced, const SinoGeometry *scan, const SinoFootprintSizes *sizes,
                        SinoLevel level)
{
    const SinoTopology *topology = &sizes->topology;
    const int64_t members = sizes->member_count[level], partitions = sino_topology_partitions(topology);
    int64_t *taken = calloc((size_t)topology->rank_count, sizeof *taken), total = 0;
    int64_t *sender_count = calloc((size_t)topology->rank_count, sizeof *sender_count);
    assert_true(taken && sender_count);
    assert_int_equal(partitions % members, 0);
    for (int64_t m = 0; m < members; m++) {
        const int64_t first = m * (partitions / members), end = first + partitions / members;
        const SinoFootprintSize *found = &sizes->member[level][m];
        const SinoFootprintSize expected =
            count_together(traced, scan, topology->rank_count, sino_topology_rank_of_partition(topology, first), first,
                           end, taken, sender_count);
        assert_int_equal(found->ray_count, expected.ray_count);
        assert_int_equal(found->own_count, expected.own_count);
        assert_int_equal(found->owner_count, expected.owner_count);
        total += expected.ray_count;
    }
    assert_int_equal(sino_footprint_sizes_total(sizes, level), total);
    assert_memory_equal(sizes->taken[level], taken, (size_t)topology->rank_count * sizeof *taken);
    assert_memory_equal(sizes->sender_count[level], sender_count, (size_t)topology->rank_count * sizeof *taken);
    free(taken);
    free(sender_count);
}

/* The rays of each partition, in the order of the layout. */
static void check_lists(const Traced *traced, const SinoLayout *layout, const SinoDecomposition *decomposition)
{
    const int64_t columns = layout->geometry.column_count;
    for (int64_t p = 0; p < traced->partition_count; p++) {
        uint8_t *listed = calloc((size_t)traced->ray_count, 1);
        uint32_t *ray = NULL;
        int64_t count = 0;
        assert_non_null(listed);
        assert_success(sino_footprint_rays(&layout->geometry, decomposition, p, &count, &ray));
        for (int64_t i = 0; i < count; i++) {
            assert_true(i == 0 || ray[i] > ray[i - 1]);
            listed[ray[i]] = 1;
        }
        for (int64_t k = 0; k < layout->geometry.angle_count; k++)
            for (int64_t c = 0; c < columns; c++)
                assert_int_equal(listed[layout->place[k] * columns + c],
                                 traced->has[p * traced->ray_count + k * columns + c]);
        free(listed);
        free(ray);
    }
}

static void check(const SinoGeometry *scan, bool symmetry, const SinoTopology *topology)
{
    SinoLayout layout;
    SinoDecomposition decomposition;
    SinoFootprintSizes sizes;
    assert_success(sino_layout_new(scan, SINO_SINGLE, symmetry, &layout));
    assert_success(sino_decomposition_new(&layout, sino_topology_partitions(topology), NULL, &decomposition));
    assert_success(sino_footprint_sizes_new(scan, &decomposition, topology, &sizes));
    Traced traced = trace(scan, &layout, &decomposition);
    for (SinoLevel level = 0; level < SINO_LEVELS; level++) check_level(&traced, scan, &sizes, level);
    check_lists(&traced, &layout, &decomposition);
    free(traced.has);
    sino_footprint_sizes_free(&sizes);
    sino_decomposition_free(&decomposition);
    sino_layout_free(&layout);
}

static const SinoTopology topologies[] = {{1, 1, 1, 1}, {1, 1, 1, 5}, {2, 2, 2, 2},  {3, 6, 1, 2},
                                          {4, 4, 2, 3}, {7, 7, 1, 1}, {2, 2, 3, 40}, {50, 50, 1, 1}};

static void every_angle(const SinoGeometry *sizes)
{
    for (int kind = 0; kind < TESTING_ANGLES_KINDS; kind++) {
        const TestingAngles angles = testing_angles(kind);
        for (size_t t = (size_t)kind % TESTING_STEP; t < sizeof topologies / sizeof *topologies; t += TESTING_STEP)
            for (int symmetry = 0; symmetry < 2; symmetry++) {
                const SinoGeometry scan = {angles.count, sizes->column_count, sizes->grid_size,
                                           angles.rad,   sizes->center,       0};
                check(&scan, symmetry, &topologies[t]);
            }
    }
}

static void sizes_are_those_that_tracing_finds(void **state)
{
    (void)state;
    every_angle(&(SinoGeometry){.column_count = 100, .grid_size = 100, .center = 49.5});
}

static void so_they_are_off_center(void **state)
{
    (void)state;
    every_angle(&(SinoGeometry){.column_count = 70, .grid_size = 140, .center = 20.21});
    every_angle(&(SinoGeometry){.column_count = 131, .grid_size = 131, .center = 80});
    /* A detector that the slice's shadow misses. */
    every_angle(&(SinoGeometry){.column_count = 10, .grid_size = 40, .center = 61.3});
}

static void so_they_are_on_tiny_grids(void **state)
{
    (void)state;
    every_angle(&(SinoGeometry){.column_count = 1, .grid_size = 1, .center = 0});
    every_angle(&(SinoGeometry){.column_count = 17, .grid_size = 17, .center = 8.3});
}

/* Each angle has one owner, and each owner its run of angles. */
static void owners_have_runs_of_angles(void **state)
{
    (void)state;
    for (int64_t angles = 1; angles < 50; angles++)
        for (int64_t ranks = 1; ranks < 60; ranks++) {
            assert_int_equal(sino_owner_first_angle(angles, ranks, 0), 0);
            assert_int_equal(sino_owner_first_angle(angles, ranks, ranks), angles);
            for (int64_t k = 0; k < angles; k++) {
                const int64_t owner = sino_owner_of_angle(angles, ranks, k);
                assert_true(owner >= 0 && owner < ranks);
                assert_true(sino_owner_first_angle(angles, ranks, owner) <= k);
                assert_true(sino_owner_first_angle(angles, ranks, owner + 1) > k);
            }
        }
}

/* Partitions without a tile take time at each angle, too: their number bounds the angles, in less than the ten seconds
 * of a processor that a plan may take. */
static void partitions_without_tiles_take_little_time(void **state)
{
    (void)state;
    static double angle_rad[200000];
    const SinoGeometry scan = {200000, 16, 16, angle_rad, 7.5, 0};
    const SinoTopology topology = {1, 1, 1, 30000};
    SinoLayout layout;
    SinoDecomposition decomposition;
    SinoFootprintSizes sizes;
    for (int64_t k = 0; k < 200000; k++) angle_rad[k] = M_PI * (double)k / 200000;
    assert_success(sino_layout_new(&scan, SINO_SINGLE, false, &layout));
    assert_success(sino_decomposition_new(&layout, 30000, NULL, &decomposition));
    const clock_t begin = clock();
    assert_success(sino_footprint_sizes_new(&scan, &decomposition, &topology, &sizes));
    assert_true(clock() - begin < (clock_t)10 * CLOCKS_PER_SEC);
    sino_footprint_sizes_free(&sizes);
    sino_decomposition_free(&decomposition);
    sino_layout_free(&layout);
}

TESTING_SUBJECT(footprint_size)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_those_that_tracing_finds),
        cmocka_unit_test(so_they_are_off_center),
        cmocka_unit_test(so_they_are_on_tiny_grids),
        cmocka_unit_test(owners_have_runs_of_angles),
        cmocka_unit_test(partitions_without_tiles_take_little_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
