/* SPDX-License-Identifier: BSD-3-Clause */
/* Align, level: averages a scan, and predicts its projections. */
#include "align_level.h"

#include "cone_scan.h"
#include "job_kind.h"
#include "memory.h"
#include "solve.h"
#include "stages.h"
#include "stages_tasks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ITERATIONS = 8,     /* of CG: as smooth as what moves */
    MARGIN_SHARE = 8,   /* the volume is wider by such a share, and higher by twice as much */
    ROWS_READ = 8,      /* averaged, at a time */
    FLOATS_PER_RAY = 4, /* the scan twice, the solver's two vectors; and the predictions */
    FLOATS_PER_VOXEL = 4,
    PREDICTIONS = SINO_REGISTER_PREDICTIONS
};

typedef SinoAlignLevel Level;

int64_t sino_align_level_angles(const Level *level)
{
    return level->input.geometry.angle_count;
}

static int64_t pixels_of(const SinoInput *input)
{
    return sino_times(input->geometry.column_count, input->slice_count);
}

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
    for (int64_t k = 0; k < sino_align_level_angles(level); k++)
        level->base[k] = input->view            ? coarser(&input->view[k], factor)
                         : cone.angle_count > 0 ? sino_cone_orbit_view(&cone, cone.angle_rad[k])
                                                : parallel_view(&level->input, center, input->geometry.angle_rad[k]);
    memcpy(level->view, level->base, (size_t)sino_align_level_angles(level) * sizeof *level->view);
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

SinoStatus sino_align_level_new(SinoRuntime *runtime, const SinoSettings *settings, const SinoInput *input,
                                int64_t factor, Level *level)
{
    const int64_t angles = input->geometry.angle_count;
    *level = (Level){.runtime = runtime, .settings = settings, .input = averaged(input, factor)};
    SINO_TRY(sino_allocate(angles, sizeof *level->base, "vectors", &level->base));
    SINO_TRY(sino_allocate(sino_times(PREDICTIONS, angles), sizeof *level->view, "vectors", &level->view));
    SINO_TRY(sino_allocate(angles, sizeof *level->shift, "shifts", &level->shift));
    SINO_TRY(sino_allocate(angles, sizeof *level->turn, "turns", &level->turn));
    SINO_TRY(sino_allocate(angles, sizeof *level->first, "shifts", &level->first));
    SINO_TRY(sino_allocate(angles, sizeof *level->result, "shifts", &level->result));
    SINO_TRY(sino_allocate(angles, sizeof *level->centroid, "shifts", &level->centroid));
    SINO_TRY(sino_allocate(sino_times(angles, pixels_of(&level->input)), sizeof *level->rays, "line integrals",
                           &level->rays));
    return base_views(input, factor, level);
}

void sino_align_level_free(Level *level)
{
    free(level->base);
    free(level->view);
    free(level->rays);
    free(level->shift);
    free(level->turn);
    free(level->first);
    free(level->result);
    free(level->centroid);
}

/* Some rows at a time. */
SinoStatus sino_align_level_read(Level *level)
{
    const SinoInput *input = &level->input;
    const int64_t columns = input->geometry.column_count, rows = input->slice_count,
                  rays = sino_align_level_angles(level) * columns;
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

/* The part that is read is there as counts, as sinograms, and in order. */
int64_t sino_align_level_read_bytes(const Level *level)
{
    const SinoInput *input = &level->input;
    const int64_t angles = sino_align_level_angles(level), count = sino_smaller(ROWS_READ, input->slice_count);
    const int64_t row = sino_times(sino_times(angles, input->geometry.column_count), (int64_t)sizeof(float));
    return sino_times(row, input->slice_count) + sino_times(row, count + sino_panel_stride(SINO_SINGLE, count)) +
           sino_input_slab_bytes(input, angles, count) + sino_input_fields_bytes(input, count);
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

void sino_align_level_average(const Level *fine, int64_t factor, Level *coarse)
{
    const int64_t columns = coarse->input.geometry.column_count, rows = coarse->input.slice_count;
    const int64_t fine_columns = fine->input.geometry.column_count, fine_rows = fine->input.slice_count;
    for (int64_t k = 0; k < sino_align_level_angles(coarse); k++)
        for (int64_t c = 0; c < columns; c++)
            for (int64_t r = 0; r < rows; r++)
                coarse->rays[(k * columns + c) * rows + r] =
                    mean_of(fine->rays + (k * fine_columns + c * factor) * fine_rows + r * factor, fine_rows, factor);
}

/* By which views are turned to be compared: a pixel at the edge of the detector. */
static double turn_rad(const Level *level)
{
    return 2.0 / (double)level->input.geometry.column_count;
}

static SinoStatus insert_registers(Level *level, SinoCentroid *centroid, SinoData *const predicted[PREDICTIONS])
{
    const int64_t angles = sino_align_level_angles(level), step = sino_ceil_divide(angles, 16);
    for (int64_t k = 0; k < angles; k += step) {
        const SinoRegister wanted = {.first = k,
                                     .count = sino_smaller(step, angles - k),
                                     .column_count = level->input.geometry.column_count,
                                     .row_count = level->input.slice_count,
                                     .measured = level->rays,
                                     .turn_rad = turn_rad(level),
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
    memcpy(memory, level->rays,
           (size_t)(sino_align_level_angles(level) * pixels_of(&level->input)) * sizeof *level->rays);
    sino_data_release(minibatch->vector[0][0]);
    return NULL;
}

/* What is opened for a round: of the views, and of pitched and rolled ones. */
typedef struct Prediction {
    SinoCone cone;
    SinoOperator *op;
    SinoOperatorWork *own; /* NULL: works in the minibatch's */
} Prediction;

typedef struct Round {
    int predictions;
    Prediction prediction[PREDICTIONS];
    SinoData *predicted[PREDICTIONS];
    SinoMinibatch *minibatch;
    SinoSolverRun run;
} Round;

static SinoView moved(const Level *level, int64_t k, int prediction)
{
    SinoViewTurn turn = level->turn[k];
    if (prediction == 1) turn.pitch += turn_rad(level);
    if (prediction == 2) turn.roll += turn_rad(level);
    SinoView view = turn.pitch != 0 || turn.roll != 0 ? sino_view_turned(turn, level->base[k]) : level->base[k];
    for (int i = 0; i < 3; i++)
        view.first[i] -= level->shift[k].column * view.column[i] + level->shift[k].row * view.row[i];
    return view;
}

static SinoStatus open_operator(Level *level, int i, Prediction *prediction)
{
    const int64_t angles = sino_align_level_angles(level);
    SinoView *view = level->view + i * angles;
    for (int64_t k = 0; k < angles; k++) view[k] = moved(level, k, i);
    prediction->cone = level->cone;
    prediction->cone.view = view;
    const SinoProblem problem = {
        .geometry = level->input.geometry, .cone = &prediction->cone, .precision = SINO_SINGLE, .subset_count = 1};
    const SinoOperatorRequest request = {.problem = problem, .shape = SINO_EXCHANGE_ALONE(1)};
    return sino_operator_new(level->runtime, &request, &prediction->op);
}

static SinoStatus insert_prediction(Level *level, const Prediction *prediction, SinoMinibatch *minibatch,
                                    SinoData **predicted)
{
    const SinoProduct product = {.position = SINO_NOWHERE, .slices = minibatch->slices};
    SINO_TRY(sino_data_vector(level->runtime, "predicted projections", sino_align_level_angles(level),
                              pixels_of(&level->input), sizeof(float), predicted));
    return prediction->op->kind->project(prediction->own ? prediction->own : minibatch->work, &product,
                                         minibatch->vector[sino_solver_cg.vectors.tomogram], *predicted);
}

static SinoStatus insert_round(Level *level, Round *round)
{
    const SinoSolver *solver = &sino_solver_cg;
    const SinoMinibatchRequest request = {.op = round->prediction[0].op,
                                          .vectors = &solver->vectors,
                                          .slices = {.precision = SINO_SINGLE, .stride = 1, .slice_count = 1},
                                          .history_numbers = ITERATIONS + 1};
    SINO_TRY(sino_minibatch_new(level->runtime, &request, &round->minibatch));
    SINO_TRY(fill(level, round->minibatch));
    SINO_TRY(solver->prepare(&round->run));
    SINO_TRY(solver->start(&round->run, round->minibatch));
    SINO_TRY(sino_solve_iterations(solver, &round->run, round->minibatch, 1, ITERATIONS));
    for (int i = 1; i < round->predictions; i++) {
        Prediction *prediction = &round->prediction[i];
        SINO_TRY(sino_operator_work_new(prediction->op, &round->minibatch->slices, i, false, &prediction->own));
    }
    for (int i = 0; i < round->predictions; i++)
        SINO_TRY(insert_prediction(level, &round->prediction[i], round->minibatch, &round->predicted[i]));
    return insert_registers(level, NULL, round->predicted);
}

static void close_round(Round *round)
{
    for (int i = 0; i < PREDICTIONS; i++) {
        sino_data_free(round->predicted[i]);
        sino_operator_work_free(round->prediction[i].own);
    }
    sino_minibatch_free(round->minibatch);
    sino_solver_cg.release(&round->run);
    for (int i = 0; i < PREDICTIONS; i++) sino_operator_free(round->prediction[i].op);
}

SinoStatus sino_align_level_predict(Level *level)
{
    SinoSettings plain = *level->settings;
    plain.solver.tolerance = plain.solver.support_ratio = 0;
    Round round = {.predictions = level->turns ? PREDICTIONS : 1,
                   .run = {.runtime = level->runtime, .settings = &plain, .stride = 1, .iterations = ITERATIONS}};
    SinoStatus status = NULL;
    for (int i = 0; i < round.predictions && !status; i++) status = open_operator(level, i, &round.prediction[i]);
    round.run.op = round.prediction[0].op;
    if (!status) status = sino_runtime_wait_after(level->runtime, insert_round(level, &round));
    close_round(&round);
    if (status) return status;
    double squares = 0, measured = 0;
    for (int64_t k = 0; k < sino_align_level_angles(level); k++) {
        squares += level->result[k].squares;
        measured += level->result[k].measured;
    }
    level->residual = measured > 0 ? sqrt(squares / measured) : 0;
    level->rounds++;
    return NULL;
}

SinoStatus sino_align_level_centroids(Level *level)
{
    return sino_runtime_wait_after(level->runtime,
                                   insert_registers(level, level->centroid, (SinoData *[PREDICTIONS]){NULL}));
}

double sino_align_level_bytes(const SinoInput *input, int64_t factor, bool turns)
{
    const int64_t columns = input->geometry.column_count / factor, rows = input->slice_count / factor;
    return (double)sizeof(float) * (double)columns * (double)rows *
           ((FLOATS_PER_RAY + (turns ? PREDICTIONS : 1)) * (double)input->geometry.angle_count +
            FLOATS_PER_VOXEL * (double)columns);
}
