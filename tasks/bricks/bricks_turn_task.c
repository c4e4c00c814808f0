/* SPDX-License-Identifier: BSD-3-Clause */
/* Task bricks_turn: an update of OSEM and the next sweep. Task bricks_weights: what the update needs of a subset. */
#include "bricks_tasks.h"

#include "brick_touch.h"
#include "memory.h"
#include "task.h"

#include <string.h>

/* ---- weights ---- */

typedef struct Weights {
    SinoOperand block, weight, packed;
    bool everywhere, forget;
} Weights;

static SinoStatus weights_cpu(const SinoTask *task)
{
    const Weights *of = task->arguments;
    const SinoBrickHead *head = of->block.at;
    SINO_TRY(sino_brick_weights_pack(head, of->weight.at, of->everywhere, of->packed.at));
    if (of->forget) sino_forget(head, head->bytes);
    return NULL;
}

static const SinoTaskKind weights_kind = {
    .name = "bricks_weights",
    SINO_ARGUMENTS(Weights, SINO_READS(Weights, block), SINO_READS(Weights, weight), SINO_WRITES(Weights, packed)),
    .cpu = weights_cpu};

SinoStatus sino_insert_bricks_weights(SinoRuntime *runtime, SinoPosition position, const SinoBrickPart *part,
                                      SinoData *block, SinoData *weight, bool everywhere, SinoData *packed)
{
    const Weights arguments = {.block.data = block,
                               .weight.data = weight,
                               .packed.data = packed,
                               .everywhere = everywhere,
                               .forget = part->forget};
    position.partition = part->partition;
    return SINO_SUBMIT(runtime, &weights_kind, position, &arguments, .work = part->work,
                       .precision = 1 + (int)part->precision);
}

/* ---- turns ---- */

/* Weights, state and mask: of tasks that update. */
typedef struct Turn {
    SinoOperand block, x, g, counts, part_sums, all, lost, weights, state, mask, additive, multiplicative;
    SinoBrickPart part;
    bool add;
} Turn;

static void update_voxels(const Turn *of)
{
    const SinoBrickPart *part = &of->part;
    const SinoBrickHead *head = of->block.at;
    const SinoBrickTurn turn = {.slices = part->slices,
                                .brick_count = head->brick_count,
                                .lanes = head->lanes,
                                .state = of->state.at,
                                .weights = of->weights.at,
                                .mask = of->mask.at};
    if (of->weights.at)
        sino_brick_turn(&turn, of->g.at, of->x.at);
    else
        memset(of->g.at, 0, (size_t)sino_times(part->voxel_rows, part->slices.stride) * sizeof(float));
}

static void sweep_panel(const Turn *of, SinoPanel at, SinoBrickSums *sums)
{
    const SinoBrickPart *part = &of->part;
    const SinoBrickCounts counts = {.counts = sino_panel_from(at, part->rows, of->counts.at),
                                    .multiplicative = of->multiplicative.at,
                                    .additive =
                                        of->additive.at ? sino_panel_from(at, part->rows, of->additive.at) : NULL};
    sino_brick_sweep(of->block.at, NULL, at.slices.stride, sino_panel_from(at, part->voxel_rows, of->x.at), &counts,
                     sino_panel_to(at, part->voxel_rows, of->g.at), sums);
}

static void add_sums(const Turn *of)
{
    const SinoBrickSums *part = of->part_sums.at;
    SinoSliceSums *all = of->all.at;
    double *lost = of->lost.at;
    for (int64_t s = 0; s < of->part.slices.stride; s++) {
        const SinoSliceSums sums = {
            {[SINO_SUM_SQUARE] = part[s].squared, [SINO_SUM_LIKELIHOOD] = part[s].log_likelihood}};
        all[s] = sino_slice_add(all[s], sums, !of->add);
        lost[s] = (of->add ? lost[s] : 0) + part[s].lost;
    }
}

static SinoStatus turn_cpu(const SinoTask *task)
{
    const Turn *of = task->arguments;
    const SinoSlices slices = of->part.slices;
    const SinoBrickHead *head = of->block.at;
    SinoBrickSums *sums = of->part_sums.at;
    update_voxels(of);
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at))
        sweep_panel(of, at, sums + at.first);
    add_sums(of);
    if (of->part.forget) sino_forget(head, head->bytes);
    sino_runtime_advance(task->runtime, of->part.progress, SINO_NOWHERE, &(SinoMinibatchProgress){0});
    return NULL;
}

static const SinoTaskKind turn_kind = {
    .name = "bricks_turn",
    SINO_ARGUMENTS(Turn, SINO_READS(Turn, block), SINO_UPDATES(Turn, x), SINO_UPDATES(Turn, g),
                   SINO_READS(Turn, counts), SINO_WRITES(Turn, part_sums), SINO_UPDATES(Turn, all),
                   SINO_UPDATES(Turn, lost), SINO_MAY_READ(Turn, weights), SINO_MAY_READ(Turn, state),
                   SINO_MAY_READ(Turn, mask), SINO_MAY_READ(Turn, additive), SINO_MAY_READ(Turn, multiplicative)),
    .cpu = turn_cpu};

SinoStatus sino_insert_bricks_turn(SinoRuntime *runtime, SinoPosition position, const SinoBrickPart *part,
                                   SinoData *block, const SinoBrickVectors *vectors, const SinoBricksTurn *turn)
{
    const bool updates = turn->weights != NULL;
    const SinoAccessMode summed = turn->add ? SINO_READ_WRITE : SINO_WRITE;
    const Turn arguments = {.block.data = block,
                            .x = {.data = turn->x, .mode = updates ? SINO_READ_WRITE : SINO_READ},
                            .g = {.data = turn->g, .mode = updates ? SINO_READ_WRITE : SINO_WRITE},
                            .counts.data = vectors->counts,
                            .part_sums.data = turn->part,
                            .all = {.data = turn->all, .mode = summed},
                            .lost = {.data = turn->lost, .mode = summed},
                            .weights.data = turn->weights,
                            .state.data = updates ? turn->state : NULL,
                            .mask.data = updates ? turn->mask : NULL,
                            .additive.data = vectors->additive,
                            .multiplicative.data = vectors->multiplicative,
                            .part = *part,
                            .add = turn->add};
    position.partition = part->partition;
    return SINO_SUBMIT(runtime, &turn_kind, position, &arguments, .work = part->work, .flops = 2 * part->flops,
                       .precision = 1 + (int)part->precision, .width = part->slices.stride);
}
