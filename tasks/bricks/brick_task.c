/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of bricks: products of the blocks of a system matrix, and the sums over row partitions. */
#include "bricks_tasks.h"

#include "brick_cuda.h"
#include "brick_opencl.h"
#include "brick_voxels.h"
#include "memory.h"
#include "task.h"

#include <string.h>

/* ---- products ---- */

/* x_sum, counts, sums and what follows: of bricks_sweep, which has no y. */
typedef struct Product {
    SinoOperand block, x, y, x_sum, counts, sums, additive, multiplicative, work;
    SinoBrickPart part;
    int64_t lists_at; /* bytes from the block to its lists */
} Product;

/* The block's rows in a panel of a vector of the subset. */
static float *rows_of(const SinoBrickPart *part, SinoPanel panel, float *vector)
{
    return (float *)sino_panel_to(panel, part->rows, vector) + part->first_row * panel.slices.stride;
}

static float *voxels_of(const SinoBrickPart *part, SinoPanel panel, float *vector)
{
    return sino_panel_to(panel, part->voxel_rows, vector);
}

static int64_t voxel_elements(const SinoBrickPart *part)
{
    return sino_times(part->voxel_rows, part->slices.stride);
}

/* Tells the progress of the run. */
static void tell(const SinoTask *task)
{
    const Product *of = task->arguments;
    sino_runtime_advance(task->runtime, of->part.progress, SINO_NOWHERE, &(SinoMinibatchProgress){0});
}

/* Tells the progress of the run, and gives the pages of the block back. */
static void end(const SinoTask *task)
{
    const Product *of = task->arguments;
    const SinoBrickHead *head = of->block.at;
    if (of->part.forget) sino_forget(head, head->bytes);
    tell(task);
}

/* ---- on cores; the sets of a folded block lie in one panel ---- */

/* NULL: the block is not folded. */
static const SinoBrickFold *fold_of(const SinoBrickPart *part)
{
    return part->fold.orientation_count > 1 ? &part->fold : NULL;
}

/* Zeros to which products add: the voxels, or of a folded block all orientations of them. */
static float *begin_sum(const Product *of, float *voxels)
{
    const SinoBrickFold *fold = fold_of(&of->part);
    const int64_t count = sino_times(voxel_elements(&of->part), fold ? fold->orientation_count : 1);
    return memset(fold ? of->work.at : voxels, 0, (size_t)count * sizeof *voxels);
}

static void end_sum(const SinoTask *task, const float *sum, float *voxels)
{
    const SinoBrickPart *part = &((const Product *)task->arguments)->part;
    if (fold_of(part)) sino_brick_mirror_sum(&part->mirror, part->slices.stride, sum, voxels);
    end(task);
}

static SinoStatus project_cpu(const SinoTask *task)
{
    const Product *of = task->arguments;
    const SinoBrickPart *part = &of->part;
    for (SinoPanel at = sino_panel_at(part->slices, 0); at.first < part->slices.stride;
         at = sino_panel_next(part->slices, at))
        sino_brick_project(of->block.at, fold_of(part), at.slices.stride, voxels_of(part, at, of->x.at),
                           rows_of(part, at, of->y.at));
    end(task);
    return NULL;
}

static SinoStatus backproject_cpu(const SinoTask *task)
{
    const Product *of = task->arguments;
    const SinoBrickPart *part = &of->part;
    float *const sum = begin_sum(of, of->x.at);
    for (SinoPanel at = sino_panel_at(part->slices, 0); at.first < part->slices.stride;
         at = sino_panel_next(part->slices, at))
        sino_brick_backproject(of->block.at, fold_of(part), at.slices.stride, rows_of(part, at, of->y.at),
                               voxels_of(part, at, sum));
    end_sum(task, sum, of->x.at);
    return NULL;
}

/* What the rows of a panel are compared with, on a core or a GPU. */
static SinoBrickCounts counts_of(const Product *of, SinoPanel panel)
{
    const SinoBrickPart *part = &of->part;
    SinoBrickCounts counts = {.counts = rows_of(part, panel, of->counts.at)};
    if (of->multiplicative.at) counts.multiplicative = (const float *)of->multiplicative.at + part->first_row;
    if (of->additive.at) counts.additive = rows_of(part, panel, of->additive.at);
    return counts;
}

static SinoStatus sweep_cpu(const SinoTask *task)
{
    const Product *of = task->arguments;
    const SinoBrickPart *part = &of->part;
    float *const sum = begin_sum(of, of->x_sum.at);
    for (SinoPanel at = sino_panel_at(part->slices, 0); at.first < part->slices.stride;
         at = sino_panel_next(part->slices, at)) {
        const SinoBrickCounts counts = counts_of(of, at);
        sino_brick_sweep(of->block.at, fold_of(part), at.slices.stride, voxels_of(part, at, of->x.at), &counts,
                         voxels_of(part, at, sum), (SinoBrickSums *)of->sums.at + at.first);
    }
    end_sum(task, sum, of->x_sum.at);
    return NULL;
}

/* ---- on GPUs ---- */

/* What panels share, on the calling worker's GPU. */
static SinoBrickProductCuda product_cuda(const Product *of, SinoPanel panel)
{
    return (SinoBrickProductCuda){.lists = of->part.lists,
                                  .device_lists = (const char *)of->block.at + of->lists_at,
                                  .device_block = of->block.at,
                                  .stride = panel.slices.stride,
                                  .work = of->work.at};
}

static SinoStatus project_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Product *of = task->arguments;
    const SinoBrickPart *part = &of->part;
    for (SinoPanel at = sino_panel_at(part->slices, 0); at.first < part->slices.stride;
         at = sino_panel_next(part->slices, at)) {
        const SinoBrickProductCuda product = product_cuda(of, at);
        SINO_TRY(sino_brick_project_cuda(stream, &product, voxels_of(part, at, of->x.at), rows_of(part, at, of->y.at)));
    }
    tell(task);
    return NULL;
}

static SinoStatus backproject_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Product *of = task->arguments;
    const SinoBrickPart *part = &of->part;
    SINO_TRY(sino_voxels_clear_cuda(stream, voxel_elements(part), of->x.at));
    for (SinoPanel at = sino_panel_at(part->slices, 0); at.first < part->slices.stride;
         at = sino_panel_next(part->slices, at)) {
        const SinoBrickProductCuda product = product_cuda(of, at);
        SINO_TRY(
            sino_brick_backproject_cuda(stream, &product, rows_of(part, at, of->y.at), voxels_of(part, at, of->x.at)));
    }
    tell(task);
    return NULL;
}

static SinoStatus sweep_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Product *of = task->arguments;
    const SinoBrickPart *part = &of->part;
    SINO_TRY(sino_voxels_clear_cuda(stream, voxel_elements(part), of->x_sum.at));
    for (SinoPanel at = sino_panel_at(part->slices, 0); at.first < part->slices.stride;
         at = sino_panel_next(part->slices, at)) {
        const SinoBrickProductCuda product = product_cuda(of, at);
        const SinoBrickCounts counts = counts_of(of, at);
        SINO_TRY(sino_brick_sweep_cuda(stream, &product, voxels_of(part, at, of->x.at), &counts,
                                       voxels_of(part, at, of->x_sum.at), (SinoBrickSums *)of->sums.at + at.first));
    }
    tell(task);
    return NULL;
}

/* ---- on OpenCL devices ---- */

static SinoBrickProductOpencl product_opencl(const Product *of)
{
    return (SinoBrickProductOpencl){.lists = of->part.lists,
                                    .block = of->block.opencl,
                                    .lists_at = of->lists_at,
                                    .stride = of->part.slices.stride,
                                    .first_row = of->part.first_row,
                                    .rows = of->part.rows,
                                    .work = of->work.opencl};
}

static SinoStatus project_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Product *of = task->arguments;
    const SinoBrickProductOpencl product = product_opencl(of);
    SINO_TRY(sino_brick_project_opencl(opencl, &product, of->x.opencl, of->y.opencl));
    tell(task);
    return NULL;
}

static SinoStatus backproject_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Product *of = task->arguments;
    const SinoBrickProductOpencl product = product_opencl(of);
    SINO_TRY(sino_voxels_clear_opencl(opencl, of->part.slices, of->part.voxel_rows, of->x.opencl));
    SINO_TRY(sino_brick_backproject_opencl(opencl, &product, of->y.opencl, of->x.opencl));
    tell(task);
    return NULL;
}

static SinoStatus sweep_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Product *of = task->arguments;
    const SinoBrickProductOpencl product = product_opencl(of);
    const SinoBrickCountsOpencl counts = {
        .counts = of->counts.opencl, .multiplicative = of->multiplicative.opencl, .additive = of->additive.opencl};
    SINO_TRY(sino_voxels_clear_opencl(opencl, of->part.slices, of->part.voxel_rows, of->x_sum.opencl));
    SINO_TRY(sino_brick_sweep_opencl(opencl, &product, of->x.opencl, &counts, of->x_sum.opencl, of->sums.opencl));
    tell(task);
    return NULL;
}

/* ---- submission ---- */

static const SinoTaskKind project_kind = {
    .name = "bricks_project",
    SINO_ARGUMENTS(Product, SINO_READS(Product, block), SINO_READS(Product, x), SINO_WRITES(Product, y)),
    SINO_CPU_CUDA_OPENCL(project)};

static const SinoTaskKind backproject_kind = {.name = "bricks_backproject",
                                              SINO_ARGUMENTS(Product, SINO_READS(Product, block),
                                                             SINO_WRITES(Product, x), SINO_READS(Product, y),
                                                             SINO_MAY_USE(Product, work)),
                                              SINO_CPU_CUDA_OPENCL(backproject)};

static const SinoTaskKind sweep_kind = {
    .name = "bricks_sweep",
    SINO_ARGUMENTS(Product, SINO_READS(Product, block), SINO_READS(Product, x), SINO_WRITES(Product, x_sum),
                   SINO_READS(Product, counts), SINO_WRITES(Product, sums), SINO_MAY_READ(Product, additive),
                   SINO_MAY_READ(Product, multiplicative), SINO_MAY_USE(Product, work)),
    SINO_CPU_CUDA_OPENCL(sweep)};

static SinoStatus insert_product(SinoRuntime *runtime, const SinoTaskKind *kind, SinoPosition position, Product product)
{
    const double products = kind == &sweep_kind ? 2 : 1;
    const SinoBrickPart *part = &product.part;
    position.partition = part->partition;
    if (part->lists) product.lists_at = (const char *)part->lists - (const char *)sino_data_memory(product.block.data);
    return SINO_SUBMIT(runtime, kind, position, &product, .work = part->work, .flops = products * part->flops,
                       .precision = 1 + (int)part->precision,
                       .width = sino_times(part->slices.stride, sino_larger(part->fold.orientation_count, 1)),
                       .host = !part->lists);
}

SinoStatus sino_insert_bricks_project(SinoRuntime *runtime, SinoPosition position, const SinoBrickPart *part,
                                      SinoData *block, SinoData *x, SinoData *y)
{
    return insert_product(runtime, &project_kind, position,
                          (Product){.block.data = block,
                                    .x.data = x,
                                    .y = {.data = y, .mode = part->lists ? SINO_WRITE : SINO_READ},
                                    .part = *part});
}

SinoStatus sino_insert_bricks_backproject(SinoRuntime *runtime, SinoPosition position, const SinoBrickPart *part,
                                          SinoData *block, SinoData *y, SinoData *x)
{
    return insert_product(
        runtime, &backproject_kind, position,
        (Product){.block.data = block, .x.data = x, .y.data = y, .work.data = part->work_memory, .part = *part});
}

SinoStatus sino_insert_bricks_sweep(SinoRuntime *runtime, SinoPosition position, const SinoBrickPart *part,
                                    SinoData *block, const SinoBrickVectors *vectors, SinoData *x, SinoData *x_sum,
                                    SinoData *sums)
{
    return insert_product(runtime, &sweep_kind, position,
                          (Product){.block.data = block,
                                    .x.data = x,
                                    .x_sum.data = x_sum,
                                    .counts.data = vectors->counts,
                                    .sums.data = sums,
                                    .additive.data = vectors->additive,
                                    .multiplicative.data = vectors->multiplicative,
                                    .work.data = part->work_memory,
                                    .part = *part});
}

int64_t sino_bricks_work_bytes(int64_t row_count, SinoSlices slices)
{
    int64_t bytes = 0;
    if (SINO_CUDA_BUILT) bytes = sino_brick_cuda_work_bytes(row_count, slices.stride);
    if (SINO_OPENCL_BUILT) bytes = sino_larger(bytes, sino_brick_opencl_work_bytes(row_count, slices.stride));
    return bytes;
}

/* ---- rows ---- */

typedef struct Paste {
    SinoOperand rows, y;
    SinoBrickPart part;
} Paste;

static SinoStatus paste_cpu(const SinoTask *task)
{
    const Paste *of = task->arguments;
    const SinoBrickPart *part = &of->part;
    for (SinoPanel at = sino_panel_at(part->slices, 0); at.first < part->slices.stride;
         at = sino_panel_next(part->slices, at)) {
        const int64_t elements = sino_times(part->row_count, at.slices.stride);
        memcpy(rows_of(part, at, of->y.at), sino_panel_from(at, part->row_count, of->rows.at),
               (size_t)elements * sizeof(float));
    }
    return NULL;
}

/* Several tasks write their parts of y at the same time. */
static const SinoTaskKind paste_kind = {
    .name = "bricks_paste", SINO_ARGUMENTS(Paste, SINO_READS(Paste, rows), SINO_READS(Paste, y)), .cpu = paste_cpu};

SinoStatus sino_insert_bricks_paste(SinoRuntime *runtime, SinoPosition position, const SinoBrickPart *part,
                                    SinoData *rows, SinoData *y)
{
    const Paste arguments = {.rows.data = rows, .y.data = y, .part = *part};
    position.partition = part->partition;
    return SINO_SUBMIT(runtime, &paste_kind, position, &arguments,
                       .work = (double)sino_times(part->row_count, part->slices.stride));
}

/* ---- sums ---- */

typedef struct Sums {
    SinoOperand all, lost;
    SinoOperandList part;
    int64_t stride;
    bool add;
} Sums;

static SinoStatus sums_cpu(const SinoTask *task)
{
    const Sums *of = task->arguments;
    SinoSliceSums *all = of->all.at;
    double *lost = of->lost.at;
    for (int64_t s = 0; s < of->stride; s++) {
        if (!of->add) {
            all[s] = (SinoSliceSums){{0}};
            lost[s] = 0;
        }
        for (int64_t p = 0; p < of->part.count; p++) {
            const SinoBrickSums *part = (const SinoBrickSums *)of->part.at[p] + s;
            all[s].sum[SINO_SUM_SQUARE] += part->squared;
            all[s].sum[SINO_SUM_LIKELIHOOD] += part->log_likelihood;
            lost[s] += part->lost;
        }
    }
    return NULL;
}

static const SinoTaskKind sums_kind = {
    .name = "bricks_sums",
    SINO_ARGUMENTS(Sums, SINO_WRITES(Sums, all), SINO_WRITES(Sums, lost), SINO_READS_EACH(Sums, part)),
    .cpu = sums_cpu};

/* One task has few data, so tasks follow each other; the sums go on from one to the next. */
SinoStatus sino_insert_bricks_sums(SinoRuntime *runtime, SinoPosition position, int64_t stride, int64_t partition_count,
                                   bool add, SinoData *const *sums, SinoData *all, SinoData *lost)
{
    enum { PARTS_MAX = SINO_TASK_DATA_MAX - 2 };
    for (int64_t first = 0; first < partition_count; first += PARTS_MAX) {
        const int64_t parts = sino_smaller(partition_count - first, PARTS_MAX);
        const bool adds = add || first > 0;
        const SinoAccessMode mode = adds ? SINO_READ_WRITE : SINO_WRITE;
        const Sums arguments = {.all = {.data = all, .mode = mode},
                                .lost = {.data = lost, .mode = mode},
                                .part = {.data = sums + first, .count = parts},
                                .stride = stride,
                                .add = adds};
        SINO_TRY(SINO_SUBMIT(runtime, &sums_kind, position, &arguments, .work = (double)sino_times(stride, parts)));
    }
    return NULL;
}
