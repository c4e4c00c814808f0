/* SPDX-License-Identifier: BSD-3-Clause */
/* Trace: exact lengths of rays in voxels, tile by tile, grouped, on a GPU (siddon.h says how a ray is followed).
 *
 * A block of threads makes one section in the same way as the CPU. It lists the rays that cross the tile, for the
 * angles of a group at a time, sorts them by offset, and unites the voxels of every four rays. One thread follows one
 * ray for the list, and the four rays of a group for its union. Rays are followed again, not stored. */
#include "sum_cuda.cuh"

#include <limits.h>

extern "C" {
#include "half.h"
#include "siddon.h"
#include "trace_sections.h"
}

enum {
    THREADS = 128, /* also the groups that a block makes at a time */
    WARPS = THREADS / 32,
    RAYS_MAX = SINO_GROUP_ANGLES_MAX * SINO_ANGLE_RAYS,
    SORTED_MAX = 1024, /* a power of two */
    SCAN_THREADS = 1024,
    ABSENT = 0xff /* no voxel of the group; places are below SINO_GROUP_VOXELS */
};
static_assert(RAYS_MAX <= SORTED_MAX, "rays of a group's angles can be sorted");
static_assert(int(SINO_GROUP_VOXELS) < int(ABSENT), "no place is that of a voxel that is absent");

/* The part of a layout that the kernels read. */
struct Scan {
    int64_t grid_size, column_count;
    double center;
    int64_t group_angles;
    SinoPrecision precision;
    const SinoTraceAngle *angle;
};

/* Shared memory of a block: the rays of a few angles, sorted, and the places of voxels in the unions of its groups. */
struct Shared {
    double offset[SORTED_MAX];
    uint32_t ray[SORTED_MAX];
    uint8_t place[SINO_TILE_VOXELS][THREADS];
    int warp_sum[WARPS];
    int ray_count, nonzero_count;
};

/* The scan and a tile's frame in it. */
struct Tile {
    Scan scan;
    SinoFrame frame;

    __device__ SinoFan fan(int64_t angle) const
    {
        const SinoTraceAngle direction = scan.angle[angle];
        return sino_fan_of(scan.grid_size, scan.column_count, scan.center, &frame, direction.cosine, direction.sine);
    }
};

/* Calls visit(voxel, length) for every voxel of the tile that a ray crosses, in the ray's order, until visit returns
 * false. */
template <class Visit>
static __device__ __forceinline__ void follow(const Tile &tile, const SinoFan &fan, double rho, Visit visit)
{
    const SinoRayPath path = sino_ray_path(&tile.frame, &fan, static_cast<double>(tile.scan.grid_size), rho);
    for (int i = 0; i < path.along.count; i++) {
        const SinoRayStep step = path.on_line ? sino_ray_line_step(&path) : sino_ray_step(&path, i);
        const int voxel =
            (path.along.offset + i) * path.along.stride + (path.across.offset + step.lower) * path.across.stride;
        if (step.lower >= 0 && step.lower < path.across.count && step.lower_length > SINO_LEAST_LENGTH &&
            !visit(voxel, step.lower_length))
            return;
        if (step.lower + 1 >= 0 && step.lower + 1 < path.across.count && step.upper_length > SINO_LEAST_LENGTH &&
            !visit(voxel + path.across.stride, step.upper_length))
            return;
    }
}

/* Lists the rays of angles first … end − 1 that cross the tile, in any order. With COUNT it also counts the
 * crossings. */
template <bool COUNT> static __device__ void list_rays(const Tile &tile, int64_t first, int64_t end, Shared *shared)
{
    if (threadIdx.x == 0) shared->ray_count = 0;
    __syncthreads();
    const int candidates = static_cast<int>(end - first) * SINO_ANGLE_RAYS;
    for (int i = static_cast<int>(threadIdx.x); i < candidates; i += THREADS) {
        const int64_t angle = first + i / SINO_ANGLE_RAYS;
        const SinoFan fan = tile.fan(angle);
        const int64_t column = fan.first + i % SINO_ANGLE_RAYS;
        if (column > fan.last) continue;
        const double rho = fan.rho0 + static_cast<double>(column);
        int crossed = 0;
        follow(tile, fan, rho, [&](int, double) {
            crossed++;
            return COUNT;
        });
        if (crossed == 0) continue;
        const int at = atomicAdd(&shared->ray_count, 1);
        shared->offset[at] = sino_fan_offset(&fan, &tile.frame, rho);
        shared->ray[at] = static_cast<uint32_t>(angle * tile.scan.column_count + column);
        if (COUNT) atomicAdd(&shared->nonzero_count, crossed);
    }
    __syncthreads();
}

static __device__ bool goes_before(const Shared *shared, int a, int b)
{
    const double of_a = shared->offset[a], of_b = shared->offset[b];
    return of_a != of_b ? of_a < of_b : shared->ray[a] < shared->ray[b];
}

/* One exchange of a bitonic sort: orders elements i and i ^ distance, ascending in every second run of `size`. */
static __device__ void order_pair(Shared *shared, int i, int distance, int size)
{
    const int other = i ^ distance;
    if (other < i || goes_before(shared, i, other) == ((i & size) == 0)) return;
    const double offset = shared->offset[i];
    const uint32_t ray = shared->ray[i];
    shared->offset[i] = shared->offset[other];
    shared->ray[i] = shared->ray[other];
    shared->offset[other] = offset;
    shared->ray[other] = ray;
}

/* Sorts by offset, then by ray. No two rays are equal, so the order is the CPU's. */
static __device__ void sort_rays(Shared *shared)
{
    int count = 1;
    while (count < shared->ray_count) count *= 2;
    for (int i = shared->ray_count + static_cast<int>(threadIdx.x); i < count; i += THREADS) {
        shared->offset[i] = static_cast<double>(INFINITY);
        shared->ray[i] = UINT_MAX - static_cast<uint32_t>(i); /* the rays that fill up the array differ, too */
    }
    __syncthreads();
    for (int size = 2; size <= count; size *= 2)
        for (int distance = size / 2; distance > 0; distance /= 2) {
            for (int i = static_cast<int>(threadIdx.x); i < count; i += THREADS) order_pair(shared, i, distance, size);
            __syncthreads();
        }
}

/* One group: its rays among the sorted ones, and the union of their voxels, padded to an even number. */
struct Group {
    int first, ray_count, voxel_count, first_voxel;
};

/* Calls visit(ray of the group, voxel, length) for every crossing of the group's rays. */
template <class Visit>
static __device__ __forceinline__ void for_each_crossing(const Tile &tile, const Shared *shared, const Group &group,
                                                         Visit visit)
{
    for (int r = 0; r < group.ray_count; r++) {
        const uint32_t ray = shared->ray[group.first + r];
        const int64_t angle = ray / tile.scan.column_count;
        const SinoFan fan = tile.fan(angle);
        follow(tile, fan, fan.rho0 + static_cast<double>(ray % tile.scan.column_count), [&](int voxel, double length) {
            visit(r, voxel, length);
            return true;
        });
    }
}

/* Gives voxels their places in the union, in the order in which rays meet them. */
static __device__ void unite(const Tile &tile, Shared *shared, Group *group)
{
    for_each_crossing(tile, shared, *group, [&](int, int voxel, double) {
        uint8_t *const place = &shared->place[voxel][threadIdx.x];
        if (*place != ABSENT) return;
        if (group->voxel_count == 0) group->first_voxel = voxel;
        *place = static_cast<uint8_t>(group->voxel_count++);
    });
}

static __device__ void clear_places(Shared *shared)
{
    uint4 *const at = reinterpret_cast<uint4 *>(shared->place);
    const int count = static_cast<int>(sizeof shared->place / sizeof *at);
    for (int i = static_cast<int>(threadIdx.x); i < count; i += THREADS)
        at[i] = make_uint4(UINT_MAX, UINT_MAX, UINT_MAX, UINT_MAX);
    __syncthreads();
}

/* This thread's group of the sorted rays, counted from group `from` on. It may have no rays. */
static __device__ Group group_of(const Shared *shared, int from)
{
    const int first = (from + static_cast<int>(threadIdx.x)) * SINO_GROUP_RAYS, left = shared->ray_count - first;
    return {first, min(max(left, 0), static_cast<int>(SINO_GROUP_RAYS)), 0, 0};
}

/* Addresses of a section's arrays, and the number of elements written so far. */
struct Section {
    SinoSection arrays;
    int group_count; /* groups of the whole section */
    int groups, voxels;
};

static __device__ void store_length(SinoPrecision precision, void *lengths, int64_t at, double length)
{
    if (precision == SINO_DOUBLE)
        static_cast<double *>(lengths)[at] = length;
    else if (precision == SINO_SINGLE)
        static_cast<float *>(lengths)[at] = static_cast<float>(length);
    else
        static_cast<SinoHalf *>(lengths)[at] = __half_as_ushort(__float2half_rn(static_cast<float>(length)));
}

/* Writes the rays of a group. A group with fewer rays repeats its first ray. The section's last group is repeated for
 * kernels that look ahead. */
static __device__ void write_rays(const Shared *shared, const Group &group, int number, const Section &section)
{
    const int copies = number == section.group_count - 1 ? 1 + SINO_GROUPS_AHEAD : 1;
    for (int copy = 0; copy < copies; copy++)
        for (int r = 0; r < SINO_GROUP_RAYS; r++)
            section.arrays.ray[(number + copy) * SINO_GROUP_RAYS + r] =
                shared->ray[group.first + (r < group.ray_count ? r : 0)];
}

/* Writes this thread's group as number `number` of the section. Its voxels begin at `first` and have their places
 * already. Zero lengths are there already. */
static __device__ void write_group(const Tile &tile, const Shared *shared, const Group &group, int number, int first,
                                   const Section &section)
{
    const SinoPrecision precision = tile.scan.precision;
    uint8_t *const voxels = section.arrays.voxel + first;
    write_rays(shared, group, number, section);
    for_each_crossing(tile, shared, group, [&](int r, int voxel, double length) {
        const int place = shared->place[voxel][threadIdx.x];
        voxels[place] = static_cast<uint8_t>(voxel);
        store_length(precision, section.arrays.length, (static_cast<int64_t>(first) + place) * SINO_GROUP_RAYS + r,
                     length);
    });
    if (group.voxel_count % 2 == 1)
        voxels[group.voxel_count] =
            static_cast<uint8_t>(group.voxel_count > 1 ? group.first_voxel : group.first_voxel ^ 1);
    section.arrays.count[number] = static_cast<uint8_t>((group.voxel_count + 1) / 2 * 2);
}

/* Counts the groups of the sorted rays and, with WRITE, writes them. */
template <bool WRITE> static __device__ void make_groups(const Tile &tile, Shared *shared, Section *section)
{
    const int count = (shared->ray_count + SINO_GROUP_RAYS - 1) / SINO_GROUP_RAYS;
    for (int from = 0; from < count; from += THREADS) {
        Group group = group_of(shared, from);
        int total;
        clear_places(shared);
        unite(tile, shared, &group);
        const int before = sino_sum_before<WARPS>((group.voxel_count + 1) / 2 * 2, shared->warp_sum, &total);
        if (WRITE && group.ray_count > 0)
            write_group(tile, shared, group, section->groups + from + static_cast<int>(threadIdx.x),
                        section->voxels + before, *section);
        __syncthreads();
        section->voxels += total;
    }
    section->groups += count;
}

template <bool WRITE>
static __device__ void make_section(const Scan &scan, const SinoTraceSection &of, Shared *shared, Section *section)
{
    const Tile tile = {scan, sino_frame_of(scan.grid_size, of.place)};
    if (threadIdx.x == 0) shared->nonzero_count = 0;
    for (int64_t angle = of.first; angle < of.end; angle += scan.group_angles) {
        list_rays<!WRITE>(tile, angle, min(angle + scan.group_angles, of.end), shared);
        sort_rays(shared);
        make_groups<WRITE>(tile, shared, section);
        __syncthreads();
    }
}

static __global__ void __launch_bounds__(THREADS)
    measure_kernel(Scan scan, const SinoTraceSection *sections, SinoTraceSize *size)
{
    SINO_SHARED(Shared, shared, 1);
    Section section = {};
    make_section<false>(scan, sections[blockIdx.x], shared, &section);
    if (threadIdx.x != 0) return;
    SinoSectionHeader header = {};
    header.group_count = section.groups;
    header.voxel_count = section.voxels;
    size[blockIdx.x].bytes = section.groups > 0 ? sino_section_arrays(&header, scan.precision, &section.arrays) : 0;
    size[blockIdx.x].nonzero_count = shared->nonzero_count;
    size[blockIdx.x].group_count = section.groups;
    size[blockIdx.x].voxel_count = section.voxels;
}

/* A single block turns the sections' bytes into offsets. The totals follow the last section. */
static __global__ void __launch_bounds__(SCAN_THREADS) offset_kernel(int64_t section_count, SinoTraceSize *size)
{
    SINO_SHARED(int64_t, sum, SCAN_THREADS);
    const int me = static_cast<int>(threadIdx.x);
    const int64_t each = (section_count + SCAN_THREADS - 1) / SCAN_THREADS;
    const int64_t first = min(me * each, section_count), end = min(first + each, section_count);
    int64_t own = 0;
    for (int64_t i = first; i < end; i++) own += size[i].bytes;
    sum[me] = own;
    for (int by = 1; by < SCAN_THREADS; by *= 2) {
        __syncthreads();
        const int64_t other = me >= by ? sum[me - by] : 0;
        __syncthreads();
        sum[me] += other;
    }
    int64_t offset = sum[me] - own;
    for (int64_t i = first; i < end; i++) {
        size[i].offset = offset;
        offset += size[i].bytes;
    }
    if (me == SCAN_THREADS - 1) size[section_count].offset = size[section_count].bytes = offset;
}

/* A block writes one section. It first writes zeros, which pad arrays and are the lengths of rays that miss a voxel. */
static __global__ void __launch_bounds__(THREADS)
    fill_kernel(Scan scan, const SinoTraceSection *sections, const SinoTraceSize *size, uint8_t *bytes)
{
    SINO_SHARED(Shared, shared, 1);
    const SinoTraceSection of = sections[blockIdx.x];
    const SinoTraceSize mine = size[blockIdx.x];
    if (mine.group_count == 0) return;
    SinoSectionHeader *const header = reinterpret_cast<SinoSectionHeader *>(bytes + mine.offset);
    for (int64_t i = threadIdx.x; i < mine.bytes / 16; i += THREADS)
        reinterpret_cast<uint4 *>(header)[i] = make_uint4(0, 0, 0, 0);
    __syncthreads();
    if (threadIdx.x == 0) {
        header->bytes = mine.bytes;
        header->step = of.step;
        header->nonzero_count = mine.nonzero_count;
        header->tile = of.tile;
        header->group_count = mine.group_count;
        header->voxel_count = mine.voxel_count;
        header->orientations = of.orientations;
    }
    __syncthreads();
    Section section = {};
    section.group_count = mine.group_count;
    sino_section_arrays(header, scan.precision, &section.arrays);
    make_section<true>(scan, of, shared, &section);
}

static Scan scan_of(const SinoLayout *layout, const SinoTraceAngle *angle)
{
    const SinoGeometry *const geometry = &layout->geometry;
    return {geometry->grid_size,  geometry->column_count, geometry->center,
            layout->group_angles, layout->precision,      angle};
}

SinoStatus sino_trace_measure_cuda(cudaStream_t stream, const SinoLayout *layout, const SinoTraceAngle *angle,
                                   int64_t section_count, const SinoTraceSection *section, SinoTraceSize *size)
{
    SINO_TRY(sino_clear(stream, size + section_count, sizeof *size));
    if (section_count == 0) return NULL;
    SINO_CHECK(section_count <= INT_MAX, SINO_FAILED, "tracing %lld sections at once on a GPU; allowed: up to %d",
               static_cast<long long>(section_count), INT_MAX);
    const SinoLaunch measure = {"trace_measure", static_cast<unsigned>(section_count), THREADS, 0, stream};
    SINO_TRY(sino_launch(measure, measure_kernel, scan_of(layout, angle), section, size));
    return sino_launch(SinoLaunch{"trace_offsets", 1, SCAN_THREADS, 0, stream}, offset_kernel, section_count, size);
}

SinoStatus sino_trace_fill_cuda(cudaStream_t stream, const SinoLayout *layout, const SinoTraceAngle *angle,
                                int64_t section_count, const SinoTraceSection *section, const SinoTraceSize *size,
                                void *bytes)
{
    if (section_count == 0) return NULL;
    const SinoLaunch fill = {"trace_fill", static_cast<unsigned>(section_count), THREADS, 0, stream};
    return sino_launch(fill, fill_kernel, scan_of(layout, angle), section, size, static_cast<uint8_t *>(bytes));
}
