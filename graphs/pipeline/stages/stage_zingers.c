/* SPDX-License-Identifier: BSD-3-Clause */
/* Stage zingers: pixels that a stray photon hit (codelets/stages/zingers.h). */
#include "device_room.h"
#include "memory.h"
#include "stages.h"
#include "zingers_task.h"

#include <math.h>
#include <stdlib.h>

/* Neighbours are taken in the order of the angles where those of the file are so many times as far apart. */
static const double far_apart = 1.4;

typedef struct Own {
    int64_t *order;   /* of the input's angles; NULL: as in the file; owned */
    SinoData *orders; /* the same for GPUs; NULL: there is none, or cores alone run the task; owned */
} Own;

/* An angle of the input, and its place in a turn. */
typedef struct Angle {
    int64_t number;
    double turned_rad; /* from 0 to below 2π */
} Angle;

static bool is_wanted(const SinoInput *input)
{
    return input->zinger_level > 0;
}

static void describe(const SinoInput *input, size_t size, char *text)
{
    snprintf(text, size, "%g standard deviations below the angles beside it", input->zinger_level);
}

static int by_place(const void *a, const void *b)
{
    const Angle *first = a, *second = b;
    if (first->turned_rad != second->turned_rad) return first->turned_rad < second->turned_rad ? -1 : 1;
    return first->number < second->number ? -1 : first->number > second->number;
}

/* The sum of the gaps between neighbours, each the shorter way round. */
static double gaps_of(int64_t count, const Angle *angle)
{
    double sum = 0;
    for (int64_t k = 1; k < count; k++)
        sum += fabs(remainder(angle[k].turned_rad - angle[k - 1].turned_rad, 2 * SINO_PI));
    return sum;
}

/* Golden angles, several revolutions and other interlaced scans have neighbours in the file that see the object from
 * sides far apart. A sample that has turned round is seen as before. */
static SinoStatus find_order(const SinoInput *input, int64_t **order)
{
    const int64_t count = input->angle_count;
    Angle *angle = NULL;
    int64_t k = 0;
    SINO_TRY(sino_allocate(sino_larger(count, 1), sizeof *angle, "angles", &angle));
    for (int64_t i = 0; i < input->run_count; i++)
        for (int64_t j = 0; j < input->run[i].count; j++, k++) {
            const double turned = fmod(input->geometry.angle_rad[input->run[i].first + j], 2 * SINO_PI);
            angle[k] = (Angle){k, turned < 0 ? turned + 2 * SINO_PI : turned};
        }
    const double of_file = gaps_of(count, angle);
    qsort(angle, (size_t)count, sizeof *angle, by_place);
    SinoStatus status = NULL;
    if (of_file > far_apart * gaps_of(count, angle))
        status = sino_allocate(count, sizeof **order, "the order of the angles", order);
    for (k = 0; *order && k < count; k++) (*order)[k] = angle[k].number;
    free(angle);
    return status;
}

static SinoStatus prepare(const SinoStagesRequest *request, void **result)
{
    Own *own;
    SINO_TRY(sino_allocate(1, sizeof *own, "a stage", &own));
    *result = own;
    SINO_TRY(find_order(request->input, &own->order));
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
