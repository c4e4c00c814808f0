/* SPDX-License-Identifier: BSD-3-Clause */
/* Phase: transmissions of a projection's rows, their spectra, and a sum over neighbouring rows for each frequency.
 *
 * Rows 2m and 2m + 1 of the detector are the real and the imaginary part of one complex transform, both ways. Whatever
 * rows a call makes, the rows of a pair are transformed together, so that a row is the same, to the bit, in any call.
 */
#include "arithmetic.h"
#include "phase_private.h"
#include "transmission.h"
#include "vector.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Floats that arrays begin at multiples of. */
enum { ALIGNED = 16, PART = SINO_PHASE_PART };

/* Floats of one pair of rows with its continuation, and of its spectrum. */
static int64_t pair_floats(const SinoPhaseOptions *options)
{
    return sino_ceil_multiple(sino_times(2, sino_phase_padded(options)), ALIGNED);
}

/* Floats of a call: two rows and a light; a pair and its spectrum; the spectra of rows and halo; those of the result;
 * its values; bounds of rows and halo. */
static int64_t scratch_floats(const SinoPhaseOptions *options, int64_t rows)
{
    const int64_t lines = rows + sino_times(2, sino_phase_halo(options)), made = rows + 2;
    return sino_times(3 + lines + 2 * made, sino_phase_stride(options)) + sino_times(2, pair_floats(options)) +
           sino_ceil_multiple(2 * lines, ALIGNED);
}

int64_t sino_phase_scratch_bytes(const SinoPhaseOptions *options, int64_t rows)
{
    return sino_times(scratch_floats(options, rows), (int64_t)sizeof(float));
}

/* One call. Rows are those of the detector, and may lie beyond it. */
typedef struct Call {
    const SinoPhase *phase;
    const SinoCorrection *correction;
    SinoTransmission from;
    int64_t image_row;         /* the first of the counts */
    int64_t own, rows;         /* of the result */
    int64_t made, made_rows;   /* with what completes pairs; even */
    int64_t first, line_count; /* with the rows beside; even */
    float *line[2], *pair, *spectrum;
    SinoTransmissionBounds *bounds; /* [line_count] */
    float *spectra, *sums, *image;  /* [line_count][stride], [made_rows][stride], [rows][columns of the result] */
} Call;

/* The row of the counts that is number i of the lines. Rows beyond the detector are its outermost ones. */
static int64_t row_of(const Call *call, int64_t i)
{
    const int64_t row = call->first + i - call->image_row;
    return sino_smaller(sino_larger(row, 0), call->correction->row_count - 1);
}

/* The mask of undefined values of a row of the result: its values in the image are NaN or 0. */
static void mark(const Call *call, int64_t i, bool any, const float *line)
{
    const int64_t columns = call->correction->column_count;
    float *marks = call->image + (call->first + i - call->own) * columns;
    line += call->phase->options.first_column;
    memset(marks, 0, (size_t)columns * sizeof *marks);
    for (int64_t c = 0; any && c < columns; c++) marks[c] = isnan(line[c]) ? NAN : 0;
}

/* Reads row i of the lines, without gaps. */
static void read_line(const Call *call, const void *image, int64_t k, int64_t i, float *line)
{
    const int64_t undefined = sino_transmission_row(&call->from, image, k, row_of(call, i), call->bounds[i], line);
    const int64_t row = call->first + i;
    if (row >= call->own && row < call->own + call->rows) mark(call, i, undefined > 0, line);
    if (undefined > 0) sino_transmission_fill(call->phase->options.column_count, 1, line);
}

/* Makes two rows the real and the imaginary part of a pair, continued by their outermost values: half of the rest
 * follows, half precedes, all around. */
SINO_VECTORISED static void join(int64_t columns, int64_t padded, const float *even, const float *odd, float *pair)
{
    const int64_t middle = columns + (padded - columns) / 2;
    for (int64_t c = 0; c < columns; c++) {
        pair[2 * c] = even[c];
        pair[2 * c + 1] = odd[c];
    }
    for (int64_t c = columns; c < padded; c++) {
        pair[2 * c] = c < middle ? even[columns - 1] : even[0];
        pair[2 * c + 1] = c < middle ? odd[columns - 1] : odd[0];
    }
}

/* Twice the spectra of both rows from that of the pair; the kernel halves them. */
SINO_VECTORISED static void part(int64_t padded, const float *pair, float *even, float *odd)
{
    even[0] = 2 * pair[0];
    odd[0] = 2 * pair[1];
    even[1] = odd[1] = 0;
    for (int64_t n = 1; n <= padded / 2; n++) {
        const float *here = pair + 2 * n, *mirror = pair + 2 * (padded - n);
        even[2 * n] = here[0] + mirror[0];
        even[2 * n + 1] = here[1] - mirror[1];
        odd[2 * n] = here[1] + mirror[1];
        odd[2 * n + 1] = mirror[0] - here[0];
    }
}

/* The spectrum of a pair from those of both rows. */
SINO_VECTORISED static void unite(int64_t padded, const float *even, const float *odd, float *pair)
{
    pair[0] = even[0];
    pair[1] = odd[0];
    for (int64_t n = 1; n <= padded / 2; n++) {
        float *here = pair + 2 * n, *mirror = pair + 2 * (padded - n);
        mirror[0] = even[2 * n] + odd[2 * n + 1];
        mirror[1] = odd[2 * n] - even[2 * n + 1];
        here[0] = even[2 * n] - odd[2 * n + 1];
        here[1] = odd[2 * n] + even[2 * n + 1];
    }
}

/* The spectra of the rows of angle k, those of the halo included. */
static void transform_rows(const Call *call, int64_t k)
{
    const SinoPhase *phase = call->phase;
    const void *image = sino_transmission_image(&call->from, k);
    for (int64_t i = 0; i < call->line_count; i += 2) {
        float *even = call->spectra + i * phase->stride, *odd = even + phase->stride;
        read_line(call, image, k, i, call->line[0]);
        read_line(call, image, k, i + 1, call->line[1]);
        if (i > 0 && row_of(call, i - 2) == row_of(call, i + 1)) {
            memcpy(even, even - 2 * phase->stride, 2 * (size_t)phase->stride * sizeof *even);
            continue;
        }
        join(phase->options.column_count, phase->padded, call->line[0], call->line[1], call->pair);
        fftwf_execute_dft(phase->forward, (void *)call->pair, (void *)call->spectrum);
        part(phase->padded, call->spectrum, even, odd);
    }
}

/* Sums over the rows beside a row of the result, for some frequencies. */
SINO_VECTORISED static void add_rows(int64_t reach, int64_t stride, const float *kernel, const float *middle,
                                     float *sum)
{
    float total[PART];
    for (int64_t n = 0; n < PART; n++) total[n] = kernel[n] * middle[n];
    for (int64_t j = 1; j <= reach; j++) {
        const float *factor = kernel + j * stride, *before = middle - j * stride, *after = middle + j * stride;
        for (int64_t n = 0; n < PART; n++) total[n] += factor[n] * (before[n] + after[n]);
    }
    memcpy(sum, total, sizeof total);
}

SINO_VECTORISED static void add_rest(int64_t count, int64_t reach, int64_t stride, const float *kernel,
                                     const float *middle, float *sum)
{
    for (int64_t n = 0; n < count; n++) sum[n] = kernel[n] * middle[n];
    for (int64_t j = 1; j <= reach; j++) {
        const float *factor = kernel + j * stride, *before = middle - j * stride, *after = middle + j * stride;
        for (int64_t n = 0; n < count; n++) sum[n] += factor[n] * (before[n] + after[n]);
    }
}

/* The filter along the columns, part by part of the frequencies. */
static void filter_columns(const Call *call)
{
    const SinoPhase *phase = call->phase;
    const int64_t values = phase->padded + 2;
    for (int64_t first = 0; first < values; first += PART) {
        const int64_t count = sino_smaller(PART, values - first), reach = phase->part_reach[first / PART];
        for (int64_t i = 0; i < call->made_rows; i++) {
            const float *middle = call->spectra + (call->made - call->first + i) * phase->stride + first;
            float *sum = call->sums + i * phase->stride + first;
            if (count == PART)
                add_rows(reach, phase->stride, phase->kernel + first, middle, sum);
            else
                add_rest(count, reach, phase->stride, phase->kernel + first, middle, sum);
        }
    }
}

/* Adds the real (0) or imaginary (1) part of a pair to a row of the image, if it is one of the result. */
static void add_row(const Call *call, int64_t row, int64_t imaginary)
{
    const int64_t columns = call->correction->column_count, i = row - call->own;
    const float *from = call->pair + 2 * call->phase->options.first_column + imaginary;
    float *to = call->image + i * columns;
    if (i < 0 || i >= call->rows) return;
    if (call->phase->options.weak)
        for (int64_t c = 0; c < columns; c++) to[c] += 1 - from[2 * c];
    else
        for (int64_t c = 0; c < columns; c++) to[c] += from[2 * c];
}

/* The filtered image of angle k, [rows][columns of the correction]. */
static const void *filter_image(void *of, int64_t k)
{
    Call *call = of;
    const SinoPhase *phase = call->phase;
    transform_rows(call, k);
    filter_columns(call);
    for (int64_t i = 0; i < call->made_rows; i += 2) {
        const float *even = call->sums + i * phase->stride;
        unite(phase->padded, even, even + phase->stride, call->spectrum);
        fftwf_execute_dft(phase->backward, (void *)call->spectrum, (void *)call->pair);
        add_row(call, call->made + i, 0);
        add_row(call, call->made + i + 1, 1);
    }
    return call->image;
}

/* The even number at or below a row, which may be negative. */
static int64_t even_row(int64_t row)
{
    return row - (row & 1);
}

/* Places the arrays of a call in the scratch memory. */
static void place(float *scratch, Call *call)
{
    const int64_t stride = call->phase->stride, pair = pair_floats(&call->phase->options);
    call->line[0] = scratch;
    call->line[1] = scratch + stride;
    call->from.light = scratch + 2 * stride;
    call->pair = scratch + 3 * stride;
    call->spectrum = call->pair + pair;
    call->spectra = call->spectrum + pair;
    call->sums = call->spectra + call->line_count * stride;
    call->image = call->sums + call->made_rows * stride;
    call->bounds = (SinoTransmissionBounds *)(call->image + (call->rows + 2) * stride);
}

SinoStatus sino_phase_correct(const SinoPhase *phase, const SinoCorrection *correction, int64_t image_row,
                              const void *counts, const float *flat, const float *dark, void *scratch, void *sinogram,
                              int64_t *repaired, int64_t *tally)
{
    const int64_t rows = sino_times(correction->slices.slice_count, correction->binning);
    const int64_t own = image_row + correction->first_row;
    const int64_t made = even_row(own), made_end = even_row(own + rows + 1);
    const int64_t first = even_row(made - phase->reach), end = even_row(made_end + phase->reach + 1);
    Call call = {.phase = phase,
                 .correction = correction,
                 .from = {.correction = correction,
                          .column_count = phase->options.column_count,
                          .counts = counts,
                          .flat = flat,
                          .dark = dark},
                 .image_row = image_row,
                 .own = own,
                 .rows = rows,
                 .made = made,
                 .made_rows = made_end - made,
                 .first = first,
                 .line_count = end - first};
    SinoCorrection after = *correction;
    assert(phase->options.first_column + correction->column_count <= phase->options.column_count);
    place(scratch, &call);
    for (int64_t i = 0; i < call.line_count; i++)
        call.bounds[i] = sino_transmission_bounds(&call.from, row_of(&call, i));
    after.input = SINO_CORRECT_FLOAT32;
    after.row_count = rows;
    after.first_row = 0;
    after.flat_field = false;
    after.minus_log = correction->minus_log && !phase->options.weak;
    after.saturation = after.plausible = 0;
    after.image = filter_image;
    after.image_of = &call;
    return sino_correct(&after, NULL, NULL, NULL, sinogram, repaired, tally);
}
