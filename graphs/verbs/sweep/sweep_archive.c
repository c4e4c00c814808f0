/* SPDX-License-Identifier: BSD-3-Clause */
/* Archive of a sweep: the table, and the task graphs, which other programs can schedule. */
#include "sweep.h"

#include "files.h"
#include "tar_file.h"
#include "version.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "sinodag-sweep/"

static const char readme[] =
    "Task graphs of tomographic reconstructions, and their makespans under scheduling policies, by sinodag %s.\n"
    "\n"
    "table.csv: a row for each run. Comments (#) have versions, machine, command line and policies. Columns:\n"
    "  phase         simulation: in virtual time; measurement, calibration: on the machine of the comments\n"
    "  order         of simulations: numbers the combinations of setup and policy from 1 (see the list below)\n"
    "  makespan_s, predicted_s   of the reconstruction, after build_s for the operator: measured, simulated\n"
    "  area_bound_s, critical_path_s   lower bounds of the reconstruction\n"
    "  seed          of the order of measured runs; simulations are the same each time\n"
    "\n"
    "graph_NNNNN.jsonl: a line of JSON each. Seconds, bytes, flops.\n"
    "First line:\n"
    "  settings      of the reconstruction, as YAML\n"
    "  machine       cores: workers that compute on cores; devices: that are alike, each driven by one more core;\n"
    "                device_memory_bytes: of each device\n"
    "    host_device     a transfer between main memory and a device takes latency_s + bytes / bytes_per_s, in each\n"
    "                    direction at the same time; transfers at the same time share bytes_per_s\n"
    "    device_device   the same of a device's port to and from other devices\n"
    "    host_bytes_per_s   shared by all transfers from main memory to devices, and by all in the other direction\n"
    "Line with \"data\": a piece of data, before the first task that uses it\n"
    "  bytes         0: it only orders tasks\n"
    "  Data that a task reads before any has written them are in main memory at the begin. All others exist from\n"
    "  the first task that writes them to the last one that uses them.\n"
    "Line with \"task\": a task; lines are in the order in which tasks are submitted\n"
    "  kind          what it computes; slab, minibatch, partition, iteration: of what, if it has them\n"
    "  reads, writes data; in both: it is changed in place; in writes alone: old contents are dead\n"
    "  after         tasks that must have ended, as reads and writes in the order of the lines ask for; a task may be\n"
    "                named twice\n"
    "  priority      larger is sooner; a policy may ignore it\n"
    "  flops         0: not counted\n"
    "  core_s, device_s   time on a core or device with the data in its memory; absent: it cannot run there\n"
    "  core_source, device_source   measured: of tasks of this size; fitted: a curve through measured times of its\n"
    "                kind; rate: flops or bytes by the machine's rates\n"
    "Cores use main memory, each device its own. A worker runs one task at a time. Nothing else takes time, but for\n"
    "`machine here`, where the makespans of the table include the time that StarPU needs between tasks.\n"
    "\n"
    "Setups, and the orders of their simulations:\n";

SinoStatus sino_sweep_archive_check(const SinoSettings *settings)
{
    const char *path = settings->sweep.archive;
    if (!path) return NULL;
    SINO_CHECK(settings->sweep.simulation != SINO_SIMULATION_NO, SINO_BAD_INPUT,
               "--archive is '%s' without simulations, from which tasks have their times; allowed: with --simulate, or "
               "--simulate only",
               path);
    return sino_output_check(path, settings->output.overwrite || settings->output.resume);
}

static SinoStatus make_readme(const SinoSweep *sweep, const char *path)
{
    FILE *out = fopen(path, "we");
    SINO_CHECK(out, SINO_FAILED, "%s cannot be written: %s", path, strerror(errno));
    fprintf(out, readme, sino_version_text());
    for (int64_t i = 0; i < sweep->case_count; i += sweep->scheduler_count) {
        char *text = sino_sweep_setup_text(sweep, &sweep->of[i]);
        fprintf(out, "  graph_%05" PRId64 ".jsonl  %s: %" PRId64 " to %" PRId64 "\n", i / sweep->scheduler_count + 1,
                text ? text : "", i + 1, i + sweep->scheduler_count);
        free(text);
    }
    const bool fine = !ferror(out);
    SINO_CHECK(fclose(out) == 0 && fine, SINO_FAILED, "%s cannot be written", path);
    return NULL;
}

/* The graph of a setup, which does not depend on the policy. */
static SinoStatus add_graph(SinoSweep *sweep, int64_t setup, FILE *out)
{
    char path[SINO_SWEEP_PATH], name[64];
    SinoSweepChild child;
    SINO_TRY(sino_sweep_simulate(sweep, &sweep->of[setup * sweep->scheduler_count], 0,
                                 sino_sweep_path(sweep, path, "graph.jsonl"), &child));
    SINO_CHECK(child.end.exit_code == 0, SINO_FAILED, "the simulation of graph %" PRId64 " of --archive failed: %s",
               setup + 1, child.end.message);
    snprintf(name, sizeof name, FOLDER "graph_%05" PRId64 ".jsonl", setup + 1);
    return sino_tar_add(out, name, path);
}

static SinoStatus add_all(SinoSweep *sweep, FILE *out)
{
    char path[SINO_SWEEP_PATH];
    SINO_TRY(make_readme(sweep, sino_sweep_path(sweep, path, "README.txt")));
    SINO_TRY(sino_tar_add(out, FOLDER "README.txt", path));
    SINO_TRY(sino_tar_add(out, FOLDER "table.csv", sweep->settings->bench.csv));
    for (int64_t s = 0; s < sweep->case_count / sweep->scheduler_count; s++) SINO_TRY(add_graph(sweep, s, out));
    sino_tar_end(out);
    return NULL;
}

SinoStatus sino_sweep_archive(SinoSweep *sweep)
{
    const SinoSettings *settings = sweep->settings;
    const char *path = settings->sweep.archive;
    SinoOutputFile *file;
    if (!path) return NULL;
    SINO_TRY(sino_output_open(path, settings->output.overwrite || settings->output.resume, &file));
    FILE *out = sino_output_stream(file);
    SinoStatus status = out ? add_all(sweep, out) : sino_error(SINO_FAILED, "no memory for %s", path);
    if (out) (void)fclose(out); /* the output keeps failures */
    if (status) {
        sino_output_discard(file);
        return status;
    }
    SINO_TRY(sino_output_seal(file));
    sino_log_info(sweep->log, "output", "written: %s", path);
    return NULL;
}
