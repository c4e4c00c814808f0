/* SPDX-License-Identifier: BSD-3-Clause */
/* Csr4 writer: writes the system matrix of a PET scanner of one layer as a csr4 file, version 4 (matrix_csr4.c tells
 * the format). Rows are written as they come; the file has its final name only after
 * sino_csr4_writer_finish. */
#pragma once

#include "status.h"
#include "system_matrix.h"

#include <stdbool.h>
#include <stdint.h>

/* Row a · crystals + b is the pair of crystals a and b, crystals being block_count · block_size · ring_count. Lengths
 * in mm. */
typedef struct SinoCsr4Scanner {
    int64_t block_count, block_size, ring_count;
    double crystal_width, crystal_depth, gap, radius;
    double attenuation; /* of a crystal, 1/mm */
    SinoVoxelGrid grid;
    int mirrors; /* SINO_MIRROR_X …: rows leave out entries that these give; 0: none */
} SinoCsr4Scanner;

typedef struct SinoCsr4Writer SinoCsr4Writer;

/* Opens the output; the caller ends with _finish or _abandon. SINO_BAD_INPUT: more than 2³² − 1 rows or columns; and
 * errors of sino_output_open. */
SinoStatus sino_csr4_writer_open(const char *path, bool overwrite, const SinoCsr4Scanner *scanner,
                                 SinoCsr4Writer **writer);

/* Writes rows, which follow those written before. */
SinoStatus sino_csr4_writer_rows(SinoCsr4Writer *writer, const SinoSparseRows *rows);

/* Entries that were written. */
int64_t sino_csr4_writer_entries(const SinoCsr4Writer *writer);

SinoStatus sino_csr4_writer_finish(SinoCsr4Writer *writer); /* all rows were written; always frees the writer */
void sino_csr4_writer_abandon(SinoCsr4Writer *writer);      /* removes the temporary file; takes NULL */
