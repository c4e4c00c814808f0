/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: the table of sinodag bench that plan --machine reads. */
#include "bench_csv.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SinoBenchRates rates;
    sino_status_free(sino_bench_csv_read(fuzz_file(0, data, size), "single", &rates));
    return 0;
}
