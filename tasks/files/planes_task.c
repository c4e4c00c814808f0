/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks planes, plane_sums and show_sums: three planes of a volume, of slices, or of projections that come. */
#include "planes_task.h"

#include "task.h"

typedef struct Planes {
    SinoOperand image, xy, xz, yz;
    SinoPlanes planes;
} Planes;

static SinoStatus planes_cpu(const SinoTask *task)
{
    const Planes *of = task->arguments;
    SinoSections to = of->planes.sections;
    to.xy = of->xy.at;
    to.xz = of->xz.at;
    to.yz = of->yz.at;
    to.maximum = NULL;
    sino_sections_take(&to, of->planes.first_slice, of->planes.slice_count, of->image.at);
    return NULL;
}

static const SinoTaskKind planes_kind = {.name = "planes",
                                         SINO_ARGUMENTS(Planes, SINO_READS(Planes, image), SINO_UPDATES(Planes, xy),
                                                        SINO_UPDATES(Planes, xz), SINO_UPDATES(Planes, yz)),
                                         .cpu = planes_cpu};

SinoStatus sino_insert_planes(SinoRuntime *runtime, SinoPosition position, const SinoPlanes *planes, SinoData *image,
                              SinoData *const plane[SINO_LIVE_PLANES])
{
    const Planes arguments = {.image.data = image,
                              .xy.data = plane[SINO_LIVE_XY],
                              .xz.data = plane[SINO_LIVE_XZ],
                              .yz.data = plane[SINO_LIVE_YZ],
                              .planes = *planes};
    return SINO_SUBMIT(runtime, &planes_kind, position, &arguments);
}

typedef struct PlaneSums {
    SinoOperand rays, xy, xz, yz;
    SinoPlaneSums what;
} PlaneSums;

static SinoStatus sums_cpu(const SinoTask *task)
{
    const PlaneSums *of = task->arguments;
    sino_plane_sums_add(&of->what, of->rays.at, of->xy.at, of->xz.at, of->yz.at);
    return NULL;
}

static const SinoTaskKind sums_kind = {.name = "plane_sums",
                                       SINO_ARGUMENTS(PlaneSums, SINO_READS(PlaneSums, rays),
                                                      SINO_UPDATES(PlaneSums, xy), SINO_UPDATES(PlaneSums, xz),
                                                      SINO_UPDATES(PlaneSums, yz)),
                                       .cpu = sums_cpu};

SinoStatus sino_insert_plane_sums(SinoRuntime *runtime, SinoPosition position, const SinoPlaneSums *what,
                                  SinoData *rays, SinoData *const sums[SINO_LIVE_PLANES])
{
    const PlaneSums arguments = {.rays.data = rays,
                                 .xy.data = sums[SINO_LIVE_XY],
                                 .xz.data = sums[SINO_LIVE_XZ],
                                 .yz.data = sums[SINO_LIVE_YZ],
                                 .what = *what};
    return SINO_SUBMIT(runtime, &sums_kind, position, &arguments);
}

typedef struct ShowSums {
    SinoOperand sums_xy, sums_xz, sums_yz, xy, xz, yz;
    SinoSumsShown shown;
} ShowSums;

static SinoStatus show_cpu(const SinoTask *task)
{
    const ShowSums *of = task->arguments;
    const SinoSumsShown *shown = &of->shown;
    const int64_t side = shown->side;
    const double scale = shown->scale, mask_ratio = shown->mask_ratio;
    sino_plane_sums_show(side, side, 0, 1, scale, mask_ratio, of->sums_xy.at, of->xy.at);
    sino_plane_sums_show(shown->slice_count, side, side / 2, 0, scale, mask_ratio, of->sums_xz.at, of->xz.at);
    sino_plane_sums_show(shown->slice_count, side, side / 2, 0, scale, mask_ratio, of->sums_yz.at, of->yz.at);
    return NULL;
}

static const SinoTaskKind show_kind = {.name = "show_sums",
                                       SINO_ARGUMENTS(ShowSums, SINO_READS(ShowSums, sums_xy),
                                                      SINO_READS(ShowSums, sums_xz), SINO_READS(ShowSums, sums_yz),
                                                      SINO_WRITES(ShowSums, xy), SINO_WRITES(ShowSums, xz),
                                                      SINO_WRITES(ShowSums, yz)),
                                       .cpu = show_cpu};

SinoStatus sino_insert_show_sums(SinoRuntime *runtime, SinoPosition position, const SinoSumsShown *shown,
                                 SinoData *const sums[SINO_LIVE_PLANES], SinoData *const plane[SINO_LIVE_PLANES])
{
    const ShowSums arguments = {.sums_xy.data = sums[SINO_LIVE_XY],
                                .sums_xz.data = sums[SINO_LIVE_XZ],
                                .sums_yz.data = sums[SINO_LIVE_YZ],
                                .xy.data = plane[SINO_LIVE_XY],
                                .xz.data = plane[SINO_LIVE_XZ],
                                .yz.data = plane[SINO_LIVE_YZ],
                                .shown = *shown};
    return SINO_SUBMIT(runtime, &show_kind, position, &arguments);
}
