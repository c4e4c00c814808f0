/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors file, a volume in HDF5 whose views were turned: /process/vectors, or parallel_vectors of parallel rays,
 * [projection][12]. */
#include "hdf5_files.h"
#include "memory.h"
#include "vectors_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool probe(const char *head, int64_t bytes)
{
    static const char signature[] = "\211HDF\r\n\032\n";
    const int64_t length = sizeof signature - 1;
    return bytes >= length && memcmp(head, signature, (size_t)length) == 0;
}

static SinoStatus take(const SinoDataset *dataset, bool parallel, SinoVectors *vectors)
{
    const int64_t first[2] = {0, 0}, all[2] = {dataset->size[0], SINO_VECTORS_NUMBERS};
    double(*numbers)[SINO_VECTORS_NUMBERS];
    SINO_CHECK(dataset->size[1] == SINO_VECTORS_NUMBERS, SINO_BAD_INPUT,
               "%s: %s has %" PRId64 " numbers of a projection; allowed: 12", dataset->file, dataset->name,
               dataset->size[1]);
    SINO_TRY(sino_vectors_new(dataset->file, dataset->size[0], vectors));
    vectors->partial = true;
    SINO_TRY(sino_allocate(vectors->count, sizeof *numbers, "vectors", &numbers));
    SinoStatus status = sino_dataset_read(dataset, first, all, H5T_NATIVE_DOUBLE, numbers);
    for (int64_t k = 0; k < vectors->count && !status; k++)
        status = sino_vectors_take_numbers(dataset->file, parallel, k, SINO_VECTORS_NUMBERS, numbers[k], vectors);
    free(numbers);
    return status;
}

static SinoStatus read_volume(const char *path, bool parallel, SinoVectors *vectors)
{
    (void)parallel; /* the file tells */
    SinoDataset dataset = {.id = H5I_INVALID_HID};
    hid_t file;
    SINO_TRY(sino_hdf5_open(path, &file));
    SinoStatus status = sino_dataset_open(path, file, "/process/parallel_vectors", 2, true, &dataset);
    const bool sources = !status && dataset.id == H5I_INVALID_HID;
    if (sources) status = sino_dataset_open(path, file, "/process/vectors", 2, true, &dataset);
    if (!status && dataset.id == H5I_INVALID_HID)
        status = sino_error(
            SINO_BAD_INPUT,
            "%s has no /process/vectors; allowed: a volume of --align pose, which found shifts or turns", path);
    if (!status) status = take(&dataset, !sources, vectors);
    sino_dataset_close(&dataset);
    (void)H5Fclose(file);
    return status;
}

const SinoVectorsFormat sino_vectors_volume = {.probe = probe, .read = read_volume};
