/* SPDX-License-Identifier: BSD-3-Clause */
/* Text number: against strtod, over all lengths and exponents, and close to where rounding turns. */
#include "numbers.h"
#include "testing.h"

#include <math.h>

static locale_t c_locale;

static void compare(const char *text)
{
    char *wanted_end;
    double found = 7;
    const double wanted = strtod(text, &wanted_end);
    const char *end = sino_text_double(text, c_locale, &found);
    if (end != wanted_end || !testing_same_bytes(&found, &wanted, sizeof found))
        fail_msg("'%s' is %.17g, found %.17g", text, wanted, found);
}

static uint64_t random_bits(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void random_digits(void **state)
{
    uint64_t seed = 1;
    char text[80];
    (void)state;
    for (int i = 0; i < 300000; i++) {
        const int digits = 1 + (int)(random_bits(&seed) % 21), exponent = (int)(random_bits(&seed) % 130) - 65;
        int length = snprintf(text, sizeof text, "%s%0*llu", i % 5 ? "" : "-", digits,
                              (unsigned long long)(random_bits(&seed) >> random_bits(&seed) % 60));
        if (i % 3) {
            const int point = (int)(random_bits(&seed) % (uint64_t)length);
            const int place = point + (point == 0 && text[0] == '-');
            memmove(text + place + 1, text + place, (size_t)(length - place) + 1);
            text[place] = '.';
            length++;
        }
        if (i % 4) snprintf(text + length, sizeof text - (size_t)length, "%c%+d", i % 8 > 4 ? 'e' : 'E', exponent);
        compare(text);
    }
}

/* Numbers that programs write of doubles and floats. */
static void written_numbers(void **state)
{
    uint64_t seed = 3;
    char text[80];
    (void)state;
    for (int i = 0; i < 300000; i++) {
        const uint64_t bits = random_bits(&seed);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        if (i % 2) value = ldexp(frexp(value, &(int){0}), (int)(bits % 200) - 100);
        snprintf(text, sizeof text, i % 3 ? "%.17g" : i % 7 ? "%.9g" : "%.6g", value);
        compare(text);
    }
}

/* Exact midpoints of two doubles, and their neighbours in the 19th digit. */
static void midpoints(void **state)
{
    uint64_t seed = 9;
    char text[80];
    (void)state;
    for (int i = 0; i < 100000; i++) {
        const uint64_t significand = (UINT64_C(1) << 53 | random_bits(&seed) >> 11) << 1 | 1; /* 55 bits */
        for (int more = -1; more <= 1; more++) {
            snprintf(text, sizeof text, "%llu", (unsigned long long)(significand * 8 + (uint64_t)more) / 8);
            compare(text);
            snprintf(text, sizeof text, "%lluE-%d", (unsigned long long)significand + (uint64_t)more, i % 30);
            compare(text);
            snprintf(text, sizeof text, "%llue%d", (unsigned long long)(significand >> 10) + (uint64_t)more, i % 50);
            compare(text);
        }
    }
    compare("9007199254740993");
    compare("9007199254740992.9999999999999999999999999999999999999");
    compare("9007199254740993.0000000000000000000000000000000000001");
    compare("4.35e-4000");
    compare("4.35e+4000");
    compare("0e99999999999");
    compare("2.2250738585072011e-308");
    compare("4.9e-324");
    compare("00000000000000000000000000000000000000000000000000000000012.5");
    compare("0.000000000000000000000000000000000000000000000000000000000012");
}

static void what_is_no_number(void **state)
{
    static const char *const texts[] = {"", "-", ".", "+.", "e5", "inf", "nan", " 1", "x", "-e3", "--1"};
    double number = 5;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_null(sino_text_double(texts[i], c_locale, &number));
    assert_string_equal(sino_text_double("1.5e", c_locale, &number), "e");
    assert_true(number == 1.5);
    assert_string_equal(sino_text_double("0x10", c_locale, &number), "x10");
    assert_string_equal(sino_text_double("1,5", c_locale, &number), ",5");
    assert_string_equal(sino_text_double("1.e+x", c_locale, &number), "e+x");
}

static void integers(void **state)
{
    int64_t number = 5;
    (void)state;
    assert_null(sino_text_integer("", &number));
    assert_null(sino_text_integer("-1", &number));
    assert_null(sino_text_integer(" 1", &number));
    assert_null(sino_text_integer("9223372036854775808", &number));
    assert_int_equal(number, 5);
    assert_string_equal(sino_text_integer("9223372036854775807 ", &number), " ");
    assert_true(number == INT64_MAX);
    assert_string_equal(sino_text_integer("0012.5", &number), ".5");
    assert_int_equal(number, 12);
}

static int make_locale(void **state)
{
    (void)state;
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return c_locale ? 0 : -1;
}

static int free_locale(void **state)
{
    (void)state;
    freelocale(c_locale);
    return 0;
}

TESTING_SUBJECT(text_number)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_digits),     cmocka_unit_test(written_numbers), cmocka_unit_test(midpoints),
        cmocka_unit_test(what_is_no_number), cmocka_unit_test(integers),
    };
    return cmocka_run_group_tests(tests, make_locale, free_locale);
}
