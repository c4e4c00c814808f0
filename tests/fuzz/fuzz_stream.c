/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: the header of a message of a stream of projections. */
#include "fuzz.h"
#include "stream_header.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SinoStreamHeader header;
    SinoStatus status = sino_stream_header_parse(data, (int64_t)size, &header);
    if (!status) {
        fuzz_require(header.frame >= 0 && header.values.count >= 0 && header.values.item_bytes <= 8);
        for (int i = 0; i < SINO_SCAN_FIELDS; i++) fuzz_require(header.fields[i] >= 0);
        if (header.kind != SINO_STREAM_END) fuzz_require(header.values.count > 0 && header.values.item_bytes > 0);
    }
    sino_status_free(status);
    return 0;
}
