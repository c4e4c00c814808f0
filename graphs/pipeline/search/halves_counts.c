/* SPDX-License-Identifier: BSD-3-Clause */
/* Halves of counts: the search reconstructs both halves of some sets of counts twice, by many iterations, which gives
 * the references, and by few, after each of which it compares the image of a half with the reference of the other half.
 * It begins again with more iterations while the best number is more than a third of the references' number. */
#include "halves.h"

#include "memory.h"
#include "simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HALVES = 2, UPDATES = 32 /* of the first references */, LEAST = 4 /* iterations of these */, RATIO = 3 };

/* Noise of halves is √2 times as large, so that they want fewer iterations of steps of a fixed length. */
static const double beyond_halves = 1.44;

/* Sets that are solved together. */
typedef struct Search {
    SinoMatrixSolution of;
    SinoSettings settings; /* of the trials; owns nothing */
    int64_t voxels;        /* of an image */
    int64_t most;          /* iterations */
    float *reference;      /* [half of a set][voxel]; owned */
    double *difference;    /* [set][most + 1]: by iterations, of both halves; owned */
    double *lost;          /* [half of a set]; owned */
} Search;

/* Numbers of iterations that are tried are so far apart that rounding does not decide. */
static bool is_tried(int64_t iteration)
{
    return iteration % sino_larger(1, iteration / 20) == 0;
}

static SinoStatus keep_reference(void *of, int64_t iteration, int64_t half, const float *image)
{
    const Search *search = of;
    (void)iteration;
    if (SINO_SIMULATES) return NULL;
    memcpy(search->reference + half * search->voxels, image, (size_t)search->voxels * sizeof *image);
    return NULL;
}

/* Adds the difference from the reference of the other half. */
static SinoStatus add_difference(void *of, int64_t iteration, int64_t half, const float *image)
{
    const Search *search = of;
    const float *other = search->reference + (half ^ 1) * search->voxels;
    double sum = 0;
    if (SINO_SIMULATES) sum = -(double)iteration; /* without values the last number is taken as the best */
    for (int64_t v = 0; v < search->voxels && !SINO_SIMULATES; v++) {
        const double off = (double)image[v] - (double)other[v];
        sum += off * off;
    }
    search->difference[half / HALVES * (search->most + 1) + iteration] += sum;
    return NULL;
}

/* Collective. Reconstructs the halves. */
static SinoStatus run(Search *search, int64_t iterations, const SinoMatrixSave *save, SinoGaussian filter)
{
    const int64_t slices = sino_larger(search->of.op->problem.matrix->outline.grid.z_count, 1);
    const SinoRecordShape shape = {.slice_count = sino_times(HALVES * search->of.set_count, slices),
                                   .columns = iterations + 1,
                                   .numbers = HALVES * (iterations + 1)};
    SinoMatrixSolution solution = search->of;
    SinoRecord record = {0};
    SINO_TRY(sino_record_new(&shape, &record));
    solution.filter = filter;
    solution.record = &record;
    solution.save = *save;
    SinoStatus status = sino_matrix_solve(&solution);
    sino_record_free(&record);
    return status;
}

/* Collective. Makes the references, and the differences of the first numbers of iterations from them, as all ranks know
 * them then: those of images that one rank has. */
static SinoStatus compare(Search *search, int64_t iterations, int64_t compared)
{
    const int64_t count = sino_times(search->of.set_count, search->most + 1);
    SinoProcesses *processes = sino_runtime_processes(search->of.runtime);
    const SinoMatrixSave keep = {.save = keep_reference, .of = search};
    const SinoMatrixSave add = {.save = add_difference, .of = search, .every = 1};
    memset(search->difference, 0, (size_t)count * sizeof *search->difference);
    SINO_TRY(run(search, iterations, &keep, (SinoGaussian){0}));
    SINO_TRY(run(search, 0, &add, search->of.filter));
    SINO_TRY(run(search, compared, &add, search->of.filter));
    SINO_TRY(sino_processes_sum_doubles(processes, count, search->difference));
    return sino_processes_broadcast(processes, count * (int64_t)sizeof *search->difference, search->difference);
}

/* The number that was tried before or after another one; `none`: there is none. */
static int64_t tried_beside(int64_t number, int64_t step, int64_t none)
{
    do number += step;
    while (number != none && !is_tried(number));
    return number;
}

/* The least point of the parabola through three differences, by the logarithm of the number and a half, which a
 * difference follows well at few iterations, too. */
static double refine(const double *difference, int64_t before, int64_t best, int64_t after)
{
    const double a = log((double)before + 0.5), b = log((double)best + 0.5), c = log((double)after + 0.5);
    const double falls = (difference[best] - difference[before]) / (b - a);
    const double rises = (difference[after] - difference[best]) / (c - b);
    if (!(falls < 0 && rises > 0)) return (double)best;
    return exp((a + b) / 2 + (c - a) / 2 * falls / (falls - rises)) - 0.5;
}

/* The best number of iterations of a set, of those up to `compared`. */
static double best_of(const Search *search, int64_t set, int64_t compared)
{
    const double *difference = search->difference + set * (search->most + 1);
    int64_t best = 1;
    for (int64_t i = 2; i <= compared; i++)
        if (is_tried(i) && difference[i] < difference[best]) best = i;
    const int64_t after = tried_beside(best, 1, compared + 1);
    return after > compared ? (double)best : refine(difference, tried_beside(best, -1, 0), best, after);
}

/* Collective. Finds the numbers of the sets, which are 0 before. */
static SinoStatus find(Search *search, int64_t *number)
{
    const int64_t most = search->most, subsets = search->of.op->problem.matrix->subset_count;
    int64_t found = 0, references = sino_smaller(most, sino_larger(LEAST, sino_ceil_divide(UPDATES, subsets)));
    while (found < search->of.set_count) {
        const bool last = references == most;
        const int64_t compared = last ? most : sino_smaller(most, references / RATIO + references / 20 + 1);
        SINO_TRY(compare(search, references, compared));
        for (int64_t set = 0; set < search->of.set_count; set++) {
            const double best = best_of(search, set, compared);
            if (number[set] > 0 || (!last && RATIO * best > (double)references)) continue;
            number[set] = sino_larger(1, sino_smaller(most, llround(beyond_halves * best)));
            found++;
        }
        references = sino_smaller(most, 2 * references);
    }
    return NULL;
}

static SinoStatus begin(const SinoMatrixSolution *solution, Search *search)
{
    const int64_t halves =
        sino_times(HALVES, sino_smaller(solution->set_count, sino_larger(1, solution->batch_sets / HALVES)));
    *search = (Search){.of = *solution,
                       .settings = *solution->settings,
                       .voxels = solution->op->problem.matrix->outline.column_count,
                       .most = sino_settings_iterations(&solution->settings->solver)};
    search->settings.solver.tolerance = 0;
    search->settings.solver.likelihood_tolerance = 0;
    search->of.settings = &search->settings;
    search->of.halved = true;
    search->of.batch_sets = halves;
    search->of.volume = NULL;
    search->of.journal = NULL;
    SINO_TRY(
        sino_allocate(sino_times(halves, search->voxels), sizeof *search->reference, "images", &search->reference));
    SINO_TRY(sino_allocate(sino_times(halves, search->most + 1), sizeof *search->difference, "iterations",
                           &search->difference));
    SINO_TRY(sino_allocate(halves, sizeof *search->lost, "sets of counts", &search->lost));
    search->of.lost = search->lost;
    return NULL;
}

SinoStatus sino_halves_counts(const SinoMatrixSolution *solution, int64_t *iterations)
{
    Search search;
    SinoStatus status = sino_processes_agree(sino_runtime_processes(solution->runtime), begin(solution, &search));
    const int64_t together = search.of.batch_sets / HALVES;
    for (int64_t set = 0; set < solution->set_count && !status; set += together) {
        search.of.first_set = set;
        search.of.set_count = sino_smaller(together, solution->set_count - set);
        status = find(&search, iterations + set);
    }
    free(search.reference);
    free(search.difference);
    free(search.lost);
    return status;
}
