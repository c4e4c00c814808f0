/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress: what the log says of all slices of a part, while its minibatches are at different iterations. */
#include "progress.h"
#include "testing.h"
#include "testing_subject.h"

#include <math.h>

/* 10 slices in slabs of 4 and minibatches of 2, 30 iterations: slabs of 2, 2 and 1 minibatches. */
static const SinoProgressShape shape = {10, 4, 2, 2, 30};

static SinoMinibatchProgress at(int64_t least, int64_t most, double relative, bool stored)
{
    return (SinoMinibatchProgress){.least_iteration = least,
                                   .iteration = most,
                                   .residual = 8 * relative * relative,
                                   .residual0 = 8,
                                   .begun = true,
                                   .stored = stored};
}

static void set(SinoProgressTable *table, int64_t minibatch, SinoMinibatchProgress now)
{
    sino_progress_set(table, minibatch, &now);
}

static void assert_now(SinoProgressTable *table, int64_t slab, int64_t least, int64_t most, int64_t slices,
                       double residual)
{
    const SinoProgress now = sino_progress_now(table);
    assert_int_equal(now.slab, slab);
    assert_int_equal(now.slab_count, 3);
    assert_int_equal(now.least_iteration, least);
    assert_int_equal(now.iteration, most);
    assert_int_equal(now.iteration_count, 30);
    assert_int_equal(now.slice_count, slices);
    if (isnan(residual))
        assert_true(isnan(now.residual));
    else
        assert_true(fabs(now.residual - residual) < 1e-12);
}

/* The residual falls within a part, whatever the order of its minibatches, and those of the next part do not count. */
static void oldest_part(void **state)
{
    (void)state;
    SinoProgressTable *table = NULL;
    assert_null(sino_progress_new(&shape, &table));
    assert_now(table, 1, 0, 0, 4, NAN);
    set(table, 0, at(5, 5, 0.1, false));
    assert_now(table, 1, 0, 5, 4, sqrt((0.01 + 1) / 2)); /* two slices of four have not begun */
    set(table, 1, at(1, 1, 0.8, false));
    assert_now(table, 1, 1, 5, 4, sqrt((0.01 + 0.64) / 2));
    set(table, 0, at(30, 30, 0.01, true));
    set(table, 2, at(3, 3, 0.9, false)); /* of the next slab */
    assert_now(table, 1, 1, 30, 4, sqrt((0.0001 + 0.64) / 2));
    set(table, 1, at(30, 30, 0.02, true));
    assert_now(table, 2, 0, 3, 4, sqrt((0.81 + 1) / 2));
    set(table, 4, at(30, 30, 0.03, true)); /* the last slab, before the one in the middle */
    set(table, 2, at(30, 30, 0.01, true));
    assert_int_equal(sino_progress_now(table).slab, 2);
    set(table, 3, at(30, 30, 0.01, true));
    assert_now(table, 3, 30, 30, 2, 0.03);
    sino_progress_free(table);
}

static void stopped_slices(void **state)
{
    (void)state;
    const double history[3][5] = {{4, 3, 1, NAN, NAN}, {8, 4, 2, 1, 0.5}, {0, 0, 0, 0, 0}};
    const SinoMinibatchProgress now = sino_minibatch_progress(3, 5, 4, &history[0][0]);
    assert_int_equal(now.least_iteration, 2);
    assert_int_equal(now.iteration, 4);
    assert_int_equal(now.stopped_slices, 1);
    assert_true(now.residual == 1.5 && now.residual0 == 12 && now.begun && !now.stored);
    const SinoMinibatchProgress all = sino_minibatch_progress(1, 5, 4, history[0]);
    assert_int_equal(all.iteration, 2);
    assert_false(sino_minibatch_progress(1, 1, 0, history[0]).begun); /* a direct method */
}

TESTING_SUBJECT(progress)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(oldest_part), cmocka_unit_test(stopped_slices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
