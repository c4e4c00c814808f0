/* SPDX-License-Identifier: BSD-3-Clause */
/* Input, images: what is done with whole projections before the logarithm: the tilt of the detector, and phase
 * retrieval. */
#include "arithmetic.h"
#include "images_task.h"
#include "input.h"

#include <math.h>

SinoStatus sino_input_take_images(const SinoSettings *settings, SinoInput *input)
{
    const double tilt_deg = settings->stages.detector_tilt_deg;
    input->tilt_rad = isnan(tilt_deg) ? 0 : tilt_deg * SINO_PI / 180;
    SINO_TRY(sino_input_take_order(&settings->stages, input));
    return sino_input_take_phase(settings, input);
}

bool sino_input_has_images(const SinoInput *input)
{
    return input->phase.range > 0 || input->tilt_rad != 0;
}

SinoPhaseOptions sino_input_phase(const SinoInput *input)
{
    SinoPhaseOptions phase = input->phase;
    phase.column_count = input->info->column_count;
    phase.first_column = input->first_column;
    return phase;
}

SinoTilt sino_input_tilt(const SinoInput *input, int64_t image_row)
{
    return (SinoTilt){.angle_rad = input->tilt_rad,
                      .row_count = input->info->row_count,
                      .column_count = input->info->column_count,
                      .first_column = input->first_column,
                      .image_row = image_row};
}

int64_t sino_input_halo(const SinoInput *input)
{
    const SinoPhaseOptions phase = sino_input_phase(input);
    const SinoTilt tilt = sino_input_tilt(input, 0);
    return (phase.range > 0 ? sino_phase_halo(&phase) : 0) + sino_tilt_halo(&tilt);
}

int64_t sino_input_images_bytes(const SinoInput *input, int64_t rows)
{
    const SinoPhaseOptions phase = sino_input_phase(input);
    const SinoTilt tilt = sino_input_tilt(input, 0);
    if (input->tilt_rad != 0) return sino_tilt_scratch_bytes(&tilt, phase.range > 0 ? &phase : NULL, rows);
    return phase.range > 0 ? sino_phase_scratch_bytes(&phase, rows) : 0;
}

int64_t sino_input_images_gpu_bytes(const SinoInput *input, int64_t slices)
{
    const SinoPhaseOptions phase = sino_input_phase(input);
    const SinoTilt tilt = sino_input_tilt(input, 0);
    const SinoCorrection correction = {.slices = {.slice_count = slices},
                                       .angle_count = input->angle_count,
                                       .column_count = input->column_count,
                                       .binning = input->binning};
    return sino_images_gpu_bytes(&tilt, phase.range > 0 ? &phase : NULL, &correction);
}
