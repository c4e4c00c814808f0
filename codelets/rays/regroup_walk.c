/* SPDX-License-Identifier: BSD-3-Clause */
/* Regroup: finds the visits of a block, the order in which chains go through them, and the rays that a chain holds at
 * each visit. */
#include "regroup_private.h"

#include "memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum {
    BATCH_ANGLES = 12, /* batches with fewer angles than this are merged, up to 4 (a section) */
    PART_UNITS = 256   /* but not if there would be fewer units than this, which two launches share */
};

int64_t sino_regroup_angle(const SinoRegroup *regroup, uint32_t row)
{
    const SinoFootprint *footprint = regroup->input.footprint;
    const int64_t ray = footprint->ray ? footprint->ray[row] : row;
    return ray / regroup->input.layout->geometry.column_count;
}

/* The class of a stored angle. */
static const SinoAngleClass *class_of(const SinoRegroup *regroup, int64_t angle)
{
    const SinoAngleClass *class = regroup->input.layout->angle_class;
    while (angle < class->first || angle >= class->first + class->count) class ++;
    return class;
}

/* The first angle of the batch that contains `angle`. */
static int64_t batch_of(const SinoRegroup *regroup, int64_t angle)
{
    const int64_t first = class_of(regroup, angle)->first;
    return first + (angle - first) / regroup->batch_angles * regroup->batch_angles;
}

/* Middle direction of the batch that begins with angle `first`; *reach_rad: largest difference of its angles from it;
 * NULL: not wanted. */
static double middle_rad(const SinoRegroup *regroup, int64_t first, double *reach_rad)
{
    const SinoLayout *layout = regroup->input.layout;
    const SinoAngleClass *class = class_of(regroup, first);
    const int64_t of_class = class->first + class->count - 1, of_batch = first + regroup->batch_angles - 1;
    const int64_t last = of_batch < of_class ? of_batch : of_class;
    const double begin = layout->geometry.angle_rad[first], end = layout->geometry.angle_rad[last];
    double most = 0;
    for (int64_t k = first; k <= last; k++) most = fmax(most, fabs(layout->geometry.angle_rad[k] - (begin + end) / 2));
    if (reach_rad) *reach_rad = most;
    return (begin + end) / 2;
}

int64_t sino_regroup_batch(const SinoRegroup *regroup, int64_t angle)
{
    const SinoLayout *layout = regroup->input.layout;
    const int64_t batch_angles = regroup->batch_angles;
    int64_t before = 0;
    for (int c = 0; c < layout->class_count; c++) {
        const SinoAngleClass *class = &layout->angle_class[c];
        if (angle >= class->first && angle < class->first + class->count)
            return before + (angle - class->first) / batch_angles;
        before += sino_ceil_divide(class->count, batch_angles);
    }
    return before;
}

void sino_regroup_order_voxels(const SinoRegroup *regroup, int64_t first, uint8_t *order)
{
    const double rad = middle_rad(regroup, first, NULL);
    const double cosine = cos(rad), sine = sin(rad), rounding = 1e-9;
    double offsets[SINO_TILE_VOXELS];
    for (int v = 0; v < SINO_TILE_VOXELS; v++) {
        const int row = v / SINO_TILE, column = v % SINO_TILE;
        const double offset = column * cosine - row * sine;
        int i = v;
        offsets[v] = offset;
        for (; i > 0 && offset < offsets[order[i - 1]] - rounding; i--) order[i] = order[i - 1];
        order[i] = (uint8_t)v;
    }
}

/* Finds the visit's strip and its place there. A chain goes forwards along one strip of tiles and backwards along the
 * next. */
static void place_in_strip(const SinoRegroup *regroup, SinoRegroupOrigin *origin)
{
    const SinoTilePlace tile = regroup->input.tile[origin->tile];
    const double rad = middle_rad(regroup, origin->angle, NULL);
    const double x = (double)tile.column * SINO_TILE, y = -(double)tile.row * SINO_TILE;
    origin->across = x * cos(rad) + y * sin(rad);
    origin->along = y * cos(rad) - x * sin(rad);
    origin->strip = (int64_t)floor(origin->across / SINO_STRIP_WIDTH);
}

static int by_place(const void *a, const void *b)
{
    const SinoRegroupOrigin *p = a, *q = b;
    if (p->chain != q->chain) return p->chain < q->chain ? -1 : 1;
    if (p->strip != q->strip) return p->strip < q->strip ? -1 : 1;
    const bool there = p->strip % 2 == 0;
    if (p->along != q->along) return (p->along < q->along) == there ? -1 : 1;
    if (p->angle != q->angle) return p->angle < q->angle ? -1 : 1;
    return p->tile < q->tile ? -1 : p->tile > q->tile;
}

/* Lists the visits of one section, one for each batch of its groups; returns their number. If `origin` is NULL, it only
 * counts them. */
static int64_t open_section(const SinoRegroup *regroup, const SinoSectionHeader *header, SinoRegroupOrigin *origin)
{
    SinoSection section;
    int64_t count = 0, voxel = 0, batch = -1;
    sino_section_arrays(header, regroup->precision, &section);
    for (int32_t g = 0; g < header->group_count; voxel += section.count[g++]) {
        const int64_t first = batch_of(regroup, sino_regroup_angle(regroup, section.ray[(int64_t)g * SINO_GROUP_RAYS]));
        if (first != batch) {
            batch = first;
            if (origin)
                origin[count] = (SinoRegroupOrigin){.section = header,
                                                    .first_group = g,
                                                    .first_voxel = (int32_t)voxel,
                                                    .chain = regroup->input.back ? header->tile : (int32_t)first,
                                                    .angle = (int32_t)first,
                                                    .tile = header->tile};
            if (origin && !regroup->input.back) place_in_strip(regroup, &origin[count]);
            count++;
        }
        if (!origin) continue;
        origin[count - 1].group_count++;
        origin[count - 1].voxel_count += section.count[g];
    }
    return count;
}

static int64_t open_sections(const SinoRegroup *regroup, SinoRegroupOrigin *origin)
{
    const SinoBlockHeader *block = regroup->input.block;
    int64_t count = 0;
    for (int64_t i = 0; i < block->piece_count; i++) {
        const SinoBlockPiece piece = sino_block_pieces(block)[i];
        for (int64_t at = piece.offset; at < piece.offset + piece.bytes;) {
            const SinoSectionHeader *header = (const void *)((const char *)block + at);
            count += open_section(regroup, header, origin ? origin + count : NULL);
            at += header->bytes;
        }
    }
    return count;
}

/* Numbers the chains, which are runs of visits. In backprojection every tile has a chain, which is empty if the tile
 * has no visits. */
static void number_chains(SinoRegroup *regroup)
{
    const bool back = regroup->input.back;
    int32_t units = 0, chains = 0;
    if (back) chains = (int32_t)regroup->input.block->tile_count;
    for (int64_t v = 0; v < regroup->visit_count; v++) {
        const SinoRegroupOrigin *origin = &regroup->origin[v];
        if (!back && (v == 0 || origin->chain != origin[-1].chain)) {
            regroup->chain[chains++] = (SinoGatherChain){.first_visit = (int32_t)v,
                                                         .first_unit = units,
                                                         .orientations = origin->section->orientations,
                                                         .step = origin->section->step};
            units += __builtin_popcount(origin->section->orientations);
        }
        SinoGatherChain *chain = &regroup->chain[back ? origin->tile : chains - 1];
        if (chain->visit_count++ == 0) chain->first_visit = (int32_t)v;
        assert(back || chain->orientations == 1 || chain->step == origin->section->step);
    }
    for (int32_t t = 0; back && t < chains; t++) regroup->chain[t].first_unit = t;
    regroup->chain_count = chains;
}

/* The least width of a chain's parts such that no ray meets both part i and part i + 2. A tile's diagonal adds to the
 * width. So does the lean of rays: the directions of a batch differ from its middle one, so that a ray moves sideways
 * over the length of the chain. 0: the chain cannot be cut into parts. */
static double part_width(const SinoRegroup *regroup, const SinoGatherChain *chain)
{
    const SinoRegroupOrigin *origin = regroup->origin + chain->first_visit;
    const double diagonal = 1.5 * SINO_TILE, rounding = 1e-6;
    double low = origin->along, high = low, reach_rad;
    middle_rad(regroup, origin->angle, &reach_rad);
    for (int32_t v = 1; v < chain->visit_count; v++) {
        low = fmin(low, origin[v].along);
        high = fmax(high, origin[v].along);
    }
    return reach_rad < 1 ? (diagonal + (high - low) * sin(reach_rad)) / cos(reach_rad) + rounding : 0;
}

/* Number of the part of its chain that contains a visit. A strip is never cut. */
static int64_t part_of(const SinoRegroupOrigin *first, const SinoRegroupOrigin *origin, double width)
{
    return width > 0 ? (int64_t)floor((double)(origin->strip - first->strip) / ceil(width / SINO_STRIP_WIDTH + 1)) : 0;
}

/* Time that a visit takes, in that of one voxel of a group. */
static int64_t visit_work(const SinoRegroupOrigin *origin)
{
    enum { VISIT_VOXELS = 256 /* barriers, and the way to the first products */ };
    return origin->voxel_count + VISIT_VOXELS;
}

/* Appends the chain's parts of even number or, if `odd`, of odd number. */
static void cut_chain(SinoRegroup *regroup, int64_t c, bool odd)
{
    const SinoGatherChain *chain = &regroup->chain[c];
    SinoRegroupOrigin *const first = regroup->origin + chain->first_visit;
    const double width = part_width(regroup, chain);
    int64_t before = -1;
    for (int32_t v = 0; v < chain->visit_count; v++) {
        const int64_t number = part_of(first, first + v, width);
        first[v].begins = number != before;
        before = number;
        if (number % 2 != odd) continue;
        if (first[v].begins) {
            regroup->part[regroup->part_count++] =
                (SinoGatherPart){.chain = (int32_t)c, .first_visit = chain->first_visit + v};
        }
        SinoGatherPart *part = &regroup->part[regroup->part_count - 1];
        part->visit_count++;
        part->work += visit_work(&first[v]);
    }
}

static int longest_first(const void *a, const void *b)
{
    const SinoGatherPart *p = a, *q = b;
    if (p->work != q->work) return p->work > q->work ? -1 : 1;
    return p->first_visit < q->first_visit ? -1 : p->first_visit > q->first_visit;
}

/* Sorts the parts of one launch, which are those from `first` on, and numbers their units. */
static void order_parts(SinoRegroup *regroup, int64_t first, bool odd)
{
    SinoGatherPart *part = regroup->part + first;
    const int64_t count = regroup->part_count - first;
    int64_t work = 0;
    qsort(part, (size_t)count, sizeof *part, longest_first);
    for (int64_t i = 0; i < count; i++) {
        const int units = __builtin_popcount(regroup->chain[part[i].chain].orientations);
        part[i].first_unit = (int32_t)regroup->part_unit_count;
        regroup->part_unit_count += units;
        work += part[i].work * units;
    }
    if (count > 0) regroup->whole_units[odd] = sino_ceil_divide(work, part[0].work);
}

static void cut_chains(SinoRegroup *regroup)
{
    for (int odd = 0; odd <= 1; odd++) {
        const int64_t first = regroup->part_count;
        if (odd) regroup->early_unit_count = regroup->part_unit_count;
        for (int64_t c = 0; c < regroup->chain_count; c++) cut_chain(regroup, c, odd);
        order_parts(regroup, first, odd);
    }
}

/* Finds, for each angle, the span of footprint rows that contains the visit's rays. */
static void find_span(const SinoRegroup *regroup, int64_t v)
{
    const SinoRegroupOrigin *origin = &regroup->origin[v];
    SinoGatherSpan *span = regroup->span + v * regroup->batch_angles;
    SinoSection section;
    sino_section_arrays(origin->section, regroup->precision, &section);
    const uint32_t *ray = section.ray + (int64_t)origin->first_group * SINO_GROUP_RAYS;
    for (int64_t i = 0; i < (int64_t)origin->group_count * SINO_GROUP_RAYS; i++) {
        SinoGatherSpan *of_angle = &span[sino_regroup_angle(regroup, ray[i]) - origin->angle];
        const uint32_t end = of_angle->first + of_angle->count;
        if (of_angle->count == 0)
            *of_angle = (SinoGatherSpan){ray[i], 1};
        else if (ray[i] < of_angle->first)
            *of_angle = (SinoGatherSpan){ray[i], end - ray[i]};
        else if (ray[i] >= end)
            of_angle->count = ray[i] - of_angle->first + 1;
    }
}

/* The span of rows that a chain holds at a visit: all of `wanted`, and as much of the previous span `before` as
 * `columns` rows have room for. A previous span that does not touch `wanted` is dropped. */
static SinoGatherSpan hold(SinoGatherSpan before, SinoGatherSpan wanted, uint32_t columns)
{
    const uint32_t before_end = before.first + before.count, wanted_end = wanted.first + wanted.count;
    if (before.count == 0) return wanted;
    if (wanted.count == 0) return before;
    if (wanted.first > before_end || before.first > wanted_end) return wanted;
    uint32_t first = before.first < wanted.first ? before.first : wanted.first;
    uint32_t end = before_end > wanted_end ? before_end : wanted_end;
    if (end - first > columns && wanted_end == end) first = end - columns;
    if (end - first > columns) end = first + columns;
    return (SinoGatherSpan){first, end - first};
}

/* Fails if an angle has more columns in a tile than a tile has shadow: such rays were not traced, but read from a file.
 */
static SinoStatus find_spans(SinoRegroup *regroup)
{
    const int64_t angles = regroup->batch_angles;
    uint32_t columns = 1;
    for (int64_t v = 0; v < regroup->visit_count; v++) find_span(regroup, v);
    for (int64_t i = 0; i < regroup->visit_count * angles; i++)
        if (regroup->span[i].count > columns) columns = regroup->span[i].count;
    if (!regroup->input.back) columns += SINO_STRIP_WIDTH;
    regroup->columns = (int32_t)columns;
    SINO_CHECK((int64_t)columns * angles <= SINO_VISIT_SLOTS_MAX, SINO_BAD_INPUT,
               "the operator has rays far from the tile that they cross");
    for (int64_t c = 0; !regroup->input.back && c < regroup->chain_count; c++) {
        const SinoGatherChain *chain = &regroup->chain[c];
        SinoGatherSpan *span = regroup->span + chain->first_visit * angles;
        for (int64_t i = angles; i < chain->visit_count * angles; i++)
            if (!regroup->origin[chain->first_visit + i / angles].begins)
                span[i] = hold(span[i - angles], span[i], columns);
    }
    return NULL;
}

static void forget(SinoRegroup *regroup)
{
    free(regroup->origin);
    free(regroup->visit);
    free(regroup->chain);
    free(regroup->span);
    free(regroup->part);
    *regroup = (SinoRegroup){.input = regroup->input, .precision = regroup->precision};
}

/* Finds visits, chains and parts of batches with as many angles. */
static SinoStatus walk(SinoRegroup *regroup, int64_t batch_angles)
{
    const int64_t tiles = regroup->input.block->tile_count;
    forget(regroup);
    regroup->batch_angles = batch_angles;
    const int64_t visits = regroup->visit_count = open_sections(regroup, NULL);
    SINO_TRY(sino_allocate(visits, sizeof *regroup->origin, "visits", &regroup->origin));
    SINO_TRY(sino_allocate(visits, sizeof *regroup->visit, "visits", &regroup->visit));
    SINO_TRY(sino_allocate(visits > tiles ? visits : tiles, sizeof *regroup->chain, "chains", &regroup->chain));
    SINO_TRY(sino_allocate(sino_times(visits, batch_angles), sizeof *regroup->span, "spans", &regroup->span));
    SINO_TRY(sino_allocate(visits, sizeof *regroup->part, "parts of chains", &regroup->part));
    open_sections(regroup, regroup->origin);
    qsort(regroup->origin, (size_t)visits, sizeof *regroup->origin, by_place);
    number_chains(regroup);
    if (regroup->input.back)
        regroup->whole_units[0] = tiles;
    else
        cut_chains(regroup);
    return NULL;
}

SinoStatus sino_regroup_new(const SinoRegroupInput *input, SinoRegroup **result)
{
    SinoStatus status = NULL;
    SinoRegroup *regroup = NULL;
    const int64_t group_angles = input->layout->group_angles;
    int64_t merged = group_angles >= BATCH_ANGLES ? 1 : 2 * group_angles >= BATCH_ANGLES ? 2 : SINO_SECTION_GROUPS;
    SINO_TRY(sino_allocate(1, sizeof *regroup, "regrouping", &regroup));
    regroup->input = *input;
    regroup->precision = (SinoPrecision)input->block->precision;
    SINO_TRY_OR(status, failed, walk(regroup, merged * group_angles));
    while (!input->back && merged > 1 && regroup->part_unit_count < PART_UNITS)
        SINO_TRY_OR(status, failed, walk(regroup, (merged /= 2) * group_angles));
    SINO_TRY_OR(status, failed, find_spans(regroup));
    *result = regroup;
    return NULL;
failed:
    sino_regroup_free(regroup);
    return status;
}

void sino_regroup_free(SinoRegroup *regroup)
{
    if (!regroup) return;
    forget(regroup);
    free(regroup);
}

int64_t sino_regroup_visit_count(const SinoRegroup *regroup)
{
    return regroup->visit_count;
}
