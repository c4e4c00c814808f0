/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank memory: with one rank what a slot takes, with more their shares, and never an overflow. */
#include "rank_memory.h"

#include "testing.h"

#include <math.h>

enum { ANGLES = 24, SIZE = 256 };

/* A need with everything that it refers to. */
typedef struct Case {
    double rad[ANGLES];
    SinoGeometry scan;
    SinoLayout layout;               /* owned */
    SinoDecomposition decomposition; /* owned */
    SinoFootprintSizes sizes;        /* owned */
    SinoRankNeed need;
} Case;

static void make(Case *made, SinoPrecision precision, SinoTopology topology)
{
    for (int k = 0; k < ANGLES; k++) made->rad[k] = M_PI * k / ANGLES;
    made->scan = (SinoGeometry){ANGLES, SIZE, SIZE, made->rad, (SIZE - 1) / 2.0};
    assert_success(sino_layout_new(&made->scan, precision, false, &made->layout));
    assert_success(
        sino_decomposition_new(&made->layout, sino_topology_partitions(&topology), NULL, &made->decomposition));
    assert_success(sino_footprint_sizes_new(&made->scan, &made->decomposition, &topology, &made->sizes));
    made->need = (SinoRankNeed){.scan = &made->scan,
                                .precision = precision,
                                .vectors = {2, 4},
                                .history_columns = 31,
                                .slice_input_bytes = ANGLES * SIZE * 2,
                                .slice_field_bytes = SIZE * 8,
                                .worker_count = 2,
                                .operator_bytes = 10000000,
                                .sizes = &made->sizes,
                                .decomposition = &made->decomposition};
}

static void case_free(Case *made)
{
    sino_layout_free(&made->layout);
    sino_decomposition_free(&made->decomposition);
    sino_footprint_sizes_free(&made->sizes);
}

static void one_rank_is_a_slot(void **state)
{
    (void)state;
    static const SinoPrecision precisions[] = {SINO_SINGLE, SINO_DOUBLE, SINO_HALF, SINO_MIXED};
    for (int i = 0; i < 4; i++) {
        Case one;
        SinoRankMemory memory;
        make(&one, precisions[i], (SinoTopology){1, 1, 1, 1});
        sino_rank_memory(&one.need, 5, 3, 100, &memory);
        const int64_t stride = sino_panel_stride(precisions[i], 5);
        assert_int_equal(
            memory.voxel_bytes + memory.ray_bytes,
            3 * sino_minibatch_bytes(&one.scan, precisions[i], &SINO_EXCHANGE_ALONE(1), stride, one.need.vectors, 31));
        assert_int_equal(memory.operator_bytes, 10000000);
        assert_true(memory.footprint_bytes[0] == 0 && memory.footprint_bytes[1] == 0 && memory.footprint_bytes[2] == 0);
        assert_true(memory.message_bytes == 0 && memory.map_bytes == 0);
        assert_int_equal(memory.input_bytes, 2 * 15 * (ANGLES * SIZE * 2 + SIZE * 8));
        case_free(&one);
    }
}

static void ranks_have_shares(void **state)
{
    (void)state;
    Case four, one;
    SinoRankMemory memory, whole;
    make(&one, SINO_SINGLE, (SinoTopology){1, 1, 1, 1});
    make(&four, SINO_SINGLE, (SinoTopology){4, 4, 2, 2});
    sino_rank_memory(&one.need, 16, 1, 16, &whole);
    sino_rank_memory(&four.need, 16, 1, 16, &memory);
    assert_in_range(memory.operator_bytes, 10000000 / 4, 13000000 / 4);
    assert_in_range(memory.voxel_bytes, whole.voxel_bytes / 4, whole.voxel_bytes / 3);
    assert_int_equal(memory.input_bytes, 16 * (ANGLES / 4 * SIZE * 2 + SIZE * 8));
    /* A vector of the rays of each level's footprints; the hierarchy's are smaller and smaller. */
    assert_true(memory.footprint_bytes[0] > memory.footprint_bytes[1]);
    assert_true(memory.footprint_bytes[1] > memory.footprint_bytes[2] && memory.footprint_bytes[2] > 0);
    int64_t rays = 0;
    for (int p = 0; p < 4; p++) rays += four.sizes.member[SINO_LEVEL_WORKER][p].ray_count;
    assert_true(memory.footprint_bytes[0] >= rays * 4 * sino_panel_stride(SINO_SINGLE, 16));
    assert_true(memory.message_bytes > 0 && memory.map_bytes > 0);
    four.need.communication = SINO_COMMUNICATION_DIRECT;
    const int64_t message_bytes = memory.message_bytes;
    sino_rank_memory(&four.need, 16, 1, 16, &memory);
    assert_true(memory.footprint_bytes[1] == 0 && memory.footprint_bytes[2] == 0);
    assert_true(memory.message_bytes > message_bytes);
    case_free(&four);
    case_free(&one);
}

/* Numbers of a machine that nobody has. */
static void nothing_overflows(void **state)
{
    (void)state;
    Case large;
    SinoRankMemory memory;
    make(&large, SINO_DOUBLE, (SinoTopology){2, 2, 2, 2});
    large.need.operator_bytes = (int64_t)1 << 50;
    large.need.slice_input_bytes = (int64_t)1 << 50;
    large.need.worker_count = 1000;
    sino_rank_memory(&large.need, 256, (int64_t)1 << 40, (int64_t)1 << 50, &memory);
    assert_true(memory.total_bytes > (int64_t)1 << 58);
    assert_true(memory.voxel_bytes > 0 && memory.ray_bytes > 0 && memory.input_bytes > 0 && memory.building_bytes > 0);
    case_free(&large);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_rank_is_a_slot),
        cmocka_unit_test(ranks_have_shares),
        cmocka_unit_test(nothing_overflows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
