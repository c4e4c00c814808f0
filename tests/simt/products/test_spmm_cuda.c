/* SPDX-License-Identifier: BSD-3-Clause */
/* SpMM on a GPU: both directions of every kernel against the dense reference operator, on blocks of partitions, in
 * every precision, with panels of several widths and devices of several sizes; adjointness; the same bits in any order.
 */
#include "spmm_cuda.h"

#include "simt_device.h"
#include "spmm.h"
#include "testing.h"
#include "testing_partition.h"
#include "testing_regroup.h"

#ifdef SINO_SIMT_HOST
#include "simt_control.h"
#endif

#include <float.h>
#include <math.h>

static const char *const precision_names[] = {"single", "double", "half", "mixed"};

/* Small ones choose kernels of fewer slices. */
static const SinoSpmmDevice hopper = {227 << 10, 132}, turing = {64 << 10, 2}, small = {40 << 10, 2},
                            large = {227 << 10, 1};

/* Lists of one direction, on the device. */
typedef struct Lists {
    SinoGatherHeader header;
    void *memory; /* the device's; owned */
} Lists;

static Lists lists_create(const Problem *problem, const Partition *partition, const Packed *packed, bool back,
                          int outputs)
{
    const SinoFootprint footprint = {packed->ray_count, partition->has_footprint ? packed->ray : NULL};
    const SinoRegroupInput input = {packed->block, &problem->layout, &footprint, partition->tile, back, outputs};
    SinoGatherHeader *lists;
    assert_success(regroup_block(&input, &lists));
    const Lists of_device = {.header = *lists, .memory = device_lend(lists, (size_t)lists->bytes)};
    free(lists);
    return of_device;
}

/* A product to check. */
typedef struct Run {
    const Problem *problem;
    const Partition *partition;
    const Packed *packed;
    const Lists *lists;
    SinoPrecision precision;
    int64_t slice_count, stride, panel_width;
    SinoSpmmDevice device;
    float *unit; /* owned; NULL: 1 */
} Run;

/* Units from 2⁻⁴⁰ to 2⁴⁰ where there are any. */
static Run run_of(const Problem *problem, const Partition *partition, const Packed *packed, const Lists *lists,
                  SinoSpmmDevice device, int64_t slice_count, int64_t panel_width, bool has_units)
{
    Run run = {.problem = problem,
               .partition = partition,
               .packed = packed,
               .lists = lists,
               .device = device,
               .precision = (SinoPrecision)lists->header.precision,
               .slice_count = slice_count,
               .panel_width = panel_width,
               .stride = testing_stride(slice_count, panel_width)};
    if (!has_units) return run;
    run.unit = calloc((size_t)run.stride, sizeof *run.unit);
    assert_non_null(run.unit);
    for (int64_t f = 0; f < run.stride; f++) run.unit[f] = f < slice_count ? ldexpf(1, (int)(f * 31 % 81) - 40) : 1;
    return run;
}

/* What a result of the slice stands for: half precision keeps the unit of what it reads. */
static double result_unit(const Run *run, int64_t f)
{
    return run->precision == SINO_MIXED && run->unit ? (double)run->unit[f] : 1;
}

/* Where element (row, f) of a vector is. */
static int64_t place(const Run *run, int64_t rows, int64_t row, int64_t f)
{
    const int64_t first = f & -run->panel_width, left = run->stride - first; /* a power of two */
    return first * rows + row * (left < run->panel_width ? left : run->panel_width) + f - first;
}

static int64_t voxel_rows(const Run *run)
{
    return run->partition->tile_count * SINO_TILE_VOXELS;
}

static int64_t from_rows(const Run *run, bool back)
{
    return back ? run->packed->ray_count : voxel_rows(run);
}

static int64_t to_rows(const Run *run, bool back)
{
    return from_rows(run, !back);
}

/* What is read: slices are those of the problem, over and over; outside the grid, where lengths are 0, any number. */
static void *input_create(const Run *run, bool back)
{
    const int64_t rows = from_rows(run, back);
    const size_t bytes = sino_spmm_from_bytes(run->precision);
    void *input = calloc((size_t)(rows * run->stride) + 1, bytes);
    assert_non_null(input);
    for (int64_t row = 0; row < rows; row++) {
        const int64_t t = row / SINO_TILE_VOXELS;
        const int64_t of =
            back ? run->packed->ray[row] : voxel_of(run->problem, run->partition, t, (int)(row % SINO_TILE_VOXELS));
        const double *values = back ? run->problem->y : run->problem->x;
        for (int64_t f = 0; f < run->slice_count; f++)
            set_element(bytes, input, place(run, rows, row, f), of < 0 ? 30000 : values[of * SLICES + f % SLICES]);
    }
    return input;
}

/* A result, of which nothing is left that was there before. */
static void *output_create(const Run *run, bool back, const void *input)
{
    const size_t from_bytes = (size_t)(from_rows(run, back) * run->stride) * sino_spmm_from_bytes(run->precision);
    const size_t to_bytes = (size_t)(to_rows(run, back) * run->stride) * sino_spmm_to_bytes(run->precision);
    const size_t unit_bytes = (size_t)run->stride * sizeof *run->unit;
    void *const from = device_lend(input, from_bytes), *const to = device_memory(to_bytes);
    float *const unit = device_lend(run->unit, unit_bytes);
    const SinoSpmmProductCuda product = {.device = run->device,
                                         .header = run->lists->header,
                                         .lists = run->lists->memory,
                                         .panel_width = run->panel_width,
                                         .stride = run->stride,
                                         .unit = unit};
    assert_success((back ? sino_spmm_backproject_cuda : sino_spmm_project_cuda)(NULL, &product, from, to));
    assert_success(device_wait());
    void *const output = device_copy(to, to_bytes);
    device_unlend(input, from, from_bytes);
    device_unlend(run->unit, unit, unit_bytes);
    device_free(to);
    return output;
}

static void check_output(const Run *run, bool back, const Expected *expected, const void *output)
{
    const int64_t rows = to_rows(run, back);
    const double *values = back ? expected->x : expected->y, *sizes = back ? expected->x_size : expected->y_size;
    for (int64_t row = 0; row < rows; row++) {
        const int64_t t = row / SINO_TILE_VOXELS;
        const int64_t of =
            back ? voxel_of(run->problem, run->partition, t, (int)(row % SINO_TILE_VOXELS)) : run->packed->ray[row];
        for (int64_t f = 0; f < run->stride; f++) {
            const double value = element(sino_spmm_to_bytes(run->precision), output, place(run, rows, row, f));
            const bool there = f < run->slice_count && of >= 0;
            const int64_t at = of * SLICES + f % SLICES;
            const double wanted = there ? values[at] : 0, unit = result_unit(run, f);
            const double tolerance =
                there ? testing_tolerance(run->precision, sizes[at], back ? 1 : run->packed->ray_visits) : 0;
            if (!(fabs(value / unit - wanted) <= tolerance))
                fail_msg("%s, %s, %s, R = %d, %d slices in panels of %d: row %d, slice %d: %.17g, expected %.17g, give "
                         "or take %.2g",
                         back ? "backproject" : "project", run->partition->name, precision_names[run->precision],
                         run->lists->header.outputs, (int)run->slice_count, (int)run->panel_width, (int)row, (int)f,
                         value / unit, wanted, tolerance);
        }
    }
}

static void check_run(Run run, bool back, const Expected *expected)
{
    void *input = input_create(&run, back), *output = output_create(&run, back, input);
    check_output(&run, back, expected, output);
    free(input);
    free(output);
    free(run.unit);
}

/* Slices, panels and devices: kernels of every width, several blocks of slices, last panels of every width. */
typedef struct Shape {
    int slice_count, panel_width;
    const SinoSpmmDevice *device;
} Shape;

/* A kernel meets one of `step` shapes, another kernel the next ones. */
typedef struct Shapes {
    const Shape *shape;
    size_t count, step;
} Shapes;

static const Shape few[] = {{1, 16, &hopper}, {20, 16, &large}, {96, 32, &large}, {33, 8, &turing}};
static const Shape all[] = {
    {1, 16, &hopper},  {2, 16, &hopper},  {3, 16, &large},   {5, 8, &large},    {8, 32, &hopper},  {9, 16, &hopper},
    {16, 16, &hopper}, {16, 32, &turing}, {17, 16, &large},  {20, 32, &turing}, {24, 8, &large},   {31, 32, &hopper},
    {32, 16, &hopper}, {32, 16, &large},  {33, 32, &small},  {40, 8, &large},   {48, 16, &turing}, {63, 32, &large},
    {64, 16, &large},  {64, 32, &hopper}, {70, 32, &turing}, {96, 16, &large},  {96, 32, &large},  {96, 8, &small}};
static const Shapes all_shapes = {all, sizeof all / sizeof *all, TESTING_STEP};
#ifdef SINO_SIMT_HOST
enum { FEW_STEP = TESTING_STEP > 2 ? TESTING_STEP : 2 }; /* blocks of fibers are slow */
#else
enum { FEW_STEP = 1 };
#endif
/* Of geometries and partitions; those of all_shapes have met every kernel. */
static const Shapes few_shapes = {few, sizeof few / sizeof *few, FEW_STEP};
static const Shapes two_shapes = {few, 2, TESTING_STEP};

static void check_shapes(const Problem *problem, const Partition *partition, SinoPrecision precision, int outputs,
                         const Expected *expected, const Shapes *shapes)
{
    Packed packed = pack(problem, partition, precision);
    for (int back = 0; back <= 1; back++) {
        const Lists lists = lists_create(problem, partition, &packed, back, outputs);
        const size_t first = ((size_t)precision + (size_t)outputs / 16 + (size_t)back) % shapes->step;
        for (size_t i = first % shapes->count; i < shapes->count; i += shapes->step) {
            const Shape *const shape = &shapes->shape[i];
            const bool halves = precision == SINO_HALF || precision == SINO_MIXED;
            check_run(run_of(problem, partition, &packed, &lists, *shape->device, shape->slice_count,
                             shape->panel_width, halves && i % 3 > 0),
                      back, expected);
        }
        device_free(lists.memory);
    }
    packed_free(&packed);
}

/* Every precision on multiply-add units; half and mixed on tensor cores. */
static void check_kernels(const Problem *problem, const Partition *partition, const Shapes *shapes)
{
    Expected expected = expected_create(problem, partition);
    for (int p = 0; p < SINO_PRECISIONS; p++) check_shapes(problem, partition, (SinoPrecision)p, 4, &expected, shapes);
    check_shapes(problem, partition, SINO_HALF, 16, &expected, shapes);
    check_shapes(problem, partition, SINO_MIXED, 16, &expected, shapes);
    expected_free(&expected);
}

static void every_width_matches_reference(void **state)
{
    (void)state;
    const TestingAngles angles = testing_angles(0);
    Problem problem = problem_create(scan_of(&angles, 25, 18, 11.3), true);
    const Partition whole = whole_grid(&problem);
    check_kernels(&problem, &whole, &all_shapes);
    problem_free(&problem);
}

/* Whole grids and some of their tiles, with a footprint, with and without symmetry. */
static void check_problem(Problem problem)
{
    uint64_t seed = 5;
    Partition whole = whole_grid(&problem);
    whole.has_footprint = true;
    check_kernels(&problem, &whole, &few_shapes);
    const Partition some = random_tiles(&problem, problem.symmetry ? 0.1 : 0.5, &seed);
    check_kernels(&problem, &some, &two_shapes);
    problem_free(&problem);
}

static void partitions_match_reference(void **state)
{
    (void)state;
    const TestingAngles full_turn = testing_angles(6), sets = testing_angles(10), half_turn = testing_angles(3);
    const TestingAngles fine = testing_angles_even("fine", 40, 20, 12, 0);
    check_problem(problem_create(scan_of(&full_turn, 21, 34, 8.2), true));
    check_problem(problem_create(scan_of(&sets, 30, 18, 14.7), true));
    check_problem(problem_create(scan_of(&half_turn, 30, 37, 19.3), false));
    check_problem(problem_create(scan_of(&fine, 44, 40, 21.25), false));
}

/* Chains so long that blocks walk parts of them, one after another. */
static void parts_of_chains_match_reference(void **state)
{
    (void)state;
    static const Shape shape[] = {{9, 16, &hopper}, {64, 16, &large}};
    static const Shapes shapes = {shape, 2, TESTING_STEP};
    const TestingAngles angles = testing_angles_even("fine", 8, 20, 1.5, 0);
    Problem problem = problem_create(scan_of(&angles, 90, 90, 43.25), false);
    const Partition whole = whole_grid(&problem);
    Packed packed = pack(&problem, &whole, SINO_SINGLE);
    const Lists lists = lists_create(&problem, &whole, &packed, false, 4);
    assert_true(lists.header.early_unit_count > 1);
    assert_true(lists.header.part_unit_count > lists.header.early_unit_count);
    device_free(lists.memory);
    packed_free(&packed);
    check_kernels(&problem, &whole, &shapes);
    problem_free(&problem);
}

/* No tiles, tiles that the detector does not see, more voxels than rays: voxels are cleared, rays that meet nothing
 * too. */
static void empty_partitions_are_zero(void **state)
{
    (void)state;
    const TestingAngles angles = testing_angles(0);
    Problem far = problem_create(scan_of(&angles, 8, 34, 300), true);
    Problem narrow = problem_create(scan_of(&angles, 1, 64, 0.25), false);
    const Partition none = {.name = "no tiles"}, none_local = {.name = "no tiles, no rays", .has_footprint = true};
    const Partition corner = {.name = "corner", .has_footprint = true, .tile_count = 1, .tile = {{2, 2}}};
    const Partition whole = whole_grid(&far), wide = whole_grid(&narrow);
    check_kernels(&far, &whole, &two_shapes);
    check_kernels(&far, &none, &two_shapes);
    check_kernels(&far, &none_local, &two_shapes);
    check_kernels(&narrow, &corner, &two_shapes);
    check_kernels(&narrow, &wide, &two_shapes);
    problem_free(&far);
    problem_free(&narrow);
}

/* Σ a·b of slice f, and the product of the norms in *scale. */
static double dot(const Run *run, int64_t rows, int64_t f, const void *a, size_t a_bytes, const void *b, size_t b_bytes,
                  double *scale)
{
    double ab = 0, aa = 0, bb = 0;
    for (int64_t row = 0; row < rows; row++) {
        const int64_t at = place(run, rows, row, f);
        const double p = element(a_bytes, a, at), q = element(b_bytes, b, at);
        ab += p * q;
        aa += p * p;
        bb += q * q;
    }
    *scale = sqrt(aa * bb);
    return ab;
}

/* <Ax, y> = <x, Aᵀy> with the lengths as stored: only sums and results are rounded. */
static void check_adjoint(const Problem *problem, const Partition *partition, SinoPrecision precision, int outputs)
{
    static const double tolerance[] = {[SINO_DOUBLE] = 4 * DBL_EPSILON,
                                       [SINO_SINGLE] = 4 * (double)FLT_EPSILON,
                                       [SINO_HALF] = 0x1p-9,
                                       [SINO_MIXED] = 4 * (double)FLT_EPSILON};
    Packed packed = pack(problem, partition, precision);
    const Lists lists[2] = {lists_create(problem, partition, &packed, false, outputs),
                            lists_create(problem, partition, &packed, true, outputs)};
    const Run run[2] = {run_of(problem, partition, &packed, &lists[0], large, 24, 16, false),
                        run_of(problem, partition, &packed, &lists[1], large, 24, 16, false)};
    const size_t from = sino_spmm_from_bytes(precision), to = sino_spmm_to_bytes(precision);
    void *x = input_create(&run[0], false), *y = input_create(&run[1], true);
    void *ax = output_create(&run[0], false, x), *aty = output_create(&run[1], true, y);
    for (int64_t f = 0; f < run[0].slice_count; f++) {
        double ray_scale, voxel_scale;
        const double in_rays = dot(&run[0], packed.ray_count, f, ax, to, y, from, &ray_scale);
        const double in_voxels = dot(&run[1], voxel_rows(&run[1]), f, x, from, aty, to, &voxel_scale);
        if (!(fabs(in_rays - in_voxels) <= tolerance[precision] * ray_scale))
            fail_msg("%s, R = %d, slice %d: <Ax, y> = %.17g, <x, Aty> = %.17g, of %g", precision_names[precision],
                     outputs, (int)f, in_rays, in_voxels, ray_scale);
    }
    free(x);
    free(y);
    free(ax);
    free(aty);
    for (int back = 0; back <= 1; back++) device_free(lists[back].memory);
    packed_free(&packed);
}

static void directions_are_adjoint(void **state)
{
    (void)state;
    const TestingAngles angles = testing_angles(4);
    for (int symmetry = 0; symmetry <= 1; symmetry++) {
        uint64_t seed = 77;
        Problem problem = problem_create(scan_of(&angles, 60, 50, 31.7), symmetry);
        const Partition some = random_tiles(&problem, symmetry ? 0.1 : 0.7, &seed);
        assert_true(some.tile_count > 0);
        for (int p = 0; p < SINO_PRECISIONS; p++) check_adjoint(&problem, &some, (SinoPrecision)p, 4);
        check_adjoint(&problem, &some, SINO_HALF, 16);
        check_adjoint(&problem, &some, SINO_MIXED, 16);
        problem_free(&problem);
    }
}

/* The next order of threads and blocks; a GPU has its own. */
static void change_order(int number)
{
#ifdef SINO_SIMT_HOST
    simt_set_order(number == 0 ? SIMT_ASCENDING : number == 1 ? SIMT_DESCENDING : SIMT_RANDOM, (uint64_t)number);
#else
    (void)number;
#endif
}

static void check_orders(const Problem *problem, const Partition *partition, SinoPrecision precision, int outputs)
{
    Packed packed = pack(problem, partition, precision);
    for (int back = 0; back <= 1; back++) {
        const Lists lists = lists_create(problem, partition, &packed, back, outputs);
        const Run run = run_of(problem, partition, &packed, &lists, large, 48, 16, false);
        const size_t bytes = (size_t)(to_rows(&run, back) * run.stride) * sino_spmm_to_bytes(precision);
        void *input = input_create(&run, back), *first = NULL;
        for (int number = 0; number < 5; number++) {
            change_order(number);
            void *output = output_create(&run, back, input);
            if (first) assert_memory_equal(output, first, bytes);
            free(first);
            first = output;
        }
        free(first);
        free(input);
        device_free(lists.memory);
    }
    packed_free(&packed);
}

static void every_order_gives_the_same_bits(void **state)
{
    (void)state;
    const TestingAngles angles = testing_angles_even("fine", 30, 20, 12, 0);
    Problem problem = problem_create(scan_of(&angles, 40, 38, 18.8), true);
    const Partition whole = whole_grid(&problem);
    for (int p = 0; p < SINO_PRECISIONS; p++) check_orders(&problem, &whole, (SinoPrecision)p, 4);
    check_orders(&problem, &whole, SINO_HALF, 16);
    check_orders(&problem, &whole, SINO_MIXED, 16);
    problem_free(&problem);
}

static void devices_too_small_are_refused(void **state)
{
    (void)state;
    const TestingAngles angles = testing_angles(0);
    Problem problem = problem_create(scan_of(&angles, 40, 34, 18.8), true);
    const Partition whole = whole_grid(&problem);
    Packed packed = pack(&problem, &whole, SINO_SINGLE);
    const Lists lists = lists_create(&problem, &whole, &packed, false, 4);
    const SinoSpmmProductCuda product = {
        .device = {1000, 1}, .header = lists.header, .lists = lists.memory, .panel_width = 16, .stride = 16};
    void *x = device_memory((size_t)whole.tile_count * SINO_TILE_VOXELS * 16 * sizeof(float));
    void *y = device_memory((size_t)packed.ray_count * 16 * sizeof(float));
    assert_error(sino_spmm_project_cuda(NULL, &product, x, y), SINO_FAILED,
                 "bytes of a block's shared memory; the device has 1000");
    device_free(x);
    device_free(y);
    device_free(lists.memory);
    packed_free(&packed);
    problem_free(&problem);
}

/* The slices of a block in a launch on an H100, of kernels for 64, 32 and 16. */
static int chosen(int64_t unit_count, int64_t whole_units, int slices, int64_t shared_bytes)
{
    static const SinoGatherWidth width[] = {{64, 80, 200 << 10}, {32, 48, 100 << 10}, {16, 32, 50 << 10}};
    const SinoSpmmDevice device = {shared_bytes, 132};
    const int best = sino_gather_choose(&device, (SinoGatherLoad){unit_count, whole_units}, width, 3, slices);
    return best < 0 ? 0 : width[best].slices;
}

static void blocks_fill_the_device(void **state)
{
    (void)state;
    assert_int_equal(chosen(10000, 10000, 256, 227 << 10), 64);
    assert_int_equal(chosen(10000, 10000, 32, 227 << 10), 32);
    assert_int_equal(chosen(10000, 10000, 1, 227 << 10), 16);
    /* As many blocks as multiprocessors at most: they are all under way at once. */
    assert_int_equal(chosen(66, 66, 64, 227 << 10), 32);
    assert_int_equal(chosen(33, 33, 64, 227 << 10), 16);
    /* One block more, and narrow ones would need a second wave. */
    assert_int_equal(chosen(132, 132, 64, 227 << 10), 64);
    /* Unless most are short. */
    assert_int_equal(chosen(132, 40, 64, 227 << 10), 16);
    assert_int_equal(chosen(10000, 10000, 256, 120 << 10), 32);
    assert_int_equal(chosen(10000, 10000, 256, 10 << 10), 0);
}

TESTING_SUBJECT(spmm)
{
    device_needed();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_width_matches_reference),   cmocka_unit_test(partitions_match_reference),
        cmocka_unit_test(parts_of_chains_match_reference), cmocka_unit_test(empty_partitions_are_zero),
        cmocka_unit_test(directions_are_adjoint),          cmocka_unit_test(devices_too_small_are_refused),
        cmocka_unit_test(every_order_gives_the_same_bits), cmocka_unit_test(blocks_fill_the_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
