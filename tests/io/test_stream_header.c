/* SPDX-License-Identifier: BSD-3-Clause */
/* Stream header: names, numbers and types that messages may have. */
#include "stream_header.h"
#include "testing.h"

static SinoStatus parse(const char *text, SinoStreamHeader *header)
{
    return sino_stream_header_parse(text, (int64_t)strlen(text), header);
}

static void headers_are_read(void **state)
{
    SinoStreamHeader header;
    (void)state;
    assert_success(parse("{\"htype\": \"header\", \"shape\": [7, 5, 3], \"type\": \"uint16\", \"flats\": 2}", &header));
    assert_int_equal(header.kind, SINO_STREAM_SERIES);
    assert_int_equal(header.fields[SINO_FIELD_DATA], 7);
    assert_int_equal(header.fields[SINO_FIELD_FLATS], 2);
    assert_int_equal(header.fields[SINO_FIELD_DARKS], 0);
    assert_int_equal(header.values.count, 105);
    assert_success(
        parse("{\"htype\": \"dark\", \"frame\": 4, \"shape\": [5, 3], \"type\": \"float32\", \"compression\": "
              "\"none\", \"msg_number\": 9, \"angle\": [1, {}]}",
              &header));
    assert_int_equal(header.kind, SINO_STREAM_FRAME);
    assert_int_equal(header.field, SINO_FIELD_DARKS);
    assert_int_equal(header.frame, 4);
    assert_int_equal(header.values.kind, SINO_NPY_FLOAT);
    assert_int_equal(header.values.item_bytes, 4);
    assert_success(parse("{\"htype\": \"series_end\"}", &header));
    assert_int_equal(header.kind, SINO_STREAM_END);
}

static void others_are_refused(void **state)
{
    static const char *const bad[][2] = {
        {"", "JSON | byte 0"},
        {"{\"htype\": \"image\"", "JSON"},
        {"{\"htype\": \"image\", \"htype\": \"dark\"}", "JSON"},
        {"[]", "htype | header | image | series_end"},
        {"{\"htype\": 3}", "htype | flat"},
        {"{\"htype\": \"image\", \"shape\": [5, 3], \"type\": \"uint16\"}", "frame | 0 to 1048576"},
        {"{\"htype\": \"image\", \"frame\": -1, \"shape\": [5, 3], \"type\": \"uint16\"}", "frame"},
        {"{\"htype\": \"image\", \"frame\": 1.5, \"shape\": [5, 3], \"type\": \"uint16\"}", "frame"},
        {"{\"htype\": \"image\", \"frame\": 99999999999999999999, \"shape\": [5, 3], \"type\": \"uint16\"}", "JSON"},
        {"{\"htype\": \"image\", \"frame\": 1, \"shape\": [5], \"type\": \"uint16\"}", "shape | 2 numbers"},
        {"{\"htype\": \"image\", \"frame\": 1, \"shape\": [5, 0], \"type\": \"uint16\"}", "shape | 0"},
        {"{\"htype\": \"image\", \"frame\": 1, \"shape\": [5, 3], \"type\": \"int12\"}", "type | float64"},
        {"{\"htype\": \"image\", \"frame\": 1, \"shape\": [5, 3], \"type\": \"uint16\", \"compression\": \"bslz4\"}",
         "compressed"},
        {"{\"htype\": \"header\", \"shape\": [7, 5, 3], \"type\": \"uint16\", \"darks\": \"two\"}", "darks"},
        {"{\"htype\": \"header\", \"shape\": [7, 5, 9999999], \"type\": \"uint16\"}", "shape | 0 to 1048576"},
    };
    SinoStreamHeader header;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_error(parse(bad[i][0], &header), SINO_BAD_INPUT, bad[i][1]);
}

TESTING_SUBJECT(stream_header)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_are_read),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
