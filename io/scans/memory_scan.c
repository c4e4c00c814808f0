/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory scan: reads boxes of the arrays of a caller as those of a file. */
#include "memory_scan.h"

#include "memory.h"
#include "scan_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const int64_t type_bytes[SINO_MEMORY_TYPES] = {[SINO_MEMORY_FLOAT32] = sizeof(float),
                                                      [SINO_MEMORY_FLOAT64] = sizeof(double),
                                                      [SINO_MEMORY_UINT8] = sizeof(uint8_t),
                                                      [SINO_MEMORY_UINT16] = sizeof(uint16_t)};
static const char *const type_names[SINO_MEMORY_TYPES] = {[SINO_MEMORY_FLOAT32] = "float32",
                                                          [SINO_MEMORY_FLOAT64] = "float64",
                                                          [SINO_MEMORY_UINT8] = "uint8",
                                                          [SINO_MEMORY_UINT16] = "uint16"};

/* The type in which the values of a scan are read. */
static SinoCountType count_type(SinoMemoryType type)
{
    return type == SINO_MEMORY_UINT8    ? SINO_COUNT_UINT8
           : type == SINO_MEMORY_UINT16 ? SINO_COUNT_UINT16
                                        : SINO_COUNT_FLOAT32;
}

static float value_of(SinoMemoryType type, const char *at)
{
    switch (type) {
    case SINO_MEMORY_FLOAT64:
        return (float)*(const double *)(const void *)at;
    case SINO_MEMORY_UINT8:
        return *(const uint8_t *)at;
    case SINO_MEMORY_UINT16:
        return *(const uint16_t *)(const void *)at;
    default:
        return *(const float *)(const void *)at;
    }
}

/* Reads `count` values of a row, `step` bytes apart, as `to`: of their own type, or float. */
static void read_row(SinoMemoryType type, bool same, const char *from, int64_t step, int64_t count, char *to)
{
    const int64_t bytes = type_bytes[type];
    if (same && step == bytes) {
        memcpy(to, from, (size_t)(count * bytes));
    } else if (same) {
        for (int64_t k = 0; k < count; k++) memcpy(to + k * bytes, from + k * step, (size_t)bytes);
    } else {
        for (int64_t k = 0; k < count; k++) {
            const float value = value_of(type, from + k * step);
            memcpy(to + k * (int64_t)sizeof value, &value, sizeof value);
        }
    }
}

/* Counts keep their type, or become float32. */
static SinoStatus read_images(void *file, SinoScanField field, int64_t first, int64_t count, const SinoScanBox *box,
                              SinoCountType type, void *counts)
{
    const SinoMemoryScan *scan = file;
    const SinoMemoryImages *images = field == SINO_FIELD_FLATS   ? &scan->flats
                                     : field == SINO_FIELD_DARKS ? &scan->darks
                                                                 : &scan->projections;
    const int64_t bytes = type_bytes[images->type];
    const bool same = type == count_type(images->type) && images->type != SINO_MEMORY_FLOAT64;
    char *to = counts;
    for (int64_t i = first; i < first + count; i++)
        for (int64_t j = box->first_row; j < box->first_row + box->row_count; j++) {
            const int64_t at = i * images->step[0] + j * images->step[1] + box->first_column * images->step[2];
            read_row(images->type, same, (const char *)images->first + at * bytes, images->step[2] * bytes,
                     box->column_count, to);
            to += box->column_count * sino_count_bytes(type);
        }
    return NULL;
}

/* The arrays are the caller's. */
static void close_images(void *file)
{
    (void)file;
}

static const SinoScanSource memory_source = {.read = read_images, .close = close_images};

static bool probe(const SinoScanRequest *request)
{
    return request->memory;
}

static SinoStatus check_fields(const char *what, const SinoMemoryImages *fields, const SinoMemoryImages *projections)
{
    SINO_CHECK(!fields->first || (fields->size[1] == projections->size[1] && fields->size[2] == projections->size[2]),
               SINO_BAD_INPUT,
               "the %s have %" PRId64 " rows and %" PRId64 " columns; allowed: %" PRId64 " and %" PRId64
               ", as the projections have",
               what, fields->size[1], fields->size[2], projections->size[1], projections->size[2]);
    return NULL;
}

static SinoStatus open_memory(const SinoScanRequest *request, SinoScan *scan)
{
    const SinoMemoryScan *memory = request->memory;
    const SinoMemoryImages *projections = &memory->projections;
    SinoScanInfo *info = &scan->info;
    SINO_TRY(check_fields("flats", &memory->flats, projections));
    SINO_TRY(check_fields("darks", &memory->darks, projections));
    scan->data = (SinoScanPart){.source = &memory_source, .file = (void *)memory};
    info->type = count_type(projections->type);
    info->angle_count = info->file_angle_count = projections->size[0];
    info->row_count = projections->size[1];
    info->column_count = projections->size[2];
    info->flat_count = memory->flats.first ? memory->flats.size[0] : 0;
    info->dark_count = memory->darks.first ? memory->darks.size[0] : 0;
    snprintf(scan->stored_type, sizeof scan->stored_type, "%s", type_names[projections->type]);
    if (!memory->angle_rad) return NULL;
    SINO_TRY(sino_scan_check_limits(request->path, info));
    SINO_TRY(sino_allocate(info->angle_count, sizeof *scan->angle_rad, "angles", &scan->angle_rad));
    memcpy(scan->angle_rad, memory->angle_rad, (size_t)info->angle_count * sizeof *scan->angle_rad);
    return NULL;
}

const SinoScanFormat sino_memory_format = {.name = "arrays in memory",
                                           .evidence = "a program gives them",
                                           .certainty = "certain",
                                           .probe = probe,
                                           .open = open_memory};
