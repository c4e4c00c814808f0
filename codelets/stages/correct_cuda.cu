/* SPDX-License-Identifier: BSD-3-Clause */
/* Correct: counts to line integrals, p = −ln((count − dark)/(flat − dark)), on a GPU. The kernel `integrate` writes NaN
 * where a value is undefined and counts the undefined values of each line. The kernel `repair` fills the lines that
 * have undefined values, or marks these values. The kernel `limit` finds the slices whose flat field is overexposed,
 * and the level of each slice's flat field. */
#include "panel_cuda.cuh"
#include "plausible.h"

#include <float.h>

extern "C" {
#include "correct_cuda.h"
}

enum {
    COLUMNS = 32, /* columns that a block works on at a time */
    LINES = 8,    /* slices that a block works on at a time */
    THREADS = COLUMNS * LINES,
    ANGLES_EACH = 16, /* angles of a block, at least */
    GRID_MAX = 65535
};

/* The fields of SinoCorrection that the kernels read. */
struct Lines {
    SinoPanels panels;
    int slice_count, uncounted;
    int64_t angle_count, pixel_columns, row_count, first_row, binning;
    int64_t first_angle, end_angle; /* of the angles whose counts are there */
    int64_t columns;                /* M: after binning */
    bool flat_field, minus_log, marked;
    double saturation, factor, largest; /* largest: the largest value that the result can hold */
    int64_t sets;                       /* of flat fields */
    const double *flat_at;
    const int64_t *place;
    double *limit;                         /* [slice]: counts of this value or more are saturated or implausible */
    double *plausible;                     /* [slice]: counts and fields as far from 0 as this are implausible */
    int *undefined;                        /* [angle][slice]: number of undefined values */
    unsigned long long *angle, *column_of; /* [angle], [column]: undefined values of all slices */
};

/* Sum of the counts over the bin of slice f and a column; NaN if one of them is not above −most and below `limit`. Bins
 * are small: unrolled loops would only take registers. */
template <class Count>
static __device__ __forceinline__ double sum_bin(const Lines &lines, const Count *image, int64_t f, int64_t column,
                                                 double most, double limit)
{
    double sum = 0;
#pragma unroll 1
    for (int64_t row = lines.first_row + f * lines.binning, b = 0; b < lines.binning; b++)
#pragma unroll 1
        for (int64_t i = 0; i < lines.binning; i++) {
            const double count =
                static_cast<double>(image[(row + b) * lines.pixel_columns + column * lines.binning + i]);
            sum += count >= limit || count <= -most ? static_cast<double>(NAN) : count;
        }
    return sum;
}

/* A block per slice. The limit of saturation is infinite if there is none, or if the flat field itself is overexposed
 * in the slice. */
static __global__ void __launch_bounds__(THREADS) limit_kernel(Lines lines, const float *flat)
{
    SINO_SHARED(int, exponents, SINO_EXPONENTS);
    SINO_SHARED(int, saturated, 1);
    const int f = static_cast<int>(blockIdx.x), me = static_cast<int>(threadIdx.x);
    const float *const from = flat + (lines.first_row + f * lines.binning) * lines.pixel_columns;
    const int64_t count = lines.binning * lines.pixel_columns, pixels = lines.row_count * lines.pixel_columns;
    for (int e = me; e < SINO_EXPONENTS; e += THREADS) exponents[e] = 0;
    if (me == 0) *saturated = 0;
    __syncthreads();
    for (int64_t s = 0; s < lines.sets && lines.flat_field; s++)
        for (int64_t i = me; i < count; i += THREADS) {
            const float value = from[s * pixels + i];
            atomicAdd(&exponents[sino_exponent_of(value)], 1);
            if (static_cast<double>(value) >= lines.saturation) atomicAdd(saturated, 1);
        }
    __syncthreads();
    if (me > 0) return;
    const bool none = lines.saturation <= 0 || static_cast<int64_t>(*saturated) * 100 > lines.sets * count;
    const double most = lines.factor * (lines.flat_field ? sino_exponents_level(exponents) : 1);
    lines.plausible[f] = lines.factor > 0 ? most : static_cast<double>(INFINITY);
    lines.limit[f] = fmin(none ? static_cast<double>(INFINITY) : lines.saturation, lines.plausible[f]);
}

/* Constants of one slice and column. Sums over a bin give the same quotient as averages. With several sets of flat
 * fields `light` is that of one set, and `change` leads to the next; else `light` is the inverse of the light. */
struct Field {
    double dark, light, change;
};

static __device__ __forceinline__ double inverse_of(double light)
{
    return light > 0 && light <= DBL_MAX ? 1 / light : static_cast<double>(NAN);
}

/* flat: of the set, which the next one follows. */
template <bool SETS>
static __device__ Field field_of(const Lines &lines, const float *flat, const float *dark, int64_t f, int64_t column)
{
    const double most = lines.plausible[f];
    if (!lines.flat_field) return {0, 1 / static_cast<double>(lines.binning * lines.binning), 0};
    const double black = dark ? sum_bin(lines, dark, f, column, most, most) : 0;
    const double light = sum_bin(lines, flat, f, column, most, most) - black;
    if constexpr (!SETS) return {black, inverse_of(light), 0};
    const double next = sum_bin(lines, flat + lines.row_count * lines.pixel_columns, f, column, most, most) - black;
    return {black, light, next - light};
}

/* An angle's place among the sets of flat fields: the share of the way from one set to the next. */
struct Between {
    int64_t set;
    double share;
};

static __device__ __forceinline__ Between place_of(const Lines &lines, int64_t k)
{
    const double at = lines.flat_at[k];
    const int64_t last = lines.sets - 1, set = at < static_cast<double>(last) ? static_cast<int64_t>(at) : last - 1;
    return {set, at - static_cast<double>(set)};
}

/* The value of a bin, by the light of the angle. If it is undefined, the result is NaN and is counted. */
template <class Count>
static __device__ __forceinline__ double integrate(const Lines &lines, double dark, double inverse, const Count *counts,
                                                   int64_t angle, int f, int64_t column)
{
    const Count *const image = counts + (angle - lines.first_angle) * lines.row_count * lines.pixel_columns;
    const double count = sum_bin(lines, image, f, column, lines.plausible[f], lines.limit[f]);
    const double transmission = (count - dark) * inverse;
    const double value = lines.minus_log ? -log(transmission) : transmission;
    if (fabs(value) <= lines.largest) return value;
    atomicAdd(&lines.undefined[angle * lines.slice_count + f], 1);
    if (f >= lines.uncounted) atomicAdd(&lines.column_of[column], 1ull);
    return static_cast<double>(NAN);
}

/* A block handles COLUMNS columns of one panel and some of the angles that are there; grid x: columns, y: panels, z:
 * angles. It transposes values in shared memory, so that its threads read neighbouring columns and write neighbouring
 * slices. With room for three blocks no architecture spills registers (tests/cuda_report). */
template <class Count, class Real, bool SETS>
static __global__ void __launch_bounds__(THREADS, 3)
    integrate_kernel(Lines lines, const Count *counts, const float *flat, const float *dark, Real *sinogram)
{
    SINO_SHARED(Real, turned, SINO_PANEL_MAX * (COLUMNS + 1));
    SINO_SHARED(Field, field, SINO_PANEL_MAX * COLUMNS); /* each thread uses only its own elements */
    const int width = sino_panel_slices(lines.panels), first = sino_panel_first(lines.panels);
    const int across = static_cast<int>(threadIdx.x), me = static_cast<int>(threadIdx.y) * COLUMNS + across;
    const int64_t first_column = static_cast<int64_t>(blockIdx.x) * COLUMNS, column = first_column + across;
    const int count = width * static_cast<int>(min(lines.columns - first_column, static_cast<int64_t>(COLUMNS)));
    const int slices = column < lines.columns ? min(width, lines.slice_count - first) : 0; /* slices with values */
    int64_t set = -1;                                                                      /* of the fields */
    for (int64_t k = lines.first_angle + blockIdx.z; k < lines.end_angle; k += gridDim.z) {
        const Between between = SETS ? place_of(lines, k) : Between{0, 0};
        const float *const of_set = flat + between.set * lines.row_count * lines.pixel_columns;
        for (int s = static_cast<int>(threadIdx.y); s < slices && set != between.set; s += LINES)
            field[s * COLUMNS + across] = field_of<SETS>(lines, of_set, dark, first + s, column);
        set = between.set;
        for (int s = static_cast<int>(threadIdx.y); s < width; s += LINES) {
            Real value = Real(0);
            if (s < slices) {
                const Field of = field[s * COLUMNS + across];
                const double inverse = SETS ? inverse_of(of.light + of.change * between.share) : of.light;
                value = static_cast<Real>(integrate(lines, of.dark, inverse, counts, k, first + s, column)) +
                        Real(0); /* no −0, the mark of an undefined value */
            }
            turned[s * (COLUMNS + 1) + across] = value;
        }
        __syncthreads();
        const int64_t row = (lines.place ? lines.place[k] : k) * lines.columns + first_column;
        Real *const to = sinogram + first * lines.angle_count * lines.columns + row * width;
        for (int i = me; i < count; i += THREADS) to[i] = turned[i % width * (COLUMNS + 1) + i / width];
        __syncthreads();
    }
}

/* Interpolates the columns of a line between the defined columns `left` and `right`. left = −1: there is no defined
 * column on the left. */
template <class Real> static __device__ void fill_gap(Real *line, int64_t stride, int64_t left, int64_t right)
{
    const double after = static_cast<double>(line[right * stride]);
    const double before = left < 0 ? after : static_cast<double>(line[left * stride]);
    for (int64_t c = left + 1; c < right; c++) {
        const double share = left < 0 ? 1 : static_cast<double>(c - left) / static_cast<double>(right - left);
        line[c * stride] = static_cast<Real>((1 - share) * before + share * after);
    }
}

template <class Real> static __device__ void repair_line(int64_t columns, Real *line, int64_t stride)
{
    int64_t left = -1;
    for (int64_t c = 0; c < columns; c++) {
        if (isnan(line[c * stride])) continue;
        if (c > left + 1) fill_gap(line, stride, left, c);
        left = c;
    }
    const Real tail = left < 0 ? Real(0) : line[left * stride];
    for (int64_t c = left + 1; c < columns; c++) line[c * stride] = tail;
}

template <class Real> static __device__ void mark_line(int64_t columns, Real *line, int64_t stride)
{
    for (int64_t c = 0; c < columns; c++)
        if (isnan(line[c * stride])) line[c * stride] = -Real(0);
}

/* One thread repairs or marks one line. Neighbouring threads handle neighbouring slices of one panel, which are
 * adjacent in memory. */
template <class Real> static __global__ void repair_kernel(Lines lines, Real *sinogram, unsigned long long *repaired)
{
    const int width = sino_panel_slices(lines.panels), first = sino_panel_first(lines.panels);
    const int64_t step = static_cast<int64_t>(gridDim.x) * THREADS, end = lines.angle_count * width;
    for (int64_t i = blockIdx.x * static_cast<int64_t>(THREADS) + threadIdx.x; i < end; i += step) {
        const int64_t k = i / width;
        const int f = first + static_cast<int>(i % width);
        const int undefined = f < lines.slice_count ? lines.undefined[k * lines.slice_count + f] : 0;
        if (undefined == 0) continue;
        const unsigned long long counted = f < lines.uncounted ? 0ull : static_cast<unsigned long long>(undefined);
        atomicAdd(&repaired[f], counted);
        atomicAdd(&lines.angle[k], counted);
        const int64_t row = (lines.place ? lines.place[k] : k) * lines.columns;
        Real *const line = sinogram + first * lines.angle_count * lines.columns + row * width + i % width;
        if (lines.marked)
            mark_line(lines.columns, line, width);
        else
            repair_line(lines.columns, line, width);
    }
}

static Lines lines_of(const SinoCorrection *correction, int64_t *tally, void *workspace)
{
    const bool is_double = correction->slices.precision == SINO_DOUBLE;
    double *const limit = static_cast<double *>(workspace);
    unsigned long long *const angle = reinterpret_cast<unsigned long long *>(tally);
    return {sino_panels_of(correction->slices),
            static_cast<int>(correction->slices.slice_count),
            static_cast<int>(correction->uncounted),
            correction->angle_count,
            correction->column_count,
            correction->row_count,
            correction->first_row,
            correction->binning,
            0,
            correction->angle_count,
            correction->column_count / correction->binning,
            correction->flat_field,
            correction->minus_log,
            correction->marked,
            correction->saturation,
            correction->plausible,
            is_double ? DBL_MAX : static_cast<double>(FLT_MAX),
            correction->flat_sets > 1 ? correction->flat_sets : 1,
            correction->flat_at,
            correction->place,
            limit,
            limit + correction->slices.slice_count,
            reinterpret_cast<int *>(limit + 2 * correction->slices.slice_count),
            angle,
            angle + correction->angle_count};
}

/* The values of the angles that are there. */
template <class Count, class Real>
static SinoStatus integrate_type(cudaStream_t stream, const Lines &lines, const void *counts, const float *flat,
                                 const float *dark, void *sinogram)
{
    const dim3 blocks(sino_blocks_for(lines.columns, COLUMNS, INT32_MAX), sino_panels_count(lines.panels),
                      sino_blocks_for(lines.end_angle - lines.first_angle, ANGLES_EACH, GRID_MAX));
    return sino_launch(SinoLaunch{"correct", blocks, dim3(COLUMNS, LINES), 0, stream},
                       lines.sets > 1 && lines.flat_field ? integrate_kernel<Count, Real, true>
                                                          : integrate_kernel<Count, Real, false>,
                       lines, static_cast<const Count *>(counts), flat, dark, static_cast<Real *>(sinogram));
}

template <class Real>
static SinoStatus integrate_input(cudaStream_t stream, SinoCorrectInput input, const Lines &lines, const void *counts,
                                  const float *flat, const float *dark, void *sinogram)
{
    switch (input) {
    case SINO_CORRECT_UINT8:
        return integrate_type<uint8_t, Real>(stream, lines, counts, flat, dark, sinogram);
    case SINO_CORRECT_UINT16:
        return integrate_type<uint16_t, Real>(stream, lines, counts, flat, dark, sinogram);
    default:
        return integrate_type<float, Real>(stream, lines, counts, flat, dark, sinogram);
    }
}

static SinoStatus integrate_counts(cudaStream_t stream, const SinoCorrection *correction, const Lines &lines,
                                   const void *counts, const float *flat, const float *dark, void *sinogram)
{
    return correction->slices.precision == SINO_DOUBLE
               ? integrate_input<double>(stream, correction->input, lines, counts, flat, dark, sinogram)
               : integrate_input<float>(stream, correction->input, lines, counts, flat, dark, sinogram);
}

template <class Real>
static SinoStatus repair(cudaStream_t stream, const Lines &lines, void *sinogram, int64_t *repaired)
{
    const dim3 blocks(sino_blocks_for(lines.angle_count * lines.panels.width, THREADS, GRID_MAX),
                      sino_panels_count(lines.panels));
    return sino_launch(SinoLaunch{"correct_repair", blocks, THREADS, 0, stream}, repair_kernel<Real>, lines,
                       static_cast<Real *>(sinogram), reinterpret_cast<unsigned long long *>(repaired));
}

/* Clears what counts undefined values, and finds the limits of saturated counts. */
static SinoStatus begin(cudaStream_t stream, const SinoCorrection *correction, const Lines &lines, const float *flat,
                        int64_t *repaired, int64_t *tally, void *workspace)
{
    const size_t bytes = static_cast<size_t>(correction->slices.slice_count) * sizeof *repaired;
    const size_t tally_bytes = static_cast<size_t>(lines.angle_count + lines.columns) * sizeof *tally;
    assert(flat || !correction->flat_field);
    SINO_TRY(sino_clear(stream, repaired, bytes));
    SINO_TRY(sino_clear(stream, tally, tally_bytes));
    SINO_TRY(sino_clear(stream, workspace, static_cast<size_t>(sino_correct_cuda_workspace_bytes(correction))));
    if (lines.angle_count == 0 || lines.columns == 0) return NULL;
    return sino_launch(SinoLaunch{"correct_limit", static_cast<unsigned>(lines.slice_count), THREADS, 0, stream},
                       limit_kernel, lines, flat);
}

static SinoStatus finish(cudaStream_t stream, const SinoCorrection *correction, const Lines &lines, void *sinogram,
                         int64_t *repaired)
{
    return correction->slices.precision == SINO_DOUBLE ? repair<double>(stream, lines, sinogram, repaired)
                                                       : repair<float>(stream, lines, sinogram, repaired);
}

SinoStatus sino_correct_cuda(cudaStream_t stream, const SinoCorrection *correction, const void *counts,
                             const float *flat, const float *dark, void *sinogram, int64_t *repaired, int64_t *tally,
                             void *workspace)
{
    const Lines lines = lines_of(correction, tally, workspace);
    SINO_TRY(begin(stream, correction, lines, flat, repaired, tally, workspace));
    if (lines.angle_count == 0 || lines.columns == 0) return NULL;
    SINO_TRY(integrate_counts(stream, correction, lines, counts, flat, dark, sinogram));
    return finish(stream, correction, lines, sinogram, repaired);
}

SinoStatus sino_correct_images_cuda(cudaStream_t stream, const SinoCorrection *correction, const SinoImagesCuda *images,
                                    void *sinogram, int64_t *repaired, int64_t *tally, void *workspace)
{
    Lines lines = lines_of(correction, tally, workspace);
    assert(!correction->flat_field && images->angle_count > 0);
    SINO_TRY(begin(stream, correction, lines, NULL, repaired, tally, workspace));
    if (lines.angle_count == 0 || lines.columns == 0) return NULL;
    for (int64_t k = 0; k < lines.angle_count; k += images->angle_count) {
        const int64_t left = lines.angle_count - k, count = left < images->angle_count ? left : images->angle_count;
        const void *counts = NULL;
        SINO_TRY(images->make(images->of, stream, k, count, &counts));
        lines.first_angle = k;
        lines.end_angle = k + count;
        SINO_TRY(integrate_counts(stream, correction, lines, counts, NULL, NULL, sinogram));
    }
    return finish(stream, correction, lines, sinogram, repaired);
}
