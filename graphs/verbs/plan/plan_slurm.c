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
static int64_t memory_of(const SinoRuntimeSettings *settings, const SinoForecast *forecast)
{
    const int64_t bytes = settings->memory_bytes > 0 ? settings->memory_bytes : forecast->plan.resources.total_bytes;
    return (int64_t)ceil((double)bytes / gib);
}

static void print_head(const SinoPlanRequest *request, const SinoForecast *forecast, int64_t memory_gib, FILE *out)
{
    const int64_t minutes = 5 * (int64_t)ceil((time_margin * forecast->times.run / 60 + least_minutes) / 5);
    fprintf(out,
            "#!/bin/bash\n"
            "# Made by sinodag plan --slurm. Planned: %.0f s without the ray lengths, %.1f GiB a rank. The limits "
            "below are %g\n"
            "# times this time and %g minutes more, and %g times this memory.\n"
            "#SBATCH --job-name=sinodag\n"
            "#SBATCH --nodes=%" PRId64 "\n"
            "#SBATCH --ntasks-per-node=1\n"
            "#SBATCH --cpus-per-task=%" PRId64 "\n"
            "#SBATCH --mem=%" PRId64 "G\n"
            "#SBATCH --time=%02" PRId64 ":%02" PRId64 ":00\n"
            "#SBATCH --requeue\n",
            forecast->times.run, (double)forecast->plan.resources.total_bytes / gib, time_margin, least_minutes,
            memory_margin, request->rank_count, forecast->plan.worker_count,
            (int64_t)ceil(memory_margin * (double)memory_gib), minutes / 60, minutes % 60);
}

SinoStatus sino_plan_slurm(const SinoSettings *settings, const SinoPlanRequest *request, const SinoForecast *forecast,
                           FILE *out)
{
    char **words;
    const int64_t memory_gib = memory_of(&settings->runtime, forecast);
    SINO_TRY(sino_settings_words(settings, SINO_VERB_PLAN, SINO_VERB_RECON, &words));
    print_head(request, forecast, memory_gib, out);
    fputs("set -euo pipefail\n\nscan=", out);
    print_quoted(settings->input.file_name ? settings->input.file_name : "scan.h5", out);
    fputs("\nvolume=volume.h5\n\n"
          "# A job that is put into the queue again goes on from the slices that are stored.\n",
          out);
    if (request->rank_count > 1) fputs("srun --mpi=pmix --cpu-bind=none ", out);
    fputs("sinodag recon \"$scan\" --out \"$volume\" --resume", out);
    if (settings->runtime.memory_bytes == 0) fprintf(out, " --memory %" PRId64 "GiB", memory_gib);
    if (settings->runtime.workers == 0) fprintf(out, " --workers %" PRId64, forecast->plan.worker_count);
    for (char **word = words; *word; word++) {
        /* Of a scan that is described by its sizes; recon's --columns is that of a raw file. */
        if (!settings->input.file_name && strncmp(*word, "--columns=", 10) == 0) continue;
        fputc(' ', out);
        print_quoted(*word, out);
    }
    fputc('\n', out);
    sino_words_free(words);
    return NULL;
}
