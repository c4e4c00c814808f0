/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone pieces: a few projections at a time of a cone-beam scan, from counts to line integrals.
 *
 *     of each piece:  load → stages → count
 *
 * Sets of counts and sinograms bound the memory; a piece waits until its set is free. */
#pragma once

#include "cone_streaming.h"
#include "files_tasks.h"
#include "record.h"

/* Pointers are not owned. */
typedef struct SinoConePiecesRequest {
    SinoRuntime *runtime;
    const SinoInput *input;
    const SinoCone *cone;
    SinoRecord *record;      /* its sinogram gets the middle row; NULL in it: no picture is wanted */
    int64_t row_count;       /* of the piece with most */
    int64_t set_count;       /* pieces in memory at the same time */
    int64_t field_set_count; /* sets of flat and dark fields */
    bool marked;             /* undefined values are marked for iterative solvers; false: interpolated */
} SinoConePiecesRequest;

/* A piece: at most SINO_PIECE_PROJECTIONS angles of some detector rows. */
typedef struct SinoConePiece {
    SinoPosition position;
    const SinoAngleRun *angles; /* not owned, outlives the tasks */
    SinoSpan rows;
    int64_t uncounted; /* rows, the first ones, whose undefined values are counted already, and pictured */
    int64_t field_set;
    bool first;          /* of its rows: their flat and dark fields are loaded, and `undefined` begins with 0 */
    SinoData *undefined; /* as sino_cone_tally */
} SinoConePiece;

/* The shape of a run's record: `columns` residuals, `numbers` of the history, and pictures of three planes of the
 * volume. */
SinoRecordShape sino_cone_record_shape(const SinoCone *cone, int64_t columns, int64_t numbers, bool pictures);

/* Where undefined values are counted: by angle, by column and by detector row; and how many numbers that are. */
SinoTally sino_cone_tally(const SinoInput *input, const SinoRecord *record);
int64_t sino_cone_tally_count(const SinoInput *input, const SinoRecord *record);

/* Bytes of StarPU data of sets for pieces of row_count rows. */
int64_t sino_cone_pieces_bytes(const SinoCone *cone, const SinoInput *input, int64_t row_count, int64_t set_count,
                               int64_t field_set_count);

typedef struct SinoConePieces SinoConePieces;
SinoStatus sino_cone_pieces_new(const SinoConePiecesRequest *request, SinoConePieces **pieces);
void sino_cone_pieces_free(SinoConePieces *pieces); /* takes NULL */

/* Inserts the tasks of a piece. *sinogram: angle_count·column_count rows in panels of the piece's detector rows; the
 * next piece but set_count − 1 overwrites it. */
SinoStatus sino_cone_pieces_insert(SinoConePieces *pieces, const SinoConePiece *piece, SinoData **sinogram);

/* The handle by which tasks that call HDF5 are ordered. */
SinoData *sino_cone_pieces_io(const SinoConePieces *pieces);
