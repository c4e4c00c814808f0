/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings words: settings as words of the command line, for a child process that gets another verb. */
#include "memory.h"
#include "settings_table.h"

#include <stdlib.h>
#include <string.h>

/* Files that a verb reads and writes are the caller's to name; the log, --overwrite, --resume and --help belong to a
 * process. */
static bool is_passed_on(const SinoSetting *row, int verb, int to, const SinoSettings *settings)
{
    const SinoSetting *theirs = sino_setting_find(to, row->name, strlen(row->name));
    const bool file = row->kind == SINO_SETTING_TEXT && row->may_change;
    const bool output = row->group == SINO_GROUP_OUTPUT && (row->may_change || row->argument_only);
    const bool own = output || row->group == SINO_GROUP_GENERAL;
    return (row->verbs & verb) && (theirs->verbs & to) && theirs->kind == row->kind && !file && !own &&
           sino_setting_applies(row, settings) && !sino_setting_is_unset(row, settings);
}

/* A file may tell another geometry than the default. */
static bool is_told(const SinoSetting *row, const SinoSettings *settings)
{
    return settings->input.file_name && strcmp(row->name, "geometry") == 0;
}

/* "--name=value"; NULL: the verb `to` takes the value by default. The caller frees *word. */
static SinoStatus print_word(const SinoSetting *row, const SinoSettings *settings, int to, char **word)
{
    const char *fallback = sino_setting_settled(sino_setting_find(to, row->name, strlen(row->name)), to, settings);
    size_t size;
    FILE *out = open_memstream(word, &size);
    SINO_CHECK(out, SINO_FAILED, "no memory for a setting");
    const int before = fprintf(out, "--%s=", row->name);
    const char *file = sino_setting_file(row, settings);
    if (file) {
        fputs(file, out);
    } else if (row->kind == SINO_SETTING_TEXT) {
        char *text;
        memcpy(&text, (const char *)settings + row->offset, sizeof text);
        fputs(text, out);
    } else {
        sino_setting_print(row, settings, out);
    }
    SINO_CHECK(fclose(out) == 0, SINO_FAILED, "no memory for a setting");
    if (!fallback || strcmp(*word + before, fallback) != 0 || is_told(row, settings)) return NULL;
    free(*word);
    *word = NULL;
    return NULL;
}

SinoStatus sino_settings_words(const SinoSettings *settings, int verb, int to, char ***words)
{
    char **list = NULL;
    int count = 0;
    SINO_TRY(sino_allocate(SINO_SETTING_COUNT + 1, sizeof *list, "settings", &list));
    for (const SinoSetting *row = sino_setting_table; row < sino_setting_table + SINO_SETTING_COUNT; row++) {
        if (!is_passed_on(row, verb, to, settings)) continue;
        SinoStatus status = print_word(row, settings, to, &list[count]);
        if (list[count]) count++;
        if (!status) continue;
        sino_words_free(list);
        return status;
    }
    *words = list;
    return NULL;
}

void sino_words_free(char **words)
{
    for (char **word = words; word && *word; word++) free(*word);
    free(words);
}
