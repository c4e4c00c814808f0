/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone backproject on a GPU.
 *
 * A thread block handles a *tile*, 8 × 8 base runs and up to LANES voxels of each, and all runs that share their
 * positions (TWINS: 1, 2, 4 or 8 runs per base run). Lanes of a warp are voxels along z, so that a run's column, step
 * and weight are the same for the whole warp. Sums stay in registers until all projections of the block are added; the
 * part is read and written once.
 *
 * For each *view* (a projection, and those that see the turned runs in the same place), the columns and entries that
 * the tile's voxels are seen at are copied to shared memory, a *patch*: word[twin][column][entry]. There are two
 * patches: while one is read, the next view's arrives in the other. The distance of twins, columns and entries is
 * constant, so that one address and four weights, which a lane computes once, serve all twins.
 *
 *     single   A word is an entry. Patches arrive by cp.async. An update is 4 loads of 4 bytes, 4 multiply-adds.
 *     mixed    A word is the pair of an entry and the next one, scaled to the largest unit of the block. Weights are
 *              16-bit integers. An update is 2 loads of 4 bytes, 4 dp2a: products of the pair and the weights' upper,
 *              and lower, bytes, added apart. 32 projections do not overflow 32 bits.
 *
 * A view whose patch is too small for the tile (voxels larger than 1.3 pixels, wide cones) is read from global memory.
 *
 * Positions are computed in double at the tile's first run, and in single relative to it: N/d − N₀/d₀ =
 * (N − N₀ − N₀/d₀·(d − d₀))/d has no cancellation. They are off by some 2⁻¹⁹ of an entry. docs/lab/gpu_models.md has
 * the model of both kernels. */
#include "simt.h"

#include <math.h>

extern "C" {
#include "cone_cuda.h"
}

enum {
    TILE = 8,   /* base runs along a side of a tile */
    LANES = 32, /* of a warp: voxels of a tile's runs, at most */
    FEW = 24,   /* the least that tiles are narrowed to */
    VIEWS = SINO_CONE_CUDA_PROJECTIONS,
    COLUMNS = 16,                   /* of a patch */
    ENTRIES = 48,                   /* of a patch's column */
    CHUNK = 4,                      /* entries whose first one begins a patch, a multiple of it */
    TWIN_WORDS = COLUMNS * ENTRIES, /* of a patch */
    WEIGHT_MOST = 65535             /* the largest 16-bit weight */
};

/* Positions that differ by less count as the same when a patch is laid out. */
static __device__ const float position_margin = 1e-3F;

/* The numbers of a call. Lengths are in mm. */
struct ConeCall {
    int view_count, group_count; /* views are as many as projections */
    int first_x, first_y;        /* the part's first base run */
    int x_count, y_count, voxel_count;
    int tiles_x, tile_voxels;
    int column_count, entry_count; /* of a half of a projection, which has fewer than 2³¹ entries */
    int64_t stride;
    double half_x, half_y; /* (X − 1)/2, (Y − 1)/2 */
    double source_object, voxel_size, center;
    double columns, rows; /* columns per mm, and rows per voxel, times the depth */
    double even_rows;     /* rows per voxel at any depth, which are added */
    double offset, slope; /* SinoConeRuns */
    double weight_most;
    bool first;
    double cosine[VIEWS], sine[VIEWS];
    const void *projection[VIEWS];
    const float *unit[VIEWS];
};

/* A view of a tile: where its first base run is seen, and which columns and entries its patch has. */
struct Window {
    float cosine, sine, depth;
    float column, entry; /* of the first base run's first voxel, from the patch's first column and entry */
    float side;          /* its column from `center` */
    float reach;         /* its entry from `offset`, as far as it depends on the depth */
    int view, first_column, column_count, first_entry, entry_count;
    bool wide; /* there is no patch */
};

/* Kinds of entries: threads, runs of a warp, and sums of a voxel. */
template <class Entry> struct Kind;
template <> struct Kind<float> {
    enum { WARPS = 8, BLOCKS = 2 };
    struct Sum {
        float value;
    };
};
template <> struct Kind<short> {
    enum { WARPS = 16, BLOCKS = 1 };
    struct Sum {
        int low, high;
    };
};

/* A view of a base run: entry and step within the patch, weights of both columns. at: word of its column in the patch,
 * or −1: the view does not see it. */
struct Sight {
    float4 place; /* entry of the tile's first voxel; entries from voxel to voxel; weights of the columns */
    int at;
};

template <class Entry, int TWINS> struct Shared {
    unsigned patch[2][TWINS * TWIN_WORDS];
    float4 place[Kind<Entry>::WARPS][LANES];
    int at[Kind<Entry>::WARPS][LANES];
    Window window[VIEWS];
    int gain[VIEWS]; /* mixed: a projection's unit, of the largest one's, times 65536 */
    float unit;      /* of the sums */
    int window_count;
};

static __device__ __forceinline__ int thread_of_block()
{
    return static_cast<int>(threadIdx.x);
}

/* ---- the views of a tile ---- */

/* The formula of sino_cone_view in double. */
struct View {
    double depth, side, rows; /* side: column from `center`; rows: per voxel */
};

static __device__ View view_of(const ConeCall &call, int view, int x, int y)
{
    const double right = (x - call.half_x) * call.voxel_size, up = (call.half_y - y) * call.voxel_size;
    const double cosine = call.cosine[view], sine = call.sine[view];
    const double depth = call.source_object - (right * sine - up * cosine);
    return {depth, (right * cosine + up * sine) * call.columns / depth, call.rows / depth + call.even_rows};
}

/* Columns and entries between which a tile is seen. */
struct Extent {
    double left, right, low, high;
};

/* Columns and entries are quotients of linear functions, so that the extremes are at the corners. */
static __device__ Extent extent_of(const ConeCall &call, int view, int x, int y, int x_last, int y_last, double voxel,
                                   double voxel_last)
{
    Extent extent = {1e9, -1e9, 1e9, -1e9};
    for (int corner = 0; corner < 4; corner++) {
        const View of = view_of(call, view, corner & 1 ? x_last : x, corner & 2 ? y_last : y);
        const double column = call.center + of.side;
        const double from = call.offset + of.rows * voxel, to = call.offset + of.rows * voxel_last;
        extent.left = fmin(extent.left, column);
        extent.right = fmax(extent.right, column);
        extent.low = fmin(extent.low, from);
        extent.high = fmax(extent.high, to);
    }
    return extent;
}

/* One thread plans one view. Result: whether the view sees the tile. */
static __device__ bool plan_view(const ConeCall &call, int view, int x, int y, int voxel, Window *window)
{
    const int x_last = call.first_x + min(x + TILE, call.x_count) - 1;
    const int y_last = call.first_y + min(y + TILE, call.y_count) - 1;
    const double slope = call.slope + voxel, margin = static_cast<double>(position_margin);
    const double slope_last = call.slope + min(voxel + call.tile_voxels, call.voxel_count) - 1;
    const Extent extent = extent_of(call, view, call.first_x + x, call.first_y + y, x_last, y_last, slope, slope_last);
    const double last = static_cast<double>(call.column_count - 1);
    const double most = static_cast<double>(call.entry_count);
    if (extent.right < -margin || extent.left > last + margin) return false;
    if (extent.high <= -1 || extent.low >= most) return false;
    const int left = static_cast<int>(floor(fmax(extent.left - margin, 0.0)));
    const int right = static_cast<int>(floor(fmin(extent.right + margin, last))) + 1;
    const int low = static_cast<int>(floor(extent.low - margin)) & -CHUNK;
    const int high = static_cast<int>(floor(extent.high + margin)) + 1;
    const View first = view_of(call, view, call.first_x + x, call.first_y + y);
    window->view = view;
    window->cosine = static_cast<float>(call.cosine[view]);
    window->sine = static_cast<float>(call.sine[view]);
    window->depth = static_cast<float>(first.depth);
    window->side = static_cast<float>(first.side);
    window->reach = static_cast<float>((first.rows - call.even_rows) * slope);
    window->column = static_cast<float>(call.center + first.side - left);
    window->entry = static_cast<float>(call.offset + first.rows * slope - low);
    window->first_column = left;
    window->first_entry = low;
    window->column_count = right - left + 1;
    window->entry_count = high - low + 1;
    window->wide = window->column_count > COLUMNS || window->entry_count > ENTRIES;
    return true;
}

/* The first warp plans all views, and keeps those that see the tile, in order. */
template <class Entry, int TWINS>
static __device__ void plan(const ConeCall &call, int x, int y, int voxel, Shared<Entry, TWINS> *shared)
{
    const int lane = thread_of_block();
    Window window;
    const bool seen = lane < call.view_count && plan_view(call, lane, x, y, voxel, &window);
    const unsigned seeing = __ballot_sync(0xffffffffu, seen);
    if (seen) shared->window[__popc(seeing & ((1u << lane) - 1))] = window;
    if (lane == 0) shared->window_count = __popc(seeing);
    if (sizeof(Entry) == sizeof(short)) {
        const float unit = lane < call.view_count ? *call.unit[lane] : 0;
        float most = unit;
        for (int by = 16; by > 0; by /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, by));
        shared->gain[lane] = most > 0 ? static_cast<int>(unit / most * 65536 + 0.5F) : 0;
        if (lane == 0) shared->unit = most * static_cast<float>(call.weight_most / WEIGHT_MOST);
    }
}

/* Whether the view sees a run that is near an edge of the detector, exactly as on a CPU. */
static __device__ bool is_on_detector(const ConeCall &call, int view, int x, int y)
{
    const double column = call.center + view_of(call, view, x, y).side;
    return column >= 0 && column <= static_cast<double>(call.column_count - 1);
}

/* Base run (i, j) of the tile at (x, y), seen through a window. */
static __device__ Sight sight_of(const ConeCall &call, const Window &window, int x, int y, int i, int j,
                                 float weight_scale)
{
    const float right = static_cast<float>(i) * static_cast<float>(call.voxel_size);
    const float up = static_cast<float>(-j) * static_cast<float>(call.voxel_size);
    const float further = up * window.cosine - right * window.sine, inverse = 1 / (window.depth + further);
    const float across = (right * window.cosine + up * window.sine) * static_cast<float>(call.columns);
    const float column = window.column + (across - window.side * further) * inverse;
    const float share = static_cast<float>(call.source_object) * inverse, weight = share * share * weight_scale;
    const float low = static_cast<float>(-window.first_column);
    const float high = static_cast<float>(call.column_count - 1 - window.first_column);
    bool seen = column >= low && column <= high;
    if (fabsf(column - low) < position_margin || fabsf(column - high) < position_margin)
        seen = is_on_detector(call, window.view, call.first_x + x + i, call.first_y + y + j);
    const float inside = fmaxf(fminf(column, high), 0);
    const int left = min(static_cast<int>(inside), max(static_cast<int>(high) - 1, 0));
    const float of_right = weight * (inside - static_cast<float>(left));
    return {{window.entry - window.reach * further * inverse,
             static_cast<float>(call.rows) * inverse + static_cast<float>(call.even_rows), weight - of_right, of_right},
            seen ? left * ENTRIES : -1};
}

/* Each warp finds how the next views see its runs, one lane per view and run. */
template <class Entry, int TWINS>
static __device__ void sight(const ConeCall &call, int x, int y, int first_window, Shared<Entry, TWINS> *shared)
{
    enum { WARPS = Kind<Entry>::WARPS, RUNS = TILE * TILE / WARPS };
    const int lane = thread_of_block() % LANES, warp = thread_of_block() / LANES;
    const int w = first_window + lane / RUNS, run = warp * RUNS + lane % RUNS, i = run % TILE, j = run / TILE;
    const float scale = sizeof(Entry) == sizeof(float) ? 1 : static_cast<float>(WEIGHT_MOST / call.weight_most);
    Sight found = {{0, 0, 0, 0}, -1};
    if (w < shared->window_count && x + i < call.x_count && y + j < call.y_count)
        found = sight_of(call, shared->window[w], x, y, i, j, scale);
    __syncwarp();
    shared->place[warp][lane] = found.place;
    shared->at[warp][lane] = found.at;
    __syncwarp();
}

/* ---- lines ---- */

/* The lines of a twin in a view. */
template <class Entry, int TWINS>
static __device__ __forceinline__ const Entry *lines_of(const ConeCall &call, int view, int twin, int *projection)
{
    constexpr int halves = TWINS == 2 || TWINS == 8 ? 2 : 1;
    const int turned = view + twin / halves * call.group_count;
    *projection = turned < call.view_count ? turned : turned - call.view_count;
    return static_cast<const Entry *>(call.projection[*projection]) +
           twin % halves * (call.column_count * call.entry_count);
}

/* A detector of one column has no next one; its weight is 0. */
static __device__ __forceinline__ int column_in(const ConeCall &call, int column)
{
    return min(column, call.column_count - 1) * call.entry_count;
}

static __device__ __forceinline__ bool has_entry(const ConeCall &call, int entry)
{
    return entry >= 0 && entry < call.entry_count;
}

/* How a view's patch comes to shared memory: `begin` before the other patch is read, `end` after. Each warp copies
 * columns of one twin. */
template <class Entry, int TWINS> struct Fetch;

template <int TWINS> struct Fetch<float, TWINS> {
    enum {
        CHUNKS = LANES / 2, /* lanes along a column, of which the first ENTRIES/CHUNK have work */
        STEP = 2 * Kind<float>::WARPS / TWINS
    };

    __device__ __forceinline__ void begin(const ConeCall &call, const Shared<float, TWINS> &, const Window &window,
                                          unsigned *patch)
    {
        const int lane = thread_of_block() % LANES, warp = thread_of_block() / LANES, twin = warp % TWINS;
        const int chunk = lane % CHUNKS * CHUNK, entry = window.first_entry + chunk;
        const bool there = has_entry(call, entry);
        int projection;
        const float *const from = lines_of<float, TWINS>(call, window.view, twin, &projection) + entry;
        if (chunk >= window.entry_count) return;
        for (int c = warp / TWINS * 2 + lane / CHUNKS; c < window.column_count; c += STEP) {
            unsigned *const to = patch + twin * TWIN_WORDS + c * ENTRIES + chunk;
            if (there)
                sino_copy_async_16(to, from + column_in(call, window.first_column + c));
            else
                *reinterpret_cast<uint4 *>(to) = uint4{0, 0, 0, 0};
        }
        sino_copy_async_commit();
    }

    __device__ __forceinline__ void end(const Window &, unsigned *)
    {
        sino_copy_async_wait<0>();
    }
};

template <int TWINS> struct Fetch<short, TWINS> {
    enum {
        OCTET = 8, /* entries that a lane copies */
        OCTETS = ENTRIES / OCTET,
        COLUMNS_EACH = LANES / OCTETS, /* of a warp; the lanes that are left have no work */
        STEP = COLUMNS_EACH * Kind<short>::WARPS / TWINS,
        ROUNDS = (COLUMNS + STEP - 1) / STEP
    };
    uint2 first[ROUNDS], second[ROUNDS]; /* entries of an octet, and the one after it */
    short after[ROUNDS];
    int gain;

    static __device__ __forceinline__ int column_of(int round)
    {
        const int lane = thread_of_block() % LANES, warp = thread_of_block() / LANES;
        return lane < OCTETS * COLUMNS_EACH ? warp / TWINS * COLUMNS_EACH + lane / OCTETS + round * STEP : COLUMNS;
    }

    static __device__ __forceinline__ int octet()
    {
        return thread_of_block() % LANES % OCTETS * OCTET;
    }

    __device__ __forceinline__ void begin(const ConeCall &call, const Shared<short, TWINS> &shared,
                                          const Window &window, unsigned *)
    {
        const int twin = thread_of_block() / LANES % TWINS, entry = window.first_entry + octet();
        int projection;
        const short *const from = lines_of<short, TWINS>(call, window.view, twin, &projection) + entry;
        gain = shared.gain[projection];
#pragma unroll
        for (int round = 0; round < ROUNDS; round++) {
            first[round] = second[round] = uint2{0, 0};
            after[round] = 0;
            if (column_of(round) >= window.column_count || octet() >= window.entry_count) continue;
            const short *const line = from + column_in(call, window.first_column + column_of(round));
            if (has_entry(call, entry)) first[round] = *reinterpret_cast<const uint2 *>(line);
            if (has_entry(call, entry + CHUNK)) second[round] = *reinterpret_cast<const uint2 *>(line + CHUNK);
            if (has_entry(call, entry + OCTET)) after[round] = line[OCTET];
        }
    }

    /* The entry, scaled, in the upper 16 bits. */
    __device__ __forceinline__ unsigned scaled(int entry) const
    {
        return static_cast<unsigned>(entry * gain + 0x8000);
    }

    /* Words of four entries, of which the last one pairs with `next`. */
    __device__ __forceinline__ uint4 pairs_of(uint2 four, unsigned next) const
    {
        const unsigned a = scaled(static_cast<short>(four.x & 0xffff)), b = scaled(static_cast<int>(four.x) >> 16);
        const unsigned c = scaled(static_cast<short>(four.y & 0xffff)), d = scaled(static_cast<int>(four.y) >> 16);
        return {__byte_perm(a, b, 0x7632), __byte_perm(b, c, 0x7632), __byte_perm(c, d, 0x7632),
                __byte_perm(d, next, 0x7632)};
    }

    __device__ __forceinline__ void end(const Window &window, unsigned *patch)
    {
        const int twin = thread_of_block() / LANES % TWINS;
#pragma unroll
        for (int round = 0; round < ROUNDS; round++) {
            if (column_of(round) >= window.column_count || octet() >= window.entry_count) continue;
            uint4 *const to =
                reinterpret_cast<uint4 *>(patch + twin * TWIN_WORDS + column_of(round) * ENTRIES + octet());
            to[0] = pairs_of(first[round], scaled(static_cast<short>(second[round].x & 0xffff)));
            to[1] = pairs_of(second[round], scaled(after[round]));
        }
    }
};

/* ---- voxels ---- */

/* A voxel's entry, its share of the next one, and the weights of four entries. 2²³ + a number below 2²³, rounded
 * downwards, has its integer part in the lower bits. */
struct Place {
    int entry;
    float share;
};

static __device__ __forceinline__ Place place_of(const float4 &sight, float voxel)
{
    const float two_23 = 8388608.0F, at = fmaxf(fmaf(voxel, sight.y, sight.x), 0.0F), sum = __fadd_rd(at, two_23);
    return {__float_as_int(sum) & 0x7fffff, at - (sum - two_23)};
}

template <class Entry> struct Weights;

template <> struct Weights<float> {
    float of_left[2], of_right[2]; /* of the entry and the next one */

    __device__ __forceinline__ Weights(const float4 &sight, float share)
    {
        of_left[1] = sight.z * share;
        of_left[0] = sight.z - of_left[1];
        of_right[1] = sight.w * share;
        of_right[0] = sight.w - of_right[1];
    }

    __device__ __forceinline__ void add(const unsigned *word, Kind<float>::Sum *sum) const
    {
        sum->value = fmaf(of_left[0], __uint_as_float(word[0]), sum->value);
        sum->value = fmaf(of_left[1], __uint_as_float(word[1]), sum->value);
        sum->value = fmaf(of_right[0], __uint_as_float(word[ENTRIES]), sum->value);
        sum->value = fmaf(of_right[1], __uint_as_float(word[ENTRIES + 1]), sum->value);
    }
};

template <> struct Weights<short> {
    unsigned of_left, of_right; /* lower bytes of the weights of the entry and the next one, and upper bytes */

    /* Integers below 2¹⁶ are the lower bits of 2²³ + the number. */
    static __device__ __forceinline__ unsigned bytes_of(float weight, float share)
    {
        const float two_23 = 8388608.0F, next = weight * share;
        return __byte_perm(__float_as_uint(weight - next + two_23), __float_as_uint(next + two_23), 0x5140);
    }

    __device__ __forceinline__ Weights(const float4 &sight, float share)
        : of_left(bytes_of(sight.z, share)), of_right(bytes_of(sight.w, share))
    {
    }

    __device__ __forceinline__ void add(const unsigned *word, Kind<short>::Sum *sum) const
    {
        sum->low = sino_dot_low(word[0], of_left, sum->low);
        sum->high = sino_dot_high(word[0], of_left, sum->high);
        sum->low = sino_dot_low(word[ENTRIES], of_right, sum->low);
        sum->high = sino_dot_high(word[ENTRIES], of_right, sum->high);
    }
};

/* Four words as a patch has them, from global memory. */
template <class Entry, int TWINS> struct Source;

template <int TWINS> struct Source<float, TWINS> {
    static __device__ __forceinline__ unsigned word(const ConeCall &call, const Shared<float, TWINS> &, int,
                                                    const float *line, int entry)
    {
        return has_entry(call, entry) ? __float_as_uint(line[entry]) : 0;
    }
};

template <int TWINS> struct Source<short, TWINS> {
    static __device__ __forceinline__ unsigned word(const ConeCall &call, const Shared<short, TWINS> &shared,
                                                    int projection, const short *line, int entry)
    {
        const int gain = shared.gain[projection];
        const int a = has_entry(call, entry) ? line[entry] : 0, b = has_entry(call, entry + 1) ? line[entry + 1] : 0;
        return __byte_perm(static_cast<unsigned>(a * gain + 0x8000), static_cast<unsigned>(b * gain + 0x8000), 0x7632);
    }
};

/* Adds a view without a patch to the twins of a run. */
template <class Entry, int TWINS>
static __device__ __forceinline__ void add_wide(const ConeCall &call, const Shared<Entry, TWINS> &shared,
                                                const Window &window, int at, Place place,
                                                const Weights<Entry> &weights, typename Kind<Entry>::Sum *sum)
{
    const int column = window.first_column + at / ENTRIES, entry = window.first_entry + place.entry;
#pragma unroll
    for (int twin = 0; twin < TWINS; twin++) {
        int projection;
        const Entry *const lines = lines_of<Entry, TWINS>(call, window.view, twin, &projection);
        const Entry *const left = lines + column_in(call, column), *const right = lines + column_in(call, column + 1);
        unsigned word[ENTRIES + 2];
        for (int i = 0; i < 2; i++) {
            word[i] = Source<Entry, TWINS>::word(call, shared, projection, left, entry + i);
            word[ENTRIES + i] = Source<Entry, TWINS>::word(call, shared, projection, right, entry + i);
        }
        weights.add(word, &sum[twin]);
    }
}

/* Adds a view to the runs of this warp. */
template <bool WIDE, class Entry, int TWINS, int RUNS>
static __device__ __forceinline__ void add_view(const ConeCall &call, const Shared<Entry, TWINS> &shared, int w,
                                                float voxel, typename Kind<Entry>::Sum (&sum)[RUNS][TWINS])
{
    const int warp = thread_of_block() / LANES, first = w * RUNS % LANES;
    const float4 *const sight = &shared.place[warp][first];
    const int *const at = &shared.at[warp][first];
    const unsigned *const patch = shared.patch[w & 1];
#pragma unroll
    for (int run = 0; run < RUNS; run++) {
        if (at[run] < 0) continue;
        const Place place = place_of(sight[run], voxel);
        const Weights<Entry> weights(sight[run], place.share);
        if (WIDE) {
            add_wide<Entry, TWINS>(call, shared, shared.window[w], at[run], place, weights, sum[run]);
        } else {
            const unsigned *const word = patch + at[run] + place.entry;
#pragma unroll
            for (int twin = 0; twin < TWINS; twin++) weights.add(word + twin * TWIN_WORDS, &sum[run][twin]);
        }
    }
}

static __device__ __forceinline__ float value_of(const Kind<float>::Sum &sum, float)
{
    return sum.value;
}

static __device__ __forceinline__ float value_of(const Kind<short>::Sum &sum, float unit)
{
    return (static_cast<float>(sum.high) * 256 + static_cast<float>(sum.low)) * unit;
}

/* Whether conflicts of banks bound the kernel: tiles then have fewer voxels than lanes. Instructions bound the others.
 */
template <class Entry, int TWINS> static __host__ __device__ constexpr bool has_narrow_tiles()
{
    return sizeof(Entry) == sizeof(float) && TWINS >= 4;
}

/* Adds sums to the voxels of a run's twins. All are loaded before the first is stored, so that no store waits. */
template <class Entry, int TWINS>
static __device__ __forceinline__ void store(const ConeCall &call, float unit,
                                             const typename Kind<Entry>::Sum (&sum)[TWINS], float *voxel)
{
    float before[TWINS];
#pragma unroll
    for (int twin = 0; twin < TWINS; twin++) before[twin] = call.first ? 0 : voxel[twin * call.stride];
#pragma unroll
    for (int twin = 0; twin < TWINS; twin++) voxel[twin * call.stride] = before[twin] + value_of(sum[twin], unit);
}

template <class Entry, int TWINS>
static __global__ void __launch_bounds__(Kind<Entry>::WARPS *LANES, Kind<Entry>::BLOCKS)
    cone_kernel(ConeCall call, float *part)
{
    enum { WARPS = Kind<Entry>::WARPS, RUNS = TILE * TILE / WARPS, TURNS = LANES / RUNS };
    SINO_SHARED_DYNAMIC(memory);
    Shared<Entry, TWINS> &shared = *reinterpret_cast<Shared<Entry, TWINS> *>(memory);
    const int lane = thread_of_block() % LANES, warp = thread_of_block() / LANES;
    const int x = static_cast<int>(blockIdx.x) % call.tiles_x * TILE;
    const int y = static_cast<int>(blockIdx.x) / call.tiles_x * TILE,
              first = static_cast<int>(blockIdx.y) * call.tile_voxels;
    const int last = min(call.tile_voxels, call.voxel_count - first) - 1;
    const float voxel = static_cast<float>(min(lane, last)); /* others: as the last voxel */
    typename Kind<Entry>::Sum sum[RUNS][TWINS] = {};
    Fetch<Entry, TWINS> fetch;
    if (warp == 0) plan(call, x, y, first, &shared);
    __syncthreads();
    const int windows = shared.window_count;
    for (int w = -1; w < windows; w++) {
        const bool fetches = w + 1 < windows && !shared.window[w + 1].wide;
        unsigned *const to = shared.patch[(w + 1) & 1];
        if (fetches) fetch.begin(call, shared, shared.window[w + 1], to);
        if (w >= 0) {
            if (w % TURNS == 0) sight(call, x, y, w, &shared);
            if (shared.window[w].wide)
                add_view<true, Entry, TWINS, RUNS>(call, shared, w, voxel, sum);
            else
                add_view<false, Entry, TWINS, RUNS>(call, shared, w, voxel, sum);
        }
        if (fetches) fetch.end(shared.window[w + 1], to);
        __syncthreads();
    }
    const int end = first + last + 1 < call.voxel_count ? first + last + 1 : static_cast<int>(call.stride);
    if (first + lane >= end) return;
#pragma unroll
    for (int run = 0; run < RUNS; run++) {
        const int i = x + (warp * RUNS + run) % TILE, j = y + (warp * RUNS + run) / TILE;
        if (i >= call.x_count || j >= call.y_count) continue;
        const int64_t at = (static_cast<int64_t>(j) * call.x_count + i) * TWINS * call.stride + first + lane;
        store<Entry, TWINS>(call, shared.unit, sum[run], part + at);
        if (has_narrow_tiles<Entry, TWINS>() && first + lane + LANES < end) /* padding */
            store<Entry, TWINS>(call, shared.unit, sum[run], part + at + LANES);
    }
}

/* ---- launches ---- */

static ConeCall call_of(const SinoConeBackprojectionCuda *what)
{
    const SinoCone *cone = what->cone;
    const SinoConeLines *lines = what->lines;
    const SinoConePart *part = what->part;
    const SinoConeRuns runs = sino_cone_runs(cone, lines, part);
    ConeCall call = {};
    call.view_count = static_cast<int>(sino_cone_projections(lines));
    call.group_count = static_cast<int>(lines->group_count);
    call.first_x = static_cast<int>(part->first_x);
    call.first_y = static_cast<int>(part->first_y);
    call.x_count = static_cast<int>(part->x_count);
    call.y_count = static_cast<int>(part->y_count);
    call.voxel_count = static_cast<int>(part->voxel_count);
    call.tiles_x = static_cast<int>(sino_ceil_divide(part->x_count, TILE));
    call.stride = sino_cone_run_voxels(part);
    call.column_count = static_cast<int>(lines->column_count);
    call.entry_count = static_cast<int>(lines->entry_count);
    call.half_x = 0.5 * static_cast<double>(cone->x_count - 1);
    call.half_y = 0.5 * static_cast<double>(cone->y_count - 1);
    call.source_object = cone->source_object;
    call.voxel_size = cone->voxel_size;
    call.center = cone->center;
    call.columns = cone->source_detector / cone->pixel_width;
    call.rows = cone->fans ? 0 : cone->source_detector * cone->voxel_size / cone->pixel_height;
    call.even_rows = cone->fans ? 1 : 0;
    call.offset = runs.offset;
    call.slope = runs.slope;
    call.weight_most = sino_cone_largest_weight(cone);
    call.first = what->first;
    for (int p = 0; p < call.view_count; p++) {
        call.cosine[p] = cos(what->angle_rad[p]);
        call.sine[p] = sin(what->angle_rad[p]);
        call.projection[p] = what->projection[p];
        if (lines->precision == SINO_MIXED) call.unit[p] = what->unit[p];
    }
    return call;
}

/* Neighbouring lanes read entries that are a step apart, and two of 32 entries apart share a bank, so that a warp waits
 * for the lanes that see a 33rd entry; at the usual step of 1 in the volume's middle 28 lanes seldom do. Tiles are
 * equally high. */
template <class Entry, int TWINS> static int tile_voxels(const ConeCall &call)
{
    const double step = call.rows / call.source_object + call.even_rows,
                 middle = 28.5; /* entries that the lanes see there, about */
    if (!has_narrow_tiles<Entry, TWINS>()) return LANES;
    const int64_t most = static_cast<int64_t>(fmax(FEW, fmin(LANES, middle / step)));
    return static_cast<int>(sino_ceil_divide(call.voxel_count, sino_ceil_divide(call.voxel_count, most)));
}

template <class Entry, int TWINS>
static SinoStatus launch(cudaStream_t stream, const SinoConePart *part, ConeCall call, float *voxels)
{
    call.tile_voxels = tile_voxels<Entry, TWINS>(call);
    const int64_t tiles = call.tiles_x * sino_ceil_divide(part->y_count, TILE);
    const dim3 blocks(static_cast<unsigned>(tiles),
                      static_cast<unsigned>(sino_ceil_divide(call.voxel_count, call.tile_voxels)));
    return sino_launch(
        SinoLaunch{"cone_backproject", blocks, Kind<Entry>::WARPS * LANES, sizeof(Shared<Entry, TWINS>), stream},
        cone_kernel<Entry, TWINS>, call, voxels);
}

template <class Entry>
static SinoStatus launch_twins(cudaStream_t stream, const SinoConeBackprojectionCuda *what, float *part)
{
    const SinoConeSymmetry symmetry = what->lines->symmetry;
    const ConeCall call = call_of(what);
    switch (symmetry.turns * symmetry.halves) {
    case 1:
        return launch<Entry, 1>(stream, what->part, call, part);
    case 2:
        return launch<Entry, 2>(stream, what->part, call, part);
    case 4:
        return launch<Entry, 4>(stream, what->part, call, part);
    default:
        return launch<Entry, 8>(stream, what->part, call, part);
    }
}

SinoStatus sino_cone_backproject_cuda(cudaStream_t stream, const SinoConeBackprojectionCuda *what, float *part)
{
    const int64_t projections = sino_cone_projections(what->lines);
    const int64_t entries = sino_cone_projection_entries(what->lines);
    SINO_CHECK(projections <= SINO_CONE_CUDA_PROJECTIONS, SINO_BAD_INPUT,
               "a block of %lld projections; allowed on a GPU: 1 to %d", static_cast<long long>(projections),
               SINO_CONE_CUDA_PROJECTIONS);
    SINO_CHECK(
        entries <= INT32_MAX, SINO_BAD_INPUT, "projections of %lld x %lld entries; allowed on a GPU: up to %d entries",
        static_cast<long long>(what->lines->column_count), static_cast<long long>(what->lines->entry_count), INT32_MAX);
    if (what->part->x_count == 0 || what->part->y_count == 0 || what->part->voxel_count == 0) return NULL;
    return what->lines->precision == SINO_MIXED ? launch_twins<short>(stream, what, part)
                                                : launch_twins<float>(stream, what, part);
}
