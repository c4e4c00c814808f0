/* SPDX-License-Identifier: BSD-3-Clause */
/* Ring correlation on a CPU core: transforms of FFTW in double precision. */
#include "ring_correlation.h"

#include "memory.h"

#include <fftw3.h>
#include <inttypes.h>
#include <stdlib.h>

/* Share of the radius in which the mask falls from 1 to 0. */
static const double edge_share = 0.2;

/* Differences from the mean below this share of it are rounding, as values are float32. */
static const double rounding = 1e-12;

struct SinoRings {
    int64_t height, width, length; /* of an image; the longer side */
    int64_t ring_count;
    double *mask;    /* [height][width]; owned */
    double *numbers; /* [ring_count]: independent real numbers of an image; owned */
    fftw_plan plan;  /* [height][width] reals to [height][width/2 + 1] complex numbers */
};

/* The ring of Fourier pixel (row, column) of the half that is stored. */
static int64_t ring_of(const SinoRings *rings, int64_t row, int64_t column)
{
    const int64_t wrapped = row > rings->height / 2 ? row - rings->height : row;
    const double up = (double)wrapped / (double)rings->height, across = (double)column / (double)rings->width;
    return llround(hypot(up, across) * (double)rings->length);
}

/* 2 for a pixel whose conjugate is not stored. */
static double weight_of(const SinoRings *rings, int64_t column)
{
    return column == 0 || 2 * column == rings->width ? 1 : 2;
}

static double mask_at(const SinoImageRegion *disc, double row, double column)
{
    const double edge = edge_share * disc->radius;
    const double inward = disc->radius - hypot(row - disc->y, column - disc->x);
    if (inward <= 0) return 0;
    return inward < edge ? 0.5 - 0.5 * cos(SINO_PI * inward / edge) : 1;
}

/* The mask, and the independent numbers of the rings. */
static void fill(SinoRings *rings, const SinoImageRegion *disc)
{
    double covered = 0;
    for (int64_t r = 0; r < rings->height; r++)
        for (int64_t c = 0; c < rings->width; c++) {
            const double value = mask_at(disc, (double)r, (double)c);
            rings->mask[r * rings->width + c] = value;
            covered += value;
        }
    covered /= (double)rings->height * (double)rings->width;
    for (int64_t r = 0; r < rings->height; r++)
        for (int64_t c = 0; c <= rings->width / 2; c++) {
            const int64_t ring = ring_of(rings, r, c);
            if (ring < rings->ring_count) rings->numbers[ring] += weight_of(rings, c) * covered;
        }
}

/* Values and spectrum of an image, in one piece of memory. */
static SinoStatus new_work(const SinoRings *rings, double **values, fftw_complex **spectrum)
{
    const int64_t count = sino_times(rings->height, rings->width);
    const int64_t stored = sino_times(2 * rings->height, rings->width / 2 + 1);
    SINO_TRY(sino_allocate(count + stored, sizeof **values, "a transform", values));
    *spectrum = (void *)(*values + count);
    return NULL;
}

static SinoStatus make_plan(SinoRings *rings)
{
    double *values = NULL;
    fftw_complex *spectrum;
    SINO_CHECK(rings->height <= INT32_MAX && rings->width <= INT32_MAX, SINO_BAD_INPUT,
               "a slice of %" PRId64 " × %" PRId64 " voxels; allowed in a ring correlation: up to %d a side",
               rings->width, rings->height, INT32_MAX);
    SINO_TRY(new_work(rings, &values, &spectrum));
    rings->plan =
        fftw_plan_dft_r2c_2d((int)rings->height, (int)rings->width, values, spectrum, FFTW_ESTIMATE | FFTW_UNALIGNED);
    free(values);
    SINO_CHECK(rings->plan, SINO_FAILED, "no memory for a transform of %" PRId64 " × %" PRId64 " values", rings->height,
               rings->width);
    return NULL;
}

SinoStatus sino_rings_new(const SinoImageRegion *disc, int64_t height, int64_t width, SinoRings **made)
{
    SinoRings *rings = NULL;
    SinoStatus status = NULL;
    SINO_TRY(sino_allocate(1, sizeof *rings, "a ring correlation", &rings));
    rings->height = height;
    rings->width = width;
    rings->length = sino_larger(height, width);
    rings->ring_count = rings->length / 2 + 1;
    SINO_TRY_OR(status, fail, sino_allocate(sino_times(height, width), sizeof *rings->mask, "a mask", &rings->mask));
    SINO_TRY_OR(status, fail, sino_allocate(rings->ring_count, sizeof *rings->numbers, "rings", &rings->numbers));
    SINO_TRY_OR(status, fail, make_plan(rings));
    fill(rings, disc);
    *made = rings;
    return NULL;
fail:
    sino_rings_free(rings);
    return status;
}

void sino_rings_free(SinoRings *rings)
{
    if (!rings) return;
    if (rings->plan) fftw_destroy_plan(rings->plan);
    free(rings->mask);
    free(rings->numbers);
    free(rings);
}

int64_t sino_rings_count(const SinoRings *rings)
{
    return rings->ring_count;
}

/* The mean along the edge of the mask, which would otherwise be a step there. */
static double edge_mean(const SinoRings *rings, const float *image)
{
    const int64_t count = sino_times(rings->height, rings->width);
    double sum = 0, covered = 0;
    for (int64_t i = 0; i < count; i++) {
        const double weight = rings->mask[i] * (1 - rings->mask[i]);
        if (!(weight > 0)) continue;
        sum += weight * (double)image[i];
        covered += weight;
    }
    return covered > 0 ? sum / covered : 0;
}

/* Transforms an image without that mean, behind the mask. */
static void transform(const SinoRings *rings, const float *image, double *values, fftw_complex *spectrum)
{
    const int64_t count = sino_times(rings->height, rings->width);
    const double mean = edge_mean(rings, image);
    for (int64_t i = 0; i < count; i++) {
        const double off = rings->mask[i] > 0 ? (double)image[i] - mean : 0;
        values[i] = fabs(off) > rounding * fabs(mean) ? rings->mask[i] * off : 0;
    }
    fftw_execute_dft_r2c(rings->plan, values, spectrum);
}

static void add_rings(const SinoRings *rings, fftw_complex *const of[2], SinoRingSums *sums)
{
    const int64_t stored = rings->width / 2 + 1;
    for (int64_t r = 0; r < rings->height; r++)
        for (int64_t c = 0; c < stored; c++) {
            const int64_t ring = ring_of(rings, r, c);
            if (ring >= rings->ring_count) continue;
            const double *a = of[0][r * stored + c], *b = of[1][r * stored + c], weight = weight_of(rings, c);
            sums[ring].product += weight * (a[0] * b[0] + a[1] * b[1]);
            sums[ring].square[0] += weight * (a[0] * a[0] + a[1] * a[1]);
            sums[ring].square[1] += weight * (b[0] * b[0] + b[1] * b[1]);
        }
}

SinoStatus sino_rings_sum(const SinoRings *rings, const float *a, const float *b, SinoRingSums *sums)
{
    double *values[2] = {NULL};
    fftw_complex *spectrum[2] = {NULL};
    SinoStatus status = new_work(rings, &values[0], &spectrum[0]);
    if (!status) status = new_work(rings, &values[1], &spectrum[1]);
    if (!status) {
        transform(rings, a, values[0], spectrum[0]);
        transform(rings, b, values[1], spectrum[1]);
        for (int64_t i = 0; i < rings->ring_count; i++) sums[i] = (SinoRingSums){0};
        add_rings(rings, spectrum, sums);
    }
    free(values[0]);
    free(values[1]);
    return status;
}

void sino_rings_curve(const SinoRings *rings, int64_t pairs, const SinoRingSums *sums, SinoRingPoint *curve)
{
    for (int64_t i = 0; i < rings->ring_count; i++) {
        const double power = sqrt(sums[i].square[0]) * sqrt(sums[i].square[1]);
        const double numbers = rings->numbers[i] * (double)pairs, root = sqrt(fmax(numbers, 1));
        curve[i] = (SinoRingPoint){.frequency = (double)i / (double)rings->length,
                                   .correlation = power > 0 ? sums[i].product / power : NAN,
                                   .half_bit = (0.2071 + 1.9102 / root) / (1.2071 + 0.9102 / root),
                                   .numbers = numbers};
    }
}

double sino_rings_crossing(int64_t count, const SinoRingPoint *curve, double threshold)
{
    double before = 0, at_before = 0;
    for (int64_t i = 1; i < count; i++) { /* ring 0 is the mean, which the images have lost */
        const double above = curve[i].correlation - (threshold > 0 ? threshold : curve[i].half_bit);
        if (above < 0 && (i == 1 || !(before >= 0))) return curve[i].frequency;
        if (above < 0) return at_before + (curve[i].frequency - at_before) * before / (before - above);
        before = above;
        at_before = curve[i].frequency;
    }
    return NAN;
}
