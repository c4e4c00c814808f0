/* SPDX-License-Identifier: BSD-3-Clause */
/* Library, operators: what products and solutions know of the operator of a caller. */
#ifndef SINO_LIBRARY_OPERATOR_H
#define SINO_LIBRARY_OPERATOR_H

#include "library_product.h"
#include "sinodag.h"

#include "forecast.h"

struct SinodagOperator {
    double *angle_rad; /* owned */
    SinodagAbout about;
    SinoForecast forecast;
    SinoOperator *op;
    SinoProducts *products;
    struct SinodagOperator *next;
};

/* Within a call. SINO_BAD_INPUT: the operator does not exist, or was freed. */
SinoStatus sino_library_check_operator(const SinodagOperator *op);

/* Checks arrays of an operator that exists, and fills in arrays->images, projections and slice_count; `subset` is
 * valid. SINO_BAD_INPUT: other sizes or types. */
SinoStatus sino_library_use_arrays(const SinodagOperator *op, const SinodagArray *images,
                                   const SinodagArray *projections, SinoArrays *arrays);

#endif
