/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: raw sinograms of any size with angles of any bytes. The input is the number of columns (2 bytes), the bytes
 * of angles (1 byte), angles, sinograms. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3) return 0;
    const int64_t columns = 1 + data[0] + 256 * data[1];
    const size_t angle_bytes = (size_t)fuzz_smaller(data[2], (int64_t)size - 3);
    const char *theta = fuzz_file(0, data + 3, angle_bytes);
    const char *path = fuzz_file(1, data + 3 + angle_bytes, size - 3 - angle_bytes);
    fuzz_scan(&(SinoScanRequest){.path = path, .theta = theta, .columns = columns});
    return 0;
}
