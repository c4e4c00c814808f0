/* SPDX-License-Identifier: BSD-3-Clause */
/* Stage harden: corrects line integrals for beam hardening (codelets/stages/harden.h). */
#include "arithmetic.h"
#include "stages.h"
#include "stages_tasks.h"

static bool is_wanted(const SinoInput *input)
{
    return input->hardening.count > 0;
}

static void describe(const SinoInput *input, size_t size, char *text)
{
    const SinoHardening *hardening = &input->hardening;
    int at = 0;
    text[0] = '\0';
    for (int64_t i = 0; i < hardening->count && at >= 0 && (size_t)at < size; i++)
        at += snprintf(text + at, size - (size_t)at, i ? " %+g p^%d" : "%g p", hardening->coefficient[i], (int)i + 1);
}

static SinoStatus insert(const SinoStagesRequest *request, void *own, const SinoStageWork *work)
{
    (void)own;
    const int64_t rays = sino_times(work->angle_count, request->input->geometry.column_count);
    const SinoSinogramRows rows = sino_stage_rows(request, work);
    return sino_insert_harden(request->runtime, work->position, &request->input->hardening, rays, &rows);
}

const SinoStageKind sino_stage_harden = {.name = "harden",
                                         .help = "beam hardening: line integrals become a polynomial of themselves",
                                         .scope = SINO_SCOPE_ROW,
                                         .wanted = is_wanted,
                                         .describe = describe,
                                         .insert = insert};
