/* SPDX-License-Identifier: BSD-3-Clause */
/* Rays, cache: operators saved as files of a directory, by a key made of everything that determines them. */
#pragma once

#include "rays.h"

/* The key: everything that determines the blocks. SINO_FAILED: no memory. */
SinoStatus sino_rays_cache_key(const SinoRays *op, SinoOperatorKey *key);

/* Called before any work. SINO_BAD_INPUT: no file can be written in the directory (NULL: no directory is asked for). */
SinoStatus sino_rays_cache_check(const char *directory);

/* Loads the operator if the directory (NULL: none) has its file. `op` must have its decomposition and partitions, but
 * no blocks. On success op->file is the mapped file, and blocks, footprints and counts are filled in; they live as long
 * as the file stays open. If there is no file, or the file cannot be trusted (a warning says so), op->file stays NULL.
 * SINO_FAILED: no memory. */
SinoStatus sino_rays_cache_load(SinoRuntime *runtime, const char *directory, SinoRays *op);

/* Saves an operator in the directory and replaces an earlier file. Does nothing if the operator was loaded from a file
 * or is in windows. A failure is only a warning. */
void sino_rays_cache_save(SinoRuntime *runtime, const char *directory, SinoRays *op);
