/* SPDX-License-Identifier: BSD-3-Clause */
/* Align: finds how far each projection of a scan lies from its place on the detector. */
#include "align.h"

#include "align_gauge.h"
#include "arithmetic.h"
#include "center_search.h"
#include "cone_scan.h"
#include "job_kind.h"
#include "memory.h"
#include "register_task.h"
#include "solve.h"
#include "stages.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FINE_COLUMNS = 256, /* of averaged pixels, at most */
    LEAST_ROWS = 8,     /* and columns of a scan that is aligned */
    LEAST_COLUMNS = 32, /* of the coarser of two levels */
    ITERATIONS = 8,     /* of CG: as smooth as what moves */
    COARSE_ROUNDS = 12,
    FINE_ROUNDS = 6,
    MARGIN_SHARE = 8,   /* the volume is wider by such a share, and higher by twice as much */
    ROWS_READ = 8,      /* averaged, at a time */
    FLOATS_PER_RAY = 5, /* the scan twice, the solver's two vectors, the prediction */
    FLOATS_PER_VOXEL = 4
};

/* Steps below this root mean square, in averaged pixels, are the last; the share by which the residual has to fall. */
static const double last_step = 0.01, least_fall = 0.02;

/* Error of a centroid that is trusted, in averaged pixels; and by how much a step is smaller than the one before. */
static const double most_error = 0.1, most_step = 0.6;

/* Averaged pixels. */
typedef struct Level {
    SinoRuntime *runtime;
    const SinoSettings *settings;
    SinoInput input;       /* of averaged pixels; owns nothing, but `base` is its view */
    SinoView *base, *view; /* [angle]: unshifted, and shifted by `shift`; owned */
    SinoCone cone;
    float *rays;            /* [angle][column][row]; owned */
    SinoShift *shift;       /* [angle], averaged pixels; owned */
    SinoShift *first;       /* [angle]: of a refinement; owned */
    SinoRegistered *result; /* [angle]; owned */
    SinoCentroid *centroid; /* [angle]; owned */
    bool axis;              /* is searched afterwards */
    double residual;        /* of the shifts that were predicted by last */
    int64_t rounds;
} Level;

static void free_level(Level *level)
{
    free(level->base);
    free(level->view);
    free(level->rays);
    free(level->shift);
    free(level->first);
    free(level->result);
    free(level->centroid);
}

static int64_t angles_of(const Level *level)
{
    return level->input.geometry.angle_count;
}

static int64_t pixels_of(const SinoInput *input)
{
    return sino_times(input->geometry.column_count, input->slice_count);
}

/* ---- the geometry ---- */

static SinoInput averaged(const SinoInput *input, int64_t factor)
{
    SinoInput coarse = *input;
    coarse.binning *= factor;
    coarse.geometry.column_count /= factor;
    coarse.slice_count /= factor;
    coarse.column_count = sino_times(coarse.geometry.column_count, coarse.binning);
    coarse.row_count = sino_times(coarse.slice_count, coarse.binning);
    coarse.geometry.grid_size = sino_ceil_divide(input->geometry.grid_size, factor);
    coarse.geometry.margin = 0;
    return coarse;
}

/* `factor` times as large pixels. */
static SinoView coarser(const SinoView *view, int64_t factor)
{
    const double half = (double)(factor - 1) / 2;
    SinoView coarse = *view;
    for (int i = 0; i < 3; i++) {
        coarse.first[i] += half * (view->column[i] + view->row[i]);
        coarse.column[i] *= (double)factor;
        coarse.row[i] *= (double)factor;
    }
    return coarse;
}

/* Of a parallel beam, in pixels. */
static SinoView parallel_view(const SinoInput *input, double center, double angle_rad)
{
    const double c = cos(angle_rad), s = sin(angle_rad), row = (double)(input->slice_count - 1) / 2;
    return (SinoView){.source = {-s, c, 0},
                      .first = {-center * c, -center * s, -row},
                      .column = {c, s, 0},
                      .row = {0, 0, 1},
                      .parallel = 1};
}

/* Of the averaged input. An axis that is searched afterwards is in the middle for now. */
static SinoStatus base_views(const SinoInput *input, int64_t factor, Level *level)
{
    const SinoJobKind *job = sino_job_kind(level->settings);
    double center = (double)(level->input.geometry.column_count - 1) / 2;
    SinoSettings plain = *level->settings;
    SinoCone cone = {0};
    plain.geometry.volume = (SinoVolumeShape){0};
    plain.geometry.voxel_size_mm = 0;
    level->axis = !input->view && isnan(level->settings->center.rotation_axis);
    if (!level->axis && !input->view)
        center = sino_input_column_of_grid(&level->input, level->settings->center.rotation_axis);
    if (!input->view && job->beam == SINO_BEAM_CONE) SINO_TRY(sino_cone_scan(&plain, &level->input, center, &cone));
    for (int64_t k = 0; k < angles_of(level); k++)
        level->base[k] = input->view            ? coarser(&input->view[k], factor)
                         : cone.angle_count > 0 ? sino_cone_orbit_view(&cone, cone.angle_rad[k])
                                                : parallel_view(&level->input, center, input->geometry.angle_rad[k]);
    level->input.view = level->base;
    SINO_TRY(sino_cone_scan(&plain, &level->input, center, &level->cone));
    /* Room for what shifted projections see beside the others. */
    const int64_t room = sino_ceil_divide(level->cone.x_count, MARGIN_SHARE);
    level->cone.x_count += room;
    level->cone.y_count += room;
    level->cone.z_count += 2 * room;
    level->cone.view = level->view;
    return NULL;
}

static SinoStatus new_level(SinoRuntime *runtime, const SinoSettings *settings, const SinoInput *input, int64_t factor,
                            Level *level)
{
    const int64_t angles = input->geometry.angle_count;
    *level = (Level){.runtime = runtime, .settings = settings, .input = averaged(input, factor)};
    SINO_TRY(sino_allocate(angles, sizeof *level->base, "vectors", &level->base));
    SINO_TRY(sino_allocate(angles, sizeof *level->view, "vectors", &level->view));
    SINO_TRY(sino_allocate(angles, sizeof *level->shift, "shifts", &level->shift));
    SINO_TRY(sino_allocate(angles, sizeof *level->first, "shifts", &level->first));
    SINO_TRY(sino_allocate(angles, sizeof *level->result, "shifts", &level->result));
    SINO_TRY(sino_allocate(angles, sizeof *level->centroid, "shifts", &level->centroid));
    SINO_TRY(sino_allocate(sino_times(angles, pixels_of(&level->input)), sizeof *level->rays, "line integrals",
                           &level->rays));
    return base_views(input, factor, level);
}

/* ---- the rays ---- */

/* Reads some rows at a time. */
static SinoStatus read_rays(Level *level)
{
    const SinoInput *input = &level->input;
    const int64_t columns = input->geometry.column_count, rows = input->slice_count, rays = angles_of(level) * columns;
    for (int64_t first = 0; first < rows; first += ROWS_READ) {
        const int64_t count = sino_smaller(ROWS_READ, rows - first);
        float *part;
        SINO_TRY(sino_stages_read(level->runtime, input, false, true, first, count, &part));
        for (int64_t j = 0; j < count; j++)
            for (int64_t i = 0; i < rays; i++) level->rays[i * rows + first + j] = part[j * rays + i];
        free(part);
    }
    return NULL;
}

/* The mean of the pixels with a value. */
static float mean_of(const float *rays, int64_t rows, int64_t factor)
{
    double sum = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < factor; i++)
        for (int64_t j = 0; j < factor; j++) {
            const float value = rays[i * rows + j];
            if (value == 0 && signbit(value)) continue;
            sum += (double)value;
            count++;
        }
    return count > 0 ? (float)(sum / (double)count) + 0.0F : -0.0F;
}

static void average_rays(const Level *fine, int64_t factor, Level *coarse)
{
    const int64_t columns = coarse->input.geometry.column_count, rows = coarse->input.slice_count;
    const int64_t fine_columns = fine->input.geometry.column_count, fine_rows = fine->input.slice_count;
    for (int64_t k = 0; k < angles_of(coarse); k++)
        for (int64_t c = 0; c < columns; c++)
            for (int64_t r = 0; r < rows; r++)
                coarse->rays[(k * columns + c) * rows + r] =
                    mean_of(fine->rays + (k * fine_columns + c * factor) * fine_rows + r * factor, fine_rows, factor);
}

/* ---- a round ---- */

static SinoStatus insert_registers(Level *level, SinoCentroid *centroid, SinoData *predicted)
{
    const int64_t angles = angles_of(level), step = sino_ceil_divide(angles, 16);
    for (int64_t k = 0; k < angles; k += step) {
        const SinoRegister wanted = {.first = k,
                                     .count = sino_smaller(step, angles - k),
                                     .column_count = level->input.geometry.column_count,
                                     .row_count = level->input.slice_count,
                                     .measured = level->rays,
                                     .centroid = centroid,
                                     .result = level->result};
        SINO_TRY(sino_insert_register(level->runtime, &wanted, predicted));
    }
    return NULL;
}

static SinoStatus fill(const Level *level, SinoMinibatch *minibatch)
{
    void *memory;
    SINO_TRY(sino_data_acquire(minibatch->vector[0][0], SINO_WRITE, &memory));
    memcpy(memory, level->rays, (size_t)(angles_of(level) * pixels_of(&level->input)) * sizeof *level->rays);
    sino_data_release(minibatch->vector[0][0]);
    return NULL;
}

/* What is opened for a round. */
typedef struct Round {
    SinoOperator *op;
    SinoMinibatch *minibatch;
    SinoData *predicted;
    SinoSolverRun run;
} Round;

static SinoStatus insert_round(Level *level, Round *round)
{
    const SinoSolver *solver = &sino_solver_cg;
    const SinoMinibatchRequest request = {.op = round->op,
                                          .vectors = &solver->vectors,
                                          .slices = {.precision = SINO_SINGLE, .stride = 1, .slice_count = 1},
                                          .history_numbers = ITERATIONS + 1};
    SINO_TRY(sino_minibatch_new(level->runtime, &request, &round->minibatch));
    SinoMinibatch *minibatch = round->minibatch;
    SINO_TRY(fill(level, minibatch));
    SINO_TRY(solver->prepare(&round->run));
    SINO_TRY(solver->start(&round->run, minibatch));
    SINO_TRY(sino_solve_iterations(solver, &round->run, minibatch, 1, ITERATIONS));
    SINO_TRY(sino_data_vector(level->runtime, "predicted projections", angles_of(level), pixels_of(&level->input),
                              sizeof(float), &round->predicted));
    const SinoProduct product = {.position = SINO_NOWHERE, .slices = minibatch->slices};
    SINO_TRY(round->op->kind->project(minibatch->work, &product, minibatch->vector[solver->vectors.tomogram],
                                      round->predicted));
    return insert_registers(level, NULL, round->predicted);
}

/* Solves with the shifts, and registers what the volume predicts. */
static SinoStatus predict(Level *level)
{
    SinoSettings plain = *level->settings;
    plain.solver.tolerance = plain.solver.support_ratio = 0;
    const SinoProblem problem = {
        .geometry = level->input.geometry, .cone = &level->cone, .precision = SINO_SINGLE, .subset_count = 1};
    const SinoOperatorRequest request = {.problem = problem, .shape = SINO_EXCHANGE_ALONE(1)};
    Round round = {.run = {.runtime = level->runtime, .settings = &plain, .stride = 1, .iterations = ITERATIONS}};
    for (int64_t k = 0; k < angles_of(level); k++) {
        level->view[k] = level->base[k];
        for (int i = 0; i < 3; i++)
            level->view[k].first[i] -=
                level->shift[k].column * level->base[k].column[i] + level->shift[k].row * level->base[k].row[i];
    }
    SINO_TRY(sino_operator_new(level->runtime, &request, &round.op));
    round.run.op = round.op;
    SinoStatus status = sino_runtime_wait_after(level->runtime, insert_round(level, &round));
    sino_data_free(round.predicted);
    sino_minibatch_free(round.minibatch);
    sino_solver_cg.release(&round.run);
    sino_operator_free(round.op);
    if (status) return status;
    double squares = 0, measured = 0;
    for (int64_t k = 0; k < angles_of(level); k++) {
        squares += level->result[k].squares;
        measured += level->result[k].measured;
    }
    level->residual = measured > 0 ? sqrt(squares / measured) : 0;
    level->rounds++;
    return NULL;
}

/* ---- rounds ---- */

static void copy(const Level *level, const SinoShift *from, SinoShift *to)
{
    memcpy(to, from, (size_t)angles_of(level) * sizeof *to);
}

/* Adds the steps to the shifts; returns their root mean square, without what moves the object. */
static double take_steps(Level *level, const SinoShift *before)
{
    double squares = 0;
    for (int64_t k = 0; k < angles_of(level); k++) {
        level->shift[k].column += level->result[k].step.column;
        level->shift[k].row += level->result[k].step.row;
    }
    sino_align_fix_gauge(angles_of(level), level->base, false, level->shift);
    for (int64_t k = 0; k < angles_of(level); k++)
        squares += pow(level->shift[k].column - before[k].column, 2) + pow(level->shift[k].row - before[k].row, 2);
    return sqrt(squares / 2 / (double)angles_of(level));
}

/* Goes on from shifts whose prediction is registered, while the residual falls and steps are not small. `best` becomes
 * the shifts with the least residual, *least. Of `trusted` shifts steps have to become smaller soon: else something
 * else than shifts makes them, such as small turns of the object, and the first shifts stay. */
static SinoStatus refine(Level *level, int rounds, bool trusted, SinoShift *best, double *least)
{
    const double first = level->residual;
    double before = INFINITY;
    copy(level, level->shift, best);
    copy(level, level->shift, level->first);
    *least = first;
    for (int i = 0; i < rounds && before >= last_step; i++) {
        const double step = take_steps(level, best);
        if (trusted && step > most_step * before) {
            copy(level, level->first, best);
            *least = first;
            break;
        }
        SINO_TRY(predict(level));
        sino_log_detail(sino_runtime_log(level->runtime), "align",
                        "pixels averaged by %" PRId64 ", round %d: step %.3g, residual %.5g", level->input.binning, i,
                        step, level->residual);
        if (!(level->residual < *least)) break;
        copy(level, level->shift, best);
        *least = level->residual;
        before = step;
    }
    return NULL;
}

/* Whether the centroids tell the shifts. Of parallel rays all projections of an object that no edge cuts off have the
 * same sum. Noise and whatever else makes sums differ moves the centroid by as large a share of the detector. */
static bool trusts(const Level *level, const SinoCentroid *centroid)
{
    const double angles = (double)angles_of(level), columns = (double)level->input.geometry.column_count;
    double mean = 0, variance = 0;
    for (int64_t k = 0; k < angles_of(level); k++) {
        if (!level->base[k].parallel) return false;
        mean += centroid[k].sum / angles;
    }
    for (int64_t k = 0; k < angles_of(level); k++) variance += pow(centroid[k].sum - mean, 2) / angles;
    return mean > 0 && sqrt(variance) / mean * columns / sqrt(12) < most_error;
}

/* The shifts of the centroids, with which the prediction is registered, or none if that is better; *none: the residual
 * without shifts. */
static SinoStatus begin(Level *level, SinoCentroid *centroid, double *none, bool *trusted)
{
    const int64_t angles = angles_of(level);
    SINO_TRY(predict(level));
    *none = level->residual;
    SINO_TRY(sino_runtime_wait_after(level->runtime, insert_registers(level, centroid, NULL)));
    for (int64_t k = 0; k < angles; k++) level->shift[k] = sino_align_from_middle(&level->base[k], centroid[k].place);
    sino_align_fix_gauge(angles, level->base, false, level->shift);
    SINO_TRY(predict(level));
    sino_log_detail(sino_runtime_log(level->runtime), "align", "residual %.5g without shifts, %.5g by centroids", *none,
                    level->residual);
    *trusted = trusts(level, centroid);
    if (level->residual < *none) return NULL;
    *trusted = false;
    for (int64_t k = 0; k < angles; k++) level->shift[k] = (SinoShift){0, 0};
    return predict(level);
}

static void hand_over(const Level *from, const SinoShift *shift, double ratio, Level *to)
{
    for (int64_t k = 0; k < angles_of(from); k++)
        to->shift[k] = (SinoShift){ratio * shift[k].column, ratio * shift[k].row};
}

/* The coarse level is the fine one if factor is 1. */
static SinoStatus search(Level *coarse, Level *fine, int64_t factor, SinoAligned *aligned)
{
    double least, first;
    bool trusted;
    SINO_TRY(begin(coarse, fine->centroid, &aligned->before, &trusted));
    SINO_TRY(refine(coarse, COARSE_ROUNDS, trusted, aligned->shift, &aligned->after));
    aligned->found = aligned->after < (1 - least_fall) * aligned->before;
    if (!aligned->found || factor == 1) return NULL;
    hand_over(coarse, aligned->shift, (double)factor, fine);
    SINO_TRY(predict(fine));
    first = fine->residual;
    SINO_TRY(refine(fine, FINE_ROUNDS, trusted, aligned->shift, &least));
    aligned->after *= first > 0 ? least / first : 1;
    return NULL;
}

/* Bytes of averages of `factor` pixels along each side. */
static double bytes_of(const SinoInput *input, int64_t factor)
{
    const int64_t columns = input->geometry.column_count / factor, rows = input->slice_count / factor;
    return (double)sizeof(float) * (double)columns * (double)rows *
           (FLOATS_PER_RAY * (double)input->geometry.angle_count + FLOATS_PER_VOXEL * (double)columns);
}

/* How many pixels are averaged, so that there are not more than FINE_COLUMNS, but LEAST_ROWS, and half of the memory
 * takes all. */
static SinoStatus choose_factor(const SinoInput *input, int64_t memory_bytes, int64_t *factor)
{
    const int64_t columns = input->geometry.column_count;
    const int64_t most = sino_smaller(sino_larger(columns / LEAST_COLUMNS, 1), input->slice_count / LEAST_ROWS);
    const int64_t wanted = sino_larger(sino_ceil_divide(columns, FINE_COLUMNS), 2);
    int64_t chosen = columns / 4 >= LEAST_COLUMNS ? sino_smaller(wanted, most) : 1;
    while (chosen < most && bytes_of(input, chosen) > (double)memory_bytes / 2) chosen++;
    SINO_CHECK(bytes_of(input, chosen) <= (double)memory_bytes / 2, SINO_BAD_INPUT,
               "--align is shifts, for which averages of %" PRId64 " x %" PRId64
               " pixels take %.3g bytes, and memory is %" PRId64 "; allowed: twice as much memory, or a file of shifts",
               chosen, chosen, bytes_of(input, chosen), memory_bytes);
    *factor = chosen;
    return NULL;
}

SinoStatus sino_align(SinoRuntime *runtime, const SinoSettings *settings, const SinoInput *input, int64_t memory_bytes,
                      SinoAligned *result)
{
    const int64_t angles = input->geometry.angle_count, columns = input->geometry.column_count;
    Level fine = {0}, coarse = {0};
    SinoAligned aligned = {0};
    int64_t factor;
    SINO_CHECK(angles >= 3 && columns >= LEAST_ROWS && input->slice_count >= LEAST_ROWS, SINO_BAD_INPUT,
               "--align is shifts, and the scan has %" PRId64 " projections of %" PRId64 " rows x %" PRId64
               " columns; allowed: 3 projections of 8 x 8 pixels, or more",
               angles, input->slice_count, columns);
    SINO_TRY(choose_factor(input, memory_bytes, &factor));
    const int64_t more = columns / factor / 2 >= LEAST_COLUMNS ? 2 : 1; /* of LEAST_ROWS rows, too */
    SINO_TRY(sino_allocate(angles, sizeof *aligned.shift, "shifts", &aligned.shift));
    SinoStatus status = new_level(runtime, settings, input, factor, &fine);
    if (!status) status = read_rays(&fine);
    if (!status && more > 1) status = new_level(runtime, settings, input, factor * more, &coarse);
    if (!status && more > 1) average_rays(&fine, more, &coarse);
    if (!status) status = search(more > 1 ? &coarse : &fine, &fine, more, &aligned);
    aligned.binning = fine.input.binning;
    aligned.rounds = fine.rounds + coarse.rounds;
    if (!status && aligned.found) sino_align_fix_gauge(angles, fine.base, fine.axis, aligned.shift);
    for (int64_t k = 0; k < angles && !status; k++) {
        const double ratio = aligned.found ? (double)aligned.binning : 0;
        aligned.shift[k] = (SinoShift){ratio * aligned.shift[k].column, ratio * aligned.shift[k].row};
    }
    free_level(&fine);
    free_level(&coarse);
    if (status)
        free(aligned.shift);
    else
        *result = aligned;
    return status;
}
