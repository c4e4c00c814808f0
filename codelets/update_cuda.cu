/* SPDX-License-Identifier: BSD-3-Clause */
/* Update: the vector work of the solvers between two SpMMs, on a GPU. A sweep goes over the vectors once, applies an
 * operation to every element and leaves sums per block; `finish` adds these up and does what is left per slice. */
#include "panel_cuda.cuh"

extern "C" {
#include "update_cuda.h"
#include "update_slice.h"
}

enum {
    LANES = SINO_PANEL_LANES, /* also: blocks that `finish` adds up at a time */
    SWEEP_THREADS_MAX = LANES * 8,
    SWEEP_BLOCKS_MAX = 1024, /* of a panel; the workspace then is small data for StarPU */
    ROWS_PER_BLOCK = LANES * 4,
    SUMS_MAX = 2
};

/* Where the sums of a panel's blocks lie: [panel][sum][block][slice of the panel]. */
static __device__ __forceinline__ double *sums_of(double *workspace, SinoPanels panels, int sum_count, int sum)
{
    return workspace + (static_cast<int64_t>(blockIdx.y) * sum_count + sum) * SWEEP_BLOCKS_MAX * panels.width;
}

/* The sums of tree[LANES][width] over lanes, into tree[0]; all threads see them. */
static __device__ __forceinline__ void add_lanes(double *tree, int width)
{
    for (int half = LANES / 2; half >= 1; half /= 2) {
        __syncthreads();
        for (int i = static_cast<int>(threadIdx.x); i < half * width; i += static_cast<int>(blockDim.x))
            tree[i] += tree[i + half * width];
    }
    __syncthreads();
}

/* The block's sums of this thread's slices to the workspace. */
template <int N>
static __device__ __forceinline__ void keep_sums(const SinoPanelWalk<N> &walk, SinoPanels panels, int sum_count,
                                                 const double (&sum)[SUMS_MAX][N], double *tree, double *workspace)
{
    const int me = static_cast<int>(threadIdx.x), width = walk.width;
    for (int s = 0; s < sum_count; s++) {
        for (int i = 0; i < N && walk.block_lane < LANES; i++)
            tree[walk.block_lane * width + walk.column + i] = sum[s][i];
        add_lanes(tree, width);
        double *const to = sums_of(workspace, panels, sum_count, s) + static_cast<int64_t>(blockIdx.x) * width;
        if (me < width) to[me] = tree[me];
        __syncthreads();
    }
}

/* One panel, by packs of N elements. */
template <int N, class Operation>
static __device__ __forceinline__ void sweep_panel(SinoPanels panels, int64_t rows, const Operation &operation,
                                                   double *tree, double *workspace)
{
    const SinoPanelWalk<N> walk(panels, rows);
    const auto factors = operation.template factors<N>(walk.first + walk.column);
    double sum[SUMS_MAX][N] = {};
    for (int64_t row = walk.lane; row < walk.end; row += walk.step) operation(factors, row, walk.at(row), sum);
    if constexpr (Operation::SUMS > 0) keep_sums(walk, panels, Operation::SUMS, sum, tree, workspace);
}

template <class Real, class Operation>
static __global__ void __launch_bounds__(SWEEP_THREADS_MAX)
    sweep_kernel(SinoPanels panels, int64_t rows, Operation operation, double *workspace)
{
    SINO_SHARED(double, tree, LANES *SINO_PANEL_MAX);
    constexpr int full = SinoPackWidth<Real>::ELEMENTS;
    if (sino_panel_slices(panels) >= full)
        sweep_panel<full>(panels, rows, operation, tree, workspace);
    else
        sweep_panel<1>(panels, rows, operation, tree, workspace);
}

/* One block per panel: the sums over all blocks of a sweep, then the rule for each slice. */
template <class Rule>
static __global__ void __launch_bounds__(LANES *SINO_PANEL_MAX)
    finish_kernel(SinoPanels panels, int slice_count, int block_count, Rule rule, double *workspace)
{
    SINO_SHARED(double, tree, LANES *SINO_PANEL_MAX);
    const int width = sino_panel_slices(panels), me = static_cast<int>(threadIdx.x), count = LANES * width;
    const int slice = sino_panel_first(panels) + me;
    double total[SUMS_MAX] = {};
    for (int s = 0; s < Rule::SUMS; s++) {
        const double *const from = sums_of(workspace, panels, Rule::SUMS, s);
        double sum = 0;
        for (int i = me; i < block_count * width && me < count; i += count) sum += from[i];
        if (me < count) tree[me] = sum;
        add_lanes(tree, width);
        if (me < width) total[s] = tree[me];
        __syncthreads();
    }
    if (me < width && slice < slice_count) rule(slice, total);
}

/* A vector's precision, and where its kernels run. */
struct Sweep {
    cudaStream_t stream;
    SinoSlices slices;
    int64_t rows;
    void *workspace; /* NULL without sums */
};

/* The same number on every device, for the sums' sake. */
static unsigned blocks_of(const Sweep &sweep)
{
    return sino_blocks_for(sweep.rows, ROWS_PER_BLOCK, SWEEP_BLOCKS_MAX);
}

template <class Real, class Operation>
static SinoStatus launch_sweep(const char *name, const Sweep &sweep, const Operation &operation)
{
    const SinoPanels panels = sino_panels_of(sweep.slices);
    const dim3 blocks(blocks_of(sweep), sino_panels_count(panels));
    const dim3 threads(sino_panel_threads(panels, SinoPackWidth<Real>::ELEMENTS));
    return sino_launch(SinoLaunch{name, blocks, threads, 0, sweep.stream}, sweep_kernel<Real, Operation>, panels,
                       sweep.rows, operation, static_cast<double *>(sweep.workspace));
}

template <class Rule> static SinoStatus launch_finish(const char *name, const Sweep &sweep, const Rule &rule)
{
    const SinoPanels panels = sino_panels_of(sweep.slices);
    const dim3 blocks(1, sino_panels_count(panels)), threads(sino_panel_threads(panels, 1));
    return sino_launch(SinoLaunch{name, blocks, threads, 0, sweep.stream}, finish_kernel<Rule>, panels,
                       static_cast<int>(sweep.slices.slice_count), static_cast<int>(blocks_of(sweep)), rule,
                       static_cast<double *>(sweep.workspace));
}

int64_t sino_update_cuda_workspace_bytes(SinoSlices slices)
{
    const SinoPanels panels = sino_panels_of(slices);
    return static_cast<int64_t>(sino_panels_count(panels)) * SUMS_MAX * SWEEP_BLOCKS_MAX * panels.width *
           static_cast<int64_t>(sizeof(double));
}

/* One number of the states of N slices as Real, 0 for padding. */
template <class Real, int N> struct Factors {
    Real value[N];
};

template <class Real, int N>
static __device__ __forceinline__ Factors<Real, N> factors_of(const SinoSliceState *state, int slice_count, int slice,
                                                              double SinoSliceState::*member)
{
    Factors<Real, N> factors;
    for (int i = 0; i < N; i++)
        factors.value[i] = slice + i < slice_count ? static_cast<Real>(state[slice + i].*member) : Real(0);
    return factors;
}

template <int N> struct NoFactors {
};

/* Σ a·a. */
template <class Real> struct Square {
    enum { SUMS = 1 };
    const Real *a;
    template <int N> __device__ NoFactors<N> factors(int) const
    {
        return {};
    }
    template <int N>
    __device__ __forceinline__ void operator()(NoFactors<N>, int64_t, int64_t at, double (&sum)[SUMS_MAX][N]) const
    {
        const SinoPack<Real, N> of_a = sino_pack_load<Real, N>(a + at);
        for (int i = 0; i < N; i++)
            sum[0][i] += static_cast<double>(of_a.value[i]) * static_cast<double>(of_a.value[i]);
    }
};

/* Σ q·q and Σ q·r. */
template <class Real> struct Pair {
    enum { SUMS = 2 };
    const Real *q, *r;
    template <int N> __device__ NoFactors<N> factors(int) const
    {
        return {};
    }
    template <int N>
    __device__ __forceinline__ void operator()(NoFactors<N>, int64_t, int64_t at, double (&sum)[SUMS_MAX][N]) const
    {
        const SinoPack<Real, N> of_q = sino_pack_load<Real, N>(q + at), of_r = sino_pack_load<Real, N>(r + at);
        for (int i = 0; i < N; i++) {
            const double value = static_cast<double>(of_q.value[i]);
            sum[0][i] += value * value;
            sum[1][i] += value * static_cast<double>(of_r.value[i]);
        }
    }
};

/* r −= step·q, and Σ r·r. */
template <class Real> struct StepBack {
    enum { SUMS = 1 };
    const SinoSliceState *state;
    int slice_count;
    const Real *q;
    Real *r;
    template <int N> __device__ Factors<Real, N> factors(int slice) const
    {
        return factors_of<Real, N>(state, slice_count, slice, &SinoSliceState::step);
    }
    template <int N>
    __device__ __forceinline__ void operator()(const Factors<Real, N> &step, int64_t, int64_t at,
                                               double (&sum)[SUMS_MAX][N]) const
    {
        const SinoPack<Real, N> of_q = sino_pack_load<Real, N>(q + at);
        SinoPack<Real, N> of_r = sino_pack_load<Real, N>(r + at);
        for (int i = 0; i < N; i++) {
            of_r.value[i] -= step.value[i] * of_q.value[i];
            sum[0][i] += static_cast<double>(of_r.value[i]) * static_cast<double>(of_r.value[i]);
        }
        sino_pack_store(r + at, of_r);
    }
};

/* x = 0, d = g0 = g. */
template <class Real> struct Begin {
    enum { SUMS = 0 };
    const Real *g;
    Real *g0, *d, *x;
    template <int N> __device__ NoFactors<N> factors(int) const
    {
        return {};
    }
    template <int N>
    __device__ __forceinline__ void operator()(NoFactors<N>, int64_t, int64_t at, double (&)[SUMS_MAX][N]) const
    {
        const SinoPack<Real, N> of_g = sino_pack_load<Real, N>(g + at);
        sino_pack_store(g0 + at, of_g);
        sino_pack_store(d + at, of_g);
        sino_pack_store(x + at, SinoPack<Real, N>{});
    }
};

/* x += step·d; d = g − overlap·g0 + beta·d. */
template <class Real> struct Advance {
    enum { SUMS = 0 };
    const SinoSliceState *state;
    int slice_count;
    const Real *g, *g0;
    Real *d, *x;
    template <int N> struct Three {
        Factors<Real, N> step, overlap, beta;
    };
    template <int N> __device__ Three<N> factors(int slice) const
    {
        return {factors_of<Real, N>(state, slice_count, slice, &SinoSliceState::step),
                factors_of<Real, N>(state, slice_count, slice, &SinoSliceState::overlap),
                factors_of<Real, N>(state, slice_count, slice, &SinoSliceState::beta)};
    }
    template <int N>
    __device__ __forceinline__ void operator()(const Three<N> &by, int64_t, int64_t at, double (&)[SUMS_MAX][N]) const
    {
        const SinoPack<Real, N> of_g = sino_pack_load<Real, N>(g + at), of_g0 = sino_pack_load<Real, N>(g0 + at);
        SinoPack<Real, N> of_d = sino_pack_load<Real, N>(d + at), of_x = sino_pack_load<Real, N>(x + at);
        for (int i = 0; i < N; i++) {
            of_x.value[i] += by.step.value[i] * of_d.value[i];
            of_d.value[i] = of_g.value[i] - by.overlap.value[i] * of_g0.value[i] + by.beta.value[i] * of_d.value[i];
        }
        sino_pack_store(x + at, of_x);
        sino_pack_store(d + at, of_d);
    }
};

/* w = R (b − w), and Σ (b − w)²; `first`: w = R b. */
template <class Real> struct Weigh {
    enum { SUMS = 1 };
    const Real *b, *row_weight;
    bool first;
    Real *w;
    template <int N> __device__ NoFactors<N> factors(int) const
    {
        return {};
    }
    template <int N>
    __device__ __forceinline__ void operator()(NoFactors<N>, int64_t row, int64_t at, double (&sum)[SUMS_MAX][N]) const
    {
        const Real weight = row_weight[row];
        SinoPack<Real, N> rest = sino_pack_load<Real, N>(b + at), of_w = {};
        if (!first) of_w = sino_pack_load<Real, N>(w + at);
        for (int i = 0; i < N; i++) {
            if (!first) rest.value[i] -= of_w.value[i];
            sum[0][i] += static_cast<double>(rest.value[i]) * static_cast<double>(rest.value[i]);
            rest.value[i] *= weight;
        }
        sino_pack_store(w + at, rest);
    }
};

/* x = max(least, x + relaxation·C g) where the slice goes on. */
template <class Real> struct Relax {
    enum { SUMS = 0 };
    const SinoSliceState *state;
    int slice_count;
    const Real *g, *column_weight;
    Real relaxation, least;
    bool first;
    Real *x;
    template <int N> __device__ Factors<Real, N> factors(int slice) const
    {
        Factors<Real, N> step;
        for (int i = 0; i < N; i++)
            step.value[i] = slice + i < slice_count && !state[slice + i].stopped ? relaxation : Real(0);
        return step;
    }
    template <int N>
    __device__ __forceinline__ void operator()(const Factors<Real, N> &step, int64_t row, int64_t at,
                                               double (&)[SUMS_MAX][N]) const
    {
        const Real weight = column_weight[row];
        const SinoPack<Real, N> of_g = sino_pack_load<Real, N>(g + at);
        SinoPack<Real, N> of_x = {};
        if (!first) of_x = sino_pack_load<Real, N>(x + at);
        for (int i = 0; i < N; i++) {
            const Real value = of_x.value[i] + step.value[i] * weight * of_g.value[i];
            of_x.value[i] = value < least ? least : value;
        }
        sino_pack_store(x + at, of_x);
    }
};

/* What becomes of a slice's sums: they are kept. */
template <int COUNT> struct Keep {
    enum { SUMS = COUNT };
    SinoSliceSums *sums;
    bool first;
    __device__ void operator()(int slice, const double *sum) const
    {
        sino_slice_add(&sums[slice], sum[0], sum[1], first);
    }
};

/* What follows is once for each type; the functions of the interface choose. */
template <class Real> static const Real *from(const void *vector)
{
    return static_cast<const Real *>(vector);
}

template <class Real> static Real *to(void *vector)
{
    return static_cast<Real *>(vector);
}

static int slice_count_of(const Sweep &sweep)
{
    return static_cast<int>(sweep.slices.slice_count);
}

template <class Real>
static SinoStatus sums(const Sweep &sweep, const void *v, const void *w, bool first, SinoSliceSums *kept)
{
    if (!w) {
        SINO_TRY(launch_sweep<Real>("update_sums", sweep, Square<Real>{from<Real>(v)}));
        return launch_finish("update_sums_kept", sweep, Keep<1>{kept, first});
    }
    SINO_TRY(launch_sweep<Real>("update_sums", sweep, Pair<Real>{from<Real>(v), from<Real>(w)}));
    return launch_finish("update_sums_kept", sweep, Keep<2>{kept, first});
}

template <class Real>
static SinoStatus residual_cg(const Sweep &sweep, const void *q, const SinoSliceState *state, void *r,
                              SinoSliceSums *kept)
{
    const StepBack<Real> step_back = {state, slice_count_of(sweep), from<Real>(q), to<Real>(r)};
    SINO_TRY(launch_sweep<Real>("update_residual_cg", sweep, step_back));
    return launch_finish("update_residual_kept", sweep, Keep<1>{kept, true});
}

template <class Real>
static SinoStatus voxels_cg(const Sweep &sweep, const void *g, const SinoSliceState *state, bool first, void *g0,
                            void *d, void *x)
{
    if (first)
        return launch_sweep<Real>("update_voxels_cg", sweep,
                                  Begin<Real>{from<Real>(g), to<Real>(g0), to<Real>(d), to<Real>(x)});
    const Advance<Real> advance = {state,          slice_count_of(sweep), from<Real>(g),
                                   from<Real>(g0), to<Real>(d),           to<Real>(x)};
    return launch_sweep<Real>("update_voxels_cg", sweep, advance);
}

template <class Real>
static SinoStatus residual_sirt(const Sweep &sweep, const void *b, const void *row_weight, bool first, void *w,
                                SinoSliceSums *kept)
{
    const Weigh<Real> weigh = {from<Real>(b), from<Real>(row_weight), first, to<Real>(w)};
    SINO_TRY(launch_sweep<Real>("update_residual_sirt", sweep, weigh));
    return launch_finish("update_residual_kept", sweep, Keep<1>{kept, true});
}

template <class Real>
static SinoStatus voxels_sirt(const Sweep &sweep, const void *g, const void *column_weight, const SinoSliceState *state,
                              double relaxation, bool nonnegativity, bool first, void *x)
{
    const Relax<Real> relax = {state,
                               slice_count_of(sweep),
                               from<Real>(g),
                               from<Real>(column_weight),
                               static_cast<Real>(relaxation),
                               nonnegativity ? Real(0) : static_cast<Real>(-INFINITY),
                               first,
                               to<Real>(x)};
    return launch_sweep<Real>("update_voxels_sirt", sweep, relax);
}

/* Calls the function of the precision. */
#define CALL(precision, function, ...)                                                                                 \
    ((precision) == SINO_DOUBLE ? function<double>(__VA_ARGS__) : function<float>(__VA_ARGS__))

SinoStatus sino_update_sums_cuda(cudaStream_t stream, SinoSlices slices, int64_t rows, const void *v, const void *w,
                                 bool first, SinoSliceSums *kept, void *workspace)
{
    const Sweep sweep = {stream, slices, rows, workspace};
    return CALL(slices.precision, sums, sweep, v, w, first, kept);
}

SinoStatus sino_update_residual_cg_cuda(cudaStream_t stream, SinoSlices slices, int64_t ray_count, const void *q,
                                        const SinoSliceState *state, void *r, SinoSliceSums *kept, void *workspace)
{
    const Sweep sweep = {stream, slices, ray_count, workspace};
    return CALL(slices.precision, residual_cg, sweep, q, state, r, kept);
}

SinoStatus sino_update_voxels_cg_cuda(cudaStream_t stream, SinoSlices slices, int64_t voxel_count, const void *g,
                                      const SinoSliceState *state, bool first, void *g0, void *d, void *x)
{
    const Sweep sweep = {stream, slices, voxel_count, NULL};
    return CALL(slices.precision, voxels_cg, sweep, g, state, first, g0, d, x);
}

SinoStatus sino_update_residual_sirt_cuda(cudaStream_t stream, SinoSlices slices, int64_t ray_count, const void *b,
                                          const void *row_weight, bool first, void *w, SinoSliceSums *kept,
                                          void *workspace)
{
    const Sweep sweep = {stream, slices, ray_count, workspace};
    return CALL(slices.precision, residual_sirt, sweep, b, row_weight, first, w, kept);
}

SinoStatus sino_update_voxels_sirt_cuda(cudaStream_t stream, SinoSlices slices, int64_t voxel_count, const void *g,
                                        const void *column_weight, const SinoSliceState *state, double relaxation,
                                        bool nonnegativity, bool first, void *x)
{
    const Sweep sweep = {stream, slices, voxel_count, NULL};
    return CALL(slices.precision, voxels_sirt, sweep, g, column_weight, state, relaxation, nonnegativity, first, x);
}

enum { ELEMENT_THREADS = 256 };

template <class Real> static __global__ void reciprocal_kernel(int64_t count, Real *value)
{
    const int64_t step = static_cast<int64_t>(gridDim.x) * ELEMENT_THREADS;
    for (int64_t i = blockIdx.x * static_cast<int64_t>(ELEMENT_THREADS) + threadIdx.x; i < count; i += step)
        value[i] = value[i] > static_cast<Real>(1e-6) ? 1 / value[i] : Real(0);
}

template <class Real> static __global__ void fill_kernel(int64_t count, Real number, Real *value)
{
    const int64_t step = static_cast<int64_t>(gridDim.x) * ELEMENT_THREADS;
    for (int64_t i = blockIdx.x * static_cast<int64_t>(ELEMENT_THREADS) + threadIdx.x; i < count; i += step)
        value[i] = number;
}

static SinoLaunch over_elements(const char *name, cudaStream_t stream, int64_t count)
{
    return {name, sino_blocks_for(count, 4 * ELEMENT_THREADS, SWEEP_BLOCKS_MAX), ELEMENT_THREADS, 0, stream};
}

SinoStatus sino_update_reciprocal_cuda(cudaStream_t stream, SinoPrecision precision, int64_t count, void *value)
{
    const SinoLaunch at = over_elements("update_reciprocal", stream, count);
    return precision == SINO_DOUBLE ? sino_launch(at, reciprocal_kernel<double>, count, to<double>(value))
                                    : sino_launch(at, reciprocal_kernel<float>, count, to<float>(value));
}

SinoStatus sino_update_fill_one_cuda(cudaStream_t stream, SinoPrecision precision, int64_t count, void *value)
{
    const SinoLaunch at = over_elements("update_fill_one", stream, count);
    return precision == SINO_DOUBLE ? sino_launch(at, fill_kernel<double>, count, 1.0, to<double>(value))
                                    : sino_launch(at, fill_kernel<float>, count, 1.0f, to<float>(value));
}

/* What becomes of the states of slices, a thread each. */
struct Collect {
    const SinoSliceSums *part;
    bool first;
    SinoSliceSums *total;
    __device__ void operator()(int slice) const
    {
        sino_slice_add(&total[slice], part[slice].square, part[slice].along, first);
    }
};

struct Start {
    const SinoSliceSums *sums;
    SinoSliceState *state;
    SinoHistory history;
    __device__ void operator()(int slice) const
    {
        sino_slice_start(&state[slice], &sums[slice], &history, slice);
    }
};

struct Step {
    const SinoSliceSums *sums;
    SinoSliceState *state;
    __device__ void operator()(int slice) const
    {
        sino_slice_step(&state[slice], &sums[slice]);
    }
};

struct Direction {
    const SinoSliceSums *sums;
    bool first;
    SinoSliceState *state;
    __device__ void operator()(int slice) const
    {
        sino_slice_direction(&state[slice], &sums[slice], first);
    }
};

template <class Rule> static __global__ void state_kernel(int slice_count, Rule rule)
{
    const int slice = static_cast<int>(threadIdx.x);
    if (slice < slice_count) rule(slice);
}

template <class Rule>
static SinoStatus launch_state(const char *name, cudaStream_t stream, SinoSlices slices, const Rule &rule)
{
    return sino_launch(SinoLaunch{name, 1, SINO_SLICES_MAX, 0, stream}, state_kernel<Rule>,
                       static_cast<int>(slices.slice_count), rule);
}

SinoStatus sino_update_collect_cuda(cudaStream_t stream, SinoSlices slices, const SinoSliceSums *part, bool first,
                                    SinoSliceSums *total)
{
    return launch_state("update_collect", stream, slices, Collect{part, first, total});
}

SinoStatus sino_update_start_cuda(cudaStream_t stream, SinoSlices slices, const SinoSliceSums *sums,
                                  SinoSliceState *state, const SinoHistory *history)
{
    return launch_state("update_start", stream, slices, Start{sums, state, *history});
}

SinoStatus sino_update_step_cuda(cudaStream_t stream, SinoSlices slices, const SinoSliceSums *sums,
                                 SinoSliceState *state)
{
    return launch_state("update_step", stream, slices, Step{sums, state});
}

SinoStatus sino_update_direction_cuda(cudaStream_t stream, SinoSlices slices, const SinoSliceSums *sums, bool first,
                                      SinoSliceState *state)
{
    return launch_state("update_direction", stream, slices, Direction{sums, first, state});
}

/* One warp. */
static __global__ void record_kernel(int slice_count, const SinoSliceSums *sums, SinoSliceState *state,
                                     SinoHistory history, int64_t *active)
{
    int64_t count = 0;
    for (int first = 0; first < slice_count; first += warpSize) {
        const int slice = first + static_cast<int>(threadIdx.x);
        if (slice < slice_count) sino_slice_record(&state[slice], &sums[slice], &history, slice);
        count += __popc(__ballot_sync(0xffffffffu, slice < slice_count && !state[slice].stopped));
    }
    if (threadIdx.x == 0) *active = count;
}

SinoStatus sino_update_record_cuda(cudaStream_t stream, SinoSlices slices, const SinoSliceSums *sums,
                                   SinoSliceState *state, const SinoHistory *history, int64_t *active)
{
    return sino_launch(SinoLaunch{"update_record", 1, 32, 0, stream}, record_kernel,
                       static_cast<int>(slices.slice_count), sums, state, *history, active);
}
