/* SPDX-License-Identifier: BSD-3-Clause */
/* Update: the vector work of the solvers between two SpMMs, on a GPU. A sweep goes over the vectors once, applies a
 * formula to every element and leaves one partial sum per block. The kernel `finish` adds the partial sums. */
#include "panel_cuda.cuh"
#define SINO_UPDATE_TEMPLATES
#include "update_formulas.h" /* not within extern "C" */

extern "C" {
#include "update.h"
}

enum {
    LANES = SINO_PANEL_LANES, /* also the blocks whose sums `finish` adds at a time */
    SWEEP_THREADS_MAX = LANES * 8,
    SWEEP_BLOCKS_MAX = 1024, /* blocks of a panel; keeps the workspace small data for StarPU */
    ROWS_PER_BLOCK = LANES * 4
};

/* Address of the sums of a panel's blocks: [panel][sum][block][slice of the panel]. */
static __device__ __forceinline__ double *sums_of(double *workspace, SinoPanels panels, int sum_count, int sum)
{
    return workspace + (static_cast<int64_t>(blockIdx.y) * sum_count + sum) * SWEEP_BLOCKS_MAX * panels.width;
}

/* Adds tree[LANES][width] over lanes into tree[0]. All threads see the result. */
static __device__ __forceinline__ void add_lanes(double *tree, int width)
{
    for (int half = LANES / 2; half >= 1; half /= 2) {
        __syncthreads();
        for (int i = static_cast<int>(threadIdx.x); i < half * width; i += static_cast<int>(blockDim.x))
            tree[i] += tree[i + half * width];
    }
    __syncthreads();
}

/* Adds up the block's sums and writes those of each slice to the workspace. */
template <int N>
static __device__ __forceinline__ void keep_sums(const SinoPanelWalk<N> &walk, SinoPanels panels, int sum_count,
                                                 const double (&sum)[SINO_SLICE_SUMS][N], double *tree,
                                                 double *workspace)
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

/* The list of formulas as constants for the compiler. */
struct FormulaRow {
    int vector[SINO_UPDATE_VECTORS], sums;
    bool reads_state;
};

static constexpr FormulaRow formula_row[] = {
#define ROW(name, NAME, task, a, b, c, d, sums, state) {{a, b, c, d}, sums, (state) != 0},
    SINO_UPDATE_FORMULAS(ROW)
#undef ROW
};

/* The data that a formula is applied to. */
template <class Real> struct Operands {
    Real *vector[SINO_UPDATE_VECTORS];
    const SinoSliceState *state; /* NULL: not read */
    int slice_count;
    bool first;
    Real argument[SINO_UPDATE_ARGUMENTS];
};

/* The values of the slice that the formula reads. */
template <class Real, bool READS_STATE>
static __device__ __forceinline__ SinoElement<Real> element_of(const Operands<Real> &operands, int slice)
{
    const bool real = READS_STATE && slice < operands.slice_count; /* not padding */
    SinoElement<Real> element;
    for (int i = 0; i < SINO_SLICE_SCALARS; i++)
        element.scalar[i] = real ? static_cast<Real>(operands.state[slice].scalar[i]) : Real(0);
    for (int i = 0; i < SINO_UPDATE_ARGUMENTS; i++) element.argument[i] = operands.argument[i];
    element.going = real && !operands.state[slice].stopped ? Real(1) : Real(0);
    element.first = operands.first;
    return element;
}

/* Loads N elements of a vector. The elements of one row share a value if the vector has one value per row. 0 if the
 * formula does not read the vector. */
template <int VECTOR, class Real, int N>
static __device__ __forceinline__ SinoPack<Real, N> load_vector(const Real *from, bool first, int64_t row, int64_t at)
{
    SinoPack<Real, N> pack = {};
    if constexpr ((VECTOR & SINO_EACH_ROW) != 0) {
        for (int i = 0; i < N; i++) pack.value[i] = from[row];
    } else if constexpr ((VECTOR & SINO_LOADED) != 0) {
        constexpr bool always = (VECTOR & SINO_LOADED_FIRST) != 0;
        if (always || !first) pack = sino_pack_load<Real, N>(from + at);
    }
    return pack;
}

template <int VECTOR, class Real, int N>
static __device__ __forceinline__ void store_vector(Real *to, bool first, int64_t at, const SinoPack<Real, N> &pack)
{
    if constexpr ((VECTOR & SINO_STORED_FIRST) != 0) {
        constexpr bool always = (VECTOR & SINO_STORED) != 0;
        if (always || first) sino_pack_store(to + at, pack);
    }
}

/* Sweeps over one panel, by packs of N elements. */
template <int N, int FORMULA, class Real>
static __device__ __forceinline__ void sweep_panel(SinoPanels panels, int64_t rows, const Operands<Real> &operands,
                                                   double *tree, double *workspace)
{
    constexpr int a = formula_row[FORMULA].vector[0], b = formula_row[FORMULA].vector[1];
    constexpr int c = formula_row[FORMULA].vector[2], d = formula_row[FORMULA].vector[3];
    constexpr int sums = formula_row[FORMULA].sums;
    constexpr bool reads_state = formula_row[FORMULA].reads_state;
    const SinoPanelWalk<N> walk(panels, rows);
    const bool first = operands.first;
    SinoElement<Real> element[N];
    for (int i = 0; i < N; i++) element[i] = element_of<Real, reads_state>(operands, walk.first + walk.column + i);
    double sum[SINO_SLICE_SUMS][N] = {};
    for (int64_t row = walk.lane; row < walk.end; row += walk.step) {
        const int64_t at = walk.at(row);
        SinoPack<Real, N> of_a = load_vector<a, Real, N>(operands.vector[0], first, row, at);
        SinoPack<Real, N> of_b = load_vector<b, Real, N>(operands.vector[1], first, row, at);
        SinoPack<Real, N> of_c = load_vector<c, Real, N>(operands.vector[2], first, row, at);
        SinoPack<Real, N> of_d = load_vector<d, Real, N>(operands.vector[3], first, row, at);
        for (int i = 0; i < N; i++) {
            Real v[SINO_UPDATE_VECTORS] = {of_a.value[i], of_b.value[i], of_c.value[i], of_d.value[i]};
            double own[SINO_SLICE_SUMS] = {sum[0][i], sum[1][i]};
            sino_formula_apply<Real>(FORMULA, &element[i], v, own);
            of_a.value[i] = v[0];
            of_b.value[i] = v[1];
            of_c.value[i] = v[2];
            of_d.value[i] = v[3];
            sum[0][i] = own[0];
            sum[1][i] = own[1];
        }
        store_vector<a>(operands.vector[0], first, at, of_a);
        store_vector<b>(operands.vector[1], first, at, of_b);
        store_vector<c>(operands.vector[2], first, at, of_c);
        store_vector<d>(operands.vector[3], first, at, of_d);
    }
    if constexpr (sums > 0) keep_sums(walk, panels, sums, sum, tree, workspace);
}

/* Four blocks of a multiprocessor leave 64 registers to a thread: ptxas then spills none around divisions. Formulas
 * with two sums over three vectors need the 85 that three blocks leave. */
static constexpr int sweep_blocks(int formula)
{
    return formula_row[formula].sums == 2 && formula_row[formula].vector[2] != SINO_NO_VECTOR ? 3 : 4;
}

template <int FORMULA, class Real>
static __global__ void __launch_bounds__(SWEEP_THREADS_MAX, sweep_blocks(FORMULA))
    sweep_kernel(SinoPanels panels, int64_t rows, Operands<Real> operands, double *workspace)
{
    SINO_SHARED(double, tree, LANES *SINO_PANEL_MAX);
    constexpr int full = SinoPackWidth<Real>::ELEMENTS;
    if (sino_panel_slices(panels) >= full)
        sweep_panel<full, FORMULA>(panels, rows, operands, tree, workspace);
    else
        sweep_panel<1, FORMULA>(panels, rows, operands, tree, workspace);
}

/* One block per panel adds the sums of all blocks of a sweep into the sums of the slices. */
static __global__ void __launch_bounds__(LANES *SINO_PANEL_MAX)
    finish_kernel(SinoPanels panels, int slice_count, int block_count, int sum_count, bool add, SinoSliceSums *sums,
                  double *workspace)
{
    SINO_SHARED(double, tree, LANES *SINO_PANEL_MAX);
    const int width = sino_panel_slices(panels), me = static_cast<int>(threadIdx.x), count = LANES * width;
    const int slice = sino_panel_first(panels) + me;
    SinoSliceSums total = {};
    for (int s = 0; s < sum_count; s++) {
        const double *const from = sums_of(workspace, panels, sum_count, s);
        double sum = 0;
        for (int i = me; i < block_count * width && me < count; i += count) sum += from[i];
        if (me < count) tree[me] = sum;
        add_lanes(tree, width);
        if (me < width) total.sum[s] = tree[me];
        __syncthreads();
    }
    if (me < width && slice < slice_count) sums[slice] = sino_slice_add(sums[slice], total, !add);
}

/* Number of blocks. It is the same on every device, so that sums are the same, too. */
static unsigned blocks_of(const SinoUpdate *update)
{
    return sino_blocks_for(update->rows, ROWS_PER_BLOCK, SWEEP_BLOCKS_MAX);
}

template <int FORMULA, class Real>
static SinoStatus launch_sweep(cudaStream_t stream, const char *name, const SinoUpdate *update,
                               const Operands<Real> &operands, void *workspace)
{
    const SinoPanels panels = sino_panels_of(update->slices);
    const dim3 blocks(blocks_of(update), sino_panels_count(panels));
    const dim3 threads(sino_panel_threads(panels, SinoPackWidth<Real>::ELEMENTS));
    return sino_launch(SinoLaunch{name, blocks, threads, 0, stream}, sweep_kernel<FORMULA, Real>, panels, update->rows,
                       operands, static_cast<double *>(workspace));
}

template <class Real>
static SinoStatus sweep(cudaStream_t stream, const SinoUpdate *update, void *const *vector, const SinoSliceState *state,
                        void *workspace)
{
    Operands<Real> operands = {};
    for (int i = 0; i < SINO_UPDATE_VECTORS && formula_row[update->formula].vector[i] != SINO_NO_VECTOR; i++)
        operands.vector[i] = static_cast<Real *>(vector[i]);
    for (int i = 0; i < SINO_UPDATE_ARGUMENTS; i++) operands.argument[i] = static_cast<Real>(update->argument[i]);
    operands.state = state;
    operands.slice_count = static_cast<int>(update->slices.slice_count);
    operands.first = update->first;
    switch (update->formula) {
#define ROW(name, NAME, task, a, b, c, d, sums, state)                                                                 \
    case SINO_UPDATE_##NAME:                                                                                           \
        return launch_sweep<SINO_UPDATE_##NAME>(stream, task, update, operands, workspace);
        SINO_UPDATE_FORMULAS(ROW)
#undef ROW
    default:
        return NULL;
    }
}

static SinoStatus finish(cudaStream_t stream, const SinoUpdate *update, SinoSliceSums *sums, void *workspace)
{
    const SinoPanels panels = sino_panels_of(update->slices);
    const dim3 blocks(1, sino_panels_count(panels)), threads(sino_panel_threads(panels, 1));
    return sino_launch(SinoLaunch{"update_sums_kept", blocks, threads, 0, stream}, finish_kernel, panels,
                       static_cast<int>(update->slices.slice_count), static_cast<int>(blocks_of(update)),
                       formula_row[update->formula].sums, update->add, sums, static_cast<double *>(workspace));
}

int64_t sino_update_cuda_workspace_bytes(SinoSlices slices)
{
    const SinoPanels panels = sino_panels_of(slices);
    return static_cast<int64_t>(sino_panels_count(panels)) * SINO_SLICE_SUMS * SWEEP_BLOCKS_MAX * panels.width *
           static_cast<int64_t>(sizeof(double));
}

SinoStatus sino_update_cuda(cudaStream_t stream, const SinoUpdate *update, void *const vector[SINO_UPDATE_VECTORS],
                            const SinoSliceState *state, SinoSliceSums *sums, void *workspace)
{
    SINO_TRY(update->slices.precision == SINO_DOUBLE ? sweep<double>(stream, update, vector, state, workspace)
                                                     : sweep<float>(stream, update, vector, state, workspace));
    return formula_row[update->formula].sums > 0 ? finish(stream, update, sums, workspace) : NULL;
}

/* Launch parameters of the kernels that update the states of slices, with one thread per slice. */
static SinoLaunch over_slices(const char *name, cudaStream_t stream)
{
    return {name, 1, SINO_SLICES_MAX, 0, stream};
}

static int slice_count_of(SinoSlices slices)
{
    return static_cast<int>(slices.slice_count);
}

static __global__ void rule_kernel(int slice_count, int rule, bool first, double argument, const SinoSliceSums *sums,
                                   SinoSliceState *state)
{
    const int slice = static_cast<int>(threadIdx.x);
    if (slice < slice_count) sino_rule_apply(rule, &state[slice], &sums[slice], argument, first);
}

SinoStatus sino_update_slices_cuda(cudaStream_t stream, SinoUpdateRule rule, SinoSlices slices, bool first,
                                   double argument, const SinoSliceSums *sums, SinoSliceState *state)
{
    return sino_launch(over_slices("update_slices", stream), rule_kernel, slice_count_of(slices),
                       static_cast<int>(rule), first, argument, sums, state);
}

static __global__ void residual_kernel(int slice_count, const SinoSliceState *state, SinoSliceSums *sums)
{
    const int slice = static_cast<int>(threadIdx.x);
    if (slice < slice_count) sums[slice] = sino_slice_residual(&state[slice]);
}

SinoStatus sino_update_residual_cuda(cudaStream_t stream, SinoSlices slices, const SinoSliceState *state,
                                     SinoSliceSums *sums)
{
    return sino_launch(over_slices("update_residual", stream), residual_kernel, slice_count_of(slices), state, sums);
}

static __global__ void collect_kernel(int slice_count, const SinoSliceSums *part, bool first, SinoSliceSums *total)
{
    const int slice = static_cast<int>(threadIdx.x);
    if (slice < slice_count) total[slice] = sino_slice_add(total[slice], part[slice], first);
}

SinoStatus sino_update_collect_cuda(cudaStream_t stream, SinoSlices slices, const SinoSliceSums *part, bool first,
                                    SinoSliceSums *total)
{
    return sino_launch(over_slices("update_collect", stream), collect_kernel, slice_count_of(slices), part, first,
                       total);
}

static __global__ void start_kernel(int slice_count, const SinoSliceSums *sums, SinoSliceState *state,
                                    SinoHistory history)
{
    const int slice = static_cast<int>(threadIdx.x);
    if (slice >= slice_count) return;
    double *const residual = history.residual + slice * history.numbers;
    const double square = sums[slice].sum[SINO_SUM_SQUARE];
    state[slice] = sino_slice_start(square, history.tolerance);
    residual[history.iteration] = square;
    for (int64_t i = history.iteration + 1; i < history.numbers; i++) residual[i] = static_cast<double>(NAN);
}

SinoStatus sino_update_start_cuda(cudaStream_t stream, SinoSlices slices, const SinoSliceSums *sums,
                                  SinoSliceState *state, const SinoHistory *history)
{
    return sino_launch(over_slices("update_start", stream), start_kernel, slice_count_of(slices), sums, state,
                       *history);
}

static __device__ void record_slice(const SinoSliceSums &sums, SinoSliceState *state, const SinoHistory &history,
                                    int slice)
{
    double *const residual = history.residual + slice * history.numbers + history.iteration;
    const bool stopped = state->stopped;
    *residual = sino_slice_record(state, sums.sum[SINO_SUM_SQUARE], history.tolerance);
    if (history.numbers > history.columns)
        residual[history.columns] =
            sino_slice_record_likelihood(state, sums.sum[SINO_SUM_LIKELIHOOD], history.likelihood_tolerance, stopped);
}

/* A single warp runs this kernel, because it counts the slices that have not stopped. */
static __global__ void record_kernel(int slice_count, const SinoSliceSums *sums, SinoSliceState *state,
                                     SinoHistory history, int64_t *active)
{
    int64_t count = 0;
    for (int first = 0; first < slice_count; first += warpSize) {
        const int slice = first + static_cast<int>(threadIdx.x);
        if (slice < slice_count) record_slice(sums[slice], &state[slice], history, slice);
        count += __popc(__ballot_sync(0xffffffffu, slice < slice_count && !state[slice].stopped));
    }
    if (threadIdx.x == 0) *active = count;
}

SinoStatus sino_update_record_cuda(cudaStream_t stream, SinoSlices slices, const SinoSliceSums *sums,
                                   SinoSliceState *state, const SinoHistory *history, int64_t *active)
{
    return sino_launch(SinoLaunch{"update_record", 1, 32, 0, stream}, record_kernel, slice_count_of(slices), sums,
                       state, *history, active);
}
