/* SPDX-License-Identifier: BSD-3-Clause */
/* Task load: reads a slab of counts with its flat and dark fields from the scan. */
#include "load_task.h"

#include "correct.h"
#include "memory.h"
#include "task.h"

#include <stdlib.h>

typedef struct Arguments {
    SinoLoad load;
} Arguments;

typedef SinoStatus ReadFields(SinoScan *scan, const SinoScanBox *box, float *fields);

static SinoStatus load_field(const SinoLoad *load, int64_t field_count, ReadFields *read, float *field)
{
    SinoStatus status = NULL;
    float *fields = NULL;
    int64_t pixels, elements;
    SINO_TRY(sino_multiply(load->box.row_count, load->box.column_count, "a slab's field", &pixels));
    SINO_TRY(sino_multiply(field_count, pixels, "a slab's fields", &elements));
    SINO_TRY(sino_allocate(elements, sizeof *fields, "flat or dark fields", &fields));
    SINO_TRY_OR(status, cleanup, read(load->scan, &load->box, fields));
    if (load->flat_correction == SINO_FLAT_MEDIAN)
        status = sino_fields_median(field_count, pixels, fields, field);
    else
        sino_fields_mean(field_count, pixels, fields, field);
cleanup:
    free(fields);
    return status;
}

static SinoStatus load_counts(const SinoLoad *load, char *counts)
{
    const int64_t projection =
        load->box.row_count * load->box.column_count * sino_count_bytes(sino_scan_info(load->scan)->type);
    for (int64_t i = 0; i < load->run_count; i++) {
        const SinoAngleRun *run = &load->run[i];
        SINO_TRY(sino_scan_read(load->scan, run->first, run->count, &load->box, counts));
        counts += run->count * projection;
    }
    return NULL;
}

static SinoStatus load_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    const SinoLoad *load = &arguments->load;
    const SinoScanInfo *info = sino_scan_info(load->scan);
    SINO_TRY(load_counts(load, sino_task_buffer(task, 0)));
    if (load->flat_correction == SINO_FLAT_NONE) return NULL;
    SINO_TRY(load_field(load, info->flat_count, sino_scan_read_flats, sino_task_buffer(task, 1)));
    return load_field(load, info->dark_count, sino_scan_read_darks, sino_task_buffer(task, 2));
}

static const SinoTaskKind load_kind = {
    .name = "load", .argument_bytes = sizeof(Arguments), .access_min = 4, .access_max = 4, .cpu = load_cpu};

SinoStatus sino_insert_load(SinoRuntime *runtime, SinoPosition position, const SinoLoad *load, SinoData *io,
                            SinoData *counts, SinoData *flat, SinoData *dark)
{
    const Arguments arguments = {.load = *load};
    const SinoAccess access[] = {{counts, SINO_WRITE}, {flat, SINO_WRITE}, {dark, SINO_WRITE}, {io, SINO_READ_WRITE}};
    return sino_task_submit(runtime, &load_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = 4,
                                               .urgent = true});
}
