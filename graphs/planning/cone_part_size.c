/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone part size: how large the parts of a cone-beam run are, for the cores and devices that compute. */
#include "cone_model.h"

#include "amounts.h"
#include "memory.h"

#include <inttypes.h>

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
