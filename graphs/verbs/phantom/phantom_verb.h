/* SPDX-License-Identifier: BSD-3-Clause */
/* phantom, inside: one function for each kind of geometry. */
#pragma once

#include "log.h"
#include "pet_scanner.h"
#include "settings.h"
#include "status.h"

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
