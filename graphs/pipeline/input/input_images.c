/* SPDX-License-Identifier: BSD-3-Clause */
/* Input, images: what is done with whole projections before the logarithm: the tilt of the detector, and phase
 * retrieval. */
#include "input.h"
#include "memory.h"
#include "scanner_header.h"
#include "shifts_file.h"
#include "stages_tasks.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_aligned_by(const SinoStageSettings *settings, const char *word)
{
    return settings->align && strcmp(settings->align, word) == 0;
}

bool sino_input_searches_shifts(const SinoStageSettings *settings)
{
    return is_aligned_by(settings, "shifts") || sino_input_searches_turns(settings);
}

bool sino_input_searches_turns(const SinoStageSettings *settings)
{
    return is_aligned_by(settings, "pose");
}

const char *sino_input_shifts_file(const SinoStageSettings *settings)
{
    const bool word =
        sino_input_searches_shifts(settings) || is_aligned_by(settings, "header") || is_aligned_by(settings, "none");
    return word ? NULL : settings->align;
}

int64_t sino_input_projection(const SinoInput *input, int64_t angle)
{
    return input->info->projection ? input->info->projection[angle] : angle;
}

int64_t sino_input_projections(const SinoInput *input)
{
    return input->info->projection ? input->info->file_angle_count : input->geometry.angle_count;
}

SinoStatus sino_input_take_shifts(const SinoShift *all, SinoInput *input)
{
    SinoShift *shift;
    SINO_TRY(sino_allocate(input->geometry.angle_count, sizeof *shift, "shifts", &shift));
    input->shift_reach = 0;
    for (int64_t k = 0; k < input->geometry.angle_count; k++) {
        shift[k] = all[sino_input_projection(input, k)];
        input->shift_reach = fmax(input->shift_reach, fabs(shift[k].row));
    }
    free(input->shift);
    input->shift = shift;
    return NULL;
}

static SinoStatus take_header_shifts(const char *path, int64_t count, double most, SinoInput *input)
{
    SinoScannerHeader header = {.path = NULL};
    SinoStatus status = path && sino_scanner_probe(path) ? sino_scanner_read(path, &header) : NULL;
    if (!status && (!header.shift || header.angle_count != count))
        status = sino_error(SINO_BAD_INPUT,
                            "align is header, and %s tells no shifts of %" PRId64
                            " projections; allowed: none, shifts, or a file of shifts",
                            path ? path : "the scan", count);
    for (int64_t k = 0; k < count && !status; k++)
        if (fabs(header.shift[k].column) > most || fabs(header.shift[k].row) > most)
            status =
                sino_error(SINO_BAD_INPUT, "%s shifts projection %" PRId64 " by (%g, %g) pixels; allowed: up to %g",
                           path, k, header.shift[k].column, header.shift[k].row, most);
    if (!status) status = sino_input_take_shifts(header.shift, input);
    sino_scanner_clear(&header);
    return status;
}

static SinoStatus take_file_shifts(const char *path, int64_t count, double most, SinoInput *input)
{
    SinoShift *all;
    SINO_TRY(sino_allocate(count, sizeof *all, "shifts", &all));
    SinoStatus status = sino_shifts_read(path, count, most, all);
    if (!status) status = sino_input_take_shifts(all, input);
    free(all);
    return status;
}

static SinoStatus take_shifts(const SinoSettings *settings, SinoInput *input)
{
    const char *file = sino_input_shifts_file(&settings->stages);
    const int64_t count = sino_input_projections(input);
    const double most = (double)sino_larger(input->info->row_count, input->info->column_count);
    if (file) return take_file_shifts(file, count, most, input);
    if (!is_aligned_by(&settings->stages, "header")) return NULL;
    return take_header_shifts(settings->input.file_name, count, most, input);
}

SinoStatus sino_input_take_images(const SinoSettings *settings, SinoInput *input)
{
    const double tilt_deg = settings->stages.detector_tilt_deg;
    input->tilt_rad = isnan(tilt_deg) ? 0 : tilt_deg * SINO_PI / 180;
    SINO_TRY(take_shifts(settings, input));
    SINO_TRY(sino_input_take_order(&settings->stages, input));
    return sino_input_take_phase(settings, input);
}

bool sino_input_has_images(const SinoInput *input)
{
    return input->phase.range > 0 || input->tilt_rad != 0 || input->shift;
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
                      .image_row = image_row,
                      .shift = input->shift,
                      .reach = input->shift_reach};
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
    if (sino_tilt_wanted(&tilt)) return sino_tilt_scratch_bytes(&tilt, phase.range > 0 ? &phase : NULL, rows);
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
