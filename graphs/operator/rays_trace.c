/* SPDX-License-Identifier: BSD-3-Clause */
/* Rays, tracing: runs of tiles become sections in the blocks of their partitions.
 *
 * A core traces a run in one pass, in memory of its own, and appends it to the block. A GPU can only write to memory
 * whose size is known before. If GPUs compute there are therefore two passes: tasks find the sizes of all sections,
 * each run gets its place in the block, and tasks on any GPU or core fill data over these places. */
#include "memory.h"
#include "rays_private.h"
#include "rays_tasks.h"
#include "simulation.h"

#include <stdlib.h>
#include <string.h>

enum {
    RUNS_PER_WORKER = 8,     /* so that no worker waits long for the last run */
    SECTIONS_AT_ONCE = 4096, /* several times as many as a GPU has thread blocks running */
    RUNS_ON_DEVICE = 8       /* runs being filled, waiting and being copied back share the GPU's memory */
};

static bool gpus_trace(const SinoRuntime *runtime)
{
    return !SINO_SIMULATES && (sino_runtime_devices(runtime) & SINO_DEVICE_CUDA);
}

/* Tiles of a run: enough to keep a GPU busy, but so few that RUNS_ON_DEVICE runs fit it. */
static int64_t device_run_tiles(const SinoRuntime *runtime, const SinoRays *op, int64_t tile_count,
                                const SinoTilePlace *tile)
{
    const int64_t bytes = sino_runtime_device_bytes(runtime), small = SINO_SMALL_DATA_BYTES;
    const int64_t share = (bytes - sino_runtime_device_held(runtime, bytes)) / RUNS_ON_DEVICE;
    const int64_t run_bytes = share > small ? share : sino_smaller(small, bytes / RUNS_ON_DEVICE);
    const int64_t busy = SECTIONS_AT_ONCE / sino_trace_sections(&op->layout, 0, 1, tile, NULL) + 1;
    int64_t most_bytes = 0;
    for (int64_t p = 0; p < op->partition_count; p++) most_bytes += sino_rays_most_bytes(op, p);
    return bytes > 0 ? sino_smaller(busy, run_bytes / (most_bytes / tile_count + 1) + 1) : busy;
}

int64_t sino_rays_run_tiles(const SinoRuntime *runtime, const SinoRays *op)
{
    const int64_t *first = op->decomposition.first + op->first_partition;
    const int64_t tile_count = first[op->partition_count] - first[0];
    const int64_t ranks = op->ring.count > 1 ? op->ring.count : 1;
    const int64_t tiles = tile_count / sino_times(RUNS_PER_WORKER * ranks, sino_runtime_worker_count(runtime)) + 1;
    if (!gpus_trace(runtime) || tile_count == 0) return tiles;
    return sino_smaller(tiles, device_run_tiles(runtime, op, tile_count, op->decomposition.tile + first[0]));
}

static SinoStatus trace_at_once(SinoRuntime *runtime, int64_t run_count, SinoRaysRun *run)
{
    SinoStatus status = NULL;
    for (int64_t r = 0; r < run_count && !status; r++)
        status = sino_insert_trace(runtime, run[r].partition, &run[r].pack);
    /* The tasks in flight write to the runs, which the caller frees after a failure. */
    return sino_runtime_wait_after(runtime, status);
}

/* Data of the runs during the two passes. */
typedef struct Passes {
    SinoRuntime *runtime;
    int64_t run_count;
    SinoRaysRun *run;
    SinoTraceTables *tables; /* [run]; owned, with their sections and sizes */
    SinoData **bytes;        /* [run]: data over the run's place in its block; NULL: the run has no ray; owned */
    SinoData *angles;        /* owned */
} Passes;

static SinoStatus list_angles(Passes *passes, const SinoLayout *layout)
{
    void *angle;
    SINO_TRY(sino_data_vector(passes->runtime, "angles", layout->geometry.angle_count, 1, sizeof(SinoTraceAngle),
                              &passes->angles));
    SINO_TRY(sino_data_acquire(passes->angles, SINO_WRITE, &angle));
    sino_trace_angles(layout, angle);
    sino_data_release(passes->angles);
    return NULL;
}

static SinoStatus list_sections(Passes *passes, int64_t r)
{
    const SinoPackRun *run = &passes->run[r].pack;
    SinoTraceTables *tables = &passes->tables[r];
    const int64_t count = sino_trace_sections(run->layout, run->first_tile, run->tile_count, run->tile, NULL);
    void *section;
    *tables = (SinoTraceTables){.layout = run->layout, .section_count = count, .angles = passes->angles};
    SINO_TRY(sino_data_vector(passes->runtime, "sections", count, 1, sizeof(SinoTraceSection), &tables->sections));
    SINO_TRY(sino_data_vector(passes->runtime, "sizes", count + 1, 1, sizeof(SinoTraceSize), &tables->sizes));
    SINO_TRY(sino_data_acquire(tables->sections, SINO_WRITE, &section));
    sino_trace_sections(run->layout, run->first_tile, run->tile_count, run->tile, section);
    sino_data_release(tables->sections);
    return NULL;
}

static SinoStatus insert_measuring(Passes *passes)
{
    for (int64_t r = 0; r < passes->run_count; r++) {
        SINO_TRY(list_sections(passes, r));
        SINO_TRY(sino_insert_trace_measure(passes->runtime, passes->run[r].partition, &passes->tables[r]));
    }
    return NULL;
}

static SinoStatus place_run(Passes *passes, int64_t r)
{
    const SinoTraceTables *tables = &passes->tables[r];
    void *size;
    SINO_TRY(sino_data_acquire(tables->sizes, SINO_READ, &size));
    SinoStatus status = sino_pack_place(&passes->run[r].pack, sino_data_memory(tables->sections), size);
    sino_data_release(tables->sizes);
    return status;
}

/* Bytes of all pieces of a run, which are consecutive. */
static int64_t run_bytes(const SinoPackRun *run)
{
    const SinoBlockPiece *last = &run->piece[sino_pack_piece_count(run->tile_count, run->tile) - 1];
    return last->offset + last->bytes - run->piece[0].offset;
}

static SinoStatus insert_touching(Passes *passes)
{
    for (int64_t r = 0; r < passes->run_count; r++) {
        const SinoPackRun *run = &passes->run[r].pack;
        SINO_TRY(sino_insert_touch(passes->runtime, passes->run[r].partition, run->area->block + run->piece[0].offset,
                                   run_bytes(run)));
    }
    return NULL;
}

static SinoStatus insert_filling(Passes *passes)
{
    for (int64_t r = 0; r < passes->run_count; r++) {
        const int64_t partition = passes->run[r].partition;
        const SinoPackRun *run = &passes->run[r].pack;
        const int64_t size = run_bytes(run);
        SinoData **bytes = &passes->bytes[r];
        if (size == 0) continue;
        SINO_TRY(sino_data_borrow(passes->runtime, "A", run->area->block + run->piece[0].offset, size, bytes));
        SINO_TRY(sino_insert_trace_fill(passes->runtime, partition, &passes->tables[r], *bytes));
        if (run->touched)
            SINO_TRY(
                sino_insert_trace_mark(passes->runtime, partition, run->layout->precision, size, *bytes, run->touched));
        sino_data_return(*bytes);
    }
    return NULL;
}

/* Returns the runs' bytes to their blocks. A device copies whole cache lines, so the bytes after a run's end up to the
 * line's end are cleared. */
static void collect_runs(Passes *passes)
{
    for (int64_t r = 0; r < passes->run_count; r++) {
        const SinoPackRun *run = &passes->run[r].pack;
        if (!passes->bytes[r]) continue;
        sino_data_free(passes->bytes[r]);
        passes->bytes[r] = NULL;
        const int64_t end = run->piece[0].offset + run_bytes(run);
        memset(run->area->block + end, 0, (size_t)(sino_block_align(end, SINO_ALIGNMENT_BYTES) - end));
    }
}

/* Pins, or unpins, the used part of each block; runs of one block are consecutive. */
static void pin_blocks(const Passes *passes, bool pin)
{
    for (int64_t r = 0; r < passes->run_count; r++) {
        const SinoPackArea *area = passes->run[r].pack.area;
        if (r > 0 && area == passes->run[r - 1].pack.area) continue;
        if (pin)
            sino_data_pin(passes->runtime, area->block, area->used);
        else
            sino_data_unpin(area->block, area->used);
    }
}

/* Fills the runs. Pinning memory would touch its pages one by one, so all cores touch them first. */
static SinoStatus fill_runs(Passes *passes)
{
    SINO_TRY(sino_runtime_wait_after(passes->runtime, insert_touching(passes)));
    pin_blocks(passes, true);
    SinoStatus status = sino_runtime_wait_after(passes->runtime, insert_filling(passes));
    collect_runs(passes);
    if (status) pin_blocks(passes, false);
    return status;
}

static void free_passes(Passes *passes)
{
    for (int64_t r = 0; passes->tables && r < passes->run_count; r++) {
        sino_data_free(passes->tables[r].sections);
        sino_data_free(passes->tables[r].sizes);
    }
    sino_data_free(passes->angles);
    free(passes->tables);
    free(passes->bytes);
}

static SinoStatus trace_in_two_passes(SinoRuntime *runtime, const SinoLayout *layout, int64_t run_count,
                                      SinoRaysRun *run)
{
    SinoStatus status = NULL;
    Passes passes = {.runtime = runtime, .run_count = run_count, .run = run};
    SINO_TRY_OR(status, cleanup, sino_allocate(run_count, sizeof *passes.tables, "runs of tiles", &passes.tables));
    SINO_TRY_OR(status, cleanup, sino_allocate(run_count, sizeof *passes.bytes, "runs of tiles", &passes.bytes));
    SINO_TRY_OR(status, cleanup, list_angles(&passes, layout));
    SINO_TRY_OR(status, cleanup, sino_runtime_wait_after(runtime, insert_measuring(&passes)));
    for (int64_t r = 0; r < run_count; r++) SINO_TRY_OR(status, cleanup, place_run(&passes, r));
    status = fill_runs(&passes);
cleanup:
    free_passes(&passes);
    return status;
}

SinoStatus sino_rays_trace(SinoRuntime *runtime, const SinoLayout *layout, int64_t run_count, SinoRaysRun *run,
                           bool *pinned)
{
    if (!gpus_trace(runtime)) return trace_at_once(runtime, run_count, run);
    SINO_TRY(trace_in_two_passes(runtime, layout, run_count, run));
    *pinned = true;
    return NULL;
}
