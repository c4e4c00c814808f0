/* SPDX-License-Identifier: BSD-3-Clause */
/* Prior on a GPU: the gradient of smooth priors (tiles_cuda.cuh). */
#include "prior_slope.cuh"
#include "tiles_cuda.cuh"

extern "C" {
#include "prior.h"
}

/* The slices before and after those of the part; without a vector in 2-D. */
template <class Real> struct Between {
    Along<Real> before, after;
};

/* The tiles around a tile and itself, in u: the first element of the panel; NULL: there is none. Corners are the
 * neighbours of the tiles above and below. */
enum { AROUND = 9 /* [above, own, below][left, own, right] */ };

/* Fills tile[AROUND], which threads share. */
template <int N, class Real>
static __device__ __forceinline__ void find_around(const Tiles<Real> &tiles, const Walk<N> &walk, const Real **tile)
{
    const int which = static_cast<int>(threadIdx.x), column = which % 3;
    if (which < AROUND) {
        const SinoTileNeighbours beside = tiles.neighbour[walk.tile];
        const int64_t row = which / 3 == 0 ? beside.above : which / 3 == 1 ? walk.tile : beside.below;
        const SinoTileNeighbours of = row < 0 ? SinoTileNeighbours{-1, -1, -1, -1} : tiles.neighbour[row];
        tile[which] = find_tile(tiles, tiles.u, column == 0 ? of.left : column == 1 ? row : of.right);
    }
    __syncthreads();
}

/* Where a row or column of a tile's range lies: 0 to 2, before, in or after the range, and its number there. */
struct Place {
    int where, number;
};

static __device__ __forceinline__ Place place_of(const SinoTileRange &range, int number)
{
    const int first = static_cast<int>(range.first), end = first + static_cast<int>(range.count);
    if (number < first) return {0, SINO_TILE - 1};
    return number < end ? Place{1, number} : Place{2, 0};
}

/* Adds w·φ′ of the pairs with a voxel's neighbours in its slice. */
template <SinoPriorFunction FUNCTION, int N, class Real>
static __device__ __forceinline__ void add_pairs(const Walk<N> &walk, const Real *const *tile, Real inverse, int voxel,
                                                 const SinoPack<Real, N> &own, SinoPack<Real, N> &sum)
{
    const Real side = static_cast<Real>(SINO_PRIOR_SIDE_WEIGHT), corner = static_cast<Real>(SINO_PRIOR_CORNER_WEIGHT);
    for (int i = 0; i < 9; i++) {
        const int down = i / 3 - 1, aside = i % 3 - 1;
        if (i == 4) continue; /* the voxel itself */
        const Place row = place_of(walk.down, voxel / SINO_TILE + down);
        const Place column = place_of(walk.across, voxel % SINO_TILE + aside);
        const Real *const from = tile[row.where * 3 + column.where], weight = down != 0 && aside != 0 ? corner : side;
        if (!from) continue;
        const int at = (row.number * SINO_TILE + column.number) * walk.width + walk.column;
        const SinoPack<Real, N> other = sino_pack_load<Real, N>(from + at);
        for (int k = 0; k < N; k++)
            sum.value[k] += weight * sino_prior_slope<FUNCTION>(inverse * (own.value[k] - other.value[k]));
    }
}

template <SinoPriorFunction FUNCTION, int N, class Real>
static __device__ __forceinline__ void descend_tile(const Tiles<Real> &tiles, const Between<Real> &between,
                                                    Real inverse, Real *z)
{
    const Walk<N> walk(tiles);
    const int64_t first = tile_at(tiles, tiles.part, walk.tile);
    SINO_SHARED(const Real *, tile, AROUND);
    const Real weight = static_cast<Real>(SINO_PRIOR_SLICE_WEIGHT);
    double theta[N];
    load_scalar(tiles, walk, SINO_FISTA_THRESHOLD, theta);
    find_around(tiles, walk, tile);
    for (int voxel = walk.voxel; voxel < SINO_TILE_VOXELS; voxel += walk.step) {
        const int at = voxel * walk.width + walk.column;
        if (!walk.is_inside(voxel)) continue;
        const SinoPack<Real, N> own = sino_pack_load<Real, N>(tile[AROUND / 2] + at);
        SinoPack<Real, N> sum = {}, of_z = sino_pack_load<Real, N>(z + first + at);
        add_pairs<FUNCTION>(walk, tile, inverse, voxel, own, sum);
        if (between.before.vector) {
            const SinoPack<Real, N> before = load_along<N>(tiles, walk, between.before, voxel, -1, own);
            const SinoPack<Real, N> after = load_along<N>(tiles, walk, between.after, voxel, 1, own);
            for (int k = 0; k < N; k++)
                sum.value[k] += weight * (sino_prior_slope<FUNCTION>(inverse * (own.value[k] - before.value[k])) +
                                          sino_prior_slope<FUNCTION>(inverse * (own.value[k] - after.value[k])));
        }
        for (int k = 0; k < N; k++) of_z.value[k] -= static_cast<Real>(theta[k]) * sum.value[k];
        sino_pack_store(z + first + at, of_z);
    }
}

template <SinoPriorFunction FUNCTION, class Real>
static __global__ void __launch_bounds__(TILE_THREADS)
    descend_kernel(Tiles<Real> tiles, Between<Real> between, Real inverse, Real *z)
{
    constexpr int full = SinoPackWidth<Real>::ELEMENTS;
    if (sino_panel_slices(tiles.panels) >= full)
        descend_tile<FUNCTION, full>(tiles, between, inverse, z);
    else
        descend_tile<FUNCTION, 1>(tiles, between, inverse, z);
}

template <class Real>
static SinoStatus launch(cudaStream_t stream, const SinoSmoothPrior *prior, const void *const *u, const void *before,
                         const void *after, const SinoSliceState *state, void *z)
{
    const SinoVariation *variation = &prior->tiles;
    Tiles<Real> tiles = tiles_of<Real>(variation, state);
    const Real *const own = prior->volume ? static_cast<const Real *>(u[variation->part]) : NULL;
    const Between<Real> between = {{own, static_cast<const Real *>(before), true},
                                   {own, static_cast<const Real *>(after), true}};
    put_parts(variation, u, tiles.u);
    return sino_launch(over_tiles("prior", stream, variation),
                       prior->function == SINO_PRIOR_HUBER ? descend_kernel<SINO_PRIOR_HUBER, Real>
                                                           : descend_kernel<SINO_PRIOR_QGGMRF, Real>,
                       tiles, between, static_cast<Real>(1 / prior->threshold), static_cast<Real *>(z));
}

SinoStatus sino_prior_descend_cuda(cudaStream_t stream, const SinoSmoothPrior *prior, const void *const *u,
                                   const void *before, const void *after, const SinoSliceState *state, void *z)
{
    if (is_empty(&prior->tiles)) return NULL;
    return prior->tiles.slices.precision == SINO_DOUBLE ? launch<double>(stream, prior, u, before, after, state, z)
                                                        : launch<float>(stream, prior, u, before, after, state, z);
}
