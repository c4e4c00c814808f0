/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripes: each method against its definition, computed plainly in double; panels, undefined values, dead columns.
 * test_peers.c compares with TomoPy's arrays. */
#include "memory.h"
#include "sort_lanes_isa.h"
#include "stripes.h"
#include "testing.h"
#include "vector.h"

#include <math.h>

static SinoStripesOptions usual(SinoStripesMethod method, int64_t angles, int64_t columns)
{
    return (SinoStripesOptions){
        .method = method, .angle_count = angles, .column_count = columns, .fw_sigma = 2, .ti_alpha = 1.5, .snr = 3};
}

/* Runs a method on panels, with scratch of its own. */
static void run_panels(const SinoStripesOptions *options, SinoSlices slices, const int64_t *place, bool marked,
                       void *sinogram)
{
    SinoStripes *stripes = NULL;
    void *scratch = NULL;
    assert_success(sino_stripes_new(options, &stripes));
    assert_success(sino_allocate(sino_stripes_scratch_bytes(options), 1, "test", &scratch));
    sino_stripes_run(stripes, slices, place, marked, scratch, sinogram);
    sino_stripes_free(stripes);
    free(scratch);
}

static const SinoSlices one_slice = {SINO_SINGLE, 1, 1};

/* A disc's sinogram with noise, and stripes of a share of its values. Caller frees. */
static float *make_sinogram(int64_t angles, int64_t columns, double stripes, uint32_t seed)
{
    float *sinogram = NULL;
    double *offset = NULL;
    assert_success(sino_allocate(angles * columns, sizeof *sinogram, "test", &sinogram));
    assert_success(sino_allocate(columns, sizeof *offset, "test", &offset));
    for (int64_t c = 0; c < columns; c++) offset[c] = stripes * (2 * testing_uniform(&seed) - 1);
    for (int64_t i = 0; i < angles * columns; i++) {
        const double k = (double)(i / columns) / (double)angles, c = (double)(i % columns) / (double)columns;
        const double at = (c - 0.5 - 0.2 * sin(M_PI * k)) / 0.4, inside = fmax(1 - at * at, 0);
        sinogram[i] = (float)(0.5 + sqrt(inside) + 0.02 * testing_uniform(&seed) + offset[i % columns]);
    }
    free(offset);
    return sinogram;
}

static int64_t mirrored(int64_t i, int64_t n)
{
    while (i < 0 || i >= n) i = i < 0 ? -1 - i : 2 * n - 1 - i;
    return i;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(int64_t count, double *value)
{
    qsort(value, (size_t)count, sizeof *value, ascending);
    return value[count / 2];
}

/* ---- sorting ---- */

/* A value of a column, and its angle. */
typedef struct Place {
    float value;
    int64_t angle;
} Place;

/* Equal values are ranked by angle. */
static int by_value(const void *a, const void *b)
{
    const Place *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return (x->angle > y->angle) - (x->angle < y->angle);
}

/* rank[k][c]: of angle k in its column. Caller frees. */
static int64_t *rank_columns(int64_t angles, int64_t columns, const float *sinogram)
{
    int64_t *rank = NULL;
    Place *place = NULL;
    assert_success(sino_allocate(angles * columns, sizeof *rank, "test", &rank));
    assert_success(sino_allocate(angles, sizeof *place, "test", &place));
    for (int64_t c = 0; c < columns; c++) {
        for (int64_t k = 0; k < angles; k++) place[k] = (Place){sinogram[k * columns + c], k};
        qsort(place, (size_t)angles, sizeof *place, by_value);
        for (int64_t i = 0; i < angles; i++) rank[place[i].angle * columns + c] = i;
    }
    free(place);
    return rank;
}

/* What sorts of values by the place between the least and the largest one meet. */
typedef enum Kind {
    USUAL,
    FEW_VALUES,  /* most are equal */
    FAR_VALUE,   /* one value is so far that all others share a place */
    NEAR_VALUES, /* some share a place */
    WIDE_RANGE,  /* which no float holds */
    INFINITE,
    KINDS
} Kind;

static void change_values(Kind kind, int64_t angles, int64_t columns, float *sinogram)
{
    static const float first[KINDS] = {
        [FAR_VALUE] = 1e30F, [NEAR_VALUES] = 3e3F, [WIDE_RANGE] = 3e38F, [INFINITE] = INFINITY};
    for (int64_t i = 0; kind == FEW_VALUES && i < angles * columns; i++) sinogram[i] = ceilf(4 * sinogram[i]);
    if (first[kind] > 0)
        for (int64_t c = 0; c < columns; c++) sinogram[c] = first[kind];
    if (kind == WIDE_RANGE)
        for (int64_t c = 0; c < columns; c++) sinogram[(angles - 1) * columns + c] = -first[kind];
}

static void check_sorting_of(Kind kind, int64_t angles, int64_t columns, int64_t size)
{
    float *sinogram = make_sinogram(angles, columns, 0.1, (uint32_t)(angles + columns)), *original = NULL;
    change_values(kind, angles, columns, sinogram);
    double *sorted = NULL, *window = NULL;
    const int64_t fitting = size < columns ? size : columns;
    SinoStripesOptions options = usual(SINO_STRIPES_SORTING, angles, columns);
    options.sorting_size = size;
    assert_success(sino_allocate(angles * columns, sizeof *sorted, "test", &sorted));
    assert_success(sino_allocate(angles * columns, sizeof *original, "test", &original));
    assert_success(sino_allocate(fitting, sizeof *window, "test", &window));
    memcpy(original, sinogram, (size_t)(angles * columns) * sizeof *original);
    int64_t *rank = rank_columns(angles, columns, original);
    for (int64_t i = 0; i < angles * columns; i++) sorted[rank[i] * columns + i % columns] = (double)original[i];
    run_panels(&options, one_slice, NULL, false, sinogram);
    for (int64_t i = 0; i < angles * columns; i++) {
        for (int64_t w = 0; w < fitting; w++)
            window[w] = sorted[rank[i] * columns + mirrored(i % columns - fitting / 2 + w, columns)];
        const double expected = median_of(fitting, window);
        if ((double)sinogram[i] != expected)
            fail_msg("K %ld M %ld size %ld: %ld is %g, not %g", angles, columns, size, i, (double)sinogram[i],
                     expected);
    }
    free(sinogram);
    free(original);
    free(sorted);
    free(window);
    free(rank);
}

static void check_sorting(int64_t angles, int64_t columns, int64_t size)
{
    for (Kind kind = USUAL; kind < KINDS; kind++) check_sorting_of(kind, angles, columns, size);
}

static void sorting_is_a_median_of_equal_ranks(void **state)
{
    (void)state;
    const int64_t shapes[][2] = {{1, 1}, {1, 5}, {7, 1}, {16, 2}, {33, 40}, {50, 17}, {61, 83}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        for (int64_t size = 1; size <= 64; size = size * 2 + size % 3)
            check_sorting_of(USUAL, shapes[i][0], shapes[i][1], size);
        check_sorting(shapes[i][0], shapes[i][1], 5);
    }
}

/* Columns that several warps of a GPU sort, that it does not sort in shared memory, and a window that it does not hold
 * in registers. */
static void long_columns_and_wide_windows(void **state)
{
    (void)state;
    check_sorting(300, 1, 1);
    check_sorting(1501, 1, 1);
    check_sorting_of(USUAL, 8192, 1, 1);
    check_sorting_of(USUAL, 8200, 2, 2);
    check_sorting_of(NEAR_VALUES, 8200, 2, 2);
    check_sorting(33, 83, 70);
}

static int ascending_words(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void check_lanes(const SinoSortLanesIsa *isa, int64_t count)
{
    enum { LANES = SINO_SORT_LANES, MOST = 2100 };
    static uint32_t key[MOST * LANES], original[MOST * LANES], column[MOST];
    uint32_t seed = (uint32_t)count;
    for (int64_t i = 0; i < count * LANES; i++) {
        seed = seed * 1664525 + 1013904223;
        original[i] = key[i] = count % 2 ? seed : seed >> 29 << 29; /* up to UINT32_MAX; or a few values */
    }
    isa->sort(count, key);
    for (int64_t lane = 0; lane < LANES; lane++) {
        for (int64_t i = 0; i < count; i++) column[i] = original[i * LANES + lane];
        qsort(column, (size_t)count, sizeof *column, ascending_words);
        for (int64_t i = 0; i < count; i++)
            if (key[i * LANES + lane] != column[i]) fail_msg("%s, %ld keys: %ld", isa->name, count, i);
    }
}

/* Of every instruction set of this processor. */
static void lanes_are_sorted(void **state)
{
    (void)state;
    for (int64_t count = 1; count <= 2099; count += count < 300 ? 1 : 257) {
        check_lanes(&sino_sort_lanes_plain, count);
#if defined __x86_64__
        if (sino_vector_bytes() >= 32) check_lanes(&sino_sort_lanes_avx2, count);
        if (sino_vector_bytes() >= 64) check_lanes(&sino_sort_lanes_avx512, count);
#endif
    }
}

/* ---- Titarenko's ---- */

/* Solves the dense equations in place, by Gauss with pivots. */
static void solve_dense(int64_t n, double *matrix, double *right)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t pivot = i;
        for (int64_t r = i + 1; r < n; r++)
            if (fabs(matrix[r * n + i]) > fabs(matrix[pivot * n + i])) pivot = r;
        for (int64_t c = 0; c < n; c++) {
            const double swapped = matrix[i * n + c];
            matrix[i * n + c] = matrix[pivot * n + c];
            matrix[pivot * n + c] = swapped;
        }
        const double swapped = right[i];
        right[i] = right[pivot];
        right[pivot] = swapped;
        for (int64_t r = 0; r < n; r++) {
            const double factor = r == i ? 0 : matrix[r * n + i] / matrix[i * n + i];
            for (int64_t c = i; c < n; c++) matrix[r * n + c] -= factor * matrix[i * n + c];
            right[r] -= factor * right[i];
        }
    }
    for (int64_t i = 0; i < n; i++) right[i] /= matrix[i * n + i];
}

/* The offsets of a block by differences of the order: (DᵀD + α) q = −DᵀD mean. */
static void find_offsets(int64_t angles, int64_t columns, const float *block, int order, double *offset)
{
    static const double taps[2][3] = {{1, -1, 0}, {-1, 2, -1}};
    double least = INFINITY, most = -INFINITY, *matrix = NULL, *mean = NULL;
    assert_success(sino_allocate(columns * columns, sizeof *matrix, "test", &matrix));
    assert_success(sino_allocate(columns, sizeof *mean, "test", &mean));
    for (int64_t k = 0; k < angles; k++) {
        double sum = 0;
        for (int64_t c = 0; c < columns; c++) {
            sum += (double)block[k * columns + c];
            mean[c] += (double)block[k * columns + c] / (double)angles;
        }
        least = fmin(least, sum);
        most = fmax(most, sum);
    }
    for (int64_t c = 0; c < columns; c++) offset[c] = 0;
    if (most > least) {
        for (int64_t row = 0; row + order + 2 <= columns; row++)
            for (int i = 0; i < order + 2; i++)
                for (int j = 0; j < order + 2; j++) {
                    matrix[(row + i) * columns + row + j] += taps[order][i] * taps[order][j];
                    offset[row + i] -= taps[order][i] * taps[order][j] * mean[row + j];
                }
        for (int64_t c = 0; c < columns; c++) matrix[c * columns + c] += 1 / (2 * (most - least));
        solve_dense(columns, matrix, offset);
    }
    free(matrix);
    free(mean);
}

static void check_ti(int64_t angles, int64_t columns, int64_t blocks)
{
    float *sinogram = make_sinogram(angles, columns, 0.1, (uint32_t)(angles * columns));
    double *expected = NULL, *offset[2] = {NULL, NULL}, least = INFINITY;
    SinoStripesOptions options = usual(SINO_STRIPES_TI, angles, columns);
    const int64_t asked = blocks > 0 ? blocks : 1, used = asked < angles ? asked : angles;
    options.ti_nblock = blocks;
    assert_success(sino_allocate(angles * columns, sizeof *expected, "test", &expected));
    for (int i = 0; i < 2; i++) assert_success(sino_allocate(columns, sizeof *offset[i], "test", &offset[i]));
    for (int64_t b = 0; b < used; b++) {
        const int64_t first = b * angles / used, end = (b + 1) * angles / used;
        for (int i = 0; i < 2; i++) find_offsets(end - first, columns, sinogram + first * columns, i, offset[i]);
        for (int64_t i = first * columns; i < end * columns; i++) {
            const double value = (double)sinogram[i];
            expected[i] = (value + offset[0][i % columns]) * (value + offset[1][i % columns]);
            least = fmin(least, expected[i]);
        }
    }
    run_panels(&options, one_slice, NULL, false, sinogram);
    for (int64_t i = 0; i < angles * columns; i++) {
        const double error = fabs((double)sinogram[i] - sqrt(expected[i] + 1.5 * fabs(least)));
        if (error > 3e-6) fail_msg("K %ld M %ld blocks %ld: %g", angles, columns, blocks, error);
    }
    free(sinogram);
    free(expected);
    for (int i = 0; i < 2; i++) free(offset[i]);
}

static void ti_adds_offsets_that_smooth(void **state)
{
    (void)state;
    const int64_t shapes[][2] = {{1, 1}, {1, 9}, {6, 2}, {40, 3}, {21, 77}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int64_t blocks = 0; blocks < 60; blocks = blocks * 3 + 2) check_ti(shapes[i][0], shapes[i][1], blocks);
}

/* ---- Fourier-wavelet ---- */

/* A whole transform of one dimension, from[n] with a stride, into smooth[(n + 9)/2] and rough, and its inverse. */
static const double db5[10] = {0.16010239797412501,   0.60382926979747287,  0.72430852843857441, 0.13842814590110342,
                               -0.24229488706619015,  -0.03224486958502952, 0.07757149384006515, -0.0062414902130117052,
                               -0.012580751999015526, 0.0033357252850015492};

static void transform(int64_t n, int64_t stride, const double *from, int64_t to_stride, double *smooth, double *rough)
{
    for (int64_t i = 0; i < (n + 9) / 2; i++) {
        double low = 0, high = 0;
        for (int64_t j = 0; j < 10; j++) {
            const double value = from[mirrored(2 * i - 8 + j, n) * stride];
            low += db5[j] * value;
            high += (j % 2 ? -1 : 1) * db5[9 - j] * value;
        }
        smooth[i * to_stride] = low;
        rough[i * to_stride] = high;
    }
}

static void invert(int64_t n, int64_t from_stride, const double *smooth, const double *rough, int64_t stride,
                   double *to)
{
    for (int64_t m = 0; m < n; m++) {
        double sum = 0;
        for (int64_t i = 0; i < (n + 9) / 2; i++) {
            const int64_t tap = m + 8 - 2 * i;
            if (tap < 0 || tap > 9) continue;
            sum += db5[tap] * smooth[i * from_stride] + (tap % 2 ? -1 : 1) * db5[9 - tap] * rough[i * from_stride];
        }
        to[m * stride] = sum;
    }
}

/* Keeps 1 − exp(−y²/2σ²) of each frequency of a column, by a plain transform. TomoPy's y of frequency f is f for an odd
 * number of rows, f + 1/2 for an even one. */
static void damp(int64_t rows, int64_t columns, double sigma, double *band)
{
    double *real = NULL;
    assert_success(sino_allocate(rows, sizeof *real, "test", &real));
    for (int64_t c = 0; c < columns; c++) {
        for (int64_t to = 0; to < rows; to++) {
            double sum = 0;
            for (int64_t f = -(rows / 2); f < rows - rows / 2; f++) {
                const double y = rows % 2 ? (double)f : (double)f + 0.5;
                const double kept = 1 - exp(-y * y / (2 * sigma * sigma));
                for (int64_t r = 0; r < rows; r++)
                    sum += kept * band[r * columns + c] * cos(2 * M_PI * (double)(f * (to - r)) / (double)rows);
            }
            real[to] = sum / (double)rows;
        }
        for (int64_t r = 0; r < rows; r++) band[r * columns + c] = real[r];
    }
    free(real);
}

/* One level of the whole transform, with all four bands, and all levels below it. */
static void filter_level(int64_t rows, int64_t columns, int64_t levels, double sigma, double *image)
{
    if (levels == 0) return;
    const int64_t half_rows = (rows + 9) / 2, half = (columns + 9) / 2;
    double *along[2] = {NULL, NULL}, *band[4] = {NULL, NULL, NULL, NULL};
    for (int i = 0; i < 2; i++) assert_success(sino_allocate(half_rows * columns, sizeof(double), "test", &along[i]));
    for (int i = 0; i < 4; i++) assert_success(sino_allocate(half_rows * half, sizeof(double), "test", &band[i]));
    for (int64_t c = 0; c < columns; c++) transform(rows, columns, image + c, columns, along[0] + c, along[1] + c);
    for (int64_t r = 0; r < half_rows; r++)
        for (int i = 0; i < 2; i++)
            transform(columns, 1, along[i] + r * columns, 1, band[2 * i] + r * half, band[2 * i + 1] + r * half);
    damp(half_rows, half, sigma, band[1]);
    filter_level(half_rows, half, levels - 1, sigma, band[0]);
    for (int64_t r = 0; r < half_rows; r++)
        for (int i = 0; i < 2; i++)
            invert(columns, 1, band[2 * i] + r * half, band[2 * i + 1] + r * half, 1, along[i] + r * columns);
    for (int64_t c = 0; c < columns; c++) invert(rows, columns, along[0] + c, along[1] + c, columns, image + c);
    for (int i = 0; i < 2; i++) free(along[i]);
    for (int i = 0; i < 4; i++) free(band[i]);
}

static void check_fw(int64_t angles, int64_t columns, int64_t level, double sigma)
{
    float *sinogram = make_sinogram(angles, columns, 0.1, (uint32_t)(angles * 7 + columns));
    double *image = NULL, worst = 0;
    const int64_t rows = angles + angles / 8, first = (rows - angles) / 2;
    SinoStripesOptions options = usual(SINO_STRIPES_FW, angles, columns);
    options.fw_sigma = sigma;
    options.fw_level = level;
    int64_t levels = level;
    if (level == 0)
        for (levels = 1; (32 << (levels + 1)) <= columns;) levels++;
    assert_success(sino_allocate(rows * columns, sizeof *image, "test", &image));
    for (int64_t i = 0; i < angles * columns; i++) image[first * columns + i] = (double)sinogram[i];
    filter_level(rows, columns, levels, sigma, image);
    run_panels(&options, one_slice, NULL, false, sinogram);
    for (int64_t i = 0; i < angles * columns; i++)
        worst = fmax(worst, fabs((double)sinogram[i] - image[first * columns + i]));
    if (worst > 4e-6) fail_msg("K %ld M %ld level %ld sigma %g: %g", angles, columns, level, sigma, worst);
    free(sinogram);
    free(image);
}

static void fw_damps_bands(void **state)
{
    (void)state;
    const int64_t shapes[][2] = {{1, 1}, {1, 6}, {5, 1}, {2, 3}, {16, 48}, {33, 20}, {40, 61}, {12, 300}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        check_fw(shapes[i][0], shapes[i][1], 0, 2);
        check_fw(shapes[i][0], shapes[i][1], 1, 0.5);
        check_fw(shapes[i][0], shapes[i][1], 3, 9);
    }
}

/* ---- all of Vo's ---- */

enum { ANGLES = 150, COLUMNS = 400, RAYS = ANGLES * COLUMNS, DEAD = 70, NOISY = 131, LARGE = 95, LARGE_WIDTH = 4 };

static double distance(const float *a, const float *b)
{
    double sum = 0;
    for (int64_t i = 0; i < RAYS; i++) sum += pow((double)a[i] - (double)b[i], 2);
    return sqrt(sum / RAYS);
}

/* A dead column, a fluctuating one, and perhaps a wide stripe. */
static void damage(float *sinogram, bool wide)
{
    uint32_t seed = 9;
    for (int64_t k = 0; k < ANGLES; k++) {
        sinogram[k * COLUMNS + DEAD] = 0.1F;
        sinogram[k * COLUMNS + NOISY] = (float)(3 * testing_uniform(&seed));
        for (int64_t c = LARGE; wide && c < LARGE + LARGE_WIDTH; c++) sinogram[k * COLUMNS + c] *= 1.4F;
    }
}

/* The defects of a detector go, and what is left differs little from the sinogram without them. */
static void vo_all_removes_defects(void **state)
{
    (void)state;
    const SinoStripesOptions options = usual(SINO_STRIPES_VO_ALL, ANGLES, COLUMNS);
    float *clean = make_sinogram(ANGLES, COLUMNS, 0, 5), *damaged = make_sinogram(ANGLES, COLUMNS, 0, 5);
    float *cleaned = make_sinogram(ANGLES, COLUMNS, 0, 5);
    damage(damaged, true);
    const double before = distance(damaged, clean);
    run_panels(&options, one_slice, NULL, false, damaged);
    run_panels(&options, one_slice, NULL, false, cleaned);
    const double after = distance(damaged, clean), untouched = distance(cleaned, clean);
    if (!(after < before / 5 && untouched < before / 5))
        fail_msg("%g before, %g after, %g without defects", before, after, untouched);
    free(clean);
    free(damaged);
    free(cleaned);
}

static bool is_marked(float value)
{
    return value == 0 && signbit(value);
}

/* For iterative solvers a dead column has no values, and none of the others loses any. */
static void dead_columns_are_marked(void **state)
{
    (void)state;
    SinoStripesOptions options = usual(SINO_STRIPES_VO_ALL, ANGLES, COLUMNS);
    options.large_size = 61;
    float *sinogram = make_sinogram(ANGLES, COLUMNS, 0, 5);
    int64_t marked[COLUMNS] = {0};
    damage(sinogram, false);
    run_panels(&options, one_slice, NULL, true, sinogram);
    for (int64_t i = 0; i < RAYS; i++) marked[i % COLUMNS] += is_marked(sinogram[i]);
    for (int64_t c = 0; c < COLUMNS; c++) {
        const bool near = labs(c - DEAD) <= 1 || labs(c - NOISY) <= 1;
        if (marked[c] != (near ? ANGLES : 0) && !(near && labs(c - DEAD) == 1))
            fail_msg("column %ld: %ld", c, marked[c]);
    }
    free(sinogram);
}

/* Of a detector with more columns than a block of a GPU holds ratios. */
static void a_wide_detector_loses_a_dead_column(void **state)
{
    (void)state;
    enum { FEW = 16, WIDE = 2100, WORST = 2070 };
    const SinoStripesOptions options = usual(SINO_STRIPES_VO_ALL, FEW, WIDE);
    float *sinogram = make_sinogram(FEW, WIDE, 0, 5);
    uint32_t seed = 9;
    for (int64_t k = 0; k < FEW; k++) sinogram[k * WIDE + WORST] = (float)(3 * testing_uniform(&seed));
    run_panels(&options, one_slice, NULL, true, sinogram);
    for (int64_t k = 0; k < FEW; k++) assert_true(is_marked(sinogram[k * WIDE + WORST]));
    free(sinogram);
}

/* A disc about the axis, of which all projections are alike but for rounding, has no dead columns. */
static void vo_all_keeps_a_disc(void **state)
{
    (void)state;
    enum { FEW = 5, SMALL = 32 };
    const SinoStripesOptions options = usual(SINO_STRIPES_VO_ALL, FEW, SMALL);
    float sinogram[FEW * SMALL];
    for (int64_t i = 0; i < FEW * SMALL; i++) {
        const double at = (double)(i % SMALL) - (SMALL - 1) / 2.0;
        const float value = (float)sqrt(fmax(100 - at * at, 0));
        sinogram[i] = i * 7 % 3 ? value : nextafterf(value, 0);
    }
    run_panels(&options, one_slice, NULL, true, sinogram);
    for (int64_t i = 0; i < FEW * SMALL; i++) assert_false(is_marked(sinogram[i]));
    for (int64_t k = 0; k < FEW; k++) assert_true(sinogram[k * SMALL + SMALL / 2] > 9);
}

/* ---- Wiener's filter ---- */

/* Rings around the middle of the detector, which lie in each column as the gains of a detector do. */
static void add_rings(float *sinogram)
{
    for (int64_t i = 0; i < RAYS; i++) {
        const double at = fabs((double)(i % COLUMNS) - (COLUMNS - 1) / 2.0);
        sinogram[i] += (float)(fmod(at, 23) < 3 || fabs(at - 80) < 8 ? 0.2 : 0);
    }
}

/* Known gains go; a sinogram without them stays as it is, also with rings of the object. */
static void wiener_takes_gains_alone(void **state)
{
    (void)state;
    const SinoStripesOptions options = usual(SINO_STRIPES_WIENER, ANGLES, COLUMNS);
    for (int rings = 0; rings < 2; rings++)
        for (uint32_t seed = 1; seed < 4; seed++) {
            float *clean = make_sinogram(ANGLES, COLUMNS, 0, seed), *gains = make_sinogram(ANGLES, COLUMNS, 0.05, seed);
            float *kept = make_sinogram(ANGLES, COLUMNS, 0, seed);
            if (rings) add_rings(clean), add_rings(gains), add_rings(kept);
            const double before = distance(gains, clean);
            run_panels(&options, one_slice, NULL, false, kept);
            run_panels(&options, one_slice, NULL, false, gains);
            const double cost = distance(kept, clean), after = distance(gains, clean);
            if (!(cost < 0.1 * before)) fail_msg("rings %d: %g, gains make %g", rings, cost, before);
            if (!(after < (rings ? 0.9 : 0.5) * before)) fail_msg("rings %d: %g of %g", rings, after, before);
            free(clean);
            free(gains);
            free(kept);
        }
}

/* A tube whose axis lies `apart` columns beside the rotation axis, with noise. Caller frees. */
static float *make_tube(double apart)
{
    float *sinogram = NULL;
    uint32_t seed = 3;
    assert_success(sino_allocate(RAYS, sizeof *sinogram, "test", &sinogram));
    for (int64_t i = 0; i < RAYS; i++) {
        const double turn = M_PI * (double)(i / COLUMNS) / ANGLES - 0.6;
        const double at = (double)(i % COLUMNS) - (COLUMNS - 1) / 2.0 - apart * cos(turn);
        const double outer = sqrt(fmax(140 * 140 - at * at, 0)), inner = sqrt(fmax(120 * 120 - at * at, 0));
        sinogram[i] = (float)((outer - inner) / 100 + 0.02 * testing_uniform(&seed));
    }
    return sinogram;
}

/* Its edges hardly move, and are not alike at mirrored columns. */
static void wiener_keeps_a_tube_beside_the_axis(void **state)
{
    (void)state;
    const SinoStripesOptions options = usual(SINO_STRIPES_WIENER, ANGLES, COLUMNS);
    const double apart[] = {3, 6, 12, 25};
    for (int i = 0; i < 4; i++) {
        float *clean = make_tube(apart[i]), *kept = make_tube(apart[i]);
        run_panels(&options, one_slice, NULL, false, kept);
        if (!(distance(kept, clean) < 0.0004)) fail_msg("%g columns: %g", apart[i], distance(kept, clean));
        free(clean);
        free(kept);
    }
}

/* A whole turn of a disc, or of a tube of this inner radius, about an axis far beside the middle, with a hole that
 * moves; gains of columns. Caller frees. */
static float *make_whole_turn(double inner, double gains)
{
    const double axis = 0.8 * COLUMNS;
    float *sinogram = NULL;
    double offset[COLUMNS];
    uint32_t seed = 6;
    assert_success(sino_allocate(RAYS, sizeof *sinogram, "test", &sinogram));
    for (int64_t c = 0; c < COLUMNS; c++) offset[c] = gains * (2 * testing_uniform(&seed) - 1);
    for (int64_t i = 0; i < RAYS; i++) {
        const double at = (double)(i % COLUMNS) - axis, turn = 2 * M_PI * (double)(i / COLUMNS) / ANGLES;
        const double hole = at - 35 * cos(turn), in = sqrt(fmax(110 * 110 - at * at, 0));
        const double hollow = sqrt(fmax(inner * inner - at * at, 0)), moved = sqrt(fmax(12 * 12 - hole * hole, 0));
        sinogram[i] = (float)((in - hollow - moved) / 100 + offset[i % COLUMNS]);
        sinogram[i] += (float)(0.02 * testing_uniform(&seed));
    }
    return sinogram;
}

/* The left edges have no mirrored columns on the detector, and stand still as offsets do. */
static void wiener_keeps_a_disc_about_an_axis_aside(void **state)
{
    (void)state;
    const SinoStripesOptions options = usual(SINO_STRIPES_WIENER, ANGLES, COLUMNS);
    for (int tube = 0; tube < 2; tube++) {
        const double inner = 100 * tube;
        float *clean = make_whole_turn(inner, 0), *kept = make_whole_turn(inner, 0);
        float *gains = make_whole_turn(inner, 0.05);
        const double before = distance(gains, clean);
        run_panels(&options, one_slice, NULL, false, kept);
        run_panels(&options, one_slice, NULL, false, gains);
        const double cost = distance(kept, clean), after = distance(gains, clean);
        if (!(cost < 0.05 * before)) fail_msg("inner radius %g: %g, gains make %g", inner, cost, before);
        if (!(after < 0.5 * before)) fail_msg("inner radius %g: %g of %g", inner, after, before);
        free(clean);
        free(kept);
        free(gains);
    }
}

/* Half a turn of a disc without noise, on a background, and an offset of one column. Caller frees. */
static float *make_disc(double background)
{
    enum { RADIUS = 40, OFF = 351 };
    float *sinogram = NULL;
    assert_success(sino_allocate(RAYS, sizeof *sinogram, "test", &sinogram));
    for (int64_t i = 0; i < RAYS; i++) {
        const double turn = M_PI * (double)(i / COLUMNS) / ANGLES;
        const double at = (double)(i % COLUMNS) - 0.6 * COLUMNS - RADIUS * cos(turn) / 2;
        sinogram[i] = (float)(background + sqrt(fmax(RADIUS * RADIUS - at * at, 0)) / 20);
        sinogram[i] += i % COLUMNS == OFF ? 0.05F : 0;
    }
    return sinogram;
}

/* The rounding of a background looks alike in all sectors, and tells no axis. */
static void wiener_takes_the_same_on_a_background(void **state)
{
    (void)state;
    const SinoStripesOptions options = usual(SINO_STRIPES_WIENER, ANGLES, COLUMNS);
    float *without = make_disc(0), *with = make_disc(0.1);
    run_panels(&options, one_slice, NULL, false, without);
    run_panels(&options, one_slice, NULL, false, with);
    for (int64_t i = 0; i < RAYS; i++) {
        const double change = (double)with[i] - (double)without[i] - 0.1;
        if (!(fabs(change) < 0.01)) fail_msg("ray %ld: %g", i, change);
    }
    free(without);
    free(with);
}

/* A hot column in the air is not where the shadow of the object begins. */
static void wiener_takes_a_hot_column_of_air(void **state)
{
    (void)state;
    const SinoStripesOptions options = usual(SINO_STRIPES_WIENER, ANGLES, COLUMNS);
    float *sinogram = make_disc(0.1);
    for (int64_t k = 0; k < ANGLES; k++) sinogram[k * COLUMNS + DEAD] += 0.4F;
    run_panels(&options, one_slice, NULL, false, sinogram);
    for (int64_t k = 0; k < ANGLES; k++) {
        const double left = (double)sinogram[k * COLUMNS + DEAD] - 0.1;
        if (!(fabs(left) < 0.1)) fail_msg("angle %ld: %g", k, left);
    }
    free(sinogram);
}

/* One column off by a little, the rest of the detector even. */
static void wiener_takes_one_column(void **state)
{
    (void)state;
    const SinoStripesOptions options = usual(SINO_STRIPES_WIENER, ANGLES, COLUMNS);
    float *clean = make_sinogram(ANGLES, COLUMNS, 0, 8), *off = make_sinogram(ANGLES, COLUMNS, 0, 8);
    for (int64_t k = 0; k < ANGLES; k++) off[k * COLUMNS + DEAD] += 0.05F;
    const double before = distance(off, clean);
    run_panels(&options, one_slice, NULL, false, off);
    if (!(distance(off, clean) < 0.5 * before)) fail_msg("%g of %g", distance(off, clean), before);
    free(clean);
    free(off);
}

/* A stuck pixel, and one that fluctuates; an offset and an even detector have none. */
static void wiener_marks_dead_columns(void **state)
{
    (void)state;
    const SinoStripesOptions options = usual(SINO_STRIPES_WIENER, ANGLES, COLUMNS);
    for (int dead = 0; dead < 2; dead++) {
        float *sinogram = make_sinogram(ANGLES, COLUMNS, 0.05, 8);
        int64_t marked[COLUMNS] = {0};
        uint32_t seed = 2;
        for (int64_t k = 0; k < ANGLES; k++) {
            sinogram[k * COLUMNS + LARGE] += 0.3F;
            if (dead) sinogram[k * COLUMNS + DEAD] = 0.9F;
            if (dead) sinogram[k * COLUMNS + NOISY] += (float)(0.2 * testing_uniform(&seed));
        }
        run_panels(&options, one_slice, NULL, true, sinogram);
        for (int64_t i = 0; i < RAYS; i++) marked[i % COLUMNS] += is_marked(sinogram[i]);
        for (int64_t c = 0; c < COLUMNS; c++)
            if (marked[c] != (dead && (c == DEAD || c == NOISY) ? ANGLES : 0))
                fail_msg("column %ld: %ld", c, marked[c]);
        free(sinogram);
    }
}

/* A pin at the axis in half a turn of an ellipse beside it, whose mirrored columns tell no axis. Caller frees. */
static float *make_pin(void)
{
    float *sinogram = NULL;
    uint32_t seed = 3;
    assert_success(sino_allocate(RAYS, sizeof *sinogram, "test", &sinogram));
    for (int64_t i = 0; i < RAYS; i++) {
        const double turn = M_PI * (double)(i / COLUMNS) / ANGLES, at = (double)(i % COLUMNS) - (COLUMNS - 1) / 2.0;
        const double half = 90 * cos(turn - 0.3) * cos(turn - 0.3) + 60 * sin(turn - 0.3) * sin(turn - 0.3);
        const double off = (at - 30 * cos(turn) - 24 * sin(turn)) / half;
        sinogram[i] = (float)(sqrt(fmax(1 - off * off, 0)) / 2 + sqrt(fmax(9 - at * at, 0)) / 4);
        sinogram[i] += (float)(0.002 * testing_uniform(&seed));
    }
    return sinogram;
}

/* Where the axis is known; else the pin is an offset. */
static void wiener_keeps_a_pin_at_a_known_axis(void **state)
{
    (void)state;
    SinoStripesOptions options = usual(SINO_STRIPES_WIENER, ANGLES, COLUMNS);
    float *clean = make_pin(), *kept = make_pin();
    options.has_axis = true;
    options.axis = (COLUMNS - 1) / 2.0;
    run_panels(&options, one_slice, NULL, false, kept);
    if (!(distance(kept, clean) < 0.001)) fail_msg("%g", distance(kept, clean));
    free(clean);
    free(kept);
}

/* A wire in air, seen by one or two columns for a while where it turns round; and sixteen teeth of a rim, which are
 * alike at mirrored columns. Neither is a dead column. */
static void wiener_marks_no_small_parts(void **state)
{
    (void)state;
    SinoStripesOptions options = usual(SINO_STRIPES_WIENER, ANGLES, COLUMNS);
    const double middle = (COLUMNS - 1) / 2.0;
    options.has_axis = true;
    options.axis = middle;
    for (int rim = 0; rim < 2; rim++) {
        float *sinogram = NULL;
        assert_success(sino_allocate(RAYS, sizeof *sinogram, "test", &sinogram));
        for (int64_t i = 0; i < RAYS; i++) {
            const double turn = M_PI * (double)(i / COLUMNS) / ANGLES, at = (double)(i % COLUMNS) - middle;
            const double wire = fabs(at - 85 * cos(turn - 0.4)), beside = fabs(fabs(at) - 80);
            const double tooth = beside < 1 ? 0.4 * fabs(sin(8 * turn)) : 0;
            sinogram[i] = rim ? (float)(sqrt(fmax(70 * 70 - at * at, 0)) / 70 + tooth) : wire < 1 ? 2.0F : 0.01F;
        }
        run_panels(&options, one_slice, NULL, true, sinogram);
        for (int64_t i = 0; i < RAYS; i++)
            if (is_marked(sinogram[i])) fail_msg("rim %d: angle %ld, column %ld", rim, i / COLUMNS, i % COLUMNS);
        free(sinogram);
    }
}

/* ---- panels ---- */

/* Undefined values stay so, and do not change what becomes of the others by more than what they would have been. */
static void undefined_values_stay(void **state)
{
    (void)state;
    for (SinoStripesMethod method = SINO_STRIPES_FW; method <= SINO_STRIPES_WIENER; method++) {
        const SinoStripesOptions options = usual(method, ANGLES, COLUMNS);
        float *whole = make_sinogram(ANGLES, COLUMNS, 0.05, 5), *holes = make_sinogram(ANGLES, COLUMNS, 0.05, 5);
        uint8_t hole[RAYS] = {0};
        uint32_t seed = 4;
        for (int64_t i = 0; i < RAYS; i++) hole[i] = testing_uniform(&seed) < 0.002 || i / COLUMNS == 30;
        for (int64_t i = 0; i < RAYS; i++) holes[i] = hole[i] ? -0.0F : holes[i];
        run_panels(&options, one_slice, NULL, false, whole);
        run_panels(&options, one_slice, NULL, false, holes);
        for (int64_t i = 0; i < RAYS; i++) {
            assert_true(is_marked(holes[i]) == hole[i]);
            if (hole[i]) holes[i] = whole[i];
        }
        const double most = method == SINO_STRIPES_TI ? 0.05 : 0.002; /* ti adds the least product to all values */
        assert_true(distance(holes, whole) < most);
        free(whole);
        free(holes);
    }
}

#ifndef ALONE_STEP
#define ALONE_STEP TESTING_STEP
#endif

/* A slice has the same bits alone and among others, in any order of its rays, and padding stays. Of ALONE_STEP slices
 * one runs alone, and the last one does. */
static void check_panels(SinoStripesOptions options, SinoPrecision precision, int64_t slice_count)
{
    enum { K_MOST = 19, STRIDE_MOST = 64 };
    const int64_t K = options.angle_count, M = options.column_count;
    const SinoSlices slices = {precision, sino_panel_stride(precision, slice_count + 2), slice_count};
    int64_t place[K_MOST] = {0};
    void *together = NULL;
    assert_true(slices.stride <= STRIDE_MOST);
    assert_success(sino_allocate(K * M * slices.stride, sino_precision_bytes(precision), "test", &together));
    for (int64_t k = 0; k < K; k++) place[k] = k * 7 % K;
    float *alone[STRIDE_MOST];
    for (int64_t f = 0; f < slices.stride; f++) {
        alone[f] = make_sinogram(K, M, 0.1, (uint32_t)(f + 1));
        for (int64_t i = 0; i < K * M; i++)
            testing_set_element(precision, together, sino_panel_element(slices, K * M, place[i / M] * M + i % M, f),
                                (double)alone[f][i]);
    }
    run_panels(&options, slices, place, false, together);
    for (int64_t f = 0; f < slices.stride; f++) {
        const bool is_slice = f < slice_count, is_compared = f >= slice_count - 1 || f % ALONE_STEP == 0;
        if (is_slice && is_compared) run_panels(&options, one_slice, NULL, false, alone[f]);
        for (int64_t i = 0; is_compared && i < K * M; i++) {
            const int64_t at = sino_panel_element(slices, K * M, place[i / M] * M + i % M, f);
            assert_true(testing_element(precision, together, at) == (double)alone[f][i]);
        }
        free(alone[f]);
    }
    free(together);
}

static void slices_do_not_mix(void **state)
{
    (void)state;
    for (SinoStripesMethod method = SINO_STRIPES_NONE; method <= SINO_STRIPES_WIENER; method++)
        for (int64_t slices = 1; slices <= 40; slices = slices * 3 + 1) {
            check_panels(usual(method, 19, 23), SINO_SINGLE, slices);
            check_panels(usual(method, 19, 23), SINO_DOUBLE, slices);
        }
}

/* Sinograms of a few values, whose levels of a transform are larger than those above. */
static void small_slices_do_not_mix(void **state)
{
    (void)state;
    for (SinoStripesMethod method = SINO_STRIPES_FW; method <= SINO_STRIPES_WIENER; method++)
        for (int64_t angles = 1; angles <= 6; angles++) {
            SinoStripesOptions options = usual(method, angles, 7 - angles);
            options.fw_level = angles;
            check_panels(options, SINO_SINGLE, 20);
            options.column_count = 3 * angles;
            check_panels(options, SINO_DOUBLE, 3);
        }
}

TESTING_SUBJECT(stripes)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorting_is_a_median_of_equal_ranks),
        cmocka_unit_test(long_columns_and_wide_windows),
        cmocka_unit_test(lanes_are_sorted),
        cmocka_unit_test(ti_adds_offsets_that_smooth),
        cmocka_unit_test(fw_damps_bands),
        cmocka_unit_test(vo_all_removes_defects),
        cmocka_unit_test(dead_columns_are_marked),
        cmocka_unit_test(a_wide_detector_loses_a_dead_column),
        cmocka_unit_test(vo_all_keeps_a_disc),
        cmocka_unit_test(wiener_takes_gains_alone),
        cmocka_unit_test(wiener_takes_one_column),
        cmocka_unit_test(wiener_keeps_a_tube_beside_the_axis),
        cmocka_unit_test(wiener_keeps_a_disc_about_an_axis_aside),
        cmocka_unit_test(wiener_takes_the_same_on_a_background),
        cmocka_unit_test(wiener_takes_a_hot_column_of_air),
        cmocka_unit_test(wiener_marks_dead_columns),
        cmocka_unit_test(wiener_keeps_a_pin_at_a_known_axis),
        cmocka_unit_test(wiener_marks_no_small_parts),
        cmocka_unit_test(undefined_values_stay),
        cmocka_unit_test(slices_do_not_mix),
        cmocka_unit_test(small_slices_do_not_mix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
