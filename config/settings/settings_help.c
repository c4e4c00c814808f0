/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings help: prints the table for --help. */
#include "settings_table.h"

#include <string.h>

enum { BRIEF_INDENT = 34, HELP_INDENT = 34, HELP_WIDTH = 100 };

static bool is_shown(const SinoSetting *row, SinoSettingGroup group, int verb)
{
    return row->group == group && (row->verbs & verb) && !sino_setting_is_tuned(row, verb);
}

static bool is_tuned(const SinoSetting *row, SinoSettingGroup group, int verb)
{
    return row->group == group && sino_setting_is_tuned(row, verb);
}

static bool is_brief(const SinoSetting *row, SinoSettingGroup group, int verb)
{
    return is_shown(row, group, verb) && row->brief && (row->brief_verbs & verb);
}

/* Whether the setting belongs to the short help, to that of all options, or to that of --tune. */
typedef bool Selector(const SinoSetting *row, SinoSettingGroup group, int verb);

static bool has_group(Selector *selects, SinoSettingGroup group, int verb)
{
    for (int i = 0; i < SINO_SETTING_COUNT; i++)
        if (selects(&sino_setting_table[i], group, verb)) return true;
    return false;
}

/* Wraps `text` between columns HELP_INDENT and HELP_WIDTH; the caller has indented the first line. */
static void print_wrapped(const char *text, FILE *out)
{
    int column = HELP_INDENT;
    while (*text) {
        const int length = (int)strcspn(text, " ");
        if (column > HELP_INDENT && column + 1 + length > HELP_WIDTH) {
            fprintf(out, "\n%*s", HELP_INDENT, "");
            column = HELP_INDENT;
        }
        column += fprintf(out, "%s%.*s", column > HELP_INDENT ? " " : "", length, text);
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

const char *sino_setting_words_text(const char *name, unsigned words, char text[SINO_ALLOWED_SIZE])
{
    return sino_words_join(sino_setting_find(SINO_VERB_RECON, name, strlen(name))->choices, words, "or", text);
}

const char *sino_setting_needs(const SinoSetting *row, char text[SINO_FACTS_SIZE])
{
    char algorithms[SINO_ALLOWED_SIZE], geometries[SINO_ALLOWED_SIZE], removals[SINO_ALLOWED_SIZE];
    snprintf(text, SINO_FACTS_SIZE, "%s%s%s%s%s%s", row->geometries ? "; with --geometry " : "",
             sino_setting_words_text("geometry", (unsigned)row->geometries, geometries),
             row->algorithms ? "; with --algorithm " : "",
             sino_setting_words_text("algorithm", (unsigned)row->algorithms, algorithms),
             row->removals ? "; with --remove-stripe-method " : "",
             sino_setting_words_text("remove-stripe-method", (unsigned)row->removals, removals));
    return text;
}

const char *sino_setting_facts(const SinoSetting *row, char text[SINO_FACTS_SIZE])
{
    char allowed[SINO_ALLOWED_SIZE], needs[SINO_FACTS_SIZE];
    snprintf(text, SINO_FACTS_SIZE, "%s%s%s%s%s%s%s", row->fallback ? "default " : "",
             row->fallback ? row->fallback : "", row->fallback ? "; " : "", sino_setting_allowed(row, allowed),
             row->unit ? "; " : "", row->unit ? row->unit : "", sino_setting_needs(row, needs));
    return text;
}

const char *sino_setting_operand(const SinoSetting *row)
{
    return row->kind == SINO_SETTING_REPORT ? "[yes|no|FILE]"
           : row->kind != SINO_SETTING_FLAG ? row->operand
           : row->argument_only             ? ""
                                            : "[yes|no]";
}

const char *sino_setting_gist(const SinoSetting *row, char text[SINO_GIST_SIZE])
{
    const char *from = row->brief ? row->brief : row->help;
    const size_t clause = row->brief ? strlen(from) : strcspn(from, ";:(");
    size_t length = clause < SINO_GIST_SIZE - 4 ? clause : SINO_GIST_SIZE - 4;
    while (length < clause && length > 0 && from[length] != ' ') length--; /* whole words */
    while (length > 0 && from[length - 1] == ' ') length--;
    snprintf(text, SINO_GIST_SIZE, "%.*s%s", (int)length, from, length + 1 < clause ? "..." : "");
    return text;
}

/* Prints "  -o, --out FILE" and spaces up to column `indent`; the operand of a flag is left out if `bare`. For --tune:
 * "  minibatch=N". */
static void print_name(const SinoSetting *row, int verb, bool bare, int indent, FILE *out)
{
    const char *operand = sino_setting_operand(row);
    if (bare && row->kind == SINO_SETTING_FLAG && strcmp(row->fallback, "no") == 0) operand = "";
    int column = fprintf(out, "  ");
    if (row->letter) column += fprintf(out, "-%c, ", row->letter);
    column += sino_setting_is_tuned(row, verb) ? fprintf(out, "%s=%s", row->name, row->operand)
                                               : fprintf(out, "--%s %s", row->name, operand);
    if (column + 2 > indent) {
        fputc('\n', out);
        column = 0;
    }
    fprintf(out, "%*s", indent - column, "");
}

static void print_option(const SinoSetting *row, int verb, FILE *out)
{
    char facts[SINO_FACTS_SIZE];
    print_name(row, verb, false, HELP_INDENT, out);
    print_wrapped(row->help, out);
    if (row->kind != SINO_SETTING_TEXT && !(row->kind == SINO_SETTING_FLAG && row->argument_only)) {
        fprintf(out, "%*s", HELP_INDENT, "");
        print_wrapped(sino_setting_facts(row, facts), out);
    }
    if (row->alias && !sino_setting_is_tuned(row, verb)) fprintf(out, "%*sor --%s\n", HELP_INDENT, "", row->alias);
}

/* Whether the default says more than that there is nothing, or that sinodag chooses; demo has defaults of its own. */
static bool tells_default(const SinoSetting *row, int verb)
{
    static const char *const silent[] = {"no", "0", "-1", "auto"};
    if (!row->fallback || verb == SINO_VERB_DEMO) return false;
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
        if (strcmp(row->fallback, silent[i]) == 0) return false;
    return true;
}

/* One line; the words of a choice are left out where they do not fit. */
static void print_brief(const SinoSetting *row, int verb, FILE *out)
{
    char allowed[SINO_ALLOWED_SIZE], fallback[80] = "";
    if (tells_default(row, verb)) snprintf(fallback, sizeof fallback, " [%s]", row->fallback);
    sino_setting_allowed(row, allowed);
    const size_t length = BRIEF_INDENT + strlen(row->brief) + 2 + strlen(allowed) + strlen(fallback);
    const bool words = row->kind == SINO_SETTING_CHOICE && !row->argument_only && length <= HELP_WIDTH;
    print_name(row, verb, true, BRIEF_INDENT, out);
    fprintf(out, "%s%s%s%s\n", row->brief, words ? ": " : "", words ? allowed : "", fallback);
}

static void print_groups(int verb, Selector *selects, void (*print)(const SinoSetting *row, int verb, FILE *out),
                         FILE *out)
{
    for (SinoSettingGroup group = 0; group < SINO_GROUP_COUNT; group++) {
        if (!has_group(selects, group, verb)) continue;
        fprintf(out, "\n%s:\n", sino_group_title[group]);
        for (int i = 0; i < SINO_SETTING_COUNT; i++)
            if (selects(&sino_setting_table[i], group, verb)) print(&sino_setting_table[i], verb, out);
    }
}

void sino_settings_help(int verb, SinoHelpChoice which, FILE *out)
{
    const SinoVerbText *text = sino_verb_text(verb);
    int count = 0, tuned = 0;
    fprintf(out, "Usage: %s\nExample: %s\n", text->usage, text->example);
    if (which != SINO_HELP_SHORT) {
        print_groups(verb, which == SINO_HELP_ALL ? is_shown : is_tuned, print_option, out);
        return;
    }
    print_groups(verb, is_brief, print_brief, out);
    for (int i = 0; i < SINO_SETTING_COUNT; i++) {
        count += (sino_setting_table[i].verbs & verb) != 0;
        tuned += sino_setting_is_tuned(&sino_setting_table[i], verb);
    }
    fprintf(out, "\nsinodag %s --help all explains all %d options", text->name, count - tuned);
    if (tuned) fprintf(out, ", --help tune the %d settings for --tune", tuned);
    fputs(".\n", out);
}
