/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: what join reads of a volume whose bytes are anything: /process, sizes, and the last slice if it is small. */
#include "fuzz.h"
#include "volume_input.h"
#include "volume_part.h"

#include <math.h>

static SinoStatus read_last_slice(const char *path)
{
    enum { VOXELS_MOST = 4096 };
    static const SinoVolumeShape none = {0};
    static float voxels[VOXELS_MOST];
    SinoVolumeInput *input = NULL;
    SINO_TRY(sino_volume_input_open(path, &none, &input));
    const SinoVolumeInputInfo *info = sino_volume_input_info(input);
    fuzz_require(info->slice_count >= 1 && info->height >= 1 && info->width >= 1);
    SinoStatus status = NULL;
    if (info->height <= VOXELS_MOST && info->width <= VOXELS_MOST / info->height)
        status = sino_volume_input_read(input, info->slice_count - 1, voxels);
    sino_volume_input_close(input);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(0, data, size);
    SinoVolumePart part = {0};
    SinoStatus status = sino_volume_part_read(path, &part);
    if (!status) {
        fuzz_require(part.first_row >= 0 && part.row_step >= 1 && part.settings);
        fuzz_require(memchr(part.units, '\0', sizeof part.units) != NULL);
        fuzz_require(part.codes.type == SINO_OUTPUT_FLOAT32 || part.codes.range.low < part.codes.range.high);
        sino_volume_part_free(&part);
        status = read_last_slice(path);
    }
    sino_status_free(status);
    return 0;
}
