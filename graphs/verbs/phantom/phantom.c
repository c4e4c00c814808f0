/* SPDX-License-Identifier: BSD-3-Clause */
/* phantom: what the geometry asks for. */
#include "phantom_verb.h"
#include "workflows.h"

SinoStatus sino_phantom(const SinoSettings *settings, SinoLog *log)
{
    return sino_phantom_is_pet(&settings->geometry) ? sino_phantom_pet(settings, log)
                                                    : sino_phantom_scan(settings, log);
}
