/* SPDX-License-Identifier: BSD-3-Clause */
/* Stage zingers: pixels that a stray photon hit (codelets/zingers.h). */
#include "stages.h"
#include "zingers_task.h"

static bool is_wanted(const SinoInput *input)
{
    return input->zinger_level > 0;
}

static void describe(const SinoInput *input, size_t size, char *text)
{
    snprintf(text, size, "%g standard deviations below the angles beside it", input->zinger_level);
}

static SinoStatus insert(const SinoStagesRequest *request, void *own, const SinoStageWork *work)
{
    (void)own;
    const SinoRemoveZingers remove = {.zingers = {.angle_count = request->input->angle_count,
                                                  .column_count = request->input->geometry.column_count,
                                                  .level = request->input->zinger_level,
                                                  .uncounted = work->uncounted,
                                                  .marked = request->marked},
                                      .rows = sino_stage_rows(request, work),
                                      .undefined = work->repaired,
                                      .tally = work->tally};
    return sino_insert_zingers(request->runtime, work->position, &remove);
}

const SinoStageKind sino_stage_zingers = {
    .name = "zingers",
    .help = "values that a stray photon made too low get weight 0, or the median of three angles for fbp",
    .scope = SINO_SCOPE_SINOGRAM,
    .wanted = is_wanted,
    .describe = describe,
    .insert = insert};
