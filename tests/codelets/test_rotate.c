/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotate: against a dense matrix in double, for each instruction set, interpolation, number of slices and division of
 * tiles and angles; that both directions are transposes; and against line integrals that are known. */
#include "block.h"
#include "memory.h"
#include "rotate_isa.h"
#include "testing.h"
#include "vector.h"

#include <math.h>

/* The public functions, which on a device are that one's; and those of each instruction set. */
static const struct Isa {
    const SinoRotateIsa *table; /* NULL: public */
    int64_t vector_bytes;
} isas[] = {
    {NULL, 0},
#ifndef TESTING_ON_DEVICE
    {&sino_rotate_plain, 16},
#endif
#if defined __x86_64__ && !defined TESTING_ON_DEVICE
    {&sino_rotate_avx2, 32},
    {&sino_rotate_avx512, 64},
#endif
};

static bool processor_has(const struct Isa *isa)
{
    return sino_vector_bytes() >= isa->vector_bytes || isa->table == &sino_rotate_plain;
}

/* A scan, its tiles row by row, and the division of products into calls. */
typedef struct Case {
    SinoGeometry geometry;
    SinoInterpolation interpolation;
    int64_t slice_count, width; /* of a whole panel */
    int64_t tiles_of_call, angles_of_call;
    SinoTilePlace tile[64];
    int64_t tile_count;
} Case;

static Case case_of(const SinoGeometry *geometry, SinoInterpolation interpolation, int64_t slice_count, int64_t width)
{
    Case made = {.geometry = *geometry, .interpolation = interpolation, .slice_count = slice_count, .width = width};
    const int64_t size = geometry->grid_size, side = sino_tile_side(size);
    for (int64_t i = 0; i < side * side; i++) {
        const SinoTilePlace place = {.row = (int32_t)(i / side), .column = (int32_t)(i % side)};
        if (sino_tile_range(size, place.row).count == 0 || sino_tile_range(size, place.column).count == 0) continue;
        assert_true(made.tile_count < 64);
        made.tile[made.tile_count++] = place;
    }
    made.tiles_of_call = made.tile_count;
    made.angles_of_call = geometry->angle_count;
    return made;
}

/* As in panel.h, with panels of the instruction set. */
static int64_t stride_of(const Case *of)
{
    const int64_t rest = of->slice_count % of->width;
    int64_t last = 1;
    while (last < rest) last *= 2;
    return of->slice_count - rest + (rest > 0 ? last : 0);
}

static int64_t element(const Case *of, int64_t rows, int64_t row, int64_t slice)
{
    const int64_t first = slice / of->width * of->width;
    return first * rows + row * sino_smaller(of->width, stride_of(of) - first) + slice - first;
}

static int64_t ray_rows(const Case *of)
{
    return sino_geometry_ray_count(&of->geometry);
}

/* Products by calls for parts of the tiles, whose voxels are vectors of their own, and for parts of the angles. `x`:
 * [voxel of all tiles][stride]; `y`: a vector in panels. */
static void product(const SinoRotateIsa *isa, bool back, const Case *of, float *x, float *y)
{
    const int64_t stride = stride_of(of), angles = of->geometry.angle_count;
    void *scratch = NULL;
    assert_success(sino_allocate(sino_rotate_scratch_bytes(), 1, "test", &scratch));
    for (int64_t t = 0; t < of->tile_count; t += of->tiles_of_call) {
        const int64_t tiles = sino_smaller(of->tiles_of_call, of->tile_count - t), rows = tiles * SINO_TILE_VOXELS;
        float *part = NULL;
        assert_success(sino_allocate(rows * stride, sizeof *part, "test", &part));
        for (int64_t row = 0; row < rows; row++)
            for (int64_t f = 0; f < stride; f++)
                part[element(of, rows, row, f)] = x[(t * SINO_TILE_VOXELS + row) * stride + f];
        for (int64_t k = 0; k < angles; k += of->angles_of_call) {
            const SinoRotate what = {.geometry = of->geometry,
                                     .interpolation = of->interpolation,
                                     .slices = {.precision = SINO_SINGLE, .stride = stride, .slice_count = stride},
                                     .first_angle = k,
                                     .angle_count = sino_smaller(of->angles_of_call, angles - k),
                                     .tile_count = tiles,
                                     .tile = of->tile + t};
            if (!isa)
                (back ? sino_rotate_back(&what, y, scratch, part) : sino_rotate_project(&what, part, scratch, y));
            else
                sino_rotate_with(isa, back, &what, back ? y : part, scratch, back ? part : y);
        }
        for (int64_t row = 0; row < rows; row++)
            for (int64_t f = 0; f < stride; f++)
                x[(t * SINO_TILE_VOXELS + row) * stride + f] = part[element(of, rows, row, f)];
        free(part);
    }
    free(scratch);
}

/* ---- the matrix in double ---- */

static double kernel(SinoInterpolation interpolation, double distance)
{
    const double d = fabs(distance);
    if (interpolation == SINO_INTERPOLATION_NEAREST) return distance > -0.5 && distance <= 0.5;
    if (interpolation == SINO_INTERPOLATION_LINEAR) return fmax(0, 1 - d);
    if (d < 1) return 1.5 * d * d * d - 2.5 * d * d + 1;
    return d < 2 ? -0.5 * d * d * d + 2.5 * d * d - 4 * d + 2 : 0;
}

/* Weights of one ray: weight[row][column] of the grid. */
static void weights_of(const Case *of, int64_t angle, int64_t column, double *weight)
{
    const SinoGeometry *geometry = &of->geometry;
    const int64_t size = geometry->grid_size, far = 2 * size + 8;
    const double c = cos(geometry->angle_rad[angle]), s = sin(geometry->angle_rad[angle]);
    const double middle = 0.5 * (double)(size - 1), at = (double)column - geometry->center;
    memset(weight, 0, (size_t)(size * size) * sizeof *weight);
    for (int64_t m = -far; m < far; m++) {
        const double t = (double)m + (size % 2 == 0 ? 0.5 : 0);
        const double u = at * c - t * s + middle, v = middle - at * s - t * c;
        for (int64_t row = sino_larger(0, (int64_t)v - 3); row < size && (double)row < v + 3; row++)
            for (int64_t i = sino_larger(0, (int64_t)u - 3); i < size && (double)i < u + 3; i++)
                weight[row * size + i] +=
                    kernel(of->interpolation, u - (double)i) * kernel(of->interpolation, v - (double)row);
    }
}

/* Row of x of a place in the grid, in tiles row by row. */
static int64_t row_of(const Case *of, int64_t row, int64_t column)
{
    const int64_t size = of->geometry.grid_size;
    for (int64_t t = 0; t < of->tile_count; t++) {
        const int64_t down = row - sino_tile_first_voxel(size, of->tile[t].row);
        const int64_t across = column - sino_tile_first_voxel(size, of->tile[t].column);
        if (down >= 0 && down < SINO_TILE && across >= 0 && across < SINO_TILE)
            return t * SINO_TILE_VOXELS + down * SINO_TILE + across;
    }
    fail_msg("no tile has %ld, %ld", row, column);
    return 0;
}

typedef struct Vectors {
    int64_t voxels, rays, stride;
    float *x, *y, *ax, *aty; /* x and aty: [voxel of all tiles][stride] */
} Vectors;

static float *floats(int64_t count, uint32_t seed)
{
    float *made = NULL;
    assert_success(sino_allocate(count, sizeof *made, "test", &made));
    for (int64_t i = 0; i < count; i++) made[i] = seed ? (float)testing_signed(&seed) : 0;
    return made;
}

static Vectors products_of(const SinoRotateIsa *isa, const Case *of)
{
    Vectors made = {of->tile_count * SINO_TILE_VOXELS, ray_rows(of), stride_of(of), NULL, NULL, NULL, NULL};
    made.x = floats(made.voxels * made.stride, 1); /* voxels outside the grid have values, too: they must not matter */
    made.y = floats(made.rays * made.stride, 2);
    made.ax = floats(made.rays * made.stride, 3); /* products are added */
    made.aty = floats(made.voxels * made.stride, 4);
    product(isa, false, of, made.x, made.ax);
    product(isa, true, of, made.aty, made.y);
    float *before = floats(made.rays * made.stride, 3);
    for (int64_t i = 0; i < made.rays * made.stride; i++) made.ax[i] -= before[i];
    free(before);
    before = floats(made.voxels * made.stride, 4);
    for (int64_t i = 0; i < made.voxels * made.stride; i++) made.aty[i] -= before[i];
    free(before);
    return made;
}

static void vectors_free(Vectors *vectors)
{
    free(vectors->x);
    free(vectors->y);
    free(vectors->ax);
    free(vectors->aty);
}

static void expect(const SinoRotateIsa *isa, const Case *of, const char *what, int64_t number, double value,
                   double wanted)
{
    const double most = 2e-5 * (double)sino_larger(of->geometry.grid_size, of->geometry.angle_count);
    if (!(fabs(value - wanted) <= most))
        fail_msg("%s, %d taps, %ld slices: %s %ld is %.7g instead of %.7g", isa ? isa->name : "public",
                 (int)of->interpolation, of->slice_count, what, number, value, wanted);
}

static void check_matrix(const SinoRotateIsa *isa, const Case *of)
{
    const SinoGeometry *geometry = &of->geometry;
    const int64_t size = geometry->grid_size, slice = of->slice_count - 1;
    Vectors vectors = products_of(isa, of);
    double *weight = NULL, *aty = NULL;
    assert_success(sino_allocate(size * size, sizeof *weight, "test", &weight));
    assert_success(sino_allocate(vectors.voxels, sizeof *aty, "test", &aty));
    for (int64_t ray = 0; ray < vectors.rays; ray++) {
        double sum = 0;
        weights_of(of, ray / geometry->column_count, ray % geometry->column_count, weight);
        for (int64_t i = 0; i < size * size; i++) {
            if (weight[i] == 0) continue;
            const int64_t row = row_of(of, i / size, i % size);
            sum += weight[i] * (double)vectors.x[row * vectors.stride + slice];
            aty[row] += weight[i] * (double)vectors.y[element(of, vectors.rays, ray, slice)];
        }
        expect(isa, of, "ray", ray, (double)vectors.ax[element(of, vectors.rays, ray, slice)], sum);
    }
    for (int64_t i = 0; i < vectors.voxels; i++)
        expect(isa, of, "voxel", i, (double)vectors.aty[i * vectors.stride + slice], aty[i]);
    free(weight);
    free(aty);
    vectors_free(&vectors);
}

static const double some_angles[] = {0, M_PI / 2, M_PI, -M_PI / 2, 1e-9, 0.3, 0.785, 1.2, 1.9, 2.6, -2.2, 4.4};
enum { SOME_ANGLES = sizeof some_angles / sizeof *some_angles };

static SinoGeometry scan_of(int64_t columns, int64_t size, double center)
{
    return (SinoGeometry){.angle_count = SOME_ANGLES,
                          .column_count = columns,
                          .grid_size = size,
                          .angle_rad = some_angles,
                          .center = center};
}

static void check_shapes(const SinoRotateIsa *isa, int64_t width)
{
    static const struct Shape {
        int64_t columns, size;
        double center;
    } shape[] = {{1, 1, 0.1}, {7, 5, 2.7}, {16, 16, 7.6}, {40, 33, 12.3}, {31, 70, 30.8}, {90, 64, 60.2}};
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
        for (int p = 0; p < SINO_INTERPOLATIONS; p++) {
            const SinoGeometry geometry = scan_of(shape[i].columns, shape[i].size, shape[i].center);
            Case of = case_of(&geometry, (SinoInterpolation)p, 1 + 2 * (int64_t)i, width);
            check_matrix(isa, &of);
            of.tiles_of_call = 3;
            of.angles_of_call = 5;
            check_matrix(isa, &of);
        }
}

static void check_slices(const SinoRotateIsa *isa, int64_t width)
{
    static const int64_t count[] = {1, 2, 3, 6, 8, 13, 16, 20, 32, 33, 40, 65};
    const SinoGeometry geometry = scan_of(19, 18, 9.4);
    for (size_t i = 0; i < sizeof count / sizeof *count; i++)
        for (int p = 0; p < SINO_INTERPOLATIONS; p++) {
            const Case of = case_of(&geometry, (SinoInterpolation)p, count[i], width);
            check_matrix(isa, &of);
        }
}

static void products_match_reference(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        const SinoRotateIsa *isa = isas[i].table;
        const int64_t width = isa ? isas[i].vector_bytes / 2 : sino_panel_width(SINO_SINGLE);
        if (!processor_has(&isas[i])) continue;
        check_shapes(isa, width);
        check_slices(isa, width);
    }
}

/* Any shapes, centers and angles. Slices of no power of two have panels of several widths. */
static void random_scans(void **state)
{
    enum { CASES = 30, MOST = 9 };
    uint32_t seed = 77;
    (void)state;
    for (int i = 0; i < CASES; i++) {
        double angle[MOST];
        const int64_t angles = 1 + (int64_t)(MOST * (testing_signed(&seed) + 1) / 2);
        for (int64_t k = 0; k < angles; k++) angle[k] = 7 * testing_signed(&seed);
        const int64_t columns = 1 + (int64_t)(35 * (testing_signed(&seed) + 1)),
                      size = 1 + (int64_t)(35 * (testing_signed(&seed) + 1));
        const SinoGeometry geometry = {.angle_count = sino_smaller(angles, MOST),
                                       .column_count = columns,
                                       .grid_size = size,
                                       .angle_rad = angle,
                                       .center = 0.5 * (double)columns * (1 + 1.5 * testing_signed(&seed))};
        Case of = case_of(&geometry, (SinoInterpolation)(i % SINO_INTERPOLATIONS),
                          1 + (int64_t)(20 * (testing_signed(&seed) + 1)), sino_panel_width(SINO_SINGLE));
        of.tiles_of_call = 1 + (int64_t)(6 * (testing_signed(&seed) + 1));
        of.angles_of_call = 1 + (int64_t)(3 * (testing_signed(&seed) + 1));
        check_matrix(NULL, &of);
    }
}

/* More angles than a visit takes, more tiles than a super-tile has. */
static void many_angles_and_tiles(void **state)
{
    (void)state;
    double angle[37];
    for (int k = 0; k < 37; k++) angle[k] = 0.01 + M_PI * k / 37;
    const SinoGeometry geometry = {
        .angle_count = 37, .column_count = 100, .grid_size = 100, .angle_rad = angle, .center = 47.7};
    const Case of = case_of(&geometry, SINO_INTERPOLATION_LINEAR, 2, sino_panel_width(SINO_SINGLE));
    check_matrix(NULL, &of);
}

static double dot(int64_t count, const float *a, const float *b)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

static void directions_are_adjoint(void **state)
{
    (void)state;
    double angle[50];
    for (int k = 0; k < 50; k++) angle[k] = M_PI * k / 50;
    const SinoGeometry geometry = {
        .angle_count = 50, .column_count = 80, .grid_size = 96, .angle_rad = angle, .center = 35.25};
    for (int p = 0; p < SINO_INTERPOLATIONS; p++) {
        const Case of = case_of(&geometry, (SinoInterpolation)p, 1, sino_panel_width(SINO_SINGLE));
        Vectors vectors = products_of(NULL, &of);
        const double ax_y = dot(vectors.rays, vectors.ax, vectors.y),
                     x_aty = dot(vectors.voxels, vectors.x, vectors.aty);
        const double size = sqrt(dot(vectors.rays, vectors.ax, vectors.ax) * dot(vectors.rays, vectors.y, vectors.y));
        if (!(fabs(ax_y - x_aty) <= 1e-6 * size))
            fail_msg("interpolation %d: <Ax, y> = %.9g, <x, Aᵀy> = %.9g", p, ax_y, x_aty);
        vectors_free(&vectors);
    }
}

/* A smooth spot: its line integrals are known, and every angle sums up to its mass. */
static void integrals_of_a_spot(void **state)
{
    (void)state;
    enum { SIZE = 64, ANGLES = 23 };
    static const double tolerance[] = {0.1, 0.012, 0.001}; /* of the largest integral */
    const double width = 5, x0 = 6.3, y0 = -8.1, mass = 2 * M_PI * width * width;
    double angle[ANGLES];
    for (int k = 0; k < ANGLES; k++) angle[k] = M_PI * k / ANGLES;
    const SinoGeometry geometry = {
        .angle_count = ANGLES, .column_count = SIZE, .grid_size = SIZE, .angle_rad = angle, .center = 30.2};
    for (int p = 0; p < SINO_INTERPOLATIONS; p++) {
        const Case of = case_of(&geometry, (SinoInterpolation)p, 1, sino_panel_width(SINO_SINGLE));
        float *x = floats(of.tile_count * SINO_TILE_VOXELS, 0), *y = floats(ray_rows(&of), 0);
        for (int i = 0; i < SIZE * SIZE; i++) {
            const double dx = i % SIZE - 31.5 - x0, dy = 31.5 - i / SIZE - y0; // NOLINT(bugprone-integer-division)
            x[row_of(&of, i / SIZE, i % SIZE)] = (float)exp(-(dx * dx + dy * dy) / (2 * width * width));
        }
        product(NULL, false, &of, x, y);
        for (int k = 0; k < ANGLES; k++) {
            const double s0 = x0 * cos(angle[k]) + y0 * sin(angle[k]), most = sqrt(2 * M_PI) * width;
            double sum = 0;
            for (int c = 0; c < SIZE; c++) {
                const double s = c - 30.2 - s0, wanted = most * exp(-s * s / (2 * width * width));
                const double value = (double)y[k * SIZE + c];
                sum += value;
                if (!(fabs(value - wanted) <= tolerance[p] * most))
                    fail_msg("interpolation %d, angle %d, column %d: %g instead of %g", p, k, c, value, wanted);
            }
            if (!(fabs(sum - mass) <= 2e-3 * mass))
                fail_msg("interpolation %d, angle %d: mass %g of %g", p, k, sum, mass);
        }
        free(x);
        free(y);
    }
}

/* At 0° samples lie in the middles of voxels, so that a ray sums a column of the image. */
static void straight_rays_sum_columns(void **state)
{
    (void)state;
    static const double zero = 0;
    for (int64_t size = 20; size < 22; size++)
        for (int p = 0; p < SINO_INTERPOLATIONS; p++) {
            const SinoGeometry geometry = {.angle_count = 1,
                                           .column_count = size,
                                           .grid_size = size,
                                           .angle_rad = &zero,
                                           .center = 0.5 * (double)(size - 1)};
            const Case of = case_of(&geometry, (SinoInterpolation)p, 1, sino_panel_width(SINO_SINGLE));
            float *x = floats(of.tile_count * SINO_TILE_VOXELS, 5), *y = floats(ray_rows(&of), 0);
            product(NULL, false, &of, x, y);
            for (int64_t c = 0; c < size; c++) {
                double sum = 0;
                for (int64_t row = 0; row < size; row++) sum += (double)x[row_of(&of, row, c)];
                assert_true(fabs((double)y[c] - sum) < 1e-5);
            }
            free(x);
            free(y);
        }
}

TESTING_SUBJECT(rotate)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_match_reference), cmocka_unit_test(random_scans),
        cmocka_unit_test(many_angles_and_tiles),    cmocka_unit_test(directions_are_adjoint),
        cmocka_unit_test(integrals_of_a_spot),      cmocka_unit_test(straight_rays_sum_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
