/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing of products with partitions: small geometries, some of their tiles as a block, and the dense reference's
 * results for inputs that all precisions represent exactly. */
#include "testing_partition.h"

#include "memory.h"
#include "pack.h"
#include "testing.h"

#include <float.h>
#include <math.h>

void *zeros(int64_t count, size_t bytes)
{
    void *values = calloc((size_t)(count > 0 ? count : 1), bytes);
    assert_non_null(values);
    return values;
}

/* Multiples of 2⁻¹⁰ in [−1, 1]: halves. */
static double *random_values(int64_t count, uint64_t *seed)
{
    double *values = zeros(count, sizeof *values);
    for (int64_t i = 0; i < count; i++) values[i] = nearbyint(reference_random(seed) * 1024) / 1024;
    return values;
}

Problem problem_create(SinoGeometry scan, bool symmetry)
{
    uint64_t seed = 11;
    Problem problem = {.scan = scan, .symmetry = symmetry};
    assert_success(sino_layout_new(&scan, SINO_SINGLE, symmetry, &problem.layout));
    problem.reference = reference_operator_create(&problem.layout.geometry);
    problem.x = random_values(problem.reference.voxel_count * SLICES, &seed);
    problem.y = random_values(problem.reference.ray_count * SLICES, &seed);
    return problem;
}

void problem_free(Problem *problem)
{
    sino_layout_free(&problem->layout);
    reference_operator_free(&problem->reference);
    free(problem->x);
    free(problem->y);
}

int64_t voxel_of(const Problem *problem, const Partition *partition, int64_t t, int v)
{
    const int64_t size = problem->scan.grid_size;
    const int64_t row = sino_tile_first_voxel(size, partition->tile[t].row) + v / SINO_TILE;
    const int64_t column = sino_tile_first_voxel(size, partition->tile[t].column) + v % SINO_TILE;
    return row >= 0 && row < size && column >= 0 && column < size ? row * size + column : -1;
}

Expected expected_create(const Problem *problem, const Partition *partition)
{
    const ReferenceOperator *a = &problem->reference;
    bool *mine = zeros(a->voxel_count, sizeof *mine);
    for (int64_t t = 0; t < partition->tile_count; t++)
        for (int v = 0; v < SINO_TILE_VOXELS; v++) {
            const int64_t voxel = voxel_of(problem, partition, t, v);
            if (voxel >= 0) mine[voxel] = true;
        }
    Expected expected = {.y = zeros(a->ray_count * SLICES, sizeof(double)),
                         .y_size = zeros(a->ray_count * SLICES, sizeof(double)),
                         .x = zeros(a->voxel_count * SLICES, sizeof(double)),
                         .x_size = zeros(a->voxel_count * SLICES, sizeof(double))};
    for (int64_t ray = 0; ray < a->ray_count; ray++)
        for (int64_t voxel = 0; voxel < a->voxel_count; voxel++) {
            const double length = a->length[ray * a->voxel_count + voxel];
            if (length == 0 || !mine[voxel]) continue;
            for (int f = 0; f < SLICES; f++) {
                const int64_t at_ray = ray * SLICES + f, at_voxel = voxel * SLICES + f;
                expected.y[at_ray] += length * problem->x[at_voxel];
                expected.y_size[at_ray] += length * fabs(problem->x[at_voxel]);
                expected.x[at_voxel] += length * problem->y[at_ray];
                expected.x_size[at_voxel] += length * fabs(problem->y[at_ray]);
            }
        }
    free(mine);
    return expected;
}

void expected_free(Expected *expected)
{
    free(expected->y);
    free(expected->y_size);
    free(expected->x);
    free(expected->x_size);
}

/* The footprint: rays that were touched, or all. local[ray]: its place in it. */
static uint32_t *number_rays(const Problem *problem, const Partition *partition, const uint8_t *touched, Packed *packed)
{
    const int64_t rays = problem->reference.ray_count;
    uint32_t *local = zeros(rays, sizeof *local);
    packed->ray = zeros(rays, sizeof(uint32_t));
    for (int64_t ray = 0; ray < rays; ray++) {
        const bool mine = touched[ray] || !partition->has_footprint;
        local[ray] = mine ? (uint32_t)packed->ray_count : UINT32_MAX;
        if (mine) packed->ray[packed->ray_count++] = (uint32_t)ray;
    }
    return local;
}

/* Adds the visits of one section; returns its bytes. */
static int64_t count_section(const Packed *packed, SinoSectionHeader *header, int64_t *of_ray, int64_t *of_tile)
{
    SinoSection section;
    int64_t step = 0;
    sino_section_arrays(header, (SinoPrecision)packed->block->precision, &section);
    for (int g = 0; g < SINO_ORIENTATIONS; g++) {
        if (!(header->orientations >> g & 1)) continue;
        of_tile[sino_block_tiles(packed->block)[header->tile * SINO_ORIENTATIONS + g]]++;
        for (int64_t i = 0; i < (int64_t)header->group_count * SINO_GROUP_RAYS; i++) {
            assert_true(section.ray[i] + step < packed->ray_count);
            of_ray[section.ray[i] + step]++;
        }
        step += header->step;
    }
    const uint32_t *const ahead = section.ray + (int64_t)header->group_count * SINO_GROUP_RAYS;
    for (int i = 0; i < SINO_GROUPS_AHEAD * SINO_GROUP_RAYS; i++)
        assert_int_equal(ahead[i], ahead[i % SINO_GROUP_RAYS - SINO_GROUP_RAYS]);
    return header->bytes;
}

/* How often each row is written, of the rays and of the tiles; all of them are in the block's vectors. */
static void count_visits(Packed *packed)
{
    const SinoBlockHeader *block = packed->block;
    int64_t *of_ray = zeros(packed->ray_count, sizeof *of_ray), *of_tile = zeros(block->tile_count, sizeof *of_tile);
    for (int64_t i = 0; i < block->piece_count; i++) {
        const SinoBlockPiece piece = sino_block_pieces(block)[i];
        for (int64_t at = piece.offset; at < piece.offset + piece.bytes;)
            at += count_section(packed, (SinoSectionHeader *)(void *)((char *)packed->block + at), of_ray, of_tile);
    }
    for (int64_t i = 0; i < packed->ray_count; i++)
        packed->ray_visits = of_ray[i] > packed->ray_visits ? of_ray[i] : packed->ray_visits;
    for (int64_t t = 0; t < block->tile_count; t++)
        packed->tile_visits = of_tile[t] > packed->tile_visits ? of_tile[t] : packed->tile_visits;
    free(of_ray);
    free(of_tile);
}

Packed pack(const Problem *problem, const Partition *partition, SinoPrecision precision)
{
    enum { CAPACITY = 256 << 20 };
    const int64_t half = partition->tile_count / 2, rest = partition->tile_count - half;
    const int64_t pieces = sino_pack_piece_count(half, partition->tile);
    const int64_t more_pieces = sino_pack_piece_count(rest, partition->tile + half);
    SinoLayout layout;
    assert_success(sino_layout_new(&problem->scan, precision, problem->symmetry, &layout));
    uint8_t *touched = zeros(problem->reference.ray_count, 1);
    SinoPackArea area = {.block = sino_reserve(CAPACITY),
                         .capacity = CAPACITY,
                         .used = sino_block_head_bytes(partition->tile_count, pieces + more_pieces)};
    assert_non_null(area.block);
    SinoBlockPiece *piece = (SinoBlockPiece *)sino_block_pieces((SinoBlockHeader *)(void *)area.block);
    SinoPackRun run[2] = {{.layout = &layout, .tile_count = half, .tile = partition->tile, .piece = piece},
                          {.layout = &layout,
                           .first_tile = half,
                           .tile_count = rest,
                           .tile = partition->tile + half,
                           .piece = piece + pieces}};
    for (int i = 1; i >= 0; i--) {
        run[i].area = &area;
        run[i].touched = touched;
        assert_success(sino_pack_run(&run[i]));
    }
    Packed packed = {0};
    uint32_t *local = number_rays(problem, partition, touched, &packed);
    if (partition->has_footprint) sino_pack_renumber(precision, pieces + more_pieces, piece, local, area.block);
    const SinoBlockHeader header = {.bytes = area.used,
                                    .tile_count = partition->tile_count,
                                    .piece_count = pieces + more_pieces,
                                    .ray_count = packed.ray_count,
                                    .nonzero_count = run[0].nonzero_count + run[1].nonzero_count,
                                    .stored_count = run[0].stored_count + run[1].stored_count,
                                    .precision = precision};
    assert_success(sino_pack_head(&header, &layout, partition->tile, area.block));
    assert_memory_equal(area.block, &header, sizeof header);
    assert_success(sino_allocate(header.bytes, 1, "a block", &packed.block));
    memcpy(packed.block, area.block, (size_t)header.bytes);
    sino_release(area.block, area.capacity);
    free(touched);
    free(local);
    sino_layout_free(&layout);
    count_visits(&packed);
    return packed;
}

void packed_free(Packed *packed)
{
    free(packed->block);
    free(packed->ray);
}

Partition random_tiles(const Problem *problem, double chance, uint64_t *seed)
{
    const int64_t size = problem->scan.grid_size, side = sino_tile_side(size);
    Partition partition = {.name = "random tiles", .has_footprint = true};
    bool *taken = zeros(side * side, sizeof *taken);
    for (int64_t i = 0; i < side * side; i++) {
        if ((reference_random(seed) + 1) / 2 >= chance) continue;
        for (int g = 0; g < (problem->layout.orientations == 1 ? 1 : SINO_ORIENTATIONS); g++) {
            int64_t row = i / side, column = i % side;
            sino_orientation_place(g, side, &row, &column);
            if (sino_tile_range(size, row).count == 0 || sino_tile_range(size, column).count == 0) continue;
            if (taken[row * side + column]) continue;
            taken[row * side + column] = true;
            const int64_t before = (int64_t)((reference_random(seed) + 1) / 2 * (double)(partition.tile_count + 1));
            partition.tile[partition.tile_count++] = partition.tile[before];
            partition.tile[before] = (SinoTilePlace){.row = (int32_t)row, .column = (int32_t)column};
        }
    }
    free(taken);
    return partition;
}

Partition whole_grid(const Problem *problem)
{
    uint64_t seed = 1;
    Partition partition = random_tiles(problem, 1, &seed);
    partition.name = "whole grid";
    partition.has_footprint = false;
    return partition;
}

SinoGeometry scan_of(const TestingAngles *angles, int64_t columns, int64_t size, double center)
{
    return (SinoGeometry){angles->count, columns, size, angles->rad, center, 0};
}

int64_t testing_stride(int64_t slice_count, int64_t width)
{
    int64_t last = 1;
    while (last < slice_count % width) last *= 2;
    return slice_count / width * width + (slice_count % width > 0 ? last : 0);
}

double testing_tolerance(SinoPrecision precision, double size, int64_t visits)
{
    enum { TERMS = 128 };
    const double in_single = 8 * (double)FLT_EPSILON, in_half = 0x1.01p-11;
    switch (precision) {
    case SINO_DOUBLE:
        return 1e-14 * size + 1e-11;
    case SINO_SINGLE:
        return in_single * size + 1e-11;
    case SINO_MIXED:
        return (in_single + in_half) * size + TERMS * 0x1p-25;
    default:
        return (in_single + in_half * (double)(1 + visits)) * size + (double)(TERMS + visits) * 0x1p-25;
    }
}
