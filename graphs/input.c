/* SPDX-License-Identifier: BSD-3-Clause */
/* Input: which part of a scan is reconstructed, checked against what the scan holds. */
#include "input.h"

#include "memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* [start, end) within [0, size), end −1 meaning size, cut to a multiple of binning. */
static SinoStatus take_range(const char *what, int64_t start, int64_t end, int64_t size, int64_t binning,
                             int64_t *count)
{
    const int64_t last = end < 0 ? size : end;
    SINO_CHECK(start < size, SINO_BAD_INPUT, "start-%s is %" PRId64 "; allowed: 0 to %" PRId64 ", the scan's %ss", what,
               start, size - 1, what);
    SINO_CHECK(last <= size, SINO_BAD_INPUT, "end-%s is %" PRId64 "; allowed: up to %" PRId64 ", the scan's %ss", what,
               last, size, what);
    SINO_CHECK(start < last, SINO_BAD_INPUT, "empty %s range: start-%s is %" PRId64 " and end-%s is %" PRId64, what,
               what, start, what, last);
    *count = (last - start) / binning * binning;
    SINO_CHECK(*count > 0, SINO_BAD_INPUT, "binning is %" PRId64 "; only %" PRId64 " %ss are selected", binning,
               last - start, what);
    return NULL;
}

static SinoScanBox box_of(const SinoInput *input, int64_t first_row, int64_t row_count)
{
    return (SinoScanBox){.first_row = first_row,
                         .row_count = row_count,
                         .first_column = input->first_column,
                         .column_count = input->column_count};
}

/* Looks through the flat fields, a piece at a time, until a positive count is found. */
static SinoStatus check_flats_of(const SinoInput *input, float *flats, int64_t piece_rows, bool *positive)
{
    const int64_t end = input->first_row + input->row_count;
    for (int64_t row = input->first_row; row < end && !*positive; row += piece_rows) {
        const SinoScanBox box = box_of(input, row, row + piece_rows < end ? piece_rows : end - row);
        SINO_TRY(sino_scan_read_flats(input->scan, &box, flats));
        const int64_t count = input->info->flat_count * box.row_count * box.column_count;
        for (int64_t i = 0; i < count && !*positive; i++) *positive = flats[i] > 0;
    }
    return NULL;
}

static SinoStatus check_flats(const SinoInput *input, const char *name)
{
    const int64_t piece_rows = 16;
    float *flats = NULL;
    bool positive = false;
    SINO_CHECK(input->info->flat_count > 0, SINO_BAD_INPUT,
               "'%s' has no flat fields (/exchange/data_white); pass --flat-correction none if its data are "
               "transmissions already",
               name);
    SINO_TRY(sino_allocate(input->info->flat_count * piece_rows * input->column_count, sizeof *flats, "flat fields",
                           &flats));
    SinoStatus status = check_flats_of(input, flats, piece_rows, &positive);
    free(flats);
    if (status) return status;
    SINO_CHECK(positive, SINO_BAD_INPUT,
               "'%s': every count of the %" PRId64 " flat fields is zero or less; allowed: flat fields with light",
               name, input->info->flat_count);
    return NULL;
}

static void warn(const SinoInput *input, SinoLog *log)
{
    const SinoScanInfo *info = input->info;
    if (info->angle_assumed)
        sino_log_warning(log, "theta",
                         "the scan has no angles; taking %" PRId64 " from 0 to 180 degrees, both included",
                         info->angle_count);
    if (input->flat_correction != SINO_FLAT_NONE && info->dark_count == 0)
        sino_log_warning(log, "dark", "the scan has no dark fields; taking 0");
}

/* Every size made from these fits in 63 bits, with room for vectors, binning and bytes. */
static SinoStatus check_sizes(int64_t angles, int64_t columns, int64_t slices)
{
    int64_t longest, elements, bytes;
    SINO_TRY(sino_multiply(columns, angles > columns ? angles : columns, "the scan", &longest));
    SINO_TRY(sino_multiply(longest, slices, "the scan", &elements));
    return sino_multiply(elements, 4096, "the scan", &bytes);
}

static SinoStatus select_part(const SinoSettings *settings, SinoInput *input)
{
    const SinoScanInfo *info = input->info;
    input->binning = settings->binning;
    input->first_row = settings->start_row;
    input->first_column = settings->start_column;
    SINO_TRY(
        take_range("row", settings->start_row, settings->end_row, info->row_count, input->binning, &input->row_count));
    SINO_TRY(take_range("column", settings->start_column, settings->end_column, info->column_count, input->binning,
                        &input->column_count));
    input->slice_count = input->row_count / input->binning;
    const int64_t columns = input->column_count / input->binning;
    SINO_TRY(check_sizes(info->angle_count, columns, input->slice_count));
    input->geometry = (SinoGeometry){.angle_count = info->angle_count,
                                     .column_count = columns,
                                     .grid_size = columns,
                                     .angle_rad = info->angle_rad,
                                     .center = -1};
    input->angle_count = info->angle_count;
    input->run_count = 1;
    SINO_TRY(sino_allocate(1, sizeof *input->run, "angles", &input->run));
    input->run[0] = (SinoAngleRun){.first = 0, .count = info->angle_count};
    return NULL;
}

SinoStatus sino_input_open(const SinoSettings *settings, SinoLog *log, SinoInput *result)
{
    SinoStatus status = NULL;
    SinoInput input = {0};
    const SinoScanRequest request = {
        .path = settings->file_name, .theta_path = settings->theta, .columns = settings->columns};
    SINO_TRY(sino_scan_open(&request, &input.scan));
    input.info = sino_scan_info(input.scan);
    input.flat_correction = input.info->line_integrals ? SINO_FLAT_NONE : settings->flat_correction;
    input.minus_log = !input.info->line_integrals && settings->minus_log;
    SINO_TRY_OR(status, fail, select_part(settings, &input));
    if (input.flat_correction != SINO_FLAT_NONE) SINO_TRY_OR(status, fail, check_flats(&input, settings->file_name));
    warn(&input, log);
    *result = input;
    return NULL;
fail:
    sino_input_close(&input);
    return status;
}

void sino_input_close(SinoInput *input)
{
    sino_scan_close(input->scan);
    free(input->run);
    free(input->place);
    *input = (SinoInput){0};
}

void sino_input_take_slices(SinoInput *input, int64_t first, int64_t count)
{
    input->first_slice += first;
    input->first_row += first * input->binning;
    input->row_count = count * input->binning;
    input->slice_count = count;
}

SinoStatus sino_input_take_angles(SinoInput *input, const SinoLayout *layout, int64_t first, int64_t count)
{
    SinoAngleRun *run = NULL;
    int64_t *place = NULL, taken = 0, runs = 0;
    SINO_TRY(sino_allocate(count, sizeof *run, "angles", &run));
    SinoStatus status = sino_allocate(count, sizeof *place, "angles", &place);
    if (status) {
        free(run);
        return status;
    }
    for (int64_t k = 0; k < layout->geometry.angle_count; k++) {
        if (layout->place[k] < first || layout->place[k] >= first + count) continue;
        if (runs == 0 || run[runs - 1].first + run[runs - 1].count < k) run[runs++] = (SinoAngleRun){.first = k};
        run[runs - 1].count++;
        place[taken++] = layout->place[k] - first;
    }
    free(input->run);
    free(input->place);
    input->run = run;
    input->place = place;
    input->run_count = runs;
    input->angle_count = count;
    return NULL;
}

double sino_input_column_of_file(const SinoInput *input, double grid_column)
{
    const double binning = (double)input->binning;
    return grid_column * binning + (binning - 1) / 2 + (double)input->first_column;
}

double sino_input_column_of_grid(const SinoInput *input, double file_column)
{
    const double binning = (double)input->binning;
    return (file_column - (double)input->first_column - (binning - 1) / 2) / binning;
}

SinoCorrection sino_input_correction(const SinoInput *input, SinoSlices slices, int64_t slab_slices,
                                     int64_t slice_in_slab)
{
    static const SinoCorrectInput type[] = {[SINO_COUNT_UINT8] = SINO_CORRECT_UINT8,
                                            [SINO_COUNT_UINT16] = SINO_CORRECT_UINT16,
                                            [SINO_COUNT_FLOAT32] = SINO_CORRECT_FLOAT32};
    return (SinoCorrection){.input = type[input->info->type],
                            .slices = slices,
                            .angle_count = input->angle_count,
                            .column_count = input->column_count,
                            .row_count = slab_slices * input->binning,
                            .first_row = slice_in_slab * input->binning,
                            .binning = input->binning,
                            .flat_field = input->flat_correction != SINO_FLAT_NONE,
                            .minus_log = input->minus_log,
                            .place = input->place};
}

SinoLoad sino_input_load(const SinoInput *input, int64_t first_slice, int64_t slice_count)
{
    return (SinoLoad){.scan = input->scan,
                      .box =
                          box_of(input, input->first_row + first_slice * input->binning, slice_count * input->binning),
                      .run_count = input->run_count,
                      .run = input->run,
                      .flat_correction = input->flat_correction};
}

int64_t sino_input_slab_bytes(const SinoInput *input, int64_t angle_count, int64_t slice_count)
{
    return slice_count * input->binning * input->column_count * angle_count * sino_count_bytes(input->info->type);
}

int64_t sino_input_field_bytes(const SinoInput *input, int64_t slice_count)
{
    return slice_count * input->binning * input->column_count * (int64_t)sizeof(float);
}

SinoStatus sino_input_slice_of_row(const SinoInput *input, int64_t row, int64_t *slice)
{
    if (row < 0) {
        *slice = input->slice_count / 2;
        return NULL;
    }
    SINO_CHECK(row >= input->first_row && row < input->first_row + input->row_count, SINO_BAD_INPUT,
               "nsino is %" PRId64 "; allowed: rows %" PRId64 " to %" PRId64, row, input->first_row,
               input->first_row + input->row_count - 1);
    *slice = (row - input->first_row) / input->binning;
    return NULL;
}
