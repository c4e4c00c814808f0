/* SPDX-License-Identifier: BSD-3-Clause */
/* Correct: counts to line integrals, p = −ln((count − dark)/(flat − dark)), by the Beer-Lambert law (Kak & Slaney,
 * Principles of Computerized Tomographic Imaging, ch. 4.1). */
#include "correct.h"
#include "memory.h"
#include "plausible.h"
#include "vector.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Lines of a panel are transposed in blocks of BLOCK slices by BLOCK columns. BLOCK floats of one ray fill a cache line
 * of the interleaved result. */
enum { BLOCK = 16 };

/* Padding of one cache line, which keeps the lines of a block out of the same cache sets. */
enum { LINE_PADDING = 8 };

/* Arrays of one call, each [slices][line_stride]. */
typedef struct CorrectLines {
    int64_t column_count; /* M, the columns after binning */
    int64_t line_stride;  /* M rounded up to whole blocks, plus LINE_PADDING */
    double *dark;         /* F lines: the sum of the dark field over each bin */
    double *inverse;      /* F lines: 1/(flat − dark), summed over a bin; NaN unless positive and finite */
    double *light;        /* of several sets of flat fields, F lines each: flat − dark, summed over a bin */
    double *now;          /* a line: `inverse` of an angle between two sets */
    double *value;        /* BLOCK lines of one angle */
    double *limit;        /* [slice]: counts of this value or more are saturated */
    double *plausible;    /* [slice]: counts and fields as far from 0 as this are implausible */
} CorrectLines;

/* Counts above `least` and below `limit` are defined. */
typedef struct Range {
    double least, limit;
} Range;

/* The count, NaN if it is undefined. */
SINO_INLINE double within(double count, Range range)
{
    return ((count >= range.limit) | (count <= range.least)) ? NAN : count;
}

#define DEFINE_ADD_ROW(name, type)                                                                                     \
    SINO_VECTORISED static void name(const void *row, int64_t column_count, int64_t binning, Range range,              \
                                     double *line)                                                                     \
    {                                                                                                                  \
        const type *from = row;                                                                                        \
        if (binning == 1) { /* apart: only this loop vectorises */                                                     \
            for (int64_t c = 0; c < column_count; c++) line[c] += within((double)from[c], range);                      \
            return;                                                                                                    \
        }                                                                                                              \
        for (int64_t c = 0; c < column_count; c++) {                                                                   \
            for (int64_t b = 0; b < binning; b++) line[c] += within((double)from[c * binning + b], range);             \
        }                                                                                                              \
    }

DEFINE_ADD_ROW(add_row_uint8, uint8_t)
DEFINE_ADD_ROW(add_row_uint16, uint16_t)
DEFINE_ADD_ROW(add_row_float32, float)

/* Writes the lines of a block to the interleaved result. NaN becomes −0, the mark of a value that is undefined; every
 * other zero becomes +0, also that of a double that a float cannot hold. */
#define DEFINE_SCATTER_LINES(name, type)                                                                               \
    SINO_VECTORISED static void name(const CorrectLines *lines, int64_t slice_count, int64_t slice_stride,             \
                                     void *sinogram)                                                                   \
    {                                                                                                                  \
        for (int64_t first = 0; first < lines->column_count; first += BLOCK) {                                         \
            const int64_t left = lines->column_count - first, count = left < BLOCK ? left : BLOCK;                     \
            type *to = (type *)sinogram + first * slice_stride;                                                        \
            type line[BLOCK][BLOCK], ray[BLOCK][BLOCK];                                                                \
            for (int f = 0; f < BLOCK; f++) {                                                                          \
                for (int c = 0; c < BLOCK; c++) {                                                                      \
                    const type value = (type)lines->value[f * lines->line_stride + first + c];                         \
                    line[f][c] = isnan(value) ? -(type)0 : value + 0;                                                  \
                }                                                                                                      \
            }                                                                                                          \
            for (int c = 0; c < BLOCK; c++)                                                                            \
                for (int f = 0; f < BLOCK; f++) ray[c][f] = line[f][c];                                                \
            for (int64_t c = 0; c < count; c++)                                                                        \
                memcpy(to + c * slice_stride, ray[c], (size_t)slice_count * sizeof(type));                             \
        }                                                                                                              \
    }

DEFINE_SCATTER_LINES(scatter_lines_single, float)
DEFINE_SCATTER_LINES(scatter_lines_double, double)

static void (*const add_row[])(const void *row, int64_t column_count, int64_t binning, Range range, double *line) = {
    [SINO_CORRECT_UINT8] = add_row_uint8,
    [SINO_CORRECT_UINT16] = add_row_uint16,
    [SINO_CORRECT_FLOAT32] = add_row_float32,
};

/* The sums over the bins of slice f in image[row_count][column_count]; NaN for a bin with a count outside the range. */
static void sum_bins(const SinoCorrection *correction, SinoCorrectInput input, const void *image, int64_t f,
                     Range range, double *line)
{
    const int64_t column_count = correction->column_count / correction->binning;
    memset(line, 0, (size_t)column_count * sizeof *line);
    for (int64_t b = 0; b < correction->binning; b++) {
        const int64_t row = correction->first_row + f * correction->binning + b;
        const char *from = (const char *)image + row * correction->column_count * sino_correct_input_bytes(input);
        add_row[input](from, column_count, correction->binning, range, line);
    }
}

static void fill_constant(double value, int64_t count, double *line)
{
    for (int64_t c = 0; c < count; c++) line[c] = value;
}

/* The limit is infinite if the flat fields themselves are overexposed in these rows. */
static double limit_of(const SinoCorrection *correction, int64_t count, int64_t saturated)
{
    return correction->saturation <= 0 || saturated * 100 > count ? INFINITY : correction->saturation;
}

SinoCorrectBounds sino_correct_bounds(const SinoCorrection *correction, const float *flat, int64_t columns, int64_t row,
                                      int64_t rows)
{
    const int64_t count = rows * columns, sets = sino_larger(correction->flat_sets, 1);
    int exponents[SINO_EXPONENTS] = {0};
    int64_t saturated = 0;
    if (!correction->flat_field)
        return (SinoCorrectBounds){limit_of(correction, count, 0),
                                   correction->plausible > 0 ? correction->plausible : INFINITY};
    for (int64_t s = 0; s < sets; s++) {
        const float *from = flat + (s * correction->row_count + row) * columns;
        for (int64_t i = 0; i < count && correction->saturation > 0; i++)
            saturated += (double)from[i] >= correction->saturation;
        for (int64_t i = 0; i < count && correction->plausible > 0; i++) exponents[sino_exponent_of(from[i])]++;
    }
    return (SinoCorrectBounds){limit_of(correction, sets * count, saturated),
                               correction->plausible > 0 ? correction->plausible * sino_exponents_level(exponents)
                                                         : INFINITY};
}

static Range fields_of(const CorrectLines *lines, int64_t f)
{
    return (Range){-lines->plausible[f], lines->plausible[f]};
}

static Range counts_of(const CorrectLines *lines, int64_t f)
{
    return (Range){-lines->plausible[f], fmin(lines->plausible[f], lines->limit[f])};
}

/* Fills the lines of light of slice f, whose line of dark is known. */
static void prepare_sets(const SinoCorrection *correction, const float *flat, int64_t f, const CorrectLines *lines)
{
    const double *dark_line = lines->dark + f * lines->line_stride;
    const int64_t pixels = correction->row_count * correction->column_count;
    for (int64_t s = 0; s < correction->flat_sets; s++) {
        double *line = lines->light + (s * correction->slices.slice_count + f) * lines->line_stride;
        sum_bins(correction, SINO_CORRECT_FLOAT32, flat + s * pixels, f, fields_of(lines, f), line);
        for (int64_t c = 0; c < lines->column_count; c++) line[c] -= dark_line[c];
    }
}

/* inverse: 1/light of an angle between two sets of flat fields; NaN unless the light is positive and finite. */
SINO_VECTORISED static void interpolate_line(const double *before, const double *after, double share,
                                             int64_t column_count, double *inverse)
{
    for (int64_t c = 0; c < column_count; c++) {
        const double light = before[c] + (after[c] - before[c]) * share;
        inverse[c] = light > 0 && light <= DBL_MAX ? 1 / light : NAN;
    }
}

/* 1/(flat − dark) of slice f at angle k. */
static const double *inverse_of(const SinoCorrection *correction, const CorrectLines *lines, int64_t k, int64_t f)
{
    const int64_t set_lines = correction->slices.slice_count * lines->line_stride;
    if (correction->flat_sets <= 1 || !correction->flat_field) return lines->inverse + f * lines->line_stride;
    const double at = correction->flat_at[k];
    const int64_t last = correction->flat_sets - 1, set = at < (double)last ? (int64_t)at : last - 1;
    const double *before = lines->light + set * set_lines + f * lines->line_stride;
    interpolate_line(before, before + set_lines, at - (double)set, lines->column_count, lines->now);
    return lines->now;
}

/* Fills the limits of counts and the lines of dark and inverse. Sums over a bin give the same quotient as averages.
 * Without a flat field, a factor of 1/binning² makes the average. */
static void prepare_fields(const SinoCorrection *correction, const float *flat, const float *dark,
                           const CorrectLines *lines)
{
    const double bin_pixels = (double)(correction->binning * correction->binning);
    for (int64_t f = 0; f < correction->slices.slice_count; f++) {
        double *dark_line = lines->dark + f * lines->line_stride;
        double *inverse_line = lines->inverse + f * lines->line_stride;
        const int64_t row = correction->first_row + f * correction->binning;
        const SinoCorrectBounds bounds =
            sino_correct_bounds(correction, flat, correction->column_count, row, correction->binning);
        lines->limit[f] = bounds.limit;
        lines->plausible[f] = bounds.plausible;
        if (!correction->flat_field) {
            fill_constant(1 / bin_pixels, lines->column_count, inverse_line);
            continue;
        }
        if (dark) sum_bins(correction, SINO_CORRECT_FLOAT32, dark, f, fields_of(lines, f), dark_line);
        if (correction->flat_sets > 1) {
            prepare_sets(correction, flat, f, lines);
            continue;
        }
        sum_bins(correction, SINO_CORRECT_FLOAT32, flat, f, fields_of(lines, f), inverse_line);
        for (int64_t c = 0; c < lines->column_count; c++) {
            const double difference = inverse_line[c] - dark_line[c];
            inverse_line[c] = difference > 0 && difference <= DBL_MAX ? 1 / difference : NAN;
        }
    }
}

/* −ln t with a relative error of 5·10⁻¹⁶, in a form that compilers vectorise: t = 2^e·m with m in [√½, √2) and ln m =
 * 2·artanh(s), s = (m − 1)/(m + 1). The result is NaN if t is not a positive finite number. t is never subnormal:
 * counts are floats, whose differences are at least 2⁻¹⁴⁹ and whose quotients exceed 2⁻³⁰⁰. */
SINO_INLINE double minus_log(double t)
{
    const uint64_t root_half = 0x3fe6a09e667f3bcd, bias = 1023, two52 = 0x4330000000000000;
    const double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33;
    uint64_t bits, biased;
    double m, exponent;
    memcpy(&bits, &t, sizeof bits);
    biased = (bits - root_half + (bias << 52)) >> 52;
    bits -= (biased - bias) << 52;
    memcpy(&m, &bits, sizeof m);
    biased |= two52; /* now the bits of the double 2⁵² + biased */
    memcpy(&exponent, &biased, sizeof exponent);
    exponent -= 0x1p52 + 1023;
    const double s = (m - 1) / (m + 1), z = s * s;
    double series = 2.0 / 19;
    series = series * z + 2.0 / 17;
    series = series * z + 2.0 / 15;
    series = series * z + 2.0 / 13;
    series = series * z + 2.0 / 11;
    series = series * z + 2.0 / 9;
    series = series * z + 2.0 / 7;
    series = series * z + 2.0 / 5;
    series = series * z + 2.0 / 3;
    const double value = exponent * ln2_high + (2 * s + (s * (z * series) + exponent * ln2_low));
    return t > 0 && t <= DBL_MAX ? -value : NAN;
}

/* Turns sums of counts into transmissions. */
SINO_VECTORISED static void divide_line(const double *dark, const double *inverse, int64_t column_count, double *line)
{
    for (int64_t c = 0; c < column_count; c++) line[c] = (line[c] - dark[c]) * inverse[c];
}

/* Results stored as floats need no more accuracy than minus_log has. For doubles the C library computes the logarithm,
 * correct to the last bit or nearly so, and 5 times as slowly. */
SINO_VECTORISED static void minus_log_line(SinoPrecision precision, int64_t column_count, double *line)
{
    if (precision == SINO_DOUBLE)
        for (int64_t c = 0; c < column_count; c++) line[c] = -log(line[c]);
    else
        for (int64_t c = 0; c < column_count; c++) line[c] = minus_log(line[c]);
}

/* Replaces infinite values and values beyond `largest` by NaN; returns the number of NaN values in the line. */
SINO_VECTORISED static int64_t mark_undefined(double largest, int64_t column_count, double *line)
{
    int64_t undefined = 0;
    for (int64_t c = 0; c < column_count; c++) {
        const bool defined = fabs(line[c]) <= largest;
        line[c] = defined ? line[c] : NAN;
        undefined += !defined;
    }
    return undefined;
}

/* Turns sums of counts into values, NaN where undefined; returns the number of undefined values. The logarithm is
 * finite only for a positive finite number, so one test of the result is enough. */
static int64_t integrate_line(const SinoCorrection *correction, const double *dark, const double *inverse,
                              int64_t column_count, double *line)
{
    const SinoPrecision precision = correction->slices.precision;
    divide_line(dark, inverse, column_count, line);
    if (correction->minus_log) minus_log_line(precision, column_count, line);
    return mark_undefined(precision == SINO_DOUBLE ? DBL_MAX : (double)FLT_MAX, column_count, line);
}

/* Interpolates the columns between the defined columns `left` and `right`. left = −1: there is no defined column on the
 * left, so the right one is copied. */
static void fill_gap(double *line, int64_t left, int64_t right)
{
    for (int64_t c = left + 1; c < right; c++) {
        const double share = left < 0 ? 1 : (double)(c - left) / (double)(right - left);
        line[c] = left < 0 ? line[right] : (1 - share) * line[left] + share * line[right];
    }
}

static void repair_line(int64_t column_count, double *line)
{
    int64_t left = -1;
    for (int64_t c = 0; c < column_count; c++) {
        if (isnan(line[c])) continue;
        fill_gap(line, left, c);
        left = c;
    }
    const double tail = left < 0 ? 0 : line[left];
    fill_constant(tail, column_count - left - 1, line + left + 1);
}

/* Numbers of undefined values, as sino_correct returns them. */
typedef struct Undefined {
    int64_t *slice, *angle, *column; /* angle: that of the image at hand */
} Undefined;

/* Counts the undefined values of a line of slice f. */
static void count_line(int64_t f, int64_t undefined, int64_t column_count, const double *line, const Undefined *to)
{
    to->slice[f] += undefined;
    *to->angle += undefined;
    for (int64_t c = 0; c < column_count; c++) to->column[c] += isnan(line[c]) != 0;
}

/* Integrates the lines of `count` slices, from slice `first` on, of
 * angle k, whose image is [row_count][column_count]. */
static void integrate_block(const SinoCorrection *correction, int64_t k, const void *image, int64_t first,
                            int64_t count, const CorrectLines *lines, const Undefined *to)
{
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = (first + i) * lines->line_stride;
        double *line = lines->value + i * lines->line_stride;
        sum_bins(correction, correction->input, image, first + i, counts_of(lines, first + i), line);
        const double *inverse = inverse_of(correction, lines, k, first + i);
        const int64_t undefined = integrate_line(correction, lines->dark + at, inverse, lines->column_count, line);
        if (undefined == 0) continue;
        if (first + i >= correction->uncounted) count_line(first + i, undefined, lines->column_count, line, to);
        if (!correction->marked) repair_line(lines->column_count, line);
    }
}

/* Zeroes the padding in the rows of one angle. */
static void clear_padding(SinoSlices slices, int64_t column_count, char *sinogram)
{
    const size_t bytes = sino_precision_bytes(slices.precision);
    const size_t padding = (size_t)(slices.stride - slices.slice_count) * bytes;
    if (padding == 0) return;
    for (int64_t c = 0; c < column_count; c++) {
        memset(sinogram + (size_t)(c * slices.stride + slices.slice_count) * bytes, 0, padding);
    }
}

/* Corrects one angle of one panel, from image[row_count][column_count] to sinogram[M][slice of the panel]. */
static void correct_projection(const SinoCorrection *correction, int64_t k, SinoPanel panel, const void *image,
                               const CorrectLines *lines, char *sinogram, const Undefined *to)
{
    const SinoSlices slices = panel.slices;
    for (int64_t first = 0; first < slices.slice_count; first += BLOCK) {
        const int64_t rest = slices.slice_count - first;
        const int64_t count = rest < BLOCK ? rest : BLOCK;
        integrate_block(correction, k, image, panel.first + first, count, lines, to);
        char *rays = sinogram + (size_t)first * sino_precision_bytes(slices.precision);
        if (slices.precision == SINO_DOUBLE) {
            scatter_lines_double(lines, count, slices.stride, rays);
        } else {
            scatter_lines_single(lines, count, slices.stride, rays);
        }
    }
    clear_padding(slices, lines->column_count, sinogram);
}

/* Corrects angle k of every panel. */
static void correct_angle(const SinoCorrection *correction, int64_t k, const void *counts, const CorrectLines *lines,
                          void *sinogram, const Undefined *to)
{
    const SinoSlices slices = correction->slices;
    const int64_t ray_count = correction->angle_count * lines->column_count;
    const int64_t place = correction->place ? correction->place[k] : k;
    const int64_t first_pixel = k * correction->row_count * correction->column_count;
    const void *image = correction->image
                            ? correction->image(correction->image_of, k)
                            : (const char *)counts + first_pixel * sino_correct_input_bytes(correction->input);
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        const size_t row_bytes = (size_t)at.slices.stride * sino_precision_bytes(slices.precision);
        char *panel = sino_panel_to(at, ray_count, sinogram);
        correct_projection(correction, k, at, image, lines, panel + (size_t)(place * lines->column_count) * row_bytes,
                           to);
    }
}

SinoStatus sino_correct(const SinoCorrection *correction, const void *counts, const float *flat, const float *dark,
                        void *sinogram, int64_t *repaired, int64_t *tally)
{
    const int64_t slice_count = correction->slices.slice_count;
    assert(correction->binning >= 1 && correction->first_row >= 0);
    assert(correction->first_row + slice_count * correction->binning <= correction->row_count);
    assert(correction->slices.stride >= slice_count && (flat || !correction->flat_field));
    const int64_t column_count = correction->column_count / correction->binning;
    const int64_t line_stride = (column_count + BLOCK - 1) / BLOCK * BLOCK + LINE_PADDING;
    const int64_t field_lines = sino_times(slice_count, line_stride);
    double *memory = NULL;
    const int64_t value_lines = BLOCK * line_stride;
    const int64_t light_lines = correction->flat_sets > 1 ? sino_times(correction->flat_sets, field_lines) : 0;
    SINO_TRY(sino_allocate(2 * field_lines + value_lines + light_lines + line_stride + 2 * slice_count, sizeof *memory,
                           "lines of counts", &memory));
    double *const value = memory + 2 * field_lines, *const light = value + value_lines;
    const CorrectLines lines = {.column_count = column_count,
                                .line_stride = line_stride,
                                .dark = memory,
                                .inverse = memory + field_lines,
                                .light = light,
                                .now = light + light_lines,
                                .value = value,
                                .limit = light + light_lines + line_stride,
                                .plausible = light + light_lines + line_stride + slice_count};
    prepare_fields(correction, flat, dark, &lines);
    memset(repaired, 0, (size_t)slice_count * sizeof *repaired);
    memset(tally, 0, (size_t)(correction->angle_count + column_count) * sizeof *tally);
    for (int64_t k = 0; k < correction->angle_count; k++) {
        const Undefined to = {repaired, tally + k, tally + correction->angle_count};
        correct_angle(correction, k, counts, &lines, sinogram, &to);
    }
    free(memory);
    return NULL;
}

void sino_fields_mean(int64_t field_count, int64_t pixel_count, const float *fields, float *result)
{
    for (int64_t p = 0; p < pixel_count; p++) {
        double sum = 0;
        int64_t finite_count = 0;
        for (int64_t i = 0; i < field_count; i++) {
            const float value = fields[i * pixel_count + p];
            if (!isfinite(value)) continue;
            sum += (double)value;
            finite_count++;
        }
        result[p] = finite_count ? (float)(sum / (double)finite_count) : 0;
    }
}

/* Reorders `value` so that value[k] is the k-th smallest and no value before it is larger: Hoare's FIND (CACM 4, 321
 * (1961)). */
static void select_smallest(int64_t k, int64_t count, float *value)
{
    int64_t low = 0, high = count - 1;
    while (low < high) {
        const float pivot = value[k];
        int64_t i = low, j = high;
        while (i <= j) {
            while (value[i] < pivot) i++;
            while (pivot < value[j]) j--;
            if (i > j) break;
            const float swapped = value[i];
            value[i++] = value[j];
            value[j--] = swapped;
        }
        if (j < k) low = i;
        if (k < i) high = j;
    }
}

/* The median: the middle value, or the mean of the two middle values. Reorders `value`. */
static float median(int64_t count, float *value)
{
    if (count == 0) return 0;
    const int64_t middle = count / 2;
    select_smallest(middle, count, value);
    if (count % 2) return value[middle];
    float below = value[0];
    for (int64_t i = 1; i < middle; i++) below = fmaxf(below, value[i]);
    return (float)(((double)below + (double)value[middle]) / 2);
}

SinoStatus sino_fields_median(int64_t field_count, int64_t pixel_count, const float *fields, float *result)
{
    float *value = NULL;
    SINO_TRY(sino_allocate(field_count, sizeof *value, "values of one pixel", &value));
    for (int64_t p = 0; p < pixel_count; p++) {
        int64_t finite_count = 0;
        for (int64_t i = 0; i < field_count; i++) {
            const float field = fields[i * pixel_count + p];
            if (isfinite(field)) value[finite_count++] = field;
        }
        result[p] = median(finite_count, value);
    }
    free(value);
    return NULL;
}
