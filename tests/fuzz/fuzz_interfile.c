/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: Interfile headers of any bytes, and the matrices and projections that they tell of. */
#include "fuzz_matrix.h"
#include "interfile.h"

#include <math.h>

static void check(const SinoInterfile *header)
{
    fuzz_require(header->value_count >= 1 && header->rank >= 0 && header->rank <= SINO_INTERFILE_RANK);
    fuzz_require(header->frame_count >= 1 && header->frame_count <= SINO_INTERFILE_FRAMES);
    fuzz_require(header->number && !strstr(header->data_path, "/../"));
    for (int64_t i = 0; i < header->frame_count; i++)
        fuzz_require(header->frame[i].offset >= 0 && isfinite(header->frame[i].scale));
}

static void check_views(const SinoInterfileViews *views)
{
    fuzz_require(views->view_count >= 1 && views->row_count >= 1 && views->bin_count >= 1);
    fuzz_require(isfinite(views->first_degrees) && isfinite(views->step_degrees));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static SinoInterfile header;
    SinoInterfileViews views;
    (void)sino_interfile_probe((const char *)data, (int64_t)size);
    const char *path = fuzz_file(0, data, size);
    SinoStatus status = sino_interfile_read(path, &header);
    if (!status) check(&header);
    free(header.data_path);
    sino_status_free(status);
    status = sino_interfile_read_views(path, &header, &views);
    if (!status) check_views(&views);
    free(header.data_path);
    sino_status_free(status);
    fuzz_scan(&(SinoScanRequest){.path = path});
    fuzz_matrix(path);
    return 0;
}
