/* SPDX-License-Identifier: BSD-3-Clause */
/* SpMM: both directions of every instruction set against the dense reference operator, on blocks that are traced and
 * packed as partitions of a slice, in every precision, with and without symmetry; arrays in place of voxel vectors;
 * adjointness; the contents of block headers. */
#include "spmm.h"

#include "memory.h"
#include "pack.h"
#include "spmm_array.h"
#include "spmm_isa.h"
#include "testing.h"
#include "testing_angles.h"
#include "testing_partition.h"

#include <float.h>
#include <math.h>

/* The AVX-512 pieces in code that runs anywhere: the compiler splits the vectors. */
#pragma GCC diagnostic ignored "-Wpsabi"
#define SINO_ISA          wide
#define SINO_VECTOR_BYTES 64
#include "spmm_isa.c"

static const int64_t slice_counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 20, 31, 32, 33, 64};
enum { SLICE_COUNTS = sizeof slice_counts / sizeof *slice_counts, FEW = 4 /* one of them */ };

static const char *const precision_names[] = {"single", "double", "half", "mixed"};

/* An instruction set, and the bytes of its registers. */
typedef struct Isa {
    const SinoSpmmIsa *table;
    int64_t vector_bytes;
} Isa;

static const Isa isas[] = {
    {&sino_spmm_plain, 16},
    {&sino_spmm_wide, 64},
#ifdef __x86_64__
    {&sino_spmm_avx2, 32},
    {&sino_spmm_avx512, 64},
#endif
};

/* One product to check: which kernel, on what. `isa` NULL: the public functions. */
typedef struct Run {
    const Problem *problem;
    const Partition *partition;
    const Packed *packed;
    const Expected *expected;
    const Isa *isa;
    SinoPrecision precision;
    int64_t width;               /* of a panel: a power of two */
    int64_t slice_count, stride; /* slices beyond are padding */
    bool has_units;
    float unit[SINO_SLICES_MAX]; /* of the vector that is read */
} Run;

static int64_t panel_width(const Isa *isa, SinoPrecision precision)
{
    if (!isa) return sino_panel_width(precision);
    return 2 * isa->vector_bytes / (int64_t)(precision == SINO_DOUBLE ? sizeof(double) : sizeof(float));
}

/* Where element (row, f) of a vector is. */
static int64_t place(const Run *run, int64_t rows, int64_t row, int64_t f)
{
    const int64_t first = f & -run->width, left = run->stride - first;
    return first * rows + row * (left < run->width ? left : run->width) + f - first;
}

/* Units from 2⁻⁴⁰ to 2⁴⁰ where there are any. */
static Run run_of(const Problem *problem, const Partition *partition, const Packed *packed, const Expected *expected,
                  const Isa *isa, int64_t slice_count, bool has_units)
{
    Run run = {.problem = problem,
               .partition = partition,
               .packed = packed,
               .expected = expected,
               .isa = isa,
               .precision = (SinoPrecision)packed->block->precision,
               .slice_count = slice_count,
               .has_units = has_units};
    run.width = panel_width(isa, run.precision);
    run.stride = testing_stride(slice_count, run.width);
    for (int64_t f = 0; f < SINO_SLICES_MAX; f++)
        run.unit[f] = has_units && f < slice_count ? ldexpf(1, (int)(f * 31 % 81) - 40) : 1;
    return run;
}

/* What a result of the slice stands for: half precision keeps the unit of what it reads. */
static double result_unit(const Run *run, int64_t f)
{
    return run->precision == SINO_MIXED ? (double)run->unit[f] : 1;
}

/* What kernels add to, and public functions overwrite. */
static double initial_value(const Run *run, int64_t f)
{
    return f < run->slice_count ? 0.5 * result_unit(run, f) : 0;
}

static void *output_create(const Run *run, int64_t rows)
{
    const size_t bytes = sino_spmm_to_bytes(run->precision);
    void *output = zeros(rows * run->stride, bytes);
    if (!run->isa) memset(output, 0xff, (size_t)(rows * run->stride) * bytes);
    for (int64_t row = 0; run->isa && row < rows; row++)
        for (int64_t f = 0; f < run->stride; f++)
            set_element(bytes, output, place(run, rows, row, f), initial_value(run, f));
    return output;
}

/* Exactly what a call may use, and nothing of use in it. */
static void *scratch_create(const Run *run)
{
    const int64_t bytes = run->isa ? run->isa->table->scratch_bytes : sino_spmm_scratch_bytes();
    void *scratch = malloc((size_t)bytes);
    assert_non_null(scratch);
    memset(scratch, 0xff, (size_t)bytes);
    return scratch;
}

static void run_kernel(const Run *run, bool back, void *x, void *y)
{
    void *scratch = scratch_create(run);
    const void *block = run->packed->block;
    const float *unit = run->has_units ? run->unit : NULL;
    if (run->isa) {
        const SinoSpmmProduct product = {.part = sino_spmm_whole(run->packed->block),
                                         .stride = run->stride,
                                         .x = x,
                                         .y = y,
                                         .y_rows = run->packed->ray_count,
                                         .unit = run->unit,
                                         .scratch = scratch};
        (back ? run->isa->table->backproject : run->isa->table->project)[run->precision](block, &product);
    } else if (back) {
        sino_spmm_backproject(block, run->stride, y, unit, x, scratch);
    } else {
        sino_spmm_project(block, run->stride, x, unit, y, scratch);
    }
    free(scratch);
}

static void check_value(const Run *run, const char *what, double value, int64_t row, int64_t f, const double *expected,
                        const double *size, int64_t visits)
{
    const double unit = result_unit(run, f), before = run->isa ? initial_value(run, f) / unit : 0;
    const bool padding = f >= run->slice_count;
    const double wanted = padding ? 0 : expected[row * SLICES + f] + before;
    const double tolerance = padding ? 0 : testing_tolerance(run->precision, size[row * SLICES + f] + before, visits);
    if (fabs(value / unit - wanted) <= tolerance) return;
    fail_msg("%s, %s, %s, %s, %d slices: row %d, slice %d: %.17g, expected %.17g, give or take %.2g", what,
             run->isa ? run->isa->table->name : "public", run->partition->name, precision_names[run->precision],
             (int)run->slice_count, (int)row, (int)f, value / unit, wanted, tolerance);
}

/* The partition's voxels of the problem's x, in units; outside the grid, where lengths are 0, any number. */
static void *voxels_create(const Run *run)
{
    const Partition *partition = run->partition;
    const int64_t rows = partition->tile_count * SINO_TILE_VOXELS;
    const size_t bytes = sino_spmm_from_bytes(run->precision);
    void *x = zeros(rows * run->stride, bytes);
    for (int64_t t = 0; t < partition->tile_count; t++)
        for (int v = 0; v < SINO_TILE_VOXELS; v++) {
            const int64_t voxel = voxel_of(run->problem, partition, t, v);
            for (int64_t f = 0; f < run->slice_count; f++)
                set_element(bytes, x, place(run, rows, t * SINO_TILE_VOXELS + v, f),
                            voxel < 0 ? 30000 : run->problem->x[voxel * SLICES + f]);
        }
    return x;
}

static void *rays_create(const Run *run)
{
    const Packed *packed = run->packed;
    const size_t bytes = sino_spmm_from_bytes(run->precision);
    void *y = zeros(packed->ray_count * run->stride, bytes);
    for (int64_t i = 0; i < packed->ray_count; i++)
        for (int64_t f = 0; f < run->slice_count; f++)
            set_element(bytes, y, place(run, packed->ray_count, i, f), run->problem->y[packed->ray[i] * SLICES + f]);
    return y;
}

/* Images [voxel][SLICES] as those of the run's slices. */
static SinoStridedTiles tiles_of_images(const Run *run, double *images)
{
    const int64_t size = run->problem->scan.grid_size;
    return (SinoStridedTiles){.slices = {run->precision, run->stride, run->slice_count},
                              .image = {SINO_STRIDED_FLOAT64, images, {1, size * SLICES, SLICES}},
                              .grid_size = size,
                              .tile_count = run->partition->tile_count,
                              .tile = run->partition->tile};
}

static bool reads_arrays(const Run *run)
{
    return !run->isa && (run->precision == SINO_SINGLE || run->precision == SINO_DOUBLE);
}

/* y of the array has the bits of y of vectors; what is not finite is told. */
static void check_project_array(const Run *run, const void *expected)
{
    const int64_t rows = run->packed->ray_count;
    const SinoStridedTiles tiles = tiles_of_images(run, run->problem->x);
    const int64_t voxel = voxel_of(run->problem, run->partition, run->partition->tile_count - 1, 0);
    void *y = output_create(run, rows), *scratch = scratch_create(run);
    void *copies = malloc((size_t)sino_spmm_array_bytes(tiles.slices));
    assert_non_null(copies);
    assert_true(sino_spmm_project_array(run->packed->block, &tiles, copies, y, scratch));
    assert_memory_equal(y, expected, (size_t)(rows * run->stride) * sino_spmm_to_bytes(run->precision));
    if (voxel >= 0) {
        double *last = &run->problem->x[voxel * SLICES + run->slice_count - 1];
        const double value = *last;
        *last = NAN;
        assert_false(sino_spmm_project_array(run->packed->block, &tiles, copies, y, scratch));
        *last = value;
    }
    free(copies);
    free(scratch);
    free(y);
}

/* The array gets the values of the voxel vector that are in the grid, and no others. */
static void check_backproject_array(const Run *run, SinoSpmmRows rows, const void *y, const void *expected)
{
    const int64_t size = run->problem->scan.grid_size, count = size * size * SLICES;
    const int64_t voxels = run->partition->tile_count * SINO_TILE_VOXELS;
    const size_t bytes = sino_spmm_to_bytes(run->precision);
    double *images = zeros(count, sizeof *images);
    const SinoStridedTiles tiles = tiles_of_images(run, images);
    void *scratch = scratch_create(run), *copies = malloc((size_t)sino_spmm_array_bytes(tiles.slices));
    assert_non_null(copies);
    for (int64_t i = 0; i < count; i++) images[i] = NAN;
    sino_spmm_backproject_array(run->packed->block, rows, y, &tiles, copies, scratch);
    for (int64_t i = 0; i < voxels; i++) {
        const int64_t voxel = voxel_of(run->problem, run->partition, i / SINO_TILE_VOXELS, (int)(i % SINO_TILE_VOXELS));
        for (int64_t f = 0; voxel >= 0 && f < run->slice_count; f++) {
            assert_true(images[voxel * SLICES + f] == element(bytes, expected, place(run, voxels, i, f)));
            images[voxel * SLICES + f] = NAN;
        }
    }
    for (int64_t i = 0; i < count; i++) assert_true(isnan(images[i]));
    free(copies);
    free(scratch);
    free(images);
}

static void check_project(const Run *run)
{
    const Packed *packed = run->packed;
    void *x = voxels_create(run), *y = output_create(run, packed->ray_count);
    run_kernel(run, false, x, y);
    if (reads_arrays(run)) check_project_array(run, y);
    for (int64_t i = 0; i < packed->ray_count; i++)
        for (int64_t f = 0; f < run->stride; f++) {
            const int64_t at = place(run, packed->ray_count, i, f);
            check_value(run, "project", element(sino_spmm_to_bytes(run->precision), y, at), packed->ray[i], f,
                        run->expected->y, run->expected->y_size, packed->ray_visits);
        }
    free(x);
    free(y);
}

/* x from a vector of every ray, NaN outside the footprint, has the bits of x from the footprint's rows. */
static void check_rows(const Run *run, const void *y, const void *expected)
{
    const Packed *packed = run->packed;
    const SinoSpmmRows rows = {run->problem->reference.ray_count, packed->ray};
    const int64_t voxels = run->partition->tile_count * SINO_TILE_VOXELS;
    const size_t bytes = sino_spmm_from_bytes(run->precision);
    void *all = zeros(rows.count * run->stride, bytes), *x = output_create(run, voxels);
    void *scratch = scratch_create(run);
    memset(all, 0xff, (size_t)(rows.count * run->stride) * bytes);
    for (int64_t i = 0; i < packed->ray_count; i++)
        for (int64_t f = 0; f < run->stride; f++)
            set_element(bytes, all, place(run, rows.count, packed->ray[i], f),
                        element(bytes, y, place(run, packed->ray_count, i, f)));
    if (run->isa) {
        const SinoSpmmProduct product = {.part = sino_spmm_whole(run->packed->block),
                                         .stride = run->stride,
                                         .x = x,
                                         .y = all,
                                         .y_rows = rows.count,
                                         .row = rows.row,
                                         .unit = run->unit,
                                         .scratch = scratch};
        run->isa->table->backproject[run->precision](packed->block, &product);
    } else {
        sino_spmm_backproject_rows(packed->block, run->stride, rows, all, x, scratch);
    }
    assert_memory_equal(x, expected, (size_t)(voxels * run->stride) * bytes);
    if (reads_arrays(run)) check_backproject_array(run, rows, all, expected);
    free(all);
    free(x);
    free(scratch);
}

static void check_backproject(const Run *run)
{
    const int64_t voxels = run->partition->tile_count * SINO_TILE_VOXELS;
    void *y = rays_create(run), *x = output_create(run, voxels);
    run_kernel(run, true, x, y);
    if (reads_arrays(run)) check_backproject_array(run, (SinoSpmmRows){0}, y, x);
    if (run->precision == SINO_SINGLE || run->precision == SINO_DOUBLE) check_rows(run, y, x);
    for (int64_t i = 0; i < voxels; i++) {
        const int64_t voxel = voxel_of(run->problem, run->partition, i / SINO_TILE_VOXELS, (int)(i % SINO_TILE_VOXELS));
        for (int64_t f = 0; f < run->stride; f++) {
            const double value = element(sino_spmm_to_bytes(run->precision), x, place(run, voxels, i, f));
            if (voxel < 0)
                assert_true(value == (run->isa ? initial_value(run, f) : 0));
            else
                check_value(run, "backproject", value, voxel, f, run->expected->x, run->expected->x_size,
                            run->packed->tile_visits);
        }
    }
    free(x);
    free(y);
}

/* Rays outside the footprint miss the partition; each ray within crosses it. */
static void check_footprint(const Problem *problem, const Packed *packed, const Expected *expected)
{
    int64_t i = 0;
    for (int64_t ray = 0; ray < problem->reference.ray_count; ray++) {
        double size = 0;
        for (int f = 0; f < SLICES; f++) size += expected->y_size[ray * SLICES + f];
        const bool listed = i < packed->ray_count && packed->ray[i] == ray;
        assert_true(listed ? size > 0 : size < 1e-8);
        i += listed;
    }
    assert_int_equal(i, packed->ray_count);
}

/* In every precision, with every `every`-th number of slices. */
static void check_partition(const Problem *problem, const Partition *partition, const Isa *isa, int every)
{
    Expected expected = expected_create(problem, partition);
    for (int p = 0; p < SINO_PRECISIONS; p++) {
        Packed packed = pack(problem, partition, (SinoPrecision)p);
        if (partition->has_footprint) check_footprint(problem, &packed, &expected);
        for (int i = (every > 1) + p % TESTING_STEP; i < SLICE_COUNTS; i += every * TESTING_STEP) {
            /* Half precision keeps units: public functions take them, kernels are given none. */
            const bool has_units = i % 3 > 0 && (p == SINO_MIXED || (p == SINO_HALF && !isa));
            const Run run = run_of(problem, partition, &packed, &expected, isa, slice_counts[i], has_units);
            check_project(&run);
            check_backproject(&run);
        }
        packed_free(&packed);
    }
    expected_free(&expected);
}

/* The whole grid, with every ray and with a footprint, and some of its tiles; `every` of all rays. */
static void check_problem(Problem problem, const Isa *isa, int every)
{
    uint64_t seed = 5;
    Partition whole = whole_grid(&problem);
    check_partition(&problem, &whole, isa, every);
    whole.has_footprint = true;
    check_partition(&problem, &whole, isa, FEW);
    for (int i = 0; i < 2; i++) {
        const Partition some = random_tiles(&problem, problem.symmetry ? 0.05 + 0.1 * i : 0.3 + 0.3 * i, &seed);
        check_partition(&problem, &some, isa, FEW);
    }
    problem_free(&problem);
}

static void check_isa(const Isa *isa, bool symmetry)
{
    const TestingAngles half_turn = testing_angles(3), full_turn = testing_angles(6), sets = testing_angles(10);
    if (!symmetry) {
        check_problem(problem_create(scan_of(&half_turn, 44, 37, 19.3), false), isa, 1);
        return;
    }
    check_problem(problem_create(scan_of(&half_turn, 44, 38, 19.3), true), isa, 1);
    check_problem(problem_create(scan_of(&full_turn, 21, 34, 8.2), true), isa, FEW);
    check_problem(problem_create(scan_of(&sets, 30, 18, 14.7), true), isa, FEW);
}

static bool processor_has(const SinoSpmmIsa *isa)
{
#ifdef __x86_64__
    if (isa == &sino_spmm_avx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (isa == &sino_spmm_avx512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
#endif
    return isa == &sino_spmm_plain || isa == &sino_spmm_wide;
}

static void skip_without(const Isa *isa)
{
    if (!isa || processor_has(isa->table)) return;
    print_message("skipped: this processor does not have %s\n", isa->table->name);
    skip();
}

/* *state is the table of kernels; NULL: the public functions, which choose. */
static void isa_matches_reference(void **state)
{
    skip_without(*state);
    check_isa(*state, false);
}

static void isa_matches_reference_with_symmetry(void **state)
{
    skip_without(*state);
    check_isa(*state, true);
}

/* They overwrite their output. */
static void public_functions_match_reference(void **state)
{
    (void)state;
    print_message("in use: %s\n", sino_spmm_isa_name());
    check_isa(NULL, false);
    check_isa(NULL, true);
}

/* No tiles, tiles that the detector does not see, rays that meet no tile, more voxels than rays: what is not there
 * projects to nothing, and backprojecting clears voxels. */
static void empty_blocks_are_zero(void **state)
{
    skip_without(*state);
    const TestingAngles angles = testing_angles(0);
    Problem far = problem_create(scan_of(&angles, 8, 34, 300), true);
    Problem narrow = problem_create(scan_of(&angles, 1, 64, 0.25), false);
    Problem wide = problem_create(scan_of(&angles, 90, 4, 44.6), true);
    const Partition none = {.name = "no tiles"}, none_local = {.name = "no tiles, no rays", .has_footprint = true};
    const Partition corner = {.name = "corner", .has_footprint = true, .tile_count = 1, .tile = {{2, 2}}};
    Partition whole = whole_grid(&far);
    whole.has_footprint = true;
    Packed packed = pack(&far, &whole, SINO_SINGLE);
    assert_int_equal(packed.ray_count, 0);
    assert_int_equal(packed.block->nonzero_count, 0);
    packed_free(&packed);
    check_partition(&far, &whole, *state, FEW);
    check_partition(&far, &none, *state, 1);
    check_partition(&far, &none_local, *state, FEW);
    check_partition(&narrow, &corner, *state, FEW);
    whole = whole_grid(&wide);
    check_partition(&wide, &whole, *state, 1);
    problem_free(&far);
    problem_free(&narrow);
    problem_free(&wide);
}

/* What one thread packs as a whole is what runs become, in the order of the tiles. */
static void whole_blocks_are_the_same(void **state)
{
    (void)state;
    const TestingAngles angles = testing_angles(0);
    Problem problem = problem_create(scan_of(&angles, 20, 70, 30.4), true);
    Partition whole = whole_grid(&problem);
    whole.has_footprint = true;
    Packed packed = pack(&problem, &whole, SINO_SINGLE);
    SinoLayout layout;
    assert_success(sino_layout_new(&problem.scan, SINO_SINGLE, true, &layout));
    const SinoFootprint footprint = {.ray_count = packed.ray_count, .ray = packed.ray};
    SinoPackBlock wanted = {.layout = &layout,
                            .tile_count = whole.tile_count,
                            .tile = whole.tile,
                            .footprint = &footprint,
                            .capacity = packed.block->bytes + 4096};
    SinoBlockHeader *block;
    assert_success(sino_allocate(wanted.capacity, 1, "a block", &block));
    assert_success(sino_pack_block(&wanted, block));
    assert_int_equal(block->nonzero_count, packed.block->nonzero_count);
    assert_int_equal(block->ray_count, packed.block->ray_count);
    assert_int_equal(block->stored_count, packed.block->stored_count);
    assert_int_equal(block->bytes - sino_block_head_bytes(whole.tile_count, block->piece_count),
                     packed.block->bytes - sino_block_head_bytes(whole.tile_count, packed.block->piece_count));
    wanted.capacity = packed.block->bytes / 2;
    assert_error(sino_pack_block(&wanted, block), SINO_FAILED, "the operator needs more than the ");
    free(block);
    packed_free(&packed);
    sino_layout_free(&layout);
    problem_free(&problem);
}

/* Where each tile lies in every orientation that the layout has. */
static void heads_tell_where_tiles_lie(void **state)
{
    (void)state;
    for (int kind = 0; kind < TESTING_ANGLES_KINDS; kind++) {
        const TestingAngles angles = testing_angles(kind);
        Problem problem = problem_create(scan_of(&angles, 9, 70, 4.2), true);
        const Partition whole = whole_grid(&problem);
        const int64_t side = sino_tile_side(70);
        Packed packed = pack(&problem, &whole, SINO_HALF);
        for (int64_t t = 0; t < whole.tile_count; t++)
            for (int g = 0; g < SINO_ORIENTATIONS; g++) {
                const int32_t there = sino_block_tiles(packed.block)[t * SINO_ORIENTATIONS + g];
                int64_t row = whole.tile[t].row, column = whole.tile[t].column;
                sino_orientation_place(g, side, &row, &column);
                assert_in_range(there, 0, whole.tile_count - 1);
                if (problem.layout.orientations >> g & 1)
                    assert_true(whole.tile[there].row == row && whole.tile[there].column == column);
            }
        packed_free(&packed);
        problem_free(&problem);
    }
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
static void check_adjoint(const Problem *problem, const Partition *partition, SinoPrecision precision)
{
    static const double tolerance[] = {[SINO_DOUBLE] = 4 * DBL_EPSILON,
                                       [SINO_SINGLE] = 4 * (double)FLT_EPSILON,
                                       [SINO_HALF] = 0x1p-9,
                                       [SINO_MIXED] = 4 * (double)FLT_EPSILON};
    Packed packed = pack(problem, partition, precision);
    const Run run = run_of(problem, partition, &packed, NULL, NULL, 24, false);
    const int64_t voxels = partition->tile_count * SINO_TILE_VOXELS, rays = packed.ray_count;
    const size_t from = sino_spmm_from_bytes(precision), to = sino_spmm_to_bytes(precision);
    void *x = voxels_create(&run), *y = rays_create(&run);
    void *ax = output_create(&run, rays), *aty = output_create(&run, voxels);
    run_kernel(&run, false, x, ax);
    run_kernel(&run, true, aty, y);
    for (int64_t f = 0; f < run.slice_count; f++) {
        double ray_scale, voxel_scale;
        const double in_rays = dot(&run, rays, f, ax, to, y, from, &ray_scale);
        const double in_voxels = dot(&run, voxels, f, x, from, aty, to, &voxel_scale);
        if (fabs(in_rays - in_voxels) > tolerance[precision] * ray_scale)
            fail_msg("%s, slice %d: <Ax, y> = %.17g, <x, Aty> = %.17g, of %g", precision_names[precision], (int)f,
                     in_rays, in_voxels, ray_scale);
    }
    free(x);
    free(y);
    free(ax);
    free(aty);
    packed_free(&packed);
}

static void directions_are_adjoint(void **state)
{
    (void)state;
    uint64_t seed = 77;
    const TestingAngles angles = testing_angles(4);
    for (int symmetry = 0; symmetry <= 1; symmetry++) {
        Problem problem = problem_create(scan_of(&angles, 60, 50, 31.7), symmetry);
        const Partition some = random_tiles(&problem, symmetry ? 0.1 : 0.7, &seed);
        assert_true(some.tile_count > 0);
        for (int p = 0; p < SINO_PRECISIONS; p++) check_adjoint(&problem, &some, (SinoPrecision)p);
        problem_free(&problem);
    }
}

/* Every other slice becomes something else, NaN too: bit for bit the slices between stay what they were. */
static void check_neighbours(const Run *run, bool back)
{
    const size_t from = sino_spmm_from_bytes(run->precision), to = sino_spmm_to_bytes(run->precision);
    const int64_t voxels = run->partition->tile_count * SINO_TILE_VOXELS, rays = run->packed->ray_count;
    const int64_t from_rows = back ? rays : voxels, to_rows = back ? voxels : rays;
    void *input = back ? rays_create(run) : voxels_create(run), *output[2];
    for (int i = 0; i < 2; i++) {
        output[i] = output_create(run, to_rows);
        run_kernel(run, back, back ? output[i] : input, back ? input : output[i]);
        for (int64_t row = 0; row < from_rows; row++)
            for (int64_t f = 0; f < run->slice_count; f += 2)
                set_element(from, input, place(run, from_rows, row, f), f % 4 ? NAN : 60000);
    }
    for (int64_t row = 0; row < to_rows; row++)
        for (int64_t f = 1; f < run->slice_count; f += 2) {
            const int64_t at = place(run, to_rows, row, f);
            assert_true(element(to, output[0], at) == element(to, output[1], at));
        }
    for (int i = 0; i < 2; i++) free(output[i]);
    free(input);
}

static void slices_do_not_mix(void **state)
{
    skip_without(*state);
    const TestingAngles angles = testing_angles(0);
    Problem problem = problem_create(scan_of(&angles, 40, 34, 18.8), true);
    const Partition whole = whole_grid(&problem);
    for (int p = 0; p < SINO_PRECISIONS; p++) {
        Packed packed = pack(&problem, &whole, (SinoPrecision)p);
        for (int i = 1 + p % TESTING_STEP; i < SLICE_COUNTS; i += TESTING_STEP) {
            const Run run = run_of(&problem, &whole, &packed, NULL, *state, slice_counts[i], p == SINO_MIXED);
            check_neighbours(&run, false);
            check_neighbours(&run, true);
        }
        packed_free(&packed);
    }
    problem_free(&problem);
}

/* Rows of slice f of a vector, compared bit for bit. */
static bool same_slice(const Run *a, const void *in_a, int64_t f_a, const Run *b, const void *in_b, int64_t f_b,
                       int64_t rows)
{
    const size_t bytes = sino_spmm_to_bytes(a->precision);
    bool same = true;
    for (int64_t row = 0; row < rows; row++)
        same = same && element(bytes, in_a, place(a, rows, row, f_a)) == element(bytes, in_b, place(b, rows, row, f_b));
    return same;
}

/* A slice's result does not depend on which panel it is in, nor where in it, as long as panels are as wide. */
static void panels_are_alike(void **state)
{
    skip_without(*state);
    const TestingAngles angles = testing_angles(0);
    Problem problem = problem_create(scan_of(&angles, 40, 34, 18.8), true);
    const Partition whole = whole_grid(&problem);
    /* Every slice has the values of the first. */
    for (int64_t i = 0; i < problem.reference.voxel_count * SLICES; i++) problem.x[i] = problem.x[i / SLICES * SLICES];
    for (int64_t i = 0; i < problem.reference.ray_count * SLICES; i++) problem.y[i] = problem.y[i / SLICES * SLICES];
    for (int p = 0; p < SINO_PRECISIONS; p++) {
        Packed packed = pack(&problem, &whole, (SinoPrecision)p);
        const int64_t width = panel_width(*state, (SinoPrecision)p),
                      rows[] = {packed.ray_count, whole.tile_count * 256};
        const Run one = run_of(&problem, &whole, &packed, NULL, *state, width, false);
        const Run two = run_of(&problem, &whole, &packed, NULL, *state, 2 * width, false);
        for (int back = 0; back <= 1; back++) {
            void *in_one = output_create(&one, rows[back]), *in_two = output_create(&two, rows[back]);
            void *from_one = back ? rays_create(&one) : voxels_create(&one);
            void *from_two = back ? rays_create(&two) : voxels_create(&two);
            run_kernel(&one, back, back ? in_one : from_one, back ? from_one : in_one);
            run_kernel(&two, back, back ? in_two : from_two, back ? from_two : in_two);
            for (int64_t f = 0; f < 2 * width; f++)
                assert_true(same_slice(&one, in_one, 0, &two, in_two, f, rows[back]));
            free(in_one);
            free(in_two);
            free(from_one);
            free(from_two);
        }
        packed_free(&packed);
    }
    problem_free(&problem);
}

static void name_is_of_a_set_that_runs(void **state)
{
    (void)state;
    const char *name = sino_spmm_isa_name();
    const char *best = processor_has(&sino_spmm_plain) ? "plain" : "";
#ifdef __x86_64__
    if (processor_has(&sino_spmm_avx2)) best = "avx2";
    if (processor_has(&sino_spmm_avx512)) best = "avx512";
#endif
    assert_string_equal(name, best);
}

/* The panels of vectors are those of the kernels. */
static void panels_are_of_the_set_in_use(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        if (strcmp(isas[i].table->name, sino_spmm_isa_name()) != 0) continue;
        for (int p = 0; p < SINO_PRECISIONS; p++)
            assert_int_equal(panel_width(&isas[i], (SinoPrecision)p), sino_panel_width((SinoPrecision)p));
        assert_int_equal(isas[i].table->scratch_bytes, sino_spmm_scratch_bytes());
    }
}

#define ISA_TEST(function, number, isa_name)                                                                           \
    {                                                                                                                  \
        .name = #function " " isa_name, .test_func = function, .initial_state = (void *)(number)                       \
    }

#ifdef __x86_64__
#define ISA_TESTS(function)                                                                                            \
    ISA_TEST(function, &isas[0], "plain"), ISA_TEST(function, &isas[1], "wide"), ISA_TEST(function, &isas[2], "avx2"), \
        ISA_TEST(function, &isas[3], "avx512")
#else
#define ISA_TESTS(function) ISA_TEST(function, &isas[0], "plain"), ISA_TEST(function, &isas[1], "wide")
#endif

TESTING_SUBJECT(spmm)
{
    const struct CMUnitTest tests[] = {
        ISA_TESTS(isa_matches_reference),
        ISA_TESTS(isa_matches_reference_with_symmetry),
        cmocka_unit_test(public_functions_match_reference),
        ISA_TESTS(empty_blocks_are_zero),
        ISA_TEST(empty_blocks_are_zero, NULL, "public"),
        cmocka_unit_test(whole_blocks_are_the_same),
        cmocka_unit_test(heads_tell_where_tiles_lie),
        cmocka_unit_test(directions_are_adjoint),
        ISA_TESTS(slices_do_not_mix),
        ISA_TESTS(panels_are_alike),
        cmocka_unit_test(name_is_of_a_set_that_runs),
        cmocka_unit_test(panels_are_of_the_set_in_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
