/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone model: the time of a cone-beam reconstruction on R × C ranks (P. Chen et al., SC 2019). */
#include "cone_model.h"

#include "memory.h"

#include <inttypes.h>
#include <math.h>

static const double giga = 1e9;

/* AIST's ABCI: nodes of four V100 of 16 GB on two PCIe switches, two InfiniBand EDR adapters, files on GPFS. Given in
 * the paper: Sec. 5.3.3 store 28.5 GB/s, one PCIe link 11.9 GB/s, 0.29 s to transpose 8 GiB, 2.6 s to copy 32 GiB from
 * the devices of a node (two links would take 1.4 s), 2.7 s to reduce 8 GiB; Table 4 198.7·2³⁰ updates per second of
 * 2048² pixels into 8 GiB of voxels; Listing 1 has the 32 threads of a warp along z. Not given, and fitted to Table 5:
 * load and filter (1.4 s on 8 nodes and 0.8 s on 16 are 0.2 s of load and 1.2 s or 0.6 s of filter), link and copy. */
const SinoConeMachine sino_cone_abci = {.ranks_per_node = 4,
                                        .memory_bytes = (int64_t)16 << 30,
                                        .run_voxels = 32,
                                        .load_gbps = 340,
                                        .store_gbps = 28.5,
                                        .filter_gpixels = 1.8,
                                        .link_gbps = 8.4,
                                        .copy_gbps = 8.9,
                                        .to_device_gbps = 2 * 11.9,
                                        .backproject_gups = 198.7 * 0x1p30 / 1e9,
                                        .transpose_gbps = 0x1p33 / 0.29 / 1e9,
                                        .from_device_gbps = 0x1p35 / 2.6 / 1e9,
                                        .reduce_gbps = 0x1p33 / 2.7 / 1e9};

const SinoConePublished sino_cone_published[SINO_CONE_PUBLISHED_COUNT] = {
    {4096, 32, 32, 1.4, 31.4, 54.8, 70.2, 1.2},  {4096, 64, 32, 0.8, 20.7, 27.5, 35.6, 1.4},
    {4096, 128, 32, 0, 15.2, 14.0, 18.9, 1.6},   {4096, 256, 32, 0, 7.4, 7.0, 10.2, 1.5},
    {8192, 256, 256, 0, 46.9, 83.0, 101.3, 1.3}, {8192, 512, 256, 0, 26.9, 41.5, 53.1, 1.3},
    {8192, 1024, 256, 0, 17.0, 20.8, 29.7, 1.3}, {8192, 2048, 256, 0, 8.6, 10.4, 17.2, 1.2}};

SinoConeProblem sino_cone_published_problem(const SinoConePublished *row)
{
    return (SinoConeProblem){.column_count = 2048,
                             .row_count = 2048,
                             .angle_count = 4096,
                             .x_count = row->size,
                             .y_count = row->size,
                             .z_count = row->size,
                             .sample_bytes = sizeof(float),
                             .block_angles = 32};
}

SinoConeMachine sino_cone_machine_of(const SinoMachine *machine, int64_t ranks_per_node,
                                     const SinoConeKernelRates *kernels)
{
    const double ranks = (double)ranks_per_node, workers = (double)sino_larger(machine->worker_count, 1);
    const bool on_devices = machine->devices.count > 0 && machine->devices.bytes > 0;
    const double memory_gbps = machine->rates.memory_gbps * workers; /* a copy reads and writes */
    return (SinoConeMachine){.ranks_per_node = ranks_per_node,
                             .memory_bytes = on_devices ? sino_times(machine->devices.count, machine->devices.bytes)
                                                        : machine->memory_bytes,
                             .run_voxels = on_devices ? 32 : 16,
                             .load_gbps = machine->rates.file_gbps,
                             .store_gbps = machine->rates.file_gbps,
                             .filter_gpixels = kernels->filter_gpixels * ranks,
                             .link_gbps = machine->rates.link_gbps * ranks,
                             .copy_gbps = memory_gbps / 2 * ranks,
                             .to_device_gbps = kernels->device_gbps * ranks,
                             .backproject_gups = kernels->backproject_gups,
                             .transpose_gbps = memory_gbps / 2,
                             .from_device_gbps = kernels->device_gbps * ranks,
                             .reduce_gbps = machine->rates.link_gbps};
}

static int64_t voxel_bytes(const SinoConeProblem *problem)
{
    return sino_times(sino_times(problem->x_count, problem->y_count), sino_times(problem->z_count, sizeof(float)));
}

int64_t sino_cone_block_bytes(const SinoConeProblem *problem)
{
    return sino_times(sino_times(problem->column_count, problem->row_count),
                      sino_times(problem->block_angles, problem->sample_bytes));
}

int64_t sino_cone_part_bytes(const SinoConeProblem *problem, SinoConeGrid grid)
{
    return sino_ceil_divide(voxel_bytes(problem), grid.rows);
}

SinoStatus sino_cone_grid_choose(const SinoConeMachine *machine, const SinoConeProblem *problem, int64_t rank_count,
                                 SinoConeGrid *grid)
{
    const int64_t volume = voxel_bytes(problem), block = sino_cone_block_bytes(problem);
    char has[24], needs[24];
    int64_t rows = 1;
    while (rows < problem->z_count && sino_ceil_divide(volume, rows) > machine->memory_bytes - block) rows *= 2;
    SINO_CHECK(sino_ceil_divide(volume, rows) <= machine->memory_bytes - block, SINO_BAD_INPUT,
               "a rank has %s of memory; allowed: %s or more, for a slice and a block of %" PRId64 " projections",
               sino_bytes_text(machine->memory_bytes, has),
               sino_bytes_text(block + sino_ceil_divide(volume, rows), needs), problem->block_angles);
    SINO_CHECK(rank_count >= rows, SINO_BAD_INPUT,
               "%" PRId64 " ranks with %s of memory each, and a volume of %s; allowed: %" PRId64 " ranks or more",
               rank_count, sino_bytes_text(machine->memory_bytes, has), sino_bytes_text(volume, needs), rows);
    const int64_t most = sino_larger(problem->angle_count / rows, 1);
    *grid = (SinoConeGrid){rows, sino_smaller(rank_count / rows, most)};
    return NULL;
}

static double seconds(double amount, double rate)
{
    return rate > 0 ? amount / (rate * giga) : 0;
}

/* Voxel updates of a rank for one projection. */
static double updates(const SinoConeMachine *machine, const SinoConeProblem *problem, int64_t rows)
{
    const int64_t half = sino_ceil_divide(problem->z_count, sino_times(2, rows));
    const int64_t run = sino_ceil_multiple(half, sino_larger(machine->run_voxels, 1));
    return 2 * (double)problem->x_count * (double)problem->y_count * (double)run;
}

/* Time to receive `bytes` at each rank. */
static double gather_seconds(const SinoConeMachine *machine, SinoConeGrid grid, double bytes)
{
    const int64_t ranks = sino_times(grid.rows, grid.columns);
    const int64_t sharing = sino_smaller(machine->ranks_per_node, ranks); /* ranks of a node */
    const double columns = (double)sino_smaller(grid.columns, sharing);   /* of the grid that share a node */
    const double outside = ranks > sharing ? seconds(columns * bytes, machine->link_gbps) : 0;
    return outside + seconds((double)sharing * bytes, machine->copy_gbps);
}

SinoConeTimes sino_cone_times(const SinoConeMachine *machine, const SinoConeProblem *problem, SinoConeGrid grid)
{
    const int64_t ranks = sino_times(grid.rows, grid.columns);
    const double sharing = (double)sino_smaller(machine->ranks_per_node, ranks), nodes = (double)ranks / sharing;
    const double rows = (double)grid.rows, angles = (double)problem->angle_count / (double)grid.columns;
    const double pixels = (double)problem->column_count * (double)problem->row_count;
    const double passes = (double)sino_larger(problem->passes, 1);
    const double scan = pixels * (double)problem->angle_count, volume = (double)voxel_bytes(problem);
    const double samples = pixels * angles * (double)problem->sample_bytes; /* of a column of ranks */
    SinoConeTimes times = {
        .load = seconds(passes * scan * sizeof(float), machine->load_gbps),
        .filter = seconds(passes * scan / nodes, machine->filter_gpixels),
        .gather_bytes = samples * (rows - 1) / rows,
        .to_device = seconds(sharing * samples, machine->to_device_gbps),
        .transpose = seconds(volume / rows, machine->transpose_gbps),
        .from_device = seconds(sharing * volume / rows, machine->from_device_gbps),
        .reduce_bytes = grid.columns > 1 ? volume / rows : 0,
        .store = seconds(volume, machine->store_gbps),
    };
    times.gather = gather_seconds(machine, grid, times.gather_bytes);
    times.backproject =
        times.to_device + seconds(angles * updates(machine, problem, grid.rows), machine->backproject_gups);
    times.compute = fmax(fmax(times.load, times.filter), fmax(times.gather, times.backproject));
    times.overlap = (times.load + times.filter + times.gather + times.backproject) / times.compute;
    times.reduce = seconds(times.reduce_bytes, machine->reduce_gbps);
    times.run = times.compute + times.transpose + times.from_device + times.reduce + times.store;
    times.gups = volume / sizeof(float) * (double)problem->angle_count / times.run / giga;
    return times;
}
