/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone streaming: how a cone-beam run divides its volume and its projections, and the bytes that this takes. */
#include "cone_streaming.h"

#include "arithmetic.h"
#include "cone_pieces.h"
#include "stages.h"

#include <math.h>

enum { REAL = sizeof(float) };

SinoSpan sino_cone_slab(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t slab)
{
    const int64_t first = sino_times(slab, streaming->slab_slices);
    return (SinoSpan){first, sino_smaller(streaming->slab_slices, cone->z_count - first)};
}

/* The largest and the least row at which a plane of voxels is seen, from the nearest and the furthest voxel. */
static void extend_rows(const SinoCone *cone, double slice, double *least, double *most)
{
    const double reach = sino_cone_radius(cone);
    const double height = (slice - sino_cone_plane_slice(cone)) * cone->voxel_size;
    const double depth[2] = {cone->source_object - reach, cone->source_object + reach};
    for (int i = 0; i < 2; i++) {
        const double row =
            cone->center_row +
            (cone->fans ? height / cone->voxel_size : height * cone->source_detector / depth[i] / cone->pixel_height);
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
        return (SinoSpan){sino_times(piece, groups(cone, streaming)) + of_block.first, of_block.count};
    const int64_t before = piece * SINO_PIECE_PROJECTIONS;
    return (SinoSpan){of_block.first + before, sino_smaller(SINO_PIECE_PROJECTIONS, of_block.count - before)};
}

/* Voxels of a slab's runs, counted as those of a part. */
static SinoSpan runs_of(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t slab)
{
    const SinoSpan slices = sino_cone_slab(cone, streaming, slab);
    return streaming->symmetry.halves == 2 ? (SinoSpan){0, slices.count / 2} : slices;
}

SinoSpan sino_cone_share(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t slab, int64_t row)
{
    const SinoSpan runs = runs_of(cone, streaming, slab);
    const int64_t images = sino_ceil_divide(runs.count, streaming->image_slices), rows = streaming->grid_rows;
    const int64_t first = sino_times(images, row) / rows, end = sino_times(images, row + 1) / rows;
    const int64_t from = sino_smaller(sino_times(first, streaming->image_slices), runs.count);
    const int64_t to = sino_smaller(sino_times(end, streaming->image_slices), runs.count);
    return (SinoSpan){runs.first + from, to - from};
}

SinoSpan sino_cone_largest_share(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t row)
{
    SinoSpan largest = {0};
    for (int64_t s = 0; s < streaming->slab_count; s++) {
        const SinoSpan share = sino_cone_share(cone, streaming, s, row);
        if (share.count > largest.count) largest = share;
    }
    return largest;
}

/* The entries of halves of lines that see a share, which is counted outwards. */
static SinoSpan entries_of(const SinoCone *cone, const SinoConeStreaming *streaming, SinoSpan share)
{
    const double plane = sino_cone_plane_row(cone, streaming->symmetry), middle = 0.5 * (double)(cone->z_count - 1);
    const int64_t rows = sino_larger(cone->row_count - (int64_t)floor(plane), (int64_t)ceil(plane) + 1);
    const double last = (double)sino_larger(rows - 1, 0);
    double least = INFINITY, most = -INFINITY;
    extend_rows(cone, middle + 0.5 + (double)share.first, &least, &most);
    extend_rows(cone, middle - 0.5 + (double)(share.first + share.count), &least, &most);
    const double first = fmin(fmax(floor(least - floor(plane)) - 1, 0), last);
    const double end = fmin(fmax(ceil(most - floor(plane)) + 1, 0), last);
    return (SinoSpan){(int64_t)first, (int64_t)(end - first) + 1};
}

SinoConeLines sino_cone_share_lines(const SinoCone *cone, const SinoConeStreaming *streaming, SinoSpan share)
{
    const SinoSpan entries =
        streaming->symmetry.halves == 2 ? entries_of(cone, streaming, share) : sino_cone_rows(cone, share);
    return (SinoConeLines){.symmetry = streaming->symmetry,
                           .precision = streaming->precision,
                           .group_count = groups_of(cone, streaming, 0).count,
                           .column_count = sino_cone_filtered(cone).column_count,
                           .first_row = entries.first,
                           .entry_count = sino_ceil_multiple(entries.count, SINO_CONE_ENTRIES)};
}

/* Rows of base runs. */
static int64_t base_rows(const SinoCone *cone, const SinoConeStreaming *streaming)
{
    return streaming->symmetry.turns > 1 ? cone->y_count / 2 : cone->y_count;
}

int64_t sino_cone_chunk_count(const SinoConeStreaming *streaming, SinoSpan share)
{
    return sino_ceil_divide(share.count, streaming->part_voxels);
}

int64_t sino_cone_band_count(const SinoCone *cone, const SinoConeStreaming *streaming)
{
    return sino_ceil_divide(base_rows(cone, streaming), streaming->band_rows);
}

SinoConePart sino_cone_part(const SinoCone *cone, const SinoConeStreaming *streaming, SinoSpan share, int64_t chunk,
                            int64_t band)
{
    const int64_t in_share = sino_times(chunk, streaming->part_voxels),
                  first_y = sino_times(band, streaming->band_rows);
    return (SinoConePart){.first_y = first_y,
                          .x_count = streaming->symmetry.turns > 1 ? cone->x_count / 2 : cone->x_count,
                          .y_count = sino_smaller(streaming->band_rows, base_rows(cone, streaming) - first_y),
                          .first = share.first + in_share,
                          .voxel_count = sino_smaller(streaming->part_voxels, share.count - in_share)};
}

int64_t sino_cone_piece_bytes(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t row)
{
    int64_t most = 0;
    for (int64_t s = 0; s < streaming->slab_count; s++) {
        const SinoSpan share = sino_cone_share(cone, streaming, s, row);
        if (share.count == 0) continue;
        const SinoConeLines lines = sino_cone_share_lines(cone, streaming, share);
        most = sino_larger(most, sino_lines_bytes(&lines, sino_cone_piece(cone, streaming, 0, 0).count));
    }
    return most;
}

/* Bytes of a share's parts. All chunks but the last are alike, and bands are all rows once. */
static int64_t part_bytes(const SinoCone *cone, const SinoConeStreaming *streaming, SinoSpan share)
{
    const int64_t chunks = sino_cone_chunk_count(streaming, share);
    SinoConePart first = sino_cone_part(cone, streaming, share, 0, 0);
    SinoConePart last = sino_cone_part(cone, streaming, share, chunks - 1, 0);
    first.y_count = last.y_count = base_rows(cone, streaming);
    const int64_t voxels = sino_times(chunks - 1, sino_cone_part_voxels(&first, streaming->symmetry)) +
                           sino_cone_part_voxels(&last, streaming->symmetry);
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

int64_t sino_cone_weighed_bytes(const SinoCone *cone, int64_t rows)
{
    const int64_t columns = sino_cone_filtered(cone).column_count, stride = sino_panel_stride(SINO_SINGLE, rows);
    if (columns == cone->column_count) return 0;
    return sino_times(sino_times(SINO_PIECE_PROJECTIONS, columns), sino_times(stride, REAL));
}

/* Work memory of a worker's largest task. */
static int64_t scratch_bytes(const SinoCone *cone, const SinoConeStreaming *streaming, SinoSpan share, int64_t rows)
{
    const SinoConeLines lines = sino_cone_share_lines(cone, streaming, share);
    const int64_t backproject = sino_cone_scratch_bytes(&lines);
    const int64_t filter = sino_times(
        (int64_t)64 * 4, sino_times(sino_cone_filtered(cone).column_count, REAL)); /* padded rows of a panel */
    const int64_t correct =
        sino_times(sino_times(2, rows), sino_times(cone->column_count + 32, (int64_t)sizeof(double)));
    return backproject + filter + correct;
}

int64_t sino_cone_own_pieces(const SinoCone *cone, const SinoConeStreaming *streaming)
{
    return sino_ceil_divide(sino_cone_piece_count(cone, streaming, 0), streaming->grid_rows);
}

/* Bytes of lines that other ranks send to a row, whose lines of a piece are `own`. They are at most as many blocks
 * ahead as they have memory for. */
static int64_t early_bytes(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t own)
{
    if (streaming->grid_rows == 1) return 0;
    const int64_t pieces = sino_cone_piece_count(cone, streaming, 0), others = pieces - pieces / streaming->grid_rows;
    return sino_times(sino_times(streaming->block_sets, others), own);
}

/* Bytes of messages of a row: a piece's lines for all other rows, `others`, and a part of another column. */
static int64_t message_bytes(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t others, SinoSpan share)
{
    const SinoConePart part = sino_cone_part(cone, streaming, share, 0, 0);
    const int64_t voxels = sino_times(sino_cone_part_voxels(&part, streaming->symmetry), REAL);
    return sino_times(streaming->send_sets, others) + sino_times(streaming->arrival_sets, voxels);
}

/* Bytes of a piece's lines of all rows of ranks. */
static int64_t all_piece_bytes(const SinoCone *cone, const SinoConeStreaming *streaming)
{
    int64_t lines = 0;
    for (int64_t r = 0; r < streaming->grid_rows; r++) lines += sino_cone_piece_bytes(cone, streaming, r);
    return lines;
}

SinoUnitBytes sino_cone_bytes(const SinoCone *cone, const SinoInput *input, const SinoConeStreaming *streaming,
                              int64_t worker_count)
{
    enum { FIELD_SETS = 2 };
    const int64_t rows = most_rows(cone, streaming), columns = sino_cone_filtered(cone).column_count;
    SinoScanInfo info;
    const SinoInput loaded = sino_integrals_input(input, &info);
    const int64_t images = sino_input_images_bytes(&loaded, sino_times(rows, loaded.binning));
    const int64_t image =
        sino_times(sino_times(streaming->image_slices, cone->y_count), sino_times(cone->x_count, REAL));
    const int64_t field_sets = sino_smaller(FIELD_SETS, streaming->slab_count);
    const int64_t pieces = sino_times(streaming->block_sets, sino_cone_piece_count(cone, streaming, 0));
    SinoUnitBytes bytes = {
        .pieces = sino_cone_pieces_bytes(cone, &loaded, rows, streaming->piece_sets, field_sets) +
                  sino_times(streaming->piece_sets, sino_cone_weighed_bytes(cone, rows)),
        .images = sino_times(streaming->image_sets, image),
        .weights = sino_times(sino_times(cone->angle_count, columns), (int64_t)(sizeof(double) + sizeof(float))),
        .integrals = sino_integrals_bytes(input)};
    const int64_t all_lines = all_piece_bytes(cone, streaming);
    for (int64_t r = 0; r < streaming->grid_rows; r++) {
        const SinoSpan share = sino_cone_largest_share(cone, streaming, r);
        if (share.count == 0) continue;
        const int64_t own = sino_cone_piece_bytes(cone, streaming, r);
        bytes.parts = sino_larger(bytes.parts, part_bytes(cone, streaming, share));
        bytes.lines = sino_larger(bytes.lines, sino_times(pieces, own));
        bytes.messages = sino_larger(bytes.messages, message_bytes(cone, streaming, all_lines - own, share));
        bytes.early = sino_larger(bytes.early, early_bytes(cone, streaming, own));
        bytes.scratch =
            sino_larger(bytes.scratch, sino_times(worker_count, images + scratch_bytes(cone, streaming, share, rows)));
    }
    bytes.data = bytes.parts + bytes.pieces + bytes.lines + bytes.images + bytes.messages;
    bytes.total = bytes.data + bytes.early + bytes.weights + bytes.scratch;
    bytes.total = bytes.integrals + sino_larger(bytes.total, sino_integrals_pass_bytes(input, worker_count));
    return bytes;
}
