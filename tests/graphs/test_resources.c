/* SPDX-License-Identifier: BSD-3-Clause */
/* Resources: a run takes the bytes that its plan states. For random shapes the test allocates the slots of a run and
 * compares their bytes with the plan, which reads the same tables. */
#include "run_plan.h"
#include "testing.h"

#include <math.h>
#include <stdlib.h>

enum { SHAPES = 200 };

/* A number from low to high, the same ones every time. */
static int64_t number(uint64_t *seed, int64_t low, int64_t high)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return low + (int64_t)((*seed >> 33) % (uint64_t)(high - low + 1));
}

/* A scan, and what the user asks for. */
typedef struct Case {
    double *rad; /* owned */
    SinoPlanRequest request;
} Case;

static Case draw(uint64_t *seed)
{
    static const SinoPrecision precisions[] = {SINO_SINGLE, SINO_DOUBLE, SINO_HALF, SINO_MIXED};
    static const SinoAlgorithmChoice algorithms[] = {SINO_ALGORITHM_CG, SINO_ALGORITHM_SIRT, SINO_ALGORITHM_FBP};
    const int64_t angles = number(seed, 1, 60), columns = number(seed, 1, 90), slices = number(seed, 1, 70);
    Case made = {.rad = calloc((size_t)angles, sizeof *made.rad)};
    assert_non_null(made.rad);
    for (int64_t k = 0; k < angles; k++) made.rad[k] = M_PI * (double)k / (double)angles;
    const SinoSolver *solver =
        sino_solver_find(algorithms[number(seed, 0, 2)], SINO_PROJECTOR_RAYS, SINO_WEIGHTS_NONE, 2);
    made.request = (SinoPlanRequest){
        .job = {.problem = {.geometry = {angles, columns, columns, made.rad, (double)(columns - 1) / 2, 0},
                            .precision = precisions[number(seed, 0, 3)],
                            .symmetry = number(seed, 0, 1),
                            .subset_count = 1},
                .solver = solver,
                .history_columns = solver->iterative ? number(seed, 2, 40) : 1,
                .slice_count = slices,
                .slice_bytes = angles * columns * 2,
                .field_bytes = columns * 4,
                .fields_bytes = 2 * columns * 4,
                .field_images = 3},
        .choices = {.minibatch = number(seed, 0, 1) ? number(seed, 1, 40) : 0,
                    .topology = {number(seed, 1, 3), number(seed, 1, 2), number(seed, 1, 3)},
                    .direct = number(seed, 0, 3) == 0},
        .machine = {.worker_count = number(seed, 1, 4), .socket_count = 1, .memory_bytes = (int64_t)1 << 40},
        .rank_count = 1};
    made.request.job.history_numbers = made.request.job.history_columns * (solver->has_likelihood ? 2 : 1);
    return made;
}

/* Bytes of the slots, and of a solver's weights, of a run that keeps the plan. */
static int64_t allocated(SinoRuntime *runtime, const Case *made, const SinoRunPlan *plan)
{
    const SinoSolver *solver = made->request.job.solver;
    const SinoOperatorRequest wanted = {
        .problem = plan->problem, .division = plan->division, .shape = sino_run_plan_shape(plan, 0)};
    SinoOperator *op = NULL;
    SinoMinibatch *slot = NULL, *weights = NULL;
    assert_success(sino_operator_new(runtime, &wanted, &op));
    const int64_t before = sino_data_bytes(runtime);
    const SinoMinibatchRequest request = {
        .op = op,
        .vectors = &solver->vectors,
        .slices = {.precision = sino_precision_solver(plan->problem.precision), .stride = plan->streaming.stride},
        .history_numbers = made->request.job.history_numbers,
        .number = 1};
    assert_success(sino_minibatch_new(runtime, &request, &slot));
    const int64_t of_slot = sino_data_bytes(runtime) - before;
    SinoSolverRun run = {.runtime = runtime, .op = op};
    if (solver->weights) assert_success(sino_solver_new_weights(&run, solver->weights, &weights));
    const int64_t of_weights = sino_data_bytes(runtime) - before - of_slot;
    sino_minibatch_free(slot);
    sino_minibatch_free(weights);
    assert_int_equal(sino_data_bytes(runtime), before);
    assert_int_equal(op->nonzero_count > 0, plan->size.nonzero_count > 0.5);
    sino_operator_free(op);
    return plan->streaming.slots * of_slot + of_weights;
}

/* Footprints are counted without tracing, exact but for rays that only touch a partition's border: such a ray may be in
 * the plan and not in the run. Where a partition has every ray the bytes are equal. */
static void plan_is_what_a_run_takes(void **state)
{
    (void)state;
    SinoLog *log = NULL;
    SinoRuntime *runtime = NULL;
    uint64_t seed = 20;
    int exact = 0, shared = 0;
    assert_success(sino_log_open(SINO_LOG_TEXT, &log));
    const SinoRuntimeRequest request = {.workers = 1, .log = log};
    assert_success(sino_runtime_start(&request, &runtime));
    for (int i = 0; i < SHAPES; i++) {
        Case made = draw(&seed);
        SinoRunPlan plan;
        assert_success(sino_run_plan_new(&made.request, &plan));
        const SinoResources *bytes = &plan.resources;
        const int64_t slabs = bytes->data_bytes - plan.streaming.slots * bytes->slot_bytes - bytes->weight_bytes;
        const int64_t planned = bytes->data_bytes - slabs, taken = allocated(runtime, &made, &plan);
        const bool whole = sino_topology_partitions(&plan.division.topology) == 1;
        if (taken > planned || (double)taken < 0.98 * (double)planned || (whole && taken != planned))
            fail_msg("shape %d: %lld bytes planned, %lld taken (%lld angles, %lld columns, %lld partitions)", i,
                     (long long)planned, (long long)taken, (long long)plan.problem.geometry.angle_count,
                     (long long)plan.problem.geometry.column_count, (long long)plan.partition_count);
        exact += whole;
        shared += !whole;
        assert_true(slabs == (plan.streaming.slab_count > 1 ? 2 : 1) * bytes->slab_bytes);
        sino_run_plan_free(&plan);
        free(made.rad);
    }
    assert_true(exact > 5 && shared > 50);
    assert_success(sino_runtime_stop(runtime));
    sino_log_close(log);
}

enum { SOLVER_BYTES = 400 };

static int64_t solver_scratch(const SinoProblem *problem)
{
    (void)problem;
    return SOLVER_BYTES;
}

/* Where CUDA GPUs run stages, each worker's scratch memory has their size; OpenCL devices run none. The solver's memory
 * comes on top. */
static void gpus_have_scratch_of_their_own(void **state)
{
    (void)state;
    enum { CORES_BYTES = 1000, MORE_BYTES = 500, SLICE_BYTES = 30, MORE_OF_SLICE = 70 };
    uint64_t seed = 7;
    for (int i = 0; i < 3; i++) {
        Case made = draw(&seed);
        SinoSolver solver = *made.request.job.solver;
        SinoRunPlan plan;
        solver.scratch_bytes = solver_scratch;
        made.request.job.solver = &solver;
        made.request.job.stage_bytes = CORES_BYTES;
        made.request.job.stage_gpu_bytes = MORE_BYTES;
        made.request.job.stage_slice_bytes = SLICE_BYTES;
        made.request.job.stage_gpu_slice_bytes = MORE_OF_SLICE;
        if (i > 0) made.request.machine.devices = sino_device_room_of(i == 2, 1, (int64_t)8 << 30);
        assert_success(sino_run_plan_new(&made.request, &plan));
        const int64_t slice = SLICE_BYTES + (i == 2 ? MORE_OF_SLICE : 0);
        const int64_t worker =
            SOLVER_BYTES + CORES_BYTES + (i == 2 ? MORE_BYTES : 0) + plan.streaming.minibatch * slice;
        assert_int_equal(plan.resources.stage_bytes, made.request.machine.worker_count * worker);
        sino_run_plan_free(&plan);
        free(made.rad);
    }
}

/* Bytes of the data of trials of strengths on averaged columns. */
static int64_t allocated_by_trials(SinoRuntime *runtime, const SinoPlanRequest *request, const SinoRunPlan *plan)
{
    const SinoSolver *solver = request->job.solver;
    SinoMinibatch *slot = NULL, *weights = NULL;
    SinoOperator *op = NULL;
    const SinoOperatorRequest wanted = sino_trial_operator(&plan->problem, plan->trial_binning, plan->worker_count, 0);
    assert_success(sino_operator_new(runtime, &wanted, &op));
    const int64_t before = sino_data_bytes(runtime);
    const SinoMinibatchRequest of_slot = {
        .op = op,
        .vectors = &solver->vectors,
        .slices = {.precision = SINO_SINGLE, .stride = sino_trial_batch(&request->job, op->kind).stride},
        .history_numbers = request->job.trial_iterations + 1};
    assert_success(sino_minibatch_new(runtime, &of_slot, &slot));
    SinoSolverRun run = {.runtime = runtime, .op = op};
    assert_success(sino_solver_new_weights(&run, solver->weights, &weights));
    const int64_t bytes = sino_data_bytes(runtime) - before;
    sino_minibatch_free(slot);
    sino_minibatch_free(weights);
    sino_operator_free(op);
    return bytes;
}

/* The search for a strength has memory beside the operator. Where there is too little, it has no averaged columns. */
static void trials_have_memory(void **state)
{
    (void)state;
    enum { ANGLES = 64, COLUMNS = 256 };
    double rad[ANGLES];
    SinoLog *log = NULL;
    SinoRuntime *runtime = NULL;
    SinoRunPlan plan;
    SinoSolver solver = sino_solver_fista;
    solver.scratch_bytes = NULL; /* the run would take as much as the trials */
    for (int64_t k = 0; k < ANGLES; k++) rad[k] = M_PI * (double)k / ANGLES;
    SinoPlanRequest request = {.job = {.problem = {.geometry = {ANGLES, COLUMNS, COLUMNS, rad, 127.5, 0},
                                                   .precision = SINO_SINGLE,
                                                   .symmetry = true,
                                                   .whole_orbits = true,
                                                   .subset_count = 8},
                                       .solver = &solver,
                                       .history_columns = 16,
                                       .history_numbers = 16,
                                       .trial_iterations = 10,
                                       .trial_binning = 2,
                                       .slice_count = 1,
                                       .slice_bytes = (int64_t)ANGLES * COLUMNS * 2},
                               .machine = {.worker_count = 3, .socket_count = 1, .memory_bytes = (int64_t)1 << 40},
                               .rank_count = 1};
    assert_success(sino_log_open(SINO_LOG_TEXT, &log));
    const SinoRuntimeRequest wanted = {.workers = 1, .log = log};
    assert_success(sino_runtime_start(&wanted, &runtime));
    assert_success(sino_run_plan_new(&request, &plan));
    assert_int_equal(plan.trial_binning, 2);
    const SinoResources *bytes = &plan.resources;
    const int64_t taken = allocated_by_trials(runtime, &request, &plan), total = bytes->total_bytes;
    assert_true(bytes->building_bytes >= taken && bytes->building_bytes < 3 * taken);
    assert_true(total >= bytes->base_bytes + bytes->operator_bytes + bytes->map_bytes + bytes->building_bytes);
    sino_run_plan_free(&plan);
    request.machine.memory_bytes = total - 1;
    assert_success(sino_run_plan_new(&request, &plan));
    assert_int_equal(plan.trial_binning, 1);
    assert_true(plan.resources.total_bytes < total);
    sino_run_plan_free(&plan);
    request.machine.memory_bytes = total;
    request.job.trial_binning = 0; /* nothing is sought */
    assert_success(sino_run_plan_new(&request, &plan));
    assert_true(plan.resources.total_bytes < total);
    sino_run_plan_free(&plan);
    assert_success(sino_runtime_stop(runtime));
    sino_log_close(log);
}

TESTING_SUBJECT(resources)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plan_is_what_a_run_takes),
        cmocka_unit_test(gpus_have_scratch_of_their_own),
        cmocka_unit_test(trials_have_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
