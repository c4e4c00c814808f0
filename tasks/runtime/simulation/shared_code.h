/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared code: what the copies of a program need once. Private to tasks/runtime. */
#pragma once

#include "status.h"

/* Maps the code and the constants of the object with this function from `path`, of which it was loaded as a copy, so
 * that all copies use the same memory. The bytes are those that are there; variables, and constants with addresses,
 * stay the copy's. */
SinoStatus sino_shared_code_map(const char *path);
