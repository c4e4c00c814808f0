/* SPDX-License-Identifier: BSD-3-Clause */
/* Halves, the search: the reconstructions of one slice from parts of its projections, in minibatches of their own, and
 * what they are judged by. For the files of halves.h alone. */
#pragma once

#include "halves.h"

#include <math.h>

enum { SINO_STRENGTHS = 41 };

/* The search. Slices 2i and 2i + 1 of a minibatch are the halves of slice i of those that are searched, or of the only
 * one. With one fold, each slice of a minibatch is the only one. */
typedef struct SinoHalvesSearch {
    SinoHalvesRequest of;
    const SinoOperator *op; /* of the request, or its own */
    unsigned char *mask;    /* of these; owned */
    SinoSettings settings;  /* of the run; owns nothing */
    SinoSolverRun run;
    SinoMinibatch *minibatch;
    int64_t slice_count;    /* that are searched at a time */
    float *sinogram;        /* [slice][angle][column]; owned */
    float *weights;         /* [angle][column] of the only slice: of a file; owned; NULL: there are none */
    SinoGivenWeights given; /* these, for the solver */
    SinoAngleSubsets angles;
    int64_t *part; /* [angle of the scan]: 0 … parts − 1; of fans [angle][column], by the directions of rays; owned */
    int64_t parts; /* of which slices of even number lack part 0, others the one in the middle */
    int64_t folds; /* SINO_HALVES; 1: all lack part 0 */
    double first;
    double *rest;                      /* [2·columns]: of a trial of the normal operator; owned */
    double difference[SINO_STRENGTHS]; /* sums of squares, by strength */
    double square[SINO_STRENGTHS];     /* the same, of projections that are not filtered */
    double constant[SINO_STRENGTHS];   /* the part of it that a constant of each projection explains */
} SinoHalvesSearch;

/* Makes room for so many slices that are searched at a time. Whatever comes of it, sino_halves_end frees the search. */
SinoStatus sino_halves_begin(const SinoHalvesRequest *request, int64_t slices, SinoHalvesSearch *search);
void sino_halves_end(SinoHalvesSearch *search);

/* Takes the line integrals of a slice of the request's input after all stages, as number i of those that are searched,
 * and its weights, if a file has them. */
SinoStatus sino_halves_take(SinoHalvesSearch *search, int64_t slice, int64_t i);

/* Goes on with averaged columns or with every so many projections, if the request says so. */
SinoStatus sino_halves_narrow(SinoHalvesSearch *search);

/* Prepares reconstructions of `slices` slices of a minibatch, which lack a part of the projections; _again: with
 * another prior. */
SinoStatus sino_halves_prepare(SinoHalvesSearch *search, int64_t slices, SinoRegularization regularization);
SinoStatus sino_halves_prepare_again(SinoHalvesSearch *search, int64_t slices, SinoRegularization regularization);

static inline double sino_halves_value(SinoSlices slices, int64_t rows, int64_t row, int64_t slice, const void *vector)
{
    const int64_t at = sino_panel_element(slices, rows, row, slice);
    return slices.precision == SINO_DOUBLE ? ((const double *)vector)[at] : (double)((const float *)vector)[at];
}

/* The strength of a step, which is below SINO_STRENGTHS: that of search->run times 2^(step − SINO_STRENGTHS/2). */
static inline double sino_halves_strength(const SinoHalvesSearch *search, int64_t step)
{
    const int64_t middle = SINO_STRENGTHS / 2;
    return search->run.regularization.strength * exp2((double)(step - middle));
}

/* Strengths that are tried at a time take the slices of a minibatch, or, of fans, those of the operator. */
static inline int64_t sino_halves_fans(const SinoHalvesSearch *search)
{
    const SinoCone *cone = search->op->problem.cone;
    return cone ? cone->z_count : 1;
}

/* Whether slice f has a value of angle k in column c, which matters of fans alone. */
static inline bool sino_halves_has(const SinoHalvesSearch *search, int64_t f, int64_t k, int64_t c)
{
    const SinoProblem *problem = &search->op->problem;
    const int64_t i = problem->cone ? k * problem->geometry.column_count + c : k;
    return search->part[i] != f % search->folds * (search->parts / SINO_HALVES);
}

/* A minibatch of so many slices. */
SinoStatus sino_halves_minibatch(const SinoHalvesSearch *search, const SinoSolver *solver, int64_t slices,
                                 SinoMinibatch **minibatch);

/* Waits for the minibatch's tasks and fills its sinograms; angles that a slice lacks have no value, which −0 says
 * (correct.h). */
SinoStatus sino_halves_fill(const SinoHalvesSearch *search, SinoMinibatch *minibatch);

/* The first least one of difference[begin] … difference[end − 1]. */
int64_t sino_halves_best(const double *difference, int64_t begin, int64_t end);

/* Reconstructs slices with `count` steps of the strength from the lowest on, one minibatch for each step and half, and
 * calls `use` with the first row of each projection that a slice lacks: slice 2i + half has step lowest + i. */
typedef void SinoUsePrediction(SinoHalvesSearch *search, int64_t step, int64_t angle, SinoSlices slices, int64_t rows,
                               int64_t row, const void *projection);
SinoStatus sino_halves_normal_try(SinoHalvesSearch *search, int64_t lowest, int64_t count, SinoUsePrediction *use);

/* Halves, the strength of a prior: with which slices predict best the projections that they lack. */

/* The strength is 2^exponent times that of search->run, and leaves this sum of squares (SinoHalvesSearch.difference).
 */
typedef struct SinoHalvesBest {
    double exponent, difference;
} SinoHalvesBest;

/* Tries `count` powers of two, `below` of them below 1, and then half as many at a time, or, of fans, as many, until
 * the best one has neighbours or leaves no less than `promising`. */
SinoStatus sino_halves_descend(SinoHalvesSearch *search, int64_t count, int64_t below, double promising,
                               SinoHalvesBest *found);

/* Whether slices of the strength 2^exponent that have no bound below predict projections far better than those of the
 * search, whose bound is 0. If so, the search goes on without. */
SinoStatus sino_halves_deny(SinoHalvesSearch *search, double exponent, bool *denied);
