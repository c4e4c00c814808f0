/* SPDX-License-Identifier: BSD-3-Clause */
/* Process grid: as few ranks per slice as fit, slices in proportion to speed, and the number of idle ranks. */
#include "topology.h"

#include "testing.h"

/* What a rank needs: 1000 bytes shared by the ranks of a slice, and 10 of its own. */
static SinoStatus shared_bytes(const void *context, int64_t batch_groups, int64_t data_ranks, int64_t *bytes)
{
    const int64_t *whole = context;
    assert_true(batch_groups >= 1 && data_ranks >= 1);
    *bytes = *whole / data_ranks + 10;
    return NULL;
}

static SinoStatus failing_bytes(const void *context, int64_t batch_groups, int64_t data_ranks, int64_t *bytes)
{
    (void)context;
    (void)batch_groups;
    (void)data_ranks;
    (void)bytes;
    return sino_error(SINO_FAILED, "no figure");
}

static SinoProcessGridRequest request_of(int64_t ranks, int64_t slices, const int64_t *whole, int64_t budget)
{
    return (SinoProcessGridRequest){.rank_count = ranks,
                                    .slice_count = slices,
                                    .unit_count = 1000000,
                                    .rank_bytes = whole ? shared_bytes : NULL,
                                    .context = whole,
                                    .budget_bytes = budget};
}

static void check_grid(const SinoProcessGridRequest *request, int64_t groups, int64_t data_ranks, int64_t idle,
                       const char *why)
{
    SinoProcessGrid grid;
    assert_success(sino_process_grid_new(request, &grid));
    assert_int_equal(grid.batch_groups, groups);
    assert_int_equal(grid.data_ranks, data_ranks);
    assert_int_equal(sino_process_grid_idle(&grid, request->unit_count), idle);
    assert_string_equal(grid.why, why);
    assert_int_equal(grid.first_slice[0], 0);
    assert_int_equal(grid.first_slice[groups], request->slice_count);
    for (int64_t g = 0; g < groups; g++) assert_true(sino_process_grid_slices(&grid, g) >= 0);
    int64_t counted = 0;
    for (int64_t r = 0; r < request->rank_count; r++) {
        counted += sino_process_grid_is_idle(&grid, r);
        assert_true(r < groups * data_ranks || sino_process_grid_is_idle(&grid, r));
        assert_int_equal(sino_process_grid_group(&grid, r), r < groups * data_ranks ? r / data_ranks : -1);
    }
    assert_true(data_ranks <= request->unit_count ? counted == idle : counted < idle);
    sino_process_grid_free(&grid);
    assert_null(grid.first_slice);
}

static const char fits[] = "the fewest ranks per slice whose shares fit their memory";

static void few_ranks_share_a_slice(void **state)
{
    (void)state;
    const int64_t whole = 1000;
    SinoProcessGridRequest request = request_of(12, 100, &whole, 1010);
    check_grid(&request, 12, 1, 0, "a whole slice fits a rank");
    request.budget_bytes = 1009;
    check_grid(&request, 6, 2, 0, fits);
    request.budget_bytes = 210; /* 5 would do, and divides nothing */
    check_grid(&request, 2, 6, 0, fits);
    request.budget_bytes = 93;
    check_grid(&request, 1, 12, 0, fits);
    request.rank_bytes = NULL;
    check_grid(&request, 12, 1, 0, "a whole slice fits a rank");
    request = request_of(1, 100, NULL, 0);
    check_grid(&request, 1, 1, 0, "one rank");
}

static void ranks_that_do_not_divide(void **state)
{
    (void)state;
    const int64_t whole = 1000;
    SinoProcessGridRequest request = request_of(7, 100, &whole, 1009);
    check_grid(&request, 1, 7, 0, fits);
    /* Beyond what all ranks together hold. */
    request.budget_bytes = 100;
    SinoProcessGrid grid = {0};
    assert_error(sino_process_grid_new(&request, &grid), SINO_BAD_INPUT, "memory | 100 | 7 | --memory | 1MiB");
    assert_null(grid.first_slice);
}

static void more_ranks_than_work(void **state)
{
    (void)state;
    SinoProcessGridRequest request = request_of(8, 3, NULL, 0);
    check_grid(&request, 2, 4, 0, "as many groups as there are slices");
    request = request_of(7, 3, NULL, 0);
    check_grid(&request, 1, 7, 0, "as many groups as there are slices");
    request.unit_count = 4; /* seven ranks, four parts: three slices are better shared out */
    check_grid(&request, 7, 1, 4, "a whole slice fits a rank");
    request = request_of(4096, 1, NULL, 0);
    request.unit_count = 64;
    check_grid(&request, 64, 64, 4096 - 64, "as many groups as there are slices");
    request.shape = (SinoGridShape){2, 3};
    check_grid(&request, 2, 3, 4096 - 3, "given");
}

static void given_grids(void **state)
{
    (void)state;
    SinoProcessGridRequest request = request_of(6, 10, NULL, 0);
    request.shape = (SinoGridShape){2, 3};
    check_grid(&request, 2, 3, 0, "given");
    request.shape = (SinoGridShape){1, 4};
    check_grid(&request, 1, 4, 2, "given");
    request.shape = (SinoGridShape){3, 3};
    SinoProcessGrid grid = {0};
    assert_error(sino_process_grid_new(&request, &grid), SINO_BAD_INPUT, "--grid | 3x3 | 9 ranks | 6");
    request.shape = (SinoGridShape){INT64_MAX / 2, 3};
    assert_error(sino_process_grid_new(&request, &grid), SINO_BAD_INPUT, "the ranks of --grid");
}

/* Ranks of a slice have equal runs of its nodes. */
static void nodes_are_divided(void **state)
{
    (void)state;
    const int64_t whole = 1000;
    SinoProcessGridRequest request = request_of(12, 100, &whole, 510);
    check_grid(&request, 6, 2, 0, fits);
    request.node_count = 9;
    check_grid(&request, 4, 3, 0, fits);
    request.budget_bytes = 130; /* nine ranks would do, which do not divide the twelve */
    check_grid(
        &request, 1, 9, 3,
        "the fewest ranks per slice whose shares fit their memory; no number of ranks that divides them all does");
    request.node_count = 5;
    request.budget_bytes = 20;
    SinoProcessGrid grid;
    assert_error(sino_process_grid_new(&request, &grid), SINO_BAD_INPUT, "needs 210 B when 5 share each slice");
}

static void slices_follow_speed(void **state)
{
    (void)state;
    const double weight[] = {1, 1, 3, 1, 0.5, 1.5};
    SinoProcessGridRequest request = request_of(6, 16, NULL, 0);
    request.shape = (SinoGridShape){3, 2};
    request.rank_weight = weight;
    SinoProcessGrid grid;
    assert_success(sino_process_grid_new(&request, &grid));
    assert_int_equal(sino_process_grid_slices(&grid, 0), 4);
    assert_int_equal(sino_process_grid_slices(&grid, 1), 8);
    assert_int_equal(sino_process_grid_slices(&grid, 2), 4);
    sino_process_grid_free(&grid);
}

/* Every item once, in order; none is off its exact place by more than half an item. */
static void cuts_are_even(void **state)
{
    (void)state;
    enum { PARTS = 5000 };
    static int64_t first[PARTS + 1];
    for (int64_t parts = 1; parts <= PARTS; parts = parts * 3 + 1)
        for (int64_t count = 0; count <= 3 * PARTS; count = count * 5 + 1) {
            sino_process_grid_cut(count, parts, NULL, first);
            assert_int_equal(first[0], 0);
            assert_int_equal(first[parts], count);
            for (int64_t i = 0; i < parts; i++) {
                const double exact = (double)count * (double)i / (double)parts;
                assert_true(first[i] <= first[i + 1]);
                assert_true((double)first[i] >= exact - 0.5001 && (double)first[i] <= exact + 0.5001);
            }
        }
}

static void errors_are_passed_on(void **state)
{
    (void)state;
    SinoProcessGridRequest request = request_of(2, 3, NULL, 0);
    SinoProcessGrid grid = {0};
    request.rank_bytes = failing_bytes;
    assert_error(sino_process_grid_new(&request, &grid), SINO_FAILED, "no figure");
}

TESTING_SUBJECT(process_grid)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_ranks_share_a_slice), cmocka_unit_test(ranks_that_do_not_divide),
        cmocka_unit_test(more_ranks_than_work),    cmocka_unit_test(given_grids),
        cmocka_unit_test(nodes_are_divided),       cmocka_unit_test(slices_follow_speed),
        cmocka_unit_test(cuts_are_even),           cmocka_unit_test(errors_are_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
