/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: counts of a matrix with 16 rows, raw, as NumPy array, as events in text or in
 * records. The input is a byte of choices, perhaps a line that describes records, then the file. Interfile headers,
 * which name other files, have a target of their own. */
#include "counts_file.h"
#include "fuzz.h"
#include "interfile.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { CRYSTALS = 4, ROWS = CRYSTALS * CRYSTALS };
    float values[2 * ROWS];
    if (size < 1) return 0;
    const char *const text = (const char *)data + 1, *const end = memchr(text, '\n', size - 1);
    const size_t head = data[0] & 16 && end ? (size_t)(end - text) + 1 : 0;
    if (sino_interfile_probe(text + head, (int64_t)(size - 1 - head))) return 0;
    char path[FUZZ_PATH + 200];
    snprintf(path, sizeof path, "%s%s%.*s", fuzz_file(0, text + head, size - 1 - head), head ? ":" : "",
             head ? (int)fuzz_smaller((int64_t)head - 1, 160) : 0, text);
    const SinoCountsRequest request = {.path = path,
                                       .element_count = ROWS,
                                       .crystal_count = data[0] & 4 ? 0 : CRYSTALS,
                                       .rings = {.first = 1, .count = 2, .size = data[0] & 4 ? 0 : 2},
                                       .negative = data[0] & 8,
                                       .events = (SinoEventRule)(data[0] % 4 % 3)};
    SinoCountsFile *file = NULL;
    SinoStatus status = sino_counts_open(&request, &file);
    if (!status) {
        const int64_t sets = fuzz_smaller(sino_counts_info(file)->set_count, 2);
        status = sino_counts_read(file, sino_counts_info(file)->set_count - sets, sets, values);
        for (int64_t i = 0; i < sets * ROWS && !status; i++)
            fuzz_require(isfinite(values[i]) && (values[i] >= 0 || request.negative));
        sino_counts_close(file);
    }
    sino_status_free(status);
    return 0;
}
