/* SPDX-License-Identifier: BSD-3-Clause */
/* SpMM with an array: parts of a block, each with the copies of its tiles, on a CPU core. */
#include "spmm_array.h"

#include "arithmetic.h"
#include "spmm_isa.h"

#include <assert.h>
#include <string.h>

int64_t sino_spmm_array_bytes(SinoSlices slices)
{
    const int64_t rows = (int64_t)SINO_SPMM_ARRAY_TILES * SINO_TILE_VOXELS;
    return sino_times(sino_times(rows, slices.stride), (int64_t)sino_precision_bytes(slices.precision));
}

/* The tiles after those of a part: the fewest whole super-tiles that orientations take to each other. */
static int64_t end_of_tiles(const SinoBlockHeader *header, const SinoTilePlace *tile, int64_t first)
{
    const int32_t *place = sino_block_tiles(header);
    int64_t needed = first + 1, end = first;
    while (end < needed) {
        const int64_t next = sino_tile_run_end(tile, end, header->tile_count);
        for (int64_t i = end * SINO_ORIENTATIONS; i < next * SINO_ORIENTATIONS; i++)
            needed = sino_larger(needed, (int64_t)place[i] + 1);
        end = next;
    }
    return end;
}

/* Whether the piece is one of tiles before `end`. A piece without sections is. */
static bool is_before(const SinoBlockHeader *header, int64_t piece, int64_t end)
{
    const SinoBlockPiece *of = sino_block_pieces(header) + piece;
    const SinoSectionHeader *section = (const void *)((const char *)header + of->offset);
    return of->bytes == 0 || section->tile < end;
}

/* Sets the part that follows; false: there is none. */
static bool next_part(const SinoBlockHeader *header, const SinoTilePlace *tile, SinoSpmmPart *part)
{
    const int64_t first = part->first_tile + part->tile_count;
    if (first == header->tile_count) return false;
    *part = (SinoSpmmPart){.first_piece = part->end_piece, .end_piece = part->end_piece, .first_tile = first};
    part->tile_count = end_of_tiles(header, tile, first) - first;
    assert(part->tile_count <= SINO_SPMM_ARRAY_TILES);
    while (part->end_piece < header->piece_count && is_before(header, part->end_piece, first + part->tile_count))
        part->end_piece++;
    return true;
}

static SinoStridedTiles tiles_of(const SinoStridedTiles *tiles, const SinoSpmmPart *part)
{
    SinoStridedTiles some = *tiles;
    some.tile = tiles->tile + part->first_tile;
    some.tile_count = part->tile_count;
    some.cached = true;
    return some;
}

bool sino_spmm_project_array(const void *block, const SinoStridedTiles *tiles, void *x, void *y, void *scratch)
{
    const SinoBlockHeader *header = block;
    const SinoSlices slices = tiles->slices;
    SinoSpmmProduct product = {
        .stride = slices.stride, .x = x, .y = y, .y_rows = header->ray_count, .scratch = scratch};
    bool finite = true;
    memset(y, 0, (size_t)(header->ray_count * slices.stride) * sino_precision_bytes(slices.precision));
    while (next_part(header, tiles->tile, &product.part)) {
        const SinoStridedTiles some = tiles_of(tiles, &product.part);
        finite &= sino_strided_take_tiles(&some, x);
        sino_spmm_isa()->project[header->precision](header, &product);
    }
    return finite;
}

void sino_spmm_backproject_array(const void *block, SinoSpmmRows rows, const void *y, const SinoStridedTiles *tiles,
                                 void *x, void *scratch)
{
    const SinoBlockHeader *header = block;
    const SinoSlices slices = tiles->slices;
    SinoSpmmProduct product = {.stride = slices.stride,
                               .x = x,
                               .y = (void *)y,
                               .y_rows = rows.row ? rows.count : header->ray_count,
                               .row = rows.row,
                               .scratch = scratch};
    while (next_part(header, tiles->tile, &product.part)) {
        const SinoStridedTiles some = tiles_of(tiles, &product.part);
        const int64_t elements = some.tile_count * SINO_TILE_VOXELS * slices.stride;
        memset(x, 0, (size_t)elements * sino_precision_bytes(slices.precision));
        sino_spmm_isa()->backproject[header->precision](header, &product);
        sino_strided_give_tiles(&some, x);
    }
}
