/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume input from TIFF: pages of a file, or files of a page. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tiff_images.h"
#include "volume_input_source.h"

static bool probe(const char *given, const char *path)
{
    (void)path;
    return sino_tiff_stack_probe(given);
}

/* A number of ImageJ's description, whose lines are NAME=NUMBER. */
static bool number_of(const char *text, const char *name, double *value)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const size_t length = strlen(name);
        char *end;
        if (strncmp(line, name, length) != 0 || line[length] != '=') continue;
        const double found = strtod(line + length + 1, &end);
        if (end == line + length + 1) return false;
        *value = found;
        return true;
    }
    return false;
}

/* ImageJ: value = c0 + c1 · number (cf=0, a straight line). */
static void take_calibration(const char *text, SinoVolumeInputInfo *info)
{
    double function = -1, offset = 0, scale = 1;
    if (strncmp(text, "ImageJ=", 7) != 0 || !number_of(text, "cf", &function) || function != 0) return;
    if (!number_of(text, "c0", &offset) || !number_of(text, "c1", &scale)) return;
    info->scaled = true;
    info->offset = offset;
    info->scale = scale;
}

static SinoStatus take_description(const SinoTiffStack *stack, SinoVolumeInputInfo *info)
{
    SinoTiffFile *file = NULL;
    SINO_TRY(sino_tiff_file_open(stack->files.name[0], &file));
    const char *text = sino_tiff_file_description(file);
    if (text) take_calibration(text, info);
    sino_tiff_file_close(file);
    return NULL;
}

static SinoStatus open_stack(SinoVolumeInput *input)
{
    SinoTiffStack *stack = NULL;
    SinoVolumeInputInfo *info = &input->info;
    SINO_TRY(sino_tiff_stack_open(input->given, &stack));
    input->file = stack;
    info->kind = "TIFF";
    info->slice_count = stack->image_count;
    info->height = stack->page[0].row_count;
    info->width = stack->page[0].column_count;
    snprintf(input->stored_type, sizeof input->stored_type, "%s", stack->page[0].stored_type);
    return take_description(stack, info);
}

static SinoStatus read_slice(const SinoVolumeInput *input, int64_t slice, float *values)
{
    const SinoScanBox box = {.row_count = input->info.height, .column_count = input->info.width};
    return sino_tiff_stack_read(input->file, slice, 1, &box, SINO_COUNT_FLOAT32, values);
}

static void close_stack(void *file)
{
    sino_tiff_stack_close(file);
}

const SinoVolumeFormat sino_volume_of_tiff = {
    .name = "TIFF", .probe = probe, .open = open_stack, .read = read_slice, .close = close_stack};
