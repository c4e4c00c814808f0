/* SPDX-License-Identifier: BSD-3-Clause */
/* Stage air: normalises projections to the light beside the object (codelets/stages/air.h). */
#include "arithmetic.h"
#include "stages.h"
#include "stages_tasks.h"

#include <inttypes.h>

static bool is_wanted(const SinoInput *input)
{
    return input->air > 0;
}

static void describe(const SinoInput *input, size_t size, char *text)
{
    snprintf(text, size, "%" PRId64 " columns at each side", input->air);
}

static SinoStatus insert(const SinoStagesRequest *request, void *own, const SinoStageWork *work)
{
    (void)own;
    const SinoInput *input = request->input;
    const int64_t columns = input->geometry.column_count, width = sino_ceil_divide(input->air, input->binning);
    const SinoAir air = {
        .angle_count = work->angle_count, .column_count = columns, .width = sino_smaller(width, columns)};
    const SinoSinogramRows rows = sino_stage_rows(request, work);
    return sino_insert_air(request->runtime, work->position, &air, &rows);
}

const SinoStageKind sino_stage_air = {.name = "air",
                                      .help = "each row of each projection is divided by the light beside the object",
                                      .scope = SINO_SCOPE_ROW,
                                      .wanted = is_wanted,
                                      .describe = describe,
                                      .insert = insert};
