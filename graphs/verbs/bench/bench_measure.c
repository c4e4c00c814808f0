/* SPDX-License-Identifier: BSD-3-Clause */
/* Bench, measuring: building A and its products, on all workers at once.
 *
 * As in a reconstruction, each worker has a minibatch of its own and all workers share one block of A. The FMA peak is
 * measured on the same cores before and after every repetition of a kernel, so that other load on the machine affects
 * both. */
#include "bench.h"
#include "memory.h"
#include "platform.h"
#include "rays.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* A repetition of products takes at least 50 ms, unless that needs more than PRODUCTS_MAX products, with which the
 * runtime's overhead would count. */
enum { PRODUCTS_MAX = 1000 };
static const double repetition_s = 0.05;

typedef struct Measure {
    SinoBenchMachine *machine;
    SinoBench *bench;
    SinoRays *op;              /* of the current precision */
    SinoData **voxels, **rays; /* [worker_count]: vectors of the current number of slices; NULL or owned */
} Measure;

/* sino_insert_spmm_project or sino_insert_spmm_backproject */
typedef SinoStatus Insert(SinoRuntime *runtime, SinoPosition position, const SinoSpmm *spmm, SinoData *from,
                          SinoData *to);

static int64_t vector_bytes(SinoPrecision precision, int64_t rows, int64_t slices)
{
    return sino_times(sino_times(rows, sino_panel_stride(precision, slices)), (int64_t)sino_spmm_to_bytes(precision));
}

/* The memory of the operator and, once it is built, of all workers' vectors. */
static SinoStatus precision_bytes(const SinoSettings *settings, const SinoGeometry *geometry, SinoPrecision precision,
                                  int64_t worker_count, int64_t *bytes)
{
    SinoLayout layout;
    int64_t vectors = 0;
    SINO_TRY(sino_layout_new(geometry, precision, settings->projection.symmetry, &layout));
    const int64_t operator_bytes = sino_rays_estimate_bytes(&layout);
    sino_layout_free(&layout);
    const int64_t rows = sino_tile_voxels(geometry->grid_size) + sino_geometry_ray_count(geometry);
    for (int64_t i = 0; i < settings->bench.slice_counts.count; i++)
        vectors = sino_larger(vectors, vector_bytes(precision, rows, settings->bench.slice_counts.value[i]));
    const int64_t building = sino_rays_building_bytes(geometry, 1, worker_count, operator_bytes);
    *bytes = operator_bytes + sino_larger(building, sino_times(worker_count, vectors));
    return NULL;
}

SinoStatus sino_bench_bytes(const SinoSettings *settings, const SinoGeometry *geometry, int64_t worker_count,
                            int64_t *bytes)
{
    int64_t most = 0;
    for (int p = 0; p < SINO_PRECISIONS; p++) {
        int64_t of_precision = 0;
        if (!(settings->bench.precisions >> p & 1)) continue;
        SINO_TRY(precision_bytes(settings, geometry, (SinoPrecision)p, worker_count, &of_precision));
        most = sino_larger(most, of_precision);
    }
    *bytes = sino_runtime_base_bytes() + sino_bench_read_bytes(worker_count) + most;
    return NULL;
}

/* Lets each worker compute `count` products. */
static SinoStatus multiply(Measure *measure, Insert *insert, int64_t slices, int64_t count, SinoData **from,
                           SinoData **to, double *seconds)
{
    const SinoRays *op = measure->op;
    const SinoSpmm spmm = {.stride = sino_panel_stride(op->layout.precision, slices),
                           .slice_count = slices,
                           .work = 2 * (double)op->nonzero_count * (double)slices,
                           .flops = 2 * (double)op->nonzero_count * (double)slices,
                           .precision = op->layout.precision,
                           .block = op->partition[0].block,
                           .scratch = op->scratch};
    const double begin = sino_platform_now_s();
    SinoStatus status = NULL;
    for (int64_t i = 0; i < count * measure->machine->worker_count && !status; i++) {
        const int64_t w = i % measure->machine->worker_count;
        const SinoPosition position = {-1, w, 0, i / measure->machine->worker_count};
        status = insert(measure->machine->runtime, position, &spmm, from[w], to[w]);
    }
    SINO_TRY(sino_runtime_wait_after(measure->machine->runtime, status));
    *seconds = sino_platform_now_s() - begin;
    return NULL;
}

/* Chooses the number of products of a repetition from the second of two products; the first one touches its memory for
 * the first time. */
static SinoStatus choose_count(Measure *measure, Insert *insert, int64_t slices, SinoData **from, SinoData **to,
                               int64_t *count)
{
    double seconds = 0;
    for (int i = 0; i < 2; i++) SINO_TRY(multiply(measure, insert, slices, 1, from, to, &seconds));
    *count = seconds * PRODUCTS_MAX > repetition_s ? (int64_t)ceil(repetition_s / seconds) : PRODUCTS_MAX;
    return NULL;
}

static SinoStatus measure_kernel(Measure *measure, Insert *insert, int64_t slices, SinoData **from, SinoData **to,
                                 SinoBenchKernel *kernel)
{
    const SinoRays *op = measure->op;
    int64_t count;
    double before, after, seconds;
    SINO_TRY(choose_count(measure, insert, slices, from, to, &count));
    const double flops = 2 * (double)op->nonzero_count * (double)(slices * count * measure->machine->worker_count);
    SINO_TRY(sino_bench_fma(measure->machine, op->layout.precision, measure->machine->worker_count, &before, NULL));
    for (int repeat = 0; repeat < SINO_BENCH_REPEATS; repeat++) {
        SINO_TRY(multiply(measure, insert, slices, count, from, to, &seconds));
        SINO_TRY(sino_bench_fma(measure->machine, op->layout.precision, measure->machine->worker_count, &after, NULL));
        kernel->gflops[repeat] = 1e-9 * flops / seconds;
        kernel->fma_gflops[repeat] = (before + after) / 2;
        before = after;
    }
    return NULL;
}

/* Flops per byte of a product that reads and writes vectors of the given rows. */
static double intensity(const SinoRays *op, int64_t slices, int64_t rows_read, int64_t rows_written)
{
    const int64_t stride = sino_panel_stride(op->layout.precision, slices);
    const int64_t read = rows_read * stride * (int64_t)sino_spmm_from_bytes(op->layout.precision);
    const int64_t written = rows_written * stride * (int64_t)sino_spmm_to_bytes(op->layout.precision);
    return 2 * (double)op->nonzero_count * (double)slices / (double)(op->bytes + read + written);
}

static void tell_row(Measure *measure, const SinoBenchRow *row)
{
    double project = 0, backproject = 0;
    for (int i = 0; i < SINO_BENCH_REPEATS; i++) {
        project = fmax(project, row->project.gflops[i]);
        backproject = fmax(backproject, row->backproject.gflops[i]);
    }
    sino_log_info(sino_runtime_log(measure->machine->runtime), "bench",
                  "%s, %" PRId64 " slices: project %.1f GFLOP/s, backproject %.1f", sino_precision_name(row->precision),
                  row->slices, project, backproject);
}

static SinoStatus measure_vectors(Measure *measure, SinoBenchRow *row)
{
    const SinoRays *op = measure->op;
    const int64_t voxel_count = op->partition[0].voxel_count, slices = row->slices;
    const int64_t voxel_bytes = vector_bytes(op->layout.precision, voxel_count, slices);
    const int64_t ray_bytes = vector_bytes(op->layout.precision, op->ray_count, slices);
    row->project.intensity = intensity(op, slices, voxel_count, op->ray_count);
    row->backproject.intensity = intensity(op, slices, op->ray_count, voxel_count);
    SINO_TRY(sino_bench_data_new(measure->machine, "voxels", voxel_bytes, measure->voxels));
    SINO_TRY(sino_bench_data_new(measure->machine, "rays", ray_bytes, measure->rays));
    SINO_TRY(measure_kernel(measure, sino_insert_spmm_project, slices, measure->voxels, measure->rays, &row->project));
    /* The vectors are filled again: a projection may write another type than a backprojection reads. */
    SINO_TRY(sino_bench_data_fill(measure->machine, ray_bytes, measure->rays));
    SINO_TRY(measure_kernel(measure, sino_insert_spmm_backproject, slices, measure->rays, measure->voxels,
                            &row->backproject));
    tell_row(measure, row);
    return NULL;
}

static SinoStatus measure_row(Measure *measure, int64_t slices)
{
    SinoBenchRow *row = &measure->bench->row[measure->bench->row_count];
    *row = (SinoBenchRow){.precision = measure->op->layout.precision, .slices = slices};
    SinoStatus status = measure_vectors(measure, row);
    sino_bench_data_free(measure->machine, measure->voxels);
    sino_bench_data_free(measure->machine, measure->rays);
    if (!status) measure->bench->row_count++;
    return status;
}

static SinoBenchOperator describe_operator(const SinoRays *op)
{
    return (SinoBenchOperator){.nonzero_count = op->nonzero_count,
                               .stored_nonzero_count = op->stored_nonzero_count,
                               .stored_count = op->stored_count,
                               .stored_angles = sino_layout_stored_angles(&op->layout),
                               .bytes = op->bytes,
                               .build_s = op->build_s};
}

static SinoStatus measure_precision(Measure *measure, const SinoGeometry *geometry, SinoPrecision precision,
                                    const SinoSettings *settings)
{
    const SinoCountList *slices = &settings->bench.slice_counts;
    const SinoRaysRequest wanted = {
        .geometry = *geometry, .precision = precision, .symmetry = settings->projection.symmetry, .partition_count = 1};
    SinoStatus status = NULL;
    SINO_TRY(sino_bench_read(measure->machine));
    SINO_TRY(sino_rays_new(measure->machine->runtime, &wanted, &measure->op));
    measure->bench->op[precision] = describe_operator(measure->op);
    for (int64_t i = 0; i < slices->count && !status; i++) status = measure_row(measure, slices->value[i]);
    sino_rays_free(measure->op);
    measure->op = NULL;
    return status;
}

static SinoStatus measure_all(Measure *measure, const SinoSettings *settings, const SinoGeometry *geometry)
{
    SINO_TRY(sino_bench_peaks(measure->machine));
    for (int p = 0; p < SINO_PRECISIONS; p++)
        if (settings->bench.precisions >> p & 1)
            SINO_TRY(measure_precision(measure, geometry, (SinoPrecision)p, settings));
    return sino_bench_read(measure->machine);
}

SinoStatus sino_bench_measure(SinoRuntime *runtime, const SinoSettings *settings, const SinoGeometry *geometry,
                              SinoBench *bench)
{
    SinoStatus status = NULL;
    *bench = (SinoBench){.column_count = geometry->column_count,
                         .angle_count = geometry->angle_count,
                         .machine = sino_bench_machine(runtime)};
    const int64_t worker_count = bench->machine.worker_count;
    Measure measure = {.machine = &bench->machine, .bench = bench};
    const int64_t rows = SINO_PRECISIONS * settings->bench.slice_counts.count;
    SINO_TRY_OR(status, end, sino_allocate(rows, sizeof *bench->row, "figures", &bench->row));
    SINO_TRY_OR(status, end, sino_allocate(worker_count, sizeof(SinoData *), "vectors", &measure.voxels));
    SINO_TRY_OR(status, end, sino_allocate(worker_count, sizeof(SinoData *), "vectors", &measure.rays));
    SINO_TRY_OR(status, end, measure_all(&measure, settings, geometry));
end:
    sino_bench_stream_free(&bench->machine);
    free(measure.voxels);
    free(measure.rays);
    return status;
}
