/* SPDX-License-Identifier: BSD-3-Clause */
/* Task toeplitz_product: products of a parallel beam's AᵀA by FFT (toeplitz.h). */
#include "fourier_tasks.h"

#include "memory.h"
#include "simulation.h"
#include "task.h"
#include "toeplitz_cuda.h"

#include <stdlib.h>

struct SinoToeplitzPlan {
    SinoRuntime *runtime;   /* not owned */
    SinoToeplitz *toeplitz; /* NULL in a simulation */
    void *addresses;        /* of the spectrum in a simulation; NULL: none */
    int64_t spectrum_bytes;
    SinoTileMap map;
    int64_t part_count;
    double work; /* of a slice */
    SinoData *scratch;
    SinoToeplitzBatch batch;
    SinoGpuPlans *gpu;         /* of SinoToeplitzCuda; NULL: no GPU computes */
    SinoData *spectrum, *tile; /* what GPUs read of the operator and of the map; NULL: no GPU computes */
};

/* spectrum, tile: for GPUs. */
typedef struct Product {
    SinoOperand scratch;
    SinoOperandList x, y; /* [part] */
    SinoOperand spectrum, tile;
    const SinoToeplitzPlan *plan;
    SinoSlices slices;
} Product;

static SinoStatus product_cpu(const SinoTask *task)
{
    const Product *of = task->arguments;
    sino_toeplitz_product(of->plan->toeplitz, &of->plan->map, of->slices, (const float *const *)of->x.at,
                          of->scratch.at, (float *const *)of->y.at);
    return NULL;
}

static SinoStatus product_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Product *of = task->arguments;
    const SinoToeplitzTables tables = {of->spectrum.at, {of->tile.at, of->plan->map.part_rows}, of->plan->part_count};
    return sino_toeplitz_product_cuda(stream, sino_gpu_plans_mine(of->plan->gpu), &tables, of->slices,
                                      (const float *const *)of->x.at, of->scratch.at, (float *const *)of->y.at);
}

static const SinoTaskKind product_kind = {
    .name = "toeplitz_product",
    SINO_ARGUMENTS(Product, SINO_USES(Product, scratch), SINO_READS_EACH(Product, x), SINO_WRITES_EACH(Product, y),
                   SINO_MAY_READ(Product, spectrum), SINO_MAY_READ(Product, tile)),
    SINO_CPU_CUDA(product)};

static SinoStatus make_gpu_plan(const void *of, void **plan)
{
    SinoToeplitzCuda *made = NULL;
    SINO_TRY(sino_toeplitz_cuda_new(of, &made));
    *plan = made;
    return NULL;
}

static void free_gpu_plan(void *plan)
{
    sino_toeplitz_cuda_free(plan);
}

static const SinoGpuPlanKind gpu_kind = {make_gpu_plan, free_gpu_plan};

int64_t sino_toeplitz_plan_bytes(const SinoGeometry *geometry, int64_t worker_count)
{
    return sino_toeplitz_bytes(geometry) + sino_times(worker_count, sino_toeplitz_scratch_bytes(geometry));
}

double sino_toeplitz_plan_norm(const SinoToeplitzPlan *plan)
{
    return SINO_SIMULATES ? 1 : sino_toeplitz_norm(plan->toeplitz);
}

static int64_t map_bytes(int64_t grid_size)
{
    const int64_t side = sino_tile_side(grid_size);
    return sino_times(sino_times(side, side), (int64_t)sizeof(SinoTileNumber));
}

SinoFourierGpu sino_toeplitz_plan_gpu(const SinoGeometry *geometry)
{
    const SinoToeplitzBatch batch = sino_toeplitz_batch(geometry->grid_size, SINO_TOEPLITZ_BATCH_BYTES);
    const int64_t of_gpu = sino_toeplitz_cuda_scratch_bytes(&batch);
    const int64_t of_core = sino_toeplitz_scratch_bytes(geometry);
    const int64_t scratch = sino_larger(of_gpu, of_core), map = map_bytes(geometry->grid_size);
    return (SinoFourierGpu){.slices = batch.slices,
                            .task_bytes =
                                scratch + sino_toeplitz_bytes(geometry) + map + sino_toeplitz_cuda_bytes(&batch),
                            .map_bytes = map,
                            .more_scratch_bytes = scratch - of_core};
}

/* A simulation needs no values of the spectrum, which take seconds and much memory. */
static SinoStatus make_operator(const SinoGeometry *geometry, SinoToeplitzPlan *plan)
{
    plan->spectrum_bytes = sino_toeplitz_bytes(geometry);
    if (!SINO_SIMULATES) return sino_toeplitz_new(geometry, &plan->toeplitz);
    plan->addresses = sino_data_addresses(plan->spectrum_bytes);
    SINO_CHECK(plan->addresses, SINO_FAILED, "no addresses for the spectrum of AᵀA");
    return NULL;
}

static const void *spectrum_of(const SinoToeplitzPlan *plan)
{
    return SINO_SIMULATES ? plan->addresses : sino_toeplitz_spectrum(plan->toeplitz);
}

/* What GPUs have beside the operator of cores. Scratch memory is of one size for both. */
static SinoStatus open_gpus(const SinoGeometry *geometry, SinoToeplitzPlan *plan, int64_t *scratch_bytes)
{
    const SinoTileMap *map = &plan->map;
    if (!(sino_runtime_devices(plan->runtime) & SINO_DEVICE_CUDA)) return NULL;
    plan->batch = sino_toeplitz_batch(geometry->grid_size, SINO_TOEPLITZ_BATCH_BYTES);
    *scratch_bytes = sino_larger(*scratch_bytes, sino_toeplitz_cuda_scratch_bytes(&plan->batch));
    SINO_TRY(sino_data_borrow(plan->runtime, "spectrum", spectrum_of(plan), plan->spectrum_bytes, &plan->spectrum));
    SINO_TRY(sino_data_copy(plan->runtime, "tile numbers", map->tile, map_bytes(geometry->grid_size), &plan->tile));
    return SINO_CUDA_BUILT ? sino_gpu_plans_new(plan->runtime, &gpu_kind, &plan->batch, &plan->gpu) : NULL;
}

static SinoStatus fill(const SinoGeometry *geometry, SinoToeplitzPlan *plan)
{
    int64_t scratch_bytes = sino_toeplitz_scratch_bytes(geometry);
    SINO_TRY(make_operator(geometry, plan));
    SINO_TRY(open_gpus(geometry, plan, &scratch_bytes));
    return sino_data_scratch(plan->runtime, "scratch", scratch_bytes, &plan->scratch);
}

SinoStatus sino_toeplitz_plan_new(SinoRuntime *runtime, const SinoGeometry *geometry, const SinoTileMap *map,
                                  int64_t part_count, SinoToeplitzPlan **plan)
{
    SinoToeplitzPlan *made = NULL;
    SINO_TRY(sino_allocate(1, sizeof *made, "the operator", &made));
    *made = (SinoToeplitzPlan){
        .runtime = runtime, .map = *map, .part_count = part_count, .work = sino_toeplitz_flops(geometry->grid_size)};
    SINO_GIVE(fill(geometry, made), made, sino_toeplitz_plan_free, plan);
}

void sino_toeplitz_plan_free(SinoToeplitzPlan *plan)
{
    if (!plan) return;
    sino_data_free(plan->spectrum);
    sino_data_free(plan->tile);
    sino_gpu_plans_free(plan->gpu);
    sino_data_free(plan->scratch);
    sino_toeplitz_free(plan->toeplitz);
    if (plan->addresses) sino_data_addresses_free(plan->addresses, plan->spectrum_bytes);
    free(plan);
}

SinoStatus sino_insert_toeplitz_product(const SinoToeplitzPlan *plan, SinoPosition position, SinoSlices slices,
                                        SinoData *const *x, SinoData *const *y)
{
    const Product arguments = {.scratch.data = plan->scratch,
                               .x = {.data = x, .count = plan->part_count},
                               .y = {.data = y, .count = plan->part_count},
                               .spectrum.data = plan->spectrum,
                               .tile.data = plan->tile,
                               .plan = plan,
                               .slices = slices};
    const double work = plan->work * (double)slices.slice_count;
    return SINO_SUBMIT(plan->runtime, &product_kind, position, &arguments, SINO_OF_SLICES(slices),
                       .host = !plan->spectrum, .work = work, .effort = SINO_TOEPLITZ_FLOPS * work);
}
