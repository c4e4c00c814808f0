/* SPDX-License-Identifier: BSD-3-Clause */
/* Pixels: against a loop in double, for each instruction set, number of slices and division of tiles. The lengths of
 * the loop are those between the places where a ray enters and leaves a pixel. */
#include "memory.h"
#include "pixels_isa.h"
#include "testing.h"
#include "vector.h"

#include <math.h>

typedef struct Isa {
    const SinoPixelsIsa *table;
    int64_t vector_bytes;
} Isa;

static const Isa isas[] = {
    {&sino_pixels_plain, 16},
#ifdef __x86_64__
    {&sino_pixels_avx2, 32},
    {&sino_pixels_avx512, 64},
#endif
};

static bool processor_has(const Isa *isa)
{
    return sino_vector_bytes() >= isa->vector_bytes || isa->table == &sino_pixels_plain;
}

static float next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return (float)(*state >> 8) / 8388608.0F - 1;
}

static const double some_angles[] = {0, M_PI / 2, M_PI, -M_PI / 2, 1e-9, 0.3, 0.785, 1.2, 1.9, 2.6, -2.2, 4.4};
enum { SOME_ANGLES = sizeof some_angles / sizeof *some_angles };

/* A backprojection to check: tiles first … end − 1 of the grid, row by row. */
typedef struct Case {
    SinoPixels what;
    const Isa *isa; /* NULL: the public function */
    int64_t width;  /* slices of a whole panel */
    SinoTilePlace tile[64];
} Case;

static void list_tiles(Case *of)
{
    const int64_t size = of->what.geometry.grid_size, side = sino_tile_side(size);
    for (int64_t i = 0; i < side * side; i++) {
        const SinoTilePlace place = {.row = (int32_t)(i / side), .column = (int32_t)(i % side)};
        if (sino_tile_range(size, place.row).count == 0 || sino_tile_range(size, place.column).count == 0) continue;
        assert_true(of->what.tile_count < 64);
        of->tile[of->what.tile_count++] = place;
    }
    of->what.tile = of->tile;
}

/* As in panel.h, with panels of the case. */
static int64_t element(const Case *of, int64_t rows, int64_t row, int64_t slice)
{
    const int64_t first = slice / of->width * of->width;
    return first * rows + row * sino_smaller(of->width, of->what.slices.stride - first) + slice - first;
}

static int64_t stride_of(int64_t slices, int64_t width)
{
    int64_t last = 1;
    while (last < slices % width) last *= 2;
    return slices - slices % width + (slices % width ? last : 0);
}

/* The length in the unit square around (x, y) of the ray of points with p·cos θ + q·sin θ = s. */
static double length(double x, double y, double angle, double s)
{
    const double c = cos(angle), sine = sin(angle), at[2] = {s * c - x, s * sine - y}, along[2] = {-sine, c};
    double enters = -INFINITY, leaves = INFINITY;
    for (int i = 0; i < 2; i++) {
        if (fabs(along[i]) < 1e-12) {
            if (fabs(at[i]) > 0.5) return 0;
            continue;
        }
        const double one = (-0.5 - at[i]) / along[i], other = (0.5 - at[i]) / along[i];
        enters = fmax(enters, fmin(one, other));
        leaves = fmin(leaves, fmax(one, other));
    }
    return fmax(0, leaves - enters);
}

/* The columns near the middle of a pixel inside the grid, of which three at most see it. */
typedef struct Near {
    double x, y, at;
    int64_t first, last;
} Near;

static Near near_of(const SinoGeometry *geometry, int64_t row, int64_t column, int64_t angle)
{
    const double middle = 0.5 * (double)(geometry->grid_size - 1), theta = geometry->angle_rad[angle];
    Near near = {.x = (double)column - middle, .y = middle - (double)row};
    near.at = near.x * cos(theta) + near.y * sin(theta) + geometry->center;
    near.first = (int64_t)fmax(0, ceil(near.at - 1.5));
    near.last = (int64_t)fmin((double)geometry->column_count - 1, floor(near.at + 1.5));
    return near;
}

typedef struct Polygon {
    int count;
    double x[8], y[8];
} Polygon;

/* The part of a convex polygon with sign·(x·cos θ + y·sin θ − s) ≥ 0. */
static Polygon clip(const Polygon *from, double angle, double s, double sign)
{
    Polygon part = {0};
    for (int i = 0; i < from->count; i++) {
        const int next = (i + 1) % from->count;
        const double here = sign * (from->x[i] * cos(angle) + from->y[i] * sin(angle) - s);
        const double there = sign * (from->x[next] * cos(angle) + from->y[next] * sin(angle) - s);
        if (here >= 0) {
            part.x[part.count] = from->x[i];
            part.y[part.count++] = from->y[i];
        }
        if ((here < 0) == (there < 0)) continue;
        part.x[part.count] = from->x[i] + (from->x[next] - from->x[i]) * here / (here - there);
        part.y[part.count++] = from->y[i] + (from->y[next] - from->y[i]) * here / (here - there);
    }
    return part;
}

/* The area of the unit square around (x, y) between the rays s − ½ and s + ½. */
static double area(double x, double y, double angle, double s)
{
    const Polygon square = {4, {x - 0.5, x + 0.5, x + 0.5, x - 0.5}, {y - 0.5, y - 0.5, y + 0.5, y + 0.5}};
    const Polygon above = clip(&square, angle, s - 0.5, 1), strip = clip(&above, angle, s + 0.5, -1);
    double twice = 0;
    for (int i = 0; i < strip.count; i++) {
        const int next = (i + 1) % strip.count;
        twice += (strip.x[i] - x) * (strip.y[next] - y) - (strip.x[next] - x) * (strip.y[i] - y);
    }
    return fabs(twice) / 2;
}

/* The weight of a column. A ray along a border counts half on either side. */
static double weight_of(const SinoPixels *what, const Near *near, int64_t angle, int64_t ray)
{
    const double theta = what->geometry.angle_rad[angle], s = (double)ray - what->geometry.center;
    if (what->weights == SINO_PIXELS_LINEAR) return fmax(0, 1 - fabs(near->at - (double)ray));
    if (what->weights == SINO_PIXELS_STRIPS) return area(near->x, near->y, theta, s);
    return 0.5 * (length(near->x, near->y, theta, s - 1e-7) + length(near->x, near->y, theta, s + 1e-7));
}

/* The sum of a pixel; 0 outside the grid. */
static double wanted(const Case *of, const float *y, int64_t row, int64_t column, int64_t slice)
{
    const SinoGeometry *geometry = &of->what.geometry;
    const int64_t size = geometry->grid_size, columns = geometry->column_count;
    double sum = 0;
    if (row < 0 || row >= size || column < 0 || column >= size) return 0;
    for (int64_t k = of->what.first_angle; k < of->what.first_angle + of->what.angle_count; k++) {
        const Near near = near_of(geometry, row, column, k);
        for (int64_t c = near.first; c <= near.last; c++)
            sum += weight_of(&of->what, &near, k, c) *
                   (double)y[element(of, geometry->angle_count * columns, k * columns + c, slice)];
    }
    return sum;
}

static float *random_floats(int64_t count, uint32_t seed)
{
    float *made = NULL;
    assert_success(sino_allocate(count, sizeof *made, "test", &made));
    for (int64_t i = 0; i < count; i++) made[i] = next_random(&seed);
    return made;
}

static void check(const Case *of)
{
    const SinoGeometry *geometry = &of->what.geometry;
    const int64_t rows = of->what.tile_count * SINO_TILE_VOXELS, stride = of->what.slices.stride;
    float *y = random_floats(sino_geometry_ray_count(geometry) * stride, 7), *x = random_floats(rows * stride, 8);
    float *before = random_floats(rows * stride, 8);
    void *scratch = NULL;
    assert_success(sino_allocate(sino_pixels_scratch_bytes(), 1, "test", &scratch));
    if (of->isa)
        sino_pixels_back_with(of->isa->table, of->width, &of->what, y, scratch, x);
    else
        sino_pixels_back(&of->what, y, scratch, x);
    for (int64_t i = 0; i < rows; i++) {
        const SinoTilePlace place = of->tile[i / SINO_TILE_VOXELS];
        const int64_t row = sino_tile_first_voxel(geometry->grid_size, place.row) + i % SINO_TILE_VOXELS / SINO_TILE;
        const int64_t column = sino_tile_first_voxel(geometry->grid_size, place.column) + i % SINO_TILE;
        for (int64_t f = 0; f < stride; f += 3) {
            const int64_t at = element(of, rows, i, f);
            const double expected = f < of->what.slices.slice_count ? wanted(of, y, row, column, f) : 0;
            const double value = (double)x[at] - (double)before[at];
            if (!(fabs(value - expected) <= 5e-5 * (double)geometry->angle_count))
                fail_msg("%s: pixel %ld, %ld of slice %ld is %g instead of %g",
                         of->isa ? of->isa->table->name : "public", row, column, f, value, expected);
        }
    }
    free(scratch);
    free(y);
    free(x);
    free(before);
}

static void project(const Case *of, const float *x, void *scratch, float *y)
{
    if (of->isa)
        sino_pixels_project_with(of->isa->table, of->width, &of->what, x, scratch, y);
    else
        sino_pixels_project(&of->what, x, scratch, y);
}

/* The sums of all rays, whose pixels are made up of the tiles: the transpose of `wanted`. */
static void check_projection(const Case *given, SinoPixelWeights weights)
{
    Case of = *given;
    of.what.weights = weights;
    of.what.tile = of.tile;
    const SinoGeometry *geometry = &of.what.geometry;
    const int64_t rows = of.what.tile_count * SINO_TILE_VOXELS, stride = of.what.slices.stride;
    const int64_t rays = sino_geometry_ray_count(geometry), columns = geometry->column_count;
    float *y = random_floats(rays * stride, 7), *x = random_floats(rows * stride, 8);
    float *before = random_floats(rays * stride, 7);
    double *sum = NULL;
    void *scratch = NULL;
    assert_success(sino_allocate(sino_pixels_scratch_bytes(), 1, "test", &scratch));
    assert_success(sino_allocate(rays, sizeof *sum, "test", &sum));
    project(&of, x, scratch, y);
    const int64_t slice = of.what.slices.slice_count - 1;
    for (int64_t i = 0; i < rows; i++) {
        const SinoTilePlace place = of.tile[i / SINO_TILE_VOXELS];
        const int64_t row = sino_tile_first_voxel(geometry->grid_size, place.row) + i % SINO_TILE_VOXELS / SINO_TILE;
        const int64_t column = sino_tile_first_voxel(geometry->grid_size, place.column) + i % SINO_TILE;
        if (row < 0 || row >= geometry->grid_size || column < 0 || column >= geometry->grid_size) continue;
        for (int64_t k = of.what.first_angle; k < of.what.first_angle + of.what.angle_count; k++) {
            const Near near = near_of(geometry, row, column, k);
            for (int64_t c = near.first; c <= near.last; c++)
                sum[k * columns + c] += weight_of(&of.what, &near, k, c) * (double)x[element(&of, rows, i, slice)];
        }
    }
    for (int64_t i = 0; i < rays; i++) {
        const int64_t at = element(&of, rays, i, slice);
        const double value = (double)y[at] - (double)before[at];
        if (!(fabs(value - sum[i]) <= 5e-5 * (double)geometry->grid_size))
            fail_msg("%s: ray %ld of angle %ld is %g instead of %g", of.isa ? of.isa->table->name : "public",
                     i % columns, i / columns, value, sum[i]);
    }
    free(scratch);
    free(sum);
    free(y);
    free(x);
    free(before);
}

static Case case_of(const Isa *isa, SinoPixelWeights weights, int64_t columns, int64_t size, double center,
                    int64_t slices)
{
    Case made = {.isa = isa, .width = isa ? isa->vector_bytes / 2 : sino_panel_width(SINO_SINGLE)};
    made.what.geometry = (SinoGeometry){.angle_count = SOME_ANGLES,
                                        .column_count = columns,
                                        .grid_size = size,
                                        .angle_rad = some_angles,
                                        .center = center};
    made.what.weights = weights;
    made.what.angle_count = SOME_ANGLES;
    made.what.slices =
        (SinoSlices){.precision = SINO_SINGLE, .stride = stride_of(slices, made.width), .slice_count = slices};
    return made;
}

static void check_shapes(const Isa *isa)
{
    static const struct Shape {
        int64_t columns, size;
        double center;
    } shape[] = {{1, 1, 0.1},    {2, 5, 2.7},    {16, 16, 7.6},  {40, 33, 12.3},  {31, 70, 30.8},
                 {90, 64, 60.2}, {7, 90, -40.5}, {500, 64, 250}, {300, 64, 500.2}};
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        Case of =
            case_of(isa, SINO_PIXELS_LINEAR, shape[i].columns, shape[i].size, shape[i].center, 1 + (int64_t)i % 3);
        list_tiles(&of);
        check(&of);
        of.what.weights = SINO_PIXELS_LENGTHS;
        check(&of);
        of.what.first_angle = 2;
        of.what.angle_count -= 3;
        check_projection(&of, SINO_PIXELS_LENGTHS);
        check_projection(&of, SINO_PIXELS_STRIPS);
        of.what.weights = SINO_PIXELS_STRIPS;
        check(&of);
    }
}

static void check_slices(const Isa *isa)
{
    static const int64_t count[] = {1, 2, 3, 7, 16, 20, 33};
    for (size_t i = 0; i < sizeof count / sizeof *count; i++) {
        Case of = case_of(isa, SINO_PIXELS_LINEAR, 23, 18, 11.4, count[i]);
        list_tiles(&of);
        check(&of);
        check_projection(&of, SINO_PIXELS_LENGTHS);
    }
}

static void isa_matches_reference(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        if (!processor_has(&isas[i])) continue;
        check_shapes(&isas[i]);
        check_slices(&isas[i]);
    }
}

static void public_function_matches_reference(void **state)
{
    (void)state;
    check_shapes(NULL);
    check_slices(NULL);
}

/* More angles than a block has, in parts of the tiles; the parts have the bits of the whole. */
static void parts_have_the_bits_of_the_whole(void **state)
{
    (void)state;
    enum { ANGLES = 75 };
    double angle[ANGLES];
    for (int k = 0; k < ANGLES; k++) angle[k] = M_PI * k / ANGLES;
    Case of = case_of(NULL, SINO_PIXELS_LINEAR, 100, 96, 47.3, 1);
    of.what.geometry.angle_count = of.what.angle_count = ANGLES;
    of.what.geometry.angle_rad = angle;
    list_tiles(&of);
    check(&of);
    const int64_t rows = of.what.tile_count * SINO_TILE_VOXELS;
    float *y = random_floats(ANGLES * 100, 7), *whole = random_floats(rows, 9), *parts = random_floats(rows, 9);
    void *scratch = NULL;
    assert_success(sino_allocate(sino_pixels_scratch_bytes(), 1, "test", &scratch));
    sino_pixels_back(&of.what, y, scratch, whole);
    for (int64_t t = 0; t < of.what.tile_count; t += 5) {
        SinoPixels part = of.what;
        part.tile = of.tile + t;
        part.tile_count = sino_smaller(5, of.what.tile_count - t);
        sino_pixels_back(&part, y, scratch, parts + t * SINO_TILE_VOXELS);
    }
    assert_memory_equal(whole, parts, (size_t)rows * sizeof *whole);
    memset(parts, 0, (size_t)rows * sizeof *parts);
    memset(whole, 0, (size_t)rows * sizeof *whole);
    sino_pixels_back(&of.what, y, scratch, whole);
    for (int64_t k = 0; k < ANGLES; k += 7) {
        SinoPixels some = of.what;
        some.first_angle = k;
        some.angle_count = sino_smaller(7, ANGLES - k);
        sino_pixels_back(&some, y, scratch, parts);
    }
    assert_memory_equal(whole, parts, (size_t)rows * sizeof *whole);
    free(scratch);
    free(y);
    free(whole);
    free(parts);
}

/* <A x, y> = <x, Aᵀ y>, to the rounding of positions. */
static void check_adjoint(SinoPixelWeights weights)
{
    enum { ANGLES = 75, COLUMNS = 100 };
    double angle[ANGLES], forth = 0, back = 0, scale = 0;
    for (int k = 0; k < ANGLES; k++) angle[k] = M_PI * k / ANGLES;
    Case of = case_of(NULL, weights, COLUMNS, 96, 47.3, 1);
    of.what.geometry.angle_count = of.what.angle_count = ANGLES;
    of.what.geometry.angle_rad = angle;
    list_tiles(&of);
    const int64_t rows = of.what.tile_count * SINO_TILE_VOXELS, rays = (int64_t)ANGLES * COLUMNS;
    float *y = random_floats(rays, 7), *x = random_floats(rows, 9), *ax = NULL, *aty = NULL;
    void *scratch = NULL;
    assert_success(sino_allocate(sino_pixels_scratch_bytes(), 1, "test", &scratch));
    assert_success(sino_allocate(rays, sizeof *ax, "test", &ax));
    assert_success(sino_allocate(rows, sizeof *aty, "test", &aty));
    sino_pixels_project(&of.what, x, scratch, ax);
    sino_pixels_back(&of.what, y, scratch, aty);
    for (int64_t i = 0; i < rays; i++) {
        forth += (double)ax[i] * (double)y[i];
        scale += fabs((double)ax[i] * (double)y[i]);
    }
    for (int64_t i = 0; i < rows; i++) back += (double)x[i] * (double)aty[i];
    if (!(fabs(forth - back) <= 1e-6 * scale)) fail_msg("%.9g and %.9g, of %g", forth, back, scale);
    free(scratch);
    free(y);
    free(x);
    free(ax);
    free(aty);
}

static void lengths_are_adjoint(void **state)
{
    (void)state;
    check_adjoint(SINO_PIXELS_LENGTHS);
}

static void strips_are_adjoint(void **state)
{
    (void)state;
    check_adjoint(SINO_PIXELS_STRIPS);
}

TESTING_SUBJECT(pixels)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(isa_matches_reference),
        cmocka_unit_test(public_function_matches_reference),
        cmocka_unit_test(parts_have_the_bits_of_the_whole),
        cmocka_unit_test(lengths_are_adjoint),
        cmocka_unit_test(strips_are_adjoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
