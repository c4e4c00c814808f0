/* SPDX-License-Identifier: BSD-3-Clause */
/* Toeplitz and Gridding: AᵀA and Aᵀ by FFT against the same discretisation, dense and in double; that AᵀA is symmetric;
 * that slices and parts do not matter. */
#include "toeplitz.h"

#include "block.h"
#include "gridding.h"
#include "memory.h"
#include "testing.h"
#include "trace.h"

#include <math.h>

enum { ANGLES = 11, PARTS = 19 };

static const double some_angles[ANGLES] = {0, 0.3, M_PI / 4, 0.9, M_PI / 2, 1.7, 2.2, 3 * M_PI / 4, 3.14, 4.1, 6.0};

/* A scan, and its tiles dealt out to parts in turn. */
typedef struct Case {
    SinoGeometry geometry;
    SinoSlices slices;
    int parts;
    SinoTileNumber *tile;
    int64_t part_rows[PARTS];
    SinoTileMap map;
    SinoToeplitz *toeplitz;
    SinoGridding *gridding;
    void *scratch;
} Case;

static void list_tiles(Case *of)
{
    const int64_t size = of->geometry.grid_size, side = sino_tile_side(size);
    int64_t next = 0;
    assert_success(sino_allocate(side * side, sizeof *of->tile, "test", &of->tile));
    for (int64_t i = 0; i < side * side; i++) {
        const bool is_in = sino_tile_range(size, i / side).count > 0 && sino_tile_range(size, i % side).count > 0;
        of->tile[i] = (SinoTileNumber){-1, 0};
        if (!is_in) continue;
        const int part = (int)(next++ % of->parts);
        of->tile[i] = (SinoTileNumber){part, (int32_t)(of->part_rows[part] / SINO_TILE_VOXELS)};
        of->part_rows[part] += SINO_TILE_VOXELS;
    }
    of->map = (SinoTileMap){of->tile, of->part_rows};
}

static void open_case(Case *of, int64_t columns, int64_t size, double center, int64_t slices, int parts)
{
    *of = (Case){
        .geometry = {.angle_count = ANGLES,
                     .column_count = columns,
                     .grid_size = size,
                     .angle_rad = some_angles,
                     .center = center},
        .slices = {.precision = SINO_SINGLE, .stride = sino_panel_stride(SINO_SINGLE, slices), .slice_count = slices},
        .parts = parts};
    list_tiles(of);
    assert_success(sino_toeplitz_new(&of->geometry, &of->toeplitz));
    assert_success(sino_gridding_new(&of->geometry, &of->gridding));
    const int64_t bytes = sino_toeplitz_scratch_bytes(&of->geometry), back = sino_gridding_scratch_bytes(&of->geometry);
    of->scratch = sino_allocate_large(bytes > back ? bytes : back);
    assert_non_null(of->scratch);
}

static void close_case(Case *of)
{
    sino_toeplitz_free(of->toeplitz);
    sino_gridding_free(of->gridding);
    sino_free_large(of->scratch);
    free(of->tile);
}

/* Vectors of all parts. */
typedef struct Vector {
    float *part[PARTS];
} Vector;

static Vector new_vector(const Case *of, float value)
{
    Vector made = {{NULL}};
    for (int p = 0; p < of->parts; p++) {
        if (of->part_rows[p] == 0) continue;
        assert_success(sino_allocate(of->part_rows[p] * of->slices.stride, sizeof(float), "test", &made.part[p]));
        for (int64_t i = 0; i < of->part_rows[p] * of->slices.stride; i++) made.part[p][i] = value;
    }
    return made;
}

static void free_vector(Vector *vector)
{
    for (int p = 0; p < PARTS; p++) free(vector->part[p]);
}

/* The element of a voxel of the grid. */
static float *voxel(const Case *of, const Vector *vector, int64_t row, int64_t column, int64_t slice)
{
    const int64_t size = of->geometry.grid_size, side = sino_tile_side(size), origin = sino_tile_first_voxel(size, 0);
    const int64_t down = row - origin, across = column - origin;
    const SinoTileNumber tile = of->tile[down / SINO_TILE * side + across / SINO_TILE];
    const int64_t number = tile.number * (int64_t)SINO_TILE_VOXELS + down % SINO_TILE * SINO_TILE + across % SINO_TILE;
    return vector->part[tile.part] + sino_panel_element(of->slices, of->part_rows[tile.part], number, slice);
}

/* Voxels of a slice do not depend on parts or on the other slices. */
static Vector random_vector(const Case *of)
{
    const int64_t size = of->geometry.grid_size;
    Vector made = new_vector(of, 0);
    for (int64_t f = 0; f < of->slices.slice_count; f++) {
        uint32_t seed = (uint32_t)(5 + f);
        for (int64_t i = 0; i < size * size; i++)
            *voxel(of, &made, i / size, i % size, f) = (float)((f % 2 ? 1000.0 : 1.0) * testing_signed(&seed));
    }
    return made;
}

static double sinc(double t)
{
    return fabs(t) < 1e-9 ? 1 : sin(t) / t;
}

/* A[(angle, column of the detector)][voxel], by the formula of gridding.h. */
static double *dense(const SinoGeometry *scan)
{
    const int64_t size = scan->grid_size, detector = sino_gridding_detector(scan), voxels = size * size;
    const double middle = 0.5 * (double)(size - 1);
    double *a = NULL;
    assert_success(sino_allocate(scan->angle_count * detector * voxels, sizeof *a, "test", &a));
    for (int64_t k = 0; k < scan->angle_count; k++)
        for (int64_t v = 0; v < voxels; v++) {
            const double cosine = cos(scan->angle_rad[k]), sine = sin(scan->angle_rad[k]);
            const double at = ((double)(v % size) - middle) * cosine + (middle - (double)(v / size)) * sine;
            for (int64_t m = 0; m < detector / 2; m++) {
                const double omega = 2 * M_PI * (double)m / (double)detector;
                const double footprint = (m ? 2 : 1) * sinc(omega * cosine / 2) * sinc(omega * sine / 2);
                for (int64_t c = 0; c < detector; c++)
                    a[(k * detector + c) * voxels + v] +=
                        footprint / (double)detector * cos(omega * ((double)c - scan->center - at));
            }
        }
    return a;
}

/* Compares a slice of x with wanted[voxel]: the largest difference, as a share of the largest value. */
static double difference(const Case *of, const Vector *x, int64_t slice, const double *wanted)
{
    const int64_t size = of->geometry.grid_size;
    double worst = 0, most = 0;
    for (int64_t v = 0; v < size * size; v++) {
        worst = fmax(worst, fabs((double)*voxel(of, x, v / size, v % size, slice) - wanted[v]));
        most = fmax(most, fabs(wanted[v]));
    }
    return worst / most;
}

/* Adds Aᵀ of b[row of A], the rows from `first` on. */
static void add_transposed(const double *a, int64_t voxels, int64_t rows, const double *b, double *x)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t v = 0; v < voxels; v++) x[v] += a[i * voxels + v] * b[i];
}

static void check_product(const Case *of, const double *a)
{
    const int64_t size = of->geometry.grid_size, voxels = size * size;
    const int64_t rows = of->geometry.angle_count * sino_gridding_detector(&of->geometry);
    Vector x = random_vector(of), y = new_vector(of, NAN);
    double *projected = NULL, *wanted = NULL;
    assert_success(sino_allocate(rows, sizeof *projected, "test", &projected));
    assert_success(sino_allocate(voxels, sizeof *wanted, "test", &wanted));
    sino_toeplitz_product(of->toeplitz, &of->map, of->slices, (const float *const *)x.part, of->scratch, y.part);
    for (int64_t f = 0; f < of->slices.slice_count; f++) {
        for (int64_t i = 0; i < rows; i++) {
            projected[i] = 0;
            for (int64_t v = 0; v < voxels; v++)
                projected[i] += a[i * voxels + v] * (double)*voxel(of, &x, v / size, v % size, f);
        }
        for (int64_t v = 0; v < voxels; v++) wanted[v] = 0;
        add_transposed(a, voxels, rows, projected, wanted);
        const double error = difference(of, &y, f, wanted);
        if (!(error <= 1e-5)) fail_msg("%ld voxels a side, slice %ld: AᵀA x is off by %.2g", size, f, error);
    }
    free(projected);
    free(wanted);
    free_vector(&x);
    free_vector(&y);
}

static float *random_rays(const Case *of)
{
    const int64_t rays = sino_geometry_ray_count(&of->geometry);
    float *b = NULL;
    assert_success(sino_allocate(rays * of->slices.stride, sizeof *b, "test", &b));
    for (int64_t f = 0; f < of->slices.slice_count; f++) {
        uint32_t seed = (uint32_t)(90 + f);
        for (int64_t i = 0; i < rays; i++) b[sino_panel_element(of->slices, rays, i, f)] = (float)testing_signed(&seed);
    }
    return b;
}

static void check_adjoint(const Case *of, const double *a)
{
    const SinoGeometry *scan = &of->geometry;
    const int64_t voxels = scan->grid_size * scan->grid_size, rays = sino_geometry_ray_count(scan);
    const int64_t detector = sino_gridding_detector(scan);
    Vector x = new_vector(of, NAN);
    double *wanted = NULL;
    float *b = random_rays(of);
    assert_success(sino_allocate(voxels, sizeof *wanted, "test", &wanted));
    sino_gridding_adjoint(of->gridding, &of->map, of->slices, b, of->scratch, x.part);
    for (int64_t f = 0; f < of->slices.slice_count; f++) {
        for (int64_t v = 0; v < voxels; v++) wanted[v] = 0;
        for (int64_t i = 0; i < rays; i++) {
            const int64_t k = i / scan->column_count, c = i % scan->column_count;
            const double value = (double)b[sino_panel_element(of->slices, rays, i, f)];
            add_transposed(a + (k * detector + c) * voxels, voxels, 1, &value, wanted);
        }
        const double error = difference(of, &x, f, wanted);
        if (!(error <= 1e-5)) fail_msg("%ld voxels a side, slice %ld: Aᵀ b is off by %.2g", scan->grid_size, f, error);
    }
    free(wanted);
    free(b);
    free_vector(&x);
}

static const struct Shape {
    int64_t columns, size;
    double center;
} shapes[] = {{1, 1, 0.1}, {5, 2, 2.7}, {16, 16, 7.5}, {24, 23, 9.8}, {20, 32, 11.25}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void products_match_the_dense_operator(void **state)
{
    (void)state;
    for (int i = 0; i < SHAPES; i++) {
        Case of;
        open_case(&of, shapes[i].columns, shapes[i].size, shapes[i].center, 1 + i, 1 + i % 3);
        double *a = dense(&of.geometry);
        check_product(&of, a);
        check_adjoint(&of, a);
        free(a);
        close_case(&of);
    }
}

/* u·AᵀA v = v·AᵀA u, for vectors in tiles of several parts. */
static void products_are_symmetric(void **state)
{
    (void)state;
    enum { SIZE = 45 };
    Case of;
    double there = 0, back = 0, most = 0;
    open_case(&of, SIZE, SIZE, 20.4, 2, 4);
    Vector x = random_vector(&of), y = new_vector(&of, NAN);
    sino_toeplitz_product(of.toeplitz, &of.map, of.slices, (const float *const *)x.part, of.scratch, y.part);
    for (int64_t i = 0; i < SIZE * SIZE; i++) {
        const int64_t row = i / SIZE, column = i % SIZE;
        const double u = (double)*voxel(&of, &x, row, column, 0), v = (double)*voxel(&of, &x, row, column, 1);
        const double of_u = (double)*voxel(&of, &y, row, column, 0), of_v = (double)*voxel(&of, &y, row, column, 1);
        there += u * of_v;
        back += v * of_u;
        most += fabs(u * of_v);
    }
    assert_true(fabs(there - back) <= 1e-5 * most);
    free_vector(&x);
    free_vector(&y);
    close_case(&of);
}

/* Of 19 slices in 19 parts, some of them empty, and of each slice alone. */
static void slices_and_parts_keep_bits(void **state)
{
    (void)state;
    enum { SLICES = 19, SIZE = 37 };
    Case all, one;
    open_case(&all, SIZE, SIZE, 17.2, SLICES, PARTS);
    open_case(&one, SIZE, SIZE, 17.2, 1, 1);
    Vector x = random_vector(&all), y = new_vector(&all, NAN), xt = new_vector(&all, NAN);
    float *b = random_rays(&all);
    const int64_t rays = sino_geometry_ray_count(&all.geometry);
    sino_toeplitz_product(all.toeplitz, &all.map, all.slices, (const float *const *)x.part, all.scratch, y.part);
    sino_gridding_adjoint(all.gridding, &all.map, all.slices, b, all.scratch, xt.part);
    for (int64_t f = 0; f < SLICES; f++) {
        Vector x1 = new_vector(&one, 0), y1 = new_vector(&one, NAN), xt1 = new_vector(&one, NAN);
        float *b1 = NULL;
        assert_success(sino_allocate(rays, sizeof *b1, "test", &b1));
        for (int64_t i = 0; i < rays; i++) b1[i] = b[sino_panel_element(all.slices, rays, i, f)];
        for (int64_t i = 0; i < SIZE * SIZE; i++)
            *voxel(&one, &x1, i / SIZE, i % SIZE, 0) = *voxel(&all, &x, i / SIZE, i % SIZE, f);
        sino_toeplitz_product(one.toeplitz, &one.map, one.slices, (const float *const *)x1.part, one.scratch, y1.part);
        sino_gridding_adjoint(one.gridding, &one.map, one.slices, b1, one.scratch, xt1.part);
        for (int64_t i = 0; i < SIZE * SIZE; i++) {
            const int64_t row = i / SIZE, column = i % SIZE;
            assert_true(*voxel(&one, &y1, row, column, 0) == *voxel(&all, &y, row, column, f));
            assert_true(*voxel(&one, &xt1, row, column, 0) == *voxel(&all, &xt, row, column, f));
        }
        free(b1);
        free_vector(&x1);
        free_vector(&y1);
        free_vector(&xt1);
    }
    free(b);
    free_vector(&x);
    free_vector(&y);
    free_vector(&xt);
    close_case(&all);
    close_case(&one);
}

#ifndef TESTING_ON_DEVICE
/* Angles that are added four by four, in minibatches whose panels have room for whole groups, and in others. */
static void blocks_of_angles_keep_bits(void **state)
{
    static const int64_t counts[] = {1, 2, 4, 19};
    enum { SIZE = 37, EACH = 4 };
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        Case of;
        open_case(&of, SIZE, SIZE, 17.2, counts[i], PARTS);
        const SinoGeometry *scan = &of.geometry;
        const int64_t rays = sino_geometry_ray_count(scan), stride = of.slices.stride;
        Vector whole = new_vector(&of, NAN), parts = new_vector(&of, NAN);
        float *b = random_rays(&of), *block = NULL;
        void *sums = NULL;
        assert_success(sino_allocate(rays * stride, sizeof *block, "test", &block));
        assert_success(sino_allocate(stride, (size_t)sino_gridding_sum_bytes(SIZE), "test", &sums));
        sino_gridding_adjoint(of.gridding, &of.map, of.slices, b, of.scratch, whole.part);
        for (int64_t first = 0; first < scan->angle_count; first += EACH) {
            const int64_t count = sino_smaller(EACH, scan->angle_count - first), part = count * scan->column_count;
            for (int64_t r = 0; r < part; r++)
                for (int64_t f = 0; f < stride; f++)
                    block[sino_panel_element(of.slices, part, r, f)] =
                        b[sino_panel_element(of.slices, rays, first * scan->column_count + r, f)];
            sino_gridding_add(of.gridding, of.slices, first, count, block, of.scratch, sums);
        }
        sino_gridding_finish(of.gridding, &of.map, of.slices, of.scratch, sums, parts.part);
        for (int64_t f = 0; f < counts[i]; f++)
            for (int64_t v = 0; v < SIZE * SIZE; v++)
                assert_true(*voxel(&of, &whole, v / SIZE, v % SIZE, f) == *voxel(&of, &parts, v / SIZE, v % SIZE, f));
        free(sums);
        free(block);
        free(b);
        free_vector(&whole);
        free_vector(&parts);
        close_case(&of);
    }
}

#endif

/* Whatever the vectors held before, voxels beyond the grid and padding slices are 0. */
static void what_is_no_voxel_becomes_zero(void **state)
{
    (void)state;
    enum { SLICES = 3, SIZE = 19 };
    Case of;
    open_case(&of, SIZE, SIZE, 9, SLICES, 1);
    Vector x = random_vector(&of), y = new_vector(&of, NAN);
    double sum = 0, of_voxels = 0;
    sino_toeplitz_product(of.toeplitz, &of.map, of.slices, (const float *const *)x.part, of.scratch, y.part);
    for (int64_t i = 0; i < of.part_rows[0] * of.slices.stride; i++) sum += fabs((double)y.part[0][i]);
    for (int64_t f = 0; f < SLICES; f++)
        for (int64_t i = 0; i < SIZE * SIZE; i++) of_voxels += fabs((double)*voxel(&of, &y, i / SIZE, i % SIZE, f));
    assert_true(fabs(sum - of_voxels) <= 1e-12 * sum);
    free_vector(&x);
    free_vector(&y);
    close_case(&of);
}

/* The largest eigenvalue by power iterations, which come from below, is at most the norm, and not far below. */
static void norm_bounds_the_eigenvalues(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 19, 48, 65};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        Case of;
        double largest = 0;
        open_case(&of, sizes[i], sizes[i], 0.5 * (double)(sizes[i] - 1), 1, 1);
        Vector x = new_vector(&of, 1), y = new_vector(&of, 0);
        for (int k = 0; k < 60; k++) {
            double square = 0;
            sino_toeplitz_product(of.toeplitz, &of.map, of.slices, (const float *const *)x.part, of.scratch, y.part);
            for (int64_t v = 0; v < of.part_rows[0] * of.slices.stride; v++)
                square += (double)y.part[0][v] * (double)y.part[0][v];
            largest = k > 0 ? sqrt(square) : 0;
            for (int64_t v = 0; v < of.part_rows[0] * of.slices.stride; v++)
                x.part[0][v] = (float)((double)y.part[0][v] / sqrt(square));
        }
        const double norm = sino_toeplitz_norm(of.toeplitz);
        print_message("side %d: largest eigenvalue %.5g, bound %.5g\n", (int)sizes[i], largest, norm);
        assert_true(largest <= norm * (1 + 1e-5) && norm <= 1.5 * largest);
        free_vector(&x);
        free_vector(&y);
        close_case(&of);
    }
}

TESTING_SUBJECT(toeplitz)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_match_the_dense_operator), cmocka_unit_test(products_are_symmetric),
        cmocka_unit_test(slices_and_parts_keep_bits),
#ifndef TESTING_ON_DEVICE
        cmocka_unit_test(blocks_of_angles_keep_bits),
#endif
        cmocka_unit_test(what_is_no_voxel_becomes_zero),     cmocka_unit_test(norm_bounds_the_eigenvalues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
