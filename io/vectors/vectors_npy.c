/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors file, an array of NumPy: ASTRA's cone_vec and parallel3d_vec, projections x 12 numbers; fanflat_vec and
 * parallel_vec, projections x 6. */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "files.h"
#include "memory.h"
#include "npy.h"
#include "numbers.h"
#include "vectors_private.h"

static bool probe(const char *head, int64_t bytes)
{
    return sino_npy_probe(head, bytes);
}

static SinoStatus check(const char *path, const SinoNpy *npy, int64_t bytes)
{
    const int64_t width = npy->rank == 2 ? npy->size[1] : 0;
    SINO_CHECK(sino_npy_is_number(npy) && npy->kind != SINO_NPY_BOOL, SINO_BAD_INPUT,
               "%s holds %s; allowed: integers or floating-point numbers", path, npy->stored_type);
    SINO_CHECK(width == SINO_VECTORS_NUMBERS || width == SINO_VECTORS_FLAT_NUMBERS, SINO_BAD_INPUT,
               "%s has %d dimensions, the last one of %" PRId64
               " numbers; allowed: projections x 12, or x 6 of one plane",
               path, npy->rank, npy->rank > 0 ? npy->size[npy->rank - 1] : 1);
    SINO_CHECK(bytes - npy->header_bytes >= sino_npy_bytes(npy), SINO_BAD_INPUT,
               "%s is cut: it has %" PRId64 " of the %" PRId64 " bytes of its values", path, bytes - npy->header_bytes,
               sino_npy_bytes(npy));
    return NULL;
}

static SinoStatus take_values(const char *path, int descriptor, const SinoNpy *npy, bool parallel, SinoVectors *vectors)
{
    double *value;
    const int width = (int)npy->size[1];
    SINO_TRY(sino_vectors_new(path, npy->size[0], vectors));
    SINO_TRY(sino_allocate(npy->count, sizeof *value, "vectors", &value));
    SinoStatus status = sino_plain_doubles_read(path, descriptor, npy->header_bytes, npy, npy->count, value);
    for (int64_t k = 0; k < vectors->count && !status; k++)
        status = sino_vectors_take_numbers(path, parallel, k, width, value + k * width, vectors);
    free(value);
    vectors->flat = width == SINO_VECTORS_FLAT_NUMBERS;
    return status;
}

static SinoStatus read_open(const char *path, int descriptor, int64_t bytes, bool parallel, SinoVectors *vectors)
{
    SinoNpy npy;
    char *head;
    const int64_t head_bytes = sino_smaller(bytes, SINO_NPY_HEADER_BYTES);
    SINO_TRY(sino_allocate(head_bytes, 1, "vectors", &head));
    SinoStatus status = sino_regular_read(path, descriptor, 0, head_bytes, head);
    if (!status) status = sino_npy_parse(path, head, head_bytes, &npy);
    free(head);
    if (!status) status = check(path, &npy, bytes);
    return status ? status : take_values(path, descriptor, &npy, parallel, vectors);
}

static SinoStatus read_array(const char *path, bool parallel, SinoVectors *vectors)
{
    int descriptor;
    int64_t bytes;
    SINO_TRY(sino_regular_open(path, &descriptor, &bytes));
    SinoStatus status = read_open(path, descriptor, bytes, parallel, vectors);
    close(descriptor);
    return status;
}

const SinoVectorsFormat sino_vectors_npy = {.bare = true, .probe = probe, .read = read_array};
