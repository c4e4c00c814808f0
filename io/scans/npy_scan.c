/* SPDX-License-Identifier: BSD-3-Clause */
/* NPY scan: projections, flat or dark fields in an array that NumPy saved. Angles come from --theta. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "array_scan.h"
#include "files.h"
#include "memory.h"
#include "numbers.h"

static SinoStatus read_header(const char *path, SinoArrayScan *npy)
{
    char *head;
    int64_t bytes;
    SINO_TRY(sino_regular_open(path, &npy->descriptor, &bytes));
    const int64_t head_bytes = sino_smaller(bytes, SINO_NPY_HEADER_BYTES);
    SINO_TRY(sino_allocate(sino_larger(head_bytes, 1), 1, "a header", &head));
    SinoStatus status = sino_regular_read(path, npy->descriptor, 0, head_bytes, head);
    if (!status) status = sino_npy_parse(path, head, head_bytes, &npy->array);
    free(head);
    if (status) return status;
    const int64_t needed = sino_npy_bytes(&npy->array), found = bytes - npy->array.header_bytes;
    SINO_CHECK(sino_npy_is_number(&npy->array) && npy->array.kind != SINO_NPY_BOOL, SINO_BAD_INPUT,
               "%s holds %s; allowed: integers or floating-point numbers", path, npy->array.stored_type);
    SINO_CHECK(found >= needed, SINO_BAD_INPUT, "%s is cut: it has %" PRId64 " of the %" PRId64 " bytes of its values",
               path, found, needed);
    return NULL;
}

static SinoStatus open_array(const char *path, const char *array, SinoScanPart *part, SinoArrayScan **npy)
{
    (void)array; /* it has no name */
    SINO_TRY(sino_array_scan_new(path, part, npy));
    return read_header(path, *npy);
}

static bool probe_npy(const SinoScanRequest *request)
{
    return sino_npy_probe_file(request->path);
}

static SinoStatus open_npy(const SinoScanRequest *request, SinoScan *scan)
{
    SinoArrayScan *npy;
    SINO_TRY(open_array(request->path, NULL, &scan->data, &npy));
    scan->info.type = sino_plain_count_type(&npy->array);
    snprintf(scan->stored_type, sizeof scan->stored_type, "%s", npy->array.stored_type);
    return sino_array_scan_data(npy, request, &scan->info);
}

const SinoScanFormat sino_npy_scan_format = {.name = "NumPy array",
                                             .example = ".npy",
                                             .takes_axes = true,
                                             .evidence = "first bytes of .npy",
                                             .certainty = "certain",
                                             .probe = probe_npy,
                                             .open = open_npy,
                                             .open_array = open_array};
