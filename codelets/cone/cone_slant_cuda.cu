/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone slant on a GPU: rays of projections whose detector columns lean, one by one.
 *
 * A ray is followed along x, y or z, whichever it is nearest to, and interpolates four voxels in each plane. To
 * project, a lane owns a ray; the lanes of a warp are neighbouring rows. To backproject, a lane owns a voxel, and looks
 * at the rays of all pixels on which the cube of two voxels around it is seen; the lanes of a warp are neighbours along
 * z. Both find places in double by the same function: a voxel gives a ray the weight that the ray gives it. */
#include "simt.h"

#include <math.h>

extern "C" {
#include "arithmetic.h"
#include "cone_slant_cuda.h"
}

enum {
    LANES = 32,
    VIEWS = 16, /* of a launch */
    WARPS = 8
};

/* A projection, in voxels of the grid; columns and rows of points by sino_view_value. */
struct SlantView {
    SinoView view;
    SinoViewPlanes planes;
    int number;  /* of the angle, in the vector of rays */
    float share; /* of a ray in its pixel */
};

struct SlantCall {
    int view_count, column_count, row_count; /* of the detector */
    int first_row, band_rows, x_count, z_count;
    bool first;
    SlantView view[VIEWS];
};
static_assert(sizeof(SlantCall) <= 4096, "a kernel's arguments");

/* A ray passes plane p of `axis` at start + slope·p along the other two axes, of which z is the second one. The length
 * from plane to plane is `length`. */
struct Ray {
    double start[2], slope[2];
    float length;
    int axis;
};

static __device__ Ray ray_of(const SinoView &view, int column, int row)
{
    double from[3], ray[3];
    for (int i = 0; i < 3; i++) {
        const double pixel = view.first[i] + column * view.column[i] + row * view.row[i];
        from[i] = view.parallel ? pixel : view.source[i];
        ray[i] = view.parallel ? view.source[i] : pixel - view.source[i];
    }
    const double x = fabs(ray[0]), y = fabs(ray[1]), z = fabs(ray[2]);
    const bool along_z = z > x && z > y, along_x = x > y && !along_z;
    const double along = along_z ? ray[2] : along_x ? ray[0] : ray[1];
    const double begin = along_z ? from[2] : along_x ? from[0] : from[1];
    const double inverse = 1 / along;
    Ray of;
    of.axis = along_z ? 2 : along_x ? 0 : 1;
    of.slope[0] = (along_x ? ray[1] : ray[0]) * inverse;
    of.slope[1] = (along_z ? ray[1] : ray[2]) * inverse;
    of.start[0] = (along_x ? from[1] : from[0]) - of.slope[0] * begin;
    of.start[1] = (along_z ? from[1] : from[2]) - of.slope[1] * begin;
    of.length = sqrtf(static_cast<float>(1 + of.slope[0] * of.slope[0] + of.slope[1] * of.slope[1]));
    return of;
}

/* Places of a band along an axis. */
struct Span {
    int first, count;
};

static __device__ __forceinline__ Span span_of(const SlantCall &call, int axis)
{
    if (axis == 1) return {call.first_row, call.band_rows};
    return {0, axis == 0 ? call.x_count : call.z_count};
}

static __device__ __forceinline__ int64_t stride_of(const SlantCall &call, int axis)
{
    if (axis == 2) return 1;
    return axis == 0 ? call.z_count : static_cast<int64_t>(call.x_count) * call.z_count;
}

/* What a ray sees between two neighbours across, of which those outside the band are 0. */
static __device__ __forceinline__ float between(const float *at, int64_t next, int place, int count, float part)
{
    const float low = place >= 0 && place < count ? at[0] : 0;
    const float high = place >= -1 && place < count - 1 ? at[next] : 0;
    return (1 - part) * low + part * high;
}

static __device__ float sum_of(const SlantCall &call, const Ray &ray, const float *__restrict__ voxels)
{
    const int axis[2] = {ray.axis == 0 ? 1 : 0, ray.axis == 2 ? 1 : 2};
    const Span along = span_of(call, ray.axis), across[2] = {span_of(call, axis[0]), span_of(call, axis[1])};
    const int64_t stride[2] = {stride_of(call, axis[0]), stride_of(call, axis[1])};
    double enter = along.first, leave = along.first + along.count - 1;
    for (int k = 0; k < 2; k++) {
        const double steep = fabs(ray.slope[k]) > 1e-9 ? ray.slope[k] : 1e-9;
        const double low = (across[k].first - 1 - ray.start[k]) / steep;
        const double high = (across[k].first + across[k].count - ray.start[k]) / steep;
        enter = fmax(enter, floor(fmin(low, high)) - 1);
        leave = fmin(leave, ceil(fmax(low, high)) + 1);
    }
    float sum = 0;
    if (!(enter <= leave)) return 0;
    for (int p = static_cast<int>(enter); p <= static_cast<int>(leave); p++) {
        const double at[2] = {ray.start[0] + ray.slope[0] * p - across[0].first,
                              ray.start[1] + ray.slope[1] * p - across[1].first};
        if (!(at[0] > -1 && at[0] < across[0].count && at[1] > -1 && at[1] < across[1].count)) continue;
        const int place[2] = {static_cast<int>(floor(at[0])), static_cast<int>(floor(at[1]))};
        const float part[2] = {static_cast<float>(at[0] - place[0]), static_cast<float>(at[1] - place[1])};
        const float *const voxel =
            voxels + (p - along.first) * stride_of(call, ray.axis) + place[0] * stride[0] + place[1] * stride[1];
        const float low = place[0] >= 0 ? between(voxel, stride[1], place[1], across[1].count, part[1]) : 0;
        const float high = place[0] < across[0].count - 1
                               ? between(voxel + stride[0], stride[1], place[1], across[1].count, part[1])
                               : 0;
        sum += (1 - part[0]) * low + part[0] * high;
    }
    return sum;
}

static __global__ void __launch_bounds__(WARPS *LANES)
    slant_project_kernel(const SlantCall call, const float *__restrict__ voxels, float *__restrict__ rays)
{
    const int lane = static_cast<int>(threadIdx.x) % LANES, warp = static_cast<int>(threadIdx.x) / LANES;
    const int column = static_cast<int>(blockIdx.x) * WARPS + warp, row = static_cast<int>(blockIdx.y) * LANES + lane;
    const SlantView &view = call.view[blockIdx.z];
    if (column >= call.column_count || row >= call.row_count) return;
    const Ray ray = ray_of(view.view, column, row);
    float *const to = rays + (static_cast<int64_t>(view.number) * call.column_count + column) * call.row_count + row;
    *to = (call.first ? 0 : *to) + view.share * ray.length * sum_of(call, ray, voxels);
}

/* Pixels of a projection along one side of the detector; none: last < first. */
struct Pixels {
    int first, last;
};

/* Those that may see the voxel's neighbours. `number`: 1 columns, 2 rows. */
static __device__ Pixels pixels_of(const SinoViewPlanes &planes, const int voxel[3], int number, int count)
{
    const double *const plane = planes.plane[number], *const depth = planes.plane[0];
    double value = plane[0], far = depth[0], least = 1e30, most = -1e30;
    for (int i = 0; i < 3; i++) {
        value += plane[i + 1] * voxel[i];
        far += depth[i + 1] * voxel[i];
    }
#pragma unroll 1
    for (int corner = 0; corner < 8; corner++) {
        double of = value, by = far;
        for (int i = 0; i < 3; i++) {
            of += (corner >> i & 1 ? 1 : -1) * plane[i + 1];
            by += (corner >> i & 1 ? 1 : -1) * depth[i + 1];
        }
        if (!(by > 0)) return {0, count - 1};
        least = fmin(least, of / by);
        most = fmax(most, of / by);
    }
    const double first = fmax(floor(least), 0.0), last = fmin(ceil(most), static_cast<double>(count - 1));
    return first <= last ? Pixels{static_cast<int>(first), static_cast<int>(last)} : Pixels{0, -1};
}

/* The weight of the voxel in the line integral along a ray. */
static __device__ __forceinline__ float weight_of(const Ray &ray, const int voxel[3])
{
    const int along = ray.axis == 0 ? voxel[0] : ray.axis == 1 ? voxel[1] : voxel[2];
    const int across[2] = {ray.axis == 0 ? voxel[1] : voxel[0], ray.axis == 2 ? voxel[1] : voxel[2]};
    float weight = ray.length;
    for (int k = 0; k < 2; k++) {
        const double beside = fabs(ray.start[k] + ray.slope[k] * along - across[k]);
        weight *= beside < 1 ? static_cast<float>(1 - beside) : 0;
    }
    return weight;
}

static __global__ void __launch_bounds__(WARPS *LANES)
    slant_back_kernel(const SlantCall call, const float *__restrict__ rays, float *__restrict__ voxels)
{
    const int lane = static_cast<int>(threadIdx.x) % LANES, warp = static_cast<int>(threadIdx.x) / LANES;
    const int voxel[3] = {static_cast<int>(blockIdx.x) * WARPS + warp, call.first_row + static_cast<int>(blockIdx.y),
                          static_cast<int>(blockIdx.z) * LANES + lane};
    if (voxel[0] >= call.x_count || voxel[2] >= call.z_count) return;
    float *const to = voxels + (static_cast<int64_t>(blockIdx.y) * call.x_count + voxel[0]) * call.z_count + voxel[2];
    float sum = call.first ? 0 : *to;
    for (int v = 0; v < call.view_count; v++) {
        const SlantView &view = call.view[v];
        const Pixels columns = pixels_of(view.planes, voxel, 1, call.column_count);
        const Pixels rows = pixels_of(view.planes, voxel, 2, call.row_count);
        for (int c = columns.first; c <= columns.last; c++) {
            const float *const from =
                rays + (static_cast<int64_t>(view.number) * call.column_count + c) * call.row_count;
            for (int r = rows.first; r <= rows.last; r++) {
                const float weight = weight_of(ray_of(view.view, c, r), voxel);
                if (weight > 0) sum += view.share * weight * from[r];
            }
        }
    }
    *to = sum;
}

static unsigned blocks_of(int64_t count, int64_t each)
{
    return static_cast<unsigned>(sino_ceil_divide(count, each));
}

static SinoStatus launch_slant(cudaStream_t stream, const SlantCall &call, bool back, const float *from, float *to)
{
    if (back)
        return sino_launch(SinoLaunch{"cone_slant_back",
                                      dim3(blocks_of(call.x_count, WARPS), static_cast<unsigned>(call.band_rows),
                                           blocks_of(call.z_count, LANES)),
                                      WARPS * LANES, 0, stream},
                           slant_back_kernel, call, from, to);
    return sino_launch(SinoLaunch{"cone_slant_project",
                                  dim3(blocks_of(call.column_count, WARPS), blocks_of(call.row_count, LANES),
                                       static_cast<unsigned>(call.view_count)),
                                  WARPS * LANES, 0, stream},
                       slant_project_kernel, call, from, to);
}

SinoStatus sino_cone_slant_cuda(cudaStream_t stream, const SinoCone *cone, SinoConeBand band, SinoConeAngles angles,
                                int64_t ray, bool back, bool *first, const float *from, float *to)
{
    SlantCall call = {};
    call.column_count = static_cast<int>(cone->column_count);
    call.row_count = static_cast<int>(cone->row_count);
    call.first_row = static_cast<int>(band.first_row);
    call.band_rows = static_cast<int>(band.row_count);
    call.x_count = static_cast<int>(cone->x_count);
    call.z_count = static_cast<int>(cone->z_count);
    for (int64_t k = 0; k < angles.count; k++) {
        const SinoPixelRays rays = sino_cone_pixel_rays(cone, angles.first + k);
        SinoView view = sino_cone_grid_view(cone, angles.first + k), upright = view;
        if (!sino_cone_stand_up(cone, &upright) && ray < rays.across * rays.up) {
            sino_view_move(rays, ray % rays.across, ray / rays.across, &view);
            call.view[call.view_count++] = {view, sino_view_planes(&view), static_cast<int>(k),
                                            1 / static_cast<float>(rays.across * rays.up)};
        }
        if (call.view_count == 0 || (call.view_count < VIEWS && k + 1 < angles.count)) continue;
        call.first = *first && (back || ray == 0);
        SINO_TRY(launch_slant(stream, call, back, from, to));
        if (back) *first = false;
        call.view_count = 0;
    }
    return NULL;
}
