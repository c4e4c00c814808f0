/* SPDX-License-Identifier: BSD-3-Clause */
/* Stage zingers: pixels that a stray photon hit (codelets/stages/zingers.h). */
#include "device_room.h"
#include "input_parts.h"
#include "memory.h"
#include "stages.h"
#include "stages_tasks.h"

#include <stdlib.h>

typedef struct Own {
    int64_t *order;   /* of the input's angles; NULL: as in the file; owned */
    SinoData *orders; /* the same for GPUs; NULL: there is none, or cores alone run the task; owned */
} Own;

static bool is_wanted(const SinoInput *input)
{
    return input->zinger_level > 0;
}

static void describe(const SinoInput *input, size_t size, char *text)
{
    snprintf(text, size, "%g standard deviations below the angles beside it", input->zinger_level);
}

static SinoStatus prepare(const SinoStagesRequest *request, void **result)
{
    Own *own;
    SINO_TRY(sino_allocate(1, sizeof *own, "a stage", &own));
    *result = own;
    SINO_TRY(sino_angle_order(request->input, &own->order));
    if (!own->order || !sino_device_takes(request->runtime, sino_stage_sinogram_bytes(request))) return NULL;
    return sino_data_copy(request->runtime, "order", own->order,
                          request->input->angle_count * (int64_t)sizeof *own->order, &own->orders);
}

static void release(void *released)
{
    Own *own = released;
    if (!own) return;
    free(own->order);
    sino_data_free(own->orders);
    free(own);
}

static SinoStatus insert(const SinoStagesRequest *request, void *prepared, const SinoStageWork *work)
{
    const Own *own = prepared;
    const SinoRemoveZingers remove = {.zingers = {.angle_count = request->input->angle_count,
                                                  .column_count = request->input->geometry.column_count,
                                                  .level = request->input->zinger_level,
                                                  .least = SINO_ZINGERS_LEAST * request->input->unit,
                                                  .uncounted = work->uncounted,
                                                  .marked = request->marked,
                                                  .order = own->order},
                                      .rows = sino_stage_rows(request, work),
                                      .undefined = work->repaired,
                                      .tally = work->tally,
                                      .order = work->host ? NULL : own->orders};
    return sino_insert_zingers(request->runtime, work->position, &remove);
}

const SinoStageKind sino_stage_zingers = {
    .name = "zingers",
    .help = "values that a stray photon made too low get weight 0, or the median of three angles for fbp",
    .scope = SINO_SCOPE_SINOGRAM,
    .wanted = is_wanted,
    .describe = describe,
    .prepare = prepare,
    .release = release,
    .insert = insert};
