/* SPDX-License-Identifier: BSD-3-Clause */
/* Panel: widths, strides, and where the elements of a vector are, for the panels of this processor. */
#include "panel.h"

#include "testing.h"
#include "vector.h"

static const SinoPrecision precisions[] = {SINO_SINGLE, SINO_DOUBLE, SINO_HALF, SINO_MIXED};
enum { PRECISIONS = sizeof precisions / sizeof *precisions };

static bool is_power_of_two(int64_t number)
{
    return number > 0 && (number & (number - 1)) == 0;
}

static void width_is_two_registers(void **state)
{
    (void)state;
    const int64_t registers = 2 * sino_vector_bytes();
    assert_int_equal(sino_panel_width(SINO_SINGLE) * (int64_t)sizeof(float), registers);
    assert_int_equal(sino_panel_width(SINO_DOUBLE) * (int64_t)sizeof(double), registers);
    assert_int_equal(sino_panel_width(SINO_HALF), sino_panel_width(SINO_SINGLE));
    assert_int_equal(sino_panel_width(SINO_MIXED), sino_panel_width(SINO_SINGLE));
    for (int p = 0; p < PRECISIONS; p++) {
        const int64_t width = sino_panel_width(precisions[p]);
        assert_true(is_power_of_two(width) && width >= 4 && width <= SINO_PANEL_MAX);
        assert_int_equal(SINO_SLICES_MAX % width, 0);
    }
}

/* Whole panels, then the least power of two that holds the rest. */
static void stride_pads_little(void **state)
{
    (void)state;
    for (int p = 0; p < PRECISIONS; p++) {
        const int64_t width = sino_panel_width(precisions[p]);
        assert_int_equal(sino_panel_stride(precisions[p], 0), 0);
        for (int64_t count = 1; count <= SINO_SLICES_MAX; count++) {
            const int64_t stride = sino_panel_stride(precisions[p], count), last = stride - count / width * width;
            assert_true(stride >= count && stride <= SINO_SLICES_MAX);
            assert_true(count % width == 0 ? last == 0 : is_power_of_two(last) && last < 2 * (count % width));
            assert_int_equal(sino_panel_stride(precisions[p], stride), stride);
        }
    }
}

static void check_walk(SinoSlices slices)
{
    const int64_t width = sino_panel_width(slices.precision);
    int64_t slice_count = 0, first = 0;
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        assert_int_equal(at.first, first);
        assert_int_equal(at.slices.precision, slices.precision);
        assert_true(at.slices.stride == width ||
                    (at.slices.stride < width && first + at.slices.stride == slices.stride));
        /* Slices in use come first. */
        assert_true(at.slices.slice_count == at.slices.stride ||
                    slice_count + at.slices.slice_count == slices.slice_count);
        first += at.slices.stride;
        slice_count += at.slices.slice_count;
    }
    assert_int_equal(first, slices.stride);
    assert_int_equal(slice_count, slices.slice_count);
}

/* Every stride, and every number of slices in it. */
static void panels_hold_every_slice_once(void **state)
{
    (void)state;
    for (int p = 0; p < PRECISIONS; p++)
        for (int64_t stride = 0; stride <= SINO_SLICES_MAX; stride++)
            for (int64_t count = 0; count <= stride; count++) check_walk((SinoSlices){precisions[p], stride, count});
}

/* Walking panel after panel, row after row, slice after slice meets the elements in order. */
static void check_elements(SinoSlices slices, int64_t rows)
{
    const int64_t bytes = (int64_t)sino_precision_bytes(slices.precision);
    char vector = 0;
    int64_t element = 0;
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        assert_int_equal((const char *)sino_panel_from(at, rows, &vector) - &vector, element * bytes);
        assert_int_equal((char *)sino_panel_to(at, rows, &vector) - &vector, element * bytes);
        for (int64_t row = 0; row < rows; row++)
            for (int64_t f = at.first; f < at.first + at.slices.stride; f++)
                assert_int_equal(sino_panel_element(slices, rows, row, f), element++);
    }
    assert_int_equal(element, rows * slices.stride);
}

static void elements_follow_each_other(void **state)
{
    (void)state;
    static const int64_t rows[] = {1, 2, 7};
    for (int p = 0; p < PRECISIONS; p++)
        for (int64_t stride = 1; stride <= SINO_SLICES_MAX; stride++)
            for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
                check_elements((SinoSlices){precisions[p], stride, stride}, rows[r]);
}

TESTING_SUBJECT(panel)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(width_is_two_registers),
        cmocka_unit_test(stride_pads_little),
        cmocka_unit_test(panels_hold_every_slice_once),
        cmocka_unit_test(elements_follow_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
