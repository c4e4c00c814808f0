/* SPDX-License-Identifier: BSD-3-Clause */
/* recon of a volume: what iterations recorded goes to /process. */
#include "recon_volume.h"

#include "memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* History h of `count`: that of the first slice that has it. */
static const double *history_of(const SinoRecord *record, int64_t count, int64_t h)
{
    return record->history + h * (record->slice_count / count) * record->numbers;
}

/* Writes the part of the histories that begins at number `first` of each. */
static SinoStatus write_part(const SinoRecon *recon, int64_t count, int64_t first, const char *name,
                             const char *description)
{
    const SinoRecord *record = &recon->record;
    const int64_t columns = record->columns;
    double *values;
    SINO_TRY(sino_allocate(sino_times(count, columns), sizeof *values, "histories", &values));
    for (int64_t h = 0; h < count; h++)
        memcpy(values + h * columns, history_of(record, count, h) + first, (size_t)columns * sizeof *values);
    SinoStatus status = sino_volume_process_doubles(recon->volume, name, count, columns, values, description);
    free(values);
    return status;
}

/* Logs the log-likelihoods of all histories together after the first and after the last iteration. */
static void tell_likelihood(const SinoRecon *recon, int64_t count)
{
    const SinoRecord *record = &recon->record;
    double first = 0, last = 0;
    int64_t most = 1;
    for (int64_t h = 0; h < count; h++) {
        const double *of = history_of(record, count, h) + record->columns;
        int64_t i = record->columns - 1;
        while (i > 1 && isnan(of[i])) i--;
        if (isnan(of[i])) continue;
        most = i > most ? i : most;
        first += of[1];
        last += of[i];
    }
    sino_log_info(recon->log, "likelihood", "log-likelihood: %.10g after iteration 1, %.10g after iteration %" PRId64,
                  first, last, most);
}

SinoStatus sino_recon_write_history(const SinoRecon *recon, int64_t count, const char *whose, const char *stopped)
{
    char residuals[256], likelihoods[256];
    snprintf(residuals, sizeof residuals, "sum of squares of Ax-b, %s, before the first and after each iteration; %s",
             whose, stopped);
    SINO_TRY(write_part(recon, count, 0, "residuals", residuals));
    if (recon->record.numbers == recon->record.columns) return NULL;
    tell_likelihood(recon, count);
    snprintf(likelihoods, sizeof likelihoods,
             "sum of b ln(Ax) - Ax over the rays with Ax > 0, %s, after each iteration; NaN before the first; %s",
             whose, stopped);
    return write_part(recon, count, recon->record.columns, "log_likelihood", likelihoods);
}
