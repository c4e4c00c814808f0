/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone pieces: a few projections at a time of a cone-beam scan, from counts to line integrals. */
#include "cone_pieces.h"

#include "files_tasks.h"
#include "memory.h"
#include "stages.h"
#include "stages_tasks.h"

#include <stdlib.h>

/* The memory of a piece. */
typedef struct PieceSet {
    SinoData *sinogram, *repaired, *tally;
} PieceSet;

struct SinoConePieces {
    SinoConePiecesRequest request;
    SinoInput input; /* as pieces see it: with as many angles as a piece has; owns nothing */
    SinoStages *stages;
    PieceSet set[SINO_COUNT_SETS_MAX];
    int64_t begun;
};

SinoRecordShape sino_cone_record_shape(const SinoCone *cone, int64_t columns, int64_t numbers, bool pictures)
{
    return (SinoRecordShape){.slice_count = sino_cone_slices(cone),
                             .height = cone->y_count,
                             .width = cone->x_count,
                             .columns = columns,
                             .numbers = numbers,
                             .angle_count = cone->angle_count,
                             .row_count = cone->row_count,
                             .column_count = cone->column_count,
                             .row_name = "detector rows",
                             .pictures = pictures,
                             .planes = cone->z_count > 1};
}

SinoTally sino_cone_tally(const SinoInput *input, const SinoRecord *record)
{
    return (SinoTally){.by_angle = record->by_angle,
                       .by_column = record->by_column,
                       .by_row = record->repaired,
                       .column_count = record->column_count,
                       .row_count = record->row_count,
                       .run_count = input->run_count,
                       .run = input->run};
}

int64_t sino_cone_tally_count(const SinoInput *input, const SinoRecord *record)
{
    const SinoTally tally = sino_cone_tally(input, record);
    return sino_tally_count(&tally);
}

int64_t sino_cone_pieces_bytes(const SinoCone *cone, const SinoInput *input, int64_t row_count, int64_t set_count,
                               int64_t field_set_count)
{
    const int64_t angles = SINO_PIECE_PROJECTIONS, columns = cone->column_count;
    const int64_t stride = sino_panel_stride(SINO_SINGLE, row_count);
    const int64_t sinogram = sino_times(sino_times(angles, columns), sino_times(stride, (int64_t)sizeof(float)));
    const int64_t counts = sino_input_slab_bytes(input, angles, row_count);
    const int64_t numbers = sino_times(row_count + angles + columns, (int64_t)sizeof(int64_t));
    return sino_times(set_count, counts + sinogram + numbers) +
           sino_times(field_set_count, sino_input_fields_bytes(input, row_count));
}

static SinoStatus new_data(SinoConePieces *pieces)
{
    const SinoConePiecesRequest *request = &pieces->request;
    const int64_t angles = SINO_PIECE_PROJECTIONS, columns = request->cone->column_count;
    const SinoSlices rows = {SINO_SINGLE, sino_panel_stride(SINO_SINGLE, request->row_count), request->row_count};
    const SinoStagesRequest stages = {.runtime = request->runtime,
                                      .input = &pieces->input,
                                      .slices = rows,
                                      .ray_count = sino_times(angles, columns),
                                      .slab_slices = request->row_count,
                                      .set_count = request->set_count,
                                      .field_set_count = request->field_set_count,
                                      .marked = request->marked};
    pieces->input = *request->input;
    pieces->input.angle_count = angles;
    SINO_TRY(sino_stages_new(&stages, &pieces->stages));
    for (int64_t i = 0; i < request->set_count; i++) {
        PieceSet *set = &pieces->set[i];
        SINO_TRY(sino_data_vector(request->runtime, "sinogram", sino_times(angles, columns), rows.stride, sizeof(float),
                                  &set->sinogram));
        SINO_TRY(
            sino_data_vector(request->runtime, "repaired", request->row_count, 1, sizeof(int64_t), &set->repaired));
        SINO_TRY(sino_data_vector(request->runtime, "tally", angles + columns, 1, sizeof(int64_t), &set->tally));
    }
    return NULL;
}

SinoStatus sino_cone_pieces_new(const SinoConePiecesRequest *request, SinoConePieces **result)
{
    SinoConePieces *pieces;
    SINO_TRY(sino_allocate(1, sizeof *pieces, "pieces", &pieces));
    pieces->request = *request;
    SINO_GIVE(new_data(pieces), pieces, sino_cone_pieces_free, result);
}

void sino_cone_pieces_free(SinoConePieces *pieces)
{
    if (!pieces) return;
    for (int i = 0; i < SINO_COUNT_SETS_MAX; i++) {
        sino_data_free(pieces->set[i].sinogram);
        sino_data_free(pieces->set[i].repaired);
        sino_data_free(pieces->set[i].tally);
    }
    sino_stages_free(pieces->stages);
    free(pieces);
}

SinoData *sino_cone_pieces_io(const SinoConePieces *pieces)
{
    return sino_stages_io(pieces->stages);
}

/* Copies the row of the sinogram's picture, if this piece has it and no earlier one. */
static SinoStatus insert_sample(const SinoConePieces *pieces, const SinoConePiece *piece, SinoSlices rows,
                                SinoData *sinogram)
{
    const SinoRecord *record = pieces->request.record;
    const SinoSample sample = {.slice = record->row_count / 2 - piece->rows.first,
                               .column_count = pieces->request.cone->column_count,
                               .run_count = 1,
                               .run = piece->angles,
                               .to = record->sinogram};
    if (!sample.to || sample.slice < piece->uncounted || sample.slice >= rows.slice_count) return NULL;
    return sino_insert_sample(pieces->request.runtime, piece->position, rows, &sample, sinogram, NULL);
}

static SinoStatus insert_load(SinoConePieces *pieces, const SinoConePiece *piece, int64_t number)
{
    const SinoStageLoad load = {.position = piece->position,
                                .set = number,
                                .field_set = piece->field_set,
                                .fields = piece->first,
                                .first_slice = piece->rows.first,
                                .slice_count = piece->rows.count,
                                .run_count = 1,
                                .run = piece->angles};
    return sino_stages_load(pieces->stages, &load);
}

SinoStatus sino_cone_pieces_insert(SinoConePieces *pieces, const SinoConePiece *piece, SinoData **sinogram)
{
    const SinoConePiecesRequest *request = &pieces->request;
    const int64_t number = pieces->begun++ % request->set_count;
    const PieceSet *set = &pieces->set[number];
    const SinoSlices rows = {SINO_SINGLE, sino_panel_stride(SINO_SINGLE, piece->rows.count), piece->rows.count};
    const SinoStageWork work = {.position = piece->position,
                                .slices = rows,
                                .set = number,
                                .field_set = piece->field_set,
                                .angle_count = piece->angles->count,
                                .first_angle = piece->angles->first,
                                .slab_first = piece->rows.first,
                                .slab_slices = piece->rows.count,
                                .uncounted = piece->uncounted,
                                .sinogram = set->sinogram,
                                .repaired = set->repaired,
                                .tally = set->tally};
    const SinoCount count = {.first_angle = piece->angles->first,
                             .angle_count = piece->angles->count,
                             .angle_total = request->cone->angle_count,
                             .column_count = request->cone->column_count,
                             .first_row = piece->rows.first,
                             .row_count = piece->rows.count};
    SINO_TRY(insert_load(pieces, piece, number));
    SINO_TRY(sino_stages_insert(pieces->stages, &work));
    SINO_TRY(insert_sample(pieces, piece, rows, set->sinogram));
    *sinogram = set->sinogram;
    return sino_insert_count(request->runtime, piece->position, &count, piece->first, set->repaired, set->tally,
                             piece->undefined, sino_cone_tally_count(request->input, request->record), NULL);
}
