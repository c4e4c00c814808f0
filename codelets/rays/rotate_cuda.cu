/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotate on a GPU. Every element of a product has one owner, which adds up its samples in a fixed order: no atomics.
 *
 *     project   a thread owns some slices of a ray, and walks along its samples. The blocks' rays are neighbours at
 *               neighbouring angles, so that voxels come from L1; steps, which these rays share, lie in shared memory.
 *     back      a block owns a tile of a panel. For a few angles at a time its threads first find the weights of the
 *               rays in the voxels: W(ray, voxel) is the sum of the weights of all samples of the ray that see the
 *               voxel, at most CANDIDATES of CANDIDATES rays. All slices share these weights. Then each thread adds
 *               weighted rays to its voxels, in registers until the last angle.
 *
 * Positions are those of the CPU to the bit: in double without fused multiply-adds, then in integers (rotate.h). */
#include "panel_cuda.cuh"

extern "C" {
#include "arithmetic.h"
#include "block.h"
#include "rotate_tables.h"
}

enum {
    THREADS = 256,
    ONE = 1 << SINO_ROTATE_BITS,
    ANGLES = 4, /* of a block, at a time */
    STEPS = 64, /* of rays that are projected, in shared memory at a time */
    NEAR = 32   /* rays of an angle near a tile, and steps of a ray there: at most 30 (cubic) */
};
static_assert(static_cast<int>(THREADS) == SINO_TILE_VOXELS, "a thread finds the weights of one voxel");
static_assert(THREADS == ANGLES * 2 * NEAR, "a thread places one ray or step");

/* The fields of SinoRotate that the kernels read. */
struct Scan {
    int64_t column_count;
    int first_angle, end_angle;
    int size, side, before; /* voxels and tiles along a side of the grid; voxels in tiles before the grid's first */
    double middle, center, shift; /* of the grid; of the columns; of the first step from whole numbers */
    SinoRotateBox box;
    const double *turn;
    const int *number;
    const SinoTilePlace *tile; /* of back */
    bool fresh;                /* products replace what was there */
};

/* Slices of a panel in packs of 16 bytes, or less if the panel is narrow. */
template <int WIDTH> struct Lanes {
    enum {
        PACK = WIDTH < 4 ? WIDTH : 4,
        PROJECT_PACKS = WIDTH < 8 ? 1 : 2,        /* of a thread; they share the placing of samples */
        PROJECT = WIDTH / (PACK * PROJECT_PACKS), /* threads of a ray */
        RAYS = THREADS / PROJECT / ANGLES,        /* of a block and angle */
        BACK = WIDTH / PACK                       /* threads of a voxel, and voxels of a thread */
    };
};

/* A sample sees voxels up to REACH away, exclusively; of the CANDIDATES integers of an interval of 2·REACH·√2. */
template <int TAPS> struct Reach {
    static constexpr float VOXELS = TAPS == 1 ? 0.5F : static_cast<float>(TAPS) / 2;
    enum { CANDIDATES = TAPS == 1 ? 2 : TAPS == 2 ? 3 : 6 };
};

static __device__ __forceinline__ int64_t fixed(double position)
{
    return static_cast<int64_t>(floor(__dadd_rn(__dmul_rn(position, ONE), 0.5)));
}

/* Column and row of the sample at t = 0 of a ray, and what t adds to them. */
struct Place {
    int64_t u, v;
};

static __device__ __forceinline__ Place place_of_ray(const Scan &scan, double column, double c, double s)
{
    const double at = __dadd_rn(column, -scan.center);
    return {fixed(__dadd_rn(scan.middle, __dmul_rn(at, c))), fixed(__dadd_rn(scan.middle, -__dmul_rn(at, s)))};
}

static __device__ __forceinline__ Place place_of_step(const Scan &scan, double step, double c, double s)
{
    const double t = __dadd_rn(step, scan.shift);
    return {fixed(__dmul_rn(-t, s)), fixed(__dmul_rn(-t, c))};
}

/* Weight of a voxel at a distance from a sample, in units of 2^−SINO_ROTATE_BITS (Keys' kernel: rotate_isa.c). */
template <int TAPS> static __device__ __forceinline__ float weight_of(int distance)
{
    const float unit = 1.0F / ONE;
    if (TAPS == 1) return distance >= -ONE / 2 && distance < ONE / 2 ? 1 : 0;
    const int d = distance < 0 ? -distance : distance;
    if (TAPS == 2) return d < ONE ? static_cast<float>(ONE - d) * unit : 0;
    const float size = static_cast<float>(d) * unit, outer = static_cast<float>(max(2 * ONE - d, 0)) * unit;
    const float within_1 = 1 + size * size * (1.5F * size - 2.5F), beyond = 0.5F * (1 - size) * outer * outer;
    return d < ONE ? within_1 : beyond;
}

template <int PACK> static __device__ __forceinline__ void store_sums(bool fresh, const float (&sum)[PACK], float *to)
{
    SinoPack<float, PACK> pack = {};
    if (!fresh) pack = sino_pack_load<float, PACK>(to);
#pragma unroll
    for (int k = 0; k < PACK; k++) pack.value[k] += sum[k];
    sino_pack_store(to, pack);
}

/* ---- project ---- */

/* What a sample sees along one axis: its first voxel, weights, 0 for voxels outside the grid, and the first and the
 * last tile. */
template <int TAPS> struct Axis {
    int voxel; /* from the first tile's first voxel */
    int tile[2];
    float weight[TAPS];

    __device__ __forceinline__ Axis(const Scan &scan, int64_t position)
    {
        const int shift = TAPS == 1 ? ONE / 2 : TAPS == 2 ? 0 : -ONE;
        const int cell = static_cast<int>((position + shift) >> SINO_ROTATE_BITS);
        const int left = static_cast<int>(position - static_cast<int64_t>(cell) * ONE);
#pragma unroll
        for (int k = 0; k < TAPS; k++) {
            const bool inside = static_cast<unsigned>(cell + k) < static_cast<unsigned>(scan.size);
            weight[k] = inside ? weight_of<TAPS>(left - k * ONE) : 0;
        }
        voxel = cell + scan.before;
        tile[0] = min(max(voxel / SINO_TILE, 0), scan.side - 1);
        tile[1] = min(max((voxel + TAPS - 1) / SINO_TILE, 0), scan.side - 1);
    }

    /* Whether voxel k lies in the last tile, and its place in its tile. */
    __device__ __forceinline__ int which(int k) const
    {
        return (voxel + k) / SINO_TILE == tile[1];
    }

    __device__ __forceinline__ int within(int k) const
    {
        return (voxel + k) % SINO_TILE;
    }
};

template <int TAPS, int WIDTH>
static __device__ __forceinline__ void add_sample(const Scan &scan, int64_t u, int64_t v, const float *x,
                                                  float (&sum)[Lanes<WIDTH>::PROJECT_PACKS][Lanes<WIDTH>::PACK])
{
    typedef Lanes<WIDTH> L;
    const Axis<TAPS> column(scan, u), row(scan, v);
    int number[2][2];
#pragma unroll
    for (int i = 0; i < 4; i++)
        if (TAPS > 1 || i == 3) number[i / 2][i % 2] = scan.number[row.tile[i / 2] * scan.side + column.tile[i % 2]];
#pragma unroll
    for (int i = 0; i < TAPS * TAPS; i++) {
        const int down = i / TAPS, across = i % TAPS;
        const float weight = row.weight[down] * column.weight[across];
        const int last_row = TAPS > 1 ? row.which(down) : 1, last_column = TAPS > 1 ? column.which(across) : 1;
        const int tile =
            last_row ? (last_column ? number[1][1] : number[1][0]) : (last_column ? number[0][1] : number[0][0]);
        if (weight == 0 || tile < 0) continue;
        const int voxel = row.within(down) * SINO_TILE + column.within(across);
        const float *const from = x + (static_cast<int64_t>(tile) * SINO_TILE_VOXELS + voxel) * WIDTH;
#pragma unroll
        for (int p = 0; p < L::PROJECT_PACKS; p++) {
            const SinoPack<float, L::PACK> pack = sino_pack_load<float, L::PACK>(from + p * L::PROJECT * L::PACK);
#pragma unroll
            for (int k = 0; k < L::PACK; k++) sum[p][k] += weight * pack.value[k];
        }
    }
}

/* Steps first … last. */
struct Steps {
    int first, last;
};

/* All steps of an angle near the box. A few more do no harm. */
static __device__ __forceinline__ Steps steps_of_angle(const Scan &scan, double reach, double c, double s)
{
    const double at = scan.box.y * c - scan.box.x * s - scan.shift;
    const double far = (scan.box.half_x + reach) * fabs(s) + (scan.box.half_y + reach) * fabs(c);
    return {static_cast<int>(floor(at - far)), static_cast<int>(ceil(at + far))};
}

/* Of these, those at which the ray is within `half` of the box's middle along one axis, where its position is at +
 * t·slope. */
static __device__ __forceinline__ void keep_near(float at, float slope, float half, float shift, Steps *steps)
{
    const float flat = 1e-6F, most = 1e9F;
    if (fabsf(slope) < flat) {
        if (fabsf(at) > half + 1) steps->last = steps->first - 1; /* t·slope is far less than 1 */
        return;
    }
    const float one = __fdividef(-half - at, slope) - shift, other = __fdividef(half - at, slope) - shift;
    steps->first = max(steps->first, static_cast<int>(fminf(ceilf(fminf(one, other)), most)));
    steps->last = min(steps->last, static_cast<int>(fmaxf(floorf(fmaxf(one, other)), -most)));
}

template <int TAPS, int WIDTH>
static __global__ void __launch_bounds__(THREADS, 3) project_kernel(Scan scan, const float *x, float *y)
{
    typedef Lanes<WIDTH> L;
    SINO_SHARED(Place, step, ANGLES * STEPS);
    const int lane = static_cast<int>(threadIdx.x) % L::PROJECT;
    const int mine = static_cast<int>(threadIdx.x) / (L::PROJECT * L::RAYS);
    const unsigned groups = (static_cast<unsigned>(scan.column_count) + L::RAYS - 1) / L::RAYS;
    const int first_angle = scan.first_angle + static_cast<int>(blockIdx.x / groups * ANGLES);
    const int column = static_cast<int>(blockIdx.x % groups * L::RAYS + threadIdx.x / L::PROJECT % L::RAYS);
    const double reach = static_cast<double>(Reach<TAPS>::VOXELS) + 0.05; /* floats of positions: to 0.01 */
    Steps all = {0, -1}, own = {0, -1};
    Place ray = {0, 0};
    for (int a = 0; a < ANGLES && first_angle + a < scan.end_angle; a++) {
        const double c = scan.turn[2 * (first_angle + a)], s = scan.turn[2 * (first_angle + a) + 1];
        const Steps steps = steps_of_angle(scan, reach, c, s);
        all = {a == 0 ? steps.first : min(all.first, steps.first), a == 0 ? steps.last : max(all.last, steps.last)};
        if (a != mine || column >= scan.column_count) continue;
        const double at = column - scan.center;
        own = steps;
        ray = place_of_ray(scan, column, c, s);
        keep_near(static_cast<float>(at * c - scan.box.x), static_cast<float>(-s),
                  static_cast<float>(scan.box.half_x + reach), static_cast<float>(scan.shift), &own);
        keep_near(static_cast<float>(at * s - scan.box.y), static_cast<float>(c),
                  static_cast<float>(scan.box.half_y + reach), static_cast<float>(scan.shift), &own);
    }
    float sum[L::PROJECT_PACKS][L::PACK] = {};
    for (int first = all.first; first <= all.last; first += STEPS) {
        const int place = static_cast<int>(threadIdx.x), angle = first_angle + place / STEPS;
        __syncthreads();
        if (angle < scan.end_angle)
            step[place] = place_of_step(scan, first + place % STEPS, scan.turn[2 * angle], scan.turn[2 * angle + 1]);
        __syncthreads();
        const int end = min(own.last + 1, first + STEPS);
        for (int m = max(own.first, first); m < end; m++) {
            const Place at = step[mine * STEPS + m - first];
            add_sample<TAPS, WIDTH>(scan, ray.u + at.u, ray.v + at.v, x + lane * L::PACK, sum);
        }
    }
    if (column >= scan.column_count || first_angle + mine >= scan.end_angle) return;
    if (!scan.fresh && own.last < own.first) return;
    float *const to = y + ((first_angle + mine) * scan.column_count + column) * WIDTH + lane * L::PACK;
#pragma unroll
    for (int p = 0; p < L::PROJECT_PACKS; p++) store_sums<L::PACK>(scan.fresh, sum[p], to + p * L::PROJECT * L::PACK);
}
static_assert(THREADS == ANGLES * STEPS, "a thread places one step");

/* ---- back ---- */

/* An angle near the block's tile, in shared memory. Positions are modulo 2³² units, from the tile's first voxel. */
struct Near {
    unsigned ray_u[NEAR], ray_v[NEAR], step_u[NEAR], step_v[NEAR];
    float c, s, at_s, at_t; /* of the tile's middle, from ray 0 and step 0 */
    int column;             /* of ray 0; rays before column 0 and after the last are none */
};

/* Ray or step i of an angle by one thread. */
template <int TAPS>
static __device__ __forceinline__ void place_near(const Scan &scan, SinoTilePlace place, int angle, int i, Near *near)
{
    const double c = scan.turn[2 * angle], s = scan.turn[2 * angle + 1], half = 0.5 * (SINO_TILE - 1);
    const int left = place.column * SINO_TILE - scan.before, top = place.row * SINO_TILE - scan.before;
    const double x = left + half - scan.middle, y = scan.middle - top - half;
    const double across = (half + static_cast<double>(Reach<TAPS>::VOXELS)) * (fabs(c) + fabs(s)) + 0.02;
    const double at_s = x * c + y * s + scan.center, at_t = y * c - x * s - scan.shift;
    const double column = ceil(at_s - across), step = ceil(at_t - across);
    if (i < NEAR) {
        const Place ray = place_of_ray(scan, column + i, c, s);
        near->ray_u[i] = static_cast<unsigned>(ray.u) - (static_cast<unsigned>(left) << SINO_ROTATE_BITS);
        near->ray_v[i] = static_cast<unsigned>(ray.v) - (static_cast<unsigned>(top) << SINO_ROTATE_BITS);
    } else {
        const Place at = place_of_step(scan, step + (i - NEAR), c, s);
        near->step_u[i - NEAR] = static_cast<unsigned>(at.u);
        near->step_v[i - NEAR] = static_cast<unsigned>(at.v);
    }
    if (i > 0) return;
    near->c = static_cast<float>(c);
    near->s = static_cast<float>(s);
    near->at_s = static_cast<float>(at_s - column);
    near->at_t = static_cast<float>(at_t - step);
    near->column = static_cast<int>(column);
}

/* Weights of the rays in a voxel of the tile: of ray `first` and those after it. */
template <int TAPS>
static __device__ __forceinline__ void find_weights(const Near &near, int64_t column_count, int column, int row,
                                                    unsigned char *first, float *weight)
{
    enum { CANDIDATES = Reach<TAPS>::CANDIDATES };
    const float half = 0.5F * (SINO_TILE - 1), x = static_cast<float>(column) - half,
                y = half - static_cast<float>(row);
    const float reach = Reach<TAPS>::VOXELS * (fabsf(near.c) + fabsf(near.s)) + 0.001F;
    const int ray = static_cast<int>(ceilf(x * near.c + y * near.s + near.at_s - reach));
    const int step = static_cast<int>(ceilf(y * near.c - x * near.s + near.at_t - reach));
    *first = static_cast<unsigned char>(ray);
#pragma unroll
    for (int i = 0; i < CANDIDATES; i++) {
        const unsigned u = near.ray_u[ray + i] - (static_cast<unsigned>(column) << SINO_ROTATE_BITS);
        const unsigned v = near.ray_v[ray + i] - (static_cast<unsigned>(row) << SINO_ROTATE_BITS);
        const int64_t number = near.column + ray + i;
        float sum = 0;
#pragma unroll
        for (int m = 0; m < CANDIDATES; m++)
            sum += weight_of<TAPS>(static_cast<int>(u + near.step_u[step + m])) *
                   weight_of<TAPS>(static_cast<int>(v + near.step_v[step + m]));
        weight[i * SINO_TILE_VOXELS] = number >= 0 && number < column_count ? sum : 0;
    }
}

template <int TAPS, int WIDTH>
static __global__ void __launch_bounds__(THREADS, 2) back_kernel(Scan scan, const float *y, float *x)
{
    typedef Lanes<WIDTH> L;
    typedef SinoPack<float, L::PACK> Pack;
    enum { CANDIDATES = Reach<TAPS>::CANDIDATES };
    SINO_SHARED(Near, near, ANGLES);
    SINO_SHARED(float, weight, ANGLES *CANDIDATES *SINO_TILE_VOXELS);
    SINO_SHARED(unsigned char, first, ANGLES *SINO_TILE_VOXELS);
    const int me = static_cast<int>(threadIdx.x), lane = me % L::BACK;
    const SinoTilePlace place = scan.tile[blockIdx.x];
    const int column = me % SINO_TILE, row = me / SINO_TILE;
    const bool inside =
        static_cast<unsigned>(place.column * SINO_TILE - scan.before + column) < static_cast<unsigned>(scan.size) &&
        static_cast<unsigned>(place.row * SINO_TILE - scan.before + row) < static_cast<unsigned>(scan.size);
    float sum[L::BACK][L::PACK] = {};
    for (int angle = scan.first_angle; angle < scan.end_angle; angle += ANGLES) {
        const int count = min(static_cast<int>(ANGLES), scan.end_angle - angle);
        __syncthreads();
        if (me / (2 * NEAR) < count)
            place_near<TAPS>(scan, place, angle + me / (2 * NEAR), me % (2 * NEAR), &near[me / (2 * NEAR)]);
        __syncthreads();
        for (int a = 0; a < count; a++)
            find_weights<TAPS>(near[a], inside ? scan.column_count : 0, column, row, &first[a * SINO_TILE_VOXELS + me],
                               &weight[a * CANDIDATES * SINO_TILE_VOXELS + me]);
        __syncthreads();
#pragma unroll 1
        for (int a = 0; a < count; a++) {
            const float *const rays = y + ((angle + a) * scan.column_count + near[a].column) * WIDTH + lane * L::PACK;
#pragma unroll
            for (int j = 0; j < L::BACK; j++) {
                const int voxel = me / L::BACK + j * (SINO_TILE_VOXELS / L::BACK);
                const float *const from = rays + first[a * SINO_TILE_VOXELS + voxel] * WIDTH;
#pragma unroll
                for (int i = 0; i < CANDIDATES; i++) {
                    const float share = weight[(a * CANDIDATES + i) * SINO_TILE_VOXELS + voxel];
                    if (share == 0) continue;
                    const Pack ray = sino_pack_load<float, L::PACK>(from + i * WIDTH);
#pragma unroll
                    for (int k = 0; k < L::PACK; k++) sum[j][k] += share * ray.value[k];
                }
            }
        }
    }
#pragma unroll
    for (int j = 0; j < L::BACK; j++) {
        const int64_t voxel =
            blockIdx.x * static_cast<int64_t>(SINO_TILE_VOXELS) + me / L::BACK + j * (SINO_TILE_VOXELS / L::BACK);
        float *const to = x + voxel * WIDTH + lane * L::PACK;
        store_sums<L::PACK>(scan.fresh, sum[j], to);
    }
}

/* ---- launches ---- */

static Scan scan_of(const SinoRotate *what, const SinoRotateTables *tables, bool fresh)
{
    const SinoGeometry *geometry = &what->geometry;
    const int64_t size = geometry->grid_size;
    return {geometry->column_count,
            static_cast<int>(what->first_angle),
            static_cast<int>(what->first_angle + what->angle_count),
            static_cast<int>(size),
            static_cast<int>(sino_tile_side(size)),
            static_cast<int>(-sino_tile_first_voxel(size, 0)),
            0.5 * static_cast<double>(size - 1),
            geometry->center,
            size % 2 == 0 ? 0.5 : 0,
            sino_rotate_box(what),
            tables->turn,
            tables->number,
            tables->tile,
            fresh};
}

/* One panel, of WIDTH slices. */
template <int TAPS, int WIDTH>
static SinoStatus launch(cudaStream_t stream, bool back, const SinoRotate *what, const Scan &scan, const float *from,
                         float *to)
{
    if (back)
        return sino_launch(SinoLaunch{"rotate_back", static_cast<unsigned>(what->tile_count), THREADS, 0, stream},
                           back_kernel<TAPS, WIDTH>, scan, from, to);
    const int64_t rays = sino_ceil_divide(scan.column_count, static_cast<int64_t>(Lanes<WIDTH>::RAYS));
    const int64_t blocks = sino_times(rays, sino_ceil_divide(what->angle_count, static_cast<int64_t>(ANGLES)));
    SINO_CHECK(blocks <= INT32_MAX, SINO_FAILED, "kernel rotate_project needs %lld blocks; allowed: 2^31 - 1",
               static_cast<long long>(blocks));
    return sino_launch(SinoLaunch{"rotate_project", static_cast<unsigned>(blocks), THREADS, 0, stream},
                       project_kernel<TAPS, WIDTH>, scan, from, to);
}

template <int TAPS>
static SinoStatus launch_panel(cudaStream_t stream, bool back, const SinoRotate *what, const Scan &scan, int64_t width,
                               const float *from, float *to)
{
    switch (width) {
    case 1:
        return launch<TAPS, 1>(stream, back, what, scan, from, to);
    case 2:
        return launch<TAPS, 2>(stream, back, what, scan, from, to);
    case 4:
        return launch<TAPS, 4>(stream, back, what, scan, from, to);
    case 8:
        return launch<TAPS, 8>(stream, back, what, scan, from, to);
    case 16:
        return launch<TAPS, 16>(stream, back, what, scan, from, to);
    default:
        return launch<TAPS, 32>(stream, back, what, scan, from, to);
    }
}

static SinoStatus product(cudaStream_t stream, bool back, const SinoRotate *what, const SinoRotateTables *tables,
                          bool fresh, const float *from, float *to)
{
    const int64_t voxels = sino_times(what->tile_count, SINO_TILE_VOXELS);
    const int64_t rays = sino_geometry_ray_count(&what->geometry);
    if (back ? what->tile_count == 0 : what->angle_count == 0) return NULL;
    const Scan scan = scan_of(what, tables, fresh);
    for (SinoPanel at = sino_panel_at(what->slices, 0); at.first < what->slices.stride;
         at = sino_panel_next(what->slices, at)) {
        const float *const panel = from + at.first * (back ? rays : voxels);
        float *const into = to + at.first * (back ? voxels : rays);
        const int64_t width = at.slices.stride;
        const int taps = sino_rotate_taps(what->interpolation);
        if (taps == 1)
            SINO_TRY(launch_panel<1>(stream, back, what, scan, width, panel, into));
        else if (taps == 2)
            SINO_TRY(launch_panel<2>(stream, back, what, scan, width, panel, into));
        else
            SINO_TRY(launch_panel<4>(stream, back, what, scan, width, panel, into));
    }
    return NULL;
}

SinoStatus sino_rotate_project_cuda(cudaStream_t stream, const SinoRotate *what, const SinoRotateTables *tables,
                                    bool fresh, const float *x, float *y)
{
    return product(stream, false, what, tables, fresh, x, y);
}

SinoStatus sino_rotate_back_cuda(cudaStream_t stream, const SinoRotate *what, const SinoRotateTables *tables,
                                 bool fresh, const float *y, float *x)
{
    return product(stream, true, what, tables, fresh, y, x);
}
