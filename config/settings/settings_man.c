/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings manual: prints the table as manual pages of the program and of each verb, in the macros of man(7). */
#include "settings_table.h"
#include "version.h"

#include <string.h>

/* Prints text so that it stands for itself: no request, no escape, and dashes that can be copied. */
static void print_text(const char *text, FILE *out)
{
    if (*text == '.' || *text == '\'') fputs("\\&", out);
    for (; *text; text++) {
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else if (*text == '\'')
            fputs("\\(aq", out);
        else if (*text == '~')
            fputs("\\(ti", out);
        else if (*text == '^')
            fputs("\\(ha", out);
        else
            fputc(*text, out);
    }
}

static void print_line(const char *text, FILE *out)
{
    print_text(text, out);
    fputc('\n', out);
}

static void print_explanation(const SinoSetting *row, FILE *out)
{
    char facts[SINO_FACTS_SIZE];
    print_line(row->help, out);
    if (row->kind != SINO_SETTING_TEXT && !(row->kind == SINO_SETTING_FLAG && row->argument_only)) {
        fputs(".br\n(", out);
        print_text(sino_setting_facts(row, facts), out);
        fputs(")\n", out);
    }
}

static void print_tuned(const SinoSetting *row, FILE *out)
{
    fputs(".TP\n\\fB", out);
    print_text(row->name, out);
    fputs("\\fR=\\fI", out);
    print_text(row->operand, out);
    fputs("\\fR\n", out);
    print_explanation(row, out);
}

static void print_option(const SinoSetting *row, FILE *out)
{
    const char *operand = sino_setting_operand(row);
    fputs(".TP\n", out);
    if (row->letter) fprintf(out, "\\fB\\-%c\\fR, ", row->letter);
    fputs("\\fB\\-\\-", out);
    print_text(row->name, out);
    fputs("\\fR", out);
    if (row->alias) {
        fputs(", \\fB\\-\\-", out);
        print_text(row->alias, out);
        fputs("\\fR", out);
    }
    if (*operand) {
        fputs(" \\fI", out);
        print_text(operand, out);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    print_explanation(row, out);
}

/* The options of a verb, or its settings for --tune. */
static void print_options(int verb, bool tuned, FILE *out)
{
    for (SinoSettingGroup group = 0; group < SINO_GROUP_COUNT; group++) {
        bool begun = false;
        for (int i = 0; i < SINO_SETTING_COUNT; i++) {
            const SinoSetting *row = &sino_setting_table[i];
            if (row->group != group || !(row->verbs & verb) || sino_setting_is_tuned(row, verb) != tuned) continue;
            if (!begun) fprintf(out, ".SS %s\n", sino_group_title[group]);
            begun = true;
            (tuned ? print_tuned : print_option)(row, out);
        }
    }
}

static void print_verb_list(FILE *out)
{
    fputs(".SH VERBS\n", out);
    for (int i = 0; i < SINO_VERB_COUNT; i++) {
        const SinoVerbText *verb = &sino_verb_table[i];
        fprintf(out, ".TP\n\\fBsinodag\\-%s\\fR(1)\n", verb->name);
        print_line(verb->summary, out);
        fputs(".br\n", out);
        print_line(verb->usage, out);
    }
}

static void print_examples(FILE *out)
{
    fputs(".SH EXAMPLES\n", out);
    for (int i = 0; i < SINO_VERB_COUNT; i++) {
        fputs(i ? ".br\n" : "", out);
        print_line(sino_verb_table[i].example, out);
    }
}

static void print_see_also(int but, FILE *out)
{
    fprintf(out, ".SH SEE ALSO\n%s", but ? "\\fBsinodag\\fR(1)" : "");
    const char *between = but ? ",\n" : "";
    for (int i = 0; i < SINO_VERB_COUNT; i++) {
        if (sino_verb_table[i].verb == but) continue;
        fprintf(out, "%s\\fBsinodag\\-%s\\fR(1)", between, sino_verb_table[i].name);
        between = ",\n";
    }
    fputc('\n', out);
}

static void print_head(const char *title, FILE *out)
{
    fprintf(out, ".\\\" SPDX-"
                 "License-Identifier: BSD-3-Clause\n.\\\" Made from config/settings/settings_table.c.\n");
    fprintf(out, ".TH \"%s\" 1 \"\" \"sinodag %s\" \"User Commands\"\n.nh\n.ad l\n", title, sino_version_text());
}

static const char description[] =
    ".SH NAME\n"
    "sinodag \\- reconstruct tomography volumes on cores, GPUs and clusters\n"
    ".SH SYNOPSIS\n"
    "\\fBsinodag\\fR \\fIVERB\\fR [\\fIFILE\\fR] [\\fIoptions\\fR]\n"
    ".br\n"
    "\\fBsinodag\\fR \\fB\\-\\-help\\fR|\\fB\\-\\-version\\fR\n"
    ".SH DESCRIPTION\n"
    "sinodag corrects the projections of a scan, finds the rotation center, reconstructs every slice and writes one\n"
    "volume file.\n"
    "A reconstruction is a graph of tasks that StarPU schedules over the cores and GPUs of a computer, or of many\n"
    "(under mpirun or srun).\n"
    "Each verb has a manual page of its own, which explains all of its options;\n"
    "\\fBsinodag\\fR \\fIVERB\\fR \\fB\\-\\-help\\fR shows the usual ones.\n";

static const char options_are[] =
    "An option is given as \\fB\\-\\-name\\fR \\fIvalue\\fR or \\fB\\-\\-name=\\fR\\fIvalue\\fR, or as a line\n"
    "\\(lqname: value\\(rq of the YAML file of \\fB\\-\\-config\\fR, which the command line overrides.\n"
    "Whatever cannot be honoured is refused with exit status 2, the value received and the values allowed.\n";

static const char environment[] = ".SH ENVIRONMENT\n"
                                  ".TP\n\\fBSTARPU_SCHED\\fR, \\fBSTARPU_NCPU\\fR\n"
                                  "Scheduling policy and number of cores, where the options do not say otherwise.\n"
                                  ".TP\n\\fBSTARPU_PERF_MODEL_DIR\\fR\n"
                                  "Where measured times of tasks are kept; ~/.starpu/sampling/sinodag if not set.\n"
                                  ".TP\n\\fBHDF5_PLUGIN_PATH\\fR\n"
                                  "Where HDF5 finds its filters, such as bitshuffle.\n";

static const char exit_status[] = ".SH EXIT STATUS\n"
                                  "0: done; 1: failed; 2: input or settings that cannot be honoured;\n"
                                  "129, 130 and 143: ended by SIGHUP, SIGINT and SIGTERM.\n";

static void print_verb_page(const SinoVerbText *verb, FILE *out)
{
    char title[64];
    snprintf(title, sizeof title, "sinodag-%s", verb->name);
    print_head(title, out);
    fprintf(out, ".SH NAME\nsinodag\\-%s \\- ", verb->name);
    print_line(verb->summary, out);
    fputs(".SH SYNOPSIS\n", out);
    print_line(verb->usage, out);
    fputs(".SH OPTIONS\n", out);
    fputs(options_are, out);
    print_options(verb->verb, false, out);
    if (sino_setting_find(verb->verb, "tune", 4)->verbs & verb->verb) {
        fputs(".SH TUNING\nSettings for \\fB\\-\\-tune\\fR.\n", out);
        print_options(verb->verb, true, out);
    }
    fputs(exit_status, out);
    fputs(".SH EXAMPLE\n", out);
    print_line(verb->example, out);
    print_see_also(verb->verb, out);
}

static void print_program_page(FILE *out)
{
    print_head("sinodag", out);
    fputs(description, out);
    print_verb_list(out);
    fputs(".SH OPTIONS\n", out);
    fputs(options_are, out);
    fputs(environment, out);
    fputs(exit_status, out);
    print_examples(out);
    print_see_also(0, out);
}

bool sino_settings_man(const char *verb, FILE *out)
{
    if (!*verb) {
        print_program_page(out);
        return true;
    }
    for (int i = 0; i < SINO_VERB_COUNT; i++) {
        if (strcmp(sino_verb_table[i].name, verb) != 0) continue;
        print_verb_page(&sino_verb_table[i], out);
        return true;
    }
    return false;
}
