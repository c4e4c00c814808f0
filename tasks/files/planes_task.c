/* SPDX-License-Identifier: BSD-3-Clause */
/* Task planes: takes what slices have of three planes of the volume. */
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
