/* SPDX-License-Identifier: BSD-3-Clause */
/* Rays, cache: operators saved as files of a directory, by a key made of everything that determines them.
 *
 * A file has two pieces per partition: its block, and the rays of its footprint (empty if the partition has every
 * ray). */
#include "rays_private.h"

#include "block_check.h"
#include "memory.h"
#include "platform.h"
#include "text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char event[] = "operator";

enum { PIECES_PER_PARTITION = 2 };

/* Key and file of an operator. */
typedef struct Place {
    SinoOperatorKey key;
    char *path; /* owned */
} Place;

SinoStatus sino_rays_cache_key(const SinoRays *op, SinoOperatorKey *key)
{
    const SinoGeometry *geometry = &op->layout.geometry;
    int64_t center, *word;
    memcpy(&center, &geometry->center, sizeof center);
    const int64_t head[] = {SINO_BLOCK_VERSION,      SINO_TILE,
                            SINO_SUPER_TILE,         SINO_GROUP_RAYS,
                            SINO_SECTION_GROUPS,     SINO_GROUPS_AHEAD,
                            op->layout.group_angles, op->layout.orientations,
                            op->layout.precision,    op->partition_count,
                            op->first_partition,     op->decomposition.partition_count,
                            geometry->angle_count,   geometry->column_count,
                            geometry->grid_size,     center};
    const int64_t head_count = sizeof head / sizeof *head, count = head_count + geometry->angle_count;
    SINO_TRY(sino_allocate(count, sizeof *word, "an operator's key", &word));
    memcpy(word, head, sizeof head);
    memcpy(word + head_count, geometry->angle_rad, (size_t)geometry->angle_count * sizeof *geometry->angle_rad);
    *key = sino_operator_file_key(word, count * (int64_t)sizeof *word);
    free(word);
    return NULL;
}

static SinoStatus new_place(const char *directory, const SinoRays *op, Place *place)
{
    SINO_TRY(sino_rays_cache_key(op, &place->key));
    return sino_operator_file_path(directory, &place->key, &place->path);
}

SinoStatus sino_rays_cache_check(const char *directory)
{
    return directory ? sino_operator_file_check(directory) : NULL;
}

static int64_t piece_count(const SinoRays *op)
{
    return PIECES_PER_PARTITION * op->partition_count;
}

/* Bytes of a footprint's list of rays; 0 if the partition has every ray, which are not listed. */
static int64_t footprint_bytes(const SinoFootprint *footprint)
{
    return footprint->ray ? footprint->ray_count * (int64_t)sizeof *footprint->ray : 0;
}

/* Checks that a partition's pieces are undamaged, and that they are a block and rays of the partition that the
 * decomposition makes now, safe to compute with: a checksum protects against accidents only. */
static SinoStatus check_partition(const SinoRays *op, const SinoOperatorFile *file, int64_t p)
{
    const SinoPartition *partition = &op->partition[p];
    const int64_t number = PIECES_PER_PARTITION * p;
    const SinoOperatorPiece block = sino_operator_file_piece(file, number);
    const SinoOperatorPiece rays = sino_operator_file_piece(file, number + 1);
    SinoBlockCheck check = {.layout = &op->layout,
                            .tile_count = partition->tile_count,
                            .tile = partition->tile,
                            .footprint = {.ray_count = op->ray_count}};
    if (!op->whole) check.footprint = (SinoFootprint){rays.bytes / (int64_t)sizeof(uint32_t), rays.memory};
    SINO_TRY(sino_operator_file_verify(file, number));
    SINO_TRY(sino_operator_file_verify(file, number + 1));
    return sino_block_check(&check, block.memory, block.bytes);
}

static SinoStatus check_partitions(const SinoRays *op, const SinoOperatorFile *file, const char *path)
{
    SINO_CHECK(sino_operator_file_piece_count(file) == piece_count(op), SINO_BAD_INPUT,
               "%s has %" PRId64 " pieces; needed: %" PRId64, path, sino_operator_file_piece_count(file),
               piece_count(op));
    for (int64_t p = 0; p < op->partition_count; p++) {
        const SinoOperatorPiece block = sino_operator_file_piece(file, PIECES_PER_PARTITION * p);
        SinoStatus status = check_partition(op, file, p);
        SinoStatus told =
            status ? sino_error((SinoErrorKind)sino_status_exit_code(status), "%s %s", path, sino_status_text(status))
                   : NULL;
        sino_status_free(status);
        SINO_TRY(told);
        sino_forget(block.memory, block.bytes); /* the file may be larger than the memory of the run */
    }
    return NULL;
}

/* Takes a partition's block, footprint and counts from the pages of the file. */
static SinoStatus take_partition(SinoRuntime *runtime, SinoRays *op, int64_t p)
{
    SinoPartition *partition = &op->partition[p];
    const SinoOperatorPiece block = sino_operator_file_piece(op->file, PIECES_PER_PARTITION * p);
    const SinoOperatorPiece rays = sino_operator_file_piece(op->file, PIECES_PER_PARTITION * p + 1);
    const SinoBlockHeader *header = block.memory;
    if (op->window_count == 0) SINO_TRY(sino_data_borrow(runtime, "A", block.memory, block.bytes, &partition->block));
    partition->kept = block.memory;
    sino_rays_take_header(op, p, header);
    if (!op->whole) partition->footprint = (SinoFootprint){.ray_count = header->ray_count, .ray = rays.memory};
    op->bytes += rays.bytes;
    return NULL;
}

static void tell(SinoRuntime *runtime, const char *what, const char *path, const SinoRays *op, double begin_s)
{
    char bytes[24], duration[SINO_DURATION_SIZE];
    sino_log_info(sino_runtime_log(runtime), event, "ray lengths: %s %s (%s, %s)", what, path,
                  sino_bytes_text(op->bytes, bytes), sino_duration_text(sino_platform_now_s() - begin_s, duration));
}

static SinoStatus open_file(const Place *place, SinoRays *op)
{
    SinoOperatorFile *file = NULL;
    SINO_TRY(sino_operator_file_open(place->path, &place->key, &file));
    SinoStatus status = file ? check_partitions(op, file, place->path) : NULL;
    if (status)
        sino_operator_file_close(file);
    else
        op->file = file;
    return status;
}

static SinoStatus load(SinoRuntime *runtime, const Place *place, SinoRays *op)
{
    const double begin_s = sino_platform_now_s();
    SinoStatus status = open_file(place, op);
    if (status)
        sino_log_warning(sino_runtime_log(runtime), event, "%s; the ray lengths are computed again",
                         sino_status_text(status));
    sino_status_free(status);
    if (!op->file) return NULL;
    for (int64_t p = 0; p < op->partition_count; p++) SINO_TRY(take_partition(runtime, op, p));
    tell(runtime, "read from", place->path, op, begin_s);
    return NULL;
}

SinoStatus sino_rays_cache_load(SinoRuntime *runtime, const char *directory, SinoRays *op)
{
    Place place = {0};
    if (!directory) return NULL;
    SINO_TRY(new_place(directory, op, &place));
    SinoStatus status = load(runtime, &place, op);
    free(place.path);
    return status;
}

/* Acquires the blocks and lists the file's pieces; *acquired counts the blocks acquired so far, also after a
 * failure. */
static SinoStatus acquire_pieces(SinoRays *op, SinoOperatorPiece *piece, int64_t *acquired)
{
    for (int64_t p = 0; p < op->partition_count; p++) {
        const SinoPartition *partition = &op->partition[p];
        void *block;
        SINO_TRY(sino_data_acquire(partition->block, SINO_READ, &block));
        ++*acquired;
        *piece++ = (SinoOperatorPiece){.memory = block, .bytes = partition->block_bytes};
        *piece++ =
            (SinoOperatorPiece){.memory = partition->footprint.ray, .bytes = footprint_bytes(&partition->footprint)};
    }
    return NULL;
}

static SinoStatus save(const Place *place, SinoRays *op)
{
    SinoOperatorPiece *piece;
    int64_t acquired = 0;
    SINO_TRY(sino_allocate(piece_count(op), sizeof *piece, "pieces of the operator", &piece));
    SinoStatus status = acquire_pieces(op, piece, &acquired);
    if (!status) status = sino_operator_file_write(place->path, &place->key, piece_count(op), piece);
    for (int64_t p = 0; p < acquired; p++) sino_data_release(op->partition[p].block);
    free(piece);
    return status;
}

void sino_rays_cache_save(SinoRuntime *runtime, const char *directory, SinoRays *op)
{
    Place place = {0};
    const double begin_s = sino_platform_now_s();
    if (!directory || op->file || op->window_count > 0) return;
    SinoStatus status = new_place(directory, op, &place);
    if (!status) status = save(&place, op);
    if (status)
        sino_log_warning(sino_runtime_log(runtime), event, "the ray lengths are not kept: %s",
                         sino_status_text(status));
    else
        tell(runtime, "kept in", place.path, op, begin_s);
    sino_status_free(status);
    free(place.path);
}
