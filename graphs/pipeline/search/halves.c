/* SPDX-License-Identifier: BSD-3-Clause */
/* Halves: the prior that a slice decides, which is reconstructed from a part of the projections. */
#include "arithmetic.h"
#include "halves_private.h"
#include "simulation.h"

#include <math.h>

typedef SinoHalvesSearch Search;

/* In units of √(angles) times the root mean square of the line integrals; about what 1 % of noise asks for. */
static const double usual = 0.015;

static double mean_square(const SinoGeometry *geometry, const float *sinogram)
{
    const int64_t rays = sino_times(geometry->angle_count, geometry->column_count);
    double sum = 0;
    for (int64_t i = 0; i < rays; i++) sum += (double)sinogram[i] * (double)sinogram[i];
    return sum / (double)rays;
}

double sino_halves_rounded(double value, double natural)
{
    const double unit = pow(10, floor(log10(value / natural)) - 1);
    return value > 0 ? nearbyint(value / natural / unit) * unit * natural : 0;
}

/* The strength that predicts the left-out rays of a fan best is half of the one that is nearest to the truth, or up to
 * all of it, where pixels average rays, and a fourth of it where a phantom's rays are lines (docs/lab/cones.md). */
static const double growth_of_fans = 1.4;

/* Where angles are fewer than a quarter of the columns, slices are nearer to the truth by a stronger prior than by the
 * one that predicts left-out projections best (docs/lab/images.md). */
static const double growth_of_few = 1.2;

static double growth_of(const SinoProblem *problem)
{
    if (problem->cone) return growth_of_fans;
    return problem->geometry.column_count > SINO_COLUMNS_OF_AN_ANGLE * problem->geometry.angle_count ? growth_of_few
                                                                                                     : 1;
}

/* How much stronger the prior should be with all projections than with a share of them, of which slices in the search
 * lack a part: noise in the gradient grows as the square root of their number. Streaks of too few projections do not,
 * where less than all that the columns need have been taken, π/2 times as many. */
static double growth(const Search *search)
{
    const SinoGeometry *geometry = &search->of.op->problem.geometry;
    const double parts = (double)search->parts, needed = SINO_PI / 2 * (double)geometry->column_count;
    const double step = (double)search->of.step, angles = (double)geometry->angle_count;
    return growth_of(&search->of.op->problem) * pow(parts / (parts - 1), 0.5 * fmin(1, angles / needed)) *
           pow(step, 0.5 * fmin(1, angles / step / needed));
}

/* Strengths that a search begins with. Of large slices each costs nearly as much beside others as alone. */
static int64_t strengths_of(const Search *search)
{
    enum { LARGE = 384, FEW = 2 };
    const SinoOperator *op = search->op;
    const int64_t most = sino_halves_strengths(op->kind);
    const int64_t fitting = sino_larger(sino_smaller(search->of.width / search->folds, most), 1);
    if (op->problem.cone) return sino_halves_fans(search);
    return most == SINO_HALVES_STEPS && op->problem.geometry.column_count >= LARGE ? sino_smaller(fitting, FEW)
                                                                                   : fitting;
}

/* Finds the strength, and what the best trial leaves. */
static SinoStatus find_strength(Search *search, SinoRegularization *found, double *least)
{
    const SinoHalvesRequest *of = &search->of;
    const double binning = (double)of->binning;
    SINO_TRY(sino_halves_narrow(search));
    const SinoGeometry *geometry = &search->op->problem.geometry;
    const double size =
        SINO_SIMULATES ? 1 : sqrt((double)geometry->angle_count * mean_square(geometry, search->sinogram));
    const int64_t fans = sino_halves_fans(search), count = strengths_of(search);
    const int64_t below = 5 * count / 8;
    SinoHalvesBest best;
    found->strength = 0;
    if (!(size > 0)) return NULL;
    search->first = usual * size * (search->weights ? search->given.scale : 1);
    SinoRegularization first = *found;
    first.strength = search->first / binning; /* halves.h */
    first.threshold *= binning;
    first.rising = fans > 1;
    search->parts = sino_halves_parts(geometry->angle_count);
    SINO_TRY(sino_halves_prepare(search, fans > 1 ? 1 : sino_times(search->folds, count), first));
    SINO_TRY(sino_halves_descend(search, count, below, INFINITY, &best));
    if (of->settings->solver.nonnegativity == SINO_NONNEGATIVITY_AUTO &&
        sino_settings_nonnegative(&of->settings->solver))
        SINO_TRY(sino_halves_deny(search, best.exponent, &found->negative));
    if (found->negative) SINO_TRY(sino_halves_descend(search, count, below, INFINITY, &best));
    search->first *= exp2(best.exponent);
    found->strength = sino_halves_rounded(growth(search) * search->first, of->input->unit);
    *least = best.difference;
    return NULL;
}

/* Takes another prior in place of the one whose best trial leaves `least`, if it predicts better. It is tried with
 * `stronger` times the best strength so far, and with others if this is `promising` (docs/lab/images.md). */
static SinoStatus try_other(Search *search, double least, SinoRegularization *other, SinoRegularization *found)
{
    static const double stronger = 1.9, promising = 1.01;
    const double binning = (double)search->of.binning;
    SinoRegularization tried = *other;
    SinoHalvesBest best;
    tried.strength = stronger * search->first / binning;
    tried.threshold *= binning;
    SINO_TRY(sino_halves_prepare_again(search, search->folds, tried));
    SINO_TRY(sino_halves_descend(search, 1, 0, promising * least, &best));
    if (!(best.difference < least)) return NULL;
    other->strength =
        sino_halves_rounded(growth(search) * stronger * search->first * exp2(best.exponent), search->of.input->unit);
    other->negative = found->negative;
    *found = *other;
    return NULL;
}

/* Voxels between two rays at the axis. */
static double spacing(const SinoCone *cone)
{
    return cone ? cone->pixel_width * cone->source_object / cone->source_detector / cone->voxel_size : 1;
}

/* The value of a disk with the mass M of the slice and the mean E of the sums of the squares of a projection's line
 * integrals: M = π μ R², E = 16/3 μ² R³. 0: the slice has no mass. */
static double typical_value(const SinoProblem *problem, const float *sinogram)
{
    const SinoGeometry *geometry = &problem->geometry;
    const double width = spacing(problem->cone);
    const int64_t rays = sino_times(geometry->angle_count, geometry->column_count);
    const double angles = (double)geometry->angle_count, columns = (double)geometry->column_count;
    double mass = 0;
    if (SINO_SIMULATES) return 1; /* of values that there are not */
    for (int64_t i = 0; i < rays; i++) mass += width * (double)sinogram[i] / angles;
    if (!(mass > 0)) return 0;
    const double root = 3 * width * columns * mean_square(geometry, sinogram) / 16 / pow(mass / SINO_PI, 1.5);
    return root * root;
}

static SinoStatus find_threshold(const Search *search, SinoRegularization *found)
{
    const double given = search->of.settings->prior.threshold;
    const double typical = typical_value(&search->of.op->problem, search->sinogram);
    SINO_CHECK(
        typical > 0, SINO_BAD_INPUT,
        "the line integrals of the slice that decides sum to 0 or less, so that differences of its voxels have no "
        "measure; allowed: --prior total-variation");
    found->threshold =
        sino_halves_rounded(typical * (isnan(given) ? SINO_USUAL_THRESHOLD : given), search->of.input->unit);
    return NULL;
}

/* Whether the prior is a choice of the search. */
static bool is_open(const Search *search)
{
    const SinoHalvesRequest *of = &search->of;
    return of->settings->prior.kind == SINO_PRIOR_AUTO && of->settings->prior.dimensions != 3 &&
           isnan(of->settings->prior.regularization) && of->width > 1 && !of->normal && !of->op->problem.cone &&
           typical_value(&of->op->problem, search->sinogram) > 0;
}

static SinoStatus find_regularization(Search *search, int64_t slice, SinoRegularization *found)
{
    const SinoSettings *settings = search->of.settings;
    SINO_TRY(sino_halves_take(search, slice, 0));
    *found =
        (SinoRegularization){.prior = sino_prior_first(&settings->prior), .strength = settings->prior.regularization};
    if (found->prior != SINO_PRIOR_TOTAL_VARIATION) SINO_TRY(find_threshold(search, found));
    if (!isnan(found->strength)) return NULL;
    SinoRegularization other = {.prior = SINO_PRIOR_OF_QGGMRF};
    const bool open = is_open(search);
    double least = 0;
    if (open) SINO_TRY(find_threshold(search, &other)); /* before columns are averaged */
    SINO_TRY(find_strength(search, found, &least));
    return open && found->strength > 0 ? try_other(search, least, &other, found) : NULL;
}

SinoStatus sino_halves_regularization(const SinoHalvesRequest *request, int64_t slice, SinoRegularization *found)
{
    Search search;
    SinoStatus status = sino_halves_begin(request, 1, &search);
    if (!status) status = find_regularization(&search, slice, found);
    status = sino_runtime_wait_after(request->runtime, status);
    sino_halves_end(&search);
    return status;
}
