/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings template: the file that init writes, a YAML file for --config with the usual settings and what they mean. */
#include "settings_table.h"

#include <stdlib.h>
#include <string.h>

/* Of the file and its run, not of the scan. */
static const char *const left_out[] = {"file-name", "out", "config", "overwrite", "resume", "log", NULL};

static bool is_left_out(const SinoSetting *row)
{
    for (int i = 0; left_out[i]; i++)
        if (strcmp(row->name, left_out[i]) == 0) return true;
    return row->argument_only || !(row->verbs & SINO_VERB_RECON);
}

/* What is known of the scan. */
typedef struct Notes {
    int64_t count;
    const SinoSettingNote *note;
} Notes;

static const SinoSettingNote *note_of(const Notes *notes, const SinoSetting *row)
{
    for (int64_t i = 0; i < notes->count; i++)
        if (strcmp(row->name, notes->note[i].name) == 0) return &notes->note[i];
    return NULL;
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
    if (settled != row->fallback) *usual = settled && strcmp(*value, settled) == 0;
    return NULL;
}

/* What a setting means, and why it is so for this scan. */
static void explain(const SinoSetting *row, const SinoSettingNote *note, FILE *out)
{
    char gist[SINO_GIST_SIZE], allowed[SINO_ALLOWED_SIZE], text[2 * SINO_FACTS_SIZE];
    const char *clause;
    const int length = default_clause(row, &clause);
    snprintf(text, sizeof text, "%s%.*s (%s%s%s)", sino_setting_gist(row, gist), length, clause,
             sino_setting_allowed(row, allowed), row->unit ? "; " : "", row->unit ? row->unit : "");
    fputc('\n', out);
    print_comment(text, out);
    if (!note || !note->reason) return;
    snprintf(text, sizeof text, "This scan: %s.", note->reason);
    print_comment(text, out);
}

/* Prints a setting that is usual, was given or has a note, with what it means; the default is a comment. */
static SinoStatus print_row(const SinoSetting *row, const SinoSettings *settings, const Notes *notes, bool *titled,
                            FILE *out)
{
    const bool brief = row->brief && (row->brief_verbs & SINO_VERB_RECON);
    bool usual;
    char *value;
    SINO_TRY(find_value(row, settings, &value, &usual));
    const SinoSettingNote *note = usual ? note_of(notes, row) : NULL;
    if (brief || !usual || note) {
        if (!*titled) fprintf(out, "\n# ---- %s ----\n", sino_group_title[row->group]);
        *titled = true;
        explain(row, note, out);
        fprintf(out, "%s%s: %s\n", usual ? "#" : "", row->name, note ? note->value : value ? value : row->operand);
    }
    free(value);
    return NULL;
}

SinoStatus sino_settings_template(const SinoSettings *settings, int64_t note_count, const SinoSettingNote *note,
                                  FILE *out)
{
    const Notes notes = {note_count, note};
    for (SinoSettingGroup group = 0; group < SINO_GROUP_COUNT; group++) {
        bool titled = false;
        for (int i = 0; i < SINO_SETTING_COUNT; i++) {
            const SinoSetting *row = &sino_setting_table[i];
            if (row->group != group || is_left_out(row) || !sino_setting_applies(row, settings)) continue;
            SINO_TRY(print_row(row, settings, &notes, &titled, out));
        }
    }
    return NULL;
}
