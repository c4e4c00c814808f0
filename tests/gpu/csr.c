/* SPDX-License-Identifier: BSD-3-Clause */
/* CSR: a block (block.h) as a sparse matrix by rows. */
#include "csr.h"

#include <stdio.h>
#include <stdlib.h>

static void *memory(int64_t count, size_t bytes)
{
    void *values = calloc((size_t)(count > 0 ? count : 1), bytes);
    if (!values) {
        fprintf(stderr, "no memory for a sparse matrix: %lld times %d bytes asked for\n", (long long)count, (int)bytes);
        exit(1);
    }
    return values;
}

/* Position of (x, y) on the Hilbert curve through a square of 2^order cells a side. */
static uint64_t hilbert(int order, uint32_t x, uint32_t y)
{
    uint64_t position = 0;
    for (uint32_t side = 1u << (order - 1); side > 0; side /= 2) {
        const uint32_t right = (x & side) > 0, down = (y & side) > 0;
        position += (uint64_t)side * side * ((3 * right) ^ down);
        if (down == 0) {
            if (right) {
                x = ~x;
                y = ~y;
            }
            const uint32_t swap = x;
            x = y;
            y = swap;
        }
    }
    return position;
}

typedef struct Cell {
    uint64_t position;
    int64_t number;
} Cell;

static int by_position(const void *a, const void *b)
{
    const Cell *p = a, *q = b;
    return p->position < q->position ? -1 : p->position > q->position;
}

/* rank[y·width + x]: the cell's place along the curve. */
static int32_t *hilbert_ranks(int64_t width, int64_t height)
{
    int order = 1;
    while ((int64_t)1 << order < width || (int64_t)1 << order < height) order++;
    Cell *cell = memory(width * height, sizeof *cell);
    int32_t *rank = memory(width * height, sizeof *rank);
    for (int64_t i = 0; i < width * height; i++)
        cell[i] = (Cell){hilbert(order, (uint32_t)(i % width), (uint32_t)(i / width)), i};
    qsort(cell, (size_t)(width * height), sizeof *cell, by_position);
    for (int64_t i = 0; i < width * height; i++) rank[cell[i].number] = (int32_t)i;
    free(cell);
    return rank;
}

/* Ranks of the layout's rays: neighbours along the curve are neighbours in the scan. */
static int32_t *ray_ranks(const SinoLayout *layout)
{
    const int64_t columns = layout->geometry.column_count, angles = layout->geometry.angle_count;
    int32_t *of_scan = hilbert_ranks(columns, angles), *rank = memory(columns * angles, sizeof *rank);
    for (int64_t k = 0; k < angles; k++)
        for (int64_t c = 0; c < columns; c++) rank[layout->place[k] * columns + c] = of_scan[k * columns + c];
    free(of_scan);
    return rank;
}

/* Where rays and voxels are in the matrix. */
typedef struct Places {
    const SinoLayout *layout;
    const SinoTilePlace *tile;
    int32_t *ray, *voxel; /* owned */
} Places;

static int64_t column_of(const Places *places, int64_t tile, int v, int g)
{
    const int64_t size = places->layout->geometry.grid_size;
    int64_t row = v / SINO_TILE, column = v % SINO_TILE;
    sino_orientation_place(g, SINO_TILE, &row, &column);
    row += sino_tile_first_voxel(size, places->tile[tile].row);
    column += sino_tile_first_voxel(size, places->tile[tile].column);
    return places->voxel[row * size + column];
}

/* One pass over a section in orientation g: counts lengths of rows, or, `fill`, writes them where offset says. */
static void visit_section(const SinoBlockHeader *block, const SinoSectionHeader *header, int g, int64_t ahead,
                          const Places *places, bool fill, Csr *matrix)
{
    SinoSection section;
    int64_t at = 0;
    sino_section_arrays(header, SINO_SINGLE, &section);
    const int64_t tile = sino_block_tiles(block)[(int64_t)header->tile * SINO_ORIENTATIONS + g];
    const float *length = section.length;
    for (int i = 0; i < header->group_count; i++)
        for (int j = 0; j < section.count[i]; j++, at++)
            for (int r = 0; r < SINO_GROUP_RAYS; r++) {
                if (length[at * SINO_GROUP_RAYS + r] == 0) continue;
                const int64_t row = places->ray[section.ray[i * SINO_GROUP_RAYS + r] + ahead];
                const int64_t place = matrix->offset[row + !fill]++;
                if (!fill) continue;
                matrix->column[place] = (int32_t)column_of(places, tile, section.voxel[at], g);
                matrix->length[place] = length[at * SINO_GROUP_RAYS + r];
            }
}

static void visit_block(const SinoBlockHeader *block, const Places *places, bool fill, Csr *matrix)
{
    for (int64_t i = 0; i < block->piece_count; i++) {
        const SinoBlockPiece piece = sino_block_pieces(block)[i];
        for (int64_t at = piece.offset; at < piece.offset + piece.bytes;) {
            const SinoSectionHeader *header = (const void *)((const char *)block + at);
            int64_t ahead = 0;
            for (int g = 0; g < SINO_ORIENTATIONS; g++) {
                if (!(header->orientations >> g & 1)) continue;
                visit_section(block, header, g, ahead, places, fill, matrix);
                ahead += header->step;
            }
            at += header->bytes;
        }
    }
}

/* offset[i + 1] counts row i before, and offset[i] is where it begins afterwards. */
static void sum_offsets(Csr *matrix)
{
    for (int64_t i = 0; i < matrix->row_count; i++) matrix->offset[i + 1] += matrix->offset[i];
    matrix->nonzero_count = matrix->offset[matrix->row_count];
    matrix->column = memory(matrix->nonzero_count, sizeof *matrix->column);
    matrix->length = memory(matrix->nonzero_count, sizeof *matrix->length);
}

/* Filling has moved each row's offset to its end. */
static void restore_offsets(Csr *matrix)
{
    for (int64_t i = matrix->row_count; i > 0; i--) matrix->offset[i] = matrix->offset[i - 1];
    matrix->offset[0] = 0;
}

Csr csr_transposed(const Csr *matrix)
{
    Csr to = {.row_count = matrix->column_count, .column_count = matrix->row_count};
    to.offset = memory(to.row_count + 1, sizeof *to.offset);
    for (int64_t i = 0; i < matrix->nonzero_count; i++) to.offset[matrix->column[i] + 1]++;
    sum_offsets(&to);
    for (int64_t row = 0; row < matrix->row_count; row++)
        for (int64_t i = matrix->offset[row]; i < matrix->offset[row + 1]; i++) {
            const int64_t place = to.offset[matrix->column[i]]++;
            to.column[place] = (int32_t)row;
            to.length[place] = matrix->length[i];
        }
    restore_offsets(&to);
    return to;
}

Csr csr_of_block(const SinoBlockHeader *block, const SinoLayout *layout, const SinoTilePlace *tile)
{
    const SinoGeometry *geometry = &layout->geometry;
    const int64_t size = geometry->grid_size;
    Csr matrix = {.row_count = sino_geometry_ray_count(geometry), .column_count = size * size};
    const Places places = {layout, tile, ray_ranks(layout), hilbert_ranks(size, size)};
    matrix.offset = memory(matrix.row_count + 1, sizeof *matrix.offset);
    visit_block(block, &places, false, &matrix);
    sum_offsets(&matrix);
    visit_block(block, &places, true, &matrix);
    restore_offsets(&matrix);
    free(places.ray);
    free(places.voxel);
    /* Twice transposed, a row's columns ascend. */
    Csr transposed = csr_transposed(&matrix);
    csr_free(&matrix);
    matrix = csr_transposed(&transposed);
    csr_free(&transposed);
    return matrix;
}

void csr_free(Csr *matrix)
{
    free(matrix->offset);
    free(matrix->column);
    free(matrix->length);
}
