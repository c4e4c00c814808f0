/* SPDX-License-Identifier: BSD-3-Clause */
/* Toeplitz, kernel: T of AᵀA by a nonuniform FFT in double, and its transform. */
#include "gridding.h"
#include "memory.h"
#include "polar_grid.h"
#include "toeplitz_private.h"
#include "turn.h"

#include <stdlib.h>
#include <string.h>

/* Adds one angle's terms of T, with rows of the grid along x and columns along the rows of slices, which y decreases
 * along. */
static void add_angle(int64_t detector, double angle_rad, const SinoPolarGrid *grid, fftw_complex *strength, void *sums)
{
    const double step = 2 * M_PI / (double)detector;
    const double across = step * cos(angle_rad), down = -step * sin(angle_rad);
    SinoTurns x, y;
    sino_turns_begin(across / 2, &x);
    sino_turns_begin(down / 2, &y);
    for (int64_t first = 0; first < detector / 2; first += SINO_TURNS) {
        SinoTurnDoubles footprint = {1, 1, 1, 1};
        sino_turns_times_sinc(&x, first, across / 2, &footprint);
        sino_turns_times_sinc(&y, first, down / 2, &footprint);
        for (int64_t m = first; m < sino_smaller(first + SINO_TURNS, detector / 2); m++) {
            strength[m][0] = (m == 0 ? 1 : 2) * footprint[m - first] * footprint[m - first] / (double)detector;
            strength[m][1] = 0;
        }
        sino_turns_next(&x);
        sino_turns_next(&y);
    }
    sino_polar_grid_add(grid, 1, across, down, detector / 2, strength, sums);
}

/* T for displacements |x|, |y| < N in a circular array of L rows of L + 2, row x, column −y. */
static SinoStatus fill_kernel(const SinoToeplitz *toeplitz, double *kernel)
{
    const SinoGeometry *scan = &toeplitz->geometry;
    const int64_t reach = scan->grid_size, side = toeplitz->side, detector = sino_gridding_detector(scan);
    SinoPolarGrid *grid = NULL;
    fftw_complex *strength = NULL;
    void *sums = NULL, *rows = NULL;
    SinoStatus status = sino_polar_grid_new(2 * reach, SINO_DOUBLE, &grid);
    if (status) return status;
    sums = sino_allocate_large(sino_polar_grid_sum_bytes(2 * reach, SINO_DOUBLE));
    rows = sino_allocate_large(sino_polar_grid_row_bytes(2 * reach, SINO_DOUBLE));
    SINO_TRY_OR(status, out, sino_allocate(detector, sizeof *strength, "frequencies", &strength));
    SINO_CHECK_OR(status, out, sums && rows, SINO_FAILED, "no memory for the kernel of AᵀA");
    sino_polar_grid_clear(grid, 1, sums);
    for (int64_t k = 0; k < scan->angle_count; k++) add_angle(detector, scan->angle_rad[k], grid, strength, sums);
    sino_polar_grid_transform(grid, 1, sums, rows);
    memset(kernel, 0, (size_t)(side * (side + 2)) * sizeof *kernel);
    const int64_t stride = sino_polar_grid_stride(grid);
    for (int64_t first = 1; first < 2 * reach; first += SINO_POLAR_ROWS) {
        const int64_t count = sino_smaller(SINO_POLAR_ROWS, 2 * reach - first);
        const double *value = sino_polar_grid_finish(grid, 1, 0, sums, first, count, rows);
        for (int64_t r = 0; r < count; r++)
            for (int64_t c = 1; c < 2 * reach; c++)
                kernel[(first + r + side - reach) % side * (side + 2) + (c + side - reach) % side] =
                    value[r * stride + c];
    }
out:
    sino_polar_grid_free(grid);
    sino_free_large(sums);
    sino_free_large(rows);
    free(strength);
    return status;
}

/* The sum of |T| over displacements of at most N/2. */
static double sum_of_middle_row(const SinoToeplitz *toeplitz, const double *kernel)
{
    const int64_t side = toeplitz->side, half = toeplitz->geometry.grid_size / 2;
    double sum = 0;
    for (int64_t x = -half; x <= half; x++)
        for (int64_t y = -half; y <= half; y++) sum += fabs(kernel[(x + side) % side * (side + 2) + (y + side) % side]);
    return sum;
}

/* The real part of the transform, [frequency along x][along columns, half], to the spectrum [half of those along
 * x][along columns]: T(−x, −y) = T(x, y). */
static void keep_half(int64_t side, const double *transformed, float *spectrum)
{
    const double scale = 1 / ((double)side * (double)side);
    for (int64_t x = 0; x <= side / 2; x++) {
        const double *same = transformed + x * (side + 2), *opposite = transformed + (side - x) % side * (side + 2);
        float *to = spectrum + x * side;
        for (int64_t y = 0; y <= side / 2; y++) to[y] = (float)(scale * same[2 * y]);
        for (int64_t y = side / 2 + 1; y < side; y++) to[y] = (float)(scale * opposite[2 * (side - y)]);
    }
}

SinoStatus sino_toeplitz_fill_spectrum(SinoToeplitz *toeplitz)
{
    const int64_t side = toeplitz->side;
    SinoStatus status = NULL;
    double *kernel = sino_allocate_large(sino_times(sino_times(side, side + 2), sizeof *kernel));
    SINO_CHECK(kernel, SINO_FAILED, "no memory for the kernel of AᵀA, of %d points a side", (int)side);
    fftw_plan plan = fftw_plan_dft_r2c_2d((int)side, (int)side, kernel, (fftw_complex *)kernel, FFTW_ESTIMATE);
    SINO_CHECK_OR(status, out, plan, SINO_FAILED, "FFTW made no plan for %d × %d points", (int)side, (int)side);
    SINO_TRY_OR(status, out, fill_kernel(toeplitz, kernel));
    toeplitz->norm = sum_of_middle_row(toeplitz, kernel);
    fftw_execute(plan);
    keep_half(side, kernel, toeplitz->spectrum);
out:
    if (plan) fftw_destroy_plan(plan);
    sino_free_large(kernel);
    return status;
}
