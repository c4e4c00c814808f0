/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts in HDF5: a dataset of any integer or real type. */
#include "counts_source.h"

#include <string.h>

#include "hdf5_files.h"
#include "memory.h"

#include <stdlib.h>

/* Events that are read at a time. */
enum { PIECE_EVENTS = 1 << 16 };

typedef struct Hdf5Counts {
    hid_t file;
    SinoDataset dataset;
    SinoFileList sources;
} Hdf5Counts;

static bool probe_hdf5(const SinoCountsFile *file)
{
    return sino_hdf5_probe(file->path);
}

static void close_hdf5(void *content)
{
    Hdf5Counts *counts = content;
    sino_dataset_close(&counts->dataset);
    if (counts->file >= 0) (void)H5Fclose(counts->file); /* opened for reading: nothing can be lost */
    sino_file_list_free(&counts->sources);
    free(counts);
}

static SinoStatus open_hdf5(SinoCountsFile *file)
{
    Hdf5Counts *counts;
    SINO_CHECK(!file->inner || file->inner[0] == '/', SINO_BAD_INPUT,
               "'%s' follows the name of %s; allowed: a dataset such as %s:/exchange/data", file->inner, file->path,
               file->path);
    SINO_TRY(sino_allocate(1, sizeof *counts, "a file", &counts));
    *counts = (Hdf5Counts){.file = H5I_INVALID_HID, .dataset = {.id = H5I_INVALID_HID}};
    file->content = counts;
    SINO_TRY(sino_hdf5_open(file->path, &counts->file));
    const char *name = file->inner ? file->inner : "/exchange/data";
    SinoDataset *dataset = &counts->dataset;
    SINO_TRY(sino_dataset_open_whole(file->path, counts->file, name, SINO_ANY_RANK, !file->inner, &counts->sources,
                                     dataset));
    SINO_CHECK(dataset->id >= 0, SINO_BAD_INPUT,
               "%s has no /exchange/data; allowed: the name of a dataset, as in "
               "%s:/DATASET",
               file->path, file->path);
    memcpy(file->stored_type, dataset->stored_type, sizeof file->stored_type);
    return sino_counts_take_array(file, dataset->rank, dataset->size, strncmp(file->stored_type, "float", 5) != 0);
}

static SinoStatus count_events(const SinoDataset *dataset, int64_t *piece, SinoEventCounter *counter)
{
    const int members = dataset->rank;
    for (int64_t first = 0; first < dataset->size[0]; first += PIECE_EVENTS) {
        const int64_t count = sino_smaller(dataset->size[0] - first, PIECE_EVENTS);
        const int64_t begin[] = {first, 0}, extent[] = {count, 2};
        SINO_TRY(sino_dataset_read(dataset, begin, extent, H5T_NATIVE_INT64, piece));
        for (int64_t i = 0; i < count; i++)
            SINO_TRY(sino_event_counter_add(counter, first + i, members, piece + i * members));
    }
    return NULL;
}

static SinoStatus read_events(const SinoCountsFile *file, const SinoDataset *dataset, float *values)
{
    int64_t *piece = NULL;
    SinoEventCounter counter = {0};
    SinoStatus status = sino_event_counter_new(&file->request, "event", &counter);
    if (!status) status = sino_allocate((int64_t)2 * PIECE_EVENTS, sizeof *piece, "events", &piece);
    if (!status) status = count_events(dataset, piece, &counter);
    if (!status) sino_event_counter_take(&counter, values);
    sino_event_counter_free(&counter);
    free(piece);
    return status;
}

static SinoStatus read_hdf5(SinoCountsFile *file, int64_t first_set, int64_t set_count, float *values)
{
    const Hdf5Counts *counts = file->content;
    const SinoDataset *dataset = &counts->dataset;
    int64_t first[SINO_DATASET_RANK] = {0}, count[SINO_DATASET_RANK];
    if (file->info.events) return read_events(file, dataset, values);
    memcpy(count, dataset->size, sizeof count);
    if (file->info.set_count > 1) {
        first[0] = first_set;
        count[0] = set_count;
    }
    return sino_dataset_read(dataset, first, count, H5T_NATIVE_FLOAT, values);
}

const SinoCountsFormat sino_counts_hdf5 = {.name = "an HDF5 file",
                                           .takes_inner = true,
                                           .probe = probe_hdf5,
                                           .open = open_hdf5,
                                           .read = read_hdf5,
                                           .close = close_hdf5};
