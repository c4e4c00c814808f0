/* SPDX-License-Identifier: BSD-3-Clause */
/* Task checksum: the checksum of whole files. */
#pragma once

#include "runtime.h"

/* Inserts checksum, which writes the digits of the checksum of `count` whole files (sino_checksum_files). Names and
 * digits are not owned. `bytes`: of the files, if they are known; for simulations. */
SinoStatus sino_insert_checksum(SinoRuntime *runtime, int64_t count, const char *const *path, int64_t bytes,
                                char *digits);
