/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix cache: packed system matrices kept as files of a directory, with their surveys. The key is made of what
 * identifies the matrix's file (device, inode, size, time of its last change), the part of it that is named, and
 * everything else that determines the blocks. A kept matrix is mapped: its blocks may be larger than memory. */
#pragma once

#include "log.h"
#include "matrix_survey.h"

/* Called before any work. SINO_BAD_INPUT: no file can be written in the directory (NULL: no directory is asked for). */
SinoStatus sino_matrix_cache_check(const char *directory);

/* The survey of a matrix that is kept in the directory (NULL: none), without its mask. *survey NULL: there is no file,
 * or it cannot be trusted (a warning says so). SINO_FAILED: no memory. */
SinoStatus sino_matrix_cache_load(SinoLog *log, const char *directory, const SinoMatrixRequest *request,
                                  SinoPrecision precision, SinoMatrixSurvey **survey);

/* The block of a row partition and a subset in a kept file. */
SinoOperatorPiece sino_matrix_kept_block(const SinoOperatorFile *kept, const SinoMatrixSurvey *survey,
                                         int64_t partition, int64_t subset);

/* A matrix on its way to the directory. */
typedef struct SinoMatrixKeeper SinoMatrixKeeper;

/* Blocks follow row partition after row partition, and in each subset after subset; bytes: of all blocks, about. After
 * an error the caller calls _discard. Errors: those of operator_file.h. */
SinoStatus sino_matrix_keeper_new(const char *directory, SinoPrecision precision, const SinoMatrixSurvey *survey,
                                  int64_t bytes, SinoMatrixKeeper **keeper);
SinoStatus sino_matrix_keeper_append(SinoMatrixKeeper *keeper, const void *block, int64_t bytes);

/* Completes the file, tells so and frees the keeper. *kept: the file, mapped; NULL: not wanted. */
SinoStatus sino_matrix_keeper_end(SinoLog *log, SinoMatrixKeeper *keeper, SinoOperatorFile **kept);
void sino_matrix_keeper_discard(SinoMatrixKeeper *keeper); /* takes NULL */
