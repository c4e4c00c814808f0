/* SPDX-License-Identifier: BSD-3-Clause */
/* SpMM on an OpenCL device: both directions against the dense reference operator, on blocks of partitions, in every
 * precision, with several strides. */
#include "lend.h"
#include "panel.h"
#include "spmm.h"
#include "spmm_opencl.h"
#include "testing.h"
#include "testing_partition.h"
#include "testing_regroup.h"

#include "cast.h"

#include <float.h>
#include <math.h>

/* A product to check. */
typedef struct Run {
    const Problem *problem;
    const Partition *partition;
    const Packed *packed;
    const Expected *expected;
    const SinoGatherHeader *lists;
    SinoSlices slices;
    SinoCastUnits units; /* 2⁻²⁰ to 2²⁰ */
    bool back;
} Run;

static bool has_units(const Run *run)
{
    return run->lists->precision == SINO_HALF || run->lists->precision == SINO_MIXED;
}

static int64_t rows_of(const Run *run, bool voxels)
{
    return voxels ? run->partition->tile_count * SINO_TILE_VOXELS : run->packed->ray_count;
}

/* The row's place in the problem's vectors; −1: outside the grid. */
static int64_t place_of(const Run *run, bool voxels, int64_t row)
{
    return voxels ? voxel_of(run->problem, run->partition, row / SINO_TILE_VOXELS, (int)(row % SINO_TILE_VOXELS))
                  : run->packed->ray[row];
}

static void *input_create(const Run *run)
{
    const bool voxels = !run->back;
    const size_t bytes = sino_spmm_from_bytes((SinoPrecision)run->lists->precision);
    const double *values = run->back ? run->problem->y : run->problem->x;
    void *input = zeros(rows_of(run, voxels) * run->slices.stride, bytes);
    for (int64_t row = 0; row < rows_of(run, voxels); row++) {
        const int64_t of = place_of(run, voxels, row);
        for (int64_t f = 0; f < run->slices.slice_count; f++)
            set_element(bytes, input, sino_panel_element(run->slices, rows_of(run, voxels), row, f),
                        of < 0 ? 30000 : values[of * SLICES + f]);
    }
    return input;
}

/* Stored lengths are rounded, sums are single; half precision rounds to half at each visit of a row. */
static double tolerance_of(const Run *run, double size)
{
    const double visits = run->back ? 1 : (double)run->packed->ray_visits;
    switch (run->lists->precision) {
    case SINO_DOUBLE:
        return 1e-14 * size + 1e-11;
    case SINO_SINGLE:
        return 8 * (double)FLT_EPSILON * size + 1e-11;
    case SINO_MIXED:
        return (8 * (double)FLT_EPSILON + 0x1.01p-11) * size + 0x1p-18;
    default:
        return 0x1.01p-11 * (2 + 16 * visits) * size + (128 + 16 * visits) * 0x1p-25;
    }
}

static void check_output(const Run *run, const void *output)
{
    const bool voxels = run->back;
    const double *values = run->back ? run->expected->x : run->expected->y;
    const double *sizes = run->back ? run->expected->x_size : run->expected->y_size;
    for (int64_t row = 0; row < rows_of(run, voxels); row++) {
        const int64_t of = place_of(run, voxels, row);
        for (int64_t f = 0; f < run->slices.stride; f++) {
            const int64_t at = sino_panel_element(run->slices, rows_of(run, voxels), row, f);
            const double unit = run->lists->precision == SINO_MIXED ? (double)run->units.unit[f] : 1;
            const double found = element(sino_spmm_to_bytes((SinoPrecision)run->lists->precision), output, at) / unit;
            const bool there = f < run->slices.slice_count && of >= 0;
            const double wanted = there ? values[of * SLICES + f] : 0;
            if (!(fabs(found - wanted) <= (there ? tolerance_of(run, sizes[of * SLICES + f]) : 0)))
                fail_msg("%s of %s, precision %d, %d slices: row %d, slice %d: %.17g, expected %.17g",
                         run->back ? "backproject" : "project", run->partition->name, run->lists->precision,
                         (int)run->slices.slice_count, (int)row, (int)f, found, wanted);
        }
    }
}

static void check(const Run *run)
{
    const SinoPrecision precision = (SinoPrecision)run->lists->precision;
    const size_t from_bytes = (size_t)(rows_of(run, !run->back) * run->slices.stride) * sino_spmm_from_bytes(precision);
    const size_t to_bytes = (size_t)(rows_of(run, run->back) * run->slices.stride) * sino_spmm_to_bytes(precision);
    void *input = input_create(run), *output = malloc(to_bytes);
    assert_non_null(output);
    memset(output, 0xff, to_bytes);
    cl_mem lists = lend(run->lists, (size_t)run->lists->bytes), from = lend(input, from_bytes);
    cl_mem to = lend(output, to_bytes), units = has_units(run) ? lend(&run->units, sizeof run->units) : NULL;
    assert_success((run->back ? sino_spmm_backproject_opencl : sino_spmm_project_opencl)(
        lend_device(), run->lists, lists, run->slices.stride, from, units, to));
    lend_return(output, to, to_bytes);
    lend_end(input, from, from_bytes);
    lend_end(run->lists, lists, (size_t)run->lists->bytes);
    lend_end(&run->units, units, sizeof run->units);
    check_output(run, output);
    free(input);
    free(output);
}

static void check_precision(const Problem *problem, const Partition *partition, const Expected *expected,
                            SinoPrecision precision)
{
    static const int64_t slice_count[] = {1, 3, 16, 37};
    Packed packed = pack(problem, partition, precision);
    const SinoFootprint footprint = {packed.ray_count, partition->has_footprint ? packed.ray : NULL};
    for (int back = 0; back < 2; back++) {
        SinoGatherHeader *lists;
        const SinoRegroupInput input = {packed.block,    &problem->layout, &footprint,
                                        partition->tile, back == 1,        SINO_BUNDLE_GROUPS};
        assert_success(regroup_block(&input, &lists));
        for (int i = 0; i < 4; i++) {
            Run run = {.problem = problem,
                       .partition = partition,
                       .packed = &packed,
                       .expected = expected,
                       .lists = lists,
                       .slices = {.precision = sino_precision_solver(precision),
                                  .slice_count = slice_count[i],
                                  .stride = sino_panel_stride(precision, slice_count[i])},
                       .back = back == 1};
            for (int f = 0; f < SINO_SLICES_MAX; f++) run.units.unit[f] = ldexpf(1, f * 31 % 41 - 20);
            check(&run);
        }
        free(lists);
    }
    packed_free(&packed);
}

static void check_geometry(int64_t columns, double center, bool symmetry, uint64_t seed)
{
    TestingAngles angles = testing_angles_even("half turn, 24", 24, 0, 180, 5);
    Problem problem = problem_create(scan_of(&angles, columns, columns, center), symmetry);
    const Partition partition[] = {whole_grid(&problem), random_tiles(&problem, 0.4, &seed)};
    for (int p = 0; p < 2; p++) {
        Expected expected = expected_create(&problem, &partition[p]);
        for (int precision = 0; precision < SINO_PRECISIONS; precision++)
            check_precision(&problem, &partition[p], &expected, (SinoPrecision)precision);
        expected_free(&expected);
    }
    problem_free(&problem);
}

static void matches_reference(void **state)
{
    (void)state;
    check_geometry(45, 21.3, false, 1);
}

static void matches_reference_with_symmetry(void **state)
{
    (void)state;
    check_geometry(64, 31.5, true, 2);
}

TESTING_SUBJECT(spmm)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(matches_reference),
                                       cmocka_unit_test(matches_reference_with_symmetry)};
    lend_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
