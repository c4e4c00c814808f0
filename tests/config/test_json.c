/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON: objects, lists and values in both layouts. */
#include "testing.h"
#include "testing_subject.h"
#include "text.h"

#include <math.h>

static void write_all(SinoJson *json)
{
    sino_json_open(json, NULL);
    sino_json_integer(json, "count", -3);
    sino_json_open(json, "none");
    sino_json_close(json);
    sino_json_open(json, "some");
    sino_json_real(json, "a", 0.1);
    sino_json_real(json, "b", NAN);
    sino_json_flag(json, "c", true);
    sino_json_thousandths(json, "d", -12034);
    sino_json_thousandths(json, "e", 9007199254740993);
    sino_json_close(json);
    sino_json_open_list(json, "list");
    sino_json_text(json, NULL, "\"\\\n\x7f\xc2\x85\xff\xc3\xbc");
    sino_json_text(json, NULL, NULL);
    sino_json_close_list(json);
    sino_json_flag(json, "last", false);
    sino_json_close(json);
}

static void both_layouts(void **state)
{
    (void)state;
    static const char *const expected[] = {
        "{\"count\": -3,\n \"none\": {},\n \"some\": {\"a\": 0.1, \"b\": null, \"c\": true, \"d\": -12.034, \"e\": "
        "9007199254740.993},\n"
        " \"list\": [\"\\\"\\\\\\u000a\\u007f\\u0085\\ufffd\xc3\xbc\", null],\n \"last\": false}\n",
        "{\"count\":-3,\"none\":{},\"some\":{\"a\":0.1,\"b\":null,\"c\":true,\"d\":-12.034,\"e\":9007199254740.993},"
        "\"list\":[\"\\\"\\\\\\u000a\\u007f\\u0085\\ufffd\xc3\xbc\",null],\"last\":false}\n"};
    for (int i = 0; i < 2; i++) {
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        write_all(&(SinoJson){.out = out, .compact = i == 1});
        assert_int_equal(fclose(out), 0);
        assert_string_equal(text, expected[i]);
        free(text);
    }
}

TESTING_SUBJECT(json)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_layouts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
