/* SPDX-License-Identifier: BSD-3-Clause */
/* Input, same: every rank must have the same input, if not the same files. */
#pragma once

#include "input.h"
#include "processes.h"
#include "settings.h"

/* Collective. Compares what each rank reads, independent of names: sizes, angles and types of the scan (NULL: the
 * settings name a system matrix and its counts), and sizes and checksums of parts of the files of every option. If
 * these are equal but the times of the last change differ, the checksums of whole files are compared. SINO_BAD_INPUT:
 * the ranks have different input; one rank has the text. */
SinoStatus sino_input_check_same(SinoProcesses *processes, const SinoSettings *settings, const SinoInput *scan,
                                 SinoLog *log);
