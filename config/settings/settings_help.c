/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings help: prints the table for --help and for docs/SETTINGS.md. */
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

/* The algorithms that use the setting, as "cg or sirt"; "" for all. */
static const char *algorithms_text(const SinoSetting *row, char text[SINO_ALLOWED_SIZE])
{
    return sino_words_join(sino_setting_find(SINO_VERB_RECON, "algorithm", 9)->choices, (unsigned)row->algorithms, "or",
                           text);
}

/* The geometries that have the setting; "" for all. */
static const char *geometries_text(const SinoSetting *row, char text[SINO_ALLOWED_SIZE])
{
    return sino_words_join(sino_setting_find(SINO_VERB_RECON, "geometry", 8)->choices, (unsigned)row->geometries, "or",
                           text);
}

/* The removals of stripes that use the setting; "" for all. */
static const char *removals_text(const SinoSetting *row, char text[SINO_ALLOWED_SIZE])
{
    return sino_words_join(sino_setting_find(SINO_VERB_RECON, "remove-stripe-method", 20)->choices,
                           (unsigned)row->removals, "or", text);
}

const char *sino_setting_needs(const SinoSetting *row, char text[SINO_FACTS_SIZE])
{
    char algorithms[SINO_ALLOWED_SIZE], geometries[SINO_ALLOWED_SIZE], removals[SINO_ALLOWED_SIZE];
    snprintf(text, SINO_FACTS_SIZE, "%s%s%s%s%s%s", row->geometries ? "; with --geometry " : "",
             geometries_text(row, geometries), row->algorithms ? "; with --algorithm " : "",
             algorithms_text(row, algorithms), row->removals ? "; with --remove-stripe-method " : "",
             removals_text(row, removals));
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

/* Prints the names of verbs, with commas between them, and `first` before them. */
static void print_verbs(const SinoSetting *row, int verbs, const char *first, FILE *out)
{
    fputs(first, out);
    const char *between = "";
    for (int i = 0; i < SINO_VERB_COUNT; i++) {
        const int verb = sino_verb_table[i].verb;
        if (!(verbs & verb) || !sino_setting_names_verb(row, verb)) continue;
        fprintf(out, "%s%s", between, sino_verb_table[i].name);
        between = ", ";
    }
}

static void print_markdown_row(const SinoSetting *row, FILE *out)
{
    char text[SINO_ALLOWED_SIZE];
    fprintf(out, "| `%s%s`", row->tune ? "" : "--", row->name);
    if (row->letter) fprintf(out, ", `-%c`", row->letter);
    if (row->alias) fprintf(out, ", `--%s`", row->alias);
    if (row->argument_only) fprintf(out, " (command line only)");
    fprintf(out, " | %s | %s | %s |", row->fallback ? row->fallback : "none", sino_setting_allowed(row, text),
            row->unit ? row->unit : "");
    print_verbs(row, row->verbs & ~row->tune, " ", out);
    if (row->tune) print_verbs(row, row->tune, " | ", out);
    fprintf(out, " | ");
    for (const char *c = row->help; *c; c++) fprintf(out, "%s%c", *c == '|' ? "\\" : "", *c);
    if (row->geometries)
        fprintf(out, " (with `--geometry` %s%s%s)", geometries_text(row, text), row->reason ? ": " : "",
                row->reason ? row->reason : "");
    if (row->algorithms) fprintf(out, " (with `--algorithm` %s)", algorithms_text(row, text));
    if (row->removals) fprintf(out, " (with `--remove-stripe-method` %s)", removals_text(row, text));
    fputs(" |\n", out);
}

static const char markdown_head[] =
    "# Settings\n"
    "\n"
    "Made from the table in `config/settings/settings_table.c` by `settings_markdown`; a test compares them.\n"
    "\n"
    "A setting is given on the command line as `--name value` or `--name=value`, or in the YAML file of `--config` as\n"
    "a line `name: value`. Both read values alike. The command line wins over the file, the file over the default.\n"
    "A yes-or-no setting may come without its value, which means yes; `true`, `on`, `1` and `false`, `off`, `0` are "
    "read\n"
    "too, in any case of letters. The input file needs no name: `sinodag recon scan.h5`. After `--` everything is a "
    "file\n"
    "name. On the command line `_` in a name is read as `-`. [Words of other programs](#words-of-other-programs) are\n"
    "understood or answered.\n"
    "\n"
    "In the YAML file, a setting that takes several values with commas between them also takes them as a YAML list:\n"
    "`stages: [harden, zingers, air, stripes]`, or a line `- harden` and so on for each. A list is refused for other\n"
    "settings, also an empty one, and one with lists, mappings, aliases or values with commas in it.\n"
    "\n"
    "Sizes take `B`; `KB`, `MB`, `GB`, `TB` (powers of 1000); `KiB`, `MiB`, `GiB`, `TiB` or `K`, `M`, `G`, `T` "
    "(powers\n"
    "of 1024). Numbers are decimal.\n"
    "\n"
    "Whatever cannot be honoured ends the program with exit code 2 before any scan is read: an unknown\n"
    "setting or one of another verb, a setting given twice, a value that is malformed or out of range, and\n"
    "contradictions: a setting that the geometry or the algorithm does not use, `--columns` without `--theta`, an "
    "empty\n"
    "range of rows or columns, an output that is also the input.\n"
    "\n"
    "```yaml\n"
    "# scan.yaml, for: sinodag recon --config scan.yaml --out volume.h5\n"
    "file-name: scan.h5\n"
    "rotation-axis: 296\n"
    "algorithm: sirt\n"
    "iterations: 100\n"
    "nonnegativity: yes\n"
    "memory: 2GiB\n"
    "```\n";

static const char tuning_head[] =
    "\n## Tuning\n\n"
    "Settings that few runs need. The command line takes them as `--tune name=value`, with commas between several:\n"
    "`--tune minibatch=8,partitions=2`; the YAML file as `name: value`, like all others. Verbs of the column "
    "*options*\n"
    "list them among their own, as `--name value`; the others take this form, too.\n\n"
    "| setting | default | allowed | unit | options of | with `--tune` of | meaning |\n|---|---|---|---|---|---|---|\n";

static const char peers_head[] =
    "\n## Words of other programs\n\n"
    "Options and values as TomoPy, tomopy-cli, tomocupy, nabu, httomo, ASTRA and RTK spell them. Those that mean the "
    "same\n"
    "are understood, options on the command line only. The others are refused with the right word.\n\n"
    "| their word | here | understood |\n|---|---|---|\n";

static void print_peer(const char *word, const char *here, const char *answer, bool understood, FILE *out)
{
    fprintf(out, "| `%s` | %s%s%s", word, here ? "`" : "", here ? here : "", here ? "`" : "");
    fprintf(out, "%s%s | %s |\n", here && answer ? "; " : "", answer ? answer : "", understood ? "yes" : "no");
}

static void print_peers(FILE *out)
{
    char word[64], here[64];
    fputs(peers_head, out);
    for (const SinoPeerOption *peer = sino_peer_options; peer->word; peer++) {
        snprintf(word, sizeof word, "--%s", peer->word);
        snprintf(here, sizeof here, "--%s", peer->name ? peer->name : "");
        print_peer(word, peer->name ? here : NULL, peer->answer, peer->same, out);
    }
    for (const SinoPeerValue *peer = sino_peer_values; peer->option; peer++) {
        snprintf(word, sizeof word, "--%s %s", peer->option, peer->word ? peer->word : "0.3");
        snprintf(here, sizeof here, "--%s %s", peer->option, peer->value ? peer->value : "");
        print_peer(word, peer->value ? here : NULL, peer->answer, peer->value != NULL, out);
    }
}

void sino_settings_markdown(FILE *out)
{
    fprintf(out, "%s\n## Verbs\n\n", markdown_head);
    for (int i = 0; i < SINO_VERB_COUNT; i++) fprintf(out, "- `%s`\n", sino_verb_table[i].usage);
    for (SinoSettingGroup group = 0; group < SINO_GROUP_COUNT; group++) {
        fprintf(out, "\n## %s\n\n| setting | default | allowed | unit | verbs | meaning |\n|---|---|---|---|---|---|\n",
                sino_group_title[group]);
        for (int i = 0; i < SINO_SETTING_COUNT; i++)
            if (sino_setting_table[i].group == group && !sino_setting_table[i].tune)
                print_markdown_row(&sino_setting_table[i], out);
    }
    fputs(tuning_head, out);
    for (int i = 0; i < SINO_SETTING_COUNT; i++)
        if (sino_setting_table[i].tune) print_markdown_row(&sino_setting_table[i], out);
    print_peers(out);
}
