/* SPDX-License-Identifier: BSD-3-Clause */
/* Band: priors of bands of a volume, on a CPU core. A row of the image is computed a few elements at a time, which may
 * begin and end within a line along z. */
#include "band.h"

#include "arithmetic.h"
#include "vector.h"

#include <assert.h>
#include <string.h>
#include <tgmath.h>

#define REAL    float
#define NAME(x) x##_single
#include "prior_elements_tmpl.c"
#include "variation_elements_tmpl.c"

enum { CHUNK = 256 /* elements that are computed together: some stay in the first-level cache */ };

/* `count` elements of a row, which has `length`, from `first` on. */
typedef struct Chunk {
    int64_t length, first, count;
} Chunk;

static int64_t row_length(const SinoBand *band)
{
    return band->x_count * band->z_count;
}

/* The row of a vector of the band above that is next to this band; NULL: there is none. */
static const float *row_above(const SinoBand *band, const float *above)
{
    return above ? above + (band->above_rows - 1) * row_length(band) : NULL;
}

static Chunk chunk_at(const SinoBand *band, int64_t first)
{
    const int64_t length = row_length(band);
    return (Chunk){length, first, sino_smaller(CHUNK, length - first)};
}

/* result[i] = row[e + shift] for each element e of the chunk. A row is cut into pieces of `period` elements; of those
 * that would come from another piece: row[e] if `same`, else 0. */
static void take(Chunk chunk, const float *row, int64_t shift, int64_t period, bool same, float *result)
{
    for (int64_t e = chunk.first; e < chunk.first + chunk.count;) {
        const int64_t begin = e - e % period, end = sino_smaller(begin + period, chunk.first + chunk.count);
        const int64_t from = sino_larger(e, begin - sino_smaller(shift, 0));
        const int64_t to = sino_smaller(end, begin + period - sino_larger(shift, 0));
        for (int64_t i = e; i < sino_smaller(from, end); i++) result[i - chunk.first] = same ? row[i] : 0;
        if (to > from) memcpy(result + from - chunk.first, row + from + shift, (size_t)(to - from) * sizeof *result);
        for (int64_t i = sino_larger(to, e); i < end; i++) result[i - chunk.first] = same ? row[i] : 0;
        e = end;
    }
}

/* row[i]: `value` in the slice of element i of every chunk, or 2^power of it in a slice further up. */
static void fill(const SinoBand *band, double value, int power, float *row)
{
    assert(!band->rising || CHUNK % band->z_count == 0);
    for (int i = 0; i < CHUNK; i++) row[i] = (float)ldexp(value, band->rising ? power * (i % (int)band->z_count) : 0);
}

static double theta_of(const SinoSliceState *state)
{
    return state->scalar[SINO_FISTA_THRESHOLD];
}

SINO_VECTORISED static void primal_chunk(int64_t length, float least, float most, const float *theta, const float *z,
                                         const float *p, const float *before, const float *q, const float *above,
                                         float *u)
{
    primal_elements_single(length, least, most, theta, z, p, before, q, above, u);
}

SINO_VECTORISED static void dual_chunk(int64_t length, const float *sigma, const float *u, const float *next,
                                       const float *below, float *p, float *q)
{
    dual_elements_single(length, sigma, u, next, below, p, q);
}

void sino_band_primal(const SinoBand *band, const float *z, const float *p, const float *q, const float *r,
                      const float *above, const SinoSliceState *state, float *u)
{
    const int64_t length = row_length(band);
    float theta[CHUNK], left[CHUNK], moved[CHUNK];
    const float zero[CHUNK] = {0}, *last = row_above(band, above);
    fill(band, theta_of(state), 1, theta);
    for (int64_t y = 0; y < band->row_count; y++)
        for (int64_t first = 0; first < length; first += CHUNK) {
            const Chunk chunk = chunk_at(band, first);
            const int64_t row = y * length, at = row + first;
            const float *upper = y > 0 ? q + at - length : last ? last + first : zero;
            const float *from = z + at;
            take(chunk, p + row, -band->z_count, length, false, left);
            if (band->volume) {
                take(chunk, r + row, -1, band->z_count, false, moved);
                add_third_single(chunk.count, theta, from, r + at, moved);
                from = moved;
            }
            primal_chunk(chunk.count, (float)band->least, (float)band->most, theta, from, p + at, left, q + at, upper,
                         u + at);
        }
}

void sino_band_dual(const SinoBand *band, const float *u, const float *below, const SinoSliceState *state, float *p,
                    float *q, float *r)
{
    const int64_t length = row_length(band);
    const double theta = theta_of(state);
    float sigma[CHUNK], right[CHUNK], after[CHUNK];
    fill(band, theta > 0 ? 1 / ((band->volume ? 12 : 8) * theta) : 0, -1, sigma);
    for (int64_t y = 0; y < band->row_count; y++)
        for (int64_t first = 0; first < length; first += CHUNK) {
            const Chunk chunk = chunk_at(band, first);
            const int64_t row = y * length, at = row + first;
            const float *lower = y + 1 < band->row_count ? u + at + length : below ? below + first : u + at;
            take(chunk, u + row, band->z_count, length, true, right);
            if (!band->volume) {
                dual_chunk(chunk.count, sigma, u + at, right, lower, p + at, q + at);
                continue;
            }
            take(chunk, u + row, 1, band->z_count, true, after);
            dual_elements_volume_single(chunk.count, sigma, u + at, right, lower, after, p + at, q + at, r + at);
        }
}

/* Adds the pairs of a chunk of row u with the voxels of row `with` that lie `aside` to the right. */
static void add_row(const SinoBand *band, const SinoSmoothPrior *prior, Chunk chunk, const float *u, const float *with,
                    int aside, double weight, float *sum)
{
    const int64_t shift = aside * band->z_count, end = chunk.first + chunk.count;
    const int64_t from = sino_larger(chunk.first, -shift), to = sino_smaller(end, chunk.length - shift);
    if (to > from)
        add_elements_single(prior, to - from, weight, u + from, with + from + shift, sum + from - chunk.first);
}

static void add_slices(const SinoBand *band, const SinoSmoothPrior *prior, Chunk chunk, const float *u, float *sum)
{
    float with[CHUNK];
    for (int shift = -1; shift <= 1; shift += 2) {
        take(chunk, u, shift, band->z_count, true, with);
        add_elements_single(prior, chunk.count, SINO_PRIOR_SLICE_WEIGHT, u + chunk.first, with, sum);
    }
}

void sino_band_descend(const SinoBand *band, const SinoSmoothPrior *prior, const float *u, const float *above,
                       const float *below, const SinoSliceState *state, float *z)
{
    const int64_t length = row_length(band);
    float theta[CHUNK];
    fill(band, theta_of(state), 1, theta);
    for (int64_t y = 0; y < band->row_count; y++) {
        const float *own = u + y * length;
        const float *upper = y > 0 ? own - length : row_above(band, above);
        const float *lower = y + 1 < band->row_count ? own + length : below;
        for (int64_t first = 0; first < length; first += CHUNK) {
            const Chunk chunk = chunk_at(band, first);
            float sum[CHUNK] = {0};
            for (int aside = -1; aside <= 1; aside++) {
                const double across = aside == 0 ? SINO_PRIOR_SIDE_WEIGHT : SINO_PRIOR_CORNER_WEIGHT;
                if (upper) add_row(band, prior, chunk, own, upper, aside, across, sum);
                if (aside != 0) add_row(band, prior, chunk, own, own, aside, SINO_PRIOR_SIDE_WEIGHT, sum);
                if (lower) add_row(band, prior, chunk, own, lower, aside, across, sum);
            }
            if (band->volume) add_slices(band, prior, chunk, own, sum);
            subtract_single(chunk.count, theta, sum, z + y * length + first);
        }
    }
}
