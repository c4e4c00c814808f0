/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of bricks: products of the blocks of a system matrix, and the sums over row partitions. */
#include "brick_task.h"

#include "arithmetic.h"
#include "brick.h"
#include "memory.h"
#include "task.h"
#include "update.h"

#include <string.h>

const char *sino_bricks_isa_name(void)
{
    return sino_brick_isa_name();
}

/* ---- products ---- */

/* Data of the products. ADDITIVE and MULTIPLICATIVE may be missing. */
enum { BLOCK, X, Y, X_SUM = Y, COUNTS, SUMS, OPTIONAL };

typedef struct Arguments {
    SinoBrickPart part;
    int additive, multiplicative; /* numbers of the data; 0: none */
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

static void clear_voxels(const SinoBrickPart *part, float *voxels)
{
    memset(voxels, 0, (size_t)sino_times(part->voxel_rows, part->slices.stride) * sizeof *voxels);
}

/* Tells the progress of the run, and gives the pages of the block back. */
static void end(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    const SinoBrickHead *head = sino_task_buffer(task, BLOCK);
    if (arguments->part.forget) sino_forget(head, head->bytes);
    sino_runtime_advance(task->runtime, arguments->part.progress, SINO_NOWHERE, &(SinoMinibatchProgress){0});
}

static SinoStatus project_cpu(const SinoTask *task)
{
    const SinoBrickPart *part = &((const Arguments *)task->arguments)->part;
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
    clear_voxels(part, sino_task_buffer(task, X));
    for (SinoPanel at = sino_panel_at(part->slices, 0); at.first < part->slices.stride;
         at = sino_panel_next(part->slices, at))
        sino_brick_backproject(sino_task_buffer(task, BLOCK), at.slices.stride,
                               rows_of(part, at, sino_task_buffer(task, Y)),
                               voxels_of(part, at, sino_task_buffer(task, X)));
    end(task);
    return NULL;
}

static SinoStatus sweep_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    const SinoBrickPart *part = &arguments->part;
    SinoBrickSums *sums = (SinoBrickSums *)sino_task_buffer(task, SUMS) + part->partition * part->slices.stride;
    const float *n = arguments->multiplicative > 0 ? sino_task_buffer(task, arguments->multiplicative) : NULL;
    float *r = arguments->additive > 0 ? sino_task_buffer(task, arguments->additive) : NULL;
    clear_voxels(part, sino_task_buffer(task, X_SUM));
    for (SinoPanel at = sino_panel_at(part->slices, 0); at.first < part->slices.stride;
         at = sino_panel_next(part->slices, at)) {
        const SinoBrickCounts counts = {.counts = rows_of(part, at, sino_task_buffer(task, COUNTS)),
                                        .multiplicative = n ? n + part->first_row : NULL,
                                        .additive = r ? rows_of(part, at, r) : NULL};
        sino_brick_sweep(sino_task_buffer(task, BLOCK), at.slices.stride,
                         voxels_of(part, at, sino_task_buffer(task, X)), &counts,
                         voxels_of(part, at, sino_task_buffer(task, X_SUM)), sums + at.first);
    }
    end(task);
    return NULL;
}

static const SinoTaskKind project_kind = {.name = "bricks_project",
                                          .argument_bytes = sizeof(Arguments),
                                          .access_min = 3,
                                          .access_max = 3,
                                          .cpu = project_cpu};

static const SinoTaskKind backproject_kind = {.name = "bricks_backproject",
                                              .argument_bytes = sizeof(Arguments),
                                              .access_min = 3,
                                              .access_max = 3,
                                              .cpu = backproject_cpu};

static const SinoTaskKind sweep_kind = {.name = "bricks_sweep",
                                        .argument_bytes = sizeof(Arguments),
                                        .access_min = OPTIONAL,
                                        .access_max = OPTIONAL + 2,
                                        .cpu = sweep_cpu};

static SinoStatus insert_product(SinoRuntime *runtime, const SinoTaskKind *kind, SinoPosition position,
                                 const Arguments *arguments, int access_count, const SinoAccess *access)
{
    const double products = kind == &sweep_kind ? 2 : 1;
    position.partition = arguments->part.partition;
    return sino_task_submit(runtime, kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = arguments,
                                               .argument_bytes = sizeof *arguments,
                                               .access = access,
                                               .access_count = access_count,
                                               .work = arguments->part.work,
                                               .flops = products * arguments->part.flops,
                                               .precision = 1 + (int)arguments->part.precision,
                                               .width = arguments->part.slices.stride});
}

SinoStatus sino_insert_bricks_project(SinoRuntime *runtime, SinoPosition position, const SinoBrickPart *part,
                                      SinoData *block, SinoData *x, SinoData *y)
{
    const Arguments arguments = {.part = *part};
    const SinoAccess access[] = {[BLOCK] = {block, SINO_READ}, [X] = {x, SINO_READ}, [Y] = {y, SINO_READ}};
    return insert_product(runtime, &project_kind, position, &arguments, 3, access);
}

SinoStatus sino_insert_bricks_backproject(SinoRuntime *runtime, SinoPosition position, const SinoBrickPart *part,
                                          SinoData *block, SinoData *y, SinoData *x)
{
    const Arguments arguments = {.part = *part};
    const SinoAccess access[] = {[BLOCK] = {block, SINO_READ}, [X] = {x, SINO_WRITE}, [Y] = {y, SINO_READ}};
    return insert_product(runtime, &backproject_kind, position, &arguments, 3, access);
}

SinoStatus sino_insert_bricks_sweep(SinoRuntime *runtime, SinoPosition position, const SinoBrickPart *part,
                                    SinoData *block, const SinoBrickVectors *vectors, SinoData *x, SinoData *x_sum,
                                    SinoData *sums)
{
    Arguments arguments = {.part = *part};
    SinoAccess access[OPTIONAL + 2] = {[BLOCK] = {block, SINO_READ},
                                       [X] = {x, SINO_READ},
                                       [X_SUM] = {x_sum, SINO_WRITE},
                                       [COUNTS] = {vectors->counts, SINO_READ},
                                       [SUMS] = {sums, SINO_READ}};
    int count = OPTIONAL;
    if (vectors->additive) {
        arguments.additive = count;
        access[count++] = (SinoAccess){vectors->additive, SINO_READ};
    }
    if (vectors->multiplicative) {
        arguments.multiplicative = count;
        access[count++] = (SinoAccess){vectors->multiplicative, SINO_READ};
    }
    return insert_product(runtime, &sweep_kind, position, &arguments, count, access);
}

/* ---- sums ---- */

typedef struct SumsArguments {
    int64_t stride, partition_count;
    bool add;
} SumsArguments;

static SinoStatus sums_cpu(const SinoTask *task)
{
    const SumsArguments *arguments = task->arguments;
    const SinoBrickSums *sums = sino_task_buffer(task, 0);
    SinoSliceSums *all = sino_task_buffer(task, 1);
    double *lost = sino_task_buffer(task, 2);
    for (int64_t s = 0; s < arguments->stride; s++) {
        if (!arguments->add) {
            all[s] = (SinoSliceSums){{0}};
            lost[s] = 0;
        }
        for (int64_t p = 0; p < arguments->partition_count; p++) {
            const SinoBrickSums *part = &sums[p * arguments->stride + s];
            all[s].sum[SINO_SUM_SQUARE] += part->squared;
            all[s].sum[SINO_SUM_LIKELIHOOD] += part->log_likelihood;
            lost[s] += part->lost;
        }
    }
    return NULL;
}

static const SinoTaskKind sums_kind = {
    .name = "bricks_sums", .argument_bytes = sizeof(SumsArguments), .access_min = 3, .access_max = 3, .cpu = sums_cpu};

SinoStatus sino_insert_bricks_sums(SinoRuntime *runtime, SinoPosition position, int64_t stride, int64_t partition_count,
                                   bool add, SinoData *sums, SinoData *all, SinoData *lost)
{
    const SumsArguments arguments = {.stride = stride, .partition_count = partition_count, .add = add};
    const SinoAccessMode mode = add ? SINO_READ_WRITE : SINO_WRITE;
    const SinoAccess access[] = {{sums, SINO_READ}, {all, mode}, {lost, mode}};
    return sino_task_submit(runtime, &sums_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = 3,
                                               .work = (double)(stride * partition_count)});
}

/* ---- voxels ---- */

typedef struct VoxelArguments {
    SinoSlices slices;
    int64_t rows;
    bool masked;
} VoxelArguments;

static SinoStatus add_cpu(const SinoTask *task)
{
    const VoxelArguments *arguments = task->arguments;
    sino_voxels_add(sino_times(arguments->rows, arguments->slices.stride), sino_task_buffer(task, 0),
                    sino_task_buffer(task, 1));
    return NULL;
}

static SinoStatus mask_cpu(const SinoTask *task)
{
    const VoxelArguments *arguments = task->arguments;
    sino_voxels_mask(arguments->slices, arguments->rows, arguments->masked ? sino_task_buffer(task, 2) : NULL,
                     sino_task_buffer(task, 0), sino_task_buffer(task, 1));
    return NULL;
}

static const SinoTaskKind add_kind = {
    .name = "voxels_add", .argument_bytes = sizeof(VoxelArguments), .access_min = 2, .access_max = 2, .cpu = add_cpu};

static const SinoTaskKind mask_kind = {
    .name = "voxels_mask", .argument_bytes = sizeof(VoxelArguments), .access_min = 2, .access_max = 3, .cpu = mask_cpu};

static SinoStatus insert_voxels(SinoRuntime *runtime, const SinoTaskKind *kind, SinoPosition position,
                                const VoxelArguments *arguments, int access_count, const SinoAccess *access)
{
    return sino_task_submit(runtime, kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = arguments,
                                               .argument_bytes = sizeof *arguments,
                                               .access = access,
                                               .access_count = access_count,
                                               SINO_OF_SLICES(arguments->slices),
                                               .work = (double)sino_times(arguments->rows, arguments->slices.stride)});
}

SinoStatus sino_insert_voxels_add(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t rows,
                                  SinoData *from, SinoData *to)
{
    const VoxelArguments arguments = {.slices = slices, .rows = rows};
    const SinoAccess access[] = {{from, SINO_READ}, {to, SINO_READ_WRITE}};
    return insert_voxels(runtime, &add_kind, position, &arguments, 2, access);
}

SinoStatus sino_insert_voxels_mask(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t rows,
                                   SinoData *mask, SinoData *from, SinoData *to)
{
    const VoxelArguments arguments = {.slices = slices, .rows = rows, .masked = mask != NULL};
    const SinoAccess access[] = {{from, SINO_READ}, {to, SINO_WRITE}, {mask, SINO_READ}};
    return insert_voxels(runtime, &mask_kind, position, &arguments, mask ? 3 : 2, access);
}

static SinoStatus cut_cpu(const SinoTask *task)
{
    const SinoSegment *segment = task->arguments;
    const float *vector = sino_task_buffer(task, 0);
    memcpy(sino_task_buffer(task, 1), vector + segment->first, (size_t)segment->count * sizeof *vector);
    return NULL;
}

static SinoStatus paste_cpu(const SinoTask *task)
{
    const SinoSegment *segment = task->arguments;
    float *vector = sino_task_buffer(task, 1);
    memcpy(vector + segment->first, sino_task_buffer(task, 0), (size_t)segment->count * sizeof *vector);
    return NULL;
}

static const SinoTaskKind cut_kind = {
    .name = "voxels_cut", .argument_bytes = sizeof(SinoSegment), .access_min = 2, .access_max = 2, .cpu = cut_cpu};

static const SinoTaskKind paste_kind = {
    .name = "voxels_paste", .argument_bytes = sizeof(SinoSegment), .access_min = 2, .access_max = 2, .cpu = paste_cpu};

static SinoStatus insert_segment(SinoRuntime *runtime, const SinoTaskKind *kind, SinoPosition position,
                                 const SinoSegment *segment, const SinoAccess *access)
{
    return sino_task_submit(runtime, kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = segment,
                                               .argument_bytes = sizeof *segment,
                                               .access = access,
                                               .access_count = 2,
                                               .work = (double)segment->count});
}

SinoStatus sino_insert_voxels_cut(SinoRuntime *runtime, SinoPosition position, SinoSegment segment, SinoData *vector,
                                  SinoData *part)
{
    const SinoAccess access[] = {{vector, SINO_READ}, {part, SINO_WRITE}};
    return insert_segment(runtime, &cut_kind, position, &segment, access);
}

SinoStatus sino_insert_voxels_paste(SinoRuntime *runtime, SinoPosition position, SinoSegment segment, SinoData *part,
                                    SinoData *vector)
{
    const SinoAccess access[] = {{part, SINO_READ}, {vector, SINO_READ_WRITE}};
    return insert_segment(runtime, &paste_kind, position, &segment, access);
}

static SinoStatus image_cpu(const SinoTask *task)
{
    const SinoVoxelsImage *what = task->arguments;
    sino_voxels_image(what->order, what->slices, what->set, what->first, what->count, what->scale,
                      sino_task_buffer(task, 0), sino_task_buffer(task, 1));
    return NULL;
}

static const SinoTaskKind image_kind = {.name = "voxels_image",
                                        .argument_bytes = sizeof(SinoVoxelsImage),
                                        .access_min = 2,
                                        .access_max = 2,
                                        .cpu = image_cpu};

SinoStatus sino_insert_voxels_image(SinoRuntime *runtime, SinoPosition position, const SinoVoxelsImage *what,
                                    SinoData *voxels, SinoData *image)
{
    const SinoAccess access[] = {{voxels, SINO_READ}, {image, SINO_WRITE}};
    return sino_task_submit(runtime, &image_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = what,
                                               .argument_bytes = sizeof *what,
                                               .access = access,
                                               .access_count = 2,
                                               .work = (double)what->count});
}

/* ---- values from files ---- */

enum { VECTOR, VALUES, MORE }; /* data of the tasks that gather */

typedef struct GatherArguments {
    SinoGather gather;
    bool first;
    int r, n; /* numbers of the data; 0: none */
} GatherArguments;

static float *begin_vector(const SinoTask *task)
{
    const GatherArguments *arguments = task->arguments;
    float *vector = sino_task_buffer(task, VECTOR);
    const int64_t count = sino_times(arguments->gather.row_count, arguments->gather.slices.stride);
    if (arguments->first) memset(vector, 0, (size_t)count * sizeof *vector);
    return vector;
}

static SinoStatus gather_values_cpu(const SinoTask *task)
{
    const GatherArguments *arguments = task->arguments;
    sino_gather_values(&arguments->gather, sino_task_buffer(task, VALUES), begin_vector(task));
    return NULL;
}

static SinoStatus gather_integrals_cpu(const SinoTask *task)
{
    const GatherArguments *arguments = task->arguments;
    sino_gather_integrals(&arguments->gather, sino_task_buffer(task, VALUES),
                          arguments->r > 0 ? sino_task_buffer(task, arguments->r) : NULL,
                          arguments->n > 0 ? sino_task_buffer(task, arguments->n) : NULL, begin_vector(task));
    return NULL;
}

static const SinoTaskKind gather_values_kind = {.name = "gather_values",
                                                .argument_bytes = sizeof(GatherArguments),
                                                .access_min = MORE,
                                                .access_max = MORE,
                                                .cpu = gather_values_cpu};

static const SinoTaskKind gather_integrals_kind = {.name = "gather_integrals",
                                                   .argument_bytes = sizeof(GatherArguments),
                                                   .access_min = MORE,
                                                   .access_max = MORE + 2,
                                                   .cpu = gather_integrals_cpu};

static SinoStatus insert_gather(SinoRuntime *runtime, const SinoTaskKind *kind, SinoPosition position,
                                GatherArguments *arguments, SinoData *values, SinoData *r, SinoData *n,
                                SinoData *vector)
{
    SinoAccess access[MORE + 2] = {
        [VECTOR] = {vector, arguments->first ? SINO_WRITE : SINO_READ_WRITE}, [VALUES] = {values, SINO_READ}};
    int count = MORE;
    if (r) {
        arguments->r = count;
        access[count++] = (SinoAccess){r, SINO_READ};
    }
    if (n) {
        arguments->n = count;
        access[count++] = (SinoAccess){n, SINO_READ};
    }
    return sino_task_submit(runtime, kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = arguments,
                                               .argument_bytes = sizeof *arguments,
                                               .access = access,
                                               .access_count = count,
                                               .work = (double)arguments->gather.row_count});
}

SinoStatus sino_insert_gather_values(SinoRuntime *runtime, SinoPosition position, const SinoGather *gather, bool first,
                                     SinoData *values, SinoData *vector)
{
    GatherArguments arguments = {.gather = *gather, .first = first};
    return insert_gather(runtime, &gather_values_kind, position, &arguments, values, NULL, NULL, vector);
}

SinoStatus sino_insert_gather_integrals(SinoRuntime *runtime, SinoPosition position, const SinoGather *gather,
                                        bool first, SinoData *g, SinoData *r, SinoData *n, SinoData *vector)
{
    GatherArguments arguments = {.gather = *gather, .first = first};
    return insert_gather(runtime, &gather_integrals_kind, position, &arguments, g, r, n, vector);
}
