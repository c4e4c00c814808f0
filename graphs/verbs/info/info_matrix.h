/* SPDX-License-Identifier: BSD-3-Clause */
/* info, inside: of a system matrix, and of the counts of its rows. */
#pragma once

#include "log.h"
#include "settings.h"
#include "status.h"

/* Prints what the counts and their --system-matrix are, and the memory of a recon. What recon would refuse is printed;
 * SINO_BAD_INPUT: a file is refused, or does not fit the matrix. */
SinoStatus sino_info_matrix(const SinoSettings *settings, SinoLog *log);

/* Prints what the input file is if it is a system matrix; `refused` says why it is no scan. Consumes `refused`, and
 * returns it if the file is no system matrix either. */
SinoStatus sino_info_unless_scan(const SinoSettings *settings, SinoStatus refused);
