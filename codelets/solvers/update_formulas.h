/* SPDX-License-Identifier: BSD-3-Clause */
/* Update, formula by formula: the arithmetic of the solvers between two SpMMs, written once for CPU cores
 * (update_tmpl.c), GPUs (update_cuda.cu) and OpenCL devices (update.cl), in the common subset of C, CUDA C++ and OpenCL
 * C.
 *
 * A *formula* is applied to every element of some vectors, and may compute sums. A *rule* is applied to the state of
 * every slice once its sums are known. Each one is a function and a row of a list below. A solver that needs a new one
 * adds both, and calls sino_insert_update or sino_insert_update_slices (tasks/solvers/solvers_tasks.h). */
#pragma once

#ifndef __OPENCL_C_VERSION__
#include "update_slice.h"
#endif

/* Access of a formula to a vector: load, store, or both; and access in the `first` call, when the vector has no values
 * yet. A vector has one element per row and slice, a BY_ROW vector one per row. */
enum {
    SINO_LOADED = 1,
    SINO_STORED = 2,
    SINO_LOADED_FIRST = 4,
    SINO_STORED_FIRST = 8,
    SINO_EACH_ROW = 16,

    SINO_NO_VECTOR = 0,
    SINO_VECTOR_READ = SINO_LOADED | SINO_LOADED_FIRST,
    SINO_VECTOR_WRITE = SINO_STORED | SINO_STORED_FIRST,
    SINO_VECTOR_CHANGE = SINO_VECTOR_READ | SINO_VECTOR_WRITE,
    SINO_VECTOR_CHANGE_OR_WRITE = SINO_LOADED | SINO_VECTOR_WRITE, /* first: written; 0 is read */
    SINO_VECTOR_READ_OR_WRITE = SINO_LOADED | SINO_STORED_FIRST,   /* first: written; 0 is read */
    SINO_VECTOR_BY_ROW = SINO_VECTOR_READ | SINO_EACH_ROW
};

enum { SINO_UPDATE_VECTORS = 4, SINO_UPDATE_ARGUMENTS = 3 };

/* ROW(function sino_formula_…, enumerator SINO_UPDATE_…, task name in traces, access to four vectors, number of sums,
 * whether the formula reads the slices' states). OpenCL C has no variadic macros, so every ROW has these nine
 * parameters. */
#define SINO_UPDATE_FORMULAS(ROW)                                                                                      \
    ROW(square, SQUARE, "update_sums", SINO_VECTOR_READ, SINO_NO_VECTOR, SINO_NO_VECTOR, SINO_NO_VECTOR, 1, 0)         \
    ROW(product, PRODUCT, "update_sums", SINO_VECTOR_READ, SINO_VECTOR_READ, SINO_NO_VECTOR, SINO_NO_VECTOR, 2, 0)     \
    ROW(weighted_product, WEIGHTED_PRODUCT, "update_sums", SINO_VECTOR_READ, SINO_VECTOR_READ, SINO_NO_VECTOR,         \
        SINO_NO_VECTOR, 2, 0)                                                                                          \
    ROW(ones, ONES, "weights_ones", SINO_VECTOR_WRITE, SINO_NO_VECTOR, SINO_NO_VECTOR, SINO_NO_VECTOR, 0, 0)           \
    ROW(zero, ZERO, "update_zero", SINO_VECTOR_WRITE, SINO_NO_VECTOR, SINO_NO_VECTOR, SINO_NO_VECTOR, 0, 0)            \
    ROW(reciprocal, RECIPROCAL, "weights_reciprocal", SINO_VECTOR_CHANGE, SINO_NO_VECTOR, SINO_NO_VECTOR,              \
        SINO_NO_VECTOR, 0, 0)                                                                                          \
    ROW(share, SHARE, "weights_share", SINO_VECTOR_READ, SINO_VECTOR_WRITE, SINO_NO_VECTOR, SINO_NO_VECTOR, 0, 0)      \
    ROW(residual_cg, RESIDUAL_CG, "update_residual_cg", SINO_VECTOR_READ, SINO_VECTOR_CHANGE, SINO_NO_VECTOR,          \
        SINO_NO_VECTOR, 1, 1)                                                                                          \
    ROW(voxels_cg, VOXELS_CG, "update_voxels_cg", SINO_VECTOR_READ, SINO_VECTOR_READ_OR_WRITE,                         \
        SINO_VECTOR_CHANGE_OR_WRITE, SINO_VECTOR_CHANGE_OR_WRITE, 0, 1)                                                \
    ROW(along_cg, ALONG_CG, "update_sums", SINO_VECTOR_READ, SINO_VECTOR_READ, SINO_VECTOR_READ, SINO_NO_VECTOR, 2, 0) \
    ROW(gradient_cg, GRADIENT_CG, "update_gradient_cg", SINO_VECTOR_READ, SINO_VECTOR_CHANGE, SINO_VECTOR_READ,        \
        SINO_NO_VECTOR, 2, 1)                                                                                          \
    ROW(start_weighted_cg, START_WEIGHTED_CG, "update_weigh_rays", SINO_VECTOR_CHANGE, SINO_VECTOR_WRITE,              \
        SINO_NO_VECTOR, SINO_NO_VECTOR, 0, 0)                                                                          \
    ROW(start_given_cg, START_GIVEN_CG, "update_weigh_rays", SINO_VECTOR_CHANGE, SINO_VECTOR_CHANGE, SINO_NO_VECTOR,   \
        SINO_NO_VECTOR, 0, 0)                                                                                          \
    ROW(product_weighted_cg, PRODUCT_WEIGHTED_CG, "update_sums", SINO_VECTOR_READ, SINO_VECTOR_READ, SINO_VECTOR_READ, \
        SINO_NO_VECTOR, 2, 0)                                                                                          \
    ROW(residual_weighted_cg, RESIDUAL_WEIGHTED_CG, "update_residual_cg", SINO_VECTOR_READ, SINO_VECTOR_READ,          \
        SINO_VECTOR_CHANGE, SINO_NO_VECTOR, 1, 1)                                                                      \
    ROW(residual_sirt, RESIDUAL_SIRT, "update_residual_sirt", SINO_VECTOR_READ, SINO_VECTOR_BY_ROW,                    \
        SINO_VECTOR_CHANGE_OR_WRITE, SINO_NO_VECTOR, 1, 0)                                                             \
    ROW(voxels_sirt, VOXELS_SIRT, "update_voxels_sirt", SINO_VECTOR_READ, SINO_VECTOR_BY_ROW,                          \
        SINO_VECTOR_CHANGE_OR_WRITE, SINO_NO_VECTOR, 0, 1)                                                             \
    ROW(residual_weighted_sirt, RESIDUAL_WEIGHTED_SIRT, "update_residual_sirt", SINO_VECTOR_READ, SINO_VECTOR_BY_ROW,  \
        SINO_VECTOR_CHANGE_OR_WRITE, SINO_NO_VECTOR, 1, 0)                                                             \
    ROW(voxels_weighted_sirt, VOXELS_WEIGHTED_SIRT, "update_voxels_sirt", SINO_VECTOR_READ, SINO_VECTOR_READ,          \
        SINO_VECTOR_CHANGE_OR_WRITE, SINO_NO_VECTOR, 0, 1)                                                             \
    ROW(residual_given_sirt, RESIDUAL_GIVEN_SIRT, "update_residual_sirt", SINO_VECTOR_READ, SINO_VECTOR_BY_ROW,        \
        SINO_VECTOR_CHANGE_OR_WRITE, SINO_VECTOR_READ, 1, 0)                                                           \
    ROW(total_mlem, TOTAL_MLEM, "update_total_mlem", SINO_VECTOR_READ, SINO_NO_VECTOR, SINO_NO_VECTOR, SINO_NO_VECTOR, \
        2, 0)                                                                                                          \
    ROW(start_mlem, START_MLEM, "update_start_mlem", SINO_VECTOR_BY_ROW, SINO_VECTOR_CHANGE_OR_WRITE, SINO_NO_VECTOR,  \
        SINO_NO_VECTOR, 0, 1)                                                                                          \
    ROW(ratio_mlem, RATIO_MLEM, "update_ratio_mlem", SINO_VECTOR_READ, SINO_VECTOR_CHANGE, SINO_NO_VECTOR,             \
        SINO_NO_VECTOR, 2, 0)                                                                                          \
    ROW(voxels_mlem, VOXELS_MLEM, "update_voxels_mlem", SINO_VECTOR_READ, SINO_VECTOR_BY_ROW, SINO_VECTOR_CHANGE,      \
        SINO_NO_VECTOR, 0, 1)                                                                                          \
    ROW(weigh_rays, WEIGH_RAYS, "update_weigh_rays", SINO_VECTOR_READ, SINO_VECTOR_WRITE, SINO_NO_VECTOR,              \
        SINO_NO_VECTOR, 0, 0)                                                                                          \
    ROW(admit_rays, ADMIT_RAYS, "update_weigh_rays", SINO_VECTOR_READ, SINO_VECTOR_CHANGE, SINO_NO_VECTOR,             \
        SINO_NO_VECTOR, 0, 0)                                                                                          \
    ROW(majorise, MAJORISE, "update_majorise", SINO_VECTOR_BY_ROW, SINO_VECTOR_READ, SINO_VECTOR_WRITE,                \
        SINO_NO_VECTOR, 0, 0)                                                                                          \
    ROW(curvature, CURVATURE, "update_sums", SINO_VECTOR_READ, SINO_NO_VECTOR, SINO_NO_VECTOR, SINO_NO_VECTOR, 1, 0)   \
    ROW(weigh, WEIGH, "update_majorise", SINO_VECTOR_READ, SINO_VECTOR_CHANGE, SINO_NO_VECTOR, SINO_NO_VECTOR, 0, 0)   \
    ROW(growth, GROWTH, "update_sums", SINO_VECTOR_READ, SINO_VECTOR_READ, SINO_NO_VECTOR, SINO_NO_VECTOR, 1, 1)       \
    ROW(accumulate, ACCUMULATE, "update_accumulate", SINO_VECTOR_READ, SINO_VECTOR_CHANGE_OR_WRITE, SINO_NO_VECTOR,    \
        SINO_NO_VECTOR, 0, 0)                                                                                          \
    ROW(support, SUPPORT, "update_support", SINO_VECTOR_BY_ROW, SINO_VECTOR_CHANGE, SINO_NO_VECTOR, SINO_NO_VECTOR, 0, \
        0)                                                                                                             \
    ROW(start_fista, START_FISTA, "update_start_fista", SINO_VECTOR_CHANGE, SINO_VECTOR_WRITE, SINO_NO_VECTOR,         \
        SINO_NO_VECTOR, 0, 0)                                                                                          \
    ROW(residual_fista, RESIDUAL_FISTA, "update_residual_fista", SINO_VECTOR_READ, SINO_VECTOR_READ,                   \
        SINO_VECTOR_CHANGE, SINO_NO_VECTOR, 1, 0)                                                                      \
    ROW(descend_fista, DESCEND_FISTA, "update_descend_fista", SINO_VECTOR_READ, SINO_VECTOR_CHANGE, SINO_NO_VECTOR,    \
        SINO_NO_VECTOR, 0, 1)                                                                                          \
    ROW(descend_normal, DESCEND_NORMAL, "update_descend_fista", SINO_VECTOR_READ, SINO_VECTOR_READ, SINO_VECTOR_READ,  \
        SINO_VECTOR_WRITE, 2, 1)                                                                                       \
    ROW(voxels_fista, VOXELS_FISTA, "update_voxels_fista", SINO_VECTOR_READ, SINO_VECTOR_CHANGE, SINO_VECTOR_CHANGE,   \
        SINO_NO_VECTOR, 2, 1)

typedef enum SinoUpdateFormula {
#define ROW(name, NAME, task, a, b, c, d, sums, state) SINO_UPDATE_##NAME,
    SINO_UPDATE_FORMULAS(ROW)
#undef ROW
        SINO_UPDATE_FORMULA_COUNT
} SinoUpdateFormula;

/* ROW(function sino_rule_…, enumerator SINO_RULE_…, task name in traces). */
#define SINO_UPDATE_RULES(ROW)                                                                                         \
    ROW(step_cg, STEP_CG, "update_step")                                                                               \
    ROW(step_given, STEP_GIVEN, "update_step")                                                                         \
    ROW(step_normal, STEP_NORMAL, "update_step")                                                                       \
    ROW(direction_cg, DIRECTION_CG, "update_direction")                                                                \
    ROW(scale_mlem, SCALE_MLEM, "update_scale_mlem")                                                                   \
    ROW(typical_bsrem, TYPICAL_BSREM, "update_typical_bsrem")                                                          \
    ROW(gain_fista, GAIN_FISTA, "update_gain_fista")                                                                   \
    ROW(step_given_fista, STEP_GIVEN_FISTA, "update_step_fista")                                                       \
    ROW(step_fista, STEP_FISTA, "update_step_fista")                                                                   \
    ROW(step_volume, STEP_VOLUME, "update_step_fista")                                                                 \
    ROW(lengthen_fista, LENGTHEN_FISTA, "update_step_fista")                                                           \
    ROW(prior_fista, PRIOR_FISTA, "update_prior_fista")                                                                \
    ROW(strength_fista, STRENGTH_FISTA, "update_strength_fista")                                                       \
    ROW(momentum_fista, MOMENTUM_FISTA, "update_momentum_fista")

typedef enum SinoUpdateRule {
#define ROW(name, NAME, task) SINO_RULE_##NAME,
    SINO_UPDATE_RULES(ROW)
#undef ROW
        SINO_UPDATE_RULE_COUNT
} SinoUpdateRule;

/* Names of the scalars of a slice's state, by solver, and of a slice's sums. */
enum {
    SINO_CG_OVERLAP, /* the share of g0 in Aᵀr that rounding has left: (Aᵀr)·g0/‖g0‖² */
    SINO_CG_NORM0,   /* ‖g0‖² */
    SINO_CG_GAMMA,   /* ‖Aᵀr‖² of the last iteration */
    SINO_CG_STEP,    /* step length along d; 0 once the slice has stopped */
    SINO_CG_BETA,    /* weight of the previous direction in the next one */
    SINO_CG_GAIN     /* CG on the normal equations: ‖b‖² − ‖Ax − b‖² */
};
enum {
    SINO_MLEM_START,   /* the value of every voxel at the start */
    SINO_BSREM_TYPICAL /* a typical value of x: its mean with weights x */
};
enum {
    SINO_FISTA_STEP,               /* 1/(L + strength·curvature) */
    SINO_FISTA_THRESHOLD,          /* θ = strength of the prior·step */
    SINO_FISTA_T,                  /* t of the next iteration */
    SINO_FISTA_BETA,               /* weight of the last change of x in y */
    SINO_FISTA_CURVATURE,          /* of a smooth prior of strength 1; 0: total variation */
    SINO_FISTA_DUAL,               /* in 3-D: length of the steps of the dual vectors (variation.h) */
    SINO_FISTA_GAIN = SINO_CG_GAIN /* on the normal equations, never in 3-D: ‖b‖² − ‖A y − b‖² */
};
enum { SINO_SUM_SQUARE, SINO_SUM_PRODUCT, SINO_SUM_TOTAL = SINO_SUM_PRODUCT, SINO_SUM_LIKELIHOOD = SINO_SUM_PRODUCT };

/* CG (CGLS: M. Hestenes and E. Stiefel, J. Res. NBS 49, 409 (1952)): the step length that minimises the residual,
 * (r·q)/(q·q) with q = A d, from the sums Σ q², Σ q·r. A slice with q = 0 cannot improve further and stops. */
SINO_INLINE void sino_rule_step_cg(SinoSliceState *state, const SinoSliceSums *sums, double argument, bool first)
{
    (void)argument, (void)first;
    const double square = sums->sum[SINO_SUM_SQUARE];
    if (!(square > 0)) state->stopped = 1;
    state->scalar[SINO_CG_STEP] = state->stopped ? 0 : sums->sum[SINO_SUM_PRODUCT] / square;
}

/* CG: the step length is the argument. Sums are not read. */
SINO_INLINE void sino_rule_step_given(SinoSliceState *state, const SinoSliceSums *sums, double argument, bool first)
{
    (void)sums, (void)first;
    state->scalar[SINO_CG_STEP] = argument;
}

/* CG on the normal equations: the step length (d·g)/(d·q) with q = AᵀA d, from the sums Σ d·q, Σ d·g, and by how much
 * it lowers ‖Ax − b‖². */
SINO_INLINE void sino_rule_step_normal(SinoSliceState *state, const SinoSliceSums *sums, double argument, bool first)
{
    sino_rule_step_cg(state, sums, argument, first);
    state->scalar[SINO_CG_GAIN] += state->scalar[SINO_CG_STEP] * sums->sum[SINO_SUM_PRODUCT];
}

#ifndef __OPENCL_C_VERSION__ /* OpenCL devices have no normal operator */
/* ‖Ax − b‖² of CG and FISTA on the normal equations, as SINO_SUM_SQUARE. */
SINO_INLINE SinoSliceSums sino_slice_residual(const SinoSliceState *state)
{
    const double left = state->residual0 - state->scalar[SINO_CG_GAIN];
    SinoSliceSums sums = {{0}};
    sums.sum[SINO_SUM_SQUARE] = left > 0 ? left : 0;
    return sums;
}
#endif

/* In exact arithmetic CG's gradients are orthogonal to the first one, g0 = Aᵀb. A's largest singular vectors amplify
 * rounding errors, so that CG in single precision soon repeats directions. The rule therefore removes the share of g0
 * from g: overlap, beta and gamma are those of g − overlap·g0, from the sums Σ g², Σ g·g0. `first`: g is g0 itself. */
SINO_INLINE void sino_rule_direction_cg(SinoSliceState *state, const SinoSliceSums *sums, double argument, bool first)
{
    const double square = sums->sum[SINO_SUM_SQUARE], along = sums->sum[SINO_SUM_PRODUCT];
    const double gamma = state->scalar[SINO_CG_GAMMA];
    (void)argument;
    if (first) state->scalar[SINO_CG_NORM0] = square;
    const double norm0 = state->scalar[SINO_CG_NORM0];
    const double overlap = norm0 > 0 ? along / norm0 : 0;
    const double rest = fmax(square - overlap * along, 0.0);
    state->scalar[SINO_CG_OVERLAP] = overlap;
    state->scalar[SINO_CG_BETA] = gamma > 0 ? rest / gamma : 0;
    state->scalar[SINO_CG_GAMMA] = rest;
}

/* Start value of MLEM: counts spread evenly, Σb/Σs; argument = Σs, the sum of the sensitivities of all voxels. */
SINO_INLINE void sino_rule_scale_mlem(SinoSliceState *state, const SinoSliceSums *sums, double argument, bool first)
{
    (void)first;
    state->scalar[SINO_MLEM_START] = argument > 0 ? sums->sum[SINO_SUM_TOTAL] / argument : 0;
}

/* BSREM: the typical value of x, from the sums Σ x², Σ x. */
SINO_INLINE void sino_rule_typical_bsrem(SinoSliceState *state, const SinoSliceSums *sums, double argument, bool first)
{
    const double total = sums->sum[SINO_SUM_TOTAL];
    (void)argument, (void)first;
    state->scalar[SINO_BSREM_TYPICAL] = total > 0 ? sums->sum[SINO_SUM_SQUARE] / total : 0;
}

/* The gain of FISTA on the normal equations, from the sums of sino_formula_descend_normal. */
SINO_INLINE void sino_rule_gain_fista(SinoSliceState *state, const SinoSliceSums *sums, double argument, bool first)
{
    (void)argument, (void)first;
    state->scalar[SINO_FISTA_GAIN] = sums->sum[SINO_SUM_PRODUCT];
}

/* FISTA: the step length 1/L; a slice with L = 0 stops. The first iteration after this rule has no momentum. Sums are
 * not read. argument: L. */
SINO_INLINE void sino_rule_step_given_fista(SinoSliceState *state, const SinoSliceSums *sums, double argument,
                                            bool first)
{
    (void)sums, (void)first;
    if (!(argument > 0)) state->stopped = 1;
    state->scalar[SINO_FISTA_STEP] = argument > 0 ? 1 / argument : 0;
    state->scalar[SINO_FISTA_T] = (1 + sqrt(5.0)) / 2;
    state->scalar[SINO_FISTA_BETA] = 0;
}

/* FISTA: the step length 1/L of Σ ½ w (A x − b)², where L is at least the largest eigenvalue of AᵀW A, at most 1.1
 * times the largest (AᵀW A 1)_j, for Σ_j r_j⁶⁴ of r_j = (AᵀW A 1)_j/argument is at least the largest r_j⁶⁴ (all entries
 * of AᵀW A are ≥ 0, so that no eigenvalue exceeds the largest sum of a row). argument: the largest (AᵀA 1)_j, so that r
 * ≤ 1. A slice without weights stops. */
SINO_INLINE void sino_rule_step_fista(SinoSliceState *state, const SinoSliceSums *sums, double argument, bool first)
{
    sino_rule_step_given_fista(state, sums, argument * pow(sums->sum[SINO_SUM_SQUARE], 1.0 / 64), first);
}

/* FISTA in 3-D: the same for slices that the prior ties together. A slice without data, whose L is 0, goes towards
 * those beside it: any L does, and a smaller one than theirs would shorten the steps of their dual vectors. */
SINO_INLINE void sino_rule_step_volume(SinoSliceState *state, const SinoSliceSums *sums, double argument, bool first)
{
    const int64_t stopped = state->stopped;
    sino_rule_step_fista(state, sums, argument, first);
    state->stopped = stopped;
    if (!(state->scalar[SINO_FISTA_STEP] > 0) && argument > 0) state->scalar[SINO_FISTA_STEP] = 1 / argument;
}

/* FISTA: lowers L to the largest (M g)_j/g_j, with M = AᵀW A and g = M 1. No eigenvalue of a matrix M with entries ≥ 0
 * exceeds that quotient, whatever g > 0 is (L. Collatz, Math. Z. 48, 221 (1942)). The sum is Σ r_j²⁵⁶ of the quotients
 * r_j = (M g)_j/(L g_j) ≤ 1. Its 256th root is at least the largest r_j, and at most 1.07 times as much for 4096²
 * voxels. If the sum is 0, all powers were too small for a double, and L stays. argument: the share of the rays that M
 * has; L becomes that of all of them. */
SINO_INLINE void sino_rule_lengthen_fista(SinoSliceState *state, const SinoSliceSums *sums, double argument, bool first)
{
    (void)first;
    const double largest = pow(sums->sum[SINO_SUM_SQUARE], 1.0 / 256);
    state->scalar[SINO_FISTA_STEP] *= argument / (largest > 0 && largest < 1 ? largest : 1);
}

/* Sets the strength of the prior: the step length becomes the inverse of L + strength·curvature of the prior. Any
 * number of times after sino_rule_step_fista. */
SINO_INLINE void sino_fista_set_strength(SinoSliceState *state, double strength)
{
    const double step = state->scalar[SINO_FISTA_STEP], curvature = state->scalar[SINO_FISTA_CURVATURE];
    const double more = curvature * (step * strength - state->scalar[SINO_FISTA_THRESHOLD]);
    state->scalar[SINO_FISTA_STEP] = step / (1 + more);
    state->scalar[SINO_FISTA_THRESHOLD] = strength * state->scalar[SINO_FISTA_STEP];
}

/* The strength of the prior: argument. Sums are not read. */
SINO_INLINE void sino_rule_strength_fista(SinoSliceState *state, const SinoSliceSums *sums, double argument, bool first)
{
    (void)sums, (void)first;
    sino_fista_set_strength(state, argument);
}

/* Which prior, before its strength: argument is the largest eigenvalue of the Hessian of a smooth prior of strength 1,
 * whose gradient is added to that of the residual; 0 for total variation, whose steps are proximal. Sums are not read.
 */
SINO_INLINE void sino_rule_prior_fista(SinoSliceState *state, const SinoSliceSums *sums, double argument, bool first)
{
    (void)sums, (void)first;
    state->scalar[SINO_FISTA_CURVATURE] = argument;
    state->scalar[SINO_FISTA_THRESHOLD] = 0;
}

/* The weight β of the next update. It grows as that of FISTA (A. Beck and M. Teboulle, SIAM J. Imaging Sci. 2, 183
 * (2009)) until the last change of x points away from the descent, Σ (y − u)(u − x) > 0; then it starts again (gradient
 * restart: B. O'Donoghue and E. Candès, Found. Comput. Math. 15, 715 (2015)). t is at most the argument. */
SINO_INLINE void sino_rule_momentum_fista(SinoSliceState *state, const SinoSliceSums *sums, double argument, bool first)
{
    (void)first;
    const double t = sums->sum[SINO_SUM_PRODUCT] > 0 ? 1 : fmin(state->scalar[SINO_FISTA_T], argument);
    const double next = (1 + sqrt(1 + 4 * t * t)) / 2;
    state->scalar[SINO_FISTA_T] = next;
    state->scalar[SINO_FISTA_BETA] = (t - 1) / next;
}

/* Calls the rule with this number. */
SINO_INLINE void sino_rule_apply(int rule, SinoSliceState *state, const SinoSliceSums *sums, double argument,
                                 bool first)
{
    switch (rule) {
#define ROW(name, NAME, task)                                                                                          \
    case SINO_RULE_##NAME:                                                                                             \
        sino_rule_##name(state, sums, argument, first);                                                                \
        break;
        SINO_UPDATE_RULES(ROW)
#undef ROW
    default:
        break;
    }
}

/* Formulas need the element type REAL: a macro in C and OpenCL C, a template parameter in CUDA C++ sources that define
 * SINO_UPDATE_TEMPLATES. */
#if defined REAL || defined SINO_UPDATE_TEMPLATES

#if !defined __cplusplus && !defined __OPENCL_C_VERSION__
#include <tgmath.h> /* copysign of REAL, as CUDA C++ and OpenCL C have it */
#endif

#ifdef __cplusplus
#define SINO_FORMULA       template <class REAL> SINO_INLINE void
#define SINO_FORMULA_VALUE template <class REAL> SINO_INLINE REAL
#define SINO_ELEMENT       const SinoElement<REAL>
template <class REAL> struct SinoElement {
#else
#define SINO_FORMULA       SINO_INLINE void
#define SINO_FORMULA_VALUE SINO_INLINE REAL
#define SINO_ELEMENT       const SinoElement
typedef struct SinoElement {
#endif
    /* Inputs of a formula beside the elements v of its vectors, which have the order of its row. */
    REAL scalar[SINO_SLICE_SCALARS];      /* of the slice; 0 for padding */
    REAL argument[SINO_UPDATE_ARGUMENTS]; /* of the call */
    REAL going;                           /* 1: the slice continues; 0: it has stopped, or is padding */
    bool first;
#ifdef __cplusplus
};
#else
} SinoElement;
#endif

/* The weight of a ray: 1, or 0 if it has no value. A ray without a value is −0; every other zero of a sinogram, and of
 * CG's residual, is +0 (correct.h). The mark costs no memory: products and sums take it as the 0 that the residual of
 * such a ray is. Compilers vectorise copysign, where they do not vectorise signbit. */
SINO_FORMULA_VALUE sino_formula_weight(REAL ray)
{
    const REAL sign = copysign((REAL)1, ray);
    const bool marked = (ray == 0) & (sign < 0); /* & vectorises, && does not */
    return marked ? 0 : 1;
}

/* The share of the photons that the object lets through, exp(−b) ≤ 1, to which the variance of b is inversely
 * proportional where photons are counted; 0 if the ray has no value. */
SINO_FORMULA_VALUE sino_formula_photons(REAL ray)
{
    const REAL through = ray > 0 ? exp(-ray) : 1;
    return sino_formula_weight(ray) * through;
}

/* The value, or the bound that it exceeds; least ≤ most. */
SINO_FORMULA_VALUE sino_formula_limit(REAL value, REAL least, REAL most)
{
    const REAL above = value < least ? least : value;
    return above > most ? most : above;
}

/* Vector v. Sum: Σ v². */
SINO_FORMULA sino_formula_square(SINO_ELEMENT *e, REAL *v, double *sum)
{
    (void)e;
    sum[SINO_SUM_SQUARE] += (double)v[0] * (double)v[0];
}

/* Vectors v, w. Sums: Σ v², Σ v·w. */
SINO_FORMULA sino_formula_product(SINO_ELEMENT *e, REAL *v, double *sum)
{
    const double value = (double)v[0];
    (void)e;
    sum[SINO_SUM_SQUARE] += value * value;
    sum[SINO_SUM_PRODUCT] += value * (double)v[1];
}

/* Vectors v, w of rays. Sums over the rays that have a value in w: Σ v², Σ v·w. */
SINO_FORMULA sino_formula_weighted_product(SINO_ELEMENT *e, REAL *v, double *sum)
{
    const double value = (double)(sino_formula_weight(v[1]) * v[0]);
    (void)e;
    sum[SINO_SUM_SQUARE] += value * value;
    sum[SINO_SUM_PRODUCT] += value * (double)v[1];
}

/* Vector v = 1. */
SINO_FORMULA sino_formula_ones(SINO_ELEMENT *e, REAL *v, double *sum)
{
    (void)e, (void)sum;
    v[0] = 1;
}

/* Vector v = 0. */
SINO_FORMULA sino_formula_zero(SINO_ELEMENT *e, REAL *v, double *sum)
{
    (void)e, (void)sum;
    v[0] = 0;
}

/* Vector v = 1/v, 0 where v ≤ the argument: weights from row or column sums of A. */
SINO_FORMULA sino_formula_reciprocal(SINO_ELEMENT *e, REAL *v, double *sum)
{
    const REAL usable = v[0] > e->argument[0] ? 1 : 0; /* no branches: compilers vectorise it */
    (void)sum;
    v[0] = usable / (usable * v[0] + (1 - usable));
}

/* Vectors v, w: w = argument · v. */
SINO_FORMULA sino_formula_share(SINO_ELEMENT *e, REAL *v, double *sum)
{
    (void)sum;
    v[1] = e->argument[0] * v[0];
}

/* CG. Vectors q = A d, r: r −= step·q; a ray without a value keeps −0, and no other becomes −0. Sum: Σ r². */
SINO_FORMULA sino_formula_residual_cg(SINO_ELEMENT *e, REAL *v, double *sum)
{
    enum { Q, R };
    const REAL next = v[R] - e->scalar[SINO_CG_STEP] * v[Q] + 0;
    const REAL value = sino_formula_weight(v[R]) > 0 ? next : v[R];
    v[R] = value;
    sum[SINO_SUM_SQUARE] += (double)value * (double)value;
}

/* CG with weights. Vectors r, which is b on entry, w: w is the weight of the ray (sino_formula_photons), r = w·b. */
SINO_FORMULA sino_formula_start_weighted_cg(SINO_ELEMENT *e, REAL *v, double *sum)
{
    enum { R, W };
    (void)e, (void)sum;
    v[W] = sino_formula_photons(v[R]);
    v[R] = v[W] * v[R];
}

/* CG with weights that are given. Vectors r, which is b on entry, w: w = 0 if the ray has no value, r = w·b. */
SINO_FORMULA sino_formula_start_given_cg(SINO_ELEMENT *e, REAL *v, double *sum)
{
    enum { R, W };
    (void)e, (void)sum;
    v[W] = sino_formula_weight(v[R]) * v[W];
    v[R] = v[W] * v[R];
}

/* CG with weights. Vectors q = A d, r = w·(b − A x), w. Sums: Σ w·q², Σ q·r. */
SINO_FORMULA sino_formula_product_weighted_cg(SINO_ELEMENT *e, REAL *v, double *sum)
{
    enum { Q, R, W };
    const double q = (double)v[Q];
    (void)e;
    sum[SINO_SUM_SQUARE] += (double)v[W] * q * q;
    sum[SINO_SUM_PRODUCT] += q * (double)v[R];
}

/* CG with weights. Vectors q = A d, w, r = w·(b − A x): r −= step·w·q. Sum over rays with a weight: Σ (b − A x)². */
SINO_FORMULA sino_formula_residual_weighted_cg(SINO_ELEMENT *e, REAL *v, double *sum)
{
    enum { Q, W, R };
    const double usable = v[W] > 0 ? 1 : 0; /* no branches: compilers vectorise it */
    v[R] -= e->scalar[SINO_CG_STEP] * v[W] * v[Q];
    const double rest = usable * (double)v[R] / (usable * (double)v[W] + (1 - usable));
    sum[SINO_SUM_SQUARE] += rest * rest;
}

/* CG. Vectors g, g0, d, x: x += step·d; d = g − overlap·g0 + beta·d. First: x = 0, d = g0 = g. */
SINO_FORMULA sino_formula_voxels_cg(SINO_ELEMENT *e, REAL *v, double *sum)
{
    enum { G, G0, D, X };
    (void)sum;
    if (e->first) {
        v[X] = 0;
        v[D] = v[G0] = v[G];
        return;
    }
    v[X] += e->scalar[SINO_CG_STEP] * v[D];
    v[D] = v[G] - e->scalar[SINO_CG_OVERLAP] * v[G0] + e->scalar[SINO_CG_BETA] * v[D];
}

/* CG on the normal equations. Vectors d, q = AᵀA d, g. Sums: Σ d·q, Σ d·g. */
SINO_FORMULA sino_formula_along_cg(SINO_ELEMENT *e, REAL *v, double *sum)
{
    enum { D, Q, G };
    (void)e;
    sum[SINO_SUM_SQUARE] += (double)v[D] * (double)v[Q];
    sum[SINO_SUM_PRODUCT] += (double)v[D] * (double)v[G];
}

/* CG on the normal equations. Vectors q, g, g0: g −= step·q. Sums: Σ g², Σ g·g0. */
SINO_FORMULA sino_formula_gradient_cg(SINO_ELEMENT *e, REAL *v, double *sum)
{
    enum { Q, G, G0 };
    const REAL g = v[G] - e->scalar[SINO_CG_STEP] * v[Q];
    v[G] = g;
    sum[SINO_SUM_SQUARE] += (double)g * (double)g;
    sum[SINO_SUM_PRODUCT] += (double)g * (double)v[G0];
}

/* SIRT (A. van der Sluis and H. van der Vorst, Linear Algebra Appl. 130, 257 (1990)). Vectors b, row weight R = 1/row
 * sum, w, which contains A x on entry: w = R (b − w), 0 where b has no value. First: A x = 0. Sum: Σ (b − A x)². */
SINO_FORMULA sino_formula_residual_sirt(SINO_ELEMENT *e, REAL *v, double *sum)
{
    enum { B, ROW_WEIGHT, W };
    const REAL rest = e->first ? v[B] : sino_formula_weight(v[B]) * (v[B] - v[W]);
    sum[SINO_SUM_SQUARE] += (double)rest * (double)rest;
    v[W] = v[ROW_WEIGHT] * rest;
}

/* SIRT with weights of rays. As residual_sirt, but w = R·(b − w)·the weight of the ray (sino_formula_photons). */
SINO_FORMULA sino_formula_residual_weighted_sirt(SINO_ELEMENT *e, REAL *v, double *sum)
{
    enum { B, ROW_WEIGHT, W };
    sino_formula_residual_sirt(e, v, sum);
    v[W] = sino_formula_photons(v[B]) * v[W];
}

/* SIRT with weights that are given. As residual_weighted_sirt, with a fourth vector: the weights. */
SINO_FORMULA sino_formula_residual_given_sirt(SINO_ELEMENT *e, REAL *v, double *sum)
{
    enum { B, ROW_WEIGHT, W, GIVEN };
    sino_formula_residual_sirt(e, v, sum);
    v[W] = v[GIVEN] * v[W];
}

/* SIRT. Vectors g, column weight C = 1/column sum, x: x = x + relaxation·C g, limited to least … most. First: x = 0 on
 * entry. Arguments: relaxation, least, most; the latter two are −∞ and ∞ where there are no bounds. A stopped slice
 * keeps x. */
SINO_FORMULA sino_formula_voxels_sirt(SINO_ELEMENT *e, REAL *v, double *sum)
{
    enum { G, COLUMN_WEIGHT, X };
    const REAL step = e->going > 0 ? e->argument[0] : 0;
    const REAL value = (e->first ? 0 : v[X]) + step * v[COLUMN_WEIGHT] * v[G];
    (void)sum;
    v[X] = sino_formula_limit(value, e->argument[1], e->argument[2]);
}

/* SIRT with weights of rays. As voxels_sirt; every slice has column weights of its own. */
SINO_FORMULA sino_formula_voxels_weighted_sirt(SINO_ELEMENT *e, REAL *v, double *sum)
{
    sino_formula_voxels_sirt(e, v, sum);
}

/* MLEM (L. Shepp and Y. Vardi, IEEE Trans. Med. Imaging 1, 113 (1982)): x = x/s · Aᵀ(b/A x) with the sensitivity s =
 * Aᵀ1. OSEM uses A and s of a subset of the rays. Negative counts b, which no detector measures, are 0 in ratio and
 * total, and unchanged in residuals.
 *
 * Vector b, or s. Sums: Σ b², Σ max(b, 0). */
SINO_FORMULA sino_formula_total_mlem(SINO_ELEMENT *e, REAL *v, double *sum)
{
    const double value = (double)v[0];
    (void)e;
    sum[SINO_SUM_SQUARE] += value * value;
    sum[SINO_SUM_TOTAL] += 0.5 * (value + fabs(value)); /* max(value, 0) without a branch */
}

/* MLEM. Vectors weight = 1/s of a subset, 0 where no ray of the subset crosses the voxel; x: x = start where the weight
 * is above 0. First: x = 0 elsewhere. */
SINO_FORMULA sino_formula_start_mlem(SINO_ELEMENT *e, REAL *v, double *sum)
{
    enum { WEIGHT, X };
    (void)sum;
    const REAL otherwise = e->first ? 0 : v[X];
    v[X] = v[WEIGHT] > 0 ? e->scalar[SINO_MLEM_START] : otherwise;
}

/* MLEM. Vectors b, w, which contains A x on entry: w = max(b, 0)/A x, 0 where A x ≤ 0 or the quotient overflows. A ray
 * without a value has ratio 1: it is expected to count what x sends, as EM fills in data that are missing. Sums over
 * the rays that have a value: Σ (A x − b)²; the log-likelihood Σ b ln(A x) − A x without its constant, of the rays with
 * A x > 0. */
SINO_FORMULA sino_formula_ratio_mlem(SINO_ELEMENT *e, REAL *v, double *sum)
{
    enum { B, W };
    const REAL weight = sino_formula_weight(v[B]), rest = weight * (v[W] - v[B]);
    const REAL counts = (REAL)0.5 * (v[B] + fabs(v[B])), ratio = counts / v[W]; /* max(b, 0) without a branch */
    const REAL finite = v[W] > 0 && ratio < (REAL)INFINITY ? ratio : 0;
    (void)e;
    sum[SINO_SUM_SQUARE] += (double)rest * (double)rest;
    sum[SINO_SUM_LIKELIHOOD] += (double)weight * sino_log_likelihood((double)counts, (double)v[W]);
    v[W] = weight > 0 ? finite : 1;
}

/* MLEM. Vectors g = Aᵀ ratio, weight = 1/s, x: x = x·g·weight. Voxels of weight 0 and stopped slices keep x. Voxels
 * that vanish become 0 before they are subnormal numbers, which slow the products down. */
SINO_FORMULA sino_formula_voxels_mlem(SINO_ELEMENT *e, REAL *v, double *sum)
{
    enum { G, WEIGHT, X };
    const REAL usable = e->going > 0 && v[WEIGHT] > 0 ? 1 : 0; /* no branches: subsets' weights are 0 in no pattern */
    const REAL factor = usable * v[WEIGHT] + (1 - usable), g = usable * v[G] + (1 - usable);
    (void)sum;
    const REAL next = v[X] * g * factor;
    v[X] = fabs(next) < (REAL)1.17549435e-38F ? 0 : next; /* FLT_MIN */
}

/* FISTA, SIRT. Vectors b, w: the weight of each ray in Σ ½ w (A x − b)². argument[0] > 0: sino_formula_photons; else 1,
 * or 0 if the ray has no value. */
SINO_FORMULA sino_formula_weigh_rays(SINO_ELEMENT *e, REAL *v, double *sum)
{
    enum { B, W };
    (void)sum;
    v[W] = e->argument[0] > 0 ? sino_formula_photons(v[B]) : sino_formula_weight(v[B]);
}

/* FISTA, SIRT. Vectors b, w: a weight that is given, and 0 if the ray has no value. */
SINO_FORMULA sino_formula_admit_rays(SINO_ELEMENT *e, REAL *v, double *sum)
{
    enum { B, W };
    (void)e, (void)sum;
    v[W] = sino_formula_weight(v[B]) * v[W];
}

/* FISTA. Vectors a = A 1, w, q: q = w·a. */
SINO_FORMULA sino_formula_majorise(SINO_ELEMENT *e, REAL *v, double *sum)
{
    enum { A, W, Q };
    (void)e, (void)sum;
    v[Q] = v[W] * v[A];
}

/* FISTA. Vector g = AᵀW A 1. Sum: Σ (argument[0]·g)⁶⁴ (sino_rule_step_fista). */
SINO_FORMULA sino_formula_curvature(SINO_ELEMENT *e, REAL *v, double *sum)
{
    double power = (double)v[0] * (double)e->argument[0];
    for (int i = 0; i < 6; i++) power *= power;
    sum[SINO_SUM_SQUARE] += power;
}

/* FISTA. Vectors w, q: q = w·q. */
SINO_FORMULA sino_formula_weigh(SINO_ELEMENT *e, REAL *v, double *sum)
{
    enum { W, Q };
    (void)e, (void)sum;
    v[Q] = v[W] * v[Q];
}

/* FISTA. Vectors g = AᵀW A 1, h = AᵀW A g. Sum: Σ (h/(L g))²⁵⁶ (sino_rule_lengthen_fista). */
SINO_FORMULA sino_formula_growth(SINO_ELEMENT *e, REAL *v, double *sum)
{
    enum { G, H };
    const double ratio = v[G] > 0 ? (double)v[H] / (double)v[G] * (double)e->scalar[SINO_FISTA_STEP] : 0;
    double power = fmin(fmax(ratio, 0.0), 1.0);
    for (int i = 0; i < 8; i++) power *= power;
    sum[SINO_SUM_SQUARE] += power;
}

/* Vectors v, w: w += v. First: w = v. */
SINO_FORMULA sino_formula_accumulate(SINO_ELEMENT *e, REAL *v, double *sum)
{
    (void)sum;
    v[1] = e->first ? v[0] : v[1] + v[0];
}

/* Vectors support, v: v = 0 where the support is 0. */
SINO_FORMULA sino_formula_support(SINO_ELEMENT *e, REAL *v, double *sum)
{
    (void)e, (void)sum;
    v[1] = v[0] > 0 ? v[1] : 0;
}

/* FISTA. Vectors x, y: x = scale·x, limited to least … most, y = x. argument: least, most, scale. */
SINO_FORMULA sino_formula_start_fista(SINO_ELEMENT *e, REAL *v, double *sum)
{
    enum { X, Y };
    (void)sum;
    v[X] = sino_formula_limit(v[X] * e->argument[2], e->argument[0], e->argument[1]);
    v[Y] = v[X];
}

/* FISTA. Vectors b, w, q, which contains A y on entry: q = w·(b − A y). Sum over the rays that have a value:
 * Σ (b − A y)². */
SINO_FORMULA sino_formula_residual_fista(SINO_ELEMENT *e, REAL *v, double *sum)
{
    enum { B, W, Q };
    const REAL rest = sino_formula_weight(v[B]) * (v[B] - v[Q]);
    (void)e;
    sum[SINO_SUM_SQUARE] += (double)rest * (double)rest;
    v[Q] = v[W] * rest;
}

/* FISTA. Vectors y, g = AᵀW(b − A y) of a subset: g = z = y + count·g/L. argument: the number of subsets. */
SINO_FORMULA sino_formula_descend_fista(SINO_ELEMENT *e, REAL *v, double *sum)
{
    enum { Y, G };
    (void)sum;
    v[G] = v[Y] + e->scalar[SINO_FISTA_STEP] * e->argument[0] * v[G];
}

/* FISTA on the normal equations. Vectors Aᵀb, AᵀA y, y, z: with g = Aᵀb − AᵀA y, z = y + g/L. Sums: Σ g²;
 * Σ y·(Aᵀb + g) = ‖b‖² − ‖A y − b‖². */
SINO_FORMULA sino_formula_descend_normal(SINO_ELEMENT *e, REAL *v, double *sum)
{
    enum { BACK, NORMAL, Y, Z };
    const REAL g = v[BACK] - v[NORMAL];
    sum[SINO_SUM_SQUARE] += (double)g * (double)g;
    sum[SINO_SUM_PRODUCT] += (double)v[Y] * ((double)v[BACK] + (double)g);
    v[Z] = v[Y] + e->scalar[SINO_FISTA_STEP] * g;
}

/* FISTA. Vectors u, x, y: u is first limited to least … most; x = u, y = u + β·(u − x before). Sums:
 * Σ (u − x before)², Σ (y before − u)(u − x before). A stopped slice keeps x and y. argument: least, most. */
SINO_FORMULA sino_formula_voxels_fista(SINO_ELEMENT *e, REAL *v, double *sum)
{
    enum { U, X, Y };
    const REAL limited = sino_formula_limit(v[U], e->argument[0], e->argument[1]);
    const REAL u = e->going > 0 ? limited : v[X], change = u - v[X];
    const REAL y = e->going > 0 ? u + e->scalar[SINO_FISTA_BETA] * change : v[Y];
    sum[SINO_SUM_SQUARE] += (double)change * (double)change;
    sum[SINO_SUM_PRODUCT] += (double)(v[Y] - u) * (double)change;
    v[X] = u;
    v[Y] = y;
}

/* Calls the formula with this number. Drivers pass a constant, so that the compiler removes the switch. */
SINO_FORMULA sino_formula_apply(int formula, SINO_ELEMENT *e, REAL *v, double *sum)
{
    switch (formula) {
#define ROW(name, NAME, task, a, b, c, d, sums, state)                                                                 \
    case SINO_UPDATE_##NAME:                                                                                           \
        sino_formula_##name(e, v, sum);                                                                                \
        break;
        SINO_UPDATE_FORMULAS(ROW)
#undef ROW
    default:
        break;
    }
}

#endif
