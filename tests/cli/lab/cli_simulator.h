/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, simulator: what the program that `./run simulator` builds says of a scan. */
#pragma once

#include "cli.h"

/* A small problem. */
#define CLI_SIMULATED_SIZES "--columns 64 --angles 48 --slices 16 --algorithm cg --iterations 3 "

/* What simulate prints with these options, which work; _with: and "NAME=VALUE" of the environment. The caller frees it.
 */
char *cli_simulated(const char *directory, const char *options);
char *cli_simulated_with(const char *directory, const char *environment, const char *options);

/* The makespan of options with --json, which is not below its bounds. */
double cli_simulated_s(const char *directory, const char *options);

/* The number of tasks of a kind on cores, in the first list of kinds that has it. */
int64_t cli_tasks_of(const char *json, const char *name);
