/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone model: the time of a cone-beam reconstruction on R × C ranks (P. Chen et al., SC 2019). */
#include "cone_model.h"

#include "amounts.h"
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

/* Cone part size: how large the parts of a cone-beam run are, for the cores and devices that compute. */

enum {
    PART_VOXELS = 128,    /* lines of longer parts leave the first-level cache of a core */
    BAND_ROWS = 16,       /* base runs whose lines stay in its second-level cache */
    PARTS_PER_WORKER = 4, /* parts at least, so that no worker waits for another's part */
    BANDS_OF_SUMS = 16,   /* bands at least where ranks add up voxels: the last one's messages overlap nothing */
    DEVICE_ROWS = 8,      /* of a block of threads (cone_cuda.cu) */
    PARTS_PER_DEVICE = 2  /* parts at least: the data of one are copied while the other is computed */
};

/* Updates of a task on a device: 1 to 4 ms of a GPU of today, where a launch takes 10 μs. */
static const int64_t device_updates = 2000000000;

/* Rows of base runs. */
static int64_t base_rows(const SinoCone *cone, const SinoConeStreaming *streaming)
{
    return cone->y_count / (streaming->symmetry.turns > 1 ? 2 : 1);
}

/* Rows of a band for cores; every chunk has at least `bands` of them. */
static int64_t rows_for_cores(int64_t rows, int64_t bands)
{
    return sino_larger(1, sino_smaller(BAND_ROWS, rows / bands));
}

/* `rows` rounded down to whole blocks of threads, at least one. */
static int64_t whole_blocks(int64_t rows)
{
    return sino_larger(rows / DEVICE_ROWS, 1) * DEVICE_ROWS;
}

/* The share of the first row of ranks that has most. */
static SinoSpan largest_share(const SinoCone *cone, const SinoConeStreaming *streaming)
{
    SinoSpan largest = {0};
    for (int64_t r = 0; r < streaming->grid_rows; r++) {
        const SinoSpan share = sino_cone_largest_share(cone, streaming, r);
        if (share.count > largest.count) largest = share;
    }
    return largest;
}

/* Voxels of a band of one row of the largest share. */
static int64_t voxels_of_row(const SinoCone *cone, const SinoConeStreaming *streaming)
{
    SinoConeStreaming rows = *streaming;
    rows.band_rows = 1;
    const SinoConePart part = sino_cone_part(cone, &rows, largest_share(cone, &rows), 0, 0);
    return sino_cone_part_voxels(&part, rows.symmetry);
}

static int64_t rows_for_devices(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t rows, int64_t bands)
{
    const int64_t updates = sino_times(voxels_of_row(cone, streaming), SINO_BLOCK_PROJECTIONS);
    const int64_t wanted = device_updates / sino_larger(updates, 1);
    return sino_smaller(whole_blocks(sino_smaller(wanted, rows / bands)), sino_larger(rows, 1));
}

static int64_t part_bytes(const SinoCone *cone, const SinoConeStreaming *streaming, SinoSpan share)
{
    const SinoConePart part = sino_cone_part(cone, streaming, share, 0, 0);
    return sino_times(sino_cone_part_voxels(&part, streaming->symmetry), sizeof(float));
}

static bool fits(const SinoDeviceRoom *room, const SinoConeDeviceNeed *need)
{
    return room->bytes == 0 || sino_device_room_of_tasks(room, 0, need->task) <= room->bytes;
}

static int64_t task_bytes(const SinoConeDeviceNeed *need)
{
    return sino_larger(need->part + sino_larger(need->lines, need->image), need->sinogram + need->piece);
}

/* Makes bands smaller until two tasks fit a device, or bands have one row. Only parts get smaller. */
static void suit_devices(const SinoCone *cone, const SinoMachine *machine, SinoConeStreaming *streaming)
{
    if (machine->devices.count == 0) return;
    SinoConeDeviceNeed need = sino_cone_device_need(cone, streaming);
    const SinoSpan share = largest_share(cone, streaming);
    while (streaming->band_rows > 1 && !fits(&machine->devices, &need)) {
        const int64_t half = streaming->band_rows / 2;
        streaming->band_rows = half > DEVICE_ROWS ? whole_blocks(half) : half;
        need.part = part_bytes(cone, streaming, share);
        need.task = task_bytes(&need);
    }
}

void sino_cone_part_size(const SinoCone *cone, const SinoMachine *machine, SinoConeStreaming *streaming)
{
    const int64_t devices = machine->devices.count, rows = base_rows(cone, streaming);
    const int64_t parts = devices > 0 ? sino_times(PARTS_PER_DEVICE, devices)
                                      : sino_times(PARTS_PER_WORKER, sino_larger(machine->worker_count, 1));
    /* Each column of ranks stores chunks of its own. */
    const int64_t share = sino_ceil_divide(streaming->slab_slices / streaming->symmetry.halves, streaming->grid_rows);
    streaming->part_voxels = sino_smaller(
        PART_VOXELS, sino_ceil_multiple(sino_ceil_divide(share, streaming->grid_columns), streaming->image_slices));
    const int64_t chunks =
        sino_larger(1, sino_cone_chunk_count(streaming, sino_cone_largest_share(cone, streaming, 0)));
    const int64_t bands = sino_larger(sino_ceil_divide(parts, chunks), streaming->grid_columns > 1 ? BANDS_OF_SUMS : 1);
    streaming->band_rows = devices > 0 ? rows_for_devices(cone, streaming, rows, bands) : rows_for_cores(rows, bands);
    suit_devices(cone, machine, streaming);
}

SinoConeDeviceNeed sino_cone_device_need(const SinoCone *cone, const SinoConeStreaming *streaming)
{
    const int64_t real = sizeof(float), pieces = sino_cone_piece_count(cone, streaming, 0);
    int64_t piece = 0, rows = 0;
    for (int64_t r = 0; r < streaming->grid_rows; r++)
        piece = sino_larger(piece, sino_cone_piece_bytes(cone, streaming, r));
    for (int64_t s = 0; s < streaming->slab_count; s++)
        rows = sino_larger(rows, sino_cone_rows(cone, sino_cone_slab(cone, streaming, s)).count);
    SinoConeDeviceNeed need = {
        .part = part_bytes(cone, streaming, largest_share(cone, streaming)),
        .piece = piece,
        .lines = sino_times(pieces, piece),
        .image = sino_times(sino_times(streaming->image_slices, cone->y_count), sino_times(cone->x_count, real)),
        .sinogram = sino_times(sino_times(SINO_PIECE_PROJECTIONS, cone->column_count),
                               sino_times(sino_panel_stride(SINO_SINGLE, rows), real)) +
                    sino_cone_weighed_bytes(cone, rows)};
    need.task = task_bytes(&need);
    return need;
}

bool sino_cone_fits_devices(const SinoCone *cone, const SinoMachine *machine, const SinoConeStreaming *streaming)
{
    if (machine->devices.count == 0) return true;
    const SinoConeDeviceNeed need = sino_cone_device_need(cone, streaming);
    return fits(&machine->devices, &need);
}

SinoStatus sino_cone_device_too_small(const SinoCone *cone, const SinoMachine *machine,
                                      const SinoConeStreaming *streaming)
{
    const SinoDeviceRoom *room = &machine->devices;
    const SinoConeDeviceNeed need = sino_cone_device_need(cone, streaming);
    char parts[320], part[24], lines[24], image[24], sinogram[24];
    snprintf(parts, sizeof parts,
             "a part of the volume, rows: %" PRId64 ", voxels along z: %" PRId64
             ", %s; a block of lines %s, an image %s, a sinogram %s",
             streaming->band_rows, streaming->part_voxels, sino_bytes_text(need.part, part),
             sino_bytes_text(need.lines, lines), sino_bytes_text(need.image, image),
             sino_bytes_text(need.sinogram, sinogram));
    return sino_plan_too_small(room, 0, need.task, parts,
                               "--device cpu, a device with more memory, or a smaller --volume");
}
