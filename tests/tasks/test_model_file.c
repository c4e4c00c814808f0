/* SPDX-License-Identifier: BSD-3-Clause */
/* Model file: what was sealed comes back, a changed byte is found, and seals of older programs still hold. */
#include "models.h"

#include "testing.h"

#include <inttypes.h>
#include <stdlib.h>

#include <starpu.h>

static const char *const texts[] = {"# version\n45\n", "<?xml version='1.0'?>\n<platform/>\n", ""};
enum { TEXTS = sizeof texts / sizeof *texts, SET = 0x5e7 };

static void assert_holds(const char *path, const char *text)
{
    SinoModelFile file;
    assert_int_equal(sino_model_file_read(path, &file), SINO_MODEL_FILE_GOOD);
    assert_string_equal(file.text, text);
    assert_int_equal(file.bytes, strlen(text));
    assert_int_equal(file.set, SET);
    sino_model_file_free(&file);
}

static void sealed_files_return(void **state)
{
    char path[TESTING_PATH];
    testing_path(path, *state, "model");
    for (int i = 0; i < TEXTS; i++) {
        char *text = strdup(texts[i]);
        assert_non_null(text);
        assert_true(sino_model_file_write(path, &(SinoModelFile){.text = text, .bytes = strlen(text), .set = SET}));
        assert_holds(path, text);
        free(text);
    }
}

static void every_changed_byte_is_found(void **state)
{
    char path[TESTING_PATH], text[] = "# version\n45\n", whole[256];
    SinoModelFile file;
    testing_path(path, *state, "model");
    assert_true(sino_model_file_write(path, &(SinoModelFile){.text = text, .bytes = strlen(text), .set = SET}));
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    const size_t bytes = fread(whole, 1, sizeof whole, in);
    assert_true(bytes > strlen(text) && bytes < sizeof whole);
    assert_int_equal(fclose(in), 0);
    for (size_t i = 0; i < bytes; i++) {
        whole[i] ^= 1;
        testing_write_bytes(path, whole, bytes);
        assert_int_equal(sino_model_file_read(path, &file), SINO_MODEL_FILE_DAMAGED);
        whole[i] ^= 1;
        testing_write_bytes(path, whole, i); /* cut off */
        assert_int_equal(sino_model_file_read(path, &file), SINO_MODEL_FILE_DAMAGED);
    }
    testing_write_bytes(path, whole, bytes);
    assert_holds(path, text);
}

static void older_seals_hold(void **state)
{
    char path[TESTING_PATH], whole[256];
    testing_path(path, *state, "model");
    for (int i = 0; i < TEXTS; i++) {
        const char *text = texts[i], *open = text[0] == '<' ? "<!--" : "#", *close = text[0] == '<' ? " -->" : "";
        const int bytes =
            snprintf(whole, sizeof whole, "%s%s sinodag set %016x crc32c %08" PRIx32 " of %zu bytes%s\n", text, open,
                     SET, starpu_hash_crc32c_be_n(text, strlen(text), 0), strlen(text), close);
        testing_write_bytes(path, whole, (size_t)bytes);
        assert_holds(path, text);
    }
}

TESTING_SUBJECT(model_file)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sealed_files_return, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(every_changed_byte_is_found, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(older_seals_hold, testing_directory_make, testing_directory_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
