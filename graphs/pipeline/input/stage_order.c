/* SPDX-License-Identifier: BSD-3-Clause */
/* Stage order: the order of the stages that --stages tells. */
#include "input.h"

#include <string.h>

/* Those of sino_stage_kinds after the first, which puts values into the panels and stays first. */
static const char *const movable[SINO_STAGES_MOVABLE] = {"zingers", "air", "stripes", "harden"};

/* The number among sino_stage_kinds of the stage with this name; 0: none that moves. */
static int find(const char *name, size_t length)
{
    for (int i = 0; i < SINO_STAGES_MOVABLE; i++)
        if (strlen(movable[i]) == length && strncmp(movable[i], name, length) == 0) return i + 1;
    return 0;
}

SinoStatus sino_input_take_order(const SinoStageSettings *settings, SinoInput *input)
{
    int count = 0;
    unsigned seen = 0;
    bool valid = true;
    input->stages_ordered = settings->order != NULL;
    for (const char *at = settings->order; at && valid;) {
        const size_t length = strcspn(at, ",");
        const int kind = find(at, length);
        valid = kind > 0 && !(seen >> kind & 1) && count < SINO_STAGES_MOVABLE;
        if (valid) input->stage_order[count++] = kind;
        seen |= 1U << kind;
        at = at[length] ? at + length + 1 : NULL;
    }
    SINO_CHECK(!settings->order || (valid && count == SINO_STAGES_MOVABLE), SINO_BAD_INPUT,
               "stages is '%s'; allowed: zingers, air, stripes and harden, each once, separated by commas",
               settings->order);
    return NULL;
}
