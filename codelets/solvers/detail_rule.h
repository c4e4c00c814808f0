/* SPDX-License-Identifier: BSD-3-Clause */
/* Detail, rule: the formulas of detail.h that cores and GPUs share. */
#pragma once

#include "vector.h"

#include <math.h>
#include <stdint.h>

enum { SINO_DETAIL_SQUARES = 3, SINO_DETAIL_WIDEST = 2 * 9 + 1 };

#define SINO_DETAIL_LEAST_SCORE 2.5 /* f of smaller ones is 0 */

typedef struct SinoDetailSquare {
    int64_t size; /* of the slice */
    int64_t side, around;
    double share;       /* of the area around */
    double response;    /* of g and m */
    double least_score; /* that noise has in about as many places of a larger slice as in one of 256² */
} SinoDetailSquare;

/* Square k of a slice; m is of a share of the rays. Responses are over the side³: the mean over all directions of
 * ∫ (width of the square − (a/b)² · width of the one around it) · width of the square, b = 2a + 1. */
static inline SinoDetailSquare sino_detail_square(int k, int64_t size, double share)
{
    static const struct {
        int64_t side;
        double response;
    } squares[SINO_DETAIL_SQUARES] = {{5, 0.450717}, {7, 0.438318}, {9, 0.431170}};
    const double side = (double)squares[k].side, around = 2 * side + 1;
    const double response = squares[k].response * side * side * side / share;
    const double least_score = sqrt(4 * log(fmax((double)size, 256.0)) - 2);
    const SinoDetailSquare square = {
        size, squares[k].side, 2 * squares[k].side + 1, side * side / (around * around), response, least_score};
    return square;
}

/* The first voxel of a row that is as far from the edge of the inscribed circle as the square around reaches; the last
 * one is as far from the other end of the row. The size: there is none. */
SINO_INLINE int64_t sino_detail_first_of_row(const SinoDetailSquare *square, int64_t row)
{
    const double middle = 0.5 * (double)(square->size - 1), y = (double)row - middle;
    const double radius = 0.5 * (double)(square->size - square->around), rest = radius * radius - y * y;
    return radius < 0 || rest < 0 ? square->size : (int64_t)ceil(middle - sqrt(rest));
}

SINO_INLINE double sino_detail_clamp(double value)
{
    return fmin(fmax(value, 0.0), 1.0);
}

/* f of a square with the score |z| and the lack l. own, around: means of x in the square and around; mean_square: of x²
 * around. */
SINO_INLINE double sino_detail_factor(const SinoDetailSquare *square, double score, double lack, double own,
                                      double around, double mean_square)
{
    const double has = (own - around) / (1 - square->share);
    const double spread = sqrt(fmax(mean_square - around * around, 0.0));
    return sino_detail_clamp(score * (1 + has / lack) - square->least_score) *
           sino_detail_clamp(score - SINO_DETAIL_LEAST_SCORE) * sino_detail_clamp(1.6 - 2 * spread / fabs(lack)) *
           (around > 0 ? sino_detail_clamp(2 - 4 * fabs(lack) / around) : 0);
}
