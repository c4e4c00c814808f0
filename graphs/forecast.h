/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecast: how a run on many ranks shares its work, what each rank holds and sends, and how long it takes, before
 * anything is allocated: from the geometry alone.
 *
 * Times are those of a stated machine (settings of the verb plan), the rank's node: kernels at a rate per worker, sums
 * of vectors at the memory's bandwidth, exchanges at the bandwidth of their level. What is not in them: building the
 * operator, waiting for slower ranks beyond uneven shares, contention of the network. The kernels' rate is that with
 * symmetry where angles pair up; without it they read each angle's lengths and go at 0.87 of it, as measured
 * (docs/PERFORMANCE.md: 92.4 of 106.2 GFLOP/s). */
#ifndef SINO_FORECAST_H
#define SINO_FORECAST_H

#include "input.h"
#include "process_grid.h"
#include "rank_memory.h"
#include "solver.h"

typedef struct SinoForecastRequest {
    const SinoSettings *settings; /* how ranks share, precision, symmetry, minibatch, the machine; not owned */
    const SinoSolver *solver;
    SinoGeometry scan; /* angles in the order of the file */
    int64_t slice_count;
    int64_t slice_input_bytes, slice_field_bytes; /* counts of a slice; its flat and dark field */
    int64_t rank_count;
    int64_t worker_count; /* of a rank where the topology does not say; ≥ 1 */
    int64_t machine_sockets;
    int64_t budget_bytes; /* of a rank */
} SinoForecastRequest;

/* Seconds of the busiest rank. Those of an iteration: all slices of its group. */
typedef struct SinoForecastTimes {
    double kernel, update, socket, node, global; /* of an iteration: what each part takes by itself */
    double iteration;                            /* with what overlaps */
    double files;                                /* reading and writing, of the run */
    double run;
} SinoForecastTimes;

typedef struct SinoForecast {
    SinoProcessGrid grid;
    SinoTopology topology;
    int64_t idle_ranks;
    int64_t worker_count; /* of a rank */
    bool symmetry;        /* stored angles serve several orientations, and partitions own whole orbits of tiles */
    char symmetry_why[512];
    int64_t stored_angles, orientations;
    double nonzero_count;                                  /* of a slice, of all orientations */
    int64_t operator_bytes;                                /* of one group's ranks together */
    int64_t minibatch, slots, slab_count, minibatch_count; /* of the busiest group */
    int64_t group_slices;                                  /* likewise */
    SinoRankMemory memory;
    SinoTraffic traffic; /* by the way that was asked for */
    SinoTraffic direct;  /* the same without a hierarchy */
    SinoForecastTimes times;
} SinoForecast;

/* Fills in what the part of a file that is reconstructed tells. The center is taken to be in the middle: sizes hardly
 * depend on it. */
void sino_forecast_take_input(const SinoInput *input, SinoForecastRequest *request);

/* Where rays can be stored once for several orientations, both ways are forecast: partitions that own whole orbits of
 * tiles, with footprints on many sides, and compact partitions of an operator that stores every angle; the faster one
 * that fits is taken, the smaller one when they are within 2 %. SINO_BAD_INPUT: no grid fits, weights that are not one
 * per rank, a topology that the grid has no place for. */
SinoStatus sino_forecast_new(const SinoForecastRequest *request, SinoForecast *forecast);
void sino_forecast_free(SinoForecast *forecast);

/* How fast F slices are multiplied, relative to a panel of 16 and more: each length of A is read once for all of them.
 */
double sino_forecast_kernel_efficiency(int64_t slices);

#endif
