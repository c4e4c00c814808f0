/* SPDX-License-Identifier: BSD-3-Clause */
/* Trace: lengths, counts and layout of traced tiles against the reference operator, and counts of measured scans. */
#include "trace.h"

#include "reference_operator.h"
#include "testing.h"

#include <math.h>

/* Lengths below this are not stored (trace_cpu.c). */
static const double least_length = 1e-10;

enum { ANGLES_MAX = 40 };

static const double degree = M_PI / 180;

/* What the traced tiles say, as a dense matrix. */
typedef struct Traced {
    double *length; /* [ray][row][column]; owned */
    int64_t nonzero_count, stored_count;
} Traced;

static double length_at(const uint8_t *lengths, int64_t at, SinoPrecision precision)
{
    if (precision == SINO_DOUBLE) {
        double value;
        memcpy(&value, lengths + at * (int64_t)sizeof value, sizeof value);
        return value;
    }
    float value;
    memcpy(&value, lengths + at * (int64_t)sizeof value, sizeof value);
    return (double)value;
}

/* Adds one group to the matrix, checking all that block.h says of it. Returns the bytes taken. */
static int64_t read_group(const SinoGeometry *geometry, SinoTilePlace tile, const uint8_t *at, SinoPrecision precision,
                          Traced *traced)
{
    const SinoGroupHeader *group = (const void *)at;
    const uint16_t *voxel = (const void *)(at + sizeof *group);
    const uint8_t *lengths = at + sizeof *group + sino_group_index_bytes(group->voxel_count);
    bool seen[SINO_TILE_VOXELS] = {false};
    int64_t nonzeros = 0;
    assert_in_range(group->voxel_count, 1, SINO_TILE_VOXELS);
    for (uint32_t i = 0; i < group->voxel_count; i++) {
        assert_true(voxel[i] < SINO_TILE_VOXELS && !seen[voxel[i]]);
        seen[voxel[i]] = true;
        const int64_t row = (int64_t)tile.row * SINO_TILE + voxel[i] / SINO_TILE;
        const int64_t column = (int64_t)tile.column * SINO_TILE + voxel[i] % SINO_TILE;
        assert_true(row < geometry->grid_size && column < geometry->grid_size);
        bool crossed = false;
        for (int r = 0; r < SINO_GROUP_RAYS; r++) {
            const double length = length_at(lengths, (int64_t)i * SINO_GROUP_RAYS + r, precision);
            assert_true(group->ray[r] < sino_geometry_ray_count(geometry));
            if (length == 0) continue;
            crossed = true;
            nonzeros++;
            double *to = &traced->length[(group->ray[r] * geometry->grid_size + row) * geometry->grid_size + column];
            assert_true(*to == 0 && length > 0); /* each pair once */
            *to = length;
        }
        assert_true(crossed);
    }
    assert_int_equal(nonzeros, group->nonzero_count);
    traced->nonzero_count += nonzeros;
    traced->stored_count += (int64_t)group->voxel_count * SINO_GROUP_RAYS;
    return sino_group_bytes(group->voxel_count, precision);
}

static int tiles_per_side(const SinoGeometry *geometry)
{
    return (int)((geometry->grid_size + SINO_TILE - 1) / SINO_TILE);
}

/* All tiles in one call, from the last to the first, so that order and ray numbers are seen to be free. */
static SinoTrace trace_all(const SinoGeometry *geometry, SinoPrecision precision, SinoTilePlace *tile)
{
    const int side = tiles_per_side(geometry);
    for (int t = 0; t < side * side; t++)
        tile[side * side - 1 - t] = (SinoTilePlace){.column = t % side, .row = t / side};
    SinoTrace trace = {0};
    assert_success(sino_trace_tiles(geometry, precision, 0, (int64_t)side * side, tile, &trace));
    assert_int_equal(trace.precision, precision);
    return trace;
}

static Traced trace_dense(const SinoGeometry *geometry, SinoPrecision precision)
{
    const int64_t voxels = geometry->grid_size * geometry->grid_size, rays = sino_geometry_ray_count(geometry);
    const int64_t tile_count = (int64_t)tiles_per_side(geometry) * tiles_per_side(geometry);
    Traced traced = {.length = calloc((size_t)(rays * voxels), sizeof(double))};
    SinoTilePlace *tile = calloc((size_t)tile_count, sizeof *tile);
    assert_non_null(traced.length);
    assert_non_null(tile);
    SinoTrace trace = trace_all(geometry, precision, tile);
    int64_t at = 0;
    while (at < trace.size) {
        const SinoSectionHeader *section = (const void *)(trace.bytes + at);
        at += (int64_t)sizeof *section;
        assert_in_range(section->tile, 0, tile_count - 1);
        assert_true(section->group_count >= 1);
        for (int32_t g = 0; g < section->group_count; g++)
            at += read_group(geometry, tile[section->tile], trace.bytes + at, precision, &traced);
    }
    assert_int_equal(at, trace.size);
    assert_int_equal(traced.nonzero_count, trace.nonzero_count);
    assert_int_equal(traced.stored_count, trace.stored_count);
    sino_trace_free(&trace);
    free(tile);
    return traced;
}

/* 1e−12, and more for rays so close to an axis that a crossing's place is no better known in double. */
static double tolerance_of(const SinoGeometry *geometry, int64_t ray)
{
    const double angle = geometry->angle_rad[ray / geometry->column_count];
    const double least = fmin(fabs(cos(angle)), fabs(sin(angle)));
    return 1e-12 * (least < 1e-9 ? 1 : fmax(1, 0.05 / least));
}

static void check_totals(const SinoGeometry *geometry, const Traced *traced)
{
    const int64_t voxels = geometry->grid_size * geometry->grid_size;
    for (int64_t ray = 0; ray < sino_geometry_ray_count(geometry); ray++) {
        double total = 0;
        for (int64_t v = 0; v < voxels; v++) total += traced->length[ray * voxels + v];
        const double chord = reference_chord(geometry, ray);
        const double tolerance = (double)geometry->grid_size * fmax(least_length, 4 * tolerance_of(geometry, ray));
        if (!(fabs(total - chord) <= tolerance))
            fail_msg("N %d, center %g: ray %d has length %.15g, its chord is %.15g", (int)geometry->grid_size,
                     geometry->center, (int)ray, total, chord);
    }
}

static void check_lengths(const SinoGeometry *geometry, const Traced *traced, const ReferenceOperator *reference)
{
    for (int64_t i = 0; i < reference->ray_count * reference->voxel_count; i++) {
        const int64_t ray = i / reference->voxel_count, voxel = i % reference->voxel_count;
        if (fabs(traced->length[i] - reference->length[i]) <= tolerance_of(geometry, ray)) continue;
        fail_msg("N %d, M %d, center %g, angle %.15g: column %d, voxel (%d, %d): %.15g, reference %.15g",
                 (int)geometry->grid_size, (int)geometry->column_count, geometry->center,
                 geometry->angle_rad[ray / geometry->column_count], (int)(ray % geometry->column_count),
                 (int)(voxel / geometry->grid_size), (int)(voxel % geometry->grid_size), traced->length[i],
                 reference->length[i]);
    }
}

/* Single precision stores the same lengths, rounded. */
static void check_single(const SinoGeometry *geometry, const Traced *in_double)
{
    const int64_t elements = sino_geometry_ray_count(geometry) * geometry->grid_size * geometry->grid_size;
    Traced in_single = trace_dense(geometry, SINO_SINGLE);
    for (int64_t i = 0; i < elements; i++) assert_true(in_single.length[i] == (double)(float)in_double->length[i]);
    assert_int_equal(in_single.nonzero_count, in_double->nonzero_count);
    free(in_single.length);
}

/* Every length, the count and the totals of a geometry with no ray along a grid line. */
static void check_geometry(const SinoGeometry *geometry)
{
    Traced traced = trace_dense(geometry, SINO_DOUBLE);
    ReferenceOperator reference = reference_operator_create(geometry);
    check_lengths(geometry, &traced, &reference);
    check_totals(geometry, &traced);
    check_single(geometry, &traced);
    assert_int_equal(traced.nonzero_count, reference_operator_nonzero_count(&reference, least_length));
    reference_operator_free(&reference);
    free(traced.length);
}

static const int grid_sizes[] = {1, 2, 15, 16, 17, 33, 64};
enum { GRID_SIZES = sizeof grid_sizes / sizeof *grid_sizes };

/* Detector widths and centers for a grid of N: centered, off by a fraction, wide, narrow, partly and wholly outside. */
static int detectors_of(int size, SinoGeometry *geometry)
{
    const struct {
        int columns;
        double center;
    } detector[] = {
        {size, (size - 1) / 2.0},    {size + 1, size / 2.0 + 0.37},  {size + 6, size / 3.0 - 0.123},
        {2 * size + 1, -size / 4.0}, {size / 2 + 1, size + 0.2718},  {1, 0.1},
        {size, -3.0 * size - 5},     {3 * size / 2 + 2, size * 0.9},
    };
    const int count = sizeof detector / sizeof *detector;
    for (int i = 0; i < count; i++)
        geometry[i] =
            (SinoGeometry){.column_count = detector[i].columns, .grid_size = size, .center = detector[i].center};
    return count;
}

static void random_angles_match_reference(void **state)
{
    (void)state;
    uint64_t seed = 1;
    double angle[ANGLES_MAX];
    for (int n = 0; n < GRID_SIZES; n++) {
        SinoGeometry geometry[8];
        const int count = detectors_of(grid_sizes[n], geometry);
        for (int i = 0; i < count; i++) {
            geometry[i].angle_count = grid_sizes[n] > 32 ? 9 : 18; /* beyond one block of SINO_GROUP_ANGLES */
            geometry[i].angle_rad = angle;
            for (int k = 0; k < ANGLES_MAX; k++) angle[k] = 4 * M_PI * reference_random(&seed);
            check_geometry(&geometry[i]);
        }
    }
}

/* Axes and diagonals, with rays between grid lines, and angles close to them. */
static void special_angles_match_reference(void **state)
{
    (void)state;
    static const double deg[] = {0, 90, 180, 270, 360, -90, -180, 450, 45, 135, -45, 405, -765, 30, 26.565051177077990};
    static const double close_deg[] = {0.5, 89.5, 90.01, -0.1, 179.99, 45.0001, 44.99};
    double angle[ANGLES_MAX];
    int count = 0;
    for (size_t k = 0; k < sizeof deg / sizeof *deg; k++) angle[count++] = deg[k] * degree;
    for (size_t k = 0; k < sizeof close_deg / sizeof *close_deg; k++) angle[count++] = close_deg[k] * degree;
    for (int n = 0; n < GRID_SIZES; n++) {
        const int size = grid_sizes[n];
        const double center = (size - 1) / 2.0 + 0.21;
        check_geometry(&(SinoGeometry){count, size < 64 ? size + 2 : 20, size, angle, center});
    }
}

/* The ray through the axis at 45° meets voxels at their corners only: the diagonal has it all. */
static void diagonal_keeps_to_the_diagonal(void **state)
{
    (void)state;
    static const double deg[] = {45, 135, 225, 315, -45, 405, 765, -1125, 1395};
    double angle[ANGLES_MAX];
    const int count = sizeof deg / sizeof *deg;
    for (int k = 0; k < count; k++) angle[k] = deg[k] * degree;
    for (int size = 1; size <= 64; size++) {
        const SinoGeometry geometry = {count, 1, size, angle, 0};
        Traced traced = trace_dense(&geometry, SINO_DOUBLE);
        for (int k = 0; k < count; k++)
            for (int v = 0; v < size * size; v++) {
                const int row = v / size, column = v % size;
                /* s = 0: y = −x·cosθ/sinθ, so x and y have the same sign where the tangent is negative. */
                const bool falls = tan(angle[k]) > 0;
                const bool on = falls ? row == column : row == size - 1 - column;
                const double length = traced.length[(int64_t)k * size * size + v];
                if (fabs(length - (on ? M_SQRT2 : 0)) > 1e-10)
                    fail_msg("N %d, %g degrees: voxel (%d, %d) has %.15g", size, deg[k], row, column, length);
            }
        free(traced.length);
    }
}

static void more_voxels_than_rays_and_reverse(void **state)
{
    (void)state;
    const double angle[] = {0.3, 1.1, -2.2};
    check_geometry(&(SinoGeometry){1, 3, 64, angle, 1.4});
    check_geometry(&(SinoGeometry){3, 5, 40, angle, 2.05});
    double many[ANGLES_MAX];
    for (int k = 0; k < ANGLES_MAX; k++) many[k] = 0.01 + k * M_PI / ANGLES_MAX;
    check_geometry(&(SinoGeometry){ANGLES_MAX, 64, 2, many, 31.3});
    check_geometry(&(SinoGeometry){ANGLES_MAX, 301, 1, many, 150.2});
}

/* Adds one group's lengths to its rays' totals; the group's bytes. */
static int64_t add_lengths(const uint8_t *bytes, double *total)
{
    const SinoGroupHeader *group = (const void *)bytes;
    const uint8_t *lengths = bytes + sizeof *group + sino_group_index_bytes(group->voxel_count);
    for (int64_t i = 0; i < (int64_t)group->voxel_count * SINO_GROUP_RAYS; i++)
        total[group->ray[i % SINO_GROUP_RAYS]] += length_at(lengths, i, SINO_DOUBLE);
    return sino_group_bytes(group->voxel_count, SINO_DOUBLE);
}

/* Total length of every ray, tile by tile, without the dense matrix. */
static void sum_rays(const SinoGeometry *geometry, double *total)
{
    const int side = tiles_per_side(geometry);
    memset(total, 0, (size_t)sino_geometry_ray_count(geometry) * sizeof *total);
    for (int t = 0; t < side * side; t++) {
        const SinoTilePlace tile = {.column = t % side, .row = t / side};
        SinoTrace trace = {0};
        assert_success(sino_trace_tiles(geometry, SINO_DOUBLE, 0, 1, &tile, &trace));
        for (int64_t at = 0; at < trace.size;) {
            const SinoSectionHeader *section = (const void *)(trace.bytes + at);
            at += (int64_t)sizeof *section;
            for (int32_t g = 0; g < section->group_count; g++) at += add_lengths(trace.bytes + at, total);
        }
        sino_trace_free(&trace);
    }
}

/* Rays along grid lines, those between tiles too, lie wholly on one side or the other, or in parts: never in both. */
static void rays_on_grid_lines_keep_their_length(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 15, 16, 17, 32, 33, 48, 64, 100, 257, 300};
    static const double deg[] = {0,   90, 180, 270, 360, -90, -180, 450,       540,
                                 630, 45, 135, 225, -45, 60,  1e-7, 90.0000001};
    double angle[ANGLES_MAX];
    const int count = sizeof deg / sizeof *deg;
    for (int k = 0; k < count; k++) angle[k] = deg[k] * degree;
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        const double size = sizes[n];
        /* Column − center is a multiple of 1/2 away from the axis, as grid lines are. */
        const SinoGeometry geometry = {count, sizes[n] + 5, sizes[n], angle, floor(size / 2) + 2 + fmod(size, 2) / 2};
        const int64_t rays = sino_geometry_ray_count(&geometry);
        double *total = calloc((size_t)rays, sizeof *total);
        assert_non_null(total);
        sum_rays(&geometry, total);
        for (int64_t ray = 0; ray < rays; ray++) {
            const double a = angle[ray / geometry.column_count], chord = reference_chord(&geometry, ray);
            const double edge = fabs(reference_ray_offset(&geometry, ray)) - size * (fabs(cos(a)) + fabs(sin(a))) / 2;
            const bool on_border = fabs(edge) < 1e-6 * size; /* along the grid's own edge: inside or outside */
            if (on_border ? total[ray] > size + 1e-6 : fabs(total[ray] - chord) > 1e-8 * size)
                fail_msg("N %g, %g degrees, column %d: length %.12g, chord %.12g", size,
                         deg[ray / geometry.column_count], (int)(ray % geometry.column_count), total[ray], chord);
        }
        free(total);
    }
}

/* Whatever the last bits of the angle and the center: half to either side, so that a slice and its mirror image agree.
 */
static void rays_on_grid_lines_are_shared(void **state)
{
    (void)state;
    static const double nudge[] = {0, 1e-15, -1e-15};
    enum { SIZE = 32, LINE = 10 };
    for (int k = 0; k < 12; k++) {
        const double angle[] = {k / 3 * 90 * degree + nudge[k % 3]};
        const SinoGeometry geometry = {1, 1, SIZE, angle, SIZE / 2 - LINE + 1e-14 * (k % 2)};
        Traced traced = trace_dense(&geometry, SINO_DOUBLE);
        assert_int_equal(traced.nonzero_count, 2 * SIZE);
        for (int64_t v = 0; v < (int64_t)SIZE * SIZE; v++)
            assert_true(traced.length[v] == 0 || fabs(traced.length[v] - 0.5) < 1e-12);
        free(traced.length);
    }
}

static void no_tiles_and_no_rays_are_empty(void **state)
{
    (void)state;
    const double angle[] = {0.3};
    const SinoGeometry geometry = {1, 4, 20, angle, 1000};
    const SinoTilePlace tile[] = {{0, 0}, {1, 1}};
    SinoTrace trace = {0};
    assert_success(sino_trace_tiles(&geometry, SINO_SINGLE, 0, 0, tile, &trace));
    assert_int_equal(trace.size, 0);
    assert_int_equal(trace.nonzero_count, 0);
    sino_trace_free(&trace);
    assert_success(sino_trace_tiles(&geometry, SINO_SINGLE, 0, 2, tile, &trace));
    assert_int_equal(trace.size, 0);
    assert_true(sino_trace_estimate(&geometry, tile[0]) == 0);
    sino_trace_free(&trace);
    assert_null(trace.bytes);
    sino_trace_free(&trace);
}

/* Nonzeros of all tiles, counted and estimated; *worst is the estimate's largest relative error of a whole tile. */
static int64_t count_tiles(const SinoGeometry *geometry, double *estimate, double *worst)
{
    const int side = tiles_per_side(geometry);
    int64_t count = 0;
    *estimate = *worst = 0;
    for (int t = 0; t < side * side; t++) {
        const SinoTilePlace tile = {.column = t % side, .row = t / side};
        SinoTrace trace = {0};
        assert_success(sino_trace_tiles(geometry, SINO_SINGLE, 0, 1, &tile, &trace));
        const double expected = sino_trace_estimate(geometry, tile);
        count += trace.nonzero_count;
        *estimate += expected;
        if (trace.nonzero_count > 0) *worst = fmax(*worst, fabs(expected / (double)trace.nonzero_count - 1));
        sino_trace_free(&trace);
    }
    return count;
}

static void estimate_is_close(void **state)
{
    (void)state;
    enum { ANGLES = 180 };
    static const struct {
        int columns, size;
        double center, total_error, tile_error;
    } scan[] = {{64, 64, 31.5, 0.02, 0.05},
                {97, 64, 40.2, 0.02, 0.05},
                {40, 80, 10.3, 0.03, 1},    /* tiles partly and wholly outside the detector */
                {90, 66, 44.5, 0.03, 0.6}}; /* tiles two voxels wide */
    double angle[ANGLES];
    for (int k = 0; k < ANGLES; k++) angle[k] = k * M_PI / ANGLES;
    for (size_t i = 0; i < sizeof scan / sizeof *scan; i++) {
        const SinoGeometry geometry = {ANGLES, scan[i].columns, scan[i].size, angle, scan[i].center};
        double estimate, worst;
        const double count = (double)count_tiles(&geometry, &estimate, &worst);
        if (fabs(estimate / count - 1) > scan[i].total_error || worst > scan[i].tile_error)
            fail_msg("scan %d: estimate %g, count %g, worst tile off by %g", (int)i, estimate, count, worst);
    }
}

/* A centered scan of the test data: `columns` wide, reconstructed on as many voxels. */
static void check_measured_scan(const char *name, int angle_count, int columns, int64_t expected)
{
    char path[TESTING_PATH];
    FILE *file = fopen(testing_data(path, name), "rb");
    assert_non_null(file);
    float *theta = calloc((size_t)angle_count, sizeof *theta);
    double *angle = calloc((size_t)angle_count, sizeof *angle);
    assert_true(theta && angle);
    assert_int_equal(fread(theta, sizeof *theta, (size_t)angle_count, file), angle_count);
    fclose(file);
    for (int k = 0; k < angle_count; k++) angle[k] = (double)theta[k];
    double estimate, worst;
    const SinoGeometry geometry = {angle_count, columns, columns, angle, (columns - 1) / 2.0};
    const double count = (double)count_tiles(&geometry, &estimate, &worst);
    print_message("%s: %.0f nonzeros, published %.0f, estimated %.0f\n", name, count, (double)expected, estimate);
    assert_true(fabs(count / (double)expected - 1) < 1e-4);
    assert_true(fabs(estimate / count - 1) < 0.02 && worst < 0.05);
    free(theta);
    free(angle);
}

static void ads1_has_its_nonzeros(void **state)
{
    (void)state;
    check_measured_scan("memxct/ADS1_theta.bin", 360, 256, 28201212);
}

static void ads2_has_its_nonzeros(void **state)
{
    (void)state;
    if (!getenv("SINODAG_TEST_SLOW")) {
        print_message("skipped: ADS2 takes 5 to 10 s; set SINODAG_TEST_SLOW\n");
        skip();
    }
    check_measured_scan("memxct/ADS2_theta.bin", 750, 512, 235015306);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_angles_match_reference),
        cmocka_unit_test(special_angles_match_reference),
        cmocka_unit_test(diagonal_keeps_to_the_diagonal),
        cmocka_unit_test(more_voxels_than_rays_and_reverse),
        cmocka_unit_test(rays_on_grid_lines_keep_their_length),
        cmocka_unit_test(rays_on_grid_lines_are_shared),
        cmocka_unit_test(no_tiles_and_no_rays_are_empty),
        cmocka_unit_test(estimate_is_close),
        cmocka_unit_test(ads1_has_its_nonzeros),
        cmocka_unit_test(ads2_has_its_nonzeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
