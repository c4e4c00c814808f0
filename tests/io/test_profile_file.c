/* SPDX-License-Identifier: BSD-3-Clause */
/* Profile file: figures are taken, what is missing is not known, and other files are refused. */
#include "bench_csv.h"
#include "testing.h"

#include <math.h>
#include <string.h>

static SinoStatus read_text(const char *directory, const char *text, SinoProfile *profile)
{
    char path[TESTING_PATH];
    FILE *file = fopen(testing_path(path, directory, "p.json"), "w");
    assert_true(file && fputs(text, file) >= 0 && fclose(file) == 0);
    return sino_profile_read(path, profile);
}

#define BEGIN "{\"schema\": \"sinodag-profile\", \"schema_version\": 1, \"complete\": true, \"starpu\": \"1.3.10\", "

static void figures_are_taken(void **state)
{
    SinoProfile profile;
    assert_success(read_text(
        *state,
        BEGIN
        "\"scheduler\": \"lws\", \"ranks\": [{\"memory\": {\"resident_bytes\": 4096}, \"transfers\": [{\"bytes\": "
        "10}, {\"bytes\": 5}], \"parts\": [{\"name\": \"run\", \"bounds\": {\"starpu_s\": 0.5}}, {\"name\": "
        "\"building\", \"makespan_s\": 2}, {\"name\": \"reconstruction\", \"makespan_s\": 3, \"tasks\": 7, "
        "\"task_s\": 5, \"inside_tasks\": 0.75, \"bounds\": {\"area_s\": 2.5, \"critical_path_s\": 1}, \"kinds\": "
        "[{\"name\": \"load\", \"on\": \"cpu\", \"count\": 2, \"total_s\": 0.25}]}]}]}",
        &profile));
    assert_string_equal(profile.starpu, "1.3.10");
    assert_string_equal(profile.scheduler, "lws");
    assert_true(profile.makespan_s == 3 && profile.build_s == 2 && profile.task_s == 5 && profile.inside_tasks == 0.75);
    assert_true(profile.area_bound_s == 2.5 && profile.path_bound_s == 1 && profile.starpu_bound_s == 0.5);
    assert_int_equal(profile.tasks, 7);
    assert_int_equal(profile.transfer_bytes, 15);
    assert_int_equal(profile.peak_bytes, 4096);
    assert_int_equal(profile.kind_count, 1);
    assert_string_equal(profile.kind[0].name, "load");
    assert_string_equal(profile.kind[0].on, "cpu");
    assert_int_equal(profile.kind[0].count, 2);
    assert_true(profile.kind[0].total_s == 0.25);
}

static void missing_figures_are_not_known(void **state)
{
    SinoProfile profile;
    assert_success(read_text(*state,
                             BEGIN
                             "\"ranks\": [{\"parts\": [{\"name\": \"reconstruction\", \"makespan_s\": 3, \"tasks\": "
                             "7, \"bounds\": {\"area_s\": null}}]}]}",
                             &profile));
    assert_true(isnan(profile.build_s) && isnan(profile.area_bound_s) && isnan(profile.starpu_bound_s));
    assert_int_equal(profile.peak_bytes, -1);
    assert_int_equal(profile.transfer_bytes, 0);
    assert_int_equal(profile.kind_count, 0);
}

static void other_files_are_refused(void **state)
{
    static const char *const text[][2] = {
        {"", "p.json: line 1: "},
        {"{\"schema\": \"sinodag-profile\"", "p.json: line 1: "},
        {"[1]", "p.json | no profile"},
        {"{\"schema\": \"sinodag-profile\", \"schema_version\": 2}", "p.json | no profile"},
        {"{\"schema\": \"sinodag-profile\", \"schema_version\": 1, \"complete\": false, \"ranks\": [{\"parts\": "
         "[{\"name\": \"reconstruction\", \"makespan_s\": 3, \"tasks\": 7}]}]}",
         "p.json is the profile of a run that failed"},
        {BEGIN "\"ranks\": []}", "p.json has no part \"reconstruction\""},
        {BEGIN "\"ranks\": [{\"parts\": [{\"name\": \"reconstruction\", \"makespan_s\": 0, \"tasks\": 0}]}]}",
         "p.json tells no makespan and no tasks"},
    };
    SinoProfile profile;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        assert_error(read_text(*state, text[i][0], &profile), SINO_FAILED, text[i][1]);
    assert_error(sino_profile_read("/nowhere/p.json", &profile), SINO_FAILED, "/nowhere/p.json");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(profile_file)
{
    const struct CMUnitTest tests[] = {TEST(figures_are_taken), TEST(missing_figures_are_not_known),
                                       TEST(other_files_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
