/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: seeds of the formats of system matrices. */
#pragma once

/* FOLDER/TARGET/NUMBER, in a static buffer; makes the folder of the target. */
char *fuzz_seed_path(const char *folder, const char *target, int number);

/* Writes them. */
void fuzz_matrix_seeds(const char *folder);
