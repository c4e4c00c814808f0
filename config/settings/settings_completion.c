/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings completion: prints what bash, zsh and fish read to complete a command line of sinodag. */
#include "settings_table.h"

#include <string.h>

static bool is_own(const SinoSetting *row, int verb)
{
    return (row->verbs & verb) && sino_setting_find(verb, row->name, strlen(row->name)) == row;
}

static bool is_option(const SinoSetting *row, int verb)
{
    return is_own(row, verb) && !sino_setting_is_tuned(row, verb);
}

static bool takes_value(const SinoSetting *row)
{
    return row->kind != SINO_SETTING_FLAG && row->kind != SINO_SETTING_REPORT && !row->bare;
}

static bool takes_list(const SinoSetting *row)
{
    return row->kind == SINO_SETTING_CHOICES || row->kind == SINO_SETTING_DEVICES;
}

/* Whether the value names files or a folder. */
static bool takes_files(const SinoSetting *row)
{
    static const char *const not_files[] = {"LIST", "PATH", "A:B", "REGION", "X,Y,RADIUS"};
    if (row->kind != SINO_SETTING_TEXT) return row->kind == SINO_SETTING_REPORT;
    for (size_t i = 0; i < sizeof not_files / sizeof *not_files; i++)
        if (strcmp(row->operand, not_files[i]) == 0) return false;
    return true;
}

static bool takes_folder(const SinoSetting *row)
{
    return row->kind == SINO_SETTING_TEXT && strcmp(row->operand, "DIR") == 0;
}

/* Prints the settings for --tune of the verb as "minibatch= partitions= ". */
static void print_tuned(int verb, FILE *out)
{
    for (int i = 0; i < SINO_SETTING_COUNT; i++)
        if (sino_setting_is_tuned(&sino_setting_table[i], verb)) fprintf(out, "%s= ", sino_setting_table[i].name);
}

/* Prints the words that the value may be, separated by spaces. */
static void print_words(const SinoSetting *row, int verb, FILE *out)
{
    const char *between = "";
    if (row->kind == SINO_SETTING_FLAG || row->kind == SINO_SETTING_REPORT) fputs("yes no", out);
    for (unsigned i = 0; row->choices && row->choices[i]; i++) {
        if (!(sino_setting_words(row) >> i & 1)) continue;
        fprintf(out, "%s%s", between, row->choices[i]);
        between = " ";
    }
    if (takes_list(row)) fputs(" all", out);
    if (!row->choices && row->fallback && strcmp(row->fallback, "auto") == 0) fputs("auto", out);
    if (row->kind == SINO_SETTING_TUNE) print_tuned(verb, out);
}

/* ---- bash ---- */

/* A case of the option of some verbs, with its words. */
static void print_bash_values(const SinoSetting *row, int verbs, FILE *out)
{
    const char *between = "        ";
    for (int v = 0; v < SINO_VERB_COUNT; v++) {
        if (!(verbs & sino_verb_table[v].verb) || !is_own(row, sino_verb_table[v].verb)) continue;
        fprintf(out, "%s%s:--%s", between, sino_verb_table[v].name, row->name);
        if (row->letter) fprintf(out, " | %s:-%c", sino_verb_table[v].name, row->letter);
        between = " | ";
    }
    fprintf(out, ") echo '%s ",
            takes_folder(row)                ? "folder"
            : takes_files(row)               ? takes_value(row) ? "file" : "flag"
            : takes_list(row)                ? "list"
            : row->kind == SINO_SETTING_TUNE ? "pairs"
            : takes_value(row)               ? "word"
                                             : "flag");
    print_words(row, verbs, out);
    fputs("' ;;\n", out);
}

/* Of each verb its options; of each option its words. */
static void print_bash_tables(FILE *out)
{
    fputs("_sinodag_options() {\n    case $1 in\n", out);
    for (int v = 0; v < SINO_VERB_COUNT; v++) {
        fprintf(out, "        %s) echo '", sino_verb_table[v].name);
        for (int i = 0; i < SINO_SETTING_COUNT; i++) {
            const SinoSetting *row = &sino_setting_table[i];
            if (!is_option(row, sino_verb_table[v].verb)) continue;
            fprintf(out, "--%s ", row->name);
            if (row->letter) fprintf(out, "-%c ", row->letter);
        }
        fputs("' ;;\n", out);
    }
    fputs("    esac\n}\n\n_sinodag_values() {\n    case $1:$2 in\n", out);
    for (int i = 0; i < SINO_SETTING_COUNT; i++) {
        const SinoSetting *row = &sino_setting_table[i];
        if (row->kind != SINO_SETTING_TUNE) print_bash_values(row, row->verbs, out);
        for (int v = 0; v < SINO_VERB_COUNT && row->kind == SINO_SETTING_TUNE; v++)
            if (row->verbs & sino_verb_table[v].verb) print_bash_values(row, sino_verb_table[v].verb, out);
    }
    fputs("    esac\n}\n\n", out);
}

static const char bash_code[] =
    "_sinodag_files() { # OPTION-OF-COMPGEN WORD\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen \"$1\" -- \"$2\")\n"
    "}\n"
    "\n"
    "_sinodag_add() { # WORDS WORD\n"
    "    mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -W \"$1\" -- \"$2\")\n"
    "}\n"
    "\n"
    "# Completes a value; false: the option before the word may stand without one.\n"
    "_sinodag_value() { # KIND-AND-WORDS WORD\n"
    "    local kind=${1%% *} words=${1#* } list=\n"
    "    case $kind in\n"
    "        folder) _sinodag_files -d \"$2\" ;;\n"
    "        file) _sinodag_files -f \"$2\" ;;\n"
    "        list | pairs)\n"
    "            [ \"$kind\" = list ] || compopt -o nospace 2>/dev/null\n"
    "            case $2 in *,*) list=${2%,*}, ;; esac\n"
    "            _sinodag_add \"$words\" \"${2##*,}\"\n"
    "            COMPREPLY=(\"${COMPREPLY[@]/#/$list}\")\n"
    "            ;;\n"
    "        word) _sinodag_add \"$words\" \"$2\" ;;\n"
    "        flag) _sinodag_add \"$words\" \"$2\" && return 1 ;;\n"
    "        *) return 1 ;;\n"
    "    esac\n"
    "}\n"
    "\n"
    "_sinodag() {\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]} given=\n"
    "    COMPREPLY=()\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
    "        _sinodag_add \"$_sinodag_verbs --help --version\" \"$word\"\n"
    "        return\n"
    "    fi\n"
    "    # bash makes words of \"--name\", \"=\" and \"value\"\n"
    "    if [ \"$word\" = = ]; then\n"
    "        given=1 word=\n"
    "    elif [ \"$option\" = = ]; then\n"
    "        given=1 option=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n"
    "    case $word in\n"
    "        -*) _sinodag_add \"$(_sinodag_options \"$verb\")\" \"$word\" && return ;;\n"
    "    esac\n"
    "    case $option in\n"
    "        -*) _sinodag_value \"$(_sinodag_values \"$verb\" \"$option\")\" \"$word\" && return ;;\n"
    "    esac\n"
    "    [ \"$given\" ] || _sinodag_files -f \"$word\"\n"
    "}\n"
    "\n"
    "complete -F _sinodag sinodag\n";

void sino_settings_bash(FILE *out)
{
    fputs("# SPDX-"
          "License-Identifier: BSD-3-Clause\n" /* in two, as it is not of this file */
          "# shellcheck shell=bash\n"
          "# bash completion of sinodag, made from config/settings/settings_table.c.\n\n_sinodag_verbs='",
          out);
    for (int v = 0; v < SINO_VERB_COUNT; v++) fprintf(out, "%s%s", v ? " " : "", sino_verb_table[v].name);
    fputs("'\n\n", out);
    print_bash_tables(out);
    fputs(bash_code, out);
}

/* ---- zsh ---- */

/* Prints text within single quotes and brackets. */
static void print_zsh(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else if (strchr("[]:\\", *text))
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
    }
}

static void print_zsh_option(const SinoSetting *row, int verb, FILE *out)
{
    char gist[SINO_GIST_SIZE];
    if (row->letter)
        fprintf(out, "                '(-%c --%s)'{-%c,--%s%s}'[", row->letter, row->name, row->letter, row->name,
                takes_value(row) ? "=" : "");
    else
        fprintf(out, "                '--%s%s[", row->name, takes_value(row) ? "=" : "");
    print_zsh(sino_setting_gist(row, gist), out);
    fprintf(out, "]%s:", takes_value(row) ? "" : ":"); /* two colons: the value may be left out */
    print_zsh(takes_value(row) ? row->operand : "value", out);
    fputc(':', out);
    if (takes_folder(row))
        fputs("_files -/", out);
    else if (takes_files(row) && takes_value(row))
        fputs("_files", out);
    else if (takes_list(row)) {
        fputs("_values -s , value ", out);
        print_words(row, verb, out);
    } else {
        fputc('(', out);
        print_words(row, verb, out);
        fputc(')', out);
    }
    fputs("' \\\n", out);
}

void sino_settings_zsh(FILE *out)
{
    fputs("#compdef sinodag\n# zsh completion of sinodag, made from config/settings/settings_table.c.\n\n"
          "_sinodag() {\n    local curcontext=\"$curcontext\" state line\n    local -a verbs\n    verbs=(\n",
          out);
    for (int v = 0; v < SINO_VERB_COUNT; v++) {
        fprintf(out, "        '%s:", sino_verb_table[v].name);
        print_zsh(sino_verb_table[v].summary, out);
        fputs("'\n", out);
    }
    fputs("    )\n"
          "    _arguments -C '(- *)--help[show the verbs]' '(- *)--version[show the version]' '1:verb:->verb' "
          "'*::option:->option'\n"
          "    case $state in\n        verb) _describe verb verbs ;;\n        option)\n            case $line[1] in\n",
          out);
    for (int v = 0; v < SINO_VERB_COUNT; v++) {
        fprintf(out, "            %s) _arguments \\\n", sino_verb_table[v].name);
        for (int i = 0; i < SINO_SETTING_COUNT; i++)
            if (is_option(&sino_setting_table[i], sino_verb_table[v].verb))
                print_zsh_option(&sino_setting_table[i], sino_verb_table[v].verb, out);
        fputs("                '*:file:_files' ;;\n", out);
    }
    fputs("            esac ;;\n    esac\n}\n\n_sinodag \"$@\"\n", out);
}

/* ---- fish ---- */

/* Prints text within single quotes. */
static void print_fish(const char *text, FILE *out)
{
    for (; *text; text++) fprintf(out, "%s%c", strchr("'\\", *text) ? "\\" : "", *text);
}

static void print_fish_option(const SinoSetting *row, int verb, FILE *out)
{
    char gist[SINO_GIST_SIZE];
    fprintf(out, "complete -c sinodag -n '__fish_seen_subcommand_from %s' -l %s", sino_verb_text(verb)->name,
            row->name);
    if (row->letter) fprintf(out, " -s %c", row->letter);
    if (takes_value(row)) fputs(" -r", out);
    if (takes_value(row) && takes_files(row)) fputs(" -F", out);
    if (takes_value(row) && !takes_files(row)) {
        fputs(" -f -a '", out);
        print_words(row, verb, out);
        fputc('\'', out);
    }
    fputs(" -d '", out);
    print_fish(sino_setting_gist(row, gist), out);
    fputs("'\n", out);
}

void sino_settings_fish(FILE *out)
{
    fputs("# fish completion of sinodag, made from config/settings/settings_table.c.\n\n", out);
    for (int v = 0; v < SINO_VERB_COUNT; v++) {
        fprintf(out, "complete -c sinodag -n __fish_use_subcommand -f -a %s -d '", sino_verb_table[v].name);
        print_fish(sino_verb_table[v].summary, out);
        fputs("'\n", out);
    }
    for (int v = 0; v < SINO_VERB_COUNT; v++) {
        fputc('\n', out);
        for (int i = 0; i < SINO_SETTING_COUNT; i++)
            if (is_option(&sino_setting_table[i], sino_verb_table[v].verb))
                print_fish_option(&sino_setting_table[i], sino_verb_table[v].verb, out);
    }
}
