/* SPDX-License-Identifier: BSD-3-Clause */
/* Stage choice: which stages a sample of the scan asks for, where the settings leave that to sinodag. */
#pragma once

#include "findings.h"
#include "scan_sample.h"
#include "settings.h"

/* Sets findings->stages, adds a warning for each choice, and tells the evidence of all of them. */
void sino_choose_stages(const SinoSettings *settings, const SinoInput *input, const SinoScanSample *sample,
                        SinoFindings *findings);
