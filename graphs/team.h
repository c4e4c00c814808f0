/* SPDX-License-Identifier: BSD-3-Clause */
/* Team: the processes of a run, how they share the slices and each slice among them, and which part this one has.
 *
 * All of them plan with the same numbers, so that all submit graphs that fit together. */
#ifndef SINO_TEAM_H
#define SINO_TEAM_H

#include "memory_plan.h"
#include "process_grid.h"

typedef struct SinoTeam {
    SinoProcesses *processes; /* not owned */
    SinoProcessGrid grid;
    SinoPlanShare share;
    SinoDeviceRoom room;
    SinoExchangeShape shape; /* of this process; known with the plan */
    int64_t group;           /* batch group of this process; −1: it is idle */
    double *partition_share; /* of the nonzeros, per partition of the group; owned; NULL: all the same */
} SinoTeam;

/* Collective. Slices are those of the input, none of them taken yet. SINO_BAD_INPUT: a grid, weights or a topology that
 * do not fit the processes, or memory that is too small whatever the grid. */
SinoStatus sino_team_new(SinoProcesses *processes, const SinoSettings *settings, const SinoInput *input,
                         const SinoSolver *solver, int64_t worker_count, SinoTeam *team);
void sino_team_free(SinoTeam *team);

/* Collective. The plan of every process; `op`: this one's share of the operator, or NULL. */
SinoStatus sino_team_plan(SinoTeam *team, const SinoRuntime *runtime, const SinoSettings *settings,
                          const SinoInput *input, const SinoSolver *solver, const SinoOperator *op,
                          SinoMemoryPlan *plan);

/* Collective. Where several processes share each slice and angles pair up: whether rays are stored once for several
 * orientations, so that a partition owns whole orbits of tiles, or each, so that it is compact and its footprint small.
 * The forecast of this grid decides, by the default rates of a machine; *symmetry becomes false when compact partitions
 * are faster and fit. */
SinoStatus sino_team_choose_symmetry(SinoTeam *team, const SinoRuntime *runtime, const SinoSettings *settings,
                                     const SinoInput *input, const SinoSolver *solver, bool *symmetry);

/* The input becomes that of this process's slices; none when it is idle. */
void sino_team_take_slices(const SinoTeam *team, SinoInput *input);

#endif
