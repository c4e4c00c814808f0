/* SPDX-License-Identifier: BSD-3-Clause */
/* Solve: the order of what is submitted, for units, a solver and an operator that only write down what they are asked
 * for. */
#include "solve.h"
#include "testing.h"

#include <string.h>

enum { UNITS_MOST = 16, LOG_SIZE = 2000 };

/* The run, and what its functions have written down: "fill 0+2; start 0; …", a minibatch by its first unit. */
typedef struct Fake {
    char log[LOG_SIZE];
    bool done[UNITS_MOST];
    int64_t pictured;    /* unit; −1: none */
    int64_t last_active; /* the iteration after which all units have stopped; 0: none does */
    const char *fails;   /* the first function of this name fails; NULL: none */
    SinoOperator op;
    SinoRayExchange ranks;
    SinoSettings settings;
    SinoSolve solve;
} Fake;

static Fake *fake; /* solvers do not get a pointer of their caller */

static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *format, ...)
{
    va_list arguments;
    const size_t length = strlen(fake->log);
    va_start(arguments, format);
    vsnprintf(fake->log + length, LOG_SIZE - length, format, arguments);
    va_end(arguments);
}

static SinoStatus outcome(const char *name)
{
    return fake->fails && strcmp(fake->fails, name) == 0 ? sino_error(SINO_FAILED, "%s fails", name) : NULL;
}

/* ---- an operator without products, of rays and voxels that nobody asks for ---- */

static SinoStatus work_open(SinoOperatorWork *work, const SinoSlices *slices, int64_t number, bool overlap)
{
    (void)work;
    (void)slices;
    (void)overlap;
    note("slot %d; ", (int)number);
    return NULL;
}

static void work_close(SinoOperatorWork *work)
{
    (void)work;
    note("close; ");
}

static const SinoOperatorKind kind = {.name = "fake", .work_open = work_open, .work_close = work_close};
static const SinoBuffer rays = {"b", SINO_ROWS_RAYS, SINO_ELEMENT_REAL, SINO_LANES_SLICES};

/* ---- solvers ---- */

static SinoStatus prepare(SinoSolverRun *run)
{
    (void)run;
    note("prepare; ");
    return NULL;
}

static void release(SinoSolverRun *run)
{
    (void)run;
    note("release; ");
}

static SinoStatus start(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    (void)run;
    note("start %d; ", (int)minibatch->first_slice);
    return outcome("start");
}

/* Writes how many slices go on. */
static SinoStatus iterate(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    void *active;
    SinoData *data = minibatch->slot[SINO_SLOT_ACTIVE + iteration % SINO_LOOKAHEAD][0];
    (void)run;
    note("%d of %d; ", (int)iteration, (int)minibatch->first_slice);
    SINO_TRY(sino_data_acquire(data, SINO_WRITE, &active));
    *(int64_t *)active = fake->last_active == 0 || iteration < fake->last_active;
    sino_data_release(data);
    return outcome("iterate");
}

static SinoStatus iterate_together(SinoSolverRun *run, int64_t count, SinoMinibatch *const *minibatch,
                                   int64_t iteration)
{
    (void)run;
    (void)minibatch;
    note("%d of %d minibatches; ", (int)iteration, (int)count);
    return NULL;
}

static const SinoSolver alone = {.iterative = true,
                                 .vectors = {.count = 1, .buffer = &rays},
                                 .prepare = prepare,
                                 .release = release,
                                 .start = start,
                                 .iterate = iterate};
static const SinoSolver together = {.iterative = true,
                                    .volume = true,
                                    .vectors = {.count = 1, .buffer = &rays},
                                    .start = start,
                                    .iterate_together = iterate_together};

/* ---- units ---- */

static SinoStatus open_units(void *of)
{
    (void)of;
    note("open; ");
    return outcome("open");
}

static int64_t left(const void *of, int64_t first, int64_t count)
{
    const Fake *units = of;
    bool done = true;
    for (int64_t i = first; i < first + count; i++) done &= units->done[i];
    return done ? 0 : count;
}

static bool is_pictured(const void *of, int64_t first, int64_t count)
{
    const Fake *units = of;
    return units->pictured >= first && units->pictured < first + count;
}

static SinoStatus load(void *of, int64_t slab)
{
    (void)of;
    note("load %d; ", (int)slab);
    return NULL;
}

static SinoStatus fill(void *of, SinoMinibatch *minibatch)
{
    (void)of;
    note("fill %d+%d; ", (int)minibatch->first_slice, (int)minibatch->slices.slice_count);
    return outcome("fill");
}

static SinoStatus iterated(void *of, SinoMinibatch *minibatch, int64_t iteration)
{
    (void)of;
    if (iteration == 2) note("second of %d; ", (int)minibatch->first_slice);
    return NULL;
}

static SinoStatus store(void *of, SinoMinibatch *minibatch)
{
    (void)of;
    note("store %d; ", (int)minibatch->first_slice);
    return NULL;
}

static SinoStatus stored(void *of, const SinoMinibatch *minibatch)
{
    (void)of;
    note("stored %d; ", (int)minibatch->first_slice);
    return NULL;
}

static void pass(const void *of, SinoPosition position, int64_t first, int64_t count)
{
    (void)of;
    note("pass %d+%d in %d; ", (int)first, (int)count, (int)position.slab);
}

static const SinoUnitKind all = {open_units, left, is_pictured, load, fill, iterated, store, stored, pass};
static const SinoUnitKind least = {.fill = fill, .store = store};

/* ---- runs ---- */

static int set_up(void **state)
{
    SinoRuntime *runtime;
    const SinoRuntimeRequest request = {.workers = 1};
    (void)state;
    fake = test_calloc(1, sizeof *fake);
    assert_success(sino_runtime_start(&request, &runtime));
    fake->pictured = -1;
    fake->ranks.shape = SINO_EXCHANGE_ALONE(1);
    fake->op = (SinoOperator){.kind = &kind, .runtime = runtime, .ranks = &fake->ranks};
    for (int i = 0; i < SINO_ROWS_KINDS; i++) fake->op.shape.extent[i] = sino_extent_one(1);
    fake->solve = (SinoSolve){.solver = &alone,
                              .run = {.runtime = runtime, .op = &fake->op, .settings = &fake->settings},
                              .units = {.kind = &all, .of = fake},
                              .slices = {.precision = SINO_SINGLE, .stride = 16},
                              .history_numbers = 1,
                              .shape = {1, 1, 1, 1, 0}};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    sino_status_free(sino_runtime_stop(fake->op.runtime));
    test_free(fake);
    return 0;
}

/* Solves so many units, in minibatches and slots, by so many iterations. */
static SinoStatus solve(int64_t count, int64_t minibatch, int64_t slots, int64_t iterations)
{
    SinoUnits *units = &fake->solve.units;
    units->count = count;
    units->minibatch = minibatch;
    units->slots = slots;
    units->slab_count = (count + minibatch * slots - 1) / (minibatch * slots);
    fake->solve.run.iterations = iterations;
    fake->log[0] = '\0';
    return sino_solve(&fake->solve);
}

static void units_go_through_slots(void **state)
{
    (void)state;
    assert_success(solve(5, 2, 2, 2));
    assert_string_equal(fake->log, "open; slot 1; slot 2; prepare; load 0; fill 0+2; start 0; fill 2+2; start 2; "
                                   "load 1; 1 of 0; 1 of 2; 2 of 0; second of 0; 2 of 2; second of 2; store 0; "
                                   "store 2; stored 0; stored 2; fill 4+1; start 4; 1 of 4; 2 of 4; second of 4; "
                                   "store 4; stored 4; release; close; close; ");
    fake->solve.units.kind = &least;
    assert_success(solve(1, 1, 1, 0));
    assert_string_equal(fake->log, "slot 1; prepare; fill 0+1; start 0; store 0; release; close; ");
}

/* A picture may be wanted of units that are stored. The slot of a minibatch that is done keeps its earlier state. */
static void units_that_are_done_are_passed(void **state)
{
    (void)state;
    fake->done[0] = fake->done[1] = fake->done[2] = fake->done[4] = true;
    assert_success(solve(5, 2, 1, 1));
    assert_string_equal(fake->log, "pass 0+2 in 0; pass 4+1 in 2; open; slot 1; prepare; load 1; fill 2+2; start 2; "
                                   "1 of 2; store 2; stored 2; release; close; ");
    fake->pictured = 1;
    assert_success(solve(5, 2, 1, 1));
    assert_string_equal(fake->log, "pass 0+2 in 0; pass 4+1 in 2; open; slot 1; prepare; load 0; fill 0+2; load 1; "
                                   "fill 2+2; start 2; 1 of 2; store 2; stored 2; release; close; ");
}

static void units_have_their_own_iterations(void **state)
{
    static const int64_t iterations[] = {1, 3, 0, 0, 2};
    (void)state;
    fake->solve.units.iterations = iterations;
    assert_success(solve(5, 2, 3, 3));
    assert_non_null(strstr(fake->log, "start 4; 1 of 0; 1 of 4; 2 of 0; second of 0; 2 of 4; second of 4; 3 of 0; "
                                      "store 0; store 2; store 4; "));
}

/* Two iterations later it is known that nothing goes on. */
static void units_that_have_stopped_are_not_iterated(void **state)
{
    (void)state;
    fake->settings.solver.tolerance = 1e-3;
    fake->last_active = 2;
    assert_success(solve(1, 1, 1, 10));
    assert_non_null(strstr(fake->log, "3 of 0; store 0; "));
    fake->last_active = 0;
    assert_success(solve(1, 1, 1, 4));
    assert_non_null(strstr(fake->log, "4 of 0; store 0; "));
}

static void minibatches_may_depend_on_each_other(void **state)
{
    (void)state;
    fake->solve.solver = &together;
    assert_success(solve(4, 2, 2, 2));
    assert_non_null(strstr(fake->log, "start 2; 1 of 2 minibatches; 2 of 2 minibatches; store 0; store 2; "));
}

static SinoStatus start_block(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    (void)run;
    note("angles %d+%d of %d%s; ", (int)minibatch->block.first, (int)minibatch->block.count,
         (int)minibatch->first_slice, minibatch->block.last ? ", the last" : "");
    return NULL;
}

/* Every minibatch has a block before any has the next one, which is loaded meanwhile. */
static void data_may_come_by_blocks(void **state)
{
    static const SinoSolver by_blocks = {
        .blocks = true, .vectors = {.count = 1, .buffer = &rays}, .start = start_block};
    (void)state;
    fake->solve.solver = &by_blocks;
    fake->op.problem.geometry.angle_count = 5;
    fake->op.problem.block_angles = 3;
    assert_success(solve(3, 2, 2, 0));
    assert_string_equal(fake->log,
                        "open; slot 1; slot 2; load 0; fill 0+2; angles 0+3 of 0; fill 2+1; angles 0+3 of 2; "
                        "load 1; fill 0+2; angles 3+2 of 0, the last; fill 2+1; angles 3+2 of 2, the last; "
                        "store 0; store 2; stored 0; stored 2; close; close; ");
}

/* The error is that of the function that failed, and all that was made is freed. */
static void any_failure_ends_the_run(void **state)
{
    static const char *const names[] = {"open", "fill", "start", "iterate"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[32];
        fake->fails = names[i];
        snprintf(text, sizeof text, "%s fails", names[i]);
        assert_error(solve(2, 1, 2, 2), SINO_FAILED, text);
        assert_null(strstr(fake->log, "store"));
        const char *end = i == 0 ? "release; " : "release; close; close; ";
        assert_string_equal(fake->log + strlen(fake->log) - strlen(end), end);
        assert_int_equal(sino_data_bytes(fake->op.runtime), 0);
    }
}

TESTING_SUBJECT(solve)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(units_go_through_slots, set_up, tear_down),
        cmocka_unit_test_setup_teardown(units_that_are_done_are_passed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(units_have_their_own_iterations, set_up, tear_down),
        cmocka_unit_test_setup_teardown(units_that_have_stopped_are_not_iterated, set_up, tear_down),
        cmocka_unit_test_setup_teardown(minibatches_may_depend_on_each_other, set_up, tear_down),
        cmocka_unit_test_setup_teardown(data_may_come_by_blocks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(any_failure_ends_the_run, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
