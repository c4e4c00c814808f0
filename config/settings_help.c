/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings help: prints the table for --help and for docs/SETTINGS.md. */
#include "settings_table.h"

#include <string.h>

enum { HELP_INDENT = 34, HELP_WIDTH = 100 };

static bool is_shown(const SinoSetting *row, SinoSettingGroup group, int verb)
{
    return row->group == group && (row->verbs & verb) != 0;
}

static bool has_group(SinoSettingGroup group, int verb)
{
    for (int i = 0; i < SINO_SETTING_COUNT; i++)
        if (is_shown(&sino_setting_table[i], group, verb)) return true;
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

/* Prints default, allowed values, unit and algorithms: "default 30; an integer from 1 to 9; pixels; with --algorithm cg
 * or sirt". */
static void print_facts(const SinoSetting *row, FILE *out)
{
    char allowed[SINO_ALLOWED_SIZE], algorithms[SINO_ALLOWED_SIZE], geometries[SINO_ALLOWED_SIZE], facts[768];
    char removals[SINO_ALLOWED_SIZE];
    snprintf(facts, sizeof facts, "%s%s%s%s%s%s%s%s%s%s%s%s", row->fallback ? "default " : "",
             row->fallback ? row->fallback : "", row->fallback ? "; " : "", sino_setting_allowed(row, allowed),
             row->unit ? "; " : "", row->unit ? row->unit : "", row->geometries ? "; with --geometry " : "",
             geometries_text(row, geometries), row->algorithms ? "; with --algorithm " : "",
             algorithms_text(row, algorithms), row->removals ? "; with --remove-stripe-method " : "",
             removals_text(row, removals));
    print_wrapped(facts, out);
}

static void print_option(const SinoSetting *row, FILE *out)
{
    const char *operand = row->kind == SINO_SETTING_REPORT ? "[yes|no|FILE]"
                          : row->kind != SINO_SETTING_FLAG ? row->operand
                          : row->argument_only             ? ""
                                                           : "[yes|no]";
    int column = fprintf(out, "  ");
    if (row->letter) column += fprintf(out, "-%c, ", row->letter);
    column += fprintf(out, "--%s %s", row->name, operand);
    if (column + 2 > HELP_INDENT) {
        fputc('\n', out);
        column = 0;
    }
    fprintf(out, "%*s", HELP_INDENT - column, "");
    print_wrapped(row->help, out);
    if (row->kind != SINO_SETTING_TEXT && *operand) {
        fprintf(out, "%*s", HELP_INDENT, "");
        print_facts(row, out);
    }
    if (row->alias) fprintf(out, "%*sor --%s\n", HELP_INDENT, "", row->alias);
}

void sino_settings_help(int verb, FILE *out)
{
    const SinoVerbText *text = sino_verb_text(verb);
    fprintf(out, "Usage: %s\nExample: %s\n", text->usage, text->example);
    for (SinoSettingGroup group = 0; group < SINO_GROUP_COUNT; group++) {
        if (!has_group(group, verb)) continue;
        fprintf(out, "\n%s:\n", sino_group_title[group]);
        for (int i = 0; i < SINO_SETTING_COUNT; i++)
            if (is_shown(&sino_setting_table[i], group, verb)) print_option(&sino_setting_table[i], out);
    }
}

static void print_markdown_row(const SinoSetting *row, FILE *out)
{
    char text[SINO_ALLOWED_SIZE];
    fprintf(out, "| `--%s`", row->name);
    if (row->letter) fprintf(out, ", `-%c`", row->letter);
    if (row->alias) fprintf(out, ", `--%s`", row->alias);
    if (row->argument_only) fprintf(out, " (command line only)");
    fprintf(out, " | %s | %s | %s |", row->fallback ? row->fallback : "none", sino_setting_allowed(row, text),
            row->unit ? row->unit : "");
    const char *between = " ";
    for (int i = 0; i < SINO_VERB_COUNT; i++) {
        if (!(row->verbs & sino_verb_table[i].verb)) continue;
        fprintf(out, "%s%s", between, sino_verb_table[i].name);
        between = ", ";
    }
    fprintf(out, " | ");
    for (const char *c = row->help; *c; c++) fprintf(out, "%s%c", *c == '|' ? "\\" : "", *c);
    if (row->geometries) fprintf(out, " (with `--geometry` %s)", geometries_text(row, text));
    if (row->algorithms) fprintf(out, " (with `--algorithm` %s)", algorithms_text(row, text));
    if (row->removals) fprintf(out, " (with `--remove-stripe-method` %s)", removals_text(row, text));
    fputs(" |\n", out);
}

static const char markdown_head[] =
    "# Settings\n"
    "\n"
    "Made from the table in `config/settings_table.c` by `settings_markdown`; a test compares them.\n"
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
            if (sino_setting_table[i].group == group) print_markdown_row(&sino_setting_table[i], out);
    }
    print_peers(out);
}
