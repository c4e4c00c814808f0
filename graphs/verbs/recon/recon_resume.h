/* SPDX-License-Identifier: BSD-3-Clause */
/* recon --resume: a run keeps journals of the slices that it has stored (journal.h), one per rank: OUT.journal of rank
 * 0, OUT.journal.R of rank R. They lie beside OUT until the volume is complete.
 *
 * A journal begins with the identity of its run, "name: value" lines: the version, the revision of the choices that it
 * makes, the input, the settings that change voxels, and the choices of the plan. A run with --resume takes over the
 * choices of the plan, and is refused if any other line differs. It checks the slices on the disk against their
 * checksums, and computes those that are missing. */
#pragma once

#include "files_tasks.h"
#include "input.h"
#include "journal.h"
#include "record.h"
#include "settings.h"
#include "volume.h"

typedef struct SinoResume {
    SinoProcesses *processes; /* not owned */
    SinoLog *log;             /* not owned */
    char *path;               /* of this rank's journal; owned */
    SinoJournal *journal;     /* NULL: none; owned */
    char *identity;           /* of this run; owned */
    char *earlier;            /* identity of the run that is resumed, equal on all ranks; NULL: the run is new; owned */
} SinoResume;

/* Collective. With --resume looks for the journals of an unfinished run. Without it, or without journals, the run is
 * new. SINO_BAD_INPUT: another run has the journal open. */
SinoStatus sino_resume_open(const SinoOutputSettings *settings, SinoProcesses *processes, SinoLog *log,
                            SinoResume *resume);

/* Adds to a refusal of the output that --resume would go on, where an unfinished run has left a journal and the caller
 * has not asked for it. A zero `resume` adds nothing. Consumes the status. */
SinoStatus sino_resume_hint(const SinoResume *resume, SinoStatus status);

/* Takes over the choices of the resumed run that `planned`, a copy of the settings, leaves open. */
void sino_resume_plan(const SinoResume *resume, SinoSettings *planned);

/* The rotation center of the resumed run, as a column of the grid; NaN: the run is new. */
double sino_resume_center(const SinoResume *resume);

/* A number that the identity of the resumed run has; false: the run is new, or its identity has none of this name. */
bool sino_resume_number(const SinoResume *resume, const char *name, int64_t *number);

/* The same for the range of an integer volume. */
bool sino_resume_range(const SinoResume *resume, SinoValueRange *range);

/* Makes the identity of this run, of a scan or (NULL) of counts, which ends with the choices of its plan.
 * SINO_BAD_INPUT, naming the first line that differs: this run cannot go on from the earlier one. */
SinoStatus sino_resume_identify(SinoResume *resume, const SinoSettings *settings, const SinoInput *input,
                                const char *plan);

/* How the entries of a run's journals count. */
typedef struct SinoRestored {
    int64_t data_ranks; /* ranks that share a slice */
    int64_t *repaired;  /* [slice]: the record's undefined values of each slice; NULL: tallies alone count them */
    SinoTally tally;
} SinoRestored;

/* Collective. Marks the slices in the volume that are complete, and enters their histories, repair counts and picture
 * into the record; opens the journals for the rest. A new run whose journal cannot be written goes on without, after a
 * warning. */
SinoStatus sino_resume_begin(SinoResume *resume, const SinoRestored *restored, SinoRuntime *runtime, SinoVolume *volume,
                             SinoRecord *record);

/* Frees `resume`. `complete`: the journal is of no use any more, and is removed. */
void sino_resume_end(SinoResume *resume, bool complete);
