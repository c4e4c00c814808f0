/* SPDX-License-Identifier: BSD-3-Clause */
/* SpMM: both directions of every instruction set against the dense reference operator, on blocks traced and packed as
 * partitions of a slice; adjointness. */
#include "spmm.h"

#include "pack.h"
#include "reference_operator.h"
#include "spmm_isa.h"
#include "testing.h"

#include <float.h>
#include <math.h>

/* The AVX-512 pieces in code that runs anywhere: the compiler splits the vectors. */
#pragma GCC diagnostic ignored "-Wpsabi"
#define SINO_ISA          wide
#define SINO_VECTOR_BYTES 64
#include "spmm_isa.c"

enum { SLICES = 64 }; /* of the reference; a stride of F uses the first F */

static const int strides[] = {1, 2, 3, 4, 5, 7, 8, 16, 17, 20, 24, 31, 32, 33, 40, 64};
enum { STRIDES = sizeof strides / sizeof *strides };

static const SinoPrecision precisions[] = {SINO_SINGLE, SINO_DOUBLE};

/* A geometry, its operator, and inputs that both precisions hold exactly. */
typedef struct Problem {
    SinoGeometry geometry;
    ReferenceOperator reference;
    double *x, *y; /* [voxel][SLICES], [ray][SLICES]; owned */
} Problem;

/* Some tiles of a slice. */
typedef struct Partition {
    const char *name;
    int64_t tile_count;
    SinoTilePlace tile[64];
} Partition;

/* What the operator makes of the problem's inputs, of a partition's voxels only; *_size are sums of magnitudes. */
typedef struct Expected {
    double *y, *y_size; /* [ray][SLICES]; owned */
    double *x, *x_size; /* [voxel][SLICES]; owned */
} Expected;

/* A partition's block and its footprint. */
typedef struct Packed {
    SinoBlockHeader *block; /* owned */
    uint32_t *ray;          /* the footprint, ascending; owned */
    int64_t ray_count;
} Packed;

static void *zeros(int64_t count, size_t bytes)
{
    void *values = calloc((size_t)(count > 0 ? count : 1), bytes);
    assert_non_null(values);
    return values;
}

static double *random_values(int64_t count, uint64_t *seed)
{
    double *values = zeros(count, sizeof *values);
    for (int64_t i = 0; i < count; i++) values[i] = (double)(float)reference_random(seed);
    return values;
}

static double element(SinoPrecision precision, const void *values, int64_t at)
{
    return precision == SINO_DOUBLE ? ((const double *)values)[at] : (double)((const float *)values)[at];
}

static void set_element(SinoPrecision precision, void *values, int64_t at, double value)
{
    if (precision == SINO_DOUBLE)
        ((double *)values)[at] = value;
    else
        ((float *)values)[at] = (float)value;
}

static Problem problem_create(SinoGeometry geometry)
{
    uint64_t seed = 11;
    Problem problem = {.geometry = geometry, .reference = reference_operator_create(&geometry)};
    problem.x = random_values(problem.reference.voxel_count * SLICES, &seed);
    problem.y = random_values(problem.reference.ray_count * SLICES, &seed);
    return problem;
}

static void problem_free(Problem *problem)
{
    reference_operator_free(&problem->reference);
    free(problem->x);
    free(problem->y);
}

/* The voxel of the slice that is element v of the partition's tile t; −1 outside the grid. */
static int64_t voxel_of(const Problem *problem, const Partition *partition, int64_t t, int v)
{
    const int64_t size = problem->geometry.grid_size;
    const int64_t row = (int64_t)partition->tile[t].row * SINO_TILE + v / SINO_TILE;
    const int64_t column = (int64_t)partition->tile[t].column * SINO_TILE + v % SINO_TILE;
    return row < size && column < size ? row * size + column : -1;
}

static Expected expected_create(const Problem *problem, const Partition *partition)
{
    const ReferenceOperator *a = &problem->reference;
    bool *mine = zeros(a->voxel_count, sizeof *mine);
    for (int64_t t = 0; t < partition->tile_count; t++)
        for (int v = 0; v < SINO_TILE_VOXELS; v++) {
            const int64_t voxel = voxel_of(problem, partition, t, v);
            if (voxel >= 0) mine[voxel] = true;
        }
    Expected expected = {.y = zeros(a->ray_count * SLICES, sizeof(double)),
                         .y_size = zeros(a->ray_count * SLICES, sizeof(double)),
                         .x = zeros(a->voxel_count * SLICES, sizeof(double)),
                         .x_size = zeros(a->voxel_count * SLICES, sizeof(double))};
    for (int64_t ray = 0; ray < a->ray_count; ray++)
        for (int64_t voxel = 0; voxel < a->voxel_count; voxel++) {
            const double length = a->length[ray * a->voxel_count + voxel];
            if (length == 0 || !mine[voxel]) continue;
            for (int f = 0; f < SLICES; f++) {
                const int64_t at_ray = ray * SLICES + f, at_voxel = voxel * SLICES + f;
                expected.y[at_ray] += length * problem->x[at_voxel];
                expected.y_size[at_ray] += length * fabs(problem->x[at_voxel]);
                expected.x[at_voxel] += length * problem->y[at_ray];
                expected.x_size[at_voxel] += length * fabs(problem->y[at_ray]);
            }
        }
    free(mine);
    return expected;
}

static void expected_free(Expected *expected)
{
    free(expected->y);
    free(expected->y_size);
    free(expected->x);
    free(expected->x_size);
}

/* Traces in two runs of tiles, numbers the rays they touch, and moves both into one block. */
static Packed pack(const Problem *problem, const Partition *partition, SinoPrecision precision)
{
    const int64_t rays = problem->reference.ray_count, half = partition->tile_count / 2;
    SinoTrace trace[2] = {{0}, {0}};
    assert_success(sino_trace_tiles(&problem->geometry, precision, 0, half, partition->tile, &trace[0]));
    assert_success(sino_trace_tiles(&problem->geometry, precision, half, partition->tile_count - half,
                                    partition->tile + half, &trace[1]));
    uint8_t *touched = zeros(rays, 1);
    for (int i = 0; i < 2; i++) sino_pack_mark(&trace[i], touched);
    Packed packed = {.ray = zeros(rays, sizeof(uint32_t))};
    uint32_t *local = zeros(rays, sizeof *local);
    for (int64_t ray = 0; ray < rays; ray++) {
        local[ray] = touched[ray] ? (uint32_t)packed.ray_count : UINT32_MAX;
        if (touched[ray]) packed.ray[packed.ray_count++] = (uint32_t)ray;
    }
    const SinoBlockHeader header = {.bytes = (int64_t)sizeof header + trace[0].size + trace[1].size,
                                    .tile_count = partition->tile_count,
                                    .ray_count = packed.ray_count,
                                    .nonzero_count = trace[0].nonzero_count + trace[1].nonzero_count,
                                    .stored_count = trace[0].stored_count + trace[1].stored_count,
                                    .precision = precision};
    packed.block = zeros(header.bytes, 1);
    *packed.block = header;
    uint8_t *to = (uint8_t *)(packed.block + 1);
    for (int i = 0; i < 2; i++) {
        const int64_t size = trace[i].size;
        sino_pack_tiles(&trace[i], local, to);
        assert_null(trace[i].bytes);
        to += size;
    }
    free(touched);
    free(local);
    return packed;
}

static void packed_free(Packed *packed)
{
    free(packed->block);
    free(packed->ray);
}

/* One product to check: which kernel, on what. `isa` NULL: the public functions. */
typedef struct Run {
    const Problem *problem;
    const Partition *partition;
    const Packed *packed;
    const Expected *expected;
    const SinoSpmmIsa *isa;
    SinoPrecision precision;
    int64_t stride, slice_count; /* slices beyond are padding */
} Run;

/* Where element (row, f) of a vector is: kernels know one panel, of any width, public functions have all of them. */
static int64_t place(const Run *run, int64_t rows, int64_t row, int64_t f)
{
    if (run->isa) return row * run->stride + f;
    return sino_panel_element((SinoSlices){run->precision, run->stride, run->stride}, rows, row, f);
}

/* Public functions overwrite what was there; kernels add to it. */
static void *output_create(const Run *run, int64_t rows)
{
    void *output = zeros(rows * run->stride, sino_precision_bytes(run->precision));
    if (!run->isa) memset(output, 0xff, (size_t)(rows * run->stride) * sino_precision_bytes(run->precision));
    return output;
}

/* Relative to the sum of the terms' magnitudes; in double the reference's own lengths, good to 1e−12, are the limit. */
static void check_value(const Run *run, const char *what, double value, int64_t row, int64_t f, const double *expected,
                        const double *size)
{
    const double relative = run->precision == SINO_DOUBLE ? 1e-14 : 8 * (double)FLT_EPSILON;
    const bool padding = f >= run->slice_count;
    const double wanted = padding ? 0 : expected[row * SLICES + f];
    const double tolerance = padding ? 0 : relative * size[row * SLICES + f] + 1e-11;
    if (fabs(value - wanted) <= tolerance) return;
    fail_msg("%s, %s, %s, %s, stride %d: row %d, slice %d: %.17g, expected %.17g", what,
             run->isa ? run->isa->name : "public", run->partition->name,
             run->precision == SINO_DOUBLE ? "double" : "single", (int)run->stride, (int)row, (int)f, value, wanted);
}

/* The partition's voxels of the problem's x; NaN outside the grid, where no ray may look. */
static void *voxels_create(const Run *run)
{
    const Partition *partition = run->partition;
    const int64_t rows = partition->tile_count * SINO_TILE_VOXELS;
    void *x = zeros(rows * run->stride, sino_precision_bytes(run->precision));
    for (int64_t t = 0; t < partition->tile_count; t++)
        for (int v = 0; v < SINO_TILE_VOXELS; v++) {
            const int64_t voxel = voxel_of(run->problem, partition, t, v);
            for (int64_t f = 0; f < run->slice_count; f++)
                set_element(run->precision, x, place(run, rows, t * SINO_TILE_VOXELS + v, f),
                            voxel < 0 ? NAN : run->problem->x[voxel * SLICES + f]);
        }
    return x;
}

static void check_project(const Run *run)
{
    const Packed *packed = run->packed;
    void *x = voxels_create(run), *y = output_create(run, packed->ray_count);
    if (run->isa)
        run->isa->project[run->precision](packed->block, run->stride, x, y);
    else
        sino_spmm_project(packed->block, run->stride, x, y);
    for (int64_t i = 0; i < packed->ray_count; i++)
        for (int64_t f = 0; f < run->stride; f++)
            check_value(run, "project", element(run->precision, y, place(run, packed->ray_count, i, f)), packed->ray[i],
                        f, run->expected->y, run->expected->y_size);
    free(x);
    free(y);
}

static void check_backproject(const Run *run)
{
    const Packed *packed = run->packed;
    const int64_t voxels = run->partition->tile_count * SINO_TILE_VOXELS;
    void *y = zeros(packed->ray_count * run->stride, sino_precision_bytes(run->precision));
    for (int64_t i = 0; i < packed->ray_count; i++)
        for (int64_t f = 0; f < run->slice_count; f++)
            set_element(run->precision, y, place(run, packed->ray_count, i, f),
                        run->problem->y[packed->ray[i] * SLICES + f]);
    void *x = output_create(run, voxels);
    if (run->isa)
        run->isa->backproject[run->precision](packed->block, run->stride, y, x);
    else
        sino_spmm_backproject(packed->block, run->stride, y, x);
    for (int64_t i = 0; i < voxels; i++) {
        const int64_t voxel = voxel_of(run->problem, run->partition, i / SINO_TILE_VOXELS, (int)(i % SINO_TILE_VOXELS));
        for (int64_t f = 0; f < run->stride; f++) {
            const double value = element(run->precision, x, place(run, voxels, i, f));
            if (voxel < 0) assert_true(value == 0);
            if (voxel >= 0) check_value(run, "backproject", value, voxel, f, run->expected->x, run->expected->x_size);
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

static void check_partition(const Problem *problem, const Partition *partition, const SinoSpmmIsa *isa)
{
    Expected expected = expected_create(problem, partition);
    for (int p = 0; p < 2; p++) {
        Packed packed = pack(problem, partition, precisions[p]);
        check_footprint(problem, &packed, &expected);
        for (int i = 0; i < STRIDES; i++) {
            const int64_t stride = strides[i], slice_count = stride > 2 ? stride - 1 - (i % 2) : stride;
            const Run run = {problem, partition, &packed, &expected, isa, precisions[p], stride, slice_count};
            check_project(&run);
            check_backproject(&run);
        }
        packed_free(&packed);
    }
    expected_free(&expected);
}

static Partition whole_grid(const SinoGeometry *geometry)
{
    Partition partition = {.name = "whole grid"};
    const int side = (int)((geometry->grid_size + SINO_TILE - 1) / SINO_TILE);
    for (int t = 0; t < side * side; t++)
        partition.tile[partition.tile_count++] = (SinoTilePlace){.column = t % side, .row = t / side};
    return partition;
}

/* Each tile with the given chance, in random order. */
static Partition random_tiles(const SinoGeometry *geometry, double chance, uint64_t *seed)
{
    const Partition whole = whole_grid(geometry);
    Partition partition = {.name = "random tiles"};
    for (int64_t t = 0; t < whole.tile_count; t++) {
        if ((reference_random(seed) + 1) / 2 >= chance) continue;
        const int64_t place = (int64_t)((reference_random(seed) + 1) / 2 * (double)(partition.tile_count + 1));
        partition.tile[partition.tile_count++] = partition.tile[place];
        partition.tile[place] = whole.tile[t];
    }
    return partition;
}

enum { ANGLES = 19 }; /* not a multiple of SINO_GROUP_ANGLES */

static Problem small_problem(int64_t columns, int64_t size, double center)
{
    static double angle[ANGLES];
    for (int k = 0; k < ANGLES; k++) angle[k] = 0.05 + k * M_PI / ANGLES;
    return problem_create((SinoGeometry){ANGLES, columns, size, angle, center});
}

static void check_isa(const SinoSpmmIsa *isa)
{
    uint64_t seed = 5;
    Problem problem = small_problem(44, 37, 19.3);
    const Partition whole = whole_grid(&problem.geometry), empty = {.name = "no tiles"};
    check_partition(&problem, &whole, isa);
    check_partition(&problem, &empty, isa);
    for (int i = 0; i < 3; i++) {
        const Partition some = random_tiles(&problem.geometry, 0.3 + 0.2 * i, &seed);
        check_partition(&problem, &some, isa);
    }
    problem_free(&problem);
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

/* *state is the table of kernels. */
static void isa_matches_reference(void **state)
{
    const SinoSpmmIsa *isa = *state;
    if (!processor_has(isa)) {
        print_message("skipped: this processor does not have %s\n", isa->name);
        skip();
    }
    check_isa(isa);
}

/* The functions that choose: they overwrite their output. */
static void public_functions_match_reference(void **state)
{
    (void)state;
    print_message("in use: %s\n", sino_spmm_isa_name());
    check_isa(NULL);
}

/* Tiles beside the detector's view have no groups: nothing projects, and backprojecting clears them. */
static void empty_footprint_is_zero(void **state)
{
    (void)state;
    Problem far = small_problem(8, 33, 300), narrow = small_problem(1, 64, 0.25);
    const Partition whole = whole_grid(&far.geometry), corner = {.name = "corner", .tile_count = 1, .tile = {{3, 3}}};
    Packed packed = pack(&far, &whole, SINO_SINGLE);
    assert_int_equal(packed.ray_count, 0);
    assert_int_equal(packed.block->nonzero_count, 0);
    packed_free(&packed);
    check_partition(&far, &whole, NULL);
    check_partition(&far, &whole, &sino_spmm_plain);
    check_partition(&narrow, &corner, NULL);
    problem_free(&far);
    problem_free(&narrow);
}

/* Rays stay numbered in the sinogram when there is no footprint. */
static void packing_without_footprint_keeps_rays(void **state)
{
    (void)state;
    Problem problem = small_problem(20, 18, 9.4);
    const Partition whole = whole_grid(&problem.geometry);
    SinoTrace trace = {0};
    assert_success(sino_trace_tiles(&problem.geometry, SINO_SINGLE, 0, whole.tile_count, whole.tile, &trace));
    uint8_t *copy = zeros(trace.size, 1), *to = zeros(trace.size, 1);
    const size_t size = (size_t)trace.size;
    memcpy(copy, trace.bytes, size);
    sino_pack_tiles(&trace, NULL, to);
    assert_memory_equal(copy, to, size);
    free(copy);
    free(to);
    problem_free(&problem);
}

/* Σ a·b of slice f, and the product of the norms in *scale. */
static double dot(SinoPrecision precision, int64_t rows, int64_t stride, int64_t f, const void *a, const void *b,
                  double *scale)
{
    const SinoSlices slices = {precision, stride, stride};
    double ab = 0, aa = 0, bb = 0;
    for (int64_t row = 0; row < rows; row++) {
        const int64_t at = sino_panel_element(slices, rows, row, f);
        const double p = element(precision, a, at), q = element(precision, b, at);
        ab += p * q;
        aa += p * p;
        bb += q * q;
    }
    *scale = sqrt(aa * bb);
    return ab;
}

static void directions_are_adjoint(void **state)
{
    (void)state;
    uint64_t seed = 77;
    Problem problem = small_problem(60, 50, 31.7);
    const Partition some = random_tiles(&problem.geometry, 0.7, &seed);
    for (int p = 0; p < 2; p++) {
        const SinoPrecision precision = precisions[p];
        const double tolerance = 4 * (precision == SINO_DOUBLE ? DBL_EPSILON : (double)FLT_EPSILON);
        Packed packed = pack(&problem, &some, precision);
        const int64_t stride = 24, voxels = some.tile_count * SINO_TILE_VOXELS, rays = packed.ray_count;
        void *x = zeros(voxels * stride, sizeof(double)), *y = zeros(rays * stride, sizeof(double));
        void *ax = zeros(rays * stride, sizeof(double)), *aty = zeros(voxels * stride, sizeof(double));
        for (int64_t i = 0; i < voxels * stride; i++) set_element(precision, x, i, reference_random(&seed));
        for (int64_t i = 0; i < rays * stride; i++) set_element(precision, y, i, reference_random(&seed));
        sino_spmm_project(packed.block, stride, x, ax);
        sino_spmm_backproject(packed.block, stride, y, aty);
        for (int64_t f = 0; f < stride; f++) {
            double ray_scale, voxel_scale;
            const double in_rays = dot(precision, rays, stride, f, ax, y, &ray_scale);
            const double in_voxels = dot(precision, voxels, stride, f, x, aty, &voxel_scale);
            if (fabs(in_rays - in_voxels) > tolerance * fmin(ray_scale, voxel_scale))
                fail_msg("slice %d: <Ax, y> = %.17g, <x, Aty> = %.17g", (int)f, in_rays, in_voxels);
        }
        free(x);
        free(y);
        free(ax);
        free(aty);
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

#define ISA_TEST(isa_name)                                                                                             \
    {                                                                                                                  \
        .name = "isa_matches_reference " #isa_name, .test_func = isa_matches_reference,                                \
        .initial_state = (void *)&sino_spmm_##isa_name                                                                 \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        ISA_TEST(plain),
        ISA_TEST(wide),
#ifdef __x86_64__
        ISA_TEST(avx2),
        ISA_TEST(avx512),
#endif
        cmocka_unit_test(public_functions_match_reference),
        cmocka_unit_test(empty_footprint_is_zero),
        cmocka_unit_test(packing_without_footprint_keeps_rays),
        cmocka_unit_test(directions_are_adjoint),
        cmocka_unit_test(name_is_of_a_set_that_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
