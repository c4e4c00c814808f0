/* SPDX-License-Identifier: BSD-3-Clause */
/* Variation: the two halves of a step that lowers the total variation, on a GPU. A block works on one tile of one
 * panel, a thread on 16 bytes of a row of the panel, so always on the same slices, whose θ it keeps in registers. Every
 * vector is read from memory once: neighbours within a tile are in L1, where other threads of the block have them; only
 * the borders of other tiles are read again. */
#include "panel_cuda.cuh"
#define SINO_UPDATE_TEMPLATES
#include "update_formulas.h" /* not within extern "C" */

extern "C" {
#include "variation_cuda.h"
}

enum {
    THREADS = 256,
    ROW = SINO_TILE,                     /* from a voxel to the one below */
    ACROSS = SINO_TILE - 1,              /* from the first voxel of a row to its last one */
    DOWN = SINO_TILE_VOXELS - SINO_TILE, /* from the first voxel of a column to its last one */
    PARTS = SINO_VARIATION_CUDA_PARTS
};

/* The fields of SinoVariation that kernels read, and the vectors of all parts: p and q, or u. They are one argument,
 * because ptxas keeps a copy of an argument that is an array alone in each thread's memory. */
template <class Real> struct Tiles {
    SinoPanels panels;
    int slice_count, part;
    int64_t grid_size;
    int64_t first_tile[PARTS + 1];
    const SinoTilePlace *tile;
    const SinoTileNeighbours *neighbour;
    const SinoSliceState *state;
    const Real *p[PARTS], *q[PARTS], *u[PARTS];
};

/* The first element of a tile in this block's panel of a part's vector. */
template <class Real>
static __device__ __forceinline__ int64_t tile_at(const Tiles<Real> &tiles, int part, int64_t tile)
{
    const int64_t rows = (tiles.first_tile[part + 1] - tiles.first_tile[part]) * SINO_TILE_VOXELS;
    return sino_panel_first(tiles.panels) * rows +
           (tile - tiles.first_tile[part]) * SINO_TILE_VOXELS * sino_panel_slices(tiles.panels);
}

/* The same in the vector of the part that has the tile; NULL: there is no such tile. */
template <class Real>
static __device__ __forceinline__ const Real *find_tile(const Tiles<Real> &tiles, const Real *const (&vector)[PARTS],
                                                        int64_t tile)
{
    int part = tiles.part;
    if (tile < 0) return NULL;
    while (tile < tiles.first_tile[part]) part--;
    while (tile >= tiles.first_tile[part + 1]) part++;
    return vector[part] + tile_at(tiles, part, tile);
}

/* The work of a thread in its block's tile: slices column … column + N − 1 of the panel, of every step-th voxel. */
template <int N> struct Walk {
    int width, column; /* slices of the panel; this thread's first one */
    int voxel, step;
    int64_t tile; /* number among those of all parts */
    SinoTileRange down, across;

    template <class Real>
    __device__ __forceinline__ explicit Walk(const Tiles<Real> &tiles)
        : width(sino_panel_slices(tiles.panels)), column(static_cast<int>(threadIdx.x) % (width / N) * N),
          voxel(static_cast<int>(threadIdx.x) / (width / N)), step(THREADS / (width / N)),
          tile(tiles.first_tile[tiles.part] + blockIdx.x), down(sino_tile_range(tiles.grid_size, tiles.tile[tile].row)),
          across(sino_tile_range(tiles.grid_size, tiles.tile[tile].column))
    {
    }

    __device__ __forceinline__ bool is_inside(int of) const
    {
        const int row = of / SINO_TILE - static_cast<int>(down.first);
        const int place = of % SINO_TILE - static_cast<int>(across.first);
        return row >= 0 && row < down.count && place >= 0 && place < across.count;
    }
};

/* θ of this thread's slices; 0: padding. */
template <int N, class Real>
static __device__ __forceinline__ void load_theta(const Tiles<Real> &tiles, const Walk<N> &walk, double (&theta)[N])
{
    const int first = sino_panel_first(tiles.panels) + walk.column;
    for (int i = 0; i < N; i++)
        theta[i] = first + i < tiles.slice_count ? tiles.state[first + i].scalar[SINO_FISTA_THRESHOLD] : 0;
}

/* The pack `within` of a tile, if the neighbour lies there, else the pack `beyond` of the tile beside; `none` where
 * that is NULL. */
template <int N, class Real>
static __device__ __forceinline__ SinoPack<Real, N>
load_beside(bool is_within, const Real *own, int within, const Real *beside, int beyond, const SinoPack<Real, N> &none)
{
    if (is_within) return sino_pack_load<Real, N>(own + within);
    return beside ? sino_pack_load<Real, N>(beside + beyond) : none;
}

template <int N, class Real>
static __device__ __forceinline__ void primal_tile(const Tiles<Real> &tiles, const Real *z, Real least, Real most,
                                                   Real *u)
{
    const Walk<N> walk(tiles);
    const int width = walk.width;
    const SinoTileNeighbours beside = tiles.neighbour[walk.tile];
    const int64_t own = tile_at(tiles, tiles.part, walk.tile);
    const Real *const own_p = tiles.p[tiles.part] + own, *const left = find_tile(tiles, tiles.p, beside.left);
    const Real *const own_q = tiles.q[tiles.part] + own, *const above = find_tile(tiles, tiles.q, beside.above);
    double theta[N];
    load_theta(tiles, walk, theta);
    for (int voxel = walk.voxel; voxel < SINO_TILE_VOXELS; voxel += walk.step) {
        const int at = voxel * width + walk.column;
        if (!walk.is_inside(voxel)) continue;
        const SinoPack<Real, N> of_z = sino_pack_load<Real, N>(z + own + at);
        const SinoPack<Real, N> of_p = sino_pack_load<Real, N>(own_p + at), of_q = sino_pack_load<Real, N>(own_q + at);
        const SinoPack<Real, N> of_left = load_beside<N>(voxel % SINO_TILE > walk.across.first, own_p, at - width, left,
                                                         at + ACROSS * width, SinoPack<Real, N>{});
        const SinoPack<Real, N> of_above = load_beside<N>(voxel / SINO_TILE > walk.down.first, own_q, at - ROW * width,
                                                          above, at + DOWN * width, SinoPack<Real, N>{});
        SinoPack<Real, N> of_u;
        for (int i = 0; i < N; i++) {
            const Real sum = of_p.value[i] - of_left.value[i] + of_q.value[i] - of_above.value[i];
            const Real value = of_z.value[i] + static_cast<Real>(theta[i]) * sum;
            of_u.value[i] = sino_formula_limit(value, least, most);
        }
        sino_pack_store(u + own + at, of_u);
    }
}

template <int N, class Real>
static __device__ __forceinline__ void dual_tile(const Tiles<Real> &tiles, Real *p, Real *q)
{
    const Walk<N> walk(tiles);
    const int width = walk.width;
    const SinoTileNeighbours beside = tiles.neighbour[walk.tile];
    const int64_t own = tile_at(tiles, tiles.part, walk.tile);
    const int last_place = static_cast<int>(walk.across.first + walk.across.count) - 1;
    const int last_row = static_cast<int>(walk.down.first + walk.down.count) - 1;
    const Real *const own_u = tiles.u[tiles.part] + own;
    const Real *const right = find_tile(tiles, tiles.u, beside.right), *const below =
                                                                           find_tile(tiles, tiles.u, beside.below);
    double inverse[N];
    load_theta(tiles, walk, inverse);
    for (int i = 0; i < N; i++) inverse[i] = inverse[i] > 0 ? 1 / (8 * inverse[i]) : 0;
    for (int voxel = walk.voxel; voxel < SINO_TILE_VOXELS; voxel += walk.step) {
        const int at = voxel * width + walk.column;
        if (!walk.is_inside(voxel)) continue;
        const SinoPack<Real, N> of_u = sino_pack_load<Real, N>(own_u + at);
        const SinoPack<Real, N> of_right =
            load_beside<N>(voxel % SINO_TILE < last_place, own_u, at + width, right, at - ACROSS * width, of_u);
        const SinoPack<Real, N> of_below =
            load_beside<N>(voxel / SINO_TILE < last_row, own_u, at + ROW * width, below, at - DOWN * width, of_u);
        SinoPack<Real, N> of_p = sino_pack_load<Real, N>(p + own + at), of_q = sino_pack_load<Real, N>(q + own + at);
        for (int i = 0; i < N; i++) {
            const Real step = static_cast<Real>(inverse[i]);
            const Real across = of_p.value[i] + step * (of_right.value[i] - of_u.value[i]);
            const Real down = of_q.value[i] + step * (of_below.value[i] - of_u.value[i]);
            const Real size = sqrt(across * across + down * down), shorten = 1 / (size < 1 ? 1 : size);
            of_p.value[i] = shorten * across;
            of_q.value[i] = shorten * down;
        }
        sino_pack_store(p + own + at, of_p);
        sino_pack_store(q + own + at, of_q);
    }
}

template <class Real>
static __global__ void __launch_bounds__(THREADS)
    primal_kernel(Tiles<Real> tiles, const Real *z, Real least, Real most, Real *u)
{
    constexpr int full = SinoPackWidth<Real>::ELEMENTS;
    if (sino_panel_slices(tiles.panels) >= full)
        primal_tile<full>(tiles, z, least, most, u);
    else
        primal_tile<1>(tiles, z, least, most, u);
}

template <class Real> static __global__ void __launch_bounds__(THREADS) dual_kernel(Tiles<Real> tiles, Real *p, Real *q)
{
    constexpr int full = SinoPackWidth<Real>::ELEMENTS;
    if (sino_panel_slices(tiles.panels) >= full)
        dual_tile<full>(tiles, p, q);
    else
        dual_tile<1>(tiles, p, q);
}

/* Without vectors. */
template <class Real> static Tiles<Real> tiles_of(const SinoVariation *variation, const SinoSliceState *state)
{
    Tiles<Real> tiles = {};
    assert(variation->part_count <= PARTS);
    tiles.panels = sino_panels_of(variation->slices);
    tiles.slice_count = static_cast<int>(variation->slices.slice_count);
    tiles.part = static_cast<int>(variation->part);
    tiles.grid_size = variation->grid_size;
    for (int64_t i = 0; i <= variation->part_count; i++) tiles.first_tile[i] = variation->first_tile[i];
    tiles.tile = variation->tile;
    tiles.neighbour = variation->neighbour;
    tiles.state = state;
    return tiles;
}

template <class Real>
static void put_parts(const SinoVariation *variation, const void *const *vector, const Real *(&part)[PARTS])
{
    for (int64_t i = 0; i < variation->part_count; i++) part[i] = static_cast<const Real *>(vector[i]);
}

/* Launch parameters of a block for each tile of the part and each panel. */
static SinoLaunch over_tiles(const char *name, cudaStream_t stream, const SinoVariation *variation)
{
    const int64_t count = variation->first_tile[variation->part + 1] - variation->first_tile[variation->part];
    const unsigned panels = sino_panels_count(sino_panels_of(variation->slices));
    return {name, dim3(static_cast<unsigned>(count), panels), THREADS, 0, stream};
}

static bool is_empty(const SinoVariation *variation)
{
    return variation->first_tile[variation->part] == variation->first_tile[variation->part + 1];
}

template <class Real>
static SinoStatus launch_primal(cudaStream_t stream, const SinoVariation *variation, const void *z,
                                const void *const *p, const void *const *q, const SinoSliceState *state, void *u)
{
    Tiles<Real> tiles = tiles_of<Real>(variation, state);
    put_parts(variation, p, tiles.p);
    put_parts(variation, q, tiles.q);
    return sino_launch(over_tiles("variation_primal", stream, variation), primal_kernel<Real>, tiles,
                       static_cast<const Real *>(z), static_cast<Real>(variation->least),
                       static_cast<Real>(variation->most), static_cast<Real *>(u));
}

template <class Real>
static SinoStatus launch_dual(cudaStream_t stream, const SinoVariation *variation, const void *const *u,
                              const SinoSliceState *state, void *p, void *q)
{
    Tiles<Real> tiles = tiles_of<Real>(variation, state);
    put_parts(variation, u, tiles.u);
    return sino_launch(over_tiles("variation_dual", stream, variation), dual_kernel<Real>, tiles,
                       static_cast<Real *>(p), static_cast<Real *>(q));
}

SinoStatus sino_variation_primal_cuda(cudaStream_t stream, const SinoVariation *variation, const void *z,
                                      const void *const *p, const void *const *q, const SinoSliceState *state, void *u)
{
    if (is_empty(variation)) return NULL;
    return variation->slices.precision == SINO_DOUBLE ? launch_primal<double>(stream, variation, z, p, q, state, u)
                                                      : launch_primal<float>(stream, variation, z, p, q, state, u);
}

SinoStatus sino_variation_dual_cuda(cudaStream_t stream, const SinoVariation *variation, const void *const *u,
                                    const SinoSliceState *state, void *p, void *q)
{
    if (is_empty(variation)) return NULL;
    return variation->slices.precision == SINO_DOUBLE ? launch_dual<double>(stream, variation, u, state, p, q)
                                                      : launch_dual<float>(stream, variation, u, state, p, q);
}
