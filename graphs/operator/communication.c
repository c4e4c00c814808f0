/* SPDX-License-Identifier: BSD-3-Clause */
/* Communication: the number of rays that one projection of a slice moves at each level. */
#include "decomposition.h"

#include "arithmetic.h"

/* Rays that are added if each run of `run` members is summed; *most: rays of the busiest run. */
static int64_t added(const SinoFootprintSizes *sizes, SinoLevel level, int64_t run, int64_t *most)
{
    int64_t all = 0;
    *most = 0;
    if (run == 1) return 0;
    for (int64_t first = 0; first < sizes->member_count[level]; first += run) {
        int64_t rays = 0;
        for (int64_t m = first; m < first + run; m++) rays += sizes->member[level][m].ray_count;
        all += rays;
        *most = sino_larger(*most, rays);
    }
    return all;
}

/* Rays that the members of a level send to the owners. */
static void send(const SinoFootprintSizes *sizes, SinoLevel level, SinoTraffic *traffic)
{
    const int64_t ranks = sizes->topology.rank_count, per_rank = sizes->member_count[level] / ranks;
    for (int64_t r = 0; r < ranks; r++) {
        int64_t rays = 0, messages = 0;
        for (int64_t m = r * per_rank; m < (r + 1) * per_rank; m++) {
            const SinoFootprintSize *size = &sizes->member[level][m];
            rays += size->ray_count - size->own_count;
            messages += size->owner_count;
        }
        traffic->global += rays;
        traffic->messages += messages;
        traffic->most_sent = sino_larger(traffic->most_sent, rays);
        traffic->most_received = sino_larger(traffic->most_received, sizes->taken[level][r]);
        traffic->most_messages =
            sino_larger(traffic->most_messages, sino_larger(messages, sizes->sender_count[level][r]));
    }
}

SinoTraffic sino_traffic(const SinoFootprintSizes *sizes, SinoCommunication communication)
{
    SinoTraffic traffic = {0};
    for (SinoLevel level = 0; level < SINO_LEVELS; level++)
        traffic.footprints[level] = sino_footprint_sizes_total(sizes, level);
    if (communication == SINO_COMMUNICATION_DIRECT) {
        send(sizes, SINO_LEVEL_WORKER, &traffic);
        return traffic;
    }
    traffic.socket = added(sizes, SINO_LEVEL_WORKER, sizes->topology.workers, &traffic.most_socket);
    traffic.node = added(sizes, SINO_LEVEL_SOCKET, sizes->topology.sockets, &traffic.most_node);
    send(sizes, SINO_LEVEL_NODE, &traffic);
    return traffic;
}
