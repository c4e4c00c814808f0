/* SPDX-License-Identifier: BSD-3-Clause */
/* NPY: headers of every version and type, values of every width and byte order, damaged headers. */
#include "npy.h"
#include "testing.h"
#include "testing_npy.h"

#include <float.h>
#include <math.h>

static const int64_t integers[] = {0, 1, 2, 127, -1, -128};

enum { INTEGERS = 6 };

/* Stores an integer in `width` bytes, the lowest first unless `big`. */
static void store(int64_t value, int width, bool big, unsigned char *to)
{
    for (int i = 0; i < width; i++) to[big ? width - 1 - i : i] = (unsigned char)((uint64_t)value >> 8 * i);
}

static void integers_of_every_width(void **state)
{
    (void)state;
    for (int version = 1; version <= 3; version++)
        for (int width = 1; width <= 8; width *= 2)
            for (int variant = 0; variant < 4; variant++) {
                const bool big = variant & 1, is_signed = variant & 2;
                unsigned char values[INTEGERS * 8];
                int64_t found[INTEGERS];
                double real[INTEGERS];
                char type[8];
                SinoNpy npy;
                size_t bytes;
                for (int i = 0; i < INTEGERS; i++) store(integers[i], width, big, values + i * width);
                snprintf(type, sizeof type, "%c%c%d", width == 1 ? '|' : big ? '>' : '<', is_signed ? 'i' : 'u', width);
                unsigned char *file =
                    testing_npy(version, type, "(2, 3)", values, (size_t)INTEGERS * (size_t)width, &bytes);
                assert_success(sino_npy_parse("a.npy", file, (int64_t)bytes, &npy));
                assert_int_equal(npy.rank, 2);
                assert_int_equal(npy.size[0], 2);
                assert_int_equal(npy.size[1], 3);
                assert_int_equal(npy.count, INTEGERS);
                assert_int_equal(npy.header_bytes + sino_npy_bytes(&npy), bytes);
                assert_true(sino_npy_is_integer(&npy) && sino_npy_is_number(&npy));
                snprintf(type, sizeof type, "%sint%d", is_signed ? "" : "u", width * 8);
                assert_string_equal(npy.stored_type, type);
                sino_npy_integers(&npy, file + npy.header_bytes, INTEGERS, found);
                sino_npy_doubles(&npy, file + npy.header_bytes, INTEGERS, real);
                for (int i = 0; i < INTEGERS; i++) {
                    const double wrapped = integers[i] < 0 && !is_signed ? ldexp(1, width * 8) : 0;
                    const bool beyond = width == 8 && integers[i] < 0 && !is_signed;
                    assert_true(found[i] == (beyond ? INT64_MAX : integers[i] + (int64_t)wrapped));
                    assert_true(real[i] == (double)integers[i] + wrapped);
                }
                free(file);
            }
}

static void floats_of_both_orders(void **state)
{
    static const double wanted[] = {0, -1.5, 3.25e-20, (double)FLT_MAX, INFINITY};
    (void)state;
    for (int big = 0; big < 2; big++)
        for (int width = 4; width <= 8; width += 4) {
            unsigned char values[5 * 8];
            double found[5];
            SinoNpy npy;
            size_t bytes;
            for (int i = 0; i < 5; i++) {
                const float single = (float)wanted[i];
                uint64_t bits = 0;
                memcpy(&bits, width == 4 ? (const void *)&single : (const void *)&wanted[i], (size_t)width);
                store((int64_t)bits, width, big, values + i * width);
            }
            const char *const types[] = {"<f4", ">f4", "<f8", ">f8"};
            unsigned char *file =
                testing_npy(1, types[(width == 8) * 2 + big], "(5,)", values, 5 * (size_t)width, &bytes);
            assert_success(sino_npy_parse("a.npy", file, (int64_t)bytes, &npy));
            assert_false(sino_npy_is_integer(&npy));
            sino_npy_doubles(&npy, file + npy.header_bytes, 5, found);
            for (int i = 0; i < 5; i++) assert_true(found[i] == (width == 4 ? (double)(float)wanted[i] : wanted[i]));
            free(file);
        }
}

static void assert_text(const char *type, const void *value, size_t value_bytes, const char *wanted)
{
    SinoNpy npy;
    size_t bytes;
    char text[4];
    unsigned char *file = testing_npy(1, type, "()", value, value_bytes, &bytes);
    assert_success(sino_npy_parse("a.npy", file, (int64_t)bytes, &npy));
    assert_int_equal(npy.rank, 0);
    assert_int_equal(npy.count, 1);
    assert_false(sino_npy_is_number(&npy));
    assert_string_equal(sino_npy_text(&npy, file + npy.header_bytes, text, sizeof text), wanted);
    free(file);
}

static void texts(void **state)
{
    (void)state;
    assert_text("|S3", "csr", 3, "csr");
    assert_text("|S5", "cs\0\0", 5, "cs");
    assert_text("|S5", "csr\033x", 5, "csr");
    assert_text("|S2", "\x1b]", 2, "?]");
    assert_text("<U3", "c\0\0\0s\0\0\0r\0\0", 12, "csr");
    assert_text(">U2", "\0\0\0c\0\0\1s", 8, "c?");
}

static void refused(const char *header, const char *why)
{
    unsigned char file[512] = "\x93NUMPY\1";
    SinoNpy npy = {.count = -1};
    const size_t length = strlen(header);
    file[8] = (unsigned char)length;
    assert_true(length < 256);
    memcpy(file + 10, header, length); /* bytes, no text: NOLINT(bugprone-not-null-terminated-result) */
    assert_error(sino_npy_parse("a.npy", file, (int64_t)(10 + length), &npy), SINO_BAD_INPUT, why);
    assert_int_equal(npy.count, -1);
}

static void damaged_headers(void **state)
{
    (void)state;
    refused("", "a.npy: the NPY header has '' where { is needed");
    refused("{}", "lacks descr, fortran_order or shape");
    refused("{'descr': '<f8', 'fortran_order': False}", "lacks descr, fortran_order or shape");
    refused("{'descr': '<f8' 'shape': ()}", "where , or } is needed");
    refused("{'descr': '<f8', 'fortran_order': False, 'shape': (3)", "where , or } is needed");
    refused("{'descr': '<f8', 'fortran_order': False, 'shape': (3,)} x", "has 'x' where the header's end");
    refused("{'descr': '<f8', 'descr': '<f8'}", "has the key 'descr'");
    refused("{'colour': 3}", "'colour' | descr | shape");
    refused("{'descr': '<f2'}", "'<f2' | int8 | int64");
    refused("{'descr': '<c16'}", "values of the type '<c16'");
    refused("{'descr': '<i16'}", "values of the type '<i16'");
    refused("{'descr': '<i'}", "values of the type '<i'");
    refused("{'descr': 'i4'}", "values of the type 'i4'");
    refused("{'descr': '<U99999999'}", "values of the type '<U99999999'");
    refused("{'descr': '|O'}", "values of the type '|O'");
    refused("{'descr': [('a', '<f8')]}", "values of several members");
    refused("{'descr': '<f8}", "where a short text in quotes is needed");
    refused("{descr: '<f8'}", "where a text in quotes is needed");
    refused("{'fortran_order': 1}", "where True or False is needed");
    refused("{'descr': '<f8', 'fortran_order': True, 'shape': (3, 4)}", "allowed: C order");
    refused("{'shape': 3}", "where ( of a shape is needed");
    refused("{'shape': (-3,)}", "where a size is needed");
    refused("{'shape': (3 4)}", "where , in a shape is needed");
    refused("{'shape': (9223372036854775808,)}", "a size of more than 63 bits");
    refused("{'shape': (1,1,1,1,1,1,1,1,1)}", "more than 8 dimensions");
    refused("{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", "values of an NPY file");
}

static void shapes(void **state)
{
    static const char *const headers[] = {
        "{'descr': '<f8', 'fortran_order': True, 'shape': (1, 4)}",
        "{'shape':(4,),'descr':\"<f8\",'fortran_order':False}",
        "{ 'descr' : '<f8' , 'fortran_order' : False , 'shape' : ( 2L , 2L , ) , } \n"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        unsigned char file[256] = "\x93NUMPY\2";
        SinoNpy npy;
        const size_t length = strlen(headers[i]);
        file[8] = (unsigned char)length;
        memcpy(file + 12, headers[i], length);
        assert_success(sino_npy_parse("a.npy", file, (int64_t)(12 + length), &npy));
        assert_int_equal(npy.count, 4);
        assert_int_equal(npy.header_bytes, 12 + length);
    }
}

static void truncated_anywhere(void **state)
{
    SinoNpy npy;
    size_t bytes;
    unsigned char *file = testing_npy(3, "<i4", "(0,)", "", 0, &bytes);
    (void)state;
    for (size_t i = 0; i < bytes; i++) {
        unsigned char *cut = malloc(i + 1); /* of exact size, for the sanitizer */
        assert_non_null(cut);
        memcpy(cut, file, i);
        assert_error(sino_npy_parse("a.npy", cut, (int64_t)i, &npy), SINO_BAD_INPUT, "a.npy ");
        free(cut);
    }
    assert_success(sino_npy_parse("a.npy", file, (int64_t)bytes, &npy));
    file[6] = 4;
    assert_error(sino_npy_parse("a.npy", file, (int64_t)bytes, &npy), SINO_BAD_INPUT, "NPY version 4; allowed");
    file[6] = 2;
    file[11] = 1;
    assert_error(sino_npy_parse("a.npy", file, (int64_t)bytes, &npy), SINO_BAD_INPUT, "allowed: up to 65536");
    free(file);
}

TESTING_SUBJECT(npy)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_of_every_width),
        cmocka_unit_test(floats_of_both_orders),
        cmocka_unit_test(texts),
        cmocka_unit_test(damaged_headers),
        cmocka_unit_test(shapes),
        cmocka_unit_test(truncated_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
