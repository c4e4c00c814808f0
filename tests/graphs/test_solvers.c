/* SPDX-License-Identifier: BSD-3-Clause */
/* Solvers: the iterates of each one are those of its formula, or their limit is the minimum, by plain loops in double
 * precision, for a small dense operator whose products are loops, too. */
#include "panel.h"
#include "ray_exchange.h"
#include "solve.h"
#include "solver_fbp.h"
#include "testing.h"

#include <math.h>
#include <string.h>

enum { ANGLES = 6, COLUMNS = 3, RAYS = ANGLES * COLUMNS, VOXELS = 11, PARTS = 2, SLICES = 3, SUBSETS_MOST = 3 };

/* Voxels of the two partitions, of which the first begins at voxel 0. */
static const int64_t part_voxels[PARTS] = {7, VOXELS - 7};

/* Uneven, since methods without iterations weigh each angle by its gaps. */
static const double angle_rad[ANGLES] = {0, 0.3, 0.8, 1.4, 2, 2.7};

/* A, and what is solved. Row 4 of A, and column 2, are 0. Rays are in the order of subsets. */
typedef struct Problem {
    double matrix[RAYS][VOXELS], b[SLICES][RAYS], weight[SLICES][RAYS], x[SLICES][VOXELS];
    bool undefined[SLICES][RAYS];
    int64_t subset_count, subset_rays[SUBSETS_MOST], place[ANGLES];
    SinoExchangePart part[PARTS];
    SinoRuntime *runtime;
    SinoRayExchange *exchange;
    SinoOperator op;
    SinoSettings settings;
    SinoBounds bounds; /* of fista's voxels */
    bool weighted;     /* fista, too, has the weights */
} Problem;

static Problem *problem_of(const SinoOperatorWork *work)
{
    return work->op->own;
}

/* ---- the dense operator ---- */

static SinoStatus work_open(SinoOperatorWork *work, const SinoSlices *slices, int64_t number, bool overlap)
{
    const SinoOperator *op = work->op;
    return sino_partial_sums_new(op->runtime, op->ranks, &op->shape, slices, number, overlap, &work->sums);
}

static void work_close(SinoOperatorWork *work)
{
    sino_partial_sums_free(work->sums, &work->op->shape);
}

/* A x of a subset, or Aᵀ y: `row` of the vector y, `place` of partition p. */
static SinoStatus multiply(SinoOperatorWork *work, const SinoProduct *product, bool back, SinoData *const *x,
                           SinoData *y)
{
    const Problem *problem = problem_of(work);
    const SinoSlices slices = product->slices;
    const SinoAngleBlock block = product->block;
    const int64_t rows = block.count > 0 ? block.count * COLUMNS : problem->subset_rays[product->subset];
    int64_t first = block.first * COLUMNS, voxel = 0;
    void *rays, *voxels;
    for (int64_t s = 0; s < product->subset; s++) first += problem->subset_rays[s];
    SINO_TRY(sino_data_acquire(y, back ? SINO_READ : SINO_WRITE, &rays));
    if (!back) memset(rays, 0, (size_t)(rows * slices.stride) * sizeof(float));
    for (int p = 0; p < PARTS; voxel += part_voxels[p++]) {
        SINO_TRY(sino_data_acquire(x[p], back ? SINO_READ_WRITE : SINO_READ, &voxels));
        if (back && block.first == 0) memset(voxels, 0, (size_t)(part_voxels[p] * slices.stride) * sizeof(float));
        for (int64_t r = 0; r < rows; r++)
            for (int64_t v = 0; v < part_voxels[p]; v++)
                for (int64_t f = 0; f < slices.stride; f++) {
                    float *at = (float *)rays + sino_panel_element(slices, rows, r, f);
                    float *of = (float *)voxels + sino_panel_element(slices, part_voxels[p], v, f);
                    const float a = (float)problem->matrix[first + r][voxel + v];
                    *(back ? of : at) += a * *(back ? at : of);
                }
        sino_data_release(x[p]);
    }
    sino_data_release(y);
    return NULL;
}

static SinoStatus project(SinoOperatorWork *work, const SinoProduct *product, SinoData *const *x, SinoData *y)
{
    return multiply(work, product, false, x, y);
}

static SinoStatus backproject(SinoOperatorWork *work, const SinoProduct *product, SinoData *y, SinoData *const *x)
{
    return multiply(work, product, true, x, y);
}

/* y = AᵀA x of the slices. */
static SinoStatus normal(SinoOperatorWork *work, const SinoProduct *product, SinoData *const *x, SinoData *const *y)
{
    const Problem *problem = problem_of(work);
    const SinoSlices slices = product->slices;
    void *voxels[PARTS], *products[PARTS];
    for (int p = 0; p < PARTS; p++) {
        SINO_TRY(sino_data_acquire(x[p], SINO_READ, &voxels[p]));
        SINO_TRY(sino_data_acquire(y[p], SINO_WRITE, &products[p]));
        memset(products[p], 0, (size_t)(part_voxels[p] * slices.stride) * sizeof(float));
    }
    for (int64_t f = 0; f < SLICES; f++)
        for (int r = 0; r < RAYS; r++) {
            double sum = 0;
            for (int pass = 0; pass < 2; pass++)
                for (int v = 0; v < VOXELS; v++) {
                    const int p = v >= part_voxels[0];
                    const int64_t at = sino_panel_element(slices, part_voxels[p], v - p * part_voxels[0], f);
                    const double a = problem->matrix[r][v];
                    if (pass == 0)
                        sum += a * (double)((const float *)voxels[p])[at];
                    else
                        ((float *)products[p])[at] += (float)(a * sum);
                }
        }
    for (int p = 0; p < PARTS; p++) {
        sino_data_release(x[p]);
        sino_data_release(y[p]);
    }
    return NULL;
}

/* The sum of squares, which is at least the largest eigenvalue of AᵀA. */
static double norm_bound(const SinoOperator *op)
{
    const Problem *problem = op->own;
    double sum = 0;
    for (int r = 0; r < RAYS; r++)
        for (int v = 0; v < VOXELS; v++) sum += problem->matrix[r][v] * problem->matrix[r][v];
    return sum;
}

/* Without a prior, the places of tiles are of no use. */
static SinoTiling tiling(const SinoOperator *op)
{
    (void)op;
    return (SinoTiling){.partition_count = PARTS};
}

static const SinoOperatorKind dense = {.name = "dense",
                                       .work_open = work_open,
                                       .work_close = work_close,
                                       .project = project,
                                       .backproject = backproject,
                                       .normal = normal,
                                       .norm = norm_bound,
                                       .tiling = tiling};

static const SinoOperatorKind adding = {
    .name = "adding", .adds = true, .work_open = work_open, .work_close = work_close, .backproject = backproject};

/* ---- units: the slices of the problem ---- */

/* The rays of a block, whose angles are in the order of the scan. */
static SinoStatus fill_block(const Problem *problem, SinoMinibatch *minibatch)
{
    const SinoAngleBlock block = minibatch->block;
    SinoData *data = minibatch->vector[minibatch->vectors->block][0];
    void *b;
    SINO_TRY(sino_data_acquire(data, SINO_WRITE, &b));
    memset(b, 0, (size_t)(block.count * COLUMNS * minibatch->slices.stride) * sizeof(float));
    for (int64_t f = 0; f < SLICES; f++)
        for (int64_t i = 0; i < block.count * COLUMNS; i++)
            ((float *)b)[sino_panel_element(minibatch->slices, block.count * COLUMNS, i, f)] =
                (float)problem->b[f][problem->place[block.first + i / COLUMNS] * COLUMNS + i % COLUMNS];
    sino_data_release(data);
    return NULL;
}

static SinoStatus fill(void *of, SinoMinibatch *minibatch)
{
    const Problem *problem = of;
    void *b;
    if (minibatch->block.count > 0) return fill_block(problem, minibatch);
    SINO_TRY(sino_data_acquire(minibatch->vector[0][0], SINO_WRITE, &b));
    memset(b, 0, (size_t)(RAYS * minibatch->slices.stride) * sizeof(float));
    for (int64_t f = 0; f < SLICES; f++)
        for (int64_t r = 0; r < RAYS; r++)
            ((float *)b)[sino_panel_element(minibatch->slices, RAYS, r, f)] =
                problem->undefined[f][r] ? -0.0F : (float)problem->b[f][r];
    sino_data_release(minibatch->vector[0][0]);
    return NULL;
}

static SinoStatus store(void *of, SinoMinibatch *minibatch)
{
    Problem *problem = of;
    int64_t voxel = 0;
    void *x;
    for (int p = 0; p < PARTS; voxel += part_voxels[p++]) {
        SinoData *data = minibatch->vector[minibatch->vectors->tomogram][p];
        SINO_TRY(sino_data_acquire(data, SINO_READ, &x));
        for (int64_t v = 0; v < part_voxels[p]; v++)
            for (int64_t f = 0; f < SLICES; f++)
                problem->x[f][voxel + v] =
                    (double)((const float *)x)[sino_panel_element(minibatch->slices, part_voxels[p], v, f)];
        sino_data_release(data);
    }
    return NULL;
}

static const SinoUnitKind slices = {.fill = fill, .store = store};

/* SinoGivenWeights.load. */
static SinoStatus load_weights(void *of, const SinoMinibatch *minibatch, int64_t vector)
{
    const Problem *problem = of;
    void *w;
    SINO_TRY(sino_data_acquire(minibatch->vector[vector][0], SINO_WRITE, &w));
    memset(w, 0, (size_t)(RAYS * minibatch->slices.stride) * sizeof(float));
    for (int64_t f = 0; f < SLICES; f++)
        for (int64_t r = 0; r < RAYS; r++)
            ((float *)w)[sino_panel_element(minibatch->slices, RAYS, r, f)] =
                problem->undefined[f][r] ? 0 : (float)problem->weight[f][r];
    sino_data_release(minibatch->vector[vector][0]);
    return NULL;
}

/* ---- problems ---- */

/* Numbers from 0 to 1 that floats have, so that both precisions solve the same problem. */
static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 44) / (1 << 20);
}

static SinoStatus open_operator(Problem *problem)
{
    SinoExtent *extent = problem->op.shape.extent;
    const SinoRayExchangeShape alone = SINO_EXCHANGE_ALONE(PARTS);
    const SinoExchangeParts parts = {.angle_count = ANGLES,
                                     .column_count = COLUMNS,
                                     .whole = true,
                                     .count = PARTS,
                                     .part = problem->part,
                                     .all_count = PARTS,
                                     .all_voxels = part_voxels};
    for (int p = 0; p < PARTS; p++) problem->part[p].footprint.ray_count = RAYS;
    SINO_TRY(sino_ray_exchange_new(problem->runtime, &alone, &parts, &problem->exchange));
    problem->op = (SinoOperator){.kind = &dense,
                                 .runtime = problem->runtime,
                                 .problem = {.geometry = {.angle_count = ANGLES,
                                                          .column_count = COLUMNS,
                                                          .grid_size = COLUMNS,
                                                          .angle_rad = angle_rad,
                                                          .center = (COLUMNS - 1) / 2.0},
                                             .precision = SINO_SINGLE,
                                             .subset_count = problem->subset_count},
                                 .shape = {.precision = SINO_SINGLE},
                                 .place = problem->place,
                                 .ranks = problem->exchange,
                                 .own = problem};
    SINO_TRY(sino_ray_exchange_extents(problem->exchange, extent));
    extent[SINO_ROWS_MINIBATCH] = sino_extent_one(1);
    extent[SINO_ROWS_SUBSET] = sino_extent_of(problem->subset_count, problem->subset_rays);
    extent[SINO_ROWS_PIXELS] = extent[SINO_ROWS_TALLY] = sino_extent_one(0);
    return NULL;
}

static Problem *new_problem(int64_t subsets)
{
    Problem *problem = test_calloc(1, sizeof *problem);
    const SinoRuntimeRequest request = {.workers = 1};
    uint64_t seed = 7;
    for (int r = 0; r < RAYS; r++)
        for (int v = 0; v < VOXELS; v++)
            problem->matrix[r][v] = r == 4 || v == 2 || draw(&seed) < 0.4 ? 0 : draw(&seed);
    for (int f = 0; f < SLICES; f++)
        for (int r = 0; r < RAYS; r++) {
            problem->b[f][r] = draw(&seed);
            problem->weight[f][r] = draw(&seed);
            problem->undefined[f][r] = f > 0 && draw(&seed) < 0.2;
        }
    problem->subset_count = subsets;
    for (int64_t s = 0; s < subsets; s++) problem->subset_rays[s] = RAYS / subsets;
    for (int64_t k = 0; k < ANGLES; k++) problem->place[k] = k;
    problem->settings.solver.relaxation = 0.9;
    problem->bounds = (SinoBounds){-INFINITY, INFINITY};
    assert_success(sino_runtime_start(&request, &problem->runtime));
    assert_success(open_operator(problem));
    return problem;
}

static void free_problem(Problem *problem)
{
    sino_ray_exchange_free(problem->exchange);
    assert_success(sino_runtime_stop(problem->runtime));
    test_free(problem);
}

static void solve(Problem *problem, const SinoSolver *solver, int64_t iterations)
{
    const SinoGivenWeights given = {load_weights, problem, 1};
    SinoSolve run = {.solver = solver,
                     .run = {.runtime = problem->runtime,
                             .op = &problem->op,
                             .settings = &problem->settings,
                             .iterations = iterations,
                             .given = solver->weighted || problem->weighted ? &given : NULL,
                             .bounds = problem->bounds},
                     .units = {&slices, problem, SLICES, SLICES, 1, 1, NULL, 0},
                     .slices = {SINO_SINGLE, sino_panel_stride(SINO_SINGLE, SLICES), SLICES},
                     .history_numbers = (iterations + 1) * (solver->has_likelihood ? 2 : 1),
                     .aside = true};
    assert_success(sino_solve(&run));
}

static void assert_slice(const Problem *problem, int f, const double *x, int64_t iterations)
{
    double off = 0, norm = 0;
    for (int v = 0; v < VOXELS; v++) {
        off = fmax(off, fabs(problem->x[f][v] - x[v]));
        norm = fmax(norm, fabs(x[v]));
    }
    assert_true(norm > 1e-3);
    if (!(off <= 2e-5 * norm))
        fail_msg("slice %d is off by %g of %g after %lld iterations", f, off, norm, (long long)iterations);
}

/* ---- references ---- */

static double of_ray(const Problem *problem, int r, const double *x)
{
    double sum = 0;
    for (int v = 0; v < VOXELS; v++) sum += problem->matrix[r][v] * x[v];
    return sum;
}

static double of_voxel(const Problem *problem, int v, const double *y)
{
    double sum = 0;
    for (int r = 0; r < RAYS; r++) sum += problem->matrix[r][v] * y[r];
    return sum;
}

/* The weight of a ray in the sum of squares. */
static double weight_of(const Problem *problem, int f, int r, bool weighted)
{
    return problem->undefined[f][r] ? 0 : weighted ? problem->weight[f][r] : 1;
}

static double square(int count, const double *x)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += x[i] * x[i];
    return sum;
}

/* CGLS of √w A x = √w b. */
static void cg(const Problem *problem, int f, bool weighted, int64_t iterations, double *x)
{
    double r[RAYS], q[RAYS], g[VOXELS], d[VOXELS], before = 0;
    for (int i = 0; i < RAYS; i++) r[i] = weight_of(problem, f, i, weighted) * problem->b[f][i];
    for (int64_t i = 0; i <= iterations; i++) {
        double product = 0;
        for (int v = 0; v < VOXELS; v++) g[v] = of_voxel(problem, v, r);
        for (int v = 0; v < VOXELS; v++) d[v] = i == 0 ? g[v] : g[v] + square(VOXELS, g) / before * d[v];
        for (int v = 0; v < VOXELS && i == 0; v++) x[v] = 0;
        before = square(VOXELS, g);
        for (int k = 0; k < RAYS; k++) {
            q[k] = of_ray(problem, k, d);
            product += weight_of(problem, f, k, weighted) * q[k] * q[k];
        }
        if (i == iterations) return;
        for (int v = 0; v < VOXELS; v++) x[v] += before / product * d[v];
        for (int k = 0; k < RAYS; k++) r[k] -= before / product * weight_of(problem, f, k, weighted) * q[k];
    }
}

/* x += relaxation · C Aᵀ W R (b − A x). Without weights the sums of columns include rays without a value. */
static void sirt(const Problem *problem, int f, bool weighted, int64_t iterations, double *x)
{
    double ones[VOXELS], w[RAYS], column[VOXELS], r[RAYS];
    for (int v = 0; v < VOXELS; v++) ones[v] = 1;
    for (int v = 0; v < VOXELS; v++) x[v] = 0;
    for (int k = 0; k < RAYS; k++) w[k] = weighted ? weight_of(problem, f, k, true) : 1;
    for (int v = 0; v < VOXELS; v++) column[v] = of_voxel(problem, v, w);
    for (int64_t i = 0; i < iterations; i++) {
        for (int k = 0; k < RAYS; k++) {
            const double row = of_ray(problem, k, ones);
            const double weight = weight_of(problem, f, k, weighted);
            r[k] = row > 0 ? weight / row * (problem->b[f][k] - of_ray(problem, k, x)) : 0;
        }
        for (int v = 0; v < VOXELS; v++)
            x[v] += column[v] > 0 ? problem->settings.solver.relaxation / column[v] * of_voxel(problem, v, r) : 0;
    }
}

/* x = x/s · Aᵀ(b/A x) of one subset after the other, in the order of reversed bits. The start is Σb/Σs. */
static void osem(const Problem *problem, int f, bool weighted, int64_t iterations, double *x)
{
    (void)weighted;
    static const int order[SUBSETS_MOST][SUBSETS_MOST] = {{0}, {0, 1}, {0, 2, 1}};
    const int subsets = (int)problem->subset_count, rays = RAYS / subsets;
    double total = 0, counts = 0, all[VOXELS] = {0};
    for (int k = 0; k < RAYS; k++) {
        for (int v = 0; v < VOXELS; v++) all[v] += problem->matrix[k][v];
        if (!problem->undefined[f][k]) counts += problem->b[f][k];
    }
    for (int v = 0; v < VOXELS; v++) total += all[v];
    for (int v = 0; v < VOXELS; v++) x[v] = all[v] > 0 ? counts / total : 0;
    for (int64_t i = 0; i < iterations * subsets; i++) {
        const int first = order[subsets - 1][i % subsets] * rays;
        double next[VOXELS] = {0}, s[VOXELS] = {0};
        for (int k = first; k < first + rays; k++) {
            const double ax = of_ray(problem, k, x);
            const double ratio = problem->undefined[f][k] ? 1 : ax > 0 ? problem->b[f][k] / ax : 0;
            for (int v = 0; v < VOXELS; v++) {
                next[v] += problem->matrix[k][v] * ratio;
                s[v] += problem->matrix[k][v];
            }
        }
        for (int v = 0; v < VOXELS; v++) x[v] *= s[v] > 0 ? next[v] / s[v] : 1;
    }
}

/* The minimum of the sum of squares, weighted if the problem is, within the bounds, voxel after voxel. */
static void minimum(const Problem *problem, int f, double *x)
{
    double r[RAYS];
    for (int k = 0; k < RAYS; k++) r[k] = problem->b[f][k];
    for (int v = 0; v < VOXELS; v++) x[v] = 0;
    for (int i = 0; i < 20000 * VOXELS; i++) {
        const int v = i % VOXELS;
        double along = 0, squares = 0;
        for (int k = 0; k < RAYS; k++) {
            const double a = problem->matrix[k][v], weight = weight_of(problem, f, k, problem->weighted);
            along += weight * a * r[k];
            squares += weight * a * a;
        }
        if (squares == 0) continue;
        const double next = fmin(fmax(x[v] + along / squares, problem->bounds.least), problem->bounds.most);
        for (int k = 0; k < RAYS; k++) r[k] -= problem->matrix[k][v] * (next - x[v]);
        x[v] = next;
    }
}

/* Aᵀ of rows that the ramp h(0) = 1/4, h(n) = −1/(π²n²) for odd n, has filtered. */
static void fbp(const Problem *problem, int f, bool weighted, int64_t iterations, double *x)
{
    double q[RAYS] = {0};
    (void)weighted;
    (void)iterations;
    for (int k = 0; k < ANGLES; k++) {
        const double before = k > 0 ? angle_rad[k - 1] : angle_rad[ANGLES - 1] - M_PI;
        const double after = k < ANGLES - 1 ? angle_rad[k + 1] : angle_rad[0] + M_PI;
        for (int c = 0; c < COLUMNS; c++)
            for (int n = 0; n < COLUMNS; n++) {
                const double h = c == n ? 0.25 : (c - n) % 2 ? -1 / (M_PI * M_PI * (c - n) * (c - n)) : 0;
                const int ray = k * COLUMNS + n;
                q[k * COLUMNS + c] += (after - before) / 2 * h * (problem->undefined[f][ray] ? 0 : problem->b[f][ray]);
            }
    }
    for (int v = 0; v < VOXELS; v++) x[v] = of_voxel(problem, v, q);
}

/* ---- tests ---- */

/* Compares each of the first iterates, or the only result, with those of a reference, for all slices. */
static void compare(const SinoSolver *solver, int64_t subsets,
                    void (*reference)(const Problem *problem, int f, bool weighted, int64_t iterations, double *x))
{
    Problem *problem = new_problem(subsets);
    const int64_t first = solver->iterative ? 1 : 0, last = solver->iterative ? 4 : 0;
    if (solver->normal) memset(problem->undefined, 0, sizeof problem->undefined); /* each ray has a value */
    for (int64_t iterations = first; iterations <= last; iterations++) {
        solve(problem, solver, iterations);
        for (int f = 0; f < SLICES; f++) {
            double x[VOXELS];
            reference(problem, f, solver->weighted, iterations, x);
            assert_slice(problem, f, x, iterations);
        }
    }
    free_problem(problem);
}

static void cg_minimises_squares(void **state)
{
    (void)state;
    compare(&sino_solver_cg, 1, cg);
    compare(&sino_solver_cg_weighted, 1, cg);
    compare(&sino_solver_cg_normal, 1, cg);
}

static void sirt_takes_its_steps(void **state)
{
    (void)state;
    compare(&sino_solver_sirt, 1, sirt);
    compare(&sino_solver_sirt_given, 1, sirt);
}

static void mlem_and_osem_multiply(void **state)
{
    (void)state;
    compare(&sino_solver_mlem, 1, osem);
    for (int64_t subsets = 2; subsets <= SUBSETS_MOST; subsets++) compare(&sino_solver_osem, subsets, osem);
}

static void fbp_filters_and_backprojects(void **state)
{
    (void)state;
    for (int64_t subsets = 1; subsets <= SUBSETS_MOST; subsets++) compare(sino_solver_fbp_of(subsets), subsets, fbp);
}

/* The bits do not depend on blocks, whether the operator adds them or has them together, in any order. */
static void fbp_by_blocks_has_the_bits_of_the_whole(void **state)
{
    static const int64_t reversed[ANGLES] = {5, 4, 3, 2, 1, 0}, order[ANGLES] = {0, 1, 2, 3, 4, 5};
    (void)state;
    for (int adds = 0; adds < 2; adds++) {
        double whole[SLICES][VOXELS];
        Problem *problem = new_problem(1);
        memset(problem->undefined, 0, sizeof problem->undefined);
        memcpy(problem->place, adds ? order : reversed, sizeof order);
        solve(problem, &sino_solver_fbp, 0);
        memcpy(whole, problem->x, sizeof whole);
        problem->op.kind = adds ? &adding : &dense;
        SinoExtent waiting = sino_extent_one(RAYS);
        if (adds) waiting = (SinoExtent){0};
        for (int64_t each = 1; each <= ANGLES; each++) {
            problem->op.problem.block_angles = each;
            problem->op.shape.extent[SINO_ROWS_BLOCK] = sino_operator_block(&problem->op.problem);
            problem->op.shape.extent[SINO_ROWS_WAITING] = waiting;
            memset(problem->x, 0, sizeof problem->x);
            solve(problem, &sino_solver_fbp_blocks, 0);
            assert_memory_equal(problem->x, whole, sizeof whole);
        }
        free_problem(problem);
    }
}

/* Many iterations without a prior end at the minimum, with bounds and without, with given weights and without. */
static void fista_finds_the_minimum(void **state)
{
    static const SinoSolver *const solvers[] = {&sino_solver_fista_normal, &sino_solver_fista, &sino_solver_fista};
    static const SinoBounds bounds[] = {{-INFINITY, INFINITY}, {0, INFINITY}, {-0.05, 0.15}};
    enum { ITERATIONS = 600 };
    (void)state;
    for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++) {
        Problem *problem = new_problem(1);
        problem->weighted = s == 2;
        if (solvers[s]->normal) memset(problem->undefined, 0, sizeof problem->undefined);
        for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
            problem->bounds = bounds[i];
            solve(problem, solvers[s], ITERATIONS);
            for (int f = 0; f < SLICES; f++) {
                double x[VOXELS];
                minimum(problem, f, x);
                assert_slice(problem, f, x, ITERATIONS);
            }
        }
        free_problem(problem);
    }
}

TESTING_SUBJECT(solvers)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cg_minimises_squares),    cmocka_unit_test(sirt_takes_its_steps),
        cmocka_unit_test(mlem_and_osem_multiply),  cmocka_unit_test(fbp_filters_and_backprojects),
        cmocka_unit_test(fista_finds_the_minimum), cmocka_unit_test(fbp_by_blocks_has_the_bits_of_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
