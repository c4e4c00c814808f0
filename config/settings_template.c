/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings template: the file that init writes, a YAML file for --config with the usual settings and what they mean. */
#include "settings_table.h"

#include <stdlib.h>
#include <string.h>

/* Of the file and its run, not of the scan. */
static const char *const left_out[] = {"file-name", "out", "config", "overwrite", "resume", "log", NULL};

/* Written though it is not usual. */
static const char *const added[] = {"stages", NULL};

static bool is_among(const char *const *names, const SinoSetting *row)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(row->name, names[i]) == 0) return true;
    return false;
}

static bool is_left_out(const SinoSetting *row)
{
    return is_among(left_out, row) || row->argument_only || !(row->verbs & SINO_VERB_RECON);
}

/* Prints text as lines of comment. */
static void print_comment(const char *text, FILE *out)
{
    enum { WIDTH = 110 };
    int column = fprintf(out, "#");
    while (*text) {
        const int length = (int)strcspn(text, " ");
        if (column > 1 && column + 1 + length > WIDTH) {
            fputc('\n', out);
            column = fprintf(out, "#");
        }
        column += fprintf(out, " %.*s", length, text);
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

/* The clause of the help that tells what a setting is if it is not given, such as "; if not given: none"; its length.
 */
static int default_clause(const SinoSetting *row, const char **clause)
{
    static const char begin[] = "; if not given: ";
    *clause = strstr(row->help, begin);
    if (!*clause) *clause = "";
    return (int)(**clause ? 1 + strcspn(*clause + 1, ";") : 0);
}

/* The value as YAML, which the caller frees, and whether it is the default of the settings' algorithm; NULL: unset. */
static SinoStatus find_value(const SinoSetting *row, const SinoSettings *settings, char **value, bool *usual)
{
    *value = NULL;
    *usual = true;
    if (sino_setting_is_unset(row, settings)) return NULL;
    SINO_TRY(sino_setting_yaml(row, settings, value, usual));
    const char *settled = sino_setting_settled(row, SINO_VERB_RECON, settings);
    if (settled != row->fallback) *usual = strcmp(*value, settled) == 0;
    return NULL;
}

/* Prints a setting that is usual or was given, with what it means; the default is a comment. */
static SinoStatus print_row(const SinoSetting *row, const SinoSettings *settings, const char *stages, bool *titled,
                            FILE *out)
{
    const bool brief = row->brief && (row->brief_verbs & SINO_VERB_RECON), order = is_among(added, row);
    bool usual;
    char *value, gist[SINO_GIST_SIZE], allowed[SINO_ALLOWED_SIZE], text[2 * SINO_FACTS_SIZE];
    const char *clause;
    SINO_TRY(find_value(row, settings, &value, &usual));
    if (brief || !usual || order) {
        if (!*titled) fprintf(out, "\n# ---- %s ----\n", sino_group_title[row->group]);
        *titled = true;
        const int length = default_clause(row, &clause);
        snprintf(text, sizeof text, "%s%.*s (%s%s%s)", sino_setting_gist(row, gist), length, clause,
                 sino_setting_allowed(row, allowed), row->unit ? "; " : "", row->unit ? row->unit : "");
        fputc('\n', out);
        print_comment(text, out);
        const char *example = order ? stages : row->operand;
        fprintf(out, "%s%s: %s\n", usual ? "#" : "", row->name, value ? value : example);
    }
    free(value);
    return NULL;
}

SinoStatus sino_settings_template(const SinoSettings *settings, const char *stages, FILE *out)
{
    for (SinoSettingGroup group = 0; group < SINO_GROUP_COUNT; group++) {
        bool titled = false;
        for (int i = 0; i < SINO_SETTING_COUNT; i++) {
            const SinoSetting *row = &sino_setting_table[i];
            if (row->group != group || is_left_out(row) || !sino_setting_applies(row, settings)) continue;
            SINO_TRY(print_row(row, settings, stages, &titled, out));
        }
    }
    return NULL;
}
