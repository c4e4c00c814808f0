/* SPDX-License-Identifier: BSD-3-Clause */
/* Report of a sweep: one page of HTML, which is well-formed XML, with its plots in it; plots as files of their own. */
#include "sweep.h"

#include "files.h"
#include "memory.h"
#include "page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void print_cell(double value, int digits, FILE *out)
{
    if (isfinite(value))
        fprintf(out, "<td>%.*f</td>", digits, value);
    else
        fputs("<td>–</td>", out);
}

/* Seconds with three digits that count. */
static void print_seconds(double value, FILE *out)
{
    const int digits = !(value > 0) || value >= 100 ? 1 : 2 - (int)floor(log10(value));
    print_cell(value, digits > 6 ? 6 : digits < 1 ? 1 : digits, out);
}

/* ---- the sweep ---- */

typedef struct Counts {
    int64_t phase[SINO_SWEEP_PHASES], failed, different;
    double least_load, most_load;
} Counts;

static Counts count(const SinoSweep *sweep)
{
    Counts counts = {.least_load = NAN, .most_load = NAN};
    for (const SinoSweepRow *row = sweep->rows.row; row < sweep->rows.row + sweep->rows.count; row++) {
        counts.phase[row->phase]++;
        counts.failed += row->exit_code != 0;
        counts.different += sino_sweep_differs(sweep, row);
        counts.least_load = fmin(counts.least_load, row->load);
        counts.most_load = fmax(counts.most_load, row->load);
    }
    return counts;
}

static void print_summary(const SinoSweep *sweep, FILE *out)
{
    const Counts counts = count(sweep);
    fprintf(out, "<p>%" PRId64 " runs calibrated StarPU's models", counts.phase[SINO_SWEEP_CALIBRATION]);
    fprintf(out,
            ", %" PRId64 " were simulated, and %" PRId64 " were measured with frozen models, each in a process of "
            "its own, in an order that is random within each repetition (seed %" PRId64 ").",
            counts.phase[SINO_SWEEP_SIMULATION], counts.phase[SINO_SWEEP_MEASUREMENT], sweep->settings->phantom.seed);
    if (isfinite(counts.most_load))
        fprintf(out, " The machine's load average was %.1f to %.1f as they began.", counts.least_load,
                counts.most_load);
    fprintf(out, "</p>\n<p%s>%" PRId64 " runs failed. ", counts.failed ? " class=\"bad\"" : "", counts.failed);
    fprintf(out,
            "%" PRId64 " volumes differ from those of others: on cores volumes of the same plan must be equal to the "
            "bit, others to rounding (relative L2 difference of at most %.0e in single precision).</p>\n",
            counts.different, sino_sweep_tolerance(SINO_SINGLE));
}

static void print_faults(const SinoSweep *sweep, FILE *out)
{
    fputs("<ul>\n<li>The CSV file has every run.</li>\n", out);
    for (const SinoSweepRow *row = sweep->rows.row; row < sweep->rows.row + sweep->rows.count; row++) {
        const bool differs = sino_sweep_differs(sweep, row);
        if (row->exit_code == 0 && !differs) continue;
        char *setup = sino_sweep_setup_text(sweep, &row->of);
        fprintf(out, "<li class=\"bad\">%s of ", sino_sweep_phase_name[row->phase]);
        sino_markup_text(setup ? setup : "", out);
        fputs(", ", out);
        sino_markup_text(row->of.scheduler, out);
        if (differs)
            fprintf(out, ": hash %s, difference %.1e</li>\n", row->hash, row->difference);
        else
            fprintf(out, ": exit code %" PRId64 ": ", row->exit_code);
        if (!differs) {
            sino_markup_text(row->message, out);
            fputs("</li>\n", out);
        }
        free(setup);
    }
    fputs("</ul>\n", out);
}

/* ---- a setup ---- */

static void print_policy(const SinoSweepPolicy *policy, bool simulated, FILE *out)
{
    const SinoQuartiles *time = &policy->of[SINO_SWEEP_MAKESPAN];
    fputs("<tr><td>", out);
    sino_markup_text(policy->name, out);
    fprintf(out, "</td><td>%" PRId64 "</td>", time->count);
    print_seconds(time->median, out);
    print_seconds(time->lower, out);
    print_seconds(time->upper, out);
    print_cell(policy->of[SINO_SWEEP_SHARE].median, 1, out);
    print_cell(policy->of[SINO_SWEEP_REGRET].median, 1, out);
    print_cell(policy->of[SINO_SWEEP_EXCESS].median, 1, out);
    print_cell(policy->wins, policy->wins == floor(policy->wins) ? 0 : 1, out);
    if (simulated) {
        print_seconds(policy->predicted_s, out);
        print_cell(100 * (policy->predicted_s / time->median - 1), 1, out);
    }
    fputs("</tr>\n", out);
}

static void print_table(const SinoSweepTable *table, FILE *out)
{
    const bool simulated = sino_sweep_has_plot(table, SINO_SWEEP_FIGURES);
    fputs("<div class=\"wide\"><table>\n<thead><tr><th>policy</th><th>runs</th><th>median<br/>(s)</th><th>lower "
          "quartile<br/>(s)</th><th>upper quartile<br/>(s)</th><th>in tasks<br/>(%)</th><th>regret, "
          "best<br/>(%)</th><th>regret, bound<br/>(%)</th><th>wins</th>",
          out);
    if (simulated) fputs("<th>predicted<br/>(s)</th><th>error<br/>(%)</th>", out);
    fputs("</tr></thead>\n<tbody>\n", out);
    for (int64_t p = 0; p < table->policy_count; p++) print_policy(&table->policy[p], simulated, out);
    fputs("</tbody></table></div>\n", out);
}

static void print_facts(const SinoSweepTable *table, FILE *out)
{
    if (isnan(table->tasks)) return;
    fprintf(
        out,
        "<p>Medians of all runs: %.0f tasks in the reconstruction; %.3g s for building the operator before it; %.0f "
        "MiB of memory at most; %.1f MiB transferred between memory nodes.",
        table->tasks, table->build_s, table->peak_bytes / 0x1p20, table->transfer_bytes / 0x1p20);
    if (!isnan(table->correlation))
        fprintf(out, " Kendall's correlation of the policies' ranks, predicted and measured: %.2f.",
                table->correlation);
    fputs("</p>\n", out);
}

static SinoStatus print_plots(const SinoSweepTable *table, FILE *out)
{
    fputs("<div class=\"plots\">\n", out);
    for (int plot = 0; plot < SINO_SWEEP_PLOTS; plot++)
        if (sino_sweep_has_plot(table, plot)) SINO_TRY(sino_sweep_plot(table, plot, out));
    fputs("</div>\n", out);
    return NULL;
}

static SinoStatus print_setup(const SinoSweep *sweep, const SinoSweepTable *table, FILE *out)
{
    char *text = sino_sweep_setup_text(sweep, &table->setup);
    SINO_CHECK(text, SINO_FAILED, "no memory for a report");
    fputs("<h2>", out);
    sino_markup_text(text, out);
    fputs("</h2>\n", out);
    free(text);
    print_facts(table, out);
    print_table(table, out);
    return print_plots(table, out);
}

/* ---- all setups ---- */

/* The fastest policy of each setup. */
static void print_overview(const SinoSweep *sweep, int64_t setups, const SinoSweepTable *table, FILE *out)
{
    fputs("<h2>All setups</h2>\n<div class=\"wide\"><table>\n<thead><tr><th>setup</th><th>fastest</th><th>median<br/>"
          "(s)</th><th>in tasks<br/>(%)</th><th>slowest</th><th>median<br/>(s)</th></tr></thead>\n<tbody>\n",
          out);
    for (int64_t s = 0; s < setups; s++) {
        const SinoSweepPolicy *best = table[s].policy, *worst = best;
        char *text = sino_sweep_setup_text(sweep, &table[s].setup);
        for (int64_t p = 0; p < table[s].policy_count; p++)
            if (table[s].policy[p].of[SINO_SWEEP_MAKESPAN].count > 0) worst = &table[s].policy[p];
        fputs("<tr><td>", out);
        sino_markup_text(text ? text : "", out);
        fputs("</td><td>", out);
        sino_markup_text(best->name, out);
        fputs("</td>", out);
        print_seconds(best->of[SINO_SWEEP_MAKESPAN].median, out);
        print_cell(best->of[SINO_SWEEP_SHARE].median, 1, out);
        fputs("<td>", out);
        sino_markup_text(worst->name, out);
        fputs("</td>", out);
        print_seconds(worst->of[SINO_SWEEP_MAKESPAN].median, out);
        fputs("</tr>\n", out);
        free(text);
    }
    fputs("</tbody></table></div>\n", out);
}

static void print_terms(FILE *out)
{
    fputs("<h2>Terms</h2>\n<ul>\n"
          "<li><b>Makespan</b>: from the begin of the first task of the reconstruction to the end of the last one, "
          "without "
          "the building of the operator.</li>\n"
          "<li><b>In tasks</b>: share of the workers' time within the makespan that they spend inside tasks.</li>\n"
          "<li><b>Regret, best</b>: makespan beyond that of the fastest policy in the same repetition, so that what "
          "slows "
          "the machine for a while counts for all policies; median over the repetitions.</li>\n"
          "<li><b>Regret, bound</b>: makespan beyond the larger one of two lower bounds, which follow from the times "
          "that "
          "the run's own tasks took: all tasks spread over all workers without gaps (area), and the longest chain of "
          "tasks that wait for each other (critical path). A disturbed machine lengthens both.</li>\n"
          "<li><b>Wins</b>: repetitions in which the policy was fastest; equals share them.</li>\n"
          "<li><b>Predicted</b>: makespan by sinodag simulate; error: beyond the measured median.</li>\n</ul>\n",
          out);
}

typedef struct Page {
    const SinoSweep *sweep;
    const char *about, *remark;
    int64_t setups;
    const SinoSweepTable *table; /* [setups] */
} Page;

static SinoStatus print_page(const void *of, FILE *out)
{
    const Page *page = of;
    sino_page_begin("sinodag sweep", "Scheduling policies compared", out);
    sino_page_table_begin(out);
    sino_page_lines(page->about, out);
    sino_page_lines(page->remark, out);
    sino_page_table_end(out);
    print_summary(page->sweep, out);
    print_faults(page->sweep, out);
    if (page->setups > 1) print_overview(page->sweep, page->setups, page->table, out);
    for (int64_t s = 0; s < page->setups; s++) SINO_TRY(print_setup(page->sweep, &page->table[s], out));
    print_terms(out);
    sino_page_end(out);
    return NULL;
}

/* ---- files ---- */

static SinoStatus write_page(const Page *page)
{
    const SinoSettings *settings = page->sweep->settings;
    SinoOutputFile *file = NULL;
    SINO_TRY(sino_output_open(settings->sweep.report, settings->output.overwrite || settings->output.resume, &file));
    SINO_TRY(sino_output_print(file, print_page, page));
    sino_log_info(page->sweep->log, "output", "written: %s", settings->sweep.report);
    return NULL;
}

typedef struct Plot {
    const SinoSweepTable *table;
    int plot;
} Plot;

static SinoStatus print_plot(const void *of, FILE *out)
{
    const Plot *plot = of;
    return sino_sweep_plot(plot->table, plot->plot, out);
}

static SinoStatus write_plot(const SinoSweep *sweep, const SinoSweepTable *table, int64_t setup, int plot)
{
    const SinoSettings *settings = sweep->settings;
    char path[SINO_SWEEP_PATH];
    SinoOutputFile *file = NULL;
    snprintf(path, sizeof path, "%s/%s_%02" PRId64 ".svg", settings->sweep.plots, sino_sweep_plot_name(plot),
             setup + 1);
    SINO_TRY(sino_output_open(path, settings->output.overwrite || settings->output.resume, &file));
    return sino_output_print(file, print_plot, &(Plot){table, plot});
}

static SinoStatus write_plots(const SinoSweep *sweep, int64_t setups, const SinoSweepTable *table)
{
    for (int64_t s = 0; s < setups; s++)
        for (int plot = 0; plot < SINO_SWEEP_PLOTS; plot++)
            if (sino_sweep_has_plot(&table[s], plot)) SINO_TRY(write_plot(sweep, &table[s], s, plot));
    sino_log_info(sweep->log, "output", "written: %s", sweep->settings->sweep.plots);
    return NULL;
}

SinoStatus sino_sweep_report(const SinoSweep *sweep, const char *about, const char *remark)
{
    const int64_t setups = sweep->case_count / sweep->scheduler_count;
    SinoSweepTable *table = NULL;
    SinoStatus status = NULL;
    SINO_TRY(sino_allocate(setups, sizeof *table, "the tables of a report", &table));
    for (int64_t s = 0; !status && s < setups; s++)
        status = sino_sweep_table(sweep, sino_times(s, sweep->scheduler_count), &table[s]);
    if (!status && sweep->settings->sweep.report) status = write_page(&(Page){sweep, about, remark, setups, table});
    if (!status && sweep->settings->sweep.plots) status = write_plots(sweep, setups, table);
    for (int64_t s = 0; s < setups; s++) sino_sweep_table_free(&table[s]);
    free(table);
    return status;
}
