/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors file of a laboratory's scanner: its header, if it tells where source and detector are (North Star). */
#include <string.h>

#include "scanner_header.h"
#include "vectors_private.h"

static bool probe(const char *head, int64_t bytes)
{
    (void)bytes;
    return strstr(head, "<NSI Reconstruction Project>") != NULL;
}

static SinoStatus take(const char *path, const SinoScannerHeader *header, SinoVectors *vectors)
{
    SINO_CHECK(
        header->vectors, SINO_BAD_INPUT,
        "%s tells no vectors of projections; needed: the numbers of the detector's pixels, and an axis across its "
        "rows",
        path);
    SINO_TRY(sino_vectors_new(path, header->angle_count, vectors));
    memcpy(vectors->view, header->vectors, (size_t)header->angle_count * sizeof *vectors->view);
    vectors->column_count = header->column_count;
    vectors->row_count = header->row_count;
    return NULL;
}

static SinoStatus read_header(const char *path, bool parallel, SinoVectors *vectors)
{
    SinoScannerHeader header;
    (void)parallel;
    SinoStatus status = sino_scanner_read(path, &header);
    if (!status) status = take(path, &header, vectors);
    sino_scanner_clear(&header);
    return status;
}

const SinoVectorsFormat sino_vectors_scanner = {.probe = probe, .read = read_header};
