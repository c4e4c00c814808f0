/* SPDX-License-Identifier: BSD-3-Clause */
/* Halves of the normal operator: operators of a part of the angles, and trials by them. */
#include "halves_private.h"

#include "memory.h"
#include "simulation.h"
#include "solve.h"

#include <stdlib.h>

/* The angles that slices of a half have, and those that they lack. */
typedef struct Half {
    int64_t kept_count, lacking_count;
    int64_t *kept, *lacking;        /* numbers of angles of the scan */
    double *kept_rad, *lacking_rad; /* in the same order */
    SinoOperator *normal, *predictor;
} Half;

struct SinoHalvesNormal {
    Half half[SINO_HALVES];
};

static SinoStatus divide(const SinoProblem *problem, int h, Half *half)
{
    const int64_t count = problem->geometry.angle_count, parts = sino_halves_parts(count);
    SINO_TRY(sino_allocate(count, sizeof *half->kept, "angles", &half->kept));
    SINO_TRY(sino_allocate(count, sizeof *half->lacking, "angles", &half->lacking));
    SINO_TRY(sino_allocate(count, sizeof *half->kept_rad, "angles", &half->kept_rad));
    SINO_TRY(sino_allocate(count, sizeof *half->lacking_rad, "angles", &half->lacking_rad));
    for (int64_t k = 0; k < count; k++) {
        const bool lacks = k % parts == h * (parts / SINO_HALVES);
        if (lacks) half->lacking_rad[half->lacking_count] = problem->geometry.angle_rad[k];
        if (lacks) half->lacking[half->lacking_count++] = k;
        if (!lacks) half->kept_rad[half->kept_count] = problem->geometry.angle_rad[k];
        if (!lacks) half->kept[half->kept_count++] = k;
    }
    return NULL;
}

/* One partition, so that the voxels of all operators lie in the same order. */
static SinoStatus open_operator(SinoRuntime *runtime, const SinoProblem *problem, SinoProjector projector, bool idle,
                                int64_t count, const double *angle_rad, SinoOperator **op)
{
    SinoOperatorRequest request = {
        .problem = *problem, .division = {.topology = {1, 1, 1, 1}, .mean_weight = 1}, .shape = SINO_EXCHANGE_ALONE(1)};
    request.problem.projector = projector;
    request.problem.subset_count = 1;
    request.problem.interpolation = SINO_INTERPOLATION_CUBIC; /* a coarser one blurs what is predicted */
    request.problem.geometry.angle_count = count;
    request.problem.geometry.angle_rad = angle_rad;
    request.shape.first_process = sino_processes_rank(sino_runtime_processes(runtime));
    request.shape.idle = idle;
    return sino_operator_new(runtime, &request, op);
}

SinoProjector sino_halves_normal_predictor(void)
{
    int i = 0;
    while (!sino_operator_unstored(i)->project) i++;
    return sino_operator_unstored(i)->projector;
}

static SinoStatus open_half(SinoRuntime *runtime, const SinoProblem *problem, bool idle, int h, Half *half)
{
    SINO_TRY(divide(problem, h, half));
    SINO_TRY(
        open_operator(runtime, problem, problem->projector, idle, half->kept_count, half->kept_rad, &half->normal));
    return open_operator(runtime, problem, sino_halves_normal_predictor(), idle, half->lacking_count, half->lacking_rad,
                         &half->predictor);
}

SinoStatus sino_halves_normal_new(SinoRuntime *runtime, const SinoProblem *problem, bool idle,
                                  SinoHalvesNormal **normal)
{
    SinoHalvesNormal *made = NULL;
    SINO_TRY(sino_allocate(1, sizeof *made, "the search", &made));
    SinoStatus status = NULL;
    for (int h = 0; h < SINO_HALVES && !status; h++) status = open_half(runtime, problem, idle, h, &made->half[h]);
    if (status)
        sino_halves_normal_free(made);
    else
        *normal = made;
    return status;
}

void sino_halves_normal_free(SinoHalvesNormal *normal)
{
    if (!normal) return;
    for (int h = 0; h < SINO_HALVES; h++) {
        sino_operator_free(normal->half[h].normal);
        sino_operator_free(normal->half[h].predictor);
        free(normal->half[h].kept);
        free(normal->half[h].lacking);
        free(normal->half[h].kept_rad);
        free(normal->half[h].lacking_rad);
    }
    free(normal);
}

/* ---- trials ---- */

/* The minibatches of a half, one for each step, and what their projections are written to. */
typedef struct HalfTrial {
    SinoHalvesSearch *search;
    const Half *half;
    SinoSolverRun run;
    int64_t lowest, count;
    SinoMinibatch *minibatch[SINO_HALVES_STEPS];
    SinoOperatorWork *work[SINO_HALVES_STEPS];
    SinoData *projection[SINO_HALVES_STEPS];
} HalfTrial;

static SinoStatus fill(const HalfTrial *trial, SinoMinibatch *minibatch)
{
    const int64_t columns = trial->run.op->problem.geometry.column_count, stride = minibatch->slices.stride;
    void *memory;
    SINO_TRY(sino_data_acquire(minibatch->vector[0][0], SINO_WRITE, &memory));
    float *b = memory;
    const int64_t count = SINO_SIMULATES ? 0 : trial->half->kept_count;
    for (int64_t i = 0; i < count * columns * stride; i++) b[i] = 0;
    for (int64_t i = 0; i < count; i++) {
        const float *from = trial->search->sinogram + trial->half->kept[i] * columns;
        const int64_t row = trial->run.op->place[i] * columns;
        for (int64_t c = 0; c < columns; c++)
            b[sino_panel_element(minibatch->slices, trial->half->kept_count * columns, row + c, 0)] = from[c];
    }
    sino_data_release(minibatch->vector[0][0]);
    return NULL;
}

/* Submits the iterations of step `lowest` + i, and the projection at the angles that the slice lacks. */
static SinoStatus begin(HalfTrial *trial, int64_t i)
{
    const SinoHalvesSearch *search = trial->search;
    const SinoSolver *solver = search->of.solver;
    const SinoOperator *predictor = trial->half->predictor;
    const int64_t rows = sino_times(trial->half->lacking_count, predictor->problem.geometry.column_count);
    SinoMinibatch *minibatch = trial->minibatch[i];
    void *state;
    SINO_TRY(fill(trial, minibatch));
    SINO_TRY(solver->start(&trial->run, minibatch));
    SINO_TRY(sino_data_acquire(minibatch->state, SINO_READ_WRITE, &state));
    sino_update_strengthen(state, sino_halves_strength(search, trial->lowest + i));
    sino_data_release(minibatch->state);
    SINO_TRY(sino_solve_iterations(solver, &trial->run, minibatch, 1, trial->run.iterations));
    SINO_TRY(sino_operator_work_new(predictor, &minibatch->slices, i, false, &trial->work[i]));
    SINO_TRY(sino_data_vector(search->run.runtime, "predicted projections", rows, minibatch->slices.stride,
                              sizeof(float), &trial->projection[i]));
    const SinoProduct product = {.position = sino_minibatch_at(minibatch, trial->run.iterations, -1),
                                 .slices = minibatch->slices};
    return predictor->kind->project(trial->work[i], &product, minibatch->vector[solver->vectors.tomogram],
                                    trial->projection[i]);
}

static SinoStatus begin_all(HalfTrial *trial)
{
    const SinoHalvesSearch *search = trial->search;
    for (int64_t i = 0; i < trial->count; i++) {
        const SinoMinibatchRequest request = {
            .op = trial->run.op,
            .vectors = &search->of.solver->vectors,
            .slices = {.precision = SINO_SINGLE, .stride = trial->run.stride, .slice_count = 1},
            .history_numbers = trial->run.iterations + 1,
            .number = i};
        SINO_TRY(sino_minibatch_new(search->run.runtime, &request, &trial->minibatch[i]));
        SINO_TRY(begin(trial, i));
    }
    return NULL;
}

static SinoStatus use_all(const HalfTrial *trial, SinoUsePrediction *use)
{
    const SinoOperator *predictor = trial->half->predictor;
    const int64_t columns = predictor->problem.geometry.column_count, rows = trial->half->lacking_count * columns;
    for (int64_t i = 0; i < trial->count; i++) {
        void *value;
        SINO_TRY(sino_data_acquire(trial->projection[i], SINO_READ, &value));
        for (int64_t k = 0; k < trial->half->lacking_count; k++)
            use(trial->search, trial->lowest + i, trial->half->lacking[k], trial->minibatch[i]->slices, rows,
                predictor->place[k] * columns, value);
        sino_data_release(trial->projection[i]);
    }
    return NULL;
}

static SinoStatus try_half(SinoHalvesSearch *search, const Half *half, int64_t lowest, int64_t count,
                           SinoUsePrediction *use)
{
    const SinoSolver *solver = search->of.solver;
    HalfTrial trial = {.search = search, .half = half, .run = search->run, .lowest = lowest, .count = count};
    trial.run.op = half->normal;
    trial.run.stride = sino_panel_stride(SINO_SINGLE, 1);
    trial.run.lacking = 0;
    trial.run.own = NULL;
    SinoStatus status = solver->prepare(&trial.run);
    if (!status) status = begin_all(&trial);
    if (!status) status = use_all(&trial, use);
    status = sino_runtime_wait_after(search->run.runtime, status);
    for (int64_t i = 0; i < count; i++) {
        sino_data_free(trial.projection[i]);
        sino_operator_work_free(trial.work[i]);
        sino_minibatch_free(trial.minibatch[i]);
    }
    solver->release(&trial.run);
    return status;
}

SinoStatus sino_halves_normal_try(SinoHalvesSearch *search, int64_t lowest, int64_t count, SinoUsePrediction *use)
{
    const SinoHalvesNormal *normal = search->of.normal;
    for (int h = 0; h < SINO_HALVES; h++) SINO_TRY(try_half(search, &normal->half[h], lowest, count, use));
    return NULL;
}
