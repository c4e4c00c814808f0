/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: an NPY file whose bytes are anything; its values are read as far as they are there. */
#include "fuzz.h"
#include "npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int64_t integers[SINO_NPY_HEADER_BYTES];
    static double doubles[SINO_NPY_HEADER_BYTES];
    char text[8];
    SinoNpy npy;
    SinoStatus status = sino_npy_parse("a.npy", data, (int64_t)size, &npy);
    if (!status) {
        fuzz_require(npy.header_bytes <= (int64_t)size && npy.count >= 0 && sino_npy_bytes(&npy) >= 0);
        const int64_t room = ((int64_t)size - npy.header_bytes) / (npy.item_bytes > 0 ? npy.item_bytes : 1);
        const int64_t count = fuzz_smaller(fuzz_smaller(npy.count, room), SINO_NPY_HEADER_BYTES);
        if (sino_npy_is_integer(&npy)) sino_npy_integers(&npy, data + npy.header_bytes, count, integers);
        if (sino_npy_is_number(&npy)) sino_npy_doubles(&npy, data + npy.header_bytes, count, doubles);
        if (!sino_npy_is_number(&npy) && count > 0)
            fuzz_require(strlen(sino_npy_text(&npy, data + npy.header_bytes, text, sizeof text)) < sizeof text);
    }
    sino_status_free(status);
    return 0;
}
