/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 chunk: one look into the chunk index per chunk, which reading the chunk costs again anyway. */
#include "hdf5_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "memory.h"

#if H5_VERSION_GE(1, 10, 5)

/* Inflates the stored bytes, and counts what comes out up to `most`; a broken stream is left to HDF5 to refuse. */
static int64_t inflated_bytes(void *stored, uint64_t bytes, int64_t most)
{
    Bytef piece[16384];
    z_stream stream = {.next_in = stored, .avail_in = (uInt)bytes};
    int64_t count = 0;
    int result = inflateInit(&stream) == Z_OK ? Z_OK : Z_MEM_ERROR;
    while (result == Z_OK && count < most) {
        stream.next_out = piece;
        stream.avail_out = sizeof piece;
        result = inflate(&stream, Z_NO_FLUSH);
        count += (int64_t)(sizeof piece - stream.avail_out);
    }
    (void)inflateEnd(&stream);
    return result == Z_OK || result == Z_STREAM_END ? count : most;
}

/* HDF5 1.10 does not compare the bytes of a decompressed chunk with those that the chunk must have. */
static SinoStatus check_inflated(const SinoDataset *dataset, const hsize_t *corner, uint64_t stored,
                                 int64_t chunk_bytes)
{
    uint32_t left_out;
    void *bytes = NULL;
    SINO_CHECK(stored <= UINT32_MAX, SINO_BAD_INPUT, "%s: %s has a chunk of %" PRIu64 " bytes; allowed: up to 4 GiB",
               dataset->file, dataset->name, stored);
    SINO_TRY(sino_allocate((int64_t)stored, 1, "a chunk", &bytes));
    const bool read = H5Dread_chunk(dataset->id, H5P_DEFAULT, corner, &left_out, bytes) >= 0;
    const int64_t found = read ? inflated_bytes(bytes, stored, chunk_bytes) : 0;
    free(bytes);
    SINO_HDF5_CHECK(read, SINO_BAD_INPUT, "%s: %s cannot be read", dataset->file, dataset->name);
    SINO_CHECK(found >= chunk_bytes, SINO_BAD_INPUT,
               "%s: %s is damaged: a chunk of %" PRId64 " bytes has %" PRId64 " when it is decompressed", dataset->file,
               dataset->name, chunk_bytes, found);
    return NULL;
}

static SinoStatus check_chunk(const SinoDataset *dataset, const hsize_t *corner, bool inflate, int64_t chunk_bytes)
{
    unsigned left_out = 0; /* bits of the filters that were not applied */
    haddr_t place = HADDR_UNDEF;
    hsize_t bytes = 0;
    SINO_HDF5_CHECK(H5Dget_chunk_info_by_coord(dataset->id, corner, &left_out, &place, &bytes) >= 0, SINO_BAD_INPUT,
                    "%s: %s has an unreadable chunk", dataset->file, dataset->name);
    SINO_CHECK(left_out == 0 || place == HADDR_UNDEF || bytes >= (hsize_t)chunk_bytes, SINO_BAD_INPUT,
               "%s: %s is damaged: a chunk of %" PRId64 " bytes is stored without its filters in %" PRIu64 " bytes",
               dataset->file, dataset->name, chunk_bytes, (uint64_t)bytes);
    if (!inflate || left_out != 0 || place == HADDR_UNDEF) return NULL;
    return check_inflated(dataset, corner, (uint64_t)bytes, chunk_bytes);
}

/* Moves `corner` to the next chunk of the box, the last dimension first; false: there is none. */
static bool next_chunk(const SinoDataset *dataset, const hsize_t *begin, const int64_t *first, const int64_t *count,
                       hsize_t *corner)
{
    for (int d = dataset->rank - 1; d >= 0; d--) {
        corner[d] += (hsize_t)dataset->chunk[d];
        if (corner[d] < (hsize_t)first[d] + (hsize_t)count[d]) return true;
        corner[d] = begin[d];
    }
    return false;
}

SinoStatus sino_hdf5_check_chunks(const SinoDataset *dataset, const int64_t *first, const int64_t *count)
{
    hsize_t begin[SINO_DATASET_RANK] = {0}, corner[SINO_DATASET_RANK] = {0};
    int64_t values, chunk_bytes;
    if (!dataset->filtered) return NULL;
    SINO_TRY(sino_product(dataset->rank, dataset->chunk, "a chunk", &values));
    SINO_TRY(sino_multiply(values, dataset->value_bytes, "a chunk", &chunk_bytes));
    for (int d = 0; d < dataset->rank; d++) {
        if (count[d] == 0) return NULL;
        corner[d] = begin[d] = (hsize_t)(first[d] - first[d] % dataset->chunk[d]);
    }
    bool inflate = dataset->deflated; /* the first chunk only, as reading decompresses every chunk again */
    do {
        SINO_TRY(check_chunk(dataset, corner, inflate, chunk_bytes));
        inflate = false;
    } while (next_chunk(dataset, begin, first, count, corner));
    return NULL;
}

SinoStatus sino_hdf5_frame_stored(const SinoDataset *dataset, int64_t frame, bool *stored)
{
    int64_t first[SINO_DATASET_RANK] = {frame}, count[SINO_DATASET_RANK] = {1};
    hsize_t begin[SINO_DATASET_RANK] = {(hsize_t)(frame - frame % dataset->chunk[0])}, corner[SINO_DATASET_RANK];
    for (int d = 1; d < dataset->rank; d++) count[d] = dataset->size[d];
    memcpy(corner, begin, sizeof corner);
    *stored = true;
    if (!dataset->chunked) return NULL;
    do {
        unsigned left_out = 0;
        haddr_t place = HADDR_UNDEF;
        hsize_t bytes = 0;
        SINO_HDF5_CHECK(H5Dget_chunk_info_by_coord(dataset->id, corner, &left_out, &place, &bytes) >= 0, SINO_FAILED,
                        "%s: %s has an unreadable chunk", dataset->file, dataset->name);
        *stored = place != HADDR_UNDEF && bytes > 0;
    } while (*stored && next_chunk(dataset, begin, first, count, corner));
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

SinoStatus sino_hdf5_frame_stored(const SinoDataset *dataset, int64_t frame, bool *stored)
{
    (void)dataset;
    (void)frame;
    *stored = true;
    return NULL;
}

#endif
