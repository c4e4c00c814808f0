/* SPDX-License-Identifier: BSD-3-Clause */
/* Plan: how a forecast is told, to people and to programs. */
#ifndef SINO_PLAN_H
#define SINO_PLAN_H

#include "forecast.h"

void sino_plan_print(const SinoForecastRequest *request, const SinoForecast *forecast, FILE *out);

/* One JSON object. Bytes of a projection are those of all slices. */
void sino_plan_print_json(const SinoForecastRequest *request, const SinoForecast *forecast, FILE *out);

#endif
