/* SPDX-License-Identifier: BSD-3-Clause */
/* Toeplitz: products with AᵀA on a CPU core.
 *
 * A product transforms the N rows of a slice, real, to half of L frequencies each; then each column of frequencies, of
 * which N values are not 0, forth and back; then the N rows that are wanted back. Between the passes the frequencies
 * lie column by column, so that the long pass reads and writes memory once, in order. */
#include "toeplitz.h"

#include "fast_size.h"
#include "memory.h"
#include "polar_grid.h"
#include "toeplitz_private.h"
#include "trace.h"
#include "vector.h"

#include <stdlib.h>
#include <string.h>

enum {
    ROWS = SINO_TILE,
    LINE = 16 /* floats of a cache line */
};

typedef struct Complex {
    float real, imaginary;
} Complex;

/* Elements from row to row, of real rows of `side` points, and of their halves of frequencies: an odd number of cache
 * lines, so that rows do not all map to the same cache sets. */
static int64_t real_stride(int64_t side)
{
    return sino_ceil_multiple(side + 2, 2 * (int64_t)LINE) + LINE;
}

static int64_t half_stride(int64_t side)
{
    return real_stride(side) / 2;
}

static int64_t column_stride(int64_t size)
{
    return sino_ceil_multiple(size, LINE) + LINE / 2;
}

int64_t sino_toeplitz_side(int64_t grid_size)
{
    return sino_fast_size(sino_larger(2 * grid_size - 1, 2 * (int64_t)ROWS));
}

double sino_toeplitz_norm(const SinoToeplitz *toeplitz)
{
    return toeplitz->norm;
}

const float *sino_toeplitz_spectrum(const SinoToeplitz *toeplitz)
{
    return toeplitz->spectrum;
}

double sino_toeplitz_flops(int64_t grid_size)
{
    const double side = (double)sino_toeplitz_side(grid_size);
    return (5 * side + 5 * (double)grid_size) * side * log2(side);
}

/* ---- scratch memory ---- */

/* Scratch memory of a product: columns of frequencies, then ROWS rows and their frequencies, then a column. */
typedef struct Scratch {
    Complex *columns; /* [L/2 + 1][column_stride(N)] */
    float *row;       /* [ROWS][real_stride(L)] */
    Complex *half;    /* [ROWS][half_stride(L)] */
    Complex *column;  /* [L] */
} Scratch;

static int64_t column_bytes(int64_t size, int64_t side)
{
    return sino_ceil_multiple(sino_times(side / 2 + 1, column_stride(size) * (int64_t)sizeof(Complex)), 64);
}

static int64_t product_bytes(int64_t size, int64_t side)
{
    const int64_t rows =
        ROWS * (real_stride(side) * (int64_t)sizeof(float) + half_stride(side) * (int64_t)sizeof(Complex));
    return column_bytes(size, side) + rows + sino_ceil_multiple(side * (int64_t)sizeof(Complex), 64);
}

static Scratch scratch_of(int64_t size, int64_t side, void *memory)
{
    Scratch scratch = {.columns = memory};
    scratch.row = (float *)(void *)((char *)memory + column_bytes(size, side));
    scratch.half = (Complex *)(scratch.row + ROWS * real_stride(side));
    scratch.column = scratch.half + ROWS * half_stride(side);
    return scratch;
}

int64_t sino_toeplitz_scratch_bytes(const SinoGeometry *geometry)
{
    return sino_ceil_multiple(product_bytes(geometry->grid_size, sino_toeplitz_side(geometry->grid_size)), 64);
}

int64_t sino_toeplitz_bytes(const SinoGeometry *geometry)
{
    const int64_t side = sino_toeplitz_side(geometry->grid_size);
    return sino_times(sino_times(side / 2 + 1, side), sizeof(float));
}

int64_t sino_toeplitz_building_bytes(const SinoGeometry *geometry)
{
    const int64_t side = sino_toeplitz_side(geometry->grid_size), reach = 2 * geometry->grid_size;
    return sino_times(sino_times(side, side + 2), sizeof(double)) + sino_polar_grid_sum_bytes(reach, SINO_DOUBLE) +
           sino_polar_grid_row_bytes(reach, SINO_DOUBLE);
}

/* ---- creation ---- */

/* FFTW_ESTIMATE makes the same plans in every run; they fit memory that is aligned alike. */
static SinoStatus make_plans(SinoToeplitz *toeplitz)
{
    const int side = (int)toeplitz->side;
    void *memory = sino_allocate_large(sino_toeplitz_scratch_bytes(&toeplitz->geometry));
    SINO_CHECK(memory, SINO_FAILED, "no memory for FFTs of %d points a side", side);
    const Scratch at = scratch_of(toeplitz->geometry.grid_size, side, memory);
    fftwf_complex *half = (void *)at.half, *column = (void *)at.column;
    toeplitz->row = fftwf_plan_dft_r2c_1d(side, at.row, half, FFTW_ESTIMATE);
    toeplitz->row_back = fftwf_plan_dft_c2r_1d(side, half, at.row, FFTW_ESTIMATE);
    toeplitz->column = fftwf_plan_dft_1d(side, column, column, FFTW_FORWARD, FFTW_ESTIMATE);
    toeplitz->column_back = fftwf_plan_dft_1d(side, column, column, FFTW_BACKWARD, FFTW_ESTIMATE);
    sino_free_large(memory);
    const bool planned = toeplitz->row && toeplitz->row_back && toeplitz->column && toeplitz->column_back;
    SINO_CHECK(planned, SINO_FAILED, "FFTW made no plan for %d points", side);
    return NULL;
}

static SinoStatus fill(SinoToeplitz *toeplitz)
{
    toeplitz->spectrum = sino_allocate_large(sino_toeplitz_bytes(&toeplitz->geometry));
    SINO_CHECK(toeplitz->spectrum, SINO_FAILED, "no memory for the spectrum of AᵀA");
    SINO_TRY(make_plans(toeplitz));
    return sino_toeplitz_fill_spectrum(toeplitz);
}

SinoStatus sino_toeplitz_new(const SinoGeometry *geometry, SinoToeplitz **toeplitz)
{
    SinoToeplitz *made = NULL;
    SINO_TRY(sino_allocate(1, sizeof *made, "the operator", &made));
    *made = (SinoToeplitz){.geometry = *geometry, .side = sino_toeplitz_side(geometry->grid_size)};
    SINO_GIVE(fill(made), made, sino_toeplitz_free, toeplitz);
}

static void free_plan(fftwf_plan plan)
{
    if (plan) fftwf_destroy_plan(plan);
}

void sino_toeplitz_free(SinoToeplitz *toeplitz)
{
    if (!toeplitz) return;
    free_plan(toeplitz->row);
    free_plan(toeplitz->row_back);
    free_plan(toeplitz->column);
    free_plan(toeplitz->column_back);
    sino_free_large(toeplitz->spectrum);
    free(toeplitz);
}

/* ---- product ---- */

/* Copies the frequencies of `count` rows from `first` on to the columns, or back. */
static void to_columns(int64_t half, int64_t first, int64_t count, const Complex *rows, int64_t row_stride,
                       Complex *columns, int64_t stride)
{
    for (int64_t k = 0; k < half; k++)
        for (int64_t r = 0; r < count; r++) columns[k * stride + first + r] = rows[r * row_stride + k];
}

static void from_columns(int64_t half, int64_t first, int64_t count, const Complex *columns, int64_t stride,
                         Complex *rows, int64_t row_stride)
{
    for (int64_t k = 0; k < half; k++)
        for (int64_t r = 0; r < count; r++) rows[r * row_stride + k] = columns[k * stride + first + r];
}

/* The rows of a slice to columns of frequencies. */
static void transform_rows(const SinoToeplitz *toeplitz, const SinoTileSlice *slice, const float *const *x,
                           const Scratch *at)
{
    const int64_t size = slice->size, side = toeplitz->side, stride = real_stride(side), half = half_stride(side);
    for (int64_t down = 0; down < sino_tile_side(size); down++) {
        const SinoTileRange within = sino_tile_range(size, down);
        if (within.count == 0) continue;
        memset(at->row, 0, (size_t)(ROWS * stride) * sizeof *at->row);
        sino_tile_rows_gather(slice, down, x, stride, at->row);
        for (int64_t r = 0; r < within.count; r++)
            fftwf_execute_dft_r2c(toeplitz->row, at->row + (within.first + r) * stride, (void *)(at->half + r * half));
        to_columns(side / 2 + 1, sino_tile_first_voxel(size, down) + within.first, within.count, at->half, half,
                   at->columns, column_stride(size));
    }
}

SINO_VECTORISED static void multiply(int64_t count, const float *factor, Complex *value)
{
    for (int64_t i = 0; i < count; i++) {
        value[i].real *= factor[i];
        value[i].imaginary *= factor[i];
    }
}

static void convolve_columns(const SinoToeplitz *toeplitz, const Scratch *at)
{
    const int64_t size = toeplitz->geometry.grid_size, side = toeplitz->side;
    for (int64_t k = 0; k <= side / 2; k++) {
        Complex *column = at->columns + k * column_stride(size);
        memcpy(at->column, column, (size_t)size * sizeof *column);
        memset(at->column + size, 0, (size_t)(side - size) * sizeof *column);
        fftwf_execute_dft(toeplitz->column, (void *)at->column, (void *)at->column);
        multiply(side, toeplitz->spectrum + k * side, at->column);
        fftwf_execute_dft(toeplitz->column_back, (void *)at->column, (void *)at->column);
        memcpy(column, at->column, (size_t)size * sizeof *column);
    }
}

/* The columns of frequencies to the rows of a slice. */
static void transform_back(const SinoToeplitz *toeplitz, const SinoTileSlice *slice, const Scratch *at, float *const *y)
{
    const int64_t size = slice->size, side = toeplitz->side, stride = real_stride(side), half = half_stride(side);
    for (int64_t down = 0; down < sino_tile_side(size); down++) {
        const SinoTileRange within = sino_tile_range(size, down);
        if (within.count == 0) continue;
        from_columns(side / 2 + 1, sino_tile_first_voxel(size, down) + within.first, within.count, at->columns,
                     column_stride(size), at->half, half);
        for (int64_t r = 0; r < within.count; r++)
            fftwf_execute_dft_c2r(toeplitz->row_back, (void *)(at->half + r * half), at->row + r * stride);
        sino_tile_rows_scatter(slice, down, within, stride, at->row, y);
    }
}

void sino_toeplitz_product(const SinoToeplitz *toeplitz, const SinoTileMap *map, SinoSlices slices,
                           const float *const *x, void *scratch, float *const *y)
{
    const Scratch at = scratch_of(toeplitz->geometry.grid_size, toeplitz->side, scratch);
    for (SinoPanel panel = sino_panel_at(slices, 0); panel.first < slices.stride;
         panel = sino_panel_next(slices, panel))
        for (int64_t f = 0; f < panel.slices.stride; f++) {
            const SinoTileSlice slice = {map, toeplitz->geometry.grid_size, panel, f};
            if (f >= panel.slices.slice_count) {
                sino_tile_rows_clear(&slice, y);
                continue;
            }
            transform_rows(toeplitz, &slice, x, &at);
            convolve_columns(toeplitz, &at);
            transform_back(toeplitz, &slice, &at, y);
        }
}
