/* SPDX-License-Identifier: BSD-3-Clause */
/* Tilt: rows of transmissions with a margin, and a cubic between four of them for each pixel. */
#include "arithmetic.h"
#include "tilt_private.h"
#include "transmission.h"
#include "vector.h"

#include <math.h>

/* Floats that lines begin at multiples of, and columns that continue a line before it and after it. */
enum { ALIGNED = 16, MARGIN = 4 };

static int64_t stride_of(const SinoTilt *tilt)
{
    return sino_ceil_multiple(tilt->column_count + (int64_t)2 * MARGIN, ALIGNED);
}

/* Floats of a call: the light of a row; of all rows that an image depends on: lines, marks of undefined values, bounds;
 * the image. */
static int64_t scratch_floats(const SinoTilt *tilt, const SinoPhaseOptions *phase, int64_t rows)
{
    const int64_t made = sino_tilt_image_rows(phase, rows), lines = made + 2 * sino_tilt_halo(tilt);
    return sino_times(1 + 2 * lines + made, stride_of(tilt)) + sino_ceil_multiple(2 * lines, ALIGNED);
}

int64_t sino_tilt_scratch_bytes(const SinoTilt *tilt, const SinoPhaseOptions *phase, int64_t rows)
{
    const int64_t own = sino_times(scratch_floats(tilt, phase, rows), (int64_t)sizeof(float));
    return own + (phase ? sino_phase_scratch_bytes(phase, rows) : 0);
}

/* One call. Rows are those of the detector. */
typedef struct Call {
    const SinoTilt *tilt;
    SinoTransmission from;
    SinoTiltPart part;
    int64_t stride;
    float *lines, *marks; /* [from_rows][stride]: transmissions without gaps; NaN where they are undefined, else 0 */
    float *image;         /* [rows][column_count] */
    SinoTransmissionBounds *bounds; /* [from_rows] */
} Call;

/* Fills the line and the marks of row i of those that the image depends on. */
static void read_row(const Call *call, const void *image, int64_t k, int64_t i)
{
    const int64_t columns = call->tilt->column_count;
    const float alone = call->from.correction->minus_log ? 1 : 0;
    float *line = call->lines + i * call->stride + MARGIN, *marks = call->marks + i * call->stride + MARGIN;
    const int64_t row = call->part.from_first - call->tilt->image_row + i;
    const int64_t undefined = sino_transmission_row(&call->from, image, k, row, call->bounds[i], line);
    for (int64_t c = 0; c < columns; c++) marks[c] = isnan(line[c]) ? NAN : 0;
    if (undefined > 0) sino_transmission_fill(columns, alone, line);
    for (int64_t m = 1; m <= MARGIN; m++) {
        line[-m] = line[0];
        line[columns - 1 + m] = line[columns - 1];
    }
}

/* The weights of the four values around t in [0, 1) between the second and the third. */
SINO_INLINE void weigh(float t, float weight[4])
{
    weight[0] = ((-0.5F * t + 1) * t - 0.5F) * t;
    weight[1] = (1.5F * t - 2.5F) * t * t + 1;
    weight[2] = ((-1.5F * t + 2) * t + 0.5F) * t;
    weight[3] = (0.5F * t - 0.5F) * t * t;
}

/* The value at a place of the detector, inside the outer edges of its outermost pixels. */
SINO_INLINE float value_at(const Call *call, double row, double column)
{
    const double row_below = floor(row), column_below = floor(column);
    const int64_t x = (int64_t)column_below, last = call->part.from_rows - 1;
    float across[4], along[4], line[4], least = INFINITY, sum = 0;
    weigh((float)(column - column_below), across);
    weigh((float)(row - row_below), along);
    for (int64_t j = 0; j < 4; j++) {
        const int64_t y = sino_smaller(sino_larger((int64_t)row_below - 1 + j - call->part.from_first, 0), last);
        const float *at = call->lines + y * call->stride + MARGIN + x - 1;
        line[j] = across[0] * at[0] + across[1] * at[1] + across[2] * at[2] + across[3] * at[3];
        if (j == 1 || j == 2) least = fminf(least, fminf(at[1], at[2]));
        sum += along[j] * line[j];
    }
    return call->from.correction->minus_log ? fmaxf(sum, least / 2) : sum;
}

/* Makes a row of the image of a projection with this shift. */
SINO_VECTORISED static void turn_row(const Call *call, SinoShift shift, int64_t r, float *to)
{
    const SinoTilt *tilt = call->tilt;
    const double sine = sin(tilt->angle_rad), cosine = cos(tilt->angle_rad);
    const double middle = (double)(tilt->row_count - 1) / 2, center = (double)(tilt->column_count - 1) / 2;
    const double rows = (double)tilt->row_count, columns = (double)tilt->column_count;
    for (int64_t i = 0; i < call->part.column_count; i++) {
        const double c = (double)(call->part.first_column + i) - center;
        const double row = middle + ((double)r - middle) * cosine - c * sine + shift.row;
        const double column = center + ((double)r - middle) * sine + c * cosine + shift.column;
        if (!(row >= -0.5 && row < rows - 0.5 && column >= -0.5 && column < columns - 0.5)) {
            to[i] = NAN;
            continue;
        }
        const int64_t y = (int64_t)floor(row + 0.5) - call->part.from_first, x = (int64_t)floor(column + 0.5);
        to[i] = value_at(call, row, column) + call->marks[y * call->stride + MARGIN + x];
    }
}

/* The upright image of angle k. */
static const void *turn_image(void *of, int64_t k)
{
    Call *call = of;
    const void *image = sino_transmission_image(&call->from, k);
    const SinoShift shift = call->tilt->shift ? call->tilt->shift[k] : (SinoShift){0, 0};
    for (int64_t i = 0; i < call->part.from_rows; i++) read_row(call, image, k, i);
    for (int64_t i = 0; i < call->part.rows; i++)
        turn_row(call, shift, call->part.first + i, call->image + i * call->part.column_count);
    return call->image;
}

/* Places the arrays of a call in the scratch memory; returns what is left of it. */
static float *place(float *scratch, Call *call)
{
    call->from.light = scratch;
    call->lines = scratch + call->stride;
    call->marks = call->lines + call->part.from_rows * call->stride;
    call->image = call->marks + call->part.from_rows * call->stride;
    float *const bounds = call->image + sino_ceil_multiple(call->part.rows * call->part.column_count, ALIGNED);
    call->bounds = (SinoTransmissionBounds *)bounds;
    return bounds + sino_ceil_multiple(2 * call->part.from_rows, ALIGNED);
}

SinoStatus sino_tilt_correct(const SinoTilt *tilt, const SinoPhase *phase, const SinoCorrection *correction,
                             const void *counts, const float *flat, const float *dark, void *scratch, void *sinogram,
                             int64_t *repaired, int64_t *tally)
{
    Call call = {.tilt = tilt,
                 .from = {.correction = correction,
                          .column_count = tilt->column_count,
                          .counts = counts,
                          .flat = flat,
                          .dark = dark},
                 .stride = stride_of(tilt)};
    call.part = sino_tilt_part(tilt, phase ? sino_phase_options(phase) : NULL, correction);
    SinoCorrection after = sino_tilt_after(tilt, &call.part, correction);
    float *rest = place(scratch, &call);
    for (int64_t i = 0; i < call.part.from_rows; i++)
        call.bounds[i] = sino_transmission_bounds(&call.from, call.part.from_first - tilt->image_row + i);
    after.image = turn_image;
    after.image_of = &call;
    if (phase)
        return sino_phase_correct(phase, &after, call.part.first, NULL, NULL, NULL, rest, sinogram, repaired, tally);
    return sino_correct(&after, NULL, NULL, NULL, sinogram, repaired, tally);
}
