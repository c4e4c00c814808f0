/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages: the steps from a scan's counts to line integrals.
 *
 *     load → stage → stage → … → line integrals
 *
 * `load` reads the counts of a slab. The first stage computes the sinograms of a minibatch from them; the other stages
 * change these sinograms in place. The reconstruction, both center searches and `info` use the same list of stages. A
 * new stage is one file with a SinoStageKind, and a row of sino_stage_kinds. */
#pragma once

#include "arithmetic.h"
#include "input.h"
#include "settings.h"
#include "stages_tasks.h"

/* The part of a slice that a stage needs at once. Ranks that share a slice have only some of its angles, and the search
 * of the center by phase reads single projections. */
typedef enum SinoStageScope {
    SINO_SCOPE_ROW,     /* one detector row of one projection */
    SINO_SCOPE_SINOGRAM /* all angles of a slice: skipped for single projections, refused if ranks share a slice */
} SinoStageScope;

enum { SINO_COUNT_SETS_MAX = 16 };

/* The first slab, read before there is a chain of stages. */
typedef struct SinoEarlyLoad {
    SinoData *io, *counts, *flat, *dark; /* owned; NULL once a chain of stages has them */
    SinoAngleRun run;                    /* all angles */
} SinoEarlyLoad;

/* Allocates data for slabs of slab_slices, and inserts `load` of the input's first slices at all angles. The caller
 * waits for the task before any other one reads or writes files. SINO_FAILED: no memory. */
SinoStatus sino_early_load_new(SinoRuntime *runtime, const SinoInput *input, int64_t slab_slices,
                               SinoEarlyLoad **early);
void sino_early_load_free(SinoEarlyLoad *early); /* takes NULL; waits for the task */

/* The sizes of a chain of stages. */
typedef struct SinoStagesRequest {
    SinoRuntime *runtime;
    const SinoInput *input;
    SinoSlices slices;       /* slices of the largest minibatch */
    int64_t ray_count;       /* rows of a minibatch's sinogram on this rank */
    int64_t slab_slices;     /* slices of the largest slab */
    int64_t set_count;       /* sets of counts in memory at the same time, at most SINO_COUNT_SETS_MAX */
    int64_t field_set_count; /* likewise, sets of flat and dark fields */
    bool projections;        /* single projections are read: SINO_SCOPE_SINOGRAM stages are skipped */
    SinoEarlyLoad *early;    /* its data become set 0, already loaded; NULL: nothing is */
    bool marked;             /* undefined values are marked for iterative solvers (correct.h); false: interpolated */
} SinoStagesRequest;

/* A minibatch passing through the stages. Data are not owned. */
typedef struct SinoStageWork {
    SinoPosition position;
    SinoSlices slices;
    int64_t set, field_set; /* the counts and fields that were loaded for it */
    int64_t angle_count;    /* angles of the counts: those of the input, or fewer of a scan without places */
    int64_t first_angle;    /* number of the first one of them among those of the input's runs */
    int64_t slab_first;     /* first slice of its slab */
    int64_t slab_slices, slice_in_slab; /* slices of its slab, and index in the slab of its first slice */
    int64_t uncounted;                  /* its first slices whose undefined values are not counted */
    /* Set by sino_stages_insert: slab's [angle][row][column], [set][row][column], [row][column]; places of the angles
     * for GPUs (stages_tasks.h), and whether cores alone change the sinogram. */
    SinoData *counts, *flat, *dark, *places;
    bool host;
    SinoData *sinogram; /* ray_count rows in panels */
    SinoData *repaired; /* int64_t[slice]: undefined values */
    SinoData *tally;    /* int64_t[angle + column]: undefined values by angle, then by column */
} SinoStageWork;

typedef struct SinoStageKind {
    /* help: one line for `info`. wanted: whether the input needs the stage. insert: inserts the stage's tasks. */
    const char *name, *help;
    SinoStageScope scope;
    bool (*wanted)(const SinoInput *input);
    /* Writes a text for `info`: what the stage does under the settings in force. */
    void (*describe)(const SinoInput *input, size_t size, char *text);
    /* Allocates the stage's own buffers. *own is NULL before the call; `release` is called also after a failure. NULL:
     * the stage has none. */
    SinoStatus (*prepare)(const SinoStagesRequest *request, void **own);
    void (*release)(void *own); /* takes NULL */
    SinoStatus (*insert)(const SinoStagesRequest *request, void *own, const SinoStageWork *work);
} SinoStageKind;

extern const SinoStageKind sino_stage_correct, sino_stage_zingers, sino_stage_air, sino_stage_stripes,
    sino_stage_harden;

/* Bytes of the largest minibatch's sinogram. */
static inline int64_t sino_stage_sinogram_bytes(const SinoStagesRequest *request)
{
    return sino_times(sino_times(request->ray_count, request->slices.stride),
                      (int64_t)sino_precision_bytes(request->slices.precision));
}

/* The sinogram that a stage changes in place. */
static inline SinoSinogramRows sino_stage_rows(const SinoStagesRequest *request, const SinoStageWork *work)
{
    return (SinoSinogramRows){.slices = work->slices,
                              .place = request->input->place,
                              .places = work->places,
                              .host = work->host,
                              .sinogram = work->sinogram};
}

/* The stages in the order in which they run unless --stages tells another, ended by NULL. */
extern const SinoStageKind *const sino_stage_kinds[];

/* Stage number i of those of an input, in the order in which they run; NULL: there are no more. */
const SinoStageKind *sino_stage_at(const SinoInput *input, int64_t i);

/* Chain of the wanted stages, with the counts of one or two slabs. The request's pointers are not owned.
 * SINO_BAD_INPUT: a stage needs whole sinograms, but ranks share a slice. SINO_FAILED: no memory. */
typedef struct SinoStages SinoStages;
SinoStatus sino_stages_new(const SinoStagesRequest *request, SinoStages **stages);
void sino_stages_free(SinoStages *stages); /* takes NULL; no task may use them any more */

/* The handle by which tasks that call HDF5 are ordered; owned by the stages. */
SinoData *sino_stages_io(const SinoStages *stages);

/* What is loaded at a time: slices first_slice … first_slice + slice_count − 1 at the angles of some runs. */
typedef struct SinoStageLoad {
    SinoPosition position;
    int64_t set; /* gets the counts */
    int64_t field_set;
    bool fields; /* field_set gets the flat and dark fields of these slices; false: it has them */
    int64_t first_slice, slice_count;
    int64_t run_count;
    const SinoAngleRun *run; /* [run_count]; not owned, outlives the task */
} SinoStageLoad;

/* Inserts `load`. */
SinoStatus sino_stages_load(SinoStages *stages, const SinoStageLoad *load);

/* Inserts the wanted stages, from the counts of a set to work->sinogram. */
SinoStatus sino_stages_insert(SinoStages *stages, const SinoStageWork *work);

/* Computes line integrals of some slices at the input's angles, and waits for its tasks; no other tasks may be in
 * flight. *sinograms is float[slice][angle][column], freed by the caller. `projections` must be true if the input has
 * fewer angles than the scan. marked: undefined values are −0 (correct.h); false: they are interpolated. */
SinoStatus sino_stages_read(SinoRuntime *runtime, const SinoInput *input, bool projections, bool marked,
                            int64_t first_slice, int64_t slice_count, float **sinograms);

/* Dropped: projections without any value, such as those of a scan that was stopped early. Direct methods leave them
 * out, so that their neighbours stand for their angles; solvers give their rays the weight 0 (correct.h). */

/* Makes input->dropped: projections that have no value in three rows spread over the detector. No other tasks may be in
 * flight. SINO_FAILED: no memory, or reading fails. */
SinoStatus sino_dropped_find(SinoRuntime *runtime, SinoInput *input);

/* Makes input->dropped of a rank that is told which they are. SINO_FAILED: no memory. */
SinoStatus sino_dropped_new(SinoInput *input);

/* Whether the run's algorithm leaves them out. */
bool sino_dropped_matter(const SinoSettings *settings);

/* Integrals: a whole scan after its stages, in memory.
 *
 * Reconstructions of cone beams take a few projections at a time, but zingers and stripes are found in whole sinograms.
 * With such a stage, all stages run first:
 *
 *     of each slab:  load → stages → integrals
 *
 * and the array that they fill is loaded in place of the scan. */

typedef struct SinoIntegrals SinoIntegrals;

/* Whether the input has a stage that needs whole sinograms. */
bool sino_integrals_needed(const SinoInput *input);

/* The input as reconstructions see it: as it is, or, where a stage needs whole sinograms, with *info, which outlives
 * it: line integrals of the rows and columns that the stages make of the scan, which is then NULL. Owns nothing. */
SinoInput sino_integrals_input(const SinoInput *input, SinoScanInfo *info);

/* Bytes of the array; 0: none is needed. And what running the stages takes besides, at least. */
int64_t sino_integrals_bytes(const SinoInput *input);
int64_t sino_integrals_pass_bytes(const SinoInput *input, int64_t worker_count);

/* Runs the stages, within total_bytes of the process, program and array included, and waits for them. *integrals is
 * NULL where they are not needed. The input outlives them. SINO_FAILED: no memory, or the scan cannot be read. */
SinoStatus sino_integrals_new(SinoRuntime *runtime, const SinoInput *input, int64_t total_bytes,
                              SinoIntegrals **integrals);
void sino_integrals_free(SinoIntegrals *integrals); /* takes NULL */

/* Runs the stages of an input of a few rows, and gives its projections of even and of odd number, which do not outlive
 * the other half. The caller frees both, after a failure, too. */
SinoStatus sino_integrals_halves(SinoRuntime *runtime, const SinoInput *input, SinoIntegrals *half[2]);

/* What is reconstructed: `input` itself where `integrals` is NULL. */
const SinoInput *sino_integrals_or(const SinoIntegrals *integrals, const SinoInput *input);
