/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts file: finds the format of a file, and checks what all formats share. */
#include "counts_file.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "counts_source.h"
#include "files.h"
#include "interfile.h"
#include "memory.h"
#include "paths.h"

/* The first format whose probe recognises the file opens it. Raw values come last: any file may be that. */
static const SinoCountsFormat *const formats[] = {&sino_counts_hdf5,      &sino_counts_npy,     &sino_counts_matlab,
                                                  &sino_counts_interfile, &sino_counts_records, &sino_counts_safir,
                                                  &sino_counts_text,      &sino_counts_raw,     NULL};

static SinoStatus check_inner(const SinoCountsFile *file)
{
    if (!file->inner || file->format->takes_inner) return NULL;
    return sino_error(SINO_BAD_INPUT, "%s is %s, and '%s' follows its name; allowed: nothing", file->path,
                      file->format->name, file->inner);
}

static SinoStatus check_sets(const SinoCountsFile *file)
{
    const int64_t found = file->info.set_count, wanted = file->request.set_count;
    int64_t values;
    assert(found >= 1);
    SINO_CHECK(wanted == 0 || found == 1 || found == wanted, SINO_BAD_INPUT,
               "%s has %" PRId64 " sets of %" PRId64 " %s; allowed: 1%s%.0" PRId64, file->path, found,
               file->request.element_count, sino_counts_elements(&file->request), wanted > 1 ? " or " : "",
               wanted > 1 ? wanted : 0);
    SINO_TRY(sino_multiply(found, file->request.element_count, "values of a file", &values));
    return sino_multiply(values, (int64_t)sizeof(float), "bytes of a file's values", &values);
}

/* Finds the format of a file. */
static SinoStatus take_path(const char *given, SinoCountsFile *file)
{
    SINO_TRY(sino_inner_path_split(given, &file->path, &file->inner));
    SINO_TRY(sino_regular_check(file->path));
    for (const SinoCountsFormat *const *at = formats; *at && !file->format; at++)
        if ((*at)->probe(file)) file->format = *at;
    assert(file->format);
    return NULL;
}

/* The path of an array is its name. */
static SinoStatus take_name(const char *name, SinoCountsFile *file)
{
    file->path = strdup(name);
    SINO_CHECK(file->path, SINO_FAILED, "no memory for a name");
    file->format = &sino_counts_memory;
    return NULL;
}

static SinoStatus open_file(const char *given, SinoCountsFile *file)
{
    SINO_TRY(file->request.memory ? take_name(given, file) : take_path(given, file));
    file->request.path = file->path;
    file->info.kind = file->format->name;
    file->info.stored_type = file->stored_type;
    SINO_TRY(check_inner(file));
    SINO_TRY(file->format->open(file));
    return check_sets(file);
}

SinoStatus sino_counts_open(const SinoCountsRequest *request, SinoCountsFile **opened)
{
    SinoCountsFile *file;
    assert(request->element_count >= 1);
    SINO_TRY(sino_allocate(1, sizeof *file, "a file", &file));
    file->request = *request;
    SINO_GIVE(open_file(request->path, file), file, sino_counts_close, opened);
}

void sino_counts_close(SinoCountsFile *file)
{
    if (!file) return;
    if (file->content) file->format->close(file->content);
    free(file->path);
    free(file->inner);
    free(file);
}

const SinoCountsInfo *sino_counts_info(const SinoCountsFile *file)
{
    return &file->info;
}

SinoStatus sino_counts_paths(const char *given, char *path[SINO_COUNTS_PATHS])
{
    SinoInterfile header = {0};
    SinoCountsFile file = {0};
    SinoStatus status = sino_inner_path_split(given, &file.path, &file.inner);
    if (!status && sino_counts_interfile.probe(&file)) status = sino_interfile_read(file.path, &header);
    free(file.inner);
    path[0] = file.path;
    path[1] = header.data_path;
    return status;
}

static SinoStatus open_and_close(const void *request)
{
    SinoCountsFile *file = NULL;
    SINO_TRY(sino_counts_open(request, &file));
    sino_counts_close(file);
    return NULL;
}

SinoStatus sino_counts_try(const SinoCountsRequest *request)
{
    return sino_child_try_headers(request->path, 2, open_and_close, request);
}

/* The error for element `i` of a set. */
static SinoStatus refuse_value(const SinoCountsFile *file, int64_t set, int64_t i, float value)
{
    const SinoCountsRequest *request = &file->request;
    const SinoVoxelGrid *grid = &request->grid;
    char place[96] = "", of_set[40] = "";
    if (file->info.set_count > 1) snprintf(of_set, sizeof of_set, " of set %" PRId64, set);
    if (request->image && grid->x_count > 0)
        snprintf(place, sizeof place, " (x %" PRId64 ", y %" PRId64 ", z %" PRId64 ")", i % grid->x_count,
                 i / grid->x_count % grid->y_count, i / grid->x_count / grid->y_count);
    return sino_error(SINO_BAD_INPUT, "%s: %s %" PRId64 "%s%s is %g; allowed: finite numbers%s", file->path,
                      request->image ? "voxel" : "row", i, place, of_set, (double)value,
                      request->negative ? "" : ", 0 or more");
}

static SinoStatus check_values(const SinoCountsFile *file, int64_t first_set, int64_t set_count, const float *values)
{
    const int64_t elements = file->request.element_count;
    for (int64_t set = 0; set < set_count; set++, values += elements)
        for (int64_t i = 0; i < elements; i++)
            if (!isfinite(values[i]) || (values[i] < 0 && !file->request.negative))
                return refuse_value(file, first_set + set, i, values[i]);
    return NULL;
}

SinoStatus sino_counts_read(SinoCountsFile *file, int64_t first_set, int64_t set_count, float *values)
{
    assert(first_set >= 0 && set_count >= 1 && first_set + set_count <= file->info.set_count);
    SINO_TRY(file->format->read(file, first_set, set_count, values));
    return check_values(file, first_set, set_count, values);
}
