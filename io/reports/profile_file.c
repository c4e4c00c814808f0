/* SPDX-License-Identifier: BSD-3-Clause */
/* Profile file: JSON by jansson. */
#include "bench_csv.h"

#include "arithmetic.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* NaN: there is none, or it is null. */
static double real_of(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static int64_t count_of(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return json_is_integer(value) ? (int64_t)json_integer_value(value) : -1;
}

static void text_of(const json_t *object, const char *name, char *text, size_t size)
{
    const char *value = json_string_value(json_object_get(object, name));
    snprintf(text, size, "%s", value ? value : "");
}

static const json_t *find_part(const json_t *rank, const char *name)
{
    size_t i;
    const json_t *part;
    json_array_foreach(json_object_get(rank, "parts"), i, part)
    {
        const char *own = json_string_value(json_object_get(part, "name"));
        if (own && strcmp(own, name) == 0) return part;
    }
    return NULL;
}

static void take_kinds(const json_t *part, SinoProfile *profile)
{
    size_t i;
    const json_t *kind;
    json_array_foreach(json_object_get(part, "kinds"), i, kind)
    {
        if (profile->kind_count == SINO_PROFILE_KINDS) return;
        SinoProfileKind *taken = &profile->kind[profile->kind_count++];
        text_of(kind, "name", taken->name, sizeof taken->name);
        text_of(kind, "on", taken->on, sizeof taken->on);
        taken->count = count_of(kind, "count");
        taken->total_s = real_of(kind, "total_s");
    }
}

static int64_t sum_transfers(const json_t *rank)
{
    size_t i;
    const json_t *transfer;
    int64_t sum = 0;
    json_array_foreach(json_object_get(rank, "transfers"), i, transfer) sum +=
        sino_larger(count_of(transfer, "bytes"), 0);
    return sum;
}

static void take(const json_t *root, const json_t *rank, const json_t *part, SinoProfile *profile)
{
    const json_t *bounds = json_object_get(part, "bounds");
    text_of(root, "starpu", profile->starpu, sizeof profile->starpu);
    text_of(root, "scheduler", profile->scheduler, sizeof profile->scheduler);
    profile->build_s = real_of(find_part(rank, "building"), "makespan_s");
    profile->makespan_s = real_of(part, "makespan_s");
    profile->inside_tasks = real_of(part, "inside_tasks");
    profile->task_s = real_of(part, "task_s");
    profile->area_bound_s = real_of(bounds, "area_s");
    profile->path_bound_s = real_of(bounds, "critical_path_s");
    profile->starpu_bound_s = real_of(json_object_get(find_part(rank, "run"), "bounds"), "starpu_s");
    profile->tasks = count_of(part, "tasks");
    profile->transfer_bytes = sum_transfers(rank);
    profile->peak_bytes = count_of(json_object_get(rank, "memory"), "resident_bytes");
    take_kinds(part, profile);
}

static SinoStatus check(const json_t *root, const char *path)
{
    const char *schema = json_string_value(json_object_get(root, "schema"));
    SINO_CHECK(schema && strcmp(schema, "sinodag-profile") == 0 && count_of(root, "schema_version") == 1, SINO_FAILED,
               "%s is no profile; needed: a file of --profile=FILE.json, version 1", path);
    SINO_CHECK(json_is_true(json_object_get(root, "complete")), SINO_FAILED, "%s is the profile of a run that failed",
               path);
    return NULL;
}

static SinoStatus take_parts(const json_t *root, const char *path, SinoProfile *profile)
{
    const json_t *rank = json_array_get(json_object_get(root, "ranks"), 0);
    const json_t *part = find_part(rank, "reconstruction");
    SINO_TRY(check(root, path));
    SINO_CHECK(part, SINO_FAILED, "%s has no part \"reconstruction\"", path);
    *profile = (SinoProfile){.kind_count = 0};
    take(root, rank, part, profile);
    SINO_CHECK(profile->makespan_s > 0 && profile->tasks > 0, SINO_FAILED, "%s tells no makespan and no tasks", path);
    return NULL;
}

SinoStatus sino_profile_read(const char *path, SinoProfile *profile)
{
    json_error_t error;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    SINO_CHECK(root, SINO_FAILED, "%s: line %d: %s", path, error.line, error.text);
    SinoStatus status = take_parts(root, path, profile);
    json_decref(root);
    return status;
}
