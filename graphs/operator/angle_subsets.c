/* SPDX-License-Identifier: BSD-3-Clause */
/* Angle subsets: which subset of the data each angle of a parallel-beam scan belongs to. */
#include "angle_subsets.h"

#include "memory.h"

#include <inttypes.h>
#include <stdlib.h>

/* Orbits, while they are dealt. */
typedef struct Deal {
    const SinoLayout *layout;
    int64_t count;   /* subsets */
    int64_t *filled; /* [subset]: its angles so far; owned */
    int64_t *owner;  /* [place in the layout]: subset of the angle; owned */
    int64_t next;    /* the subset whose turn it is */
} Deal;

/* Number of the angle in orientation `j` of the class's i-th orbit, in the layout's order. */
static int64_t place_of(const SinoAngleClass *class, int64_t i, int64_t j)
{
    return class->first + j * class->count + i;
}

/* The subset with the fewest angles, of several the one whose turn is next. */
static int64_t take_turn(Deal *deal)
{
    int64_t best = deal->next;
    for (int64_t i = 1; i < deal->count; i++) {
        const int64_t s = (deal->next + i) % deal->count;
        if (deal->filled[s] < deal->filled[best]) best = s;
    }
    deal->next = (best + 1) % deal->count;
    return best;
}

static void deal_class(Deal *deal, const SinoAngleClass *class)
{
    for (int64_t i = 0; i < class->count; i++) {
        const int64_t s = take_turn(deal);
        deal->filled[s] += class->orientation_count;
        for (int64_t j = 0; j < class->orientation_count; j++) deal->owner[place_of(class, i, j)] = s;
    }
}

/* Deals the orbits of the layout, large ones first. */
static SinoStatus deal_orbits(const SinoLayout *layout, SinoAngleSubsets *subsets)
{
    Deal deal = {.layout = layout, .count = subsets->count};
    const int64_t angles = layout->geometry.angle_count;
    SinoStatus status = sino_allocate(deal.count, sizeof *deal.filled, "subsets", &deal.filled);
    if (!status) status = sino_allocate(angles, sizeof *deal.owner, "angles", &deal.owner);
    for (int size = SINO_ORIENTATIONS; size > 0 && !status; size--)
        for (int c = 0; c < layout->class_count; c++)
            if (layout->angle_class[c].orientation_count == size) deal_class(&deal, &layout->angle_class[c]);
    for (int64_t k = 0; k < angles && !status; k++) subsets->subset[k] = deal.owner[layout->place[k]];
    free(deal.filled);
    free(deal.owner);
    return status;
}

/* The angles that subsets of every S-th angle would store: an angle for each orbit and subset that meet. */
static SinoStatus stored_otherwise(const SinoLayout *layout, const SinoAngleSubsets *subsets, int64_t *stored)
{
    int64_t *number = NULL, count = 0;
    const int64_t angles = layout->geometry.angle_count;
    SINO_TRY(sino_allocate(angles, sizeof *number, "angles", &number));
    for (int64_t k = 0; k < angles; k++) number[layout->place[k]] = k;
    for (int c = 0; c < layout->class_count; c++) {
        const SinoAngleClass *class = &layout->angle_class[c];
        for (int64_t i = 0; i < class->count; i++)
            for (int64_t j = 0; j < class->orientation_count; j++) {
                bool met = false;
                for (int64_t before = 0; before < j && !met; before++)
                    met = number[place_of(class, i, before)] % subsets->count ==
                          number[place_of(class, i, j)] % subsets->count;
                count += !met;
            }
    }
    free(number);
    *stored = count;
    return NULL;
}

/* Whether subsets of whole orbits are better than every S-th angle. */
static SinoStatus choose(const SinoLayout *layout, SinoAngleSubsets *subsets)
{
    const int64_t orbits = sino_layout_stored_angles(layout);
    int64_t stored = 0;
    if (layout->orientations == 1) return NULL;
    SINO_TRY(stored_otherwise(layout, subsets, &stored));
    const bool saves = 4 * orbits <= 3 * stored, few = orbits < sino_times(SINO_SUBSET_ORBITS, subsets->count);
    subsets->whole_orbits = saves && !few;
    subsets->few_orbits = saves && few;
    return NULL;
}

/* Fills subsets->subset. */
static SinoStatus assign(const SinoProblem *problem, SinoAngleSubsets *subsets)
{
    SinoLayout layout = {0};
    SinoStatus status = NULL;
    const int64_t angles = problem->geometry.angle_count;
    SINO_TRY(sino_allocate(angles, sizeof *subsets->subset, "angles", &subsets->subset));
    for (int64_t k = 0; k < angles; k++) subsets->subset[k] = k % subsets->count;
    if (!problem->whole_orbits || subsets->count == 1) return NULL;
    SINO_TRY(sino_layout_new(&problem->geometry, problem->precision, true, &layout));
    status = choose(&layout, subsets);
    if (!status && subsets->whole_orbits) status = deal_orbits(&layout, subsets);
    sino_layout_free(&layout);
    return status;
}

/* Moves every so-many-th angle of each subset to a further one. */
static SinoStatus leave_out(const SinoProblem *problem, SinoAngleSubsets *subsets)
{
    int64_t *before = NULL;
    if (problem->left_out == 0) return NULL;
    SINO_TRY(sino_allocate(subsets->count, sizeof *before, "subsets", &before));
    for (int64_t k = 0; k < problem->geometry.angle_count; k++) {
        const int64_t s = subsets->subset[k];
        if ((s + before[s]++) % problem->left_out == 0) subsets->subset[k] = subsets->count;
    }
    free(before);
    subsets->count++;
    return NULL;
}

/* Lists the angles of each subset. */
static SinoStatus list(int64_t angles, SinoAngleSubsets *subsets)
{
    int64_t *next = NULL;
    SINO_TRY(sino_allocate(angles, sizeof *subsets->number, "angles", &subsets->number));
    SINO_TRY(sino_allocate(subsets->count + 1, sizeof *subsets->first, "subsets", &subsets->first));
    SINO_TRY(sino_allocate(subsets->count, sizeof *next, "subsets", &next));
    for (int64_t k = 0; k < angles; k++) subsets->first[subsets->subset[k] + 1]++;
    for (int64_t s = 0; s < subsets->count; s++) {
        subsets->first[s + 1] += subsets->first[s];
        next[s] = subsets->first[s];
    }
    for (int64_t k = 0; k < angles; k++) subsets->number[next[subsets->subset[k]]++] = k;
    free(next);
    return NULL;
}

SinoStatus sino_angle_subsets_new(const SinoProblem *problem, SinoAngleSubsets *result)
{
    SinoAngleSubsets made = {.count = sino_problem_solved_subsets(problem)};
    SinoStatus status = assign(problem, &made);
    if (!status) status = leave_out(problem, &made);
    if (!status) status = list(problem->geometry.angle_count, &made);
    if (status)
        sino_angle_subsets_free(&made);
    else
        *result = made;
    return status;
}

void sino_angle_subsets_free(SinoAngleSubsets *subsets)
{
    free(subsets->subset);
    free(subsets->first);
    free(subsets->number);
    *subsets = (SinoAngleSubsets){0};
}

int64_t sino_angle_subsets_size(const SinoAngleSubsets *subsets, int64_t subset)
{
    return subsets->first[subset + 1] - subsets->first[subset];
}

int64_t sino_angle_subsets_most(const SinoAngleSubsets *subsets)
{
    int64_t most = 0;
    for (int64_t s = 0; s < subsets->count; s++) most = sino_larger(most, sino_angle_subsets_size(subsets, s));
    return most;
}

void sino_angle_subsets_report(const SinoAngleSubsets *subsets, SinoLog *log)
{
    int64_t least = INT64_MAX;
    for (int64_t s = 0; s < subsets->count; s++) least = sino_smaller(least, sino_angle_subsets_size(subsets, s));
    if (subsets->count == 1) return;
    sino_log_detail(log, "operator", "subsets: %" PRId64 ", of %" PRId64 " to %" PRId64 " angles; %s", subsets->count,
                    least, sino_angle_subsets_most(subsets),
                    subsets->whole_orbits ? "a subset has all quarter turns and mirror images of its angles"
                    : subsets->few_orbits ? "equal steps through the scan, since sets of quarter turns and mirror "
                                            "images are too few for so many subsets"
                                          : "equal steps through the scan");
}

SinoStatus sino_angle_subsets_layout(const SinoAngleSubsets *subsets, int64_t subset, const SinoLayout *scan,
                                     SinoLayout *layout)
{
    return sino_layout_part(scan, sino_angle_subsets_size(subsets, subset), subsets->number + subsets->first[subset],
                            layout);
}
