/* SPDX-License-Identifier: BSD-3-Clause */
/* Block check: walks through a block as kernels do, beside the list of the sections that tracing would write. */
#include "block_check.h"

#include "memory.h"
#include "siddon.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* One walk. */
typedef struct Walk {
    const SinoBlockCheck *check;
    const uint8_t *block;
    int64_t bytes;
    const SinoBlockHeader *header;
    int64_t *row_of_angle; /* [angle_count + 1]: the footprint's first row with a ray of this angle or a later one */
    SinoTraceSection *section;                                 /* those of one super-tile */
    int64_t nonzero_count, stored_nonzero_count, stored_count; /* found so far */
} Walk;

static SinoStatus wrong(const char *what)
{
    return sino_error(SINO_BAD_INPUT, "%s", what);
}

/* The rays of the footprint must ascend, because ranges of angles are found as ranges of rows. */
static SinoStatus find_rows(Walk *walk)
{
    const SinoFootprint *footprint = &walk->check->footprint;
    const SinoGeometry *geometry = &walk->check->layout->geometry;
    const int64_t columns = geometry->column_count, rays = sino_geometry_ray_count(geometry);
    int64_t row = 0;
    SINO_TRY(sino_allocate(geometry->angle_count + 1, sizeof *walk->row_of_angle, "rows", &walk->row_of_angle));
    for (int64_t k = 0; k <= geometry->angle_count; k++) {
        if (!footprint->ray) row = k * columns;
        while (footprint->ray && row < footprint->ray_count && (int64_t)footprint->ray[row] < k * columns) {
            if (row > 0 && footprint->ray[row] <= footprint->ray[row - 1]) return wrong("has rays that do not ascend");
            row++;
        }
        walk->row_of_angle[k] = row;
    }
    if (row != footprint->ray_count || row > rays) return wrong("has rays that the scan does not have");
    return NULL;
}

static SinoStatus check_header(Walk *walk)
{
    const SinoBlockCheck *check = walk->check;
    const SinoBlockHeader *header = walk->header;
    const int64_t pieces = sino_pack_piece_count(check->tile_count, check->tile);
    if (walk->bytes < (int64_t)sizeof *header || header->bytes != walk->bytes) return wrong("has another size");
    if (header->tile_count != check->tile_count || header->ray_count != check->footprint.ray_count ||
        header->precision != (int64_t)check->layout->precision || header->piece_count != pieces)
        return wrong("has other tiles, rays or another precision");
    if (sino_block_head_bytes(check->tile_count, pieces) > walk->bytes) return wrong("is too short for its head");
    return NULL;
}

/* Compares the places of tiles with those that packing would write. */
static SinoStatus check_tiles(const Walk *walk)
{
    const SinoBlockCheck *check = walk->check;
    SinoBlockHeader *head;
    const int64_t bytes = sino_block_head_bytes(check->tile_count, walk->header->piece_count);
    SINO_TRY(sino_allocate(bytes, 1, "the head of a block", &head));
    SinoStatus status = sino_pack_head(walk->header, check->layout, check->tile, head);
    const size_t tile_bytes = (size_t)check->tile_count * SINO_ORIENTATIONS * sizeof(int32_t);
    if (!status && memcmp(sino_block_tiles(head), sino_block_tiles(walk->header), tile_bytes) != 0)
        status = wrong("has its tiles in other places");
    free(head);
    return status;
}

/* Whether all rays of a group lie in rows first … end − 1. */
static bool within(const uint32_t *ray, int64_t first, int64_t end)
{
    bool inside = true;
    for (int r = 0; r < SINO_GROUP_RAYS; r++) inside &= (int64_t)ray[r] >= first && (int64_t)ray[r] < end;
    return inside;
}

/* Checks the rays and numbers of voxels of the section's groups. The groups of one run of group_angles angles follow
 * those of the run before; a run has no more groups than its angles can have rays. */
static SinoStatus check_groups(const Walk *walk, const SinoTraceSection *expected, const SinoSectionHeader *header,
                               const SinoSection *array)
{
    const int64_t run_angles = walk->check->layout->group_angles;
    const int64_t most = run_angles * SINO_ANGLE_RAYS / SINO_GROUP_RAYS + 1;
    int64_t angle = expected->first, groups = 0, voxels = 0, first = 0, end = 0;
    for (int64_t g = 0; g < header->group_count; g++) {
        const uint32_t *ray = array->ray + g * SINO_GROUP_RAYS;
        const int count = array->count[g];
        for (; (int64_t)ray[0] >= end && angle < expected->end; angle += run_angles, groups = 0) {
            const int64_t next = angle + run_angles < expected->end ? angle + run_angles : expected->end;
            first = walk->row_of_angle[angle];
            end = walk->row_of_angle[next];
        }
        if (!within(ray, first, end) || ++groups > most) return wrong("has rays that its sections do not have");
        if (count < 2 || count > SINO_GROUP_VOXELS || count % 2 != 0) return wrong("has groups of impossible size");
        voxels += count;
    }
    if (voxels != header->voxel_count) return wrong("has sections of impossible size");
    /* What kernels prefetch beyond the last group. */
    for (int64_t g = header->group_count; g < header->group_count + SINO_GROUPS_AHEAD; g++)
        if (!within(array->ray + g * SINO_GROUP_RAYS, 0, walk->header->ray_count))
            return wrong("has rays that its sections do not have");
    return NULL;
}

/* The orientations of a class follow each other in steps of as many rows as the stored one has. */
static SinoStatus check_step(const Walk *walk, const SinoTraceSection *expected, const SinoSectionHeader *header)
{
    const SinoAngleClass *class = walk->check->layout->angle_class;
    const int64_t orientations = __builtin_popcount(expected->orientations);
    if (orientations == 1) return NULL;
    while (expected->first >= class->first + class->count * class->orientation_count) class ++;
    const int64_t step = walk->row_of_angle[class->first + class->count] - walk->row_of_angle[class->first];
    const int64_t end = walk->row_of_angle[expected->end];
    if (header->step != step || end + (orientations - 1) * step > walk->header->ray_count)
        return wrong("has rays in other rows for other orientations");
    return NULL;
}

/* Checks one section, whose header lies within the block and before byte `end` of it. */
static SinoStatus check_section(Walk *walk, const SinoTraceSection *expected, int64_t at, int64_t end)
{
    const SinoSectionHeader *header = (const void *)(walk->block + at);
    SinoSection array;
    if (header->group_count < 1 || header->voxel_count < 0 || header->nonzero_count < 0 ||
        header->nonzero_count > (int64_t)header->voxel_count * SINO_GROUP_RAYS)
        return wrong("has sections of impossible size");
    const int64_t bytes = sino_section_arrays(header, (SinoPrecision)walk->header->precision, &array);
    if (header->bytes != bytes || bytes > end - at) return wrong("has sections of impossible size");
    SINO_TRY(check_step(walk, expected, header));
    SINO_TRY(check_groups(walk, expected, header, &array));
    walk->stored_nonzero_count += header->nonzero_count;
    walk->nonzero_count += header->nonzero_count * __builtin_popcount(header->orientations);
    walk->stored_count += (int64_t)header->voxel_count * SINO_GROUP_RAYS;
    return NULL;
}

static bool is_of(const SinoSectionHeader *header, const SinoTraceSection *expected, const Walk *walk)
{
    const SinoSection array = {.ray = (uint32_t *)(uintptr_t)(header + 1)};
    return header->tile == expected->tile && header->orientations == expected->orientations &&
           (int64_t)array.ray[0] < walk->row_of_angle[expected->end];
}

/* The sections of a piece are those of its super-tile, in their order; those without rays are left out. */
static SinoStatus check_piece(Walk *walk, const SinoBlockPiece *piece, int64_t section_count)
{
    const int64_t least = sizeof(SinoSectionHeader) + sizeof(uint32_t);
    int64_t end;
    if (piece->offset < sino_block_head_bytes(walk->check->tile_count, walk->header->piece_count) ||
        piece->offset % 32 != 0 || piece->bytes < 0 || __builtin_add_overflow(piece->offset, piece->bytes, &end) ||
        end > walk->bytes)
        return wrong("has pieces outside its memory");
    int64_t i = 0;
    for (int64_t at = piece->offset; at < end;) {
        const SinoSectionHeader *header = (const void *)(walk->block + at);
        if (end - at < least) return wrong("has sections of impossible size");
        while (i < section_count && !is_of(header, &walk->section[i], walk)) i++;
        if (i == section_count) return wrong("has sections that are not those of its tiles");
        SINO_TRY(check_section(walk, &walk->section[i++], at, end));
        at += header->bytes;
    }
    return NULL;
}

static SinoStatus check_pieces(Walk *walk)
{
    const SinoBlockCheck *check = walk->check;
    const SinoBlockPiece *piece = sino_block_pieces(walk->header);
    for (int64_t first = 0, tiles; first < check->tile_count; first += tiles, piece++) {
        const SinoTilePlace *tile = check->tile + first;
        tiles = sino_trace_super_tile(check->tile_count - first, tile);
        const int64_t count = sino_trace_sections(check->layout, first, tiles, tile, NULL);
        SINO_TRY(sino_allocate(count, sizeof *walk->section, "sections", &walk->section));
        sino_trace_sections(check->layout, first, tiles, tile, walk->section);
        SinoStatus status = check_piece(walk, piece, count);
        free(walk->section);
        walk->section = NULL;
        SINO_TRY(status);
    }
    return NULL;
}

static SinoStatus check_counts(const Walk *walk)
{
    const SinoBlockHeader *header = walk->header;
    if (header->nonzero_count != walk->nonzero_count || header->stored_nonzero_count != walk->stored_nonzero_count ||
        header->stored_count != walk->stored_count)
        return wrong("has another number of nonzeros than its sections");
    return NULL;
}

SinoStatus sino_block_check(const SinoBlockCheck *check, const void *block, int64_t bytes)
{
    SinoStatus status = NULL;
    Walk walk = {.check = check, .block = block, .bytes = bytes, .header = block};
    SINO_TRY_OR(status, end, check_header(&walk));
    SINO_TRY_OR(status, end, find_rows(&walk));
    SINO_TRY_OR(status, end, check_tiles(&walk));
    SINO_TRY_OR(status, end, check_pieces(&walk));
    SINO_TRY_OR(status, end, check_counts(&walk));
end:
    free(walk.row_of_angle);
    return status;
}
