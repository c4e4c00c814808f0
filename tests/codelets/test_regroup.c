/* SPDX-License-Identifier: BSD-3-Clause */
/* Regroup: gather lists of partitions' blocks. Plain loops in double over the lists are compared with plain loops over
 * the blocks and with the dense reference. The promises of the lists' tables are checked, too. */
#include "half.h"
#include "testing.h"
#include "testing_partition.h"
#include "testing_regroup.h"

#include <math.h>

enum { F = 2 /* slices that are multiplied */ };

static double length_at(int precision, const void *length, int64_t at)
{
    return element(sino_precision_bytes((SinoPrecision)precision), length, at);
}

/* The vectors of a partition, [row][F], inputs and outputs of both directions. */
typedef struct Vectors {
    double *x, *y;
    int64_t x_rows, y_rows;
} Vectors;

static Vectors vectors_create(const Problem *problem, const Partition *partition, const Packed *packed, bool filled)
{
    Vectors vectors = {.x_rows = partition->tile_count * SINO_TILE_VOXELS, .y_rows = packed->ray_count};
    vectors.x = zeros(vectors.x_rows * F, sizeof(double));
    vectors.y = zeros(vectors.y_rows * F, sizeof(double));
    for (int64_t i = 0; filled && i < vectors.x_rows * F; i++) {
        const int64_t row = i / F,
                      voxel = voxel_of(problem, partition, row / SINO_TILE_VOXELS, (int)(row % SINO_TILE_VOXELS));
        vectors.x[i] = voxel < 0 ? 30000 : problem->x[voxel * SLICES + i % F];
    }
    for (int64_t i = 0; filled && i < vectors.y_rows * F; i++)
        vectors.y[i] = problem->y[packed->ray[i / F] * SLICES + i % F];
    return vectors;
}

static void vectors_free(Vectors *vectors)
{
    free(vectors->x);
    free(vectors->y);
}

/* One length: to += length·from. */
static void multiply(double length, const double *from, double *to)
{
    for (int f = 0; f < F; f++) to[f] += length * from[f];
}

/* Row of voxel v of stored tile t in orientation g. */
static int64_t voxel_row(const int32_t *tiles, int64_t t, int g, int v)
{
    int64_t row = v / SINO_TILE, column = v % SINO_TILE;
    sino_orientation_place(g, SINO_TILE, &row, &column);
    return tiles[t * SINO_ORIENTATIONS + g] * (int64_t)SINO_TILE_VOXELS + row * SINO_TILE + column;
}

/* A section of the block in one orientation. */
static void multiply_section(const SinoBlockHeader *block, const SinoSectionHeader *header, int g, int64_t number,
                             const Vectors *from, Vectors *to)
{
    SinoSection section;
    int64_t at = 0;
    sino_section_arrays(header, (SinoPrecision)block->precision, &section);
    for (int i = 0; i < header->group_count; i++)
        for (int j = 0; j < section.count[i]; j++, at++)
            for (int r = 0; r < SINO_GROUP_RAYS; r++) {
                const double length = length_at((int)block->precision, section.length, at * SINO_GROUP_RAYS + r);
                const int64_t ray = section.ray[i * SINO_GROUP_RAYS + r] + number * header->step;
                const int64_t voxel = voxel_row(sino_block_tiles(block), header->tile, g, section.voxel[at]);
                multiply(length, from->x + voxel * F, to->y + ray * F);
                multiply(length, from->y + ray * F, to->x + voxel * F);
            }
}

static void multiply_block(const SinoBlockHeader *block, const Vectors *from, Vectors *to)
{
    for (int64_t i = 0; i < block->piece_count; i++) {
        const SinoBlockPiece piece = sino_block_pieces(block)[i];
        for (int64_t at = piece.offset; at < piece.offset + piece.bytes;) {
            const SinoSectionHeader *header = (const void *)((const char *)block + at);
            int64_t number = 0;
            for (int g = 0; g < SINO_ORIENTATIONS; g++)
                if (header->orientations >> g & 1) multiply_section(block, header, g, number++, from, to);
            at += header->bytes;
        }
    }
}

/* A visit in orientation g, number `number` of its orientations. */
typedef struct Visit {
    const SinoGatherHeader *header;
    const SinoGatherVisit *visit;
    const SinoGatherSpan *span;
    int g;
    int64_t number;
} Visit;

/* The row of a ray's slot, which the visit's spans have. */
static int64_t ray_row(const Visit *at, uint16_t slot)
{
    const int32_t columns = at->header->columns;
    const SinoGatherSpan span = at->span[slot / columns];
    const int32_t ahead = slot % columns - (int32_t)(span.first % (uint32_t)columns);
    const int64_t row = (int64_t)span.first + (ahead < 0 ? ahead + columns : ahead);
    assert_true(slot < at->header->angles * columns);
    assert_true(row >= span.first && row < (int64_t)span.first + span.count);
    return row + at->number * at->visit->step;
}

static int64_t slot_row(const Visit *at, bool of_ray, uint16_t slot)
{
    if (of_ray) return ray_row(at, slot);
    assert_in_range(slot, 0, SINO_TILE_VOXELS - 1);
    assert_int_equal(voxel_row(sino_gather_tiles(at->header), at->visit->tile, at->g, slot) % SINO_TILE_VOXELS,
                     sino_gather_voxel(at->g, slot));
    return voxel_row(sino_gather_tiles(at->header), at->visit->tile, at->g, slot);
}

/* One step of a bundle, length by length. */
static void multiply_step(const Visit *at, const SinoGatherBundle *bundle, const uint16_t *slot, const void *length,
                          const Vectors *from, Vectors *to)
{
    const SinoGatherHeader *header = at->header;
    const int outputs = header->outputs, groups = SINO_BUNDLE_OUTPUTS / outputs;
    const bool back = header->back;
    for (int q = 0; q < groups; q++)
        for (int k = 0; k < (groups == 1 ? 16 : 1); k++)
            for (int r = 0; r < outputs; r++) {
                const uint16_t output = bundle->output[q * outputs + r], input = slot[groups == 1 ? k : q];
                const double value =
                    length_at(header->precision, length, groups == 1 ? sino_gather_fragment(r, k) : q * outputs + r);
                const int64_t from_row = slot_row(at, back, input);
                if (output == SINO_GATHER_NONE) {
                    assert_true(value == 0);
                    continue;
                }
                const int64_t to_row = slot_row(at, !back, output);
                multiply(value, (back ? from->y : from->x) + from_row * F, (back ? to->x : to->y) + to_row * F);
            }
}

/* No output is twice among a visit's; steps follow each other. */
static void multiply_visit(const Visit *at, const Vectors *from, Vectors *to)
{
    SinoGatherLists lists;
    bool taken[2048] = {false}; /* by slot */
    uint32_t step = 0;
    const int64_t inputs = sino_gather_step_inputs(at->header->outputs);
    const size_t step_bytes = (size_t)sino_gather_step_lengths(at->header->outputs) *
                              sino_precision_bytes((SinoPrecision)at->header->precision);
    assert_int_equal(at->visit->offset % 128, 0);
    sino_gather_arrays(at->header, at->visit, &lists);
    for (int b = 0; b < at->visit->bundle_count; b++) {
        const SinoGatherBundle *bundle = &lists.bundle[b];
        assert_int_equal(bundle->first, step);
        assert_true(b == 0 || bundle->count <= bundle[-1].count);
        assert_true(at->header->outputs == 16 || bundle->count % 2 == 0);
        for (int i = 0; i < SINO_BUNDLE_OUTPUTS; i++) {
            if (bundle->output[i] == SINO_GATHER_NONE) continue;
            assert_false(taken[bundle->output[i]]);
            taken[bundle->output[i]] = true;
        }
        for (uint32_t i = 0; i < bundle->count; i++, step++)
            multiply_step(at, bundle, lists.slot + step * inputs, (const char *)lists.length + step * step_bytes, from,
                          to);
    }
    assert_int_equal(step, at->visit->step_count);
}

static const SinoGatherSpan *spans_of(const SinoGatherHeader *header, int64_t visit)
{
    return sino_gather_spans(header) + visit * header->angles;
}

static void project_lists(const SinoGatherHeader *header, const Vectors *from, Vectors *to)
{
    int32_t units = 0;
    for (int32_t c = 0; c < header->chain_count; c++) {
        const SinoGatherChain chain = sino_gather_chains(header)[c];
        int64_t number = 0;
        assert_int_equal(chain.first_unit, units);
        for (int g = 0; g < SINO_ORIENTATIONS; g++) {
            if (!(chain.orientations >> g & 1)) continue;
            for (int32_t v = chain.first_visit; v < chain.first_visit + chain.visit_count; v++) {
                const SinoGatherVisit *visit = &sino_gather_visits(header)[v];
                assert_int_equal(visit->orientations, chain.orientations);
                if (number > 0) assert_int_equal(visit->step, chain.step);
                multiply_visit(&(Visit){header, visit, spans_of(header, v), g, number}, from, to);
            }
            number++;
            units++;
        }
    }
    assert_int_equal(header->unit_count, units);
}

static void backproject_lists(const SinoGatherHeader *header, const Vectors *from, Vectors *to)
{
    assert_int_equal(header->chain_count, header->tile_count);
    assert_int_equal(header->unit_count, header->tile_count);
    for (int64_t t = 0; t < header->tile_count; t++)
        for (int i = 0; i < SINO_ORIENTATIONS; i++) {
            const SinoGatherSource source = sino_gather_sources(header)[t * SINO_ORIENTATIONS + i];
            if (source.tile < 0) break;
            const SinoGatherChain chain = sino_gather_chains(header)[source.tile];
            assert_int_equal(sino_gather_tiles(header)[source.tile * SINO_ORIENTATIONS + source.orientation], t);
            for (int32_t v = chain.first_visit; v < chain.first_visit + chain.visit_count; v++) {
                const SinoGatherVisit *visit = &sino_gather_visits(header)[v];
                const uint32_t before = visit->orientations & ((1u << source.orientation) - 1);
                assert_int_equal(visit->tile, source.tile);
                if (!(visit->orientations >> source.orientation & 1)) continue;
                multiply_visit(
                    &(Visit){header, visit, spans_of(header, v), source.orientation, __builtin_popcount(before)}, from,
                    to);
            }
        }
}

static void assert_same(const char *what, int64_t count, const double *found, const double *wanted, double size)
{
    for (int64_t i = 0; i < count; i++)
        if (!(fabs(found[i] - wanted[i]) <= 1e-13 * size))
            fail_msg("%s: element %d is %.17g, expected %.17g", what, (int)i, found[i], wanted[i]);
}

/* The rows of one angle that a part holds at any of its visits. */
static SinoGatherSpan rows_of_part(const SinoGatherHeader *lists, const SinoGatherPart *part, int32_t angle)
{
    SinoGatherSpan all = {0, 0};
    for (int32_t v = part->first_visit; v < part->first_visit + part->visit_count; v++) {
        const SinoGatherSpan span = spans_of(lists, v)[angle];
        if (span.count == 0) continue;
        const uint32_t end = all.first + all.count, span_end = span.first + span.count;
        if (all.count == 0) all = span;
        const uint32_t first = span.first < all.first ? span.first : all.first;
        all = (SinoGatherSpan){first, (end > span_end ? end : span_end) - first};
    }
    return all;
}

/* A launch has as much work as its units together, to the length of the longest one, which comes first. */
static void check_work(const SinoGatherHeader *lists, bool odd)
{
    const SinoGatherPart *part = sino_gather_parts(lists);
    int64_t work = 0, longest = 0;
    for (int32_t i = 0; i < lists->part_count; i++) {
        if (odd != (part[i].first_unit >= lists->early_unit_count)) continue;
        assert_true(part[i].work > part[i].visit_count);
        if (longest == 0) longest = part[i].work;
        work += part[i].work * __builtin_popcount(sino_gather_chains(lists)[part[i].chain].orientations);
    }
    assert_true(work <= lists->whole_units[odd] * longest);
    assert_true(longest == 0 || work > (lists->whole_units[odd] - 1) * longest);
}

/* Parts are all of their chains; those of a chain that are walked at the same time have no rows in common. */
static void check_parts(const SinoGatherHeader *lists)
{
    const SinoGatherPart *part = sino_gather_parts(lists);
    int64_t units = 0, visits = 0;
    for (int32_t i = 0; i < lists->part_count; i++) {
        const SinoGatherChain chain = sino_gather_chains(lists)[part[i].chain];
        assert_int_equal(part[i].first_unit, units);
        assert_true(units == 0 || units == lists->early_unit_count || part[i].work <= part[i - 1].work);
        units += __builtin_popcount(chain.orientations);
        visits += part[i].visit_count;
        assert_true(part[i].first_visit >= chain.first_visit &&
                    part[i].first_visit + part[i].visit_count <= chain.first_visit + chain.visit_count);
        for (int32_t j = 0; j < i; j++) {
            const bool same_time =
                (part[i].first_unit < lists->early_unit_count) == (part[j].first_unit < lists->early_unit_count);
            for (int32_t a = 0; same_time && part[j].chain == part[i].chain && a < lists->angles; a++) {
                const SinoGatherSpan p = rows_of_part(lists, &part[i], a), q = rows_of_part(lists, &part[j], a);
                assert_true(p.count == 0 || q.count == 0 || p.first >= q.first + q.count ||
                            q.first >= p.first + p.count);
            }
        }
    }
    assert_int_equal(units, lists->part_unit_count);
    assert_int_equal(visits, lists->back ? 0 : lists->visit_count);
    for (int odd = 0; odd <= 1 && !lists->back; odd++) check_work(lists, odd);
}

/* One direction, one R: what plain loops over the lists give is what plain loops over the block give. */
static void check_lists(const Problem *problem, const Partition *partition, const Packed *packed, bool back,
                        int outputs)
{
    const SinoFootprint footprint = {packed->ray_count, partition->has_footprint ? packed->ray : NULL};
    const SinoRegroupInput input = {packed->block, &problem->layout, &footprint, partition->tile, back, outputs};
    SinoGatherHeader *lists;
    assert_success(regroup_block(&input, &lists));
    check_parts(lists);
    /* Few units get no more angles than they must. */
    if (!back && lists->part_unit_count < 256) assert_int_equal(lists->angles, problem->layout.group_angles);
    assert_int_equal(lists->nonzero_count, packed->block->nonzero_count);
    assert_int_equal(lists->ray_count, packed->block->ray_count);
    Vectors from = vectors_create(problem, partition, packed, true);
    Vectors wanted = vectors_create(problem, partition, packed, false);
    Vectors found = vectors_create(problem, partition, packed, false);
    multiply_block(packed->block, &from, &wanted);
    (back ? backproject_lists : project_lists)(lists, &from, &found);
    if (back)
        assert_same("backproject", wanted.x_rows * F, found.x, wanted.x, 300);
    else
        assert_same("project", wanted.y_rows * F, found.y, wanted.y, 300);
    vectors_free(&from);
    vectors_free(&wanted);
    vectors_free(&found);
    free(lists);
}

/* Blocks in double against the dense reference: that what lists are compared with is right. */
static void check_block(const Problem *problem, const Partition *partition, const Packed *packed)
{
    Expected expected = expected_create(problem, partition);
    Vectors from = vectors_create(problem, partition, packed, true);
    Vectors found = vectors_create(problem, partition, packed, false);
    multiply_block(packed->block, &from, &found);
    for (int64_t i = 0; i < found.y_rows * F; i++)
        assert_true(fabs(found.y[i] - expected.y[packed->ray[i / F] * SLICES + i % F]) < 1e-9);
    vectors_free(&from);
    vectors_free(&found);
    expected_free(&expected);
}

static void check_partition(const Problem *problem, const Partition *partition)
{
    for (int p = 0; p < SINO_PRECISIONS; p++) {
        Packed packed = pack(problem, partition, (SinoPrecision)p);
        if (p == SINO_DOUBLE) check_block(problem, partition, &packed);
        for (int back = 0; back <= 1; back++) {
            check_lists(problem, partition, &packed, back, 4);
            if (p == SINO_HALF || p == SINO_MIXED) check_lists(problem, partition, &packed, back, 16);
        }
        packed_free(&packed);
    }
}

static void check_problem(Problem problem)
{
    uint64_t seed = 5;
    Partition whole = whole_grid(&problem);
    whole.has_footprint = problem.symmetry;
    check_partition(&problem, &whole);
    const Partition some = random_tiles(&problem, problem.symmetry ? 0.1 : 0.4, &seed);
    check_partition(&problem, &some);
    problem_free(&problem);
}

#ifndef KINDS_STEP
#define KINDS_STEP TESTING_STEP
#endif

/* Every KINDS_STEP-th kind of angles, with and without symmetry; the rotation center on either side. */
static void lists_hold_the_block(void **state)
{
    (void)state;
    for (int kind = 0; kind < TESTING_ANGLES_KINDS; kind += KINDS_STEP) {
        const TestingAngles angles = testing_angles(kind);
        check_problem(problem_create(scan_of(&angles, 38, 34, kind / KINDS_STEP % 2 ? 17.3 : 22.5), true));
        check_problem(problem_create(scan_of(&angles, 30, 37, 11.25), false));
    }
}

/* The same block gives the same bytes, whatever order its visits are made in. */
static void bytes_do_not_depend_on_the_order(void **state)
{
    (void)state;
    const TestingAngles angles = testing_angles(6);
    Problem problem = problem_create(scan_of(&angles, 44, 38, 19.3), true);
    const Partition whole = whole_grid(&problem);
    Packed packed = pack(&problem, &whole, SINO_MIXED);
    const SinoFootprint footprint = {packed.ray_count, NULL};
    for (int i = 0; i < 4; i++) {
        const SinoRegroupInput input = {packed.block, &problem.layout, &footprint, whole.tile, i % 2, i < 2 ? 4 : 16};
        SinoGatherHeader *lists;
        SinoRegroup *regroup;
        assert_success(regroup_block(&input, &lists));
        assert_success(sino_regroup_new(&input, &regroup));
        const int64_t count = sino_regroup_visit_count(regroup);
        for (int64_t v = count - 1; v >= 0; v--) {
            SinoRegroupSize size;
            assert_success(sino_regroup_measure(regroup, v, 1, &size));
            sino_regroup_take(regroup, v, 1, &size);
        }
        assert_int_equal(sino_regroup_bytes(regroup), lists->bytes);
        void *again = malloc((size_t)lists->bytes);
        assert_non_null(again);
        memset(again, 0xff, (size_t)lists->bytes);
        sino_regroup_head(regroup, again);
        for (int64_t v = count - 1; v >= 0; v--) assert_success(sino_regroup_fill(regroup, v, 1, again));
        assert_memory_equal(lists, again, lists->bytes);
        free(again);
        free(lists);
        sino_regroup_free(regroup);
    }
    packed_free(&packed);
    problem_free(&problem);
}

/* As if rays had lengths that are 0 as halves: some of a group, and all of some groups, the section's first among them.
 */
static void vanish(const SinoSectionHeader *header)
{
    SinoSection section;
    int64_t at = 0;
    sino_section_arrays(header, SINO_HALF, &section);
    for (int i = 0; i < header->group_count; at += section.count[i++])
        for (int64_t j = at * SINO_GROUP_RAYS; j < (at + section.count[i]) * SINO_GROUP_RAYS; j++)
            if (i % 5 == 0 || (i % 3 == 0 && j % 2 == 1)) ((SinoHalf *)section.length)[j] = 0;
}

static void lengths_that_vanish(void **state)
{
    (void)state;
    const TestingAngles angles = testing_angles(6);
    Problem problem = problem_create(scan_of(&angles, 44, 38, 19.3), true);
    const Partition whole = whole_grid(&problem);
    Packed packed = pack(&problem, &whole, SINO_HALF);
    for (int64_t i = 0; i < packed.block->piece_count; i++) {
        const SinoBlockPiece piece = sino_block_pieces(packed.block)[i];
        for (int64_t at = piece.offset; at < piece.offset + piece.bytes;) {
            const SinoSectionHeader *header = (const void *)((const char *)packed.block + at);
            vanish(header);
            at += header->bytes;
        }
    }
    for (int i = 0; i < 4; i++) check_lists(&problem, &whole, &packed, i % 2, i < 2 ? 4 : 16);
    packed_free(&packed);
    problem_free(&problem);
}

/* As fine as a real scan's: batches of one group_angles, strips of several tiles. */
static void fine_angles_share_windows(void **state)
{
    (void)state;
    const TestingAngles angles = testing_angles_even("fine", 90, 20, 20, 0);
    check_problem(problem_create(scan_of(&angles, 66, 70, 30.2), true));
}

/* No tiles, tiles that the detector does not see, more voxels than rays. */
static void empty_partitions(void **state)
{
    (void)state;
    const TestingAngles angles = testing_angles(0);
    Problem far = problem_create(scan_of(&angles, 8, 34, 300), true);
    Problem narrow = problem_create(scan_of(&angles, 1, 64, 0.25), false);
    const Partition none = {.name = "no tiles"}, none_local = {.name = "no tiles, no rays", .has_footprint = true};
    const Partition corner = {.name = "corner", .has_footprint = true, .tile_count = 1, .tile = {{2, 2}}};
    Partition whole = whole_grid(&far);
    check_partition(&far, &whole);
    check_partition(&far, &none);
    check_partition(&far, &none_local);
    check_partition(&narrow, &corner);
    whole = whole_grid(&narrow);
    check_partition(&narrow, &whole);
    problem_free(&far);
    problem_free(&narrow);
}

/* A chain that walks holds the rows of each visit, and never two in one slot; going on, it lets few of them go. */
static void chains_hold_what_they_add_to(void **state)
{
    (void)state;
    const TestingAngles angles = testing_angles_even("fine", 60, 0, 15, 0);
    Problem problem = problem_create(scan_of(&angles, 110, 110, 54.5), false);
    const Partition whole = whole_grid(&problem);
    Packed packed = pack(&problem, &whole, SINO_SINGLE);
    const SinoFootprint footprint = {packed.ray_count, NULL};
    SinoGatherHeader *lists;
    int64_t held = 0, entered = 0;
    assert_success(
        regroup_block(&(SinoRegroupInput){packed.block, &problem.layout, &footprint, whole.tile, false, 4}, &lists));
    for (int32_t c = 0; c < lists->chain_count; c++) {
        const SinoGatherChain chain = sino_gather_chains(lists)[c];
        for (int32_t v = chain.first_visit; v < chain.first_visit + chain.visit_count; v++)
            for (int32_t a = 0; a < lists->angles; a++) {
                const SinoGatherSpan now = spans_of(lists, v)[a];
                assert_true(now.count <= (uint32_t)lists->columns);
                held += now.count;
                const bool first = v == chain.first_visit;
                for (uint32_t row = now.first; row < now.first + now.count; row++) {
                    const SinoGatherSpan before = first ? (SinoGatherSpan){0, 0} : spans_of(lists, v - 1)[a];
                    entered += !(row >= before.first && row < before.first + before.count);
                }
            }
    }
    print_message("%d parts of %d chains; ", lists->part_count, lists->chain_count);
    assert_true(lists->part_count > 2 * lists->chain_count);
    print_message("a visit holds %.0f rows of rays, of which %.0f are new\n", (double)held / lists->visit_count,
                  (double)entered / lists->visit_count);
    assert_true(entered < held / 3);
    free(lists);
    packed_free(&packed);
    problem_free(&problem);
}

static void fragments_are_a_permutation(void **state)
{
    (void)state;
    bool taken[256] = {false};
    for (int o = 0; o < 16; o++)
        for (int i = 0; i < 16; i++) {
            const int32_t at = sino_gather_fragment(o, i);
            assert_in_range(at, 0, 255);
            assert_false(taken[at]);
            taken[at] = true;
            assert_int_equal(at / 8 / 4, o % 8);
        }
}

TESTING_SUBJECT(regroup)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_hold_the_block),        cmocka_unit_test(bytes_do_not_depend_on_the_order),
        cmocka_unit_test(fine_angles_share_windows),   cmocka_unit_test(empty_partitions),
        cmocka_unit_test(lengths_that_vanish),         cmocka_unit_test(chains_hold_what_they_add_to),
        cmocka_unit_test(fragments_are_a_permutation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
