/* SPDX-License-Identifier: BSD-3-Clause */
/* Strip plot: each value has its dot, within the picture and at its place; names stand for themselves. */
#include "strip_plot.h"
#include "testing.h"

#include "markup.h"

#include <math.h>
#include <string.h>

static char *draw(const SinoStripPlot *plot)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    sino_strip_plot_draw(plot, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static int count(const char *text, const char *word)
{
    int found = 0;
    for (const char *at = text; (at = strstr(at, word)); at++) found++;
    return found;
}

/* The places of dots along the axis. */
static int dots(const char *text, double *x, int most)
{
    int found = 0;
    for (const char *at = text; (at = strstr(at, "<circle cx=\"")) && found < most; at++)
        x[found++] = strtod(at + 12, NULL);
    return found;
}

static void values_are_in_their_places(void **state)
{
    (void)state;
    const double a[] = {1, 2, NAN, 1.5}, b[] = {1, 3, 2, INFINITY};
    const SinoStripRow row[] = {{"lws", 4, a, 1.5, NAN}, {"a<b>&\"c\"", 4, b, NAN, 2}};
    char *text =
        draw(&(SinoStripPlot){.title = "T", .axis = "seconds", .bar_name = "median", .row_count = 2, .row = row});
    double x[8] = {0};
    assert_int_equal(dots(text, x, 8), 6);
    assert_true(fabs((x[0] + x[1]) / 2 - x[2]) <= 0.1); /* 1.5 is in the middle of 1 and 2 */
    assert_true(x[3] == x[0] && x[4] > x[1] && x[5] == x[1]);
    for (int i = 0; i < 6; i++) assert_true(x[i] > 60 && x[i] < 520);
    assert_int_equal(count(text, "<path"), 1);
    assert_non_null(strstr(text, ">a&lt;b&gt;&amp;&quot;c&quot;</text>"));
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    free(text);
}

static void wide_ranges_are_logarithmic(void **state)
{
    (void)state;
    const double a[] = {0.01, 0.1, 1};
    const SinoStripRow row = {"lws", 3, a, NAN, NAN};
    for (int linear = 0; linear < 2; linear++) {
        char *text = draw(&(SinoStripPlot){
            .title = "T", .axis = "s", .dot_name = NULL, .linear = linear, .row_count = 1, .row = &row});
        double x[3] = {0};
        assert_int_equal(dots(text, x, 3), 3);
        const double ratio = (x[2] - x[1]) / (x[1] - x[0]);
        assert_true(fabs(ratio - (linear ? 10 : 1)) < 0.1);
        free(text);
    }
}

/* Nothing, one value, equal values, zeros: an axis of some length. */
static void any_values_have_an_axis(void **state)
{
    (void)state;
    static const double value[][2] = {{NAN, NAN}, {5, NAN}, {0, 0}, {-3, -3}, {1e-9, 1e9}, {-1, 0}, {1e-300, 1e300}};
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
        const SinoStripRow row = {"lws", 2, value[i], NAN, NAN};
        char *text = draw(&(SinoStripPlot){.title = "T", .axis = "s", .row_count = 1, .row = &row});
        assert_true(count(text, "<line") >= 2 && count(text, "<line") < 3000);
        assert_null(strstr(text, "nan"));
        assert_null(strstr(text, "inf"));
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

TESTING_SUBJECT(strip_plot)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_in_their_places), cmocka_unit_test(wide_ranges_are_logarithmic),
        cmocka_unit_test(any_values_have_an_axis), cmocka_unit_test(text_stands_for_itself)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
