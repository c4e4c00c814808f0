/* SPDX-License-Identifier: BSD-3-Clause */
/* Task compress: compresses a slice of a minibatch. */
#include "compress_task.h"

#include "arithmetic.h"
#include "task.h"

typedef struct Arguments {
    SinoVolume *volume; /* not owned */
    int64_t slice;      /* of the volume */
    int64_t image;      /* of the minibatch */
    int64_t pixels;
} Arguments;

static SinoStatus compress_cpu(const SinoTask *task)
{
    const Arguments *of = task->arguments;
    const float *images = sino_task_buffer(task, 0);
    return sino_volume_pack(of->volume, of->slice, images + of->image * of->pixels);
}

/* A compressed TIFF slice is written, too. */
static const SinoTaskKind compress_kind = {.name = "compress",
                                           .waits = true,
                                           .argument_bytes = sizeof(Arguments),
                                           .access_min = 1,
                                           .access_max = 1,
                                           .cpu = compress_cpu};

SinoStatus sino_insert_compress(SinoRuntime *runtime, SinoPosition position, SinoVolume *volume, int64_t first_slice,
                                int64_t count, int64_t pixels, SinoData *image)
{
    for (int64_t i = 0; i < count; i++) {
        const Arguments arguments = {.volume = volume, .slice = first_slice + i, .image = i, .pixels = pixels};
        const SinoAccess access[] = {{image, SINO_READ}};
        SINO_TRY(sino_task_submit(runtime, &compress_kind,
                                  &(SinoTaskRequest){.position = position,
                                                     .arguments = &arguments,
                                                     .argument_bytes = sizeof arguments,
                                                     .access = access,
                                                     .access_count = 1,
                                                     .work = (double)pixels,
                                                     .priority = SINO_PRIORITY_URGENT}));
    }
    return NULL;
}

int64_t sino_compress_slice_bytes(SinoOutputType type, int64_t voxels)
{
    return sino_times(voxels, sino_codes_bytes(type));
}

int64_t sino_compress_bytes(int64_t slices, int64_t workers, int64_t slice_bytes)
{
    return sino_volume_packed_bytes(slices, workers, slice_bytes);
}
