/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks planes, plane_sums and show_sums: three planes of a volume, of slices, or of projections that come. */
#include "files_tasks.h"

#include "task.h"

typedef struct Planes {
    SinoOperand image;
    SinoOperandList plane; /* [SINO_LIVE_PLANES] */
    SinoPlanes planes;
} Planes;

static SinoStatus planes_cpu(const SinoTask *task)
{
    const Planes *of = task->arguments;
    SinoSections to = of->planes.sections;
    to.xy = of->plane.at[SINO_LIVE_XY];
    to.xz = of->plane.at[SINO_LIVE_XZ];
    to.yz = of->plane.at[SINO_LIVE_YZ];
    to.maximum = NULL;
    sino_sections_take(&to, of->planes.first_slice, of->planes.slice_count, of->image.at);
    return NULL;
}

static const SinoTaskKind planes_kind = {
    .name = "planes",
    SINO_ARGUMENTS(Planes, SINO_READS(Planes, image), SINO_UPDATES_EACH(Planes, plane)),
    .cpu = planes_cpu};

SinoStatus sino_insert_planes(SinoRuntime *runtime, SinoPosition position, const SinoPlanes *planes, SinoData *image,
                              SinoData *const plane[SINO_LIVE_PLANES])
{
    const Planes arguments = {
        .image.data = image, .plane = {.data = plane, .count = SINO_LIVE_PLANES}, .planes = *planes};
    return SINO_SUBMIT(runtime, &planes_kind, position, &arguments);
}

typedef struct PlaneSums {
    SinoOperand rays;
    SinoOperandList sum; /* [SINO_LIVE_PLANES] */
    SinoPlaneSums what;
} PlaneSums;

static SinoStatus sums_cpu(const SinoTask *task)
{
    const PlaneSums *of = task->arguments;
    void *const *sum = of->sum.at;
    sino_plane_sums_add(&of->what, of->rays.at, sum[SINO_LIVE_XY], sum[SINO_LIVE_XZ], sum[SINO_LIVE_YZ]);
    return NULL;
}

static const SinoTaskKind sums_kind = {
    .name = "plane_sums",
    SINO_ARGUMENTS(PlaneSums, SINO_READS(PlaneSums, rays), SINO_UPDATES_EACH(PlaneSums, sum)),
    .cpu = sums_cpu};

SinoStatus sino_insert_plane_sums(SinoRuntime *runtime, SinoPosition position, const SinoPlaneSums *what,
                                  SinoData *rays, SinoData *const sums[SINO_LIVE_PLANES])
{
    const PlaneSums arguments = {.rays.data = rays, .sum = {.data = sums, .count = SINO_LIVE_PLANES}, .what = *what};
    return SINO_SUBMIT(runtime, &sums_kind, position, &arguments);
}

typedef struct ShowSums {
    SinoOperandList sum, plane; /* [SINO_LIVE_PLANES] */
    SinoSumsShown shown;
} ShowSums;

static SinoStatus show_cpu(const SinoTask *task)
{
    const ShowSums *of = task->arguments;
    const SinoSumsShown *shown = &of->shown;
    const int64_t side = shown->side;
    for (int p = 0; p < SINO_LIVE_PLANES; p++) {
        const bool is_slice = p == SINO_LIVE_XY;
        sino_plane_sums_show(is_slice ? side : shown->slice_count, side, is_slice ? 0 : side / 2, is_slice ? 1 : 0,
                             shown->scale, shown->mask_ratio, of->sum.at[p], of->plane.at[p]);
    }
    return NULL;
}

static const SinoTaskKind show_kind = {
    .name = "show_sums",
    SINO_ARGUMENTS(ShowSums, SINO_READS_EACH(ShowSums, sum), SINO_WRITES_EACH(ShowSums, plane)),
    .cpu = show_cpu};

SinoStatus sino_insert_show_sums(SinoRuntime *runtime, SinoPosition position, const SinoSumsShown *shown,
                                 SinoData *const sums[SINO_LIVE_PLANES], SinoData *const plane[SINO_LIVE_PLANES])
{
    const ShowSums arguments = {.sum = {.data = sums, .count = SINO_LIVE_PLANES},
                                .plane = {.data = plane, .count = SINO_LIVE_PLANES},
                                .shown = *shown};
    return SINO_SUBMIT(runtime, &show_kind, position, &arguments);
}
