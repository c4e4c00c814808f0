/* SPDX-License-Identifier: BSD-3-Clause */
/* Foreign format: names files of formats that are not read, by their first bytes. */
#ifndef SINO_FOREIGN_FORMAT_H
#define SINO_FOREIGN_FORMAT_H

#include "status.h"

/* The error for a file of a format in the table: its name, and what makes of it what is read; `allowed` ends the
 * sentence. NULL: it is of none. */
SinoStatus sino_foreign_format(const char *path, const char *allowed);

#endif
