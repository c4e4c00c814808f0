/* SPDX-License-Identifier: BSD-3-Clause */
/* Correct: counts to line integrals, p = −ln((count − dark)/(flat − dark)), by the Beer-Lambert law (Kak & Slaney,
 * Principles of Computerized Tomographic Imaging, ch. 4.1). */
#include "correct.h"
#include "memory.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Slices of a panel are done in blocks whose floats of one ray fill a cache line of the interleaved result. */
enum { SLICE_BLOCK = 16 };

/* Lines of M columns are this many doubles further apart, lest the 16 of a block meet in the same cache sets. */
enum { LINE_PADDING = 8 };

/* What one call holds: each array is [slices][line_stride]. */
typedef struct CorrectLines {
    int64_t column_count; /* M: after binning */
    int64_t line_stride;
    double *dark;    /* F lines: the sum of the dark field over a bin */
    double *inverse; /* F lines: 1/(flat − dark), summed over a bin; NaN where that is no positive finite number */
    double *value;   /* SLICE_BLOCK lines of one angle */
} CorrectLines;

#define DEFINE_ADD_ROW(name, type)                                                                                     \
    static void name(const void *row, int64_t column_count, int64_t binning, double *line)                             \
    {                                                                                                                  \
        const type *from = row;                                                                                        \
        if (binning == 1) { /* apart, because only this loop vectorizes */                                             \
            for (int64_t c = 0; c < column_count; c++) line[c] += (double)from[c];                                     \
            return;                                                                                                    \
        }                                                                                                              \
        for (int64_t c = 0; c < column_count; c++) {                                                                   \
            for (int64_t b = 0; b < binning; b++) line[c] += (double)from[c * binning + b];                            \
        }                                                                                                              \
    }

DEFINE_ADD_ROW(add_row_uint8, uint8_t)
DEFINE_ADD_ROW(add_row_uint16, uint16_t)
DEFINE_ADD_ROW(add_row_float32, float)

#define DEFINE_SCATTER_LINES(name, type)                                                                               \
    static void name(const CorrectLines *lines, int64_t slice_count, int64_t slice_stride, void *sinogram)             \
    {                                                                                                                  \
        type *to = sinogram;                                                                                           \
        for (int64_t c = 0; c < lines->column_count; c++) {                                                            \
            const double *from = lines->value + c;                                                                     \
            for (int64_t f = 0; f < slice_count; f++) {                                                                \
                to[c * slice_stride + f] = (type)from[f * lines->line_stride];                                         \
            }                                                                                                          \
        }                                                                                                              \
    }

DEFINE_SCATTER_LINES(scatter_lines_single, float)
DEFINE_SCATTER_LINES(scatter_lines_double, double)

static const struct {
    size_t bytes;
    void (*add_row)(const void *row, int64_t column_count, int64_t binning, double *line);
} inputs[] = {
    [SINO_CORRECT_UINT8] = {sizeof(uint8_t), add_row_uint8},
    [SINO_CORRECT_UINT16] = {sizeof(uint16_t), add_row_uint16},
    [SINO_CORRECT_FLOAT32] = {sizeof(float), add_row_float32},
};

/* The sums over the bins of slice f in image[row_count][column_count]. */
static void sum_bins(const SinoCorrection *correction, SinoCorrectInput input, const void *image, int64_t f,
                     double *line)
{
    const int64_t column_count = correction->column_count / correction->binning;
    memset(line, 0, (size_t)column_count * sizeof *line);
    for (int64_t b = 0; b < correction->binning; b++) {
        const int64_t row = correction->first_row + f * correction->binning + b;
        const char *from = (const char *)image + (size_t)(row * correction->column_count) * inputs[input].bytes;
        inputs[input].add_row(from, column_count, correction->binning, line);
    }
}

static void fill_constant(double value, int64_t count, double *line)
{
    for (int64_t c = 0; c < count; c++) line[c] = value;
}

/* Sums over a bin serve the quotient as well as averages do; without a flat field, 1/binning² makes the average. */
static void prepare_fields(const SinoCorrection *correction, const float *flat, const float *dark,
                           const CorrectLines *lines)
{
    const double bin_pixels = (double)(correction->binning * correction->binning);
    for (int64_t f = 0; f < correction->slices.slice_count; f++) {
        double *dark_line = lines->dark + f * lines->line_stride;
        double *inverse_line = lines->inverse + f * lines->line_stride;
        if (!correction->flat_field) {
            fill_constant(1 / bin_pixels, lines->column_count, inverse_line);
            continue;
        }
        if (dark) sum_bins(correction, SINO_CORRECT_FLOAT32, dark, f, dark_line);
        sum_bins(correction, SINO_CORRECT_FLOAT32, flat, f, inverse_line);
        for (int64_t c = 0; c < lines->column_count; c++) {
            const double difference = inverse_line[c] - dark_line[c];
            inverse_line[c] = difference > 0 && difference <= DBL_MAX ? 1 / difference : NAN;
        }
    }
}

/* Sums of counts to values, NaN where undefined; returns how many are. The logarithm of what is not a positive finite
 * number is not finite, so one test of the result decides. */
static int64_t integrate_line(const SinoCorrection *correction, const double *dark, const double *inverse,
                              int64_t column_count, double *line)
{
    const double largest = correction->slices.precision == SINO_DOUBLE ? DBL_MAX : (double)FLT_MAX;
    int64_t undefined = 0;
    for (int64_t c = 0; c < column_count; c++) {
        const double transmission = (line[c] - dark[c]) * inverse[c];
        const double value = correction->minus_log ? -log(transmission) : transmission;
        const bool defined = fabs(value) <= largest;
        line[c] = defined ? value : NAN;
        undefined += !defined;
    }
    return undefined;
}

/* The columns between `left` and `right`, both defined; left −1: there is none. */
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

/* Lines of `count` slices from `first` on, of one image[row_count][column_count]. */
static void integrate_block(const SinoCorrection *correction, const void *image, int64_t first, int64_t count,
                            const CorrectLines *lines, int64_t *repaired)
{
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = (first + i) * lines->line_stride;
        double *line = lines->value + i * lines->line_stride;
        sum_bins(correction, correction->input, image, first + i, line);
        const int64_t undefined =
            integrate_line(correction, lines->dark + at, lines->inverse + at, lines->column_count, line);
        if (undefined) repair_line(lines->column_count, line);
        repaired[first + i] += undefined;
    }
}

/* What pads the rows of one angle. */
static void clear_padding(SinoSlices slices, int64_t column_count, char *sinogram)
{
    const size_t bytes = sino_precision_bytes(slices.precision);
    const size_t padding = (size_t)(slices.stride - slices.slice_count) * bytes;
    if (padding == 0) return;
    for (int64_t c = 0; c < column_count; c++) {
        memset(sinogram + (size_t)(c * slices.stride + slices.slice_count) * bytes, 0, padding);
    }
}

/* One angle of one panel: image[row_count][column_count] to sinogram[M][slice of the panel]. */
static void correct_projection(const SinoCorrection *correction, SinoPanel panel, const void *image,
                               const CorrectLines *lines, char *sinogram, int64_t *repaired)
{
    const SinoSlices slices = panel.slices;
    for (int64_t first = 0; first < slices.slice_count; first += SLICE_BLOCK) {
        const int64_t rest = slices.slice_count - first;
        const int64_t count = rest < SLICE_BLOCK ? rest : SLICE_BLOCK;
        integrate_block(correction, image, panel.first + first, count, lines, repaired);
        char *to = sinogram + (size_t)first * sino_precision_bytes(slices.precision);
        if (slices.precision == SINO_DOUBLE) {
            scatter_lines_double(lines, count, slices.stride, to);
        } else {
            scatter_lines_single(lines, count, slices.stride, to);
        }
    }
    clear_padding(slices, lines->column_count, sinogram);
}

/* Angle k of every panel. */
static void correct_angle(const SinoCorrection *correction, int64_t k, const void *counts, const CorrectLines *lines,
                          void *sinogram, int64_t *repaired)
{
    const SinoSlices slices = correction->slices;
    const int64_t ray_count = correction->angle_count * lines->column_count;
    const int64_t place = correction->place ? correction->place[k] : k;
    const int64_t first_pixel = k * correction->row_count * correction->column_count;
    const char *image = (const char *)counts + (size_t)first_pixel * inputs[correction->input].bytes;
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        const size_t row_bytes = (size_t)at.slices.stride * sino_precision_bytes(slices.precision);
        char *panel = sino_panel_to(at, ray_count, sinogram);
        correct_projection(correction, at, image, lines, panel + (size_t)(place * lines->column_count) * row_bytes,
                           repaired);
    }
}

SinoStatus sino_correct(const SinoCorrection *correction, const void *counts, const float *flat, const float *dark,
                        void *sinogram, int64_t *repaired)
{
    const int64_t slice_count = correction->slices.slice_count;
    assert(correction->binning >= 1 && correction->first_row >= 0);
    assert(correction->first_row + slice_count * correction->binning <= correction->row_count);
    assert(correction->slices.stride >= slice_count && (flat || !correction->flat_field));
    const int64_t column_count = correction->column_count / correction->binning;
    const int64_t line_stride = column_count + LINE_PADDING;
    const int64_t field_lines = slice_count * line_stride;
    double *memory = NULL;
    SINO_TRY(sino_allocate(2 * field_lines + SLICE_BLOCK * line_stride, sizeof *memory, "lines of counts", &memory));
    const CorrectLines lines = {column_count, line_stride, memory, memory + field_lines, memory + 2 * field_lines};
    prepare_fields(correction, flat, dark, &lines);
    memset(repaired, 0, (size_t)slice_count * sizeof *repaired);
    for (int64_t k = 0; k < correction->angle_count; k++) {
        correct_angle(correction, k, counts, &lines, sinogram, repaired);
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

/* Reorder so that value[k] is the k-th smallest and nothing before it is larger: Hoare's FIND (CACM 4, 321 (1961)). */
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

/* The middle value, or the mean of the two; reorders `value`. */
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
