/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix report: a system matrix and the counts of its rows, as lines and as JSON. */
#include "info_report.h"

#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void sino_report_line(const char *name, const char *text, FILE *out)
{
    fprintf(out, "%-12s ", name);
    sino_print_visible(text, out);
    fputc('\n', out);
}

static void print_grid(const SinoVoxelGrid *grid, FILE *out)
{
    if (grid->x_count > 0)
        fprintf(out, "volume       %" PRId64 " x %" PRId64 " x %" PRId64 " voxels", grid->x_count, grid->y_count,
                grid->z_count);
    else
        fputs("volume       not known; recon takes --volume XxYxZ", out);
    if (grid->size[0] > 0) fprintf(out, " of %.6g x %.6g x %.6g mm", grid->size[0], grid->size[1], grid->size[2]);
    fputc('\n', out);
}

/* The axes along which mirrors go: "x, y, z". */
static const char *mirrors_text(int mirrors, char text[16])
{
    static const char *const axis[] = {"x", "y", "z"};
    int length = 0;
    text[0] = '\0';
    for (int i = 0; i < 3; i++)
        if (mirrors >> i & 1)
            length += snprintf(text + length, (size_t)(16 - length), "%s%s", length ? ", " : "", axis[i]);
    return text;
}

void sino_matrix_report_print(const char *kind, const SinoMatrixOutline *outline, FILE *out)
{
    char axes[16];
    fprintf(out, "kind         system matrix, %s\n", kind);
    fprintf(out, "shape        %" PRId64 " rows", outline->row_count);
    if (outline->column_count > 0)
        fprintf(out, ", %" PRId64 " columns, %" PRId64 " entries", outline->column_count, outline->nonzero_count);
    if (outline->column_count > 0 && outline->row_count > 0)
        fprintf(out, ", %.4g a row", (double)outline->nonzero_count / (double)outline->row_count);
    fputc('\n', out);
    if (outline->crystal_count > 0)
        fprintf(out, "rows         pairs of %" PRId64 " crystals\n", outline->crystal_count);
    if (outline->mirrors)
        fprintf(out, "mirrors      %s: the file leaves out entries that they give\n",
                mirrors_text(outline->mirrors, axes));
    print_grid(&outline->grid, out);
}

static void json_of_axes(SinoJson *json, const char *name, const double value[3])
{
    static const char *const axis[] = {"x", "y", "z"};
    sino_json_open(json, name);
    for (int i = 0; i < 3; i++) sino_json_real(json, axis[i], value[i] > 0 ? value[i] : NAN);
    sino_json_close(json);
}

void sino_matrix_report_json(const char *path, const char *kind, const SinoMatrixOutline *outline, SinoJson *json)
{
    const SinoVoxelGrid *grid = &outline->grid;
    const double count[3] = {(double)grid->x_count, (double)grid->y_count, (double)grid->z_count};
    char axes[16];
    sino_json_open(json, "matrix");
    sino_json_text(json, "file", path);
    sino_json_text(json, "format", kind);
    sino_json_integer(json, "rows", outline->row_count);
    sino_json_integer(json, "columns", outline->column_count);
    sino_json_integer(json, "entries", outline->nonzero_count);
    sino_json_real(json, "crystals", outline->crystal_count > 0 ? (double)outline->crystal_count : NAN);
    sino_json_text(json, "mirrors", mirrors_text(outline->mirrors, axes));
    json_of_axes(json, "voxels", count);
    json_of_axes(json, "voxel_mm", grid->size);
    sino_json_close(json);
}

void sino_counts_report_print(const char *path, const SinoCountsInfo *info, FILE *out)
{
    const bool named = strcmp(info->kind, info->stored_type) != 0;
    sino_report_line("file", path, out);
    fprintf(out, "kind         counts, %s%s%s, %" PRId64 " set%s%s\n", info->kind, named ? ", " : "",
            named ? info->stored_type : "", info->set_count, info->set_count == 1 ? "" : "s",
            info->events ? " of events" : "");
}

void sino_counts_report_json(const char *path, const SinoCountsInfo *info, SinoJson *json)
{
    sino_json_text(json, "file", path);
    sino_json_text(json, "format", info->kind);
    sino_json_text(json, "stored_type", info->stored_type);
    sino_json_flag(json, "events", info->events);
    sino_json_integer(json, "sets", info->set_count);
}
