/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripes, the Fourier-wavelet method (Münch et al. 2009).
 *
 * Level l of the two-dimensional wavelet transform has a band that is smooth along the angles and rough along the
 * columns, where stripes are low frequencies along the angles. Only these change, and the transform is linear. So what
 * the method removes is the inverse transform of the removed parts of these bands alone, and the other bands, half of
 * the transform, need not be computed:
 *
 *     X₀ = sinogram with zeros before and after;   Aₗ = smooth along angles of Xₗ₋₁
 *     Xₗ, Vₗ = smooth, rough along columns of Aₗ;   Rₗ = removed part of Vₗ
 *     sinogram −= inverse of all Rₗ
 *
 * The wavelet is Daubechies' with five vanishing moments (db5). Rows and columns are continued symmetrically. */
#include "memory.h"
#include "stripes_private.h"
#include "vector.h"

#include <fftw3.h>
#include <stdlib.h>
#include <string.h>

enum { TAPS = SINO_STRIPES_TAPS, MARGIN = 4 * TAPS, LEVELS_MAX = 40 };

static const float scaling[TAPS] = SINO_STRIPES_SCALING;

/* Coefficients of the transform are sums over ascending samples times scaling[j] in the smooth part, and times
 * (−1)^j·scaling[TAPS − 1 − j] in the rough part. */
typedef struct Level {
    int64_t rows, columns; /* of Xₗ */
    int64_t at;            /* of Vₗ among the bands */
    float *kept;           /* [rows/2 + 1]: share of each frequency that is removed, over rows; owned */
    fftwf_plan forward, backward;
} Level;

struct SinoStripesFw {
    SinoStripesOptions options;
    int64_t padded_rows, first_row; /* of X₀; the sinogram's first row there */
    int level_count;
    Level level[LEVELS_MAX + 1]; /* level[0]: X₀ */
};

/* Sizes of all levels; level[0].at becomes the floats of all bands. */
static int find_sizes(const SinoStripesOptions *options, Level *level)
{
    const int asked = sino_stripes_levels(options);
    int64_t at = 0;
    level[0].rows = sino_stripes_padded_rows(options->angle_count);
    level[0].columns = options->column_count;
    for (int l = 1; l <= asked; l++) {
        level[l].rows = sino_stripes_half(level[l - 1].rows);
        level[l].columns = sino_stripes_half(level[l - 1].columns);
        level[l].at = at;
        at += sino_stripes_whole_lines(sino_times(level[l].rows, level[l].columns));
    }
    level[0].at = at;
    return asked;
}

/* Buffers of `work`, in floats: X₀ and then the inverse; Aₗ and its inverse; Xₗ; bands; spectrum; a row's halves. */
typedef struct Buffers {
    int64_t whole, half, small, bands, spectrum, line, all;
} Buffers;

static Buffers place_buffers(const Level *level)
{
    const Level *first = &level[1];
    Buffers buffers = {.whole = 0};
    const int64_t padded = TAPS + 2; /* inverse transforms are up to that much larger */
    buffers.half = sino_stripes_whole_lines(sino_times(level[0].rows + padded, level[0].columns + padded));
    buffers.small =
        buffers.half + sino_stripes_whole_lines(sino_times(first->rows + padded, level[0].columns + padded));
    buffers.bands = buffers.small + sino_stripes_whole_lines(sino_times(first->rows + padded, first->columns + padded));
    buffers.spectrum = buffers.bands + level[0].at;
    buffers.line = buffers.spectrum + sino_stripes_whole_lines(2 * sino_times(first->rows / 2 + 1, first->columns));
    buffers.all = buffers.line + 4 * sino_stripes_whole_lines(level[0].columns + MARGIN);
    return buffers;
}

int64_t sino_stripes_fw_floats(const SinoStripesOptions *options)
{
    Level level[LEVELS_MAX + 1] = {{0}};
    (void)find_sizes(options, level);
    return sino_stripes_whole_lines(place_buffers(level).all);
}

static SinoStatus make_level(const SinoStripesOptions *options, float *work, const Buffers *buffers, Level *level)
{
    const int rows[] = {(int)level->rows}, columns = (int)level->columns;
    float *band = work + buffers->bands + level->at;
    fftwf_complex *spectrum = (void *)(work + buffers->spectrum);
    SINO_TRY(sino_allocate(level->rows / 2 + 1, sizeof *level->kept, "the removal of stripes", &level->kept));
    for (int64_t f = 0; f <= level->rows / 2; f++)
        level->kept[f] = (float)(sino_stripes_removed_share(level->rows, f, options->fw_sigma) / (double)level->rows);
    level->forward =
        fftwf_plan_many_dft_r2c(1, rows, columns, band, NULL, columns, 1, spectrum, NULL, columns, 1, FFTW_ESTIMATE);
    level->backward =
        fftwf_plan_many_dft_c2r(1, rows, columns, spectrum, NULL, columns, 1, band, NULL, columns, 1, FFTW_ESTIMATE);
    SINO_CHECK(level->forward && level->backward, SINO_FAILED, "FFTW made no plan for columns of %d points", rows[0]);
    return NULL;
}

SinoStatus sino_stripes_fw_new(const SinoStripesOptions *options, SinoStripesFw **fw)
{
    SinoStripesFw *made;
    float *work;
    SINO_TRY(sino_allocate(1, sizeof *made, "the removal of stripes", &made));
    made->options = *options;
    made->level_count = find_sizes(options, made->level);
    made->padded_rows = made->level[0].rows;
    made->first_row = (made->padded_rows - options->angle_count) / 2;
    const Buffers buffers = place_buffers(made->level);
    SinoStatus status = sino_allocate(sino_stripes_fw_floats(options), sizeof *work, "the removal of stripes", &work);
    for (int l = 1; l <= made->level_count && !status; l++)
        status = make_level(options, work, &buffers, &made->level[l]);
    if (status)
        sino_stripes_fw_free(made);
    else
        *fw = made;
    free(work);
    return status;
}

void sino_stripes_fw_free(SinoStripesFw *fw)
{
    if (!fw) return;
    for (int l = 1; l <= fw->level_count; l++) {
        if (fw->level[l].forward) fftwf_destroy_plan(fw->level[l].forward);
        if (fw->level[l].backward) fftwf_destroy_plan(fw->level[l].backward);
        free(fw->level[l].kept);
    }
    free(fw);
}

/* to[rows of the next level][columns]: the smooth part of from[rows][columns] along its rows. Coefficient i is the sum
 * of scaling[j]·sample[2i + 2 − TAPS + j]. */
SINO_VECTORISED static void smooth_rows(int64_t rows, int64_t columns, const float *from, float *to)
{
    for (int64_t i = 0; i < sino_stripes_half(rows); i++) {
        const float *row[TAPS];
        float *out = to + i * columns;
        for (int64_t j = 0; j < TAPS; j++) row[j] = from + sino_stripes_mirrored(2 * i + 2 - TAPS + j, rows) * columns;
        for (int64_t c = 0; c < columns; c++) {
            float sum = 0;
            for (int64_t j = 0; j < TAPS; j++) sum += scaling[j] * row[j][c];
            out[c] = sum;
        }
    }
}

/* Splits one row, continued at both ends, into its even and odd samples, for smooth and rough parts. even[i] is sample
 * 2i + 2 − TAPS, odd[i] the one after it. */
SINO_VECTORISED static void split_row(int64_t columns, const float *row, float *even, float *odd, float *smooth,
                                      float *rough)
{
    const int64_t count = sino_stripes_half(columns), pairs = count + TAPS / 2 - 1;
    for (int64_t i = 0; i < pairs; i++) {
        const int64_t at = 2 * i + 2 - TAPS;
        const bool inside = at >= 0 && at + 1 < columns;
        even[i] = row[inside ? at : sino_stripes_mirrored(at, columns)];
        odd[i] = row[inside ? at + 1 : sino_stripes_mirrored(at + 1, columns)];
    }
    for (int64_t i = 0; i < count; i++) {
        float low = 0, high = 0;
        for (int64_t j = 0; j < TAPS / 2; j++) {
            low += scaling[2 * j] * even[i + j] + scaling[2 * j + 1] * odd[i + j];
            high += scaling[TAPS - 1 - 2 * j] * even[i + j] - scaling[TAPS - 2 - 2 * j] * odd[i + j];
        }
        smooth[i] = low;
        rough[i] = high;
    }
}

/* Joins the smooth and rough part of a row of `columns` samples: sample 2i + phase is the sum over j of coefficient
 * [i + j]·filter[TAPS − 2 − 2j + phase]. */
SINO_VECTORISED static void join_row(int64_t columns, const float *smooth, const float *rough, float *even, float *odd,
                                     float *row)
{
    const int64_t pairs = (columns + 1) / 2;
    for (int64_t i = 0; i < pairs; i++) {
        float first = 0, second = 0;
        for (int64_t j = 0; j < TAPS / 2; j++) {
            const int64_t tap = TAPS - 2 - 2 * j;
            first += scaling[tap] * smooth[i + j] + scaling[TAPS - 1 - tap] * rough[i + j];
            second += scaling[tap + 1] * smooth[i + j] - scaling[TAPS - 2 - tap] * rough[i + j];
        }
        even[i] = first;
        odd[i] = second;
    }
    for (int64_t i = 0; i < pairs; i++) {
        row[2 * i] = even[i];
        if (2 * i + 1 < columns) row[2 * i + 1] = odd[i];
    }
}

/* to[rows][columns]: the inverse of smooth_rows. */
SINO_VECTORISED static void join_rows(int64_t rows, int64_t columns, const float *from, float *to)
{
    for (int64_t i = 0; i < rows; i++) {
        const float *coefficient = from + i / 2 * columns;
        float *out = to + i * columns;
        for (int64_t c = 0; c < columns; c++) {
            float sum = 0;
            for (int64_t j = 0; j < TAPS / 2; j++)
                sum += scaling[TAPS - 2 - 2 * j + i % 2] * coefficient[j * columns + c];
            out[c] = sum;
        }
    }
}

SINO_VECTORISED static void multiply_rows(int64_t rows, int64_t columns, const float *factor, float *spectrum)
{
    for (int64_t f = 0; f < rows; f++)
        for (int64_t c = 0; c < 2 * columns; c++) spectrum[f * 2 * columns + c] *= factor[f];
}

/* Xₗ₋₁ in `from` becomes Xₗ in `work + small`, and Rₗ among the bands. */
static void descend(const Level *above, const Level *level, const Buffers *buffers, const float *from, float *work)
{
    const int64_t line = sino_stripes_whole_lines(above->columns + MARGIN);
    float *half = work + buffers->half, *band = work + buffers->bands + level->at, *even = work + buffers->line;
    fftwf_complex *spectrum = (void *)(work + buffers->spectrum);
    smooth_rows(above->rows, above->columns, from, half);
    for (int64_t i = 0; i < level->rows; i++)
        split_row(above->columns, half + i * above->columns, even, even + line,
                  work + buffers->small + i * level->columns, band + i * level->columns);
    fftwf_execute_dft_r2c(level->forward, band, spectrum);
    multiply_rows(level->rows / 2 + 1, level->columns, level->kept, (float *)spectrum);
    fftwf_execute_dft_c2r(level->backward, spectrum, band);
}

/* What is removed at level l and above, as wide as Xₗ, in `work + small`, becomes that of l − 1 in `to`. */
static void ascend(const Level *above, const Level *level, const Buffers *buffers, float *work, float *to)
{
    const int64_t line = sino_stripes_whole_lines(above->columns + MARGIN);
    float *half = work + buffers->half, *even = work + buffers->line;
    const float *band = work + buffers->bands + level->at;
    for (int64_t i = 0; i < level->rows; i++)
        join_row(above->columns, work + buffers->small + i * level->columns, band + i * level->columns, even,
                 even + line, half + i * above->columns);
    join_rows(above->rows, above->columns, half, to);
}

void sino_stripes_fw_run(const SinoStripesFw *fw, float *work, float *sinogram)
{
    const Level *level = fw->level;
    const Buffers buffers = place_buffers(level);
    const int64_t columns = fw->options.column_count, count = fw->options.angle_count * columns;
    float *whole = work + buffers.whole, *small = work + buffers.small;
    float *inside = whole + fw->first_row * columns;
    memset(whole, 0, (size_t)(fw->padded_rows * columns) * sizeof *whole);
    memcpy(inside, sinogram, (size_t)count * sizeof *sinogram);
    for (int l = 1; l <= fw->level_count; l++)
        descend(&level[l - 1], &level[l], &buffers, l == 1 ? whole : small, work);
    memset(small, 0, (size_t)(level[fw->level_count].rows * level[fw->level_count].columns) * sizeof *small);
    for (int l = fw->level_count; l >= 1; l--) ascend(&level[l - 1], &level[l], &buffers, work, l == 1 ? whole : small);
    for (int64_t i = 0; i < count; i++) sinogram[i] -= inside[i];
}
