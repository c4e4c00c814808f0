/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the verb sweep. Private to the files sweep*.c.
 *
 * A *case* is what runs differ in, apart from their repetition; a *setup* is all of a case but the policy, so that the
 * policies of a setup are compared. A *problem* is what determines the volume: sizes and precision. */
#pragma once

#include "child.h"
#include "log.h"
#include "profile_file.h"
#include "settings.h"
#include "sweep_csv.h"

enum { SINO_SWEEP_PATH = 4096 };

typedef struct SinoSweepFolder SinoSweepFolder;

typedef struct SinoSweep {
    const SinoSettings *settings;
    SinoLog *log;
    char **scheduler; /* owned, and so are the names */
    int64_t scheduler_count;
    char *left_out;    /* lines on policies that do not run here; NULL: there are none; owned */
    SinoSweepCase *of; /* [setup][scheduler]; owned */
    int64_t case_count;
    SinoSweepFolder *folder;
    SinoSweepCsv *csv;
    SinoSweepRows rows;                       /* all that the table has */
    int64_t run_count, runs_done, runs_found; /* of all phases; found: in a table that is continued */
    double start_s;
} SinoSweep;

/* sweep_policies.c: sets the names of policies from --schedulers; "all" is those of StarPU that run here, the others
 * are left out, with the reason. SINO_BAD_INPUT: a policy that is named twice, or that there is not. */
SinoStatus sino_sweep_policies(SinoSweep *sweep);

/* sweep_plan.c: sets the cases from the lists of the settings. SINO_BAD_INPUT: too many. */
SinoStatus sino_sweep_cases(SinoSweep *sweep);
/* order[repetition counted from 0][place] is the number of a case. The caller frees *order. */
SinoStatus sino_sweep_order(const SinoSweep *sweep, int64_t **order);
bool sino_sweep_same_setup(const SinoSweepCase *a, const SinoSweepCase *b);
bool sino_sweep_same_case(const SinoSweepCase *a, const SinoSweepCase *b);
/* The row of a run that needs no other one; NULL: there is none. */
const SinoSweepRow *sino_sweep_find(const SinoSweep *sweep, SinoSweepPhase phase, const SinoSweepCase *of,
                                    int64_t repetition);
/* "256 columns, 400 angles, 32 slices, minibatch 8, 2 workers, cpu, single": without what sinodag chooses. The caller
 * frees *text; NULL: no memory. */
char *sino_sweep_setup_text(const SinoSweep *sweep, const SinoSweepCase *of);

/* sweep_folder.c: a temporary folder, which is removed with all that is in it, also when a signal ends the program. */
SinoStatus sino_sweep_folder_make(SinoSweepFolder **folder);
void sino_sweep_folder_remove(SinoSweepFolder *folder); /* takes NULL */
/* "FOLDER/NAME" with the printed name; returns `path`. */
const char *sino_sweep_path(const SinoSweep *sweep, char path[SINO_SWEEP_PATH], const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Makes the directory of --keep or --plots. SINO_BAD_INPUT: it has something already, and neither --overwrite nor
 * --resume is given. */
SinoStatus sino_sweep_directory(const SinoOutputSettings *settings, const char *option, const char *path);

/* sweep_child.c. Runs of children, whose profile is at profile_path. `number` distinguishes files that are kept; 0: a
 * trial, which is killed after 15 s. */
typedef struct SinoSweepChild {
    SinoProgramEnd end;
    char profile_path[SINO_SWEEP_PATH], volume_path[SINO_SWEEP_PATH];
} SinoSweepChild;

SinoStatus sino_sweep_recon(SinoSweep *sweep, const SinoSweepCase *of, const char *models, const char *kind,
                            int64_t number, SinoSweepChild *child);
/* `graph`: where the task graph is written; NULL: nowhere. */
SinoStatus sino_sweep_simulate(SinoSweep *sweep, const SinoSweepCase *of, int64_t number, const char *graph,
                               SinoSweepChild *child);
/* SINO_BAD_INPUT: this program has no verb simulate, and SINODAG_SIMULATOR names no program that has. */
SinoStatus sino_sweep_check_simulator(const SinoSweep *sweep);

/* sweep_calibration.c: runs each setup until StarPU has measured the kinds of task that matter. */
SinoStatus sino_sweep_calibrate(SinoSweep *sweep);

/* sweep_results.c: takes the figures of a run that ended, compares its volume, adds the row to the table, and tells the
 * progress. A run that failed is a row, and no error. */
SinoStatus sino_sweep_record(SinoSweep *sweep, const SinoSweepChild *child, SinoSweepRow *row);
SinoStatus sino_sweep_take_profile(const SinoSweepChild *child, SinoSweepRow *row, SinoProfile *profile);
/* Whether the volume of a row is not that of others: to the bit on cores, for the same plan; else to rounding. */
bool sino_sweep_differs(const SinoSweep *sweep, const SinoSweepRow *row);
/* The largest relative L2 difference of two volumes of a problem that counts as rounding. */
double sino_sweep_tolerance(SinoPrecision precision);

/* sweep_report.c: the page and the plots of all rows. `about` and `remark` are lines "name: value" on the
 * sweep. */
SinoStatus sino_sweep_report(const SinoSweep *sweep, const char *about, const char *remark);

/* sweep_archive.c: --archive: the table, and a graph of each setup, which is simulated once more for it. _check:
 * SINO_BAD_INPUT: nothing is simulated, or the file cannot be written. SINO_FAILED: a simulation failed, or no space.
 */
SinoStatus sino_sweep_archive_check(const SinoSettings *settings);
SinoStatus sino_sweep_archive(SinoSweep *sweep);
