/* SPDX-License-Identifier: BSD-3-Clause */
/* Topology: given shares are kept, the others follow from the machine, and every partition has a place. */
#include "topology.h"

#include "testing.h"

static SinoTopology made(SinoTopologyShape shape, int64_t ranks, int64_t rank_partitions, int64_t machine_sockets)
{
    const SinoTopologyRequest request = {shape, ranks, rank_partitions, machine_sockets};
    SinoTopology topology;
    assert_success(sino_topology_new(&request, &topology));
    return topology;
}

static void expect(SinoTopology found, int64_t nodes, int64_t sockets, int64_t workers)
{
    assert_int_equal(found.node_count, nodes);
    assert_int_equal(found.sockets, sockets);
    assert_int_equal(found.workers, workers);
}

static void what_is_given_is_kept(void **state)
{
    (void)state;
    expect(made((SinoTopologyShape){4, 2, 3}, 1, 1, 1), 4, 2, 3);
    expect(made((SinoTopologyShape){4, 2, 3}, 4, 100, 8), 4, 2, 3);
    expect(made((SinoTopologyShape){0, 2, 3}, 5, 1, 1), 5, 2, 3);
    expect(made((SinoTopologyShape){0, 0, 3}, 5, 1, 2), 5, 2, 3);
    expect(made((SinoTopologyShape){0, 3, 0}, 2, 7, 1), 2, 3, 3); /* nine partitions, for at least seven */
    expect(made((SinoTopologyShape){6, 0, 0}, 2, 6, 1), 6, 1, 2); /* three nodes in each rank */
}

static void the_rest_follows_from_the_machine(void **state)
{
    (void)state;
    const SinoTopologyShape none = {0};
    expect(made(none, 1, 1, 2), 1, 1, 1); /* a slice in one piece has nothing to sum */
    expect(made(none, 3, 8, 2), 3, 2, 4);
    expect(made(none, 3, 9, 2), 3, 2, 5);
    expect(made(none, 3, 2, 4), 3, 2, 1);
    expect(made(none, 4096, 6, 2), 4096, 2, 3);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    SinoTopology topology = {0};
    SinoTopologyRequest request = {{4, 0, 0}, 3, 1, 1};
    assert_error(sino_topology_new(&request, &topology), SINO_BAD_INPUT, "--topology | nodes=4 | 3 ranks");
    request = (SinoTopologyRequest){{1000000, 1000000, 1000000}, 1, 1, 1};
    assert_error(sino_topology_new(&request, &topology), SINO_BAD_INPUT, "partitions");
    request = (SinoTopologyRequest){{1000000, 1, 2}, 1, 1, 1};
    assert_error(sino_topology_new(&request, &topology), SINO_BAD_INPUT,
                 "1000000 nodes of 1 sockets of 2 workers make 2000000 partitions of a slice; allowed: 32768");
    request = (SinoTopologyRequest){{1000000, 1000000, 10000000}, 1, 1, 1};
    assert_error(sino_topology_new(&request, &topology), SINO_BAD_INPUT, "partitions");
    assert_int_equal(topology.node_count, 0);
}

static void every_partition_has_its_place(void **state)
{
    (void)state;
    const SinoTopology topology = made((SinoTopologyShape){6, 2, 3}, 3, 1, 1);
    const double rank_weight[] = {1, 0.5, 4};
    double share[36];
    assert_int_equal(sino_topology_sockets(&topology), 12);
    assert_int_equal(sino_topology_partitions(&topology), 36);
    assert_int_equal(sino_topology_rank_partitions(&topology), 12);
    sino_topology_shares(&topology, rank_weight, share);
    for (int64_t p = 0; p < 36; p++) {
        assert_int_equal(sino_topology_rank_of_partition(&topology, p), p / 12);
        assert_int_equal(sino_topology_rank_of_node(&topology, p / 6), p / 12);
        assert_true(share[p] == rank_weight[p / 12]);
    }
    sino_topology_shares(&topology, NULL, share);
    for (int64_t p = 1; p < 36; p++) assert_true(share[p] == share[0] && share[p] > 0);
}

TESTING_SUBJECT(topology)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_given_is_kept),
        cmocka_unit_test(the_rest_follows_from_the_machine),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(every_partition_has_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
