/* SPDX-License-Identifier: BSD-3-Clause */
/* Task detail: finds the contrast that a prior has flattened in slices. */
#include "solvers_tasks.h"

#include "arithmetic.h"
#include "task.h"

typedef struct Detail {
    SinoOperandList g, m, x, u; /* [partition] */
    SinoOperand scratch, table; /* table: for devices the table of tiles */
    SinoVariation tiles;
    SinoDetailSlices slices;
    double share;
} Detail;

static SinoStatus detail_cpu(const SinoTask *task)
{
    const Detail *of = task->arguments;
    sino_detail(&of->tiles, of->slices, of->share, of->g.read, of->m.read, of->x.read, of->scratch.at, of->u.at);
    return NULL;
}

static SinoStatus detail_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Detail *of = task->arguments;
    SinoVariation tiles = of->tiles;
    tiles.tile = of->table.at;
    return sino_detail_cuda(stream, &tiles, of->slices, of->share, of->g.read, of->m.read, of->x.read, of->scratch.at,
                            of->u.at);
}

static const SinoTaskKind detail_kind = {
    .name = "detail",
    SINO_ARGUMENTS(Detail, SINO_USES(Detail, scratch), SINO_MAY_READ(Detail, table), SINO_READS_EACH(Detail, g),
                   SINO_READS_EACH(Detail, m), SINO_READS_EACH(Detail, x), SINO_WRITES_EACH(Detail, u)),
    SINO_CPU_CUDA(detail)};

SinoStatus sino_insert_detail(SinoRuntime *runtime, SinoPosition position, const SinoDetailTask *task)
{
    enum { VECTORS = 4 };
    const int64_t parts = task->tiles.part_count;
    const SinoTileTables tables =
        sino_tile_tables_choose(runtime, &task->tiles, task->tables, VECTORS, sino_detail_bytes(task->tiles.grid_size));
    const double voxels = (double)(task->tiles.first_tile[parts] * SINO_TILE_VOXELS);
    const int64_t count = task->tiles.slices.slice_count, step = task->slices.step;
    const Detail arguments = {.g = {.data = task->g, .count = parts},
                              .m = {.data = task->m, .count = parts},
                              .x = {.data = task->x, .count = parts},
                              .u = {.data = task->u, .count = parts},
                              .scratch.data = task->scratch,
                              .table.data = tables.tiles,
                              .tiles = task->tiles,
                              .slices = task->slices,
                              .share = task->share};
    return SINO_SUBMIT(runtime, &detail_kind, position, &arguments, SINO_OF_SLICES(task->tiles.slices),
                       .work = voxels * (double)task->tiles.slices.stride / (double)step,
                       .effort =
                           SINO_DETAIL_FLOPS * voxels * (double)sino_ceil_divide(count - task->slices.first, step),
                       .host = !tables.tiles);
}
