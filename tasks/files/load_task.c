/* SPDX-License-Identifier: BSD-3-Clause */
/* Task load: reads a slab of counts with its flat and dark fields from the scan. */
#include "files_tasks.h"

#include "correct.h"
#include "memory.h"
#include "task.h"

#include <stdlib.h>

typedef struct Load {
    SinoOperand counts, io, flat, dark; /* the fields only if it loads them */
    SinoLoad load;
} Load;

/* Images first … first + count − 1 of the flat or dark fields. */
typedef SinoStatus ReadFields(SinoScan *scan, int64_t first, int64_t count, const SinoScanBox *box, float *fields);
typedef struct Images {
    ReadFields *read;
    int64_t first, count;
} Images;

enum { FIELD_BYTES = 64 << 20 }; /* of a piece, unless one row needs more */

/* Rows of a piece. */
static int64_t rows_at_once(int64_t image_count, int64_t rows, int64_t row_bytes)
{
    const int64_t row = sino_larger(sino_times(image_count, row_bytes), 1);
    return sino_larger(1, sino_smaller(rows, FIELD_BYTES / row));
}

int64_t sino_load_field_bytes(int64_t image_count, int64_t rows, int64_t row_bytes)
{
    return sino_times(rows_at_once(image_count, rows, row_bytes), sino_times(image_count, row_bytes));
}

/* Averages the fields in a box. */
static SinoStatus average(const SinoLoad *load, const SinoScanBox *box, const Images *images, float *fields,
                          float *field)
{
    const int64_t pixels = sino_times(box->row_count, box->column_count);
    SINO_TRY(images->read(load->scan, images->first, images->count, box, fields));
    if (load->flat_correction == SINO_FLAT_MEDIAN) return sino_fields_median(images->count, pixels, fields, field);
    sino_fields_mean(images->count, pixels, fields, field);
    return NULL;
}

static SinoStatus load_field(const SinoLoad *load, Images images, float *field)
{
    SinoStatus status = NULL;
    float *fields = NULL;
    int64_t pixels, elements;
    const int64_t columns = load->box.column_count, end = load->box.first_row + load->box.row_count;
    const int64_t rows = rows_at_once(images.count, load->box.row_count, sino_times(columns, (int64_t)sizeof *field));
    SINO_TRY(sino_multiply(rows, columns, "a slab's field", &pixels));
    SINO_TRY(sino_multiply(images.count, pixels, "a slab's fields", &elements));
    SINO_TRY(sino_allocate(elements, sizeof *fields, "flat or dark fields", &fields));
    for (SinoScanBox box = load->box; !status && box.first_row < end; box.first_row += rows) {
        box.row_count = sino_smaller(rows, end - box.first_row);
        status = average(load, &box, &images, fields, field + (box.first_row - load->box.first_row) * columns);
    }
    free(fields);
    return status;
}

static SinoStatus load_flats(const SinoLoad *load, int64_t count, float *flat)
{
    const int64_t pixels = sino_times(load->box.row_count, load->box.column_count);
    Images set = {sino_scan_read_some_flats, 0, count};
    for (int64_t s = 0; s < load->flat_sets; s++) {
        set.count = load->flat_set_end[s] - set.first;
        SINO_TRY(load_field(load, set, flat + s * pixels));
        set.first += set.count;
    }
    return load->flat_sets > 0 ? NULL : load_field(load, set, flat);
}

static SinoStatus load_counts(const SinoLoad *load, char *counts)
{
    const int64_t projection = sino_times(sino_times(load->box.row_count, load->box.column_count),
                                          sino_count_bytes(sino_scan_info(load->scan)->type));
    for (int64_t i = 0; i < load->run_count; i++) {
        const SinoAngleRun *run = &load->run[i];
        SINO_TRY(sino_scan_read(load->scan, run->first, run->count, &load->box, counts));
        counts += sino_times(run->count, projection);
    }
    return NULL;
}

static SinoStatus load_cpu(const SinoTask *task)
{
    const Load *of = task->arguments;
    const SinoLoad *load = &of->load;
    const SinoScanInfo *info = sino_scan_info(load->scan);
    SINO_TRY(load_counts(load, of->counts.at));
    if (!load->fields || load->flat_correction == SINO_FLAT_NONE) return NULL;
    SINO_TRY(load_flats(load, info->flat_count, of->flat.at));
    return load_field(load, (Images){sino_scan_read_some_darks, 0, info->dark_count}, of->dark.at);
}

static const SinoTaskKind load_kind = {.name = "load",
                                       .waits = true,
                                       SINO_ARGUMENTS(Load, SINO_WRITES(Load, counts), SINO_UPDATES(Load, io),
                                                      SINO_MAY_WRITE(Load, flat), SINO_MAY_WRITE(Load, dark)),
                                       .cpu = load_cpu};

SinoStatus sino_insert_load(SinoRuntime *runtime, SinoPosition position, const SinoLoad *load, SinoData *io,
                            SinoData *counts, SinoData *flat, SinoData *dark)
{
    const Load arguments = {.counts.data = counts,
                            .io.data = io,
                            .flat.data = load->fields ? flat : NULL,
                            .dark.data = load->fields ? dark : NULL,
                            .load = *load};
    return SINO_SUBMIT(runtime, &load_kind, position, &arguments, .file_bytes = SINO_FILE_DATA, .aside = load->aside,
                       .priority = SINO_PRIORITY_URGENT);
}
