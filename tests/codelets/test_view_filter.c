/* SPDX-License-Identifier: BSD-3-Clause */
/* View filter: rows, or columns, of parallel rays get the ramp filter alone; rays of a source are weighed by the
 * cosine, before and after it. */
#include "view_filter.h"

#include "memory.h"
#include "testing.h"

#include <math.h>

enum { COLUMNS = 21, ROWS = 6, PIXELS = COLUMNS * ROWS };
static const double weight = 0.3, distance = 30;

/* The filter in double, of one row, by the band-limited ramp in space (filter.h). */
static double filtered(const double *row, int c)
{
    double sum = row[c] / 4;
    for (int i = 0; i < COLUMNS; i++)
        if ((i - c) % 2 != 0) sum -= row[i] / (M_PI * M_PI * (i - c) * (i - c));
    return weight * sum;
}

/* Along rows, or the same image turned over, along columns. */
static void filters_lines(bool parallel, bool along_rows, bool shared, double *most)
{
    SinoView view = {.source = {0, parallel ? 1 : -distance, 0},
                     .first = {-(COLUMNS - 1) / 2.0, 0, -(ROWS - 1) / 2.0},
                     .column = {1, 0, 0},
                     .row = {0, 0, 1},
                     .parallel = parallel};
    float rays[PIXELS], turned[PIXELS], shares[COLUMNS], *share = shared ? shares : NULL;
    double before[ROWS][COLUMNS], cosine[ROWS][COLUMNS];
    SinoFilter *filter;
    void *scratch;
    assert_success(sino_filter_new(COLUMNS, SINO_WINDOW_NONE, SINO_SINGLE, &filter));
    assert_success(sino_allocate(sino_view_filter_scratch_bytes(COLUMNS, ROWS), 1, "test", &scratch));
    for (int c = 0; c < COLUMNS; c++) shares[c] = 0.5F + (float)c / COLUMNS;
    for (int i = 0; i < PIXELS; i++) {
        const int c = i / ROWS, r = i % ROWS;
        const double u = c - (COLUMNS - 1) / 2.0, v = r - (ROWS - 1) / 2.0;
        cosine[r][c] = parallel ? 1 : distance / sqrt(distance * distance + u * u + v * v);
        rays[i] = (float)(1 + sin(3 * i));
        before[r][c] = cosine[r][c] * (double)rays[i] * (shared ? (double)shares[c] : 1);
    }
    for (int i = 0; i < PIXELS; i++) turned[i % ROWS * COLUMNS + i / ROWS] = rays[i];
    if (along_rows) {
        sino_view_filter(filter, true, &view, COLUMNS, ROWS, weight, share, scratch, rays);
    } else {
        for (int i = 0; i < 3; i++) view.column[i] = i == 2;
        for (int i = 0; i < 3; i++) view.row[i] = i == 0;
        sino_view_filter(filter, false, &view, ROWS, COLUMNS, weight, share, scratch, turned);
        for (int i = 0; i < PIXELS; i++) rays[i] = turned[i % ROWS * COLUMNS + i / ROWS];
    }
    *most = 0;
    for (int i = 0; i < PIXELS; i++) {
        const int c = i / ROWS, r = i % ROWS;
        *most = fmax(*most, fabs((double)rays[i] - cosine[r][c] * filtered(before[r], c)));
    }
    free(scratch);
    sino_filter_free(filter);
}

static void lines_match_loops(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        const bool parallel = i & 1, along_rows = i & 2, shared = i & 4;
        double most;
        filters_lines(parallel, along_rows, shared, &most);
        print_message("%s, along %s%s: off by %.2g\n", parallel ? "parallel" : "source",
                      along_rows ? "rows" : "columns", shared ? ", shared" : "", most);
        assert_true(most < 1e-6);
    }
}

TESTING_SUBJECT(view_filter)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_match_loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
