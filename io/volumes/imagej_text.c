/* SPDX-License-Identifier: BSD-3-Clause */
/* ImageJ text: "key=value" lines after a first line that begins with ImageJ. */
#include "imagej_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

char *sino_imagej_text(const SinoVolumeRequest *request, int64_t images)
{
    char *text = NULL;
    size_t size;
    const SinoVoxelCodes *codes = &request->codes;
    const SinoValueRange *range = &codes->range;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    fputs("ImageJ=1.54f\n", out);
    if (images > 1) fprintf(out, "images=%" PRId64 "\nslices=%" PRId64 "\n", images, images);
    if (request->voxel_um[0] > 0) fputs("unit=um\n", out);
    if (request->voxel_um[0] > 0 && request->voxel_um[2] > 0) fprintf(out, "spacing=%.9g\n", request->voxel_um[2]);
    if (images > 1) fputs("loop=false\n", out);
    if (codes->type != SINO_OUTPUT_FLOAT32) {
        fprintf(out, "min=0\nmax=%.0f\n", sino_codes_largest(codes));
        fprintf(out, "cf=0\nc0=%.17g\nc1=%.17g\n", range->low, sino_codes_step(codes));
    } else if (range->low < range->high) {
        fprintf(out, "min=%.9g\nmax=%.9g\n", range->low, range->high);
    }
    fprintf(out, "vunit=%s\n", request->units);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}
