/* SPDX-License-Identifier: BSD-3-Clause */
/* Communication: the data that moves at each level, by hand for a small hierarchy, and by rules that hold for any. */
#include "decomposition.h"

#include "testing.h"

#include <math.h>

/* Two ranks, a node each, of two sockets with two workers. */
static void hierarchy_by_hand(void **state)
{
    (void)state;
    SinoFootprintSize worker[] = {{10, 4, 1}, {20, 8, 1}, {30, 9, 1}, {40, 40, 0},
                                  {1, 0, 1},  {2, 1, 1},  {3, 1, 1},  {0, 0, 0}};
    SinoFootprintSize socket[] = {{25, 10, 1}, {60, 45, 1}, {2, 1, 1}, {3, 1, 1}};
    SinoFootprintSize node[] = {{70, 50, 1}, {4, 2, 1}};
    int64_t worker_taken[] = {4, 39}, socket_taken[] = {3, 30}, node_taken[] = {2, 20};
    int64_t worker_senders[] = {3, 3}, socket_senders[] = {2, 2}, node_senders[] = {1, 1};
    const SinoFootprintSizes sizes = {
        .topology = {2, 2, 2, 2},
        .member_count = {8, 4, 2},
        .member = {worker, socket, node},
        .taken = {worker_taken, socket_taken, node_taken},
        .sender_count = {worker_senders, socket_senders, node_senders},
    };
    const SinoTraffic levels = sino_traffic(&sizes, SINO_COMMUNICATION_HIERARCHICAL);
    assert_int_equal(levels.footprints[SINO_LEVEL_WORKER], 106);
    assert_int_equal(levels.footprints[SINO_LEVEL_SOCKET], 90);
    assert_int_equal(levels.footprints[SINO_LEVEL_NODE], 74);
    assert_int_equal(levels.socket, 106);
    assert_int_equal(levels.most_socket, 70);
    assert_int_equal(levels.node, 90);
    assert_int_equal(levels.most_node, 85);
    assert_int_equal(levels.global, 22);
    assert_int_equal(levels.most_sent, 20);
    assert_int_equal(levels.most_received, 20);
    assert_int_equal(levels.messages, 2);
    assert_int_equal(levels.most_messages, 1);
    const SinoTraffic direct = sino_traffic(&sizes, SINO_COMMUNICATION_DIRECT);
    assert_int_equal(direct.footprints[SINO_LEVEL_NODE], 74);
    assert_true(direct.socket == 0 && direct.node == 0 && direct.most_socket == 0 && direct.most_node == 0);
    assert_int_equal(direct.global, 6 + 12 + 21 + 0 + 1 + 1 + 2);
    assert_int_equal(direct.most_sent, 39);
    assert_int_equal(direct.most_received, 39);
    assert_int_equal(direct.messages, 6);
    assert_int_equal(direct.most_messages, 3);
}

static SinoFootprintSizes sizes_of(int64_t size, int64_t angles, bool symmetry, SinoTopology topology)
{
    SinoLayout layout;
    SinoDecomposition decomposition;
    SinoFootprintSizes sizes;
    double *rad = calloc((size_t)angles, sizeof *rad);
    assert_non_null(rad);
    for (int64_t k = 0; k < angles; k++) rad[k] = M_PI * (double)k / (double)angles;
    const SinoGeometry scan = {angles, size, size, rad, (double)(size - 1) / 2, 0};
    assert_success(sino_layout_new(&scan, SINO_SINGLE, symmetry, &layout));
    assert_success(sino_decomposition_new(&layout, sino_topology_partitions(&topology), NULL, &decomposition));
    assert_success(sino_footprint_sizes_new(&scan, &decomposition, &topology, &sizes));
    sino_decomposition_free(&decomposition);
    sino_layout_free(&layout);
    free(rad);
    return sizes;
}

/* What is sent is received; a hierarchy never sends more; a level with one member has nothing to add. */
static void rules_hold(void **state)
{
    (void)state;
    static const SinoTopology topologies[] = {{1, 1, 1, 1}, {1, 1, 2, 3}, {4, 4, 2, 3},  {4, 8, 1, 3},
                                              {5, 5, 2, 1}, {3, 3, 1, 1}, {16, 16, 2, 3}};
    for (size_t t = 0; t < sizeof topologies / sizeof *topologies; t++)
        for (int symmetry = 0; symmetry < 2; symmetry++) {
            SinoFootprintSizes sizes = sizes_of(300, 40, symmetry, topologies[t]);
            const SinoTraffic levels = sino_traffic(&sizes, SINO_COMMUNICATION_HIERARCHICAL);
            const SinoTraffic direct = sino_traffic(&sizes, SINO_COMMUNICATION_DIRECT);
            int64_t taken = 0, taken_direct = 0;
            for (int64_t r = 0; r < topologies[t].rank_count; r++) {
                taken += sizes.taken[SINO_LEVEL_NODE][r];
                taken_direct += sizes.taken[SINO_LEVEL_WORKER][r];
            }
            assert_int_equal(levels.global, taken);
            assert_int_equal(direct.global, taken_direct);
            assert_true(levels.global <= direct.global && levels.messages <= direct.messages);
            assert_true(levels.footprints[0] >= levels.footprints[1] && levels.footprints[1] >= levels.footprints[2]);
            assert_int_equal(levels.socket, topologies[t].workers > 1 ? levels.footprints[SINO_LEVEL_WORKER] : 0);
            assert_int_equal(levels.node, topologies[t].sockets > 1 ? levels.footprints[SINO_LEVEL_SOCKET] : 0);
            assert_true((levels.global == 0) == (topologies[t].rank_count == 1));
            assert_true(levels.most_sent * topologies[t].rank_count >= levels.global);
            sino_footprint_sizes_free(&sizes);
        }
}

/* Six workers of a node: −41 % … −45 % in sockets of three, −28 % … −37 % in nodes of two sockets, where a compact
 * share of a square would have 1 − 1/√3 and 1 − 1/√2 (42 % and 29 %). */
static void levels_reduce_as_shapes_do(void **state)
{
    (void)state;
    for (int64_t ranks = 4; ranks <= 64; ranks *= 4) {
        SinoFootprintSizes sizes = sizes_of(2048, 180, false, (SinoTopology){ranks, ranks, 2, 3});
        const SinoTraffic traffic = sino_traffic(&sizes, SINO_COMMUNICATION_HIERARCHICAL);
        const double socket = 1 - (double)traffic.footprints[1] / (double)traffic.footprints[0];
        const double node = 1 - (double)traffic.footprints[2] / (double)traffic.footprints[1];
        assert_true(socket > 0.41 && socket < 0.45);
        assert_true(node > 0.28 && node < 0.38);
        sino_footprint_sizes_free(&sizes);
    }
}

TESTING_SUBJECT(communication)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hierarchy_by_hand),
        cmocka_unit_test(rules_hold),
        cmocka_unit_test(levels_reduce_as_shapes_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
