/* SPDX-License-Identifier: BSD-3-Clause */
/* Inner path: FILE:INNER names a place in a file, such as a dataset. */
#pragma once

#include "status.h"

/* Splits FILE or FILE:INNER into *file and *inner (NULL: there is none), which the caller frees, on failure too. If
 * something of the whole name exists, that is the file; else FILE ends at the first colon before which a file ends.
 * SINO_BAD_INPUT: there is no such file. */
SinoStatus sino_inner_path_split(const char *given, char **file, char **inner);
