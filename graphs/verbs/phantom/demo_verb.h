/* SPDX-License-Identifier: BSD-3-Clause */
/* demo, inside: one function for each kind of geometry. Each makes files in the folder `out`, which exists,
 * reconstructs them, and logs how far the result is from the truth. */
#pragma once

#include "log.h"
#include "settings.h"
#include "status.h"

/* The scan of a parallel or a cone beam. */
SinoStatus sino_demo_scan(const SinoSettings *settings, SinoLog *log);

/* The counts of a PET scanner, with its system matrix. */
SinoStatus sino_demo_pet(const SinoSettings *settings, SinoLog *log);
