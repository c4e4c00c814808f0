/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 chunk: one look into the chunk index per chunk, which reading the chunk costs again anyway. */
#include "hdf5_chunk.h"

#include <inttypes.h>

#include "hdf5_error.h"
#include "memory.h"

#if H5_VERSION_GE(1, 10, 5)

static SinoStatus check_chunk(const SinoDataset *dataset, const hsize_t *corner, int64_t chunk_bytes)
{
    unsigned left_out = 0; /* bits of the filters that were not applied */
    haddr_t place = HADDR_UNDEF;
    hsize_t bytes = 0;
    SINO_HDF5_CHECK(H5Dget_chunk_info_by_coord(dataset->id, corner, &left_out, &place, &bytes) >= 0, SINO_BAD_INPUT,
                    "%s: %s has an unreadable chunk", dataset->file, dataset->name);
    SINO_CHECK(left_out == 0 || place == HADDR_UNDEF || bytes >= (hsize_t)chunk_bytes, SINO_BAD_INPUT,
               "%s: %s is damaged: a chunk of %" PRId64 " bytes is stored without its filters in %" PRIu64 " bytes",
               dataset->file, dataset->name, chunk_bytes, (uint64_t)bytes);
    return NULL;
}

/* Moves `corner` to the next chunk of the box, the last dimension first; false: there is none. */
static bool next_chunk(const SinoDataset *dataset, const hsize_t *begin, const int64_t *first, const int64_t *count,
                       hsize_t *corner)
{
    for (int d = dataset->rank - 1; d >= 0; d--) {
        corner[d] += (hsize_t)dataset->chunk[d];
        if (corner[d] < (hsize_t)(first[d] + count[d])) return true;
        corner[d] = begin[d];
    }
    return false;
}

SinoStatus sino_hdf5_check_chunks(const SinoDataset *dataset, const int64_t *first, const int64_t *count)
{
    hsize_t begin[SINO_DATASET_RANK], corner[SINO_DATASET_RANK];
    int64_t values, chunk_bytes;
    if (!dataset->filtered) return NULL;
    SINO_TRY(sino_product(dataset->rank, dataset->chunk, "a chunk", &values));
    SINO_TRY(sino_multiply(values, dataset->value_bytes, "a chunk", &chunk_bytes));
    for (int d = 0; d < dataset->rank; d++) {
        if (count[d] == 0) return NULL;
        corner[d] = begin[d] = (hsize_t)(first[d] - first[d] % dataset->chunk[d]);
    }
    do {
        SINO_TRY(check_chunk(dataset, corner, chunk_bytes));
    } while (next_chunk(dataset, begin, first, count, corner));
    return NULL;
}

#else

SinoStatus sino_hdf5_check_chunks(const SinoDataset *dataset, const int64_t *first, const int64_t *count)
{
    (void)dataset; /* this HDF5 does not tell how chunks are stored */
    (void)first;
    (void)count;
    return NULL;
}

#endif
