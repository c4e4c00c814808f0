/* SPDX-License-Identifier: BSD-3-Clause */
/* Plan, report: a forecast as a table for people, and as JSON for programs. */
#pragma once

#include "forecast.h"
#include "settings.h"

#include <stdio.h>

void sino_plan_report_print(const SinoPlanRequest *request, const SinoForecast *forecast, FILE *out);

/* Prints one JSON object. Bytes of a projection are for all slices. */
void sino_plan_report_json(const SinoPlanRequest *request, const SinoForecast *forecast, FILE *out);

/* A scan without a file: counts of two bytes, one flat and one dark field; angles of --theta, else equal steps over
 * 180 degrees, or 360 of a cone beam, whose lengths are usual ones where they are not given. */
typedef struct SinoImagined {
    SinoScanInfo info;
    double *angle_rad; /* owned by the caller, after a failure, too */
} SinoImagined;

/* The input that it would be, which points into *imagined; the caller closes it first. */
SinoStatus sino_plan_imagine(const SinoSettings *settings, SinoImagined *imagined, SinoInput *input);

/* plan of a cone beam. */
SinoStatus sino_plan_cone(const SinoSettings *settings, SinoLog *log);

/* plan of counts with a system matrix. */
SinoStatus sino_plan_matrix(const SinoSettings *settings, SinoLog *log);
