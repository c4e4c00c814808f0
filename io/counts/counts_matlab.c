/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts in MATLAB files of level 5: a variable, whose last dimension in MATLAB is that of the sets. */
#include "counts_source.h"

#include <stdio.h>

#include "arithmetic.h"
#include "mat_file.h"
#include "numbers.h"

static bool probe_matlab(const SinoCountsFile *file)
{
    return sino_mat_probe_file(file->path);
}

static bool is_array(const SinoMatVariable *variable)
{
    bool wide = false;
    for (int d = 0; d < variable->rank; d++) wide |= variable->size[d] > 1;
    return variable->class == SINO_MAT_NUMBERS && !variable->complex && wide;
}

static void close_matlab(void *content)
{
    sino_mat_close(content);
}

/* The sizes with the contiguous dimension last; a row or a column has one. Returns the number of them. */
static int take_sizes(const SinoMatVariable *variable, int64_t size[SINO_NPY_RANK])
{
    int wide = 0;
    for (int d = 0; d < variable->rank; d++) {
        size[d] = variable->size[variable->rank - 1 - d];
        wide += size[d] > 1;
    }
    if (wide > 1) return variable->rank;
    size[0] = variable->values.count;
    return 1;
}

static SinoStatus open_matlab(SinoCountsFile *file)
{
    SinoMatFile *opened;
    int64_t size[SINO_NPY_RANK];
    SINO_TRY(sino_mat_open(file->path, file->inner, is_array, "arrays", &opened));
    file->content = opened;
    const SinoMatVariable *variable = sino_mat_variable(opened);
    SINO_CHECK(variable->class == SINO_MAT_NUMBERS && !variable->complex, SINO_BAD_INPUT,
               "%s: %s is %s%s; allowed: arrays of real numbers", file->path, variable->name,
               variable->complex ? "complex " : "", variable->class_name);
    snprintf(file->stored_type, sizeof file->stored_type, "%s", variable->class_name);
    const int rank = take_sizes(variable, size);
    SINO_TRY(sino_counts_take_array(file, rank, size, sino_npy_is_integer(&variable->values)));
    SINO_CHECK(!file->info.events, SINO_BAD_INPUT,
               "%s: %s is a list of events; allowed in MATLAB files: counts, one for each row", file->path,
               variable->name);
    return NULL;
}

static SinoStatus read_matlab(SinoCountsFile *file, int64_t first_set, int64_t set_count, float *values)
{
    const SinoNpy *type = &sino_mat_variable(file->content)->values;
    const int64_t first = sino_times(first_set, file->request.element_count);
    int descriptor;
    SINO_TRY(sino_mat_unpack(file->content, &descriptor));
    return sino_plain_values_read(file->path, descriptor, type->header_bytes + first * type->item_bytes, type,
                                  sino_times(set_count, file->request.element_count), SINO_COUNT_FLOAT32, values);
}

const SinoCountsFormat sino_counts_matlab = {.name = "a MATLAB array",
                                             .takes_inner = true,
                                             .probe = probe_matlab,
                                             .open = open_matlab,
                                             .read = read_matlab,
                                             .close = close_matlab};
