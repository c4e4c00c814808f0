/* SPDX-License-Identifier: BSD-3-Clause */
/* Sample table: samples stand for all times, new runs push out old ones, text comes back, and damaged text does not. */
#include "models.h"

#include "device.h"
#include "testing.h"

#include <math.h>

static SinoSampleEntry entry_of(const char *symbol, uint32_t footprint, double bytes)
{
    SinoSampleEntry entry = {.device = SINO_DEVICE_CPU, .footprint = footprint, .width = 8, .precision = 1};
    snprintf(entry.symbol, sizeof entry.symbol, "%s", symbol);
    entry.bytes = bytes;
    return entry;
}

/* `count` times from `from` on, `step` apart, in an order that is not theirs. */
static SinoSampleEntry filled(uint32_t footprint, int count, double from, double step)
{
    SinoSampleEntry entry = entry_of("sinodag_x", footprint, 0);
    uint64_t random = 1;
    for (int i = 0; i < count; i++)
        sino_sample_add(&entry, 100, 200, 1e6, from + step * (double)((int64_t)i * 7919 % count), &random);
    return entry;
}

static void samples_stand_for_all(void **state)
{
    SinoSampleTable table = {0};
    (void)state;
    const SinoSampleEntry few = filled(1, 5, 10, 1), many = filled(2, 5000, 1000, 1);
    assert_success(sino_sample_table_add(&table, &few));
    assert_success(sino_sample_table_add(&table, &many));
    assert_int_equal(table.count, 2);
    assert_true(sino_sample_quantile(&table.entry[0], 0.5) == 12);
    assert_true(sino_sample_quantile(&table.entry[0], 0) == 10 && sino_sample_quantile(&table.entry[0], 1) == 14);
    assert_true(fabs(sino_sample_quantile(&table.entry[0], 0.375) - 11.5) < 1e-6);
    assert_int_equal(table.entry[1].time_count, SINO_SAMPLE_TIMES);
    assert_true(table.entry[1].count == 5000 && fabs(table.entry[1].work - 100) < 1e-9);
    const double median = sino_sample_quantile(&table.entry[1], 0.5); /* 3500 ± 1300: three standard errors */
    assert_true(fabs(median - 3500) < 1300);
    sino_sample_table_free(&table);
}

/* Workers of a run count by their tasks. */
static void workers_count_by_tasks(void **state)
{
    SinoSampleTable table = {0};
    (void)state;
    const SinoSampleEntry slow = filled(1, 40, 500, 0), fast = filled(1, 20, 100, 0);
    assert_success(sino_sample_table_add(&table, &slow));
    assert_success(sino_sample_table_add(&table, &fast));
    int of_fast = 0;
    for (int i = 0; i < SINO_SAMPLE_TIMES; i++) of_fast += table.entry[0].us[i] == 100;
    assert_true(table.count == 1 && table.entry[0].count == 60 && of_fast == SINO_SAMPLE_TIMES / 3);
    sino_sample_table_free(&table);
}

static void add_run(SinoSampleTable *kept, uint32_t footprint, int count, double us, bool renew)
{
    SinoSampleTable run = {0};
    const SinoSampleEntry entry = filled(footprint, count, us, 0);
    assert_success(sino_sample_table_add(&run, &entry));
    assert_success(sino_sample_table_merge(kept, &run, renew));
    sino_sample_table_free(&run);
}

static int count_of(const SinoSampleTable *table, int64_t i, float us)
{
    int count = 0;
    for (int t = 0; t < table->entry[i].time_count; t++) count += table->entry[i].us[t] == us;
    return count;
}

static void old_runs_fade(void **state)
{
    SinoSampleTable kept = {0};
    (void)state;
    add_run(&kept, 1, 100, 50, false);
    add_run(&kept, 1, 1, 70, false); /* a single task is one time among many */
    assert_int_equal(count_of(&kept, 0, 70), 1);
    assert_true(sino_sample_quantile(&kept.entry[0], 0.5) == 50);
    add_run(&kept, 1, 100, 70, false);
    assert_int_equal(count_of(&kept, 0, 50), 5);
    add_run(&kept, 1, 100, 90, false);
    add_run(&kept, 1, 100, 90, false);
    add_run(&kept, 1, 100, 90, false);
    assert_int_equal(count_of(&kept, 0, 50), 0);
    assert_true(kept.entry[0].count < 250);
    add_run(&kept, 2, 10, 20, false);
    assert_true(kept.count == 2 && kept.entry[0].age == 1 && kept.entry[1].age == 0);
    add_run(&kept, 3, 10, 20, true); /* one model */
    assert_true(kept.count == 1 && kept.entry[0].footprint == 3);
    sino_sample_table_free(&kept);
}

static void sizes_are_kept_apart(void **state)
{
    SinoSampleTable kept = {0};
    (void)state;
    SinoSampleEntry a = filled(1, 3, 50, 0), b = a, c = a, device = a, model = a;
    b.bytes = 1.05e6;
    c.bytes = 1.5e6;
    device.device = SINO_DEVICE_CUDA;
    snprintf(model.symbol, sizeof model.symbol, "sinodag_y");
    const SinoSampleEntry *const all[] = {&a, &b, &c, &device, &model};
    for (int i = 0; i < 5; i++) assert_success(sino_sample_table_add(&kept, all[i]));
    assert_int_equal(kept.count, 4);
    sino_sample_table_free(&kept);
}

static void tables_are_bounded(void **state)
{
    SinoSampleTable kept = {0}, run = {0};
    (void)state;
    add_run(&kept, UINT32_MAX, 1, 50, false);
    for (uint32_t i = 0; i < SINO_SAMPLE_ENTRIES; i++) {
        const SinoSampleEntry entry = filled(i, 1, 10, 0);
        assert_success(sino_sample_table_add(&run, &entry));
    }
    assert_success(sino_sample_table_merge(&kept, &run, false));
    assert_int_equal(kept.count, SINO_SAMPLE_ENTRIES);
    assert_true(kept.entry[kept.count - 1].footprint == SINO_SAMPLE_ENTRIES - 1); /* the oldest one has gone */
    sino_sample_table_free(&kept);
    sino_sample_table_free(&run);
}

static char *text_of(const SinoSampleTable *table)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    sino_sample_table_print(table, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void text_comes_back(void **state)
{
    SinoSampleTable table = {0}, again;
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        const SinoSampleEntry entry = filled(3 * i, 1 + 9 * (int)i, 0.25 + 1000 * i, 1.5);
        assert_success(sino_sample_table_add(&table, &entry));
    }
    char *text = text_of(&table);
    assert_true(sino_sample_table_parse(text, &again));
    char *other = text_of(&again);
    assert_string_equal(text, other);
    /* Whatever a text says instead, it is read or refused as a whole. */
    for (size_t i = 0; text[i]; i++) {
        char *broken = strdup(text);
        broken[i] = (char)(broken[i] == '-' ? 'e' : '-');
        sino_sample_table_free(&again);
        if (!sino_sample_table_parse(broken, &again)) assert_true(again.count == 0 && !again.entry);
        broken[i] = '\0';
        sino_sample_table_free(&again);
        (void)sino_sample_table_parse(broken, &again);
        free(broken);
    }
    sino_sample_table_free(&again);
    assert_false(sino_sample_table_parse("", &again));
    assert_false(sino_sample_table_parse("# sinodag samples 0\n", &again));
    free(text);
    free(other);
    sino_sample_table_free(&table);
}

/* Each class has an entry of its own, whose bytes are of the class; names of policies stay one word. */
static void times_between_tasks(void **state)
{
    SinoSampleTable table = {0}, again;
    (void)state;
    assert_int_equal(sino_between_class(0), 0);
    assert_int_equal(sino_between_class(1025), 1);
    assert_int_equal(sino_between_class(INT64_MAX), SINO_BETWEEN_CLASSES - 1);
    for (int number = 0; number < SINO_BETWEEN_CLASSES; number++) {
        SinoSampleEntry entry = filled(0, 3, 5 + number, 1);
        entry.bytes = sino_between_bytes(number);
        sino_between_symbol("a policy", entry.symbol);
        assert_int_equal(sino_between_class((int64_t)entry.bytes), number);
        assert_true(sino_between_is(&entry));
        assert_success(sino_sample_table_add(&table, &entry));
    }
    const SinoSampleEntry task = filled(1, 3, 5, 1);
    assert_false(sino_between_is(&task));
    assert_int_equal(table.count, SINO_BETWEEN_CLASSES);
    char *text = text_of(&table);
    assert_true(sino_sample_table_parse(text, &again));
    assert_int_equal(again.count, table.count);
    assert_string_equal(again.entry[0].symbol, "between_tasks_a_policy");
    free(text);
    sino_sample_table_free(&again);
    sino_sample_table_free(&table);
}

TESTING_SUBJECT(sample_table)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_stand_for_all), cmocka_unit_test(workers_count_by_tasks),
        cmocka_unit_test(old_runs_fade),         cmocka_unit_test(sizes_are_kept_apart),
        cmocka_unit_test(tables_are_bounded),    cmocka_unit_test(text_comes_back),
        cmocka_unit_test(times_between_tasks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
