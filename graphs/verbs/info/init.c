/* SPDX-License-Identifier: BSD-3-Clause */
/* init: a file of settings for a scan, with what the scan holds and what the usual settings mean, as comments. */
#include "arithmetic.h"
#include "checks.h"
#include "files.h"
#include "job_kind.h"
#include "stages.h"
#include "usual_algorithm.h"
#include "workflows.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text within a line of YAML or of comment: the line ends where the text does. */
static void print_text(const char *text, bool quoted, FILE *out)
{
    if (quoted) fputc('"', out);
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (quoted && (c == '"' || c == '\\'))
            fprintf(out, "\\%c", c);
        else if (c < ' ' || c == 127)
            fprintf(out, quoted ? "\\x%02x" : "?", c);
        else
            fputc(c, out);
    }
    if (quoted) fputc('"', out);
}

/* The volume's name: that of the scan without folder and ending, and "_volume.h5". */
static void print_volume_name(const char *scan, FILE *out)
{
    const size_t whole = strlen(scan) - (*scan && scan[strlen(scan) - 1] == '/');
    size_t first = whole, end = whole;
    while (first > 0 && scan[first - 1] != '/') first--;
    for (size_t i = first + 1; i < whole; i++)
        if (scan[i] == '.' && end == whole) end = i;
    char *name = NULL;
    if (asprintf(&name, "%.*s_volume.h5", (int)(end - first), scan + first) < 0) return;
    for (char *c = name; *c; c++)
        if (strchr("*?[]", *c)) *c = '_'; /* of a pattern */
    print_text(name, true, out);
    free(name);
}

static void print_scan(const SinoInput *input, FILE *out)
{
    const SinoScanInfo *info = input->info;
    fprintf(out,
            "# The scan: %s (%s), %" PRId64 " projections of %" PRId64 " x %" PRId64 " pixels, %s; %" PRId64
            " flat fields, %" PRId64 " dark fields.\n",
            info->kind, info->certainty, info->angle_count, info->row_count, info->column_count, info->stored_type,
            info->flat_count, info->dark_count);
    if (info->angle_rad && info->angle_count > 0 && !sino_input_lacks_angles(input))
        fprintf(out, "# Angles from %.6g to %.6g degrees%s.\n", info->angle_rad[0] * 180 / SINO_PI,
                info->angle_rad[info->angle_count - 1] * 180 / SINO_PI,
                info->angle_assumed ? ", assumed, since the file has none" : "");
}

static void print_findings(const SinoFindings *findings, FILE *out)
{
    for (int64_t i = 0; i < findings->count; i++) {
        fprintf(out, "# %s: ", findings->finding[i].refused ? "Recon refuses" : "Odd");
        print_text(findings->finding[i].text, false, out);
        fputc('\n', out);
    }
}

enum { ORDER_SIZE = 256 };

/* The default order of the stages that --stages can move, all but the first, as a sequence of YAML. */
static const char *stage_order(char order[ORDER_SIZE])
{
    size_t length = 0;
    for (int i = 1; sino_stage_kinds[i] && length < ORDER_SIZE; i++)
        length += (size_t)snprintf(order + length, ORDER_SIZE - length, "%s%s%s", i == 1 ? "[" : ", ",
                                   sino_stage_kinds[i]->name, sino_stage_kinds[i + 1] ? "" : "]");
    return order;
}

/* The settings, with what a sample of the scan tells of those that are left to sinodag. */
static SinoStatus print_settings(const SinoSettings *settings, const SinoInput *input, const SinoFindings *findings,
                                 FILE *out)
{
    char order[ORDER_SIZE], iterations[24];
    SinoSettings usual = *settings;
    SinoSettingNote note[SINO_EVIDENCE_MAX + 2] = {{.name = "stages", .value = stage_order(order)}};
    int64_t count = 1;
    SINO_TRY(sino_usual_iterations(&input->geometry, &usual));
    snprintf(iterations, sizeof iterations, "%" PRId64, usual.solver.iterations);
    if (usual.solver.iterations != settings->solver.iterations)
        note[count++] = (SinoSettingNote){"iterations", iterations,
                                          usual.solver.few_angles ? "few angles, or a gap between them"
                                                                  : "many projections, of more subsets"};
    for (int64_t i = 0; i < findings->evidence_count; i++) {
        const SinoEvidence *evidence = &findings->evidence[i];
        note[count++] = (SinoSettingNote){evidence->setting, evidence->value, evidence->reason};
    }
    return sino_settings_template(settings, count, note, out);
}

/* --out -: the settings are printed. */
static bool is_printed(const SinoOutputSettings *settings)
{
    return strcmp(settings->path, "-") == 0;
}

typedef struct Template {
    const SinoSettings *settings;
    const SinoInput *input;
    const SinoFindings *findings;
} Template;

static SinoStatus print_all(const void *of, FILE *out)
{
    const Template *template = of;
    const SinoSettings *settings = template->settings;
    fprintf(out, "# Settings of sinodag, made by sinodag init, for: sinodag recon --config ");
    print_text(is_printed(&settings->output) ? "FILE" : settings->output.path, false, out);
    fputs("\n# A line that begins with # and a name is a default or an example: remove the # to change it. Settings of "
          "the\n"
          "# command line win over those of this file. sinodag recon --help all explains every setting.\n#\n",
          out);
    print_scan(template->input, out);
    print_findings(template->findings, out);
    fputs("\nfile-name: ", out);
    print_text(settings->input.file_name, true, out);
    fputs("\nout: ", out);
    print_volume_name(settings->input.file_name, out);
    fputc('\n', out);
    return print_settings(settings, template->input, template->findings, out);
}

static SinoStatus write_file(const Template *template)
{
    SinoOutputFile *file;
    SINO_TRY(sino_output_open(template->settings->output.path, template->settings->output.overwrite, &file));
    return sino_output_print(file, print_all, template);
}

SinoStatus sino_init(const SinoSettings *settings, SinoLog *log)
{
    SinoInput input = {0};
    SinoFindings findings = {0};
    SINO_TRY(sino_job_check(sino_job_kind(settings), SINO_JOB_INIT));
    SINO_TRY(sino_input_try(settings));
    SINO_TRY(sino_input_describe(settings, &input));
    SinoStatus status = sino_input_check(&settings->input, &input);
    if (status && sino_status_exit_code(status) == SINO_BAD_INPUT) {
        sino_findings_add(&findings, true, "input", "%s", sino_status_text(status));
        sino_status_free(status);
        status = NULL;
    } else if (!status) {
        status = sino_suspect(settings, &input, &findings);
    }
    const Template template = {settings, &input, &findings};
    if (!status) status = is_printed(&settings->output) ? print_all(&template, stdout) : write_file(&template);
    sino_input_close(&input);
    if (!status && !is_printed(&settings->output))
        sino_log_info(log, "output", "settings: %s; sinodag recon --config %s", settings->output.path,
                      settings->output.path);
    return status;
}
