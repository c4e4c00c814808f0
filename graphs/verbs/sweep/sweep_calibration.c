/* SPDX-License-Identifier: BSD-3-Clause */
/* Calibration of a sweep: StarPU's models of the times of tasks are recorded before the runs that are compared, which
 * then leave the models as they are. */
#include "sweep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* StarPU believes a model of ten measurements (_STARPU_CALIBRATION_MINIMUM). Kinds of task that take less than 1 % of
 * the time do not prolong the calibration: some have one task in a run. */
enum { SAMPLES = 10, RUNS_MAX = 10 };
static const double least_share = 0.01;

/* Adds the kinds of a run to those of the runs before. */
static void add_kinds(const SinoProfile *run, SinoProfile *sum)
{
    for (int64_t i = 0; i < run->kind_count; i++) {
        const SinoProfileKind *kind = &run->kind[i];
        int64_t k = 0;
        while (k < sum->kind_count &&
               (strcmp(sum->kind[k].name, kind->name) != 0 || strcmp(sum->kind[k].on, kind->on) != 0))
            k++;
        if (k == SINO_PROFILE_KINDS) return;
        if (k == sum->kind_count) {
            sum->kind[sum->kind_count++] = *kind;
            continue;
        }
        sum->kind[k].count += kind->count;
        sum->kind[k].total_s += kind->total_s;
    }
}

/* The least number of tasks of the kinds that matter. */
static int64_t least_samples(const SinoProfile *sum)
{
    double total_s = 0;
    int64_t least = INT64_MAX;
    for (int64_t k = 0; k < sum->kind_count; k++) total_s += sum->kind[k].total_s;
    for (int64_t k = 0; k < sum->kind_count; k++)
        if (sum->kind[k].total_s >= least_share * total_s && sum->kind[k].count < least) least = sum->kind[k].count;
    return least;
}

/* A run that records; with devices by a policy that gives tasks without a model to every type of worker. */
static SinoStatus record_run(SinoSweep *sweep, const SinoSweepCase *setup, int64_t number, SinoProfile *sum,
                             bool *works)
{
    SinoSweepChild child;
    SinoProfile profile = {.kind_count = 0};
    SinoSweepCase of = *setup;
    snprintf(of.scheduler, sizeof of.scheduler, "%s", of.devices == SINO_DEVICE_CPU ? "lws" : "dmda");
    SinoSweepRow row = sino_sweep_row(SINO_SWEEP_CALIBRATION, &of), unused = row;
    row.order = number;
    row.seed = sweep->settings->phantom.seed;
    SINO_TRY(sino_sweep_recon(sweep, &of, "record", "calibration", sweep->rows.count + 1, &child));
    SINO_TRY(sino_sweep_record(sweep, &child, &row));
    *works = row.exit_code == 0;
    if (*works) SINO_TRY(sino_sweep_take_profile(&child, &unused, &profile));
    add_kinds(&profile, sum);
    return NULL;
}

static SinoStatus calibrate_setup(SinoSweep *sweep, const SinoSweepCase *setup)
{
    SinoProfile sum = {.kind_count = 0};
    bool works = true;
    int64_t runs = 0;
    while (works && runs < RUNS_MAX && (runs == 0 || least_samples(&sum) < SAMPLES))
        SINO_TRY(record_run(sweep, setup, ++runs, &sum, &works));
    char *text = sino_sweep_setup_text(sweep, setup);
    if (works)
        sino_log_info(sweep->log, "calibration",
                      "%s: %" PRId64 " runs recorded the models; %" PRId64
                      " samples at least of every kind of task that "
                      "takes 1 %% of the time",
                      text ? text : "", runs, least_samples(&sum));
    free(text);
    return NULL;
}

/* Whether a table that is continued has been calibrated: runs follow. */
static bool is_done(const SinoSweep *sweep)
{
    for (int64_t i = 0; i < sweep->rows.count; i++)
        if (sweep->rows.row[i].phase != SINO_SWEEP_CALIBRATION) return true;
    return false;
}

SinoStatus sino_sweep_calibrate(SinoSweep *sweep)
{
    if (is_done(sweep)) return NULL;
    for (int64_t i = 0; i < sweep->case_count; i += sweep->scheduler_count)
        SINO_TRY(calibrate_setup(sweep, &sweep->of[i]));
    return NULL;
}
