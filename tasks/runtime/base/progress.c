/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress: where the minibatches of a run stand, and what the log says of them all.
 *
 * Minibatches of one slab are at different iterations, and those of the next slab may have begun. One figure of the
 * minibatch that has just finished an iteration would jump, and look like divergence. The log therefore speaks of all
 * slices of the oldest slab in work. A slice that has not begun has x = 0, whose residual is 1. */
#include "progress.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>

struct SinoProgressTable {
    SinoProgressShape shape;
    int64_t slab_count, slab; /* the first slab with minibatches that are not stored */
    SinoMinibatchProgress *minibatch;
};

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

SinoMinibatchProgress sino_minibatch_progress(int64_t slice_count, int64_t numbers, int64_t iteration,
                                              const double *history)
{
    SinoMinibatchProgress now = {.least_iteration = iteration, .begun = numbers > 1};
    for (int64_t f = 0; f < slice_count; f++) {
        const double *row = history + f * numbers;
        int64_t last = iteration;
        while (last > 0 && isnan(row[last])) last--;
        now.stopped_slices += last < iteration;
        now.least_iteration = smaller(now.least_iteration, last);
        now.iteration = last > now.iteration ? last : now.iteration;
        now.residual += row[last];
        now.residual0 += row[0];
    }
    return now;
}

SinoStatus sino_progress_new(const SinoProgressShape *shape, SinoProgressTable **table)
{
    SinoProgressTable *made;
    SINO_TRY(sino_allocate(1, sizeof *made, "the progress of the run", &made));
    made->shape = *shape;
    made->slab_count = (shape->slice_count + shape->slab_slices - 1) / shape->slab_slices;
    SinoStatus status = sino_allocate(sino_times(made->slab_count, shape->slab_minibatches), sizeof *made->minibatch,
                                      "the progress of the run", &made->minibatch);
    SINO_GIVE(status, made, sino_progress_free, table);
}

void sino_progress_free(SinoProgressTable *table)
{
    if (!table) return;
    free(table->minibatch);
    free(table);
}

static int64_t slices_of_slab(const SinoProgressTable *table)
{
    const SinoProgressShape *shape = &table->shape;
    return smaller(shape->slab_slices, shape->slice_count - sino_times(table->slab, shape->slab_slices));
}

/* Minibatches of the slab, the first of which is *first. */
static int64_t minibatches_of_slab(const SinoProgressTable *table, const SinoMinibatchProgress **first)
{
    *first = table->minibatch + table->slab * table->shape.slab_minibatches;
    return (slices_of_slab(table) + table->shape.minibatch_slices - 1) / table->shape.minibatch_slices;
}

static bool is_stored(const SinoProgressTable *table)
{
    const SinoMinibatchProgress *first;
    const int64_t count = minibatches_of_slab(table, &first);
    for (int64_t m = 0; m < count; m++)
        if (!first[m].stored) return false;
    return true;
}

void sino_progress_set(SinoProgressTable *table, int64_t minibatch, const SinoMinibatchProgress *now)
{
    if (minibatch < 0 || minibatch >= table->slab_count * table->shape.slab_minibatches) return;
    table->minibatch[minibatch] = *now;
    while (table->slab + 1 < table->slab_count && is_stored(table)) table->slab++;
}

SinoProgress sino_progress_now(SinoProgressTable *table)
{
    const SinoMinibatchProgress *first;
    const int64_t count = minibatches_of_slab(table, &first), slices = slices_of_slab(table);
    SinoProgress progress = {.slab = table->slab + 1,
                             .slab_count = table->slab_count,
                             .least_iteration = table->shape.iteration_count,
                             .iteration_count = table->shape.iteration_count,
                             .slice_count = slices};
    double residual = 0, residual0 = 0, begun = 0;
    for (int64_t m = 0; m < count; m++) {
        progress.least_iteration = smaller(progress.least_iteration, first[m].least_iteration);
        progress.iteration = first[m].iteration > progress.iteration ? first[m].iteration : progress.iteration;
        progress.stopped_slices += first[m].stopped_slices;
        if (!first[m].begun) continue;
        residual += first[m].residual;
        residual0 += first[m].residual0;
        begun += (double)smaller(table->shape.minibatch_slices, slices - sino_times(m, table->shape.minibatch_slices));
    }
    const double share = begun / (double)slices;
    progress.residual = residual0 > 0 ? sqrt(share * residual / residual0 + 1 - share) : NAN;
    return progress;
}
