/* SPDX-License-Identifier: BSD-3-Clause */
/* Line plot: values are in their places, and gaps stay gaps. */
#include "line_plot.h"
#include "testing.h"

#include <math.h>
#include <string.h>

static char *draw(const SinoLinePlot *plot)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    sino_line_plot_draw(plot, out);
    assert_int_equal(fclose(out), 0);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    return text;
}

static int count(const char *text, const char *word)
{
    int found = 0;
    for (const char *at = text; (at = strstr(at, word)); at++) found++;
    return found;
}

/* The places of dots. */
static int dots(const char *text, int most, double *x, double *y)
{
    int found = 0;
    for (const char *at = text; (at = strstr(at, "<circle cx=\"")) && found < most; at++, found++) {
        char *end;
        x[found] = strtod(at + 12, &end);
        assert_memory_equal(end, "\" cy=\"", 6);
        y[found] = strtod(end + 6, NULL);
    }
    return found;
}

static void decades_are_equal_steps(void **state)
{
    (void)state;
    const double line[] = {1, 0.1, 0.01, 0.001};
    for (int logarithmic = 0; logarithmic < 2; logarithmic++) {
        double x[4] = {0}, y[4] = {0};
        char *text = draw(&(SinoLinePlot){.title = "a<b",
                                          .x_axis = "x",
                                          .y_axis = "y",
                                          .line_name = "l",
                                          .logarithmic = logarithmic,
                                          .count = 4,
                                          .line = line});
        assert_int_equal(dots(text, 4, x, y), 4);
        assert_true(fabs((x[1] - x[0]) - (x[3] - x[2])) < 0.2 && x[1] > x[0] + 20);
        assert_true(y[0] < y[1] && y[1] < y[2] && y[2] < y[3]); /* smaller values are further down */
        const double ratio = (y[1] - y[0]) / (y[2] - y[1]);
        assert_true(fabs(ratio - (logarithmic ? 1 : 10)) < 0.5);
        assert_non_null(strstr(text, ">a&lt;b</text>"));
        free(text);
    }
}

static void gaps_stay_gaps(void **state)
{
    (void)state;
    const double line[] = {1, 2, NAN, 4, 5, 0}, low[] = {0.5, 1, NAN, 3, 4, 1}, high[] = {1.5, 3, NAN, 5, 6, 2};
    double x[8], y[8];
    char *text = draw(&(SinoLinePlot){.title = "T",
                                      .x_axis = "x",
                                      .y_axis = "y",
                                      .band_name = "b",
                                      .logarithmic = true,
                                      .first = 1,
                                      .count = 6,
                                      .line = line,
                                      .low = low,
                                      .high = high});
    assert_int_equal(dots(text, 8, x, y), 4); /* not NaN, nor 0 */
    assert_int_equal(count(text, "<polygon"), 2);
    const char *path = strstr(text, " d=\"M");
    assert_non_null(path);
    assert_int_equal(count(path, "M"), 2);
    free(text);
}

/* Nothing, one value, equal values, wide ranges. */
static void any_values_have_axes(void **state)
{
    (void)state;
    static const double value[][2] = {{NAN, NAN}, {5, NAN}, {0, 0}, {-3, -3}, {1e-9, 1e9}, {-1, 0}, {1e-300, 1e300}};
    for (size_t i = 0; i < sizeof value / sizeof *value; i++)
        for (int logarithmic = 0; logarithmic < 2; logarithmic++)
            for (int many = 0; many < 2; many++) {
                char *text = draw(&(SinoLinePlot){.title = "T",
                                                  .x_axis = "x",
                                                  .y_axis = "y",
                                                  .logarithmic = logarithmic,
                                                  .count = 1 + many,
                                                  .line = value[i]});
                assert_true(count(text, "<line") >= 4 && count(text, "<line") < 3000);
                free(text);
            }
}

TESTING_SUBJECT(line_plot)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(decades_are_equal_steps), cmocka_unit_test(gaps_stay_gaps),
                                       cmocka_unit_test(any_values_have_axes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
