/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone streaming: how a cone-beam run divides its volume and its projections, and the bytes that this takes. */
#include "cone_streaming.h"

#include "arithmetic.h"
#include "filter_task.h"

#include <math.h>

enum { REAL = sizeof(float), WHOLE = sizeof(int64_t) };

SinoSpan sino_cone_slab(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t slab)
{
    const int64_t first = sino_times(slab, streaming->slab_slices);
    return (SinoSpan){first, sino_smaller(streaming->slab_slices, cone->z_count - first)};
}

/* The largest and the least row at which a plane of voxels is seen, from the nearest and the furthest voxel. */
static void extend_rows(const SinoCone *cone, double slice, double *least, double *most)
{
    const double reach = 0.5 * cone->voxel_size * hypot((double)cone->x_count, (double)cone->y_count);
    const double height = (slice - 0.5 * (double)(cone->z_count - 1)) * cone->voxel_size;
    const double depth[2] = {cone->source_object - reach, cone->source_object + reach};
    for (int i = 0; i < 2; i++) {
        const double row = cone->center_row + height * cone->source_detector / depth[i] / cone->pixel_height;
        *least = fmin(*least, row);
        *most = fmax(*most, row);
    }
}

SinoSpan sino_cone_rows(const SinoCone *cone, SinoSpan slices)
{
    const double last = (double)(cone->row_count - 1);
    double least = INFINITY, most = -INFINITY;
    extend_rows(cone, (double)slices.first, &least, &most);
    extend_rows(cone, (double)(slices.first + slices.count - 1), &least, &most);
    const double first = fmin(fmax(floor(least) - 1, 0), last), end = fmin(fmax(ceil(most) + 1, 0), last);
    return (SinoSpan){(int64_t)first, (int64_t)(end - first) + 1};
}

static int64_t groups(const SinoCone *cone, const SinoConeStreaming *streaming)
{
    return cone->angle_count / streaming->symmetry.turns;
}

/* Groups of all blocks but the last. */
static int64_t block_groups(const SinoConeStreaming *streaming)
{
    return SINO_BLOCK_PROJECTIONS / streaming->symmetry.turns;
}

int64_t sino_cone_block_count(const SinoCone *cone, const SinoConeStreaming *streaming)
{
    return sino_ceil_divide(groups(cone, streaming), block_groups(streaming));
}

/* The groups of a block. */
static SinoSpan groups_of(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t block)
{
    const int64_t first = sino_times(block, block_groups(streaming));
    return (SinoSpan){first, sino_smaller(block_groups(streaming), groups(cone, streaming) - first)};
}

int64_t sino_cone_piece_count(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t block)
{
    if (streaming->symmetry.turns > 1) return streaming->symmetry.turns;
    return sino_ceil_divide(groups_of(cone, streaming, block).count, SINO_PIECE_PROJECTIONS);
}

SinoSpan sino_cone_piece(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t block, int64_t piece)
{
    const SinoSpan of_block = groups_of(cone, streaming, block);
    if (streaming->symmetry.turns > 1)
        return (SinoSpan){piece * groups(cone, streaming) + of_block.first, of_block.count};
    const int64_t before = piece * SINO_PIECE_PROJECTIONS;
    return (SinoSpan){of_block.first + before, sino_smaller(SINO_PIECE_PROJECTIONS, of_block.count - before)};
}

SinoConeLines sino_cone_slab_lines(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t slab)
{
    const SinoSpan rows = sino_cone_rows(cone, sino_cone_slab(cone, streaming, slab));
    SinoConeLines lines = {.symmetry = streaming->symmetry,
                           .precision = streaming->precision,
                           .group_count = groups_of(cone, streaming, 0).count,
                           .column_count = cone->column_count};
    int64_t entries = rows.count;
    if (streaming->symmetry.halves == 2) {
        const double plane = sino_cone_plane_row(cone, streaming->symmetry);
        const int64_t above = rows.first + rows.count - (int64_t)floor(plane);
        entries = sino_larger(sino_larger(above, (int64_t)ceil(plane) - rows.first + 1), 1);
    } else {
        lines.first_row = rows.first;
    }
    lines.entry_count = sino_ceil_multiple(entries, SINO_CONE_ENTRIES);
    return lines;
}

/* Voxels of the longest runs of a slab. */
static int64_t run_voxels(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t slab)
{
    return sino_cone_slab(cone, streaming, slab).count / streaming->symmetry.halves;
}

/* Rows of base runs. */
static int64_t base_rows(const SinoCone *cone, const SinoConeStreaming *streaming)
{
    return streaming->symmetry.turns > 1 ? cone->y_count / 2 : cone->y_count;
}

int64_t sino_cone_chunk_count(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t slab)
{
    return sino_ceil_divide(run_voxels(cone, streaming, slab), streaming->part_voxels);
}

int64_t sino_cone_band_count(const SinoCone *cone, const SinoConeStreaming *streaming)
{
    return sino_ceil_divide(base_rows(cone, streaming), streaming->band_rows);
}

SinoConePart sino_cone_part(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t slab, int64_t chunk,
                            int64_t band)
{
    const int64_t in_run = sino_times(chunk, streaming->part_voxels), first_y = sino_times(band, streaming->band_rows);
    const int64_t outwards = streaming->symmetry.halves == 2 ? 0 : sino_cone_slab(cone, streaming, slab).first;
    return (SinoConePart){.first_y = first_y,
                          .x_count = streaming->symmetry.turns > 1 ? cone->x_count / 2 : cone->x_count,
                          .y_count = sino_smaller(streaming->band_rows, base_rows(cone, streaming) - first_y),
                          .first = outwards + in_run,
                          .voxel_count =
                              sino_smaller(streaming->part_voxels, run_voxels(cone, streaming, slab) - in_run)};
}

/* Bytes of a slab's parts. */
static int64_t part_bytes(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t slab)
{
    int64_t voxels = 0;
    for (int64_t c = 0; c < sino_cone_chunk_count(cone, streaming, slab); c++)
        for (int64_t b = 0; b < sino_cone_band_count(cone, streaming); b++) {
            const SinoConePart part = sino_cone_part(cone, streaming, slab, c, b);
            voxels += sino_cone_part_voxels(&part, streaming->symmetry);
        }
    return sino_times(voxels, REAL);
}

/* Most rows that a slab needs. */
static int64_t most_rows(const SinoCone *cone, const SinoConeStreaming *streaming)
{
    int64_t most = 0;
    for (int64_t s = 0; s < streaming->slab_count; s++)
        most = sino_larger(most, sino_cone_rows(cone, sino_cone_slab(cone, streaming, s)).count);
    return most;
}

/* Bytes of the lines of all pieces of the largest block. */
static int64_t line_bytes(const SinoCone *cone, const SinoConeStreaming *streaming)
{
    int64_t most = 0;
    for (int64_t s = 0; s < streaming->slab_count; s++) {
        const SinoConeLines lines = sino_cone_slab_lines(cone, streaming, s);
        const int64_t pieces = sino_cone_piece_count(cone, streaming, 0);
        const int64_t bytes = sino_lines_bytes(&lines, sino_cone_piece(cone, streaming, 0, 0).count);
        most = sino_larger(most, sino_times(pieces, bytes));
    }
    return most;
}

/* Work memory of a worker's largest task. */
static int64_t scratch_bytes(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t rows)
{
    const SinoConeLines lines = sino_cone_slab_lines(cone, streaming, 0);
    const SinoConePart part = sino_cone_part(cone, streaming, 0, 0, 0);
    const int64_t backproject = sino_cone_scratch_bytes(&lines, &part);
    const int64_t filter = sino_times(64 * 4, sino_times(cone->column_count, REAL)); /* padded rows of a panel */
    const int64_t correct =
        sino_times(sino_times(2, rows), sino_times(cone->column_count + 32, (int64_t)sizeof(double)));
    return backproject + filter + correct;
}

SinoConeBytes sino_cone_bytes(const SinoCone *cone, const SinoInput *input, const SinoConeStreaming *streaming,
                              int64_t worker_count)
{
    enum { FIELDS = 2, FIELD_SETS = 2 };
    const int64_t rows = most_rows(cone, streaming), angles = SINO_PIECE_PROJECTIONS;
    const int64_t stride = sino_panel_stride(SINO_SINGLE, rows), columns = cone->column_count;
    const int64_t sinogram = sino_times(sino_times(angles, columns), sino_times(stride, REAL));
    const int64_t counts = sino_input_slab_bytes(input, angles, rows), field = sino_input_field_bytes(input, rows);
    const int64_t image =
        sino_times(sino_times(streaming->image_slices, cone->y_count), sino_times(cone->x_count, REAL));
    const int64_t field_sets = sino_smaller(FIELD_SETS, streaming->slab_count);
    SinoConeBytes bytes = {
        .parts = part_bytes(cone, streaming, 0),
        .pieces = sino_times(streaming->piece_sets, counts + sinogram + (rows + angles + columns) * WHOLE) +
                  sino_times(field_sets * FIELDS, field),
        .lines = sino_times(streaming->block_sets, line_bytes(cone, streaming)),
        .images = sino_times(streaming->image_sets, image),
        .weights = sino_times(sino_times(cone->angle_count, columns), (int64_t)(sizeof(double) + sizeof(float))),
        .scratch = sino_times(worker_count, scratch_bytes(cone, streaming, rows))};
    bytes.data = bytes.parts + bytes.pieces + bytes.lines + bytes.images;
    bytes.total = bytes.data + bytes.weights + bytes.scratch;
    return bytes;
}
