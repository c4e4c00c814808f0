/* SPDX-License-Identifier: BSD-3-Clause */
/* Input, weights: the weights of rays that --weights names, or a caller's array has. */
#pragma once

#include "files_tasks.h"
#include "input.h"
#include "minibatch.h"
#include "settings.h"

/* Tries in a child process whether the headers can be read, if the settings name a file. */
SinoStatus sino_input_weights_try(const SinoSettings *settings);

/* Opens the weights of an input whose scan is open, if the settings have any, and reads those of the middle slice.
 * SINO_BAD_INPUT: as of weights_file.h. */
SinoStatus sino_input_weights_open(const SinoSettings *settings, SinoInput *input);

/* The load of the weights of a minibatch's slices, the first of which is `first_slice` of the input. */
SinoLoadWeights sino_input_load_weights(const SinoInput *input, SinoSlices slices, int64_t first_slice);

/* Inserts load_weights into all members of a vector of the minibatch, whose vector 0 has the line integrals. */
SinoStatus sino_minibatch_load_weights(SinoRuntime *runtime, const SinoMinibatch *minibatch, int64_t vector,
                                       SinoLoadWeights *load, SinoData *io);

/* Reads the weights of one slice: weights[angle of the scan][column]. No task may read files meanwhile. */
SinoStatus sino_input_read_weights(const SinoInput *input, int64_t slice, float *weights);

/* Bytes of the weights that stay in memory, and those of a piece that is being read; 0: the settings have no file. */
int64_t sino_input_weights_bytes(const SinoSolverSettings *settings, const SinoInput *input, int64_t slice_count);
