/* SPDX-License-Identifier: BSD-3-Clause */
/* Input, same: every rank must have the same scan, if not the same files. */
#ifndef SINO_INPUT_SAME_H
#define SINO_INPUT_SAME_H

#include "input.h"
#include "processes.h"

/* Collective. Compares what the scan of each rank is, independent of names: sizes, angles, types, and checksums of
 * parts. If these are equal but the times of the last change differ, the checksums of whole files are compared.
 * SINO_BAD_INPUT: the scans differ; one rank has the text. */
SinoStatus sino_input_check_same(SinoProcesses *processes, const SinoInput *input, SinoLog *log);

#endif
