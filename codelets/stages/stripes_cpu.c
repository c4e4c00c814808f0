/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripes: sinograms between panels and methods. A few slices are gathered together, since a ray's slices share cache
 * lines. */
#include "memory.h"
#include "stripes_private.h"
#include "stripes_sorted.h"
#include "undefined.h"
#include "vector.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { TOGETHER = 8, BLOCK = 16, APART = 5 * BLOCK };

struct SinoStripes {
    SinoStripesOptions options;
    SinoStripesFw *fw; /* of that method; owned */
};

SinoStatus sino_stripes_new(const SinoStripesOptions *options, SinoStripes **stripes)
{
    SinoStripes *made;
    assert(options->angle_count >= 1 && options->column_count >= 1);
    SINO_TRY(sino_allocate(1, sizeof *made, "the removal of stripes", &made));
    made->options = *options;
    SinoStatus status = options->method == SINO_STRIPES_FW ? sino_stripes_fw_new(options, &made->fw) : NULL;
    if (status)
        sino_stripes_free(made);
    else
        *stripes = made;
    return status;
}

void sino_stripes_free(SinoStripes *stripes)
{
    if (!stripes) return;
    sino_stripes_fw_free(stripes->fw);
    free(stripes);
}

const SinoStripesOptions *sino_stripes_options(const SinoStripes *stripes)
{
    return &stripes->options;
}

static int64_t work_floats(const SinoStripesOptions *options)
{
    switch (options->method) {
    case SINO_STRIPES_FW:
        return sino_stripes_fw_floats(options);
    case SINO_STRIPES_TI:
        return sino_stripes_ti_floats(options);
    case SINO_STRIPES_WIENER:
        return sino_stripes_wiener_floats(options);
    case SINO_STRIPES_SORTING:
    case SINO_STRIPES_VO_ALL:
        return sino_stripes_vo_floats(options);
    case SINO_STRIPES_NONE:
        break;
    }
    return 0;
}

/* Floats of a gathered sinogram, in whole cache lines. A few more keep the slices out of the same cache sets. */
static int64_t sinogram_floats(const SinoStripesOptions *options)
{
    return sino_ceil_multiple(sino_times(options->angle_count, options->column_count), BLOCK) + APART;
}

int64_t sino_stripes_scratch_bytes(const SinoStripesOptions *options)
{
    const int64_t dead_bytes = sino_ceil_multiple(options->column_count, SINO_ALIGNMENT_BYTES);
    const int64_t floats = sino_times(TOGETHER, sinogram_floats(options)) + work_floats(options);
    return sino_larger(sino_times(floats, (int64_t)sizeof(float)) + dead_bytes, sino_stripes_sorted_bytes(options));
}

/* The place of (k, c) in a gathered sinogram is k·angle_step + c·column_step. */
typedef struct Layout {
    int64_t angle_count, column_count, angle_step, column_step, floats;
    const int64_t *place; /* angle k has the rays place[k]·column_count + c; NULL: k */
} Layout;

SINO_INLINE int64_t ray_of(const Layout *at, int64_t k, int64_t c)
{
    return (at->place ? at->place[k] : k) * at->column_count + c;
}

static Layout layout_of(const SinoStripesOptions *options, const int64_t *place)
{
    /* sinogram[column][angle], in place of [angle][column] */
    const bool transposed = options->method == SINO_STRIPES_SORTING || options->method == SINO_STRIPES_VO_ALL;
    return (Layout){.angle_count = options->angle_count,
                    .column_count = options->column_count,
                    .angle_step = transposed ? 1 : options->column_count,
                    .column_step = transposed ? options->angle_count : 1,
                    .floats = sinogram_floats(options),
                    .place = place};
}

/* Angles whose rays are gathered together: BLOCK, so that whole cache lines of a transposed sinogram are written. */
SINO_INLINE int64_t angles_together(const Layout *at)
{
    return at->angle_step == 1 ? BLOCK : 1;
}

/* Gathers `count` slices of a panel, whose rays are `stride` values apart. from: the first of these slices of ray 0. */
#define DEFINE_GATHER(name, type)                                                                                      \
    SINO_VECTORISED static void name(const Layout *at, int64_t stride, int64_t count, const type *from, float *to)     \
    {                                                                                                                  \
        for (int64_t first = 0; first < at->angle_count; first += angles_together(at)) {                               \
            const int64_t end = sino_smaller(first + angles_together(at), at->angle_count);                            \
            for (int64_t c = 0; c < at->column_count; c++)                                                             \
                for (int64_t k = first; k < end; k++) {                                                                \
                    const type *ray = from + ray_of(at, k, c) * stride;                                                \
                    for (int64_t f = 0; f < count; f++)                                                                \
                        to[f * at->floats + k * at->angle_step + c * at->column_step] = (float)ray[f];                 \
                }                                                                                                      \
        }                                                                                                              \
    }

/* −0 stays; zeros of the result become +0. */
#define DEFINE_SCATTER(name, type)                                                                                     \
    SINO_VECTORISED static void name(const Layout *at, int64_t stride, int64_t count, const float *from, type *to)     \
    {                                                                                                                  \
        for (int64_t first = 0; first < at->angle_count; first += angles_together(at)) {                               \
            const int64_t end = sino_smaller(first + angles_together(at), at->angle_count);                            \
            for (int64_t c = 0; c < at->column_count; c++)                                                             \
                for (int64_t k = first; k < end; k++) {                                                                \
                    type *ray = to + ray_of(at, k, c) * stride;                                                        \
                    for (int64_t f = 0; f < count; f++) {                                                              \
                        const type value =                                                                             \
                            (type)from[f * at->floats + k * at->angle_step + c * at->column_step] + (type)0;           \
                        ray[f] = sino_is_undefined(ray[f]) ? ray[f] : value;                                           \
                    }                                                                                                  \
                }                                                                                                      \
        }                                                                                                              \
    }

DEFINE_GATHER(gather_single, float)
DEFINE_GATHER(gather_double, double)
DEFINE_SCATTER(scatter_single, float)
DEFINE_SCATTER(scatter_double, double)

/* Whether values that follow each other are all defined. */
SINO_VECTORISED static bool all_defined(int64_t count, const float *value)
{
    uint32_t undefined = 0;
    for (int64_t c = 0; c < count; c++) undefined |= sino_is_undefined(value[c]);
    return !undefined;
}

/* Interpolates the undefined values of row k between the nearest defined columns; false: the row has none. */
static bool fill_row(const Layout *at, int64_t k, float *sinogram)
{
    float *row = sinogram + k * at->angle_step;
    const int64_t step = at->column_step;
    int64_t left = -1;
    if (step == 1 && all_defined(at->column_count, row)) return true;
    for (int64_t c = 0; c < at->column_count; c++) {
        if (sino_is_undefined(row[c * step])) continue;
        for (int64_t i = left + 1; i < c; i++) {
            const float share = left < 0 ? 1 : (float)(i - left) / (float)(c - left);
            row[i * step] = left < 0 ? row[c * step] : (1 - share) * row[left * step] + share * row[c * step];
        }
        left = c;
    }
    for (int64_t i = left + 1; left >= 0 && i < at->column_count; i++) row[i * step] = row[left * step];
    return left >= 0;
}

static void copy_row(const Layout *at, int64_t from, int64_t to, float *sinogram)
{
    for (int64_t c = 0; c < at->column_count; c++)
        sinogram[to * at->angle_step + c * at->column_step] = sinogram[from * at->angle_step + c * at->column_step];
}

/* Gives undefined values some value that makes no stripe. A row without defined values gets those of the row before
 * it, the first ones those of the first row that has any. */
static void fill_undefined(const Layout *at, float *sinogram)
{
    int64_t last = -1;
    for (int64_t k = 0; k < at->angle_count; k++) {
        if (fill_row(at, k, sinogram)) {
            for (int64_t i = 0; last < 0 && i < k; i++) copy_row(at, k, i, sinogram);
            last = k;
        } else if (last >= 0) {
            copy_row(at, last, k, sinogram);
        }
    }
    if (last < 0) memset(sinogram, 0, (size_t)at->floats * sizeof *sinogram);
}

static void run_method(const SinoStripes *stripes, float *work, uint8_t *dead, float *sinogram)
{
    const SinoStripesOptions *options = &stripes->options;
    memset(dead, 0, (size_t)options->column_count);
    if (options->method == SINO_STRIPES_FW)
        sino_stripes_fw_run(stripes->fw, work, sinogram);
    else if (options->method == SINO_STRIPES_TI)
        sino_stripes_ti_run(options, work, sinogram);
    else if (options->method == SINO_STRIPES_WIENER)
        sino_stripes_wiener_run(options, work, sinogram, dead);
    else
        sino_stripes_vo_run(options, options->method == SINO_STRIPES_VO_ALL, work, sinogram, dead);
}

/* Dead columns of a panel's slice become −0. */
static void write_marks(const Layout *at, SinoSlices slices, const uint8_t *dead, void *slice)
{
    for (int64_t c = 0; c < at->column_count; c++)
        for (int64_t k = 0; dead[c] && k < at->angle_count; k++) {
            const int64_t ray = ray_of(at, k, c) * slices.stride;
            if (slices.precision == SINO_DOUBLE)
                ((double *)slice)[ray] = -0.0;
            else
                ((float *)slice)[ray] = -0.0F;
        }
}

/* Slices first … first + count − 1 of a panel. */
static void run_together(const SinoStripes *stripes, Layout at, SinoSlices slices, int64_t first, int64_t count,
                         bool marked, float *scratch, void *panel)
{
    float *work = scratch + TOGETHER * at.floats;
    uint8_t *dead = (uint8_t *)(work + work_floats(&stripes->options));
    void *slice = (char *)panel + (size_t)first * sino_precision_bytes(slices.precision);
    if (slices.precision == SINO_DOUBLE)
        gather_double(&at, slices.stride, count, slice, scratch);
    else
        gather_single(&at, slices.stride, count, slice, scratch);
    for (int64_t f = 0; f < count; f++) {
        float *sinogram = scratch + f * at.floats;
        fill_undefined(&at, sinogram);
        run_method(stripes, work, dead, sinogram);
        if (marked) write_marks(&at, slices, dead, (char *)slice + (size_t)f * sino_precision_bytes(slices.precision));
    }
    if (slices.precision == SINO_DOUBLE)
        scatter_double(&at, slices.stride, count, scratch, slice);
    else
        scatter_single(&at, slices.stride, count, scratch, slice);
}

void sino_stripes_run(const SinoStripes *stripes, SinoSlices slices, const int64_t *place, bool marked, void *scratch,
                      void *sinogram)
{
    const Layout layout = layout_of(&stripes->options, place);
    const int64_t rays = layout.angle_count * layout.column_count;
    if (stripes->options.method == SINO_STRIPES_NONE) return;
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.slice_count; at = sino_panel_next(slices, at)) {
        void *panel = sino_panel_to(at, rays, sinogram);
        const bool sorted = sino_stripes_sorted_takes(&stripes->options) &&
                            sino_stripes_sorted_run(&stripes->options, at.slices, place, scratch, panel);
        for (int64_t f = 0; !sorted && f < at.slices.slice_count; f += TOGETHER)
            run_together(stripes, layout, at.slices, f, sino_smaller(TOGETHER, at.slices.slice_count - f), marked,
                         scratch, panel);
    }
}
