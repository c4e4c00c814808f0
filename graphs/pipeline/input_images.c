/* SPDX-License-Identifier: BSD-3-Clause */
/* Input, images: what is done with whole projections before the logarithm: the tilt of the detector, and phase
 * retrieval. */
#include "arithmetic.h"
#include "input.h"

#include <math.h>

/* The range of Paganin's filter. */
static SinoStatus take_phase(const SinoSettings *settings, SinoInput *input)
{
    const double pixel_m = settings->pixel_size_um * 1e-6, distance_m = settings->propagation_mm * 1e-3;
    const bool wanted = settings->phase_method != SINO_PHASE_NONE;
    const struct {
        const char *name;
        double value;
    } needed[] = {{"delta-beta", settings->delta_beta},
                  {"energy", settings->energy_kev},
                  {"propagation-distance", settings->propagation_mm},
                  {"pixel-size", settings->pixel_size_um}};
    for (int i = 0; i < 4; i++) {
        SINO_CHECK(!wanted || needed[i].value > 0, SINO_BAD_INPUT,
                   "phase-method is paganin without --%s; needed: --delta-beta, --energy, --propagation-distance and "
                   "--pixel-size",
                   needed[i].name);
        SINO_CHECK(wanted || i == 3 || !(needed[i].value > 0), SINO_BAD_INPUT,
                   "%s is %g, but phase-method is none; allowed: --%s with --phase-method paganin", needed[i].name,
                   needed[i].value, needed[i].name);
    }
    if (!wanted) return NULL;
    SINO_CHECK(
        input->minus_log, SINO_BAD_INPUT,
        "phase-method is paganin, but the values are line integrals; allowed: with --data counts or transmission");
    const double wavelength_m = 1.2398419843320026e-9 / settings->energy_kev; /* hc */
    const double range = sqrt(settings->delta_beta * wavelength_m * distance_m / (4 * SINO_PI)) / pixel_m;
    SINO_CHECK(
        range <= SINO_PHASE_RANGE_MAX, SINO_BAD_INPUT,
        "phase-method paganin would blur over %.4g pixels, by delta-beta %g, energy %g keV, propagation-distance "
        "%g mm and pixel-size %g micrometres; allowed: values that give up to %g pixels",
        range, settings->delta_beta, settings->energy_kev, settings->propagation_mm, settings->pixel_size_um,
        SINO_PHASE_RANGE_MAX);
    input->phase = (SinoPhaseOptions){.range = range};
    return NULL;
}

SinoStatus sino_input_take_images(const SinoSettings *settings, SinoInput *input)
{
    input->tilt_rad = settings->detector_tilt_deg * SINO_PI / 180;
    return take_phase(settings, input);
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
