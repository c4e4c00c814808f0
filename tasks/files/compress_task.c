/* SPDX-License-Identifier: BSD-3-Clause */
/* Task compress: compresses a slice of a minibatch. */
#include "files_tasks.h"

#include "arithmetic.h"
#include "task.h"

typedef struct Compress {
    SinoOperand images;
    SinoVolume *volume; /* not owned */
    int64_t slice;      /* of the volume */
    int64_t image;      /* of the minibatch */
    int64_t pixels;
} Compress;

static SinoStatus compress_cpu(const SinoTask *task)
{
    const Compress *of = task->arguments;
    return sino_volume_pack(of->volume, of->slice, (const float *)of->images.at + of->image * of->pixels);
}

/* A compressed TIFF slice is written, too. */
static const SinoTaskKind compress_kind = {
    .name = "compress", .waits = true, SINO_ARGUMENTS(Compress, SINO_READS(Compress, images)), .cpu = compress_cpu};

SinoStatus sino_insert_compress(SinoRuntime *runtime, SinoPosition position, SinoVolume *volume, int64_t first_slice,
                                int64_t count, int64_t pixels, SinoData *image)
{
    for (int64_t i = 0; i < count; i++) {
        const Compress arguments = {
            .images.data = image, .volume = volume, .slice = first_slice + i, .image = i, .pixels = pixels};
        SINO_TRY(SINO_SUBMIT(runtime, &compress_kind, position, &arguments, .work = (double)pixels,
                             .priority = SINO_PRIORITY_URGENT));
    }
    return NULL;
}

int64_t sino_compress_slice_bytes(SinoOutputType type, int64_t voxels)
{
    return sino_times(voxels, sino_codes_bytes(type));
}
