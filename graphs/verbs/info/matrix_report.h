/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix report: what info and plan tell of a system matrix and of the counts of its rows, as lines for people, and as
 * members of a JSON object (docs/JSON.md). */
#pragma once

#include "counts_file.h"
#include "json.h"

#include <stdio.h>

/* A line such as "matrix       scan.csr4", of a text that may come from a file. */
void sino_report_line(const char *name, const char *text, FILE *out);

/* Lines of the format, the sizes and the grid of a matrix. */
void sino_matrix_report_print(const char *kind, const SinoMatrixOutline *outline, FILE *out);

/* The member "matrix". */
void sino_matrix_report_json(const char *path, const char *kind, const SinoMatrixOutline *outline, SinoJson *json);

/* Lines of the name and the format of a file of counts. */
void sino_counts_report_print(const char *path, const SinoCountsInfo *info, FILE *out);

/* The members "file", "format", "stored_type", "events" and "sets". */
void sino_counts_report_json(const char *path, const SinoCountsInfo *info, SinoJson *json);
