/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings template: the file that init writes, a YAML file for --config with the usual settings and what they mean. */
#include "settings_table.h"

#include <stdlib.h>
#include <string.h>

/* Of the file and its run, not of the scan. */
static const char *const left_out[] = {"file-name", "out", "config", "overwrite", "resume", "log", NULL};

/* Written though they are not usual. */
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

/* Prints a setting that is usual or was given, with what it means; the default is a comment. */
static SinoStatus print_row(const SinoSetting *row, const SinoSettings *settings, bool *titled, FILE *out)
{
    const bool brief = row->brief && (row->brief_verbs & SINO_VERB_RECON), unset = sino_setting_is_unset(row, settings);
    bool usual = true;
    char *value = NULL, gist[SINO_GIST_SIZE], allowed[SINO_ALLOWED_SIZE], text[SINO_GIST_SIZE + SINO_ALLOWED_SIZE + 64];
    if (!unset) SINO_TRY(sino_setting_yaml(row, settings, &value, &usual));
    if (brief || !usual || is_among(added, row)) {
        if (!*titled) fprintf(out, "\n# ---- %s ----\n", sino_group_title[row->group]);
        *titled = true;
        snprintf(text, sizeof text, "%s (%s%s%s)", sino_setting_gist(row, gist), sino_setting_allowed(row, allowed),
                 row->unit ? "; " : "", row->unit ? row->unit : "");
        fputc('\n', out);
        print_comment(text, out);
        fprintf(out, "%s%s: %s\n", usual ? "#" : "", row->name, value ? value : row->operand);
    }
    free(value);
    return NULL;
}

SinoStatus sino_settings_template(const SinoSettings *settings, FILE *out)
{
    for (SinoSettingGroup group = 0; group < SINO_GROUP_COUNT; group++) {
        bool titled = false;
        for (int i = 0; i < SINO_SETTING_COUNT; i++) {
            const SinoSetting *row = &sino_setting_table[i];
            if (row->group != group || is_left_out(row) || !sino_setting_applies(row, settings)) continue;
            SINO_TRY(print_row(row, settings, &titled, out));
        }
    }
    return NULL;
}
