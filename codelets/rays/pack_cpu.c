/* SPDX-License-Identifier: BSD-3-Clause */
/* Pack: traces a partition's tiles into its block, whose size is not known beforehand. */
#include "pack.h"

#include "memory.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int64_t sino_pack_piece_count(int64_t tile_count, const SinoTilePlace *tile)
{
    int64_t count = 0;
    for (int64_t t = 0; t < tile_count; t += sino_trace_super_tile(tile_count - t, tile + t)) count++;
    return count;
}

/* Calls visit(section, rays, data) for each section in `size` bytes; visit may change the section and its rays. */
static void for_each_section(SinoPrecision precision, uint8_t *bytes, int64_t size,
                             void (*visit)(SinoSectionHeader *header, uint32_t *ray, void *data), void *data)
{
    for (int64_t at = 0; at < size;) {
        SinoSectionHeader *header = (void *)(bytes + at);
        SinoSection section;
        at += sino_section_arrays(header, precision, &section);
        visit(header, section.ray, data);
    }
}

static void mark(SinoSectionHeader *header, uint32_t *ray, void *data)
{
    uint8_t *touched = data;
    const int orientation_count = __builtin_popcount(header->orientations);
    for (int64_t i = 0; i < (int64_t)header->group_count * SINO_GROUP_RAYS; i++)
        for (int g = 0; g < orientation_count; g++)
            __atomic_store_n(&touched[ray[i] + g * header->step], 1, __ATOMIC_RELAXED);
}

void sino_pack_mark(SinoPrecision precision, int64_t bytes, const void *sections, uint8_t *touched)
{
    for_each_section(precision, (uint8_t *)(uintptr_t)sections, bytes, mark, touched);
}

/* Fails if the area has no room up to `end`. */
static SinoStatus check_room(const SinoPackArea *area, int64_t end)
{
    SINO_CHECK(end <= area->capacity, SINO_FAILED, "the operator needs more than the %" PRId64 " bytes foreseen for it",
               area->capacity);
    return NULL;
}

/* Appends a traced super-tile to the area. */
static SinoStatus append(SinoPackRun *run, const SinoTrace *trace, SinoBlockPiece *piece)
{
    SinoPackArea *area = run->area;
    const int64_t offset = __atomic_fetch_add(&area->used, trace->size, __ATOMIC_RELAXED);
    SINO_TRY(check_room(area, offset + trace->size));
    *piece = (SinoBlockPiece){.offset = offset, .bytes = trace->size};
    if (trace->size > 0) memcpy(area->block + offset, trace->bytes, (size_t)trace->size);
    if (run->touched) sino_pack_mark(trace->precision, trace->size, trace->bytes, run->touched);
    run->nonzero_count += trace->nonzero_count;
    run->stored_nonzero_count += trace->stored_nonzero_count;
    run->stored_count += trace->stored_count;
    return NULL;
}

SinoStatus sino_pack_run(SinoPackRun *run)
{
    SinoStatus status = NULL;
    SinoTrace trace = {0};
    SinoBlockPiece *piece = run->piece;
    for (int64_t first = 0, count; first < run->tile_count && !status; first += count) {
        const SinoTilePlace *tile = run->tile + first;
        count = sino_trace_super_tile(run->tile_count - first, tile);
        status = sino_trace_tiles(run->layout, run->first_tile + first, count, tile, &trace);
        if (!status) status = append(run, &trace, piece++);
    }
    sino_trace_free(&trace);
    return status;
}

static void count_sections(SinoPackRun *run, int64_t count, const SinoTraceSection *section, const SinoTraceSize *size)
{
    for (int64_t i = 0; i < count; i++) {
        run->nonzero_count += size[i].nonzero_count * __builtin_popcount(section[i].orientations);
        run->stored_nonzero_count += size[i].nonzero_count;
        run->stored_count += (int64_t)size[i].voxel_count * SINO_GROUP_RAYS;
    }
}

SinoStatus sino_pack_place(SinoPackRun *run, const SinoTraceSection *section, const SinoTraceSize *size)
{
    SinoPackArea *area = run->area;
    SinoBlockPiece *piece = run->piece;
    const int64_t begin = sino_block_align(area->used, SINO_ALIGNMENT_BYTES);
    int64_t at = 0; /* index among the run's sections */
    for (int64_t first = 0, tiles; first < run->tile_count; first += tiles) {
        const SinoTilePlace *tile = run->tile + first;
        tiles = sino_trace_super_tile(run->tile_count - first, tile);
        const int64_t end = at + sino_trace_sections(run->layout, 0, tiles, tile, NULL);
        *piece++ = (SinoBlockPiece){.offset = begin + size[at].offset, .bytes = size[end].offset - size[at].offset};
        at = end;
    }
    area->used = begin + size[at].offset;
    count_sections(run, at, section, size);
    return check_room(area, area->used);
}

/* Replaces ray numbers by rows of the footprint. All orientations of a class touch the same columns, so that one step
 * leads from each orientation to the next in the footprint, too. */
static void renumber(SinoSectionHeader *header, uint32_t *ray, void *data)
{
    const uint32_t *local = *(const uint32_t *const *)data;
    if (header->orientations != 1) header->step = (int64_t)local[ray[0] + header->step] - (int64_t)local[ray[0]];
    for (int64_t i = 0; i < (header->group_count + SINO_GROUPS_AHEAD) * (int64_t)SINO_GROUP_RAYS; i++)
        ray[i] = local[ray[i]];
}

void sino_pack_renumber(SinoPrecision precision, int64_t piece_count, const SinoBlockPiece *piece,
                        const uint32_t *local, uint8_t *block)
{
    for (int64_t i = 0; i < piece_count; i++)
        for_each_section(precision, block + piece[i].offset, piece[i].bytes, renumber, &local);
}

void sino_pack_local(const SinoFootprint *footprint, uint32_t *local)
{
    for (int64_t i = 0; i < footprint->ray_count; i++) local[footprint->ray[i]] = (uint32_t)i;
}

SinoStatus sino_pack_head(const SinoBlockHeader *header, const SinoLayout *layout, const SinoTilePlace *tile,
                          void *block)
{
    const int64_t side = sino_tile_side(layout->geometry.grid_size);
    int32_t *number = NULL; /* 1 + number of the tile at each place */
    SINO_TRY(sino_allocate(sino_times(side, side), sizeof *number, "a partition's tiles", &number));
    for (int64_t t = 0; t < header->tile_count; t++) number[tile[t].row * side + tile[t].column] = (int32_t)t + 1;
    memcpy(block, header, sizeof *header);
    int32_t *to = (int32_t *)sino_block_tiles(block);
    memset(to, 0, (size_t)header->tile_count * SINO_ORIENTATIONS * sizeof *to);
    for (int64_t t = 0; t < header->tile_count; t++) {
        for (int g = 0; g < SINO_ORIENTATIONS; g++) {
            int64_t row = tile[t].row, column = tile[t].column;
            if (!(layout->orientations >> g & 1)) continue;
            sino_orientation_place(g, side, &row, &column);
            assert(number[row * side + column] > 0);
            to[t * SINO_ORIENTATIONS + g] = number[row * side + column] - 1;
        }
    }
    free(number);
    return NULL;
}

static SinoStatus renumber_block(const SinoPackBlock *pack, int64_t piece_count, const SinoBlockPiece *piece,
                                 uint8_t *block)
{
    uint32_t *local = NULL;
    if (!pack->footprint->ray) return NULL;
    SINO_TRY(sino_allocate(sino_geometry_ray_count(&pack->layout->geometry), sizeof *local, "numbering a footprint",
                           &local));
    sino_pack_local(pack->footprint, local);
    sino_pack_renumber(pack->layout->precision, piece_count, piece, local, block);
    free(local);
    return NULL;
}

SinoStatus sino_pack_block(const SinoPackBlock *pack, void *block)
{
    SinoBlockHeader header = {.tile_count = pack->tile_count,
                              .piece_count = sino_pack_piece_count(pack->tile_count, pack->tile),
                              .ray_count = pack->footprint->ray_count,
                              .precision = pack->layout->precision};
    SinoPackArea area = {.block = block,
                         .capacity = pack->capacity,
                         .used = sino_block_head_bytes(header.tile_count, header.piece_count)};
    SinoBlockPiece *piece = (SinoBlockPiece *)sino_block_pieces(block);
    SinoPackRun run = {.layout = pack->layout,
                       .tile_count = pack->tile_count,
                       .tile = pack->tile,
                       .area = &area,
                       .piece = piece,
                       .touched = pack->touched};
    SINO_TRY(sino_pack_run(&run));
    SINO_TRY(renumber_block(pack, header.piece_count, piece, block));
    header.bytes = area.used;
    header.nonzero_count = run.nonzero_count;
    header.stored_nonzero_count = run.stored_nonzero_count;
    header.stored_count = run.stored_count;
    return sino_pack_head(&header, pack->layout, pack->tile, block);
}
