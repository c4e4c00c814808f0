/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of bricks: products of the blocks of a system matrix, and the sums over row partitions. */
#include "brick_task.h"

#include "arithmetic.h"
#include "brick_cuda.h"
#include "brick_opencl.h"
#include "brick_voxels_cuda.h"
#include "memory.h"
#include "task.h"
#include "update.h"

#include <string.h>

const char *sino_bricks_isa_name(void)
{
    return sino_brick_isa_name();
}

/* ---- products ---- */

/* Data of the products. What follows OPTIONAL may be missing. */
enum { BLOCK, X, Y, X_SUM = Y, COUNTS, SUMS, OPTIONAL };

typedef struct Arguments {
    SinoBrickPart part;
    int64_t lists_at;                   /* bytes from the block to its lists */
    int additive, multiplicative, work; /* numbers of the data; 0: none */
} Arguments;

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

static void clear_voxels(const SinoBrickPart *part, float *voxels)
{
    memset(voxels, 0, (size_t)voxel_elements(part) * sizeof *voxels);
}

/* Tells the progress of the run. */
static void tell(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    sino_runtime_advance(task->runtime, arguments->part.progress, SINO_NOWHERE, &(SinoMinibatchProgress){0});
}

/* Tells the progress of the run, and gives the pages of the block back. */
static void end(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    const SinoBrickHead *head = sino_task_buffer(task, BLOCK);
    if (arguments->part.forget) sino_forget(head, head->bytes);
    tell(task);
}

/* ---- folded blocks, whose sets lie in one panel ---- */

static bool is_folded(const SinoBrickPart *part)
{
    return part->fold.orientation_count > 1;
}

/* Zeros in which a folded block's products add up orientations. */
static float *begin_orientations(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    float *orientations = sino_task_buffer(task, arguments->work);
    const int64_t count = sino_times(voxel_elements(&arguments->part), arguments->part.fold.orientation_count);
    memset(orientations, 0, (size_t)count * sizeof *orientations);
    return orientations;
}

static void project_folded(const SinoTask *task, const SinoBrickPart *part)
{
    sino_brick_project_folded(sino_task_buffer(task, BLOCK), &part->fold, part->slices.stride,
                              sino_task_buffer(task, X),
                              rows_of(part, sino_panel_at(part->slices, 0), sino_task_buffer(task, Y)));
}

static void backproject_folded(const SinoTask *task, const SinoBrickPart *part)
{
    const int64_t stride = part->slices.stride;
    float *orientations = begin_orientations(task);
    sino_brick_backproject_folded(sino_task_buffer(task, BLOCK), &part->fold, stride,
                                  rows_of(part, sino_panel_at(part->slices, 0), sino_task_buffer(task, Y)),
                                  orientations);
    sino_brick_mirror_sum(&part->mirror, stride, orientations, sino_task_buffer(task, X));
}

static SinoStatus project_cpu(const SinoTask *task)
{
    const SinoBrickPart *part = &((const Arguments *)task->arguments)->part;
    if (is_folded(part)) {
        project_folded(task, part);
        end(task);
        return NULL;
    }
    for (SinoPanel at = sino_panel_at(part->slices, 0); at.first < part->slices.stride;
         at = sino_panel_next(part->slices, at))
        sino_brick_project(sino_task_buffer(task, BLOCK), at.slices.stride,
                           voxels_of(part, at, sino_task_buffer(task, X)),
                           rows_of(part, at, sino_task_buffer(task, Y)));
    end(task);
    return NULL;
}

static SinoStatus backproject_cpu(const SinoTask *task)
{
    const SinoBrickPart *part = &((const Arguments *)task->arguments)->part;
    if (is_folded(part)) {
        backproject_folded(task, part);
        end(task);
        return NULL;
    }
    clear_voxels(part, sino_task_buffer(task, X));
    for (SinoPanel at = sino_panel_at(part->slices, 0); at.first < part->slices.stride;
         at = sino_panel_next(part->slices, at))
        sino_brick_backproject(sino_task_buffer(task, BLOCK), at.slices.stride,
                               rows_of(part, at, sino_task_buffer(task, Y)),
                               voxels_of(part, at, sino_task_buffer(task, X)));
    end(task);
    return NULL;
}

/* What the rows of a panel are compared with, on a core or a GPU. */
static SinoBrickCounts counts_of(const SinoTask *task, SinoPanel panel)
{
    const Arguments *arguments = task->arguments;
    const SinoBrickPart *part = &arguments->part;
    SinoBrickCounts counts = {.counts = rows_of(part, panel, sino_task_buffer(task, COUNTS))};
    if (arguments->multiplicative > 0)
        counts.multiplicative = (const float *)sino_task_buffer(task, arguments->multiplicative) + part->first_row;
    if (arguments->additive > 0) counts.additive = rows_of(part, panel, sino_task_buffer(task, arguments->additive));
    return counts;
}

static void sweep_folded(const SinoTask *task, const SinoBrickPart *part)
{
    const int64_t stride = part->slices.stride;
    const SinoBrickCounts counts = counts_of(task, sino_panel_at(part->slices, 0));
    float *orientations = begin_orientations(task);
    sino_brick_sweep_folded(sino_task_buffer(task, BLOCK), &part->fold, stride, sino_task_buffer(task, X), &counts,
                            orientations, sino_task_buffer(task, SUMS));
    sino_brick_mirror_sum(&part->mirror, stride, orientations, sino_task_buffer(task, X_SUM));
}

static SinoStatus sweep_cpu(const SinoTask *task)
{
    const SinoBrickPart *part = &((const Arguments *)task->arguments)->part;
    SinoBrickSums *sums = sino_task_buffer(task, SUMS);
    if (is_folded(part)) {
        sweep_folded(task, part);
        end(task);
        return NULL;
    }
    clear_voxels(part, sino_task_buffer(task, X_SUM));
    for (SinoPanel at = sino_panel_at(part->slices, 0); at.first < part->slices.stride;
         at = sino_panel_next(part->slices, at)) {
        const SinoBrickCounts counts = counts_of(task, at);
        sino_brick_sweep(sino_task_buffer(task, BLOCK), at.slices.stride,
                         voxels_of(part, at, sino_task_buffer(task, X)), &counts,
                         voxels_of(part, at, sino_task_buffer(task, X_SUM)), sums + at.first);
    }
    end(task);
    return NULL;
}

/* ---- on GPUs ---- */

/* The operands that panels share, on the calling worker's GPU. */
static SinoBrickProductCuda product_cuda(const SinoTask *task, SinoPanel panel)
{
    const Arguments *arguments = task->arguments;
    const char *block = sino_task_buffer(task, BLOCK);
    return (SinoBrickProductCuda){.lists = arguments->part.lists,
                                  .device_lists = block + arguments->lists_at,
                                  .device_block = block,
                                  .stride = panel.slices.stride,
                                  .work = arguments->work > 0 ? sino_task_buffer(task, arguments->work) : NULL};
}

static SinoStatus project_cuda(const SinoTask *task, cudaStream_t stream)
{
    const SinoBrickPart *part = &((const Arguments *)task->arguments)->part;
    for (SinoPanel at = sino_panel_at(part->slices, 0); at.first < part->slices.stride;
         at = sino_panel_next(part->slices, at)) {
        const SinoBrickProductCuda product = product_cuda(task, at);
        SINO_TRY(sino_brick_project_cuda(stream, &product, voxels_of(part, at, sino_task_buffer(task, X)),
                                         rows_of(part, at, sino_task_buffer(task, Y))));
    }
    tell(task);
    return NULL;
}

static SinoStatus backproject_cuda(const SinoTask *task, cudaStream_t stream)
{
    const SinoBrickPart *part = &((const Arguments *)task->arguments)->part;
    SINO_TRY(sino_voxels_clear_cuda(stream, voxel_elements(part), sino_task_buffer(task, X)));
    for (SinoPanel at = sino_panel_at(part->slices, 0); at.first < part->slices.stride;
         at = sino_panel_next(part->slices, at)) {
        const SinoBrickProductCuda product = product_cuda(task, at);
        SINO_TRY(sino_brick_backproject_cuda(stream, &product, rows_of(part, at, sino_task_buffer(task, Y)),
                                             voxels_of(part, at, sino_task_buffer(task, X))));
    }
    tell(task);
    return NULL;
}

static SinoStatus sweep_cuda(const SinoTask *task, cudaStream_t stream)
{
    const SinoBrickPart *part = &((const Arguments *)task->arguments)->part;
    SinoBrickSums *sums = sino_task_buffer(task, SUMS);
    SINO_TRY(sino_voxels_clear_cuda(stream, voxel_elements(part), sino_task_buffer(task, X_SUM)));
    for (SinoPanel at = sino_panel_at(part->slices, 0); at.first < part->slices.stride;
         at = sino_panel_next(part->slices, at)) {
        const SinoBrickProductCuda product = product_cuda(task, at);
        const SinoBrickCounts counts = counts_of(task, at);
        SINO_TRY(sino_brick_sweep_cuda(stream, &product, voxels_of(part, at, sino_task_buffer(task, X)), &counts,
                                       voxels_of(part, at, sino_task_buffer(task, X_SUM)), sums + at.first));
    }
    tell(task);
    return NULL;
}

/* ---- on OpenCL devices ---- */

static cl_mem buffer_or_null(const SinoTask *task, int i)
{
    return i > 0 ? sino_task_opencl_buffer(task, i) : NULL;
}

static SinoBrickProductOpencl product_opencl(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    return (SinoBrickProductOpencl){.lists = arguments->part.lists,
                                    .block = sino_task_opencl_buffer(task, BLOCK),
                                    .lists_at = arguments->lists_at,
                                    .stride = arguments->part.slices.stride,
                                    .first_row = arguments->part.first_row,
                                    .rows = arguments->part.rows,
                                    .work = buffer_or_null(task, arguments->work)};
}

static SinoStatus project_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const SinoBrickProductOpencl product = product_opencl(task);
    SINO_TRY(sino_brick_project_opencl(opencl, &product, sino_task_opencl_buffer(task, X),
                                       sino_task_opencl_buffer(task, Y)));
    tell(task);
    return NULL;
}

static SinoStatus backproject_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const SinoBrickPart *part = &((const Arguments *)task->arguments)->part;
    const SinoBrickProductOpencl product = product_opencl(task);
    cl_mem x = sino_task_opencl_buffer(task, X);
    SINO_TRY(sino_voxels_clear_opencl(opencl, part->slices, part->voxel_rows, x));
    SINO_TRY(sino_brick_backproject_opencl(opencl, &product, sino_task_opencl_buffer(task, Y), x));
    tell(task);
    return NULL;
}

static SinoStatus sweep_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Arguments *arguments = task->arguments;
    const SinoBrickPart *part = &arguments->part;
    const SinoBrickProductOpencl product = product_opencl(task);
    const SinoBrickCountsOpencl counts = {.counts = sino_task_opencl_buffer(task, COUNTS),
                                          .multiplicative = buffer_or_null(task, arguments->multiplicative),
                                          .additive = buffer_or_null(task, arguments->additive)};
    cl_mem x_sum = sino_task_opencl_buffer(task, X_SUM);
    SINO_TRY(sino_voxels_clear_opencl(opencl, part->slices, part->voxel_rows, x_sum));
    SINO_TRY(sino_brick_sweep_opencl(opencl, &product, sino_task_opencl_buffer(task, X), &counts, x_sum,
                                     sino_task_opencl_buffer(task, SUMS)));
    tell(task);
    return NULL;
}

/* ---- submission ---- */

static const SinoTaskKind project_kind = {.name = "bricks_project",
                                          .argument_bytes = sizeof(Arguments),
                                          .access_min = 3,
                                          .access_max = 3,
                                          .cpu = project_cpu,
                                          .cuda = SINO_ON_CUDA(project_cuda),
                                          .opencl = SINO_ON_OPENCL(project_opencl)};

static const SinoTaskKind backproject_kind = {.name = "bricks_backproject",
                                              .argument_bytes = sizeof(Arguments),
                                              .access_min = 3,
                                              .access_max = 4,
                                              .cpu = backproject_cpu,
                                              .cuda = SINO_ON_CUDA(backproject_cuda),
                                              .opencl = SINO_ON_OPENCL(backproject_opencl)};

static const SinoTaskKind sweep_kind = {.name = "bricks_sweep",
                                        .argument_bytes = sizeof(Arguments),
                                        .access_min = OPTIONAL,
                                        .access_max = OPTIONAL + 3,
                                        .cpu = sweep_cpu,
                                        .cuda = SINO_ON_CUDA(sweep_cuda),
                                        .opencl = SINO_ON_OPENCL(sweep_opencl)};

/* Appends data that may be missing. Returns their number; 0: none. */
static int append(SinoAccess *access, int *count, SinoData *data, SinoAccessMode mode)
{
    if (!data) return 0;
    access[*count] = (SinoAccess){data, mode};
    return (*count)++;
}

static SinoStatus insert_product(SinoRuntime *runtime, const SinoTaskKind *kind, SinoPosition position,
                                 Arguments *arguments, int access_count, const SinoAccess *access)
{
    const double products = kind == &sweep_kind ? 2 : 1;
    const SinoBrickPart *part = &arguments->part;
    position.partition = part->partition;
    if (part->lists)
        arguments->lists_at = (const char *)part->lists - (const char *)sino_data_memory(access[BLOCK].data);
    return sino_task_submit(
        runtime, kind,
        &(SinoTaskRequest){.position = position,
                           .arguments = arguments,
                           .argument_bytes = sizeof *arguments,
                           .access = access,
                           .access_count = access_count,
                           .work = part->work,
                           .flops = products * part->flops,
                           .precision = 1 + (int)part->precision,
                           .width = sino_times(part->slices.stride, sino_larger(part->fold.orientation_count, 1)),
                           .host = !part->lists});
}

SinoStatus sino_insert_bricks_project(SinoRuntime *runtime, SinoPosition position, const SinoBrickPart *part,
                                      SinoData *block, SinoData *x, SinoData *y)
{
    Arguments arguments = {.part = *part};
    const SinoAccess access[] = {
        [BLOCK] = {block, SINO_READ}, [X] = {x, SINO_READ}, [Y] = {y, part->lists ? SINO_WRITE : SINO_READ}};
    return insert_product(runtime, &project_kind, position, &arguments, 3, access);
}

SinoStatus sino_insert_bricks_backproject(SinoRuntime *runtime, SinoPosition position, const SinoBrickPart *part,
                                          SinoData *block, SinoData *y, SinoData *x)
{
    Arguments arguments = {.part = *part};
    SinoAccess access[4] = {[BLOCK] = {block, SINO_READ}, [X] = {x, SINO_WRITE}, [Y] = {y, SINO_READ}};
    int count = 3;
    arguments.work = append(access, &count, part->work_memory, SINO_SCRATCH);
    return insert_product(runtime, &backproject_kind, position, &arguments, count, access);
}

SinoStatus sino_insert_bricks_sweep(SinoRuntime *runtime, SinoPosition position, const SinoBrickPart *part,
                                    SinoData *block, const SinoBrickVectors *vectors, SinoData *x, SinoData *x_sum,
                                    SinoData *sums)
{
    Arguments arguments = {.part = *part};
    SinoAccess access[OPTIONAL + 3] = {[BLOCK] = {block, SINO_READ},
                                       [X] = {x, SINO_READ},
                                       [X_SUM] = {x_sum, SINO_WRITE},
                                       [COUNTS] = {vectors->counts, SINO_READ},
                                       [SUMS] = {sums, SINO_WRITE}};
    int count = OPTIONAL;
    arguments.additive = append(access, &count, vectors->additive, SINO_READ);
    arguments.multiplicative = append(access, &count, vectors->multiplicative, SINO_READ);
    arguments.work = append(access, &count, part->work_memory, SINO_SCRATCH);
    return insert_product(runtime, &sweep_kind, position, &arguments, count, access);
}

int64_t sino_bricks_work_bytes(int64_t row_count, SinoSlices slices)
{
    int64_t bytes = 0;
    if (SINO_CUDA_BUILT) bytes = sino_brick_cuda_work_bytes(row_count, slices.stride);
    if (SINO_OPENCL_BUILT) bytes = sino_larger(bytes, sino_brick_opencl_work_bytes(row_count, slices.stride));
    return bytes;
}

/* ---- rows ---- */

static SinoStatus paste_cpu(const SinoTask *task)
{
    const SinoBrickPart *part = task->arguments;
    for (SinoPanel at = sino_panel_at(part->slices, 0); at.first < part->slices.stride;
         at = sino_panel_next(part->slices, at)) {
        const int64_t elements = sino_times(part->row_count, at.slices.stride);
        memcpy(rows_of(part, at, sino_task_buffer(task, 1)),
               sino_panel_from(at, part->row_count, sino_task_buffer(task, 0)), (size_t)elements * sizeof(float));
    }
    return NULL;
}

static const SinoTaskKind paste_kind = {.name = "bricks_paste",
                                        .argument_bytes = sizeof(SinoBrickPart),
                                        .access_min = 2,
                                        .access_max = 2,
                                        .cpu = paste_cpu};

SinoStatus sino_insert_bricks_paste(SinoRuntime *runtime, SinoPosition position, const SinoBrickPart *part,
                                    SinoData *rows, SinoData *y)
{
    const SinoAccess access[] = {{rows, SINO_READ}, {y, SINO_READ}};
    position.partition = part->partition;
    return sino_task_submit(runtime, &paste_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = part,
                                               .argument_bytes = sizeof *part,
                                               .access = access,
                                               .access_count = 2,
                                               .work = (double)sino_times(part->row_count, part->slices.stride)});
}

/* ---- sums ---- */

/* Data of a task, and the row partitions that it adds. */
enum { ALL, LOST, PARTS, PARTS_MAX = SINO_TASK_DATA_MAX - PARTS };

typedef struct SumsArguments {
    int64_t stride;
    int part_count;
    bool add;
} SumsArguments;

static SinoStatus sums_cpu(const SinoTask *task)
{
    const SumsArguments *arguments = task->arguments;
    SinoSliceSums *all = sino_task_buffer(task, ALL);
    double *lost = sino_task_buffer(task, LOST);
    for (int64_t s = 0; s < arguments->stride; s++) {
        if (!arguments->add) {
            all[s] = (SinoSliceSums){{0}};
            lost[s] = 0;
        }
        for (int p = 0; p < arguments->part_count; p++) {
            const SinoBrickSums *part = (const SinoBrickSums *)sino_task_buffer(task, PARTS + p) + s;
            all[s].sum[SINO_SUM_SQUARE] += part->squared;
            all[s].sum[SINO_SUM_LIKELIHOOD] += part->log_likelihood;
            lost[s] += part->lost;
        }
    }
    return NULL;
}

static const SinoTaskKind sums_kind = {.name = "bricks_sums",
                                       .argument_bytes = sizeof(SumsArguments),
                                       .access_min = PARTS + 1,
                                       .access_max = SINO_TASK_DATA_MAX,
                                       .cpu = sums_cpu};

/* One task has few data, so tasks follow each other; the sums go on from one to the next. */
SinoStatus sino_insert_bricks_sums(SinoRuntime *runtime, SinoPosition position, int64_t stride, int64_t partition_count,
                                   bool add, SinoData *const *sums, SinoData *all, SinoData *lost)
{
    for (int64_t first = 0; first < partition_count; first += PARTS_MAX) {
        const int parts = (int)sino_smaller(partition_count - first, PARTS_MAX);
        const SumsArguments arguments = {.stride = stride, .part_count = parts, .add = add || first > 0};
        const SinoAccessMode mode = arguments.add ? SINO_READ_WRITE : SINO_WRITE;
        SinoAccess access[SINO_TASK_DATA_MAX] = {[ALL] = {all, mode}, [LOST] = {lost, mode}};
        for (int p = 0; p < parts; p++) access[PARTS + p] = (SinoAccess){sums[first + p], SINO_READ};
        SINO_TRY(sino_task_submit(runtime, &sums_kind,
                                  &(SinoTaskRequest){.position = position,
                                                     .arguments = &arguments,
                                                     .argument_bytes = sizeof arguments,
                                                     .access = access,
                                                     .access_count = PARTS + parts,
                                                     .work = (double)sino_times(stride, parts)}));
    }
    return NULL;
}
