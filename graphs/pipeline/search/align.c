/* SPDX-License-Identifier: BSD-3-Clause */
/* Align: finds how far each projection of a scan lies from its place on the detector. */
#include "align.h"

#include "align_gauge.h"
#include "align_level.h"
#include "memory.h"
#include "runtime.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FINE_COLUMNS = 256, /* of averaged pixels, at most */
    LEAST_SIDE = 8,     /* rows and columns of a scan that is aligned */
    LEAST_COLUMNS = 32, /* of the coarser of two levels */
    COARSE_ROUNDS = 12,
    FINE_ROUNDS = 6,
    TURN_ROUNDS = 6
};

static const double last_step = 0.01;  /* root mean square, in averaged pixels, below which shifts are the last */
static const double last_fall = 0.005; /* share of the residual below which a round of turns is the last */
static const double least_fall = 0.02; /* share by which all rounds have to lower it */
static const double large_fall = 0.1;  /* share by which noise does not lower it, however large the turns are */

/* Centroids are trusted up to this error, in averaged pixels. From their shifts each step has to be so much smaller
 * than the one before; and the second turns than the first. */
static const double most_error = 0.1, most_step = 0.6;

typedef SinoAlignLevel Level;

static void copy(const Level *level, const SinoShift *from, SinoShift *to)
{
    memcpy(to, from, (size_t)sino_align_level_angles(level) * sizeof *to);
}

/* Adds the steps to the shifts; returns their root mean square, without what moves the object. */
static double take_steps(Level *level, const SinoShift *before)
{
    double squares = 0;
    for (int64_t k = 0; k < sino_align_level_angles(level); k++) {
        level->shift[k].column += level->result[k].step.column;
        level->shift[k].row += level->result[k].step.row;
    }
    sino_align_fix_gauge(sino_align_level_angles(level), level->base, false, level->shift);
    for (int64_t k = 0; k < sino_align_level_angles(level); k++)
        squares += pow(level->shift[k].column - before[k].column, 2) + pow(level->shift[k].row - before[k].row, 2);
    return sqrt(squares / 2 / (double)sino_align_level_angles(level));
}

/* Refines shifts whose prediction is registered, while the residual falls and steps are not small. `best` becomes the
 * shifts with the least residual, *least. From trusted shifts steps have to become smaller soon. Otherwise something
 * else makes them, such as small turns of the object, and the first shifts stay. */
static SinoStatus refine(Level *level, int rounds, bool trusted, SinoShift *best, double *least)
{
    const double first = level->residual;
    double before = INFINITY;
    copy(level, level->shift, best);
    copy(level, level->shift, level->first);
    *least = first;
    for (int i = 0; i < rounds && before >= last_step; i++) {
        const double step = take_steps(level, best);
        if (trusted && step > most_step * before) {
            copy(level, level->first, best);
            *least = first;
            break;
        }
        SINO_TRY(sino_align_level_predict(level));
        sino_log_detail(sino_runtime_log(level->runtime), "align",
                        "pixels averaged by %" PRId64 ", round %d: step %.3g, residual %.5g", level->input.binning, i,
                        step, level->residual);
        if (!(level->residual < *least)) break;
        copy(level, level->shift, best);
        *least = level->residual;
        before = step;
    }
    return NULL;
}

/* Whether the centroids tell the shifts. With parallel rays, all projections of an object that no edge cuts off have
 * the same sum. Noise, or another reason why sums differ, moves the centroid by as large a share of the detector. */
static bool trusts(const Level *level)
{
    const double angles = (double)sino_align_level_angles(level), columns = (double)level->input.geometry.column_count;
    const SinoCentroid *centroid = level->centroid;
    double mean = 0, variance = 0;
    for (int64_t k = 0; k < sino_align_level_angles(level); k++) {
        if (!level->base[k].parallel) return false;
        mean += centroid[k].sum / angles;
    }
    for (int64_t k = 0; k < sino_align_level_angles(level); k++) variance += pow(centroid[k].sum - mean, 2) / angles;
    return mean > 0 && sqrt(variance) / mean * columns / sqrt(12) < most_error;
}

/* Takes the shifts of the centroids, or none if these predict better, and registers their prediction. *none: the
 * residual without shifts. */
static SinoStatus begin(Level *level, double *none, bool *trusted)
{
    const int64_t angles = sino_align_level_angles(level);
    SINO_TRY(sino_align_level_predict(level));
    *none = level->residual;
    SINO_TRY(sino_align_level_centroids(level));
    for (int64_t k = 0; k < angles; k++)
        level->shift[k] = sino_align_from_middle(&level->base[k], level->centroid[k].place);
    sino_align_fix_gauge(angles, level->base, false, level->shift);
    SINO_TRY(sino_align_level_predict(level));
    sino_log_detail(sino_runtime_log(level->runtime), "align", "residual %.5g without shifts, %.5g by centroids", *none,
                    level->residual);
    *trusted = trusts(level);
    if (level->residual < *none) return NULL;
    *trusted = false;
    for (int64_t k = 0; k < angles; k++) level->shift[k] = (SinoShift){0, 0};
    return sino_align_level_predict(level);
}

static void scale(int64_t count, double ratio, const SinoShift *from, SinoShift *to)
{
    for (int64_t k = 0; k < count; k++) to[k] = (SinoShift){ratio * from[k].column, ratio * from[k].row};
}

/* The coarse level is the fine one if factor is 1. */
static SinoStatus search(Level *coarse, Level *fine, int64_t factor, SinoAligned *aligned)
{
    double least, first;
    bool trusted;
    SINO_TRY(begin(coarse, &aligned->before, &trusted));
    SINO_TRY(refine(coarse, COARSE_ROUNDS, trusted, aligned->shift, &aligned->after));
    aligned->found = aligned->after < (1 - least_fall) * aligned->before;
    if (!aligned->found || factor == 1) return NULL;
    scale(sino_align_level_angles(fine), (double)factor, aligned->shift, fine->shift);
    SINO_TRY(sino_align_level_predict(fine));
    first = fine->residual;
    SINO_TRY(refine(fine, FINE_ROUNDS, trusted, aligned->shift, &least));
    aligned->after *= first > 0 ? least / first : 1;
    return NULL;
}

/* Adds the steps to shifts and turns; returns the root mean square of the turns. */
static double turn(Level *level)
{
    const int64_t angles = sino_align_level_angles(level);
    double squares = 0;
    (void)take_steps(level, level->shift);
    for (int64_t k = 0; k < angles; k++) {
        const SinoViewTurn *step = &level->result[k].turn;
        level->turn[k].pitch += step->pitch;
        level->turn[k].roll += step->roll;
        squares += step->pitch * step->pitch + step->roll * step->roll;
    }
    sino_align_fix_turns(angles, level->base, level->turn);
    return sqrt(squares / 2 / (double)angles);
}

/* Refines the level's shifts with turns, while the residual falls. *least and aligned become those of the least one.
 * Turns that do not soon become small are none that the projections tell: *least is the first residual then. */
static SinoStatus step_turns(Level *level, SinoAligned *aligned, double *least)
{
    const double first = level->residual;
    double before = INFINITY, fall = 1;
    *least = first;
    for (int i = 0; i < TURN_ROUNDS && fall > last_fall; i++) {
        const double step = turn(level);
        if (i == 1 && step > most_step * before && *least > (1 - large_fall) * first) {
            *least = first;
            break;
        }
        SINO_TRY(sino_align_level_predict(level));
        sino_log_detail(sino_runtime_log(level->runtime), "align",
                        "turns, round %d: step %.3g, residual %.5g after %.5g", i, step, level->residual, *least);
        if (!(level->residual < *least)) break;
        copy(level, level->shift, level->first);
        memcpy(aligned->turn, level->turn, (size_t)sino_align_level_angles(level) * sizeof *level->turn);
        fall = 1 - level->residual / *least;
        *least = level->residual;
        before = step;
    }
    return NULL;
}

/* Sets aligned->shift and ->turn if turns lower the residual. */
static SinoStatus refine_turns(Level *level, SinoAligned *aligned)
{
    double least;
    level->turns = true;
    SINO_TRY(sino_align_level_predict(level));
    const double first = level->residual;
    SINO_TRY(step_turns(level, aligned, &least));
    aligned->turned = first > 0 ? 1 - least / first : 0;
    if (aligned->turned < least_fall) return NULL;
    copy(level, level->first, aligned->shift);
    aligned->after *= least / first;
    aligned->found = true;
    return NULL;
}

/* Chooses how many pixels are averaged along each side: so many that FINE_COLUMNS are left, and that all fits half of
 * the memory, but at least LEAST_SIDE rows and LEAST_COLUMNS columns are left. */
static SinoStatus choose_factor(const SinoInput *input, int64_t memory_bytes, bool turns, int64_t *factor)
{
    const int64_t columns = input->geometry.column_count;
    const int64_t most = sino_smaller(sino_larger(columns / LEAST_COLUMNS, 1), input->slice_count / LEAST_SIDE);
    const int64_t wanted = sino_larger(sino_ceil_divide(columns, FINE_COLUMNS), turns ? 1 : 2);
    int64_t chosen = columns / 4 >= LEAST_COLUMNS ? sino_smaller(wanted, most) : 1;
    while (chosen < most && sino_align_level_bytes(input, chosen, turns) > (double)memory_bytes / 2) chosen++;
    SINO_CHECK(sino_align_level_bytes(input, chosen, turns) <= (double)memory_bytes / 2, SINO_BAD_INPUT,
               "averages of %" PRId64 " x %" PRId64 " pixels, by which --align searches, take %.3g bytes, and memory "
               "is %" PRId64 "; allowed: twice as much memory, or a file of shifts",
               chosen, chosen, sino_align_level_bytes(input, chosen, turns), memory_bytes);
    *factor = chosen;
    return NULL;
}

/* Sets aligned->shift, and all but the turns. */
static SinoStatus search_shifts(SinoRuntime *runtime, const SinoSettings *settings, const SinoInput *input,
                                int64_t memory_bytes, SinoAligned *aligned)
{
    const int64_t angles = input->geometry.angle_count, columns = input->geometry.column_count;
    Level fine = {0}, coarse = {0};
    int64_t factor;
    SINO_TRY(choose_factor(input, memory_bytes, false, &factor));
    const int64_t more = columns / factor / 2 >= LEAST_COLUMNS ? 2 : 1;
    SinoStatus status = sino_align_level_new(runtime, settings, input, factor, &fine);
    if (!status) status = sino_align_level_read(&fine);
    if (!status && more > 1) status = sino_align_level_new(runtime, settings, input, factor * more, &coarse);
    if (!status && more > 1) sino_align_level_average(&fine, more, &coarse);
    if (!status) status = search(more > 1 ? &coarse : &fine, &fine, more, aligned);
    aligned->binning = fine.input.binning;
    aligned->rounds = fine.rounds + coarse.rounds;
    if (!status && aligned->found) sino_align_fix_gauge(angles, fine.base, fine.axis, aligned->shift);
    scale(angles, aligned->found ? (double)aligned->binning : 0, aligned->shift, aligned->shift);
    sino_align_level_free(&fine);
    sino_align_level_free(&coarse);
    return status;
}

/* Goes on from the shifts, with smaller pixels if there are any: turns move edges by few pixels. */
static SinoStatus search_turns(SinoRuntime *runtime, const SinoSettings *settings, const SinoInput *input,
                               int64_t memory_bytes, SinoAligned *aligned)
{
    const int64_t angles = input->geometry.angle_count;
    Level level = {0};
    int64_t factor;
    SINO_TRY(choose_factor(input, memory_bytes, true, &factor));
    SinoStatus status = sino_align_level_new(runtime, settings, input, factor, &level);
    const double binning = (double)level.input.binning;
    if (!status) status = sino_align_level_read(&level);
    if (!status) scale(angles, 1 / binning, aligned->shift, level.shift);
    if (!status) status = refine_turns(&level, aligned);
    if (!status && aligned->turned >= least_fall) {
        scale(angles, binning, aligned->shift, aligned->shift);
        aligned->binning = level.input.binning;
    }
    aligned->rounds += level.rounds;
    sino_align_level_free(&level);
    return status;
}

SinoStatus sino_align(SinoRuntime *runtime, const SinoSettings *settings, const SinoInput *input, int64_t memory_bytes,
                      SinoAligned *result)
{
    const int64_t angles = input->geometry.angle_count, columns = input->geometry.column_count;
    SinoAligned aligned = {0};
    SINO_CHECK(angles >= 3 && columns >= LEAST_SIDE && input->slice_count >= LEAST_SIDE, SINO_BAD_INPUT,
               "--align is %s, and the scan has %" PRId64 " projections of %" PRId64 " rows x %" PRId64
               " columns; allowed: 3 projections of 8 x 8 pixels, or more",
               settings->stages.align, angles, input->slice_count, columns);
    SINO_TRY(sino_allocate(angles, sizeof *aligned.shift, "shifts", &aligned.shift));
    SINO_TRY(sino_allocate(angles, sizeof *aligned.turn, "turns", &aligned.turn));
    SinoStatus status = search_shifts(runtime, settings, input, memory_bytes, &aligned);
    if (!status && sino_input_searches_turns(&settings->stages))
        status = search_turns(runtime, settings, input, memory_bytes, &aligned);
    if (aligned.turned < least_fall) {
        free(aligned.turn);
        aligned.turn = NULL;
    }
    if (!status) {
        *result = aligned;
        return NULL;
    }
    free(aligned.shift);
    free(aligned.turn);
    return status;
}
