/* SPDX-License-Identifier: BSD-3-Clause */
/* Team: the ranks of a run, and the part of the plan that this rank has. All ranks plan with the same numbers, so that
 * their task graphs fit together. */
#pragma once

#include "forecast.h"
#include "settings.h"
#include "stages.h"

typedef struct SinoTeam {
    SinoProcesses *processes; /* not owned */
    SinoForecast forecast;    /* owned */
    SinoSettings settings;    /* those of the request, or by the normal operator, if the plan chose it (owns nothing) */
    SinoRayExchangeShape shape; /* of this rank */
    SinoDivision division;      /* this rank's batch group's */
    int64_t group;              /* this rank's batch group; −1: the rank is idle */
    SinoRing ring;              /* of this rank: ranks that build the operator together; empty: it builds alone */
    double *weight;             /* [rank]: by kept times; NULL: those of the settings; owned */
} SinoTeam;

/* Collective. The input must still have all slices. Errors: those of sino_run_plan_new. */
SinoStatus sino_team_new(const SinoRuntime *runtime, SinoProcesses *processes, const SinoSettings *settings,
                         const SinoInput *input, SinoTeam *team);
void sino_team_free(SinoTeam *team);

/* The request for this rank's operator, for a geometry whose rotation axis is known. `cache`: directory of saved
 * operators, or NULL. */
SinoOperatorRequest sino_team_operator(const SinoTeam *team, const SinoGeometry *geometry, const char *cache);

/* Collective. Opens this rank's operator, and meanwhile reads the first slab, of an input that still has all slices, if
 * memory has room and this rank needs all angles of its slices; no other task may use files. *early (NULL: nothing is
 * read) is freed by the caller; after a failure, too. Errors: those of sino_operator_new and of task load. */
SinoStatus sino_team_open(SinoRuntime *runtime, const SinoTeam *team, const SinoInput *input, const char *cache,
                          SinoOperator **op, SinoEarlyLoad **early);

/* Restricts the input to this rank's slices, or to none if the rank is idle. */
void sino_team_take_slices(const SinoTeam *team, SinoInput *input);
