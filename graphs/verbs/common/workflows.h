/* SPDX-License-Identifier: BSD-3-Clause */
/* Workflows: the verbs of the program, and the job that runs them. */
#pragma once

#include "log.h"
#include "settings.h"
#include "status.h"

#include <stdint.h>

/* Job: the ranks that a launcher started together, from before the settings are read until the program ends. */

typedef struct SinoJob SinoJob;

/* Joins the ranks. Errors: those of sino_processes_start; at most one process of the launcher has the text. */
SinoStatus sino_job_start(SinoJob **job);

/* Waits for the other ranks; takes NULL. Before it, a rank prints its error, because a launcher may end every rank as
 * soon as one of them has ended with an error. */
void sino_job_end(SinoJob *job);

int64_t sino_job_rank(const SinoJob *job);
int64_t sino_job_count(const SinoJob *job);

/* Collective. Succeeds if every rank has succeeded. Otherwise all ranks get an error, of which one has a text: the one
 * of the lowest rank that has an error. Consumes the status. */
SinoStatus sino_job_agree(SinoJob *job, SinoStatus status);

/* Collective. SINO_BAD_INPUT: the ranks run different versions, or have different settings, apart from those that may
 * differ (sino_settings_shared_text). One rank's error has the text. From then on ranks that are stopped end the job
 * after --stall-limit. */
SinoStatus sino_job_check_same(SinoJob *job, int verb, const SinoSettings *settings);

/* Workflows: one function for each verb of the program, from settings to result. */

/* What a scan tells: the header of a scanner, if the input is one (SINO_BAD_INPUT: it is malformed), and the usual
 * algorithm of a cone beam. */
extern const SinoSettingsSources sino_scan_sources;

/* Reconstructs the volume of a scan, or one slice with many centers (--reconstruction-type try). Collective: every rank
 * of the job calls it; NULL: this process is alone. */
SinoStatus sino_recon(const SinoSettings *settings, SinoJob *job, SinoLog *log);

/* Writes the scan of a phantom with exact line integrals, and its true volume. */
SinoStatus sino_phantom(const SinoSettings *settings, SinoLog *log);

/* Prints the contents of a scan, or of a system matrix and counts of its rows, on stdout. */
SinoStatus sino_info(const SinoSettings *settings, SinoLog *log);

/* Writes a YAML file of settings for a scan, which recon --config reads. */
SinoStatus sino_init(const SinoSettings *settings, SinoLog *log);

/* Measures how close a volume is to another one, and prints it on stdout. SINO_FAILED: they differ more than --at-most
 * allows. */
SinoStatus sino_compare(const SinoSettings *settings, SinoLog *log);

/* Joins finished HDF5 volumes of consecutive rows of one scan. SINO_BAD_INPUT: other scans, settings, sizes or ranges
 * of integers, gaps, rows in common. */
SinoStatus sino_join(const SinoSettings *settings, SinoLog *log);

/* Makes a phantom scan in the folder `out`, reconstructs it and reports the error of the result. */
SinoStatus sino_demo(const SinoSettings *settings, SinoLog *log);

/* Measures the operator's kernels and the machine's limits in one run. Prints a table on stdout; writes files on
 * request. */
SinoStatus sino_bench(const SinoSettings *settings, SinoLog *log);

/* Prints on stdout the resources and time of a run on many ranks. Needs no volume, operator or ranks. */
SinoStatus sino_plan(const SinoSettings *settings, SinoLog *log);

/* Prints on stdout how a reconstruction would go on a machine that need not be here: its tasks run in virtual time
 * (tasks/runtime/base/simulation.h). SINO_BAD_INPUT: this program computes, and there is none beside it that simulates.
 */
SinoStatus sino_simulate(const SinoSettings *settings, SinoJob *job, SinoLog *log);

/* Runs the program, whose arguments are those of main, and returns its exit code. With the verb simulate a usual
 * program becomes the one that simulates, if it finds that; that one runs within the simulation. Called before threads.
 */
int sino_simulate_enter(int argument_count, char **arguments, int (*program)(int, char **));

/* SINO_BAD_INPUT: neither is there a program that simulates, nor is one named. */
SinoStatus sino_simulate_check(void);

/* SINO_BAD_INPUT: this program simulates, so the verb (a bit) has nothing to compute with. */
SinoStatus sino_simulate_allows(int verb);

/* Runs reconstructions in child processes, which differ in policy, size, minibatch, partitions, workers, devices and
 * precision, and writes a table and a report of their times. SINO_FAILED at the end if a run failed, or if results
 * differ. */
SinoStatus sino_sweep(const SinoSettings *settings, SinoLog *log);
