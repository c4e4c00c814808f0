/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings page: prints docs/SETTINGS.md. With a file's name, it fails unless that file is the same page. */
#include "settings_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

static void print_row(const SinoSetting *row, FILE *out)
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
        fprintf(out, " (with `--geometry` %s%s%s)",
                sino_setting_words_text("geometry", (unsigned)row->geometries, text), row->reason ? ": " : "",
                row->reason ? row->reason : "");
    if (row->algorithms)
        fprintf(out, " (with `--algorithm` %s)", sino_setting_words_text("algorithm", (unsigned)row->algorithms, text));
    if (row->removals)
        fprintf(out, " (with `--remove-stripe-method` %s)",
                sino_setting_words_text("remove-stripe-method", (unsigned)row->removals, text));
    fputs(" |\n", out);
}

static const char page_head[] =
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

static void print_page(FILE *out)
{
    fprintf(out, "%s\n## Verbs\n\n", page_head);
    for (int i = 0; i < SINO_VERB_COUNT; i++) fprintf(out, "- `%s`\n", sino_verb_table[i].usage);
    for (SinoSettingGroup group = 0; group < SINO_GROUP_COUNT; group++) {
        fprintf(out, "\n## %s\n\n| setting | default | allowed | unit | verbs | meaning |\n|---|---|---|---|---|---|\n",
                sino_group_title[group]);
        for (int i = 0; i < SINO_SETTING_COUNT; i++)
            if (sino_setting_table[i].group == group && !sino_setting_table[i].tune)
                print_row(&sino_setting_table[i], out);
    }
    fputs(tuning_head, out);
    for (int i = 0; i < SINO_SETTING_COUNT; i++)
        if (sino_setting_table[i].tune) print_row(&sino_setting_table[i], out);
    print_peers(out);
}

/* Those for --tune stand below their own title. */
static bool has_every_setting(const char *page)
{
    const char *tuning = strstr(page, "\n## Tuning\n");
    for (int i = 0; i < SINO_SETTING_COUNT; i++) {
        const SinoSetting *row = &sino_setting_table[i];
        char cell[64];
        snprintf(cell, sizeof cell, "\n| `%s%s`", row->tune ? "" : "--", row->name);
        if (!tuning || !strstr(row->tune ? tuning : page, cell)) return false;
    }
    return true;
}

static bool is_same(FILE *file, const char *page, size_t size)
{
    char *stored = malloc(size + 1);
    const bool same = stored && fread(stored, 1, size + 1, file) == size && memcmp(stored, page, size) == 0;
    free(stored);
    return same;
}

int main(int argument_count, char **arguments)
{
    if (argument_count < 2) {
        print_page(stdout);
        return fflush(stdout) == 0 ? 0 : 1;
    }
    char *page = NULL;
    size_t size;
    FILE *out = open_memstream(&page, &size);
    if (!out) return 1;
    print_page(out);
    if (fclose(out) != 0) return 1;
    FILE *file = fopen(arguments[1], "rb");
    const bool same = file && is_same(file, page, size), whole = has_every_setting(page);
    if (!same) fprintf(stderr, "%s is not what %s prints; make it anew\n", arguments[1], arguments[0]);
    if (!whole) fprintf(stderr, "the page lacks settings of the table\n");
    if (file) (void)fclose(file);
    free(page);
    return same && whole ? 0 : 1;
}
