/* SPDX-License-Identifier: BSD-3-Clause */
/* Phantom and demo, inside: one function for each kind of geometry. */
#pragma once

#include "log.h"
#include "pet_scanner.h"
#include "settings.h"
#include "status.h"

/* demo, inside: one function for each kind of geometry. Each makes files in the folder `out`, which exists,
 * reconstructs them, and logs how far the result is from the truth. */

/* The scan of a parallel or a cone beam. */
SinoStatus sino_demo_scan(const SinoSettings *settings, SinoLog *log);

/* The counts of a PET scanner, with its system matrix. */
SinoStatus sino_demo_pet(const SinoSettings *settings, SinoLog *log);

/* phantom, inside: one function for each kind of geometry. */

/* Whether the phantom is one of a PET scanner. */
static inline bool sino_phantom_is_pet(const SinoGeometrySettings *settings)
{
    return settings->kind == SINO_GEOMETRY_PET;
}

/* The scan of a parallel or a cone beam. */
SinoStatus sino_phantom_scan(const SinoSettings *settings, SinoLog *log);

/* The scanner of the settings, with its grid. */
SinoPetScanner sino_phantom_scanner(const SinoSettings *settings);

/* The system matrix of a PET scanner, counts, and the true activity. */
SinoStatus sino_phantom_pet(const SinoSettings *settings, SinoLog *log);
