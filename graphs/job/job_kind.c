/* SPDX-License-Identifier: BSD-3-Clause */
/* Job kinds: what is reconstructed from what, a row each. */
#include "job_kind.h"

#include <stdio.h>

static const char one_precision[] = "whose products are of single precision";
static const char all_at_once[] = "which has all projections at once";
static const char no_fan[] = "of which no slice is a fan by itself";

const SinoJobKind sino_job_kinds[SINO_JOBS] = {
    [SINO_JOB_SCAN] = {SINO_JOB_SCAN, "--geometry parallel", SINO_BEAM_PARALLEL, true, {0}},
    [SINO_JOB_FDK] = {SINO_JOB_FDK, "--geometry cone or fan with --algorithm fdk", SINO_BEAM_CONE, false, {0}},
    [SINO_JOB_VOLUME] = {SINO_JOB_VOLUME,
                         "--geometry cone or fan with an iterative algorithm",
                         SINO_BEAM_CONE,
                         true,
                         {[SINO_JOB_MIXED] = one_precision}},
    [SINO_JOB_VECTORS] = {SINO_JOB_VECTORS,
                          "--geometry vectors",
                          SINO_BEAM_CONE,
                          true,
                          {[SINO_JOB_MIXED] = one_precision,
                           [SINO_JOB_TRY] = no_fan,
                           [SINO_JOB_RANGE] = "for which there is no quick volume by fdk",
                           [SINO_JOB_FOLLOW] = all_at_once}},
    [SINO_JOB_COUNTS] = {SINO_JOB_COUNTS,
                         "counts with --system-matrix",
                         SINO_BEAM_NONE,
                         false,
                         {[SINO_JOB_INIT] = "which are no scan",
                          [SINO_JOB_RANGE] = "for which there is no quick image",
                          [SINO_JOB_FOLLOW] = "which are no projections"}}};

/* Each use in the words of users, and what every kind has in its place; "": nothing. */
static const struct {
    const char *name, *instead;
} uses[SINO_JOB_USES] = {[SINO_JOB_RANKS] = {"a run of several ranks", "; allowed: one rank"},
                         [SINO_JOB_MIXED] = {"--precision mixed", "; allowed: --precision single"},
                         [SINO_JOB_TRY] = {"--reconstruction-type try", ""},
                         [SINO_JOB_INIT] = {"sinodag init", ""},
                         [SINO_JOB_RANGE] = {"--output-range auto", "; allowed: --output-range MIN:MAX, such as 0:1.5"},
                         [SINO_JOB_FOLLOW] = {"--follow", ""}};

const SinoJobKind *sino_job_kind(const SinoSettings *settings)
{
    const SinoGeometryChoice geometry = settings->geometry.kind;
    if (geometry == SINO_GEOMETRY_VECTORS) return &sino_job_kinds[SINO_JOB_VECTORS];
    if (geometry == SINO_GEOMETRY_PARALLEL) return &sino_job_kinds[SINO_JOB_SCAN];
    if (!sino_geometry_is_cone(geometry)) return &sino_job_kinds[SINO_JOB_COUNTS];
    return &sino_job_kinds[settings->solver.algorithm == SINO_ALGORITHM_FDK ? SINO_JOB_FDK : SINO_JOB_VOLUME];
}

bool sino_job_can(const SinoJobKind *kind, SinoJobUse use)
{
    return !kind->lacks[use];
}

bool sino_job_is_cone(const SinoSettings *settings)
{
    return sino_job_kind(settings)->beam == SINO_BEAM_CONE;
}

bool sino_job_is_fan(const SinoGeometrySettings *settings)
{
    return settings->kind == SINO_GEOMETRY_FAN;
}

SinoStatus sino_job_check(const SinoJobKind *kind, SinoJobUse use)
{
    char others[256];
    size_t length = 0;
    if (sino_job_can(kind, use)) return NULL;
    for (int i = 0; i < SINO_JOBS; i++)
        if (sino_job_can(&sino_job_kinds[i], use))
            length += (size_t)snprintf(others + length, sizeof others - length, "%s%s", length > 0 ? ", " : "",
                                       sino_job_kinds[i].name);
    return sino_error(SINO_BAD_INPUT, "%s is not available for %s, %s; it is for: %s%s", uses[use].name, kind->name,
                      kind->lacks[use], others, uses[use].instead);
}
