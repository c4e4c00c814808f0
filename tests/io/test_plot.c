/* SPDX-License-Identifier: BSD-3-Clause */
/* Plot: values are in their places, gaps stay gaps, names stand for themselves, labels keep apart. */
#include "plot.h"
#include "testing.h"

#include "page.h"

#include <math.h>
#include <string.h>

static char *draw(const SinoPlot *plot)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    sino_plot_draw(plot, out);
    assert_int_equal(fclose(out), 0);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    return text;
}

static char *draw_one(const SinoPlotSeries *series, SinoPlotScale scale)
{
    return draw(&(SinoPlot){.title = "a<b",
                            .x = {.name = "x", .scale = scale},
                            .y = {.name = "y", .scale = scale},
                            .series_count = 1,
                            .series = series});
}

static int count(const char *text, const char *word)
{
    int found = 0;
    for (const char *at = text; (at = strstr(at, word)); at++) found++;
    return found;
}

/* The places of dots and rings, those of the legend too. */
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
    const double values[] = {1, 0.1, 0.01, 0.001};
    const SinoPlotSeries series = {.mark = SINO_PLOT_DOT, .joined = true, .count = 4, .y = values};
    for (int logarithmic = 0; logarithmic < 2; logarithmic++) {
        double x[8], y[8];
        char *text =
            draw(&(SinoPlot){.title = "a<b",
                             .x = {.name = "x"},
                             .y = {.name = "y", .scale = logarithmic ? SINO_PLOT_LOGARITHMIC : SINO_PLOT_LINEAR},
                             .series_count = 1,
                             .series = &series});
        assert_int_equal(dots(text, 8, x, y), 4);
        assert_true(fabs((x[1] - x[0]) - (x[3] - x[2])) < 0.2 && x[1] > x[0] + 20);
        assert_true(y[0] < y[1] && y[1] < y[2] && y[2] < y[3]); /* smaller values are further down */
        const double ratio = (y[1] - y[0]) / (y[2] - y[1]);
        assert_true(fabs(ratio - (logarithmic ? 1 : 10)) < 0.5);
        assert_non_null(strstr(text, ">a&lt;b</text>"));
        assert_null(strstr(text, ">1.5</text>")); /* steps are counted in whole numbers */
        free(text);
    }
}

static void gaps_stay_gaps(void **state)
{
    (void)state;
    const double line[] = {1, 2, NAN, 4, 5, 0}, low[] = {0.5, 1, NAN, 3, 4, 1}, high[] = {1.5, 3, 7, 5, 6, NAN};
    const SinoPlotSeries series[] = {{.mark = SINO_PLOT_DOT, .joined = true, .count = 6, .y = line},
                                     {.name = "b", .mark = SINO_PLOT_BAND, .count = 6, .y = low, .high = high}};
    double x[8], y[8];
    char *text = draw(&(SinoPlot){.title = "T",
                                  .x = {.name = "x"},
                                  .y = {.name = "y", .scale = SINO_PLOT_LOGARITHMIC},
                                  .series_count = 2,
                                  .series = series});
    assert_int_equal(dots(text, 8, x, y), 4); /* not NaN, nor 0 */
    assert_int_equal(count(text, "<polygon"), 2);
    const char *path = strstr(text, " d=\"M");
    assert_non_null(path);
    assert_int_equal(count(path, "M"), 2);
    free(text);
}

static void rows_have_their_values(void **state)
{
    (void)state;
    const double a[] = {1, 2, NAN, 1.5}, b[] = {1, 3, 2, INFINITY}, median = 1.5, predicted = 2, none = NAN;
    const char *const name[] = {"lws", "/a/very/long/path/of/a/policy/that/somebody/wrote.so:a<b>&\"c\""};
    const SinoPlotSeries series[] = {{.mark = SINO_PLOT_DOT, .count = 4, .x = a},
                                     {.mark = SINO_PLOT_BAR, .count = 1, .x = &median},
                                     {.mark = SINO_PLOT_DOT, .count = 4, .x = b, .row = 1},
                                     {.mark = SINO_PLOT_DIAMOND, .count = 1, .x = &predicted, .row = 1},
                                     {.mark = SINO_PLOT_DIAMOND, .count = 1, .x = &none, .row = 1}};
    char *text = draw(&(SinoPlot){
        .title = "T", .x = {.name = "seconds"}, .row_count = 2, .row_name = name, .series_count = 5, .series = series});
    double x[8] = {0}, y[8] = {0};
    assert_int_equal(dots(text, 8, x, y), 6);
    assert_true(fabs((x[0] + x[1]) / 2 - x[2]) <= 0.1); /* 1.5 is in the middle of 1 and 2 */
    assert_true(x[3] == x[0] && x[4] > x[1] && x[5] == x[1]);
    assert_true(y[0] == y[2] && y[3] == y[5] && y[3] >= y[0] + 15);
    for (int i = 0; i < 6; i++) assert_true(x[i] > 60 && x[i] < 520);
    assert_int_equal(count(text, "<path"), 2); /* a bar and a diamond */
    assert_non_null(strstr(text, "wrote.so:a&lt;b&gt;&amp;&quot;c&quot;</text>"));
    assert_null(strstr(text, "/a/very"));
    free(text);
}

static void wide_ranges_are_logarithmic(void **state)
{
    (void)state;
    const double a[] = {0.01, 0.1, 1};
    const SinoPlotSeries series = {.mark = SINO_PLOT_DOT, .count = 3, .x = a, .y = a};
    for (int either = 0; either < 2; either++) {
        char *text = draw_one(&series, either ? SINO_PLOT_EITHER : SINO_PLOT_LINEAR);
        double x[3] = {0}, y[3] = {0};
        assert_int_equal(dots(text, 3, x, y), 3);
        const double ratio = (x[2] - x[1]) / (x[1] - x[0]), down = (y[2] - y[1]) / (y[1] - y[0]);
        assert_true(fabs(ratio - (either ? 1 : 10)) < 0.1);
        assert_true(fabs(down - (either ? 1 : 10)) < 0.2);
        free(text);
    }
}

/* Nothing, one value, equal values, zeros, speeds of another world: axes of some length, whose labels keep apart. */
static void any_values_have_axes(void **state)
{
    (void)state;
    static const double value[][2] = {{NAN, NAN}, {5, NAN}, {0, 0}, {-3, -3}, {1e-9, 1e9}, {-1, 0}, {1e-300, 1e300}};
    static const SinoPlotScale scale[] = {SINO_PLOT_LINEAR, SINO_PLOT_LOGARITHMIC, SINO_PLOT_EITHER};
    for (size_t i = 0; i < sizeof value / sizeof *value; i++)
        for (size_t s = 0; s < sizeof scale / sizeof *scale; s++)
            for (int64_t points = 0; points <= 2; points++) {
                const SinoPlotSeries series = {
                    .mark = SINO_PLOT_RING, .joined = true, .count = points, .x = value[i], .y = value[i]};
                char *text = draw_one(&series, scale[s]);
                assert_true(count(text, "<line") >= 4 && count(text, "<line") < 5000);
                assert_in_range(count(text, "<text"), 3 + 2 * 2, 3 + 12 + 30);
                free(text);
            }
}

/* Many points along a line have no dots, in the legend neither. */
static void long_lines_have_no_dots(void **state)
{
    (void)state;
    enum { MANY = 100 };
    double value[MANY];
    for (int i = 0; i < MANY; i++) value[i] = i % 7;
    for (int64_t points = 10; points <= MANY; points += MANY - 10) {
        const SinoPlotSeries series = {
            .name = "n", .mark = SINO_PLOT_DOT, .joined = true, .count = points, .x = value, .y = value};
        char *text = draw_one(&series, SINO_PLOT_LINEAR);
        assert_int_equal(count(text, "<circle"), points == MANY ? 0 : points + 1);
        assert_int_equal(count(text, "h22"), points == MANY);
        free(text);
    }
}

static bool apart(double x, double y, double other_x, double other_y)
{
    return fabs(x - other_x) >= 12.9 || fabs(y - other_y) >= 10.9;
}

/* The places of numbers beside points. */
static int labels(const char *text, int most, double *x, double *y)
{
    int found = 0;
    for (const char *at = strstr(text, "<circle"); (at = strstr(at, "<text x=\"")) && found < most; at++) {
        char *end;
        x[found] = strtod(at + 9, &end);
        y[found] = strtod(end + 5, NULL) - 4;
        found += !strstr(at, "transform=") || strcspn(at, "\n") < (size_t)(strstr(at, "transform=") - at);
    }
    return found;
}

/* Numbers cover neither points nor each other nor the name of a limit, and are left out where there is no room. */
static void labels_keep_apart(void **state)
{
    (void)state;
    enum { MANY = 1500 };
    static double value[MANY], x[MANY + 8], y[MANY + 8], label_x[MANY], label_y[MANY];
    static int64_t number[MANY];
    const double limit_x[] = {1, 40}, limit_y[] = {1, 40};
    for (int i = 0; i < MANY; i++) {
        value[i] = i % 40 + 1;
        number[i] = i;
    }
    for (int points = 12; points <= MANY; points += MANY - 12) {
        const SinoPlotSeries series[] = {
            {.name = "p", .mark = SINO_PLOT_DOT, .count = points, .x = value, .y = value, .label = number},
            {.name = "the limit",
             .mark = SINO_PLOT_LIMIT,
             .colour = SINO_PLOT_BLACK,
             .count = 2,
             .x = limit_x,
             .y = limit_y}};
        char *text = draw(&(SinoPlot){.title = "T",
                                      .note = "about it",
                                      .width = 900,
                                      .height = 600,
                                      .x = {.name = "x", .scale = SINO_PLOT_LOGARITHMIC},
                                      .y = {.name = "y", .scale = SINO_PLOT_LOGARITHMIC},
                                      .series_count = 2,
                                      .series = series});
        assert_non_null(strstr(text, "width=\"900\" height=\"600\""));
        assert_non_null(strstr(text, ">about it</text>"));
        assert_int_equal(count(text, ">the limit</text>"), 1);
        const int dot_count = dots(text, MANY + 8, x, y) - 1; /* the first is in the legend */
        assert_int_equal(dot_count, points);
        char *from = strstr(text, ">the limit</text>");
        const int label_count = labels(strstr(text, ">y</text>"), MANY, label_x, label_y);
        assert_true(from && (points > 1024 ? label_count == 0 : label_count >= 8));
        for (int i = 0; i < label_count; i++) {
            for (int k = 1; k <= dot_count; k++) assert_true(apart(label_x[i], label_y[i], x[k], y[k]));
            for (int k = 0; k < i; k++) assert_true(apart(label_x[i], label_y[i], label_x[k], label_y[k]));
        }
        free(text);
    }
}

static void series_have_their_colours(void **state)
{
    (void)state;
    static const char *const colour[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7"};
    const double value[] = {1, 2, 3};
    SinoPlotSeries series[8];
    for (int s = 0; s < 8; s++)
        series[s] = (SinoPlotSeries){.name = s % 2 ? "back" : "forth",
                                     .mark = s % 2 ? SINO_PLOT_RING : SINO_PLOT_DOT,
                                     .colour = s / 2,
                                     .joined = true,
                                     .count = 3,
                                     .x = value,
                                     .y = value};
    for (int shown = 8; shown > 0; shown -= 6) {
        char *text = draw(
            &(SinoPlot){.title = "T", .x = {.name = "x"}, .y = {.name = "y"}, .series_count = shown, .series = series});
        assert_int_equal(count(text, ">back</text>"), shown / 2);
        assert_int_equal(count(text, "fill=\"#fff\" fill-opacity"), shown / 2 * 4); /* rings, one in the legend */
        for (int c = 0; c < 4; c++) {
            char stroke[40];
            snprintf(stroke, sizeof stroke, "stroke=\"%s\"", colour[c]);
            assert_int_equal(count(text, stroke), 2 * c < shown ? 2 * 5 : 0);
        }
        free(text);
    }
}

static void text_stands_for_itself(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    sino_markup_text("<a b='c'>&\x01\xff\xc3\xbc", out);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, "&lt;a b=&#39;c&#39;&gt;&amp;\xEF\xBF\xBD\xEF\xBF\xBD\xc3\xbc");
    free(text);
}

TESTING_SUBJECT(plot)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decades_are_equal_steps), cmocka_unit_test(gaps_stay_gaps),
        cmocka_unit_test(rows_have_their_values),  cmocka_unit_test(wide_ranges_are_logarithmic),
        cmocka_unit_test(any_values_have_axes),    cmocka_unit_test(long_lines_have_no_dots),
        cmocka_unit_test(labels_keep_apart),       cmocka_unit_test(series_have_their_colours),
        cmocka_unit_test(text_stands_for_itself)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
