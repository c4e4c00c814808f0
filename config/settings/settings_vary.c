/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings, varied: reads --sweep and assigns its values. */
#include "settings_vary.h"

#include "settings_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Settings that say what is tried, and those whose effect no picture shows. */
static const char *const not_swept[] = {"reconstruction-type",
                                        "center-search-width",
                                        "center-search-step",
                                        "nsino",
                                        "geometry",
                                        "sweep",
                                        "rotation-axis-auto",
                                        "center-row",
                                        "prior-dimensions", /* of a volume */
                                        NULL};

static bool is_number(const SinoSetting *row)
{
    return row->kind == SINO_SETTING_INTEGER || row->kind == SINO_SETTING_REAL || row->kind == SINO_SETTING_AXIS ||
           row->kind == SINO_SETTING_AMOUNT;
}

static bool can_vary(const SinoSetting *row)
{
    const bool filter = strcmp(row->name, "post-filter") == 0; /* of an output that a picture shows */
    const bool group = filter || row->group == SINO_GROUP_STAGES || row->group == SINO_GROUP_GEOMETRY ||
                       row->group == SINO_GROUP_CENTER || row->group == SINO_GROUP_SOLVER;
    const bool kind = is_number(row) || row->kind == SINO_SETTING_CHOICE || row->kind == SINO_SETTING_FLAG;
    for (int i = 0; not_swept[i]; i++)
        if (strcmp(row->name, not_swept[i]) == 0) return false;
    return (row->verbs & SINO_VERB_RECON) && group && kind;
}

static SinoStatus find_row(const char *text, size_t length, const SinoSetting **row)
{
    *row = sino_setting_find(SINO_VERB_RECON, text, length);
    SINO_CHECK(
        *row && can_vary(*row), SINO_BAD_INPUT,
        "--sweep is '%s'; allowed: NAME=VALUES with a setting of a stage, the geometry, the center or the solver, "
        "such as rotation-axis=290:300:0.5, iterations=5,10,20 or remove-stripe-method=none,fw,ti",
        text);
    return NULL;
}

static SinoStatus add_value(const char *from, size_t length, SinoSwept *swept)
{
    SINO_CHECK(swept->count < SINO_SWEPT_MAX, SINO_BAD_INPUT, "--sweep has more than %d values; allowed: up to %d",
               SINO_SWEPT_MAX, SINO_SWEPT_MAX);
    SINO_CHECK(length > 0 && length < SINO_SWEPT_TEXT, SINO_BAD_INPUT,
               "--sweep has the value '%.*s'; allowed: values with commas, or FIRST:LAST:STEP", (int)length, from);
    snprintf(swept->value[swept->count++], SINO_SWEPT_TEXT, "%.*s", (int)length, from);
    return NULL;
}

static SinoStatus read_list(const char *values, SinoSwept *swept)
{
    for (const char *at = values;; at++) {
        const size_t length = strcspn(at, ",");
        SINO_TRY(add_value(at, length, swept));
        at += length;
        if (*at == '\0') return NULL;
    }
}

/* FIRST:LAST:STEP */
static SinoStatus read_range(const char *values, SinoSwept *swept)
{
    double number[3];
    const char *at = values;
    bool good = true;
    for (int i = 0; i < 3 && good; i++) {
        const size_t length = strcspn(at, ":");
        good = sino_real_parse(at, length, &number[i]) && (at[length] == ':') == (i < 2);
        at += length + 1;
    }
    SINO_CHECK(good && number[2] > 0 && number[1] >= number[0], SINO_BAD_INPUT,
               "--sweep has the range '%s'; allowed: FIRST:LAST:STEP with numbers, a step above 0, and a last number "
               "that is not below the first",
               values);
    const double steps = floor((number[1] - number[0]) / number[2] + 1e-6);
    SINO_CHECK(steps < SINO_SWEPT_MAX, SINO_BAD_INPUT, "--sweep has %.0f values; allowed: up to %d", steps + 1,
               SINO_SWEPT_MAX);
    for (int64_t i = 0; i <= (int64_t)steps; i++) {
        char text[SINO_SWEPT_TEXT];
        const int length = snprintf(text, sizeof text, "%.9g", number[0] + (double)i * number[2]);
        SINO_TRY(add_value(text, (size_t)length, swept));
    }
    return NULL;
}

/* Values that read as the same number or word would be written to the same file. */
static SinoStatus check_different(const SinoSwept *swept)
{
    for (int64_t i = 0; i < swept->count; i++)
        for (int64_t k = 0; k < i; k++) {
            double a, b;
            const bool numbers = swept->number && sino_real_parse(swept->value[i], strlen(swept->value[i]), &a) &&
                                 sino_real_parse(swept->value[k], strlen(swept->value[k]), &b);
            SINO_CHECK(numbers ? a != b : strcmp(swept->value[i], swept->value[k]) != 0, SINO_BAD_INPUT,
                       "--sweep has the value %s twice; allowed: different values", swept->value[i]);
        }
    return NULL;
}

SinoStatus sino_swept_read(const SinoSettings *settings, const char *text, SinoSwept *swept)
{
    const size_t length = strcspn(text, "=");
    const SinoSetting *row;
    SinoSettings varied;
    *swept = (SinoSwept){0};
    SINO_TRY(find_row(text, length, &row));
    SINO_CHECK(text[length] == '=', SINO_BAD_INPUT, "--sweep is '%s'; allowed: %s=VALUES", text, row->name);
    snprintf(swept->name, sizeof swept->name, "%s", row->name);
    swept->number = is_number(row);
    swept->axis = row->kind == SINO_SETTING_AXIS && strcmp(row->name, "rotation-axis") == 0;
    /* FBP's filter, iterations and the like leave A as it is; what else the solver has may not. */
    static const char *const same_operator[] = {
        "iterations",      "tolerance", "likelihood-tolerance", "relaxation",     "nonnegativity",
        "minimum",         "maximum",   "support-ratio",        "regularization", "prior",
        "prior-threshold", "weights",   "fbp-filter",           "post-filter",    NULL};
    swept->geometry = row->group != SINO_GROUP_STAGES;
    /* The algorithm decides, too, which stages a sample of the scan asks for; the margin belongs to the geometry. */
    swept->reopens = row->group == SINO_GROUP_STAGES || row->group == SINO_GROUP_GEOMETRY ||
                     strcmp(row->name, "algorithm") == 0 || strcmp(row->name, "margin") == 0;
    for (int i = 0; same_operator[i]; i++)
        if (strcmp(row->name, same_operator[i]) == 0) swept->geometry = false;
    const char *values = text + length + 1;
    SINO_TRY(swept->number && strchr(values, ':') ? read_range(values, swept) : read_list(values, swept));
    SINO_TRY(check_different(swept));
    for (int64_t i = 0; i < swept->count; i++) SINO_TRY(sino_swept_take(settings, swept, i, &varied));
    return NULL;
}

/* Files are opened before values are tried. */
static SinoStatus check_word(const SinoSetting *row, const char *where, const char *value)
{
    char text[SINO_ALLOWED_SIZE];
    bool word = !row->file;
    for (const char *const *at = row->file ? row->choices : NULL; at && *at; at++) word |= strcasecmp(*at, value) == 0;
    SINO_CHECK(word, SINO_BAD_INPUT, "%s is '%s'; allowed: %s", where, value,
               sino_words_join(row->choices, sino_setting_words(row), "or", text));
    return NULL;
}

/* Iterations that nobody gives follow the value, as those of a run with this value alone. */
static SinoStatus settle_iterations(const SinoSetting *row, SinoSettings *varied)
{
    const SinoSetting *iterations = sino_setting_find(SINO_VERB_RECON, "iterations", strlen("iterations"));
    varied->solver.usual_iterations &= row != iterations;
    if (!varied->solver.usual_iterations) return NULL;
    return sino_setting_assign(iterations, "--iterations", sino_setting_settled(iterations, SINO_VERB_RECON, varied),
                               varied);
}

SinoStatus sino_swept_take(const SinoSettings *settings, const SinoSwept *swept, int64_t i, SinoSettings *varied)
{
    const SinoSetting *row = sino_setting_find(SINO_VERB_RECON, swept->name, strlen(swept->name));
    char where[16 + SINO_SWEPT_TEXT];
    snprintf(where, sizeof where, "--sweep %s", swept->name);
    *varied = *settings;
    varied->remarks = NULL;
    SINO_TRY(check_word(row, where, swept->value[i]));
    SINO_TRY(sino_setting_assign_given(row, where, swept->value[i], varied));
    SINO_TRY(settle_iterations(row, varied));
    if (strcmp(row->name, "minimum") == 0 && varied->solver.minimum < 0)
        varied->solver.nonnegativity = SINO_NONNEGATIVITY_NO;
    free(varied->remarks);
    varied->remarks = NULL;
    return sino_setting_check(row, varied);
}
