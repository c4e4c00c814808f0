/* SPDX-License-Identifier: BSD-3-Clause */
/* Regroup: makes the gather lists of a partition's block on a GPU, visit by visit.
 *
 * A block of threads makes one visit. It first lists the outputs and their inputs. Then each warp unites the inputs of
 * one group after the other. A warp goes from output to output, with one input per lane. New inputs get their places in
 * the order of lanes, which is the CPU's order. Each group is united twice: first to count its inputs, because the
 * order of groups depends on the counts, then to write them.
 *
 * Loops that are short or deeply nested are not unrolled: the registers in which warps reconverge would spill. */
#include "sum_cuda.cuh"

#include <limits.h>

extern "C" {
#include "regroup_cuda.h"
#include "regroup_private.h"
}

enum {
    WARPS = 8,
    THREADS = 32 * WARPS, /* also the most groups of a visit */
    BLOCKS_AT_ONCE = 4,   /* blocks per multiprocessor, at least; without it ptxas would use too few registers */
    GROUP_WORDS = (SINO_VISIT_GROUPS_MAX + 31) / 32,
    OUTPUTS_MAX = SINO_VISIT_GROUPS_MAX * SINO_GROUP_RAYS,
    ABSENT = 0xffff /* an input's place, or an output, that does not exist */
};
static_assert(int(SINO_VISIT_GROUPS_MAX) < int(THREADS), "a thread for each group");
static_assert(int(SINO_TILE_VOXELS) == int(THREADS), "a thread for each voxel");
static_assert(int(SINO_VISIT_GROUPS_MAX) <= 1 << 8, "items have 8 bits for the group");
static_assert(int(SINO_VISIT_GROUPS_MAX) * int(SINO_GROUP_VOXELS) <= 1 << 16, "items have 16 bits for the voxel");
static_assert(int(SINO_VISIT_SLOTS_MAX) < int(ABSENT), "no place is that of an input that is absent");

static const unsigned all_lanes = 0xffffffffu;

/* Arguments of the kernels. */
struct Lists {
    SinoRegroupShape shape;
    const uint8_t *block;
    const uint32_t *ray;
    const SinoRegroupVisit *visit;
    const SinoRegroupOrder *order;
    int64_t first; /* first visit of the launch */
};

/* Shared memory of a block. The number of an output is its voxel's or, in projection, SINO_GROUP_RAYS · group + ray. */
struct __align__(16) Shared
{
    int start[SINO_VISIT_GROUPS_MAX + 1]; /* where the voxels of each of the block's groups begin */
    uint16_t slot[OUTPUTS_MAX];           /* slot of each ray */
    uint16_t output[OUTPUTS_MAX];
    int batch_outputs[SINO_SECTION_GROUPS];        /* a group never spans two batches of the block */
    int item[SINO_TILE_VOXELS + 1];                /* where each voxel's items begin */
    uint8_t mask[SINO_VISIT_GROUPS_MAX];           /* rays of a group that meet a voxel */
    uint32_t meets[SINO_TILE_VOXELS][GROUP_WORDS]; /* bits: groups that meet the voxel */
    uint16_t input_count[SINO_VISIT_GROUPS_MAX], first_input[SINO_VISIT_GROUPS_MAX];
    uint16_t sorted[SINO_VISIT_GROUPS_MAX]; /* groups, larger ones first */
    int step[SINO_VISIT_GROUPS_MAX + 1];    /* where each bundle's steps begin */
    int warp_sum[WARPS];
    int group_count;
};

/* Backprojecting: an item stands for a voxel of one of the block's groups, and for the group's rays that meet the
 * voxel. */
static __device__ uint32_t item_of(int voxel, int group, unsigned mask)
{
    return static_cast<uint32_t>(voxel) | static_cast<uint32_t>(group) << 16 | mask << 24;
}

/* The kinds of lists: the type of a length's bits, the outputs of a group, the direction. */
template <class BITS, int OUTPUTS, bool IS_BACK> struct Kind {
    typedef BITS Bits;
    static const int R = OUTPUTS;
    static const bool BACK = IS_BACK;
    static const int BUNDLE_GROUPS = SINO_BUNDLE_OUTPUTS / OUTPUTS;
    static const int WIDTH = OUTPUTS == SINO_BUNDLE_OUTPUTS ? 16 : 1; /* inputs of a group per step */
};

/* Lengths of a group's rays in one voxel. */
template <class Bits> struct __align__(sizeof(Bits) < 4 ? 8 : 16) Lengths
{
    Bits of[SINO_GROUP_RAYS];
};

/* Mask of the lengths above 0; no length is negative. */
template <class Bits> static __device__ unsigned mask_of(const Lengths<Bits> &lengths)
{
    unsigned mask = 0;
    for (int r = 0; r < SINO_GROUP_RAYS; r++) mask |= static_cast<unsigned>(lengths.of[r] != 0) << r;
    return mask;
}

/* The groups of a visit in their section. */
template <class K> struct Groups {
    int count;
    int angle; /* first angle of the visit's batch */
    const uint32_t *ray;
    const uint8_t *voxel_count, *voxel;
    const Lengths<typename K::Bits> *lengths;
};

template <class K> static __device__ Groups<K> groups_of(const Lists &lists, const SinoRegroupVisit &visit)
{
    SinoSection section;
    sino_section_arrays(reinterpret_cast<const SinoSectionHeader *>(lists.block + visit.section),
                        static_cast<SinoPrecision>(lists.shape.precision), &section);
    return {visit.group_count,
            visit.angle,
            section.ray + static_cast<int64_t>(visit.first_group) * SINO_GROUP_RAYS,
            section.count + visit.first_group,
            section.voxel + visit.first_voxel,
            static_cast<const Lengths<typename K::Bits> *>(section.length) + visit.first_voxel};
}

static __device__ int lane_of()
{
    return static_cast<int>(threadIdx.x) % 32;
}

static __device__ int warp_of()
{
    return static_cast<int>(threadIdx.x) / 32;
}

static __device__ int angle_of(const Lists &lists, uint32_t row)
{
    return static_cast<int>((lists.ray ? lists.ray[row] : row) / static_cast<uint32_t>(lists.shape.column_count));
}

/* Finds where the voxels of groups begin, and the slots of rays. A ray that a group repeats to be full has no slot. */
template <class K> static __device__ void open_groups(const Lists &lists, const Groups<K> &groups, Shared *shared)
{
    const int me = static_cast<int>(threadIdx.x);
    int total;
    const int before = sino_sum_before<WARPS>(me < groups.count ? groups.voxel_count[me] : 0, shared->warp_sum, &total);
    if (me <= groups.count) shared->start[me] = before;
    for (int i = me; i < groups.count * SINO_GROUP_RAYS; i += THREADS) {
        const uint32_t row = groups.ray[i];
        const bool repeated = i % SINO_GROUP_RAYS > 0 && row == groups.ray[i / SINO_GROUP_RAYS * SINO_GROUP_RAYS];
        const int slot = (angle_of(lists, row) - groups.angle) * lists.shape.columns +
                         static_cast<int>(row % static_cast<uint32_t>(lists.shape.columns));
        shared->slot[i] = repeated ? static_cast<uint16_t>(SINO_GATHER_NONE) : static_cast<uint16_t>(slot);
    }
    if (me < SINO_SECTION_GROUPS) shared->batch_outputs[me] = 0;
    __syncthreads();
}

/* Calls visit(group, voxel among the visit's, whether this lane has a voxel), with all lanes of a warp together. */
template <class K, class Visit>
static __device__ __forceinline__ void each_voxel(const Groups<K> &groups, const Shared *shared, Visit visit)
{
    for (int group = warp_of(); group < groups.count; group += WARPS) {
        const int end = shared->start[group + 1];
        for (int from = shared->start[group]; from < end; from += 32)
            visit(group, from + lane_of(), from + lane_of() < end);
    }
}

/* Projecting: lists the rays in the block's order, without rays whose lengths are all 0 as halves. */
template <class K> static __device__ void list_rays(const Lists &lists, const Groups<K> &groups, Shared *shared)
{
    const int me = static_cast<int>(threadIdx.x);
    unsigned mask = 0;
    int total;
    if (me < groups.count) shared->mask[me] = 0;
    __syncthreads();
    each_voxel(groups, shared, [&](int group, int voxel, bool there) {
        const unsigned mine = there ? mask_of(groups.lengths[voxel]) : 0;
        unsigned any = 0;
        for (int r = 0; r < SINO_GROUP_RAYS; r++)
            any |= static_cast<unsigned>(__any_sync(all_lanes, static_cast<int>(mine >> r & 1)) != 0) << r;
        if (lane_of() == 0) shared->mask[group] = static_cast<uint8_t>(shared->mask[group] | any);
    });
    __syncthreads();
    for (int r = 0; me < groups.count && r < SINO_GROUP_RAYS; r++)
        if (shared->slot[me * SINO_GROUP_RAYS + r] != SINO_GATHER_NONE) mask |= shared->mask[me] & 1u << r;
    int at = sino_sum_before<WARPS>(__popc(mask), shared->warp_sum, &total);
    for (int r = 0; r < SINO_GROUP_RAYS; r++)
        if (mask >> r & 1) shared->output[at++] = static_cast<uint16_t>(me * SINO_GROUP_RAYS + r);
    if (mask == 0) return;
    const int batch =
        (angle_of(lists, groups.ray[me * SINO_GROUP_RAYS]) - groups.angle) / static_cast<int>(lists.shape.group_angles);
    atomicAdd(&shared->batch_outputs[batch], __popc(mask));
}

/* Finds where the items of each voxel begin, and lists the voxels that have items, sorted by offset. */
static __device__ void count_items(const SinoRegroupOrder &order, Shared *shared)
{
    const int me = static_cast<int>(threadIdx.x);
    int count = 0, total;
    for (int w = 0; w < GROUP_WORDS; w++) count += __popc(shared->meets[me][w]);
    shared->item[me] = sino_sum_before<WARPS>(count, shared->warp_sum, &total);
    if (me == THREADS - 1) shared->item[THREADS] = total;
    __syncthreads();
    const int voxel = order.voxel[me], there = shared->item[voxel + 1] > shared->item[voxel];
    const int at = sino_sum_before<WARPS>(there, shared->warp_sum, &total);
    if (there) shared->output[at] = static_cast<uint16_t>(voxel);
    if (me == 0) shared->batch_outputs[0] = total;
}

/* Backprojecting: lists the voxels, and the items of each voxel in the order of groups. */
template <class K>
static __device__ void list_voxels(const SinoRegroupOrder &order, const Groups<K> &groups, Shared *shared,
                                   uint32_t *items)
{
    for (int i = static_cast<int>(threadIdx.x); i < SINO_TILE_VOXELS * GROUP_WORDS; i += THREADS)
        shared->meets[i / GROUP_WORDS][i % GROUP_WORDS] = 0;
    __syncthreads();
    each_voxel(groups, shared, [&](int group, int voxel, bool there) {
        if (there && mask_of(groups.lengths[voxel]) != 0)
            atomicOr(&shared->meets[groups.voxel[voxel]][group / 32], 1u << group % 32);
    });
    __syncthreads();
    count_items(order, shared);
    each_voxel(groups, shared, [&](int group, int voxel, bool there) {
        const unsigned mask = there ? mask_of(groups.lengths[voxel]) : 0;
        if (mask == 0) return;
        const uint32_t *const meets = shared->meets[groups.voxel[voxel]];
        int at = shared->item[groups.voxel[voxel]] + __popc(meets[group / 32] & ((1u << group % 32) - 1));
        for (int w = 0; w < group / 32; w++) at += __popc(meets[w]);
        items[at] = item_of(voxel, group, mask);
    });
}

/* One warp's union of inputs, and the place of each input in it. */
struct Union {
    uint16_t *place, *input;
};

/* An opened visit: the data with which a warp unites the inputs of outputs. */
template <class K> struct Opened {
    Groups<K> groups;
    Shared *shared;
    const uint32_t *items;
    int slots;
    Union mine;
};

/* Some outputs, one per lane. A lane without an output holds ABSENT. */
struct Outputs {
    int count, mine;
};

/* The outputs of a group, batch by batch. A group that does not exist has no outputs. */
template <class K> static __device__ __forceinline__ Outputs outputs_of(const Shared *shared, int group)
{
    int before = 0, first = 0, count = 0;
    for (int b = 0; b < SINO_SECTION_GROUPS; b++) {
        const int outputs = shared->batch_outputs[b], left = outputs - group * K::R;
        if (group >= 0 && left > 0) {
            first = before + group * K::R;
            count = left < K::R ? left : K::R;
        }
        group -= (outputs + K::R - 1) / K::R;
        before += outputs;
    }
    return {count, lane_of() < count ? shared->output[first + lane_of()] : static_cast<int>(ABSENT)};
}

template <class K> static __device__ int output_slot(const Shared *shared, int output)
{
    return K::BACK ? output : shared->slot[output];
}

/* Reorders outputs so that four consecutive ones lie in different banks of shared memory where possible: the product's
 * kernels add to the sums of four outputs at a time. */
template <class K> static __device__ __forceinline__ void spread_outputs(const Shared *shared, Outputs *outputs)
{
    const int lane = lane_of();
    unsigned taken = 0;
#pragma unroll 1
    for (int i = 0; i < outputs->count; i++) {
        if (i % 4 == 0) taken = 0;
        const bool mine = lane >= i && lane < outputs->count;
        const int bank = mine ? output_slot<K>(shared, outputs->mine) % 4 : 0;
        const unsigned free = __ballot_sync(all_lanes, mine && (taken >> bank & 1) == 0);
        const int j = free ? __ffs(static_cast<int>(free)) - 1 : i;
        const int of_i = __shfl_sync(all_lanes, outputs->mine, i), of_j = __shfl_sync(all_lanes, outputs->mine, j);
        taken |= 1u << __shfl_sync(all_lanes, bank, j);
        if (lane == i)
            outputs->mine = of_j;
        else if (lane == j)
            outputs->mine = of_i;
    }
}

/* An output and an input that meet: the bits of their length are not 0. */
template <class Bits> struct Meeting {
    int input;
    Bits length;
};

/* Candidate number i of the output's inputs. */
template <class K>
static __device__ __forceinline__ Meeting<typename K::Bits> meeting_of(const Opened<K> &at, int output, int first,
                                                                       int i)
{
    if (K::BACK) {
        const uint32_t item = at.items[first + i / SINO_GROUP_RAYS];
        const int r = i % SINO_GROUP_RAYS, group = item >> 16 & 0xff;
        if ((item >> 24 >> r & 1) == 0) return {0, 0};
        return {at.shared->slot[group * SINO_GROUP_RAYS + r], at.groups.lengths[item & 0xffff].of[r]};
    }
    return {at.groups.voxel[first + i], at.groups.lengths[first + i].of[output % SINO_GROUP_RAYS]};
}

/* Calls visit(number of the output, input, length) for every input that each of the outputs meets, with all lanes of a
 * warp together. Length 0: this lane has no input. No input occurs twice in one call. */
template <class K, class Visit>
static __device__ __forceinline__ void each_meeting(const Opened<K> &at, const Outputs &outputs, Visit visit)
{
#pragma unroll 1
    for (int r = 0; r < outputs.count; r++) {
        const int output = __shfl_sync(all_lanes, outputs.mine, r);
        const int *const begin = K::BACK ? at.shared->item + output : at.shared->start + output / SINO_GROUP_RAYS;
        const int first = begin[0], count = (begin[1] - first) * (K::BACK ? SINO_GROUP_RAYS : 1);
#pragma unroll 1
        for (int from = 0; from < count; from += 32) {
            const int i = from + lane_of();
            Meeting<typename K::Bits> meeting = {0, 0};
            if (i < count) meeting = meeting_of(at, output, first, i);
            visit(r, meeting.input, meeting.length);
        }
    }
}

/* Unites the inputs of the outputs in the order in which they occur; returns the number of inputs. Calls visit(number
 * of the output, place of the input, length), with all lanes of a warp together; length 0: this lane has no input. */
template <class K, class Visit>
static __device__ __forceinline__ int unite(const Opened<K> &at, const Outputs &outputs, Visit visit)
{
    const unsigned before_me = (1u << lane_of()) - 1;
    int count = 0;
#pragma unroll 1
    for (int i = lane_of(); i < at.slots / 8; i += 32)
        reinterpret_cast<uint4 *>(at.mine.place)[i] = make_uint4(UINT_MAX, UINT_MAX, UINT_MAX, UINT_MAX);
    __syncwarp();
    each_meeting(at, outputs, [&](int r, int input, typename K::Bits length) {
        int place = at.mine.place[input];
        const bool fresh = length != 0 && place == ABSENT;
        const unsigned all_fresh = __ballot_sync(all_lanes, fresh);
        if (fresh) {
            place = count + __popc(all_fresh & before_me);
            at.mine.place[input] = static_cast<uint16_t>(place);
            at.mine.input[place] = static_cast<uint16_t>(input);
        }
        count += __popc(all_fresh);
        __syncwarp();
        visit(r, place, length);
    });
    return count;
}

/* Reorders a group's inputs: the product's kernels load eight inputs at a time as one matrix, so as many of the eight
 * as possible are to lie in different banks of shared memory. */
static __device__ __forceinline__ void spread_inputs(const Union &mine, int count)
{
    unsigned taken = 0;
#pragma unroll 1
    for (int i = 0; i < count; i++) {
        unsigned free = 0;
        int end = i;
        if (i % 8 == 0) taken = 0;
        while (free == 0 && end < count) {
            const int j = end + lane_of();
            free = __ballot_sync(all_lanes, j < count && (taken >> sino_gather_bank(mine.input[j]) & 1) == 0);
            end += 32;
        }
        const int j = free ? end - 33 + __ffs(static_cast<int>(free)) : i;
        const uint16_t of_i = mine.input[i], of_j = mine.input[j];
        __syncwarp();
        if (lane_of() == 0) {
            mine.input[i] = of_j;
            mine.input[j] = of_i;
        }
        __syncwarp();
        taken |= 1u << sino_gather_bank(of_j);
    }
#pragma unroll 1
    for (int i = lane_of(); i < count; i += 32) mine.place[mine.input[i]] = static_cast<uint16_t>(i);
    __syncwarp();
}

/* Shared memory holds the struct Shared, the items of the block, then the places and the union of each warp. */
static __host__ __device__ int64_t item_bytes(const SinoRegroupShape &shape)
{
    return shape.back ? sino_block_align(shape.voxel_max * static_cast<int64_t>(sizeof(uint32_t)), 16) : 0;
}

/* Lists the outputs of the visit, and their inputs. */
template <class K>
static __device__ Opened<K> open_visit(const Lists &lists, const SinoRegroupVisit &visit, char *memory)
{
    const Groups<K> groups = groups_of<K>(lists, visit);
    Shared *const shared = reinterpret_cast<Shared *>(memory);
    uint32_t *const items = reinterpret_cast<uint32_t *>(shared + 1);
    const int slots = lists.shape.slots;
    uint16_t *const mine =
        reinterpret_cast<uint16_t *>(memory + sizeof(Shared) + item_bytes(lists.shape)) + 2 * slots * warp_of();
    open_groups(lists, groups, shared);
    if (K::BACK)
        list_voxels(lists.order[visit.batch], groups, shared, items);
    else
        list_rays(lists, groups, shared);
    __syncthreads();
    return {groups, shared, items, slots, {mine, mine + slots}};
}

/* Counts the inputs of each group and finds the first one. */
template <class K> static __device__ void count_inputs(const Opened<K> &at)
{
    Shared *const shared = at.shared;
    int count = 0;
    for (int b = 0; b < SINO_SECTION_GROUPS; b++) count += (shared->batch_outputs[b] + K::R - 1) / K::R;
    for (int group = warp_of(); group < count; group += WARPS) {
        const int inputs = unite(at, outputs_of<K>(shared, group), [](int, int, typename K::Bits) {});
        if (lane_of() == 0) {
            shared->input_count[group] = static_cast<uint16_t>(inputs);
            shared->first_input[group] = at.mine.input[0];
        }
    }
    if (threadIdx.x == 0) shared->group_count = count;
    __syncthreads();
}

/* Sorts groups by their inputs, larger ones first; equal groups keep their order. */
static __device__ void sort_groups(Shared *shared)
{
    const int me = static_cast<int>(threadIdx.x), count = shared->group_count;
    if (me < count) {
        const int mine = shared->input_count[me];
        int before = 0;
        for (int other = 0; other < count; other++) {
            const int of_other = shared->input_count[other];
            before += of_other > mine || (of_other == mine && other < me);
        }
        shared->sorted[before] = static_cast<uint16_t>(me);
    }
    __syncthreads();
}

/* Finds where the steps of bundles begin; returns the number of bundles. step[that number] is the number of all
 * steps. */
template <class K> static __device__ int count_steps(Shared *shared)
{
    const int me = static_cast<int>(threadIdx.x);
    const int bundles = (shared->group_count + K::BUNDLE_GROUPS - 1) / K::BUNDLE_GROUPS;
    const int inputs = me < bundles ? shared->input_count[shared->sorted[me * K::BUNDLE_GROUPS]] : 0;
    int total;
    const int steps = K::WIDTH > 1 ? (inputs + 15) / 16 : (inputs + 1) / 2 * 2;
    const int before = sino_sum_before<WARPS>(steps, shared->warp_sum, &total);
    if (me <= bundles) shared->step[me] = before;
    __syncthreads();
    return bundles;
}

/* A group's place in the lists, as number q of bundle b. */
template <class K> struct Written {
    SinoGatherBundle *bundle;
    uint16_t *slot;           /* of the bundle's first step */
    typename K::Bits *length; /* of the bundle's first step */
    int first, steps, q, filler;
};

template <class K>
static __device__ Written<K> written_at(const SinoGatherLists &arrays, const Shared *shared, int number)
{
    const int b = number / K::BUNDLE_GROUPS, first = shared->step[b];
    return {&arrays.bundle[b],
            arrays.slot + static_cast<int64_t>(first) * sino_gather_step_inputs(K::R),
            static_cast<typename K::Bits *>(arrays.length) +
                static_cast<int64_t>(first) * sino_gather_step_lengths(K::R),
            first,
            shared->step[b + 1] - first,
            number % K::BUNDLE_GROUPS,
            shared->first_input[shared->sorted[b * K::BUNDLE_GROUPS]]};
}

template <class K>
static __device__ __forceinline__ void write_length(const Written<K> &to, int r, int place, typename K::Bits length)
{
    const int at = K::WIDTH > 1 ? sino_gather_fragment(r, place % 16) : to.q * SINO_GROUP_RAYS + r;
    to.length[place / K::WIDTH * sino_gather_step_lengths(K::R) + at] = length;
}

/* Writes the slots of the outputs and of the inputs. Steps beyond the group's inputs get the filler. */
template <class K>
static __device__ __forceinline__ void write_slots(const Opened<K> &at, const Outputs &outputs, int count,
                                                   const Written<K> &to)
{
    const int lane = lane_of(), inputs = sino_gather_step_inputs(K::R);
#pragma unroll 1
    for (int i = lane; i < to.steps * K::WIDTH; i += 32)
        to.slot[i / K::WIDTH * inputs + (K::WIDTH > 1 ? i % 16 : to.q)] =
            i < count ? at.mine.input[i] : static_cast<uint16_t>(to.filler);
    if (lane < K::R)
        to.bundle->output[to.q * K::R + lane] = static_cast<uint16_t>(
            lane < outputs.count ? output_slot<K>(at.shared, outputs.mine) : static_cast<int>(SINO_GATHER_NONE));
    if (lane > 0 || to.q > 0) return;
    to.bundle->first = static_cast<uint32_t>(to.first);
    to.bundle->count = static_cast<uint32_t>(to.steps);
}

/* Writes the nonzero lengths. Zeros are there already. */
template <class K>
static __device__ __forceinline__ void write_group(const Opened<K> &at, Outputs outputs, const Written<K> &to)
{
    typedef typename K::Bits Bits;
    int count;
    if (K::WIDTH > 1) {
        spread_outputs<K>(at.shared, &outputs);
        count = unite(at, outputs, [](int, int, Bits) {});
        spread_inputs(at.mine, count);
        each_meeting(at, outputs, [&](int r, int input, Bits length) {
            if (length != 0) write_length(to, r, at.mine.place[input], length);
        });
    } else {
        count = unite(at, outputs, [&](int r, int place, Bits length) {
            if (length != 0) write_length(to, r, place, length);
        });
    }
    write_slots(at, outputs, count, to);
    __syncwarp();
}

template <class K>
static __global__ void __launch_bounds__(THREADS, BLOCKS_AT_ONCE) measure_kernel(Lists lists, SinoRegroupSize *size)
{
    SINO_SHARED_DYNAMIC(memory);
    const Opened<K> at = open_visit<K>(lists, lists.visit[lists.first + blockIdx.x], memory);
    Shared *const shared = at.shared;
    count_inputs(at);
    sort_groups(shared);
    const int bundles = count_steps<K>(shared);
    if (threadIdx.x == 0) size[blockIdx.x] = {bundles, shared->step[bundles]};
}

/* Zeroes memory. Zeros pad arrays and are the lengths of outputs that do not meet an input. */
static __device__ void clear(void *memory, int64_t bytes)
{
    for (int64_t i = threadIdx.x; i < bytes / 16; i += THREADS)
        static_cast<uint4 *>(memory)[i] = make_uint4(0, 0, 0, 0);
}

template <class K>
static __global__ void __launch_bounds__(THREADS, BLOCKS_AT_ONCE)
    fill_kernel(Lists lists, const SinoGatherHeader *head, uint8_t *bytes)
{
    SINO_SHARED_DYNAMIC(memory);
    const int64_t number = lists.first + blockIdx.x;
    SinoGatherVisit visit = sino_gather_visits(head)[number];
    uint8_t *const mine = bytes + (visit.offset - sino_gather_visits(head)[lists.first].offset);
    SinoGatherLists arrays;
    visit.offset = mine - reinterpret_cast<const uint8_t *>(head);
    clear(mine, sino_gather_arrays(head, &visit, &arrays));
    const Opened<K> at = open_visit<K>(lists, lists.visit[number], memory);
    Shared *const shared = at.shared;
    count_inputs(at);
    sort_groups(shared);
    const int groups = count_steps<K>(shared) * K::BUNDLE_GROUPS;
    for (int i = warp_of(); i < groups; i += WARPS) {
        const int group = i < shared->group_count ? shared->sorted[i] : static_cast<int>(THREADS) * SINO_GROUP_RAYS;
        write_group(at, outputs_of<K>(shared, group), written_at<K>(arrays, shared, i));
    }
}

/* The kernels of one kind. */
struct Kernels {
    void (*measure)(Lists lists, SinoRegroupSize *size);
    void (*fill)(Lists lists, const SinoGatherHeader *head, uint8_t *bytes);
};

template <class Bits, int R> static Kernels kernels_of(bool back)
{
    return back ? Kernels{measure_kernel<Kind<Bits, R, true>>, fill_kernel<Kind<Bits, R, true>>}
                : Kernels{measure_kernel<Kind<Bits, R, false>>, fill_kernel<Kind<Bits, R, false>>};
}

static Kernels choose(const SinoRegroupShape &shape)
{
    if (shape.outputs == SINO_BUNDLE_OUTPUTS) return kernels_of<uint16_t, SINO_BUNDLE_OUTPUTS>(shape.back);
    switch (sino_precision_bytes(static_cast<SinoPrecision>(shape.precision))) {
    case 8:
        return kernels_of<uint64_t, SINO_GROUP_RAYS>(shape.back);
    case 4:
        return kernels_of<uint32_t, SINO_GROUP_RAYS>(shape.back);
    default:
        return kernels_of<uint16_t, SINO_GROUP_RAYS>(shape.back);
    }
}

static Lists lists_of(const SinoRegroupCuda *regroup, int64_t first)
{
    const SinoRegroupVisit *const visit = static_cast<const SinoRegroupVisit *>(regroup->table);
    return {regroup->shape,
            static_cast<const uint8_t *>(regroup->block),
            regroup->ray,
            visit,
            reinterpret_cast<const SinoRegroupOrder *>(visit + regroup->shape.visit_count),
            first};
}

static size_t shared_bytes(const SinoRegroupShape &shape)
{
    const size_t unions = WARPS * 2 * static_cast<size_t>(shape.slots) * sizeof(uint16_t);
    return sizeof(Shared) + static_cast<size_t>(item_bytes(shape)) + unions;
}

int64_t sino_regroup_cuda_shared_bytes(const SinoRegroupShape *shape)
{
    return static_cast<int64_t>(shared_bytes(*shape));
}

static SinoStatus launch_of(const char *name, cudaStream_t stream, const SinoRegroupShape &shape, int64_t count,
                            SinoLaunch *launch)
{
    SINO_CHECK(count <= INT_MAX, SINO_FAILED, "regrouping %lld visits at once on a GPU; allowed: up to %d",
               static_cast<long long>(count), INT_MAX);
    *launch = {name, static_cast<unsigned>(count), THREADS, shared_bytes(shape), stream};
    return NULL;
}

SinoStatus sino_regroup_measure_cuda(cudaStream_t stream, const SinoRegroupCuda *regroup, int64_t first, int64_t count,
                                     SinoRegroupSize *size)
{
    SinoLaunch launch;
    if (count == 0) return NULL;
    SINO_TRY(launch_of("regroup_measure", stream, regroup->shape, count, &launch));
    return sino_launch(launch, choose(regroup->shape).measure, lists_of(regroup, first), size);
}

SinoStatus sino_regroup_fill_cuda(cudaStream_t stream, const SinoRegroupCuda *regroup, const void *head, int64_t first,
                                  int64_t count, void *lists)
{
    SinoLaunch launch;
    if (count == 0) return NULL;
    SINO_TRY(launch_of("regroup_fill", stream, regroup->shape, count, &launch));
    return sino_launch(launch, choose(regroup->shape).fill, lists_of(regroup, first),
                       static_cast<const SinoGatherHeader *>(head), static_cast<uint8_t *>(lists));
}
