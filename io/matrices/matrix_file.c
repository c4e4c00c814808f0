/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix file: chooses the format of a system matrix. */
#include "matrix_file.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "files.h"
#include "matrix_source.h"
#include "memory.h"
#include "paths.h"

/* The first format whose probe recognises the file opens it. */
static const SinoMatrixFormat *const formats[] = {
    &sino_csr4_format,        &sino_npz_format,      &sino_market_format, &sino_matlab_format,
    &sino_hdf5_matrix_format, &sino_crystals_format, &sino_spect_format,  NULL};

/* Splits FILE:/GROUP, unless a file has that name. */
static SinoStatus take_path(const char *path, SinoMatrixFile *file)
{
    const char *colon = NULL;
    for (const char *at = strstr(path, ":/"); at; at = strstr(at + 1, ":/")) colon = at;
    if (!colon || colon == path || sino_path_kind(path) != SINO_PATH_ABSENT) {
        file->path = strdup(path);
    } else {
        file->path = strndup(path, (size_t)(colon - path));
        file->group = strdup(colon + 1);
        SINO_CHECK(file->group, SINO_FAILED, "no memory for a file name");
    }
    SINO_CHECK(file->path, SINO_FAILED, "no memory for a file name");
    return NULL;
}

static SinoStatus read_head(const char *path, unsigned char head[SINO_MATRIX_HEAD], int64_t *bytes)
{
    int descriptor;
    int64_t size;
    SINO_TRY(sino_regular_open(path, &descriptor, &size));
    *bytes = sino_smaller(size, SINO_MATRIX_HEAD);
    SinoStatus status = sino_regular_read(path, descriptor, 0, *bytes, head);
    close(descriptor);
    return status;
}

static SinoStatus refuse_unknown(const char *path)
{
    char allowed[512] = "";
    size_t length = 0;
    for (const SinoMatrixFormat *const *at = formats; *at && length < sizeof allowed; at++) {
        const char *between = at == formats ? "" : at[1] ? ", " : " or ";
        length += (size_t)snprintf(allowed + length, sizeof allowed - length, "%s%s (%s)", between, (*at)->name,
                                   (*at)->example);
    }
    return sino_error(SINO_BAD_INPUT, "%s is no system matrix of a format that is known; allowed: %s", path, allowed);
}

static SinoStatus open_format(const char *path, SinoMatrixFile *file)
{
    unsigned char head[SINO_MATRIX_HEAD] = {0};
    int64_t bytes;
    const SinoMatrixFormat *format = NULL;
    SINO_TRY(take_path(path, file));
    SINO_TRY(read_head(file->path, head, &bytes));
    for (const SinoMatrixFormat *const *at = formats; *at && !format; at++)
        if ((*at)->probe(file->path, head, bytes)) format = *at;
    if (!format) return refuse_unknown(file->path);
    SINO_CHECK(!file->group || format->takes_group, SINO_BAD_INPUT,
               "%s is %s, which has no groups; allowed: the name of the file without :%s", file->path, format->name,
               file->group);
    file->kind = format->name;
    SINO_TRY(format->open(file));
    file->read_count = file->outline.row_count;
    return NULL;
}

static SinoStatus open_memory(const SinoMemoryMatrix *matrix, SinoMatrixFile *file)
{
    file->kind = "arrays";
    file->path = strdup(matrix->name);
    SINO_CHECK(file->path, SINO_FAILED, "no memory for a name");
    SINO_TRY(sino_matrix_memory_open(matrix, file));
    file->read_count = file->outline.row_count;
    return NULL;
}

SinoStatus sino_matrix_open(const char *path, SinoMatrixFile **opened)
{
    return sino_matrix_open_from(path, NULL, opened);
}

SinoStatus sino_matrix_open_from(const char *path, const SinoMemoryMatrix *memory, SinoMatrixFile **opened)
{
    SinoMatrixFile *file;
    SINO_TRY(sino_allocate(1, sizeof *file, "a matrix file", &file));
    SinoStatus status = memory ? open_memory(memory, file) : open_format(path, file);
    SINO_GIVE(status, file, sino_matrix_close, opened);
}

static SinoStatus probe(const char *path, bool *found)
{
    unsigned char head[SINO_MATRIX_HEAD] = {0};
    int64_t bytes;
    SinoMatrixFile file = {0};
    SinoStatus status = take_path(path, &file);
    if (!status) status = read_head(file.path, head, &bytes);
    *found = !status && file.group;
    for (const SinoMatrixFormat *const *at = formats; *at && !status && !*found; at++)
        *found = !(*at)->takes_group && !(*at)->of_scans && (*at)->probe(file.path, head, bytes);
    free(file.path);
    free(file.group);
    return status;
}

bool sino_matrix_probe(const char *path)
{
    bool found;
    sino_status_free(probe(path, &found));
    return found;
}

static SinoStatus open_and_close(const void *path)
{
    SinoMatrixFile *file = NULL;
    SINO_TRY(sino_matrix_open(path, &file));
    sino_matrix_close(file);
    return NULL;
}

SinoStatus sino_matrix_try(const char *path)
{
    return sino_child_try_headers(path, 10, open_and_close, path);
}

void sino_matrix_close(SinoMatrixFile *file)
{
    if (!file) return;
    if (file->source) file->source->close(file->state);
    free(file->path);
    free(file->group);
    free(file);
}

const SinoMatrixOutline *sino_matrix_outline(const SinoMatrixFile *file)
{
    return &file->outline;
}

const char *sino_matrix_path(const SinoMatrixFile *file)
{
    return file->path;
}

const char *sino_matrix_kind(const SinoMatrixFile *file)
{
    return file->kind;
}

SinoStatus sino_matrix_frame(SinoMatrixFile *file, const SinoVoxelGrid *grid, const SinoCamera *camera)
{
    const bool wanted = camera->attenuation || camera->slope > 0 || camera->width_mm > 0;
    SINO_CHECK(!wanted || file->source->takes_camera, SINO_BAD_INPUT,
               "%s is %s, which has attenuation and blur in its values; allowed: %s without --attenuation-map and "
               "--collimator, or the Interfile header of a SPECT scan",
               file->path, file->kind, file->path);
    return file->source->frame ? file->source->frame(file->state, grid, camera, &file->outline) : NULL;
}

SinoStatus sino_matrix_fold(SinoMatrixFile *file)
{
    return file->outline.mirrors ? file->source->fold(file->state, &file->read_count) : NULL;
}

int64_t sino_matrix_read_count(const SinoMatrixFile *file)
{
    return file->read_count;
}

int64_t sino_matrix_image_row(const SinoMatrixFile *file, int64_t row, int64_t orientation)
{
    return file->source->image_row ? file->source->image_row(file->state, row, orientation) : row;
}

int64_t sino_matrix_lead_row(const SinoMatrixFile *file, int64_t row)
{
    return file->source->lead_row ? file->source->lead_row(file->state, row) : row;
}

static void check_range(const SinoMatrixFile *file, int64_t first, int64_t count)
{
    assert(first >= 0 && count >= 0 && count <= UINT32_MAX && first <= file->read_count - count);
}

SinoStatus sino_matrix_count_rows(SinoMatrixFile *file, int64_t first, int64_t count, int64_t *entries)
{
    check_range(file, first, count);
    return file->source->count_rows(file->state, first, count, entries);
}

SinoStatus sino_matrix_read(SinoMatrixFile *file, int64_t first, int64_t count, SinoRowBuffer *buffer)
{
    check_range(file, first, count);
    return file->source->read(file->state, first, count, buffer);
}
