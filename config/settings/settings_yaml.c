/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings YAML: reads the file of --config, and prints the settings in force in the same form. The parser of the
 * command line checks the values. */
#include "settings_table.h"
#include "yaml_texts.h"

#include <stdlib.h>
#include <string.h>

/* Row i goes to text[i]; lists[i]: its value may be a sequence. Left out, and so unknown keys, are rows for the command
 * line only, and rows of other verbs whose name the verb's own row shares. */
static void name_keys(int verb, const char *key[SINO_SETTING_COUNT], bool lists[SINO_SETTING_COUNT])
{
    for (int i = 0; i < SINO_SETTING_COUNT; i++) {
        const SinoSetting *row = &sino_setting_table[i];
        const bool own = !row->argument_only && sino_setting_find(verb, row->name, strlen(row->name)) == row;
        key[i] = own ? row->name : NULL;
        lists[i] = sino_setting_is_list(row);
    }
}

static SinoStatus unknown_setting(const void *verb, const char *word)
{
    return sino_setting_unknown(*(const int *)verb, "unknown setting", "", word);
}

static SinoStatus assign_texts(const char *path, int verb, char *const text[SINO_SETTING_COUNT], SinoSettings *settings,
                               bool given[SINO_SETTING_COUNT])
{
    for (int i = 0; i < SINO_SETTING_COUNT; i++) {
        if (!text[i]) continue;
        const SinoSetting *row = &sino_setting_table[i];
        SinoStatus status = sino_setting_check_verb(row, verb, row->name);
        if (!status) status = sino_setting_assign_given(row, row->name, text[i], settings);
        if (status) return sino_error_prefix(status, "%s", path);
        given[i] = true;
    }
    return NULL;
}

SinoStatus sino_settings_yaml_read(const char *path, int verb, SinoSettings *settings, bool given[SINO_SETTING_COUNT])
{
    const char *key[SINO_SETTING_COUNT];
    bool lists[SINO_SETTING_COUNT];
    char **text;
    name_keys(verb, key, lists);
    const SinoYamlFile file = {.path = path,
                               .where = "--config",
                               .content = "settings",
                               .count = SINO_SETTING_COUNT,
                               .key = key,
                               .lists = lists,
                               .unknown = unknown_setting,
                               .context = &verb};
    SINO_TRY(sino_yaml_texts_read(&file, &text));
    SinoStatus status = text ? assign_texts(path, verb, text, settings, given) : NULL; /* NULL: no setting */
    sino_yaml_texts_free(SINO_SETTING_COUNT, text);
    return status;
}

/* Which settings a text has. */
typedef enum Selection { ALL, CHANGED, FIXED, SHARED } Selection;

/* Skips settings of other algorithms: they have no effect, and reading them back would be refused as a
 * contradiction. */
static bool is_printed(const SinoSetting *row, const SinoSettings *settings, int verb, Selection selection)
{
    const bool selected =
        selection == SHARED ? !row->per_rank : !row->argument_only && !(selection == FIXED && row->may_change);
    return selected && (row->verbs & verb) && sino_setting_applies(row, settings) &&
           !sino_setting_is_unset(row, settings);
}

SinoStatus sino_setting_yaml(const SinoSetting *row, const SinoSettings *settings, char **value, bool *usual)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    SINO_CHECK(memory, SINO_FAILED, "no memory for the text of a setting");
    sino_setting_print(row, settings, memory);
    SINO_CHECK(fclose(memory) == 0, SINO_FAILED, "no memory for the text of a setting");
    const bool quoted = row->kind == SINO_SETTING_TEXT && text[0] == '"';
    const size_t length = strlen(text) - (quoted ? 2 : 0);
    *usual = row->fallback && strlen(row->fallback) == length && memcmp(text + quoted, row->fallback, length) == 0;
    *value = text;
    return NULL;
}

/* Prints a value, unless it is the default and only others are asked for. */
static SinoStatus print_line(const SinoSetting *row, const SinoSettings *settings, Selection selection, FILE *out)
{
    char *value;
    bool usual;
    SINO_TRY(sino_setting_yaml(row, settings, &value, &usual));
    if (!usual || selection != CHANGED) fprintf(out, "%s: %s\n", row->name, value);
    free(value);
    return NULL;
}

static SinoStatus print_settings(const SinoSettings *settings, int verb, Selection selection, char **text)
{
    char *buffer = NULL;
    size_t size;
    SinoStatus status = NULL;
    FILE *out = open_memstream(&buffer, &size);
    SINO_CHECK(out, SINO_FAILED, "no memory for the text of the settings");
    for (const SinoSetting *row = sino_setting_table; row < sino_setting_table + SINO_SETTING_COUNT; row++) {
        if (!status && is_printed(row, settings, verb, selection)) status = print_line(row, settings, selection, out);
    }
    if (fclose(out) != 0 && !status) status = sino_error(SINO_FAILED, "no memory for the text of the settings");
    if (status) {
        free(buffer);
        return status;
    }
    *text = buffer;
    return NULL;
}

SinoStatus sino_settings_text(const SinoSettings *settings, int verb, char **text)
{
    return print_settings(settings, verb, ALL, text);
}

SinoStatus sino_settings_changed_text(const SinoSettings *settings, int verb, char **text)
{
    return print_settings(settings, verb, CHANGED, text);
}

SinoStatus sino_settings_fixed_text(const SinoSettings *settings, int verb, char **text)
{
    return print_settings(settings, verb, FIXED, text);
}

SinoStatus sino_settings_shared_text(const SinoSettings *settings, int verb, char **text)
{
    return print_settings(settings, verb, SHARED, text);
}
