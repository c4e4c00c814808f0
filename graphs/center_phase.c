/* SPDX-License-Identifier: BSD-3-Clause */
/* Center by phase correlation: the first projection and the one half a turn later are mirror images about the axis. */
#include "center_search.h"

#include "memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const double half_turn_rad = 3.14159265358979323846;

/* The angle nearest to half a turn from the first, at most half a degree off. */
static SinoStatus opposite_angle(const SinoGeometry *geometry, int64_t *opposite)
{
    const double allowed_rad = half_turn_rad / 360;
    double least = INFINITY;
    for (int64_t k = 1; k < geometry->angle_count; k++) {
        const double off = fabs(fabs(geometry->angle_rad[k] - geometry->angle_rad[0]) - half_turn_rad);
        if (off >= least) continue;
        least = off;
        *opposite = k;
    }
    /* One step short of half a turn is what a scan of [0°, 180°) has. */
    const double step = geometry->angle_count > 1 ? fabs(geometry->angle_rad[1] - geometry->angle_rad[0]) : 0;
    SINO_CHECK(least <= fmax(allowed_rad, 1.5 * step), SINO_BAD_INPUT,
               "no two angles are half a turn apart (the nearest pair is %.2f degrees off), which phase correlation "
               "needs; give --rotation-axis, or --rotation-axis-auto vo",
               least * 180 / half_turn_rad);
    return NULL;
}

/* Buffers for two projections and the fields, all [row][column] of the selected box. */
typedef struct Buffers {
    float *fields, *flat, *dark, *counts, *interleaved, *image[2];
    int64_t *repaired;
} Buffers;

static SinoStatus new_buffers(const SinoInput *input, Buffers *buffers)
{
    const SinoScanInfo *info = input->info;
    const int64_t pixels = input->row_count * input->column_count;
    const int64_t fields = info->flat_count > info->dark_count ? info->flat_count : info->dark_count;
    float **const pixel_buffer[] = {&buffers->flat,        &buffers->dark,     &buffers->counts,
                                    &buffers->interleaved, &buffers->image[0], &buffers->image[1]};
    for (size_t i = 0; i < sizeof pixel_buffer / sizeof *pixel_buffer; i++)
        SINO_TRY(sino_allocate(pixels, sizeof(float), "a projection", pixel_buffer[i]));
    SINO_TRY(sino_allocate(fields * pixels, sizeof(float), "flat or dark fields", &buffers->fields));
    return sino_allocate(input->slice_count, sizeof(int64_t), "repair counts", &buffers->repaired);
}

static void free_buffers(Buffers *buffers)
{
    free(buffers->fields);
    free(buffers->flat);
    free(buffers->dark);
    free(buffers->counts);
    free(buffers->interleaved);
    free(buffers->image[0]);
    free(buffers->image[1]);
    free(buffers->repaired);
}

static SinoStatus read_fields(const SinoInput *input, const SinoScanBox *box, Buffers *buffers)
{
    const int64_t pixels = input->row_count * input->column_count;
    if (input->flat_correction == SINO_FLAT_NONE) return NULL;
    SINO_TRY(sino_scan_read_flats(input->scan, box, buffers->fields));
    sino_fields_mean(input->info->flat_count, pixels, buffers->fields, buffers->flat);
    SINO_TRY(sino_scan_read_darks(input->scan, box, buffers->fields));
    sino_fields_mean(input->info->dark_count, pixels, buffers->fields, buffers->dark);
    return NULL;
}

/* Slices of a projection, which lie in panels, to image[row][column]. */
static void deinterleave(SinoSlices slices, int64_t columns, const float *interleaved, float *image)
{
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.slice_count; at = sino_panel_next(slices, at)) {
        const float *panel = sino_panel_from(at, columns, interleaved);
        float *rows = image + at.first * columns;
        for (int64_t f = 0; f < at.slices.slice_count; f++)
            for (int64_t c = 0; c < columns; c++) rows[f * columns + c] = panel[c * at.slices.stride + f];
    }
}

static SinoStatus read_image(const SinoInput *input, const SinoScanBox *box, int64_t angle, Buffers *buffers,
                             float *image)
{
    const int64_t rows = input->slice_count;
    const SinoSlices slices = {.precision = SINO_SINGLE, .stride = rows, .slice_count = rows};
    SinoCorrection correction = sino_input_correction(input, slices, rows, 0);
    correction.angle_count = 1;
    correction.input = SINO_CORRECT_FLOAT32;
    SINO_TRY(sino_scan_read_projection(input->scan, angle, box, buffers->counts));
    SINO_TRY(sino_correct(&correction, buffers->counts, buffers->flat, buffers->dark, buffers->interleaved,
                          buffers->repaired));
    deinterleave(slices, input->geometry.column_count, buffers->interleaved, image);
    return NULL;
}

SinoStatus sino_center_by_phase(const SinoInput *input, double *center)
{
    SinoStatus status = NULL;
    Buffers buffers = {0};
    int64_t opposite = 0;
    const SinoScanBox box = sino_input_load(input, 0, input->slice_count).box;
    SINO_TRY(opposite_angle(&input->geometry, &opposite));
    SINO_TRY_OR(status, cleanup, new_buffers(input, &buffers));
    SINO_TRY_OR(status, cleanup, read_fields(input, &box, &buffers));
    SINO_TRY_OR(status, cleanup, read_image(input, &box, 0, &buffers, buffers.image[0]));
    SINO_TRY_OR(status, cleanup, read_image(input, &box, opposite, &buffers, buffers.image[1]));
    status = sino_center_phase_correlation(input->slice_count, input->geometry.column_count, buffers.image[0],
                                           buffers.image[1], center);
cleanup:
    free_buffers(&buffers);
    return status;
}
