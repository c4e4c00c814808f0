/* SPDX-License-Identifier: BSD-3-Clause */
/* Input, weights: the weights of rays that --weights names, or a caller's array has. */
#include "input_parts.h"

#include "memory.h"
#include "memory_scan.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static SinoWeightsRequest request_of(const SinoSettings *settings)
{
    const SinoMemoryRun *run = settings->memory;
    return (SinoWeightsRequest){
        .path = settings->solver.weights_file, .axes = settings->input.axes, .memory = run ? &run->scan.weights : NULL};
}

SinoStatus sino_input_weights_try(const SinoSettings *settings)
{
    const SinoWeightsRequest request = request_of(settings);
    return settings->solver.weights == SINO_WEIGHTS_FILE && !request.memory ? sino_weights_try(&request) : NULL;
}

static SinoWeightsPart part_of(const SinoInput *input, int64_t first_slice, int64_t slice_count)
{
    return (SinoWeightsPart){.projection = input->info->projection,
                             .angle_binning = sino_larger(input->info->angle_binning, 1),
                             .binning = input->binning,
                             .box = {.first_row = input->first_row + sino_times(first_slice, input->binning),
                                     .row_count = sino_times(slice_count, input->binning),
                                     .first_column = input->first_column,
                                     .column_count = sino_times(input->geometry.column_count, input->binning)}};
}

SinoStatus sino_input_read_weights(const SinoInput *input, int64_t slice, float *weights)
{
    const SinoWeightsPart part = part_of(input, slice, 1);
    return sino_weights_read(input->weights, &part, 0, input->geometry.angle_count, weights);
}

/* Sets the scale and the share of zeros by the weights of the middle slice. */
static SinoStatus look(const char *name, SinoInput *input)
{
    const int64_t rays = sino_times(input->geometry.angle_count, input->geometry.column_count);
    const int64_t slice = input->slice_count / 2;
    float *weights = NULL;
    double most = 0;
    int64_t zeros = 0;
    SINO_TRY(sino_allocate(rays, sizeof *weights, "weights", &weights));
    SinoStatus status = sino_input_read_weights(input, slice, weights);
    for (int64_t i = 0; i < rays && !status; i++) {
        most = fmax(most, (double)weights[i]);
        zeros += weights[i] == 0;
    }
    free(weights);
    if (status) return status;
    SINO_CHECK(most > 0, SINO_BAD_INPUT,
               "--weights %s: all weights of row %" PRId64
               ", the middle one, are 0; allowed: 0 for rays without a value, "
               "and more for others",
               name, input->first_row + sino_times(slice, input->binning));
    input->weights_scale = exp2(nearbyint(log2(most)));
    input->weights_zero = (double)zeros / (double)rays;
    return NULL;
}

SinoStatus sino_input_weights_open(const SinoSettings *settings, SinoInput *input)
{
    const SinoScanInfo *info = input->info;
    SinoWeightsRequest request = request_of(settings);
    if (settings->solver.weights != SINO_WEIGHTS_FILE) return NULL;
    request.size[0] = info->file_angle_count;
    request.size[1] = info->row_count;
    request.size[2] = info->column_count;
    SINO_TRY(sino_weights_open(&request, &input->weights));
    return look(request.memory ? "of an array" : request.path, input);
}

SinoLoadWeights sino_input_load_weights(const SinoInput *input, SinoSlices slices, int64_t first_slice)
{
    return (SinoLoadWeights){.file = input->weights,
                             .part = part_of(input, first_slice, slices.slice_count),
                             .run_count = input->run_count,
                             .run = input->run,
                             .place = input->place,
                             .slices = slices};
}

SinoStatus sino_minibatch_load_weights(SinoRuntime *runtime, const SinoMinibatch *minibatch, int64_t vector,
                                       SinoLoadWeights *load, SinoData *io)
{
    const SinoOperator *op = minibatch->op;
    const SinoExtent *extent = &op->shape.extent[minibatch->vectors->buffer[vector].rows];
    load->member_count = extent->members;
    load->member_rows = extent->rows;
    return sino_insert_load_weights(runtime, minibatch->position, load, io, minibatch->vector[0][0],
                                    minibatch->vector[vector]);
}

int64_t sino_input_weights_bytes(const SinoSolverSettings *settings, const SinoInput *input, int64_t slice_count)
{
    const int64_t row = sino_times(sino_times(slice_count, input->geometry.column_count), (int64_t)sizeof(float));
    const int64_t pixels = sino_times(sino_times(input->binning, input->binning), input->info->angle_binning);
    if (settings->weights != SINO_WEIGHTS_FILE) return 0;
    return (input->weights ? sino_weights_bytes(input->weights) : 0) +
           sino_larger(SINO_WEIGHTS_PIECE_BYTES, sino_times(row, sino_larger(pixels, 1))) +
           sino_larger(SINO_WEIGHTS_PIECE_BYTES, row);
}
