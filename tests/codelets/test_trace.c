/* SPDX-License-Identifier: BSD-3-Clause */
/* Trace: lengths, counts and layout of traced tiles against the reference operator, and counts of measured scans. */
#include "trace_sections.h"

#include "half.h"
#include "reference_operator.h"
#include "testing.h"
#include "testing_angles.h"

#include <math.h>

/* Lengths below this are not stored (trace_cpu.c). */
static const double least_length = 1e-10;

enum { ANGLES_MAX = 40 };

static const double degree = M_PI / 180;

/* What the traced tiles say, as a dense matrix of every orientation, its rays in the layout's order. */
typedef struct Traced {
    SinoLayout layout; /* owned */
    double *length;    /* [ray][row][column]; owned */
    int64_t nonzero_count, stored_nonzero_count, stored_count;
} Traced;

static void traced_free(Traced *traced)
{
    sino_layout_free(&traced->layout);
    free(traced->length);
}

static SinoLayout layout_of(const SinoGeometry *scan, SinoPrecision precision, bool symmetry)
{
    SinoLayout layout;
    assert_success(sino_layout_new(scan, precision, symmetry, &layout));
    return layout;
}

static double length_at(SinoPrecision precision, const void *lengths, int64_t at)
{
    if (precision == SINO_DOUBLE) return ((const double *)lengths)[at];
    if (precision == SINO_SINGLE) return (double)((const float *)lengths)[at];
    return (double)sino_half_value(((const SinoHalf *)lengths)[at]);
}

/* Where voxel v of a tile lies in orientation g: its number in the grid, −1 outside. */
static int64_t grid_voxel(int64_t size, SinoTilePlace tile, int voxel, int orientation)
{
    const int64_t before = sino_tile_first_voxel(size, 0);
    int64_t row = (int64_t)tile.row * SINO_TILE + voxel / SINO_TILE;
    int64_t column = (int64_t)tile.column * SINO_TILE + voxel % SINO_TILE;
    sino_orientation_place(orientation, sino_tile_side(size) * SINO_TILE, &row, &column);
    row += before;
    column += before;
    return row >= 0 && row < size && column >= 0 && column < size ? row * size + column : -1;
}

/* One length, in each of the section's orientations: each pair of ray and voxel has one. */
static void add_length(Traced *traced, const SinoSectionHeader *header, SinoTilePlace tile, int voxel, uint32_t ray,
                       double length)
{
    const int64_t size = traced->layout.geometry.grid_size;
    int64_t row = ray;
    assert_true(length > 0);
    for (int g = 0; g < SINO_ORIENTATIONS; g++) {
        if (!(header->orientations >> g & 1)) continue;
        const int64_t at = grid_voxel(size, tile, voxel, g);
        assert_true(at >= 0 && row < sino_geometry_ray_count(&traced->layout.geometry));
        assert_true(traced->length[row * size * size + at] == 0);
        traced->length[row * size * size + at] = length;
        traced->nonzero_count++;
        row += header->step;
    }
}

static int class_of(const SinoLayout *layout, uint32_t orientations)
{
    for (int c = 0; c < layout->class_count; c++)
        if (layout->angle_class[c].orientations == orientations) return c;
    fail_msg("no class has the orientations %#x", orientations);
    return 0;
}

/* The group's rays are of group_angles angles of the section's class, counted from its first. */
static void check_rays(const SinoLayout *layout, const SinoSectionHeader *header, const uint32_t *ray,
                       int64_t *section_block)
{
    const SinoAngleClass *class = &layout->angle_class[class_of(layout, header->orientations)];
    assert_int_equal(header->step, class->count * layout->geometry.column_count);
    const int64_t first = (int64_t)ray[0] / layout->geometry.column_count - class->first;
    for (int r = 0; r < SINO_GROUP_RAYS; r++) {
        const int64_t angle = (int64_t)ray[r] / layout->geometry.column_count - class->first;
        assert_true(angle >= 0 && angle < class->count);
        assert_int_equal(angle / layout->group_angles, first / layout->group_angles);
    }
    const int64_t block = first / (SINO_SECTION_GROUPS * layout->group_angles);
    assert_true(*section_block < 0 || *section_block == block);
    *section_block = block;
}

/* Adds one group of `count` voxels to the matrix. All of its voxels are crossed and differ, but one more may make their
 * number even. */
static void read_group(Traced *traced, const SinoSectionHeader *header, SinoTilePlace tile, const uint32_t *ray,
                       int count, const uint8_t *voxel, const double *length)
{
    bool seen[SINO_TILE_VOXELS] = {false};
    assert_true(count % 2 == 0 && count >= 2 && count <= SINO_GROUP_VOXELS);
    for (int i = 0; i < count; i++) {
        bool crossed = false;
        for (int r = 0; r < SINO_GROUP_RAYS; r++) {
            const double value = length[i * SINO_GROUP_RAYS + r];
            if (value == 0) continue;
            crossed = true;
            traced->stored_nonzero_count++;
            add_length(traced, header, tile, voxel[i], ray[r], value);
        }
        assert_true(crossed ? !seen[voxel[i]] : i == count - 1);
        seen[voxel[i]] = true;
    }
}

static void check_arrays(const uint8_t *base, const SinoSectionHeader *header, const SinoSection *section,
                         SinoPrecision precision)
{
    const uint8_t *const lengths = section->length;
    const int64_t length_bytes = (int64_t)header->voxel_count * SINO_GROUP_RAYS * sino_precision_bytes(precision);
    assert_true(header->group_count >= 1 && header->orientations & 1);
    assert_int_equal(((const uint8_t *)header - base) % 32, 0);
    assert_int_equal(header->bytes % 32, 0);
    assert_int_equal(((const uint8_t *)section->ray - base) % 8, 0);
    assert_int_equal((section->count - base) % 8, 0);
    assert_int_equal((section->voxel - base) % 8, 0);
    assert_int_equal((lengths - base) % 32, 0);
    assert_true((const uint8_t *)section->ray == (const uint8_t *)(header + 1));
    assert_true(section->count >=
                (const uint8_t *)(section->ray + (header->group_count + SINO_GROUPS_AHEAD) * (int64_t)SINO_GROUP_RAYS));
    assert_true(section->voxel >= section->count + header->group_count);
    assert_true(lengths >= section->voxel + header->voxel_count);
    assert_true(header->bytes >= lengths + length_bytes - (const uint8_t *)header);
}

/* Adds one section to the matrix, checking all that block.h says of it. Returns its block of angles. */
static int64_t read_section(Traced *traced, const uint8_t *base, SinoSectionHeader *header, SinoTilePlace tile)
{
    SinoSection section;
    int64_t voxels = 0, block = -1;
    const int64_t before = traced->stored_nonzero_count;
    assert_int_equal(sino_section_arrays(header, SINO_DOUBLE, &section), header->bytes);
    check_arrays(base, header, &section, SINO_DOUBLE);
    for (int32_t g = 0; g < header->group_count; g++) {
        const uint32_t *ray = section.ray + (int64_t)g * SINO_GROUP_RAYS;
        check_rays(&traced->layout, header, ray, &block);
        read_group(traced, header, tile, ray, section.count[g], section.voxel + voxels,
                   (const double *)section.length + voxels * SINO_GROUP_RAYS);
        voxels += section.count[g];
    }
    assert_int_equal(voxels, header->voxel_count);
    assert_int_equal(traced->stored_nonzero_count - before, header->nonzero_count);
    traced->stored_count += voxels * SINO_GROUP_RAYS;
    const uint32_t *end = section.ray + (int64_t)header->group_count * SINO_GROUP_RAYS;
    for (int i = 0; i < SINO_GROUPS_AHEAD * SINO_GROUP_RAYS; i++)
        assert_int_equal(end[i], end[i % SINO_GROUP_RAYS - SINO_GROUP_RAYS]);
    return block;
}

/* Every tile, super-tile by super-tile, from the last to the first, so that order and ray numbers are seen to be free.
 */
static int64_t all_tiles(int64_t size, SinoTilePlace **result)
{
    const int64_t side = sino_tile_side(size), super = side / SINO_SUPER_TILE;
    const int64_t in_super = SINO_SUPER_TILE * SINO_SUPER_TILE;
    SinoTilePlace *tile = calloc((size_t)(side * side), sizeof *tile);
    assert_non_null(tile);
    for (int64_t i = 0; i < side * side; i++)
        tile[side * side - 1 - i] =
            (SinoTilePlace){.column = (int32_t)(i / in_super % super * SINO_SUPER_TILE + i % SINO_SUPER_TILE),
                            .row = (int32_t)(i / in_super / super * SINO_SUPER_TILE + i / SINO_SUPER_TILE % 4)};
    *result = tile;
    return side * side;
}

static SinoTrace trace_all(const SinoLayout *layout, SinoTilePlace **tile)
{
    SinoTrace trace = {0};
    const int64_t tile_count = all_tiles(layout->geometry.grid_size, tile);
    assert_success(sino_trace_tiles(layout, 0, tile_count, *tile, &trace));
    assert_int_equal(trace.precision, layout->precision);
    return trace;
}

/* Where a section comes: super-tile, class, block of angles, tile. */
static int64_t section_order(const SinoLayout *layout, const SinoSectionHeader *header, int64_t block)
{
    const int64_t in_super = SINO_SUPER_TILE * SINO_SUPER_TILE;
    const int64_t class = class_of(layout, header->orientations);
    return ((header->tile / in_super * SINO_ANGLE_CLASSES + class) * 100000 + block) * in_super +
           header->tile % in_super;
}

static Traced trace_dense(const SinoGeometry *scan, bool symmetry)
{
    Traced traced = {.layout = layout_of(scan, SINO_DOUBLE, symmetry)};
    const int64_t voxels = scan->grid_size * scan->grid_size, rays = sino_geometry_ray_count(scan);
    traced.length = calloc((size_t)(rays * voxels), sizeof(double));
    assert_non_null(traced.length);
    SinoTilePlace *tile;
    SinoTrace trace = trace_all(&traced.layout, &tile);
    int64_t last = -1;
    for (int64_t at = 0; at < trace.size;) {
        SinoSectionHeader *header = (void *)(trace.bytes + at);
        const int64_t block = read_section(&traced, trace.bytes, header, tile[header->tile]);
        const int64_t order = section_order(&traced.layout, header, block);
        assert_true(order > last);
        last = order;
        at += header->bytes;
        assert_true(at <= trace.size);
    }
    assert_int_equal(traced.nonzero_count, trace.nonzero_count);
    assert_int_equal(traced.stored_nonzero_count, trace.stored_nonzero_count);
    assert_int_equal(traced.stored_count, trace.stored_count);
    sino_trace_free(&trace);
    free(tile);
    return traced;
}

/* 1e−12, and more for rays so close to an axis that a crossing's place is no better known in double. */
static double tolerance_of(const SinoGeometry *geometry, int64_t ray)
{
    const double angle = geometry->angle_rad[ray / geometry->column_count];
    const double least = fmin(fabs(cos(angle)), fabs(sin(angle)));
    return 1e-12 * (least < 1e-9 ? 1 : fmax(1, 0.05 / least));
}

static void check_totals(const Traced *traced)
{
    const SinoGeometry *geometry = &traced->layout.geometry;
    const int64_t voxels = geometry->grid_size * geometry->grid_size;
    for (int64_t ray = 0; ray < sino_geometry_ray_count(geometry); ray++) {
        double total = 0;
        for (int64_t v = 0; v < voxels; v++) total += traced->length[ray * voxels + v];
        const double chord = reference_chord(geometry, ray);
        const double tolerance = (double)geometry->grid_size * fmax(least_length, 4 * tolerance_of(geometry, ray));
        if (!(fabs(total - chord) <= tolerance))
            fail_msg("N %d, center %g: ray %d has length %.15g, its chord is %.15g", (int)geometry->grid_size,
                     geometry->center, (int)ray, total, chord);
    }
}

static void check_lengths(const Traced *traced, const ReferenceOperator *reference)
{
    const SinoGeometry *geometry = &traced->layout.geometry;
    for (int64_t i = 0; i < reference->ray_count * reference->voxel_count; i++) {
        const int64_t ray = i / reference->voxel_count, voxel = i % reference->voxel_count;
        if (fabs(traced->length[i] - reference->length[i]) <= tolerance_of(geometry, ray)) continue;
        fail_msg("N %d, M %d, center %g, angle %.15g: column %d, voxel (%d, %d): %.15g, reference %.15g",
                 (int)geometry->grid_size, (int)geometry->column_count, geometry->center,
                 geometry->angle_rad[ray / geometry->column_count], (int)(ray % geometry->column_count),
                 (int)(voxel / geometry->grid_size), (int)(voxel % geometry->grid_size), traced->length[i],
                 reference->length[i]);
    }
}

/* The section says the same in another precision: the same lengths, rounded. */
static void check_rounded(SinoSectionHeader *exact, SinoSectionHeader *rounded, SinoPrecision precision)
{
    SinoSection a, b;
    sino_section_arrays(exact, SINO_DOUBLE, &a);
    assert_int_equal(sino_section_arrays(rounded, precision, &b), rounded->bytes);
    check_arrays((const uint8_t *)rounded, rounded, &b, precision);
    SinoSectionHeader header = *rounded;
    header.bytes = exact->bytes;
    assert_memory_equal(&header, exact, sizeof header);
    assert_memory_equal(a.ray, b.ray,
                        sizeof(uint32_t) * SINO_GROUP_RAYS * (size_t)(header.group_count + SINO_GROUPS_AHEAD));
    assert_memory_equal(a.count, b.count, (size_t)header.group_count);
    assert_memory_equal(a.voxel, b.voxel, (size_t)header.voxel_count);
    for (int64_t i = 0; i < (int64_t)header.voxel_count * SINO_GROUP_RAYS; i++) {
        const double length = length_at(SINO_DOUBLE, a.length, i), stored = length_at(precision, b.length, i);
        if (precision == SINO_SINGLE) assert_true(stored == (double)(float)length);
        /* Half a last place, a little more since single comes first; subnormal below 2⁻¹⁴. */
        if (precision != SINO_SINGLE) assert_true(fabs(stored - length) <= fmax(0x1.001p-11 * length, 0x1.001p-25));
    }
}

static void check_precision(const SinoGeometry *scan, bool symmetry, SinoPrecision precision)
{
    SinoLayout exact_layout = layout_of(scan, SINO_DOUBLE, symmetry), layout = layout_of(scan, precision, symmetry);
    SinoTilePlace *tile[2];
    SinoTrace exact = trace_all(&exact_layout, &tile[0]), rounded = trace_all(&layout, &tile[1]);
    assert_int_equal(exact.nonzero_count, rounded.nonzero_count);
    assert_int_equal(exact.stored_nonzero_count, rounded.stored_nonzero_count);
    assert_int_equal(exact.stored_count, rounded.stored_count);
    int64_t a = 0, b = 0;
    while (a < exact.size && b < rounded.size) {
        SinoSectionHeader *p = (void *)(exact.bytes + a), *q = (void *)(rounded.bytes + b);
        assert_int_equal(b % 32, 0);
        check_rounded(p, q, precision);
        a += p->bytes;
        b += q->bytes;
    }
    assert_true(a == exact.size && b == rounded.size);
    sino_trace_free(&exact);
    sino_trace_free(&rounded);
    for (int i = 0; i < 2; i++) free(tile[i]);
    sino_layout_free(&exact_layout);
    sino_layout_free(&layout);
}

/* Every length, the count and the totals of a geometry with no ray along a grid line. */
static void check_layout(const SinoGeometry *scan, bool symmetry)
{
    Traced traced = trace_dense(scan, symmetry);
    ReferenceOperator reference = reference_operator_create(&traced.layout.geometry);
    check_lengths(&traced, &reference);
    check_totals(&traced);
    assert_int_equal(traced.nonzero_count, reference_operator_nonzero_count(&reference, least_length));
    if (!symmetry || scan->grid_size % 2 == 1) assert_int_equal(traced.stored_nonzero_count, traced.nonzero_count);
    reference_operator_free(&reference);
    traced_free(&traced);
}

static void check_geometry(const SinoGeometry *scan)
{
    check_layout(scan, true);
    check_precision(scan, true, SINO_SINGLE);
}

static const int grid_sizes[] = {1, 2, 15, 16, 17, 33, 48, 64};
enum { GRID_SIZES = sizeof grid_sizes / sizeof *grid_sizes };

/* Detector widths and centers for a grid of N: centered, off by a fraction, wide, narrow, partly and wholly outside. */
static int detectors_of(int size, SinoGeometry *geometry)
{
    const struct {
        int columns;
        double center;
    } detector[] = {
        {size, (size - 1) / 2.0},    {size + 1, size / 2.0 + 0.37},  {size + 6, size / 3.0 - 0.123},
        {2 * size + 1, -size / 4.0}, {size / 2 + 1, size + 0.2718},  {1, 0.1},
        {size, -3.0 * size - 5},     {3 * size / 2 + 2, size * 0.9},
    };
    const int count = sizeof detector / sizeof *detector;
    for (int i = 0; i < count; i++)
        geometry[i] =
            (SinoGeometry){.column_count = detector[i].columns, .grid_size = size, .center = detector[i].center};
    return count;
}

static void random_angles_match_reference(void **state)
{
    (void)state;
    uint64_t seed = 1;
    double angle[ANGLES_MAX];
    for (int n = 0; n < GRID_SIZES; n++) {
        SinoGeometry geometry[8];
        const int count = detectors_of(grid_sizes[n], geometry);
        for (int i = 0; i < count; i++) {
            geometry[i].angle_count = grid_sizes[n] > 32 ? 9 : 18; /* beyond one group's angles */
            geometry[i].angle_rad = angle;
            for (int k = 0; k < ANGLES_MAX; k++) angle[k] = 4 * M_PI * reference_random(&seed);
            check_geometry(&geometry[i]);
        }
    }
}

/* Axes and diagonals, with rays between grid lines, and angles close to them. */
static void special_angles_match_reference(void **state)
{
    (void)state;
    static const double deg[] = {0, 90, 180, 270, 360, -90, -180, 450, 45, 135, -45, 405, -765, 30, 26.565051177077990};
    static const double close_deg[] = {0.5, 89.5, 90.01, -0.1, 179.99, 45.0001, 44.99};
    double angle[ANGLES_MAX];
    int count = 0;
    for (size_t k = 0; k < sizeof deg / sizeof *deg; k++) angle[count++] = deg[k] * degree;
    for (size_t k = 0; k < sizeof close_deg / sizeof *close_deg; k++) angle[count++] = close_deg[k] * degree;
    for (int n = 0; n < GRID_SIZES; n++) {
        const int size = grid_sizes[n];
        const double center = (size - 1) / 2.0 + 0.21;
        check_geometry(&(SinoGeometry){count, size < 64 ? size + 2 : 20, size, angle, center, 0});
    }
}

/* Whatever angles follow from others: the sections of stored ones, in every orientation, are all of the matrix. */
static void all_orientations_match_reference(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 16, 17, 34, 48};
    for (int kind = 0; kind < TESTING_ANGLES_KINDS; kind += TESTING_STEP) {
        const TestingAngles angles = testing_angles(kind);
        for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
            const int size = sizes[n];
            const SinoGeometry centered = {angles.count, size, size, angles.rad, (size - 1) / 2.0, 0};
            const SinoGeometry beside = {angles.count, size / 2 + 3, size, angles.rad, size / 3.0 + 0.12, 0};
            check_layout(&centered, true);
            check_layout(&beside, true);
            check_layout(&beside, false);
        }
    }
}

static void precisions_store_the_same_rounded(void **state)
{
    (void)state;
    static const SinoPrecision precisions[] = {SINO_SINGLE, SINO_DOUBLE, SINO_HALF, SINO_MIXED};
    for (int p = 0; p < 4; p++)
        for (int kind = 0; kind < TESTING_ANGLES_KINDS; kind += 3) {
            const TestingAngles angles = testing_angles(kind);
            check_precision(&(SinoGeometry){angles.count, 40, 38, angles.rad, 18.3, 0}, true, precisions[p]);
            check_precision(&(SinoGeometry){angles.count, 40, 37, angles.rad, 18.3, 0}, false, precisions[p]);
        }
}

/* Bit for bit, with what fills up arrays: whatever was in memory before. */
static void traces_are_reproducible(void **state)
{
    (void)state;
    const TestingAngles angles = testing_angles(0);
    const SinoGeometry geometry = {angles.count, 70, 66, angles.rad, 31.7, 0};
    SinoLayout layout = layout_of(&geometry, SINO_HALF, true);
    SinoTilePlace *tile[2];
    SinoTrace first = trace_all(&layout, &tile[0]);
    void *dirt = malloc((size_t)first.capacity);
    assert_non_null(dirt);
    memset(dirt, 0xff, (size_t)first.capacity);
    free(dirt);
    SinoTrace second = trace_all(&layout, &tile[1]);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.bytes, second.bytes, (size_t)first.size);
    sino_trace_free(&first);
    sino_trace_free(&second);
    for (int i = 0; i < 2; i++) free(tile[i]);
    sino_layout_free(&layout);
}

/* Sizes tell where sections are in the trace of the tiles, and what they hold. */
static void check_sizes(const SinoTrace *trace, int64_t count, const SinoTraceSection *section,
                        const SinoTraceSize *size)
{
    int64_t at = 0;
    for (int64_t i = 0; i < count; i++) {
        const SinoSectionHeader *header = (const void *)(trace->bytes + at);
        assert_int_equal(size[i].offset, at);
        at += size[i].bytes;
        if (size[i].group_count == 0) assert_int_equal(size[i].bytes + size[i].nonzero_count + size[i].voxel_count, 0);
        if (size[i].group_count == 0) continue;
        assert_int_equal(size[i].bytes, header->bytes);
        assert_int_equal(size[i].nonzero_count, header->nonzero_count);
        assert_int_equal(size[i].group_count, header->group_count);
        assert_int_equal(size[i].voxel_count, header->voxel_count);
        assert_int_equal(section[i].tile, header->tile);
    }
    assert_int_equal(at, trace->size);
    assert_int_equal(size[count].offset, at);
    assert_int_equal(size[count].bytes, at);
    assert_int_equal(size[count].nonzero_count + size[count].group_count + size[count].voxel_count, 0);
}

static void check_passes(const SinoGeometry *scan, bool symmetry, SinoPrecision precision)
{
    SinoTilePlace *tile;
    SinoLayout layout = layout_of(scan, precision, symmetry);
    SinoTrace trace = trace_all(&layout, &tile);
    const int64_t side = sino_tile_side(scan->grid_size), tiles = side * side;
    const int64_t count = sino_trace_sections(&layout, 0, tiles, tile, NULL);
    SinoTraceSection *section = malloc((size_t)(count + 1) * sizeof *section);
    SinoTraceSize *size = malloc((size_t)(count + 1) * sizeof *size);
    uint8_t *bytes = aligned_alloc(64, (size_t)trace.size / 64 * 64 + 64);
    assert_true(section && size && bytes);
    memset(size, 0xff, (size_t)(count + 1) * sizeof *size);
    memset(bytes, 0xff, (size_t)trace.size + 1);
    assert_int_equal(sino_trace_sections(&layout, 0, tiles, tile, section), count);
    assert_success(sino_trace_measure(&layout, count, section, size));
    check_sizes(&trace, count, section, size);
    assert_success(sino_trace_fill(&layout, count, section, size, bytes));
    assert_memory_equal(bytes, trace.bytes, (size_t)trace.size);
    assert_int_equal(bytes[trace.size], 0xff);
    free(section);
    free(size);
    free(bytes);
    free(tile);
    sino_trace_free(&trace);
    sino_layout_free(&layout);
}

/* Of grids whose rays miss some tiles, too. */
static void two_passes_make_the_same_bytes(void **state)
{
    (void)state;
    static const SinoPrecision precisions[] = {SINO_SINGLE, SINO_DOUBLE, SINO_HALF, SINO_MIXED};
    for (int kind = 0; kind < TESTING_ANGLES_KINDS; kind++) {
        const TestingAngles angles = testing_angles(kind);
        check_passes(&(SinoGeometry){angles.count, 40, 38, angles.rad, 18.3, 0}, true, precisions[kind % 4]);
        check_passes(&(SinoGeometry){angles.count, 9, 71, angles.rad, 4.2, 0}, false, precisions[(kind + 1) % 4]);
    }
}

/* Tiles cover the grid once, in its middle; turned and mirrored they are tiles. */
static void tiles_are_centered(void **state)
{
    (void)state;
    for (int64_t size = 1; size <= 300; size++) {
        const int64_t side = sino_tile_side(size);
        int64_t next = 0, used = 0;
        assert_true(side % (2 * SINO_SUPER_TILE) == 0 && (side - 2 * SINO_SUPER_TILE) * SINO_TILE < size);
        for (int64_t i = 0; i < side; i++) {
            const SinoTileRange range = sino_tile_range(size, i), mirrored = sino_tile_range(size, side - 1 - i);
            if (size % 2 == 0) assert_int_equal(range.count, mirrored.count);
            if (size % 2 == 0 && range.count > 0)
                assert_int_equal(range.first, SINO_TILE - mirrored.first - mirrored.count);
            if (range.count == 0) continue;
            assert_int_equal(sino_tile_first_voxel(size, i) + range.first, next);
            next += range.count;
            used++;
        }
        assert_int_equal(next, size);
        assert_int_equal(sino_tile_voxels(size), used * used * SINO_TILE_VOXELS);
    }
}

/* The ray through the axis at 45° meets voxels at their corners only: the diagonal has it all. */
static void diagonal_keeps_to_the_diagonal(void **state)
{
    (void)state;
    static const double deg[] = {45, 135, 225, 315, -45, 405, 765, -1125, 1395};
    double angle[ANGLES_MAX];
    const int count = sizeof deg / sizeof *deg;
    for (int k = 0; k < count; k++) angle[k] = deg[k] * degree;
    for (int size = 1; size <= 64; size++) {
        const SinoGeometry geometry = {count, 1, size, angle, 0, 0};
        Traced traced = trace_dense(&geometry, size % 4 < 2);
        for (int k = 0; k < count; k++)
            for (int v = 0; v < size * size; v++) {
                const int row = v / size, column = v % size;
                /* s = 0: y = −x·cosθ/sinθ, so x and y have the same sign where the tangent is negative. */
                const bool falls = tan(traced.layout.angle_rad[k]) > 0;
                const bool on = falls ? row == column : row == size - 1 - column;
                const double length = traced.length[(int64_t)k * size * size + v];
                if (fabs(length - (on ? M_SQRT2 : 0)) > 1e-10)
                    fail_msg("N %d, %g rad: voxel (%d, %d) has %.15g", size, traced.layout.angle_rad[k], row, column,
                             length);
            }
        traced_free(&traced);
    }
}

static void more_voxels_than_rays_and_reverse(void **state)
{
    (void)state;
    const double angle[] = {0.3, 1.1, -2.2};
    check_geometry(&(SinoGeometry){1, 3, 64, angle, 1.4, 0});
    check_geometry(&(SinoGeometry){3, 5, 40, angle, 2.05, 0});
    double many[ANGLES_MAX];
    for (int k = 0; k < ANGLES_MAX; k++) many[k] = 0.01 + k * M_PI / ANGLES_MAX;
    check_geometry(&(SinoGeometry){ANGLES_MAX, 64, 2, many, 31.3, 0});
    check_geometry(&(SinoGeometry){ANGLES_MAX, 301, 1, many, 150.2, 0});
}

/* Adds a section's lengths to its rays' totals, in every orientation. */
static void add_lengths(SinoSectionHeader *header, double *total)
{
    SinoSection section;
    sino_section_arrays(header, SINO_DOUBLE, &section);
    const double *length = section.length;
    for (int32_t g = 0; g < header->group_count; g++)
        for (int i = 0; i < section.count[g] * SINO_GROUP_RAYS; i++, length++)
            for (int n = 0; n < __builtin_popcount(header->orientations); n++)
                total[section.ray[g * SINO_GROUP_RAYS + i % SINO_GROUP_RAYS] + n * header->step] += *length;
}

/* Total length of every ray of the layout, tile by tile, without the dense matrix. */
static void sum_rays(const SinoLayout *layout, double *total)
{
    const int64_t side = sino_tile_side(layout->geometry.grid_size);
    for (int64_t t = 0; t < side * side; t++) {
        const SinoTilePlace tile = {.column = (int32_t)(t % side), .row = (int32_t)(t / side)};
        SinoTrace trace = {0};
        assert_success(sino_trace_tiles(layout, 0, 1, &tile, &trace));
        for (int64_t at = 0; at < trace.size;) {
            SinoSectionHeader *header = (void *)(trace.bytes + at);
            add_lengths(header, total);
            at += header->bytes;
        }
        sino_trace_free(&trace);
    }
}

static void check_chords(const SinoLayout *layout)
{
    const SinoGeometry *geometry = &layout->geometry;
    const double size = (double)geometry->grid_size;
    double *total = calloc((size_t)sino_geometry_ray_count(geometry), sizeof *total);
    assert_non_null(total);
    sum_rays(layout, total);
    for (int64_t ray = 0; ray < sino_geometry_ray_count(geometry); ray++) {
        const double a = geometry->angle_rad[ray / geometry->column_count], chord = reference_chord(geometry, ray);
        const double edge = fabs(reference_ray_offset(geometry, ray)) - size * (fabs(cos(a)) + fabs(sin(a))) / 2;
        const bool on_border = fabs(edge) < 1e-6 * size; /* along the grid's own edge: inside or outside */
        if (on_border ? total[ray] > size + 1e-6 : fabs(total[ray] - chord) > 1e-8 * size)
            fail_msg("N %g, %g rad, column %d: length %.12g, chord %.12g", size, a, (int)(ray % geometry->column_count),
                     total[ray], chord);
    }
    free(total);
}

#ifndef LARGE_SIZE
#define LARGE_SIZE 257
#endif

/* Rays along grid lines, those between tiles too, lie wholly on one side or the other, or in parts: never in both. */
static void rays_on_grid_lines_keep_their_length(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 15, 16, 17, 32, 33, 48, 64, 100, LARGE_SIZE};
    static const double deg[] = {0,   90, 180, 270, 360, -90, -180, 450,       540,
                                 630, 45, 135, 225, -45, 60,  1e-7, 90.0000001};
    double angle[ANGLES_MAX];
    const int count = sizeof deg / sizeof *deg;
    for (int k = 0; k < count; k++) angle[k] = deg[k] * degree;
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        const double size = sizes[n];
        /* Column − center is a multiple of 1/2 away from the axis, as grid lines are. */
        const SinoGeometry geometry = {count, sizes[n] + 5, sizes[n], angle, floor(size / 2) + 2 + fmod(size, 2) / 2,
                                       0};
        for (int symmetry = 0; symmetry <= 1; symmetry++) {
            SinoLayout layout = layout_of(&geometry, SINO_DOUBLE, symmetry);
            check_chords(&layout);
            sino_layout_free(&layout);
        }
    }
}

/* Whatever the last bits of the angle and the center: half to either side, so that a slice and its mirror image agree.
 */
static void rays_on_grid_lines_are_shared(void **state)
{
    (void)state;
    static const double nudge[] = {0, 1e-15, -1e-15};
    enum { SIZE = 32, LINE = 10 };
    for (int k = 0; k < 12; k++) {
        const double angle[] = {k / 3 * 90 * degree + nudge[k % 3]};
        const SinoGeometry geometry = {1, 1, SIZE, angle, SIZE / 2 - LINE + 1e-14 * (k % 2), 0};
        Traced traced = trace_dense(&geometry, true);
        assert_int_equal(traced.nonzero_count, 2 * SIZE);
        for (int64_t v = 0; v < (int64_t)SIZE * SIZE; v++)
            assert_true(traced.length[v] == 0 || fabs(traced.length[v] - 0.5) < 1e-12);
        traced_free(&traced);
    }
}

/* A ray across a corner of the grid, 2δ long where it passes δ inside: stored from 10⁻¹⁰ on. */
static void least_lengths_are_left_out(void **state)
{
    (void)state;
    static const double lengths[] = {1e-4, 1e-8, 1.1e-10, 0.9e-10, 1e-12, -1e-8};
    const double angle[] = {45 * degree};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const SinoGeometry geometry = {1, 1, 2, angle, -(M_SQRT2 - lengths[i] / 2), 0};
        Traced traced = trace_dense(&geometry, true);
        assert_int_equal(traced.nonzero_count, lengths[i] > least_length);
        if (lengths[i] > least_length) assert_true(fabs(traced.length[1] - lengths[i]) < 1e-14); /* top right */
        traced_free(&traced);
    }
}

static void no_tiles_and_no_rays_are_empty(void **state)
{
    (void)state;
    const double angle[] = {0.3};
    const SinoGeometry geometry = {1, 4, 20, angle, 1000, 0};
    const SinoTilePlace tile[] = {{3, 3}, {4, 4}};
    SinoLayout layout = layout_of(&geometry, SINO_SINGLE, true);
    SinoTrace trace = {0};
    assert_success(sino_trace_tiles(&layout, 0, 0, tile, &trace));
    assert_int_equal(trace.size, 0);
    assert_int_equal(trace.nonzero_count, 0);
    sino_trace_free(&trace);
    assert_success(sino_trace_tiles(&layout, 0, 2, tile, &trace));
    assert_int_equal(trace.size, 0);
    double expected = 1;
    sino_trace_estimate(&geometry, 1, tile, &expected);
    assert_true(expected == 0);
    sino_trace_free(&trace);
    assert_null(trace.bytes);
    sino_trace_free(&trace);
    sino_layout_free(&layout);
}

/* Nonzeros of all tiles, counted and estimated; `worst` is the estimate's largest relative error of a whole tile. */
typedef struct Count {
    int64_t nonzeros, stored_nonzeros;
    double estimate, worst;
} Count;

static Count count_tiles(const SinoGeometry *scan, bool symmetry)
{
    SinoLayout layout = layout_of(scan, SINO_SINGLE, symmetry);
    const int64_t side = sino_tile_side(scan->grid_size);
    Count count = {0};
    for (int64_t t = 0; t < side * side; t++) {
        const SinoTilePlace tile = {.column = (int32_t)(t % side), .row = (int32_t)(t / side)};
        SinoTrace trace = {0};
        assert_success(sino_trace_tiles(&layout, 0, 1, &tile, &trace));
        double expected;
        sino_trace_estimate(&layout.geometry, 1, &tile, &expected);
        count.nonzeros += trace.nonzero_count;
        count.stored_nonzeros += trace.stored_nonzero_count;
        count.estimate += expected;
        if (trace.nonzero_count > 0) count.worst = fmax(count.worst, fabs(expected / (double)trace.nonzero_count - 1));
        sino_trace_free(&trace);
    }
    sino_layout_free(&layout);
    return count;
}

static void estimate_is_close(void **state)
{
    (void)state;
    enum { ANGLES = 180 };
    static const struct {
        int columns, size;
        double center, total_error, tile_error;
    } scan[] = {{64, 64, 31.5, 0.02, 0.05},
                {97, 64, 40.2, 0.02, 0.05},
                {40, 80, 10.3, 0.03, 1},    /* tiles partly and wholly outside the detector */
                {90, 66, 44.5, 0.03, 0.6}}; /* tiles two voxels wide */
    double angle[ANGLES];
    for (int k = 0; k < ANGLES; k++) angle[k] = k * M_PI / ANGLES;
    for (size_t i = 0; i < sizeof scan / sizeof *scan; i++) {
        const SinoGeometry geometry = {ANGLES, scan[i].columns, scan[i].size, angle, scan[i].center, 0};
        const Count count = count_tiles(&geometry, false);
        const double nonzeros = (double)count.nonzeros;
        if (fabs(count.estimate / nonzeros - 1) > scan[i].total_error || count.worst > scan[i].tile_error)
            fail_msg("scan %d: estimate %g, count %g, worst tile off by %g", (int)i, count.estimate, nonzeros,
                     count.worst);
    }
}

/* A centered scan of the test data: `columns` wide, reconstructed on as many voxels. */
static void check_measured_scan(const char *name, int angle_count, int columns, int64_t expected)
{
    char path[TESTING_PATH];
    FILE *file = fopen(testing_data(path, name), "rb");
    assert_non_null(file);
    float *theta = calloc((size_t)angle_count, sizeof *theta);
    double *angle = calloc((size_t)angle_count, sizeof *angle);
    assert_true(theta && angle);
    assert_int_equal(fread(theta, sizeof *theta, (size_t)angle_count, file), angle_count);
    fclose(file);
    for (int k = 0; k < angle_count; k++) angle[k] = (double)theta[k];
    const SinoGeometry geometry = {angle_count, columns, columns, angle, (columns - 1) / 2.0, 0};
    for (int symmetry = 0; symmetry <= 1; symmetry++) {
        const Count count = count_tiles(&geometry, symmetry);
        const double nonzeros = (double)count.nonzeros, stored = (double)count.stored_nonzeros;
        print_message("%s: %.0f nonzeros, %.0f stored, published %.0f, estimated %.0f to %.3f\n", name, nonzeros,
                      stored, (double)expected, count.estimate, count.worst);
        assert_true(fabs(nonzeros / (double)expected - 1) < 1e-4);
        assert_true(fabs(count.estimate / nonzeros - 1) < 0.02);
        if (!symmetry) assert_true(count.worst < 0.05); /* else what a tile stores is its share of the others */
        assert_true(symmetry ? stored <= 0.27 * nonzeros : stored == nonzeros);
    }
    free(theta);
    free(angle);
}

static void ads1_has_its_nonzeros(void **state)
{
    (void)state;
    check_measured_scan("memxct/ADS1_theta.bin", 360, 256, 28201212);
}

static void ads2_has_its_nonzeros(void **state)
{
    (void)state;
    if (!getenv("SINODAG_TEST_SLOW")) {
        print_message("skipped: ADS2 takes 5 to 10 s; set SINODAG_TEST_SLOW\n");
        skip();
    }
    check_measured_scan("memxct/ADS2_theta.bin", 750, 512, 235015306);
}

TESTING_SUBJECT(trace)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_angles_match_reference),
        cmocka_unit_test(special_angles_match_reference),
        cmocka_unit_test(all_orientations_match_reference),
        cmocka_unit_test(precisions_store_the_same_rounded),
        cmocka_unit_test(traces_are_reproducible),
        cmocka_unit_test(two_passes_make_the_same_bytes),
        cmocka_unit_test(tiles_are_centered),
        cmocka_unit_test(diagonal_keeps_to_the_diagonal),
        cmocka_unit_test(more_voxels_than_rays_and_reverse),
        cmocka_unit_test(rays_on_grid_lines_keep_their_length),
        cmocka_unit_test(rays_on_grid_lines_are_shared),
        cmocka_unit_test(least_lengths_are_left_out),
        cmocka_unit_test(no_tiles_and_no_rays_are_empty),
        cmocka_unit_test(estimate_is_close),
        cmocka_unit_test(ads1_has_its_nonzeros),
        cmocka_unit_test(ads2_has_its_nonzeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
