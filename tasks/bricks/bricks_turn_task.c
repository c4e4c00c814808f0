/* SPDX-License-Identifier: BSD-3-Clause */
/* Task bricks_turn: an update of OSEM and the next sweep. Task bricks_weights: what the update needs of a subset. */
#include "bricks_turn_task.h"

#include "brick_touch.h"
#include "memory.h"
#include "task.h"

#include <string.h>

/* Data of the task. What follows OPTIONAL may be missing. */
enum { BLOCK, X, G, COUNTS, PART, ALL, LOST, OPTIONAL };

typedef struct Arguments {
    SinoBrickPart part;
    int weights, state, mask, additive, multiplicative; /* numbers of the data; 0: none */
    bool add;
} Arguments;

/* ---- weights ---- */

/* Data of bricks_weights. */
enum { WEIGHED, WEIGHT, PACKED, WEIGHT_DATA };

typedef struct WeightArguments {
    bool everywhere, forget;
} WeightArguments;

int64_t sino_bricks_weights_bytes(int64_t voxel_rows)
{
    return sino_brick_weights_bytes(voxel_rows);
}

static SinoStatus weights_cpu(const SinoTask *task)
{
    const WeightArguments *arguments = task->arguments;
    const SinoBrickHead *head = sino_task_buffer(task, WEIGHED);
    SINO_TRY(sino_brick_weights_pack(head, sino_task_buffer(task, WEIGHT), arguments->everywhere,
                                     sino_task_buffer(task, PACKED)));
    if (arguments->forget) sino_forget(head, head->bytes);
    return NULL;
}

static const SinoTaskKind weights_kind = {.name = "bricks_weights",
                                          .argument_bytes = sizeof(WeightArguments),
                                          .access_min = WEIGHT_DATA,
                                          .access_max = WEIGHT_DATA,
                                          .cpu = weights_cpu};

SinoStatus sino_insert_bricks_weights(SinoRuntime *runtime, SinoPosition position, const SinoBrickPart *part,
                                      SinoData *block, SinoData *weight, bool everywhere, SinoData *packed)
{
    const WeightArguments arguments = {.everywhere = everywhere, .forget = part->forget};
    const SinoAccess access[WEIGHT_DATA] = {
        [WEIGHED] = {block, SINO_READ}, [WEIGHT] = {weight, SINO_READ}, [PACKED] = {packed, SINO_WRITE}};
    position.partition = part->partition;
    return sino_task_submit(runtime, &weights_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = WEIGHT_DATA,
                                               .work = part->work,
                                               .precision = 1 + (int)part->precision});
}

/* ---- turns ---- */

static void *buffer_or_null(const SinoTask *task, int i)
{
    return i > 0 ? sino_task_buffer(task, i) : NULL;
}

static void update_voxels(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    const SinoBrickPart *part = &arguments->part;
    const SinoBrickHead *head = sino_task_buffer(task, BLOCK);
    float *g = sino_task_buffer(task, G);
    const SinoBrickTurn turn = {.slices = part->slices,
                                .brick_count = head->brick_count,
                                .lanes = head->lanes,
                                .state = buffer_or_null(task, arguments->state),
                                .weights = buffer_or_null(task, arguments->weights),
                                .mask = buffer_or_null(task, arguments->mask)};
    if (arguments->weights > 0)
        sino_brick_turn(&turn, g, sino_task_buffer(task, X));
    else
        memset(g, 0, (size_t)sino_times(part->voxel_rows, part->slices.stride) * sizeof *g);
}

static void sweep_panel(const SinoTask *task, SinoPanel at, SinoBrickSums *sums)
{
    const Arguments *arguments = task->arguments;
    const SinoBrickPart *part = &arguments->part;
    const float *additive = buffer_or_null(task, arguments->additive);
    const SinoBrickCounts counts = {.counts = sino_panel_from(at, part->rows, sino_task_buffer(task, COUNTS)),
                                    .multiplicative = buffer_or_null(task, arguments->multiplicative),
                                    .additive = additive ? sino_panel_from(at, part->rows, additive) : NULL};
    sino_brick_sweep(sino_task_buffer(task, BLOCK), at.slices.stride,
                     sino_panel_from(at, part->voxel_rows, sino_task_buffer(task, X)), &counts,
                     sino_panel_to(at, part->voxel_rows, sino_task_buffer(task, G)), sums);
}

static void add_sums(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    const SinoBrickSums *part = sino_task_buffer(task, PART);
    SinoSliceSums *all = sino_task_buffer(task, ALL);
    double *lost = sino_task_buffer(task, LOST);
    for (int64_t s = 0; s < arguments->part.slices.stride; s++) {
        const SinoSliceSums sums = {
            {[SINO_SUM_SQUARE] = part[s].squared, [SINO_SUM_LIKELIHOOD] = part[s].log_likelihood}};
        all[s] = sino_slice_add(all[s], sums, !arguments->add);
        lost[s] = (arguments->add ? lost[s] : 0) + part[s].lost;
    }
}

static SinoStatus turn_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    const SinoSlices slices = arguments->part.slices;
    const SinoBrickHead *head = sino_task_buffer(task, BLOCK);
    SinoBrickSums *sums = sino_task_buffer(task, PART);
    update_voxels(task);
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at))
        sweep_panel(task, at, sums + at.first);
    add_sums(task);
    if (arguments->part.forget) sino_forget(head, head->bytes);
    sino_runtime_advance(task->runtime, arguments->part.progress, SINO_NOWHERE, &(SinoMinibatchProgress){0});
    return NULL;
}

static const SinoTaskKind turn_kind = {.name = "bricks_turn",
                                       .argument_bytes = sizeof(Arguments),
                                       .access_min = OPTIONAL,
                                       .access_max = SINO_TASK_DATA_MANY,
                                       .cpu = turn_cpu};

/* Appends data that may be missing, to be read. Returns their number; 0: none. */
static int append(SinoAccess *access, int *count, SinoData *data)
{
    if (!data) return 0;
    access[*count] = (SinoAccess){data, SINO_READ};
    return (*count)++;
}

SinoStatus sino_insert_bricks_turn(SinoRuntime *runtime, SinoPosition position, const SinoBrickPart *part,
                                   SinoData *block, const SinoBrickVectors *vectors, const SinoBricksTurn *turn)
{
    enum { MOST = OPTIONAL + 5 };
    Arguments arguments = {.part = *part, .add = turn->add};
    const SinoAccessMode summed = turn->add ? SINO_READ_WRITE : SINO_WRITE;
    SinoAccess access[MOST] = {[BLOCK] = {block, SINO_READ},
                               [X] = {turn->x, turn->weights ? SINO_READ_WRITE : SINO_READ},
                               [G] = {turn->g, turn->weights ? SINO_READ_WRITE : SINO_WRITE},
                               [COUNTS] = {vectors->counts, SINO_READ},
                               [PART] = {turn->part, SINO_WRITE},
                               [ALL] = {turn->all, summed},
                               [LOST] = {turn->lost, summed}};
    int count = OPTIONAL;
    arguments.weights = append(access, &count, turn->weights);
    arguments.state = append(access, &count, turn->weights ? turn->state : NULL);
    arguments.mask = append(access, &count, turn->weights ? turn->mask : NULL);
    arguments.additive = append(access, &count, vectors->additive);
    arguments.multiplicative = append(access, &count, vectors->multiplicative);
    position.partition = part->partition;
    return sino_task_submit(runtime, &turn_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = count,
                                               .work = part->work,
                                               .flops = 2 * part->flops,
                                               .precision = 1 + (int)part->precision,
                                               .width = part->slices.stride});
}
