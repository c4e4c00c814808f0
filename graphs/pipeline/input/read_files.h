/* SPDX-License-Identifier: BSD-3-Clause */
/* Read files: every file that a run of recon reads, except its settings. */
#pragma once

#include "file_list.h"
#include "input.h"
#include "settings.h"

/* The files of one option. */
typedef struct SinoReadFiles {
    const char *option; /* "--mask"; of the projections or counts "the input"; NULL: no more */
    SinoFileList list;  /* empty: the option names no file */
} SinoReadFiles;

enum { SINO_READS = 9 };

/* Lists the files of every option that reads some, for a scan, or (`scan` NULL) for a system matrix and its counts:
 * matches of patterns, files in folders and in folders within them, and what headers name. The caller frees them, on
 * failure too, if they were zeroed. SINO_BAD_INPUT: a file of a system matrix is not there. */
SinoStatus sino_read_files_list(const SinoSettings *settings, const SinoInput *scan, SinoReadFiles read[SINO_READS]);
void sino_read_files_free(SinoReadFiles read[SINO_READS]);
