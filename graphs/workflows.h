/* SPDX-License-Identifier: BSD-3-Clause */
/* Workflows: what each verb of the program does, from settings to result. */
#ifndef SINO_WORKFLOWS_H
#define SINO_WORKFLOWS_H

#include "log.h"
#include "settings.h"
#include "status.h"

/* Reconstructs the volume of a scan, or one slice with many centers (--reconstruction-type try). */
SinoStatus sino_recon(const SinoSettings *settings, SinoLog *log);

/* Writes the scan of a phantom with exact line integrals, and its true volume. */
SinoStatus sino_phantom(const SinoSettings *settings, SinoLog *log);

/* Tells on stdout what a scan holds. */
SinoStatus sino_info(const SinoSettings *settings, SinoLog *log);

/* Makes a phantom scan in the folder `out`, reconstructs it and says how close the result is to the truth. */
SinoStatus sino_demo(const SinoSettings *settings, SinoLog *log);

/* Measures the operator's kernels beside the machine's own limits, in one run. On stdout a table; files on request. */
SinoStatus sino_bench(const SinoSettings *settings, SinoLog *log);

/* Tells on stdout what a run on many ranks would need and take, without a volume, an operator or the ranks. */
SinoStatus sino_plan(const SinoSettings *settings, SinoLog *log);

#endif
