/* SPDX-License-Identifier: BSD-3-Clause */
/* Sweep: parts of the verb. Private to the files sweep*.c. */
#pragma once

#include "bench_csv.h"
#include "child.h"
#include "log.h"
#include "settings.h"
#include "sweep_csv.h"

#include <stdint.h>

/* Parts of the verb sweep. Private to the files sweep*.c.
 *
 * A *case* is what runs differ in, apart from their repetition; a *setup* is all of a case but the policy, so that the
 * policies of a setup are compared. A *problem* is what determines the volume: sizes and precision. */

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

/* Statistics of a sweep: quartiles, and comparisons of policies within repetitions. A value that is not known is NaN,
 * and is left out. */

/* NaN where there are no values. */
typedef struct SinoQuartiles {
    int64_t count; /* of the values that are known */
    double least, lower, median, upper, most;
} SinoQuartiles;

/* Sorts the values in place. Between two values a quartile is interpolated linearly: of n values the quantile p lies at
 * p (n − 1), counted from 0 (Hyndman and Fan's definition 7, as R and NumPy have it). */
SinoQuartiles sino_quartiles(int64_t count, double *value);

/* value[policy][repetition] are times. regret[policy][repetition] becomes time/(least time of the repetition) − 1, and
 * wins[policy] the number of repetitions in which the policy was fastest; of k policies that are equally fast each one
 * gets 1/k. Without a time: regret NaN, no win. */
void sino_paired_regret(int64_t policies, int64_t repetitions, const double *value, double *regret, double *wins);

/* Kendall's rank correlation of two series (tau-b), −1 to 1, over the pairs of which both values are known; NaN: one of
 * them is constant. */
double sino_rank_correlation(int64_t count, const double *a, const double *b);

/* Writes a random order of 0 … count − 1 (Fisher and Yates), the same on any machine for the same seed and stream. */
void sino_random_order(uint64_t seed, uint64_t stream, int64_t count, int64_t *order);

/* Table of a setup: the policies of a sweep that ran in the same setup, compared. Private to the files sweep*.c. */

/* What is compared. Regrets and shares are in percent. */
typedef enum SinoSweepFigure {
    SINO_SWEEP_MAKESPAN, /* seconds */
    SINO_SWEEP_SHARE,    /* of the workers' time inside tasks */
    SINO_SWEEP_REGRET,   /* makespan beyond that of the best policy in the same repetition */
    SINO_SWEEP_EXCESS,   /* makespan beyond the larger one of the run's own area and critical path bounds */
    SINO_SWEEP_FIGURES
} SinoSweepFigure;

typedef struct SinoSweepPolicy {
    const char *name;                        /* not owned */
    const double *value[SINO_SWEEP_FIGURES]; /* [repetition], not owned */
    SinoQuartiles of[SINO_SWEEP_FIGURES];
    double wins, predicted_s; /* repetitions in which it was fastest; NaN: not simulated */
} SinoSweepPolicy;

typedef struct SinoSweepTable {
    SinoSweepCase setup;
    int64_t policy_count, repetitions;
    SinoSweepPolicy *policy; /* the fastest median first; those without a run last */
    double *memory;          /* of all values */
    double correlation;      /* of the ranks of predicted and measured times; NaN: not known */
    /* Medians over all runs; NaN: none. */
    double tasks, build_s, peak_bytes, transfer_bytes;
} SinoSweepTable;

/* The table of the setup that begins at sweep->of[first_case]. The caller releases it. */
SinoStatus sino_sweep_table(const SinoSweep *sweep, int64_t first_case, SinoSweepTable *table);
void sino_sweep_table_free(SinoSweepTable *table);

/* Plots of a setup, as SVG. Private to the files sweep*.c. */

/* One for each figure, and one of predicted beside measured times. */
enum { SINO_SWEEP_PLOTS = SINO_SWEEP_FIGURES + 1 };

/* Whether there is anything in the plot: nothing is measured by --simulate only, or predicted without it. */
bool sino_sweep_has_plot(const SinoSweepTable *table, int plot);
const char *sino_sweep_plot_name(int plot); /* "makespan" … */
SinoStatus sino_sweep_plot(const SinoSweepTable *table, int plot, FILE *out);
