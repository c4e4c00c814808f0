/* SPDX-License-Identifier: BSD-3-Clause */
/* Foreign format: names files of formats that are not read, by their first bytes or endings. */
#pragma once

#include "status.h"

/* The error for a file of a format in the table, with the format's name and a program that converts it. NULL: the file
 * is of none of these formats. */
SinoStatus sino_foreign_format(const char *path);
