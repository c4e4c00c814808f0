/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone live: each part is assembled into three boxes, which are one voxel thick. Parts are only read, so that the page
 * changes no bit of the volume. Projections that have come count as if they were all. */
#include "cone_run.h"

#include "cone_tasks.h"

static SinoStatus insert_planes(const SinoConeRun *run, SinoPosition position, double gain, SinoSpan share,
                                int64_t part, SinoData *const plane[SINO_LIVE_PLANES])
{
    const SinoCone *cone = run->of.cone;
    const SinoConeStreaming *plan = run->of.streaming;
    const int64_t bands = sino_cone_band_count(cone, plan);
    const SinoConeAssembly assembly = {.cone = cone,
                                       .symmetry = plan->symmetry,
                                       .part = sino_cone_part(cone, plan, share, part / bands, part % bands),
                                       .slice_count = cone->z_count,
                                       .scale = run->of.scale * gain,
                                       .mask_ratio = run->of.settings->output.mask_ratio};
    SinoConeAssembly of[SINO_LIVE_PLANES] = {assembly, assembly, assembly};
    of[SINO_LIVE_XY].first_slice = cone->z_count / 2;
    of[SINO_LIVE_XY].slice_count = 1;
    of[SINO_LIVE_XZ].box = (SinoConeBox){0, cone->y_count / 2, cone->x_count, 1};
    of[SINO_LIVE_YZ].box = (SinoConeBox){cone->x_count / 2, 0, 1, cone->y_count};
    for (int p = 0; p < SINO_LIVE_PLANES; p++)
        SINO_TRY(sino_insert_assemble_cone(run->of.runtime, position, &of[p], false, run->part[part], plane[p]));
    return NULL;
}

/* Both sets get the planes of a slab that is complete. */
SinoStatus sino_cone_live_show(const SinoConeRun *run, int64_t slab, SinoSpan share, int64_t block)
{
    const SinoConeStreaming *plan = run->of.streaming;
    const int64_t parts = sino_cone_chunk_count(plan, share) * sino_cone_band_count(run->of.cone, plan);
    const int64_t pieces = sino_cone_piece_count(run->of.cone, plan, block);
    const SinoSpan last = sino_cone_piece(run->of.cone, plan, block, pieces - 1);
    const SinoLiveMoment moment = {.position = {slab, -1, -1, -1},
                                   .added = last.first + last.count,
                                   .pass = slab + 1,
                                   .pass_total = plan->slab_count};
    if (!run->of.live) return NULL;
    const double gain = sino_live_gain(run->of.live, moment.added);
    for (int s = block + 1 < run->blocks ? SINO_LIVE_SETS - 1 : 0; s < SINO_LIVE_SETS; s++) {
        SinoData *const *plane = sino_live_next(run->of.live);
        for (int64_t p = 0; p < parts; p++) SINO_TRY(insert_planes(run, moment.position, gain, share, p, plane));
    }
    return sino_live_show(run->of.live, &moment);
}
