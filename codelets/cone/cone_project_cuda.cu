/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone project on a GPU: projections whose detector columns are upright. Those of the others go to cone_slant_cuda.cu.
 *
 * The rays of a detector column pass the planes of voxels in the same places (x, y), so that a *step* from plane to
 * plane has two runs of voxels along z, their weights, and the place along z that each row sees. The lanes of a warp
 * are neighbours along the rows or along z: all that a step is made of is the same for a warp. Lanes find one step
 * each, in double, and lay them down in shared memory. All lanes then take step after step, in single precision
 * relative to its first row or voxel.
 *
 *     project   A warp owns a column and 64 rows, two to a lane, and adds in registers. The eight warps of a block have
 *               neighbouring columns, which see the same runs, so that L1 has most of them.
 *     back      A block owns 16 × 16 runs and 32 voxels of each, in shared memory. A warp owns one plane of it: of x
 *               while the rays that are nearer to x pass, then of y. A line of sums, what the column's rows give to the
 *               plane's voxels, is made once and added to two runs.
 *
 * Textures would interpolate with 8 bits of a place, and the two directions would not be transposes. docs/lab/
 * gpu_models.md has the model of both kernels. */
#include "simt.h"

#include <math.h>

extern "C" {
#include "arithmetic.h"
#include "cone_project.h"
#include "cone_slant_cuda.h"
}

enum {
    LANES = 32,
    VIEWS = 16,       /* of a launch */
    WARPS = 8,        /* project: columns of a block */
    GROUPS = 2,       /* project: rows of a lane, LANES apart */
    TILE = 16,        /* back: runs along a side of a block's tile, and its warps */
    ROWS_AT_ONCE = 3, /* back: loads of a lane that wait together */
    MOST = 1 << 29    /* of any count */
};

/* A projection with upright columns, in voxels of the grid. The ray of column c starts at from + c·from_step in the
 * direction ray + c·ray_step, for row 0; row r is apart·r higher at its start, and its direction spread·r. A point is
 * seen at column side·(1, x, y)/depth·(1, x, y). */
struct UprightView {
    double from[3], from_step[3], ray[3], ray_step[3];
    double apart, spread;
    double depth[3], side[3];
    int number;  /* of the angle, in the vector of rays */
    int flipped; /* rows are counted from the last one, so that they go up */
    float share; /* of a ray in its pixel */
};

struct UprightCall {
    int view_count, column_count, row_count; /* of the detector */
    int first_row, band_rows, x_count, z_count;
    bool first;
    UprightView view[VIEWS];
};
static_assert(sizeof(UprightCall) <= 4096, "a kernel's arguments");

/* The rays of a column: Path of cone_project_isa.c, as functions of the plane p. They are at start + slope·p across;
 * row r is at z + rise·p + (apart + spread·p)·r along z, and so climbs rise + spread·r from plane to plane. */
struct Path {
    double start, slope, z, rise, apart, spread;
    bool along_x;
};

static __device__ Path path_of(const UprightView &view, int column)
{
    double from[3], ray[3];
    for (int i = 0; i < 3; i++) {
        from[i] = view.from[i] + column * view.from_step[i];
        ray[i] = view.ray[i] + column * view.ray_step[i];
    }
    Path path;
    path.along_x = fabs(ray[0]) > fabs(ray[1]);
    const double along = path.along_x ? ray[0] : ray[1], across = path.along_x ? ray[1] : ray[0];
    const double begin = path.along_x ? from[0] : from[1], beside = path.along_x ? from[1] : from[0];
    const double pace = 1 / along;
    path.slope = across * pace;
    path.start = beside - path.slope * begin;
    path.rise = ray[2] * pace;
    path.z = from[2] - path.rise * begin;
    path.spread = view.spread * pace;
    path.apart = view.apart - path.spread * begin;
    return path;
}

static __device__ __forceinline__ int whole_of(double value, double most)
{
    return static_cast<int>(fmin(fmax(value, -most), most));
}

/* Places of lanes among entries at equal distances: lane l is at base + whole·l + share + rest·l. With the whole
 * entries apart the other two are small, and so are their errors. */
struct Places {
    float share, rest;
    int base, whole;
};

/* Far from entry 0 places are elsewhere, but also far from it. */
static __device__ __forceinline__ Places places_of(double first, double step)
{
    const double entry = floor(first), whole = floor(step + 0.5);
    return {static_cast<float>(first - entry), static_cast<float>(step - whole), whole_of(entry, MOST),
            whole_of(whole, MOST / 64)};
}

/* The entry before a lane's place, and how far the place is from it: 0 … 1. A large number is added, so that its last
 * bit is 1, which is faster than conversions. */
static __device__ __forceinline__ int entry_of(const Places &places, int lane, float *part)
{
    const float large = 12582912, at = places.share + static_cast<float>(lane) * places.rest;
    const float moved = at - 0.5F + large;
    *part = at - (moved - large);
    return places.base + lane * places.whole + (__float_as_int(moved) - __float_as_int(large));
}

/* The length of a ray from plane to plane. `flat`: the square of its length across z. */
static __device__ __forceinline__ float length_of(float flat, float climb)
{
    const float square = flat + climb * climb;
    return square * sino_rsqrt(square);
}

/* ---- project ---- */

/* What a warp adds in a plane: two runs with their weights, and the places of its rows along z. */
struct __align__(16) Step
{
    Places places;
    float weight[2];
    int run[2];
};

/* The planes from `first` to `last`, of which only they may lie in the band's image. */
struct Planes {
    int first, last;
};

static __device__ Planes planes_of(const UprightCall &call, const Path &path)
{
    const double first = path.along_x ? 0 : call.first_row;
    const double end = path.along_x ? call.x_count : call.first_row + call.band_rows;
    const double across = path.along_x ? call.first_row : 0, width = path.along_x ? call.band_rows : call.x_count;
    const double slope = fabs(path.slope) > 1e-9 ? path.slope : 1e-9;
    const double low = (across - 1 - path.start) / slope, high = (across + width - path.start) / slope;
    return {whole_of(fmax(floor(fmin(low, high)) - 1, first), MOST),
            whole_of(fmin(ceil(fmax(low, high)) + 1, end - 1), MOST)};
}

/* Where a path passes a plane between `across` and across + width − 1; false: beside them. */
static __device__ bool cross(const Path &path, int plane, int across, int width, int *lower, float weight[2])
{
    const double at = path.start + path.slope * plane, below = floor(at);
    const float upper = static_cast<float>(at - below);
    if (!(below >= across - 1 && below < across + width)) return false;
    *lower = static_cast<int>(below) - across;
    weight[0] = *lower >= 0 ? 1 - upper : 0;
    weight[1] = *lower + 1 < width ? upper : 0;
    return weight[0] + weight[1] > 0;
}

/* The step of a path in a plane for the rows from `row` on; false: none. A run without weight is the other one. */
static __device__ bool take_step(const UprightCall &call, const Path &path, int plane, int row, Step *step)
{
    int lower;
    if (!cross(path, plane, path.along_x ? call.first_row : 0, path.along_x ? call.band_rows : call.x_count, &lower,
               step->weight))
        return false;
    const double spread = path.apart + path.spread * plane;
    const int stride = path.along_x ? call.x_count : 1;
    const int run = path.along_x ? lower * stride + plane : (plane - call.first_row) * call.x_count + lower;
    step->run[0] = step->weight[0] > 0 ? run : run + stride;
    step->run[1] = step->weight[1] > 0 ? run + stride : run;
    step->places = places_of(path.z + path.rise * plane + spread * row, spread);
    return spread > 0;
}

static __device__ __forceinline__ float voxel_of(const float *__restrict__ run, int z, int z_count)
{
    return static_cast<unsigned>(z) < static_cast<unsigned>(z_count) ? run[z] : 0;
}

/* Adds what the rows of the lane see in a plane. */
static __device__ __forceinline__ void add_step(const float *__restrict__ voxels, const Step &step, int z_count,
                                                int lane, float sum[GROUPS])
{
    const float *const lower = voxels + static_cast<int64_t>(step.run[0]) * z_count;
    const float *const upper = voxels + static_cast<int64_t>(step.run[1]) * z_count;
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
        float part;
        const int z = entry_of(step.places, lane + g * LANES, &part);
        const float low = step.weight[0] * voxel_of(lower, z, z_count) + step.weight[1] * voxel_of(upper, z, z_count);
        const float high =
            step.weight[0] * voxel_of(lower, z + 1, z_count) + step.weight[1] * voxel_of(upper, z + 1, z_count);
        sum[g] += low + part * (high - low);
    }
}

static __global__ void __launch_bounds__(WARPS *LANES)
    cone_project_kernel(const UprightCall call, const float *__restrict__ voxels, float *__restrict__ rays)
{
    SINO_SHARED(Step, steps, WARPS * LANES);
    const int lane = static_cast<int>(threadIdx.x) % LANES, warp = static_cast<int>(threadIdx.x) / LANES;
    const int column = static_cast<int>(blockIdx.x) * WARPS + warp;
    const int row = static_cast<int>(blockIdx.y) * GROUPS * LANES;
    const UprightView &view = call.view[blockIdx.z];
    Step *const step = steps + warp * LANES;
    if (column >= call.column_count) return;
    const Path path = path_of(view, column);
    const Planes planes = planes_of(call, path);
    float sum[GROUPS] = {};
    for (int p = planes.first; p <= planes.last; p += LANES) {
        Step mine;
        const bool seen = p + lane <= planes.last && take_step(call, path, p + lane, row, &mine);
        const unsigned seeing = __ballot_sync(0xffffffffu, seen);
        if (seen) step[__popc(seeing & ((1u << lane) - 1))] = mine;
        __syncwarp();
        for (int i = 0; i < __popc(seeing); i++) add_step(voxels, step[i], call.z_count, lane, sum);
        __syncwarp();
    }
    float *const to = rays + (static_cast<int64_t>(view.number) * call.column_count + column) * call.row_count;
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
        const int r = row + g * LANES + lane, place = view.flipped ? call.row_count - 1 - r : r;
        if (r >= call.row_count) continue;
        const float climb = static_cast<float>(path.rise) + static_cast<float>(path.spread) * static_cast<float>(r);
        const float length = view.share * length_of(static_cast<float>(1 + path.slope * path.slope), climb);
        to[place] = (call.first ? 0 : to[place]) + length * sum[g];
    }
}

/* ---- backproject ---- */

/* What the rows of a column give to a plane of the tile. A lane's first row is the one after its place; it gets at most
 * `most` of them, which are `spread` apart along z. The length of row r's ray from plane to plane is
 * √(flat + (climb + climbs·r)²), of which its pixel has a share: as a factor of the weights. */
struct __align__(16) Line
{
    Places places;
    float weight[2], spread;
    float flat, climb, climbs;
    int sum[2], most; /* sum: of the first voxels of two runs in the tile; one without weight is the other one */
    int64_t rays;     /* number of the column's first one */
};

struct Tile {
    int x, y, z; /* the first voxel; the row counts from the band's first one */
};

struct Shared {
    float sum[TILE * TILE * LANES]; /* [y][x][z] */
    Line line[TILE][LANES];
};

/* A plane of the tile, and the first run of it. */
struct Side {
    bool along_x;
    int plane, across;
};

/* The columns that may see the plane; none: last < first. */
static __device__ Planes columns_of(const UprightCall &call, const UprightView &view, const Side &side)
{
    const float margin = 0.02F;
    float low = 0, high = static_cast<float>(call.column_count - 1), seen[2];
    for (int end = 0; end < 2; end++) {
        const double across = end ? side.across + TILE : side.across - 1;
        const double x = side.along_x ? side.plane : across, y = side.along_x ? across : side.plane;
        const double depth = view.depth[0] + view.depth[1] * x + view.depth[2] * y;
        if (!(depth > 0)) return {0, call.column_count - 1};
        seen[end] = static_cast<float>(view.side[0] + view.side[1] * x + view.side[2] * y) / static_cast<float>(depth);
    }
    low = fmaxf(low, ceilf(fminf(seen[0], seen[1]) - margin));
    high = fminf(high, floorf(fmaxf(seen[0], seen[1]) + margin));
    return low <= high ? Planes{static_cast<int>(low), static_cast<int>(high)} : Planes{0, -1};
}

/* Whether rays between the columns may be followed along the axis: unless those of both are nearer to the other one, on
 * the same side. */
static __device__ bool pass_along(const UprightView &view, Planes columns, bool along_x)
{
    double beside[2];
    for (int end = 0; end < 2; end++) {
        const int column = end ? columns.last : columns.first;
        const double x = view.ray[0] + column * view.ray_step[0], y = view.ray[1] + column * view.ray_step[1];
        if (!(along_x ? fabs(y) > fabs(x) : fabs(x) > fabs(y))) return true;
        beside[end] = along_x ? y : x;
    }
    return beside[0] * beside[1] < 0;
}

/* The line of a column; false: none. */
static __device__ bool take_line(const UprightCall &call, const UprightView &view, const Side &side, int z, int warp,
                                 int column, Line *line)
{
    const Path path = path_of(view, column);
    if (path.along_x != side.along_x) return false;
    int lower;
    if (!cross(path, side.plane, side.across, TILE, &lower, line->weight)) return false;
    const double spread = path.apart + path.spread * side.plane;
    if (!(spread > 0)) return false;
    const double inverse = 1 / spread, at = (z - 1 - path.z - path.rise * side.plane) * inverse;
    if (at >= call.row_count || at + (LANES + 1) * inverse < 0) return false;
    line->places = places_of(at, inverse);
    line->spread = static_cast<float>(spread);
    line->flat = static_cast<float>(1 + path.slope * path.slope);
    line->climb = static_cast<float>(path.rise);
    line->climbs = static_cast<float>(path.spread);
    line->most = whole_of(ceil(2 * inverse), MOST);
    line->rays = (static_cast<int64_t>(view.number) * call.column_count + column) * call.row_count;
    for (int i = 0; i < 2; i++) {
        const int beside = line->weight[i] > 0 ? lower + i : lower + 1 - i;
        line->weight[i] *= view.share;
        line->sum[i] = side.along_x ? (beside * TILE + warp) * LANES : (warp * TILE + beside) * LANES;
    }
    return true;
}

/* Σ max(0, 1 − |place of row r − z|)·row r for the lane's voxel. */
static __device__ __forceinline__ float line_of(const UprightCall &call, const UprightView &view, const Line &line,
                                                const float *__restrict__ rays, int lane)
{
    float part, sum = 0;
    const int row = entry_of(line.places, lane, &part) + 1, way = view.flipped ? -1 : 1;
    const float *const from = rays + line.rays;
    int place = view.flipped ? call.row_count - 1 - row : row;
    for (int j = 0; j < line.most; j += ROWS_AT_ONCE) {
        float value[ROWS_AT_ONCE], up = line.spread * (static_cast<float>(j + 1) - part);
        float climb = line.climb + line.climbs * static_cast<float>(row + j);
#pragma unroll
        for (int i = 0; i < ROWS_AT_ONCE; i++, place += way)
            value[i] = static_cast<unsigned>(place) < static_cast<unsigned>(call.row_count) ? from[place] : 0;
#pragma unroll
        for (int i = 0; i < ROWS_AT_ONCE; i++, up += line.spread, climb += line.climbs) {
            const float weight = fmaxf(fminf(up, 2 - up), 0);
            sum += weight * value[i] * length_of(line.flat, climb);
        }
    }
    return sum;
}

/* A warp adds what a view's rays give to its plane of the tile. */
static __device__ void add_plane(const UprightCall &call, const UprightView &view, const Side &side, int z,
                                 const float *__restrict__ rays, Shared *shared)
{
    const int lane = static_cast<int>(threadIdx.x) % LANES, warp = static_cast<int>(threadIdx.x) / LANES;
    float *const sum = shared->sum + lane;
    const Planes columns = columns_of(call, view, side);
    if (columns.last < columns.first || !pass_along(view, columns, side.along_x)) return;
    for (int c = columns.first; c <= columns.last; c += LANES) {
        Line mine;
        const bool seen = c + lane <= columns.last && take_line(call, view, side, z, warp, c + lane, &mine);
        const unsigned seeing = __ballot_sync(0xffffffffu, seen);
        if (seen) shared->line[warp][__popc(seeing & ((1u << lane) - 1))] = mine;
        __syncwarp();
        const Line *const end = shared->line[warp] + __popc(seeing);
        for (const Line *line = shared->line[warp]; line < end; line++) {
            const float value = line_of(call, view, *line, rays, lane);
            sum[line->sum[0]] += line->weight[0] * value;
            sum[line->sum[1]] += line->weight[1] * value;
        }
        __syncwarp();
    }
}

/* Loads or stores a warp's share of the tile's voxels. */
static __device__ __forceinline__ void move_tile(const UprightCall &call, const Tile &tile, bool store, Shared *shared,
                                                 float *voxels)
{
    const int lane = static_cast<int>(threadIdx.x) % LANES, warp = static_cast<int>(threadIdx.x) / LANES;
    for (int i = 0; i < TILE; i++) {
        float *const sum = shared->sum + (warp * TILE + i) * LANES + lane;
        const bool inside = tile.y + warp < call.band_rows && tile.x + i < call.x_count && tile.z + lane < call.z_count;
        const int64_t run = static_cast<int64_t>(tile.y + warp) * call.x_count + tile.x + i;
        float *const voxel = voxels + run * call.z_count + tile.z + lane;
        if (store && inside) *voxel = *sum;
        if (!store) *sum = inside && !call.first ? *voxel : 0;
    }
}

static __global__ void __launch_bounds__(TILE *LANES, 2)
    cone_project_back_kernel(const UprightCall call, const float *__restrict__ rays, float *__restrict__ voxels)
{
    SINO_SHARED_DYNAMIC(memory);
    Shared *const shared = reinterpret_cast<Shared *>(memory);
    const int warp = static_cast<int>(threadIdx.x) / LANES;
    const Tile tile = {static_cast<int>(blockIdx.x) * TILE, static_cast<int>(blockIdx.y) * TILE,
                       static_cast<int>(blockIdx.z) * LANES};
    move_tile(call, tile, false, shared, voxels);
    __syncthreads();
#pragma unroll 1
    for (int along_x = 1; along_x >= 0; along_x--) {
        const int row = call.first_row + tile.y;
        const Side side = along_x ? Side{true, tile.x + warp, row} : Side{false, row + warp, tile.x};
        for (int v = 0; v < call.view_count; v++) add_plane(call, call.view[v], side, tile.z, rays, shared);
        __syncthreads();
    }
    move_tile(call, tile, true, shared, voxels);
}

/* ---- launches ---- */

/* As Path of cone_project_isa.c. `view`: stands up. */
static UprightView upright_of(const SinoCone *cone, SinoView view, int64_t number)
{
    UprightView of = {};
    of.number = static_cast<int>(number);
    of.flipped = !(view.row[2] > 0);
    const SinoViewPlanes planes = sino_view_planes(&view);
    if (of.flipped) {
        view.first[2] += static_cast<double>(cone->row_count - 1) * view.row[2];
        view.row[2] = -view.row[2];
    }
    for (int i = 0; i < 3; i++) {
        of.from[i] = view.parallel ? view.first[i] : view.source[i];
        of.from_step[i] = view.parallel ? view.column[i] : 0;
        of.ray[i] = view.parallel ? view.source[i] : view.first[i] - view.source[i];
        of.ray_step[i] = view.parallel ? 0 : view.column[i];
        of.depth[i] = planes.plane[0][i];
        of.side[i] = planes.plane[1][i];
    }
    of.apart = view.parallel ? view.row[2] : 0;
    of.spread = view.parallel ? 0 : view.row[2];
    if (!cone->fans) return of;
    of.from[2] = sino_cone_plane_slice(cone) - cone->center_row;
    of.from_step[2] = of.ray[2] = of.ray_step[2] = of.spread = 0;
    of.apart = 1;
    return of;
}

static unsigned blocks_of(int64_t count, int64_t each)
{
    return static_cast<unsigned>(sino_ceil_divide(count, each));
}

static SinoStatus launch_upright(cudaStream_t stream, const UprightCall &call, bool back, const float *from, float *to)
{
    if (back)
        return sino_launch(SinoLaunch{"cone_project_back",
                                      dim3(blocks_of(call.x_count, TILE), blocks_of(call.band_rows, TILE),
                                           blocks_of(call.z_count, LANES)),
                                      TILE * LANES, sizeof(Shared), stream},
                           cone_project_back_kernel, call, from, to);
    return sino_launch(SinoLaunch{"cone_project",
                                  dim3(blocks_of(call.column_count, WARPS), blocks_of(call.row_count, GROUPS * LANES),
                                       static_cast<unsigned>(call.view_count)),
                                  WARPS * LANES, 0, stream},
                       cone_project_kernel, call, from, to);
}

/* Ray number `ray` of the pixels of projections with upright columns, a few at a time; *first becomes false when a
 * backprojection has begun. */
static SinoStatus pass_upright(cudaStream_t stream, const SinoCone *cone, SinoConeBand band, SinoConeAngles angles,
                               int64_t ray, bool back, bool *first, const float *from, float *to)
{
    UprightCall call = {};
    call.column_count = static_cast<int>(cone->column_count);
    call.row_count = static_cast<int>(cone->row_count);
    call.first_row = static_cast<int>(band.first_row);
    call.band_rows = static_cast<int>(band.row_count);
    call.x_count = static_cast<int>(cone->x_count);
    call.z_count = static_cast<int>(cone->z_count);
    for (int64_t k = 0; k < angles.count; k++) {
        const SinoPixelRays rays = sino_cone_pixel_rays(cone, angles.first + k);
        SinoView view = sino_cone_grid_view(cone, angles.first + k);
        if (sino_cone_stand_up(cone, &view) && ray < rays.across * rays.up) {
            sino_view_move(rays, ray % rays.across, ray / rays.across, &view);
            call.view[call.view_count] = upright_of(cone, view, k);
            call.view[call.view_count++].share = 1 / static_cast<float>(rays.across * rays.up);
        }
        if (call.view_count == 0 || (call.view_count < VIEWS && k + 1 < angles.count)) continue;
        call.first = *first && (back || ray == 0);
        SINO_TRY(launch_upright(stream, call, back, from, to));
        if (back) *first = false;
        call.view_count = 0;
    }
    return NULL;
}

static SinoStatus check(const SinoCone *cone, SinoConeBand band)
{
    const int64_t most = MOST;
    const int64_t runs = sino_times(band.row_count, cone->x_count);
    SINO_CHECK(
        runs <= most && cone->z_count <= most && cone->column_count <= most && cone->row_count <= most, SINO_BAD_INPUT,
        "a band of %lld runs of %lld voxels, and %lld x %lld pixels; allowed on a GPU: up to %lld of each",
        static_cast<long long>(runs), static_cast<long long>(cone->z_count), static_cast<long long>(cone->column_count),
        static_cast<long long>(cone->row_count), static_cast<long long>(most));
    return NULL;
}

/* Pixels add up their rays one after the other. */
static SinoStatus pass_rays(cudaStream_t stream, const SinoCone *cone, SinoConeBand band, SinoConeAngles angles,
                            bool back, bool *first, const float *from, float *to)
{
    int64_t most = 1;
    for (int64_t k = 0; k < angles.count; k++) {
        const SinoPixelRays rays = sino_cone_pixel_rays(cone, angles.first + k);
        most = sino_larger(most, rays.across * rays.up);
    }
    for (int64_t ray = 0; ray < most; ray++) {
        SINO_TRY(pass_upright(stream, cone, band, angles, ray, back, first, from, to));
        SINO_TRY(sino_cone_slant_cuda(stream, cone, band, angles, ray, back, first, from, to));
    }
    return NULL;
}

SinoStatus sino_cone_project_cuda(cudaStream_t stream, const SinoCone *cone, SinoConeBand band, SinoConeAngles angles,
                                  bool first, const float *voxels, float *rays)
{
    SINO_TRY(check(cone, band));
    return pass_rays(stream, cone, band, angles, false, &first, voxels, rays);
}

SinoStatus sino_cone_project_back_cuda(cudaStream_t stream, const SinoCone *cone, SinoConeBand band,
                                       SinoConeAngles angles, bool first, const float *rays, float *voxels)
{
    const int64_t runs = sino_times(band.row_count, cone->x_count);
    SINO_TRY(check(cone, band));
    SINO_TRY(pass_rays(stream, cone, band, angles, true, &first, rays, voxels));
    if (!first) return NULL;
    return sino_clear(stream, voxels, static_cast<size_t>(sino_times(runs, cone->z_count)) * sizeof *voxels);
}
