/* SPDX-License-Identifier: BSD-3-Clause */
/* Plan, Slurm: a batch script of a run, with the memory and the time that were planned. */
#include "plan_report.h"

#include "arithmetic.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Slurm counts what the plan does not, such as pages of files; rates that are assumed may be too high. */
static const double memory_margin = 1.1, time_margin = 3, least_minutes = 10;

static const double gib = 1024.0 * 1024 * 1024;

/* A word of the shell. */
static void print_quoted(const char *word, FILE *out)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=/.,:@%";
    if (*word && word[strspn(word, plain)] == '\0') {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++) {
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    }
    fputc('\'', out);
}

/* Whole GiB of a rank: what the user gave, else what the plan needs. */
static int64_t memory_of(const SinoSettings *settings, const SinoSlurmJob *job)
{
    const int64_t given = settings->runtime.memory_bytes;
    return (int64_t)ceil((double)(given > 0 ? given : job->total_bytes) / gib);
}

/* A core for each worker; among these are the cores that drive devices. The plan counts cores, Slurm hardware threads
 * unless it gets the hint. */
static void print_processors(const SinoSettings *settings, const SinoSlurmJob *job, int64_t ranks_per_node, FILE *out)
{
    const SinoMachine *machine = job->machine;
    const bool whole_node =
        machine->memory_given && settings->runtime.memory_bytes == 0 && settings->runtime.workers == 0;
    fprintf(out,
            "#SBATCH --nodes=%" PRId64 "\n"
            "#SBATCH --ntasks=%" PRId64 "\n"
            "#SBATCH --ntasks-per-node=%" PRId64 "\n"
            "#SBATCH --cpus-per-task=%" PRId64 "\n"
            "#SBATCH --hint=nomultithread\n",
            sino_ceil_divide(settings->plan.ranks, ranks_per_node), settings->plan.ranks, ranks_per_node,
            job->worker_count);
    if (whole_node) fputs("#SBATCH --exclusive\n", out);
    if (machine->devices.count > 0) fprintf(out, "#SBATCH --gpus-per-node=%" PRId64 "\n", machine->devices.count);
}

static void print_head(const SinoSettings *settings, const SinoSlurmJob *job, FILE *out)
{
    const int64_t minutes = 5 * (int64_t)ceil((time_margin * job->run_s / 60 + least_minutes) / 5);
    const int64_t ranks_per_node = sino_smaller(sino_larger(settings->plan.ranks_per_node, 1), settings->plan.ranks);
    fprintf(out,
            "#!/bin/bash\n"
            "# Made by sinodag plan --slurm. Planned: %.0f s without the ray lengths, %.1f GiB a rank. The limits "
            "below are %g\n"
            "# times this time and %g minutes more, and %g times this memory.\n"
            "#SBATCH --job-name=sinodag\n",
            job->run_s, (double)job->total_bytes / gib, time_margin, least_minutes, memory_margin);
    print_processors(settings, job, ranks_per_node, out);
    fprintf(out,
            "#SBATCH --mem=%" PRId64 "G\n"
            "#SBATCH --time=%02" PRId64 ":%02" PRId64 ":00\n"
            "#SBATCH --signal=TERM@120\n"
            "#SBATCH --requeue\n"
            "#SBATCH --output=sinodag-%%j.log\n"
            "#SBATCH --open-mode=append\n"
            "set -euo pipefail\n\n",
            (int64_t)ceil(memory_margin * (double)sino_times(ranks_per_node, memory_of(settings, job))), minutes / 60,
            minutes % 60);
}

/* Slurm does not requeue a job that has reached its time limit. */
static const char before[] = "# A job that is put into the queue again goes on from the slices that are stored.\n"
                             "stored() { stat --format=%s \"$volume\".journal* 2>/dev/null || true; }\n"
                             "before=$(stored)\n"
                             "status=0\n\n";
static const char after[] =
    "\n# Two minutes before the time limit Slurm ends the run by SIGTERM. If the run has stored slices, the job goes "
    "on.\n"
    "if [ $status -eq 143 ] && [ \"$(stored)\" != \"$before\" ]; then scontrol requeue \"$SLURM_JOB_ID\"; fi\n"
    "exit $status\n";

static void print_command(const SinoSettings *settings, const SinoSlurmJob *job, const char *devices, char **words,
                          FILE *out)
{
    /* srun gives each task one core unless it is told the number again. */
    fprintf(out, "srun %s--cpu-bind=none --cpus-per-task=%" PRId64 " ", settings->plan.ranks > 1 ? "--mpi=pmix " : "",
            job->worker_count);
    fprintf(out, "sinodag recon \"$scan\" --out \"$volume\" --resume --device %s", devices);
    if (settings->runtime.memory_bytes == 0) fprintf(out, " --memory %" PRId64 "GiB", memory_of(settings, job));
    if (settings->runtime.workers == 0)
        fprintf(out, " --workers %" PRId64, sino_larger(1, job->worker_count - job->machine->devices.count));
    for (char **word = words; *word; word++) {
        /* Of a scan that is described by its sizes; recon's --columns is that of a raw file. */
        if (!settings->input.file_name && strncmp(*word, "--columns=", 10) == 0) continue;
        fputc(' ', out);
        print_quoted(*word, out);
    }
    fprintf(out, " || status=$?\n%s", after);
}

SinoStatus sino_plan_slurm(const SinoSettings *settings, const SinoSlurmJob *job, FILE *out)
{
    char **words, devices[SINO_DEVICES_SIZE];
    SinoMachineFile file = {.device_kind = 0};
    if (job->machine->devices.count > 0) SINO_TRY(sino_machine_named(settings, &file));
    SINO_TRY(sino_settings_words(settings, SINO_VERB_PLAN, SINO_VERB_RECON, &words));
    print_head(settings, job, out);
    fputs("scan=", out);
    print_quoted(settings->input.file_name ? settings->input.file_name : "scan.h5", out);
    fprintf(out, "\nvolume=volume.h5\n\n%s", before);
    print_command(settings, job, sino_devices_text(file.device_kind ? file.device_kind : SINO_DEVICE_CPU, ',', devices),
                  words, out);
    sino_words_free(words);
    return NULL;
}
