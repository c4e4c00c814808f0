/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: --theta, as a range and as a file. The input is the number of projections, a byte that chooses, the text. */
#include "angle_list.h"
#include "fuzz.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { TEXT = 400 };
    if (size < 2 || size > TEXT) return 0;
    char theta[TEXT + FUZZ_PATH];
    const int head = data[1] % 2 ? snprintf(theta, sizeof theta, "%s", fuzz_file(0, data + 2, size - 2)) : 0;
    const size_t rest = data[1] % 2 ? 0 : size - 2;
    memcpy(theta + head, data + 2, rest);
    theta[(size_t)head + rest] = '\0';
    if (data[1] % 4 == 3) strcat(theta, "[1:3]");
    int64_t count = 0;
    SinoAngleUnit unit = (SinoAngleUnit)(data[1] / 4 % 3);
    double *angle_rad = NULL;
    /* A text that names a file of this machine would be read. */
    if (data[1] % 2 == 0 && (strchr(theta, '/') || access(theta, F_OK) == 0)) return 0;
    SinoStatus status = sino_angle_list_read(theta, &unit, data[0], &count, &angle_rad);
    for (int64_t k = 0; k < count && !status; k++) fuzz_require(isfinite(angle_rad[k]));
    if (!status) fuzz_require(count > 0 && (data[0] == 0 || count == data[0]));
    if (!status) free(angle_rad);
    sino_status_free(status);
    return 0;
}
