/* SPDX-License-Identifier: BSD-3-Clause */
/* Regroup: makes the lists of one direction (gather.h) from a partition's block.
 *
 * The outputs of a visit are sorted by their offsets and taken R at a time as a group. The R outputs of a group share
 * the union of their inputs. Rays are sorted in the block already. Voxels are sorted by their offset across the middle
 * direction of the batch: nearly the same rays meet R neighbours in this order, just as the rays of a group meet nearly
 * the same voxels. */
#include "regroup_private.h"

#include "half.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

enum { ENTRIES_MAX = SINO_VISIT_RAYS_MAX * 2 * SINO_TILE };

/* One length of an output: the slot of the input, and the length. */
typedef struct Entry {
    uint16_t input;
    double length;
} Entry;

typedef struct Output {
    uint16_t slot;
    bool first; /* begins a batch of the block; a group never spans two batches */
    int32_t entry, entry_count;
} Output;

/* R outputs and the union of their inputs. */
typedef struct Group {
    uint16_t output[SINO_BUNDLE_OUTPUTS];
    int32_t input, input_count;
} Group;

/* Arrays for one visit. */
typedef struct Workspace {
    const SinoRegroup *regroup;
    Output output[SINO_VISIT_RAYS_MAX + SINO_GROUP_RAYS * SINO_SECTION_GROUPS];
    Entry entry[ENTRIES_MAX];
    int32_t output_count, entry_count;
    Group group[SINO_VISIT_RAYS_MAX];
    int32_t group_count;
    uint16_t input[ENTRIES_MAX];
    double length[ENTRIES_MAX][SINO_BUNDLE_OUTPUTS];
    int32_t input_count;
    int32_t seen[SINO_VISIT_SLOTS_MAX]; /* 1 + number of the last group that contains the slot */
    int32_t place[SINO_VISIT_SLOTS_MAX];
    int32_t of_voxel[SINO_TILE_VOXELS + 1]; /* where each voxel's entries begin */
    uint8_t order[SINO_TILE_VOXELS];        /* voxels sorted by offset */
    uint16_t ray_slot[SINO_VISIT_RAYS_MAX + SINO_GROUP_RAYS * SINO_SECTION_GROUPS];
} Workspace;

/* ---- the outputs of one visit, and their inputs ---- */

static double length_at(SinoPrecision precision, const void *length, int64_t at)
{
    if (precision == SINO_DOUBLE) return ((const double *)length)[at];
    if (precision == SINO_SINGLE) return (double)((const float *)length)[at];
    return (double)sino_half_value(((const SinoHalf *)length)[at]);
}

/* Finds the slots of the visit's rays, [group][ray]. A ray that a group repeats to be full has no slot. */
static void find_slots(Workspace *work, const SinoRegroupOrigin *origin, const SinoSection *section)
{
    const SinoRegroup *regroup = work->regroup;
    const uint32_t *ray = section->ray + (int64_t)origin->first_group * SINO_GROUP_RAYS;
    for (int64_t i = 0; i < (int64_t)origin->group_count * SINO_GROUP_RAYS; i++) {
        const bool repeated = i % SINO_GROUP_RAYS > 0 && ray[i] == ray[i / SINO_GROUP_RAYS * SINO_GROUP_RAYS];
        const int64_t angle = sino_regroup_angle(regroup, ray[i]) - origin->angle;
        work->ray_slot[i] =
            repeated ? SINO_GATHER_NONE : (uint16_t)(angle * regroup->columns + ray[i] % (uint32_t)regroup->columns);
    }
}

/* A position among the visit's groups in their section. */
typedef struct Cursor {
    const uint8_t *voxel;
    int64_t length; /* index of the first length */
    int count;
} Cursor;

static Cursor first_group(const SinoRegroupOrigin *origin, const SinoSection *section)
{
    return (Cursor){.voxel = section->voxel + origin->first_voxel,
                    .length = (int64_t)origin->first_voxel * SINO_GROUP_RAYS,
                    .count = section->count[origin->first_group]};
}

static Cursor next_group(const SinoRegroupOrigin *origin, const SinoSection *section, int32_t group, Cursor at)
{
    at.voxel += at.count;
    at.length += (int64_t)at.count * SINO_GROUP_RAYS;
    at.count = group + 1 < origin->group_count ? section->count[origin->first_group + group + 1] : 0;
    return at;
}

/* Projecting: lists the rays as outputs, in the block's order. */
static void list_rays(Workspace *work, const SinoRegroupOrigin *origin, const SinoSection *section)
{
    const SinoPrecision precision = work->regroup->precision;
    const int64_t group_angles = work->regroup->input.layout->group_angles;
    int64_t batch = -1;
    Cursor at = first_group(origin, section);
    for (int32_t g = 0; g < origin->group_count; at = next_group(origin, section, g, at), g++) {
        const uint32_t *ray = section->ray + (int64_t)(origin->first_group + g) * SINO_GROUP_RAYS;
        const int64_t of = (sino_regroup_angle(work->regroup, ray[0]) - origin->angle) / group_angles;
        for (int r = 0; r < SINO_GROUP_RAYS; r++) {
            Output *output = &work->output[work->output_count];
            if (work->ray_slot[g * SINO_GROUP_RAYS + r] == SINO_GATHER_NONE) continue;
            *output = (Output){
                .slot = work->ray_slot[g * SINO_GROUP_RAYS + r], .first = of != batch, .entry = work->entry_count};
            for (int i = 0; i < at.count; i++) {
                const double length =
                    length_at(precision, section->length, at.length + (int64_t)i * SINO_GROUP_RAYS + r);
                if (length != 0) work->entry[work->entry_count++] = (Entry){at.voxel[i], length};
            }
            output->entry_count = work->entry_count - output->entry;
            if (output->entry_count == 0) continue; /* all its lengths are 0 as halves */
            batch = of;
            work->output_count++;
        }
    }
}

/* Goes through all nonzero lengths of the visit. With `fill` it lists them by voxel; without it, it counts them. */
static void sort_by_voxel(Workspace *work, const SinoRegroupOrigin *origin, const SinoSection *section, bool fill)
{
    const SinoPrecision precision = work->regroup->precision;
    Cursor at = first_group(origin, section);
    for (int32_t g = 0; g < origin->group_count; at = next_group(origin, section, g, at), g++)
        for (int i = 0; i < at.count; i++)
            for (int r = 0; r < SINO_GROUP_RAYS; r++) {
                const double length =
                    length_at(precision, section->length, at.length + (int64_t)i * SINO_GROUP_RAYS + r);
                if (length == 0) continue;
                if (fill)
                    work->entry[work->of_voxel[at.voxel[i]]++] =
                        (Entry){work->ray_slot[g * SINO_GROUP_RAYS + r], length};
                else
                    work->of_voxel[at.voxel[i] + 1]++;
            }
}

/* Backprojecting: lists the voxels as outputs, sorted by offset. */
static void list_voxels(Workspace *work, const SinoRegroupOrigin *origin, const SinoSection *section)
{
    memset(work->of_voxel, 0, sizeof work->of_voxel);
    sort_by_voxel(work, origin, section, false);
    for (int v = 0; v < SINO_TILE_VOXELS; v++) work->of_voxel[v + 1] += work->of_voxel[v];
    sort_by_voxel(work, origin, section, true); /* now of_voxel[v] is where the entries of v end */
    sino_regroup_order_voxels(work->regroup, origin->angle, work->order);
    for (int i = 0; i < SINO_TILE_VOXELS; i++) {
        const uint8_t v = work->order[i];
        const int32_t begin = v > 0 ? work->of_voxel[v - 1] : 0, end = work->of_voxel[v];
        if (begin == end) continue;
        work->output[work->output_count] =
            (Output){.slot = v, .first = work->output_count == 0, .entry = begin, .entry_count = end - begin};
        work->output_count++;
    }
}

/* ---- groups ---- */

/* Reorders outputs so that four consecutive ones lie in different banks of shared memory where possible: GPU kernels
 * add to the sums of four outputs at a time. */
static void spread_outputs(Output *output, int count)
{
    for (int i = 0; i < count; i++) {
        uint32_t taken = 0;
        for (int j = i / 4 * 4; j < i; j++) taken |= 1u << output[j].slot % 4;
        int j = i;
        while (j < count && (taken >> output[j].slot % 4 & 1)) j++;
        if (j == count) continue;
        const Output chosen = output[j];
        output[j] = output[i];
        output[i] = chosen;
    }
}

/* Appends a group of some outputs and the union of their inputs. */
static void unite(Workspace *work, const Output *output, int count)
{
    Group *group = &work->group[work->group_count++];
    *group = (Group){.input = work->input_count};
    for (int r = 0; r < SINO_BUNDLE_OUTPUTS; r++) group->output[r] = r < count ? output[r].slot : SINO_GATHER_NONE;
    for (int r = 0; r < count; r++)
        for (int32_t i = output[r].entry; i < output[r].entry + output[r].entry_count; i++) {
            const Entry entry = work->entry[i];
            if (work->seen[entry.input] != work->group_count) {
                work->seen[entry.input] = work->group_count;
                work->place[entry.input] = work->input_count;
                memset(work->length[work->input_count], 0, sizeof work->length[0]);
                work->input[work->input_count++] = entry.input;
            }
            work->length[work->place[entry.input]][r] = entry.length;
        }
    group->input_count = work->input_count - group->input;
}

static void swap_inputs(Workspace *work, int32_t a, int32_t b)
{
    double length[SINO_BUNDLE_OUTPUTS];
    const uint16_t input = work->input[a];
    work->input[a] = work->input[b];
    work->input[b] = input;
    memcpy(length, work->length[a], sizeof length);
    memcpy(work->length[a], work->length[b], sizeof length);
    memcpy(work->length[b], length, sizeof length);
}

/* Reorders a group's inputs: GPU kernels load eight inputs at a time as one matrix, so as many of the eight as possible
 * are to lie in different banks of shared memory. */
static void spread_inputs(Workspace *work, const Group *group)
{
    const int32_t end = group->input + group->input_count;
    for (int32_t first = group->input; first < end; first += 8) {
        uint32_t taken = 0;
        for (int32_t i = first; i < first + 8 && i < end; i++) {
            int32_t j = i;
            while (j < end && (taken >> sino_gather_bank(work->input[j]) & 1)) j++;
            if (j < end) swap_inputs(work, i, j);
            taken |= 1u << sino_gather_bank(work->input[i]);
        }
    }
}

static int larger_first(const void *a, const void *b)
{
    const Group *p = a, *q = b;
    if (p->input_count != q->input_count) return p->input_count > q->input_count ? -1 : 1;
    return p->input < q->input ? -1 : p->input > q->input;
}

static void make_groups(Workspace *work, const SinoRegroupOrigin *origin)
{
    const SinoRegroup *regroup = work->regroup;
    const int outputs = regroup->input.outputs;
    SinoSection section;
    sino_section_arrays(origin->section, regroup->precision, &section);
    work->output_count = work->entry_count = work->group_count = work->input_count = 0;
    memset(work->seen, 0, sizeof work->seen);
    find_slots(work, origin, &section);
    if (regroup->input.back)
        list_voxels(work, origin, &section);
    else
        list_rays(work, origin, &section);
    for (int32_t first = 0, end; first < work->output_count; first = end) {
        end = first + 1;
        while (end < work->output_count && end < first + outputs && !work->output[end].first) end++;
        if (outputs == SINO_BUNDLE_OUTPUTS) spread_outputs(&work->output[first], end - first);
        unite(work, &work->output[first], end - first);
        if (outputs == SINO_BUNDLE_OUTPUTS) spread_inputs(work, &work->group[work->group_count - 1]);
    }
    qsort(work->group, (size_t)work->group_count, sizeof *work->group, larger_first);
}

/* ---- bundles ---- */

static int32_t groups_of_bundle(const SinoRegroup *regroup)
{
    return regroup->input.outputs == SINO_BUNDLE_OUTPUTS ? 1 : SINO_BUNDLE_GROUPS;
}

/* Number of steps of a bundle. Larger groups come first, so the bundle's first group has the most inputs. */
static uint32_t bundle_steps(const SinoRegroup *regroup, const Group *group)
{
    if (regroup->input.outputs == SINO_BUNDLE_OUTPUTS) return (uint32_t)(group->input_count + 15) / 16;
    return (uint32_t)(group->input_count + 1) / 2 * 2;
}

static SinoStatus workspace_new(const SinoRegroup *regroup, Workspace **work)
{
    *work = sino_reserve(sizeof **work); /* most visits take a small part of it */
    SINO_CHECK(*work, SINO_FAILED, "no addresses for regrouping: %zu bytes asked for", sizeof **work);
    (*work)->regroup = regroup;
    return NULL;
}

/* No ray crosses a tile in more than 2·T voxels. Only lengths that were not traced, but read from a file, can be more
 * than the workspace has room for. */
static SinoStatus check_room(const SinoRegroup *regroup, const SinoRegroupOrigin *origin)
{
    SinoSection section;
    int64_t entries = 0;
    const int64_t most = (int64_t)origin->voxel_count * SINO_GROUP_RAYS;
    if (most <= ENTRIES_MAX) return NULL;
    sino_section_arrays(origin->section, regroup->precision, &section);
    const int64_t begin = (int64_t)origin->first_voxel * SINO_GROUP_RAYS;
    for (int64_t i = begin; i < begin + most; i++) entries += length_at(regroup->precision, section.length, i) != 0;
    SINO_CHECK(entries <= ENTRIES_MAX, SINO_BAD_INPUT, "the operator has rays of more voxels than a ray can cross");
    return NULL;
}

SinoStatus sino_regroup_measure(const SinoRegroup *regroup, int64_t first, int64_t count, SinoRegroupSize *size)
{
    Workspace *work;
    const int32_t groups = groups_of_bundle(regroup);
    for (int64_t i = 0; i < count; i++) SINO_TRY(check_room(regroup, &regroup->origin[first + i]));
    SINO_TRY(workspace_new(regroup, &work));
    for (int64_t i = 0; i < count; i++) {
        make_groups(work, &regroup->origin[first + i]);
        size[i] = (SinoRegroupSize){.bundle_count = (work->group_count + groups - 1) / groups};
        for (int32_t g = 0; g < work->group_count; g += groups)
            size[i].step_count += (int32_t)bundle_steps(regroup, &work->group[g]);
    }
    sino_release(work, sizeof *work);
    return NULL;
}

void sino_regroup_take(SinoRegroup *regroup, int64_t first, int64_t count, const SinoRegroupSize *size)
{
    for (int64_t i = 0; i < count; i++) {
        const SinoRegroupOrigin *origin = &regroup->origin[first + i];
        regroup->visit[first + i] = (SinoGatherVisit){.step = origin->section->step,
                                                      .tile = origin->tile,
                                                      .bundle_count = size[i].bundle_count,
                                                      .step_count = size[i].step_count,
                                                      .orientations = origin->section->orientations};
    }
}

static SinoGatherHeader header_of(const SinoRegroup *regroup)
{
    const SinoBlockHeader *block = regroup->input.block;
    const SinoGatherChain *last = regroup->chain + regroup->chain_count - 1;
    return (SinoGatherHeader){.tile_count = block->tile_count,
                              .ray_count = block->ray_count,
                              .nonzero_count = block->nonzero_count,
                              .stored_nonzero_count = block->stored_nonzero_count,
                              .precision = regroup->precision,
                              .back = regroup->input.back,
                              .outputs = regroup->input.outputs,
                              .chain_count = (int32_t)regroup->chain_count,
                              .visit_count = (int32_t)regroup->visit_count,
                              .angles = (int32_t)regroup->batch_angles,
                              .columns = regroup->columns,
                              .unit_count = regroup->input.back ? (int32_t)block->tile_count
                                            : regroup->chain_count == 0
                                                ? 0
                                                : last->first_unit + __builtin_popcount(last->orientations),
                              .part_count = (int32_t)regroup->part_count,
                              .part_unit_count = (int32_t)regroup->part_unit_count,
                              .early_unit_count = regroup->early_unit_count,
                              .whole_units = {regroup->whole_units[0], regroup->whole_units[1]}};
}

int64_t sino_regroup_head_bytes(const SinoRegroup *regroup)
{
    const int64_t tiles = regroup->input.block->tile_count * SINO_ORIENTATIONS;
    return sino_block_align(
        (int64_t)sizeof(SinoGatherHeader) + regroup->chain_count * (int64_t)sizeof(SinoGatherChain) +
            regroup->visit_count * (int64_t)sizeof(SinoGatherVisit) +
            tiles * (int64_t)(sizeof(SinoGatherSource) + sizeof(int32_t)) +
            sino_times(regroup->visit_count, regroup->batch_angles) * (int64_t)sizeof(SinoGatherSpan) +
            regroup->part_count * (int64_t)sizeof(SinoGatherPart),
        128);
}

static int64_t visit_bytes(const SinoGatherHeader *header, const SinoGatherVisit *visit)
{
    SinoGatherLists unused;
    return sino_gather_arrays(header, visit, &unused);
}

int64_t sino_regroup_bytes(const SinoRegroup *regroup)
{
    const SinoGatherHeader header = header_of(regroup);
    int64_t bytes = sino_regroup_head_bytes(regroup);
    for (int64_t v = 0; v < regroup->visit_count; v++) bytes += visit_bytes(&header, &regroup->visit[v]);
    return bytes;
}

/* Writes, for each tile of the image, the stored tiles whose lists serve it, in the order of their numbers. */
static void write_sources(const SinoRegroup *regroup, const int32_t *tiles, SinoGatherSource *source)
{
    const int64_t count = regroup->input.block->tile_count;
    const uint32_t orientations = regroup->input.layout->orientations;
    for (int64_t i = 0; i < count * SINO_ORIENTATIONS; i++) source[i] = (SinoGatherSource){-1, 0};
    for (int32_t t = 0; t < count; t++)
        for (int g = 0; g < SINO_ORIENTATIONS; g++) {
            if (!(orientations >> g & 1)) continue;
            SinoGatherSource *to = source + (int64_t)tiles[(int64_t)t * SINO_ORIENTATIONS + g] * SINO_ORIENTATIONS;
            while (to->tile >= 0) to++;
            *to = (SinoGatherSource){t, g};
        }
}

void sino_regroup_head(const SinoRegroup *regroup, void *lists)
{
    SinoGatherHeader *header = lists;
    const int64_t tiles = regroup->input.block->tile_count * SINO_ORIENTATIONS;
    int64_t at = sino_regroup_head_bytes(regroup);
    memset(lists, 0, (size_t)at);
    *header = header_of(regroup);
    memcpy((void *)sino_gather_chains(header), regroup->chain, (size_t)regroup->chain_count * sizeof *regroup->chain);
    SinoGatherVisit *visit = (SinoGatherVisit *)sino_gather_visits(header);
    for (int64_t v = 0; v < regroup->visit_count; v++) {
        visit[v] = regroup->visit[v];
        visit[v].offset = at;
        at += visit_bytes(header, &visit[v]);
        const int64_t index_bytes = sino_gather_lengths_at(header->outputs, &visit[v]);
        if (index_bytes > header->index_bytes) header->index_bytes = index_bytes;
        header->stored_count += visit[v].step_count * (int64_t)sino_gather_step_lengths(header->outputs);
    }
    header->bytes = at;
    memcpy((void *)sino_gather_tiles(header), sino_block_tiles(regroup->input.block), (size_t)tiles * sizeof(int32_t));
    write_sources(regroup, sino_gather_tiles(header), (SinoGatherSource *)sino_gather_sources(header));
    memcpy((void *)sino_gather_spans(header), regroup->span,
           (size_t)(regroup->visit_count * regroup->batch_angles) * sizeof *regroup->span);
    memcpy((void *)sino_gather_parts(header), regroup->part, (size_t)regroup->part_count * sizeof *regroup->part);
}

int64_t sino_regroup_offset(const SinoGatherHeader *head, int64_t visit)
{
    return visit < head->visit_count ? sino_gather_visits(head)[visit].offset : head->bytes;
}

static void store_length(SinoPrecision precision, double value, void *length, int64_t at)
{
    if (precision == SINO_DOUBLE)
        ((double *)length)[at] = value;
    else if (precision == SINO_SINGLE)
        ((float *)length)[at] = (float)value;
    else
        ((SinoHalf *)length)[at] = sino_half((float)value);
}

/* Writes a group as number q of its bundle. Steps beyond the group's inputs get the filler as slot, and lengths 0. */
static void write_group(const Workspace *work, const Group *group, uint16_t filler, uint32_t steps, int q,
                        uint16_t *slot, void *length)
{
    const SinoPrecision precision = work->regroup->precision;
    const int outputs = work->regroup->input.outputs;
    const int32_t width = outputs == SINO_BUNDLE_OUTPUTS ? 16 : 1; /* inputs of the group per step */
    for (int32_t i = 0; i < (int32_t)steps * width; i++) {
        const int32_t input = group->input + i;
        const bool mine = i < group->input_count;
        slot[i / width * sino_gather_step_inputs(outputs) + (width > 1 ? i % width : q)] =
            mine ? work->input[input] : filler;
        for (int r = 0; r < outputs; r++) {
            const int64_t place = width > 1 ? sino_gather_fragment(r, i % width) : q * SINO_GROUP_RAYS + r;
            store_length(precision, mine ? work->length[input][r] : 0, length,
                         i / width * (int64_t)sino_gather_step_lengths(outputs) + place);
        }
    }
}

static void write_visit(Workspace *work, const SinoRegroupOrigin *origin, const SinoGatherHeader *header,
                        const SinoGatherVisit *visit)
{
    const SinoRegroup *regroup = work->regroup;
    const int32_t groups = groups_of_bundle(regroup), inputs = sino_gather_step_inputs(header->outputs);
    const size_t step_bytes =
        (size_t)sino_gather_step_lengths(header->outputs) * sino_precision_bytes(regroup->precision);
    SinoGatherLists lists;
    uint32_t step = 0;
    make_groups(work, origin);
    memset((char *)header + visit->offset, 0, (size_t)sino_gather_arrays(header, visit, &lists));
    for (int32_t b = 0; b < visit->bundle_count; b++) {
        SinoGatherBundle *bundle = &lists.bundle[b];
        const Group *first = &work->group[(int64_t)b * groups];
        *bundle = (SinoGatherBundle){.first = step, .count = bundle_steps(regroup, first)};
        for (int q = 0; q < groups; q++) {
            const bool there = b * groups + q < work->group_count;
            const Group none = {.input_count = 0};
            const int outputs = regroup->input.outputs;
            for (int r = 0; r < outputs; r++)
                bundle->output[q * outputs + r] = there ? first[q].output[r] : SINO_GATHER_NONE;
            write_group(work, there ? &first[q] : &none, work->input[first->input], bundle->count, q,
                        lists.slot + (int64_t)step * inputs, (char *)lists.length + (int64_t)step * step_bytes);
        }
        step += bundle->count;
    }
}

SinoStatus sino_regroup_fill(const SinoRegroup *regroup, int64_t first, int64_t count, void *lists)
{
    const SinoGatherHeader *header = lists;
    Workspace *work;
    SINO_TRY(workspace_new(regroup, &work));
    for (int64_t v = first; v < first + count; v++)
        write_visit(work, &regroup->origin[v], header, &sino_gather_visits(header)[v]);
    sino_release(work, sizeof *work);
    return NULL;
}
