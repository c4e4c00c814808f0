/* SPDX-License-Identifier: BSD-3-Clause */
/* Variation on a GPU: the two halves of a step that lowers the total variation (tiles_cuda.cuh), in 2-D, or in 3-D
 * where there is an r. */
#include "tiles_cuda.cuh"

template <int N, class Real>
static __device__ __forceinline__ void primal_tile(const Tiles<Real> &tiles, const Along<Real> &r, const Real *z,
                                                   Real least, Real most, Real *u)
{
    const Walk<N> walk(tiles);
    const int width = walk.width;
    const SinoTileNeighbours beside = tiles.neighbour[walk.tile];
    const int64_t own = tile_at(tiles, tiles.part, walk.tile);
    const Real *const own_p = tiles.p[tiles.part] + own, *const left = find_tile(tiles, tiles.p, beside.left);
    const Real *const own_q = tiles.q[tiles.part] + own, *const above = find_tile(tiles, tiles.q, beside.above);
    double theta[N];
    load_scalar(tiles, walk, SINO_FISTA_THRESHOLD, theta);
    for (int voxel = walk.voxel; voxel < SINO_TILE_VOXELS; voxel += walk.step) {
        const int at = voxel * width + walk.column;
        if (!walk.is_inside(voxel)) continue;
        const SinoPack<Real, N> of_z = sino_pack_load<Real, N>(z + own + at);
        const SinoPack<Real, N> of_p = sino_pack_load<Real, N>(own_p + at), of_q = sino_pack_load<Real, N>(own_q + at);
        const SinoPack<Real, N> of_left = load_beside<N>(voxel % SINO_TILE > walk.across.first, own_p, at - width, left,
                                                         at + ACROSS * width, SinoPack<Real, N>{});
        const SinoPack<Real, N> of_above = load_beside<N>(voxel / SINO_TILE > walk.down.first, own_q, at - ROW * width,
                                                          above, at + DOWN * width, SinoPack<Real, N>{});
        SinoPack<Real, N> of_r = {}, before = {}, of_u;
        if (r.vector) {
            of_r = sino_pack_load<Real, N>(r.vector + own + at);
            before = load_along<N>(tiles, walk, r, voxel, -1, of_r);
        }
        for (int i = 0; i < N; i++) {
            const Real along = of_r.value[i] - before.value[i];
            const Real sum = of_p.value[i] - of_left.value[i] + of_q.value[i] - of_above.value[i] + along;
            const Real value = of_z.value[i] + static_cast<Real>(theta[i]) * sum;
            of_u.value[i] = sino_formula_limit(value, least, most);
        }
        sino_pack_store(u + own + at, of_u);
    }
}

template <int N, class Real>
static __device__ __forceinline__ void dual_tile(const Tiles<Real> &tiles, const Along<Real> &u, Real *p, Real *q,
                                                 Real *r)
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
    load_scalar(tiles, walk, r ? SINO_FISTA_DUAL : SINO_FISTA_THRESHOLD, inverse);
    for (int i = 0; i < N && !r; i++) inverse[i] = inverse[i] > 0 ? 1 / (8 * inverse[i]) : 0;
    for (int voxel = walk.voxel; voxel < SINO_TILE_VOXELS; voxel += walk.step) {
        const int at = voxel * width + walk.column;
        if (!walk.is_inside(voxel)) continue;
        const SinoPack<Real, N> of_u = sino_pack_load<Real, N>(own_u + at);
        const SinoPack<Real, N> of_right =
            load_beside<N>(voxel % SINO_TILE < last_place, own_u, at + width, right, at - ACROSS * width, of_u);
        const SinoPack<Real, N> of_below =
            load_beside<N>(voxel / SINO_TILE < last_row, own_u, at + ROW * width, below, at - DOWN * width, of_u);
        SinoPack<Real, N> of_p = sino_pack_load<Real, N>(p + own + at), of_q = sino_pack_load<Real, N>(q + own + at);
        SinoPack<Real, N> of_r = {}, after = of_u;
        if (r) {
            of_r = sino_pack_load<Real, N>(r + own + at);
            after = load_along<N>(tiles, walk, u, voxel, 1, of_u);
        }
        for (int i = 0; i < N; i++) {
            const Real step = static_cast<Real>(inverse[i]);
            const Real across = of_p.value[i] + step * (of_right.value[i] - of_u.value[i]);
            const Real down = of_q.value[i] + step * (of_below.value[i] - of_u.value[i]);
            const Real along = of_r.value[i] + step * (after.value[i] - of_u.value[i]);
            const Real size = sqrt(across * across + down * down + along * along), shorten = 1 / (size < 1 ? 1 : size);
            of_p.value[i] = shorten * across;
            of_q.value[i] = shorten * down;
            of_r.value[i] = shorten * along;
        }
        sino_pack_store(p + own + at, of_p);
        sino_pack_store(q + own + at, of_q);
        if (r) sino_pack_store(r + own + at, of_r);
    }
}

template <class Real>
static __global__ void __launch_bounds__(TILE_THREADS)
    primal_kernel(Tiles<Real> tiles, Along<Real> r, const Real *z, Real least, Real most, Real *u)
{
    constexpr int full = SinoPackWidth<Real>::ELEMENTS;
    if (sino_panel_slices(tiles.panels) >= full)
        primal_tile<full>(tiles, r, z, least, most, u);
    else
        primal_tile<1>(tiles, r, z, least, most, u);
}

template <class Real>
static __global__ void __launch_bounds__(TILE_THREADS)
    dual_kernel(Tiles<Real> tiles, Along<Real> u, Real *p, Real *q, Real *r)
{
    constexpr int full = SinoPackWidth<Real>::ELEMENTS;
    if (sino_panel_slices(tiles.panels) >= full)
        dual_tile<full>(tiles, u, p, q, r);
    else
        dual_tile<1>(tiles, u, p, q, r);
}

template <class Real>
static SinoStatus launch_primal(cudaStream_t stream, const SinoVariation *variation, const void *z,
                                const void *const *p, const void *const *q, const void *r, const void *before,
                                const SinoSliceState *state, void *u)
{
    Tiles<Real> tiles = tiles_of<Real>(variation, state);
    const Along<Real> along = {static_cast<const Real *>(r), static_cast<const Real *>(before), false};
    put_parts(variation, p, tiles.p);
    put_parts(variation, q, tiles.q);
    return sino_launch(over_tiles("variation_primal", stream, variation), primal_kernel<Real>, tiles, along,
                       static_cast<const Real *>(z), static_cast<Real>(variation->least),
                       static_cast<Real>(variation->most), static_cast<Real *>(u));
}

template <class Real>
static SinoStatus launch_dual(cudaStream_t stream, const SinoVariation *variation, const void *const *u,
                              const void *after, const SinoSliceState *state, void *p, void *q, void *r)
{
    Tiles<Real> tiles = tiles_of<Real>(variation, state);
    const Along<Real> along = {static_cast<const Real *>(u[variation->part]), static_cast<const Real *>(after), true};
    put_parts(variation, u, tiles.u);
    return sino_launch(over_tiles("variation_dual", stream, variation), dual_kernel<Real>, tiles, along,
                       static_cast<Real *>(p), static_cast<Real *>(q), static_cast<Real *>(r));
}

SinoStatus sino_variation_primal_cuda(cudaStream_t stream, const SinoVariation *variation, const void *z,
                                      const void *const *p, const void *const *q, const void *r, const void *before,
                                      const SinoSliceState *state, void *u)
{
    if (is_empty(variation)) return NULL;
    return variation->slices.precision == SINO_DOUBLE
               ? launch_primal<double>(stream, variation, z, p, q, r, before, state, u)
               : launch_primal<float>(stream, variation, z, p, q, r, before, state, u);
}

SinoStatus sino_variation_dual_cuda(cudaStream_t stream, const SinoVariation *variation, const void *const *u,
                                    const void *after, const SinoSliceState *state, void *p, void *q, void *r)
{
    if (is_empty(variation)) return NULL;
    return variation->slices.precision == SINO_DOUBLE ? launch_dual<double>(stream, variation, u, after, state, p, q, r)
                                                      : launch_dual<float>(stream, variation, u, after, state, p, q, r);
}
