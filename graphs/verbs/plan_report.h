/* SPDX-License-Identifier: BSD-3-Clause */
/* Plan, report: a forecast as a table for people, and as JSON for programs. */
#ifndef SINO_PLAN_REPORT_H
#define SINO_PLAN_REPORT_H

#include "forecast.h"

#include <stdio.h>

void sino_plan_report_print(const SinoPlanRequest *request, const SinoForecast *forecast, FILE *out);

/* Prints one JSON object. Bytes of a projection are for all slices. */
void sino_plan_report_json(const SinoPlanRequest *request, const SinoForecast *forecast, FILE *out);

#endif
