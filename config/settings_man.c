/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings manual: prints the table as a manual page, in the macros of man(7). */
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

static void print_verbs(const SinoSetting *row, FILE *out)
{
    const char *names[SINO_VERB_COUNT + 1] = {NULL};
    char text[SINO_ALLOWED_SIZE];
    int count = 0;
    for (int i = 0; i < SINO_VERB_COUNT; i++)
        if (sino_setting_names_verb(row, sino_verb_table[i].verb)) names[count++] = sino_verb_table[i].name;
    fprintf(out, "Of %s.\n", sino_words_join(names, ~0u, "and", text));
}

static void print_option(const SinoSetting *row, FILE *out)
{
    const char *operand = sino_setting_operand(row);
    char facts[SINO_FACTS_SIZE];
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
    print_line(row->help, out);
    fputs(".br\n", out);
    if (row->kind != SINO_SETTING_TEXT) {
        fputc('(', out);
        print_text(sino_setting_facts(row, facts), out);
        fputs(")\n.br\n", out);
    }
    print_verbs(row, out);
}

static void print_options(FILE *out)
{
    for (SinoSettingGroup group = 0; group < SINO_GROUP_COUNT; group++) {
        fprintf(out, ".SS %s\n", sino_group_title[group]);
        for (int i = 0; i < SINO_SETTING_COUNT; i++)
            if (sino_setting_table[i].group == group) print_option(&sino_setting_table[i], out);
    }
}

static void print_verb_list(FILE *out)
{
    fputs(".SH VERBS\n", out);
    for (int i = 0; i < SINO_VERB_COUNT; i++) {
        const SinoVerbText *verb = &sino_verb_table[i];
        fprintf(out, ".TP\n\\fB%s\\fR\n", verb->name);
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

static const char head[] =
    ".SH NAME\n"
    "sinodag \\- reconstruct tomography volumes on cores, GPUs and clusters\n"
    ".SH SYNOPSIS\n"
    "\\fBsinodag\\fR \\fIVERB\\fR [\\fIFILE\\fR] [\\fIoptions\\fR]\n"
    ".SH DESCRIPTION\n"
    "sinodag corrects the projections of a scan, finds the rotation center, reconstructs every slice and writes one\n"
    "volume file.\n"
    "A reconstruction is a graph of tasks that StarPU schedules over the cores and GPUs of a computer, or of many\n"
    "(under mpirun or srun).\n"
    "\\fBsinodag\\fR \\fIVERB\\fR \\fB\\-\\-help\\fR shows the usual options of a verb.\n";

static const char option_head[] =
    ".SH OPTIONS\n"
    "An option is given as \\fB\\-\\-name\\fR \\fIvalue\\fR or \\fB\\-\\-name=\\fR\\fIvalue\\fR, or as a line\n"
    "\\(lqname: value\\(rq of the YAML file of \\fB\\-\\-config\\fR, which the command line overrides.\n"
    "Whatever cannot be honoured is refused with exit status 2, the value received and the values allowed.\n";

static const char tail[] = ".SH ENVIRONMENT\n"
                           ".TP\n\\fBSTARPU_SCHED\\fR, \\fBSTARPU_NCPU\\fR\n"
                           "Scheduling policy and number of cores, where the options do not say otherwise.\n"
                           ".TP\n\\fBSTARPU_PERF_MODEL_DIR\\fR\n"
                           "Where measured times of tasks are kept; ~/.starpu/sampling/sinodag if not set.\n"
                           ".TP\n\\fBHDF5_PLUGIN_PATH\\fR\n"
                           "Where HDF5 finds its filters, such as bitshuffle.\n"
                           ".SH EXIT STATUS\n"
                           "0: done; 1: failed; 2: input or settings that cannot be honoured.\n";

void sino_settings_man(FILE *out)
{
    fprintf(out, ".\\\" Made from config/settings_table.c.\n.TH SINODAG 1 \"\" \"sinodag %s\" \"User Commands\"\n",
            sino_version_text());
    fputs(".nh\n.ad l\n", out);
    fputs(head, out);
    print_verb_list(out);
    fputs(option_head, out);
    print_options(out);
    fputs(tail, out);
    print_examples(out);
}
