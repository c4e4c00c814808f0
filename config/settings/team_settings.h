/* SPDX-License-Identifier: BSD-3-Clause */
/* Team settings: how ranks share slices, and exchange sums. */
#pragma once

#include "setting_types.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum SinoCommunication { SINO_COMMUNICATION_HIERARCHICAL, SINO_COMMUNICATION_DIRECT } SinoCommunication;

/* Process grid P_b × P_d: slices are shared among P_b batch groups; each slice of a group is shared among its P_d data
 * ranks. 0 × 0: sinodag chooses. */
typedef struct SinoGridShape {
    int64_t batch_groups, data_ranks;
} SinoGridShape;

/* Hierarchy that shares a slice: nodes of a batch group, sockets of a node, workers of a socket; 0: sinodag chooses. */
typedef struct SinoTopologyShape {
    int64_t nodes, sockets, workers;
} SinoTopologyShape;

typedef struct SinoTeamSettings {
    SinoGridShape grid;
    SinoTopologyShape topology;
    SinoCommunication communication;
    bool overlap;                /* exchanges run while other minibatches compute */
    SinoWeightList node_weights; /* speed of each rank relative to the others */
} SinoTeamSettings;
