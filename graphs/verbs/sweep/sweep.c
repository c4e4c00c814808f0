/* SPDX-License-Identifier: BSD-3-Clause */
/* sweep: many runs in child processes, a table and a report. */
#include "sweep.h"

#include "arithmetic.h"
#include "ending.h"
#include "files.h"
#include "platform.h"
#include "runtime.h"
#include "version.h"
#include "workflows.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

/* ---- what the table says of itself ---- */

/* The model of the processor as the kernel names it; "" if it does not. */
static void read_processor(char name[128])
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");
    name[0] = '\0';
    while (file && !*name && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        const char *colon = strchr(line, ':');
        if (colon && strncmp(line, "model name", 10) == 0) snprintf(name, 128, "%s", colon + 2);
    }
    if (file) (void)fclose(file);
}

static void print_words(const SinoInputSettings *settings, char *const *words, FILE *out)
{
    fputs("command: sinodag sweep", out);
    if (settings->file_name) fprintf(out, " %s", settings->file_name);
    for (; *words; words++) fprintf(out, " %s", *words);
    fputc('\n', out);
}

/* What a table that is continued must have been made with. The caller frees *text. */
static SinoStatus describe(const SinoSweep *sweep, char **text)
{
    char **words = NULL, processor[128], starpu[32];
    struct utsname machine;
    size_t size;
    SINO_TRY(sino_settings_words(sweep->settings, SINO_VERB_SWEEP, SINO_VERB_SWEEP, &words));
    FILE *out = open_memstream(text, &size);
    read_processor(processor);
    if (out) {
        fprintf(out, "table: sinodag sweep, version 1\nsinodag: %s\nstarpu: %s\n", sino_version_text(),
                sino_runtime_starpu_version(starpu));
        fprintf(out, "machine: %s, %s, %d cores of %s\n", uname(&machine) == 0 ? machine.nodename : "", machine.machine,
                sino_platform_core_count(), *processor ? processor : "an unknown processor");
        print_words(&sweep->settings->input, words, out);
        fputs("policies:", out);
        for (int64_t i = 0; i < sweep->scheduler_count; i++) fprintf(out, " %s", sweep->scheduler[i]);
        fputc('\n', out);
    }
    sino_words_free(words);
    SINO_CHECK(out && fclose(out) == 0, SINO_FAILED, "no memory for the head of a table");
    return NULL;
}

/* What such a table need not have. The caller frees *text. */
static SinoStatus remark(const SinoSweep *sweep, char **text)
{
    char date[64] = "";
    const time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts)) (void)strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &parts);
    SINO_CHECK(asprintf(text, "date: %s\n%s", date, sweep->left_out ? sweep->left_out : "") >= 0, SINO_FAILED,
               "no memory for the head of a table");
    return NULL;
}

/* ---- runs ---- */

static double load_average(void)
{
    double load;
    return getloadavg(&load, 1) == 1 ? load : NAN;
}

static SinoStatus simulate_case(SinoSweep *sweep, const SinoSweepCase *of, int64_t number)
{
    SinoSweepChild child;
    SinoSweepRow row = sino_sweep_row(SINO_SWEEP_SIMULATION, of);
    row.order = number;
    row.seed = sweep->settings->phantom.seed;
    SINO_TRY(sino_sweep_simulate(sweep, of, sweep->rows.count + 1, NULL, &child));
    return sino_sweep_record(sweep, &child, &row);
}

static SinoStatus simulate(SinoSweep *sweep)
{
    for (int64_t i = 0; i < sweep->case_count; i++)
        if (!sino_sweep_find(sweep, SINO_SWEEP_SIMULATION, &sweep->of[i], 0))
            SINO_TRY(simulate_case(sweep, &sweep->of[i], i + 1));
    return NULL;
}

static SinoStatus measure_case(SinoSweep *sweep, const SinoSweepCase *of, int64_t repetition, int64_t order)
{
    SinoSweepChild child;
    SinoSweepRow row = sino_sweep_row(SINO_SWEEP_MEASUREMENT, of);
    const SinoSweepRow *predicted = sino_sweep_find(sweep, SINO_SWEEP_SIMULATION, of, 0);
    row.repetition = repetition;
    row.order = order;
    row.seed = sweep->settings->phantom.seed;
    row.load = load_average();
    if (predicted) row.predicted_s = predicted->predicted_s;
    SINO_TRY(sino_sweep_recon(sweep, of, "frozen", "run", sweep->rows.count + 1, &child));
    return sino_sweep_record(sweep, &child, &row);
}

static SinoStatus measure_in_order(SinoSweep *sweep, const int64_t *order)
{
    for (int64_t r = 0; r < sweep->settings->sweep.repetitions; r++)
        for (int64_t i = 0; i < sweep->case_count; i++) {
            const SinoSweepCase *of = &sweep->of[order[r * sweep->case_count + i]];
            if (!sino_sweep_find(sweep, SINO_SWEEP_MEASUREMENT, of, r + 1))
                SINO_TRY(measure_case(sweep, of, r + 1, i + 1));
        }
    return NULL;
}

static SinoStatus measure(SinoSweep *sweep)
{
    int64_t *order = NULL;
    SINO_TRY(sino_sweep_order(sweep, &order));
    SinoStatus status = sino_sweep_calibrate(sweep);
    sweep->start_s = sino_platform_now_s(); /* a run of the calibration is no measure for those to come */
    if (!status && sweep->settings->sweep.simulation == SINO_SIMULATION_YES) status = simulate(sweep);
    if (!status) status = measure_in_order(sweep, order);
    free(order);
    return status;
}

/* Counts what is to be done, and what a table that is continued has. */
static void count(SinoSweep *sweep)
{
    const bool simulated = sweep->settings->sweep.simulation != SINO_SIMULATION_NO;
    const bool measured = sweep->settings->sweep.simulation != SINO_SIMULATION_ONLY;
    const int64_t of_each = (simulated ? 1 : 0) + (measured ? sweep->settings->sweep.repetitions : 0);
    sweep->run_count = sino_times(sweep->case_count, of_each);
    for (const SinoSweepRow *row = sweep->rows.row; row < sweep->rows.row + sweep->rows.count; row++)
        sweep->runs_found += row->phase != SINO_SWEEP_CALIBRATION;
    sweep->runs_done = sweep->runs_found;
    if (sweep->rows.count > 0)
        sino_log_info(sweep->log, "resume", "%s has %" PRId64 " of %" PRId64 " runs", sweep->settings->bench.csv,
                      sweep->runs_found, sweep->run_count);
}

static SinoStatus check_outputs(const SinoSettings *settings)
{
    const bool replaces = settings->output.overwrite || settings->output.resume;
    SINO_TRY(sino_output_check(settings->bench.csv, replaces));
    if (settings->sweep.report) SINO_TRY(sino_output_check(settings->sweep.report, replaces));
    return sino_sweep_archive_check(settings);
}

static SinoStatus make_directories(const SinoSettings *settings)
{
    if (settings->sweep.plots) SINO_TRY(sino_sweep_directory(&settings->output, "--plots", settings->sweep.plots));
    return settings->sweep.keep ? sino_sweep_directory(&settings->output, "--keep", settings->sweep.keep) : NULL;
}

/* What a signal leaves behind. */
static void tell_rows(void *of, FILE *clause)
{
    const SinoSweep *sweep = of;
    const int64_t count = __atomic_load_n(&sweep->rows.count, __ATOMIC_RELAXED);
    fprintf(clause, "%s has %" PRId64 " runs, from which --resume goes on", sweep->settings->bench.csv, count);
}

static SinoStatus run_all(SinoSweep *sweep)
{
    const SinoSettings *settings = sweep->settings;
    char *about = NULL, *more = NULL;
    SinoLastAct last = {.act = tell_rows, .of = sweep};
    SinoStatus status = NULL;
    SINO_TRY(describe(sweep, &about));
    SINO_TRY_OR(status, end, remark(sweep, &more));
    SINO_TRY_OR(status, end,
                sino_sweep_csv_open(settings->bench.csv, settings->output.overwrite, settings->output.resume, about,
                                    more, &sweep->rows, &sweep->csv));
    sino_ending_add(&last);
    count(sweep);
    sweep->start_s = sino_platform_now_s();
    SINO_TRY_OR(status, end, settings->sweep.simulation == SINO_SIMULATION_ONLY ? simulate(sweep) : measure(sweep));
    sino_log_info(sweep->log, "output", "written: %s", settings->bench.csv);
    SINO_TRY_OR(status, end, sino_sweep_report(sweep, about, more));
    SINO_TRY_OR(status, end, sino_sweep_archive(sweep));
end:
    sino_ending_remove(&last);
    free(about);
    free(more);
    return status;
}

static SinoStatus prepare(SinoSweep *sweep)
{
    SINO_TRY(check_outputs(sweep->settings));
    SINO_TRY(sino_sweep_folder_make(&sweep->folder));
    if (sweep->settings->sweep.simulation != SINO_SIMULATION_NO) SINO_TRY(sino_sweep_check_simulator(sweep));
    SINO_TRY(sino_sweep_policies(sweep));
    SINO_TRY(sino_sweep_cases(sweep));
    return make_directories(sweep->settings);
}

static SinoStatus judge(const SinoSweep *sweep)
{
    int64_t failed = 0, different = 0;
    for (const SinoSweepRow *row = sweep->rows.row; row < sweep->rows.row + sweep->rows.count; row++) {
        failed += row->exit_code != 0;
        different += sino_sweep_differs(sweep, row);
    }
    SINO_CHECK(failed == 0 && different == 0, SINO_FAILED,
               "%" PRId64 " of %" PRId64 " runs failed, and %" PRId64
               " have a volume that differs from those of others; "
               "%s tells which",
               failed, sweep->rows.count, different, sweep->settings->bench.csv);
    return NULL;
}

SinoStatus sino_sweep(const SinoSettings *settings, SinoLog *log)
{
    SinoSweep sweep = {.settings = settings, .log = log};
    SinoStatus status = prepare(&sweep);
    if (!status) status = run_all(&sweep);
    SinoStatus closed = sino_sweep_csv_close(sweep.csv);
    if (status)
        sino_status_free(closed);
    else
        status = closed ? closed : judge(&sweep);
    sino_sweep_folder_remove(sweep.folder);
    for (int64_t i = 0; i < sweep.scheduler_count; i++) free(sweep.scheduler[i]);
    free(sweep.scheduler);
    free(sweep.of);
    free(sweep.left_out);
    sino_sweep_rows_free(&sweep.rows);
    return status;
}
