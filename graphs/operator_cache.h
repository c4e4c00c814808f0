/* SPDX-License-Identifier: BSD-3-Clause */
/* Operator cache: operators kept as files of a directory, by a key of everything that determines them. */
#ifndef SINO_OPERATOR_CACHE_H
#define SINO_OPERATOR_CACHE_H

#include "operator.h"

/* Before any work: SINO_BAD_INPUT when nothing can be kept in the directory. NULL: none is asked for. */
SinoStatus sino_operator_cache_check(const char *directory);

/* `op` has its decomposition and partitions, but no blocks. When the directory (NULL: none) has its file, op->file is
 * that file, mapped, and blocks, footprints and counts are filled in; they live as long as the file stays open. A file
 * that cannot be trusted is told as a warning, and op->file stays NULL. SINO_FAILED: no memory. */
SinoStatus sino_operator_cache_load(SinoRuntime *runtime, const char *directory, SinoOperator *op);

/* Keeps an operator that was built, and is in memory as a whole, in the directory, in place of what was there; else
 * does nothing. When it cannot be kept, a warning says why. */
void sino_operator_cache_save(SinoRuntime *runtime, const char *directory, SinoOperator *op);

#endif
