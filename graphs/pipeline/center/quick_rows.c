/* SPDX-License-Identifier: BSD-3-Clause */
/* Quick rows: reads some detector rows and corrects them. */
#include "center_methods.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>

static int64_t pixels_of(const SinoQuickRows *rows)
{
    return sino_times(rows->box.row_count, rows->box.column_count);
}

/* Fields that are averaged. */
enum { FIELDS = 16 };

typedef SinoStatus ReadFields(SinoScan *scan, int64_t first, int64_t count, const SinoScanBox *box, float *counts);

static SinoStatus mean_of_fields(SinoQuickRows *rows, ReadFields *read, int64_t images, float *mean)
{
    const int64_t taken = sino_smaller(images, FIELDS);
    for (int64_t i = 0; i < taken; i++) {
        SINO_TRY(read(rows->input->scan, i * images / taken, 1, &rows->box, rows->counts));
        for (int64_t p = 0; p < pixels_of(rows); p++) mean[p] += rows->counts[p] / (float)taken;
    }
    return NULL;
}

SinoStatus sino_quick_rows_open(const SinoInput *input, int64_t first_row, int64_t row_count, SinoQuickRows *rows)
{
    const int64_t columns = input->info->column_count, pixels = sino_times(row_count, columns);
    const bool fields = input->flat_correction != SINO_FLAT_NONE;
    *rows = (SinoQuickRows){.input = input,
                            .box = {.first_row = first_row, .row_count = row_count, .column_count = columns}};
    SINO_TRY(sino_allocate(pixels, sizeof *rows->flat, "rows", &rows->flat));
    SINO_TRY(sino_allocate(pixels, sizeof *rows->dark, "rows", &rows->dark));
    SINO_TRY(sino_allocate(pixels, sizeof *rows->counts, "rows", &rows->counts));
    if (!fields) return NULL;
    SINO_TRY(mean_of_fields(rows, sino_scan_read_some_flats, input->info->flat_count, rows->flat));
    return mean_of_fields(rows, sino_scan_read_some_darks, input->info->dark_count, rows->dark);
}

void sino_quick_rows_close(SinoQuickRows *rows)
{
    free(rows->flat);
    free(rows->dark);
    free(rows->counts);
}

SinoStatus sino_quick_rows_read(void *context, int64_t angle, float *integral)
{
    SinoQuickRows *rows = context;
    const SinoInput *input = rows->input;
    float before = 0;
    SINO_TRY(sino_scan_read_projection(input->scan, angle, &rows->box, integral));
    for (int64_t p = 0; p < pixels_of(rows); p++) {
        if (p % rows->box.column_count == 0) before = 0;
        if (input->flat_correction != SINO_FLAT_NONE)
            integral[p] = (integral[p] - rows->dark[p]) / (rows->flat[p] - rows->dark[p]);
        if (input->minus_log) integral[p] = -logf(integral[p]);
        if (!isfinite(integral[p])) integral[p] = before;
        before = integral[p];
    }
    return NULL;
}
